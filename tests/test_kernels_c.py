"""Kernels in C: what the reader says is what they do, contracts hold or fail at their lines."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest

from symlayout import check
from symlayout.__main__ import main

EXAMPLES = Path(__file__).parents[1] / "examples" / "kernels"

# -- contracts -------------------------------------------------------------------------------------

CONTRACT = (
    "// symlayout: kernel grid (cdiv(n, B),) block (B,)\n//   x is f32[n]\n"
    "//   y is f32[n] written once\n//   where n <= 1073741824, B <= 1024\n"
)

COPY = (
    "template <int B>\n__global__ void copy(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * B + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}\n"
)

CHANGES = {
    "nothing": ("copy", "copy", ""),
    "no mask": ("if (i < n) ", "", "in bounds: store of y in line 8"),
    "one too far": ("x[i]", "x[i + 1]", "in bounds: load of x in line 8"),
    "a block left out": ("cdiv(n, B)", "n // B", "written once: store of y in line 8"),
    "one block alone": ("blockIdx.x * B + ", "", "written once: store of y in line 8"),
    "large": ("n <= 1073741824", "n <= 4294967295", "no overflow: mask of the load of x"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("change", CHANGES)
def test_one_change_in_the_code_changes_the_verdict(tmp_path: Path, change: str) -> None:
    old, new, claim = CHANGES[change]
    text = CONTRACT + COPY
    assert old in text
    file = tmp_path / "k.cu"
    file.write_text(text.replace(old, new))
    made = [(r.task.name, r.outcome.status) for r in check([str(file)]).results]
    refuted = [name for name, status in made if status == "refuted"]
    assert bool(refuted) == bool(claim), made
    assert not claim or any(claim in name for name in refuted)


@pytest.mark.explore
def test_the_examples_are_as_they_say() -> None:
    report = check([str(EXAMPLES / "tiles.cu")])
    assert report.problems == ()
    assert [(r.task.name, r.outcome) for r in report.results if not r.as_expected] == []
    assert {r.outcome.status for r in report.results} == {"proved", "refuted"}


SHARED = (
    "// symlayout: kernel grid (1,) block (64,)\n//   x is f32[64]\n"
    "__global__ void f(const float* x, int n) {\n  __shared__ float s[64];\n  BODY\n}\n"
)

RACES = {
    "s[threadIdx.x] = x[0];": "proved",
    "s[threadIdx.x / 2] = x[0];": "refuted",
    "s[threadIdx.x] = 0; __syncthreads(); s[63 - threadIdx.x] = 1;": "proved",
    "s[threadIdx.x] = 0; s[63 - threadIdx.x] = 1;": "refuted",
    "for (int k = 0; k < n; ++k) { s[threadIdx.x] = k; __syncthreads(); }": "proved",
    "for (int k = 0; k < n; ++k) { s[(threadIdx.x + k) % 64] = k; }": "refuted",
    "s[threadIdx.x] = 0; if (n > 4) __syncthreads(); s[63 - threadIdx.x] = 1;": "refuted",
    "if (n > 4) { s[threadIdx.x] = 0; __syncthreads(); s[63 - threadIdx.x] = 1; }": "proved",
    "for (int k = 0; k < n; ++k) { s[(threadIdx.x + k) % 64] = k; if (k) __syncthreads(); }": "unknown",
}


@pytest.mark.parametrize("body", RACES)
def test_threads_of_a_block_meet_unless_a_barrier_is_between(tmp_path: Path, body: str) -> None:
    file = tmp_path / "k.cu"
    file.write_text(SHARED.replace("BODY", body))
    made = {r.task.name: r.outcome.status for r in check([str(file)]).results}
    races = {status for name, status in made.items() if "no race" in name}
    assert RACES[body] in races, made
    assert RACES[body] != "proved" or races == {"proved"}


ENDS = (
    "for (int k = 0; k < n; ++k) { s[threadIdx.x] = 0; __syncthreads(); s[0] = 1; }",
    "if (n > 4) { __syncthreads(); s[threadIdx.x] = 0; } s[63 - threadIdx.x] = 1;",
)


@pytest.mark.parametrize("body", ENDS)
def test_what_a_barrier_may_not_keep_apart_is_unknown(tmp_path: Path, body: str) -> None:
    file = tmp_path / "k.cu"
    file.write_text(SHARED.replace("BODY", body))
    made = {r.task.name: r.outcome for r in check([str(file)]).results}
    (outcome,) = (o for name, o in made.items() if "and in line" in name)
    assert outcome.status == "unknown"
    assert "a barrier may not stand between them" in outcome.reason


def test_threads_need_their_number_in_the_contract(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(CONTRACT.replace(" block (B,)", "") + COPY)
    (problem,) = check([str(file)]).all_problems
    assert "has threads, and the contract does not say how many" in problem.message


@pytest.mark.explore
def test_a_constant_from_elsewhere_needs_a_fact(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    text = (CONTRACT + COPY).replace("template <int B>", "").replace("* B +", "* WIDTH +")
    file.write_text(text)
    made = {r.task.name: r.outcome.status for r in check([str(file)]).results}
    assert made["copy: understood: line 6"] == "unknown"
    file.write_text(text.replace("B <= 1024", "B <= 1024, WIDTH == B"))
    assert not any("understood" in r.task.name for r in check([str(file)]).results)


# -- doors -----------------------------------------------------------------------------------------


def test_without_the_extra_a_contract_is_an_error_unless_that_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.cu").write_text(CONTRACT + COPY)
    (tmp_path / "a.py").write_text(
        '# symlayout: formula "f32[M,N]{1,0}" coords r, c\nx = r * N + c\n'
    )
    with patch.dict("sys.modules", {"tree_sitter": None}):
        assert main(["check", str(tmp_path / "k.cu"), "--no-cache"]) == 2
        assert "pip install 'symlayout[c]'" in capsys.readouterr().err
        assert main(["check", str(tmp_path), "--no-cache"]) == 2
        captured = capsys.readouterr()
        assert "k.cu:1:14: error: SL509" in captured.err
        assert "2 files (1 proved): 1 as expected, 1 error" in captured.out
        assert main(["check", str(tmp_path), "--no-cache", "--allow-empty"]) == 0
        assert "contracts of kernels are left out" in capsys.readouterr().out
        assert main(["accesses", str(tmp_path / "k.cu")]) == 2
        assert "pip install 'symlayout[c]'" in capsys.readouterr().err
        assert main(["scan", str(tmp_path), "--json"]) == 0
        (skipped,) = json.loads(capsys.readouterr().out)["skipped"]
        assert "tree-sitter" in skipped["reason"]


@pytest.mark.parametrize(
    "line", ['#define ALL "/*"', '#define ALL \\\n  "/*"', "#define Q '/*' \"/*\""]
)
def test_a_string_of_a_macro_hides_no_kernel(tmp_path: Path, line: str) -> None:
    """Another kernel would be taken for the one below the contract."""
    right = (
        "__global__ void right(float* x, int n) {\n  if (threadIdx.x < n) x[threadIdx.x] = 0;\n}\n"
    )
    wrong = right.replace("right", "wrong").replace("< n", "<= n")
    contract = "// symlayout: kernel grid (1,) block (256,)\n//   x is f32[n]\n"
    (tmp_path / "k.cu").write_text(f"{line}\n{contract}{wrong}/* the end */\n{right}")
    made = {r.task.name: r.outcome.status for r in check([str(tmp_path)]).results}
    assert made["wrong: in bounds: store of x in line " + str(5 + line.count("\n"))] == "refuted"


def test_a_name_that_no_file_can_have_is_included_by_nobody(tmp_path: Path) -> None:
    text = f'#include "{"x" * 300}.h"\n{CONTRACT}{COPY}'
    (tmp_path / "k.cu").write_text(text)
    assert check([str(tmp_path)]).exit_code == 0


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("tail", [" */", "\n */", "\n *\n **/"])
@pytest.mark.parametrize("lead", [" * ", "   ", " *\n *   "])
def test_a_contract_in_a_block_comment(tmp_path: Path, end: str, tail: str, lead: str) -> None:
    lines = ["/* symlayout: kernel grid (cdiv(n, 256),) block (256,)", f"{lead}x is f32[n]"]
    text = "\n".join(
        [*lines, f"{lead}where n <= 1048576{tail}", "__global__ void f(float* x, int n) {"]
    )
    text += "\n  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) x[i] = 0;\n}\n"
    (tmp_path / "k.cu").write_bytes(text.replace("\n", end).encode())
    report = check([str(tmp_path)])
    assert (report.exit_code, len(report.results) >= 3) == (0, True)
    (tmp_path / "k.cu").write_bytes(text.replace("n <= 1048576", "n <= 4, n >= 5").encode())
    assert check([str(tmp_path)]).exit_code == 1  # the fact is read


def test_a_scan_reads_cuda(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.cu"
    text = (
        "__global__ void rows(const float* x, float* y, int stride, int n) {\n"
        "  int r = blockIdx.x;\n"
        "  for (int c = threadIdx.x; c < n; c += blockDim.x)\n"
        "    y[(int64_t)r * stride + c] = x[r * stride + c];\n}\n"
    )
    file.write_text(text)
    assert main(["scan", "--json", str(file)]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["kind"], found["line"]) == ("overflow", 4)
    assert "(int64_t)" in found["suggestion"]
    file.write_text(text.replace("x[r *", "x[(size_t)r *"))
    assert main(["scan", str(file)]) == 0


STRIDED = (
    "// symlayout: kernel grid (8,) block (256,)\n//   y is f32[n] written once\n"
    "//   where n <= 1048576\n__global__ void fill(float* y, int n) {\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
    "    y[i] = 0;\n}\n"
)


@pytest.mark.explore
def test_a_loop_over_the_grid_stays_in_bounds_and_writes_once(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    for old, new, status in (
        ("y[i]", "y[i]", "proved"),
        ("i < n", "i <= n", "refuted"),
        ("i += gridDim.x", "i += 4", "refuted"),
    ):
        file.write_text(STRIDED.replace(old, new))
        made = {r.task.name: r.outcome.status for r in check([str(file)]).results}
        assert made["fill: written once: store of y in line 6"] == status
        if "<= n" in new or status == "proved":
            assert made["fill: in bounds: store of y in line 6"] == status


# the stores of one thread to an array of some size, and where they are
TOGETHER = {
    "the first and then a loop": (
        "y[0] = 0; for (int i = 1; i < n; i++) y[i] = 0;",
        lambda n: [0, *range(1, n)],
    ),
    "two loops and one between": (
        "for (int i = 0; i < n - 1; i++) y[i] = 0; y[n - 1] = 0;",
        lambda n: [*range(n)],
    ),
    "a loop and twice the last": (
        "for (int i = 0; i < n; i++) y[i] = 0; y[n - 1] = 0;",
        lambda n: [*range(n), n - 1],
    ),
    "a loop that leaves the last": (
        "y[0] = 0; for (int i = 1; i < n - 1; i++) y[i] = 0;",
        lambda n: [0, *range(1, n - 1)],
    ),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_stores_are_together_what_they_are_also_where_a_loop_has_no_turn(
    tmp_path: Path, case: str
) -> None:
    body, places = TOGETHER[case]
    file = tmp_path / "k.cu"
    file.write_text(
        "// symlayout: kernel grid (1,) block (1,)\n//   y is f32[n] written once\n"
        "//   where n <= 999\n"
        f"__global__ void f(float* y, int n) {{ {body} }}\n"
    )
    whole = [all(sorted(places(n)) == [*range(n)] for n in range(1, 9))]
    made = [r.outcome for r in check([str(file)]).results if "all of y" in r.task.name]
    assert [o.status for o in made] == ["proved" if w else "refuted" for w in whole]
    for o in made:
        if o.status == "refuted":
            n = o.counterexample["sizes"]["n"]
            assert sorted(places(n)) != [*range(n)]


def test_what_a_line_that_is_not_followed_may_store_is_not_missed(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    for line, status in (("", "refuted"), ("foo(y);", "unknown")):
        file.write_text(
            "// symlayout: kernel grid (1,) block (1,)\n//   y is f32[n] written once\n"
            f"__global__ void f(float* y, int n) {{ y[0] = 0; {line} }}\n"
        )
        made = {r.outcome.status for r in check([str(file)]).results if "once" in r.task.name}
        assert status in made
        assert ("refuted" in made) == (status == "refuted")


@pytest.mark.parametrize(
    ("constant", "status"),
    [
        ("constexpr int K = 10;", "proved"),
        ("constexpr long K = 10;", "proved"),
        ("enum { K = 10 };", "proved"),
        ("constexpr unsigned K = 10;", "refuted"),
        ("static const size_t K = 10;", "refuted"),
        ("using Count = uint32_t;\nconst Count K = 10;", "refuted"),
        ("const unsigned J = 10, K = 10;", "refuted"),
    ],
)
def test_a_constant_of_a_file_has_the_type_that_it_is_declared_with(
    tmp_path: Path, constant: str, status: str
) -> None:
    head = "// symlayout: kernel grid (1,) block (64,)\n//   y is f32[n]\n"
    body = "  if (n - K > 5 && threadIdx.x < 16) y[threadIdx.x] = 0;"
    file = tmp_path / "k.cu"
    file.write_text(f"{constant}\n{head}__global__ void f(float* y, int n) {{\n{body}\n}}\n")
    assert status in {r.outcome.status for r in check([str(file)]).results}
    assert check([str(file)]).exit_code == (status == "refuted")


TYPED = {  # what stands in the file, and a number that is compared with 5: (of an int, of no sign)
    "a result": ("__device__ {} g() {{ return 10; }}", "n - g()"),
    "a result of an argument": ("__device__ {} g(int a) {{ return a; }}", "g(n - 10)"),
    "an enumeration": ("enum E : {} {{ K = 10 }};", "n - K"),
    "a choice": ("", "n > 3 ? n - 10 : ({})4"),
    "a choice of a flag": ("template <bool F>", "F ? n - 10 : ({})4"),
    "a choice that is known": ("constexpr {} K = 4;", "true ? n - 10 : K"),
    "the other choice that is known": ("constexpr {} K = 4;", "0 ? K : n - 10"),
    "a choice of a constant": (
        "constexpr {} K = 4;\nconstexpr bool F = true;",
        "F ? n - 10 : K * 2",
    ),
}


@pytest.mark.parametrize("case", TYPED)
@pytest.mark.parametrize("word", ["int", "unsigned", "size_t", "uint32_t"])
def test_results_choices_and_enumerations_have_their_types(
    tmp_path: Path, case: str, word: str
) -> None:
    head, number = (x.format(word) for x in TYPED[case])
    contract = "// symlayout: kernel grid (1,) block (64,)\n//   y is f32[n]\n"
    template = head if head.startswith("template") else ""
    text = (
        f"{'' if template else head}\n{contract}{template} __global__ void f(float* y, int n) {{\n"
    )
    file = tmp_path / "k.cu"
    file.write_text(f"{text}  if (({number}) > 5 && threadIdx.x < 16) y[threadIdx.x] = 0;\n}}\n")
    statuses = {r.outcome.status for r in check([str(file)]).results}
    assert (statuses == {"proved"}) == (word == "int"), statuses


def test_a_choice_beside_a_call_that_is_never_made_is_not_followed(tmp_path: Path) -> None:
    head = "// symlayout: kernel grid (1,) block (64,)\n//   y is f32[n]\n"
    file = tmp_path / "k.cu"
    file.write_text(
        f"__device__ unsigned g(int a) {{ return a; }}\n{head}__global__ void f(float* y, int n) {{\n"
        "  if ((1 ? n - 10 : g(n)) > 5 && threadIdx.x < 16) y[threadIdx.x] = 0;\n}\n"
    )
    assert {r.outcome.status for r in check([str(file)]).results} != {"proved"}
    file.write_text(file.read_text().replace("g(n)", "7"))
    assert {r.outcome.status for r in check([str(file)]).results} == {"proved"}


def test_a_number_below_zero_is_large_beside_one_without_a_sign(tmp_path: Path) -> None:
    head = (
        "// symlayout: kernel grid (1,) block (64,)\n//   y is f32[n]\n//   where n <= 1000000\n"
        "__global__ void f(float* y, unsigned n) {\n  int i = (int)threadIdx.x - 1;\n"
    )
    file = tmp_path / "k.cu"
    file.write_text(f"{head}  if (i < n) y[i] = 0;\n}}\n")
    assert {r.outcome.status for r in check([str(file)]).results} == {"proved"}
    file.write_text(f"{head}  if (i < (int)n) y[i] = 0;\n}}\n")
    wrong = [r.task.name for r in check([str(file)]).results if r.outcome.status == "refuted"]
    assert wrong == ["f: in bounds: store of y in line 6"]


@pytest.mark.explore
def test_of_a_chain_of_equations_each_branch_has_its_own_left(tmp_path: Path) -> None:
    head = "// symlayout: kernel grid (1,) block (64,)\n//   y is f32[n + 100]\n"
    chain = "\n  else ".join(f"if (n == {k}) y[threadIdx.x + {k}] = 0;" for k in range(15))
    file = tmp_path / "k.cu"
    file.write_text(f"{head}__global__ void f(float* y, int n) {{\n  {chain}\n}}\n")
    results = check([str(file)]).results
    assert all("!=" not in r.task.claim.line for r in results)
    assert {r.outcome.status for r in results} == {"proved"}


@pytest.mark.parametrize(
    "body",
    [
        "switch (m) { case 1: if (m > 1) break; return; }",
        "if (int k = m) return;",
        "for (int i = 1; i < m; i = i * i + 3) { if (m > i) return; }",
        "try { if (m > 0) return; } catch (...) { }",
        "if (short(m) < 5) return;",
    ],
)
def test_what_is_not_followed_may_leave(body: str, tmp_path: Path) -> None:
    head = "// symlayout: kernel grid (1,) block (1,)\n//   x is f32[n]\n"
    file = tmp_path / "k.cu"
    file.write_text(f"{head}__global__ void f(float* x, int n, int m) {{ {body}\n  x[n] = 1;\n}}\n")
    made = check([str(file)]).results
    assert any("understood" in r.task.name for r in made)
    assert not any(r.outcome.status == "refuted" for r in made)


@pytest.mark.parametrize(
    ("grid", "block", "place", "status"),
    [
        ("n", "B", "blockIdx.x * B + threadIdx.x", "proved"),  # n is in the facts of a block alone
        ("cdiv(n, B)", "B", "threadIdx.x + blockIdx.x", "proved"),
        ("n", "B", "blockIdx.x", "refuted"),
        ("n", "1", "B - 1", "proved"),  # of one thread nothing is left to vary
        ("n", "1", "0", "proved"),
    ],
)
def test_stores_to_shared_memory_are_asked_of_one_block(
    grid: str, block: str, place: str, status: str, tmp_path: Path
) -> None:
    head = f"// symlayout: kernel grid ({grid},) block ({block},)\n//   where B <= 32, n <= 32\n"
    body = f"__shared__ float t[2048];\n  t[{place}] = 1;"
    file = tmp_path / "k.cu"
    file.write_text(f"{head}__global__ void f(int n, int B) {{ {body}\n}}\n")
    made = {r.task.name: r.outcome.status for r in check([str(file)]).results}
    assert made["f: no race: store of t in line 4"] == status
    assert "error" not in made.values()


def test_the_first_block_is_one_of_those_that_may_race(tmp_path: Path) -> None:
    """A mask is left out, and the range of a loop asks for the block's number, which may be 0."""
    head = "// symlayout: kernel grid (n,) block (B,)\n//   where 2 <= B, B <= 64, n <= 99\n"
    loop = "for (int j = blockIdx.x * B + threadIdx.x; j < B; j += n * B) t[0] = 1;"
    body = f"__shared__ float t[4];\n  if (blockIdx.x < n - m) {{\n  {loop}\n}}"
    file = tmp_path / "k.cu"
    file.write_text(f"{head}__global__ void f(int n, int B, int m) {{ {body}\n}}\n")
    made = {r.task.name: r.outcome.status for r in check([str(file)]).results}
    assert made["f: no race: store of t in line 5"] != "proved", made


