"""Statements: assignments, branches both ways, returns."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace

from symlayout.programs.kernels.following import Env, Returns
from symlayout.programs.kernels.nodes import FALSE, TRUE, TooLarge, both, either, negation
from symlayout.programs.kernels.syntax import (
    assigned_names,
    called,
    dotted_name,
    every_node,
    last_word,
    leaves_early,
)
from symlayout.programs.kernels.triton.interpreter.blocks import handed_back
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.triton.interpreter.expressions import test
from symlayout.programs.kernels.values import (
    Block,
    Constant,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    choice,
    named,
)

STATEMENTS = 40_000  # that are followed in one kernel, each as often as it is
TASKS = frozenset(["async_task", "async_tasks", "AsyncTaskContext"])


def follow_kernel(it: Interpreter, function: ast.FunctionDef, bindings: Env) -> None:
    """Follows a kernel, as far as it is understood."""
    try:
        it.returned(function, bindings)
    except (NotUnderstood, TooLarge) as error:
        it.skip(function.lineno, str(error))
    except RecursionError:
        it.skip(function.lineno, "statements that are nested too deeply")


def returned_value(it: Interpreter, function: ast.FunctionDef, bindings: Env) -> Value:
    """What a function of the file returns, its accesses noted on the way."""
    before, condition = it.frame, it.path.condition
    returns = Returns(it.loops.nested)
    it.frame = replace(before, own=_names_of(it, function), returns=returns)
    try:
        it.follow(function.body, bindings)
        _unseen(it, function)
    finally:
        it.path.condition, it.frame = condition, before
    if not returns.values:
        return Constant(None)
    if returns.in_loop:
        return Opaque(f"line {function.lineno}: a return inside of a loop")
    value = returns.values[-1][1]
    for c, v in reversed(returns.values[:-1]):
        value = choice(c, v, value, TRUE)
    return value


def _names_of(it: Interpreter, function: ast.FunctionDef) -> frozenset[str]:
    """The names that a function gives a value somewhere, which mean nothing else in it."""
    if id(function) not in it.calls.names:
        it.calls.names[id(function)] = frozenset(assigned_names(function.body))
    return it.calls.names[id(function)]


def pass_over(it: Interpreter, body: Iterable[ast.stmt]) -> None:
    """Notes that the calls of statements are not reached, or told of otherwise."""
    it.calls.seen |= {id(x) for s in body for x in every_node(s) if isinstance(x, ast.Call)}


def _unseen(it: Interpreter, function: ast.FunctionDef) -> None:
    """Tells of every call that nobody evaluated, as it may load and store."""
    for s in function.body:
        for x in every_node(s):
            if isinstance(x, ast.Call) and id(x) not in it.calls.seen:
                it.calls.seen.add(id(x))
                it.skip(x.lineno, f"{called(x)} is not followed there")


def follow_block(it: Interpreter, body: Iterable[ast.stmt], env: Env) -> None:
    """Follows statements in order; those behind a return are not reached."""
    body = list(body)
    for k, statement in enumerate(body):
        if it.path.condition == FALSE:
            pass_over(it, body[k:])
            return
        it.statements += 1
        if it.statements > STATEMENTS:
            raise NotUnderstood(f"more than {STATEMENTS:,} statements")
        it.line = statement.lineno
        if ":=" in it.frame.module.text:
            _rebind(it, statement, env)
        it.rules.statements.get(type(statement), not_followed)(it, statement, env)


def _rebind(it: Interpreter, statement: ast.stmt, env: Env) -> None:
    """Nothing is known of a name that an expression of the statement gives another value."""
    own = [e for e in ast.iter_child_nodes(statement) if isinstance(e, ast.expr)]
    bindings = [x for e in own for x in every_node(e) if isinstance(x, ast.NamedExpr)]
    if bindings:
        why = "a name that is given a value inside of an expression"
        it.skip(statement.lineno, why)
        forget((x.target.id for x in bindings), env, f"line {statement.lineno}: {why}")


def assignment(it: Interpreter, node: ast.Assign, env: Env) -> None:
    """`a = b = e`."""
    value = it.value(node.value, env)
    for target in node.targets:
        _assign(it, target, value, env)


def annotated(it: Interpreter, node: ast.AnnAssign, env: Env) -> None:
    """`a: T = e`, where a constexpr stays what the compiler knows."""
    if node.value is None:
        return
    value = it.value(node.value, env)
    if isinstance(node.target, ast.Name) and last_word(node.annotation) == "constexpr":
        env[node.target.id] = value
    else:
        _assign(it, node.target, value, env)


def changed_by(it: Interpreter, node: ast.AugAssign, env: Env) -> None:
    """`a += e`."""
    operation = ast.BinOp(_read(node.target), node.op, node.value)
    _assign(it, node.target, it.value(ast.copy_location(operation, node), env), env)


def effect(it: Interpreter, node: ast.Expr, env: Env) -> None:
    """An expression for what it does."""
    it.value(node.value, env)


def return_there(it: Interpreter, node: ast.Return, env: Env) -> None:
    """`return e`: nothing is executed after it."""
    value = Constant(None) if node.value is None else it.value(node.value, env)
    returns = it.frame.returns
    returns.values.append((it.path.condition, handed_back(it, value, node.lineno)))
    returns.in_loop |= it.loops.nested > returns.nested
    it.path.condition = FALSE


def break_there(it: Interpreter, node: ast.Break, env: Env) -> None:
    """`break`: nothing of the loop is executed after it."""
    it.path.condition = FALSE


def continue_there(it: Interpreter, node: ast.Continue, env: Env) -> None:
    """`continue`: the next turn begins with what is known there."""
    it.loops.continued.append(dict(env))
    it.path.condition = FALSE


def no_effect(it: Interpreter, node: ast.stmt, env: Env) -> None:
    """`pass`, or an assertion."""


def failure(it: Interpreter, node: ast.Raise, env: Env) -> None:
    """`raise`: no kernel is made of what comes there."""
    pass_over(it, [node])
    it.path.condition = FALSE


def with_tasks(it: Interpreter, node: ast.With, env: Env) -> None:
    """`with tl.async_task(...)`: its body is executed."""
    if not all(map(_is_task, node.items)):
        not_followed(it, node, env)
        return
    pass_over(it, [ast.Expr(i.context_expr) for i in node.items])
    it.follow(node.body, env)


def not_followed(it: Interpreter, node: ast.stmt, env: Env) -> None:
    """Any other statement."""
    it.skip(node.lineno, f"a statement {type(node).__name__.lower()}")
    forget(assigned_names([node]), env, f"line {node.lineno}: not followed")
    pass_over(it, [node])
    if leaves_early([node]):
        it.path.inexact = f"line {node.lineno}: what is not followed there may return"


def _assign(it: Interpreter, target: ast.expr, value: Value, env: Env) -> None:
    """Gives names their values."""
    if isinstance(target, ast.Name):
        env[target.id] = named(value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        fits = isinstance(value, Several) and len(value.parts) == len(target.elts)
        fits = fits and not any(isinstance(t, ast.Starred) for t in target.elts)
        for k, t in enumerate(target.elts):
            if isinstance(value, Several) and fits:
                _assign(it, t, value.parts[k], env)
            else:
                why = value.why if isinstance(value, Opaque) else "several values"
                part = Opaque(f"line {target.lineno}: {why}", address=it.addresses.level(value))
                _assign(it, t, part, env)
    elif isinstance(target, ast.Starred):
        rest = Opaque(f"line {target.lineno}: several values", address=it.addresses.level(value))
        _assign(it, target.value, rest, env)
    else:  # a part of what may have several names
        why = f"line {target.lineno}: a part of it is given a value"
        it.skip(target.lineno, "a part that is given a value")
        forget([n for n, v in env.items() if isinstance(v, Several)], env, why)


def forget(names: Iterable[str], env: Env, why: str) -> None:
    """Nothing is known of these names any more."""
    for n in names:
        env[n] = Opaque(why)


def branch(it: Interpreter, node: ast.If, env: Env) -> None:
    """Follows both ways, unless the condition is decided."""
    c = test(it, node.test, env)
    if c.shape:
        it.skip(node.lineno, "a branch on a block")
        word = it.unknowns.fresh("branch")
        c = Block(it.flag(word, f"line {node.lineno}: a branch", True))
        it.unknowns.uniform.discard(word)
    start = it.path.condition
    it.path.condition = both(start, c.node)
    entered, first = it.path.condition, dict(env)
    if entered != FALSE:
        it.follow(node.body, first)
    else:
        pass_over(it, node.body)
    one = it.path.condition
    it.path.condition = both(start, negation(c.node))
    other_entered, second = it.path.condition, dict(env)
    if other_entered != FALSE:
        it.follow(node.orelse, second)
    else:
        pass_over(it, node.orelse)
    other = it.path.condition
    if one == entered and other == other_entered:
        it.path.condition = start
    else:
        it.path.condition = either(one, other)
    if one == FALSE or other == FALSE:
        env.update(second if one == FALSE else first)
        return
    for n in dict.fromkeys([*first, *second]):
        if n in first and n in second:
            env[n] = choice(c.node, first[n], second[n], c.known)
        else:
            env[n] = first[n] if n in first else second[n]


def _is_task(item: ast.withitem) -> bool:
    """Whether it says by which warps its body is executed, which it is."""
    call = item.context_expr
    word = dotted_name(call.func).split(".")[-1] if isinstance(call, ast.Call) else ""
    return word in TASKS and item.optional_vars is None


def _read(target: ast.expr) -> ast.expr:
    """The target of an assignment as a value."""
    copy = deepcopy(target)
    for x in ast.walk(copy):
        if isinstance(x, (ast.Name, ast.Attribute, ast.Subscript, ast.Starred)):
            x.ctx = ast.Load()
    return copy
