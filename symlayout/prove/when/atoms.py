"""Candidate relations: what a condition may be put together from, all in the claim's own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import gcd

from symlayout.expr.facts import Relation
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Gcd,
    Mod,
    as_expr,
    count_operations,
    free_names,
    rebuild,
)
from symlayout.expr.tree import (
    Add,
    Expr,
    Integer,
    Mul,
    Symbol,
    content_of,
    exact_quotient,
    expand,
)
from symlayout.layouts.demands import nonzero
from symlayout.prove.when import moduli
from symlayout.prove.when.answer import all_placed
from symlayout.prove.when.ends import thresholds
from symlayout.prove.when.parts import Parts

MOST = 260
MARKS = 12
QUANTITIES = 12
STEPS = 65  # strides that are numbers, up to which remainders are looked at
CORNERED = 3  # coordinates of which all corners are looked at
COMMON = 60  # what a greatest common divisor costs
LONGEST = 14  # operations of a relation


def atoms(parts: Parts) -> list[Relation]:
    """The candidate relations over sizes, those nearest to the claim's text first."""
    hits: dict[Relation, None] = {}
    for r in _all(parts):
        relation = tidy(r)
        relation = None if relation is None else _at_least(relation, parts)
        if relation is not None and relation.names and relation.names <= {*parts.names}:
            hits.setdefault(relation)
            if len(hits) == MOST:
                break
    return list(hits)


def _all(parts: Parts) -> Iterator[Relation]:
    yield from parts.relations
    for demand in parts.demands:
        if demand.least is not None and not demand.coords:
            yield demand.relation
        yield from (nonzero(x) for x in demand.divisors)
    own = set(parts.extents)
    dividends: list[tuple[Expr, Expr]] = []
    for x, t in parts.divisions():
        if t.free_symbols & own:
            continue
        dividends.extend((e, t) for e in _without_coordinates(x, parts))
    for x, t, _ in parts.exchanges():
        dividends.extend((e, t) for e in _without_coordinates(x, parts))
    for x, t in parts.nested():
        if not t.free_symbols & own:
            dividends.extend((e, t) for e in _without_coordinates(x, parts))
    for e, t in dividends:
        yield Relation("==", _mod(e, t), Integer(0))
        yield Relation("<=", e, t)
    for shape in parts.shapes:
        for d in shape:
            yield Relation("==", d, Integer(1))
            yield Relation("==", d, Integer(0))
    yield from _of_strides(list(dict.fromkeys(parts.strides())))
    for about in parts.places:
        yield from filter(_is_short, thresholds(about))
    yield from filter(_is_short, corners(parts))
    for left, right, coords in parts.multiples:
        plain = expand(left)
        first = plain.xreplace(dict.fromkeys(coords, Integer(0)))
        for step in dict.fromkeys([*[plain.coeff(c, 1) for c in coords], first]):
            if step != 0 and not step.free_symbols & own:
                yield Relation("==", _mod(step, right), Integer(0))
    inner = list(dict.fromkeys(e for e, _ in dividends if e.is_Symbol))
    for e, t in dividends:
        yield from (Relation("<=", e, t * CeilDiv(x, t)) for x in inner if x != e != t)
    for e, t in dividends:
        yield Relation(">=", e, t)
        yield Relation("==", e, t)
        yield Relation("==", t, Integer(1))
        yield Relation("==", _mod(t, e), Integer(0))
    yield from moduli.relations(moduli.multiples((e for e, _, _ in parts.offsets), list(own)))
    alone = {c: d for c, d in parts.extents.items() if not d.free_symbols & own}
    yield from moduli.counts((e for e, _, _ in parts.offsets), alone)
    for k in _steps(parts):
        for n in parts.names:
            yield from (Relation(op, Mod(Symbol(n), k), Integer(0)) for op in ("==", "!="))
            yield from (Relation(">=", Symbol(n), k * Symbol(o)) for o in parts.names if o != n)
    quantities = list(dict.fromkeys(_quantities(parts, dividends)))[:QUANTITIES]
    for a in quantities:
        for b in quantities:
            if a != b and not a.is_Integer:
                yield from (Relation(op, a, b) for op in ("==", "<=", "<"))
                if not b.is_Integer or b > 1:
                    yield Relation("==", _mod(a, b), Integer(0))
    for a in quantities:
        yield from (Relation("<=", a, Integer(k)) for k in (1, 2) if not a.is_Integer)


