"""Properties of internal modules; `tests/test_check_flags.py` tests the public interface."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from test_check_flags import BAD, GOOD, LAST

from symlayout.__main__ import main
from symlayout.checks.cache_folder import NAME
from symlayout.checks.cli.options import colourful
from symlayout.checks.cli.watch import look


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    Path(tmp_path / "sub" / "a.layout.toml").write_text(GOOD + BAD + LAST)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("place", ["option", "variable", "user"])
def test_the_cache_is_where_the_user_says_and_never_in_the_project(
    project, monkeypatch, tmp_path_factory, capsys, place
):
    before = sorted(project.rglob("*"))
    folder = tmp_path_factory.mktemp("verdicts")
    monkeypatch.delenv("SYMLAYOUT_CACHE_DIR")
    if place == "variable":
        monkeypatch.setenv("SYMLAYOUT_CACHE_DIR", str(folder))
    if place == "user":
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        folder = folder / "symlayout"
    option = ["--cache-dir", str(folder)] if place == "option" else []
    assert main(["check", *option]) == 1
    assert (folder / NAME).is_file()
    assert sorted(project.rglob("*")) == before


def test_colour_can_be_forced_and_forbidden(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert not colourful(io.StringIO())
    for value, on in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("FORCE_COLOR", value)
        assert colourful(io.StringIO()) is on
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colourful(io.StringIO())


def test_it_watches(project):
    before = look(["sub/a.layout.toml"], ())
    process = subprocess.Popen(
        [sys.executable, "-m", "symlayout", "check", "--watch", "--no-hints"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert _until(process, "watching") == ["refuted"]
        Path("sub/a.layout.toml").write_text(GOOD)
        assert look(["sub/a.layout.toml"], ()) != before
        assert _until(process, "watching") == []
        Path("sub/a.layout.toml").write_text("[[claim]]\n")
        assert _until(process, "watching") == ["error"]
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.stdout.close()
        code = process.wait(timeout=60)
    assert code == 130 if os.name == "posix" else code


def _until(process: subprocess.Popen[str], word: str) -> list[str]:
    assert process.stdout is not None
    found = []
    for line in process.stdout:
        found += re.findall(r"\b(refuted, |error: SL)", line)
        if word in line:
            return [f.partition(",")[0].partition(":")[0] for f in found]
    raise AssertionError("it ended")


def test_a_path_that_is_not_there_is_watched_in_peace(project):
    """It was checked again without end."""
    before = look(["nothing.hlo"], ())
    assert look(["nothing.hlo"], ()) == before
    Path("nothing.hlo").write_text("HloModule m")
    assert look(["nothing.hlo"], ()) != before
