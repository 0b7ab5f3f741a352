"""Values in C's types: casts, the type that two operands are converted to, comparisons of both."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symlayout.expr.machine import INT, INT64, UINT32, UINT64, Machine, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.c.interpreter.context import Interpreter
from symlayout.programs.kernels.c.interpreter.integers import BELOW, is_small, may_be_below, wrap
from symlayout.programs.kernels.c.types import NUMBER, PROMOTED, UNDEDUCED, CType
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    WRAP,
    binary,
    both,
    cast,
    compare,
    either,
    name,
    negation,
    num,
    number_of,
    truth,
    where,
)
from symlayout.programs.kernels.pointers import pointer_of
from symlayout.programs.kernels.values import (
    Block,
    Constant,
    NotUnderstood,
    Opaque,
    Value,
    known_where,
)

NEVER = Opaque("it is never evaluated")


@dataclass(frozen=True)
class Struct:
    """A parameter with fields."""

    word: str


@dataclass(frozen=True)
class Registers:
    """Where a variable of the thread's own lies: no place in memory."""


@dataclass(frozen=True)
class Axes:
    """A number for each axis."""

    parts: tuple[Value, ...]


REGISTERS = Constant(Registers())


def actual_type(it: Interpreter, type: CType) -> CType:
    """The type, of a template's the one that is given to the function that is followed."""
    if type.word not in it.frame.bound:
        return type
    argument = it.frame.bound[type.word]
    if argument is None or argument == UNDEDUCED:
        return UNDEDUCED if not type.is_address else replace(type, word=UNDEDUCED.word)
    return replace(
        argument,
        depth=argument.depth + type.depth,
        array=argument.array + type.array,
        reference=type.reference,
    )


def cast_to(it: Interpreter, value: Value, type: CType, line: int) -> Value:
    """The value in an integer type; what is none stays what it is."""
    type = actual_type(it, type)
    kind = type.computed
    if type == UNDEDUCED:
        return Opaque(f"line {line}: a number of a type that is not known")
    whole = isinstance(value, Constant) and isinstance(value.value, (Struct, Registers, Axes))
    if type.is_address or type.word in ("auto", PROMOTED.word, NUMBER) or whole:
        return value
    if kind is None:
        data = type.is_plain or (isinstance(value, Opaque) and value.data)
        why = ", which is not known here" if type.is_unknown else ""
        return Opaque(f"line {line}: a value of type {type.spelling}{why}", data=data)
    if isinstance(value, Opaque):
        # a number that was computed from data is any number of its type
        return it.unknown(value.why, not value.data, type=kind) if value.data else value
    if not isinstance(value, Block):
        flag = isinstance(value, Constant) and isinstance(value.value, bool)
        return block(it, value, line) if flag else Opaque(f"line {line}: a cast", data=True)
    node = value.node
    if type.word == "bool":
        return condition(it, value, line)
    if any(x.op == "name" and x.word in it.elements for x in node.leaves):
        return it.unknown(f"line {line}: an address as a number", False, type=kind)
    node = number_of(node)
    if type.word == "char" and not is_small(node):
        why = f"line {line}: whether a char has a sign"
        return it.unknown(why, True, num(-128), num(256))
    if type.narrow is not None:
        return replace(value, node=wrap(node, type.narrow))
    if not (kind.signed or node.unsigned or it.nonnegative(node)):
        return replace(value, node=to_unsigned(it, node, kind))
    coordinates = {*it.kernel.programs.values(), *it.kernel.grids.values()}
    if node.op == "name" and node.word in coordinates and kind.bits < 64:
        return replace(value, node=name(node.word, kind))  # a coordinate fits in each of them
    if node.op == "num":
        if kind.signed and not kind.holds(node.number):
            return Opaque(f"line {line}: a number of more than {kind.bits} bits")
        own = kind if kind != INT or node.type else None
        return replace(value, node=num(kind.wrapped(node.number), own))
    return replace(value, node=cast(kind, node))


def to_unsigned(it: Interpreter, node: Term, kind: Machine) -> Term:
    """The value in a type without a sign: of what is below 0 the number modulo its size."""
    if it.nonnegative(node):
        return cast(kind, node)
    if kind == UINT64:
        return Term("cast", (node,), number=BELOW, type=kind)
    if node.op == "num":
        return num(kind.wrapped(node.number), kind)
    more = cast(kind, binary("+", cast(INT64, node), WRAP))
    return where(compare(">=", node, num(0)), cast(kind, node), more)


