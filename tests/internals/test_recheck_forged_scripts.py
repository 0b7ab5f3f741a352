"""Scripts whose parts all hold, and from which a false claim does not follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from certificates import seal

from symlayout import Claim, prove, recheck
from symlayout.certificate.casework import Casework
from symlayout.certificate.codec import FORMAT, VERSION, read_texts
from symlayout.certificate.confirm.claims import by_certificate, statement_of
from symlayout.certificate.elaborator import claim_json, facts_of
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Part
from symlayout.certificate.script import Script as Checked
from symlayout.certificate.semantics import Claim as Meaning
from symlayout.errors import LayoutError

Script = list[list[str]]
PLACES = [["cases"], ["leaf"], ["leaf"]]  # two ranges, or one range and the box
NARROW = "min(3, max(6 - 3*y, 0))"
ROWS = "map y < 4, x < {}: 3*y + x in 12"
BACK = ["leaf", "offset//3", "offset%3"]
XOR = "map x < 4, j < 4*N: 4*(j%4 {} x) + j%4 + 16*(j//4)"
MEET = "map x < {}: x % {} in {}"


def same(old: str, new: str) -> list[str]:
    """An expression as another, by what is shown of it at the points of a case."""
    return ["rewrite", old, new, "1", old, new]


def renamed(sign: str) -> Script:
    both, again = f"(j%4) {sign} x", "(j%4) ^ x"
    move = ["xor", "x", "y", "4", "2", again, again, both, both, "4*y + j%4 + 16*(j//4)"]
    return [*PLACES, move, ["leaf", "offset%16//4", "offset%4 + offset//16*4"]]


def new_size(sign: str) -> list[str]:
    """Another name of a size, with what is false of a size and itself."""
    return ["reindex", "0", "0", "1", "q", "N", f"q {sign} N", "q >= N", "q <= N"]


def eight(number: str, by: str) -> list[str]:
    """A size for 8, and for another number what it does not equal."""
    pairs = ["8", "g"] if number == "8" else ["8", "g", number, by]
    return ["reindex", "99", str(len(pairs) // 2), "1", *pairs, "g", "8", "N >= 1", "g >= 1"]


def in_a_row(j: str) -> list[str]:
    """Rows of N places, one after the other."""
    return ["blocks", "i", j, "y", "N*N", f"N*i + {j}", "y"]


def by_half(sizes: str, more: str) -> Script:
    """The whole proof for the sizes at which a condition holds, and for all others."""
    ends = [[*PLACES, ["leaf", back]] for back in ("offset", more)]
    return [["split", "open", sizes], *ends[0], *ends[1]]


# the word, a claim that is true and the like of it that is false, each with its script
FORGED: dict[str, tuple[str, tuple[str, Script], tuple[str, Script]]] = {
    "a leaf gives nothing back": (
        "injective",
        ("map i < N, j < 4: 4*i + j", [*PLACES, ["leaf", "offset//4", "offset%4"]]),
        ("map i < N, j < 4: i + j", [*PLACES, ["leaf"]]),
    ),
    "a leaf gives one of two back": (
        "injective",
        ("map i < N, j < 4: 4*i + j", [*PLACES, ["leaf", "offset//4", "offset%4"]]),
        ("map i < N, j < 4: i", [*PLACES, ["leaf", "offset"]]),
    ),
    "a range has more points as an expression": (
        "onto",
        (ROWS.format("3"), [*PLACES, ["leaf"], BACK]),
        (ROWS.format(NARROW), [*PLACES, ["leaf"], same(NARROW, "3"), BACK]),
    ),
    "a range has more points by its bits": (
        "onto",
        (ROWS.format("3"), [*PLACES, ["leaf"], BACK]),
        (
            ROWS.format("(3 & 1 << y)"),
            [*PLACES, ["leaf"], ["bits", "apart", "(3 & 1 << y)", "3", "4"], BACK],
        ),
    ),
    "a range has more points by a condition": (
        "bijective",
        (ROWS.format("3"), [*PLACES, ["leaf"], BACK]),
        (ROWS.format("(3 if y < 2 else 0)"), [*PLACES, ["leaf"], ["split", "true", "y < 2"], BACK]),
    ),
    "an `and` is renamed as an exclusive or": (
        "injective",
        (XOR.format("^"), renamed("^")),
        (XOR.format("&"), renamed("&")),
    ),
    "an `or` is renamed as an exclusive or": (
        "injective",
        (XOR.format("^"), renamed("^")),
        (XOR.format("|"), renamed("|")),
    ),
    **{
        f"a new size is and is not {sign} what it stands for": (
            "injective",
            ("map x < N: 2*x in 2*N", [*PLACES, ["leaf", "offset//2"]]),
            ("map x < N: x//2 in N", [new_size(sign), *PLACES, ["leaf", "0"]]),
        )
        for sign in ("<", ">", "!=")
    },
    **{
        f"a number is another one{by}": (
            "injective",
            (
                "map x < 8, y < N: x + y*8",
                [eight("8", "g"), *PLACES, ["leaf", "offset%g", "offset//g"]],
            ),
            (
                f"map x < 8, y < N: x + y*{n}",
                [eight(n, e), *PLACES, ["leaf", "offset%g", "offset//g"]],
            ),
        )
        for by, n, e in (("", "7", "g"), (" as a product", "4", "g*g"), (" by one", "6", "g - 1"))
    },
    "rows are blocks of themselves": (
        "onto",
        (
            "map i < N, j < N: N*i + j in N*N",
            [*PLACES, ["leaf"], in_a_row("j"), ["leaf", "offset"]],
        ),
        ("map i < N: (N + 1)*i in N*N", [*PLACES, in_a_row("i"), ["leaf", "offset"]]),
    ),
    "sizes are split by a coordinate that cancels": (
        "injective",
        (MEET.format(2, 2, 2), [*PLACES, ["leaf", "offset"]]),
        (MEET.format(4, 2, 2), by_half("x < 4 - x", "offset + 2")),
    ),
    "sizes are split by a coordinate that is taken away": (
        "injective",
        (MEET.format(3, 3, 3), [*PLACES, ["leaf", "offset"]]),
        (MEET.format(6, 3, 3), by_half("x - 3 < 3 - x", "offset + 3")),
    ),
}


def forged(
    claim: Claim, script: Sequence[Sequence[str]], lies: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A certificate by a script, with steps for all parts for which there are some, or with lies."""
    meaning = Meaning(statement_of(claim))
    work = Casework(meaning, script)
    work.offset, parts = "offset", dict[str, Any]()
    for part in meaning.parts("script", read_texts(work.texts)):
        own = {x for r in part.facts or () for x in r.names} - set(part.names or ())
        facts = [r for r in part.facts or () if own.isdisjoint(r.names)]
        about = [r for r in part.facts or () if r not in facts and r.names <= part.box.keys()]
        given = part._replace(facts=facts, premises=[*about, *part.premises])
        parts[part.name] = (lies or {}).get(part.name) or work.content(given)
    table = {
        **{"format": FORMAT, "version": VERSION, "hint": None, "by": "script"},
        **claim_json(claim, facts_of(claim)),
        "sizes": dict.fromkeys(meaning.names, 1),
        **{"texts": work.texts, "parts": parts},
    }
    return {**table, "seal": seal(table)}


