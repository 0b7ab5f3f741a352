"""The points of an index function's last variable, as one compiled function.

It computes what is the same at all of them once, and looks at no point where a condition of these is
false.  The values are those of the expressions themselves (`expr/plain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from symlayout.expr.conditions import conjuncts
from symlayout.expr.plain import Lines, defined
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.search import Unsafe

Points = Iterator[tuple[tuple[int, ...], tuple[int, ...]]]  # each with its results
Row = Callable[[dict[str, int], tuple[int, ...], int, int, list[int]], Points]
CODE = """\
{same}
def points():
    for x in range(first, end):
        budget[0] -= 1
        if budget[0] < 0:
            raise Unsafe
        try:
            {each}
            place = ({results})
        except ZeroDivisionError:
            raise Undefined((*point, x)) from None
        yield (*point, x), place
return points()
"""
LARGEST_POWER = 4096  # of two, that is computed


class Undefined(Exception):
    """Something has no value at these sizes; the coordinates of the point, as far as there are."""


def power_of_two(n: int) -> int:
    """The power; raises `Unsafe` where it is too large to go on with."""
    if n > LARGEST_POWER:
        raise Unsafe
    return 1 << n


def compiled_row(f: IndexFunction, apart: bool = True) -> Row:
    """From the first value of the last variable to the end.

    The function raises `ZeroDivisionError` where something that is the same at all points has no
    value: which point is the first one that needs it is said without `apart`, when nothing is
    computed apart.
    """
    lines = Lines(f.variables[-1].name if f.variables else "", "x", power=power_of_two)
    if not apart:
        lines.block = lines.within
    for c in () if f._guard is None else conjuncts(f._guard):
        test = lines.of(c)
        if lines.within or lines.varies(c):
            lines.within.append(f"if not {test}: continue")
        else:
            lines.lines.append(f"if not {test}: return none(budget, end - first)")
    for name, e in f._lets:
        lines.define(name, e)
    results = "".join([f"{lines.of(e)}, " for e in f._results])
    same, each = "\n".join(lines.lines), ("\n" + " " * 12).join(["pass", *lines.within])
    code = CODE.format(same=same, each=each, results=results)
    names = {**lines.calls, "none": _none, "Unsafe": Unsafe, "Undefined": Undefined}
    row: Row = defined("row(env, point, first, end, budget)", code.splitlines(), names)
    return row


def _none(budget: list[int], points: int) -> Points:
    """No point of a row, of which all are counted."""
    budget[0] -= points
    if budget[0] < 0:
        raise Unsafe
    return iter(())
