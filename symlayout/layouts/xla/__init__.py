"""XLA: shapes, layouts and tiles, from their text to index maps."""

from __future__ import annotations

from symlayout.layouts.xla.composite import AnyShape, BufferShape, OpaqueShape, TupleShape
from symlayout.layouts.xla.derivation import Derivation, derive, pad_reshape_transpose
from symlayout.layouts.xla.layout import Layout, Tile, make_shape
from symlayout.layouts.xla.linear import coordinates_to_linear, linear_to_coordinates
from symlayout.layouts.xla.proto import proto_text, read_proto
from symlayout.layouts.xla.reader import read_shape, shape_at
from symlayout.layouts.xla.shape import Dynamic, Shape

__all__ = [
    "AnyShape",
    "BufferShape",
    "Derivation",
    "Dynamic",
    "Layout",
    "OpaqueShape",
    "Shape",
    "Tile",
    "TupleShape",
    "coordinates_to_linear",
    "derive",
    "linear_to_coordinates",
    "make_shape",
    "pad_reshape_transpose",
    "proto_text",
    "read_proto",
    "read_shape",
    "shape_at",
]
