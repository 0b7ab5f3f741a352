"""What a language is that is C++ with a few words more; `c/dialects.py` has a row for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import Expression


def _as_it_is(text: str) -> str:
    return text


def _no_constants(text: str) -> dict[str, CType]:
    return {}


def _no_call(low: Any, tree: Any, word: str, kids: list[Any]) -> Expression | None:
    """No call has a meaning of its own."""
    return None


@dataclass(frozen=True)
class Dialect:
    """A language, known by the `suffixes` of files or by `marks` in their texts.

    `plain` gives its text as C++ has it, every character in its place.  `kernel` is found in the head
    of a kernel, as the grammar reads it, or `own_kernel` where it is written.  `blocks` and `threads`
    say how coordinates and sizes along its `axes` are called, `shared` what marks memory that a group
    shares.  Types that its compiler brings have meanings in `types`, constants that are given elsewhere
    in `constants`.  `call` lowers the calls that it gives a meaning.  `padded`: vectors of three have
    the size of four.  `small`: arrays hardly have 2**32 elements.  `has_vector_casts`: a vector is
    `(float4)(a, b, c, d)`.  `has_objects`: objects have methods, and do nothing by themselves.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    plain: Callable[[str], str] = _as_it_is
    kernel: str = "__global__"
    own_kernel: str = ""
    blocks: tuple[str, str] = ("blockIdx_", "gridDim_")
    threads: tuple[str, str] = ("threadIdx_", "blockDim_")
    axes: str = "xyz"
    shared: tuple[str, ...] = ("__shared__", "threadgroup")
    types: Mapping[str, str] = field(default_factory=dict, hash=False)
    constants: Callable[[str], dict[str, CType]] = _no_constants
    call: Callable[[Any, Any, str, list[Any]], Expression | None] = _no_call
    padded: bool = False
    small: bool = False
    has_vector_casts: bool = False
    has_objects: bool = False


C = Dialect("c")
