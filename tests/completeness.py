"""What is added by halves: each guard compares a table with everything that must know its rows.

A guard returns sentences that name what is missing; the tests want none.  They read the package that
is imported, so that `tests/test_recipes.py` can ask them about a copy.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import symlayout
from symlayout.hooks import hook
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.notation import NOTATIONS, Layout, Notation, notation_of, parse
from symlayout.layouts.vocabulary import CLAIMS

ROOT = Path(__file__).parents[1]


def notations() -> list[str]:
    """Each notation reads, prints, draws, and is defined by the checker and by the campaign."""
    from soundness import doors, drawing

    from symlayout.certificate.layouts import DEFINITIONS, OF_LAYOUTS

    page = (ROOT / "docs" / "grammar.md").read_text(encoding="utf-8").splitlines()
    found = [f"notation {n.name!r} {what}" for n in NOTATIONS.values() for what in _of_values(n)]
    for row in NOTATIONS.values():
        shown = f"| {row.name} | `{row.example}`{', ' + row.more if row.more else ''} |"
        if shown not in page:
            found.append(f"notation {row.name!r} has no row in docs/grammar.md: {shown}")
    checked = [*DEFINITIONS, *OF_LAYOUTS]
    found += _differences("notation", NOTATIONS, checked, "definition in the checker")
    drawn = [*drawing.NOTATIONS, *doors.FUNCTIONS]
    found += _differences("notation", NOTATIONS, drawn, "definition in the campaign")
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
    if not isinstance(value, IndexFunction) and value.index_map().reference is None:
        yield "has no definition in plain integers"
    whole = not isinstance(value, IndexFunction) or value.plain
    if whole and "<svg" not in hook("html")(value):
        yield f"does not draw its example {row.example}"


def _differences(kind: str, rows: Iterable[str], others: Iterable[str], what: str) -> Iterator[str]:
    """Rows of a table that another one lacks, and the other way around."""
    rows, others = list(rows), list(others)
    yield from (f"{kind} {name!r} has no {what}" for name in rows if name not in others)
    yield from (f"{what} for a {kind} {name!r} that no table has" for name in others
                if name not in rows)  # fmt: skip


def claim_words() -> list[str]:
    """Each claim word is a function, has a meaning in the checker, and is drawn by the campaign."""
    from soundness.claims import WORDS

    from symlayout import prove
    from symlayout.certificate.semantics import ELSEWHERE, Claim

    homes = [word for word in CLAIMS if callable(_attribute(prove, word))]
    found = list(_differences("claim word", CLAIMS, homes, "function in symlayout.prove"))
    found += _differences("claim word", CLAIMS, WORDS, "random claim in the campaign")
    meant = [w for w in CLAIMS if hasattr(Claim, f"_{w}") or w in ELSEWHERE]
    return [*found, *_differences("claim word", CLAIMS, meant, "meaning in the checker")]


def _attribute(module: Any, name: str) -> Any:
    """What a module has under a name; None where it cannot be loaded."""
    try:
        return getattr(module, name)
    except (AttributeError, ImportError, TypeError):
        return None


def laws() -> list[str]:
    """Each law is proved by the solvers; each rule of the engine is tried on examples."""
    folder = Path(symlayout.__file__).parent / "certificate"
    names = list(tomllib.loads((folder / "lemmas.toml").read_text(encoding="utf-8")))
    proved = {p.stem.rpartition("-")[0] for p in (ROOT / "proofs" / "lemmas").glob("*-1.smt2")}
    tried = (ROOT / "tests" / "test_rules.py").read_text(encoding="utf-8")
    found = [f"law {n!r} has no proof in proofs/lemmas" for n in names if n not in proved]
    rules = [n for n in names if re.fullmatch(r"R\d+", n)]
    return found + [
        f"rule {n!r} has no example in tests/test_rules.py"
        for n in rules
        if not re.search(rf"\b{n}\b", tried)
    ]


def outputs() -> list[str]:
    """Each target and each report format is one file with its function, and one word of a table."""
    from symlayout.checks import report
    from symlayout.render import emit

    found: list[str] = []
    for package, table, what, function in (
        (emit, emit.TARGETS, "target", "emit"),
        (report, report.FORMATS, "report format", "render"),
    ):
        folder = Path(package.__file__ or "").parent
        files = {
            p.stem
            for p in folder.glob("*.py")
            if re.search(rf"^def {function}\(", p.read_text(encoding="utf-8"), re.M)
        }
        found += _differences(what, table, files - {"__init__"}, f"file with a function {function}")
    golden = {p.name.split(".")[1] for p in (ROOT / "tests" / "golden").glob("defects.*")}
    found += [f"report format {n!r} has no golden file" for n in report.FORMATS if n not in golden]
    return found


GUARDS = {
    "notations": notations,
    "claim_words": claim_words,
    "laws": laws,
    "outputs": outputs,
}


def missing_parts() -> list[str]:
    """What any guard finds missing."""
    return [sentence for guard in GUARDS.values() for sentence in guard()]
