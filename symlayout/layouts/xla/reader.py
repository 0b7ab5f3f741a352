"""Reading XLA's notation of shapes and layouts, with a caret for everything that means nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError
from symlayout.expr.reader import Names, Scanner, any_name, expression_at
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.xla.dtypes import BITS, OPAQUE, help_for
from symlayout.layouts.xla.properties import PropertyReader
from symlayout.layouts.xla.shape import Dim, Dynamic, Shape
from symlayout.layouts.xla.validity import Fault, Place, faults, numbering, overflow_fault
from symlayout.text.limits import DIGITS, NESTING
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.layouts.xla.composite import AnyShape, TupleShape

WORD = regex(r"[A-Za-z_]\w*", re.A)
JOINED = regex(r"[A-Z]\d?(?:x[A-Z]\d?)+(?!\w)", re.A)  # MxN
NATURAL = regex(r"\d+(?!\w)", re.A)
INTEGER = regex(r"-?\d+(?!\w)", re.A)
Spans = dict[Place, tuple[int, int]]


def read_shape(text: str, lenient: bool = False) -> Any:
    """The shape that a text spells: a `Shape`, or a tuple, a buffer, a token.

    >>> shape = read_shape("bf16[M,N]{1,0:T(8,128)(2,1)}")
    >>> shape.dtype, shape.dims, shape.tiles
    ('bf16', (M, N), ((8, 128), (2, 1)))
    >>> read_shape("f32[4,4]{1,1}")
    Traceback (most recent call last):
    symlayout.errors.LayoutError: SL104: minor_to_major names dimension 1 twice
      f32[4,4]{1,1}
                 ^

    `lenient` reads what XLA's own parser reads, and says in `notes` what became of it: a negative
    dimension number counts from the end, `-1` in a tile is `*`, a memory space is cut to 8 bits;
    all else is kept as written, and what has no meaning is an error when the index map or the byte
    size is asked for.  Raises `LayoutError` with the place of the mistake.
    """
    scanner = Scanner(text)
    if scanner.done():
        raise scanner.error("SL100", "expected a shape such as f32[3,5]{1,0}, found nothing")
    shape = _Shapes(scanner, any_name, lenient, whole=True).any_shape()
    scanner.end("the shape")
    return shape


def shape_at(scanner: Scanner, names: Names = any_name, *, lenient: bool = False) -> AnyShape:
    """Reads one shape where the scanner stands, inside a larger text.

    >>> s = Scanner("f32[8]{0:T(128)} parameter(0)")
    >>> str(shape_at(s)), s.text[s.at:]
    ('f32[8]{0:T(128)}', ' parameter(0)')

    A brace is a layout when a number, a colon or its end follows, as in XLA; otherwise it is left
    for the caller (`-> f32[8] {` begins a computation).  `names` gives names in sizes a meaning.
    """
    return _Shapes(scanner, names, lenient, whole=False).any_shape()


class _Shapes:
    """A recursive-descent reader; `spans` remembers where each part of the current shape stands."""

    def __init__(self, scanner: Scanner, names: Names, lenient: bool, whole: bool) -> None:
        self.s = scanner
        self.names = names
        self.lenient = lenient
        self.whole = whole
        self.spans: Spans = {}
        self.notes: list[str] = []

    def any_shape(self) -> AnyShape:
        """A shape of any kind."""
        self.s.skip()
        self.s.depth += 1
        if self.s.depth > NESTING:
            raise self.s.error("SL204", f"more than {NESTING} nested shapes")
        try:
            return self.tuple_shape() if self.s.take("(") else self.named_shape()
        finally:
            self.s.depth -= 1

    def tuple_shape(self) -> TupleShape:
        elements: list[AnyShape] = []
        if not self.s.take(")"):
            elements.append(self.any_shape())
            while self.s.take(","):
                elements.append(self.any_shape())
            self.s.expect(")", "to close the tuple")
        from symlayout.layouts.xla.composite import TupleShape

        return TupleShape(tuple(elements))

    def named_shape(self) -> AnyShape:
        at = self.s.skip()
        word = self.s.match(WORD)
        if word is None:
            hint = "the element type stands first: f32[M,N]" if self.s.peek("[") else None
            raise self.s.missing("an element type", help=hint)
        if word == "b" and self.s.take("("):
            from symlayout.layouts.xla.composite import BufferShape

            inside = self.array(self.s.skip(), self.s.match(WORD) or "")
            self.s.expect(")", "to close the buffer")
            return BufferShape(inside)
        if word.lower() in OPAQUE:
            from symlayout.layouts.xla.composite import OpaqueShape

            self.s.expect("[", f"after {word}")
            self.s.expect("]", f"to close {word}[")
            return OpaqueShape(word.lower())
        return self.array(at, word)

    def array(self, at: int, word: str) -> Shape:
        """An array's sizes and layout, behind its element type."""
        outer = self.spans, self.notes
        self.spans, self.notes = {("dtype",): (at, at + len(word))}, []
        dtype = word.lower()
        if dtype not in BITS:
            message = f"{word!r} is not an element type" if word else "expected an element type"
            dotted = re.compile(r"[\w.]*", re.ASCII).match(self.s.text, at)
            hint = help_for(dotted[0] if dotted else word)
            raise self.s.error("SL103", message, at, at + len(word) or None, hint)
        self.s.expect("[", f"after the element type {word}")
        start = self.s.at
        dims = self.items("dims", "]", "the sizes", self.dim)
        self.spans["dims",] = (start, self.s.at - 1)
        fields: dict[str, Any] = {"dtype": dtype, "dims": dims, "explicit": False}
        if self.layout_follows():
            self.layout(fields, len(dims))
        shape = self.finish(fields)
        self.spans, self.notes = outer
        return shape

    # -- the parts ---------------------------------------------------------------------------------

    def items(
        self, name: str, close: str, what: str, item: Callable[[], Any], *more: int
    ) -> tuple[Any, ...]:
        """A list of items up to `close`, each with its span under (name, *more, number)."""
        items: list[Any] = []
        if self.s.take(close):
            return ()
        while True:
            start = self.s.skip()
            self.s.check_rank(len(items) + 1)
            items.append(item())
            end = start + len(self.s.text[start : self.s.at].rstrip())
            self.spans[name, *more, len(items) - 1] = (start, end)
            if self.s.take(","):
                continue
            self.s.expect(close, f"to close {what}")
            return tuple(items)

    def size(self) -> Size:
        """A number or an expression; a line comment may follow a number only."""
        start = self.s.skip()
        number = self.s.match(NATURAL)
        if number is not None:
            self.check_length(number, start)
            if any(self.s.peek(c) for c in ",])"):
                return int(number)
            self.s.at = start
        return as_size(expression_at(self.s, self.names))

    def dim(self) -> Dim:
        if self.s.take("?"):
            return Dynamic()
        if self.s.take("<="):
            if self.s.take("?"):
                return Dynamic()
            return Dynamic(self.size())
        match = JOINED.match(self.s.text, self.s.skip())
        if match is not None:
            sizes = match[0].replace("x", ",")
            message = f"{match[0]} is one name, and no sizes"
            raise self.s.error("SL101", message, *match.span(), f"write commas: [{sizes}]")
        return self.size()

    def integer(self) -> int:
        start = self.s.skip()
        number = self.s.match(INTEGER)
        if number is None:
            raise self.s.missing("a whole number")
        self.check_length(number, start)
        return int(number)

    def check_length(self, number: str, at: int) -> None:
        """Python itself refuses to read numbers of thousands of digits."""
        if len(number) > DIGITS:
            message = f"a number of {len(number)} digits is more than 64-bit integers hold"
            raise self.s.error("SL102", message, at, self.s.at)

    def layout_follows(self) -> bool:
        if not self.s.peek("{"):
            return False
        if self.whole:
            return True
        ahead = Scanner(self.s.text, self.s.at + 1)
        ahead.skip()
        return ahead.text[ahead.at : ahead.at + 1] in (*"0123456789-:}",)

    def layout(self, fields: dict[str, Any], rank: int) -> None:
        """`{minor_to_major:properties}`."""
        self.s.expect("{", "to open the layout")
        start = self.s.at
        order: list[int] = []
        if not (self.s.peek(":") or self.s.peek("}")):
            while True:
                at = self.s.skip()
                order.append(self.integer())
                self.spans["minor_to_major", len(order) - 1] = (at, self.s.at)
                if not self.s.take(","):
                    break
        self.spans["minor_to_major",] = (start, self.s.at)
        if len(order) != rank:
            message = f"minor_to_major names {len(order)} dimensions of a shape that has {rank}"
            help = numbering(rank)
            raise self.s.error("SL104", message, start, max(self.s.at, start + 1), help)
        for k, m in enumerate(order):
            if -rank <= m < 0 and self.lenient:
                fault = Fault(
                    "SL104",
                    f"minor_to_major holds the dimensions 0 to {rank - 1}, not {m}",
                    ("minor_to_major", k),
                )
                self.report(fault, f"dimension {m} is read as {m + rank}, counted from the end")
        fields.update(minor_to_major=tuple(order), explicit=True)
        if self.s.take(":"):
            PropertyReader(self).read(fields)
        if self.s.peek("T(") or self.s.peek("PAD("):
            hint = "a colon stands before the properties: {1,0:T(8,128)}"
            raise self.s.missing("'}' to close the layout", help=hint)
        self.s.expect("}", "to close the layout")

    # -- the verdict on a shape -------------------------------------------------------------------

    def span(self, place: Place) -> tuple[int, int | None]:
        """Where a part stands, or the smallest part around it that has a place."""
        while place:
            if place in self.spans:
                start, end = self.spans[place]
                return start, max(end, start + 1)
            place = place[:-1]
        return self.s.at, None

    def report(self, fault: Fault, becomes: str | None = None) -> None:
        """Raises, or notes in lenient reading what became of it."""
        if fault.fatal or not self.lenient:
            at, end = self.span(fault.place)
            raise self.s.error(fault.code, fault.message, at, end, fault.help)
        self.notes.append(becomes or f"kept: {fault.message}")

    def finish(self, fields: dict[str, Any]) -> Shape:
        """The shape, when no rule is broken; the notes of a lenient reading otherwise."""
        if not self.notes:
            with suppress(LayoutError):  # which is told again with its place
                return Shape(**fields)
        try:
            shape = Shape(**fields, notes=("being read",))
        except LayoutError as error:
            at, end = self.span(("dims",))
            raise self.s.error(error.code, error.message, at, end, error.help) from None
        hits = list(faults(shape))
        for fault in hits:
            self.report(fault)
        if not any(f.moves for f in hits) and all(isinstance(d, int) for d in shape._dims):
            overflow = overflow_fault(shape._byte_size)
            if overflow is not None:
                self.report(overflow)
        return replace(shape, notes=tuple(self.notes))
