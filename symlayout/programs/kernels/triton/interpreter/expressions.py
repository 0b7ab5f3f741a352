"""Expressions: names, operators, comparisons, conditionals, broadcasting by `[:, None]`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from symlayout.expr.term import DIVISIONS
from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    TooLarge,
    both,
    compare,
    either,
    negation,
    num,
    number_of,
    truth,
    typed,
    where,
)
from symlayout.programs.kernels.syntax import COMPARED, OPERATORS, dotted_name, every_node, spoken
from symlayout.programs.kernels.triton.imports import Builtin, language_path, meaning
from symlayout.programs.kernels.triton.interpreter.accesses import note_written
from symlayout.programs.kernels.triton.interpreter.arithmetic import arithmetic, power
from symlayout.programs.kernels.triton.interpreter.blocks import (
    ask,
    block,
    condition,
    lanewise,
    number,
    opaque,
    selection,
    together,
    transposed,
)
from symlayout.programs.kernels.triton.interpreter.context import Interpreter, flag_of
from symlayout.programs.kernels.triton.interpreter.notes import note_divisor
from symlayout.programs.kernels.triton.language import CORE
from symlayout.programs.kernels.triton.module import Module
from symlayout.programs.kernels.values import (
    ADDRESS,
    ANY,
    NUMBER,
    Block,
    BlockPointer,
    Constant,
    Dtype,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    choice,
    known_of_choice,
    known_where,
    named,
    with_new_axis,
)

MIXED = "a condition of which the compiler knows a part"
DTYPES = frozenset(
    [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    + [f"float{kind}" for kind in ("8e4nv", "8e5", "16", "32", "64")]
    + ["int1", "bfloat16", "tf32"]
)
NUMBERS = frozenset(["element_ty", "numel", "shape"])  # of an address, with none in them
TYPES = frozenset(["dtype", "type"])
CASTING = TYPES | {"pointer_type"}
NOT_KNOWN = flag_of("not_known")  # of a condition that is left out
AnyValue = TypeVar("AnyValue", bound=Value)


def value(it: Interpreter, node: ast.expr, env: Env) -> Value:
    """The value of an expression; what is not understood is opaque."""
    try:
        value = _value(it, node, env)
        note_written(it, node, value)
        return value
    except (NotUnderstood, TooLarge) as error:
        why = str(error)
    except RecursionError:
        why = "an expression that is nested too deeply"
    except ZeroDivisionError:
        why = "a division by 0"
    except (KeyError, IndexError):
        why = "an argument is missing"
    if isinstance(node, ast.Call) and id(node) not in it.calls.harmless:
        it.skip(node.lineno, why)
    return Opaque(f"line {node.lineno}: {why}", address=_address_in(it, node, env))


def _address_in(it: Interpreter, node: ast.expr, env: Env) -> int:
    """Whether what a function returns that touches no memory may be an address, by its names."""
    if id(node) not in it.calls.harmless:
        return ANY
    parts = [*every_node(node)]
    casts = {x.attr for x in parts if isinstance(x, ast.Attribute)} & CASTING
    names = {x.id for x in parts if isinstance(x, ast.Name)}
    if casts or any(n not in env and not language_path(it.frame.module, n) for n in names):
        return ADDRESS
    levels = (it.addresses.level(env[n]) for n in names & {*env})
    return min(max(levels, default=NUMBER), ADDRESS)


def _value(it: Interpreter, node: ast.expr, env: Env) -> Value:
    rule = it.rules.expressions.get(type(node))
    if rule is not None:
        return rule(it, node, env)
    why = f"{spoken(node)} is not followed"
    names = {x.id for x in every_node(node) if isinstance(x, ast.Name)}
    if any(it.addresses.reached(env[n]) for n in names & {*env}):
        it.skip(node.lineno, why)  # whoever gets it has an address
    return Opaque(f"line {node.lineno}: {why}")


def constant(it: Interpreter, node: ast.Constant, env: Env) -> Value:
    """A number that is an integer, or any other constant."""
    if type(node.value) is int:
        return Block(num(node.value))
    if node.value is ...:
        return Opaque(f"line {node.lineno}: {spoken(node)} is not followed")
    return Constant(node.value)


def several(it: Interpreter, node: ast.Tuple | ast.List, env: Env) -> Value:
    """A tuple or a list."""
    return Several(tuple(it.value(e, env) for e in node.elts))


def name_value(it: Interpreter, node: ast.Name, env: Env) -> Value:
    """What a name means: a variable, a constant of the file, or something of the language."""
    if node.id in env:
        return env[node.id]
    if node.id in it.frame.own:
        return Opaque(f"line {node.lineno}: {node.id} has no value yet")
    if node.id in it.frame.module.values:
        return it.frame.module.values[node.id]
    value = _meaning(it, node.id) or _of_language(it, node.id, node.lineno)
    return value or Opaque(f"line {node.lineno}: {node.id} is not defined here")


def _of_language(it: Interpreter, word: str, line: int) -> Value | None:
    """The type that a dotted name has in Triton's language, or a value for a function of it."""
    path = language_path(it.frame.module, word)
    module, _, last = path.rpartition(".")
    if module in CORE and last in DTYPES:
        return Dtype(last)
    why = f"line {line}: {word} is not followed"
    return Opaque(why, data=True, address=NUMBER if it.is_pure(path) else ANY) if path else None


