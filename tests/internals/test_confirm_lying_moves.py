"""A checker whose moves lie: it verifies certificates of false claims, and Z3 confirms none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from certificates import seal

from symlayout import Claim, prove, recheck
from symlayout.certificate import worlds
from symlayout.certificate.cases import Case, World, of_comparison, read
from symlayout.certificate.casework import Casework
from symlayout.certificate.codec import FORMAT, VERSION, read_proof
from symlayout.certificate.confirm import claims as confirming
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.elaborator import claim_json, facts_of
from symlayout.certificate.exact import Rejected, Work
from symlayout.certificate.goals import Goals
from symlayout.certificate.moves import MOVES, Step, move_of
from symlayout.certificate.part import Part
from symlayout.certificate.script import Script
from symlayout.certificate.semantics import Claim as Meaning
from symlayout.expr.terms import symbol
from symlayout.prove.maps.moves import other_sizes, reindex

HONEST = {name: move_of(name) for name in MOVES}


def first_alone(word: str) -> Callable[..., Step]:
    def lie(g: Goals, w: World, case: Case, *texts: str) -> Step:
        parts, cases = HONEST[word](g, w, case, *texts)
        return parts, cases[:1]

    return lie


def unproved(word: str) -> Callable[..., Step]:
    """The cases that the move makes, of which nothing is shown."""

    def lie(g: Goals, w: World, case: Case, *texts: str) -> Step:
        return [], HONEST[word](g, w, case, *texts)[1]

    return lie


def exact(g: Goals, w: World, case: Case, *texts: str) -> Step:
    """More points that count as if they were the domain's."""
    parts, (wide,) = HONEST["weaken"](g, w, case, *texts)
    return parts, [replace(wide, loose=False)]


def one_more(g: Goals, w: World, case: Case, *texts: str) -> Step:
    """Digits of which the first has a value more."""
    parts, (new,) = HONEST["reindex"](g, w, case, *texts)
    (h, many), *rest = new.box
    return parts, [replace(new, box=((h, many + 1), *rest))]


def forth_alone(g: Goals, w: World, case: Case, *texts: str) -> Step:
    """Other coordinates, of which the new ones need not be from the old ones."""
    parts, cases = HONEST["reindex"](g, w, case, *texts)
    return parts[:1], cases


def other_result(g: Goals, w: World, case: Case, *texts: str) -> Step:
    """A second half whose results are others, so that they differ from those of the first."""
    parts, (low, high) = HONEST["split"](g, w, case, *texts)
    moved = tuple(e + read("N") for e in high.results[:1])
    return parts, [low, replace(high, results=(*moved, *high.results[1:]))]


def smaller(g: Goals, w: World, case: Case, *texts: str) -> Step:
    """Halves without the last point of each."""
    parts, cases = HONEST["split"](g, w, case, *texts)
    boxes = [tuple((y, d - 1 if y == symbol("i") else d) for y, d in c.box) for c in cases]
    return parts, [replace(c, box=b) for c, b in zip(cases, boxes)]


def first_side(script: Script, w: World, how: str, c: Any, deep: int) -> Iterator[Part]:
    """The sizes for which a condition is true, and no others."""
    yield from script.world(w._replace(facts=(*w.facts, of_comparison(c))), deep - 1)


