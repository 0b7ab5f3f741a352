"""What rows of `opcodes.toml` ask of functions, with messages: `adjoin(x, dimensions, out)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from symlayout.expr.facts import Relation
from symlayout.expr.terms import FloorDiv, Max, as_size, product
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.xla import Shape, TupleShape, read_shape
from symlayout.layouts.xla.dtypes import is_integral
from symlayout.programs.hlo import collectives, control, indices, slices, windows
from symlayout.programs.hlo.broadcast import plan
from symlayout.programs.hlo.broadcast.check import Check, is_one, same
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.fields import padding
from symlayout.programs.hlo.indices import list_of_sizes
from symlayout.programs.hlo.kinds import PARTS
from symlayout.programs.hlo.parts import CODE, Verifier
from symlayout.programs.hlo.unknown import ZERO, Image, named

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


# -- orders, parts, and several arrays in one -----------------------------------------------------


def in_dim(v: Verifier, shape: Shape, key: str, out: Shape) -> None:
    """Every dimension of the operand keeps its size in the one that it becomes."""
    dims = v.numbers(key) if key in v.attributes or shape.rank else ()
    result = plan(extents(shape), extents(out), dims, "hlo")
    v.checks += result.checks
    v.runtime += result.runtime


def starts(v: Verifier, shapes: Sequence[Shape], of: Shape) -> None:
    """A scalar for each dimension, or a vector of them all, says where the slice begins."""
    v.demand(all(is_integral(s.dtype) for s in shapes), "a slice begins at integers")
    for k, shape in enumerate(shapes[1:]):
        v.one_type(shapes[0], shape, "start 0", f"start {k + 1}")
    if len(shapes) == 1 and shapes[0].rank == 1:
        count = extents(shapes[0])[0]
        v.equal_sizes(count, Extent(of.rank), "the count of starts and of dimensions")
        return
    good = len(shapes) == of.rank and all(shape.rank == 0 for shape in shapes)
    v.demand(good, f"{len(shapes)} starts for {of.rank} dimensions, each a scalar")


def adjoin(v: Verifier, shapes: Sequence[Shape], key: str, out: Shape) -> None:
    """The sizes add up in one dimension."""
    axis = v.number(key)
    parts = [extents(shape)[axis] for shape in shapes]
    whole = extents(out)[axis]
    what = f"the sum of the operands' dimension {axis} and that of the result"
    total = sum((e.expr for e in parts), ZERO)
    if any(e.unbounded for e in (*parts, whole)):
        v.left_to_run_time(what, Relation("==", total, whole.expr))
        v.runtime.append(f"{what} must turn out equal")
    else:
        v.equal_sizes(Extent(as_size(total)), whole, what)


def padded(v: Verifier, shape: Shape, out: Shape) -> None:
    """Low, high and interior padding make the operand's sizes the result's."""
    v.demand("padding" in v.attributes or not shape.rank, "pad needs the attribute padding")
    entries = padding(v)
    good = len(entries) == shape.rank == out.rank
    v.demand(good, f"padding for {len(entries)} dimensions of a shape of {shape.rank}")
    for k, (entry, x, y) in enumerate(zip(entries, extents(shape), extents(out))):
        what = f"the padded dimension {k} and that of the result"
        image = partial(_padded, entry.margin, entry.between)
        if x.unbounded:
            _open_padding(v, x, y, image, what, entry.between)
            continue
        size = as_size(image(x.expr))
        if entry.margin < 0:
            v.at_least_0(CODE, f"padding of dimension {k} takes away more than there is", size)
        v.equal_sizes(Extent(size), y, what)


def _padded(margin: int, interior: int, size: Expr) -> Expr:
    """A size with what is put beside elements and between them."""
    return size + margin + (Max(size - 1, 0) * interior if interior else 0)


def _open_padding(
    v: Verifier,
    size: Extent,
    out: Extent,
    padded: Callable[[Expr], Expr],
    what: str,
    interior: int,
) -> None:
    """A `?` is padded: it must turn out to be the size that becomes the result's."""

    def defined(n: Expr) -> list[Check]:
        reach = (n - 1) * (interior + 1) + 1  # of elements, where there is one
        enough = Relation(">=", reach + padded(ZERO), ZERO)
        return [Check(CODE, what, (enough,))] if padded(ZERO).p < 0 else []

    def before(n: Expr, result: Expr) -> list[Check]:
        least = FloorDiv(Max(result - padded(ZERO) + interior, 0), Integer(interior + 1))
        needs = Relation("==", n, least), Relation("==", padded(least), result)
        return [Check(CODE, what, (r,)) for r in needs]

    v.runtime.append(f"{what}: {size} must turn out to be {out} when it is padded")
    v.later.append(Image(what, size, out, padded, before, defined))


