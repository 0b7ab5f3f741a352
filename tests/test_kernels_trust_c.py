"""Kernels in C that were proved, or refuted, and should not have been: definedness, limits, types.

Each case is a whole file.  The verdicts are those that `check` prints.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

INDEX = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"

WHERE = "where n <= 1048576, t >= 0, t < 50, z >= -40, z < 40"

CONTRACT = f"""// symlayout: kernel grid (cdiv(n, 256),) block (256,)
//   x is s32[n]
//   y is s32[n]
//   {WHERE}
"""

HEAD = "__global__ void f(const int* x, int* y, int n, int t, int z) {\n"

STORE = "  if (i < n) y[i] = 1;\n"


def kernel(body: str, above: str = "") -> str:
    """A file with one kernel of `x`, `y`, `n`, `t` and `z`."""
    return f"{above}{CONTRACT}{HEAD}{body}\n}}\n"


def verdicts(path: Path, text: str) -> dict[str, set[str]]:
    """The verdicts of each claim by its name."""
    path.write_text(text)
    report = check([str(path)])
    assert not [p for p in report.all_problems if p.code == "SL900"], report.all_problems
    answers: dict[str, set[str]] = {}
    for r in report.results:
        answers.setdefault(r.task.name, set()).add(r.outcome.status)
    return answers


def of(answers: dict[str, set[str]], part: str) -> set[str]:
    """The verdicts of the claims whose names have that part."""
    return {s for name, statuses in answers.items() if part in name for s in statuses}


# -- what is undefined -----------------------------------------------------------------------------

DIVISION, SHIFT, BELOW = "no division by 0", "no shift out of range", "no divisor below 1"

UNDEFINED = {  # statements, and the claim that is refuted
    "a factor of 0": (f"{INDEX}  if (i < n) y[i + 8 / t * 0] = 1;", DIVISION),
    "a factor that is 0": (f"{INDEX}  int o = 0;\n  if (i < n) y[i + 8 / t * o] = 1;", DIVISION),
    "a remainder": (f"{INDEX}  if (i < n) y[i + 8 % t * 0] = 1;", DIVISION),
    "of what may be below 0": (f"{INDEX}  if (i < n) y[i + 8 / z * 0] = 1;", BELOW),
    "a difference": (f"{INDEX}  if (i < n) y[i + (8 / t - 8 / t)] = 1;", DIVISION),
    "a local variable that is not used": (f"{INDEX}  int q = 8 / t;\n{STORE}", DIVISION),
    "a statement": (f"{INDEX}  8 / t;\n{STORE}", DIVISION),
    "an assignment": (f"{INDEX}  z /= t;\n{STORE}", DIVISION),
    "a remainder that is assigned": (f"{INDEX}  z %= t;\n{STORE}", DIVISION),
    "a condition of nothing": (f"{INDEX}  if (8 / t > 2) {{}}\n{STORE}", DIVISION),
    "the number of a thread": (f"{INDEX}  int q = 8 / threadIdx.x;\n{STORE}", DIVISION),
    "the literal 0": (f"{INDEX}  int q = 8 / 0;\n{STORE}", DIVISION),
    "the second of and": (f"{INDEX}  int q = t < 9 && 8 / t;\n{STORE}", DIVISION),
    "the second of or, the wrong way": (f"{INDEX}  int q = z || 8 / z;\n{STORE}", BELOW),
    "a choice": (f"{INDEX}  int q = t ? 1 : 8 / t;\n{STORE}", DIVISION),
    "an argument that is not used": (f"{INDEX}  int q = first(1, 8 / t);\n{STORE}", DIVISION),
    "a function's own": (f"{INDEX}  int q = seventh(t);\n{STORE}", DIVISION),
    "a loop's end": (f"{INDEX}  for (int k = 0; k < 8 / t; k++) {{}}\n{STORE}", DIVISION),
    "in a loop": (f"{INDEX}  for (int k = 0; k < 8; k++) {{ int q = 8 / k; }}\n{STORE}", DIVISION),
    "a value that is stored": (f"{INDEX}  if (i < n) y[i] = 8 / t;", DIVISION),
    "a shift": (f"{INDEX}  int q = 1 << t;\n{STORE}", SHIFT),
    "a shift by a sum": (f"{INDEX}  if (i < n) y[i + (1 << (t + 5)) * 0] = 1;", SHIFT),
    "a shift by what may be below 0": (f"{INDEX}  int q = 1 >> z;\n{STORE}", SHIFT),
    "a shift by a number": (f"{INDEX}  int q = 1 << 32;\n{STORE}", SHIFT),
    "a shift of 64 bits by a number": (f"{INDEX}  long q = 1L << 64;\n{STORE}", SHIFT),
    "a shift that is assigned": (f"{INDEX}  z <<= t;\n{STORE}", SHIFT),
}  # fmt: skip

HELPERS = """__device__ int first(int a, int b) { return a; }
__device__ int seventh(int a) { return 7 / a; }
"""


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", UNDEFINED)
def test_what_is_undefined_is_refuted_though_its_value_cancels(tmp_path: Path, name: str) -> None:
    body, part = UNDEFINED[name]
    answers = verdicts(tmp_path / "k.cu", kernel(body, HELPERS))
    assert of(answers, part) == {"refuted"}, answers


DEFINED = {
    "a condition around it": f"{INDEX}  if (t > 0) {{ int q = 8 / t; }}\n{STORE}",
    "a return before it": f"{INDEX}  if (t == 0) return;\n  int q = 8 / t;\n{STORE}",
    "the first of and": f"{INDEX}  int q = t && 8 / t;\n{STORE}",
    "the first of or": f"{INDEX}  int q = t == 0 || 8 / t;\n{STORE}",
    "a choice": f"{INDEX}  int q = t ? 8 / t : 0;\n{STORE}",
    "a branch that is never taken": f"{INDEX}  if (false) {{ int q = 8 / 0; }}\n{STORE}",
    "a shift by less": f"{INDEX}  if (t < 32) {{ int q = 1 << t; }}\n{STORE}",
    "a shift of 64 bits": f"{INDEX}  long q = 1L << t;\n{STORE}",
    "floats": f"{INDEX}  float q = 1.0f / t;\n  q = q / t;\n{STORE}",
    "a size of nothing": f"{INDEX}  int q = sizeof(8 / t);\n{STORE}",
    "what is loaded, and asked": f"{INDEX}  if (i < n) {{\n    int d = x[i];\n"
    "    if (d) y[i] = 7 / d;\n  }",
}


@pytest.mark.parametrize("name", DEFINED)
def test_what_is_never_undefined_is_not_refuted(tmp_path: Path, name: str) -> None:
    answers = verdicts(tmp_path / "k.cu", kernel(DEFINED[name], HELPERS))
    asked = of(answers, "no division") | of(answers, "no shift") | of(answers, "no divisor")
    assert asked <= {"proved"}, answers


def test_what_was_loaded_and_divides_is_not_known(tmp_path: Path) -> None:
    answers = verdicts(tmp_path / "k.cu", kernel(f"{INDEX}  if (i < n) y[i] = n / x[i];"))
    assert of(answers, DIVISION) == {"unknown"}


def test_a_divisor_below_0_divides_as_c_says(tmp_path: Path) -> None:
    body = f"{INDEX}  int q = z ? 8 / z : 0;\n{STORE}"
    assert of(verdicts(tmp_path / "k.cu", kernel(body)), BELOW) == {"unknown"}


# -- limits ----------------------------------------------------------------------------------------

DOUBLED = {  # a macro, what the next one makes of it, and how the last is used
    "statements": ("#define M0 y[i] = 1;", " M{k} M{k}", "M40"),
    "words of an expression": ("#define M0 1 +", " M{k} M{k}", "int q = M40 0;"),
    "expressions": ("#define M0 n", " (M{k} + M{k})", "y[M40] = 1;"),
    "with parameters": ("#define M0(a) a", "(a) M{k}(a) M{k}(a)", "M40(y[i] = 1;)"),
    "nothing": ("#define M0", " M{k} M{k}", "M40 y[i] = 1;"),
    "sums with a loose end": ("#define M0 n + 1", " M{k} * M{k}", "y[i] = M40;"),
}


@pytest.mark.parametrize("name", DOUBLED)
def test_macros_that_double_are_an_error(tmp_path: Path, name: str) -> None:
    first, body, use = DOUBLED[name]
    lines = [f"#define M{k + 1}{body.replace('{k}', str(k))}" for k in range(40)]
    (tmp_path / "k.cu").write_text(kernel(f"{INDEX}  {use}", "\n".join([first, *lines, ""])))
    (problem,) = check([str(tmp_path / "k.cu")]).all_problems
    assert problem.code == "SL506"
    assert "the file expands to more than" in problem.message


def test_macros_may_be_nested_deeply(tmp_path: Path) -> None:
    lines = ["#define M0 y[i + n] = 1;", *[f"#define M{k + 1} M{k}" for k in range(60)]]
    answers = verdicts(tmp_path / "k.cu", kernel(f"{INDEX}  M60", "\n".join([*lines, ""])))
    assert of(answers, "in bounds: store of y") == {"refuted"}


# -- literals --------------------------------------------------------------------------------------

LITERALS = {  # statements, a part of a claim's name, and its verdict
    "an index of many digits": (f"y[{'9' * 100_000}] = 1;", "in bounds", "unknown"),
    "a hexadecimal index of many digits": (f"y[0x{'f' * 100_000}] = 1;", "in bounds", "unknown"),
    "an octal index of many digits": (f"y[0{'7' * 10_000}] = 1;", "in bounds", "unknown"),
    "an octal number that is none": ("y[09] = 1;", "", "unknown"),
    "no type has it": ("y[18446744073709551616] = 1;", "in bounds", "unknown"),
    "a case": (f"switch (t) {{ case {'9' * 10_000}: y[n] = 1; }}", "in bounds", "unknown"),
    "a loop's end": (f"for (int k = 0; k < {'9' * 9_999}; k++) y[n] = k;", "no race", "unknown"),
    "the size of an array": (f"__shared__ int s[{'9' * 9_999}]; s[0] = 1;", "of s", "unknown"),
    "a tile": (f"cg::thread_block_tile<{'9' * 9_999}> g; y[g.size()] = 1;", "in bounds", "unknown"),
    "an octal number": ("if (t < 9) y[t * 0 + 010 - 8] = 1;", "in bounds", "proved"),
    "a hexadecimal number without a sign": (
        "if (z < 0x80000000) y[z - z] = 1; else y[n] = 2;", "in bounds", "refuted"),
    "a hexadecimal number of 64 bits": ("if (z > 0x100000000) y[n] = 2; else y[0] = 1;",
        "in bounds", "proved"),
}  # fmt: skip


@pytest.mark.parametrize("name", LITERALS)
def test_literals_have_the_values_that_their_types_have(tmp_path: Path, name: str) -> None:
    body, part, status = LITERALS[name]
    answers = verdicts(tmp_path / "k.cu", kernel(f"{INDEX}  {body}"))
    assert status in of(answers, part), answers
    assert status == "proved" or of(answers, part) != {"proved"}


# -- many stores -----------------------------------------------------------------------------------

ALL = 300

UNROLLED = {  # the store of one number, how many numbers a row has, and what is refuted
    "a row": ("y[i * 300 + {k}] = {k};", 300, ""),
    "with a mask each": ("if (i < n) y[i * 300 + {k}] = {k};", 300, ""),
    "masks that differ": ("if (i * 300 + {k} < n * 300) y[i * 300 + {k}] = {k};", 300, ""),
    "copies": ("y[i * 300 + {k}] = x[i * 300 + {k}];", 300, ""),
    "columns": ("y[i + {k} * n] = {k};", 300, ""),
    "in another order": ("y[i * 300 + {at}] = {k};", 300, ""),
    "behind the end": ("y[i * 300 + {more}] = {k};", 300, "in bounds"),
    "rows that are too short": ("y[i * 299 + {k}] = {k};", 300, "no race"),
    "the same place": ("y[{k}] = {k};", 300, "no race"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", UNROLLED)
def test_stores_that_were_unrolled_have_a_claim_together(tmp_path: Path, name: str) -> None:
    line, row, part = UNROLLED[name]
    head = "// symlayout: kernel grid (cdiv(n, 256),) block (256,)\n//   where n <= 1024\n"
    head += f"//   x is s32[n,{row}]\n//   y is s32[n,{row}]\n"
    stores = [line.format(k=k, at=k * 7 % ALL, more=k + 1) for k in range(ALL)]
    body = "\n".join([f"{INDEX}  if (i >= n) return;", *stores])
    text = f"{head}__global__ void f(const int* x, int* y, int n) {{\n{body}\n}}\n"
    answers = verdicts(tmp_path / "k.cu", text)
    assert len(answers) < 16, answers
    refuted = [n for n, statuses in answers.items() if statuses != {"proved"}]
    assert all(part and part in n for n in refuted), answers
    assert bool(refuted) == bool(part)


@pytest.mark.explore
def test_pairs_that_are_all_unlike_are_not_known(tmp_path: Path) -> None:
    stores = [f"y[i * {k * k + 2} % {k + 2}] = 1;" for k in range(26)]
    answers = verdicts(tmp_path / "k.cu", kernel("\n".join([INDEX, *stores])))
    assert of(answers, "no race: stores of y") == {"unknown"}


# -- what is no certain declaration ----------------------------------------------------------------

GUARDED = f"{INDEX}{STORE}"

TWO_WAYS = "#ifdef LOUD\n#define QUIET if (0)\n#else\n#define QUIET\n#endif\n"

TYPE_OR_NOT = "#ifdef LOUD\n#define QUIET int\n#else\n#define QUIET\n#endif\n"

DECLARATIONS = {  # what may be a store, and what stands above the kernel
    "a name of a header that is not here": ("QUIET y[i + n] = 2;", ""),
    "a macro of two ways": ("QUIET y[i + n] = 2;", TWO_WAYS),
    "a type or nothing": ("QUIET y[i + n] = 2;", TYPE_OR_NOT),
    "a name in small letters": ("quietly y[i + n] = 2;", ""),
    "without a value": ("QUIET y[i + n];", ""),
    "a pointer, or a store": ("QUIET *y = 2;", ""),
    "a reference, or a store": ("QUIET &y[n] = 2;", ""),
    "a variable of the kernel": ("QUIET z = 2;", ""),
    "a loud name for a variable": ("QUIET fresh = 2;", ""),
    "a name alone": ("QUIET;", ""),
    "a name of two ways alone": ("QUIET;", TWO_WAYS),
    "a call": ("QUIET(i);", ""),
    "a call of a name in small letters": ("quiet(i);", ""),
    "a block behind a name": ("QUIET { y[n] = 2; }", ""),
    "a product, or a pointer": ("int T = 2; T * y;", ""),
    "names from another space": ("ns::quiet y[i + n] = 2;", ""),
}


@pytest.mark.parametrize("name", DECLARATIONS)
def test_what_is_no_certain_declaration_may_be_anything(tmp_path: Path, name: str) -> None:
    line, above = DECLARATIONS[name]
    answers = verdicts(tmp_path / "k.cu", kernel(f"{INDEX}  {line}\n{STORE}", above))
    assert of(answers, "understood: line"), answers
    assert not {s for n, ss in answers.items() if "understood" in n for s in ss} - {"unknown"}


# -- names of types --------------------------------------------------------------------------------

SMALL_TYPES = {  # a type of 16 bits or one that is not known, and what stands above the kernel
    "one of two namespaces": ("a::idx_t", "namespace a { using idx_t = unsigned short; }\n"
        "namespace b { using idx_t = long; }\n"),
    "of a namespace that is not here": ("a::idx_t", "using idx_t = long;\n"),
    "of a nested namespace": ("a::b::idx_t", "namespace a { namespace b { typedef short idx_t; } }\n"
        "typedef long idx_t;\n"),
    "of one of two classes": ("A::idx_t", "struct A { typedef unsigned short idx_t; };\n"
        "struct B { typedef long idx_t; };\n"),
    "of a class that inherits it": ("B::idx_t", "struct A { typedef unsigned short idx_t; };\n"
        "struct B : A {};\ntypedef long idx_t;\n"),
    "one of two ways": ("idx_t",
        "#ifdef S\ntypedef unsigned short idx_t;\n#else\ntypedef long idx_t;\n#endif\n"),
    "in one way alone": ("idx_t",
        "#ifdef S\ntypedef long idx_t;\n#else\n#include <idx.h>\n#endif\n"),
    "a macro of two ways": ("idx_t",
        "#ifdef S\n#define idx_t unsigned short\n#else\n#define idx_t long\n#endif\n"),
    "a member of a template": ("typename W<unsigned short>::type",
        "template <class T> struct W { using type = T; };\n"),
    "an alias that is a template": ("id<unsigned short>",
        "template <class T> using id = T;\nusing idx = long;\n"),
    "a character": ("char16_t", ""),
    "a trait": ("std::make_unsigned_t<short>", ""),
    "what is declared of a number": ("decltype((unsigned short)0)", ""),
    "of the system": ("u_int16_t", ""),
    "of a header that is not here": ("idx_t", ""),
    "an alias of an alias": ("idx_t", "typedef unsigned short s16;\nusing idx_t = s16;\n"),
    "an alias that is used from a namespace": ("idx_t",
        "namespace a { using idx_t = unsigned short; }\nusing a::idx_t;\n"),
    "a namespace that is used": ("idx_t",
        "namespace a { using idx_t = unsigned short; }\nusing namespace a;\n"),
    "an enumeration's own": ("E", "enum E : unsigned short { FIRST };\n"),
    "the second of one typedef": ("idx_t", "typedef unsigned short other_t, idx_t;\n"),
    "an array": ("idx_t", "typedef unsigned short idx_t[1];\n"),
}  # fmt: skip

OVER = "__global__ void f(int* y, int n) {\n"

WIDE = CONTRACT.replace("t >= 0, t < 50, z >= -40, z < 40", "n >= 100000").replace(
    "//   x is s32[n]\n", ""
)


@pytest.mark.parametrize("name", SMALL_TYPES)
def test_a_type_that_is_not_known_proves_nothing(tmp_path: Path, name: str) -> None:
    type, above = SMALL_TYPES[name]
    body = f"  {type} i = blockIdx.x * blockDim.x + threadIdx.x;\n{STORE}"
    answers = verdicts(tmp_path / "k.cu", f"{above}{WIDE}{OVER}{body}}}\n")
    assert "proved" not in of(answers, "no race: store"), answers


HIDING = {  # the same in a function, where a local name hides another one
    "a typedef": "typedef unsigned short idx_t;\n",
    "an alias": "using idx_t = unsigned short;\n",
    "an alias in a block around it": "using idx_t = unsigned short; {\n",
    "a class": "struct idx_t { unsigned short v; };\n",
    "a using declaration": "using a::idx_t;\n",
    "an enumeration": "enum idx_t : unsigned short { FIRST };\n",
    "a template's parameter": "",
}


@pytest.mark.parametrize("name", HIDING)
def test_a_local_name_of_a_type_hides_others(tmp_path: Path, name: str) -> None:
    above = "typedef long idx_t;\nnamespace a { using idx_t = unsigned short; }\n"
    head = "template <typename idx_t> " if "template" in name else ""
    body = f"  {HIDING[name]}  idx_t i = blockIdx.x * blockDim.x + threadIdx.x;\n{STORE}"
    body += "}\n" * HIDING[name].count("{\n")
    answers = verdicts(tmp_path / "k.cu", f"{above}{WIDE}{head}{OVER}{body}}}\n")
    assert "proved" not in of(answers, "no race: store"), answers


WIDE_TYPES = {
    "one of two namespaces": ("b::idx_t", SMALL_TYPES["one of two namespaces"][1]),
    "of one of two classes": ("B::idx_t", SMALL_TYPES["of one of two classes"][1]),
    "of the file, beside one of a namespace": ("idx_t",
        "namespace a { using idx_t = short; }\ntypedef long idx_t;\n"),
    "the same in two ways": ("idx_t",
        "#ifdef S\ntypedef long idx_t;\n#else\ntypedef long idx_t;\n#endif\n"),
    "behind an include guard": ("idx_t", "#ifndef H\n#define H\ntypedef int idx_t;\n#endif\n"),
    "an alias of an alias": ("idx_t", "typedef int64_t wide;\nusing idx_t = wide;\n"),
    "a struct's name is no alias": ("int", "struct idx_t { short v; };\n"),
    "of the standard library": ("std::ptrdiff_t", ""),
    "of the system": ("u_int32_t", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE_TYPES)
def test_a_type_that_a_declaration_explains_is_that_type(tmp_path: Path, name: str) -> None:
    type, above = WIDE_TYPES[name]
    body = f"  {type} i = blockIdx.x * blockDim.x + threadIdx.x;\n{STORE}"
    answers = verdicts(tmp_path / "k.cu", f"{above}{WIDE}{OVER}{body}}}\n")
    assert {s for ss in answers.values() for s in ss} == {"proved"}, answers


ELSEWHERE = {  # other places in which a type that is not known stands
    "a parameter": "__global__ void f(int* y, idx_t n) {\n  if (threadIdx.x < n) y[n - 1] = 1;\n",
    "a cast": f"{OVER}  int i = (idx_t)(threadIdx.x + 70000);\n  if (i < n) y[i] = 1;\n",
    "a cast like a call": f"{OVER}  int i = idx_t(threadIdx.x + 70000);\n  if (i < n) y[i] = 1;\n",
    "a static cast": f"{OVER}  y[static_cast<idx_t>(threadIdx.x)] = 1;\n",
    "a result": f"__device__ idx_t g(int i) {{ return i; }}\n{OVER}  y[g(threadIdx.x)] = 1;\n",
    "a result behind its name":
        f"__device__ auto g(int i) -> idx_t {{ return i; }}\n{OVER}  y[g(threadIdx.x)] = 1;\n",
    "a parameter of a function":
        f"__device__ int g(idx_t i) {{ return i; }}\n{OVER}  y[g(threadIdx.x)] = 1;\n",
    "a field": "struct P { idx_t n; };\n__global__ void f(int* y, int n, P p) {\n  y[p.n] = 1;\n",
    "an object that is not known":
        "__global__ void f(int* y, int n, Params p) {\n  if (p.n == 0) y[p.n] = 1;\n",
}  # fmt: skip


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_type_that_is_not_known_is_no_number_anywhere(tmp_path: Path, name: str) -> None:
    above, _, code = ELSEWHERE[name].rpartition("__global__")
    answers = verdicts(tmp_path / "k.cu", f"{above}{WIDE}__global__{code}}}\n")
    assert "proved" not in of(answers, "in bounds"), answers


# -- what may store anywhere -----------------------------------------------------------------------

WRITER = """struct W {
  int* p; int at;
  __device__ W(int* q) : p(q), at(0) {}
  __device__ W& operator=(int v) { p[v] = 1; return *this; }
  __device__ W& operator+=(int v) { p[v] = 1; return *this; }
  __device__ W& operator[](int v) { at = v; return *this; }
  __device__ void operator()(int v) { p[v] = 1; }
  __device__ operator int() const { p[99] = 1; return 0; }
  __device__ void set(int v) { p[v] = 1; }
  __device__ ~W() { p[98] = 1; }
};
struct PAIR { int a; int b; };
struct LINK { int* p; };
"""

STORING = {  # each stores behind the end of y, or may
    "an assignment of a class": "W w(y); w = n;",
    "a sum of a class": "W w(y); w += n;",
    "a subscript of a class": "W w(y); w[n] = n;",
    "a call of a class": "W w(y); w(n);",
    "a conversion of a class": "W w(y); int v = w;",
    "a method": "W w(y); w.set(n);",
    "an object of its class alone": "W w = y;",
    "an object in braces": "W w{y};",
    "a structured binding": "PAIR p = {1, 2}; auto [a, b] = p; a = 3;",
    "a structured binding by reference": "auto& [a, b] = *(PAIR*)(y + n); a = 3;",
    "a reference from a call": "int& r = place(n); r = 1;",
    "a call that is given a value": "place(n) = 1;",
    "a call that is counted up": "place(n)++;",
    "what a call points to": "*place_of(n) = 1;",
    "a part of what a call returns": "places(n)[0] = 1;",
    "a field of what a call returns": "places(n).a = 1;",
    "a field of what an address points to": "LINK* l = links(); l->p[n] = 1;",
    "a field that is given an address": "LINK l; l.p = y; l.p[n] = 1;",
    "an object that goes on": "LINK l; l.p = y; store_all(l);",
    "a swap": "std::swap(y[0], y[n]);",
    "a swap by hand": "exchange(y[0], y[n]);",
    "a copy": "memcpy(y + n, x, 4);",
    "a copy of the library": "std::copy(x, x + 2, y + n);",
    "a function that is not here": "fill_with(y, n);",
    "a function that takes references": "bump(y[n]);",
    "a function that is given numbers": "store_at(n, 1);",
    "a function whose number is used": "int v = stored(n);",
    "a method of an address": "y->store(n);",
    "a lambda": "auto g = [&](int k) { y[k] = 1; }; g(n);",
    "a lambda that is called where it stands": "[&] { y[n] = 1; }();",
    "assembly": 'asm volatile("st.global.u32 [%0], %1;" :: "l"(y + n), "r"(1));',
    "a placement": "new (y + n) int(1);",
    "a delete": "delete y;",
    "a shift that may be a stream": "sink << n;",
    "a name that nobody declares": "counter = n;",
    "an array that nobody declares": "counters[n] = 1;",
    "an address of an address": "int* q = y; int** pp = &q; (*pp)[n] = 1;",
    "an address that is one of two": "int* q = z ? y : other; q[n] = 1;",
    "a member's address": "LINK l; int* LINK::*m = &LINK::p; (l.*m)[n] = 1;",
    "a statement in an expression": "int v = ({ y[n] = 1; 2; });",
    "the first of two": "int v = (y[n] = 1, 2);",
    "a value that is assigned in one": "int v = z = y[n] = 1;",
    "a union": "union { int* p; long l; } u; u.p = y; u.p[n] = 1;",
    "a class inside": "struct L { int* p; void go(int k) { p[k] = 1; } }; L l; l.p = y; l.go(n);",
    "a static variable": "static int at = 0; y[at] = 1; at += n;",
    "a variable of elsewhere": "extern __device__ int at; y[at] = 1;",
    "a choice of two stores": "z ? y[n] = 1 : y[0] = 2;",
    "the second of and": "z && (y[n] = 1);",
    "a loop over what is not here": "for (auto& v : range_of(y)) v = 1;",
    "an exception": "try { y[n] = 1; } catch (...) {}",
    "a jump": "goto end; y[0] = 1; end: y[n] = 1;",
    "a jump back": "int k = 0; again: y[k] = 1; k += n; if (k < 9) goto again;",
    "a macro with an operator": "SET_AT(y, n) = 1;",
    "a template's call": "store<int>(y, n);",
    "an atomic of a namespace": "cuda::atomic_ref<int> r(y[n]); r.store(1);",
}


@pytest.mark.sample(11)
@pytest.mark.parametrize("name", STORING)
def test_what_may_store_anywhere_is_never_all_proved(tmp_path: Path, name: str) -> None:
    body = f"{INDEX}  {STORING[name]}\n{STORE}"
    answers = verdicts(tmp_path / "k.cu", kernel(body, WRITER))
    refuted = "refuted" in of(answers, "in bounds")
    assert refuted or "unknown" in of(answers, "understood: line"), answers


HELD = """struct Complex {
  float re, im;
  __device__ Complex(float a, float b) : re(a), im(b) {}
  __device__ Complex operator+(const Complex& o) const { return Complex(re + o.re, im + o.im); }
  __device__ Complex& operator*=(float s) { re *= s; im *= s; return *this; }
  __device__ float norm() const { return sqrtf(re * re + im * im); }
};
template <class T> struct Four {
  T v[4];
  __device__ static Four zeros() { Four f; for (int k = 0; k < 4; k++) f.v[k] = 0; return f; }
  __device__ T& operator[](int k) { return v[k]; }
  __device__ int4 bits() const { int4 b; memcpy(&b, &v, sizeof(b)); return b; }
};
struct Plain { int a; float b[2]; };
__device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, 0, 0, 0); }
"""

CERTAIN = {  # what does nothing beside what it says
    "numbers of a class": "Complex c(1, 2); c *= 3; c = c + Complex(1, 0); float m = c.norm();",
    "a vector of a template": "Four<float> f = Four<float>::zeros(); f[2] = 3; f[1] += f[2];",
    "its bits": "Four<int> f = Four<int>::zeros(); int4 b = f.bits(); b.x = 2;",
    "a plain class": "Plain p = {1, {2, 3}}; p.a = 4; p.b[1] = 5; Plain q = p; q = p;",
    "vectors": "float4 v = make_float4(1, 2, 3, 4); v.x += 2; v = v + v; float w = v.y / v.x;",
    "halves": "half2 h = __float2half2_rn(1); h = h + h; __half a = __low2half(h);",
    "functions of the language": "float m = fmaxf(1, __expf(2)) + __shfl_xor_sync(~0u, 3.f, 1);",
    "groups": "auto b = cg::this_thread_block(); b.sync(); auto t = cg::tiled_partition<32>(b);\n"
    "  float s = t.shfl_down(1.0f, 2) + t.thread_rank();",
    "own arrays": "int a[4] = {1, 2}; a[1] = 3; a[2]++; int* p = a; p[3] = 4;",
    "a reference to a part": "float4 v = make_float4(1, 2, 3, 4); float& r = v.x; r = 2;",
    "printing": 'printf("%d", i); assert(i >= 0);',
    "a name for a type": "typedef int number; number k = 3; using other = long; other l = k;",
}


@pytest.mark.parametrize("name", CERTAIN)
def test_what_does_nothing_else_stays_proved(tmp_path: Path, name: str) -> None:
    body = f"{INDEX}  {CERTAIN[name]}\n{STORE}"
    answers = verdicts(tmp_path / "k.cu", kernel(body, HELD))
    assert {s for ss in answers.values() for s in ss} == {"proved"}, answers


# -- barriers --------------------------------------------------------------------------------------

SHARED = """// symlayout: kernel grid (1,) block (256,)
//   y is s32[256]
//   where n <= 1048576
"""

BAR = "#ifdef A\n#define BAR {}\n#else\n#define BAR {}\n#endif\n"

CALLED = "#ifdef A\n#define BAR() {}\n#else\n#define BAR() {}\n#endif\n"

FUNCTIONS = (
    "#ifdef A\n__device__ void bar() {{ {} }}\n#else\n__device__ void bar() {{ {} }}\n#endif\n"
)

SYNC = "__syncthreads()"

WAITING = {  # what stands between two stores of which threads meet, and above the kernel
    "a macro that is a barrier in one way": ("BAR;", BAR.format(SYNC, "")),
    "a macro that is another thing in one way": ("BAR;", BAR.format(SYNC, "(void)0")),
    "a macro with parentheses in one way": ("BAR();", CALLED.format(SYNC, "")),
    "a fence in one way": ("BAR();", CALLED.format(SYNC, "__threadfence_block()")),
    "a function that is one in one way": ("bar();", FUNCTIONS.format(f"{SYNC};", "")),
    "a macro that is not here": ("BAR;", ""),
    "a function that is not here": ("bar();", ""),
    "some threads": (f"if (t < 128) {SYNC};", ""),
    "some threads in each of two": (f"if (t < 128) {{ {SYNC}; }} else {{ {SYNC}; }}", ""),
    "those that have not returned": (f"if (t > 200) return; {SYNC};", ""),
    "as often as a thread's number": (f"for (int k = 0; k < t; k++) {SYNC};", ""),
    "until a thread leaves": (f"for (int k = 0; k < 9; k++) {{ if (k == t) break; {SYNC}; }}", ""),
    "those that go on": (f"for (int k = 0; k < 9; k++) {{ if (k == t) continue; {SYNC}; }}", ""),
    "where a shared number says so": (f"if (s[0]) {SYNC};", ""),
    "where a thread's own number says so": (f"if (y[t]) {SYNC};", ""),
    "a part of a condition": (f"t < 10 && ({SYNC}, 1);", ""),
    "one of two": (f"t < 10 ? {SYNC} : (void)0;", ""),
}


@pytest.mark.parametrize("name", WAITING)
def test_a_barrier_that_not_all_come_to_orders_nothing(tmp_path: Path, name: str) -> None:
    between, above = WAITING[name]
    body = f"  __shared__ int s[256];\n  int t = threadIdx.x;\n  s[t] = 1;\n  {between}\n"
    body += "  s[255 - t] = 2;\n"
    text = f"{above}{SHARED}__global__ void f(int* y, int n) {{\n{body}}}\n"
    answers = verdicts(tmp_path / "k.cu", text)
    assert of(answers, "and in line") == {"unknown"}, answers


MET = {
    "a barrier": (f"{SYNC};", ""),
    "a macro that is one": ("BAR;", f"#define BAR {SYNC}\n"),
    "a macro with parentheses": ("BAR();", f"#define BAR() {SYNC}\n"),
    "a macro of two ways that are one": ("BAR;", BAR.format(SYNC, SYNC)),
    "a function": ("bar();", f"__device__ void bar() {{ {SYNC}; }}\n"),
    "where a block's number says so": (f"if (blockIdx.x < 1) {SYNC}; else {SYNC};", ""),
    "behind a return of whole blocks": (f"if (blockIdx.x > 0) return; {SYNC};", ""),
    "behind what threads do apart": (f"if (t < 9) y[t] = 1; {SYNC};", ""),
}


@pytest.mark.parametrize("name", MET)
def test_a_barrier_that_all_come_to_orders_what_is_around_it(tmp_path: Path, name: str) -> None:
    between, above = MET[name]
    body = f"  __shared__ int s[256];\n  int t = threadIdx.x;\n  s[t] = 1;\n  {between}\n"
    body += "  s[255 - t] = 2;\n"
    text = f"{above}{SHARED}__global__ void f(int* y, int n) {{\n{body}}}\n"
    answers = verdicts(tmp_path / "k.cu", text)
    assert "unknown" not in {s for ss in answers.values() for s in ss}, answers
    assert "refuted" not in of(answers, "no race: store of s")


# -- numbers without a sign ------------------------------------------------------------------------

UNSIGNED = """// symlayout: kernel grid (1,) block (1,)
//   y is s32[n]
//   where n <= 1048576, n >= 9, u >= 0, u < 100
__global__ void f(int* y, int n, unsigned u, size_t w) {
"""

WRAPS = {  # a store, and what `in bounds` is
    "a remainder by a power of two": ("y[(u - 1) % 8] = 1;", {"proved"}),
    "a mask": ("y[(u - 1) & 7] = 1;", {"proved"}),
    "a remainder of a product": ("y[(u * u - 5 * u) % 4] = 1;", {"proved"}),
    "a remainder of a variable": ("unsigned d = u - 1; y[d % 8u] = 1;", {"proved"}),
    "a remainder of 64 bits": ("y[(w - 1) % 8] = 1;", {"proved"}),
    "behind the end all the same": ("y[n + (u - 1) % 8] = 1;", {"refuted"}),
    "another remainder": ("y[(u - 1) % 7] = 1;", {"unknown"}),
    "a condition": ("if (u - 2 < 2u) y[u - 2] = 1;", {"unknown"}),
    "where a condition is false": ("unsigned d = u - 2; if (d < 200) y[0] = 1; else y[n] = 2;",
        {"unknown"}),
    "the smaller of two": ("y[min(u - 1, 8u)] = 1;", {"unknown"}),
    "a loop's first number": ("for (unsigned k = u - 1; k < 9; k++) y[k] = 1;", {"unknown"}),
    "a number that is widened": ("long d = u - 1; if (d > 100) y[n] = 1;", {"unknown"}),
}  # fmt: skip


@pytest.mark.parametrize("name", WRAPS)
def test_what_wraps_is_no_counterexample(tmp_path: Path, name: str) -> None:
    body, statuses = WRAPS[name]
    answers = verdicts(tmp_path / "k.cu", f"{UNSIGNED}  {body}\n}}\n")
    assert of(answers, "in bounds") == statuses, answers


RESTING = {  # what may leave its type, and whether `in bounds` fails before it does
    "a square": ("int d = n * n; y[d % 9] = 1;", {"unknown"}),
    "a square that is never below 0": ("int d = n * n; if (d < 0) y[n] = 1;", {"unknown"}),
    "behind the end at small sizes": ("y[n * n - n * n + n] = 1;", {"refuted"}),
    "a counter": ("for (int k = 0; k < n + 2147480000; k++) if (k < 0) y[k] = 1;", {"unknown"}),
    "a divisor that may be below 0": ("int d = n - 20; if (d) y[8 / d] = 1;", {"unknown"}),
}


@pytest.mark.parametrize("name", RESTING)
def test_a_claim_that_rests_on_what_is_refuted_is_not_known(tmp_path: Path, name: str) -> None:
    body, statuses = RESTING[name]
    answers = verdicts(tmp_path / "k.cu", f"{UNSIGNED}  {body}\n}}\n")
    assert of(answers, "in bounds") == statuses, answers


def test_what_rests_on_an_expected_refutation_is_expected(tmp_path: Path) -> None:
    note = '// symlayout: expect refuted "no overflow" because "a square"\n  '
    path = tmp_path / "k.cu"
    path.write_text(f"{UNSIGNED}  {note}y[n * n % 9] = 1;\n}}\n")
    report = check([str(path)])
    assert {r.outcome.status for r in report.results} == {"proved", "refuted", "unknown"}
    assert report.exit_code == 0


def test_more_facts_are_those_of_what_a_claim_rests_on(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(f"{UNSIGNED}  y[n * n % 9] = 1;\n}}\n")
    report = check([str(path)], where="n <= 1000")
    assert {r.outcome.status for r in report.results} == {"proved"}


# -- numbers of tables ------------------------------------------------------------------------------

TABLES = """// symlayout: kernel grid (B,) block (1,)
//   off is s64[B+1] below S + 1
//   t is s32[B] below S
//   c is u8[B] below S
//   y is s32[S]
//   where S <= 1099511627776, B <= 65535, S >= 300
__global__ void f(const long* off, const int* t, const unsigned char* c, int* y, long S, int B) {
  long b = off[blockIdx.x], e = off[blockIdx.x + 1];
  int k = t[blockIdx.x];
"""

OF_TABLES = {
    "a mask with a difference of 64 bits": "if (e > b && e - b <= 256) y[(int)(e - b) * 1000 % 4] = 1;",
    "a mask with a difference in a sum": "int l = 5; if (l < e - b) y[b + l] = 1;",
    "one less than a number of 32 bits": "if (k > 0) y[k - 1] = 1;",
    "one more than a number of 32 bits": "if (k < 99) y[k + 1] = 1;",
    "a number of 8 bits": "y[c[blockIdx.x]] = 1;",
    "a product of a number of 8 bits": "int v = c[blockIdx.x] * 8000000; if (v > 0) y[v % 7] = 1;",
}


@pytest.mark.parametrize("name", OF_TABLES)
def test_a_number_of_a_table_is_one_of_its_type(tmp_path: Path, name: str) -> None:
    answers = verdicts(tmp_path / "k.cu", f"{TABLES}  {OF_TABLES[name]}\n}}\n")
    assert of(answers, "in bounds") | of(answers, "no overflow") == {"proved"}, answers


def test_a_number_of_a_table_may_still_be_its_largest(tmp_path: Path) -> None:
    answers = verdicts(tmp_path / "k.cu", f"{TABLES}  if (k >= 0) y[(k + 1) * 0] = k;\n}}\n")
    assert of(answers, "in bounds: store") == {"proved"}
    body = "if (k + 1 > 0) y[0] = k;"
    answers = verdicts(tmp_path / "k.cu", f"{TABLES}  {body}\n}}\n")
    assert of(answers, "no overflow: mask of the store") == {"refuted"}
