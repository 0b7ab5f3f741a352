"""Atoms, Euclid's splits, and division of polynomials: `P = Q*D + R` with `0 <= R < D` proved.

Euclid: for D > 0 there are unique q and r with `x = D*q + r` and `0 <= r < D`.  A symbol that is
divided is replaced everywhere by its digits, so that index functions become polynomials with no
division left.  What cannot be split (a sum whose parts overlap) becomes a quotient atom `q` with the
constraint `0 <= P - D*q < D`; its remainder is the polynomial `P - D*q`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from math import gcd
from typing import Any, Self

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from symlayout.digits import bounds, samples
from symlayout.digits.poly import ONE, ZERO, Mono, Poly, atom, monomial_gcd, monomial_quotient
from symlayout.errors import LayoutError
from symlayout.expr.operations import BITS, OF_BITS, Where
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod

LONGEST_TEXT = 160
EFFORT = 120_000
LARGEST_MODULUS = 64  # of which all remainders are looked at


def in_brackets(name: str) -> str:
    """A name that can stand inside a product: in parentheses unless it is a word or a call."""
    plain = name.isidentifier() or name.isdigit() or _CALL.fullmatch(name)
    return name if plain else f"({name})"


_CALL = re.compile(r"\w+\([^()]*\)|\([^()]*\)")


class Undecided(Exception):
    """A step needs something that is not proved; the message says what."""


@dataclass
class Atom:
    """An integer unknown with its range `low <= x <= high` (None where there is no bound).

    `base` is the least of the values that a digit chain counts from (see `Root`).  `kind` is
    "size", "coord", "digit", "quotient", "extreme", "bits" or "window".
    """

    name: str
    kind: str
    low: int | None
    high: Poly | None
    root: int | None = None
    definition: tuple[Any, ...] = ()
    looser: Poly | None = None  # another upper bound, for sums in which it cancels


@dataclass
class Root:
    """A symbol x written in digits: `x == sum(weight * digit)`, lowest first.

    `exact` says that the digits range over a full box.
    """

    atom: int
    digits: list[int] = field(default_factory=list)
    weights: list[Poly] = field(default_factory=list)
    exact: bool = True


@dataclass
class Division:
    """One division step of a proof: `P = Q*D + R` and why `0 <= R < D`."""

    dividend: Poly
    divisor: Poly
    quotient: Poly
    remainder: Poly
    why: str


class Context:
    """The atoms of one proof, what is known of them, and the polynomials of its expressions."""

    bounds_set: int

    def __init__(self) -> None:
        self.atoms: list[Atom] = []
        self.by_name: dict[str, int] = {}
        self.replaced: dict[int, Poly] = {}
        self._resolved: dict[Poly, Poly] = {}  # with what stands now
        self.roots: dict[int, Root] = {}
        self.constraints: list[Poly] = []  # each >= 0
        self.nonzero: list[Poly] = []
        self.divisions: list[Division] = []
        self.contradiction = False
        self.effort = EFFORT  # terms that questions without an answer may still look at
        self.residues = False  # whether a small number that divides a product splits its factors
        self.bounds_set = 0
        self.dropped: list[Any] = []  # facts that no step uses
        self._divided: dict[tuple[Poly, Poly], tuple[Poly, Poly]] = {}
        self._positive: set[Poly] = set()
        self._opaque: dict[tuple[Any, ...], Poly] = {}
        self._keyed = 0
        self.samples: list[dict[int, int]] = []
        self._polys: dict[Expr, Poly] = {}
        self._splitting: set[int] = set()
        self.known_signs: dict[Poly, tuple[bool, tuple[int, ...]]] = {}
        self.windows: dict[tuple[int, int, int], int] = {}
        self.boxes: list[tuple[int | None, ...]] = []  # the coordinates' atoms, box by box
        self.busy: frozenset[int] = frozenset()

    def fork(self) -> Self:
        """A context that knows the same, to go on from it in another way."""
        made = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, dict, set)):
                setattr(made, name, value.copy())
        made.atoms = [copy(a) for a in self.atoms]
        made.roots = {
            n: Root(r.atom, [*r.digits], [*r.weights], r.exact) for n, r in self.roots.items()
        }
        made.samples = [dict(s) for s in self.samples]
        return made

    # -- atoms ------------------------------------------------------------------------------------

    def new_atom(
        self, name: str, kind: str, low: int | None, high: Poly | None, **more: Any
    ) -> int:
        """A new atom; returns its number."""
        self.atoms.append(Atom(name, kind, low, high, **more))
        number = len(self.atoms) - 1
        if self.samples:
            self.samples = [
                s for k, s in enumerate(self.samples) if samples.place(self, s, number, k)
            ]
        return number

    def fails(self, p: Poly) -> bool:
        """Whether a resolved polynomial is negative at a sample point."""
        return any(p.value(point) < 0 for point in self.samples)

    def symbol(
        self, name: str, low: int | None = 1, high: Poly | None = None, kind: str = "size"
    ) -> Poly:
        """The polynomial of a named symbol, made on first use."""
        if name not in self.by_name:
            self.by_name[name] = self.new_atom(name, kind, low, high)
        return self.resolve(atom(self.by_name[name]))

    def name(self, number: int) -> str:
        """An atom's name, for messages and certificates."""
        return self.atoms[number].name

    def text(self, p: Poly) -> str:
        """A polynomial in infix form, for people: a long one is cut."""
        whole = p.text(lambda n: in_brackets(self.name(n)))
        return whole if len(whole) <= LONGEST_TEXT else whole[:LONGEST_TEXT] + " ..."

    def resolve(self, p: Poly) -> Poly:
        """The polynomial with every replaced symbol replaced."""
        if p.atoms.isdisjoint(self.replaced):
            return p
        made = self._resolved.get(p)
        if made is None:
            made = p
            while not made.atoms.isdisjoint(self.replaced):
                made = made.substitute(self.replaced)
            self._resolved[p] = made
        return made

    @property
    def version(self) -> tuple[int, ...]:
        """Changes whenever something new is known, so that a failed question may be asked again."""
        return (len(self.replaced), len(self.constraints), self.bounds_set)

    def bound_above(self, number: int, bound: Poly) -> None:
        """From now on the atom is at most that."""
        self.atoms[number].high = bound
        self.bounds_set += 1

    def replace(self, number: int, by: Poly) -> None:
        """From now on the atom stands for that polynomial, also in what other atoms stand for."""
        made = self.resolve(by)
        self._resolved.clear()
        for n, p in self.replaced.items():
            if number in p.atoms:
                self.replaced[n] = p.substitute({number: made})
        self.replaced[number] = made

    def high(self, number: int) -> Poly | None:
        """An atom's upper bound, with what is known by now."""
        bound = self.atoms[number].high
        return None if bound is None else self.resolve(bound)

    def forget(self) -> None:
        """Forgets the polynomials of expressions, so that they are made again with all digits known."""
        self._polys.clear()

    # -- expressions ------------------------------------------------------------------------------

    def poly(self, e: Expr | int, env: Mapping[Symbol, Poly] | None = None) -> Poly:
        """The polynomial of an expression; `env` gives the coordinates' polynomials.

        Raises `Undecided` when a divisor is not proved to be positive.
        """
        memo: dict[Expr, Poly] = {} if env else self._polys

        def visit(x: Expr) -> Poly:
            got = memo.get(x)
            if got is None:
                got = memo[x] = build(x)
            return got

        def build(x: Expr) -> Poly:
            if isinstance(x, Integer):
                return Poly.of(int(x))
            if isinstance(x, Symbol):
                if env and x in env:
                    return env[x]
                return self.symbol(x.name)
            if isinstance(x, Add):
                result = ZERO
                for a in x.args:
                    result = result + visit(a)
                return result
            if isinstance(x, Mul):
                result = ONE
                for a in x.args:
                    result = result * visit(a)
                return result
            if isinstance(x, Pow):
                return visit(x.base) ** int(x.exp)
            if isinstance(x, Where):
                return visit(self.chosen(*map(visit, x.args[:2]), *x.args[2:]))
            return self._function(x, [visit(a) for a in x.args])

        return self.resolve(visit(e) if isinstance(e, Expr) else Poly.of(e))

    def _function(self, x: Expr, args: list[Poly]) -> Poly:
        if isinstance(x, (Min, Max)):
            result = args[0]
            for a in args[1:]:
                result = self.extreme(result, a, isinstance(x, Min))
            return result
        a, b = args
        if type(x) in BITS:
            return self.bitwise(BITS[type(x)], a, b)
        if isinstance(x, FloorDiv):
            return self.divmod(a, b)[0]
        if isinstance(x, Mod):
            return self.divmod(a, b)[1]
        if isinstance(x, CeilDiv):
            # ceil(a/b) == -((-a)//b) for every b, and == (a + b - 1)//b for b > 0
            return self.divmod(a + b - 1, b)[0] if self.positive(b) else -self.divmod(-a, b)[0]
        if isinstance(x, (TruncDiv, TruncMod)):
            quotient, rest = self.truncated(a, b)
            return quotient if isinstance(x, TruncDiv) else rest
        raise LayoutError("SL203", f"{x} is no integer expression")

    def extreme(self, a: Poly, b: Poly, least: bool) -> Poly:
        """min or max: the decided one where it is decided, else an atom between both."""
        a, b = self.resolve(a), self.resolve(b)
        if self.nonneg(b - a):
            return a if least else b
        if self.nonneg(a - b):
            return b if least else a
        word = "min" if least else "max"
        first, second = sorted((a, b), key=repr)
        key = (word, first, second)
        self._rekey()
        if key not in self._opaque:
            low = None
            lows = [bounds.least(self, p) for p in (a, b)]
            known = [v for v in lows if v is not None]
            if len(known) == 2:
                low = min(known) if least else max(known)
            n = self.new_atom(
                f"{word}({self.text(first)}, {self.text(second)})",
                "extreme",
                low,
                None,
                definition=(word, first, second),
            )
            m = atom(n)
            self._opaque[key] = m
            self.constraints += [a - m, b - m] if least else [m - a, m - b]
        return self._opaque[key]

    def chosen(self, p: Poly, q: Poly, a: Expr, b: Expr) -> Expr:
        """`a` where p < q, `b` where not; raises `Undecided` where that differs from place to place."""
        if self.nonneg(q - p - 1):
            return a
        if self.nonneg(p - q):
            return b
        raise Undecided(f"whether {self.text(self.resolve(p))} < {self.text(self.resolve(q))}")

    def bitwise(self, sign: str, a: Poly, b: Poly) -> Poly:
        """Two integers bit by bit: an atom of which bounds are known, one for each pair."""
        first, second = sorted((self.resolve(a), self.resolve(b)), key=repr)
        if first.is_constant and second.is_constant:
            return Poly.of(OF_BITS[sign](first.constant, second.constant))
        if first == second:
            return ZERO if sign == "^" else first
        for p, q in ((first, second), (second, first)):
            if self._apart(p, q):  # no bit is in both
                return ZERO if sign == "&" else p + q
            if sign == "^":
                inner = self._inside(q)
                if p in inner:  # a ^ (a ^ b) is b
                    return inner[1 - inner.index(p)]
                if p.is_constant and inner and inner[0].is_constant:
                    made = Poly.of(p.constant ^ inner[0].constant)
                    return self.bitwise(sign, made, inner[1])
        key = (sign, first, second)
        self._rekey()
        if key not in self._opaque:
            natural = self.nonneg(first) and self.nonneg(second)
            ends = [bounds.least(self, -p) for p in (first, second)]
            known = [-v for v in ends if v is not None]
            high = None
            if natural and len(known) == 2:
                high = Poly.of(2 ** max(v.bit_length() for v in known) - 1)
            name = f" {sign} ".join(in_brackets(self.text(p)) for p in (first, second))
            low = 0 if natural else None
            m = atom(self.new_atom(name, "bits", low, high, definition=key))
            self._opaque[key] = m
            if natural and sign == "&":
                self.constraints += [first - m, second - m]
            elif natural:
                least = [m - first, m - second] if sign == "|" else []
                self.constraints += [first + second - m, *least]
        return self._opaque[key]

    def _apart(self, p: Poly, q: Poly) -> bool:
        """Whether 0 <= q < 2**k for a power of two that divides p."""
        g = gcd(*p.terms.values())
        low = g & -g  # the largest power of two in all of its numbers
        return low > 1 and self.nonneg(q) and self.nonneg(-q + low - 1)

    def _inside(self, p: Poly) -> tuple[Poly, ...]:
        """The two sides of an exclusive or, a number first."""
        number = p.single()
        if number is None or self.atoms[number].definition[:1] != ("^",):
            return ()
        sides = [self.resolve(x) for x in self.atoms[number].definition[1:]]
        return tuple(sorted(sides, key=lambda x: not x.is_constant))

    def truncated(self, a: Poly, b: Poly) -> tuple[Poly, Poly]:
        """C's quotient and remainder: floor's where the dividend is not negative."""
        if not self.positive(b) and self.nonneg(-self.resolve(b) - 1):
            quotient, rest = self.truncated(a, -b)  # a / -b == -(a / b), a % -b == a % b
            return -quotient, rest
        if self.nonneg(a):
            return self.divmod(a, b)
        if self.nonneg(-a):
            quotient, rest = self.divmod(-a, b)
            return -quotient, -rest
        raise Undecided(f"the sign of {self.text(a)}, which C divides by {self.text(b)}")

    # -- signs ------------------------------------------------------------------------------------

    def nonneg(self, p: Poly) -> bool:
        """Whether p >= 0 is proved, from ranges and constraints alone."""
        return bounds.nonneg(self, self.resolve(p))

    def positive(self, p: Poly) -> bool:
        """Whether p >= 1 is proved."""
        if p in self._positive:
            return True
        if self.nonneg(p - 1):
            self._positive.add(p)
            return True
        return False

    def assume_nonnegative(self, p: Poly) -> None:
        """From now on p >= 0: the least value of a plain symbol rises, or p is a constraint."""
        p = self.resolve(p)
        if self.nonneg(p):
            return
        number, factor = (p - p.constant).multiple()
        plain = number is not None and self.atoms[number].root is None
        if number is not None and plain and self.atoms[number].kind == "size":
            self.atoms[number].low = -(p.constant // factor)  # factor*x + c >= 0
            self.bounds_set += 1
        else:
            self.constraints.append(p)
        self.samples = [point for point in self.samples if p.value(point) >= 0]

    # -- division ---------------------------------------------------------------------------------

    def divmod(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Floor quotient and remainder.  Raises `Undecided` unless d is proved positive."""
        p, d = self.resolve(p), self.resolve(d)
        if d == ONE:
            return p, ZERO
        if d.is_constant and p.is_constant and d.constant > 0:
            return Poly.of(p.constant // d.constant), Poly.of(p.constant % d.constant)
        key = (p, d)
        if key in self._divided:
            q, r = self._divided[key]
            return self.resolve(q), self.resolve(r)
        if not self.positive(d):
            if self.nonneg(-d) and self.nonneg(-d - 1):
                q, r = self.divmod(-p, -d)  # p // d == (-p) // (-d), p % d == -((-p) % (-d))
                return q, -r
            raise Undecided(f"the divisor {self.text(d)} is not proved to be positive")
        q, r = self._divide(p, d)
        self._divided[key] = (q, r)
        return self.resolve(q), self.resolve(r)

    def _divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        q, r = p.reduce(d)
        r, moved = self._shift_constant(r, d)
        q = q + moved
        if not r.terms:
            return self._record(p, d, q, r, "nothing is left")
        if self.in_range(r, d):
            return self._record(p, d, q, r, "bounds")
        for k in (-1, 1):  # a remainder that is one divisor off
            if self.in_range(r - d * k, d):
                return self._record(p, d, q + k, r - d * k, "bounds")
        found = self._common_factor(r, d)
        if found is not None:
            q1, r1 = found
            return self._record(p, d, q + q1, r1, "common factor")
        splitting = self._split_for(r, d) or (self.residues and self._split_factors(r, d))
        if splitting:
            return self.divmod(p, d)
        q1 = self._quotient_atom(r, d)
        return self._record(p, d, q + q1, r - d * q1, "definition of the quotient")

    def _record(self, p: Poly, d: Poly, q: Poly, r: Poly, why: str) -> tuple[Poly, Poly]:
        self.divisions.append(Division(p, d, q, r, why))
        return q, r

    def in_range(self, r: Poly, d: Poly) -> bool:
        """Whether 0 <= r < d is proved."""
        return self.nonneg(r) and self.nonneg(d - 1 - r)

    def _shift_constant(self, r: Poly, d: Poly) -> tuple[Poly, int]:
        """For a number d: the constant term into [0, d), and by how many d it moved."""
        if not d.is_constant:
            return r, 0
        k = r.constant // d.constant
        return r - k * d.constant, k

    def _common_factor(self, r: Poly, d: Poly) -> tuple[Poly, Poly] | None:
        """R6: `(g*x + y) // (g*z) == x // z` when 0 <= y < g, for some common factor g."""
        for g in self._factors(r, d):
            smaller = d.exact(g)
            if smaller is None or smaller == ONE or not smaller.terms:
                continue
            x, y = r.reduce(g)
            if g.is_constant:
                y, k = self._shift_constant(y, g)
                x = x + k
            if not x.terms or x == r or not self.positive(g) or not self.in_range(y, g):
                continue
            q, rest = self.divmod(x, smaller)
            return q, self.resolve(rest * g + y)
        return None

    def _factors(self, r: Poly, d: Poly) -> list[Poly]:
        """Candidates for a common factor of d and most of r, the largest first."""
        content = 0
        common: Mono | None = None
        for m, c in d.terms.items():
            content = gcd(content, c)
            common = m if common is None else monomial_gcd(common, m)
        assert common is not None
        seen: dict[Poly, None] = {}
        for m, c in sorted(r.terms.items(), key=lambda t: (len(t[0]), abs(t[1])), reverse=True):
            number, mono = gcd(content, c), monomial_gcd(common, m)
            if number > 1 or mono:
                seen.setdefault(Poly({mono: number}))
        if len(d.terms) > 1:
            for a in dict.fromkeys(common):
                part = d.exact(atom(a))
                if part is not None:
                    seen.setdefault(part)
        for number in sorted(self.by_name.values()):
            factor = self.resolve(atom(number))
            if len(factor.terms) > 1 and len(d.terms) > 1:
                seen.setdefault(factor)
        return list(seen)

    # -- splitting --------------------------------------------------------------------------------

    def _split_for(self, r: Poly, d: Poly) -> bool:
        """Splits the one atom that r is (plus a number), so that r // d becomes a digit."""
        rest = r - r.constant
        number = rest.single()
        if number is None or not d.atoms.isdisjoint({number}):
            return False
        if r.constant % d.constant if d.is_constant else r.constant:
            return False  # so ceil(x/d) is an atom of its own: x in digits would make products long
        return self.split(number, d)

    def _split_factors(self, r: Poly, d: Poly) -> bool:
        """Splits every symbol of r by a small number d: r % d depends on their remainders alone."""
        if not d.is_constant or d.constant > LARGEST_MODULUS:
            return False
        before = len(self.replaced)
        for number in sorted(r.atoms):
            high = self.high(number)
            small = high is not None and high.is_constant and high.constant < d.constant
            if number not in self.replaced and not small:
                self.split(number, d)
        return len(self.replaced) > before

    def split(self, number: int, d: Poly) -> bool:
        """Replaces `x` by `d*high + low`, 0 <= low < d; False where that cannot be."""
        info = self.atoms[number]
        if info.low is None or info.low < 0 or number in self._splitting:
            return False
        if info.kind not in ("size", "coord", "digit"):
            return False
        root, place = self._root_of(number)
        if not samples.behind(self, d).isdisjoint({number, root.atom}):
            return False  # d would be made of x's own digits
        self._splitting.add(number)
        try:
            top, exact = self._top_of(number, d)
        finally:
            self._splitting.discard(number)
        if number in self.replaced:  # finding the bound has split it already
            return True
        floor = info.low // d.constant if d.is_constant else 0
        whole, step = in_brackets(info.name), in_brackets(self.text(d))
        high = self.new_atom(f"{whole}//{step}", "digit", floor, top)
        low = self.new_atom(f"{whole}%{step}", "digit", 0, d - 1)
        self.atoms[high].root = self.atoms[low].root = root.atom
        self.samples = [point for point in self.samples if self.resolve(d).value(point) > 0]
        for point in self.samples:
            point[high], point[low] = divmod(point[number], self.resolve(d).value(point))
        self.replace(number, d * atom(high) + atom(low))
        weight = root.weights[place]
        root.digits[place : place + 1] = [low, high]
        root.weights[place : place + 1] = [weight, self.resolve(weight * d)]
        root.exact = root.exact and exact
        if not d.is_constant or info.low % d.constant:
            self.constraints.append(self.resolve(atom(number) - info.low))
        if info.high is not None and not exact:
            self.constraints.append(self.resolve(info.high - atom(number)))
        return True

    def _root_of(self, number: int) -> tuple[Root, int]:
        """The root whose digit this atom is, and its place; a fresh root for a plain symbol."""
        info = self.atoms[number]
        if info.root is not None:
            root = self.roots[info.root]
            return root, root.digits.index(number)
        root = Root(number, [number], [ONE])
        self.roots[number] = root
        info.root = number
        return root, 0

    def _top_of(self, number: int, d: Poly) -> tuple[Poly | None, bool]:
        """The largest high digit, and whether the digits then range over a full box."""
        high = self.high(number)
        if high is None:
            return None, True
        top, rest = self.divmod(high, d)
        return top, self.resolve(d - 1 - rest) == ZERO

    def _quotient_atom(self, r: Poly, d: Poly) -> Poly:
        """The atom of r // d, one for each pair."""
        inner = self._nested(r, d)
        if inner is not None:
            return inner
        # (x-1)//d is ceil(x/d) - 1: the atom is the count of tiles, at least 1, so that strides that
        # are products of counts stay single terms
        up = int(r.constant == -1 and not d.is_constant and (r + 1).single() is not None)
        dividend = r + d * up
        key = ("//", dividend, d)
        self._rekey()
        if key not in self._opaque:
            low, high = bounds.quotient_range(self, r, d)
            whole = dividend - d + 1
            name = f"{in_brackets(self.text(dividend))}//{in_brackets(self.text(d))}"
            if whole.single() is not None:
                name = f"ceildiv({self.text(whole)}, {self.text(d)})"
            n = self.new_atom(
                name,
                "quotient",
                None if low is None else low + up,
                None if high is None else high + up,
                definition=key,
            )
            q = atom(n)
            self._opaque[key] = q
            self.constraints += [dividend - d * q, d * q + d - 1 - dividend]
        return self._opaque[key] - up

    @property
    def has_opaque(self) -> bool:
        """Whether any quotient, minimum or maximum had to become an atom of its own."""
        return bool(self._opaque)

    def _rekey(self) -> None:
        """Brings the table of opaque atoms up to date; atoms that have become equal are joined."""
        if self._keyed == len(self.replaced):
            return
        old, self._opaque = self._opaque, {}
        for (word, *parts), made in old.items():
            key = (word, *map(self.resolve, parts))
            same = self._opaque.setdefault(key, made)
            first, second = self.resolve(same).single(), self.resolve(made).single()
            if first is not None and second is not None and first != second:
                self.replace(second, atom(first))
        self._keyed = len(self.replaced)

    def _nested(self, r: Poly, d: Poly) -> Poly | None:
        """R3: `(x//a + c) // b == (x + a*c) // (a*b)` for a quotient atom x//a."""
        rest = r - r.constant
        number = rest.single()
        if number is None or self.atoms[number].kind != "quotient":
            return None
        _, inner, a = self.atoms[number].definition
        return self.divmod(self.resolve(inner + a * r.constant), self.resolve(a * d))[0]

    def is_coordinate(self, number: int) -> bool:
        """Whether the atom is a coordinate, or a digit of one."""
        info = self.atoms[number]
        if info.kind == "coord":
            return True
        return info.root is not None and self.atoms[info.root].kind == "coord"


__all__ = ["Atom", "Context", "Division", "Root", "Undecided", "monomial_quotient"]
