"""Values as blocks of integers or conditions, and the shapes that they have together."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from symlayout.expr.term import Term
from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import FALSE, TRUE, compare, num, number_of, truth, where
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.triton.interpreter.notes import hint
from symlayout.programs.kernels.values import (
    NUMBER,
    Block,
    Constant,
    Dtype,
    NotUnderstood,
    Opaque,
    Several,
    Value,
    common_shape,
    known_where,
    named,
    permutation,
    run_time,
    with_rank,
)


def block(it: Interpreter, value: Value, line: int) -> Block:
    """The value as integers; what is not followed is an unknown."""
    if isinstance(value, Block):
        return value
    if isinstance(value, Opaque):
        number = it.unknown(value.shape, value.why, not value.data)
        it.addresses.unknowns |= {number.node.word} if it.addresses.reached(value) else set()
        return number
    if isinstance(value, Constant) and isinstance(value.value, bool):
        return Block(num(int(value.value)))
    return it.unknown((), f"line {line}: a value that is no integer", True)


def condition(it: Interpreter, value: Value, line: int) -> Block:
    """The value as a condition."""
    if isinstance(value, Opaque):
        number = it.unknown(value.shape, value.why, not value.data, num(0), num(2))
    elif isinstance(value, Constant):
        return Block(TRUE if value.value else FALSE, known=TRUE)
    else:
        number = block(it, value, line)
    ask(it, number.node)
    return Block(truth(number.node), number.shape, known_where(number))


def ask(it: Interpreter, node: Term) -> None:
    """Notes that it matters whether a parameter is 0."""
    if node.op == "name" and node.word in it.kernel.parameters:
        it.kernel.flags.add(node.word)


def common(it: Interpreter, *shapes: tuple[Term, ...]) -> tuple[Term, ...]:
    """The shape that blocks are broadcast to; that sizes written otherwise are equal is noted.

    Were one of them 1, the block would be repeated along that axis.
    """
    shape = common_shape(*shapes)
    for s in shapes:
        for d, size in zip(reversed(s), reversed(shape)):
            if d != size and d.value != 1:
                hint(it, "equal", compare("==", d, size), it.line)
    return shape


def together(it: Interpreter, a: Block, b: Block) -> tuple[Block, Block, tuple[Term, ...]]:
    """Two blocks of one rank, and the shape they are broadcast to."""
    shape = common(it, a.shape, b.shape)
    return with_rank(a, len(shape)), with_rank(b, len(shape)), shape


def lanewise(it: Interpreter, join: Callable[[Term, Term], Term], a: Block, b: Block) -> Block:
    """Two conditions as one, lane by lane."""
    a, b, shape = together(it, a, b)
    return Block(join(a.node, b.node), shape)


def transposed(it: Interpreter, value: Value, order: tuple[int, ...] | None = None) -> Value:
    """The block with its axes in another order, reversed by default."""
    if isinstance(value, Block):
        order = order or tuple(reversed(range(len(value.shape))))
        if sorted(order) != list(range(len(value.shape))):
            raise NotUnderstood("a permutation that is none")
        return permutation(value, order)
    if isinstance(value, Opaque) and order is None:
        sizes = tuple(reversed(value.shape))
        return replace(value, shape=sizes, ways=None, address=it.addresses.level(value))
    return value


def opaque(it: Interpreter, values: tuple[Value, ...], why: str) -> Opaque:
    """What is computed of values of which one is not followed."""
    shapes = [v.shape for v in values if isinstance(v, (Block, Opaque))]
    try:
        shape = common_shape(*shapes) if shapes else ()
    except NotUnderstood:
        shape = ()
    opaques = [v for v in values if isinstance(v, Opaque)]
    data = bool(opaques) and all(v.data for v in opaques)
    address = max(map(it.addresses.level, values), default=NUMBER)
    return Opaque(opaques[0].why if opaques else why, shape, data, address=address)


def selection(it: Interpreter, c: Block, a: Value, b: Value, line: int) -> Value:
    """`a` in the lanes where the condition is true, else `b`."""
    for v in (a, b):
        if isinstance(v, (Opaque, Constant, Dtype)):
            return opaque(it, (c, a, b), f"line {line}: a choice of data")
    x, y = block(it, a, line), block(it, b, line)
    shape = common(it, c.shape, x.shape, y.shape)
    c, x, y = (with_rank(v, len(shape)) for v in (c, x, y))
    nodes = [x.node, y.node]
    if not (x.node.is_condition and y.node.is_condition):
        nodes = [number_of(n) for n in nodes]
    return Block(where(c.node, *run_time(c.node, *nodes)), shape)


def number(it: Interpreter, node: ast.expr, env: Env) -> int | None:
    """The number that an expression is."""
    value = it.value(node, env)
    return value.node.value if isinstance(value, Block) else None


def nodes(value: Value) -> tuple[Term, ...]:
    """The scalars of a tuple.

    Raises `NotUnderstood` for what is none.
    """
    parts = value.parts if isinstance(value, Several) else (value,)
    scalars = []
    for p in parts:
        if not isinstance(p, Block) or p.shape:
            raise NotUnderstood("sizes that are no scalars")
        scalars.append(p.node)
    return tuple(scalars)


def arguments(node: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
    """The arguments by name."""
    args = dict(zip(names, node.args))
    if any(k.arg is None for k in node.keywords):
        raise NotUnderstood("arguments by `**`")
    return args | {k.arg: k.value for k in node.keywords if k.arg is not None}


def handed_back(it: Interpreter, value: Value, line: int) -> Value:
    """What a function returns: a number of run time, or of some versions' compilers."""
    result = named(value)
    if isinstance(value, Several) and isinstance(result, Several):
        return Several(tuple(handed_back(it, v, line) for v in value.parts))
    if isinstance(value, Block) and isinstance(result, Block) and not value.shape:
        reason = f"line {line}: whether what a function returns is a constant"
        return replace(result, known=it.perhaps(known_where(value), reason))
    return result


def scalars(it: Interpreter, value: Value, count: int, line: int) -> tuple[Block, ...]:
    """So many numbers; raises `NotUnderstood` for another number of them."""
    parts = value.parts if isinstance(value, Several) else (value,)
    if len(parts) != count:
        raise NotUnderstood(f"{len(parts)} numbers for {count} axes")
    return tuple(block(it, p, line) for p in parts)