WRAPPED = ("injective", "map i < 2*N: (i % N, 0) in (N, 1)")
HALVES = ("injective", "map i < N: (i//2, 0) in (N, 1)")
LAST = ("bounded", "map i < N + 1: (i, 0) in (N, 1)")
PLACES = [["leaf"]] * 3
OPEN = ["split", "open", "i < N"]
LOW = reindex({"i": "i"}, {"i": ("N", "i")}, known=1)
HIGH = reindex({"i": "i + N"}, {"i": ("N", "i - N")}, known=1)
DIGITS = {"h": ("N", "i//2"), "l": ("2", "i%2")}
# the points before the first condition, and one of the rest
LAST_POINT = [["split", "known", "i < N"], ["leaf"]]
ABOUT = [["about", "0"], ["cases"], ["leaf"]]
LIES: dict[str, tuple[Any, str, Any, tuple[str, str], list[list[str]]]] = {
    "a case is left out": (
        *(MOVES, "split", first_alone("split"), WRAPPED),
        [["cases"], *PLACES, OPEN, LOW, ["leaf"], *ABOUT],
    ),
    "a bound is missed": (
        *(MOVES, "split", first_alone("split"), LAST),
        [["cases"], *PLACES, OPEN, LOW, ["leaf"]],
    ),
    "boxes are too small": (
        *(MOVES, "split", smaller, LAST),
        [["cases"], *PLACES, *LAST_POINT, ["leaf"]],
    ),
    "results are others": (
        *(MOVES, "split", other_result, WRAPPED),
        [
            ["cases"],
            *PLACES,
            OPEN,
            LOW,
            ["leaf"],
            HIGH,
            ["leaf"],
            ["apart", "r", "r0", "0"],
            *ABOUT,
        ],
    ),
    "more points count": (
        *(MOVES, "weaken", exact, ("bijective", "map i < N: (i, 0) in (N + 1, 1)")),
        [["cases"], *PLACES, ["weaken", "i", "N + 1"], ["leaf"]],
    ),
    "a digit has more values": (
        *(MOVES, "reindex", one_more, ("bijective", "map i < 2*N: (i, 0) in (2*N + 2, 1)")),
        [["cases"], *PLACES, reindex({"i": "2*h + l"}, DIGITS), ["leaf"]],
    ),
    "a coordinate has more values": (
        *(MOVES, "reindex", forth_alone, ("bijective", "map i < N: (i, 0) in (N + 1, 1)")),
        [["cases"], *PLACES, reindex({"i": "i"}, {"i": ("N + 1", "i")}), ["leaf"]],
    ),
    "points are said to be none": (
        *(MOVES, "split", unproved("split"), WRAPPED),
        [["cases"], *PLACES, ["split", "false", "0 < 1"], *ABOUT],
    ),
    "an extent is another": (
        *(MOVES, "reindex", unproved("reindex"), HALVES),
        [["cases"], *PLACES, reindex({"i": "i"}, {"i": ("1", "i")}), ["leaf"]],
    ),
    "a rotation turns twice": (
        *(MOVES, "reindex", unproved("reindex"), WRAPPED),
        [
            *(["cases"], *PLACES),
            reindex({"i": "y % N"}, {"y": ("N", "i % N")}, ["y", "0"]),
            *(["leaf"], *ABOUT),
        ],
    ),
    "rows overlap": (
        MOVES,
        "blocks",
        unproved("blocks"),
        ("injective", "map i < N, j < N: (i + j, 0) in (2*N, 1)"),
        [
            *(["cases"], *PLACES, ["leaf"]),
            ["blocks", "i", "j", "y", "2*N", "i + j", "y", "0"],
            ["leaf"],
        ],
    ),
    "sizes are left out": (
        *(worlds, "sides", first_side, ("bounded", "map i < N: (i, 0) in (N//2*2, 1)")),
        [
            ["split", "open", "N%2 < 1"],
            other_sizes({"N": "2*a"}, {"a": "N//2"}, ["a >= 0"], known=1),
            *(["cases"], *PLACES, ["leaf"]),
        ],
    ),
}


def certificate(claim: Claim, script: list[list[str]]) -> dict[str, Any]:
    """A certificate that takes the lies of the moves for true."""
    meaning = Meaning(confirming.statement_of(claim))
    table = {
        "format": FORMAT,
        "version": VERSION,
        **claim_json(claim, facts_of(claim)),
        "hint": None,
        "sizes": dict.fromkeys(meaning.names, 1),
        "by": "script",
        **Casework(meaning, script).whole(),
    }
    return {**table, "seal": seal(table)}


@pytest.mark.parametrize("kind", LIES)
def test_a_lying_move_confirms_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, lie, (word, text), script = LIES[kind]
    assert getattr(prove, word)(text).refuted
    if where is MOVES:
        monkeypatch.setitem(where, name, lie)
    else:
        monkeypatch.setattr(where, name, lie)
    claim = Claim(word, (text,))
    data = certificate(claim, script)
    verified = recheck(data)
    assert verified.ok, verified.failures  # so all that is left is Z3's own check of the moves
    with pytest.raises(NotConfirmed):
        confirming._in_steps(read_proof(data, Work()))
    assert confirming.by_certificate(confirming.statement_of(claim), data).status != "confirmed"


TRUE = {
    "split": (
        "injective",
        "map i < 2*N: (i, 0) in (2*N, 1)",
        [OPEN, LOW, ["leaf"], HIGH, ["leaf"], ["apart", "r", "r0", "0"]],
    ),
    "digits": (
        "bijective",
        "map i < 2*N: (i, 0) in (2*N, 1)",
        [reindex({"i": "2*h + l"}, DIGITS), ["leaf"]],
    ),
    "extent": (
        "injective",
        "map i < N: (i, 0) in (N, 1)",
        [reindex({"i": "i"}, {"i": ("N", "i")}), ["leaf"]],
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_an_honest_move_is_confirmed(name: str) -> None:
    word, text, rows = TRUE[name]
    data = certificate(claim := Claim(word, (text,)), [["cases"], *PLACES, *rows])
    assert recheck(data).ok
    script = confirming.by_certificate(confirming.statement_of(claim), data)
    assert script.status == "confirmed"


@pytest.mark.parametrize(
    "row", [["weaken", "i", "N + 1"], reindex({"i": "i"}, {"i": ("N + 1", "i")})]
)
def test_more_points_than_there_are_do_not_count(row: list[str]) -> None:
    """Nor do coordinates with values that no old one has."""
    claim = Claim("bijective", ("map i < N: (i, 0) in (N + 1, 1)",))
    with pytest.raises(Rejected, match=r"count|back"):
        certificate(claim, [["cases"], *PLACES, row, ["leaf"]])
    claim = Claim("injective", ("map i < N: (i, 0) in (N + 1, 1)",))
    data = certificate(claim, [["cases"], *PLACES, ["weaken", "i", "N + 1"], ["leaf"]])
    assert recheck(data).ok
