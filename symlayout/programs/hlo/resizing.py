"""The shape rules of opcodes that take a part, put parts together, or reduce."""

from __future__ import annotations

import re

from symlayout.expr.terms import Max, Size, as_expr, as_size, ceildiv
from symlayout.layouts.xla import Shape, TupleShape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.check import Demands
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import (
    CODE,
    Signature,
    arrays,
    at_most,
    demand,
    dimension,
    dimensions,
    equal_sizes,
    numbers,
    result_of,
    same_or_wider,
    same_shapes,
    same_sizes,
    same_type,
    unread,
)
from symlayout.programs.hlo.windows import reducer, with_initial_values


def slice_rule(d: Demands, s: Signature) -> None:
    """The windows `[start:limit:stride]` lie inside the operand and have the result's sizes."""
    (shape,) = arrays(d, s, 1, 1)
    same_type(d, shape, result_of(s), "the operand", "the result")
    text = s.attributes.get("slice", "")
    windows = re.findall(r"\[([^\]]*)\]", text)
    if re.sub(r"\[[^\]]*\]", "", text).strip("{}, \n\t"):
        unread(s, "slice")
    good = len(windows) == shape.rank == result_of(s).rank
    demand(d, good, f"{len(windows)} slices for {shape.rank} dimensions")
    for k, window in enumerate(windows):
        words = [w.strip() for w in window.split(":")]
        if len(words) not in (2, 3) or not all(w.isdigit() for w in words):
            unread(s, "slice")
        start, limit, stride = (*map(int, words), 1)[:3]
        rule = f"[{window}] has a start behind its limit, or a stride below 1"
        demand(d, start <= limit and stride >= 1, rule)
        whole, out = extents(shape)[k], extents(result_of(s))[k]
        if not whole.unbounded:
            at_most(d, limit, whole.bound, f"the limit of the slice and dimension {k}")
        count = Extent(ceildiv(limit - start, stride))
        equal_sizes(d, count, out, f"the count of slice {k} and dimension {k} of the result")


def pad_rule(d: Demands, s: Signature) -> None:
    """Low, high and interior padding make the operand's sizes the result's."""
    shape, value = arrays(d, s, 2, 2)
    same_type(d, shape, result_of(s), "operand 0", "the result")
    same_type(d, value, result_of(s), "operand 1", "the result")
    demand(d, value.rank == 0, f"the padding value is a scalar, not {value}")
    text = s.attributes.get("padding", "")
    entries = [tuple(w.split("_")) for w in text.split("x")] if text else []
    if not len(entries) == shape.rank == result_of(s).rank:
        d.fail(CODE, f"padding for {len(entries)} dimensions of a shape of {shape.rank}")
    for k, entry in enumerate(entries):
        if len(entry) not in (2, 3) or not all(re.fullmatch(r"-?\d+", w) for w in entry):
            unread(s, "padding")
        low, high, interior = (*map(int, entry), 0)[:3]
        demand(d, interior >= 0, f"padding entry {k} has {interior} places between elements")
        extent, out = extents(shape)[k], extents(result_of(s))[k]
        if extent.unbounded:
            continue
        size: Size = as_size(extent.bound + low + high)
        if interior:
            size = as_size(size + Max(as_expr(extent.bound) - 1, 0) * interior)
        if low + high < 0:
            d.at_least_0(CODE, f"padding of dimension {k} takes away more than there is", size)
        equal_sizes(d, Extent(size), out, f"the padded dimension {k} and that of the result")


def concatenate_rule(d: Demands, s: Signature) -> None:
    """The sizes add up in one dimension and are equal in the others."""
    shapes = arrays(d, s, 1)
    out = result_of(s)
    (axis,) = numbers(d, s, "dimensions") or (0,)
    dimension(d, axis, out.rank, "dimensions")
    total: Size = 0
    for n, shape in enumerate(shapes):
        same_type(d, shape, out, f"operand {n}", "the result")
        rule = f"operand {n} has {shape.rank} dimensions and the result {out.rank}"
        demand(d, shape.rank == out.rank, rule)
        for k, (x, y) in enumerate(zip(extents(shape), extents(out))):
            if k != axis:
                equal_sizes(d, x, y, f"dimension {k} of operand {n} and of the result")
            elif x.unbounded or y.unbounded:
                d.runtime.append(f"dimension {k} is known at run time")
                return
            else:
                total = as_size(total + x.bound)
    what = f"the sum of the operands' dimension {axis} and that of the result"
    equal_sizes(d, Extent(total), extents(out)[axis], what)


