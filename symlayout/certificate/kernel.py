"""`recheck`: verifies a certificate with nothing of the prover.

A claim is read again from its text; what it means comes down to relations between integer expressions
(`meaning.py`).  A certificate says which steps lead there: facts, ranges of coordinates, instances of
the laws of `lemmas.toml`, checked in exact arithmetic; what is left goes to all installed solvers.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from symlayout.certificate.alternatives import opened
from symlayout.certificate.bits import by_ranks
from symlayout.certificate.cases import BITS, beside_number
from symlayout.certificate.enumeration import by_points
from symlayout.certificate.exact import (
    FREE,
    QUESTION,
    Poly,
    Rejected,
    Work,
    as_poly,
    avoid,
    of_number,
    polynomial,
)
from symlayout.certificate.proof import (
    Both,
    Coordinate,
    Defined,
    Fact,
    Have,
    Instance,
    Malformed,
    Plain,
    Proof,
    Reason,
    Remainders,
    Signed,
    Solve,
    Step,
    This,
    Use,
    difference,
    laws,
    without_division,
)
from symlayout.certificate.semantics import REWRITTEN, Claim
from symlayout.certificate.solvers import answers
from symlayout.certificate.target import claim_of, compare
from symlayout.errors import LayoutError
from symlayout.expr.facts import Relation
from symlayout.expr.terms import divisors_of
from symlayout.expr.tree import Expr


class Ledger:
    """What is known at one moment of a proof; `apply` checks a step and adds what it gives."""

    facts: Sequence[Relation]
    box: Mapping[str, Any]
    names: set[str]
    varying: set[str]

    def __init__(
        self,
        facts: Sequence[Relation],
        names: Iterable[str],
        box: Mapping[str, Expr],
        own: Container[Relation] = (),
        work: Work | None = None,
    ) -> None:
        self.facts, self.box = facts, box
        self.work = work or Work()
        self.own = own  # facts of the claim itself: they say that what they divide by is not 0
        self.known: dict[Poly, None] = {}  # each is >= 0
        self.nonzero: dict[Poly, None] = {}
        self.natural: set[str] = set()  # unknowns that are certainly >= 0
        self.value: dict[str, Poly] = {}  # what stands in the place of an unknown
        self.rewritten: dict[tuple[Any, ...], Poly] = {}  # (division or extreme, operands)
        self.names, self.varying = {*names, *box}, set(box)  # varying: depends on coordinates
        self.relied: set[str] = set()

    def resolve(self, p: Poly) -> Poly:
        """The polynomial with every replaced unknown replaced."""
        return p if self.value.keys().isdisjoint(p.atoms) else p.put(self.value, self.work)

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
        """The polynomial of an expression; each division in it has been rewritten by a step."""

        def leaf(name: str) -> Poly:
            if env is not None and name in env:
                return self.resolve(env[name])
            return self.value.get(name) or as_poly(name)

        return self.resolve(polynomial(e, self.work, leaf, self.operation))

    def operation(self, x: Expr, args: list[Poly]) -> Poly | None:
        """What a division is, or a power, or an extreme, also of more than two operands."""
        if isinstance(x, BITS):
            return beside_number(type(x), args[0], args[1], self.rewrite)
        if not isinstance(x, REWRITTEN):
            return None
        return x.row.joined(partial(self.rewrite, type(x)), args)

    def apart(self, r: Relation, env: Mapping[str, Poly]) -> Poly:
        """How far the sides of a law's relation are apart, for these values of its variables."""
        return self.resolve(difference(r, FREE).put(env, self.work))

    def rewrite(self, word: Any, *operands: Poly) -> Poly:
        """What a step says that a division, minimum, maximum or power is."""
        key = (word, *map(self.resolve, operands))
        return self.resolve(of_number(*key) or self.rewritten.get(key) or self.missing(*key))

    def missing(self, word: Any, *operands: Poly) -> Poly:
        """What to do where no step says it; raises `Rejected`."""
        raise Rejected(f"no step says what {word.__name__}({', '.join(map(str, operands))}) is")

    def assume(self, r: Relation, env: Mapping[str, Poly], rewrite: bool = False) -> None:
        """From now on the relation holds; as a rule of a law, its left side is the right one."""
        apart = without_division(r, FREE if rewrite else self.work)
        if apart is not None:
            right = -self.resolve(apart.put(env, self.work))
        elif rewrite and r.op == "==" and isinstance(r.left, REWRITTEN):
            right = self.walk(r.right, env)
            key = (type(r.left), *[self.walk(a, env) for a in r.left.args])
            # there is but one quotient
            right -= of_number(*key) or self.rewritten.setdefault(key, right)
        else:
            right = self.walk(r.right, env) - self.walk(r.left, env)
        if r.op == "!=":
            self.nonzero[right] = None
        strict = int(r.op in ("<", ">"))  # of 0 < 0 all follows, of 0 <= 0 nothing
        if (right.terms or strict) and r.op in ("<", "<=", "=="):
            self.know(right - strict)
        if (right.terms or strict) and r.op in (">", ">=", "=="):
            self.know(-right - strict)

    def show(self, op: str, p: Poly, why: Reason) -> None:
        """Checks the reason why `p op 0`; raises `Rejected`."""
        p = self.resolve(p)
        match op, why:
            case "<" | "<=" | ">", _:
                self.show(">=", (p if op == ">" else -p) - int(op != "<="), why)
            case _, Plain("smt"):
                self.ask([(op, p)])
            case "==", Plain("identity") if not p.terms:
                pass
            case "==", Both(least, most):
                self.show(">=", p, least)
                self.show(">=", -p, most)
            case "!=", Plain("known") if p in self.nonzero or -p in self.nonzero:
                pass
            case "!=", Signed(positive, inner):
                self.show(">=", (p if positive else -p) - 1, inner)
            case "!=" | ">=", Remainders(modulus, below, inner):
                avoid(p, modulus, range(1) if op == "!=" else range(-below, 0), self.work)
                self.show(">=", Poly() if op == "!=" else p + below, inner)
            case ">=", Plain("known") if p in self.known:
                pass
            case ">=", Plain("plain") if self.plain(p):
                pass
            case ">=", Instance():
                self.instance_of(p, why)
            case _:
                raise Rejected(f"no reason is given why {p} {op} 0")

    def plain(self, p: Poly) -> bool:
        """Whether no coefficient and no unknown is negative."""
        return p.atoms <= self.natural and all(c > 0 for _, c in p.terms)

    def instance_of(self, p: Poly, why: Instance) -> None:
        """Checks that p >= 0 is what a law says; one variable may be left out: what remains."""
        law, env = laws()[why.law], {v: self.resolve(self.known_here(q)) for v, q in why.arguments}
        (goal,) = law.conclusions
        for left in set(law.variables) - set(env):
            env[left] = Poly()
            env[left] = p - self.apart(goal, env)
        if goal.op != ">=" or self.apart(goal, env) != p:
            raise Rejected(f"{p} >= 0 is not an instance of {why.law}")
        self.premises(why.law, env, why.whys)

    def premises(self, name: str, env: Mapping[str, Poly], whys: Sequence[Reason]) -> None:
        """Checks what a law demands."""
        self.relied.add(f"law {name}")
        for k, (r, why) in enumerate(zip(laws()[name].premises, whys, strict=True)):
            try:
                self.show(r.op, self.apart(r, env), why)
            except Rejected as error:
                raise Rejected(f"{name}, premise {k}: {error}") from None

    def prove(self, goal: Sequence[Relation], why: This) -> None:
        """Checks that one of the relations holds."""
        sides = [(r.op, self.walk(r.left) - self.walk(r.right)) for r in goal]
        for _, p in sides:
            self.known_here(p)
        if why.which is None:
            self.ask(sides)
        elif why.which < len(sides):
            self.show(*sides[why.which], why.why)
        else:
            raise Rejected(f"no reason is given why {' or '.join(map(str, goal))}")

    def obligation(self, sides: Sequence[tuple[str, Poly]]) -> str:
        """The question whether all of `p op 0` can be false with what is known, in SMT-LIB 2.

        Unknowns have names of their own in it: no text of a certificate reaches a solver.
        """
        goals = [(op, self.resolve(p), "false") for op, p in sides]
        known = [(">=", self.resolve(p), "true") for p in self.known]
        known += [("!=", self.resolve(p), "true") for p in self.nonzero]
        atoms, size = {a for _, p, _ in goals for a in p.atoms}, -1
        while size < len(atoms):
            size = len(atoms)
            atoms |= {a for _, p, _ in known if p.atoms & atoms for a in p.atoms}
        rows = dict.fromkeys([k for k in known if k[1].atoms & atoms] + goals)
        logic = "QF_NIA" if any(p.degree > 1 for _, p, _ in rows) else "QF_LIA"
        names = {a: f"x{k}" for k, a in enumerate(sorted(atoms))}
        lines = [f"(set-logic {logic})", *[f"(declare-const {x} Int)" for x in names.values()]]
        for op, p, truth in rows:
            sign = {"==": "=", "!=": "distinct"}.get(op, op)
            lines.append(f"(assert (= {truth} ({sign} {p.smt(names)} 0)))")
        return "\n".join([*lines, "(check-sat)"])

    def ask(self, sides: Sequence[tuple[str, Poly]]) -> None:
        """All installed solvers must confirm the obligation."""
        self.work.spend(QUESTION)
        texts = answers(self.obligation(sides))
        if set(texts.values()) != {"unsat"}:
            raise Rejected(f"the solvers do not confirm the obligation: {texts}")
        self.relied |= set(texts)

    def apply(self, step: Step) -> None:
        """Checks one step and adds what it gives; raises `Rejected`."""
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
            case Have(that, why):  # something that follows, for later use
                self.show(">=", self.known_here(that), why)
                self.know(that)
            case Solve(name, value, why):
                self.solve_for(name, self.resolve(self.known_here(value)), why)
            case Use():
                self.use(step)

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

    def solve_for(self, name: str, p: Poly, why: Reason) -> None:
        """From now on the unknown stands for a polynomial that it equals."""
        if name in p.atoms or name in self.value or name not in self.names:
            raise Rejected(f"{name} cannot be replaced by {p}")
        self.show("==", p - as_poly(name), why)
        table = {name: p}  # none has another in it
        self.value = {x: q.put(table, self.work) for x, q in self.value.items()}
        self.value[name] = p
        self.nonzero = {self.resolve(k): None for k in self.nonzero}
        before, self.known = self.known, {}
        for k in before:
            self.know(k)
        for word, *pair in list(self.rewritten):
            poly = self.rewritten.pop((word, *pair))
            self.rewritten[word, *map(self.resolve, pair)] = poly

    def use(self, s: Use) -> None:
        """An instance of a law, whose new unknowns get names that nothing has."""
        law, env = laws()[s.law], {v: self.known_here(p) for v, p in s.arguments.items()}
        self.premises(s.law, env, s.whys)
        varies = any(p.atoms & self.varying for p in env.values())
        for v in law.new:
            name = s.new[v]
            if name in self.names:
                raise Rejected(f"{name!r} is not a new name")
            self.names.add(name)
            self.varying |= {name} if varies else set()
            env[v] = as_poly(name)
        for r in law.conclusions:
            self.assume(r, env, rewrite=True)


