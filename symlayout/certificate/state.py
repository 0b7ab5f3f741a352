"""What is known at one moment of a proof, and what each step of a certificate adds to it.

`take` adds what a step gives and does not ask why it holds: `kernel.Checker` checks that first.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from symlayout.certificate.cases import BITS, beside_number
from symlayout.certificate.exact import FREE, Poly, Rejected, Work, as_poly, of_number, polynomial
from symlayout.certificate.proof import (
    Coordinate,
    Defined,
    Fact,
    Have,
    Solve,
    Step,
    Use,
    difference,
    laws,
    quotient_free,
    without_division,
)
from symlayout.certificate.semantics import REWRITTEN
from symlayout.expr.relations import Relation
from symlayout.expr.terms import divisors_of
from symlayout.expr.tree import Expr


def refuse(word: Any, *operands: Poly) -> Poly:
    """What the checker does with an operation that no step has rewritten; raises `Rejected`."""
    raise Rejected(f"no step says what {word.__name__}({', '.join(map(str, operands))}) is")


class ProofState:
    """Relations between polynomials of unknowns, and what operations of them are."""

    def __init__(
        self,
        facts: Sequence[Relation],
        names: Iterable[str],
        box: Mapping[str, Expr],
        own: Container[Relation] = (),
        work: Work | None = None,
        missing: Callable[..., Poly] = refuse,
    ) -> None:
        self.facts, self.box = facts, box
        self.work = work or Work()
        self.own = own  # facts of the claim itself: they say that what they divide by is not 0
        self.missing = missing  # what to do with an operation that no step has rewritten
        self.known: dict[Poly, None] = {}  # each is >= 0
        self.nonzero: dict[Poly, None] = {}
        self.natural: set[str] = set()  # unknowns that are certainly >= 0
        self.value: dict[str, Poly] = {}  # what stands in the place of an unknown
        self.rewritten: dict[tuple[Any, ...], Poly] = {}  # (division or extreme, operands)
        self.walked: dict[Any, Poly] = {}  # expressions without values of their names
        self.names, self.varying = {*names, *box}, set(box)  # varying: depends on coordinates

    def resolve(self, p: Poly) -> Poly:
        """The polynomial with every replaced unknown replaced."""
        if not self.value or p.atoms.isdisjoint(self.value):
            return p
        return p.put(self.value, self.work)

    def known_here(self, p: Poly) -> Poly:
        """The polynomial, which speaks of unknowns that there are."""
        if not p.atoms <= self.names:
            raise Rejected(f"{p} speaks of what is not known here")
        return p

    def know(self, p: Poly) -> None:
        """From now on p >= 0."""
        p = self.resolve(p)
        self.known[p] = None
        match p.terms:
            case [((_,), 1)] | [((), _), ((_,), 1)] if p.terms[0][0] or p.terms[0][1] <= 0:
                self.natural |= p.atoms

    def walk(self, e: Any, env: Mapping[str, Poly] | None = None) -> Poly:
        """The polynomial of an expression; each division in it has been rewritten by a step.

        Without values of its names it is computed once: what is replaced later is replaced in it.
        """
        if env is None:
            memo = self.walked  # which is another one where an operation becomes another
            memo[e] = memo.get(e) or polynomial(e, self.work, self.leaf, self.operation)
            return self.resolve(memo[e])

        def leaf(name: str) -> Poly:
            return self.resolve(env[name]) if name in env else self.leaf(name)

        return self.resolve(polynomial(e, self.work, leaf, self.operation))

    def leaf(self, name: str) -> Poly:
        """What stands in the place of an unknown, or itself."""
        return self.value.get(name) or as_poly(name)

    def operation(self, x: Expr, args: list[Poly]) -> Poly | None:
        """What a division is, or a power, or an extreme, also of more than two operands."""
        if isinstance(x, BITS):
            return beside_number(type(x), args[0], args[1], self.rewrite)
        if not isinstance(x, REWRITTEN):
            return None
        return x.row.joined(partial(self.rewrite, type(x)), args)

    def rewrite(self, word: Any, *operands: Poly) -> Poly:
        """What a step says that a division, minimum, maximum or power is."""
        key = (word, *map(self.resolve, operands))
        return self.resolve(of_number(*key) or self.rewritten.get(key) or self.missing(*key))

    def apart(self, r: Relation, env: Mapping[str, Poly]) -> Poly:
        """How far the sides of a law's relation are apart, for these values of its variables."""
        return self.resolve(difference(r, FREE).put(env, self.work))

    def at(self, e: Expr, env: Mapping[str, Poly]) -> Poly:
        """A side of a law's relation for these values of its variables."""
        p = quotient_free(e)
        return self.walk(e, env) if p is None else self.resolve(p.put(env, self.work))

    def assume(self, r: Relation, env: Mapping[str, Poly], rewrite: bool = False) -> None:
        """From now on the relation holds; as a rule of a law, its left side is the right one."""
        apart = without_division(r, FREE if rewrite else self.work)
        if apart is not None:
            right = -self.resolve(apart.put(env, self.work))
        elif rewrite and r.op == "==" and isinstance(r.left, REWRITTEN):
            right, *operands = [self.at(e, env) for e in (r.right, *r.left.args)]
            key = (type(r.left), *operands)
            # there is but one quotient
            right -= of_number(*key) or self.rewritten.setdefault(key, right)
        else:
            right = self.walk(r.right, env or None) - self.walk(r.left, env or None)
        if r.op == "!=":
            self.nonzero[right] = None
        strict = int(r.op in ("<", ">"))  # of 0 < 0 all follows, of 0 <= 0 nothing
        if (right.terms or strict) and r.op in ("<", "<=", "=="):
            self.know(right - strict)
        if (right.terms or strict) and r.op in (">", ">=", "=="):
            self.know(-right - strict)

    # -- steps ------------------------------------------------------------------------------------

    def take(self, step: Step) -> None:
        """Adds what a step gives; raises `Rejected` for what is not known here, or known already."""
        match step:
            case Fact(number):
                if number >= len(self.facts):
                    raise Rejected(f"there is no fact {number}")
                self.assume(self.facts[number], {})
            case Defined(number):
                self.define(number)
            case Coordinate(name):  # 0 <= name < its size
                if name not in self.box:
                    raise Rejected(f"{name} is not a coordinate here")
                self.know(as_poly(name))
                self.know(self.walk(self.box[name]) - 1 - as_poly(name))
            case Have(that):  # something that follows, for later use
                self.know(self.known_here(that))
            case Solve(name, value):
                self.replace(name, self.replacement(name, value))
            case Use(law, arguments, new):
                self.use(law, self.values(arguments), new)

    def define(self, number: int) -> None:
        """What a fact divides by is not 0: a relation does not hold where it has no value.

        So it is with what a claim is given, not with what a proof adds: for numbers where that has
        no value, neither side of a sign would be looked at.  A branch of a conditional may be one
        that is not taken.
        """
        if number >= len(self.facts) or self.facts[number] not in self.own:
            raise Rejected(f"there is no fact {number} of the claim")
        r = self.facts[number]
        for d in (d for e in (r.left, r.right) for d in divisors_of(e, always=True)):
            with suppress(Rejected):  # where something in it divides that no step has rewritten
                self.nonzero[self.walk(d)] = None

    def replacement(self, name: str, value: Poly) -> Poly:
        """What can stand in the place of an unknown; raises `Rejected` for what speaks of it."""
        p = self.resolve(self.known_here(value))
        if name in p.atoms or name in self.value or name not in self.names:
            raise Rejected(f"{name} cannot be replaced by {p}")
        return p

    def replace(self, name: str, p: Poly) -> None:
        """From now on the unknown stands for a polynomial that it equals."""
        table = {name: p}  # none has another in it
        for x, q in self.value.items():
            self.value[x] = q.put(table, self.work) if name in q.atoms else q
        self.value[name] = p
        self.nonzero = {self.resolve(k): None for k in self.nonzero}
        before, self.known = self.known, {}
        for k in before:
            (self.know if name in k.atoms else self.known.setdefault)(k)
        for word, *pair in [k for k in self.rewritten if any(name in q.atoms for q in k[1:])]:
            poly, key = self.rewritten.pop((word, *pair)), (word, *map(self.resolve, pair))
            if key in self.rewritten or not any(q.atoms for q in key[1:]):
                self.walked = {}
            self.rewritten[key] = poly

    def values(self, arguments: Mapping[str, Poly]) -> dict[str, Poly]:
        """The values of a law's variables, which speak of unknowns that there are."""
        return {v: self.known_here(p) for v, p in arguments.items()}

    def use(self, name: str, env: dict[str, Poly], new: Mapping[str, str]) -> None:
        """An instance of a law, whose new unknowns get names that nothing has."""
        law = laws()[name]
        varies = any(p.atoms & self.varying for p in env.values())
        for v in law.new:
            fresh = new[v]
            if fresh in self.names:
                raise Rejected(f"{fresh!r} is not a new name")
            self.names.add(fresh)
            self.varying |= {fresh} if varies else set()
            env[v] = as_poly(fresh)
        for r in law.conclusions:
            self.assume(r, env, rewrite=True)
