"""Random claims against brute force: `python benchmarks/soundness.py [--claims 10000] [--seed 0]`.

Every claim is decided by the prover and, for all small sizes, by plain Python integers from the
notations' definitions.  Unsound is: proved but false at some small size, refuted but the
counterexample does not fail by the definitions, or refuted with a counterexample that is not the
smallest.  Prints the counts by claim and verdict, every unsound case, and how many are unknown.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import symlayout as sl
from symlayout.facts import Facts
from symlayout.terms import free_names, value

LIMIT = 24  # sizes with a product up to this are enumerated
NAMES = ("M", "N", "K")
TILES = ("s", "t")

Offsets = dict[tuple[int, ...], int]


class Case:
    """A layout's offsets at given sizes, by its definition in plain integers."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.map = sl.parse(text).index_map()

    def shape(self, sizes: dict[str, int]) -> tuple[int, ...]:
        return tuple(value(d, sizes) for d in self.map.shape)

    def size(self, sizes: dict[str, int]) -> int:
        return value(self.map.size, sizes)

    def offsets(self, sizes: dict[str, int]) -> Offsets:
        reference = self.map.reference
        assert reference is not None
        points = product(*[range(d) for d in self.shape(sizes)])
        return {p: reference(p, sizes) for p in points}


def random_size(rng: random.Random, symbolic: bool) -> str:
    if symbolic and rng.random() < 0.7:
        name = rng.choice(NAMES)
        return rng.choice([name, name, name, f"2*{name}", f"{name}+1", f"ceildiv({name},2)"])
    return str(rng.choice([1, 2, 3, 4, 5, 6, 8]))


def random_layout(rng: random.Random, shape: list[str]) -> str:
    """An XLA layout of the shape with up to three tile levels, or a strided one."""
    if rng.random() < 0.2:
        order = rng.sample(range(len(shape)), len(shape))
        strides = ["1"] * len(shape)
        below = "1"
        for d in order:
            strides[d] = below
            below = f"{below}*({shape[d]})" if rng.random() < 0.85 else f"{below}*({shape[d]}+1)"
        if rng.random() < 0.2:
            strides[rng.randrange(len(shape))] = str(rng.choice([0, 1, 2, 3]))
        return f"strided f32[{','.join(shape)}] strides({','.join(strides)})"
    order = rng.sample(range(len(shape)), len(shape))
    tiles = ""
    width = len(shape)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
        n = rng.randint(1, min(3, width))
        entries = [rng.choice(["1", "2", "2", "3", "4", *TILES]) for _ in range(n)]
        if n > 1 and rng.random() < 0.1:
            entries[rng.randrange(n - 1)] = "*"
        tiles += f"({','.join(entries)})"
        width += n
    tail = f"L({rng.choice([2, 3, 4])})" if rng.random() < 0.1 else ""
    properties = (f"T{tiles}" if tiles else "") + tail
    layout = ",".join(map(str, order)) + (f":{properties}" if properties else "")
    return f"f32[{','.join(shape)}]{{{layout}}}"


def random_facts(rng: random.Random, names: list[str]) -> list[str]:
    facts = []
    if not names or rng.random() < 0.4:
        return facts
    for _ in range(rng.choice([1, 1, 2, 3])):
        a, b = rng.choice(names), rng.choice(names)
        facts.append(
            rng.choice(
                [
                    f"{a} % 2 == 0",
                    f"{a} % 3 == 0",
                    f"{a} % 4 == 2",
                    f"{a} <= 4",
                    f"{a} >= 3",
                    f"{a} >= {b}",
                    f"{a} == 2*{b}" if a != b else f"{a} != 2",
                    f"{a} % {b} == 0",
                    f"{a} + {b} <= 9",
                    f"{a} != {b} + 1",
                    f"{a} >= 0" if a not in TILES else f"{a} >= 2",
                ]
            )
        )
    return facts


