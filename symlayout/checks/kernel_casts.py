"""Casts to 64 bits on what overflows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from symlayout.checks.kernel_source import DEFINITION, WORD, Edit, Source
from symlayout.expr.machine import INT
from symlayout.programs.kernels.access import Span
from symlayout.programs.kernels.written import Overflow
from symlayout.text.brackets import outermost
from symlayout.text.endings import ends_in
from symlayout.text.patterns import regex

SIMPLE = regex(r"[\w.]+(?:\[[^\]]*\]|\([^()]*\))*")
LANGUAGE = regex(
    r"import\s+triton\.language\s+as\s+(\w+)|from\s+triton\s+import\s+language\s+as\s+(\w+)"
)
TIMES = ("*", "/", "%")


def split_operands(text: str, signs: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where the operands of the outermost signs are.

    >>> [("a*b + c[i + 1]")[s:e] for s, e in split_operands("a*b + c[i + 1]", ("+", "-"))]
    ['a*b ', ' c[i + 1]']
    """
    parts, start = [], 0
    for at in outermost(text, signs):
        if text[start:at].strip():
            parts.append((start, at))
            start = at + 1
    return [*parts, (start, len(text))]


def casts(source: Source, over: Overflow) -> Iterator[Edit]:
    """A cast to 64 bits on an operand of what overflows, or on the definition of one."""
    at, _ = source.at(over.span)
    text = source.of(over.span)
    for first, last in _factors(text):
        wide = _wide(source, at + first, at + last)
        whole = f"{text[:first]}{wide}{text[last:]}"
        yield Edit(at + first, at + last, wide, f"write `{whole}`")
    for word in dict.fromkeys(WORD.findall(text)):
        row = source.definition(word, over.span.line)
        if row is not None:
            yield from _wide_definition(source, *row)
    match = DEFINITION.match(source.lines[over.span.line - 1])
    if match is not None:
        yield from _wide_definition(source, over.span.line, match)


def together(source: Source, address: Span) -> Iterator[Edit]:
    """All indices that an address is computed of in 64 bits, then also by how much loops move it."""
    edits = dict[int, Edit]()
    for number in (*source.used_lines(address), *source.moves(address)):
        match = DEFINITION.match(source.lines[number - 1])
        if match is None or source.code.language != "triton":
            continue
        start = source.starts[number - 1]
        first, last = start + match.start(2), start + match.start(2) + len(match[2].rstrip())
        node = source.code.kernel.written.get(source.span(first, last))
        if node is not None and node.type == INT and any(x.op == "lane" for x in node.leaves):
            wide = _wide(source, first, last)
            edits[number] = Edit(first, last, wide, f"`{match[1]} = {wide}`")
    if len(edits) > 1:
        yield _joined(source, edits)
    for number in source.moves(address) if edits else ():
        start, line = source.starts[number - 1], source.plain_line(number)
        begin = start + source.lines[number - 1].index(line)
        at = line.index("=") + 1
        for first, last in islice(_factors(line[at:].strip()), 1):
            first += at + len(line[at:]) - len(line[at:].lstrip())
            last += at + len(line[at:]) - len(line[at:].lstrip())
            wide = _wide(source, begin + first, begin + last)
            whole = f"`{line[:first]}{wide}{line[last:]}`"
            edits[number] = Edit(begin + first, begin + last, wide, whole)
    if len(edits) > 1:
        yield _joined(source, edits)


def _joined(source: Source, edits: Mapping[int, Edit]) -> Edit:
    """Changes of several lines as one."""
    rows = sorted(edits.values())
    text, at = "", rows[0].at
    for edit in rows:
        text += source.text[at : edit.at] + edit.text
        at = edit.end
    numbered = [f"{edits[n].title} in line {n}" for n in sorted(edits)]
    return Edit(
        rows[0].at, at, text, f"write {' and '.join([', '.join(numbered[:-1]), numbered[-1]])}"
    )


def _factors(text: str) -> Iterator[tuple[int, int]]:
    """The operands to cast: those of products, then those of a sum."""
    if "=" in text.replace("==", ""):
        return
    operands = split_operands(text, ("+", "-"))
    for first, last in operands:
        factors = split_operands(text[first:last], TIMES)
        if len(factors) > 1 or len(operands) == 1:
            yield from (_stripped(text, first + a, first + b) for a, b in factors)
    if len(operands) > 1:
        yield from (_stripped(text, a, b) for a, b in operands)


def _stripped(text: str, first: int, last: int) -> tuple[int, int]:
    """The characters without spaces at both ends."""
    part = text[first:last]
    return first + len(part) - len(part.lstrip()), last - len(part) + len(part.rstrip())


def _wide(source: Source, first: int, last: int) -> str:
    """The operand between these characters in 64 bits."""
    operand = source.text[first:last]
    plain = SIMPLE.fullmatch(operand) is not None or _in_brackets(operand)
    inside = operand if plain else f"({operand})"
    if source.code.language == "triton":
        language = language_of(source)
        if not _has_methods(source, first, last):
            bare = operand[1:-1] if _in_brackets(operand) else operand
            return f"{language}.cast({bare}, {language}.int64)"
        return f"{inside}.to({language}.int64)"
    long = "long" if ends_in(source.file, (".cl", ".metal")) else "int64_t"
    return f"({long}){inside}"


def _has_methods(source: Source, first: int, last: int) -> bool:
    """Whether an operand is certainly a tensor of Triton's.

    Constants are numbers, and so is a parameter that is 1.  Neither has `.to`.
    """
    while _in_brackets(source.text[first:last]):
        first, last = _stripped(source.text, first + 1, last - 1)
    node = source.code.kernel.written.get(source.span(first, last))
    programs = {*source.code.kernel.programs.values()}
    return node is not None and any(
        x.op in ("lane", "unknown") or x.word in programs for x in node.leaves
    )


def language_of(source: Source) -> str:
    """The name that a file of Triton's gives the language."""
    match = LANGUAGE.search(source.text)
    return (match[1] or match[2]) if match is not None else "tl"


def _in_brackets(text: str) -> bool:
    return (
        text.startswith("(")
        and len(split_operands(text, (*TIMES, "+", "-"))) == 1
        and text.endswith(")")
    )


def _wide_definition(source: Source, number: int, match: re.Match[str]) -> Iterator[Edit]:
    """A definition that is computed in 64 bits."""
    start, line = source.starts[number - 1], source.lines[number - 1]
    first, last = match.span(2)
    text = line[first:last].rstrip()
    head = line[: match.start(1)].strip()
    if source.code.language == "triton":
        end = start + first + len(text)
        wide = _wide(source, start + first, end)
        yield Edit(start + first, end, wide, f"write `{match[1]} = {wide}`")
    elif head in ("int", "unsigned", "const int", "uint32_t", "int32_t"):
        type_at = start + line.index(head.split()[-1])
        (a, b), *more = [*_factors(text)] or [(0, len(text))]
        wide = _wide(source, start + first + a, start + first + b)
        value = f"{text[:a]}{wide}{text[b:]}" if more or "*" in text else text
        whole = f"int64_t {match[1]} = {value}"
        yield Edit(type_at, start + first + len(text), whole, f"write `{whole};`")
