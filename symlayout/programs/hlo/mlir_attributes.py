"""Attributes of StableHLO operations, in each of their spellings, as HLO writes them.

A spelling that is not known leaves the attribute out, with a note: then nothing is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod

from symlayout.programs.hlo.nesting import STRING, bracket_pattern
from symlayout.text.patterns import regex

LIST = bracket_pattern(3, "[", "]")
ENTRY = regex(
    rf"(?<![\w.])(?P<key>[A-Za-z_]\w*+)\s*+=\s*+(?P<value>{LIST}(?:(?>\s*+(?:x|->)\s*+{LIST}))*+"
    rf"|array<[^<>]*+>|dense<[^<>]*+>\s*+:\s*+tensor<[^<>]*+>|-?\w++|#?[\w.]++<{LIST}[^<>]*+>)"
)
HEX = regex(STRING, re.S)
WINDOWS = regex(r"\[(\s*\d+(?::\d+){1,2}(?:\s*,\s*\d+(?::\d+){1,2})*)?\s*\]")
INTEGER = regex(r"-?\d+")
RAW_CONV = regex(rf"(?:{LIST})\s*+x\s*+(?:{LIST})\s*+->\s*+(?:{LIST})")
HANDLE = regex(r"channel_handle[^{}]*?\bhandle\s*=\s*(-?\d{1,18})\b")
ELEMENT = regex(r"%[\w$.\-]+\s*\[(\d+)\]")
Sizes = Sequence[Sequence[int | None] | None]


class Unclear(Exception):
    """An attribute is not understood; the argument names it."""


class Wrong(Exception):
    """An attribute is as no operation may have it; the argument says what is wrong."""


class Words:
    """The attributes of one operation's text, by name; strings are left out."""

    def __init__(self, text: str, sizes: Sizes = ()) -> None:
        self.text = HEX.sub('""', text)
        self.sizes = sizes
        self.values: dict[str, list[str]] = {}
        for m in ENTRY.finditer(self.text):
            self.values.setdefault(m["key"], []).append(m["value"])

    def one(self, *keys: str) -> str | None:
        """The value under the first of the names that is there.

        Raises `Unclear` where it is there with several values.
        """
        for key in keys:
            if key in self.values:
                values = self.values[key]
                if len(set(values)) > 1:
                    raise Unclear(key)
                return values[0]
        if any(re.search(rf"(?<![\w.]){key}\s*=", self.text) for key in keys):
            raise Unclear(keys[0])
        return None

    def integers(self, *keys: str) -> list[int] | None:
        """A list of integers, however it is spelt; None where there is none.

        Raises `Unclear` for a value that is no such list.
        """
        value = self.one(*keys)
        return None if value is None else integers(value, keys[0])

    def required(self, *keys: str) -> list[int]:
        """A list of integers that must be there.

        Raises `Wrong` where nothing is there, and `Unclear` for a value that is no such list.
        """
        results = self.integers(*keys)
        if results is None:
            raise Wrong(f"needs the attribute {' or '.join(keys)}")
        return results

    def rank(self, k: int = 0) -> int:
        """The rank of an operand."""
        return len(self.operand(k))

    def operand(self, k: int) -> Sequence[int | None]:
        """The sizes of an operand."""
        if k >= len(self.sizes):
            raise Unclear(f"operand {k}")
        hits = self.sizes[k]
        if hits is None:
            raise Unclear(f"operand {k}")
        return hits


def integers(value: str, key: str) -> list[int]:
    """The integers of a value.

    >>> integers("[1, 0]", ""), integers("array<i64: 1, 0>", ""), integers("3 : i64", "")
    ([1, 0], [1, 0], [3])
    >>> integers("dense<2> : tensor<3xi64>", "")
    [2, 2, 2]
    """
    value = value.strip()
    if value in ("true", "false"):
        return [int(value == "true")]
    kind, inner = value, value
    if value.startswith("array<"):
        head, _, inner = value[6:-1].partition(":")
        if head.strip() not in ("i64", "i32", "i1"):
            raise Unclear(key)
        inner = inner.replace("true", "1").replace("false", "0")
    elif value.startswith("dense<"):
        inner, _, kind = value[6:].partition(">")
        number = prod(map(int, re.findall(r"(\d+)x", kind)))
        if "[" not in inner and inner.strip():
            return [_integer(inner, key)] * number
        inner = inner.replace("[", "").replace("]", "")
    elif value.startswith("["):
        inner = value.replace("[", "").replace("]", "")
        inner = re.sub(r":\s*i\d+", "", inner).replace("true", "1").replace("false", "0")
    words = [w.strip() for w in inner.split(",") if w.strip()]
    return [_integer(re.sub(r"\s*:\s*i\d+$", "", w), key) for w in words]


