"""An order of the atoms of a question that hangs on nothing but what is asked of them.

A solver's luck hangs on the order in which it is told of things.  Here that order is found from how the
atoms occur: in which polynomials, with which factors, beside which others.  Names, and when in a proof
an atom was made, are nowhere looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from symlayout.digits.poly import Poly

Places = Mapping[int, int]
Tagged = tuple[str, Poly]
MOST_TIES = 40  # atoms that are told apart one by one


def in_order(lows: Mapping[int, int | None], statements: Sequence[Tagged]) -> list[int]:
    """The atoms of `lows`: each is told apart by its bound below and by the polynomials it is in.

    >>> x, y = Poly({(0,): 1}), Poly({(1,): 1})
    >>> in_order({0: 1, 1: 1}, [(">=", x - 2 * y)]), in_order({0: 1, 1: 1}, [(">=", y - 2 * x)])
    ([1, 0], [0, 1])
    """
    places = _ranked({a: (low is not None, low or 0) for a, low in lows.items()})
    places = _refined(places, statements)
    for _ in range(MOST_TIES):
        several = sorted(places.values())
        tie = next((p for p, q in pairwise(several) if p == q), None)
        if tie is None:
            break
        # what no polynomial tells apart may mostly change places: any of them may be the first
        one = min(a for a, p in places.items() if p == tie)
        places = _refined(_ranked({a: (p, a != one) for a, p in places.items()}), statements)
    return sorted(places, key=lambda a: (places[a], a))


def terms_in_order(p: Poly, places: Places) -> list[tuple[tuple[int, ...], int]]:
    """The terms of a polynomial, and the factors of each, by the places of their atoms."""
    rows = [(tuple(sorted(places[a] for a in m)), c) for m, c in p.terms.items()]
    return sorted(rows, key=lambda row: (-len(row[0]), row))


def _ranked(keys: Mapping[int, Any]) -> dict[int, int]:
    """The place of each atom's key among all of them."""
    number = {key: n for n, key in enumerate(sorted(set(keys.values())))}
    return {a: number[key] for a, key in keys.items()}


def _refined(places: dict[int, int], statements: Sequence[Tagged]) -> dict[int, int]:
    """The places, told apart by what stands beside each atom until that tells no more apart."""
    while True:
        keys: dict[int, list[Any]] = {a: [] for a in places}
        for tag, p in statements:
            terms = terms_in_order(p, places)
            for m, c in p.terms.items():
                others = tuple(sorted(places[a] for a in m))
                for a in set(m):
                    keys[a].append((tag, tuple(terms), others, c, m.count(a)))
        ranks = _ranked({a: (places[a], tuple(sorted(rows))) for a, rows in keys.items()})
        if len(set(ranks.values())) == len(set(places.values())):
            return ranks
        places = ranks
