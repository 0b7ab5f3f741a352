"""Thread-value layouts such as `tv (4,8):(8,1) on (8,4)`, and those of instructions by name.

A layout with the modes (thread, value) gives the number of an element in a tile, counted along the
first coordinate first; with the tile's sizes it is an index function to the element's coordinates.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from symlayout.errors import LayoutError, did_you_mean
from symlayout.expr.reader import Scanner
from symlayout.expr.terms import FloorDiv, Mod, as_expr
from symlayout.expr.tree import Expr
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.layout import Layout
from symlayout.layouts.cute.reader import read_inttuple, read_strides
from symlayout.layouts.maps.function import ZERO, IndexFunction, Variable
from symlayout.layouts.reading import part_from, shown_at
from symlayout.text.patterns import regex

ON = regex(r"\s+on\s+(?=\()")
NAMED = regex(r"\s*atom\s+([A-Za-z]\w*)\s+([A-Za-z]\w*)\s*", re.A)
LONE = regex(r"\s*atom\s+(?:\w+\s*::\s*)*([A-Za-z]\w*)(?:<[^<>]*>)?\s*(?:[A-Za-z]\w*\s*)?\Z", re.A)
HEAD = regex(r"\s*tv\b")
OPERANDS = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}  # which of M, N and K each has


@dataclass(frozen=True)
class ThreadValue(IndexFunction):
    """A thread-value layout on a tile.

    >>> a = read_tv("tv ((4,8),(2,2)):((32,1),(16,8)) on (16,8)")
    >>> a.at((5, 3), {})
    (9, 3)
    """

    layout: Layout | None = None
    tile: tuple[Any, ...] = ()
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"tv {self.layout} on {it.text_of(self.tile)}"


def thread_value(layout: Layout, tile: Sequence[Any], name: str = "") -> ThreadValue:
    """The index function of a layout with two modes, on a tile.

    Raises `LayoutError`: SL107 for another number of modes, SL403 for a tile without sizes.
    """
    if not isinstance(layout, Layout) or layout.rank != 2:
        raise LayoutError("SL107", f"{layout} has not the two modes of threads and values")
    sizes = [as_expr(int(d) if isinstance(d, int) else d) for d in it.flatten(tuple(tile))]
    if not sizes:
        raise LayoutError("SL403", "a tile has sizes")
    if any(d.is_Integer and d < 1 for d in sizes):
        raise LayoutError("SL403", f"the tile {it.text_of(tuple(tile))} has a size below 1")
    m = layout.index_map()
    used = {*m.symbols, *(x.name for d in sizes for x in d.free_symbols)}
    names = [n if n not in used else f"{n}_" for n in ("thread", "value")]
    m = m.named(names)
    results: list[Expr] = []
    below = as_expr(1)
    for k, d in enumerate(sizes):
        digit: Expr = FloorDiv(m._raw, below) if k else m._raw
        results.append(digit if k == len(sizes) - 1 else Mod(digit, d))
        below = below * d
    variables = tuple(Variable(n, ZERO, as_expr(d)) for n, d in zip(names, m._shape))
    single = len(sizes) == 1
    return ThreadValue(
        variables,
        tuple(results),
        tuple(sizes),
        tupled=not single,
        layout=layout,
        tile=tuple(tile),
        name=name,
    )


def read_tv(text: str) -> ThreadValue:
    """The thread-value layout that a text spells, on its tile, or an instruction's by its name.

    >>> print(read_tv("atom SM80_16x8x16_F32F16F16F32_TN C").layout)
    ((4,8),(2,2)):((32,1),(16,8))

    Raises `LayoutError` with the place of the mistake.
    """
    named = NAMED.fullmatch(text)
    if named is not None:
        return of_atom(named[1], named[2])
    s = Scanner(text)
    head, match = HEAD.match(text), ON.search(text)
    if head is None:
        raise _lone_atom(s)
    if match is None:
        message = "expected `on` and a tile such as (16,8) behind the layout"
        raise s.error("SL101", message, len(text))
    with part_from(s, head.end()):
        layout = read_strides(text[head.end() : match.start()])
    with part_from(s, match.end()):
        tile = read_inttuple(text[match.end() :])
    with shown_at(s, head.end()):
        return thread_value(layout, tile if isinstance(tile, tuple) else (tile,))


# -- instructions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Atom:
    """A matrix instruction: its shape, and the thread-value layout of each operand."""

    name: str
    shape: tuple[int, ...]
    layouts: Mapping[str, str]
    tiles: Mapping[str, tuple[int, ...]]
    copies: Mapping[str, int]  # how many threads hold each element, where it is not one


@cache
def atoms() -> dict[str, Atom]:
    """All instructions that are known, by name.

    >>> len(atoms()) > 150, atoms()["SM70_8x8x4_F32F16F16F32_NT"].shape
    (True, (8, 8, 4))
    """
    text = Path(__file__).with_name("atoms.toml").read_text(encoding="utf-8")
    table: dict[str, Atom] = {}
    for row in tomllib.loads(text)["atom"]:
        shape = tuple(row["shape"])
        layouts = {k: row[k] for k in row if k in OPERANDS or k in ("source", "target")}
        tiles = {
            k: tuple(row["tiles"][k] if k in row.get("tiles", {}) else _tile(shape, k))
            for k in layouts
        }
        for name in row["names"]:
            table[name] = Atom(name, shape, layouts, tiles, row.get("copies", {}))
    return table


def listing() -> str:
    """Every instruction with its operands, those with the same layouts together."""
    lines: list[str] = []
    groups: dict[tuple[Any, ...], list[Atom]] = {}
    for a in atoms().values():
        groups.setdefault((a.shape, *a.layouts.items()), []).append(a)
    for alike in groups.values():
        lines += [a.name for a in alike]
        for operand, text in alike[0].layouts.items():
            value = alike[0].copies.get(operand, 1)
            tile = "x".join(map(str, alike[0].tiles[operand]))
            times = "" if value == 1 else f", each element in {value} threads"
            lines.append(f"  {operand}: {text} on {tile}{times}")
    return "\n".join(lines) + "\n"


def _tile(shape: Sequence[int], operand: str) -> tuple[int, ...]:
    return tuple(shape[k] for k in OPERANDS[operand]) if operand in OPERANDS else tuple(shape)


def _lone_atom(s: Scanner) -> LayoutError:
    """The error for an instruction without its operand, or with the namespaces of C++."""
    match = LONE.match(s.text)
    name = match[1] if match is not None else "NAME"
    atom = atoms().get(name)
    if atom is not None:
        known = ", ".join(atom.layouts)
        message = f"expected an operand of {name}: {known}"
        first = next(iter(atom.layouts))
        return s.error("SL101", message, len(s.text), help=f"write atom {name} {first}")
    if match is None:
        return s.error("SL101", "write `atom NAME A`, with an operand A, B or C", 0)
    near = did_you_mean(name, list(atoms())) or "`symlayout show atoms` lists the instructions"
    return s.error("SL106", f"the instruction {name!r} is not known", *match.span(1), near)


def of_atom(name: str, operand: str) -> ThreadValue:
    """The thread-value layout of an operand of an instruction.

    Raises `LayoutError` (SL106) for a name or an operand that is not known.
    """
    atom = atoms().get(name)
    if atom is None:
        hint = did_you_mean(name, list(atoms()))
        raise LayoutError("SL106", f"the instruction {name!r} is not known", help=hint)
    if operand not in atom.layouts:
        known = ", ".join(atom.layouts)
        message = f"{name} has the operands {known}, not {operand!r}"
        raise LayoutError("SL106", message, help=did_you_mean(operand, list(atom.layouts)))
    layout = read_strides(atom.layouts[operand])
    return thread_value(layout, atom.tiles[operand], f"atom {name} {operand}")
