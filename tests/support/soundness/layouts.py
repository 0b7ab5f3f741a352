"""Layouts by their definitions, on arrays of plain integers: each with the text that spells it.

The notations' documents say what an offset is; here that is written down once more, without the
package: XLA's tiling level by level, strides, `shape:stride` digit by digit, fractals by blocks.
A layout is defined where every extent is at least 0, every tile and block at least 1, every padded
width at least its extent, every true size within its modes, and nothing divides by zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

import numpy as np

from soundness.arithmetic import Env, array_of, integers, largest, least, undefined

BITS = {"pred": 8, "s4": 4, "s8": 8, "bf16": 16, "f16": 16, "f32": 32, "f64": 64, "c128": 128}
Nest: TypeAlias = "str | tuple[Nest, ...]"


@dataclass(frozen=True)
class Layout(ABC):
    """What every notation gives: the text, the sizes of the coordinates, bits where known."""

    text: str
    dims: tuple[str, ...]
    bits: int | None
    notation: str

    def sides(self, env: Env) -> list[Any]:
        """The number of coordinates in each dimension."""
        return [integers(d, env) for d in self.dims]

    def room(self, env: Env) -> list[Any]:
        """How far the layout reaches in each dimension, the rest of its last blocks included."""
        return self.sides(env)

    @abstractmethod
    def texts(self) -> list[str]:
        """The expressions beside the coordinates' sizes, in the order in which they are written."""

    def written(self) -> list[str]:
        """All expressions in the order in which they are written."""
        return [*self.dims, *self.texts()]

    def demands(self) -> list[tuple[str, int]]:
        """Expressions and the least values at which the layout is defined."""
        return [(d, 0) for d in self.dims]

    def wider(self) -> list[tuple[str, str]]:
        """Expressions and others that must be at least as large."""
        return []

    def undefined(self, env: Env) -> Any:
        """Where the layout means nothing."""
        bad: Any = False
        for text, low in self.demands():
            bad = bad | undefined(text, env) | np.less(integers(text, env), low)
        for text, other in self.wider():
            bad = bad | undefined(other, env) | np.less(integers(other, env), integers(text, env))
        return bad | (self.broken(env) & ~self.empty(env))

    def broken(self, env: Env) -> Any:
        """Where a stride or a start divides by zero, which matters to elements only."""
        bad: Any = np.zeros((), dtype=bool)
        for text in self.texts():
            bad = bad | undefined(text, env)
        return bad

    def empty(self, env: Env) -> Any:
        """Where there is no element."""
        return np.logical_or.reduce(np.broadcast_arrays(False, *[d == 0 for d in self.sides(env)]))

    @abstractmethod
    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        """The offset at the coordinates."""

    @abstractmethod
    def size(self, env: Env) -> Any:
        """The elements of the buffer, padding included."""


