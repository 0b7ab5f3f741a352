"""The shape rules of opcodes that calculate: element types, transforms, factors, random numbers."""

from __future__ import annotations

from collections.abc import Callable

from symlayout.expr.terms import product
from symlayout.layouts.xla import Shape, TupleShape
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import CODE, Verifier

Rule = Callable[[Verifier], None]
PARTS = {"c64": "f32", "c128": "f64"}
KINDS = {"p": "pred", "s": "signed", "u": "unsigned", "c": "complex"}


def of_kinds(v: Verifier, shape: Shape, kinds: str) -> None:
    """The elements are of one of these kinds: pred, signed, unsigned, floating, complex."""
    kind = KINDS.get(shape.dtype[0], "floating") if shape.dtype != "bf16" else "floating"
    rule = f"{v.opcode} is of {' or '.join(kinds.split())} numbers, not {shape.dtype}"
    v.demand(kind in kinds.split(), rule)


def elementwise(count: int, kinds: str) -> Rule:
    """Operands and result have one element type, of these kinds, and the same sizes."""

    def rule(v: Verifier) -> None:
        for k, shape in enumerate(v.arrays(count, count)):
            if v.opcode == "abs" and shape.dtype in PARTS:
                _half(v, shape)
            else:
                v.same_type(shape, v.out, f"operand {k}", "the result")
            v.same_sizes(shape, v.out, f"operand {k}", "the result")
            of_kinds(v, shape, kinds)

    return rule


def precision_rule(v: Verifier) -> None:
    """Floating-point numbers as with fewer bits: one for the exponent at least."""
    elementwise(1, "floating")(v)
    for key, least in (("exponent_bits", 1), ("mantissa_bits", 0)):
        bits = v.count(key, least)
        v.demand(bits >= least, f"{key} is at least {least}, not {bits}")


def _half(v: Verifier, shape: Shape) -> None:
    """The result has the parts of complex numbers; compilers may change their precision."""
    part = Shape(PARTS.get(shape.dtype, shape.dtype), ())
    v.same_type(part, v.out, f"{v.opcode} of {shape.dtype}", "the result")


def sizes_only(least: int, most: int | None = None) -> Rule:
    """So many operands and the result have the same sizes, of whatever types."""

    def rule(v: Verifier) -> None:
        for k, shape in enumerate(v.arrays(least, most)):
            v.same_sizes(shape, v.out, f"operand {k}", "the result")

    return rule


def finite_rule(v: Verifier) -> None:
    """A pred for each number."""
    sizes_only(1, 1)(v)
    of_kinds(v, v.arrays(1, 1)[0], "floating")
    v.demand(v.out.dtype == "pred", f"{v.opcode} gives pred, not {v.out.dtype}")


def part_rule(v: Verifier) -> None:
    """The real or imaginary part: half the bits of a complex number."""
    sizes_only(1, 1)(v)
    (shape,) = v.arrays(1, 1)
    of_kinds(v, shape, "floating complex")
    _half(v, shape)


def stochastic_rule(v: Verifier) -> None:
    """Floating-point numbers are rounded by random bits, as many as they have themselves."""
    shape, bits = v.arrays(2, 2)
    sizes_only(2, 2)(v)
    of_kinds(v, shape, "floating")
    good = bits.dtype[0] == "u" and bits.bits == shape.bits
    v.demand(good, f"the random bits of {shape.dtype} are u{shape.bits}, not {bits.dtype}")


def complex_rule(v: Verifier) -> None:
    """Two real numbers make a complex one."""
    for k, shape in enumerate(v.arrays(2, 2)):
        v.same_sizes(shape, v.out, f"operand {k}", "the result")
        target = PARTS.get(v.out.dtype)
        v.demand(shape.dtype == target, f"{v.out.dtype} is made of {target}")


def bitcast_convert_rule(v: Verifier) -> None:
    """Equal bits: where the element types differ in size, a last dimension has the parts."""
    (shape,) = v.arrays(1, 1)
    out = v.out
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


def constant_rule(v: Verifier) -> None:
    """The literal has as many elements as the shape."""
    v.demand(not v.operands and isinstance(v.result, Shape), "a literal is an array, of nothing")
    if "elements" not in v.attributes:
        v.unread("elements")
    sizes = extents(v.out)
    v.demand(not any(e.dynamic for e in sizes), "the sizes of a literal are known")
    total = Extent(product(e.bound for e in sizes))
    v.equal_sizes(Extent(v.number("elements")), total, "the elements of the literal and the shape")


