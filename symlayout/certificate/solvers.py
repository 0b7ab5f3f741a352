"""Z3 and cvc5, asked in SMT-LIB 2: budgets count the solvers' own steps, never a clock."""

from __future__ import annotations

from typing import Any

RLIMIT = {"Z3": 1_500_000, "cvc5": 100_000}
STRATEGIES: tuple[dict[str, bool], ...] = (
    {},
    {"arith.nl.grobner": False},
    {"arith.nl.branching": False},
)


def z3_says(text: str) -> str:
    """Z3's answer, by the first of a few strategies that has one.

    Of integers Z3's own tactics are left out, since they look at the memory that the whole process
    holds; words of bits are for the tactics that write them out.
    """
    from symlayout.text.solver import z3

    answer = "unknown"
    if "BitVec" in text:
        context = z3.Context()
        solver = z3.SolverFor("QF_BV", ctx=context)
        solver.set("rlimit", RLIMIT["Z3"])
        solver.set("random_seed", 0)
        solver.add(z3.parse_smt2_string(text, ctx=context))
        return str(solver.check())
    for strategy in STRATEGIES:
        context = z3.Context()  # of its own: an answer does not depend on what was asked before
        solver = z3.SimpleSolver(ctx=context)
        solver.set("rlimit", RLIMIT["Z3"] // len(STRATEGIES))
        solver.set("random_seed", 0)
        solver.set("arith.nl.optimize_bounds", False)  # numbers would grow, and Z3 counts no work
        for key, setting in strategy.items():
            solver.set(key, setting)
        solver.add(z3.parse_smt2_string(text, ctx=context))
        answer = str(solver.check())
        if answer != "unknown":
            break
    return answer


def cvc5_says(text: str) -> str:
    """cvc5's answer, "" where it is not installed."""
    try:
        return cvc5_answer(text)[1]
    except ImportError:
        return ""


def cvc5_answer(text: str, **options: str) -> tuple[Any, str]:
    """cvc5 after an obligation, and its answer; `options` by their names, `_` for `-`."""
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    for name, setting in {"rlimit": str(RLIMIT["cvc5"]), **options}.items():
        solver.setOption(name.replace("_", "-"), setting)
    reader = cvc5.InputParser(solver)
    reader.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    answer = ""
    while not (command := reader.nextCommand()).isNull():
        answer = command.invoke(solver, reader.getSymbolManager()).strip() or answer
    return solver, answer


def answers(text: str) -> dict[str, str]:
    """What each installed solver says of an obligation: "unsat" means that nothing breaks it."""
    both = {"Z3": z3_says(text), "cvc5": cvc5_says(text)}
    return {name: answer for name, answer in both.items() if answer}