@dataclass(frozen=True)
class Rechecked:
    """Whether a claim (all of it, as a command line has it) is proved, on what grounds, what failed."""

    ok: bool
    claim: str
    relied: tuple[str, ...]
    failures: tuple[str, ...]


def recheck(
    certificate: Mapping[str, Any], claim: str | None = None, where: Sequence[str] = ()
) -> Rechecked:
    """Verifies a certificate without the prover; `claim` and `where` say what it must be for.

    >>> from symlayout import prove
    >>> made = recheck(prove.injective("f32[M,N]{1,0:T(8,128)}").certificate)
    >>> made.ok, made.claim
    (True, 'injective "f32[M,N]{1,0:T(8,128)}"')

    `failures` names each step that does not hold.  Raises nothing for a certificate that is wrong,
    and `LayoutError` for a claim to compare with that cannot be read.
    """
    targets = None if claim is None else claim_of(claim, where)
    text = ""
    try:
        statement, grounds_of = opened(certificate, verify, Work())
        text = str(statement)
        if targets is not None:
            compare(statement, targets)
        grounds = grounds_of()
    except Malformed as why:
        return Rechecked(False, text, (), (f"malformed: {why}",))
    except LayoutError as why:
        return Rechecked(False, text, (), (f"certificate: {why.message}",))
    except Rejected as why:
        return Rechecked(False, text, (), (str(why),))
    return Rechecked(True, text, tuple(sorted(grounds)), ())