def _integer(word: str, key: str) -> int:
    if not re.fullmatch(r"-?\d+", word.strip()):
        raise Unclear(key)
    return int(word)


def integer_list(values: Sequence[int]) -> str:
    """Integers as HLO lists them."""
    return f"{{{','.join(map(str, values))}}}"


def attributes(op: str, words: Words) -> dict[str, str]:
    """The attributes that the rule of an operation looks at, as HLO writes them.

    >>> attributes("transpose", Words("%a, dims = [1, 0]"))
    {'dimensions': '{1,0}'}

    Raises `Unclear`, or `Wrong`.
    """
    result = TABLE.get(op)
    return {} if result is None else result(words)


Maker = Callable[[Words], dict[str, str]]


def _plain(name: str, *keys: str) -> Maker:
    """One list of integers under another name."""

    def make(w: Words) -> dict[str, str]:
        return {name: integer_list(w.required(*keys))}

    return make


def _slice(w: Words) -> dict[str, str]:
    match = WINDOWS.search(w.text)
    if match is not None:
        parts = [p.strip() for p in (match[1] or "").split(",") if p.strip()]
    else:
        low, high = w.required("start_indices"), w.required("limit_indices")
        step = w.integers("strides") or [1] * len(low)
        parts = [f"{a}:{b}:{c}" for a, b, c in _alike(low, high, step)]
    return {"slice": f"{{{', '.join(f'[{p}]' for p in parts)}}}"}


def _pad(w: Words) -> dict[str, str]:
    low, high = w.required("low", "edge_padding_low"), w.required("high", "edge_padding_high")
    between = w.required("interior", "interior_padding")
    triples = _alike(low, high, between)
    return {"padding": "x".join("_".join(map(str, t)) for t in triples)}


def _alike(*lists: list[int]) -> list[tuple[int, ...]]:
    """Lists with a number for each dimension, taken together."""
    if len({*map(len, lists)}) > 1:
        raise Wrong("has lists of several lengths where each has a number for each dimension")
    return list(zip(*lists))


def _dot(w: Words) -> dict[str, str]:
    results = {}
    for kind, short in (("batching", "batch"), ("contracting", "contracting")):
        both = w.one(f"{kind}_dims")
        if both is not None:
            left, x, right = both.partition("x")
            sides = [integers(left, kind), integers(right, kind)] if x else None
            if sides is None:
                raise Unclear(f"{kind}_dims")
        else:
            sides = [w.integers(f"{s}_{kind}_dimensions") or [] for s in ("lhs", "rhs")]
        for side, dims in zip(("lhs", "rhs"), sides):
            results[f"{side}_{short}_dims"] = integer_list(dims)
    return results


def _old_dot(w: Words) -> dict[str, str]:
    last = w.rank(0) - 1
    return {"lhs_contracting_dims": integer_list([last]), "rhs_contracting_dims": "{0}"}


def _gather(w: Words) -> dict[str, str]:
    return {"slice_sizes": integer_list(w.required("slice_sizes")), **_dynamic_gather(w)}


def _dynamic_gather(w: Words) -> dict[str, str]:
    return _windows_at(
        w, "offset_dims collapsed_slice_dims operand_batching_dims "
        "start_indices_batching_dims start_index_map"
    )  # fmt: skip


def _scatter(w: Words) -> dict[str, str]:
    return _windows_at(
        w, "update_window_dims inserted_window_dims input_batching_dims "
        "scatter_indices_batching_dims scatter_dims_to_operand_dims"
    )  # fmt: skip


def _windows_at(w: Words, keys: str) -> dict[str, str]:
    results = {key: integer_list(w.integers(key) or []) for key in keys.split()}
    return {**results, "index_vector_dim": integer_list(w.integers("index_vector_dim") or [0])}


def _window(w: Words, sizes: Sequence[int], keys: Sequence[tuple[str, tuple[str, ...]]]) -> str:
    """A window as HLO writes it, from lists of numbers for each dimension."""
    if not sizes:
        return ""
    parts = [f"size={'x'.join(map(str, sizes))}"]
    for name, spelt in keys:
        hits = w.integers(*spelt)
        if hits is None:
            continue
        if name == "pad":
            _matrix(w.one(*spelt) or "", len(sizes))
            if len(hits) != 2 * len(sizes):
                raise Unclear(spelt[0])
            pairs = zip(hits[::2], hits[1::2])
            parts.append(f"pad={'x'.join(f'{a}_{b}' for a, b in pairs)}")
        elif len(hits) != len(sizes):
            raise Wrong(f"has {len(hits)} numbers in {spelt[0]}, and a window of {len(sizes)}")
        else:
            parts.append(f"{name}={'x'.join(map(str, hits))}")
    return f"{{{' '.join(parts)}}}"