def map_rule(v: Verifier) -> None:
    """Operands and result have the same sizes; the computation is of scalars."""
    sizes_only(1)(v)
    if (hits := v.computation("to_apply")) is not None:
        parameters, root = hits
        v.demand(len(parameters) == len(v.operands), "to_apply takes an element of each operand")
        v.same_shapes(root, Shape(v.out.dtype, ()), "the root of to_apply", "an element")
        for k, (p, shape) in enumerate(zip(parameters, v.arrays(1))):
            element = Shape(shape.dtype, ())
            v.same_shapes(p, element, f"parameter {k} of to_apply", f"an element of operand {k}")


def fft_rule(v: Verifier) -> None:
    """A transform keeps the sizes; a real one has only the first half of its spectrum."""
    (shape,) = v.arrays(1, 1)
    out, lengths = v.out, v.numbers("fft_length")
    kind = v.attributes.get("fft_type")
    v.demand(kind is not None, "fft needs the attribute fft_type")
    if kind not in ("FFT", "IFFT", "RFFT", "IRFFT"):
        v.unread("fft_type")
    v.demand(1 <= len(lengths) <= 3, f"a transform has 1 to 3 dimensions, not {len(lengths)}")
    good = shape.rank == out.rank >= len(lengths)
    v.demand(good, "operand and result have one rank, at least that of the transform")
    real, spectrum = (shape, out) if kind == "RFFT" else (out, shape)
    half = kind in ("RFFT", "IRFFT")
    target = PARTS.get(spectrum.dtype)
    v.demand(target is not None, f"a spectrum is complex, not {spectrum.dtype}")
    if half:
        v.demand(real.dtype == target, f"{spectrum.dtype} is the spectrum of {target}")
    else:
        v.same_type(shape, out, "the operand", "the result")
    lead = shape.rank - len(lengths)
    for k, (x, y) in enumerate(zip(extents(real), extents(spectrum))):
        if k < lead or not half:  # compilers do not look at the lengths of a complex transform
            v.equal_sizes(x, y, f"dimension {k} of operand and result")
            continue
        length = lengths[k - lead]
        v.equal_sizes(x, Extent(length), f"dimension {k} and its fft_length")
        if length == 0 and kind == "IRFFT" and k == shape.rank - 1:  # 0, and 0 // 2 + 1 too
            v.at_most(y, Extent(1), f"dimension {k} of the spectrum")
            continue
        short = length // 2 + 1 if length and k == shape.rank - 1 else length
        v.equal_sizes(y, Extent(short), f"dimension {k} of the spectrum")


def square_rule(v: Verifier) -> None:
    """Square matrices in the last two dimensions."""
    (shape,) = v.arrays(1, 1)
    v.same_shapes(shape, v.out, "the operand", "the result")
    of_kinds(v, shape, "floating complex")
    v.demand(shape.rank >= 2, f"{v.opcode} takes matrices, not {shape}")
    x = extents(shape)
    v.equal_sizes(x[-2], x[-1], "the last two dimensions")


def triangular_solve_rule(v: Verifier) -> None:
    """The result is shaped as the right side, which fits the square matrices of operand 0."""
    a, b = v.arrays(2, 2)
    v.same_shapes(b, v.out, "operand 1", "the result")
    v.one_type(a, b, "operand 0", "operand 1")
    of_kinds(v, a, "floating complex")
    v.demand(a.rank == b.rank >= 2, "both operands are matrices of one rank")
    x, y = extents(a), extents(b)
    v.equal_sizes(x[-2], x[-1], "the last two dimensions of operand 0")
    left = v.attributes.get("left_side") == "true"
    v.equal_sizes(x[-1], y[-2] if left else y[-1], "the size of operand 0 and of operand 1")
    v.same_sizes(x[:-2], y[:-2], "the batch of operand 0", "that of operand 1")


