"""Right and left inverses of layouts, found where there is one.

The right inverse R has `L(R(i)) == i` for i < size(R), R as large as can be.  The left inverse R of
an injective L has `R(L(i)) == i` for i < size(L); where L has holes R is free.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.arrays import each_once
from symlayout.layouts.cute.layout import Layout, join
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.tla import swizzles
from symlayout.tla.arguments import layout_of, operand_of
from symlayout.tla.coalesce import Leaf, from_leaves, merge
from symlayout.tla.complement import complement
from symlayout.tla.composition import as_static_as
from symlayout.tla.known import facts_for
from symlayout.tla.lattice import Solutions
from symlayout.tla.law import check_not_empty, too_large
from symlayout.tla.values import all_offsets, enumerable, offsets_at

LARGEST_SEARCH = 20_000  # steps; a search that needs more ends in "undecided"
Candidates = Callable[[int], list[int]]


def right_inverse(layout: Any, where: Any = ()) -> Any:
    """The largest layout R with `layout(R(i)) == i` for every i < size(R).

    >>> print(right_inverse(Layout((2, 3), (3, 1))))
    (3,2):(2,1)

    That of a swizzled layout is swizzled where its inverse keeps the bits of the swizzle together.

    Raises `LayoutError` (SL801) when the search for the largest one is given up, or the facts do
    not decide.
    """
    layout = operand_of(layout)
    if isinstance(layout, ComposedLayout):
        where = facts_for(where, layout)
        return swizzles.right_inverse_of(layout, right_inverse(layout.layout, where), where)
    layout = layout_of(layout)
    where = facts_for(where, layout)
    check_not_empty("right inverse", layout, where)
    chain = nested_right_inverse(layout)
    if chain is not None:
        return as_static_as(from_leaves(chain), layout)
    if not enumerable(layout):
        from symlayout.tla.symbolic import right_inverse_of

        return right_inverse_of(layout, where)
    import numpy as np

    offsets = all_offsets(layout)
    index = np.flatnonzero((offsets >= 0) & (offsets < len(offsets)))
    result = from_leaves(largest_section(offsets[index], index, layout))
    back = offsets[all_offsets(result)]
    if (back != np.arange(len(back))).any():
        raise LayoutError("SL800", f"right inverse of {layout}: {result} breaks its law")
    return as_static_as(result, layout)


def nested_right_inverse(layout: Layout) -> list[Leaf] | None:
    """The modes of the one right inverse of a layout of numbers whose strides nest; else None."""
    digits = _digits(layout)
    return None if digits is None else merge(_chain(digits))


class _Digit(NamedTuple):
    """A mode of a layout whose strides nest: its size, its stride, and its stride in the indices."""

    size: int
    stride: int
    place: int


def _digits(layout: Layout, weak: bool = False) -> list[_Digit] | None:
    """The modes from the smallest stride on, where each stride is a multiple of all before it.

    Offsets are numbers in mixed radix then, with holes at most: no two indices have the same.  None
    for any other layout.  A `weak` inverse takes index 0 of modes of stride 0.

    >>> _digits(Layout((2, 3), (6, 2)))
    [_Digit(size=3, stride=2, place=2), _Digit(size=2, stride=6, place=1)]
    """
    if not layout.concrete:
        return None
    result, place = list[_Digit](), 1
    for size, stride in layout._leaves:
        if size != 1 and not (weak and stride == 0):
            result.append(_Digit(int(size), int(stride), place))
        place *= int(size)
    result.sort(key=lambda d: d.stride)
    below = 1
    for d in result:
        if d.stride < 1 or d.stride % below:
            return None
        below = d.stride * d.size
    return result


def _chain(digits: list[_Digit]) -> list[Leaf]:
    """The digits without a hole before them, as modes of the inverse."""
    below, result = 1, list[Leaf]()
    for d in digits:
        if d.stride != below:
            break
        result.append((d.size, d.place))
        below *= d.size
    return result


def _fill(digits: list[_Digit]) -> list[Leaf]:
    """All digits as modes of an inverse, what fills the holes behind all indices."""
    below, result, free = 1, list[Leaf](), prod(d.size for d in digits)
    for d in digits:
        if d.stride != below:
            hole = d.stride // below
            result.append((hole, free))
            free *= hole
        result.append((d.size, d.place))
        below = d.stride * d.size
    return result


def largest_section(targets: Any, places: Any, layout: Layout) -> list[Leaf]:
    """The largest layout f with f(i) among the places whose target is i, as modes.

    With one place per target each next stride is forced and the longest run is best; with several
    all strides and runs are tried.
    """
    import numpy as np

    order = np.lexsort((places, targets))
    targets, places = targets[order], places[order]
    if not targets.size or targets[0] != 0 or places[0] != 0:
        return []
    distinct = each_once(targets)
    gaps = np.flatnonzero(distinct != np.arange(len(distinct)))
    reach = int(gaps[0]) if gaps.size else len(distinct)
    single = len(distinct) == len(targets)
    pairs = np.stack((targets, places), axis=1)
    table = set(map(tuple, pairs[targets < reach].tolist())) if not single else set()
    forced = places[:reach] if single else None

    def candidates(target: int) -> list[int]:
        low, high = np.searchsorted(targets, [target, target + 1])
        return [int(p) for p in places[low:high]]

    def right(values: Any, first: int) -> bool:
        if forced is not None:
            return bool((forced[first : first + len(values)] == values).all())
        return all((first + k, v) in table for k, v in enumerate(values.tolist()))

    return _Search(reach, candidates, right, single, layout).run()


class _Search:
    """Backtracking over the modes of a section, the longest runs first."""

    def __init__(
        self,
        reach: int,
        candidates: Candidates,
        right: Callable[[Any, int], bool],
        single: bool,
        layout: Layout,
    ) -> None:
        self.reach, self.candidates, self.right, self.single = reach, candidates, right, single
        self.layout = layout
        self.best: list[Leaf] = []
        self.best_size = 1
        self.steps = 0
        self.seen: set[tuple[int, ...]] = set()

    def run(self) -> list[Leaf]:
        import numpy as np

        self.extend(np.zeros(1, dtype=np.int64), [])
        return merge(self.best)

    def extend(self, values: Any, modes: list[Leaf]) -> None:
        size = len(values)
        if size > self.best_size:
            self.best, self.best_size = list(modes), size
        if size * 2 > self.reach or self.best_size == self.reach:
            return
        if not self.single:
            key = tuple(values.tolist())
            if key in self.seen:
                return
            self.seen.add(key)
        for stride in self.candidates(size):
            run = self.longest(values, stride)
            for length in range(run, 1, -1) if not self.single else (run,):
                if length < 2 or self.best_size == self.reach:
                    break
                self.extend(self.grow(values, stride, length), [*modes, (length, stride)])

    def grow(self, values: Any, stride: int, length: int) -> Any:
        import numpy as np

        return (np.arange(length)[:, None] * stride + values[None, :]).reshape(-1)

    def longest(self, values: Any, stride: int) -> int:
        """How often the stride can be repeated."""
        size, length = len(values), 1
        while (length + 1) * size <= self.reach:
            self.steps += 1
            if self.steps > LARGEST_SEARCH and not self.single:
                raise too_large("the largest right inverse", self.layout)
            if not self.right(values + length * stride, length * size):
                break
            length += 1
        return length


def left_inverse(layout: Any, where: Any = (), weak: bool = False) -> Any:
    """A layout R with `R(layout(i)) == i` for every i < size(layout).

    >>> print(left_inverse(Layout((2, 2), (1, 3))))
    (3,2):(1,2)
    >>> print(left_inverse(Layout((4, 3), (0, 1)), weak=True))
    3:4

    Where the holes of `layout` can be filled (it has a complement) R is the right inverse of both
    together.  A `weak` one gives back some index with the same offset, `layout(R(layout(i))) ==
    layout(i)`, so that the layout may meet offsets several times.  Raises `LayoutError` (SL800) for
    a layout that is not injective, or that has no layout as its left inverse; SL801 when the search
    is given up.
    """
    layout = operand_of(layout)
    if isinstance(layout, ComposedLayout):
        where = facts_for(where, layout)
        plain = left_inverse(layout.layout, where, weak)
        return swizzles.left_inverse_of(layout, plain, where)
    layout = layout_of(layout)
    where = facts_for(where, layout)
    check_not_empty("left inverse", layout, where)
    if any(isinstance(d, int) and d < 0 for _, d in layout._leaves):
        moving = [(s, d) for s, d in layout._leaves if s != 1]  # the others stay at 0
        if len(moving) < len(layout._leaves):
            return as_static_as(left_inverse(from_leaves(moving), where, weak), layout)
        return _of_negative(layout, where, weak)
    digits = _digits(layout, weak)
    if digits is not None:
        return as_static_as(from_leaves(merge(_fill(digits))), layout)
    if not enumerable(layout):
        from symlayout.tla.symbolic import left_inverse_of

        return left_inverse_of(layout, where, weak)
    return as_static_as(_by_offsets(layout, weak), layout)


def _of_negative(layout: Layout, where: Any, weak: bool) -> Layout:
    """Where no stride is positive all signs turn: a layout of -x is that of x, with a sign."""
    if any(not isinstance(d, int) or d > 0 for _, d in layout._leaves):
        message = f"{layout} has no left inverse: it has negative offsets and others"
        raise LayoutError("SL800", message)
    from symlayout.tla.symbolic import negative

    return as_static_as(negative(left_inverse(negative(layout), where, weak)), layout)


def _by_offsets(layout: Layout, weak: bool) -> Layout:
    """The left inverse of a layout of numbers, looked for among all its offsets."""
    import numpy as np

    offsets = all_offsets(layout)
    order = np.argsort(offsets, kind="stable")
    places = offsets[order]
    twice = np.flatnonzero(places[1:] == places[:-1])
    if twice.size and not weak:
        a, b = order[twice[0]], order[twice[0] + 1]
        message = f"{layout} is not injective: {a} and {b} are both at {places[twice[0]]}"
        raise LayoutError("SL800", message)
    if twice.size:
        result = _by_search(*np.unique(offsets, return_index=True), layout)
    else:
        result = _through_complement(layout) or _by_search(places, order, layout)
    back = offsets_at(result, offsets)
    right = offsets_at(layout, back) == offsets if weak else back == np.arange(len(offsets))
    wrong = np.flatnonzero(~right)
    if wrong.size:
        message = f"left inverse of {layout}: {result} is wrong at {int(wrong[0])}"
        raise LayoutError("SL800", message)
    return result


def _through_complement(layout: Layout) -> Layout | None:
    try:
        whole = join(layout, complement(layout))
    except LayoutError:
        return None
    return right_inverse(whole) if enumerable(whole) else None


def _by_search(places: Any, indices: Any, layout: Layout) -> Layout:
    chains = _Chains(places, indices, layout)
    modes = chains.at_strides() or chains.search(1, Solutions(0), [])
    if modes is None:
        raise LayoutError(
            "SL800",
            f"{layout} has no left inverse: no sizes and integer strides give every "
            "offset back its index",
        )
    return from_leaves(merge(modes))


class _Chains:
    """All ways to split offsets into digits, the strides solved for as integers.

    Sizes are taken as primes (a mode of any other size is several of those), and the last mode
    takes the whole quotient, so every layout occurs.  Offsets with one quotient differ only in
    their digits: these equations already decide about a beginning of the digits.
    """

    def __init__(self, places: Any, indices: Any, layout: Layout) -> None:
        import numpy as np

        self.places, self.layout = places, layout
        self.rises = np.diff(indices)
        self.top = int(places[-1])
        self.steps = 0

    def at_strides(self) -> list[Leaf] | None:
        """The digits that begin where the layout's strides do, when those divide each other."""
        known, below, sizes = Solutions(0), 1, []
        for stride in sorted({int(d) for s, d in self.layout._leaves if s > 1 and d > 1}):
            if stride % below:
                return None
            sizes.append(stride // below)
            known.widen()
            below = stride
        return self.close(below, known, sizes)

    def close(self, below: int, known: Solutions, sizes: list[int]) -> list[Leaf] | None:
        """The modes with these sizes and a last one for the rest, when some strides fit."""
        import numpy as np

        closure = known.copy()
        closure.widen()
        columns = (self.digits(sizes), self.places // below)
        if not closure.add_all(np.diff(np.column_stack(columns), axis=0), self.rises):
            return None
        return list(zip([*sizes, self.top // below + 1], closure.point))

    def search(self, below: int, known: Solutions, primes: list[int]) -> list[Leaf] | None:
        import numpy as np

        self.steps += 1
        if self.steps > LARGEST_SEARCH:
            raise too_large("the left inverse", self.layout)
        quotient = self.places // below
        rows = np.diff(self.digits(primes), axis=0)
        inside = quotient[1:] == quotient[:-1]
        if not known.add_all(rows[inside], self.rises[inside]):
            return None
        closure = self.close(below, known, primes)
        if closure is not None:
            return closure
        for prime in _primes(self.top // below):
            more = known.copy()
            more.widen()
            hits = self.search(below * prime, more, [*primes, prime])
            if hits is not None:
                return hits
        return None

    def digits(self, sizes: list[int]) -> Any:
        import numpy as np

        columns, rest = [], self.places
        for size in sizes:
            columns.append(rest % size)
            rest = rest // size
        return np.stack(columns, axis=1) if columns else np.zeros((len(self.places), 0), np.int64)


def _primes(limit: int) -> list[int]:
    import numpy as np

    sieve = np.ones(max(limit + 1, 2), dtype=bool)
    sieve[:2] = False
    for p in range(2, int(limit**0.5) + 1):
        if sieve[p]:
            sieve[p * p :: p] = False
    return [int(p) for p in np.flatnonzero(sieve)]
