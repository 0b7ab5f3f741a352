"""Casts, coordinates, sizes of types, and what is not followed."""

from __future__ import annotations

from dataclasses import replace

from symlayout.expr.machine import INT, INT64, UINT32, UINT64, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.c.interpreter.arithmetic import arithmetic
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import Struct, actual_type, cast_to
from symlayout.programs.kernels.c.types import UNDEDUCED, CType
from symlayout.programs.kernels.nodes import binary, cast, num, number_of
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value


def core(it: Interpreter, node: code.Core, env: Env) -> Value:
    """A core's number, or how many there are."""
    return Block(cast(INT64, it.grid(0) if node.is_count else it.program(0)))


def struct(it: Interpreter, node: code.Object, env: Env) -> Value:
    return Constant(Struct(node.word))


def cast_value(it: Interpreter, node: code.Cast, env: Env) -> Value:
    return cast_to(it, it.value(node.value, env), CType(node.type), node.line)


def end_moved(it: Interpreter, node: code.Moved, env: Env) -> Value:
    """A sum of an end that the code does not compute: no type of 32 bits with a sign ends it."""
    both = node.value
    a, b = it.value(both.left, env), it.value(both.right, env)
    if not (isinstance(a, Block) and isinstance(b, Block)):
        return it.value(both, env)
    if common([a.node.type, b.node.type]) == INT:
        a, b = (replace(x, node=cast(INT64, number_of(x.node))) for x in (a, b))
    return arithmetic(it, both.op, a, b)


def as_64_bits(it: Interpreter, node: code.Count, env: Env) -> Value:
    """A number of elements, which may be taken from a pointer."""
    value = it.value(node.value, env)
    if isinstance(value, Block):
        return replace(value, node=cast(INT64, number_of(value.node)))
    return value


def data(it: Interpreter, node: code.Data, env: Env) -> Value:
    values = [it.value(e, env) for e in node.values]
    texts = [node.why] * bool(node.why)
    texts += [v.value for v in values if isinstance(v, Constant) and isinstance(v.value, str)]
    why = texts[0] if texts else "a value"
    is_data = (
        all(isinstance(v, Opaque) and v.data for v in values) and bool(values) and not node.why
    )
    return Opaque(f"line {node.line}: {why[:60]}", data=is_data)


def sizeof(it: Interpreter, node: code.SizeOf, env: Env) -> Value:
    """The bytes of a template's type: a constant."""
    type = actual_type(it, CType(node.type))
    if type == UNDEDUCED:
        raise NotUnderstood("the size of a type that is not known")
    if type.bits:
        return Block(num(type.bits // 8, UINT64))
    return it.symbol(f"sizeof_{type.spelling}", None, True)


def not_followed(it: Interpreter, node: code.Unfollowed, env: Env) -> Value:
    for e in node.values:
        it.value(e, env)
    it.skip(node.line, node.why)
    return Opaque(f"line {node.line}: not followed")


def flag(it: Interpreter, node: code.Flag, env: Env) -> Value:
    return Block(it.flag(node.word, f"line {node.line}: whether it is compiled"))


def coordinate(it: Interpreter, node: code.Coordinate, env: Env) -> Value:
    """`get_global_id(0)` and its like, of type `size_t`; the launch's offset is 0."""
    word, axis = node.word, node.axis
    match word:
        case "get_group_id":
            number = it.program(axis)
        case "get_local_id":
            number = it.program(axis + 3)
        case "get_num_groups":
            number = it.grid(axis)
        case "get_local_size" | "get_enqueued_local_size":
            number = it.grid(axis + 3)
        case "get_global_size":
            number = binary("*", cast(UINT64, it.grid(axis)), it.grid(axis + 3))
        case "get_global_id":
            whole = binary("*", cast(UINT64, it.program(axis)), it.grid(axis + 3))
            number = binary("+", whole, it.program(axis + 3))
        case "get_global_offset":
            number = num(0)
        case _:  # of a sub-group, whose size is the device's
            what = f"{word} in line {node.line}"
            return it.unknown(what, False, num(0), type=UINT32)
    return Block(cast(UINT64, number))


def number_of_thread(it: Interpreter) -> Term:
    """A thread's number in its block, along x first."""
    number = it.program(5)
    for axis in (4, 3):
        number = binary("+", it.program(axis), binary("*", it.grid(axis), number))
    return number


def thread_number(it: Interpreter, node: code.Thread, env: Env) -> Value:
    return Block(number_of_thread(it))


def threads(it: Interpreter, node: code.Threads, env: Env) -> Value:
    return Block(binary("*", binary("*", it.grid(3), it.grid(4)), it.grid(5)))
