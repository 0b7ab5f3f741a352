"""A padding ratio: a positive number that is written in few digits."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from symlayout.errors import LayoutError
from symlayout.text.limits import NUMBER_DIGITS
from symlayout.text.patterns import regex

MANY = rf"\d{{1,{NUMBER_DIGITS}}}"
DECIMAL = rf"({MANY}(\.\d{{0,{NUMBER_DIGITS}}})?|\.{MANY})(e[+-]?\d\d?)?"
RATIO = regex(rf"[+-]?({MANY}/{MANY}|{DECIMAL})", re.A | re.I)


def read_ratio(number: Any) -> Fraction:
    """A positive number: an int, a decimal or a fraction such as 3/2.

    >>> read_ratio("1.5"), read_ratio("4/3")
    (Fraction(3, 2), Fraction(4, 3))

    Raises `LayoutError` (SL502) for anything else, and for numbers of very many digits.
    """
    text = display(number).strip()
    if not RATIO.fullmatch(text):
        some = text if len(text) < 60 else text[:50] + "..."
        message = f"a padding ratio is a number such as 1.5, not {some!r}"
        help = "1.5 allows a buffer of one and a half times the array's elements"
        raise LayoutError("SL502", message, help=help)
    try:
        ratio = Fraction(text)
    except ZeroDivisionError:
        raise LayoutError("SL502", f"a padding ratio is a number, not {text}") from None
    if ratio <= 0:
        raise LayoutError("SL502", f"a padding ratio is positive, not {text}")
    return ratio


def display(number: Any) -> str:
    """The text of a number; one that Python does not print is not a number of ours."""
    try:
        return str(number)
    except ValueError:
        return f"an integer of {number.bit_length()} bits"