def reduce_rule(d: Demands, s: Signature) -> None:
    """The reduced dimensions go; each operand has a scalar to begin with."""
    results = list(s.result) if isinstance(s.result, TupleShape) else [s.result]
    shapes = with_initial_values(d, s, len(results))
    gone = numbers(d, s, "dimensions")
    for n, result in enumerate(results):
        shape, start = shapes[n], shapes[len(results) + n]
        dimensions(d, gone, shape.rank, "dimensions")
        demand(d, start.rank == 0, f"the initial value of operand {n} is a scalar, not {start}")
        left = [e for k, e in enumerate(extents(shape)) if k not in gone]
        if isinstance(result, Shape):
            same_type(d, start, result, f"initial value {n}", "the result")
            same_or_wider(d, shape, result, f"operand {n}", "the result")
            same_sizes(d, left, extents(result), f"what is left of operand {n}", "the result")
    reducer(d, s, len(results))


def dynamic_slice_rule(d: Demands, s: Signature) -> None:
    """The slice sizes are the result's, and no larger than the operand's."""
    shape = arrays(d, s, 1)[0]
    same_type(d, shape, result_of(s), "operand 0", "the result")
    starts(d, s, 1, shape.rank)
    sizes = numbers(d, s, "dynamic_slice_sizes")
    if not len(sizes) == shape.rank == result_of(s).rank:
        d.fail(CODE, f"{len(sizes)} dynamic_slice_sizes for {shape.rank} dimensions")
    for k, size in enumerate(sizes):
        equal_sizes(d, Extent(size), extents(result_of(s))[k], f"slice size {k} and the result's")
        whole = extents(shape)[k]
        if not whole.unbounded:
            at_most(d, size, whole.bound, f"slice size {k} and dimension {k} of operand 0")


def starts(d: Demands, s: Signature, first: int, rank: int) -> None:
    """A scalar for each dimension, or a vector of them all, says where the slice begins."""
    shapes = [shape for shape in s.operands[first:] if isinstance(shape, Shape)]
    good = all(is_integral(shape.dtype) for shape in shapes)
    demand(d, good, "a slice begins at integers")
    if len(shapes) == 1 and shapes[0].rank == 1:
        equal_sizes(d, extents(shapes[0])[0], Extent(rank), "the count of starts and of dimensions")
        return
    good = len(shapes) == rank and all(shape.rank == 0 for shape in shapes)
    demand(d, good, f"{len(shapes)} starts for {rank} dimensions, each a scalar")


def dynamic_update_slice_rule(d: Demands, s: Signature) -> None:
    """The result is shaped as the operand; the update is no larger."""
    shapes = arrays(d, s, 2)
    same_shapes(d, shapes[0], result_of(s), "operand 0", "the result")
    same_type(d, shapes[1], shapes[0], "operand 1", "operand 0")
    starts(d, s, 2, shapes[0].rank)
    if shapes[1].rank != shapes[0].rank:
        d.fail(CODE, f"the update has {shapes[1].rank} dimensions, operand 0 {shapes[0].rank}")
    for k, (x, y) in enumerate(zip(extents(shapes[1]), extents(shapes[0]))):
        if not (x.unbounded or y.unbounded):
            at_most(d, x.bound, y.bound, f"dimension {k} of the update and of operand 0")


def dot_rule(d: Demands, s: Signature) -> None:
    """Batch dimensions, then what is left of the left side, then of the right."""
    a, b = arrays(d, s, 2, 2)
    x, y = extents(a), extents(b)
    (xb, xc), (yb, yc) = (_dot_dims(d, s, "lhs", a.rank), _dot_dims(d, s, "rhs", b.rank))
    for what, p, q in (("batch", xb, yb), ("contracting", xc, yc)):
        if len(p) != len(q):
            d.fail(CODE, f"{len(p)} {what} dimensions on the left and {len(q)} on the right")
        for i, j in zip(p, q):
            equal_sizes(d, x[i], y[j], f"{what} dimensions {i} on the left and {j} on the right")
    free = [x[i] for i in xb] + [e for i, e in enumerate(x) if i not in (*xb, *xc)]
    free += [e for j, e in enumerate(y) if j not in (*yb, *yc)]
    same_sizes(d, free, extents(result_of(s)), "the product", "the result")


def _dot_dims(
    d: Demands, s: Signature, side: str, rank: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The batch and the contracting dimensions of one side."""
    results = []
    for kind in ("batch", "contracting"):
        key = f"{side}_{kind}_dims"
        dims = numbers(d, s, key) if key in s.attributes else ()
        for k in dims:
            dimension(d, k, rank, key)
        results.append(dims)
    return results[0], results[1]
