"""Statements of a lowered function: what variables are, when what follows is executed."""

from __future__ import annotations

from collections.abc import Iterable

from symlayout.expr.term import Term
from symlayout.programs.kernels.c.interpreter.barriers import is_uniform
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import actual_type, cast_to
from symlayout.programs.kernels.c.interpreter.expressions import test
from symlayout.programs.kernels.c.recurrences.counters import is_turn
from symlayout.programs.kernels.c.types import UNDEDUCED
from symlayout.programs.kernels.following import Returns
from symlayout.programs.kernels.nodes import FALSE, TRUE, TooLarge, both, either, negation
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.nodes import every_part
from symlayout.programs.kernels.program.reading import called, returns_inside
from symlayout.programs.kernels.values import Constant, NotUnderstood, Opaque, Value, choice

STATEMENTS = 40_000  # that are followed in one kernel, each as often as it is


def follow_block(it: Interpreter, body: Iterable[code.Statement], env: Env) -> None:
    """Follows statements in order; those behind a return are not reached."""
    body = list(body)
    for k, node in enumerate(body):
        if it.path.condition == FALSE:
            pass_over(it, body[k:])
            return
        it.statements += 1
        if it.statements > STATEMENTS:
            raise NotUnderstood(f"more than {STATEMENTS:,} statements")
        it.line = node.line
        rule = it.rules.statements[type(node)]
        rule(it, node, env)


def pass_over(it: Interpreter, body: Iterable[code.Statement]) -> None:
    """Notes that the calls of statements are not reached, or told of otherwise."""
    it.seen |= {id(x) for s in body for x in every_part(s) if isinstance(x, code.Action)}


def assignment(it: Interpreter, node: code.Assign, env: Env) -> None:
    _assign(it, node, it.value(node.value, env), env)


def changed_by(it: Interpreter, node: code.Change, env: Env) -> None:
    """`x += e`, in the type that `x + e` has."""
    both = code.Operation(node.op, code.Name(node.word), node.value)
    _assign(it, node, it.value(code.put(both, node.place), env), env)


def _assign(it: Interpreter, node: code.Assign | code.Change, value: Value, env: Env) -> None:
    """Gives a variable a value of its type."""
    type = it.frame.types.get(node.word)
    env[node.word] = value if type is None else cast_to(it, value, type, node.line)


def effect(it: Interpreter, node: code.Effect, env: Env) -> None:
    it.value(node.value, env)


def stop(it: Interpreter, node: code.Stop, env: Env) -> None:
    """Behind a jump nothing is followed any more."""
    it.skip(node.line, node.why)
    raise NotUnderstood(f"what follows line {node.line}, a jump by goto")


def no_effect(it: Interpreter, node: code.Statement, env: Env) -> None:
    """A statement that does nothing."""


def returned_there(it: Interpreter, node: code.Return, env: Env) -> None:
    _note_leaving(it, node)
    if it.frame.inside == 1 and it.recording:
        it.kernel.exits.append(it.path.condition)
    value = Constant(None) if node.value is None else it.value(node.value, env)
    returns = it.frame.returns
    returns.values.append((it.path.condition, value))
    returns.in_loop |= it.nested > returns.nested
    it.path.condition = FALSE


def break_there(it: Interpreter, node: code.Break, env: Env) -> None:
    _note_leaving(it, node)
    it.path.condition = FALSE


def continue_there(it: Interpreter, node: code.Continue, env: Env) -> None:
    it.continued.append(dict(env))
    it.path.condition = FALSE


def _note_leaving(it: Interpreter, node: code.Return | code.Break) -> None:
    """Notes a statement that leaves a loop, in which other threads may stay."""
    if it.nested and not is_uniform(it, it.path.condition):
        it.left_by_some |= {*it.loops}
        it.path.some_left |= isinstance(node, code.Return)


def branch(it: Interpreter, node: code.If, env: Env) -> None:
    """A branch; a barrier in it may not have been there for what follows it."""
    if is_turn(node):
        _turn(it, node, env)
        return
    phases = it.phases
    before, count, depth = phases.phase, phases.barriers, len(phases.branches)
    phases.branches.append(before)
    try:
        _both_ways(it, node, env)
    finally:
        ends = {*phases.branches[depth + 1 :], phases.phase}
        del phases.branches[depth:]
        phases.meet(before, count, ends)


