"""What is assumed of sizes and launches: which kernels it makes provable, and which it must not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symlayout import Report, check
from symlayout.__main__ import main

ADD = """// symlayout: kernel grid ({grid}) block ({block})
//   y is {array}
{facts}__global__ void f(float* y, {parameters}) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  {body}
}}
"""


def kernel(
    body: str,
    parameters: str = "int n",
    *facts: str,
    grid: str = "cdiv(n, 256),",
    block: str = "256,",
    array: str = "f32[n]",
) -> str:
    """A kernel in CUDA with its contract."""
    lines = "".join(f"//   {f}\n" for f in facts)
    return ADD.format(
        grid=grid, block=block, array=array, facts=lines, parameters=parameters, body=body
    )


UNBOUNDED = kernel("int j = n + 5; if (i < n && j > 0) y[i] = 1;")


def test_the_first_line_of_a_verdict_names_what_is_assumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    assert main(["check", "--no-cache", "-v", str(path)]) == 0
    assert "proved for n <= 2**30 (assumed)" in capsys.readouterr().out


def test_nothing_is_assumed_where_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(UNBOUNDED)
    monkeypatch.chdir(tmp_path)
    command = ["check", "--no-cache", "--no-hints", "k.cu"]
    assert main(command) == 0
    assert main([*command, "--assume", "none"]) == 1
    settings = tmp_path / "pyproject.toml"
    settings.write_text('[tool.symlayout]\nassume = "none"\n')
    assert main(command) == 1
    settings.write_text('[tool.symlayout]\nassume = "all"\n')
    capsys.readouterr()
    assert main(command) == 2
    assert "assume is 'default' or 'none', not 'all'" in capsys.readouterr().err
    settings.write_text('[tool.symlayout]\nassume = "none"\n')
    assert main([*command, "--assume", "default"]) == 0
    settings.write_text('[tool.symlayout]\nassume = "default"\n')
    assert main(command) == 0


ROWS = """import triton
import triton.language as tl


@triton.jit
def rows(x_ptr, stride, n, B: tl.constexpr):
    pid = tl.program_id(0)
    cols = tl.arange(0, B)
    tl.store(x_ptr + pid * stride + cols, 1.0, mask=cols < n)
"""


@pytest.mark.parametrize("command", ["check", "scan"])
def test_other_words_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (tmp_path / "k.py").write_text(ROWS)
    assert main([command, str(tmp_path / "k.py"), "--assume", "all"]) == 2
    assert "default" in capsys.readouterr().err


@pytest.mark.explore
def test_a_fix_is_tried_under_the_same_assumptions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(kernel("int j = n + 5; if (i <= n && j > 0) y[i] = 1;"))
    outputs = []
    for words in (["default"], ["none"]):
        main(["check", "--no-cache", "--json", "--assume", *words, str(path)])
        claims = json.loads(capsys.readouterr().out)["claims"]
        (own,) = [c for c in claims if "in bounds" in c["name"]]
        outputs.append(own.get("fixes", []))
    assert [[f["text"] for f in fixes if f["text"] == "i < n"] for fixes in outputs] == [
        ["i < n"], []
    ]  # fmt: skip


def test_a_certificate_has_its_assumptions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "k.cu", tmp_path / "certificates"
    path.write_text(UNBOUNDED)
    assert main(["check", "--no-cache", "--certificates", str(folder), str(path)]) == 0
    (task,) = [r.task for r in check([str(path)]).results if "no overflow: mask" in r.task.name]
    (file,) = folder.glob("*no-overflow-mask*")
    assert task.assumed == ("n <= 1073741824",)
    assert json.loads(file.read_text())
    own, facts = f"{task.claim.word} '{task.claim.texts[0]}'", task.claim.facts
    claims = {
        0: own + "".join(f" --where '{f}'" for f in facts),
        1: own + "".join(f" --where '{f}'" for f in facts if f not in task.assumed),
    }
    for code, claim in claims.items():
        assert main(["recheck", str(file), "--claim", claim]) == code


def test_a_verdict_under_assumptions_is_kept_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(kernel("y[n - 1] = 1;", grid="1,", block="1,", array="f32[1073741824]"))
    outputs = []
    for _ in range(2):
        assert main(["check", "--json", "--cache-dir", str(tmp_path / "cache"), str(path)]) == 0
        claims = json.loads(capsys.readouterr().out)["claims"]
        outputs.append([(c["name"], c["where"], c.get("assumed")) for c in claims])
    assert outputs[0] == outputs[1]
    assert any("in bounds" in n and assumed for n, _, assumed in outputs[0])


TUNED = """import triton
import triton.language as tl


