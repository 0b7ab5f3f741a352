"""Properties of internal modules; `tests/test_facts.py` tests the public interface."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError, prove, sizes
from symlayout.expr.facts import Domain, Facts, Relation, read_relations
from symlayout.expr.terms import FloorDiv, Mod, symbol

FEW = settings(max_examples=150, deadline=None, derandomize=True)

M, N, K = (symbol(n) for n in "MNK")

SPAN = range(-200, 260)


def allowed(domain: Domain) -> list[int]:
    """The values of a domain within the span."""
    top = SPAN.stop if domain.last is None else domain.last + 1
    return [v for v in SPAN if domain.low <= v < top and v % domain.modulus == domain.residue]


# -- domains --------------------------------------------------------------------------------------

ONE_SYMBOL = st.one_of(
    st.builds(
        "N {} {}".format, st.sampled_from(["<=", ">=", "<", ">", "=="]), st.integers(-20, 90)
    ),
    st.builds(
        "{}*N + {} {} {}".format,
        st.sampled_from([1, 2, 3, 5, -1, -2, -7]),
        st.integers(-9, 9),
        st.sampled_from(["<=", ">=", "<", ">", "=="]),
        st.integers(-50, 90),
    ),
    st.builds("{} >= N".format, st.integers(1, 90)),
    st.builds(lambda m, r: f"N % {m} == {r % m}", st.integers(1, 12), st.integers(0, 11)),
    st.builds(lambda m, r: f"{r % m} == N % {m}", st.integers(1, 12), st.integers(0, 11)),
)


@given(st.lists(ONE_SYMBOL, max_size=4))
@FEW
def test_the_domain_is_what_brute_force_allows(texts):
    facts = Facts.read(texts)
    domain = facts.domain("N")
    # a size is at least 1 unless some fact bounds it below
    below = any("%" not in t and not Facts.read(t).holds({"N": -(10**9)}) for t in texts)
    expected = [v for v in SPAN if (v >= 1 or below) and facts.holds({"N": v})]
    assert allowed(domain) == expected
    assert domain.empty == (not expected)
    if expected:
        assert domain.first == expected[0]
        assert domain.last in (None, expected[-1])


@pytest.mark.parametrize(
    ("where", "first", "last"),
    [
        ((), 1, None),
        ("N >= 0", 0, None),
        ("N >= -5", -5, None),
        ("N > 3", 4, None),
        ("N % 128 == 0", 128, None),
        (["N % 128 == 0", "N <= 1000"], 128, 896),
        (["N % 4 == 1", "N % 6 == 3"], 9, None),
        (["N % 4 == 1", "N % 6 == 3", "N <= 30"], 9, 21),
        ("3*N <= 10", 1, 3),
        ("-2*N >= -9", 1, 4),
        ("10 > N", 1, 9),
        ("2*N == 10", 5, 5),
        ("0 <= N < 8", 0, 7),
        (["N <= 7", "N <= 4", "N >= 2", "N >= 1"], 2, 4),
        ("N + M <= 10", 1, 9),
        ("2*N + 3*M <= 20", 1, 8),
        (["N + M + K < 10", "M >= 3"], 1, 5),
    ],
)
def test_domains(where, first, last):
    d = Facts.read(where).domain("N")
    assert (d.first, d.last) == (first, last)
    assert not d.empty


@pytest.mark.parametrize(
    "where",
    [
        ["N <= 0"],
        ["N < 1"],
        ["N >= 5", "N <= 4"],
        ["2*N == 7"],
        ["N % 4 == 1", "N % 2 == 0"],
        ["N % 8 == 0", "N <= 7"],
        ["N % 4 == 3", "4 <= N <= 6"],
        ["N == 3", "N == 4"],
        ["N == 3", "N % 2 == 0"],
    ],
)
def test_facts_about_one_symbol_that_contradict(where):
    assert Facts.read(where).domain("N").empty
    v = prove.injective("(N):(1)", where=where)
    assert v.status == "vacuous"
    assert "contradict" in v.reason


# -- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        ("N % 128 == 0", ["N%128 == 0"]),
        ("0 <= i < M", ["0 <= i", "i < M"]),
        ("M<=N<=K<=4*M", ["M <= N", "N <= K", "K <= 4*M"]),
        ("M == N and N != 3", ["M == N", "N != 3"]),
        ("1 << 3 <= N >> 2", ["8 <= N//4"]),
        ("(M + 1)*N > ceildiv(K, 8)", ["N*(M + 1) > ceildiv(K, 8)"]),
        ("N // 4 == M", ["N//4 == M"]),
    ],
)
def test_texts(text, relations):
    assert [str(r) for r in read_relations(text)] == relations
    for r in read_relations(text):
        assert read_relations(str(r)) == (r,)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("", 0),
        ("N", 1),
        ("N = 3", 2),
        ("N == 3 and", 10),
        ("N == 3 and M", 12),
        ("N ==", 4),
        ("== 3", 0),
        ("N == 3 or M == 4", 7),
        ("N == 3, M == 4", 6),
        ("N <> 3", 3),
        ("N % 0 == 0", 2),
        ("N => 3", 2),
    ],
)
def test_what_is_no_fact_has_a_place(text, at):
    with pytest.raises(LayoutError) as e:
        read_relations(text)
    assert e.value.code in ("SL300", "SL200", "SL202", "SL101")
    assert e.value.at == at
    assert e.value.text == text


def test_a_single_equals_sign_gets_help():
    with pytest.raises(LayoutError) as e:
        Facts.read("N = 3")
    assert e.value.code == "SL300"
    assert e.value.help == "write == for equality"


@pytest.mark.parametrize("bad", [3, 2.5, object(), [3], ["N == 3", 4], {"N": 3}.items()])
def test_what_is_neither_text_nor_relation(bad):
    with pytest.raises(LayoutError) as e:
        Facts.read(bad)
    assert e.value.code == "SL300"


def test_python_s_own_equality_is_caught():
    n = sizes("N")
    with pytest.raises(LayoutError) as e:
        Facts.read(n == 3)
    assert e.value.code == "SL300"
    assert "sympy.Eq" in e.value.help


def test_sympy_relations():
    m, n = sizes("M N")
    facts = Facts.read([m >= n, sympy.Eq(sympy.Mod(n, 8), 0), sympy.Ne(m, 3), m < 9])
    assert [str(r) for r in facts.relations] == ["M >= N", "N%8 == 0", "M != 3", "M < 9"]
    both = sympy.And(m >= 2, n <= 4)
    assert {str(r) for r in Facts.read(both).relations} == {"M >= 2", "N <= 4"}
    assert Facts.read(sympy.Eq(Mod(n, 8), 0)).domain("N").modulus == 8
    assert Facts.read(sympy.Eq(sympy.floor(n / 8), 2)).relations[0].left == FloorDiv(n, 8)
    assert Facts.read(n <= 4).domain("N").high == 4


def test_sympy_s_true_and_false():
    assert Facts.read(sympy.true).holds({})
    assert not Facts.read(sympy.false).holds({})
    assert prove.injective("(N):(1)", where=sympy.true).proved
    assert prove.injective("(N):(1)", where=sympy.false).status == "vacuous"


def test_facts_join_and_repeat_once():
    facts = Facts.read(["N % 2 == 0", "N % 2 == 0"])
    assert len(facts.relations) == 1
    more = facts.and_("N <= 8").and_(facts)
    assert [str(r) for r in more.relations] == ["N%2 == 0", "N <= 8"]
    assert Facts.read(more) is more
    assert Facts.read(None) == Facts() == Facts.read(())
    assert str(more) == "N%2 == 0, N <= 8"


def test_a_size_symbol_brings_its_least_value():
    n = sizes("N", min=4)
    assert Facts().with_least(n + 1).domain("N").low == 4
    assert prove.bounded(("(4):(1)"), n, where=[n >= 4]).proved
    assert prove.bounded("(4):(1)", "N", where="N >= 3").refuted


# -- truth ----------------------------------------------------------------------------------------


@given(
    st.sampled_from(["==", "!=", "<=", ">=", "<", ">"]),
    st.integers(-9, 9),
    st.integers(-9, 9),
    st.integers(-5, 5),
)
@FEW
def test_a_relation_and_its_negation(op, a, b, c):
    r = Relation(op, M + c, N * 2)
    env = {"M": a, "N": b}
    assert r.holds(env) == eval(f"{a + c} {op} {2 * b}")
    assert r.negation.holds(env) != r.holds(env)
    assert r.negation.negation == r


def test_a_fact_that_divides_by_zero_does_not_hold():
    r = read_relations("N % M == 0")[0]
    assert r.holds({"M": 3, "N": 9})
    assert not r.holds({"M": 0, "N": 9})
    with pytest.raises(LayoutError) as e:
        r.holds({"N": 9})
    assert e.value.code == "SL402"


def test_equalities_bring_in_new_symbols_one_after_the_other():
    facts = Facts.read(["a == 2*b", "M == a", "b == c + d", "c < d"])
    facts.check_names(["M"])
    with pytest.raises(LayoutError):
        facts.check_names(["Q"])
