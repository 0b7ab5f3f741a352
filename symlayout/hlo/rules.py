"""How the shape of an instruction follows from its operands: one rule for each opcode.

Only sizes and element types count here, not layouts.  Sizes may be symbolic: a rule leaves demands
(`Demands`), which hold, fail, or are a condition.  An opcode without a rule passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress

from sympy import sympify

from symlayout.broadcast.check import Broken, Demands
from symlayout.broadcast.extent import Extent, equal, extents
from symlayout.hlo.parts import (
    CODE,
    Signature,
    arrays,
    at_most,
    dimension,
    equal_sizes,
    numbers,
    result_of,
    same_shapes,
    same_sizes,
    same_type,
)
from symlayout.terms import Max, Size, as_size, ceildiv, product
from symlayout.xla import AnyShape, Shape, TupleShape

Rule = Callable[[Demands, Signature], None]


def has_rule(opcode: str) -> bool:
    """Whether the opcode's shape is checked."""
    return opcode in RULES


def demands_of(s: Signature) -> Demands:
    """What must hold of the sizes for the instruction's shape to follow from its operands.

    >>> from symlayout.xla import read_shape
    >>> made = demands_of(
    ...     Signature("negate", read_shape("f32[2,3]"), (read_shape("f32[2,4]"),), {})
    ... )
    >>> made.checks[0].message
    'dimension 1 of operand 0 and of the result: 4 and 3'
    """
    made = Demands()
    with suppress(Broken):
        RULES[s.opcode](made, s)
    return made


def _elementwise(least: int, most: int | None = None) -> Rule:
    """Operands and result have one element type and the same sizes."""

    def rule(d: Demands, s: Signature) -> None:
        for k, shape in enumerate(arrays(d, s, least, most or least)):
            if s.opcode != "abs" or shape.dtype[0] != "c":
                same_type(d, shape, result_of(s), f"operand {k}", "the result")
            same_sizes(d, extents(shape), extents(result_of(s)), f"operand {k}", "the result")

    return rule


def _sizes_only(d: Demands, s: Signature) -> None:
    """Operand and result have the same sizes, of whatever types."""
    (shape,) = arrays(d, s, 1, 1)
    same_sizes(d, extents(shape), extents(result_of(s)), "the operand", "the result")


def _compare(d: Demands, s: Signature) -> None:
    a, b = arrays(d, s, 2, 2)
    same_shapes(d, a, b, "operand 0", "operand 1")
    if result_of(s).dtype != "pred":
        d.fail(CODE, f"a comparison gives pred, not {result_of(s).dtype}")
    same_sizes(d, extents(a), extents(result_of(s)), "operand 0", "the result")


def _select(d: Demands, s: Signature) -> None:
    chosen, a, b = arrays(d, s, 3, 3)
    if chosen.dtype != "pred":
        d.fail(CODE, f"operand 0 of select is pred, not {chosen.dtype}")
    if chosen.rank:
        same_sizes(d, extents(chosen), extents(result_of(s)), "operand 0", "the result")
    same_shapes(d, a, result_of(s), "operand 1", "the result")
    same_shapes(d, b, result_of(s), "operand 2", "the result")


def _clamp(d: Demands, s: Signature) -> None:
    low, shape, high = arrays(d, s, 3, 3)
    same_shapes(d, shape, result_of(s), "operand 1", "the result")
    for k, bound in ((0, low), (2, high)):
        if bound.rank:
            same_shapes(d, bound, result_of(s), f"operand {k}", "the result")


def _transpose(d: Demands, s: Signature) -> None:
    (shape,) = arrays(d, s, 1, 1)
    same_type(d, shape, result_of(s), "the operand", "the result")
    perm = numbers(d, s, "dimensions")
    if sorted(perm) != list(range(shape.rank)):
        d.fail(CODE, f"dimensions {list(perm)} is no permutation of the {shape.rank} dimensions")
    given, out = extents(shape), extents(result_of(s))
    if len(out) != len(given):
        d.fail(CODE, f"the operand has {len(given)} dimensions and the result {len(out)}")
    for k, p in enumerate(perm):
        equal_sizes(
            d, given[p], out[k], f"dimension {p} of the operand and dimension {k} of the result"
        )


