"""The shape rules of opcodes that calculate: element types, transforms, factors, random numbers."""

from __future__ import annotations

from collections.abc import Callable

from symlayout.layouts.xla import Shape, TupleShape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo.broadcast.check import Demands
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.control import elements, operand
from symlayout.programs.hlo.parts import (
    CODE,
    Signature,
    arrays,
    count,
    demand,
    dimension,
    equal_sizes,
    integers,
    known_size,
    numbers,
    operand_arrays,
    result_of,
    results,
    same_shapes,
    same_sizes,
    same_type,
    signature_of,
    unread,
)

Rule = Callable[[Demands, Signature], None]
PARTS = {"c64": "f32", "c128": "f64"}
FLOATING = ("f", "bf")


def elementwise(least: int, kinds: str = "") -> Rule:
    """Operands and result have one element type and the same sizes.

    `kinds` are the types that the operation has a meaning for: "integral", "floating", or any.
    """

    def rule(d: Demands, s: Signature) -> None:
        for k, shape in enumerate(arrays(d, s, least, least)):
            if s.opcode == "abs" and shape.dtype in PARTS:
                good = result_of(s).dtype == PARTS[shape.dtype]
                demand(d, good, f"abs of {shape.dtype} is {PARTS[shape.dtype]}")
            else:
                same_type(d, shape, result_of(s), f"operand {k}", "the result")
            same_sizes(d, extents(shape), extents(result_of(s)), f"operand {k}", "the result")
            if kinds == "integral":
                good = is_integral(shape.dtype) or shape.dtype == "pred"
                demand(d, good, f"{s.opcode} is of integers, not {shape.dtype}")
            elif kinds == "floating":
                good = shape.dtype.startswith((*FLOATING, "c"))
                demand(d, good, f"{s.opcode} is of floating-point numbers, not {shape.dtype}")

    return rule


def sizes_only_rule(d: Demands, s: Signature) -> None:
    """Operands and result have the same sizes, of whatever types."""
    for k, shape in enumerate(arrays(d, s, 1)):
        same_sizes(d, extents(shape), extents(result_of(s)), f"operand {k}", "the result")


def finite_rule(d: Demands, s: Signature) -> None:
    """A pred for each number."""
    sizes_only_rule(d, s)
    demand(d, result_of(s).dtype == "pred", f"{s.opcode} gives pred, not {result_of(s).dtype}")


def part_rule(d: Demands, s: Signature) -> None:
    """The real or imaginary part: half the bits of a complex number."""
    sizes_only_rule(d, s)
    (shape,) = arrays(d, s, 1, 1)
    target = PARTS.get(shape.dtype, shape.dtype)
    demand(d, result_of(s).dtype == target, f"{s.opcode} of {shape.dtype} is {target}")


def complex_rule(d: Demands, s: Signature) -> None:
    """Two real numbers make a complex one."""
    for k, shape in enumerate(arrays(d, s, 2, 2)):
        same_sizes(d, extents(shape), extents(result_of(s)), f"operand {k}", "the result")
        target = PARTS.get(result_of(s).dtype)
        demand(d, shape.dtype == target, f"{result_of(s).dtype} is made of {target}")