def _matrix(value: str, rows: int) -> None:
    """Padding has a row of two numbers for each dimension of its window."""
    kind = re.search(r"\btensor<((?:\d+x)*)i64>$", value)
    if kind is not None:
        good = kind[1] == f"{rows}x2x"
    else:
        lists = re.findall(r"\[([^\[\]]*)\]", value)
        good = not value.startswith("[") or [t.count(",") for t in lists] == [1] * rows
    if not good:
        raise Wrong(f"has padding of another shape than {rows} x 2")


CONVOLUTION = (
    ("stride", ("stride", "window_strides")),
    ("pad", ("pad", "padding")),
    ("lhs_dilate", ("lhs_dilate", "lhs_dilation")),
    ("rhs_dilate", ("rhs_dilate", "rhs_dilation")),
)
REDUCTION = (
    ("stride", ("window_strides",)),
    ("pad", ("padding",)),
    ("lhs_dilate", ("base_dilations",)),
    ("rhs_dilate", ("window_dilations",)),
)


def _known_window(text: str, spatial: int) -> None:
    """What a convolution's window says of every spatial dimension."""
    inside = re.search(r"\bwindow\s*=\s*\{([^{}]*)\}", text)
    words = {"reverse", *(spelt[0] for _, spelt in CONVOLUTION)}
    for m in re.finditer(r"(\w+)\s*=\s*(\[[^\[\]]*\])?", "" if inside is None else inside[1]):
        if m[1] not in words:
            raise Wrong(f"has a window with {m[1]}")
        if m[1] == "reverse" and m[2] and len(re.findall(r"\w+", m[2])) != spatial:
            raise Wrong("has a window with another number of dimensions in reverse")


def _convolution(w: Words) -> dict[str, str]:
    match = RAW_CONV.search(w.text)
    if match is None:
        raise Unclear("dimension_numbers")
    sides = [re.findall(r"\w+", part) for part in re.findall(LIST, match.group())]
    labels = ["".join(side) for side in sides]
    if len(sides) != 3 or any(len(c) != 1 for side in sides for c in side):
        raise Unclear("dimension_numbers")
    for side, letters in zip(sides, ("bf", "io", "bf")):
        if sorted(side) != sorted([*letters, *map(str, range(len(side) - 2))]):
            raise Wrong(
                f"names dimensions [{', '.join(side)}], not {letters[0]}, {letters[1]} and 0, 1 ..."
            )
    kernel = w.operand(1)
    spatial = len(sides[1]) - 2
    if len(kernel) != spatial + 2:
        raise Wrong(f"has {spatial + 2} dimension_numbers for a kernel of {len(kernel)} dimensions")
    sizes = [kernel[sides[1].index(str(k))] for k in range(spatial) if str(k) in sides[1]]
    features = [kernel[k] for k, side in enumerate(sides[1]) if side == "o"]
    if len(sizes) != spatial or None in (*sizes, *features):
        raise Unclear("operand 1")
    rest = w.text.replace(match.group(), "")
    others = Words(rest, w.sizes)
    table = {"dim_labels": f"{labels[0]}_{labels[1]}->{labels[2]}"}
    _known_window(rest, spatial)
    window = _window(others, [n for n in sizes if n is not None], CONVOLUTION)
    if window:
        table["window"] = window
    for key in ("feature_group_count", "batch_group_count"):
        if (number := others.integers(key)) is not None:
            table[key] = str(number[0])
    return table


def _reduce_window(w: Words) -> dict[str, str]:
    text = _window(w, w.required("window_dimensions"), REDUCTION)
    return {"window": text} if text else {}


def _select(w: Words) -> dict[str, str]:
    if w.integers("window_dimensions") is None:  # which may be left out
        raise Unclear("window_dimensions")
    return _reduce_window(w)


def _fft(w: Words) -> dict[str, str]:
    match = re.search(r"\bfft_type\s+(I?R?FFT)\b", w.text)  # fft_type = #stablehlo<fft_type FFT>
    kind = w.one("type", "fft_type") if match is None else match[1]
    if kind is None and (match := re.search(r"\b(I?R?FFT)\b", w.text)):
        kind = match[1]
    if kind is None or "FFT" not in kind:
        raise Unclear("fft_type")
    return {"fft_type": kind, "fft_length": integer_list(w.required("length", "fft_length"))}


def _element(w: Words) -> dict[str, str]:
    match = ELEMENT.search(w.text)
    return {"index": match[1] if match is not None else str(w.required("index")[0])}


