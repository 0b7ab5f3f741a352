"""More of the checker's own rules: windows, indices, sizes at run time, transforms.

Where a rule needs numbers and a size is none, there is no certificate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NoReturn

from symlayout.certificate.definitions import at_least, bits_of
from symlayout.certificate.shaping import Array, Extent, Rules, array, is_one, same
from symlayout.errors import LayoutError
from symlayout.expr.tree import Integer

Rule = Callable[[Rules, Any], None]
COMPLEX = {"f32": "c64", "f64": "c128"}


def unknown(what: str) -> NoReturn:
    """Raises `LayoutError`: the checker cannot follow, and confirms nothing."""
    raise LayoutError("SL723", f"the checker knows no {what}")


def whole(e: Extent) -> int:
    """A size that is a number."""
    if e.later or e.size is None or not e.size.is_Integer:
        unknown("windows over sizes that are no numbers")
    return int(e.size)


def same_shapes(r: Rules, a: Any, b: Any) -> None:
    """The same types and extents, one by one in tuples; tokens by their name."""
    if hasattr(a, "dims") and hasattr(b, "dims"):
        r.alike(array(a), array(b))
    elif hasattr(a, "__len__") and hasattr(b, "__len__"):
        r.need(len(a) == len(b))
        for x, y in zip(a, b):
            same_shapes(r, x, y)
    else:
        r.need(type(a) is type(b) and str(a) == str(b))


def entries(r: Rules, shape: Any, least: int) -> Sequence[Any]:
    """The parts of a tuple, which has so many at least."""
    r.need(hasattr(shape, "__len__") and len(shape) >= least)
    return tuple(shape)


def integers(c: Any, r: Rules, key: str) -> list[int]:
    """The integers of an attribute, none where it is left out."""
    return list(c.numbers(r, key)) if key in c.attributes else []


def results(c: Any) -> list[Any]:
    """What comes out, one or several."""
    return [c.out] if hasattr(c.out, "dims") else list(c.out)


def constant_size(size: int) -> Extent:
    """A size that is that number."""
    return Extent(Integer(size))


# -- windows --------------------------------------------------------------------------------------


def windows(r: Rules, c: Any, rank: int) -> list[dict[str, int]]:
    """For each dimension its window: size, stride, low, high, between and inside."""
    text = c.attributes.get("window", "").strip("{} ")
    fields = dict(part.split("=", 1) for part in text.split()) if text else {}
    r.need(set(fields) <= {"size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"})
    rows: list[dict[str, int]] = [{"size": 1} for _ in range(rank)]
    for key, argument in fields.items():
        words = argument.split("x")
        r.need(len(words) == rank)
        for row, word in zip(rows, words):
            if key == "pad":
                low, _, high = word.partition("_")
                row["low"], row["high"] = int(low), int(high)
            else:
                row[key] = int(word)
    return rows


def places(r: Rules, row: dict[str, int], size: int) -> int:
    """How many places a window has over so many elements."""
    stride, inner = row.get("stride", 1), row.get("rhs_dilate", 1)
    outer = row.get("lhs_dilate", 1)
    r.need(min(stride, inner, outer) >= 1 and row["size"] >= 0)
    spread = (size - 1) * outer + 1 if size else 0
    padded = spread + row.get("low", 0) + row.get("high", 0)
    reach = (row["size"] - 1) * inner + 1 if row["size"] else 0
    r.need(padded >= 0)
    return 0 if reach > padded else (padded - reach) // stride + 1


def _convolution(r: Rules, c: Any) -> None:
    (a, kernel), out = c.arrays(r, 2), c.result(r)
    match = re.fullmatch(r"(\w+)_(\w+)->(\w+)", c.at(r, "dim_labels"))
    r.need(match is not None)
    left, middle, right = match.group(1, 2, 3) if match is not None else ("", "", "")
    for labels, x, letters in ((left, a, "bf"), (middle, kernel, "io"), (right, out, "bf")):
        r.need(len(labels) == len(x.dims) == len(set(labels)))
        r.need({*letters} <= {*labels})
    spatial = [s for s in left if s.isdigit()]
    r.need({*spatial} == {*middle} - {*"io"} == {*right} - {*"bf"})
    groups = (integers(c, r, "feature_group_count") or [1])[0]
    batches = (integers(c, r, "batch_group_count") or [1])[0]
    r.need(groups >= 1 and batches >= 1)
    size = {k: [whole(x.dims[n.index(k)]) for n, x in ((left, a), (middle, kernel), (right, out))]
            for k in spatial}  # fmt: skip
    for k, row in zip(sorted(spatial, key=int), windows(r, c, len(spatial))):
        argument, window, result = size[k]
        r.need(row["size"] == window and places(r, row, argument) == result)
    features, inputs = a.dims[left.index("f")], kernel.dims[middle.index("i")]
    outputs, batch = kernel.dims[middle.index("o")], a.dims[left.index("b")]
    r.equal(outputs, out.dims[right.index("f")])
    if groups == batches == 1:
        r.equal(features, inputs)
        r.equal(batch, out.dims[right.index("b")])
        return
    r.need(whole(features) == whole(inputs) * groups)
    r.need(whole(outputs) % groups == 0 == whole(outputs) % batches == whole(batch) % batches)
    r.need(whole(out.dims[right.index("b")]) == whole(batch) // batches)


def _reduce_window(r: Rules, c: Any) -> None:
    answers = results(c)
    many = c.arrays(r, 2 * len(answers))
    for a, start, shape in zip(many, many[len(answers) :], answers):
        out = array(shape)
        r.need(not start.dims and len(a.dims) == len(out.dims))
        r.same_type(start, out)
        r.same_type(a, out)
        for row, x, y in zip(windows(r, c, len(a.dims)), a.dims, out.dims):
            r.need(places(r, row, whole(x)) == whole(y))


def _select_and_scatter(r: Rules, c: Any) -> None:
    (a, source, start), out = c.arrays(r, 3), c.result(r)
    r.alike(a, out)
    r.same_type(source, a)
    r.same_type(start, a)
    r.need(not start.dims and len(source.dims) == len(a.dims))
    for row, x, y in zip(windows(r, c, len(a.dims)), a.dims, source.dims):
        r.need(places(r, row, whole(x)) == whole(y))


# -- indices --------------------------------------------------------------------------------------


def vectors(r: Rules, c: Any, indices: Array, a: Array, keys: Sequence[str]) -> list[Extent]:
    """The dimensions of the indices beside the index vector, whose length is checked."""
    r.need(re.match(r"[su]\d", indices.dtype) is not None)
    named, apart, own = (integers(c, r, key) for key in keys)
    rank = len(indices.dims)
    at = (integers(c, r, "index_vector_dim") or [rank])[0]
    r.need(0 <= at <= rank and len(set(named)) == len(named))
    r.need(all(0 <= k < len(a.dims) for k in (*named, *apart)) and not {*named} & {*apart})
    r.need(all(0 <= k < rank and k != at for k in own) and len(own) == len(apart))
    r.equal(constant_size(len(named)), constant_size(1) if at == rank else indices.dims[at])
    for x, y in zip(apart, own):
        r.equal(a.dims[x], indices.dims[y])
    return [e for k, e in enumerate(indices.dims) if k != at]


def _order(r: Rules, hits: Sequence[int], rank: int) -> None:
    r.need(list(hits) == sorted(set(hits)) and all(0 <= k < rank for k in hits))


def _gather(r: Rules, c: Any) -> None:
    (a, indices), out = c.arrays(r, 2), c.result(r)
    r.same_type(a, out)
    keys = ("start_index_map", "operand_batching_dims", "start_indices_batching_dims")
    batch = vectors(r, c, indices, a, keys)
    offset, sizes = integers(c, r, "offset_dims"), c.numbers(r, "slice_sizes")
    gone, apart = integers(c, r, "collapsed_slice_dims"), integers(c, r, keys[1])
    rank = len(batch) + len(offset)
    for hits, most in ((offset, rank), (gone, len(a.dims)), (apart, len(a.dims))):
        _order(r, hits, most)
    rest = [k for k in range(len(a.dims)) if k not in gone and k not in apart]
    r.need(len(sizes) == len(a.dims) and not {*gone} & {*apart})
    r.need(len(rest) == len(offset) and len(out.dims) == rank)
    for k, (size, e) in enumerate(zip(sizes, a.dims)):
        r.need(size >= 0 and (k in rest or size <= 1))
        if e.size is not None:
            r.goals += [[g] for g in at_least(size, e.size)]
    for k, at in zip(rest, offset):
        r.equal(constant_size(sizes[k]), out.dims[at])
    r.same_sizes(batch, [e for k, e in enumerate(out.dims) if k not in offset])


def _scatter(r: Rules, c: Any) -> None:
    answers = results(c)
    many = c.arrays(r, 2 * len(answers) + 1)
    keys = (
        "scatter_dims_to_operand_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
    )
    window, gone = integers(c, r, "update_window_dims"), integers(c, r, "inserted_window_dims")
    apart = integers(c, r, keys[1])
    for a, update, shape in zip(many, many[len(answers) + 1 :], answers):
        r.alike(a, array(shape))
        r.same_type(update, a)
        batch = vectors(r, c, many[len(answers)], a, keys)
        rank = len(batch) + len(window)
        _order(r, window, rank)
        _order(r, gone, len(a.dims))
        rest = [k for k in range(len(a.dims)) if k not in gone and k not in apart]
        r.need(len(update.dims) == rank and len(rest) == len(window))
        for k, at in zip(rest, window):
            x, y = update.dims[at], a.dims[k]
            if x.size is not None and y.size is not None:
                r.goals += [[g] for g in at_least(x.size, y.size)]
        r.same_sizes(batch, [e for k, e in enumerate(update.dims) if k not in window])


# -- sizes at run time ----------------------------------------------------------------------------


def sizes_list(r: Rules, a: Array, rank: int) -> None:
    """A list of integers, one for each dimension."""
    r.need(re.match(r"[su]\d", a.dtype) is not None and len(a.dims) == 1)
    r.equal(a.dims[0], constant_size(rank))


def _dynamic_broadcast(r: Rules, c: Any) -> None:
    (a, sizes), out, dims = c.arrays(r, 2), c.result(r), c.numbers(r, "dimensions")
    r.same_type(a, out)
    sizes_list(r, sizes, len(out.dims))
    r.need(len(dims) == len(a.dims) == len(set(dims)))
    r.need(all(0 <= k < len(out.dims) for k in dims))
    for x, k in zip(a.dims, dims):
        if x.size is not None and out.dims[k].size is not None:
            r.one_of(is_one(x), same(x, out.dims[k]))


def _dynamic_iota(r: Rules, c: Any) -> None:
    (sizes,), out = c.arrays(r, 1), c.result(r)
    sizes_list(r, sizes, len(out.dims))
    r.need(all(0 <= k < len(out.dims) for k in integers(c, r, "iota_dimension") or [0]))


def _dynamic_pad(r: Rules, c: Any) -> None:
    (a, value, *lists), out = c.arrays(r, 5), c.result(r)
    r.same_type(a, out)
    r.same_type(value, out)
    r.need(not value.dims and len(a.dims) == len(out.dims))
    for one in lists:
        sizes_list(r, one, len(a.dims))


def _real_dynamic_slice(r: Rules, c: Any) -> None:
    (a, *lists), out = c.arrays(r, 4), c.result(r)
    r.same_type(a, out)
    r.need(len(a.dims) == len(out.dims))
    for one in lists:
        sizes_list(r, one, len(a.dims))
    for x, y in zip(a.dims, out.dims):
        if x.size is not None and y.size is not None:
            r.goals += [[g] for g in at_least(y.size, x.size)]


def _dynamic_gather(r: Rules, c: Any) -> None:
    (a, indices, sizes), out = c.arrays(r, 3), c.result(r)
    r.same_type(a, out)
    sizes_list(r, sizes, len(a.dims))
    r.need(re.match(r"[su]\d", indices.dtype) is not None)
    at = (integers(c, r, "index_vector_dim") or [len(indices.dims)])[0]
    offset = integers(c, r, "offset_dims")
    gone = [*integers(c, r, "collapsed_slice_dims"), *integers(c, r, "operand_batching_dims")]
    batch = [e for k, e in enumerate(indices.dims) if k != at]
    r.need(0 <= at <= len(indices.dims) and len(set(gone)) == len(gone))
    r.need(len(set(offset)) == len(offset) == len(a.dims) - len(gone))
    r.need(all(0 <= k < len(a.dims) for k in gone) and all(0 <= k < len(out.dims) for k in offset))
    r.same_sizes(batch, [e for k, e in enumerate(out.dims) if k not in offset])


def _dimension_size(r: Rules, c: Any) -> None:
    (a,) = c.arrays(r, 1)
    out = c.result(r)
    r.need(out.dtype == "s32" and not out.dims)
    r.need(0 <= (integers(c, r, "dimensions") or [0])[0] < len(a.dims))


# -- numbers --------------------------------------------------------------------------------------


def _constant(r: Rules, c: Any) -> None:
    (count,) = c.numbers(r, "elements") or (-1,)
    r.need(not c.given and count == prod(whole(e) for e in c.result(r).dims))


def _complex(r: Rules, c: Any) -> None:
    out = c.result(r)
    for a in c.arrays(r, 2):
        r.need(COMPLEX.get(a.dtype) == out.dtype)
        r.same_sizes(a.dims, out.dims)


def _same_sizes(r: Rules, c: Any) -> None:
    for a in c.arrays(r, *((2, 2) if c.opcode == "stochastic-convert" else (1, 1000))):
        r.same_sizes(a.dims, c.result(r).dims)


def _square(r: Rules, c: Any) -> None:
    (a,) = c.arrays(r, 1)
    r.alike(a, c.result(r))
    r.need(len(a.dims) >= 2)
    r.equal(a.dims[-2], a.dims[-1])


def _solve(r: Rules, c: Any) -> None:
    a, b = c.arrays(r, 2)
    r.alike(b, c.result(r))
    r.same_type(a, b)
    r.need(len(a.dims) == len(b.dims) >= 2)
    r.equal(a.dims[-2], a.dims[-1])
    left = c.attributes.get("left_side") == "true"
    r.equal(a.dims[-1], b.dims[-2] if left else b.dims[-1])
    r.same_sizes(a.dims[:-2], b.dims[:-2])


def _device(r: Rules, c: Any) -> None:
    r.need(not c.given and c.result(r) == Array((), "u32"))


def _batch_norm(r: Rules, c: Any) -> None:
    """The first as the operand, and for all the rest one number for each feature."""
    a, *rest = c.arrays(r, 3, 5)
    first, *others = results(c)
    (axis,) = integers(c, r, "feature_index") or (0,)
    r.need(0 <= axis < len(a.dims) and hasattr(first, "dims"))
    r.alike(a, array(first))
    for k, x in enumerate(rest):
        if c.opcode == "batch-norm-grad" and k == 3:
            r.alike(a, x)
        else:
            r.same_sizes([a.dims[axis]], x.dims)
    for shape in others:
        r.need(hasattr(shape, "dims"))
        r.alike(rest[0], array(shape))


def _fft(r: Rules, c: Any) -> None:
    """A transform keeps sizes; of a real one's spectrum the last dimension has the first half."""
    (a,), out, lengths = c.arrays(r, 1), c.result(r), c.numbers(r, "fft_length")
    kind = c.attributes.get("fft_type", "FFT")
    r.need(kind in ("FFT", "IFFT", "RFFT", "IRFFT") and 1 <= len(lengths) <= 3)
    r.need(len(a.dims) == len(out.dims) >= len(lengths))
    if kind in ("FFT", "IFFT"):
        r.need(a.dtype == out.dtype and a.dtype in COMPLEX.values())
        real = spectrum = a
        r.same_sizes(a.dims, out.dims)
    else:
        real, spectrum = (a, out) if kind == "RFFT" else (out, a)
        r.need(COMPLEX.get(real.dtype) == spectrum.dtype)
    lead = len(a.dims) - len(lengths)
    r.same_sizes(real.dims[:lead], spectrum.dims[:lead])
    for k, length in enumerate(lengths):
        half = kind in ("RFFT", "IRFFT") and k == len(lengths) - 1
        r.need(length >= 0)
        r.equal(real.dims[lead + k], constant_size(length))
        r.equal(
            spectrum.dims[lead + k], constant_size(length // 2 + 1 if half and length else length)
        )


def _top(r: Rules, c: Any) -> None:
    (a,), out = c.arrays(r, 1), entries(r, c.out, 2)
    r.need(len(a.dims) >= 1 and all(hasattr(s, "dims") for s in out[:2]))
    values, where = array(out[0]), array(out[1])
    arguments = integers(c, r, "k")
    last = (
        constant_size(arguments[0])
        if arguments
        else where.dims[-1]
        if where.dims
        else constant_size(0)
    )
    for x in (values, where):
        r.same_sizes([*a.dims[:-1], last], x.dims)
    r.same_type(a, values)
    r.need(where.dtype == "s32")


def _random(r: Rules, c: Any) -> None:
    for a in c.arrays(r, 2):
        r.need(not a.dims)
        r.same_type(a, c.result(r))


def _set_size(r: Rules, c: Any) -> None:
    (a, size), out = c.arrays(r, 2), c.result(r)
    r.same_type(a, out)
    (axis,) = integers(c, r, "dimensions") or (0,)
    r.need(size == Array((), "s32") and len(a.dims) == len(out.dims) and 0 <= axis < len(a.dims))
    for k, (x, y) in enumerate(zip(a.dims, out.dims)):
        if k != axis:
            r.equal(x, y)
        elif y.later and None not in (x.size, y.size):
            r.one_of(same(Extent(x.size), Extent(y.size)))


def _bits(r: Rules, c: Any) -> None:
    """Of the wider type there are fewer: its last dimension has the parts."""
    (a,), out = c.arrays(r, 1), c.result(r)
    x, y = bits_of(a.dtype), bits_of(out.dtype)
    if "pred" in (a.dtype, out.dtype) and x != y:
        unknown("bits of pred")
    left, right = list(a.dims), list(out.dims)
    if x > y:
        left.append(constant_size(x // y))
    elif y > x:
        right.append(constant_size(y // x))
    r.same_sizes(left, right)


def _part(r: Rules, c: Any) -> None:
    (a,), out = c.arrays(r, 1), c.result(r)
    r.same_sizes(a.dims, out.dims)
    halves = {wide: half for half, wide in COMPLEX.items()}
    target = "pred" if c.opcode == "is-finite" else halves.get(a.dtype, a.dtype)
    r.same_type(Array((), target), out)


MORE: dict[str, Rule] = {
    "batch-norm-grad": _batch_norm,
    "batch-norm-inference": _batch_norm,
    "batch-norm-training": _batch_norm,
    "bitcast-convert": _bits,
    "cholesky": _square,
    "complex": _complex,
    "constant": _constant,
    "convolution": _convolution,
    "dynamic-broadcast-in-dim": _dynamic_broadcast,
    "dynamic-gather": _dynamic_gather,
    "dynamic-iota": _dynamic_iota,
    "dynamic-pad": _dynamic_pad,
    "fft": _fft,
    "gather": _gather,
    "get-dimension-size": _dimension_size,
    "imag": _part,
    "is-finite": _part,
    "map": _same_sizes,
    "real": _part,
    "real-dynamic-slice": _real_dynamic_slice,
    "reduce-window": _reduce_window,
    "rng": _random,
    "scatter": _scatter,
    "select-and-scatter": _select_and_scatter,
    "set-dimension-size": _set_size,
    "stochastic-convert": _same_sizes,
    "topk": _top,
    "triangular-solve": _solve,
}
