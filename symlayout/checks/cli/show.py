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
    from symlayout.render.draw.sizes import read_sizes
    from symlayout.render.draw.text import draw

    made: IndexMap = parse(args.layout).index_map()
    sizes, chosen = read_sizes(made, args.size, args.where)
    if chosen:
        names = ", ".join(f"{n}={sizes[n]}" for n in chosen)
        print(f"symlayout: sizes chosen for the picture: {names} (--size)", file=sys.stderr)
    if args.svg:
        from symlayout.render.draw.svg import svg

        print(svg(made, sizes), end="")
        return 0
    print(draw(made, sizes, colour=colourful(sys.stdout), width=_width()), end="")
    return 0


def _width() -> int:
    return max(40, shutil.get_terminal_size((100, 24)).columns)
