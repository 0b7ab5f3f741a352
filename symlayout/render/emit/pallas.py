"""JAX, and so Pallas: a function of integer arrays or of scalars inside of a kernel."""

from __future__ import annotations

from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.tree import Expr
from symlayout.render.emit.pythonic import on_arrays, source

PALLAS = on_arrays("JAX", "jnp", "jax")


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`def name(coordinates, sizes)`, for use inside and outside of kernels."""
    wide = 'values may need 64 bits: jax.config.update("jax_enable_x64", True)'
    return source(PALLAS, layout, formula, name, facts, ["import jax.numpy as jnp"], otherwise=wide)
