"""Strides that are directions: layouts whose values are coordinates.

`E(0)` is one step in mode 0, `E(1, 0)` one step in mode 0 of mode 1, written `1@0` and `1@0@1`.
Directions are added and multiplied by integers; an offset made of them is a coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_expr, as_size, symbol
from symlayout.hooks import hook
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import check_coordinate, split
from symlayout.layouts.cute.layout import Layout, int_

Path = tuple[int, ...]


@dataclass(frozen=True)
class Direction:
    """A sum of steps: how far along each path of modes.

    >>> print(E(0) * 3 + E(1, 0), (E(0) * 3 + E(1, 0)).coordinate(((4,), (2, 5))))
    3@0 + 1@0@1 (3, (1, 0))
    """

    steps: tuple[tuple[Path, Size], ...]

    def __add__(self, other: Any) -> Direction:
        if other == 0:
            return self
        if not isinstance(other, Direction):
            return NotImplemented
        total: dict[Path, Size] = dict(self.steps)
        for path, n in other.steps:
            total[path] = as_size(total.get(path, 0) + n)
        return Direction(tuple(sorted((p, n) for p, n in total.items() if n != 0)))

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Direction:
        times = int_(it.as_leaf(factor))
        scaled = tuple((p, as_size(int_(n) * times)) for p, n in self.steps)
        return Direction(tuple((p, n) for p, n in scaled if n != 0))

    __rmul__ = __mul__

    def coordinate(self, shape: Any) -> Any:
        """The steps as a coordinate of a shape: 0 where there is no step."""
        table = dict(self.steps)

        def build(s: Any, path: Path) -> Any:
            if isinstance(s, tuple) and path not in table:
                return tuple(build(x, (*path, k)) for k, x in enumerate(s))
            return table.pop(path, 0)

        made = build(it.as_tuple(shape), ())
        if table:
            raise LayoutError("SL107", f"{self} leaves the shape {it.text_of(it.as_tuple(shape))}")
        return made

    def __str__(self) -> str:
        return (
            " + ".join(str(n) + "".join(f"@{k}" for k in reversed(p)) for p, n in self.steps) or "0"
        )


def E(*path: int) -> Direction:
    """One step along a path of modes."""
    for k in path:
        if it.check_index(k, "a mode") < 0:
            raise LayoutError("SL102", f"there is no mode {k}")
    return Direction(((path, 1),))


@dataclass(frozen=True)
class CoordinateLayout:
    """A layout whose strides are directions: coordinates to coordinates.

    >>> A = identity_layout((4, (2, 3)))
    >>> print(A, A(7), A((3, (1, 2))))
    (4,(2,3)):(1@0,(1@0@1,1@1@1)) (3, (1, 0)) (3, (1, 2))

    `target` is the shape that the coordinates belong to.  Raises `LayoutError` (SL107) for strides
    that do not nest as the shape does, or that leave the target.
    """

    shape: it.IntTuple
    stride: Any
    target: it.IntTuple

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", it.as_tuple(self.shape))
        object.__setattr__(self, "target", it.as_tuple(self.target))
        if not it.congruent(self.shape, self.stride):
            raise LayoutError(
                "SL107", f"the directions do not nest as {it.text_of(self.shape)} does"
            )
        for d in it.flatten(self.stride):
            if not isinstance(d, Direction):
                raise LayoutError("SL107", f"the stride {d} is no direction")
            d.coordinate(self.target)

    @property
    def size(self) -> Size:
        """The number of coordinates."""
        return as_size(it.product(self.shape))

    def __call__(self, *coord: Any) -> Any:
        """The coordinate that a coordinate is taken to."""
        given = it.as_tuple(coord[0] if len(coord) == 1 else coord)
        check_coordinate(given, self.shape)
        return _value(given, self.shape, self.stride).coordinate(self.target)

    def after(self, inner: Layout, where: Any = ()) -> CoordinateLayout:
        """First `inner`, then this layout: the composition, whose values are coordinates.

        >>> print(identity_layout((4, 6)).after(Layout((2, 4), (2, 4))))
        (2,4):(2@0,1@1)

        Each path gets a weight of its own; the composition of the weighted strides is then taken
        apart again.  Raises `LayoutError` (SL800) as `composition` does.
        """
        from symlayout.tla.composition import composition

        weights = _Weights(self, inner)
        made = composition(weights.layout, inner, where)
        stride = it.transform(weights.direction, made.stride)
        return CoordinateLayout(made.shape, stride, self.target)

    def _repr_html_(self) -> str:
        return str(hook("html")(self))

    def __str__(self) -> str:
        return f"{it.text_of(self.shape)}:{it.text_of(self.stride)}"


class _Weights:
    """Directions as integers and back: a number per path, so large that sums never mix.

    Where sizes are symbols the weights are symbols too: a composition that is proved for all
    weights is proved for each path.
    """

    def __init__(self, outer: CoordinateLayout, inner: Layout) -> None:
        strides: tuple[Direction, ...] = it.flatten(outer.stride)  # type: ignore[assignment]
        self.paths = sorted({p for d in strides for p, _ in d.steps})
        counts = [n for d in strides for _, n in d.steps]
        self.base = 0
        if inner.concrete and it.is_concrete(outer.shape, tuple(counts)):
            reach = sum(abs(int(n)) for n in counts) * int(inner.cosize) + 1
            self.base = 4 * reach * (int(inner.size) + 1)
        self.weights = [
            self.base**k if self.base else symbol(f"w{k}_") for k in range(len(self.paths))
        ]
        table = dict(zip(self.paths, self.weights))

        def weigh(d: Direction) -> Size:
            return as_size(sum((int_(n) * table[p] for p, n in d.steps), 0))

        self.layout = Layout(outer.shape, it.unflatten([weigh(d) for d in strides], outer.shape))

    def direction(self, number: Size) -> Direction:
        """The direction whose weight the number is."""
        found: list[tuple[Path, Size]] = []
        for path, weight in zip(self.paths, self.weights):
            if self.base:
                digit = int(number) % self.base
                digit -= self.base if digit > self.base // 2 else 0
                number = (int(number) - digit) // self.base
            else:
                digit = as_size(as_expr(number).expand().coeff(weight))
            found.append((path, digit))
        return Direction(tuple((p, n) for p, n in found if n != 0))


def _value(coord: Any, shape: Any, stride: Any) -> Direction:
    if isinstance(shape, tuple):
        given = coord
        if not isinstance(coord, tuple):
            given = split(coord, tuple(it.product(s) for s in shape))
        if len(given) != len(shape):
            raise LayoutError("SL108", f"the coordinate {it.text_of(coord)} does not fit")
        return sum((_value(c, s, d) for c, s, d in zip(given, shape, stride)), Direction(()))
    if isinstance(coord, tuple):
        raise LayoutError("SL108", f"the coordinate {it.text_of(coord)} is a tuple for {shape}")
    made: Direction = stride * coord
    return made


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
