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
    >>> [has_size(f"f32[M+T-T,{n}]{{1,0:T(8,128)}}", "T") for n in ("M", "T")]
    [True, True]
    >>> has_size("f32[M,N]{1,0:T(8,128)}", "T")
    False
    """
    if name not in sizes_in(text):
        return False
    own, other = re.compile(rf"(?<![\w.]){name}(?!\w)"), unused(name, names_in(text))
    places = [m.span() for m in own.finditer(text)]
    texts = [own.sub(other, text), *(f"{text[:a]}{other}{text[b:]}" for a, b in places)]
    return not _reads(text) or any(map(_reads, texts))


def _reads(text: str) -> bool:
    """Whether it is a layout, which a relation is not."""
    try:
        parse(text)
    except LayoutError:
        return False
    return True
