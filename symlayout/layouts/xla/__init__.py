"""XLA: shapes, layouts and tiles, from their text to index maps."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# loaded on first use: who reads the text of one array needs its reader alone
_HOMES = {
    **dict.fromkeys(("AnyShape", "BufferShape", "OpaqueShape", "TupleShape"), "composite"),
    **dict.fromkeys(("Derivation", "derive", "pad_reshape_transpose"), "derivation"),
    **dict.fromkeys(("Layout", "Tile", "make_shape"), "layout"),
    **dict.fromkeys(("coordinates_to_linear", "linear_to_coordinates"), "linear"),
    **dict.fromkeys(("proto_text", "read_proto"), "proto"),
    **dict.fromkeys(("read_shape", "shape_at"), "reader"),
    **dict.fromkeys(("Dynamic", "Shape"), "shape"),
}

if not TYPE_CHECKING:  # to a type checker a misspelt name is none

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(import_module(f"symlayout.layouts.xla.{_HOMES[name]}"), name)
        raise AttributeError(f"module 'symlayout.xla' has no attribute {name!r}")
