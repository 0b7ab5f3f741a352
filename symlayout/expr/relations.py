"""Relations between integer expressions, and how a text spells them."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.outward import Formula
from symlayout.expr.reader import any_name, expression_at
from symlayout.expr.scanner import RELATION, Names, Scanner, loosely
from symlayout.expr.terms import Max, Min, value
from symlayout.expr.tree import Expr
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
MIRRORED = {"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}
# a op b as what is >= 0 over the integers: (sign, shift) of a - b
SIDES = {">=": (1, 0), ">": (1, 1), "<=": (-1, 0), "<": (-1, 1)}
INTRODUCED = regex(r"symbol\s+(?!and\b|or\b|in\b|if\b)([A-Za-z_]\w*)", re.A)
NEGATED = {"==": "!=", "!=": "==", "<=": ">", ">=": "<", "<": ">=", ">": "<="}


@dataclass(frozen=True)
class Relation(Formula):
    """`left op right` between integer expressions.

    `chained`: a text has it in a row with others; `introduces`: it is written `symbol NAME`.

    >>> print(read_relations("N % 128 == 0")[0])
    N%128 == 0
    """

    op: str
    left: Expr
    right: Expr
    chained: bool = field(default=False, compare=False, repr=False, kw_only=True)
    introduces: bool = field(default=False, compare=False, repr=False, kw_only=True)

    def __str__(self) -> str:
        if self.introduces:
            return f"symbol {self.left}"
        return f"{self.left} {self.op} {self.right}"

    @property
    def sympy(self) -> Any:
        """The relation as SymPy's."""
        from symlayout.expr.edge import relation

        return relation(self.op, self.left, self.right)

    def holds(self, env: Mapping[str, int]) -> bool:
        """Whether it is true of these numbers; what divides by zero there is not."""
        if self._of_one:
            name, compare, bound = self._of_one
            if type(number := env.get(name)) is int:
                return compare(number, bound)  # type: ignore[no-any-return]
        try:
            return bool(COMPARE[self.op](value(self.left, env), value(self.right, env)))
        except LayoutError as error:
            if error.code != "SL202":
                raise
            return False

    @cached_property
    def _of_one(self) -> tuple[str, Any, int] | None:
        """The symbol, the comparison and the number, where it is of these."""
        if not (self.left.is_Symbol and self.right.is_Integer):
            return None
        return str(self.left), COMPARE[self.op], int(self.right)

    @property
    def begins_a_range(self) -> bool:
        """Whether it is the `0 <=` or `1 <=` of a chain, which says nothing of a size by itself."""
        if not self.chained or len(self.names) != 1:
            return False
        from symlayout.expr.domains import interval, line_of

        line = line_of(self)
        low = interval(self.op, *line)[0] if line is not None else None
        return low in (0, 1)

    @property
    def negation(self) -> Relation:
        """The relation that is true exactly where this one is false."""
        return Relation(NEGATED[self.op], self.left, self.right)

    @cached_property
    def in_domain(self) -> bool:
        """Whether the domain of its only symbol says all that the relation says."""
        if len(self.names) != 1 or self.op == "!=":
            return False
        from symlayout.expr.domains import congruence, line_of

        return congruence(self) is not None or line_of(self) is not None

    @cached_property
    def parts(self) -> tuple[Relation, ...]:
        """Relations that say the same together: `max(a, b) <= c` is `a <= c` and `b <= c`.

        `min(a, 9) < 8` is `a < 8`, because 9 is not.
        """
        mirrored = isinstance(self.right, (Min, Max)) and not isinstance(self.left, (Min, Max))
        r = Relation(MIRRORED[self.op], self.right, self.left) if mirrored else self
        each = [Relation(r.op, a, r.right) for a in r.left.args]
        if isinstance(r.left, Max if r.op in ("<", "<=") else Min) and r.op not in ("==", "!="):
            return tuple(p for part in each for p in part.parts)
        if isinstance(r.left, (Min, Max)) and r.op not in ("==", "!=") and r.right.is_Integer:
            left = [p for p in each if not (p.left.is_Integer and not p.holds({}))]
            if len(left) == 1:
                return left[0].parts
        return (self,)

    @cached_property
    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset(s.name for s in self.left.free_symbols | self.right.free_symbols)


def read_relations(text: str, names: Names = any_name) -> tuple[Relation, ...]:
    """The relations of one text: a comparison, a chain of them, or several joined by `and`.

    >>> [str(r) for r in read_relations("0 <= i < M and symbol B")]
    ['0 <= i', 'i < M', 'symbol B']

    `symbol B` says nothing of B, and makes it a name that other facts may use.

    Raises `LayoutError` (SL300) with the place of the mistake.
    """
    scanner = Scanner(text)
    scanner.exclusive = "never"
    relations = conjunct_at(scanner, names)
    while scanner.take("and") or scanner.take("&&"):
        relations += conjunct_at(scanner, names)
    scanner.end("the fact")
    return tuple(relations)


def conjunct_at(scanner: Scanner, names: Names = any_name) -> list[Relation]:
    """A comparison, a chain of them, or `symbol NAME`."""
    scanner.skip(line_comments=False)
    match = INTRODUCED.match(scanner.text, scanner.at)
    if match is not None:
        scanner.at = match.end()
        known = names(match[1])
        if known is None:
            message = f"the name {match[1]!r} is not known here"
            raise scanner.error("SL201", message, match.start(1), match.end(1))
        return [Relation("==", known, known, introduces=True)]
    relations: list[Relation] = []
    left = expression_at(scanner, names, False)
    loosely(scanner)
    while True:
        scanner.skip(line_comments=False)
        match = RELATION.match(scanner.text, scanner.at)
        if match is None:
            break
        scanner.at = match.end()
        right = expression_at(scanner, names, False)
        loosely(scanner)
        relations.append(Relation(match.group(), left, right))
        left = right
    if not relations:
        message = f"a fact compares two sides, found {scanner.what_stands()} instead"
        raise scanner.error("SL300", message)
    return [replace(r, chained=True) for r in relations] if len(relations) > 1 else relations
