"""What is known at one moment of a proof, as terms in Z3's normal form of polynomials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from operator import add, mul
from typing import Any

from symlayout.certificate.confirm.formulas import Variables
from symlayout.certificate.confirm.solving import Asker
from symlayout.certificate.exact import Poly
from symlayout.certificate.part import Part
from symlayout.expr.facts import Relation
from symlayout.expr.terms import DIVISIONS, Exp2, Max, Min
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

OPERATIONS = (*DIVISIONS, Min, Max, Exp2)


class NotConfirmed(Exception):
    """A step that Z3 does not confirm; its terms are written out only where someone reads it."""

    def __str__(self) -> str:
        return " ".join(map(str, self.args))


class Knowledge:
    """What is known at one moment of a part of a proof, as Z3 terms."""

    def __init__(
        self, claim_facts: Sequence[Relation], own: Iterable[Relation], part: Part
    ) -> None:
        from symlayout.text.solver import z3

        self.z3, self.asker = z3, Asker()
        self.context = self.asker.context
        self.facts, self.own, self.box = [*claim_facts, *part.premises], set(own), part.box
        self.known: dict[int, Any] = {}  # each is >= 0, by the identity of its normal form
        self.nonzero: dict[int, Any] = {}
        self.value: list[tuple[Any, Any]] = []  # what an unknown has been replaced by
        self.replacement: Any = None
        self.form = z3.ParamsRef(self.context)  # of a polynomial: a sum of products, sorted
        for setting in ("som", "sort_sums"):
            self.form.set(setting, True)
        self.rewritten: dict[int, tuple[Any, Any]] = {}
        self.functions: dict[str, Any] = {}
        self.polynomials: dict[Poly, Any] = {}
        self.unknowns, self.numbers = Variables(self.context), dict[int, Any]()
        self.normals: dict[int, tuple[Any, Any]] = {}  # until an unknown is replaced
        self.count = 0

    # -- terms ------------------------------------------------------------------------------------

    def unknown(self, name: str) -> Any:
        """The integer of that name."""
        return self.unknowns[name]

    def number(self, n: int) -> Any:
        """The term of a number."""
        hit = self.numbers.get(n)
        if hit is None:
            hit = self.numbers[n] = self.z3.IntVal(n, self.context)
        return hit

    def normal(self, t: Any) -> Any:
        """The term with every replaced unknown replaced, in Z3's normal form of polynomials."""
        key = t.get_id()
        hit = self.normals.get(key)
        if hit is None:
            u = self.simplified(self.replaced(t))
            while u.get_id() not in self.normals:  # Z3's simplifier may need several passes
                before, u = u, self.simplified(u)
                if before.get_id() == u.get_id():
                    self.normals[u.get_id()] = u, u
            hit = self.normals[key] = t, self.normals[u.get_id()][1]
        return hit[1]

    def replaced(self, t: Any) -> Any:
        """The term with every replaced unknown replaced."""
        if not self.value:
            return t
        z3, n = self.z3, len(self.value)
        if self.replacement is None:
            rows = tuple((z3.Ast * n)(*[row[k].as_ast() for row in self.value]) for k in (0, 1))
            self.replacement = rows
        ast = z3.Z3_substitute(self.context.ref(), t.as_ast(), n, *self.replacement)
        return z3.ArithRef(ast, self.context)

    def simplified(self, t: Any) -> Any:
        """One pass of Z3's simplifier."""
        z3, context = self.z3, self.context
        ast = z3.Z3_simplify_ex(context.ref(), t.as_ast(), self.form.params)
        number = z3.Z3_is_numeral_ast(context.ref(), ast)
        return (z3.IntNumRef if number else z3.ArithRef)(ast, context)

    def polynomial(self, p: Poly) -> Any:
        """A polynomial of the certificate."""
        hit = self.polynomials.get(p)
        if hit is None:
            rows = [([self.number(c)] * (c != 1), map(self.unknown, m)) for m, c in p.terms]
            terms = [reduce(mul, [*c, *m] or [self.number(1)]) for c, m in rows]
            hit = self.polynomials[p] = reduce(add, terms or [self.number(0)])
        return self.normal(hit)

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
            return reduce(mul, [self.raw(e.base, env)] * int(e.exp) or [self.number(1)])
        args = [self.raw(a, env) for a in e.args]
        if isinstance(e, (Add, Mul)):
            return reduce(add if isinstance(e, Add) else mul, args)
        if isinstance(e, OPERATIONS):
            if len(args) == 1:
                return self.rewrite(type(e), *args)
            return reduce(lambda a, b: self.rewrite(type(e), a, b), args)
        raise NotConfirmed(f"{e} is not made of operations that steps rewrite")

    def application(self, word: Any, *args: Any) -> Any:
        """The operation as a function symbol applied to terms in normal form."""
        whole = self.z3.IntSort(self.context)
        sorts = [whole] * (len(args) + 1)
        f = self.functions.get(word.__name__)
        if f is None:
            f = self.functions[word.__name__] = self.z3.Function(word.__name__, *sorts)
        return f(*map(self.normal, args))

    def rewrite(self, word: Any, *args: Any) -> Any:
        """What a step has said that the operation is."""
        if word is Exp2 and self.z3.is_int_value(power := self.normal(args[0])):
            return self.number(2 ** power.as_long())
        t = self.application(word, *args)
        hit = self.rewritten.get(t.get_id())
        if hit is None:
            raise NotConfirmed("no step says what this is:", t)
        return self.normal(hit[1])

    # -- what is known ----------------------------------------------------------------------------

    def know(self, t: Any) -> None:
        """From now on t >= 0."""
        t = self.normal(t)
        self.known[t.get_id()] = t
        if self.z3.is_const(t):
            self.asker.know([t >= 0])

    def assume(self, r: Relation, env: Mapping[str, Any], rewriting: bool = False) -> None:
        """From now on the relation holds; as a rewriting rule its left side is the right one."""
        right = self.walk(r.right, env)
        if rewriting and r.op == "==" and isinstance(r.left, OPERATIONS):
            with suppress(NotConfirmed):
                right = right - self.walk(r.left, env)
                self.equal(right)
                return
            args = [self.walk(a, env) for a in r.left.args]
            t = self.application(type(r.left), *args)
            self.rewritten[t.get_id()] = t, self.normal(self.walk(r.right, env))
            return
        apart = self.normal(right - self.walk(r.left, env))
        if r.op == "!=":
            self.nonzero[apart.get_id()] = apart
        elif r.op == "==":
            self.equal(apart)
        else:
            strict = int(r.op in ("<", ">"))
            self.know((apart if r.op in ("<", "<=") else -apart) - strict)

    def equal(self, apart: Any) -> None:
        """From now on the term is 0."""
        self.know(apart)
        self.know(-apart)
