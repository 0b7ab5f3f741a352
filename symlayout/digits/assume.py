"""Facts into a context: by substitution where they can be, else as constraints.

`N % 128 == 0` makes N = 128*n, `S >= N` makes S = N + s with s >= 0, `K == 2*N` removes K; ranges go
to the atoms; every other relation stays as a polynomial that is >= 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, reduce
from math import gcd

from symlayout.digits.atoms import in_brackets
from symlayout.digits.bounds import Meter
from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import Poly, atom, monomial_gcd, rounded
from symlayout.digits.samples import behind, by_dependence, operation, placed, sample
from symlayout.expr.facts import SIDES, Domain, Facts, Relation
from symlayout.expr.terms import Application, Mod
from symlayout.expr.tree import Add

FAR = 1 << 40  # how far a size is looked at that no number bounds


def assume(
    ctx: Context,
    facts: Facts,
    names: Iterable[str],
    kinds: dict[str, str],
    between: Callable[[], None] = lambda: None,
) -> None:
    """Makes the symbols `names` under the facts; `kinds` names those that are coordinates.

    What is made known `between` comes before inequalities that divide, whose quotients it may decide.
    """
    order = list(dict.fromkeys([*names, *sorted(facts.names)]))
    for name in order:
        _declare(ctx, name, facts.domain(name), kinds.get(name, "size"))
    rows = sorted((r for r in facts.parts if not r.in_domain), key=_rank)
    early = [r for r in rows if not _is_late(r)]
    if ctx.ends:
        exact = _assume_all(ctx, [r for r in early if r.op == "=="], kinds)
        early = [*exact, *_untied(ctx, [r for r in early if r.op != "=="])]
    pending = _assume_all(ctx, early, kinds)
    between()
    ctx.dropped = _assume_all(ctx, [*pending, *filter(_is_late, rows)], kinds)
    if not ctx.contradiction:
        sample(ctx)
        _single_values(ctx)


def _single_values(ctx: Context) -> None:
    """A size that facts leave no value but its least one: `a*d + b <= d` says so of a, for b >= 1."""
    for number in ctx.by_name.values():
        info = ctx.atoms[number]
        if info.kind != "size" or info.low is None or number in ctx.replaced or not ctx.samples:
            continue
        same = all(point.get(number) == info.low for point in ctx.samples)
        if same and ctx.nonneg(info.low - atom(number)):
            ctx.replace(number, Poly.of(info.low))


def context_of(
    facts: Facts,
    names: Iterable[str],
    kinds: dict[str, str] | None = None,
    meter: Meter | None = None,
) -> Context:
    """A context of these symbols under the facts, as `assume` makes them.

    The meter counts what making it takes, whether it is remembered or not.
    """
    known = untouched(facts, tuple(names), tuple((kinds or {}).items()))
    result, result_meter = known.fork(), meter or Meter()
    result_meter.terms += known.meter.terms
    result.meter = result_meter
    return result


@lru_cache(maxsize=256)  # many claims, and all accesses of a kernel, are under the same facts
def untouched(facts: Facts, names: tuple[str, ...], kinds: tuple[tuple[str, str], ...]) -> Context:
    """A context of these symbols under the facts, not to be changed; its meter has what it took."""
    ctx = Context()
    assume(ctx, facts, names, dict(kinds))
    return ctx


def _assume_all(
    ctx: Context, relations: Sequence[Relation], kinds: dict[str, str]
) -> list[Relation]:
    """Takes the facts; those that are left over, because a divisor is not known to be positive."""
    pending, before = list(relations), len(relations) + 1
    while len(pending) < before:  # once more, with what other facts say of the divisors
        before, waiting = len(pending), pending
        pending = []
        for relation in waiting:
            try:
                _apply(ctx, relation, kinds)
            except Undecided:
                pending.append(relation)
    return pending


def _is_late(r: Relation) -> bool:
    """Whether it compares quotients, remainders or extremes by more than equality."""
    return r.op != "==" and (r.left.has(Application) or r.right.has(Application))


def sample_sizes(facts: Facts, names: Sequence[str]) -> list[dict[str, int]]:
    """Some sizes that satisfy the facts, spread far: for facts that the smallest do not satisfy.

    >>> sample_sizes(Facts.read(["B >= 512", "N >= B"]), ["B", "N"])[0]
    {'B': 512, 'N': 1543}
    """
    return [s for s in context_of(facts, names).sampled_sizes(names) if facts.holds(s)]


def _rank(r: Relation) -> tuple[int, bool, int, bool]:
    """When a fact is taken: what replaces symbols comes before what splits them, however listed.

    Products come before sums: those bound their factors, these write one size as another and more.
    """
    order = {"==": 1, ">=": 2, "<=": 2, ">": 2, "<": 2, "!=": 3}[r.op]
    if r.op == "==" and any(isinstance(side, Mod) for side in (r.left, r.right)):
        order = 0
    terms = (*Add.make_args(r.left), *Add.make_args(r.right))
    divided = r.left.has(Application) or r.right.has(Application)
    return order, divided, len(r.names), all(len(t.free_symbols) < 2 for t in terms)


def _declare(ctx: Context, name: str, domain: Domain, kind: str) -> None:
    if name in ctx.by_name:
        return
    if domain.empty:
        ctx.contradiction = True
        return
    last = domain.last
    if last is not None and last == domain.first:
        ctx.by_name[name] = ctx.new_atom(name, kind, last, Poly.of(last))
        ctx.replace(ctx.by_name[name], Poly.of(last))
        return
    if domain.modulus == 1:
        ctx.symbol(name, domain.low, None if last is None else Poly.of(last), kind)
        return
    m, c = domain.modulus, domain.residue
    high = None if last is None else Poly.of(last)
    ctx.by_name[name] = ctx.new_atom(name, kind, domain.first, high)
    low = (domain.first - c) // m
    high = None if last is None else Poly.of((last - c) // m)
    definition = ("multiple", ctx.by_name[name], m, c)
    n = ctx.new_atom(f"{name}//{m}", kind, low, high, definition=definition)
    ctx.replace(ctx.by_name[name], m * atom(n) + c)


def _apply(ctx: Context, r: Relation, kinds: dict[str, str]) -> None:
    if r.op == "==" and _apply_divisibility(ctx, r):
        return
    if r.op in SIDES:
        _inequality(ctx, _margin(ctx, r), _is_late(r))
        return
    difference = ctx.poly(r.left) - ctx.poly(r.right)
    if r.op == "==":
        _equality(ctx, difference)
        return
    difference = ctx.resolve(difference)
    if not difference.terms:
        ctx.contradiction = True
    ctx.nonzero.append(difference)


def _margin(ctx: Context, r: Relation) -> Poly:
    """What is at least 0 exactly where an inequality holds."""
    (sign, shift), left, right = SIDES[r.op], ctx.poly(r.left), ctx.poly(r.right)
    return (left - right if sign > 0 else right - left) - shift


def _apply_divisibility(ctx: Context, r: Relation) -> bool:
    """`x % T == 0` for a symbol x and a positive T without x: x = T*n."""
    for a, b in ((r.left, r.right), (r.right, r.left)):
        if not (isinstance(a, Mod) and b == 0):
            continue
        x, d = ctx.poly(a.args[0]), ctx.poly(a.args[1])
        if d.is_constant and not x.is_constant and d.constant > 0:
            g = gcd(*x.terms.values())  # g*y % d == 0 exactly when y % (d / gcd(g, d)) == 0
            d, x = Poly.of(d.constant // gcd(g, d.constant)), x.exact(Poly.of(g)) or x
            if d == 1:
                return True
        if x.is_constant and x.constant > 0 and not d.is_constant and ctx.positive(d):
            q, rest = ctx.divmod(x, d)
            _equality(ctx, rest)
            ctx.multiples.append((x.constant, d, q))
            return True
        number = x.single()
        if number is None or number in behind(ctx, d) or not ctx.positive(d):
            return False
        info = ctx.atoms[number]
        if info.low is None or info.low < 0 or ctx.roots.get(number) or info.root is not None:
            return False
        low = -(-info.low // d.constant) if d.is_constant else min(info.low, 1)
        high = None
        if info.high is not None and d.is_constant and ctx.resolve(info.high).is_constant:
            high = Poly.of(ctx.resolve(info.high).constant // d.constant)
        name = f"{info.name}//{in_brackets(ctx.text(d))}"
        kind = "size" if info.kind in ("quotient", "extreme", "bits", "operator") else info.kind
        n = ctx.new_atom(name, kind, low, high, definition=("factor", number, d))
        ctx.replace(number, d * atom(n))
        if info.high is not None and high is None:
            ctx.constraints.append(ctx.resolve(info.high - atom(number)))
        if info.low > 1 and not d.is_constant:
            ctx.constraints.append(ctx.resolve(atom(number) - info.low))
        return True
    return False


def _free(ctx: Context, number: int) -> bool:
    """Whether the atom can be replaced: a plain symbol that no bound and no digit speaks of."""
    info = ctx.atoms[number]
    if info.root is not None or info.low is None or number in ctx.replaced:
        return False
    return not any(a.high is not None and number in ctx.resolve(a.high).atoms for a in ctx.atoms)


def _equality(ctx: Context, p: Poly) -> None:
    """p == 0: an atom that stands alone with coefficient 1 or -1 is replaced."""
    p = ctx.resolve(p)
    if p.is_constant:
        ctx.contradiction = ctx.contradiction or p.constant != 0
        return
    g = gcd(*[c for m, c in p.terms.items() if m])
    if p.constant % g:
        ctx.contradiction = True
        return
    p = Poly({m: c // g for m, c in p.terms.items()})
    factor = Poly({reduce(monomial_gcd, [m for m in p.terms if m]): 1})
    if p.constant and not factor.is_constant and ctx.nonneg(factor - 1 - abs(p.constant)):
        ctx.contradiction = True  # a multiple of more than the number, and that number
        return
    for m, c in sorted(p.terms.items(), key=lambda t: t[0], reverse=True):
        if len(m) == 1 and abs(c) == 1 and _free(ctx, m[0]):
            rest = Poly({k: v for k, v in p.terms.items() if k != m})
            if m[0] in behind(ctx, rest):
                continue
            info = ctx.atoms[m[0]]
            ctx.replace(m[0], -c * rest)
            value = ctx.resolve(atom(m[0]))
            assert info.low is not None
            ctx.constraints.append(value - info.low)
            if info.high is not None:
                ctx.constraints.append(ctx.resolve(info.high) - value)
            return
    ctx.constraints += [p, -p]


def _inequality(ctx: Context, p: Poly, late: bool) -> None:
    """p >= 0: bounds an atom, or makes `x = rest + slack`, or stays a constraint.

    Whether it says something new of quotients takes long to decide in digits: a point may show it.
    """
    p = ctx.resolve(p)
    if p.is_constant:
        ctx.contradiction = ctx.contradiction or p.constant < 0
        return
    p = rounded(p)
    if not (late and _is_below_0_far_away(ctx, p)) and ctx.nonneg(p):
        return
    alone = sorted(((m[0], c) for m, c in p.terms.items() if len(m) == 1), reverse=True)
    for x, c in alone:
        if c == -1 and _unbounded(ctx, x):
            rest = p + atom(x)
            if x not in behind(ctx, rest):  # not even through bounds of its own atoms
                ctx.bound_above(x, rest)
                return
    for x, c in alone:
        if c == 1 and ctx.atoms[x].kind == "size" and _free(ctx, x):
            least = atom(x) - p
            if x not in behind(ctx, least):
                _slack(ctx, x, least)
                return
    ctx.constraints.append(p)
    ctx.constraints += _factor_bounds(ctx, p)


def _is_below_0_far_away(ctx: Context, p: Poly) -> bool:
    """Whether it is where sizes are as large as they may be, and what divides as small."""
    order = by_dependence(ctx)
    divisors: set[int] = set()
    for n in reversed(order):
        parts = operation(ctx, n)[1 if n in divisors else 2 :]
        divisors.update(*[ctx.resolve(q).atoms for q in parts])
    points: list[tuple[int, dict[int, int]]] = [(0, {})]
    for n in order:
        info = ctx.atoms[n]
        if operation(ctx, n) or info.kind != "size":
            points = placed(ctx, points, n)
        elif points:
            point = points[0][1]
            high = None if info.high is None else ctx.resolve(info.high).value(point)
            low = info.low or 0
            point[n] = low if n in divisors else low + FAR if high is None else high
    known = map(ctx.resolve, ctx.constraints)
    return any(p.value(at) < 0 and all(c.value(at) >= 0 for c in known) for _, at in points)


def _factor_bounds(ctx: Context, p: Poly) -> list[Poly]:
    """`k - x*y >= 0` gives `k - x >= 0`: all are at least 0, and what x is multiplied by at least 1."""
    lows = {a: ctx.atoms[a].low for a in p.atoms}
    falling = all(c < 0 for m, c in p.terms.items() if m)
    if not falling or any(low is None or low < 0 for low in lows.values()):
        return []
    hits: dict[Poly, None] = {}
    for m, c in p.terms.items():
        for x in dict.fromkeys(m) if len(m) > 1 else ():
            weight = -c
            for y in (*m[: m.index(x)], *m[m.index(x) + 1 :]):
                weight *= lows[y] or 0
            if weight:
                hits[p.constant // weight - atom(x)] = None
    return list(hits)


def _unbounded(ctx: Context, number: int) -> bool:
    """Whether it is a symbol that counts from 0 (a coordinate) and has no upper bound yet."""
    info = ctx.atoms[number]
    return info.kind == "coord" and info.high is None and info.root is None


def _untied(ctx: Context, relations: Sequence[Relation]) -> list[Relation]:
    """Takes the facts that tie a size to one that ends at a number, and leaves the others.

    In whatever order they stand: what a tie bounds ends at a number as well.
    """
    waiting, before = list(relations), len(relations) + 1
    while len(waiting) < before:
        before = len(waiting)
        waiting = [r for r in waiting if not _tie(ctx, r)]
    return waiting


def _tie(ctx: Context, r: Relation) -> bool:
    """Takes `end - k*x >= 0` for a size x, where the end is at most a number: x ends there.

    As `end = x + slack` the number would only be known of the sum, not of products.
    """
    if r.op not in SIDES or len(r.names) < 2:
        return False
    p = rounded(ctx.resolve(_margin(ctx, r)))
    for x in sorted(p.atoms):
        k, info = -p.terms.get((x,), 0), ctx.atoms[x]
        end = p + k * atom(x)
        top = _top(ctx, end) if k > 0 and x not in behind(ctx, end) else None
        if top is None or info.kind != "size" or info.root is not None:
            continue
        ctx.tied = True
        if info.high is not None or k > 1:
            ctx.constraints.append(p)
        if info.high is None:
            ctx.bound_above(x, end if k == 1 else Poly.of(top // k))
        return True
    return False


def _top(ctx: Context, end: Poly) -> int | None:
    """The number that a multiple of a size is at most, None where there is none."""
    while not end.is_constant:
        other, factor = (end - end.constant).multiple()
        bound = None if other is None else ctx.high(other)
        if bound is None or ctx.is_coordinate(other or 0):
            return None
        end = factor * bound + end.constant
    return end.constant


def _slack(ctx: Context, number: int, least: Poly) -> None:
    """x >= least for a size that is free: x = least + slack with slack >= 0."""
    info = ctx.atoms[number]
    name = f"{info.name} - {in_brackets(ctx.text(least))}"
    slack = ctx.new_atom(name, "size", 0, None, definition=("slack", number, least))
    ctx.replace(number, least + atom(slack))
    value = ctx.resolve(atom(number))
    assert info.low is not None
    if not ctx.nonneg(value - info.low):
        ctx.constraints.append(value - info.low)
    if info.high is not None:
        ctx.constraints.append(ctx.resolve(info.high) - value)