# symlayout: kernel grid (tl.cdiv(n, BLOCK) * 4096,)
#   x_ptr is f32[n] written at most once{fact}
@triton.autotune(configs=[triton.Config({{"BLOCK": {0}}}), triton.Config({{"BLOCK": 8192}})], key=[])
@triton.jit
def fill(x_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0) // 4096
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    if tl.program_id(0) % 4096 == 0:
        tl.store(x_ptr + offsets, 1.0, mask=offsets < n)
"""

LAUNCHED = {  # the least block that is tuned, a fact of the contract, and what the launch is
    "a block that is large enough": ("4096", "", "proved"),
    "a block that is too small": ("64", "", "refuted"),
    "a bound of the contract": ("4096", "BLOCK <= 65536", "refuted"),
    "nothing is assumed": ("4096", "assume none", "refuted"),
}


@pytest.mark.parametrize("name", LAUNCHED)
def test_a_parameter_that_is_tuned_has_the_values_of_its_configurations(
    tmp_path: Path, name: str
) -> None:
    least, fact, status = LAUNCHED[name]
    line = f"\n#   {'' if 'assume' in fact else 'where '}{fact}" if fact else ""
    path = tmp_path / "k.py"
    path.write_text(TUNED.format(least, fact=line))
    report = check([str(path)])
    (launch,) = [r for r in report.results if "launch limit" in r.task.name]
    assert launch.outcome.status == status, launch.outcome.reason
    assert ("BLOCK >= 4096" in launch.task.assumed) == (status == "proved")


@pytest.mark.explore
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(factor=st.integers(1, 4), more=st.integers(-40, 40), divisor=st.sampled_from([1, 2, 3]))
def test_a_witness_is_the_least_of_larger_sizes(
    tmp_path: Path, factor: int, more: int, divisor: int
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(
        kernel(f"int j = n / {divisor} * {factor} + {more}; if (i < n && j > 0) y[i] = 1;")
    )
    report = check([str(path)])
    (row,) = [r for r in report.results if "no overflow: mask" in r.task.name]
    high, most = (1 << 31) - 1, 1 << 30

    def fails(n: int) -> bool:
        product = n // divisor * factor
        return max(product, product + more) > high

    if fails(most):
        assert row.outcome.status == "refuted"
    elif not fails(high):
        assert row.outcome.status == "proved"
        assert row.outcome.beyond is None
    else:
        assert row.outcome.status == "proved"
        assert row.outcome.beyond is not None
        least = row.outcome.beyond["sizes"]["n"]
        assert fails(least)
        assert not fails(least - 1)


LANES = """import triton
import triton.language as tl