def _of_strides(strides: Sequence[tuple[Expr, Expr]]) -> Iterator[Relation]:
    for s, d in strides:
        yield Relation("==", s, Integer(1))
        yield Relation("==", s, Integer(0))
        yield nonzero(s)
        for other, many in strides:
            if (s, d) != (other, many):
                yield Relation(">=", s, expand(other * many))
                yield Relation(">=", s, expand(other * (many - 1) + 1))
                yield Relation("==", s, expand(other * many))
                yield Relation("==", s, other)
        rest = [x for x in strides if x != (s, d)]
        for several in range(2, len(rest) + 1 if len(rest) < CORNERED else 0):
            for below in combinations(rest, several):
                yield Relation(">=", s, expand(sum((o * (n - 1) for o, n in below), Integer(1))))


def _steps(parts: Parts) -> list[Integer]:
    """Numbers that coordinates are multiplied by, where nothing is divided."""
    own, hits = set(parts.extents), dict[Integer, None]()
    for raw, _, _ in parts.offsets:
        for term in Add.make_args(raw) if not raw.has(FloorDiv, Mod) else ():
            factor, rest = term.as_coeff_Mul()
            if factor.is_Integer and 1 < factor < STEPS and rest.is_Symbol and rest in own:
                hits.setdefault(factor)
    return list(hits)[:2]


def _mod(a: Expr, b: Expr) -> Expr:
    return Integer(1) if b == 0 else Mod(a, b)


def _quantities(parts: Parts, dividends: Sequence[tuple[Expr, Expr]]) -> Iterator[Expr]:
    yield from (Symbol(n) for n in parts.names)
    for shape in parts.shapes:
        yield from shape
    for _, t in dividends:
        yield t
    for s, d in parts.strides():
        yield s
        yield expand(s * d)
    for e in parts.sizes:
        if count_operations(e) <= (1, 4):
            yield expand(e)


def _without_coordinates(e: Expr, parts: Parts) -> Iterator[Expr]:
    """The expression with each coordinate's extent in its place: what a whole range comes to."""
    inside = [s for s in e.free_symbols if s in parts.extents]
    if not inside:
        yield e
        return
    ends = {s: parts.extents[s] for s in inside}
    if any(d.free_symbols & set(parts.extents) for d in ends.values()):
        return
    if isinstance(e, Symbol):
        yield ends[e]
        return
    yield expand(rebuild(e, lambda s: ends[s] - 1 if s in ends else s) + 1)


# -- the offset at the corners --------------------------------------------------------------------


def corners(parts: Parts) -> Iterator[Relation]:
    """What goals come to at the first and the last coordinates: thresholds of sizes and types."""
    for goal, coords, shape in parts.goals:
        both = [(True,) * len(coords), (False,) * len(coords)]
        for ends in both if len(coords) > CORNERED else product((True, False), repeat=len(coords)):
            table = {c: d - 1 if last else Integer(0) for c, d, last in zip(coords, shape, ends)}
            sides = all_placed((goal.left, goal.right), table)
            if sides is not None:
                yield Relation(goal.op, *sides)


def _is_short(r: Relation) -> bool:
    return count_operations(r.left)[1] + count_operations(r.right)[1] <= LONGEST


# -- the form in which a relation is shown --------------------------------------------------------


