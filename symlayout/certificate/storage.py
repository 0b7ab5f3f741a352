"""What is said of a layout's memory and its formula: `padding`, `aligned`, `bytes`, `fits`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from symlayout.certificate.definitions import Map, product
from symlayout.certificate.part import Part
from symlayout.certificate.proof import Texts
from symlayout.certificate.reading import inside, relation
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import CeilDiv, Min, Mod, value
from symlayout.expr.tree import Add, Expr, Mul, Pow

if TYPE_CHECKING:
    from symlayout.certificate.semantics import Claim


def padding(claim: Claim, by: str, texts: Texts) -> Iterator[Part]:
    (m,), most = claim.maps, claim.ratio()
    whole = m.size * most.denominator
    yield Part("sizes", {}, [relation("<=", whole, product(m.shape) * most.numerator)])


def aligned(claim: Claim, by: str, texts: Texts) -> Iterator[Part]:
    (m,), dim, step = claim.maps, claim.options.get("dim"), claim.sizes[0] * 8
    if dim is not None and not -len(m.shape) <= int(dim) < len(m.shape):
        raise LayoutError("SL108", f"there is no dimension {dim}")
    along = row_dimension(m) if dim is None else range(len(m.shape))[int(dim)]
    box = m.box()
    if along is not None:
        box[m.coords[along].name] = Min(m.shape[along], 1)
    aligned = relation("==", Mod(m.raw * claim.bits(m), step), 0)
    yield Part("step", {}, [relation(">=", step, 0)])
    yield Part("rows", box, [relation(">=", step, 1), aligned])


def bytes_of(claim: Claim, by: str, texts: Texts) -> Iterator[Part]:
    (m,) = claim.maps
    yield Part("sizes", {}, [relation("==", CeilDiv(m.size * claim.bits(m), 8), claim.sizes[0])])


def fits(claim: Claim, by: str, texts: Texts) -> Iterator[Part]:
    """The formula that the claim names is the offset, and each value on its way is in range."""
    (m,), limit = claim.maps, 2 ** (max(int(claim.text(1)), 1) - 1)
    if "formula" not in claim.options:
        raise LayoutError("SL502", "the claim does not name the formula of the layout")
    result = claim.at_place(m, read_expression(claim.options["formula"]))
    goals = [g for e in intermediates(result) for g in inside([e + limit], [2 * limit])]
    yield Part("offsets", m.box(), [relation("==", m.raw, result), *goals])


def intermediates(e: Expr) -> list[Expr]:
    """What code computes on its way, factor by factor and term by term, negative ones last."""
    hits: dict[Expr, None] = {}

    def chain(parts: Sequence[Expr], whole: Any) -> None:
        result = None
        for part in parts:
            subtracted = whole is Add and result is not None and part.could_extract_minus_sign()
            visit(-part if subtracted else part)
            result = part if result is None else whole(result, part)
            hits.setdefault(result)

    def visit(x: Expr) -> None:
        if isinstance(x, Add):
            negative = [t for t in x.args if t.could_extract_minus_sign() and not t.is_Integer]
            numbers = [t for t in x.args if t.is_Integer]
            others = [t for t in x.args if t not in negative and t not in numbers]
            chain([*sorted(others, key=str), *sorted(negative, key=str), *numbers], Add)
        elif isinstance(x, Mul):
            numbers = [f for f in x.args if f.is_Integer and f != -1]  # -(a*b): the sign comes last
            names = [f for f in x.args if f.is_Symbol]
            rest = [f for f in x.args if not (f.is_Integer or f.is_Symbol)]
            chain([*numbers, *sorted(names, key=str), *sorted(rest, key=str)], Mul)
            hits.setdefault(x)
        elif isinstance(x, Pow):
            chain([x.base] * int(x.exp), Mul)
        else:
            for a in x.args:
                visit(a)
            hits.setdefault(x)

    visit(e)
    return list(hits)


def row_dimension(m: Map) -> int | None:
    """The dimension whose coordinate 1 lies nearest to coordinate 0, all sizes being 64.

    Of several that lie equally near one of size 1 comes first, then the last.
    """
    sizes, names = dict.fromkeys(m.names, 64), list(m.box())

    def at(k: int) -> int:
        return value(m.raw, {**sizes, **{c: int(j == k) for j, c in enumerate(names)}})

    steps = [(abs(at(k) - at(-1)), bool(d != 1), -k) for k, d in enumerate(m.shape)]
    return next((-k for s, _, k in sorted(steps) if s), None)
