"""C's `for` loops: one with a counter is a range, one over powers a turn for each."""

from __future__ import annotations

from functools import partial

from symlayout.expr.machine import INT, Machine
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.declarations import skip, with_effects
from symlayout.programs.kernels.c.lowering.statements import body_of, effect, statement
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    Variable,
    children,
    place,
    text_of,
    walk,
    words_in,
)
from symlayout.programs.kernels.c.lowering.whiles import TURNED, while_loop
from symlayout.programs.kernels.c.recurrences.counters import acts, every, moved, range_of, turn_if
from symlayout.programs.kernels.c.types import PROMOTED
from symlayout.programs.kernels.program.nodes import (
    Break,
    Cast,
    Constant,
    Continue,
    Expression,
    Fold,
    For,
    If,
    Name,
    Powers,
    Return,
    Statement,
    every_part,
)
from symlayout.programs.kernels.program.reading import assigned_names, leaves, names_in, negated


def for_statement(low: Lowering, tree: Tree) -> list[Statement]:
    with low.nested():
        first = tree.child_by_field_name("initializer")
        init: list[Statement] = []
        if first is not None:
            init = statement(low, first) if first.type == "declaration" else effect(low, first)
        init = [*low.before, *init, *low.after]
        low.before, low.after = [], []
        return [*init, *_counted_loop(low, tree)]


def _counted_loop(low: Lowering, tree: Tree) -> list[Statement]:
    """`for (..; i < n; i += s)` as a range, where nothing of it changes otherwise."""
    test, step = (tree.child_by_field_name(k) for k in ("condition", "update"))
    steps, tests = _operands(step, ","), _operands(test, "&&")
    bounds = ((t, u, _loop_bound(low, t, u)) for t in tests for u in steps)
    counter = next(((t, u, b) for t, u, b in bounds if b is not None), None)
    if counter is None and (test is None or step is None):
        return with_effects(low, partial(while_loop, low, tree, test, step))
    if counter is None:
        return _loop_over_powers(low, tree, test, step)
    first, last, (variable, op, bound, by, down, side) = counter
    narrow = variable.type.narrow
    fits = narrow is None or _within(op, bound, by, narrow)
    if not fits or variable.type.word == "bool":
        return skip(low, tree, f"a counter of type {variable.type.word}")
    if variable.type.word == "auto":
        return skip(low, tree, "a counter whose type is not known")
    if variable.type.unsigned and down and not _stays(op, bound, by):
        return skip(low, tree, "a counter without a sign that may go below 0")
    body = body_of(low, tree.child_by_field_name("body"))
    rest = [t for t in tests if t != first]
    others = [s for u in steps if u != last for s in effect(low, u)]
    if others and leaves(body, Continue):
        return skip(low, tree, "a loop with several counters that is continued early")
    body += others
    names, changed = names_in(bound) | names_in(by), assigned_names(body)
    kind = None if variable.type == PROMOTED else variable.type.computed or INT
    over = range_of(variable.name, op in ("<=", ">="), bound, by, down, kind or INT)
    over.type, over.compared = kind, side
    over.unequal = text_of(first.child_by_field_name("operator")) == "!="
    if rest:
        both, over.before = [low.expression(t) for t in rest], tests.index(first)
        if not down and all(_stays_false(low, t, variable, changed) for t in rest):
            over.also = both
            body = [place(turn_if(both, body), tree)]
        elif any(map(acts, both[: over.before])):
            return skip(low, tree, "a loop whose first condition loads")
        else:
            body = [place(If(negated(every(both)), [Break()]), tree), *body]
    if variable.name in changed or names & changed or low.before or low.after:
        low.before, low.after = [], []
        return skip(low, tree, "a loop whose counter or end changes in it")
    return [place(For(variable.name, over, body), tree)]


def _stays_false(low: Lowering, test: Tree, variable: Variable, changed: set[str]) -> bool:
    """Whether a condition that is false stays so: `i + k < n`, `k <= n` of what does not change."""
    if test.type != "binary_expression":
        return False
    op = text_of(test.child_by_field_name("operator"))
    left, right = (test.child_by_field_name(k) for k in ("left", "right"))
    if op in (">", ">="):
        left, right = right, left
    counters = {_name_of(low, w) for w in words_in(right)}
    used = counters | {_name_of(low, w) for w in words_in(left)}
    sums = all(
        t.type in ("identifier", "number_literal", "parenthesized_expression")
        or (t.type == "binary_expression" and text_of(t.child_by_field_name("operator")) == "+")
        for t in walk(left)
    )
    fixed = variable.name not in counters and not used & changed
    return op in ("<", "<=", ">", ">=") and sums and fixed


def _name_of(low: Lowering, word: str) -> str:
    variable = low.variable(word)
    return variable.name if variable is not None else word


def _loop_over_powers(
    low: Lowering, tree: Tree, test: Tree | None, step: Tree | None
) -> list[Statement]:
    """`for (int k = 16; k > 0; k /= 2)`: a turn for each value, where they are numbers."""
    why = "a loop without a counter"
    if test is None or step is None or test.type != "binary_expression":
        return skip(low, tree, why)
    changed = step.child_by_field_name("left")
    if step.child_by_field_name("operator") is None:  # `next(i)`
        return skip(low, tree, why)
    op = text_of(step.child_by_field_name("operator"))
    by = step.child_by_field_name("right")
    if op == "=" and by is not None and by.type == "binary_expression":
        same = text_of(by.child_by_field_name("left")) == text_of(changed)
        op = text_of(by.child_by_field_name("operator")) + "=" if same else ""
        by = by.child_by_field_name("right")
    left, right = (test.child_by_field_name(k) for k in ("left", "right"))
    order = text_of(test.child_by_field_name("operator"))
    plain = changed is not None and by is not None and text_of(left) == text_of(changed)
    variable = low.variable(text_of(left)) if plain else None
    if variable is None or op not in ("/=", ">>=", "*=", "<<=") or order not in TURNED:
        return skip(low, tree, why)
    ends = [low.expression(right), low.expression(by)]
    body = body_of(low, tree.child_by_field_name("body"))
    jumps = (Continue, Break, Return)
    own = variable.name in assigned_names(body)
    if own or any(isinstance(x, jumps) for s in body for x in every_part(s)):
        return skip(low, tree, why)
    start = Name(variable.name)
    iterable = Powers(start, order, ends[0], op, ends[1])
    return [place(For(variable.name, iterable, body), tree)]


