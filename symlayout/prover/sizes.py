"""Reasoning about sizes alone: clauses of equalities under facts, decided by Z3.

A clause is a disjunction of relations, a condition a conjunction of clauses.  Budgets are Z3's
resource units, so that an answer does not depend on the machine.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from symlayout.facts import Facts, Relation
from symlayout.terms import value

Clause = tuple[Relation, ...]
BUDGET = 4_000_000
MOST_TRIED = 4000
MOST_WITH_ZERO = 12  # values of each size while the product of the sizes is 0


def sizes_in_order(
    facts: Facts, names: Sequence[str], most: int = MOST_TRIED
) -> Iterator[dict[str, int]]:
    """Sizes that satisfy the facts: the least product first, then the first size smallest.

    >>> first = list(sizes_in_order(Facts(), ["M", "N"], 5))
    >>> first[:4] == [dict(M=1, N=1), dict(M=1, N=2), dict(M=2, N=1), dict(M=1, N=3)]
    True

    Looks at `most` combinations and then gives up.
    """
    domains = [facts.domain(n) for n in names]
    if any(d.empty for d in domains):
        return
    start = tuple(d.first for d in domains)
    heap = [(_product(start), start)]
    seen = {start}
    for _ in range(most):
        if not heap:
            return
        product, sizes = heapq.heappop(heap)
        env = dict(zip(names, sizes))
        if facts.holds(env):
            yield env
        for k, d in enumerate(domains):
            more = sizes[k] + d.modulus
            beyond = d.last is not None and more > d.last
            if beyond or (product == 0 and more > d.first + MOST_WITH_ZERO * d.modulus):
                continue
            after = (*sizes[:k], more, *sizes[k + 1 :])
            if after not in seen:
                seen.add(after)
                heapq.heappush(heap, (_product(after), after))


def _product(sizes: Sequence[int]) -> int:
    result = 1
    for s in sizes:
        result *= s
    return result


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

    def __init__(self, facts: Facts, names: tuple[str, ...], budget: int | None = None) -> None:
        self.facts = facts
        self.names = names
        self.budget = BUDGET if budget is None else budget

    def consistent(self) -> bool | None:
        """Whether some sizes satisfy the facts; None when the budget ends first."""
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
        found = self._satisfiable([], [clauses])
        return None if found is None else not found

    def given(self, clauses: Sequence[Clause]) -> Callable[[Relation], bool]:
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
        kept = list(clauses)
        for c in reversed(clauses):
            others = [x for x in kept if x != c]
            if self._satisfiable(others, [[c]]) is False:
                kept = others
        return kept

    def model_without(self, clauses: Sequence[Clause]) -> dict[str, int] | None:
        """Sizes that satisfy the facts and not all of the clauses, as Z3 finds them."""
        solver = self._solver([], [clauses])
        if str(solver.check()) != "sat":
            return None
        model = solver.model()
        read = {n: model.eval(v, model_completion=True).as_long() for n, v in self._vars.items()}
        return {n: int(read[n]) for n in self.names}

    # -- Z3 ---------------------------------------------------------------------------------------

    def _satisfiable(
        self, holding: Sequence[Clause], broken: Sequence[Sequence[Clause]]
    ) -> bool | None:
        """Whether sizes satisfy facts and `holding` and break each of `broken` somewhere."""
        answer = str(self._solver(holding, broken).check())
        return {"sat": True, "unsat": False}.get(answer)

    def _solver(self, holding: Sequence[Clause], broken: Sequence[Sequence[Clause]]) -> Any:
        import z3

        solver = z3.SimpleSolver()  # no tactics: these questions are small
        solver.set("rlimit", self.budget)
        solver.set("random_seed", 0)
        solver.add(*self._facts)
        solver.add(*[self._clause(c) for c in holding])
        for clauses in broken:
            solver.add(z3.Not(z3.And(*[self._clause(c) for c in clauses])))
        return solver

    def _clause(self, clause: Clause) -> Any:
        import z3

        return z3.Or(*[self._relation(r) for r in clause])

    @cached_property
    def _vars(self) -> dict[str, Any]:
        import z3

        return {n: z3.Int(n) for n in self.names}

    @cached_property
    def _facts(self) -> list[Any]:
        lows = [self._vars[n] >= min(1, self.facts.domain(n).low) for n in self.names]
        return lows + [self._relation(r) for r in self.facts.relations]

    def _relation(self, r: Relation) -> Any:
        from symlayout.facts import COMPARE

        return COMPARE[r.op](self._term(r.left), self._term(r.right))

    def _term(self, e: Any) -> Any:
        from symlayout.prover.z3terms import term

        return term(e, self._vars)


def _by_range(r: Relation, facts: Facts) -> bool:
    """Whether the range of a single symbol settles the relation with a number."""
    if not (r.left.is_Symbol and r.right.is_Integer):
        return False
    domain, bound = facts.domain(r.left.name), value(r.right, {})
    if r.op == ">=":
        return domain.first >= bound
    return r.op == "!=" and domain.first > bound
