"""Proofs by cases: where what a move shows is true, its cases have the very same points.

Random cases and moves; the points are counted in plain integers at all small sizes.  Where a text is
defined is shown apart from the moves, so a quotient by 0 may have any value here: two are tried.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from symlayout.certificate.cases import (
    Case,
    World,
    bits_of_number,
    contrary,
    of_text,
    read,
    runs,
)
from symlayout.certificate.exact import Rejected
from symlayout.certificate.moves import MOVES
from symlayout.certificate.script import Script
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Either, Less
from symlayout.expr.facts import read_relations
from symlayout.expr.terms import (
    DIVISIONS,
    BitAnd,
    BitOr,
    BitXor,
    CeilDiv,
    FloorDiv,
    Mod,
    Where,
    symbol,
    value,
)

# moves that seldom fit
RARE = (
    *["reindex"] * 9,
    *["split"] * 3,
    *["bits"] * 2,
    *["weaken"] * 6,
    *["rewrite"] * 4,
)
SIZES = ("M", "N")
LARGEST = 2
Point = dict[str, int]


OF_ZERO = {"quotient": 0, "rest": 0}  # a//0 is so many a and so much more, a%0 is that


@pytest.fixture(params=[(0, 0), (2, -1)])
def by_zero(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OF_ZERO, "quotient", request.param[0])
    monkeypatch.setitem(OF_ZERO, "rest", request.param[1])


def at(e: Any, sizes: Point) -> int:
    """The value; a division by 0 has one as well, and a ceiling is a floor of what is negated."""
    if not e.args:
        return value(e, sizes)
    if e.func is Where:
        p, q, *branches = e.args
        return at(branches[at(p, sizes) >= at(q, sizes)], sizes)
    args = [at(a, sizes) for a in e.args]
    if e.func in DIVISIONS and args[1] == 0:
        floor = [n * args[0] + OF_ZERO["rest"] for n in (OF_ZERO["quotient"], -OF_ZERO["quotient"])]
        return {FloorDiv: floor[0], CeilDiv: -floor[1]}.get(e.func, OF_ZERO["rest"])
    return int(e.func(*args))


def true(c: Condition, sizes: Point) -> bool:
    if isinstance(c, Less):
        return at(c.left, sizes) < at(c.right, sizes)
    if isinstance(c, Both):
        return true(c.first, sizes) and true(c.second, sizes)
    return true(c.first, sizes) or true(c.second, sizes)


def points(box: Any, sizes: Point) -> Iterator[Point]:
    """The points of a box whose extents may speak of coordinates before."""
    if not box:
        yield sizes
        return
    (x, d), *rest = box
    for v in range(at(d, sizes)):
        yield from points(rest, {**sizes, str(x): v})


def places(case: Case, sizes: Point) -> Counter[tuple[int, ...]]:
    """How often each place is reached."""
    reached: Counter[tuple[int, ...]] = Counter()
    for p in points(case.box, sizes):
        if all(true(c, p) for c in case.premises) and all(true(c, p) for c in case.guard):
            reached[tuple(at(e, p) for e in case.results)] += 1
    return reached


def shown(parts: Any, sizes: Point) -> bool:
    """Whether the goals of all parts are true at these sizes, and have values there."""
    for part in parts:
        for p in points(list(part.box.items()), sizes):
            given = (at(r.left, p) < at(r.right, p) for r in part.premises)
            if all(given) and not all(any(r.holds(p) for r in goal) for goal in part.goals):
                return False
    return True


class Draw:
    """Random cases, and moves that may suit them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = ["i", "j", "k"][: rng.randint(1, 3)]

    def atom(self) -> str:
        return self.rng.choice([*self.names, *self.names, *SIZES, "1", "2", "4"])

    def sum(self) -> str:
        op = self.rng.choice(["+", "-", "*", "//", "%"])
        return f"({self.atom()} {op} {self.atom()})"

    def bits(self) -> str:
        a, b = (self.rng.choice([self.atom(), self.sum(), "2*i", "i%2"]) for _ in range(2))
        return f"(int64({a}) {self.rng.choice('^&|')} {b})"  # `2 ^ i` is refused

    def expression(self) -> str:
        kind = self.rng.random()
        if kind < 0.2:
            return f"({self.sum()} if {self.atom()} < {self.atom()} else {self.sum()})"
        return self.bits() if kind < 0.5 else self.rng.choice([self.atom(), self.sum()])

    def condition(self, deep: int = 2) -> Condition:
        if deep and self.rng.random() < 0.4:
            kind = self.rng.choice([Both, Either])
            return kind(self.condition(deep - 1), self.condition(deep - 1))
        return Less(read(self.atom()), read(self.sum()))

    def case(self) -> Case:
        rng, box = self.rng, []
        for k, name in enumerate(self.names):
            sizes = ["M", "N", "4", "2", "2*N", "N+1", "N*M", *(["i+1", "i"] if k else [])]
            box.append((symbol(name), read(rng.choice(sizes))))
        results = tuple(read(self.expression()) for _ in range(rng.randint(1, 2)))
        guard = tuple(self.condition() for _ in range(rng.choice([0, 0, 1, 2])))
        given = ()
        if rng.random() < 0.3:
            given = (Less(read(self.atom()), read(self.atom())),)
        return Case(tuple(box), results, guard, given)

    def move(self, case: Case) -> tuple[str, ...]:
        rng, name = self.rng, self.rng.choice([*MOVES, *RARE])
        x = rng.choice(self.names)
        size = rng.choice(["M", "N", "1", "2", "4", "N*M", "N+1", "0", "N-1"])
        nodes = {str(e) for r in case.results for e in (r, *r.args)}
        node = rng.choice(sorted(nodes))
        inner = sorted(str(a) for a in read(node).args) or ["i"]
        ways = ["apart", "bit", "low", "high", "halves", "both"]
        texts: dict[str, tuple[str, ...]] = {
            "split": self.split(case),
            "reindex": self.reindex(case),
            "weaken": rng.choice([(x, size), self.any_value(node, inner)]),
            "bits": (
                rng.choice(ways),
                node,
                rng.choice(inner),
                rng.choice(["2", "4", "8", "3", "6"]),
            ),
            "rewrite": self.rewrite(case),
        }
        return (name, *texts.get(name, ()))

    def split(self, case: Case) -> tuple[str, ...]:
        """A condition: one of a conditional, the next of the guard, that of a part, or any other."""
        rng = self.rng
        how = rng.choice(["true", "false", "known", "open"])
        wheres = [r.args for r in case.results if r.func is Where]
        c: Any = Less(*rng.choice(wheres)[:2]) if wheres else self.condition(rng.choice([0, 0, 2]))
        x, d = rng.choice(case.box)
        some = [f"{x} < {d}", f"{x} < {self.atom()}", f"{x} < {self.atom()}", "0 < 1", f"0 < {d}"]
        return rng.choice([(how,), (how, str(c)), (how, rng.choice(some))])

    def reindex(self, case: Case) -> tuple[str, ...]:
        """Other coordinates, and both maps; something in it is often wrong."""
        rng, ends = self.rng, {str(x): str(d) for x, d in case.box}
        x, z = rng.choice(self.names), rng.choice(self.names)
        n, m = ends[x], ends[z]
        d, c = rng.choice(["2", "N", "1", "3"]), rng.choice(["1", "2", "N", "M", "0"])
        known = str(rng.choice([0, 0, 0, 1, 2]))
        e = rng.choice([f"{x} + {z}", f"{z} - {x}", f"{x} + 1", f"M - {x}", f"2*{x} + 1"])
        g = rng.choice([f"(y - {z})%({n})", f"({z} - y)%({n})", f"(y - 1)%({n})", f"(M - y)%({n})"])
        count = rng.choice([c, f"({n})//{d}", f"({n})//2"])
        olds, news = rng.choice([
            ([(x, x)], [(x, rng.choice([c, n, f"{n} + 0*{z}"]), x)]),
            ([(x, f"{x} + {c}")], [(x, f"({n}) - {c}", f"{x} - {c}")]),
            ([(x, f"{n} - 1 - y")], [("y", n, f"{n} - 1 - {x}")]),
            ([(x, f"{d}*q + r")], [("q", count, f"{x}//{d}"), ("r", d, f"{x}%{d}")]),
            ([(x, f"q + r*{d}")], [("q", d, f"{x}%{d}"), ("r", count, f"{x}//{d}")]),
            ([(x, f"y//({m})"), (z, f"y - ({m})*(y//({m}))")],
             [("y", f"({n})*({m})", f"({m})*{x} + {z}")]),
            ([(x, z), (z, x)], [(z, n, x), (x, m, z)]),
            ([(x, z), (z, x)], [(x, m, z), (z, n, x)]),
            ([(x, g)], [("y", n, f"({e})%({n})")]),
            ([(x, "0")], [("y", "1", "0")]),
            ([], [("y", rng.choice(["1", "2"]), "0")]),
            ([(x, f"y//({c})")], [("y", n, f"{x}*({c})")]),
        ])  # fmt: skip
        row = [known, str(len(olds)), str(len(news))]
        row += [t for pair in olds for t in pair] + [t for rows in news for t in rows]
        if rng.random() < 0.3:
            k = rng.randrange(3, len(row))
            row[k] = rng.choice(
                [*ends, *ends.values(), row[k], f"{row[k]} + 1", f"{row[k]} - 1", c]
            )
        return tuple(row)

    def any_value(self, node: str, inner: list[str]) -> tuple[str, ...]:
        """A coordinate for an operation on bits, in some range."""
        size = self.rng.choice(["1", "2", "4", "3", *[f"{e} + 1" for e in inner], *inner])
        return (node, "y", size, self.rng.choice(["0", "1", "01", "10"]))

    def rewrite(self, case: Case) -> tuple[str, ...]:
        """A result written in another way, which is seldom the same; what may be known of its words."""
        rng = self.rng
        k = rng.randrange(len(case.results))
        texts = [str(case.results[k])]
        if isinstance(case.results[k], BitAnd | BitOr | BitXor):
            a, b = (f"({x})" for x in case.results[k].args)
            texts += ["0", f"int64({b}) & {a}", f"int64({a}) | {b}", f"{a} + {b}", f"{a} - {b}"]
            texts += [f"{a} + {b} - 2*(int64({a}) & {b})", f"{a} + {b} - (int64({a}) | {b})"]
            texts += [f"(int64({a}) | {b}) - (int64({a}) & {b})", f"(int64({a}) ^ {b}) ^ 1"]
        equal = rng.choice([[], [], ["M", "M//2*2"], ["N", "2*(N//2)"], ["i", "j"], ["N", "M"]])
        widths = [(x, rng.choice("0123")) for x in self.names if rng.random() < 0.5]
        rows = [*equal, *[t for row in widths for t in row]]
        which = rng.choice([str(k), str(k), str(case.results[k])])
        return (which, rng.choice(texts), str(len(equal) // 2), *rows)

    def renaming(self) -> tuple[Case, tuple[str, ...]]:
        """A case in which one coordinate may be another, and how; seldom is everything right."""
        rng = self.rng
        n = rng.choice(["2", "3", "4", "4", "6", "8", "N", "M"])
        box = {"j": rng.choice(["M", "2", "4", "N"]), "i": rng.choice([n, n, n, n, "2", "N"])}
        around = rng.choice(["{}", "{}", "{} + j", "2*{}", "3*{} + M", "{0}*{0}"])
        whole = rng.choice([around] * 9 + ["{} + 1"]).format("y")
        match rng.choice(["turn", "blocks", "xor"]):
            case "turn":
                e, g = rng.choice([("i + {}", "y - {}"), ("{} - i", "{} - y"), ("2*i + {}", "y")])
                by = rng.choice(["j", "M", "1", "i", "0"])
                e, g = e.format(by), g.format(by)
                old = f"(({e}) % {rng.choice([n, n, n, '3'])})"
                move = ("reindex", "0", "1", "1", "i", f"({g}) % {n}", "y", n, old, whole)
            case "blocks":
                first, block, end = rng.choice(
                    [
                        ("j*(j+1)//2", "j+1", "{0}*({0}+1)//2"),
                        ("j*N", "N", "{0}*N"),
                        ("j*j", "2*j+1", "{0}*{0}"),
                        ("j*3", "2", "{0}*3"),
                        ("j*j", "j+1", "{0}*{0}"),
                        ("j*N + 1", "N", "{0}*N + 1"),
                    ]
                )
                end = end.format(box["j"]) if rng.random() < 0.9 else n
                box["i"], old = block, f"({first} + i)"
                move = ("blocks", "j", "i", "y", end, old, whole)
            case _:
                other = rng.choice(["j", "j", "1", "M", "i//2", "i//4", "i%2", "i//3", "(j//2)"])
                old = f"(i {rng.choice('^^^^^^|&')} {other})"
                move = ("xor", "i", "y", n, "1", old, old, whole)
        rows = tuple((symbol(x), read(d)) for x, d in box.items())
        return Case(rows, (read(around.format(old)),)), move


def kept(root: Case, move: tuple[str, ...], largest: int) -> Iterator[int]:
    """At each assignment at which the move shows what it must: how many points there are."""
    case = root.flat()
    world = World((), SIZES, (case,), ((read("M"),) * len(case.results),))
    script = Script([], frozenset({"injective"}), [], "offset")
    try:
        parts, cases = script.step(world, case, move)
    except (Rejected, LayoutError):
        return
    for sizes in (dict(zip(SIZES, v)) for v in product(range(largest + 1), repeat=2)):
        if not shown(parts, sizes):
            continue
        after = sum((places(c.flat(), sizes) for c in cases), Counter[tuple[int, ...]]())
        before = places(root, sizes)
        if any(c.loose for c in cases):
            assert before <= after, (move, case, sizes)
        else:
            assert before == after, (move, case, sizes)
        yield before.total()


@pytest.mark.parametrize("many", [600, pytest.param(8000, marks=pytest.mark.explore)])
def test_a_move_keeps_every_point(by_zero: None, many: int) -> None:
    rng, seen, sharp = random.Random(8), Counter[str](), 0
    for _ in range(many):
        draw = Draw(rng)
        root = draw.case()
        move = draw.move(root.flat())
        for count in kept(root, move, LARGEST):
            seen[move[0]] += 1
            sharp += count > 1
    often = ("split", "reindex") if many < 8000 else {*MOVES} - {"blocks", "xor"}
    assert all(seen[m] > 50 for m in often), seen
    assert sharp > many // 8


@pytest.mark.explore
def test_a_coordinate_renamed_keeps_every_point(by_zero: None) -> None:
    rng, seen = random.Random(9), Counter[str]()
    for _ in range(2500):
        root, move = Draw(rng).renaming()
        seen[move[0]] += sum(count > 1 for count in kept(root, move, 3))
    assert all(seen[way] > 50 for way in ("reindex", "blocks", "xor")), seen


X, Y = symbol("i"), symbol("j")
SQUARE = Case(((X, read("M")), (Y, read("N"))), (read("N*i + j"),))
TRIANGLE = Case(((X, read("N")), (Y, read("i + 1"))), (read("i"), read("j")))
HALF = replace(SQUARE, guard=(Less(X, read("M - N")),))
KNOWN = replace(SQUARE, premises=(Less(X, read("N")),))
EVEN = Case(((X, read("M")), (Y, read("M"))), (read("N*i + j"),))
EQUAL = (Less(X, Y + 1), Less(Y, X + 1))
MASKED = replace(SQUARE, results=(read("int64(i) & j"),))
JOINED = replace(SQUARE, results=(read("int64(i) | j"),))
BELOW = replace(SQUARE, results=(read("int64(i - N) & j"),))
ROTATED = Case(((X, read("N")), (Y, read("M"))), (read("(i + j) % N"), read("j")))
FORGERIES: dict[str, tuple[Case, str]] = {
    "too large a box": (SQUARE, "reindex 0 1 1 i i i M+1 i"),
    "too small a box": (SQUARE, "reindex 0 1 1 i i i M-1 i"),
    "a wrong inverse": (SQUARE, "reindex 0 1 1 i M-y y M M-1-i"),
    "an inverse of some points": (SQUARE, "reindex 0 1 1 i 2*y y (M+1)//2 i//2"),
    "an inverse on one side alone": (SQUARE, "reindex 0 1 1 i y//2 y 2*M 2*i"),
    "points that become one": (SQUARE, "reindex 0 1 1 i 0 y 1 0"),
    "a new coordinate with several values": (SQUARE, "reindex 0 0 1 y 2 0"),
    "a coordinate left out": (SQUARE, "reindex 0 1 0 i 0"),
    "a coordinate that is still needed": (SQUARE, "reindex 0 1 1 i i y M i"),
    "the name of another coordinate": (SQUARE, "reindex 0 1 1 i j j M i"),
    "the name of another coordinate of its range": (EVEN, "reindex 0 1 1 i j j M i"),
    "the name of a size": (SQUARE, "reindex 0 1 1 i N N M i"),
    "one new name twice": (SQUARE, "reindex 0 2 2 i y j y y M i y N j"),
    "one old coordinate twice": (SQUARE, "reindex 0 2 2 i y i z y M i z M i"),
    "names exchanged in the box alone": (SQUARE, "reindex 0 2 2 i j j i i M j j N i"),
    "names exchanged in one map alone": (SQUARE, "reindex 0 2 2 i i j j i N j j M i"),
    "a name that is no coordinate": (SQUARE, "reindex 0 1 1 k y y M 0"),
    "a name that nothing has": (SQUARE, "reindex 0 1 1 i y+k y M i-k"),
    "another range that depends on it": (TRIANGLE, "reindex 0 1 1 i N-1-y y N N-1-y"),
    "a range of what comes later": (TRIANGLE, "reindex 0 1 1 i y+j-j*1 y j+1 i"),
    "a range of itself": (SQUARE, "reindex 0 1 1 i y y y+1 i"),
    "a dependent range taken first": (TRIANGLE, "reindex 0 2 2 i j j i i j+1 j j N i"),
    "a premise that is not implied": (HALF, "reindex 1 1 1 i i i M i"),
    "a premise of other points": (HALF, "reindex 1 1 1 i i i N i"),
    "more premises than there are": (HALF, "reindex 2 1 1 i i i M-N i"),
    "a premise that holds of fewer new points": (KNOWN, "reindex 0 1 1 i y-1 y M i+1"),
    "a division by zero": (SQUARE, "reindex 0 1 2 i q*(N-2)+r q M i//(N-2) r N-2 i%(N-2)"),
    "a remainder by zero": (ROTATED, "reindex 0 1 1 i (y-j)%(N-1) y N-1 (i+j)%(N-1)"),
    "a rotation back by more": (ROTATED, "reindex 0 1 1 i (y-j-1)%N y N (i+j)%N"),
    "other results": (ROTATED, "reindex 0 1 1 i (y-j)%N y N (i+j)%N y+1 j"),
    "fewer results": (ROTATED, "reindex 0 1 1 i (y-j)%N y N (i+j)%N y"),
    "results of what is gone": (ROTATED, "reindex 0 1 1 i (y-j)%N y N (i+j)%N (i+j)%N j"),
    "two as one in the wrong order": (SQUARE, "reindex 0 2 1 i y//M j y-M*(y//M) y M*N M*j+i"),
    "a condition that is false somewhere": (SQUARE, "split true i<1"),
    "a condition that is true somewhere": (SQUARE, "split false i<1"),
    "points that are said to be none": (SQUARE, "split false 0<1"),
    "a condition of what is unknown": (SQUARE, "split open k<1"),
    "a condition of unknowns that cancel": (SQUARE, "split open k<-k"),
    "a condition without a value": (SQUARE, "split known 1//(N-2)<i"),
    "no condition that comes next": (SQUARE, "split true"),
    "a guard that is false somewhere": (HALF, "split true"),
    "a guard that is true somewhere": (HALF, "split false"),
    "joined conditions as one": (SQUARE, "split known i<1 and j<1"),
    "no way to split": (SQUARE, "split maybe i<1"),
    "too small a range": (SQUARE, "weaken i M-1"),
    "a range of another coordinate": (SQUARE, "weaken i j"),
    "what both have, in no range of either": (MASKED, "weaken int64(i)&j y j 0"),
    "what both have, of what may be below 0": (BELOW, "weaken int64(i-N)&j y j+1 01"),
    "what both have, the second below 0": (BELOW, "weaken int64(i-N)&j y j+1 10"),
    "what one of both has, in too small a range": (JOINED, "weaken int64(i)|j y 2 0"),
    "what both have, of no operand": (MASKED, "weaken int64(i)&j y M 2"),
    "what one of both has, by one of them": (JOINED, "weaken int64(i)|j y M 0"),
    "what one of both has, below no power": (JOINED, "weaken int64(i)|j y M+N 0"),
    "no operation on bits for a coordinate": (SQUARE, "weaken N*i+j y M*N 0"),
    "a coordinate for what a guard evaluates": (
        replace(MASKED, guard=(Less(X, read("M")),)),
        "weaken int64(i)&j y M 0",
    ),
    "other bits": (JOINED, "rewrite 0 i+j 0"),
    "bits that are there twice": (JOINED, "rewrite 0 i+j-(int64(i)&j)*2 0"),
    "more bits than there are": (JOINED, "rewrite 0 i%2|j 0 i 1"),
    "what is equal to another thing": (JOINED, "rewrite 0 i 1 j i"),
    "no such result": (JOINED, "rewrite 1 i|j 0"),
    "a result of what is unknown": (JOINED, "rewrite 0 int64(i)|j|k 0"),
    "no number in other words": (SQUARE, "rewrite 0 N*i+j+i*i-i*j 1 2 j"),
    "no rows of a size": (SQUARE, "blocks i M y M*M M*i+M"),
    "no rows but one coordinate": (SQUARE, "blocks i i y M*M M*i+i"),
    "no map": (SQUARE, "reindex 0 1 1 i"),
    "no numbers": (SQUARE, "reindex a b c i i i M i"),
}


def worlds_of(w: World, move: tuple[str, ...]) -> tuple[list[Any], list[World]]:
    """What a move of a world shows, and the worlds that it makes."""
    worlds: list[World] = []

    class Watch(Script):
        def world(self, w: World, deep: int = 3) -> Iterator[Any]:
            worlds.append(w)
            if len(worlds) == 1:
                yield from super().world(w, deep)

    parts = list(Watch([move], frozenset(), (), "offset").world(w))
    return parts, worlds[1:]


FACTS = {
    "none": "0 == 0",
    "order": "N >= M",
    "divisor": "M >= 1",
    "whole": "N % 2 == 0",
    "rest": "N % 2 == 1",
}
WORLD = World((), SIZES, (SQUARE, TRIANGLE), ((read("M*N"),), (read("N"),)))
OF_SIZES = {
    "more, or not": ("none", "split|open|M < N", True),
    "what always holds": ("none", "split|open|0 < 1", True),
    "a fact": ("order", "split|true|M < N + 1", True),
    "the contrary of a fact": ("order", "split|false|N < M", True),
    "a name": ("divisor", "reindex|0|1|1|N//M|c|c|N//M|c*M <= N|c >= 0", True),
    "a multiple": ("whole", "reindex|0|1|1|N|2*a|a|N//2|a >= 0", True),
    "a multiple and one": ("rest", "reindex|1|1|1|N|2*a + 1|a|N//2", True),
    "a multiple and a rest": ("none", "reindex|0|1|2|N|3*a + b|a|N//3|b|N%3|b < 3|b >= 0", True),
    "a rest by a size": ("divisor", "reindex|0|1|2|N|M*a + b|a|N//M|b|N%M|b < M", True),
    "the same, other facts behind": ("rest", "reindex|1|1|1|M|2*a|a|M//2", False),
    "fewer facts": ("order", "weaken|0", True),
    "no size at all": ("none", "split|false|0 < 1", False),
    "one side alone": ("none", "split|true|M < N", False),
    "the other side alone": ("none", "split|false|M < N", False),
    "joined conditions": ("none", "split|open|M < N and N < 3", False),
    "a condition on coordinates": ("none", "split|open|i < N", False),
    "a condition on coordinates that cancel": ("none", "split|open|i < -i", False),
    "multiples alone": ("none", "reindex|0|1|1|N|2*a|a|N//2", False),
    "a rest that is more": ("none", "reindex|0|1|2|N|3*a + b|a|N//3|b|N%3|b < 2", False),
    "a rest by what may be 0": ("none", "reindex|0|1|2|N|M*a + b|a|N//M|b|N%M|b < M", False),
    "a size for a coordinate": ("none", "reindex|0|1|1|i|c|c|i", False),
    "a name in use": ("none", "reindex|0|1|1|N|M|M|N", False),
    "the name itself": ("none", "reindex|0|1|1|N|N|N|N", False),
    "the name of a coordinate": ("none", "reindex|0|1|1|N|i|i|N", False),
    "one name for two": ("none", "reindex|0|2|1|N|a|M|a|a|N", False),
    "a name that nothing has": ("none", "reindex|0|1|1|N|a + k|a|N - k", False),
    "a fact of the old size": ("order", "reindex|0|1|1|N|a|a|N|N >= M", False),
    "a fact that is false": ("order", "reindex|0|1|1|N|a|a|N|a > M", False),
    "a name for less": ("divisor", "reindex|0|1|1|N//M|c|c|N//M - 1|c*M <= N", False),
    "too few texts": ("none", "reindex|0|1|1|N", False),
}


@pytest.mark.parametrize("kind", OF_SIZES)
def test_a_move_of_sizes_keeps_all_of_them(kind: str) -> None:
    """Wherever what it shows is true, the same is claimed of some sizes of one of its worlds."""
    fact, text, right = OF_SIZES[kind]
    world = WORLD._replace(facts=read_relations(FACTS[fact]))
    rejected = False
    try:
        parts, worlds = worlds_of(world, tuple(text.split("|")))
    except (Rejected, LayoutError):
        rejected = True
    every = [dict(zip(SIZES, v)) for v in product(range(5), repeat=2)]
    every = [s for s in every if all(r.holds(s) for r in world.facts)]
    if rejected or not all(defined_and_shown(parts, s) for s in every):
        assert not right
        return
    for sizes in every:
        wanted = [places(root, sizes) for root in world.roots]
        assert any(wanted == claimed for w in worlds for claimed in claims_of(w)), sizes
    assert right


def claims_of(w: World) -> Iterator[list[Counter[tuple[int, ...]]]]:
    """The places of all roots, at all small sizes of a world."""
    for numbers in product(range(5), repeat=len(w.names)):
        sizes = dict(zip(w.names, numbers))
        if all(r.holds(sizes) for r in w.facts):
            yield [places(root, sizes) for root in w.roots]


HONEST = {
    "another name": (SQUARE, "reindex 0 1 1 i y y M i"),
    "two names exchanged": (SQUARE, "reindex 0 2 2 i j j i i N j j M i"),
    "a dependent range": (TRIANGLE, "reindex 0 2 2 i a j b a N i b a+1 j"),
    "backwards": (TRIANGLE, "reindex 0 1 1 i N-1-i i N N-1-i"),
    "backwards, with what depends on it": (TRIANGLE, "reindex 0 2 2 i N-1-i j j i N N-1-i j N-i j"),
    "what always holds": (SQUARE, "split open|0 < 1"),
    "the first of two conditions": (
        replace(SQUARE, guard=(Either(Less(X, read("1")), Less(Y, read("1"))),)),
        "split open",
    ),
    "what both have": (MASKED, "weaken int64(i)&j y i+1 01"),
    "what one of both has": (JOINED, "weaken int64(i)|j y 4 0"),
    "as a sum": (JOINED, "rewrite 0 i+j-(int64(i)&j) 0"),
    "the same wherever it is": (JOINED, "rewrite int64(i)|j i+j-(int64(i)&j) 0"),
    "two that are equal": (replace(JOINED, premises=EQUAL), "rewrite 0 i 1 j i"),
    "the points of a premise": (HALF, "reindex 1 1 1 i i i min(M,max(M-N,0)) i"),
}
FIRST = (
    "a coordinate that",
    "the name",
    "one new name",
    "a name",
    "a range",
    "a condition of",
    "no ",
)


@pytest.mark.parametrize("kind", HONEST)
def test_a_move_that_is_right_shows_what_is_true(kind: str) -> None:
    case, text = HONEST[kind]
    assert sum(kept(case, row_of(text), 3)) > 4


@pytest.mark.parametrize("kind", FORGERIES)
def test_a_forged_move_is_rejected_or_shows_something_false(kind: str) -> None:
    case, text = FORGERIES[kind]
    move = split_of(text) if text.startswith("split") else tuple(text.split(" "))
    world = World((), SIZES, (case,), ((read("M"),),))
    script = Script([], frozenset({"injective"}), [], "offset")
    try:
        parts, _ = script.step(world, case, move)
    except (Rejected, LayoutError):
        return
    assert not kind.startswith(FIRST), "before anything is shown"
    sizes = [dict(zip(SIZES, v)) for v in product(range(5), repeat=2)]
    assert not all(defined_and_shown(parts, s) for s in sizes)


def row_of(text: str) -> tuple[str, ...]:
    first, *rest = text.split("|0 < 1")
    return (*first.split(" "), *["0 < 1" for _ in rest])


def split_of(text: str) -> tuple[str, ...]:
    word, how, *rest = text.split(" ")
    return (word, how, " ".join(rest)) if rest else (word, how)


def defined_and_shown(parts: Any, sizes: Point) -> bool:
    try:
        return shown(parts, sizes)
    except LayoutError:  # a goal without a value is not shown
        return False


@pytest.mark.parametrize("seed", range(3))
def test_a_condition_or_its_contrary_is_true(seed: int) -> None:
    draw = Draw(random.Random(seed))
    draw.names = ["i", "j", "k"]
    for _ in range(200):
        c = draw.condition()
        for v in product((-2, -1, 0, 1, 2, 3), repeat=2):
            p = {"i": v[0], "j": v[1], "k": 1, "M": 2, "N": v[0] - v[1]}
            assert true(c, p) != true(contrary(c), p)


def test_bits_of_a_number_are_digits() -> None:
    for x, c in product(range(-20, 20), range(-9, 10)):
        p = {"i": x}
        for op, wanted in (("&", x & c), ("|", x | c), ("^", x ^ c)):
            assert at(bits_of_number(read(f"i {op} ({c})")), p) == wanted
            assert at(bits_of_number(read(f"int64({c}) {op} i")), p) == wanted
        assert sum((2**n - 1) << low for low, n in runs(abs(c))) == abs(c)


@pytest.mark.parametrize("mask", ["2**k - 1", "4*2**k - 1", "j", "2**k"])
def test_bits_below_a_power_are_a_remainder(mask: str) -> None:
    for e in (BitAnd(symbol("i"), read(mask)), BitAnd(read(mask), symbol("i"))):
        assert bits_of_number(e).has(Mod) == ("- 1" in mask)
        for i, k in product(range(-20, 20), range(6)):
            p = {"i": i, "j": 5, "k": k}
            assert at(bits_of_number(e), p) == at(e, p)


@pytest.mark.parametrize("x", ["i", "j", "M"])
def test_only_a_coordinate_has_places_before_it(x: str) -> None:
    i, j = symbol("i"), symbol("j")
    case = Case(((i, symbol("M")), (j, i + 1)), ())
    if x == "M":
        with pytest.raises(Rejected, match="not a coordinate"):
            case.before(symbol(x))
    else:
        assert case.before(symbol(x)) == ({"i": symbol("M")} if x == "j" else {})


@pytest.mark.parametrize(
    ("text", "ceilings"),
    [
        ("(-i)//3", 1),
        ("(-i - 2*j)//(k - 3)", 1),
        ("(j - i)//3", 0),
        ("5 - k*((j - i)//3)", 1),
        ("5 - 2*((j - i)//3)*((k - i)//2)", 1),
        ("i - k*((j - j*i)//3)", 1),
        ("i - k*(i//3)", 0),
        ("min(-((k - i)//2), (-1 - i)//4)", 2),
        ("i % 3 - j", 0),
    ],
)
def test_quotients_of_what_falls_are_ceilings(text: str, ceilings: int) -> None:
    e = read(text)
    result = of_text(e)
    assert str(result).count("ceildiv") == ceilings
    for i, j, k in product(range(-5, 6), range(-2, 3), (-4, 1, 2, 7)):
        p = {"i": i, "j": j, "k": k}
        assert at(result, p) == at(e, p)
