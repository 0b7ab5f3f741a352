"""Expressions and conditions as Z3 terms, where a division is a function symbol of its operands.

Two terms with one normal form are equal for every function in place of `//`.  What is known of `//` for
a divisor from 1 on, and of a minimum, are axioms that a solver gets where the normal forms differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from symlayout.certificate.confirm.forms import Forms
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.solving import Budget
from symlayout.certificate.exact import value_of
from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.facts import Relation
from symlayout.expr.smt import axioms
from symlayout.expr.terms import BITS, Application, CeilDiv, FloorDiv, Max, Min, Mod, Where
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.expr.whole import (
    applied,
    both,
    choice,
    either,
    implied,
    keys_within,
    pointer,
    product,
    total,
    value,
)

SYMMETRIC = (Min, Max, *BITS)


class Formula(NamedTuple):
    """A formula of Z3; those with one key are equivalent. A true one has the key True."""

    key: Any
    z3: Any


class Scope:
    """What names mean, and the terms of expressions there."""

    def __init__(self, names: Mapping[str, Any] | None = None) -> None:
        self.names = names or {}
        self.terms: dict[Expr, Any] = {}


class Meanings(Forms):
    """Terms and formulas, all of them in normal form."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: dict[str, Any] = {}
        self.axioms: dict[int, list[Any]] = {}  # of each application of a function, by its key
        self.occurring: dict[int, frozenset[int]] = {}  # applications in a term ...
        self.alive: list[Any] = []  # ... that keeps its operands, so that keys mean the same
        self.plain = Scope()

    # -- terms ------------------------------------------------------------------------------------

    def term(self, e: Expr, scope: Scope | None = None) -> Any:
        """The term of an expression, where the names mean what the scope says."""
        return self.normal(self.raw(e, scope or self.plain))

    def scope(self, table: Mapping[str, Expr], outer: Scope | None = None) -> Scope:
        """Names that mean expressions of the names of another scope."""
        return Scope({n: self.term(e, outer) for n, e in table.items()})

    def raw(self, e: Expr, scope: Scope) -> Any:
        """The term before it is put into normal form."""
        hit = scope.terms.get(e)
        if hit is None:
            hit = scope.terms[e] = self._raw(e, scope)
        return hit

    def _raw(self, e: Expr, scope: Scope) -> Any:
        if isinstance(e, Symbol):
            return scope.names[e.name] if e.name in scope.names else self.unknown(e.name)
        if isinstance(e, Integer):
            return self.number(int(e))
        if isinstance(e, Pow):
            if not e.exp.is_Integer or e.exp < 0:
                raise NotConfirmed("a power that is not a product:", e)
            return product([self.raw(e.base, scope)] * int(e.exp) or [self.number(1)])
        args = [self.raw(a, scope) for a in e.args]
        if isinstance(e, (Add, Mul)):
            return (total if isinstance(e, Add) else product)(args)
        if isinstance(e, Where) and e.row.smt is not None:
            return e.row.smt(choice, *args)
        args = [self.normal(a) for a in args]
        if isinstance(e, FloorDiv):
            return self.quotient(*args)
        if isinstance(e, Mod):
            return args[0] - args[1] * self.quotient(*args)
        if isinstance(e, CeilDiv):
            return -self.quotient(self.normal(-args[0]), args[1])
        if not isinstance(e, Application):
            raise NotConfirmed("what has no meaning for Z3:", e)
        number = value_of(type(e), [*map(value, args)])
        if number is not None:
            return self.number(number)
        if not e.row.form and e.row.smt is not None:
            return e.row.joined(partial(e.row.smt, choice), args)
        return e.row.joined(partial(self.application, type(e)), args)

    def quotient(self, a: Any, b: Any) -> Any:
        """The quotient of two terms in normal form, rounded down."""
        x, d = value(a), value(b)
        if d == 1:
            return a
        if x is not None and d:
            return self.number(x // d)
        return self.application(FloorDiv, a, b)

    def application(self, word: Any, *args: Any) -> Any:
        """A function symbol applied to terms in normal form."""
        if word in SYMMETRIC:
            args = tuple(sorted(args, key=lambda t: t.key))
        f = self.functions.get(word.__name__)
        if f is None:
            sorts = [self.z3.IntSort(self.context)] * (len(args) + 1)
            f = self.functions[word.__name__] = self.z3.Function(f"{word.__name__}!", *sorts)
        t = applied(f, args)
        if t.key not in self.axioms:
            self.axioms[t.key] = [t, *self.properties(word, t, *args)]
        return t

    def properties(self, word: Any, t: Any, *args: Any) -> list[Any]:
        """What is known of an application: Euclid's division, and extremes."""
        if word is FloorDiv:
            a, b = args
            rest = a - b * t
            return [implied(b >= 1, both([rest >= 0, rest <= b - 1], self.context))]
        if word in (Min, Max):
            a, b = args
            sides = [t <= a, t <= b] if word is Min else [t >= a, t >= b]
            return [*sides, either([t == a, t == b], self.context)]
        return axioms(word.row, t, args, self.context) if not word.row.form else []

    # -- formulas ---------------------------------------------------------------------------------

    def natural(self, t: Any) -> Formula:
        """The formula t >= 0."""
        t = self.normal(t)
        n = value(t)
        return Formula(t.key if n is None else n >= 0, t >= 0)

    def condition(self, c: Condition, scope: Scope | None = None) -> list[Formula]:
        """A condition as formulas that hold together."""
        if isinstance(c, Less):
            return [self.natural(self.term(c.right, scope) - self.term(c.left, scope) - 1)]
        sides = self.condition(c.first, scope), self.condition(c.second, scope)
        if isinstance(c, Both):
            return [*sides[0], *sides[1]]
        keys = tuple(tuple(f.key for f in side) for side in sides)
        one, other = (both([f.z3 for f in side], self.context) for side in sides)
        return [Formula(("or", *keys), either([one, other], self.context))]

    def relation(self, r: Relation, scope: Scope | None = None) -> list[Formula]:
        """A relation as formulas that hold together."""
        t = self.term(r.right, scope) - self.term(r.left, scope)
        match r.op:
            case "<" | "<=":
                return [self.natural(t - int(r.op == "<"))]
            case ">" | ">=":
                return [self.natural(-t - int(r.op == ">"))]
            case "==":
                return [self.natural(t), self.natural(-t)]
        t = self.normal(t)
        return [Formula(("!=", t.key), t != 0)]

    def inside(self, box: Sequence[tuple[str, Expr]], scope: Scope | None = None) -> list[Formula]:
        """Each coordinate is in its range."""
        results = []
        for x, d in box:
            t = self.term(Symbol(x), scope)
            results += [self.natural(t), self.natural(self.term(d, scope) - 1 - t)]
        return results

    # -- questions --------------------------------------------------------------------------------

    def holds(self, hypotheses: Sequence[Any], goal: Any, budget: Budget) -> bool:
        """Whether Z3 confirms that the hypotheses, and what is known of functions, imply the goal."""
        keys = {key for f in (*hypotheses, goal) for key in self.applications(f)}
        axioms = [a for key in sorted(keys) for a in self.axioms[key][1:]]
        return self.asker.holds([*hypotheses, *axioms], goal, budget) == "confirmed"

    def applications(self, formula: Any) -> frozenset[int]:
        """The keys of the applications that occur in a formula."""
        key = pointer(formula, self.context)
        if key not in self.occurring:
            self.alive.append(formula)
        return self._within(key)

    def _within(self, key: int) -> frozenset[int]:
        hit = self.occurring.get(key)
        if hit is None:
            own = frozenset([key] if key in self.axioms else ())
            inner = map(self._within, keys_within(key, self.context))
            hit = self.occurring[key] = own.union(*inner)
        return hit
