"""Random relations between expressions, and broadcasts with the demands of each dialect."""

from __future__ import annotations

import random
import re

from soundness import vanishing
from soundness.arithmetic import names_in
from soundness.drawing import NAMES, facts, guards, odd
from soundness.judging import Claim
from soundness.truth import Relations

SYMBOLS = ("x", "y", "a", "b", "d")
LAWS = (  # true for positive numbers, most of them for x and y of any sign as well
    "(x//a)//b == x//(a*b)",
    "x == x//d*d + x%d",
    "(x + d*y)//d == x//d + y",
    "(x + d*y)%d == x%d",
    "min(x, y) + max(x, y) == x + y",
    "ceildiv(x, d) == (x + d - 1)//d",
    "ceildiv(x, d) == -((-x)//d)",
    "0 <= x%d < d",
    "x//d*d <= x < x//d*d + d",
    "x%(a*b)//a == x//a%b",
    "x%(a*b)%a == x%a",
    "(x*d + y%d)//d == x",
    "(a*x)//(a*b) == x//b",
    "(a*x)%(a*b) == a*(x%b)",
    "max(x - y, 0) == x - min(x, y)",
    "ceildiv(ceildiv(x, a), b) == ceildiv(x, a*b)",
    "x*y >= x + y - 1",
    "a*b >= a",
    "x//a >= x//(a + b)",
    "(x + a)//a == x//a + 1",
    "min(a*x, a*y) == a*min(x, y)",
    "d*ceildiv(x, d) >= x",
    "d*ceildiv(x, d) < x + d",
    "x*x >= x",
    "(x - 1)//d + 1 == ceildiv(x, d)",
    "x%d + y%d >= (x + y)%d",
    "x//d + y//d <= (x + y)//d",
    "(x + y)//d <= x//d + y//d + 1",
    "x%d == x - x//d*d",
    "x//d*d + x%d == x",
    "(-x)//d == -ceildiv(x, d)",
    "(x - y)%d == (x%d - y%d)%d",
    "(x*x + 1)%7 != 0",
    "(x*x)%4 <= 1",
    "x*(x + 1)%2 == 0",
    "(x*x*x - x)%6 == 0",
    "(x*x)%3 != 2",
    "(x*x + y*y)%4 != 3",
    "x != 1000000000",
    "x*y != 100001",
    "x*y%2147483648 == x*y",
    "x//1000 <= 70000",
    "x//(a - b) <= x",
    "x%(a - 2) < a",
    "8//x <= 8",
    "(x - y)//2*2 <= x - y",
    "-x//d <= 0",
)


def relation(rng: random.Random) -> Claim:
    """A law, a law with a mistake, or a comparison of random expressions."""
    if rng.random() < 0.6:
        text = rng.choice(LAWS)
        if rng.random() < 0.5:
            text = spoiled(rng, text)
    else:
        names = rng.sample(SYMBOLS, rng.choice([1, 2, 2, 3]))
        ops = [rng.choice(["==", "<=", "<", ">=", ">", "!="]) for _ in range(rng.choice([1, 1, 2]))]
        text = expression(rng, names, 2)
        for op in ops:
            text += f" {op} {expression(rng, names, rng.choice([0, 1, 2]))}"
    names = names_in(text)
    if not names:
        return relation(rng)
    known = facts(rng, names)
    for n in names:
        if rng.random() < 0.3 and n in ("x", "y"):
            known += [f"{n} >= {rng.choice([-9, -3, -1, 0])}"]
            known += [f"{n} <= {rng.choice([-1, 2, 4, 8])}"] if rng.random() < 0.5 else []
        elif rng.random() < 0.1:
            known.append(f"{n} <= {rng.choice([3, 6])}")
    text = vanishing.seldom(rng, names, text)
    if "//" in text and rng.random() < 0.35:
        text = text.replace("//", "/")
    elif rng.random() < vanishing.OFTEN:
        c, p = vanishing.condition(rng, names), vanishing.partial(rng, names, False)
        text += f" + ({p} if {c} else {rng.choice(['0', '1', p])})"
    order = tuple(n for n in names_in(text) if n in names)  # a term in front may begin with another
    return Claim("holds", (text,), tuple(known), Relations(order, (text,)))


