"""Properties of internal modules; `tests/test_lemmas.py` tests the public interface."""

from __future__ import annotations

from itertools import product
from typing import Any

import lemmas
import pytest
from test_lemmas import BY, OBLIGATIONS, ROWS, UNSAT, WORDS, by_name, failure, variables

from symlayout.certificate.proof import laws
from symlayout.certificate.solvers import answers
from symlayout.expr.facts import read_relations
from symlayout.expr.terms import KINDS

SAT = {"Z3": "sat", "cvc5": "sat"}


def asked(name: str, row: dict[str, Any]) -> list[dict[str, str]]:
    """What the solvers say of a row's obligations."""
    given = lemmas.lemma(name, row, BY.get(name, {}))
    return [answers(o.text) for o in lemmas.obligations(given)]


# -- the laws ------------------------------------------------------------------------------------


@pytest.mark.sample(19)
@pytest.mark.parametrize("obligation", OBLIGATIONS, **by_name)
def test_both_solvers_prove_it(obligation: Any) -> None:
    assert answers(obligation.text) == UNSAT


def test_the_proofs_are_of_the_laws_that_recheck_reads() -> None:
    given = {g.name: g for g in lemmas.lemmas()}
    assert list(given) == list(ROWS)
    # after them come the laws of operators, which `proofs/coq/Lemmas.v` proves
    operators = [name for name in laws() if name not in ROWS]
    assert list(laws()) == [*ROWS, *operators]
    assert {name.partition("_")[0] for name in operators} <= {*KINDS}
    for name, law in [*laws().items()][: len(ROWS)]:
        assert {*law.variables} <= {*variables(ROWS[name])}
        assert law.new == given[name].new
        for relations, texts in (
            (law.premises, given[name].premises),
            (law.conclusions, given[name].conclusions),
        ):
            assert list(relations) == [r for t in texts for r in read_relations(t)]
        parts = {o.name for o in OBLIGATIONS if o.name.rpartition("-")[0] == name}
        divides = any(w in t for t in ROWS[name]["then"] for w in ("//", "%", "div", "trunc"))
        divides |= any("//" in t for t in ROWS[name].get("new", {}).values())
        numbers = {f"{name}-{k}" for k in range(1, len(law.conclusions) + 1)}
        assert parts == numbers | ({f"{name}-divisors"} if divides else set())


# -- what is not a law ---------------------------------------------------------------------------

FOLLOWS = {("R2", 0), ("R6", 0)}  # 0 <= r < d says that d >= 1

PREMISES = [(name, k) for name, row in ROWS.items() for k in range(len(row.get("if", ())))]


@pytest.mark.sample(14)
@pytest.mark.parametrize(("name", "k"), PREMISES)
def test_a_premise_is_needed(name: str, k: int) -> None:
    row = {**ROWS[name], "if": [p for n, p in enumerate(ROWS[name]["if"]) if n != k]}
    if (name, k) in FOLLOWS:
        assert failure(row) is None
        assert all(said == UNSAT for said in asked(name, row))
    else:
        assert failure(row) is not None
        assert SAT in asked(name, row)


WRONG = [
    ("product", "b >= 0", "b >= -1"),
    ("square", "a*a + b >= 0", "a*a - a + b >= 1"),
    ("cancel", "d - 1 >= 0", "d >= 0"),
    ("ends", "a*low + b >= 0", "a*low + b >= -1"),
    ("either", "u*b + v >= 0", "u*b + v + 1 >= 0"),
    ("apart", "x - 1 >= 0", "x - 2 >= 0"),
    ("Euclid", "r < d", "r < d - 1"),
    ("Euclid", "d >= 1", "d != 0"),
    ("Euclid", "d >= 1", "d >= 0"),
    ("min", "m <= b", "m < b"),
    ("max", "(m - a)*(m - b) == 0", "(m - a)*(m - b) == 1"),
    ("power", "p >= k + 1", "p >= k + 2"),
    ("power", "p >= 1", "p >= 2"),
    ("powers", "(1 << a)*(1 << b)", "(1 << a)*(2 << b)"),
    ("difference", "b + g*min(e, 0)", "b + min(g, e)"),
    ("R1", "u + v//d", "u - v//d"),
    ("R2", "r < d", "r <= d"),
    ("R3", "x + a*c", "x + b*c"),
    ("R4", "(x//a)%b", "(x//b)%a"),
    ("R5", "x%(a*b)", "x%(a + b)"),
    ("R6", "r < g", "r <= g"),
    ("R7", "q*s + r < k*s", "q*s + r < k*s - 1"),
    ("R8", "c*k)*x", "c*k)*x + 1"),
    ("R9", "(x + c)//d + k", "(x + c)//d + k*d"),
    ("R10", "x//t <= (n - 1)//t", "x//t < (n - 1)//t"),
    ("R11", "t == s*n", "t == s + n"),
    ("ceiling", "x + d - 1", "x + d"),
    ("ceiling_by_negative", "0 - (0 - x)//d", "(0 - x)//d"),
    ("negative", "0 - (0 - x)%(0 - d)", "(0 - x)%(0 - d)"),
    ("towards_zero", "x >= 0", "x >= -1"),
    ("towards_zero_from_below", "0 - (0 - x)%d", "(0 - x)%d"),
    ("towards_zero_signs", "truncmod(x, 0 - d)", "0 - truncmod(x, 0 - d)"),
    ("truncation", "r > 0 - d", "r >= 0"),
]


@pytest.mark.parametrize(("name", "old", "new"), WRONG)
def test_a_wrong_law_is_turned_down(name: str, old: str, new: str) -> None:
    row = {
        key: [t.replace(old, new) for t in value] if isinstance(value, list) else value
        for key, value in ROWS[name].items()
    }
    assert row != ROWS[name]
    assert failure(row) is not None
    assert SAT in asked(name, row)


def one_value(given: list[str], word: str, value: int) -> None:
    """The premises leave a word this value, and no other one."""
    row = {"says": "", "if": given, "then": [f"{word} == {value}"]}
    assert asked("value", row)[-1] == UNSAT
    assert asked("value", {**row, "then": [f"{word} != {value}"]})[-1] == SAT


@pytest.mark.sample(3)
@pytest.mark.parametrize("d", [-3, -1, 2, 5])
@pytest.mark.parametrize("word", ["x//{}", "x%{}", *(f"{w}(x, {{}})" for w in [*WORDS][2:])])
def test_a_definition_leaves_one_value(word: str, d: int) -> None:
    text = word.format(f"({d})")
    for x in (-7, -6, 0, 6, 7):
        one_value([f"x == {x}"], text, eval(text, {**WORDS, "x": x}))


@pytest.mark.parametrize("word", ["min", "max"])
def test_the_least_and_the_greatest_of_three(word: str) -> None:
    for a, b, c in product((0, 1), repeat=3):
        given = [f"a == {a}", f"b == {b}", f"c == {c}"]
        one_value(given, f"{word}(a, b, c)", WORDS[word](a, b, c))
