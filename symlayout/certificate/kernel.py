"""`recheck`: verifies a certificate with nothing of the prover.

A claim is read again from its text; what it means comes down to relations between integer expressions
(`meaning.py`).  A certificate says which steps lead there: facts, ranges of coordinates, instances of
the laws of `lemmas.toml`, checked in exact arithmetic; what is left goes to all installed solvers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symlayout.certificate.bits import by_ranks
from symlayout.certificate.exact import (
    QUESTION,
    Poly,
    Rejected,
    Work,
    as_poly,
    avoid,
)
from symlayout.certificate.opening import opened
from symlayout.certificate.proof import (
    Both,
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
    laws,
)
from symlayout.certificate.semantics import Claim
from symlayout.certificate.state import ProofState
from symlayout.certificate.target import claim_of, compare
from symlayout.errors import LayoutError
from symlayout.expr.relations import Relation


class Checker(ProofState):
    """What is known, and why: `apply` checks a step before it adds what the step gives."""

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self.relied: set[str] = set()

    def apply(self, step: Step) -> None:
        """Checks one step and adds what it gives; raises `Rejected`."""
        match step:
            case Have(that, why):
                self.show(">=", self.known_here(that), why)
            case Solve(name, value, why):
                self.show("==", self.replacement(name, value) - as_poly(name), why)
            case Use(law, arguments, _, whys):
                self.premises(law, self.values(arguments), whys)
        self.take(step)

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
        from symlayout.certificate.solvers import answers

        texts = answers(self.obligation(sides))
        if set(texts.values()) != {"unsat"}:
            raise Rejected(f"the solvers do not confirm the obligation: {texts}")
        self.relied |= set(texts)


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
        from symlayout.certificate.enumeration import by_points

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
        checker = Checker([*facts, *part.premises], names, part.box, own, work)
        try:
            for n, step in enumerate(values.steps):
                word = step.law if isinstance(step, Use) else type(step).__name__.lower()
                at = f"{part.name}: step {n} ({word})"
                checker.apply(step)
            if len(values.goals) != len(part.goals):
                raise Rejected(f"{len(values.goals)} reasons for {len(part.goals)} goals")
            for n, (goal, why) in enumerate(zip(part.goals, values.goals)):
                at = f"{part.name}: goal {n}"
                checker.prove(goal, why)
            if part.constant & checker.varying:
                raise Rejected("what gives the coordinates back depends on more than the offset")
        except (Rejected, LayoutError) as error:
            raise Rejected(f"{at}: {getattr(error, 'message', error)}") from None
        grounds |= checker.relied
    return grounds
