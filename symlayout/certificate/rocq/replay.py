"""The steps of a certificate as the steps of a proof in Rocq: instances of lemmas, `ring`.

What this module prints need not be believed: Rocq checks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from symlayout.certificate.exact import FREE, Poly, Rejected, as_poly, of_number
from symlayout.certificate.proof import (
    Both,
    Coordinate,
    Defined,
    Fact,
    Have,
    Instance,
    Law,
    Plain,
    Reason,
    Remainders,
    Signed,
    Solve,
    Step,
    This,
    Use,
    laws,
    without_division,
)
from symlayout.certificate.rocq.identities import identical, natural
from symlayout.certificate.rocq.lemmas import lemma_name
from symlayout.certificate.rocq.terms import (
    OPERATORS,
    missing,
    name,
    needs,
    number,
    outer,
    relation,
    term,
)
from symlayout.certificate.semantics import REWRITTEN
from symlayout.certificate.state import ProofState
from symlayout.expr.facts import Relation
from symlayout.expr.terms import Application, divisors_of, symbol
from symlayout.expr.tree import Expr

WORD = re.compile(r"[A-Za-z_][\w']*")
# what a line is for: a hypothesis, an unknown with what it equals, other words for a hypothesis
INTRODUCED = re.compile(
    r"^(?:pose proof .* as|destruct \(named .* as|(?:try )?rewrite .* in) (\[?[\w' ]+\]?)\.$"
)
GLUE = {">=": "ge", ">": "gt", "<=": "le", "<": "lt", "==": "eq", "!=": "ne"}


def written(p: Poly) -> str:
    """A polynomial, in brackets where it is more than one word.

    >>> print(written(as_poly("x") * 3 - 2), written(as_poly("x")))
    ((-2) + 3 * x) x
    """
    texts = []
    for unknowns, c in p.terms:
        factors = [*([number(c)] if c != 1 or not unknowns else []), *map(name, unknowns)]
        texts.append(" * ".join(factors))
    whole = " + ".join(texts) or "0"
    return whole if " " not in whole or (len(p.terms) == 1 and not p.atoms) else f"({whole})"


@dataclass(frozen=True)
class Rule:
    """That an operation of some texts is another one, what shows it, and unknowns in the texts."""

    proof: str
    operands: tuple[str, ...]
    right: str
    loose: frozenset[str]


class Replay(ProofState):
    """A proof state whose every relation has a hypothesis of Rocq, by its name."""

    def __init__(self, facts: Sequence[str], *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self.lines: list[str] = []
        self.stated = facts  # the hypothesis of each fact
        self.count = 0
        self.proofs: dict[Poly, tuple[str, Poly]] = {}  # of p >= 0; the polynomial as it is stated
        self.others: dict[Poly, tuple[str, Poly]] = {}  # of p != 0
        self.signs: dict[str, str] = {}  # that an unknown is not negative
        self.ranges: dict[str, tuple[str, str]] = {}  # the hypotheses about a coordinate
        self.rules: dict[tuple[Any, ...], Rule] = {}
        # of the unknowns that are replaced, in their order; and what replaces them
        self.equations: dict[str, tuple[str, Poly]] = {}
        self.needs: list[list[str]] = []  # of each fact
        self.divisors: dict[
            Poly, tuple[str, str, frozenset[str]]
        ] = {}  # proofs that they are not 0
        self.fixed: dict[
            str, str
        ] = {}  # unknowns that the statement has already, and what they are

    def fresh(self) -> str:
        """A name that no size has."""
        self.count += 1
        return f"H{self.count}'"

    def keep(self, proof: str) -> str:
        """A hypothesis with this proof."""
        result = self.fresh()
        self.lines.append(f"pose proof ({proof}) as {result}.")
        return result

    def equal(self, left: str, right: str, loose: Iterable[str] = ()) -> str:
        """The proof that two polynomials are equal, in which unknowns may be replaced."""
        if outer(left) == outer(right):
            return "eq_refl"
        atoms, rows = set(loose), list[tuple[str, str, str]]()
        for atom, (equation, p) in self.equations.items():
            if atom in atoms:
                rows.append((name(atom), f"{left} = {right}", equation))
                left, right = (instead(t, name(atom), written(p)) for t in (left, right))
                atoms |= p.atoms
        proof = identical(left, right, {})
        for x, text, equation in reversed(rows):
            proof = f"(eq_ind_r (fun {x} => {text}) {proof} {equation})"
        return proof

    # -- what is known ----------------------------------------------------------------------------

    def natural_proof(self, p: Poly) -> str:
        """The proof of p >= 0."""
        if p not in self.proofs:
            raise Rejected(f"nothing says that {p} >= 0")
        proof, stated = self.proofs[p]
        if stated != p:
            proof = self.keep(
                f"moved {written(p)} _ {proof} {self.equal(written(p), written(stated), stated.atoms)}"
            )
            self.proofs[p] = proof, p
        return proof

    def sign(self, atom: str) -> str:
        """The proof that an unknown is not negative."""
        if atom not in self.signs:
            x = as_poly(atom)
            bounds = [(x - c, c) for q in self.proofs for c in [self.bound(q, x)] if c is not None]
            if not bounds:
                raise Rejected(f"nothing says that {atom} >= 0")
            p, c = bounds[0]
            proof = self.natural_proof(p)
            if c:
                numeral = f"(Pos2Z.is_nonneg {c})"
                equal = self.equal(name(atom), f"{written(p)} + {c}")
                proof = self.keep(f"natural_by {name(atom)} _ {c} {proof} {numeral} {equal}")
            self.signs[atom] = proof
        return self.signs[atom]

    def bound(self, q: Poly, x: Poly) -> int | None:
        """The number c >= 0 for which q is x - c."""
        rest = x - q
        c = dict(rest.terms).get((), 0)
        return c if not rest.atoms and c >= 0 else None

    def learn(self, p: Poly, proof: str, stated: Poly | None = None) -> None:
        """From now on p >= 0, by that proof."""
        super().know(p)
        self.proofs.setdefault(self.resolve(p), (proof, p if stated is None else stated))

    def replace(self, name: str, p: Poly) -> None:
        """An unknown is replaced: what is known is known of other polynomials."""
        super().replace(name, p)
        divisors, self.divisors = self.divisors, {}
        for q, reason in divisors.items():
            self.divisors.setdefault(self.resolve(q), reason)
        for table in (self.proofs, self.others):
            before = list(table.items())
            table.clear()
            for q, row in before:
                table.setdefault(self.resolve(q), row)
        for word, *operands in list(self.rules):
            rule = self.rules.pop((word, *operands))
            self.rules[word, *map(self.resolve, operands)] = rule

    # -- reasons ----------------------------------------------------------------------------------

    def show(self, op: str, p: Poly, why: Reason) -> tuple[str, Poly]:
        """The proof of `p op 0`; of an inequality that its polynomial is >= 0, which is given."""
        p = self.resolve(p)
        match op, why:
            case "<" | "<=" | ">", _:
                return self.show(">=", (p if op == ">" else -p) - int(op != "<="), why)
            case _, Plain("smt"):
                return self.searched(op, p), p
            case "==", Plain("identity"):
                return "(eq_refl 0)", p
            case "==", Both(least, most):
                (a, q), (b, r) = self.show(">=", p, least), self.show(">=", -p, most)
                equal = self.equal(written(r), f"- {written(q)}")
                return f"(both_ends {written(q)} {written(r)} {a} {b} {equal})", p
            case "!=", Plain("known"):
                return self.other(p), p
            case "!=", Signed(positive, inner):
                a, q = self.show(">=", (p if positive else -p) - 1, inner)
                word = "positive" if positive else "negative"
                equal = self.equal(written(q), f"{'' if positive else '- '}{written(p)} - 1")
                return f"({word}_ne {written(p)} {written(q)} {a} {equal})", p
            case ">=", Plain("known"):
                return self.natural_proof(p), p
            case ">=", Plain("plain"):
                return self.plainly(p), p
            case ">=", Instance():
                return self.instance(p, why), p
            case _, Remainders():
                raise missing("a proof by all remainders modulo a number")
        raise Rejected(f"no reason is given why {p} {op} 0")

    def searched(self, op: str, p: Poly) -> str:
        """What only a solver has confirmed: Rocq's own search for a proof has to show it."""
        result = self.fresh()
        says = {">=": f"0 <= {written(p)}", "==": f"{written(p)} = 0", "!=": f"{written(p)} <> 0"}
        self.lines.append(f"assert ({says[op]}) as {result} by (first [lia | nia]).")
        return result

    def plainly(self, p: Poly) -> str:
        """No coefficient and no unknown is negative."""
        if any(c < 0 for _, c in p.terms):
            raise Rejected(f"{p} has a coefficient below 0")
        if not p.atoms:
            return f"(Pos2Z.is_nonneg {written(p)})" if p.terms else "(Z.le_refl 0)"
        return natural(written(p), {name(a): self.sign(a) for a in sorted(p.atoms)})

    def other(self, p: Poly) -> str:
        """The proof that p is not 0, which is known of p or of -p."""
        if p in self.others:
            proof, stated = self.others[p]
            equal = self.equal(written(p), written(stated), stated.atoms)
            return f"(moved_ne {written(p)} _ {proof} {equal})"
        if -p not in self.others:
            raise Rejected(f"nothing says that {p} is not 0")
        proof, stated = self.others[-p]
        equal = self.equal(written(p), f"- {written(stated)}", stated.atoms)
        return f"(opposite_ne {written(p)} _ {proof} {equal})"

    def instance(self, p: Poly, why: Instance) -> str:
        """That p >= 0 is what a law says."""
        law, env = laws()[why.law], {v: self.resolve(q) for v, q in why.arguments}
        (goal,) = law.conclusions
        for left in set(law.variables) - set(env):
            env[left] = Poly()
            env[left] = p - self.apart(goal, env)
        whole = self.law(why.law, env, {}, why.whys)
        equal = self.equal(written(p), outer(term(goal.left, spelling(env))))
        return f"(instance_by {written(p)} _ {whole} {equal})"

    def law(
        self, word: str, env: Mapping[str, Poly], new: Mapping[str, str], whys: Sequence[Reason]
    ) -> str:
        """An instance of a lemma, with the proofs of what it demands."""
        law = laws()[word]
        premises = [self.demand(r, env, why) for r, why in zip(law.premises, whys, strict=True)]
        arguments = [written(env[v]) for v in law.variables] + [name(new[v]) for v in law.new]
        defined = [self.fixed.get(new[v], "eq_refl") for v in law.new]
        return f"({lemma_name(word)} {' '.join([*arguments, *defined, *premises])})"

    def demand(self, r: Relation, env: Mapping[str, Poly], why: Reason) -> str:
        """The proof of a premise of a law."""
        loose = frozenset(a for n in r.names for a in env[n].atoms)
        return self.of_relation(r, spelling(env), loose, self.apart(r, env), why)

    def of_relation(
        self, r: Relation, texts: Mapping[Expr, str], loose: Iterable[str], p: Poly, why: Reason
    ) -> str:
        """The proof of a relation whose sides are p apart."""
        left, right = term(r.left, texts), term(r.right, texts)
        if r.op == ">=" and whole_number(left) and whole_number(right):
            return f"(ge_numbers {left} {right} eq_refl)"
        proof, q = self.show(r.op, p, why)
        if r.op == ">=" and right == "0" and left == written(q):
            return f"(ge_itself {left} {proof})"
        equal = self.equal(written(q), margin(GLUE[r.op], left, right), loose)
        return f"({GLUE[r.op]}_by {written(q)} {left} {right} {proof} {equal})"

    # -- operations -------------------------------------------------------------------------------

    def rewritten_in(
        self,
        sides: Iterable[Expr],
        env: Mapping[str, Poly],
        texts: dict[Expr, str],
        loose: set[str],
        where: str,
    ) -> None:
        """Every operation in some expressions replaced by what a step says that it is."""
        for e in operations(sides):
            if e in texts:
                continue
            if not isinstance(e, REWRITTEN):
                raise missing(f"the operation in {e}")
            operands = [term(a, texts) for a in e.args]
            polys = [self.walk(a, env) if env else self.walk(a) for a in e.args]

            join = partial(self.apply_rule, type(e), loose=loose, where=where)
            texts[e] = e.row.joined(join, list(zip(operands, polys)))[0]

    def apply_rule(
        self, word: Any, *rows: tuple[str, Poly], loose: set[str], where: str
    ) -> tuple[str, Poly]:
        """An operation replaced by what it is, in the goal or in a hypothesis."""
        key = (word, *[self.resolve(p) for _, p in rows])
        value = of_number(*key)
        if value is not None:
            texts = tuple(written(p) for p in key[1:])
            rule = Rule("eq_refl", texts, written(value), frozenset())
        elif key in self.rules:
            rule = self.rules[key]
        else:
            raise Rejected(f"no step says what {word.__name__} of {rows[0][0]} is")
        atoms = loose | rule.loose
        equal = [self.equal(t, x, atoms) for (t, _), x in zip(rows, rule.operands)]
        both = " ".join([*[t for t, _ in rows], *rule.operands, rule.right])
        through = "through" if len(rows) == 1 else "through2"
        proof = f"{through} {symbol_of(word)} {both} {rule.proof} {' '.join(equal)}"
        line = f"rewrite ({proof}){where}."
        # two operations may be one after what is inside of them has been replaced
        self.lines.append(f"try {line}" if line in self.lines else line)
        loose |= rule.loose
        return rule.right, value if value is not None else self.rewritten[key]

    # -- steps ------------------------------------------------------------------------------------

    def apply(self, step: Step) -> None:
        """Prints one step, and adds what it gives."""
        match step:
            case Fact(number):
                if number >= len(self.facts):
                    raise Rejected(f"there is no fact {number}")
                self.suppose(self.facts[number], {}, self.stated[number])
            case Defined(number):
                self.nonzero_of(number)
            case Coordinate(x):
                if x not in self.ranges:
                    raise Rejected(f"{x} is not a coordinate here")
                low, high = self.ranges[x]
                self.learn(as_poly(x), low)
                self.suppose(Relation("<", symbol(x), self.box[x]), {}, high)
            case Have(that, why):
                p = self.resolve(that)
                proof, _ = self.show(">=", p, why)
                self.learn(p, self.keep(proof))
            case Solve(atom, value, why):
                p = self.replacement(atom, value)
                proof, q = self.show("==", p - as_poly(atom), why)
                same = self.equal(written(q), f"{written(p)} - {name(atom)}")
                equal = f"eq_by {written(q)} {written(p)} {name(atom)} {proof} {same}"
                self.equations[atom] = self.keep(f"eq_sym ({equal})"), p
                self.replace(atom, p)
            case Use(law, arguments, new, whys):
                self.use_law(law, self.values(arguments), new, whys)

    def use_law(
        self, word: str, env: dict[str, Poly], new: Mapping[str, str], whys: Sequence[Reason]
    ) -> None:
        """An instance of a law, with its conclusions."""
        law = laws()[word]
        self.introduce(word, env, new)
        whole = self.law(word, env, new, whys)
        self.keep_divisor(law, env, whys)
        names = conjuncts(self.keep(whole), len(law.conclusions))
        varies = any(p.atoms & self.varying for p in env.values())
        for v in law.new:
            self.names.add(new[v])
            self.varying |= {new[v]} if varies else set()
            env[v] = as_poly(new[v])
        for r, n in zip(law.conclusions, names):
            self.suppose(r, env, n, rule=True)

    def keep_divisor(self, law: Law, env: Mapping[str, Poly], whys: Sequence[Reason]) -> None:
        """That what a law divides by is not 0, for goals that have to have a value."""
        for r, why in zip(law.premises, whys):
            if (str(r.left), r.op, str(r.right)) == ("d", ">=", "1") and env["d"].atoms:
                proof = f"(not_zero {written(env['d'])} {self.demand(r, env, why)})"
                text = written(env["d"])
                p = self.resolve(env["d"])
                self.divisors.setdefault(p, (self.keep(proof), text, frozenset(env["d"].atoms)))

    def introduce(self, word: str, env: Mapping[str, Poly], new: Mapping[str, str]) -> None:
        """Names for the unknowns of a law, with what they equal."""
        for v, text in new_of(word, env):
            x = new[v]
            if x not in self.fixed:
                defined = self.fresh()
                self.lines.append(f"destruct (named {text}) as [{name(x)} {defined}].")
                self.fixed[x] = defined

    def suppose(self, r: Relation, env: Mapping[str, Poly], proof: str, rule: bool = False) -> None:
        """From now on the relation holds, by that proof."""
        apart = without_division(r, FREE if rule else self.work)
        texts = spelling(env)
        loose = {a for n in r.names for a in (env[n].atoms if n in env else {n})}
        if apart is not None:
            right = -self.resolve(apart.put(env, self.work))
        elif rule and r.op == "==" and isinstance(r.left, REWRITTEN):
            self.as_rule(r, env, texts, loose, proof)
            return
        else:
            copy = self.keep(proof)
            self.rewritten_in((r.left, r.right), env, texts, loose, f" in {copy}")
            right = self.walk(r.right, env or None) - self.walk(r.left, env or None)
            proof = copy
        left, right_text = term(r.left, texts), term(r.right, texts)
        sides = f"{left} {right_text} {proof} "
        if r.op == "!=":
            equal = self.equal(written(right), margin("qe", left, right_text), loose)
            fact = self.keep(f"of_ne {written(right)} {sides}{equal}")
            self.nonzero[right] = None
            self.others[right] = fact, right
        strict = int(r.op in ("<", ">"))
        if not (right.terms or strict):
            return
        words = {"<": ["lt"], "<=": ["le"], ">": ["gt"], ">=": ["ge"], "==": ["qe", "eq"]}
        for word in words.get(r.op, ()):
            p = (right if word in ("lt", "le", "qe") else -right) - strict
            if word == "ge" and (term(r.left, texts), term(r.right, texts)) == (
                written(p),
                "0",
            ):
                fact = self.keep(f"of_itself {written(p)} {proof}")
            else:
                equal = self.equal(written(p), margin(word, left, right_text), loose)
                fact = self.keep(f"of_{word} {written(p)} {sides}{equal}")
            self.learn(p, fact)

    def as_rule(
        self,
        r: Relation,
        env: Mapping[str, Poly],
        texts: dict[Expr, str],
        loose: set[str],
        proof: str,
    ) -> None:
        """The left side is from now on the right one; where it had a value, both are equal."""
        right = self.walk(r.right, env)
        key: tuple[Any, ...] = (type(r.left), *[self.walk(a, env) for a in r.left.args])
        if any(operations([*r.left.args, r.right])):
            copy = self.keep(proof)
            inner = [*r.left.args, r.right]
            self.rewritten_in(inner, env, texts, loose, f" in {copy}")
            proof = copy
        operands = tuple(term(a, texts) for a in r.left.args)
        right_text = term(r.right, texts)
        value = of_number(*key)
        if value is None and key not in self.rewritten:
            self.rewritten[key] = right
            self.rules[key] = Rule(proof, operands, right_text, frozenset(loose))
            return
        if value is None:
            before, known = self.rules[key], self.rewritten[key]
        else:
            sides = tuple(map(written, key[1:]))
            before, known = Rule("eq_refl", sides, written(value), frozenset()), value
        rest = right - known
        if rest.terms:
            atoms = loose | before.loose
            equal = [self.equal(a, b, atoms) for a, b in zip(operands, before.operands)]
            both = " ".join([*operands, *before.operands, before.right])
            word = "through" if len(operands) == 1 else "through2"
            other = f"({word} {symbol_of(type(r.left))} {both} {before.proof} {' '.join(equal)})"
            same = self.keep(f"eq_trans (eq_sym {proof}) {other}")
            for word, p in (("eq", rest), ("qe", -rest)):
                row = f"{right_text} {before.right} {same}"
                proof = self.equal(written(p), margin(word, right_text, before.right), atoms)
                fact = self.keep(f"of_{word} {written(p)} {row} {proof}")
                self.learn(p, fact)

    def nonzero_of(self, number: int) -> None:
        """What a fact divides by is not 0."""
        if number >= len(self.facts):
            raise Rejected(f"there is no fact {number}")
        r = self.facts[number]
        for d in dividing(r):
            with suppress(Rejected):
                p = self.walk(d)
                k = self.needs[number].index(f"{outer(term(d))} <> 0")
                copy = self.keep(f"{self.stated[number]}_{k}")
                texts, loose = dict[Expr, str](), {n.name for n in d.free_symbols}
                self.rewritten_in((d,), {}, texts, loose, f" in {copy}")
                equal = self.equal(written(p), term(d, texts), loose)
                fact = f"moved_ne {written(p)} {term(d, texts)} {copy} {equal}"
                self.others[p] = self.keep(fact), p
                self.nonzero[p] = None

    def goal(self, goal: Sequence[Relation], why: This, valued: bool) -> list[str]:
        """The proofs that one of the relations holds and (valued) has a value."""
        if why.which is None:
            raise missing("a goal that only a solver has confirmed")
        if why.which >= len(goal):
            raise Rejected("no reason is given for a goal")
        r = goal[why.which]
        p = self.walk(r.left) - self.walk(r.right)
        proof, q = self.show(r.op, p, why.why)
        result, loose = self.fresh(), set(r.names)
        self.lines += [f"assert ({relation(r)}) as {result}.", "{"]
        texts = dict[Expr, str]()
        self.rewritten_in((r.left, r.right), {}, texts, loose, "")
        sides = f"{term(r.left, texts)} {term(r.right, texts)}"
        equal = self.equal(
            written(q), margin(GLUE[r.op], term(r.left, texts), term(r.right, texts)), loose
        )
        self.lines += [f"exact ({GLUE[r.op]}_by {written(q)} {sides} {proof} {equal}).", "}"]
        if len(goal) == 1:
            own = [self.need(e) for e in needed(r.left, r.right)] if valued else []
            return [*own, result]
        whole = result if why.which == len(goal) - 1 else f"(or_introl {result})"
        return ["(or_intror " * why.which + whole + ")" * why.which]

    def returns(
        self, back: Expr, offset: str, raw: Expr, goal: Sequence[Relation], why: This
    ) -> tuple[str, str]:
        """That an expression of the offset gives a coordinate back, and the proof."""
        (r,) = goal
        proof, q = self.show("==", self.walk(r.left) - self.walk(r.right), why.why)
        result, loose = self.fresh(), set(r.names)
        right = term(r.right)
        says = f"{outer(term(back, {symbol(offset): term(raw)}))} = {right}"
        self.lines += [f"assert ({says}) as {result}.", "{"]
        texts, env = dict[Expr, str](), {offset: self.walk(raw)}
        if symbol(offset) in back.free_symbols:
            self.rewritten_in((raw,), {}, texts, loose, "")
            texts = {symbol(offset): term(raw, texts)}
        self.rewritten_in((back,), env, texts, loose, "")
        left = term(back, texts)
        equal = self.equal(written(q), margin("eq", left, right), loose)
        self.lines += [f"exact (eq_by {written(q)} {left} {right} {proof} {equal}).", "}"]
        return says, result

    def need(self, d: Expr) -> str:
        """That a divisor is not 0."""
        p, result = self.walk(d), self.fresh()
        loose, texts = {s.name for s in d.free_symbols}, dict[Expr, str]()
        self.lines += [f"assert ({outer(term(d))} <> 0) as {result}.", "{"]
        self.rewritten_in((d,), {}, texts, loose, "")
        if p not in self.divisors:
            raise missing(f"why {d} is not 0")
        proof, text, more = self.divisors[p]
        equal = self.equal(term(d, texts), text, loose | more)
        self.lines += [f"exact (moved_ne {term(d, texts)} {text} {proof} {equal}).", "}"]
        return result


