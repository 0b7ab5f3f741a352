"""Endings of files' names, whose letters may be large or small: `K.CU` is a source as `k.cu` is."""

from __future__ import annotations


def ends_in(file: str, endings: str | tuple[str, ...]) -> bool:
    """Whether the name has one of the endings, which are written small.

    >>> ends_in("K.CU", (".cu", ".cuh")), ends_in("k.cu.txt", ".cu")
    (True, False)
    """
    return file.lower().endswith(endings)
