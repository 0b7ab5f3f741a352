"""The shape rules of opcodes that take a part, put parts together, or reduce."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from symlayout.expr.facts import Relation
from symlayout.expr.terms import FloorDiv, Max, as_size, ceildiv
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.xla import Shape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.check import Check
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import CODE, Verifier
from symlayout.programs.hlo.unknown import ZERO, Image
from symlayout.programs.hlo.windows import reduced, reducer, reductions, with_initial_values


def slice_rule(v: Verifier) -> None:
    """The windows `[start:limit:stride]` lie inside the operand and have the result's sizes."""
    (shape,) = v.arrays(1, 1)
    v.same_type(shape, v.out, "the operand", "the result")
    v.demand("slice" in v.attributes, "slice needs the attribute slice")
    text = v.attributes["slice"]
    windows = re.findall(r"\[([^\]]*)\]", text)
    if re.sub(r"\[[^\]]*\]", "", text).strip("{}, \n\t"):
        v.unread("slice")
    good = len(windows) == shape.rank == v.out.rank
    v.demand(good, f"{len(windows)} slices for {shape.rank} dimensions")
    for k, window in enumerate(windows):
        words = [w.strip() for w in window.split(":")]
        if len(words) not in (2, 3) or not all(w.isdigit() for w in words):
            v.unread("slice")
        start, limit, stride = (*map(int, words), 1)[:3]
        rule = f"[{window}] has a start behind its limit, or a stride below 1"
        v.demand(start <= limit and stride >= 1, rule)
        whole, out = extents(shape)[k], extents(v.out)[k]
        v.at_most(Extent(limit), whole, f"the limit of the slice and dimension {k}")
        count = Extent(ceildiv(limit - start, stride))
        v.equal_sizes(count, out, f"the count of slice {k} and dimension {k} of the result")


def pad_rule(v: Verifier) -> None:
    """Low, high and interior padding make the operand's sizes the result's."""
    shape, value = v.arrays(2, 2)
    v.same_type(shape, v.out, "operand 0", "the result")
    v.same_type(value, v.out, "operand 1", "the result")
    v.demand(value.rank == 0, f"the padding value is a scalar, not {value}")
    v.demand("padding" in v.attributes or not shape.rank, "pad needs the attribute padding")
    text = v.attributes.get("padding", "")
    entries = [tuple(w.split("_")) for w in text.split("x")] if text else []
    good = len(entries) == shape.rank == v.out.rank
    v.demand(good, f"padding for {len(entries)} dimensions of a shape of {shape.rank}")
    for k, entry in enumerate(entries):
        if len(entry) not in (2, 3) or not all(re.fullmatch(r"-?\d+", w) for w in entry):
            v.unread("padding")
        low, high, interior = (*map(int, entry), 0)[:3]
        v.demand(interior >= 0, f"padding entry {k} has {interior} places between elements")
        extent, out = extents(shape)[k], extents(v.out)[k]
        what = f"the padded dimension {k} and that of the result"
        padded = partial(_padded, low + high, interior)
        if extent.unbounded:
            _open_padding(v, extent, out, padded, what, interior)
            continue
        size = as_size(padded(extent.expr))
        if low + high < 0:
            v.at_least_0(CODE, f"padding of dimension {k} takes away more than there is", size)
        v.equal_sizes(Extent(size), out, what)


def _padded(margin: int, interior: int, size: Expr) -> Expr:
    """A size with what is put beside elements and between them."""
    return size + margin + (Max(size - 1, 0) * interior if interior else 0)


def _open_padding(
    v: Verifier,
    size: Extent,
    out: Extent,
    padded: Callable[[Expr], Expr],
    what: str,
    interior: int,
) -> None:
    """A `?` is padded: it must turn out to be the size that becomes the result's."""

    def defined(n: Expr) -> list[Check]:
        reach = (n - 1) * (interior + 1) + 1  # of elements, where there is one
        enough = Relation(">=", reach + padded(ZERO), ZERO)
        return [Check(CODE, what, (enough,))] if padded(ZERO).p < 0 else []

    def before(n: Expr, result: Expr) -> list[Check]:
        least = FloorDiv(Max(result - padded(ZERO) + interior, 0), Integer(interior + 1))
        needs = Relation("==", n, least), Relation("==", padded(least), result)
        return [Check(CODE, what, (r,)) for r in needs]

    v.runtime.append(f"{what}: {size} must turn out to be {out} when it is padded")
    v.later.append(Image(what, size, out, padded, before, defined))


def concatenate_rule(v: Verifier) -> None:
    """The sizes add up in one dimension and are equal in the others."""
    shapes = v.arrays(1)
    out = v.out
    axis = v.number("dimensions")
    v.dimension(axis, out.rank, "dimensions")
    parts: list[Extent] = []
    for n, shape in enumerate(shapes):
        v.same_type(shape, out, f"operand {n}", "the result")
        rule = f"operand {n} has {shape.rank} dimensions and the result {out.rank}"
        v.demand(shape.rank == out.rank, rule)
        for k, (x, y) in enumerate(zip(extents(shape), extents(out))):
            if k != axis:
                v.equal_sizes(x, y, f"dimension {k} of operand {n} and of the result")
            else:
                parts.append(x)
    whole = extents(out)[axis]
    what = f"the sum of the operands' dimension {axis} and that of the result"
    total = sum((e.expr for e in parts), ZERO)
    if any(e.unbounded for e in (*parts, whole)):
        v.left_to_run_time(what, Relation("==", total, whole.expr))
        v.runtime.append(f"{what} must turn out equal")
    else:
        v.equal_sizes(Extent(as_size(total)), whole, what)


