"""Laws of the digit engine, each against plain integers: division, signs, samples, radix, facts."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from digit_points import Atoms, Logged, context, grid
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from symlayout.digits import bounds, samples, solver
from symlayout.digits.assume import assume
from symlayout.digits.atoms import in_brackets
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import prove_bijective, prove_bounded, prove_injective, prove_onto
from symlayout.digits.poly import ONE, ZERO, Poly, atom
from symlayout.digits.radix import Digit, decompose, merge, without_carries, without_gaps
from symlayout.digits.rebuild import Rebuild
from symlayout.digits.simplification import coordinate_kinds
from symlayout.digits.windows import join, leaves_of
from symlayout.expr.facts import Facts
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import value

LAW = settings(max_examples=80, deadline=None, derandomize=True, phases=[Phase.generate])
SIZES = ("M", "N", "K")


def made(text: str, where=(), names=SIZES) -> tuple[Logged, Poly]:
    """A context under the facts, and the polynomial of the text in it."""
    ctx = context(tuple([where] if isinstance(where, str) else where), names)
    return ctx, ctx.poly(read_expression(text))


# -- facts into contexts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "name", "text"),
    [
        ("N % 128 == 0", "N", "128*N//128"),
        ("N % 4 == 3", "N", "4*N//4 + 3"),
        (["N % 4 == 3", "N <= 9"], "N", "4*N//4 + 3"),
        ("N == 5", "N", "5"),
        ("M == 2*N", "M", "2*N"),
        ("M == 2*N + 3*K + 1", "M", "2*N + 3*K + 1"),
        ("4*M == 8*N", "M", "2*N"),
        ("M >= N", "M", "M - N + N"),
        ("2*M >= 2*N + 1", "M", "1 + N + slack"),
        ("6*M % 4 == 0", "M", "2*M//2"),
        ("M % K == 0", "M", "K*M//K"),
        ("M <= 9", "M", "M"),
        ("M*N <= 9", "M", "M"),
        ("M % 4 != 0", "M", "4*M//4 + M%4"),
        ("4*M % 2 == 0", "M", "M"),
        (["0 <= i", "i >= N"], "i", "i"),
        ("M % 5 == 5", "M", "5*M//5 + M%5"),
    ],
)
def test_what_a_fact_makes_of_a_symbol(where, name, text):
    ctx, p = made(name, where)
    if "slack" in text or text == "M - N + N":
        (slack,) = p.atoms - ctx.resolve(atom(ctx.by_name["N"])).atoms
        assert ctx.atoms[slack].definition[0] == "slack"
        assert (ctx.atoms[slack].low, ctx.atoms[slack].high) == (0, None)
        assert p == atom(slack) + atom(ctx.by_name["N"]) + int("slack" in text)
        return
    assert sorted(ctx.text(p).replace("(", "").replace(")", "").split(" ")) == sorted(
        text.split(" ")
    )


@pytest.mark.parametrize(
    ("where", "low", "high"),
    [
        ("N % 128 == 0", 1, None),
        ("N % 4 == 3", 0, None),
        (["N % 4 == 3", "N >= 4", "N <= 18"], 1, 3),
        (["N % 4 == 0", "N >= 0", "N <= 18"], 0, 4),
        (["6*N % 4 == 0", "N >= 3", "N <= 9"], 2, 4),
        (["3*N % 3 == 0", "2*N % 6 == 0", "N <= 9"], 1, 3),
    ],
)
def test_the_range_of_a_multiple(where, low, high):
    ctx, p = made("N", where)
    (n,) = p.atoms
    assert ctx.atoms[n].low == low
    assert ctx.high(n) == (None if high is None else Poly.of(high))


@pytest.mark.parametrize(
    ("where", "contradiction"),
    [
        ("M == M", False),
        ("M != M + 1", False),
        ("M != M", True),
        ("M <= M", False),
        ("M < M", True),
        ("M + 1 <= M", True),
        ("2*M == 4*N + 1", True),
        ("2*M == 4*N + 2", False),
        ("N <= 0", True),
        ("3 > 2", False),
        ("3 < 2", True),
    ],
)
def test_facts_that_are_true_or_false_whatever_the_sizes(where, contradiction):
    ctx, _ = made("M", where)
    assert ctx.contradiction == contradiction
    assert not ctx.dropped


def test_a_fact_that_divides_by_what_may_be_zero_is_dropped():
    ctx, _ = made("M", ["M//(N - 1) == 2"])
    assert list(map(str, ctx.dropped)) == ["M//(N - 1) == 2"]


# -- expressions and division -----------------------------------------------------------------------


def test_a_number_is_not_divided_by_zero():
    ctx = Context()
    for p in (Poly.of(5), ZERO, ctx.symbol("M")):
        with pytest.raises(Undecided, match="the divisor 0 is not proved to be positive"):
            ctx.divmod(p, ZERO)


@pytest.mark.parametrize(("p", "d"), list(product((-7, -4, 0, 5, 8), (-3, -1, 1, 4))))
def test_numbers_are_divided_as_python_does(p, d):
    assert Context().divmod(Poly.of(p), Poly.of(d)) == divmod(p, d)


def test_a_division_is_recorded_once():
    ctx, _ = made("(i + j)//K", ("0 <= i < M", "0 <= j < N"), (*SIZES, "i", "j"))
    before = len(ctx.divisions)
    p, d = (ctx.poly(read_expression(t)) for t in ("i + j", "K"))
    assert ctx.divmod(p, d) == ctx.divmod(p, d)
    assert len(ctx.divisions) == before
    step = ctx.divisions[-1]
    assert (step.dividend, step.divisor, step.why) == (p, d, "definition of the quotient")


@pytest.mark.parametrize(
    ("text", "where", "low"),
    [
        ("min(M + 3, N + 2)", (), 3),
        ("max(M + 3, N + 2)", (), 4),
        ("max(M - K, N)", (), None),
        ("min(M - K, N)", (), None),
        ("(M + N)//4", (), 0),
        ("(M + N + 6)//4", (), 1),
        ("(M + N + 7)//K", (), 0),
        ("(M - N)//4", (), None),
        ("(M - N)//4", ("M >= N",), 0),
    ],
)
def test_the_least_value_of_an_atom_of_its_own(text, where, low):
    ctx, p = made(text, where)
    (n,) = (a for a in p.atoms if ctx.atoms[a].kind in ("quotient", "extreme", "digit"))
    assert ctx.atoms[n].low == low


@pytest.mark.parametrize(
    ("first", "second"),
    [("(M + N)//4", "(M + K)//4"), ("min(M, N)", "min(M, K)"), ("ceildiv(M, N)", "ceildiv(M, K)")],
)
def test_atoms_that_an_equality_makes_one_are_joined(first, second):
    ctx, p = made(first)
    q = ctx.poly(read_expression(second))
    assert ctx.resolve(p - q) != ZERO
    ctx.replace(ctx.by_name["K"], atom(ctx.by_name["N"]))
    ctx.poly(read_expression("(2*M + 3*N + 1)//5"))  # the next one that is made
    assert ctx.resolve(p - q) == ZERO


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ceildiv(M, N)", "ceildiv(M, N)"),
        ("M//N", "M//N"),
        ("(M + K)//N", "(K + M)//N"),
        ("(M + 2*K + 3)//4", "(2*K + M + 3)//4"),
        ("min(M, 2*N)", "min(2*N, M)"),
        ("max(M, N)", "max(M, N)"),
        ("ceildiv(M, 4)", "ceildiv(M, 4)"),
    ],
)
def test_names_of_atoms(text, named):
    ctx, p = made(text)
    assert ctx.text(p) in (named, f"({named})")


def test_a_long_text_is_cut():
    ctx = Context()
    p = sum((ctx.symbol(f"symbol_number_{k}") for k in range(20)), ZERO)
    whole = p.text(lambda n: ctx.name(n))
    assert ctx.text(p) == whole[:160] + " ..."
    short = ctx.symbol("a" * 160)
    assert ctx.text(short) == "a" * 160


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("x", "x"),
        ("12", "12"),
        ("f(a, b)", "f(a, b)"),
        ("(a + b)", "(a + b)"),
        ("a + b", "(a + b)"),
    ],
)
def test_names_inside_products(name, inside):
    assert in_brackets(name) == inside


# -- signs ----------------------------------------------------------------------------------------

FAR = (10**4, 10**9)


@given(
    st.dictionaries(
        st.sets(st.integers(0, 2)).map(lambda s: tuple(sorted(s, reverse=True))),
        st.integers(-6, 6).filter(bool),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.tuples(st.integers(-2, 2), st.none() | st.integers(0, 3)), min_size=3, max_size=3),
)
@settings(LAW, max_examples=300)
def test_a_sign_over_a_box_is_decided_where_no_atom_has_a_power(terms, ranges):
    """A multilinear polynomial takes its extremes at the corners; far out stands for no bound."""
    ctx = Context()
    corners = []
    for low, width in ranges:
        high = None if width is None else low + width
        ctx.new_atom("x", "size", low, None if high is None else Poly.of(high))
        corners.append((low, *FAR) if high is None else (low, high))
    p = Poly(terms)
    true = all(p.value(dict(enumerate(corner))) >= 0 for corner in product(*corners))
    assert ctx.nonneg(p) == true


@given(
    st.lists(st.integers(-6, 6), min_size=1, max_size=4),
    st.integers(-3, 3),
    st.none() | st.integers(0, 4),
)
@LAW
def test_a_sign_of_powers_is_right_where_it_is_proved(coefficients, low, width):
    ctx = Context()
    x = atom(ctx.new_atom("x", "size", low, None if width is None else Poly.of(low + width)))
    p = sum((c * x**k for k, c in enumerate(coefficients)), ZERO)
    span = range(low, low + (60 if width is None else width + 1))
    if ctx.nonneg(p):
        assert all(p.value({0: v}) >= 0 for v in span)
    y = x - low  # what is a sum of powers of x - low with plain factors is proved
    assert ctx.nonneg(sum((abs(c) * y**k for k, c in enumerate(coefficients)), ZERO))


@given(
    st.integers(2, 4),
    st.integers(-3, 3),
    st.lists(st.integers(-6, 6), min_size=6, max_size=6),
    st.integers(0, 3),
)
@settings(LAW, max_examples=400)
def test_signs_where_an_unknown_lies_in_a_tile_are_right_where_they_are_proved(
    d, up, factors, least
):
    """x and q = (x + up)//d, whose tile has two ends; r is at least what a constraint says."""
    ctx = Context()
    x, r = (atom(ctx.new_atom(n, "size", 0, high)) for n, high in (("x", None), ("r", Poly.of(4))))
    ctx.constraints.append(r - least)
    q = atom(ctx.new_atom("q", "quotient", up // d, None, definition=("//", x + up, Poly.of(d))))
    ctx.constraints += [x + up - d * q, d * q + d - 1 - x - up]
    parts = zip(factors, (x, q, r, x * r, q * r, ONE))
    p = sum((c * m for c, m in parts), ZERO)
    if ctx.nonneg(p):
        for n, k in product(range(40), range(least, 5)):
            assert p.value({0: n, 1: k, 2: (n + up) // d}) >= 0
    tile = (d - 1 + d * q - x - up) * r  # at least 0, as x + up <= d*q + d - 1
    assert ctx.nonneg(tile + r - least)


@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=2),
    st.integers(-3, 3),
    st.integers(-3, 3),
    st.integers(-5, 5),
)
@LAW
def test_a_factor_that_is_not_negative_is_left_out(lows, slope, rest, constant):
    """`m*q + c >= 0` says `q >= 0` where 0 <= c < m, and `q >= 1` where c < 0 (q of two terms)."""
    ctx = Context()
    factor = ONE
    for low in lows:
        factor = factor * atom(ctx.new_atom("m", "size", low, None))
    x = ctx.new_atom("x", "size", None, None)
    q = slope * atom(x) + rest
    p = factor * q + constant
    results = ctx.without_factor(p)
    if slope and rest and 0 <= constant < min(lows):
        assert results == [q]
    if slope and rest and constant < 0:
        assert results == [q - 1]
    for values in product(*(range(low, low + 4) for low in lows), range(-9, 10)):
        point = dict(enumerate(values))
        assert p.value(point) < 0 or all(r.value(point) >= 0 for r in results)


@given(
    st.lists(st.integers(0, 4), min_size=3, max_size=3),
    st.lists(st.integers(-3, 3), min_size=4, max_size=4),
    st.integers(0, 2),
)
@LAW
def test_a_power_that_falls_is_at_its_greatest_for_one_factor(factors, more, low):
    """x**k*(h - x) is at least 0 for low <= x <= h, where no factor of x is negative."""
    ctx = Context()
    h = atom(ctx.new_atom("h", "size", low, None))
    x = atom(ctx.new_atom("x", "size", low, h))
    plain = sum((c * x**k * (h - x) for k, c in enumerate(factors, 1)), ZERO)
    assert ctx.nonneg(plain)
    assert ctx.nonneg(plain + h - x)
    p = plain + sum((c * m for c, m in zip(more, (ONE, x, h, x * x))), ZERO)
    if ctx.nonneg(p):
        for a in range(low, 9):
            assert all(p.value({0: a, 1: b}) >= 0 for b in range(low, a + 1))


@given(st.lists(st.integers(-3, 3), min_size=5, max_size=5), st.integers(-4, 4), st.booleans())
@settings(LAW, max_examples=200)
def test_a_quotient_by_a_size_is_bounded_by_what_it_divides(factors, constant, below):
    """q = x//d, where x < d*(n + 1) or x >= -d*n: q is at most n, or at least -n."""
    ctx = Context()
    low = None if below else 0
    x = atom(ctx.new_atom("x", "coord", low, None))
    d, n = (atom(ctx.new_atom(name, "size", least, None)) for name, least in (("d", 1), ("n", 0)))
    q = atom(ctx.new_atom("q", "quotient", low, None, definition=("//", x, d)))
    ctx.constraints += [x - d * q, d * q + d - 1 - x]
    ctx.constraints.append(x + d * n if below else d * n + d - 1 - x)
    p = sum((c * m for c, m in zip(factors, (x, d, n, q, d * q))), Poly.of(constant))
    proved = ctx.nonneg(p)
    assert ctx.nonneg(q + n if below else n - q)
    assert not ctx.nonneg(q + n - 1 if below else n - q - 1)
    for a, b, c in product(range(-9 if below else 0, 10), range(1, 4), range(4)):
        if proved and (a + b * c >= 0 if below else a < b * (c + 1)):
            assert p.value({0: a, 1: b, 2: c, 3: a // b}) >= 0


@pytest.mark.parametrize("width", [None, 1, 3])
@pytest.mark.parametrize("low", [None, -3, -2, 0, 1, 2])
def test_a_quadratic_is_never_said_to_be_above_0_where_it_is_not(low, width):
    bottom = -40 if low is None else low
    span = range(bottom, 41 if width is None else bottom + width + 1)
    ctx = Context()
    x = atom(ctx.new_atom("x", "size", low, None if width is None else Poly.of(bottom + width)))
    for a, b, c in product((-1, 1), (-2, -1, 0, 1, 2), range(-9, 10)):
        p = a * x * x + b * x + c
        true = all(p.value({0: v}) >= 0 for v in span)
        proved = ctx.nonneg(p)
        assert true or not proved, (a, b, c)
        if low is not None and low >= 0 and a * b >= 0:  # it grows, or it falls
            assert proved == true, (a, b, c)
        if a < 0 and None not in (low, width):  # it is least at an end
            assert proved == true, (a, b, c)


def test_a_question_that_is_too_long_is_not_proved(monkeypatch):
    monkeypatch.setattr(bounds, "TERMS", 1)
    monkeypatch.setattr(bounds, "LEAST", 1)
    ctx = Context()
    x, y, z = (atom(ctx.new_atom(n, "size", 1, None)) for n in "xyz")
    for p in (x * y * z - 1, x * y - z, x * y + x * z - y * z, 5 - x * y):
        assert not ctx.nonneg(p)
    monkeypatch.setattr(bounds, "TERMS", 20)
    ctx.bounds_set += 1  # what was not proved may be asked again
    assert ctx.nonneg(x * y * z - 1)
    ctx.effort, ctx.bounds_set = 0, ctx.bounds_set + 1  # all that may be spent in vain is spent
    assert not ctx.nonneg(x * y * z + x - 2)
    monkeypatch.setattr(bounds, "LEAST", 20)
    ctx.bounds_set += 1
    assert ctx.nonneg(x * y * z + x - 2)


def test_the_looser_of_two_bounds_is_taken_where_it_cancels():
    ctx = Context()
    n = atom(ctx.new_atom("n", "size", 1, None))
    x = ctx.new_atom("x", "coord", 0, 2 * n + 1)
    assert not ctx.nonneg(9 - atom(x))
    ctx.atoms[x].looser = Poly.of(9)
    ctx.bound_above(x, 2 * n + 1)  # what was not proved may be asked again
    assert ctx.nonneg(9 - atom(x))
    assert not ctx.nonneg(8 - atom(x))
    assert ctx.nonneg(2 * n + 1 - atom(x))
    assert ctx.nonneg(atom(x))


# text, facts, whether it is >= 0 at every small point; all that is true is proved
SIGNS = [
    ("M*M - N*N", ("M >= N",), True),
    ("M*M*M - 3*M*M + 3*M - 1", (), True),
    ("M*M - 2*M + 1", (), True),
    ("M*M - 5*M + 4", (), False),
    ("M*N - M - N + 1", (), True),
    ("M*N - M - N", (), False),
    ("9 - M*N", ("M*N <= 9",), True),
    ("18 - 2*M*N", ("M*N <= 9",), True),
    ("17 - 2*M*N", ("M*N <= 9",), False),
    ("9*K - M*N*K", ("M*N <= 9",), True),
    ("12 - M*N - K*N", ("M*N <= 6", "K*N <= 6"), True),
    ("11 - M*N - K*N", ("M*N <= 6", "K*N <= 6"), False),
    ("18 - 2*i*N", ("M*N <= 9", "0 <= i < M"), True),
    ("16 - 2*i*N + j", ("M*N <= 9", "0 <= i < M", "0 <= j < N"), True),
    ("M - K", ("M >= N", "N >= K"), True),
    ("M - K - 1", ("M >= N", "N >= K"), False),
    ("M - K - 1", ("M > N", "N >= K"), True),
    ("ceildiv(M, 8)*8 - M", (), True),
    ("M + 7 - ceildiv(M, 8)*8", (), True),
    ("M + 6 - ceildiv(M, 8)*8", (), False),
    ("M - M//4*4", (), True),
    ("M//4*4 + 3 - M", (), True),
    ("M//4*4 + 2 - M", (), False),
    ("ceildiv(M, N)*N - M", (), True),
    ("M + N - 1 - ceildiv(M, N)*N", (), True),
    ("M + N - 2 - ceildiv(M, N)*N", (), False),
    ("M - i//K*K - i % K - 1", ("0 <= i < M",), True),
    ("M*N - 1 - i*N - j", ("0 <= i < M", "0 <= j < N"), True),
    ("M*N - 2 - i*N - j", ("0 <= i < M", "0 <= j < N"), False),
    ("M*N - 1 - i - j*M", ("0 <= i < M", "0 <= j < N"), True),
    ("min(M, N) - 1", (), True),
    ("M - min(M, N)", (), True),
    ("max(M, N) - N", (), True),
    ("max(M, 4) - 4", (), True),
    ("max(M, 4) - 5", (), False),
    ("5 - min(M, 5)", (), True),
    ("4 - min(M, 5)", (), False),
    ("(M + N)//2 - 1", (), True),
    ("(M + N)//2 - 2", (), False),
    ("(i - j + N)//3", ("0 <= i < M", "0 <= j < N"), True),
    ("(i - j)//3", ("0 <= i < M", "0 <= j < N"), False),
    ("ceildiv(N, 4) - 1 - i//4", ("0 <= i < N",), True),
    ("ceildiv(N, 4) - 2 - i//4", ("0 <= i < N",), False),
    ("ceildiv(N, K)*K - 1 - i//K*K - i%K", ("0 <= i < N",), True),
]


@pytest.mark.parametrize(("text", "where", "true"), SIGNS)
def test_signs(text, where, true):
    names = (*SIZES, "i", "j")
    ctx, p = made(text, where, tuple(n for n in names if n in SIZES or f"<= {n}" in "".join(where)))
    assert ctx.nonneg(p) == true
    assert ctx.nonneg(p) == true  # the answer is kept
    facts = Facts.read(where)
    e = read_expression(text)
    used = sorted({s.name for s in e.free_symbols} | facts.names)
    span = range(0 if len(used) > 3 else -1, 6 if len(used) > 3 else 12)
    points = [dict(zip(used, v)) for v in product(span, repeat=len(used))]
    points = [p for p in points if all(v >= facts.domain(n).low for n, v in p.items())]
    assert all(value(e, p) >= 0 for p in points if facts.holds(p)) == true


@pytest.mark.parametrize("tile", [2, 3, 5])
def test_digits_of_many_coordinates_join_below_their_bounds(tile):
    """Each digit at its own end would pass the size: only the coordinates stay below it."""
    i, j, k = (f"({n}//{tile}*{tile} + {n} % {tile})" for n in "ijk")
    box = ("0 <= i < M", "0 <= j < N", "0 <= k < K")
    ctx, p = made(f"M*N*K - 1 - ({i}*N + {j})*K - {k}", box, (*SIZES, *"ijk"))
    assert ctx.nonneg(p)
    assert not ctx.nonneg(p - 1)


def test_nothing_is_known_of_an_atom_without_bounds():
    ctx = Context()
    x = atom(ctx.new_atom("x", "size", None, None))
    y = atom(ctx.new_atom("y", "size", None, Poly.of(3)))
    z = atom(ctx.new_atom("z", "size", 2, None))
    for p in (x, -x, y, x * y, z - x, z + y, x * x - 2 * x, x * y + x * x - x):
        assert not ctx.nonneg(p)
    assert ctx.nonneg(x * x - x)  # of any whole number
    assert ctx.nonneg(x * x - 2 * x * y + y * y)
    assert ctx.nonneg(3 - y)
    assert ctx.nonneg(z * 4 - y)
    assert ctx.nonneg(x * 0 + 1)


def test_a_constraint_helps_only_where_the_rest_is_not_negative():
    """v*w >= 4 is known: v*w - 4 plus something is >= 0 where that something is."""
    ctx = Context()
    v, w, y, z = (atom(ctx.new_atom(n, "size", 1, None)) for n in "vwyz")
    below = atom(ctx.new_atom("below", "size", None, Poly.of(3)))
    free = atom(ctx.new_atom("free", "size", None, None))
    x = atom(ctx.new_atom("x", "coord", 0, Poly.of(3)))
    u = atom(ctx.new_atom("u", "coord", -2, Poly.of(3)))
    ctx.constraints.append(v * w - 4)
    known = v * w - 4
    for rest in (
        ZERO,
        x,
        3 - x,
        3 - below,
        y - 1,
        x * y,
        3 * y - x * y,
        2 * known + x,
        u + 2,
        3 - u,
    ):
        assert ctx.nonneg(known + rest)
    for rest in (
        below,
        free,
        -free,
        x * (y - z),
        x * (z - y),
        2 - x,
        x - 1,
        below * y,
        x - y,
        below - 3,
        u + 1,
        2 - u,
    ):
        assert not ctx.nonneg(known + rest)
    assert ctx.nonneg(x * known)
    assert not ctx.nonneg(u * known)


@given(
    st.lists(st.integers(-4, 4), min_size=2, max_size=2),
    st.integers(-9, 9),
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=2, max_size=2),
)
@LAW
def test_the_ends_of_a_sum_are_its_least_and_largest_values(slopes, constant, ranges):
    ctx = Context()
    p = Poly.of(constant)
    values = {constant}
    for slope, (low, width) in zip(slopes, ranges):
        p = p + slope * atom(ctx.new_atom("x", "coord", low, Poly.of(low + width)))
        values = {v + slope * x for v in values for x in (low, low + width)}
    assert bounds.ends(ctx, p, low=True) == min(values)
    assert bounds.ends(ctx, p, low=False) == max(values)
    assert bounds.least(ctx, p) == min(values)
    for d in (1, 2, 3):
        low, high = bounds.quotient_range(ctx, p, Poly.of(d))
        assert low == min(values) // d
        assert high == (max(values) // d if p.atoms else None)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("M", 1),
        ("2*M + 3*N", 5),
        ("M*N - 4", -3),
        ("M - N", None),
        ("-M", None),
        ("M - i", 1),
        ("M*K - i*K", 1),
        ("M*M", 1),
    ],
)
def test_least_values_over_sizes(text, least):
    ctx, p = made(text, "0 <= i < M", (*SIZES, "i"))
    assert bounds.least(ctx, p) == least


# -- digits and windows -----------------------------------------------------------------------------


SPLIT = [
    "(x - 1)//4",
    "(x - 1) % 4",
    "(x - 1)//t",
    "ceildiv(x, 4)*4 - x",
    "ceildiv(x, t)*t - x",
    "ceildiv(ceildiv(x, 4), 3)",
    "ceildiv(ceildiv(x, 4), t) + x",
    "(ceildiv(x, 4) - 1) % 3",
    "(x - 1)//2 % 3*2 + (x - 1) % 2",
    "(x - 1)//2*2 + (x - 1) % 2",
    "x//4",
    "x % 4 + 4*(x//4 % 3)",
    "x//t*t + x % t",
    "x//(3*t)*3*t + x//t % 3*t",
]


@pytest.mark.parametrize("text", SPLIT)
@pytest.mark.parametrize("least", [0, 1, 2])
@pytest.mark.parametrize("top", [None, 7, 11, 24])
def test_the_digits_of_a_symbol_or_of_one_less(text, least, top):
    """A coordinate that starts above 0 may be split at x - 1, where ceil(x/d) is a digit plus 1."""
    ctx = Logged()
    ctx.symbol("t")
    ctx.symbol("x", least, None if top is None else Poly.of(top), "coord")
    samples.sample(ctx)
    e = read_expression(text)
    p = ctx.poly(e)
    joined, inside = join(ctx, p), join(ctx, p, coordinates_only=True)
    rebuilt = Rebuild(ctx).expression(p)
    assert len(ctx.samples) >= 5
    for point in ctx.samples:
        env = {n: ctx.resolve(atom(a)).value(point) for n, a in ctx.by_name.items()}
        assert p.value(point) == joined.value(point) == inside.value(point) == value(e, env)
    for x, t in product(range(least, 25 if top is None else top + 1), range(1, 6)):
        env = {"x": x, "t": t}
        at = Atoms(ctx, env)
        assert at.of(p) == at.of(joined) == at.of(inside) == value(e, env), env
        assert value(rebuilt, env) == value(e, env), (rebuilt, env)
        for n, info in enumerate(ctx.atoms):
            assert info.low is None or at[n] >= info.low
            assert info.high is None or at[n] <= at.of(info.high)
            assert info.looser is None or at[n] <= at.of(info.looser)


@pytest.mark.parametrize(
    ("text", "count"),
    [("x//2 % 3*2 + x % 2", 6), ("x//6*3 + x//2 % 3", 12), ("x//6*6 + x % 6", 24)],
)
def test_neighbouring_digits_are_one_digit_of_a_coarser_split(text, count):
    ctx = Context()
    ctx.symbol("x", 0, Poly.of(23), "coord")
    ctx.poly(read_expression("x//2 % 3"))
    joined = join(ctx, ctx.poly(read_expression(text)))
    (window,) = joined.atoms
    assert joined == atom(window)
    info = ctx.atoms[window]
    assert (info.low, info.high) == (0, Poly.of(count - 1))
    assert info.looser == (None if "x//6*3" in text else Poly.of(count - 1))


def test_the_looser_bound_of_a_symbol_is_that_of_whole_tiles():
    ctx = Context()
    x = ctx.symbol("x", 0, Poly.of(20), "coord").single()
    assert join(ctx, ctx.poly(read_expression("x//6*6 + x % 6"))) == atom(x)
    assert (ctx.atoms[x].high, ctx.atoms[x].looser) == (Poly.of(20), Poly.of(23))


def test_digits_in_another_proportion_stay_apart():
    ctx = Context()
    ctx.symbol("x", 0, Poly.of(23), "coord")
    for text in ("x//2 % 3*3 + x % 2", "x//6 + x//2 % 3", "x//6*6 + x % 2", "x % 2*(x//6)"):
        p = ctx.poly(read_expression(text))
        assert join(ctx, p) is p


def test_only_digits_of_coordinates_are_joined_where_only_those_are_asked_for():
    ctx, p = made("N//4*4 + N % 4 + i//4*4 + i % 4", "0 <= i < M", (*SIZES, "i"))
    n, i = (atom(ctx.by_name[k]) for k in ("N", "i"))
    assert join(ctx, p) == n + i
    assert join(ctx, p, coordinates_only=True) == ctx.resolve(n) + i


def test_what_a_symbol_consists_of():
    ctx = Context()
    x = ctx.symbol("x", 0, Poly.of(23), "coord").single()
    ctx.poly(read_expression("x//2 % 3"))
    low, middle, high = ctx.roots[x].digits
    assert leaves_of(ctx, x, set()) == [(low, ONE), (middle, 2 * ONE), (high, 6 * ONE)]
    window = join(ctx, 2 * atom(middle) + atom(low)).single()
    assert leaves_of(ctx, x, {window}) == [(window, ONE), (high, 6 * ONE)]
    upper = join(ctx, 3 * atom(high) + atom(middle)).single()
    assert leaves_of(ctx, x, {upper}) == [(low, ONE), (upper, 2 * ONE)]
    ctx = Context()
    x = ctx.symbol("x", 0, Poly.of(47), "coord").single()
    ctx.poly(read_expression("x//2%3 + x//6%2"))
    low, second, third, high = ctx.roots[x].digits
    inner = join(ctx, 3 * atom(third) + atom(second)).single()
    assert leaves_of(ctx, x, {inner}) == [(low, ONE), (inner, 2 * ONE), (high, 12 * ONE)]


FORMS = [
    ("N//128*128", ("N % 128 == 0",), "N"),
    ("N//128", ("N % 128 == 0",), "N//128"),
    ("N//64", ("N % 128 == 0",), "2*(N//128)"),
    ("N//256", ("N % 128 == 0",), "(N//128)//2"),
    ("3*(N//4) + M*(N//4)*4", ("N % 4 == 0",), "(4*M + 3)*(N//4)"),
    ("(N//4)*(N//4)", ("N % 4 == 0",), "(N//4)**2"),
    ("(N//4)*(N//4)*16", ("N % 4 == 0",), "16*(N//4)**2"),
    ("N//4*5", ("N % 4 == 0",), "5*(N//4)"),
    ("N//4*8 + 3", ("N % 4 == 0",), "2*N + 3"),
    ("(N - 3)//4*4", ("N % 4 == 3",), "N - 3"),
    ("N//4", ("N % 4 == 3",), "N//4"),
    ("M//K", ("M % K == 0",), "M//K"),
    ("M//K*K + 1", ("M % K == 0",), "M + 1"),
    ("(M//K)*K*N", ("M % K == 0",), "M*N"),
    ("(M//K)*N", ("M % K == 0",), "N*(M//K)"),
    ("M - N", ("M >= N",), "M - N"),
    ("(M - N)*K", ("M >= N",), "K*(M - N)"),
    ("M*(M - N)", ("M >= N",), "M*(M - N)"),
    ("(M - N)//4", ("M >= N",), "(M - N)//4"),
    ("(M - N)//4*N", ("M >= N",), "N*((M - N)//4)"),
    ("i//4%3//2", ("0 <= i",), "(i%12)//8"),
    ("i%24//4", ("0 <= i",), "(i//4)%6"),
    ("i//2%12//4 + i//24", ("0 <= i",), "i//24 + (i//8)%3"),
    ("max(M, N)", ("M >= N",), "M"),
    ("min(M, N)*M", ("M >= N",), "M*N"),
    ("M", ("M == 2*N",), "2*N"),
    ("M//2", ("M == 2*N",), "N"),
    ("M//N", ("M == 2*N",), "2"),
    ("M*K + N*K", (), "K*(M + N)"),
    ("M*K + N*K + K + M*N", (), "K*(M + N + 1) + M*N"),
    ("i//4*N + i//4", ("0 <= i < M",), "(N + 1)*(i//4)"),
    ("i//4*i + i*N", ("0 <= i < M",), "N*(i%4) + (4*N + 4*(i//4) + i%4)*(i//4)"),
    ("ceildiv(M, K)*N + ceildiv(M, K)", (), "(N + 1)*ceildiv(M, K)"),
    ("min(M, N)*K + min(M, N)", (), "(K + 1)*min(M, N)"),
    ("max(M + K, N)", (), "max(K + M, N)"),
    ("min(M + K, N)", (), "min(K + M, N)"),
    ("(M + N)//K*K", (), "K*((M + N)//K)"),
    ("ceildiv(M, 4)", (), "ceildiv(M, 4)"),
    ("(M + 3)//4", (), "ceildiv(M, 4)"),
    ("(M + N + 3)//4", (), "(M + N + 3)//4"),
    ("i//4%8", ("0 <= i < M",), "(i//4)%8"),
    ("i%32//4", ("0 <= i < M",), "(i//4)%8"),
    ("i%32//4", ("0 <= i < 64",), "(i//4)%8"),
    ("i%64//4", ("0 <= i < 64",), "i//4"),
    ("i//K%N", ("0 <= i < M",), "(i//K)%N"),
    ("i%(K*N)//K", ("0 <= i < M",), "(i//K)%N"),
    ("i%24%8", ("0 <= i",), "i%8"),
    ("i%24//8", ("0 <= i",), "(i//8)%3"),
    ("i%24//8 + i%8", ("0 <= i",), "i%8 + (i//8)%3"),
    ("i//4 + i//12", ("0 <= i",), "4*(i//12) + (i//4)%3"),
    ("i//4 + i//6", ("0 <= i",), "i//4 + i//6"),
    ("i//4%3 + i//12", ("0 <= i",), "i//12 + (i//4)%3"),
    ("i%12//4 + i//12*3", ("0 <= i",), "i//4"),
    ("i%4 + i//4*4 + i//12", ("0 <= i",), "13*(i//12) + i%12"),
    ("(i*N + j)//N", ("0 <= i < M", "0 <= j < N"), "i"),
    ("(i*N + j)%N", ("0 <= i < M", "0 <= j < N"), "j"),
    ("(i*N + j)//K", ("0 <= i < M", "0 <= j < N"), "(N*i + j)//K"),
    ("(i*N + j)//K*K + (i*N + j)%K", ("0 <= i < M", "0 <= j < N"), "N*i + j"),
]


@pytest.mark.parametrize(("text", "where", "rebuilt"), FORMS)
def test_an_expression_comes_back_in_few_divisions(text, where, rebuilt):
    e = read_expression(text)
    names = tuple(sorted({s.name for s in e.free_symbols} | Facts.read(where).names))
    ctx = context(where, names)
    ctx.poly(e)
    form = Rebuild(ctx).expression(ctx.poly(e))
    assert str(form) == rebuilt
    for env in grid(where, names, 9, 200):
        assert value(form, env) == value(e, env), env


# -- sample points --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "where",
    [
        (),
        ("M % 8 == 0",),
        ("M >= N",),
        ("M == 2*N",),
        ("0 <= i < M", "0 <= j < N"),
        ("0 <= i <= M*N - 1", "M % N == 0"),
        ("M >= N", "N >= 4", "K != 3"),
        ("M >= -3",),
    ],
)
def test_sample_points_keep_the_facts_and_differ(where):
    facts = Facts.read(where)
    names = tuple(sorted(facts.names | set(SIZES)))
    ctx = context(where, names)
    points = [
        {n: ctx.resolve(atom(a)).value(s) for n, a in ctx.by_name.items()} for s in ctx.samples
    ]
    assert len(points) >= 5
    for env in points:
        assert facts.holds(env)
        assert all(v >= facts.domain(n).low for n, v in env.items())
    for name in facts.names | set(SIZES):
        assert len({env[name] for env in points}) >= 4


def test_sample_points_reach_the_ends_of_every_range():
    where = ("N <= 5", "0 <= i < M", "M <= 2000")
    ctx = context(where, ("M", "N", "i"))
    ctx.symbol("x", None, None)
    samples.sample(ctx)
    points = [
        {n: ctx.resolve(atom(a)).value(s) for n, a in ctx.by_name.items()} for s in ctx.samples
    ]
    assert len(points) == 6
    assert all(Facts.read(where).holds(env) for env in points)
    assert {1, 2, 5} <= {env["N"] for env in points}
    assert any(env["i"] == 0 for env in points)
    assert any(0 < env["i"] < env["M"] - 1 for env in points)
    assert any(0 < env["i"] == env["M"] - 1 for env in points)


def test_sample_points_reach_the_atoms_the_atoms_that_are_made_later():
    ctx, _ = made("M", "0 <= i < M", (*SIZES, "i"))
    before = len(ctx.samples)
    texts = ["(M + N)//4", "(M + N) % K", "min(M, N)", "max(M + N, K)", "i//4", "i % 3", "i//N"]
    for text in texts:
        e = read_expression(text)
        p = ctx.poly(e)
        assert len(ctx.samples) == before
        for point in ctx.samples:
            env = {n: ctx.resolve(atom(a)).value(point) for n, a in ctx.by_name.items()}
            assert p.value(point) == value(e, env)


def test_no_sample_divides_by_zero():
    where = ("M*N >= 19", "(K + M)//(M*N - 18) <= 9")  # M, N = 18, 1 is tried, and turned down
    ctx = context(where, ("M", "N", "K"))
    assert not ctx.dropped
    assert len(ctx.samples) >= 2
    for point in ctx.samples:
        env = {n: ctx.resolve(atom(a)).value(point) for n, a in ctx.by_name.items()}
        assert Facts.read(where).holds(env)


def test_a_sample_turns_down_what_is_false_and_only_that():
    ctx, _ = made("M", "0 <= i < M", (*SIZES, "i"))
    m, n, i = (ctx.poly(read_expression(t)) for t in ("M", "N", "i"))
    for false in (m - n, n - m, i - 1, m - i - 2, 100 - m, ZERO - 1):
        assert ctx.fails(false)
    for true in (m - 1, m - i - 1, i, ZERO):
        assert not ctx.fails(true)


def test_facts_that_leave_no_range_leave_no_sample():
    ctx = Context()
    assume(ctx, Facts.read(["0 <= i < M - 5000"]), ("M", "i"), {"i": "coord"})
    assert ctx.samples == []
    assert not ctx.contradiction


def test_what_is_behind_a_polynomial():
    ctx, p = made("(i + j)//4", ["0 <= i < M", "0 <= j < N*K"], (*SIZES, "i", "j"))
    named = ctx.by_name
    assert {n for n in samples.behind(ctx, p) if n in named.values()} == set(named.values())
    assert samples.behind(ctx, atom(named["i"])) == {named["i"], named["M"]}
    assert samples.behind(ctx, atom(named["N"])) == {named["N"]}
    ctx, p = made("min(M, N)")
    assert samples.behind(ctx, p) == {*p.atoms, ctx.by_name["M"], ctx.by_name["N"]}
    ctx, _ = made("M", "M == N*K")
    assert samples.behind(ctx, atom(ctx.by_name["M"])) == set(ctx.by_name.values())


# -- mixed radix ----------------------------------------------------------------------------------

MODES = st.lists(
    st.tuples(st.integers(2, 4), st.integers(-9, 12)), min_size=1, max_size=3
)  # count, stride


def strided(modes, start=0) -> tuple[Context, Poly, list[int]]:
    """A context with one coordinate for each mode, the offset, and all offsets."""
    ctx = Context()
    f, every = Poly.of(start), [start]
    for count, stride in modes:
        f = f + stride * atom(ctx.new_atom("c", "coord", 0, Poly.of(count - 1)))
        every = [v + stride * x for v in every for x in range(count)]
    return ctx, f, every


def carries(digits) -> bool:
    """Whether in every order some stride does not exceed the reach of those before it."""

    def free(order) -> bool:
        reach = 1
        for stride, count in order:
            if stride < reach:
                return False
            reach += stride * (count - 1)
        return True

    return not any(map(free, permutations(digits)))


@given(MODES, st.integers(-3, 3))
@settings(LAW, max_examples=250)
def test_where_strided_offsets_fall(modes, start):
    ctx, f, every = strided(modes, start)
    radix = decompose(ctx, f)
    absent = tuple(k for k, (_, stride) in enumerate(modes) if not stride)
    assert radix.missing == absent
    assert radix.whole
    assert radix.start == min(every)
    assert {(d.atom, d.stride, d.count, d.flipped) for d in radix.digits} == {
        (k, Poly.of(abs(s)), Poly.of(c), s < 0) for k, (c, s) in enumerate(modes) if s
    }
    plain = [(abs(s), c) for c, s in modes if s]
    injective = prove_injective(ctx, f).proved
    assert injective == (not absent and not carries(plain))
    assert not injective or len(set(every)) == len(every)
    order = without_carries(ctx, radix.digits)
    assert (order is None) == carries(plain)
    if order is not None:
        assert order.reach[0] == 1
        assert order.reach[-1] == 1 + max(every) - min(every)
        strides = [d.stride for d in order.digits]
        assert order.compact == all(map(Poly.__eq__, strides, order.reach))
    top = max(every)
    for size in (top - 1, top, top + 1, top + 2):
        bounded = prove_bounded(ctx, f, Poly.of(size)).proved
        assert bounded == (min(every) >= 0 and top < size)
        onto = prove_onto(ctx, f, Poly.of(size)).proved
        assert onto == (set(every) == set(range(size)))
        both = prove_bijective(ctx, f, Poly.of(size), Poly.of(len(every))).proved
        assert both == (injective and set(every) == set(range(size)))


@pytest.mark.parametrize(("stride", "count"), [(-1, 3), (1, 0), (0, 0), (-1, 0), (-1, 1)])
def test_a_digit_without_values_or_with_a_negative_stride_says_nothing(stride, count):
    unit = Digit(0, Poly.of(1), Poly.of(4))
    odd = Digit(1, Poly.of(stride), Poly.of(count))
    for digits in ((odd,), (unit, odd), (odd, unit)):
        assert without_gaps(Context(), digits) is None


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 4)), max_size=4))
@LAW
def test_digits_without_gaps(pairs):
    ctx = Context()
    digits = tuple(Digit(k, Poly.of(s), Poly.of(c)) for k, (s, c) in enumerate(pairs))
    every = {0}
    for stride, count in pairs:
        every = {v + stride * x for v in every for x in range(count)}
    length = without_gaps(ctx, digits)
    if max(every) + 1 == len(every):
        # strides above what is reached need not be used at all when their count is 1
        assert length is None or length == len(every)
        assert length is not None or any(c == 1 for _, c in pairs)
    else:
        assert length is None


