"""Signs of polynomials over boxes.

A polynomial that is linear in x takes its least value over `low <= x <= high` at one of the ends, as
a parabola that bends down does, and over `x >= low` at `low` when its slope is not negative; a
parabola that bends up is above its tangents.  Eliminating atom after atom, those whose bounds depend
on others first, leaves a number; so a product over independent ranges is decided, and everything else
is a safe "not proved".

What proves a sign is a `Why`: the rule's word, what it was used with, and why the rest is not
negative.  A proof asks for its truth alone; a certificate makes laws of it (`certificate/ledger.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import gcd, prod
from typing import TYPE_CHECKING, Any, TypeAlias

from symlayout.digits.poly import (
    ONE,
    ZERO,
    Mono,
    Poly,
    T,
    atom,
    monomial_gcd,
    monomial_quotient,
    rounded,
)
from symlayout.digits.windows import join

if TYPE_CHECKING:
    from symlayout.digits.state import State

Why: TypeAlias = tuple[Any, ...]  # a rule and what it was used with
Ends: TypeAlias = tuple[
    tuple[str, int], ...
]  # at which end of its range an unknown is put, in order
PLAIN: Why = ("plain",)
AT_HAND: Why = ("at hand",)
LINEAR: Why = ("linear",)
TERMS = 30_000  # that one question may look at; beyond it the answer is "not proved" ...
STEPS = 4  # constraints that are used together where time is taken ...
FEW, MANY = 24, 100  # multiples of constraints that are tried, and where time is taken
LEAST = 2000  # ... and where others have used up what a context may spend in vain
SMALL = range(2, 17)  # numbers of which remainders are looked at, besides the coefficients
MOST_MODULUS = 128
MOST_SCALE = 64  # by which one of two factors is larger
ROOT_TERMS = 8  # of what is squared
MOST_REMAINDERS = 4096  # of all unknowns together


@dataclass
class Meter:
    """How many terms the questions about signs of one decision have looked at, for its limits."""

    terms: int = 0


class _Spent(Exception):
    """The question has used up its terms."""


def nonneg(ctx: State, p: Poly) -> bool:
    """Whether p >= 0 is proved for all values in range that satisfy the constraints."""
    if _plainly_nonneg(ctx, p):
        return True
    if p.is_constant:
        return False
    known = ctx.known_signs.get(p)
    version = ctx.version
    if known is not None and (known[0] or known[1] == version):
        return known[0]
    if ctx.fails(p):
        return False
    answer = why(ctx, p, max(LEAST, min(TERMS, ctx.effort))) is not None
    ctx.known_signs[p] = (answer, version)
    return answer


def why(ctx: State, p: Poly, limit: int, briefly: bool = False) -> Why | None:
    """Why p >= 0, found by looking at so many terms, briefly by ranges alone; None: not proved."""
    budget, result = [limit], None
    with suppress(_Spent):
        result = _box(ctx, p, budget) if briefly else _attempt(ctx, p, budget)
    ctx.meter.terms += limit - budget[0]
    if result is None:
        ctx.effort -= limit - budget[0]
    return result


def nonneg_in_steps(ctx: State, p: Poly) -> bool:
    """Whether p >= 0 follows from several constraints one after the other: longer to find.

    Before each unknown is put at its worst end they are tried.
    """
    budget, hit = [TERMS], None
    with suppress(_Spent):
        hit = _in_steps(ctx, ctx.resolve(p), budget, STEPS, MANY)
    ctx.meter.terms += TERMS - budget[0]
    return hit is not None


def why_in_steps(ctx: State, p: Poly, limit: int) -> Why | None:
    """Why p >= 0, by as few constraints as usual, with some unknowns at their worst ends."""
    less = _one_less(ctx, p)
    if less is None:
        return None
    (p, end), budget, hit = less, [limit], None
    with suppress(_Spent):
        hit = _in_steps(ctx, p, budget, 2, FEW)
    ctx.meter.terms += limit - budget[0]
    if hit is None:
        ctx.effort -= limit - budget[0]
    return hit and _from_ends((end,), hit)


def _in_steps(ctx: State, p: Poly, budget: list[int], depth: int, most: int) -> Why | None:
    """By constraints, before each unknown is put at its worst end."""
    ends: Ends = ()
    while True:
        hit = _with_constraints(ctx, p, budget, depth, most)
        less = None if hit else _one_less(ctx, p)
        if less is None:
            return hit and _from_ends(ends, hit)
        p, end = less
        ends += (end,)


def nonzero(ctx: State, p: Poly) -> bool:
    """Whether the polynomial is proved never to be 0: by facts, its signs, or what numbers leave of it.

    `6*x + 4*y - 3` is odd, and `x*x - y*y` leaves no 2 when it is divided by 4.
    """
    p = ctx.resolve(p)
    divisor = gcd(*[c for m, c in p.terms.items() if m])
    if p.constant % divisor if divisor else p.constant:
        return True
    known = any(ctx.resolve(n) in (p, -p) for n in ctx.nonzero)
    return known or nonneg(ctx, p - 1) or nonneg(ctx, -p - 1) or _leaves_something(p)


def _leaves_something(p: Poly) -> bool:
    """Whether a number leaves something of p, whatever remainders its unknowns have."""
    if all(len(m) < 2 for m in p.terms):  # which leaves anything that its terms do not divide
        return False
    uses = Counter(a for m in p.terms for a in m)
    alone = [c for m, c in p.terms.items() if any(uses[a] == 1 for a in m)]
    for n in sorted({*SMALL, *(abs(c) for c in p.terms.values() if 1 < abs(c) <= MOST_MODULUS)}):
        if any(gcd(c, n) == 1 for c in alone):  # the others being 1, it leaves anything
            continue
        terms = [(m, c % n) for m, c in p.terms.items() if c % n]
        atoms = sorted({a for m, _ in terms for a in m})
        if n ** len(atoms) > MOST_REMAINDERS:
            continue
        rows = (dict(zip(atoms, values)) for values in product(range(n), repeat=len(atoms)))
        if all(sum(c * prod(at[a] for a in m) for m, c in terms) % n for at in rows):
            return True
    return False


def _attempt(ctx: State, p: Poly, budget: list[int]) -> Why | None:
    hit = _box_or_joined(ctx, p, budget) or _with_constraints(ctx, p, budget, depth=2)
    if hit:
        return hit
    poly = join(ctx, p, coordinates_only=True)
    sizes, first = _worst(ctx, poly, coordinates_only=True)  # for sizes whose ends do not hold
    worst, then = _worst(ctx, sizes)
    others = {w: ends for w, ends in ((sizes, first), (worst, first + then)) if w != p}
    for w, ends in others.items():
        hit = _with_constraints(ctx, w, budget, depth=2)
        if hit:
            return _from_ends(ends, hit)
    part = rounded(p)
    for m in _scales(ctx, part):
        hit = _with_constraints(ctx, m * part + (m - 1), budget, depth=2)
        if hit:
            return "rounded", part, ("scaled", m, hit)
    for w, sign, ends in ((worst, -1, first + then), (p, 1, ())):
        for m in _divisors(ctx, w, sign):
            hit = _with_constraints(ctx, m * w + (m - 1), budget, depth=2)
            if hit:
                return _from_ends(ends, ("scaled", m, hit))
    hit = _in_each_tile(ctx, p, budget) or _without_factor(ctx, p)
    if hit:
        return hit
    hits = ((_by_larger_products(ctx, w), ends) for w, ends in {p: (), **others}.items())
    return next((_from_ends(ends, hit) for hit, ends in hits if hit), None)


def _from_ends(ends: Ends, hit: Why) -> Why:
    """Why p is not negative, where it is not with unknowns at these ends."""
    for which, x in reversed(ends):
        hit = (which, x, hit)
    return hit


def _without_factor(ctx: State, p: Poly) -> Why | None:
    """A product that all terms share is not negative, and neither is the rest."""
    shared = reduce(monomial_gcd, p.terms)
    if not shared or not _plainly_nonneg(ctx, Poly({shared: 1})):
        return None
    rest = p.exact(Poly({shared: 1}))
    return ("factor", shared, rest) if rest is not None and nonneg(ctx, rest) else None


def _divisors(ctx: State, p: Poly, sign: int) -> Iterator[Poly]:
    """What divides in a quotient of p: `d*q <= x <= d*q + d - 1`, so q <= n where `x < d*(n + 1)`."""
    for m, c in p.terms.items():
        if len(m) == 1 and c == sign and ctx.atoms[m[0]].kind == "quotient":
            d = ctx.resolve(ctx.atoms[m[0]].definition[2])
            if not d.is_constant and (sign < 0 or ctx.low(m[0]) is None):
                yield d


def _in_each_tile(ctx: State, p: Poly, budget: list[int]) -> Why | None:
    """At both ends of the tile of an unknown: for q == (x + c)//d, `d*q <= x + c <= d*q + d - 1`."""
    for q in p.atoms:
        if ctx.atoms[q].kind != "quotient":
            continue
        _, inner, by = ctx.atoms[q].definition
        dividend, d = ctx.resolve(inner), ctx.resolve(by)
        for x in dividend.atoms & p.atoms:
            c = dividend - atom(x)
            if x == q or x in c.atoms or x in d.atoms or max(parts := p.by_power(x)) > 1:
                continue
            first = d * atom(q) - c
            low, high = first, first + d - 1
            least = _box(ctx, _at(parts, low), budget)
            most = least and _box(ctx, _at(parts, high), budget)
            if least and most:
                return "between", x, low, high, least, most
    return None


