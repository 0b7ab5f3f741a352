"""The shape rules of opcodes that take a part, put parts together, or reduce."""

from __future__ import annotations

from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.broadcast.extent import extents
from symlayout.programs.hlo.parts import CODE, Verifier
from symlayout.programs.hlo.windows import reduced, reducer, reductions, with_initial_values


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