PLACED = [
    # offset, facts, size, injective, bounded, onto
    ("i*N + j", (), "M*N", True, True, True),
    ("j*M + i", (), "M*N", True, True, True),
    ("(M - 1 - i)*N + j", (), "M*N", True, True, True),
    ("M*N - 1 - i*N - j", (), "M*N", True, True, True),
    ("i*N + j + 1", (), "M*N + 1", True, True, False),
    ("i*N + j", (), "M*N + 1", True, True, False),
    ("i*N + j", (), "M*N - 1", True, False, False),
    ("i*K + j", ("K >= N",), "M*K", True, True, False),
    ("i*K + j", ("K <= N",), "(M - 1)*K + N", False, True, True),
    ("2*i*N + j", (), "2*M*N", True, True, False),
    ("i + j", (), "M + N - 1", False, True, True),
    ("i*N", (), "M*N", False, True, False),
    ("i*j", (), "M*N", False, True, False),
    ("i//4*N*4 + j*4 + i%4", ("M % 4 == 0",), "M*N", True, True, True),
    ("i//4*N*4 + j*4 + i%4", (), "ceildiv(M, 4)*4*N", True, True, False),
    ("i//K*N*K + j*K + i%K", ("M % K == 0",), "M*N", True, True, True),
    ("i//4*N*4 + j*4 + i%4", ("M % 2 == 0",), "ceildiv(M, 4)*4*N", True, True, False),
    ("i//4*4 + i%2 + 4*M*j", (), "(M + 3)*4*N", False, True, False),
]


