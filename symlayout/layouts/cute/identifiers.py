"""What an identifier means inside a CuTe text: `_8` is the static integer 8."""

from __future__ import annotations

import re

from symlayout.errors import LayoutError
from symlayout.expr.reader import any_name
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.cute.inttuple import Static
from symlayout.text.limits import DIGITS
from symlayout.text.patterns import regex

STATIC = regex(r"_(-?\d+)(?!\w)", re.A)


def names(word: str) -> Expr | None:
    """What an identifier means inside an expression: `_8` is 8, anything else a symbol."""
    return Integer(static(word)) if STATIC.fullmatch(word) else any_name(word)


def static(word: str) -> Static:
    """The number of a word such as `_8`."""
    if len(word) > DIGITS:
        message = f"a number of {len(word) - 1} digits is too long: the limit is {DIGITS}"
        raise LayoutError("SL204", message)
    return Static(word[1:])
