"""Sparse polynomials: a ring, with division steps that keep the value."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout.digits.poly import ONE, ZERO, Poly, atom, monomial_gcd, monomial_quotient, total

LAW = settings(max_examples=120, deadline=None, derandomize=True)
MONOMIALS = st.lists(st.integers(0, 3), max_size=3).map(lambda m: tuple(sorted(m, reverse=True)))
POLYS = st.dictionaries(MONOMIALS, st.integers(-9, 9).filter(bool), max_size=5).map(Poly)
POINTS = st.fixed_dictionaries({k: st.integers(-7, 7) for k in range(4)})
x, y, z = atom(0), atom(1), atom(2)


@given(POLYS, POLYS, POLYS, POINTS)
@LAW
def test_a_commutative_ring_whose_values_agree(p, q, r, env):
    assert p + q == q + p
    assert p * q == q * p
    assert (p + q) + r == p + (q + r)
    assert (p * q) * r == p * (q * r)
    assert p * (q + r) == p * q + p * r
    assert p - p == ZERO
    assert p * 0 == ZERO
    assert p + ZERO == p * ONE == p
    assert (p + q).value(env) == p.value(env) + q.value(env)
    assert (p * q).value(env) == p.value(env) * q.value(env)
    assert (-p).value(env) == -p.value(env)
    assert (p**3).value(env) == p.value(env) ** 3
    assert (3 - p).value(env) == 3 - p.value(env)
    assert total([p, q, r]) == p + q + r


@given(POLYS, POLYS)
@LAW
def test_no_term_is_zero_and_equal_ones_hash_alike(p, q):
    for made in (p + q, p - q, p * q, total([p, q, -p])):
        assert 0 not in made.terms.values()
        assert all(list(m) == sorted(m, reverse=True) for m in made.terms)
    assert hash(p + q) == hash(q + p)
    assert (p == q) == (p.terms == q.terms)


@given(POLYS, POLYS, POINTS)
@LAW
def test_reducing_is_a_division_step(p, d, env):
    if not d.terms:
        return
    q, r = p.reduce(d)
    assert q * d + r == p
    lead, c = d.leading()
    for m, k in r.terms.items():
        assert monomial_quotient(m, lead) is None or abs(k) < abs(c)
    assert q.value(env) * d.value(env) + r.value(env) == p.value(env)


@given(POLYS, POLYS)
@LAW
def test_exact_division_undoes_multiplication(p, d):
    if d.terms:
        assert (p * d).exact(d) == p
    made = p.exact(d + 11) if (d + 11).terms else None
    assert made is None or made * (d + 11) == p


@given(POLYS, POLYS, POLYS, POINTS)
@LAW
def test_substituting_is_evaluating_inside(p, q, r, env):
    made = p.substitute({0: q, 2: r})
    inside = {**env, 0: q.value(env), 2: r.value(env)}
    assert made.value(env) == p.value(inside)
    assert p.substitute({}) is p
    assert p.substitute({9: q}) is p


@given(POLYS, st.integers(0, 3), POINTS)
@LAW
def test_by_power_takes_one_atom_apart(p, k, env):
    parts = p.by_power(k)
    assert all(k not in c.atoms and c.terms for c in parts.values())
    assert sum((c * atom(k) ** n for n, c in parts.items()), ZERO) == p
    assert p.atoms == {a for c in parts.values() for a in c.atoms} | (
        {k} if set(parts) - {0} else set()
    )


@given(MONOMIALS, MONOMIALS)
@LAW
def test_monomials(m, n):
    both = tuple(sorted(m + n, reverse=True))
    assert monomial_quotient(both, n) == m
    g = monomial_gcd(m, n)
    assert monomial_quotient(m, g) is not None
    assert monomial_quotient(n, g) is not None
    assert set(monomial_quotient(m, g)).isdisjoint(monomial_quotient(n, g))


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (ZERO, "0"),
        (ONE * -3, "-3"),
        (x, "x0"),
        (2 * x * y - 3 * y + 1, "2*x0*x1 - 3*x1 + 1"),
        (-x * x, "-x0*x0"),
    ],
)
def test_texts(p, text):
    assert repr(p) == text


def test_looking_inside():
    p = 2 * x * y + 5
    assert (p.constant, p.is_constant, p.single()) == (5, False, None)
    assert (Poly.of(7).constant, Poly.of(7).is_constant, ZERO.is_constant) == (7, True, True)
    assert (y.single(), (2 * y).single(), (y * y).single()) == (1, None, None)
    assert Poly.of(p) is p
    assert Poly.of(0) == 0 == ZERO
    assert p != 5
    assert p.leading() == ((1, 0), 2)
    assert (x * z + y * y).leading()[0] == (2, 0)  # a later atom is greater


def test_coefficients_are_divided_towards_zero():
    assert (7 * x).reduce(3 * x) == (Poly.of(2), x)
    assert (-7 * x).reduce(3 * x) == (Poly.of(-2), -x)
    assert (x * y + y).reduce(x + 1) == (y, ZERO)
