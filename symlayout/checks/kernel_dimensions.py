"""Dimensions of arrays and bounds of indices, as the accesses of a kernel suggest them."""

from __future__ import annotations

from typing import NamedTuple

from symlayout.expr.terms import CeilDiv, FloorDiv
from symlayout.expr.tree import (
    ZERO,
    Add,
    Expr,
    Integer,
    exact_quotient,
    expand,
)
from symlayout.text.patterns import regex

LANE = regex(r"lane_\d+_")
LANES = {k: f"lane_{k}_" for k in range(8)}


class Dimension(NamedTuple):
    """A size of an array, None where nothing says it, and its stride."""

    size: Expr | None
    stride: Expr


class Bound(NamedTuple):
    """What a mask or a loop says: an index without what it is shifted by, less than a size."""

    terms: Expr
    size: Expr


def without_axes(e: Expr) -> str:
    """An index whose lanes may be along any axis."""
    return LANE.sub("lane", str(e)) if LANE.search(str(e)) else str(e)


def has_factor(e: Expr, factor: Expr) -> bool:
    return e != 0 and exact_quotient(e, factor) is not None


def quotient(e: Expr, factor: Expr) -> Expr:
    """The quotient of what a factor divides."""
    return exact_quotient(e, factor) or ZERO


def joined(rows: list[Dimension]) -> list[Dimension]:
    """Dimensions of which one is the blocks of another, as that one."""
    while len(rows) > 1:
        a, b = rows[-2:]
        if a.size is None or b.size is None or a.stride != expand(b.size * b.stride):
            break
        if isinstance(a.size, CeilDiv) and a.size.args[1] == b.size:
            size = a.size.args[0]
        elif isinstance(a.size, (Integer, FloorDiv)) and isinstance(b.size, Integer):
            size = expand(a.size * b.size)
        else:
            break
        rows = [*rows[:-2], Dimension(size, b.stride)]
    return rows


def larger(a: Expr | None, b: Expr | None) -> Expr | None:
    """The larger of two sizes, the first one where that is not plain."""
    if a is None or b is None:
        return a or b
    more = Add.make_args(expand(b - a))
    return b if all(t.as_coeff_Mul()[0].p > 0 for t in more) else a


def blocks_of(size: Expr, block: Expr) -> Expr:
    return size if block == 1 else CeilDiv(size, block)
