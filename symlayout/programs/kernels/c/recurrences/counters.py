"""Counters of `while` and `do` loops: the statement that changes them, the condition that ends them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from symlayout.expr.machine import Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.conditions import leaves
from symlayout.programs.kernels.nodes import binary
from symlayout.programs.kernels.syntax import assigned_names

WHY = "a loop without a counter that one statement of it changes, by the same in each turn"
TURN = "@turn"
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE},
    **{ast.NotEq: ast.NotEq, ast.Eq: ast.Eq},
}


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
    own: ast.expr | None
    rest: tuple[ast.expr, ...] = ()
    before: int = 0

    def at(self, turn: Term) -> Term:
        """The counter behind so many turns."""
        return binary("-" if self.down else "+", self.start, binary("*", turn, self.step))


class Compared(NamedTuple):
    """A name, what is added to it, and what the sum is compared with."""

    word: str
    more: tuple[ast.expr, ...]
    op: ast.cmpop
    bound: ast.expr
    side: ast.expr


def is_do(node: ast.While) -> bool:
    """Whether the condition is asked behind each turn."""
    return bool(getattr(node, "do", False))


def acts(test: ast.expr) -> bool:
    """Whether asking for it does something: a load, say."""
    calls = (x.func for x in ast.walk(test) if isinstance(x, ast.Call))
    return any(not isinstance(f, ast.Name) or f.id != "@as" for f in calls)


def moved(op: ast.operator, bound: ast.expr, by: ast.expr, unsigned: bool = False) -> ast.expr:
    """An end from which a part of the other side was moved: the code does not compute it.

    Numbers without a sign are taken from one another as they are.

    >>> ast.unparse(moved(ast.Sub(), ast.Name("n"), ast.Name("k")))
    '@moved(n - k)'
    """
    both = ast.BinOp(bound, op, by)
    return both if unsigned else ast.Call(ast.Name("@moved", ast.Load()), [both], [])


def range_of(
    word: str, inclusive: bool, bound: ast.expr, by: ast.expr, down: bool, type: Machine
) -> ast.Call:
    """The range of a counter of that type, whose end it does not come to.

    >>> from symlayout.expr.machine import INT
    >>> n = ast.Name("n", ast.Load())
    >>> ast.unparse(range_of("i", True, n, ast.Constant(1), False, INT))
    'range(i, @moved(n + 1), 1, type=Machine(bits=32, signed=True))'
    """
    if inclusive:
        order = ast.Sub() if down else ast.Add()
        bound = moved(order, bound, ast.Constant(1), not type.signed)
        bound.inclusive = True  # type: ignore[attr-defined]
    step = ast.UnaryOp(ast.USub(), by) if down else by
    args = [ast.Name(word, ast.Load()), bound, step]
    keywords = [ast.keyword("type", ast.Constant(type))]  # type: ignore[arg-type]
    keywords += [ast.keyword("down", ast.Constant(True))] if down else []
    return ast.Call(ast.Name("range", ast.Load()), args, keywords)


def other_tests(loop: ast.For) -> list[ast.expr]:
    """The conditions beside that of the counter, each of which may end a loop over a range.

    >>> loop = ast.parse("for i in range(0, n, 1, also=(i < m, i < k)): pass").body[0]
    >>> [ast.unparse(t) for t in other_tests(loop)]
    ['i < m', 'i < k']
    """
    keywords = loop.iter.keywords if isinstance(loop.iter, ast.Call) else []
    tests = [k.value for k in keywords if k.arg == "also"]
    return [e for t in tests if isinstance(t, ast.Tuple) for e in t.elts]


def comparisons(test: ast.expr) -> Iterator[Compared]:
    """A condition as a comparison of a name: `i + 4 <= n` of i, `n > i` as i < n, `i` as i != 0."""
    if isinstance(test, ast.Name):
        zero = ast.copy_location(ast.Constant(0), test)
        yield Compared(test.id, (), ast.NotEq(), zero, test)
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return
    op, left, right = test.ops[0], test.left, test.comparators[0]
    turned = TURNED.get(type(op), type(op))()
    a: ast.expr
    for a, bound, order in ((left, right, op), (right, left, turned)):
        more, side = tuple[ast.expr, ...](), a
        while isinstance(a, ast.BinOp) and isinstance(a.op, ast.Add):
            more, a = (*more, a.right), a.left
        if isinstance(a, ast.Name):
            yield Compared(a.id, more, order, bound, side)


def stays_false(test: ast.expr, word: str, changed: set[str]) -> bool:
    """Whether a condition that is false stays so while a counter goes up, and these names change.

    >>> tests = ["i + k < n", "n >= i", "i != n", "i < n - i", "k < j"]
    >>> [stays_false(ast.parse(t, mode="eval").body, "i", {"i", "j"}) for t in tests]
    [True, True, False, False, False]
    """
    if acts(test) or not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return False
    low, high = test.left, test.comparators[0]
    if isinstance(test.ops[0], (ast.Gt, ast.GtE)):
        low, high = high, low
    elif not isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        return False
    sums = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Load)
    below, above = ({x.id for x in ast.walk(e) if isinstance(x, ast.Name)} for e in (low, high))
    fixed = not (below | above) & (changed - {word}) and word not in above
    return fixed and all(isinstance(x, sums) for x in ast.walk(low))


def every(tests: list[ast.expr]) -> ast.expr:
    """All of some conditions, of which there is one at least."""
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def turn_if(tests: list[ast.expr], body: list[ast.stmt]) -> ast.If:
    """A loop's body in the turns in which its other conditions are true; behind another one is none.

    >>> body = [turn_if([ast.Name("a"), ast.Name("b")], [ast.Pass()])]
    >>> ast.unparse(body[0].test.args[0]), stops(body)
    ('a and b', True)
    """
    return ast.If(ast.Call(ast.Name(TURN, ast.Load()), [every(tests)], []), body, [])


def is_turn(statement: ast.stmt) -> bool:
    """Whether it is what `turn_if` makes."""
    test = statement.test if isinstance(statement, ast.If) else None
    word = test.func if isinstance(test, ast.Call) else None
    return isinstance(word, ast.Name) and word.id == TURN


def stops(body: list[ast.stmt]) -> bool:
    """Whether a loop with that body ends where another condition than its counter's is false."""
    return any(map(is_turn, body))


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
