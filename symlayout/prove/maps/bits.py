"""Operations on bits as sums where they are: constants, and values whose bits lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.expr.needs import keeping, needs_of
from symlayout.expr.reader import is_power_of_two
from symlayout.expr.terms import BitAnd, BitOr, BitXor, CeilDiv, FloorDiv, Mod
from symlayout.expr.tree import Add, Expr, Integer, Mul, expand

POWERS = [2**k for k in range(1, 17)]


def mask_digits(x: Expr, mask: int) -> Expr:
    """`x & mask`: each run of ones is a digit of x, whatever its sign."""
    if mask < 0:  # what the other bits leave
        return x - mask_digits(x, ~mask)
    total, low = Integer(0), 0
    while mask:
        while not mask & 1:
            mask, low = mask >> 1, low + 1
        ones = 0
        while mask & 1:
            mask, ones = mask >> 1, ones + 1
        total = total + 2**low * Mod(FloorDiv(x, 2**low), 2**ones)
        low += ones
    return total


def arithmetic(e: Expr) -> Expr:
    """The expression with operations on a number's bits written with quotients and remainders."""
    if not e.args or not e.has(BitAnd, BitOr, BitXor):
        return e
    args = [arithmetic(a) for a in e.args]
    if isinstance(e, (BitAnd, BitOr, BitXor)):
        for x, c in (args, args[::-1]):
            if c.is_Integer:
                both = mask_digits(x, int(c))
                value = {BitAnd: both, BitOr: x + c - both, BitXor: x + c - 2 * both}[e.func]
                return keeping(value, needs_of(x))  # of `x | -1` nothing is left
    result: Expr = e.func(*args)
    return result


def of_map(e: Expr) -> Expr:
    """The expression of a map: operations on a number's bits as sums, and ceilings as such."""
    return ceilings(arithmetic(e))


def ceilings(e: Expr) -> Expr:
    """The expression with `ceildiv(x, d)` for `-(-x // d)`, as it is written in Python.

    >>> from symlayout.expr.reader import read_expression
    >>> print(ceilings(read_expression("-(-(N - s)//K) + 3*(-M//8)")))
    -3*ceildiv(M, 8) + ceildiv(N - s, K)
    """
    if not e.args or not e.has(FloorDiv):
        return e
    result: Expr = e.func(*map(ceilings, e.args))
    if isinstance(result, FloorDiv) and all(_falls(t) for t in _terms(result)):
        return -CeilDiv(-result.args[0], result.args[1])
    if isinstance(result, Mul) and _falls(result):
        for q in result.args:
            if isinstance(q, FloorDiv) and _falls_with_another(_terms(q)):
                others = Mul(*[f for f in result.args if f is not q])
                return -others * CeilDiv(-q.args[0], q.args[1])
    return result


def _terms(quotient: Expr) -> tuple[Expr, ...]:
    return Add.make_args(expand(quotient.args[0]))


def _falls(term: Expr) -> bool:
    """Whether a term has a minus."""
    return bool(term.as_coeff_Mul()[0] < 0)


def _falls_with_another(terms: Sequence[Expr]) -> bool:
    """Whether a term with a minus has a symbol that no other kind of term has."""
    rising = {s for t in terms if not _falls(t) for s in t.free_symbols}
    return any(_falls(t) and not t.free_symbols <= rising for t in terms)


def masks(e: Expr) -> Expr:
    """The expression where `x & (2**k - 1)` is the remainder by `2**k`."""
    if not e.args or not e.has(BitAnd):
        return e
    args = [masks(a) for a in e.args]
    if isinstance(e, BitAnd):
        for x, mask in (args, args[::-1]):
            if is_power_of_two(mask + 1):
                return Mod(x, mask + 1)
    result: Expr = e.func(*args)
    return result


def operands_of(kind: Any, e: Expr, operations: Any) -> list[Expr]:
    """The operands of operations of one kind inside one another."""
    if e in operations and operations[e][0] is kind:
        return [a for x in operations[e][1].args for a in operands_of(kind, x, operations)]
    return [e]
