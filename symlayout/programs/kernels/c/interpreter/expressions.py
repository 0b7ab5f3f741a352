"""Expressions of a lowered function: names, operators, conditions, choices."""

from __future__ import annotations

from dataclasses import replace

from symlayout.expr.machine import INT
from symlayout.programs.kernels.c.interpreter.arithmetic import arithmetic, opaque, operation
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import (
    NEVER,
    Axes,
    Struct,
    alike,
    ask,
    block,
    comparison,
    condition,
    usual,
)
from symlayout.programs.kernels.c.interpreter.notes import note_value
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    TooLarge,
    both,
    either,
    negation,
    num,
    number_of,
    where,
)
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.nodes import every_part
from symlayout.programs.kernels.program.reading import spoken, whole_text
from symlayout.programs.kernels.values import (
    Block,
    Constant,
    NotUnderstood,
    Opaque,
    Value,
    choice,
    known_where,
)

AXES = {"x": 0, "y": 1, "z": 2}
COUNTED = {"blockIdx": 0, "threadIdx": 3}
SIZES = {"gridDim": 0, "blockDim": 3}
WARP = 32
REACHING = (code.Load, code.Store, code.Atomic, code.Copy, code.Reach, code.Call, code.MethodCall)


def value(it: Interpreter, node: code.Expression, env: Env) -> Value:
    """The value of an expression; what is not understood is opaque."""
    try:
        if isinstance(node, code.Action):
            it.seen.add(id(node))
        result = it.rules.expressions[type(node)](it, node, env)
        note_value(it, node, result)
        return result
    except (NotUnderstood, TooLarge) as error:
        why = str(error)
    except RecursionError:
        why = "an expression that is nested too deeply"
    except ZeroDivisionError:
        why = "a division by 0"
    except (KeyError, IndexError):
        why = "an argument is missing"
    if isinstance(node, REACHING):
        it.skip(node.line, why)
    return Opaque(f"line {node.line}: {why}")


def constant(it: Interpreter, node: code.Constant, env: Env) -> Value:
    if isinstance(node.value, (bool, str, float)) or node.value is None:
        return Constant(node.value)
    return Block(num(node.value))


def name_value(it: Interpreter, node: code.Name, env: Env) -> Value:
    word = node.word
    head, _, last = word.partition(".")
    if last and head in COUNTED:
        return Block(it.program(COUNTED[head] + AXES[last]))
    if last and head in SIZES:
        return Block(it.grid(SIZES[head] + AXES[last]))
    if word == "warpSize":
        return Block(num(WARP, INT))
    if word in env:
        return env[word]
    last = word.split("::")[-1]
    if last in it.module.values and not isinstance(it.module.values[last], Opaque):
        return it.module.values[last]
    if word in it.module.outside:
        return it.symbol(word, it.module.outside[word])
    large = last.isupper() or (last[:1] == "k" and last[1:2].isupper())
    if large or ("::" in word and last[:1] != "~"):
        return it.symbol(word, None, True)
    return Opaque(f"line {node.line}: {word} is not defined here")


def attribute(it: Interpreter, node: code.Field, env: Env) -> Value:
    base = it.value(node.base, env)
    if isinstance(base, Constant) and isinstance(base.value, Axes):
        parts = base.value.parts
        return parts[AXES[node.word]] if AXES.get(node.word, 9) < len(parts) else base
    if isinstance(base, Constant) and isinstance(base.value, Struct):
        whole = f"{base.value.word}_{node.word}"
        type: CType | None = node.type
        if type is None or type.is_unknown:
            return Opaque(f"line {node.line}: the type of {whole} is not known here")
        if not type.bits and not type.is_address:
            return Constant(Struct(whole))
        return it.symbol(whole, type)
    data = not isinstance(base, Opaque) or base.data
    return Opaque(f"line {node.line}: .{node.word} is not followed", data=data)


def binary_operation(it: Interpreter, node: code.Operation, env: Env) -> Value:
    return operation(it, node, it.value(node.left, env), it.value(node.right, env))


def signed(it: Interpreter, node: code.Sign, env: Env) -> Value:
    a = it.value(node.operand, env)
    if isinstance(a, Opaque) or (isinstance(a, Constant) and isinstance(a.value, float)):
        return a
    number = block(it, a, node.line)
    if node.op == "~" and number.node.is_condition:
        number = Block(number_of(number.node))  # `~` is of the number that a condition is
    if node.op == "+":
        return number
    return arithmetic(it, "-", Block(num(0 if node.op == "-" else -1)), number)


def opposite(it: Interpreter, node: code.Not, env: Env) -> Block:
    return test(it, node, env)