def _reshape(d: Demands, s: Signature) -> None:
    shape = arrays(d, s, 1, 2)[0]
    same_type(d, shape, result_of(s), "the operand", "the result")
    a, b = extents(shape), extents(result_of(s))
    if any(e.unbounded for e in (*a, *b)):
        d.runtime.append("the numbers of elements must turn out equal")
        return
    x, y = product(e.bound for e in a), product(e.bound for e in b)
    what = "the numbers of elements of operand and result"
    d.one_of(CODE, what, Extent(x), Extent(y), equal(x, y))


def _slice(d: Demands, s: Signature) -> None:
    (shape,) = arrays(d, s, 1, 1)
    same_type(d, shape, result_of(s), "the operand", "the result")
    windows = re.findall(r"\[([^\]]*)\]", s.attributes.get("slice", ""))
    if not len(windows) == shape.rank == result_of(s).rank:
        d.fail(CODE, f"{len(windows)} slices for {shape.rank} dimensions")
    for k, window in enumerate(windows):
        words = [w.strip() for w in window.split(":")]
        if len(words) not in (2, 3) or not all(w.isdigit() for w in words):
            d.fail(CODE, f"[{window}] is no slice: write [start:limit] or [start:limit:stride]")
        start, limit, stride = (*map(int, words), 1)[:3]
        if start > limit or stride < 1:
            d.fail(CODE, f"[{window}] has a start behind its limit, or a stride below 1")
        whole, out = extents(shape)[k], extents(result_of(s))[k]
        if not whole.unbounded:
            at_most(d, limit, whole.bound, f"the limit of the slice and dimension {k}")
        count = Extent(ceildiv(limit - start, stride))
        equal_sizes(d, count, out, f"the count of slice {k} and dimension {k} of the result")


def _pad(d: Demands, s: Signature) -> None:
    shape, value = arrays(d, s, 2, 2)
    same_type(d, shape, result_of(s), "operand 0", "the result")
    same_type(d, value, result_of(s), "operand 1", "the result")
    if value.rank:
        d.fail(CODE, f"the padding value is a scalar, not {value}")
    text = s.attributes.get("padding", "")
    entries = [tuple(w.split("_")) for w in text.split("x")] if text else []
    if not len(entries) == shape.rank == result_of(s).rank:
        d.fail(CODE, f"padding for {len(entries)} dimensions of a shape of {shape.rank}")
    for k, entry in enumerate(entries):
        if len(entry) not in (2, 3) or not all(re.fullmatch(r"-?\d+", w) for w in entry):
            d.fail(CODE, f"padding entry {k} is low_high or low_high_interior")
        low, high, interior = (*map(int, entry), 0)[:3]
        given, out = extents(shape)[k], extents(result_of(s))[k]
        if given.unbounded:
            continue
        size: Size = as_size(given.bound + low + high)
        if interior:
            size = as_size(size + Max(sympify(given.bound) - 1, 0) * interior)
        if isinstance(size, int) and size < 0:
            d.fail(CODE, f"padding of dimension {k} takes away more than there is")
        equal_sizes(d, Extent(size), out, f"the padded dimension {k} and that of the result")


def _concatenate(d: Demands, s: Signature) -> None:
    shapes = arrays(d, s, 1)
    out = result_of(s)
    (axis,) = numbers(d, s, "dimensions") or (0,)
    dimension(d, axis, out.rank, "dimensions")
    total: Size = 0
    for n, shape in enumerate(shapes):
        same_type(d, shape, out, f"operand {n}", "the result")
        if shape.rank != out.rank:
            d.fail(CODE, f"operand {n} has {shape.rank} dimensions and the result {out.rank}")
        for k, (x, y) in enumerate(zip(extents(shape), extents(out))):
            if k != axis:
                equal_sizes(d, x, y, f"dimension {k} of operand {n} and of the result")
            elif x.unbounded or y.unbounded:
                d.runtime.append(f"dimension {k} is known at run time")
                return
            else:
                total = as_size(total + x.bound)
    what = f"the sum of the operands' dimension {axis} and that of the result"
    equal_sizes(d, Extent(total), extents(out)[axis], what)


