"""Triton: a function for kernels.  Its `//` and `%` round towards zero, as C's do."""

from __future__ import annotations

from symlayout.render.emit.clike import Language
from symlayout.render.emit.python import RESERVED
from symlayout.render.emit.pythonic import MASKS, source
from symlayout.render.emit.source import Source

# right whether `//` rounds towards zero (tensors) or down (constexpr)
_FLOOR = "def {name}(a, b):\n    q = a // b\n    r = a - q*b\n    "
TRITON = Language(
    "Triton",
    RESERVED | {"tl", "triton"},
    {
        "floor_div": _FLOOR.format(name="floor_div")
        + "return tl.where((r != 0) & ((r < 0) != (b < 0)), q - 1, q)",
        "floor_mod": _FLOOR.format(name="floor_mod")
        + "return tl.where((r != 0) & ((r < 0) != (b < 0)), r + b, r)",
        "ceil_div": _FLOOR.format(name="ceil_div")
        + "return tl.where((r != 0) & ((r < 0) == (b < 0)), q + 1, q)",
    },
    divide="//",
    where="tl.where({p} < {q}, {a}, {b})",
    least="tl.minimum({a}, {b})",
    greatest="tl.maximum({a}, {b})",
    conditions=MASKS,
)


def emit(s: Source) -> str:
    """`@triton.jit def name(variables, sizes)`."""
    head = ["import triton", "import triton.language as tl", ""]
    wide = "values may need 64 bits: give a coordinate or a size as tl.int64"
    return source(TRITON, s, head, "@triton.jit", wide)
