"""Sizes of run time: the checker's own way from goals with a `?` to goals without.

Each `?` is a symbol for a whole number from 0 on.  `existing` leaves one symbol out after the other:
what remains holds exactly where numbers for all of them exist that reach the goals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from symlayout.certificate.shaping import Curve, Goal, is_false, open_in, sides
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Mod
from symlayout.expr.tree import Dummy, Expr, Integer, exact_quotient, expand

ZERO, ONE = Integer(0), Integer(1)


class System:
    """Goals and curves in which sizes of run time occur."""

    def __init__(self, goals: Iterable[Goal], curves: Iterable[Curve]) -> None:
        self.goals = list(goals)
        self.curves = list(curves)

    def uses(self, u: Dummy) -> int:
        """How many goals and curves a size of run time is in."""
        own = [e for goal in self.goals for e in (sides(goal),)]
        own += [[c.size, c.out] for c in self.curves]
        return sum(u in open_in(*e) for e in own)

    @property
    def symbols(self) -> list[Dummy]:
        """The sizes of run time, the oldest first."""
        values = [e for goal in self.goals for e in sides(goal)]
        values += [e for c in self.curves for e in (c.size, c.out)]
        return sorted(open_in(*values), key=lambda u: -u.number)

    def put(self, u: Dummy, value: Expr) -> None:
        """A value in the place of a size of run time."""
        table = {u: value}
        self.goals = [
            [Relation(r.op, r.left.xreplace(table), r.right.xreplace(table)) for r in goal]
            for goal in self.goals
        ]
        self.curves = [
            c._replace(size=c.size.xreplace(table), out=c.out.xreplace(table)) for c in self.curves
        ]

    # -- steps: each says whether something became simpler ------------------------------------------

    def equalities(self) -> bool:
        """A goal that says what a size is."""
        for goal in self.goals:
            for u in open_in(*sides(goal)) if len(goal) == 1 and goal[0].op == "==" else ():
                factor, rest = linear(goal[0], u)
                if not isinstance(factor, Integer) or not factor.p:
                    continue
                value = exact_quotient(expand(-rest), factor)
                if value is not None and not mixed(value):
                    self.goals.remove(goal)
                    self.put(u, value)
                    if open_in(value) != value.free_symbols or not is_sum(value):
                        self.goals.append([Relation(">=", value, ZERO)])
                    return True
        return False

    def applied(self) -> bool:
        """A curve whose size or image is known, or whose image is asked for nowhere else."""
        for c in self.curves:
            known, image_known = not open_in(c.size), not open_in(c.out)
            free = isinstance(c.out, Dummy) and self.uses(c.out) == 1
            if known or free or (image_known and isinstance(c.size, Dummy)):
                self.curves.remove(c)
                self.goals += c.room(c.size)
                if known:
                    self.goals.append([Relation("==", c.image(c.size), c.out)])
                elif not free:
                    self.goals += c.inverse(c.size, c.out)
                return True
        return False

    def products(self) -> bool:
        """An equality of products, whose sizes of run time occur nowhere else."""
        for goal in self.goals:
            own = [r for r in goal if open_in(r.left, r.right)]
            if len(own) != 1 or own[0].op != "==":
                continue
            symbols = open_in(own[0].left, own[0].right)
            if all(self.uses(u) == 1 for u in symbols):
                others = [r for r in goal if r is not own[0]]
                answer = solvable(own[0], symbols)
                if answer is not None:
                    self.goals.remove(goal)
                    self.goals += [[*others, *one] for one in answer]
                    return True
        return False

    def between(self) -> bool:
        """A size that has bounds only: each lower one is at most each upper one."""
        for u in self.symbols:
            own = [goal for goal in self.goals if u in open_in(*sides(goal))]
            if any(u in open_in(c.size, c.out) for c in self.curves):
                continue
            bounds = [bound(goal, u) for goal in own]
            if None in bounds:
                continue
            known = [b for b in bounds if b is not None]
            lower = [([], ZERO), *[(others, e) for others, e, up in known if not up]]
            upper = [(others, e) for others, e, up in known if up]
            self.goals = [goal for goal in self.goals if goal not in own]
            self.goals += [
                [*first, *second, Relation("<=", low, high)]
                for first, low in lower
                for second, high in upper
            ]
            return True
        return False

    def quotients(self) -> bool:
        """A number times a size is known: the size is the quotient, without a rest."""
        for goal in self.goals:
            symbols = open_in(*sides(goal))
            if len(goal) != 1 or goal[0].op != "==" or len(symbols) != 1:
                continue
            (u,) = symbols
            factor, rest = linear(goal[0], u)
            if isinstance(factor, Integer) and factor.p:
                total = expand(-rest if factor.p > 0 else rest)
                parts = Integer(abs(factor.p))
                self.goals.remove(goal)
                self.put(u, FloorDiv(total, parts))
                self.goals += [[Relation(">=", total, ZERO)]]
                self.goals += [[Relation("==", Mod(total, parts), ZERO)]]
                return True
        return False


def mixed(e: Expr) -> bool:
    """Whether a term has both known sizes and sizes of run time."""
    terms = e.args if e.is_Add else (e,)
    return any(open_in(t) and open_in(t) != t.free_symbols for t in terms)


def is_sum(e: Expr) -> bool:
    """Whether nothing is taken away: terms are sizes of run time, numbers from 0 on, or products."""
    if e.is_Add or e.is_Mul:
        return all(map(is_sum, e.args))
    return isinstance(e, Dummy) or (isinstance(e, Integer) and e.p >= 0)


def linear(r: Relation, u: Dummy) -> tuple[Expr | None, Expr]:
    """left - right as factor*u + rest; no factor where it is not of that form."""
    whole = expand(r.left - r.right)
    rest = expand(whole.xreplace({u: ZERO}))
    factor = expand(whole.xreplace({u: ONE}) - rest)
    straight = u not in factor.free_symbols and expand(factor * u + rest) == whole
    return (factor if straight else None), rest


def solvable(r: Relation, symbols: set[Dummy]) -> list[Goal] | None:
    """When an equality of products has a solution; None where it is something else."""
    if expand((r.left - r.right).xreplace(dict.fromkeys(symbols, ZERO))) == 0:
        return []  # all are 0
    u, *more = symbols
    at_one = dict.fromkeys(more, ONE)  # a product of several is any number that one is
    one = Relation("==", r.left.xreplace(at_one), r.right.xreplace(at_one))
    if not is_product(r, symbols):
        return None
    factor, rest = linear(one, u)
    if factor is None:
        return None
    if u in r.left.free_symbols:
        a, b = factor, expand(-rest)
    else:
        a, b = expand(-factor), rest
    if isinstance(a, Integer) and a.p < 0:
        return None
    return [
        [Relation(">=", b, ZERO)],
        [Relation(">=", a, ONE), Relation("==", b, ZERO)],
        [Relation("==", Mod(b, Max(a, ONE)), ZERO)],
    ]


def is_product(r: Relation, symbols: set[Dummy]) -> bool:
    """Whether one side has all of the symbols as factors, and the other has none."""
    for side, other in ((r.left, r.right), (r.right, r.left)):
        if not open_in(other):
            zero = all(expand(side.xreplace({u: ZERO})) == 0 for u in symbols)
            return zero and all(
                linear(Relation("==", side, ZERO), u)[0] is not None for u in symbols
            )
    return False


def bound(goal: Goal, u: Dummy) -> tuple[Goal, Expr, bool] | None:
    """The other relations of a goal, and what a size is at least or at most (True) without them."""
    own = [r for r in goal if u in open_in(r.left, r.right)]
    if len(own) != 1 or own[0].op not in ("<=", ">="):
        return None
    factor, rest = linear(own[0], u)
    if not isinstance(factor, Integer) or not factor.p:
        return None
    if own[0].op == "<=":
        factor, rest = Integer(-factor.p), expand(-rest)
    others = [r for r in goal if r is not own[0]]
    if factor.p > 0:
        return others, CeilDiv(-rest, factor), False
    return others, FloorDiv(rest, Integer(-factor.p)), True


def steps(system: System) -> Iterator[Callable[[], bool]]:
    """The steps in the order in which they are tried."""
    yield from (system.equalities, system.applied, system.products, system.between)
    yield system.quotients


def existing(goals: Sequence[Goal], curves: Sequence[Curve]) -> list[Goal]:
    """The goals without sizes of run time.

    Raises `LayoutError` where it cannot say when these exist.
    """
    system = System(goals, curves)
    while system.symbols or system.curves:
        if not any(step() for step in steps(system)):
            raise LayoutError("SL723", "the checker cannot say whether sizes of run time exist")
    return [[r for r in goal if not is_false(r)] for goal in system.goals]
