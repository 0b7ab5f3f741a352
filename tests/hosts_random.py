"""Random host code in Python that launches a kernel, and what it is seen to pass when it runs."""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

HEAD = "import torch\nimport triton\nfrom contextlib import suppress\nK = 6\nW = 9\n"
KERNEL = (
    "@triton.jit\ndef copy(x_ptr, y_ptr, n, m, B: tl.constexpr = 5):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)\n"
)
HELPERS = (
    "def inc(a):\n    return a + 1\ndef outer(a):\n    return a + K\n"
    "def two(a):\n    b = a * 2\n    return b\n"
    "def set_w():\n    global W\n    W = W + 3\n"
    "def of_file(meta):\n    return (K, meta['B'])\n"
    "def three(f):\n    return lambda *a: 3\n@three\ndef odd(a):\n    return a\n"
)
OWN = ["a", "b", "c", "d"]
NUMBERS = [0, 1, 2, 3, 4, 5, 8, 16, 33]


class Hosts:
    """One function of host code for each seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def one(self, *texts: str) -> str:
        """One of them."""
        return self.random.choice(texts)

    def number(self, deep: int = 2) -> str:
        """An expression."""
        if deep == 0:
            return self.one(*OWN, "K", "W", str(self.random.randrange(9)))
        e, name = (lambda: self.number(deep - 1)), self.one(*OWN)
        made: list[Callable[[], str]] = [
            lambda: self.number(0),
            lambda: f"({e()} {self.one(*'+-*%', '//')} {e()})",
            lambda: f"({e()} {self.one(*'+-*%', '//')} {e()})",
            lambda: f"{self.one('inc', 'outer', 'two', 'odd', 'int', '-')}({e()})",
            lambda: f"{self.one('min', 'max', 'triton.cdiv')}({e()}, {e()})",
            lambda: f"({e()} if {self.truth(deep - 1)} else {e()})",
            lambda: f"({self.truth(deep - 1)} {self.one('and', 'or')} {e()})",
            lambda: f"({name} := {e()})",
            lambda: f"({self.truth(deep - 1)})",
            lambda: f"sum([{e()} for {name} in range(2)])",
            lambda: f"({e()}, {e()})[{self.random.randrange(2)}]",
        ]
        return self.random.choice(made)()

    def truth(self, deep: int = 2) -> str:
        """A condition."""
        less = max(deep - 1, 0)
        signs = ("<", "<=", ">", ">=", "==", "!=")
        made = [f"{self.number(less)} {self.one(*signs)} {self.number(less)}"] * 3
        if deep:
            made.append(f"({self.truth(less)} {self.one('and', 'or')} {self.truth(less)})")
            made.append(f"not {self.number(less)}")
            made.append(f"{self.number(0)} in (2, 4, 8)")
            made.append(f"{self.number(0)} < {self.number(less)} < {self.number(less)}")
        return self.one(*made)

    def launch(self, grid: str = "") -> str:
        """A launch."""
        e = self.number
        last = self.one("", f", {e(0)}")
        return f"copy[{grid or f'({e(1)}, {e(1)})'}](x, y, {e(1)}, {e(1)}{last})"

    def block(self, deep: int, most: int = 2) -> list[str]:
        """Statements that stand further to the right."""
        count = self.random.randrange(1, most + 1)
        return [f"    {line}" for _ in range(count) for line in self.statement(deep - 1)]

    def statement(self, deep: int) -> list[str]:
        """A statement in its lines."""
        e, v, w = self.number, self.one(*OWN), self.one(*OWN)
        made: list[Callable[[], list[str]]] = [
            lambda: [f"{v} = {e()}"],
            lambda: [f"{v} {self.one(*'+-*')}= {e()}"],
            lambda: [f"{v}, {w} = {e()}, {e()}"],
            lambda: [f"assert {self.truth()}"],
            lambda: [f"use({e()})"],
            lambda: [self.launch()],
        ]
        if deep:
            made += self.compound(deep, v)
        return self.random.choice(made)()

    def compound(self, deep: int, v: str) -> list[Callable[[], list[str]]]:
        """Statements that other statements stand in, and what else gives a name a value."""
        e, block = self.number, self.block
        errors = self.one("ValueError", "AssertionError", "Exception")
        f = f"f{self.random.randrange(99)}"
        end = f"    return ({v}, meta['B'])"
        ends = self.one("return", "raise ValueError", "pass")
        return [
            lambda: [f"if {self.truth()}:", *block(deep), "else:", *block(deep)],
            lambda: [f"if {self.truth()}:", f"    {ends}"],
            lambda: ["with suppress(Exception):", *block(deep, 3)],
            lambda: ["with torch.no_grad():", *block(deep, 3)],
            lambda: ["try:", *block(deep, 3), f"except {errors} as {v}:", *block(deep)],
            lambda: ["try:", *block(deep), "finally:", *block(deep)],
            lambda: [f"for {v} in range({self.random.randrange(3)}):", *block(deep, 3)],
            lambda: [f"while {self.truth()}:", *block(deep), "    break"],
            lambda: ["for j in range(2):", f"    if {self.truth(1)}: continue", *block(deep)],
            lambda: [f"match {e(1)}:", *self.case("3", deep), *self.case(v, deep)],
            lambda: [f"def {f}():", f"    nonlocal {v}", f"    {v} = {e(1)}", f"{f}()"],
            lambda: ["set_w()"],
            lambda: [f"from five import five as {v}"],
            lambda: [f"import five as {v}"],
            lambda: [f"del {v}"],
            lambda: [f"class {v}:", "    pass"],
            lambda: [f"use([({v} := {e(1)}) for j in range(2)])"],
            lambda: [f"g = lambda meta: ({e(1)}, meta['B'])", f"{v} = {e(1)}", self.launch("g")],
            lambda: [self.launch("of_file")],
            lambda: [f"def {f}(meta):", f"    {v} = {e(1)}", end, self.launch(f)],
        ]

    def case(self, pattern: str, deep: int) -> list[str]:
        """One of a `match`."""
        return [f"    case {pattern}:", *[f"    {line}" for line in self.block(deep)]]

    def function(self) -> str:
        """The function, in which a launch stands last."""
        lines = [*self.block(3, 7), f"    {self.launch()}"]
        return "def run(x, y, a, b, c, d):\n" + "\n".join(lines) + "\n"


def seen(before: str, host: str, random: Random) -> Iterator[tuple[int, tuple[Any, ...], Any]]:
    """Line, grid and arguments of each launch when host code below other text runs with numbers."""
    found: list[tuple[int, tuple[Any, ...], dict[str, Any]]] = []

    class Copy:
        def __getitem__(self, grid: Any) -> Callable[..., None]:
            def launch(x: object, y: object, n: Any, m: Any, B: Any = 5) -> None:
                given = {"n": n, "m": m, "B": B}
                sizes = grid(given) if callable(grid) else grid
                found.append((sys._getframe(1).f_lineno, tuple(sizes), given))

            return launch

    five = types.ModuleType("five")
    five.five = 5  # type: ignore[attr-defined]
    triton = types.SimpleNamespace(cdiv=lambda a, b: -(-a // b))
    torch = types.SimpleNamespace(no_grad=contextlib.nullcontext)
    env: dict[str, Any] = {"copy": Copy(), "triton": triton, "torch": torch}
    env |= {"use": lambda *a: None, "suppress": contextlib.suppress, "K": 6, "W": 9}
    known = sys.modules.setdefault("five", five)
    try:
        below = "\n" * before.count("\n")
        exec(compile(HELPERS, "helpers", "exec"), env)
        exec(compile(below + host, "host", "exec"), env)
        with contextlib.suppress(Exception):
            env["run"](object(), object(), *[random.choice(NUMBERS) for _ in OWN])
    finally:
        if known is five:
            del sys.modules["five"]
    yield from found
