"""A concrete layout's offsets as arrays, and the layout that has given offsets.

A layout of one dimension is a function f on [0, n) with f(0) = 0.  Joined with its neighbours where
it can be, its first mode ends exactly where f stops being i * f(1); so the modes of f are found one
after the other, and f has no modes when one of these steps fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symlayout.layouts.cute.inttuple import flatten
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle
from symlayout.tla.chain import Chain

LARGEST = 1 << 20  # coordinates that a law is checked on one by one
SAFE = 1 << 61


def enumerable(*layouts: Layout) -> bool:
    """Whether every layout is concrete and small enough to look at each of its offsets."""
    return all(x.concrete and isinstance(x._size, int) and x._size <= LARGEST for x in layouts)


def offsets_at(layout: Layout, index: Any) -> Any:
    """The offsets of an array of linear indices, those beyond the size included.

    >>> import numpy as np
    >>> offsets_at(Layout((4, 3), (1, 10)), np.array([0, 5, 12]))
    array([ 0, 11, 30])
    """
    import numpy as np

    sizes = [int(s) for s in flatten(layout._shape)]
    steps = [int(d) for d in flatten(layout._stride)]
    rest = np.asarray(index)
    if rest.size and rest.min() < 0:  # C++ divides towards 0: the offset of -x is minus that of x
        return np.sign(rest) * offsets_at(layout, abs(rest))
    top = int(rest.max()) if rest.size else 0
    wide = max((abs(d) * max(top, 1) for d in steps), default=0) * max(len(steps), 1) >= SAFE
    rest = rest.astype(object if wide else np.int64)
    total = np.zeros(rest.shape, dtype=rest.dtype)
    for position, (size, step) in enumerate(zip(sizes, steps)):
        if position == len(sizes) - 1 or size == 0:
            total = total + rest * step
            break
        total = total + rest % size * step
        rest = rest // size
    return total


def multiples(count: int, step: int) -> Any:
    """0, step, 2*step, ...; exact integers where 64 bits may not be enough."""
    import numpy as np

    wide = count * abs(step) >= SAFE
    return np.arange(count, dtype=object if wide else np.int64) * step


def all_offsets(layout: Layout | ComposedLayout | Chain) -> Any:
    """The offset of every linear index of the layout, in order; behind its swizzle, if it has one."""
    import numpy as np

    if isinstance(layout, Chain):
        outer = layout.outer
        inside = all_offsets(layout.inner)
        if isinstance(outer, ComposedLayout):
            return outer.swizzle(int(outer._offset) + offsets_at(outer.layout, inside))
        return outer(inside) if isinstance(outer, Swizzle) else offsets_at(outer, inside)
    if isinstance(layout, ComposedLayout):
        return layout.swizzle(int(layout._offset) + all_offsets(layout.layout))
    return offsets_at(layout, np.arange(int(layout._size)))


@dataclass(frozen=True)
class Break:
    """Why a function is not a layout: the index where no mode can go on, and the rule it breaks."""

    index: int
    rule: str


Mode = tuple[int, int]


def modes_of(values: Any) -> list[Mode] | Break:
    """The (size, stride) of each mode of a function on [0, n), joined where they can be.

    >>> import numpy as np
    >>> modes_of(np.array([0, 1, 10, 11, 20, 21]))
    [(2, 1), (3, 10)]
    >>> modes_of(np.array([0, 1, 3])).rule
    'the run of 2 equal steps does not divide the size 3'
    """
    import numpy as np

    modes: list[Mode] = []
    below = 1
    while len(values) > 1:
        step = int(values[1])
        line = multiples(len(values), step)
        wrong = np.flatnonzero(values != line)
        run = int(wrong[0]) if wrong.size else len(values)
        modes.append((run, step))
        if run == len(values):
            break
        if len(values) % run:
            rule = f"the run of {run} equal steps does not divide the size {len(values)}"
            return Break(run * below, rule)
        rows = values.reshape(-1, run)
        apart = np.flatnonzero((rows != rows[:, :1] + line[:run]).ravel())
        if apart.size:
            rule = f"the steps of the first {run} do not repeat"
            return Break(int(apart[0]) * below, rule)
        values = values[::run]
        below *= run
    return modes


def as_mode(modes: list[Mode], size: int = 1) -> tuple[Any, Any]:
    """The shape and strides of the modes: an integer for one, a tuple for several."""
    if not modes:
        return size, 0
    if len(modes) == 1:
        return modes[0]
    return tuple(s for s, _ in modes), tuple(d for _, d in modes)
