"""The interpreter of `opcodes.toml` with messages: each demand of a row, as the verifier says it."""

from __future__ import annotations

from collections.abc import Callable

from symlayout.expr.terms import product
from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.binding import Bound, Entry
from symlayout.programs.hlo.broadcast.extent import Extent, equal, extents
from symlayout.programs.hlo.functions import FUNCTIONS
from symlayout.programs.hlo.kinds import PARTS, kind_of
from symlayout.programs.hlo.opcodes import Demand, Item, Row
from symlayout.programs.hlo.parts import CODE, Verifier
from symlayout.programs.hlo.unknown import equal_products


def run(v: Verifier, row: Row) -> None:
    """Leaves the demands of a row in the verifier; raises `Broken` where one cannot hold."""
    bound = Bound(v, row)
    for demand in row.demands:
        for turn in bound.turns(demand):
            if applies(turn, demand):
                check(turn, demand)


def kinds(v: Verifier, row: Row) -> None:
    """Leaves the demands of a row on kinds of numbers alone, for operands that are broadcast."""
    bound = Bound(v, row)
    for demand in row.demands:
        for turn in bound.turns(demand) if demand.relation == "in" else ():
            check(turn, demand)


def applies(b: Bound, demand: Demand) -> bool:
    """Whether the condition of a demand holds."""
    text = demand.condition
    if not text:
        return True
    key, equals, word = text.partition("=")
    name, _, aspect = text.partition(".")
    if equals:
        holds = b.v.attributes.get(key) == word
    elif aspect == "rank":
        shape = b.place(Item(name)).shape
        holds = isinstance(shape, Shape) and shape.rank > 0
    else:
        holds = hasattr(b.place(Item(name)).shape, "__len__")
    return holds != demand.unless


def check(b: Bound, demand: Demand) -> None:
    """One demand."""
    if demand.arguments is not None:
        FUNCTIONS[demand.relation](b.v, *(b.value(word) for word in demand.arguments))
        return
    item = demand.left[0]
    if demand.relation in ATTRIBUTES:
        ATTRIBUTES[demand.relation](b, demand)
    elif b.is_shape(item) and not item.aspect:
        shapes(b, demand)
    elif b.is_shape(item) and item.aspect in ASPECTS:
        ASPECTS[item.aspect](b, demand)
    elif demand.relation == "in":
        first, *others = demand.right[0].name.split("|")
        if b.v.attributes.get(item.name, first) not in (first, *others):
            b.v.unread(item.name)
    elif demand.right[0].name.isdigit():
        at_least(b, demand)
    else:
        sizes(b, demand)


def shapes(b: Bound, demand: Demand) -> None:
    """Two shapes, of which the second may be one that the row spells."""
    left, right = b.place(demand.left[0]), b.place(demand.right[0])
    if demand.right[0].shape:
        x, y = left.shape, right.shape
        good = str(x) == str(y)
        if isinstance(x, Shape) and isinstance(y, Shape):
            good = (x.dtype, x.rank) == (y.dtype, y.rank)
        b.v.demand(good, f"{left.title} of {b.row.opcode} is {y}, not {x}")
    compare = b.v.same_shapes if demand.relation == "~" else b.v.one_shape
    compare(left.shape, right.shape, left.title, right.title)


def has(b: Bound, demand: Demand) -> None:
    """A tuple of so many elements, or at least so many."""
    place, count = b.place(demand.left[0]), demand.right[0].name
    least = int(count.rstrip("|"))
    title = f"{place.title} of {b.row.opcode}"
    b.v.elements(place.shape, least, title, None if count.endswith("|") else least)


# -- types ----------------------------------------------------------------------------------------


def types(b: Bound, demand: Demand) -> None:
    """The types of two arrays, or a type that is asked for."""
    item, right = demand.left[0], demand.right[0]
    shape, title = b.array(item)
    if item.aspect == "part" and shape.dtype in PARTS:
        title = f"{b.row.opcode} of {shape.dtype}"
        shape = Shape(PARTS[shape.dtype], ())
    if demand.relation == "in":
        kinds = right.name.split("|")
        several = item.name in b.row.operands[1:]
        subject = f"{title} of {b.row.opcode}" if several else b.row.opcode
        rule = f"{subject} is of {' or '.join(kinds)} numbers, not {shape.dtype}"
        b.v.demand(kind_of(shape.dtype) in kinds, rule)
    elif not b.is_shape(right):
        what = f"{b.row.opcode} gives" if item.name == "out" else f"{title} of {b.row.opcode} is"
        b.v.demand(shape.dtype == right.name, f"{what} {right.name}, not {shape.dtype}")
    else:
        other, name = b.array(right)
        if right.aspect == "part":
            other, name = Shape(PARTS[other.dtype], ()), f"a part of {name}"
        compare = {"~": b.v.same_type, "=": b.v.one_type, "<=": b.v.same_or_wider}
        compare[demand.relation](shape, other, title, name)


