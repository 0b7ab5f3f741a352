"""The shape rules of opcodes that calculate: element types, transforms, factors, random numbers."""

from __future__ import annotations

from collections.abc import Callable

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
