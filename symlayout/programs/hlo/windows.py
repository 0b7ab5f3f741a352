"""The shape rules of opcodes with windows: convolution, reduce-window, select-and-scatter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from symlayout.expr.terms import as_size
from symlayout.layouts.xla import Shape
from symlayout.programs.hlo.broadcast.check import Demands
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import (
    CODE,
    Signature,
    arrays,
    count,
    demand,
    equal_sizes,
    known_size,
    operand_arrays,
    result_of,
    results,
    same_or_wider,
    same_shapes,
    same_type,
    signature_of,
    unread,
)
from symlayout.text.patterns import regex

LABELS = regex(r"([\dbf]+)_([\dio]+)->([\dbf]+)")


@dataclass(frozen=True)
class Window:
    """One dimension of a window."""

    size: int
    stride: int = 1
    low: int = 0
    high: int = 0
    base: int = 1
    dilation: int = 1

    def over(self, size: int) -> int:
        """How many places the window has along so many elements.

        >>> Window(3, stride=2, low=1, high=1).over(9), Window(2, base=2).over(3)
        (5, 4)
        """
        whole = (size - 1) * self.base + 1 if size > 0 else 0
        padded = whole + self.low + self.high
        window = (self.size - 1) * self.dilation + 1 if self.size > 0 else 0
        return (padded - window) // self.stride + 1 if 0 < padded >= window else 0


def windows(d: Demands, s: Signature, rank: int) -> list[Window]:
    """The windows of the attribute `window`, one for each of so many dimensions.

    Raises `LayoutError` (SL721) for parts that are not understood.
    """
    text = s.attributes.get("window", "").strip("{} ")
    fields: dict[str, list[str]] = {}
    for part in text.split():
        key, equals, value = part.partition("=")
        if not equals:
            unread(s, "window")
        fields[key] = value.split("x")
    if not fields and rank == 0:
        return []
    sizes = fields.pop("size", [])
    fields.pop("rhs_reversal", None)
    names = {"stride": "stride", "lhs_dilate": "base", "rhs_dilate": "dilation"}
    lines: list[dict[str, int]] = [{"size": _number(s, w)} for w in sizes]
    for key, words in fields.items():
        if len(words) != len(lines) or key not in (*names, "pad"):
            unread(s, "window")
        for k, word in enumerate(words):
            if key == "pad":
                low, _, high = word.partition("_")
                lines[k] |= {"low": _number(s, low), "high": _number(s, high)}
            else:
                lines[k][names[key]] = _number(s, word)
    demand(d, len(lines) == rank, f"the window has {len(lines)} dimensions, not {rank}")
    for k, fields_of in enumerate(lines):
        for key in ("size", "stride", "base", "dilation"):
            if fields_of.get(key, 1) < 1:
                d.fail(CODE, f"dimension {k} of the window has a {key} of {fields_of[key]}")
    return [Window(**m) for m in lines]


def _number(s: Signature, word: str) -> int:
    if not re.fullmatch(r"-?\d+", word):
        unread(s, "window")
    return int(word)


def covered(d: Demands, w: Window, size: Extent, out: Extent, what: str) -> None:
    """The result's size is the number of the window's places."""
    number = known_size(size)
    if number is not None:
        equal_sizes(d, Extent(w.over(number)), out, what)
    elif w == Window(1):
        equal_sizes(d, size, out, what)
    else:
        d.runtime.append(f"{what}: as many places as the window has")


def convolution_rule(d: Demands, s: Signature) -> None:
    """Batch and features as labelled; along the others the window's places."""
    a, b = arrays(d, s, 2, 2)
    out = result_of(s)
    match = LABELS.fullmatch(s.attributes.get("dim_labels", ""))
    if match is None:
        if "dim_labels" not in s.attributes:
            d.fail(CODE, "convolution needs the attribute dim_labels")
        unread(s, "dim_labels")
    spatial = len(match[1]) - 2
    digits = "".join(map(str, range(spatial)))
    for labels, own in zip(match.groups(), ("bf", "io", "bf")):
        good = spatial < 10 and sorted(labels) == sorted(digits + own)
        demand(d, good, f"dim_labels has each of {own}{digits} once, not {labels}")
    for shape, labels, what in zip(
        (a, b, out), match.groups(), ("operand 0", "operand 1", "the result")
    ):
        good = shape.rank == len(labels)
        demand(d, good, f"{what} has {shape.rank} dimensions, its dim_labels {len(labels)}")
    x, y, z = (dict(zip(labels, extents(t))) for labels, t in zip(match.groups(), (a, b, out)))
    groups, batches = count(s, "feature_group_count", 1), count(s, "batch_group_count", 1)
    demand(d, groups >= 1 and batches >= 1, "group counts are at least 1")
    demand(d, groups == 1 or batches == 1, "features or batches are grouped, not both")
    _divided(d, x["f"], groups, y["i"], "features of operand 0 in a group and those of operand 1")
    _divided(d, x["b"], batches, z["b"], "batches in a group and in the result")
    for size, parts, what in ((y["o"], groups, "feature"), (y["o"], batches, "batch")):
        whole = known_size(size)
        if whole is not None:
            rule = (
                f"the {whole} features of the result are no multiple of {what}_group_count {parts}"
            )
            demand(d, whole % parts == 0, rule)
    equal_sizes(d, y["o"], z["f"], "output features of operand 1 and features of the result")
    for k, w in enumerate(windows(d, s, spatial)):
        label = str(k)
        equal_sizes(d, Extent(w.size), y[label], f"size {k} of the window and of operand 1")
        covered(
            d, w, x[label], z[label], f"the places of window {k} and dimension {k} of the result"
        )


