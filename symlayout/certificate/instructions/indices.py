"""The checker's rules of indices, and of sizes that come in at run time."""

from __future__ import annotations

from collections.abc import Sequence

from symlayout.certificate.instructions.call import (
    Call,
    Rule,
    array_of,
    distinct,
    fits,
    fixed,
    of_kinds,
)
from symlayout.certificate.instructions.windows import reduced, reducer
from symlayout.certificate.shaping import Array, Extent, Rules

INTEGERS = "signed unsigned"


def _increasing(r: Rules, hits: Sequence[int], rank: int) -> None:
    r.need(list(hits) == sorted(set(hits)) and all(0 <= k < rank for k in hits))


def _vectors(r: Rules, c: Call, indices: Array, a: Array, keys: Sequence[str]) -> list[Extent]:
    """The dimensions of the indices beside the index vector, whose length is checked."""
    of_kinds(r, INTEGERS, indices)
    named, apart, own = (c.integers(r, key) for key in keys)
    rank = len(indices.dims)
    at = c.number_or(r, "index_vector_dim", rank)
    r.need(0 <= at <= rank)
    distinct(r, named, len(a.dims))
    _increasing(r, apart, len(a.dims))
    distinct(r, own, rank)
    r.need(len(own) == len(apart))
    r.equal(fixed(len(named)), fixed(1) if at == rank else indices.dims[at])
    return [e for k, e in enumerate(indices.dims) if k != at]


def _gather(r: Rules, c: Call) -> None:
    (a, indices), out = c.arrays(r, 2), c.result(r)
    keys = ("start_index_map", "operand_batching_dims", "start_indices_batching_dims")
    batch = _vectors(r, c, indices, a, keys)
    offset, sizes = c.integers(r, "offset_dims"), c.numbers(r, "slice_sizes")
    gone, apart = c.integers(r, "collapsed_slice_dims"), c.integers(r, keys[1])
    rank = len(batch) + len(offset)
    _increasing(r, offset, rank)
    _increasing(r, gone, len(a.dims))
    rest = [k for k in range(len(a.dims)) if k not in gone and k not in apart]
    r.need(len(sizes) == len(a.dims) and not {*gone} & {*apart})
    r.need(len(rest) == len(offset) and len(out.dims) == rank)
    for k, (size, e) in enumerate(zip(sizes, a.dims)):
        r.need(size >= 0 and (k in rest or size <= 1))
        fits(r, fixed(size), e)
    for k, at in zip(rest, offset):
        r.equal(fixed(sizes[k]), out.dims[at])
    r.same_sizes(batch, [e for k, e in enumerate(out.dims) if k not in offset])


def _scatter(r: Rules, c: Call) -> None:
    answers = [array_of(r, s) for s in c.results(r)]
    count = len(answers)
    many = c.arrays(r, 2 * count + 1)
    r.need(count >= 1)
    keys = ("scatter_dims_to_operand_dims", "input_batching_dims", "scatter_indices_batching_dims")
    window, gone = c.integers(r, "update_window_dims"), c.integers(r, "inserted_window_dims")
    apart = c.integers(r, keys[1])
    r.need(not {*gone} & {*apart})
    for a, update, out in zip(many, many[count + 1 :], answers):
        r.alike(a, out)
        r.same_type(update, a)
        r.same_sizes(a.dims, many[0].dims)
        r.same_sizes(update.dims, many[count + 1].dims)
        batch = _vectors(r, c, many[count], a, keys)
        rank = len(batch) + len(window)
        _increasing(r, window, rank)
        _increasing(r, gone, len(a.dims))
        rest = [k for k in range(len(a.dims)) if k not in gone and k not in apart]
        r.need(len(update.dims) == rank and len(rest) == len(window))
        for k, at in zip(rest, window):
            fits(r, update.dims[at], a.dims[k])
        r.same_sizes(batch, [e for k, e in enumerate(update.dims) if k not in window])
    reduced(r, reducer(r, c, count), many[:count], answers)


# -- sizes at run time ----------------------------------------------------------------------------


def _listed(r: Rules, lists: Sequence[Array], rank: int) -> None:
    """Lists of integers, one for each dimension."""
    of_kinds(r, INTEGERS, *lists)
    for a in lists:
        r.same_sizes(a.dims, [fixed(rank)])


def _dynamic_gather(r: Rules, c: Call) -> None:
    (a, indices, sizes), out = c.arrays(r, 3), c.result(r)
    _listed(r, [sizes], len(a.dims))
    of_kinds(r, INTEGERS, indices)
    at = c.number_or(r, "index_vector_dim", len(indices.dims))
    offset = c.integers(r, "offset_dims")
    gone = [*c.integers(r, "collapsed_slice_dims"), *c.integers(r, "operand_batching_dims")]
    batch = [e for k, e in enumerate(indices.dims) if k != at]
    r.need(0 <= at <= len(indices.dims))
    distinct(r, gone, len(a.dims))
    distinct(r, offset, len(batch) + len(offset))
    r.need(len(offset) == len(a.dims) - len(gone) and len(out.dims) == len(batch) + len(offset))
    for at_result, e in zip(offset, [e for k, e in enumerate(a.dims) if k not in gone]):
        fits(r, out.dims[at_result], e)
    r.same_sizes(batch, [e for k, e in enumerate(out.dims) if k not in offset])


FUNCTIONS: dict[str, Rule] = {
    "gathers": _gather,
    "gathers_sizes": _dynamic_gather,
    "scatters": _scatter,
}
