"""What is known of the symbols: ranges, divisibility, equalities and inequalities.

A fact is a relation between integer expressions.  Sizes are at least 1 unless a fact gives another
constant lower bound.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from symlayout.errors import LayoutError, place_of, unknown_name
from symlayout.expr.domains import ANY as ANY
from symlayout.expr.domains import Domain as Domain
from symlayout.expr.domains import congruence, interval, join, line_of, linear
from symlayout.expr.plain import function
from symlayout.expr.relations import COMPARE as COMPARE
from symlayout.expr.relations import MIRRORED as MIRRORED
from symlayout.expr.relations import NEGATED as NEGATED
from symlayout.expr.relations import SIDES as SIDES
from symlayout.expr.relations import Relation as Relation
from symlayout.expr.relations import conjunct_at as conjunct_at
from symlayout.expr.relations import read_relations as read_relations
from symlayout.expr.terms import (
    SizeSymbol,
    from_sympy,
    outside,
    symbol,
    symbols_in,
)
from symlayout.expr.tree import Expr, Integer
from symlayout.text.limits import VALUE_BITS
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

OFTEN = 40  # times from which on it pays to compile
WORD = regex(r"(?<![\w.])[A-Za-z_]\w*(?![\w.]|\s*[(\[])", re.A)
WORDS = frozenset(["and", "or", "in", "if", "else", "not", "symbol", "floordiv", "ceildiv", "mod"])
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
        lines = [(r.op, line_of(r)) for r in self.relations if r.names == {name}]
        return any(line and interval(op, *line)[0] is not None for op, line in lines)

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
            step = congruence(r)
            if step is not None:
                steps.setdefault(name, []).append(step)
                continue
            line = line_of(r)
            if line is None:
                continue
            low, high = interval(r.op, *line)
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
                joined = join(modulus, residue, m, r0)
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
            terms = linear(r.right - r.left if r.op in ("<", "<=") else r.left - r.right)
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
