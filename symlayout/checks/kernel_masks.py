"""Masks and guards that exclude what is out of bounds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product

from symlayout.checks.kernel_source import Edit, Source
from symlayout.errors import LayoutError
from symlayout.expr.machine import INT64
from symlayout.expr.reader import read_expression
from symlayout.expr.term import Term
from symlayout.expr.terms import value as value_of
from symlayout.programs.kernels.access import Access, Span
from symlayout.programs.kernels.nodes import name
from symlayout.programs.kernels.written import Code
from symlayout.text.brackets import split_commas
from symlayout.text.patterns import regex

BRACKET = regex(r"\[([^\]]*)\]|\(([^()]*)\)")


def sizes_of(source: Source, array: str) -> list[str]:
    """The sizes of an array in the contract, as they are written there."""
    for layout in source.layouts(array):
        if inside := BRACKET.search(layout):
            return [s.strip() for s in split_commas(inside[1] or inside[2] or "")]
    return []


def _value(text: str, values: Mapping[str, int]) -> int | None:
    with suppress(LayoutError, KeyError, ZeroDivisionError, TypeError, ValueError):
        return int(value_of(read_expression(text), dict(values)))
    return None


def masks(
    source: Source, access: Access, address: Span, values: Mapping[str, int]
) -> Iterator[Edit]:
    """Conditions that exclude the counterexample: in a mask or guard that is there, or a new one."""
    sizes = sizes_of(source, access.array)
    yield from _guards(source, access, sizes, values)
    for condition in _conditions(source, access, address, sizes, values):
        yield from with_condition(source, access, condition)


def with_condition(source: Source, access: Access, condition: str) -> Iterator[Edit]:
    """The access with one more condition, in its mask or in front of its statement."""
    if source.code.language == "triton":
        yield from _with_mask(source, access, condition)
    else:
        yield from _with_guard(source, access, condition)


def _conditions(
    source: Source, access: Access, address: Span, sizes: list[str], values: Mapping[str, int]
) -> Iterator[str]:
    """`index < size` for indices of the address and sizes of the array, where it is false."""
    code, pointer, seen = source.code, name(access.array, INT64), set[str]()
    rows: list[tuple[Span, Term]] = []
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


def _varies(code: Code, node: Term) -> bool:
    """Whether it depends on more than parameters."""
    return any(x.op != "name" or x.word not in code.kernel.parameters for x in node.leaves)


def _is_row(code: Code, node: Term) -> bool:
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
        inside = text[:-1].rstrip().removesuffix(",")
        changed = f"{inside}, mask={condition})"
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
