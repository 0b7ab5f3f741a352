"""The picture that fits a value: a swizzle before and after, a map, or a layout's offsets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symlayout.errors import LayoutError
from symlayout.layouts.cute.swizzle import ComposedLayout
from symlayout.layouts.doors.tv import ThreadValue
from symlayout.layouts.maps.function import IndexFunction
from symlayout.render.draw import schedule, swizzles, threads
from symlayout.render.draw.levels import levels_of
from symlayout.render.draw.sizes import read_sizes, wishes_of, wishes_of_map
from symlayout.render.draw.svg import svg


def picture(
    layout: Any, sizes: Mapping[str, int] | None = None, *, bits: int = 16, card: bool = True
) -> str:
    """A layout or a map as SVG, at sizes that show its tiles where none are given.

    `bits` is the width of an element, which a swizzle's banks depend on.

    >>> from symlayout import parse
    >>> "bank 0" in picture(parse("Swizzle(1,0,1) o 0 o (2,2):(2,1)"), bits=32)
    True

    Raises `LayoutError` for sizes that are missing or too large.
    """
    if sizes is None:
        sizes, _ = chosen_sizes(layout)
    if isinstance(layout, ThreadValue):
        value = threads.holders_of_map(layout, sizes)
        if value is not None:
            return threads.drawing(value, str(layout), card)
    if isinstance(layout, IndexFunction) and not layout.plain:
        return schedule.svg(layout, sizes, card=card)
    if isinstance(layout, ComposedLayout):
        try:
            return swizzles.svg(layout, sizes, bits, card=card)
        except LayoutError as error:
            if error.code != "SL405":
                raise
    padding = getattr(layout, "padding_value", None)
    result = layout.index_map() if hasattr(layout, "index_map") else layout
    return svg(result, sizes, levels_of(layout, sizes), padding, card=card)


def chosen_sizes(layout: Any) -> tuple[dict[str, int], list[str]]:
    """Sizes that show the tiles or the groups, and the names of those that were chosen.

    >>> from symlayout import parse
    >>> chosen_sizes(parse("f32[M,N]{1,0:T(8,128)}"))
    ({'M': 12, 'N': 192}, ['M', 'N'])
    """
    if isinstance(layout, IndexFunction) and not layout.plain:
        return read_sizes(layout.names, [], (), wishes_of_map(layout))
    result = layout.index_map() if hasattr(layout, "index_map") else layout
    return read_sizes(result.symbols, [], (), wishes_of(result))
