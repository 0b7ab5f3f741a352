"""The normal form of operations on bits: exclusive ors of masked conjunctions of shifted words.

An integer is a word of bits in two's complement without end.  Words are a Boolean ring, in which `^`
adds and `&` multiplies; `-1` is its one, and a polynomial over it has one form (Zhegalkin's).  Here a
term is a set of leaves `(w, s)`, the word w moved down by s places (up by -s), with the mask of the
places at which it counts.  Two words whose terms and masks are the same are equal for all values of
their leaves, and different where no leaf is bounded and none is made of others.

Shifts, `x % 2**k` and sums of words that have no bit in common are words of this form as well:
`a + b == a ^ b` where `a & b == 0`.  A sum with carries is a leaf of its own, after what lies below
the carries has been taken out of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import NamedTuple

from symlayout.expr.terms import (
    BitAnd,
    BitOr,
    BitXor,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    exponent_of,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, expand

Leaf = tuple[Expr, int]  # a word, and by how many places it is moved down
Term = frozenset[Leaf]
MOST_TERMS = 64
MOST_BITS = 1024  # of a mask, and of a shift
FEW_BITS = 16  # that a factor of one bit is distributed over
MOST_MET = 6  # terms at one place, of a sum
DEEPEST = 40  # words inside one another
ALL = -1  # the mask of all places


class WordTooLarge(Exception):
    """A word of more than `MOST_TERMS` terms, or `MOST_BITS` bits."""


@dataclass(frozen=True)
class Word:
    """Terms with their masks, none of which is 0."""

    terms: Mapping[Term, int]

    def __xor__(self, other: Word) -> Word:
        terms = dict(self.terms)
        for t, mask in other.terms.items():
            terms[t] = terms.get(t, 0) ^ mask
        return word(terms)

    def __and__(self, other: Word) -> Word:
        terms: dict[Term, int] = {}
        for s, a in self.terms.items():
            for t, b in other.terms.items():
                if a & b:
                    terms[s | t] = terms.get(s | t, 0) ^ (a & b)
        return word(terms)

    def __or__(self, other: Word) -> Word:
        return self ^ other ^ (self & other)

    def moved(self, places: int) -> Word:
        """The word moved up by so many places, or down."""
        return word(
            {
                frozenset((w, s - places) for w, s in t): mask << places
                if places >= 0
                else mask >> -places
                for t, mask in self.terms.items()
            }
        )

    @property
    def lowest(self) -> int:
        """The lowest place that may have a bit."""
        return min((mask & -mask).bit_length() - 1 for mask in self.terms.values())

    @property
    def is_one_bit(self) -> bool:
        """Whether only the lowest place has a bit."""
        return all(mask == 1 for mask in self.terms.values())


def word(terms: Mapping[Term, int]) -> Word:
    """The word of these terms; raises `WordTooLarge`."""
    result = Word({t: mask for t, mask in terms.items() if mask})
    if len(result.terms) > MOST_TERMS:
        raise WordTooLarge
    if any(mask.bit_length() > MOST_BITS for mask in result.terms.values()):
        raise WordTooLarge
    return result


def constant(n: int) -> Word:
    """A number as a word."""
    return word({frozenset(): n})


ZERO, ONES = constant(0), constant(ALL)


class Sum:
    """A sum of words with factors: of `2**q` times the bits q + s of the words of a term, for each q.

    A factor is one number for all q, with differences from it at some.  Sums over all q are 2-adic
    numbers: that of `2**q` is -1, that of `2**q` times bit q of a word is the word.
    """

    def __init__(self) -> None:
        self.factors: dict[Term, tuple[dict[int, Fraction], list[Fraction]]] = {}

    def add(self, w: Word, factor: Fraction | int) -> None:
        """Adds a word so many times; raises `WordTooLarge`."""
        rows = list(w.terms.items())
        places = max((mask.bit_length() for _, mask in rows), default=0)
        for place in range(places + 1):  # the last one is each place from there on
            met = [t for t, mask in rows if mask >> place & 1]
            if len(met) > MOST_MET:
                raise WordTooLarge
            for count in range(1, len(met) + 1):
                times = Fraction(factor) * (-2) ** (count - 1)
                for some in combinations(met, count):
                    self._count(frozenset().union(*some), place, place == places, times)

    def of(self, t: Term) -> tuple[dict[int, Fraction], list[Fraction]]:
        """The factors of a term: the differences, and in a list of one what all have."""
        return self.factors.setdefault(t, (defaultdict(Fraction), [Fraction(0)]))

    def _count(self, t: Term, place: int, onward: bool, times: Fraction) -> None:
        """Adds a product of bits at a place, or from there on."""
        first = min((s for _, s in t), default=0)
        apart, every = self.of(frozenset((w, s - first) for w, s in t))
        scale = times / Fraction(2) ** first
        if not onward:
            apart[place + first] += scale
            return
        every[0] += scale
        for q in range(place + first):
            apart[q] -= scale

    def without(self, leaf: Expr, width: int | None) -> Fraction:
        """Takes out the bits of a leaf from 1 on, and says how often they were in the sum."""
        apart, every = self.of(frozenset([(leaf, 0)]))
        times = apart[width - 1] if width else every[0]
        if width:
            for q in range(1, width):
                apart[q] -= times
        else:
            every[0] -= times
            apart[0] += times
        return times

    def number(self, widths: Mapping[Expr, int | None]) -> Expr | None:
        """The sum where it has leaves as a whole alone; None where some of their bits are left."""
        total: Expr = Integer(0)
        for t, (apart, (every,)) in self.factors.items():
            if not t:
                every = sum((f * 2**q for q, f in apart.items()), -every)
                leaf: Expr = Integer(1)
            else:
                ((leaf, _), *more) = t
                top = widths[leaf]
                if not more and top:
                    every = apart[top - 1]
                    apart = {q: f - every for q, f in apart.items() if q < top}
                    apart |= {q: -every for q in range(top) if q not in apart}
                if any(apart.values()) or (more and every):
                    return None
            if every.denominator != 1:
                return None
            total = total + int(every) * leaf
        return expand(total)


class Carried(NamedTuple):
    """A sum with carries: its lowest bit, and what is added and subtracted."""

    lowest: Word
    up: tuple[Word, ...]
    down: tuple[Word, ...]


class Words:
    """Expressions as words; `width` says in how many bits an expression is known to lie, or None.

    >>> from symlayout.expr.tree import Symbol
    >>> i, j = Symbol("i"), Symbol("j")
    >>> words = Words(lambda e: 3 if e == j else None)
    >>> words.zero(BitXor(8*i + j, Mod(i, 8)) - 8*i - BitXor(j, i - 8*FloorDiv(i, 8)))
    True
    >>> words.of(BitXor(i, j)) == words.of(i + j - 2*BitAnd(j, i))
    True

    `widths` has those that were used.
    """

    def __init__(self, width: Callable[[Expr], int | None]) -> None:
        self.width = width
        self.widths: dict[Expr, int | None] = {}
        self.known: dict[Expr, Word] = {}
        self.sums: dict[Expr, Carried] = {}
        self.depth = 0

    def zero(self, e: Expr) -> bool:
        """Whether a sum is 0; False also where it is too large to tell.

        A word is a sum of products of bits, as `a ^ b == a + b - 2*a*b` of bits a and b.  Products of
        bits are linearly independent, so that a sum of words is 0 where all their factors are.
        """
        total = Sum()
        try:
            summands = list[tuple[Word, int]]()
            for t in Add.make_args(expand(e)):
                number, rest = t.as_coeff_Mul()
                part = constant(int(rest)) if rest.is_Integer else self._product(rest)
                same = next((k for k, (w, _) in enumerate(summands) if w == part), None)
                before = 0 if same is None else summands.pop(same)[1]
                summands.append((part, before + int(number)))
            for part, count in summands:
                if count:
                    total.add(part, count)
            for leaf, carry in reversed(self.sums.items()):  # its bits from 1 on are what is left
                times = total.without(leaf, self.widths[leaf])
                total.add(carry.lowest, -times)
                for part, sign in (*[(w, 1) for w in carry.up], *[(w, -1) for w in carry.down]):
                    total.add(part, sign * times)
        except WordTooLarge:
            return False
        return total.number(self.widths) == 0

    def of(self, e: Expr) -> Word:
        """The word of an expression; raises `WordTooLarge`."""
        if e not in self.known:
            self.depth += 1
            if self.depth > DEEPEST:
                raise WordTooLarge
            self.known[e] = self._of(e)
            self.depth -= 1
        return self.known[e]

    def _of(self, e: Expr) -> Word:
        if isinstance(e, Integer):
            return constant(int(e))
        if isinstance(e, (Add, Mul)):
            return self._sum(e)
        if not e.args or isinstance(e, Pow):
            return self.leaf(e)
        if isinstance(e, (BitXor, BitOr, BitAnd)):
            a, b = map(self.of, e.args)
            return a ^ b if isinstance(e, BitXor) else a & b if isinstance(e, BitAnd) else a | b
        if isinstance(e, (FloorDiv, Mod, CeilDiv)):
            x, d = e.args
            k = exponent_of(d)
            if k > MOST_BITS:
                raise WordTooLarge
            if k and isinstance(e, Mod):
                return self.of(x) & constant(int(d) - 1)
            if k:
                return self.of(x + d - 1 if isinstance(e, CeilDiv) else x).moved(-k)
        return self.leaf(self._canonical(e))

    def _canonical(self, e: Expr) -> Expr:
        """The function of canonical arguments, if there are operations on bits in them."""
        if not (e.is_Function and e.has(BitXor, BitOr, BitAnd)):
            return e
        args = [self.expression(self.of(a)) for a in e.args]
        result: Expr = e.func(*(sorted(args, key=str) if isinstance(e, (Min, Max)) else args))
        return result

    def leaf(self, e: Expr, carry: Carried | None = None) -> Word:
        """A word of which nothing is known but its width; or its lowest bit as well."""
        if isinstance(e, Integer):
            return constant(int(e))
        if e not in self.widths:
            self.widths[e] = self.width(e)
        bits = self.widths[e]
        mask = ALL if bits is None else (1 << bits) - 1
        own = word({frozenset([(e, 0)]): mask})
        if carry is not None:
            own = (own & constant(-2)) ^ carry.lowest
            self.sums[e] = carry
        return own

    # -- products and sums ------------------------------------------------------------------------

    def _product(self, e: Expr) -> Word:
        """A product without a number; with a bit as a factor each bit of a short word is masked."""
        factors = [self.of(f) for f in Mul.make_args(e)]
        bits = [f for f in factors if f.is_one_bit]
        rest = [f for f in factors if not f.is_one_bit]
        if len(factors) > 1 and bits and len(rest) <= 1:
            bit = reduce(Word.__and__, bits)
            if not rest:
                return bit
            (other,) = rest
            masks = list(other.terms.values())
            if all(0 < m < 1 << FEW_BITS for m in masks):
                places = range(max(m.bit_length() for m in masks))
                return reduce(Word.__xor__, [bit.moved(k) & other for k in places], ZERO)
        if len(factors) == 1:
            return factors[0]
        result = expand(Mul(*map(self.expression, factors)))
        return self.of(result) if isinstance(result, Add) else self.leaf(result)

    def _sum(self, e: Expr) -> Word:
        """The words of the terms with a plus, less those with a minus."""
        up, down = _cancelled(*self._parts(e))
        if down:
            other = expand(-e - 1)  # ~e
            plus, minus = _cancelled(*self._parts(other))
            if not minus or _minus_signs(other) < _minus_signs(e):
                return self.total(plus, minus) ^ ONES
        return self.total(up, down)

    def _parts(self, e: Expr) -> tuple[list[Word], list[Word]]:
        """The words of the terms with a plus, and of those with a minus."""
        up, down = list[Word](), list[Word]()
        for t in Add.make_args(e):
            number, rest = t.as_coeff_Mul()
            n = int(number)
            places = (n & -n).bit_length() - 1
            odd = abs(n) >> places
            if places > MOST_BITS:
                raise WordTooLarge
            if isinstance(rest, Integer):
                part = constant(abs(n) * int(rest))
            else:
                part = self._product(rest)
                if odd > 1:
                    part = self.leaf(expand(odd * self.expression(part)))
                part = part.moved(places)
            (up if n > 0 else down).append(part)
        return up, down

    def total(self, up: Sequence[Word], down: Sequence[Word]) -> Word:
        """The words of the one list less those of the other."""
        up, down = _cancelled(self._united(up), self._united(down))
        if down:
            return self._carry(up, down)
        return reduce(Word.__xor__, self._united(up), ZERO)

    def _united(self, words: Iterable[Word]) -> list[Word]:
        """Words no two of which have a bit in common, with the same sum."""
        left = [w for w in words if w.terms]
        while True:
            groups = list[list[Word]]()
            for w in left:
                met = [g for g in groups if any((w & v).terms for v in g)]
                groups = [g for g in groups if g not in met]
                groups.append([w, *[v for g in met for v in g]])
            if all(len(g) == 1 for g in groups):
                return left
            left = [w for g in groups for w in [g[0] if len(g) == 1 else self._carry(g, ())]]

    def _carry(self, up: Sequence[Word], down: Sequence[Word]) -> Word:
        """A sum with carries: what lies below them, and a leaf above."""
        words = [*up, *down]
        low = min(w.lowest for w in words)
        first = [w for w in words if w.lowest == low]
        others = [w.lowest for w in words if w.lowest > low]
        if low:
            return self._carry([w.moved(-low) for w in up], [w.moved(-low) for w in down]).moved(
                low
            )
        if len(first) == 1 and others and first[0] in up:
            (w,), k = first, min(others)
            rest = [v.moved(-k) for v in up if v is not w]
            above = self.total([w.moved(-k), *rest], [v.moved(-k) for v in down])
            return (w & constant((1 << k) - 1)) ^ above.moved(k)
        plus, minus = ([*map(self.expression, side)] for side in (up, down))
        e = expand(Add(*plus) - Add(*minus))
        other = expand(-e - 1)
        if _rank(other) < _rank(e):
            return self.of(other) ^ ONES
        if len(Add.make_args(e)) < sum(len(Add.make_args(x)) for x in (*plus, *minus)):
            return self.of(e)  # something cancels
        lowest = reduce(Word.__xor__, words) & constant(1)
        return self.leaf(e, Carried(lowest, tuple(up), tuple(down)))

    # -- as an expression -------------------------------------------------------------------------

    def expression(self, w: Word) -> Expr:
        """The expression of a word, the same for each way to write it."""
        for e, carry in self.sums.items():
            if w == self.leaf(e, carry):
                return e
        places = sorted({p for mask in w.terms.values() for p in _edges(mask)})
        total: Expr = Integer(0)
        for low, high in zip(places, [*places[1:], None]):
            met = [t for t, mask in w.terms.items() if mask >> low & 1]
            if met:
                total = total + 2**low * self._digit(met, low, high)
        return total

    def _digit(self, terms: Sequence[Term], low: int, high: int | None) -> Expr:
        """The exclusive or of terms at the places from `low` to `high`, moved down to the first."""
        parts = list[Expr]()
        for t in sorted(terms, key=lambda t: sorted(map(_leaf_key, t))):
            factors = [self._places(leaf, low, high) for leaf in sorted(t, key=_leaf_key)]
            ones = Integer(ALL if high is None else (1 << high - low) - 1)
            parts.append(reduce(BitAnd, factors) if factors else ones)
        return reduce(BitXor, parts)

    def _places(self, leaf: Leaf, low: int, high: int | None) -> Expr:
        """A leaf at these places, moved down to the first."""
        e, s = leaf
        width, first = self.widths.get(e), low + s
        down = FloorDiv(e, Integer(2**first)) if first else e
        if high is None or (width is not None and high + s >= width):
            return down
        return Mod(down, Integer(2 ** (high - low)))


def _edges(mask: int) -> list[int]:
    """The places where runs of ones begin, and those that come after their ends.

    >>> _edges(0b1110110), _edges(-4)
    ([1, 3, 4, 7], [2])
    """
    change = mask ^ (mask << 1)
    return [k for k in range(mask.bit_length() + 1) if change >> k & 1]


def _leaf_key(leaf: Leaf) -> tuple[str, int]:
    return str(leaf[0]), leaf[1]


def _rank(e: Expr) -> tuple[int, str]:
    """Minus signs of terms, and then an order of texts."""
    return _minus_signs(e), str(e)


def _minus_signs(e: Expr) -> int:
    terms = [t for t in Add.make_args(e) if not t.is_Integer]
    return sum(1 for t in terms if t.as_coeff_Mul()[0] < 0)


def _cancelled(up: Sequence[Word], down: Sequence[Word]) -> tuple[list[Word], list[Word]]:
    """The same difference, where what is subtracted are bits of what is added."""
    up, down = list(up), list(down)
    while down:
        hit = next((h for rule in _LESS for h in rule(up, down)), None)
        if hit is None:
            break
        gone, n, result = hit
        up = [*[w for w in up if not any(w is g for g in gone)], result]
        down = [w for w in down if w is not n]
    return up, down


Less = Iterator[tuple[tuple[Word, ...], Word, Word]]  # summands, what is subtracted, the result


def _less_twice(up: Sequence[Word], down: Sequence[Word]) -> Less:
    """`a + b - 2*(a & b)` is `a ^ b`."""
    return (((p, q), n, p ^ q) for p, q, n, both in _met(up, down) if n == both.moved(1))


def _less_once(up: Sequence[Word], down: Sequence[Word]) -> Less:
    """`a + b - (a & b)` is `a | b`."""
    return (((p, q), n, p | q) for p, q, n, both in _met(up, down) if n == both)


def _less_bits(up: Sequence[Word], down: Sequence[Word]) -> Less:
    """`a - b` is `a ^ b` where b has only bits of a."""
    return (((p,), n, p ^ n) for p in up for n in down if p & n == n)


_LESS = (_less_twice, _less_once, _less_bits)


def _met(up: Sequence[Word], down: Sequence[Word]) -> Iterator[tuple[Word, Word, Word, Word]]:
    """Each two summands and what is subtracted, with the bits that both have."""
    for p, q in combinations(up, 2):
        both = p & q
        if both.terms:
            yield from ((p, q, n, both) for n in down)
