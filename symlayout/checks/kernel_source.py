"""The text of a kernel's file, and changes of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from symlayout.programs.kernels.access import Span
from symlayout.programs.kernels.contract import ARRAY
from symlayout.programs.kernels.written import Code
from symlayout.text.lines import lines_of, starts_of
from symlayout.text.patterns import regex

WORD = regex(r"[A-Za-z_]\w*")
DEFINITION = regex(
    r"[ \t]*(?:(?:const|int|unsigned|auto|uint32_t|int32_t|size_t)[ \t]+)*"
    r"(\w+)[ \t]*=[ \t]*([^=;\n][^;\n]*)"
)

MOVE = regex(r"[ \t]*(\w+)[ \t]*[-+]=")


class Edit(NamedTuple):
    """Characters of a file to be replaced, and what the result says."""

    at: int
    end: int
    text: str
    title: str

    def on(self, text: str) -> str:
        """The changed text."""
        return text[: self.at] + self.text + text[self.end :]


class Source:
    """The text of a kernel's file, by spans that count bytes."""

    def __init__(self, file: str, code: Code) -> None:
        self.file, self.code, self.text = file, code, code.text
        self.lines = [x.rstrip("\r\n") for x in lines_of(code.text)]
        self.starts = starts_of(lines_of(code.text))

    def at(self, span: Span) -> tuple[int, int]:
        """The characters of a span."""
        data, start = self.lines[span.line - 1].encode(), self.starts[span.line - 1]
        ends = (len(data[:n].decode(errors="ignore")) for n in (span.column, span.end))
        first, last = ends
        return start + first, start + last

    def span(self, first: int, last: int) -> Span:
        """The span of characters of one line."""
        number = bisect_right(self.starts, first)
        start = self.starts[number - 1]
        column, end = (len(self.text[start:n].encode()) for n in (first, last))
        return Span(number, column, end)

    def of(self, span: Span) -> str:
        """The text of a span."""
        first, last = self.at(span)
        return self.text[first:last]

    def rounded_up(self, size: str, tile: str, module: str) -> str:
        """The quotient of two texts, rounded up: by a function of that module in Triton's files."""
        if self.code.language == "triton":
            return f"{module}.cdiv({size}, {tile})"
        return f"({size} + {tile} - 1) / {tile}"

    def plain_line(self, number: int) -> str:
        """A line without a comment behind it."""
        sign = "#" if self.code.language == "triton" else "//"
        return self.lines[number - 1].partition(sign)[0].strip()

    def code_above(self, number: int) -> str:
        """The nearest line above that has code."""
        lines = (self.plain_line(n) for n in range(number - 1, 0, -1))
        return next((x for x in lines if x), "")

    def depths(self, first: int, last: int) -> list[int]:
        """How many braces are open behind each of the lines, from the first to the last."""
        depth, depths = 0, []
        for number in range(first, last + 1):
            text = self.plain_line(number)
            depth += text.count("{") - text.count("}")
            depths.append(depth)
        return depths

    def layouts(self, array: str) -> Iterator[str]:
        """The layouts that the contract gives an array, as they are written there."""
        for line, _ in self.code.contract:
            match = ARRAY.fullmatch(line.strip())
            if match is not None and match[1] == array:
                yield match[2]

    def definition(self, word: str, line: int) -> tuple[int, re.Match[str]] | None:
        """The line above that gives a name its value, and how."""
        for number in range(line - 1, self.code.kernel.span.line - 1, -1):
            match = DEFINITION.match(self.lines[number - 1])
            if match is not None and match[1] == word:
                return number, match
        return None

    def moves(self, span: Span) -> list[int]:
        """The lines of the kernel that add to a name of an expression, as a loop moves a pointer."""
        words = {*WORD.findall(self.of(span))}
        last = max((s.line for s in self.code.kernel.written), default=span.line)
        matches = (
            (n, MOVE.match(self.lines[n - 1])) for n in range(self.code.kernel.span.line, last + 1)
        )
        return [n for n, match in matches if match is not None and match[1] in words]

    def used_lines(self, span: Span) -> list[int]:
        """The line of an expression, and those that define what it is computed of."""
        numbers, waiting = [span.line], [(w, span.line) for w in WORD.findall(self.of(span))]
        while waiting:
            row = self.definition(*waiting.pop())
            if row is not None and row[0] not in numbers:
                numbers.append(row[0])
                waiting += [(w, row[0]) for w in WORD.findall(row[1][2])]
        return numbers
