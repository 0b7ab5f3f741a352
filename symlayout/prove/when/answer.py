"""A condition over sizes: an or of ands of relations, and what was proved of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from sympy import Expr, Integer, Symbol

from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import Mod, divisors_of, rebuild
from symlayout.layouts.spans import least_value
from symlayout.prove.verdict import Verdict

Term = tuple[Relation, ...]  # all of them
STRENGTHS = ("exact", "sufficient", "necessary", "unknown", "vacuous")
POWER = re.compile(r"(?<![\w.])\d{7,}(?!\w)")


@dataclass(frozen=True)
class Condition:
    """Under which sizes a claim holds.

    `relations` is a list of lists of texts, an or of ands; each text can be a fact.  `strength` tells
    what was proved of it: "exact" in both directions; "sufficient", the claim holds wherever it is
    true; "necessary", the claim fails wherever it is false; "unknown" is no condition at all; "vacuous"
    where the facts contradict each other.  The verdicts are those of the two directions, and `cases`
    of theirs, with a certificate each, those of the parts.
    """

    claim: str
    facts: tuple[str, ...]
    relations: list[list[str]]
    strength: str
    verdict_if: Verdict | None = None
    verdict_only_if: Verdict | None = None
    reason: str = ""
    names: tuple[str, ...] = field(default=(), compare=False)

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
        terms = [" and ".join(t) for t in self.relations]
        if len(terms) == 1:
            return terms[0]
        return " or ".join(f"({t})" if len(r) > 1 else t for t, r in zip(terms, self.relations))

    @property
    def sentence(self) -> str:
        """The text with what is known of it: "exactly when ...", "if ..." or "only if ..."."""
        match self.strength:
            case "exact":
                return (
                    self.text if self.text in ("always", "never") else f"exactly when {self.text}"
                )
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


def spelled(r: Relation) -> str:
    """The relation as people write it, which can be read back.

    >>> from symlayout.expr.facts import read_relations
    >>> spelled(read_relations("N%128 == 0")[0]), spelled(read_relations("N <= 2147483648")[0])
    ('N % 128 == 0', 'N <= 2**31')
    """
    return POWER.sub(_power, str(r).replace("%", " % "))


def _power(found: re.Match[str]) -> str:
    number = int(found.group())
    if number & (number - 1) == 0:
        return f"2**{number.bit_length() - 1}"
    if number & (number + 1) == 0:
        return f"2**{number.bit_length()} - 1" if not _inside(found) else found.group()
    return found.group()


def _inside(found: re.Match[str]) -> bool:
    """Whether the number is part of a product, or stands behind a minus."""
    text = found.string
    before, after = text[: found.start()].rstrip(), text[found.end() :].lstrip()
    return before[-1:] in tuple("*/%-") or after[:1] in tuple("*/%")


# -- negations ------------------------------------------------------------------------------------


def negations(r: Relation, facts: Facts) -> list[Relation]:
    """Relations of which at least one holds wherever this one does not, divisions by zero included."""
    made = [Relation("==", d, Integer(0)) for d in _doubtful([r.left, r.right], facts)]
    match r.op:
        case "==":
            return [*_unequal(r.left, r.right, facts), *made]
        case "!=":
            return [Relation("==", r.left, r.right), *made]
        case _:
            return [r.negation, *made]


def _doubtful(sides: Iterable[Expr], facts: Facts) -> list[Expr]:
    """Divisors that may be 0."""
    found = dict.fromkeys(d for e in sides for d in divisors_of(e))
    return [d for d in found if (least_value(d, facts) or 0) < 1]


def _unequal(a: Expr, b: Expr, facts: Facts) -> list[Relation]:
    """a < b or a > b, without what cannot be."""
    if isinstance(a, Mod) and b == 0 and (least_value(a.args[1], facts) or 0) >= 1:
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
    made = facts.and_(list(more))
    lower = [n for n in sorted(made.names) if made.domain(n).low < base.domain(n).low]
    return made.at_least((n, base.domain(n).low) for n in lower)


def with_zero(e: Expr, symbols: Iterable[Symbol]) -> Expr:
    """The expression where the symbols are 0."""
    table = {s: Integer(0) for s in symbols}
    return rebuild(e, lambda s: table.get(s, s))
