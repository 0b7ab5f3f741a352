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
    "bits",
    "bits",
    "some",
    "some",
    "merge",
    "merge",
    "cancel",
    "cancel",
    *["common"] * 3,
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
        x, z = rng.choice(self.names), rng.choice(self.names)
        size = rng.choice(["M", "N", "1", "2", "4", "N*M", "N+1", "0", "N-1"])
        nodes = {str(e) for r in case.results for e in (r, *r.args)}
        node = rng.choice(sorted(nodes))
        inner = sorted(str(a) for a in read(node).args) or ["i"]
        wheres = [r.args for r in case.results if r.func.__name__ == "Where"]
        sides = tuple(map(str, rng.choice(wheres)[:2])) if wheres else ("i", "N")
        ways = ["apart", "bit", "low", "high", "halves", "both"]
        texts: dict[str, tuple[str, ...]] = {
            "empty": (x,),
            "if": sides,
            "cut": (x, size),
            "digits": (x, rng.choice(["2", "N", "1"]), size, "q", "r"),
            "merge": (x, z, "y"),
            "widen": (x, size),
            "extent": (x, size),
            "bits": (
                rng.choice(ways),
                node,
                rng.choice(inner),
                rng.choice(["2", "4", "8", "3", "6"]),
            ),
            "cancel": (node, rng.choice(inner), rng.choice(inner)),
            "common": (node, "y", rng.choice(["0", "1", "01"])),
            "some": (node, "y", rng.choice(["2", "4", "3"]), rng.choice(["0", "1"])),
            "words": self.words(case),
        }
        return (name, *texts.get(name, ()))

    def words(self, case: Case) -> tuple[str, ...]:
        """A result written in another way, which is seldom the same; what may be known of its words."""
        rng = self.rng
        k = rng.randrange(len(case.results))
        texts = [str(case.results[k])]
        if isinstance(case.results[k], BitAnd | BitOr | BitXor):
            a, b = (f"({x})" for x in case.results[k].args)
            texts += [f"int64({b}) & {a}", f"int64({a}) | {b}", f"{a} + {b}", f"{a} - {b}"]
            texts += [f"{a} + {b} - 2*(int64({a}) & {b})", f"{a} + {b} - (int64({a}) | {b})"]
            texts += [f"(int64({a}) | {b}) - (int64({a}) & {b})", f"(int64({a}) ^ {b}) ^ 1"]
        multiples = rng.choice([[], [], ["M", "2"], ["N", "2"]])
        widths = [(x, rng.choice("0123")) for x in self.names if rng.random() < 0.5]
        rows = [*multiples, *[t for row in widths for t in row]]
        return (str(k), rng.choice(texts), str(len(multiples) // 2), *rows)

    def renaming(self) -> tuple[Case, tuple[str, ...]]:
        """A case in which one coordinate may be another, and how; seldom is everything right."""
        rng = self.rng
        n = rng.choice(["2", "3", "4", "4", "6", "8", "N", "M"])
        box = {"j": rng.choice(["M", "2", "4", "N"]), "i": rng.choice([n, n, n, n, "2", "N"])}
        around = rng.choice(["{}", "{}", "{} + j", "2*{}", "3*{} + M", "{0}*{0}"])
        whole = rng.choice([around] * 9 + ["{} + 1"]).format("y")
        match rng.choice(["turn", "blocks", "xor"]):
            case "turn":
                e = rng.choice(["i + {}", "{} - i", "{} + i", "2*i + {}"])
                e = e.format(rng.choice(["j", "M", "1", "i", "0"]))
                old = f"(({e}) % {rng.choice([n, n, n, '3'])})"
                move = ("turn", "i", "y", n, old, whole)
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
        return Case(rows, (read(around.format(old)),)), ("renamed", *move)


def kept(root: Case, move: tuple[str, ...], largest: int) -> Iterator[int]:
    """At each assignment at which the move shows what it must: how many points there are."""
    case = root.flat()
    if move[0] == "common":  # of what is claimed of points alone
        case = replace(case, ops=(">=",) * len(case.results))
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


@pytest.mark.explore
def test_a_move_keeps_every_point(by_zero: None) -> None:
    rng, seen, sharp = random.Random(8), Counter[str](), 0
    for _ in range(8000):
        draw = Draw(rng)
        root = draw.case()
        move = draw.move(root.flat())
        for count in kept(root, move, LARGEST):
            seen[move[0]] += 1
            sharp += count > 1
    assert all(seen[m] > 50 for m in MOVES if m not in ("renamed", "cancel")), seen
    assert sharp > 1000


@pytest.mark.explore
def test_a_coordinate_renamed_keeps_every_point(by_zero: None) -> None:
    rng, seen = random.Random(9), Counter[str]()
    for _ in range(2500):
        root, move = Draw(rng).renaming()
        seen[move[1]] += sum(count > 1 for count in kept(root, move, 3))
    assert all(seen[way] > 50 for way in ("turn", "blocks", "xor")), seen


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
