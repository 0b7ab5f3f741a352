"""Digits: every step keeps the value, every bound holds at every point."""

from __future__ import annotations

import pytest
from digit_points import BOX, Atoms, context, expressions, grid, positives
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from symlayout.digits.context import Undecided
from symlayout.digits.poly import ZERO, Poly, atom
from symlayout.digits.rebuild import Rebuild
from symlayout.digits.windows import join
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    Where,
    symbol,
    value,
)
from symlayout.expr.tree import Integer

LAW = settings(max_examples=50, deadline=None, derandomize=True, phases=[Phase.generate])
M, N, t, i, j = (symbol(n) for n in ("M", "N", "t", "i", "j"))
POINTS = grid()
FACTS = st.sampled_from(
    [
        BOX,
        (*BOX, "M % 2 == 0"),
        (*BOX, "N % 3 == 0", "M == 2*N"),
        (*BOX, "N % t == 0"),
        (*BOX, "t <= N", "M >= N"),
        (*BOX, "N <= 3"),
        (*BOX, "M*N <= 9", "t != 2"),
        ("0 <= i < M", "0 <= j < t", "N >= 0"),
        ("0 <= i < M", "j < N", "j >= -2"),
        ("0 <= i < M", "0 <= j < N", "t >= M + N"),
    ]
)


@given(expressions(), FACTS)
@LAW
def test_the_polynomial_has_the_expression_s_value(e, where):
    ctx = context(where)
    try:
        p = ctx.poly(e)
    except Undecided:
        return
    for env in grid(where):
        assert Atoms(ctx, env).of(p) == value(e, env), env


@given(expressions(depth=2), expressions(depth=2), st.integers(-3, 3), FACTS)
@LAW
def test_extremes_by_differences_and_symbols_by_remainders_have_the_expression_s_value(
    e, other, more, where
):
    ctx = context(where)
    ctx.differences = ctx.residues = True
    for word in (Min, Max):
        for second in (other, e + more * M):
            try:
                p = ctx.poly(word(e, second))
            except Undecided:
                continue
            for env in grid(where):
                assert Atoms(ctx, env).of(p) == value(word(e, second), env), env


@given(expressions(depth=2), expressions(depth=2), st.integers(-3, 3), FACTS)
@LAW
def test_a_branch_that_is_decided_is_the_one_that_is_taken(e, other, more, where):
    ctx = context(where)
    choice = Where(e, e + more, other, e - other)
    try:
        p = ctx.poly(choice)
    except Undecided:
        return
    for env in grid(where):
        assert Atoms(ctx, env).of(p) == value(choice, env), env


@given(expressions(depth=2), positives(), FACTS)
@LAW
def test_a_division_step_is_euclid_s(e, d, where):
    ctx = context(where)
    try:
        dividend, divisor = ctx.poly(e), ctx.poly(d)
        q, r = ctx.divmod(dividend, divisor)
    except Undecided:
        # the one symbol here that may make a divisor 0, and bounds through a negative symbol
        assert "N >= 0" in where or "j >= -2" in where
        return
    assert ctx.resolve(dividend - q * divisor - r) == ZERO
    for env in grid(where):
        at = Atoms(ctx, env)
        assert 0 <= at.of(r) < at.of(divisor), env
        assert at.of(q) == value(e, env) // value(d, env), env


@given(expressions(depth=2), positives(), FACTS)
@LAW
def test_every_recorded_step_is_an_identity(e, d, where):
    ctx = context(where)
    try:
        ctx.poly(FloorDiv(e, d) + Mod(FloorDiv(e, 2), d))
    except Undecided:
        return
    for env in grid(where):
        at = Atoms(ctx, env)
        for step in ctx.divisions:
            assert at.of(step.dividend) == at.of(step.divisor) * at.of(step.quotient) + at.of(
                step.remainder
            )
            assert 0 <= at.of(step.remainder) < at.of(step.divisor)


