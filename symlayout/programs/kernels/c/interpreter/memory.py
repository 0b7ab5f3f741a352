"""Addresses by elements, and what is loaded and stored there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from symlayout.expr.machine import INT, INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Span
from symlayout.programs.kernels.c.interpreter.arithmetic import arithmetic
from symlayout.programs.kernels.c.interpreter.barriers import is_uniform
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import REGISTERS, actual_type, block
from symlayout.programs.kernels.c.interpreter.notes import note_demand, record
from symlayout.programs.kernels.c.types import UNDEDUCED, CType
from symlayout.programs.kernels.nodes import (
    TRUE,
    WORDS,
    binary,
    both,
    cast,
    lane,
    name,
    negation,
    num,
    number_of,
    put,
    rebuilt,
)
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value

SMALLEST = 8
LARGE = 64  # bits of a vector that is no smaller than a number of a template's type
WAYS = 4  # pointers that one may be
Reaching = code.Load | code.Store | code.Atomic


class Smaller(Exception):
    """An array is also taken as elements that are smaller than its own."""

    def __init__(self, array: str, element: CType) -> None:
        super().__init__(array)
        self.array, self.element = array, element


def base(it: Interpreter, address: Value, line: int) -> tuple[Block, str]:
    """The address, and the array that it begins at."""
    if not isinstance(address, Block):
        raise NotUnderstood(
            address.why if isinstance(address, Opaque) else "a place that is no address"
        )
    start = address.node
    while start.op in ("+", "-", "where", "cast"):
        start = start.args[1 if start.op == "where" else 0]
    known = it.unknowns.marked.get(start.word) if start.op == "unknown" else None
    if known is not None:  # what a loop changes: a pointer to the same array
        return address, base(it, known, line)[1]
    if start.op != "name" or start.word not in it.arrays:
        raise NotUnderstood(f"line {line}: an address that begins at no parameter")
    return address, start.word


def factor(it: Interpreter, array: str, element: object) -> Term:
    """How many of the array's elements one of this type is; of a template's type a constant."""
    assert isinstance(element, CType)
    own, element = it.elements[array], actual_type(it, element).packed(it.module.dialect.padded)
    if element.word == UNDEDUCED.word:
        raise NotUnderstood(f"elements of {array} taken as a type that is not known")
    if own.word == "void" and own.depth == 0:
        it.elements[array] = own = element
    if (own.word, own.depth) == (element.word, element.depth):
        return num(1)
    if own.bits and element.bits and element.bits % own.bits == 0:
        return num(element.bits // own.bits)
    few = element.bits and own.bits and own.bits % element.bits == 0
    few = few or (element.bits == SMALLEST and not own.bits)
    if few and not it.contract.is_strict and not own.depth and array in it.kernel.parameters:
        raise Smaller(array, element)
    word = ""
    if own.bits == 8 and not element.bits:
        word = f"sizeof_{element.word}"
    elif not own.bits and element.bits >= LARGE:  # no smaller than what numbers are
        word = f"{element.word}_of_{own.word}"
    if word:
        symbol = it.symbol(word, None, True)
        assert isinstance(symbol, Block)
        return symbol.node
    raise NotUnderstood(f"elements of {array} taken as {element.word}, of another size")


def place(it: Interpreter, node: code.Element, env: Env) -> Value:
    where_, by, *sizes = (it.value(e, env) for e in (node.base, node.index, *node.sizes))
    if where_ == REGISTERS:
        return REGISTERS
    address, array = base(it, where_, node.line)
    if isinstance(by, Constant) and not isinstance(by.value, bool):
        by = Opaque(f"line {node.line}: a place that is no integer")
    moved = block(it, by, node.line)
    element = node.type
    step: Value = Block(num(1))
    if isinstance(element, CType) and not element.array:
        step = Block(factor(it, array, element))
    for s in sizes:
        step = arithmetic(it, "*", block(it, step, node.line), block(it, s, node.line))
    index = block(it, moved, node.line)
    if step != Block(num(1)):
        wide = replace(index, node=cast(INT64, number_of(index.node)))
        many = block(it, step, node.line)
        index = block(it, arithmetic(it, "*", wide, many), node.line)
    return Block(binary("+", address.node, number_of(index.node)), address.shape)


def _through_pointer(it: Interpreter, node: Reaching, env: Env, kind: str) -> tuple[Value, str]:
    """An access to what lies there; of a vector to all of its lanes."""
    element, value = node.type, it.value(node.address, env)
    if value == REGISTERS:
        return Opaque(f"line {node.line}: a variable of the thread", data=True), ""
    array, alike = "", True
    try:
        for c, one in choices(value):
            address, array = base(it, one, node.line)
            alike = alike and all(map(partial(is_uniform, it), (address.node, c)))
            k = factor(it, array, element)
            shape: tuple[Term, ...] = () if k.value == 1 else (k,)
            if shape:
                address = Block(binary("+", address.node, lane(0)), shape)
            with it.path.only_where(c):
                record(it, kind, it.place_of(node), address)
    except NotUnderstood as error:
        it.skip(node.line, str(error))
        return Opaque(str(error), data=True), ""
    it.at_one_place = alike and array not in it.kernel.shared
    return Block(num(0)), array


def load(it: Interpreter, node: code.Load, env: Env) -> Value:
    pointer, array = _through_pointer(it, node, env, "load")
    element = node.type
    assert isinstance(element, CType)
    element = actual_type(it, element)
    reason = f"loaded from {array or 'memory'} in line {node.line}"
    if isinstance(pointer, Opaque) or element.is_address:
        return Opaque(reason, data=True)
    if array in it.contract.below:
        kind = element.computed or INT
        end = _within(it, it.contract.below[array], element)
        number = it.unknown(reason, False, num(0), end, type=kind)
    elif element.computed is None:
        return Opaque(reason, data=True)
    elif (numbers := element.small) is not None:
        first, end = num(numbers.start), num(numbers.stop)
        number = it.unknown(reason, False, first, end, type=element.computed)
    else:
        low = None if element.computed.signed else num(0)
        number = it.unknown(reason, False, low, type=element.computed)
    if it.at_one_place:  # what lies at one place of global memory is one number
        it.unknowns.uniform_in_block.add(number.node.word)
    return number


def _within(it: Interpreter, end: Term, element: CType) -> Term:
    """What numbers of an array are below: what the contract says, and no more than its type has."""
    kind = element.machine
    if kind is None:
        return end
    most = num((element.small or range(kind.high + 1)).stop)
    small = end.op == "name" and end.word in {*it.kernel.parameters} - {*it.kernel.wide}
    return end if small and kind.bits >= WORDS else binary("min", end, most)


def store(it: Interpreter, node: code.Store, env: Env) -> Value:
    for e in node.values:
        it.value(e, env)
    _through_pointer(it, node, env, "store")
    return Constant(None)


def atomic(it: Interpreter, node: code.Atomic, env: Env) -> Value:
    for e in node.values:
        it.value(e, env)
    pointer, array = _through_pointer(it, node, env, "atomic")
    element = node.type
    kind = actual_type(it, element).computed if isinstance(element, CType) else None
    reason = f"loaded from {array or 'memory'} in line {node.line}"
    if isinstance(pointer, Opaque) or kind is None:
        return Opaque(reason, data=True)
    return it.unknown(reason, False, type=kind)


def choices(value: Value) -> list[tuple[Term, Value]]:
    """The addresses that one may be, each with its condition: `c ? p : q`."""
    if not isinstance(value, Block) or value.shape:
        return [(TRUE, value)]
    ways = _choices(value.node)
    return [(c, Block(n)) for c, n in ways] if 1 < len(ways) <= WAYS else [(TRUE, value)]


def _choices(node: Term) -> list[tuple[Term, Term]]:
    if node.op == "where" and node.type == INT64:
        c, a, b = node.args
        sides = ((c, a), (negation(c), b))
        return [(both(way, x), n) for way, side in sides for x, n in _choices(side)]
    if node.op in ("+", "-", "cast") and node.type == INT64:
        first, *rest = node.args
        ways = _choices(first)
        return (
            [(c, rebuilt(node, (n, *rest))) for c, n in ways] if len(ways) > 1 else [(TRUE, node)]
        )
    return [(TRUE, node)]


def copy(it: Interpreter, node: code.Copy, env: Env) -> Value:
    """So many elements, from a place on."""
    element = node.type
    address, count = (it.value(e, env) for e in (node.address, node.count))
    try:
        start, array = base(it, address, node.line)
        if factor(it, array, element).value != 1:
            raise NotUnderstood(f"elements of {array} taken as others")
        if not isinstance(count, Block) or count.shape:
            raise NotUnderstood(f"line {node.line}: a count that is not known")
        blocks = it.value(node.blocks, env)
        if not isinstance(blocks, Block) or blocks.node.value != 1:
            raise NotUnderstood(f"line {node.line}: a DataCopyPad of several blocks")
    except NotUnderstood as error:
        it.skip(node.line, str(error))
        return Constant(None)
    number, parts = number_of(count.node), list[tuple[str, Term]]()
    if node.unit == "bytes":
        number = binary("cdiv", number, num(max(1, it.elements[array].bits // 8)))
    else:
        parts = [("address", _offset_in(array, start.node)), ("length", number)]
    block = Block(binary("+", start.node, lane(0)), (number,))
    record(it, node.kind, it.place_of(node), block)
    local = it.value(node.local, env) if node.local is not None else None
    if isinstance(local, Block):
        parts.append(("local address", number_of(local.node)))
    _note_blocks(it, it.place_of(node), array, parts)
    return Constant(None)


def _offset_in(array: str, start: Term) -> Term:
    """How many elements of an array are before an address."""
    return put(start, lambda x: num(0, INT64) if x.op == "name" and x.word == array else None)


def _note_blocks(
    it: Interpreter, at: code.Place, array: str, parts: list[tuple[str, Term]]
) -> None:
    """Notes that a copy is of whole blocks, between addresses that are multiples of one.

    A tensor of a core's memory begins at such an address itself.  `DataCopyPad` copies any number
    of bytes, from any address in global memory.
    """
    size = num(it.elements[array].bits // 8, INT64)
    span = Span(at.line, at.column, at.end_column if at.end_line == at.line else 0)
    for kind, elements in parts:
        if size.value:
            note_demand(it, kind, binary("*", cast(INT64, elements), size), span=span)


def registers(it: Interpreter, node: code.Registers, env: Env) -> Value:
    return REGISTERS


def shared(it: Interpreter, node: code.Shared, env: Env) -> Value:
    word, element = node.word, node.type
    sizes = [it.value(e, env) for e in node.sizes]
    assert isinstance(element, CType)
    element = actual_type(it, element)
    known = [s.node for s in sizes if isinstance(s, Block) and not s.shape]
    whole = len(known) == len(sizes)
    if word not in it.kernel.shared:
        it.kernel.shared[word] = tuple(known) if whole else ()
        it.unknowns.used.add(word)
    it.elements[word] = element.packed(it.module.dialect.padded)
    return Block(name(word, INT64))
