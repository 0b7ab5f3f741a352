"""What a kernel tells the compiler, and functions that hand on their argument."""

from __future__ import annotations

import ast

from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.triton.interpreter.blocks import arguments, block, condition, number
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.triton.interpreter.notes import hint
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value, named

HELD = ("input", "x", "value", "cond")  # what functions call the argument that they hand on


def same(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The argument itself."""
    if node.args:
        return it.value(node.args[0], env)
    operands = [k.value for k in node.keywords if k.arg in HELD]
    return it.value(operands[0], env) if operands else Constant(None)


def to_tensor(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The argument as a number of run time."""
    return named(same(it, node, env))


def multiple_of(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The argument, which has to be a multiple of a number."""
    value = same(it, node, env)
    by = arguments(node, ("input", "values")).get("values")
    times = None if by is None else number(it, by, env)
    operand = block(it, value, node.lineno) if isinstance(value, Opaque) else value
    if isinstance(operand, Block) and not operand.shape and times:
        hint(it, "multiple", operand.node, node.lineno, node.col_offset, times)
    return value


def assume(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A condition that has to be true."""
    if not (node.args or node.keywords):
        raise NotUnderstood("an assumption of nothing")
    c = condition(it, same(it, node, env), node.lineno)
    if not c.shape:
        hint(it, "assume", c.node, node.lineno, node.col_offset)
    return Constant(None)


def static_assert(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """Nothing; what its arguments load is an access as well."""
    for a in (*node.args, *[k.value for k in node.keywords]):
        it.value(a, env)
    return Constant(None)
