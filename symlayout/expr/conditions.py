"""Conditions: comparisons joined by `and`, `or` and `not`, and the conditionals made of them.

They are nodes of the expression tree: what walks, prints or evaluates an expression takes them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import Any, ClassVar, Self, TypeAlias

from symlayout.errors import LayoutError
from symlayout.expr.needs import keeping, needs_of
from symlayout.expr.operators import CONDITIONS, Operator
from symlayout.expr.scanner import MARK, WORD, Names, Scanner
from symlayout.expr.terms import Max, Min, Where
from symlayout.expr.tree import Expr, Integer, _node, expand
from symlayout.text.limits import WEIGHT


class Logical(Expr):
    """An expression that is true or false; its operator is a row of `CONDITIONS`."""

    __slots__ = ()
    row: ClassVar[Operator]
    is_Function = True

    def __init_subclass__(cls) -> None:
        cls.class_key = (4, 10000, cls.__name__)

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


class Both(Logical):
    """The first and the second; the second is not looked at where the first is false."""

    __slots__ = ()
    row = CONDITIONS["and"]
    args: tuple[Condition, Condition]

    @property
    def first(self) -> Condition:
        """The condition that is looked at first."""
        return self.args[0]

    @property
    def second(self) -> Condition:
        """The condition that is looked at where the first is true."""
        return self.args[1]


class Either(Logical):
    """The first or the second; the second is not looked at where the first is true."""

    __slots__ = ()
    row = CONDITIONS["or"]
    args: tuple[Condition, Condition]

    @property
    def first(self) -> Condition:
        """The condition that is looked at first."""
        return self.args[0]

    @property
    def second(self) -> Condition:
        """The condition that is looked at where the first is false."""
        return self.args[1]


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
        expr = extreme(c, a, b) or Where(c.left, c.right, a, b)
        if weight(expr) > WEIGHT:
            message = f"a conditional of more than {WEIGHT} parts, each comparison written out"
            raise LayoutError("SL204", message)
        return expr
    if isinstance(c, Both):
        return conditional(c.first, conditional(c.second, a, b), b)
    return conditional(c.first, a, conditional(c.second, a, b))


def extreme(c: Less, a: Expr, b: Expr) -> Expr | None:
    """The minimum or maximum that `a if c else b` is, where it is one: `a if a <= b else b`.

    >>> from symlayout.expr.terms import symbol
    >>> x = symbol("x")
    >>> extreme(Less(Integer(0), x), x, Integer(0)), extreme(Less(x, Integer(5)), x, Integer(4))
    (max(x, 0), min(x, 4))

    What the condition divides by must not be 0, also where it cancels.
    """
    if {a, b} == {c.left, c.right}:
        return Min(a, b) if a == c.left else Max(a, b)
    gap, more = expand(a - b), expand(c.right - c.left)
    for word, apart in ((Max, gap), (Min, -gap)):
        # `more` is at least 1 where the condition is true, and else at most 0
        if apart in (more, more - 1):
            return keeping(word(a, b), [*needs_of(c.left), *needs_of(c.right)])
    return None


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
        from symlayout.expr.condition_reader import deeper, read_condition

        deeper(s)
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
        from symlayout.expr.condition_reader import deeper, read_condition, takes

        deeper(s)
        s.at += len("if")
        c = read_condition(s, names)
        at = s.skip(line_comments=False)
        if not takes(s, "else", "else"):
            raise s.missing("'else' behind the condition")
        s.speaks("else", at)
        b = s.expressions(s, names, True).whole()
        s.depth -= 1
        expr: Expr = s.more.choice(c, a, b)
        return expr


ALWAYS = Less(Integer(0), Integer(1))
