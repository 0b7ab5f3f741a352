"""The shape rules of StableHLO's operations whose sizes come in at run time, as an operand."""

from __future__ import annotations

from symlayout.layouts.xla import Shape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.check import Demands, is_one, same
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import (
    CODE,
    Signature,
    arrays,
    at_most,
    count,
    demand,
    dimension,
    dimensions,
    equal_sizes,
    integers,
    numbers,
    result_of,
    same_sizes,
    same_type,
)


def sizes_operand(d: Demands, shape: Shape, rank: int, what: str) -> None:
    """An operand has one integer for each dimension."""
    demand(d, is_integral(shape.dtype), f"{what} are integers, not {shape.dtype}")
    demand(d, shape.rank == 1, f"{what} are a list, not {shape}")
    equal_sizes(d, extents(shape)[0], Extent(rank), f"the count of {what} and of dimensions")


def broadcast_rule(d: Demands, s: Signature) -> None:
    """Each dimension of the operand becomes one of the result, or is 1 and repeated."""
    shape, sizes = arrays(d, s, 2, 2)
    out = result_of(s)
    same_type(d, shape, out, "operand 0", "the result")
    sizes_operand(d, sizes, out.rank, "the sizes")
    dims = numbers(d, s, "dimensions")
    demand(d, len(dims) == shape.rank, f"{len(dims)} dimensions for {shape.rank} of operand 0")
    dimensions(d, dims, out.rank, "dimensions")
    for k, place in enumerate(dims):
        x, y = extents(shape)[k], extents(out)[place]
        what = f"dimension {k} of the operand and dimension {place} of the result"
        if x.unbounded or y.unbounded:
            d.runtime.append(f"{what}: {x} must turn out to be {y} or 1")
        else:
            d.one_of(CODE, what, x, y, same(x, y), is_one(x))


def iota_rule(d: Demands, s: Signature) -> None:
    """The operand holds the sizes."""
    (sizes,) = arrays(d, s, 1, 1)
    sizes_operand(d, sizes, result_of(s).rank, "the sizes")
    dimension(d, count(s, "iota_dimension", 0), result_of(s).rank, "iota_dimension")


def pad_rule(d: Demands, s: Signature) -> None:
    """A number of each kind for each dimension."""
    shape, value, *lists = arrays(d, s, 5, 5)
    out = result_of(s)
    same_type(d, shape, out, "operand 0", "the result")
    same_type(d, value, out, "operand 1", "the result")
    demand(d, value.rank == 0, f"operand 1 is a scalar, not {value}")
    demand(d, out.rank == shape.rank, "operand 0 and the result have one rank")
    for part, what in zip(lists, ("paddings below", "paddings above", "paddings between")):
        sizes_operand(d, part, shape.rank, f"the {what}")


def slice_rule(d: Demands, s: Signature) -> None:
    """A start, a limit and a stride for each dimension; the result is no larger than the operand."""
    shape, *lists = arrays(d, s, 4, 4)
    out = result_of(s)
    same_type(d, shape, out, "operand 0", "the result")
    demand(d, out.rank == shape.rank, "operand 0 and the result have one rank")
    for part, what in zip(lists, ("starts", "limits", "strides")):
        sizes_operand(d, part, shape.rank, f"the {what}")
    for k, (x, y) in enumerate(zip(extents(shape), extents(out))):
        if not (x.unbounded or y.unbounded):
            at_most(d, y.bound, x.bound, f"dimension {k} of the result and of operand 0")


def gather_rule(d: Demands, s: Signature) -> None:
    """As a gather, whose windows have their sizes in an operand."""
    shape, indices, sizes = arrays(d, s, 3, 3)
    out = result_of(s)
    same_type(d, shape, out, "operand 0", "the result")
    demand(d, is_integral(indices.dtype), f"indices are integers, not {indices.dtype}")
    sizes_operand(d, sizes, shape.rank, "the slice sizes")
    at = count(s, "index_vector_dim", indices.rank)
    demand(d, 0 <= at <= indices.rank, f"index_vector_dim is {at}, of {indices.rank} dimensions")
    offset = integers(s, "offset_dims")
    gone = (*integers(s, "collapsed_slice_dims"), *integers(s, "operand_batching_dims"))
    dimensions(d, gone, shape.rank, "collapsed_slice_dims")
    batches = [e for k, e in enumerate(extents(indices)) if k != at]
    rank = len(batches) + len(offset)
    demand(d, out.rank == rank, f"the result has {out.rank} dimensions, not {rank}")
    dimensions(d, offset, rank, "offset_dims")
    rest = shape.rank - len(gone)
    demand(d, rest == len(offset), f"{len(offset)} offset_dims for {rest} dimensions")
    left = [e for k, e in enumerate(extents(out)) if k not in offset]
    same_sizes(d, batches, left, "the indices without the index vector", "the rest of the result")
