"""Random maps in Python's syntax: every operation, values of either sign, divisors that may be 0."""

from __future__ import annotations

import random
from typing import Any

BINARY = ("+", "-", "*", "&", "|", "^")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
SIZES = (1, 2, 3)
FUNCTIONS: dict[str, Any] = {"min": min, "max": max, "abs": abs, "ceildiv": lambda a, b: -(-a // b)}


class Text:
    """A map as text, and what it computes by Python's own operators."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        names = ["i", "j", "N"]
        self.guard = self.condition(2, names) if rng.random() < 0.4 else ""
        self.lets: list[tuple[str, str]] = []
        for k in range(rng.randint(0, 2)):
            self.lets.append((f"t{k}", self.expression(2, names)))
            names.append(f"t{k}")
        self.results = [self.expression(3, names) for _ in range(rng.choice((1, 1, 2)))]
        row = ", ".join(self.results)
        lets = "".join(f"{n} = {e}; " for n, e in self.lets)
        guard = f" if {self.guard}" if self.guard else ""
        body = f"{lets}({row})" if len(self.results) > 1 else f"{lets}{row}"
        self.text = f"map -4 <= i < N, -3 <= j < 3{guard}: {body}"

    def number(self) -> str:
        n = self.rng.randint(-5, 9)
        return str(n) if n >= 0 else f"({n})"

    def expression(self, depth: int, names: list[str]) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return rng.choice(names) if rng.random() < 0.7 else self.number()
        a, b = (self.expression(depth - 1, names) for _ in range(2))
        kind = rng.choice(
            ("binary", "//", "%", "ceildiv", "min", "max", "abs", "~", "-", "<<", ">>", "if")
        )
        if kind == "binary":
            return f"({a} {rng.choice(BINARY)} {b})"
        if kind in ("//", "%"):
            return f"({a} {kind} {rng.choice((b, self.number(), rng.choice(names)))})"
        if kind == "ceildiv":
            return f"ceildiv({a}, {rng.choice((b, '3', '-2'))})"
        if kind in ("<<", ">>"):
            return f"({a} {kind} {rng.randint(0, 3)})"
        if kind == "if":
            return f"({a} if {self.condition(depth - 1, names)} else {b})"
        return f"{kind}({a}, {b})" if kind in ("min", "max") else f"{kind}({a})"

    def condition(self, depth: int, names: list[str]) -> str:
        kind = self.rng.random()
        if depth <= 0 or kind < 0.6:
            a, b = (self.expression(max(depth - 1, 0), names) for _ in range(2))
            return f"{a} {self.rng.choice(COMPARISONS)} {b}"
        first = self.condition(depth - 1, names)
        if kind < 0.75:
            return f"not ({first})"
        return f"({first} {self.rng.choice(('and', 'or'))} {self.condition(depth - 1, names)})"

    def points(self) -> list[tuple[int, int, int]]:
        """Values of i, j and N."""
        return [(i, j, n) for n in SIZES for i in range(-4, n) for j in range(-3, 3)]

    def at(self, point: tuple[int, int, int]) -> tuple[int, ...] | str | None:
        """The results, None where the guard is false, "undefined" where something divides by 0."""
        env = dict(zip("ijN", point))
        try:
            if self.guard and not eval(self.guard, FUNCTIONS, env):
                return None
            for name, e in self.lets:
                env[name] = eval(e, FUNCTIONS, env)
            return tuple(eval(r, FUNCTIONS, env) for r in self.results)
        except ZeroDivisionError:
            return "undefined"
