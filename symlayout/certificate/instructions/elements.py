"""The checker's rules of what is calculated element by element, and of element types."""

from __future__ import annotations

from symlayout.certificate.definitions import bits_of, product
from symlayout.certificate.instructions.call import (
    MANY,
    Call,
    Rule,
    array_of,
    called,
    fixed,
    is_kind,
    known,
    of_kinds,
    scalar,
    unknown,
)
from symlayout.certificate.shaping import BROADCASTS, Array, Rules, equality, is_one, same
from symlayout.expr.tree import Integer

PARTS = {"c64": "f32", "c128": "f64"}
WIDER = {half: wide for wide, half in PARTS.items()}
ANY = "pred signed unsigned floating complex"
NUMBERS = "signed unsigned floating complex"
REAL_OR_COMPLEX = "floating complex"
# what has a meaning for which types: opcodes of one operand, and of two
ONE_OPERAND = {
    "ceil erf floor reduce-precision round-nearest-afz round-nearest-even": "floating",
    "acos acosh asin asinh atanh cbrt cosh cosine exponential exponential-minus-one log "
    "log-plus-one logistic rsqrt sine sinh sqrt tan tanh": REAL_OR_COMPLEX,
    "abs sign": "signed floating complex",
    "negate": NUMBERS,
    "clz count-leading-zeros popcnt": "signed unsigned",
    "not": "pred signed unsigned",
}
TWO_OPERANDS = {
    "add maximum minimum multiply": ANY,
    "divide power remainder subtract": NUMBERS,
    "atan2": REAL_OR_COMPLEX,
    "and or xor": "pred signed unsigned",
    "mulhi shift-left shift-right-arithmetic shift-right-logical": "signed unsigned",
}
# what builders broadcast by themselves
BUILT = {w for words in TWO_OPERANDS for w in words.split()} - {"mulhi"} | {"compare"}


def elementwise(count: int, kinds: str) -> Rule:
    """Operands and the result have one type, of these kinds, and the same sizes."""

    def rule(r: Rules, c: Call) -> None:
        out = c.result(r)
        for a in c.arrays(r, count):
            of_kinds(r, kinds, a)
            _half(r, a, out) if c.opcode == "abs" else r.same_type(a, out)
            r.same_sizes(a.dims, out.dims)
        if c.opcode == "reduce-precision":
            bits = [c.number_or(r, f"{word}_bits", 1) for word in ("exponent", "mantissa")]
            r.need(bits[0] >= 1 and bits[1] >= 0)

    return rule


def _half(r: Rules, a: Array, out: Array) -> None:
    """The type of a complex number's parts, or that of any other number itself."""
    r.same_type(scalar(PARTS.get(a.dtype, a.dtype)), out)


def builder(r: Rules, c: Call) -> None:
    """An operation of two operands that broadcasts them by itself; a result, where one is written."""
    r.need(c.opcode in BUILT)
    a, b = c.arrays(r, 2)
    dims = c.integers(r, "broadcast_dimensions")
    r.same_type(a, b)
    BROADCASTS["xla"](r, a.dims, b.dims, dims)
    if c.out is None:
        return
    out, (small, large) = c.result(r), sorted((a.dims, b.dims), key=len)
    if c.opcode == "compare":
        r.need(out.dtype == "pred")
    else:
        r.same_type(a, out)
    r.need(len(out.dims) == len(large))
    places = dims if len(small) < len(large) else range(len(large))
    at = dict(zip(places, small))
    for k, (y, o) in enumerate(zip(large, out.dims)):
        x = at.get(k, y)
        if o.size is None:
            continue  # it is what comes out
        known = [e for e in (x, y) if e.size is not None]  # what is not 1 is the result's
        for e in known:
            r.one_of(is_one(e), same(e, o))
        if len(known) == 2:  # else the other one may be
            r.one_of(same(x, o), same(y, o))


def compare(r: Rules, c: Call) -> None:
    """A pred for each pair."""
    a, b = c.arrays(r, 2)
    r.alike(a, b)
    r.need(c.result(r).dtype == "pred")
    r.same_sizes(a.dims, c.result(r).dims)


