"""`symlayout show`: a layout as a picture, in text or SVG."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from symlayout.checks.cli.options import colourful

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap


def run(args: Namespace) -> int:
    """`symlayout show LAYOUT`."""
    from symlayout.layouts.notation import parse
    from symlayout.render.draw.levels import levels_of
    from symlayout.render.draw.sizes import read_sizes
    from symlayout.render.draw.text import draw

    layout = parse(args.layout)
    made: IndexMap = layout.index_map()
    sizes, chosen = read_sizes(made, args.size, args.where)
    if chosen:
        names = ", ".join(f"{n}={sizes[n]}" for n in chosen)
        print(f"symlayout: sizes chosen for the picture: {names} (--size)", file=sys.stderr)
    levels, held = levels_of(layout, sizes), getattr(layout, "padding_value", None)
    if args.svg:
        from symlayout.render.draw.svg import svg

        print(svg(made, sizes, levels, held), end="")
        return 0
    on = colourful(sys.stdout)
    text = draw(made, sizes, colour=on, width=_width(), levels=levels, value=held)
    print(text, end="")
    return 0


def _width() -> int:
    return max(40, shutil.get_terminal_size((100, 24)).columns)
