"""Moves of sizes in a proof by cases: a split, other sizes, a power of two, a function undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from symlayout.certificate.cases import (
    ONE,
    ZERO,
    World,
    bits_of_number,
    goal,
    names_of,
    of_comparison,
    read,
    read_condition,
    ways_to_split,
    whole_number,
)
from symlayout.certificate.definitions import names_in
from symlayout.certificate.exact import Rejected
from symlayout.certificate.functions import round_trips
from symlayout.certificate.part import Part
from symlayout.expr.conditions import ALWAYS, Condition, Less
from symlayout.expr.relations import Relation, read_relations
from symlayout.expr.terms import BitAnd, Exp2, put, symbol
from symlayout.expr.tree import Expr, Integer, Pow, Symbol, expand

if TYPE_CHECKING:
    from symlayout.certificate.script import Move, Script


def put_parts(e: Expr, table: Mapping[Expr, Expr]) -> Expr:
    """The expression with others for parts of it, which they equal; an exponent is not a part."""
    if e in table:
        return table[e]
    if not e.args:
        return e
    if isinstance(e, Pow):
        return Pow(put_parts(e.base, table), e.exp)
    result: Expr = e.func(*[put_parts(a, table) for a in e.args])
    return result


def inverse_world(script: Script, w: World) -> World:
    """The world of a function that gives back each point, or a point for each place."""
    _, letter, *texts = (*script.next(), "")
    f = script.function
    if f is None:
        raise Rejected("script: there is no function that is undone")
    names = w.vocabulary | {n for root in w.roots for n in names_of(root)}
    marks = script.fresh(names, *[f"{letter}{k}" for k in range(len(f.results))])
    results = [read(t) for t in texts[:-1]]
    if not names_in(*results) <= {*w.names, *[s.name for s in marks]}:
        raise Rejected("script: more than results and sizes")
    return w._replace(roots=tuple(round_trips(script.word, f, marks, results)), boxes=())


def sizes(script: Script, w: World, move: Move, deep: int) -> Iterator[Part]:
    """The parts of a world whose sizes a move takes apart, or says by others."""
    match move:
        case ("split", how, text):
            yield from sides(script, w, how, read_condition(text), deep)
        case ("reindex", known, old, new, *texts):
            yield from other_sizes(script, w, known, old, new, texts, deep)
        case ("power", size, k):
            yield from power(script, w, size, k, deep)
        case (word, *_):
            raise Rejected(f"script: the move {word!r} speaks of other things")


def sides(script: Script, w: World, how: str, c: Condition, deep: int) -> Iterator[Part]:
    """A condition on sizes, which is `open`, or shown to be `true` or `false` of all of them."""
    goals, branches = ways_to_split(how, c)
    if not isinstance(c, Less) or how == "known":
        raise Rejected(f"script: {how!r} is not a way to split sizes by {c}")
    for e in (c.left, c.right):  # in their sum a name may cancel
        script.of_sizes(w, e)
    if goals:
        yield script.part(w, "impossible" if c == ALWAYS else how, {}, *goals)
    for yes in branches:
        if (c, yes) == (ALWAYS, False):
            continue  # no sizes
        fact = of_comparison(c if yes else Less(c.right, c.left + 1))
        yield from script.world(w._replace(facts=(*w.facts, fact)), deep - 1)


def other_sizes(
    script: Script, w: World, known: str, old: str, new: str, texts: Sequence[str], deep: int
) -> Iterator[Part]:
    """Other sizes: what is shown of them, and what is claimed in their world."""
    part, _, _, _, result = renamed_world(script, w, known, old, new, texts)
    yield part
    yield from script.world(result, deep - 1)


def renamed_world(
    script: Script, w: World, known: str, old: str, new: str, texts: Sequence[str]
) -> tuple[Part, dict[Expr, Expr], dict[Symbol, Expr], list[Relation], World]:
    """Other sizes: what old ones, or expressions, are by the new ones, and what the new ones are.

    A number from 2 on may be a size as well, or a product of some.
    All that facts say of the old sizes is known of the new ones, the last of the facts apart, as
    many as `known` says; and so are the relations at the end, which are shown.
    """
    k = 2 * whole_number(old)
    m = k + 2 * whole_number(new)
    if m > len(texts):
        raise Rejected("script: fewer texts than sizes")
    back = {script.of_sizes(w, read(e)): read(by) for e, by in zip(texts[:k:2], texts[1:k:2])}
    if any(e.is_Integer and abs(int(e)) < 2 for e in back):
        raise Rejected("script: the number 0 or 1 stands for no sizes")
    names = script.fresh(w.vocabulary, *texts[k:m:2])
    forth = dict(zip(names, [script.of_sizes(w, read(t)) for t in texts[k + 1 : m : 2]]))
    more = [r for t in texts[m:] for r in read_relations(t)]
    gone = {e.name for e in back if isinstance(e, Symbol)}
    own = (*[n for n in w.names if n not in gone], *[y.name for y in names])
    if not names_in(*back.values()).union(*[r.names for r in more]) <= {*own}:
        raise Rejected("script: more than the new sizes")
    claims = [(r.op, put(r.left, forth), put(r.right, forth)) for r in more]
    claims = [c for c in claims if Relation(*c) not in w.facts]
    claims += [("==", put(by, forth), e) for e, by in back.items()]
    goals = [goal(*c) for c in claims if c[1] != c[2] or c[0] not in ("==", "<=", ">=")]
    part = script.part(w, "sizes", {}, *goals)

    def change(e: Expr) -> Expr:
        return put_parts(e, back)

    facts = w.facts[: max(0, len(w.facts) - whole_number(known))]
    rows = [r for r in facts if gone.isdisjoint(r.names)]
    rows += [Relation(r.op, change(r.left), change(r.right)) for r in facts]
    result = w.every(change, tuple(dict.fromkeys([*rows, *more])))
    return part, back, forth, more, result._replace(names=own)


def power(script: Script, w: World, size: str, k: str, deep: int) -> Iterator[Part]:
    """A size n as 2**k: n >= 1 with `n & (n - 1) == 0` among the facts.

    The highest bit of such an n is 2**k <= n, for one k >= 0.  Where n is more, n - 1 is at least
    2**k and has that bit as well, so that `n & (n - 1)` is not 0.
    """
    if size not in w.names:
        raise Rejected(f"{size} is not a size that could be a power of two")
    x, (exponent,) = symbol(size), script.fresh(w.vocabulary, k)
    sides = [{BitAnd(*pair), ZERO} for pair in ((x, x - ONE), (x - ONE, x))]
    left = [f for f in w.facts if not (f.op == "==" and {f.left, f.right} in sides)]
    if len(left) == len(w.facts):
        raise Rejected(f"no fact says that {size} has one bit alone")
    yield script.part(w, "power", {}, goal(">=", x, 1))

    def change(e: Expr) -> Expr:
        return bits_of_number(put(e, {x: Exp2(exponent)}))

    facts = [Relation(">=", exponent, ZERO)]
    for f in left:
        more = expand(f.right - f.left + x)
        if f.op == ">=" and more.is_Integer:  # 2**k >= m exactly where k >= the bits of m - 1
            bits = max(int(more) - 1, 0).bit_length()
            facts.append(Relation(">=", exponent, Integer(bits)))
        else:
            facts.append(Relation(f.op, change(f.left), change(f.right)))
    results = w.every(change, facts)
    names = (*[n for n in w.names if n != size], exponent.name)
    yield from script.world(results._replace(names=names), deep - 1)