def _reduce(d: Demands, s: Signature) -> None:
    shapes = arrays(d, Signature(s.opcode, Shape("pred", ()), s.operands, {}), 2)
    results = list(s.result) if isinstance(s.result, TupleShape) else [s.result]
    if len(shapes) != 2 * len(results):
        d.fail(
            CODE, f"{len(shapes)} operands for {len(results)} results: each has an initial value"
        )
    gone = numbers(d, s, "dimensions")
    for n, result in enumerate(results):
        shape, start = shapes[n], shapes[len(results) + n]
        for k in gone:
            dimension(d, k, shape.rank, "dimensions")
        if start.rank:
            d.fail(CODE, f"the initial value of operand {n} is a scalar, not {start}")
        left = [e for k, e in enumerate(extents(shape)) if k not in gone]
        if isinstance(result, Shape):
            same_sizes(d, left, extents(result), f"what is left of operand {n}", "the result")


def _dynamic_slice(d: Demands, s: Signature) -> None:
    shape = arrays(d, s, 1)[0]
    same_type(d, shape, result_of(s), "operand 0", "the result")
    sizes = numbers(d, s, "dynamic_slice_sizes")
    if not len(sizes) == shape.rank == result_of(s).rank:
        d.fail(CODE, f"{len(sizes)} dynamic_slice_sizes for {shape.rank} dimensions")
    for k, size in enumerate(sizes):
        equal_sizes(d, Extent(size), extents(result_of(s))[k], f"slice size {k} and the result's")
        whole = extents(shape)[k]
        if not whole.unbounded:
            at_most(d, size, whole.bound, f"slice size {k} and dimension {k} of operand 0")


def _dynamic_update_slice(d: Demands, s: Signature) -> None:
    shapes = arrays(d, s, 2)
    same_shapes(d, shapes[0], result_of(s), "operand 0", "the result")
    same_type(d, shapes[1], shapes[0], "operand 1", "operand 0")
    if shapes[1].rank != shapes[0].rank:
        d.fail(CODE, f"the update has {shapes[1].rank} dimensions, operand 0 {shapes[0].rank}")
    for k, (x, y) in enumerate(zip(extents(shapes[1]), extents(shapes[0]))):
        if not (x.unbounded or y.unbounded):
            at_most(d, x.bound, y.bound, f"dimension {k} of the update and of operand 0")


def _dot(d: Demands, s: Signature) -> None:
    a, b = arrays(d, s, 2, 2)
    x, y = extents(a), extents(b)
    (xb, xc), (yb, yc) = (_dot_dims(d, s, "lhs", a.rank), _dot_dims(d, s, "rhs", b.rank))
    for what, p, q in (("batch", xb, yb), ("contracting", xc, yc)):
        if len(p) != len(q):
            d.fail(CODE, f"{len(p)} {what} dimensions on the left and {len(q)} on the right")
        for i, j in zip(p, q):
            equal_sizes(d, x[i], y[j], f"{what} dimensions {i} on the left and {j} on the right")
    free = [x[i] for i in xb] + [e for i, e in enumerate(x) if i not in (*xb, *xc)]
    free += [e for j, e in enumerate(y) if j not in (*yb, *yc)]
    same_sizes(d, free, extents(result_of(s)), "the product", "the result")


