"""Random linear layouts of all sizes 2**k, and every verdict on them against brute force.

    python -m soundness.families [COUNT] [--seed N] [--recheck]

A layout is drawn as pieces of bits: each has a length, and goes to a place of a coordinate, or to
several.  What it does at given sizes is computed bit by bit from these pieces, never from the text.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from soundness import asking

Length = dict[str, int]  # coefficients by name, the number's name being ""
Env = dict[str, int]
Point = tuple[int, ...]
NAMES = ("k", "m")
MOST = 4  # of a symbol that is looked at
WORDS = ("injective", "onto", "bijective", "bounded", "equal", "inverse", "valid")
FACTS: dict[str, Callable[[Env], bool]] = {
    "k >= 2": lambda e: e["k"] >= 2,
    "m >= 0": lambda e: e["m"] >= 0,
    "k == m": lambda e: e["k"] == e["m"],
    "k >= m": lambda e: e["k"] >= e["m"],
    "m <= 2": lambda e: e["m"] <= 2,
    "k >= m + 1": lambda e: e["k"] >= e["m"] + 1,
    "k + m == 4": lambda e: e["k"] + e["m"] == 4,
    "m == 1": lambda e: e["m"] == 1,
}
LENGTHS: tuple[Length, ...] = (
    {"": 1},
    {"": 1},
    {"k": 1},
    {"k": 1},
    {"m": 1},
    {"k": 1, "": 1},
    {"k": 1, "": -1},
    {"k": 1, "m": 1},
)


class Piece(NamedTuple):
    """Bits of an input: how many, and where the first one goes: coordinates and lengths below it."""

    many: Length
    to: tuple[tuple[int, Length], ...]


class Drawn(NamedTuple):
    """The pieces of each input, and the bits of each coordinate."""

    ins: tuple[tuple[Piece, ...], ...]
    outs: tuple[Length, ...]

    @property
    def text(self) -> str:
        """The layout in the package's notation."""
        rows = []
        for k, pieces in enumerate(self.ins):
            row = []
            for p in pieces:
                columns: list[list[str]] = [[] for _ in self.outs]
                for c, low in p.to:
                    columns[c].append(spelled(low))
                vector = ",".join("+".join(c) or "0" for c in columns)
                row.append(f"[{vector}]*{spelled(p.many)}")
            rows.append(f"{'pqrs'[k]} [{', '.join(row)}]")
        return f"linear {', '.join(rows)} -> {', '.join(map(spelled, self.outs))}"

    def defined(self, env: Env) -> bool:
        """Whether no exponent is negative, and no vector leaves the sizes."""
        for size in self.outs:
            if at(size, env) < 0:
                return False
        for p in (p for pieces in self.ins for p in pieces):
            if at(p.many, env) < 0:
                return False
            for c, low in p.to:
                if at(low, env) < 0 or at(low, env) + at(p.many, env) > at(self.outs[c], env):
                    return False
        return True

    def sides(self, env: Env) -> list[int]:
        """The sizes of the inputs."""
        return [2 ** sum(at(p.many, env) for p in pieces) for pieces in self.ins]

    def box(self, env: Env) -> list[int]:
        """The sizes of the coordinates."""
        return [2 ** at(size, env) for size in self.outs]

    def place(self, point: Point, env: Env) -> Point:
        """Where a point goes, piece by piece: a digit is put at each of its places, without carries."""
        hit = [0] * len(self.outs)
        for x, pieces in zip(point, self.ins):
            for p in pieces:
                values = 2 ** at(p.many, env)
                digit, x = x % values, x // values
                for c, low in p.to:
                    hit[c] ^= digit * 2 ** at(low, env)
        return tuple(hit)


class Both(NamedTuple):
    """A layout after another."""

    outer: Drawn
    inner: Drawn

    @property
    def ins(self) -> tuple[tuple[Piece, ...], ...]:
        """The inputs."""
        return self.inner.ins

    @property
    def outs(self) -> tuple[Length, ...]:
        """The coordinates."""
        return self.outer.outs

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.outer.text} o {self.inner.text}"

    def defined(self, env: Env) -> bool:
        """Whether both are, and the coordinates of one are as large as the inputs of the other."""
        both = self.outer.defined(env) and self.inner.defined(env)
        return both and self.inner.box(env) == self.outer.sides(env)

    def sides(self, env: Env) -> list[int]:
        """The sizes of the inputs."""
        return self.inner.sides(env)

    def box(self, env: Env) -> list[int]:
        """The sizes of the coordinates."""
        return self.outer.box(env)

    def place(self, point: Point, env: Env) -> Point:
        """Where a point goes."""
        return self.outer.place(self.inner.place(point, env), env)


Map = Drawn | Both


def at(length: Length, env: Env) -> int:
    """A length at sizes."""
    return sum(x * env.get(n, 1) for n, x in length.items())


