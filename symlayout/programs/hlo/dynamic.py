"""The shape rules of StableHLO's operations whose sizes come in at run time, as an operand."""

from __future__ import annotations

from symlayout.layouts.xla import Shape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.check import is_one, same
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import CODE, Verifier


def sizes_operand(v: Verifier, shape: Shape, rank: int, what: str) -> None:
    """An operand has one integer for each dimension."""
    v.demand(is_integral(shape.dtype), f"{what} are integers, not {shape.dtype}")
    v.demand(shape.rank == 1, f"{what} are a list, not {shape}")
    v.equal_sizes(extents(shape)[0], Extent(rank), f"the count of {what} and of dimensions")


def broadcast_rule(v: Verifier) -> None:
    """Each dimension of the operand becomes one of the result, or is 1 and repeated."""
    shape, sizes = v.arrays(2, 2)
    out = v.out
    v.same_type(shape, out, "operand 0", "the result")
    sizes_operand(v, sizes, out.rank, "the sizes")
    dims = v.numbers("dimensions")
    v.demand(len(dims) == shape.rank, f"{len(dims)} dimensions for {shape.rank} of operand 0")
    v.dimensions(dims, out.rank, "dimensions")
    for k, place in enumerate(dims):
        x, y = extents(shape)[k], extents(out)[place]
        what = f"dimension {k} of the operand and dimension {place} of the result"
        if x.unbounded or y.unbounded:
            v.runtime.append(f"{what}: {x} must turn out to be {y} or 1")
        else:
            v.one_of(CODE, what, x, y, same(x, y), is_one(x))


def iota_rule(v: Verifier) -> None:
    """The operand holds the sizes."""
    (sizes,) = v.arrays(1, 1)
    sizes_operand(v, sizes, v.out.rank, "the sizes")
    v.dimension(v.count("iota_dimension", 0), v.out.rank, "iota_dimension")


def pad_rule(v: Verifier) -> None:
    """A number of each kind for each dimension."""
    shape, value, *lists = v.arrays(5, 5)
    out = v.out
    v.same_type(shape, out, "operand 0", "the result")
    v.same_type(value, out, "operand 1", "the result")
    v.demand(value.rank == 0, f"operand 1 is a scalar, not {value}")
    v.demand(out.rank == shape.rank, "operand 0 and the result have one rank")
    for part, what in zip(lists, ("paddings below", "paddings above", "paddings between")):
        sizes_operand(v, part, shape.rank, f"the {what}")


def slice_rule(v: Verifier) -> None:
    """A start, a limit and a stride for each dimension; the result is no larger than the operand."""
    shape, *lists = v.arrays(4, 4)
    out = v.out
    v.same_type(shape, out, "operand 0", "the result")
    v.demand(out.rank == shape.rank, "operand 0 and the result have one rank")
    for part, what in zip(lists, ("starts", "limits", "strides")):
        sizes_operand(v, part, shape.rank, f"the {what}")
    for k, (x, y) in enumerate(zip(extents(shape), extents(out))):
        v.at_most(y, x, f"dimension {k} of the result and of operand 0")


def gather_rule(v: Verifier) -> None:
    """As a gather, whose windows have their sizes in an operand."""
    shape, indices, sizes = v.arrays(3, 3)
    out = v.out
    v.same_type(shape, out, "operand 0", "the result")
    v.demand(is_integral(indices.dtype), f"indices are integers, not {indices.dtype}")
    sizes_operand(v, sizes, shape.rank, "the slice sizes")
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
