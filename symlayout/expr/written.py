"""Expressions as they are written: a tree of the operations in the text, nothing joined or folded.

An `Expr` says what an expression comes to; which values code computes on its way there, and in which
types, only the text knows: `int64(r)*C` and `int64(r*C)` are one `Expr`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from symlayout.expr.conditions import Conditionals
from symlayout.expr.intermediates import factors_in_order, terms_in_order
from symlayout.expr.operators import CALLS
from symlayout.expr.reader import MACHINE_TYPES, Names, Scanner, _Expressions, any_name
from symlayout.expr.terms import EXTREMES, OF_OP, Application, Exp2, Where
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


@dataclass(frozen=True, eq=False)
class Written:
    """A number, a name, or an operation; `word` is the number, the name or the type of a cast.

    Operations are `+ - * ** // % c/ c% << >> & | ^ ~ neg`, min, max, abs, ceildiv, cast, the
    comparisons, and, or, not, and `if` (condition, first, second); `c/` and `c%` round towards zero.

    >>> tree = read_written("int64(r)*C + c")
    >>> [node.text for node in tree.steps()]
    ['r', 'int64(r)', 'C', 'int64(r)*C', 'c', 'int64(r)*C + c']
    """

    op: str
    args: tuple[Written, ...] = ()
    word: str = ""
    text: str = ""
    start: int = 0
    end: int = 0

    def steps(self) -> Iterator[Written]:
        """Every part of it, operands before what is made of them."""
        waiting: list[tuple[Written, bool]] = [(self, False)]
        while waiting:
            node, ready = waiting.pop()
            if ready or not node.args:
                yield node
                continue
            waiting.append((node, True))
            waiting += [(a, False) for a in reversed(node.args)]


class _WrittenConditionals(Conditionals):
    """Conditions as they are written."""

    both = staticmethod(lambda a, b: _operation("and", a, b))
    either = staticmethod(lambda a, b: _operation("or", a, b))
    compared = staticmethod(lambda op, a, b: _operation(op, a, b))
    negated = staticmethod(lambda a: _operation("not", a))
    choice = staticmethod(
        lambda c, a, b: replace(_operation("if", c, a, b), text=f"(... ? {a.text} : {b.text})")
    )


def _operation(op: str, *args: Written) -> Written:
    return Written(op, args, "", "", args[0].start, args[-1].end)


class _Reader(_Expressions):
    """The one grammar, with trees for values."""

    def whole(self) -> Any:
        return self.read()

    def note_choice(self, value: Any) -> None:
        """Nothing: no tree cancels."""

    def node(self, op: str, args: tuple[Any, ...], start: int, end: int, word: str = "") -> Any:
        return Written(op, args, word, self.s.text[start:end], start, end)

    def number(self, start: int) -> Any:
        if super().number(start) is None:
            return None
        return self.node("number", (), start, self.s.at, self.s.text[start : self.s.at])

    def leaf(self, word: str, at: int) -> Any:
        if self.names(word) is None:
            return None
        return self.node("name", (), at, self.s.at, word)

    def called(self, word: str, args: list[Any], at: int) -> Any:
        if not word:
            return replace(args[0], start=at, end=self.s.at, text=self.s.text[at : self.s.at])
        if word in MACHINE_TYPES:
            return self.node("cast", tuple(args), at, self.s.at, word)
        op = CALLS[word].op if word in CALLS else word  # abs
        return self.node(op, tuple(args), at, self.s.at)

    def branched(self, value: Any, group: Any) -> Any:
        choice = self.s.more.python_if(self.s, self.names, value)
        return replace(choice, start=value.start, text=self.s.text[value.start : choice.end])

    def plain(self, value: Any, at: int) -> Any:
        return value

    def apply(self, op: str, a: Any, b: Any, at: int) -> Any:
        if a is None:
            return self.node(op, (b,), at, b.end)
        return self.node(op, (a, b), a.start, b.end)


def as_written(scanner: Scanner) -> Scanner:
    """The scanner, reading expressions and conditions as trees from here on."""
    scanner.more = _WrittenConditionals
    scanner.expressions = _Reader
    return scanner


def read_written(text: str, names: Names = any_name, *, language: str | None = None) -> Written:
    """The tree of an expression; raises `LayoutError` with the place of the mistake."""
    scanner = as_written(Scanner(text, language=language))
    tree: Any = scanner.expressions(scanner, names).whole()
    scanner.end("the expression")
    return tree  # type: ignore[no-any-return]


class Spelling:
    """Trees of expressions that nobody has written: in the order in which code computes them."""

    def of(self, e: Expr) -> Written:
        """The tree of an expression.

        >>> [node.text for node in Spelling().of(2 * Symbol("N") + 1).steps()]
        ['2', 'N', '2*N', '1', '2*N + 1']
        """
        if isinstance(e, Symbol):
            return Written("name", (), e.name, e.name)
        if isinstance(e, Integer):
            return Written("number", (), str(e), str(e))
        if isinstance(e, Add):
            return self.sum(e)
        if isinstance(e, Mul):
            parts = factors_in_order(e)
            if parts[0] == -1:
                return Written("neg", (self.of(-e),), "", str(e))
            return self.chain("*", parts)
        if isinstance(e, Pow):
            return Written("**", tuple(map(self.of, e.args)), "", str(e))
        if isinstance(e, EXTREMES):
            return self.chain(e.row.op, list(e.args))
        if isinstance(e, Exp2):
            return Written("<<", (self.of(Integer(1)), self.of(e.args[0])), "", str(e))
        if isinstance(e, Where):
            p, q, a, b = map(self.of, e.args)
            return Written("if", (Written("<", (p, q)), a, b), "", str(e))
        assert isinstance(e, Application)
        return Written(e.row.op, tuple(map(self.of, e.args)), "", str(e))

    def sum(self, e: Expr) -> Written:
        """A sum, its negative terms subtracted."""
        first, *rest = terms_in_order(e)
        tree, total = self.of(first), first
        for t in rest:
            negative = t.could_extract_minus_sign()
            total = total + t
            term = self.of(-t if negative else t)
            tree = Written("-" if negative else "+", (tree, term), "", str(total))
        return tree

    def chain(self, op: str, parts: list[Expr]) -> Written:
        """One operation after the other, from left to right."""
        tree, total = self.of(parts[0]), parts[0]
        for part in parts[1:]:
            total = total * part if op == "*" else OF_OP[op](total, part)
            tree = Written(op, (tree, self.of(part)), "", str(total))
        return tree


__all__ = ["Spelling", "Written", "as_written", "read_written"]
