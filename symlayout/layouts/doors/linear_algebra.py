"""Linear layouts over F2 made of others: after one another, side by side, inverses and quotients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlayout.errors import LayoutError

if TYPE_CHECKING:
    from symlayout.layouts.doors.linear import Linear, Vector


def compose(f: Linear, inner: Linear, most: int) -> Linear:
    """First `inner`, then the other; raises `LayoutError` (SL403) where they do not fit."""
    targets = [1 << len(v) for _, v in f.ins]
    if [d for _, d in inner.outs] != targets:
        message = f"coordinates of sizes {[d for _, d in inner.outs]} go into inputs of {targets}"
        raise LayoutError("SL403", message)
    table = {n: [f.at(v, {}) for v in vs] for n, vs in inner.ins}
    return f.of(table, dict(f.outs), most=most)


def right_inverse(f: Linear) -> Linear:
    """A point for each place; raises `LayoutError` (SL404) unless every place is reached."""
    if not f.onto:
        message = f"places are not reached: rank {f.rank} of {f.out_bits} bits"
        raise LayoutError("SL404", message)
    table: dict[str, list[Vector]] = {}
    for (name, size), s in zip(f.outs, f.shifts):
        hits = [f.span.combination(1 << (s + k)) for k in range(size.bit_length() - 1)]
        table[name] = [f.point(c) for c in hits if c is not None]
    return f.of(table, {n: 1 << len(v) for n, v in f.ins})


def product(f: Linear, other: Linear) -> Linear:
    """Both side by side."""
    mine, theirs = dict(f.outs), dict(other.outs)
    outs = {n: mine.get(n, 1) * theirs.get(n, 1) for n in (*mine, *theirs)}
    table: dict[str, list[Vector]] = {n: [] for n, _ in (*f.ins, *other.ins)}
    for layout, above in ((f, False), (other, True)):
        for name, vectors in layout.ins:
            for v in vectors:
                names = dict(zip(dict(layout.outs), v))
                raised = {n: x * (mine.get(n, 1) if above else 1) for n, x in names.items()}
                table[name].append(tuple(raised.get(n, 0) for n in outs))
    return f.of(table, outs)


def divide(f: Linear, other: Linear) -> Linear | None:
    """The layout whose product with `below` is this one; None where there is none."""
    mine, below = dict(f.outs), dict(other.outs)
    arguments = dict(other.ins)
    if not (below.keys() <= mine.keys() and arguments.keys() <= dict(f.ins).keys()):
        return None
    table: dict[str, list[Vector]] = {}
    for name, vectors in f.ins:
        lower = [dict(zip(below, v)) for v in arguments.get(name, ())]
        first = tuple(tuple(v.get(n, 0) for n in mine) for v in lower)
        rest = vectors[len(first) :]
        if vectors[: len(first)] != first:
            return None
        if any(x % below.get(n, 1) for v in rest for n, x in zip(mine, v)):
            return None
        table[name] = [tuple(x // below.get(n, 1) for n, x in zip(mine, v)) for v in rest]
    if any(d % below.get(n, 1) for n, d in mine.items()):
        return None
    return f.of(table, {n: d // below.get(n, 1) for n, d in mine.items()})