def in_turn(it: Interpreter, node: code.Junction, env: Env) -> Block:
    """`a && b`: the second is evaluated only where the first does not decide."""
    first = test(it, node.values[0], env)
    every = node.op == "and"
    for v in node.values[1:]:
        goes_on = first if every else Block(negation(first.node))
        if goes_on.node == FALSE:
            never(it, v)
            continue
        other = condition(it, only(it, goes_on, v, env), node.line)
        first = Block((both if every else either)(first.node, other.node))
    return first


def test(it: Interpreter, node: code.Expression, env: Env) -> Block:
    """An expression that is asked whether it is true."""
    if isinstance(node, code.Junction):
        return in_turn(it, node, env)
    if isinstance(node, code.Not):
        c = test(it, node.operand, env)
        return replace(c, node=negation(c.node))
    return condition(it, it.value(node, env), node.line)


def only(it: Interpreter, c: Block, node: code.Expression, env: Env) -> Value:
    """What is evaluated only where a condition is true; nor may a barrier in it have been there.

    Of what is never evaluated the type counts still: `true ? n - 10 : 4u` has no sign.
    """
    if c.node == FALSE:
        never(it, node)
    before, count = it.phases.phase, it.phases.barriers
    with it.path.only_where(TRUE if c.node == FALSE else c.node):
        plain = c.node != FALSE or all(map(_is_plain, every_part(node)))
        result = it.value(node, env) if plain else NEVER
    if c.node != TRUE:
        it.phases.meet(before, count, {before})
    return result


def never(it: Interpreter, node: code.Expression) -> None:
    """Notes that what stands there is never evaluated."""
    it.seen |= {id(x) for x in every_part(node) if isinstance(x, code.Action)}


def choice_value(it: Interpreter, node: code.Choice, env: Env) -> Value:
    c = test(it, node.test, env)
    other = Block(negation(c.node))
    a, b = alike(it, only(it, c, node.then, env), only(it, other, node.other, env))
    known = c.known if c.node.is_run_time or c.node in (TRUE, FALSE) else TRUE
    result = choice(c.node, a, b, known)
    if isinstance(result, Block) and result.node.op == "where":
        d, x, y = result.node.args
        return replace(result, node=where(d, *usual(it, "?", x, y)))
    return result


def compared(it: Interpreter, node: code.Comparison, env: Env) -> Block | Opaque:
    """A comparison; of a text or a null pointer whether it is that one."""
    a, b = (it.value(e, env) for e in (node.left, node.right))
    op = node.op
    if Constant(None) in (a, b):
        return _presence(it, node, op == "!=", a, b)
    if isinstance(a, Constant) and isinstance(b, Constant) and op in ("==", "!="):
        return Block(TRUE if (a == b) == (op == "==") else FALSE, known=TRUE)
    if any(isinstance(v, Constant) and isinstance(v.value, str) for v in (a, b)):
        word = "".join(c if c.isalnum() else "_" for c in whole_text(node))[:60]
        return Block(
            it.flag(f"is_{word}", f"line {node.line}: a choice by a text", True), known=TRUE
        )
    if isinstance(a, Opaque) or isinstance(b, Opaque):
        return opaque((a, b), f"line {node.line}: {spoken(node)}")
    x, y = block(it, a, node.line), block(it, b, node.line)
    for one, other in ((x.node, y.node), (y.node, x.node)):
        if other.value is not None and other.value <= 0:
            ask(it, one)
    node_of = comparison(it, op, number_of(x.node), number_of(y.node))
    return Block(node_of, known=both(known_where(x), known_where(y)))


def _presence(
    it: Interpreter, node: code.Comparison, is_not: bool, a: Value, b: Value
) -> Block | Opaque:
    """Whether a pointer is given: `x != nullptr`."""
    other = a if b == Constant(None) else b
    if other == Constant(None):
        return Block(FALSE if is_not else TRUE, known=TRUE)
    if isinstance(other, Block) and other.node.op == "name":
        word = other.node.word
        if word in it.kernel.parameters and word not in it.contract.arrays:
            flag = it.flag(f"{word}_given", f"line {node.line}: whether {word} is given")
            return Block(flag if is_not else negation(flag), known=TRUE)
    if isinstance(other, Block):
        return Block(TRUE if is_not else FALSE, known=TRUE)
    return opaque((a, b), f"line {node.line}: {spoken(node)}")


def _is_plain(node: code.Node) -> bool:
    """Whether it does nothing and always has a value: arithmetic and casts."""
    if isinstance(node, code.Operation):
        return node.op in ("+", "-", "*")
    if isinstance(node, code.Sign):
        return node.op == "-"
    return isinstance(node, (code.Name, code.Constant, code.Cast))