def tidy(r: Relation) -> Relation | None:
    """The relation with positive terms, `<=` instead of `<`, nothing common; None for a triviality.

    >>> from symlayout.expr.facts import read_relations
    >>> print(tidy(read_relations("2*M*N - 2 < 16")[0]), tidy(read_relations("N - 1 == 0")[0]))
    M*N <= 8 N == 1
    >>> print(tidy(read_relations("8*ceildiv(M, 8) >= 16")[0]))
    M >= 9
    """
    r = _without_quotients(Relation(r.op, reduction(r.left), reduction(r.right)))
    if r.op == "==" and isinstance(r.left, Mod) and r.right == 0 and _multiple(*r.left.args):
        return tidy(nonzero(r.left.args[1]))
    if r.op in ("==", "!=") and isinstance(r.left, Mod) and r.right == 0:
        return _solved(Relation(r.op, _coprime(r.left), r.right))
    if r.op in ("==", "!=") and isinstance(r.left, Mod) and r.right == 1:
        return _solved(r)
    op, gap = r.op, expand(r.left - r.right)
    if op in ("<", ">"):
        op, gap = ("<=", gap + 1) if op == "<" else (">=", gap - 1)
    terms = [t for t in Add.make_args(gap) if t != 0]
    if not any(t.free_symbols for t in terms):
        return None
    constant = sum((int(t) for t in terms if t.is_Integer), 0)
    rest = [t for t in terms if not t.is_Integer]
    common = gcd(*[int(t.as_coeff_Mul()[0]) for t in rest])
    if constant % common and op in ("==", "!="):
        return None
    constant = -(-constant // common) if op == "<=" else constant // common
    rest = [as_expr(exact_quotient(t, Integer(common))) for t in rest]
    left = [t for t in rest if t.as_coeff_Mul()[0] > 0]
    right = [-t for t in rest if t.as_coeff_Mul()[0] < 0]
    if not left:
        op = {"<=": ">=", ">=": "<="}.get(op, op)
        left, right, constant = right, left, -constant
    if right and (op, constant) in (("<=", 1), (">=", -1)):  # over the integers
        op, constant = op[0], 0
    (right if constant < 0 else left).append(Integer(abs(constant)))
    relation = Relation(op, Add(*left), Add(*right))
    plain = _without_quotients(relation)
    return relation if plain is relation else tidy(plain)


def _at_least(r: Relation, parts: Parts) -> Relation:
    """`x <= 1` is `x == 1` where x is at least 1, and `x >= 2` says that it is not."""
    alone = isinstance(r.left, Symbol) and r.right.is_Integer and r.op == "<="
    if alone and parts.facts.domain(r.left.name).first == r.right:
        return Relation("==", r.left, r.right)
    return r


def _without_quotients(r: Relation) -> Relation:
    """`ceildiv(M, 8) <= 2` is `M <= 16`, and so on: over the integers, nothing is lost."""
    if not (isinstance(r.left, (FloorDiv, CeilDiv)) and r.right.is_Integer):
        return r
    x, t = r.left.args
    if not (t.is_Integer and t > 0):
        return r
    # x is in [right*t - t + 1, right*t] + below
    below = 0 if isinstance(r.left, CeilDiv) else t - 1
    match r.op:
        case "<=":
            return Relation("<=", x, r.right * t + below)
        case "<":
            return Relation("<=", x, (r.right - 1) * t + below)
        case ">=":
            return Relation(">", x, (r.right - 1) * t + below)
        case ">":
            return Relation(">", x, r.right * t + below)
    return r


def _multiple(a: Expr, b: Expr) -> bool:
    """Whether every term of a has b as a factor: then a % b is 0 wherever b is not."""
    factors = Mul.make_args(b)
    terms = [t for t in Add.make_args(expand(a)) if t != 0]
    return all(all(f in Mul.make_args(t) for f in factors) for t in terms)


def _coprime(e: Expr) -> Expr:
    """`(4*N) % 128` is 0 where `N % 32` is."""
    x, t = e.args
    if not t.is_Integer:
        return e
    content, rest = content_of(expand(x))
    if not (content.is_Integer and content > 1):
        return e
    return Mod(rest, t // gcd(int(content), int(t)))


def _solved(r: Relation) -> Relation:
    """`(3*P + 1) % 8 == 0` is `P % 8 == 5`, what the one size leaves."""
    x, m = r.left.args if isinstance(r.left, Mod) else (r.left, r.left)
    constant, rest = expand(x).as_coeff_Add()
    factor, size = rest.as_coeff_Mul()
    if not (m.is_Integer and m > 1 and isinstance(size, Symbol)) or (constant == 0 and factor == 1):
        return r
    if gcd(int(factor), int(m)) != 1:
        return r
    left = (int(r.right) - int(constant)) * pow(int(factor), -1, int(m)) % int(m)
    return Relation(r.op, Mod(size, m), Integer(left))


def reduction(e: Expr) -> Expr:
    """The expression without the quotients that leave no remainder: `ceildiv(32*N, 8)` is `4*N`.

    What is rounded down from one less is written as rounded up: `(N - 1)//8` is `ceildiv(N, 8) - 1`.
    """
    if not e.args:
        return e
    result: Expr = e.func(*[reduction(a) for a in e.args])
    if isinstance(result, FloorDiv) and result.args[1].is_Integer and result.args[1] > 1:
        constant, rest = expand(result.args[0]).as_coeff_Add()
        if constant == -1 and rest.is_Symbol:
            return CeilDiv(rest, result.args[1]) - 1
    if isinstance(result, (FloorDiv, CeilDiv)) and result.args[1].is_Integer:
        content, rest = content_of(expand(result.args[0]))
        if content.is_Integer and content % result.args[1] == 0:
            return expand(content // result.args[1] * rest)
    return result


def cost(r: Relation) -> int:
    """How long a relation is: symbols, those on both sides above all, operations, numbers."""
    pairs = zip(count_operations(r.left), count_operations(r.right))
    divisions, operations = map(sum, pairs)
    twice = r.left.free_symbols & r.right.free_symbols
    result = 4 + 3 * operations + divisions + len(r.names) + 5 * len(twice)
    result += COMMON if r.left.has(Gcd) or r.right.has(Gcd) else 0  # residues say it more plainly
    return result + {"==": 0, "<=": 1, ">=": 1, "!=": 4}.get(r.op, 2)


# -- where assignments are looked for -------------------------------------------------------------


def marks(parts: Parts) -> dict[str, list[int]]:
    """For each symbol the numbers of the claim, those that it is divided by first, and beside them."""
    own: dict[str, dict[int, None]] = {n: {} for n in parts.names}
    every: dict[int, None] = {}
    blocks = [(x, t) for x, t, _ in parts.exchanges()]
    for x, t in (*blocks, *parts.nested(), *parts.divisions()):
        inside = [n for e in _without_coordinates(x, parts) for n in free_names(e) if n in own]
        if t.is_Integer and 2 <= t < 1 << 12:
            every.setdefault(int(t))
            for n in inside:
                own[n].setdefault(int(t))
    for e in parts.expressions:
        for k in sorted(e.atoms(Integer), key=int):
            if 2 <= abs(k) < 1 << 12:
                every.setdefault(abs(int(k)))
    return {n: _beside(list(divisors), list(every)) for n, divisors in own.items()}


def _beside(divisors: list[int], every: list[int]) -> list[int]:
    """The divisors, what lies beside them, twice of each, then the same of all numbers."""
    hits = [*divisors, *[k + d for k in divisors for d in (1, -1)], *[2 * k for k in divisors]]
    hits += [k + d for k in every for d in (0, 1, -1)]
    return list(dict.fromkeys(hits))[:MARKS]
