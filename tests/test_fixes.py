"""The condition under which a refuted claim holds, as a change of its file: with it the claim holds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from symlayout import check


def report_of(file: Path):
    return check([str(file)], hints=True)


KERNEL = """import triton.language as tl

# symlayout: kernel grid (cdiv(n, B),)
#   x_ptr is f32[n]
#   y_ptr is f32[n]%s
@triton.jit
def k(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i))
"""

CUDA = """// symlayout: kernel grid (cdiv(n, 256),) block (256,)
//   x is f32[n]
__global__ void k(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = 1.f;
}
"""

CONTRACTS = {
    "with.py": KERNEL % "\n#   where B <= 1024, n <= 1048576",
    "without.py": KERNEL % "",
    "a.cu": CUDA,
    "crlf.cu": CUDA.replace("\n", "\r\n"),
}


def changed(text: str, fix) -> str:
    lines = text.split("\n")
    line, at = lines[fix.place.line - 1], fix.place.column - 1
    lines[fix.place.line - 1] = line[:at] + fix.text + line[at + fix.removed :]
    return "\n".join(lines)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", CONTRACTS)
def test_a_contract_gets_a_line_of_its_own(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(CONTRACTS[name].encode())
    report = report_of(file)
    wrong = [r for r in report.results if not r.as_expected and r.changes]
    assert wrong
    before = {r.task.name: r.outcome.status for r in report.results}
    for r in wrong:
        for fix in r.changes:
            text = changed(file.read_bytes().decode(), fix)
            other = tmp_path / f"other_{name}"
            other.write_bytes(text.encode())
            after = [x.outcome.status for x in report_of(other).results]
            assert len(after) == len(before)
            assert after.count("unknown") <= list(before.values()).count("unknown")
            assert after.count("proved") > list(before.values()).count("proved")


@pytest.mark.parametrize(
    "text",
    [
        "/* symlayout: kernel grid (cdiv(n, 256),) block (256,)\n     x is f32[n] */\n"
        + CUDA.partition("\n//   x is f32[n]\n")[2],  # where a line would go is not known
        CUDA.replace("//   x is f32[n]", "//   x is f32[n]\n//   where n % 256 == 1"),
    ],
)
def test_a_change_that_is_not_proved_is_not_offered(tmp_path, text):
    file = tmp_path / "a.cu"
    file.write_text(text)
    report = report_of(file)
    assert any(not r.as_expected for r in report.results)
    assert not any(f.title.startswith("require ") for r in report.results for f in r.changes)


def test_the_facts_of_the_settings_count(tmp_path):
    file = tmp_path / "a.layout.toml"
    file.write_text("[[claim]]\nprove = 'injective \"(M,N):(S,1)\"'\n")
    report = check([str(file)], hints=True)
    (wrong,) = report.results
    assert [f.title for f in wrong.changes] == ["require S >= N", "require M == 1"]


def test_a_change_that_makes_another_claim_vacuous_is_not_offered(tmp_path):
    file = tmp_path / "a.cu"
    file.write_text(CUDA.replace("//   x is f32[n]", "//   x is f32[n]\n//   where n < 256"))
    for r in report_of(file).results:
        for fix in r.changes:
            other = tmp_path / "b.cu"
            other.write_text(changed(file.read_text(), fix))
            assert {x.outcome.status for x in report_of(other).results} <= {"proved", "refuted"}


CACHED = """
import sys
from symlayout.__main__ import main
code = main(sys.argv[1:])
print(code, "symlayout.prove.decide" in sys.modules)
"""


def test_changes_are_judged_once_for_a_text(tmp_path: Path) -> None:
    """A run from the cache imports no prover, and says what a run without the cache says."""
    file = tmp_path / "a.layout.toml"
    wrong = 'formula "f32[M,N]{1,0:T(8,128)}" "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"'

    def said(*argv: str) -> tuple[str, str]:
        command = [sys.executable, "-c", CACHED, "check", str(file), "--format", "json", *argv]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        text, _, last = done.stdout.rstrip("\n").rpartition("\n")
        claims = json.loads(text)["claims"]
        rows = [{k: v for k, v in c.items() if k not in ("cached", "seconds")} for c in claims]
        return json.dumps(rows), last

    other = 'injective "(N):(1)"'
    refuted = 'onto "strided f32[N] strides(3)"'
    for more, facts in (
        ("", []),
        (f"[[claim]]\nprove = '{other}'\n", []),
        (f"[[claim]]\nprove = '{refuted}'\n", []),
        ("", ["--where", "M >= 2"]),
    ):
        file.write_text(f"[[claim]]\nprove = '{wrong}'\n{more}")
        cache = ["--cache-dir", str(tmp_path / "cache"), *facts]
        first, again, plain = said(*cache), said(*cache), said("--no-cache", *facts)
        assert first == plain == (first[0], "1 True")
        assert again == (first[0], "1 False")
        assert "N % 128 == 0" in first[0]
