"""What conditions and bodies of loops say by their trees alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt},
    **{ast.NotEq: ast.Eq, ast.Eq: ast.NotEq},
}


def leaves(body: Iterable[ast.stmt], *kinds: type[ast.stmt]) -> bool:
    """Whether a `break` or `continue` leaves these statements, those of inner loops left out.

    >>> body = ast.parse("for k in f():\\n for i in g():\\n  continue\\n if k:\\n  break").body[0].body
    >>> leaves(body), leaves(body, ast.Continue)
    (True, False)
    """
    waiting: list[ast.AST] = list(body)
    while waiting:
        x = waiting.pop()
        if isinstance(x, kinds or (ast.Break, ast.Continue)):
            return True
        if not isinstance(x, (ast.For, ast.While)):
            waiting += ast.iter_child_nodes(x)
    return False


def negated(test: ast.expr) -> ast.expr:
    """The opposite condition.

    >>> ast.unparse(negated(ast.parse("not a or i >= n", mode="eval").body))
    'a and i < n'
    """
    opposite: ast.expr = ast.UnaryOp(ast.Not(), test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        opposite = test.operand
    elif isinstance(test, ast.BoolOp):
        op = ast.And() if isinstance(test.op, ast.Or) else ast.Or()
        opposite = ast.BoolOp(op, [negated(v) for v in test.values])
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITE:
        opposite = ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
    return ast.copy_location(opposite, test)


def conditions_of(test: ast.expr) -> list[ast.expr]:
    """The conditions that `and` joins, also where `not` stands before what `or` joins.

    >>> test = ast.parse("a and not (b or c > 0)", mode="eval").body
    >>> [ast.unparse(c) for c in conditions_of(test)]
    ['a', 'not b', 'c <= 0']
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [c for v in test.values for c in conditions_of(v)]
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = negated(test.operand)
        return [test] if isinstance(inner, ast.UnaryOp) else conditions_of(inner)
    return [test]
