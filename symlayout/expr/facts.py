"""What is known of the symbols: ranges, divisibility, equalities and inequalities.

A fact is a relation between integer expressions.  Sizes are at least 1 unless a fact gives another
constant lower bound.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import gcd, lcm
from typing import Any

from symlayout.errors import LayoutError, place_of, unknown_name
from symlayout.expr.conditions import loosely
from symlayout.expr.outward import Formula
from symlayout.expr.plain import function
from symlayout.expr.reader import any_name, expression_at
from symlayout.expr.scanner import RELATION, Names, Scanner
from symlayout.expr.terms import (
    Max,
    Min,
    Mod,
    SizeSymbol,
    TruncMod,
    divisors_of,
    from_sympy,
    outside,
    symbol,
    symbols_in,
    value,
)
from symlayout.expr.tree import Add, Expr, Function, Integer, Symbol, expand
from symlayout.text.limits import VALUE_BITS
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
MIRRORED = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
# a op b as what is >= 0 over the integers: (sign, shift) of a - b
SIDES = {">=": (1, 0), ">": (1, 1), "<=": (-1, 0), "<": (-1, 1)}
OFTEN = 40  # times from which on it pays to compile
WORD = regex(r"(?<![\w.])[A-Za-z_]\w*(?![\w.]|\s*[(\[])", re.A)
WORDS = frozenset(["and", "or", "in", "if", "else", "not", "symbol", "floordiv", "ceildiv", "mod"])
INTRODUCED = regex(r"symbol\s+(?!and\b|or\b|in\b|if\b)([A-Za-z_]\w*)", re.A)
NEGATED = {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}


@dataclass(frozen=True)
class Relation(Formula):
    """`left op right` between integer expressions.

    `chained`: a text has it in a row with others; `introduces`: it is written `symbol NAME`.

    >>> print(read_relations("N % 128 == 0")[0])
    N%128 == 0
    """

    op: str
    left: Expr
    right: Expr
    chained: bool = field(default=False, compare=False, repr=False, kw_only=True)
    introduces: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        if self.introduces:
            return f"symbol {self.left}"
        return f"{self.left} {self.op} {self.right}"

    @property
    def sympy(self) -> Any:
        """The relation as SymPy's."""
        from symlayout.expr.edge import relation

        return relation(self.op, self.left, self.right)

    def holds(self, env: Mapping[str, int]) -> bool:
        """Whether it is true of these numbers; what divides by zero there is not."""
        if self._of_one:
            name, compare, bound = self._of_one
            if type(number := env.get(name)) is int:
                return compare(number, bound)  # type: ignore[no-any-return]
        try:
            return bool(COMPARE[self.op](value(self.left, env), value(self.right, env)))
        except LayoutError as error:
            if error.code != "SL202":
                raise
            return False

    @cached_property
    def _of_one(self) -> tuple[str, Any, int] | None:
        """The symbol, the comparison and the number, where it is of these."""
        if not (self.left.is_Symbol and self.right.is_Integer):
            return None
        return str(self.left), COMPARE[self.op], int(self.right)

    @property
    def begins_a_range(self) -> bool:
        """Whether it is the `0 <=` or `1 <=` of a chain, which says nothing of a size by itself."""
        if not self.chained or len(self.names) != 1:
            return False
        line = _line(self)
        low = _interval(self.op, *line)[0] if line is not None else None
        return low in (0, 1)

    @property
    def negation(self) -> Relation:
        """The relation that is true exactly where this one is false."""
        return Relation(NEGATED[self.op], self.left, self.right)

    @cached_property
    def in_domain(self) -> bool:
        """Whether the domain of its only symbol says all that the relation says."""
        if len(self.names) != 1 or self.op == "!=":
            return False
        return _congruence(self) is not None or _line(self) is not None

    @cached_property
    def parts(self) -> tuple[Relation, ...]:
        """Relations that say the same together: `max(a, b) <= c` is `a <= c` and `b <= c`.

        `min(a, 9) < 8` is `a < 8`, because 9 is not.
        """
        mirrored = isinstance(self.right, (Min, Max)) and not isinstance(self.left, (Min, Max))
        r = Relation(MIRRORED[self.op], self.right, self.left) if mirrored else self
        each = [Relation(r.op, a, r.right) for a in r.left.args]
        if isinstance(r.left, Max if r.op in ("<", "<=") else Min) and r.op not in ("==", "!="):
            return tuple(p for part in each for p in part.parts)
        if isinstance(r.left, (Min, Max)) and r.op not in ("==", "!=") and r.right.is_Integer:
            left = [p for p in each if not (p.left.is_Integer and not p.holds({}))]
            if len(left) == 1:
                return left[0].parts
        return (self,)

    @cached_property
    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset(s.name for s in self.left.free_symbols | self.right.free_symbols)


