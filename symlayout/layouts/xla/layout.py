"""Layouts and tiles as values of their own, which shapes can share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from symlayout.expr.outward import keywords, outward
from symlayout.expr.terms import Size
from symlayout.layouts.xla.shape import PaddingValue, Shape, tile_size
from symlayout.layouts.xla.tiling import COMBINE, TileSize


class Tile(tuple[TileSize, ...]):
    """A tile: sizes of the most minor dimensions, and `"*"` (or -1) where dimensions are merged.

    >>> print(Tile((2, -1, 3)), Tile((8, 128)).dimensions)
    (2,*,3) (8, 128)
    """

    __slots__ = ()

    def __new__(cls, dimensions: Iterable[Any]) -> Tile:
        arguments = (COMBINE if not isinstance(t, str) and t == -1 else t for t in dimensions)
        return super().__new__(cls, outward(tuple(tile_size(t) for t in arguments)))

    @property
    def dimensions(self) -> tuple[TileSize, ...]:
        """The sizes, the most major first."""
        return tuple(self)

    def __str__(self) -> str:
        return f"({','.join(str(t).replace(' ', '') for t in self)})"

    def __repr__(self) -> str:
        return f"Tile({tuple(self)!r})"


@keywords
@dataclass(frozen=True)
class Layout:
    """What a shape's layout says, without the shape: several shapes may share one.

    >>> tiled = Layout((1, 0), tiles=(Tile((8, 128)),))
    >>> print(tiled, tiled.shape("f32", ("M", "N")), tiled.shape("bf16", (16, 256)))
    {1,0:T(8,128)} f32[M,N]{1,0:T(8,128)} bf16[16,256]{1,0:T(8,128)}
    >>> print(Layout((0, 1), padded_dimensions=(3, 5), padding_value=0).shape("f32", (2, 3)))
    f32[2,3]{0,1:PAD(3,5)=0}

    The rules of a shape are those of `Shape`: they are looked at when there is one.
    """

    minor_to_major: tuple[int, ...] = ()
    tiles: tuple[tuple[TileSize, ...], ...] = ()
    padded_dimensions: tuple[Size, ...] | None = None
    padding_value: PaddingValue | None = None
    tail_alignment: Size = 1
    element_bits: int = 0
    memory_space: int = 0
    metadata_bytes: int = 0

    @staticmethod
    def read_fields(values: dict[str, Any]) -> dict[str, Any]:
        """Tuples, and sizes as users have them."""
        padded = values["padded_dimensions"]
        return {
            **values,
            "minor_to_major": tuple(values["minor_to_major"]),
            "tiles": tuple(Tile(t) for t in values["tiles"]),
            "padded_dimensions": None if padded is None else outward(tuple(padded)),
            "tail_alignment": outward(values["tail_alignment"]),
        }

    @staticmethod
    def of(shape: Shape) -> Layout:
        """The layout of a shape.

        >>> from symlayout.layouts.xla import read_shape
        >>> print(Layout.of(read_shape("f32[3,5]{1,0:T(2,2)}")))
        {1,0:T(2,2)}
        """
        return Layout(**{f.name: getattr(shape, f.name) for f in fields(Layout)})

    def shape(self, dtype: str, dims: Iterable[Any]) -> Shape:
        """The shape of these sizes in this layout.

        Raises `LayoutError` as `Shape` does.
        """
        own = {f.name: getattr(self, f.name) for f in fields(self)}
        return Shape(dtype, tuple(dims), explicit=True, **own)

    def __str__(self) -> str:
        order = tuple(range(len(self.minor_to_major)))
        rank = len(order)
        shape = Shape(
            "pred",
            (1,) * rank,
            explicit=True,
            notes=("only its text is asked for",),
            **{f.name: getattr(self, f.name) for f in fields(self)},
        )
        return str(shape)[len(str(Shape("pred", (1,) * rank))) :] or "{}"


def make_shape(dtype: str, dims: Iterable[Any], layout: Layout | None = None) -> Shape:
    """A shape as `ShapeUtil::MakeShape` makes it: the default layout is major to minor.

    >>> print(make_shape("F32", ("A", "B", "C")))
    f32[A,B,C]
    """
    return Shape(dtype, tuple(dims)) if layout is None else layout.shape(dtype, dims)