def _groups(w: Words) -> dict[str, str]:
    """`replica_groups`, a matrix padded with -1, and whether the groups are of all devices."""
    match = re.search(r"replica_groups\s*=\s*dense<([^<>]*)>\s*:\s*tensor<(\d+)x(\d+)xi64>", w.text)
    if match is None:
        raise Unclear("replica_groups")
    inner = match[1].strip()
    rows = re.findall(r"\[([^\[\]]*)\]", inner)
    if not rows and inner:
        rows = [", ".join([inner] * int(match[3]))] * int(match[2])
    groups = [[n for n in INTEGER.findall(row) if n != "-1"] for row in rows]
    table = {"replica_groups": "{" + ",".join("{" + ",".join(g) + "}" for g in groups) + "}"}
    if "channel_handle" in w.text or "channel_id" in w.text:
        handle = HANDLE.search(w.text)
        table["channel_id"] = "1" if handle is None else handle[1]
    if re.search(r"use_global_device_ids\b(?!\s*=\s*false)", w.text):
        table["use_global_device_ids"] = "true"
    elif int(table.get("channel_id", "1")) <= 0:
        del table["channel_id"]  # which is as good as none
    return table


def _permute(w: Words) -> dict[str, str]:
    match = re.search(r"source_target_pairs\s*=\s*dense<([^<>]*)>\s*:\s*tensor<\d+x2xi64>", w.text)
    if match is None:
        raise Unclear("source_target_pairs")
    numbers = INTEGER.findall(match[1])
    if len(numbers) == 1:  # one number stands for all
        numbers *= 2
    pairs = zip(numbers[::2], numbers[1::2])
    return {"source_target_pairs": "{" + ",".join(f"{{{a},{b}}}" for a, b in pairs) + "}"}


def _gather_dimension(*keys: str) -> Maker:
    """The dimension alone: MLIR asks for a multiple, whatever the groups, of each operand."""

    def make(w: Words) -> dict[str, str]:
        if len(w.sizes) > 1:
            raise Unclear("operands")
        return {"dimensions": integer_list(w.required(*keys))}

    return make


def _exchange(w: Words) -> dict[str, str]:
    keys = ("split_dimension", "concat_dimension")
    if all(w.integers(key) is None for key in keys):  # MHLO: an operand for each device
        return _groups(w)
    return {**{key: integer_list(w.required(key)) for key in keys}, **_groups(w)}


def _sort(w: Words) -> dict[str, str]:
    axis = (w.integers("dimension") or [-1])[0]
    return {"dimensions": integer_list([axis if axis >= 0 else axis + w.rank()])}


def _solve(w: Words) -> dict[str, str]:
    left = w.one("left_side")
    if left not in ("true", "false"):
        raise Unclear("left_side")
    return {"left_side": left}


def _broadcast(w: Words) -> dict[str, str]:
    """New dimensions in front of the operand's."""
    new = len(w.required("sizes", "broadcast_sizes"))
    return {"dimensions": integer_list(range(new, new + w.rank()))}


TABLE: dict[str, Maker] = {
    "all-gather": _gather_dimension("all_gather_dim"),
    "all-reduce": _groups,
    "all-to-all": _exchange,
    "batch-norm-grad": _plain("feature_index", "feature_index"),
    "batch-norm-inference": _plain("feature_index", "feature_index"),
    "batch-norm-training": _plain("feature_index", "feature_index"),
    "broadcast": _broadcast,
    "broadcast-in-dim": _plain("dimensions", "dims", "broadcast_dimensions"),
    "collective-permute": _permute,
    "concatenate": _plain("dimensions", "dim", "dimension"),
    "convolution": _convolution,
    "dot": _old_dot,
    "dot-general": _dot,
    "dynamic-broadcast-in-dim": _plain("dimensions", "dims", "broadcast_dimensions"),
    "dynamic-gather": _dynamic_gather,
    "dynamic-iota": _plain("iota_dimension", "dim", "iota_dimension"),
    "dynamic-slice": _plain("dynamic_slice_sizes", "sizes", "slice_sizes"),
    "fft": _fft,
    "gather": _gather,
    "get-dimension-size": _plain("dimensions", "dim", "dimension"),
    "get-tuple-element": _element,
    "iota": _plain("iota_dimension", "dim", "iota_dimension"),
    "pad": _pad,
    "reduce": _plain("dimensions", "dimensions"),
    "reduce-scatter": _gather_dimension("scatter_dimension"),
    "reduce-window": _reduce_window,
    "reverse": _plain("dimensions", "dims", "dimensions"),
    "scatter": _scatter,
    "select-and-scatter": _select,
    "set-dimension-size": _plain("dimensions", "dim", "dimension"),
    "slice": _slice,
    "sort": _sort,
    "topk": _plain("k", "k"),
    "transpose": _plain("dimensions", "dims", "permutation"),
    "triangular-solve": _solve,
}
