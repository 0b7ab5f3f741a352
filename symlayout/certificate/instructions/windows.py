"""The checker's rules of windows and reductions, with the computations that reduce."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from symlayout.certificate.definitions import at_least, bits_of
from symlayout.certificate.instructions.call import (
    Call,
    Signature,
    array_of,
    called,
    fixed,
    is_array,
    is_kind,
    multiple,
    scalar,
)
from symlayout.certificate.shaping import Array, Curve, Extent, Rules, equality
from symlayout.expr.relations import Relation
from symlayout.expr.terms import CeilDiv, FloorDiv, Max
from symlayout.expr.tree import Expr, Integer

FIELDS = {"size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"}
# the window that leaves an array as it is
PLAIN = {"size": 1, "stride": 1, "low": 0, "high": 0, "lhs_dilate": 1}


def windows(r: Rules, c: Call, rank: int) -> list[dict[str, int]]:
    """For each dimension its window: size, stride, low, high, and how far elements are apart."""
    text = c.attributes.get("window", "").strip("{} ")
    fields = dict(part.split("=", 1) for part in text.split())
    r.need(set(fields) <= FIELDS and ("size" in fields or not rank))
    rows: list[dict[str, int]] = [{} for _ in range(rank)]
    for key, argument in fields.items():
        words = argument.split("x")
        r.need(len(words) == rank)
        for row, word in zip(rows, words):
            low, _, high = word.partition("_")
            row |= {"low": int(low), "high": int(high)} if key == "pad" else {key: int(word)}
    for row in rows:
        r.need(min(row.get(k, 1) for k in ("size", "stride", "lhs_dilate", "rhs_dilate")) >= 1)
    return rows


def places(r: Rules, row: dict[str, int], size: Extent, out: Extent) -> None:
    """The result's size is how many places a window has over so many elements."""
    if all(row.get(k, n) == n for k, n in PLAIN.items()):
        r.equal(size, out)
        return
    between, stride = row.get("lhs_dilate", 1), row.get("stride", 1)
    margin = row.get("low", 0) + row.get("high", 0)
    reach = (row["size"] - 1) * row.get("rhs_dilate", 1) + 1

    def spread(length: Expr) -> Expr:
        return length if between == 1 else Max((length - 1) * between + 1, 0)

    def room(length: Expr) -> list[list[Relation]]:
        reached = (length - 1) * between + 1  # where it is more than nothing
        return [[g] for g in at_least(0, reached + margin)] if margin < 0 else []

    def image(length: Expr) -> Expr:
        steps = FloorDiv(spread(length) + margin - reach, Integer(stride))
        return Max(steps + 1, Integer(0))

    def inverse(length: Expr, places: Expr) -> list[list[Relation]]:
        """The last place is within what there is, and one more would not be."""
        end = stride * places + reach - margin  # what there is is less
        none = [Relation("==", places, Integer(0))]
        if between == 1:
            return [
                [Relation("<=", length, end - 1)],
                [*none, Relation(">=", length, end - stride)],
            ]
        most = FloorDiv(end - 2, Integer(between)) + 1
        least = CeilDiv(end - stride - 1, Integer(between)) + 1
        return [
            [Relation(">=", end, Integer(max(0, -margin) + 1))],
            [Relation("<=", length, most)],
            [*none, Relation("<=", end, Integer(stride)), Relation(">=", length, least)],
        ]

    if size.size is None:
        r.curves.append(Curve(size.expr, out.expr, image, inverse, room))
    else:
        r.goals += room(size.size)
        r.equal(fixed(image(size.size)), out)


def _convolution(r: Rules, c: Call) -> None:
    (a, kernel), out = c.arrays(r, 2), c.result(r)
    match = re.fullmatch(r"(\w+)_(\w+)->(\w+)", c.at(r, "dim_labels"))
    left, middle, right = match.group(1, 2, 3) if match is not None else r.no()
    spatial = [str(k) for k in range(len(left) - 2)]
    sizes = []
    for labels, x, letters in ((left, a, "bf"), (middle, kernel, "io"), (right, out, "bf")):
        r.need(len(labels) == len(x.dims) and sorted(labels) == sorted([*letters, *spatial]))
        sizes.append(dict(zip(labels, x.dims)))
    inputs, filters, outputs = sizes
    for k, row in zip(spatial, windows(r, c, len(spatial))):
        r.equal(fixed(row["size"]), filters[k])
        places(r, row, inputs[k], outputs[k])
    groups = c.number_or(r, "feature_group_count", 1)
    batches = c.number_or(r, "batch_group_count", 1)
    r.need(groups >= 1 and batches >= 1 and 1 in (groups, batches))
    _shares(r, inputs["f"], groups, filters["i"])
    _shares(r, inputs["b"], batches, outputs["b"])
    multiple(r, filters["o"], groups * batches)
    r.need(not filters["o"].later)
    r.equal(filters["o"], outputs["f"])


