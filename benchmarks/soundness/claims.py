"""A random claim of each word: what is asked, and what it means."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from fractions import Fraction

from soundness import drawing
from soundness.arithmetic import integers, names_in
from soundness.drawing import TILES, facts, layout, shape, size
from soundness.instructions import instruction
from soundness.judging import Claim
from soundness.layouts import Affine, Layout, Nested, Tiled, times
from soundness.relations import broadcast, relation
from soundness.truth import (
    Aligned,
    Bitcast,
    Bounded,
    Bytes,
    Divides,
    Equal,
    Fits,
    Formula,
    Injective,
    OfLayouts,
    Onto,
    Padding,
    Reinterpret,
    Several,
    Tiles,
    TilesDivide,
    Truth,
    order_of,
)

Draw = Callable[[random.Random], Claim]


def about(
    rng: random.Random,
    word: str,
    layouts: list[Layout],
    truth: Callable[[tuple[str, ...]], Truth],
    args: tuple[str, ...] = (),
    more: tuple[str, ...] = (),
    **options: str,
) -> Claim:
    """The claim about these layouts with random facts."""
    names = tuple(dict.fromkeys([*order_of(*layouts), *more]))
    known = facts(rng, names)
    texts = tuple(a.text for a in layouts) + args
    notation = "+".join(sorted({a.notation for a in layouts}))
    return Claim(word, texts, tuple(known), truth(names), notation, options)


def pair(rng: random.Random, typed: bool = False) -> tuple[Layout, Layout]:
    """Two layouts of one shape: often one of them in other words, or nearly."""
    dims = shape(rng)
    a = layout(rng, dims, typed)
    if rng.random() < 0.45:
        b = drawing.again(rng, a, exact=rng.random() < 0.7)
        if b is not None:
            return (a, b) if rng.random() < 0.5 else (b, a)
    if rng.random() < 0.25:
        return a, a
    return a, layout(rng, list(a.dims), typed)


def equal(rng: random.Random) -> Claim:
    if rng.random() < 0.04:
        a, b = drawing.swizzled(rng), drawing.swizzled(rng)
    else:
        a, b = pair(rng)
    return about(rng, "equal", [a, b], lambda names: Equal(names, a, b))


def row_major(dims: list[str], dtype: str) -> Layout:
    return Tiled.of(dtype, dims, range(len(dims) - 1, -1, -1))


def bitcast(rng: random.Random) -> Claim:
    dims, perm = shape(rng), None
    a = layout(rng, dims)
    dims = list(a.dims)
    dtype = a.text.partition("[")[0] if a.notation == "xla" else "f32"
    if len(dims) > 1 and rng.random() < 0.25:
        perm = tuple(rng.sample(range(len(dims)), len(dims)))
        dims = [dims[p] for p in perm]
        b = row_major(dims, dtype)
        if isinstance(a, Tiled) and rng.random() < 0.7:
            order = tuple(perm.index(k) for k in a.order)
            b = Tiled.of(dtype, dims, order, a.tiles, a.tail)
    else:
        if len(dims) > 1 and rng.random() < 0.5:
            k = rng.randrange(len(dims) - 1)
            dims[k : k + 2] = [times(dims[k], dims[k + 1])]
        elif rng.random() < 0.3:
            dims.insert(rng.randrange(len(dims) + 1), "1")
        b = layout(rng, dims) if rng.random() < 0.5 else row_major(dims, dtype)
        if rng.random() < 0.3:
            a = row_major(list(a.dims), dtype)
    options = {} if perm is None else {"perm": ",".join(map(str, perm))}
    return about(rng, "bitcast", [a, b], lambda names: Bitcast(names, a, b, perm), **options)


def reinterpret(rng: random.Random) -> Claim:
    if rng.random() < 0.4:
        dims = shape(rng)
        wide, narrow, many = rng.choice(
            [("f32", "bf16", 2), ("bf16", "s8", 2), ("s8", "s4", 2), ("f32", "s8", 4)]
        )
        other = list(dims)
        k = rng.randrange(len(dims))
        other[k] = times(str(many), other[k]) if rng.random() < 0.85 else other[k]
        a = layout(rng, dims, True) if rng.random() < 0.4 else row_major(dims, wide)
        b: Layout = row_major(other, narrow)
        if isinstance(a, Tiled):
            order = a.order if rng.random() < 0.8 else tuple(range(len(dims)))
            a = Tiled.of(wide, dims, order, a.tiles, a.tail)
            tiles = [list(t) for t in a.tiles]
            if tiles and order[0] == k and tiles[0][-1] != "*" and rng.random() < 0.7:
                tiles[0][-1] = times(str(many), tiles[0][-1])
            b = Tiled.of(narrow, other, order, tiles)
        a, b = (a, b) if rng.random() < 0.5 else (b, a)
    else:
        a, b = pair(rng, typed=rng.random() < 0.7)
        if isinstance(a, Tiled) and rng.random() < 0.3:  # a transpose
            n = len(a.dims)
            order = tuple(n - 1 - k for k in a.order)
            b = Tiled.of(a.text.partition("[")[0], a.dims[::-1], order, a.tiles, a.tail)
    return about(rng, "reinterpret", [a, b], lambda names: Reinterpret(names, a, b))


def one(word: str, truth: type[OfLayouts], swizzles: float = 0.0) -> Draw:
    """A claim about a single layout."""

    def draw(rng: random.Random) -> Claim:
        a = drawing.swizzled(rng) if rng.random() < swizzles else layout(rng, shape(rng))
        return about(rng, word, [a], lambda names: truth(names, a))

    return draw


def bijective(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng))

    def truth(names: tuple[str, ...]) -> Truth:
        return Several(names, a, (Injective(names, a), Onto(names, a), Bounded(names, a, None)))

    return about(rng, "bijective", [a], truth)


def valid(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng))

    def truth(names: tuple[str, ...]) -> Truth:
        return Several(names, a, (Bounded(names, a, None), Injective(names, a)))

    return about(rng, "valid", [a], truth)


def bounded(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng))
    own = order_of(a)
    limit = None
    if rng.random() < 0.4:
        limit = rng.choice(
            ["4", "64", times(*own) if own else "9", "*".join(f"({d})" for d in a.dims)]
        )
    args = () if limit is None else (limit,)
    return about(rng, "bounded", [a], lambda names: Bounded(names, a, limit), args)


def padding(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng))
    ratio = rng.choice(["1", "3/2", "2", "4", "16"])
    return about(rng, "padding", [a], lambda names: Padding(names, a, Fraction(ratio)), (ratio,))


def whole(a: Layout) -> str:
    """The elements of the buffer as text, right for the plain ones."""
    if isinstance(a, Tiled) and len(a.tiles) == 1 and len(a.tiles[0]) <= len(a.dims):
        factors = [a.dims[k] for k in a.order]
        for k, t in enumerate(reversed(a.tiles[0])):
            if t != "*":
                factors[k] = times(t, f"ceildiv({factors[k]},{t})")
        return times(*factors)
    return times(*a.dims)


def occupies(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng), typed=True)
    assert a.bits is not None
    count, bits = whole(a), a.bits if rng.random() < 0.8 else rng.choice([8, 16, 32])
    text = times(str(bits // 8), count) if bits >= 8 else f"ceildiv({times(str(bits), count)},8)"
    if rng.random() < 0.2:
        text += rng.choice(["+1", "-1", f"*{size(rng)}"])
    own = set(order_of(a))
    text = text if set(names_in(text)) <= own else times(str(a.bits // 8 or 1), *a.dims)
    return about(rng, "bytes", [a], lambda names: Bytes(names, a, text), (text,))


def aligned(rng: random.Random) -> Claim:
    from symlayout import parse
    from symlayout.prover.measures import row_dimension

    a = layout(rng, shape(rng), typed=True)
    own = order_of(a)
    step = rng.choice(["1", "2", "4", "8", "16", *own])
    if rng.random() < 0.6:
        dim = rng.randrange(len(a.dims))
        along, options = dim, {"dim": str(dim)}
    else:  # which dimension is meant by default is the claim's to say
        along, options = row_dimension(parse(a.text).index_map()), {}
    return about(
        rng, "aligned", [a], lambda names: Aligned(names, a, along, step), (step,), **options
    )


def divides(rng: random.Random) -> Claim:
    from symlayout import parse

    if rng.random() < 0.5:
        a = drawing.tiled(rng, shape(rng), "f32")
        assert isinstance(a, Tiled)
        pairs = parse(a.text).tile_pairs()  # the claim's sizes are those of the tiles and the tiled
        names = tuple(names_in(*[str(x) for tile, tiled in pairs for x in (tiled, tile)]))
        known = tuple(facts(rng, names))
        return Claim("divides", (a.text,), known, TilesDivide(names, a), "xla")
    d = rng.choice(["2", "3", "4", "6", "s", "M", "M+1", "2*s", "s*t", "N//2"])
    x = rng.choice(
        ["M", "4*M", "M*N", "M+N", "6*N", "M*N*K", "M*(M+1)", "N//s*s", "M*M-M", "N-N%4"]
    )
    names = tuple(names_in(d, x))
    known = tuple(facts(rng, names))
    return Claim("divides", (d, x), known, Divides(names, d, x))


# -- formulas --------------------------------------------


def written(rng: random.Random, a: Layout) -> str:
    """The layout's offset by its definition, as text in i0, i1, ..., with floor divisions."""
    coords = [f"i{k}" for k in range(len(a.dims))]
    if isinstance(a, Affine):
        start = [] if a.start == "0" else [a.start]
        terms = [f"({s})*{c}" for c, s in zip(coords, a.strides)]
        rng.shuffle(terms)
        return " + ".join(terms + start)
    if isinstance(a, Nested):
        return " + ".join(_digits(rng, c, mode) for c, mode in zip(coords, a.modes))
    if isinstance(a, Tiled) and all("*" not in t for t in a.tiles):
        e, d = [coords[k] for k in a.order], [f"({a.dims[k]})" for k in a.order]
        for tile in a.tiles:
            t = list(reversed(tile))
            e += ["0"] * (len(t) - len(e))
            d += ["1"] * (len(t) - len(d))
            n = len(t)
            e = (
                [_rest(rng, x, w) for x, w in zip(e, t)]
                + [f"{x}//{w}" for x, w in zip(e, t)]
                + e[n:]
            )
            e = [f"({x})" for x in e]
            d = t + [_up(rng, x, w) for x, w in zip(d, t)] + d[n:]
        return " + ".join("*".join([x, *d[:k]]) for k, x in enumerate(e))
    from symlayout import parse

    text = str(parse(a.text).index_map().formula)
    for k, c in enumerate(parse(a.text).index_map().coords):
        text = re.sub(rf"\b{c.name}\b", f"i{k}", text)
    return text


