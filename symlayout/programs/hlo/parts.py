"""What the shape rules of instructions are made of: comparisons that leave demands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, cast

from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import as_expr, as_size, mod
from symlayout.expr.tree import Dummy, Integer, expand
from symlayout.layouts.notation import Text
from symlayout.layouts.xla import AnyShape, Shape, TupleShape, read_shape
from symlayout.programs.hlo.broadcast import kind
from symlayout.programs.hlo.broadcast.check import Check, Demands, same
from symlayout.programs.hlo.broadcast.extent import Condition, Extent, extents
from symlayout.programs.hlo.unknown import Equation, Image, named

CODE = "SL723"
Computation = tuple[tuple[AnyShape, ...], AnyShape]  # its parameters and its root


@dataclass
class Verifier(Demands):
    """An instruction whose shape is verified, and the demands that its rule has left so far.

    It has an opcode, the shapes that go in, the shape that comes out, and the attributes as text.
    """

    opcode: str
    result: AnyShape
    operands: tuple[AnyShape, ...]
    attributes: Mapping[str, str]
    later: list[Equation | Image] = field(default_factory=list)

    @property
    def out(self) -> Shape:
        """The result, after `arrays` has made sure that it is an array."""
        assert isinstance(self.result, Shape)
        return self.result

    @property
    def results(self) -> tuple[AnyShape, ...]:
        """The results: the elements of a tuple of several, or the one that is there by itself."""
        answers = parts_of(self.result)
        several = len(answers) != 1 or answers[0] is self.result
        self.demand(several, f"one result of {self.opcode} is not a tuple")
        return answers

    # -- operands ---------------------------------------------------------------------------------

    def arrays(self, least: int, most: int | None = None) -> list[Shape]:
        """The operands, as many arrays as the opcode takes, and the result an array."""
        answers = self.operand_arrays(least, most)
        self.demand(isinstance(self.result, Shape), f"the result of {self.opcode} is not an array")
        return answers

    def operand_arrays(self, least: int, most: int | None = None) -> list[Shape]:
        """The operands alone."""
        count = len(self.operands)
        target = f"{least}" if least == most else f"{least} or more"
        good = least <= count and (most is None or count <= most)
        self.demand(good, f"{self.opcode} takes {target} operands, not {count}")
        answers = []
        for k, shape in enumerate(self.operands):
            if not isinstance(shape, Shape):
                self.fail(CODE, f"operand {k} of {self.opcode} is not an array")
            answers.append(shape)
        return answers

    def operand(self) -> AnyShape:
        """The one operand."""
        count = len(self.operands)
        self.demand(count == 1, f"{self.opcode} takes one operand, not {count}")
        return self.operands[0]

    def result_parts(self, least: int, most: int | None = None) -> Sequence[AnyShape]:
        """The elements of the result, a tuple of so many."""
        return self.elements(self.result, least, f"the result of {self.opcode}", most)

    def elements(
        self, shape: AnyShape, least: int, what: str, most: int | None = None
    ) -> Sequence[AnyShape]:
        """The elements of a tuple of so many; without `most` there may be more."""
        target = f"{least} or more" if most is None else f"{least}"
        if not isinstance(shape, TupleShape) or not least <= len(shape) <= (most or len(shape)):
            self.fail(CODE, f"{what} is a tuple of {target}, not {shape}")
        return tuple(shape)

    # -- demands ----------------------------------------------------------------------------------

    def demand(self, holds: bool, rule: str) -> None:
        """The rule holds."""
        if not holds:
            self.fail(CODE, rule)

    def left_to_run_time(self, what: str, relation: Relation, *sizes: Extent) -> None:
        """A relation with sizes of run time, which are to exist; of two sizes a message tells."""
        a, b = sizes if len(sizes) == 2 else (None, None)
        self.later.append(Equation(Check(CODE, what, (relation,), a, b)))

    def equal_sizes(self, a: Extent, b: Extent, what: str) -> None:
        """Equal sizes; a `?` is left to run time."""
        if not (a.unbounded or b.unbounded):
            self.one_of(CODE, what, a, b, same(a, b))
            return
        self.left_to_run_time(what, Relation("==", a.expr, b.expr), a, b)
        if a.unbounded != b.unbounded:
            self.runtime.append(f"{what}: {a} must turn out to be {b}")

    def at_most(self, a: Extent, b: Extent, what: str) -> None:
        """The first size does not exceed the second; a `?` is left to run time."""
        if a.unbounded or b.unbounded:
            self.left_to_run_time(what, Relation("<=", a.expr, b.expr), a, b)
            self.runtime.append(f"{what}: {a} must turn out to be at most {b}")
            return
        x, y = a.bound, b.bound
        rest = expand(b.expr - a.expr)
        holds: Condition = Relation("<=", a.expr, b.expr)
        if isinstance(rest, Integer):
            holds = rest.p >= 0
        self.one_of(CODE, what, Extent(as_size(x)), Extent(as_size(y)), holds)

    def multiple(self, e: Extent, parts: int, what: str) -> None:
        """The size, or its bound, is that of so many equal parts."""
        if e.unbounded:
            self.left_to_run_time(what, Relation("==", e.expr, Dummy("later") * parts))
            self.runtime.append(f"{what}: {e} must turn out to be a multiple of {parts}")
            return
        rest = mod(e.bound, parts)
        holds = rest == 0 if isinstance(rest, int) else Relation("==", as_expr(rest), Integer(0))
        self.one_of(CODE, f"{what} in equal parts", e, Extent(parts), holds)

    def same_sizes(
        self, a: Shape | Sequence[Extent], b: Shape | Sequence[Extent], left: str, right: str
    ) -> None:
        """Equal ranks and equal sizes."""
        x, y = extents(a), extents(b)
        self.demand(len(x) == len(y), f"{left} has {len(x)} dimensions and {right} {len(y)}")
        for k, sizes in enumerate(zip(x, y)):
            self.equal_sizes(*sizes, f"dimension {k} of {left} and of {right}")

    def same_type(self, a: Shape, b: Shape, left: str, right: str) -> None:
        """Equal element types; compilers may change the precision of floats where they like."""
        good = kind(a.dtype) == kind(b.dtype)
        self.demand(good, f"{left} has elements of {a.dtype}, {right} of {b.dtype}")

    def same_or_wider(self, a: Shape, b: Shape, left: str, right: str) -> None:
        """The same element types, or integers that a wider type of the same sign takes up."""
        wider = a.dtype[0] in "su" and a.dtype[0] == b.dtype[0] and a.bits <= b.bits
        if not wider:
            self.same_type(a, b, left, right)

    def one_type(self, a: Shape, b: Shape, left: str, right: str) -> None:
        """The very element type: what is only passed on keeps its precision."""
        good = a.dtype == b.dtype
        self.demand(good, f"{left} has elements of {a.dtype}, {right} of {b.dtype}")

    def same_shapes(self, a: AnyShape, b: AnyShape, left: str, right: str) -> None:
        """Equal element types and sizes, element by element in tuples; layouts do not count."""
        self._alike(a, b, left, right, self.same_type)

    def one_shape(self, a: AnyShape, b: AnyShape, left: str, right: str) -> None:
        """As `same_shapes`, with the very element types: what is only passed on."""
        self._alike(a, b, left, right, self.one_type)

    def _alike(
        self,
        a: AnyShape,
        b: AnyShape,
        left: str,
        right: str,
        types: Callable[[Shape, Shape, str, str], None],
    ) -> None:
        if a is b:
            return
        if isinstance(a, Shape) and isinstance(b, Shape):
            types(a, b, left, right)
            self.same_sizes(a, b, left, right)
        elif isinstance(a, TupleShape) and isinstance(b, TupleShape) and len(a) == len(b):
            for k, (x, y) in enumerate(zip(a, b)):
                self._alike(x, y, f"element {k} of {left}", f"element {k} of {right}", types)
        elif type(a) is not type(b) or isinstance(a, TupleShape) or str(a) != str(b):
            self.fail(CODE, f"{left} is {a}, {right} is {b}")

    def dimension(self, k: int, rank: int, key: str) -> None:
        """The number is that of a dimension."""
        self.demand(0 <= k < rank, f"{key} names dimension {k} of a shape of {rank} dimensions")

    def dimensions(self, hits: Sequence[int], rank: int, key: str) -> None:
        """The numbers are those of dimensions, each at most once."""
        for k in hits:
            self.dimension(k, rank, key)
        self.demand(len(set(hits)) == len(hits), f"{key} names a dimension twice")

    # -- attributes -------------------------------------------------------------------------------

    def unread(self, key: str) -> NoReturn:
        """Raises `LayoutError` (SL721): an attribute is not understood, so nothing is claimed."""
        message = f"{key}={self.attributes.get(key, '')} of {self.opcode} is not understood"
        raise LayoutError("SL721", message)

    def numbers(self, key: str) -> tuple[int, ...]:
        """The integers of an attribute such as `dimensions={1,0}`, which the opcode needs.

        Raises `LayoutError` (SL721) for what is not a list of integers.
        """
        self.demand(key in self.attributes, f"{self.opcode} needs the attribute {key}")
        return self.integers(key)

    def integers(self, key: str) -> tuple[int, ...]:
        """The integers of an attribute, none where it is left out."""
        inner = self.attributes.get(key, "").strip("{} ")
        words = [w.strip() for w in inner.split(",")] if inner else []
        if not all(re.fullmatch(r"-?\d+", w) for w in words):
            self.unread(key)
        return tuple(map(int, words))

    def count(self, key: str, default: int) -> int:
        """The one integer of an attribute, or what it is when it is left out."""
        hits = self.integers(key) if key in self.attributes else (default,)
        self.demand(len(hits) == 1, f"{key} of {self.opcode} is one number, not {len(hits)}")
        return hits[0]

    def number(self, key: str) -> int:
        """The one integer of an attribute that the opcode needs."""
        self.demand(key in self.attributes, f"{self.opcode} needs the attribute {key}")
        return self.count(key, 0)

    def computation(self, key: str) -> Computation | None:
        """The parameters and the root of an attribute's computation, None where it is unknown."""
        text = self.attributes.get(key)
        if text is None or "->" not in text:
            return None
        if isinstance(text, Text):
            parameters, root = cast(Computation, text.value)
            return tuple(map(named, parameters)), named(root)
        argument, _, result = text.partition("->")
        takes = read_shape(argument)
        if not isinstance(takes, TupleShape):
            self.unread(key)
        return tuple(map(named, takes)), named(read_shape(result))


def parts_of(shape: AnyShape) -> tuple[AnyShape, ...]:
    """The elements of a tuple; anything else by itself."""
    return tuple(shape) if isinstance(shape, TupleShape) else (shape,)


def whole_of(parts: Sequence[AnyShape]) -> AnyShape:
    """A tuple of several; one by itself."""
    return parts[0] if len(parts) == 1 else TupleShape(tuple(parts))