def instead(text: str, word: str, by: str) -> str:
    """A text with a polynomial for an unknown.

    >>> instead("x + x' * y", "x", "a + b")
    "(a + b) + x' * y"
    """
    return re.sub(rf"(?<![\w']){re.escape(word)}(?![\w'])", f"({by})", text)


def used_lines(lines: Sequence[str], results: Iterable[str]) -> list[str]:
    """The lines of a proof without hypotheses and unknowns that nothing after them speaks of.

    >>> used_lines(["pose proof (a) as H1'.", "pose proof (b) as H2'."], ["H2'"])
    ["pose proof (b) as H2'."]
    """
    words, hits = set[str](), list[str]()
    for text in results:
        words |= {*WORD.findall(text)}
    for line in reversed(lines):
        own = INTRODUCED.search(line)
        if own is None or not words.isdisjoint(WORD.findall(own[1])):
            hits.append(line)
            words |= {*WORD.findall(line)}
    return hits[::-1]


def margin(word: str, a: str, b: str) -> str:
    """What is >= 0, or 0, where a relation of two texts holds."""
    if word in ("le", "lt", "qe"):
        a, b = b, a
    return f"{a} - {b}{' - 1' if word in ('gt', 'lt') else ''}"


def symbol_of(word: Any) -> str:
    """The function of Rocq that an operation is."""
    own = {"FloorDiv": "Z.div", "Mod": "Z.modulo"}
    return own.get(word.__name__) or OPERATORS[word.__name__].partition(" ")[0]


