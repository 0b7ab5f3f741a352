"""What each dialect demands of two arrays that are broadcast together, for the checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import zip_longest

from symlayout.certificate.shaping import Array, Broken, Extent, Rules, is_one, same
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Integer


def broadcast_goals(
    a: Array, b: Array, dims: Sequence[int] | None, dialect: str
) -> list[list[Relation]]:
    """What a dialect demands of `a` and `b` (of `a` that becomes `b`, for stablehlo and hlo).

    >>> from symlayout.certificate.shaping import array
    >>> made = broadcast_goals(array("f32[M]"), array("f32[3,N]"), [1], "xla")
    >>> [[str(r) for r in goal] for goal in made]
    [['M >= 0'], ['N >= 0'], ['M == 1', 'M == N', 'N == 1'], ['M == 1', 'M == N', 'N == 1']]
    """
    r = Rules()
    r.natural(a, b)
    with suppress(Broken):
        if dialect in ("stablehlo", "hlo"):  # elements are copied
            r.need(not (a.dtype and b.dtype) or a.dtype == b.dtype)
        elif dialect != "numpy":
            r.same_type(a, b)
        BROADCASTS[dialect](r, a.dims, b.dims, dims)
    return r.goals


Extents = Sequence[Extent]


def _xla(r: Rules, a: Extents, b: Extents, dims: Sequence[int] | None) -> None:
    """In-dimension broadcasting, then sizes of 1."""
    if len(a) == len(b):
        r.need(not dims or list(dims) == list(range(len(a))))
        for x, y in zip(a, b):
            _degenerate(r, x, y)
        return
    small, large = sorted((a, b), key=len)
    entries = list(dims or ())
    r.need(len(entries) == len(small))
    r.need(all(0 <= d < len(large) for d in entries) and entries == sorted(set(entries)))
    for x, d in zip(small, entries):
        y = large[d]
        r.one_of(is_one(x), same(x, y), is_one(y))
        if x.later != y.later:  # a bound is no size
            r.one_of(is_one(y if x.later else x))
        _degenerate(r, x, y)


def _degenerate(r: Rules, x: Extent, y: Extent) -> None:
    """Equal sizes, or one of them 1; `?` meets a number, or a bound of 1."""
    if (x.size is None) == (y.size is None):
        r.one_of(is_one(x), same(x, y), is_one(y))
    elif x.later and y.later:
        r.one_of(is_one(y if x.size is None else x))


def _entries(r: Rules, a: Extents, b: Extents, dims: Sequence[int] | None) -> list[int]:
    """One place in `b` for each dimension of `a`, none twice."""
    entries = list(dims or ())
    r.need(len(entries) == len(a) and len(set(entries)) == len(entries))
    r.need(all(0 <= d < len(b) for d in entries))
    return entries


def _stablehlo(r: Rules, a: Extents, b: Extents, dims: Sequence[int] | None) -> None:
    for x, d in zip(a, _entries(r, a, b, dims)):
        if x.size is not None or b[d].size is None:
            r.one_of(is_one(x), same(x, b[d]))
    r.need(sum(e.later for e in b) <= 1 and all(e.size is not None for e in b))


def _hlo(r: Rules, a: Extents, b: Extents, dims: Sequence[int] | None) -> None:
    for x, d in zip(a, _entries(r, a, b, dims)):
        r.one_of(same(x, b[d]))


def _numpy(r: Rules, a: Extents, b: Extents, dims: Sequence[int] | None) -> None:
    r.need(not dims)
    for x, y in zip_longest(reversed(a), reversed(b), fillvalue=Extent(Integer(1))):
        r.one_of(is_one(x), same(x, y), is_one(y))


BROADCASTS: dict[str, Callable[..., None]] = {
    "xla": _xla,
    "stablehlo": _stablehlo,
    "hlo": _hlo,
    "numpy": _numpy,
}