def random_claim(rng: random.Random) -> tuple[str, list[str], list[str]]:
    """(word, arguments, facts)."""
    symbolic = rng.random() < 0.85
    shape = [random_size(rng, symbolic) for _ in range(rng.choice([1, 2, 2, 2, 3]))]
    word = rng.choice(
        [
            "equal",
            "equal",
            "injective",
            "onto",
            "bijective",
            "bounded",
            "bitcast",
            "reinterpret",
            "formula",
            "padding",
            "divides",
            "aligned",
        ]
    )
    first = random_layout(rng, shape)
    args = [first]
    if word in ("equal", "reinterpret"):
        args.append(random_layout(rng, shape) if rng.random() < 0.7 else first)
    elif word == "bitcast":
        other = list(shape)
        if len(other) > 1 and rng.random() < 0.5:
            k = rng.randrange(len(other) - 1)
            other[k : k + 2] = [f"({other[k]})*({other[k + 1]})"]
        elif rng.random() < 0.3:
            other.insert(rng.randrange(len(other) + 1), "1")
        args.append(
            random_layout(rng, other)
            if rng.random() < 0.6
            else f"f32[{','.join(other)}]{{{','.join(map(str, range(len(other) - 1, -1, -1)))}}}"
        )
    elif word == "formula":
        args.append(random_formula(rng, first))
    elif word == "padding":
        args.append(rng.choice(["1", "3/2", "2", "4", "16"]))
    elif word == "bounded" and rng.random() < 0.3:
        args.append(rng.choice(["4", "64", "M*N", "M*N*K"]))
    elif word == "divides":
        args = [rng.choice(["2", "3", "s", "M"]), rng.choice(["M", "4*M", "M*N", "M+N", "6*N"])]
    elif word == "aligned":
        args.append(rng.choice(["4", "8", "16"]))
    names = sorted({n for a in args for n in (*NAMES, *TILES) if _mentions(a, n)})
    if word == "bounded" and len(args) == 2:
        own = {n for n in (*NAMES, *TILES) if _mentions(args[0], n)}
        if not set(names) <= own:
            args.pop()
            names = sorted(own)
    return word, args, random_facts(rng, names)


def _mentions(text: str, name: str) -> bool:
    import re

    return re.search(rf"\b{name}\b", text.split("[", 1)[-1] if "[" in text else text) is not None


def random_formula(rng: random.Random, layout: str) -> str:
    """The layout's own formula, or the same with one number changed."""
    text = str(sl.parse(layout).index_map().formula)
    digits = [k for k, c in enumerate(text) if c.isdigit()]
    if digits and rng.random() < 0.5:
        k = rng.choice(digits)
        changed = text[:k] + rng.choice("123456789") + text[k + 1 :]
        text = changed if not _names_changed(text, changed) else text
    return text


def _names_changed(a: str, b: str) -> bool:
    import re

    return re.findall(r"[A-Za-z_]\w*", a) != re.findall(r"[A-Za-z_]\w*", b)


# -- brute force --------------------------------------------

Test = Callable[[dict[str, int]], bool]


def truth(word: str, args: list[str]) -> tuple[list[str], Test]:
    """The sizes in order of appearance, and whether the claim holds at given sizes."""
    if word == "divides":
        from symlayout.reader import read_expression

        d, x = (read_expression(a) for a in args)
        names = free_names(x, d)
        return names, lambda s: value(d, s) != 0 and value(x, s) % value(d, s) == 0
    cases = [Case(a) for a in args[: 2 if word in ("equal", "bitcast", "reinterpret") else 1]]
    a = cases[0]
    names = list(dict.fromkeys(n for c in cases for n in c.map.symbols))
    if word == "equal":
        b = cases[1]
        return names, lambda s: a.shape(s) == b.shape(s) and a.offsets(s) == b.offsets(s)
    if word == "bitcast":
        b = cases[1]
        return (
            names,
            lambda s: (
                a.size(s) == b.size(s)
                and list(a.offsets(s).values()) == list(b.offsets(s).values())
            ),
        )
    if word == "reinterpret":
        b = cases[1]
        return (
            names,
            lambda s: (
                a.size(s) == b.size(s) and set(a.offsets(s).values()) == set(b.offsets(s).values())
            ),
        )
    if word == "formula":
        from symlayout.prover.equality import read_formula

        written = read_formula(a.map, args[1], Facts())
        coords = [c.name for c in a.map.coords]

        def same(s: dict[str, int]) -> bool:
            try:
                return all(
                    value(written, {**s, **dict(zip(coords, p))}) == o
                    for p, o in a.offsets(s).items()
                )
            except sl.LayoutError:
                return False

        return names, same
    if word == "padding":
        from fractions import Fraction

        def count(s: dict[str, int]) -> int:
            n = 1
            for d in a.shape(s):
                n *= d
            return n

        return names, lambda s: a.size(s) <= Fraction(args[1]) * count(s)
    if word == "bounded":
        from symlayout.reader import read_expression

        limit = read_expression(args[1]) if len(args) > 1 else a.map.size
        return names, lambda s: all(0 <= o < value(limit, s) for o in a.offsets(s).values())
    if word == "aligned":
        from symlayout.prover.measures import row_dimension

        along = row_dimension(a.map)
        step = int(args[1])
        return names, lambda s: all(
            o * 4 % step == 0 for p, o in a.offsets(s).items() if along is None or p[along] == 0
        )
    tests: dict[str, Test] = {
        "injective": lambda s: len(set(a.offsets(s).values())) == len(a.offsets(s)),
        "onto": lambda s: set(range(a.size(s))) <= set(a.offsets(s).values()),
        "bijective": lambda s: sorted(a.offsets(s).values()) == list(range(a.size(s))),
    }
    return names, tests[word]


