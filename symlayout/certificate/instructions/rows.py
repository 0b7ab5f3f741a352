"""The checker's interpreter of `opcodes.toml`: each demand of a row as goals.

It shares the rows with the verifier, and nothing else: what a demand means is said here again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from symlayout.certificate.definitions import bits_of, product
from symlayout.certificate.instructions.binding import Bound
from symlayout.certificate.instructions.call import (
    Call,
    Rule,
    alike,
    distinct,
    entries,
    fits,
    identical,
    is_kind,
    scalar,
    unknown,
)
from symlayout.certificate.shaping import Array, Rules, equality
from symlayout.expr.relations import Relation
from symlayout.expr.tree import Integer
from symlayout.programs.hlo.opcodes import Demand, Item, Row, rows

PARTS = {"c64": "f32", "c128": "f64"}


def run(r: Rules, c: Call, row: Row) -> None:
    """Leaves the goals of a row; raises `Broken` where one cannot hold."""
    bound = Bound(r, c, row)
    for demand in row.demands:
        for turn in bound.turns(demand):
            if _applies(turn, demand):
                _check(turn, demand)


def kinds(r: Rules, c: Call) -> None:
    """Leaves what a row demands of the kinds of numbers alone: no result need be written."""
    row = rows()[c.opcode]
    bound = Bound(r, c._replace(out=c.operands[0]), row)
    for demand in row.demands:
        for turn in bound.turns(demand) if demand.relation == "in" else ():
            _check(turn, demand)


def _applies(b: Bound, demand: Demand) -> bool:
    key, equals, word = demand.condition.partition("=")
    name, _, aspect = key.partition(".")
    if equals:
        holds = b.c.attributes.get(key) == word
    elif aspect == "rank":
        holds = bool(b.array(Item(name)).dims)
    else:
        holds = not name or hasattr(b.shape(Item(name)), "__len__")
    return holds != demand.unless


def _check(b: Bound, demand: Demand) -> None:
    item, relation = (demand.left or (Item(""),))[0], demand.relation
    if demand.arguments is not None:
        from symlayout.certificate.instructions.functions import FUNCTIONS

        FUNCTIONS[relation](b.r, b.c, *map(b.value, demand.arguments))
    elif relation in ATTRIBUTES:
        ATTRIBUTES[relation](b, demand)
    elif b.is_shape(item) and not item.aspect:
        compare = alike if relation == "~" else identical
        compare(b.r, b.shape(item), b.shape(demand.right[0]))
    elif b.is_shape(item) and item.aspect in ASPECTS:
        ASPECTS[item.aspect](b, demand)
    elif relation == "in":
        first, *others = demand.right[0].name.split("|")
        if b.c.attributes.get(item.name, first) not in (first, *others):
            unknown(f"{item.name}={b.c.attributes[item.name]}")
    elif demand.right[0].name.isdigit():
        hits = b.numbers(item)
        b.r.need(item.aspect != "" or len(hits) == 1 or (item.optional and not hits))
        b.r.need(all(n >= int(demand.right[0].name) for n in hits))
    else:
        _sizes(b, demand)


def _has(b: Bound, demand: Demand) -> None:
    count = demand.right[0].name
    least = int(count.rstrip("|"))
    entries(b.r, b.shape(demand.left[0]), least, None if count.endswith("|") else least)


# -- types ----------------------------------------------------------------------------------------


def _typed(b: Bound, item: Item) -> Array:
    """An array of the type that is meant: of a complex number's parts, or its own."""
    a = b.array(item)
    return scalar(PARTS.get(a.dtype, a.dtype)) if item.aspect == "part" else a


def _types(b: Bound, demand: Demand) -> None:
    a, right = _typed(b, demand.left[0]), demand.right[0]
    if demand.relation == "in":
        b.r.need(is_kind(a.dtype, right.name.replace("|", " ")))
        return
    other = _typed(b, right) if b.is_shape(right) else scalar(right.name)
    if demand.relation == "=":
        b.r.one_type(a, other)
    elif demand.relation == "~" or not _wider(a, other):
        b.r.same_type(a, other)


def _wider(a: Array, other: Array) -> bool:
    """Whether integers are taken up by wider ones of the same sign."""
    integral = is_kind(a.dtype, "signed unsigned") and a.dtype[0] == other.dtype[0]
    return integral and bits_of(a.dtype) <= bits_of(other.dtype)


def _bits(b: Bound, demand: Demand) -> None:
    one, other = (b.array(side[0]).dtype for side in (demand.left, demand.right))
    b.r.need(bits_of(one) == bits_of(other))


# -- sizes ----------------------------------------------------------------------------------------


def _rank(b: Bound, demand: Demand) -> None:
    have, right = len(b.array(demand.left[0]).dims), demand.right[0]
    target = len(b.array(right).dims) if b.is_shape(right) else int(right.name)
    b.r.need(have >= target if demand.relation == ">=" else have == target)


def _count(b: Bound, demand: Demand) -> None:
    """As many elements: where a `?` is a factor of both sides it may be 0."""
    a, out = (b.array(side[0]).dims for side in (demand.left, demand.right))
    left, right = ([e.expr for e in dims] for dims in (a, out))
    zeros: list[Relation] = []
    for e in left if any(e.size is None for e in (*a, *out)) else ():
        if e in right and not e.is_Integer:
            right.remove(e)
            zeros.append(Relation("==", e, Integer(0)))
    if zeros:
        gone = [r.left for r in zeros]
        for e in gone:
            left.remove(e)
    b.r.one_of(*zeros, equality(product(left), product(right)))


def _sizes(b: Bound, demand: Demand) -> None:
    x, y = b.sizes(demand.left), b.sizes(demand.right)
    b.r.need(len(x) == len(y))
    for one, other in zip(x, y):
        b.r.equal(one, other) if demand.relation == "=" else fits(b.r, one, other)


ASPECTS: dict[str, Callable[[Bound, Demand], None]] = {
    "type": _types,
    "part": _types,
    "bits": _bits,
    "rank": _rank,
    "count": _count,
}

# -- attributes -----------------------------------------------------------------------------------


def _axis(b: Bound, demand: Demand) -> None:
    item = demand.left[0]
    k = b.c.number_or(b.r, item.name, 0) if item.optional else b.c.number(b.r, item.name)
    b.r.need(0 <= k < len(b.array(demand.right[0]).dims))


def _axes(b: Bound, demand: Demand) -> None:
    hits = [k for item in demand.left for k in b.numbers(item)]
    distinct(b.r, hits, len(b.array(demand.right[0]).dims))


def _orders(b: Bound, demand: Demand) -> None:
    rank = len(b.array(demand.right[0]).dims)
    b.r.need(sorted(b.numbers(demand.left[0])) == list(range(rank)))


ATTRIBUTES: dict[str, Callable[[Bound, Demand], None]] = {
    "axis": _axis,
    "axes": _axes,
    "has": _has,
    "orders": _orders,
}
RULES: dict[str, Rule] = {opcode: partial(run, row=row) for opcode, row in rows().items()}