def _digits(rng: random.Random, index: str, mode: tuple[tuple[str, str], ...]) -> str:
    terms = []
    for k, (w, s) in enumerate(mode):
        w = w if w.isalnum() else f"({w})"
        digit = index if k == len(mode) - 1 else _rest(rng, index, w)
        terms.append(f"({digit})*({s})")
        index = f"({index}//{w})"
    return " + ".join(terms)


def _rest(rng: random.Random, x: str, w: str) -> str:
    return f"{x}%{w}" if rng.random() < 0.8 else f"{x} - {x}//{w}*{w}"


def _up(rng: random.Random, x: str, w: str) -> str:
    kinds = [f"ceildiv({x},{w})", f"(({x}+{w}-1)//{w})", f"(({x}-1)//{w}+1)", f"(-(-{x}//{w}))"]
    return rng.choice(kinds if rng.random() < 0.8 else kinds[:2])


def mutated(rng: random.Random, text: str, words: list[str]) -> str:
    """One small mistake: a number, an operator, a name, a needless or a wrong bound."""
    places = [m.start() for m in re.finditer(r"(?<![\w])\d", text)]
    kind = rng.randrange(6)
    if kind == 0 and places:
        k = rng.choice(places)
        return text[:k] + rng.choice("123456789") + text[k + 1 :]
    if kind == 1 and "//" in text:
        return text.replace("//", "%", 1)
    if kind == 2 and "%" in text:
        return text.replace("%", "//", 1)
    if kind == 3 and "ceildiv" in text:
        return re.sub(r"ceildiv\(([^,()]*),([^,()]*)\)", r"((\1)//(\2))", text, count=1)
    if kind == 4 and len(words) > 1:
        x, y = rng.sample(words, 2)
        return re.sub(rf"\b{x}\b", y, text, count=1)
    return text + rng.choice([" + 1", f" - min({words[0]}, 1)", f" + {words[0]}//7"])


