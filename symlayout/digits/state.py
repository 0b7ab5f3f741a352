"""What a proof in digits knows: its atoms, what they stand for, signs, and divisions that are done.

Signs are found in `bounds`; how polynomials are divided is for who has expressions: `context`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from functools import reduce
from typing import Any, Self, TypeVar

from symlayout.digits import bounds, samples
from symlayout.digits.atoms import Atom, Division, Root, in_brackets
from symlayout.digits.poly import ZERO, Mono, Poly, atom, monomial_gcd, rounded

LONGEST_TEXT = 160
EFFORT = 120_000
COPIED = frozenset([list, dict, set])


T = TypeVar("T")


def apart(x: T) -> T:
    """The same object once more, whose lists, dictionaries and sets are its own."""
    result = object.__new__(type(x))
    own = result.__dict__
    own |= vars(x)
    for name, value in vars(x).items():
        if type(value) in COPIED:
            own[name] = value.copy()
    return result


class Undecided(Exception):
    """A step needs something that is not proved; the message says what."""


class State(ABC):
    """The atoms of one proof, and what is known of them."""

    bounds_set: int
    at_hand: Collection[Poly] = ()  # what is known not to be negative, beside the constraints

    def __init__(self, meter: bounds.Meter | None = None) -> None:
        self.meter = meter or bounds.Meter()  # of the decision for which it is asked
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
        # whether extremes of two numbers are those of how far they are apart
        self.differences = False
        self.ends = False  # whether sizes end where those do that they are tied to ...
        self.tied = False  # ... and whether there are some
        self.residues = False  # whether a small number that divides a product splits its factors
        self.bounds_set = 0
        self._lows: dict[int, int] = {}  # of constraints that speak of one atom ...
        self._looked_at = 0  # ... among the first so many
        # numbers that divisors divide by the facts, with the quotients
        self.multiples: list[tuple[int, Poly, Poly]] = []
        self.dropped: list[Any] = []  # facts that no step uses
        self._divided: dict[tuple[Poly, Poly], tuple[Poly, Poly]] = {}
        self._positive: set[Poly] = set()
        self._opaque: dict[tuple[Any, ...], Poly] = {}
        self._keyed = 0
        self.samples: list[dict[int, int]] = []
        self.splitting: set[int] = set()
        self.known_signs: dict[Poly, tuple[bool, tuple[int, ...]]] = {}
        self.windows: dict[tuple[int, int, int], int] = {}
        self.boxes: list[tuple[int | None, ...]] = []  # the coordinates' atoms, box by box
        self.exponents: dict[Mono, int] = {}  # the least value that each is known to have
        self.busy: frozenset[int] = frozenset()

    def fork(self) -> Self:
        """A context that knows the same, to go on from it in another way."""
        result = apart(self)
        result.atoms = [a.copy() for a in self.atoms]
        result.roots = {
            n: Root(r.atom, [*r.digits], [*r.weights], r.exact) for n, r in self.roots.items()
        }
        result.samples = [dict(s) for s in self.samples]
        return result

    # -- atoms --------------------------------------------------------------------------------------

    def new_atom(
        self, name: str, kind: str, low: int | None, high: Poly | None, **more: Any
    ) -> int:
        """A new atom; returns its number."""
        self.atoms.append(Atom(name, kind, low, high, **more))
        number = len(self.atoms) - 1
        if self.samples:
            points = samples.placed(self, [*enumerate(self.samples)], number)
            self.samples = [point for _, point in points]
        return number

    def sampled_sizes(self, names: Collection[str]) -> Iterator[dict[str, int]]:
        """These sizes at the sample points, where all of them have values."""
        for point in self.samples:
            sizes = {n: point[self.by_name[n]] for n in names if self.by_name.get(n) in point}
            if len(sizes) == len(names):
                yield sizes

    def fails(self, p: Poly) -> bool:
        """Whether a resolved polynomial is negative at a sample point."""
        return p.is_negative_at(self.samples)

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
        if not self.replaced or (p.known_atoms or p.atoms).isdisjoint(self.replaced):
            return p
        poly = self._resolved.get(p)
        if poly is None:
            poly = p
            while not poly.atoms.isdisjoint(self.replaced):
                poly = poly.substitute(self.replaced)
            self._resolved[p] = poly
        return poly

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
        poly = self.resolve(by)
        self._resolved.clear()
        for n, p in self.replaced.items():
            if number in p.atoms:
                self.replaced[n] = p.substitute({number: poly})
        self.replaced[number] = poly

    def high(self, number: int) -> Poly | None:
        """An atom's upper bound, with what is known by now."""
        bound = self.atoms[number].high
        if bound is None or (bound.known_atoms or bound.atoms).isdisjoint(self.replaced):
            return bound
        return self.resolve(bound)

    def low(self, number: int) -> int | None:
        """The least number that an atom may be: of its range, or what a constraint says of it."""
        new = len(self.constraints) - self._looked_at
        for c in self.constraints[-new:] if new > 0 else ():
            alone, factor = (c - c.constant).multiple()
            if alone is not None:
                least = -(c.constant // factor)  # factor*x + constant >= 0
                self._lows[alone] = max(least, self._lows.get(alone, least))
        self._looked_at = len(self.constraints)
        low, more = self.atoms[number].low, self._lows.get(number)
        if low is None or more is None:
            return more if low is None else low
        return max(low, more)

    # -- signs --------------------------------------------------------------------------------------

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
        p = rounded(self.resolve(p))
        if self.nonneg(p):
            return
        number, factor = (p - p.constant).multiple()
        plain = number is not None and self.atoms[number].root is None
        if number is not None and plain and self.atoms[number].kind == "size":
            self.atoms[number].low = -(p.constant // factor)  # factor*x + c >= 0
            self.bounds_set += 1
        else:
            self.constraints += [p, *self.without_factor(p)]
        self.samples = [point for point in self.samples if p.value(point) >= 0]

    def without_factor(self, p: Poly) -> list[Poly]:
        """`m*q + c >= 0` gives `q >= 0` for m >= 1 and c < m, and `q >= 1` where c < 0."""
        shared = reduce(monomial_gcd, [m for m in p.terms if m], next(filter(None, p.terms), ()))
        factor, c = Poly({shared: 1}), p.constant
        if not shared or not self.positive(factor):
            return []
        rest = (p - c).exact(factor)
        if rest is None or not self.nonneg(factor - 1 - c):
            return []
        return [rest - int(c < 0)]

    # -- division -----------------------------------------------------------------------------------

    def divmod(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Floor quotient and remainder.  Raises `Undecided` unless d is proved positive."""
        p, d = self.resolve(p), self.resolve(d)
        if d.is_constant and (number := d.constant) > 0:
            if number == 1:
                return p, ZERO
            if p.is_constant:
                return Poly.of(p.constant // number), Poly.of(p.constant % number)
        key = (p, d)
        if key in self._divided:
            q, r = self._divided[key]
            return self.resolve(q), self.resolve(r)
        if not self.positive(d):
            if self.nonneg(-d) and self.nonneg(-d - 1):
                q, r = self.divmod(-p, -d)  # p // d == (-p) // (-d), p % d == -((-p) % (-d))
                return q, -r
            raise Undecided(f"the divisor {self.text(d)} is not proved to be positive")
        q, r = self.divide(p, d)
        self._divided[key] = (q, r)
        return self.resolve(q), self.resolve(r)

    @abstractmethod
    def divide(self, p: Poly, d: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder for a divisor that is positive."""

    def in_range(self, r: Poly, d: Poly) -> bool:
        """Whether 0 <= r < d is proved."""
        return self.nonneg(r) and self.nonneg(d - 1 - r)

    # -- atoms of definitions -----------------------------------------------------------------------

    @property
    def has_opaque(self) -> bool:
        """Whether any quotient, minimum or maximum had to become an atom of its own."""
        return bool(self._opaque)

    def opaque(self, key: tuple[Any, ...], make: Callable[[], int]) -> Poly:
        """The atom of a definition, made on first use."""
        self._rekey()
        if key not in self._opaque:
            self._opaque[key] = atom(make())
        return self.resolve(self._opaque[key])

    def _rekey(self) -> None:
        """Brings the table of opaque atoms up to date; atoms that have become equal are joined."""
        if self._keyed == len(self.replaced):
            return
        old, self._opaque = self._opaque, {}
        for (word, *parts), poly in old.items():
            key = (word, *map(self.resolve, parts))
            same = self._opaque.setdefault(key, poly)
            first, second = self.resolve(same).single(), self.resolve(poly).single()
            if first is not None and second is not None and first != second:
                self.replace(second, atom(first))
        self._keyed = len(self.replaced)

    def is_coordinate(self, number: int) -> bool:
        """Whether the atom is a coordinate, or a digit of one."""
        info = self.atoms[number]
        if info.kind == "coord":
            return True
        return info.root is not None and self.atoms[info.root].kind == "coord"