def _shares(r: Rules, total: Extent, parts: int, each: Extent) -> None:
    """A size in so many equal parts."""
    r.one_of(equality(each.expr * parts, total.expr))


# -- what is reduced ------------------------------------------------------------------------------


def same_or_wider(r: Rules, a: Array, b: Array) -> None:
    """The same type, or a wider one of the same integers, which takes them up."""
    integral = is_kind(a.dtype, "signed unsigned") and a.dtype[0] == b.dtype[0]
    if not (integral and bits_of(a.dtype) <= bits_of(b.dtype)):
        r.same_type(a, b)


def reducer(
    r: Rules, c: Call, count: int, alone: bool = False, key: str = "to_apply"
) -> Signature | None:
    """A computation of scalars: what is reduced so far, an element of each operand, and one for each.

    `alone`: each result is reduced by itself, so that the computation may be of one.
    """
    hit = called(r, c, key)
    if hit is None:
        return None
    bare = hasattr(hit.root, "_dims")
    roots = [array_of(r, s) for s in ([hit.root] if bare else hit.root)]
    parameters = [array_of(r, s) for s in hit.parameters]
    r.need(len(parameters) == 2 * len(roots))
    r.need(len(roots) == count or (alone and len(roots) == 1))
    r.need(c.opcode not in ("reduce", "reduce-window") or bare == hasattr(c.out, "_dims"))
    r.need(not any(a.dims for a in (*parameters, *roots)))
    for p, root in zip(parameters, roots):
        r.same_type(p, root) if alone else r.one_type(p, root)
    return Signature(tuple(parameters), roots)


def reduced(
    r: Rules, hit: Signature | None, many: Sequence[Array], answers: Sequence[Array]
) -> None:
    """The computation takes the operands' elements, and gives what the results are made of."""
    if hit is None:
        return
    for a, p, root, out in zip(many, hit.parameters[len(many) :], hit.root, answers):
        same_or_wider(r, a, p)
        r.same_type(p, root)
        r.same_type(root, out)


# -- functions of rows ----------------------------------------------------------------------------


def _slides(r: Rules, c: Call, many: Any, answers: Any) -> None:
    """A result has as many elements as its window has places."""
    both = list(zip(_several(many), _several(answers)))
    rows = windows(r, c, len(both[0][0].dims))
    for a, out in both:
        r.need(len(rows) == len(a.dims) == len(out.dims))
        for row, x, y in zip(rows, a.dims, out.dims):
            places(r, row, x, y)


def _selects(r: Rules, c: Call, key: str, a: Array) -> None:
    """A computation chooses between two elements."""
    if (hit := called(r, c, key)) is not None:
        r.need(len(hit.parameters) == 2)
        for p in hit.parameters:
            r.alike(array_of(r, p), scalar(a.dtype))
        is_array(r, hit.root, "pred")


def _reduces(r: Rules, c: Call, key: str, many: Any, answers: Any) -> None:
    """A computation reduces the elements of the operands together."""
    hit = reducer(r, c, len(_several(answers)), key=key)
    reduced(r, hit, _several(many), _several(answers))


def _reduces_each(r: Rules, c: Call, key: str) -> None:
    """A computation reduces the operands one by one."""
    reducer(r, c, len(c.results(r)), alone=True, key=key)


def _several(arrays: Any) -> Sequence[Array]:
    return [arrays] if isinstance(arrays, Array) else arrays


FUNCTIONS: dict[str, Callable[..., None]] = {
    "convolves": _convolution,
    "reduces": _reduces,
    "reduces_each": _reduces_each,
    "selects": _selects,
    "slides": _slides,
}
