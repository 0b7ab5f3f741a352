"""Arithmetic and comparisons by C's rules, with what they are undefined for."""

from __future__ import annotations

from symlayout.expr.machine import INT, INT64, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import block, condition, usual
from symlayout.programs.kernels.c.interpreter.integers import unwrapped
from symlayout.programs.kernels.c.interpreter.notes import (
    DIVIDING,
    NARROWEST,
    SHIFTING,
    note_demand,
    note_divisor,
    note_operation,
)
from symlayout.programs.kernels.nodes import (
    WORDS,
    TooLarge,
    binary,
    both,
    cast,
    either,
    negation,
    num,
    number_of,
)
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.reading import spoken
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value

ROUNDED = {"//": "/", "%": "rem"}  # towards 0


def operation(it: Interpreter, node: code.Operation, a: Value, b: Value) -> Value:
    """An operation; what is not followed divides and shifts, too, unless it is a float."""
    op = node.op
    if op in DIVIDING | SHIFTING and not node.floating:
        _note_unknown(it, op, a, b)
    sides = [isinstance(v, Block) and v.node.is_condition for v in (a, b)]
    if op == "&" and any(sides):  # the result is true only where this side is
        a, b = (condition(it, v, node.line) if isinstance(v, Opaque) else v for v in (a, b))
    if isinstance(a, Opaque) or isinstance(b, Opaque):
        return opaque((a, b), f"line {node.line}: {spoken(node)}")
    if any(isinstance(v, Constant) and not isinstance(v.value, bool) for v in (a, b)):
        return opaque((a, b), f"line {node.line}: arithmetic of numbers that are no integers")
    return arithmetic(it, op, block(it, a, node.line), block(it, b, node.line))


def _note_unknown(it: Interpreter, op: str, a: Value, b: Value) -> None:
    """Notes an operation of which one side is not followed."""
    if any(isinstance(v, Constant) and not isinstance(v.value, bool) for v in (a, b)):
        return  # a number that is no integer
    if isinstance(a, Block) and isinstance(b, Opaque) and not b.data:
        note_demand(it, "division" if op in DIVIDING else "shift", block(it, b, it.line).node)
    elif isinstance(b, Block) and isinstance(a, Opaque) and not a.data:
        note_operation(it, op, b.node, NARROWEST, a.why)


def opaque(values: tuple[Value, ...], why: str) -> Opaque:
    """What is computed of values of which one is not followed."""
    opaques = [v for v in values if isinstance(v, Opaque)]
    data = bool(opaques) and all(v.data for v in opaques)
    return Opaque(opaques[0].why if opaques else why, (), data)


def arithmetic(it: Interpreter, op: str, a: Block, b: Block) -> Value:
    """The operation on two numbers; of one without a sign, low bits are those of what wraps as well."""
    kind, low = common([a.node.type, b.node.type]), b.node.value
    mask = op == "&" or (low is not None and low & low - 1 == 0)
    if kind is not None and not kind.signed:
        fits = low is not None and 0 < low <= 1 << kind.bits - (op == "&")
        if op in ("%", "&") and mask and fits and not it.nonnegative(a.node):
            node = binary(op, unwrapped(number_of(a.node)), num(low or 0, INT64))
            return Block(cast(kind, node))
    if op in DIVIDING | SHIFTING:
        note_operation(it, op, number_of(b.node), number_of(a.node).bits)
    try:
        if a.node.is_condition and b.node.is_condition and op in ("&", "|", "^"):
            return Block(_logical(op, a.node, b.node))
        return _of_numbers(it, op, number_of(a.node), number_of(b.node))
    except (NotUnderstood, TooLarge) as error:
        return Opaque(str(error))
    except ZeroDivisionError:
        return Opaque("a division by 0")


def _of_numbers(it: Interpreter, op: str, x: Term, y: Term) -> Value:
    """The operation; `//` and `%` round towards 0.

    Where the dividend is not below 0 that is floor division, unless the divisor is: what may be is
    noted, as it has to be shown.
    """
    if op in SHIFTING:
        if y.value is None:
            return _shift(it, op, x, y)
        if not 0 <= y.value < WORDS:
            return Opaque("a shift by what is no number")
        return Block(binary("*" if op == "<<" else "//", *usual(it, op, x, num(1 << y.value))))
    x, y = usual(it, op, x, y)
    if op in ROUNDED and not it.nonnegative(x):
        op = ROUNDED[op]
    elif op in ROUNDED and not it.nonnegative(y):
        if any(n.op in ("lane", "unknown") for n in y.leaves):
            op = ROUNDED[op]
        else:
            note_divisor(it, y)
    if op == "cdiv" and not (it.nonnegative(y) and it.nonnegative(x)):
        return Block(binary("/", binary("+", x, binary("-", y, num(1))), y))
    return Block(binary(op, x, y))


def _shift(it: Interpreter, op: str, x: Term, y: Term) -> Value:
    """A shift by a parameter, which has to be less than the bits of what is shifted.

    What 64 bits lose at their upper end is not followed.
    """
    kernel, why = it.kernel, Opaque("a shift by what is no number")
    plain = y.op == "name" and y.word in kernel.parameters and y.bits <= 32
    if not plain or y.word in kernel.wide:
        return why
    if x.type is None:
        if x.op == "num" and not 0 <= x.number < 1 << WORDS:
            return why
        x = num(x.number, INT) if x.op == "num" else cast(INT, x)
    if op == ">>":
        x, _ = usual(it, "//", x, num(2))
    elif x.bits > 32:
        return why
    return Block(binary(op, x, y))


def _logical(op: str, a: Term, b: Term) -> Term:
    if op == "&":
        return both(a, b)
    if op == "|":
        return either(a, b)
    return either(both(a, negation(b)), both(negation(a), b))


def fold(it: Interpreter, node: code.Fold, env: Env) -> Value:
    """`min`, `max` or a division that rounds up, of the arguments of a call."""
    result, *others = [it.value(a, env) for a in node.values]
    for v in others:
        if not (isinstance(result, Block) and isinstance(v, Block)):
            return opaque((result, v), f"line {node.line}: {node.op} of data")
        result = arithmetic(it, node.op, result, v)
    return result
