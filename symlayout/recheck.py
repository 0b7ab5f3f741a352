"""`recheck`: verifies a certificate with nothing of the prover.

A claim is read again from its text; what it means comes down to relations between integer expressions
(`meaning.py`).  A certificate says which steps lead there: facts, ranges of coordinates, instances of
the laws of `lemmas.toml`, checked in exact arithmetic; what is left goes to all installed solvers.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from importlib.resources import files
from itertools import product
from operator import mul
from typing import Any, NamedTuple

from sympy import Add, Expr, Integer, Mul, Pow, Symbol, sympify

from symlayout.cases import failing_case
from symlayout.errors import LayoutError
from symlayout.facts import Relation, read_relations
from symlayout.meaning import REWRITTEN, Claim
from symlayout.reader import read_expression
from symlayout.solvers import answers

FORMAT, VERSION = "symlayout-certificate", 2
MALFORMED = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)
Terms = tuple[tuple[tuple[str, ...], int], ...]  # (unknowns of a product, coefficient)


class Rejected(Exception):
    """A step of a certificate that does not hold; the message says what is wrong."""


# -- exact arithmetic -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Poly:
    """A polynomial with integer coefficients; its terms are sorted, none is 0."""

    terms: Terms = ()

    @staticmethod
    def of(terms: Iterable[tuple[tuple[str, ...], int]]) -> Poly:
        """The sum of the terms."""
        total: dict[tuple[str, ...], int] = {}
        for m, c in terms:
            total[m] = total.get(m, 0) + c
        return Poly(tuple(sorted((m, c) for m, c in total.items() if c)))

    def __str__(self) -> str:
        parts = ["*".join([str(c), *m] if abs(c) != 1 or not m else m) for m, c in self.terms]
        signs = ["-" if c == -1 and m else "" for m, c in self.terms]
        return " + ".join(map("".join, zip(signs, parts))).replace("+ -", "- ") or "0"

    def __add__(self, other: Poly | int) -> Poly:
        return Poly.of([*self.terms, *as_poly(other).terms])

    def __sub__(self, other: Poly | int) -> Poly:
        return self + -as_poly(other)

    def __neg__(self) -> Poly:
        return Poly(tuple((m, -c) for m, c in self.terms))

    def __mul__(self, other: Poly | int) -> Poly:
        both = product(self.terms, as_poly(other).terms)
        return Poly.of((tuple(sorted(m + n)), c * d) for (m, c), (n, d) in both)

    @property
    def atoms(self) -> set[str]:
        """The unknowns that occur."""
        return {a for m, _ in self.terms for a in m}

    def put(self, table: Mapping[str, Poly]) -> Poly:
        """Every unknown of the table replaced, all at once."""
        total: list[tuple[tuple[str, ...], int]] = []
        for m, c in self.terms:
            part = Poly.of([(tuple(a for a in m if a not in table), c)])
            for a in m:
                part = part * table[a] if a in table else part
            total += part.terms
        return Poly.of(total)

    @property
    def smt(self) -> str:
        """The polynomial in SMT-LIB 2."""
        signed = [(str(c) if c >= 0 else f"(- {-c})", m) for m, c in self.terms]
        terms = [f"(* 1 {' '.join([c, *[f'|{a}|' for a in m]])})" for c, m in signed]
        return f"(+ 0 0 {' '.join(terms)})"


def as_poly(x: Poly | int | str) -> Poly:
    """A polynomial, a number, or an unknown by its name."""
    return x if isinstance(x, Poly) else Poly.of([((x,), 1) if isinstance(x, str) else ((), x)])


@lru_cache(maxsize=100_000)
def poly(text: Any) -> Poly:
    """The polynomial of a text without divisions."""
    return Ledger((), (), {}).walk(read_expression(str(text)))


# -- the kernel -----------------------------------------------------------------------------------


class Law(NamedTuple):
    """A row of `lemmas.toml`: for all variables, the premises give the conclusions."""

    variables: Sequence[str]
    new: Mapping[str, str]
    premises: Sequence[Relation]
    conclusions: Sequence[Relation]


@cache
def laws() -> dict[str, Law]:
    """The laws that steps are instances of, by name."""
    made = {}
    for name, row in tomllib.loads((files("symlayout") / "lemmas.toml").read_text()).items():
        new, texts = row.get("new", {}), (row.get("if", ()), row["then"])
        given, after = ([r for t in several for r in read_relations(t)] for several in texts)
        words = {n for r in given + after for n in r.names} - set(new)
        made[name] = Law(sorted(words), new, given, after)
    return made


class Ledger:
    """What is known at one moment of a proof; `apply` checks a step and adds what it gives."""

    def __init__(
        self, facts: Sequence[Relation], names: Iterable[str], box: Mapping[str, Expr]
    ) -> None:
        self.facts, self.box = facts, box
        self.known: dict[Poly, None] = {}  # each is >= 0
        self.nonzero: dict[Poly, None] = {}
        self.natural: set[str] = set()  # unknowns that are certainly >= 0
        self.value: dict[str, Poly] = {}  # what an unknown has been replaced by
        self.rewritten: dict[tuple[Any, ...], Poly] = {}  # (division or extreme, operands)
        self.names, self.varying = {*names, *box}, set(box)  # varying: depends on coordinates
        self.relied: set[str] = set()

    def resolve(self, p: Poly) -> Poly:
        """The polynomial with every replaced unknown replaced."""
        while not p.atoms.isdisjoint(self.value):
            p = p.put(self.value)
        return p

    def read(self, text: Any) -> Poly:
        """The polynomial of a text about unknowns that there are."""
        if not (p := poly(text)).atoms <= self.names:
            raise Rejected(f"{text} speaks of what is not known here")
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
        done: dict[Expr, Poly] = {}

        def visit(x: Expr) -> Poly:
            if x not in done:
                done[x] = self.resolve(build(x))
            return done[x]

        def build(x: Expr) -> Poly:
            if isinstance(x, Symbol):
                return (env or {}).get(x.name) or as_poly(x.name)
            if isinstance(x, Integer):
                return as_poly(int(x))
            args = [visit(a) for a in x.args]
            if isinstance(x, Add):
                return sum(args, Poly())
            if isinstance(x, Mul):
                return reduce(mul, args)
            if isinstance(x, Pow) and x.exp.is_Integer and x.exp >= 0:
                return reduce(mul, [args[0]] * int(x.exp), as_poly(1))
            if isinstance(x, REWRITTEN):  # of two operands, a minimum or maximum also of more
                return reduce(lambda a, b: self.rewrite(type(x), a, b), args)
            raise Rejected(f"{x} is no integer expression")

        return visit(sympify(e))

    def rewrite(self, word: Any, a: Poly, b: Poly) -> Poly:
        """What a step says that a division, minimum or maximum is."""
        key = (word, self.resolve(a), self.resolve(b))
        return self.resolve(self.rewritten[key] if key in self.rewritten else self.missing(*key))

    def missing(self, word: Any, a: Poly, b: Poly) -> Poly:
        """What to do where no step says it; raises `Rejected`."""
        raise Rejected(f"no step says what {word.__name__}({a}, {b}) is")

    def assume(self, r: Relation, env: Mapping[str, Poly], rewrite: bool = False) -> None:
        """From now on the relation holds; as a rewriting rule its left side is the right one."""
        right = self.walk(r.right, env)
        if rewrite and r.op == "==" and isinstance(r.left, REWRITTEN):
            key = (type(r.left), *[self.walk(a, env) for a in r.left.args])
            right -= self.rewritten.setdefault(key, right)  # there is but one quotient
        else:
            right -= self.walk(r.left, env)
        if r.op == "!=":
            self.nonzero[right] = None
        if right.terms and r.op in ("<", "<=", "=="):
            self.know(right - int(r.op == "<"))
        if right.terms and r.op in (">", ">=", "=="):
            self.know(-right - int(r.op == ">"))

    def show(self, op: str, p: Poly, why: Any) -> None:
        """Checks the reason why `p op 0`; raises `Rejected`."""
        p = self.resolve(p)
        match op, why:
            case "<" | "<=" | ">", _:
                self.show(">=", (p if op == ">" else -p) - int(op != "<="), why)
            case _, ["smt", str(text)]:
                self.ask([(op, p)], text)
            case "==", "identity" if not p.terms:
                pass
            case "==", [least, most]:
                self.show(">=", p, least)
                self.show(">=", -p, most)
            case "!=", "known" if p in self.nonzero or -p in self.nonzero:
                pass
            case "!=", ["positive" | "negative" as sign, inner]:
                self.show(">=", (p if sign == "positive" else -p) - 1, inner)
            case ">=", "known" if p in self.known:
                pass
            case ">=", "plain" if p.atoms <= self.natural and all(c > 0 for _, c in p.terms):
                pass
            case ">=", [str(name), dict(given), *whys] if name in laws():
                law, env = laws()[name], {v: self.resolve(self.read(t)) for v, t in given.items()}
                (goal,) = law.conclusions
                for left in set(law.variables) - set(env):  # one may be left out: what remains
                    env[left] = Poly()
                    env[left] = p - self.walk(goal.left, env)
                if goal.op != ">=" or self.walk(goal.left - goal.right, env) != p:
                    raise Rejected(f"{p} >= 0 is no instance of {name}")
                self.premises(name, env, whys)
            case _:
                raise Rejected(f"no reason is given why {p} {op} 0")

    def premises(self, name: str, env: Mapping[str, Poly], whys: Sequence[Any]) -> None:
        """Checks what a law demands."""
        self.relied.add(f"law {name}")
        for k, (r, why) in enumerate(zip(laws()[name].premises, whys, strict=True)):
            try:
                self.show(r.op, self.walk(r.left, env) - self.walk(r.right, env), why)
            except Rejected as error:
                raise Rejected(f"{name}, premise {k}: {error}") from None

    def prove(self, goal: Sequence[Relation], why: Any) -> None:
        """Checks that one of the relations holds."""
        sides = [(r.op, self.walk(r.left) - self.walk(r.right)) for r in goal]
        match why:
            case ["smt", str(text)]:
                self.ask(sides, text)
            case ["this", int(k), inner] if 0 <= k < len(sides):
                self.show(*sides[k], inner)
            case _:
                raise Rejected(f"no reason is given why {' or '.join(map(str, goal))}")

    def obligation(self, sides: Sequence[tuple[str, Poly]]) -> str:
        """The question whether all of `p op 0` can be false with what is known, in SMT-LIB 2."""
        goals = [(op, self.resolve(p), "false") for op, p in sides]
        known = [(">=", self.resolve(p), "true") for p in self.known]
        known += [("!=", self.resolve(p), "true") for p in self.nonzero]
        atoms, size = {a for _, p, _ in goals for a in p.atoms}, -1
        while size < len(atoms):
            size = len(atoms)
            atoms |= {a for _, p, _ in known if p.atoms & atoms for a in p.atoms}
        rows = dict.fromkeys([k for k in known if k[1].atoms & atoms] + goals)
        logic = "QF_NIA" if any(len(m) > 1 for _, p, _ in rows for m, _ in p.terms) else "QF_LIA"
        lines = [f"(set-logic {logic})", *[f"(declare-const |{a}| Int)" for a in sorted(atoms)]]
        for op, p, truth in rows:
            sign = {"==": "=", "!=": "distinct"}.get(op, op)
            lines.append(f"(assert (= {truth} ({sign} {p.smt} 0)))")
        return "\n".join([*lines, "(check-sat)"])

    def ask(self, sides: Sequence[tuple[str, Poly]], text: str) -> None:
        """Asks the solvers; the certificate must hold the very text of the obligation."""
        if text != self.obligation(sides):
            raise Rejected("the obligation is not the one that the step needs")
        said = answers(text)
        if set(said.values()) != {"unsat"}:
            raise Rejected(f"the solvers do not confirm the obligation: {said}")
        self.relied |= set(said)

    def apply(self, s: Mapping[str, Any]) -> None:
        """Checks one step and adds what it gives; raises `Rejected`."""
        match s["step"]:
            case "fact":
                self.assume(self.facts[range(len(self.facts))[s["fact"]]], {})
            case "coordinate":  # 0 <= name < its size
                self.know(as_poly(s["name"]))
                self.know(self.walk(self.box[s["name"]]) - 1 - as_poly(s["name"]))
            case "have":  # something that follows, for later use
                self.show(">=", self.read(s["that"]), s["why"])
                self.know(poly(s["that"]))
            case "solve":  # from now on the unknown stands for a polynomial that it equals
                name, p = s["atom"], self.resolve(self.read(s["is"]))
                if name in p.atoms or name in self.value or name not in self.names:
                    raise Rejected(f"{name} cannot be replaced by {p}")
                self.show("==", p - as_poly(name), s["why"])
                self.value[name] = p
                self.nonzero = {self.resolve(k): None for k in self.nonzero}
                before, self.known = self.known, {}
                for k in before:
                    self.know(k)
                for word, *pair in list(self.rewritten):
                    made = self.rewritten.pop((word, *pair))
                    self.rewritten[word, *map(self.resolve, pair)] = made
            case "law":
                law = laws()[s["law"]]
                env = {v: self.read(s["with"][v]) for v in law.variables}
                self.premises(s["law"], env, s["why"])
                varies = any(p.atoms & self.varying for p in env.values())
                for v in law.new:
                    name = s["new"][v]
                    if name in self.names or not str(name).isidentifier():
                        raise Rejected(f"{name!r} is no new name")
                    self.names.add(name)
                    self.varying |= {name} if varies else set()
                    env[v] = as_poly(name)
                for r in law.conclusions:
                    self.assume(r, env, rewrite=True)
            case other:
                raise Rejected(f"{other!r} is no step")


@dataclass(frozen=True)
class Rechecked:
    """What came of a recheck: whether the claim is proved, what that relied on, what failed."""

    ok: bool
    claim: str
    relied: tuple[str, ...]
    failures: tuple[str, ...]


def seal(certificate: Mapping[str, Any]) -> str:
    """A checksum of all that a certificate holds: whoever changes it by accident is told."""
    content = {k: v for k, v in certificate.items() if k != "seal"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def recheck(certificate: Mapping[str, Any], claim: str | None = None) -> Rechecked:
    """Verifies a certificate without the prover; `claim` is the text that it must be for.

    >>> from symlayout import prove
    >>> made = recheck(prove.injective("f32[M,N]{1,0:T(8,128)}").certificate)
    >>> made.ok, made.claim
    (True, 'injective "f32[M,N]{1,0:T(8,128)}"')

    `failures` names each step that does not hold.  Raises nothing for a certificate that is wrong.
    """
    relied, text, at = {"exact arithmetic"}, "", "certificate"
    try:
        if (certificate["format"], certificate["version"]) != (FORMAT, VERSION):
            raise Rejected(f"not a {FORMAT} of version {VERSION}")
        made = Claim(certificate)
        text = str(made)
        if claim is not None and shlex.split(claim) != shlex.split(text):
            raise Rejected(f"the certificate is for {text}, not for {claim}")
        if not made.allows(certificate["sizes"]):
            raise Rejected(f"the sizes {certificate['sizes']} do not satisfy the facts")
        by, texts, parts = (certificate[k] for k in ("by", "texts", "parts"))
        if by == "cases":
            at, relied = "cases", {"every allowed point"}
            if (sizes := failing_case(made, texts)) is not None:
                raise Rejected(f"the claim fails at {sizes}")
        for part in made.parts(by, texts) if by != "cases" else ():
            at, held = part.name, parts[part.name]
            ledger = Ledger([*made.facts, *part.given], made.names, part.box)
            for n, step in enumerate(held["steps"]):
                at = f"{part.name}: step {n} ({step.get('law', step['step'])})"
                ledger.apply(step)
            for n, (goal, why) in enumerate(zip(part.goals, held["goals"], strict=True)):
                at = f"{part.name}: goal {n}"
                ledger.prove(goal, why)
            if part.constant & ledger.varying:
                raise Rejected("what gives the coordinates back depends on more than the offset")
            relied |= ledger.relied
        at = "seal"
        if certificate["seal"] != seal(certificate):
            raise Rejected("the certificate has been changed after it was made")
    except (LayoutError, Rejected) as why:
        return Rechecked(False, text, tuple(sorted(relied)), (f"{at}: {why}",))
    except MALFORMED as why:
        return Rechecked(False, text, (), (f"{at}: malformed ({type(why).__name__}: {why})",))
    return Rechecked(True, text, tuple(sorted(relied)), ())
