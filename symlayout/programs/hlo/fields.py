"""Attributes with several numbers for each dimension: `slice` and `padding`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from symlayout.expr.terms import ceildiv
from symlayout.programs.hlo.parts import Verifier


class Slice(NamedTuple):
    """The elements `[start:limit:stride]` of a dimension."""

    start: int
    limit: int
    stride: int

    @property
    def length(self) -> int:
        """How many elements these are."""
        return ceildiv(max(0, self.limit - self.start), max(1, self.stride))


class Padding(NamedTuple):
    """Elements put before, after and between those of a dimension: `low_high_between`."""

    low: int
    high: int
    between: int

    @property
    def margin(self) -> int:
        """How many elements are put beside."""
        return self.low + self.high


def slices(v: Verifier) -> list[Slice]:
    """The attribute `slice`; raises `LayoutError` (SL721) for what is not understood."""
    v.demand("slice" in v.attributes, f"{v.opcode} needs the attribute slice")
    text = v.attributes["slice"]
    windows = re.findall(r"\[([^\]]*)\]", text)
    if re.sub(r"\[[^\]]*\]", "", text).strip("{}, \n\t"):
        v.unread("slice")
    rows = []
    for window in windows:
        words = [w.strip() for w in window.split(":")]
        if len(words) not in (2, 3) or not all(w.isdigit() for w in words):
            v.unread("slice")
        start, limit, stride = (*map(int, words), 1)[:3]
        rows.append(Slice(start, limit, stride))
    return rows


def padding(v: Verifier) -> list[Padding]:
    """The attribute `padding`; raises `LayoutError` (SL721) for what is not understood."""
    text = v.attributes.get("padding", "")
    rows = []
    for entry in text.split("x") if text else []:
        words = entry.split("_")
        if len(words) not in (2, 3) or not all(re.fullmatch(r"-?\d+", w) for w in words):
            v.unread("padding")
        low, high, between = (*map(int, words), 0)[:3]
        rows.append(Padding(low, high, between))
    return rows


FIELDS: Mapping[str, Callable[[Verifier], list[Slice] | list[Padding]]] = {
    "slice": slices,
    "padding": padding,
}
