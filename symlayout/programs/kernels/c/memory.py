"""Addresses by elements, and what is loaded and stored there."""

from __future__ import annotations

import ast
from dataclasses import replace

from symlayout.expr.machine import INT, INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.c.types import UNDEDUCED, CType
from symlayout.programs.kernels.c.values import LARGE, REGISTERS, SMALLEST, WAYS, Smaller, Values
from symlayout.programs.kernels.nodes import (
    TRUE,
    WORDS,
    binary,
    both,
    cast,
    lane,
    negation,
    num,
    number_of,
    rebuilt,
)
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.values import Block, Constant, NotUnderstood, Opaque, Value


class Memory(Values):
    """Accesses."""

    # -- memory -----------------------------------------------------------------------------------

    def base(self, address: Value, line: int) -> tuple[Block, str]:
        """The address, and the array that it begins at."""
        if not isinstance(address, Block):
            raise NotUnderstood(
                address.why if isinstance(address, Opaque) else "a place that is no address"
            )
        start = address.node
        while start.op in ("+", "-", "where", "cast"):
            start = start.args[1 if start.op == "where" else 0]
        known = self.marked.get(start.word) if start.op == "unknown" else None
        if known is not None:  # what a loop changes: a pointer to the same array
            return address, self.base(known, line)[1]
        if start.op != "name" or start.word not in self.arrays:
            raise NotUnderstood(f"line {line}: an address that begins at no parameter")
        return address, start.word

    def factor(self, array: str, element: object) -> Term:
        """How many of the array's elements one of this type is; of a template's type a constant."""
        assert isinstance(element, CType)
        own, element = self.elements[array], self.actual_type(element).packed(self.module.padded)
        if element.word == UNDEDUCED.word:
            raise NotUnderstood(f"elements of {array} taken as a type that is not known")
        if own.word == "void" and own.depth == 0:
            self.elements[array] = own = element
        if (own.word, own.depth) == (element.word, element.depth):
            return num(1)
        if own.bits and element.bits and element.bits % own.bits == 0:
            return num(element.bits // own.bits)
        few = element.bits and own.bits and own.bits % element.bits == 0
        few = few or (element.bits == SMALLEST and not own.bits)
        if few and not self.strict and not own.depth and array in self.kernel.parameters:
            raise Smaller(array, element)
        word = ""
        if own.bits == 8 and not element.bits:
            word = f"sizeof_{element.word}"
        elif not own.bits and element.bits >= LARGE:  # no smaller than what numbers are
            word = f"{element.word}_of_{own.word}"
        if word:
            symbol = self.symbol(word, None, True)
            assert isinstance(symbol, Block)
            return symbol.node
        raise NotUnderstood(f"elements of {array} taken as {element.word}, of another size")

    def c_place(self, node: ast.Call, env: Env) -> Value:
        where_, by, *sizes = (self.value(a, env) for a in (*node.args[:2], *node.args[3:]))
        if where_ == REGISTERS:
            return REGISTERS
        address, array = self.base(where_, node.lineno)
        if isinstance(by, Constant) and not isinstance(by.value, bool):
            by = Opaque(f"line {node.lineno}: a place that is no integer")
        moved = self.block(by, node.lineno)
        element = self._text(node.args[2])
        step: Value = Block(num(1))
        if isinstance(element, CType) and not element.array:
            step = Block(self.factor(array, element))
        for s in sizes:
            step = self.arithmetic("*", self.block(step, node.lineno), self.block(s, node.lineno))
        index = self.block(moved, node.lineno)
        if step != Block(num(1)):
            wide = replace(index, node=cast(INT64, number_of(index.node)))
            many = self.block(step, node.lineno)
            index = self.block(self.arithmetic("*", wide, many), node.lineno)
        return Block(binary("+", address.node, number_of(index.node)), address.shape)

    def _through_pointer(self, node: ast.Call, env: Env, kind: str) -> tuple[Value, str]:
        """An access to what lies there; of a vector to all of its lanes."""
        element = self._text(node.args[1])
        value = self.value(node.args[0], env)
        if value == REGISTERS:
            return Opaque(f"line {node.lineno}: a variable of the thread", data=True), ""
        array, alike = "", True
        try:
            for c, one in choices(value):
                address, array = self.base(one, node.lineno)
                alike = alike and all(map(self.is_uniform, (address.node, c)))
                k = self.factor(array, element)
                shape: tuple[Term, ...] = () if k.value == 1 else (k,)
                if shape:
                    address = Block(binary("+", address.node, lane(0)), shape)
                alive, self.alive = self.alive, both(self.alive, c)
                try:
                    self.record(kind, self.site or node, address, Block(TRUE))
                finally:
                    self.alive = alive
        except NotUnderstood as error:
            self.skip(node.lineno, str(error))
            return Opaque(str(error), data=True), ""
        self.at_one_place = alike and array not in self.kernel.shared
        return Block(num(0)), array

    def c_load(self, node: ast.Call, env: Env) -> Value:
        pointer, array = self._through_pointer(node, env, "load")
        element = self._text(node.args[1])
        assert isinstance(element, CType)
        element = self.actual_type(element)
        reason = f"loaded from {array or 'memory'} in line {node.lineno}"
        if isinstance(pointer, Opaque) or element.is_address:
            return Opaque(reason, data=True)
        if array in self.below:
            kind = element.computed or INT
            end = self._within(self.below[array], element)
            number = self.unknown((), reason, False, num(0), end, type=kind)
        elif element.computed is None:
            return Opaque(reason, data=True)
        elif (numbers := element.small) is not None:
            first, end = num(numbers.start), num(numbers.stop)
            number = self.unknown((), reason, False, first, end, type=element.computed)
        else:
            low = None if element.computed.signed else num(0)
            number = self.unknown((), reason, False, low, type=element.computed)
        if self.at_one_place:  # what lies at one place of global memory is one number
            self.even.add(number.node.word)
        return number

    def _within(self, end: Term, element: CType) -> Term:
        """What numbers of an array are below: what the contract says, and no more than its type has."""
        kind = element.machine
        if kind is None:
            return end
        most = num((element.small or range(kind.high + 1)).stop)
        small = end.op == "name" and end.word in {*self.kernel.parameters} - {*self.kernel.wide}
        return end if small and kind.bits >= WORDS else binary("min", end, most)

    def c_store(self, node: ast.Call, env: Env) -> Value:
        for a in node.args[2:]:
            self.value(a, env)
        self._through_pointer(node, env, "store")
        return Constant(None)

    def c_atomic(self, node: ast.Call, env: Env) -> Value:
        for a in node.args[2:]:
            self.value(a, env)
        pointer, array = self._through_pointer(node, env, "atomic")
        element = self._text(node.args[1])
        kind = self.actual_type(element).computed if isinstance(element, CType) else None
        reason = f"loaded from {array or 'memory'} in line {node.lineno}"
        if isinstance(pointer, Opaque) or kind is None:
            return Opaque(reason, data=True)
        return self.unknown((), reason, False, type=kind)

    def between_barriers(self, access: Access) -> Access:
        """The access with where it stands between barriers."""
        return replace(access, phase=self.phase, joins=self.joins, turns=tuple(self.synced))


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
