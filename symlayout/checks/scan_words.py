"""A scan's finding in the words of the source, with the changes that may remove it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from symlayout.checks.barrier_places import between, moved
from symlayout.checks.kernel_casts import casts, language_of
from symlayout.checks.kernel_masks import with_condition
from symlayout.checks.kernel_source import Edit, Source
from symlayout.checks.report.kernels import c_names
from symlayout.programs.kernels.access import Span
from symlayout.programs.kernels.scan.finding import Evidence, Finding
from symlayout.text.patterns import regex

QUOTIENT = regex(r"([\w.]+)\s*//?\s*([\w.]+)")
NUMBERED = regex(r"_\d+\Z")
Words = tuple[Finding, Iterable[Edit]]


def in_words(source: Source, trees: list[Any], f: Finding, evidence: Evidence) -> Words:
    """The finding, and the changes to try; as it is where the source has no such expression.

    `trees` are those of the functions of a C file.
    """
    f = replace(f, sizes=_of_source(source, f, evidence))
    if f.code == "overflow":
        return _overflow(source, f, evidence)
    if f.code == "bounds" and evidence.other is not None:
        return _bounds(source, f, evidence)
    if f.code == "barrier":
        one = replace(f, expression=source.of(f.span), message=c_names(f.message))
        return one, moved(source, trees, f.span)
    if f.code == "blocks":
        text = source.of(f.span) or source.lines[f.span.line - 1].strip()
        return replace(
            f, expression=text, message=f.message.replace(f.expression, f"`{text}`", 1)
        ), ()
    if f.code == "race" and evidence.other is None:
        return _of_program(source, f, evidence), ()
    if f.code == "race" and evidence.other is not None:
        text = source.of(f.span)
        message = f.message.replace(f.expression, f"`{text}`", 1)
        edits = between(source, trees, evidence.other.span, f.span)
        return replace(f, expression=text, message=message), edits
    spans = [s for s, n in source.code.kernel.written.items() if n == evidence.node]
    span = next((s for s in spans if not source.of(s).isidentifier()), None)
    if span is None:
        return f, ()
    one = replace(f, span=span, expression=source.of(span))
    return one, _rounded_up(source, span) if f.code == "schedule" else ()


def _of_source(source: Source, f: Finding, evidence: Evidence) -> dict[str, int]:
    """The sizes, where a loop's counter has the name and the value that it has in the source."""
    code, access, sizes = source.code, evidence.access, dict[str, int]()
    loops = {r.word for r in access.ranges if not r.loaded}
    for word, number in f.sizes.items():
        own = {n: source.of(s) for s, n in code.kernel.written.items() if n.names == {word}}
        named = [(t, n) for n, t in own.items() if t.isidentifier() and NUMBERED.sub("", word) == t]
        if word in loops and len(named) == 1 and not {named[0][0]} & ({*f.sizes, *sizes} - {word}):
            word, node = named[0]
            value = code.number(access, node, evidence.values)
            number = number if value is None else value
        sizes[word] = number
    return sizes


def _of_program(source: Source, f: Finding, evidence: Evidence) -> Finding:
    """The finding with the source's own name for a program's number."""
    written = source.code.kernel.written.items()
    for word in evidence.values:
        texts = [source.of(s) for s, n in written if n.op == "name" and n.word == word]
        own = next((t for t in texts if t.isidentifier()), next(iter(texts), word))
        message, mend = (t.replace(f"{word} ", f"{own} ") for t in (f.message, f.mend))
        f = replace(f, message=message, mend=mend)
    return replace(f, expression=evidence.access.expression or f.expression)


def _rounded_up(source: Source, span: Span) -> Iterator[Edit]:
    """A quotient of two names, rounded up."""
    at, end = source.at(span)
    match = QUOTIENT.fullmatch(source.of(span))
    if match is not None:
        size, tile = match.groups()
        text = source.rounded_up(size, tile, language_of(source))
        yield Edit(at, end, text, f"write `{text}`")


def _overflow(source: Source, f: Finding, evidence: Evidence) -> Words:
    over = source.code.overflow(evidence.values)
    if over is None or over.value <= over.limit:
        return f, ()
    span, array = _definition(source, over.span), evidence.access.array
    text = source.of(span)
    message = (
        f"`{text}` overflows 32 bits: it is {over.value:,}, above {over.limit:,}, "
        f"so the address into {array} wraps"
    )
    mend = f"compute `{text}` in 64 bits"
    one = replace(f, span=span, expression=text, message=message, mend=mend)
    return one, casts(source, over)


def _definition(source: Source, span: Span) -> Span:
    """The expression that a name stands for; of anything else the span itself."""
    row = source.definition(source.of(span), span.line)
    if row is None:
        return span
    number, match = row
    column = len(match.string[: match.start(2)].encode())
    return Span(number, column, column + len(match[2].rstrip().encode()))


def _bounds(source: Source, f: Finding, evidence: Evidence) -> Words:
    access, other = evidence.access, evidence.other
    spans = [s for s, n in source.code.kernel.written.items() if n == evidence.node]
    texts = [t for t in dict.fromkeys(source.of(s) for s in spans) if not t.isidentifier()]
    if other is None or not texts:
        return f, ()
    text = texts[0]
    line = other.span.line
    message = (
        f"this {access.kind} has no mask `{text}`, which the {other.kind} in line {line} has "
        "for the same index"
    )
    one = replace(f, message=message, mend=f"make it conditional on `{text}`")
    return one, (e for t in texts for e in with_condition(source, access, t))
