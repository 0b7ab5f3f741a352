"""The shortest or of ands that is true at all of some assignments and false at all others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from itertools import combinations, product
from operator import or_
from typing import NamedTuple

from symlayout.expr.facts import Relation
from symlayout.prove.when.answer import Term
from symlayout.prove.when.atoms import cost
from symlayout.prove.when.samples import Samples

PAIRED = 160  # relations of which pairs are looked at
TRIPLED = 26  # and threes
LONGEST_TERM = 6  # relations of one and that hold wherever the claim does
TRIES = 4000  # choices among them
TERMS = 240
CLAUSED = 130  # relations of which ors of two are looked at
CLAUSES = 4  # ors of one condition
MOST_TERMS = 9
JOINED = 3  # what a further relation or term costs


class Candidate(NamedTuple):
    """Relations that are true together at no assignment where the claim fails."""

    term: Term
    mask: int
    price: int


def cheapest(
    samples: Samples, atoms: Sequence[Relation], banned: Collection[Term]
) -> list[Term] | None:
    """The cheapest or of ands; None where the relations cannot tell the assignments apart."""
    true, every = samples.true, samples.all
    if not true:
        return []
    if true == every:
        return None if () in banned else [()]
    terms = _candidates(samples, atoms, banned, true, every & ~true)
    best, other = _cover(terms, true), _of_clauses(samples, atoms, banned, true, every & ~true)
    if best is None or other is None:
        hit = best or other
        return None if hit is None else hit[1]
    return min(best, other, key=lambda hit: hit[0])[1]


def widest(
    samples: Samples, atoms: Sequence[Relation], banned: Collection[Term]
) -> list[Candidate]:
    """All that could be a part of a condition, those that are true most often first.

    Those that say what a size is come behind the others: few sizes are that.
    """
    true = samples.true
    candidates = _candidates(samples, atoms, banned, true, samples.all & ~true)
    return sorted(candidates, key=lambda c: (_values(c.term, "=="), -c.mask.bit_count(), c.price))


def common(samples: Samples, atoms: Sequence[Relation]) -> list[tuple[Relation, int]]:
    """Relations that are true wherever the claim is, and the mask of what each excludes."""
    true, every = samples.true, samples.all
    hits = [(r, every & ~samples.mask(r)) for r in atoms]
    hits = [(r, m) for r, m in hits if m and not m & true]
    return sorted(hits, key=lambda x: (-x[1].bit_count(), cost(x[0])))


def _candidates(
    samples: Samples, atoms: Sequence[Relation], banned: Collection[Term], true: int, false: int
) -> list[Candidate]:
    literals: dict[int, tuple[int, Relation]] = {}
    seen: dict[Relation, int] = {}
    singles: list[Candidate] = []
    for r in atoms:
        mask = samples.mask(r)
        if not mask & true or not ~mask & (true | false):
            continue
        seen[r] = mask
        price = cost(r)
        if not mask & false and (r,) not in banned:
            singles.append(Candidate((r,), mask & true, price))
            continue
        old = literals.get(mask)
        if old is None or price < old[0]:
            literals[mask] = price, r
    candidates = _minimal(singles)
    pool = sorted(((c, r, m) for m, (c, r) in literals.items()), key=lambda x: x[0])
    for many, most in ((2, PAIRED), (3, TRIPLED)):
        more: list[Candidate] = []
        for group in combinations(pool[:most], many):
            mask = true | false
            for _, _, m in group:
                mask &= m
            if not mask & true or mask & false:
                continue
            term = tuple(r for _, r, _ in group)
            price = sum(c for c, _, _ in group) + JOINED * (many - 1)
            if term not in banned:
                more.append(Candidate(term, mask & true, price))
        candidates = _minimal([*candidates, *more])
    needs = [(c, r, false & ~m) for c, r, m in pool if not ~m & true and false & ~m]
    whole = _excluding(needs, false)
    if len(whole) >= 2 and not any(c.mask == true for c in candidates):
        price = sum(map(cost, whole)) + JOINED * (len(whole) - 1)
        more = [Candidate(whole, true, price)] if whole not in banned else []
        candidates = _minimal([*candidates, *more])
    return candidates


def _excluding(needs: Sequence[tuple[int, Relation, int]], false: int) -> Term:
    """The few relations, each true wherever the claim is, that are false together elsewhere."""
    singles = [Candidate((r,), mask, price) for price, r, mask in needs]
    candidates = _greedy(singles, false, LONGEST_TERM) or _fewest(singles, false)
    return tuple(r for c in candidates for r in c.term)


def _fewest(terms: list[Candidate], whole: int) -> tuple[Candidate, ...]:
    """As few as possible that together are true at all of these rows; () where a few are not enough.

    The rows at which the fewest are true are looked at first: one of those has to be taken.
    """
    if whole & ~_union(t.mask for t in terms):
        return ()
    choices = {}
    for k in range(whole.bit_length()):
        if whole >> k & 1:
            choices[tuple(n for n, t in enumerate(terms) if t.mask >> k & 1)] = 1 << k
    rows = sorted(choices.items(), key=lambda row: len(row[0]))
    tries = TRIES

    def search(left: int, more: int) -> list[int] | None:
        nonlocal tries
        choice = next((ns for ns, bit in rows if bit & left), None)
        if choice is None:
            return []
        for n in choice if more else ():
            tries -= 1
            if tries < 0:
                return None
            rest = search(left & ~terms[n].mask, more - 1)
            if rest is not None:
                return [n, *rest]
        return None

    for most in range(2, LONGEST_TERM + 1):
        indices = search(whole, most)
        if indices is not None:
            return tuple(terms[n] for n in sorted(indices))
    return ()


def _minimal(terms: list[Candidate]) -> list[Candidate]:
    """Those that no cheaper one contains."""
    terms.sort(key=lambda t: (t.price, -t.mask.bit_count()))
    candidates: list[Candidate] = []
    for t in terms:
        if not any(t.mask | k.mask == k.mask for k in candidates):
            candidates.append(t)
            if len(candidates) == TERMS:
                break
    return candidates


def _of_clauses(
    samples: Samples, atoms: Sequence[Relation], banned: Collection[Term], true: int, false: int
) -> tuple[int, list[Term]] | None:
    """An and of few ors as an or of ands: each or is true wherever the claim is."""
    literals: dict[int, tuple[int, Relation]] = {}
    for r in atoms:
        mask, price = samples.mask(r), cost(r)
        if mask & true and false & ~mask and (mask not in literals or price < literals[mask][0]):
            literals[mask] = price, r
    pool = sorted(((c, m, r) for m, (c, r) in literals.items()), key=lambda x: x[0])[:CLAUSED]
    clauses = [Candidate((r,), false & ~m, c) for c, m, r in pool if not true & ~m]
    for (c, m, r), (d, n, q) in combinations([x for x in pool if true & ~x[1]], 2):
        if not true & ~(m | n) and false & ~(m | n):
            clauses.append(Candidate((r, q), false & ~(m | n), c + d + JOINED))
    cover = _greedy(_minimal(clauses), false, CLAUSES)
    if cover is None or not any(len(c.term) > 1 for c in cover) or len(cover) < 2:
        return None
    terms = [tuple(dict.fromkeys(t)) for t in product(*[c.term for c in cover])]
    terms = [t for t in terms if not any({*u} < {*t} for u in terms)]
    if any(t in banned for t in terms):
        return None
    return sum(c.price for c in cover) + JOINED * (len(cover) - 1), terms


def _cover(terms: list[Candidate], true: int) -> tuple[int, list[Term]] | None:
    """The cheapest few that together are true wherever the claim is, and their price."""
    whole = [t for t in terms if t.mask == true]
    best: tuple[int, tuple[Candidate, ...]] | None = None
    if whole:
        one = min(whole, key=lambda t: t.price)
        best = one.price, (one,)
    for a, b in combinations(terms, 2):
        price = a.price + b.price + JOINED
        if a.mask | b.mask == true and (best is None or price < best[0]):
            best = price, (a, b)
    greedy = _greedy(terms, true, MOST_TERMS)
    if greedy is not None:
        price = sum(t.price for t in greedy) + JOINED * (len(greedy) - 1)
        if best is None or price < best[0]:
            best = price, greedy
    if best is None:
        return None
    # those that leave a size few values are told behind the others
    return best[0], sorted((t.term for t in best[1]), key=lambda t: _values(t, "==", "<=") > 0)


def _values(term: Term, *ops: str) -> int:
    """How many of its relations leave a size few values: say what it is, or what it is at most."""
    return sum(r.op in ops and r.left.is_Symbol and r.right.is_Integer for r in term)


def _greedy(terms: list[Candidate], whole: int, most: int) -> tuple[Candidate, ...] | None:
    """A few that together are true at all of these rows, the cheapest for each row first."""
    candidates: list[Candidate] = []
    left = whole
    while left and len(candidates) < most:
        best = max(
            terms, key=lambda t: ((t.mask & left).bit_count() / t.price, -t.price), default=None
        )
        if best is None or not best.mask & left:
            return None
        candidates.append(best)
        left &= ~best.mask
    if left:
        return None
    for t in list(candidates):  # what the others cover is left out
        rest = [c for c in candidates if c is not t]
        if not whole & ~_union(c.mask for c in rest):
            candidates = rest
    return tuple(candidates)


def _union(masks: Iterable[int]) -> int:
    return reduce(or_, masks, 0)
