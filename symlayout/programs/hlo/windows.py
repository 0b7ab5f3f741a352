"""The shape rules of opcodes with windows: convolution, reduce-window, select-and-scatter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from symlayout.expr.facts import Relation
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Size, as_expr, as_size, floordiv
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.xla import AnyShape, Shape, TupleShape
from symlayout.programs.hlo.broadcast.check import Check
from symlayout.programs.hlo.broadcast.extent import Extent, extents
from symlayout.programs.hlo.parts import CODE, Verifier, parts_of
from symlayout.programs.hlo.unknown import ZERO, Image
from symlayout.text.patterns import regex

LABELS = regex(r"([\dbf]+)_([\dio]+)->([\dbf]+)")
WHAT = ("operand 0", "operand 1", "the result")


@dataclass(frozen=True)
class Window:
    """One dimension of a window."""

    size: int
    stride: int = 1
    low: int = 0
    high: int = 0
    base: int = 1
    dilation: int = 1

    def padded(self, size: Size) -> Size:
        """How far so many elements reach with what lies between and beside them."""
        if self.base > 1:
            size = as_size(Max((as_expr(size) - 1) * self.base + 1, 0))
        return as_size(size + self.low + self.high)

    def over(self, size: Size) -> Size:
        """How many places the window has along so many elements.

        >>> Window(3, stride=2, low=1, high=1).over(9), Window(2, base=2).over(3)
        (5, 4)
        >>> from symlayout.expr.terms import symbol
        >>> print(Window(3, stride=3).over(symbol("N")))
        max((N - 3)//3 + 1, 0)
        """
        reach = (self.size - 1) * self.dilation + 1
        last = floordiv(as_size(self.padded(size) - reach), self.stride)
        return max(last + 1, 0) if isinstance(last, int) else as_size(Max(last + 1, 0))


def windows(v: Verifier, rank: int) -> list[Window]:
    """The windows of the attribute `window`, one for each of so many dimensions.

    Raises `LayoutError` (SL721) for parts that are not understood.
    """
    text = v.attributes.get("window", "").strip("{} ")
    fields: dict[str, list[str]] = {}
    for part in text.split():
        key, equals, value = part.partition("=")
        if not equals:
            v.unread("window")
        fields[key] = value.split("x")
    if not fields and rank == 0:
        return []
    sizes = fields.pop("size", [])
    fields.pop("rhs_reversal", None)
    names = {"stride": "stride", "lhs_dilate": "base", "rhs_dilate": "dilation"}
    lines: list[dict[str, int]] = [{"size": _number(v, w)} for w in sizes]
    for key, words in fields.items():
        if len(words) != len(lines) or key not in (*names, "pad"):
            v.unread("window")
        for k, word in enumerate(words):
            if key == "pad":
                low, _, high = word.partition("_")
                lines[k] |= {"low": _number(v, low), "high": _number(v, high)}
            else:
                lines[k][names[key]] = _number(v, word)
    v.demand(len(lines) == rank, f"the window has {len(lines)} dimensions, not {rank}")
    for k, fields_of in enumerate(lines):
        for key in ("size", "stride", "base", "dilation"):
            if fields_of.get(key, 1) < 1:
                v.fail(CODE, f"dimension {k} of the window has a {key} of {fields_of[key]}")
    return [Window(**m) for m in lines]


def _number(v: Verifier, word: str) -> int:
    if not re.fullmatch(r"-?\d+", word):
        v.unread("window")
    return int(word)


def places(v: Verifier, w: Window, size: Extent, out: Extent, what: str) -> None:
    """The result's size is the number of the window's places."""
    if replace(w, dilation=1) == Window(1):
        v.equal_sizes(size, out, what)
    elif size.unbounded:
        v.runtime.append(f"{what}: as many places as the window has")
        v.later.append(Image(what, size, out, w.over, partial(_before, w, what), partial(_room, w)))
    else:
        v.checks += _room(w, size.bound)
        v.equal_sizes(Extent(w.over(size.bound)), out, what)


def _room(w: Window, size: Size) -> list[Check]:
    """Padding takes away no more than there is."""
    if w.low + w.high >= 0:
        return []
    rule = "padding takes away more than there is"
    reach = (as_expr(size) - 1) * w.base + 1  # of elements, where there is one
    return [Check(CODE, rule, (Relation(">=", reach + w.low + w.high, ZERO),))]


def _before(w: Window, what: str, size: Expr, out: Expr) -> list[Check]:
    """The sizes for which the window has so many places.

    With elements apart, the size n reaches (n - 1)*base + 1 places, 0 for n = 0.
    """
    margin = w.low + w.high
    reach = (w.size - 1) * w.dilation + 1 - margin
    last = out * w.stride + (reach - 1)  # how far elements reach at most, and at least
    first = Min(out, 1) * ((out - 1) * w.stride + reach)
    if w.base == 1:
        least, most = first, last
    else:
        first = Max(first, 0, -margin)
        least = Min(first, 1) * (CeilDiv(first - 1, Integer(w.base)) + 1)
        most = FloorDiv(last - 1, Integer(w.base)) + 1
    needs = (
        Relation(">=", last, Integer(max(0, -margin))),
        Relation(">=", size, least),
        Relation("<=", size, most),
    )
    return [Check(CODE, what, (r,)) for r in needs]


def convolves(v: Verifier) -> None:
    """Batch and features as labelled; along the others the window's places."""
    a, b = v.arrays(2, 2)
    match = LABELS.fullmatch(v.attributes.get("dim_labels", ""))
    if match is None:
        if "dim_labels" not in v.attributes:
            v.fail(CODE, "convolution needs the attribute dim_labels")
        v.unread("dim_labels")
    spatial = len(match[1]) - 2
    digits = "".join(map(str, range(spatial)))
    for labels, own in zip(match.groups(), ("bf", "io", "bf")):
        good = spatial < 10 and sorted(labels) == sorted(digits + own)
        v.demand(good, f"dim_labels has each of {own}{digits} once, not {labels}")
    sizes = []
    for shape, labels, what in zip((a, b, v.out), match.groups(), WHAT):
        good = shape.rank == len(labels)
        v.demand(good, f"{what} has {shape.rank} dimensions, its dim_labels {len(labels)}")
        sizes.append(dict(zip(labels, extents(shape))))
    x, y, z = sizes
    groups, batches = v.count("feature_group_count", 1), v.count("batch_group_count", 1)
    v.demand(groups >= 1 and batches >= 1, "group counts are at least 1")
    v.demand(groups == 1 or batches == 1, "features or batches are grouped, not both")
    shares(v, x["f"], groups, y["i"], f"features of operand 0 and {groups} groups as in operand 1")
    what = f"batches of operand 0 and {batches} groups as in the result"
    shares(v, x["b"], batches, z["b"], what)
    for size, parts, what in ((y["o"], groups, "feature"), (y["o"], batches, "batch")):
        if parts > 1:
            v.multiple(size, parts, f"the features of the result, for {what}_group_count")
    v.demand(not y["o"].dynamic, "the output features of operand 1 are known before")
    v.equal_sizes(y["o"], z["f"], "output features of operand 1 and features of the result")
    for k, w in enumerate(windows(v, spatial)):
        i, what = str(k), f"the places of window {k} and dimension {k} of the result"
        v.equal_sizes(Extent(w.size), y[i], f"size {k} of the window and of operand 1")
        places(v, w, x[i], z[i], what)


def shares(v: Verifier, whole: Extent, parts: int, each: Extent, what: str) -> None:
    """A size in so many equal parts."""
    if parts == 1:
        v.equal_sizes(whole, each, what)
    elif whole.unbounded or each.unbounded:
        v.left_to_run_time(what, Relation("==", whole.expr, each.expr * parts))
        v.runtime.append(f"{what}: {whole} must turn out to be {parts} times {each}")
    else:
        v.equal_sizes(whole, Extent(as_size(each.bound * parts)), what)


def reducer(v: Verifier, count: int, alone: bool = False, key: str = "to_apply") -> None:
    """What `to_apply` names takes two scalars for each result, and gives one for each.

    `alone`: the results are reduced one by one, so that it may be made for one of them.
    """
    hits = v.computation(key)
    if hits is None:
        return
    parameters, root = hits
    scalars = parts_of(root)
    if alone and len(parameters) == 2 and len(scalars) == 1:
        count = 1
    good = len(parameters) == 2 * count and len(scalars) == count
    v.demand(good, f"{key} takes {len(parameters)} and gives {len(scalars)} for {count} results")
    if v.opcode in ("reduce", "reduce-window"):
        same = isinstance(root, TupleShape) == isinstance(v.result, TupleShape)
        v.demand(same, f"{key} gives {root}, and the result is {v.result}")
    for p in (*parameters, *scalars):
        v.demand(isinstance(p, Shape) and p.rank == 0, f"{key} is of scalars, not {p}")
    for p, scalar in zip(parameters, scalars):  # the first ones are what has been reduced so far
        if alone:
            v.same_shapes(p, scalar, f"a parameter of {key}", "its root")
        else:
            v.one_shape(p, scalar, f"a parameter of {key}", "its root")


def reduced(
    v: Verifier, shapes: Sequence[Shape], answers: Sequence[AnyShape], key: str = "to_apply"
) -> None:
    """What is reduced so far, and an element of each operand, are what the computation takes."""
    hits = v.computation(key)
    if hits is None:
        return
    parameters, root = hits
    for k, (p, shape) in enumerate(zip(parameters[len(shapes) :], shapes)):
        assert isinstance(p, Shape)
        v.same_or_wider(shape, p, f"operand {k}", f"its parameter of {key}")
    for k, (part, result) in enumerate(zip(parts_of(root), answers)):
        assert isinstance(part, Shape)
        if isinstance(result, Shape):
            v.same_type(part, result, f"root {k} of {key}", "the result")
        v.same_shapes(parameters[len(shapes) + k], part, f"a parameter of {key}", "its root")


def slides(v: Verifier, shapes: Shape | Sequence[Shape], answers: Shape | Sequence[Shape]) -> None:
    """Every dimension of a result has as many elements as its window has places."""
    both = list(zip(several(shapes), several(answers)))
    arguments = windows(v, both[0][0].rank)
    for shape, result in both:
        v.demand(shape.rank == result.rank == len(arguments), "operands and results have one rank")
        for k, (w, x, y) in enumerate(zip(arguments, extents(shape), extents(result))):
            places(v, w, x, y, f"the places of window {k} and dimension {k} of the result")


def selects(v: Verifier, key: str, shape: Shape) -> None:
    """A computation chooses between two elements."""
    if (hits := v.computation(key)) is not None:
        parameters, root = hits
        v.demand(len(parameters) == 2, f"{key} takes 2 elements, not {len(parameters)}")
        for p in parameters:
            v.same_shapes(p, Shape(shape.dtype, ()), f"a parameter of {key}", "an element")
        v.one_shape(root, Shape("pred", ()), f"the root of {key}", "what decides")


def reduces(
    v: Verifier, key: str, shapes: Shape | Sequence[Shape], answers: Shape | Sequence[Shape]
) -> None:
    """A computation reduces the elements of the operands together."""
    reducer(v, len(several(answers)), key=key)
    reduced(v, several(shapes), several(answers), key)


def reduces_each(v: Verifier, key: str) -> None:
    """A computation reduces the operands one by one."""
    reducer(v, len(v.results), alone=True, key=key)


def several(shapes: Shape | Sequence[Shape]) -> Sequence[Shape]:
    """Shapes in a list, also where there is one."""
    return [shapes] if isinstance(shapes, Shape) else shapes


FUNCTIONS: dict[str, Callable[..., None]] = {
    "convolves": convolves,
    "reduces": reduces,
    "reduces_each": reduces_each,
    "selects": selects,
    "slides": slides,
}
