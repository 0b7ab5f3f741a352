"""Integer expressions as code writes them: a term for each operation, nothing joined or folded.

An `Expr` says what an expression equals; which values code computes on its way there, and in which
types, only a term says: `int64(r)*C` and `int64(r*C)` are one `Expr`, and two terms.  What kernels
compute is a term, and so is what a map's text says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from symlayout.expr.machine import BOOL, INT, TYPES, Machine, common, literal_or_none
from symlayout.expr.operators import OPERATORS, Operator
from symlayout.expr.relations import NEGATED
from symlayout.text.once import cached_property

ARITHMETIC = frozenset(["+", "-", "*", "//", "%", "cdiv", "min", "max", "&", "|", "^"])
DIVISIONS = frozenset(["//", "%", "/", "rem", "cdiv"])
SHIFTS = frozenset(["<<", ">>"])
LEAVES = frozenset(["num", "name", "lane", "unknown"])
COMPARISONS = frozenset(NEGATED)
TRUTHS = COMPARISONS | {"and", "or", "not", "true", "false"}
OTHERWISE = {"c/": "/", "c%": "rem", "ceildiv": "cdiv"}  # what the grammar calls these in texts


def op_of(row: Operator) -> str:
    """The operation of terms that a row of the table of operators is."""
    return OTHERWISE.get(row.op, row.op)


ROWS: dict[str, Operator] = {op_of(row): row for row in OPERATORS}
# the words of what is written as a call
CALLS = {op: row.words[0] for op, row in ROWS.items() if row.words and op not in ("//", "%")}
CALLS["abs"] = "abs"
# the operands that are converted to the type of the operation, where it is not all of them
CONVERTED = {"where": slice(1, None), "<<": slice(1), ">>": slice(1), "**": slice(1)}
SUMS = {"+": 1, "-": 1, "*": 2}  # how tightly they bind
WHOLE = 9  # binds tighter than all others


class Term:
    """An operation on terms, or a leaf: `num`, `name`, `lane` (its axis is `number`), `unknown`.

    Operations are `+ - * ** // % / rem cdiv << >> & | ^ ~ neg`, min, max, abs, cast, the comparisons,
    and, or, not, true, false, and `where` (condition, first, second); `/` and `rem` round towards zero.
    `word` is a name, a number or a type as it is written.  Equal terms are one object.

    `type` is given for a leaf or a cast, and follows from the operands elsewhere: that of a condition
    is bool.  None is that of a number of any size.

    >>> r, c = (Term("name", word=w, type=INT) for w in "rc")
    >>> wide = Term("+", (Term("cast", (r,), type=TYPES["int64"]), c))
    >>> str(wide.type), wide.text(typed=True), wide is Term("+", wide.args)
    ('int64', 'int64(r) + c', True)
    """

    op: str
    args: tuple[Term, ...]
    word: str
    number: int
    type: Machine | None
    normal: Any = None  # its expression, once `expr.normal` has made it

    def __new__(
        cls,
        op: str,
        args: tuple[Term, ...] = (),
        word: str = "",
        number: int = 0,
        type: Machine | None = None,
    ) -> Term:
        """The term: the one that there is, if any."""
        own = op in LEAVES or op == "cast"
        key = (op, args, word, number, type if own else None)
        with LOCK:
            known = TERMS.get(key)
            if known is not None:
                return known
            term = super().__new__(cls)
            term.op, term.args, term.word, term.number = op, args, word, number
            term.type = (
                type if own else BOOL if op in TRUTHS else common(a.type for a in term.operands)
            )
            TERMS[key] = term
        return term

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.op, self.args, self.word, self.number, self.type)

    def __repr__(self) -> str:
        own = f"op={self.op!r}, args={self.args!r}, word={self.word!r}, number={self.number!r}"
        return f"Term({own}, type={self.type!r})"

    def with_args(self, args: tuple[Term, ...]) -> Term:
        """The same operation on other terms, as it is."""
        return Term(self.op, args, self.word, self.number, self.type)

    # -- types ------------------------------------------------------------------------------------

    @property
    def operands(self) -> tuple[Term, ...]:
        """Those that are converted to the type of the operation: the bits to shift by are not."""
        return self.args[CONVERTED.get(self.op, slice(None))]

    @property
    def bits(self) -> int:
        """How many bits its value has; 0 of a number of any size."""
        return 0 if self.type is None else self.type.bits

    @property
    def unsigned(self) -> bool:
        """Whether arithmetic has its value in a type without a sign."""
        return self.type is not None and not self.type.promoted.signed

    @property
    def is_condition(self) -> bool:
        """Whether it is true or false."""
        return self.op in TRUTHS

    @cached_property
    def is_run_time(self) -> bool:
        """Whether its value, or that of what it compares, has a machine's type."""
        if self.is_condition:
            return any(a.is_run_time for a in self.args)
        return self.type is not None

    # -- parts ------------------------------------------------------------------------------------

    @property
    def value(self) -> int | None:
        """The number that it is."""
        return self.number if self.op == "num" else None

    def steps(self) -> Iterator[Term]:
        """Every part of it once, operands before what is made of them.

        >>> n, two = Term("name", word="n"), Term("num", number=2)
        >>> [t.text() for t in Term("*", (Term("+", (n, two)), n)).steps()]
        ['n', '2', 'n + 2', '(n + 2)*n']
        """
        waiting: list[tuple[Term, bool]] = [(self, False)]
        done = set[Term]()
        while waiting:
            term, ready = waiting.pop()
            if term in done:
                continue
            if ready or not term.args:
                done.add(term)
                yield term
                continue
            waiting.append((term, True))
            waiting += [(a, False) for a in reversed(term.args)]

    @cached_property
    def size(self) -> int:
        """How many terms it has, each as often as it occurs."""
        return 1 + sum(a.size for a in self.args)

    @cached_property
    def depth(self) -> int:
        """How many terms are inside one another."""
        return 1 + max((a.depth for a in self.args), default=0)

    @cached_property
    def leaves(self) -> frozenset[Term]:
        """The leaves, numbers left out; an unknown with the lanes that it depends on."""
        if self.op == "num":
            return frozenset()
        below = frozenset(x for a in self.args for x in a.leaves)
        return below | {self} if self.op in LEAVES else below

    @cached_property
    def names(self) -> frozenset[str]:
        """The names among its leaves."""
        return frozenset(x.word for x in self.leaves if x.op == "name")

    @cached_property
    def unknowns(self) -> frozenset[Term]:
        """The unknowns among its leaves."""
        return frozenset(x for x in self.leaves if x.op == "unknown")

    @cached_property
    def divides(self) -> bool:
        """Whether it has no value where something is 0."""
        own = self.op in DIVISIONS and self.args[1].value in (None, 0)
        return own or any(a.divides for a in self.args)

    def contains(self, part: Term) -> bool:
        """Whether a term is this one or a part of it."""
        waiting, seen = [self], set[int]()
        while waiting:
            term = waiting.pop()
            if term is part:
                return True
            if id(term) not in seen:
                seen.add(id(term))
                waiting += term.args
        return False

    # -- as a map's text --------------------------------------------------------------------------

    def text(self, lanes: Mapping[int, str] | None = None, typed: bool = False) -> str:
        """The text of a map's expression or condition: its value, or with casts (`typed`) its types.

        `lanes` are the names of lanes; unknowns are spelled by `unknown_name`.
        """
        return self._text(lanes or {}, typed, 0)

    def _is_wide(self, typed: bool) -> bool:
        """Whether a leaf is written with its type: that of the others is int."""
        return typed and self.type not in (None, INT)

    def _text(self, lanes: Mapping[int, str], typed: bool, level: int) -> str:
        if self.op == "num":
            if self._is_wide(typed) and not self.word:
                return f"{self.type}({self.number})"
            return self._signed(self.word or str(self.number), level)
        if self.op in LEAVES:
            word = self._name(lanes)
            return f"{self.type}({word})" if self._is_wide(typed) else word
        if self.op == "cast":
            if not typed or self.type is None:
                return self.args[0]._text(lanes, typed, level)
            return f"{self.word or self.type}({self.args[0]._text(lanes, typed, 0)})"
        if self.op in CALLS:
            inside = ", ".join(a._text(lanes, typed, 0) for a in self.args)
            return f"{CALLS[self.op]}({inside})"
        if self.op == "where":
            c, a, b = (x._text(lanes, typed, WHOLE) for x in self.args)
            return f"({a} if {c} else {b})"
        if self.op in ("neg", "~"):
            inside = self.args[0]._text(lanes, typed, WHOLE)
            return self._signed(f"{'-' if self.op == 'neg' else '~'}{inside}", level)
        return self._infix(lanes, typed, level)

    @staticmethod
    def _signed(text: str, level: int) -> str:
        return f"({text})" if text[0] in "-~" and level > 0 else text

    def _name(self, lanes: Mapping[int, str]) -> str:
        if self.op == "unknown":
            return unknown_name(self, lanes)
        return lanes[self.number] if self.op == "lane" else self.word

    def _infix(self, lanes: Mapping[int, str], typed: bool, level: int) -> str:
        if self.op in ("true", "false"):
            return "(0 < 1)" if self.op == "true" else "(1 < 1)"
        if self.op == "not":
            return f"(not {self.args[0]._text(lanes, typed, WHOLE)})"
        other = self._exclusive
        if other is not self:
            return other._text(lanes, typed, level)
        own = SUMS.get(self.op, 0)
        a, b = self.args
        sign = f" {self.op} " if own != 2 and self.op not in ("//", "%") else self.op
        left = a._text(lanes, typed, own if own and SUMS.get(a.op, 0) >= own else WHOLE)
        right = b._text(lanes, typed, 2 if self.op == "+" and b.op == "*" else WHOLE)
        if self.op in COMPARISONS:
            left, right = a._text(lanes, typed, 1), b._text(lanes, typed, 1)
        text = f"{left}{sign}{right}"
        return f"({text})" if level > own or (own == 0 and level > 0) else text

    @property
    def _exclusive(self) -> Term:
        """The term; a map in which `2 ^ i` is written is refused, so of that an equal one."""
        if self.op != "^" or self.args[0].leaves or self.args[0].is_condition:
            return self
        b, a = self.args
        if a.leaves:
            return Term("^", (a, b))
        return Term("-", (Term("|", (a, b)), Term("&", (a, b))))

    def written(self, lanes: Mapping[int, str] | None = None, typed: bool = False) -> Term:
        """The term that the grammar reads in its text: of numbers, names and casts that are written.

        >>> lane = Term("lane", number=0, type=TYPES["int64"])
        >>> lane.written({0: "t"}, typed=True).text(typed=True)
        'int64(t)'
        """
        return self._written(lanes or {}, typed, {})

    def _written(self, lanes: Mapping[int, str], typed: bool, known: dict[Term, Term]) -> Term:
        if self in known:
            return known[self]
        wide = self.op in LEAVES and self._is_wide(typed)
        if self.op == "num" and not self.word:
            digits = str(abs(self.number))
            term = Term("num", (), digits, abs(self.number), literal_or_none(digits))
            term = Term("neg", (term,)) if self.number < 0 else term
        elif self.op in ("true", "false"):
            zero, one = (Term("num", (), w, int(w), INT) for w in "01")
            term = Term("<", (zero if self.op == "true" else one, one))
        elif self.op in LEAVES:
            term = self if self.op == "num" else Term("name", (), self._name(lanes), type=INT)
        elif self.op == "cast":
            term = self.args[0]._written(lanes, typed, known)
            wide = typed and self.type is not None
        elif self._exclusive is not self:
            term = self._exclusive._written(lanes, typed, known)
        else:
            args = tuple(a._written(lanes, typed, known) for a in self.args)
            term = Term(self.op, args)
        if wide and not (self.op == "num" and self.word):
            word = (self.op == "cast" and self.word) or str(self.type)
            term = Term("cast", (term,), word if word in TYPES else str(self.type), type=self.type)
        known[self] = term
        return term


TERMS: WeakValueDictionary[tuple[Any, ...], Term] = WeakValueDictionary()
LOCK = Lock()


def unknown_name(term: Term, lanes: Mapping[int, str]) -> str:
    """The name of an unknown: one for each way in which its lanes are given."""
    if not term.args:
        return term.word
    at = "_".join(a.text(lanes) for a in term.args)
    return f"{term.word}_at_" + "".join(c if c.isalnum() else "_" for c in at)
