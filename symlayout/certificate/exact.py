"""The checker's polynomials: exact, of a limited size, and nothing of the prover's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product
from operator import mul
from typing import Any

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from symlayout.expr.reader import read_expression
from symlayout.expr.terms import as_expr

Terms = tuple[tuple[tuple[str, ...], int], ...]  # (unknowns of a product, coefficient)
MOST_TERMS = 5000
HIGHEST_DEGREE = 256
LONGEST_COEFFICIENT = 4096  # bits
MOST_WORK = 3_000_000  # products of terms that one recheck may cost
QUESTION = 10_000  # what a question to the solvers counts as
LEFT: ContextVar[list[int] | None] = ContextVar("LEFT", default=None)  # work, where it is counted


class Rejected(Exception):
    """A step of a certificate that does not hold; the message says what is wrong."""


def spend(work: int) -> None:
    """Counts work; raises `Rejected` where there has been too much of it."""
    left = LEFT.get()
    if left is not None:
        left[0] -= work
        if left[0] < 0:
            raise Rejected(f"it is more work than {MOST_WORK} products of terms: the limit")


@dataclass(frozen=True)
class Poly:
    """A polynomial with integer coefficients; its terms are sorted, none is 0."""

    terms: Terms = ()

    @staticmethod
    def of(terms: Iterable[tuple[tuple[str, ...], int]]) -> Poly:
        """The sum of the terms; raises `Rejected` where it is too large to compute with."""
        total: dict[tuple[str, ...], int] = {}
        for m, c in terms:
            total[m] = total.get(m, 0) + c
            if len(total) > MOST_TERMS:
                raise Rejected(f"a polynomial of more than {MOST_TERMS} terms: the limit")
        made = Poly(tuple(sorted((m, c) for m, c in total.items() if c)))
        if any(c.bit_length() > LONGEST_COEFFICIENT for _, c in made.terms):
            raise Rejected(f"a coefficient of more than {LONGEST_COEFFICIENT} bits: the limit")
        return made

    def __str__(self) -> str:
        parts = ["*".join([str(c), *m] if abs(c) != 1 or not m else m) for m, c in self.terms]
        signs = ["-" if c == -1 and m else "" for m, c in self.terms]
        return " + ".join(map("".join, zip(signs, parts))).replace("+ -", "- ") or "0"

    def __add__(self, other: Poly | int) -> Poly:
        return Poly.of([*self.terms, *as_poly(other).terms])

    def __sub__(self, other: Poly | int) -> Poly:
        return self + -as_poly(other)

    def __neg__(self) -> Poly:
        return Poly(tuple((m, -c) for m, c in self.terms))

    def __mul__(self, other: Poly | int) -> Poly:
        right = as_poly(other)
        if self.degree + right.degree > HIGHEST_DEGREE:
            raise Rejected(f"a polynomial of a degree above {HIGHEST_DEGREE}: the limit")
        spend(len(self.terms) * len(right.terms))
        both = product(self.terms, right.terms)
        return Poly.of((tuple(sorted(m + n)), c * d) for (m, c), (n, d) in both)

    @property
    def degree(self) -> int:
        """The unknowns in the longest product."""
        return max((len(m) for m, _ in self.terms), default=0)

    @property
    def atoms(self) -> set[str]:
        """The unknowns that occur."""
        return {a for m, _ in self.terms for a in m}

    def put(self, table: Mapping[str, Poly]) -> Poly:
        """Every unknown of the table replaced, all at once."""
        total: list[tuple[tuple[str, ...], int]] = []
        for m, c in self.terms:
            part = Poly.of([(tuple(a for a in m if a not in table), c)])
            for a in m:
                part = part * table[a] if a in table else part
            total += part.terms
        return Poly.of(total)

    def smt(self, names: Mapping[str, str]) -> str:
        """The polynomial in SMT-LIB 2, its unknowns under the names of the table."""
        signed = [(str(c) if c >= 0 else f"(- {-c})", m) for m, c in self.terms]
        terms = [f"(* 1 {' '.join([c, *[names[a] for a in m]])})" for c, m in signed]
        return f"(+ 0 0 {' '.join(terms)})"


def as_poly(x: Poly | int | str) -> Poly:
    """A polynomial, a number, or an unknown by its name."""
    return x if isinstance(x, Poly) else Poly.of([((x,), 1) if isinstance(x, str) else ((), x)])


def polynomial(
    e: Any,
    leaf: Callable[[str], Poly] = as_poly,
    operation: Callable[[Expr, list[Poly]], Poly | None] = lambda x, args: None,
    finish: Callable[[Poly], Poly] = lambda p: p,
) -> Poly:
    """The polynomial of an expression; `operation` says what a division, minimum or maximum is.

    >>> print(polynomial(read_expression("(x + 2)**2 - x*x")))
    4 + 4*x

    Raises `Rejected` for what is no integer expression, or is too large.
    """
    done: dict[Expr, Poly] = {}

    def visit(x: Expr) -> Poly:
        if x not in done:
            done[x] = finish(build(x))
        return done[x]

    def build(x: Expr) -> Poly:
        if isinstance(x, Symbol):
            return leaf(x.name)
        if isinstance(x, Integer):
            return as_poly(int(x))
        args = [visit(a) for a in x.args]
        if isinstance(x, Add):
            return sum(args, Poly())
        if isinstance(x, Mul):
            return reduce(mul, args)
        if isinstance(x, Pow) and x.exp.is_Integer and x.exp >= 0:
            if x.exp > HIGHEST_DEGREE:
                raise Rejected(f"a power of {x.exp}: the limit is {HIGHEST_DEGREE}")
            return reduce(mul, [args[0]] * int(x.exp), as_poly(1))
        made = operation(x, args)
        if made is None:
            raise Rejected(f"{x} is no integer expression")
        return made

    return visit(as_expr(e))


@lru_cache(maxsize=100_000)
def poly(text: str) -> Poly:
    """The polynomial of a text without divisions; raises `LayoutError` or `Rejected`."""
    return polynomial(read_expression(text))
