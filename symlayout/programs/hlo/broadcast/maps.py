"""A broadcast as a map of coordinates: the result's coordinate to the operand's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Mod, Size, as_expr, free_names
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.indexmap import CoordMap
from symlayout.programs.hlo.broadcast.extent import Condition, Extent, equal, extents
from symlayout.programs.hlo.broadcast.result import Known, certainly
from symlayout.programs.hlo.broadcast.rules import broadcast, plan


def broadcast_map(
    operand_shape: Any, result_shape: Any, dims: Sequence[int] | None = None, where: Any = ()
) -> CoordMap:
    """The operand's coordinate of each coordinate of the result.

    `dims[k]` is the result's dimension that dimension k of the operand matches (without it the
    shapes are aligned at the right).  Where the operand's size is 1 its coordinate is 0, so a
    layout composed with the map has stride 0 there; where it is the result's size the coordinate is
    the result's; where either may be, `c % size` is both.  `where` are facts that may tell.

    >>> broadcast_map((3, 1), (2, 3, 4), [1, 2]).exprs
    (j, 0)
    >>> import symlayout as sl
    >>> A = sl.parse("f32[1,N]{1,0:T(8,128)}").index_map()
    >>> A.compose(broadcast_map(A.shape, ("M", "N"), [0, 1])).shape
    (M, N)

    Raises `LayoutError` (SL702, SL703, SL704, SL711, SL713) for dims or sizes that cannot match,
    SL700 for a dynamic size.
    """
    operand, result = _static(operand_shape), _static(result_shape)
    return size_map(operand, result, dims, known_sizes(where, (*operand, *result)))


def size_map(
    operand: Sequence[Size], result: Sequence[Size], dims: Sequence[int] | None, known: Known
) -> CoordMap:
    """`broadcast_map` of sizes, by what is known of them."""
    if dims is None:
        dims = range(len(result) - len(operand), len(result))
    _check_dims(dims, len(operand), len(result))
    out = CoordMap.identity(result)
    exprs = []
    for k, d in enumerate(dims):
        exprs.append(_coordinate(operand[k], result[d], out._coords[d], k, d, known))
    return CoordMap(out._shape, out._coords, tuple(exprs), tuple(operand))


def in_dim_maps(
    small_shape: Any, large_shape: Any, dims: Sequence[int], where: Any = ()
) -> tuple[CoordMap, CoordMap]:
    """The two steps of XLA's broadcast of the smaller operand, as maps: InDim, and degenerate.

    The first takes a coordinate of the stretched shape (the larger one with the smaller operand's
    sizes at `dims`) to the smaller operand, the second a coordinate of the result to the stretched
    shape; one after the other they are `broadcast_map(small, result, dims)`.

    >>> stretch, expand = in_dim_maps((2, 1), (2, 3, 4), [0, 2])
    >>> stretch.shape, stretch.exprs, expand.exprs
    ((2, 3, 1), (i, 0), (i, j, 0))
    """
    broadcast(large_shape, small_shape, dims)  # raises where it is certainly not legal
    known = known_sizes(where, (*_static(small_shape), *_static(large_shape)))
    answer = plan(extents(large_shape), extents(small_shape), dims, known=known)
    stretched = tuple(e.bound for e in answer.stretched or ())
    result = tuple(e.bound for e in answer.result)
    first = size_map(_static(small_shape), stretched, answer.dims, known)
    return first, size_map(stretched, result, None, known)


def _static(shape: Any) -> tuple[Size, ...]:
    hits = extents(shape)
    for k, e in enumerate(hits):
        if e.dynamic:
            message = f"dimension {k} is {e}: a map of coordinates needs a size, a number or name"
            raise LayoutError("SL700", message)
    return tuple(e.bound for e in hits)


def _check_dims(dims: Sequence[int], small: int, large: int) -> None:
    # only the structure: sizes of 1 match everything
    ones, others = [Extent(1)] * small, [Extent(1)] * large
    failure = plan(ones, others, dims, "stablehlo").failure()
    if failure is not None:
        raise LayoutError(failure.code, failure.message)


def known_sizes(where: Any, sizes: Sequence[Size]) -> Known:
    """What the facts make certain of sizes; the prover is asked only when there are facts."""
    facts = Facts.read(where)
    if not facts.relations:
        return certainly
    from symlayout.digits.sizes import SizeReasoner

    facts = facts.with_least(*sizes)
    facts.check_names(free_names(*sizes))
    names = tuple(dict.fromkeys([*free_names(*sizes), *sorted(facts.names)]))
    return SizeReasoner(facts, names).under([])


def _coordinate(a: Size, b: Size, c: Expr, k: int, d: int, known: Known) -> Expr:
    same, one = equal(a, b), equal(a, 1)
    if same is False and one is False:
        message = f"dimension {k} of the operand has size {a}, dimension {d} of the result {b}"
        raise LayoutError("SL713", message)
    if _holds(one, known) or same is False:
        return Integer(0)
    if _holds(same, known) or one is False:
        return c
    return Mod(c, as_expr(a))


def _holds(condition: Condition, known: Known) -> bool:
    return condition if isinstance(condition, bool) else known(condition)
