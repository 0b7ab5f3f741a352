"""What a `while` loop counts by: `while v < end: ... v += step`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from symlayout.programs.kernels.syntax import COMPARED, assigned_names, every_node

TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Counter:
    """`while word op end`, where every turn adds the step, or with `-` takes it away."""

    word: str
    op: str
    end: ast.expr
    sign: str
    step: ast.expr


def counter_of(node: ast.While) -> Counter | None:
    """The counter of a loop, whose step and end do not change in it; None where there is none."""
    return _counter(node, node.test)


def counter_of_all(node: ast.While) -> tuple[Counter | None, list[ast.expr]]:
    """The counter in one of several tests, and the others, where these come to no memory."""
    parts = node.test.values if isinstance(node.test, ast.BoolOp) else []
    if isinstance(getattr(node.test, "op", None), ast.And) and not any(map(_calls, parts)):
        for k, test in enumerate(parts):
            counter = _counter(node, test)
            if counter is not None:
                return counter, [*parts[:k], *parts[k + 1 :]]
    return None, []


def with_tests(node: ast.While, tests: list[ast.expr]) -> ast.While:
    """The loop whose body breaks off first where one of the tests fails."""
    if not tests:
        return node
    first = [ast.If(ast.UnaryOp(ast.Not(), t), [ast.Break()], []) for t in tests]
    placed = [ast.fix_missing_locations(ast.copy_location(s, node)) for s in first]
    return ast.copy_location(ast.While(node.test, [*placed, *node.body], []), node)


def _counter(node: ast.While, test: ast.expr) -> Counter | None:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1):
        return None
    op = COMPARED.get(type(test.ops[0]), "")
    left, right = test.left, test.comparators[0]
    if not (isinstance(left, ast.Name) and left.id in assigned_names(node.body)):
        left, right, op = right, left, TURNED.get(op, "")
    if not isinstance(left, ast.Name) or op not in TURNED:
        return None
    own = assigned_names(node.body)
    steps = [k for k, s in enumerate(node.body) if left.id in assigned_names([s])]
    if own & _names(right) or len(steps) != 1 or _continues(node.body[: steps[0]]):
        return None
    step = _step(node.body[steps[0]], left.id)
    if step is None or own & _names(step[1]) or step[0] != ("+" if "<" in op else "-"):
        return None
    return Counter(left.id, op, right, *step)


def _step(s: ast.stmt, word: str) -> tuple[str, ast.expr] | None:
    """What a statement adds to a name, or takes away."""
    match s:
        case ast.AugAssign(op=ast.Add(), value=value):
            return "+", value
        case ast.AugAssign(op=ast.Sub(), value=value):
            return "-", value
        case ast.Assign(
            targets=[ast.Name(id=a)], value=ast.BinOp(left=ast.Name(id=b), op=op, right=value)
        ) if a == b == word and isinstance(op, (ast.Add, ast.Sub)):
            return "+" if isinstance(op, ast.Add) else "-", value
    return None


def _names(node: ast.expr) -> set[str]:
    return {x.id for x in every_node(node) if isinstance(x, ast.Name)}


def _calls(node: ast.expr) -> bool:
    return any(isinstance(x, ast.Call) for x in every_node(node))


def _continues(body: Iterable[ast.stmt]) -> bool:
    """Whether a turn may go on to the next one there: a `continue` of an inner loop may be meant."""
    return any(isinstance(x, ast.Continue) for s in body for x in every_node(s))
