"""Regular expressions that are compiled when they are first asked: a start needs few of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

NAMES = [name for name in dir(re.Pattern) if not name.startswith("_")]


class _Pattern:
    """Stands for a compiled pattern, whose methods it takes over once one of them is used."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags


class _Member:
    """A method or field of a pattern: the first one that is asked for compiles it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, pattern: _Pattern, kind: type[_Pattern]) -> Any:
        compiled = re.compile(pattern._text, pattern._flags)
        for name in NAMES:
            setattr(pattern, name, getattr(compiled, name))
        return getattr(compiled, self.name)


for each in NAMES:
    setattr(_Pattern, each, _Member(each))


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """`re.compile(text, flags)`, put off until a method is called.

    >>> regex(r"[a-z]+").fullmatch("abc") is not None
    True
    """
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))