def _turn(it: Interpreter, node: code.If, env: Env) -> None:
    """A turn of a loop: nothing in the loop follows one that is none."""
    it.path.condition = both(it.path.condition, test(it, node.test, env).node)
    if it.is_reached():
        it.follow(node.body, env)
    else:
        pass_over(it, node.body)


def _both_ways(it: Interpreter, node: code.If, env: Env) -> None:
    """Follows both ways, unless the condition is decided."""
    c, start = test(it, node.test, env), it.path.condition
    entered, one, first = _way(it, both(start, c.node), node.body, env)
    it.path.condition = both(start, negation(c.node))
    it.phases.turn_back()
    other_entered, other, second = _way(it, it.path.condition, node.other, env)
    unchanged = one == entered and other == other_entered
    it.path.condition = start if unchanged else either(one, other)
    if FALSE in (one, other):
        env.update(second if one == FALSE else first)
        return
    for n in dict.fromkeys([*first, *second]):
        if n in first and n in second:
            env[n] = choice(c.node, first[n], second[n], c.known)
        else:
            env[n] = first[n] if n in first else second[n]


def _way(
    it: Interpreter, condition: Term, body: list[code.Statement], env: Env
) -> tuple[Term, Term, Env]:
    """The condition at the beginning and at the end of one way, and what is known then."""
    it.path.condition, inside = condition, dict(env)
    if it.is_reached():
        it.follow(body, inside)
    else:
        pass_over(it, body)
    return condition, it.path.condition, inside


# -- functions -------------------------------------------------------------------------------------


def follow_kernel(it: Interpreter, function: code.Function, bindings: Env) -> None:
    """Follows a kernel, as far as it is understood."""
    try:
        it.returned(function, bindings)
    except (NotUnderstood, TooLarge) as error:
        it.skip(function.lineno, str(error))
    except RecursionError:
        it.skip(function.lineno, "statements that are nested too deeply")


def returned_value(it: Interpreter, function: code.Function, bindings: Env) -> Value:
    """What a function returns; a thread that returns early comes to none of its other barriers.

    One that returns from the kernel comes to nothing else.
    """
    phases, called = it.phases, it.frame.inside > 0
    first, count = phases.phase, phases.barriers
    value = _in_frame(it, function, bindings)
    *others, end = function.body
    early = returns_inside(others if isinstance(end, code.Return) else function.body)
    if called and early and phases.barriers > count:
        phases.passing |= {(p, phases.phase) for p in phases.since(first, count)}
    return value


def _in_frame(it: Interpreter, function: code.Function, bindings: Env) -> Value:
    """What a function returns, its parameters of their types; behind it all threads go on."""
    frame, path, module, key = it.frame, it.path, it.module, id(function)
    before = frame.types, frame.returns, path.some_left, path.condition
    frame.types, frame.returns = module.types.get(key, {}), Returns(it.nested)
    frame.inside += 1
    try:
        for n, t in module.parameters.get(key, {}).items():
            is_narrow = not frame.depth and t.narrow is not None
            if n in bindings and not is_narrow and actual_type(it, t) != UNDEDUCED:
                bindings[n] = cast_to(it, bindings[n], t, function.lineno)
        for n in module.constants.get(key, {}):
            if n not in bindings and frame.depth:
                bindings[n] = Opaque(f"line {function.lineno}: {n} of a template")
        for line in module.bad.get(key, ()):
            it.skip(line, "this is no C++ that is understood")
        it.follow(function.body, bindings)
        _note_unseen(it, function)
        return _choice_of_returns(frame.returns, function.lineno)
    finally:
        frame.inside -= 1
        frame.types, frame.returns, path.some_left, path.condition = before


def _choice_of_returns(returns: Returns, line: int) -> Value:
    """The value of the return that is come to."""
    if not returns.values:
        return Constant(None)
    if returns.in_loop:
        return Opaque(f"line {line}: a return inside of a loop")
    *others, (_, value) = returns.values
    for c, v in reversed(others):
        value = choice(c, v, value, TRUE)
    return value


def _note_unseen(it: Interpreter, function: code.Function) -> None:
    """Tells of every call that nobody evaluated, as it may load and store."""
    for s in function.body:
        for x in every_part(s):
            if isinstance(x, code.Action) and id(x) not in it.seen:
                it.seen.add(id(x))
                it.skip(x.line, f"{called(x)} is not followed there")
