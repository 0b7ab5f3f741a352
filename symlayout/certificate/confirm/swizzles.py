"""Swizzles permute offsets: Z3 confirms it for the bits that a swizzle reads and changes."""

from __future__ import annotations

from typing import Any

from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.solving import Asker, Budget
from symlayout.certificate.semantics import Claim
from symlayout.layouts.notation import parse


def permutes(claim: Claim) -> int:
    """Confirms that a swizzle permutes all integers: no two words of its bits have the same result.

    The bits above those that it reads and changes stay; raises `NotConfirmed`.
    """
    from symlayout.text.solver import z3

    for argument in claim.arguments:
        swizzle = getattr(parse(argument), "swizzle", None) if isinstance(argument, str) else None
        if swizzle is None:
            continue
        low, high = swizzle.base - min(swizzle.shift, 0), swizzle.base + max(swizzle.shift, 0)
        width, asker = max(low, high) + swizzle.bits, Asker()
        x, y = (z3.BitVec(n, max(width, 1), asker.context) for n in "xy")
        mask = 2**swizzle.bits - 1

        def result(v: Any) -> Any:
            return v ^ ((z3.LShR(v, high) & mask) << low)  # noqa: B023

        if asker.holds([result(x) == result(y)], x == y, Budget.LAW) == "confirmed":
            return 1
    raise NotConfirmed("a permutation of offsets that Z3 does not confirm")
