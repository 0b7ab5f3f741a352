"""Layouts of other libraries: anything with `.shape` and `.stride`, and strided arrays."""

from __future__ import annotations

from typing import Any

from symlayout.layouts.cute.layout import Layout
from symlayout.tla.arguments import layout_of


def as_layout(x: Any) -> Layout:
    """The layout of a text, a number or shape (compact), another library's layout, or an array.

    >>> import numpy as np
    >>> print(as_layout("(2,3):(3,1)"), as_layout((2, 3)), as_layout(np.zeros((2, 3))))
    (2,3):(3,1) (2,3):(1,2) (2,3):(3,1)

    Raises `LayoutError` (SL107) as `layout_of` does.
    """
    from symlayout.tla.make import make_layout

    if isinstance(x, (int, tuple, list)) or hasattr(x, "free_symbols"):
        return make_layout(x)
    return layout_of(x)
