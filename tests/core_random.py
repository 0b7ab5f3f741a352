"""Random integer expressions, and their values by Python's own operators."""

from __future__ import annotations

from hypothesis import strategies as st

from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod, symbol
from symlayout.expr.tree import Expr, Integer

NAMES = ("a", "b", "N")
A, B, N = (symbol(n) for n in NAMES)


def trunc_div(a: int, b: int) -> int:
    """C's quotient, from its definition: the magnitudes divide, the signs multiply."""
    sign = (a > 0) - (a < 0)
    return sign * ((b > 0) - (b < 0)) * (abs(a) // abs(b))


PYTHON = {
    FloorDiv: lambda a, b: a // b,
    Mod: lambda a, b: a % b,
    CeilDiv: lambda a, b: -((-a) // b),
    TruncDiv: trunc_div,
    TruncMod: lambda a, b: a - b * trunc_div(a, b),
}


@st.composite
def pairs(draw, depth=3, divisions=(FloorDiv, Mod, CeilDiv), names=NAMES, least=-9, positive=False):
    """(expression, function): the expression, and its value as a function of the symbols' values.

    A divisor is a number other than 0 (at least 1 when `positive`), so that every value is defined.
    """

    def made(level: int):
        kind = draw(st.integers(0, 7)) if level else 0
        if kind <= 1:
            if draw(st.booleans()):
                name = draw(st.sampled_from(names))
                return symbol(name), lambda env: env[name]
            number = draw(st.integers(least, 9))
            return Integer(number), lambda env: number
        (x, f), (y, g) = made(level - 1), made(level - 1)
        if kind == 2:
            return x + y, lambda env: f(env) + g(env)
        if kind == 3:
            return x - y, lambda env: f(env) - g(env)
        if kind == 4:
            return x * y, lambda env: f(env) * g(env)
        if kind == 5:
            word, python = draw(st.sampled_from([(Min, min), (Max, max)]))
            return word(x, y), lambda env: python(f(env), g(env))
        word = draw(st.sampled_from(divisions))
        numbers = st.integers(1, 9) if positive else st.integers(-9, 9).filter(bool)
        number = draw(numbers)
        return word(x, Integer(number)), lambda env: PYTHON[word](f(env), number)

    return made(depth)


def points(names=NAMES, least=-12, most=40):
    """Values for the symbols."""
    return st.fixed_dictionaries({n: st.integers(least, most) for n in names})


def is_integer_expression(e: object) -> bool:
    """Whether every leaf is a symbol or an integer."""
    return isinstance(e, Expr) and all(x.is_Symbol or x.is_Integer for x in e.atoms())
