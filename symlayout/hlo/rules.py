"""How the shape of an instruction follows from its operands: one rule for each opcode.

Only sizes and element types count here, not layouts.  Sizes may be symbolic: a rule leaves demands
(`Demands`), which hold, fail, or are a condition.  An opcode without a rule passes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from symlayout.broadcast.check import Broken, Demands
from symlayout.broadcast.extent import Extent, equal, extents
from symlayout.hlo.builder import BINARY, broadcast_rule, broadcasts, builder_rule
from symlayout.hlo.parts import (
    CODE,
    Signature,
    arrays,
    dimension,
    equal_sizes,
    numbers,
    result_of,
    same_shapes,
    same_sizes,
    same_type,
)
from symlayout.hlo.resizing import (
    concatenate_rule,
    dot_rule,
    dynamic_slice_rule,
    dynamic_update_slice_rule,
    pad_rule,
    reduce_rule,
    slice_rule,
)
from symlayout.terms import product
from symlayout.xla import AnyShape, TupleShape, read_shape

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
        (builder_rule if broadcasts(s) else RULES[s.opcode])(made, s)
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


def _call(d: Demands, s: Signature) -> None:
    """Operands and result are shaped as the called computation has its parameters and root."""
    text = s.attributes.get("called", "")
    given, arrow, result = text.partition("->")
    if not arrow:
        d.fail(CODE, f"{s.opcode} needs the attribute called=(parameters)->root")
    parameters = read_shape(given)
    root = read_shape(result)
    same_shapes(d, TupleShape(s.operands), parameters, "the operands", "the parameters called")
    same_shapes(d, s.result, root, "the result", "the root called")


UNARY = (
    "abs cbrt ceil copy cosine count-leading-zeros erf exponential exponential-minus-one floor log "
    "log-plus-one logistic negate not popcnt reduce-precision reverse round-nearest-afz "
    "round-nearest-even rsqrt sign sine sqrt tan tanh"
)
RULES: dict[str, Rule] = {
    **dict.fromkeys(UNARY.split(), _elementwise(1)),
    **dict.fromkeys(BINARY, _elementwise(2)),
    "broadcast": broadcast_rule,
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
    "slice": slice_rule,
    "pad": pad_rule,
    "concatenate": concatenate_rule,
    "reduce": reduce_rule,
    "dynamic-slice": dynamic_slice_rule,
    "dynamic-update-slice": dynamic_update_slice_rule,
    "dot": dot_rule,
    "iota": _iota,
    "tuple": _tuple,
    "get-tuple-element": _element,
    "copy-start": _copy_start,
    "copy-done": _copy_done,
    "while": _unchanged,
    "sort": _unchanged,
    "optimization-barrier": _unchanged,
    "fusion": _call,
    "call": _call,
}

# the attributes that a rule looks at: all that a claim about the instruction repeats
ATTRIBUTES = (
    "broadcast_dimensions",
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
    "called",
)
