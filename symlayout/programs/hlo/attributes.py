"""Attributes of instructions as written: what no rule looks at is read when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symlayout.errors import LayoutError
from symlayout.programs.hlo.nesting import STRING, bracket_pattern, closing
from symlayout.text.patterns import regex

KEY = regex(r"\s*+,\s*+(?P<key>[\w.\-]++)\s*+=\s*+")
ONE = rf"{STRING}|{bracket_pattern(8, '{', '}')}|(?:(?>[\w.%+:?]|-(?!>)))++(?:->[\w?]++)?"
VALUE = regex(ONE)
# what joins the parts of one value: [2,4]<=[8]T(1,0), (f32[2])->f32[2]{0}, mesh['x'=2] {'x'}
MORE = regex(
    r"\s*+(?:<=|->)\s*+|(?<=\w)(?=\[)|(?<=\])(?=\{)|(?<=\])T(?=\()"
    r"|(?<=\])\s++(?=\{')"
)
BLANKS = regex(r"[ \t]++(?=[^\s,])")  # between the shape of a literal and its numbers
# long texts that differ from one instruction to the next, and say nothing about its shape
APART = frozenset({"metadata", "backend_config", "frontend_attributes", "origin", "statistics"})


def value_end(text: str, at: int, key: str = "") -> int:
    """Where the value of an attribute ends: words and brackets without blanks between them.

    >>> value_end("replica_groups=[2,4]<=[8]T(1,0), metadata={}", 15)
    31

    Raises `LayoutError` (SL721) where there is none.
    """
    start = at
    while True:
        match = VALUE.match(text, at)
        if match is not None:
            at = match.end()
        elif text[at : at + 1] in ("(", "[", "{"):
            at = closing(text, at)
        elif at == start:
            raise LayoutError("SL721", "expected the attribute's value", text=text, at=at)
        more = MORE.match(text, at)
        if more is None and key == "literal":
            more, key = BLANKS.match(text, at), ""
        if more is None:
            return at
        at = more.end()


def read_attributes(text: str, at: int, stop: int | None = None) -> dict[str, str]:
    """The attributes from `at` on, each behind a comma; none begins at `stop` or behind it.

    >>> read_attributes(", kind=kLoop, calls=%f", 0)
    {'kind': 'kLoop', 'calls': '%f'}
    """
    names: dict[str, str] = {}
    end = len(text) if stop is None else stop
    while at < end and (key := KEY.match(text, at)) is not None:
        at = value_end(text, key.end(), key["key"])
        names[key["key"]] = text[key.end() : at]
    return names


class Attributes(Mapping[str, str]):
    """Attributes of which those of `APART` stand last, from `at` on in the text.

    >>> made = Attributes({"index": "1"}, 'x, index=1, metadata={op_name="f"}', 10)
    >>> made["index"], made["metadata"], len(made)
    ('1', '{op_name="f"}', 2)
    """

    __slots__ = ("_at", "_text", "plain")

    def __init__(self, plain: dict[str, str], text: str, at: int) -> None:
        self.plain, self._text, self._at = plain, text, at

    def __getitem__(self, key: str) -> str:
        if key in self.plain or key not in APART:
            return self.plain[key]
        return read_attributes(self._text, self._at)[key]

    def __iter__(self) -> Iterator[str]:
        yield from self.plain
        yield from read_attributes(self._text, self._at)

    def __len__(self) -> int:
        return len(self.plain) + len(read_attributes(self._text, self._at))

    def __repr__(self) -> str:
        return repr(dict(self))


def plain(attributes: Mapping[str, str]) -> Mapping[str, str]:
    """The attributes without those that are read only when asked for."""
    return attributes.plain if isinstance(attributes, Attributes) else attributes
