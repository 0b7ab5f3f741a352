"""Changes of a kernel's source that may make a refuted claim hold: each has to be checked.

Casts widen the product that overflows, masks and guards exclude what is out of bounds, and the rest are
the usual slips: two names swapped, a number for another one, one too many, a grid that rounds down.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations, product
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import value as value_of
from symlayout.programs.kernels.access import Access, Span
from symlayout.programs.kernels.contract import ARRAY
from symlayout.programs.kernels.nodes import Node, name
from symlayout.programs.kernels.written import Code, Overflow
from symlayout.text.brackets import split_commas
from symlayout.text.endings import ends_in
from symlayout.text.lines import lines_of, starts_of
from symlayout.text.patterns import regex

WORD = regex(r"[A-Za-z_]\w*")
NUMBER = regex(r"(?<![\w.])\d+(?![\w.])")
BRACKET = regex(r"\[([^\]]*)\]|\(([^()]*)\)")
SIMPLE = regex(r"[\w.]+(?:\[[^\]]*\]|\([^()]*\))*")
DEFINITION = regex(
    r"[ \t]*(?:(?:const|int|unsigned|auto|uint32_t|int32_t|size_t)[ \t]+)*"
    r"(\w+)[ \t]*=[ \t]*([^=;\n][^;\n]*)"
)
GRID = regex(r"\b(?:grid|block)\s*\(")
FLOORED = regex(r"(\w+)\s*//?\s*(\w+)")
ONE = regex(r"\s*[-+]\s*1\b(?!\s*\))|\s*[-+]\s*1(?=\))")
LANGUAGE = regex(
    r"import\s+triton\.language\s+as\s+(\w+)|from\s+triton\s+import\s+language\s+as\s+(\w+)"
)
TIMES = ("*", "/", "%")


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

    def of(self, span: Span) -> str:
        """The text of a span."""
        first, last = self.at(span)
        return self.text[first:last]

    def definition(self, word: str, line: int) -> tuple[int, re.Match[str]] | None:
        """The line above that gives a name its value, and how."""
        for number in range(line - 1, self.code.kernel.span.line - 1, -1):
            match = DEFINITION.match(self.lines[number - 1])
            if match is not None and match[1] == word:
                return number, match
        return None

    def used_lines(self, span: Span) -> list[int]:
        """The line of an expression, and those that define what it is computed of."""
        numbers, waiting = [span.line], [(w, span.line) for w in WORD.findall(self.of(span))]
        while waiting:
            row = self.definition(*waiting.pop())
            if row is not None and row[0] not in numbers:
                numbers.append(row[0])
                waiting += [(w, row[0]) for w in WORD.findall(row[1][2])]
        return numbers


def edits(file: str, code: Code, values: Mapping[str, int]) -> Iterator[Edit]:
    """The changes to try, the likeliest first; `values` are those of the counterexample."""
    source = Source(file, code)
    if code.kind == "fits":
        over = code.overflow(values)
        if over is not None:
            yield from _casts(source, over)
        return
    if not code.accesses or not code.accesses[-1].array:
        return
    access = code.accesses[-1]
    address = code.address(access) or access.span
    yield from _swaps(source, access, address)  # a mask may hide such a slip
    yield from _masks(source, access, address, values)
    yield from _slips(source, address)


# -- casts -----------------------------------------------------------------------------------------


def split_operands(text: str, signs: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where the operands of the outermost signs are.

    >>> [("a*b + c[i + 1]")[s:e] for s, e in split_operands("a*b + c[i + 1]", ("+", "-"))]
    ['a*b ', ' c[i + 1]']
    """
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and c in signs and text[start:at].strip():
            parts.append((start, at))
            start = at + 1
    return [*parts, (start, len(text))]


def _casts(source: Source, over: Overflow) -> Iterator[Edit]:
    """A cast to 64 bits on an operand of what overflows, or on the definition of one."""
    at, _ = source.at(over.span)
    text = source.of(over.span)
    for first, last in _factors(text):
        operand = text[first:last]
        wide = _wide(source, operand)
        whole = f"{text[:first]}{wide}{text[last:]}"
        yield Edit(at + first, at + last, wide, f"write `{whole}`")
    for word in dict.fromkeys(WORD.findall(text)):
        row = source.definition(word, over.span.line)
        if row is not None:
            yield from _wide_definition(source, *row)
    match = DEFINITION.match(source.lines[over.span.line - 1])
    if match is not None:
        yield from _wide_definition(source, over.span.line, match)


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
    part = text[first:last]
    return first + len(part) - len(part.lstrip()), last - len(part) + len(part.rstrip())


