"""JAX, and so Pallas: a function of integer arrays or of scalars inside a kernel."""

from __future__ import annotations

from symlayout.render.emit.pythonic import on_arrays, source
from symlayout.render.emit.source import Source

PALLAS = on_arrays("JAX", "jnp", "jax")


def emit(s: Source) -> str:
    """`def name(variables, sizes)`, for use inside and outside of kernels."""
    wide = 'values may need 64 bits: jax.config.update("jax_enable_x64", True)'
    return source(PALLAS, s, ["import jax.numpy as jnp"], wide=wide)
