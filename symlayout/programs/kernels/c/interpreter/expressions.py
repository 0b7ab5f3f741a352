"""Expressions of a lowered function: names, operators, conditions, choices."""

from __future__ import annotations

import ast
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
from symlayout.programs.kernels.c.interpreter.functions import reaches
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
from symlayout.programs.kernels.syntax import COMPARED, every_node, spoken
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
PLAIN = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Load),
    *(ast.Add, ast.Sub, ast.Mult, ast.USub),
)
REACHING = frozenset(["@load", "@store", "@atomic", "@copy", "@reach", "@call", "@method"])


def value(it: Interpreter, node: ast.expr, env: Env) -> Value:
    """The value of an expression; what is not understood is opaque."""
    try:
        rule = it.rules.expressions.get(type(node), not_followed)
        result = rule(it, node, env)
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
    word = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if word.partition(" ")[0] in REACHING:
        it.skip(node.lineno, why)
    return Opaque(f"line {node.lineno}: {why}")


def not_followed(it: Interpreter, node: ast.expr, env: Env) -> Value:
    """An expression of another kind, or a constant that is no value."""
    why = f"{spoken(node)} is not followed"
    names = {x.id for x in every_node(node) if isinstance(x, ast.Name)}
    if any(reaches(it, env[n]) for n in names & {*env}):
        it.skip(node.lineno, why)  # whoever gets it has an address
    return Opaque(f"line {node.lineno}: {why}")


def constant(it: Interpreter, node: ast.Constant, env: Env) -> Value:
    if isinstance(node.value, (bool, str, float)) or node.value is None:
        return Constant(node.value)
    return Block(num(node.value)) if isinstance(node.value, int) else not_followed(it, node, env)


def name_value(it: Interpreter, node: ast.Name, env: Env) -> Value:
    word = node.id
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
    return Opaque(f"line {node.lineno}: {word} is not defined here")


def attribute(it: Interpreter, node: ast.Attribute, env: Env) -> Value:
    base = it.value(node.value, env)
    if isinstance(base, Constant) and isinstance(base.value, Axes):
        parts = base.value.parts
        return parts[AXES[node.attr]] if AXES.get(node.attr, 9) < len(parts) else base
    if isinstance(base, Constant) and isinstance(base.value, Struct):
        whole = f"{base.value.word}_{node.attr}"
        type: CType | None = getattr(node, "ctype", None)
        if type is None or type.is_unknown:
            return Opaque(f"line {node.lineno}: the type of {whole} is not known here")
        if not type.bits and not type.is_address:
            return Constant(Struct(whole))
        return it.symbol(whole, type)
    data = not isinstance(base, Opaque) or base.data
    return Opaque(f"line {node.lineno}: .{node.attr} is not followed", data=data)


def binary_operation(it: Interpreter, node: ast.BinOp, env: Env) -> Value:
    return operation(it, node, it.value(node.left, env), it.value(node.right, env))


def unary_operation(it: Interpreter, node: ast.UnaryOp, env: Env) -> Value:
    if isinstance(node.op, ast.Not):
        return test(it, node, env)
    a = it.value(node.operand, env)
    if isinstance(a, Opaque) or (isinstance(a, Constant) and isinstance(a.value, float)):
        return a
    number = block(it, a, node.lineno)
    if isinstance(node.op, ast.Invert) and number.node.is_condition:
        number = Block(number_of(number.node))  # `~` is of the number that a condition is
    if isinstance(node.op, (ast.USub, ast.Invert)):
        first = num(0 if isinstance(node.op, ast.USub) else -1)
        return arithmetic(it, "-", Block(first), number)
    return number


def in_turn(it: Interpreter, node: ast.BoolOp, env: Env) -> Block:
    """`a && b`: the second is evaluated only where the first does not decide."""
    first = test(it, node.values[0], env)
    every = isinstance(node.op, ast.And)
    for v in node.values[1:]:
        goes_on = first if every else Block(negation(first.node))
        if goes_on.node == FALSE:
            never(it, v)
            continue
        other = condition(it, only(it, goes_on, v, env), node.lineno)
        first = Block((both if every else either)(first.node, other.node))
    return first


