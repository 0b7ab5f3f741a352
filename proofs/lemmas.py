"""The laws of certificates, proved once: `python proofs/lemmas.py` writes `proofs/lemmas/`.

Each conclusion of a law in `symlayout/certificate/lemmas.toml` becomes one obligation in SMT-LIB 2:
premises, the definitions of its divisions and extremes, and the contrary of the conclusion have no
solution in the integers.  A quotient, a remainder, and each product of unknowns is an unknown of its
own, so that the obligation is linear; what is known of products are the instances of the law
`product` that `lemmas/by.toml` lists, and `product` itself is proved as it is written.  Z3 and cvc5
must both say
"unsat"; cvc5's proof is kept in Alethe where no step of it is a hole.
"""

from __future__ import annotations

import re
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import Any

import cvc5
from sympy import Poly

import symlayout
from symlayout.certificate.solvers import answers, cvc5_answer
from symlayout.expr.facts import Relation, read_relations
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import (
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    rebuild,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

TABLE = Path(symlayout.__file__).parent / "certificate" / "lemmas.toml"
HERE = Path(__file__).parent / "lemmas"
BY = HERE / "by.toml"
PRODUCT = "product"  # the law that the others take their products from
ZERO = Integer(0)
WIDTHS = (8, 16, 32)
WORDS = ", ".join(map(str, WIDTHS))
BELOW, AND_BELOW = "(bvand x (bvsub (bvshl {1} k) {1}))", " and the bits of x below"
BITS = {  # R12, for words x, y, k: what is asserted has no solution
    ("xor", "`(x ^ (y << k)) ^ (y << k) == x`"): [
        "(not (= (bvxor (bvxor x (bvshl y k)) (bvshl y k)) x))",
    ],
    ("bit", "`x ^ (y << k)` is `x + (y << k)` or `x - (y << k)` for a bit y, by the bit of x"): [
        "(bvule y {1})",
        "(not (= (bvxor x (bvshl y k)) (ite (= (bvand x (bvshl {1} k)) {0})"
        " (bvadd x (bvshl y k)) (bvsub x (bvshl y k)))))",
    ],
    # what moves of a script rest on: p is 2**k, and `x & (p - 1)` what is below it
    ("digit", "`x ^ y < 2**k` for x and y below 2**k"): [
        *("(bvult k (_ bv{w} {w}))", "(bvult x (bvshl {1} k))", "(bvult y (bvshl {1} k))"),
        "(not (bvult (bvxor x y) (bvshl {1} k)))",
    ],
    (
        "apart",
        "`x | y`, `x ^ y` and `x + y` are one, and `x & y` is 0, for y below 2**k and no bit"
        " of x there",
    ): [
        *("(bvult k (_ bv{w} {w}))", "(bvult y (bvshl {1} k))"),
        "(= (bvand x (bvsub (bvshl {1} k) {1})) {0})",
        "(not (and (= (bvor x y) (bvadd x y)) (= (bvxor x y) (bvadd x y)) (= (bvand x y) {0})))",
    ],
    (
        "low",
        "for y below 2**k the bits of `x ^ y` and `x | y` from k on are those of x, and those of"
        " `x & y` are 0",
    ): [
        *("(bvult k (_ bv{w} {w}))", "(bvult y (bvshl {1} k))"),
        "(not (let ((m (bvsub (bvshl {1} k) {1}))) (and"
        " (= (bvxor x y) (bvadd (bvshl (bvlshr x k) k) (bvxor (bvand x m) y)))"
        " (= (bvor x y) (bvadd (bvshl (bvlshr x k) k) (bvor (bvand x m) y)))"
        " (= (bvand x y) (bvand (bvand x m) y)))))",
    ],
    **{
        (f"high-{word}", f"`x {sign} (y << k)` is `((x >> k) {sign} y) << k`{more}"): [
            "(bvult k (_ bv{w} {w}))",
            f"(not (= ({op} x (bvshl y k)) (bvor (bvshl ({op} (bvlshr x k) y) k) {rest})))",
        ]
        for word, sign, op, rest, more in (
            *(("xor", "^", "bvxor", BELOW, AND_BELOW), ("or", "|", "bvor", BELOW, AND_BELOW)),
            ("and", "&", "bvand", "{0}", ""),
        )
    },
    ("lower", "`x >> k < y` for x below 2*y and k >= 1: the highest bit moves down"): [
        *("(not (= k {0}))", "(bvult x (bvshl y {1}))"),
        "(not (bvult (bvlshr x k) y))",
    ],
    ("either", "`x | y` is `x + y - (x & y)`, `x ^ y` is `x + y - 2*(x & y)`"): [
        "(not (and (= (bvor x y) (bvsub (bvadd x y) (bvand x y)))"
        " (= (bvxor x y) (bvsub (bvadd x y) (bvadd (bvand x y) (bvand x y))))))",
    ],
    ("below", "`x & y < 2**k` for y below 2**k"): [
        *("(bvult k (_ bv{w} {w}))", "(bvult y (bvshl {1} k))"),
        "(not (bvult (bvand x y) (bvshl {1} k)))",
    ],
    **{
        (f"swizzle-{way}", f"twice `x ^ ((x & y) {sign} k)` is x where `y & (y {sign} k) == 0`"): [
            f"(= (bvand y ({shift} y k)) {{0}})",
            f"(not (= (let ((z (bvxor x ({shift} (bvand x y) k))))"
            f" (bvxor z ({shift} (bvand z y) k))) x))",
        ]
        for way, sign, shift in (("down", ">>", "bvlshr"), ("up", "<<", "bvshl"))
    },
}


@dataclass(frozen=True)
class Lemma:
    """A row of the table, as it is written."""

    name: str
    says: str
    new: Mapping[str, str] = field(default_factory=dict)
    premises: tuple[str, ...] = ()
    conclusions: tuple[str, ...] = ()
    products: tuple[tuple[Expr, Expr], ...] = ()  # factors, as its proof uses them
    induction: str = ""  # the variable, where it is proved by induction
    powers: tuple[Expr, ...] = ()  # exponents of which its proof uses the law `power`

    def relations(self, texts: Sequence[str]) -> list[Relation]:
        """The relations of premises or conclusions, without the new unknowns."""
        found = [r for text in texts for r in read_relations(text)]
        for name, text in self.new.items():
            found = [
                Relation(r.op, put(r.left, name, text), put(r.right, name, text)) for r in found
            ]
        return found

    @cached_property
    def variables(self) -> frozenset[str]:
        """The names that occur."""
        given = self.relations([*self.premises, *self.conclusions])
        used = [s.name for pair in self.products for e in pair for s in e.free_symbols]
        return frozenset(used).union(*[r.names for r in given])

    @property
    def statement(self) -> str:
        """The law in one line."""
        given = [
            *(f"`{v} := {e}`" for v, e in self.new.items()),
            *(f"`{p}`" for p in self.premises),
        ]
        then = ", ".join(f"`{c}`" for c in self.conclusions)
        return f"{', '.join(given)} ⟹ {then}" if given else then


@dataclass(frozen=True)
class Obligation:
    """What both solvers have to find without a solution."""

    name: str
    text: str


def lemma(name: str, row: Mapping[str, Any], by: Mapping[str, Any]) -> Lemma:
    """The lemma of a row, with what its proof uses."""

    def read(text: str) -> Expr:
        e = read_expression(text)
        for word, meaning in reversed(by.get("names", {}).items()):  # may use those before it
            e = put(e, word, meaning)
        return e

    products = [(read(p), read(q)) for p, q in by.get("products", ())]
    for p, k in by.get("multiples", ()):
        a, b = read(p), read(k)
        products += [(a, b), (a, -b), (a, b - 1), (a, -b - 1)]
    given, conclusions = (tuple(row.get(key, ())) for key in ("if", "then"))
    used = tuple(map(read, by.get("powers", ())))
    more = {"products": tuple(products), "induction": by.get("induction", ""), "powers": used}
    return Lemma(name, row["says"], row.get("new", {}), given, conclusions, **more)


def lemmas() -> tuple[Lemma, ...]:
    """All rows, in the order of the table."""
    rows, by = (tomllib.loads(p.read_text(encoding="utf-8")) for p in (TABLE, BY))
    return tuple(lemma(name, row, by.get(name, {})) for name, row in rows.items())


def put(e: Expr, name: str, text: str) -> Expr:
    """The expression with the text's meaning in the place of a name."""
    return rebuild(e, lambda s: read_expression(text) if s.name == name else s)


# -- terms ----------------------------------------------------------------------------------------


class Purified:
    """Polynomials over unknowns, of which some stand for divisions, extremes and products."""

    def __init__(self, linear: bool, taken: Set[str], induction: str = "") -> None:
        self.linear, self.taken, self.induction = linear, taken, induction
        self.unknowns: dict[str, str] = {}  # with what they stand for
        self.definitions: list[str] = []
        self.divisors: dict[str, None] = {}
        self.made: dict[tuple[Any, ...], tuple[Symbol, ...]] = {}
        self.last: set[Expr] = set()  # exponents of which nothing is said

    def polynomial(self, e: Expr) -> Expr:
        """The expression with an unknown for each division and extreme, multiplied out."""
        if isinstance(e, (Integer, Symbol)):
            return e
        args = [self.polynomial(a) for a in e.args]
        match e:
            case Add() | Mul() | Pow():
                return e.func(*args).expand()
            case FloorDiv() | Mod():
                return self.divided(*args)[isinstance(e, Mod)]
            case CeilDiv():
                return -self.divided(-args[0], args[1])[0]
            case TruncDiv() | TruncMod():
                return self.truncated(*args)[isinstance(e, TruncMod)]
            case Min() | Max():
                return self.extreme(type(e), args)
            case Exp2():
                return self.power(args[0])
        raise TypeError(f"{e} is no integer expression")

    def new(self, letter: str, meaning: Expr) -> Symbol:
        """A new unknown."""
        names = (f"{letter}{n}" for n in count(1))
        name = next(n for n in names if n not in self.taken and n not in self.unknowns)
        self.unknowns[name] = str(meaning)
        return Symbol(name)

    def divided(self, x: Expr, d: Expr) -> tuple[Symbol, ...]:
        """Quotient and remainder of x by d: the remainder lies between 0 and d."""
        if (FloorDiv, x, d) not in self.made:
            q, r = self.new("q", FloorDiv(x, d)), self.new("r", Mod(x, d))
            self.made[FloorDiv, x, d] = q, r
            positive, negative = self.signs(d)
            split = self.compare("=", x, d * q + r)
            self.define(positive, split, self.compare(">=", r, ZERO), self.compare("<", r, d))
            self.define(negative, split, self.compare("<=", r, ZERO), self.compare(">", r, d))
        return self.made[FloorDiv, x, d]

    def truncated(self, x: Expr, d: Expr) -> tuple[Symbol, ...]:
        """C's quotient and remainder of x by d: the remainder is shorter than d and has x's sign."""
        if (TruncDiv, x, d) not in self.made:
            q, r = self.new("q", TruncDiv(x, d)), self.new("r", TruncMod(x, d))
            self.made[TruncDiv, x, d] = q, r
            positive, negative = self.signs(d)
            split = self.compare("=", x, d * q + r)
            self.define(positive, split, self.compare("<", r, d), self.compare(">", r, -d))
            self.define(negative, split, self.compare(">", r, d), self.compare("<", r, -d))
            for op in (">=", "<="):
                sign = self.compare(op, x, ZERO)
                self.define(f"(and (or {positive} {negative}) {sign})", self.compare(op, r, ZERO))
        return self.made[TruncDiv, x, d]

    def signs(self, d: Expr) -> tuple[str, str]:
        """That the divisor is positive, and that it is negative; it is noted."""
        self.divisors[f"(not {self.compare('=', d, ZERO)})"] = None
        return self.compare(">=", d, Integer(1)), self.compare("<=", d, Integer(-1))

    def extreme(self, word: type[Min | Max], args: Sequence[Expr]) -> Symbol:
        """The minimum or maximum: on this side of all arguments, and one of them."""
        if (word, *args) not in self.made:
            m = self.new("m", word(*args))
            self.made[(word, *args)] = (m,)
            op = "<=" if word is Min else ">="
            self.definitions += [self.compare(op, m, a) for a in args]
            self.definitions.append(f"(or {' '.join(self.compare('=', m, a) for a in args)})")
        return self.made[(word, *args)][0]

    def power(self, k: Expr) -> Symbol:
        """Two to a power: twice the one before it, down to that at which an induction begins."""
        if (Exp2, k) not in self.made:
            p = self.new("p", Exp2(k))
            self.made[Exp2, k] = (p,)
            v = Symbol(self.induction)
            if self.induction and v in k.free_symbols and k not in self.last:
                self.last.add(k - 1)
                before, first = self.power(k - 1), k.subs(v, 0)
                begin = self.power(first) if first != 0 else Integer(1)
                self.define(self.compare(">=", v, Integer(1)), self.compare("=", p, 2 * before))
                self.define(self.compare("=", v, ZERO), self.compare("=", p, begin))
        return self.made[Exp2, k][0]

    def define(self, condition: str, *parts: str) -> None:
        """Adds what holds of a definition under a condition."""
        body = parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
        self.definitions.append(f"(=> {condition} {body})")

    def relation(self, r: Relation) -> str:
        """A relation in SMT-LIB 2."""
        left, right = self.polynomial(r.left), self.polynomial(r.right)
        if r.op == "!=":
            return f"(not {self.compare('=', left, right)})"
        return self.compare("=" if r.op == "==" else r.op, left, right)

    def instance(self, p: Expr, q: Expr) -> str:
        """If p >= 0 and q >= 0, then p*q >= 0, multiplied out."""
        a, b = self.polynomial(p), self.polynomial(q)
        signs = f"(and {self.compare('>=', a, ZERO)} {self.compare('>=', b, ZERO)})"
        return f"(=> {signs} {self.compare('>=', (a * b).expand(), ZERO)})"

    def at_least_one(self, k: Expr) -> str:
        """If k >= 0, then 2**k >= 1."""
        sign = self.compare(">=", self.polynomial(k), ZERO)
        return f"(=> {sign} {self.compare('>=', self.power(k), Integer(1))})"

    def compare(self, op: str, left: Expr, right: Expr) -> str:
        """A comparison of polynomials in SMT-LIB 2."""
        return f"({op} {self.smt(left.expand())} {self.smt(right.expand())})"

    def smt(self, e: Expr) -> str:
        """A polynomial in SMT-LIB 2."""
        terms = [self.term(m, c) for m, c in monomials(e)]
        return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})" if terms else "0"

    def term(self, factors: tuple[str, ...], c: int) -> str:
        """One term of a polynomial; a product of unknowns is an unknown where all is linear."""
        number = str(abs(c))
        names = ("*".join(factors),) if self.linear and factors else factors
        for name in names:
            self.unknowns.setdefault(name, "")
        words = [*([number] if abs(c) != 1 or not names else []), *map(quoted, names)]
        text = words[0] if len(words) == 1 else f"(* {' '.join(words)})"
        return text if c >= 0 else f"(- {text})"


