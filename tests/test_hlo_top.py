"""`check --top N`: how many buffers the padding report of a module shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MODULE = """HloModule m

ENTRY main {
  a = f32[3]{0:T(128)} parameter(0)
  b = f32[5]{0:T(128)} parameter(1)
  c = f32[7]{0:T(128)} parameter(2)
  ROOT d = f32[3]{0:T(128)} add(a, a)
}
"""


def check(tmp_path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "m.hlo").write_text(MODULE)
    command = [sys.executable, "-m", "symlayout", "check", "m.hlo", "--no-cache", *more]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)


def shown(result: subprocess.CompletedProcess[str]) -> int:
    assert result.returncode == 0, result.stdout + result.stderr
    return sum("is padded to 128" in line for line in result.stdout.splitlines())


def test_the_worst_come_first_and_as_many_as_asked_for(tmp_path: Path) -> None:
    assert shown(check(tmp_path, "--top", "1")) == 1
    assert shown(check(tmp_path, "--top", "2")) == 2
    assert shown(check(tmp_path)) == shown(check(tmp_path, "--top", "5")) >= 2
    first = check(tmp_path, "--top", "1").stdout
    assert "f32[3]" in first


def test_a_bad_number(tmp_path: Path) -> None:
    result = check(tmp_path, "--top", "many")
    assert result.returncode == 2
    assert "--top is a number from 0 to 1000000" in result.stderr
