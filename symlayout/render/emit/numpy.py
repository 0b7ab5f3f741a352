"""NumPy: a function of integer arrays, each part computed once."""

from __future__ import annotations

from symlayout.render.emit.pythonic import on_arrays, source
from symlayout.render.emit.source import Source

NUMPY = on_arrays("NumPy", "np")


def emit(s: Source) -> str:
    """`def name(variables, sizes)` for integer arrays that are broadcast together."""
    return source(NUMPY, s, ["import numpy as np"])