def _meaning(it: Interpreter, word: str) -> Value | None:
    """The value that a name has at the top of the file."""
    value = meaning(it.frame.module, word)
    return None if isinstance(value, (Module, Builtin)) else value


def attribute(it: Interpreter, node: ast.Attribute, env: Env) -> Value:
    """A type, a function or a constant by its path, or a part of a value."""
    word = dotted_name(node)
    own = word.split(".")[0] in {*it.frame.own, *env}
    if not own and (value := _of_language(it, word, node.lineno)):
        return value
    if node.attr == "shape":
        inner = it.value(node.value, env)
        if isinstance(inner, Block):
            return Several(tuple(Block(d) for d in inner.shape))
    if node.attr == "value":
        return it.value(node.value, env)
    if node.attr == "T":
        inner = it.value(node.value, env)
        if isinstance(inner, Block) and len(inner.shape) > 2:
            raise NotUnderstood("T of a block of more than two axes")
        return transposed(it, inner)
    why = f"line {node.lineno}: {word or 'an attribute'} is not followed"
    if not own and word:
        return _meaning(it, word) or Opaque(why, data=True)
    inner = it.value(node.value, env)
    address = it.addresses.level(inner)
    of_address = isinstance(inner, Opaque) and inner.address_type
    if node.attr in TYPES:
        return Opaque(why, data=True, address=NUMBER, address_type=address != NUMBER)
    if node.attr in NUMBERS:
        return Opaque(why, data=True, address=NUMBER)
    return Opaque(why, data=True, address=address, address_type=of_address)


def binary_operation(it: Interpreter, node: ast.BinOp, env: Env) -> Value:
    """An operation on two values."""
    a, b = it.value(node.left, env), it.value(node.right, env)
    if isinstance(node.op, ast.Pow) and isinstance(a, Block) and isinstance(b, Block):
        return power(it, a, b, node.lineno)
    op = OPERATORS.get(type(node.op))
    if op in DIVISIONS and isinstance(b, Block) and isinstance(a, Opaque):
        note_divisor(it, number_of(b.node), b.shape)
    sides = [isinstance(v, Block) and v.node.is_condition for v in (a, b)]
    if op == "&" and any(sides):  # the result is true only where this side is
        a, b = (condition(it, v, node.lineno) if isinstance(v, Opaque) else v for v in (a, b))
    if op is None or isinstance(a, Opaque) or isinstance(b, Opaque):
        result = opaque(it, (a, b), f"line {node.lineno}: {spoken(node)}")
        return replace(result, address=it.addresses.computed(op or "", a, b))
    if any(isinstance(v, Constant) and not isinstance(v.value, bool) for v in (a, b)):
        why = f"line {node.lineno}: arithmetic of numbers that are no integers"
        return opaque(it, (a, b), why)
    if one_bit := [v for v in (a, b) if isinstance(v, Constant)]:
        others = [v for v in (a, b) if isinstance(v, Block) and v.node.is_condition]
        if len(one_bit) == 2 or others:  # True is one bit beside one, and a name makes it one
            a, b = condition(it, a, node.lineno), condition(it, b, node.lineno)
    return arithmetic(it, op, block(it, a, node.lineno), block(it, b, node.lineno))


def unary_operation(it: Interpreter, node: ast.UnaryOp, env: Env) -> Value:
    """`not x`, `-x`, `~x` or `+x`."""
    if isinstance(node.op, ast.Not):
        return test(it, node, env)
    a = it.value(node.operand, env)
    if isinstance(a, Opaque):
        return a
    if isinstance(a, Constant) and isinstance(a.value, float):
        return a
    if isinstance(a, Constant) and not isinstance(node.op, ast.UAdd):
        return Opaque(f"line {node.lineno}: a truth value as a number", address=NUMBER)
    term = block(it, a, node.lineno)
    if term.node.is_condition and isinstance(node.op, (ast.USub, ast.Invert)):
        return _of_truth(term, isinstance(node.op, ast.USub), node.lineno)
    if isinstance(node.op, ast.USub):
        return arithmetic(it, "-", Block(num(0)), term)
    if isinstance(node.op, ast.Invert):
        return arithmetic(it, "-", Block(num(-1)), term)
    return term


