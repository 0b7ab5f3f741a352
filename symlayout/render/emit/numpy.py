"""NumPy: a function of integer arrays, each part computed once."""

from __future__ import annotations

from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.tree import Expr
from symlayout.render.emit.clike import SHARED, Language
from symlayout.render.emit.python import RESERVED
from symlayout.render.emit.pythonic import source

NUMPY = Language(
    "NumPy",
    RESERVED | {"np"},
    divide="//",
    floors=True,
    shared=-SHARED,
    where="np.where({p} < {q}, {a}, {b})",
    least="np.minimum({a}, {b})",
    greatest="np.maximum({a}, {b})",
    toward_zero="(np.sign({a})*np.sign({b})*(np.abs({a})//np.abs({b})))",
)


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`def name(coordinates, sizes)` for integer arrays that are broadcast together."""
    return source(NUMPY, layout, formula, name, facts, ["import numpy as np"])