def bits(b: Bound, demand: Demand) -> None:
    """Elements of as many bits."""
    (x, left), (y, right) = b.array(demand.left[0]), b.array(demand.right[0])
    b.v.demand(x.bits == y.bits, f"{left} has elements of {x.bits} bits, {right} of {y.bits} bits")


# -- sizes ----------------------------------------------------------------------------------------


def rank(b: Bound, demand: Demand) -> None:
    """So many dimensions, or as many as another array has."""
    (shape, title), right = b.array(demand.left[0]), demand.right[0]
    least = demand.relation == ">="
    if b.is_shape(right):
        other, name = b.array(right)
        target, rule = other.rank, f"{title} has {shape.rank} dimensions and {name} {other.rank}"
    elif right.name == "0":
        target, rule = 0, f"{title} of {b.row.opcode} is a scalar, not {shape}"
    else:
        target, more = int(right.name), " or more" * least
        rule = f"{b.row.opcode} takes arrays of {target} dimensions{more}, not {shape}"
    good = shape.rank >= target if least else shape.rank == target
    b.v.demand(good, demand.message or rule)


def count(b: Bound, demand: Demand) -> None:
    """As many elements."""
    x, y = (extents(b.array(side[0])[0]) for side in (demand.left, demand.right))
    what = "the numbers of elements of operand and result"
    if any(e.unbounded for e in (*x, *y)):
        b.v.runtime.append("the numbers of elements must turn out equal")
        b.v.later.append(equal_products([e.expr for e in x], [e.expr for e in y], what))
        return
    p, q = product(e.bound for e in x), product(e.bound for e in y)
    b.v.one_of(CODE, what, Extent(p), Extent(q), equal(p, q))


def sizes(b: Bound, demand: Demand) -> None:
    """Lists of sizes, one by one."""
    x, y = b.sizes(demand.left), b.sizes(demand.right)
    left, right = b.title(demand.left), b.title(demand.right)
    unit = "dimensions" if b.is_shape(demand.left[0]) else "entries"
    rule = f"{left} has {len(x)} {unit} and {right} {len(y)}"
    b.v.demand(len(x) == len(y), demand.message or rule)
    compare = b.v.equal_sizes if demand.relation == "=" else b.v.at_most
    for p, q in zip(x, y):
        compare(p.extent, q.extent, demand.message or _both(p, q))


def _both(x: Entry, y: Entry) -> str:
    """What two sizes are, in a message."""
    if x.of_array and y.of_array and x.at == y.at and not x.key + y.key:
        return f"dimension {x.at} of {x.owner} and of {y.owner}"
    return f"{x} and {y}"


ASPECTS: dict[str, Callable[[Bound, Demand], None]] = {
    "type": types,
    "part": types,
    "bits": bits,
    "rank": rank,
    "count": count,
}

# -- attributes -----------------------------------------------------------------------------------


def at_least(b: Bound, demand: Demand) -> None:
    """The numbers of an attribute are so large."""
    item, least = demand.left[0], int(demand.right[0].name)
    hits = b.constants(item)
    good = item.aspect != "" or len(hits) == 1 or (item.optional and not hits)
    b.v.demand(good, f"{item.name} of {b.row.opcode} is one number, not {len(hits)}")
    for n in hits:
        b.v.demand(n >= least, f"{b.key(item)} is at least {least}, not {n}")


def axis(b: Bound, demand: Demand) -> None:
    """One number, which names a dimension; 0 where it may be left out."""
    item = demand.left[0]
    k = b.v.count(item.name, 0) if item.optional else b.v.number(item.name)
    b.v.dimension(k, b.array(demand.right[0])[0].rank, item.name)


def axes(b: Bound, demand: Demand) -> None:
    """Numbers of dimensions, each at most once."""
    hits = [k for item in demand.left for k in b.constants(item)]
    keys = " with ".join(map(b.key, demand.left))
    b.v.dimensions(hits, b.array(demand.right[0])[0].rank, keys)


def orders(b: Bound, demand: Demand) -> None:
    """A permutation of the dimensions."""
    item, of = demand.left[0], b.array(demand.right[0])[0].rank
    hits = b.constants(item)
    rule = f"{b.key(item)} {hits} is not a permutation of the {of} dimensions"
    b.v.demand(sorted(hits) == list(range(of)), rule)


ATTRIBUTES: dict[str, Callable[[Bound, Demand], None]] = {
    "axis": axis,
    "has": has,
    "axes": axes,
    "orders": orders,
}
