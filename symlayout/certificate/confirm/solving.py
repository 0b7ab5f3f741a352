"""A solver's answer to one query, within a budget that counts the solver's own steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, Literal

from symlayout.certificate.solvers import cvc5_says

Answer = Literal["confirmed", "unknown", "refuted"]
NAMES = {"z3": "Z3", "cvc5": "cvc5"}
SEED = 0
OTHER = "!2"  # ends the names of a second place's coordinates; texts of claims have no "!"


class Disagreement(Exception):
    """A solver has a counterexample to a claim; the message shows it."""


class Budget(Enum):
    """Z3's resource units (rlimit) for one query and one strategy."""

    QUICK = 100_000  # the claim as it is, before its certificate is asked for
    CLAIM = 200_000
    STEP = 200_000
    LAW = 400_000


def context() -> Any:
    """A context of Z3 for one claim, so that its answer does not depend on earlier ones."""
    from symlayout.text.solver import z3

    return z3.Context()


def holds(
    hypotheses: Sequence[Any], goal: Any, context: Any, budget: Budget, exact: bool = False
) -> Answer:
    """Whether the hypotheses imply the goal, by the first of Z3's strategies that knows.

    Where the query is `exact`, that is the claim itself, a counterexample raises `Disagreement`.
    """
    from symlayout.text.solver import z3

    for solver in _strategies(context, budget):
        solver.set("rlimit", budget.value)
        solver.set("random_seed", SEED)
        solver.add(*hypotheses)
        solver.add(z3.Not(goal))
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


def _strategies(context: Any, budget: Budget) -> Iterator[Any]:
    """Solvers, each with other strengths on products of unknowns."""
    from symlayout.text.solver import z3

    if budget in (Budget.QUICK, Budget.CLAIM):
        yield z3.SolverFor("QF_LIA", ctx=context)
    yield z3.Solver(ctx=context)
    if budget is Budget.QUICK:
        return
    eliminating = [z3.Tactic(t, context) for t in ("simplify", "solve-eqs", "smt")]
    yield z3.Then(*eliminating, ctx=context).solver()
    yield z3.SolverFor("QF_NIA", ctx=context)
