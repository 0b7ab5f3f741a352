"""What the digits do not decide, and the moves that decide it.

A sign that is not known is that of a sum: where a coordinate has a plain slope in it, the domain is
cut at the coordinate's threshold; where only sizes are in it, the sizes are told apart.  A quotient
that stands open wants its coordinate in digits, or its size divided by the divisor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from symlayout.digits.context import Context, Undecided
from symlayout.digits.poly import ONE, ZERO, Poly, atom, monomial_gcd
from symlayout.digits.samples import behind
from symlayout.expr.conditions import Less
from symlayout.expr.printing import sort_key
from symlayout.expr.terms import BITS, CeilDiv, FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Integer, Symbol, expand
from symlayout.prove.maps.cases import Case, Move, Open, World, parts
from symlayout.prove.maps.renamed import turn
from symlayout.prove.maps.view import View


def decisions(view: View, values: Sequence[Expr] = ()) -> Iterator[Move | None]:
    """Moves that decide a quotient, a minimum, a maximum or a partial last block."""
    ctx, targets = view.ctx, set[int]()
    with suppress(Undecided):
        polys = view.polys(values or view.case.values)
        if view.case.ops:  # what is claimed comes before what is evaluated
            targets = targets.union(*[behind(ctx, p) for p in polys[-len(view.case.ops) :]])
    numbers = [n for n in range(len(ctx.atoms)) if n not in ctx.replaced]
    # an extreme is one of two numbers, but what a quotient is takes a division of sizes
    late = {n for n in numbers if ctx.atoms[n].kind == "quotient" and view.case.ops}
    numbers.sort(key=lambda n: (n not in targets, n in late))
    later: list[Open] = []
    for varying in (True, False):
        for n in numbers:
            info = ctx.atoms[n]
            if view.coordinate(n) != varying or info.kind not in ("quotient", "extreme"):
                continue
            try:
                word, p, d = info.definition[:3]
                yield quotient(view, p, d) if word == "//" else side(view, ctx.resolve(p - d))
            except Open as why:
                if why.move is None:
                    continue
                later.append(why)
                break
        for n in sorted(ctx.roots) if varying else ():
            if ctx.is_coordinate(n) and n in view.symbols:
                try:
                    yield digits(view, n)
                except Open as why:
                    later.append(why)
        if later:
            raise later[0]


def sign(view: View, gap: Poly) -> Move | None:
    """What decides whether a polynomial is above 0."""
    ctx = view.ctx
    for a in sorted(gap.atoms):
        move = inner(view, a)
        if move is not None:
            return move
    coords = [a for a in sorted(gap.atoms) if ctx.is_coordinate(a)]
    if not coords:
        if view.plain(gap):
            raise Open(f"whether {ctx.text(gap)} > 0", ("sizes", view.expr(gap - 1)))
        return None
    if view.case.ops and len(coords) > 1:
        bits = any(e.has(*BITS) for e in view.case.results)  # of which each case has as many
        for x in coords if not bits else ():  # of two values each is a case
            if x in view.symbols and view.extent(x) == 2:
                return ("cut", view.symbols[x], Integer(1))
        return None  # a condition that is known is as good as a cut
    polys: list[Poly] = []
    fixed = constant_part(view, gap)
    move = merge(view, gap) if size_in(ctx, fixed) is None else None
    if move is not None:  # no size of its own, whose division would decide it
        return move
    for x in coords:
        parts = gap.by_power(x)
        if x not in view.symbols or max(parts) > 1 or not view.plain(parts[1]):
            continue
        slope = parts[1]
        scale = slope if ctx.positive(slope) else -slope
        if not ctx.positive(scale):
            continue
        move = whole_steps(view, fixed, scale)
        if move is not None:
            raise Open(f"whether {ctx.text(gap)} > 0", move)
        if not in_steps(view, fixed, scale):
            continue
        for at in thresholds(view, slope, fixed):
            size = view.extent(x)
            if at in (ZERO, size) or ctx.nonneg(-at) or ctx.nonneg(at - size):
                continue
            if not view.plain(at):
                continue
            missing = [p for p in (at, size - at) if not view.at_least(p, scale)]
            if not missing:
                return ("cut", view.symbols[x], view.expr(at))
            polys += missing if scale == ONE else []
    if polys:
        raise Open(f"whether {ctx.text(gap)} > 0", ("sizes", view.expr(polys[0])))
    return merge(view, gap)


def side(view: View, gap: Poly) -> Move | None:
    """The same for the operands of an extreme: of single points, both sides are cases of their own."""
    move = sign(view, gap)
    open_parts = any(view.coordinate(a) and a not in view.symbols for a in gap.atoms)
    if move is not None or not view.case.ops or open_parts:
        return move
    none, e, one = Integer(0), view.expr(gap), Integer(1)
    known = any(c in (Less(none, e), Less(e, one)) for c in view.case.premises)
    return None if known else ("if", none, e)


def constant_part(view: View, p: Poly) -> Poly:
    """The terms without a coordinate."""
    is_coordinate = view.ctx.is_coordinate
    return Poly({m: c for m, c in p.terms.items() if not any(map(is_coordinate, m))})


def without_marks(e: Expr) -> Expr:
    """The expression without remainders of 0, which say that their divisors are none."""
    return e.xreplace({m: Integer(0) for m in e.atoms(Mod) if m.args[0] == 0})


def in_line(view: View, x: int, z: int, whole: Expr, size: Expr) -> Move | None:
    """The same, where only the results in digits speak of nothing else."""
    old = view.symbols[x], view.symbols[z]
    if view.case.ops or not all(map(view.removable, old)):
        return None
    y = view.new(x)
    put = {old[1]: expand(y + old[1] - whole)}
    results = [expand(view.expr(q).xreplace(put)) for q in view.reached()]
    if any(e.has(*old) for e in results):
        return None
    return ("renamed", "blocks", old, y, size, whole, *results)


def merge(view: View, p: Poly) -> Move | None:
    """Two coordinates as one, of which they are the digits: `x*c + z` for z < c."""
    hits = [a for a in sorted(p.atoms) if a in view.symbols and max(p.by_power(a)) == 1]
    slopes = {a: p.by_power(a)[1] for a in hits}
    for z, slope in slopes.items():
        step = view.extent(z)
        x = next((a for a in hits if a != z and slopes[a] == slope * step), None)
        if x is None or not all(view.plain(view.extent(a)) for a in (x, z)):
            continue
        names, own = [view.symbols[a] for a in (x, z)], set(view.case.coords)
        if names[1].name == f"{names[0].name}r":
            continue  # digits that a move has just made
        sizes = [view.case.shape[view.case.coords.index(c)] for c in names]
        if not all(own.isdisjoint(d.free_symbols) for d in sizes):
            continue
        marked = next((c for c, d in zip(names, sizes) if without_marks(d) != d), None)
        if marked is not None:
            return ("extent", marked, without_marks(sizes[names.index(marked)]))
        move: Move | None = ("merge", *names, view.new(x))
        assert move is not None
        (case,) = parts(view.case, move)
        if any(e.has(*names) for e in case.expressions):
            whole = sizes[1] * names[0] + names[1]
            move = in_line(view, x, z, whole, sizes[0] * sizes[1])
        if move is None:
            continue
        for a in sorted(step.atoms):
            call = name_move(view, a) if view.ctx.atoms[a].kind == "quotient" else None
            if call is not None:
                raise Open(f"two coordinates as one of {view.ctx.text(step)} each", call)
        return move
    return None


def whole_steps(view: View, fixed: Poly, step: Poly) -> Move | None:
    """What writes a sum of sizes as a multiple of a step and less than one."""
    ctx = view.ctx
    if step == ONE:
        return None
    for a in sorted(step.atoms):
        if ctx.atoms[a].kind == "quotient":
            return name_move(view, a)
    if in_steps(view, fixed, step):
        return None
    s = size_in(ctx, fixed.reduce(step)[1])
    return None if s is None else division_move(view, s, step)


def in_steps(view: View, fixed: Poly, step: Poly) -> bool:
    """Whether the sum is written as a multiple of the step and less than one."""
    rest = fixed.reduce(step)[1]
    return step == ONE or any(view.ctx.in_range(rest + step * k, step) for k in (0, 1))


def name_move(view: View, number: int) -> Move | None:
    """A name for a quotient of sizes, with what it is known for."""
    ctx = view.ctx
    _, p, d = ctx.atoms[number].definition
    p, d = ctx.resolve(p), ctx.resolve(d)
    low = ctx.atoms[number].low
    if not (view.plain(p) and view.plain(d)) or number in ctx.replaced:
        return None
    e, c = view.expr(atom(number)), view.world.fresh("c", view.case)
    if not isinstance(e, (FloorDiv, CeilDiv)) or not any(r.has(e) for r in view.world.expressions):
        return None
    return ("call", c, e, low if low and low > 0 else 0)


def thresholds(view: View, slope: Poly, fixed: Poly) -> Iterator[Poly]:
    """Where `slope*x + fixed > 0` may change."""
    ctx = view.ctx
    if ctx.positive(slope):
        q, _ = (-fixed).reduce(slope)
        if slope.is_constant:
            q = Poly.of((-fixed).constant // slope.constant) if fixed.is_constant else q
        yield from (q + 1,) if slope == ONE else (q + 1, q)
    elif ctx.positive(-slope):
        q, _ = fixed.reduce(-slope)
        if fixed.is_constant and slope.is_constant:
            q = Poly.of(-(-fixed.constant // -slope.constant))
            yield from (q, q - 1)
            return
        yield from (q,) if slope == -ONE else (q, q + 1)


def inner(view: View, number: int) -> Move | None:
    """What an atom that is not a plain coordinate or size wants first."""
    ctx = view.ctx
    info = ctx.atoms[number]
    if info.kind == "quotient":
        _, p, d = info.definition
        return quotient(view, p, d)
    if info.kind == "extreme":
        _, a, b = info.definition
        return side(view, ctx.resolve(a - b))
    if info.kind == "window":
        return digits(view, info.definition[0])
    if ctx.is_coordinate(number) and info.root is not None and info.root != number:
        return digits(view, info.root)
    return None


def quotient(view: View, p: Poly, d: Poly) -> Move | None:
    """What decides `p // d`."""
    ctx = view.ctx
    p, d = ctx.resolve(p), ctx.resolve(d)
    for a in [*sorted(d.atoms), *sorted(p.atoms)]:
        if ctx.atoms[a].kind in ("quotient", "extreme", "window") or a not in view.symbols:
            move = inner(view, a) if view.coordinate(a) or ctx.atoms[a].kind == "extreme" else None
            if move is not None:
                return move
    if not view.plain(d):
        return None
    coords = [a for a in sorted(p.atoms) if a in view.symbols]
    if not coords:
        s = size_in(ctx, p)
        if s is not None:
            move = division_move(view, s, d)
            if move is not None:
                raise Open(f"{ctx.text(p)} divided by {ctx.text(d)}", move)
        return None
    for x in coords:
        parts = p.by_power(x)
        if max(parts) == 1 and parts[1] in (ONE, -ONE) and view.extent(x) == d:
            turns = turn(view, x, p, d)
            if turns is not None:
                return turns
    if d.is_constant:
        for x in coords:
            move = split(view, x, d)
            if move is not None:
                return move
    for x in coords:
        parts = p.by_power(x)
        rest = parts.get(0, ZERO)
        if max(parts) == 1 and parts[1] in (ONE, -ONE) and view.plain(rest):
            r = rest.reduce(d)[1]
            at = d - r if parts[1] == ONE else r + 1
            size = view.extent(x)
            if at in (ZERO, size) or ctx.nonneg(-at) or ctx.nonneg(at - size):
                continue
            if view.at_least(at) and view.at_least(size - at):
                return ("cut", view.symbols[x], view.expr(at))
            s = size_in(ctx, r)
            move = None if s is None else division_move(view, s, d)
            if move is not None:
                raise Open(f"{ctx.text(p)} divided by {ctx.text(d)}", move)
    return merge(view, p)


def size_in(ctx: Context, p: Poly) -> int | None:
    """A size that is a term of its own, with the coefficient 1 or -1."""
    for m, c in sorted(p.terms.items()):
        named = len(m) == 1 and ctx.by_name.get(ctx.atoms[m[0]].name) == m[0]
        if named and abs(c) == 1 and ctx.atoms[m[0]].kind == "size":
            return m[0]
    return None


def division_move(view: View, size: int, d: Poly) -> Move | None:
    """The move of the world that divides a size."""
    ctx = view.ctx
    d = ctx.resolve(d)
    if not view.plain(d) or size in behind(ctx, d) or d == ONE or not ctx.positive(d):
        return None
    if size in ctx.replaced or not all(ctx.by_name.get(ctx.atoms[a].name) == a for a in d.atoms):
        return None
    world = view.world
    name = symbol(ctx.name(size))
    if name.name not in world.names:
        return None
    a = world.fresh("a", view.case)
    b = world.fresh("b", view.case)
    return ("divide", name, view.expr(d), a, b)


def division(world: World, ctx: Context, *cases: Case) -> Move | None:
    """A size that is divided in these cases, as a multiple of the divisor and less than one."""
    fresh = [world.fresh(letter, *cases) for letter in "ab"]
    for e in [e for c in cases for e in (*c.shape, *c.results)]:
        for q in sorted(e.atoms(FloorDiv, Mod), key=sort_key):
            x, d = q.args
            if not (isinstance(x, Symbol) and x.name in world.names) or d.has(x):
                continue
            own = {s.name for s in d.free_symbols} <= {*world.names}
            if own and ctx.positive(ctx.poly(d)) and ctx.nonneg(ctx.poly(x)):
                return ("divide", x, d, *fresh)
    return None


def digits(view: View, x: int) -> Move | None:
    """The coordinate in the digits that divisions split it into."""
    ctx = view.ctx
    root = ctx.roots.get(x)
    if root is None or x not in view.symbols:
        return None
    plain = [w for w in map(ctx.resolve, root.weights[1:]) if view.plain(w)]
    return split(view, x, plain[0]) if plain else None


def split(view: View, x: int, d: Poly) -> Move | None:
    """The coordinate as d*high + low, cut before a partial last block."""
    ctx = view.ctx
    size = view.extent(x)
    if not view.plain(d) or not view.plain(size) or x not in view.symbols:
        return None
    if not ctx.positive(d) or ctx.nonneg(d - size):
        return None
    c = view.symbols[x]
    count = size.exact(d)
    if count is not None:
        if count.is_constant and count.constant <= 1:
            return None
        high = view.world.fresh(f"{c.name.strip('$')}_", view.case)
        low = symbol(f"{high.name}r")
        return ("digits", c, view.expr(d), view.expr(count), high, low)
    q, rest = size.reduce(d)
    if d.is_constant and size.is_constant:
        q = Poly.of(size.constant // d.constant)
    at = q * d
    if at.terms and at != size and view.at_least(at) and view.at_least(size - at):
        return ("cut", c, view.expr(at))
    for p in (rest, size):
        for m, k in sorted(p.terms.items()):
            mono, number = m, abs(k)
            for n in d.terms:
                mono = monomial_gcd(mono, n)
            g = Poly({mono: 1})
            s, t = Poly({m: number}).exact(g), d.exact(g)
            if s is None or t is None:
                continue
            for a in dict.fromkeys(a for n in s.terms for a in n):
                move = division_move(view, a, t)
                if move is not None:
                    raise Open(f"{ctx.text(size)} divided by {ctx.text(d)}", move)
    return None
