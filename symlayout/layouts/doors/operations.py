"""The names of the operations that may stand where a layout may."""

from __future__ import annotations

import re
from collections.abc import Mapping

# how many arguments each operation takes; the first is a layout
OPERATIONS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("coalesce", "complement", "filter"), (1, 2)),
    **dict.fromkeys(("left_inverse", "right_inverse", "flatten", "make_layout_like"), (1, 1)),
    **dict.fromkeys(("append", "prepend"), (1, 2)),
    **dict.fromkeys(("replace", "take"), (3, 3)),
    "select": (2, 9),
    "unflatten": (2, 2),
    **dict.fromkeys(
        (
            *("composition", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide"),
            *("logical_product", "zipped_product", "tiled_product", "flat_product"),
            *("blocked_product", "raked_product", "tile_to_shape", "upcast", "downcast"),
        ),
        (2, 2),
    ),
}
HEAD = re.compile(r"\s*(?:(?:cute|tla)\s*(?:::|\.)\s*)?([A-Za-z]\w*)\s*\(", re.A)


def begins(text: str) -> bool:
    """Whether the text begins with the name of an operation."""
    head = HEAD.match(text)
    return head is not None and head[1] in OPERATIONS