def _dot_dims(
    d: Demands, s: Signature, side: str, rank: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The batch and the contracting dimensions of one side."""
    made = []
    for kind in ("batch", "contracting"):
        key = f"{side}_{kind}_dims"
        dims = numbers(d, s, key) if key in s.attributes else ()
        for k in dims:
            dimension(d, k, rank, key)
        made.append(dims)
    return made[0], made[1]


def _bitcast_convert(d: Demands, s: Signature) -> None:
    (shape,) = arrays(d, s, 1, 1)
    if shape.bits == result_of(s).bits:
        _sizes_only(d, s)


def _iota(d: Demands, s: Signature) -> None:
    arrays(d, s, 0, 0)
    for k in numbers(d, s, "iota_dimension") if "iota_dimension" in s.attributes else ():
        dimension(d, k, result_of(s).rank, "iota_dimension")


def _tuple(d: Demands, s: Signature) -> None:
    same_shapes(d, TupleShape(s.operands), s.result, "the operands", "the result")


def _element(d: Demands, s: Signature) -> None:
    (index,) = numbers(d, s, "index") or (0,)
    if len(s.operands) != 1 or not isinstance(s.operands[0], TupleShape):
        d.fail(CODE, "get-tuple-element takes a tuple")
    if not 0 <= index < len(s.operands[0]):
        d.fail(CODE, f"index {index} of a tuple of {len(s.operands[0])}")
    same_shapes(d, s.operands[0][index], s.result, f"element {index}", "the result")


def _copy_start(d: Demands, s: Signature) -> None:
    if not isinstance(s.result, TupleShape) or len(s.result) < 2 or len(s.operands) != 1:
        d.fail(CODE, "copy-start takes an array and gives a tuple: the copy, the array, a context")
    for k in range(2):
        same_shapes(d, s.operands[0], s.result[k], "the operand", f"element {k} of the result")


def _copy_done(d: Demands, s: Signature) -> None:
    if len(s.operands) != 1 or not isinstance(s.operands[0], TupleShape):
        d.fail(CODE, "copy-done takes what copy-start gives")
    same_shapes(d, s.operands[0][0], s.result, "element 0 of the operand", "the result")


def _unchanged(d: Demands, s: Signature) -> None:
    """The result is shaped as the operands are, one by one where there are several."""
    given: AnyShape = s.operands[0] if len(s.operands) == 1 else TupleShape(s.operands)
    same_shapes(d, given, s.result, "the operand", "the result")


UNARY = (
    "abs cbrt ceil copy cosine count-leading-zeros erf exponential exponential-minus-one floor log "
    "log-plus-one logistic negate not popcnt reduce-precision reverse round-nearest-afz "
    "round-nearest-even rsqrt sign sine sqrt tan tanh"
)
BINARY = (
    "add and atan2 divide maximum minimum multiply or power remainder shift-left "
    "shift-right-arithmetic shift-right-logical subtract xor"
)
RULES: dict[str, Rule] = {
    **dict.fromkeys(UNARY.split(), _elementwise(1)),
    **dict.fromkeys(BINARY.split(), _elementwise(2)),
    "convert": _sizes_only,
    "is-finite": _sizes_only,
    "real": _sizes_only,
    "imag": _sizes_only,
    "bitcast-convert": _bitcast_convert,
    "compare": _compare,
    "select": _select,
    "clamp": _clamp,
    "transpose": _transpose,
    "reshape": _reshape,
    "slice": _slice,
    "pad": _pad,
    "concatenate": _concatenate,
    "reduce": _reduce,
    "dynamic-slice": _dynamic_slice,
    "dynamic-update-slice": _dynamic_update_slice,
    "dot": _dot,
    "iota": _iota,
    "tuple": _tuple,
    "get-tuple-element": _element,
    "copy-start": _copy_start,
    "copy-done": _copy_done,
    "while": _unchanged,
    "sort": _unchanged,
    "optimization-barrier": _unchanged,
}

# the attributes that a rule looks at: all that a claim about the instruction repeats
ATTRIBUTES = (
    "dimensions",
    "slice",
    "padding",
    "index",
    "iota_dimension",
    "dynamic_slice_sizes",
    "lhs_batch_dims",
    "lhs_contracting_dims",
    "rhs_batch_dims",
    "rhs_contracting_dims",
)