def reduce_rule(v: Verifier) -> None:
    """The reduced dimensions go; each operand has a scalar to begin with."""
    results = reductions(v)
    shapes = with_initial_values(v, len(results))
    gone = v.numbers("dimensions")
    for n, result in enumerate(results):
        shape, start = shapes[n], shapes[len(results) + n]
        v.dimensions(gone, shape.rank, "dimensions")
        v.same_sizes(shape, shapes[0], f"operand {n}", "operand 0")
        v.demand(start.rank == 0, f"the initial value of operand {n} is a scalar, not {start}")
        left = [e for k, e in enumerate(extents(shape)) if k not in gone]
        if not isinstance(result, Shape):
            v.fail(CODE, f"result {n} is not an array")
        v.same_type(start, result, f"initial value {n}", "the result")
        v.same_or_wider(shape, result, f"operand {n}", "the result")
        v.same_sizes(left, result, f"what is left of operand {n}", "the result")
    reducer(v, len(results))
    reduced(v, shapes[: len(results)], results)


def dynamic_slice_rule(v: Verifier) -> None:
    """The slice sizes are the result's, and no larger than the operand's."""
    shape = v.arrays(1)[0]
    v.same_type(shape, v.out, "operand 0", "the result")
    starts(v, 1, shape.rank)
    sizes = v.numbers("dynamic_slice_sizes")
    good = len(sizes) == shape.rank == v.out.rank
    v.demand(good, f"{len(sizes)} dynamic_slice_sizes for {shape.rank} dimensions")
    for k, size in enumerate(sizes):
        v.equal_sizes(Extent(size), extents(v.out)[k], f"slice size {k} and the result's")
        v.at_most(Extent(size), extents(shape)[k], f"slice size {k} and dimension {k} of operand 0")


def starts(v: Verifier, first: int, rank: int) -> None:
    """A scalar for each dimension, or a vector of them all, says where the slice begins."""
    shapes = [shape for shape in v.operands[first:] if isinstance(shape, Shape)]
    v.demand(all(is_integral(s.dtype) for s in shapes), "a slice begins at integers")
    for k, shape in enumerate(shapes[1:]):
        v.one_type(shapes[0], shape, f"operand {first}", f"operand {first + k + 1}")
    if len(shapes) == 1 and shapes[0].rank == 1:
        v.equal_sizes(extents(shapes[0])[0], Extent(rank), "the count of starts and of dimensions")
        return
    good = len(shapes) == rank and all(shape.rank == 0 for shape in shapes)
    v.demand(good, f"{len(shapes)} starts for {rank} dimensions, each a scalar")


def dynamic_update_slice_rule(v: Verifier) -> None:
    """The result is shaped as the operand; the update is no larger."""
    shape, update = v.arrays(2)[:2]
    v.one_shape(shape, v.out, "operand 0", "the result")  # which is written in place
    v.same_type(update, shape, "operand 1", "operand 0")
    starts(v, 2, shape.rank)
    rule = f"the update has {update.rank} dimensions, operand 0 {shape.rank}"
    v.demand(update.rank == shape.rank, rule)
    for k, (x, y) in enumerate(zip(extents(update), extents(shape))):
        v.at_most(x, y, f"dimension {k} of the update and of operand 0")


def dot_rule(v: Verifier) -> None:
    """Batch dimensions, then what is left of the left side, then of the right."""
    a, b = v.arrays(2, 2)
    x, y = extents(a), extents(b)
    (xb, xc), (yb, yc) = (_dot_dims(v, "lhs", a.rank), _dot_dims(v, "rhs", b.rank))
    for what, p, q in (("batch", xb, yb), ("contracting", xc, yc)):
        rule = f"{len(p)} {what} dimensions on the left and {len(q)} on the right"
        v.demand(len(p) == len(q), rule)
        for i, j in zip(p, q):
            v.equal_sizes(x[i], y[j], f"{what} dimensions {i} on the left and {j} on the right")
    free = [x[i] for i in xb] + [e for i, e in enumerate(x) if i not in (*xb, *xc)]
    free += [e for j, e in enumerate(y) if j not in (*yb, *yc)]
    v.same_sizes(free, v.out, "the product", "the result")


def _dot_dims(v: Verifier, side: str, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The batch and the contracting dimensions of one side."""
    results = []
    for kind in ("batch", "contracting"):
        key = f"{side}_{kind}_dims"
        dims = v.integers(key)
        for k in dims:
            v.dimension(k, rank, key)
        results.append(dims)
    what = f"{side}_batch_dims with {side}_contracting_dims"
    v.dimensions([*results[0], *results[1]], rank, what)
    return results[0], results[1]
