"""XLA: shapes, layouts and tiles, from their text to index maps."""

from __future__ import annotations

from symlayout.layouts.xla.composite import AnyShape, BufferShape, OpaqueShape, TupleShape
from symlayout.layouts.xla.derivation import Derivation, derive, pad_reshape_transpose
from symlayout.layouts.xla.linear import coordinates_to_linear, linear_to_coordinates
from symlayout.layouts.xla.reader import read_shape, shape_at
from symlayout.layouts.xla.shape import Dynamic, Shape

__all__ = [
    "AnyShape",
    "BufferShape",
    "Derivation",
    "Dynamic",
    "OpaqueShape",
    "Shape",
    "TupleShape",
    "coordinates_to_linear",
    "derive",
    "linear_to_coordinates",
    "pad_reshape_transpose",
    "read_shape",
    "shape_at",
]
