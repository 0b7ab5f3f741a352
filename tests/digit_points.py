"""What the atoms of a digit context stand for at a point, computed from their definitions alone."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from hypothesis import strategies as st

from symlayout.digits.assume import assume
from symlayout.digits.context import Context
from symlayout.digits.poly import Poly
from symlayout.digits.simplification import coordinate_kinds
from symlayout.expr.facts import Facts
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, symbol
from symlayout.expr.tree import Expr, Integer

BOX = ("0 <= i < M", "0 <= j < N")
NAMES = ("M", "N", "t", "i", "j")


class Logged(Context):
    """A context that remembers by which divisor each symbol or digit was split into two."""

    def __init__(self) -> None:
        super().__init__()
        self.halves: dict[int, tuple[int, Poly, str]] = {}

    def split(self, number: int, d: Poly) -> bool:
        done = super().split(number, d)
        if done and not any(whole == number for whole, *_ in self.halves.values()):
            high, low = len(self.atoms) - 2, len(self.atoms) - 1
            self.halves[high] = (number, d, "high")
            self.halves[low] = (number, d, "low")
        return done


class Atoms(dict):
    """The value of every atom at a point, each computed on first use."""

    def __init__(self, ctx: Logged, env: dict[str, int]) -> None:
        super().__init__()
        self.ctx = ctx
        for name, number in ctx.by_name.items():
            self[number] = env[name]

    @property
    def digits(self) -> set[int]:
        """The digits that the symbols consist of by now."""
        return {d for root in self.ctx.roots.values() for d in root.digits}

    def of(self, p: Poly) -> int:
        """The value of a polynomial."""
        return p.value(self)

    def __missing__(self, number: int) -> int:
        self[number] = made = self.compute(number)
        return made

    def compute(self, number: int) -> int:
        info = self.ctx.atoms[number]
        if number in self.ctx.halves:
            whole, d, half = self.ctx.halves[number]
            q, r = divmod(self[whole], self.of(d))
            return q if half == "high" else r
        word, *parts = info.definition
        match word:
            case "//":
                return self.of(parts[0]) // self.of(parts[1])
            case "min" | "max":
                return {"min": min, "max": max}[word](map(self.of, parts))
            case "multiple":
                return self[parts[0]] // parts[1]
            case "factor":
                return self[parts[0]] // self.of(parts[1])
            case "slack":
                return self[parts[0]] - self.of(parts[1])
        assert info.kind == "window"
        root = self.ctx.roots[word]
        first, last = (root.digits.index(d) for d in parts)
        rest = self[root.atom]
        for weight in reversed(root.weights[last + 1 :]):
            rest %= self.of(weight)
        return rest // self.of(root.weights[first])


def context(where=BOX, names=NAMES) -> Logged:
    """A context that knows the facts."""
    facts = Facts.read(where)
    ctx = Logged()
    assume(ctx, facts, names, coordinate_kinds(facts))
    return ctx


@lru_cache(maxsize=64)
def grid(where=BOX, names=NAMES, most=4, count=60) -> list[dict[str, int]]:
    """Small points that satisfy the facts, `count` of them spread evenly."""
    facts = Facts.read(where)
    spans = [range(facts.domain(n).low, most + 1) for n in names]
    every = [p for p in (dict(zip(names, v)) for v in product(*spans)) if facts.holds(p)]
    return every[:: max(1, len(every) // count)]


@st.composite
def positives(draw) -> Expr:
    """A divisor that is at least 1: numbers, sizes, their products and sums."""
    made: Expr = Integer(draw(st.sampled_from([1, 2, 2, 3, 4])))
    if draw(st.booleans()):
        made = made * symbol(draw(st.sampled_from(["M", "N", "t", "t"])))
    if draw(st.integers(0, 4)) == 0:
        made = made + symbol(draw(st.sampled_from(["M", "N", "t"])))
    if draw(st.integers(0, 5)) == 0:
        made = CeilDiv(symbol("N"), Integer(draw(st.integers(2, 4))))
    return made


@st.composite
def expressions(draw, depth=3, names=("M", "N", "t", "i", "i", "j", "j")) -> Expr:
    """Expressions over sizes and coordinates whose divisors are positive."""
    kind = draw(st.integers(0, 8)) if depth else 0
    if kind <= 1:
        if draw(st.integers(0, 3)):
            return symbol(draw(st.sampled_from(names)))
        return Integer(draw(st.integers(-3, 9)))
    x = draw(expressions(depth - 1, names))
    if kind <= 5:
        return draw(st.sampled_from([FloorDiv, Mod, CeilDiv]))(x, draw(positives()))
    y = draw(expressions(depth - 1, names))
    if kind == 6:
        return x * draw(positives()) + y
    if kind == 7:
        return x - y
    return draw(st.sampled_from([Min, Max]))(x, y)
