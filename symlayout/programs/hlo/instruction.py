"""An instruction of a compiler's module as a value, with its place in the text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symlayout.layouts.xla.composite import AnyShape, BufferShape, OpaqueShape, TupleShape
from symlayout.layouts.xla.shape import Shape
from symlayout.programs.hlo.attributes import plain
from symlayout.text.patterns import regex

# the shape of what was not understood: nothing is claimed about it
UNKNOWN = OpaqueShape("opaque")

# attributes whose values are computations
COMPUTATIONS_WORDS = """
calls to_apply condition body select scatter comparator true_computation
false_computation branch_computations called_computations
"""
COMPUTATIONS = frozenset(COMPUTATIONS_WORDS.split())
LEFT_OUT = "instruction"  # what is unread of an instruction of which the name alone may be known
NAMES = regex(r"[\w.\-/]+")


def same_array(a: AnyShape, b: AnyShape) -> bool:
    """Whether two shapes have the same elements: neither layouts count nor what is less at run time."""
    if a is b:
        return True
    if isinstance(a, Shape) and isinstance(b, Shape):
        return a.dtype == b.dtype and (a._dims == b._dims or _bounds(a) == _bounds(b))
    if isinstance(a, TupleShape) and isinstance(b, TupleShape):
        return len(a) == len(b) and all(same_array(x, y) for x, y in zip(a, b))
    if isinstance(a, BufferShape) and isinstance(b, BufferShape):
        return same_array(a.content, b.content)
    return type(a) is type(b) and str(a) == str(b)


def _bounds(shape: Shape) -> list[object]:
    return [getattr(d, "_bound", d) for d in shape._dims]


@dataclass(frozen=True, slots=True)
class Operand:
    """What an instruction is given: a name and a shape.

    The shape is the one written, or else that of the instruction that the name means.
    """

    name: str = ""
    shape: AnyShape | None = None


@dataclass(frozen=True, slots=True)
class Instruction:
    """`name = shape opcode(operands), attributes`, and where it stands in the module's text.

    `arguments` is the text between the parentheses, `attributes` are as written, by name:
    `{"dimensions": "{1,0}"}`.  `at` is the place of the name, `shape_at` that of the shape.
    `unread` names an attribute that was not understood: then nothing is claimed.
    """

    name: str
    opcode: str
    shape: AnyShape
    operands: tuple[Operand, ...] = ()
    arguments: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    root: bool = False
    at: int = field(default=0, compare=False)
    shape_at: int = field(default=0, compare=False)
    shape_end: int = field(default=0, compare=False)
    unread: str = ""

    @property
    def called(self) -> tuple[tuple[str, str], ...]:
        """The attribute and the name of every computation that the instruction runs."""
        attributes = plain(self.attributes)
        if COMPUTATIONS.isdisjoint(attributes):
            return ()
        arguments = [(key, text) for key, text in attributes.items() if key in COMPUTATIONS]
        return tuple((key, name) for key, text in arguments for name in NAMES.findall(text))