def select(r: Rules, c: Call) -> None:
    """One of two, by a pred for each element or for all."""
    (which, a, b), out = c.arrays(r, 3), c.result(r)
    r.need(which.dtype == "pred")
    if which.dims:
        r.same_sizes(which.dims, out.dims)
    r.alike(a, out)
    r.alike(b, out)


def clamp(r: Rules, c: Call) -> None:
    """Bounds for each element or for all."""
    (low, a, high), out = c.arrays(r, 3), c.result(r)
    r.alike(a, out)
    for bound in (low, high):
        r.same_type(bound, out)
        if bound.dims:
            r.same_sizes(bound.dims, out.dims)


def convert(r: Rules, c: Call) -> None:
    """Any type becomes any other."""
    (a,) = c.arrays(r, 1)
    r.same_sizes(a.dims, c.result(r).dims)


def stochastic(r: Rules, c: Call) -> None:
    """Floats are rounded by unsigned random bits, as many as they have themselves."""
    (a, bits), out = c.arrays(r, 2), c.result(r)
    of_kinds(r, "floating", a)
    r.need(is_kind(bits.dtype, "unsigned") and bits_of(bits.dtype) == bits_of(a.dtype))
    r.same_sizes(a.dims, out.dims)
    r.same_sizes(bits.dims, out.dims)


def mapped(r: Rules, c: Call) -> None:
    """A computation of scalars, one of each operand."""
    many, out = c.arrays(r, 1, MANY), c.result(r)
    for a in many:
        r.same_sizes(a.dims, out.dims)
    if (hit := called(r, c, "to_apply")) is not None:
        r.need(len(hit.parameters) == len(many))
        for a, element in zip((*many, out), (*hit.parameters, hit.root)):
            r.alike(array_of(r, element), scalar(a.dtype))


def complex_number(r: Rules, c: Call) -> None:
    """Two real numbers make a complex one."""
    out = c.result(r)
    for a in c.arrays(r, 2):
        r.need(WIDER.get(a.dtype) == out.dtype)
        r.same_sizes(a.dims, out.dims)


def part(r: Rules, c: Call) -> None:
    """The real or imaginary part."""
    (a,), out = c.arrays(r, 1), c.result(r)
    of_kinds(r, REAL_OR_COMPLEX, a)
    r.same_sizes(a.dims, out.dims)
    _half(r, a, out)


def is_finite(r: Rules, c: Call) -> None:
    """A pred for each float."""
    (a,), out = c.arrays(r, 1), c.result(r)
    of_kinds(r, "floating", a)
    r.need(out.dtype == "pred")
    r.same_sizes(a.dims, out.dims)


def bits(r: Rules, c: Call) -> None:
    """Of the wider type there are fewer: its last dimension has the parts."""
    (a,), out = c.arrays(r, 1), c.result(r)
    x, y = bits_of(a.dtype), bits_of(out.dtype)
    r.need(is_kind(a.dtype, "complex") == is_kind(out.dtype, "complex"))
    if "pred" in (a.dtype, out.dtype) and x != y:
        unknown("bits of pred")
    left, right = list(a.dims), list(out.dims)
    if x > y:
        left.append(fixed(x // y))
    elif y > x:
        right.append(fixed(y // x))
    r.same_sizes(left, right)


def constant(r: Rules, c: Call) -> None:
    """As many numbers as elements."""
    out = c.result(r)
    r.need(not c.operands and not any(e.later for e in out.dims))
    r.one_of(equality(Integer(c.number(r, "elements")), product(map(known, out.dims))))


ELEMENTS: dict[str, Rule] = {
    **{w: elementwise(1, k) for words, k in ONE_OPERAND.items() for w in words.split()},
    **{w: elementwise(2, k) for words, k in TWO_OPERANDS.items() for w in words.split()},
    "bitcast-convert": bits,
    "clamp": clamp,
    "compare": compare,
    "complex": complex_number,
    "constant": constant,
    "convert": convert,
    "imag": part,
    "is-finite": is_finite,
    "map": mapped,
    "real": part,
    "select": select,
    "stochastic-convert": stochastic,
}