def read_relations(text: str, names: Names = any_name) -> tuple[Relation, ...]:
    """The relations of one text: a comparison, a chain of them, or several joined by `and`.

    >>> [str(r) for r in read_relations("0 <= i < M and symbol B")]
    ['0 <= i', 'i < M', 'symbol B']

    `symbol B` says nothing of B, and makes it a name that other facts may use.

    Raises `LayoutError` (SL300) with the place of the mistake.
    """
    scanner = Scanner(text)
    scanner.exclusive = "never"
    relations = conjunct_at(scanner, names)
    while scanner.take("and") or scanner.take("&&"):
        relations += conjunct_at(scanner, names)
    scanner.end("the fact")
    return tuple(relations)


def conjunct_at(scanner: Scanner, names: Names = any_name) -> list[Relation]:
    """A comparison, a chain of them, or `symbol NAME`."""
    scanner.skip(line_comments=False)
    match = INTRODUCED.match(scanner.text, scanner.at)
    if match is not None:
        scanner.at = match.end()
        known = names(match[1])
        if known is None:
            message = f"the name {match[1]!r} is not known here"
            raise scanner.error("SL201", message, match.start(1), match.end(1))
        return [Relation("==", known, known, introduces=True)]
    relations: list[Relation] = []
    left = expression_at(scanner, names, False)
    loosely(scanner)
    while True:
        scanner.skip(line_comments=False)
        match = RELATION.match(scanner.text, scanner.at)
        if match is None:
            break
        scanner.at = match.end()
        right = expression_at(scanner, names, False)
        loosely(scanner)
        relations.append(Relation(match.group(), left, right))
        left = right
    if not relations:
        message = f"a fact compares two sides, found {scanner.what_stands()} instead"
        raise scanner.error("SL300", message)
    return [replace(r, chained=True) for r in relations] if len(relations) > 1 else relations


_read_once = lru_cache(maxsize=4096)(read_relations)  # the same facts stand over many claims


def _words(text: str) -> list[str]:
    """The names in a fact's text, in order."""
    return [n for n in WORD.findall(text) if n not in WORDS]


def _is_outside_fact(fact: Any) -> bool:
    """Whether it is a relation of SymPy, or what one has become."""
    if not outside(fact):
        return False
    from symlayout.expr.edge import is_fact

    return is_fact(fact)


def _from_relational(fact: Any) -> tuple[Relation, ...]:
    if isinstance(fact, Relation):
        return (fact,)
    if isinstance(fact, str):
        return _read_once(fact)
    if _is_outside_fact(fact):
        from symlayout.expr.edge import comparisons

        return tuple(Relation(op, from_sympy(a), from_sympy(b)) for op, a, b in comparisons(fact))
    hint = "write it as a text, such as 'N % 128 == 0'"
    if isinstance(fact, bool):
        hint = "== between SymPy expressions is Python's own: write a text or sympy.Eq(...)"
    raise LayoutError("SL300", f"{fact!r} is not a fact", help=hint)


