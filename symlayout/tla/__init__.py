"""TLA and CuTe layouts: `shape:stride` with nested, symbolic modes, and their algebra."""

from symlayout.expr.outward import for_users
from symlayout.layouts.cute.cpp import cpp_text, read_cpp
from symlayout.layouts.cute.formats import make_format
from symlayout.layouts.cute.inttuple import Static
from symlayout.layouts.cute.layout import Layout, _
from symlayout.layouts.cute.reader import read_inttuple, read_layout
from symlayout.layouts.cute.swizzle import ComposedLayout, Swizzle, compose_swizzle
from symlayout.tla.banks import BankConflicts, Coalescing, bank_conflicts, coalescing
from symlayout.tla.basis import CoordinateLayout, Direction, E, identity_layout
from symlayout.tla.chain import Chain
from symlayout.tla.coalesce import coalesce, filter, filter_zeros, group_modes
from symlayout.tla.common import in_range, max_common_layout, max_common_vector, nullspace
from symlayout.tla.complement import complement
from symlayout.tla.composition import composition
from symlayout.tla.convert import to_tla, to_xla
from symlayout.tla.derivation import derive
from symlayout.tla.divide import flat_divide, logical_divide, tiled_divide, zipped_divide
from symlayout.tla.domains import common_refinement, domain_distribute, evenly_divides
from symlayout.tla.inverses import left_inverse, right_inverse
from symlayout.tla.make import (
    as_layout,
    cosize,
    crd2offset,
    depth,
    flatten,
    get,
    idx2crd,
    make_coord,
    make_layout,
    make_shape,
    make_stride,
    make_tile,
    product,
    rank,
    shape,
    size,
    stride,
)
from symlayout.tla.modes import (
    append,
    batch,
    compatible,
    congruent,
    contiguity,
    coshape,
    crd2crd,
    local_partition,
    make_layout_like,
    make_layout_tv,
    prepend,
    replace,
    select,
    shape_div,
    take,
    unflatten,
    weakly_congruent,
)
from symlayout.tla.multiply import (
    blocked_product,
    flat_product,
    logical_product,
    make_ordered_layout,
    raked_product,
    tile_to_shape,
    tiled_product,
    zipped_product,
)
from symlayout.tla.recast import downcast, recast, upcast
from symlayout.tla.slicing import (
    dice,
    get_tile_layout,
    local_tile,
    make_layout_tile,
    slice_and_offset,
    slice_layout,
    tile_view,
)

crd2idx = crd2offset
read_inttuple = for_users(read_inttuple)
# the names of the C++ library
Int = Static
make_tuple = make_stride
MakeTuple, MakeShape, MakeStride, MakeCoord = make_tuple, make_shape, make_stride, make_coord
MakeTile, MakeLayout, MakeLayoutTile = make_tile, make_layout, make_layout_tile
GetTileLayout = get_tile_layout
make_identity_layout = identity_layout
slice_ = slice_layout
PrependDim = batch

__all__ = [
    "BankConflicts",
    "Chain",
    "Coalescing",
    "ComposedLayout",
    "CoordinateLayout",
    "Direction",
    "E",
    "GetTileLayout",
    "Int",
    "Layout",
    "MakeCoord",
    "MakeLayout",
    "MakeLayoutTile",
    "MakeShape",
    "MakeStride",
    "MakeTile",
    "MakeTuple",
    "PrependDim",
    "Static",
    "Swizzle",
    "_",
    "append",
    "as_layout",
    "bank_conflicts",
    "batch",
    "blocked_product",
    "coalesce",
    "coalescing",
    "common_refinement",
    "compatible",
    "complement",
    "compose_swizzle",
    "composition",
    "congruent",
    "contiguity",
    "coshape",
    "cosize",
    "cpp_text",
    "crd2crd",
    "crd2idx",
    "crd2offset",
    "depth",
    "derive",
    "dice",
    "domain_distribute",
    "downcast",
    "evenly_divides",
    "filter",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "flatten",
    "get",
    "get_tile_layout",
    "group_modes",
    "identity_layout",
    "idx2crd",
    "in_range",
    "left_inverse",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_coord",
    "make_format",
    "make_identity_layout",
    "make_layout",
    "make_layout_like",
    "make_layout_tile",
    "make_layout_tv",
    "make_ordered_layout",
    "make_shape",
    "make_stride",
    "make_tile",
    "make_tuple",
    "max_common_layout",
    "max_common_vector",
    "nullspace",
    "prepend",
    "product",
    "raked_product",
    "rank",
    "read_cpp",
    "read_inttuple",
    "read_layout",
    "recast",
    "replace",
    "right_inverse",
    "select",
    "shape",
    "shape_div",
    "size",
    "slice_",
    "slice_and_offset",
    "slice_layout",
    "stride",
    "take",
    "tile_to_shape",
    "tile_view",
    "tiled_divide",
    "tiled_product",
    "to_tla",
    "to_xla",
    "unflatten",
    "upcast",
    "weakly_congruent",
    "zipped_divide",
    "zipped_product",
]


def __getattr__(name: str) -> Static:
    if name[:1] == "_" and name[1:].isdigit():
        return Static(name[1:])  # _1, _2, ...: Int<1>, Int<2>, ...
    raise AttributeError(f"module 'symlayout.tla' has no attribute {name!r}")
