"""NumPy: a function of integer arrays, each part computed once."""

from __future__ import annotations

from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.tree import Expr
from symlayout.render.emit.pythonic import on_arrays, source

NUMPY = on_arrays("NumPy", "np")


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`def name(coordinates, sizes)` for integer arrays that are broadcast together."""
    return source(NUMPY, layout, formula, name, facts, ["import numpy as np"])