def spoiled(rng: random.Random, law: str) -> str:
    """The law with another operator, name or number."""
    kind = rng.randrange(4)
    if kind == 0:
        return re.sub(r"==|<=|>=|<|>", rng.choice(["==", "<=", ">=", "<", "!="]), law, count=1)
    if kind == 1:
        x, y = rng.sample(SYMBOLS, 2)
        return re.sub(rf"\b{x}\b", y, law, count=rng.choice([0, 1]))
    if kind == 2:
        x = rng.choice(SYMBOLS)
        return re.sub(rf"\b{x}\b", rng.choice(["2", "3", "(x+1)", "4"]), law)
    return law + rng.choice([" + 1", " - 1", "*2"])


def expression(rng: random.Random, names: list[str], depth: int) -> str:
    """A random integer expression; divisors are positive for positive names."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([*names, *names, str(rng.randint(0, 5))])
    x, y = (expression(rng, names, depth - 1) for _ in range(2))
    d = rng.choice(["2", "3", "4", "-3", *[n for n in names if n not in ("x", "y")]])
    if rng.random() < 0.05:
        d = f"({rng.choice(names)} - {rng.choice([*names, '2'])})"
    return rng.choice(
        [
            f"({x} + {y})",
            f"({x} - {y})",
            f"{x}*{y}",
            f"({x})//{d}",
            f"({x})%{d}",
            f"min({x}, {y})",
            f"max({x}, {y})",
            f"ceildiv({x}, {d})",
            f"(-{x})",
        ]
    )


# -- broadcasts --------------------------------------------


def extent(rng: random.Random) -> str:
    """A size of an operand."""
    n = rng.choice(NAMES)
    if odd(rng, 0.15):
        return rng.choice([f"{n}-2", "M-N"])
    return rng.choice([*(n, n, n, n, "1", "1", "2", "3", "0", f"2*{n}", f"{n}+1", f"{n}//2")])


def broadcast(rng: random.Random) -> Claim:
    """Two shapes in one of four dialects, related more often than not."""
    dialect = rng.choice(["numpy", "xla", "xla", "stablehlo", "hlo"])
    large = [extent(rng) for _ in range(rng.choice([1, 2, 2, 3]))]
    rank = len(large) if dialect == "numpy" and rng.random() < 0.5 else rng.randint(1, len(large))
    if dialect == "numpy":
        dims = list(range(len(large) - rank, len(large)))
    elif dialect == "xla" or rng.random() < 0.6:
        dims = sorted(rng.sample(range(len(large)), rank))
    else:
        dims = rng.sample(range(len(large)), rank)
    small = [rng.choice([large[d], large[d], "1", extent(rng)]) for d in dims]
    one = "{x} == 1 or " if dialect != "hlo" else ""
    both = " or {y} == 1" if dialect in ("numpy", "xla") else ""
    rule = one + "{x} == {y}" + both
    needs = [rule.format(x=f"({x})", y=f"({large[d]})") for x, d in zip(small, dims)]
    a, b = small, large
    if dialect in ("numpy", "xla") and rng.random() < 0.5:
        a, b = large, small
    options = {}
    if dialect in ("stablehlo", "hlo") or (dialect == "xla" and rank < len(large)):
        options["dims"] = ",".join(map(str, dims))
        if dialect == "xla" and rng.random() < 0.04:
            del options["dims"]
            needs = ["0 == 1"]
    options["dialect"] = dialect
    other = "f32"
    if dialect == "stablehlo" and rng.random() < 0.05:
        other, needs = rng.choice(["f16", "s32"]), ["0 == 1"]
    needs += [f"{d} >= 0" for d in (*a, *b)]
    names = tuple(names_in(*a, *b))
    known = (*facts(rng, names), *guards(rng, [(d, 0) for d in (*a, *b)]))
    args = (f"f32[{','.join(a)}]", f"{other}[{','.join(b)}]")
    return Claim(
        "broadcast", args, known, Relations(names, tuple(needs)), f"shapes {dialect}", options
    )