# symlayout: kernel grid (n // B,)
#   x_ptr is f32[n] written once
#   where {facts}{line}
{decorator}@triton.jit
def lanes(x_ptr, n, B: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * B + ({lanes})
    tl.store(x_ptr + i, 1.0)
"""

TUNED_BY = "@triton.autotune(configs=[{}], key=[])\n"

CONFIG = 'triton.Config({{"B": {}}})'


def lanes(expression: str, facts: str, *values: int, line: str = "") -> str:
    """A kernel of one block for each program, whose lanes are permuted."""
    rows = ", ".join(CONFIG.format(v) for v in values)
    decorator = TUNED_BY.format(rows) if values else ""
    text = f"\n#   {line}" if line else ""
    return LANES.format(facts=facts, line=text, decorator=decorator, lanes=expression)


PAIRS, EIGHTS = "tl.arange(0, B) ^ 1", "tl.arange(0, B) ^ 8"

BLOCKS = {  # a kernel, what the claim about bounds is, and a fact that is assumed for it
    "pairs": (lanes(PAIRS, "n % B == 0, B >= 2"), "proved", "B == 2**log2_B"),
    "pairs of a half": (
        lanes("tl.arange(0, 2 * C) ^ 1", "n % B == 0, B == 2 * C"), "proved", "",
    ),
    "pairs of one": (lanes(PAIRS, "n % B == 0"), "refuted", ""),
    "pairs of an even size": (lanes(PAIRS, "n % B == 0, B % 2 == 0"), "proved", ""),
    "eights": (lanes(EIGHTS, "n % B == 0, B >= 9"), "proved", "B == 2**log2_B"),
    "eights of eight": (lanes(EIGHTS, "n % B == 0, B >= 8"), "refuted", ""),
    "eights that are tuned": (lanes(EIGHTS, "n % B == 0", 16, 128), "proved", "B in {16, 128}"),
    "a tuned size that is too small": (lanes(EIGHTS, "n % B == 0", 8, 128), "refuted", ""),
    "a bound of the contract": (
        lanes(EIGHTS, "n % B == 0, B >= 2, B <= 4096", 16, 128), "refuted", "",
    ),
    "a size that is given": (lanes(PAIRS, "n % B == 0, B == 3"), "refuted", ""),
    "sizes that are given": (lanes(PAIRS, "n % B == 0, B in {3, 4}"), "refuted", ""),
    "nothing is assumed": (
        lanes(PAIRS, "n % B == 0, B >= 2", line="assume none"), "refuted", "",
    ),
    "a name that the kernel has": (
        lanes(PAIRS, "n % B == 0, B >= 2").replace("C: tl", "log2_B: tl"), "refuted", "",
    ),
    "a block of more numbers": (
        lanes("tl.arange(0, B + 1) ^ 1", "n % B == 0, B >= 2"), "refuted", "",
    ),
    "no block of that size": (
        lanes("tl.arange(0, 16) ^ 1", "n % B == 0, B >= 15"), "refuted", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_of_triton_is_a_power_of_two(tmp_path: Path, name: str) -> None:
    text, status, fact = BLOCKS[name]
    path = tmp_path / "k.py"
    path.write_text(text)
    report = check([str(path)])
    assert report.problems == ()
    (own,) = [r for r in report.results if "in bounds" in r.task.name]
    assert own.outcome.status == status, own
    assert {fact} <= {"", *own.task.assumed}
    assert fact or not [f for f in own.task.assumed if "log2_" in f or " in " in f]
    assert {*own.task.assumed} <= {*map(str, own.task.claim.facts)}


@pytest.mark.explore
def test_a_power_of_two_is_told_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.py"
    path.write_text(BLOCKS["pairs"][0].replace(" ^ 1", " ^ 4"))
    main(["check", "--no-cache", "-v", str(path)])
    text = capsys.readouterr().out
    shown = text.split("expected proved")[1].split("claim ")[0]
    assert "B = 2," in shown
    assert "log2_B" not in shown
    path.write_text(BLOCKS["pairs"][0])
    assert main(["check", "--no-cache", "-v", str(path)]) == 0
    assert "proved for B is a power of two (assumed)" in capsys.readouterr().out


def test_a_proof_of_powers_is_rechecked(tmp_path: Path) -> None:
    path, folder = tmp_path / "k.py", tmp_path / "certificates"
    path.write_text(BLOCKS["pairs"][0])
    assert main(["check", "--no-cache", "--certificates", str(folder), str(path)]) == 0
    (task,) = [r.task for r in check([str(path)]).results if "in bounds" in r.task.name]
    (file,) = folder.glob("*in-bounds*")
    own = f"{task.claim.word} '{task.claim.texts[0]}'"
    facts = [f" --where '{f}'" for f in task.claim.facts]
    plain = [f" --where '{f}'" for f in task.claim.facts if f not in task.assumed]
    assert main(["recheck", str(file), "--claim", own + "".join(facts)]) == 0
    assert main(["recheck", str(file), "--claim", own + "".join(plain)]) == 1


WHERE = {  # facts for all claims, what the overflow is, and whether the size is still assumed
    "a smaller bound": (["n <= 1000"], "proved", False),
    "a larger bound": (["n <= 2147483647"], "refuted", False),
    "a larger bound in another form": (["2147483647 >= n"], "refuted", False),
    "a strict bound": (["n < 2147483648"], "refuted", False),
    "numbers": (["n in {5, 2147483646}"], "refuted", False),
    "small numbers": (["n in {5, 6}"], "proved", False),
    "a number": (["n == 2147483640"], "proved", False),
    "a larger number": (["n == 2147483646"], "refuted", False),
    "a least size": (["n >= 1073741825"], "refuted", False),
    "another name": (["symbol m", "m <= 5"], "proved", True),
    "a divisor": (["n % 4 == 0"], "proved", True),
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", WHERE)
@pytest.mark.parametrize("settings", [False, True])
def test_facts_for_all_claims_replace_an_assumption(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    settings: bool,
) -> None:
    facts, status, assumed = WHERE[name]
    (tmp_path / "k.cu").write_text(UNBOUNDED)
    rows = ", ".join(f'"{f}"' for f in facts)
    (tmp_path / "pyproject.toml").write_text(f"[tool.symlayout]\nwhere = [{rows}]\n" * settings)
    options = [] if settings else [x for f in facts for x in ("--where", f)]
    monkeypatch.chdir(tmp_path)
    main(["check", "--no-cache", "--no-hints", "--json", "k.cu", *options])
    claims = json.loads(capsys.readouterr().out)["claims"]
    (own,) = [c for c in claims if "no overflow: mask" in c["name"]]
    assert own["verdict"] == status
    assert ("n <= 1073741824" in own.get("assumed", [])) == assumed


SUM = """// symlayout: kernel grid (G,) block (256,)
//   in is float[n]
//   out is float[G] written once
{fact}__global__ void sum(const float* in, float* out, int n) {{
  __shared__ float s[256];
  int t = threadIdx.x;
  float x = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) x += in[i];
  s[t] = x;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {{
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }}
  if (t == 0) out[blockIdx.x] = s[0];
}}
"""


def test_a_grid_is_no_larger_than_it_can_be(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SUM.format(fact=""))
    sizes = [r.outcome.beyond["sizes"] for r in check([str(path)]).results if r.outcome.beyond]
    assert all(c.get("G", 0) <= 2**31 - 1 for c in sizes), sizes


FORMS = {  # how a contract may bound a size, and what the overflow is then
    "the other way round": ("2147483647 >= n", "refuted"),
    "one less": ("n - 1 <= 2147483646", "refuted"),
    "strict": ("n < 2**31", "refuted"),
    "twice": ("2*n <= 4294967294", "refuted"),
    "another's bound": ("n <= m, m <= 2147483647", "refuted"),
    "another's number": ("m >= n, m == 2147483647", "refuted"),
    "another's name": ("n == m, m <= 2147483647", "refuted"),
    "twice another": ("n == 2*m + 1, m <= 1073741823", "refuted"),
    "a product": ("n <= m*k, m <= 65536, k <= 65536", "refuted"),
    "alternatives": ("n <= 5 or n == 2147483646", "refuted"),
    "both at once": ("n >= 1 and n <= 2147483647", "refuted"),
    "a small bound of another's": ("n <= m, m <= k, k <= 100", "proved"),
    "a small product": ("n <= m*k, m <= 4, k <= 1000", "proved"),
    "a small quotient": ("n == cdiv(m, 4), m <= 2147483647", "proved"),
    "the smaller of two": ("n <= m, m <= 2147483647, n <= k, k <= 7", "proved"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", FORMS)
def test_a_bound_in_any_form_replaces_the_assumption(tmp_path: Path, name: str) -> None:
    fact, status = FORMS[name]
    path = tmp_path / "k.cu"
    body = "int j = n + 5; if (i < n && j > 0) y[i] = 1;"
    path.write_text(kernel(body, "int n, int m, int k", f"where {fact}"))
    report = check([str(path)])
    (own,) = [r for r in report.results if "no overflow: mask" in r.task.name]
    assert own.outcome.status == status
    assert "n <= 1073741824" not in own.task.assumed


NARROW = {  # the type of a table's numbers, a place in an array of 256, and its claim
    "bytes": ("unsigned char", "u8", "t[i]", "proved"),
    "bytes that are shifted": ("unsigned char", "u8", "t[i] + 1", "unknown"),
    "bytes with a sign": ("signed char", "s8", "t[i] + 128", "proved"),
    "bytes that may be below 0": ("signed char", "s8", "t[i]", "unknown"),
    "bytes of another offset": ("int8_t", "s8", "t[i] + 129", "unknown"),
    "bytes of either sign": ("char", "u8", "t[i] + 128", "unknown"),
    "bytes of either sign in range": ("char", "u8", "(t[i] + 128) / 2", "proved"),
    "two bytes": ("uint16_t", "u16", "t[i] / 256", "proved"),
    "two bytes of a half": ("unsigned short", "u16", "t[i] / 255", "unknown"),
    "two bytes with a sign": ("short", "s16", "(t[i] + 32768) / 256", "proved"),
    "four bytes": ("int", "s32", "t[i]", "unknown"),
}


@pytest.mark.parametrize("name", NARROW)
def test_a_loaded_number_has_the_range_of_its_type(tmp_path: Path, name: str) -> None:
    word, type, place, status = NARROW[name]
    path = tmp_path / "k.cu"
    text = kernel(
        f"if (i < n) y[{place}] = 1;",
        f"const {word}* t, int n",
        f"t is {type}[n]",
        array="f32[256]",
    )
    path.write_text(text)
    report = check([str(path)])
    (own,) = [r for r in report.results if "in bounds: store" in r.task.name]
    assert own.outcome.status == status, own.outcome.reason


DATA = Path(__file__).parent / "data" / "contracts"

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