def _wide(source: Source, operand: str) -> str:
    """The operand in 64 bits."""
    plain = SIMPLE.fullmatch(operand) is not None or _in_brackets(operand)
    inside = operand if plain else f"({operand})"
    if source.code.language == "triton":
        match = LANGUAGE.search(source.text)
        language = (match[1] or match[2]) if match is not None else "tl"
        return f"{inside}.to({language}.int64)"
    long = "long" if ends_in(source.file, (".cl", ".metal")) else "int64_t"
    return f"({long}){inside}"


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
        whole = f"{match[1]} = {_wide(source, text)}"
        yield Edit(
            start + first, start + first + len(text), _wide(source, text), f"write `{whole}`"
        )
    elif head in ("int", "unsigned", "const int", "uint32_t", "int32_t"):
        type_at = start + line.index(head.split()[-1])
        (a, b), *more = [*_factors(text)] or [(0, len(text))]
        value = f"{text[:a]}{_wide(source, text[a:b])}{text[b:]}" if more or "*" in text else text
        whole = f"int64_t {match[1]} = {value}"
        yield Edit(type_at, start + first + len(text), whole, f"write `{whole};`")


# -- masks -----------------------------------------------------------------------------------------


def sizes_of(code: Code, array: str) -> list[str]:
    """The sizes of an array in the contract, as they are written there."""
    for text, _ in code.contract:
        match = ARRAY.fullmatch(text.strip())
        if match is not None and match[1] == array and (inside := BRACKET.search(match[2])):
            return [s.strip() for s in split_commas(inside[1] or inside[2] or "")]
    return []


def _value(text: str, values: Mapping[str, int]) -> int | None:
    with suppress(LayoutError, KeyError, ZeroDivisionError, TypeError, ValueError):
        return int(value_of(read_expression(text), dict(values)))
    return None


def _masks(
    source: Source, access: Access, address: Span, values: Mapping[str, int]
) -> Iterator[Edit]:
    """Conditions that exclude the counterexample: in a mask or guard that is there, or a new one."""
    sizes = sizes_of(source.code, access.array)
    yield from _guards(source, access, sizes, values)
    for condition in _conditions(source, access, address, sizes, values):
        if source.code.language == "triton":
            yield from _with_mask(source, access, condition)
        else:
            yield from _with_guard(source, access, condition)


def _conditions(
    source: Source, access: Access, address: Span, sizes: list[str], values: Mapping[str, int]
) -> Iterator[str]:
    """`index < size` for indices of the address and sizes of the array, where it is false."""
    code, pointer, seen = source.code, name(access.array, 64), set[str]()
    rows: list[tuple[Span, Node]] = []
    for span, node in code.kernel.written.items():
        inside = (
            span.line == address.line and address.column <= span.column <= span.end <= address.end
        )
        plain = len(sizes) < 2 or not _is_row(code, node)
        if inside and plain and _varies(code, node) and not node.contains(pointer):
            rows.append((span, node))
    rows.sort(key=lambda row: row[0].end - row[0].column)
    for (span, node), size in product(rows, sizes):
        index, limit = code.number(access, node, values), _value(size, values)
        text = source.of(span)
        if index is None or limit is None or text in seen:
            continue
        if index < 0 and f"{text} >= 0" not in seen:
            seen.add(f"{text} >= 0")
            yield f"{text} >= 0"
        if index >= limit and f"{text} < {size}" not in seen:
            seen.add(f"{text} < {size}")
            yield f"{text} < {size}"


def _varies(code: Code, node: Node) -> bool:
    """Whether it depends on more than parameters."""
    return any(x.op != "name" or x.word not in code.kernel.parameters for x in node.leaves)


def _is_row(code: Code, node: Node) -> bool:
    """Whether an index has a product with a size in it, as that of a row has."""
    sizes = {*code.kernel.parameters} - {*code.kernel.constants}
    own = node.op == "*" and any(a.names & sizes for a in node.args)
    return own or any(_is_row(code, a) for a in node.args)