@dataclass(frozen=True)
class Domain:
    """The values that a symbol's own facts allow: low <= x <= high, x % modulus == residue."""

    low: int = 1
    high: int | None = None
    modulus: int = 1
    residue: int = 0

    @cached_property
    def first(self) -> int:
        """The least allowed value."""
        return self.low + (self.residue - self.low) % self.modulus

    @cached_property
    def last(self) -> int | None:
        """The greatest allowed value, None when there is none."""
        if self.high is None:
            return None
        return self.high - (self.high - self.residue) % self.modulus

    @property
    def empty(self) -> bool:
        """Whether no value is allowed."""
        return self.last is not None and self.last < self.first

    def __contains__(self, value: int) -> bool:
        """Whether the value is allowed."""
        inside = self.low <= value and (self.high is None or value <= self.high)
        return inside and (value - self.residue) % self.modulus == 0

    @property
    def magnitude(self) -> int:
        """The least that |x| can be, 0 counting as 1."""
        if self.first >= 0:
            return max(1, self.first)
        last = self.last
        if last is not None and last < 0:
            return -last
        return max(1, min(self.first % self.modulus, -self.first % self.modulus))

    def near(self, value: int) -> int:
        """The allowed value nearest below, or else the least; of a domain that is not empty.

        >>> Domain(3, 20, 4, 1).near(16), Domain(3, 20, 4, 1).near(99), Domain(3).near(1)
        (13, 17, 3)
        """
        value = max(value if self.last is None else min(value, self.last), self.first)
        return value - (value - self.residue) % self.modulus

    def outward(self) -> Iterator[int]:
        """The allowed values, the least |x| first (0 counting as 1), of two such ones the lesser.

        >>> list(Domain(-2, 3).outward())
        [-1, 0, 1, -2, 2, 3]
        """
        up = max(self.first, self.first % self.modulus)
        down = up - self.modulus
        while True:
            over = self.last is not None and up > self.last
            under = down < self.first
            if over and under:
                return
            if under or (not over and max(1, up) < -down):
                yield up
                up += self.modulus
            else:
                if not self.last or down <= self.last:
                    yield down
                down -= self.modulus


ANY = Domain()  # of a size of which no fact speaks


class _Comparisons:
    """Comparisons that are asked often, as one function of plain integers."""

    def __init__(self, rows: list[tuple[Expr, Any, Expr]]) -> None:
        self.rows, self.times = rows, 0
        self.run: Callable[[Mapping[str, int]], Any] | None = None

    def __reduce__(self) -> Any:
        return _Comparisons, (self.rows,)

    def test(self, env: Mapping[str, int]) -> bool | None:
        """Whether all are true; None where each is to be asked by itself."""
        self.times += 1
        if self.times == OFTEN and self.rows:
            sides = [e for a, _, b in self.rows for e in (a, b)]
            self.run = function(*sides, Integer(0))
        if self.run is None:
            return None
        try:
            values = self.run(env)
        except (KeyError, TypeError, ZeroDivisionError, LayoutError):
            return None
        if max(map(int.bit_length, values)) > VALUE_BITS:
            return None
        for k, (_, compare, _) in enumerate(self.rows):
            if not compare(values[2 * k], values[2 * k + 1]):
                return False
        return True