def alike(it: Interpreter, a: Value, b: Value) -> tuple[Value, Value]:
    """Two values of which one is chosen, in the type that both are converted to."""
    if NEVER in (a, b):
        (value,) = [v for v in (a, b) if v is not NEVER]
        if isinstance(value, Block) and _takes_another_type(it, value.node):
            raise NotUnderstood("the type of a choice whose other side is never evaluated")
        return a, b
    numbers = [v for v in (a, b) if isinstance(v, Block) and not v.node.is_condition]
    if len(numbers) < 2:
        return a, b
    x, y = usual(it, "?", *[v.node for v in numbers])
    return replace(numbers[0], node=x), replace(numbers[1], node=y)


def _takes_another_type(it: Interpreter, node: Term) -> bool:
    """Whether it is a number that another number may turn into one without a sign."""
    plain = node.is_condition or node.type == UINT64
    return not (plain or pointer_of(node, it.arrays) is not None)


def usual(it: Interpreter, op: str, x: Term, y: Term) -> tuple[Term, Term]:
    """Both in the type that C converts them to, where one has no sign and one may be below 0.

    Of 64 bits sums and products are what they are in mathematics where that is not below 0, which
    has to be shown; other operations are not followed.
    """
    kind = common([x.type, y.type])
    if kind is None or kind.signed or any(pointer_of(n, it.arrays) is not None for n in (x, y)):
        return x, y
    if kind == UINT32 and op in ("+", "-", "*"):
        return x, y  # one that is below 0 is told of where it is used
    pair = [n if n.unsigned or it.nonnegative(n) else to_unsigned(it, n, kind) for n in (x, y)]
    if op not in ("+", "-", "*") and any(map(may_be_below, pair)):
        raise NotUnderstood("a number below 0 in a type without a sign")
    return pair[0], pair[1]


def comparison(it: Interpreter, op: str, x: Term, y: Term) -> Term:
    """The comparison; a number below 0 is larger than all others in a type without a sign."""
    low = [n.args[0] for n in (x, y) if n.op == "cast" and n.number == BELOW]
    wide = common([x.type, y.type]) == UINT64
    low += [n for n in (x, y) if wide and not (n.unsigned or it.nonnegative(n))]
    inner = [n.args[0] if n.op == "cast" and n.number == BELOW else n for n in (x, y)]
    if not low or any(map(may_be_below, inner)):
        return compare(op, *usual(it, op, x, y))
    if len(low) > 1:
        raise NotUnderstood("numbers below 0 in types without a sign")
    plain, above = compare(op, *inner), compare(">=", low[0], num(0))
    larger = op == "!=" or (op in (">", ">=")) == (low[0] == inner[0])
    if op != "==" and larger:
        return either(negation(above), plain)
    return both(above, plain)


def condition(it: Interpreter, value: Value, line: int) -> Block:
    """The value as a condition; a pointer is one where it is given."""
    if isinstance(value, Block) and not value.shape and value.node.op == "name":
        word = value.node.word
        if word in it.elements and word not in it.kernel.shared:
            if word in it.contract.arrays:
                return Block(TRUE)
            return Block(it.flag(f"{word}_given", f"line {line}: whether {word} is given"))
    if isinstance(value, Opaque):
        number = it.unknown(value.why, not value.data, num(0), num(2))
    elif isinstance(value, Constant):
        return Block(TRUE if value.value else FALSE, known=TRUE)
    else:
        number = block(it, value, line)
    ask(it, number.node)
    return Block(truth(number.node), number.shape, known_where(number))


def block(it: Interpreter, value: Value, line: int) -> Block:
    """The value as an integer; what is not followed is an unknown."""
    if isinstance(value, Block):
        return value
    if isinstance(value, Opaque):
        return it.unknown(value.why, not value.data)
    if isinstance(value, Constant) and isinstance(value.value, bool):
        return Block(num(int(value.value)))
    return it.unknown(f"line {line}: a value that is no integer", True)


def ask(it: Interpreter, node: Term) -> None:
    """Notes that it matters whether a parameter is 0."""
    if node.op == "name" and node.word in it.kernel.parameters:
        it.kernel.flags.add(node.word)
