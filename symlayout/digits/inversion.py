"""The inverse of an index map in closed form, read off its mixed-radix structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import ZERO, Poly
from symlayout.digits.radix import Order, decompose, without_carries
from symlayout.digits.rebuild import Rebuild
from symlayout.digits.simplification import in_digits
from symlayout.digits.windows import leaves_of
from symlayout.errors import LayoutError
from symlayout.expr.terms import FloorDiv, Mod, Size, as_expr
from symlayout.expr.tree import Expr, Symbol


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
    f, _, env, ctx = in_digits(as_expr(raw), coords, shape, size, where)
    radix = decompose(ctx, f)
    if radix is None or radix.missing:
        raise LayoutError("SL404", "no inverse: the offset does not determine every coordinate")
    order = without_carries(ctx, radix.digits)
    if order is None:
        message = "no inverse is proved: the strides are not in an order without carries"
        raise LayoutError("SL404", message)
    rebuild = Rebuild(ctx)
    try:
        x = offset - rebuild.expression(radix.start)
        digits = _digits(ctx, order, x, rebuild)
        results = tuple(_coordinate(ctx, env[c].single(), digits, rebuild) for c in coords)
    except Undecided as why:
        raise LayoutError("SL404", f"no inverse is proved: {why}") from None
    for c, e in zip(coords, results):
        _check(ctx, f, c, env[c], offset, e)
    return results


def _digits(ctx: Context, order: Order, x: Expr, rebuild: Rebuild) -> dict[int, Expr]:
    table: dict[int, Expr] = {}
    for k, d in enumerate(order.digits):
        stride = rebuild.expression(d.stride)
        digit: Expr
        if k + 1 == len(order.digits):
            digit = FloorDiv(x, stride)
        else:
            above = order.digits[k + 1].stride
            count = ctx.resolve(above).exact(ctx.resolve(d.stride))
            if d.stride == 1 or count is None:
                digit = FloorDiv(Mod(x, rebuild.expression(above)), stride)
            else:
                digit = Mod(FloorDiv(x, stride), rebuild.expression(count))
        table[d.atom] = rebuild.expression(d.count - 1) - digit if d.flipped else digit
    return table


def _coordinate(
    ctx: Context, number: int | None, digits: dict[int, Expr], rebuild: Rebuild
) -> Expr:
    """A coordinate as the sum of its digits, each at its weight."""
    if number is None:
        return as_expr(0)
    if number in digits:
        return digits[number]
    rows = leaves_of(ctx, number, set(digits))
    return sum((rebuild.expression(weight) * digits[part] for part, weight in rows), as_expr(0))


def _check(ctx: Context, f: Poly, coord: Symbol, poly: Poly, offset: Symbol, inverse: Expr) -> None:
    """Raises unless the inverse of the offset is proved to be the coordinate itself."""
    try:
        back = ctx.poly(inverse, {offset: f})
    except Undecided as why:
        raise LayoutError("SL404", f"no inverse is proved: {why}") from None
    difference = ctx.resolve(back - poly)
    if difference != ZERO:
        message = f"no inverse is proved: {coord} comes back changed by {ctx.text(difference)}"
        raise LayoutError("SL404", message)
