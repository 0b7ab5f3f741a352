"""The shape rule of StableHLO's gather whose windows have their sizes in an operand."""

from __future__ import annotations

from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.extent import extents
from symlayout.programs.hlo.functions import list_of_sizes
from symlayout.programs.hlo.parts import Verifier


def gather_rule(v: Verifier) -> None:
    """As a gather, whose windows have their sizes in an operand."""
    shape, indices, sizes = v.arrays(3, 3)
    out = v.out
    v.same_type(shape, out, "operand 0", "the result")
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
