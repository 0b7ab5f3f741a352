"""What proofs by cases speak of, as the checker reads it: cases of a domain, worlds of sizes.

A root is a domain with a guard, and its results; where these are defined is shown apart from them
(`definedness`).  A world has some of the sizes.  A case is a box of coordinates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from symlayout.certificate.definitions import names_in
from symlayout.certificate.exact import Poly, Rejected, as_poly
from symlayout.certificate.part import Goal
from symlayout.expr.conditions import (
    Both,
    Condition,
    Conditionals,
    Either,
    Less,
    rewritten,
    sides,
)
from symlayout.expr.reader import Names, Scanner, any_name, condition_at, expression_at
from symlayout.expr.relations import Relation
from symlayout.expr.terms import BitAnd, BitOr, BitXor, CeilDiv, Exp2, FloorDiv, Mod, Where, put
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol, expand

ZERO: Expr = Integer(0)
ONE: Expr = Integer(1)
BITS = (BitAnd, BitOr, BitXor)


def read(text: str) -> Expr:
    """An expression, with operations on bits and conditionals."""
    result: Expr = _all_of(text, expression_at, "the expression")
    return result


def read_condition(text: str) -> Condition:
    """A condition, whose comparisons may be joined."""
    result: Condition = _all_of(text, condition_at, "the condition")
    return result


def _all_of(text: str, read_at: Callable[[Scanner, Names], Any], what: str) -> Any:
    s = Scanner(text)
    s.more = Conditionals
    result = read_at(s, any_name)
    s.end(what)
    return result


def put_all(c: Condition, table: Mapping[Symbol, Expr]) -> Condition:
    """The condition with symbols replaced."""
    return rewritten(c, lambda e: put(e, table))


def holds(c: Less) -> Relation:
    """A comparison as a relation."""
    return Relation("<", c.left, c.right)


def of_comparison(c: Less) -> Relation:
    """A comparison as a fact of sizes: what is more than a number is at least the next one."""
    return Relation(">=", c.right, c.left + 1) if c.left.is_Integer else holds(c)


def goal(op: str, left: Any, right: Any) -> Goal:
    """A goal of one relation."""
    return [Relation(op, left, Integer(right) if isinstance(right, int) else right)]


def runs(mask: int) -> list[tuple[int, int]]:
    """Where the runs of ones of a number begin, and how long they are.

    >>> runs(0b110111)
    [(0, 3), (4, 2)]
    """
    digits, results, k = bin(mask)[:1:-1], list[tuple[int, int]](), 0
    while k < len(digits):
        n = len(digits[k:]) - len(digits[k:].lstrip("1"))
        results += [(k, n)] if n else []
        k += n or 1
    return results


def with_number(word: Any, x: Any, c: int, digit: Callable[[int, int], Any]) -> Any:
    """`x & c`, `x | c` or `x ^ c`, where `digit(d, n)` is `x // d % n`."""
    both = x * 0
    for low, ones in runs(c if c >= 0 else -c - 1):
        both = both + digit(2**low, 2**ones) * 2**low
    both = both if c >= 0 else x - both
    return both if word is BitAnd else x + c - both * (1 if word is BitOr else 2)


def beside_number(word: Any, a: Poly, b: Poly, rewrite: Callable[..., Poly]) -> Poly | None:
    """An operation on bits with a number, by what divisions are; None for any other."""
    x, constant = (b, a) if not a.atoms else (a, b)

    def digit(d: int, n: int) -> Poly:
        return rewrite(Mod, rewrite(FloorDiv, x, as_poly(d)) if d > 1 else x, as_poly(n))

    if constant.atoms:
        return None
    result: Poly = with_number(word, x, sum(c for _, c in constant.terms), digit)
    return result


def bits_of_number(e: Expr) -> Expr:
    """`x & c`, `x | c` and `x ^ c` for a number c: the bits of c that are 1 are digits of x."""
    if not e.has(*BITS):
        return e
    a = [bits_of_number(x) for x in e.args]
    if isinstance(e, BITS) and (a[0].is_Integer or a[1].is_Integer):
        x, c = (a[1], int(a[0])) if a[0].is_Integer else (a[0], int(a[1]))
        expr: Expr = with_number(type(e), x, c, lambda d, n: Mod(FloorDiv(x, d), n))
        return expr
    if isinstance(e, BitAnd):  # the bits below a power of two are the remainder by it
        for rest, mask in (a, a[::-1]):
            if power_of_two(mask + 1):
                return Mod(rest, mask + 1)
    result: Expr = e.func(*a)
    return result


def with_ceilings(e: Expr) -> Expr:
    """Ceilings for quotients of what falls: `x // d` is `-ceildiv(-x, d)`, whatever x and d are."""
    if not e.args or not e.has(FloorDiv):
        return e
    expr: Expr = e.func(*map(with_ceilings, e.args))

    def sides(q: Expr) -> tuple[list[Expr], list[Expr]]:
        terms = Add.make_args(expand(q.args[0]))
        falling = [t for t in terms if t.as_coeff_Mul()[0] < 0]
        return falling, [t for t in terms if t not in falling]

    if isinstance(expr, FloorDiv):
        return expr if sides(expr)[1] else -CeilDiv(-expr.args[0], expr.args[1])
    if isinstance(expr, Mul) and expr.as_coeff_Mul()[0] < 0:
        for q in expr.args:
            falling, rising = sides(q) if isinstance(q, FloorDiv) else ([], [])
            if names_in(*falling) - names_in(*rising):
                rest = Mul(*[f for f in expr.args if f is not q])
                return -rest * CeilDiv(-q.args[0], q.args[1])
    return expr


@lru_cache(maxsize=4096)  # results, guards and demands of a text have parts in common
def of_text(e: Expr) -> Expr:
    """What a map's text says: operations on bits as sums, quotients of what falls as ceilings."""
    return with_ceilings(bits_of_number(e))


