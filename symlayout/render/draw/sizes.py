"""Sizes for a picture: those given, and small ones that show the tiles and satisfy the facts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from symlayout.errors import LayoutError, no_size
from symlayout.expr.slips import slip

if TYPE_CHECKING:
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.maps.function import IndexFunction

CHOICES = (4, 6, 8, 2, 3, 5, 16, 32, 64, 128, 1, 256, 512, 1024, 0)
MOST_TRIES = 100_000
MOST_CELLS = 1 << 14  # what tiles may make a picture grow to

Wishes = Mapping[str, Sequence[int]]


def read_sizes(
    symbols: Sequence[str],
    assignments: Sequence[str],
    where: Iterable[str] = (),
    wishes: Wishes | None = None,
) -> tuple[dict[str, int], list[str]]:
    """A number for every symbol of a layout, and the names of those that were chosen here.

    >>> read_sizes(("M", "N"), ["M=3"], ["N % 5 == 0"])
    ({'M': 3, 'N': 5}, ['N'])

    `wishes` are tried first.  Raises `LayoutError`: SL402 for a name or a number that means nothing,
    or facts that no small sizes satisfy.
    """
    sizes: dict[str, int] = {}
    for text in assignments:
        at = 0
        for part in text.split(","):
            name, number = _assignment(text, at, part, symbols)
            if sizes.setdefault(name, number) != number:
                message = f"the size {name} has two values: {sizes[name]} and {number}"
                help = "one number for each size"
                raise LayoutError("SL402", message, text=text, at=at, end=at + len(part), help=help)
            at += len(part) + 1
    missing = [n for n in symbols if n not in sizes]
    if missing or where:
        sizes |= _choose(missing, sizes, where, wishes or {})
    return {n: sizes[n] for n in symbols}, missing


def _assignment(text: str, at: int, part: str, symbols: Sequence[str]) -> tuple[str, int]:
    """A name and its number, of the part of a text that begins there."""
    place: Any = {"text": text, "at": at, "end": at + len(part)}
    example = ",".join(f"{n}={k}" for n, k in zip(symbols, (4, 8, 2, 3)))
    help = f"such as --size {example}" if example else "this layout has no sizes to give"
    match = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*={1,2}([^=]*)", part, re.A)
    if match is None:
        message = f"a size is given as NAME=N (or NAME=N,NAME=N), not {part[:60]!r}"
        raise LayoutError("SL402", message, help=help, **place)
    name, digits = match[1], match[2].strip()
    if name not in symbols:
        error = no_size(name, symbols, "layout")
        raise LayoutError(error.code, error.message, help=error.help or help, **place)
    if not re.fullmatch(r"\d{1,18}", digits, re.A):
        place["at"] = at + match.start(2) + len(match[2]) - len(match[2].lstrip())
        place["end"] = max(at + len(part.rstrip()), place["at"] + 1)
        value = f"{digits[:60]!r}" if digits else "nothing"
        message = f"the size {name} is a whole number from 0 to 10**18 - 1, not {value}"
        spelling = slip(digits, 0, "") if re.match(r"\d+[e_]", digits, re.I) else None
        raise LayoutError("SL402", message, help=spelling or help, **place)
    return name, int(digits)


def _choose(
    missing: Sequence[str], sizes: dict[str, int], where: Iterable[str], wishes: Wishes
) -> dict[str, int]:
    from symlayout.expr.facts import Facts
    from symlayout.prove.applied import expansion

    facts = Facts.read(expansion(list(where)))
    relations = [r for r in facts.relations if r.names <= {*missing, *sizes}]
    least = {n: (d.first, d.first + d.modulus) for n in missing for d in [facts.domain(n)]}
    choices = [dict.fromkeys((*wishes.get(n, ()), *CHOICES, *least[n])) for n in missing]
    # the smallest sum of places in CHOICES would be fairer; the first that fits is predictable
    for numbers in itertools.islice(itertools.product(*choices), MOST_TRIES):
        env = {**sizes, **dict(zip(missing, numbers))}
        if all(r.holds(env) for r in relations):
            return dict(zip(missing, numbers))
    message = "no small sizes satisfy the facts"
    if not missing:
        wrong = next(r for r in relations if not r.holds(sizes))
        message = f"the sizes do not satisfy the fact '{wrong}'"
    raise LayoutError("SL402", message, help="give sizes that do, with --size NAME=N")


def wishes_of(layout: IndexMap) -> dict[str, tuple[int, ...]]:
    """Sizes that show a layout's tiles: a tile and a half, two tiles, or one, as long as it is small.

    >>> from symlayout import parse
    >>> wishes_of(parse("f32[M,N]{1,0:T(8,128)}").index_map())
    {'M': (12, 16, 8), 'N': (192, 256, 128)}
    """
    from symlayout.expr.terms import as_expr, free_names

    table: dict[str, tuple[int, ...]] = {}
    cells = 1
    for coordinate, extent in zip(layout._coords, layout._shape):
        names = free_names(extent)
        if isinstance(extent, int) or not names:
            cells *= max(1, int(str(extent)))
            continue
        tile = max([1, *_divisors(layout._raw, coordinate.name)])
        if as_expr(extent).is_Symbol:
            if tile > 1 and cells * 2 * tile <= MOST_CELLS:
                table[names[0]] = (tile + tile // 2, 2 * tile, tile)
                cells *= 2 * tile
        else:
            table |= dict.fromkeys(names, (2, 3))
    return table


def _divisors(e: Any, name: str) -> list[int]:
    """The numbers by which something with that symbol is divided."""
    from symlayout.expr.terms import FloorDiv, Mod, free_names
    from symlayout.expr.tree import Integer

    divisions = [p for p in _parts(e) if isinstance(p, (FloorDiv, Mod))]
    known = [p.args for p in divisions if isinstance(p.args[1], Integer)]
    return [int(divisor) for x, divisor in known if name in free_names(x)]


def _parts(e: Any) -> list[Any]:
    """The expression and everything in it, each once."""
    seen: dict[Any, None] = {}
    left = [e]
    while left:
        part = left.pop()
        if part not in seen:
            seen[part] = None
            left += part.args
    return list(seen)


def wishes_of_map(f: IndexFunction) -> dict[str, tuple[int, ...]]:
    """Sizes that show a schedule's groups: 2 for what divides, and others that it does not divide.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> wishes_of_map(read_map("map p < M: (p//G, p%G)"))
    {'M': (5, 4), 'G': (2, 3)}
    """
    from symlayout.expr.terms import FloorDiv, Mod, free_names

    divisors: set[str] = set()
    for e in f._evaluated:
        for part in _parts(e):
            if isinstance(part, (FloorDiv, Mod)):
                divisors |= set(free_names(part.args[1]))
    extents = {n for v in f.variables for n in free_names(v._low, v._high)}
    extents |= {n for e in f._box or () for n in free_names(e)}
    groups = [n for n in f.names if n in divisors and n not in extents]
    if not groups:
        return {}
    return {n: (2, 3) if n in groups else (5, 4) for n in f.names}
