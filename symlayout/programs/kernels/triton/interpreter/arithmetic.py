"""Arithmetic: Python's where the compiler knows both numbers, else a machine's."""

from __future__ import annotations

from dataclasses import replace

from symlayout.expr.machine import INT
from symlayout.expr.term import DIVISIONS, Term
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    WORDS,
    TooLarge,
    binary,
    both,
    cast,
    conjuncts,
    either,
    negation,
    num,
    number_of,
    put,
    where,
)
from symlayout.programs.kernels.pointers import pointer_of
from symlayout.programs.kernels.triton.interpreter.blocks import together
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.triton.interpreter.notes import (
    note_divisor,
    note_positive_divisor,
    note_shift,
)
from symlayout.programs.kernels.values import (
    NUMBER,
    Block,
    NotUnderstood,
    Opaque,
    Value,
    common_shape,
    known_where,
)

ONE_BIT = {"+": "^", "-": "^", "*": "&", "min": "&", "max": "|"}  # modulo 2


def arithmetic(it: Interpreter, op: str, a: Block, b: Block) -> Value:
    """The operation on two blocks: Python's where the compiler knows both, else a machine's."""
    result = _arithmetic(it, op, a, b)
    if not isinstance(result, Opaque):
        return result
    return replace(result, address=it.addresses.computed(op, a, b))


def _arithmetic(it: Interpreter, op: str, a: Block, b: Block) -> Value:
    where_known = both(known_where(a), known_where(b))
    if where_known in (TRUE, FALSE):
        result = _computed(it, op, a, b, where_known == TRUE)
        return replace(result, known=where_known) if isinstance(result, Block) else result
    if a.node.is_condition and b.node.is_condition and op not in ("&", "|", "^"):
        return Opaque("arithmetic of conditions that the compiler may know")
    result = _computed(it, op, a, b, False)
    a, b = _under_ones(a, where_known), _under_ones(b, where_known)
    plain = _computed(it, op, a, b, True)
    if not (isinstance(result, Block) and isinstance(plain, Block)):
        return result
    node = result.node
    rounds = op in ("//", "%", "cdiv") and not (it.above(a.node) and it.above(b.node))
    if _leaves_32(plain.node) or (rounds and _differs(_under_ones(result, where_known), plain)):
        it.note_doubts(where_known)
        node = where(where_known, plain.node, node)
    return Block(node, result.shape, where_known)


def _computed(it: Interpreter, op: str, a: Block, b: Block, known: bool) -> Value:
    """The operation on two blocks; `//` and `%` of run-time values round towards 0.

    Where the dividend is not below 0 that is floor division, unless the divisor is: what may be
    is noted, as it has to be shown.
    """
    try:
        a, b, shape = together(it, a, b)
        if a.node.is_condition and b.node.is_condition:
            if op in ("&", "|", "^"):
                return Block(_logical(op, a.node, b.node), shape)
            return _of_one_bit(op, a.node, b.node, shape, known)
        x, y = number_of(a.node), number_of(b.node)
        if (
            op == "+"
            and pointer_of(y, it.addresses.pointers)
            and not pointer_of(x, it.addresses.pointers)
        ):
            x, y = y, x  # an address begins with what it is one of
        if op == "-" and b.node.is_condition and pointer_of(x, it.addresses.pointers):
            op = "+"  # of one bit the negative is the number itself
        if op in ("//", "%") and not known:
            if not it.nonnegative(x):
                op = {"//": "/", "%": "rem"}[op]
            elif not it.nonnegative(y):
                if any(n.op in ("lane", "unknown") for n in y.leaves):
                    op = {"//": "/", "%": "rem"}[op]
                else:
                    note_positive_divisor(it, y)
        if op in DIVISIONS:
            note_divisor(it, y, shape)
        if op == "cdiv" and not (it.nonnegative(y) and (known or it.nonnegative(x))):
            # Triton's own definition, which rounds towards 0 where it runs
            whole = binary("+", x, binary("-", y, num(1)))
            return Block(binary("//" if known else "/", whole, y), shape)
        if op in ("<<", ">>"):
            if y.value is None:
                return _shift(it, op, x, y, shape)
            if not 0 <= y.value < WORDS:
                return Opaque("a shift by what is no number", shape)
            op = "*" if op == "<<" else "//"
            return Block(binary(op, x, num(1 << y.value)), shape)
        return Block(binary(op, x, y), shape)
    except (NotUnderstood, TooLarge) as error:
        return Opaque(str(error))
    except ZeroDivisionError:
        return Opaque("a division by 0")


def _shift(it: Interpreter, op: str, x: Term, y: Term, shape: tuple[Term, ...]) -> Value:
    """A shift by a parameter, which has to be shown to be less than the bits of what is shifted.

    What 64 bits lose at their upper end is not followed.
    """
    kernel, why = it.kernel, Opaque("a shift by what is no number", shape)
    plain = y.op == "name" and y.word in kernel.parameters and y.bits <= 32
    if not plain or y.word in {*kernel.wide, *it.addresses.pointers}:
        return why
    if x.type is None and y.type:
        if x.op == "num" and not 0 <= x.number < 1 << WORDS:
            return why
        x = num(x.number, INT) if x.op == "num" else cast(INT, x)
    if op == "<<" and x.bits > 32:
        return why
    note_shift(it, y, x.bits)
    return Block(binary(op, x, y), shape)


def power(it: Interpreter, a: Block, b: Block, line: int) -> Value:
    """`a ** b` of numbers that the compiler knows; of 2 it is a shift."""
    if a.node.op == b.node.op == "num" and 0 <= b.node.number < 64 and a.node.type is None:
        return Block(num(a.node.number**b.node.number))
    if a.node == num(2) and b.node.op == "name" and b.node.type is None:
        return _shift(it, "<<", num(1), b.node, ())
    return Opaque(f"line {line}: a power", common_shape(a.shape, b.shape), address=NUMBER)


def _of_one_bit(op: str, a: Term, b: Term, shape: tuple[Term, ...], known: bool) -> Value:
    """Arithmetic of two conditions, which Triton does in one bit, without a sign.

    Conditions of the compiler's are Python's numbers, unless a name has made them one bit.
    """
    if known or not (a.is_run_time or b.is_run_time):
        return Opaque("arithmetic of conditions that the compiler knows", shape)
    if op not in ONE_BIT:
        return Opaque(f"{op} of conditions", shape)
    return Block(_logical(ONE_BIT[op], a, b), shape)


def _logical(op: str, a: Term, b: Term) -> Term:
    if op == "&":
        return both(a, b)
    if op == "|":
        return either(a, b)
    return either(both(a, negation(b)), both(negation(a), b))


def _under_ones(b: Block, c: Term) -> Block:
    """The block where arguments are 1 of which the condition says so, as Python's numbers."""
    ones = {x.args[0] for x in conjuncts(c) if x.op == "==" and x.args[1].value == 1}
    return replace(b, node=put(b.node, lambda x: num(1) if x in ones else None))


def _differs(a: Block, b: Block) -> bool:
    """Whether they may be different numbers, of which types do not matter."""
    return a.node != b.node and (a.node.value is None or a.node.value != b.node.value)


def _leaves_32(node: Term) -> bool:
    """Whether it is a number that 32 bits do not hold."""
    return node.op == "num" and not -(1 << WORDS) <= node.number < 1 << WORDS
