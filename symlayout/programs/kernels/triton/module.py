"""A file with kernels: its functions, its constants, and what its names mean."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from symlayout.programs.kernels.values import Value
from symlayout.text.once import cached_property


@dataclass
class Module:
    """The functions and constants of a file that kernels see.

    `launched` are the kernels, several of one name as well; `compiled` are those that Triton compiles,
    one for each definition; `definitions` all that the file has, in the order of lines; `choices` are
    its conditions and `try`, `statements` the lines of what else stands outside of functions; `bound`
    counts how often a name gets a meaning at the top of the file, `own` are its functions there,
    `language` has the paths of what names take from Triton, `replaced` are the names with a meaning
    from elsewhere, `imports` what `imported` says of other names, `stars` the
    modules all of whose names are, `builtins` names that the file gives Triton's functions of that
    name, and `load` finds a module by its name.
    """

    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    kernels: dict[str, ast.FunctionDef] = field(default_factory=dict)
    launched: list[ast.FunctionDef] = field(default_factory=list)
    values: dict[str, Value] = field(default_factory=dict)
    text: str = ""
    compiled: list[ast.FunctionDef] = field(default_factory=list)
    definitions: list[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef] = field(
        default_factory=list
    )
    choices: list[ast.If | ast.Try] = field(default_factory=list)
    statements: list[tuple[int, int]] = field(default_factory=list)
    bound: dict[str, int] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    language: dict[str, tuple[str, ...]] = field(default_factory=dict)
    replaced: frozenset[str] = frozenset()
    imports: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    stars: list[tuple[int, str]] = field(default_factory=list)
    builtins: frozenset[str] = frozenset()
    load: Callable[[int, str], Module | None] = lambda level, dotted: None

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
