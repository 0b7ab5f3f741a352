"""What a certificate says, as frozen values of exact types: the claim, steps, reasons, goals."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from symlayout.certificate.exact import FREE, MOST_WORK, Poly, Rejected, Work, polynomial
from symlayout.expr.operators import Operator
from symlayout.expr.relations import Relation, read_relations
from symlayout.expr.terms import KINDS, SIMPLE, Application, put, symbol
from symlayout.expr.tree import Expr, Integer
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.expr.ranges import Range

LARGEST_MODULUS = 128  # by which remainders are looked at
# lists of expressions that a certificate supplies
LISTS = ("back", "inverse", "first", "second", "forth")
# kinds of proof, where there are several; for every word finitely many points can be looked at, and
# sizes be told apart by signs
METHODS = {
    "bijective": ("count", "no gaps", "script", "rank", "blocks"),
    **dict.fromkeys(
        ("injective", "bounded", "onto", "valid", "equal"),
        ("definition", "script", "rank", "blocks"),
    ),
    **dict.fromkeys(("formula", "fits"), ("definition", "script")),
    "inverse": ("script", "rank", "blocks"),
    "disjoint": ("script",),
    "bitcast": ("digits", "digits of B"),
    **dict.fromkeys(("holds", "divides"), ("definition", "script")),
    "aligned": ("definition", "script"),
    "reinterpret": ("order", "order of B", "full", "match"),
}
ENTIRE = ("script", "rank", "blocks")  # kinds that are no parts with goals of one claim


class Malformed(Rejected):
    """What is not a certificate: a wrong type, an unknown key, a name that is none, a limit passed."""


@dataclass(frozen=True)
class Drawn:
    """A map that no text spells, by its parts."""

    shape: tuple[str, ...]
    coords: tuple[str, ...]
    offset: str
    size: str
    bits: int | None

    def __str__(self) -> str:
        lists = f"({', '.join(self.coords)}) in [{', '.join(self.shape)}]"
        return f"<map {lists} to {self.offset}, size {self.size}, bits {self.bits}>"


Argument: TypeAlias = "str | tuple[str, ...] | Drawn"


@dataclass(frozen=True)
class Statement:
    """The whole claim: its word, its arguments, its options and the facts.

    >>> print(Statement("onto", ("f32[N]{0}",), (), ("N >= 2",)))
    onto "f32[N]{0}" --where "N >= 2"
    """

    word: str
    arguments: tuple[Argument, ...]
    options: tuple[tuple[str, str], ...] = ()
    facts: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = [_quotation(_spelling(a)) for a in self.arguments]
        words += [f"--{k} {_quotation(v)}" for k, v in self.options]
        return " ".join([self.word, *words, *[f"--where {_quotation(f)}" for f in self.facts]])

    @property
    def words(self) -> list[str]:
        """The word and the arguments, as a command line has them."""
        return [self.word, *map(_spelling, self.arguments)]


def _spelling(argument: Argument) -> str:
    return f"[{','.join(argument)}]" if isinstance(argument, tuple) else str(argument)


def _quotation(text: str) -> str:
    """As a shell's word: in double quotes, or in single ones where something in it has a meaning."""
    return f'"{text}"' if re.search(r'["$`\\!]', text) is None else shlex.quote(text)


@dataclass(frozen=True)
class Plain:
    """A reason of one word: "identity", "known", "plain", or "smt" (the solvers are asked)."""

    word: str


@dataclass(frozen=True)
class Both:
    """p == 0: reasons for p >= 0 and for p <= 0."""

    least: Reason
    most: Reason


@dataclass(frozen=True)
class Signed:
    """p != 0: it is positive, or it is negative."""

    positive: bool
    why: Reason


@dataclass(frozen=True)
class Remainders:
    """What p leaves modulo a number, whatever its unknowns are, is never 0: p != 0.

    Or, where p + below >= 0, it is never that of -1, ..., -below: p >= 0.
    """

    modulus: int
    below: int
    why: Reason


@dataclass(frozen=True)
class Instance:
    """p >= 0 as what a law says of these polynomials; reasons for what the law demands."""

    law: str
    arguments: tuple[tuple[str, Poly], ...]
    whys: tuple[Reason, ...]


Reason: TypeAlias = "Plain | Both | Signed | Remainders | Instance"


@dataclass(frozen=True)
class This:
    """Which relation of a goal holds, and why; None: the solvers are asked whether one does."""

    which: int | None
    why: Reason


@dataclass(frozen=True)
class Fact:
    """A fact of the claim, by its number."""

    number: int


@dataclass(frozen=True)
class Defined:
    """What a fact of the claim divides by is not 0: where it were, the fact would not hold."""

    number: int


@dataclass(frozen=True)
class Coordinate:
    """A coordinate lies within its size."""

    name: str


@dataclass(frozen=True)
class Have:
    """Something is not negative, for later use."""

    that: Poly
    why: Reason


@dataclass(frozen=True)
class Solve:
    """An unknown stands for what it equals from now on."""

    atom: str
    value: Poly
    why: Reason


@dataclass(frozen=True)
class Use:
    """An instance of a law, with names for the unknowns that it introduces."""

    law: str
    arguments: Mapping[str, Poly]
    new: Mapping[str, str]
    whys: tuple[Reason, ...]


Step: TypeAlias = "Fact | Defined | Coordinate | Have | Solve | Use"


class Held(NamedTuple):
    """The steps of one part, and the reason for each of its goals."""

    steps: tuple[Step, ...]
    goals: tuple[This, ...]


