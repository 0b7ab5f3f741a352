"""Powers of two: `2**e` as a product of atoms, one for each product of unknowns in the exponent.

`2**(a + b) == 2**a * 2**b` for a, b >= 0.  The atom of a product m that is at least c is
`2**(m - c)`, so that `2**(k - 1)` and `2**k` are one atom and its double where k >= 1.
"""

from __future__ import annotations

from math import gcd, prod
from typing import Any, NamedTuple

from symlayout.digits.poly import Mono, Poly, monomial_gcd
from symlayout.text.limits import BITS
from symlayout.text.patterns import regex

IN_ONE = regex(r"\w+|\([^()]*\)")
LEAST = 64  # what is taken out of an exponent at most
REPEATED = 8  # times that one atom may be multiplied


class Parts(NamedTuple):
    """An exponent: the exponents of atoms, each so many times, and a number."""

    atoms: tuple[tuple[Poly, int], ...]
    number: int


def of_two(ctx: Any, e: Poly) -> Poly | None:
    """The polynomial of `2**e`; None where e is not proved to be >= 0, or is too large a number."""
    e = ctx.resolve(e)
    factors = parts(ctx, e)
    if factors.number > BITS or not ctx.nonneg(e):
        return None
    power = Poly.of(2**factors.number)
    for exponent, times in factors.atoms:
        power = power * _atom(ctx, exponent) ** times
    return power


def parts(ctx: Any, e: Poly) -> Parts:
    """How `2**e` is a product; of an exponent in which something is subtracted the atom is its own."""
    atoms: list[tuple[Poly, int]] = []
    number = e.constant
    for m, c in e.terms.items():
        if not m:
            continue
        lows = [ctx.atoms[a].low for a in m]
        if not 0 < c <= REPEATED or any(low is None or low < 0 for low in lows):
            return Parts(((e, 1),), 0)
        least = ctx.exponents.setdefault(m, _least(m, lows))
        atoms.append((Poly({m: 1}) - least, c))
        number += c * least
    return Parts(((e, 1),), 0) if number < 0 else Parts(tuple(atoms), number)


def _least(m: Mono, lows: list[int | None]) -> int:
    return min(prod(low or 0 for low in lows), LEAST) if len(m) == 1 else 0


def of_form(ctx: Any, p: Poly) -> bool:
    """Whether it is a power of two by its form: a product of atoms that are powers, and a number."""
    if len(p.terms) != 1:
        return False
    ((m, c),) = p.terms.items()
    return c > 0 and not c & (c - 1) and all(ctx.atoms[a].kind == "power" for a in m)


def below(ctx: Any, p: Poly) -> Poly:
    """The greatest power of two by its form that divides every term: no bit of p is below it."""
    shared: Mono | None = None
    for m in p.terms:
        own = tuple(a for a in m if ctx.atoms[a].kind == "power")
        shared = own if shared is None else monomial_gcd(shared, own)
    number = gcd(*p.terms.values())
    return Poly({shared or (): number & -number}) if number else Poly.of(1)


def _atom(ctx: Any, e: Poly) -> Poly:
    """The atom of `2**e` for e >= 0: at least e + 1, and at most the power of what e is at most."""

    def make() -> int:
        text = ctx.text(e)
        word = text if IN_ONE.fullmatch(text) else f"({text})"
        high = _highest(ctx, e)
        n: int = ctx.new_atom(f"2**{word}", "power", 1, high, definition=("2**", e))
        ctx.constraints.append(Poly({(n,): 1}) - e - 1)
        return n

    power: Poly = ctx.opaque(("2**", e), make)
    return power


def _highest(ctx: Any, e: Poly) -> Poly | None:
    """The power of two of the greatest exponent, where that is one of sizes."""
    top = ctx.top(e)
    if top is None or top.constant > BITS or not ctx.nonneg(top):
        return None
    before, ctx.busy = ctx.busy, ctx.busy | e.atoms
    try:
        return of_two(ctx, top)
    finally:
        ctx.busy = before
