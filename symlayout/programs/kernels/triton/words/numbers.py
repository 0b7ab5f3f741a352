"""Program ids, ranges, numbers and casts."""

from __future__ import annotations

import ast
from dataclasses import replace

from symlayout.expr.machine import INT, INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import FALSE, TRUE, binary, cast, lane, num, number_of
from symlayout.programs.kernels.pointers import pointer_of
from symlayout.programs.kernels.syntax import dotted_name
from symlayout.programs.kernels.triton.imports import language_path
from symlayout.programs.kernels.triton.interpreter.blocks import (
    arguments,
    condition,
    handed_back,
    nodes,
    number,
    opaque,
    selection,
)
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.triton.interpreter.functions import fold
from symlayout.programs.kernels.values import (
    ADDRESS,
    NUMBER,
    POINTER,
    Block,
    Constant,
    Dtype,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    named,
)

TO_NUMBERS = (Dtype("int64"), Dtype("uint64"))  # what Triton can make an address


def _cast(it: Interpreter, value: Value, to: Value, line: int) -> Value:
    """The value in a type."""
    if isinstance(value, Opaque) and isinstance(to, Dtype) and to.machine:
        result = it.unknown(value.shape, value.why, not value.data, type=to.machine)
        reaches = it.addresses.reached(value)
        if it.addresses.level(value) >= ADDRESS or (reaches and to in TO_NUMBERS):
            it.addresses.unknowns.add(result.node.word)
        return result
    if isinstance(value, Block) and to in TO_NUMBERS and it.addresses.level(value) == POINTER:
        it.addresses.unknowns |= value.node.names & it.addresses.maybe_arrays
    if not isinstance(value, Block) or not isinstance(to, Dtype):
        address = it.addresses.level(value)
        if isinstance(to, Dtype):  # Triton makes no other number of an address
            address = it.addresses.computed("", value)
        elif isinstance(to, Opaque) and (to.address_type or to.address != NUMBER):
            address = ADDRESS
        return replace(opaque(it, (value,), f"line {line}: a cast"), address=address)
    if value.node.is_condition and to.word != "int1":
        value = Block(number_of(value.node), value.shape)
    if to.word == "int1":
        return condition(it, value, line)
    if to.machine:
        return Block(cast(to.machine, value.node), value.shape)
    if to.word == "uint64" and it.nonnegative(value.node):
        return Block(cast(INT64, value.node), value.shape)
    address = it.addresses.computed("", value)
    return Opaque(f"line {line}: a cast to {to.word}", value.shape, address=address)


def _axis(it: Interpreter, node: ast.Call, env: Env) -> int:
    """The axis that a call names."""
    argument = arguments(node, ("axis",)).get("axis")
    at = number(it, argument, env) if argument is not None else 0
    if at is None or not 0 <= at < 3:
        raise NotUnderstood("an axis that is no number")
    return at


