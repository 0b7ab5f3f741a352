"""Terms: what is made of a term is what the grammar reads in its text."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import LayoutError
from symlayout.expr.machine import INT, INT64, UINT32, UINT64, Machine
from symlayout.expr.normal import DEEPEST, condition, normal
from symlayout.expr.reader import Scanner, any_name, condition_at, read_expression
from symlayout.expr.term import ARITHMETIC, COMPARISONS, Term
from symlayout.expr.written import as_written
from symlayout.layouts.claim import Claim
from symlayout.layouts.maps.reader import read_map
from symlayout.layouts.maps.terms import MapText, Part, TermMap, map_text
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import parse
from symlayout.prove import verdict_of

LANES = {0: "lane0", 1: "lane1"}
KINDS = st.sampled_from([None, INT, UINT32, INT64, UINT64])
WORDS = st.sampled_from(["n", "m", "pid", "BLOCK"])
NUMBERS = st.one_of(st.integers(-9, 9), st.sampled_from([31, 1 << 31, (1 << 32) - 1, 1 << 40]))


def num(value: int, kind: Machine | None = None) -> Term:
    return Term("num", number=value, type=kind)


LEAVES = st.one_of(
    st.builds(num, NUMBERS, KINDS),
    st.builds(lambda w, t: Term("name", word=w, type=t), WORDS, KINDS),
    st.builds(lambda k: Term("lane", number=k, type=INT), st.sampled_from([0, 1])),
    st.builds(
        lambda w, args, t: Term("unknown", args, w, type=t),
        st.sampled_from(["value1", "value2"]),
        st.sampled_from([(), (Term("lane", number=0, type=INT),)]),
        KINDS,
    ),
)


def operations(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    tests = comparisons(inner)
    return st.one_of(
        st.builds(
            lambda op, a, b: Term(op, (a, b)),
            st.sampled_from(sorted({*ARITHMETIC, "/", "rem", "<<", ">>"})),
            inner,
            inner,
        ),
        st.builds(lambda a, t: Term("cast", (a,), type=t), inner, KINDS),
        st.builds(lambda c, a, b: Term("where", (c, a, b)), tests, inner, inner),
    )


def comparisons(values: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    signs = st.sampled_from(sorted(COMPARISONS))
    return st.builds(lambda op, a, b: Term(op, (a, b)), signs, values, values)


TERMS = st.deferred(lambda: st.recursive(LEAVES, operations, max_leaves=8))

CONDITIONS = st.recursive(
    st.one_of(comparisons(TERMS), st.sampled_from([Term("true"), Term("false")])),
    lambda own: st.one_of(
        st.builds(lambda op, a, b: Term(op, (a, b)), st.sampled_from(["and", "or"]), own, own),
        st.builds(lambda a: Term("not", (a,)), own),
    ),
    max_leaves=4,
)


def outcome(make: Any, *args: Any) -> Any:
    """What is made, or that it is an error."""
    try:
        return make(*args)
    except LayoutError:
        return LayoutError


def read_terms(text: str, of_condition: bool) -> Term:
    s = Scanner(text)
    s.exclusive = "apart"
    as_written(s)
    tree: Any = (condition_at if of_condition else s.expressions)(s, any_name)
    placed = tree if of_condition else tree.whole()
    s.end("the text")
    term: Term = placed.term
    return term


def read_condition(text: str) -> Any:
    s = Scanner(text)
    c = condition_at(s, any_name)
    s.end("the text")
    return c


@settings(max_examples=250, deadline=None)
@given(TERMS, st.booleans())
def test_the_grammar_reads_the_term_that_is_written(term: Term, typed: bool) -> None:
    text, own = term.text(LANES, typed), term.written(LANES, typed)
    value = outcome(read_expression, text)
    if value is not LayoutError:
        assert read_terms(text, False) is own, text
        assert own.written(typed=typed) is own
    if own.depth <= DEEPEST:
        assert outcome(normal, own) == value, text


@settings(max_examples=150, deadline=None)
@given(CONDITIONS, st.booleans())
def test_the_grammar_reads_the_condition_that_is_written(term: Term, typed: bool) -> None:
    text, own = term.text(LANES, typed), term.written(LANES, typed)
    value = outcome(read_condition, text)
    if value is not LayoutError:
        assert read_terms(text, True) is own, text
    if own.depth <= DEEPEST:
        assert outcome(condition, own) == value, text


def of_terms(ends: list[Term], guard: list[Term], results: list[Term], typed: bool) -> MapText:
    """A map over one variable for each end."""
    ranges = tuple((f"i{k}", num(0).written(), e.written(LANES)) for k, e in enumerate(ends))
    domain = ", ".join(f"i{k} < {e.text(LANES)}" for k, e in enumerate(ends))
    tests = " and ".join(f"({c.text(LANES, typed)})" for c in guard)
    terms = TermMap(ranges, tuple(c.written(LANES, typed) for c in guard), ())
    parts = [Part(r.text(LANES, typed), r.written(LANES, typed)) for r in results]
    return map_text(f"{domain}{f' if {tests}' if tests else ''}", terms, parts)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(TERMS, min_size=1, max_size=2),
    st.lists(CONDITIONS, max_size=2),
    st.lists(TERMS, min_size=1, max_size=3),
    st.booleans(),
)
def test_a_map_of_terms_is_the_map_that_its_text_is_read_as(
    ends: list[Term], guard: list[Term], results: list[Term], typed: bool
) -> None:
    text = of_terms(ends, guard, results, typed)
    f, read = text.terms.function(), outcome(read_map, str(text))
    if f is None:
        return  # then the text is read, or refused
    assert read is not LayoutError, text
    assert f == read, text
    assert parse(text) == read
    assert parse(text).source[0] is text
    own, other = written_map(parse(text)), written_map(read)
    assert own[:5] == other[:5], text
    types = {"n": INT64, "m": UINT32}
    assert own.typed(types)[:3] == other.typed(types)[:3], text


CHAINS = [  # what cancels, folds or is multiplied out in one order, and not in another
    "2*(n + m)*pid",
    "(n + m)*2*pid - (n + m)*pid",
    "pid*(2*(n + m))",
    "2*(n + m) + 3*(n + m)*pid",
    "(n + m) - (n + m)",
    "n//m - n//m",
    "0*(n//m)",
    "(n//m)*0 + (pid%m)*0",
    "(n//m if pid < n else 0) - (n//m if pid < n else 0)",
    "0*(n//m if pid < n//BLOCK else 0)",
    "0*(1 if n//m < pid else 2)",
    "(5 if 0*(n//m) < 1 else 6)",
    "min(n//m, n//m) - n//m",
    "truncdiv(n, m)*0 - truncmod(n, m)*0",
    "(n << pid) - (n << pid)",
    "(n & 7) + (n & (-8))",
    "((n ^ 5) | 3) - (n >> 2)",
    "ceildiv(n*m, m) - int64(n)",
]


@pytest.mark.parametrize("text", CHAINS)
def test_sums_and_products_are_joined_as_the_grammar_joins_them(text: str) -> None:
    term = read_terms(text, False)
    for part in term.steps():
        if not part.is_condition:
            assert normal(part) == read_expression(part.text(typed=True)), part.text()
    assert str(normal(term)) == str(read_expression(text))


def test_small_maps_are_made_without_the_grammar() -> None:
    n, i = Term("name", word="n", type=INT64), Term("name", word="i0", type=INT)
    one = Term("<", (Term("+", (i, num(1))), n))
    text = of_terms([n], [one], [Term("*", (i, num(-2)))], True)
    assert str(text) == "map i0 < n if (i0 + 1 < int64(n)): i0*(-2)"
    assert text.terms.function() == read_map(str(text))
    wide = written_map(parse(text)).typed({})
    assert wide.guard is not None
    assert wide.text(wide.guard.args[1]) == "int64(n)"
    assert wide.text(wide.guard.args[1].args[0]) == "n"


@pytest.mark.parametrize(
    "ranges",
    [
        [("if", "n")],
        [("i", "n"), ("i", "n")],
        [("i", "i")],
        [("i", "n.m")],
        [("i", "j"), ("j", "n")],
    ],
)
def test_names_that_the_grammar_refuses_are_left_to_it(ranges: list[tuple[str, str]]) -> None:
    zero = num(0).written()
    rows = tuple((w, zero, Term("name", word=e, type=INT)) for w, e in ranges)
    assert TermMap(rows, (), (zero,)).function() is None


def test_the_checker_reads_the_text_and_not_the_terms() -> None:
    """Terms that say less than the text prove another claim, and the recheck refuses it."""
    zero, two, four = (num(k).written() for k in (0, 2, 4))
    terms = TermMap((("i", zero, two),), (), (Term("name", word="i", type=INT),), (two,))
    lie = MapText("map i < 4: i in 2", terms)
    claim = Claim("bounded", (lie,))
    verdict = verdict_of(claim)
    assert verdict.status == "proved"  # of the terms
    assert claim.texts == ("map i < 4: i in 2",)
    assert type(claim.texts[0]) is str
    assert sl.prove.bounded(claim.texts[0]).status == "refuted"
    certificate = outcome(lambda: verdict.certificate)
    refused = certificate is LayoutError or certificate is None
    assert refused or not sl.recheck(certificate, f'bounded "{lie!s}"').ok
    assert TermMap((("i", zero, four),), (), terms.results, (two,)).function() == read_map(str(lie))


def test_equal_terms_are_one_object_in_every_process() -> None:
    a, b = Term("name", word="n", type=INT), num(3)
    total = Term("+", (a, b))
    assert total is Term("+", (Term("name", word="n", type=INT), num(3)))
    assert total is not Term("+", (b, a))
    assert Term("name", word="n", type=INT64) is not a
    assert pickle.loads(pickle.dumps(total)) is total
    assert str(total.type) == "int32"
