"""Kernels of a source file: the reader of its language, and what it finds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from symlayout.checks.reading import read_text
from symlayout.errors import LayoutError
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.nodes import Node
from symlayout.programs.kernels.scan.finding import Finding, Limits
from symlayout.text.limits import SOURCE_CHARACTERS

PYTHON = (".py",)
LAUNCHED = (".cu", ".cuh", ".hip", ".metal")  # files that may have kernels
C = (*LAUNCHED, ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh")
SUFFIXES = (*PYTHON, *LAUNCHED, ".h", ".hpp")
# without one of these words a file has nothing to scan
MARKS = {
    "python": ("jit",),
    "c": ("__global__", "<<<"),
    "metal": ("kernel",),
}


CONVERSION = re.compile(r"def \w*\dx\d\w*_to_")


class Reader:
    """The functions of a file, read when they are asked for.

    Raises `LayoutError`: SL601 and SL506 for a file that cannot be read, SL509 without the grammar.
    """

    file: str
    text: str

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self.module: Any
        if file.endswith(PYTHON):
            from symlayout.programs.kernels import triton as language
        else:
            from symlayout.programs.kernels import c as language  # type: ignore[no-redef]
        self.language: Any = language
        if file.endswith(PYTHON):
            self.module = language.read_module(text)
        else:
            self.module = self.language.read_module(text, file.endswith(".metal"))

    def kernels(self) -> dict[str, ast.FunctionDef]:
        """The functions that are launched."""
        made: dict[str, ast.FunctionDef] = self.module.kernels
        return made

    def functions(self) -> list[ast.FunctionDef]:
        """The functions of the file that may have a contract as a decorator."""
        return list(self.module.functions.values())

    def constants(self) -> dict[str, int]:
        """The numbers that the file gives names."""
        found = {n: getattr(v, "node", None) for n, v in self.module.values.items()}
        return {n: v.value for n, v in found.items() if v is not None and v.value is not None}

    def function(self, name: str) -> ast.FunctionDef:
        """A function by its name, a helper too.

        Raises `LayoutError` (SL504) where there is none.
        """
        found: ast.FunctionDef | None = self.language.function(self.module, name)
        if found is None:
            known = ", ".join(self.kernels()) or "none"
            help = f"its kernels: {known}"
            raise LayoutError("SL504", f"{self.file} has no kernel called {name!r}", help=help)
        return found

    def of_file(self, limits: Limits) -> Iterator[Finding]:
        """Defects of the file that are those of no single kernel."""
        if self.file.endswith(PYTHON):
            from symlayout.programs.kernels.scan.inverses import disagreeing

            yield from disagreeing(self.text)
        else:
            from symlayout.programs.kernels.scan.wide import widened_late

            yield from widened_late(self.module, limits)

    def below(self, line: int) -> ast.FunctionDef | None:
        """The first function that begins below a line."""
        found: ast.FunctionDef | None = self.language.below(self.module, line)
        return found

    def scalar(self, function: ast.FunctionDef, text: str) -> Node:
        """An expression of a contract."""
        made: Node = self.language.scalar(self.module, function, text)
        return made

    def read(self, function: ast.FunctionDef, **known: Any) -> Kernel:
        """The accesses of a function."""
        made: Kernel = self.language.read_kernel(self.module, function, **known)
        return made


def reader_of(file: str, function: str | None = None) -> Reader | None:
    """The reader of a file that may have kernels.

    Raises `LayoutError`: SL601, SL506 and SL509 for a file that cannot be read.
    """
    text = read_text(file)
    if not file.endswith((*PYTHON, *C)):
        raise LayoutError("SL601", f"{file} is in no language whose kernels are read")
    if len(text) > SOURCE_CHARACTERS:
        raise LayoutError("SL506", f"{file} has more than {SOURCE_CHARACTERS:,} characters")
    language = "python" if file.endswith(PYTHON) else "metal" if file.endswith(".metal") else "c"
    marked = any(m in text for m in MARKS[language])
    marked = marked or (language == "python" and CONVERSION.search(text) is not None)
    if function is None and not marked:
        return None
    return Reader(file, text)


def read_kernels(file: str, function: str | None = None) -> Iterator[tuple[Kernel, str]]:
    """The kernels of a file with its text; of a function that is named also a helper.

    Raises `LayoutError` as `reader_of`, and SL504 for a function that is not there.
    """
    reader = reader_of(file, function)
    if reader is None:
        return
    chosen = reader.kernels().values() if function is None else [reader.function(function)]
    for node in chosen:
        yield reader.read(node), reader.text
