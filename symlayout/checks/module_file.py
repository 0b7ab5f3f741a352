"""Loading a compiler's module: its layouts, bitcasts, broadcasts and shapes become tasks."""

from __future__ import annotations

from symlayout.checks.claims_file import Loaded
from symlayout.checks.result import Place, Problem, Task
from symlayout.checks.toml_file import read_text
from symlayout.errors import LayoutError

SUFFIXES = (".hlo", ".mlir")
LARGEST_MODULE = 100_000_000
PADDING_SHOWN = 5
PADDING_WORTH_SHOWING = 1.0


def load(file: str, max_padding: str | None = None) -> Loaded:
    """The tasks of a module, and what its layouts waste.

    With `max_padding` every buffer claims to be at most that many times as large as its array.
    """
    try:
        text = read_text(file, LARGEST_MODULE)
    except LayoutError as error:
        return Loaded(file, (), (Problem.of(error, Place(file, 1)),))
    from symlayout.hlo import module_claims, padding_report

    try:
        made = module_claims(text, file, max_padding)
        waste = padding_report(made.module, file)
    except LayoutError as error:
        return Loaded(file, (), (_problem(file, text, error),))
    entries = tuple(
        Task(
            c.name,
            c.word,
            c.arguments,
            c.options,
            place=Place(file, c.line, c.column, c.width, c.source),
        )
        for c in made.claims
    )
    problems = tuple(_problem(file, text, p) for p in made.problems)
    worst = waste.above(PADDING_WORTH_SHOWING)
    note = f"padding of {file}:\n{waste.table(PADDING_SHOWN)}" if worst else ""
    return Loaded(file, entries, problems, note, tuple(waste.as_json()))


def _problem(file: str, text: str, error: LayoutError) -> Problem:
    """The problem of an error that points into the module's text, or else at its first line."""
    if error.text == text and error.at is not None:
        place = Place.of(file, text, error.at, error.end)
        return Problem(error.code, error.message, place, error.help)
    return Problem.of(error, Place(file, 1))