@given(expressions(), expressions(depth=2), FACTS)
@LAW
def test_what_is_proved_non_negative_is_never_negative(e, other, where):
    ctx = context(where)
    try:
        p = ctx.poly(e - other)
    except Undecided:
        return
    proved = ctx.nonneg(p)
    opposite = ctx.nonneg(-p)
    for env in grid(where):
        v = value(e, env) - value(other, env)
        assert v >= 0 or not proved, env
        assert v <= 0 or not opposite, env


@given(expressions(), FACTS)
@LAW
def test_ranges_and_constraints_of_every_atom_hold(e, where):
    ctx = context(where)
    try:
        ctx.poly(e)
    except Undecided:
        return
    for env in grid(where):
        at = Atoms(ctx, env)
        for number, info in enumerate(ctx.atoms):
            if info.kind == "window" and not set(info.definition[1:]) <= at.digits:
                continue  # one of its digits has been split since
            v = at[number]
            assert info.low is None or v >= info.low, (ctx.name(number), env)
            assert info.high is None or v <= at.of(info.high), (ctx.name(number), env)
        for c in ctx.constraints:
            assert at.of(c) >= 0, (ctx.text(c), env)
        for c in ctx.nonzero:
            assert at.of(c) != 0, (ctx.text(c), env)


@given(expressions(), FACTS)
@LAW
def test_sample_points_satisfy_what_is_known(e, where):
    ctx = context(where)
    try:
        p = ctx.poly(e)
    except Undecided:
        return
    for point in ctx.samples:
        env = {n: ctx.resolve(atom(a)).value(point) for n, a in ctx.by_name.items()}
        assert all(c.value(point) >= 0 for c in map(ctx.resolve, ctx.constraints))
        assert ctx.resolve(p).value(point) == value(e, env)
        at = Atoms(ctx, env)
        for number in range(len(ctx.atoms)):
            if (
                number in point
                and number not in ctx.replaced
                and ctx.atoms[number].kind != "window"
            ):
                assert at[number] == point[number], ctx.name(number)


@given(expressions(), FACTS)
@LAW
def test_joined_digits_have_the_same_value(e, where):
    ctx = context(where)
    try:
        p = ctx.poly(e)
    except Undecided:
        return
    joined = join(ctx, p)
    inside = join(ctx, p, coordinates_only=True)
    for env in grid(where):
        at = Atoms(ctx, env)
        assert at.of(joined) == at.of(p) == at.of(inside) == value(e, env), env


@given(expressions(), FACTS)
@LAW
def test_what_is_rebuilt_and_proved_equal_has_the_same_value(e, where):
    ctx = context(where)
    try:
        p = ctx.poly(e)
    except Undecided:
        return
    made = Rebuild(ctx).expression(p)
    if ctx.resolve(ctx.poly(made) - ctx.poly(e)) != ZERO:
        return  # simplify keeps such an expression only when it is proved equal
    for env in grid(where):
        assert value(made, env) == value(e, env), env


# -- worked cases ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("e", "d", "quotient", "remainder"),
    [
        (i * N + j, N, i, j),
        (i * N + j + 5 * N, N, i + 5, j),
        (i * N * 4 + 4 * j + 3, 4 * N, i, 4 * j + 3),
        ((i * t + 1) * N - 1, N, i * t, N - 1),
        (N - 1 - j, N, Integer(0), N - 1 - j),
        (-j - 1, N, Integer(-1), N - 1 - j),
        (2 * i * t + t, 2 * t, i, t),
        (Integer(-7), Integer(3), Integer(-3), Integer(2)),
    ],
)
def test_divisions_that_leave_no_atom(e, d, quotient, remainder):
    ctx = context()
    q, r = ctx.divmod(ctx.poly(e), ctx.poly(d))
    assert (q, r) == (ctx.poly(quotient), ctx.poly(remainder))
    assert not ctx.has_opaque
    assert ctx.atoms == context().atoms


