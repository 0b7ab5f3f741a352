"""What is assumed of sizes and launches: which kernels it makes provable, and which it must not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symlayout import check
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
