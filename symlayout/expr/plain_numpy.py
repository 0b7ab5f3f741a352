"""The part of NumPy that searches use, on `plain_arrays`; `stand_in()` puts it in NumPy's place."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise
from types import ModuleType
from typing import Any

from symlayout.expr import plain_arrays
from symlayout.expr.plain_arrays import (
    Array,
    Shape,
    apply,
    asarray,
    bool_,
    broadcast_arrays,
    int64,
    zeros,
)


def where(condition: Any, a: Any, b: Any) -> Array:
    """The one or the other, element by element."""
    c, one, two = broadcast_arrays(condition, a, b)
    return Array([x if t else y for t, x, y in zip(c.v, one.v, two.v)], c.shape)


def _both(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def of(a: Any, b: Any) -> Any:
        return apply(f, asarray(a), b)

    return of


maximum, minimum = _both(max), _both(min)
gcd, bitwise_xor = _both(math.gcd), _both(operator.xor)


def frompyfunc(f: Callable[..., Any], many: int, results: int) -> Callable[..., Array]:
    """The function element by element."""

    def of(*args: Any) -> Array:
        first, *more = broadcast_arrays(*map(asarray, args))
        return Array(list(map(f, first.v, *[a.v for a in more])), first.shape, int64)

    return of


def clip(a: Any, low: Any, high: Any) -> Any:
    """The nearest number that is not outside."""
    return minimum(maximum(a, low), high)


def sign(a: Any) -> Any:
    """-1, 0 or 1."""
    known = asarray(a)
    return Array([(x > 0) - (x < 0) for x in known.v], known.shape, int64)


def absolute(a: Any) -> Any:
    """The numbers without their signs."""
    return abs(asarray(a))


def argmax(a: Any) -> int:
    """Where the greatest element stands first."""
    v = asarray(a).v
    return v.index(max(v))


def argmin(a: Any) -> int:
    """Where the least element stands first."""
    v = asarray(a).v
    return v.index(min(v))


def argsort(a: Any, kind: str = "stable") -> Array:
    """The places of the elements in their order."""
    v = asarray(a).v
    return Array(sorted(range(len(v)), key=v.__getitem__), None, int64)


def sort(a: Any) -> Array:
    """The elements in their order."""
    return Array(sorted(asarray(a).v), None, asarray(a).dtype)


def lexsort(keys: Sequence[Any]) -> Array:
    """The places in the order of the last key, then of those before it."""
    rows = list(zip(*[asarray(k).v for k in reversed(keys)]))
    return Array(sorted(range(len(rows)), key=rows.__getitem__), None, int64)


def nonzero(a: Any) -> tuple[Array, ...]:
    """Where the elements are that are not 0, a number for each dimension."""
    known = asarray(a)
    at = [k for k, x in enumerate(known.v) if x]
    return unravel_index(Array(at, None, int64), known.shape)


def flatnonzero(a: Any) -> Array:
    """The row-major numbers of the elements that are not 0."""
    return Array([k for k, x in enumerate(asarray(a).v) if x], None, int64)


def unravel_index(indices: Any, shape: Shape) -> tuple[Array, ...]:
    """The coordinates of row-major numbers."""
    numbers = asarray(indices)
    coords: list[Array] = []
    for side in reversed(shape):
        coords.append(numbers % side)
        numbers = numbers // side
    return tuple(reversed(coords))


def diff(a: Any, axis: int = -1) -> Array:
    """The steps between neighbours."""
    known = asarray(a)
    if known.ndim == 2:
        rows = known if axis == 0 else known.T
        steps: Array = rows[1:] - rows[:-1]
        return steps if axis == 0 else steps.T
    return Array(list(map(operator.sub, known.v[1:], known.v)), None, int64)


def cumsum(a: Any) -> Array:
    """The sums of all elements so far."""
    return asarray(a).cumsum()


def searchsorted(a: Any, items: Any, side: str = "left") -> Any:
    """Where elements would stand among sorted ones."""
    from bisect import bisect_left, bisect_right

    find, v = (bisect_left if side == "left" else bisect_right), asarray(a).v
    if isinstance(items, (Array, list, tuple)):
        return Array([find(v, x) for x in asarray(items).v], None, int64)
    return find(v, items)


def repeated(a: Any, counts: Any) -> Array:
    """Each element so many times."""
    return asarray(a).repeat(counts)


def bincount(a: Any, minlength: int = 0) -> Array:
    """How often each number occurs."""
    v = asarray(a).v
    counts = [0] * max(minlength, max(v, default=-1) + 1)
    for x in v:
        counts[x] += 1
    return Array(counts, None, int64)


def unique(a: Any, axis: int | None = None, return_index: bool = False) -> Any:
    """The elements, each once, in order; with `axis` 1 the columns of a table."""
    known = asarray(a)
    if axis is not None:
        rows = sorted({tuple(row.v) for row in known.T})
        return Array(list(chain.from_iterable(rows)), (len(rows), known.shape[0])).T
    elements = Array(sorted(set(known.v)), None, known.dtype)
    if return_index:
        first: dict[Any, int] = {}
        for k, x in enumerate(known.v):
            first.setdefault(x, k)
        return elements, Array([first[x] for x in elements.v], None, int64)
    return elements


def setxor1d(a: Any, b: Any, assume_unique: bool = False) -> Array:
    """What is in one of the two alone, in order."""
    return Array(sorted(set(asarray(a).v) ^ set(asarray(b).v)), None, int64)


def concatenate(parts: Sequence[Any]) -> Array:
    """The arrays one after another."""
    known = [asarray(p) for p in parts]
    v = list(chain.from_iterable(p.v for p in known))
    if known[0].ndim == 1:
        return Array(v, None, known[0].dtype)
    return Array(v, (sum(map(len, known)), *known[0].shape[1:]), known[0].dtype)


def stack(parts: Sequence[Any], axis: int = 0) -> Array:
    """The arrays as rows, or as columns."""
    rows = asarray([asarray(p) for p in parts])
    return rows.T if axis == 1 else rows


def column_stack(parts: Sequence[Any]) -> Array:
    """The arrays as columns."""
    return stack(parts, axis=1)


def tile(a: Any, times: int) -> Array:
    """The array so many times after itself."""
    known = asarray(a)
    return Array(known.v * times, None, known.dtype)


def array_split(data: Any, parts: int) -> list[Array]:
    """The elements in that many runs, the longer ones first."""
    v = asarray(list(data)).v
    short, more = divmod(len(v), parts)
    ends = list(accumulate([short + (k < more) for k in range(parts)], initial=0))
    return [Array(v[a:b], None, int64) for a, b in pairwise(ends)]


def product_of(a: Any, dtype: Any = None) -> Any:
    """The product of all elements."""
    return math.prod(asarray(a).v)


def stand_in() -> ModuleType:
    """Puts these functions where `import numpy` finds them."""
    stub = ModuleType("numpy", __doc__)
    for module in (vars(plain_arrays), globals()):
        vars(stub).update({n: x for n, x in module.items() if not n.startswith("_")})
    renamed = {"ndarray": Array, "abs": absolute, "prod": product_of, "repeat": repeated}
    renamed |= {"empty": zeros, "ravel": lambda a: asarray(a).ravel(), "bool_": bool_}
    renamed |= {"divmod": lambda a, b: (a // b, a % b)}
    renamed |= {"any": lambda a: asarray(a).any(), "all": lambda a: asarray(a).all()}
    vars(stub).update(renamed)
    stub.__dict__.update(integer=int, floating=float, number=(int, float), __version__="0")
    sys.modules["numpy"] = stub
    return stub