def with_sums(c: Condition) -> Condition:
    """A condition in which operations on a number's bits are sums."""
    return rewritten(c, of_text)


# -- cases ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A box, whose extents may speak of coordinates before; `ops` are claimed of results against 0."""

    box: tuple[tuple[Symbol, Expr], ...]
    results: tuple[Expr, ...]
    guard: tuple[Condition, ...] = ()
    premises: tuple[Less, ...] = ()
    ops: tuple[str, ...] = ()
    loose: bool = False  # it may have more points than the domain

    @property
    def coords(self) -> list[Symbol]:
        """The coordinates."""
        return [x for x, _ in self.box]

    def extent(self, x: Symbol) -> Expr:
        """The extent of a coordinate; raises `Rejected` where it is none."""
        for c, d in self.box:
            if c == x:
                return d
        raise Rejected(f"{x} is not a coordinate of this case")

    def before(self, x: Symbol) -> dict[str, Expr]:
        """The box of the coordinates before one that its extent speaks of; none for sizes alone."""
        self.extent(x)
        k = self.coords.index(x)
        if self.box[k][1].free_symbols.isdisjoint(self.coords):
            return {}
        return {c.name: d for c, d in self.box[:k]}

    def every(self, change: Any) -> Case:
        """Every expression changed, the coordinates apart."""
        return replace(
            self,
            box=tuple((x, change(d)) for x, d in self.box),
            results=tuple(map(change, self.results)),
            guard=tuple(rewritten(c, change) for c in self.guard),
            premises=tuple(Less(change(c.left), change(c.right)) for c in self.premises),
        )

    def at_points(self, change: Any) -> Case:
        """Every expression changed to one that is the same at all points of the case.

        It may not be the same elsewhere: a range that has changed may have let more points in.
        """
        result = self.every(change)
        return replace(result, loose=self.loose or result.box != self.box)

    @property
    def expressions(self) -> list[Expr]:
        """Everything that occurs, the coordinates apart."""
        conditions = sides(*self.guard, *self.premises)
        return [*[d for _, d in self.box], *self.results, *conditions]

    def with_goals(self, claims: Sequence[Expr], same: int = 0) -> Case:
        """The case with results that are claimed to be 0 (so many), or not below it."""
        ops = ("==",) * same + (">=",) * (len(claims) - same)
        return replace(self, results=tuple(claims), ops=ops)

    def flat(self) -> Case:
        """With the conditions of a guard that are joined by `and` one after the other."""
        case = self
        while case.guard and isinstance(case.guard[0], Both):
            first, second = case.guard[0].first, case.guard[0].second
            case = replace(case, guard=(first, second, *case.guard[1:]))
        return case


