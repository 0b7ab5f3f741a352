"""What the shape rules of instructions are made of: comparisons that leave demands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, cast

from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Size, as_expr, as_size
from symlayout.layouts.notation import Text
from symlayout.layouts.xla import AnyShape, Shape, TupleShape, read_shape
from symlayout.programs.hlo.broadcast import kind
from symlayout.programs.hlo.broadcast.check import Demands, same
from symlayout.programs.hlo.broadcast.extent import Condition, Extent, extents

CODE = "SL723"


@dataclass(frozen=True)
class Signature:
    """An opcode, the shape that comes out, the shapes that go in, and the attributes as text."""

    opcode: str
    result: AnyShape
    operands: tuple[AnyShape, ...]
    attributes: Mapping[str, str]


def unread(s: Signature, key: str) -> NoReturn:
    """Raises `LayoutError` (SL721): an attribute is not understood, so nothing is claimed."""
    message = f"{key}={s.attributes.get(key, '')} of {s.opcode} is not understood"
    raise LayoutError("SL721", message)


def arrays(d: Demands, s: Signature, least: int, most: int | None = None) -> list[Shape]:
    """The operands, as many arrays as the opcode takes, and the result an array."""
    answers = operand_arrays(d, s, least, most)
    demand(d, isinstance(s.result, Shape), f"the result of {s.opcode} is no array")
    return answers


def operand_arrays(d: Demands, s: Signature, least: int, most: int | None = None) -> list[Shape]:
    """The operands alone."""
    count = len(s.operands)
    if count < least or (most is not None and count > most):
        target = f"{least}" if least == most else f"{least} or more"
        d.fail(CODE, f"{s.opcode} takes {target} operands, not {count}")
    answers = []
    for k, shape in enumerate(s.operands):
        if not isinstance(shape, Shape):
            d.fail(CODE, f"operand {k} of {s.opcode} is no array")
        answers.append(shape)
    return answers


def result_of(s: Signature) -> Shape:
    """The result, after `arrays` has made sure that it is an array."""
    assert isinstance(s.result, Shape)
    return s.result


def equal_sizes(d: Demands, a: Extent, b: Extent, what: str) -> None:
    """Equal sizes; a `?` with anything else is left to run time."""
    if a.unbounded != b.unbounded:
        d.runtime.append(f"{what}: {a} must turn out to be {b}")
        return
    d.one_of(CODE, what, a, b, same(a, b))


def at_most(d: Demands, a: Size, b: Size, what: str) -> None:
    """The first size does not exceed the second."""
    if isinstance(a, int) and isinstance(b, int):
        holds: Condition = a <= b
    else:
        holds = Relation("<=", as_expr(a), as_expr(b))
    d.one_of(CODE, what, Extent(as_size(a)), Extent(as_size(b)), holds)


def same_sizes(d: Demands, a: Sequence[Extent], b: Sequence[Extent], left: str, right: str) -> None:
    """Equal ranks and equal sizes."""
    demand(d, len(a) == len(b), f"{left} has {len(a)} dimensions and {right} {len(b)}")
    for k, (x, y) in enumerate(zip(a, b)):
        equal_sizes(d, x, y, f"dimension {k} of {left} and of {right}")


def same_type(d: Demands, a: Shape, b: Shape, left: str, right: str) -> None:
    """Equal element types; compilers may change the precision of floats where they like."""
    if kind(a.dtype) != kind(b.dtype):
        d.fail(CODE, f"{left} has elements of {a.dtype}, {right} of {b.dtype}")


def same_or_wider(d: Demands, a: Shape, b: Shape, left: str, right: str) -> None:
    """The same element types, or integers that a wider type of the same sign takes up."""
    wider = a.dtype[0] in "su" and a.dtype[0] == b.dtype[0] and a.bits <= b.bits
    if not wider:
        same_type(d, a, b, left, right)


def same_shapes(d: Demands, a: AnyShape, b: AnyShape, left: str, right: str) -> None:
    """Equal element types and sizes, element by element in tuples; layouts do not count."""
    if a is b:
        return
    if isinstance(a, Shape) and isinstance(b, Shape):
        same_type(d, a, b, left, right)
        same_sizes(d, extents(a), extents(b), left, right)
    elif isinstance(a, TupleShape) and isinstance(b, TupleShape) and len(a) == len(b):
        for k, (x, y) in enumerate(zip(a, b)):
            same_shapes(d, x, y, f"element {k} of {left}", f"element {k} of {right}")
    elif type(a) is not type(b) or isinstance(a, TupleShape):
        d.fail(CODE, f"{left} is {a}, {right} is {b}")


def numbers(d: Demands, s: Signature, key: str) -> tuple[int, ...]:
    """The integers of an attribute such as `dimensions={1,0}`, which the opcode needs.

    Raises `LayoutError` (SL721) for what is no list of integers.
    """
    demand(d, key in s.attributes, f"{s.opcode} needs the attribute {key}")
    return integers(s, key)


def integers(s: Signature, key: str) -> tuple[int, ...]:
    """The integers of an attribute, none where it is left out."""
    inner = s.attributes.get(key, "").strip("{} ")
    words = [w.strip() for w in inner.split(",")] if inner else []
    if not all(re.fullmatch(r"-?\d+", w) for w in words):
        unread(s, key)
    return tuple(map(int, words))


def count(s: Signature, key: str, default: int) -> int:
    """The one integer of an attribute, or what it is when it is left out."""
    hits = integers(s, key) or (default,)
    if len(hits) != 1:
        unread(s, key)
    return hits[0]


def dimension(d: Demands, k: int, rank: int, key: str) -> None:
    """The number is that of a dimension."""
    demand(d, 0 <= k < rank, f"{key} names dimension {k} of a shape of {rank} dimensions")


def dimensions(d: Demands, hits: Sequence[int], rank: int, key: str) -> None:
    """The numbers are those of dimensions, each at most once."""
    for k in hits:
        dimension(d, k, rank, key)
    demand(d, len(set(hits)) == len(hits), f"{key} names a dimension twice")


def demand(d: Demands, holds: bool, rule: str) -> None:
    """The rule holds."""
    if not holds:
        d.fail(CODE, rule)


def known_size(e: Extent) -> int | None:
    """The size where it is a number that is known now."""
    return e.size if isinstance(e.size, int) and not e.dynamic else None


def signature_of(s: Signature, key: str) -> tuple[tuple[AnyShape, ...], AnyShape] | None:
    """The parameters and the root of the computation of an attribute, None where it is unknown."""
    text = s.attributes.get(key)
    if text is None or "->" not in text:
        return None
    if isinstance(text, Text):
        return cast("tuple[tuple[AnyShape, ...], AnyShape]", text.value)
    argument, _, result = text.partition("->")
    parameters = read_shape(argument)
    if not isinstance(parameters, TupleShape):
        unread(s, key)
    return tuple(parameters), read_shape(result)


def results(s: Signature) -> tuple[AnyShape, ...]:
    """The results: the elements of a tuple, or the one that is there."""
    return tuple(s.result) if isinstance(s.result, TupleShape) else (s.result,)
