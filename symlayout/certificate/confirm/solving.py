"""A solver's answer to one query, within a budget that counts the solver's own steps.

A clock ends only what Z3 does not count: it raises numbers to powers without a look at its budget.
A query that it ends is unknown, and no verdict depends on it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, Literal

from symlayout.certificate.solvers import cvc5_says

Answer = Literal["confirmed", "unknown", "refuted"]
NAMES = {"z3": "Z3", "cvc5": "cvc5"}
SEED = 0
LONGEST = 20_000  # milliseconds of a query; one that counts its steps ends within a second
WITHOUT_BOUNDS = {"arith.nl.optimize_bounds": False}
OTHER = "!2"  # ends the names of a second place's coordinates; texts of claims have no "!"


class Disagreement(Exception):
    """A solver has a counterexample to a claim; the message shows it."""


class Budget(Enum):
    """Z3's resource units (rlimit) for a query in the common context, and for each strategy alone.

    The latter are more, so that an answer does not depend on earlier questions.
    """

    QUICK = (20_000, 60_000)  # the claim as it is, before its certificate is asked for
    CLAIM = (20_000, 200_000)
    BITS = (20_000, 4_000_000)  # the same where operations on bits are many cheap terms
    STEP = (20_000, 200_001)
    HINT = (20_000, 0)
    LAW = (20_000, 400_000)


class _Common(threading.local):
    """Z3's context of each thread, which is costly to make."""

    context: Any = None


_COMMON = _Common()


def context() -> Any:
    """The context that all claims of a thread share."""
    from symlayout.text.solver import z3

    if _COMMON.context is None:
        _COMMON.context = z3.Context()
    return _COMMON.context


class Asker:
    """One solver that is asked one query after the other; what is `known` holds in all of them."""

    def __init__(self) -> None:
        from symlayout.text.solver import z3

        self.z3, self.context = z3, context()
        self.known: list[Any] = []
        self.linear, self.limit = False, 0  # whether no unknowns are multiplied; units of a query
        self.solver = _simple(self.context)

    def fork(self) -> Asker:
        """Another one, who knows the same."""
        other = Asker()
        other.linear = self.linear
        other.know(self.known)
        return other

    def know(self, formulas: Iterable[Any]) -> None:
        """From now on the formulas hold."""
        from symlayout.expr.whole import tell

        self.known += (rows := list(formulas))
        tell(self.solver, rows)

    def holds(
        self, hypotheses: Sequence[Any], goal: Any, budget: Budget, exact: bool = False
    ) -> Answer:
        """Whether the hypotheses imply the goal, by the first of Z3's strategies that knows.

        Where the query is `exact`, that is the claim itself, a counterexample raises `Disagreement`.
        """
        from symlayout.expr.whole import contrary, tell

        common, alone = budget.value
        query = [*hypotheses, contrary(goal)]
        if common != self.limit:
            self.solver.set("rlimit", common)
            self.limit = common
        self.solver.push()
        try:
            tell(self.solver, query)
            answer = self.says(self.solver, exact)
        finally:
            self.solver.pop()
        if answer == "unknown" and alone:
            own = self.z3.Context()
            rows = [f.translate(own) for f in (*self.known, *query)]
            for solver, share in _strategies(own, budget, self.linear):
                solver.set("rlimit", int(alone * share))
                solver.set(random_seed=SEED, timeout=LONGEST, **WITHOUT_BOUNDS)
                solver.add(*rows)
                answer = self.says(solver, exact)
                if answer != "unknown":
                    break
        return answer

    def says(self, solver: Any, exact: bool) -> Answer:
        """What a solver says of the formulas that it has."""
        match str(solver.check()):
            case "unsat":
                return "confirmed"
            case "sat":
                if exact:
                    raise Disagreement(_counterexample(solver.model()))
                return "refuted"
        return "unknown"


def holds_by_cvc5(hypotheses: Sequence[Any], goal: Any, context: Any, exact: bool) -> Answer:
    """The same by cvc5, which gets the query as SMT-LIB 2."""
    answer = cvc5_says(text_of(hypotheses, goal, context))
    if answer == "sat" and exact:
        raise Disagreement("cvc5 says sat")
    return "confirmed" if answer == "unsat" else "refuted" if answer == "sat" else "unknown"


def text_of(hypotheses: Sequence[Any], goal: Any, context: Any) -> str:
    """The query whether the hypotheses and the negated goal hold together, in SMT-LIB 2."""
    from symlayout.text.solver import z3

    solver = z3.Solver(ctx=context)
    solver.add(*hypotheses)
    solver.add(z3.Not(goal))
    return f"(set-logic ALL)\n{solver.to_smt2()}"


def _counterexample(model: Any) -> str:
    """The integers of a model by name, without those that stand for quotients."""
    names = sorted((d.name(), model[d]) for d in model.decls() if d.arity() == 0)
    rows = [(n.removesuffix(OTHER) + "'" * n.endswith(OTHER), v) for n, v in names]
    return ", ".join(f"{n} = {v}" for n, v in rows if "!" not in n)


def _simple(context: Any) -> Any:
    """A solver without Gröbner bases: where products need none, it is several times as fast.

    Bounds of products are not optimized either: for `n*n` they grow until numbers fill the memory,
    and Z3 does not count that work.
    """
    from symlayout.text.solver import z3

    solver = z3.SimpleSolver(ctx=context)
    solver.set(random_seed=SEED, timeout=LONGEST, **{"arith.nl.grobner": False}, **WITHOUT_BOUNDS)
    return solver


def _strategies(context: Any, budget: Budget, linear: bool) -> Iterator[tuple[Any, float]]:
    """Solvers, each with other strengths, and their parts of the budget.

    `linear`: no unknowns are multiplied.
    """
    from symlayout.text.solver import z3

    if budget is Budget.QUICK:
        yield (_without_cuts(context), 3) if linear else (_eliminating(context, False), 1)
        return
    if budget is not Budget.BITS:
        yield _simple(context), 1
    whole_claim = budget in (Budget.CLAIM, Budget.BITS)
    if whole_claim:
        yield z3.SolverFor("QF_LIA", ctx=context), 1 if budget is Budget.BITS else 0.5
    yield z3.SimpleSolver(ctx=context), 0.5 if budget is Budget.CLAIM else 1
    if not whole_claim:
        yield _eliminating(context, True), 1


def _without_cuts(context: Any) -> Any:
    """A solver of linear queries that makes no cuts from Hermite normal forms."""
    from symlayout.text.solver import z3

    solver = z3.SolverFor("QF_LIA", ctx=context)
    solver.set("arith.enable_hnf", False)
    return solver


def _eliminating(context: Any, bases: bool) -> Any:
    """A solver that first replaces unknowns by what they equal."""
    from symlayout.text.solver import z3

    tactics = [z3.Tactic(t, context) for t in ("simplify", "solve-eqs", "smt")]
    solver = z3.Then(*tactics, ctx=context).solver()
    solver.set("arith.nl.grobner", bases)
    return solver
