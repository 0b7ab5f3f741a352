"""Maps on arrays: expressions of many coordinates, and whole buffers by copies of strided parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr import evaluation
from symlayout.expr.terms import value
from symlayout.expr.tree import Add, Expr, Symbol

Digit = tuple[int, int]  # how many values, and how far apart
ALONE = 1 << 16  # points that are looked at one by one


class Piece(NamedTuple):
    """Coordinates from `start` to `stop` of a dimension: their first offset, and their digits."""

    start: int
    stop: int
    offset: int
    digits: tuple[Digit, ...]  # the most significant first


def values_at(
    exprs: Sequence[Expr],
    coords: Mapping[Symbol, Any],
    shape: Sequence[int],
    sizes: Mapping[str, int],
) -> tuple[Any, ...]:
    """The expressions' values as int64 arrays, the arrays of coordinates broadcast together.

    Raises `LayoutError`: SL202 for a division by 0, SL203 for what is not an integer, SL400 for a
    coordinate out of range, SL402 for a size without a value.
    """
    import numpy as np

    table: dict[str, Any] = {}
    for k, (c, argument) in enumerate(coords.items()):
        array = np.asarray(argument)
        if array.dtype.kind not in "iu" and array.size:
            raise LayoutError("SL203", f"coordinate {k} is of type {array.dtype}, not integer")
        table[c.name] = evaluation.integers(array)
    for name in sorted(
        {x.name for e in exprs for x in e.free_symbols} - table.keys() - sizes.keys()
    ):
        raise LayoutError("SL402", f"the size {name!r} has no value")
    below = {c.name: d for c, d in zip(coords, shape)}
    try:
        return tuple(evaluation.evaluate(e, table, sizes, below) for e in exprs)
    except LayoutError as error:
        for k, (array, d) in enumerate(zip(table.values(), shape)):
            outside = array[(array < 0) | (array >= d)]
            if outside.size:
                bad = f"coordinate {outside.flat[0]} of dimension {k}"
                raise LayoutError("SL400", f"{bad} is not in [0, {d})") from None
        every = np.broadcast_arrays(*table.values())
        if error.code != "SL202" or not every or every[0].size > ALONE:
            raise
    return tuple(_each_alone(e, table, sizes) for e in exprs)  # 0 is in a divisor's range


def _each_alone(e: Expr, table: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    """The values one by one; raises `LayoutError` (SL202) where one is divided by 0."""
    import numpy as np

    arrays = np.broadcast_arrays(*table.values())
    points = zip(*[a.reshape(-1).tolist() for a in arrays])
    results = [value(e, {**sizes, **dict(zip(table, point))}) for point in points]
    if any(not -(1 << 63) <= v < 1 << 63 for v in results):
        raise LayoutError("SL401", "a value is beyond 64-bit integers")
    return np.array(results, dtype=np.int64).reshape(arrays[0].shape)


def by_digits(
    formula: Expr,
    coords: Sequence[Symbol],
    shape: Sequence[int],
    size: int,
    sizes: Mapping[str, int],
) -> Any:
    """A map's buffer as `filled` makes it, where each term speaks of one coordinate alone, or None."""
    import numpy as np

    own = set(coords)
    if any(len(t.free_symbols & own) > 1 for t in Add.make_args(formula)):
        return None

    def at(*places: Any) -> Any:
        return values_at((formula,), dict(zip(coords, places)), shape, sizes)[0]

    origin = int(at(*[0] * len(coords)))
    units = np.eye(len(coords), dtype=np.int64)
    axes = [at(*[np.arange(d) * e for e in row]) - origin for d, row in zip(shape, units)]
    return filled(size, shape, origin, axes)


def filled(size: int, shape: Sequence[int], origin: int, axes: Sequence[Any]) -> Any:
    """The row-major number of each element at its offset, -1 elsewhere; None where that takes more.

    `axes` are the offsets of each coordinate alone, apart from the `origin`.

    >>> import numpy as np
    >>> filled(8, (3, 2), 1, [np.array([0, 1, 4]), np.array([0, 2])])
    array([-1,  0,  2,  1,  3,  4, -1,  5])
    """
    import numpy as np

    levels = [digits(np, a) for a in axes]
    if any(x is None for x in levels) or not _nests([x for row in levels for x in row or ()]):
        return None
    if origin < 0 or origin + sum(int(a[-1]) for a in axes) >= size:
        return None
    count = prod(shape)
    out = np.full(size, -1, dtype=np.int64) if count < size else np.empty(size, dtype=np.int64)
    numbers = np.arange(count).reshape(tuple(shape))
    rows = [list(_pieces(d, list(row or ()), a)) for d, row, a in zip(shape, levels, axes)]
    for pieces in product(*rows):
        first = origin + sum(p.offset for p in pieces)
        every = [x for p in pieces for x in p.digits]
        sides, strides = [c for c, _ in every], [s * out.itemsize for _, s in every]
        part = np.lib.stride_tricks.as_strided(out[first:], sides, strides)
        part[...] = numbers[tuple(slice(p.start, p.stop) for p in pieces)].reshape(sides)
    return out


def digits(np: Any, offsets: Any) -> list[Digit] | None:
    """The digits of a coordinate whose offsets these are, lowest first; the last may be cut short.

    >>> import numpy
    >>> digits(numpy, numpy.array([0, 1, 8, 9, 16]))
    [(2, 1), (3, 8)]
    """
    levels: list[Digit] = []
    while len(offsets) > 1:
        step = offsets[1] - offsets[0]
        turns = np.flatnonzero(np.diff(offsets) != step)
        count = int(turns[0]) + 1 if len(turns) else len(offsets)
        if count == 1:
            return None
        heads = offsets[::count]
        whole = np.repeat(heads, count)[: len(offsets)]
        inside = np.tile(np.arange(count) * step, len(heads))[: len(offsets)]
        if not np.array_equal(whole + inside, offsets):
            return None
        levels.append((count, int(step)))
        offsets = heads
    return levels


def _nests(every: list[Digit]) -> bool:
    """Whether each stride is beyond all that lies below it: no two elements share a place."""
    reach = 0
    for stride, count in sorted((s, c) for c, s in every):
        if stride <= reach:
            return False
        reach += stride * (count - 1)
    return True


def _pieces(extent: int, levels: list[Digit], offsets: Any) -> Iterator[Piece]:
    """The coordinates of a dimension in parts of whole digits: what is cut short is one of its own."""
    start = 0
    for n in reversed(range(len(levels))):
        weight = prod(c for c, _ in levels[:n])
        many = (extent - start) // weight
        if many:
            inner = tuple(reversed(levels[:n]))
            stop = start + many * weight
            yield Piece(start, stop, int(offsets[start]), ((many, levels[n][1]), *inner))
            start = stop
    if not levels:
        yield Piece(0, extent, 0, ((extent, 1),))
