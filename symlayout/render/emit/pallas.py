"""JAX, and so Pallas: a function of integer arrays or of scalars inside of a kernel."""

from __future__ import annotations

from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.tree import Expr
from symlayout.render.emit.clike import SHARED, Language
from symlayout.render.emit.python import RESERVED
from symlayout.render.emit.pythonic import source

PALLAS = Language(
    "JAX",
    RESERVED | {"jax", "jnp"},
    divide="//",
    floors=True,
    shared=-SHARED,
    where="jnp.where({p} < {q}, {a}, {b})",
    least="jnp.minimum({a}, {b})",
    greatest="jnp.maximum({a}, {b})",
    toward_zero="(jnp.sign({a})*jnp.sign({b})*(jnp.abs({a})//jnp.abs({b})))",
)


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`def name(coordinates, sizes)`, for use inside and outside of kernels."""
    wide = 'values may need 64 bits: jax.config.update("jax_enable_x64", True)'
    return source(PALLAS, layout, formula, name, facts, ["import jax.numpy as jnp"], otherwise=wide)
