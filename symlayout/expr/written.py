"""The grammar's terms: what a text says, nothing joined or folded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from symlayout.expr.conditions import Conditionals, Logical
from symlayout.expr.intermediates import factors_in_order, terms_in_order
from symlayout.expr.machine import INT, TYPES, literal_or_none
from symlayout.expr.operators import CALLS
from symlayout.expr.reader import Names, Scanner, _Expressions, any_name, int_of
from symlayout.expr.term import OTHERWISE, Term, op_of
from symlayout.expr.terms import EXTREMES, OF_OP, Application, Exp2, Where
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

Texts = dict[Term, str]  # terms as they are written


@dataclass(frozen=True, eq=False)
class Placed:
    """A term, and where it is written: with the parentheses around it."""

    term: Term
    text: str
    start: int
    end: int


class _WrittenConditionals(Conditionals):
    """Conditions as they are written."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts

    both = staticmethod(lambda a, b: _operation("and", a, b))
    either = staticmethod(lambda a, b: _operation("or", a, b))
    compared = staticmethod(lambda op, a, b: _operation(op, a, b))
    negated = staticmethod(lambda a: _operation("not", a))

    def choice(self, c: Placed, a: Placed, b: Placed) -> Placed:
        """One of two cases."""
        case = _operation("where", c, a, b)
        self.texts.setdefault(case.term, f"(... ? {a.text} : {b.text})")
        return case


def _operation(op: str, *args: Placed) -> Placed:
    return Placed(Term(op, tuple(a.term for a in args)), "", args[0].start, args[-1].end)


class _Reader(_Expressions):
    """The one grammar, with terms for values."""

    def __init__(self, texts: Texts, *args: Any) -> None:
        super().__init__(*args)
        self.texts = texts

    def whole(self) -> Any:
        return self.read()

    def note_choice(self, value: Any) -> None:
        """Nothing: no term cancels."""

    def placed(self, term: Term, start: int, end: int) -> Any:
        text = self.s.text[start:end]
        self.texts.setdefault(term, text)
        return Placed(term, text, start, end)

    def number(self, start: int) -> Any:
        if super().number(start) is None:
            return None
        word = self.s.text[start : self.s.at]
        value = int_of(word.rstrip("uUlL"))
        term = Term("num", (), word, value, literal_or_none(word))
        return self.placed(term, start, self.s.at)

    def leaf(self, word: str, at: int) -> Any:
        if self.names(word) is None:
            return None
        return self.placed(Term("name", (), word, type=INT), at, self.s.at)

    def called(self, word: str, args: list[Any], at: int) -> Any:
        if not word:
            return replace(args[0], start=at, end=self.s.at, text=self.s.text[at : self.s.at])
        terms = tuple(a.term for a in args)
        if word in TYPES:
            return self.placed(Term("cast", terms, word, type=TYPES[word]), at, self.s.at)
        op = op_of(CALLS[word]) if word in CALLS else word  # abs
        return self.placed(Term(op, terms), at, self.s.at)

    def branched(self, value: Any, group: Any) -> Any:
        choice = self.s.more.python_if(self.s, self.names, value)
        text = f"({self.s.text[value.start : choice.end]})"
        self.texts[choice.term] = text
        return replace(choice, start=value.start, text=text)

    def plain(self, value: Any, at: int) -> Any:
        return value

    def apply(self, op: str, a: Any, b: Any, at: int) -> Any:
        if a is None:
            return self.placed(Term(op, (b.term,)), at, b.end)
        return self.placed(Term(OTHERWISE.get(op, op), (a.term, b.term)), a.start, b.end)


def as_written(scanner: Scanner) -> Texts:
    """The scanner reads expressions and conditions as terms from here on; these are their texts."""
    texts = Texts()
    scanner.more = _WrittenConditionals(texts)
    scanner.expressions = partial(_Reader, texts)
    return texts


def read_written(text: str, names: Names = any_name, *, language: str | None = None) -> Term:
    """The term of an expression; raises `LayoutError` with the place of the mistake.

    >>> tree = read_written("int64(r)*C + c")
    >>> [t.text(typed=True) for t in tree.steps()]
    ['r', 'int64(r)', 'C', 'int64(r)*C', 'c', 'int64(r)*C + c']
    """
    scanner = Scanner(text, language=language)
    as_written(scanner)
    tree: Any = scanner.expressions(scanner, names).whole()
    scanner.end("the expression")
    return tree.term  # type: ignore[no-any-return]


def with_types(
    term: Term, names: Mapping[str, Any], lets: Mapping[str, Any], known: dict[Term, Term]
) -> Term:
    """The term where names have these types, and others are int; `known` has what is done.

    A size or a coordinate that is cast is read in that type: only definitions have a type before.
    """
    for t in term.steps():
        if t in known:
            continue
        if t.op == "name":
            known[t] = Term("name", (), t.word, type=lets.get(t.word) or names.get(t.word, INT))
        elif t.op == "cast" and t.args[0].op == "name" and t.args[0].word not in lets:
            inner = Term("name", (), t.args[0].word, type=t.type)
            known[t] = t.with_args((inner,))
        else:
            known[t] = t.with_args(tuple(known[a] for a in t.args))
    return known[term]


class Spelling:
    """Terms of expressions that nobody has written: in the order in which code computes them."""

    def __init__(self) -> None:
        self.texts = Texts()

    def of(self, e: Expr) -> Term:
        """The term of an expression.

        >>> spelling = Spelling()
        >>> [spelling.texts[t] for t in spelling.of(2 * Symbol("N") + 1).steps()]
        ['2', 'N', '2*N', '1', '2*N + 1']
        """
        term = self._of(e)
        self.texts.setdefault(term, str(e))
        return term

    def _of(self, e: Expr) -> Term:
        if isinstance(e, Symbol):
            return Term("name", (), e.name, type=INT)
        if isinstance(e, Integer):
            return Term("num", (), str(e), int(e), literal_or_none(str(e)))
        if isinstance(e, Add):
            return self.sum(e)
        if isinstance(e, Mul):
            parts = factors_in_order(e)
            if parts[0] == -1:
                return Term("neg", (self.of(-e),))
            return self.chain("*", parts)
        if isinstance(e, Pow):
            return Term("**", tuple(map(self.of, e.args)))
        if isinstance(e, EXTREMES):
            return self.chain(e.row.op, list(e.args))
        if isinstance(e, Exp2):
            return Term("<<", (self.of(Integer(1)), self.of(e.args[0])))
        if isinstance(e, Where):
            p, q, a, b = map(self.of, e.args)
            return Term("where", (Term("<", (p, q)), a, b))
        assert isinstance(e, (Application, Logical))
        return Term(op_of(e.row), tuple(map(self.of, e.args)))

    def sum(self, e: Expr) -> Term:
        """A sum, its negative terms subtracted."""
        first, *rest = terms_in_order(e)
        tree, total = self.of(first), first
        for t in rest:
            negative = t.could_extract_minus_sign()
            total = total + t
            term = self.of(-t if negative else t)
            tree = Term("-" if negative else "+", (tree, term))
            self.texts.setdefault(tree, str(total))
        return tree

    def chain(self, op: str, parts: list[Expr]) -> Term:
        """One operation after the other, from left to right."""
        tree, total = self.of(parts[0]), parts[0]
        for part in parts[1:]:
            total = total * part if op == "*" else OF_OP[op](total, part)
            tree = Term(op, (tree, self.of(part)))
            self.texts.setdefault(tree, str(total))
        return tree


__all__ = ["Placed", "Spelling", "Term", "as_written", "read_written"]