@pytest.mark.parametrize(("text", "where", "size", "injective", "bounded", "onto"), PLACED)
def test_where_symbolic_offsets_fall(text, where, size, injective, bounded, onto):
    box = ("0 <= i < M", "0 <= j < N")

    def placed():
        ctx = context((*where, *box), (*SIZES, "i", "j"))
        ctx.poly(read_expression(text))  # all digits are known before
        return ctx, *[ctx.poly(read_expression(t)) for t in (text, size, "M*N")]

    ctx, f, limit, count = placed()
    assert prove_injective(ctx, f).proved == injective
    assert prove_bounded(ctx, f, limit).proved == bounded
    assert prove_onto(ctx, f, limit).proved == onto
    ctx, f, limit, count = placed()
    assert prove_bijective(ctx, f, limit, count).proved == (injective and onto)


@pytest.mark.parametrize(
    ("text", "bijective"),
    [
        ("4*(x//2%3*2 + x%2) + x//6", True),
        ("2*(x//6*3 + x//2%3) + x%2", True),
        ("12*(x%2) + x//6*3 + x//2%3", True),
        ("3*(x//2%3*2 + x%2) + x//6", False),
        ("4*(x//2%3*2 + x%2)", False),
        ("x//6*3 + x//2%3", False),
    ],
)
def test_windows_are_digits_of_their_coordinate(text, bijective):
    ctx = Context()
    ctx.symbol("x", 0, Poly.of(23), "coord")
    e = read_expression(text)
    ctx.poly(e)
    f = ctx.poly(e)
    every = [value(e, {"x": x}) for x in range(24)]
    assert (sorted(every) == list(range(24))) == bijective
    assert prove_injective(ctx, f).proved == (len(set(every)) == 24)
    assert prove_bijective(ctx, f, Poly.of(24), Poly.of(24)).proved == bijective