def formula(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng))
    coords = [f"i{k}" for k in range(len(a.dims))]
    own = list(order_of(a))
    text = written(rng, a)
    options = {}
    if rng.random() < 0.4:
        k = rng.randrange(len(coords))
        bound = rng.choice([f"min({coords[k]}, {a.dims[k]}-1)", f"max({coords[k]}, 0)"])
        text = re.sub(rf"\b{coords[k]}\b", bound, text, count=1)
    if rng.random() < 0.45:
        text = mutated(rng, text, coords + own)
    if rng.random() < 0.3:
        fresh = rng.sample(["r", "c", "x", "y", "z"], len(coords))
        for old, new in zip(coords, fresh):
            text = re.sub(rf"\b{old}\b", new, text)
        coords, options["coords"] = fresh, " ".join(fresh)
    c = rng.random() < 0.35
    if c:
        text, options["language"] = text.replace("//", "/"), "c"
    elif rng.random() < 0.5:
        options["language"] = "python"
    known = tuple((n,) for n in coords)
    return about(
        rng, "formula", [a], lambda names: Formula(names, a, text, known, c), (text,), **options
    )


def fits(rng: random.Random) -> Claim:
    from symlayout import parse
    from symlayout.emit import emit

    a = layout(rng, shape(rng, 2))
    own = order_of(a)
    known = facts(rng, own)
    known += [f"{n} <= {rng.choice([2, 5, 9])}" for n in own if rng.random() < 0.7]
    bits = rng.choice([4, 5, 6, 8, 8, 12, 16, 32])
    m = parse(a.text).index_map()
    code = emit(m, "c", formula=m.under(known), where=known).partition(" offset(")[2]
    lines = []
    for line in code.splitlines():
        found = re.fullmatch(r"\s*(?:const int64_t (\w+) =|return) (.*);", line)
        if found:
            lines.append((found[1] or "result", found[2]))
    coords = tuple(c.name for c in m.coords)
    truth = Fits(own, a, tuple(lines), coords, bits)
    return Claim("fits", (a.text, str(bits)), tuple(known), truth, a.notation)