# -- tuples and tokens ----------------------------------------------------------------------------


def element(v: Verifier, key: str) -> None:
    """One element of a tuple."""
    index, shape = v.number(key), v.operands[0]
    if not isinstance(shape, TupleShape):
        v.fail(CODE, f"{v.opcode} takes a tuple")
    v.demand(0 <= index < len(shape), f"index {index} of a tuple of {len(shape)}")
    v.one_shape(shape[index], v.result, f"element {index}", "the result")


def feeds(v: Verifier, key: str) -> None:
    """Data become a token; the shape of the data may be written again.

    Raises `LayoutError` (SL721) for another result, which parsers pass over.
    """
    if str(v.result) != "token[]":
        v.unread("the result, shape")
    text = v.attributes.get(key)
    if text is not None:
        v.one_shape(v.operands[0], named(read_shape(text)), "operand 0", key)


def compares(v: Verifier, key: str, shapes: Sequence[Shape]) -> None:
    """A computation compares two scalars of each operand."""
    if (hits := v.computation(key)) is None:
        return
    parameters, root = hits
    rule = f"{key} compares {len(parameters)} scalars of {len(shapes)} operands"
    v.demand(len(parameters) == 2 * len(shapes), rule)
    v.one_shape(root, Shape("pred", ()), f"the root of {key}", "what decides")
    for k, p in enumerate(parameters):
        scalar = Shape(shapes[k // 2].dtype, ())
        v.same_shapes(p, scalar, f"parameter {k} of {key}", f"an element of operand {k // 2}")


# -- transforms and sizes of run time -------------------------------------------------------------


def transforms(v: Verifier, kind_key: str, key: str, shape: Shape, out: Shape) -> None:
    """A transform keeps the sizes; a real one has only the first half of its spectrum."""
    lengths, kind = v.numbers(key), v.attributes.get(kind_key)
    v.demand(kind is not None, f"{v.opcode} needs the attribute {kind_key}")
    if kind not in ("FFT", "IFFT", "RFFT", "IRFFT"):
        v.unread(kind_key)
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


def sets_size(v: Verifier, key: str, shape: Shape, out: Shape) -> None:
    """A size of one dimension is known at run time."""
    k = v.number(key)
    a, b = extents(shape)[k], extents(out)[k]
    if b.dynamic and not (a.unbounded or b.unbounded):
        v.equal_sizes(Extent(a.bound), Extent(b.bound), f"the bounds of dimension {k}")
        return
    v.at_most(b, a, f"the size that is set and dimension {k}")
    if a != b and not b.unbounded:
        v.runtime.append(f"the size that is set in dimension {k} must turn out to be {b}")


def repeats(v: Verifier, key: str, shape: Shape, out: Shape) -> None:
    """Each dimension of the operand becomes one of the result, or is 1 and repeated."""
    dims = v.numbers(key)
    v.demand(len(dims) == shape.rank, f"{len(dims)} {key} for {shape.rank} of operand 0")
    for k, place in enumerate(dims):
        x, y = extents(shape)[k], extents(out)[place]
        what = f"dimension {k} of the operand and dimension {place} of the result"
        if x.unbounded or y.unbounded:
            v.runtime.append(f"{what}: {x} must turn out to be {y} or 1")
        else:
            v.one_of(CODE, what, x, y, same(x, y), is_one(x))


def listed(v: Verifier, sizes: Sequence[Shape], out: Shape) -> None:
    """The sizes are one list, or in HLO an operand for each dimension."""
    if len(sizes) == 1 and sizes[0].rank:
        list_of_sizes(v, sizes[0], out.rank, "the sizes")
        return
    v.demand(len(sizes) == out.rank, f"{len(sizes)} sizes for {out.rank} dimensions")
    for shape in sizes:
        v.demand(shape == Shape("s32", ()), f"a size is s32[], not {shape}")


FUNCTIONS: dict[str, Callable[..., None]] = {
    **collectives.FUNCTIONS,
    **control.FUNCTIONS,
    **indices.FUNCTIONS,
    **slices.FUNCTIONS,
    **windows.FUNCTIONS,
    "adjoin": adjoin,
    "compares": compares,
    "element": element,
    "feeds": feeds,
    "in_dim": in_dim,
    "listed": listed,
    "literal": literal,
    "maps": maps,
    "padded": padded,
    "repeats": repeats,
    "same_bits": same_bits,
    "sets_size": sets_size,
    "starts": starts,
    "transforms": transforms,
}
