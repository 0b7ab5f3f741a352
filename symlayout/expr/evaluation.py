"""Evaluating an integer expression on NumPy arrays, with every intermediate value in int64.

What fits in 32 bits is computed in 32; of arrays that are broadcast together, what depends on some of
them alone is computed of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.arrays import INT64, Interval, check_range, program
from symlayout.expr.terms import put, symbol, value
from symlayout.expr.tree import Add, Expr, Integer, Mul

INT32 = (-(2**31), 2**31 - 1)
BLOCK = 1 << 15  # elements at a time: the temporaries stay in the cache
MANY = 4  # operations that pay for making 64 bits into 32
FEW = 1024  # elements from which on a program is made shorter for the sizes


def evaluate(
    e: Expr,
    arrays: Mapping[str, Any],
    sizes: Mapping[str, int],
    below: Mapping[str, int] | None = None,
) -> Any:
    """The values of `e` as an int64 array: `arrays` by symbol name are broadcast together.

    >>> from symlayout.expr.tree import Symbol
    >>> from symlayout.expr.terms import FloorDiv
    >>> evaluate(FloorDiv(Symbol("i"), 4) * Symbol("N"), {"i": [0, 5, 9]}, {"N": 10})
    array([ 0, 10, 20])

    `below` gives for each array a limit: its values must lie in [0, limit), which is seen to block
    by block.  Raises `LayoutError`: SL400 for a value that does not, SL401 when an intermediate value
    could leave 64 bits.
    """
    import numpy as np

    code = program(e)
    names = tuple(arrays)
    inputs = [integers(a) for a in arrays.values()]
    if not inputs:
        number = value(e, sizes)
        check_range(e, program(e), {n: (v, v) for n, v in sizes.items()})
        if not INT64[0] <= number <= INT64[1]:
            raise LayoutError("SL401", f"{number} is beyond 64-bit integers")
        return np.int64(number)
    shape = np.broadcast_shapes(*[a.shape for a in inputs])
    if 0 in shape:
        return np.empty(shape, dtype=np.int64)
    known: dict[str, Interval] = {n: (v, v) for n, v in sizes.items()}
    try:
        if below is None:
            raise LayoutError("SL401", "the ranges of the arrays are not known")
        ranges = {n: (0, below[n] - 1) for n in names}
        check_range(e, code, {**ranges, **known})
    except LayoutError:
        ranges = {n: (int(a.min()), int(a.max())) for n, a in zip(names, inputs)}
        check_range(e, code, {**ranges, **known})
    limits = {} if below is None else {n: below[n] for n in names}
    return Values(dict(zip(names, inputs)), ranges, limits, dict(sizes)).of(e)


def integers(data: Any) -> Any:
    """An array of 32 or 64 bits, as it is given where it has one of these types."""
    import numpy as np

    array = np.asarray(data)
    return array if array.dtype == np.int32 else np.asarray(array, dtype=np.int64)


class Values(NamedTuple):
    """Arrays by name with the ranges of their values, and numbers: what expressions are made of.

    `limits` are the ranges that are still to be seen to, while the values are in the cache anyway.
    """

    arrays: dict[str, Any]
    ranges: dict[str, Interval]
    limits: dict[str, int]
    sizes: dict[str, int]

    def of(self, e: Expr) -> Any:
        """The values of an expression, of which all intermediate ones fit in 64 bits.

        Arrays that are broadcast together are not made whole: what depends on some of them alone is
        computed of these, and sums of it are added.
        """
        import numpy as np

        shape = np.broadcast_shapes(*[a.shape for a in self.arrays.values()])
        if len({a.shape for a in self.arrays.values()}) == 1:
            return self.at_once(e, shape)
        for name, limit in self.limits.items():
            _check_all(self.arrays[name], limit)
        groups = self.groups(self.terms(e))
        known = {**self.ranges, **{n: (v, v) for n, v in self.sizes.items()}}
        try:
            for part in groups.values():
                check_range(part, program(part), known)
        except LayoutError:  # what a factor is taken into may be larger than the sum
            groups = self.groups(Add.make_args(e))
        parts = [self.apart(part, used) for used, part in groups.items()]
        parts.sort(key=np.size)
        total = reduce(np.add, parts)  # modulo 2**64, in whatever order
        return total if total.shape == shape else np.broadcast_to(total, shape).copy()

    def groups(self, terms: Iterable[Expr]) -> dict[frozenset[str], Expr]:
        """The sums of the terms that depend on the same arrays."""
        groups: dict[frozenset[str], list[Expr]] = {}
        for term in terms:
            groups.setdefault(self.used(term), []).append(term)
        return {used: Add(*those) for used, those in groups.items()}

    def used(self, e: Expr) -> frozenset[str]:
        """The arrays that it depends on."""
        return frozenset({s.name for s in e.free_symbols} & self.arrays.keys())

    def terms(self, e: Expr) -> Iterator[Expr]:
        """The terms of a sum, also of one that numbers and sizes are factors of."""
        for term in Add.make_args(e):
            several = [f for f in Mul.make_args(term) if self.used(f)]
            if len(several) == 1 and isinstance(several[0], Add) and isinstance(term, Mul):
                rest = Mul(*[f for f in term.args if not self.used(f)])
                yield from (rest * inner for inner in self.terms(several[0]))
            else:
                yield term

    def apart(self, e: Expr, used: frozenset[str]) -> Any:
        """The values of what depends on these arrays alone, which have been looked at."""
        import numpy as np

        if not used:
            number = value(e, self.sizes)
            return np.int64((number - INT64[0]) % 2**64 + INT64[0])
        arrays = np.broadcast_arrays(*[a for n, a in self.arrays.items() if n in used])
        names = [n for n in self.arrays if n in used]
        ranges = {n: self.ranges[n] for n in names}
        apart = Values(dict(zip(names, arrays)), ranges, {}, self.sizes)
        return apart.at_once(e, arrays[0].shape)

    def at_once(self, e: Expr, shape: tuple[int, ...]) -> Any:
        """The values block by block, in 32 bits where all of them fit."""
        import numpy as np

        out = np.empty(shape, dtype=np.int64)
        flat = [np.ravel(a) for a in self.arrays.values()]
        code, sizes = program(e), self.sizes
        if out.size > FEW:
            code, sizes = program(numbered(e, tuple(sizes.items())), masks=True), {}
        known = {n: (v, v) for n, v in sizes.items()}
        every = code.intervals({**self.ranges, **known}).values()
        if not sizes and not _within(every, INT64):  # a product may be multiplied out
            code = program(e).put(self.sizes)
            every = code.intervals(self.ranges).values()
        short = _within(every, INT32)
        short &= len(code.steps) >= MANY or all(a.dtype == np.int32 for a in flat)
        kind = np.int32 if short else np.int64
        tops = [  # no limit is above what a negative number is there
            (a.view(f"u{a.dtype.itemsize}"), min(self.limits[n], 1 << 8 * a.dtype.itemsize - 1))
            for n, a in zip(self.arrays, flat)
            if n in self.limits
        ]
        target = out.reshape(-1)
        if not out.size > FEW:
            _check(tops, 0, FEW)
            inputs = [a.astype(kind, copy=False) for a in flat]
            target[...] = code.python((*self.arrays, *sizes))(np, *inputs, *sizes.values())
            return out
        plan = code.schedule(tuple(self.arrays), kind)
        slots = plan.sized(np, BLOCK)
        for start in range(0, target.size, BLOCK):
            stop = min(start + BLOCK, target.size)
            _check(tops, start, stop)
            if stop - start < BLOCK:
                slots = plan.sized(np, stop - start)
            blocks = [a[start:stop].astype(kind, copy=False) for a in flat]
            plan.run(slots, blocks, target[start:stop])
        return out


@lru_cache(maxsize=256)
def numbered(e: Expr, sizes: tuple[tuple[str, int], ...]) -> Expr:
    """The expression with numbers for sizes."""
    return put(e, {symbol(n): Integer(v) for n, v in sizes})


def _within(intervals: Iterable[Interval], bounds: Interval) -> bool:
    """Whether all values are between the bounds."""
    return all(bounds[0] <= low and high <= bounds[1] for low, high in intervals)


def _check_all(array: Any, limit: int) -> None:
    """Raises `LayoutError` (SL400) for a value that is not in [0, limit)."""
    if int(array.min()) < 0 or int(array.max()) >= limit:
        raise LayoutError("SL400", f"a coordinate is not in [0, {limit})")


def _check(tops: Sequence[tuple[Any, int]], start: int, stop: int) -> None:
    """The same for a part of some: as an unsigned number a negative one is no less than any limit."""
    for unsigned, limit in tops:
        if unsigned[start:stop].max() >= limit:
            raise LayoutError("SL400", f"a coordinate is not in [0, {limit})")
