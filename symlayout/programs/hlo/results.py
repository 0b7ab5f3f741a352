"""The sizes that follow from an instruction's operands, where its type leaves them open."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from symlayout.expr.terms import as_expr
from symlayout.expr.tree import Expr, expand
from symlayout.layouts.xla import Dynamic, Shape
from symlayout.programs.hlo.binding import Bound
from symlayout.programs.hlo.broadcast.check import Broken
from symlayout.programs.hlo.module import Instruction
from symlayout.programs.hlo.opcodes import Demand, Item, Row, rows
from symlayout.programs.hlo.parts import Verifier

# what one operand gives: its sizes, None in place of those that are not known
Sizes = list[Expr | None]
Values = Sequence[tuple[Expr, ...] | None]
# opcodes with functions for rules, whose result has the sizes of the first operand
AS_FIRST = frozenset({"bitcast-convert", "scatter"})


def sizes_of(shape: Shape) -> Sizes:
    """The sizes of a shape."""
    return [None if isinstance(d, Dynamic) else as_expr(d) for d in shape._dims]


def dims_of(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    """The sizes of an instruction's result, None where nothing is known of them."""
    makers: Mapping[str, Callable[[Instruction, Sequence[Shape], Values], Sizes | None]] = {
        "concatenate": _concatenation,
        "dynamic-broadcast-in-dim": _sizes_operand,
        "dynamic-gather": _gather,
        "dynamic-iota": _sizes_operand,
        "dynamic-pad": _pad,
        "dynamic-reshape": _sizes_operand,
        "gather": _gather,
        "real-dynamic-slice": _slice,
    }
    maker = makers.get(i.opcode)
    if maker is not None:
        return maker(i, operands, values)
    row = rows().get(i.opcode)
    demand = None if row is None else equation(row)
    if row is not None and demand is not None:
        with suppress(Broken):
            return _by_row(i, operands, row, demand)
        return None
    alike = operands and all(s.rank == operands[0].rank for s in operands)
    plain = alike and isinstance(i.shape, Shape) and not i.attributes
    return sizes_of(operands[0]) if operands and (plain or i.opcode in AS_FIRST) else None


def equation(row: Row) -> Demand | None:
    """The demand of a row that says what sizes the result has.

    >>> [item.name for item in equation(rows()["dot"]).left]
    ['x', 'x', 'y']
    """
    for demand in row.demands:
        if demand.condition or len(demand.right) != 1 or demand.relation not in ("=", "~"):
            continue
        out = demand.right[0]
        if out == Item("out") or (out == Item("out", aspect="sizes") and demand.relation == "="):
            return demand
    return None


def _by_row(i: Instruction, operands: Sequence[Shape], row: Row, demand: Demand) -> Sizes:
    """The sizes that a demand gives the result, of the first operand where there are several."""
    bound = Bound(Verifier(i.opcode, i.shape, tuple(operands), i.attributes), row)
    turn = next(bound.turns(demand))
    entries = turn.sizes(demand.left)
    return [None if e.extent.dynamic else e.extent.expr for e in entries]


def _numbers(i: Instruction, key: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", i.attributes.get(key, ""))]


def _sizes_operand(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    """The last operand holds the sizes."""
    hits = values[-1] if values else None
    return None if hits is None else list(hits)


def _concatenation(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    results = sizes_of(operands[0])
    (axis,) = _numbers(i, "dimensions")
    parts = [sizes_of(s)[axis] for s in operands]
    known = [p for p in parts if p is not None]
    results[axis] = expand(sum(known)) if len(known) == len(parts) else None
    return results


def _gather(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    """Windows at `offset_dims`, the sizes of the indices elsewhere."""
    offset = _numbers(i, "offset_dims")
    gone = (*_numbers(i, "collapsed_slice_dims"), *_numbers(i, "operand_batching_dims"))
    texts = [as_expr(n) for n in _numbers(i, "slice_sizes")]
    windows: Sequence[Expr | None] | None = texts or (values[2] if len(values) > 2 else None)
    if windows is None or len(windows) != operands[0].rank:
        return None
    rest = iter([s for k, s in enumerate(windows) if k not in gone])
    (vector,) = _numbers(i, "index_vector_dim")
    batches = iter([s for k, s in enumerate(sizes_of(operands[1])) if k != vector])
    rank = i.shape.rank if isinstance(i.shape, Shape) else 0
    return [next(rest if k in offset else batches, None) for k in range(rank)]


def _pad(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    low, high, between = values[2:5]
    if low is None or high is None or between is None or any(between):
        return None
    sizes = sizes_of(operands[0])
    return [None if s is None else expand(s + a + b) for s, a, b in zip(sizes, low, high)]


def _slice(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    start, limit, stride = values[1:4]
    if start is None or limit is None or stride is None or any(n != 1 for n in stride):
        return None
    return [expand(b - a) for a, b in zip(start, limit)]