@pytest.mark.parametrize("top", range(40, 48))
def test_windows_of_a_partial_tile_do_not_fill_the_buffer(top):
    ctx = Context()
    ctx.symbol("x", 0, Poly.of(top), "coord")
    ctx.poly(read_expression("x//2%3 + x//6%2"))
    e = read_expression("8*(x%6) + x//6")
    f = ctx.poly(e)
    every = {value(e, {"x": x}) for x in range(top + 1)}
    assert prove_onto(ctx, f, Poly.of(48)).proved == (every == set(range(48)))
    assert prove_injective(ctx, f).proved


@pytest.mark.parametrize(
    ("text", "injective", "onto"),
    [
        ("i*j", "the offset i*j is not linear in digits", "the offset i*j is not linear in digits"),
        ("i*3", "the offset does not depend on j", "a stride is not proved to leave no gap"),
        ("i + j", "no order of the strides is proved to be free of carries", "offsets reach"),
        ("5*i + j + 2", "(stride x count): 1 x 5, 5 x 3", "the least offset is 2"),
        ("6*i + j", "(stride x count): 1 x 5, 6 x 3", "a stride is not proved to leave no gap"),
        ("5*i + j", "mixed radix without carries", "the digits fill [0, 15) without a gap"),
        ("j//2*6 + i*2 + j%2", "1 x 2, 2 x 3, 6 x 3", "the last one is partial"),
    ],
)
def test_reasons(text, injective, onto):
    ctx, f = made(text, ("0 <= i < 3", "0 <= j < 5"), ("i", "j"))
    assert injective in prove_injective(ctx, f).reason
    assert onto in prove_onto(ctx, f, Poly.of(15)).reason


