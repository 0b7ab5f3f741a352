"""Claims as a solver gets them when nobody has rewritten them: with div and mod, as SMT-LIB 2.

`python benchmarks/plain.py z3 20 < claim.smt2` prints the solver's answer and its seconds; every
question runs in a process of its own, since a solver deep in nonlinear arithmetic may not come back.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, as_expr, rebuild, symbol
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.layouts.indexmap import IndexMap

GRACE = 3.0  # seconds beyond the limit after which the process is ended


class Script:
    """An SMT-LIB text in the making; equal parts of expressions are defined once."""

    def __init__(self) -> None:
        self.lines: list[str] = ["(set-logic QF_NIA)"]
        self.known: dict[Expr, str] = {}

    def declare(self, names: Sequence[str], least: int = 1) -> None:
        for name in names:
            self.lines.append(f"(declare-const {name} Int)")
            self.lines.append(f"(assert (>= {name} {least}))")

    def claim(self, text: str) -> None:
        self.lines.append(f"(assert {text})")

    def term(self, e: Any) -> str:
        """The name or number of an expression."""
        e = as_expr(e)
        if isinstance(e, Symbol):
            return str(e.name)
        if isinstance(e, Integer):
            return str(e) if e >= 0 else f"(- {-e})"
        if e not in self.known:
            body = self.operation(e)
            self.known[e] = f"e{len(self.known)}"
            self.lines.append(f"(define-fun {self.known[e]} () Int {body})")
        return self.known[e]

    def operation(self, e: Expr) -> str:
        if isinstance(e, Pow):
            return f"(* {' '.join([self.term(e.base)] * int(e.exp))})"
        parts = [self.term(a) for a in e.args]
        if isinstance(e, (Min, Max)):
            sign = "<=" if isinstance(e, Min) else ">="
            return reduce(lambda a, b: f"(ite ({sign} {a} {b}) {a} {b})", parts)
        if isinstance(e, CeilDiv):
            return f"(div (+ {parts[0]} (- {parts[1]} 1)) {parts[1]})"
        words = {Add: "+", Mul: "*", FloorDiv: "div", Mod: "mod"}
        return f"({words[e.func]} {' '.join(parts)})"

    def point(self, m: IndexMap, prefix: str) -> tuple[list[str], str]:
        """Coordinates in range, and the map's offset there as it is written."""
        coords = [f"{prefix}{k}" for k in range(m.rank)]
        self.declare(coords, least=0)
        for c, d in zip(coords, m.shape):
            self.claim(f"(< {c} {self.term(d)})")
        return coords, self.offset(m, coords)

    def offset(self, m: IndexMap, coords: Sequence[str]) -> str:
        """The map's offset at the coordinates of those names."""
        table = {c.name: symbol(new) for c, new in zip(m.coords, coords)}
        return self.term(rebuild(as_expr(m._raw), lambda s: table.get(s.name, s)))

    def text(self) -> str:
        return "\n".join([*self.lines, "(check-sat)", ""])


def negation(word: str, maps: Sequence[IndexMap], where: Sequence[str] = ()) -> str:
    """The SMT-LIB text that is unsatisfiable exactly when the claim holds.

    `bijective` becomes injective, bounded and as many elements as offsets, which spares the solver
    a quantifier.
    """
    s = Script()
    facts = Facts.read(where)
    s.declare(list(dict.fromkeys([*(n for m in maps for n in m.symbols), *sorted(facts.names)])))
    for r in facts.relations:
        left, right = s.term(r.left), s.term(r.right)
        body = f"({'=' if r.op in ('==', '!=') else r.op} {left} {right})"
        s.claim(f"(not {body})" if r.op == "!=" else body)
    s.claim(_fails(s, word, maps))
    return s.text()


def _fails(s: Script, word: str, maps: Sequence[IndexMap]) -> str:
    first = maps[0]
    coords, at = s.point(first, "x")
    if word == "equal":
        return f"(not (= {at} {s.offset(maps[1], coords)}))"
    size = s.term(first.size)
    outside = f"(or (< {at} 0) (>= {at} {size}))"
    if word == "bounded":
        return outside
    others, there = s.point(first, "y")
    apart = " ".join(f"(not (= {a} {b}))" for a, b in zip(coords, others))
    collision = f"(and (= {at} {there}) (or {apart}))"
    if word == "injective":
        return collision
    assert word == "bijective", word
    return f"(or {collision} {outside} (not (= {size} {s.term(first.elements)})))"


@dataclass(frozen=True)
class Answer:
    """What a solver says of a negated claim, and after how many seconds."""

    solver: str
    status: str
    seconds: float

    def __str__(self) -> str:
        words = {"unsat": "proved", "sat": "refuted"}
        return f"{words.get(self.status, self.status)} {self.seconds:.2g} s"


def ask(text: str, solvers: Sequence[str], limit: float) -> list[Answer]:
    """The answers of the solvers, which run side by side, a process each."""
    runs = []
    for solver in solvers:
        command = [sys.executable, __file__, solver, str(limit)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(text)
        process.stdin.close()
        process.stdin = None
        runs.append((solver, process))
    return [_answer(solver, process, limit) for solver, process in runs]


def _answer(solver: str, process: subprocess.Popen[str], limit: float) -> Answer:
    try:
        out, _ = process.communicate(timeout=limit + GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Answer(solver, "unknown", limit)
    words = out.split()
    if len(words) != 2:
        return Answer(solver, "failed", 0.0)
    return Answer(solver, words[0], float(words[1]))


def available() -> list[str]:
    """The solvers that are installed."""
    from importlib.util import find_spec

    return [name for name in ("z3", "cvc5") if find_spec(name)]


def run_z3(text: str, limit: float) -> str:
    """sat, unsat or unknown."""
    import z3

    solver = z3.Solver()
    solver.set("timeout", int(limit * 1000))
    solver.from_string(text)
    return str(solver.check())


def run_cvc5(text: str, limit: float) -> str:
    """sat, unsat or unknown."""
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(int(limit * 1000)))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "claim")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said = str(command.invoke(solver, parser.getSymbolManager())).strip() or said
    return said


def main() -> int:
    solver, limit = sys.argv[1], float(sys.argv[2])
    text = sys.stdin.read()
    start = time.perf_counter()
    status = {"z3": run_z3, "cvc5": run_cvc5}[solver](text, limit)
    print((status.split() or ["unknown"])[0], f"{time.perf_counter() - start:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
