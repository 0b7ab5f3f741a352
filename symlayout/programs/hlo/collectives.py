"""The shape rules of what several devices do together.

A group is the devices that exchange data: with `use_global_device_ids`, or without `channel_id`,
groups are written out in full.  Otherwise every partition of the program joins its group, and the
size is only known to be a multiple.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from symlayout.expr.terms import as_size
from symlayout.layouts.xla import AnyShape, Shape, TupleShape
from symlayout.programs.hlo.broadcast.check import Demands
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.control import elements, unchanged_rule
from symlayout.programs.hlo.nesting import split_commas
from symlayout.programs.hlo.parts import (
    CODE,
    Signature,
    count,
    demand,
    dimension,
    equal_sizes,
    known_size,
    results,
    same_shapes,
    same_type,
    unread,
)
from symlayout.programs.hlo.windows import reducer
from symlayout.text.patterns import regex

IOTA = regex(r"\[(\d+(?:,\d+)*)\]<=\[\d+(?:,\d+)*\](?:T\(\d+(?:,\d+)*\))?")


@dataclass(frozen=True)
class Group:
    """How many devices a group has, exactly or as a multiple; nothing is known of a `size` of 0."""

    size: int
    exact: bool


def group(d: Demands, s: Signature, partitions: bool = True) -> Group:
    """The group of an instruction by its `replica_groups`.

    Raises `LayoutError` (SL721) for groups that are not understood.
    """
    text = re.sub(r"\s", "", s.attributes.get("replica_groups", ""))
    exact = (
        "channel_id" not in s.attributes
        or s.attributes.get("use_global_device_ids") == "true"
        or not partitions
    )
    match = IOTA.fullmatch(text)
    if match is not None:
        return Group(int(match[1].split(",")[-1]), exact)
    if text in ("", "{}", "{{}}"):
        return Group(0, False)
    if re.fullmatch(r"\{\{[\d,]*\}(?:,\{[\d,]*\})*\}", text) is None:
        unread(s, "replica_groups")
    groups = [w.strip("{}").split(",") for _, w in split_commas(text, 1, len(text) - 1)]
    numbers = [n for g in groups for n in g if n]
    demand(d, len(set(numbers)) == len(numbers), "a device is in two of the replica_groups")
    demand(d, all(any(g) for g in groups), "one of the replica_groups is empty")
    named = {*map(int, numbers)}
    missing = next((n for n in range(len(named)) if n not in named), None)
    demand(d, missing is None, f"device {missing} is in none of the replica_groups")
    sizes = {len([n for n in g if n]) for g in groups}
    if len(sizes) != 1:
        return Group(0, False)
    return Group(sizes.pop(), exact)


def grown(d: Demands, s: Signature, small: Shape, large: Shape, axis: int, what: str) -> None:
    """The two differ in one dimension, where the larger has a part for each device of a group."""
    same_type(d, small, large, "the operand", "the result")
    demand(d, small.rank == large.rank, "operand and result have one rank")
    dimension(d, axis, small.rank, "dimensions")
    argument = group(d, s)
    for k, (x, y) in enumerate(zip(extents(small), extents(large))):
        if k != axis:
            equal_sizes(d, x, y, f"dimension {k} of the operand and of the result")
            continue
        if argument.exact and argument.size:
            if not (x.unbounded or y.unbounded):
                whole = Extent(as_size(x.bound * argument.size))
                equal_sizes(d, whole, y, f"{what}, in dimension {k}: {argument.size} parts")
            continue
        a, b, least = known_size(x), known_size(y), max(argument.size, 1)
        if a is not None and b is not None:
            good = b % (a * least) == 0 if a else b == 0
            demand(d, good, f"{what}: {b} elements are no parts of {a} for groups of {least}")


def pairs(d: Demands, s: Signature) -> list[tuple[Shape, Shape]]:
    """Each operand with its result."""
    shapes: tuple[AnyShape, ...] = s.operands
    answers = tuple(s.result) if isinstance(s.result, TupleShape) else (s.result,)
    demand(d, len(shapes) == len(answers), f"{len(shapes)} operands and {len(answers)} results")
    out = []
    for x, y in zip(shapes, answers):
        if not isinstance(x, Shape) or not isinstance(y, Shape):
            d.fail(CODE, f"{s.opcode} is of arrays, not {x} and {y}")
        out.append((x, y))
    return out


def all_gather_rule(d: Demands, s: Signature) -> None:
    """The parts of a group, one behind the other."""
    for x, y in pairs(d, s):
        grown(d, s, x, y, count(s, "dimensions", 0), "a part of each device")


def reduce_scatter_rule(d: Demands, s: Signature) -> None:
    """A part for each device of a group."""
    for x, y in pairs(d, s):
        grown(d, s, y, x, count(s, "dimensions", 0), "a part for each device")
    reducer(d, s, len(results(s)), alone=True)


def all_gather_start_rule(d: Demands, s: Signature) -> None:
    """What is given, and what will come out."""
    shape, out = elements(d, s.result, 2, f"the result of {s.opcode}")[:2]
    operands: AnyShape = s.operands[0] if len(s.operands) == 1 else TupleShape(s.operands)
    if not isinstance(operands, TupleShape) and isinstance(shape, TupleShape):
        operands = TupleShape(s.operands)
    same_shapes(d, operands, shape, "the operands", "element 0 of the result")
    all_gather_rule(d, Signature(s.opcode, out, s.operands, s.attributes))


def all_to_all_rule(d: Demands, s: Signature) -> None:
    """The parts of one dimension exchanged, or an operand for each device of the group."""
    answers = pairs(d, s)
    if "split_dimension" in s.attributes:
        _exchanged(d, s, answers)
        return
    for x, y in answers:
        same_shapes(d, x, y, "the operand", "the result")
    if "dimensions" not in s.attributes or isinstance(s.result, TupleShape):
        return
    axis, parts = count(s, "dimensions", 0), group(d, s, partitions=False)
    for x, _ in answers:
        dimension(d, axis, x.rank, "dimensions")
        whole = known_size(extents(x)[axis])
        if whole is not None and parts.size:
            rule = f"dimension {axis} of {whole} elements is no multiple of {parts.size} devices"
            demand(d, whole % parts.size == 0, rule)


def _exchanged(d: Demands, s: Signature, made: Sequence[tuple[Shape, Shape]]) -> None:
    """One dimension is cut into a part for each device, the parts are joined in another."""
    split, union = count(s, "split_dimension", 0), count(s, "concat_dimension", 0)
    parts = group(d, s, partitions=False).size
    for x, y in made:
        same_type(d, x, y, "the operand", "the result")
        demand(d, x.rank == y.rank, "the operand and the result have one rank")
        for axis, key in ((split, "split_dimension"), (union, "concat_dimension")):
            dimension(d, axis, x.rank, key)
        for k, (a, b) in enumerate(zip(extents(x), extents(y))):
            if k not in (split, union):
                equal_sizes(d, a, b, f"dimension {k} of the operand and of the result")
        for axis, part, whole in ((split, y, x), (union, x, y)):
            small, large = known_size(extents(part)[axis]), known_size(extents(whole)[axis])
            if parts and small is not None and large is not None:
                rule = (
                    f"{parts} parts of {small} in dimension {axis} are {parts * small}, not {large}"
                )
                demand(d, parts * small == large, rule)


def all_reduce_rule(d: Demands, s: Signature) -> None:
    """The operands' shapes; the groups have each device once."""
    unchanged_rule(d, s)
    group(d, s)
    reducer(d, s, len(results(s)), alone=True)


