"""Reasoning about sizes alone: clauses of equalities under facts, decided by cases, or by Z3.

A clause is a disjunction of relations, a condition a conjunction of clauses.  Budgets are Z3's
rlimit, so that an answer does not depend on the machine.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from itertools import combinations, islice, product
from math import prod
from operator import and_
from typing import Any

from symlayout.digits.clauses import Cases, Clause
from symlayout.errors import LayoutError
from symlayout.expr.facts import COMPARE, Domain, Facts, Relation
from symlayout.expr.terms import divisors_of, value
from symlayout.expr.tree import Expr
from symlayout.text.once import cached_property

BUDGET = 4_000_000
MOST_TRIED = 4000
MOST_SAMPLES = 40
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def sizes_in_order(
    facts: Facts, names: Sequence[str], most: int = MOST_TRIED
) -> Iterator[dict[str, int]]:
    """Sizes that satisfy the facts: the least product (0 counts as 1), then the first size smallest.

    >>> first = list(sizes_in_order(Facts(), ["M", "N"], 5))
    >>> first[:4] == [dict(M=1, N=1), dict(M=1, N=2), dict(M=2, N=1), dict(M=1, N=3)]
    True

    Looks at `most` combinations and then gives up.
    """
    domains = [facts.domain(n) for n in names]
    values = [_Outward(d) for d in domains]
    if any(d.empty for d in domains) or not all(one.has(0) for one in values):
        return
    if facts.names <= {*names}:  # whose domains say all that some facts say
        facts = facts.loose
    start = (0,) * len(domains)  # the places of the sizes in the order of each
    first = tuple([one.known[0] for one in values])
    heap = [(*rank(first), start)]
    for _ in range(most):
        if not heap:
            return
        total, sizes, places = heapq.heappop(heap)
        env = dict(zip(names, sizes))
        if holds_at(facts, env):
            yield env
        # each is reached by raising its last place above the first, and stands behind where it is
        # reached from: along one place the product grows, or else the size
        last = max([k for k, place in enumerate(places) if place], default=0)
        for k in range(last, len(places)):
            place = places[k] + 1
            if values[k].has(place):
                size, before = values[k].known[place], sizes[k]
                larger = total // (abs(before) or 1) * (abs(size) or 1)
                after = (*sizes[:k], size, *sizes[k + 1 :])
                heapq.heappush(heap, (larger, after, (*places[:k], place, *places[k + 1 :])))


class _Outward:
    """The values of a domain by number, the least |x| first."""

    def __init__(self, domain: Domain) -> None:
        self.rest = domain.outward()
        self.known: list[int] = []

    def has(self, number: int) -> bool:
        """Whether there are more values than that."""
        lacking = number + 1 - len(self.known)
        if lacking > 0:
            self.known += islice(self.rest, lacking)
        return len(self.known) > number


Rank = tuple[int, tuple[int, ...]]


def rank(sizes: Sequence[int]) -> Rank:
    """Where an assignment stands in the order of sizes: by its product, 0 as 1, then size by size.

    >>> sorted([(2, 3), (6, 0), (1, 6), (0, 0)], key=rank)
    [(0, 0), (1, 6), (2, 3), (6, 0)]
    """
    return prod([abs(s) or 1 for s in sizes]), tuple(sizes)


def choices_in_order(
    facts: Facts, names: Sequence[str], columns: Sequence[Sequence[int]], most: int | None = None
) -> Iterator[dict[str, int]]:
    """Sizes that satisfy the facts, each from its column, in their order: of the first so many choices.

    >>> list(choices_in_order(Facts(), ["M", "N"], [[1, 4], [2]]))
    [{'M': 1, 'N': 2}, {'M': 4, 'N': 2}]
    """
    for row in sorted(islice(product(*columns), most), key=rank):
        if holds_at(facts, sizes := dict(zip(names, row))):
            yield sizes


def holds_at(facts: Facts, sizes: dict[str, int]) -> bool:
    """Whether the facts are true of the sizes; a fact that divides by zero there is not."""
    try:
        return facts.holds(sizes)
    except LayoutError:
        return False


def clauses_text(clauses: Sequence[Clause] | None) -> str:
    """A condition for people: "always", "never", or relations with `or` and `and`."""
    if clauses is None:
        return "never"
    if not clauses:
        return "always"
    parts = [" or ".join(map(str, c)) for c in clauses]
    if len(parts) == 1:
        return parts[0]
    return " and ".join(f"({p})" if len(c) > 1 else p for p, c in zip(parts, clauses))


class SizeReasoner:
    """Answers questions about sizes under facts; Z3 is loaded when one is not plain."""

    budget: int

    def __init__(self, facts: Facts, names: tuple[str, ...], budget: int | None = None) -> None:
        self.facts = facts
        self.names = names
        self.budget = BUDGET if budget is None else budget

    def consistent(self) -> bool | None:
        """Whether some sizes satisfy the facts; None when that is not decided within the budget."""
        if not self.facts.relations:
            return True
        if any(True for _ in sizes_in_order(self.facts, self.names, 200)):
            return True
        return self._satisfiable([], [])

    def entails(self, clauses: Sequence[Clause]) -> bool | None:
        """Whether every clause holds for all sizes that satisfy the facts."""
        if not clauses:
            return True
        if any(not c for c in clauses):
            return False
        example = self._satisfiable([], [clauses])
        return None if example is None else not example

    def under(self, clauses: Sequence[Clause]) -> Callable[[Relation], bool]:
        """A function: is this relation certain, given the facts and these clauses?"""
        memo: dict[Relation, bool] = {}

        def known(r: Relation) -> bool:
            if r not in memo:
                plain = _by_range(r, self.facts)
                memo[r] = plain or self._satisfiable(clauses, [[(r,)]]) is False
            return memo[r]

        return known

    def shortened(self, clauses: Sequence[Clause]) -> tuple[list[Clause] | None, dict[str, str]]:
        """An equivalent condition with nothing superfluous, and how each direction was proved.

        None when no sizes satisfy it.  What the solver leaves open stays as it is.
        """
        if any(not c for c in clauses) or self._satisfiable(clauses, []) is False:
            return None, {"necessary": "unsat", "sufficient": "unsat"}
        short = list(dict.fromkeys(clauses))
        short = self._without_clauses(short)
        for k, clause in enumerate(short):
            for r in reversed(clause):
                rest = tuple(x for x in short[k] if x != r)
                # r may go when, beside the rest, nothing satisfies all clauses through it
                others = [*short[:k], (r,), *short[k + 1 :]]
                if rest and self._satisfiable(others, [[rest]]) is False:
                    short[k] = rest
        short = self._without_clauses(list(dict.fromkeys(short)))
        necessary = self._satisfiable(clauses, [short])
        sufficient = self._satisfiable(short, [clauses])
        words = {False: "unsat", True: "sat", None: "unknown"}
        return short, {"necessary": words[necessary], "sufficient": words[sufficient]}

    def _without_clauses(self, clauses: list[Clause]) -> list[Clause]:
        """The clauses that do not follow from the facts and the others."""
        rest = list(clauses)
        for c in reversed(clauses):
            others = [x for x in rest if x != c]
            if self._satisfiable(others, [[c]]) is False:
                rest = others
        return rest

    def model_without(self, clauses: Sequence[Clause]) -> dict[str, int] | None:
        """Sizes that satisfy the facts and not all of the clauses, as Z3 finds them."""
        answer, sizes = self._ask([], [clauses])
        return sizes if answer == "sat" else None

    # -- Z3 ---------------------------------------------------------------------------------------

    def _satisfiable(
        self, holding: Sequence[Clause], broken: Sequence[Sequence[Clause]]
    ) -> bool | None:
        """Whether sizes satisfy facts and `holding` and break each of `broken` somewhere."""
        if self._fits_a_sample(holding, broken):
            return True
        plain = self._cases.satisfiable(holding, broken)
        if plain is not None:
            return plain
        answer, sizes = self._ask(holding, broken)
        if answer == "sat":  # it knows nothing of bits and of powers: its sizes are tried
            return True if holds_at(self.facts, sizes) and _fits(sizes, holding, broken) else None
        return False if answer == "unsat" else None

    @cached_property
    def _cases(self) -> Cases:
        return Cases(self.facts, self.names)

    @cached_property
    def _samples(self) -> list[dict[str, int]]:
        """Some sizes that satisfy the facts: all different, two that differ among 1s, small ones."""
        tries = [dict(zip(self.names, PRIMES))] if len(self.names) <= len(PRIMES) else []
        ones = dict.fromkeys(self.names, 1)
        for a, b in islice(combinations(self.names, 2), MOST_SAMPLES):
            tries += [{**ones, a: 2, b: 3}, {**ones, a: 2, b: 2}]
        hits = [sizes for sizes in tries if holds_at(self.facts, sizes)]
        return hits + list(sizes_in_order(self.facts, self.names, MOST_SAMPLES))

    def _fits_a_sample(self, holding: Sequence[Clause], broken: Sequence[Sequence[Clause]]) -> bool:
        """Whether one of them satisfies `holding` and breaks each of `broken` somewhere."""
        every, lost = (1 << len(self._samples)) - 1, 0

        def where(clause: Clause) -> int:
            nonlocal lost
            total = 0
            for r in clause:
                true, without = self._masks(r)
                total, lost = total | true, lost | without
            return total

        here = reduce(and_, map(where, holding), every)
        for clauses in broken:
            here &= ~reduce(and_, map(where, clauses), every)
        return bool(here & ~lost)

    def _masks(self, r: Relation) -> tuple[int, int]:
        """At which samples the relation is true, and at which it has no value: bit k for number k."""
        if r not in self._known:
            true = without = 0
            for k, sizes in enumerate(self._samples):
                try:
                    true |= r.holds(sizes) << k
                except LayoutError:
                    without |= 1 << k
            self._known[r] = true, without
        return self._known[r]

    @cached_property
    def _known(self) -> dict[Relation, tuple[int, int]]:
        return {}

    def _ask(
        self, holding: Sequence[Clause], broken: Sequence[Sequence[Clause]]
    ) -> tuple[str, dict[str, int]]:
        """The solver's answer, and its sizes where it has some."""
        from symlayout.text.solver import z3

        solver = self._solver
        solver.push()
        try:
            solver.add(*[self._clause(c) for c in holding])
            for clauses in broken:
                solver.add(z3.Not(z3.And(*map(self._clause, clauses), self._context)))
            answer = str(solver.check())
            if answer != "sat":
                return answer, {}
            model = solver.model()
            read = {n: model.eval(v, model_completion=True) for n, v in self._vars.items()}
            return answer, {n: int(v.as_long()) for n, v in read.items()}
        finally:
            solver.pop()

    @cached_property
    def _solver(self) -> Any:
        from symlayout.text.solver import z3

        solver = z3.SimpleSolver(ctx=self._context)  # no tactics: these questions are small
        solver.set("rlimit", self.budget)
        solver.set("random_seed", 0)
        lows = [self._vars[n] >= min(1, self.facts.domain(n).low) for n in self.names]
        solver.add(*lows, *[self._relation(r) for r in self.facts.relations])
        for r in self.facts.relations:  # a fact that divides by zero does not hold
            for d in (*divisors_of(r.left), *divisors_of(r.right)):
                solver.add(self._term(d) != 0)
        return solver

    def _clause(self, clause: Clause) -> Any:
        from symlayout.text.solver import z3

        if clause not in self._clauses:
            self._clauses[clause] = z3.Or(*map(self._relation, clause), self._context)
        return self._clauses[clause]

    @cached_property
    def _clauses(self) -> dict[Clause, Any]:
        return {}

    @cached_property
    def _vars(self) -> dict[str, Any]:
        from symlayout.text.solver import z3

        return {n: z3.Int(f"x{k}", self._context) for k, n in enumerate(self.names)}

    @cached_property
    def _context(self) -> Any:
        """Z3's context of its own: an answer does not depend on what was asked before."""
        from symlayout.text.solver import z3

        return z3.Context()

    @cached_property
    def _terms(self) -> Callable[[Expr], Any]:
        from symlayout.expr.smt import Terms

        return Terms(self._vars, self._context)

    def _relation(self, r: Relation) -> Any:
        return COMPARE[r.op](self._term(r.left), self._term(r.right))

    def _term(self, e: Any) -> Any:
        return self._terms(e)