def assignments(names: list[str], facts: Facts) -> Iterator[dict[str, int]]:
    """All allowed sizes with a product up to LIMIT (0 counts as 1), smallest first."""
    found: list[tuple[int, tuple[int, ...]]] = []

    def extend(values: tuple[int, ...], bound: int) -> None:
        if len(values) == len(names):
            if facts.holds(dict(zip(names, values))):
                found.append((bound, values))
            return
        low = facts.domain(names[len(values)]).low
        for v in range(max(low, 0), LIMIT // bound + 1):
            extend((*values, v), bound * max(v, 1))

    extend((), 1)
    for _, values in sorted(found):
        yield dict(zip(names, values))


CACHE: dict[tuple[tuple[str, ...], tuple[str, ...]], list[dict[str, int]]] = {}


def listed(names: list[str], facts: Facts, where: list[str]) -> list[dict[str, int]]:
    key = (tuple(names), tuple(where))
    if key not in CACHE:
        if len(CACHE) > 200:
            CACHE.clear()
        CACHE[key] = list(assignments(names, facts))
    return CACHE[key]


def judge(word: str, args: list[str], where: list[str]) -> tuple[str, str]:
    """(verdict, what is wrong with it or "")."""
    facts = Facts.read(where)
    try:
        verdict = getattr(sl.prove, word)(*args, where=where)
    except sl.LayoutError as error:
        return "error", "" if error.code == "SL202" else str(error)
    names, holds = truth(word, args)
    everything = list(dict.fromkeys([*names, *sorted(facts.names)]))
    points = listed(everything, facts, where) if len(everything) <= 4 else []
    failing = next((s for s in points if not holds(s)), None)
    if verdict.status == "proved" and failing is not None:
        return verdict.status, f"false at {failing}"
    if verdict.status == "vacuous" and points:
        return verdict.status, f"the facts hold at {points[0]}"
    if verdict.status == "refuted":
        sizes = verdict.counterexample.sizes
        if holds(sizes):
            return verdict.status, f"holds at its counterexample {sizes}"
        if failing is not None and failing != sizes:
            return verdict.status, f"not the smallest: {sizes} after {failing}"
    return verdict.status, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--claims", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="print every unknown")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    counts: Counter[tuple[str, str]] = Counter()
    wrong = 0
    start = time.perf_counter()
    for n in range(options.claims):
        word, args, where = random_claim(rng)
        status, problem = judge(word, args, where)
        counts[word, status] += 1
        if problem:
            wrong += 1
            print(f"UNSOUND {n}: {word} {args} where {where}: {status}, {problem}", flush=True)
        if options.verbose and status == "unknown":
            print(f"unknown {n}: {word} {args} where {where}", flush=True)
    words = sorted({w for w, _ in counts})
    statuses = ("proved", "refuted", "unknown", "vacuous", "error")
    print(f"{'claim':12}" + "".join(f"{s:>9}" for s in statuses))
    for w in words:
        print(f"{w:12}" + "".join(f"{counts[w, s]:9}" for s in statuses))
    total = [sum(counts[w, s] for w in words) for s in statuses]
    print(f"{'all':12}" + "".join(f"{t:9}" for t in total))
    print(
        f"{wrong} unsound of {options.claims}, {time.perf_counter() - start:.0f} s, seed {options.seed}"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
