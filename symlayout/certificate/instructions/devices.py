"""The checker's rules of what devices do together, in groups."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from math import prod
from typing import Any

from symlayout.certificate.instructions.call import (
    MANY,
    Call,
    alike,
    array_of,
    fits,
    fixed,
    multiple,
    unknown,
    whole,
)
from symlayout.certificate.shaping import Array, Extent, Rules, equality
from symlayout.expr.tree import Integer

LIST = r"\d+(?:,\d+)*"
IOTA = re.compile(rf"\[({LIST})\]<=\[({LIST})\](?:T\(({LIST})\))?")
NONE = ("", "{}", "{{}}")


def group(r: Rules, c: Call, uniform: bool = True) -> int:
    """How many devices are in each group, 0 where that is not said; each device is in one."""
    text = c.word("replica_groups")
    if everywhere(c):
        r.need("channel_id" in c.attributes and text not in NONE)
    match = IOTA.fullmatch(text)
    if match is not None:
        return _count(r, *match.group(1, 2, 3))
    if text in NONE:
        return 0
    if re.fullmatch(rf"\{{\{{{LIST}\}}(?:,\{{{LIST}\}})*\}}", text) is None:
        unknown("groups of that form")
    groups = [re.findall(r"\d+", g) for g in text.split("},{")]
    named = sorted(int(n) for g in groups for n in g)
    r.need(named == list(range(len(named))))
    sizes = {len(g) for g in groups}
    r.need(len(sizes) == 1 or not uniform)
    return sizes.pop() if len(sizes) == 1 else 0


def _count(r: Rules, sides: str, devices: str, order: str | None) -> int:
    """The size of the groups `[2,4]<=[8]`: two of four, of eight devices, perhaps turned round."""
    shape, whole_of = ([int(n) for n in text.split(",")] for text in (sides, devices))
    axes = list(range(len(whole_of)))
    r.need(len(shape) == 2 and prod(shape) == prod(whole_of) > 0)
    r.need(order is None or sorted(map(int, order.split(","))) == axes)
    return shape[1]


def everywhere(c: Call) -> bool:
    """Whether the groups are of all devices, and not of replicas."""
    return c.attributes.get("use_global_device_ids") == "true"


def exact(c: Call) -> bool:
    """Whether a group is all that take part: else every partition brings one of its own."""
    return everywhere(c) or "channel_id" not in c.attributes


def _parts(r: Rules, c: Call, key: str, *both: Any) -> None:
    """The first of each pair is a part of the second, with as many parts as a group has devices."""
    size, ratios = group(r, c), []
    small_ones, large_ones = (_arrays(r, one) for one in both)
    r.need(len(small_ones) == len(large_ones))
    for part, total in zip(small_ones, large_ones):
        r.same_type(part, total)
        axis = c.axis(r, key, len(part.dims))
        r.need(len(part.dims) == len(total.dims))
        for k, (x, y) in enumerate(zip(part.dims, total.dims)):
            if k != axis:
                r.equal(x, y)
        small, large = part.dims[axis], total.dims[axis]
        fits(r, fixed(1), small)
        if size > 1 and exact(c):
            r.one_of(equality(small.expr * size, large.expr))
            continue
        if small.size is None:
            multiple(r, large, size)
        elif large.size is not None:
            least = whole(small) * max(1, size)
            r.need(least > 0)
            multiple(r, large, least)
        ratios.append((small, large))
    known = [row for row in ratios if row[0].size is not None and row[1].size is not None]
    for one, other in pairwise([*known, *[row for row in ratios if known and row not in known]]):
        first = one if one in known else known[-1]
        r.one_of(equality(first[0].expr * other[1].expr, first[1].expr * other[0].expr))
    if not known and sum(large.size is not None for _, large in ratios) > 1:
        unknown("parts of sizes like these: they are known at run time")


def _arrays(r: Rules, shapes: Any) -> list[Array]:
    """Several arrays, in a tuple or not; one by itself."""
    if isinstance(shapes, Array):
        return [shapes]
    r.need(isinstance(shapes, list) or (hasattr(shapes, "__len__") and len(shapes) != 1))
    return [a if isinstance(a, Array) else array_of(r, a) for a in shapes]


def _all_to_all(r: Rules, c: Call) -> None:
    if "split_dimension" in c.attributes:
        _exchange(r, c)
        return
    size = group(r, c)
    if "dimensions" not in c.attributes:  # an operand for each device of a group
        many = c.arrays(r, 1, MANY)
        alike(r, c.operands, c.out)
        for a in many:
            r.alike(a, many[0])
        r.need(size in (0, len(many)))
        return
    (a,) = c.arrays(r, 1)
    r.alike(a, c.result(r))
    e = a.dims[c.axis(r, "dimensions", len(a.dims))]
    multiple(r, e, size)


def _exchange(r: Rules, c: Call) -> None:
    """One dimension is cut into a part for each device, and the parts are joined in another."""
    size = group(r, c)
    for a, out in c.pairs(r):
        r.same_type(a, out)
        r.need(len(a.dims) == len(out.dims))
        split, union = (c.axis(r, f"{k}_dimension", len(a.dims)) for k in ("split", "concat"))
        multiple(r, a.dims[split], size)
        count = size
        if not size and split != union:  # numbers say how many parts there are
            r.need(0 < whole(out.dims[split]) <= whole(a.dims[split]))
            count = whole(a.dims[split]) // whole(out.dims[split])
        for k, (x, y) in enumerate(zip(a.dims, out.dims)):
            if split != union:
                x = _times(x, count if k == union else 1)
                y = _times(y, count if k == split else 1)
            r.equal(x, y)


def _times(e: Extent, count: int) -> Extent:
    return e if count == 1 else Extent(e.expr * Integer(count), e.later)


def _sends(r: Rules, c: Call, key: str) -> None:
    """Each device sends to one and receives from one."""
    if len(c.operands) == 4:
        unknown("permutation into a given buffer")
    text = "".join(c.at(r, key).split())
    hits = re.findall(r"\{(\d+),(\d+)\}", text)
    r.need(text == "{" + ",".join(f"{{{a},{b}}}" for a, b in hits) + "}")
    for side in zip(*hits):
        r.need(len(set(map(int, side))) == len(side))


def _broadcast(r: Rules, c: Call) -> None:
    """The first device's operands; a last one may say who sends."""
    answers = c.results(r)
    r.need(1 <= len(answers) <= len(c.operands) <= len(answers) + 1)
    alike(r, c.operands[: len(answers)], answers)
    r.need(all(hasattr(a, "_dims") for a in answers))
    groups = c.word("replica_groups")
    if IOTA.fullmatch(groups) is None and groups not in NONE:
        if re.fullmatch(r"\{\{[\d,]*\}(?:,\{[\d,]*\})*\}", groups) is None:
            unknown("groups of that form")
        named = re.findall(r"\d+", groups)
        r.need(len({*named}) == len(named))


def _groups(r: Rules, c: Call) -> None:
    """Groups with each device once."""
    group(r, c, uniform=False)


def _equal_groups(r: Rules, c: Call) -> None:
    """Groups of one size with each device once."""
    group(r, c)


FUNCTIONS: dict[str, Callable[..., None]] = {
    "equal_groups": _equal_groups,
    "exchanges": _all_to_all,
    "groups": _groups,
    "parts": _parts,
    "sends": _sends,
    "sends_to_all": _broadcast,
}
