"""Operations on bits in a context: those that no bit or every bit decides, and atoms for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlayout.digits import bounds, powers
from symlayout.digits.atoms import in_brackets
from symlayout.digits.poly import ONE, ZERO, Poly, atom
from symlayout.expr.operators import BY_OP

if TYPE_CHECKING:
    from symlayout.digits.context import Context


def bitwise(ctx: Context, sign: str, a: Poly, b: Poly) -> Poly:
    """Two integers bit by bit: an atom of which bounds are known, one for each pair."""
    first, second = sorted((ctx.resolve(a), ctx.resolve(b)), key=repr)
    if first.is_constant and second.is_constant:
        return Poly.of(BY_OP[sign].at(first.constant, second.constant))
    if first == second:
        return ZERO if sign == "^" else first
    for p, q in ((first, second), (second, first)):
        if sign == "&" and not q.is_constant and powers.of_form(ctx, q + 1):
            return ctx.divmod(p, q + 1)[1]
        if _apart(ctx, p, q):  # no bit is in both
            return ZERO if sign == "&" else p + q
        if sign == "^":
            inner = _inside(ctx, q)
            if p in inner:  # a ^ (a ^ b) is b
                return inner[1 - inner.index(p)]
            if p.is_constant and inner and inner[0].is_constant:
                poly = Poly.of(p.constant ^ inner[0].constant)
                return bitwise(ctx, sign, poly, inner[1])
    key = (sign, first, second)

    def make() -> int:
        natural = ctx.nonneg(first) and ctx.nonneg(second)
        ends = [bounds.least(ctx, -p) for p in (first, second)]
        known = [-v for v in ends if v is not None]
        high = None
        if natural and len(known) == 2:
            high = Poly.of(2 ** max(v.bit_length() for v in known) - 1)
        name = f" {sign} ".join(in_brackets(ctx.text(p)) for p in (first, second))
        number = ctx.new_atom(name, "bits", 0 if natural else None, high, definition=key)
        m = atom(number)
        if natural and sign == "&":
            ctx.constraints += [first - m, second - m]
        elif natural:
            least = [m - first, m - second] if sign == "|" else []
            ctx.constraints += [first + second - m, *least]
        return number

    return ctx.opaque(key, make)


def _apart(ctx: Context, p: Poly, q: Poly) -> bool:
    """Whether 0 <= q < 2**k for a power of two that divides p."""
    low = powers.below(ctx, p)
    return low != ONE and ctx.nonneg(q) and ctx.nonneg(low - 1 - q)


def _inside(ctx: Context, p: Poly) -> tuple[Poly, ...]:
    """The two sides of an exclusive or, a number first."""
    number = p.single()
    if number is None or ctx.atoms[number].definition[:1] != ("^",):
        return ()
    sides = [ctx.resolve(x) for x in ctx.atoms[number].definition[1:]]
    return tuple(sorted(sides, key=lambda x: not x.is_constant))
