"""Bounds of what an operator makes of arguments between bounds.

A range is two integers or infinities.  Each function gives the range of one operator, wherever that
has a value.  `Operator.interval` names it; `intervals` and `arrays` ask it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, prod

from symlayout.text.limits import VALUE_BITS

Range = tuple[float, float]  # of integers or infinities
ALL: Range = (-inf, inf)
LARGEST_EXPONENT = 512  # of a bound that is a power of two


def add(a: Range, b: Range) -> Range:
    """The sum."""
    low = -inf if -inf in (a[0], b[0]) else a[0] + b[0]
    return (low, inf if inf in (a[1], b[1]) else a[1] + b[1])


def subtract(a: Range, b: Range) -> Range:
    """The difference."""
    return add(a, (-b[1], -b[0]))


def multiply(a: Range, b: Range) -> Range:
    """The product."""
    ends = [0 if 0 in (x, y) else prod((x, y)) for x in a for y in b]
    return (min(ends), max(ends))


def least(*parts: Range) -> Range:
    """The minimum."""
    return (min(a for a, _ in parts), min(b for _, b in parts))


def greatest(*parts: Range) -> Range:
    """The maximum."""
    return (max(a for a, _ in parts), max(b for _, b in parts))


def choose(p: Range, q: Range, a: Range, b: Range) -> Range:
    """Either branch."""
    return (min(a[0], b[0]), max(a[1], b[1]))


def raise_two(k: Range) -> Range:
    """`2**k`."""
    low, high = (max(x, 0) for x in k)
    top = inf if high > LARGEST_EXPONENT else 2 ** int(high)
    return (2 ** int(min(low, LARGEST_EXPONENT)), top)


def shift_left(a: Range, count: Range) -> Range:
    """`a << count`."""
    return multiply(a, (2 ** int(min(count[0], VALUE_BITS)), 2 ** int(min(count[1], VALUE_BITS))))


def shift_right(a: Range, count: Range) -> Range:
    """`a >> count`."""
    return floor(a, (2 ** int(count[0]), 2 ** int(count[1])))


def mask(a: Range, b: Range) -> Range:
    """`a & b`: at most each side that has no sign."""
    natural = [x[1] for x in (a, b) if x[0] >= 0]
    return (0, min(natural)) if natural else _pattern(a, b)


def common(a: Range, b: Range) -> Range:
    """The greatest common divisor: at most each side that is never 0, and then at least 1."""
    sides = [max(-low, high) for low, high in (a, b) if low > 0 or high < 0]
    return (1, min(sides)) if sides else (0, max(-a[0], a[1], -b[0], b[1]))


def unite(a: Range, b: Range) -> Range:
    """`a | b`: at least each side where neither has a sign."""
    low, high = _pattern(a, b)
    return (max(a[0], b[0]) if min(a[0], b[0]) >= 0 else low, high)


def _pattern(a: Range, b: Range) -> Range:
    """As many bits as the longer side, and a sign where one side has it."""
    reach = max(-a[0] - 1, a[1], -b[0] - 1, b[1], 0)
    most = inf if reach == inf else 2 ** int(reach).bit_length()
    return (0 if min(a[0], b[0]) >= 0 else -most, most - 1)


exclude = _pattern


def floor_rest(a: Range, b: Range) -> Range:
    """`a % b`, with the sign of the divisor."""
    reach = max(abs(b[0]), abs(b[1])) - 1
    if b[0] >= 0:
        return (0, min(a[1], reach) if a[0] >= 0 else reach)
    return (b[0] + 1, max(b[1] - 1, 0))


def truncated_rest(a: Range, b: Range) -> Range:
    """C's `a % b`, with the sign of the dividend."""
    reach = max(abs(b[0]), abs(b[1])) - 1
    return (-min(reach, -a[0]) if a[0] < 0 else 0, min(reach, a[1]) if a[1] > 0 else 0)


def quotient(a: Range, b: Range, rounded: Callable[[float, float], float]) -> Range:
    """A quotient: a ratio's ends are at the corners, and rounding keeps their order."""
    if b[0] < 0 <= b[1]:  # the sign of the divisor is open: |a/b| <= |a|
        most = max(map(abs, a))
        return (-most, most)
    divisors = b if b[1] < 0 else (max(1, b[0]), max(1, *b))
    ends = [rounded(x, y) for x in a for y in divisors]
    return (min(ends), max(ends))


def floor(a: Range, b: Range) -> Range:
    """`a // b`."""
    return quotient(a, b, _floor)


def ceiling(a: Range, b: Range) -> Range:
    """`a / b` rounded up."""
    return quotient(a, b, _ceiling)


def truncated(a: Range, b: Range) -> Range:
    """`a / b` rounded towards zero."""
    return quotient(a, b, _towards_zero)


def _floor(a: float, b: float) -> float:
    if b in (inf, -inf):
        return -1 if a and (a < 0) == (b > 0) else 0
    if a in (inf, -inf):
        return a if b > 0 else -a
    return int(a) // int(b)


def _ceiling(a: float, b: float) -> float:
    return -_floor(-a, b)


def _towards_zero(a: float, b: float) -> float:
    return _floor(a, b) if (a >= 0) == (b > 0) else _ceiling(a, b)