def dividing(r: Relation) -> list[Expr]:
    """What a relation divides by, numbers apart."""
    hits = [d for e in (r.left, r.right) for d in divisors_of(e, always=True)]
    return [d for d in dict.fromkeys(hits) if not d.is_Integer]


def whole_number(text: str) -> bool:
    """Whether a text is a number."""
    return text.isdigit() or (text.startswith("(-") and text[2:-1].isdigit())


def conjuncts(proof: str, count: int) -> list[str]:
    """The proofs of so many propositions that hold together."""
    results = []
    for _ in range(count - 1):
        results.append(f"(proj1 {proof})")
        proof = f"(proj2 {proof})"
    return [*results, proof]


def pattern_of(names: Sequence[str]) -> str:
    """The pattern that takes a conjunction apart."""
    whole = names[-1]
    for n in reversed(names[:-1]):
        whole = f"[{n} {whole}]"
    return whole


def needed(*sides: Expr) -> list[Expr]:
    """The divisors that `needs` speaks of, in its order."""
    hits: dict[str, Expr] = {}
    for e in operations(sides):
        if e.row.natural:
            raise missing("a power whose exponent may be negative")
        d = None if e.row.divisor is None else e.args[e.row.divisor]
        if d is not None and not (d.is_Integer and d != 0):
            hits.setdefault(f"{outer(term(d))} <> 0", d)
    return [hits[text] for text in needs(*sides)]


def spelling(env: Mapping[str, Poly]) -> dict[Expr, str]:
    """Variables of a law by the texts of their values."""
    return {symbol(v): written(p) for v, p in env.items()}


def operations(sides: Iterable[Expr]) -> list[Expr]:
    """Every operation in some expressions, those inside of others first."""
    hits: dict[Expr, None] = {}

    def visit(e: Expr) -> None:
        for a in e.args:
            visit(a)
        if isinstance(e, Application):
            hits.setdefault(e)

    for e in sides:
        visit(e)
    return list(hits)


def new_of(word: str, env: Mapping[str, Poly]) -> list[tuple[str, str]]:
    """The unknowns that a law introduces, and the texts of what they equal."""
    from symlayout.expr.reader import read_expression

    texts = spelling(env)
    return [(v, term(read_expression(text), texts)) for v, text in laws()[word].new.items()]
