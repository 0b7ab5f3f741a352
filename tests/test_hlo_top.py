"""`check --top N`: how many buffers the padding report of a module shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symlayout.__main__ import main

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


@pytest.mark.explore
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


MANY = """HloModule m

ENTRY e {
  x = f32[8,128]{1,0:T(8,128)} parameter(0)
LINES
  ROOT y = f32[8,128]{1,0:T(8,128)} negate(x)
}
"""


@pytest.mark.parametrize(("copies", "top"), [(5, 1), (5, 4), (5, 5), (7, 5), (2, 9), (4, 0)])
def test_as_many_changes_of_layout_are_shown_as_asked_for(copies, top, tmp_path, capsys):
    lines = [f"  c{k} = f32[8,128]{{0,1:T(8,128)}} copy(x)" for k in range(copies)]
    file = tmp_path / "m.hlo"
    file.write_text(MANY.replace("LINES", "\n".join(lines)))
    assert main(["check", str(file), "--no-cache", "--top", str(top)]) == 0
    out = capsys.readouterr().out
    assert f"{copies} instructions only change layouts" in out
    assert out.count(": copy c") == min(max(top, 3), copies)
    more = copies - max(top, 3)
    assert (f"  and {more} more with " in out.partition("only change layouts")[2]) == (more > 0)


def test_the_main_memory_comes_before_others(tmp_path, capsys):
    file = tmp_path / "m.hlo"
    file.write_text(
        "HloModule m\nENTRY e {\n"
        "  x = f32[4,128]{1,0:T(8,128)} parameter(0)\n"
        "  b = f32[100,3]{1,0:T(8,128)S(1)} iota(), iota_dimension=0\n"
        "  ROOT y = f32[4,128]{1,0:T(8,128)} negate(x)\n}\n"
    )
    assert main(["check", str(file), "--no-cache", "--top", "2"]) == 0
    out = capsys.readouterr().out
    assert "S(0) first, then the most wasted bytes first:" in out
    table = out.partition("padding of ")[2]
    assert table.index("f32[4,128]{1,0:T(8,128)}") < table.index("f32[100,3]{1,0:T(8,128)S(1)}")
    assert "bytes each" in table
    assert main(["check", str(file), "--no-cache", "--top", "1"]) == 0
    assert "S(1)}" not in capsys.readouterr().out.partition("padding of ")[2]
