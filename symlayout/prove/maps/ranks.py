"""Claims about linear layouts, by their ranks over F2: no point is listed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symlayout.digits.context import Context
from symlayout.digits.placement import Attempt
from symlayout.expr.terms import as_expr
from symlayout.layouts.doors.linear import Linear
from symlayout.layouts.maps.function import IndexFunction
from symlayout.prove.search import Found

Failing = Callable[[dict[str, int]], Found | None]  # the first failure at these sizes


def whole(f: IndexFunction) -> Linear | None:
    """The linear layout that a function is, in the box of its own sizes."""
    if isinstance(f, Linear) and f._box == tuple(as_expr(d) for _, d in f.outs):
        return f
    return None


def proof(failing: Failing, reason: str) -> Any:
    """What `decide` asks for: a proof where nothing fails, and a search."""

    def prove(ctx: Context) -> Attempt:
        return Attempt(failing({}) is None, reason, details={"by": "rank"})

    return prove, lambda sizes, left: failing(sizes)


def of_places(word: str, f: Linear) -> tuple[Failing, str]:
    """The first failure of `injective`, `onto`, `bijective`, `bounded` or `valid`, and the ranks."""
    text = f"rank {f.rank} over F2, of {f.in_bits} bits in and {f.out_bits} out"

    def failing(sizes: dict[str, int]) -> Found | None:
        if word not in ("onto", "bounded") and not f.injective:
            # the least sum of vectors that is 0: without its last one it meets this one
            zero = min(f.span.kernel)
            last = 1 << (zero.bit_length() - 1)
            return Found(sizes, f.point(zero ^ last), f.point(last), "collision")
        if word in ("onto", "bijective") and not f.onto:
            # what is not in a space begins with a unit vector
            missing = next(k for k in range(f.out_bits) if f.span.combination(1 << k) is None)
            return Found(sizes, f.place(1 << missing), kind="gap")
        return None

    return failing, text


def sides(f: Linear) -> list[int]:
    """The sizes of the inputs."""
    return [1 << len(v) for _, v in f.ins]


def units(f: Linear) -> list[tuple[int, ...]]:
    """The points with one bit, in order."""
    return [f.point(1 << k) for k in range(f.in_bits)]


def both(a: IndexFunction, b: IndexFunction) -> tuple[Linear, Linear] | None:
    """Two linear layouts, if both functions are such."""
    x, y = whole(a), whole(b)
    return None if x is None or y is None else (x, y)


def difference(a: IndexFunction, b: IndexFunction) -> Failing | None:
    """The first point at which two layouts differ; None where they have not the same points."""
    pair = both(a, b)
    if pair is None or sides(pair[0]) != sides(pair[1]):
        return None

    def failing(sizes: dict[str, int]) -> Found | None:
        hits = (p for p in units(pair[0]) if a.at(p, {}) != b.at(p, {}))
        return next((Found(sizes, p, kind="differ") for p in hits), None)

    return failing


def there_and_back(a: IndexFunction, b: IndexFunction) -> Failing | None:
    """The first point that does not come back; None where sizes do not fit."""
    pair = both(a, b)
    if pair is None:
        return None
    x, y = pair
    if sides(x) != [d for _, d in y.outs] or sides(y) != [d for _, d in x.outs]:
        return None

    def failing(sizes: dict[str, int]) -> Found | None:
        for f, g, kind in ((x, y, "F"), (y, x, "G")):
            for p in units(f):
                if g.at(f.at(p, {}), {}) != p:
                    return Found(sizes, p, kind=kind)
        return None

    return failing


def meeting(a: IndexFunction, b: IndexFunction) -> Failing | None:
    """Linear layouts meet at 0; None for other functions."""
    pair = both(a, b)
    if pair is None:
        return None
    zeros = [(0,) * len(f.ins) for f in pair]
    return lambda sizes: Found(sizes, zeros[0], zeros[1], "meeting")