def test_as_many_elements_as_offsets_or_no_offset_left_out():
    ctx, f = made("5*i + j", ("0 <= i < 3", "0 <= j < 5"), ("i", "j", "K"))
    counted = prove_bijective(ctx, f, Poly.of(15), Poly.of(15))
    assert counted.proved
    assert "; as many elements as offsets: 15" in counted.reason
    filled = prove_bijective(ctx, f, Poly.of(15), ctx.symbol("K"))
    assert filled.proved
    assert "; the digits fill [0, 15) without a gap" in filled.reason


def test_the_goals_of_what_is_not_bounded():
    ctx, f = made("i*N + j - 1", ("0 <= i < M", "0 <= j < N"), (*SIZES, "i", "j"))
    size = ctx.poly(read_expression("M*N - 2"))
    attempt = prove_bounded(ctx, f, size)
    assert attempt.goals == [(f, ">="), (size - 1 - f, ">=")]
    assert attempt.reason == f"{ctx.text(f)} >= 0 is not proved"
    assert prove_bounded(ctx, f + 1, size).goals == [(size - 2 - f, ">=")]
    assert prove_bounded(ctx, f, size + 1).goals == [(f, ">=")]


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("(i*N + j)//K", True),
        ("(i*N + j)//K + (i*N + j)%K*M*N", True),
        ("(i*N + j + 5)//K", True),
        ("(i + j)//K", False),
        ("(2*i*N + j)//K", False),
        ("(M - 1 - i + j*M)//K", False),
        ("(M + N)//K", False),
        ("(i*N + j + K)//4", False),
        ("((M - 1 - i)*N + j)//K", False),
        ("j//4 + (i*N + j)//K", False),
        ("(i*N + j - K)//4", False),
        ("(i + j)//K + (i*N + j)//K", True),
        ("(i*j)//K + (i*N + j)//K", True),
        ("((M - 1 - i)*N + j)//K + (i*N + j)//K", True),
        ("(i*N + j)//K + ((M - 1 - i)*N + j)//K*K*K", True),
        ("(2*i*N + j)//K + (i*N + j)//K", True),
    ],
)
def test_coordinates_that_are_only_divided_together_become_one(text, merged):
    ctx, f = made(text, ("0 <= i < M", "0 <= j < N"), (*SIZES, "i", "j"))
    before = len(ctx.atoms)
    i, j = ctx.by_name["i"], ctx.by_name["j"]
    assert merge(ctx, f) == merged
    if merged:
        y = before
        assert ctx.atoms[y].kind == "coord"
        assert (ctx.atoms[y].low, ctx.high(y)) == (0, ctx.poly(read_expression("M*N - 1")))
        assert ctx.resolve(atom(j)) == atom(y) - ctx.poly(read_expression("i*N"))
        assert ctx.atoms[i].kind == "merged"
        assert all(0 <= s[y] == s[i] * s[ctx.by_name["N"]] + s[j] for s in ctx.samples)
        assert ctx.resolve(atom(j)) in ctx.constraints
        n = ctx.poly(read_expression("N"))
        assert n - 1 - ctx.resolve(atom(j)) in ctx.constraints
    else:
        assert len(ctx.atoms) == before


