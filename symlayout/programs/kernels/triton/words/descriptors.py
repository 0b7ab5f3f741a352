"""Block pointers and tensor descriptors."""

from __future__ import annotations

import ast

from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import num
from symlayout.programs.kernels.triton.interpreter.arithmetic import arithmetic
from symlayout.programs.kernels.triton.interpreter.blocks import arguments, block, nodes, scalars
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.values import Block, BlockPointer, NotUnderstood, Value


def make_block_ptr(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block pointer."""
    args = arguments(node, ("base", "shape", "strides", "offsets", "block_shape", "order"))
    return _block_pointer(it, args, node, env, False)


def make_tensor_descriptor(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A descriptor, whose accesses are all masked by the array's sizes."""
    args = arguments(node, ("base", "shape", "strides", "block_shape"))
    return _block_pointer(it, args, node, env, True)


def _block_pointer(
    it: Interpreter, args: dict[str, ast.expr], node: ast.Call, env: Env, checked: bool
) -> Value:
    """A block pointer with these arguments."""
    values = {k: it.value(e, env) for k, e in args.items()}
    base = values["base"]
    if not isinstance(base, Block) or base.shape:
        raise NotUnderstood("a block pointer whose base is no address")
    sides = nodes(values["block_shape"])
    n = len(sides)
    sizes, strides = (scalars(it, values[k], n, node.lineno) for k in ("shape", "strides"))
    offsets = (Block(num(0)),) * n
    if "offsets" in values:
        offsets = scalars(it, values["offsets"], n, node.lineno)
    return BlockPointer(base, sizes, strides, offsets, sides, checked)


def advance(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block pointer that is moved."""
    args = arguments(node, ("base", "offsets"))
    p, by = it.value(args["base"], env), it.value(args["offsets"], env)
    if not isinstance(p, BlockPointer):
        raise NotUnderstood("advance of what is no block pointer")
    steps = scalars(it, by, len(p.block), node.lineno)
    sums = [arithmetic(it, "+", a, b) for a, b in zip(p.offsets, steps)]
    offsets = tuple(block(it, v, node.lineno) for v in sums)
    return BlockPointer(p.base, p.sizes, p.strides, offsets, p.block, p.checked)
