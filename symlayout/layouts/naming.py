"""Which names of a text are sizes, and which are words of its notation."""

from __future__ import annotations

import re

from symlayout.errors import LayoutError
from symlayout.layouts.claim import names_in, sizes_in
from symlayout.layouts.notation import parse
from symlayout.text.names import unused


def has_size(text: str, name: str) -> bool:
    """Whether a name in a text may be a size, also where its term cancels, and is not a word of it.

    >>> [has_size("Swizzle<2,0,3> o (M,1):(1,S)", n) for n in ("S", "o", "N")]
    [True, False, False]
    """
    if name not in sizes_in(text):
        return False
    other = re.sub(rf"(?<![\w.]){name}(?!\w)", unused(name, names_in(text)), text)
    return not _reads(text) or _reads(other)


def _reads(text: str) -> bool:
    """Whether it is a layout, which a relation is not."""
    try:
        parse(text)
    except LayoutError:
        return False
    return True
