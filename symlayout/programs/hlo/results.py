"""The sizes that follow from an instruction's operands, where its type leaves them open."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from symlayout.expr.terms import as_expr
from symlayout.expr.tree import Expr, expand
from symlayout.layouts.xla import Dynamic, Shape
from symlayout.programs.hlo.module import Instruction

# what one operand gives: its sizes, None in place of those that are not known
Sizes = list[Expr | None]
Values = Sequence[tuple[Expr, ...] | None]
# opcodes whose result has the sizes of this operand
AS_OPERAND = {
    "select": 1,
    "clamp": 1,
    "reverse": 0,
    "sort": 0,
    "dynamic-update-slice": 0,
    "scatter": 0,
    "convert": 0,
    "bitcast-convert": 0,
    "real": 0,
    "imag": 0,
    "compare": 0,
    "complex": 0,
    "is-finite": 0,
    "reduce-precision": 0,
}


def sizes_of(shape: Shape) -> Sizes:
    """The sizes of a shape."""
    return [None if isinstance(d, Dynamic) else as_expr(d) for d in shape._dims]


def dims_of(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    """The sizes of an instruction's result, None where nothing is known of them."""
    makers: Mapping[str, Callable[[Instruction, Sequence[Shape], Values], Sizes | None]] = {
        "concatenate": _concatenation,
        "dot": _product,
        "dynamic-broadcast-in-dim": _sizes_operand,
        "dynamic-gather": _gather,
        "dynamic-iota": _sizes_operand,
        "dynamic-pad": _pad,
        "dynamic-reshape": _sizes_operand,
        "gather": _gather,
        "real-dynamic-slice": _slice,
        "reduce": _reduction,
        "transpose": _transpose,
    }
    maker = makers.get(i.opcode)
    if maker is not None:
        return maker(i, operands, values)
    at = AS_OPERAND.get(i.opcode)
    alike = operands and all(s.rank == operands[0].rank for s in operands)
    if at is None and not (alike and isinstance(i.shape, Shape) and not i.attributes):
        return None
    return sizes_of(operands[at or 0]) if len(operands) > (at or 0) else None


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


def _product(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    """Batches, then what is left of either side."""
    left, right = (sizes_of(s) for s in operands)
    batch, gone = _numbers(i, "lhs_batch_dims"), _numbers(i, "lhs_contracting_dims")
    other = [*_numbers(i, "rhs_batch_dims"), *_numbers(i, "rhs_contracting_dims")]
    free = [left[k] for k in range(len(left)) if k not in (*batch, *gone)]
    return [
        *[left[k] for k in batch],
        *free,
        *[right[k] for k in range(len(right)) if k not in other],
    ]


def _transpose(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    sizes = sizes_of(operands[0])
    return [sizes[k] for k in _numbers(i, "dimensions")]


def _reduction(i: Instruction, operands: Sequence[Shape], values: Values) -> Sizes | None:
    gone = _numbers(i, "dimensions")
    return [s for k, s in enumerate(sizes_of(operands[0])) if k not in gone]


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
