"""The inverse of an index map in closed form, read off its mixed-radix structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Expr, Symbol, sympify

from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import ZERO
from symlayout.digits.radix import Order, decompose, without_carries
from symlayout.digits.rebuild import Rebuild
from symlayout.digits.windows import leaves_of
from symlayout.errors import LayoutError
from symlayout.facts import Facts
from symlayout.simplification import coordinate_atoms, in_digits, simplify_all
from symlayout.terms import FloorDiv, Mod, Size


def inverse_exprs(
    raw: Expr,
    coords: Sequence[Symbol],
    shape: Sequence[Size],
    size: Size,
    offset: Symbol,
    where: Any = (),
) -> tuple[Expr, ...]:
    """The coordinates as expressions of the offset, right on every offset that is occupied.

    Digit k of an offset without carries is `offset % stride[k+1] // stride[k]`.
    Raises `LayoutError` (SL404) when the map is not proved to be injective.
    """
    f, _, ctx = in_digits(sympify(raw), coords, shape, size, where)
    radix = decompose(ctx, f)
    if radix is None or radix.missing:
        raise LayoutError("SL404", "no inverse: the offset does not determine every coordinate")
    order = without_carries(ctx, radix.digits)
    if order is None:
        raise LayoutError("SL404", "no inverse is proved: the strides are not in an order without carries")
    rebuild = Rebuild(ctx)
    x = offset - rebuild.expression(radix.start)
    digits = _digits(ctx, order, x, rebuild)
    exprs = tuple(
        _coordinate(ctx, c, digits, rebuild) for c in _atoms_of(ctx, coords, shape)
    )
    made = simplify_all(exprs, (offset,), (size,), where)
    _check(raw, coords, shape, offset, made, where)
    return made


def _atoms_of(ctx: Context, coords: Sequence[Symbol], shape: Sequence[Size]) -> list[int | None]:
    """The coordinates' atoms in the context (None for a dimension of size 1)."""
    numbers = iter([n for n, a in enumerate(ctx.atoms) if a.kind == "coord"])
    return [None if ctx.poly(d) == 1 else next(numbers) for d in shape]


def _digits(ctx: Context, order: Order, x: Expr, rebuild: Rebuild) -> dict[int, Expr]:
    made: dict[int, Expr] = {}
    for k, d in enumerate(order.digits):
        above = order.digits[k + 1].stride if k + 1 < len(order.digits) else None
        rest = x if above is None else Mod(x, rebuild.expression(above))
        digit = FloorDiv(rest, rebuild.expression(d.stride))
        made[d.atom] = rebuild.expression(d.count - 1) - digit if d.flipped else digit
    return made


def _coordinate(
    ctx: Context, number: int | None, digits: dict[int, Expr], rebuild: Rebuild
) -> Expr:
    """A coordinate as the sum of its digits, each at its weight."""
    if number is None:
        return sympify(0)
    if number in digits:
        return digits[number]
    total: Expr = sympify(0)
    for part, weight in leaves_of(ctx, number, set(digits)):
        total = total + rebuild.expression(weight) * digits[part]
    return total


def _check(
    raw: Expr,
    coords: Sequence[Symbol],
    shape: Sequence[Size],
    offset: Symbol,
    made: Sequence[Expr],
    where: Any,
) -> None:
    """Raises unless the inverse of the offset is proved to be the coordinates themselves."""
    ctx = Context()
    from symlayout.digits.assume import assume
    from symlayout.terms import free_names

    own = {c.name for c in coords}
    names = [n for n in free_names(*shape, sympify(raw)) if n not in own]
    assume(ctx, Facts.read(where).with_least(sympify(raw), *shape), names, {})
    try:
        env = coordinate_atoms(ctx, coords, shape)
        for _ in range(2):
            at = ctx.poly(raw, env)
            back = [ctx.poly(e, {offset: at}) for e in made]
            ctx.forget()
    except Undecided as why:
        raise LayoutError("SL404", f"no inverse is proved: {why}") from None
    for c, p in zip(coords, back):
        if ctx.resolve(p - env[c]) != ZERO:
            difference = ctx.text(ctx.resolve(p - env[c]))
            raise LayoutError("SL404", f"no inverse is proved: {c} comes back changed by {difference}")


