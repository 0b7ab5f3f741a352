"""A random claim of each word: what is asked, and what it means."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from soundness import asking, drawing, maps, vanishing
from soundness.arithmetic import integers, names_in
from soundness.drawing import TILES, facts, guards, layout, odd, shape, size
from soundness.instructions import instruction
from soundness.judging import Claim
from soundness.layouts import Affine, Fractals, Layout, Literal, Nested, Tiled, times
from soundness.naming import other_names, renamed
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
MAPPED = ("equal", "injective", "onto", "bijective", "bounded", "valid")  # may be about maps
OF_MAPS = 0.12  # of them are
SIGNS = (("S", "E"), ("E", "S"), ("S", "N"), ("M", "S"))  # whose differences are strides


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
    known = [*facts(rng, names), *defined(rng, *layouts)]
    texts = tuple(a.text for a in layouts) + args
    notation = "+".join(sorted({a.notation for a in layouts}))
    return Claim(word, texts, tuple(known), truth(names), notation, options)


def defined(rng: random.Random, *layouts: Layout) -> list[str]:
    """Facts under which more of the layouts are defined, or their strides have one sign."""
    known = guards(rng, [need for a in layouts for need in a.demands()])
    for d, w in (pair for a in layouts for pair in a.wider()):
        if len(names_in(d, w)) > 1 and rng.random() < 0.6:
            known.append(f"{w} >= {d}")
    names = set(order_of(*layouts))
    pairs = [p for p in SIGNS if set(p) <= names]
    if pairs and rng.random() < 0.6:
        a, b = rng.choice(pairs)
        kinds = [f"{a} > {b}", f"{a} >= {b}", f"{a} == {b}", f"{a} >= 2*{b}", f"{a} < {b}"]
        known.append(rng.choice(kinds))
    return known


def pair(rng: random.Random, typed: bool = False) -> tuple[Layout, Layout]:
    """Two layouts of one shape: often one of them in other words, or nearly."""
    dims = shape(rng)
    a = layout(rng, dims, typed)
    if rng.random() < 0.45:
        b = drawing.again(rng, a, exact=rng.random() < 0.7)
        if b is not None:
            return (a, b) if rng.random() < 0.5 else (b, a)
    if rng.random() < 0.25:
        return a, drawing.separate(a, a)
    return a, drawing.separate(a, layout(rng, list(a.dims), typed))


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
    dtype = a.text.partition("[")[0] if a.notation == "XLA" else "f32"
    if len(dims) > 1 and rng.random() < 0.25:
        perm = tuple(rng.sample(range(len(dims)), len(dims)))
        dims = [dims[p] for p in perm]
        b = row_major(dims, dtype)
        if isinstance(a, Tiled) and rng.random() < 0.7:
            order = tuple(perm.index(k) for k in a.order)
            padded = [a.padded[p] for p in perm] if a.padded else ()
            b = Tiled.of(dtype, dims, order, a.tiles, a.tail, padded)
    else:
        if len(dims) > 1 and rng.random() < 0.5:
            k = rng.randrange(len(dims) - 1)
            dims[k : k + 2] = [times(dims[k], dims[k + 1])]
        elif rng.random() < 0.3:
            dims.insert(rng.randrange(len(dims) + 1), "1")
        b = layout(rng, dims) if rng.random() < 0.5 else row_major(dims, dtype)
        if rng.random() < 0.3:
            a = row_major(list(a.dims), dtype)
        b = drawing.separate(a, b)
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
            [
                *("4", "64", times(*own) if own else "9", "*".join(f"({d})" for d in a.dims)),
                *(f"{own[0]}-4" if own else "0", f"64//{own[-1]}" if own else "8"),
            ]
        )
        limit = vanishing.seldom(rng, own, limit)
    args = () if limit is None else (limit,)
    return about(rng, "bounded", [a], lambda names: Bounded(names, a, limit), args)


def padding(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng))
    ratio = rng.choice(["1", "3/2", "2", "4", "16"])
    return about(rng, "padding", [a], lambda names: Padding(names, a, Fraction(ratio)), (ratio,))


def whole(a: Layout) -> str:
    """The elements of the buffer as text, right for the plain ones."""
    if isinstance(a, Tiled) and len(a.tiles) == 1 and len(a.tiles[0]) <= len(a.dims):
        factors = [(a.padded or a.dims)[k] for k in a.order]
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
        less = rng.choice(["+1", "-1", f"*{size(rng)}"])
        text += "+1" if less == "-1" and "0" in a.dims else less  # -1 is no number of bytes
    own = set(order_of(a))
    text = text if set(names_in(text)) <= own else times(str(a.bits // 8 or 1), *a.dims)
    text = vanishing.seldom(rng, order_of(a), text)
    return about(rng, "bytes", [a], lambda names: Bytes(names, a, text), (text,))


def aligned(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng), typed=True)
    own = order_of(a)
    step = rng.choice(["1", "2", "4", "8", "16", *own, *[f"8//{n}" for n in own]])
    step = vanishing.seldom(rng, own, step)
    minor = most_minor(a)
    if minor is not None and rng.random() < 0.4:
        along, options = minor, {}
    else:
        along = rng.randrange(len(a.dims))
        options = {"dim": str(along)}
    return about(
        rng, "aligned", [a], lambda names: Aligned(names, a, along, step), (step,), **options
    )


def most_minor(a: Layout) -> int | None:
    """The dimension of the rows, where the layout shows it at once."""
    if isinstance(a, Tiled) and not a.tiles:
        return a.order[0]
    return None


def divides(rng: random.Random) -> Claim:
    if rng.random() < 0.5:
        a = drawing.tiled(rng, shape(rng), "f32")
        return about(rng, "divides", [a], lambda names: TilesDivide(names, a))
    d = rng.choice(
        [
            *("2", "3", "4", "6", "s", "M", "M+1", "2*s", "s*t", "N//2"),
            *("N-4", "M-N", "8//t", "-2"),
        ]
    )
    x = rng.choice(
        [
            *("M", "4*M", "M*N", "M+N", "6*N", "M*N*K", "M*(M+1)", "N//s*s", "M*M-M", "N-N%4"),
            *("N-4", "M-N", "(M-N)*(N-4)", "N%t", "M*M*M-M", "0"),
        ]
    )
    both = names_in(d, x)
    d, x = vanishing.seldom(rng, both, d), vanishing.seldom(rng, both, x)
    names = tuple(names_in(d, x))
    known = (*facts(rng, names), *guards(rng, [(d, 1)]))
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
    if isinstance(a, Tiled):
        widths = a.padded or a.dims
        e, d = [coords[k] for k in a.order], [f"({widths[k]})" for k in a.order]
        for tile in a.tiles:
            t = [w if w.isalnum() or w == "*" else f"({w})" for w in reversed(tile)]
            e += ["0"] * (len(t) - len(e))
            d += ["1"] * (len(t) - len(d))
            while "*" in t:
                k = t.index("*")
                e[k - 1], d[k - 1] = f"({e[k]}*{d[k - 1]} + {e[k - 1]})", f"({d[k]}*{d[k - 1]})"
                del t[k], e[k], d[k]
            n = len(t)
            e = (
                [_rest(rng, x, w) for x, w in zip(e, t)]
                + [f"{x}//{w}" for x, w in zip(e, t)]
                + e[n:]
            )
            e = [f"({x})" for x in e]
            d = t + [_up(rng, x, w) for x, w in zip(d, t)] + d[n:]
        return " + ".join("*".join([x, *d[:k]]) for k, x in enumerate(e))
    if isinstance(a, Fractals):
        return _blocks(rng, a, coords)
    return _digits(rng, coords[0], (("1", "0"), (a.dims[0], "1")))  # nothing like a swizzle


def _blocks(rng: random.Random, a: Fractals, coords: list[str]) -> str:
    (r, c), (rows, cols), (h, w) = coords, a.dims, (a.height, a.width)
    if a.letters[0] == "z":
        within = f"({_rest(rng, r, h)})*{w} + {_rest(rng, c, w)}"
    else:
        within = f"{_rest(rng, r, h)} + ({_rest(rng, c, w)})*{h}"
    if a.letters[1] == "Z":
        block = f"{r}//{h}*{_up(rng, f'({cols})', w)} + {c}//{w}"
    else:
        block = f"{r}//{h} + {c}//{w}*{_up(rng, f'({rows})', h)}"
    return f"({block})*{h}*{w} + {within}"


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
    x, y = rng.choice(words), rng.choice(words)
    more = [" + 1", f" - min({x}, 1)", f" + {x}//7", f" + {x}//({y}+1)*0", f" + ({x}-{y})//2"]
    more += [f" + 0//({x}-2)", f" + 0%{y}", f" + ({x}-{y})%4 - ({x}-{y})%4", f" + 5//({y}+1)"]
    more += [f" + {vanishing.nothing(rng, words, vanishing.partial(rng, words, False))}"] * 3
    large = rng.choice(["2147483648", "1000000", "4096"])
    return rng.choice([*[text + m for m in more], f"({text})%{large}", f"min({text}, {large})"])


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
    c = c and ("//" in text or "%" not in text)  # which shows the language
    if c:
        text = text.replace("//", "/")
        if rng.random() < 0.7:
            options["language"] = "c"
    elif rng.random() < 0.5:
        options["language"] = "python"
    known = tuple((n,) for n in coords)
    return about(
        rng, "formula", [a], lambda names: Formula(names, a, text, known, c), (text,), **options
    )


def fits(rng: random.Random) -> Claim:
    a = layout(rng, shape(rng, 2))
    if isinstance(a, Literal):  # whose code may have more divisions than a text may
        a = a.inner
    own = order_of(a)
    known = facts(rng, own)
    known += [f"{n} <= {rng.choice([2, 5, 9])}" for n in own if rng.random() < 0.7]
    known += defined(rng, a)
    bits = rng.choice([4, 5, 6, 8, 8, 12, 16, 32])
    truth = Fits(own, a, *asking.emitted(a.text, known), bits)
    return Claim("fits", (a.text, str(bits)), tuple(known), truth, a.notation)


# -- tiles --------------------------------------------


def part_of(a: Layout, block: list[str]) -> list[str]:
    """The tile, a number in it no larger than what is a number in the layout: that is an error."""
    few, many = (a.room(dict.fromkeys([*order_of(a)], np.int64(n))) for n in (3, 5))
    ends = [int(x) if int(x) == int(y) else None for x, y in zip(few, many)]
    return [str(min(int(t), d)) if d and t.isdigit() else t for t, d in zip(block, ends)]


def tiles(rng: random.Random) -> Claim:
    dims = shape(rng, 2)[:2]
    a = layout(rng, dims)
    rank = len(a.dims)
    block = [rng.choice(["1", "2", "3", "4", "4", "8", "16", "BM", "BN"]) for _ in range(rank)]
    if odd(rng, 0.08):
        block[rng.randrange(rank)] = rng.choice(["BM-1", "8//BN", "BM-BN", "K", "N-4"])
    if isinstance(a, Tiled) and a.tiles and rng.random() < 0.5 and "*" not in a.tiles[0]:
        level = a.tiles[0][-rank:]
        block = ["1"] * (rank - len(level)) + list(level)
        block = [block[::-1][a.order.index(k)] for k in range(rank)]
    block = part_of(a, block)
    tile: tuple[str, ...] | Layout = tuple(block)
    text = ",".join(block)
    if rng.random() < 0.15:
        steps = [str(s) for s in a.strides] if isinstance(a, Affine) else ["1"] * rank
        tile = Nested.of(block, steps)
        text = tile.text
    corner, options, more, limits = None, {}, names_in(*block), list[str]()
    own = list(dict.fromkeys([*order_of(a), *names_in(text)]))
    if rng.random() < 0.4 and "0" not in a.dims:
        last = block[-1]
        last = str(2 * int(last)) if last.isdigit() else f"2*({last})"
        places = [rng.choice(["0", "0", "1", "p", "4*q", "q", block[0], last]) for _ in block]
        sides = [int(integers(d, {})) if not names_in(d) else 0 for d in a.dims]
        places = ["0" if c.isdigit() and 0 < d <= int(c) else c for c, d in zip(places, sides)]
        corner, options = tuple(places), {"at": ",".join(places)}
        more = [*more, *names_in(*places)]
        limits = [f"{n} >= 0" for n in names_in(*places) if n not in own and rng.random() < 0.5]
        for c, d in zip(places, a.dims):
            if (names_in(c) or d.isidentifier()) and not odd(rng, 0.15):
                limits.append(rng.choice([f"{c} <= {d} - 1", f"{c} < {d}"]))
    names = tuple(dict.fromkeys([*own, *more]))
    known = facts(rng, names, (*TILES, "BM", "BN"))
    free = [n for n in names if n in ("BM", "BN", "p", "q")]
    known += [f"{n} % {rng.choice([2, 4])} == 0" for n in free if rng.random() < 0.4]
    known += [*limits, *defined(rng, a), *guards(rng, [(t, 1) for t in block])]
    parts = [(t, d) for t, d in zip(block, a.dims) if names_in(t) or d.isidentifier()]
    known += [f"{t} <= {d}" for t, d in parts if not odd(rng, 0.3)]
    notations = {a.notation, "shape:stride"} if isinstance(tile, Layout) else {a.notation}
    notation = "+".join(sorted(notations))
    truth = Tiles(names, a, tile, corner)
    outside = tuple(n for n in names_in(*corner or ()) if n not in own)
    return Claim("tiles", (a.text, text), tuple(known), truth, notation, options, outside)


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
    "inverse": (1, maps.claim_of("inverse")),
    "disjoint": (1, maps.claim_of("disjoint")),
}


def claim(seed: int, n: int, *, names: float = 0.5) -> Claim:
    """Claim number n of a campaign, which depends on nothing but the two numbers.

    So many of them have names that sort badly.
    """
    rng = random.Random(f"{seed}/{n}")
    weights = [w for w, _ in WORDS.values()]
    (word,) = rng.choices(list(WORDS), weights)
    of_maps = word in MAPPED and rng.random() < OF_MAPS
    made = (maps.claim_of(word) if of_maps else WORDS[word][1])(rng)
    return renamed(made, other_names(rng, made)) if rng.random() < names else made
