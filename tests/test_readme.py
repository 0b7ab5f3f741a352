"""Every command and snippet of the README runs, and prints what the README says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README.read_text(), re.S)
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


def run(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    assert words[0] == "symlayout"
    return subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, cwd=cwd, check=False
    )


def test_the_set_up_is_the_two_commands() -> None:
    assert [c for c, _ in commands() if c in SET_UP] == list(SET_UP)


@pytest.mark.parametrize(("command", "output"), RUN, ids=[c for c, _ in RUN])
def test_a_command_prints_what_is_shown(command: str, output: str, tmp_path: Path) -> None:
    result = run(command, tmp_path)
    assert result.returncode == (1 if output.startswith("refuted") else 0), result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout
    if output.strip():
        assert result.stdout.strip() == output.strip()


@pytest.mark.parametrize("code", [b for language, b in BLOCKS if language == "python"])
def test_python_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out.splitlines()[-1] == "i"


@pytest.mark.parametrize("text", [b for language, b in BLOCKS if language == "toml"])
def test_claims_files_hold(text: str, tmp_path: Path) -> None:
    (tmp_path / "readme.layout.toml").write_text(text)
    result = run("symlayout check readme.layout.toml", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_it_is_short_and_begins_with_code() -> None:
    lines = README.read_text().splitlines()
    assert len(lines) <= 150
    assert any(line.startswith("```") for line in lines[:15])