def quoted(name: str) -> str:
    """The name of an unknown in SMT-LIB 2."""
    return name if name.isidentifier() else f"|{name}|"


@cache
def monomials(e: Expr) -> list[tuple[tuple[str, ...], int]]:
    """The terms of a polynomial: unknowns with repetition, and the coefficient."""
    symbols = sorted(e.free_symbols, key=lambda s: str(s.name))
    if not symbols:
        return [((), int(e))] if e else []
    return [
        (tuple(s.name for s, n in zip(symbols, powers) for _ in range(n)), int(c))
        for powers, c in Poly(e.sympy, *[s.sympy for s in symbols]).terms()
    ]


# -- obligations ----------------------------------------------------------------------------------


def obligations(given: Lemma) -> Iterator[Obligation]:
    """That no divisor is 0, and each conclusion."""
    conclusions = given.relations(given.conclusions)
    pure = Purified(linear=True, taken=given.variables)
    for r in given.relations(given.premises) + conclusions:
        pure.relation(r)
    if pure.divisors:
        yield obligation(given, "divisors", conclusions)
    for k, r in enumerate(conclusions, 1):
        yield obligation(given, str(k), [r])


def obligation(given: Lemma, part: str, goals: Sequence[Relation]) -> Obligation:
    """The obligation for one conclusion, or for the divisors of all."""
    pure = Purified(given.name != PRODUCT, given.variables, given.induction)
    premises = [pure.relation(r) for r in given.relations(given.premises)]
    right = [pure.relation(r) for r in goals]
    less = hypothesis(given, goals, pure) if given.induction else []
    if part == "divisors":
        right = list(pure.divisors)
    instances = [pure.instance(p, q) for p, q in given.products]
    parts = {
        "premises": premises,
        "definitions": pure.definitions,
        f"instances of the law `{PRODUCT}`": instances,
        "the law for one less": less,
        "instances of the law `power`": [pure.at_least_one(k) for k in given.powers],
        "the contrary": [
            f"(not {right[0]})" if len(right) == 1 else f"(not (and {' '.join(right)}))"
        ],
    }
    goal = (
        "no divisor is 0"
        if part == "divisors"
        else f"{goals[0].left} {goals[0].op} {goals[0].right}"
    )
    lines = [f"; {given.name}: {given.says}", f"; {goal}"]
    lines.append(f"(set-logic {'QF_LIA' if pure.linear else 'QF_NIA'})")
    for name, meaning in pure.unknowns.items():
        lines.append(f"(declare-const {quoted(name)} Int)" + (f" ; {meaning}" if meaning else ""))
    for title, asserted in parts.items():
        if asserted:
            lines += [f"; {title}", *[f"(assert {a})" for a in asserted]]
    return Obligation(f"{given.name}-{part}", "\n".join([*lines, "(check-sat)"]) + "\n")


