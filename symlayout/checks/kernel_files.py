"""Kernels of a source file: the ones that a reader finds, and the contracts above them."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.checks.reading import read_text
from symlayout.errors import LayoutError
from symlayout.programs.kernels.access import Kernel
from symlayout.text.limits import SOURCE_CHARACTERS

PYTHON = (".py",)
MARKS = ("jit",)  # without one of these words there is no kernel in a Python file


def read_kernels(file: str, function: str | None = None) -> Iterator[tuple[Kernel, str]]:
    """The kernels of a file with its text; of a function that is named also a helper.

    Raises `LayoutError`: SL601 and SL506 for a file that cannot be read, SL504 for a function that
    is not there.
    """
    text = read_text(file)
    if not file.endswith(PYTHON):
        raise LayoutError("SL601", f"{file} is in no language whose kernels are read")
    if len(text) > SOURCE_CHARACTERS:
        raise LayoutError("SL506", f"{file} has more than {SOURCE_CHARACTERS:,} characters")
    if not any(m in text for m in MARKS):
        if function is not None:
            raise LayoutError("SL504", f"{file} has no kernel")
        return
    from symlayout.programs.kernels.triton import read_kernel, read_module

    module = read_module(text)
    if function is not None and function not in module.functions:
        known = ", ".join(module.functions) or "none"
        help = f"its kernels: {known}"
        raise LayoutError("SL504", f"{file} has no kernel called {function!r}", help=help)
    chosen = module.kernels if function is None else {function: module.functions[function]}
    for node in chosen.values():
        yield read_kernel(module, node), text
