"""What a map computes at one point, in plain integers: the first value that leaves its type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from symlayout.expr.facts import COMPARE
from symlayout.expr.machine import Machine, literal, promotion
from symlayout.expr.term import COMPARISONS, ROWS, Term
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.written import WrittenMap
from symlayout.prove.maps.failures import undefinedness
from symlayout.prove.maps.walk import UNDEFINED
from symlayout.prove.search import Found
from symlayout.prove.verdict import Counterexample
from symlayout.text.limits import BITS

CHAINED = frozenset(["+", "-", "*", "//", "/", "%", "rem", "cdiv", "&", "|", "^", "<<", ">>"])


class Leaves(Exception):
    """A value that is none of its type: the value, what is said, and the end of the type."""


def failure_at(
    f: IndexFunction, text: WrittenMap, every: Machine | None, wraps: bool, hit: Found
) -> Counterexample | None:
    """The first value at a point that leaves its type; None where all of them stay."""
    sizes = hit.sizes
    if hit.kind == UNDEFINED or len(hit.coords) != len(f.variables):
        return undefinedness(hit, f)
    env = {**sizes, **{v.name: x for v, x in zip(f.variables, hit.coords)}}
    try:
        _Point(env, text, every, wraps).whole()
    except Leaves as left:
        value, message, limit = left.args
        note = f"at {hit.coords} {message}"
        return Counterexample(sizes, hit.coords, value, limit, note=note)
    return None


@dataclass
class _Point:
    env: Mapping[str, int]
    written: WrittenMap
    every: Machine | None
    wraps: bool

    def whole(self) -> None:
        """Computes everything; raises `Leaves`."""
        if self.written.guard is not None and not self.true(self.written.guard):
            return
        for name, tree in self.written.lets:
            self.env = {**self.env, name: self.value(tree)}
        for tree in self.written.results:
            self.value(tree)

    def type(self, node: Term) -> Machine:
        """The type of a value."""
        return self.every or node.type or literal(node.word)[1]

    def common(self, node: Term) -> Machine:
        """What the operands of an operation are converted to."""
        return self.every or reduce(promotion, map(self.type, node.operands))

    def text(self, node: Term) -> str:
        """A value as it is written."""
        return self.written.text(node)

    def fit(self, value: int, text: str, kind: Machine) -> int:
        """The value in its type."""
        if kind.holds(value):
            return value
        if self.wraps and not kind.signed:
            return kind.wrapped(value)
        limit = kind.high if value > kind.high else kind.low
        end = f"the least is {limit}" if value < limit else f"the greatest is {limit}"
        raise Leaves(value, f"{text} is {value}, no {kind}: {end}", limit)

    def operand(self, node: Term, to: Machine) -> int:
        """A value, in the type that its operation is computed in."""
        return self.fit(self.value(node), self.text(node), to)

    def value(self, tree: Term) -> int:
        """A tree's value; long chains are walked without recursion."""
        spine = [tree]
        while spine[-1].op in CHAINED:
            spine.append(spine[-1].args[0])
        first = spine.pop()
        result = self.single(first)
        text = self.text(first)
        while spine:
            node = spine.pop()
            to = self.common(node)
            result = self.binary(node, self.fit(result, text, to), to)
            text = self.text(node)
        return result

    def single(self, node: Term) -> int:
        """A number, a name, or an operation that is not a chain."""
        kind = self.type(node)
        match node.op:
            case "num":
                result = node.number
            case "name":
                result = self.env[node.word]
            case "cast":
                return self.operand(node.args[0], kind)
            case "neg":
                result = -self.value(node.args[0])
            case "~":
                result = ~self.value(node.args[0])
            case "abs":
                result = abs(self.value(node.args[0]))
            case "**":
                power = self.value(node.args[1])
                if not 0 <= power <= BITS:
                    raise Leaves(power, f"{self.text(node)} raises to {power}", BITS)
                result = int(self.value(node.args[0]) ** power)
            case "where":
                return self.operand(node.args[1 if self.true(node.args[0]) else 2], kind)
            case _:
                row, values = ROWS[node.op], [self.operand(a, kind) for a in node.args]
                if not row.defined(*values):
                    raise Leaves("undefined", f"{self.text(node)} has no value", 0)
                result = row.at(*values)
        return self.fit(result, self.text(node), kind)

    def binary(self, node: Term, a: int, to: Machine) -> int:
        """An operation of two values."""
        if node.op in ("<<", ">>"):
            count = self.value(node.args[1])
            if not 0 <= count < to.bits:
                raise Leaves(count, f"{self.text(node)} shifts {to} by {count}", to.bits - 1)
            return self.fit(a << count, self.text(node), to) if node.op == "<<" else a >> count
        b = self.operand(node.args[1], to)
        match node.op:
            case "+":
                result = a + b
            case "-":
                result = a - b
            case "*":
                result = a * b
            case _ if ROWS[node.op].divisor is None:
                result = ROWS[node.op].at(a, b)
            case _:
                result = self.divided(node, a, b, to)
        return self.fit(result, self.text(node), to)

    def divided(self, node: Term, a: int, b: int, to: Machine) -> int:
        """A quotient or a remainder."""
        if b == 0:
            raise Leaves("undefined", f"{self.text(node)} divides by 0", 0)
        quotient = ROWS[{"%": "//", "rem": "/"}.get(node.op, node.op)].at(a, b)
        if node.op == "cdiv":
            self.fit(a + b - 1, f"{self.text(node.args[0])} + {self.text(node.args[1])} - 1", to)
        if to.signed:
            self.fit(quotient, self.text(node), to)
        return a - b * quotient if node.op in ("%", "rem") else quotient

    def true(self, tree: Term) -> bool:
        """Whether a condition is true."""
        if tree.op in COMPARISONS:
            to = self.common(tree)
            a, b = (self.operand(t, to) for t in tree.args)
            return bool(COMPARE[tree.op](a, b))
        if tree.op == "not":
            return not self.true(tree.args[0])
        if self.true(tree.args[0]) != (tree.op == "and"):
            return tree.op == "or"
        return self.true(tree.args[1])
