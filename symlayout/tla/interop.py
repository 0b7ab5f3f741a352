"""Layouts of other libraries: anything with `.shape` and `.stride`, and strided arrays."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.tla import inttuple as it
from symlayout.tla.layout import Layout


def as_layout(x: Any) -> Layout:
    """The layout of a text, a number or shape (compact), another library's layout, or an array.

    >>> import numpy as np
    >>> print(as_layout("(2,3):(3,1)"), as_layout((2, 3)), as_layout(np.zeros((2, 3))))
    (2,3):(3,1) (2,3):(1,2) (2,3):(3,1)

    Another library's layout has nested tuples or integers as `.shape` and `.stride`.  Raises
    `LayoutError` (SL107) for anything else, and for an array that does not begin at offset 0.
    """
    from symlayout.tla.make import make_layout
    from symlayout.tla.reader import read_layout

    if isinstance(x, Layout):
        return x
    if isinstance(x, str):
        made = read_layout(x)
        if not isinstance(made, Layout):
            raise LayoutError("SL107", f"{made} is a composed layout, not shape:stride")
        return made
    if hasattr(x, "strides") or callable(getattr(x, "stride", None)):
        return _of_array(x)
    if hasattr(x, "shape") and hasattr(x, "stride"):
        return Layout(it.as_tuple(x.shape), it.as_tuple(x.stride))
    if isinstance(x, (int, tuple, list)) or hasattr(x, "free_symbols"):
        return make_layout(x)
    raise LayoutError("SL107", f"{type(x).__name__} has no .shape and .stride")


def _of_array(x: Any) -> Layout:
    from symlayout.strided import Strided, from_array

    strided = x if isinstance(x, Strided) else from_array(x)
    if strided.start != 0:
        raise LayoutError(
            "SL107", f"the array begins at offset {strided.start}; shape:stride begins at 0"
        )
    return Layout(strided.dims, strided.strides, bits=strided.bits)
