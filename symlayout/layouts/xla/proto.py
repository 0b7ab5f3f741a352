"""Shapes and layouts as protocol-buffer text: `element_type: F32 dimensions: 2 layout { ... }`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.terms import Size, as_size
from symlayout.layouts.xla.composite import AnyShape, BufferShape, OpaqueShape, TupleShape
from symlayout.layouts.xla.dtypes import BITS, OPAQUE, help_for
from symlayout.layouts.xla.layout import Layout
from symlayout.layouts.xla.shape import Dynamic, Shape
from symlayout.layouts.xla.tiling import COMBINE
from symlayout.text.limits import DIGITS, NESTING
from symlayout.text.patterns import regex

FIELD = regex(r"([a-z_]+)\s*(:|(?=\{))", re.ASCII)
BLANK = regex(r"(?:\s+|#[^\n]*|[,;](?=\s*(?:[a-z_#}]|$)))*", re.ASCII)
INTEGER = regex(r"-?\d+(?!\w)", re.ASCII)
BOOLEAN = regex(r"true\b|false\b", re.ASCII)
WORD = regex(r"[A-Za-z_]\w*", re.ASCII)
COMBINED = (-1, -(2**63))  # what a tile's entry is that merges dimensions: old documents, and XLA
VALUES: dict[str, int | float | str] = {
    "ZERO_PAD": 0,
    "ONE_PAD": 1,
    "LOWEST_PAD": "lowest",
    "HIGHEST_PAD": "highest",
}
NO_VALUE = ("INVALID_PAD", "UNKNOWN_PAD")
SHAPE = ("element_type", "dimensions", "is_dynamic_dimension", "tuple_shapes", "layout")
# numbers of a layout: what our value calls them, and what they are where nothing is said
NUMBERS = {
    "tail_padding_alignment_in_elements": ("tail_alignment", 1),
    "element_size_in_bits": ("element_bits", 0),
    "memory_space": ("memory_space", 0),
    "dynamic_shape_metadata_prefix_bytes": ("metadata_bytes", 0),
}
LAYOUT = ("minor_to_major", "padded_dimensions", "padding_value", "tiles", *NUMBERS)


def is_proto(text: str) -> bool:
    """Whether the text begins with a field of a Shape or a Layout."""
    match = FIELD.match(text[BLANK.match(text).end() :])  # type: ignore[union-attr]
    return match is not None and match[1] in (*SHAPE, *LAYOUT)


def read_proto(text: str) -> Any:
    """The shape that a protocol-buffer text says, or the layout where no field is a shape's.

    >>> read_proto("element_type: F32 dimensions: [2, 3] layout { minor_to_major: [0, 1] }")
    read_shape('f32[2,3]{0,1}')
    >>> print(read_proto("minor_to_major: 1 minor_to_major: 0 tiles { dimensions: [2, -1, 3] }"))
    {1,0:T(2,*,3)}

    A tile's `-1` merges dimensions, as `*` does.  Sizes may be names.  Raises `LayoutError` with
    the place of the mistake.
    """
    scanner = Scanner(text)
    reader = _Protos(scanner)
    fields = reader.fields(0, (*SHAPE, *LAYOUT))
    if not reader.at_end():
        raise scanner.missing("a field")
    if any(name in SHAPE for name in fields):
        for name in fields:
            if name in LAYOUT:
                message = f"{name} belongs inside layout {{ }}"
                raise scanner.error("SL101", message, fields[name][0][0])
        return reader.shape(fields)
    return reader.layout(fields)


def read_array(text: str) -> Any:
    """The shape that a text says; raises `LayoutError` where it says a layout without a shape.

    >>> print(read_array("element_type: F32 dimensions: [2, 3]"))
    f32[2,3]
    """
    result = read_proto(text)
    if not hasattr(result, "index_map"):
        raise LayoutError("SL100", f"the layout {result} has no shape", text=text, at=0)
    return result


T = TypeVar("T")
Fields = dict[str, list[tuple[int, Any]]]


class _Protos:
    """A position in the text; each field is kept with the place of each of its values."""

    def __init__(self, scanner: Scanner) -> None:
        self.s = scanner

    def skip(self) -> None:
        match = BLANK.match(self.s.text, self.s.at)
        assert match is not None
        self.s.at = match.end()

    def at_end(self) -> bool:
        self.skip()
        return self.s.at == len(self.s.text)

    def fields(self, depth: int, known: tuple[str, ...]) -> Fields:
        """All fields up to a closing brace or the end."""
        if depth > NESTING:
            raise self.s.error("SL204", f"more than {NESTING} nested messages")
        table: Fields = {}
        while True:
            self.skip()
            match = FIELD.match(self.s.text, self.s.at)
            if match is None:
                return table
            name = match[1]
            if name not in known:
                help = did_you_mean(name, list(known)) or f"the fields are {', '.join(known)}"
                message = f"{name!r} is not a field that is read here"
                raise self.s.error("SL101", message, match.start(1), match.end(1), help)
            self.s.at = match.end()
            table.setdefault(name, []).extend(self.values(name, depth))

    def values(self, name: str, depth: int) -> list[tuple[int, Any]]:
        inner = {"layout": LAYOUT, "tiles": ("dimensions",), "tuple_shapes": SHAPE}.get(name)
        at = self.after_blanks()
        if inner is not None:
            self.s.expect("{", f"after {name}")
            table = self.fields(depth + 1, inner)
            self.skip()
            self.s.expect("}", f"to close {name} {{")
            return [(at, table)]
        if not self.s.text.startswith("[", at):
            return [(at, self.value(name))]
        self.s.at += 1
        items: list[tuple[int, Any]] = []
        while not self.s.text.startswith("]", at := self.after_blanks()):
            if items:
                self.s.expect(",", "between the values")
                at = self.after_blanks()
            items.append((at, self.value(name)))
        self.s.at = at + 1
        return items

    def after_blanks(self) -> int:
        while self.s.text[self.s.at : self.s.at + 1].isspace():
            self.s.at += 1
        return self.s.at

    def value(self, name: str) -> Any:
        if name == "is_dynamic_dimension":
            return self.s.need(BOOLEAN, "true or false")
        if name in ("element_type", "padding_value"):
            return self.s.need(WORD, "a word")
        if name in ("dimensions", "padded_dimensions", "tail_padding_alignment_in_elements"):
            return as_size(expression_at(self.s))
        start = self.s.skip()
        number = self.s.match(INTEGER)
        if number is None or len(number) > DIGITS:
            raise self.s.error("SL101", f"{name} is a whole number", start)
        return int(number)

    # -- meanings ----------------------------------------------------------------------------------

    def one(self, fields: Fields, name: str, otherwise: Any) -> Any:
        arguments = fields.get(name, [])
        if len(arguments) > 1:
            raise self.s.error("SL101", f"{name} is given twice", arguments[1][0])
        return arguments[0][1] if arguments else otherwise

    def all(self, fields: Fields, name: str) -> tuple[Any, ...]:
        return tuple(v for _, v in fields.get(name, []))

    def shape(self, fields: Fields) -> AnyShape:
        """The shape of a message's fields; its own rules are shown at the first of them."""
        place = min((at for values in fields.values() for at, _ in values), default=0)
        word = str(self.one(fields, "element_type", "TUPLE" if "tuple_shapes" in fields else ""))
        dtype = word.lower()
        if dtype == "tuple":
            return TupleShape(tuple(self.shape(f) for f in self.all(fields, "tuple_shapes")))
        if dtype == "opaque_type" or dtype in OPAQUE:
            return OpaqueShape("opaque" if dtype == "opaque_type" else dtype)
        if dtype not in BITS:
            at = fields["element_type"][0][0] if "element_type" in fields else place
            message = f"{word!r} is not an element type" if word else "a shape has an element_type"
            raise self.s.error("SL103", message, at, at + len(word) or None, help_for(dtype))
        dims = self.all(fields, "dimensions")
        later = self.all(fields, "is_dynamic_dimension")
        if later and len(later) != len(dims):
            message = f"{len(later)} is_dynamic_dimension for {len(dims)} dimensions"
            raise self.s.error("SL101", message, place)
        sizes = [Dynamic(d) if x == "true" else d for d, x in zip(dims, later or ("",) * len(dims))]
        own = self.one(fields, "layout", None)
        return self.at_place(place, lambda: self.array(dtype, tuple(sizes), own))

    def array(self, dtype: str, dims: tuple[Any, ...], own: Fields | None) -> Shape:
        if own is None:
            return Shape(dtype, dims)
        return self.layout(own).shape(dtype, dims)

    def layout(self, fields: Fields) -> Layout:
        """The layout of a message's fields."""
        place = min((at for values in fields.values() for at, _ in values), default=0)
        value = self.one(fields, "padding_value", None)
        if value is not None and value not in (*VALUES, *NO_VALUE):
            help = f"it is one of {', '.join(VALUES)}"
            at = fields["padding_value"][0][0]
            raise self.s.error("SL106", f"{value!r} is not padding value", at, help=help)
        tiles = [tuple(map(_entry, self.all(t, "dimensions"))) for t in self.all(fields, "tiles")]
        order, padded = self.all(fields, "minor_to_major"), self.all(fields, "padded_dimensions")
        numbers = {own: self.one(fields, word, n) for word, (own, n) in NUMBERS.items()}
        filling = VALUES.get(str(value))
        make = partial(Layout, order, tuple(tiles), padded or None, filling, **numbers)
        return self.at_place(place, make)

    def at_place(self, at: int, make: Callable[[], T]) -> T:
        try:
            return make()
        except LayoutError as error:
            if error.text is not None:
                raise
            raise self.s.error(error.code, error.message, at, None, error.help) from None