def _loop_bound(
    low: Lowering, test: Tree, step: Tree
) -> tuple[Variable, str, Expression, Expression, bool, Expression | None] | None:
    """The counter, how it is compared with what, its step, whether that is taken away, and what is
    compared where it is not the counter alone.
    """
    if test.type != "binary_expression":
        return None
    left, right = (test.child_by_field_name(k) for k in ("left", "right"))
    op = text_of(test.child_by_field_name("operator"))
    changed = step.child_by_field_name("argument") or step.child_by_field_name("left")
    if op not in TURNED or changed is None or changed.type != "identifier":
        return None
    if text_of(right) == text_of(changed):
        left, right, op = right, left, TURNED[op]
    variable = low.variable(text_of(changed))
    side = left
    left, more = _linear_terms(left, text_of(changed))
    if text_of(left) != text_of(changed) or variable is None or variable.type.is_address:
        return None
    by = _step_of(low, step, text_of(changed))
    if by is None:
        return None
    value, down = by
    if op == "!=":
        op = ">" if down else "<"
        if not (isinstance(value, Constant) and value.value == 1):
            return None
    signs = {sign for sign, _ in more}
    if (op in (">", ">=")) != down or (more and (down or (op != "<" and signs != {"+"}))):
        return None
    wide = variable.type.unsigned and signs == {"+"}
    bound = _of_64_bits(low.expression(right), wide)
    # `i + k < n` is i < n - k, and `i * k < n` is i < n / k, rounded up
    for sign, other in more:
        if sign == "+":
            term = _of_64_bits(low.expression(other), wide)
            bound = moved("-", bound, term, wide)
        else:
            bound = Fold("cdiv", [bound, low.expression(other)])
    return variable, op, bound, value, down, low.expression(side) if more else None


def _step_of(low: Lowering, tree: Tree, word: str) -> tuple[Expression, bool] | None:
    """What is added each turn, and whether it is taken away."""
    op = text_of(tree.child_by_field_name("operator"))
    if tree.type == "update_expression":
        return Constant(1), op == "--"
    if tree.type != "assignment_expression":
        return None
    right = tree.child_by_field_name("right")
    if op in ("+=", "-="):
        return low.expression(right), op == "-="
    if op == "=" and right.type == "binary_expression":
        sides = [right.child_by_field_name(k) for k in ("left", "right")]
        sign = text_of(right.child_by_field_name("operator"))
        if sign in ("+", "-") and text_of(sides[0]) == word:
            return low.expression(sides[1]), sign == "-"
    return None


def _of_64_bits(e: Expression, wide: bool) -> Expression:
    """A side of a difference that is none of the code's, and is no wrap where it is below 0."""
    return Cast(e, "long") if wide else e


def _within(op: str, bound: Expression, by: Expression, narrow: Machine) -> bool:
    """Whether a counter that is narrower than `int` reaches its end, and is in its type behind it."""
    numbers = [e.value for e in (bound, by) if isinstance(e, Constant)]
    if len(numbers) < 2 or not all(isinstance(n, int) and n >= 0 for n in numbers):
        return False
    end, step = map(int, numbers)  # type: ignore[arg-type]
    if op in (">", ">="):
        return step > 0 and end - step + (op == ">") >= narrow.low
    return step > 0 and end + step - (op == "<") <= narrow.high


def _stays(op: str, bound: Expression, by: Expression) -> bool:
    """Whether a counter that goes down stops before it is below 0."""
    by_one = isinstance(by, Constant) and by.value == 1
    above = isinstance(bound, Constant) and type(bound.value) is int and bound.value > 0
    return by_one and (op == ">" or above)


def _linear_terms(tree: Tree, word: str) -> tuple[Tree, list[tuple[str, Tree]]]:
    """A name in sums and products, and what is added or multiplied, the outermost first."""
    more: list[tuple[str, Tree]] = []
    while tree.type in ("parenthesized_expression", "binary_expression"):
        if tree.type == "parenthesized_expression":
            tree = children(tree)[0]
            continue
        sign = text_of(tree.child_by_field_name("operator"))
        a, b = (tree.child_by_field_name(k) for k in ("left", "right"))
        inside = [word in words_in(x) for x in (a, b)]
        if sign not in ("+", "*") or inside[0] == inside[1]:
            break
        more.append((sign, b if inside[0] else a))
        tree = a if inside[0] else b
    return tree, more


def _operands(tree: Tree | None, sign: str) -> list[Tree]:
    """The parts that a sign stands between."""
    if tree is None:
        return []
    if tree.type == "parenthesized_expression" and sign != ",":
        return _operands(children(tree)[0], sign) if children(tree) else []
    both = tree.type == "comma_expression" if sign == "," else tree.type == "binary_expression"
    if both and (sign == "," or text_of(tree.child_by_field_name("operator")) == sign):
        return [t for k in ("left", "right") for t in _operands(tree.child_by_field_name(k), sign)]
    return [tree]
