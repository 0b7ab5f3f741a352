"""Which move a case needs next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import reduce
from typing import Any

from symlayout.digits import powers
from symlayout.digits.context import Undecided
from symlayout.digits.placement import CARRIES
from symlayout.digits.poly import ONE, ZERO, Poly
from symlayout.expr.conditions import Either, Less
from symlayout.expr.printing import sort_key
from symlayout.expr.terms import (
    BitAnd,
    BitOr,
    BitXor,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    Operation,
    Where,
    free_names,
    symbol,
)
from symlayout.expr.tree import Expr, Integer, Mul, expand
from symlayout.prove.maps.bits import POWERS
from symlayout.prove.maps.cases import Case, Move, Open, World, parts
from symlayout.prove.maps.renamed import (
    blocks,
    exclusive,
    exclusive_as_written,
    operands_of,
    turn_as_written,
)
from symlayout.prove.maps.unsettled import decisions, division, inner, sign
from symlayout.prove.maps.view import View
from symlayout.prove.maps.words import same_bits

Rule = Callable[[View, Expr, Expr, Expr, Poly, Poly], Move | None]


def outermost(expressions: Sequence[Expr]) -> Expr | None:
    """The first conditional that stands in no branch alone, and has none in its condition."""

    def in_branch(w: Expr, o: Expr) -> bool:
        """Whether it is evaluated where that branch of the other one is."""
        branches, sides = o.args[2:], o.args[:2]
        return any(b.has(w) for b in branches) and not any(e.has(w) for e in sides)

    for e in expressions:
        hits: list[Expr] = sorted(e.atoms(Where), key=sort_key)
        plain = [w for w in hits if not (w.args[0].has(Where) or w.args[1].has(Where))]
        for w in plain:
            if not any(o is not w and in_branch(w, o) for o in hits):
                return w
    return None


# -- the next move ---------------------------------------------------------------------------------


def next_move(world: World, case: Case, settlement: Callable[[View], str]) -> Move | None:
    """What to do with a case; None where it is settled.  Raises `Open` where nothing is known."""
    for k, d in enumerate(case.shape):
        if d.has(Where):
            w = outermost([d])
            assert w is not None
            return ("if", w.args[0], w.args[1])
        if d.has(Operation):
            raise Open(f"the extent {d} has operations on bits")
        if (d.is_Integer and d <= 0) or _is_zero(world, d):
            return ("empty", case.coords[k])
    if case.guard:
        return guard_move(world, case)
    w = outermost(case.values)
    if w is not None:
        return ("if", w.args[0], w.args[1])
    view = View(world, case)
    move = same_bits(view) if case.ops else turn_as_written(view)
    move = move or bits_move(view, case.values)
    if move is not None:
        return move
    try:
        why = settlement(view)
    except Undecided as error:
        why = str(error)
    if not why:
        return some_values(view, settlement)
    hits = known_extreme(view) if case.ops else None
    hits = hits or dependent(view) or next((m for m in decisions(view) if m is not None), None)
    if hits is None and case.ops:
        hits = what_both_have(view)
    if hits is None:
        raise Open(why, (single(view) if why == CARRIES else None) or last_resort(view))
    return hits


def known_extreme(view: View) -> Move | None:
    """A minimum or maximum in a range as the operand that it is by the conditions of the case."""
    nodes = {n for d in view.case.shape for n in d.atoms(Min, Max) if len(n.args) == 2}
    for node in sorted(nodes, key=sort_key):
        a, b = view.polys(node.args)
        for e, gap in zip(node.args, (a - b, b - a)):
            if view.ctx.nonneg(gap if isinstance(node, Max) else -gap):
                return ("instead", node, e)
    return None


def last_resort(view: View) -> Move | None:
    """The division of a size by another one, where a range depends on both the quotient and more."""
    quotients = [e for e in view.case.shape if e.has(FloorDiv, CeilDiv, Mod)]
    return division(view.world, view.world.context(), view.case) if quotients else None


def single(view: View) -> Move | None:
    """A size of an extent that may be 1 and more: a stride along one place is none."""
    if not view.world.ones:
        return None
    own = {n for d in view.case.shape for n in free_names(d)} & {*view.world.names}
    for n in sorted(own):
        p = view.ctx.poly(symbol(n))
        if view.world.facts.domain(n).first == 1 and not view.ctx.nonneg(p - 2):
            return ("sizes", symbol(n) - 2)
    return None


def what_both_have(view: View) -> Move | None:
    """`a | b` as `a + b - (a & b)`, `a ^ b` alike, so that they may cancel; a coordinate for `a & b`.

    `a & b` with the complement of b is what that leaves of a.
    """
    nodes = {n for e in view.case.results for n in e.atoms(BitAnd, BitOr, BitXor)}
    plain = [n for n in sorted(nodes, key=str) if not any(a.has(Operation) for a in n.args)]
    for node in plain:
        x, y = node.args
        if not isinstance(node, BitAnd):
            result = x + y - (1 if isinstance(node, BitOr) else 2) * BitAnd(x, y)
            return ("bits", "both", node, y, 2, result)
        for a, b in ((x, y), (y, x)):
            if b.could_extract_minus_sign():
                return ("bits", "both", node, b, 2, a - BitAnd(a, expand(-b - 1)))
    for node in plain:
        fits = map(view.ctx.nonneg, view.polys(list(node.args)))
        which = "".join(str(k) for k, fit in enumerate(fits) if fit)
        if which:
            return ("common", node, view.world.fresh("v", view.case), which)
    return None


def _is_zero(world: World, d: Expr) -> bool:
    """Whether a factor of an extent is a size that the facts let be nothing but 0, or 0 divided."""
    if any(isinstance(f, (CeilDiv, FloorDiv)) and f.args[0] == 0 for f in Mul.make_args(d)):
        return True
    ends = (world.facts.domain(f.name) for f in Mul.make_args(d) if f.is_Symbol)
    return any(e.first == 0 == e.last for e in ends)


def dependent(view: View) -> Move | None:
    """A range that speaks of another coordinate, made a range of sizes."""
    if all(view.plain(p) for p in view.sizes):
        return None if view.case.ops else constant_extent(view)
    move = blocks(view)
    if move is not None or view.case.ops:
        return move
    ctx = view.ctx
    for x, p in zip(view.coords, view.sizes):
        if view.plain(p):
            continue
        for a in sorted(p.atoms):
            parts = p.by_power(a)
            if ctx.is_coordinate(a) and max(parts) == 1 and view.plain(parts[1]):
                end = view.extent(a) - 1 if ctx.nonneg(parts[1]) else ZERO
                wide = ctx.resolve(parts.get(0, ZERO) + parts[1] * end)
                if view.plain(wide):
                    return ("widen", x, view.expr(wide))
    return None


def constant_extent(view: View) -> Move | None:
    """An extent that is written with other coordinates, and is the same for all of them."""
    own = set(view.coords)
    for x, d, p in zip(view.coords, view.case.shape, view.sizes):
        if not own.isdisjoint(d.free_symbols):
            return ("extent", x, view.expr(p))
    return None


def guard_move(world: World, case: Case) -> Move:
    """What to do with the first condition of a guard."""
    first = case.guard[0]
    if isinstance(first, Either):
        return ("or",)
    assert isinstance(first, Less)
    w = outermost([first.left, first.right])
    if w is not None:
        return ("if", w.args[0], w.args[1])
    view = View(world, case)
    if first.left.has(Operation) or first.right.has(Operation):
        move = bits_move(view, (first.left, first.right))
        if move is None:
            raise Open(f"whether {first}")
        return move
    try:
        left, right = view.polys([first.left, first.right])
    except Undecided as why:
        move = next((m for m in decisions(view, [first.left, first.right]) if m is not None), None)
        if move is None:
            raise Open(str(why)) from None
        return move
    gap = right - left
    if view.ctx.nonneg(gap - 1):
        return ("true",)
    if view.ctx.nonneg(-gap):
        return ("false",)
    gap = view.ctx.resolve(gap)
    if not case.ops and any(view.coordinate(a) and a not in view.symbols for a in gap.atoms):
        move = next((m for m in decisions(view, [first.left, first.right]) if m is not None), None)
        if move is not None:
            return move
    move = None if case.ops else range_of_guard(view, gap)
    if move is not None:
        return move
    try:
        move = sign(view, gap)
    except Open:
        if not case.ops:
            raise
        move = None
    if move is None and case.ops:
        return ("keep",)
    if move is None:
        raise Open(f"whether {first}")
    return move


def range_of_guard(view: View, gap: Poly) -> Move | None:
    """A condition between coordinates as the range of one: `j < N if j <= i` is `j < i + 1`."""
    ctx = view.ctx
    for k, c in enumerate(view.coords):
        x = view.env[c].single()
        parts = gap.by_power(x) if x is not None and x in view.symbols else {}
        if x is None or max(parts, default=0) != 1 or parts[1] not in (ONE, -ONE):
            continue
        rest, size = parts.get(0, ZERO), view.extent(x)
        before = {view.env[b].single() for b in view.coords[:k]}
        others = {a for a in rest.atoms if ctx.is_coordinate(a)}
        if not (others and others <= before and view.plain(size)):
            continue
        at = rest if parts[1] == -ONE else 1 - rest
        if ctx.nonneg(at) and ctx.nonneg(size - at):
            return ("below" if parts[1] == -ONE else "from", c, view.expr(at))
    return None


# -- operations on bits -----------------------------------------------------------------------------


def bits_move(view: View, values: Sequence[Expr]) -> Move | None:
    """A move that takes an operation on bits out of a case; None where there is none."""
    case = view.case
    hits: dict[Expr, None] = {}
    for e in values:
        for node in sorted(e.atoms(BitXor, BitOr, BitAnd), key=str):
            if not any(a.has(Operation) for a in node.args):
                hits[node] = None
    for node in hits:
        move = _cancellation(view, values, node)
        if move is not None:
            return move
    move = _of_operands(view, hits, _apart)
    if move is None and not case.guard:
        move = exclusive_as_written(view, values)
    if move is not None:
        return move
    with suppress(Undecided):
        view.polys(list(hits))
    for x in [p.single() for _, operands in view.bits.values() for p in operands]:
        if x is not None and view.ctx.is_coordinate(x) and x not in view.symbols:
            with suppress(Open):  # another operand may be a whole digit
                move = inner(view, x)
                if move is not None:
                    return move
    if hits and not case.guard:
        move = exclusive(view)
        if move is not None:
            return move
    move = _of_operands(view, hits, _shorter)
    if move is None:
        move = next((m for m in (_halves(view, node) for node in hits) if m is not None), None)
    return move or _of_operands(view, hits, _bit)


def _bit(view: View, node: Expr, x: Expr, y: Expr, p: Poly, q: Poly) -> Move | None:
    """An operation on two single bits as a sum."""
    if not all(view.ctx.nonneg(e) and view.ctx.nonneg(1 - e) for e in (p, q)):
        return None
    both, op = x * y, node.func
    result = {BitAnd: both, BitOr: x + y - both, BitXor: x + y - 2 * both}[op]
    return ("bits", "bit", node, y, 2, result)


def _halves(view: View, node: Expr) -> Move | None:
    """The operation on the low bits and on the rest, cut where a digit of an operand begins."""
    x, y = node.args
    op: Any = node.func
    polys = view.polys([x, y])
    limit = next((n for n in POWERS if view.below(polys, n, BitOr)), None)
    n = min({abs(c) for p in polys for c in p.terms.values()} & set(POWERS), default=0)
    if limit is None or not 2 <= n < limit or view.case.guard:
        return None
    result = op(FloorDiv(x, n), FloorDiv(y, n)) * n + op(Mod(x, n), Mod(y, n))
    return ("bits", "halves", node, y, n, result)


def _of_operands(view: View, nodes: Iterable[Expr], rule: Rule) -> Move | None:
    """The first move that a rule finds for an operation, its operands in either order."""
    for node in nodes:
        a, b = node.args
        p, q = view.polys([a, b])
        for operands in ((a, b, p, q), (b, a, q, p)):
            move = rule(view, node, *operands)
            if move is not None:
                return move
    return None


def _cancellation(view: View, values: Sequence[Expr], inner: Expr) -> Move | None:
    """Two equal operands of an exclusive or."""
    nodes = [n for e in values for n in sorted(e.atoms(BitXor), key=str) if n.has(inner)]
    for node in nodes:
        operands = operands_of(BitXor, node)
        if any(e.has(Operation) for e in operands):
            continue
        polys = view.polys(operands)
        for k, p in enumerate(polys):
            if p in polys[:k]:
                j = polys.index(p)
                rest = [e for n, e in enumerate(operands) if n not in (j, k)]
                by = reduce(BitXor, rest) if rest else Integer(0)
                return ("cancel", node, operands[j], operands[k], by)
    return None


def some_values(view: View, settlement: Callable[[View], str]) -> Move | None:
    """Where operations on bits are left, and only their range is needed: a coordinate for one."""
    case = view.case
    nodes = {n for e in case.values for n in e.atoms(BitXor, BitOr, BitAnd)}
    for node in sorted(nodes, key=str):
        if any(a.has(Operation) for a in node.args):
            continue
        polys = view.polys(list(node.args))
        for n in POWERS:
            fits = [view.ctx.nonneg(p) and view.ctx.nonneg(n - 1 - p) for p in polys]
            if any(fits) if isinstance(node, BitAnd) else all(fits):
                y = view.world.fresh("v", case)
                move = ("some", node, y, Integer(n), fits.index(True))
                (result,) = parts(case, move)
                if not settlement(View(view.world, result)):
                    return move
                break
    return None


def _apart(view: View, node: Expr, x: Expr, y: Expr, p: Poly, q: Poly) -> Move | None:
    """`x | y` where x is a multiple of a power of 2 that y is below: their sum."""
    ctx = view.ctx
    step = powers.below(ctx, p)
    symbolic = not step.is_constant and ctx.nonneg(q) and ctx.nonneg(step - 1 - q)
    n: Any = view.expr(step) if symbolic else _power(view, q)
    if n is None or (not symbolic and ctx.resolve(ctx.divmod(p, Poly.of(n))[1]) != ZERO):
        return None
    result = Integer(0) if isinstance(node, BitAnd) else x + y
    return ("bits", "apart", node, y, n, result)


def _power(view: View, q: Poly) -> int | None:
    """The least power of 2 that is above it; None where there is none, or it may be below 0."""
    ctx = view.ctx
    if not ctx.nonneg(q):
        return None
    return next((n for n in POWERS if ctx.nonneg(n - 1 - q)), None)


def _shorter(view: View, node: Expr, x: Expr, y: Expr, p: Poly, q: Poly) -> Move | None:
    """The operation on fewer bits: the low ones are x's own, or the high ones are."""
    ctx = view.ctx
    op: Any = node.func
    n = _power(view, q)
    if n is None:
        few = (s for s in view.powers([p, q]) if not s.is_constant and ctx.nonneg(q))
        size = next((s for s in few if ctx.nonneg(s - 1 - q)), None)
        if size is None or (ctx.nonneg(p) and ctx.nonneg(size - 1 - p)):
            return None
        end = view.expr(size)
        rest = Integer(0) if op is BitAnd else FloorDiv(x, end) * end
        return ("bits", "low", node, y, end, op(Mod(x, end), y) + rest)
    if n == 2 and ctx.nonneg(p) and ctx.nonneg(1 - p):
        return None  # no shorter than a bit
    step = 1
    while step * 2 < n and ctx.resolve(ctx.divmod(q, Poly.of(step * 2))[1]) == ZERO:
        step *= 2
    if step > 1:
        inner = op(FloorDiv(x, step), FloorDiv(y, step)) * step
        return ("bits", "high", node, y, step, inner + (0 if op is BitAnd else Mod(x, step)))
    if not (ctx.nonneg(p) and ctx.nonneg(n - 1 - p)):
        inner = op(Mod(x, n), y)
        return ("bits", "low", node, y, n, inner + (0 if op is BitAnd else FloorDiv(x, n) * n))
    return None
