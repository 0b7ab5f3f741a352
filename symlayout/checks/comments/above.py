"""What names of C code mean by the definitions above a place, where those are sure to be the last."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from symlayout.text.patterns import regex

DEPTH = 12  # definitions that stand in one another
DEFINED = regex(
    r"(?:[\w:<>,*&\s]*[\s*&])?([A-Za-z_]\w*)\s*=(?!=)\s*([\w\s+\-*/%&|^()<>.\[\]:]+)", re.S
)
# what is never closed goes to the end, and no text is read twice
RAW = r'(?:u8|[uUL])?R"([^()\\\s"]{0,16})\((?:.*?\)\1"|.*)'  # a string of C++ as it stands
COMMENT = regex(
    rf"(?<!\w){RAW}"
    r'|//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:(?>\\.|\\\Z|[^"\\\n]))*+(?:"|(?=\n)|\Z)',
    re.S,
)
MARK = regex(r"[;{}()]")
WORDS = r"(?:const|unsigned|signed|long|short|int|char|size_t|ptrdiff_t|u?int(?:8|16|32|64)_t)"
CAST = regex(
    rf"\(\s*(?:std::)?{WORDS}(?:\s+{WORDS})*\s*\)"
    rf"|\bstatic_cast\s*<\s*(?:std::)?{WORDS}(?:\s+{WORDS})*\s*>"
)
NAME = regex(r"(?<![\w.>])[A-Za-z_]\w*(?!\s*\()")
CONSTANT = regex(r"\s*(?:static\s+)?(?:const|constexpr)\b")
# types that hold no integers, and references
OTHER = regex(r"\b(?:float|double|bool|\w*half2?|\w*bfloat16\w*|\w*float16\w*|auto\s*&+)")
# what takes no reference to a variable
BY_VALUE = {"if", "while", "for", "switch", "return", "sizeof", "static_cast", "reinterpret_cast"}
BY_VALUE |= {"min", "max", "abs", "assert", "static_assert", "printf", "cdiv", "ceildiv"}
BY_VALUE |= {"ceil_div", "CEIL_DIV", "CEILDIV", "DIVUP", "__ldg"}
PART = regex(r"\w+|\S")
LOOP = regex(r"\s*(?:for|while|do)\b")


class Definitions(NamedTuple):
    """What stands above a place, in its order: statements, heads of loops around, closed blocks.

    `below` is what follows in the function: a loop around the place comes to it before it comes back.
    """

    above: tuple[tuple[str, str], ...]  # a kind and a text
    below: str

    def of(self, word: str) -> str | None:
        """The value of a name; None where it is not sure."""
        passed = False  # to a function that may change it, unless it is a constant
        for k in range(len(self.above) - 1, -1, -1):
            kind, text = self.above[k]
            if not _changes(word, text):
                passed = passed or _is_passed(word, text)
                continue
            match = DEFINED.fullmatch(text.strip()) if kind == "statement" else None
            if match is None or match[1] != word or _holds_other(text):
                return None
            value = without_casts(match[2]).strip()
            later = [t for _, t in self.above[k + 1 :]]
            if any(kind == "loop" for kind, _ in self.above[k + 1 :]):
                later.append(self.below)
                passed = passed or _is_passed(word, self.below)
            names = {word, *NAME.findall(value)}
            if any(_changes(n, t) for n in names for t in later):
                return None
            return None if passed and not CONSTANT.match(text) else value
        return None

    def put_in(self, expression: str, known: Collection[str], depth: int = 0) -> str:
        """The expression with values in the place of the names that are not known."""

        def change(m: re.Match[str]) -> str:
            value = None if m[0] in known or depth >= DEPTH else self.of(m[0])
            return m[0] if value is None else f"({self.put_in(value, known, depth + 1)})"

        return NAME.sub(change, expression)


def without_casts(code: str) -> str:
    """The code without casts between integers.

    >>> without_casts("(size_t)r * N + static_cast<int>(c)")
    'r * N + (c)'
    """
    return CAST.sub("", code)


def _holds_other(definition: str) -> bool:
    """Whether the type of a variable is not one of integers or pointers."""
    head = definition[: definition.index("=")]
    return "*" not in head and OTHER.search(head) is not None


def _changes(word: str, text: str) -> bool:
    """Whether a name gets a value there, or its place is given away.

    >>> [_changes("q", text) for text in ("q = 1", "f(&q)", "int& z = q", "g(q)")]
    [True, True, True, False]
    """
    if word not in text:
        return False
    name = _named(word)
    argument = rf"{name}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*{name}|{name}\s*(?:\+\+|--)"
    reference = rf"(?<!&)&\s*{name}|&\s*\w+\s*[=({{]\s*{name}|\bcin\b.*>>\s*{name}"
    return re.search(f"{argument}|{reference}", text, re.S) is not None


def _named(word: str) -> str:
    return rf"(?<![\w.>]){re.escape(word)}(?!\w)"


def _is_passed(word: str, text: str) -> bool:
    """Whether a variable is an argument of a function, which may take a reference to it.

    >>> [_is_passed("q", text) for text in ("swap(p, q)", "h<int>(q)", "g(min(q, 1))", "if (q)")]
    [True, True, False, False]
    """
    if word not in text:
        return False
    tokens = PART.findall(re.sub(r"_cast\s*<[^<>;]*>", "_cast ", text))
    open: list[bool] = []  # whether each bracket is that of such a function
    for before, one, after in zip(["", *tokens], tokens, [*tokens[1:], ""]):
        if one in "([{":
            name = before.isidentifier() and before not in BY_VALUE
            open.append(one == "(" and (name or before == ">"))
        elif one in ")]}" and open:
            open.pop()
        elif one == word and before in ("(", ",") and after in (")", ",") and open and open[-1]:
            return True
    return False


def definitions_in(text: str, at: int) -> Definitions:
    """The definitions that stand above a place, up to the function around it."""
    text = _blank(text)
    blocks: list[list[tuple[str, str]]] = [[]]
    start, depth = 0, 0
    for mark in MARK.finditer(text, 0, at):
        c, part = mark[0], text[start : mark.start()]
        depth += (c == "(") - (c == ")")
        if c == ";" and depth <= 0:
            blocks[-1].append(("statement", part))
        elif c == "{":
            blocks.append([("loop" if LOOP.match(part) else "head", part)])
        elif c == "}" and len(blocks) > 1:
            closure = " ; ".join(t for _, t in blocks.pop())
            blocks[-1].append(("closed", f"{closure} ; {part}"))
        else:
            continue
        start, depth = mark.end(), 0
    part = text[start:at]
    rest = [("loop" if LOOP.match(part) else "head", part)]
    return Definitions((*(s for b in blocks for s in b), *rest), _rest(text[at:], len(blocks) - 1))


@lru_cache(maxsize=4)
def _blank(text: str) -> str:
    """The text with blanks for comments and strings."""
    return COMMENT.sub(lambda m: " " * len(m[0]), text)


def _rest(text: str, depth: int) -> str:
    """The text up to the brace that closes the function."""
    for k, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if depth <= 0 and c == "}":
            return text[:k]
    return text
