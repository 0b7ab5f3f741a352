"""MLIR's types and maps: `memref<4x?xf32, strided<[?, 1]>>`, `affine_map<(d0)[s0] -> (d0 + s0)>`.

A `?` is a size that has no name, so it gets one: `dim0` for that of dimension 0, `stride0`, `start`
for the offset.  In the second type of a claim these are other sizes: `dim0_2`, `stride0_2`.  An
affine map has no domain: it is asked about for all boxes of coordinates from 0 on.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from functools import partial

from symlayout.errors import LayoutError
from symlayout.expr.reader import NAME, Scanner
from symlayout.expr.terms import Size, as_size, free_names, substitute, symbol
from symlayout.layouts.doors.affine import affine_parts, box_at, linear_parts
from symlayout.layouts.maps.function import ZERO, IndexFunction, Variable
from symlayout.layouts.reading import items, shown_at
from symlayout.layouts.strided import Strided, row_major
from symlayout.layouts.xla.dtypes import help_for, mlir_dtype
from symlayout.text.lines import count
from symlayout.text.names import unused
from symlayout.text.patterns import regex

HEAD = regex(r"memref|tensor|vector")
OPENING = regex(r"\b(?:memref|tensor)\s*<")
ALIAS = regex(r"#\w+")
SAYS_NOTHING = {
    "memref": regex(
        r"\d|\{|\"|#(?:\w+\.)+(?:address_space|memory_space|storage_class|descriptor_type)\b"
    ),
    "tensor": regex(r"#(?:stablehlo|mhlo)\.(?:bounds|type_extensions)\b"),
}
STAR = regex(r"\*\s*x")
SIZE = regex(r"(\d+|\?)\s*x")
ELEMENT = regex(r"complex<\w+>|\w+")
STRIDE = regex(r"-?\d+|\?")
SPACE = regex(
    r"\d+(?:\s*:\s*\w+)?|\{[^{}]*\}|[#\"][^,<>]*(?:<[^>]*>)?"
)  # a memory space, which says nothing of places


def read_memref(text: str) -> Strided:
    """The strided layout of a memref; tensors and vectors are row-major.

    >>> print(read_memref("memref<4x?xf32, strided<[?, 1], offset: 3>>"))
    strided f32[4,dim1] strides(stride0,1) offset 3

    Raises `LayoutError` with the place of the mistake: SL101, SL103 an unknown element type, SL107 no
    rank or a layout that is a map of several results.
    Source: the type grammar of MLIR's builtin dialect.
    """
    s = Scanner(text, language="python")
    kind = s.match(HEAD)
    s.expect("<", f"behind {kind}")
    dims = _sizes(s)
    at = s.skip()
    word = s.match(ELEMENT) or ""
    dtype = mlir_dtype(word)
    if dtype is None:
        unknown = f"the element type {word!r} is not known"
        message = unknown if word else "an element type is missing"
        help = help_for(word) if word else None
        if re.match(r"[A-Z]\w*x", word):  # sizes with names
            help = "a size that is not a number is ?: memref<?x?xf32>; with names: f32[M,N]"
        raise s.error("SL103" if word else "SL101", message, at, s.at, help=help)
    strides, start, left = row_major(dims), 0, ["layout", "space"]
    while s.take(","):
        if left[:1] == ["layout"] and kind == "memref" and s.take("strided"):
            strides, start = _strided(s, len(dims))
        elif left[:1] == ["layout"] and kind == "memref" and s.peek("affine_map"):
            strides, start = _steps(s, dims)
        else:
            _beside(s, kind or "", left)
            left = []
        left = left[1:]
    s.expect(">", f"to close {kind}<")
    s.end(f"the {kind}")
    with shown_at(s, at):
        return Strided(dtype, dims, strides, start)


def separated(texts: Sequence[str]) -> list[str]:
    """The arguments of a claim: where several types have a `?`, as strided layouts with names.

    >>> separated(["memref<?xf32>", "4", "memref<?x8xf32>"])
    ['strided f32[dim0] strides(1)', '4', 'strided f32[dim0_2,8] strides(8,1)']

    Raises `LayoutError` (SL402) for such a type inside another text.
    """
    hits = [(k, part) for k, text in enumerate(texts) for part in _open_types(text)]
    results, used = list(texts), {w for text in texts for w in NAME.findall(text)}
    for number, (k, part) in enumerate(hits if len(hits) > 1 else (), 1):
        whole = part == texts[k].strip()
        if number == 1:
            results[k] = str(read_memref(part)) if whole else texts[k]
            continue
        if not whole:
            message = f"each ? is a size of its own, and {part} is not the first type with one"
            help = "write names: strided f32[M,N] strides(N,1)"
            raise LayoutError("SL402", message, text=texts[k], help=help)
        results[k] = str(_renamed(read_memref(part), f"_{number}", used))
    return results


def _open_types(text: str) -> list[str]:
    """The memrefs and tensors with a `?` in a text."""
    results = []
    for head in OPENING.finditer(text) if "?" in text else ():
        depth, at = 1, head.end()
        while depth and at < len(text):
            depth += (text[at] == "<") - (text[at] == ">" and text[at - 1] != "-")
            at += 1
        part = text[head.start() : at]
        results += [part] if "?" in part else []
    return results


def _renamed(layout: Strided, ending: str, used: Container[str]) -> Strided:
    """The layout with other names for its sizes."""
    sizes = [*layout._dims, *layout._strides, layout._start]
    new = {n: symbol(unused(n + ending, used)) for n in free_names(*sizes)}
    dims, strides = ([substitute(e, new) for e in row] for row in (layout._dims, layout._strides))
    return replace(
        layout, _dims=tuple(dims), _strides=tuple(strides), _start=substitute(layout._start, new)
    )


def _beside(s: Scanner, kind: str, left: list[str]) -> None:
    """A memory space, or the bounds of a tensor's sizes: what says nothing of places.

    Raises `LayoutError` (SL107) for what may say where elements lie: an alias, an encoding, a layout
    of some dialect.
    """
    at = s.skip()
    word = s.match(SPACE)
    if word is None or not left or kind == "vector":
        phrase = "strided<[..]> or a memory space" if left[:1] == ["layout"] else "'>'"
        raise s.missing(phrase, at)
    says = SAYS_NOTHING[kind].match(word) or (left == ["space"] and ALIAS.fullmatch(word))
    if not says:
        what = "is an alias, and" if ALIAS.fullmatch(word) else "is not read, and"
        help = "write a layout out: strided<[8, 1]>, affine_map<..>, #ttg.blocked<{..}>"
        raise s.error("SL107", f"{word} {what} may say where elements lie", at, s.at, help=help)


def _sizes(s: Scanner) -> tuple[Size, ...]:
    """The sizes, each with an `x` behind it."""
    if s.match(STAR):
        raise s.error("SL107", "a memref without a rank has no offsets", 0)
    dims: list[Size] = []
    while (match := SIZE.match(s.text, s.skip())) is not None:
        s.check_rank(len(dims) + 1)
        dims.append(_size_of(match[1], f"dim{len(dims)}"))
        s.at = match.end()
    return tuple(dims)


def _size_of(word: str, name: str) -> Size:
    return as_size(symbol(name)) if word == "?" else int(word)


def _strided(s: Scanner, rank: int) -> tuple[tuple[Size, ...], Size]:
    """`<[16, ?], offset: 3>`."""
    s.expect("<", "behind strided")
    s.expect("[", "before the strides")
    at = s.at
    words = items(
        s, "]", "between the strides", partial(s.need, STRIDE, "a stride or '?'"), limited=False
    )
    if len(words) != rank:
        raise s.error("SL107", f"{count(len(words), 'stride')} for {count(rank, 'size')}", at)
    start: Size = 0
    if s.take(","):
        s.expect("offset", "behind the strides")
        s.expect(":", "behind offset")
        start = _size_of(s.need(STRIDE, "an offset or '?'"), "start")
    s.expect(">", "to close strided<")
    return tuple(_size_of(w, f"stride{k}") for k, w in enumerate(words)), start


def _steps(s: Scanner, dims: tuple[Size, ...]) -> tuple[tuple[Size, ...], Size]:
    """The strides and the offset of a layout map with one result that is linear in each coordinate."""
    at = s.skip()
    f = _affine(s)
    if f._results == tuple(symbol(v.name) for v in f.variables):  # the identity: row-major
        return row_major(dims), 0
    if len(f._results) != 1 or len(f.variables) != len(dims):
        message = "the layout of a memref is read where it is one offset of all coordinates"
        raise s.error("SL107", message, at, s.at, help="write a map: map i < M, j < N: ...")
    parts = linear_parts(f._results[0], [symbol(v.name) for v in f.variables])
    if parts is None:
        message = "the layout of a memref is read where strides and an offset say it"
        raise s.error("SL107", message, at, s.at, help="write a map: map i < M, j < N: ...")
    return tuple(map(as_size, parts[0])), as_size(parts[1])


def read_affine_map(text: str) -> IndexFunction:
    """The index function of an affine map, over a box of sizes named as its dimensions.

    >>> print(read_affine_map("affine_map<(d0, d1)[s0] -> (d0 floordiv 8, d1 mod 128 + s0)>"))
    map d0 < D0, d1 < D1: (d0//8, s0 + d1%128)

    `d0` runs from 0 to below `D0`; `floordiv`, `mod` and `ceildiv` round as MLIR says for positive
    divisors.  Behind it a box may stand, `in (M, N)`.  Raises `LayoutError` with the place of the
    mistake.
    """
    s = Scanner(text, language="python")
    result = _affine(s)
    box = box_at(s, [v.name for v in result.variables], len(result._results))
    s.end("the affine map")
    return replace(result, _box=box)


def _affine(s: Scanner) -> IndexFunction:
    s.expect("affine_map", "of an affine map")
    s.expect("<", "behind affine_map")
    dims, symbols, results = affine_parts(s)
    s.expect(">", "to close affine_map<")
    names = {*dims, *symbols}
    variables = []
    for d in dims:
        size = unused(d.upper(), names)
        names.add(size)
        variables.append(Variable(d, ZERO, symbol(size)))
    if not variables:
        raise s.error("SL403", "a map without dimensions has nothing to be asked about", 0)
    return IndexFunction(tuple(variables), results, tupled=len(results) != 1)
