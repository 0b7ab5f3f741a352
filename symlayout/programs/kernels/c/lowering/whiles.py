"""`while` and `do` loops, and those for which `for (;;)` stands, as loops with one condition."""

from __future__ import annotations

from functools import partial

from symlayout.expr.machine import INT, INT64
from symlayout.programs.kernels.c.lowering.changes import update
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.declarations import skip, with_effects
from symlayout.programs.kernels.c.lowering.statements import body_of, effect
from symlayout.programs.kernels.c.lowering.trees import (
    COMPARED,
    Tree,
    children,
    number_of,
    place,
    text_of,
    words_in,
)
from symlayout.programs.kernels.program.nodes import (
    Break,
    Comparison,
    Constant,
    Continue,
    Expression,
    For,
    If,
    Name,
    Nothing,
    Operation,
    Range,
    Statement,
    While,
)
from symlayout.programs.kernels.program.reading import leaves, negated

TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "!=": "!="}
CHANGES = "a loop whose condition changes a variable"


def while_statement(low: Lowering, tree: Tree) -> list[Statement]:
    return while_loop(low, tree, tree.child_by_field_name("condition"), None)


def do_statement(low: Lowering, tree: Tree) -> list[Statement]:
    """A loop whose first turn asks for nothing."""
    body, condition = body_of(low, tree.child_by_field_name("body")), _inside(tree)
    if text_of(condition) in ("0", "false"):
        if not leaves(body):
            return body
        once = Range(Constant(0), Constant(1), Constant(1), INT)
        return [place(For(f"once_{tree.start_point[0]}", once, body), tree)]
    stepped = _stepped(low, condition, behind=True)
    if stepped is not None:
        if leaves(body, Continue):
            return skip(low, tree, "a do loop that is continued before its condition steps")
        test, step = stepped
        return [_while(tree, test, [*body, *update(low, step)], do=True)]
    test = low.expression(condition)
    if low.before or low.after:
        low.before, low.after = [], []
        return skip(low, tree, CHANGES)
    return [_while(tree, test, body, do=True)]


def while_loop(
    low: Lowering, tree: Tree, condition: Tree | None, step: Tree | None
) -> list[Statement]:
    """A loop that asks before each turn, or never; behind a turn it may take a step."""
    condition = _inside(tree) if condition is not None else None
    stepped = _stepped(low, condition, behind=False) if condition is not None else None
    test = stepped[0] if stepped is not None else None
    if condition is not None and stepped is None:
        test = low.expression(condition)
        if low.before or low.after:
            low.before, low.after = [], []
            return skip(low, tree, CHANGES)
    body = body_of(low, tree.child_by_field_name("body"))
    if step is not None:
        if leaves(body, Continue):
            return skip(low, tree, "a loop without a counter that is continued early")
        body += with_effects(low, partial(effect, low, step))
    if stepped is not None:
        own, behind = (update(low, stepped[1]) for _ in range(2))
        return [_while(tree, stepped[0], [*own, *body]), *behind]
    if test is None or (isinstance(test, Constant) and test.value):
        return [_endless(tree, body)]
    return [_while(tree, test, body)]


def _stepped(low: Lowering, condition: Tree, behind: bool) -> tuple[Expression, Tree] | None:
    """A condition that steps a counter, `i-- > 0` or `--i`: what is asked of the counter that the
    step does not change yet, `behind` it of the one that it has changed.
    """
    step, op, other = condition, "!=", None
    if condition.type == "binary_expression":
        op = text_of(condition.child_by_field_name("operator"))
        step, other = (_bare(condition.child_by_field_name(k)) for k in ("left", "right"))
        if other.type == "update_expression":
            step, other, op = other, step, TURNED.get(op, "")
    if step.type != "update_expression" or op not in TURNED:
        return None
    inner = step.child_by_field_name("argument")
    variable = low.variable(text_of(inner)) if inner.type == "identifier" else None
    if variable is None or variable.shared or variable.alias or not variable.type.machine:
        return None
    first = text_of(step).startswith(("++", "--"))
    shift = 0 if first == behind else (1 if "++" in text_of(step) else -1) * (1 - 2 * behind)
    if other is not None and not _is_plain(low, other, text_of(inner), shift):
        return None
    if shift and variable.type.unsigned:
        return None
    counter = low.expression(inner)
    bound = low.expression(other) if other is not None else Constant(0)
    if not isinstance(counter, Name):
        return None
    if shift:  # i + 1 < n is i < n - 1
        bound = Operation("-" if shift > 0 else "+", bound, Constant(1))
    return place(Comparison(COMPARED[op], counter, bound), condition), step


def _is_plain(low: Lowering, other: Tree, word: str, shift: int) -> bool:
    """Whether it stays what it is beside the step; beside a shift of a type with a sign."""
    if word in words_in(other) or any(t in text_of(other) for t in ("++", "--", "(", "=")):
        return False
    variable = low.variable(text_of(other))
    signed = variable is not None and variable.type.computed in (INT, INT64)
    return not shift or signed or number_of(other) is not None


def _inside(tree: Tree) -> Tree:
    """The condition of a loop, without its parentheses."""
    condition = tree.child_by_field_name("condition")
    clause = condition.type == "condition_clause"
    return _bare(condition.child_by_field_name("value") if clause else condition)


def _bare(tree: Tree) -> Tree:
    while tree.type == "parenthesized_expression" and len(children(tree)) == 1:
        (tree,) = children(tree)
    return tree


def _while(tree: Tree, test: Expression, body: list[Statement], do: bool = False) -> Statement:
    return place(While(test, body or [Nothing()], do), tree)


def _endless(tree: Tree, body: list[Statement]) -> Statement:
    """A loop that a `break` ends, at its beginning or behind all else."""
    first, last = _way_out(body[0]), _way_out(body[-1])
    if first is not None:
        return _while(tree, negated(first), body[1:])
    if last is not None and not leaves(body[:-1], Continue):
        return _while(tree, negated(last), body[:-1], do=True)
    return _while(tree, Constant(True), body)


def _way_out(statement: Statement) -> Expression | None:
    """The condition under which a statement only leaves its loop."""
    match statement:
        case If(test=test, body=[Break()], other=[]):
            return test
    return None
