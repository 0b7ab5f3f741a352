"""Contracts that stand in a decorator: `@symlayout.kernel(grid=.., x="f32[n]", where=..)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from symlayout.errors import LayoutError
from symlayout.text.patterns import regex

MODULE = regex(r"^[ \t]*import\s[^#\n]*\bsymlayout[ \t]+as[ \t]+(\w+)", re.M)
FROM = regex(r"^[ \t]*from[ \t]+symlayout[ \t]+import[ \t]*(\([^)]*\)|[^#\n]*)", re.M)
NAMES = regex(r"\s*[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*")
KERNEL = regex(r"\bkernel\b(?:\s+as\s+(\w+))?")


def names(text: str) -> set[str]:
    """What the decorator is called in a file.

    >>> sorted(names("import symlayout as lay\\nfrom symlayout import prove, kernel as k"))
    ['k', 'lay.kernel', 'sl.kernel', 'symlayout.kernel']
    """
    modules = {"symlayout", "sl", *MODULE.findall(text)}
    hits = (m for one in FROM.findall(text) for m in KERNEL.finditer(one))
    return {f"{m}.kernel" for m in modules} | {m[1] or "kernel" for m in hits}


def is_decorated(text: str) -> bool:
    """Whether a file may have a contract as a decorator."""
    if "kernel" not in text:
        return False
    words = "|".join(r"\s*\.\s*".join(name.split(".")) for name in names(text))
    return re.search(rf"@\s*(?:{words})\s*\(", text) is not None


def contracts(
    functions: Iterable[ast.FunctionDef], starts: Sequence[int], known: Collection[str]
) -> Iterator[tuple[ast.FunctionDef, list[tuple[str, int]]]]:
    """The functions that have one, with its lines and their places; `starts` are those of lines.

    `known` is what the decorator is called.

    Raises `LayoutError` (SL502) for what is no text.
    """
    for function in functions:
        for d in function.decorator_list:
            if isinstance(d, ast.Call) and ast.unparse(d.func) in known:
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
    elif keyword.arg == "symbol" and all(map(NAMES.fullmatch, texts)):
        yield f"{head}symbol {', '.join(texts)}", at
    else:
        yield f"{head}{keyword.arg} is {texts[0]}", at