def _divided(d: Demands, whole: Extent, parts: int, each: Extent, what: str) -> None:
    """A size in so many equal parts."""
    if parts == 1:
        equal_sizes(d, whole, each, what)
    elif not (whole.unbounded or each.unbounded):
        equal_sizes(d, whole, Extent(as_size(each.bound * parts)), f"{what}, times {parts}")


def reduce_window_rule(d: Demands, s: Signature) -> None:
    """Every dimension has as many elements as its window has places."""
    answers = results(s)
    shapes = with_initial_values(d, s, len(answers))
    arguments = windows(d, s, shapes[0].rank)
    for n, result in enumerate(answers):
        shape, start = shapes[n], shapes[len(answers) + n]
        demand(d, start.rank == 0, f"the initial value of operand {n} is a scalar, not {start}")
        demand(d, isinstance(result, Shape), f"result {n} is no array")
        assert isinstance(result, Shape)
        same_type(d, start, result, f"initial value {n}", "the result")
        same_or_wider(d, shape, result, f"operand {n}", "the result")
        demand(d, shape.rank == result.rank == len(arguments), "operands and results have one rank")
        for k, (w, x, y) in enumerate(zip(arguments, extents(shape), extents(result))):
            covered(d, w, x, y, f"the places of window {k} and dimension {k} of the result")
    reducer(d, s, len(answers))


def with_initial_values(d: Demands, s: Signature, count: int) -> list[Shape]:
    """The operands of a reduction: one for each result, and then what each begins with."""
    shapes = operand_arrays(d, s, 2)
    rule = f"{len(shapes)} operands for {count} results: each has an initial value"
    demand(d, len(shapes) == 2 * count, rule)
    return shapes


def reducer(d: Demands, s: Signature, count: int, alone: bool = False) -> None:
    """What `to_apply` names takes two scalars for each result, and gives one for each.

    `alone`: the results are reduced one by one, so that it may be made for one of them.
    """
    hits = signature_of(s, "to_apply")
    if hits is None:
        return
    parameters, root = hits
    scalars = results(Signature("", root, (), {}))
    if alone and len(parameters) == 2 and len(scalars) == 1:
        count = 1
    good = len(parameters) == 2 * count and len(scalars) == count
    demand(
        d, good, f"to_apply takes {len(parameters)} and gives {len(scalars)} for {count} results"
    )
    for p in (*parameters, *scalars):
        demand(d, isinstance(p, Shape) and p.rank == 0, f"to_apply is of scalars, not {p}")
    for p, root in zip(parameters, scalars):  # the first ones are what has been reduced so far
        same_shapes(d, p, root, "a parameter of to_apply", "its root")


def select_and_scatter_rule(d: Demands, s: Signature) -> None:
    """The result is shaped as operand 0, the source as its windows."""
    shape, source, start = arrays(d, s, 3, 3)
    same_shapes(d, shape, result_of(s), "operand 0", "the result")
    same_type(d, source, shape, "operand 1", "operand 0")
    same_type(d, start, shape, "operand 2", "operand 0")
    demand(d, start.rank == 0, f"the initial value is a scalar, not {start}")
    arguments: Sequence[Window] = windows(d, s, shape.rank)
    demand(d, source.rank == shape.rank, "the source has the rank of operand 0")
    for k, (w, x, y) in enumerate(zip(arguments, extents(shape), extents(source))):
        covered(d, w, x, y, f"the places of window {k} and dimension {k} of the source")
