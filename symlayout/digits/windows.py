"""Windows: neighbouring digits of one symbol taken together again.

Where a polynomial uses two neighbouring digits in the proportion of their weights, the pair is one
digit of a coarser split: `d*(x//d) + x%d == x`, and `a*((x//a)%b) + x%a == x%(a*b)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlayout.digits.poly import Poly, atom

if TYPE_CHECKING:
    from symlayout.digits.atoms import Root
    from symlayout.digits.state import State


def join(ctx: State, p: Poly, *, coordinates_only: bool = False) -> Poly:
    """The polynomial with digits joined wherever the pair occurs only as one."""
    for number in sorted(ctx.roots, reverse=True):
        root = ctx.roots[number]
        if coordinates_only and not ctx.is_coordinate(number):
            continue
        if p.atoms.isdisjoint(root.digits):
            continue
        p = _join_root(ctx, root, p)
    return p


def _join_root(ctx: State, root: Root, p: Poly) -> Poly:
    last = len(root.digits) - 1
    first = 0
    value = root.digits[0]  # the window [first, place] as one atom
    for place in range(1, last + 1):
        upper = root.digits[place]
        whole = window(ctx, root, first, place)
        ratio = ctx.resolve(root.weights[place]).exact(ctx.resolve(root.weights[first]))
        poly = None
        if ratio is not None and (value in p.atoms or upper in p.atoms):
            lower = atom(whole) - ratio * atom(upper)
            if value != whole:
                candidate = p.substitute({value: lower})
                if upper not in candidate.atoms:
                    poly = candidate
        if poly is not None:
            p, value = poly, whole
        else:
            first, value = place, upper
    return p


def window(ctx: State, root: Root, first: int, last: int) -> int:
    """The atom of two or more digits, first..last together; of all of them, the symbol itself."""
    top = last == len(root.digits) - 1
    if first == 0 and top:
        ctx.atoms[root.atom].looser = _top_high(ctx, root, first, last)
        return root.atom
    key = (root.atom, root.digits[first], root.digits[last])
    result = ctx.windows.get(key)
    if result is None:
        low = ctx.resolve(root.weights[first])
        over = None if top else ctx.resolve(root.weights[last + 1]).exact(low)
        high = _top_high(ctx, root, first, last) if over is None else over - 1
        least = _top_low(ctx, root, first, last) if top else 0
        result = ctx.new_atom(f"w{len(ctx.atoms)}", "window", least, high, definition=key)
        if over is not None:
            ctx.atoms[result].looser = _top_high(ctx, root, first, last)
        for point in ctx.samples:
            scale = low.value(point)
            inside = list(zip(root.digits, root.weights))[first : last + 1]
            point[result] = sum(
                point[a] * (ctx.resolve(w).value(point) // scale) for a, w in inside
            )
        ctx.windows[key] = result
    return result


def _top_low(ctx: State, root: Root, first: int, last: int) -> int | None:
    """The least value of the window that holds the top digit, which alone may be negative."""
    low = ctx.atoms[root.digits[last]].low
    if low is None or low >= 0:
        return low if low is None else 0
    over = ctx.resolve(root.weights[last]).exact(ctx.resolve(root.weights[first]))
    return None if over is None or not over.is_constant else low * over.constant


def _top_high(ctx: State, root: Root, first: int, last: int) -> Poly | None:
    """The largest value of the window that holds the top digit: its digits' largest together."""
    bound = ctx.high(root.digits[last])
    if bound is None:
        return None
    over = ctx.resolve(root.weights[last]).exact(ctx.resolve(root.weights[first]))
    if over is None:
        return None
    return bound * over + over - 1


def leaves_of(ctx: State, number: int, used: set[int]) -> list[tuple[int, Poly]]:
    """The windows among `used` that a symbol consists of, each with its weight."""
    root = ctx.roots[number]
    hits: list[tuple[int, Poly]] = []
    place = 0
    while place < len(root.digits):
        width = 1
        for key, result in ctx.windows.items():
            if result in used and key[0] == root.atom and key[1] == root.digits[place]:
                width = root.digits.index(key[2]) - place + 1
                hits.append((result, ctx.resolve(root.weights[place])))
                break
        else:
            hits.append((root.digits[place], ctx.resolve(root.weights[place])))
        place += width
    return hits