# -- tiles --------------------------------------------


def tiles(rng: random.Random) -> Claim:
    dims = shape(rng, 2)[:2]
    a = layout(rng, dims)
    rank = len(a.dims)
    block = [rng.choice(["1", "2", "3", "4", "4", "8", "16", "BM", "BN"]) for _ in range(rank)]
    if isinstance(a, Tiled) and a.tiles and rng.random() < 0.5 and "*" not in a.tiles[0]:
        level = a.tiles[0][-rank:]
        block = ["1"] * (rank - len(level)) + list(level)
        block = [block[::-1][a.order.index(k)] for k in range(rank)]
    tile: tuple[str, ...] | Layout = tuple(block)
    text = ",".join(block)
    if rng.random() < 0.15:
        steps = [str(s) for s in a.strides] if isinstance(a, Affine) else ["1"] * rank
        tile = Nested.of(block, steps)
        text = tile.text
    corner, options, implied, more = None, {}, [], names_in(*block)
    own = list(dict.fromkeys([*order_of(a), *names_in(text)]))
    if rng.random() < 0.4:
        last = block[-1]
        last = str(2 * int(last)) if last.isdigit() else f"2*{last}"
        places = [rng.choice(["0", "0", "1", "p", "4*q", "q", block[0], last]) for _ in block]
        sides = [int(integers(d, {})) if not names_in(d) else 0 for d in a.dims]
        places = ["0" if c.isdigit() and 0 < d <= int(c) else c for c, d in zip(places, sides)]
        corner, options = tuple(places), {"at": ",".join(places)}
        more = [*more, *names_in(*places)]
        implied = [f"{n} >= 0" for n in names_in(*places) if n not in own]
        implied += [f"{c} <= {d} - 1" for c, d in zip(places, a.dims)]
    names = tuple(dict.fromkeys([*own, *more]))
    known = facts(rng, names, (*TILES, "BM", "BN"))
    free = [n for n in names if n in ("BM", "BN", "p", "q")]
    known += [f"{n} % {rng.choice([2, 4])} == 0" for n in free if rng.random() < 0.4]
    notation = "+".join(sorted({a.notation, "cute"} if isinstance(tile, Layout) else {a.notation}))
    truth = Tiles(names, a, tile, corner, implied=tuple(implied))
    return Claim("tiles", (a.text, text), tuple(known), truth, notation, options)


WORDS: dict[str, tuple[int, Draw]] = {
    "equal": (3, equal),
    "bitcast": (2, bitcast),
    "reinterpret": (2, reinterpret),
    "injective": (2, one("injective", Injective, 0.06)),
    "onto": (1, one("onto", Onto)),
    "bijective": (1, bijective),
    "bounded": (1, bounded),
    "formula": (3, formula),
    "padding": (1, padding),
    "divides": (1, divides),
    "aligned": (1, aligned),
    "bytes": (1, occupies),
    "fits": (1, fits),
    "holds": (3, relation),
    "tiles": (2, tiles),
    "broadcast": (1, broadcast),
    "valid": (1, valid),
    "instruction": (1, instruction),
}


def claim(seed: int, n: int) -> Claim:
    """Claim number n of a campaign: it depends on nothing but the two numbers."""
    rng = random.Random(f"{seed}/{n}")
    weights = [w for w, _ in WORDS.values()]
    word = rng.choices(list(WORDS), weights)[0]
    return WORDS[word][1](rng)
