"""The checker's polynomials: exact, of a limited size, and nothing of the prover's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial, reduce
from itertools import product
from math import inf, prod
from typing import Any

from symlayout.expr.reader import read_expression
from symlayout.expr.terms import SIMPLE, Exp2, as_expr
from symlayout.expr.traversal import fold
from symlayout.expr.tree import Expr
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

Terms = tuple[tuple[tuple[str, ...], int], ...]  # (unknowns of a product, coefficient)
MOST_TERMS = 5000
HIGHEST_DEGREE = 256
LONGEST_COEFFICIENT = 4096  # bits
BEYOND = 1 << LONGEST_COEFFICIENT
BELOW = -BEYOND
MOST_WORK = 3_000_000  # products of terms that one recheck may cost
MOST_REMAINDERS = 4096  # of all unknowns together
LONGEST_NUMBER = 1000  # digits
NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
QUESTION = 10_000  # what a question to the solvers counts as
VALUED = frozenset([Exp2, *SIMPLE])  # of numbers the value is computed


class Rejected(Exception):
    """A step of a certificate that does not hold; the message says what is wrong."""


class Work:
    """What a recheck may still cost, in products of terms; whoever multiplies for it spends of it.

    A proof that is only searched for is `FREE`.
    """

    def __init__(self, left: float = MOST_WORK) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        """Counts work; raises `Rejected` where there has been too much of it."""
        self.left -= work
        if self.left < 0:
            raise Rejected(f"it is more work than {MOST_WORK} products of terms: the limit")


FREE = Work(inf)


class Poly:
    """A polynomial with integer coefficients; its terms are sorted, none is 0.  Nobody changes it."""

    def __init__(self, terms: Terms = ()) -> None:
        self.terms = terms

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __repr__(self) -> str:
        return f"Poly(terms={self.terms})"

    @staticmethod
    def of(terms: Iterable[tuple[tuple[str, ...], int]]) -> Poly:
        """The sum of the terms; raises `Rejected` where it is too large to compute with."""
        total: dict[tuple[str, ...], int] = {}
        for m, c in terms:
            total[m] = total.get(m, 0) + c
        return Poly._of(total)

    @staticmethod
    def _of(total: Mapping[tuple[str, ...], int]) -> Poly:
        """The polynomial with these coefficients, of which some may be 0."""
        if len(total) > MOST_TERMS:
            raise Rejected(f"a polynomial of more than {MOST_TERMS} terms: the limit")
        rows = [row for row in total.items() if row[1]]
        rows.sort()
        for m, c in rows:
            if not BELOW < c < BEYOND:
                raise Rejected(f"a coefficient of more than {LONGEST_COEFFICIENT} bits: the limit")
            if len(m) > HIGHEST_DEGREE:
                raise Rejected(f"a polynomial of a degree above {HIGHEST_DEGREE}: the limit")
        return Poly(tuple(rows))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        parts = ["*".join([str(c), *m] if abs(c) != 1 or not m else m) for m, c in self.terms]
        signs = ["-" if c == -1 and m else "" for m, c in self.terms]
        return " + ".join(map("".join, zip(signs, parts))).replace("+ -", "- ") or "0"

    def __add__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            return self._plus(other)
        if not (self.terms and other.terms):
            return self if self.terms else other
        total = dict(self.terms)
        for m, c in other.terms:
            total[m] = total.get(m, 0) + c
        return Poly._of(total)

    def _plus(self, n: int) -> Poly:
        """The polynomial plus a number, whose place is in front of all unknowns."""
        own = self.terms[0][1] if self.terms and not self.terms[0][0] else 0
        rest, total = self.terms[1:] if own else self.terms, own + n
        if not BELOW < total < BEYOND:
            raise Rejected(f"a coefficient of more than {LONGEST_COEFFICIENT} bits: the limit")
        return Poly(((((), total),) if total else ()) + rest)

    def __sub__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            return self._plus(-other)
        if not other.terms:
            return self
        total = dict(self.terms)
        for m, c in other.terms:
            total[m] = total.get(m, 0) - c
        return Poly._of(total)

    def __neg__(self) -> Poly:
        return Poly(tuple([(m, -c) for m, c in self.terms]))

    def __mul__(self, other: Poly | int) -> Poly:
        """The product, which nobody counts: the checker multiplies by `multiply`."""
        right = as_poly(other)
        if len(right.terms) == 1 and not right.terms[0][0]:
            return self.times(right.terms[0][1])
        if len(self.terms) == 1 and not self.terms[0][0]:
            return right.times(self.terms[0][1])
        total: dict[tuple[str, ...], int] = {}
        for m, c in self.terms:
            for n, d in right.terms:
                both = tuple(sorted(m + n)) if m and n else m or n
                total[both] = total.get(both, 0) + c * d
        return Poly._of(total)

    def times(self, n: int) -> Poly:
        """The polynomial times a number that is not 0."""
        if n == 1:
            return self
        rows = tuple([(m, c * n) for m, c in self.terms])
        for _, c in rows:
            if not BELOW < c < BEYOND:
                raise Rejected(f"a coefficient of more than {LONGEST_COEFFICIENT} bits: the limit")
        return Poly(rows)

    @cached_property
    def degree(self) -> int:
        """The unknowns in the longest product."""
        return max([len(m) for m, _ in self.terms], default=0)

    @cached_property
    def atoms(self) -> frozenset[str]:
        """The unknowns that occur."""
        return frozenset([a for m, _ in self.terms for a in m])

    def put(self, table: Mapping[str, Poly], work: Work) -> Poly:
        """Every unknown of the table replaced, all at once."""
        total: dict[tuple[str, ...], int] = {}
        if len(self.terms) == 1 and len(self.terms[0][0]) == 1 == self.terms[0][1]:
            work.spend(1)
            return table.get(self.terms[0][0][0], self)
        for m, c in self.terms:
            rest: tuple[str, ...] = ()
            rows: Poly | None = None
            for a in m:
                if a not in table:
                    rest += (a,)
                else:
                    rows = table[a] if rows is None else multiply(work, rows, table[a])
            if rows is None:
                total[m] = total.get(m, 0) + c
                continue
            work.spend(2 * len(rows.terms))
            for n, d in rows.terms:
                both = tuple(sorted(rest + n)) if rest and n else rest or n
                total[both] = total.get(both, 0) + c * d
        return Poly._of(total)

    def smt(self, names: Mapping[str, str]) -> str:
        """The polynomial in SMT-LIB 2, its unknowns under the names of the table."""
        signed = [(str(c) if c >= 0 else f"(- {-c})", m) for m, c in self.terms]
        terms = [f"(* 1 {' '.join([c, *[names[a] for a in m]])})" for c, m in signed]
        return f"(+ 0 0 {' '.join(terms)})"


def multiply(work: Work, p: Poly, q: Poly) -> Poly:
    """The product, which is counted before it is computed."""
    work.spend(len(p.terms) * len(q.terms))
    return p * q


def remainders(p: Poly, modulus: int, work: Work) -> set[int]:
    """What p leaves modulo a number, its unknowns being any integers; raises `Rejected`."""
    terms = [(m, c % modulus) for m, c in p.terms if c % modulus]
    names = sorted({a for m, _ in terms for a in m})
    if modulus ** len(names) > MOST_REMAINDERS:
        raise Rejected(f"more than {MOST_REMAINDERS} remainders: the limit")
    work.spend(modulus ** len(names) * len(terms))
    results = set()
    for values in product(range(modulus), repeat=len(names)):
        at = dict(zip(names, values))
        results.add(sum(c * prod(at[a] for a in m) for m, c in terms) % modulus)
    return results


def avoid(p: Poly, modulus: int, values: Iterable[int], work: Work) -> None:
    """Checks that p leaves nothing modulo a number that one of the values leaves."""
    hits = remainders(p, modulus, work)
    for v in values:
        if v % modulus in hits:
            raise Rejected(f"modulo {modulus}, {p} may leave {v % modulus}")


def as_poly(x: Poly | int | str) -> Poly:
    """A polynomial, a number, or an unknown by its name."""
    return x if isinstance(x, Poly) else _single(x)


@lru_cache(maxsize=10_000)
def _single(x: int | str) -> Poly:
    return Poly.of([((x,), 1) if isinstance(x, str) else ((), x)])


def of_number(word: Any, *operands: Any) -> Poly | None:
    """The value at numbers, of a power and of what is but a row of `operators`; None for all else.

    Raises `Rejected` for one too large.
    """
    if word not in VALUED or any(p.atoms for p in operands):
        return None
    numbers = [sum(c for _, c in p.terms) for p in operands]
    value = value_of(word, numbers)
    if value is None and word is Exp2:
        raise Rejected(f"2**{numbers[0]} is not a number to compute with")
    return None if value is None else as_poly(value)


def value_of(word: Any, numbers: Sequence[int | None]) -> int | None:
    """The value at numbers, of operators of which it is computed; None of all others."""
    known = [n for n in numbers if n is not None]
    if word not in VALUED or len(known) < len(numbers) or not word.row.defined(*known):
        return None
    if word is Exp2 and known[0] >= LONGEST_COEFFICIENT:
        return None
    return int(word.row.at(*known))


def polynomial(
    e: Any,
    work: Work,
    leaf: Callable[[str], Poly] = as_poly,
    operation: Callable[[Expr, list[Poly]], Poly | None] = lambda x, args: None,
) -> Poly:
    """The polynomial of an expression; `operation` says what a division, minimum or maximum is.

    >>> print(polynomial(read_expression("(x + 2)**2 - x*x"), Work()))
    4 + 4*x

    Raises `Rejected` for what is not an integer expression, or is too large.
    """
    times = partial(multiply, work)

    def build(x: Expr, args: list[Poly]) -> Poly:
        if not args:
            return as_poly(int(x)) if x.is_Integer else leaf(x.name)
        if x.is_Add:
            return Poly.of([t for p in args for t in p.terms])
        if x.is_Mul:
            return reduce(times, args)
        if x.is_Pow:
            power = int(x.exp)
            if power > HIGHEST_DEGREE:
                raise Rejected(f"a power of {power}: the limit is {HIGHEST_DEGREE}")
            return reduce(times, [args[0]] * power, as_poly(1))
        result = operation(x, args)
        if result is None:
            raise Rejected(f"{x} is not an integer expression")
        return result

    whole: Poly = fold(as_expr(e), build)
    return whole


def poly(text: str, work: Work) -> Poly:
    """The polynomial of a text without divisions; raises `LayoutError` or `Rejected`."""
    result, cost = _measured(text)
    work.spend(cost)
    return result


@lru_cache(maxsize=100_000)
def _measured(text: str) -> tuple[Poly, int]:
    """The polynomial of a text, and what it costs, whether it is remembered or not."""
    work = Work()
    result = printed(text) or polynomial(read_expression(text), work)
    return result, int(MOST_WORK - work.left)


def printed(text: str) -> Poly | None:
    """The polynomial that has this very text as its own; None where there is none.

    Its text is a sum of products of one number and of names: certificates hold such texts alone.

    >>> printed("4 - 3*x*y + z"), printed("4 + z - 3*x*y"), printed("x**2")
    (Poly(terms=(((), 4), (('x', 'y'), -3), (('z',), 1))), None, None)
    """
    rows: list[tuple[tuple[str, ...], int]] = []
    for term in text.replace("- ", "+ -").split(" + "):
        first, *names = term.split("*")
        sign, size = -1 if first[:1] == "-" else 1, first.removeprefix("-")
        if size.isascii() and size.isdigit() and len(size) < LONGEST_NUMBER:
            rows.append((tuple(names), sign * int(size)))
        else:
            rows.append(((size, *names), sign))
    for unknowns, _ in rows:
        if [*unknowns] != sorted(unknowns) or not all(map(NAME.fullmatch, unknowns)):
            return None
    result = Poly.of(rows)
    return result if str(result) == text else None
