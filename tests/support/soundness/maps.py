"""Random index functions against brute force, both written from one random tree.

    cd tests/support && python -m soundness.maps 500 --seed 7

A tree gives a text, for the package, and a function of plain integers, for the judge: the judge reads
nothing that the package has made.  Prints what is unsound, and how many were proved and refuted.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from soundness import asking, vanishing
from soundness.arithmetic import top_level
from soundness.judging import Claim
from soundness.truth import ANY, Failure, TooMany, Truth

Env = dict[str, int]
LARGEST = 5  # a size in the brute force
LONGEST = 2000  # bits of a number
POINTS = 20_000  # of one map at some sizes
VANISHING = 0.35  # of the maps have terms that come to 0
TEMPLATES = (
    "map p < M*N: f = p//(G*N)*G; w = min(M - f, G); (f + p%(G*N)%w, p%(G*N)//w) in (M, N)",
    "map b < ceildiv(N, G), t < G if b*G + t < N: b*G + t in N",
    "map r < M, c < 16: r*16 + ((c//4) ^ (r%4))*4 + c%4 in M*16",
    "map i < M, j < N: (i, j if i % 2 == 0 else N - 1 - j) in (M, N)",
    "map i < 2*N: (i//2 if i % 2 == 0 else N + i//2) in 2*N",
    "map i < N: (i if i < G else i) in N",
    "map i < M*N: (i//N, i%N) in (M, N)",
    "map p < M*N: q = p//N; (q, p - q*N) in (M, N)",
    "map i < N, j < M if i < G and j != 1: i*M + j in N*M",
    "map i < N: (N - 1 - i if i < N else 0) in N",
    "map b < N//G, t < G: (b*G + t if b < N else 0) in N",
    "map i < N, j < G: (min(i*G + j, N*G - 1), 0) in (N*G, 1)",
    "map -2 <= i < N: (i + 2, 0) in (N + 2, 1)",
    "map s < G, t < ceildiv(N, G) if s*ceildiv(N, G) + t < N: s*ceildiv(N, G) + t in N",
    "map w < G, t < N//G + (1 if w < N%G else 0): w*(N//G) + min(w, N%G) + t in N",
    "map i < M, j < N: (i, (i + j)%N) in (M, N)",
    "map i < N: (i + G)%N in N",
    "map i < N, j < i + 1: i*(i + 1)//2 + j in N*(N + 1)//2",
    "map i < N, j < N - i: i*N - i*(i - 1)//2 + j in N*(N + 1)//2",
    "map p < M*N: i = p//N; j = p%N; (i, j if i%2 == 0 else N - 1 - j) in (M, N)",
    "map p < M*N: g = p//(G*N); w = min(M - g*G, G); n = p%(G*N)//w;"
    " (g*G + p%(G*N)%w, n if g%2 == 0 else N - 1 - n) in (M, N)",
    "map x < 8*N: x ^ (x//4%4) in 8*N",
    "map r < M, c < 8: r*8 + (c ^ (r%8) ^ (r//4%2)) in M*8",
    "map a < M, b < 4: (a*4) | b in M*4",
    "map x < 4*N: (x & 1) + 2*(x//2) in 4*N",
    "map i < N, k < G if i + k - 1 >= 0 and i + k - 1 < N: i + k - 1 in N",
    "map i < N: t = i + G; (t if t < N else t - N) in N",
    "map i < M, j < N if j < i: (max(i, j), min(i, j)) in (M, N)",
    "map s < G, i < ceildiv(N - s, G): s + i*G in N",
    "map w < G, i < ceildiv(M*N, G) if w*ceildiv(M*N, G) + i < M*N:"
    " x = w*ceildiv(M*N, G) + i; (x//N, x%N) in (M, N)",
    "map w < G, i < M: x = w*M + i; (x//G, x%G) in (M, G)",
    "map x < 16*N: x ^ (x//2%8) in 16*N",
    "map x < 32*N: x ^ (x//8%4*4) in 32*N",
    "map x < 8*N: x ^ (x*2%8) in 8*N",
    "map i < M, j < N: (i - j, j) in (M, N)",
    "map i < M, j < N, k < G: (i - j - 2*k, j - k, k) in (M, N, G)",
    "map i < M, j < N: int64(i)*N + uint32(j) in M*N",
    "map i < N: ~i + N in N",
    "map i < M, j < 4: (i << 2) + (j ^ 3) in M << 2",
    "map x < 4*N: (x >> 2, x & 3) in (N, 4)",
    "map i < N, j < 1 << G: (i << G) + j in N << G",
    "map x < N << G: (x >> G, x & ((1 << G) - 1)) in (N, 1 << G)",
    "map r < M, c < 1 << G: (r << G) + (c ^ (r & ((1 << G) - 1))) in M << G",
    "map a < M, b < 1 << G: (a << G) | b in M << G",
    "map i < N, k < G: i << k in N << G",
    "map i < N, k < G: (i << G >> k, k) in (N << G, G)",
    "map t < 8: t*N % 8 in 8",
    "map t < 4: t*(N + 2) % 8 in 8",
    "map t < G: (t*M + 1) % 12 in 12",
    "map i < N: 3*i % N in N",
    "map i < N: (2*i + G) % N in N",
    "map i < N: 4*i % N in N",
    "map i < 3, j < N: i*M + j*3 in 2*M + N*3",
    "map i < 2, j < G: i*(2*N + 1) + j*4 in 2*N + G*4",
    "map i < M, j < N: (i*N + j) % G in G",
    "map i < N, t < 4: i*4 + t*(2*M + 1) % 4 in N*4",
    "map t < 6: (t*G % 6)//2 in 3",
    "map i < gcd(M, N), j < G: i*G + j in gcd(N, M)*G",
    "map t < 8//gcd(N, 8): t*N % 8 in 8",
    "map x < 1 << G: (1 << G) - 1 - x in 1 << G",
    "map i < 1 << G, j < 1 << M: (j << G) + i in 1 << (G + M)",
)
SPELLINGS = {
    "G": ["G", "2", "3", "4", "(G+1)", "N", "M"],
    "N": ["N", "N", "M", "(N-1)", "(N+1)", "4"],
    "M": ["M", "M", "N", "G"],
    "min": ["min", "max"],
    "<": ["<", "<="],
    "<<": ["<<", ">>", "+"],
    ">>": [">>", "<<"],
    "==": ["==", "!=", "<"],
    "^": ["^", "|", "&", "+"],
    "+": ["+", "-", "*"],
    "2": ["2", "3"],
    "4": ["4", "2", "3", "8"],
    "1": ["1", "0", "2"],
    "%": ["%", "//"],
    "and": ["and", "or"],
}
FACTS = (
    "N <= 5", "N <= 100000", "M <= 2147483647", "G <= 4", "G <= 3000000000", "N % 2 == 1",
    "N % 3 != 0", "M % 4 == 2", "M % 2 == 0", "G % 2 != 0", "12 % G == 0", "gcd(N, 8) == 1",
)  # fmt: skip
GIVEN = 0.35  # of the claims have facts


class Map(NamedTuple):
    """A text, and the same in plain integers."""

    text: str
    domain: tuple[tuple[str, str, str], ...]  # name, low, high
    guard: str
    lets: tuple[tuple[str, str], ...]
    results: tuple[str, ...]
    box: tuple[str, ...]
    truncating: bool = False  # whether the text is C, in which quotients are rounded towards 0


def drawn(rng: random.Random) -> Map:
    """A template with some of its words replaced, and at times with terms that come to 0."""
    head, _, rest = rng.choice(TEMPLATES).partition(": ")
    changes = rng.choice([0, 1, 1, 1, 2])
    words = [*_words(head), ":", *_words(rest)]
    places = [k for k, w in enumerate(words) if w in SPELLINGS]
    for k in rng.sample(places, min(changes, len(places))):
        words[k] = rng.choice(SPELLINGS[words[k]])
    m = taken_apart(" ".join(words))
    return vanished(rng, m) if rng.random() < VANISHING else m


def vanished(rng: random.Random, m: Map) -> Map:
    """The map with something in it that may have no value, and whose value changes nothing."""
    parts = vanishing.Parts(m.domain, m.guard, m.lets, m.results, m.box, sizes_in(m.text))
    return taken_apart(" ".join(_words(vanishing.changed(rng, parts))))


def sizes_in(*texts: str) -> list[str]:
    """The sizes that occur."""
    return sorted({w for t in texts for w in _words(t) if w in ("M", "N", "G")})


def _words(text: str) -> list[str]:
    out, k = list[str](), 0
    while k < len(text):
        two = text[k : k + 2]
        if text[k].isspace():
            k += 1
        elif text[k].isalnum():
            end = k
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            out.append(text[k:end])
            k = end
        elif two in ("//", "<=", ">=", "==", "!=", "<<", ">>", "**"):
            out.append(two)
            k += 2
        else:
            out.append(text[k])
            k += 1
    return out


def taken_apart(text: str) -> Map:
    """The parts of a map's text, by the shape that the templates have."""
    head, _, rest = text.removeprefix("map ").partition(" : ")
    at = next((m.start() for m in re.finditer(" if ", head) if _closed(head[: m.start()])), None)
    domain, guard = (head, "") if at is None else (head[:at], head[at + 4 :])
    *lets, last = rest.split(" ; ")
    result, _, box = last.rpartition(" in ")
    ranges = []
    for part in top_level(domain):
        found = re.fullmatch(r"(?:(.*?) <=? )?(\w+) <=? (.*)", part)
        if found is None:
            raise ValueError(text)
        ranges.append((found[2], found[1] or "0", found[3]))
    made = [(n.strip(), e.strip()) for n, _, e in (one.partition(" = ") for one in lets)]
    return Map(text, tuple(ranges), guard, tuple(made), _row(result), _row(box))


