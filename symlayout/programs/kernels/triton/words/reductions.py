"""Sums and places of which a kernel asks: numbers that are known up to a range."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce

from symlayout.expr.machine import INT
from symlayout.expr.term import Term
from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import binary, num, number_of
from symlayout.programs.kernels.triton.interpreter.blocks import arguments
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.values import (
    NUMBER,
    POINTER,
    Block,
    Constant,
    NotUnderstood,
    Opaque,
    Value,
)

LARGEST = 1 << 10  # of what is summed: 2**20 such numbers have a sum of 32 bits


def total(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """Of numbers from 0 to a most at most that often, where that is known."""
    value, axis, args = _reduced(it, node, ("input", "axis", "keep_dims"), env)
    shape, count = _left(it, value, axis, args, env)
    reason = f"line {node.lineno}: a sum"
    if not isinstance(value, Block):
        return replace(value, shape=shape)
    most = _most(value.node)
    if most is None:
        return _any(it, value, shape, reason)
    high = binary("+", binary("*", count, num(most)), num(1))
    return it.unknown(shape, reason, True, num(0), high)


def cumsum(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """Each number and the sum of those before it, which is at least 0 where they are."""
    value, axis, _ = _reduced(it, node, ("input", "axis"), env)
    reason = f"line {node.lineno}: a cumulative sum"
    if not isinstance(value, Block):
        return value
    most = _most(value.node)
    if most is None:
        return _any(it, value, value.shape, reason)
    count = value.shape[axis or 0] if value.shape else num(1)
    others = binary("-", count, num(1))
    high = binary("+", binary("*", others, num(most)), num(1))
    before = it.unknown(value.shape, reason, True, num(0), high)
    return Block(binary("+", number_of(value.node), before.node), value.shape)


def argmax(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A place along the axis."""
    names = ("input", "axis", "tie_break_left", "keep_dims")
    value, axis, args = _reduced(it, node, names, env)
    shape, count = _left(it, value, axis, args, env)
    if count == num(1) and not value.shape:  # how many there are is not known
        return Opaque(f"line {node.lineno}: a place in a block", shape, address=NUMBER)
    reason = f"line {node.lineno}: a place in a block"
    return it.unknown(shape, reason, True, num(0), count)


def _reduced(
    it: Interpreter, node: ast.Call, names: tuple[str, ...], env: Env
) -> tuple[Block | Opaque, int | None, dict[str, ast.expr]]:
    """What is reduced, along which axis, and all that is given."""
    args = arguments(node, names)
    values = {w: it.value(e, env) for w, e in args.items()}
    value, axis = values["input"], values.get("axis", Constant(None))
    if not isinstance(value, (Block, Opaque)):
        raise NotUnderstood("a sum of what is no block")
    if axis == Constant(None):
        return value, None, args
    at = axis.node.value if isinstance(axis, Block) else None
    if at is None or not -len(value.shape) <= at < max(len(value.shape), 1):
        if isinstance(value, Opaque) and not value.shape:
            return value, None, args
        raise NotUnderstood("an axis that is no number")
    return value, at % max(len(value.shape), 1), args


def _left(
    it: Interpreter, value: Block | Opaque, axis: int | None, args: dict[str, ast.expr], env: Env
) -> tuple[tuple[Term, ...], Term]:
    """The sizes that are left, and how many numbers become one."""
    sizes = value.shape
    keeps = "keep_dims" in args and it.value(args["keep_dims"], env) != Constant(False)
    gone = [k for k in range(len(sizes)) if axis in (None, k)]
    count = reduce(lambda a, b: binary("*", a, b), [sizes[k] for k in gone], num(1))
    left = [num(1) if k in gone else d for k, d in enumerate(sizes) if keeps or k not in gone]
    return tuple(left), count


def _any(it: Interpreter, value: Block, shape: tuple[Term, ...], reason: str) -> Block:
    """Any number of the type, an address where those are addresses that were made numbers."""
    number = it.unknown(shape, reason, True, type=number_of(value.node).type or INT)
    it.addresses.unknowns |= {number.node.word} if it.addresses.level(value) > POINTER else set()
    return number


def _most(node: Term) -> int | None:
    """What numbers that are not below 0 are at most, where that is small."""
    if node.is_condition:
        return 1
    match node.op:
        case "num" if 0 <= node.number <= LARGEST:
            return node.number
        case "cast":
            return _most(node.args[0])
        case "where":
            ways = [_most(x) for x in node.args[1:]]
            bounds = [w for w in ways if w is not None]
            return max(bounds) if len(bounds) == 2 else None
    return None