def program_id(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The program's number along an axis."""
    return Block(it.program(_axis(it, node, env)))


def num_programs(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """How many programs there are along an axis."""
    return Block(it.grid(_axis(it, node, env)))


def arange(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The numbers from one to another."""
    args = arguments(node, ("start", "end"))
    low, high = (it.value(args[k], env) for k in ("start", "end"))
    if not (isinstance(low, Block) and isinstance(high, Block)):
        raise NotUnderstood("arange of what is no number")
    size = binary("-", high.node, low.node)
    return Block(binary("+", lane(0), low.node), (size,))


def cdiv(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A quotient, rounded up."""
    quotient = fold(it, "cdiv", node, env)
    word = dotted_name(node.func)
    if word == "cdiv" or language_path(it.frame.module, word) == "triton.cdiv":
        return quotient
    return handed_back(it, quotient, node.lineno)


def cast_to(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The value in a type."""
    args = arguments(node, ("input", "dtype"))
    to = it.value(args["dtype"], env)
    return _cast(it, it.value(args["input"], env), to, node.lineno)


def minimum(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The smaller one, lane by lane."""
    return named(fold(it, "min", node, env))


def maximum(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """The larger one, lane by lane."""
    return named(fold(it, "max", node, env))


def where_lanes(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """One of two values, lane by lane."""
    args = arguments(node, ("condition", "x", "y"))
    c, a, b = (it.value(args[k], env) for k in ("condition", "x", "y"))
    return selection(it, condition(it, c, node.lineno), named(a), named(b), node.lineno)


def full(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block of one number."""
    args = arguments(node, ("shape", "value", "dtype"))
    shape = nodes(it.value(args["shape"], env))
    value = it.value(args["value"], env) if "value" in args else Block(num(0))
    to = it.value(args["dtype"], env) if "dtype" in args else Dtype("int32")
    if isinstance(value, Block) and not value.shape and isinstance(to, Dtype) and to.machine:
        return Block(cast(to.machine, value.node), shape)
    if isinstance(value, Constant) and to == Dtype("int1"):
        return Block(TRUE if value.value else FALSE, shape)
    return Opaque(f"line {node.lineno}: a block of data", shape, address=NUMBER)


def zeros(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block of zeros."""
    args = arguments(node, ("shape", "dtype"))
    shape = nodes(it.value(args["shape"], env))
    to = it.value(args["dtype"], env) if "dtype" in args else None
    if isinstance(to, Dtype) and to.machine:
        return Block(num(0, to.machine), shape)
    return Opaque(f"line {node.lineno}: a block of data", shape, address=NUMBER)


def zeros_like(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A block of zeros, as large as another one."""
    value = it.value(arguments(node, ("input",))["input"], env)
    if not isinstance(value, Block) or pointer_of(value.node, it.addresses.arrays) is not None:
        return opaque(it, (value,), f"line {node.lineno}: a block of data")
    if value.node.is_condition:
        return Block(FALSE, value.shape)
    return Block(num(0, value.node.type or INT), value.shape)


def swizzle2d(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A row and a column, in groups of rows."""
    words = ("i", "j", "size_i", "size_j", "size_g")
    args = arguments(node, words)
    values = [it.value(args[w], env) for w in words]
    if len(node.args) > 5 or not all(isinstance(v, Block) for v in values):
        raise NotUnderstood("swizzle2d of what is no integer")
    i, j, rows, columns, group = (v.node for v in values if isinstance(v, Block))
    place = binary("+", binary("*", i, columns), j)
    whole = binary("*", group, columns)
    first = binary("*", binary("//", place, whole), group)
    height = binary("min", binary("-", rows, first), group)
    rest = binary("%", place, whole)
    row = binary("+", first, binary("%", rest, height))
    return Several((Block(row), Block(binary("//", rest, height))))


def next_power_of_2(it: Interpreter, node: ast.Call, env: Env) -> Value:
    """A number that is at least another and less than its double, or 0; one for each number."""
    value = it.value(arguments(node, ("n",))["n"], env)
    if not isinstance(value, Block) or value.shape or value.node.is_run_time:
        return opaque(it, (value,), f"line {node.lineno}: a power of two")
    n = value.node
    if n.value is not None:
        return Block(num(1 << (n.value - 1).bit_length() if n.value > 0 else 0))
    if _may_be_below_0(it, n):
        return Opaque(f"line {node.lineno}: a power of two", address=NUMBER)
    if n not in it.calls.powers:
        reason = f"line {node.lineno}: which power of two is at least {n.text({})}"
        word = it.unknowns.fresh("power")
        double = binary("max", binary("*", n, num(2)), num(1))  # of 0 it is 0
        it.unknown((), reason, True, n, double, word, None)
        it.calls.powers[n] = Term("unknown", (), word)
    return Block(it.calls.powers[n])


def _may_be_below_0(it: Interpreter, n: Term) -> bool:
    known = n.op == "name" and n.word in it.addresses.constants
    return not (known and n.word not in it.contract.signed)
