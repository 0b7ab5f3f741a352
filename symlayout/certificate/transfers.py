"""What `bitcast` and `reinterpret` say: the same elements in two layouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symlayout.certificate.definitions import ONE, number, plain, product
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Texts
from symlayout.certificate.reading import inside, numerals, relation
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr

if TYPE_CHECKING:
    from symlayout.certificate.semantics import Claim


def bitcast(claim: Claim, by: str, texts: Texts) -> Iterator[Part]:
    (a, b), perm = claim.maps, claim.options.get("perm", claim.hint)
    if perm is not None:
        order = [p + len(a.shape) if p < 0 else p for p in numerals(perm)]  # -1 is the last
        if sorted(order) != list(range(len(a.shape))):
            raise LayoutError("SL403", f"{perm} is not a permutation of the dimensions")
        shape, coords = tuple(a.shape[p] for p in order), tuple(a.coords[p] for p in order)
        a = a._replace(shape=shape, coords=coords)
    if None not in (a.bits, b.bits) and a.bits != b.bits:
        raise LayoutError("SL403", f"elements of {a.bits} and of {b.bits} bits")
    count = relation("==", product(a.shape), product(b.shape))
    yield Part("sizes", {}, [count, relation("==", a.size, b.size)])
    a, b = (b, a) if by.endswith("of B") else (a, b)
    rest, place = number(a.coords, a.shape), list[Expr]()
    for size in reversed(b.shape[1:]):  # the element with the same row-major number
        d = ONE if size == 0 else size  # as many as in the other: none
        rest, place = FloorDiv(rest, d), [Mod(rest, d), *place]
    place = [rest, *place] if b.shape else []
    yield Part("offsets", a.box(), [relation("==", a.raw, b.at(place))])


def reinterpret(claim: Claim, by: str, texts: Texts) -> Iterator[Part]:
    (a, b), (u, v) = claim.maps, claim.units()
    if by.startswith("order"):
        yield from bitcast(claim, by, texts)
        return
    yield Part("sizes", {}, [relation("==", u * a.size, v * b.size)])
    if by == "full":  # nothing but elements in either
        yield claim.covering("first", a, texts)
        yield claim.covering("second", b, texts)
        return
    for name, m, n, x, y in (("forth", a, b, u, v), ("back", b, a, v, u)):
        unit = symbol(claim.fresh(texts))  # of an element
        place = [read_expression(t) for t in texts.sequence(name)]
        if len(place) != len(n.shape) + 1:
            raise LayoutError("SL403", f"{name} gives {len(place)} numbers for a place")
        same = relation("==", m.raw * x + unit, n.at(place[:-1]) * y + place[-1])
        box = {**m.box(), unit.name: plain(x)}
        yield Part(name, box, [*inside(place, [*n.shape, y]), same])