def _by_larger_products(ctx: State, p: Poly) -> Why | None:
    """A product that is taken away is at most one that is there, by its factors.

    Where `a <= 2*x` and `b <= 2*y`, all of them not negative, `4*x*y - a*b` is not negative.
    """
    down = [(m, -c) for m, c in p.terms.items() if len(m) > 1 and c < 0]
    up = [(n, b) for n, b in p.terms.items() if len(n) > 1]
    for (m, c), (n, b) in product(down, up) if len(down) * len(up) <= FEW else ():
        if b < c or any(low is None or low < 0 for low in map(ctx.low, m + n)):
            continue
        for pairs in factor_pairs(m, n, b // c):
            if all(nonneg(ctx, k * atom(x) - atom(a)) for a, x, k in pairs):
                rest = p - Poly({n: b // c * c, m: -c})
                return ("products", m, n, c, pairs, rest) if nonneg(ctx, rest) else None
    return None


def factor_pairs(m: tuple[T, ...], n: tuple[T, ...], k: int) -> Iterator[list[tuple[T, T, int]]]:
    """Factors of m beside those of n, and numbers whose product is k: what they share is left out.

    >>> [*factor_pairs((0, 1, 2), (1, 3, 4), 1)]
    [[(0, 3, 1), (2, 4, 1)], [(0, 4, 1), (2, 3, 1)]]
    """
    shared = monomial_gcd(m, n)
    left, right = monomial_quotient(m, shared), monomial_quotient(n, shared)
    if left and right and len(left) == len(right) == 1:
        yield [(left[0], right[0], k)]
    elif left and right and len(left) == len(right) == 2:
        for one, (x, y) in product(range(1, min(k, MOST_SCALE) + 1), (right, right[::-1])):
            if k % one == 0:
                yield [(left[0], x, one), (left[1], y, k // one)]


def _scales(ctx: State, p: Poly) -> list[Poly]:
    """Factors m by which a term of a constraint is one of p; p >= 0 where m*p + m - 1 >= 0.

    `4*l >= N` says `l >= ceildiv(N, 4)`, because these are whole numbers.  So does `k*l >= N` of
    a fact about sizes, for what is not a size alone.
    """
    hits: dict[Poly, None] = {}
    for c in ctx.constraints:
        terms = ctx.resolve(c).terms
        for m, a in p.terms.items():
            b = terms.get(m, 0)
            if m and b % a == 0 and b // a > 1:
                hits.setdefault(Poly.of(b // a))
        hits |= dict.fromkeys(_products(ctx, p, terms))
    return list(hits)[:3]


def _products(ctx: State, p: Poly, terms: Mapping[Mono, int]) -> Iterator[Poly]:
    """Products of positive sizes by which a term of a fact about sizes is one of p.

    By which all of them are, where coordinates or digits of sizes stand in the fact: `pid < M*N` says
    `pid//(G*N)*G < M`.
    """
    kinds = {ctx.atoms[x].kind for m in terms for x in m}
    if len(terms) <= 1 + (() in terms):
        return
    of_sizes = kinds <= {"size"} if kinds else False
    places = not kinds <= {"size", "digit"} or any(ctx.is_coordinate(x) for m in terms for x in m)
    zero = len(p.terms) == 1 and min(p.terms.values()) < 0  # whether a size is 0 is asked as well
    if not places and not zero and all(ctx.atoms[x].kind == "size" for x in p.atoms):
        return
    for n, b in terms.items():
        for m, a in p.terms.items() if len(n) > 1 else ():
            rest = monomial_quotient(n, m) if m and a * b > 0 and b % a == 0 else None
            if not rest or not all((ctx.low(x) or 0) >= 1 for x in rest):
                continue
            scale = Poly({rest: b // a})
            scaled = (p - p.constant) * scale
            if of_sizes or len(scaled.terms.items() & terms.items()) > 1:
                yield scale


def _box_or_joined(ctx: State, p: Poly, budget: list[int]) -> Why | None:
    """Over the digits' box, or with digits joined to the coordinates that bound them together."""
    hit = _box(ctx, p, budget)
    if hit:
        return hit
    poly = join(ctx, p, coordinates_only=True)
    return None if poly is p else _box(ctx, poly, budget)


def _worst(ctx: State, p: Poly, coordinates_only: bool = False) -> tuple[Poly, Ends]:
    """A polynomial that p is never below: bounded atoms with a plain slope at their worst ends."""
    ends: Ends = ()
    for _ in range(len(ctx.atoms)):
        less = _one_less(ctx, p, coordinates_only)
        if less is None:
            break
        p, end = less
        ends += (end,)
    return p, ends


def _one_less(
    ctx: State, p: Poly, coordinates_only: bool = False
) -> tuple[Poly, tuple[str, int]] | None:
    """With the next bounded atom at its worst end; None where that is not plain."""
    x = _next(ctx, p) if p.atoms else -1
    bound = ctx.high(x) if x >= 0 else None
    if bound is None or x in bound.atoms or (coordinates_only and not ctx.is_coordinate(x)):
        return None
    parts = p.by_power(x)
    slope = _slope(ctx, parts, x)
    low = ctx.low(x)
    if slope == 0 or (slope > 0 and low is None):
        return None
    if slope < 0:
        return _at(parts, bound), ("high", x)
    return _at(parts, Poly.of(low or 0)), ("low", x)


def _plainly_nonneg(ctx: State, p: Poly) -> bool:
    """All coefficients and all atoms are non-negative."""
    return min(p.terms.values(), default=0) >= 0 and _of_nonnegative(ctx, p)


def _of_nonnegative(ctx: State, p: Poly) -> bool:
    """Whether all atoms are non-negative."""
    atoms = ctx.atoms
    for a in p.atoms if p.known_atoms is None else p.known_atoms:
        low = atoms[a].low
        if low is None or low < 0:
            return False
    return True


def _box(ctx: State, p: Poly, budget: list[int]) -> Why | None:
    terms = p.terms
    if not terms or (len(terms) == 1 and () in terms):
        return PLAIN if p.constant >= 0 else None
    if _plainly_nonneg(ctx, p):
        return PLAIN
    if ctx.at_hand and p in ctx.at_hand:
        return AT_HAND
    if () in terms and max(terms.values()) <= 0 and _of_nonnegative(ctx, p):
        return None
    least = _linear(ctx, p)
    if least is not None:
        return LINEAR if least >= 0 else None
    _spend(budget, p)
    x = _next(ctx, p)
    parts = p.by_power(x)
    info, low = ctx.atoms[x], ctx.low(x)
    bound = ctx.high(x)
    if bound is not None and x in bound.atoms:
        return None
    slope = _slope(ctx, parts, x)
    if slope > 0:
        hit = None if low is None else _box(ctx, _at(parts, Poly.of(low)), budget)
        return hit and ("low", x, hit)
    at_high = None if bound is None else _at(parts, bound)
    if slope < 0 and at_high is not None and info.looser is not None:
        other = _at(parts, ctx.resolve(info.looser))  # whole tiles add up where partial ones do not
        at_high = min(other, at_high, key=lambda p: len(p.terms))
    if slope < 0:
        hit = None if at_high is None else _box(ctx, at_high, budget)
        return hit and ("high", x, hit)
    if max(parts) > 1 and not (max(parts) == 2 and _plainly_nonneg(ctx, -parts[2])):
        bounded = _shift(ctx, parts, x, budget) or _bent_up(ctx, parts, x, budget)
        return bounded or _less_steep(ctx, parts, x, budget)
    if max(parts) > 1 and at_high is None:
        return None  # a parabola that bends down is least at an end
    first = None if low is None else _box(ctx, _at(parts, Poly.of(low)), budget)
    if not first:
        return None
    if at_high is None:
        rising = _box(ctx, parts[1], budget)
        return rising and ("shift", x, {0: first, 1: rising})
    last = _box(ctx, at_high, budget)
    return last and ("between", x, Poly.of(low or 0), bound, first, last)


def _spend(budget: list[int], p: Poly) -> None:
    """Raises `_Spent` where the polynomial has more terms than are left."""
    budget[0] -= len(p.terms)
    if budget[0] < 0:
        raise _Spent


def _linear(ctx: State, p: Poly) -> int | None:
    """The least value of a sum of atoms between numbers; None where p is none, or has no least."""
    total = 0
    for m, c in p.terms.items():
        if not m:
            total += c
            continue
        info = ctx.atoms[m[0]]
        bound = None if c > 0 or info.high is None else ctx.resolve(info.high)
        end = ctx.low(m[0]) if c > 0 else bound.constant if bound and bound.is_constant else None
        if len(m) > 1 or end is None or info.looser is not None:
            return None
        total += c * end
    return total


def _next(ctx: State, p: Poly) -> int:
    """The atom to eliminate: no other atom's bound may depend on it; bounded ones first."""
    obstacles: set[int] = set()
    bounded: dict[int, bool] = {}
    own, atoms, replaced = p.atoms, ctx.atoms, ctx.replaced
    for a in own:
        bound = atoms[a].high
        bounded[a] = bound is not None
        if bound is not None:
            inner = bound.atoms if bound.known_atoms is None else bound.known_atoms
            if inner and replaced and not inner.isdisjoint(replaced):
                inner = ctx.resolve(bound).atoms
            if inner:
                obstacles |= inner - {a}
    free = own - obstacles or own
    return max(zip(map(bounded.__getitem__, free), free))[1]


def _at(parts: dict[int, Poly], x: Poly) -> Poly:
    """The polynomial of which these are the coefficients by power, at another one."""
    if max(parts, default=0) < 2:
        at_zero, slope = parts.get(0, ZERO), parts.get(1)
        return at_zero if slope is None else at_zero + slope * x
    result = ZERO
    power, k = ONE, 0
    for exponent in sorted(parts):
        while k < exponent:
            power, k = power * x, k + 1
        result = result + parts[exponent] * power
    return result


def _slope(ctx: State, parts: dict[int, Poly], x: int) -> int:
    """1 when p plainly grows with the atom, -1 when it falls, else 0.

    A power above the first grows only where the atom is not negative.
    """
    low = ctx.atoms[x].low
    if max(parts) > 1 and (low is None or low < 0):
        return 0
    grows = falls = True
    for k, c in parts.items():
        if k:
            grows = grows and min(c.terms.values()) > 0 and _of_nonnegative(ctx, c)
            falls = falls and not grows and max(c.terms.values()) < 0 and _of_nonnegative(ctx, c)
            if not (grows or falls):
                return 0
    return 1 if grows else -1


def _shift(ctx: State, parts: dict[int, Poly], x: int, budget: list[int]) -> Why | None:
    """A higher power: every coefficient of the polynomial in y = x - low is non-negative."""
    low = ctx.atoms[x].low
    if low is None:
        return None
    y = Poly({(x,): 1}) + low
    hits = dict[int, Why]()
    for k, c in _at(parts, y).by_power(x).items():
        hit = _box(ctx, c, budget)
        if not hit:
            return None
        hits[k] = hit
    return "shift", x, hits


def _bent_up(ctx: State, parts: dict[int, Poly], x: int, budget: list[int]) -> Why | None:
    """A parabola that bends up is above its tangents at the ends of the range and at its vertex."""
    if max(parts) > 2:
        return None
    c, b, a = (parts.get(k, ZERO) for k in range(3))
    low, high = ctx.low(x), ctx.high(x)
    if low is not None and high is not None and _plainly_nonneg(ctx, a):
        first, last = _at(parts, Poly.of(low)), _at(parts, high)
        below = a * (high - low) * (high - low)  # how much less a tangent is at the other end
        for which, here, there in (("low", first, last), ("high", last, first)):
            near = _box(ctx, here, budget)
            far = near and _box(ctx, there - below, budget)
            if near and far:
                return "tangent", x, which, near, far
    if len(b.terms) > ROOT_TERMS or not _plainly_nonneg(ctx, a - 1):
        return None
    hit = _box(ctx, 4 * a * c - b * b + (4 * a - 1), budget)
    return hit and ("vertex", x, hit)  # 4*a*p is (2*a*x + b)**2 and this


def _less_steep(ctx: State, parts: dict[int, Poly], x: int, budget: list[int]) -> Why | None:
    """With the greatest x for one factor of each term that falls: `x*x - x*x*x >= x*x - h*x*x`."""
    low, high, here = ctx.low(x), ctx.high(x), atom(x)
    if low is None or low < 0 or high is None:
        return None
    down = ZERO
    for k, p in parts.items():
        falling = Poly({m: -c for m, c in p.terms.items() if c < 0})
        down = down + _at({k - 1: falling}, here) if k else down
    if not down.terms or not _plainly_nonneg(ctx, down):
        return None
    hit = _box(ctx, _at(parts, here) - down * (high - here), budget)
    return hit and ("times", down, high - here, hit)


def _with_constraints(
    ctx: State, p: Poly, budget: list[int], depth: int, most: int = FEW
) -> Why | None:
    """p >= 0 follows from p - k*c >= 0 for a constraint c >= 0 and a factor k >= 0."""
    tries, own = 0, p.atoms
    for c in reversed(ctx.constraints):
        c = ctx.resolve(c)
        if (c.known_atoms or c.atoms).isdisjoint(own):
            continue
        for k in _multipliers(ctx, p, c):
            tries += 1
            if tries > most:
                return None
            rest = p - k * c
            if most > FEW:  # the ways to take several together grow with every one
                _spend(budget, rest)
            hit = None if ctx.fails(rest) else _box_or_joined(ctx, rest, budget)
            if not hit and depth > 1 and len(rest.terms) <= len(p.terms):
                hit = _with_constraints(ctx, rest, budget, depth - 1, most)
            if hit:
                return "times", k, c, hit
    return None


def _multipliers(ctx: State, p: Poly, c: Poly) -> list[Poly]:
    """Factors k >= 0 for which a term of k*c cancels one of p."""
    hits: dict[Poly, None] = {}
    for m, a in p.terms.items():
        for n, b in c.terms.items():
            if not n or len(n) > len(m) or (a > 0) != (b > 0) or abs(a) < abs(b):
                continue
            over = monomial_quotient(m, n)
            if over is not None:
                k = Poly({over: abs(a) // abs(b)})
                if _plainly_nonneg(ctx, k):
                    hits.setdefault(k)
    hits.setdefault(ONE)
    return list(hits)


def ends(ctx: State, p: Poly, low: bool) -> Poly | None:
    """A polynomial below (or above) p in sizes only: every coordinate and digit at its worst end."""
    for _ in range(len(ctx.atoms) + 1):
        inner = [a for a in p.atoms if ctx.atoms[a].high is not None or ctx.atoms[a].kind != "size"]
        if not inner:
            return p
        x = _next(ctx, p)
        parts = p.by_power(x)
        slope = _slope(ctx, parts, x)
        if slope == 0:
            return None
        info = ctx.atoms[x]
        end: Poly | None
        end = (
            (None if info.low is None else Poly.of(info.low)) if (slope > 0) == low else ctx.high(x)
        )
        if end is None:
            return p if low is False and info.kind == "size" else None
        p = _at(parts, end)
    return None


def least(ctx: State, p: Poly) -> int | None:
    """A number that p never falls below, when one is easily found."""
    bottom = ends(ctx, p, low=True)
    while bottom is not None and not bottom.is_constant:
        x = max(bottom.atoms)
        parts = bottom.by_power(x)
        low = ctx.atoms[x].low
        if low is None or _slope(ctx, parts, x) <= 0:
            return None
        bottom = _at(parts, Poly.of(low))
    return None if bottom is None else bottom.constant


def quotient_range(ctx: State, r: Poly, d: Poly) -> tuple[int | None, Poly | None]:
    """Bounds of r // d: a number below, a polynomial above."""
    whole = join(ctx, r)  # 2*(N//2) + N%2 is N again, and so at least 1
    lows = [v for v in (least(ctx, r), None if whole is r else least(ctx, whole)) if v is not None]
    bottom = max(lows, default=None)
    if bottom is None:
        low = 0 if nonneg(ctx, r) else None
    else:
        low = bottom // d.constant if d.is_constant else min(bottom, 0)
        if bottom >= 0 and not d.is_constant:
            low = 0
    top = ends(ctx, r, low=False)
    if top is None or not top.atoms.isdisjoint(ctx.busy):
        return low, None
    ctx.busy |= top.atoms
    try:
        high = ctx.divmod(top, d)[0] if top != r else None
    finally:
        ctx.busy -= top.atoms
    return low, high
