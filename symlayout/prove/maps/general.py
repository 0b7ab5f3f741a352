"""A claim with sizes for its numbers, and with fewer facts: what holds of all sizes holds of these.

A proof by mixed radix that needs `T` may be lost where 128 stands for T: 127 is no longer T - 1, and
1024 no longer 8*T.  A number that occurs at several places, or a product of such, becomes a size, of
which little is known.  The certificate is the general proof with the numbers put in for the sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple

from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import BITS, CeilDiv, FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Integer, Pow, Symbol
from symlayout.prove.maps.cases import Move, World, put_numbers

MOST = 8  # numbers of a claim that become sizes or products of them
ONE = Integer(1)


class Sizes(NamedTuple):
    """Sizes with their values, and what each number is by them."""

    values: dict[Symbol, Expr]
    table: dict[Expr, Expr]


NONE = Sizes({}, {})


def generalisations(world: World) -> Iterator[Move]:
    """More general worlds as moves, the most likely ones first; each is another one."""
    seen, other = [("general", (), (), world.facts.relations)], _less(world)
    pairs = [*_of_numbers(world), (NONE, False)]
    rows = [(sizes, divide, kind) for sizes, divide in pairs for kind in (_without_least, _bounds)]
    free = [(NONE, False, _free)] if len(_free(world.facts)) < len(world.facts.relations) else []
    for sizes, divide, kind in [*free, *rows]:
        more = (
            sizes
            if kind is _free
            else Sizes(sizes.values | other.values, sizes.table | other.table)
        )
        move = _move(world, more, kind(world.facts), divide)
        if move not in seen:
            seen.append(move)
            yield move


def _free(facts: Facts) -> list[Relation]:
    """Facts without those that say of one size that a number divides it, or what it is at most."""
    return [r for r in facts.relations if _bounds_below(r) or not r.in_domain]


def _without_least(facts: Facts) -> list[Relation]:
    """Facts that say no more of a size than that it is at least 1, where they say how much it is."""
    names = sorted(facts.names)
    least = [Relation(">=", symbol(n), ONE) for n in names if facts.domain(n).low >= 1]
    return [*least, *[r for r in facts.relations if not _is_least(r)]]


def _bounds(facts: Facts) -> list[Relation]:
    """The least values alone."""
    return [r for r in _without_least(facts) if _bounds_below(r)]


def _is_least(r: Relation) -> bool:
    """Whether it is `N >= 2`, or from another positive number on."""
    return bool(r.op == ">=" and r.left.is_Symbol and r.right.is_Integer and r.right >= 1)


def _bounds_below(r: Relation) -> bool:
    return any(map(Facts((r,)).bounds_below, r.names))


def _less(world: World) -> Sizes:
    """A size k for `K - 1` where a fact is `K >= 2`, or for other such numbers."""
    every = [*world.expressions, *[d for box in world.boxes for d in box]]
    sides = [e for r in world.facts.relations for e in (r.left, r.right)]
    bits = {x for e in (*every, *sides) for n in e.atoms(*BITS) for x in n.free_symbols}
    values, table, letter = dict[Symbol, Expr](), dict[Expr, Expr](), world.fresh("h").name
    for x in map(symbol, world.names):
        less = world.facts.domain(x.name).low - 1
        if less > 0 and x not in bits and any(e.has(x - less) for e in every):
            k = symbol(letter + "_" * len(values))
            table[x], values[k] = k + less, x - less
    return Sizes(values, table)


def _of_numbers(world: World) -> Iterator[tuple[Sizes, bool]]:
    """Sizes for the numbers, and whether it is said which of these divide others."""
    counts, divisors = numbers(world)
    every = sorted(n for n in counts if n >= 2)
    hits = [n for n in every if n > 2]
    if not hits and counts[2] < 2:
        return
    choices = [hits, every]
    if any(e.has(*BITS) for e in world.expressions):  # of which a size as a divisor says too little
        extents = {int(d) for r in world.roots for d in r.shape if d.is_Integer}
        ends = {k for d in extents - divisors for k in (d - 1, d)}
        choices.insert(0, [n for n in hits if n in ends])
    for k, some in enumerate(choices):
        if some not in choices[:k] and 0 < len(some) <= MOST:
            for largest in (True, False):
                yield sizes_for(world, some, divisors, largest), False
    if len(hits) <= MOST:
        yield sizes_for(world, hits, divisors, None), True


def numbers(world: World) -> tuple[Counter[int], set[int]]:
    """How often each number occurs, exponents apart; and those that divide."""
    counts, divisors = Counter[int](), set[int]()

    def visit(e: Expr) -> None:
        if e.is_Integer:
            counts[abs(int(e))] += 1
        elif isinstance(e, (FloorDiv, CeilDiv, Mod)) and e.args[1].is_Integer:
            divisors.add(abs(int(e.args[1])))
        for a in e.args[:1] if isinstance(e, Pow) else e.args:
            visit(a)

    for e in (*world.expressions, *[d for box in world.boxes for d in box]):
        visit(e)
    return counts, divisors


def sizes_for(
    world: World, numbers: Sequence[int], divisors: Container[int], largest: bool | None
) -> Sizes:
    """A size for each number, products apart: the largest ones first are products, or the least.

    With None each number has a size of its own.  What is one less or one more than a divisor is
    written by that.
    """
    products, factors = dict[int, tuple[int, int]](), set[int]()
    for n in sorted(numbers, reverse=bool(largest)) if largest is not None else ():
        pairs = [(a, n // a) for a in numbers if n % a == 0 and a * a <= n and n // a in numbers]
        if pairs and n not in factors:
            products[n] = pairs[-1]
            factors |= {*pairs[-1]}
    table, values, beside = dict[Expr, Expr](), dict[Symbol, Expr](), dict[int, int]()
    letter = world.fresh("g").name
    for n in (k for k in numbers if k not in products):
        if n not in divisors and n not in factors and n + 1 in numbers:
            beside[n] = n + 1
            continue
        if n not in divisors and n not in factors and n - 1 in divisors and n - 1 in numbers:
            beside[n] = n - 1
            continue
        size = symbol(letter + "_" * len(values))
        table[Integer(n)], values[size] = size, Integer(n)
    for n, (a, b) in sorted(products.items()):
        if {Integer(a), Integer(b)} <= table.keys():
            table[Integer(n)] = table[Integer(a)] * table[Integer(b)]
    for n, near in sorted(beside.items(), reverse=True):
        if Integer(near) in table:
            table[Integer(n)] = table[Integer(near)] + (n - near)
    table |= {-n: -e for n, e in table.items()}
    return Sizes(values, table)


def _move(world: World, sizes: Sizes, facts: Sequence[Relation], divide: bool) -> Move:
    """The move to a world with these sizes, and these facts in their words."""
    less = {x.name for x in sizes.table if x.is_Symbol}
    least = {r.left for r in facts if _is_least(r)}
    relations = [
        Relation(">=", symbol(n), ONE)
        for n in world.names
        if n not in less and symbol(n) not in least and world.facts.domain(n).low >= 1
    ]
    for r in facts:
        if not (_bounds_below(r) and r.names <= less):
            as_it_is = _bounds_below(r) and r.names.isdisjoint(less)
            table = {} if as_it_is else sizes.table
            relations.append(Relation(r.op, *[put_numbers(e, table) for e in (r.left, r.right)]))
    relations += [Relation(">=", x, ONE) for x in sizes.values]
    values = [(x, int(n)) for x, n in sizes.values.items() if n.is_Integer] if divide else ()
    for x, n in values:
        for y, m in values:
            if x != y and n % m == 0:
                relations.append(Relation("==", Mod(x, y), Integer(0)))
    whole, new = tuple(sizes.table.items()), tuple(sizes.values.items())
    return "general", whole, new, tuple(dict.fromkeys(relations))
