"""What rows of `opcodes.toml` ask of functions, with messages: `adjoin(x, dimensions, out)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symlayout.expr.terms import product
from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.kinds import PARTS
from symlayout.programs.hlo.parts import Verifier

# -- element by element ---------------------------------------------------------------------------


def same_bits(v: Verifier, shape: Shape, out: Shape) -> None:
    """Equal bits: where the element types differ in size, a last dimension has the parts."""
    x, y = list(extents(shape)), list(extents(out))
    one = (shape.dtype in PARTS) == (out.dtype in PARTS)
    v.demand(one, f"the bits of {shape.dtype} are none of {out.dtype}: one is complex")
    if "pred" in (shape.dtype, out.dtype) and shape.bits != out.bits:
        v.unread("the bits of pred, dtype")
    if shape.bits > out.bits:
        x.append(Extent(shape.bits // out.bits))
    elif shape.bits < out.bits:
        y.append(Extent(out.bits // shape.bits))
    v.same_sizes(x, y, "the operand", "the result")


def literal(v: Verifier, key: str, out: Shape) -> None:
    """The literal has as many elements as the shape."""
    if key not in v.attributes:
        v.unread(key)
    sizes = extents(out)
    v.demand(not any(e.dynamic for e in sizes), "the sizes of a literal are known")
    total = Extent(product(e.bound for e in sizes))
    v.equal_sizes(Extent(v.number(key)), total, "the elements of the literal and the shape")


def maps(v: Verifier, key: str, shapes: Sequence[Shape], out: Shape) -> None:
    """A computation of scalars, one of each operand."""
    if (hits := v.computation(key)) is not None:
        parameters, root = hits
        v.demand(len(parameters) == len(shapes), f"{key} takes an element of each operand")
        v.same_shapes(root, Shape(out.dtype, ()), f"the root of {key}", "an element")
        for k, (p, shape) in enumerate(zip(parameters, shapes)):
            element = Shape(shape.dtype, ())
            v.same_shapes(p, element, f"parameter {k} of {key}", f"an element of operand {k}")


FUNCTIONS: dict[str, Callable[..., None]] = {
    "literal": literal,
    "maps": maps,
    "same_bits": same_bits,
}