@dataclass(frozen=True)
class Facts:
    """A set of relations that hold.

    >>> facts = Facts.read(["N % 128 == 0", "N <= 1000"])
    >>> facts.domain("N").first, facts.domain("N").last
    (128, 896)

    `beside` are symbols that they may use although their claim does not, `texts` what was written.
    """

    relations: tuple[Relation, ...] = ()
    beside: frozenset[str] = field(default=frozenset(), compare=False)
    texts: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @staticmethod
    def read(where: Any) -> Facts:
        """From a text, a SymPy relation, a `Facts`, or several of those."""
        if isinstance(where, Facts):
            return where
        if where is None:
            return Facts()
        many = [where] if isinstance(where, (str, bool)) or _is_outside_fact(where) else where
        if not isinstance(many, Iterable):
            hint = "write facts as texts, such as 'N % 128 == 0'"
            raise LayoutError("SL300", f"{where!r} is not a fact", help=hint)
        many = tuple(many)
        relations = dict.fromkeys(r for fact in many for r in _from_relational(fact))
        return Facts(tuple(relations), texts=tuple(f for f in many if isinstance(f, str)))

    def __str__(self) -> str:
        return ", ".join(map(str, self.relations))

    def and_(self, where: Any) -> Facts:
        """These facts and more."""
        more = Facts.read(where)
        relations = dict.fromkeys(self.relations + more.relations)
        return replace(self, relations=tuple(relations), texts=self.texts + more.texts)

    def only(self, relations: Iterable[Relation]) -> Facts:
        """Some of these facts alone; the names of all of them stay known."""
        return Facts(tuple(relations), self.beside | self.names)

    def with_least(self, *expressions: Any) -> Facts:
        """These facts and the least values that `SizeSymbol`s in the expressions carry."""
        symbols = [s for s in symbols_in(*expressions) if isinstance(s, SizeSymbol)]
        return self.at_least((s.name, s.least) for s in symbols)

    def at_least(self, least: Iterable[tuple[str, int]]) -> Facts:
        """These facts and `name >= value` for each pair."""
        more = [Relation(">=", symbol(name), Integer(v)) for name, v in least]
        return self.and_(more) if more else self

    @cached_property
    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset(n for r in self.relations for n in r.names)

    def check_names(self, known: Iterable[str], fit: bool = True) -> None:
        """Raises `LayoutError` (SL301) for a name that nobody knows, and a fact that fits nothing.

        Known are the names of the claim, those that `symbol NAME` introduces, and those that occur
        in two facts or more.  A fact fits that shares a name with the claim, or with one that fits;
        without `fit` the others are not looked at.
        """
        names = {*known, *self.beside, *self.introduced}
        reach = set(names)
        while more := {n for r in self.relations if r.names & reach for n in r.names} - reach:
            reach |= more
        strays = ((r, n) for r in self.relations for n in sorted(r.names - names))
        for r, n in strays:
            tied = not reach.isdisjoint(r.names)
            if (tied and self.occurrences[n] < 2) or (fit and not tied):
                raise unknown_name(n, self._text_of(r, n), names)
        for text in self.texts if fit else ():
            for n in _words(text):
                if n not in names and n not in self.names:
                    raise unknown_name(n, text, names)

    @cached_property
    def written(self) -> frozenset[str]:
        """The names in the facts' texts: `N + K - K >= 1` has the names N and K."""
        return self.names | {n for text in self.texts for n in _words(text)}

    @cached_property
    def introduced(self) -> frozenset[str]:
        """The names that `symbol NAME` introduces."""
        return frozenset(n for r in self.relations if r.introduces for n in r.names)

    @cached_property
    def occurrences(self) -> Counter[str]:
        """In how many facts each name occurs; `0 <= j < N` is one about j."""
        return Counter(n for r in self.relations if not r.begins_a_range for n in r.names)

    def _text_of(self, r: Relation, name: str) -> str:
        """The text in which a relation has a name, as it was written if that is known."""
        return next((t for t in self.texts if place_of(name, t) and r in _read_once(t)), str(r))

    def holds(self, env: Mapping[str, int]) -> bool:
        """Whether all of it is true of these numbers."""
        fast = self._comparisons.test(env)
        return all(r.holds(env) for r in self.relations) if fast is None else fast

    @cached_property
    def _comparisons(self) -> _Comparisons:
        return _Comparisons([(r.left, COMPARE[r.op], r.right) for r in self.relations])

    @cached_property
    def loose(self) -> Facts:
        """The facts that the domains of single symbols do not settle."""
        return Facts(tuple([r for r in self.relations if not r.in_domain]))

    @cached_property
    def parts(self) -> tuple[Relation, ...]:
        """The relations, those with extremes in parts."""
        return tuple(p for r in self.relations for p in r.parts)

    def domain(self, name: str) -> Domain:
        """What the facts about this symbol alone allow."""
        return self._domains.get(name, ANY)

    def bounds_below(self, name: str) -> bool:
        """Whether a fact about this symbol alone says from where on it is."""
        lines = [(r.op, _line(r)) for r in self.relations if r.names == {name}]
        return any(line and _interval(op, *line)[0] is not None for op, line in lines)

    @cached_property
    def _domains(self) -> dict[str, Domain]:
        own = set(self.relations)  # only these can say that a symbol may be less than 1
        lows: dict[str, list[int]] = {}
        raised: dict[str, list[int]] = {}
        highs: dict[str, list[int]] = {}
        steps: dict[str, list[tuple[int, int]]] = {}
        for r in self.parts:
            if len(r.names) != 1:
                continue
            (name,) = r.names
            congruence = _congruence(r)
            if congruence is not None:
                steps.setdefault(name, []).append(congruence)
                continue
            line = _line(r)
            if line is None:
                continue
            low, high = _interval(r.op, *line)
            if low is not None:
                (lows if r in own else raised).setdefault(name, []).append(low)
            if high is not None:
                highs.setdefault(name, []).append(high)
        domains = {}
        for name in {*lows, *raised, *highs, *steps}:
            low = max([*lows.get(name, [1]), *raised.get(name, ())])
            high = min(highs[name]) if name in highs else None
            modulus, residue = 1, 0
            for m, r0 in steps.get(name, ()):
                joined = _join(modulus, residue, m, r0)
                if joined is None:
                    low, high = 1, 0  # no number satisfies both congruences
                else:
                    modulus, residue = joined
            domains[name] = Domain(low, high, modulus, residue)
        self._bound_by_sums(domains)
        return domains

    def _bound_by_sums(self, domains: dict[str, Domain]) -> None:
        """`a*x + b*y <= c` with positive factors bounds x by what the least y leaves, and so on."""
        for r in self.parts:
            if len(r.names) < 2 or r.op in ("==", "!="):
                continue
            terms = _linear(r.right - r.left if r.op in ("<", "<=") else r.left - r.right)
            if terms is None or any(k > 0 for n, k in terms.items() if n):
                continue
            rest = terms.get("", 0) - (r.op in ("<", ">"))  # rest >= sum(-k * x)
            least = {n: domains.get(n, ANY).first for n in terms if n}
            spare = rest + sum(terms[n] * v for n, v in least.items())
            for n, v in least.items():
                domain = domains.get(n, ANY)
                high = v + spare // -terms[n]
                if domain.high is None or high < domain.high:
                    domains[n] = replace(domain, high=high)


