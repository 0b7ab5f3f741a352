"""Pallas' `input_output_aliases`: an argument whose memory a result has, which has to be as large."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from symlayout.errors import LayoutError
from symlayout.programs.kernels.block_specs import Leaf, size_of

__all__ = ["alike"]


def alike(
    pairs: Mapping[Any, Any], tables: int, inputs: Sequence[Leaf], outputs: Sequence[Leaf]
) -> Iterator[tuple[str, str]]:
    """Of each pair its name, and what its sizes have to be: the number of an argument, scalar
    prefetch arguments first, and that of a result.

    Raises `LayoutError` (SL403) for numbers of no argument or result, for a result that several
    arguments give their memory, and for ranks and types that differ.
    """
    for i, o in pairs.items():
        a, b = _at(i, tables, inputs, "argument"), _at(o, 0, outputs, "result")
        name = f"{b.name} in the memory of {a.name}"
        if len(a.shape) != len(b.shape):
            message = f"{name}: an array of rank {len(b.shape)} for one of {len(a.shape)}"
            raise LayoutError("SL403", message)
        types = [str(getattr(x.dtype, "name", x.dtype)) for x in (a, b) if x.dtype is not None]
        if len({*types}) > 1:
            raise LayoutError("SL403", f"{name}: elements of {types[1]} for those of {types[0]}")
        sizes = zip(map(size_of, a.shape), map(size_of, b.shape))
        if a.shape:
            yield f"{name}: their sizes are equal", " and ".join(f"{x} == {y}" for x, y in sizes)
    results = [*pairs.values()]
    if len({*results}) < len(results):
        raise LayoutError("SL403", "two arguments of input_output_aliases for one result")


def _at(k: Any, before: int, leaves: Sequence[Leaf], word: str) -> Leaf:
    if type(k) is not int or not 0 <= k - before < len(leaves):
        rest = f", of which {before} are scalar prefetch arguments" if before else ""
        message = f"input_output_aliases: {k!r:.40} is no {word} of {before + len(leaves)}{rest}"
        raise LayoutError("SL403", message)
    return leaves[k - before]
