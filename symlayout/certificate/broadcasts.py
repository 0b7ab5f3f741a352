"""What `broadcast` says, read from the sizes of two arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from symlayout.certificate.broadcasting import broadcast_goals
from symlayout.certificate.definitions import ZERO, names_in
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.reading import Reading, numerals
from symlayout.certificate.shaping import Array, Extent, array
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.terms import coordinate_symbols
from symlayout.expr.tree import Symbol


def read(claim: Reading) -> None:
    dims = numerals(claim.options["dims"]) if "dims" in claim.options else None
    dialect = claim.options.get("dialect", "xla")
    a, b = (extents(claim, x) for x in claim.arguments)
    if dialect == "numpy":  # a size that is known later may be any number up to its bound
        names = claim.known | names_in(*[e.size for e in a.dims + b.dims if e.size is not None])
        names_of_later = iter(coordinate_symbols(len(a.dims + b.dims) + 4, names)[4:])
        a, b = (
            x._replace(dims=tuple(later(claim, e, names_of_later) for e in x.dims)) for x in (a, b)
        )
    claim.goals = list(broadcast_goals(a, b, dims, dialect))
    forbidden = claim.options.get("rank_promotion") == "raise"
    if forbidden and a.dims and b.dims and len(a.dims) != len(b.dims):
        claim.goals.append([])  # which cannot hold


def extents(claim: Reading, argument: Any) -> Array:
    """The sizes of an array, of a list, or of the coordinates of any other layout."""
    with suppress(LayoutError):
        return array(argument)
    m = layout_map(argument, claim.points)
    claim.demands += [[r] for r in m.demands]
    claim.resting += (*m.laws, *m.defined)
    return Array(tuple(map(Extent, m.shape)))


def later(claim: Reading, e: Extent, names: Iterator[Symbol]) -> Extent:
    """A size, with a name in place of one that is known only later."""
    if not e.later:
        return e
    name = next(names)
    claim.facts.append(Relation(">=", name, ZERO))
    if e.size is not None:
        claim.facts.append(Relation("<=", name, e.size))
    return Extent(name)