# -- the solver -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "where", "status"),
    [
        ("M - 1", ">=", (), "proved"),
        ("M - 2", ">=", (), "model"),
        ("M - M", "==", (), "proved"),
        ("M - N", "==", (), "model"),
        ("M - N", "==", ("M <= N", "M >= N"), "proved"),
        ("M - 5", "==", ("M <= 5", "M >= 5"), "proved"),
        ("7 - M", ">=", ("M <= 7",), "proved"),
        ("6 - M", ">=", ("M <= 7",), "model"),
        ("M - i - 1", ">=", ("0 <= i < M",), "proved"),
        ("M - i - 2", ">=", ("0 <= i < M",), "model"),
        ("M - 5", ">=", ("M >= 4", "M != 4"), "proved"),
        ("M - 5", ">=", ("M >= 4", "M != 5"), "model"),
        ("2*M*N - 3", "==", ("M <= 2", "N <= 2"), "model"),
        ("M - 4*N", "==", ("M % 4 == 0", "4*N <= M", "4*N >= M"), "proved"),
    ],
)
def test_what_the_solver_says_of_a_goal(text, kind, where, status):
    ctx, goal = made(text, where, ("M", "N", "i") if "i" in text else ("M", "N"))
    answer = solver.always(ctx, goal, kind)
    assert answer.status == status
    if status == "proved":
        assert answer.obligation.startswith(";") or "(assert" in answer.obligation
    if status == "model":
        facts, sizes = Facts.read(where), {"M": 1, "N": 1, **answer.model}
        assert "i" in text or facts.holds(sizes)
        if "i" not in text:
            v = eval(text, {}, sizes)
            assert v < 0 if kind == ">=" else v != 0


