"""What is known at one moment of a proof, as terms in Z3's normal form of polynomials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any, Self

from symlayout.certificate.confirm.forms import Forms
from symlayout.certificate.exact import VALUED, Poly, value_of
from symlayout.certificate.part import Part
from symlayout.expr.facts import Relation
from symlayout.expr.terms import REWRITTEN
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.expr.whole import applied, is_bound, is_constant, product, total, value


class NotConfirmed(Exception):
    """A step that Z3 does not confirm; its terms are written out only where someone reads it."""

    def __str__(self) -> str:
        return " ".join(map(str, self.args))


class Knowledge(Forms):
    """What is known at one moment of a part of a proof, as Z3 terms."""

    def __init__(
        self,
        facts: Sequence[Relation],
        own: Iterable[Relation],
        part: Part,
        names: Iterable[str],
    ) -> None:
        super().__init__()
        self.facts, self.own, self.sizes = tuple(facts), set(own), frozenset(names)
        self.new: dict[str, bool] = {}  # names that steps have introduced: whether of coordinates
        self.touched: dict[str, None] = {}  # coordinates that anything known rests on
        self.supposed = False  # whether it rests on premises of the part
        self.known: dict[int, Any] = {}  # each is >= 0, by the identity of its normal form
        # for each whether it is a bound of an unknown, which the solver always knows, and the formula
        self.formulas: dict[int, tuple[bool, Any, Any]] = {}
        self.natural: dict[int, Any] = {}  # terms that Z3 has confirmed to be >= 0
        self.nonzero: dict[int, Any] = {}
        self.rewritten: dict[int, tuple[Any, Any]] = {}
        self.functions: dict[str, Any] = {}
        self.count = 0
        self.enter(part)

    def enter(self, part: Part) -> None:
        """From now on the names are those of a part."""
        self.part, self.box = part, part.box
        self.names = {*self.sizes, *part.box, *self.new}
        self.varying = {*part.box, *[n for n, varies in self.new.items() if varies]}

    def fits(self, part: Part) -> bool:
        """Whether all that is known here is known in another part of the same sizes as well."""
        if self.supposed and self.part.premises != part.premises:
            return False
        if any(self.box[x] != part.box.get(x) for x in self.touched):
            return False
        return not any(x in self.sizes or x in self.new for x in (*self.box, *part.box))

    def fork(self, part: Part) -> Self:
        """The same in another part, for which it must be fit."""
        other = copy(self)
        other.asker = self.asker.fork()
        for name in ("new", "touched", "known", "formulas", "natural", "nonzero", "rewritten"):
            setattr(other, name, dict(getattr(self, name)))
        other.enter(part)
        return other

    # -- terms ------------------------------------------------------------------------------------

    def here(self, p: Poly) -> Any:
        """The term of a polynomial, which has only names that have a meaning."""
        if not p.atoms <= self.names:
            raise NotConfirmed("a name without a meaning in", p)
        self.touched.update(dict.fromkeys(p.atoms & self.box.keys()))
        return self.polynomial(p)

    def walk(self, e: Expr, env: Mapping[str, Any] | None = None) -> Any:
        """The term of an expression, where a step has said what each division in it is."""
        return self.normal(self.raw(e, env or {}))

    def raw(self, e: Expr, env: Mapping[str, Any]) -> Any:
        """The same before it is put into normal form."""
        if isinstance(e, Symbol):
            return env[e.name] if e.name in env else self.unknown(e.name)
        if isinstance(e, Integer):
            return self.number(int(e))
        if isinstance(e, Pow) and e.exp.is_Integer and e.exp >= 0:
            return product([self.raw(e.base, env)] * int(e.exp) or [self.number(1)])
        args = [self.raw(a, env) for a in e.args]
        if isinstance(e, (Add, Mul)):
            return (total if isinstance(e, Add) else product)(args)
        if isinstance(e, REWRITTEN):
            return e.row.joined(partial(self.rewrite, type(e)), args)
        raise NotConfirmed(f"{e} is not made of operations that steps rewrite")

    def application(self, word: Any, *args: Any) -> Any:
        """The operation as a function symbol applied to terms in normal form."""
        whole = self.z3.IntSort(self.context)
        sorts = [whole] * (len(args) + 1)
        f = self.functions.get(word.__name__)
        if f is None:
            f = self.functions[word.__name__] = self.z3.Function(word.__name__, *sorts)
        return applied(f, [*map(self.normal, args)])

    def rewrite(self, word: Any, *args: Any) -> Any:
        """What a step has said that the operation is."""
        if word in VALUED:
            number = value_of(word, [value(self.normal(a)) for a in args])
            if number is not None:
                return self.number(number)
        t = self.application(word, *args)
        hit = self.rewritten.get(t.key)
        if hit is None:
            raise NotConfirmed("no step says what this is:", t)
        return self.normal(hit[1])

    # -- what is known ----------------------------------------------------------------------------

    def know(self, t: Any) -> None:
        """From now on t >= 0."""
        t = self.normal(t)
        key = t.key
        self.known[key] = t
        if key not in self.formulas:
            constant = is_constant(t) or is_bound(t)
            self.formulas[key] = constant, t, t >= 0
            if constant:
                self.asker.know([t >= 0])

    def assume(self, r: Relation, env: Mapping[str, Any], rewriting: bool = False) -> None:
        """From now on the relation holds; as a rewriting rule its left side is the right one."""
        right = self.walk(r.right, env)
        if rewriting and r.op == "==" and isinstance(r.left, REWRITTEN):
            with suppress(NotConfirmed):
                right = right - self.walk(r.left, env)
                self.equal(right)
                return
            args = [self.walk(a, env) for a in r.left.args]
            t = self.application(type(r.left), *args)
            self.rewritten[t.key] = t, self.normal(self.walk(r.right, env))
            return
        apart = self.normal(right - self.walk(r.left, env))
        if r.op == "!=":
            self.nonzero[apart.key] = apart
        elif r.op == "==":
            self.equal(apart)
        else:
            strict = int(r.op in ("<", ">"))
            self.know((apart if r.op in ("<", "<=") else -apart) - strict)

    def equal(self, apart: Any) -> None:
        """From now on the term is 0."""
        self.know(apart)
        self.know(-apart)