@pytest.mark.parametrize("kind", FORGED)
def test_a_script_shows_no_more_than_its_moves(kind: str) -> None:
    word, (true, by), (false, forgery) = FORGED[kind]
    assert getattr(prove, word)(false).refuted
    assert recheck(forged(Claim(word, (true,)), by)).ok
    with pytest.raises((Rejected, LayoutError)):  # or it is written, and accepted
        assert not (answer := recheck(forged(Claim(word, (false,)), forgery))).ok, answer


def instance(law: str, arguments: dict[str, str], **new: str) -> dict[str, Any]:
    return {"step": "law", "law": law, "with": arguments, "new": new, "why": []}


@pytest.mark.parametrize("name", ["j", "q"])
def test_a_new_unknown_has_no_name_of_a_goal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A range comes to depend on a later coordinate; where that is unknown, a law names it."""
    claim = Claim("injective", ("map i < min(N, 1), j < i + 1, k < 2: i",))
    wider = [["rewrite", "min(N, 1)", "min(N, 1) + j", "1", "j", "0"], ["weaken", "i", "0"]]
    script = [*PLACES, ["leaf"], *wider, ["leaf", "0", "0", "0"]]
    steps = [instance("min", {"a": "N", "b": "1"}, m="m1"), instance("let", {"x": "-m1"}, y=name)]
    lies = {"5 weaken": {"steps": steps, "goals": [["this", 0, "known"]]}}
    with pytest.raises(Rejected, match="5 weaken: j has no meaning here"):
        forged(claim, script, lies)
    monkeypatch.setattr(Part, "strangers", ())
    data = forged(claim, script, lies)
    assert recheck(data).ok == (name == "j")
    assert by_certificate(statement_of(claim), data).status != "confirmed"


@pytest.mark.parametrize(
    ("word", "texts", "fact"),
    [
        ("bounded", ["map x < 4: x in 2"], "x < 2"),
        ("bounded", ["map x < N: x in 2"], "x < 2"),
        ("injective", ["map x < 4: x % 2 in 2"], "x < 2"),
        ("inverse", ["map x < 4: x % 2 in 4", "map y < 4: y in 4"], "x < 2"),
        ("equal", ["map x < 4: x in 8", "map y < x + 1: y in 8"], "x <= 3"),
    ],
)
def test_a_variable_is_no_size(word: str, texts: list[str], fact: str) -> None:
    with pytest.raises(LayoutError) as error:
        Meaning(statement_of(Claim(word, tuple(texts), (), (fact,))))
    assert error.value.code == "SL401"


def forgetful(leaf: Callable[..., Iterator[Part]]) -> Callable[..., Iterator[Part]]:
    """Leaves that give no coordinates back."""

    def lie(*arguments: Any) -> Iterator[Part]:
        for part in leaf(*arguments):
            yield part if part.place is None else part._replace(goals=(), place=None)

    return lie


@pytest.mark.parametrize(
    ("kind", "name", "lie"),
    [
        ("a leaf gives nothing back", "leaf", forgetful(Checked.leaf)),
        ("sizes are split by a coordinate that cancels", "of_sizes", lambda self, w, e: e),
        ("sizes are split by a coordinate that is taken away", "of_sizes", lambda self, w, e: e),
    ],
)
def test_z3_does_not_confirm_what_the_script_alone_says(
    kind: str, name: str, lie: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    word, _, (false, script) = FORGED[kind]
    monkeypatch.setattr(Checked, name, lie)
    monkeypatch.setattr(Part, "strangers", ())
    claim = Claim(word, (false,))
    data = forged(claim, script)
    assert recheck(data).ok
    assert by_certificate(statement_of(claim), data).status != "confirmed"


@pytest.mark.parametrize(
    ("word", "text", "script"),
    [
        ("bounded", "map x < N: x*2 in N*2", [["reindex", "0", "1", "1", "3 - 2", "q", "q", "1"]]),
        ("bounded", "map x < N: x**3 in N**3", [*PLACES, same("1 + 2", "3")]),
        ("injective", "map x < N: x**2 in N**2", [*PLACES, same("1 + 1", "2")]),
        ("onto", "map x < N: x + 0*x in N", [["reindex", "0", "1", "1", "0", "q", "q", "0"]]),
    ],
)
def test_numbers_are_not_rewritten(word: str, text: str, script: Script) -> None:
    with pytest.raises(Rejected, match=r"number|no expression"):
        forged(Claim(word, (text,)), script)