def test(it: Interpreter, node: ast.expr, env: Env) -> Block:
    """An expression that is asked whether it is true."""
    if isinstance(node, ast.BoolOp):
        return in_turn(it, node, env)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        c = test(it, node.operand, env)
        return replace(c, node=negation(c.node))
    return condition(it, it.value(node, env), node.lineno)


def only(it: Interpreter, c: Block, node: ast.expr, env: Env) -> Value:
    """What is evaluated only where a condition is true; nor may a barrier in it have been there.

    Of what is never evaluated the type counts still: `true ? n - 10 : 4u` has no sign.
    """
    if c.node == FALSE:
        never(it, node)
    before, count = it.phases.phase, it.phases.barriers
    with it.path.only_where(TRUE if c.node == FALSE else c.node):
        plain = c.node != FALSE or all(map(_is_plain, ast.walk(node)))
        result = it.value(node, env) if plain else NEVER
    if c.node != TRUE:
        it.phases.meet(before, count, {before})
    return result


def never(it: Interpreter, node: ast.expr) -> None:
    """Notes that what stands there is never evaluated."""
    it.seen |= {id(x) for x in every_node(node) if isinstance(x, ast.Call)}


def choice_value(it: Interpreter, node: ast.IfExp, env: Env) -> Value:
    c = test(it, node.test, env)
    other = Block(negation(c.node))
    a, b = alike(it, only(it, c, node.body, env), only(it, other, node.orelse, env))
    known = c.known if c.node.is_run_time or c.node in (TRUE, FALSE) else TRUE
    result = choice(c.node, a, b, known)
    if isinstance(result, Block) and result.node.op == "where":
        d, x, y = result.node.args
        return replace(result, node=where(d, *usual(it, "?", x, y)))
    return result


def compared(it: Interpreter, node: ast.Compare, env: Env) -> Block | Opaque:
    """A comparison; of a text or a null pointer whether it is that one."""
    a, b = (it.value(e, env) for e in (node.left, node.comparators[0]))
    (op,) = node.ops
    if Constant(None) in (a, b):
        return _presence(it, node, isinstance(op, ast.NotEq), a, b)
    if isinstance(a, Constant) and isinstance(b, Constant) and isinstance(op, (ast.Eq, ast.NotEq)):
        return Block(TRUE if (a == b) == isinstance(op, ast.Eq) else FALSE, known=TRUE)
    if any(isinstance(v, Constant) and isinstance(v.value, str) for v in (a, b)):
        word = "".join(c if c.isalnum() else "_" for c in ast.unparse(node))[:60]
        return Block(
            it.flag(f"is_{word}", f"line {node.lineno}: a choice by a text", True), known=TRUE
        )
    if isinstance(a, Opaque) or isinstance(b, Opaque):
        return opaque((a, b), f"line {node.lineno}: {spoken(node)}")
    x, y = block(it, a, node.lineno), block(it, b, node.lineno)
    for one, other in ((x.node, y.node), (y.node, x.node)):
        if other.value is not None and other.value <= 0:
            ask(it, one)
    node_of = comparison(it, COMPARED[type(op)], number_of(x.node), number_of(y.node))
    return Block(node_of, known=both(known_where(x), known_where(y)))


def _presence(
    it: Interpreter, node: ast.Compare, is_not: bool, a: Value, b: Value
) -> Block | Opaque:
    """Whether a pointer is given: `x != nullptr`."""
    other = a if b == Constant(None) else b
    if other == Constant(None):
        return Block(FALSE if is_not else TRUE, known=TRUE)
    if isinstance(other, Block) and other.node.op == "name":
        word = other.node.word
        if word in it.kernel.parameters and word not in it.contract.arrays:
            flag = it.flag(f"{word}_given", f"line {node.lineno}: whether {word} is given")
            return Block(flag if is_not else negation(flag), known=TRUE)
    if isinstance(other, Block):
        return Block(TRUE if is_not else FALSE, known=TRUE)
    return opaque((a, b), f"line {node.lineno}: {spoken(node)}")


def _is_plain(node: ast.AST) -> bool:
    """Whether it does nothing and always has a value: arithmetic and casts."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "@as"
    return isinstance(node, PLAIN)
