"""Facts with alternatives: `N == 4 or N % 8 == 0` and `BLOCK in {128, 256}` are case splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.condition_reader import opens_condition
from symlayout.expr.facts import Facts, Relation, conjunct_at
from symlayout.expr.reader import expression_at
from symlayout.expr.scanner import Scanner
from symlayout.expr.terms import outside
from symlayout.text.limits import NESTING
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

ALTERNATIVES = 8  # of one fact
CASES = 64  # of all facts of a claim together
JOINED = regex(r"\bor\b|\|\||\bin\b")  # without any of these a fact has one case
MEMBER = regex(r"in\b\s*(\{?)")
Case = tuple[Relation, ...]
NUMBERS = "write the numbers in braces: BLOCK in {128, 1024}"


@dataclass(frozen=True)
class Choice:
    """A fact of which one case at least holds.

    >>> print(Choice(read_cases("B in {2, 4} and N >= B or N == 9")))
    B == 2 and N >= B or B == 4 and N >= B or N == 9
    """

    cases: tuple[Case, ...]
    text: str = field(default="", compare=False, repr=False)  # as it was written

    def __str__(self) -> str:
        return " or ".join(" and ".join(map(str, case)) for case in self.cases)

    @cached_property
    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset(n for case in self.cases for r in case for n in r.names)

    @property
    def consequences(self) -> tuple[Relation, ...]:
        """What holds in every case of `N in {4, 8, 16}`: the ends of its values.

        >>> [str(r) for r in Choice(read_cases("N in {8, 4, 16}")).consequences]
        ['N >= 4', 'N <= 16']
        """
        values = [r.right for case in self.cases for r in case if _gives_value(r)]
        sides = {r.left for case in self.cases for r in case}
        if len(values) < len(self.cases) or len(sides) > 1 or any(len(c) > 1 for c in self.cases):
            return ()
        (side,) = sides
        low, high = min(values, key=int), max(values, key=int)
        return Relation(">=", side, low), Relation("<=", side, high)


def _gives_value(r: Relation) -> bool:
    return r.op == "==" and r.left.is_Symbol and r.right.is_Integer


def names_of(text: str) -> frozenset[str]:
    """The names in a fact, with alternatives or without."""
    return Choice(read_cases(text)).names


def read_cases(text: str) -> tuple[Case, ...]:
    """The cases of a fact, each of which is all of its relations.

    >>> [" and ".join(map(str, case)) for case in read_cases("(M < 2 or M == N) and N > 1")]
    ['M < 2 and N > 1', 'M == N and N > 1']

    Raises `LayoutError`: SL300 for what is not a fact, SL204 for more than eight cases.
    """
    scanner = Scanner(text)
    scanner.exclusive = "never"
    cases = _either(scanner)
    scanner.end("the fact")
    return tuple(dict.fromkeys(tuple(dict.fromkeys(case)) for case in cases))


def _either(s: Scanner) -> list[Case]:
    cases = _all(s)
    while _takes(s, "or") or s.take("||"):
        cases += _all(s)
        _check_count(s, cases)
    return cases


def _all(s: Scanner) -> list[Case]:
    cases = _part(s)
    while _takes(s, "and") or s.take("&&"):
        more = _part(s)
        cases = [a + b for a in cases for b in more]
        _check_count(s, cases)
    return cases


def _part(s: Scanner) -> list[Case]:
    """A comparison, `EXPRESSION in {A, B}`, or alternatives in parentheses."""
    at = s.skip(line_comments=False)
    if s.text.startswith("(", at) and opens_condition(s.text, at):
        s.at += 1
        s.depth += 1
        if s.depth > NESTING:
            raise s.error("SL204", f"more than {NESTING} nested conditions")
        cases = _either(s)
        s.depth -= 1
        s.expect(")", "to close the alternatives")
        return cases
    left = expression_at(s, conditional=False)
    s.skip(line_comments=False)
    member = MEMBER.match(s.text, s.at)
    if member is not None:
        return _members(s, left, member.end(), bool(member[1]))
    s.at = at
    return [tuple(conjunct_at(s))]


def _members(s: Scanner, left: Any, at: int, braced: bool) -> list[Case]:
    """`left == number` for each number in braces."""
    if not braced:
        raise s.error("SL300", "the values of a size stand in braces", help=NUMBERS)
    s.at = at
    cases: list[Case] = []
    while True:
        cases.append((Relation("==", left, expression_at(s, conditional=False)),))
        _check_count(s, cases)
        if not s.take(","):
            s.expect("}", "behind the values")
            return cases


def _takes(s: Scanner, word: str) -> bool:
    s.skip(line_comments=False)
    if not s.text.startswith(word, s.at) or s.text[s.at + len(word) :][:1].isalnum():
        return False
    s.at += len(word)
    return True


def _check_count(s: Scanner, cases: list[Case]) -> None:
    if len(cases) > ALTERNATIVES:
        message = f"a fact of more than {ALTERNATIVES} alternatives"
        raise s.error("SL204", message, help="claim each part by itself, under its own facts")


def split_choices(where: Any) -> tuple[Any, list[Choice]]:
    """The facts that are plain, and those with alternatives.

    >>> facts, choices = split_choices(["N > 1", "B in {2, 4}"])
    >>> facts, list(map(str, choices))
    (['N > 1'], ['B == 2 or B == 4'])

    Raises `LayoutError` (SL204) for more than 64 cases of all of them together.
    """
    many = [where] if isinstance(where, (str, Choice)) else where
    if isinstance(many, Facts) or outside(many) or not isinstance(many, Iterable):
        return many, []
    facts: list[Any] = []
    choices: list[Choice] = []
    count = 1
    for fact in many:
        joined = isinstance(fact, str) and JOINED.search(fact)
        cases = fact.cases if isinstance(fact, Choice) else read_cases(fact) if joined else ()
        if len(cases) < 2:
            facts += cases[0] if cases else [fact]
            continue
        choices.append(fact if isinstance(fact, Choice) else Choice(cases, fact))
        count *= len(cases)
    if count > CASES:
        message = f"the facts have {count} cases together; the limit is {CASES}"
        raise LayoutError("SL204", message)
    return facts, choices


def combinations(choices: Iterable[Choice]) -> Iterator[Case]:
    """One case of each choice."""
    for combination in product(*[c.cases for c in choices]):
        yield tuple(dict.fromkeys(r for case in combination for r in case))


def occurrences(choices: Iterable[Choice]) -> Counter[str]:
    """In how many of the facts each name occurs."""
    return Counter(n for c in choices for n in c.names)