def _closed(text: str) -> bool:
    """Whether every parenthesis that opens is closed."""
    return text.count("(") == text.count(")")


def _row(text: str) -> tuple[str, ...]:
    inner = text.strip()
    if inner.startswith("(") and inner.endswith(")") and len(top_level(inner[1:-1])) > 1:
        return tuple(top_level(inner[1:-1]))
    return (inner,)


def _ceildiv(a: int, b: int) -> int:
    return -(-a // b)


def _common(a: int, b: int) -> int:
    """The greatest common divisor, by remainders."""
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return a


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - b * _quotient(a, b)


def _power(a: int, b: int) -> int:
    """Without a value where the exponent is below 0, as shifts are."""
    if b > LONGEST:
        raise TooMany
    if b < 0:
        raise ValueError
    return int(a**b)


class _Powers(ast.NodeTransformer):
    """Powers and shifts, which nobody computes where they are too large."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, (ast.Pow, ast.LShift)):
            return node
        base = node.left if isinstance(node.op, ast.Pow) else ast.Constant(2)
        power = ast.Call(ast.Name("power", ast.Load()), [base, node.right], [])
        return power if isinstance(node.op, ast.Pow) else ast.BinOp(node.left, ast.Mult(), power)


class _Truncated(ast.NodeTransformer):
    """Quotients and remainders as C has them."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        words = {ast.FloorDiv: "quotient", ast.Mod: "remainder"}
        if type(node.op) not in words:
            return node
        return ast.Call(ast.Name(words[type(node.op)], ast.Load()), [node.left, node.right], [])


def truncated(e: ast.Expression) -> str:
    """An expression of Python's with C's quotients."""
    return ast.unparse(ast.fix_missing_locations(_Truncated().visit(e)))


def in_c(text: str) -> str:
    """The same signs as C writes them."""
    signs = {
        ast.LShift: "<<",
        ast.RShift: ">>",
        ast.FloorDiv: "/",
        ast.Mod: "%",
        ast.Mult: "*",
        ast.Add: "+",
        ast.Sub: "-",
    }
    signs |= {ast.BitXor: "^", ast.BitOr: "|", ast.BitAnd: "&", ast.Lt: "<", ast.LtE: "<="}
    signs |= {
        ast.Gt: ">",
        ast.GtE: ">=",
        ast.Eq: "==",
        ast.NotEq: "!=",
        ast.And: "&&",
        ast.Or: "||",
    }

    def spelled(e: ast.expr) -> str:
        match e:
            case ast.IfExp(c, a, b):
                return f"({spelled(c)} ? {spelled(a)} : {spelled(b)})"
            case ast.BinOp(a, op, b):
                return f"({spelled(a)} {signs[type(op)]} {spelled(b)})"
            case ast.BoolOp(op, parts):
                return f"({f' {signs[type(op)]} '.join(map(spelled, parts))})"
            case ast.Compare(a, [op], [b]):
                return f"({spelled(a)} {signs[type(op)]} {spelled(b)})"
            case ast.UnaryOp(ast.USub() | ast.Invert() as op, a):
                return f"({'-' if isinstance(op, ast.USub) else '~'}{spelled(a)})"
            case ast.Call(ast.Name(word), parts):
                return f"{word}({', '.join(map(spelled, parts))})"
            case _:
                return ast.unparse(e)

    return spelled(ast.parse(text.strip(), mode="eval").body)


def of_c(m: Map) -> Map:
    """The map as C has it."""
    ranges = [f"{in_c(a)} <= {n} < {in_c(b)}" for n, a, b in m.domain]
    guard = f" if {in_c(m.guard)}" if m.guard else ""
    lets = "".join(f"{n} = {in_c(e)}; " for n, e in m.lets)
    row, box = (", ".join(map(in_c, part)) for part in (m.results, m.box))
    if len(m.results) > 1:
        row, box = f"({row})", f"({box})"
    text = f"map {', '.join(ranges)}{guard}: {lets}{row} in {box}"
    if "/" not in text:
        return m  # without a quotient a text is Python's
    return m._replace(text=text, truncating=True)


class Judge:
    """Brute force by Python's own operators: the templates are Python's expressions."""

    def __init__(self, m: Map) -> None:
        self.m = m
        make = truncated if m.truncating else ast.unparse
        texts = [x for r in m.domain for x in r[1:]] + [*m.results, *m.box, *[e for _, e in m.lets]]
        trees = {t: ast.parse(t, mode="eval") for t in {*texts, m.guard or "True"}}
        made = {t: make(ast.fix_missing_locations(_Powers().visit(e))) for t, e in trees.items()}
        self.code = {t: compile(e, "<map>", "eval") for t, e in made.items()}
        known = {"ceildiv": _ceildiv, "min": min, "max": max, "gcd": _common}
        self.known = {**known, "__builtins__": {}}
        self.known |= {"quotient": _quotient, "remainder": _remainder, "abs": abs, "power": _power}
        self.known |= dict.fromkeys(("int32", "uint32", "int64", "uint64", "size_t"), int)

    def value(self, text: str, env: Env) -> Any:
        return eval(self.code[text], dict(self.known), env)

    def points(self, sizes: Env) -> Iterator[Env]:
        """The domain; raises `ZeroDivisionError` or `ValueError` where it is not defined."""
        own = {name for name, *_ in self.m.domain}
        for _, low, high in self.m.domain:  # ranges of sizes, whether or not others are empty
            if own.isdisjoint(_words(f"{low} {high}")):
                self.extent(low, high, sizes)
        for n, env in enumerate(self.further(0, dict(sizes))):
            if n > POINTS:
                raise TooMany
            yield env

    def about(self, sizes: Env) -> float:
        """About how many points there are: by ranges at the beginnings of those before."""
        env, many = dict(sizes), 1.0
        with suppress(ZeroDivisionError, ValueError, TooMany):
            for name, low, high in self.m.domain:
                env[name] = self.value(low, env)
                many *= max(0, min(self.value(high, env) - env[name], POINTS))
        return many

    def extent(self, low: str, high: str, env: Env) -> range:
        """The values of a range; raises `ValueError` where it ends before it begins."""
        a, b = self.value(low, env), self.value(high, env)
        if b < a:
            raise ValueError
        return range(a, b)

    def further(self, k: int, env: Env) -> Iterator[Env]:
        """The points that begin with those values."""
        if k == len(self.m.domain):
            if self.value(self.m.guard or "True", env):
                yield dict(env)
            return
        name, low, high = self.m.domain[k]
        for x in self.extent(low, high, env):
            yield from self.further(k + 1, {**env, name: x})

    def place(self, env: Env) -> tuple[int, ...]:
        """The results at a point, after every definition, whether or not something uses it."""
        for name, e in self.m.lets:
            env[name] = self.value(e, env)
        return tuple(self.value(e, env) for e in self.m.results)

    def holds(self, word: str, sizes: Env) -> bool:
        """Whether the claim is defined and true at these sizes."""
        try:
            # a coordinate may stand in the box where it cancels, so any value of it will do
            unused = dict.fromkeys((name for name, *_ in self.m.domain), 1)
            box = tuple(self.value(d, {**unused, **sizes}) for d in self.m.box)
            if any(d < 0 for d in box):
                return False
            places = []
            for env in self.points(sizes):
                places.append(self.place(env))
        except (ZeroDivisionError, ValueError):
            return False
        inside = all(0 <= x < d for p in places for x, d in zip(p, box))
        once = len(set(places)) == len(places)
        every = prod(box) <= len(places) and set(product(*map(range, box))) <= set(places)
        answers = {"injective": once, "bounded": inside, "onto": every, "valid": once and inside}
        return answers.get(word, once and inside and every)


def judged(m: Map, word: str, checked: bool = False) -> tuple[str, str]:
    """The verdict's status, and what is unsound about it ("" where nothing is)."""
    names = sizes_in(m.text)
    try:
        verdict = asking.verdict(word, [m.text], [], {})
    except Exception as error:
        refused = asking.refusal(error)
        if refused is None:
            raise
        return f"error {refused[0]}", ""
    judge = Judge(m)
    if verdict.proved:
        if checked and (made := verdict.certificate) is not None:
            faults = asking.recheck(made, f'{word} "{m.text}"', [])
            if faults:
                return "proved", f"{word} {m.text}: its certificate is turned down: {faults}"
        for sizes in product(range(1, LARGEST + 1), repeat=len(names)):
            env = dict(zip(names, sizes))
            if fails(lambda env=env: judge.holds(word, env)):
                return "proved", f"{word} {m.text}: proved, and false at {env}"
    if verdict.refuted:
        env = {n: verdict.counterexample.sizes.get(n, 1) for n in names}
        if holds(lambda: judge.holds(word, env)):
            return "refuted", f"{word} {m.text}: refuted, and true at {env}: {verdict.reason}"
    return verdict.status, ""


def holds(test: Callable[[], bool]) -> bool:
    """Whether it is true; what has too many points to be looked at is neither true nor false."""
    try:
        return test()
    except TooMany:
        return False


def fails(test: Callable[[], bool]) -> bool:
    """Whether it is false."""
    return holds(lambda: not test())


PAIRS = ("inverse", "disjoint")  # words that speak of two maps
SAME = "equal"  # and of two that are alike
CODES = (  # maps of one number to a pair or to a number, and back
    ("map p < M*N: (p//N, p%N) in (M, N)", "map a < M, b < N: a*N + b in M*N"),
    ("map p < M*N: (p%M, p//M) in (M, N)", "map a < M, b < N: b*M + a in M*N"),
    ("map i < N: N - 1 - i in N", "map j < N: N - 1 - j in N"),
    ("map i < N: 2*i in 2*N", "map j < M: 2*j + 1 in 2*M"),
    ("map i < N, j < G: i*G + j in N*G", "map k < M: N*G + k in N*G + M"),
    ("map i < N: i + M in N + M", "map j < N + M if j >= M: j - M in N"),
)


def pair(rng: random.Random) -> tuple[Map, Map]:
    """Two maps that may undo each other, or reach different places, with some words replaced."""
    made = []
    for text in rng.choice(CODES):
        head, _, rest = text.partition(": ")
        words = [*_words(head), ":", *_words(rest)]
        places = [k for k, w in enumerate(words) if w in SPELLINGS]
        for k in rng.sample(places, rng.choice([0, 0, 1])):
            words[k] = rng.choice(SPELLINGS[words[k]])
        m = taken_apart(" ".join(words))
        made.append(vanished(rng, m) if rng.random() < VANISHING else m)
    return made[0], made[1]


def same(rng: random.Random) -> tuple[Map, Map]:
    """A map, and the same one with terms that come to 0, or another one."""
    m = drawn(rng)
    other = vanished(rng, m) if rng.random() < 0.8 else drawn(rng)
    return (m, other) if rng.random() < 0.5 else (other, m)


def pair_holds(word: str, maps: tuple[Map, Map], sizes: Env) -> bool:
    """Whether both maps undo each other, or no place is reached by both."""
    tables: list[dict[tuple[int, ...], tuple[int, ...]]] = []
    try:
        for m in maps:
            judge, table = Judge(m), dict[tuple[int, ...], tuple[int, ...]]()
            if any(judge.value(d, sizes) < 0 for d in m.box):
                return False
            for env in judge.points(sizes):
                place = tuple(env[name] for name, *_ in m.domain)
                table[place] = judge.place(env)
            tables.append(table)
    except (ZeroDivisionError, ValueError):
        return False
    f, g = tables
    if word == "disjoint":
        return not {*f.values()} & {*g.values()}
    if word == SAME:
        return f == g
    return all(g.get(y) == x for x, y in f.items()) and all(f.get(y) == x for x, y in g.items())


def pair_judged(maps: tuple[Map, Map], word: str) -> tuple[str, str]:
    """The verdict's status on two maps, and what is unsound about it ("" where nothing is)."""
    texts = [m.text for m in maps]
    names = sizes_in(*texts)
    try:
        verdict = asking.verdict(word, texts, [], {})
    except Exception as error:
        refused = asking.refusal(error)
        if refused is None:
            raise
        return f"error {refused[0]}", ""
    every = (dict(zip(names, s)) for s in product(range(1, LARGEST + 1), repeat=len(names)))
    if verdict.proved:
        false = next((e for e in every if fails(lambda e=e: pair_holds(word, maps, e))), None)
        return "proved", "" if false is None else f"{word} {texts}: proved, and false at {false}"
    if verdict.refuted:
        env = {n: verdict.counterexample.sizes.get(n, 1) for n in names}
        if holds(lambda: pair_holds(word, maps, env)):
            return "refuted", f"{word} {texts}: refuted, and true at {env}: {verdict.reason}"
    return verdict.status, ""


# -- as claims of the campaign of all words -------------------------------------------------------


@dataclass(frozen=True)
class OfMaps(Truth):
    """What a word says of index functions, point by point."""

    word: str
    texts: tuple[str, ...]

    def false(self, env: Any, count: int) -> Any:
        maps = tuple(map(taken_apart, self.texts))
        made = np.zeros(count, dtype=bool)
        for n in range(count):
            sizes = {x: int(env[x][n]) for x in self.names}
            if self.word in (*PAIRS, SAME):
                made[n] = not pair_holds(self.word, (maps[0], maps[1]), sizes)
            else:
                made[n] = not Judge(maps[0]).holds(self.word, sizes)
        return made

    def first(self, env: Any) -> Failure:
        return Failure(ANY, ANY, ANY, ANY)

    def volume(self, env: Any, count: int) -> Any:
        judges = [Judge(taken_apart(text)) for text in self.texts]
        made = np.full(count, 400.0)
        for n in range(count):
            sizes = {x: int(env[x][n]) for x in self.names}
            made[n] = max(made[n], *[judge.about(sizes) for judge in judges])
        return made


def claim_of(word: str) -> Callable[[random.Random], Claim]:
    """Random claims of that word about index functions."""

    def draw(rng: random.Random) -> Claim:
        maps: tuple[Map, ...] = ()
        while not (maps and all(map(well_formed, maps)) and comparable(word, maps)):
            two = {SAME: same, **dict.fromkeys(PAIRS, pair)}
            maps = two[word](rng) if word in two else (drawn(rng),)
        texts = tuple(" ".join(map(variable, _words(m.text))) for m in maps)
        given = [w for t in texts for w in _words(t) if w in ("M", "N", "G")]
        truth = OfMaps(tuple(dict.fromkeys(given)), word, texts)
        able = [f for f in FACTS if {w for w in _words(f) if w in ("M", "N", "G")} <= {*given}]
        many = rng.choice((1, 1, 2)) if able and rng.random() < GIVEN else 0
        facts = tuple(rng.sample(able, min(many, len(able))))
        return Claim(word, texts, facts, truth, "map")

    return draw


def well_formed(m: Map) -> bool:
    """Whether its ranges are written as ranges are, and its expressions are expressions."""
    head = m.text.partition(" : ")[0].partition(" if ")[0]
    try:
        for text in () if m.truncating else (*m.results, *m.box, *[e for _, e in m.lets]):
            ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return False
    return not re.search(r"(?:map|,) \w+ <= |\w < \w+ < |<= \w+ <= ", head)


def comparable(word: str, maps: Sequence[Map]) -> bool:
    """Whether results of the one may be variables, or places, of the other."""
    if word == "disjoint":
        return len(maps[0].results) == len(maps[1].results)
    if word == SAME:
        return len({(len(m.domain), len(m.results)) for m in maps}) == 1
    both = zip(maps, maps[::-1])
    return word != "inverse" or all(len(a.results) == len(b.domain) for a, b in both)


def variable(word: str) -> str:
    """A word of a text, where a variable has a name that no size is given."""
    return f"{word}var" if len(word) == 1 and word.islower() else word


def run(
    count: int, seed: int, say: Callable[[str], None] = print
) -> tuple[Counter[str], list[str]]:
    """So many random claims: how many of each status, and what is unsound."""
    from soundness import typed  # which reads maps as they are read here

    rng = random.Random(seed)
    statuses: Counter[str] = Counter()
    unsound: list[str] = []
    for _ in range(count):
        words = ["bijective", "bijective", "injective", "bounded", "onto", "valid", "fits"]
        words += [*PAIRS, SAME]
        word = rng.choice(words)
        if word == "fits":
            status, wrong = typed.judged(rng)
        elif word in (*PAIRS, SAME):
            status, wrong = pair_judged(same(rng) if word == SAME else pair(rng), word)
        else:
            m = drawn(rng)
            with suppress(KeyError, SyntaxError):  # what is no expression, or no C
                m = of_c(m) if rng.random() < 0.25 else m
            status, wrong = judged(m, word, rng.random() < 0.05)
        statuses[status] += 1
        if wrong:
            unsound.append(wrong)
            say(wrong)
    return statuses, unsound


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.perf_counter()
    statuses, unsound = run(options.count, options.seed)
    print(dict(statuses), f"{len(unsound)} unsound, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
