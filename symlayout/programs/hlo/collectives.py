"""The shape rules of what several devices do together.

A group is the devices that exchange data: with `use_global_device_ids`, or without `channel_id`,
groups are written out in full.  Otherwise every partition of the program joins its group, and the
size is only known to be a multiple.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from symlayout.expr.terms import as_size
from symlayout.layouts.xla import AnyShape, Shape, TupleShape
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.nesting import split_commas
from symlayout.programs.hlo.parts import Verifier
from symlayout.programs.hlo.unknown import equal_products
from symlayout.programs.hlo.windows import shares
from symlayout.text.patterns import regex

IOTA = regex(r"\[(\d+(?:,\d+)*)\]<=\[(\d+(?:,\d+)*)\](?:T\((\d+(?:,\d+)*)\))?")
LISTS = regex(r"\{\{[-\d,]*\}(?:,\{[-\d,]*\})*\}")
EMPTY = ("", "{}", "{{}}")
Shapes = AnyShape | Sequence[AnyShape]


@dataclass(frozen=True)
class Group:
    """How many devices a group has, exactly or as a multiple; nothing is known of a `size` of 0."""

    size: int
    exact: bool


def group(v: Verifier, partitions: bool = True, alike: bool = True) -> Group:
    """The group of an instruction by its `replica_groups`, which are `alike` in their size.

    Raises `LayoutError` (SL721) for groups that are not understood.
    """
    text = re.sub(r"\s", "", v.attributes.get("replica_groups", ""))
    everywhere = v.attributes.get("use_global_device_ids") == "true"
    if everywhere:
        v.demand("channel_id" in v.attributes, "use_global_device_ids needs a channel_id")
        v.demand(text not in EMPTY, "use_global_device_ids needs replica_groups")
    exact = "channel_id" not in v.attributes or everywhere or not partitions
    match = IOTA.fullmatch(text)
    if match is not None:
        return Group(_count(v, *match.groups()), exact)
    if text in EMPTY:
        return Group(0, False)
    if LISTS.fullmatch(text) is None:
        v.unread("replica_groups")
    v.demand("-" not in text, "no device has a negative number")
    groups = [w.strip("{}").split(",") for _, w in split_commas(text, 1, len(text) - 1)]
    numbers = [n for g in groups for n in g if n]
    v.demand(len(set(numbers)) == len(numbers), "a device is in two of the replica_groups")
    v.demand(all(any(g) for g in groups), "one of the replica_groups is empty")
    named = {*map(int, numbers)}
    missing = next((n for n in range(len(named)) if n not in named), None)
    v.demand(missing is None, f"device {missing} is in none of the replica_groups")
    sizes = {len([n for n in g if n]) for g in groups}
    v.demand(len(sizes) == 1 or not alike, "the replica_groups differ in their size")
    if len(sizes) != 1:
        return Group(0, False)
    return Group(sizes.pop(), exact)


def _count(v: Verifier, shape: str, whole: str, order: str | None) -> int:
    """The size of the groups of `[2,4]<=[4,2]T(1,0)`: so many are so many devices, turned round."""
    sides, sizes = (tuple(map(int, text.split(","))) for text in (shape, whole))
    v.demand(len(sides) == 2, f"replica_groups [{shape}] are groups and devices")
    v.demand(prod(sides) == prod(sizes), f"[{shape}] are other devices than [{whole}]")
    v.demand(prod(sides) > 0, "one of the replica_groups is empty")
    turned = sorted(map(int, order.split(","))) if order else list(range(len(sizes)))
    v.demand(turned == list(range(len(sizes))), f"T({order}) turns [{whole}] round")
    return sides[-1]


def group_multiple(
    v: Verifier, small: Shape, large: Shape, axis: int, what: str
) -> tuple[Extent, Extent] | None:
    """The two differ in one dimension, where the larger has a part for each device of a group.

    Gives both sizes where the group's does not say how many parts there are.
    """
    v.same_type(small, large, "the operand", "the result")
    v.demand(small.rank == large.rank, "operand and result have one rank")
    v.dimension(axis, small.rank, "dimensions")
    argument = group(v)
    for k, (x, y) in enumerate(zip(extents(small), extents(large))):
        if k != axis:
            v.equal_sizes(x, y, f"dimension {k} of the operand and of the result")
    x, y = extents(small)[axis], extents(large)[axis]
    v.at_most(Extent(1), x, f"one element and dimension {axis} of a part")
    if argument.exact and argument.size > 1:  # groups of one device say nothing of their number
        shares(v, y, argument.size, x, f"{what}, in dimension {axis}: {argument.size} parts")
        return None
    least = max(argument.size, 1)
    if x.unbounded or y.unbounded:
        v.runtime.append(f"{what}: {y} must turn out to be a multiple of {x}")
        if not y.unbounded:
            v.multiple(y, least, f"{what}, in dimension {axis}")
        return x, y
    if not isinstance(x.bound, int):
        v.unread("replica_groups")
    if x.bound:
        v.multiple(y, x.bound * least, f"{what}, in dimension {axis}")
    return x, y


def parts(v: Verifier, key: str, small: Shapes, large: Shapes) -> None:
    """Every small shape is a part of its large one, of all in the same number."""
    axis, what = v.number(key), "a part for each device"
    both = arrays_of(v, small), arrays_of(v, large)
    rule = f"{len(both[0])} parts of {len(both[1])} arrays"
    v.demand(len(both[0]) == len(both[1]), rule)
    sizes = [group_multiple(v, x, y, axis, what) for x, y in zip(*both)]
    rows = [row for row in sizes if row is not None]
    known = [row for row in rows if not (row[0].unbounded or row[1].unbounded)]
    rule = f"{what}: as many of each"
    for (a, b), (c, d) in pairwise(known):
        v.equal_sizes(Extent(as_size(b.bound * c.bound)), Extent(as_size(d.bound * a.bound)), rule)
    rest = [row for row in rows if row not in known]
    if not known and len([y for _, y in rest if not y.unbounded]) > 1:
        v.unread("the number of parts of sizes that are known at run time, replica_groups")
    for x, y in rest if known else ():
        a, b = known[0]
        v.later.append(equal_products([b.expr, x.expr], [a.expr, y.expr], rule))


def arrays_of(v: Verifier, shapes: Shapes) -> list[Shape]:
    """The arrays of a result: several in a tuple, or one by itself."""
    if isinstance(shapes, TupleShape):
        v.demand(len(shapes) != 1, f"one result of {v.opcode} is not a tuple")
    hits = list(shapes) if isinstance(shapes, Sequence | TupleShape) else [shapes]
    for shape in hits:
        v.demand(isinstance(shape, Shape), f"{v.opcode} gives arrays, not {shape}")
    return [shape for shape in hits if isinstance(shape, Shape)]


def exchanges(v: Verifier) -> None:
    """The parts of one dimension exchanged, or an operand for each device of the group."""
    if "split_dimension" in v.attributes:
        shapes, answers = v.operand_arrays(1), arrays_of(v, v.result)
        rule = f"{len(shapes)} operands and {len(answers)} results"
        v.demand(len(shapes) == len(answers), rule)
        _exchange(v, list(zip(shapes, answers)))
        return
    shapes, parts = v.operand_arrays(1), group(v, partitions=False)
    if "dimensions" not in v.attributes:
        v.same_shapes(TupleShape(v.operands), v.result, "the operands", "the result")
        for shape in shapes[1:]:
            v.same_shapes(shapes[0], shape, "operand 0", "another one")
        rule = f"{len(shapes)} operands for groups of {parts.size} devices"
        v.demand(parts.size in (0, len(shapes)), rule)
        return
    v.same_shapes(v.operand(), v.result, "the operand", "the result")
    axis = v.number("dimensions")
    v.dimension(axis, shapes[0].rank, "dimensions")
    if parts.size:
        v.multiple(extents(shapes[0])[axis], parts.size, f"dimension {axis}, for the devices")


def _exchange(v: Verifier, shapes: Sequence[tuple[Shape, Shape]]) -> None:
    """One dimension is cut into a part for each device, the parts are joined in another."""
    split, union = v.number("split_dimension"), v.number("concat_dimension")
    parts = group(v, partitions=False).size
    for x, y in shapes:
        v.same_type(x, y, "the operand", "the result")
        v.demand(x.rank == y.rank, "the operand and the result have one rank")
        for axis, key in ((split, "split_dimension"), (union, "concat_dimension")):
            v.dimension(axis, x.rank, key)
        a, b = extents(x), extents(y)
        for k, sizes in enumerate(zip(a, b)):
            if k not in (split, union) or split == union:
                v.equal_sizes(*sizes, f"dimension {k} of the operand and of the result")
        if parts:
            v.multiple(a[split], parts, f"dimension {split}, for the devices")
        if split == union:
            continue
        count = parts or _count_of(v, a[split], b[split])
        for axis, whole, part in ((split, a, b), (union, b, a)):
            what = f"{count} parts of {part[axis]} in dimension {axis}"
            shares(v, whole[axis], count, part[axis], what)


def _count_of(v: Verifier, whole: Extent, part: Extent) -> int:
    """How many parts there are, where no groups say it."""
    large, small = whole.size, part.size
    if not (isinstance(large, int) and isinstance(small, int)):
        v.unread("replica_groups")
    v.demand(small > 0, f"{large} elements are no parts of {small}")
    v.demand(large % small == 0 < large, f"{large} elements are no parts of {small}")
    return large // small


def sends(v: Verifier, key: str) -> None:
    """Each device sends to one and receives from one.

    Raises `LayoutError` (SL721) for the form that writes into a given buffer.
    """
    if len(v.operands) == 4:
        v.unread("the form with four operands, operands")
    v.demand(key in v.attributes, f"{v.opcode} needs the attribute {key}")
    text = re.sub(r"\s", "", v.attributes[key])
    if not re.fullmatch(r"\{(?:\{\d+,\d+\}(?:,\{\d+,\d+\})*)?\}", text):
        v.unread(key)
    hits = re.findall(r"(\d+),(\d+)", text)
    for k, what in enumerate(("source", "target")):
        named = [int(pair[k]) for pair in hits]
        v.demand(len(set(named)) == len(named), f"a device is the {what} of two pairs")


def sends_to_all(v: Verifier) -> None:
    """The operands' shapes; a last operand may say who sends.  Devices may be in no group."""
    shapes = v.results
    text = re.sub(r"\s", "", v.attributes.get("replica_groups", ""))
    if IOTA.fullmatch(text) is None and text not in EMPTY:
        if LISTS.fullmatch(text) is None:
            v.unread("replica_groups")
        devices = re.findall(r"-?\d+", text)
        v.demand("-" not in text, "no device has a negative number")
        v.demand(len(set(devices)) == len(devices), "a device is in two of the replica_groups")
    arguments = v.operands[: len(shapes)]
    good = 1 <= len(arguments) == len(shapes) >= len(v.operands) - 1
    v.demand(good, "an operand for each result")
    for x, y in zip(arguments, shapes):
        v.demand(isinstance(x, Shape), f"{v.opcode} is given arrays, not {x}")
        v.same_shapes(x, y, "the operand", "the result")


def groups(v: Verifier) -> None:
    """Groups with each device once."""
    group(v, alike=False)


def equal_groups(v: Verifier) -> None:
    """Groups of one size with each device once."""
    group(v)


FUNCTIONS: dict[str, Callable[..., None]] = {
    "equal_groups": equal_groups,
    "exchanges": exchanges,
    "groups": groups,
    "parts": parts,
    "sends": sends,
    "sends_to_all": sends_to_all,
}
