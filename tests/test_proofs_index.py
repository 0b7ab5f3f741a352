"""The book of proofs: every theorem is there, in one form, proved, and its index is true."""

from __future__ import annotations

import re
from pathlib import Path

import book
import pytest

from symlayout import Report

PROOFS = Path(__file__).parents[1] / "proofs"

FILES = sorted(p.name for p in PROOFS.glob("*.layout.toml"))

WITHOUT_RANK = {"10-formats.layout.toml"}

WHOLE = 20  # seconds


@pytest.fixture(scope="module")
def found() -> dict[str, tuple[Report, float]]:
    made: dict[str, tuple[Report, float]] = book.proved(book.theorems())
    return made


def test_the_theorems_are_numbered_from_1() -> None:
    assert [t.title.split(". ")[0] for t in book.theorems()] == [str(n) for n in range(1, 13)]
    assert [t.file for t in book.theorems()] == FILES
    assert [int(f.split("-")[0]) for f in FILES] == list(range(1, 13))


@pytest.mark.parametrize("file", FILES)
def test_a_chapter_has_its_sections_in_order(file: str) -> None:
    theorem = book.read(PROOFS / file)
    assert tuple(theorem.sections) == book.SECTIONS
    assert all(text.strip() for text in theorem.sections.values())
    assert "The idea." in theorem.sections["Main statements"]
    lines = (PROOFS / file).read_text().splitlines()
    assert lines[0].startswith("# # ")
    assert not next(line for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("file", [f for f in FILES if f not in WITHOUT_RANK])
def test_what_holds_for_every_rank_has_a_base_and_a_step(file: str) -> None:
    roles = book.read(PROOFS / file).counts
    assert roles["base"] >= 1
    assert roles["step"] >= 2


def test_the_index_is_what_the_command_writes(found: dict[str, tuple[Report, float]]) -> None:
    written = (PROOFS / "README.md").read_text(encoding="utf-8")
    promised = re.findall(r"\]\((\S+\.toml)\).*\| < (\d+) s \|", written)
    bounds = {file: int(seconds) for file, seconds in promised}
    assert list(bounds) == FILES
    assert book.index(book.theorems(), bounds) == written
    assert sum(seconds for _, seconds in found.values()) < WHOLE
    for file, (_, seconds) in found.items():
        assert seconds < bounds[file], f"{file} takes longer: run python proofs/book.py"


def test_the_command_writes_and_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (PROOFS / FILES[0]).read_text()
    (tmp_path / FILES[0]).write_text(source)
    monkeypatch.setattr(book, "HERE", tmp_path)
    monkeypatch.setattr(book, "INDEX", tmp_path / "README.md")
    assert book.main(["--print"]) == 0
    printed = capsys.readouterr().out
    assert not (tmp_path / "README.md").exists()
    assert book.main([]) == 0
    assert (tmp_path / "README.md").read_text() == printed
    (tmp_path / FILES[0]).write_text(source.replace("L*d + e < P*d", "L*d + e < P*d - 1"))
    assert book.main([]) == 1
    assert "not as expected: step, inside" in capsys.readouterr().err