def hypothesis(given: Lemma, goals: Sequence[Relation], pure: Purified) -> list[str]:
    """What an induction takes for granted: the conclusions for one less, where that is not below 0."""

    def less(r: Relation) -> Relation:
        v = f"{given.induction} - 1"
        return Relation(r.op, *[put(e, given.induction, v) for e in (r.left, r.right)])

    signs = [pure.compare(">=", Symbol(given.induction), Integer(1))]
    signs += [pure.relation(less(r)) for r in given.relations(given.premises)]
    return [f"(=> (and {' '.join(signs)}) {pure.relation(less(r))})" for r in goals]


def swizzles() -> Iterator[Obligation]:
    """R12, the exclusive or of bits, for whole words: no law of integers, and no step uses it."""
    lines = [f"(declare-const {name} (_ BitVec {{w}}))" for name in "xyk"]
    for (part, says), asserted in BITS.items():
        for w in WIDTHS:
            text = [f"; R12: {says}", "(set-logic QF_BV)", *lines]
            text += [f"(assert {a})" for a in asserted]
            words = {"0": f"(_ bv0 {w})", "1": f"(_ bv1 {w})", "w": str(w)}
            made = "\n".join([*text, "(check-sat)"]) + "\n"
            for word, meaning in words.items():
                made = made.replace(f"{{{word}}}", meaning)
            yield Obligation(f"R12-{part}-{w}", made)


