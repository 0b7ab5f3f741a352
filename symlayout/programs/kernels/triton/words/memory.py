"""Loads, stores and atomic operations."""

from __future__ import annotations

import ast

from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import TRUE, both, either, negation
from symlayout.programs.kernels.triton.interpreter.accesses import loaded_value, record, through
from symlayout.programs.kernels.triton.interpreter.blocks import (
    arguments,
    condition,
    nodes,
    together,
)
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.values import (
    Block,
    BlockPointer,
    Constant,
    NotUnderstood,
    Opaque,
    Value,
)


def _mask(it: Interpreter, args: dict[str, ast.expr], env: Env, line: int) -> Block:
    """The mask of an access."""
    if "mask" not in args:
        return Block(TRUE)
    return _as_mask(it, it.value(args["mask"], env), line)


def _as_mask(it: Interpreter, value: Value, line: int) -> Block:
    """A value as a mask: where there is none, every lane is taken."""
    if value == Constant(None):
        return Block(TRUE)
    if isinstance(value, Opaque) and value.ways is not None:
        c, *ways = value.ways
        a, b = (_as_mask(it, v, line) for v in ways)
        a, b, shape = together(it, a, b)
        return Block(either(both(c, a.node), both(negation(c), b.node)), shape)
    return condition(it, value, line)


def load(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """What is loaded from an address, or through a block pointer."""
    return _memory(it, "load", node, ("pointer", "mask", "other", "boundary_check"), env)


def store(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A store."""
    names = ("pointer", "value", "mask", "boundary_check")
    args = arguments(node, names)
    if "value" in args:
        it.value(args["value"], env)  # what is loaded there is an access as well
    return _memory(it, "store", node, names, env)


def atomic(
    it: Interpreter, node: ast.Call, env: Env, names: tuple[str, ...] = ("pointer", "val", "mask")
) -> Value:
    """An atomic operation, whose arguments have these names."""
    args = arguments(node, names)
    for operand in ("cmp", "val"):
        if operand in args:
            it.value(args[operand], env)
    return _memory(it, "atomic", node, names, env)


def _memory(it: Interpreter, kind: str, node: ast.Call, names: tuple[str, ...], env: Env) -> Value:
    """An access of this kind."""
    args = arguments(node, names)
    if "pointer" not in args:
        raise NotUnderstood(f"a {kind} without a pointer")
    address = it.value(args["pointer"], env)
    mask = _mask(it, args, env, node.lineno)
    if isinstance(address, BlockPointer):
        if mask.node != TRUE:
            raise NotUnderstood("a mask beside a block pointer")
        axes = it.value(args.get("boundary_check", ast.Tuple([])), env)
        checked = tuple(-1 if x.value is None else x.value for x in nodes(axes))
        if not set(checked) <= set(range(len(address.block))):
            raise NotUnderstood("a boundary check along what is no axis")
        return through(it, node, kind, address, checked)
    if not isinstance(address, Block):
        why = address.why if isinstance(address, Opaque) else "an address that is none"
        it.skip(node.lineno, why)
        shape = address.shape if isinstance(address, Opaque) else ()
        return loaded_value(it, node, (shape, ""))
    other = it.value(args["other"], env) if "other" in args else None
    return loaded_value(it, node, record(it, kind, node, address, mask), mask, other)
