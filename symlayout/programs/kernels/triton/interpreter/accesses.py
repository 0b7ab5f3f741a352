"""The accesses of a kernel, and what is loaded by them."""

from __future__ import annotations

import ast
from dataclasses import replace

from symlayout.expr.machine import INT, INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Span
from symlayout.programs.kernels.contract import Element
from symlayout.programs.kernels.nodes import (
    TRUE,
    binary,
    both,
    cast,
    compare,
    conjuncts,
    lane,
    name,
    num,
    put,
    under,
)
from symlayout.programs.kernels.pointers import pointer_first, pointer_of, ways_of
from symlayout.programs.kernels.triton.interpreter.blocks import common, selection
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.values import NUMBER, Block, BlockPointer, Opaque, Value, with_rank

WAYS = 4  # addresses that one is chosen from


def note_written(it: Interpreter, node: ast.expr, value: Value) -> None:
    """Notes the value of an expression that the kernel's own file has in one line."""
    if it.recording and isinstance(value, Block) and it.frame.module is it.home:
        line, end = getattr(node, "lineno", 0), getattr(node, "end_col_offset", None)
        if line and end and node.end_lineno == line:
            it.kernel.written[Span(line, node.col_offset, end)] = value.node


def record(
    it: Interpreter, kind: str, node: ast.expr, address: Block, mask: Block
) -> tuple[tuple[Term, ...], str]:
    """Notes an access; the shape of what is loaded, and the array.

    Of an address that is chosen from several arrays each has its own access.
    """
    ways = ways_of(address.node)
    if len({w for _, w, _ in ways}) > 1 and len(ways) <= WAYS:
        shape = address.shape
        for c, _, one in ways:
            seen = Block(both(c, mask.node), common(it, address.shape, mask.shape))
            shape, _ = record(it, kind, node, Block(one, address.shape), seen)
        return shape, ""
    shape = common(it, address.shape, mask.shape)
    address, mask = with_rank(address, len(shape)), with_rank(mask, len(shape))
    pointer = pointer_of(address.node, it.addresses.arrays)
    if pointer is None:
        address = replace(address, node=pointer_first(address.node, it.addresses.arrays))
        pointer = pointer_of(address.node, it.addresses.arrays)
    if pointer is None:
        it.skip(node.lineno, "an address that begins at no parameter")
        return shape, ""
    guard = both(it.path.condition, mask.node)
    offset = put(address.node, lambda x: num(0, INT64) if x == pointer else None)
    wide = {*it.kernel.wide}
    again = [
        x.word
        for x in offset.leaves
        if x.op == "name" and x.word in it.kernel.parameters
        if x.word == pointer.word or (x.type == INT64 and x.word not in wide)
    ]
    if again:
        reason = f"an address in which {again[0]} occurs beside {pointer.word}"
        it.skip(node.lineno, reason)
        return shape, ""
    _note_access(it, kind, node, pointer.word, offset, shape, guard)
    return shape, pointer.word


def _note_access(
    it: Interpreter,
    kind: str,
    node: ast.expr,
    array: str,
    offset: Term,
    shape: tuple[Term, ...],
    guard: Term,
) -> None:
    """Notes an access to an array."""
    if not it.recording:
        return
    offset = under(offset, frozenset(conjuncts(guard)))
    words = it.unknown_in(offset, guard, *shape)
    doubts = it.unknowns.doubts_of(words)
    end = node.end_col_offset or 0
    if node.end_lineno != node.lineno:
        end = node.col_offset + 1
    access = Access(
        kind,
        array,
        cast(INT64, offset) if offset.type is None else offset,
        shape,
        Span(node.lineno, node.col_offset, end),
        guard,
        it.around(offset, guard, *shape),
        doubts[0] if doubts else it.path.inexact,
        " ".join(it.home.source(node).split()),
    )
    it.kernel.accesses.append(access)


def loaded_value(
    it: Interpreter,
    node: ast.Call,
    access: tuple[tuple[Term, ...], str],
    mask: Block | None = None,
    other: Value | None = None,
) -> Value:
    """What is loaded: any number of its type, or one that the contract bounds.

    Where the mask is false it is `other`, and where there is none anything at all.
    """
    shape, array = access
    reason = f"loaded from {array or 'memory'} in line {node.lineno}"
    element = it.contract.elements.get(array, Element(32, INT))
    whole = element.numbers is not None or (element.bits == 0 and array in it.contract.below)
    if not whole:
        return Opaque(reason, shape, True, address=NUMBER)
    low, high, kind = num(0), it.contract.below.get(array), element.type
    if element.numbers is not None and high is None:
        low, high = num(element.numbers.start), num(element.numbers.stop)
    value = it.unknown(shape, reason, False, low, high, type=kind)
    if element.bits == 64:  # some programs store addresses there
        it.addresses.unknowns.add(value.node.word)
    if array not in it.contract.below:
        return value
    if mask is None or mask.node == TRUE:
        return value
    if not isinstance(other, Block):
        other = it.unknown(shape, f"{reason} where its mask is false", False, type=kind)
    return selection(it, mask, value, other, node.lineno)


def through(
    it: Interpreter, node: ast.Call, kind: str, p: BlockPointer, checked: tuple[int, ...]
) -> Value:
    """An access through a block pointer, whose `checked` axes are masked by the array's sizes."""
    offset, guard = cast(INT64, p.base.node), it.path.condition
    for k, (size, stride, start) in enumerate(zip(p.sizes, p.strides, p.offsets)):
        at = binary("+", cast(INT64, start.node), lane(k))
        offset = binary("+", offset, binary("*", at, cast(INT64, stride.node)))
        if k in checked or p.checked:
            if not it.nonnegative(at):
                guard = both(guard, compare(">=", at, num(0)))
            guard = both(guard, compare("<", at, size.node))
    kind = kind if kind in ("load", "store") else "atomic"
    mask = Block(guard, p.block)
    access = record(it, kind, node, Block(offset, p.block), mask)
    return loaded_value(it, node, access, Block(guard, p.block))


def of_host(it: Interpreter, value: Value, offsets: ast.expr) -> Value:
    """A descriptor that is a parameter: its sizes, strides and block have names of their own.

    The last stride is 1, as hardware demands.
    """
    plain = isinstance(value, Block) and value.node.op == "name" and not value.shape
    if not plain or not isinstance(offsets, (ast.List, ast.Tuple)):
        return value
    assert isinstance(value, Block)
    word, n = value.node.word, len(offsets.elts)
    if word not in it.kernel.parameters or word in it.addresses.constants:
        return value
    if word not in it.addresses.descriptors:
        names = [
            [it.unknowns.fresh(f"{word}_{part}{k}") for k in range(n)]
            for part in ("shape", "stride", "block")
        ]
        it.kernel.parameters += (*names[0], *names[1][:-1], *names[2])
        it.kernel.constants += tuple(names[2])
        it.kernel.wide += tuple(names[1][:-1])
        strides = [*[Block(name(w, INT64)) for w in names[1][:-1]], Block(num(1))]
        sizes = tuple(Block(name(w)) for w in names[0])
        block = tuple(name(w, None) for w in names[2])
        start = (Block(num(0)),) * n
        base = Block(name(word, INT64))
        descriptor = BlockPointer(base, sizes, tuple(strides), start, block, True)
        it.addresses.descriptors[word] = descriptor
    return it.addresses.descriptors[word]
