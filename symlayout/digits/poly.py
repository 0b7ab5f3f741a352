"""Sparse polynomials with integer coefficients over numbered atoms.

A monomial is the descending tuple of its atoms' numbers, repeated for powers, so that comparing
tuples is the lexicographic monomial order with later atoms greater.  Digits appear while a proof
runs, so the set of atoms must be able to grow: a dictionary does that, a fixed polynomial ring does
not (`benchmarks/polynomials.py` has the figures that decided).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from math import gcd
from operator import index
from typing import TypeVar, Union

from symlayout.errors import LayoutError
from symlayout.text.limits import DEGREE, LARGEST_PRODUCT, VALUE_BITS

SMALL_PRODUCT = 1 << 10  # terms: their degree is not looked at

Mono = tuple[int, ...]
T = TypeVar("T", int, str)
PolyLike = Union["Poly", int]
NONE: frozenset[int] = frozenset()


class Poly:
    """An immutable polynomial; `terms` maps each monomial to its coefficient, never zero."""

    __slots__ = ("_hash", "known_atoms", "terms")

    terms: dict[Mono, int]

    def __init__(self, terms: dict[Mono, int]) -> None:
        self.terms = terms
        self._hash: int | None = None
        self.known_atoms: frozenset[int] | None = None  # once they are asked for: `atoms`

    @staticmethod
    def of(value: PolyLike) -> Poly:
        """The polynomial itself, or a number as a constant polynomial."""
        return value if isinstance(value, Poly) else _constant(index(value))

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            other = Poly.of(other)
        return isinstance(other, Poly) and self.terms == other.terms

    def __repr__(self) -> str:
        return self.text(lambda n: f"x{n}")

    def text(self, name: Callable[[int], str]) -> str:
        """The polynomial in infix form, atoms named by `name`.

        >>> atom(1) * atom(1) * atom(0) - atom(1) * atom(1) * atom(1)
        -x1**3 + x0*x1*x1
        """
        parts = []
        for mono, c in sorted(self.terms.items(), reverse=True):
            factors = [name(a) for a in reversed(mono)]
            if len(mono) > 2:
                powers = Counter(factors).items()
                factors = [f for a, n in powers for f in ([f"{a}**{n}"] if n > 2 else [a] * n)]
            if abs(c) != 1 or not factors:
                if c.bit_length() > VALUE_BITS:
                    raise LayoutError("SL204", f"a factor of {c.bit_length()} bits is too large")
                factors.insert(0, str(abs(c)))
            parts.append(("- " if c < 0 else "+ ") + "*".join(factors))
        union = " ".join(parts) or "0"
        return union[2:] if union.startswith("+ ") else union.replace("- ", "-", 1)

    # -- arithmetic -------------------------------------------------------------------------------

    def __add__(self, other: PolyLike) -> Poly:
        if isinstance(other, int):
            return self._plus(other)
        if len(self.terms) < len(other.terms):
            self, other = other, self
        if not other.terms:
            return self
        out = self.terms.copy()
        for m, c in other.terms.items():
            total = out.get(m, 0) + c
            if total:
                out[m] = total
            else:
                del out[m]
        return Poly(out)

    __radd__ = __add__

    def _plus(self, number: int) -> Poly:
        if not number:
            return self
        out = self.terms.copy()
        total = out.get((), 0) + number
        if total:
            out[()] = total
        else:
            del out[()]
        return Poly(out)

    def __neg__(self) -> Poly:
        out: dict[Mono, int] = {}
        for m, c in self.terms.items():
            out[m] = -c
        return Poly(out)

    def __sub__(self, other: PolyLike) -> Poly:
        if isinstance(other, int):
            return self._plus(-other)
        if not other.terms:
            return self
        out = self.terms.copy()
        for m, c in other.terms.items():
            total = out.get(m, 0) - c
            if total:
                out[m] = total
            else:
                del out[m]
        return Poly(out)

    def __rsub__(self, other: PolyLike) -> Poly:
        return -self + other

    def __mul__(self, other: PolyLike) -> Poly:
        if isinstance(other, int):
            if other == 1:
                return self
            return Poly({m: c * other for m, c in self.terms.items()}) if other else ZERO
        if len(other.terms) == 1 and len(self.terms) <= SMALL_PRODUCT:
            return self._times_term(*next(iter(other.terms.items())))
        pairs = len(self.terms) * len(other.terms)
        if pairs > SMALL_PRODUCT:
            degree = max(map(len, self.terms)) + max(map(len, other.terms))
            if pairs * degree > LARGEST_PRODUCT:
                message = f"a product of {pairs} terms of the degree {degree} is too large"
                raise LayoutError("SL204", message)
        if len(other.terms) != 1:
            self, other = other, self
        if len(other.terms) == 1:
            return self._times_term(*next(iter(other.terms.items())))
        self, other = other, self
        out: dict[Mono, int] = {}
        for m, c in self.terms.items():
            for n, d in other.terms.items():
                k = _product_of_monomials(m, n)
                out[k] = out.get(k, 0) + c * d
        return Poly({m: c for m, c in out.items() if c})

    def _times_term(self, n: Mono, d: int) -> Poly:
        """The polynomial times one term: no two products are alike."""
        if not n:
            return self if d == 1 else Poly({m: c * d for m, c in self.terms.items()})
        first = n[0]
        return Poly(
            {
                m + n if not m or m[-1] >= first else _product_of_monomials(m, n): c * d
                for m, c in self.terms.items()
            }
        )

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Poly:
        degree = max(map(len, self.terms), default=0) * exponent
        if degree > 4 * DEGREE:
            raise LayoutError("SL204", f"a polynomial of the degree {degree} is too large")
        result = ONE
        for _ in range(exponent):
            result = result * self
        return result

    # -- looking inside ---------------------------------------------------------------------------

    @property
    def atoms(self) -> frozenset[int]:
        """The numbers of the atoms that occur."""
        if self.known_atoms is None:
            self.known_atoms = NONE.union(*self.terms)
        return self.known_atoms

    @property
    def is_constant(self) -> bool:
        """Whether no atom occurs."""
        return not self.terms or (len(self.terms) == 1 and () in self.terms)

    @property
    def constant(self) -> int:
        """The constant term."""
        return self.terms.get((), 0)

    @property
    def length(self) -> int:
        """How much there is to compute: the factors of all terms."""
        return sum(map(len, self.terms)) + len(self.terms)

    def single(self) -> int | None:
        """The atom, when the polynomial is one atom with coefficient 1."""
        if len(self.terms) == 1:
            ((mono, c),) = self.terms.items()
            if c == 1 and len(mono) == 1:
                return mono[0]
        return None

    def multiple(self) -> tuple[int | None, int]:
        """The atom and its coefficient, when the polynomial is one atom times a positive number."""
        if len(self.terms) == 1:
            ((mono, c),) = self.terms.items()
            if c > 0 and len(mono) == 1:
                return mono[0], c
        return None, 0

    def by_power(self, atom: int) -> dict[int, Poly]:
        """The coefficients of the powers of one atom: `self == sum(c * atom**k)`."""
        parts: dict[int, Poly] = {}
        for m, c in self.terms.items():
            k = m.count(atom)
            first = m.index(atom) if k else 0  # equal atoms stand together
            if k not in parts:
                parts[k] = Poly({})
            parts[k].terms[m[:first] + m[first + k :]] = c
        return parts

    def substitute(self, table: Mapping[int, Poly]) -> Poly:
        """Every atom in the table replaced, all at once."""
        if self.atoms.isdisjoint(table):
            return self
        rest: dict[Mono, int] = {}
        result = ZERO
        for m, c in self.terms.items():
            inside = [a for a in m if a in table]
            if not inside:
                rest[m] = c
                continue
            part = Poly({tuple(a for a in m if a not in table): c})
            for a in inside:
                part = part * table[a]
            result = result + part
        return result + Poly(rest)

    def value(self, env: Mapping[int, int]) -> int:
        """The value at integer atoms."""
        total = 0
        for m, c in self.terms.items():
            for a in m:
                c *= env[a]
            total += c
        return total

    def is_negative_at(self, points: Iterable[Mapping[int, int]]) -> bool:
        """Whether the value at one of the points is below 0."""
        terms = self.terms.items()
        for env in points:
            total = 0
            for m, c in terms:
                for a in m:
                    c *= env[a]
                total += c
            if total < 0:
                return True
        return False

    # -- division without remainders in coefficients -----------------------------------------------

    def leading(self) -> tuple[Mono, int]:
        """The greatest monomial in the lexicographic order, and its coefficient."""
        mono = max(self.terms)
        return mono, self.terms[mono]

    def reduce(self, divisor: Poly) -> tuple[Poly, Poly]:
        """`(Q, R)` with `self == Q*divisor + R` and no term of R a multiple of the leading term.

        Coefficients are divided towards zero, so that a small negative term stays small.
        """
        lead, lc = divisor.leading()
        if len(divisor.terms) == 1:
            return self._reduce_monomial(lead, lc)
        quotient = ZERO
        rest = self
        pending = True
        while pending:
            pending = False
            for m in sorted(rest.terms, reverse=True):
                c = rest.terms[m]
                over = monomial_quotient(m, lead)
                k = abs(c) // abs(lc) * (1 if (c > 0) == (lc > 0) else -1)
                if over is not None and k:
                    step = Poly({over: k})
                    quotient = quotient + step
                    rest = rest - step * divisor
                    pending = True
                    break
        return quotient, rest

    def _reduce_monomial(self, lead: Mono, lc: int) -> tuple[Poly, Poly]:
        quotient: dict[Mono, int] = {}
        rest: dict[Mono, int] = {}
        for m, c in self.terms.items():
            over = monomial_quotient(m, lead)
            k = 0
            if over is not None:
                k = abs(c) // abs(lc) * (1 if (c > 0) == (lc > 0) else -1)
            if over is not None and k:
                quotient[over] = k
            if c - k * lc:
                rest[m] = c - k * lc
        return Poly(quotient), Poly(rest)

    def exact(self, divisor: Poly) -> Poly | None:
        """The quotient when the division leaves nothing, else None."""
        quotient, rest = self.reduce(divisor)
        return None if rest.terms else quotient


@lru_cache(maxsize=1024)
def _constant(value: int) -> Poly:
    return Poly({(): int(value)} if value else {})


def _product_of_monomials(m: Mono, n: Mono) -> Mono:
    """The product of two monomials: most often one of them goes before the other."""
    if not m or not n or m[-1] >= n[0]:
        return m + n
    return n + m if n[-1] >= m[0] else tuple(sorted(m + n, reverse=True))


def monomial_quotient(m: tuple[T, ...], n: tuple[T, ...]) -> tuple[T, ...] | None:
    """m / n, or None when n does not divide m."""
    if not n:
        return m
    if len(n) > len(m):
        return None
    left = list(m)
    for a in n:
        if a not in left:
            return None
        left.remove(a)
    return tuple(left)


def monomial_gcd(m: tuple[T, ...], n: tuple[T, ...]) -> tuple[T, ...]:
    """The greatest common monomial."""
    left = list(n)
    common = list[T]()
    for a in m:
        if a in left:
            left.remove(a)
            common.append(a)
    return tuple(common)


@lru_cache(maxsize=1024)
def atom(number: int) -> Poly:
    """The polynomial of one atom."""
    return Poly({(number,): 1})


def rounded(p: Poly) -> Poly:
    """What is not below 0 where p is not: `8*x - 5 >= 0` says `x - 1 >= 0`."""
    d = gcd(*[c for m, c in p.terms.items() if m]) or 1
    return p if d == 1 else Poly({m: c // d for m, c in p.terms.items() if c // d})


def total(parts: Iterable[Poly]) -> Poly:
    """The sum of many polynomials."""
    out: dict[Mono, int] = {}
    for p in parts:
        for m, c in p.terms.items():
            out[m] = out.get(m, 0) + c
    return Poly({m: c for m, c in out.items() if c})


ZERO = _constant(0)
ONE = _constant(1)
