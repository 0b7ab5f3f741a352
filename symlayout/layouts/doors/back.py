"""Layouts as texts that other systems read: MLIR's memref types, Triton's linear encodings."""

from __future__ import annotations

import re
from typing import Any

from sympy import Expr

from symlayout.errors import LayoutError
from symlayout.expr.terms import Size, as_expr
from symlayout.layouts.doors.linear import Linear, Vector

_WORDS = {"pred": "i1", "c64": "complex<f32>", "c128": "complex<f64>"}
REGISTERS = ("register", "lane", "warp", "block")


def memref_text(layout: Any) -> str:
    """A layout with a stride for each dimension as a memref type; what is no number is `?`.

    >>> from symlayout.layouts.notation import parse
    >>> memref_text(parse("strided f32[4,N] strides(N,1) offset 3"))
    'memref<4x?xf32, strided<[?, 1], offset: 3>>'

    Raises `LayoutError` (SL203) for a layout that strides and an offset do not say.
    """
    m = layout.index_map()
    start = m.raw.subs(dict.fromkeys(m.coords, 0)).expand()
    steps = [m.raw.expand().coeff(c) for c in m.coords]
    rest = (m.raw - start - sum(c * d for c, d in zip(m.coords, steps))).expand()
    if rest != 0 or any(d.has(*m.coords) for d in steps):
        message = f"{layout} is not said by a stride for each dimension"
        raise LayoutError("SL203", message, help="--emit affine writes it as a map")
    sizes = "".join(f"{_number(d)}x" for d in m.shape)
    strides = ", ".join(map(_number, steps))
    offset = "" if start == 0 else f", offset: {_number(start)}"
    return f"memref<{sizes}{_element(layout, m.bits)}, strided<[{strides}]{offset}>>"


def _number(e: Size | Expr) -> str:
    made = as_expr(e)
    return str(made) if made.is_Integer else "?"


def _element(layout: Any, bits: int | None) -> str:
    """MLIR's element type: by the layout's own, or by its bits."""
    dtype = str(getattr(layout, "dtype", "") or "")
    if not dtype:
        return "index" if bits is None else f"i{bits}"
    found = re.fullmatch(r"([su])(\d+)", dtype)
    if found is not None:
        return ("ui" if found[1] == "u" else "i") + found[2]
    return _WORDS.get(dtype, dtype)


def encoding_text(layout: Linear) -> str:
    """A linear layout of registers, lanes, warps and blocks, or of offsets, as Triton's encoding.

    >>> print(encoding_text(Linear.of({"lane": [(0, 1), (1, 0)]}, {"dim0": 2, "dim1": 2})))
    #ttg.linear<{register = [], lane = [[0, 1], [1, 0]], warp = [], block = []}> on 2x2

    Raises `LayoutError` (SL203) for other inputs.
    """
    given, shape = dict(layout.ins), "x".join(str(d) for _, d in layout.outs)
    kind: str = "linear"
    names: tuple[str, ...] = REGISTERS
    if "offset" in given:
        kind, names = "shared_linear", ("offset", "block")
    if not given.keys() <= {*names}:
        message = f"{', '.join(given)} are not the inputs {', '.join(REGISTERS)}"
        raise LayoutError("SL203", message)
    fields = ", ".join(f"{n} = {_vectors(given.get(n, ()))}" for n in names)
    return f"#ttg.{kind}<{{{fields}}}> on {shape}"


def _vectors(vectors: tuple[Vector, ...]) -> str:
    return f"[{', '.join(str(list(v)) for v in vectors)}]"


def linear_text(layout: Linear) -> str:
    """A linear layout, of Triton's or not, by its vectors.

    >>> linear_text(Linear.of({"lane": [1, 2]}, {"dim0": 4}))
    'linear lane [[1],[2]] -> dim0 4'
    """
    return str(Linear.of(dict(layout.ins), dict(layout.outs)))
