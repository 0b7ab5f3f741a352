"""Operations on layouts by what they do to coordinates, for the checker: divides by tiles of sizes.

A divide of A by the tile (s, t) has inner coordinates a, b and outer ones p, q, and addresses what A
does at (a + s*p, b + t*q).  It is defined here where the tile divides A.
"""

from __future__ import annotations

from sympy import Expr

from symlayout.certificate.definitions import ONE, ZERO, Map, at_least, names_in, product
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.reader import Scanner, expression_at
from symlayout.expr.terms import FloorDiv, Mod, coordinate_symbols

DIVIDES = ("logical_divide", "zipped_divide", "tiled_divide", "flat_divide")


def divided(name: str, inner: Map, tile: list[Expr]) -> Map:
    """A map divided by a tile with a size for each of its dimensions."""
    if name not in DIVIDES or len(tile) != len(inner.shape):
        raise LayoutError("SL106", f"{name} of these arguments has no definition in the checker")
    counts = [FloorDiv(n, t) for n, t in zip(inner.shape, tile)]
    shape: list[Expr] = {
        "logical_divide": list(inner.shape),
        "zipped_divide": [product(tile), product(counts)],
        "tiled_divide": [product(tile), *counts],
        "flat_divide": [*tile, *counts],
    }[name]
    own = inner.names | names_in(*shape)
    coords = coordinate_symbols(len(shape), own)
    given: list[Expr] = list(coords)
    if name == "logical_divide":
        place = given
    else:
        inside = given[: len(tile)] if name == "flat_divide" else digits(given[0], tile)
        rest = given[len(tile) :] if name == "flat_divide" else given[1:]
        outside = digits(rest[0], counts) if name == "zipped_divide" else rest
        place = [a + t * p for a, t, p in zip(inside, tile, outside)]
    exact = [Relation("==", Mod(n, t), ZERO) for n, t in zip(inner.shape, tile)]
    demands = (*inner.demands, *at_least(1, *tile), *exact)
    return Map(tuple(shape), coords, inner.at(place), inner.size, inner.bits, demands)


def digits(n: Expr, shape: list[Expr]) -> list[Expr]:
    """The coordinate in the shape whose number is `n`, the first one fastest."""
    found: list[Expr] = []
    below: Expr = ONE
    for k, d in enumerate(shape):
        digit = FloorDiv(n, below) if k else n
        found.append(digit if k == len(shape) - 1 else Mod(digit, d))
        below = below * d
    return found


def tile_of(text: str) -> list[Expr]:
    """The sizes of `(16, t)`; raises `LayoutError` for anything else."""
    s = Scanner(text)
    s.expect("(", "before the sizes of a tile")
    sizes: list[Expr] = []
    while not s.take(")"):
        if sizes:
            s.expect(",", "between the sizes")
        sizes.append(expression_at(s))
    s.end("the tile")
    return sizes
