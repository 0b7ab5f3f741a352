"""A file of C: its functions, lowered when they are needed, and what they share."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from symlayout.programs.kernels.c.lowering.dialect import C, Dialect
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.values import Value
from symlayout.text.once import cached_property


@dataclass
class CModule:
    """The functions of a C file, lowered when they are needed.

    `launched` are the kernels, several of one name as well; `values` are the numbers of the file that
    have names.
    """

    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    kernels: dict[str, ast.FunctionDef] = field(default_factory=dict)
    launched: list[ast.FunctionDef] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    text: str = ""

    lower: Callable[..., ast.FunctionDef | None] = lambda word, count, types=(): None
    only_compute: Callable[[str], bool] = lambda word: False
    types: dict[int, dict[str, CType]] = field(default_factory=dict)
    parameters: dict[int, dict[str, CType]] = field(default_factory=dict)
    spellings: dict[int, dict[str, str]] = field(default_factory=dict)  # words of claims' language
    constants: dict[int, dict[str, CType]] = field(default_factory=dict)
    bad: dict[int, list[int]] = field(default_factory=dict)
    templates: dict[int, tuple[tuple[str, ast.expr | None], ...]] = field(default_factory=dict)
    typed: dict[int, tuple[tuple[str, CType | None], ...]] = field(default_factory=dict)
    metal: dict[int, dict[str, str]] = field(default_factory=dict)
    trees: list[tuple[str, Any]] = field(default_factory=list)
    structs: frozenset[str] = frozenset()
    root: Any = None
    dialect: Dialect = C
    method: Callable[[str, str, int], ast.FunctionDef | None] = lambda cls, word, count: None
    omitted: dict[int, dict[str, ast.expr]] = field(default_factory=dict)
    groups: set[tuple[str, str]] = field(default_factory=set)  # parameters that a group shares
    function_trees: dict[str, list[Any]] = field(default_factory=dict)
    local: dict[str, list[Any]] = field(default_factory=dict)
    origins: dict[int, str] = field(default_factory=dict)  # the header of each foreign function
    foreign: dict[int, str] = field(default_factory=dict)
    outside: dict[str, CType] = field(default_factory=dict)  # constants that are given elsewhere
    headers: tuple[str, ...] = ()  # the texts of what is included
    places: dict[int, Callable[[], ast.FunctionDef]] = field(default_factory=dict)

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines of the file, whose columns count bytes."""
        return self.text.encode().splitlines()

    def source(self, node: ast.expr) -> str:
        """The text of an expression, of one of several lines the first."""
        if not 0 < node.lineno <= len(self.lines):
            return ""
        same = node.end_lineno == node.lineno
        part = self.lines[node.lineno - 1][node.col_offset : node.end_col_offset if same else None]
        return part.decode(errors="replace")