@dataclass(frozen=True)
class Texts:
    """Expressions that a certificate supplies: lists of them, and a script of moves."""

    offset: str = "offset"
    lists: Mapping[str, tuple[str, ...]] | None = None
    script: tuple[tuple[str, ...], ...] = ()

    def sequence(self, key: str) -> tuple[str, ...]:
        """The list of that name; raises `Malformed` where there is none."""
        if self.lists is None or key not in self.lists:
            raise Malformed(f"texts: there is no {key!r}")
        return self.lists[key]


@dataclass(frozen=True)
class Proof:
    """A whole certificate."""

    claim: Statement
    sizes: Mapping[str, int]
    by: str
    hint: str | None
    texts: Texts
    parts: Mapping[str, Held]
    seal: str
    points: tuple[Mapping[str, int], ...] = ()


class Law(NamedTuple):
    """A row of `lemmas.toml`: for all variables, the premises give the conclusions."""

    variables: Sequence[str]
    new: Mapping[str, str]
    premises: Sequence[Relation]
    conclusions: Sequence[Relation]


def difference(r: Relation, work: Work) -> Poly:
    """The left side without the right one; raises `Rejected` where something is divided."""
    apart = without_division(r, work)
    if apart is None:
        raise Rejected(f"{r} divides")
    return apart


def without_division(r: Relation, work: Work) -> Poly | None:
    """The left side without the right one; None where something is divided."""
    apart, cost = _difference(r)
    work.spend(cost)
    return apart


@lru_cache(maxsize=2000)
def _difference(r: Relation) -> tuple[Poly | None, int]:
    """How far the sides are apart, None where that is no polynomial, and what it costs."""
    work, apart = Work(), None
    with suppress(Rejected):
        apart = polynomial(r.left, work) - polynomial(r.right, work)
    return apart, int(MOST_WORK - work.left)


@lru_cache(maxsize=1000)
def quotient_free(e: Expr) -> Poly | None:
    """The polynomial of an expression of a law; None where something in it is divided."""
    return without_division(Relation("==", e, Integer(0)), FREE)


class Laws(dict[str, Law]):
    """Laws by name; that of an operator between numbers, `NAME[0,255]`, is made from its row."""

    def __missing__(self, name: str) -> Law:
        law = _law_of_bounds(name)
        if law is None:
            raise KeyError(name)
        return law

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or _law_of_bounds(str(name)) is not None


@cache
def laws() -> Laws:
    """The laws that steps are instances of, by name."""
    results = Laws()
    table = tomllib.loads((files("symlayout.certificate") / "lemmas.toml").read_text())
    for name, row in table.items():
        new, texts = row.get("new", {}), (row.get("if", ()), row["then"])
        relations, after = ([r for t in several for r in read_relations(t)] for several in texts)
        words = {n for r in relations + after for n in r.names} - set(new)
        results[name] = Law(sorted(words), new, relations, after)
    for kind in SIMPLE:
        results |= _laws_of(kind)
    return results


BOUNDS = regex(r"(\w+)\[(-?\d{0,99},-?\d{0,99}(?:;-?\d{0,99},-?\d{0,99}){0,3})\]", re.A)


def name_of_bounds(row: Operator, ends: Sequence[Range]) -> str:
    """The law that an operator of arguments between these numbers is between others."""
    texts = [",".join("" if x in (inf, -inf) else str(x) for x in pair) for pair in ends]
    return f"{row.name}[{';'.join(texts)}]"


@lru_cache(maxsize=1000)
def _law_of_bounds(name: str) -> Law | None:
    match = BOUNDS.fullmatch(name)
    kind = KINDS.get(match[1]) if match else None
    pairs = [pair.split(",") for pair in match[2].split(";")] if match else []
    if kind not in SIMPLE or "-" in (x for pair in pairs for x in pair):
        return None
    from symlayout.expr.lawtexts import arguments, demands_of

    row, words = kind.row, arguments(kind.row)
    ends = [(int(a) if a else -inf, int(b) if b else inf) for a, b in pairs]
    if len(pairs) != len(words) or any(a > b for a, b in ends):
        return None
    symbols = [*map(symbol, words)]
    low, high = row.interval(*ends)
    before = [Relation(">=", x, Integer(int(a))) for x, (a, _) in zip(symbols, ends) if a != -inf]
    before += [Relation("<=", x, Integer(int(b))) for x, (_, b) in zip(symbols, ends) if b != inf]
    call = kind(*symbols)
    after = [Relation(">=", call, Integer(int(low)))] if low != -inf else []
    after += [Relation("<=", call, Integer(int(high)))] if high != inf else []
    return Law(words, {}, [*demands_of(row), *before], after)


def _laws_of(kind: type[Application]) -> dict[str, Law]:
    """The laws of a row of `operators`, which Rocq proves, and no solver: it lacks the operator.

    The first names the result; each law with premises of its own is one more, about the call.
    """
    from symlayout.expr.lawtexts import arguments, demands_of, laws_of

    row, words = kind.row, arguments(kind.row)
    symbols, demands = [*map(symbol, words)], [*demands_of(row)]
    call, r = kind(*symbols), symbol("r")
    always = [law.conclusion for law in laws_of(row) if not law.premises]
    results = {row.name: Law(words, {"r": str(call)}, demands, [Relation("==", call, r), *always])}
    for k, law in enumerate(law for law in laws_of(row) if law.premises):
        sides = [put(e, {r: call}) for e in (law.conclusion.left, law.conclusion.right)]
        after = [Relation(law.conclusion.op, *sides)]
        results[f"{row.name}_{k}"] = Law(words, {}, [*demands, *law.premises], after)
    return results
