"""Sizes for a picture: those given, and small ones that satisfy the facts for the rest."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from symlayout.errors import LayoutError

CHOICES = (4, 6, 8, 2, 3, 5, 16, 32, 64, 128, 1, 256, 512, 1024, 0)
MOST_TRIES = 100_000


def read_sizes(
    symbols: Sequence[str], given: Sequence[str], where: Iterable[str] = ()
) -> tuple[dict[str, int], list[str]]:
    """A number for every symbol of a layout, and the names of those that were chosen here.

    >>> read_sizes(("M", "N"), ["M=3"], ["N % 5 == 0"])
    ({'M': 3, 'N': 5}, ['N'])

    Raises `LayoutError`: SL402 for a name or a number that means nothing, or facts that no small
    sizes satisfy.
    """
    sizes: dict[str, int] = {}
    for text in (part for each in given for part in each.split(",")):
        found = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*={1,2}\s*(\d{1,18})\s*", text, re.A)
        if found is None:
            message = f"a size is given as NAME=N (or NAME=N,NAME=N), not {text!r}"
            raise LayoutError("SL402", message, text=text, at=0)
        name, number = found.group(1), int(found.group(2))
        if name not in symbols:
            known = ", ".join(symbols) or "none"
            raise LayoutError("SL402", f"{name!r} is no size of this layout (its sizes: {known})")
        sizes[name] = number
    missing = [n for n in symbols if n not in sizes]
    if missing or where:
        sizes |= _choose(missing, sizes, where)
    return {n: sizes[n] for n in symbols}, missing


def _choose(missing: Sequence[str], sizes: dict[str, int], where: Iterable[str]) -> dict[str, int]:
    from symlayout.expr.facts import Facts
    from symlayout.prove.applied import expanded

    given = Facts.read(expanded(list(where))).relations
    relations = [r for r in given if r.names <= {*missing, *sizes}]
    tries = itertools.islice(itertools.product(CHOICES, repeat=len(missing)), MOST_TRIES)
    # the smallest sum of places in CHOICES would be fairer; the first that fits is predictable
    for numbers in tries:
        env = {**sizes, **dict(zip(missing, numbers))}
        if all(r.holds(env) for r in relations):
            return dict(zip(missing, numbers))
    raise LayoutError(
        "SL402",
        "no small sizes satisfy the facts" if missing else "the sizes do not satisfy the facts",
        help="give sizes that do, with --size NAME=N",
    )
