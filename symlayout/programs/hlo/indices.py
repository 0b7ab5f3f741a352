"""The shape rules of gather and scatter, and of lists of sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symlayout.layouts.xla import Shape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.windows import reduced, reducer

VECTORS = "the indices without the index vector"
# where index vectors point, and the batches of what is indexed and of the indices
GATHER = ("start_index_map", "operand_batching_dims", "start_indices_batching_dims")
SCATTER = (
    *("scatter_dims_to_operand_dims", "input_batching_dims"),
    "scatter_indices_batching_dims",
)


def gathers(v: Verifier) -> None:
    """Windows of the operand at offset_dims, the dimensions of the indices in the others."""
    shape, indices = v.arrays(2, 2)
    out = v.out
    batches = _indices(v, indices, shape, *GATHER)
    offset, gone = v.integers("offset_dims"), v.integers("collapsed_slice_dims")
    apart = v.integers("operand_batching_dims")
    sizes = v.numbers("slice_sizes")
    rank = len(batches) + len(offset)
    v.demand(out.rank == rank, f"the result has {out.rank} dimensions, not {rank}")
    _increasing(v, offset, rank, "offset_dims")
    _increasing(v, gone, shape.rank, "collapsed_slice_dims")
    v.demand(not {*gone} & {*apart}, "a dimension is both collapsed and a batch")
    v.demand(len(sizes) == shape.rank, f"{len(sizes)} slice_sizes for {shape.rank} dimensions")
    rest = [k for k in range(shape.rank) if k not in (*gone, *apart)]
    v.demand(len(rest) == len(offset), f"{len(offset)} offset_dims for {len(rest)} dimensions")
    for k, (size, whole) in enumerate(zip(sizes, extents(shape))):
        v.demand(size >= 0, f"slice size {k} is {size}")
        v.demand(k in rest or size <= 1, f"dimension {k} goes, so its slice size is 1, not {size}")
        v.at_most(Extent(size), whole, f"slice size {k} and dimension {k} of operand 0")
    for k, place in zip(rest, offset):
        what = f"slice size {k} and dimension {place} of the result"
        v.equal_sizes(Extent(sizes[k]), extents(out)[place], what)
    left = [e for k, e in enumerate(extents(out)) if k not in offset]
    v.same_sizes(batches, left, VECTORS, "the rest of the result")


def scatters(v: Verifier) -> None:
    """Results as the operands; updates are windows of them, one for each index vector."""
    answers = v.results
    shapes = v.operand_arrays(3)
    rule = f"{len(shapes)} operands for {len(answers)} results"
    v.demand(len(shapes) == 2 * len(answers) + 1, rule)
    indices = shapes[len(answers)]
    gone, window = v.integers("inserted_window_dims"), v.integers("update_window_dims")
    apart = v.integers("input_batching_dims")
    v.demand(not {*gone} & {*apart}, "a dimension is both inserted and a batch")
    for n, result in enumerate(answers):
        shape, update = shapes[n], shapes[len(answers) + 1 + n]
        v.same_shapes(shape, result, f"operand {n}", "the result")
        v.same_sizes(shape, shapes[0], f"operand {n}", "operand 0")
        v.same_sizes(update, shapes[len(answers) + 1], f"update {n}", "update 0")
        v.same_type(update, shape, f"update {n}", f"operand {n}")
        batches = _indices(v, indices, shape, *SCATTER)
        rank = len(batches) + len(window)
        v.demand(update.rank == rank, f"update {n} has {update.rank} dimensions, not {rank}")
        _increasing(v, window, rank, "update_window_dims")
        _increasing(v, gone, shape.rank, "inserted_window_dims")
        rest = [k for k in range(shape.rank) if k not in (*gone, *apart)]
        v.demand(len(rest) == len(window), f"{len(window)} update_window_dims for {len(rest)}")
        for k, place in zip(rest, window):
            x, y = extents(update)[place], extents(shape)[k]
            v.at_most(x, y, f"dimension {place} of the update and {k} of operand {n}")
        left = [e for k, e in enumerate(extents(update)) if k not in window]
        v.same_sizes(batches, left, VECTORS, "the rest of the update")
    reducer(v, len(answers))
    reduced(v, shapes[: len(answers)], answers)


def _indices(
    v: Verifier, indices: Shape, shape: Shape, key: str, apart: str, own: str
) -> list[Extent]:
    """The dimensions of the indices without the index vector; what the vector says is checked."""
    v.demand(is_integral(indices.dtype), f"indices are integers, not {indices.dtype}")
    at = v.count("index_vector_dim", indices.rank)
    v.demand(0 <= at <= indices.rank, f"index_vector_dim is {at}, of {indices.rank} dimensions")
    named = v.integers(key)
    v.dimensions(named, shape.rank, key)
    length = Extent(1) if at == indices.rank else extents(indices)[at]
    v.equal_sizes(Extent(len(named)), length, f"the count of {key} and the index vector")
    first, second = v.integers(apart), v.integers(own)
    _increasing(v, first, shape.rank, apart)
    v.dimensions(second, indices.rank, own)
    v.demand(len(first) == len(second), f"{apart} and {own} differ in their count")
    return [e for k, e in enumerate(extents(indices)) if k != at]


def _increasing(v: Verifier, hits: Sequence[int], rank: int, key: str) -> None:
    """Dimensions in increasing order."""
    v.dimensions(hits, rank, key)
    v.demand(list(hits) == sorted(hits), f"{key} must increase")


def list_of_sizes(v: Verifier, shape: Shape, rank: int, what: str) -> None:
    """An operand has one integer for each dimension."""
    v.demand(is_integral(shape.dtype), f"{what} are integers, not {shape.dtype}")
    v.demand(shape.rank == 1, f"{what} are a list, not {shape}")
    v.equal_sizes(extents(shape)[0], Extent(rank), f"the count of {what} and of dimensions")


def gathers_sizes(v: Verifier) -> None:
    """As a gather, whose windows have their sizes in an operand."""
    shape, indices, sizes = v.arrays(3, 3)
    out = v.out
    v.demand(is_integral(indices.dtype), f"indices are integers, not {indices.dtype}")
    list_of_sizes(v, sizes, shape.rank, "the slice sizes")
    at = v.count("index_vector_dim", indices.rank)
    v.demand(0 <= at <= indices.rank, f"index_vector_dim is {at}, of {indices.rank} dimensions")
    offset = v.integers("offset_dims")
    gone = (*v.integers("collapsed_slice_dims"), *v.integers("operand_batching_dims"))
    v.dimensions(gone, shape.rank, "collapsed_slice_dims")
    batches = [e for k, e in enumerate(extents(indices)) if k != at]
    rank = len(batches) + len(offset)
    v.demand(out.rank == rank, f"the result has {out.rank} dimensions, not {rank}")
    v.dimensions(offset, rank, "offset_dims")
    rest = shape.rank - len(gone)
    v.demand(rest == len(offset), f"{len(offset)} offset_dims for {rest} dimensions")
    windows = [e for k, e in enumerate(extents(shape)) if k not in gone]
    for whole, place in zip(windows, offset):
        what = f"the window in dimension {place} of the result and what is left of operand 0"
        v.at_most(extents(out)[place], whole, what)
    left = [e for k, e in enumerate(extents(out)) if k not in offset]
    v.same_sizes(batches, left, "the indices without the index vector", "the rest of the result")


FUNCTIONS: dict[str, Callable[..., None]] = {
    "gathers": gathers,
    "gathers_sizes": gathers_sizes,
    "scatters": scatters,
}
