"""Sizes of run time in one instruction: every `?` is a size of its own, a whole number from 0 on.

A rule leaves equations between these sizes and the known ones.  At run time the equations must hold
together, so `closed` replaces them by demands on the known sizes: for exactly these, sizes of run
time exist that satisfy all equations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import gcd

from symlayout.errors import LayoutError
from symlayout.expr.facts import COMPARE, Relation
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Mod, Size, as_expr, as_size
from symlayout.expr.tree import Add, Dummy, Expr, Integer, Mul, Symbol, exact_quotient, expand
from symlayout.layouts.xla import AnyShape, Dynamic, Shape, TupleShape
from symlayout.programs.hlo.broadcast.check import Check
from symlayout.programs.hlo.broadcast.extent import Extent

ZERO = Integer(0)
NO_SIZE = "no size of run time fits:"


@dataclass(frozen=True)
class RunTime(Dynamic):
    """A `?` with the symbol of its size."""

    unknown: Symbol = field(default_factory=lambda: Dummy("later"), compare=False)


def named(shape: AnyShape) -> AnyShape:
    """The shape with a symbol for every `?`; the very shape where it has none.

    >>> from symlayout.layouts.xla import read_shape
    >>> first, _, second = named(read_shape("f32[?,3,?]")).dims
    >>> str(first), first.unknown == second.unknown
    ('?', False)
    """
    if isinstance(shape, TupleShape):
        parts = tuple(map(named, shape))
        return shape if all(a is b for a, b in zip(parts, shape)) else TupleShape(parts)
    if not isinstance(shape, Shape) or not any(map(_is_open, shape._dims)):
        return shape
    return replace(shape, _dims=tuple(RunTime() if _is_open(d) else d for d in shape._dims))


def _is_open(d: object) -> bool:
    return isinstance(d, Dynamic) and d._bound is None


@dataclass(frozen=True)
class Image:
    """`out` is `image(size)`, a function that grows with the size.

    `inverse` gives the checks of a size whose image is known, `defined` those of any size.
    """

    rule: str
    size: Extent
    out: Extent
    image: Callable[[Expr], Size]
    inverse: Callable[[Expr, Expr], list[Check]]
    defined: Callable[[Expr], list[Check]]

    @property
    def unknowns(self) -> frozenset[Symbol]:
        """The sizes of run time in it."""
        return _unknowns((self.size.expr, self.out.expr))

    def put(self, u: Symbol, by: Extent, rule: str) -> Image:
        """The equation with a size in the place of an unknown one."""
        return replace(self, size=_put(self.size, u, by), out=_put(self.out, u, by))

    def solved(self, alone: frozenset[Symbol]) -> list[Check] | None:
        """What it says without the function; None where both sizes are unknown.

        `alone` are the unknowns that occur nowhere else: an image that is one of these exists.
        """
        size, out = self.size.expr, self.out.expr
        if not _unknowns([size]):
            image = Relation("==", as_expr(self.image(size)), out)
            return [*self.defined(size), Check("SL723", self.rule, (image,), None, self.out)]
        if not _unknowns([out]) and isinstance(size, Symbol):
            return [*self.defined(size), *self.inverse(size, out)]
        return self.defined(size) if out in alone else None


@dataclass(frozen=True)
class Equation:
    """A check with sizes of run time in its relations."""

    check: Check

    @property
    def unknowns(self) -> frozenset[Symbol]:
        """The sizes of run time in it."""
        return _unknowns(e for r in self.check.needs for e in (r.left, r.right))

    def put(self, u: Symbol, by: Extent, rule: str) -> Equation:
        """The equation with a size in the place of an unknown one, which `rule` says."""
        if u not in self.unknowns:
            return self
        table, check = {u: by.expr}, self.check
        needs = (
            Relation(r.op, *(expand(e.xreplace(table)) for e in (r.left, r.right)))
            for r in check.needs
        )
        sides = (None if e is None else _put(e, u, by) for e in (check.left, check.right))
        return Equation(Check(check.code, f"{rule}; {check.rule}", tuple(needs), *sides))


def _unknowns(values: Iterable[Expr]) -> frozenset[Symbol]:
    return frozenset(s for e in values for s in e.free_symbols if isinstance(s, Dummy))


def _put(e: Extent, u: Symbol, by: Extent) -> Extent:
    if e.unknown == u:
        return by
    if not isinstance(e.size, Expr) or u not in e.size.free_symbols:
        return e
    return Extent(as_size(e.size.xreplace({u: by.expr})))


def equal_products(a: Sequence[Expr], b: Sequence[Expr], rule: str) -> Equation:
    """That two products of sizes are equal: without common factors, or a common factor is 0."""
    left, right, common = list(a), list(b), list[Expr]()
    for e in a:
        if e in right and not isinstance(e, Integer):
            left.remove(e)
            right.remove(e)
            common.append(e)
    needs = [Relation("==", e, ZERO) for e in common]
    needs.append(Relation("==", expand(Mul(*left)), expand(Mul(*right))))
    return Equation(Check("SL723", rule, tuple(needs)))


# -- without unknowns -----------------------------------------------------------------------------


def closed(equations: Sequence[Equation | Image]) -> list[Check]:
    """The demands on known sizes for which sizes of run time satisfy all of the equations.

    Raises `LayoutError` (SL721) for equations that it does not solve.
    """
    waiting, results = list(equations), list[Check]()
    while waiting:
        still_open = []
        for e in waiting:
            if e.unknowns or isinstance(e, Image):
                still_open.append(e)
            else:
                results += _decided(e.check)
        if any(not c.needs for c in results):
            return results  # which cannot hold
        waiting = _fewer(still_open) if still_open else []
    return results


def _decided(check: Check) -> list[Check]:
    """The check without relations that are certainly false; none where one is certainly true."""
    needs = []
    for r in check.needs:
        difference = expand(r.left - r.right)
        if not isinstance(difference, Integer):
            needs.append(r)
        elif COMPARE[r.op](difference.p, 0):
            return []
    rule = check.rule if check.rule.startswith(NO_SIZE) else f"{NO_SIZE} {check.rule}"
    return [replace(check, rule=rule, needs=tuple(needs))]


def _fewer(waiting: list[Equation | Image]) -> list[Equation | Image]:
    """The equations with an unknown or a function less.

    Unknowns that are equal to something go first: a function may then be one of a known size.
    """
    for step in (_substituted, _applied, _divided, _between, _quotient):
        hit = step(waiting)
        if hit is not None:
            return hit
    rules = "; ".join(e.rule if isinstance(e, Image) else e.check.rule for e in waiting)
    message = f"whether sizes of run time exist is not decided: {rules}"
    raise LayoutError("SL721", message)


def _alone(waiting: Sequence[Equation | Image]) -> frozenset[Symbol]:
    """The unknowns of one equation only."""
    counts = Counter(u for e in waiting for u in e.unknowns)
    return frozenset(u for u, n in counts.items() if n == 1)


def _substituted(waiting: list[Equation | Image]) -> list[Equation | Image] | None:
    """One unknown replaced by what it equals."""
    for k, e in enumerate(waiting):
        hit = None if isinstance(e, Image) else _value(e.check)
        if hit is None or isinstance(e, Image):
            continue
        u, by, natural = hit
        rule = e.check.rule
        rest = [x.put(u, by, rule) for n, x in enumerate(waiting) if n != k]
        return [*rest, *(Equation(c) for c in natural)]
    return None


def _value(check: Check) -> tuple[Symbol, Extent, list[Check]] | None:
    """An unknown that the check says, its value, and that this is natural."""
    if len(check.needs) != 1 or check.needs[0].op != "==":
        return None
    for one, other in ((check.left, check.right), (check.right, check.left)):
        if one is not None and other is not None and one.unknown is not None:
            return one.unknown, other, []
    parts = _parts(check.needs[0])
    if not all(isinstance(f, Integer) for m, f in parts.items() if m):
        return None  # of a size times an unknown nobody knows the sign here
    common = gcd(*(f.p if isinstance(f, Integer) else 1 for f in parts.values()))
    for monomial, factor in parts.items():
        only = len(monomial) == 1 and _is_only(monomial[0], monomial, parts)
        if only and factor in (common, -common):
            rest = {m: exact_quotient(-f * factor, Integer(common**2)) for m, f in parts.items()}
            value = sum((f * Mul(*m) for m, f in rest.items() if f and m != monomial), ZERO)
            if isinstance(value, Integer) and value.p < 0:
                return monomial[0], Extent(0), [Check(check.code, check.rule)]
            return monomial[0], Extent(as_size(value)), _natural(check.rule, value)
    return None


def _natural(rule: str, value: Expr) -> list[Check]:
    """That a value is one of a size; sums of products of sizes of run time are."""
    relation = Relation(">=", value, ZERO)
    if all(isinstance(f, Integer) and f.p >= 0 for f in _parts(relation).values()):
        return []
    return [Check("SL723", rule, (relation,))]


Parts = dict[tuple[Symbol, ...], Expr]


def _parts(r: Relation) -> Parts:
    """left - right: what each product of unknowns is multiplied by.

    An unknown inside a function is in the factor.
    """
    parts: Parts = {}
    for term in Add.make_args(expand(r.left - r.right)):
        factors = Mul.make_args(term)
        monomial = tuple(f for f in factors if isinstance(f, Dummy))
        factor = Mul(*[f for f in factors if not isinstance(f, Dummy)])
        parts[monomial] = parts.get(monomial, ZERO) + factor
    return parts


def _is_only(u: Symbol, monomial: tuple[Symbol, ...], parts: Parts) -> bool:
    """Whether an unknown occurs in that product only."""
    return all(u not in f.free_symbols and (u not in m or m == monomial) for m, f in parts.items())


def _applied(waiting: list[Equation | Image]) -> list[Equation | Image] | None:
    """One function replaced by what it says of known sizes."""
    alone = _alone(waiting)
    for k, e in enumerate(waiting):
        checks = e.solved(alone) if isinstance(e, Image) else None
        if checks is not None:
            return [*waiting[:k], *waiting[k + 1 :], *map(Equation, checks)]
    return None


def _divided(waiting: list[Equation | Image]) -> list[Equation | Image] | None:
    """One equation replaced by what makes a quotient whole, where nothing else has its unknowns."""
    alone = _alone(waiting)
    for k, e in enumerate(waiting):
        checks = None if isinstance(e, Image) else _whole(e.check, alone)
        if checks is not None:
            return [*waiting[:k], *waiting[k + 1 :], *map(Equation, checks)]
    return None


def _whole(check: Check, alone: frozenset[Symbol]) -> list[Check] | None:
    """`a*u == b` has a solution: b is a multiple of a, and 0 where a is.  So has `a*u == b*w`."""
    own = [r for r in check.needs if _unknowns((r.left, r.right))]
    others = tuple(r for r in check.needs if r not in own)
    if len(own) != 1 or own[0].op != "==" or not _unknowns((own[0].left, own[0].right)) <= alone:
        return None
    parts = _parts(own[0])
    rest = parts.pop((), ZERO)
    if any(_unknowns([f]) for f in (rest, *parts.values())):
        return None
    if rest == 0:
        return []  # all unknowns are 0
    if len(parts) != 1:
        return None
    ((monomial, a),) = parts.items()
    b = -rest
    if monomial[0] not in own[0].left.free_symbols:
        a, b = -a, -b
    if isinstance(a, Integer) and a.p < 0:
        return None
    needs = [
        (Relation(">=", b, ZERO),),
        (Relation("==", b, ZERO), Relation(">=", a, Integer(1))),
        (Relation("==", Mod(b, Max(a, Integer(1))), ZERO),),
    ]
    sides = _size_of(b), _size_of(a)
    rule = f"{check.rule}, a whole number of times"
    return [Check(check.code, rule, (*others, *n), *sides) for n in needs]


def _size_of(e: Expr) -> Extent | None:
    """A size for a message."""
    return None if isinstance(e, Integer) and e.p < 0 else Extent(as_size(e))


def _between(waiting: list[Equation | Image]) -> list[Equation | Image] | None:
    """One unknown left out: no lower bound of it is above an upper one."""
    for u in sorted({u for e in waiting for u in e.unknowns}, key=lambda u: u.number):
        own = [e for e in waiting if u in e.unknowns]
        bounds = [None if isinstance(e, Image) else _bound(e.check, u) for e in own]
        known = [b for b in bounds if b is not None]
        if len(known) < len(own):
            continue
        lower = [_Bound("", ZERO, (), False), *[b for b in known if not b.upper]]
        upper = [b for b in known if b.upper]
        checks = [x.below(y) for x in lower for y in upper]
        return [*(e for e in waiting if e not in own), *map(Equation, checks)]
    return None


def _quotient(waiting: list[Equation | Image]) -> list[Equation | Image] | None:
    """One unknown replaced by a quotient, which must be whole."""
    for k, e in enumerate(waiting):
        if isinstance(e, Image) or len(e.check.needs) != 1 or e.check.needs[0].op != "==":
            continue
        parts = _parts(e.check.needs[0])
        rest = parts.pop((), ZERO)
        ((monomial, factor), *more) = parts.items()
        if more or len(monomial) != 1 or not isinstance(factor, Integer) or _unknowns([rest]):
            continue
        divisor, dividend = Integer(abs(factor.p)), expand(-rest if factor.p > 0 else rest)
        by = Extent(as_size(FloorDiv(Max(dividend, ZERO), divisor)))
        whole = Relation("==", Mod(dividend, divisor), ZERO)
        checks = [Check("SL723", e.check.rule, (whole,)), *_natural(e.check.rule, dividend)]
        rest_of = [x.put(monomial[0], by, e.check.rule) for n, x in enumerate(waiting) if n != k]
        return [*rest_of, *map(Equation, checks)]
    return None


@dataclass(frozen=True)
class _Bound:
    """A bound of an unknown, or one of the other relations holds."""

    rule: str
    size: Expr
    others: tuple[Relation, ...]
    upper: bool

    def below(self, other: _Bound) -> Check:
        """That this one is at most the other one."""
        needs = (*self.others, *other.others, Relation("<=", self.size, other.size))
        rules = dict.fromkeys(rule for rule in (self.rule, other.rule) if rule)
        return Check("SL723", "; ".join(rules), needs, _size_of(self.size), _size_of(other.size))


def _bound(check: Check, u: Symbol) -> _Bound | None:
    """What a check with an inequality says of an unknown; None where that is something else."""
    own = [r for r in check.needs if u in r.left.free_symbols | r.right.free_symbols]
    if len(own) != 1 or own[0].op not in (">=", "<="):
        return None
    r = own[0] if own[0].op == ">=" else Relation(">=", own[0].right, own[0].left)
    parts = _parts(r)
    factor = parts.pop((u,), ZERO)
    if (
        not isinstance(factor, Integer)
        or not factor.p
        or any(u in m or u in f.free_symbols for m, f in parts.items())
    ):
        return None
    rest = expand(sum((f * Mul(*m) for m, f in parts.items()), ZERO))
    others = tuple(x for x in check.needs if x is not own[0])
    if factor.p > 0:
        return _Bound(check.rule, CeilDiv(-rest, factor), others, upper=False)
    return _Bound(check.rule, FloorDiv(rest, -factor), others, upper=True)
