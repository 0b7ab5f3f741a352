"""Strides that are directions: layouts whose values are coordinates.

`E(0)` is one step in mode 0, `E(1, 0)` one step in mode 0 of mode 1, written `1@0` and `1@0@1`.
Directions are added and multiplied by integers; an offset made of them is a coordinate.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import keywords, public
from symlayout.expr.terms import Size, as_expr, as_size, symbol
from symlayout.hooks import Shown
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import check_coordinate, split
from symlayout.layouts.cute.layout import Layout, has_keep, int_, slice_and_offset
from symlayout.text.patterns import regex
from symlayout.tla.known import names_of

Path = tuple[int, ...]


@keywords
@dataclass(frozen=True)
class Direction:
    """A sum of steps: how far along each path of modes.

    >>> print(E(0) * 3 + E(1, 0), (E(0) * 3 + E(1, 0)).coordinate(((4,), (2, 5))))
    3@0 + 1@0@1 (3, (1, 0))
    """

    _steps: tuple[tuple[Path, Size], ...]

    steps = public("_steps", "How far along each path of modes.")

    def __add__(self, other: Any) -> Direction:
        if other == 0:
            return self
        if not isinstance(other, Direction):
            return NotImplemented
        total: dict[Path, Size] = dict(self._steps)
        for path, n in other._steps:
            total[path] = as_size(total.get(path, 0) + n)
        return Direction(tuple(sorted((p, n) for p, n in total.items() if n != 0)))

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Direction:
        times = int_(it.as_leaf(factor))
        scaled = tuple((p, as_size(int_(n) * times)) for p, n in self._steps)
        return Direction(tuple((p, n) for p, n in scaled if n != 0))

    __rmul__ = __mul__

    def coordinate(self, shape: Any) -> Any:
        """The steps as a coordinate of a shape: 0 where there is no step."""
        table = dict(self._steps)

        def build(s: Any, path: Path) -> Any:
            if isinstance(s, tuple) and path not in table:
                return tuple(build(x, (*path, k)) for k, x in enumerate(s))
            return table.pop(path, 0)

        result = build(it.as_tuple(shape), ())
        if table:
            raise LayoutError("SL107", f"{self} leaves the shape {it.text_of(it.as_tuple(shape))}")
        return result

    def __str__(self) -> str:
        return (
            " + ".join(str(n) + "".join(f"@{k}" for k in reversed(p)) for p, n in self._steps)
            or "0"
        )


def E(*path: int) -> Direction:
    """One step along a path of modes."""
    for k in path:
        if it.check_index(k, "a mode") < 0:
            raise LayoutError("SL102", f"there is no mode {k}")
    return Direction(((path, 1),))


@keywords
@dataclass(frozen=True)
class CoordinateLayout(Shown):
    """A layout whose strides are directions: coordinates to coordinates.

    >>> A = identity_layout((4, (2, 3)))
    >>> print(A, A(7), A((3, (1, 2))))
    (4,(2,3)):(1@0,(1@0@1,1@1@1)) (3, (1, 0)) (3, (1, 2))

    `target` is the shape that the coordinates belong to.  Raises `LayoutError` (SL107) for strides
    that do not nest as the shape does, or that leave the target.
    """

    _shape: it.IntTuple
    _stride: Any
    _target: it.IntTuple

    shape = public("_shape", "How many of each mode.")
    stride = public("_stride", "The direction of each mode.")
    target = public("_target", "The shape that the coordinates belong to.")
    size = public("_size", "The number of coordinates.")

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """Shapes as tuples."""
        return {**values, **{n: it.as_tuple(values[n]) for n in ("_shape", "_target")}}

    def __post_init__(self) -> None:
        if not it.congruent(self._shape, self._stride):
            message = f"the directions do not nest as {it.text_of(self._shape)} does"
            raise LayoutError("SL107", message)
        for d in it.flatten(self._stride):
            if not isinstance(d, Direction):
                raise LayoutError("SL107", f"the stride {d} is not a direction")
            d.coordinate(self._target)

    @property
    def _size(self) -> Size:
        """The number of coordinates."""
        return as_size(it.product(self._shape))

    def __call__(self, *coord: Any) -> Any:
        """The coordinate that a coordinate is taken to."""
        coordinate = coord[0] if len(coord) == 1 else coord
        if has_keep(coordinate):
            return self.slice(coordinate)[0]
        argument = it.as_tuple(coordinate)
        check_coordinate(argument, self._shape)
        return _value(argument, self._shape, self._stride).coordinate(self._target)

    @property
    def paths(self) -> list[Path]:
        """The paths along which there are steps."""
        directions: tuple[Any, ...] = it.flatten(self._stride)
        return sorted({p for d in directions for p, _ in d._steps})

    @property
    def rank(self) -> int:
        """The number of top-level modes."""
        return it.rank(self._shape)

    @property
    def modes(self) -> tuple[CoordinateLayout, ...]:
        """The top-level modes."""
        parts = zip(self._shape, self._stride) if isinstance(self._shape, tuple) else ()
        return tuple(CoordinateLayout(s, d, self._target) for s, d in parts)

    def slice(self, coord: Any) -> tuple[CoordinateLayout, Any]:
        """The modes where the coordinate is `_`, and the coordinate of all the others.

        >>> from symlayout.tla import _
        >>> part, first = identity_layout((4, 6)).slice((1, _))
        >>> print(part, first)
        (6):(1@1) (1, 0)
        """
        return self.with_offset(lambda layout: slice_and_offset(coord, layout))

    def with_offset(
        self, operation: Any, *arguments: Any, **options: Any
    ) -> tuple[CoordinateLayout, Any]:
        """As `through`, for an operation that gives a part and its offset: here a coordinate."""
        weights = _Weights(self, *arguments, *options.values(), self._size)
        part, start = operation(weights.layout, *arguments, **options)
        result = CoordinateLayout(part._shape, self._directions(weights, part), self._target)
        return result, weights.direction(start).coordinate(self._target)

    def _directions(self, weights: _Weights, result: Layout) -> Any:
        return it.transform(weights.direction, result._stride)

    def through(self, operation: Any, *arguments: Any, **options: Any) -> CoordinateLayout:
        """What an operation makes of this layout that only asks it for other coordinates.

        >>> from symlayout.tla import logical_divide
        >>> print(identity_layout((8, 6)).through(logical_divide, (4, 2)))
        ((4,2),(2,3)):((1@0,4@0),(1@1,2@1))

        Each path gets a weight of its own; the weighted strides of the result are then taken apart
        again.  Raises `LayoutError` as the operation does.
        """
        weights = _Weights(self, *arguments, *options.values(), self._size)
        result = operation(weights.layout, *arguments, **options)
        return CoordinateLayout(result._shape, self._directions(weights, result), self._target)

    def __str__(self) -> str:
        return f"{it.text_of(self._shape)}:{it.text_of(self._stride)}"


class _Weights:
    """Directions as integers and back: a number per path, so large that sums never mix.

    Where sizes are symbols the weights are symbols too: a composition that is proved for all
    weights is proved for each path.
    """

    def __init__(self, outer: CoordinateLayout, *inner: Any) -> None:
        strides: tuple[Direction, ...] = it.flatten(outer._stride)  # type: ignore[assignment]
        self.paths = outer.paths
        counts = [n for d in strides for _, n in d._steps]
        self.base = 0
        if it.is_concrete(outer._shape, tuple(counts)) and not any(map(_symbolic, inner)):
            # at least twice as far as any path goes, within the layout or what it is asked for
            reach = sum(abs(int(n)) for n in counts) + 1
            self.base = 4 * reach * math.prod(map(_reach, inner))
        self.weights = [
            self.base**k if self.base else symbol(f"w{k}_") for k in range(len(self.paths))
        ]
        table = dict(zip(self.paths, self.weights))

        def weigh(d: Direction) -> Size:
            return as_size(sum((int_(n) * table[p] for p, n in d._steps), 0))

        self.layout = Layout(outer._shape, it.unflatten([weigh(d) for d in strides], outer._shape))

    def direction(self, number: Size) -> Direction:
        """The direction whose weight the number is."""
        hits: list[tuple[Path, Size]] = []
        for path, weight in zip(self.paths, self.weights):
            if self.base:
                digit = int(number) % self.base
                digit -= self.base if digit > self.base // 2 else 0
                number = (int(number) - digit) // self.base
            else:
                digit = as_size(as_expr(number).expand().coeff(weight))
            hits.append((path, digit))
        return Direction(tuple((p, n) for p, n in hits if n != 0))


def _symbolic(x: Any) -> bool:
    """Whether an argument has symbols, or may have them: a text."""
    if isinstance(x, (tuple, list)):
        return any(map(_symbolic, x))
    return isinstance(x, str) or bool(names_of(x))


def _reach(x: Any) -> int:
    """A bound on the numbers in an argument; at least 1."""
    if isinstance(x, Layout):
        return int(x._size) * int(x._cosize) + 1 if x.concrete else 1
    if isinstance(x, (tuple, list)):
        return math.prod(map(_reach, x))
    return abs(int(x)) + 1 if isinstance(x, int) else 1


def read_coordinates(text: str) -> CoordinateLayout:
    """The layout of coordinates that a text spells.

    >>> print(read_coordinates("(4,(2,3)):(1@0,(E<1,0>,2@1@1))"))
    (4,(2,3)):(1@0,(1@0@1,2@1@1))

    `1@0@1` and `E<1,0>` are one step along mode 0 of mode 1.  Raises `LayoutError` with the place of
    the mistake.
    """
    from symlayout.layouts.cute.reader import read_inttuple

    shape, colon, strides = text.partition(":")
    if not colon:
        raise LayoutError("SL101", f"{text} has no strides: write (4,6):(1@0,1@1)")
    steps = [
        (int(m[1] or 1), tuple(map(int, m[2].split(","))))
        if m[2]
        else (0, ())
        if m[3] is None
        else (int(m[3]), tuple(map(int, m[4][1:].split("@")[::-1])))
        for m in STEP.finditer(strides)
    ]
    profile = read_inttuple(STEP.sub("1", strides))
    if len(it.flatten(profile)) != len(steps):
        raise LayoutError("SL101", f"each stride of {text} is a number of steps: 2@0, E<1,0>")
    directions = [Direction(((path, n),)) if n else Direction(()) for n, path in steps]
    sizes = it.as_tuple(read_inttuple(shape))
    result = it.unflatten(directions, profile)
    return CoordinateLayout(sizes, result, _target_of(directions, as_size(it.product(sizes))))


STEP = regex(
    r"(?:(\d{1,18})\s*\*\s*)?E\s*<\s*(\d{1,4}(?:\s*,\s*\d{1,4})*)\s*>(?:\s*\{\s*\})?"
    r"|(\d{1,18})((?:@\d{1,4})+)|(?<![\w@])0(?![\w@])",
    re.ASCII,
)


def _target_of(directions: list[Direction], size: Size) -> Any:
    """A shape that has every path."""
    paths = [p for d in directions for p, _ in d._steps]

    def build(path: Path) -> Any:
        inside = [p[len(path)] for p in paths if len(p) > len(path) and p[: len(path)] == path]
        return tuple(build((*path, k)) for k in range(max(inside) + 1)) if inside else size

    return build(())


def _value(coord: Any, shape: Any, stride: Any) -> Direction:
    if isinstance(shape, tuple):
        argument = coord
        if not isinstance(coord, tuple):
            argument = split(coord, tuple(it.product(s) for s in shape))
        if len(argument) != len(shape):
            raise LayoutError("SL108", f"the coordinate {it.text_of(coord)} does not fit")
        return sum((_value(c, s, d) for c, s, d in zip(argument, shape, stride)), Direction(()))
    if isinstance(coord, tuple):
        raise LayoutError("SL108", f"the coordinate {it.text_of(coord)} is a tuple for {shape}")
    result: Direction = stride * coord
    return result


def identity_layout(shape: Any) -> CoordinateLayout:
    """The layout that takes every coordinate of a shape to itself.

    >>> identity_layout((2, 3))(5)
    (1, 2)
    """
    sizes = it.as_tuple(shape)

    def directions(s: Any, path: Path) -> Any:
        if isinstance(s, tuple):
            return tuple(directions(x, (*path, k)) for k, x in enumerate(s))
        return E(*path)

    return CoordinateLayout(sizes, directions(sizes, ()), sizes)
