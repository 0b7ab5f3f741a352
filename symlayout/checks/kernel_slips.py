"""Usual slips: two names swapped, a number for another one, one too many, a grid that rounds down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, product

from symlayout.checks.kernel_source import WORD, Edit, Source
from symlayout.checks.kernel_values import BARRIER
from symlayout.programs.kernels.access import Access, Span
from symlayout.text.patterns import regex

NUMBER = regex(r"(?<![\w.])\d+(?![\w.])")
GRID = regex(r"\b(?:grid|block)\s*\(")
HOST = regex(r"\bgrid\b|<<<|\bdim3\b|\w\[\(")
DIVIDED = regex(r"(\w+)\s*//\s*(\w+(?:\[[^\]]*\])?)")
DIVIDED_IN_C = regex(r"(?<![/\w)])(\w+)\s*/\s*(\w+)(?!\w)")
FLOORED = regex(r"(\w+)\s*//?\s*(\w+)")
ONE = regex(r"\s*[-+]\s*1\b(?!\s*\))|\s*[-+]\s*1(?=\))")


def slips(source: Source, address: Span) -> Iterator[Edit]:
    """Other numbers, one too many, a program's number left out, a wrong grid."""
    yield from _grids(source)
    yield from _host_grids(source)
    for number in source.used_lines(address):
        start, line = source.starts[number - 1], source.lines[number - 1]
        for first, last, text in _variants(source, line):
            changed = f"{line[:first]}{text}{line[last:]}".strip()
            yield Edit(start + first, start + last, text, f"write `{changed}`")


def _grids(source: Source) -> Iterator[Edit]:
    """A grid that rounds down, has one too few, or a block of another size."""
    for text, at in source.code.contract:
        if GRID.search(text) is None:
            continue
        for match in FLOORED.finditer(text):
            yield _of_contract(text, at, match, f"cdiv({match[1]}, {match[2]})")
        for match in re.finditer(r"\s*[-+]\s*1\b", text):
            yield _of_contract(text, at, match, "")
        for match, new in product(NUMBER.finditer(text), _numbers(source)):
            if match[0] != new:
                yield _of_contract(text, at, match, new)


def _host_grids(source: Source) -> Iterator[Edit]:
    """Sizes of a launch in the file that round down: as many blocks as begin."""
    triton = source.code.language == "triton"
    for number, line in enumerate(source.lines, 1):
        if HOST.search(line) is None or line.lstrip().startswith(("#", "//")):
            continue
        for match in (DIVIDED if triton else DIVIDED_IN_C).finditer(line):
            new = source.rounded_up(match[1], match[2], "triton")
            whole = f"{line[: match.start()]}{new}{line[match.end() :]}".strip()
            start = source.starts[number - 1]
            yield Edit(start + match.start(), start + match.end(), new, f"write `{whole}`")


def _of_contract(text: str, at: int, match: re.Match[str], new: str) -> Edit:
    whole = f"{text[: match.start()]}{new}{text[match.end() :]}".strip()
    return Edit(at + match.start(), at + match.end(), new, f"write `{whole}` in the contract")


def _numbers(source: Source) -> list[str]:
    """The numbers of a kernel and of its contract that may be sizes of blocks."""
    texts = [*(t for t, _ in source.code.contract), *_body(source)]
    numbers = dict.fromkeys(n for t in texts for n in NUMBER.findall(t))
    return [n for n in numbers if 8 <= int(n) <= 1024]


def _body(source: Source) -> list[str]:
    last = max((s.line for s in source.code.kernel.written), default=source.code.kernel.span.line)
    return source.lines[source.code.kernel.span.line : last]


def swaps(source: Source, access: Access, address: Span) -> Iterator[Edit]:
    """Two names of the array's sizes and strides swapped, or one in the place of the other."""
    at, end = source.at(address)
    text = source.text[at:end]
    every = [w for layout in source.layouts(access.array) for w in WORD.findall(layout)]
    words = [w for w in dict.fromkeys(every) if w in source.code.kernel.parameters]
    own = {*WORD.findall(text)}
    for a, b in combinations([w for w in words if w in own], 2):
        table = {a: b, b: a}
        changed = WORD.sub(lambda m, t=table: t.get(m[0], m[0]), text)  # type: ignore[misc]
        if changed != text:
            yield Edit(at, end, changed, f"write `{changed}`")
    yield from _others(at, text, words)
    for number in source.moves(address):
        line = source.plain_line(number)
        first = source.starts[number - 1] + source.lines[number - 1].index(line)
        yield from _others(first, line, words)


def _others(at: int, text: str, words: list[str]) -> Iterator[Edit]:
    """The text with one of the words in the place of another."""
    for match in WORD.finditer(text):
        for other in words if match[0] in words else ():
            if other != match[0]:
                changed = f"{text[: match.start()]}{other}{text[match.end() :]}"
                yield Edit(at, at + len(text), changed, f"write `{changed}`")


def barriers(source: Source, first: Access, last: Access) -> Iterator[Edit]:
    """A barrier between two accesses of shared memory, as near the second one as its block begins."""
    numbers = range(first.span.line + 1, last.span.line + 1)
    depths = dict(zip(numbers, source.depths(first.span.line, last.span.line)[:-1]))
    for number in reversed(numbers):
        line, before = source.lines[number - 1], source.code_above(number)
        whole = before.endswith((";", "}", "{")) and not line.strip().startswith(("else", "}"))
        if whole and depths[number] == min(depths.values()):
            indent = line[: len(line) - len(line.lstrip())]
            title = f"write `{BARRIER}` before `{line.strip().rstrip(' {')}`"
            at = source.starts[number - 1]
            yield Edit(at, at, f"{indent}{BARRIER}\n", title)


def _variants(source: Source, line: str) -> Iterator[tuple[int, int, str]]:
    """Other ways to write a line: characters, and what to put there."""
    code = source.code
    for match in ONE.finditer(line):
        yield match.start(), match.end(), ""
    if code.language == "triton":
        constants = code.kernel.constants
        for match in re.finditer(r"(?<![*\w+] )(?<!\+ )tl\.arange\(0,\s*(\w+)\)", line):
            for number in range(code.kernel.span.line, len(source.lines)):
                pid = re.match(r"\s*(\w+)\s*=\s*\w+\.program_id\(", source.lines[number])
                if pid is not None:
                    yield match.start(), match.end(), f"{pid[1]} * {match[1]} + {match[0]}"
        for match in re.finditer(r"program_id\((?:axis=)?(\d)\)", line):
            for axis in "012":
                if axis != match[1]:
                    yield *match.span(1), axis
        for match, word in product(NUMBER.finditer(line), constants):
            if int(match[0]) > 2:
                yield *match.span(), word
    else:
        for match in re.finditer(r"(?<!\+ )threadIdx\.([xyz])(?!\s*[*/%])", line):
            axis = match[1]
            yield *match.span(), f"blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}"
        for match in NUMBER.finditer(line):
            if int(match[0]) > 2:
                yield *match.span(), "blockDim.x"
        yield from _axes(line)
    for match, new in product(NUMBER.finditer(line), _numbers(source)):
        if new != match[0] and int(match[0]) > 2:
            yield *match.span(), new


def _axes(line: str) -> Iterator[tuple[int, int, str]]:
    """Threads and blocks of two axes in one line: along one of them."""
    pair = [re.search(rf"{word}\.([xyz])", line) for word in ("blockIdx", "threadIdx")]
    block, thread = pair
    if block is not None and thread is not None and block[1] != thread[1]:
        yield *thread.span(1), block[1]
        yield *block.span(1), thread[1]
