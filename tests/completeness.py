"""What is added by halves: each guard compares a table with everything that must know its rows.

A guard returns sentences that name what is missing; the tests want none.  They read the package that
is imported, so that `tests/test_recipes.py` can ask them about a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import symlayout
from symlayout.hooks import hook
from symlayout.layouts.notation import NOTATIONS, Layout, Notation, notation_of, parse

ROOT = Path(symlayout.__file__).parents[1]


def notations() -> list[str]:
    """Each notation reads, prints, draws, and is defined by the checker and by the campaign."""
    from soundness import drawing

    from symlayout.certificate.layouts import DEFINITIONS

    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    found = [f"notation {n.name!r} {what}" for n in NOTATIONS.values() for what in _of_values(n)]
    for row in NOTATIONS.values():
        shown = f"| {row.name} | `{row.example}`{', ' + row.more if row.more else ''} |"
        if shown not in readme:
            found.append(f"notation {row.name!r} has no row in README.md: {shown}")
    found += _differences("notation", NOTATIONS, DEFINITIONS, "definition in the checker")
    found += _differences("notation", NOTATIONS, drawing.NOTATIONS, "definition in the campaign")
    return found


def _of_values(row: Notation) -> Iterator[str]:
    """What a notation's example lacks."""
    if notation_of(row.example) is not row:
        yield f"does not read its example: it is in notation {notation_of(row.example).name!r}"
        return
    value = parse(row.example)
    if not isinstance(value, Layout):
        yield f"gives a {type(value).__name__}, which lacks a method of the protocol Layout"
        return
    if parse(str(value)) != value:
        yield f"does not read what it prints: {value}"
    if value.index_map().reference is None:
        yield "has no definition in plain integers"
    if "<svg" not in hook("html")(value):
        yield f"does not draw its example {row.example}"


def _differences(kind: str, rows: Iterable[str], others: Iterable[str], what: str) -> Iterator[str]:
    """Rows of a table that another one lacks, and the other way around."""
    rows, others = list(rows), list(others)
    yield from (f"{kind} {name!r} has no {what}" for name in rows if name not in others)
    yield from (f"{what} for a {kind} {name!r} that no table has" for name in others
                if name not in rows)  # fmt: skip


GUARDS = {"notations": notations}


def missing_parts() -> list[str]:
    """What any guard finds missing."""
    return [sentence for guard in GUARDS.values() for sentence in guard()]
