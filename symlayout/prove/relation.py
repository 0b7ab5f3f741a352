"""`holds`: a relation between integer expressions is true for all numbers that satisfy the facts."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Symbol

from symlayout.digits.assume import assume
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.digits.poly import ZERO, Poly
from symlayout.digits.simplification import coordinate_kinds
from symlayout.errors import LayoutError
from symlayout.expr.facts import COMPARE, Facts, Relation
from symlayout.expr.reader import any_name
from symlayout.expr.terms import value
from symlayout.layouts.demands import Demand
from symlayout.prove.applied import read_applied
from symlayout.prove.decide import Problem, all_names, decide, polynomials
from symlayout.prove.search import Arrays, Found, Numeric, length
from symlayout.prove.verdict import Counterexample, Verdict, certified

# a op b as a polynomial that is >= 0 over the integers: (sign, shift) of a - b
SIDES = {">=": (1, 0), ">": (1, 1), "<=": (-1, 0), "<": (-1, 1)}


@certified
def holds(relation: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """A relation between expressions, or each of a chain of them, is true.

    >>> holds("(L*d + e)//d == L", where="0 <= e < d").status
    'proved'
    >>> holds("L*d + e < P*d", where=["0 <= e < d", "0 <= L <= P"]).counterexample.sizes
    {'L': 1, 'd': 1, 'e': 0, 'P': 1}

    `relation` is a text or a SymPy relation; its symbols are integers, at least 1 unless a fact gives
    another lower bound.  Raises `LayoutError` (SL300) for what is no relation.
    """
    given = Facts.read(where)
    read, own, demands = read_relation(relation, given)
    facts = given.with_least(*[side for r in read for side in (r.left, r.right)])
    names = tied(own, facts)
    everything = tuple(dict.fromkeys([*names, *sorted(facts.names)]))

    def prove(ctx: Context) -> Attempt:
        attempt = prove_relations(ctx, read)
        return attempt if attempt.proved else as_coordinates(read, facts, everything) or attempt

    def search(chosen: Arrays) -> Found | None:
        return first_false(chosen, everything, read)

    def replay(found: Found) -> Counterexample | None:
        return replay_false(read, found)

    return decide(Problem(names, facts, prove, search, replay, demands=demands), budget)


def read_relation(
    given: Any, facts: Facts
) -> tuple[tuple[Relation, ...], tuple[str, ...], tuple[Demand, ...]]:
    """The relations, their symbols in the order in which they are written, and what they demand.

    Raises `LayoutError` (SL300) for what is no relation.
    """
    order: dict[str, None] = {}

    def names(word: str) -> Expr | None:
        order.setdefault(word)
        return any_name(word)

    demands: tuple[Demand, ...] = ()
    if isinstance(given, str):
        read, demands = read_applied(given, facts, names)
    else:
        read = Facts.read(given).relations
    if not read:
        raise LayoutError("SL300", f"{given!r} is no relation")
    found = all_names(*[side for r in read for side in (r.left, r.right)])
    found += tuple(n for d in demands for n in d.names)
    return read, tuple(dict.fromkeys([*[n for n in order if n in found], *found])), demands


def tied(names: tuple[str, ...], facts: Facts) -> tuple[str, ...]:
    """The names, and those that facts tie to them: `a < c` may follow from `a < b` and `b < c`."""
    known = dict.fromkeys(names)
    size = -1
    while size < len(known):
        size = len(known)
        for r in facts.relations:
            if r.names & known.keys():
                known |= dict.fromkeys(sorted(r.names))
    return tuple(known)


# -- the proof --------------------------------------------


def prove_relations(ctx: Context, relations: tuple[Relation, ...]) -> Attempt:
    """All of them, from the signs of polynomials; what is left is for the solver."""
    sides: list[tuple[Any, dict[Symbol, Poly]]]
    sides = [(e, {}) for r in relations for e in (r.left, r.right)]
    made = polynomials(ctx, sides)
    pairs = zip(relations, made[::2], made[1::2])
    attempts = [prove_relation(ctx, r.op, a, b) for r, a, b in pairs]
    left = [a for a in attempts if not a.proved]
    if left:
        return Attempt(False, left[0].reason, [goal for a in left for goal in a.goals or ()])
    return Attempt(True, "; ".join(dict.fromkeys(a.reason for a in attempts)))


def as_coordinates(
    relations: tuple[Relation, ...], facts: Facts, names: tuple[str, ...]
) -> Attempt | None:
    """The same, with symbols that start at 0 as coordinates: `x < P*d` is then the end of x's range.

    Without that it would be a constraint beside the range, or make d depend on x.
    """
    kinds = coordinate_kinds(facts)
    if not kinds:
        return None
    ctx = Context()
    assume(ctx, facts, names, kinds)
    try:
        attempt = prove_relations(ctx, relations)
    except Undecided:
        return None
    return attempt if attempt.proved else None


def prove_relation(ctx: Context, op: str, a: Poly, b: Poly) -> Attempt:
    """`a op b` in digits; where that is not proved, a goal that says the same over the integers."""
    p = ctx.resolve(a - b)
    if op == "==":
        if p == ZERO or (ctx.nonneg(p) and ctx.nonneg(-p)):
            return Attempt(True, f"in digits both sides are {ctx.text(b)}")
        return Attempt(False, f"in digits the difference is {ctx.text(p)}", [(p, "==")])
    if op == "!=":
        known = any(ctx.resolve(n) in (p, -p) for n in ctx.nonzero)
        if known or ctx.nonneg(p - 1) or ctx.nonneg(-p - 1):
            return Attempt(True, f"{ctx.text(p)} is never 0")
        return Attempt(False, f"{ctx.text(p)} != 0 is not proved", [(p, "!=")])
    sign, shift = SIDES[op]
    q = p * sign - shift
    if ctx.nonneg(q):
        return Attempt(True, f"{ctx.text(q)} >= 0 at the ends of every range")
    return Attempt(False, f"{ctx.text(q)} >= 0 is not proved", [(q, ">=")])


# -- counterexamples --------------------------------------------


def first_false(
    chosen: Arrays, names: tuple[str, ...], relations: tuple[Relation, ...]
) -> Found | None:
    """The first numbers at which a relation is false, or divides by zero."""
    import numpy as np

    count = length(chosen)
    wrong: Any = np.zeros(count, dtype=bool)
    for r in relations:
        left, bad = Numeric(r.left, names).checked(chosen)
        right, worse = Numeric(r.right, names).checked(chosen)
        wrong = wrong | ~np.asarray(COMPARE[r.op](left, right)) | bad | worse
    if not wrong.any():
        return None
    n = int(np.argmax(wrong))
    return Found({name: int(c[n]) for name, c in chosen.items()}, (), kind="sizes")


def replay_false(relations: tuple[Relation, ...], found: Found) -> Counterexample | None:
    """The first relation that these numbers break, with both sides in plain integers."""
    for r in relations:
        if not r.holds(found.sizes):
            left, right = _side(r.left, found), _side(r.right, found)
            note = f"{r} is false: {left} against {right}"
            return Counterexample(found.sizes, (), left, right, note=note)
    return None


def _side(e: Expr, found: Found) -> int | str:
    try:
        return value(e, found.sizes)
    except LayoutError as error:
        return f"undefined: {error.message}"
