"""A condition over sizes: an or of ands of relations, and what was proved of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NoReturn, get_args

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import Exp2, Mod, count_operations, divisors_of, put
from symlayout.expr.tree import Expr, Integer, Symbol, preorder_traversal
from symlayout.hooks import Shown
from symlayout.layouts.spans import least_value
from symlayout.prove.verdict import Verdict
from symlayout.text.patterns import regex

Term = tuple[Relation, ...]  # all of them
Strength = Literal["exact", "sufficient", "necessary", "unknown", "vacuous"]
STRENGTHS: tuple[Strength, ...] = get_args(Strength)
CLAUSES = 24
POWER = regex(r"(?<![\w.])\d{7,}(?!\w)")


@dataclass(frozen=True)
class Condition(Shown):
    """Under which sizes a claim holds.

    `relations` is a list of lists of texts, an or of ands; each text can be a fact.  `strength` tells
    what was proved of it: "exact" in both directions; "sufficient", the claim holds wherever it is
    true; "necessary", the claim fails wherever it is false; "unknown" is no condition at all; "vacuous"
    where the facts contradict each other.  `note` says so where an exact condition is no shorter than
    the claim, with a shorter one that is sufficient.  The verdicts are those of the two directions, and
    `cases` of theirs, with a certificate each, those of the parts.
    """

    claim: str
    facts: tuple[str, ...]
    relations: list[list[str]]
    strength: Strength
    verdict_if: Verdict | None = None
    verdict_only_if: Verdict | None = None
    reason: str = ""
    names: tuple[str, ...] = field(default=(), compare=False)
    note: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        assert self.strength in STRENGTHS, self.strength

    @property
    def exact(self) -> bool:
        """Whether the claim holds where the condition does, and nowhere else."""
        return self.strength == "exact"

    @property
    def sufficient(self) -> bool:
        """Whether the claim is proved wherever the condition is true."""
        return self.strength in ("exact", "sufficient")

    @property
    def necessary(self) -> bool:
        """Whether the claim is proved to fail wherever the condition is false."""
        return self.strength in ("exact", "necessary")

    @property
    def text(self) -> str:
        """The condition in one line: relations with `and` and `or`, "always", or "never"."""
        if self.strength in ("unknown", "vacuous"):
            return self.strength
        if not self.relations:
            return "never"
        if [] in self.relations:
            return "always"
        clauses = _dual(self.relations)
        if clauses and sum(map(len, clauses)) < sum(map(len, self.relations)):
            return _union(clauses, " or ", " and ")
        return _union(self.relations, " and ", " or ")

    @property
    def sentence(self) -> str:
        """The text with what is known of it: "exactly when ...", "if ..." or "only if ..."."""
        match self.strength:
            case "exact":
                exact = f"exactly when {self.text}"
                return self.text if self.text in ("always", "never") else exact
            case "sufficient":
                return f"if {self.text}"
            case "necessary":
                return f"only if {self.text}"
            case "vacuous":
                return "nowhere: the facts contradict each other"
        return "unknown"

    def __bool__(self) -> NoReturn:
        raise TypeError("a condition is neither true nor false: ask condition.exact or .sufficient")

    def __str__(self) -> str:
        return self.sentence


def _union(parts: list[list[str]], inner: str, outer: str) -> str:
    if len(parts) == 1:
        return inner.join(parts[0])
    return outer.join(f"({inner.join(p)})" if len(p) > 1 else p[0] for p in parts)


def _dual(terms: list[list[str]]) -> list[list[str]]:
    """The and of ors that is the same as an or of ands; nothing where it is long.

    >>> _dual([["a", "b"], ["a", "c"]])
    [['a'], ['b', 'c']]
    """
    lines: list[dict[str, None]] = [{}]
    for term in terms:
        longer = [{**clause, r: None} for clause in lines for r in term]
        lines = [c for c in longer if not any(d.keys() < c.keys() for d in longer)]
        lines = [c for k, c in enumerate(lines) if all(c.keys() != d.keys() for d in lines[:k])]
        if len(lines) > CLAUSES:
            return []
    return [list(c) for c in lines]


def spelling(r: Relation) -> str:
    """The relation as people write it, which can be read back.

    >>> from symlayout.expr.facts import read_relations
    >>> spelling(read_relations("N%128 == 0")[0]), spelling(read_relations("N <= 2147483648")[0])
    ('N % 128 == 0', 'N <= 2**31')
    """
    return POWER.sub(_power, str(r).replace("%", " % "))


def _power(match: re.Match[str]) -> str:
    number = int(match.group())
    if number & (number - 1) == 0:
        return f"2**{number.bit_length() - 1}"
    if number & (number + 1) == 0:
        return f"2**{number.bit_length()} - 1" if not _inside(match) else match.group()
    return match.group()


def _inside(match: re.Match[str]) -> bool:
    """Whether the number is part of a product, or stands behind a minus."""
    text = match.string
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    return before[-1:] in tuple("*/%-") or after[:1] in tuple("*/%")


# -- negations ------------------------------------------------------------------------------------


def negations(r: Relation, facts: Facts) -> list[Term]:
    """Terms of which at least one holds wherever this one does not, divisions by zero included.

    >>> from symlayout.expr.facts import read_relations
    >>> [" and ".join(map(str, t)) for t in negations(read_relations("N % t == 0")[0], Facts())]
    ['N%t >= 1']
    """
    results: list[Term] = []
    match r.op:
        case "==":
            results += [(x,) for x in _unequal(r.left, r.right, facts)]
        case "!=":
            results.append((Relation("==", r.left, r.right),))
        case _:
            results.append((r.negation,))
    for d in doubtful((r,), facts):
        results = [(sign, *t) for t in results for sign in _signs(d, facts)]
        results.append((Relation("==", d, Integer(0)),))
    return results


def cases(term: Term, facts: Facts) -> list[Term]:
    """Terms that together hold where this one does, with `<` or `>` instead of `!=`.

    Each has the sign of what it divides by.
    """
    results: list[Term] = [()]
    for r in term:
        sides = _unequal(r.left, r.right, facts) if r.op == "!=" else [r]
        results = [(*t, side) for t in results for side in sides]
    for d in doubtful(term, facts):
        results = [(sign, *t) for t in results for sign in _signs(d, facts)]
    return results


def doubtful(term: Iterable[Relation], facts: Facts) -> list[Expr]:
    """Divisors that may be 0."""
    sides = [e for r in term for e in (r.left, r.right)]
    hits = dict.fromkeys(d for e in sides for d in divisors_of(e))
    return [d for d in hits if (least_value(d, facts) or 0) < 1 and not _negative(d, facts)]


def _negative(d: Expr, facts: Facts) -> bool:
    """Whether facts say that a size is below 0."""
    last = facts.domain(d.name).last if isinstance(d, Symbol) else None
    return last is not None and last < 0


def term_text(term: Term, facts: Facts) -> list[str]:
    """The relations of a term as people write them; of what may have no value first that it has one.

    >>> from symlayout.expr.facts import read_relations
    >>> term_text(read_relations("M*2**(K - 2) <= N"), Facts())
    ['K >= 2', 'M*2**(K - 2) <= N']
    >>> term_text(read_relations("N % (N % 8) == 0 and M <= 15 and M >= 15"), Facts())
    ['M == 15', 'N % 8 != 0', 'N % (N % 8) == 0']
    """
    term = together(term)
    parts = [r for r in term if not (exponents_of(r.left, r.right) or doubtful((r,), facts))]
    known = facts.and_(parts)
    exponents = exponents_of(*[e for r in term for e in (r.left, r.right)])
    needed: dict[str, None] = {}
    for e in exponents:
        least = least_value(e, known)
        if least is None or least < 0:
            number = e.as_coeff_Add()[0]
            natural = Relation(">=", e - number, -number)
            known = known.and_([natural])
            needed.setdefault(spelling(natural))
    for d in sorted(doubtful(term, known), key=count_operations):  # those inside others first
        low = least_value(d, known)
        sign = Relation(">=", d, Integer(1)) if low == 0 else Relation("!=", d, Integer(0))
        needed.setdefault(spelling(sign))
    first = [r for r in map(spelling, parts) if r not in needed]
    return [*first, *needed, *(t for t in map(spelling, term) if t not in (*first, *needed))]


def together(term: Term) -> Term:
    """The term, with `==` for `<=` and `>=` of the same sides."""
    both = {(r.left, r.right): {s.op for s in term if s.left == r.left and s.right == r.right}
            for r in term}  # fmt: skip
    equal = [Relation("==", *sides) if both[sides] >= {"<=", ">="} else r
             for r in term for sides in [(r.left, r.right)]]  # fmt: skip
    return tuple(dict.fromkeys(equal))


def exponents_of(*expressions: Expr) -> list[Expr]:
    """What two is raised to in them, each once."""
    parts = (x for e in expressions for x in preorder_traversal(e))
    return list(dict.fromkeys(x.args[0] for x in parts if isinstance(x, Exp2)))


def _signs(d: Expr, facts: Facts) -> list[Relation]:
    """That it is positive, or negative where it can be."""
    low = least_value(d, facts)
    relations = [Relation(">=", d, Integer(1))]
    natural = low is not None and low >= 0
    return relations if natural else [*relations, Relation("<=", d, Integer(-1))]


def _unequal(a: Expr, b: Expr, facts: Facts) -> list[Relation]:
    """a < b or a > b, without what cannot be."""
    if isinstance(a, Mod) and b == 0:
        low = least_value(a.args[1], facts)
        if low is not None and low >= 0:
            return [Relation(">=", a, Integer(1))]
    if isinstance(a, Symbol) and b.is_Integer:
        domain = facts.domain(a.name)
        if domain.first == b:
            return [Relation(">=", a, b + 1)]
        if domain.last == b:
            return [Relation("<=", a, b - 1)]
    return [Relation("<", a, b), Relation(">", a, b)]


def holding(facts: Facts, more: Sequence[Relation], base: Facts | None = None) -> Facts:
    """The facts and more, where no symbol may be less than before: a fact sets its least value.

    >>> print(holding(Facts(), Facts.read("N >= 0").relations))
    N >= 0, N >= 1
    """
    base = facts if base is None else base
    result = facts.and_(list(more))
    lower = [n for n in sorted(result.names) if result.domain(n).low < base.domain(n).low]
    return result.at_least((n, base.domain(n).low) for n in lower)


def placed(e: Expr, table: Mapping[Symbol, Expr]) -> Expr | None:
    """The expression at a place; None where it has no value there, whatever the sizes are.

    >>> placed(Symbol("N") * Symbol("j"), {Symbol("j"): Integer(2)})
    2*N
    >>> placed(Mod(Symbol("N"), Symbol("j")), {Symbol("j"): Integer(0)})
    """
    try:
        return put(e, table)
    except LayoutError:
        return None


def all_placed(
    expressions: Sequence[Expr], table: Mapping[Symbol, Expr]
) -> tuple[Expr, ...] | None:
    """All of them at a place; None where one of them has no value there."""
    values = [placed(e, table) for e in expressions]
    return None if None in values else tuple(v for v in values if v is not None)
