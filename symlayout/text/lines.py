"""Lines of source files as Python's and C's readers count them."""

from __future__ import annotations

import re

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def lines_of(text: str) -> list[str]:
    """The lines with their ends; a form feed or a separator of Unicode ends none.

    >>> lines_of("a\\x0cb\\r\\nc")
    ['a\\x0cb\\r\\n', 'c']
    """
    return LINE.findall(text)
