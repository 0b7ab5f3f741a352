"""Windows: neighbouring digits of one symbol taken together again.

Where a polynomial uses two neighbouring digits in the proportion of their weights, the pair is one
digit of a coarser split: `d*(x//d) + x%d == x`, and `a*((x//a)%b) + x%a == x%(a*b)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symlayout.digits.poly import Poly, atom

if TYPE_CHECKING:
    from symlayout.digits.context import Context, Root


def join(ctx: Context, p: Poly, *, coordinates_only: bool = False) -> Poly:
    """The polynomial with digits joined wherever the pair occurs only as one."""
    for number in sorted(ctx.roots, reverse=True):
        root = ctx.roots[number]
        if coordinates_only and not ctx.is_coordinate(number):
            continue
        if p.atoms.isdisjoint(root.digits):
            continue
        p = _join_root(ctx, root, p)
    return p


def _join_root(ctx: Context, root: Root, p: Poly) -> Poly:
    last = len(root.digits) - 1
    first = 0
    held = root.digits[0]  # the window [first, place] as one atom
    for place in range(1, last + 1):
        upper = root.digits[place]
        whole = window(ctx, root, first, place)
        ratio = ctx.resolve(root.weights[place]).exact(ctx.resolve(root.weights[first]))
        merged = None
        if ratio is not None and (held in p.atoms or upper in p.atoms):
            lower = atom(whole) - ratio * atom(upper)
            if held != whole:
                candidate = p.substitute({held: lower})
                if upper not in candidate.atoms:
                    merged = candidate
        if merged is not None:
            p, held = merged, whole
        else:
            first, held = place, upper
    return p


def window(ctx: Context, root: Root, first: int, last: int) -> int:
    """The atom of two or more digits, first..last together; of all of them, the symbol itself."""
    top = last == len(root.digits) - 1
    if first == 0 and top:
        ctx.atoms[root.atom].looser = _top_high(ctx, root, first, last)
        return root.atom
    key = (root.atom, root.digits[first], root.digits[last])
    made = ctx.windows.get(key)
    if made is None:
        low = ctx.resolve(root.weights[first])
        over = None if top else ctx.resolve(root.weights[last + 1]).exact(low)
        high = _top_high(ctx, root, first, last) if over is None else over - 1
        made = ctx.new_atom(f"w{len(ctx.atoms)}", "window", 0, high, definition=key)
        if over is not None:
            ctx.atoms[made].looser = _top_high(ctx, root, first, last)
        for point in ctx.samples:
            scale = low.value(point)
            inside = list(zip(root.digits, root.weights))[first : last + 1]
            point[made] = sum(point[a] * (ctx.resolve(w).value(point) // scale) for a, w in inside)
        ctx.windows[key] = made
    return made


def _top_high(ctx: Context, root: Root, first: int, last: int) -> Poly | None:
    """The largest value of the window that holds the top digit: its digits' largest together."""
    bound = ctx.high(root.digits[last])
    if bound is None:
        return None
    over = ctx.resolve(root.weights[last]).exact(ctx.resolve(root.weights[first]))
    if over is None:
        return None
    return bound * over + over - 1


def leaves_of(ctx: Context, number: int, used: set[int]) -> list[tuple[int, Poly]]:
    """The windows among `used` that a symbol consists of, each with its weight."""
    root = ctx.roots[number]
    found: list[tuple[int, Poly]] = []
    place = 0
    while place < len(root.digits):
        width = 1
        for key, made in ctx.windows.items():
            if made in used and key[0] == root.atom and key[1] == root.digits[place]:
                width = root.digits.index(key[2]) - place + 1
                found.append((made, ctx.resolve(root.weights[place])))
                break
        else:
            found.append((root.digits[place], ctx.resolve(root.weights[place])))
        place += width
    return found
