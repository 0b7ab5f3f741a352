"""Exact polynomials over named unknowns, and solvers asked in SMT-LIB 2: what `recheck` counts with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Mono = tuple[str, ...]  # the unknowns of a product in alphabetical order, repeated for powers
NAME = r"[^\W\d][\w.\[\]]*"
TERM = re.compile(rf"\s*([+-]?)\s*((?:\d+|{NAME})(?:\*{NAME})*)\s*")
RLIMIT = {"z3": 1_500_000, "cvc5": 30_000}  # steps of the solver, never a clock


class Rejected(Exception):
    """A step of a certificate that does not hold; the message says what is wrong."""


class Mismatch(Rejected):
    """An obligation that is not the one that the step needs, which is `text`."""

    def __init__(self, text: str) -> None:
        super().__init__("the obligation is not the one that the step needs")
        self.text = text


@dataclass(frozen=True)
class Poly:
    """A polynomial with integer coefficients: (monomial, coefficient) pairs, sorted, none zero.

    >>> str((Poly.read("x + 1") * Poly.read("x - 1")))
    'x*x - 1'
    """

    terms: tuple[tuple[Mono, int], ...] = ()

    @staticmethod
    def of(terms: Mapping[Mono, int]) -> Poly:
        """The polynomial of a table of coefficients."""
        return Poly(tuple(sorted((m, c) for m, c in terms.items() if c)))

    @staticmethod
    def read(text: Any) -> Poly:
        """A number, or a sum of products such as "128*q - x*y + 3"; raises `Rejected`."""
        if isinstance(text, int) and not isinstance(text, bool):
            return Poly.of({(): text})
        if not isinstance(text, str) or not text:
            raise Rejected(f"{text!r} is no polynomial")
        at, out = 0, dict[Mono, int]()
        while at < len(text):
            found = TERM.match(text, at)
            if not found or (at and not found[1]):
                raise Rejected(f"{text!r} is no polynomial")
            factors = found[2].split("*")
            c = int(factors.pop(0)) if factors[0].isdigit() else 1
            mono = tuple(sorted(factors))
            out[mono] = out.get(mono, 0) + (-c if found[1] == "-" else c)
            at = found.end()
        return Poly.of(out)

    def __str__(self) -> str:
        parts = []
        for mono, c in reversed(self.terms):
            factors = [*([str(abs(c))] if abs(c) != 1 or not mono else []), *mono]
            parts.append(("- " if c < 0 else "+ ") + "*".join(factors))
        text = " ".join(parts) or "+ 0"
        return text[2:] if text[0] == "+" else "-" + text[2:]

    def __add__(self, other: Poly | int) -> Poly:
        out = dict(self.terms)
        for m, c in _poly(other).terms:
            out[m] = out.get(m, 0) + c
        return Poly.of(out)

    def __sub__(self, other: Poly | int) -> Poly:
        return self + -_poly(other)

    def __neg__(self) -> Poly:
        return Poly(tuple((m, -c) for m, c in self.terms))

    def __mul__(self, other: Poly | int) -> Poly:
        out: dict[Mono, int] = {}
        for m, c in self.terms:
            for n, d in _poly(other).terms:
                k = tuple(sorted(m + n)) if m and n else m or n
                out[k] = out.get(k, 0) + c * d
        return Poly.of(out)

    @property
    def atoms(self) -> set[str]:
        """The unknowns that occur."""
        return {a for m, _ in self.terms for a in m}

    @property
    def number(self) -> int | None:
        """The value of a polynomial without unknowns."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def powers(self, x: str) -> list[Poly]:
        """The coefficients of x**0, x**1, ..."""
        parts: list[dict[Mono, int]] = [{}]
        for m, c in self.terms:
            k = m.count(x)
            parts += [{} for _ in range(k + 1 - len(parts))]
            parts[k][tuple(a for a in m if a != x)] = c
        return [Poly.of(p) for p in parts]

    def put(self, table: Mapping[str, Poly]) -> Poly:
        """Every unknown of the table replaced, all at once."""
        if self.atoms.isdisjoint(table):
            return self
        total = Poly()
        for m, c in self.terms:
            part = Poly.of({tuple(a for a in m if a not in table): c})
            for a in m:
                part = part * table[a] if a in table else part
            total = total + part
        return total


def _poly(x: Poly | int) -> Poly:
    return x if isinstance(x, Poly) else Poly.of({(): x})


def smt(atoms: Iterable[str], holding: Sequence[str]) -> str:
    """The question whether integers satisfy all the conditions, in SMT-LIB 2."""
    logic = "QF_NIA" if any(re.search(r"\| \|", h) for h in holding) else "QF_LIA"
    lines = [f"(set-logic {logic})", *[f"(declare-const |{a}| Int)" for a in sorted(atoms)]]
    return "\n".join([*lines, *[f"(assert {h})" for h in holding], "(check-sat)"])


def smt_term(p: Poly) -> str:
    """A polynomial in SMT-LIB 2."""
    parts = []
    for m, c in p.terms:
        number = str(c) if c >= 0 else f"(- {-c})"
        factors = [*([number] if c != 1 or not m else []), *[f"|{a}|" for a in m]]
        parts.append(f"(* {' '.join(factors)})" if len(factors) > 1 else factors[0])
    return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "0"


def refutes(text: str) -> list[str]:
    """The solvers that find no solution; raises `Rejected` when none does or two disagree."""
    answers = {"Z3": z3_answer(text), "cvc5": _cvc5(text)}
    if "sat" in answers.values() or "unsat" not in answers.values():
        said = ", ".join(f"{name} says {answer}" for name, answer in answers.items() if answer)
        raise Rejected(f"the solvers do not confirm the obligation: {said}")
    return [name for name, answer in answers.items() if answer == "unsat"]


def z3_answer(text: str) -> str:
    """What Z3 says of an obligation."""
    import z3

    for options in ({}, {"arith.nl.grobner": False}, {"arith.nl.branching": False}):
        solver = z3.Solver()
        solver.set("rlimit", RLIMIT["z3"] // 3)
        solver.set("random_seed", 0)
        for key, value in options.items():
            solver.set(key, value)
        solver.add(z3.parse_smt2_string(text))
        answer = str(solver.check())
        if answer != "unknown":
            break
    return answer


def _cvc5(text: str) -> str:
    try:
        import cvc5
    except ImportError:
        return ""
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit", str(RLIMIT["cvc5"]))
    reader = cvc5.InputParser(solver)
    reader.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    answer = ""
    while not (command := reader.nextCommand()).isNull():
        answer = command.invoke(solver, reader.getSymbolManager()).strip() or answer
    return answer
