"""Counters of `while` and `do` loops: the statement that changes them, the condition that ends them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from symlayout.expr.machine import Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import binary
from symlayout.programs.kernels.program.nodes import (
    Action,
    Assign,
    Cast,
    Change,
    Comparison,
    Constant,
    Continue,
    Expression,
    If,
    Junction,
    Moved,
    Name,
    Node,
    Operation,
    Range,
    Sign,
    Statement,
    Turn,
    While,
    every_part,
)
from symlayout.programs.kernels.program.reading import assigned_names, leaves, names_in

WHY = "a loop without a counter that one statement of it changes, by the same in each turn"
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "!=": "!=", "==": "=="}


class Count(NamedTuple):
    """A counter: where it begins and ends, what a turn adds or takes away, the sum with it that is
    compared, if it is one, the loop's other conditions, and how many of them are asked before it.
    """

    word: str
    start: Term
    end: Term
    step: Term
    down: bool
    type: Machine
    own: Expression | None
    rest: tuple[Expression, ...] = ()
    before: int = 0

    def at(self, turn: Term) -> Term:
        """The counter behind so many turns."""
        return binary("-" if self.down else "+", self.start, binary("*", turn, self.step))


class Compared(NamedTuple):
    """A name, what is added to it, and what the sum is compared with."""

    word: str
    more: tuple[Expression, ...]
    op: str
    bound: Expression
    side: Expression


def acts(test: Expression) -> bool:
    """Whether asking for it does something: a load, say."""
    return any(isinstance(x, Action) and not isinstance(x, Cast) for x in every_part(test))


def moved(op: str, bound: Expression, by: Expression, unsigned: bool = False) -> Expression:
    """An end from which a part of the other side was moved: the code does not compute it.

    Numbers without a sign are taken from one another as they are.

    >>> type(moved("-", Name("n"), Name("k"))).__name__
    'Moved'
    """
    both = Operation(op, bound, by)
    return both if unsigned else Moved(both)


def range_of(
    word: str, inclusive: bool, bound: Expression, by: Expression, down: bool, type: Machine
) -> Range:
    """The range of a counter of that type, whose end it does not come to.

    >>> from symlayout.expr.machine import UINT32
    >>> from symlayout.programs.kernels.program.reading import whole_text
    >>> whole_text(range_of("i", True, Name("n"), Constant(1), False, UINT32))
    'range(i, n + 1, 1)'
    """
    if inclusive:
        bound = moved("-" if down else "+", bound, Constant(1), not type.signed)
    step = Sign("-", by) if down else by
    return Range(Name(word), bound, step, type, down, inclusive)


def comparisons(test: Expression) -> Iterator[Compared]:
    """A condition as a comparison of a name: `i + 4 <= n` of i, `n > i` as i < n, `i` as i != 0."""
    if isinstance(test, Name):
        yield Compared(test.word, (), "!=", Constant(0, place=test.place), test)
    if not isinstance(test, Comparison):
        return
    a: Expression
    turned = TURNED[test.op]
    sides = ((test.left, test.right, test.op), (test.right, test.left, turned))
    for a, bound, order in sides:
        more, side = tuple[Expression, ...](), a
        while isinstance(a, Operation) and a.op == "+":
            more, a = (*more, a.right), a.left
        if isinstance(a, Name):
            yield Compared(a.word, more, order, bound, side)


def stays_false(test: Expression, word: str, changed: set[str]) -> bool:
    """Whether a condition that is false stays so while a counter goes up, and these names change.

    >>> i, k, n = map(Name, "ikn")
    >>> tests = [Comparison("<", Operation("+", i, k), n), Comparison("!=", i, n)]
    >>> [stays_false(t, "i", {"i"}) for t in tests]
    [True, False]
    """
    if acts(test) or not isinstance(test, Comparison):
        return False
    low, high = test.left, test.right
    if test.op in (">", ">="):
        low, high = high, low
    elif test.op not in ("<", "<="):
        return False
    below, above = names_in(low), names_in(high)
    fixed = not (below | above) & (changed - {word}) and word not in above
    return fixed and all(map(_is_sum, every_part(low)))


def _is_sum(node: Node) -> bool:
    """Whether it is a sum, or a part of one."""
    return isinstance(node, (Name, Constant)) or (isinstance(node, Operation) and node.op == "+")


def every(tests: list[Expression]) -> Expression:
    """All of some conditions, of which there is one at least."""
    return tests[0] if len(tests) == 1 else Junction("and", tests)


def turn_if(tests: list[Expression], body: list[Statement]) -> If:
    """A loop's body in the turns in which its other conditions are true; behind another one is none.

    >>> stops([turn_if([Name("a"), Name("b")], [])])
    True
    """
    return If(Turn(every(tests)), body)


def is_turn(statement: Statement) -> bool:
    """Whether it is what `turn_if` makes."""
    return isinstance(statement, If) and isinstance(statement.test, Turn)


def stops(body: list[Statement]) -> bool:
    """Whether a loop with that body ends where another condition than its counter's is false."""
    return any(map(is_turn, body))


def step_of(node: While, word: str) -> tuple[Expression, bool] | None:
    """What the only statement that changes a name adds to it, or takes away, in every whole turn."""
    places = [k for k, s in enumerate(node.body) if word in assigned_names([s])]
    if len(places) != 1 or leaves(node.body[: places[0]], Continue):
        return None
    s = node.body[places[0]]
    if isinstance(s, Change):
        step, op = s.value, s.op
    elif isinstance(s, Assign) and isinstance(s.value, Operation):
        a, step, op = s.value.left, s.value.right, s.value.op
        if op == "+" and isinstance(step, Name) and step.word == word:
            a, step = step, a
        if not (isinstance(a, Name) and a.word == word):
            return None
    else:
        return None
    return (step, op == "-") if op in ("+", "-") else None
