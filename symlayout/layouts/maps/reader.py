"""Reads a map's text: its domain, guard, definitions, results and box."""

from __future__ import annotations

import re
from dataclasses import replace

from symlayout.expr.conditions import Condition, Conditionals
from symlayout.expr.reader import NAME, Scanner, condition_at, expression_at
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.text.patterns import regex

DEFINITION = regex(r"([A-Za-z_]\w*)\s*=(?!=)", re.A)
RESERVED = regex(
    r"map|if|in|and|or|not|else|min|max|abs|ceildiv|ceil_div|cdiv|floordiv|mod|truncdiv|truncmod"
    r"|u?int32|u?int64|size_t"
).fullmatch
DEFINITIONS = 200
RANGES = "a range is `x < SIZE` (from 0 on) or `LOW <= x < HIGH`; x <= N is x < N + 1"


def read_map(text: str, language: str | None = None) -> IndexFunction:
    """The map that a text spells; with a language, what it computes is source code.

    >>> print(read_map("map b < cdiv(n, B), t < B if b*B + t < n: b*B + t in n"))
    map b < ceildiv(n, B), t < B if B*b + t < n: B*b + t in n

    Raises `LayoutError` with the place of the mistake.
    """
    s = Scanner(text, language=language)
    s.exclusive = "apart" if language is None else "always"
    return replace(MapReader(s).whole(), source=(text, language))


class MapReader:
    """Reads a map where the scanner stands."""

    def __init__(self, scanner: Scanner) -> None:
        self.s = scanner
        self.known: dict[str, Symbol] = {}  # every name that has occurred
        self.bound: set[str] = set()  # variables and definitions

    def names(self, word: str) -> Expr | None:
        """A size, a variable, or what is defined."""
        if "." in word or RESERVED(word):
            return None
        return self.known.setdefault(word, symbol(word))

    def bind(self, word: str, at: int) -> None:
        """A variable or a definition of that name from here on."""
        if RESERVED(word):
            raise self.s.error("SL201", f"{word!r} is a word of the language", at)
        if word in self.known:
            text = "has a meaning already" if word in self.bound else "is used above it"
            raise self.s.error("SL201", f"the name {word!r} {text}", at, at + len(word))
        self.bound.add(word)
        self.known[word] = symbol(word)

    def whole(self) -> IndexFunction:
        """The map, to the end of the text."""
        s = self.s
        s.skip(line_comments=False)
        s.expect("map", "of an index function")
        variables = [self.variable()]
        while s.take(",", line_comments=False):
            variables.append(self.variable())
            s.check_rank(len(variables))
        guard: Condition | None = None
        if Conditionals.begins_if(s):
            s.at += len("if")
            guard = condition_at(s, self.names)
        s.expect(":", "behind the domain")
        lets = self.definitions()
        results, tupled = self.row()
        box = None
        if self.takes_in():
            at = s.skip(line_comments=False)
            box, row = self.row()
            if row != tupled or len(box) != len(results):
                from symlayout.text.lines import count

                message = (
                    f"{count(len(box), 'size')} of the box for {count(len(results), 'result')}"
                )
                help = "a tuple lies in a tuple: (a, b) in (M, N)"
                raise s.error("SL403", message, at, help=help)
            self.free_of_variables(box, at)
        s.end("the map")
        return IndexFunction(tuple(variables), results, box, guard, lets, tupled)

    def variable(self) -> Variable:
        """`x < SIZE` or `LOW <= x < HIGH`."""
        s = self.s
        at = s.skip(line_comments=False)
        match = NAME.match(s.text, at)
        plain = match and re.compile(r"\s*<(?![<=])").match(s.text, match.end())
        low: Expr = Integer(0)
        if not plain:
            low = expression_at(s, self.names, False)
            if not s.take("<=", line_comments=False):
                raise s.missing("a range such as i < N or 0 <= i < N", help=RANGES)
            at = s.skip(line_comments=False)
        name = s.need(NAME, "the name of a variable")
        s.skip(line_comments=False)
        if not s.text.startswith("<", s.at) or s.text[s.at : s.at + 2] in ("<=", "<<"):
            raise s.missing(f"'<' and the end of {name}'s range", help=RANGES)
        s.at += 1
        high = expression_at(s, self.names, False)
        self.bind(name, at)
        return Variable(name, low, high)

    def definitions(self) -> tuple[tuple[str, Expr], ...]:
        lines: list[tuple[str, Expr]] = []
        while True:
            at = self.s.skip(line_comments=False)
            match = DEFINITION.match(self.s.text, at)
            if match is None:
                return tuple(lines)
            self.s.at = match.end()
            e = expression_at(self.s, self.names)
            self.s.expect(";", f"behind the definition of {match[1]}")
            self.bind(match[1], at)
            lines.append((match[1], e))
            if len(lines) > DEFINITIONS:
                raise self.s.error("SL204", f"more than {DEFINITIONS} definitions", at)

    def row(self) -> tuple[tuple[Expr, ...], bool]:
        """One expression, or several in parentheses."""
        s = self.s
        s.skip(line_comments=False)
        if not self.is_row():
            return (expression_at(s, self.names),), False
        s.expect("(", "before the results")
        results: list[Expr] = []
        while not s.take(")", line_comments=False):
            results.append(expression_at(s, self.names))
            s.check_rank(len(results))
            if not s.take(",", line_comments=False):
                s.expect(")", "behind the results")
                break
        return tuple(results), True

    def is_row(self) -> bool:
        """Whether the parenthesis that opens here has a comma of its own in it."""
        depth, text = 0, self.s.text
        for k in range(self.s.at, len(text)):
            c = text[k]
            depth += (c in "([{") - (c in ")]}")
            if depth == 0:
                return False
            if c == "," and depth == 1:
                return True
        return False

    def takes_in(self) -> bool:
        self.s.skip(line_comments=False)
        match = NAME.match(self.s.text, self.s.at)
        if match is None or match.group() != "in":
            return False
        self.s.at = match.end()
        return True

    def free_of_variables(self, box: tuple[Expr, ...], at: int) -> None:
        for e in box:
            for x in sorted(e.free_symbols, key=str):
                if x.name in self.bound:
                    raise self.s.error("SL201", f"the box speaks of {x}, which is not a size", at)