def spelled(length: Length) -> str:
    """2 to the power of it."""
    parts = [f"2**({x}*{n})" if x > 0 else f"2**(-{-x}*{n})" for n, x in length.items() if n and x]
    number = length.get("", 0)
    if number < 0:
        names = [f"{'+' if x > 0 else '-'}{abs(x)}*{n}" for n, x in length.items() if n]
        return f"2**({''.join(sorted(names)).removeprefix('+')}{number})"
    return "*".join([*parts, *([str(2**number)] if number or not parts else [])])


def summed(lengths: list[Length]) -> Length:
    """The sum of lengths."""
    results: Counter[str] = Counter()
    for one in lengths:
        results.update(one)
    return {n: x for n, x in results.items() if x}


def drawn(rng: random.Random) -> Drawn:
    """Pieces of coordinates dealt to inputs, some with more places of the same length."""
    outs: list[list[Length]] = [
        [rng.choice(LENGTHS) for _ in range(rng.randint(1, 2))] for _ in range(rng.randint(1, 2))
    ]
    slots = [(c, k) for c, row in enumerate(outs) for k in range(len(row))]

    def below(slot: tuple[int, int]) -> Length:
        return summed(outs[slot[0]][: slot[1]])

    dealt: list[list[Piece]] = [[] for _ in range(rng.randint(1, 2))]
    for c, k in rng.sample(slots, len(slots)):
        others = [s for s in slots if s != (c, k) and outs[s[0]][s[1]] == outs[c][k]]
        more = [s for s in others if rng.random() < 0.3]
        places = [(s[0], below(s)) for s in [(c, k), *more]]
        rng.choice(dealt).append(Piece(outs[c][k], tuple(places)))
    if rng.random() < 0.15:  # what all of them have
        dealt[0].append(Piece(rng.choice(LENGTHS), ()))
    results = Drawn(tuple(map(tuple, dealt)), tuple(map(summed, outs)))
    return changed(rng, results) if rng.random() < 0.3 else results


def changed(rng: random.Random, f: Drawn) -> Drawn:
    """One length of the layout is another."""
    some = [(i, k) for i, pieces in enumerate(f.ins) for k in range(len(pieces))]
    i, k = rng.choice(some)
    p = f.ins[i][k]
    kind = rng.randrange(3)
    if kind == 0:
        p = p._replace(many=summed([p.many, rng.choice([{"": 1}, {"": -1}, {"k": 1, "m": -1}])]))
    elif kind == 1 and p.to:
        (c, low), *rest = p.to
        p = p._replace(to=((c, summed([low, rng.choice([{"": 1}, {"m": 1}])])), *rest))
    else:
        size = list(f.outs)
        size[0] = summed([size[0], rng.choice([{"": 1}, {"": -1}, {"m": 1}])])
        return f._replace(outs=tuple(size))
    pieces = list(f.ins[i])
    pieces[k] = p
    ins = list(f.ins)
    ins[i] = tuple(pieces)
    return f._replace(ins=tuple(ins))


def partner(rng: random.Random, f: Drawn, word: str) -> Drawn:
    """A layout to compare with: the same in other pieces, or back again; changed at times."""
    if word == "equal":
        rows = []
        for pieces in f.ins:
            row: list[Piece] = []
            for p in pieces:
                if len(p.many) == 2 and min(p.many.values()) > 0 and rng.random() < 0.6:
                    (n, x), (o, y) = rng.sample(list(p.many.items()), 2)
                    row.append(p._replace(many={n: x}))
                    to = tuple((c, summed([low, {n: x}])) for c, low in p.to)
                    row.append(Piece({o: y}, to))
                else:
                    row.append(p)
            rows.append(tuple(row))
        results = Drawn(tuple(rows), f.outs)
    else:
        hit: list[list[tuple[int, Piece]]] = [[] for _ in f.outs]
        for i, pieces in enumerate(f.ins):
            low: Length = {}
            for p in pieces:
                if p.to:
                    c, where = p.to[0]
                    order = at(where, dict.fromkeys(NAMES, 50))
                    hit[c].append((order, Piece(p.many, ((i, low),))))
                low = summed([low, p.many])
        rows = [tuple(p for _, p in sorted(row, key=lambda r: r[0])) for row in hit]
        sizes = tuple(summed([p.many for p in pieces]) for pieces in f.ins)
        results = Drawn(tuple(rows), sizes)
    return changed(rng, results) if any(results.ins) and rng.random() < 0.25 else results


def followed(rng: random.Random, f: Drawn, word: str) -> list[Map]:
    """The layout with another one after it; there and back again is compared with the identity."""
    back = partner(rng, f, "inverse")
    if word == "equal":
        lengths = [summed([p.many for p in pieces]) for pieces in f.ins]
        rows = [(Piece(n, ((k, {}),)),) for k, n in enumerate(lengths)]
        return [Both(back, f), Drawn(tuple(rows), tuple(lengths))]
    outer = rng.choice([back, whole(rng, f)])
    return [Both(outer, f)] if word != "inverse" else [Both(outer, f), partner(rng, f, "inverse")]