def _of_truth(c: Block, minus: bool, line: int) -> Block | Opaque:
    """`-c` or `~c` of a condition: Python's number where the compiler knows it, else of one bit."""
    if c.known not in (TRUE, FALSE):
        return Opaque(
            f"line {line}: a number of a condition that the compiler may know", address=NUMBER
        )
    if c.known == TRUE:
        return Block(where(c.node, num(-1 if minus else -2), num(0 if minus else -1)), c.shape)
    return c if minus else Block(negation(c.node), c.shape)  # modulo 2


def boolean(it: Interpreter, node: ast.BoolOp, env: Env) -> Value:
    """`a and b` as a value: of what the compiler knows one of the two, of others a condition."""
    values = _in_order(it, node, lambda v: it.value(v, env))
    numbers = [v for v in values if isinstance(v, Block) and not v.node.is_condition]
    if any(known_where(v) != FALSE for v in numbers):
        return opaque(it, tuple(values), f"line {node.lineno}: a number that `and` or `or` chooses")
    return _all_of(it, node, values)


def _in_order(
    it: Interpreter, node: ast.BoolOp, evaluate: Callable[[ast.expr], AnyValue]
) -> list[AnyValue]:
    """What `and` or `or` joins; a quotient matters only where what stands before it lets it."""
    before, values = it.path.reached, list[AnyValue]()
    try:
        for v in node.values:
            values.append(value := evaluate(v))
            c = truth(value.node) if isinstance(value, Block) else NOT_KNOWN
            if not (isinstance(value, Block) and value.shape):
                goes_on = c if isinstance(node.op, ast.And) else negation(c)
                it.path.reached = both(it.path.reached, goes_on)
    finally:
        it.path.reached = before
    return values


def _only(it: Interpreter, c: Block, node: ast.expr, env: Env) -> Value:
    """The value of an expression that is evaluated only where the condition is true."""
    if c.node == FALSE:
        return _never(it, node)
    if c.shape:
        return it.value(node, env)
    with it.path.only_where(c.node):
        return it.value(node, env)


def _never(it: Interpreter, node: ast.expr) -> Value:
    """What is never evaluated."""
    it.calls.seen |= {id(x) for x in every_node(node) if isinstance(x, ast.Call)}
    return Opaque(f"line {node.lineno}: it is never evaluated")


def _all_of(it: Interpreter, node: ast.BoolOp, values: Sequence[Value]) -> Block:
    first, *rest = [condition(it, v, node.lineno) for v in values]
    for other in rest:
        a, b = first.known, other.known
        known = a if a == b else it.perhaps(either(a, b), f"line {node.lineno}: {MIXED}")
        first = lanewise(it, both if isinstance(node.op, ast.And) else either, first, other)
        first = replace(first, known=known)
    return first


