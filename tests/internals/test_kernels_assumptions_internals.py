"""What the modules behind `tests/test_kernels_assumptions.py` promise each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_kernels_assumptions import ROWS, SUM, UNBOUNDED, kernel

from symlayout import check
from symlayout.__main__ import main
from symlayout.checks.report import json as as_json
from symlayout.checks.report import render
from symlayout.checks.result import Report
from symlayout.expr.facts import Facts
from symlayout.programs.kernels.access import Kernel, Span

DATA = Path(__file__).parents[1] / "data" / "contracts"

RIGHT = {  # a file, and what of it is not proved
    "vector_add.py": {},
    "grouped_matmul.py": {},
    "jagged.py": {},
    "launch_limit.cu": {"launch limit: grid.y": "refuted"},
    "strides.cu": {},
}


def statuses(report: Report) -> dict[str, str]:
    """The verdicts by the names of the claims."""
    assert report.problems == ()
    return {r.task.name: r.outcome.status for r in report.results}


@pytest.mark.sample(1)
@pytest.mark.parametrize("file", RIGHT)
def test_the_kernels_are_as_their_table_says(file: str) -> None:
    others = {n: s for n, s in statuses(check([str(DATA / file)])).items() if s != "proved"}
    assert len(others) == len(RIGHT[file]), others
    for part, status in RIGHT[file].items():
        assert [s for n, s in others.items() if part in n] == [status]


@pytest.mark.explore
def test_the_product_of_a_group_leaves_its_type(tmp_path: Path) -> None:
    text = (DATA / "grouped_matmul.py").read_text()
    assert "GROUP <= 16" in text
    path = tmp_path / "k.py"
    path.write_text(text.replace("GROUP <= 16", "GROUP <= 64"))
    answers = statuses(check([str(path)]))
    overflow = {s for n, s in answers.items() if "no overflow: mask" in n}
    assert overflow == {"refuted"}, answers
    resting = {s for n, s in answers.items() if "in bounds" in n or "store of c_ptr" in n}
    assert "proved" not in resting, answers


HOLDS = {  # what is proved with assumptions, and is not without them
    "vector add": kernel("if (i < n) y[i] = 1;"),
    "a sum of two": kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;"),
    "a number of a launch": kernel(
        "if (threadIdx.x == 0 && blockIdx.x < n) y[blockIdx.x] = 1;", "long long n", grid="G,"
    ),
    "three times an unsigned size": kernel(
        "unsigned j = u * 3; if (i < n && j > 0) y[i] = 1;", "int n, unsigned u"
    ),
    "a row of a matrix in 64 bits": kernel(
        "long long r = blockIdx.x; y[r * n + threadIdx.x] = 1;",
        "int n",
        "where n >= 256",
        grid="m,",
        array="f32[m,n]",
    ),
}


@pytest.mark.parametrize("name", HOLDS)
def test_a_contract_without_bounds_is_proved(tmp_path: Path, name: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(HOLDS[name])
    answers = statuses(check([str(path)]))
    assert {*answers.values()} == {"proved"}, answers


ATTACKS = {  # a kernel, part of a claim's name, and what it must be
    "a size of 64 bits": (
        kernel("if (i < n) y[i] = 1;", "long long n"),
        "no overflow", "refuted",
    ),
    "a size of 64 bits without a sign": (
        kernel("if (i < n) y[i] = 1;", "size_t n"),
        "no overflow", "refuted",
    ),
    "a product of two sizes": (
        kernel("int j = i * n; if (i < m) y[j] = 1;", "int n, int m", array="f32[m,n]",
               grid="cdiv(m, 256),"),
        "no overflow: store", "refuted",
    ),
    "an array of as many elements as a product": (
        kernel("int j = i * n; if (i < m) y[j] = 1;", "int n, int m", array="f32[m*n]",
               grid="cdiv(m, 256),"),
        "no overflow: store", "refuted",
    ),
    "an array of three extents": (
        kernel("if (i < a) y[i * b * c] = 1;", "int a, int b, int c", "where c == 4",
               array="f32[a,b,c]", grid="cdiv(a, 256),"),
        "no overflow: store", "refuted",
    ),
    "a bound above the assumption": (
        kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;", "int n", "where n <= 2147483647"),
        "no overflow", "refuted",
    ),
    "a least size above the assumption": (
        kernel("int j = n + n; if (i < n && j > 0) y[i] = 1;", "int n", "where n >= 1200000000"),
        "no overflow", "refuted",
    ),
    "alternatives above the assumption": (
        kernel("int j = n + n; if (i < n && j > 0) y[i] = 1;", "int n",
               "where n in {5, 2000000000}"),
        "no overflow", "refuted",
    ),
    "a size below 0": (
        kernel("int j = m - 7; if (i < n && j < 0) y[i] = 1;", "int n, int m",
               "where m >= -2147483648"),
        "no overflow", "refuted",
    ),
    "two sizes of the most": (
        kernel("int j = n + m; if (i < n && j > 0) y[i] = 1;", "int n, int m"),
        "no overflow", "refuted",
    ),
    "four times an unsigned size": (
        kernel("unsigned j = u * 4; if (i < n && j > 0) y[i] = 1;", "int n, unsigned u"),
        "no overflow", "refuted",
    ),
    "a launch of more rows than an axis has": (
        kernel("if (i < n) y[blockIdx.y * (long long)n + i] = 1;", "int n, int m",
               grid="cdiv(n, 256), m", array="f32[m,n]"),
        "launch limit: grid.y", "refuted",
    ),
    "rows of a launch that equal a size": (
        kernel("if (i < n) y[blockIdx.y * (long long)n + i] = 1;", "int n, int m",
               "where G == m", grid="cdiv(n, 256), G", array="f32[m,n]"),
        "launch limit: grid.y", "refuted",
    ),
    "a block of too many threads": (
        kernel("y[(blockIdx.x * 64 + threadIdx.y) * 32 + threadIdx.x] = 1;", "int n",
               grid="n,", block="32, 64", array="f32[n,64,32]"),
        "launch limit: the threads of a block", "refuted",
    ),
    "a block that is too deep": (
        kernel("y[blockIdx.x * 128 + threadIdx.z] = 1;", "int n",
               "where n <= 100", grid="n,", block="1, 1, 128", array="f32[n,128]"),
        "launch limit: block.z", "refuted",
    ),
    "a launch that an extent makes too wide": (
        kernel("y[blockIdx.x * 1024 + threadIdx.x] = 1;", "int n", "where n <= 4",
               grid="n,", block="B,", array="f32[n,B]"),
        "launch limit: block.x", "refuted",
    ),
    "rows that only the array has": (
        kernel("y[blockIdx.x * 256 + threadIdx.x] = 1;", "int n", grid="R,", array="f32[R,256]"),
        "no overflow: store", "refuted",
    ),
    "what is loaded": (
        kernel("int v = (int)y[i]; if (i < n && v > 0) y[v * 4] = 1;"),
        "no overflow: store", "refuted",
    ),
    "a product that is cut": (
        kernel("long long k = (long long)i * s; int j = (int)k; if (i < n && j >= 0) y[j] = 1;",
               "int n, long long s", array="f32[n,s]"),
        "no overflow", "refuted",
    ),
    "facts that contradict each other": (
        kernel("if (i < n) y[i] = 1;", "int n", "where n <= 5, n >= 7"),
        "in bounds", "vacuous",
    ),
    "an assumption that other facts exclude": (
        kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;", "int n, int m",
               "where n == 2*m, m >= 1000000000"),
        "no overflow", "vacuous",
    ),
    "nothing is assumed": (
        kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;", "int n", "assume none"),
        "no overflow", "refuted",
    ),
    "a proof that rests on what is refuted": (
        kernel("unsigned d = u - 2; if (d < 200) y[0] = 1; else y[n - 1] = 2;", "int n, unsigned u",
               grid="1,", block="1,"),
        "no race: store", "unknown",
    ),
}  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ATTACKS)
def test_no_assumption_proves_what_is_false(tmp_path: Path, name: str) -> None:
    text, part, status = ATTACKS[name]
    path = tmp_path / "k.cu"
    path.write_text(text)
    answers = statuses(check([str(path)]))
    own = {s for n, s in answers.items() if part in n}
    assert status in own, answers
    assert own != {"proved"}, answers


def test_an_assumption_is_a_fact_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    report = check([str(path)])
    rows = {c["name"]: c for c in as_json.data(report)["claims"]}
    (row,) = [c for n, c in rows.items() if "no overflow: mask" in n]
    assert row["assumed"] == ["n <= 1073741824"]
    assert {*row["assumed"]} <= {*row["where"]}
    assert all("assumed" not in c for n, c in rows.items() if "in bounds" in n)
    text = render(report, "full")
    assert text.count("assumed where a contract gives no bound") == 1
    bounded = kernel("if (i < n) y[i] = 1;", "int n", "where n <= 1000")
    path.write_text(bounded)
    assert "assumed" not in render(check([str(path)]), "full")


SCANS = {  # options, the setting, and how many findings there are
    "the default": ([], "", 1),
    "by name": (["--assume", "default"], "none", 1),
    "nothing": (["--assume", "none"], "", 1),
    "nothing by the settings": ([], "none", 1),
    "small sizes": (["--max-size", "100"], "", 0),
    "small sizes alone": (["--max-size", "100", "--assume", "none"], "", 0),
    "small arrays alone": (["--max-elements", "1000", "--assume", "none"], "none", 0),
}


@pytest.mark.parametrize("name", SCANS)
def test_scan_takes_the_words_of_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from symlayout.programs.kernels.scan import finding

    options, setting, findings = SCANS[name]
    (tmp_path / "k.py").write_text(ROWS)
    if setting:
        text = f'[tool.symlayout]\nassume = "{setting}"\n'
        (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    asked = set()
    own = finding.Limits.of

    def of(limits: finding.Limits, kernel: Kernel, size: str) -> int:
        asked.add(own(limits, kernel, size))
        return own(limits, kernel, size)

    monkeypatch.setattr(finding.Limits, "of", of)
    assert main(["scan", "k.py", *options]) == (1 if findings else 0)
    none = "none" in options or (setting == "none" and "default" not in options)
    most = 100 if "--max-size" in options else 2**31 - 1 if none else 2**30
    assert asked <= {most}
    assert asked or "--max-elements" in options


def test_sizes_of_64_bits_are_larger() -> None:
    from symlayout.programs.kernels.scan.finding import UNBOUNDED, Limits

    one = Kernel("f", Span(1), ("n", "m", "u"), wide=("m",), unsigned=("u",))
    assert [Limits().of(one, n) for n in ("n", "m", "u", "k")] == [2**30, 2**36, 2**30, 2**30]
    wide = [2**31 - 1, 2**62, 2**32 - 1, 2**62]
    assert [UNBOUNDED.of(one, n) for n in ("n", "m", "u", "k")] == wide


def test_the_cache_tells_claims_under_assumptions_from_others(tmp_path: Path) -> None:
    from symlayout.checks.cache import key

    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    keys = [{key(r.task) for r in check([str(path)], assume=a).results} for a in (True, False)]
    assert keys[0] != keys[1]


BEYOND = {  # what fails only for sizes that are not assumed
    "a store behind the end": kernel("if (n > 1073741824) y[n] = 1;", grid="1,", block="1,"),
    "a grid of that many threads": kernel("if (i < n) y[i] = 1;", grid="4194304,"),
    "an array of that many elements": kernel(
        "y[n - 1] = 1;", grid="1,", block="1,", array="f32[1073741824]"
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_a_failure_beyond_an_assumption_is_not_a_refutation(tmp_path: Path, name: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(BEYOND[name].replace("y is f32[n]", "y is f32[n] written once"))
    report = check([str(path)])
    answers = statuses(report)
    assumed = [r.task.name for r in report.results if r.task.assumed]
    own = [n for n in assumed if "no overflow" not in n]
    assert own, answers
    assert {answers[n] for n in own} == {"proved"}, answers
    alone = statuses(check([str(path)], assume=False))
    assert "proved" not in {alone[n] for n in own}, alone


HOST = """// symlayout: kernel{contract}
//   y is f32[m,n]
__global__ void rows(float* y, int n, int m) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long r = blockIdx.y;
  if (i < n && r < m) y[r * n + i] = 1;
}}
void run(float* y, int n, int m, int rest) {{
  dim3 grid((n + 255) / 256, {rows});
  rows<<<grid, 256>>>(y, n, m);
}}
"""

HOSTS = {  # the contract's own grid, the rows of the launch, and whether it keeps its limit
    "rows that the kernel gets": ("", "m", "refuted"),
    "rows that it does not get": ("", "rest", "refuted"),
    "few rows": ("", "min(m, 65535)", ""),
    "a contract that introduces the rows": (" grid (cdiv(n, 256), G) block (256,)", "m", ""),
    "a contract of too many rows": (" grid (cdiv(n, 256), 65536) block (256,)", "m", "refuted"),
}


@pytest.mark.parametrize("name", HOSTS)
def test_a_launch_keeps_its_limits(tmp_path: Path, name: str) -> None:
    contract, rows, status = HOSTS[name]
    path = tmp_path / "k.cu"
    path.write_text(HOST.format(contract=contract, rows=rows))
    answers = statuses(check([str(path)]))
    assert [s for n, s in answers.items() if "launch limit" in n] == [status] * bool(status)


LARGER = {  # a kernel, part of a claim's name, and whether it fails at larger sizes of the types
    "a size and five": (kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;"), "no overflow", True),
    "twice a size": (kernel("int j = n * 2; if (i < n && j > 0) y[i] = 1;"), "no overflow", False),
    "a size less five": (
        kernel("int j = n - 5; if (i < n && j > 0) y[i] = 1;"), "no overflow", False,
    ),
    "a size that has a bound": (
        kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;", "int n", "where n <= 5000"),
        "no overflow", False,
    ),
    "nothing is assumed": (
        kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;", "int n", "assume none"),
        "no overflow", False,
    ),
    "64 bits": (
        kernel("int j = (int)(n / 64); if (i < 9 && j > 0) y[i] = 1;", "long long n",
               "where n >= 9", grid="1,"),
        "no overflow", True,
    ),
    "64 bits without a failure": (
        kernel("long long j = n - 1; if (i < 9 && j > 0) y[i] = 1;", "long long n",
               "where n >= 9", grid="1,"),
        "no overflow", False,
    ),
    "32 bits without a sign": (
        kernel("unsigned j = u * 3; if (i < n && j > 0) y[i] = 1;", "int n, unsigned u"),
        "no overflow", True,
    ),
    "a size that only an array has": (
        kernel("y[blockIdx.x * 2LL + threadIdx.x] = 1;", "int n", grid="R,", block="2,",
               array="f32[R,2]"),
        "no overflow", False,
    ),
    "a launch of that many rows": (
        kernel("if (i < n) y[i] = 1;", "int n", grid="cdiv(n, 256) * 500,"), "launch", True,
    ),
    "an array of that many elements": (
        kernel("y[n - 1] = 1;", grid="1,", block="1,", array="f32[1073741824]"), "in bounds", True,
    ),
    "a loop": (
        kernel("for (int k = i; k < n; k += 4096) y[k] = 1;", grid="16,"), "no overflow", True,
    ),
}  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", LARGER)
def test_a_failure_at_larger_sizes_has_its_witness(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    text, part, fails = LARGER[name]
    path = tmp_path / "k.cu"
    path.write_text(text)
    report = check([str(path)])
    own = [r for r in report.results if part in r.task.name and r.outcome.status == "proved"]
    hits = [r for r in own if r.outcome.beyond]
    assert bool(hits) == fails, [(r.task.name, r.task.assumed) for r in own]
    for r in hits:
        assert r.outcome.beyond is not None
        sizes = r.outcome.beyond["sizes"]
        assumed, facts = Facts.read(r.task.assumed), Facts.read(r.task.of_types().claim.facts)
        assert not assumed.holds(sizes)
        assert facts.holds(sizes)
    text = render(report, "full")
    assert text.count(" where sizes are larger than assumed\n") == bool(
        [r for r in report.results if r.outcome.beyond]
    )
    rows = [c["beyond"] for c in as_json.data(report)["claims"] if "beyond" in c]
    assert rows == [r.outcome.beyond for r in report.results if r.outcome.beyond]
    main(["check", "--no-cache", "-v", str(path)])
    shown = [x for x in capsys.readouterr().out.split("\n") if "(assumed), fails at " in x]
    assert len(shown) == len(rows)


def test_a_witness_is_told_in_words_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    text = render(check([str(path)]), "full")
    assert "note: f: 1 claim fails where sizes are larger than assumed" in text
    assert "`n + 5` is 2147483648; an int32 is at most 2147483647" in text
    assert "n = 2147483643" in text


def test_a_witness_is_kept_with_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from symlayout.checks import checker

    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    outputs = []
    for _ in range(2):
        assert main(["check", "--json", "--cache-dir", str(tmp_path / "cache"), str(path)]) == 0
        outputs.append([c.get("beyond") for c in json.loads(capsys.readouterr().out)["claims"]])
        monkeypatch.setattr(checker, "beyond", None)
    assert outputs[0] == outputs[1]
    assert [c["sizes"] for c in outputs[0] if c] == [{"n": 2147483643}]


HIP_FILE = "#include <hip/hip_runtime.h>\n// symlayout: kernel grid ({grid}) block ({block},)\n" + (
    "//   y is f32[n,{block}] written once\n"
    "__global__ void f(float* y, int n) {{\n"
    "  y[(size_t)blockIdx.x * {block} + threadIdx.x] = 1;\n}}\n"
)

CUDA_FILE = HIP_FILE.replace("#include <hip/hip_runtime.h>\n", "")

CL_FILE = """// symlayout: kernel grid ({grid}) block ({block},)
//   y is f32[n,{block}] written once
__kernel void f(__global float* y, int n) {{
  y[get_group_id(0) * {block} + get_local_id(0)] = 1;
}}
"""

METAL_FILE = """// symlayout: kernel grid ({grid}) block ({block},)
//   y is f32[n,{block}] written once
kernel void f(device float* y [[buffer(0)]], constant int& n [[buffer(1)]],
              uint g [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {{
  y[(ulong)g * {block} + t] = 1;
}}
"""

CORES_FILE = """// symlayout: kernel grid ({grid})
//   y is f32[n,{block}]
extern "C" __global__ __aicore__ void f(GM_ADDR y, uint32_t n) {{
  GlobalTensor<float> g;
  g.SetGlobalBuffer((__gm__ float*)y);
  g.SetValue((uint64_t)GetBlockIdx() * {block}, 0);
}}
"""

DIALECTS = {  # a file of a language, its text, and the limits that are refuted by size of its block
    "cuda of many rows": ("k.cu", CUDA_FILE, "n,", 1024, []),
    "cuda of many threads": ("k.cu", CUDA_FILE, "n,", 1056, ["block.x"]),
    "hip of many rows": ("k.hip", HIP_FILE, "n,", 256, ["grid.x * block.x"]),
    "hip of a few rows": ("k.hip", HIP_FILE, "n,", 2, []),
    "hip of many threads": ("k.hip", HIP_FILE, "n,", 1025, ["block.x", "grid.x * block.x"]),
    "hip in a file of CUDA's": ("k.cu", HIP_FILE, "n,", 256, ["grid.x * block.x"]),
    "metal": ("k.metal", METAL_FILE, "n,", 1024, []),
    "metal of many threads": ("k.metal", METAL_FILE, "n,", 1025, ["block.x"]),
    "opencl of many threads": ("k.cl", CL_FILE, "n,", 4096, []),
    "cores of a few rows": ("k.cpp", CORES_FILE, "min(n, 65535),", 8, []),
    "cores of many rows": ("k.cpp", CORES_FILE, "n,", 8, ["grid.x"]),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_each_language_has_the_limits_that_are_documented(tmp_path: Path, name: str) -> None:
    file, text, grid, block, limits = DIALECTS[name]
    path = tmp_path / file
    path.write_text(text.format(grid=grid, block=block))
    answers = statuses(check([str(path)]))
    hits = [n.partition("launch limit: ")[2] for n, s in answers.items() if s == "refuted"]
    assert [h.partition(" is at most")[0] for h in hits if h] == limits, answers
    assert not [n for n, s in answers.items() if "understood" in n]


@pytest.mark.explore
def test_claims_that_rest_on_one_are_told_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SUM.format(fact=""))
    report = check([str(path)])
    unknown = [r for r in report.results if r.outcome.status == "unknown"]
    assert len(unknown) > 20
    text = render(report, "full")
    assert text.count("unknown, expected proved") <= 3
    assert " claims\n" in text
    assert "rests on 'no overflow: an end of the loop in line 8'" in text
    assert "the counter of the loop is 2147483648; int32 is at most 2147483647" in text
    main(["check", "--no-cache", "--no-hints", "-v", str(path)])
    shown = capsys.readouterr().out
    assert shown.count("unknown, expected proved") == len(unknown)
    path.write_text(SUM.format(fact="//   where G <= 65535\n"))
    assert {*statuses(check([str(path)])).values()} == {"proved"}


def test_a_launch_that_fails_is_told_by_its_axis(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text((DATA / "launch_limit.cu").read_text())
    text = render(check([str(path)]), "full")
    assert "n1 = 65536: grid.y is 65536; it is at most 65535" in text


def test_no_bound_is_asked_for_what_is_not_understood(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    text = kernel("if (i < n) y[t[i]] = 1;", "const int* t, int n", "t is i32[n]")
    path.write_text(text)
    shown = render(check([str(path)]), "full")
    assert "the contract may say `below SIZE`" in shown
    assert "help: bound" not in shown
