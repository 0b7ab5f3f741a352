"""Where offsets fall, decided in digits: injective, bounded, onto."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from symlayout.digits.bounds import nonzero
from symlayout.digits.context import Context
from symlayout.digits.poly import ZERO, Poly
from symlayout.digits.radix import Order, decompose, without_carries, without_gaps

Goal = tuple[Poly, str]  # the polynomial is ">=", "==" or "!=" 0

CARRIES = "no order of the strides is proved to be free of carries"
THEOREM = "theorem 12"  # proofs/12-mixed-radix.layout.toml


@dataclass
class Attempt:
    """What the digit engine makes of a claim: proved with a reason, or goals that would prove it."""

    proved: bool
    reason: str
    goals: list[Goal] | None = None  # None: nothing that the solver could settle
    details: dict[str, Any] = field(default_factory=dict)


def prove_injective(ctx: Context, f: Poly) -> Attempt:
    """Mixed radix without carries, and no digit left out."""
    radix = decompose(ctx, f)
    if radix is None:
        return Attempt(False, f"the offset {ctx.text(f)} is not linear in digits")
    if radix.missing:
        named = ", ".join(ctx.name(a) for a in radix.missing)
        return Attempt(False, f"the offset does not depend on {named}")
    if len(radix.digits) == 1 and nonzero(ctx, radix.digits[0].stride):
        return Attempt(True, f"one stride, which is never 0: {ctx.text(radix.digits[0].stride)}")
    order = without_carries(ctx, radix.digits)
    if order is None:
        return Attempt(False, CARRIES)
    return Attempt(True, _carries(ctx, order))


def prove_bijective(ctx: Context, f: Poly, size: Poly, count: Poly) -> Attempt:
    """Injective, bounded, and as many coordinates as offsets (or no offset left out)."""
    radix = decompose(ctx, f)
    order = None if radix is None or radix.missing else without_carries(ctx, radix.digits)
    if radix is None or order is None:
        apart = prove_injective(ctx, f)  # that says nothing of where the offsets lie
        unknown = replace(apart, proved=False, reason="the least offset is not known")
        return unknown if apart.proved else apart
    reach = ctx.resolve(order.reach[-1])
    if not (order.compact and radix.start == ZERO and reach == ctx.resolve(size)):
        inside = prove_bounded(ctx, f, size)
        if not inside.proved:
            return inside
    if ctx.resolve(count - size) == ZERO:
        reason = f"{_carries(ctx, order)}; as many elements as offsets: {ctx.text(size)}"
        return Attempt(True, reason)
    covered = prove_onto(ctx, f, size)
    if covered.proved:
        return Attempt(True, f"{_carries(ctx, order)}; {covered.reason}")
    return Attempt(False, covered.reason, [(ctx.resolve(count - size), "==")])


def _carries(ctx: Context, order: Order) -> str:
    """The digits, and the theorem of `proofs/` by which any number of them is told apart."""
    strides = ", ".join(f"{ctx.text(d.stride)} x {ctx.text(d.count)}" for d in order.digits)
    return f"mixed radix without carries by {THEOREM} (stride x count): {strides or 'one element'}"


def prove_bounded(ctx: Context, f: Poly, size: Poly) -> Attempt:
    """0 <= f < size at every corner of the box."""
    goals = [(p, ">=") for p in (f, size - 1 - f) if not ctx.nonneg(p)]
    if goals:
        text = ctx.text(ctx.resolve(goals[0][0]))
        return Attempt(False, f"{text} >= 0 is not proved", goals)
    last = ctx.text(ctx.resolve(size - 1))
    return Attempt(True, f"0 <= offset <= {last} at the ends of every digit")


def prove_onto(ctx: Context, f: Poly, size: Poly) -> Attempt:
    """No stride leaves a gap, and the digits reach the end of the buffer."""
    radix = decompose(ctx, f)
    if radix is None:
        return Attempt(False, f"the offset {ctx.text(f)} is not linear in digits")
    if radix.start != ZERO:
        return Attempt(False, f"the least offset is {ctx.text(radix.start)}")
    order = without_carries(ctx, radix.digits)
    reach: Poly | None
    reach = (
        order.reach[-1] if order is not None and order.compact else without_gaps(ctx, radix.digits)
    )
    if reach is None:
        return Attempt(False, "a stride is not proved to leave no gap")
    if not radix.whole:
        reason = "a tile does not divide the size that it tiles: the last one is partial"
        return Attempt(False, reason)
    if ctx.resolve(reach - size) != ZERO:
        reached = ctx.text(ctx.resolve(reach))
        return Attempt(False, f"the offsets reach {reached} of {ctx.text(size)}")
    return Attempt(True, f"the digits fill [0, {ctx.text(size)}) without a gap, by {THEOREM}")
