"""XLA: shapes, layouts and tiles, from their text to index maps."""

from __future__ import annotations

from symlayout.xla.composite import AnyShape, BufferShape, OpaqueShape, TupleShape
from symlayout.xla.reader import read_shape, shape_at
from symlayout.xla.shape import Dynamic, Shape

__all__ = [
    "AnyShape",
    "BufferShape",
    "Dynamic",
    "OpaqueShape",
    "Shape",
    "TupleShape",
    "read_shape",
    "shape_at",
]
