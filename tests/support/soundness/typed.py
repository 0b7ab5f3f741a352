"""`fits` of random maps against C's rules, point by point, from the same text as the judge of maps.

Small widths are judged at every size and point; real types at the ends of large ranges.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from soundness import asking, maps
from soundness.judging import Claim
from soundness.maps import Env, Judge, Map
from soundness.truth import ANY, Failure, Truth

Kind = tuple[int, bool]  # bits, and whether it is signed
INT, LONG = (32, True), (64, True)
CASTS: dict[str, Kind] = {
    "int32": INT,
    "uint32": (32, False),
    "int64": LONG,
    "uint64": (64, False),
    "size_t": (64, False),
}
TEMPLATES = (
    "map r < M, c < N: r*N + c in M*N",
    "map r < M, c < N: int64(r)*N + c in M*N",
    "map r < M, c < N: int64(r*N) + c in M*N",
    "map b < ceildiv(N, G), t < G if b*G + t < N: b*G + t in N",
    "map b < M, t < G if uint32(b)*G < N: uint32(b)*G - t in N",
    "map p < M*N: f = p//(G*N)*G; w = min(M - f, G); (f + p%(G*N)%w, p%(G*N)//w) in (M, N)",
    "map i < M, j < N: (i - j)*G in N",
    "map i < M, j < N: (i - N//2, j*(M - i)) in (M, N)",
    "map -3 <= i < N: (i*i - 2 if i < G else -i) in N",
    "map i < N, j < i + 1: i*(i + 1)//2 + j in N",
    "map i < M, j < N if i != j and i - j < G: (i - j)//(i - j) in N",
    "map i < M: q = int64(i)*G; (q*q, i*i) in (M, N)",
    "map i < M, j < N: (i << 2) + (j >> 1) in N",
    "map i < M: ~i & 7 in N",
    "map i < M, j < N: size_t(i - j) in N",
    "map i < M, j < N: abs(i - j)*N in N",
    "map i < N: ceildiv(i*G, N) in N",
    "map i < N: (i ^ (i//2)) | G in N",
    "map i < M: (G - i if i < G else uint32(i) - G) in N",
    "map i < M, j < N: max(i*G, j) - min(i, j*G) in N",
)
SPELLINGS = {
    "*": ["*", "+", "-"],
    "-": ["-", "+", "*"],
    "int64": ["int64", "uint32", "int32", "size_t", "uint64"],
    "uint32": ["uint32", "int64"],
    "//": ["//", "%"],
    "<": ["<", "<="],
    "N": ["N", "M", "G", "5"],
    "G": ["G", "2", "(G - 1)", "N"],
    "min": ["min", "max"],
    "2": ["2", "3", "40"],
}


class Leaves(Exception):
    """A value that its type does not hold, or none at all."""


class Typed:
    """What a map computes on its way, in C's types or all of it in so many bits."""

    def __init__(self, m: Map, bits: int | None) -> None:
        self.m, self.every = m, None if bits is None else (bits, True)
        texts = [*m.results, *[e for _, e in m.lets], m.guard or "True"]
        self.trees = {t: ast.parse(t, mode="eval").body for t in texts}
        self.kinds: dict[str, Kind] = {}

    # -- types ------------------------------------------------------------------------------------

    def kind(self, e: ast.expr) -> Kind:
        """The type of an expression."""
        if self.every is not None:
            return self.every
        match e:
            case ast.Constant(int(n)):
                return INT if n < 2**31 else LONG
            case ast.Name(name):
                return self.kinds.get(name, INT)
            case ast.Call(ast.Name(word)) if word in CASTS:
                return CASTS[word]
            case ast.Call(_, parts):
                return self.common(*parts)
            case ast.UnaryOp(_, a) | ast.BinOp(a, ast.LShift() | ast.RShift(), _):
                return self.kind(a)
            case ast.BinOp(a, _, b) | ast.IfExp(_, a, b):
                return self.common(a, b)
        raise ValueError(ast.dump(e))

    def common(self, *parts: ast.expr) -> Kind:
        """The wider of the types; of one width the unsigned."""
        return max(map(self.kind, parts), key=lambda k: (k[0], not k[1]))

    # -- values -----------------------------------------------------------------------------------

    def held(self, value: int, kind: Kind) -> int:
        """The value, if its type holds it."""
        bits, signed = kind
        low = -(2 ** (bits - 1)) if signed else 0
        if not low <= value < low + 2**bits:
            raise Leaves
        return value

    def given(self, e: ast.expr, env: Env, kind: Kind) -> int:
        """An operand converted to that type."""
        return self.held(self.value(e, env), kind)

    def value(self, e: ast.expr, env: Env) -> int:
        """The value; raises `Leaves` for what no type holds."""
        kind = self.kind(e)
        match e:
            case ast.Constant(int(n)):
                return self.held(n, kind)
            case ast.Name(name):
                return env[name] if name in self.kinds else self.held(env[name], kind)
            case ast.Call(ast.Name(word), [ast.Name(name)]) if word in CASTS and (
                name not in self.kinds
            ):
                return self.held(env[name], kind)
            case ast.Call(ast.Name(word), [a]) if word in CASTS:
                return self.given(a, env, kind)
            case ast.Call(ast.Name("abs"), [a]):
                return self.held(abs(self.value(a, env)), kind)
            case ast.Call(ast.Name("min" | "max" as word), parts):
                return (min if word == "min" else max)(*[self.given(a, env, kind) for a in parts])
            case ast.Call(ast.Name("ceildiv"), [a, b]):
                x, d = self.given(a, env, kind), self.given(b, env, kind)
                self.held(x + d - 1, kind)
                return self.held(-self.quotient(-x, d), kind)
            case ast.UnaryOp(op, a):
                x = self.value(a, env)
                return self.held(-x if isinstance(op, ast.USub) else ~x, kind)
            case ast.IfExp(c, a, b):
                return self.given(a if self.truth(c, env) else b, env, kind)
            case ast.BinOp(a, ast.LShift() | ast.RShift() as op, b):
                x, count = self.given(a, env, kind), self.value(b, env)
                if not 0 <= count < kind[0]:
                    raise Leaves
                return self.held(x << count, kind) if isinstance(op, ast.LShift) else x >> count
            case ast.BinOp(a, op, b):
                return self.operation(op, self.given(a, env, kind), self.given(b, env, kind), kind)
        raise ValueError(ast.dump(e))

    def operation(self, op: ast.operator, x: int, y: int, kind: Kind) -> int:
        """One operation of two operands in their common type."""
        match op:
            case ast.Add() | ast.Sub() | ast.Mult():
                made = {ast.Add: x + y, ast.Sub: x - y, ast.Mult: x * y}[type(op)]
                return self.held(made, kind)
            case ast.BitAnd() | ast.BitOr() | ast.BitXor():
                return {ast.BitAnd: x & y, ast.BitOr: x | y, ast.BitXor: x ^ y}[type(op)]
            case ast.Pow():
                if not 0 <= y < 64:  # no type holds more
                    raise Leaves
                return self.held(x**y, kind)
        quotient = self.held(self.quotient(x, y), kind)  # also where the remainder is asked for
        return quotient if isinstance(op, ast.FloorDiv) else x - y * quotient

    def quotient(self, x: int, y: int) -> int:
        """Rounded down, or in C towards 0."""
        if y == 0:
            raise Leaves
        return maps._quotient(x, y) if self.m.truncating else x // y

    def truth(self, e: ast.expr, env: Env) -> bool:
        """A condition, its sides in their common type."""
        match e:
            case ast.Constant(bool(yes)):
                return yes
            case ast.BoolOp(op, parts):
                found = (self.truth(p, env) for p in parts)
                return all(found) if isinstance(op, ast.And) else any(found)
            case ast.Compare(a, [op], [b]):
                kind = self.common(a, b)
                x, y = self.given(a, env, kind), self.given(b, env, kind)
                match op:
                    case ast.Lt():
                        return x < y
                    case ast.LtE():
                        return x <= y
                    case ast.Gt():
                        return x > y
                    case ast.GtE():
                        return x >= y
                    case ast.Eq():
                        return x == y
                    case ast.NotEq():
                        return x != y
        raise ValueError(ast.dump(e))

    def fails(self, env: Env) -> bool:
        """Whether some value at a point of the domain (the guard aside) leaves its type."""
        self.kinds = {}
        try:
            if not self.truth(self.trees[self.m.guard or "True"], env):
                return False
            known = dict(env)
            for name, text in self.m.lets:
                known[name] = self.value(self.trees[text], known)
                self.kinds[name] = self.kind(self.trees[text])
            for text in self.m.results:
                self.value(self.trees[text], known)
        except Leaves:
            return True
        return False


