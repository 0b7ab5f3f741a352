"""Functions of layouts in relations, facts and formulas: their values, and what they demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation, read_relations
from symlayout.expr.reader import Names, any_name
from symlayout.expr.terms import Max, Min, as_expr, ceildiv, product, put
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.applied import (
    Call,
    applied,
    calls,
    shape_alone,
    tuple_value,
    unknown_function,
)
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.coordinates import crd2offset
from symlayout.layouts.cute.layout import Layout, int_
from symlayout.layouts.demands import Demand, extents, within
from symlayout.layouts.emptiness import with_emptiness
from symlayout.layouts.indexmap import IndexMap, mismatch
from symlayout.layouts.notation import parse

Read = Callable[[str], Expr]


class Applied:
    """Values of calls in the index maps of layouts; `demands` grow while texts are read."""

    def __init__(self, facts: Facts | None = None) -> None:
        self.facts = facts or Facts()
        self.demands: list[Demand] = []

    def __call__(self, call: Call, read: Read) -> Expr:
        if call.word == "crd2offset" and len(call.arguments) == 3:
            coord = tuple_value(call.arguments[0], read)
            shape, stride = (tuple_value(a, read) for a in call.arguments[1:])
            result = Layout(shape, stride)  # which looks at sizes that are numbers
            self.demands += result.demands
            return self.placed(coord, shape, stride)
        if (sizes := shape_alone(call, read)) is not None:
            self.demands += extents(d for d in it.flatten(sizes) if not as_expr(d).is_Integer)
            return as_expr(of_shape(call.word, sizes))
        layout = parse(call.arguments[call.layout])
        m: IndexMap = layout.index_map()
        self.demands += m.demanded
        if call.word == "crd2offset":
            return self.along(layout, m, [tuple_value(call.arguments[0], read)])
        if call.word == "offset":
            return self.along(layout, m, [tuple_value(a, read) for a in call.arguments[1:]])
        return as_expr(measure(call.word, layout, m, self.facts))

    def along(self, layout: Any, m: IndexMap, coords: list[Any]) -> Expr:
        """The offset at one coordinate for each dimension, or at one coordinate of the shape."""
        flat = not any(isinstance(c, tuple) for c in coords)
        if flat and len(coords) == m.rank:
            self.inside(coords, m._shape)
            return put(m._raw, dict(zip(m._coords, coords)))
        coord = coords[0] if len(coords) == 1 else tuple(coords)
        if isinstance(layout, Layout):
            return self.placed(coord, layout._shape, layout._stride)
        if isinstance(coord, tuple) and coords[:1] == [coord]:
            return self.along(layout, m, list(coord))
        raise LayoutError("SL108", mismatch(len(coords), m.rank))

    def placed(self, coord: Any, shape: Any, stride: Any) -> Expr:
        """`crd2offset`, each number of the coordinate inside its mode."""
        plain = it.transform(lambda n: as_expr(int_(n)), shape)
        result = crd2offset(coord, plain, it.transform(lambda s: as_expr(int_(s)), stride))
        self.range_of(coord, shape)
        return as_expr(result)

    def range_of(self, coord: Any, shape: Any) -> None:
        if isinstance(coord, tuple):
            for c, s in zip(coord, shape):
                self.range_of(c, s)
        else:
            self.inside([coord], [as_expr(int_(it.product(shape)))])

    def inside(self, coords: Iterable[Any], shape: Iterable[Any]) -> None:
        """0 <= coordinate < extent, also where both are numbers."""
        for c, d in zip(coords, shape):
            low, high = as_expr(c), as_expr(int_(d))
            if (low.is_Integer and low < 0) or (low.is_Integer and high.is_Integer and low >= high):
                raise LayoutError("SL400", f"the coordinate {low} is not in [0, {high})")
            if not low.is_Integer:
                self.demands.append(Demand("the coordinate", low))
            self.demands += within("the extent", low + 1, high)


def of_shape(word: str, sizes: Any) -> Any:
    """What `size`, `rank` or `depth` is of a shape."""
    if word == "size":
        return product(as_expr(d) for d in it.flatten(sizes))
    return it.rank(sizes) if word == "rank" else it.depth(sizes)


def measure(word: str, layout: Any, m: IndexMap, facts: Facts) -> Any:
    """A number that belongs to a layout."""
    match word:
        case "size":
            return layout._size if isinstance(layout, Layout) else product(m._shape)
        case "cosize":
            return with_emptiness(m, facts)._size
        case "bytes":
            if m.bits is None:
                raise LayoutError("SL103", f"{layout} has no element type, and so no bytes")
            return ceildiv(as_expr(with_emptiness(m, facts)._size) * m.bits, 8)
        case "rank":
            return layout.rank if isinstance(layout, Layout) else m.rank
        case "depth":
            if not isinstance(layout, Layout):
                raise LayoutError("SL107", f"depth is of shape:stride layouts, not of {layout}")
            return layout.depth
        case _:
            return sum((Min(1, Max(0, as_expr(d) - 1)) for d in m._shape), Integer(0))


def read_applied(
    text: str, facts: Facts | None = None, names: Names = any_name
) -> tuple[tuple[Relation, ...], tuple[Demand, ...]]:
    """The relations of a text with functions of layouts, and what they demand.

    >>> made, demands = read_applied("offset(f32[M,N]{1,0}, 2*k, 0) == 2*N*k")
    >>> print(made[0], len(demands))
    2*N*k == 2*N*k 5

    Raises `LayoutError` as `read_relations` and `parse` do.
    """
    value = Applied(facts)
    for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", text):
        names(word)  # in the order of the text
    plain, known = applied(text, value, names)
    try:
        relations = read_relations(plain, known)
    except LayoutError as error:
        if error.text == plain:
            error.text = text
        raise unknown_function(error) from None
    return relations, tuple(value.demands)


def expansion(where: Any) -> Any:
    """Facts with their functions of layouts written out; what those demand are facts as well.

    >>> [str(r) for r in expansion(["size(f32[N]) % 8 == 0"])]
    ['N%8 == 0']

    A demand that the sizes meet anyway is none: `N >= 0` as a fact would admit 0.
    """
    many = [where] if isinstance(where, str) else where
    if not isinstance(many, (list, tuple)):
        return where
    out: list[Any] = []
    targets: list[Relation] = []
    for argument in many:
        if isinstance(argument, str) and calls(argument):
            relations, demands = read_applied(argument)
            out += relations
            targets += [d.relation for d in demands if d.least is not None]
        else:
            out.append(argument)
    if targets:
        facts = Facts.read(out)
        out += [r for r in dict.fromkeys(targets) if not _follows(r, facts)]
    return out


def _follows(r: Relation, known: Facts) -> bool:
    """Whether the range of its only symbol says so."""
    if not r.names:
        return r.holds({})
    if not r.in_domain:
        return False
    (name,) = r.names
    question, domain = Facts((r,)).domain(name), known.domain(name)
    return question.high is None and domain.low >= question.low