@pytest.mark.parametrize(
    ("where", "status"),
    [
        (("M*M == 4*N*N + 4*N + 1",), "model"),
        (("M*N <= 3", "M >= 2", "N >= 2"), "proved"),
        (("M*N == 7", "M >= 2", "N >= 2"), "proved"),
        (("M != N", "M + N <= 2"), "proved"),
        (("M*N == 6", "M != N", "M > N", "N >= 2"), "model"),
    ],
)
def test_whether_facts_have_a_solution(where, status):
    ctx, _ = made("M", where, ("M", "N"))
    answer = solver.consistent(ctx)
    assert ctx.contradiction or answer.status == status
    if answer.status == "model":
        assert Facts.read(where).holds(answer.model)


def test_facts_of_which_nothing_is_decided():
    ctx, _ = made("M", "M*M == 2*N*N", ("M", "N"))
    answer = solver.consistent(ctx, 1000)
    assert (answer.status, answer.model) == ("unknown", {})


def test_a_symbol_that_nothing_is_known_of_has_a_value_in_a_model():
    ctx = Context()
    ctx.symbol("free", None)
    ctx.symbol("M", 3)
    answer = solver.consistent(ctx)
    assert answer.status == "model"
    assert isinstance(answer.model["free"], int)
    assert answer.model["M"] >= 3


