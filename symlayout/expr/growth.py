"""How large an expression is when it is multiplied out, before anybody multiplies it out."""

from __future__ import annotations

import math
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.folding import check_number as check_number
from symlayout.expr.traversal import fold
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow
from symlayout.text.limits import BITS, DEGREE, DEPTH, FACTORS, TERMS


class Growth(NamedTuple):
    """Bounds on an expression multiplied out; a division, minimum or maximum counts as a symbol.

    `bits` bounds the sum of its coefficients' absolute values by 2**bits.
    """

    degree: int
    terms: int
    bits: int
    depth: int
    atoms: frozenset[Expr]

    def check(self) -> Growth:
        """The same; raises `LayoutError` (SL204) where it exceeds a limit."""
        for number, limit, what in (
            (self.bits, BITS, "has a number of {} bits"),
            (self.degree, DEGREE, "has the total degree {}"),
            (self.terms, TERMS, "has up to {} terms when it is multiplied out"),
            (self.terms * self.degree, FACTORS, "has up to {} factors when it is multiplied out"),
            (self.depth, DEPTH, "nests {} operations"),
        ):
            if number > limit:
                raise LayoutError(
                    "SL204", f"the expression {what.format(number)}; the limit is {limit}"
                )
        return self


def power_growth(base: Growth, exponent: int) -> Growth:
    """The growth of a power.

    >>> a, b = Growth(1, 1, 0, 0, frozenset()), Growth(1, 2, 1, 1, frozenset())
    >>> power_growth(a, 3).degree, power_growth(b, 3).terms, power_growth(b, 3).bits
    (3, 4, 3)
    """
    degree, bits = base.degree * exponent, base.bits * exponent
    if degree > DEGREE:  # the number of terms would be a number of very many digits
        return Growth(degree, 1, bits, base.depth + 1, base.atoms)
    terms = math.comb(base.terms + exponent - 1, exponent) if base.terms > 1 else 1
    terms = min(terms, _monomials(degree, len(base.atoms)) or terms)
    return Growth(degree, terms, bits, base.depth + 1, base.atoms)


def _monomials(degree: int, atoms: int) -> int:
    """How many monomials up to that degree there are: 0 where nothing bounds them."""
    return math.comb(degree + atoms, atoms) if atoms and degree <= DEGREE else 0


def _growth_of(e: Expr, parts: list[Growth]) -> Growth:
    if isinstance(e, Integer):
        return Growth(0, 1, int(e).bit_length(), 0, frozenset())
    if not parts:
        return Growth(1, 1, 0, 0, frozenset([e]))
    depth = 1 + max(p.depth for p in parts)
    if isinstance(e, Pow):
        n = int(e.exp) if e.exp.is_Integer else 1
        return power_growth(parts[0], max(n, 1))
    if not isinstance(e, (Add, Mul)):
        return Growth(1, 1, 0, depth, frozenset([e]))
    atoms = frozenset().union(*[p.atoms for p in parts])
    if isinstance(e, Add):
        degree, terms = max(p.degree for p in parts), sum(p.terms for p in parts)
        bits = max(p.bits for p in parts) + len(parts).bit_length()
    else:
        degree, terms = sum(p.degree for p in parts), 1
        for p in parts:
            terms = min(terms * p.terms, TERMS + 1)
        bits = sum(p.bits for p in parts)
        depth -= len(parts) == 2 and e.args[0].is_Integer  # 3*x is no deeper than x
    return Growth(degree, min(terms, _monomials(degree, len(atoms)) or terms), bits, depth, atoms)


class Measure:
    """The growth of expressions, equal parts measured once.

    >>> from symlayout.expr.tree import Symbol
    >>> Measure().of((Symbol("a") + Symbol("b")) ** 3 * 5)[:3]
    (3, 4, 9)
    """

    def __init__(self) -> None:
        self._known: dict[Expr, Growth] = {}

    def of(self, e: Expr) -> Growth:
        """The growth of an expression; raises `LayoutError` (SL204) where a part exceeds a limit."""
        growth: Growth = fold(e, lambda x, parts: _growth_of(x, parts).check(), self._known)
        return growth
