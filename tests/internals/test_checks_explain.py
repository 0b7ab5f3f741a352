"""Every error code has a page, and the page's example provokes that very code."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from symlayout.__main__ import internal, main
from symlayout.checks.explain import explanation, explanations
from symlayout.errors import CODES, LayoutError


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert set(explanations()) == set(CODES)


def code_of(example: str) -> str:
    """The code that Python's example leads to: by an error, or as the value of its last line."""
    *before, last = [line.removeprefix(">>> ") for line in example.strip().splitlines()]
    names: dict[str, Any] = {}
    try:
        exec("\n".join(before), names)
        return str(eval(last, names))
    except LayoutError as error:
        return error.code
    except Exception as error:
        return internal(error)[:5]


@pytest.mark.parametrize("code", explanations())
def test_the_example_provokes_the_code(
    code: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = explanations()[code]
    if page.example.startswith(">>> "):
        assert code_of(page.example) == code
        return
    monkeypatch.chdir(tmp_path)
    command, *argv = shlex.split(page.example)
    assert command == "symlayout"
    if page.file:
        (tmp_path / argv[-1]).write_text(page.file)
    assert main(argv) == (1 if argv[0] == "prove" and code == "SL723" else 2)
    out, err = capsys.readouterr()
    assert code in out + err


@pytest.mark.parametrize("code", CODES)
def test_the_page_is_complete(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code.lower()]) == 0
    out = capsys.readouterr().out
    assert out == explanation(code)
    assert out.startswith(f"{code}: {CODES[code]}\n")
    assert all(line in out for line in explanations()[code].example.splitlines())
    assert "What to do: " in out
    assert max(map(len, out.splitlines())) <= 100


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{c}  {m}" for c, m in CODES.items()]
