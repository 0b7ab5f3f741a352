"""Random integer expressions: every operation, values of either sign, divisors that may be 0."""

from __future__ import annotations

from hypothesis import strategies as st

from symlayout.errors import LayoutError
from symlayout.expr.terms import (
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    symbol,
    value,
)
from symlayout.expr.tree import Add, Integer, Mul, Pow

# names that sort in every way, and those that SymPy, Python or C would take for its own
NAMES = ("E", "N", "S", "i", "beta")
BINARY = (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)
POINTS = st.fixed_dictionaries({n: st.integers(-9, 9) for n in NAMES})


@st.composite
def expressions(draw, depth: int = 3, divisors=None):
    """An expression; `divisors` draws what is divided by, any expression by default."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        if draw(st.booleans()):
            return symbol(draw(st.sampled_from(NAMES)))
        return Integer(draw(st.integers(-9, 9)))
    inner = expressions(depth=depth - 1, divisors=divisors)
    kind = draw(st.integers(0, 10))
    if kind < 2:
        return Add(*[draw(inner) for _ in range(draw(st.integers(2, 3)))])
    if kind < 4:
        return Mul(draw(st.sampled_from([-3, -1, 1, 2])), draw(inner), draw(inner))
    if kind == 4:
        return Pow(draw(inner), draw(st.integers(2, 3)))
    if kind == 5:
        return draw(st.sampled_from([Min, Max]))(draw(inner), draw(inner))
    if kind == 6:
        return Exp2(Mod(draw(inner), draw(st.integers(1, 5))))
    d = draw(inner if divisors is None else divisors)
    return draw(st.sampled_from(BINARY))(draw(inner), d if d != 0 else Integer(4))


def value_or_none(e, env):
    """The value, None where it has none."""
    try:
        return value(e, env)
    except LayoutError:
        return None
