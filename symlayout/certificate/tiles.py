"""What `tiles` says: the tiles of a layout are copies of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from symlayout.certificate.definitions import ZERO, Map, at_least, names_in
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Drawn, Texts
from symlayout.certificate.reading import Reading, expressions, least_given, pairs, relation
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.terms import CeilDiv, coordinate_symbols, symbol
from symlayout.layouts.cute.tuples import plain_tuples

if TYPE_CHECKING:
    from symlayout.certificate.semantics import Claim


def tiles(claim: Claim, by: str, texts: Texts) -> Iterator[Part]:
    """A(first + place) == A(first) + T(place) wherever it lies in A; tiles cover by Euclid."""
    m, t = claim.maps
    grid = () if claim.first else coordinate_symbols(len(m.shape), {*claim.names, *t.box()})
    first = claim.first or [g * d for g, d in zip(grid, t.shape)]
    counts = [CeilDiv(d, s) for d, s in pairs(m.shape, t.shape)]
    box = {**{g.name: n for g, n in zip(grid, counts)}, **t.box()}
    place = [f + c for f, c in pairs(first, t.coords)]
    relations = [Relation("<", x, d) for x, d in zip(place, m.shape)]
    same = relation("==", m.at(first) + t.raw, m.at(place))
    yield Part("offsets", box, [same], premises=relations)


def read(claim: Reading) -> None:
    """The tile's own map: of a layout, or of sizes within the blocks and strides of the whole."""
    (m,), argument = claim.maps, claim.arguments[1]
    is_map = isinstance(argument, Drawn)
    if is_map or re.search(r":|\[|^\s*\w+\s*\(", plain_tuples(claim.text(1))):
        claim.maps.append(layout_map(argument, claim.points))
    else:
        shape = tuple(expressions(claim.text(1)))
        coords = coordinate_symbols(len(shape), names_in(*shape) | m.names)
        raw = m.at(coords) - m.at([ZERO] * len(shape))
        claim.maps.append(Map(shape, coords, raw, m.size, m.bits))
    claim.demands += [[r] for r in at_least(1, *claim.maps[1].shape)]
    none = [Relation("==", d, ZERO) for d in m.shape if not d.is_Integer]
    for t, d in pairs(claim.maps[1].shape, m.room or m.shape):  # a tile is part of its layout
        if ZERO not in m.shape:
            claim.demands.append([Relation(">=", d, t), *none])
    if "at" not in claim.options:
        return
    # inside of the array; its own symbols may be 0
    claim.first = expressions(claim.options["at"])
    sizes = {n for t in claim.maps for n in t.names}
    own = sorted(names_in(*claim.first) - sizes)
    for n in own:
        if not any(least_given(r, n, claim.work) for r in claim.facts):
            claim.facts.append(Relation(">=", symbol(n), ZERO))
    for e, d in pairs(claim.first, m.shape):
        if e.is_Number and d.is_Number and not 0 <= e < d:
            raise LayoutError("SL102", f"the tile begins at {e}, outside of [0, {d})")
        claim.demands += [[r] for r in [*at_least(0, e), *at_least(e + 1, d)]]
