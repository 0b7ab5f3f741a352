"""Counters of `while` and `do` loops: the statement that changes them, the condition that ends them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from symlayout.programs.kernels.conditions import leaves
from symlayout.programs.kernels.nodes import Node, binary
from symlayout.programs.kernels.syntax import assigned_names

WHY = "a loop without a counter that one statement of it changes, by the same in each turn"
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE},
    **{ast.NotEq: ast.NotEq, ast.Eq: ast.Eq},
}


class Count(NamedTuple):
    """A counter: where it begins and ends, what a turn adds or takes away, what is added to it where
    it is compared, the loop's other conditions, and whether it is compared before them.
    """

    word: str
    start: Node
    end: Node
    step: Node
    down: bool
    width: int
    more: Node
    rest: tuple[ast.expr, ...] = ()
    first: bool = True

    def at(self, turn: Node) -> Node:
        """The counter behind so many turns."""
        return binary("-" if self.down else "+", self.start, binary("*", turn, self.step))


class Compared(NamedTuple):
    """A name, what is added to it, and what the sum is compared with."""

    word: str
    more: tuple[ast.expr, ...]
    op: ast.cmpop
    bound: ast.expr


def is_do(node: ast.While) -> bool:
    """Whether the condition is asked behind each turn."""
    return bool(getattr(node, "do", False))


def acts(test: ast.expr) -> bool:
    """Whether asking for it does something: a load, say."""
    calls = (x.func for x in ast.walk(test) if isinstance(x, ast.Call))
    return any(not isinstance(f, ast.Name) or f.id != "@as" for f in calls)


def comparisons(test: ast.expr) -> Iterator[Compared]:
    """A condition as a comparison of a name: `i + 4 <= n` of i, `n > i` as i < n, `i` as i != 0."""
    if isinstance(test, ast.Name):
        zero = ast.copy_location(ast.Constant(0), test)
        yield Compared(test.id, (), ast.NotEq(), zero)
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return
    op, left, right = test.ops[0], test.left, test.comparators[0]
    turned = TURNED.get(type(op), type(op))()
    a: ast.expr
    for a, bound, order in ((left, right, op), (right, left, turned)):
        more: tuple[ast.expr, ...] = ()
        while isinstance(a, ast.BinOp) and isinstance(a.op, ast.Add):
            more, a = (*more, a.right), a.left
        if isinstance(a, ast.Name):
            yield Compared(a.id, more, order, bound)


def step_of(node: ast.While, word: str) -> tuple[ast.expr, bool] | None:
    """What the only statement that changes a name adds to it, or takes away, in every whole turn."""
    places = [k for k, s in enumerate(node.body) if word in assigned_names([s])]
    if len(places) != 1 or leaves(node.body[: places[0]], ast.Continue):
        return None
    s = node.body[places[0]]
    if isinstance(s, ast.AugAssign):
        step, op = s.value, s.op
    elif isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp) and len(s.targets) == 1:
        a, step, op = s.value.left, s.value.right, s.value.op
        if isinstance(op, ast.Add) and isinstance(step, ast.Name) and step.id == word:
            a, step = step, a
        if not (isinstance(a, ast.Name) and a.id == word):
            return None
    else:
        return None
    down = isinstance(op, ast.Sub)
    return (step, down) if down or isinstance(op, ast.Add) else None
