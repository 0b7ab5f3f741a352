"""The points of an index function's last variable, as one compiled function.

It computes what is the same at all of them once, and looks at no point where a condition of these is
false.  The values are those of the expressions themselves (`expr/plain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.plain import Lines
from symlayout.expr.terms import Exp2, free_names
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.search import Unsafe

Points = Iterator[tuple[tuple[int, ...], tuple[int, ...]]]  # each with its results
Row = Callable[[dict[str, int], tuple[int, ...], int, int, list[int]], Points]
CODE = """\
def row(env, point, first, end, budget):
    {same}
    def points():
        for x in range(first, end):
            budget[0] -= 1
            if budget[0] < 0:
                raise Unsafe
            try:
                {each}
                place = ({results},)
            except ZeroDivisionError:
                raise Undefined((*point, x)) from None
            yield (*point, x), place
    return points()
"""


class Undefined(Exception):
    """Something has no value at these sizes; the coordinates of the point, as far as there are."""


def compiled_row(f: IndexFunction) -> Row | None:
    """From the first value of the last variable to the end; None for what is not always computed.

    The function raises `ZeroDivisionError` where something that is the same at all points has no
    value: which point is the first one that needs it is for others to say.
    """
    conditions = [] if f._guard is None else _all_of(f._guard)
    if conditions is None or not f.variables:
        return None
    sides = [e for c in conditions for e in (c.left, c.right)]
    lets, before = [n for n, _ in f._lets], {*free_names(*sides), *[v.name for v in f.variables]}
    every = [*sides, *[e for _, e in f._lets], *f._results]
    if len({*lets, *before}) < len(lets) + len(before) or any(e.has(Exp2) for e in every):
        return None
    lines = Lines(f.variables[-1].name, "x")
    for c in conditions:
        left, right = lines.of(c.left), lines.of(c.right)
        if left is None or right is None:
            return None
        if lines.within or lines.varies(c.left) or lines.varies(c.right):
            lines.within.append(f"if not {left} < {right}: continue")
        else:
            lines.lines.append(f"if not {left} < {right}: return none(budget, end - first)")
    results = (
        [lines.of(e) for e in f._results] if all(lines.define(*row) for row in f._lets) else [None]
    )
    return None if None in results else _function(lines, [str(r) for r in results])


def _all_of(c: Condition) -> list[Less] | None:
    """The comparisons that the condition is made of; None where it has alternatives."""
    if isinstance(c, Less):
        return [c]
    sides = (_all_of(c.first), _all_of(c.second)) if isinstance(c, Both) else (None, None)
    return None if None in sides else [x for side in sides for x in side or ()]


def _function(lines: Lines, results: list[str]) -> Row:
    space: dict[str, Any] = {**lines.calls, "none": _none, "Unsafe": Unsafe, "Undefined": Undefined}
    same, each = (
        "\n    ".join(["pass", *lines.lines]),
        ("\n" + " " * 16).join(["pass", *lines.within]),
    )
    code = CODE.format(same=same, each=each, results=", ".join(results))
    exec(compile(code, "<points>", "exec"), space)
    return space["row"]  # type: ignore[no-any-return]


def _none(budget: list[int], points: int) -> Points:
    """No point of a row, of which all are counted."""
    budget[0] -= points
    if budget[0] < 0:
        raise Unsafe
    return iter(())
