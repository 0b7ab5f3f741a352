"""Strides that are directions, CuTe's coordinate tensors: `(4,(2,3)):(1@0,(1@0@1,2@1@1))`.

`1@0` is one step along coordinate 0, `1@0@1`, or `E<1,0>`, one along mode 0 of coordinate 1.  An
element is not at an offset but at a coordinate: for each direction there is a layout of plain strides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.reader import Scanner
from symlayout.expr.terms import as_expr, put, symbol
from symlayout.layouts.cute.reader import read_strides
from symlayout.layouts.indexmap import IndexMap
from symlayout.layouts.maps.function import ZERO, IndexFunction, Variable
from symlayout.text.patterns import regex

NUMBERS = r"\s*\d{1,4}(?:\s*,\s*\d{1,4})*\s*"
STEP = regex(
    r"(?<![\w@])(?:(?P<many>_?\d+|[A-Za-z_]\w*)(?P<at>(?:\s*@\s*\d{1,4})+)(?!\d)"
    rf"|(?:(?P<times>\d+)\s*\*\s*)?E\s*(?:<(?P<path>{NUMBERS})>|\((?P<call>{NUMBERS})\))"
    r"|(?P<none>_?0)(?![\w@]))",
    re.ASCII,
)
Path = tuple[int, ...]


@dataclass(frozen=True)
class Directions(IndexFunction):
    """A layout whose strides are directions; `parts` has its plain strides along each of them."""

    spelling: str = field(default="", compare=False)
    parts: tuple[tuple[Path, Any], ...] = ()

    def __str__(self) -> str:
        return self.spelling

    def index_map(self) -> IndexMap:
        """Where all strides go along one coordinate: that of the layout of these strides.

        Raises `LayoutError` (SL403) for several coordinates.
        """
        if len(self.parts) != 1:
            return super().index_map()
        result: IndexMap = self.parts[0][1].index_map()
        return replace(result, text=self.spelling)


def read_directions(text: str) -> Directions:
    """The map from coordinates of a layout to those that its strides speak of.

    >>> f = read_directions("(4,(2,N)):(1@1,(1@0,2@0))")
    >>> f.at((3, 5), {"N": 3}), f.box
    ((5, 3), (2*N, 4))

    Raises `LayoutError` with the place of the mistake.
    """
    s = Scanner(text)
    cut = text.find(":")
    if cut < 0 or text.count(":") != 1:
        raise s.error("SL101", "expected one ':' between shape and strides such as 1@0")
    steps = list(STEP.finditer(text, cut))
    paths = sorted({_path(m) for m in steps if m["none"] is None})
    rest = STEP.sub("", text[cut + 1 :])
    wrong = re.search(r"[^\s(),]", rest)
    if wrong is not None or not paths:
        message = "each stride is a number of steps along a coordinate: 2@0, E<1,0>"
        raise s.error("SL101", message, cut)
    if any(a != b and b[: len(a)] == a for a in paths for b in paths):
        raise s.error("SL403", "a direction goes along a coordinate and along a mode of it", cut)
    parts = []
    for path in paths:

        def along(m: re.Match[str], path: Path = path) -> str:
            if m["none"] is not None or _path(m) != path:
                return "0"
            return str(m["many"] or m["times"] or 1)

        parts.append((path, read_strides(text[: cut + 1] + STEP.sub(along, text[cut + 1 :]))))
    return _map(text.strip(), tuple(parts))


def _path(m: re.Match[str]) -> Path:
    """The coordinate, and its modes from the outermost on."""
    if m["at"] is not None:
        return tuple(int(k) for k in reversed(m["at"].strip().lstrip("@").split("@")))
    return tuple(int(k) for k in (m["path"] or m["call"]).split(","))


def _map(text: str, parts: tuple[tuple[Path, Any], ...]) -> Directions:
    maps = [layout.index_map() for _, layout in parts]
    first = maps[0]
    names = reduce(set.union, [{n for m in maps for n in m.symbols}])
    coords = [symbol(c.name) for c in first._coords]
    results = [put(as_expr(m._raw), dict(zip(m._coords, coords))) for m in maps]
    if names & {c.name for c in coords}:
        raise LayoutError("SL201", f"{text} has a size named as a coordinate")
    return Directions(
        tuple(Variable(c.name, ZERO, as_expr(d)) for c, d in zip(coords, first._shape)),
        tuple(results),
        tuple(as_expr(m._size) for m in maps),
        tupled=len(maps) != 1,
        spelling=text,
        parts=parts,
    )
