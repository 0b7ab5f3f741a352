"""Functions of layouts inside expressions: `offset(f32[M,N]{1,0:T(8,128)}, i, j) + size((4,N))`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.reader import FUNCTIONS, Names, Scanner, any_name, read_expression, suggestion
from symlayout.expr.tree import Expr
from symlayout.layouts.cute.tuples import TYPES, plain_tuples, without_marks
from symlayout.layouts.reading import arguments_of
from symlayout.text.limits import NESTING
from symlayout.text.patterns import regex

WORDS = ("offset", "crd2offset", "size", "cosize", "bytes", "rank", "true_rank", "depth")
CALL = regex(rf"(?<![\w.])({'|'.join(WORDS)})\s*\(")
UNKNOWN = regex(r"the function '(\w+)' is not known")
NAMED = regex(r"\s*([A-Za-z_]\w*)\s*\Z", re.ASCII)
USAGE = {
    "offset": "offset(LAYOUT, i, j, ..)",
    "crd2offset": "crd2offset(COORDINATE, SHAPE, STRIDE), or crd2offset(COORDINATE, LAYOUT)",
}


@dataclass(frozen=True)
class Call:
    """A function of a layout in a text: its name, its arguments as texts, and where it stands."""

    word: str
    arguments: tuple[str, ...]
    places: tuple[int, ...]
    start: int
    end: int

    @property
    def layout(self) -> int:
        """Which argument is the layout."""
        return 1 if self.word == "crd2offset" else 0


# the value of a call; the second argument reads an expression that stands inside of it
Value = Callable[[Call, Callable[[str], Expr]], Expr]


def calls(text: str) -> list[Call]:
    """The calls of a text that stand in no other one.

    >>> [c.arguments for c in calls("size((4,N)) + offset(f32[M,N], i, 2*j)")]
    [('(4,N)',), ('f32[M,N]', 'i', '2*j')]

    Raises `LayoutError` (SL101) for a call that is never closed.
    """
    if "(" not in text and not TYPES.search(text):  # as most facts are
        return []
    text = plain_tuples(text)
    scanner, results, at = Scanner(text), [], 0
    while (match := CALL.search(text, at)) is not None:
        spans, at = arguments_of(scanner, match.end())
        texts = tuple(text[a:b].strip() for a, b in spans)
        results.append(Call(match[1], texts, tuple(a for a, _ in spans), match.start(), at))
    return results


def applied(text: str, value: Value, names: Names = any_name, depth: int = 0) -> tuple[str, Names]:
    """The text with a name in place of each call, and what all its names mean.

    Every place in the text stays where it was, so that errors point there.

    >>> text, names = applied("size((4,3)) * k", lambda call, read: read("12"))
    >>> text, names("_call0"), names("k")
    ('_call0      * k', 12, k)
    """
    if depth > NESTING:
        raise LayoutError("SL204", f"more than {NESTING} calls inside one another")
    source, text = text, plain_tuples(text)
    hits = calls(text)
    if not hits:
        return text, names
    mark = "_call"
    while mark in text:
        mark = "_" + mark
    short = f"{mark}{len(hits)}"
    table: dict[str, Expr] = {}

    def read(inner: str) -> Expr:
        plain, known = applied(inner, value, names, depth + 1)
        return read_expression(plain, known)

    pieces, last = [], 0
    for k, call in enumerate(hits):
        name = f"{mark}{k}"
        width = max(call.end - call.start, len(short))
        pieces += [text[last : call.start], name.ljust(width)]
        last = call.end
        table[name] = _value(source, call, value, read)
    result = "".join([*pieces, text[last:]])
    return result, lambda word: table[word] if word in table else names(word)


def _value(text: str, call: Call, value: Value, read: Callable[[str], Expr]) -> Expr:
    """The value of a call; a mistake in an argument is shown in the whole text."""
    least = {"offset": 2, "crd2offset": 2}.get(call.word, 1)
    most = {"offset": None, "crd2offset": 3}.get(call.word, 1)
    count = len(call.arguments)
    usage = USAGE.get(call.word, f"{call.word}(LAYOUT)")
    if not call.arguments[0:1] or count < least - (call.word == "offset"):
        raise LayoutError("SL101", f"write {usage}", text=text, at=call.start, end=call.end)
    if most is not None and count > most:
        raise LayoutError("SL101", f"write {usage}", text=text, at=call.start, end=call.end)
    try:
        return value(call, read)
    except LayoutError as error:
        at, end = call.start, call.end
        if error.text is not None and error.at is not None:
            inside = text.find(error.text.strip(), call.start, call.end)
            if inside >= 0:
                shift = inside - (len(error.text) - len(error.text.lstrip()))
                at, end = shift + error.at, shift + (error.end or error.at + 1)
        raise LayoutError(
            error.code, error.message, text=text, at=at, end=end, help=error.help
        ) from None


def tuple_value(text: str, read: Callable[[str], Expr], depth: int = 0) -> Any:
    """A coordinate, shape or stride: an expression, or a tuple of them in parentheses.

    >>> tuple_value("((1, 0), (i + 1, 1))", lambda text: read_expression(text))
    ((1, 0), (i + 1, 1))
    >>> tuple_value("tla::MakeCoord(_1, Int<5>{})", lambda text: read_expression(text))
    (1, 5)
    """
    inner = (text if depth else without_marks(plain_tuples(text))).strip()
    if depth > NESTING:
        raise LayoutError("SL204", f"more than {NESTING} nested parentheses")
    if inner.startswith("("):
        scanner = Scanner(inner)
        spans, end = arguments_of(scanner, 1)
        if end == len(inner):
            parts = [inner[a:b] for a, b in spans]
            if not parts:
                return ()
            if len(parts) > 1:
                rest = parts if parts[-1].strip() else parts[:-1]  # (4,)
                return tuple(tuple_value(p, read, depth + 1) for p in rest)
            return tuple_value(parts[0], read, depth + 1)
    return read(inner)


def shape_alone(call: Call, read: Callable[[str], Expr]) -> Any:
    """The shape that `size`, `rank` or `depth` is asked of; None where a layout is.

    >>> shape_alone(Call("size", ("(4,(N,_2))",), (5,), 0, 16), read_expression)
    (4, (N, 2))
    """
    if call.word not in ("size", "rank", "depth"):
        return None
    text = without_marks(plain_tuples(call.arguments[0])).strip()
    tuple_ = text.startswith("(") and ":" not in text and "[" not in text
    return tuple_value(text, read) if tuple_ or text.isdigit() else None


def with_layouts(text: str, layouts: Mapping[str, str]) -> str:
    """The text with the texts of named layouts in place of their names.

    >>> with_layouts("offset(hbm, size(hbm), hbm)", {"hbm": "(4,N)"})
    'offset((4,N), size((4,N)), hbm)'
    """
    pieces, last = [], 0
    try:
        hits = calls(text)
    except LayoutError:
        return text  # whoever reads the text says what is wrong with it
    for call in hits:
        pieces.append(text[last : call.start])
        head = text[call.start : text.index("(", call.start) + 1]
        parts = list(call.arguments)
        for k, part in enumerate(parts):
            name = NAMED.match(part)
            if k == call.layout and name is not None and name[1] in layouts:
                parts[k] = layouts[name[1]]
            else:
                parts[k] = with_layouts(part, layouts)
        pieces += [head, ", ".join(parts), ")"]
        last = call.end
    return "".join([*pieces, text[last:]])


def unknown_function(error: LayoutError) -> LayoutError:
    """The error, with the function of layouts whose name is near to the one that is not known."""
    match = UNKNOWN.match(error.message)
    if error.code == "SL201" and match is not None:
        names = [*WORDS, *FUNCTIONS]
        near = suggestion(match[1]) or did_you_mean(match[1], names)
        error.help = near or f"known: {', '.join(names)}"
    return error