def _linear(e: Expr) -> dict[str, int] | None:
    """The coefficients by name (the constant under "") of a linear expression, else None."""
    terms: dict[str, int] = {}
    for term in Add.make_args(expand(e)):
        factor, rest = term.as_coeff_Mul()
        if not (factor.is_Integer and (rest == 1 or isinstance(rest, Symbol))):
            return None
        name = "" if rest == 1 else rest.name
        terms[name] = terms.get(name, 0) + int(factor)  # symbols of one name are one symbol
    return {n: k for n, k in terms.items() if k or not n}


def _congruence(r: Relation) -> tuple[int, int] | None:
    """(m, c) for a relation that says x % m == c of a single symbol x."""
    if r.op != "==":
        return None
    for a, b in ((r.left, r.right), (r.right, r.left)):
        if not (isinstance(a, (Mod, TruncMod)) and isinstance(a.args[0], Symbol)):
            continue
        m, c = a.args[1], b
        if not (m.is_Integer and c.is_Integer and m > 0):
            continue
        # C's remainder has the sign of x: only 0 says the same of every x
        if 0 <= c < (m if isinstance(a, Mod) else 1):
            return int(m), int(c)
    return None


def _join(m: int, a: int, n: int, b: int) -> tuple[int, int] | None:
    """The congruence that two congruences make together, None when they contradict."""
    g = gcd(m, n)
    if (b - a) % g:
        return None
    step = (b - a) // g * pow(m // g, -1, n // g) % (n // g)
    return lcm(m, n), a + m * step


def _line(r: Relation) -> tuple[int, int] | None:
    """(a, b) when the relation compares a*x + b with 0, and is defined for every x."""
    if type(r.left) is Symbol and type(r.right) is Integer:
        return 1, -r.right.p
    e = r.left - r.right
    if len(e.free_symbols) != 1 or e.has(Function):
        return None
    if divisors_of(r.left) or divisors_of(r.right):
        return None  # they cancel
    slope, rest = 0, 0
    for term in Add.make_args(expand(e)):
        number, factor = term.as_coeff_Mul()
        if factor == 1:
            rest += int(number)
        elif factor.is_Symbol:
            slope += int(number)
        else:
            return None
    return (slope, rest) if slope else None


def _interval(op: str, a: int, b: int) -> tuple[int | None, int | None]:
    """The integers x with a*x + b op 0, as (low, high)."""
    if op == "==":
        return (-b // a, -b // a) if b % a == 0 else (1, 0)
    if op == "!=":
        return (None, None)
    if op in ("<", "<="):
        op, a, b = {"<": ">", "<=": ">="}[op], -a, -b
    if op == ">":
        b -= 1  # over the integers, a*x + b > 0 is a*x + b - 1 >= 0
    return (-(b // a), None) if a > 0 else (None, b // -a)
