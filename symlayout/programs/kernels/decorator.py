"""The contract of a Python kernel as a decorator; what it says is read where it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Kernel = TypeVar("Kernel")


def kernel(
    *, grid: str | Sequence[str] = (), where: str | Sequence[str] = (), **arrays: str
) -> Callable[[Kernel], Kernel]:
    """A kernel's contract, for `symlayout check` and `assert_proved`; it changes nothing.

    >>> @kernel(grid="cdiv(n, B)", x="f32[n]", y="f32[n] written once", where="n <= 1048576")
    ... def copy(x, y, n, B): ...

    Each array has a line as in a comment: a layout in any notation, then what is promised.  All of it
    is texts, because the file is read and never run.
    """
    return lambda function: function
