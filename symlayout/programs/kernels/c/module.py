"""A file of C: its functions, lowered when they are needed, and what they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from symlayout.programs.kernels.c.lowering.dialect import C, Dialect
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.values import Value
from symlayout.text.once import cached_property


@dataclass
class CModule:
    """The functions of a C file, lowered when they are needed.

    `launched` are the kernels, several of one name as well; `values` are the numbers of the file that
    have names.
    """

    functions: dict[str, code.Function] = field(default_factory=dict)
    kernels: dict[str, code.Function] = field(default_factory=dict)
    launched: list[code.Function] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    text: str = ""

    lower: Callable[..., code.Function | None] = lambda word, count, types=(): None
    only_compute: Callable[[str], bool] = lambda word: False
    types: dict[int, dict[str, CType]] = field(default_factory=dict)
    parameters: dict[int, dict[str, CType]] = field(default_factory=dict)
    spellings: dict[int, dict[str, str]] = field(default_factory=dict)  # words of claims' language
    constants: dict[int, dict[str, CType]] = field(default_factory=dict)
    bad: dict[int, list[int]] = field(default_factory=dict)
    templates: dict[int, tuple[tuple[str, code.Expression | None], ...]] = field(
        default_factory=dict
    )
    typed: dict[int, tuple[tuple[str, CType | None], ...]] = field(default_factory=dict)
    metal: dict[int, dict[str, str]] = field(default_factory=dict)
    trees: list[tuple[str, Any]] = field(default_factory=list)
    structs: frozenset[str] = frozenset()
    root: Any = None
    dialect: Dialect = C
    method: Callable[[str, str, int], code.Function | None] = lambda cls, word, count: None
    omitted: dict[int, dict[str, code.Expression]] = field(default_factory=dict)
    groups: set[tuple[str, str]] = field(default_factory=set)  # parameters that a group shares
    function_trees: dict[str, list[Any]] = field(default_factory=dict)
    local: dict[str, list[Any]] = field(default_factory=dict)
    origins: dict[int, str] = field(default_factory=dict)  # the header of each foreign function
    foreign: dict[int, str] = field(default_factory=dict)
    outside: dict[str, CType] = field(default_factory=dict)  # constants that are given elsewhere
    headers: tuple[str, ...] = ()  # the texts of what is included
    places: dict[int, Callable[[], code.Function]] = field(default_factory=dict)

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines of the file, whose columns count bytes."""
        return self.text.encode().splitlines()

    def source(self, at: code.Place) -> str:
        """The text that stands there, of several lines the first."""
        if not 0 < at.line <= len(self.lines):
            return ""
        end = at.end_column if at.end_line == at.line else None
        return self.lines[at.line - 1][at.column : end].decode(errors="replace")