def bitcast_convert_rule(d: Demands, s: Signature) -> None:
    """Equal bits: where the element types differ in size, a last dimension has the parts."""
    (shape,) = arrays(d, s, 1, 1)
    out = result_of(s)
    x, y = list(extents(shape)), list(extents(out))
    if "pred" in (shape.dtype, out.dtype) and shape.bits != out.bits:
        unread(s, "the bits of pred, dtype")
    if shape.bits > out.bits:
        x.append(Extent(shape.bits // out.bits))
    elif shape.bits < out.bits:
        y.append(Extent(out.bits // shape.bits))
    same_sizes(d, x, y, "the operand", "the result")


def constant_rule(d: Demands, s: Signature) -> None:
    """The literal has as many elements as the shape."""
    text = s.attributes.get("elements")
    total = 1
    for e in extents(s.result) if isinstance(s.result, Shape) else ():
        total *= known_size(e) or 0
    if text is not None:
        demand(d, int(text) == total, f"the literal has {text} elements, the shape {total}")


def map_rule(d: Demands, s: Signature) -> None:
    """Operands and result have the same sizes; the computation is of scalars."""
    sizes_only_rule(d, s)
    if (hits := signature_of(s, "to_apply")) is not None:
        parameters, root = hits
        demand(d, len(parameters) == len(s.operands), "to_apply takes an element of each operand")
        same_shapes(d, root, Shape(result_of(s).dtype, ()), "the root of to_apply", "an element")


def fft_rule(d: Demands, s: Signature) -> None:
    """A transform keeps the sizes; a real one has only the first half of its spectrum."""
    (shape,) = arrays(d, s, 1, 1)
    out, lengths = result_of(s), numbers(d, s, "fft_length")
    kind = s.attributes.get("fft_type", "FFT")
    if kind not in ("FFT", "IFFT", "RFFT", "IRFFT"):
        unread(s, "fft_type")
    demand(d, 1 <= len(lengths) <= 3, f"a transform has 1 to 3 dimensions, not {len(lengths)}")
    good = shape.rank == out.rank >= len(lengths)
    demand(d, good, "operand and result have one rank, at least that of the transform")
    real, spectrum = (shape, out) if kind == "RFFT" else (out, shape)
    half = kind in ("RFFT", "IRFFT")
    target = PARTS.get(spectrum.dtype)
    demand(d, target is not None, f"a spectrum is complex, not {spectrum.dtype}")
    if half:
        demand(d, real.dtype == target, f"{spectrum.dtype} is the spectrum of {target}")
    else:
        same_type(d, shape, out, "the operand", "the result")
    lead = shape.rank - len(lengths)
    for k, (x, y) in enumerate(zip(extents(real), extents(spectrum))):
        length = lengths[k - lead] if k >= lead else None
        if length is None:
            equal_sizes(d, x, y, f"dimension {k} of operand and result")
            continue
        equal_sizes(d, x, Extent(length), f"dimension {k} and its fft_length")
        last = half and k == shape.rank - 1
        short = (length // 2 + 1 if length else 0) if last else length
        equal_sizes(d, y, Extent(short), f"dimension {k} of the spectrum")


def square_rule(d: Demands, s: Signature) -> None:
    """Square matrices in the last two dimensions."""
    (shape,) = arrays(d, s, 1, 1)
    same_shapes(d, shape, result_of(s), "the operand", "the result")
    demand(d, shape.rank >= 2, f"{s.opcode} takes matrices, not {shape}")
    x = extents(shape)
    equal_sizes(d, x[-2], x[-1], "the last two dimensions")


def triangular_solve_rule(d: Demands, s: Signature) -> None:
    """The result is shaped as the right side, which fits the square matrices of operand 0."""
    a, b = arrays(d, s, 2, 2)
    same_shapes(d, b, result_of(s), "operand 1", "the result")
    same_type(d, a, b, "operand 0", "operand 1")
    demand(d, a.rank == b.rank >= 2, "both operands are matrices of one rank")
    x, y = extents(a), extents(b)
    equal_sizes(d, x[-2], x[-1], "the last two dimensions of operand 0")
    left = s.attributes.get("left_side") == "true"
    equal_sizes(d, x[-1], y[-2] if left else y[-1], "the size of operand 0 and of operand 1")
    same_sizes(d, x[:-2], y[:-2], "the batch of operand 0", "that of operand 1")


def batch_norm_rule(d: Demands, s: Signature) -> None:
    """The first result as the operand, the others one number for each feature."""
    shapes = operand_arrays(d, s, 3, 5)
    axis = count(s, "feature_index", 0)
    dimension(d, axis, shapes[0].rank, "feature_index")
    answers = results(s)
    same_shapes(d, shapes[0], answers[0], "operand 0", "the result")
    feature = extents(shapes[0])[axis]
    for k, shape in enumerate(shapes[1:]):
        if s.opcode == "batch-norm-grad" and k == 3:
            same_shapes(d, shapes[0], shape, "operand 0", "operand 4")
            continue
        same_sizes(d, [feature], extents(shape), "the features", f"operand {k + 1}")
    for k, result in enumerate(answers[1:]):
        same_shapes(d, shapes[1], result, "operand 1", f"element {k + 1} of the result")


def generator_rule(d: Demands, s: Signature) -> None:
    """The new state is shaped as the old one."""
    state = operand(d, s)
    if isinstance(s.result, TupleShape):
        shapes = elements(d, s.result, 2, "the result")
        same_shapes(d, state, shapes[0], "the state", "element 0 of the result")


def random_rule(d: Demands, s: Signature) -> None:
    """Two scalars are the distribution's parameters."""
    for k, shape in enumerate(arrays(d, s, 2, 2)):
        demand(d, shape.rank == 0, f"operand {k} of rng is a scalar, not {shape}")
        same_type(d, shape, result_of(s), f"operand {k}", "the result")


def dimension_size_rule(d: Demands, s: Signature) -> None:
    """The size of one dimension."""
    shape = arrays(d, s, 1, 1)[0]
    dimension(d, count(s, "dimensions", 0), shape.rank, "dimensions")
    same_shapes(d, s.result, Shape("s32", ()), "the result", "a size")


def set_size_rule(d: Demands, s: Signature) -> None:
    """The operand, with a size of one dimension that is known at run time."""
    shape, size = arrays(d, s, 2, 2)
    axis = count(s, "dimensions", 0)
    dimension(d, axis, shape.rank, "dimensions")
    same_shapes(d, size, Shape("s32", ()), "operand 1", "a size")
    same_type(d, shape, result_of(s), "operand 0", "the result")
    x, y = extents(shape), extents(result_of(s))
    demand(d, len(x) == len(y), "operand and result have one rank")
    for k, (a, b) in enumerate(zip(x, y)):
        if k != axis:
            equal_sizes(d, a, b, f"dimension {k} of the operand and of the result")
        elif b.dynamic and not (a.unbounded or b.unbounded):
            what = f"the bounds of dimension {k}"
            equal_sizes(d, Extent(a.bound), Extent(b.bound), what)


def top_k_rule(d: Demands, s: Signature) -> None:
    """The largest elements of the last dimension, and their places."""
    (shape,) = operand_arrays(d, s, 1, 1)
    shapes = elements(d, s.result, 2, "the result")
    demand(d, shape.rank >= 1, "topk takes an array with a dimension")
    arguments = integers(s, "k")
    for k, result in enumerate(shapes[:2]):
        if not isinstance(result, Shape):
            d.fail(CODE, f"element {k} of the result is no array")
        x, y = extents(shape), extents(result)
        same_sizes(
            d, [*x[:-1], Extent(arguments[0]) if arguments else y[-1]], y, "operand", "result"
        )
    first, second = shapes[:2]
    assert isinstance(first, Shape)
    assert isinstance(second, Shape)
    same_type(d, shape, first, "the operand", "element 0 of the result")
    demand(d, second.dtype == "s32", f"places are s32, not {second.dtype}")
