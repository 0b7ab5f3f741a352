"""What facts about other names say of a claim's own.

A fact such as `n > m` says of n that it is above 1: where a claim speaks of n and not of m, a
counterexample at n = 1 would be one that leaves no value to m.  `BLOCK >= N` says nothing of N.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from symlayout.expr.facts import Domain, Facts, Relation
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min
from symlayout.expr.traversal import preorder_traversal
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol, expand

MOST = 6  # facts that a name leaves behind
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
Limit = Callable[[str], int | None]


@dataclass(frozen=True)
class Ties:
    """What facts about other names say of a claim's own: `consequences`, and all facts about `others`.

    `equal` are further names, which equalities tie to the claim's own.

    >>> facts = Facts.read(["BLOCK >= N", "N > M", "M == 4*k", "N + K <= L", "L <= 99"])
    >>> tied = ties(["N"], facts)
    >>> tied.consequences, sorted(tied.others)
    (('N <= 98',), ['M', 'k'])
    """

    consequences: tuple[str, ...]
    others: frozenset[str]
    equal: frozenset[str]


def ties(names: Iterable[str], facts: Facts, limit: Limit = lambda name: None) -> Ties:
    """What facts say of these names through others; `limit` is the greatest value a name may have.

    A name outside that is only compared with others is left out: it has a value exactly where all
    that it is at least are at most all that it is at most.
    """
    own = frozenset(names)
    left = every = {r for r in facts.relations if len(r.names) > 1}
    more = True
    while more:
        more = False
        for n in sorted({n for r in left for n in r.names} - own):
            about = {r for r in left if n in r.names}
            bounds = _without(n, facts, about, limit)
            if bounds is not None:
                left = (left - about) | {r for r in bounds if not _known(r, facts, limit)}
                more = True
    known = _closure(own, left)
    if not all(r in facts.relations or r.names <= known for r in left):
        left, known = every, _closure(own, every)  # a name has no value at all
    equal = _closure(own, {r for r in left if r.op == "=="})
    texts = sorted(str(r) for r in left - {*facts.relations})
    return Ties(tuple(texts), known - equal, equal - own)


def _closure(names: frozenset[str], relations: Iterable[Relation]) -> frozenset[str]:
    while more := {n for r in relations if r.names & names for n in r.names} - names:
        names |= more
    return names


def _without(
    name: str, facts: Facts, relations: set[Relation], limit: Limit
) -> list[Relation] | None:
    """What relations say of the others: there is a value for the name; None where that is no fact."""
    domain, last = _domain(name, facts), _last(name, facts, limit)
    sides = [s for r in relations if (s := _side(name, r)) is not None]
    single = all(r.in_domain for r in facts.relations if r.names == {name})
    if not single or len(sides) < len(relations):
        return None
    low = [e if op == ">=" else e + 1 for op, e in sides if op in (">", ">=")]
    high = [e if op == "<=" else e - 1 for op, e in sides if op in ("<", "<=")]
    if low and high and domain.modulus > 1:
        return None
    low.append(Integer(domain.first))
    high += [] if last is None else [Integer(last)]
    bounds = [_at_most(a, b) for a in low for b in high]
    return bounds if len(bounds) <= MOST and all(r.names or r.holds({}) for r in bounds) else None


def _at_most(a: Expr, b: Expr) -> Relation:
    """`a <= b`, of one name with a number as such.

    >>> print(_at_most(Integer(1), Symbol("n") - 1))
    n >= 2
    """
    number, rest = expand(b - a).as_coeff_Add()
    if rest == 0 or isinstance(rest, Symbol):
        return Relation(">=", rest, -number)
    if isinstance(-rest, Symbol):
        return Relation("<=", -rest, number)
    return Relation("<=", a, b)


def _domain(name: str, facts: Facts) -> Domain:
    """What the facts about a name alone allow."""
    return Facts(tuple(r for r in facts.relations if r.names == {name})).domain(name)


def _last(name: str, facts: Facts, limit: Limit) -> int | None:
    """The greatest value that a name may have."""
    domain, most = _domain(name, facts), limit(name)
    if most is None or (domain.high is not None and domain.high <= most):
        return domain.last
    return Domain(domain.low, most, domain.modulus, domain.residue).last


def _known(r: Relation, facts: Facts, limit: Limit) -> bool:
    """Whether what is known of a single name alone says it, or there is none."""
    if len(r.names) > 1:
        return False
    if not r.names:
        return True
    (name,) = r.names
    domain, last = _domain(name, facts), _last(name, facts, limit)
    if not r.in_domain or domain.empty:
        return False
    wide = Facts((r,)).and_([f"{name} >= {min(0, domain.first)}"]).domain(name)
    above = wide.high is None or (last is not None and last <= wide.high)
    return above and wide.low <= domain.first


def _side(name: str, r: Relation) -> tuple[str, Expr] | None:
    """How the name is compared with what is defined everywhere and does not have it in it."""
    if r.op not in MIRRORED or not (_defined(r.left) and _defined(r.right)):
        return None
    difference = r.left - r.right
    for sign, op in ((1, r.op), (-1, MIRRORED[r.op])):
        rest = Symbol(name) - sign * difference
        if name not in {s.name for s in rest.free_symbols}:
            return op, rest
    return None


def _defined(e: Expr) -> bool:
    """Whether it has a value everywhere."""
    return all(
        isinstance(x, (Integer, Symbol, Add, Mul, Pow, Min, Max))
        or (isinstance(x, (FloorDiv, CeilDiv)) and isinstance(x.args[1], Integer))
        for x in preorder_traversal(e)
    )
