"""The shortest or of ands that is true at all of some assignments and false at all others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from symlayout.expr.facts import Relation
from symlayout.prove.when.answer import Term
from symlayout.prove.when.atoms import cost
from symlayout.prove.when.samples import Samples

PAIRED = 90  # relations of which pairs are looked at
TRIPLED = 26  # and threes
LONGEST_TERM = 5  # relations of one and that hold wherever the claim does
TERMS = 240
MOST_TERMS = 9
JOINED = 3  # what a further relation or term costs


@dataclass(frozen=True)
class Candidate:
    """Relations that are true together at no assignment where the claim fails."""

    term: Term
    mask: int
    price: int


def learned(
    samples: Samples, atoms: Sequence[Relation], banned: Collection[Term]
) -> list[Term] | None:
    """The cheapest or of ands; None where the relations cannot tell the assignments apart."""
    true, every = samples.true, samples.all
    if not true:
        return []
    if true == every:
        return [()]
    terms = _candidates(samples, atoms, banned, true, every & ~true)
    return _cover(terms, true)


def widest(
    samples: Samples, atoms: Sequence[Relation], banned: Collection[Term]
) -> list[Candidate]:
    """All that could be a part of a condition, those that are true most often first."""
    true = samples.true
    found = _candidates(samples, atoms, banned, true, samples.all & ~true)
    return sorted(found, key=lambda c: (-c.mask.bit_count(), c.price))


def common(samples: Samples, atoms: Sequence[Relation]) -> list[tuple[Relation, int]]:
    """Relations that are true wherever the claim is, and the mask of what each excludes."""
    true, every = samples.true, samples.all
    found = [(r, every & ~samples.mask(r)) for r in atoms]
    found = [(r, m) for r, m in found if m and not m & true]
    return sorted(found, key=lambda x: (-x[1].bit_count(), cost(x[0])))


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
        if not mask & false and (r,) not in banned:
            singles.append(Candidate((r,), mask & true, cost(r)))
            continue
        old = literals.get(mask)
        if old is None or cost(r) < old[0]:
            literals[mask] = cost(r), r
    found = _kept(singles)
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
        found = _kept([*found, *more])
    needed = [(c, r, false & ~m) for c, r, m in pool if not ~m & true and false & ~m]
    whole = _excluding(needed, false)
    if len(whole) >= 3 and not any(c.mask == true for c in found):
        price = sum(map(cost, whole)) + JOINED * (len(whole) - 1)
        found = _kept([*found, Candidate(whole, true, price)] if whole not in banned else found)
    return found


def _excluding(needed: Sequence[tuple[int, Relation, int]], false: int) -> Term:
    """The few relations, each true wherever the claim is, that are false together elsewhere."""
    chosen: list[tuple[Relation, int]] = []
    left = false
    while left and len(chosen) < LONGEST_TERM:
        best = max(needed, key=lambda n: ((n[2] & left).bit_count() / n[0], -n[0]), default=None)
        if best is None or not best[2] & left:
            return ()
        chosen.append(best[1:])
        left &= ~best[2]
    for one in list(chosen) if not left else ():
        rest = [c for c in chosen if c is not one]
        if not false & ~_union(m for _, m in rest):
            chosen = rest
    return () if left else tuple(r for r, _ in chosen)


def _kept(terms: list[Candidate]) -> list[Candidate]:
    """Those that no cheaper one contains."""
    terms.sort(key=lambda t: (t.price, -t.mask.bit_count()))
    kept: list[Candidate] = []
    for t in terms:
        if not any(t.mask | k.mask == k.mask for k in kept):
            kept.append(t)
            if len(kept) == TERMS:
                break
    return kept


def _cover(terms: list[Candidate], true: int) -> list[Term] | None:
    """The cheapest few that together are true wherever the claim is."""
    whole = [t for t in terms if t.mask == true]
    best: tuple[int, tuple[Candidate, ...]] | None = None
    if whole:
        one = min(whole, key=lambda t: t.price)
        best = one.price, (one,)
    for a, b in combinations(terms, 2):
        price = a.price + b.price + JOINED
        if a.mask | b.mask == true and (best is None or price < best[0]):
            best = price, (a, b)
    greedy = _greedy(terms, true)
    if greedy is not None:
        price = sum(t.price for t in greedy) + JOINED * (len(greedy) - 1)
        if best is None or price < best[0]:
            best = price, greedy
    if best is None:
        return None
    return sorted((t.term for t in best[1]), key=_bounds)


def _bounds(term: Term) -> bool:
    """Whether it leaves a size few values: such cases are told behind the others."""
    return any(r.op in ("==", "<=") and r.left.is_Symbol and r.right.is_Integer for r in term)


def _greedy(terms: list[Candidate], true: int) -> tuple[Candidate, ...] | None:
    chosen: list[Candidate] = []
    left = true
    while left and len(chosen) < MOST_TERMS:
        best = max(
            terms, key=lambda t: ((t.mask & left).bit_count() / t.price, -t.price), default=None
        )
        if best is None or not best.mask & left:
            return None
        chosen.append(best)
        left &= ~best.mask
    if left:
        return None
    for t in list(chosen):  # what the others cover is left out
        rest = [c for c in chosen if c is not t]
        if _union(c.mask for c in rest) == true:
            chosen = rest
    return tuple(chosen)


def _union(masks: Iterable[int]) -> int:
    made = 0
    for mask in masks:
        made |= mask
    return made
