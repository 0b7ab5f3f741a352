"""Conditions over sizes by cases: an answer is what listing small sizes says."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symlayout.digits import clauses
from symlayout.digits.clauses import Cases
from symlayout.digits.sizes import SizeReasoner
from symlayout.expr.facts import Facts, read_relations

NAMES = ("A", "B", "C")
TOP = 9
SIDES = ("A", "B", "C", "1", "2", "6", "2*A", "3*B", "A*B", "A + B", "B - C", "0 - A")
RELATIONS = st.tuples(
    st.sampled_from(SIDES),
    st.sampled_from(("==", "!=", "<=", "<", ">=", ">")),
    st.sampled_from(SIDES),
).map(" ".join)
CLAUSES = st.lists(RELATIONS, min_size=1, max_size=3)
FACTS = st.lists(
    st.sampled_from(("A == 2*B", "B <= 4", "A % 4 == 0", "C >= A", "A != B", "C == 1", "A >= 0")),
    max_size=2,
)


def plain(text: str, env: dict[str, int]) -> bool:
    return bool(eval(text, {}, dict(env)))


@given(
    FACTS,
    st.lists(CLAUSES, max_size=3),
    st.lists(st.lists(CLAUSES, min_size=1, max_size=2), max_size=2),
)
@example([], [["A == 1", "A == B", "B == 1"]], [[["A == 1", "A == B", "B == 1"]]])
@example(["A == 2*B"], [["A == 1"]], [])
@example([], [], [[["2*A != 1"]]])
@example(["A >= 0"], [["A < 1"], ["B == A"]], [])
@example([], [["A == B - C"], ["B <= C"]], [])
def test_an_answer_is_what_listing_says(
    facts: list[str], holding: list[list[str]], broken: list[list[list[str]]]
) -> None:
    def clause(texts: list[str]) -> tuple:
        return tuple(r for t in texts for r in read_relations(t))

    known = Facts.read(facts)
    said = [clause(c) for c in holding], [[clause(c) for c in b] for b in broken]
    answer = Cases(known, NAMES).satisfiable(*said)
    least = [0 if "A >= 0" in facts else 1, 1, 1]

    def true(env: dict[str, int]) -> bool:
        return (
            all(plain(t, env) for t in facts)
            and all(any(plain(t, env) for t in c) for c in holding)
            and all(any(not any(plain(t, env) for t in c) for c in b) for b in broken)
        )

    hit = any(
        true(dict(zip(NAMES, row))) for row in product(*[range(low, TOP + 1) for low in least])
    )
    if hit:
        assert answer is not False
    elif answer:  # then sizes beyond those listed do, and the solver knows some
        asked, sizes = SizeReasoner(known, NAMES)._ask(*said)
        assert asked == "sat"
        assert true(sizes)


def test_so_many_cases_are_looked_at_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = tuple(r for t in ("A == 1", "A == B", "B == 1") for r in read_relations(t))
    assert Cases(Facts(), NAMES).satisfiable([ways], [[ways]]) is False
    monkeypatch.setattr(clauses, "MOST_CASES", 2)
    assert Cases(Facts(), NAMES).satisfiable([ways], [[ways]]) is None


def test_what_broadcasts_ask_needs_no_solver() -> None:
    ways = tuple(r for t in ("A == 1", "A == B", "B == 1") for r in read_relations(t))
    cases = Cases(Facts(), NAMES)
    assert cases.satisfiable([ways], [[ways]]) is False
    assert cases.satisfiable([ways], []) is True
    known = Cases(Facts.read("A == 42*B"), NAMES)
    assert known.satisfiable([read_relations("A == 1")], []) is False
    assert known.satisfiable([ways], []) is True


@given(FACTS, st.lists(CLAUSES, min_size=1, max_size=2), st.sampled_from(["A >= 1", "A & 1 == 1"]))
def test_what_facts_say_is_what_listing_says(
    facts: list[str], wanted: list[list[str]], more: str
) -> None:
    """Each clause has a true relation at all sizes that there are, of which none is large."""
    facts = [*facts, more, *[f"{n} <= 3" for n in NAMES]]
    read = [tuple(r for t in c for r in read_relations(t)) for c in wanted]
    answer = SizeReasoner(Facts.read(facts), NAMES).entails(read)
    least = [0 if "A >= 0" in facts else 1, 1, 1]
    rows = [dict(zip(NAMES, row)) for row in product(*[range(low, 4) for low in least])]
    rows = [env for env in rows if all(plain(t, env) for t in facts)]
    true = all(any(plain(t, env) for t in c) for c in wanted for env in rows)
    assert answer in ((true,) if more == "A >= 1" else (None, true))


def test_a_model_of_a_solver_that_knows_no_bits_is_tried() -> None:
    bits = SizeReasoner(Facts.read("A & B == 40"), ("A", "B"))
    assert bits.entails([read_relations("A >= 40")]) is not False
    assert bits.entails([read_relations("A >= 41")]) is not True
    far = SizeReasoner(Facts.read(["A == 5*B", "B >= 77"]), ("A", "B"))
    assert far.entails([read_relations("A >= 385")]) is True
    assert far.entails([read_relations("A >= 386")]) is False
