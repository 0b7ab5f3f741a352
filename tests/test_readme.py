"""Every command and snippet of the README runs, and prints what the README says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.S)
# the files that a reader is told to save
SAVED = r"Save this as `([\w.]+)`[^`]*(?:`--[^`]*`[^`]*)?```\w+\n(.*?)```"
FILES = dict(re.findall(SAVED, TEXT, re.S))
SET_UP = ("pip install . && symlayout check examples", "pip install '.[test]' && pytest")


def commands() -> list[tuple[str, str]]:
    """(command, the output that the README shows below it)."""
    found = []
    for language, body in BLOCKS:
        if language == "console":
            for part in body.split("$ ")[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


RUN = [(c, o) for c, o in commands() if c not in SET_UP]
SNIPPETS = [b for kind, b in BLOCKS if kind == "python" and b not in FILES.values()]


def run(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    assert words[0] == "symlayout"
    for name, text in FILES.items():
        (cwd / name).write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, cwd=cwd, check=False
    )


def test_the_set_up_is_the_two_commands() -> None:
    assert [c for c, _ in commands() if c in SET_UP] == list(SET_UP)


def test_the_files_to_save_are_read() -> None:
    assert set(FILES) == {"copy_rows.py", "double.py", "step.hlo"}
    assert len(SNIPPETS) == 1


@pytest.mark.parametrize(("command", "output"), RUN, ids=[c for c, _ in RUN])
def test_a_command_prints_what_is_shown(command: str, output: str, tmp_path: Path) -> None:
    result = run(command, tmp_path)
    defect = re.search(r"^refuted|^[1-9]\d* finding|\b[1-9]\d* not as expected", output, re.M)
    assert result.returncode == bool(defect), result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout
    if output.strip():
        assert result.stdout.strip() == output.strip()


@pytest.mark.parametrize("code", SNIPPETS)
def test_python_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] == "i"


def test_the_fix_that_it_names_proves_the_kernel(tmp_path: Path) -> None:
    fixed = FILES["double.py"].replace("i <= n", "i < n")
    (tmp_path / "fixed.py").write_text(fixed)
    result = run("symlayout check fixed.py", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "(5 proved)" in result.stdout


def test_it_is_short_and_begins_with_code() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= 200
    assert any(line.startswith("```") for line in lines[:15])