# -- solvers --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proved:
    """What became of an obligation."""

    obligation: Obligation
    says: Mapping[str, str]  # by solver
    proof: str  # in Alethe, "" where cvc5 gives none
    seconds: float

    @property
    def holes(self) -> int:
        """How many steps of the proof say nothing of why they hold."""
        return len(re.findall(r":rule (?:hole|trust|undefined)\b", self.proof))

    @property
    def kept(self) -> bool:
        """Whether the proof is there, and whole."""
        return bool(self.proof) and not self.holes


def alethe(text: str) -> str:
    """cvc5's proof of an obligation in Alethe, "" where the budget is too small for one."""
    solver, answer = cvc5_answer(text, produce_proofs="true", simplification="none")
    if answer != "unsat":
        return ""
    made = solver.proofToString(solver.getProof()[0], cvc5.ProofFormat.ALETHE)
    return str(made.decode() if isinstance(made, bytes) else made)


def proved(obligation: Obligation) -> Proved:
    """An obligation, asked of both solvers."""
    start = time.process_time()
    says = answers(obligation.text)
    spent = time.process_time() - start
    return Proved(obligation, says, alethe(obligation.text), spent)


# -- what is written ------------------------------------------------------------------------------


@cache
def everything() -> dict[str, tuple[Obligation, ...]]:
    """The obligations of each law."""
    made = {given.name: tuple(obligations(given)) for given in lemmas()}
    return {**made, "R12": tuple(swizzles())}


