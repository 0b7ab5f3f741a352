"""Regular expressions that are compiled when they are first asked: a start needs few of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


class _Pattern:
    """Stands for a compiled pattern, whose methods it takes over once one of them is used."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copies or pickles asks for
            raise AttributeError(name)
        compiled = re.compile(self._text, self._flags)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile(text, flags)`, put off until a method is called.

    >>> regex(r"[a-z]+").fullmatch("abc") is not None
    True
    """
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))
