"""Kernels in C that were proved, or refuted, and should not have been: definedness, limits, types.

Each case is a whole file.  The verdicts are those that `check` prints.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from symlayout.checks.runner import check
from symlayout.programs.kernels import obligations, rolling

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


# -- what is undefined ------------------------------------------------------------------------------

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


# -- limits -----------------------------------------------------------------------------------------

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


# -- literals ---------------------------------------------------------------------------------------

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


# -- many stores ------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("seed", range(6))
def test_many_stores_are_told_the_same_as_every_pair_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = Random(seed)
    steps = [rng.choice([1, 1, 2, 3]) for _ in range(7)]
    places = [sum(steps[:k]) for k in range(7)]
    if seed % 2:
        places[rng.randrange(7)] = rng.choice(places)
    rng.shuffle(places)
    row = max(places) + 1 - (seed == 4)
    stores = [f"  if (i < n) y[i * {row} + {at}] = 1;" for at in places]
    text = kernel(INDEX + "\n".join(stores)).replace("y is s32[n]", f"y is s32[n,{row}]")
    every = verdicts(tmp_path / "k.cu", text)
    monkeypatch.setattr(rolling, "MANY", 4)
    monkeypatch.setattr(obligations, "PAIRS", 19)
    together = verdicts(tmp_path / "k.cu", text)
    assert len(together) < len(every)
    for part in ("no race", "in bounds"):
        assert of(together, part) == of(every, part)


def test_pairs_that_are_all_unlike_are_not_known(tmp_path: Path) -> None:
    stores = [f"y[i * {k * k + 2} % {k + 2}] = 1;" for k in range(26)]
    answers = verdicts(tmp_path / "k.cu", kernel("\n".join([INDEX, *stores])))
    assert of(answers, "no race: stores of y") == {"unknown"}


# -- what is no certain declaration -------------------------------------------------------------------

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


# -- names of types -------------------------------------------------------------------------------------

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
WIDE = CONTRACT.replace("t >= 0, t < 50, z >= -40, z < 40", "n >= 100000").replace("//   x is s32[n]\n", "")


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