@dataclass(frozen=True)
class Tiled(Layout):
    """An XLA shape: `order` is minor_to_major, tiles apply one after the other, `tail` is L(n).

    `padded` are the widths that it is laid out with, none for the sizes themselves.
    """

    order: tuple[int, ...] = ()
    tiles: tuple[tuple[str, ...], ...] = ()
    tail: int = 1
    padded: tuple[str, ...] = ()

    @staticmethod
    def of(
        dtype: str,
        dims: Sequence[str],
        order: Sequence[int],
        tiles: Sequence[Sequence[str]] = (),
        tail: int = 1,
        padded: Sequence[str] = (),
    ) -> Tiled:
        """The layout and its text."""
        properties = "".join(f"({','.join(t)})" for t in tiles)
        properties = (f"T{properties}" if tiles else "") + (f"L({tail})" if tail > 1 else "")
        properties = (f"PAD({','.join(padded)})" if padded else "") + properties
        inner = ",".join(map(str, order)) + (f":{properties}" if properties else "")
        text = f"{dtype}[{','.join(dims)}]{{{inner}}}"
        levels = tuple(map(tuple, tiles))
        return Tiled(
            text, tuple(dims), BITS[dtype], "XLA", tuple(order), levels, tail, tuple(padded)
        )

    def texts(self) -> list[str]:
        return [*self.padded, *[t for tile in self.tiles for t in tile if t != "*"]]

    def demands(self) -> list[tuple[str, int]]:
        entries = [t for tile in self.tiles for t in tile if t != "*"]
        return [*super().demands(), *[(t, 1) for t in entries]]

    def wider(self) -> list[tuple[str, str]]:
        return list(zip(self.dims, self.padded))

    def room(self, env: Env) -> list[Any]:
        made = [integers(w, env) for w in self.padded] or self.sides(env)
        tile = self.tiles[0] if self.tiles else ()
        for k, dim in enumerate(self.order[: len(tile)]):
            width, joined = tile[-1 - k], tile[-2 - k : -1 - k] == ("*",)
            if width != "*" and not joined:
                t = largest(integers(width, env), 1)
                made[dim] = -(-made[dim] // t) * t
        return made

    def walk(self, coords: Sequence[Any], env: Env) -> tuple[list[Any], list[Any], Any]:
        """Coordinates and sizes behind all tiles, most minor first; whether all tiles divide."""
        sizes = [integers(w, env) for w in self.padded] or self.sides(env)
        e, d = [coords[k] for k in self.order], [sizes[k] for k in self.order]
        divide: Any = True
        for tile in self.tiles:
            t = [w if w == "*" else integers(w, env) for w in reversed(tile)]
            e += [0] * (len(t) - len(e))
            d += [1] * (len(t) - len(d))
            while any(isinstance(w, str) for w in t):
                k = next(k for k, w in enumerate(t) if isinstance(w, str))
                e[k - 1], d[k - 1] = e[k] * d[k - 1] + e[k - 1], d[k] * d[k - 1]
                del t[k], e[k], d[k]
            for width, size in zip(t, d):
                divide = divide & np.equal(size % width, 0)
            n = len(t)
            e = [x % w for x, w in zip(e, t)] + [x // w for x, w in zip(e, t)] + e[n:]
            d = list(t) + [-(-x // w) for x, w in zip(d, t)] + d[n:]
        return e, d, divide

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        e, d, _ = self.walk(coords, env)
        total: Any = 0
        stride: Any = 1
        for x, size in zip(e, d):
            total, stride = total + x * stride, stride * size
        return total

    def size(self, env: Env) -> Any:
        _, d, _ = self.walk([0] * len(self.dims), env)
        count = prod(d)
        return np.where(self.empty(env), 0, array_of(-(-count // self.tail) * self.tail))

    def divides(self, env: Env) -> Any:
        """Whether every tile divides what it tiles."""
        return self.walk([0] * len(self.dims), env)[2]


@dataclass(frozen=True)
class Affine(Layout):
    """`start + sum(coordinate * stride)`: strided layouts and the simple formats."""

    strides: tuple[str, ...] = ()
    start: str = "0"

    @staticmethod
    def strided(
        dtype: str, dims: Sequence[str], strides: Sequence[str], start: str = "0"
    ) -> Affine:
        """A layout in the strided notation."""
        tail = "" if start == "0" else f" offset {start}"
        text = f"strided {dtype}[{','.join(dims)}] strides({','.join(strides)}){tail}"
        return Affine(text, tuple(dims), BITS[dtype], "strided", tuple(strides), start)

    @staticmethod
    def named(head: str, dtype: str, dims: Sequence[str], strides: Sequence[str], args: str) -> Any:
        """A simple format such as RowMajor."""
        text = f"{head}({dtype + ', ' if dtype else ''}{args})"
        return Affine(text, tuple(dims), BITS.get(dtype), "format", tuple(strides))

    def texts(self) -> list[str]:
        return [*self.strides, self.start]

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        total = integers(self.start, env)
        for c, s in zip(coords, self.strides):
            total = total + c * integers(s, env)
        return total

    def size(self, env: Env) -> Any:
        reach = [(d - 1) * integers(s, env) for d, s in zip(self.sides(env), self.strides)]
        return np.where(self.empty(env), 0, array_of(extent(integers(self.start, env), reach)))


@dataclass(frozen=True)
class Mapped(Affine):
    """An index function of strides, by its domain, its result and the box of that."""

    box: str = "1"

    @staticmethod
    def of(dims: Sequence[str], strides: Sequence[str], start: str, box: str) -> Mapped:
        """The map `i < d0, j < d1, ..: start + i*s0 + j*s1 + .. in box`."""
        domain = ", ".join(f"{c} < {d}" for c, d in zip("ijk", dims))
        terms = " + ".join(f"{c}*({s})" for c, s in zip("ijk", strides))
        text = f"map {domain}: {start} + {terms} in {box}"
        return Mapped(text, tuple(dims), None, "map", tuple(strides), start, box)

    def texts(self) -> list[str]:
        return [*super().texts(), self.box]

    def demands(self) -> list[tuple[str, int]]:
        return [*super().demands(), (self.box, 0)]

    def size(self, env: Env) -> Any:
        return integers(self.box, env)


@dataclass(frozen=True)
class Nested(Layout):
    """`shape:stride`: the digits of each top-level mode, leftmost fastest, the last one whole."""

    modes: tuple[tuple[tuple[str, str], ...], ...] = ()
    origin: tuple[str, ...] = ()

    @staticmethod
    def of(shape: Sequence[Nest], stride: Sequence[Nest], origin: Sequence[str] = ()) -> Nested:
        """The layout and its text; `origin` are the true sizes."""
        text = f"{spelled(tuple(shape))}:{spelled(tuple(stride))}"
        modes = tuple(tuple(zip(leaves(s), leaves(t))) for s, t in zip(shape, stride))
        dims = tuple(origin) or tuple(times(*[w for w, _ in m]) for m in modes)
        text += f":({','.join(origin)})" if origin else ""
        return Nested(text, dims, None, "shape:stride", modes, tuple(origin))

    def texts(self) -> list[str]:
        return [x for k in (0, 1) for mode in self.modes for x in (pair[k] for pair in mode)]

    def demands(self) -> list[tuple[str, int]]:
        return [*super().demands(), *[(w, 0) for mode in self.modes for w, _ in mode]]

    def room(self, env: Env) -> list[Any]:
        return [prod(integers(w, env) for w, _ in mode) for mode in self.modes]

    def wider(self) -> list[tuple[str, str]]:
        held = [times(*[w for w, _ in m]) for m in self.modes]
        return list(zip(self.origin, held))

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        total: Any = 0
        for index, mode in zip(coords, self.modes):
            for k, (width, stride) in enumerate(mode):
                w = largest(integers(width, env), 1)
                digit = index if k == len(mode) - 1 else index % w
                total, index = total + digit * integers(stride, env), index // w
        return total

    def size(self, env: Env) -> Any:
        every = [(integers(w, env), integers(s, env)) for mode in self.modes for w, s in mode]
        empty = np.logical_or.reduce(np.broadcast_arrays(False, *[w == 0 for w, _ in every]))
        size = extent(0, [(w - 1) * s for w, s in every])
        return np.where(empty | self.empty(env), 0, array_of(size))


@dataclass(frozen=True)
class Fractals(Layout):
    """Blocks of `height` x `width`: the small letter orders a block, the capital one the blocks."""

    letters: str = "zZ"
    height: str = "1"
    width: str = "1"

    @staticmethod
    def of(
        head: str, dtype: str, args: Sequence[str], letters: str, height: str, width: str
    ) -> Fractals:
        """A named format; the first two arguments are rows and columns."""
        text = f"{head}({dtype + ', ' if dtype else ''}{', '.join(args)})"
        bits = BITS.get(dtype)
        return Fractals(text, tuple(args[:2]), bits, "format", letters, height, width)

    def room(self, env: Env) -> list[Any]:
        both = [largest(integers(w, env), 1) for w in (self.height, self.width)]
        return [-(-d // w) * w for d, w in zip(self.sides(env), both)]

    def texts(self) -> list[str]:
        return [self.height, self.width]

    def demands(self) -> list[tuple[str, int]]:
        return [*super().demands(), (self.height, 1), (self.width, 1)]

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        (r, c), (rows, cols) = coords, self.sides(env)
        h, w = integers(self.height, env), integers(self.width, env)
        inside = (r % h) * w + c % w if self.letters[0] == "z" else r % h + (c % w) * h
        across, down = -(-cols // w), -(-rows // h)
        z = self.letters[1] == "Z"
        block = (r // h) * across + c // w if z else r // h + (c // w) * down
        return block * h * w + inside

    def size(self, env: Env) -> Any:
        rows, cols = self.sides(env)
        h, w = integers(self.height, env), integers(self.width, env)
        return -(-rows // h) * h * -(-cols // w) * w


@dataclass(frozen=True)
class Swizzled(Layout):
    """CuTe's swizzle after a layout: `x ^ ((x & yyy) >> shift)` on the offsets."""

    inner: Nested = field(default_factory=lambda: Nested.of(["1"], ["0"]))
    swizzle: tuple[int, int, int] = (0, 0, 0)

    @staticmethod
    def over(inner: Nested, bits: int, base: int, shift: int) -> Swizzled:
        """The composition and its text."""
        text = f"Swizzle({bits},{base},{shift}) o 0 o {inner.text}"
        return Swizzled(text, inner.dims, None, "swizzled", inner, (bits, base, shift))

    def room(self, env: Env) -> list[Any]:
        return self.inner.room(env)

    def texts(self) -> list[str]:
        return self.inner.texts()

    def demands(self) -> list[tuple[str, int]]:
        return self.inner.demands()

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        bits, base, shift = self.swizzle
        x = np.asarray(self.inner.offsets(coords, env))
        return x ^ ((x & (((1 << bits) - 1) << (base + shift))) >> shift)

    def size(self, env: Env) -> Any:
        bits, base, _ = self.swizzle
        block = 1 << (base + bits)  # bits above stay as they are
        return -(-self.inner.size(env) // block) * block


@dataclass(frozen=True)
class Respelled(Layout):
    """A layout in the words of another notation."""

    inner: Layout = field(default_factory=lambda: Nested.of(["1"], ["0"]))

    @staticmethod
    def cpp(inner: Nested) -> Respelled:
        """A `shape:stride` as a C++ expression."""

        def made(what: str, k: int) -> str:
            nests = [[pair[k] for pair in mode] for mode in inner.modes]
            words = [m[0] if len(m) == 1 else f"Make{what}({', '.join(m)})" for m in nests]
            return f"Make{what}({', '.join(words)})"

        parts = [made("Shape", 0), made("Stride", 1)]
        parts += [f"MakeShape({', '.join(inner.origin)})"] * bool(inner.origin)
        return Respelled(f"MakeLayout({', '.join(parts)})", inner.dims, None, "C++", inner)

    @staticmethod
    def proto(inner: Tiled) -> Respelled:
        """An XLA shape as protocol-buffer text."""
        dtype = inner.text.partition("[")[0].upper()
        tiles = [["-1" if t == "*" else t for t in tile] for tile in inner.tiles]
        fields = [
            f"minor_to_major: [{', '.join(map(str, inner.order))}]",
            *[f"tiles {{ dimensions: [{', '.join(tile)}] }}" for tile in tiles],
            *[f"tail_padding_alignment_in_elements: {inner.tail}"] * (inner.tail > 1),
            *[f"padded_dimensions: [{', '.join(inner.padded)}]"] * bool(inner.padded),
        ]
        head = f"element_type: {dtype} dimensions: [{', '.join(inner.dims)}]"
        text = f"{head} layout {{ {' '.join(fields)} }}"
        return Respelled(text, inner.dims, inner.bits, "protocol buffer", inner)

    def room(self, env: Env) -> list[Any]:
        return self.inner.room(env)

    def texts(self) -> list[str]:
        return self.inner.texts()

    def demands(self) -> list[tuple[str, int]]:
        return self.inner.demands()

    def wider(self) -> list[tuple[str, str]]:
        return self.inner.wider()

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        return self.inner.offsets(coords, env)

    def size(self, env: Env) -> Any:
        return self.inner.size(env)


@dataclass(frozen=True)
class Literal(Respelled):
    """A tiled layout by literal pad, reshape and transpose steps, on numbers of elements."""

    @staticmethod
    def of(inner: Tiled) -> Literal:
        """The steps of an XLA shape."""
        text = f"pad_reshape_transpose({inner.text})"
        return Literal(text, inner.dims, inner.bits, "pad_reshape_transpose", inner)

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        assert isinstance(self.inner, Tiled)
        widths = [integers(w, env) for w in self.inner.padded] or self.sides(env)
        d = [widths[k] for k in reversed(self.inner.order)]
        x = [coords[k] for k in reversed(self.inner.order)]
        for tile in self.inner.tiles:
            ones = max(0, len(tile) - len(d))
            d, x = [1] * ones + d, [0] * ones + x
            kept = len(d) - len(tile)
            counts, within = [], []
            padded, merged, below = d[:kept], d[:kept], 1
            for n, t in zip(d[kept:], tile):
                below = below * n
                if t != "*":
                    within.append(integers(t, env))
                    counts.append(-(-below // within[-1]))
                    merged = [*merged, below]
                    padded = [*padded, counts[-1] * within[-1]]
                    below = 1
            x = unraveled(raveled(x, d), merged)
            blocks = [*d[:kept], *[n for pair in zip(counts, within) for n in pair]]
            y = unraveled(raveled(x, padded), blocks)
            d = [*d[:kept], *counts, *within]
            x = [*y[:kept], *y[kept::2], *y[kept + 1 :: 2]]
        return raveled(x, d)


@dataclass(frozen=True)
class Repeated(Respelled):
    """A layout under a larger shape: its dimension k lies along dimension `along[k]`, or is 1."""

    along: tuple[int, ...] = ()

    @staticmethod
    def of(inner: Layout, dtype: str, dims: Sequence[str], along: Sequence[int]) -> Repeated:
        """The broadcast to the shape of sizes `dims`."""
        to = f"{dtype}[{','.join(dims)}]"
        text = f"broadcast_in_dim({inner.text}, dims=({','.join(map(str, along))}), to={to})"
        bits, name = inner.bits, "broadcast_in_dim"
        return Repeated(text, tuple(dims), bits, name, inner, tuple(along))

    def room(self, env: Env) -> list[Any]:
        return self.sides(env)

    def written(self) -> list[str]:
        return [*self.inner.written(), *self.dims]

    def demands(self) -> list[tuple[str, int]]:
        return [*super(Respelled, self).demands(), *self.inner.demands()]

    def offsets(self, coords: Sequence[Any], env: Env) -> Any:
        place = [0 * coords[k] if d == "1" else coords[k]
                 for d, k in zip(self.inner.dims, self.along)]  # fmt: skip
        return self.inner.offsets(place, env)


def raveled(place: Sequence[Any], shape: Sequence[Any]) -> Any:
    """The row-major number of a place."""
    total: Any = 0
    for x, d in zip(place, shape):
        total = total * d + x
    return total


def unraveled(number: Any, shape: Sequence[Any]) -> list[Any]:
    """The place of that row-major number."""
    made = []
    for d in reversed(shape[1:]):
        made.append(number % np.maximum(d, 1))
        number = number // np.maximum(d, 1)
    return [number, *reversed(made)] if shape else []


def extent(start: Any, reach: Sequence[Any]) -> Any:
    """1 + the largest offset - the least one where that is below 0: what a buffer must hold."""
    top = low = start
    for r in reach:
        top, low = top + largest(r, 0), low + least(r, 0)
    return 1 + top - least(low, 0)


def times(*factors: str) -> str:
    """The product of expressions, as text."""
    kept = [f for f in factors if f != "1"]
    if len(kept) == 1:
        return kept[0]
    return "*".join(f if f.isalnum() else f"({f})" for f in kept) or "1"


def leaves(nest: Nest) -> list[str]:
    """The leaves from left to right."""
    return [nest] if isinstance(nest, str) else [x for part in nest for x in leaves(part)]


def spelled(nest: Nest) -> str:
    """A nest as it is written."""
    return nest if isinstance(nest, str) else f"({','.join(map(spelled, nest))})"
