"""What each dialect demands of the element types that meet in a broadcast."""

from __future__ import annotations

from typing import Any

from symlayout.programs.hlo.broadcast.check import Check


def type_fault(a: Any, b: Any, dialect: str) -> Check | None:
    """The broken rule where the element types of two shapes do not go together, else None.

    StableHLO and the instruction `broadcast` copy elements, so operand and result have one type.
    XLA's other operations let the precision of floating-point types differ (mixed precision), and
    nothing else.  NumPy promotes.
    A shape without an element type (sizes alone, a CuTe layout) goes with every type.

    >>> type_fault("f32[3]", "f16[3]", "stablehlo").message
    'the element types of operand and result differ: f32 and f16'
    >>> type_fault("f32[3]", "f16[3]", "xla") is None
    True
    """
    x, y = element_type(a), element_type(b)
    if dialect == "numpy" or not (x and y) or x == y:
        return None
    if dialect == "xla" and kind(x) == kind(y):
        return None
    what = "the operands" if dialect == "xla" else "operand and result"
    return Check("SL717", f"the element types of {what} differ: {x} and {y}")


def element_type(shape: Any) -> str:
    """The element type that a shape or its text names; empty where it names none."""
    if isinstance(shape, str):
        from symlayout.layouts.notation import parse

        shape = parse(shape)
    hit = getattr(shape, "dtype", "")
    return hit if isinstance(hit, str) else ""


def kind(dtype: str) -> str:
    """The element type, all floating-point types alike: XLA mixes their precisions."""
    return "float" if dtype.startswith(("f", "bf")) else dtype