def permute_rule(d: Demands, s: Signature) -> None:
    """The operands' shapes; no device is a source or a target twice.

    Raises `LayoutError` (SL721) for the form that writes into a given buffer.
    """
    if len(s.operands) == 4:
        unread(s, "the form with four operands, operands")
    unchanged_rule(d, s)
    moves(d, s)


def permute_start_rule(d: Demands, s: Signature) -> None:
    """What is given, what will come out, and contexts."""
    if len(s.operands) == 4:
        unread(s, "the form with four operands, operands")
    shapes = elements(d, s.result, 2, f"the result of {s.opcode}")
    shape: AnyShape = s.operands[0] if len(s.operands) == 1 else TupleShape(s.operands)
    for k in range(2):
        same_shapes(d, shape, shapes[k], "the operand", f"element {k} of the result")
    moves(d, s)


def moves(d: Demands, s: Signature) -> None:
    """`source_target_pairs`: each device sends to one and receives from one."""
    text = re.sub(r"\s", "", s.attributes.get("source_target_pairs", "{}"))
    if not re.fullmatch(r"\{(?:\{\d+,\d+\}(?:,\{\d+,\d+\})*)?\}", text):
        unread(s, "source_target_pairs")
    hits = re.findall(r"(\d+),(\d+)", text)
    for k, what in enumerate(("source", "target")):
        named = [pair[k] for pair in hits]
        demand(d, len(set(named)) == len(named), f"a device is the {what} of two pairs")


def broadcast_rule(d: Demands, s: Signature) -> None:
    """The operands' shapes; a last operand may say who sends."""
    shapes = tuple(s.result) if isinstance(s.result, TupleShape) else (s.result,)
    arguments = s.operands[: len(shapes)]
    demand(d, len(arguments) == len(shapes) >= len(s.operands) - 1, "an operand for each result")
    for x, y in zip(arguments, shapes):
        same_shapes(d, x, y, "the operand", "the result")


def ragged_rule(d: Demands, s: Signature) -> None:
    """The result is shaped as the output that is given."""
    demand(d, len(s.operands) == 6, f"{s.opcode} takes 6 operands, not {len(s.operands)}")
    same_shapes(d, s.operands[1], s.result, "operand 1", "the result")


def id_rule(d: Demands, s: Signature) -> None:
    """The number of a device."""
    same_shapes(d, s.result, Shape("u32", ()), "the result", "a number")