def verify(proof: Proof, work: Work) -> set[str]:
    """What a proof relies on; raises `Rejected` with the place of what does not hold."""
    claim = Claim(proof.claim, proof.hint, proof.points, work)
    for sizes in (proof.sizes, *proof.points):
        if set(claim.names) - set(sizes) or not claim.allows(sizes):
            raise Rejected(f"certificate: the sizes {dict(sizes)} do not satisfy the facts")
    if proof.by == "rank":
        return by_ranks(proof.claim.word, proof.claim.arguments)
    if proof.by == "cases" and not claim.shapes:
        return by_points(claim, proof.texts)
    grounds, parts = {"exact arithmetic"}, list(claim.parts(proof.by, proof.texts))
    if sorted(part.name for part in parts) != sorted(proof.parts):
        raise Malformed(f"parts: {', '.join(part.name for part in parts)} are wanted")
    cases = proof.by in ("script", "blocks")  # whose names may come to mean other sizes
    own = frozenset[Relation]() if cases else claim.own
    for part in (p for p in parts if cases or not p.nowhere):
        at, values = part.name, proof.parts[part.name]
        facts = claim.facts if part.facts is None else part.facts
        names = claim.names if part.names is None else part.names
        ledger = Ledger([*facts, *part.premises], names, part.box, own, work)
        try:
            for n, step in enumerate(values.steps):
                word = step.law if isinstance(step, Use) else type(step).__name__.lower()
                at = f"{part.name}: step {n} ({word})"
                ledger.apply(step)
            if len(values.goals) != len(part.goals):
                raise Rejected(f"{len(values.goals)} reasons for {len(part.goals)} goals")
            for n, (goal, why) in enumerate(zip(part.goals, values.goals)):
                at = f"{part.name}: goal {n}"
                ledger.prove(goal, why)
            if part.constant & ledger.varying:
                raise Rejected("what gives the coordinates back depends on more than the offset")
        except (Rejected, LayoutError) as error:
            raise Rejected(f"{at}: {getattr(error, 'message', error)}") from None
        grounds |= ledger.relied
    return grounds