def test(it: Interpreter, node: ast.expr, env: Env) -> Block:
    """An expression that is asked whether it is true."""
    if isinstance(node, ast.BoolOp):
        return _all_of(it, node, _in_order(it, node, lambda v: test(it, v, env)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        c = test(it, node.operand, env)
        return replace(c, node=negation(c.node))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        value = it.value(node.operand, env)
        if isinstance(value, Block) and value.node.is_condition and value.known != TRUE:
            it.note_doubts(value.known)  # of what the compiler knows it is -1 or -2: true
            return replace(value, node=either(value.known, negation(value.node)))
    return condition(it, it.value(node, env), node.lineno)


def comparisons(it: Interpreter, node: ast.Compare, env: Env) -> Value:
    """`a < b <= c`: all of the comparisons."""
    sides = [it.value(e, env) for e in (node.left, *node.comparators)]
    every: Block | None = None
    for op, a, b in zip(node.ops, sides, sides[1:]):
        one = _compare(it, node, op, a, b)
        if isinstance(one, Opaque):
            return one
        every = one if every is None else lanewise(it, both, every, one)
    assert every is not None
    return every


def _compare(
    it: Interpreter, node: ast.Compare, op: ast.cmpop, a: Value, b: Value
) -> Block | Opaque:
    if isinstance(op, (ast.Is, ast.IsNot)) or Constant(None) in (a, b):
        return _presence(it, node, isinstance(op, (ast.IsNot, ast.NotEq)), a, b)
    texts = isinstance(a, Constant) and isinstance(b, Constant)
    if texts and isinstance(op, (ast.Eq, ast.NotEq)):
        same = (a == b) == isinstance(op, ast.Eq)
        return Block(TRUE if same else FALSE, known=TRUE)
    if any(isinstance(v, Constant) and isinstance(v.value, str) for v in (a, b)):
        word = "".join(c if c.isalnum() else "_" for c in ast.unparse(node))[:60]
        reason = f"line {node.lineno}: a choice by a text"
        return Block(it.flag(f"is_{word}", reason, True), known=TRUE)
    if isinstance(a, Opaque) or isinstance(b, Opaque) or type(op) not in COMPARED:
        result = opaque(it, (a, b), f"line {node.lineno}: {spoken(node)}")
        if result.data:  # the same one wherever it is used
            return condition(it, result, node.lineno)
        return replace(result, address=NUMBER)
    left, right = block(it, a, node.lineno), block(it, b, node.lineno)
    x, y, shape = together(it, left, right)
    known = both(known_where(left), known_where(right))
    for one, other in ((x.node, y.node), (y.node, x.node)):
        if other.value is not None and other.value <= 0:
            ask(it, one)
    return Block(compare(COMPARED[type(op)], number_of(x.node), number_of(y.node)), shape, known)


def _presence(
    it: Interpreter, node: ast.Compare, is_not: bool, a: Value, b: Value
) -> Block | Opaque:
    """Whether an argument is given: `x is not None`."""
    other = a if b == Constant(None) else b
    if other == Constant(None):
        return Block(TRUE if (a == b) != is_not else FALSE, known=TRUE)
    parameters = it.kernel.parameters
    if isinstance(other, Block) and other.node.op == "name" and other.node.word in parameters:
        word = other.node.word
        if word in it.contract.arrays:
            return Block(TRUE if is_not else FALSE, known=TRUE)
        flag = it.flag(f"{word}_given", f"line {node.lineno}: whether {word} is given")
        return Block(flag if is_not else negation(flag), known=TRUE)
    if isinstance(other, (Block, Several, BlockPointer)):
        return Block(TRUE if is_not else FALSE, known=TRUE)
    return opaque(it, (a, b), f"line {node.lineno}: {spoken(node)}")


def choice_value(it: Interpreter, node: ast.IfExp, env: Env) -> Value:
    """`a if c else b`."""
    c = test(it, node.test, env)
    other = Block(negation(c.node), c.shape)
    a, b = _only(it, c, node.body, env), _only(it, other, node.orelse, env)
    if c.shape:
        return selection(it, c, a, b, node.lineno)
    known = c.known if c.node.is_run_time or c.node in (TRUE, FALSE) else TRUE
    if known == TRUE:
        return choice(c.node, a, b, known)
    if not isinstance(a, Block) or not isinstance(b, Block) or a.shape or b.shape:
        return choice(c.node, named(a), named(b))
    known = both(known, known_of_choice(c.node, a, b))
    return Block(where(c.node, typed(a.node), typed(b.node)), (), known)


def subscript(it: Interpreter, node: ast.Subscript, env: Env) -> Value:
    """`block[:, None]`, or a part of a tuple."""
    value = it.value(node.value, env)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if isinstance(value, (Block, Opaque)):
        if not all(_keeps(p) for p in parts):
            why = f"line {node.lineno}: {spoken(node)} is not followed"
            return Opaque(why, address=it.addresses.level(value))
        if isinstance(value, Opaque):
            sizes = list(value.shape)
            for axis, p in enumerate(parts):
                if isinstance(p, ast.Constant) and axis <= len(sizes):
                    sizes.insert(axis, num(1))
            return replace(value, shape=tuple(sizes), ways=None, address=it.addresses.level(value))
        for axis, p in enumerate(parts):
            if isinstance(p, ast.Constant):
                value = with_new_axis(value, axis)
        return value
    if isinstance(value, Several) and len(parts) == 1:
        at = number(it, parts[0], env)
        if at is not None and -len(value.parts) <= at < len(value.parts):
            return value.parts[at]
    return Opaque(f"line {node.lineno}: {spoken(node)} is not followed")


def _keeps(p: ast.expr) -> bool:
    """Whether it is `:` or `None`."""
    if isinstance(p, ast.Slice):
        return p.lower is None and p.upper is None and p.step is None
    return isinstance(p, ast.Constant) and p.value is None
