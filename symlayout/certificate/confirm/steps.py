"""The steps of a certificate, each confirmed by Z3's simplifier or its solver.

The certificate says which steps lead from the hypotheses to a goal.  Here nothing of our own arithmetic
is used: polynomials are Z3 terms in Z3's normal form, and the lemmas are proved by Z3 for all integers
before an instance counts.  Divisions are function symbols until a lemma says what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from symlayout.certificate.confirm.knowledge import Knowledge, NotConfirmed
from symlayout.certificate.confirm.lemmas import DEFINITIONS, confirmed_law
from symlayout.certificate.confirm.solving import Budget
from symlayout.certificate.proof import (
    Both,
    Coordinate,
    Defined,
    Fact,
    Have,
    Instance,
    Plain,
    Reason,
    Remainders,
    Signed,
    Solve,
    Step,
    This,
    Use,
    laws,
)
from symlayout.expr.facts import Relation
from symlayout.expr.operators import BY_NAME
from symlayout.expr.terms import divisors_of
from symlayout.expr.whole import applied, either, parts, replaced, value


class Steps(Knowledge):
    """The steps of a part of a proof, applied one after the other."""

    def ask(self, goal: Any) -> None:
        """Z3's solver must confirm the formula from all that is known."""
        rows = [self.formulas[key] for key in self.known]
        hypotheses = [formula for constant, _, formula in rows if not constant]
        hypotheses += [t != 0 for t in self.nonzero.values()]
        self.count += 1
        if self.asker.holds(hypotheses, goal, Budget.STEP) != "confirmed":
            raise NotConfirmed("Z3 does not confirm", goal)

    def show(self, op: str, t: Any, why: Reason) -> None:
        """Confirms the reason why `t op 0`."""
        t = self.normal(t)
        self.count += 1
        match op, why:
            case "<" | "<=" | ">", _:
                self.show(">=", (t if op == ">" else -t) - int(op != "<="), why)
            case ">=", _ if self.is_natural(t):
                pass
            case "==", Plain("identity") if value(t) == 0:
                pass
            case "==", Both(least, most):
                self.show(">=", t, least)
                self.show(">=", -t, most)
            case "!=", Plain("known") if any(self.normal(x).key in self.nonzero for x in (t, -t)):
                pass
            case "!=", Signed(positive, inner):
                self.show(">=", (t if positive else -t) - 1, inner)
            case ">=", Instance():
                self.instance(t, why)
            case "!=" | ">=", Remainders(modulus, below, inner):
                for v in range(1) if op == "!=" else range(-below, 0):
                    self.avoid(t, modulus, v)
                self.show(">=", self.number(0) if op == "!=" else t + below, inner)
            case ">=", Plain("plain"):
                self.plain(t)
            case "!=", Plain():
                self.ask(t != 0)
            case "==", Plain():
                self.ask(t == 0)
            case ">=", Plain():
                self.ask(t >= 0)
            case _:
                raise NotConfirmed(f"no reason is given why {t} {op} 0")
        if op == ">=":
            self.natural[t.key] = t

    def is_natural(self, t: Any) -> bool:
        """Whether Z3 has already confirmed that t >= 0."""
        number = value(t)
        return t.key in self.known or t.key in self.natural or (number is not None and number >= 0)

    def plain(self, t: Any) -> None:
        """t >= 0 because its unknowns are: the solver needs to know nothing else."""
        if self.asker.holds((), t >= 0, Budget.HINT) != "confirmed":
            self.ask(t >= 0)

    def avoid(self, t: Any, modulus: int, v: int) -> None:
        """t leaves something else than v modulo a number, for all integers that its unknowns may be."""
        if self.asker.holds((), t % modulus != v % modulus, Budget.STEP) != "confirmed":
            raise NotConfirmed(f"Z3 does not confirm that this avoids {v} modulo {modulus}:", t)

    def instance(self, t: Any, why: Instance) -> None:
        """t >= 0 as what a law says; one variable may be left out: what remains."""
        law = self.law(why.law)
        env = {v: self.here(p) for v, p in why.arguments}
        (goal,) = law.conclusions
        for left in set(law.variables) - set(env):
            env[left] = self.number(0)
            env[left] = self.normal(t - self.apart(goal, env))
        self.identity(self.apart(goal, env) - t)
        self.premises(why.law, env, why.whys)

    def identity(self, t: Any) -> None:
        """The term is 0 for all integers that its unknowns may be."""
        t = self.normal(t)
        if value(t) != 0:
            raise NotConfirmed("this is not 0:", t)

    def apart(self, r: Relation, env: Mapping[str, Any]) -> Any:
        """How far the sides of a law's relation are apart."""
        return self.normal(self.walk(r.left, env) - self.walk(r.right, env))

    def premises(self, name: str, env: Mapping[str, Any], whys: Sequence[Reason]) -> None:
        """Confirms what a law demands."""
        for r, why in zip(self.law(name).premises, whys, strict=True):
            self.show(r.op, self.apart(r, env), why)

    def law(self, name: str) -> Any:
        """A law that Z3 has proved for all integers."""
        own = name in DEFINITIONS or name.partition("[")[0].partition("_")[0] in BY_NAME
        if not own and not confirmed_law(name):
            raise NotConfirmed(f"Z3 does not confirm the law {name}")
        return laws()[name]

    # -- steps ------------------------------------------------------------------------------------

    def apply(self, step: Step) -> None:
        """Confirms one step and adds what it gives."""
        match step:
            case Fact(number) if number < len(self.facts):
                self.assume(self.facts[number], {})
            case Fact(number) if number < len(self.facts) + len(self.part.premises):
                self.supposed = True
                self.assume(self.part.premises[number - len(self.facts)], {})
            case Defined(number) if (
                self.facts[number : number + 1] and (r := self.facts[number]) in self.own
            ):
                for d in (d for e in (r.left, r.right) for d in divisors_of(e, always=True)):
                    with suppress(NotConfirmed):
                        t = self.walk(d)
                        self.nonzero[t.key] = t
            case Coordinate(name) if name in self.box:
                self.touched[name] = None
                x = self.unknown(name)
                self.know(x)
                self.know(self.walk(self.box[name]) - 1 - x)
            case Have(that, why):
                t = self.here(that)
                self.show(">=", t, why)
                self.know(t)
            case Solve(name, value, why):
                self.solve(name, self.here(value), why)
            case Use():
                self.use(step)
            case _:
                raise NotConfirmed(f"the step {type(step).__name__} speaks of nothing here")

    def solve(self, name: str, t: Any, why: Reason) -> None:
        """From now on the unknown is replaced by a term that it equals."""
        if name not in self.names:
            raise NotConfirmed(f"{name} has no meaning")
        if name in self.box:
            self.touched[name] = None
        x = self.unknown(name)
        self.show("==", t - x, why)
        if self.normal(x).key != x.key or self.contains(t, x):
            raise NotConfirmed(f"{name} has been replaced already")
        self.normals, self.replacement = {}, None
        self.value = [(y, replaced(u, x, t)) for y, u in self.value] + [(x, t)]
        before, self.known = list(self.known.values()), {}
        for k in before:
            self.know(k)
        self.nonzero = {u.key: u for u in map(self.normal, self.nonzero.values())}
        rules, self.rewritten = list(self.rewritten.values()), {}
        for left, right in rules:
            again = applied(left.decl(), [*map(self.normal, parts(left))])
            self.rewritten[again.key] = again, self.normal(right)

    def contains(self, t: Any, x: Any) -> bool:
        """Whether an unknown occurs in a term."""
        return bool(replaced(t, x, x + 1).key != t.key)

    def use(self, s: Use) -> None:
        """An instance of a law, whose new unknowns have fresh names."""
        law, env = self.law(s.law), {v: self.here(p) for v, p in s.arguments.items()}
        self.premises(s.law, env, s.whys)
        varies = any(not self.varying.isdisjoint(p.atoms) for p in s.arguments.values())
        for v in law.new:
            name = s.new[v]
            if name in self.names:
                raise NotConfirmed(f"{name} is not a new name")
            self.new[name] = varies
            self.names.add(name)
            self.varying |= {name} if varies else set()
            env[v] = self.unknown(name)
        for r in law.conclusions:
            self.assume(r, env, rewriting=True)

    def goal(self, goal: Sequence[Relation], why: This) -> None:
        """Confirms that one of the relations of a goal holds."""
        if not {n for r in goal for n in r.names} <= self.names:
            raise NotConfirmed("a name without a meaning in", *goal)
        sides = [(r.op, self.walk(r.left) - self.walk(r.right)) for r in goal]
        if why.which is None:
            formulas = [comparison(op, self.normal(t)) for op, t in sides]
            self.ask(either(formulas, self.context))
        elif why.which < len(sides):
            self.show(*sides[why.which], why.why)
        else:
            raise NotConfirmed("no reason is given why", *goal)

    def ends(self, goals: Sequence[This]) -> None:
        """Confirms the goals of the part."""
        if len(goals) != len(self.part.goals):
            raise NotConfirmed("goals without reasons")
        for goal, why in zip(self.part.goals, goals):
            self.goal(goal, why)
        if not self.part.constant.isdisjoint(self.varying):
            raise NotConfirmed("what gives the coordinates back depends on more than the offset")


def comparison(op: str, t: Any) -> Any:
    """The formula `t op 0`."""
    table = {"<": t < 0, "<=": t <= 0, ">": t > 0, ">=": t >= 0, "==": t == 0, "!=": t != 0}
    return table[op]