class World(NamedTuple):
    """Facts, the names of sizes, the roots, and the box of the places of each root."""

    facts: tuple[Relation, ...]
    names: tuple[str, ...]
    roots: tuple[Case, ...]
    boxes: tuple[tuple[Expr, ...], ...]

    def every(self, change: Any, facts: Sequence[Relation]) -> World:
        """Other facts, and every expression changed."""
        boxes = tuple(tuple(map(change, box)) for box in self.boxes)
        roots = tuple(r.every(change) for r in self.roots)
        return World(tuple(facts), self.names, roots, boxes)

    @property
    def vocabulary(self) -> set[str]:
        """Every name that has a meaning."""
        used = {n for r in self.facts for n in r.names} | set(self.names)
        for r in self.roots:
            used |= names_in(*r.expressions) | {x.name for x in r.coords}
        return used


def contrary(c: Condition) -> Condition:
    """What is true exactly where the condition is false."""
    if isinstance(c, Less):
        return Less(c.right, c.left + 1)
    both = contrary(c.first), contrary(c.second)
    return Either(*both) if isinstance(c, Both) else Both(*both)


def with_truth(case: Case, c: Condition, yes: bool, everywhere: bool) -> Case:
    """The case where a condition is true, or false: so conditionals by it are one of their branches.

    It is shown (`everywhere`) of all points of the case, or the case has it as a condition.
    """
    if not isinstance(c, Less):
        return case
    sides = c.left, c.right

    def change(e: Expr) -> Expr:
        while hits := [x for x in e.atoms(Where) if x.args[:2] == sides]:
            e = e.xreplace({x: x.args[2 if yes else 3] for x in hits})
        return e

    return case.at_points(change) if everywhere else case.every(change)


def rest_of_guard(guard: Sequence[Condition], yes: bool) -> tuple[Condition, ...] | None:
    """What is left of a guard whose first comparison, or first half of an `or`, is true, or is false.

    None where the guard is false then.
    """
    if isinstance(guard[0], Either):
        return (*([] if yes else [guard[0].second]), *guard[1:])
    return tuple(guard[1:]) if yes else None


def names_of(case: Case) -> set[str]:
    """Every name that occurs in a case."""
    return names_in(*case.expressions) | {x.name for x in case.coords}


def whole_number(text: str) -> int:
    """The number that a text spells; raises `Rejected` for any other text."""
    if not re.fullmatch(r"\d{1,20}", text):
        raise Rejected(f"script: {text!r} is not a number")
    return int(text)


def power_of_two(n: Expr) -> bool:
    """Whether it is the number 2**k, for k >= 1, or a product of such numbers and powers of sizes."""
    if n.is_Integer:
        return bool(n >= 2 and int(n) & (int(n) - 1) == 0)
    parts = [f.base if isinstance(f, Pow) else f for f in Mul.make_args(n)]
    return all(isinstance(f, Exp2) or (f.is_Integer and power_of_two(f)) for f in parts)


def operands(e: Expr) -> list[Expr]:
    """What an operation on bits joins, inner ones of the same kind taken apart."""
    if not isinstance(e, BITS):
        raise Rejected(f"{e} is not an operation on bits")
    return [p for a in e.args for p in (operands(a) if type(a) is type(e) else [a])]


def ways_to_split(how: str, c: Condition) -> tuple[list[Goal], list[bool]]:
    """What is shown of a condition by which something is split, and its branches."""
    match how, c:
        case "true", Less():
            return [goal("<", c.left, c.right)], [True]
        case "false", Less():
            return [goal("<=", c.right, c.left)], [False]
        case "known", Less():
            return [goal("==", e, e) for e in (c.left, c.right)], [True, False]
        case "open", _:
            return [], [True, False]
    raise Rejected(f"script: {how!r} is not a way to split by {c}")
