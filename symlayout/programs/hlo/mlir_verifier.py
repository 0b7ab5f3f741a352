"""What MLIR's verifier asks of StableHLO beside the shape rules that HLO has as well.

Each rule was compared with the verifier of jaxlib on modules that it accepts and refuses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from symlayout.layouts.xla import AnyShape, Shape, TupleShape
from symlayout.programs.hlo.mlir_attributes import HANDLE, Unclear, Words
from symlayout.programs.hlo.module import UNKNOWN
from symlayout.programs.hlo.nesting import bracket_pattern
from symlayout.text.patterns import regex

LIST = bracket_pattern(2, "[", "]")
DENSE = regex(
    r"\bdense<(?P<literal>[^<>]*+)>\s*+:\s*+tensor<(?P<sizes>(?:(?>\d++x))*+)(?:index|i64)>"
)
NUMBER = regex(r"-?\d{1,18}")


class Op(NamedTuple):
    """An operation: its attributes, the types of its operands and of its results."""

    words: Words
    args: Sequence[AnyShape]
    outs: Sequence[AnyShape]


def breaches(
    short: str, head: str, args: Sequence[AnyShape], outs: Sequence[AnyShape]
) -> Iterator[str]:
    """What the verifier would say of an operation; nothing where an attribute is not understood."""
    rule = RULES.get(short)
    if rule is not None:
        try:
            yield from rule(Op(Words(head), args, outs))
        except Unclear:
            return


# -- gather and scatter ---------------------------------------------------------------------------


class Names(NamedTuple):
    """How an operation calls its lists of dimensions."""

    window: str
    gone: str
    operand_batch: str
    index_batch: str
    to_operand: str


GATHER = Names(
    *("offset_dims", "collapsed_slice_dims", "operand_batching_dims"),
    *("start_indices_batching_dims", "start_index_map"),
)
SCATTER = Names(
    *("update_window_dims", "inserted_window_dims", "input_batching_dims"),
    *("scatter_indices_batching_dims", "scatter_dims_to_operand_dims"),
)


def _gather(op: Op) -> Iterator[str]:
    rank, indices = _rank(op.args, 0), _rank(op.args, 1)
    yield from _indexed(op, GATHER, rank, indices, op.args[1:2])


def _scatter(op: Op) -> Iterator[str]:
    at = len(op.args) // 2
    yield from _indexed(op, SCATTER, _rank(op.args, 0), _rank(op.args, at), op.args[at : at + 1])


def _indexed(
    op: Op, names: Names, rank: int | None, depth: int | None, indices: Sequence[AnyShape]
) -> Iterator[str]:
    """The lists name dimensions that are there, each once, and none for two things."""
    lists = {key: op.words.integers(key) or [] for key in names}
    at = (op.words.integers("index_vector_dim") or [0])[0]
    if depth is not None and not 0 <= at <= depth:
        yield f"has index_vector_dim = {at}, and indices of {depth} dimensions"
        return
    result = None if depth is None else len(lists[names.window]) + depth - (at < depth)
    for key, most in (
        (names.window, result),
        (names.gone, rank),
        (names.operand_batch, rank),
        (names.index_batch, depth),
        (names.to_operand, rank),
    ):
        yield from _dimensions(
            key, lists[key], most, key not in (names.index_batch, names.to_operand)
        )
    for one, other in (
        (names.gone, names.operand_batch),
        (names.to_operand, names.operand_batch),
    ):
        for k in sorted({*lists[one]} & {*lists[other]}):
            yield f"has dimension {k} in {one} and in {other}"
    if at in lists[names.index_batch]:
        yield f"has the index vector's dimension {at} in {names.index_batch}"
    if len(lists[names.operand_batch]) != len(lists[names.index_batch]):
        yield f"has {names.operand_batch} and {names.index_batch} of several lengths"
    yield from _batches(op, lists[names.operand_batch], lists[names.index_batch], indices)


def _batches(
    op: Op, first: list[int], second: list[int], indices: Sequence[AnyShape]
) -> Iterator[str]:
    """Batches have one size on both sides."""
    a, b = op.args[0], indices[0] if indices else UNKNOWN
    if not (isinstance(a, Shape) and isinstance(b, Shape)):
        return
    for x, y in zip(first, second):
        if 0 <= x < a.rank and 0 <= y < b.rank:
            sizes = a._dims[x], b._dims[y]
            if all(isinstance(d, int) for d in sizes) and sizes[0] != sizes[1]:
                yield f"has batches of {sizes[0]} in dimension {x}, of {sizes[1]} in the indices"


def _dimensions(key: str, numbers: list[int], most: int | None, ordered: bool) -> Iterator[str]:
    for k in numbers:
        if k < 0 or (most is not None and k >= most):
            dimensions = "" if most is None else f" of {most} dimensions"
            yield f"names dimension {k}{dimensions} in {key}"
    if len({*numbers}) < len(numbers):
        yield f"names a dimension twice in {key}"
    elif ordered and numbers != sorted(numbers):
        yield f"has a list that does not increase, {key} = {numbers}"


def _rank(shapes: Sequence[AnyShape], k: int) -> int | None:
    shape = shapes[k] if k < len(shapes) else UNKNOWN
    return shape.rank if isinstance(shape, Shape) else None


# -- what devices do together ---------------------------------------------------------------------


def _permutation(op: Op) -> Iterator[str]:
    """Pairs of a source and a target, each once in its place, and none below 0."""
    match = _dense(op.words.text, "source_target_pairs")
    if match is None:
        return
    sizes, numbers = match
    if len(sizes) != 2 or sizes[1] != 2:
        yield f"has source_target_pairs of {_times(sizes)}, not of pairs"
        return
    for k, what in enumerate(("source", "target")):
        side = numbers[k::2]
        if any(n < 0 for n in side):
            yield f"has a {what} below 0 in source_target_pairs"
        if len({*side}) < len(side):
            yield f"has a device that is the {what} of two of its source_target_pairs"


def _rows(op: Op) -> Iterator[str]:
    """Groups are the rows of a matrix; the rule of shapes looks at the devices."""
    match = _dense(op.words.text, "replica_groups")
    if match is not None and len(match[0]) != 2:
        yield f"has replica_groups of {_times(match[0])}, not rows of devices"


def _groups(op: Op) -> Iterator[str]:
    """Each device is in one group, and all groups are as large."""
    yield from _rows(op)
    match = _dense(op.words.text, "replica_groups")
    numbers = [] if match is None else match[1]
    if any(n < 0 for n in numbers):
        yield "has a device below 0 in replica_groups"
    elif len({*numbers}) < len(numbers):
        yield "has a device in two of its replica_groups"
    elif sorted(numbers) != list(range(len(numbers))):
        yield f"has replica_groups that are not of all devices up to {max(numbers)}"


def _all_to_all(op: Op) -> Iterator[str]:
    """As many parts as a group has devices."""
    yield from _rows(op)
    match, count = _dense(op.words.text, "replica_groups"), op.words.integers("split_count")
    if match is None or not count or len(match[0]) != 2:
        return
    if match[0][1] != count[0]:
        yield f"has split_count = {count[0]} for groups of {match[0][1]} devices"
    if -1 in match[1]:
        yield "has a device below 0 in replica_groups"


def _dense(text: str, key: str) -> tuple[list[int], list[int]] | None:
    """The sizes of a literal and its numbers, None where it is spelt in another way."""
    at = re.search(rf"\b{key}\s*=\s*", text)
    match = None if at is None else DENSE.match(text, at.end())
    if match is None:
        return None
    sizes = [int(n) for n in re.findall(r"\d{1,18}", match["sizes"])]
    numbers = [int(n) for n in NUMBER.findall(match["literal"])]
    if len(numbers) == 1 and "[" not in match["literal"]:
        count = 1
        for size in sizes:
            count *= min(size, 1000)
        numbers *= min(count, 1000)
    return sizes, numbers


def _times(sizes: Sequence[int]) -> str:
    return "x".join(map(str, sizes)) or "one number"


# -- calls and maps -------------------------------------------------------------------------------


def _custom_call(op: Op) -> Iterator[str]:
    """A layout for every operand and result, or none; each a permutation of its dimensions."""
    sides = [_layouts(op.words.text, f"{side}_layouts") for side in ("operand", "result")]
    if sides == [None, None]:
        return
    if None in sides:
        yield "has layouts of operands or of results alone, not of both"
        return
    outs = list(op.outs[0]) if len(op.outs) == 1 and isinstance(op.outs[0], TupleShape) else op.outs
    for side, layouts, shapes in zip(("operand", "result"), sides, (op.args, outs)):
        assert layouts is not None
        if len(layouts) != len(shapes):
            yield f"has {len(layouts)} layouts for {len(shapes)} {side}s"
            continue
        for k, (layout, shape) in enumerate(zip(layouts, shapes)):
            rank = shape.rank if isinstance(shape, Shape) else 0
            if shape is not UNKNOWN and sorted(layout) != list(range(rank)):
                yield f"has the layout {layout} for {side} {k}, of {rank} dimensions"


def _layouts(text: str, key: str) -> list[list[int]] | None:
    """A list of literals, None where there is none.

    Raises `Unclear` for what is no such list.
    """
    at = re.search(rf"\b{key}\s*=\s*(?={LIST})", text)
    if at is None:
        if re.search(rf"\b{key}\s*=", text):
            raise Unclear(key)
        return None
    match = re.compile(LIST).match(text, at.end())
    assert match is not None
    hits = list(DENSE.finditer(match[0]))
    left = re.sub(r"[\[\],\s]", "", DENSE.sub("", match[0]))
    if left:
        raise Unclear(key)
    results = []
    for hit in hits:
        numbers = [int(n) for n in NUMBER.findall(hit["literal"])]
        size = int(hit["sizes"][:-1]) if re.fullmatch(r"\d{1,6}x", hit["sizes"]) else 0
        splat = len(numbers) == 1 and "[" not in hit["literal"]
        results.append(numbers * size if splat else numbers)
    return results


def _broadcast(op: Op) -> Iterator[str]:
    """The new dimensions have the sizes that the attribute lists."""
    out = op.outs[0] if op.outs else UNKNOWN
    for k, size in enumerate(op.words.integers("sizes", "broadcast_sizes") or []):
        if size < 0:
            yield f"has the size {size} in its list"
            continue
        there = out.dims[k] if isinstance(out, Shape) and k < out.rank else size
        if isinstance(there, int) and there != size:
            yield f"has the size {there} in dimension {k}, not {size}"


def _precision(op: Op) -> Iterator[str]:
    """A precision for each of the two operands at most."""
    count = len(re.findall(r"#(?:stablehlo|mhlo)<precision\b", op.words.text))
    if count > 2:
        yield f"has {count} values in precision_config for 2 operands"


def _formats(op: Op) -> Iterator[str]:
    """A number has bits for its exponent; those of its mantissa may be none."""
    for key, least in (("exponent_bits", 1), ("mantissa_bits", 0)):
        for number in op.words.integers(key) or []:
            if number < least:
                yield f"has {key} = {number}, and at least {least} is needed"


def _map(op: Op) -> Iterator[str]:
    """A map goes over all dimensions in their order."""
    dims, rank = op.words.integers("dimensions"), _rank(op.args, 0)
    if dims is not None and rank is not None and dims != list(range(rank)):
        yield f"has dimensions = {dims} for {rank} dimensions"


def _gathered(op: Op) -> Iterator[str]:
    """Groups of devices by global numbers have no channel below 0."""
    yield from _groups(op)
    channel = _global_channel(op)
    if channel is not None and channel < 0:
        yield f"has use_global_device_ids with channel {channel}, which is below 0"


def _scattered(op: Op) -> Iterator[str]:
    """Groups of devices by global numbers need a channel."""
    yield from _groups(op)
    channel = _global_channel(op)
    if channel is not None and channel <= 0:
        yield f"has use_global_device_ids with channel {channel}, not a positive one"


def _global_channel(op: Op) -> int | None:
    """The channel of an operation that numbers devices globally, None of any other."""
    if not re.search(r"\buse_global_device_ids\b(?!\s*=\s*false)", op.words.text):
        return None
    match = HANDLE.search(op.words.text)
    return 0 if match is None else int(match[1])


RULES: dict[str, Callable[[Op], Iterator[str]]] = {
    "all_gather": _gathered,
    "all_reduce": _rows,
    "all_to_all": _all_to_all,
    "collective_permute": _permutation,
    "custom_call": _custom_call,
    "dynamic_gather": _gather,
    "gather": _gather,
    "map": _map,
    "broadcast": _broadcast,
    "convolution": _precision,
    "dot": _precision,
    "dot_general": _precision,
    "reduce_precision": _formats,
    "reduce_scatter": _scattered,
    "scatter": _scatter,
}
