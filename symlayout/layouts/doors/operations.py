"""The names of the operations that may stand where a layout may."""

from __future__ import annotations

import re
from collections.abc import Mapping

from symlayout.text.patterns import regex

# arguments of the operations; one in brackets may be left out, dots are more of the last kind
_SIGNATURES = {
    "LAYOUT": "left_inverse right_inverse flatten make_layout_like filter_zeros nullspace",
    "LAYOUT, [SHAPE]": "coalesce filter",
    "LAYOUT, [SIZE]": "complement",
    "LAYOUT, [MODE], [RANK]": "append prepend",
    "LAYOUT, COUNT, [STRIDE]": "batch PrependDim",
    "SWIZZLE, LAYOUT, [OFFSET]": "compose_swizzle",
    "LAYOUT, SHAPE, [ORDER]": "tile_to_shape",
    "LAYOUT, INDEX, MODE": "replace",
    "LAYOUT, BEGIN, END": "take group_modes",
    "LAYOUT, OLD_BITS, NEW_BITS": "recast",
    "LAYOUT, TILE, COORD": "get_tile_layout",
    "LAYOUT, INDEX, ...": "select get",
    "LAYOUT, SHAPE": "unflatten",
    "LAYOUT, TILE": "make_layout_tile",
    "LAYOUT, LAYOUT": "max_common_layout logical_product zipped_product tiled_product flat_product"
    " blocked_product raked_product",
    "LAYOUT, TILER": "composition logical_divide zipped_divide tiled_divide flat_divide",
    "LAYOUT, NUMBER": "upcast downcast",
    "COORD, LAYOUT": "slice_ slice_layout dice",
    "SHAPE, COUNT": "domain_distribute",
    "SHAPE, ORDER": "make_ordered_layout",
    "LAYOUT, ...": "make_layout",
}
SIGNATURES: Mapping[str, str] = {
    name: signature for signature, names in _SIGNATURES.items() for name in names.split()
}
MOST_ARGUMENTS = 9


def _bounds(signature: str) -> tuple[int, int]:
    """How many arguments an operation takes, at least and at most."""
    parts = signature.split(", ")
    least = sum(p[0] not in "[." for p in parts)
    return least, MOST_ARGUMENTS if "..." in parts else len(parts)


# how many arguments each operation takes; the first is a layout, but for those of FIRST
OPERATIONS: Mapping[str, tuple[int, int]] = {n: _bounds(s) for n, s in SIGNATURES.items()}
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


def usage(name: str) -> str:
    """How an operation is written.

    >>> usage("get_tile_layout")
    'write get_tile_layout(LAYOUT, TILE, COORD)'
    """
    return f"write {name}({SIGNATURES[name]})"


PAIR = regex(r"(?<!:):(?!:)")


def begins(text: str) -> bool:
    """Whether the text begins with the name of an operation; `make_layout` of sizes is C++."""
    head = HEAD.match(text)
    if head is None or head[1] not in (*OPERATIONS, *OTHERS):
        return False
    return head[1] != "make_layout" or PAIR.search(text) is not None