NAMESAKES = {  # names of the language that a file, a foreign namespace or an object has, too
    "a store that is named like an atomic": ("atomic_push(x, n);", {"refuted"}),
    "a load of the file's own": ("float v = __ldcs(x);", {"refuted"}),
    "another least number": ("x[min(0, n)] = 1;", {"refuted"}),
    "a foreign atomic": ("any::atomicAdd(x, 1.0f);", {"unknown"}),
    "a foreign load": ("float v = any::__ldg(x);", {"unknown"}),
    "a foreign least number": ("if (n > 0) x[any::max(0, n - 1)] = 1;", {"unknown"}),
    "a method": ("if (n > 0) x[other.max(0, n - 1)] = 1;", {"unknown"}),
    "the file's function of another namespace": ("x[any::same(0)] = 1;", {"unknown"}),
    "the file's function by its namespace": ("x[own::same(0) + all::same(0)] = 1;", {"proved"}),
    "one for more types": ("atomicAdd(x, 1.0f);", {"proved"}),
    "the language's own": ("float v = ::__ldg(x); x[std::max(0, n - 1)] = v;", {"proved"}),
}


@pytest.mark.parametrize("name", NAMESAKES)
def test_names_of_the_language_are_its_own(tmp_path: Path, name: str) -> None:
    body, statuses = NAMESAKES[name]
    file = tmp_path / "k.cu"
    file.write_text(f"""__device__ void atomic_push(float* a, int n) {{ a[n] = 1; }}
__device__ float __ldcs(float* a) {{ return a[-1]; }}
__device__ int min(int a, int b) {{ return a + b; }}
__device__ double atomicAdd(double* a, double v) {{ return v; }}
namespace all::own {{ __device__ int same(int a) {{ return a; }} }}
// symlayout: kernel grid (1,) block (1,)
//   x is f32[n]
__global__ void f(float* x, int n) {{ {body} }}
""")
    results = check([str(file)]).results
    assert {r.outcome.status for r in results} - {"proved"} == statuses - {"proved"}
