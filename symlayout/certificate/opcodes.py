"""What instructions demand of sizes: the checker's own rules, one for each opcode.

Each demand is a goal, as in `shaping.py`; the texts alone are read with the modules' reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product as each_of
from math import prod
from typing import Any, NamedTuple

from symlayout.certificate.definitions import Map, at_least, bits_of, product
from symlayout.certificate.devices import with_more
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.operations import same_shapes, sizes_list
from symlayout.certificate.shaping import (
    BROADCASTS,
    Array,
    Broken,
    Extent,
    Rules,
    array,
    equality,
    is_one,
    same,
)
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import CeilDiv, Max, value
from symlayout.expr.tree import Integer
from symlayout.layouts.xla import read_shape
from symlayout.programs.hlo.reader import read_instruction

MOST_PLACES = 50_000  # elements whose places are looked at one by one


class Call(NamedTuple):
    """An instruction: what comes out, what goes in, its attributes as text."""

    opcode: str
    out: Any
    given: tuple[Any, ...]
    attributes: dict[str, str]

    def numbers(self, r: Rules, key: str) -> list[int]:
        """The integers of an attribute such as `dimensions={1,0}`."""
        r.need(re.fullmatch(r"\{?\s*(-?\d+(\s*,\s*-?\d+)*)?\s*\}?", self.at(r, key)) is not None)
        return [int(w) for w in re.findall(r"-?\d+", self.attributes[key])]

    def at(self, r: Rules, key: str) -> str:
        """An attribute that there must be."""
        r.need(key in self.attributes)
        return self.attributes[key]

    def arrays(self, r: Rules, least: int, most: int | None = None) -> list[Array]:
        """The operands, which are arrays."""
        r.need(least <= len(self.given) <= (least if most is None else most))
        r.need(all(hasattr(s, "dims") for s in self.given))
        return [array(s) for s in self.given]

    def result(self, r: Rules) -> Array:
        """The result, which is an array."""
        r.need(hasattr(self.out, "dims"))
        return array(self.out)


def instruction_goals(text: str) -> list[list[Relation]]:
    """What must hold of the sizes for the instruction's shape to follow from its operands.

    >>> made = instruction_goals("f32[3,N] transpose(f32[M,3]), dimensions={1,0}")
    >>> [str(r) for goal in made for r in goal]
    ['N >= 0', 'M >= 0', 'M == N']

    Raises `LayoutError` for an opcode that has no rule here.
    """
    instruction = read_instruction(text)
    shapes = tuple(o.shape for o in instruction.operands if o.shape is not None)
    if instruction.opcode not in RULES or len(shapes) != len(instruction.operands):
        raise LayoutError("SL723", f"the checker has no rule for {instruction.opcode}")
    bare = re.match(r"\s*[A-Za-z][\w\-]*\(", text) is not None  # no result is written
    out = None if bare else instruction.shape
    call, r = Call(instruction.opcode, out, shapes, dict(instruction.attributes)), Rules()
    r.natural(*parts(call.out), *[a for s in shapes for a in parts(s)])
    builder = bare or "broadcast_dimensions" in call.attributes
    rule = _builder if builder else RULES[instruction.opcode]
    try:
        with suppress(Broken):
            rule(r, call)
    except (AttributeError, LookupError, TypeError, ValueError):  # a tuple for an array, two axes
        message = f"the checker's rule for {instruction.opcode} does not read this one"
        raise LayoutError("SL723", message) from None
    return r.goals


def parts(shape: Any) -> list[Array]:
    """The arrays in a shape."""
    if shape is None:
        return []
    if hasattr(shape, "dims"):
        return [array(shape)]
    return [a for s in shape for a in parts(s)] if hasattr(shape, "__len__") else []


def _elementwise(count: int, typed: bool = True) -> Callable[[Rules, Call], None]:
    def rule(r: Rules, c: Call) -> None:
        out = c.result(r)
        for a in c.arrays(r, count):
            if typed and not (c.opcode == "abs" and a.dtype[:1] == "c"):
                r.same_type(a, out)
            r.same_sizes(a.dims, out.dims)

    return rule


def _builder(r: Rules, c: Call) -> None:
    """An operation of two operands that broadcasts them by itself; a result, where one is written."""
    r.need(c.opcode in (*TWO_OPERANDS.split(), "compare"))
    a, b = c.arrays(r, 2)
    key = "broadcast_dimensions"
    dims = c.numbers(r, key) if key in c.attributes else []
    r.same_type(a, b)
    BROADCASTS["xla"](r, a.dims, b.dims, dims)
    if c.out is None:
        return
    out, (small, large) = c.result(r), sorted((a.dims, b.dims), key=len)
    r.need(out.dtype == "pred" if c.opcode == "compare" else True)
    if c.opcode != "compare":
        r.same_type(a, out)
    r.need(len(out.dims) == len(large))
    places = dims if len(small) < len(large) else range(len(large))
    at = dict(zip(places, small))
    for k, (y, o) in enumerate(zip(large, out.dims)):
        x = at.get(k, y)
        if None not in (x.size, y.size, o.size):  # what is not 1 is the result's, else it is 1
            r.one_of(is_one(x), same(x, o))
            r.one_of(is_one(y), same(y, o))
            r.one_of(same(x, o), same(y, o))


def _broadcast(r: Rules, c: Call) -> None:
    (a,), out = c.arrays(r, 1), c.result(r)
    r.same_type(a, out)
    given = "dimensions" in c.attributes or bool(a.dims)
    BROADCASTS["hlo"](r, a.dims, out.dims, c.numbers(r, "dimensions") if given else [])


def _compare(r: Rules, c: Call) -> None:
    a, b = c.arrays(r, 2)
    r.alike(a, b)
    r.need(c.result(r).dtype == "pred")
    r.same_sizes(a.dims, c.result(r).dims)


def _select(r: Rules, c: Call) -> None:
    (which, a, b), out = c.arrays(r, 3), c.result(r)
    r.need(which.dtype == "pred")
    if which.dims:
        r.same_sizes(which.dims, out.dims)
    r.alike(a, out)
    r.alike(b, out)


def _clamp(r: Rules, c: Call) -> None:
    (low, a, high), out = c.arrays(r, 3), c.result(r)
    r.alike(a, out)
    for bound in (low, high):
        r.same_type(bound, out)
        if bound.dims:
            r.same_sizes(bound.dims, out.dims)


def _transpose(r: Rules, c: Call) -> None:
    (a,), out, order = c.arrays(r, 1), c.result(r), c.numbers(r, "dimensions")
    r.same_type(a, out)
    r.need(sorted(order) == list(range(len(a.dims))))
    r.same_sizes([a.dims[k] for k in order], out.dims)


def _reshape(r: Rules, c: Call) -> None:
    (a,), out = c.arrays(r, 1), c.result(r)
    r.same_type(a, out)
    sizes = [[e.size for e in x.dims if e.size is not None] for x in (a, out)]
    if [len(s) for s in sizes] == [len(a.dims), len(out.dims)]:
        r.one_of(equality(product(sizes[0]), product(sizes[1])))


def _dynamic_reshape(r: Rules, c: Call) -> None:
    """The sizes are given as one list, or one by one."""
    sizes = c.arrays(r, 1, 1000)[1:]
    if len(sizes) == 1 and sizes[0].dims:
        sizes_list(r, sizes[0], len(c.result(r).dims))
    else:
        r.need(len(sizes) == len(c.result(r).dims))
        r.need(all(re.match(r"[su]\d", e.dtype) and not e.dims for e in sizes))
    _reshape(r, c._replace(given=c.given[:1]))


def _bitcast(r: Rules, c: Call) -> None:
    """Each element of the result lies where the operand has one, in a buffer of the same bytes.

    Where both have one formula of the offset, the operand has an element at the same coordinates.
    """
    c.arrays(r, 1)
    c.result(r)
    a, b = layout_map(str(c.given[0])), layout_map(str(c.out))
    sizes = [*a.shape, *b.shape, a.size, b.size]
    if not all(d.is_Integer for d in sizes) or a.demands or b.demands or None in (a.bits, b.bits):
        raise LayoutError("SL723", "the checker has no rule for a bitcast of sizes")
    r.need(a.bits == b.bits)
    r.one_of(equality(CeilDiv(a.size * a.bits, 8), CeilDiv(b.size * b.bits, 8)))
    within = len(a.shape) == len(b.shape) and all(x >= y for x, y in zip(a.shape, b.shape))
    if within and b.at(a.coords) == a.raw:
        return
    r.need(set(offsets(b)) <= set(offsets(a)))


def offsets(m: Map) -> Iterator[int]:
    """The offset of each element; raises `LayoutError` where there are too many."""
    sides = [range(int(str(d))) for d in m.shape]
    if prod(map(len, sides)) > MOST_PLACES:
        raise LayoutError("SL800", f"there are more than {MOST_PLACES} elements to look at")
    for place in each_of(*sides):
        yield value(m.raw, {c.name: k for c, k in zip(m.coords, place)})


def _slice(r: Rules, c: Call) -> None:
    (a,), out = c.arrays(r, 1), c.result(r)
    r.same_type(a, out)
    windows = re.findall(r"\[\s*(\d+)\s*:\s*(\d+)\s*(?::\s*(\d+)\s*)?\]", c.at(r, "slice"))
    r.need(c.attributes["slice"].count("[") == len(windows) == len(a.dims) == len(out.dims))
    for (first, last, step), e, o in zip(windows, a.dims, out.dims):
        start, limit, stride = int(first), int(last), int(step or 1)
        r.need(start <= limit and stride >= 1)
        if e.size is not None:
            r.goals += [[x] for x in at_least(limit, e.size)]
        r.equal(Extent(CeilDiv(Integer(limit - start), Integer(stride))), o)


def _pad(r: Rules, c: Call) -> None:
    (a, value), out = c.arrays(r, 2), c.result(r)
    r.same_type(a, out)
    r.same_type(value, out)
    text = c.attributes.get("padding", "").strip()
    entries = text.split("x") if text else []
    r.need(not value.dims and len(entries) == len(a.dims) == len(out.dims))
    for entry, e, o in zip(entries, a.dims, out.dims):
        r.need(re.fullmatch(r"-?\d+_-?\d+(_\d+)?", entry) is not None)
        low, high, between = [*map(int, entry.split("_")), 0][:3]
        if e.size is not None:
            size = e.size + low + high + Max(e.size - 1, 0) * between
            r.goals += [[x] for x in at_least(0, size)] if low + high < 0 else []
            r.equal(Extent(size), o)


def _concatenate(r: Rules, c: Call) -> None:
    many, out, axes = c.arrays(r, 1, 1000), c.result(r), c.numbers(r, "dimensions")
    r.need(len(axes) == 1 and 0 <= axes[0] < len(out.dims))
    (axis,) = axes
    for a in many:
        r.same_type(a, out)
        r.need(len(a.dims) == len(out.dims))
        for k, (x, y) in enumerate(zip(a.dims, out.dims)):
            if k != axis:
                r.equal(x, y)
    sizes = [a.dims[axis].size for a in many]
    known = [s for s in sizes if s is not None]
    if len(known) == len(sizes):
        r.equal(Extent(sum(known, Integer(0))), out.dims[axis])


def _reduce(r: Rules, c: Call) -> None:
    results = [c.out] if hasattr(c.out, "dims") else list(c.out)
    many, gone = c.arrays(r, 2 * len(results)), c.numbers(r, "dimensions")
    for n, result in enumerate(results):
        a, start = many[n], many[len(results) + n]
        r.need(hasattr(result, "dims") and all(0 <= k < len(a.dims) for k in gone))
        out = array(result)
        r.need(not start.dims)
        r.same_type(start, out)
        whole = re.match(r"([su])\d", a.dtype)
        if not (whole and out.dtype[0] == whole[1] and bits_of(a.dtype) <= bits_of(out.dtype)):
            r.same_type(a, out)
        r.same_sizes([e for k, e in enumerate(a.dims) if k not in gone], out.dims)


def _dynamic_slice(r: Rules, c: Call) -> None:
    a, out = c.arrays(r, 1, 1000)[0], c.result(r)
    r.same_type(a, out)
    sizes = c.numbers(r, "dynamic_slice_sizes")
    r.need(len(sizes) == len(a.dims) == len(out.dims))
    for size, e, o in zip(sizes, a.dims, out.dims):
        r.equal(Extent(Integer(size)), o)
        if e.size is not None:
            r.goals += [[x] for x in at_least(size, e.size)]


def _dynamic_update_slice(r: Rules, c: Call) -> None:
    a, update = c.arrays(r, 2, 1000)[:2]
    r.alike(a, c.result(r))
    r.same_type(update, a)
    r.need(len(update.dims) == len(a.dims))
    for x, y in zip(update.dims, a.dims):
        if x.size is not None and y.size is not None:
            r.goals += [[g] for g in at_least(x.size, y.size)]


def _dot(r: Rules, c: Call) -> None:
    both, out = c.arrays(r, 2), c.result(r)
    taken = []
    for side, a in zip(("lhs", "rhs"), both):
        keys = (f"{side}_batch_dims", f"{side}_contracting_dims")
        batch, inner = (c.numbers(r, k) if k in c.attributes else [] for k in keys)
        r.need(all(0 <= d < len(a.dims) for d in batch + inner))
        taken.append((batch, inner))
    (a, b), ((ab, ac), (bb, bc)) = both, taken
    for p, q in ((ab, bb), (ac, bc)):
        r.same_sizes([a.dims[k] for k in p], [b.dims[k] for k in q])
    results = [a.dims[k] for k in ab]
    results += [e for k, e in enumerate(a.dims) if k not in ab + ac]
    results += [e for k, e in enumerate(b.dims) if k not in bb + bc]
    r.same_sizes(results, out.dims)


def _iota(r: Rules, c: Call) -> None:
    c.arrays(r, 0)
    if "iota_dimension" in c.attributes:
        r.need(all(0 <= k < len(c.result(r).dims) for k in c.numbers(r, "iota_dimension")))


def _tuple(r: Rules, c: Call) -> None:
    same_shapes(r, c.given, c.out)


def _element(r: Rules, c: Call) -> None:
    r.need(len(c.given) == 1 and hasattr(c.given[0], "__len__"))
    (k,) = c.numbers(r, "index") or (-1,)
    r.need(0 <= k < len(c.given[0]))
    same_shapes(r, c.given[0][k], c.out)


def _copy_start(r: Rules, c: Call) -> None:
    r.need(len(c.given) == 1 and hasattr(c.out, "__len__") and len(c.out) >= 2)
    for k in range(2):
        same_shapes(r, c.given[0], c.out[k])


def _copy_done(r: Rules, c: Call) -> None:
    r.need(len(c.given) == 1 and hasattr(c.given[0], "__len__") and len(c.given[0]) >= 1)
    same_shapes(r, c.given[0][0], c.out)


def _callee(r: Rules, c: Call) -> None:
    text, arrow, root = c.at(r, "called").partition("->")
    r.need(bool(arrow))
    same_shapes(r, c.given, read_shape(text))
    same_shapes(r, c.out, read_shape(root))


def _identity(r: Rules, c: Call) -> None:
    same_shapes(r, c.given[0] if len(c.given) == 1 else c.given, c.out)


ONE_OPERAND = (
    "abs acos acosh asin asinh atanh cbrt ceil clz cosh cosine count-leading-zeros erf "
    "exponential exponential-minus-one floor log log-plus-one logistic negate not popcnt "
    "reduce-precision reverse round-nearest-afz round-nearest-even rsqrt sign sine sinh sqrt tan tanh"
)
TWO_OPERANDS = (
    "add and atan2 divide maximum minimum mulhi multiply or power remainder shift-left "
    "shift-right-arithmetic shift-right-logical subtract xor"
)
BASIC: dict[str, Callable[[Rules, Call], None]] = {
    **dict.fromkeys(ONE_OPERAND.split(), _elementwise(1)),
    **dict.fromkeys(TWO_OPERANDS.split(), _elementwise(2)),
    "convert": _elementwise(1, typed=False),
    "bitcast": _bitcast,
    "broadcast": _broadcast,
    "compare": _compare,
    "select": _select,
    "clamp": _clamp,
    "transpose": _transpose,
    "reshape": _reshape,
    "dynamic-reshape": _dynamic_reshape,
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
    "fusion": _callee,
    "call": _callee,
    "while": _identity,
    "sort": _identity,
    "optimization-barrier": _identity,
}
RULES = with_more(BASIC)
