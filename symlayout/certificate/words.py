"""Operations on bits, place by place: whether a sum of words is 0 for all values of its leaves.

An integer is its bits in two's complement: those of the places below some number one by one, and one
for all places from there on.  Each bit is a polynomial over two elements in the bits of leaves, which
has one form.  What is a leaf of its own is named by what it is made of; of a sum with carries the
lowest bit is known, and so are the bits below the second lowest summand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations
from typing import Any, NamedTuple

from symlayout.certificate.cases import power_of_two
from symlayout.certificate.exact import Rejected
from symlayout.expr.terms import BitAnd, BitOr, BitXor, CeilDiv, FloorDiv, Max, Min, Mod
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, expand

Bit = tuple[int, int, bool]  # a leaf, a place, and whether that is counted from the bit's own place
Product = frozenset[Bit]
Sum = frozenset[Product]  # modulo 2
ZERO: Sum = frozenset()
ONE: Sum = frozenset([frozenset()])
MOST_PLACES = 600
MOST_PRODUCTS = 64
MOST_MET = 8
DEEPEST = 60
SHORT = 16  # places over which a bit is multiplied


def times(a: Sum, b: Sum) -> Sum:
    """The product of two bits."""
    if len(a) * len(b) > MOST_PRODUCTS**2:
        raise Rejected("words: a bit of too many products")
    counts = Counter(p | q for p in a for q in b)
    return frozenset(p for p, n in counts.items() if n % 2)


def placed(a: Sum, at: int) -> Sum:
    """The bit of all places at one of them."""
    return frozenset(frozenset((w, s + at, False) if r else (w, s, r) for w, s, r in p) for p in a)


class Word(NamedTuple):
    """The lowest bits, and the bit of all places above."""

    low: tuple[Sum, ...]
    high: Sum

    def at(self, place: int) -> Sum:
        """The bit of a place."""
        return self.low[place] if place < len(self.low) else placed(self.high, place)

    def moved(self, places: int) -> Word:
        """Moved up, or down."""
        high = frozenset(
            frozenset((w, s - places if r else s, r) for w, s, r in p) for p in self.high
        )
        if places >= 0:
            return word((*[ZERO] * places, *self.low), high)
        return word(self.low[-places:], high)

    @property
    def leaves(self) -> bool:
        """Whether it has bits of leaves."""
        return any(p for b in (*self.low, self.high) for p in b)

    @property
    def reach(self) -> int:
        """A place from which on, counted by the bits of any leaf, there are those of all places."""
        return len(self.low) + max((abs(s) for p in self.high for _, s, _ in p), default=0)

    @property
    def lowest(self) -> int:
        """The lowest place that may have a bit."""
        return next((k for k, b in enumerate(self.low) if b), len(self.low))


NOTHING = Word((), ZERO)
Summand = tuple[Word, Expr]  # a word, and an expression that it is the bits of


def word(low: Iterable[Sum], high: Sum) -> Word:
    """The word with these bits, as short as it can be; raises `Rejected` for too many."""
    bits = list(low)
    while bits and bits[-1] == placed(high, len(bits) - 1):
        bits.pop()
    if len(bits) > MOST_PLACES or any(len(b) > MOST_PRODUCTS for b in (*bits, high)):
        raise Rejected("words: a word of too many places or products")
    return Word(tuple(bits), high)


def each(a: Word, b: Word, operation: Any) -> Word:
    """An operation at every place."""
    places = range(max(len(a.low), len(b.low)))
    return word([operation(a.at(k), b.at(k)) for k in places], operation(a.high, b.high))


def both(a: Word, b: Word) -> Word:
    """`a & b`."""
    return each(a, b, times)


def either(a: Word, b: Word) -> Word:
    """`a ^ b`."""
    return each(a, b, frozenset.symmetric_difference)


def number(n: int) -> Word:
    """A number."""
    places = min(n.bit_length(), MOST_PLACES + 1)
    return word([ONE if n >> k & 1 else ZERO for k in range(places)], ONE if n < 0 else ZERO)


class Words:
    """Expressions as words; `bits` of some are known, which is shown elsewhere."""

    def __init__(self) -> None:
        self.names: dict[Any, int] = {}  # of leaves, by what they are made of
        self.meaning: list[Expr] = []
        self.bits: dict[int, int] = {}
        self.odd: dict[int, Word] = {}  # the lowest bits of sums with carries
        self.sums: dict[int, list[tuple[Word, int]]] = {}  # what these are made of
        self.known: dict[Expr, Word] = {}
        self.deep = 0

    def limit(self, e: Expr, bits: int) -> None:
        """From now on an expression is less than `2**bits`, and not less than 0."""
        w = self.of(e)
        leaf = next((k for k, x in enumerate(self.meaning) if self.whole(k) == w), None)
        if leaf is None or leaf in self.bits or not 0 <= bits <= MOST_PLACES:
            raise Rejected(f"words: {e} is not a word of its own")
        self.bits[leaf] = bits
        self.known.clear()

    def whole(self, leaf: int) -> Word:
        """The word of a leaf."""
        low: list[Sum] = [self.odd[leaf].at(0)] if leaf in self.odd else []
        if leaf not in self.bits:
            return word(low, frozenset([frozenset([(leaf, 0, True)])]))
        own = [frozenset([frozenset([(leaf, k, False)])]) for k in range(self.bits[leaf])]
        return word([*low, *own[len(low) :]][: self.bits[leaf]], ZERO)

    def leaf(self, key: Any, e: Expr, odd: Word | None = None) -> Word:
        """The word of what is made in this way."""
        name = self.names.setdefault(key, len(self.names))
        if name == len(self.meaning):
            self.meaning.append(e)
        if odd is not None:
            self.odd[name] = odd
        return self.whole(name)

    def of(self, e: Expr) -> Word:
        """The word of an expression."""
        if e not in self.known:
            self.deep += 1
            if self.deep > DEEPEST:
                raise Rejected("words: they are too deep")
            self.known[e] = self._of(e)
            self.deep -= 1
        return self.known[e]

    def _of(self, e: Expr) -> Word:
        if isinstance(e, Integer):
            return number(int(e))
        if not e.args:
            return self.leaf(e, e)
        if isinstance(e, (Add, Mul)):
            return self.total(*self.summands(e))[0]
        if isinstance(e, (BitXor, BitAnd, BitOr)):
            a, b = map(self.of, e.args)
            if isinstance(e, BitAnd):
                return both(a, b)
            return either(a, b) if isinstance(e, BitXor) else either(either(a, b), both(a, b))
        if isinstance(e, (FloorDiv, CeilDiv, Mod)):
            x, d = e.args
            if d.is_Integer and power_of_two(d):
                if isinstance(e, Mod):
                    return both(self.of(x), number(int(d) - 1))
                k = int(d).bit_length() - 1
                return self.of(expand(x + d - 1) if isinstance(e, CeilDiv) else x).moved(-k)
        if isinstance(e, Pow):
            return self.product(e)
        parts = [self.of(a) for a in e.args]
        many = frozenset(Counter(parts).items()) if isinstance(e, (Min, Max)) else tuple(parts)
        return self.leaf((type(e).__name__, many), e)

    def product(self, e: Expr) -> Word:
        """A product without a number: a bit takes or leaves each bit of a short word."""
        factors: Counter[Word] = Counter()
        for f in Mul.make_args(e):
            if isinstance(f, Add) and e.is_Mul:
                return self.of(expand(e))
            base, n = (f.args[0], int(f.args[1])) if isinstance(f, Pow) else (f, 1)
            factors[self.of(base)] += n
        bits = [w for w in factors if not w.high and len(w.low) == 1]
        rest = [w for w in factors if w not in bits]
        if bits and len(rest) <= 1 and all(factors[w] == 1 and not w.high for w in rest):
            bit = reduce(both, bits).at(0)
            other = rest[0] if rest else number(1)
            if len(other.low) <= SHORT:
                return word([times(bit, b) for b in other.low], ZERO)
        if sum(factors.values()) == 1:
            return next(iter(factors))
        return self.leaf(("*", frozenset(factors.items())), e)

    # -- sums -------------------------------------------------------------------------------------

    def summands(self, e: Expr) -> tuple[list[Summand], list[Summand]]:
        """What is added, and what is subtracted."""
        up, down = list[Summand](), list[Summand]()
        for t in Add.make_args(e):
            factor, rest = t.as_coeff_Mul()
            n = abs(int(factor))
            places = (n & -n).bit_length() - 1
            odd = n >> places
            if rest.is_Integer:
                w = number(n * int(rest))
            else:
                w = self.product(rest)
                w = w if odd == 1 else self.leaf(("*", odd, w), odd * rest)
                w = w.moved(places)
            (down if factor < 0 else up).append((w, -t if factor < 0 else t))
        return up, down

    def total(self, up: Sequence[Summand], down: Sequence[Summand]) -> Summand:
        """A difference of sums: words without a bit in common are added place by place."""
        up, down = without(up, down)
        if down:
            more, fewer = without(*turned(up, down))
            if not fewer:  # the complement -1 - (a - b), so that b - a - 1
                w, e = self.total(more, ())
                return either(w, number(-1)), -1 - e
        up, down = without(self.apart(up), self.apart(down))
        if down:
            return self.carry(up, down)
        up = self.apart(up)
        return reduce(either, [w for w, _ in up], NOTHING), Add(*[e for _, e in up])

    def apart(self, summands: Iterable[Summand]) -> list[Summand]:
        """The same sum of words no two of which have a bit in common."""
        left = [x for x in summands if x[0] != NOTHING]
        while True:
            groups = list[list[Summand]]()
            for x in left:
                met = [g for g in groups if any(both(x[0], w) != NOTHING for w, _ in g)]
                groups = [g for g in groups if not any(g is m for m in met)]
                groups.append([x, *[y for g in met for y in g]])
            if all(len(g) == 1 for g in groups):
                return left
            left = [g[0] if len(g) == 1 else self.carry(g, ()) for g in groups]

    def carry(self, up: Sequence[Summand], down: Sequence[Summand]) -> Summand:
        """A sum with carries: a leaf, named by the words that it is of."""
        meaning: Expr = Add(*[e for _, e in up]) - Add(*[e for _, e in down])
        low = min(w.lowest for w, _ in (*up, *down))
        if low:
            sides = [[below(x, low) for x in side] for side in (up, down)]
            return self.carry(*sides)[0].moved(low), meaning
        first = [x for x in up if not x[0].lowest]
        later = [w.lowest for w, _ in (*up, *down) if w.lowest]
        if len(first) == 1 and later and all(w.lowest for w, _ in down):
            k = min(later)
            rest = [below(x, k) for x in up]
            above, _ = self.total(rest, [below(x, k) for x in down])
            return either(both(first[0][0], number((1 << k) - 1)), above.moved(k)), meaning
        words = [w for w, _ in up], [w for w, _ in down]
        odd = both(reduce(either, [*words[0], *words[1]]), number(1))
        plus, minus = (frozenset(Counter(w for w in side if w.leaves).items()) for side in words)
        constant = sum(sign * int_of(w) for sign, side in zip((1, -1), words) for w in side)
        if ("+", minus, plus, -1 - constant) in self.names:  # the complement of a leaf
            other = self.leaf(("+", minus, plus, -1 - constant), -1 - meaning)
            return either(other, number(-1)), meaning
        result = self.leaf(("+", plus, minus, constant), meaning, odd)
        own = self.names["+", plus, minus, constant]
        self.sums[own] = [*[(w, 1) for w in words[0]], *[(w, -1) for w in words[1]]]
        return result, meaning

    # -- a sum that is 0 --------------------------------------------------------------------------

    def check_zero(self, e: Expr) -> None:
        """Raises `Rejected` unless a sum is 0, whatever the bits of leaves are.

        The bits of each term are products of leaves' bits with integers: a ^ b is a + b - 2*a*b.
        Products of different bits are independent, so that all of these integers have to be 0.
        """
        rows = [t.as_coeff_Mul() for t in Add.make_args(expand(e))]
        summands: Counter[Word] = Counter()
        for factor, rest in rows:
            w = number(int(rest)) if rest.is_Integer else self.product(rest)
            summands[w] += int(factor)
        words = [w for w, n in summands.items() if n]
        words += [*self.odd.values(), *[w for rows in self.sums.values() for w, _ in rows]]
        total = Total(max([1, *[w.reach for w in words], *self.bits.values()]))
        for w, n in summands.items():
            if n:
                total.add(w, n)
        result: Expr = Integer(0)
        for leaf in reversed(range(len(self.meaning))):  # what is made of others comes later
            times = total.whole(leaf, self.bits.get(leaf))
            total.take(leaf, times, self.bits.get(leaf))
            if times and leaf in self.odd:  # its lowest bit is no bit of its own
                total.one[frozenset([(leaf, 0, False)])] += times
                total.add(self.odd[leaf], -times)
                for w, sign in self.sums[leaf]:
                    total.add(w, sign * times)
            elif times.denominator != 1:
                raise Rejected(f"words: {e} is not 0 by its bits")
            else:
                result += int(times) * self.meaning[leaf]
        if any(total.one.values()) or any(total.all.values()):
            raise Rejected(f"words: {e} is not 0 by its bits")
        if total.number.denominator != 1 or expand(result + int(total.number)) != 0:
            raise Rejected(f"words: {e} is not 0")


class Total:
    """A sum of words, by the products of bits in it.

    `one` are products at places of their own; `all` are products that stand at each place q from
    `reach` on, where `2**q` is part of their factor.
    """

    def __init__(self, reach: int) -> None:
        self.reach = reach
        self.one: dict[Product, Fraction] = defaultdict(Fraction)
        self.all: dict[Product, Fraction] = defaultdict(Fraction)
        self.number = Fraction(0)

    def add(self, w: Word, factor: Fraction | int) -> None:
        """Adds a word so many times."""
        for k, bit in enumerate(w.low):
            for p, n in integers(bit):
                self._one(p, n * factor * 2**k)
        for p, n in integers(w.high):
            first = min((s for _, s, _ in p), default=0)
            for k in range(len(w.low), self.reach - first):
                self._one(frozenset((x, s + k, False) for x, s, _ in p), n * factor * 2**k)
            if p:
                own = frozenset((x, s - first, True) for x, s, _ in p)
                self.all[own] += n * factor / Fraction(2) ** first
            else:  # 2**k and all above are -2**k
                self.number -= n * factor * 2**self.reach

    def _one(self, p: Product, factor: Fraction | int) -> None:
        if p:
            self.one[p] += factor
        else:
            self.number += factor

    def whole(self, leaf: int, bits: int | None) -> Fraction:
        """How often a leaf occurs with all of its bits, if it does."""
        if bits is None:
            return self.all[frozenset([(leaf, 0, True)])]
        return (
            self.one[frozenset([(leaf, bits - 1, False)])] / 2 ** (bits - 1)
            if bits
            else Fraction(0)
        )

    def take(self, leaf: int, times: Fraction, bits: int | None) -> None:
        """Takes a leaf out so many times."""
        for k in range(self.reach if bits is None else bits) if times else ():
            self.one[frozenset([(leaf, k, False)])] -= times * 2**k
        if bits is None:
            self.all[frozenset([(leaf, 0, True)])] -= times


def integers(bit: Sum) -> Iterator[tuple[Product, int]]:
    """A sum modulo 2 as a sum of products with integers."""
    if len(bit) > MOST_MET:
        raise Rejected("words: a bit of too many products")
    for count in range(1, len(bit) + 1):
        for some in combinations(bit, count):
            yield frozenset().union(*some), (-2) ** (count - 1)


def below(x: Summand, places: int) -> Summand:
    """A summand moved down."""
    return x[0].moved(-places), FloorDiv(x[1], Integer(2**places))


def int_of(w: Word) -> int:
    """The number that a word of no leaf is; 0 for any other."""
    if w.leaves:
        return 0
    high = 1 << len(w.low) if w.high else 0
    return sum(1 << k for k, b in enumerate(w.low) if b) - high


def without(up: Iterable[Summand], down: Iterable[Summand]) -> tuple[list[Summand], list[Summand]]:
    """The same difference, without what is subtracted where that is bits of what is added."""
    plus, minus = list(up), list(down)
    while minus:
        hit = next(hits(plus, minus), None)
        if hit is None:
            break
        places, j, w = hit
        meaning = Add(*[plus[k][1] for k in places]) - minus[j][1]
        plus = [x for k, x in enumerate(plus) if k not in places] + [(w, meaning)]
        del minus[j]
    return plus, minus


def hits(
    up: Sequence[Summand], down: Sequence[Summand]
) -> Iterator[tuple[Sequence[int], int, Word]]:
    """Where `a + b - 2*(a & b)` is `a ^ b`, where `a + b - (a & b)` is `a | b`; `a - b`, b in a."""
    pairs = [(k, n, both(up[k][0], up[n][0])) for k, n in combinations(range(len(up)), 2)]
    pairs = [row for row in pairs if row[2] != NOTHING]
    for twice in (1, 0):
        for k, n, met in pairs:
            for j, (w, _) in enumerate(down):
                if w == met.moved(twice):
                    joined = either(up[k][0], up[n][0])
                    yield (k, n), j, joined if twice else either(joined, met)
    for k, (a, _) in enumerate(up):
        for j, (w, _) in enumerate(down):
            if both(a, w) == w:
                yield (k,), j, either(a, w)


def turned(up: Sequence[Summand], down: Sequence[Summand]) -> tuple[list[Summand], list[Summand]]:
    """The complement of a difference, `b - a - 1` of `a - b`, with one number."""
    n = -1 - sum(int_of(w) for w, _ in up) + sum(int_of(w) for w, _ in down)
    more, fewer = ([x for x in side if x[0].leaves] for side in (down, up))
    if n:
        (more if n > 0 else fewer).append((number(abs(n)), Integer(abs(n))))
    return more, fewer
