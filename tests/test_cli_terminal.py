"""On a terminal: colour and progress; both gone where NO_COLOR or a pipe asks for it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest


def on_terminal(folder: Path, *argv: str, **env: str) -> tuple[str, int]:
    """What the command writes to a terminal (both streams), and its exit code."""
    ours, theirs = pty.openpty()
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [sys.executable, "-m", "symlayout", *argv],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=clean | {"TERM": "xterm"} | env,
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    return b"".join(parts).decode(), process.wait(timeout=60)


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    (tmp_path / "a.layout.toml").write_text(
        '[[claim]]\nname = "first"\nprove = "injective (4,5):(5,1)"\n'
        '[[claim]]\nname = "second"\nprove = "injective (4,5):(1,1)"\n'
    )
    return tmp_path


def test_colour_and_progress(claims: Path) -> None:
    out, code = on_terminal(claims, "check", ".", "--no-cache")
    assert code == 1
    assert "\r\x1b[K[--------------------] 0/2 first" in out
    assert "\x1b[31;1mrefuted\x1b[0m" in out
    assert " s\r\n" in out  # how long it took


def test_no_color_is_obeyed(claims: Path) -> None:
    out, code = on_terminal(claims, "check", ".", "--no-cache", NO_COLOR="1")
    assert code == 1
    assert "\x1b[3" not in out
    assert "refuted, expected proved: second" in out


def test_a_picture_has_its_padding_dimmed(tmp_path: Path) -> None:
    out, _ = on_terminal(tmp_path, "show", "f32[3,5]{1,0:T(2,2)}")
    assert "\x1b[2m(23)\x1b[0m" in out
    plain, _ = on_terminal(tmp_path, "show", "f32[3,5]{1,0:T(2,2)}", TERM="dumb")
    assert "\x1b" not in plain


def test_verdicts_are_coloured(tmp_path: Path) -> None:
    out, _ = on_terminal(tmp_path, "prove", "injective", "(4):(1)")
    assert out.startswith("\x1b[32;1mproved\x1b[0m: injective")


FORMATS = ("full", "concise", "github", "markdown", "json", "junit", "sarif")


@pytest.mark.sample(1)
@pytest.mark.parametrize("format", FORMATS)
def test_letters_that_a_locale_lacks_are_spelled_out(tmp_path: Path, format: str) -> None:
    file = tmp_path / "\u00fc.layout.toml"
    file.write_text('[[claim]]\nname = "\u4e2d"\nprove = "injective (4,5):(1,1)"\n', "utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "symlayout", "check", "-v", "--no-cache", "--format", format]
    done = subprocess.run(
        [*command, str(file)], env=os.environ | plain, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert "refuted" in done.stdout.decode("ascii")
    assert b"SL900" not in done.stderr
