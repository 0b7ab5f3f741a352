"""Kernels in languages that are not read, and kernels whose form is not seen: where they begin."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from symlayout.programs.kernels.syntax import dotted_name
from symlayout.text.endings import ends_in
from symlayout.text.patterns import regex

# The ends of the paths that decorators of kernels have.
DECORATORS = {
    "gluon.jit": "Gluon",
    "tilelang.jit": "TileLang",
    "prim_func": "TileLang",
    "tir.prim_func": "TVM",
    "cute.kernel": "CuTe DSL",
    "cute.jit": "CuTe DSL",
    "cuda.jit": "Numba",
    "helion.kernel": "Helion",
    "helion.jit": "Helion",
    "tile.kernel": "CUDA Tile",
    "ct.kernel": "CUDA Tile",
    "pallas.kernel": "Pallas",
    "warp.kernel": "Warp",
    "wp.kernel": "Warp",
    "taichi.kernel": "Taichi",
    "ti.kernel": "Taichi",
    "nki.jit": "NKI",
}
# Those of functions that make a kernel of what they get.
CALLS = {
    "triton.jit": "Triton",
    "gluon.jit": "Gluon",
    "cuda.jit": "Numba",
    "pallas_call": "Pallas",
    "RawKernel": "CuPy",
}
SPECS = {"pallas.BlockSpec": "Pallas", "pl.BlockSpec": "Pallas"}  # of a call that is elsewhere
WORDS = regex(
    r"\b(?:gluon|tilelang|prim_func|cute|numba|cuda|helion|ct|pallas|pallas_call|BlockSpec|warp|wp"
    r"|taichi|ti|nki|triton|RawKernel)\b"
)
TEXTS = regex(
    r"//[^\n]*+|/\*(?:(?>[^*]|\*(?!/)))*+(?:\*/)?|\"(?:(?>\\.|[^\"\\\n]))*+\"?"
    r"|'(?:(?>\\.|[^'\\\n])){1,16}+'",
    re.S,
)
DEFINITIONS = regex(r"^[ \t]*#(?:(?>[^\n\\]|\\.))*+", re.M | re.S)
ARGUMENTS = r"\s*+\((?:(?>[^()]|\([^()]{0,500}+\))){0,9999}+\)"
BOUNDS = rf"(?:(?>\s++__launch_bounds__{ARGUMENTS}))?+"
KERNEL = r"\[\[(?:[^\]]{0,200},)?\s*kernel\b[^\]]{0,200}\]\]"
C_LIKE = (".h", ".hpp", ".cpp", ".cu", ".cuh", ".hip")
FORMS = (
    (
        "Metal",
        (".metal", ".h"),
        r"\[\[(?:[^\]]{0,200},)?\s*kernel\b[^\]]{0,200}\]\][^(){};]{0,400}?(\w++)\s*\(",
    ),
    ("Metal", (".metal", ".h"), r"^[ \t]*+kernel\s++void\s++(\w++)\s*\("),
    ("OpenCL", C_LIKE, r"\b__kernel\s++void\s++(\w++)\s*\("),
    ("CUDA", C_LIKE, rf"\b[A-Z]\w*_KERNEL\b{BOUNDS}\s++(\w++){ARGUMENTS}\s*\{{"),
    ("CUDA", C_LIKE, rf"^[ \t]*+(\w+_KERNEL){ARGUMENTS}\s*\{{"),
)
PATTERNS = tuple((language, endings, regex(form, re.M)) for language, endings, form in FORMS)


@dataclass(frozen=True)
class Lookalike:
    """What looks like a kernel, and is not read: its line, its language, its name, and why."""

    line: int
    language: str
    name: str
    why: str = ""

    @property
    def reason(self) -> str:
        """Why it is not read, for people."""
        return self.why or f"a kernel in a form that is not read ({self.language})"


def in_python(text: str) -> list[Lookalike]:
    """The kernels of a Python file in other languages than Triton.

    >>> in_python("from numba import cuda\\n@cuda.jit\\ndef f(x): pass\\n")
    [Lookalike(line=2, language='Numba', name='f', why='')]
    """
    if WORDS.search(text) is None:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        return sorted(_of_tree(tree), key=lambda x: x.line)
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return []


def _of_tree(tree: ast.Module) -> list[Lookalike]:
    paths = dict(p for x in ast.walk(tree) for p in _imported(x))
    hits, specs = list[Lookalike](), list[Lookalike]()
    waiting: list[ast.AST] = [tree]
    while waiting:
        x = waiting.pop()
        if isinstance(x, (ast.FunctionDef, ast.AsyncFunctionDef)):
            callees = [d.func if isinstance(d, ast.Call) else d for d in x.decorator_list]
            languages = [w for d in callees if (w := _language(d, paths, DECORATORS))]
            if languages:
                line = min(d.lineno for d in x.decorator_list)
                hits.append(Lookalike(line, languages[0], x.name))
                continue
            waiting += [*x.body, *[a for d in x.decorator_list for a in ast.iter_child_nodes(d)]]
            continue
        if isinstance(x, ast.Call) and (x.args or x.keywords):
            word = dotted_name(x.func).split(".")[-1]
            for table, places in ((CALLS, hits), (SPECS, specs)):
                if language := _language(x.func, paths, table):
                    places.append(Lookalike(x.lineno, language, word))
        waiting += ast.iter_child_nodes(x)
    return hits or specs


def _imported(x: ast.AST) -> Iterator[tuple[str, str]]:
    """The paths of the names that an import gives a meaning."""
    if isinstance(x, ast.Import):
        yield from ((a.asname, a.name) for a in x.names if a.asname)
    elif isinstance(x, ast.ImportFrom) and x.module:
        yield from ((a.asname or a.name, f"{x.module}.{a.name}") for a in x.names)


def _language(node: ast.expr, paths: dict[str, str], table: dict[str, str]) -> str:
    """The language whose path a name has; "" for none."""
    first, _, rest = dotted_name(node).partition(".")
    path = f".{paths.get(first, first)}.{rest}".rstrip(".")
    ends = [end for end in table if path.endswith(f".{end}")]
    return table[max(ends, key=len)] if ends else ""


def in_c(file: str, text: str, read: Collection[str] = ()) -> list[Lookalike]:
    """The kernels of a file in C, C++, CUDA, Metal or OpenCL, less those that were `read`.

    >>> in_c("k.metal", "[[kernel]] void f(device float* x) {}")
    [Lookalike(line=1, language='Metal', name='f', why='')]
    """
    if "kernel" not in text and "_KERNEL" not in text:
        return []
    plain = DEFINITIONS.sub(_blank, TEXTS.sub(_blank, text))
    hits: dict[int, Lookalike] = {}
    for language, endings, pattern in PATTERNS:
        for m in pattern.finditer(plain) if ends_in(file, endings) else ():
            line = plain.count("\n", 0, m.start()) + 1
            if m[1] not in read:
                hits.setdefault(line, Lookalike(line, language, m[1]))
    return [hits[n] for n in sorted(hits)]


def _blank(m: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", m[0])