def whole(rng: random.Random, f: Drawn) -> Drawn:
    """A layout whose inputs are the coordinates of another, exchanged, or added to one another."""
    order = rng.sample(range(len(f.outs)), len(f.outs))
    rows = []
    for k, size in enumerate(f.outs):
        same = [c for c in range(len(f.outs)) if c != k and f.outs[c] == size]
        more = [c for c in same if rng.random() < 0.5]
        rows.append((Piece(size, tuple((order.index(c), {}) for c in [k, *more])),))
    return Drawn(tuple(rows), tuple(f.outs[c] for c in order))


def true(word: str, maps: list[Map], env: Env) -> bool:
    """Whether the claim is defined and true at these sizes, point by point."""
    if not all(f.defined(env) for f in maps):
        return False
    images = [{p: f.place(p, env) for p in product(*map(range, f.sides(env)))} for f in maps]
    places, box = list(images[0].values()), {*product(*map(range, maps[0].box(env)))}
    once, covered = len({*places}) == len(places), {*places} == box
    if word == "equal":
        return images[0] == images[1]
    if word == "inverse":
        both = (images, images[::-1])
        return all(y.get(q) == p for x, y in both for p, q in x.items())
    known = {"injective": once, "valid": once, "onto": covered, "bounded": True}
    return known.get(word, once and covered)


def assignments(names: list[str], facts: list[str]) -> Iterator[Env]:
    """Small sizes that satisfy the facts, in the order in which failures are told."""
    low = {n: 0 if f"{n} >= 0" in facts else 1 for n in names}
    every = product(*[range(low[n], MOST + 1) for n in names])
    hit = [dict(zip(names, row)) for row in every]
    kept = [e for e in hit if all(FACTS[f](e) for f in facts)]
    return iter(sorted(kept, key=place_of))


def place_of(env: Env) -> tuple[int, ...]:
    """Sizes by their order: the least product first."""
    return prod(max(1, x) for x in env.values()), *env.values()


def judged(rng: random.Random, checked: bool) -> tuple[str, str, str]:
    """A random claim: its word, what became of it, and what is wrong with that."""
    word, f = rng.choice(WORDS), drawn(rng)
    maps: list[Map] = [f, partner(rng, f, word)] if word in ("equal", "inverse") else [f]
    if rng.random() < 0.3:
        maps = followed(rng, f, word)
    texts = [m.text for m in maps]
    if any(len(m.ins) == 0 or not m.outs for m in maps):
        return word, "refused", ""
    words = {n for m in maps for n in used(m)}
    facts = [t for t in FACTS if {n for n in NAMES if n in t} <= words and rng.random() < 0.12]
    asked = f"{word} {texts} where {facts}"
    try:
        verdict = asking.verdict(word, texts, facts, {})
    except Exception as error:
        message = asking.refusal(error)
        return (
            word,
            "refused",
            "" if message and message[0] in ("SL403", "SL502") else f"{asked}: {error}",
        )
    names = list(verdict.counterexample.sizes) if verdict.counterexample else sorted(words)
    wrong = [e for e in assignments(names, facts) if small(maps, e) and not true(word, maps, e)]
    if verdict.status == "proved":
        if wrong:
            return word, "proved", f"{asked}: false at {wrong[0]}"
        if checked and (not verdict.certificate or asking.rechecked(verdict)):
            return word, "proved", f"{asked}: its certificate is not confirmed"
    if verdict.status == "refuted":
        assert verdict.counterexample is not None
        sizes = dict(verdict.counterexample.sizes)
        if true(word, maps, sizes):
            return word, "refuted", f"{asked}: true at {sizes}"
        if wrong and place_of(wrong[0]) < place_of({n: sizes[n] for n in wrong[0]}):
            return word, "refuted", f"{asked}: {wrong[0]} comes before {sizes}"
    return word, verdict.status, ""


def used(f: Map) -> set[str]:
    """The names in a layout."""
    if isinstance(f, Both):
        return used(f.outer) | used(f.inner)
    lengths = [p.many for row in f.ins for p in row]
    lengths += [low for row in f.ins for p in row for _, low in p.to]
    return {n for one in (*lengths, *f.outs) for n, x in one.items() if n and x}


def small(maps: list[Map], env: Env) -> bool:
    """Whether all points are looked at soon."""
    bits = [sum(max(0, at(p.many, env)) for row in f.ins for p in row) for f in maps]
    parts = [g for f in maps for g in (f if isinstance(f, Both) else [f])]
    wide = [sum(max(0, at(size, env)) for size in g.outs) for g in parts]
    return max(*bits, *wide) <= 14


def main() -> None:
    """Prints what became of the claims, and every one that brute force contradicts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recheck", action="store_true")
    args = parser.parse_args()
    rng, tally, bad = random.Random(args.seed), Counter[tuple[str, str]](), 0
    for _ in range(args.count):
        word, status, wrong = judged(rng, args.recheck)
        tally[word, status] += 1
        if wrong:
            bad += 1
            print(wrong)
    for (word, status), n in sorted(tally.items()):
        print(f"{word:10} {status:8} {n:5}")
    print(f"{bad} contradicted")


if __name__ == "__main__":
    main()
