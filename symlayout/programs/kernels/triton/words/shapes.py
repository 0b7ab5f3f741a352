"""Functions that change the shape of a block."""

from __future__ import annotations

import ast

from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.triton.interpreter.blocks import (
    arguments,
    common,
    nodes,
    number,
    opaque,
    transposed,
)
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.values import (
    Block,
    NotUnderstood,
    Several,
    Value,
    with_new_axis,
    with_rank,
)


def expand_dims(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block with one axis more."""
    args = arguments(node, ("input", "axis"))
    value, axis = it.value(args["input"], env), number(it, args["axis"], env)
    if isinstance(value, Block) and axis is not None and 0 <= axis <= len(value.shape):
        return with_new_axis(value, axis)
    raise NotUnderstood("expand_dims of data")


def broadcast_to(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block in a larger shape."""
    if node.keywords:
        raise NotUnderstood("a shape by keywords")
    value = it.value(node.args[0], env)
    parts = Several(tuple(it.value(a, env) for a in node.args[1:]))
    shape = nodes(parts.parts[0] if len(parts.parts) == 1 else parts)
    if not isinstance(value, Block):
        return opaque(it, (value,), "")
    return Block(with_rank(value, len(shape)).node, common(it, value.shape, shape))


def trans(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block with its axes in another order."""
    value, *rest = (it.value(a, env) for a in node.args)
    return _permutation(it, value, rest, node)


def _permutation(it: Interpreter, value: Value, order: list[Value], node: ast.Call) -> Value:
    """The block with its axes in that order; without one the last two change places."""
    if node.keywords:
        raise NotUnderstood("a permutation by keywords")
    if not isinstance(value, Block):
        return transposed(it, value)
    n = len(value.shape)
    if not order:
        return transposed(it, value, (*range(n - 2), n - 1, n - 2) if n > 1 else None)
    axes = nodes(order[0] if len(order) == 1 else Several(tuple(order)))
    return transposed(it, value, tuple(-1 if k.value is None else k.value for k in axes))
