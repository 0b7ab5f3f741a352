"""C++ as CATLASS and CuTe write it: `MakeLayout(MakeShape(Int<2>{}, 4), MakeStride(...))`, and back."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from symlayout.errors import did_you_mean
from symlayout.expr.printing import Printer
from symlayout.expr.reader import FUNCTIONS, Scanner, expression_at
from symlayout.expr.terms import FloorDiv, Mod, as_expr, as_size
from symlayout.layouts.cute.identifiers import names
from symlayout.layouts.cute.inttuple import IntTuple, Static, congruent, flatten, is_static
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.reader import opens_tuple
from symlayout.layouts.reading import items, shown_at
from symlayout.layouts.xla.dtypes import element_type, help_for, known_as
from symlayout.text.limits import NESTING
from symlayout.text.lines import count
from symlayout.text.patterns import regex

SCOPE = r"(?:(?:tla|cute|Catlass|AscendC)\s*::\s*)*"
DECLARED = rf"\s*(?:(?:const\s+|constexpr\s+)*(?:auto|{SCOPE}Layout)\s+[A-Za-z_]\w*\s*=\s*)"
HEAD = regex(rf"(?:{DECLARED})?\s*{SCOPE}(?:(MakeLayout|make_layout)\s*\(|(Layout)\s*<)", re.ASCII)
# CATLASS makes a layout of an element type and a tag
WORD = r"\s*(?:\w+\s*::\s*)*(?P<word>\w+)\s*"
TAG = r"\s*(?:\w+\s*::\s*)*(?P<tag>\w+)\s*"
TAGGED = regex(rf"(?:{DECLARED})?\s*{SCOPE}MakeLayout\s*<{WORD},{TAG}>\s*\(", re.ASCII)
# or asks the tag for it: layout::zN::MakeLayout<half>(M, N)
MEMBER = regex(
    rf"(?:{DECLARED})?\s*(?:\w+\s*::\s*)*(?!(?:tla|cute|Catlass|AscendC|layout)\b)(?P<tag>\w+)\s*"
    rf"::\s*MakeLayout\s*(?:<{WORD}>\s*)?\(",
    re.ASCII,
)
TAGS = ("zN", "nZ", "zZ", "L0C", "Weight4BitnZ", "RowMajor", "ColumnMajor")
OTHER = regex(
    rf"(?:({DECLARED})|\s*{SCOPE})\s*{SCOPE}(?:([Mm]ake_?\w*|Get\w+|TileView|Shape|Stride)\s*[(<])?",
    re.ASCII,
)
WORDS = ("MakeLayout", "MakeShape", "MakeStride", "MakeCoord", "Layout", "Shape", "Stride")
TILES = ("MakeLayoutTile", "GetTileLayout", "TileView", "MakeTile")
SCOPED = regex(SCOPE)
CALLS = regex(r"(?:[Mm]ake_?(?:[Ss]hape|[Ss]tride|[Cc]oord|[Tt]ile|[Tt]uple))\s*\(")
TYPES = regex(r"(?:Shape|Stride|Coord|Tile|[Tt]uple)\s*<")
STATIC = regex(r"(?:Int|C)\s*<\s*(-?\d{1,999})\s*>|_(\d{1,999})(?!\w)", re.ASCII)
CONSTANT = regex(r"integral_constant\s*<\s*\w+\s*,\s*(-?\d{1,999})\s*>", re.ASCII)
RUN_TIME = regex(r"(?:unsigned\s+)?(?:int|long|size_t|u?int(?:8|16|32|64)_t)\s*\{", re.ASCII)
EMPTY = regex(r"\s*(?:\{\s*\}|\(\s*\))")
CALLED = regex(r"([A-Za-z_]\w*)\s*[(<]", re.ASCII)
MAJOR = regex(r"(?:cute\s*::\s*)?(LayoutLeft|LayoutRight|GenColMajor|GenRowMajor)(?:\s*\{\s*\})?")
OPERATORS = "*+-/%&<"


def is_cpp(text: str) -> bool:
    """Whether the text begins as a layout, a shape, or a declaration in C++ does."""
    if HEAD.match(text) is not None or MEMBER.match(text) is not None:
        return True
    other = OTHER.match(text)
    return other is not None and (other[1] is not None or other[2] is not None)


def read_cpp(text: str) -> Layout:
    """The layout that a C++ expression or declaration makes.

    >>> print(read_cpp("MakeLayout(MakeShape(Int<2>{}, 4), MakeStride(Int<12>{}, Int<1>{}))"))
    (_2,4):(_12,_1)
    >>> print(read_cpp("Layout<Shape<Shape<_4,_2>,_3>, Stride<Stride<_4,_16>,_1>>{}"))
    ((_4,_2),_3):((_4,_16),_1)

    `Int<n>{}` and `_n` are known when a kernel is compiled, all else at run time.  Without a stride
    it is the compact one, leftmost mode fastest; so it is for a shape alone.  Raises `LayoutError`
    with the place of the mistake.
    """
    scanner = Scanner(text)
    if (tagged := TAGGED.match(text) or MEMBER.match(text)) is not None:
        return _of_tag(scanner, tagged)
    head = HEAD.match(text)
    if head is None:
        return _shape_alone(scanner)
    scanner.at = head.end()
    close = ")" if head[1] else ">"
    places: list[int] = []
    first: list[Any] = []

    def part() -> Any:
        places.append(scanner.skip())
        if len(places) == 2 and (strides := _major(scanner, first[0])) is not None:
            return strides
        value = _value(scanner, 0, types=close == ">")
        first.append(value)
        return value

    parts = items(scanner, close, "between the shape and the strides", part, limited=False)
    if close == ">":
        _skip_empty(scanner)
    scanner.take(";")
    scanner.end("the layout")
    if not 1 <= len(parts) <= 3:
        message = "a layout is made of a shape, strides and an origin shape"
        raise scanner.error("SL107", message, head.start(1) if head[1] else 0, head.end())
    return _layout(scanner, parts, places)


def _of_tag(s: Scanner, head: re.Match[str]) -> Layout:
    """`MakeLayout<half, layout::zN>(M, N)`: a format of an element type, with rows and columns."""
    from symlayout.layouts.cute.formats import OF_CANN, SMALL, help_with_name, make_format

    word, tag = head.group("word", "tag")
    if tag not in TAGS:
        cann = tag in (*OF_CANN, *SMALL)
        hint = help_with_name(tag) if cann else f"known: {', '.join(TAGS)}"
        raise s.error(
            "SL100", f"the tag {tag!r} is not known", head.start("tag"), head.end("tag"), hint
        )
    dtype = word and (element_type(word) or known_as(word))
    if word and dtype is None:
        message = f"the element type {word!r} is not known"
        raise s.error("SL103", message, head.start("word"), head.end("word"), help_for(word))
    s.at = head.end()
    sizes = items(s, ")", "between the sizes", lambda: _value(s, 0, types=False), limited=False)
    s.take(";")
    s.end("the layout")
    if len(sizes) != 2:
        raise s.error(
            "SL107", f"a layout of rows and columns, not of {count(len(sizes), 'size')}", head.end()
        )
    with shown_at(s, head.end()):
        return make_format(tag, dtype, *sizes)


def _shape_alone(s: Scanner) -> Layout:
    """The compact layout of `MakeShape(...)` or `Shape<...>{}`, declared or not."""
    match = re.compile(DECLARED, re.ASCII).match(s.text)
    s.at = match.end() if match is not None else 0
    at = s.skip()
    scope = SCOPED.match(s.text, at)
    s.at = scope.end() if scope else at
    word = s.name() or ""
    if word in TILES:
        help = "claims: symlayout prove tiles LAYOUT 4,4; in Python: symlayout.tla.make_layout_tile"
        raise s.error("SL201", f"{word} makes a tile of a layout", at, s.at, help)
    if not re.fullmatch(r"[Mm]ake_?[Ss]hape|Shape", word):
        help = did_you_mean(word, list(WORDS)) or "write MakeLayout(MakeShape(..), MakeStride(..))"
        if re.fullmatch(r"[Mm]ake_?(?:[Ss]tride|[Cc]oord)|Stride", word):
            help = "write MakeLayout(MakeShape(..), MakeStride(..))"
        if re.fullmatch(r"make_tiled_(copy|mma)\w*", word):
            help = "write its layout of (thread, value) on the tile: tv LAYOUT on (16,8)"
        if word == "make_step":
            help = "write the sizes and their order as tuples: make_ordered_layout((M,N), (1,0))"
        if re.fullmatch("Get_?Tile", word, re.I):
            help = "the claim is: symlayout prove tiles LAYOUT 16,16"
        raise s.error("SL201", f"{word or 'this'} makes no layout", at, max(s.at, at + 1), help)
    s.at = at
    shape = _value(s, 0, types=False)
    s.take(";")
    s.end("the shape")
    return _layout(s, [shape], [at])


def _layout(s: Scanner, parts: list[Any], places: list[int]) -> Layout:
    from symlayout.layouts.cute.inttuple import prefix_product

    shape = parts[0]
    stride = parts[1] if len(parts) > 1 else prefix_product(shape)
    origin = parts[2] if len(parts) > 2 else ()
    if not congruent(shape, stride):
        raise s.error("SL107", "these strides do not nest as the shape does", places[1])
    true = origin if isinstance(origin, tuple) else (origin,)
    if any(isinstance(d, tuple) for d in true):
        raise s.error("SL107", "an origin shape has one integer per dimension", places[2])
    with shown_at(s, places[-1]):
        return Layout(shape, stride, true)


def _value(s: Scanner, depth: int, types: bool) -> IntTuple:
    """An IntTuple; `types` inside `<` and `>`, where `>` is not an operator."""
    if depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested tuples")
    at = s.skip()
    scope = SCOPED.match(s.text, at)
    s.at = scope.end() if scope else at
    for pattern, close in ((CALLS, ")"), (TYPES, ">")):
        hit = pattern.match(s.text, s.at)
        if hit is not None:
            s.at = hit.end()
            result = _items(s, depth, close)
            if close == ">":
                _skip_empty(s)
            return result
    static = STATIC.match(s.text, s.at) or CONSTANT.match(s.text, s.at)
    if static is not None:
        s.at = static.end()
        _skip_empty(s)
        s.skip()
        if s.text[s.at : s.at + 1] not in (*OPERATORS,) or types:
            return Static(int(next(g for g in static.groups() if g)))
    s.at = at
    if s.peek("(") and opens_tuple(s.text, at) and not types:
        s.at = at + 1
        return _items(s, depth, ")")
    match = CALLED.match(s.text, at)
    if match is not None and match[1] not in (*FUNCTIONS, "Int", "C", "integral_constant"):
        help = did_you_mean(match[1], list(WORDS)) or f"known: {', '.join(WORDS)}"
        raise s.error("SL201", f"{match[1]} is not known here", at, match.end(1), help)
    return _number(s, types)


def _number(s: Scanner, types: bool) -> IntTuple:
    match = RUN_TIME.match(s.text, s.at)
    if match is not None:
        s.at = match.end()
        result = as_size(expression_at(s, names))
        s.expect("}", "to close the brace")
        return result
    if types:
        pattern = re.compile(r"-?\d{1,1000}(?!\w)|[A-Za-z_]\w*", re.ASCII)
        word = s.need(pattern, "_n, Int<n> or a tuple")
        return Static(int(word)) if word.lstrip("-").isdigit() else as_size(names(word))
    return as_size(expression_at(s, names))


def cpp_sizes(text: str) -> IntTuple:
    """Sizes as C++ writes them.

    >>> cpp_sizes("Tile<_8, Shape<_4,_2>>{}")
    (Static(8), (Static(4), Static(2)))
    """
    s = Scanner(text)
    result = _value(s, 0, types=False)
    s.end("the sizes")
    return result


def _major(s: Scanner, shape: IntTuple) -> IntTuple | None:
    """The strides that `LayoutRight{}` or one of its kind gives a shape."""
    word = MAJOR.match(s.text, s.skip())
    if word is None:
        return None
    from symlayout.layouts.cute.inttuple import prefix_product

    s.at = word.end()
    if "Left" in word[1] or "Col" in word[1]:
        return prefix_product(shape)
    return _reversed(prefix_product(_reversed(shape)))


def _reversed(t: IntTuple) -> IntTuple:
    return tuple(map(_reversed, reversed(t))) if isinstance(t, tuple) else t


def _items(s: Scanner, depth: int, close: str) -> IntTuple:
    read = partial(_value, s, depth + 1, close == ">")
    inner = items(s, close, "between the modes", read, limited=False)
    return tuple(inner)


def _skip_empty(s: Scanner) -> None:
    match = EMPTY.match(s.text, s.at)
    if match is not None:
        s.at = match.end()


# -- printing --------------------------------------------------------------------------------------


class _Printer(Printer):
    """Sizes in words that C++ and our reader share: divisions as calls."""

    def _print(self, e: Any) -> str:
        if isinstance(e, (FloorDiv, Mod)):
            word = "floordiv" if isinstance(e, FloorDiv) else "mod"
            return f"{word}({self._print(e.args[0])}, {self._print(e.args[1])})"
        return super()._print(e)


def cpp_text(layout: Layout) -> str:
    """The layout as C++ makes it; as a type where everything is known when it is compiled.

    >>> from symlayout.tla import read_layout
    >>> print(cpp_text(read_layout("(_2,4):(_12,_1)")))
    MakeLayout(MakeShape(Int<2>{}, 4), MakeStride(Int<12>{}, Int<1>{}))
    >>> print(cpp_text(read_layout("((_4,_2),_3):((_4,_16),_1)")))
    Layout<Shape<Shape<_4,_2>,_3>, Stride<Stride<_4,_16>,_1>>{}
    """
    from symlayout.layouts.cute.inttuple import product_each

    shape, stride, own = layout._shape, layout._stride, product_each(layout._shape)
    if is_static((shape, stride)) and layout._origin == own and flatten(shape):
        return f"Layout<{_type('Shape', shape)}, {_type('Stride', stride)}>{{}}"
    parts = [_call("MakeShape", shape), _call("MakeStride", stride)]
    if layout._origin != own:
        parts.append(_call("MakeShape", layout._origin))
    return f"MakeLayout({', '.join(parts)})"


def _type(word: str, t: IntTuple) -> str:
    if isinstance(t, tuple):
        return f"{word}<{','.join(_type(word, x) for x in t)}>"
    return str(t)


def _call(word: str, t: IntTuple) -> str:
    if isinstance(t, tuple):
        return f"{word}({', '.join(_call(word, x) for x in t)})"
    return f"Int<{int(t)}>{{}}" if isinstance(t, Static) else str(_Printer().doprint(as_expr(t)))
