"""The names of the operations that may stand where a layout may."""

from __future__ import annotations

import re
from collections.abc import Mapping

from symlayout.text.patterns import regex

# how many arguments each operation takes; the first is a layout, but for those of FIRST
OPERATIONS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("coalesce", "complement", "filter"), (1, 2)),
    **dict.fromkeys(("left_inverse", "right_inverse", "flatten", "make_layout_like"), (1, 1)),
    **dict.fromkeys(("filter_zeros", "nullspace"), (1, 1)),
    **dict.fromkeys(("append", "prepend"), (1, 3)),
    **dict.fromkeys(("batch", "PrependDim", "compose_swizzle", "tile_to_shape"), (2, 3)),
    **dict.fromkeys(("replace", "take", "group_modes", "recast", "get_tile_layout"), (3, 3)),
    **dict.fromkeys(("select", "get"), (2, 9)),
    **dict.fromkeys(("unflatten", "make_layout_tile", "max_common_layout"), (2, 2)),
    **dict.fromkeys(
        (
            *("composition", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide"),
            *("logical_product", "zipped_product", "tiled_product", "flat_product"),
            *("blocked_product", "raked_product", "upcast", "downcast"),
        ),
        (2, 2),
    ),
    **dict.fromkeys(("slice_", "slice_layout", "dice"), (2, 2)),
    **dict.fromkeys(("domain_distribute", "make_ordered_layout"), (2, 2)),
    "make_layout": (1, 9),
}
# what the first argument is, where it is no layout
FIRST: Mapping[str, str] = {
    **dict.fromkeys(("slice_", "slice_layout", "dice"), "coordinate"),
    **dict.fromkeys(("domain_distribute", "make_ordered_layout", "make_layout"), "sizes"),
}
# arguments that are given by name
OPTIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("left_inverse", "complement"), ("weak",)),
    **dict.fromkeys(("append", "prepend"), ("rank",)),
    "tile_to_shape": ("order",),
}
# the algebra's other operations, and what they give that cannot stand for a layout
OTHERS: Mapping[str, str] = {
    "common_refinement": "two layouts, and a claim asks for one",
    "make_layout_tv": "a tile and a layout, write the layout as `tv .. on ..`",
    **dict.fromkeys(
        ("local_tile", "local_partition", "tile_view", "slice_and_offset"),
        "a layout and an offset, slice_ and zipped_divide give the layout alone",
    ),
    **dict.fromkeys(
        ("identity_layout", "make_identity_layout"), "coordinates, write (M,N):(1@0,1@1)"
    ),
    "to_xla": "an XLA layout, write it as such: f32[M,N]{1,0}",
    "to_tla": "the layout itself, write its text alone",
    "as_layout": "the layout itself, write its text alone",
    "make_format": "a format, write it as such: zN(f16,R,C)",
    **dict.fromkeys(("read_layout", "read_cpp"), "the layout itself, write its text alone"),
    **dict.fromkeys(("shape_div", "crd2crd"), "sizes, and a claim asks for a layout"),
}
HEAD = regex(r"\s*(?:(?:cute|tla)\s*(?:::|\.)\s*)?([A-Za-z]\w*)\s*\(", re.A)


PAIR = regex(r"(?<!:):(?!:)")


def begins(text: str) -> bool:
    """Whether the text begins with the name of an operation; `make_layout` of sizes is C++."""
    head = HEAD.match(text)
    if head is None or head[1] not in (*OPERATIONS, *OTHERS):
        return False
    return head[1] != "make_layout" or PAIR.search(text) is not None
