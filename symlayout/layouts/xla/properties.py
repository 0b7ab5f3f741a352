"""Reading the properties of a layout, what stands behind its colon, in their fixed order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from symlayout.layouts.xla.dtypes import BITS, help_for
from symlayout.layouts.xla.tiling import COMBINE, TileSize
from symlayout.layouts.xla.validity import LARGEST_SPACE, LEVEL, PADDING_WORDS, Fault
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.layouts.xla.reader import _Shapes

ORDER = ("PAD", "D", "T", "L", "#", "*", "E", "S", "SC", "P", "M")
HEAD = regex(r"[A-Za-z]+|[#*]")
PADDING_VALUE = regex(r"-?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?|-?inf|lowest|highest", re.ASCII)


class PropertyReader:
    """Fills the fields of a shape from its properties."""

    def __init__(self, shapes: _Shapes) -> None:
        self.r = shapes
        self.s = shapes.s

    def read(self, fields: dict[str, Any]) -> None:
        """Every property up to the closing brace."""
        last = -1
        while (head := self.head(last)) is not None:
            last = ORDER.index(head)
            self.property(head, fields)
        if self.s.peek("}") and (last >= 0 or self.r.lenient):
            return
        if last >= 0 and not self.s.text[self.s.skip() :]:
            raise self.s.missing("'}' to close the layout")
        hint = "tiles begin with a T: T(8,128)" if self.s.peek("(") else self.order_help()
        raise self.s.missing("a property such as T(8,128)", help=hint)

    def head(self, last: int) -> str | None:
        """The name of the next property, which must come later in the order than the last one."""
        at = self.s.skip()
        head = self.s.match(HEAD)
        if head is None:
            return None
        end, help = self.s.at, self.order_help()
        if head not in ORDER:
            message = f"{head!r} is not a property of a layout"
            raise self.s.error("SL106", message, at, end, help)
        if ORDER.index(head) == last:
            raise self.s.error("SL106", f"the property {head} is given twice", at, end)
        if ORDER.index(head) < last:
            message = f"the property {head} comes before {ORDER[last]}"
            raise self.s.error("SL106", message, at, end, help)
        if not self.s.peek("("):
            raise self.s.missing(f"'(' after {head}")
        return head

    def order_help(self) -> str:
        return "the properties in their order: " + " ".join(ORDER)

    def property(self, head: str, fields: dict[str, Any]) -> None:
        """One property, with its name taken."""
        match head:
            case "PAD":
                self.padding(fields)
            case "T":
                fields["tiles"] = self.tiles()
            case "D":
                self.s.expect("(", "after D")
                at = self.s.at
                fields["levels"] = self.r.items("levels", ")", "D(", self.level)
                self.r.spans["levels",] = (at, self.s.at - 1)
            case "L":
                fields["tail_alignment"] = self.one("tail_alignment", self.r.size, "L")
            case "#":
                fields["index_type"] = self.one("index_type", self.dtype, "#")
            case "*":
                fields["pointer_type"] = self.one("pointer_type", self.dtype, "*")
            case "E":
                fields["element_bits"] = self.one("element_bits", self.r.integer, "E")
            case "S":
                fields["memory_space"] = self.space()
            case "SC":
                fields["splits"] = self.splits()
            case "P":
                fields["physical"] = self.one("physical", self.r.any_shape, "P")
            case _:
                fields["metadata_bytes"] = self.one("metadata_bytes", self.r.integer, "M")

    def one(self, name: str, item: Any, head: str) -> Any:
        """`(item)`, with its span."""
        self.s.expect("(", f"after {head}")
        at = self.s.skip()
        result = item()
        self.r.spans[name,] = (at, self.s.at)
        self.s.expect(")", f"to close {head}(")
        return result

    def padding(self, fields: dict[str, Any]) -> None:
        self.s.expect("(", "after PAD")
        at = self.s.at
        fields["padded_dimensions"] = self.r.items("padded", ")", "PAD(", self.r.size)
        self.r.spans["padded",] = (at, self.s.at - 1)
        if not self.s.take("="):
            return
        word = self.s.match(PADDING_VALUE)
        if word is None:
            help = "a number, inf, lowest or highest"
            raise self.s.missing("the padding's value after '='", help=help)
        fields["padding_value"] = padding_value(word)

    def tiles(self) -> tuple[tuple[TileSize, ...], ...]:
        lines: list[tuple[TileSize, ...]] = []
        while self.s.peek("("):
            at = self.s.at
            self.s.take("(")
            level = len(lines)
            entries = self.r.items("tiles", ")", "the tile", self.tile_size, level)
            self.r.spans["tiles", level] = (at, self.s.at)
            lines.append(tuple(self.entry(t, level, k) for k, t in enumerate(entries)))
        return tuple(lines)

    def tile_size(self) -> TileSize:
        return COMBINE if self.s.take(COMBINE) else self.r.size()

    def entry(self, t: TileSize, level: int, k: int) -> TileSize:
        """An old document's -1 is `*`; a lenient reading says so."""
        if t != -1:
            return t
        if not self.r.lenient:
            return COMBINE
        fault = Fault(
            "SL102",
            "tile size -1 must be at least 1",
            ("tiles", level, k),
            help="'*' merges a dimension into the next more minor one",
        )
        self.r.report(fault, "-1 in a tile is read as '*', which merges dimensions")
        return COMBINE

    def space(self) -> int:
        n: int = self.one("memory_space", self.r.integer, "S")
        if 0 <= n <= LARGEST_SPACE:
            return n
        wrapped = (n + 128) % 256 - 128
        message = f"memory space S {n} must be from 0 to {LARGEST_SPACE}"
        fault = Fault("SL102", message, ("memory_space",))
        self.r.report(fault, f"memory space {n} is read as {wrapped}, its low 8 bits")
        return wrapped

    def level(self) -> str:
        word = self.s.match(LEVEL)
        if word is None:
            message = f"expected a level type, found {self.s.what_stands()}"
            help = "D dense, C compressed, S singleton, H loosely compressed; then + and ~"
            raise self.s.error("SL106", message, help=help)
        return word

    def dtype(self) -> str:
        at = self.s.skip()
        word = self.s.name() or ""
        if word.lower() not in BITS:
            message = f"{word!r} is not an element type"
            raise self.s.error("SL103", message, at, self.s.at or None, help_for(word))
        return word.lower()

    def splits(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        results: list[tuple[int, tuple[int, ...]]] = []
        while self.s.peek("("):
            at = self.s.at
            self.s.take("(")
            dimension = self.r.integer()
            self.s.expect(":", "after the dimension of a split")
            indices = self.r.items("split", ")", "the split", self.r.integer)
            self.r.spans["splits", len(results)] = (at, self.s.at)
            results.append((dimension, indices))
        return tuple(results)


def padding_value(word: str) -> int | float | str:
    """The padding's value as a number, or as one of the words lowest and highest."""
    if word in PADDING_WORDS:
        return word
    return int(word) if re.fullmatch(r"-?\d+", word) else float(word)