def test_a_budget_that_is_spent_decides_nothing():
    ctx, hard = made("(M*M*M + N*N*N - K*K*K)*(M*M*M + N*N*N - K*K*K) - 1")
    assert solver.always(ctx, hard, ">=", 300).status == "unknown"


# -- facts and points, the slowest last ---------------------------------------------------------------


def admits(ctx: Logged, env: dict[str, int]) -> bool:
    """Whether a point keeps every range, replacement and constraint of the context."""
    at = Atoms(ctx, env)
    try:
        whole = all(at.of(ctx.resolve(atom(n))) == at[n] for n in ctx.replaced)
        left = [(n, a) for n, a in enumerate(ctx.atoms) if n not in ctx.replaced]
        above = all(a.low is None or at[n] >= a.low for n, a in left)
        below = all(a.high is None or at[n] <= at.of(a.high) for n, a in left)
        return (
            whole
            and above
            and below
            and all(at.of(c) >= 0 for c in ctx.constraints)
            and all(at.of(c) != 0 for c in ctx.nonzero)
        )
    except ZeroDivisionError:
        return False


NAMED = st.sampled_from(("M", "N", "i"))
FEW = st.integers(0, 5)
TEXTS = st.one_of(
    st.builds("{} >= {} + {}".format, NAMED, NAMED, FEW),
    st.builds("{} <= {} + {}".format, NAMED, NAMED, FEW),
    st.builds("{} < {}*{}".format, NAMED, NAMED, NAMED),
    st.builds("{}*{} <= {}".format, NAMED, NAMED, st.integers(1, 9)),
    st.builds("{}*{} == {}*{}".format, st.integers(1, 3), NAMED, st.integers(1, 3), NAMED),
    st.builds("{} == {}*{}".format, NAMED, NAMED, NAMED),
    st.builds("{}*{} + {}*{} <= {}".format, FEW, NAMED, FEW, NAMED, st.integers(0, 20)),
    st.builds("{}*{} - {}*{} > {}".format, FEW, NAMED, FEW, NAMED, FEW),
    st.builds("{} != {} + {}".format, NAMED, NAMED, FEW),
    st.builds("{} % {} == 0".format, NAMED, NAMED),
    st.builds("{}*{} % {} == 0".format, st.integers(1, 4), NAMED, st.integers(1, 6)),
    st.builds("({} + {}) % {} == {}".format, NAMED, NAMED, st.integers(1, 3), st.integers(0, 2)),
    st.builds("{} % {} == {}".format, NAMED, st.integers(1, 4), st.integers(0, 3)),
    st.builds("{}//{} == {}".format, NAMED, st.integers(1, 3), FEW),
    st.builds("{} <= {}".format, NAMED, st.integers(1, 6)),
    st.builds("{} >= {}".format, NAMED, st.integers(-2, 4)),
    st.just("0 <= i < M"),
    st.just("0 <= i"),
)


CHOSEN = [
    ("M >= 4", "M % N == 0"),
    ("M >= 0", "M % N == 0"),
    ("M <= 4", "M % N == 0"),
    ("M <= 5", "2*M % 4 == 0", "M >= 2"),
    ("M % (N + 2) == 0",),
    ("2*M % (N + 2) == 0",),
    ("M % (i + 2) == 0",),
    ("M % i == 0", "0 <= i"),
    ("(M + N) % 3 == 0",),
    ("(M + N) % i == 0", "i >= 2"),
    ("M % N == 0", "N % M == 0"),
    ("M % N == 0", "M % i == 0"),
    ("M % N == 0", "i < M", "0 <= i"),
    ("N <= 5", "M == 2*N"),
    ("M <= 5", "M == 2*N"),
    ("M >= 4", "M == 2*N"),
    ("M >= 4", "M >= N"),
    ("M <= 4", "M >= N"),
    ("M >= N", "N >= M"),
    ("M >= 2*N", "M <= 3*N"),
    ("M > N", "M % 2 == 0"),
    ("M == N*i", "0 <= i < M"),
    ("M == M*N",),
    ("2*M >= 3*N",),
    ("2*M >= 2*N + 1",),
    ("2*M + 2*N <= 9",),
    ("2*M == 2*N + 1",),
    ("3*M == 6*N",),
    ("2*M + 4*N == 6*i",),
    ("0 <= i <= M", "i >= 2"),
    ("0 <= i < M", "i < N"),
    ("0 <= i < M", "M <= i + 2"),
    ("0 <= i", "i <= M*N - 4"),
    ("0 <= i", "i*i <= M"),
    ("i >= -1", "i <= M"),
    ("M != N", "M >= N"),
    ("M//N == 2",),
    ("M//N >= 2", "M % N == 1"),
    ("M % 3 == 2", "N % 2 == 1", "M > N"),
    ("min(M, N) >= 3",),
    ("max(M, N) <= 3",),
    ("ceildiv(M, N) == 2",),
    ("0 <= i", "i <= i//2 + 3"),
    ("0 <= i", "i <= M", "M <= 2*i"),
    ("M >= 0", "N >= 0", "M <= N", "N <= M"),
    ("M//4 == N",),
    ("M//4 == 1", "M % 4 <= N"),
    ("M == N//2 + 1", "N % 4 <= 2"),
    ("N//2 == M//3",),
    ("M % 3 != 0",),
    ("M % 3 <= 1", "M % 4 >= 1"),
]


@pytest.mark.parametrize("texts", CHOSEN)
def test_a_context_admits_the_points_that_satisfy_chosen_facts(texts):
    compare_points(texts)


@given(st.lists(TEXTS, min_size=1, max_size=3))
@settings(LAW, max_examples=70)
def test_a_context_admits_exactly_the_points_that_satisfy_the_facts(texts):
    compare_points(texts)


def compare_points(texts) -> None:
    """Asserts that a context keeps all small points that satisfy the facts, and no others."""
    facts = Facts.read(texts)
    names = ("M", "N", "i")
    ctx = Logged()
    assume(ctx, facts, names, coordinate_kinds(facts))
    for values in product(range(-1, 7), repeat=len(names)):
        env = dict(zip(names, values))
        true = facts.holds(env) and all(v >= facts.domain(n).low for n, v in env.items())
        if ctx.contradiction:
            assert not true, env
        elif true:
            assert admits(ctx, env), env
        elif not ctx.dropped:
            assert not admits(ctx, env), env
