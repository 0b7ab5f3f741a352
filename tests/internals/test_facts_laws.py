"""Laws of facts, each against plain integers: intervals, congruences, domains, sums."""

from __future__ import annotations

from itertools import product

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError, sizes
from symlayout.expr.facts import COMPARE, Domain, Facts, Relation, read_relations, symbol
from symlayout.expr.tree import Integer

LAW = settings(max_examples=100, deadline=None, derandomize=True)
OPS = st.sampled_from(sorted(COMPARE))
SMALL = range(-40, 41)
M, N, K = (symbol(n) for n in "MNK")


def allowed(domain: Domain, span: range = SMALL) -> set[int]:
    """The values of a domain within a span, by its definition."""
    return {
        v
        for v in span
        if v >= domain.low
        and (domain.high is None or v <= domain.high)
        and v % domain.modulus == domain.residue
    }


@given(st.integers(-9, 9), st.integers(-9, 20) | st.none(), st.integers(1, 7), st.integers(0, 6))
@LAW
def test_first_and_last_are_the_ends_of_a_domain(low, high, modulus, residue):
    domain = Domain(low, high, modulus, residue % modulus)
    values = sorted(allowed(domain))
    assert domain.empty == (not values)
    if values:
        assert domain.first == values[0]
        assert domain.last == (None if high is None else values[-1])


# one fact about N alone, and whether the domain of N says all of it
ALONE = [
    ("3*N + 4 <= 20", True),
    ("-2*N < 7", True),
    ("2*N == 6", True),
    ("2*N == 7", True),
    ("5 >= N + N", True),
    ("N % 4 == 3", True),
    ("3 == N % 4", True),
    ("N != 3", False),
    ("N % 4 != 1", False),
    ("N % 4 <= 1", False),
    ("N % 4 == 4", False),
    ("N % 4 == -1", False),
    ("N % -4 == 0", False),
    ("N % 4 == N", False),
    ("(N + 1) % 4 == 0", False),
    ("N*N <= 9", False),
    ("N*N - N >= 6", False),
    ("N//4 == 2", False),
    ("7 % N == 1", False),
    ("max(N, 4) <= 6", False),
]


@pytest.mark.parametrize(("text", "complete"), ALONE)
def test_a_fact_in_the_domain_is_what_the_domain_says(text, complete):
    (r,) = read_relations(text)
    facts = Facts.read(["N >= -40", text])
    true = {v for v in SMALL if v and r.holds({"N": v})}
    within = allowed(facts.domain("N")) - {0}
    assert r.in_domain == complete
    assert true <= within
    if complete:
        assert true == within


@pytest.mark.parametrize("text", ["M + N <= 3", "M % 4 == N", "M % N == 0", "2 < 3", "M == N"])
def test_a_fact_about_several_symbols_or_none_is_in_no_domain(text):
    assert not read_relations(text)[0].in_domain


@given(
    OPS,
    st.sampled_from(["{a}*N", "N % {m}", "N*N", "N//{m}", "N % {m} + N", "(N + {a}) % {m}"]),
    st.integers(-4, 4),
    st.integers(1, 6),
    st.integers(-9, 12),
)
@LAW
def test_a_domain_never_leaves_out_what_holds(op, form, a, m, c):
    (r,) = read_relations(f"{form.format(a=a, m=m)} {op} {c}")
    facts = Facts.read([Relation(">=", N, Integer(-40)), r])
    true = {v for v in SMALL if r.holds({"N": v})}
    assert true <= allowed(facts.domain("N"))
    if r.in_domain:
        assert true == allowed(facts.domain("N"))


@given(
    st.integers(1, 12), st.integers(0, 11), st.integers(1, 12), st.integers(0, 11), st.booleans()
)
@LAW
def test_two_congruences_make_one(m, a, n, b, swapped):
    first = f"N % {m} == {a % m}", f"{b % n} == N % {n}"
    domain = Facts.read(first[::-1] if swapped else first).domain("N")
    both = {v for v in range(1, 265) if v % m == a % m and v % n == b % n}
    assert domain.empty == (not both)
    assert not both or allowed(domain, range(1, 265)) == both


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(-3, 14),
    st.integers(0, 3),
    st.sampled_from(["<=", "<"]),
    st.booleans(),
)
@LAW
def test_a_sum_bounds_each_of_its_terms_exactly(a, b, c, least, op, turned):
    flip = {"<=": ">=", "<": ">"}
    sum_ = f"{a}*M + {b}*N"
    text = f"{c} {flip[op]} {sum_}" if turned else f"{sum_} {op} {c}"
    facts = Facts.read([text, f"N >= {least}"])
    points = [(m, n) for m, n in product(range(1, 16), range(least, 16))]
    points = [(m, n) for m, n in points if facts.holds({"M": m, "N": n})]
    for k, name in enumerate("MN"):
        assert facts.domain(name).empty == (not points)
        if points:
            assert facts.domain(name).last == max(p[k] for p in points)
    assert facts.domain("K") == Domain()


