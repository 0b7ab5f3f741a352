"""The shape rules of gather and scatter."""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.layouts.xla import Shape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.check import Demands
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import (
    Signature,
    arrays,
    at_most,
    count,
    demand,
    dimensions,
    equal_sizes,
    integers,
    numbers,
    operand_arrays,
    result_of,
    results,
    same_shapes,
    same_sizes,
    same_type,
)
from symlayout.programs.hlo.windows import reducer


def gather_rule(d: Demands, s: Signature) -> None:
    """Windows of the operand at offset_dims, the dimensions of the indices in the others."""
    shape, indices = arrays(d, s, 2, 2)
    out = result_of(s)
    same_type(d, shape, out, "operand 0", "the result")
    batches = _indices(
        d,
        s,
        indices,
        shape,
        "start_index_map",
        "operand_batching_dims",
        "start_indices_batching_dims",
    )
    offset, gone = integers(s, "offset_dims"), integers(s, "collapsed_slice_dims")
    apart = integers(s, "operand_batching_dims")
    sizes = numbers(d, s, "slice_sizes")
    rank = len(batches) + len(offset)
    demand(d, out.rank == rank, f"the result has {out.rank} dimensions, not {rank}")
    _ordered(d, offset, rank, "offset_dims")
    _ordered(d, gone, shape.rank, "collapsed_slice_dims")
    demand(d, not {*gone} & {*apart}, "a dimension is both collapsed and a batch")
    demand(d, len(sizes) == shape.rank, f"{len(sizes)} slice_sizes for {shape.rank} dimensions")
    rest = [k for k in range(shape.rank) if k not in (*gone, *apart)]
    demand(d, len(rest) == len(offset), f"{len(offset)} offset_dims for {len(rest)} dimensions")
    for k, (size, whole) in enumerate(zip(sizes, extents(shape))):
        demand(d, size >= 0, f"slice size {k} is {size}")
        demand(d, k in rest or size <= 1, f"dimension {k} goes, so its slice size is 1, not {size}")
        if not whole.unbounded:
            at_most(d, size, whole.bound, f"slice size {k} and dimension {k} of operand 0")
    for k, place in zip(rest, offset):
        equal_sizes(
            d,
            Extent(sizes[k]),
            extents(out)[place],
            f"slice size {k} and dimension {place} of the result",
        )
    left = [e for k, e in enumerate(extents(out)) if k not in offset]
    same_sizes(d, batches, left, "the indices without the index vector", "the rest of the result")


def scatter_rule(d: Demands, s: Signature) -> None:
    """Results as the operands; updates are windows of them, one for each index vector."""
    answers = results(s)
    shapes = operand_arrays(d, s, 3)
    demand(
        d, len(shapes) == 2 * len(answers) + 1, f"{len(shapes)} operands for {len(answers)} results"
    )
    indices = shapes[len(answers)]
    gone, window = integers(s, "inserted_window_dims"), integers(s, "update_window_dims")
    apart = integers(s, "input_batching_dims")
    for n, result in enumerate(answers):
        shape, update = shapes[n], shapes[len(answers) + 1 + n]
        same_shapes(d, shape, result, f"operand {n}", "the result")
        same_type(d, update, shape, f"update {n}", f"operand {n}")
        batches = _indices(
            d, s, indices, shape, "scatter_dims_to_operand_dims", "input_batching_dims",
            "scatter_indices_batching_dims",
        )  # fmt: skip
        rank = len(batches) + len(window)
        demand(d, update.rank == rank, f"update {n} has {update.rank} dimensions, not {rank}")
        _ordered(d, window, rank, "update_window_dims")
        _ordered(d, gone, shape.rank, "inserted_window_dims")
        rest = [k for k in range(shape.rank) if k not in (*gone, *apart)]
        demand(d, len(rest) == len(window), f"{len(window)} update_window_dims for {len(rest)}")
        for k, place in zip(rest, window):
            x, y = extents(update)[place], extents(shape)[k]
            if not (x.unbounded or y.unbounded):
                at_most(
                    d, x.bound, y.bound, f"dimension {place} of the update and {k} of operand {n}"
                )
        left = [e for k, e in enumerate(extents(update)) if k not in window]
        same_sizes(
            d, batches, left, "the indices without the index vector", "the rest of the update"
        )
    reducer(d, s, len(answers))


def _indices(
    d: Demands, s: Signature, indices: Shape, shape: Shape, key: str, apart: str, own: str
) -> list[Extent]:
    """The dimensions of the indices without the index vector; what the vector says is checked."""
    demand(d, is_integral(indices.dtype), f"indices are integers, not {indices.dtype}")
    at = count(s, "index_vector_dim", indices.rank)
    demand(d, 0 <= at <= indices.rank, f"index_vector_dim is {at}, of {indices.rank} dimensions")
    named = integers(s, key)
    dimensions(d, named, shape.rank, key)
    length = Extent(1) if at == indices.rank else extents(indices)[at]
    equal_sizes(d, Extent(len(named)), length, f"the count of {key} and the index vector")
    first, second = integers(s, apart), integers(s, own)
    _ordered(d, first, shape.rank, apart)
    dimensions(d, second, indices.rank, own)
    demand(d, len(first) == len(second), f"{apart} and {own} differ in their count")
    for x, y in zip(first, second):
        demand(d, x not in named, f"dimension {x} is a batch and in {key}")
        demand(d, y != at, f"{own} names the dimension of the index vector")
        equal_sizes(
            d,
            extents(shape)[x],
            extents(indices)[y],
            f"batch {x} of the operand, {y} of the indices",
        )
    return [e for k, e in enumerate(extents(indices)) if k != at]


def _ordered(d: Demands, hits: Sequence[int], rank: int, key: str) -> None:
    """Dimensions in increasing order."""
    dimensions(d, hits, rank, key)
    demand(d, list(hits) == sorted(hits), f"{key} must increase")