@pytest.mark.parametrize(
    ("e", "same"),
    [
        (FloorDiv(FloorDiv(i, 4), 8), FloorDiv(i, 32)),
        (FloorDiv(FloorDiv(i, t), 8), FloorDiv(i, 8 * t)),
        (FloorDiv(FloorDiv(i + j, 4) + 3, 8), FloorDiv(i + j + 12, 32)),
        (Mod(Mod(i, 4 * t), t), Mod(i, t)),
        (FloorDiv(Mod(i, 4 * t), t), Mod(FloorDiv(i, t), 4)),
        (t * FloorDiv(i, t) + Mod(i, t), i),
        (CeilDiv(CeilDiv(N, 4), 8), CeilDiv(N, 32)),
        (CeilDiv(N, t), FloorDiv(N - 1, t) + 1),
        (FloorDiv(2 * N + 6, 2), N + 3),
        (TruncDiv(-i, t), -FloorDiv(i, t)),
        (TruncMod(-i, t), -Mod(i, t)),
        (FloorDiv(i, -t), FloorDiv(-i, t)),
        (Mod(i, -t), -Mod(-i, t)),
    ],
)
def test_equal_expressions_have_one_polynomial(e, same):
    ctx = context()
    assert ctx.resolve(ctx.poly(e) - ctx.poly(same)) == ZERO
    for env in POINTS:
        assert value(e, env) == value(same, env)


@pytest.mark.parametrize("divisor", [N - 1, N - M, M - 5, N * M - 1, t - t, i])
def test_a_divisor_that_may_not_be_positive_is_undecided(divisor):
    ctx = context()
    with pytest.raises(Undecided, match="not proved to be positive"):
        ctx.divmod(ctx.poly(j), ctx.poly(divisor))


def test_the_sign_that_c_needs_is_asked_for():
    ctx = context()
    with pytest.raises(Undecided, match="which C divides by"):
        ctx.poly(TruncDiv(i - j, t))


def test_a_branch_that_differs_from_place_to_place_is_undecided():
    with pytest.raises(Undecided, match="whether i < N"):
        context().poly(Where(i, N, i, j))


@pytest.mark.parametrize(
    ("e", "answer"),
    [
        (M - 1 - i, True),
        (M * N - 1 - (i * N + j), True),
        (M * N - i * N - N, True),
        (i * j, True),
        (M * M - i * i - 1, True),
        (M - N, False),
        (i - 1, False),
        (M - 2 - i, False),
        (CeilDiv(N, t) * t - N, True),
        (N - FloorDiv(N, t) * t, True),
        (N - t, False),
        (CeilDiv(M, 8) - 1 - FloorDiv(i, 8), True),
        (CeilDiv(M, t) - 1 - FloorDiv(i, t), True),
    ],
)
def test_signs(e, answer):
    ctx = context()
    assert ctx.nonneg(ctx.poly(e)) == answer
    assert all(value(e, env) >= 0 for env in grid(most=5, count=4000)) == answer


def test_an_empty_range_is_noticed():
    from symlayout.digits.assume import assume as take
    from symlayout.digits.context import Context
    from symlayout.expr.facts import Facts

    for where in ("N <= 0", ("N >= 3", "N < 3"), "N == N + 1", "2*N == 4*M + 1", "N % 2 == 5"):
        ctx = Context()
        take(ctx, Facts.read(where), ("N", "M"), {})
        if where != "N % 2 == 5":
            assert ctx.contradiction, where
        assert not any(Facts.read(where).holds(e) for e in grid((), ("N", "M"), 9, 81))


def test_polynomials_of_one_context_are_values():
    ctx = context()
    p = ctx.poly(FloorDiv(i * N + j, t))
    assert p == ctx.poly(FloorDiv(i * N + j, t))
    assert hash(p) == hash(ctx.poly(FloorDiv(i * N + j, t)))
    assert isinstance(p, Poly)