@pytest.mark.parametrize(
    ("where", "last"),
    [
        (["M - N <= 4"], None),  # N may be as large as it likes
        (["M*N <= 4"], None),
        (["M + N >= 4"], None),
        (["M + N != 4"], None),
        (["M + N == 4"], None),
        (["M//2 + N <= 4"], None),
        (["M + N <= 9", "M <= 3"], 3),
        (["M <= 30", "M + N <= 9"], 8),
        (["M + 2*N + 3 <= 9"], 4),
        (["M + N <= 9", "N % 5 == 0"], 4),
        (["M != N", "M + N <= 9"], 8),
        (["M*N <= 100", "M + N <= 9"], 8),
        (["M - N <= 4", "M + N <= 9"], 8),
        (["N <= 5", "M + N <= 9"], 8),
        (["M + N <= 9", "M + N <= 7"], 6),
        (["M + N <= 7", "M + N <= 9"], 6),
    ],
)
def test_what_sums_say_of_one_symbol(where, last):
    facts = Facts.read(where)
    assert facts.domain("M").last == last
    for m, n in product(range(1, 12), repeat=2):
        if facts.holds({"M": m, "N": n}):
            assert last is None or m <= last


@given(st.lists(st.tuples(OPS, st.integers(-9, 9)), max_size=4))
@LAW
def test_facts_hold_where_each_of_them_does(pairs):
    facts = Facts.read([Relation(op, N, Integer(c)) for op, c in pairs])
    for v in SMALL:
        assert facts.holds({"N": v}) == all(COMPARE[op](v, c) for op, c in pairs)


# -- what facts are made of -------------------------------------------------------------------------


def test_names_are_those_that_occur():
    facts = Facts.read(["M % 4 == 0", "N*K <= 3"])
    assert facts.names == {"M", "N", "K"}
    assert facts.relations[1].names == {"N", "K"}
    assert Facts().names == frozenset()


def test_least_values_are_facts():
    assert str(Facts().at_least([("M", 4), ("N", 0)])) == "M >= 4, N >= 0"
    facts = Facts.read("M <= 9")
    assert facts.at_least([]) is facts
    assert str(facts.at_least([("M", 4)])) == "M <= 9, M >= 4"
    assert str(facts.with_least(sizes("N", min=2) + M)) == "M <= 9, N >= 2"


def test_sympy_s_relations_keep_their_sides():
    m, n = sizes("M N")
    given = [sympy.Lt(m, n), sympy.Le(m, n), sympy.Gt(m, n), sympy.Ge(m, n), sympy.Ne(m, n)]
    texts = ["M < N", "M <= N", "M > N", "M >= N", "M != N"]
    assert [str(Facts.read(r)) for r in given] == texts
    assert str(Facts.read(sympy.And(m < n, sympy.Eq(n, 4)))) in ("M < N, N == 4", "N == 4, M < N")


@pytest.mark.parametrize("given", [True, False, 3, [True], object()])
def test_no_fact_gets_one_error_with_help(given):
    with pytest.raises(LayoutError, match="is not a fact") as caught:
        Facts.read(given)
    assert caught.value.code == "SL300"
    assert caught.value.help is not None


def test_a_name_that_one_fact_alone_has_is_not_known():
    Facts.read(["K <= 2*M", "N < K", "M <= 9"]).check_names(["N"])
    Facts.read(["K == 2*M", "N == K", "symbol M"]).check_names(["N"])
    for where in ("K <= 2*N", "K == 2*M", ["K == 2*M", "N == K"], ["K == M", "K < M"]):
        with pytest.raises(LayoutError) as caught:
            Facts.read(where).check_names(["N"])
        assert caught.value.code == "SL301"
        assert "the names are N" in caught.value.help
    with pytest.raises(LayoutError) as caught:
        Facts.read("K >= 1").check_names([])
    assert "the names are none" in caught.value.help