def _fits(
    sizes: dict[str, int], holding: Sequence[Clause], broken: Sequence[Sequence[Clause]]
) -> bool:
    """Whether the sizes satisfy `holding` and break each of `broken` somewhere."""

    def holds(clause: Clause) -> bool:
        return any(r.holds(sizes) for r in clause)

    try:
        return all(map(holds, holding)) and not any(all(map(holds, c)) for c in broken)
    except LayoutError:  # a division by zero has no value, and proves nothing
        return False


def _by_range(r: Relation, facts: Facts) -> bool:
    """Whether the range of a single symbol settles the relation with a number."""
    if not (r.left.is_Symbol and r.right.is_Integer):
        return False
    domain, bound = facts.domain(r.left.name), value(r.right, {})
    if r.op == ">=":
        return domain.first >= bound
    return r.op == "!=" and domain.first > bound


def sizes_near_powers(facts: Facts, names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Sizes near powers of two that satisfy the facts: all alike, or one beside the least others.

    >>> next(sizes_near_powers(Facts.read("M*N > 2**31"), ("M", "N")))
    {'M': 65536, 'N': 65536}
    """
    domains = {n: facts.domain(n) for n in names}
    least = {n: d.first for n, d in domains.items()}
    for power in range(4, 64, 4):
        near = {n: d.near(1 << power) for n, d in domains.items()}
        for sizes in (near, *[{**least, n: v} for n, v in near.items()]):
            with suppress(LayoutError):  # 2**(2**16) is no number of a size
                if facts.holds(sizes):
                    yield sizes