def points(m: Map, sizes: Env, ends: bool) -> Iterator[Env]:
    """The domain without its guard, or the ends of its ranges; raises where it is not defined."""
    judge = Judge(m._replace(guard=""))
    if not ends:
        yield from judge.points(sizes)
        return
    found = [dict(sizes)]
    for name, low, high in m.domain:
        ranges = [(env, judge.extent(low, high, env)) for env in found]
        found = [{**e, name: r[k]} for e, r in ranges if len(r) for k in {0, len(r) // 2, -1}]
    yield from found


def failing(m: Map, bits: int | None, sizes: Env, ends: bool) -> bool:
    """Whether the claim is false at these sizes (with `ends`: found to be false)."""
    typed, judge = Typed(m, bits), Judge(m)
    try:
        if any(judge.value(d, sizes) < 0 for d in m.box):
            return True
        return any(typed.fails(env) for env in points(m, sizes, ends))
    except (ZeroDivisionError, ValueError):
        return True


def drawn(rng: random.Random) -> Map:
    """A template with some of its words replaced, in one of the languages."""
    head, _, rest = rng.choice(TEMPLATES).partition(": ")
    words = [*maps._words(head), ":", *maps._words(rest)]
    places = [k for k, w in enumerate(words) if w in SPELLINGS]
    for k in rng.sample(places, min(rng.choice([0, 1, 1, 2]), len(places))):
        words[k] = rng.choice(SPELLINGS[words[k]])
    m = maps.taken_apart(" ".join(words))
    with suppress(KeyError, SyntaxError):
        m = maps.of_c(m) if rng.random() < 0.25 else m
    return m


@dataclass(frozen=True)
class OfTypes(Truth):
    """That each value of a map has so many bits, point by point."""

    texts: tuple[str, ...]
    bits: int | None  # none: C's types

    def false(self, env: Any, count: int) -> Any:
        """At which of the sizes it is false."""
        m, sizes = maps.taken_apart(self.texts[0]), np.zeros(count, dtype=bool)
        for n in range(count):
            sizes[n] = failing(m, self.bits, {x: int(env[x][n]) for x in self.names}, False)
        return sizes

    def first(self, env: Any) -> Failure:
        """Anything."""
        return Failure(ANY, ANY, ANY, ANY)

    def volume(self, env: Any, count: int) -> Any:
        """What looking at it costs."""
        return np.full(count, 400.0)


def claim(rng: random.Random) -> Claim:
    """A random claim in few bits."""
    m = drawn(rng)
    while not maps.well_formed(m) or m.truncating:
        m = drawn(rng)
    text = " ".join(map(maps.variable, maps._words(m.text)))
    names = tuple(dict.fromkeys(w for w in maps._words(text) if w in ("M", "N", "G")))
    facts = tuple(f"{n} <= {rng.randint(1, 4)}" for n in names)
    bits = rng.choice([4, 5, 6, 7])
    return Claim("fits", (text, str(bits)), facts, OfTypes(names, (text,), bits), "map")


def judged(rng: random.Random) -> tuple[str, str]:
    """A random claim: the verdict's status, and what is unsound about it ("" where nothing is)."""
    m = drawn(rng)
    while not maps.well_formed(m):
        m = drawn(rng)
    names = sorted({w for w in maps._words(m.text) if w in ("M", "N", "G")})
    bits = rng.choice([3, 4, 5, 6]) if rng.random() < 0.5 else None
    if bits is None:
        limits = {n: rng.choice([4, 40, 1000, 2**15, 2**16, 2**20, 2**31 - 1]) for n in names}
    else:
        limits = {n: rng.randint(1, maps.LARGEST) for n in names}
    facts = [f"{n} <= {k}" for n, k in limits.items()]
    given = [m.text] if bits is None else [m.text, str(bits)]
    said = f"fits {given} where {facts}"
    try:
        verdict = asking.verdict("fits", given, facts, {})
    except Exception as error:
        refused = asking.refusal(error)
        if refused is None:
            raise
        return f"error {refused[0]}", ""
    if verdict.refuted:
        return "refuted", refuted(m, bits, verdict.counterexample, limits, said)
    if not verdict.proved:
        return str(verdict.status), ""
    if rng.random() < 0.2 and (made := verdict.certificate) is not None:
        faults = asking.recheck(made, " ".join(["fits", *[f'"{g}"' for g in given]]), facts)
        if faults:
            return "proved", f"{said}: its certificate is turned down: {faults}"
    for env in looked_at(rng, limits, bits is not None):
        if failing(m, bits, env, bits is None):
            return "proved", f"{said}: proved, and false at {env}"
    return "proved", ""


def looked_at(rng: random.Random, limits: Mapping[str, int], all_of_them: bool) -> Iterator[Env]:
    """Sizes at which a claim is looked at: all, or the ends of their ranges and some between."""
    if all_of_them:
        ranges = [range(1, k + 1) for k in limits.values()]
        yield from (dict(zip(limits, s)) for s in product(*ranges))
        return
    ends = [sorted({1, 2, k - 1, k, rng.randint(1, k)} - {0}) for k in limits.values()]
    yield from (dict(zip(limits, s)) for s in product(*ends))


def refuted(m: Map, bits: int | None, found: object, limits: Env, said: str) -> str:
    """What is unsound about a refutation."""
    sizes = dict(getattr(found, "sizes", {}))
    env = {n: sizes.get(n, 1) for n in limits}
    if any(env[n] > k for n, k in limits.items()):
        return f"{said}: refuted at {env}, which the facts do not allow"
    coords = tuple(getattr(found, "coords", ()))
    if len(coords) == len(m.domain):
        point = {**env, **dict(zip([n for n, *_ in m.domain], coords))}
        inside = [Judge(m).extent(a, b, point) for _, a, b in m.domain]
        if all(x in r for x, r in zip(coords, inside)) and Typed(m, bits).fails(point):
            return ""
    if failing(m, bits, env, bits is None):
        return ""
    return f"{said}: refuted, and true at {env}"
