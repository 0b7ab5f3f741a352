"""Conditions: comparisons joined by `and`, `or` and `not`, and the conditionals made of them.

They are nodes of the expression tree: what walks, prints or evaluates an expression takes them too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any, ClassVar, Self, TypeAlias

from symlayout.errors import LayoutError
from symlayout.expr.operators import CONDITIONS, Operator
from symlayout.expr.scanner import RELATION, Names, Scanner
from symlayout.expr.terms import Where
from symlayout.expr.tree import Expr, Function, Integer, _node
from symlayout.text.limits import COMPARISONS, NESTING, WEIGHT
from symlayout.text.patterns import regex

WORD = regex(r"[A-Za-z_]\w*", re.A)
# what tells a condition in parentheses, and a `?` of this expression, from other text
MARK = regex(
    r"/\*.*?\*/|<<|>>|[<>]=?|==|!=|!|&&|\|\||[()\[\]{},;:?]|(?<![\w.])(?:and|or|not|if|else|in)\b",
    re.S | re.A,
)
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
COMPARING = frozenset(["<", ">", "<=", ">=", "==", "!=", "!", "&&", "||", "and", "or", "not"])


class Logical(Function):
    """An expression that is true or false; its operator is a row of `CONDITIONS`."""

    __slots__ = ()
    row: ClassVar[Operator]

    def __new__(cls, *args: Expr) -> Self:
        return _node(cls, args)  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        return self.row.text(self, printer)


class Less(Logical):
    """`left < right`: every comparison of integers is made of this one."""

    __slots__ = ()
    row = CONDITIONS["<"]

    @property
    def left(self) -> Expr:
        """What is less."""
        return self.args[0]

    @property
    def right(self) -> Expr:
        """What is greater."""
        return self.args[1]


class Joined(Logical):
    """Two conditions and the word between them."""

    __slots__ = ()
    args: tuple[Condition, Condition]

    @property
    def first(self) -> Condition:
        """The condition that is looked at first."""
        return self.args[0]

    @property
    def second(self) -> Condition:
        """The condition that is looked at where the first does not decide."""
        return self.args[1]


class Both(Joined):
    """The first and the second; the second is not looked at where the first is false."""

    __slots__ = ()
    row = CONDITIONS["and"]


class Either(Joined):
    """The first or the second; the second is not looked at where the first is true."""

    __slots__ = ()
    row = CONDITIONS["or"]


Condition: TypeAlias = Less | Both | Either


def comparison(op: str, a: Expr, b: Expr) -> Condition:
    """The comparison of two integers.

    >>> from symlayout.expr.terms import symbol
    >>> print(comparison("==", symbol("i"), symbol("n")))
    (i < n + 1 and n < i + 1)
    """
    match op:
        case "<":
            return Less(a, b)
        case ">":
            return Less(b, a)
        case "<=":
            return Less(a, b + 1)
        case ">=":
            return Less(b, a + 1)
        case "==":
            return Both(Less(a, b + 1), Less(b, a + 1))
        case _:
            return Either(Less(a, b), Less(b, a))


def negation(c: Condition) -> Condition:
    """The condition that is true exactly where this one is false."""
    if isinstance(c, Less):
        return Less(c.right, c.left + 1)
    dual = Either if isinstance(c, Both) else Both
    return dual(negation(c.first), negation(c.second))


def all_of(conditions: Sequence[Condition]) -> Condition | None:
    """That all of them hold; None where there is none."""
    return reduce(Both, conditions) if conditions else None


def conditional(c: Condition, a: Expr, b: Expr) -> Expr:
    """`a` where the condition is true, `b` where it is false.

    >>> from symlayout.expr.terms import symbol
    >>> conditional(comparison("==", symbol("i"), Integer(0)), Integer(1), Integer(2))
    ((1 if 0 < i + 1 else 2) if i < 1 else 2)
    """
    if isinstance(c, Less):
        expr = Where(c.left, c.right, a, b)
        if weight(expr) > WEIGHT:
            message = f"a conditional of more than {WEIGHT} parts, each comparison written out"
            raise LayoutError("SL204", message)
        return expr
    if isinstance(c, Both):
        return conditional(c.first, conditional(c.second, a, b), b)
    return conditional(c.first, a, conditional(c.second, a, b))


@lru_cache(maxsize=100_000)
def weight(e: Expr) -> int:
    """How many parts an expression has, those that it shares counted each time."""
    return 1 + sum(map(weight, e.args))


def leaves(*conditions: Condition) -> list[Less]:
    """The comparisons, from left to right."""
    parts = [[c] if isinstance(c, Less) else leaves(*c.args) for c in conditions]
    return [x for part in parts for x in part]


def conjuncts(*conditions: Condition) -> list[Condition]:
    """The conditions that `and` joins, from left to right."""
    parts = [conjuncts(*c.args) if isinstance(c, Both) else [c] for c in conditions]
    return [x for part in parts for x in part]


def sides(*conditions: Condition) -> list[Expr]:
    """What the comparisons compare, from left to right."""
    return [e for c in leaves(*conditions) for e in c.args]


def rewritten(c: Condition, change: Callable[[Expr], Expr]) -> Condition:
    """The condition with every side changed."""
    if isinstance(c, Less):
        return Less(change(c.left), change(c.right))
    return type(c)(rewritten(c.first, change), rewritten(c.second, change))


# -- reading ---------------------------------------------------------------------------------------


def read_condition(s: Scanner, names: Names) -> Condition:
    """Reads a condition where the scanner stands.

    >>> from symlayout.expr.reader import condition_at, any_name
    >>> print(condition_at(Scanner("i < n and not (j == 0 or k >= 2)"), any_name))
    (i < n and ((1 < j + 1 or j + 1 < 1) and k + 1 < 3))

    Raises `LayoutError` (SL200, SL300) with the place of the mistake.
    """
    condition = _both_at(s, names)
    while _takes(s, "or", "||"):
        _count(s)
        condition = s.more.either(condition, _both_at(s, names))
    return condition


def _both_at(s: Scanner, names: Names) -> Condition:
    condition = _one_at(s, names)
    while _takes(s, "and", "&&"):
        _count(s)
        condition = s.more.both(condition, _one_at(s, names))
    return condition


def _takes(s: Scanner, word: str, sign: str) -> bool:
    s.skip(line_comments=False)
    match = WORD.match(s.text, s.at)
    if match is not None and match.group() == word:
        s.at = match.end()
        return True
    return not (sign == "!" and s.peek("!=", False)) and s.take(sign, line_comments=False)


def _one_at(s: Scanner, names: Names) -> Condition:
    turns = 0
    while _takes(s, "not", "!"):
        turns += 1
        tight = s.text[s.at - 1] == "!" and s.text[s.skip(line_comments=False) :][:1] not in "(!"
        if tight:
            message = "! binds tighter than a comparison: put the comparison in parentheses"
            raise s.error("SL200", message)
    _deeper(s)
    condition: Condition
    s.skip(line_comments=False)
    if s.text.startswith("(", s.at) and opens_condition(s.text, s.at):
        s.at += 1
        condition = read_condition(s, names)
        s.expect(")", "to close the condition")
    else:
        condition = _chain_at(s, names)
    s.depth -= 1
    return s.more.negated(condition) if turns % 2 else condition


def _count(s: Scanner) -> None:
    s.comparisons += 1
    if s.comparisons > COMPARISONS:
        raise s.error("SL204", f"more than {COMPARISONS} comparisons in one text")


def _deeper(s: Scanner) -> None:
    s.depth += 1
    if s.depth > NESTING:
        raise s.error("SL204", f"more than {NESTING} nested conditions")


def _chain_at(s: Scanner, names: Names) -> Condition:
    left, comparisons = _side_at(s, names), list[Condition]()
    while True:
        s.skip(line_comments=False)
        match = RELATION.match(s.text, s.at)
        if match is None:
            break
        s.at = match.end()
        _count(s)
        right = _side_at(s, names)
        comparisons.append(s.more.compared(match.group(), left, right))
        left = right
    if not comparisons:
        raise s.error("SL300", f"a condition compares two sides, found {s.what_stands()} instead")
    whole = comparisons.pop()
    while comparisons:
        whole = s.more.both(comparisons.pop(), whole)
    return whole


def _side_at(s: Scanner, names: Names) -> Any:
    """One side of a comparison; raises `LayoutError` where C would read another one."""
    side = s.expressions(s, names, False).whole()
    loosely(s)
    return side


def loosely(s: Scanner) -> None:
    """Raises `LayoutError` (SL200) for `a & b == c` in C, where == binds tighter than &."""
    if s.loose is not None and s.in_c:
        s.skip(line_comments=False)
        message = f"in C, {s.text[s.loose]} binds looser than a comparison: put it in parentheses"
        raise s.error("SL200", message, s.loose)


def opens_condition(text: str, at: int) -> bool:
    """Whether the parenthesis that opens here holds a condition, not an expression."""
    ends = _closed(text, at)
    close = ends.get(at, len(text))
    while True:  # parentheses around nothing but others say nothing
        inner = at + 1 + len(text[at + 1 : close]) - len(text[at + 1 : close].lstrip())
        if ends.get(inner) != len(text[:close].rstrip()) - 1:
            break
        at, close = inner, ends[inner]
    depth, seen = 0, False
    for match in MARK.finditer(text, at, close):
        mark = match.group()
        depth += (mark in OPENING) - (mark in CLOSING)
        if depth == 1 and mark in ("?", "if", ","):
            return False
        seen = seen or (depth == 1 and mark in COMPARING)
    return seen


def _closed(text: str, at: int) -> dict[int, int]:
    """Where each parenthesis from here on is closed, up to the end of the first."""
    opened: list[int] = []
    ends: dict[int, int] = {}
    for match in MARK.finditer(text, at):
        if match.group() in OPENING:
            opened.append(match.start())
        elif match.group() in CLOSING:
            ends[opened.pop()] = match.start()
            if not opened:
                break
    return ends


class Conditionals:
    """What a scanner of index functions reads beside expressions: `c ? a : b`, `a if c else b`."""

    both: Any = Both
    either: Any = Either
    compared: Any = staticmethod(comparison)
    negated: Any = staticmethod(negation)
    choice: Any = staticmethod(conditional)

    @staticmethod
    def asks(s: Scanner) -> bool:
        """Whether a `?` stands in the expression that begins here."""
        if s.at > s.last_question:
            return False
        depth = 0
        for match in MARK.finditer(s.text, s.at):
            mark = match.group()
            if mark in ("(", "[", "{"):
                depth += 1
            elif mark in (")", "]", "}"):
                depth -= 1
                if depth < 0:
                    return False
            elif depth == 0 and mark == "?":
                return True
            elif depth == 0 and mark in (",", ";", ":", "if", "else", "in"):
                return False
        return False

    @staticmethod
    def c_if(s: Scanner, names: Names) -> Expr:
        """`c ? a : b`."""
        _deeper(s)
        c = read_condition(s, names)
        s.skip(line_comments=False)
        s.speaks("?", s.at)
        s.expect("?", "behind the condition")
        a = s.expressions(s, names, True).whole()
        s.expect(":", "between the two cases")
        b = s.expressions(s, names, True).whole()
        s.depth -= 1
        expr: Expr = s.more.choice(c, a, b)
        return expr

    @staticmethod
    def begins_if(s: Scanner) -> bool:
        """Whether `if` comes next."""
        s.skip(line_comments=False)
        match = WORD.match(s.text, s.at)
        return match is not None and match.group() == "if"

    @staticmethod
    def python_if(s: Scanner, names: Names, a: Expr) -> Expr:
        """`a if c else b`, behind the a."""
        _deeper(s)
        s.at += len("if")
        c = read_condition(s, names)
        at = s.skip(line_comments=False)
        if not _takes(s, "else", "else"):
            raise s.missing("'else' behind the condition")
        s.speaks("else", at)
        b = s.expressions(s, names, True).whole()
        s.depth -= 1
        expr: Expr = s.more.choice(c, a, b)
        return expr


ALWAYS = Less(Integer(0), Integer(1))
