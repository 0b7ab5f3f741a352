"""How large an expression is when it is multiplied out, before anybody multiplies it out."""

from __future__ import annotations

import math
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.folding import check_number as check_number
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow
from symlayout.text.limits import BITS, DEGREE, DEPTH, FACTORS, TERMS

NO_ATOMS: frozenset[Expr] = frozenset()


class Growth(NamedTuple):
    """Bounds on an expression multiplied out; a division, minimum or maximum counts as a symbol.

    `bits` bounds the sum of its coefficients' absolute values by 2**bits; without `atoms` it is its
    own (an expression that held itself would have to be looked for by the garbage collector).
    """

    degree: int
    terms: int
    bits: int
    depth: int
    atoms: frozenset[Expr] | None

    def check(self) -> Growth:
        """The same; raises `LayoutError` (SL204) where it exceeds a limit."""
        degree, terms, bits, depth, _ = self
        if bits > BITS:
            raise _too_large(f"has a number of {bits} bits", BITS)
        if degree > DEGREE:
            raise _too_large(f"has the total degree {degree}", DEGREE)
        if terms > TERMS:
            raise _too_large(f"has up to {terms} terms when it is multiplied out", TERMS)
        if terms * degree > FACTORS:
            what = f"has up to {terms * degree} factors when it is multiplied out"
            raise _too_large(what, FACTORS)
        if depth > DEPTH:
            raise _too_large(f"nests {depth} operations", DEPTH)
        return self


def _too_large(what: str, limit: int) -> LayoutError:
    return LayoutError("SL204", f"the expression {what}; the limit is {limit}")


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
    count = 1 if base.atoms is None else len(base.atoms)
    terms = min(terms, _monomials(degree, count) or terms)
    return Growth(degree, terms, bits, base.depth + 1, base.atoms)


def _monomials(degree: int, atoms: int) -> int:
    """How many monomials up to that degree there are: 0 where nothing bounds them."""
    return math.comb(degree + atoms, atoms) if atoms and degree <= DEGREE else 0


def _growth_of(e: Expr) -> Growth:
    """The growth of an expression whose parts have theirs."""
    if isinstance(e, Integer):
        return Growth(0, 1, e.p.bit_length(), 0, NO_ATOMS)
    parts: list[Growth] = [a._growth for a in e.args]
    depth = 1 + max([p.depth for p in parts]) if parts else 0
    kind = type(e)
    if kind is not Add and kind is not Mul and kind is not Pow:
        return Growth(1, 1, 0, depth, None)
    own = [(a,) if p.atoms is None else p.atoms for a, p in zip(e.args, parts)]
    atoms: frozenset[Expr] = NO_ATOMS.union(*own)
    if kind is Pow:
        n = int(e.exp) if e.exp.is_Integer else 1
        return power_growth(parts[0]._replace(atoms=atoms), max(n, 1))
    if kind is Add:
        degree, terms = max([p.degree for p in parts]), sum([p.terms for p in parts])
        bits = max([p.bits for p in parts]) + len(parts).bit_length()
    else:
        degree, terms = sum([p.degree for p in parts]), 1
        for p in parts:
            terms = min(terms * p.terms, TERMS + 1)
        bits = sum([p.bits for p in parts])
        depth -= len(parts) == 2 and e.args[0].is_Integer  # 3*x is no deeper than x
    return Growth(degree, min(terms, _monomials(degree, len(atoms)) or terms), bits, depth, atoms)


def growth(e: Expr) -> Growth:
    """The growth of an expression; raises `LayoutError` (SL204) where a part exceeds a limit.

    >>> from symlayout.expr.tree import Symbol
    >>> growth((Symbol("a") + Symbol("b")) ** 3 * 5)[:3]
    (3, 4, 9)
    """
    waiting = [e]
    while waiting:
        x = waiting[-1]
        if x._growth is None:
            if missing := [a for a in x.args if a._growth is None]:
                waiting += missing
                continue
            x._growth = _growth_of(x).check()
        waiting.pop()
    result: Growth = e._growth
    return result
