"""`symlayout show`: a layout as a picture, in text or SVG."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from symlayout.checks.cli.options import colourful

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.maps.function import IndexFunction


def run(args: Namespace) -> int:
    """`symlayout show LAYOUT`."""
    from symlayout.layouts.maps.function import IndexFunction
    from symlayout.layouts.notation import parse
    from symlayout.render.draw.levels import levels_of
    from symlayout.render.draw.sizes import read_sizes
    from symlayout.render.draw.text import draw

    layout = parse(args.layout)
    if isinstance(layout, IndexFunction) and not layout.plain:
        return _of_map(layout, args)
    made: IndexMap = layout.index_map()
    sizes, chosen = read_sizes(made.symbols, args.size, args.where)
    _say_sizes(sizes, chosen)
    levels, held = levels_of(layout, sizes), getattr(layout, "padding_value", None)
    if args.svg:
        from symlayout.render.draw.svg import svg

        print(svg(made, sizes, levels, held), end="")
        return 0
    on = colourful(sys.stdout)
    text = draw(made, sizes, colour=on, width=_width(), levels=levels, value=held)
    print(text, end="")
    return 0


def _of_map(f: IndexFunction, args: Namespace) -> int:
    """The picture of a map that is no layout: of a schedule, most often."""
    from symlayout.render.draw.schedule import svg, text
    from symlayout.render.draw.sizes import read_sizes

    sizes, chosen = read_sizes(f.names, args.size, args.where)
    _say_sizes(sizes, chosen)
    print(svg(f, sizes) if args.svg else text(f, sizes, _width()), end="")
    return 0


def _say_sizes(sizes: dict[str, int], chosen: list[str]) -> None:
    if chosen:
        names = ", ".join(f"{n}={sizes[n]}" for n in chosen)
        print(f"symlayout: sizes chosen for the picture: {names} (--size)", file=sys.stderr)


def _width() -> int:
    return max(40, shutil.get_terminal_size((100, 24)).columns)
