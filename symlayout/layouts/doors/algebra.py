"""The operations of CuTe's algebra as texts: `zipped_divide((M,N):(N,1), (16,8))` is a layout.

What an operation needs of the sizes it takes from the facts of the claim that it stands in, so its
layout is made when a claim asks for it.  The operations stand in the room of the algebra.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symlayout.errors import did_you_mean
from symlayout.expr.reader import Scanner
from symlayout.hooks import hook
from symlayout.layouts.doors.operations import HEAD, OPERATIONS, OPTIONS, OTHERS, begins, usage
from symlayout.layouts.reading import arguments_of, part_from
from symlayout.layouts.xla.dtypes import BITS
from symlayout.text.limits import NESTING
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.expr.facts import Facts
    from symlayout.layouts.demands import Demand
    from symlayout.layouts.indexmap import IndexMap

# a word that is neither called nor an option's
WORD = regex(r"(?<!\w)[A-Za-z_]\w*+(?!\s*(?:\(|=(?!=)))", re.A)
OPTION = regex(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*(.*\S)\s*", re.A | re.S)
ANGLES = regex(r"\b(?:Swizzle|Sw?)\s*<([^<>]*)>(?:\s*\{\s*\})?")
LAYOUT_TYPE = regex(r"(?:cute::|tla::)?Layout\s*<")
SIZES_TYPE = regex(r"(?:cute::|tla::)?(?:Shape|Stride|Tile|Coord|tuple)\s*<")


@dataclass(frozen=True)
class Algebra:
    """An operation, its arguments as they are written, and the facts under which it is asked for.

    >>> made = read_algebra("zipped_divide((M,N):(N,1), (16,8))")
    >>> print(made, "is", made.under(["M % 16 == 0", "N % 8 == 0"]).layout)
    zipped_divide((M,N):(N,1), (16,8)) is ((16,8),(M//16,N//8)):((N,1),(16*N,8))

    Raises `LayoutError` where the algebra has no such layout, or the facts leave it open.
    """

    name: str
    arguments: tuple[str, ...]
    facts: Facts | None = None

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.arguments)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Algebra) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def under(self, where: Any) -> Algebra:
        """The same under these facts."""
        from symlayout.expr.facts import Facts

        return replace(self, facts=Facts.read(where))

    @cached_property
    def _result(self) -> tuple[Any, tuple[Demand, ...]]:
        """The layout, and what the operands demand."""
        from symlayout.expr.facts import Facts

        results: tuple[Any, tuple[Demand, ...]]
        results = hook("algebra")(self.name, self.arguments, Facts.read(self.facts))
        return results

    @property
    def layout(self) -> Any:
        """The layout that the operation gives."""
        return self._result[0]

    @property
    def demands(self) -> tuple[Demand, ...]:
        """What its operands demand, and theirs: a stride of no use is not a part of the layout."""
        return self._result[1]

    @property
    def shape(self) -> Any:
        """The shape of the layout."""
        return self.layout.shape

    def index_map(self) -> IndexMap:
        """The map of the layout; all symbols of the text are sizes of it, those that vanish as well."""
        index_map: IndexMap = self.layout.index_map()
        own = {c.name for c in index_map._coords}
        demands = tuple(dict.fromkeys((*index_map.demanded, *self.demands)))
        sizes = {*index_map.symbols, *(n for d in demands for n in d.names)}
        both = [(w, a) for a in self.arguments for w in WORD.findall(a) if w not in _WORDS]
        # in `f32[M]` and `strided f32[M] strides(1)` stand words that are no sizes
        words = [w for w, a in both if w in sizes or "[" not in a]
        words = [w for w in words if w not in own and not w.startswith("_")]
        known = tuple(dict.fromkeys([*index_map.symbols, *words]))
        return replace(index_map, text=str(self), symbols=known, demands=demands)

    def _repr_html_(self) -> str:
        return str(hook("html")(self.layout))


_WORDS = frozenset(["o", "True", "False", "cute", "tla", *BITS])


def read_algebra(text: str, depth: int = 0) -> Algebra:
    """The operation that a text spells; an argument may be an operation itself.

    >>> print(read_algebra("coalesce( composition((8,8):(1,8), (4,2):(2,16)) )"))
    coalesce(composition((8,8):(1,8), (4,2):(2,16)))

    Raises `LayoutError` with the place of the mistake.
    """
    text = ANGLES.sub(r"Swizzle(\1)", text)
    s = Scanner(text)
    head = HEAD.match(text)
    if head is not None and head[1] in OTHERS:
        message = f"{head[1]} gives {OTHERS[head[1]]}"
        raise s.error("SL100", message, head.start(1), head.end(1))
    if head is None or head[1] not in OPERATIONS:
        raise s.error("SL100", f"expected one of {', '.join(OPERATIONS)}")
    if depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested operations")
    name = head[1]
    spans, s.at = arguments_of(s, head.end())
    s.end("the layout")
    matches = [OPTION.fullmatch(text, *span) for span in spans]
    _count(s, name, spans, matches)
    arguments, options = [], []
    for (start, end), option in zip(spans, matches):
        if option is not None:
            options.append(f"{option[1]}={option[2]}")
            continue
        inner = text[start:end].strip()
        if begins(inner):
            with part_from(s, text.index(inner, start)):
                inner = str(read_algebra(inner, depth + 1))
        arguments.append(_plain(inner))
    return Algebra(name, (*arguments, *options))


def _plain(text: str) -> str:
    """An argument without the types of C++.

    >>> _plain("Layout<Shape<_8,_4>>{}"), _plain("Tile<_8,_4>{}"), _plain("(M,N):(N,1)")
    ('(_8,_4):(1,8)', '(_8,_4)', '(M,N):(N,1)')
    """
    layout = LAYOUT_TYPE.match(text)
    if not layout and not SIZES_TYPE.match(text):
        return text
    from symlayout.layouts.cute.cpp import cpp_sizes, read_cpp
    from symlayout.layouts.cute.inttuple import text_of as sizes_text

    return str(read_cpp(text)) if layout else sizes_text(cpp_sizes(text))


def _count(s: Scanner, name: str, spans: list[Any], matches: list[re.Match[str] | None]) -> None:
    """Raises `LayoutError` (SL100) for too few arguments or too many, or an unknown option."""
    start = s.text.index(name)
    least, most = OPERATIONS[name]
    words = [m[1] for m in matches if m is not None]
    for match in matches:
        if match is not None and (
            match[1] not in OPTIONS.get(name, ()) or words.count(match[1]) > 1
        ):
            known = ", ".join(OPTIONS.get(name, ()))
            twice = match[1] in OPTIONS.get(name, ())
            near = None if twice else did_you_mean(match[1], list(OPTIONS.get(name, ())))
            help = near or f"it has {known}, once" if known else "its arguments have no names"
            message = f"{name} does not take {match[1]}="
            raise s.error("SL100", message, match.start(1), match.end(1), help)
    count = len(spans) - len(words)
    named = len([w for w in words if w != "weak"])  # which may stand in its place as well
    if not least <= count <= most - named:
        between = "or" if most == least + 1 else "to"
        number = str(least) if least == most else f"{least} {between} {most}"
        plural = "" if number == "1" else "s"
        message = f"{name} takes {number} argument{plural}, got {count}"
        raise s.error("SL100", message, start, help=usage(name))