def _guards(
    source: Source, access: Access, sizes: list[str], values: Mapping[str, int]
) -> Iterator[Edit]:
    """Comparisons that the access is guarded by, made strict or with another size."""
    code = source.code
    for span, node in code.kernel.written.items():
        if node.op not in ("<", "<=", ">", ">=") or not access.guard.contains(node):
            continue
        at, _ = source.at(span)
        text = source.of(span)
        match = re.search(r"<=|>=|<|>", text)
        if match is None:
            continue
        if match[0] in ("<=", ">="):
            changed = f"{text[: match.start()]}{match[0][0]}{text[match.end() :]}"
            yield Edit(at, at + len(text), changed, f"write `{changed}`")
        left, index = text[: match.start()], code.number(access, node.args[0], values)
        for size in sizes:
            limit = _value(size, values)
            if index is not None and limit is not None and index >= limit and match[0][0] == "<":
                changed = f"{left}< {size}"
                yield Edit(at, at + len(text), changed, f"write `{changed}`")


def _with_mask(source: Source, access: Access, condition: str) -> Iterator[Edit]:
    """A load or store of Triton with a condition in its mask."""
    at, end = source.at(access.span)
    text = source.text[at:end]
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    if not isinstance(call, ast.Call) or not text.endswith(")") or not text.isascii():
        return
    place = {"load": 1, "store": 2}.get(access.kind)
    mask = next((k.value for k in call.keywords if k.arg == "mask"), None)
    if mask is None and place is not None and len(call.args) > place:
        mask = call.args[place]
    if mask is None:
        changed = f"{text[:-1]}, mask={condition})"
        yield Edit(at, end, changed, f"write `{changed}`")
        return
    first, last = mask.col_offset, mask.end_col_offset or mask.col_offset
    whole = text[first:last]
    both = f"({whole}) & ({condition})" if not whole.isidentifier() else f"{whole} & ({condition})"
    yield Edit(at + first, at + last, both, f"write `mask={both}`")


def _with_guard(source: Source, access: Access, condition: str) -> Iterator[Edit]:
    """A statement of C with a condition in front, or a load that is made only where it holds."""
    at, end = source.at(access.span)
    start, line = source.starts[access.span.line - 1], source.lines[access.span.line - 1]
    statement = line.strip()
    first = start + len(line) - len(line.lstrip())
    opening = re.match(r"(?:else\s+)?if\s*\(", statement)
    if opening is not None:
        close = _closing(line, line.index("(", first - start))
        if close is not None and start + close < at:
            inside = line[line.index("(") + 1 : close]
            more = f"({inside})" if "||" in inside else inside
            changed = f"{more} && {condition}"
            where = start + line.index("(") + 1
            yield Edit(where, start + close, changed, f"write `if ({changed})`")
    elif re.match(r"[\w.]+\s*(?:\[|\()", statement) and statement.endswith(";"):
        yield Edit(first, first, f"if ({condition}) ", f"write `if ({condition}) {statement}`")
    if access.kind == "load":
        text = source.text[at:end]
        changed = f"({condition} ? {text} : 0)"
        yield Edit(at, end, changed, f"write `{changed}`")


def _closing(line: str, start: int) -> int | None:
    depth = 0
    for at in range(start, len(line)):
        depth += (line[at] == "(") - (line[at] == ")")
        if depth == 0:
            return at
    return None


# -- slips -----------------------------------------------------------------------------------------


def _slips(source: Source, address: Span) -> Iterator[Edit]:
    """Other numbers, one too many, a program's number left out, a wrong grid."""
    yield from _grids(source)
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


def _swaps(source: Source, access: Access, address: Span) -> Iterator[Edit]:
    """Two names of the array's sizes and strides swapped, or one in the place of the other."""
    at, end = source.at(address)
    text = source.text[at:end]
    words: list[str] = []
    for line, _ in source.code.contract:
        match = ARRAY.fullmatch(line.strip())
        if match is not None and match[1] == access.array:
            words += [w for w in WORD.findall(match[2]) if w in source.code.kernel.parameters]
    words = [*dict.fromkeys(words)]
    own = {*WORD.findall(text)}
    for a, b in combinations([w for w in words if w in own], 2):
        table = {a: b, b: a}
        changed = WORD.sub(lambda m, t=table: t.get(m[0], m[0]), text)  # type: ignore[misc]
        if changed != text:
            yield Edit(at, end, changed, f"write `{changed}`")
    for match in WORD.finditer(text):
        for other in words if match[0] in words else ():
            if other != match[0]:
                changed = f"{text[: match.start()]}{other}{text[match.end() :]}"
                yield Edit(at, end, changed, f"write `{changed}`")


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