def index(whole: Set[str], version: str) -> str:
    """The text of the README; `whole` are the obligations with a proof in Alethe."""
    rows = ["| law | statement | obligations | Alethe |", "| --- | --- | --- | --- |"]
    statements = {given.name: (given.says, given.statement) for given in lemmas()}
    r12 = ", ".join(says for _, says in BITS)
    statements["R12"] = ("the exclusive or of bits", f"in words of {WORDS} bits: {r12}")
    every = everything()
    for name, made in every.items():
        with_proof = sum(o.name in whole for o in made)
        alethe = {len(made): "yes", 0: "no"}.get(with_proof, f"{with_proof} of {len(made)}")
        says, statement = statements[name]
        rows.append(f"| {name} | {says}: {statement} | {len(made)} | {alethe} |")
    total = sum(map(len, every.values()))
    rows.append(f"| all {len(every)} | | {total} | {len(whole)} |")
    return f"{INTRODUCTION}\n{chr(10).join(rows)}\n\n{CLOSING.format(version=version)}"


def main() -> int:
    """Proves the laws, writes what proves them, prints a table; 1 when a solver does not agree."""
    print(f"{'obligation':34} {'Z3':6} {'cvc5':6} {'Alethe':>16} {'time':>7}")
    found = [proved(o) for made in everything().values() for o in made]
    for p in found:
        proof = f"{p.holes} holes" if p.proof else "none in budget"
        said = " ".join(f"{p.says.get(name, 'none'):6}" for name in ("Z3", "cvc5"))
        print(f"{p.obligation.name:34} {said} {proof:>16} {p.seconds:6.2f}s")
    wrong = [p for p in found if list(p.says.values()) != ["unsat", "unsat"]]
    for p in wrong:
        print(f"not proved: {p.obligation.name}", file=sys.stderr)
    if wrong:
        return 1
    for old in (*HERE.glob("*.smt2"), *HERE.glob("*.alethe")):
        old.unlink()
    for p in found:
        (HERE / f"{p.obligation.name}.smt2").write_text(p.obligation.text, encoding="utf-8")
        if p.kept:
            (HERE / f"{p.obligation.name}.alethe").write_text(p.proof, encoding="utf-8")
    whole = {p.obligation.name for p in found if p.kept}
    (HERE / "README.md").write_text(index(whole, cvc5.__version__), encoding="utf-8")
    print(f"{len(found)} obligations, {len(whole)} with a proof in Alethe without holes")
    return 0


