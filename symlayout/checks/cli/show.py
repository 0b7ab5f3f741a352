"""`symlayout show`: a layout as a picture, in text, SVG or a page with sliders."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symlayout.checks.cli.formula import modes_text
from symlayout.checks.cli.options import colourful, whole, write
from symlayout.errors import LayoutError
from symlayout.layouts.naming import has_size

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".pdf", ".webp")
ASSUMED_BITS = 16  # of an element, for banks
KINDS = {".svg": "svg", ".html": "html", ".htm": "html", ".txt": "text"}


@dataclass(frozen=True)
class Drawing:
    """What is drawn, at which sizes, and what the command line says of it."""

    layout: Any
    sizes: dict[str, int]
    args: Namespace

    @property
    def bits(self) -> int:
        """The width of an element: what --bits says, else the layout's own, else 16."""
        if self.args.bits is not None:
            return whole(self.args.bits, "--bits", 1, 1 << 16)
        return self._own_bits or ASSUMED_BITS

    @property
    def _own_bits(self) -> int | None:
        return None if _is_map(self.layout) else self.index_map.bits

    @property
    def assumed(self) -> bool:
        """Whether nobody has said the width of an element."""
        return self.args.bits is None and not self._own_bits

    @property
    def index_map(self) -> IndexMap:
        """The index map of a layout."""
        index_map: IndexMap = self.layout.index_map()
        return index_map


def run(args: Namespace) -> int:
    """`symlayout show LAYOUT`."""
    from symlayout.layouts.notation import parse

    if args.layout.strip() == "atoms":
        from symlayout.layouts.doors.tv import listing

        print(listing(), end="")
        return 0
    kind = _kind(args)
    layout = _instance(parse(args.layout), args)
    text = WRITERS[kind](Drawing(layout, _sizes(layout, args), args))
    if args.output is None:
        print(text, end="")
        return 0
    write(args.output, text)
    return 0


def _kind(args: Namespace) -> str:
    """Text, SVG or a page: what the options say, or the ending of the file."""
    if args.svg and args.html:
        raise LayoutError("SL600", "--svg and --html are two pictures: give one of them")
    if args.tv and args.banks:
        raise LayoutError("SL600", "--tv and --banks are two pictures: give one of them")
    ending = Path(args.output or "").suffix.lower()
    if args.svg or args.html:
        kind = "svg" if args.svg else "html"
        if KINDS.get(ending, kind) != kind:
            message = f"--{kind} and the ending {ending} of {args.output} contradict each other"
            raise LayoutError("SL600", message, help="the ending alone says what is written")
        return kind
    if ending in IMAGES:
        message = f"{ending} is not a kind of picture here: {args.output}"
        raise LayoutError("SL600", message, help="--output FILE.svg, .html or .txt")
    return KINDS.get(ending, "text")


def _instance(layout: Any, args: Namespace) -> Any:
    """Linear layouts of all sizes at the sizes of the picture; any other layout as it is."""
    from symlayout.layouts.doors.family import Chain, Family
    from symlayout.render.draw.sizes import read_sizes

    if not isinstance(layout, (Family, Chain)):
        return layout
    wishes = dict.fromkeys(layout.names, (2, 3, 1, 4))
    sizes, choices = read_sizes(layout.names, args.size, args.where, wishes)
    _tell(sizes, choices)
    args.size, args.where = [], []
    return layout.instance(sizes)


def _tell(sizes: dict[str, int], choices: list[str]) -> None:
    """Which sizes nobody gave."""
    if choices:
        text = ", ".join(f"{n}={sizes[n]}" for n in choices)
        print(f"symlayout: sizes chosen for the picture: {text} (--size)", file=sys.stderr)


def _is_map(layout: Any) -> bool:
    from symlayout.layouts.maps.function import IndexFunction

    return isinstance(layout, IndexFunction) and not layout.plain


def _sizes(layout: Any, args: Namespace) -> dict[str, int]:
    from symlayout.expr.facts import Facts
    from symlayout.prove.applied import expansion
    from symlayout.render.draw.sizes import read_sizes, wishes_of, wishes_of_map

    if _is_map(layout):
        names, wishes = layout.names, wishes_of_map(layout)
    else:
        result = layout.index_map()
        names, wishes = result.symbols, wishes_of(result)
    facts = Facts.read(expansion(args.where))
    facts.check_names({*names, *(n for n in facts.written if has_size(args.layout, n))})
    sizes, choices = read_sizes(names, args.size, args.where, wishes)
    _tell(sizes, choices)
    return sizes


def _text(d: Drawing) -> str:
    """The picture as text, below the shape and strides of an operation or an atom."""
    modes = modes_text(d.layout)
    return f"{modes}\n{_picture(d)}" if modes else _picture(d)


def _picture(d: Drawing) -> str:
    from symlayout.render.draw import banks, schedule, threads
    from symlayout.render.draw.levels import levels_of
    from symlayout.render.draw.text import draw

    if d.args.banks:
        return banks.text(d.index_map, d.sizes, d.bits, d.assumed)
    if d.args.tv:
        return threads.text(d.index_map, d.sizes, threads.read_tile(d.args.tv))
    if _is_map(d.layout):
        return schedule.text(d.layout, d.sizes, _width())
    return draw(
        d.index_map,
        d.sizes,
        colour=d.args.output is None and colourful(sys.stdout),
        width=_width(),
        levels=levels_of(d.layout, d.sizes),
        value=getattr(d.layout, "padding_value", None),
    )


def _svg(d: Drawing) -> str:
    from symlayout.render.draw import banks, threads
    from symlayout.render.draw.pictures import picture

    if d.args.tv:
        return threads.svg(d.index_map, d.sizes, threads.read_tile(d.args.tv))
    if d.args.banks:
        return banks.svg(d.index_map, d.sizes, str(d.layout), d.bits, d.assumed)
    return picture(d.layout, d.sizes, bits=d.bits)


def _html(d: Drawing) -> str:
    from symlayout.layouts.cute.swizzle import ComposedLayout
    from symlayout.render.draw.interactive import page, still

    if d.args.tv or d.args.banks or (isinstance(d.layout, ComposedLayout) and not d.sizes):
        return still(str(d.layout), _svg(d))
    return page(d.layout, d.sizes)


WRITERS = {"text": _text, "svg": _svg, "html": _html}


def _width() -> int:
    return max(40, shutil.get_terminal_size((100, 24)).columns)
