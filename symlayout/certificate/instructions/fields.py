"""The checker's reading of attributes with several numbers for each dimension."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from symlayout.certificate.instructions.call import Call
from symlayout.certificate.shaping import Rules

WINDOW = re.compile(r"\[\s*(\d+)\s*:\s*(\d+)\s*(?::\s*(\d+)\s*)?\]")
ENTRY = re.compile(r"(-?\d+)_(-?\d+)(?:_(-?\d+))?")


class Slice(NamedTuple):
    """Which elements of a dimension are taken, and how many these are."""

    start: int
    limit: int
    stride: int
    length: int


class Padding(NamedTuple):
    """What is put beside the elements of a dimension, and between them."""

    margin: int
    between: int


def _slices(r: Rules, c: Call) -> list[Slice]:
    text = c.at(r, "slice")
    hits = WINDOW.findall(text)
    r.need(text.count("[") == len(hits))
    rows = []
    for start, limit, stride in ([int(word or 1) for word in hit] for hit in hits):
        r.need(start <= limit and stride >= 1)
        rows.append(Slice(start, limit, stride, len(range(start, limit, stride))))
    return rows


def _padding(r: Rules, c: Call) -> list[Padding]:
    text, rows = c.attributes.get("padding", "").strip(), []
    for entry in text.split("x") if text else []:
        hit = ENTRY.fullmatch(entry)
        low, high, between = hit.group(1, 2, 3) if hit is not None else r.no()
        rows.append(Padding(int(low) + int(high), int(between or 0)))
    return rows


FIELDS: dict[str, Callable[[Rules, Call], Any]] = {"slice": _slices, "padding": _padding}