def _entry(t: Size) -> Any:
    return COMBINE if t in COMBINED else t


# -- printing --------------------------------------------------------------------------------------


def proto_text(shape: Any) -> str:
    """A shape or a layout as protocol-buffer text, one field after the other.

    >>> from symlayout.layouts.xla import read_shape
    >>> print(proto_text(read_shape("f32[35]{0:T(*,2)}")))
    element_type: F32 dimensions: 35 layout { minor_to_major: 0 tiles { dimensions: -1 dimensions: 2 } }

    Raises `LayoutError` (SL106) for what such a text cannot say: properties of sparse arrays, or a
    padding value that is none of 0, 1, lowest and highest.
    """
    if isinstance(shape, Layout):
        return " ".join(_layout_fields(shape))
    if isinstance(shape, BufferShape):
        shape = shape.content
    if isinstance(shape, TupleShape):
        inner = " ".join(f"tuple_shapes {{ {proto_text(s)} }}" for s in shape)
        return f"element_type: TUPLE {inner}".rstrip()
    if isinstance(shape, OpaqueShape):
        return f"element_type: {'OPAQUE_TYPE' if shape.dtype == 'opaque' else shape.dtype.upper()}"
    if shape.is_sparse or shape.splits or shape.physical is not None or shape.levels:
        raise LayoutError("SL106", f"{shape} has properties that this text does not say")
    parts = [f"element_type: {shape.dtype.upper()}"]
    for d in shape._dims:
        bound = d._bound if isinstance(d, Dynamic) else d
        if bound is None:
            raise LayoutError("SL402", f"{shape} has a size without a bound")
        parts.append(f"dimensions: {bound}")
    if any(isinstance(d, Dynamic) for d in shape._dims):
        parts += [f"is_dynamic_dimension: {isinstance(d, Dynamic)!s}".lower() for d in shape.dims]
    layout = Layout.of(shape)
    if layout != replace(Layout(()), minor_to_major=layout.minor_to_major) or shape.explicit:
        parts.append(f"layout {{ {' '.join(_layout_fields(layout))} }}")
    return " ".join(parts)


def _layout_fields(layout: Layout) -> list[str]:
    parts = [f"minor_to_major: {m}" for m in layout.minor_to_major]
    parts += [f"padded_dimensions: {w}" for w in layout.padded_dimensions or ()]
    if layout.padding_value is not None:
        names = [word for word, v in VALUES.items() if v == layout.padding_value]
        if not names:
            message = f"the padding value {layout.padding_value} has no name in this text"
            raise LayoutError("SL106", message, help=f"it is one of {', '.join(VALUES)}")
        parts.append(f"padding_value: {names[0]}")
    for tile in layout.tiles:
        sizes = " ".join(f"dimensions: {-1 if t == COMBINE else t}" for t in tile)
        parts.append(f"tiles {{ {sizes} }}")
    numbers = [(word, getattr(layout, own), n) for word, (own, n) in NUMBERS.items()]
    return parts + [f"{word}: {value}" for word, value, n in numbers if value != n]