INTRODUCTION = """\
# The laws of certificates

Each step of a proof certificate is an instance of a law of the table
`symlayout/certificate/lemmas.toml`. Here every law is proved, once, for all integers: **Z3 and cvc5
both answer `unsat`** to each obligation: nothing satisfies the premises and not the conclusion.

- `LAW-1.smt2`, `LAW-2.smt2`, ... are for the conclusions, in order; `LAW-divisors.smt2` says that
  nothing is divided by 0.
- A quotient and a remainder are unknowns, by what defines them. A product of unknowns is an unknown
  too (`|d*q1|`), so that all is linear; what is known of products are instances of the law
  `product`, which `by.toml` lists. `product` itself is proved as it is written.
- A power of two is an unknown as well; its laws are proved by induction, whose step may use the law
  for one less, and that `2**k` is twice `2**(k - 1)`.
- `LAW-1.alethe` is cvc5's proof, where no step of it is a hole. R12 has hardly any: most steps with
  bits are holes, and proofs for wider words exceed the budget of steps.
"""

CLOSING = """\
Made with cvc5 {version} by

```
python proofs/lemmas.py
```

`pytest tests/test_lemmas.py` asks both solvers again, reads each obligation back against its law in
plain integers, tries all laws at small integers, and turns down laws that are wrong.
"""


if __name__ == "__main__":
    sys.exit(main())