def batch_norm_rule(v: Verifier) -> None:
    """The first result as the operand, the others one number for each feature."""
    count = 3 if v.opcode == "batch-norm-training" else 5
    shapes = v.operand_arrays(count, count)
    axis = v.number("feature_index")
    v.dimension(axis, shapes[0].rank, "feature_index")
    of_kinds(v, shapes[0], "floating")
    answers = v.results
    many = 1 if v.opcode == "batch-norm-inference" else 3
    v.demand(len(answers) == many, f"{v.opcode} has {many} results, not {len(answers)}")
    v.same_shapes(shapes[0], answers[0], "operand 0", "the result")
    feature = extents(shapes[0])[axis]
    for k, shape in enumerate(shapes[1:]):
        v.same_type(shape, shapes[0], f"operand {k + 1}", "operand 0")
        if v.opcode == "batch-norm-grad" and k == 3:
            v.same_shapes(shapes[0], shape, "operand 0", "operand 4")
            continue
        v.same_sizes([feature], shape, "the features", f"operand {k + 1}")
    for k, result in enumerate(answers[1:]):
        v.same_shapes(shapes[1], result, "operand 1", f"element {k + 1} of the result")


def generator_rule(v: Verifier) -> None:
    """The new state is shaped as the old one."""
    state = v.operand()
    if isinstance(v.result, TupleShape):
        shapes = v.result_parts(2, 2)
        v.one_shape(state, shapes[0], "the state", "element 0 of the result")


def state_rule(v: Verifier) -> None:
    """The state of a device, of nothing."""
    v.operand_arrays(0, 0)
    v.one_shape(v.result, Shape("u64", (2,)), "the result", "a state")


def random_rule(v: Verifier) -> None:
    """Two scalars are the distribution's parameters."""
    kind = v.attributes.get("distribution", "rng_uniform")
    if kind not in ("rng_uniform", "rng_normal"):
        v.unread("distribution")
    low, high = v.arrays(2, 2)
    v.one_type(low, high, "operand 0", "operand 1")
    for k, shape in enumerate((low, high)):
        v.demand(shape.rank == 0, f"operand {k} of rng is a scalar, not {shape}")
        v.same_type(shape, v.out, f"operand {k}", "the result")
    of_kinds(v, low, "floating" if kind == "rng_normal" else "pred signed unsigned floating")


def dimension_size_rule(v: Verifier) -> None:
    """The size of one dimension."""
    shape = v.arrays(1, 1)[0]
    v.dimension(v.number("dimensions"), shape.rank, "dimensions")
    v.same_shapes(v.result, Shape("s32", ()), "the result", "a size")


def set_size_rule(v: Verifier) -> None:
    """The operand, with a size of one dimension that is known at run time."""
    shape, size = v.arrays(2, 2)
    axis = v.number("dimensions")
    v.dimension(axis, shape.rank, "dimensions")
    v.same_shapes(size, Shape("s32", ()), "operand 1", "a size")
    v.same_type(shape, v.out, "operand 0", "the result")
    x, y = extents(shape), extents(v.out)
    v.demand(len(x) == len(y), "operand and result have one rank")
    for k, (a, b) in enumerate(zip(x, y)):
        if k != axis:
            v.equal_sizes(a, b, f"dimension {k} of the operand and of the result")
        elif b.dynamic and not (a.unbounded or b.unbounded):
            what = f"the bounds of dimension {k}"
            v.equal_sizes(Extent(a.bound), Extent(b.bound), what)
        else:
            v.at_most(b, a, f"the size that is set and dimension {k}")
            if a != b and not b.unbounded:
                v.runtime.append(f"the size that is set in dimension {k} must turn out to be {b}")


def top_k_rule(v: Verifier) -> None:
    """The largest elements of the last dimension, and their places."""
    (shape,) = v.operand_arrays(1, 1)
    shapes = v.result_parts(2, 2)
    v.demand(shape.rank >= 1, "topk takes an array with a dimension")
    last = Extent(v.number("k"))
    v.at_most(Extent(0), last, "no elements and k")
    for k, result in enumerate(shapes):
        if not isinstance(result, Shape):
            v.fail(CODE, f"element {k} of the result is not an array")
        x, y = extents(shape), extents(result)
        v.at_most(last, x[-1], "k and the last dimension")
        v.same_sizes([*x[:-1], last], y, "operand", "result")
    first, second = shapes
    assert isinstance(first, Shape)
    assert isinstance(second, Shape)
    v.same_type(shape, first, "the operand", "element 0 of the result")
    v.demand(second.dtype == "s32", f"places are s32, not {second.dtype}")
