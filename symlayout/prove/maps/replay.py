"""What a map computes at one point, in plain integers: the first value that leaves its type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symlayout.expr.facts import COMPARE
from symlayout.expr.machine import Machine
from symlayout.expr.operators import BY_OP
from symlayout.expr.written import COMPARISONS, Written
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.values import Types
from symlayout.layouts.maps.written import WrittenMap
from symlayout.prove.maps.failures import undefinedness
from symlayout.prove.maps.walk import UNDEFINED
from symlayout.prove.search import Found
from symlayout.prove.verdict import Counterexample
from symlayout.text.limits import BITS

CHAINED = frozenset(["+", "-", "*", "//", "c/", "%", "c%", "ceildiv", "&", "|", "^", "<<", ">>"])


class Leaves(Exception):
    """A value that is none of its type: the value, what is said, and the end of the type."""


def failure_at(
    f: IndexFunction, text: WrittenMap, types: Types, hit: Found
) -> Counterexample | None:
    """The first value at a point that leaves its type; None where all of them stay."""
    sizes = hit.sizes
    if hit.kind == UNDEFINED or len(hit.coords) != len(f.variables):
        return undefinedness(hit, f)
    env = {**sizes, **{v.name: x for v, x in zip(f.variables, hit.coords)}}
    at = _Point(env, Types(types.names, types.every, types.wraps))
    try:
        at.whole(text)
    except Leaves as left:
        value, message, limit = left.args
        note = f"at {hit.coords} {message}"
        return Counterexample(sizes, hit.coords, value, limit, note=note)
    return None


@dataclass
class _Point:
    env: Mapping[str, int]
    types: Types

    def whole(self, text: WrittenMap) -> None:
        """Computes everything; raises `Leaves`."""
        if text.guard is not None:
            self.types.of(text.guard)
            if not self.true(text.guard):
                return
        for name, tree in text.lets:
            kind = self.types.of(tree)
            self.env = {**self.env, name: self.value(tree)}
            self.types.lets[name] = kind
        for tree in text.results:
            self.types.of(tree)
            self.value(tree)

    def fit(self, value: int, text: str, kind: Machine) -> int:
        """The value in its type."""
        if kind.holds(value):
            return value
        if self.types.wraps and not kind.signed:
            return kind.wrapped(value)
        limit = kind.high if value > kind.high else kind.low
        end = f"the least is {limit}" if value < limit else f"the greatest is {limit}"
        raise Leaves(value, f"{text} is {value}, no {kind}: {end}", limit)

    def operand(self, node: Written, to: Machine) -> int:
        """A value, in the type that its operation is computed in."""
        return self.fit(self.value(node), node.text, to)

    def value(self, tree: Written) -> int:
        """A tree's value; long chains are walked without recursion."""
        spine = [tree]
        while spine[-1].op in CHAINED:
            spine.append(spine[-1].args[0])
        first = spine.pop()
        result = self.single(first)
        text = first.text
        while spine:
            node = spine.pop()
            to = self.types.common(node)
            result = self.binary(node, self.fit(result, text, to), to)
            text = node.text
        return result

    def single(self, node: Written) -> int:
        """A number, a name, or an operation that is not a chain."""
        kind = self.types.known[node]
        match node.op:
            case "number":
                digits = node.word.rstrip("uUlL")
                result = int(digits, 16 if digits[:2] in ("0x", "0X") else 10)
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
                    raise Leaves(power, f"{node.text} raises to {power}", BITS)
                result = int(self.value(node.args[0]) ** power)
            case "if":
                return self.operand(node.args[1 if self.true(node.args[0]) else 2], kind)
            case _:
                row, values = BY_OP[node.op], [self.operand(a, kind) for a in node.args]
                if not row.defined(*values):
                    raise Leaves("undefined", f"{node.text} has no value", 0)
                result = row.at(*values)
        return self.fit(result, node.text, kind)

    def binary(self, node: Written, a: int, to: Machine) -> int:
        """An operation of two values."""
        if node.op in ("<<", ">>"):
            count = self.value(node.args[1])
            if not 0 <= count < to.bits:
                raise Leaves(count, f"{node.text} shifts {to} by {count}", to.bits - 1)
            return self.fit(a << count, node.text, to) if node.op == "<<" else a >> count
        b = self.operand(node.args[1], to)
        match node.op:
            case "+":
                result = a + b
            case "-":
                result = a - b
            case "*":
                result = a * b
            case _ if BY_OP[node.op].divisor is None:
                result = BY_OP[node.op].at(a, b)
            case _:
                result = self.divided(node, a, b, to)
        return self.fit(result, node.text, to)

    def divided(self, node: Written, a: int, b: int, to: Machine) -> int:
        """A quotient or a remainder."""
        if b == 0:
            raise Leaves("undefined", f"{node.text} divides by 0", 0)
        quotient = BY_OP[{"%": "//", "c%": "c/"}.get(node.op, node.op)].at(a, b)
        if node.op == "ceildiv":
            self.fit(a + b - 1, f"{node.args[0].text} + {node.args[1].text} - 1", to)
        if to.signed:
            self.fit(quotient, node.text, to)
        return a - b * quotient if node.op in ("%", "c%") else quotient

    def true(self, tree: Written) -> bool:
        """Whether a condition is true."""
        if tree.op in COMPARISONS:
            to = self.types.common(tree)
            a, b = (self.operand(t, to) for t in tree.args)
            return bool(COMPARE[tree.op](a, b))
        if tree.op == "not":
            return not self.true(tree.args[0])
        if self.true(tree.args[0]) != (tree.op == "and"):
            return tree.op == "or"
        return self.true(tree.args[1])
