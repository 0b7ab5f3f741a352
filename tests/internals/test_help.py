"""Help pages: commands in groups, and examples that are valid command lines."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from symlayout.__main__ import main
from symlayout.checks.cli.examples import EXAMPLES, GROUPS
from symlayout.checks.cli.main import COMMANDS, parser

# commands whose examples name files that a reader has
OF_FILES = {"check", "contract", "scan", "accesses", "diff", "recheck", "lsp"}
LINES = [(name, line) for name, lines in EXAMPLES.items() for line in lines]


def test_every_command_is_in_one_group() -> None:
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS) == sorted(EXAMPLES)


def test_the_help_shows_the_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    places = [out.index(f"\n{title}:\n") for title in GROUPS]
    assert places == sorted(places)
    assert all(f"\n  {name:<12}{summary}\n" in out for name, (summary, _) in COMMANDS.items())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_page_ends_in_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    _, _, shown = capsys.readouterr().out.partition("\nexamples:\n")
    assert [line.strip() for line in shown.splitlines()] == list(EXAMPLES[name])


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_an_example_is_a_command(
    name: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(line)
    assert (program, words[0]) == ("symlayout", name)
    assert parser().parse_args(words).command == name
    if name not in OF_FILES:
        assert main(words) == 0


def test_a_claim_has_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "injective", "--help"]) == 0
    assert "--where" in capsys.readouterr().out
