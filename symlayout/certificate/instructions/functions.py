"""What rows of `opcodes.toml` ask of functions, as the checker's goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symlayout.certificate.definitions import bits_of, product
from symlayout.certificate.instructions.call import (
    Call,
    array_of,
    called,
    fixed,
    is_kind,
    known,
    scalar,
    unknown,
)
from symlayout.certificate.shaping import Array, Rules, equality
from symlayout.expr.tree import Integer


def _same_bits(r: Rules, c: Call, a: Array, out: Array) -> None:
    """Of the wider type there are fewer: its last dimension has the parts."""
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


def _literal(r: Rules, c: Call, key: str, out: Array) -> None:
    """As many numbers as elements."""
    r.need(not any(e.later for e in out.dims))
    r.one_of(equality(Integer(c.number(r, key)), product(map(known, out.dims))))


def _maps(r: Rules, c: Call, key: str, many: Sequence[Array], out: Array) -> None:
    """A computation of scalars, one of each operand."""
    if (hit := called(r, c, key)) is not None:
        r.need(len(hit.parameters) == len(many))
        for a, element in zip((*many, out), (*hit.parameters, hit.root)):
            r.alike(array_of(r, element), scalar(a.dtype))


FUNCTIONS: dict[str, Callable[..., None]] = {
    "literal": _literal,
    "maps": _maps,
    "same_bits": _same_bits,
}
