"""Contracts that stand in a decorator: `@symlayout.kernel(grid=.., x="f32[n]", where=..)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from symlayout.errors import LayoutError
from symlayout.text.patterns import regex

DECORATED = regex(r"@\s*(?:symlayout|sl)\s*\.\s*kernel\s*\(")


def contracts(
    functions: Iterable[ast.FunctionDef], starts: Sequence[int]
) -> Iterator[tuple[ast.FunctionDef, list[tuple[str, int]]]]:
    """The functions that have one, with its lines and their places; `starts` are those of lines.

    Raises `LayoutError` (SL502) for what is no text.
    """
    for function in functions:
        for d in function.decorator_list:
            match d:
                case ast.Call(ast.Attribute(ast.Name("symlayout" | "sl"), "kernel")):
                    yield function, [line for k in d.keywords for line in _lines(k, starts, d)]


def _lines(
    keyword: ast.keyword, starts: Sequence[int], call: ast.Call
) -> Iterator[tuple[str, int]]:
    """The lines that a keyword is; the first of all has to be the kernel's."""
    value = keyword.value
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else [value]
    at = starts[value.lineno - 1] + value.col_offset
    texts = []
    for p in parts:
        if not (isinstance(p, ast.Constant) and isinstance(p.value, (str, int))):
            raise LayoutError("SL502", "a contract in a decorator is written in texts", at=at)
        texts.append(str(p.value))
    head = "kernel " if keyword is call.keywords[0] else ""
    if keyword.arg in ("grid", "block"):
        yield f"{head}{keyword.arg} ({', '.join(texts)},)", at
    elif keyword.arg == "where":
        yield f"{head}where {', '.join(texts)}", at
    else:
        yield f"{head}{keyword.arg} is {texts[0]}", at
