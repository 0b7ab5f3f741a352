"""Random sizes, facts and layouts in every notation."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from soundness import vanishing
from soundness.arithmetic import FUNCTIONS, WORD
from soundness.layouts import (
    BITS,
    Affine,
    Fractals,
    Layout,
    Literal,
    Mapped,
    Nested,
    Repeated,
    Respelled,
    Swizzled,
    Tiled,
    times,
)

NAMES = ("M", "N", "K")
TILES = ("s", "t")
PITCHES = ("P", "S", "E")
DTYPES = ("f32", "f32", "f32", "bf16", "s8", "s4", "f64")
SEAMS = 1.0  # how often what is rarely written is drawn: 0 for never
LARGE = ("100", "1000", "5000", "8192", "65536", "2147483647", "2147483648", "4294967296")


def odd(rng: random.Random, probability: float) -> bool:
    """Whether something rarely written is drawn."""
    return rng.random() < probability * SEAMS


def size(rng: random.Random, symbolic: bool = True) -> str:
    """A size: a symbol, an expression of one, or a number."""
    if symbolic and rng.random() < 0.7:
        n = rng.choice(NAMES)
        if odd(rng, 0.12):
            return odd_size(rng, n)
        return rng.choice([n, n, n, n, f"2*{n}", f"{n}+1", f"ceildiv({n},2)"])
    if odd(rng, 0.05):
        return rng.choice(["0", "0", "0", *LARGE[:2], rng.choice(LARGE)])
    return str(rng.choice([1, 2, 3, 4, 5, 6, 8]))


def odd_size(rng: random.Random, n: str) -> str:
    """A size that may be zero, negative or without a value."""
    m, t = rng.choice(NAMES), rng.choice(TILES)
    return rng.choice(
        [
            *(f"{n}-1", f"{n}-4", f"{n}-{m}" if n != m else f"{n}-2", f"2*{n}-3", f"{n}//2"),
            *(
                f"min({n},{m})-1",
                f"{n}%4",
                f"8//{t}",
                f"{n}//{t}",
                f"3*{n}-2*{m}" if n != m else "N*N-2",
                f"max({n}-2,0)",
            ),
            *(vanishing.hidden(rng, [n, m, t], n, False).replace(" ", "") for _ in range(2)),
        ]
    )


def shape(rng: random.Random, longest: int = 3) -> list[str]:
    """Sizes of one to three dimensions."""
    symbolic = rng.random() < 0.85
    return [size(rng, symbolic) for _ in range(rng.choice([1, 2, 2, 2, 3][: longest + 1]))]


def guards(rng: random.Random, needs: Sequence[tuple[str, int]]) -> list[str]:
    """Facts that exclude some of the undefined sizes: expressions and their least values."""
    made = []
    for text, least in dict.fromkeys(needs):
        words = [w for w in WORD.findall(text) if w not in FUNCTIONS]
        if len(words) > len(set(words)) == 1:
            continue  # a line in one name after all, which would say what its least value is
        if words and re.search("-|8//", text) and rng.random() < 0.6:
            made.append(f"{text} >= {rng.choice([least, least, least + 1])}")
    return made


# -- facts --------------------------------------------


def facts(rng: random.Random, names: Sequence[str], tiles: Sequence[str] = TILES) -> list[str]:
    """Up to three facts about the names; those in `tiles` are seldom let be 0 or less."""
    if not names or rng.random() < 0.35:
        return []
    low = [signs(rng, n) for n in names if n in (*tiles, *PITCHES) and odd(rng, 0.1)]
    return low + others(rng, names, tiles)


def signs(rng: random.Random, a: str) -> str:
    """A fact that lets a symbol be 0, or less."""
    return rng.choice(
        [
            *(f"{a} >= 0", f"0 <= {a} <= 3", f"{a} == 0", f"{a} >= -1", f"-2 <= {a} <= 2"),
            *(f"{a} >= -3", f"-5 <= {a} <= -1", f"{a} > -2", f"{a} == -1"),
        ]
    )


def others(rng: random.Random, names: Sequence[str], tiles: Sequence[str]) -> list[str]:
    """One to three facts, or two that contradict each other."""
    if rng.random() < 0.04:
        a = rng.choice(names)
        return rng.choice([[f"{a} <= 2", f"{a} >= 3"], [f"{a} % 2 == 0", f"{a} % 4 == 1"]])
    return [fact(rng, names, tiles) for _ in range(rng.choice([1, 1, 2, 2, 3]))]


def fact(rng: random.Random, names: Sequence[str], tiles: Sequence[str]) -> str:
    """One fact."""
    a, b = rng.choice(names), rng.choice(names)
    c = rng.choice(names)
    two = a != b
    return rng.choice(
        [
            f"{a} % {rng.choice([2, 2, 3, 4])} == 0",
            f"{a} % {rng.choice([3, 4, 5])} == {rng.choice([1, 2])}",
            f"{a} <= {rng.choice([1, 2, 4, 7])}",
            f"{a} >= {rng.choice([2, 3, 5])}",
            f"{a} == {rng.choice([1, 2, 3, 4])}",
            f"{a} >= {b}" if two else f"{a} != {rng.choice([1, 2, 3])}",
            f"{a} < {b}" if two else f"{a} > 2",
            f"{a} == {rng.choice([2, 3])}*{b}" if two else f"{a} != 2",
            f"{a} == {b}" if two else f"{a} % 2 == 1",
            f"{a} % {b} == 0" if two else f"{a} % 6 == 0",
            f"{a} % {b} == 1" if two else f"{a} * {a} <= 20",
            f"{a} + {b} <= {rng.choice([5, 9])}",
            f"{a} != {b} + 1",
            f"{a} != {b}" if two else f"{a} != 1",
            f"{a} * {b} <= {rng.choice([6, 12, 30])}",
            f"{a} * {b} == {rng.choice([4, 6, 12])}",
            f"{a} * {b} % {rng.choice([2, 3])} == 0",
            f"{a} == {b} * {c}",
            f"1 <= {a} <= {rng.choice([2, 4, 6])}",
            f"{a} <= {b} < {c}" if len({a, b, c}) == 3 else f"2 <= {a} < {rng.choice([4, 9])}",
            f"{a} == ceildiv({b}, 2)" if two else f"{a} {rng.choice(['//', '/'])} 2 == 2",
            f"{a} > {b}" if two else f"{a} % 3 != 1",
            f"{vanishing.hidden(rng, [a, b], a)} {rng.choice(['>= 2', '<= 5', '!= 3'])}",
            f"8 // {a} >= 2" if rng.random() < 0.5 else f"{a} / {b} == 1",
            f"min({a}, {b}) >= 2",
            f"max({a}, {b}) <= 5",
            f"{a} == 2*h{rng.randrange(2)} <= 30" if two else f"{a} <= 3",
            f"{a} >= {rng.choice([0, 0, 1, *[-3] * odd(rng, 1)])}"
            if a not in tiles
            else f"{a} >= 2",
            f"0 <= {a} <= {b}" if two and a not in tiles else f"{a} <= 9",
        ]
    )


# -- layouts --------------------------------------------


def tiled(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """An XLA layout of the shape with up to three tile levels."""
    order = rng.sample(range(len(dims)), len(dims))
    tiles, width = [], len(dims)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
        n = rng.randint(1, min(3, width))
        entries = [rng.choice(["1", "2", "2", "3", "4", *TILES]) for _ in range(n)]
        if odd(rng, 0.05):
            entries[-1] = rng.choice(["t-1", "s-t", "2*t", "s//2", "8//t"])
        if n > 1 and rng.random() < 0.1:
            entries[rng.randrange(n - 1)] = "*"
        tiles.append(entries)
        width += n
    tail = rng.choice([2, 3, 4]) if rng.random() < 0.1 else 1
    padded = [wide(rng, d) for d in dims] if odd(rng, 0.08) else ()
    return Tiled.of(dtype, dims, order, tiles, tail, padded)


def wide(rng: random.Random, d: str) -> str:
    """A padded width, which may be too small."""
    rounded = times("4", f"ceildiv({d},4)")
    if d.isdigit():
        return str(int(d) + rng.choice([0, 0, 1, 3]))
    return rng.choice([d, f"{d}+1", rounded, "P", rng.choice(NAMES)])


def compact(rng: random.Random, dims: list[str], exact: float = 0.85) -> list[str]:
    """Strides without gaps in some order, one of them a little too large at times."""
    order = rng.sample(range(len(dims)), len(dims))
    strides, below = ["1"] * len(dims), "1"
    for d in order:
        strides[d] = below
        below = times(below, dims[d] if rng.random() < exact else f"{dims[d]}+1")
    return strides


def strided(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """Strides: compact, with gaps, 0, negative ones with a start, a pitch."""
    strides, start = compact(rng, dims), "0"
    if rng.random() < 0.2:
        strides[rng.randrange(len(dims))] = rng.choice(["0", "1", "2", "3", "P"])
    if odd(rng, 0.15):
        strides[rng.randrange(len(dims))] = either_sign(rng)
    if rng.random() < 0.15:
        k = rng.randrange(len(dims))
        start = f"{times(strides[k], f'{dims[k]}-1')}"
        strides[k] = f"-({strides[k]})"
    elif rng.random() < 0.1:
        start = rng.choice(["1", "4", "M"])
    return Affine.strided(dtype, dims, strides, start)


def memref(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """Strides as MLIR has them: numbers, or `?`, which the package calls by their places."""
    sizes = [f"dim{k}" if rng.random() < 0.4 else str(rng.randint(1, 5)) for k in range(len(dims))]
    strides, start = compact(rng, sizes), "0"
    tail = ""
    if rng.random() < 0.7:
        strides = [
            f"stride{k}" if rng.random() < 0.4 else str(rng.choice([1, 2, 3, 8, 16, 0]))
            for k in range(len(sizes))
        ]
        start = rng.choice(["0", "3", "start"])
        steps = ", ".join("?" if s.startswith("s") else s for s in strides)
        place = "" if start == "0" else f", offset: {'?' if start == 'start' else start}"
        tail = f", strided<[{steps}]{place}>"
    else:
        strides = ["*".join(["1", *sizes[k + 1 :]]) for k in range(len(sizes))]
    head = "".join(f"{'?' if d.startswith('d') else d}x" for d in sizes)
    element = {"s8": "i8", "s4": "i4"}.get(dtype, dtype)
    text = f"memref<{head}{element}{tail}>"
    return Affine(text, tuple(sizes), BITS[dtype], "memref", tuple(strides), start)


def separate(a: Layout, b: Layout) -> Layout:
    """The second layout of a claim: its `?` are other sizes than those of the first."""
    if not (isinstance(b, Affine) and a.notation == b.notation == "memref" and "?" in a.text):
        return b

    def other(text: str) -> str:
        return re.sub(r"\b(dim\d|stride\d|start)\b", r"\1_2", text)

    dims, strides = tuple(map(other, b.dims)), tuple(map(other, b.strides))
    return replace(b, dims=dims, strides=strides, start=other(b.start))


def divided(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """A divide of an array by a tile of numbers that divides it, and the strides it has by hand."""
    tile = [str(rng.randint(1, 3)) for _ in range(2)]
    counts = [rng.choice(["M", "N", "2", "3"]) for _ in tile]
    sizes = [times(t, n) for t, n in zip(tile, counts)]
    strides = rng.choice([[sizes[1], "1"], ["1", sizes[0]], ["1", "P"]])
    steps = [times(t, s) for t, s in zip(tile, strides)]
    name = rng.choice(["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"])
    made = {
        "logical_divide": Nested.of(
            [(t, n) for t, n in zip(tile, counts)], [(s, d) for s, d in zip(strides, steps)]
        ),
        "zipped_divide": Nested.of([tuple(tile), tuple(counts)], [tuple(strides), tuple(steps)]),
        "tiled_divide": Nested.of([tuple(tile), *counts], [tuple(strides), *steps]),
        "flat_divide": Nested.of([*tile, *counts], [*strides, *steps]),
    }[name]
    text = f"{name}(({','.join(sizes)}):({','.join(strides)}), ({','.join(tile)}))"
    return replace(made, text=text, notation="algebra")


def either_sign(rng: random.Random) -> str:
    """A stride whose sign the facts have to tell."""
    a, b = rng.choice([("S", "E"), ("E", "S"), ("S", "N"), ("M", "S")])
    return rng.choice(
        [f"{a}-{b}", f"{a}-{b}", f"2*{a}-3*{b}", f"-{a}", a, f"{a}-4", f"8//{rng.choice(TILES)}"]
    )


def cute(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """`shape:stride` with the given sizes, or with modes of its own that nest."""
    if rng.random() < 0.35:
        return Nested.of(dims, compact(rng, dims))
    modes = [
        [rng.choice([d, d, "2", "3", "s", size(rng)]) for _ in range(rng.choice([1, 2, 2, 3]))]
        for d in dims[:2]
    ]
    flat = [w for m in modes for w in m]
    steps = compact(rng, flat, exact=0.93)
    if rng.random() < 0.15:
        steps[rng.randrange(len(steps))] = rng.choice(["0", "1", "2", "5", "P"])
    if odd(rng, 0.1):
        steps[rng.randrange(len(steps))] = either_sign(rng)
    shape = [m[0] if len(m) == 1 else tuple(m) for m in modes]
    stride: list[str | tuple[str, ...]] = []
    for m in modes:
        mine, steps = steps[: len(m)], steps[len(m) :]
        stride.append(mine[0] if len(m) == 1 else tuple(mine))
    origin = []
    if odd(rng, 0.08):
        origin = [rng.choice([times(*m), size(rng), m[-1]]) for m in modes]
        held = [(o, times(*m)) for o, m in zip(origin, modes)]
        origin = [m if o.isdigit() and m.isdigit() and int(o) > int(m) else o for o, m in held]
    return Nested.of(shape, stride, origin)


def ragged(rng: random.Random, dims: list[str]) -> Nested:
    """Blocks as a nested `shape:stride` with the true sizes behind: fractals written by hand."""
    h, w = rng.choice(["2", "3", "4", "s"]), rng.choice(["1", "2", "4", "t"])
    rows, cols = dims
    down, across = f"ceildiv({rows},{h})", f"ceildiv({cols},{w})"
    area = times(h, w)
    inner = rng.choice([(w, "1"), ("1", h)])
    outer = rng.choice([(times(across, area), area), (area, times(down, area))])
    if rng.random() < 0.1:
        inner = inner[::-1]
    shape = ((h, down), (w, across))
    return Nested.of(shape, ((inner[0], outer[0]), (inner[1], outer[1])), (rows, cols))


def named(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """A format by its name."""
    rows, cols = [*dims, "2"][:2]
    typed = rng.choice(["f16", "f32", "f64", "c128", "s8", "s4"])
    loose = rng.choice([dtype, ""])
    short = str(256 // {"f16": 16, "f32": 32, "f64": 64, "c128": 128, "s8": 8, "s4": 4}[typed])
    h, w = rng.choice(["2", "3", "4", "s"]), rng.choice(["1", "2", "4", "t"])
    if len(dims) == 3:
        return Affine.named(
            "Strided", loose, dims, steps := compact(rng, dims), ", ".join([*dims, *steps])
        )
    if len(dims) == 1:
        return Affine.named("Vector", loose, dims, ["1"], rows)
    makers: list[Callable[[], Layout]] = [
        lambda: Affine.named("RowMajor", loose, dims, [cols, "1"], f"{rows}, {cols}"),
        lambda: Affine.named("ColumnMajor", loose, dims, ["1", rows], f"{rows}, {cols}"),
        lambda: Affine.named("RowMajor", loose, dims, ["P", "1"], f"{rows}, {cols}, P"),
        lambda: Fractals.of("zN", typed, [rows, cols], "zN", "16", short),
        lambda: Fractals.of("zZ", typed, [rows, cols], "zZ", "16", short),
        lambda: Fractals.of("nZ", typed, [rows, cols], "nZ", short, "16"),
        lambda: Fractals.of("nN", typed, [rows, cols], "nN", short, "16"),
        lambda: Fractals.of("L0C", loose, [rows, cols], "zN", "16", "16"),
        lambda: Fractals.of("Weight4BitnZ", loose, [rows, cols], "nZ", "32", "16"),
        lambda: Fractals.of("MxScalezZ", loose, [rows, cols], "zZ", "16", "2"),
        lambda: Fractals.of("MxScalenN", loose, [rows, cols], "nN", "2", "16"),
        *[lambda: Fractals.of("PaddingRowMajor", loose, [rows, cols, h, w], "zZ", h, w)] * 4,
        *[lambda: Fractals.of("PaddingColumnMajor", loose, [rows, cols, h, w], "nN", h, w)] * 4,
    ]
    return rng.choice(makers)()


def layout(rng: random.Random, dims: list[str], typed: bool = False) -> Layout:
    """A layout of the shape (at times of another one) in any notation; `typed`: bits are known."""
    return reworded(usual(rng, dims, typed))


def usual(rng: random.Random, dims: list[str], typed: bool) -> Layout:
    """A layout of the shape in a notation that is often written."""
    dtype = rng.choice(DTYPES)
    if len(dims) <= 3 and rng.random() < 0.22 and not typed:
        if len(dims) == 2 and rng.random() < 0.4:
            return ragged(rng, dims)
        return cute(rng, dims, dtype)
    if len(dims) <= 3 and rng.random() < 0.28:
        made = named(rng, dims, dtype)
        if made.bits is not None or not typed:
            return made
    if rng.random() < 0.2:
        return strided(rng, dims, dtype)
    return tiled(rng, dims, dtype)


def swizzled(rng: random.Random) -> Layout:
    """A swizzle over a layout, most of them of powers of two."""
    rows = rng.choice(["M", "4", "8", "3"])
    cols = rng.choice(["4", "8", "2"])
    bits, base = rng.choice([1, 1, 2]), rng.choice([0, 1])
    steps = rng.choice([(cols, "1"), ("1", "8"), (cols, "2")])
    return Swizzled.over(Nested.of([rows, cols], steps), bits, base, rng.choice([bits, 2, 3]))


def cpp(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """`shape:stride` in C++."""
    made = cute(rng, dims, dtype)
    assert isinstance(made, Nested)
    return Respelled.cpp(made)


def proto(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """An XLA shape as protocol-buffer text."""
    made = tiled(rng, dims, dtype)
    assert isinstance(made, Tiled)
    return Respelled.proto(made)


def literal(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """A tiled layout by its steps."""
    made = tiled(rng, dims, dtype)
    assert isinstance(made, Tiled)
    return Literal.of(made)


def repeated(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """A layout in some of the dimensions of a larger shape, or of one whose sizes of 1 are more."""
    return broadcast_of(rng, usual(rng, dims, typed=True))


def broadcast_of(rng: random.Random, inner: Layout) -> Layout:
    """The layout in a shape with a dimension more, in another order at times."""
    sides = ["3" if d == "1" and rng.random() < 0.5 else d for d in inner.dims]
    where = rng.randrange(len(sides) + 1)
    dims = [*sides[:where], rng.choice(["1", "2", "N", "K-1"]), *sides[where:]]
    along = [k + (k >= where) for k in range(len(sides))]
    if rng.random() < 0.3:
        turn = rng.sample(range(len(dims)), len(dims))
        dims, along = [dims[k] for k in turn], [turn.index(k) for k in along]
    head = re.match(r"(?:strided )?(\w+)\[", inner.text)
    return Repeated.of(inner, head[1] if head else "f32", dims, along)


def mapped(rng: random.Random, dims: list[str], dtype: str) -> Layout:
    """An index function whose result is a sum of strides, in a box that may be too small."""
    start = rng.choice(["0", "0", "1", "M"])
    return Mapped.of(dims, compact(rng, dims), start, times(*dims, rng.choice(["1", "2"])))


def reworded(a: Layout) -> Layout:
    """Now and then the layout in a notation that is seldom written.

    The text decides, so that the numbers that are drawn after it are the same.
    """
    rng = random.Random(a.text)
    if not odd(rng, 0.06):
        return a
    if isinstance(a, Tiled):
        return rng.choice([Respelled.proto, Literal.of])(a)
    if isinstance(a, Nested) and rng.random() < 0.7:
        return Respelled.cpp(a)
    return broadcast_of(rng, a)


# how a layout in each notation of the package is drawn
NOTATIONS: dict[str, Callable[[random.Random, list[str], str], Layout]] = {
    "XLA": tiled,
    "shape:stride": cute,
    "format": named,
    "swizzled": lambda rng, dims, dtype: swizzled(rng),
    "strided": strided,
    "protocol buffer": proto,
    "C++": cpp,
    "broadcast_in_dim": repeated,
    "pad_reshape_transpose": literal,
    "map": mapped,
    "memref": memref,
    "algebra": divided,
}


# -- one layout in other words --------------------------------------------


def again(rng: random.Random, a: Layout, exact: bool) -> Layout | None:
    """The same addresses in another notation (nearly the same where not `exact`), if there is one."""
    if isinstance(a, Tiled) and len(a.tiles) == 1 == len(a.tiles[0]) - 1 and len(a.dims) == 2:
        h, w = a.tiles[0]
        if h == "*" or a.tail > 1:
            return None
        rows, cols = a.dims if a.order == (1, 0) else a.dims[::-1]
        if rng.random() < 0.5 or not exact:
            return by_hand(a, rows, cols, h, w, exact)
        head = "PaddingRowMajor" if a.order == (1, 0) else "PaddingColumnMajor"
        letters, blocks = ("zZ", [h, w]) if a.order == (1, 0) else ("nN", [w, h])
        return Fractals.of(head, "", [*a.dims, *blocks], letters, *blocks)
    if isinstance(a, Tiled) and not a.tiles and a.tail == 1:
        strides, below = ["1"] * len(a.dims), "1"
        for k in a.order:
            strides[k] = below
            below = times(below, a.dims[k] if exact else f"{a.dims[k]}+1")
        kind = rng.choice([Affine.strided, None])
        dtype = a.text.partition("[")[0]
        return kind(dtype, a.dims, strides) if kind else Nested.of(a.dims, strides)
    if isinstance(a, Fractals):
        rows, cols = a.dims
        down, across = f"ceildiv({rows},{a.height})", f"ceildiv({cols},{a.width})"
        area = times(a.height, a.width)
        inner = (a.width, "1") if a.letters[0] == "z" else ("1", a.height)
        z = (a.letters[1] == "Z") == exact
        outer = (times(across, area), area) if z else (area, times(down, area))
        stride = ((inner[0], outer[0]), (inner[1], outer[1]))
        return Nested.of(((a.height, down), (a.width, across)), stride, a.dims)
    if isinstance(a, Affine) and a.start == "0":
        return Nested.of(a.dims, a.strides if exact else compact(rng, list(a.dims)))
    return None


def by_hand(a: Tiled, rows: str, cols: str, h: str, w: str, exact: bool) -> Layout:
    """One tile of two sizes as nested modes, in the order of the array's dimensions."""
    across, area = f"ceildiv({cols},{w})", times(h, w)
    if not exact:
        across = f"({cols})//({w})+1"
    major = ((h, f"ceildiv({rows},{h})"), (w, times(across, area)))
    minor = ((w, f"ceildiv({cols},{w})"), ("1", area))
    pair = (major, minor) if a.order == (1, 0) else (minor, major)
    return Nested.of([p[0] for p in pair], [p[1] for p in pair], a.dims)
