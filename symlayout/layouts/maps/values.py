"""The values that code computes on its way through a map, each with the type it is computed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Condition, comparison, conditional, negation
from symlayout.expr.growth import growth
from symlayout.expr.machine import INT, Machine, literal, machine, promotion
from symlayout.expr.reader import masked
from symlayout.expr.terms import (
    BITS,
    DIVISIONS,
    EXTREMES,
    SIMPLE,
    Exp2,
    FloorDiv,
    Max,
    Mod,
    TruncDiv,
    exponent_of,
    symbol,
)
from symlayout.expr.tree import Expr, Integer
from symlayout.expr.written import COMPARISONS, Written
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.written import WrittenMap
from symlayout.text.limits import BITS as LONGEST

DIVIDING = {kind.row.op: kind for kind in DIVISIONS}
# no new values
CLOSED: dict[str, Callable[..., Expr]] = {
    **{kind.row.op: kind for kind in (*BITS, *EXTREMES)},
    "&": masked,
}
OTHERS = {kind.row.op: kind for kind in SIMPLE}
CHAINED = frozenset(["+", "-", "*", *DIVIDING, *BITS.values(), "<<", ">>"])


class Duty(NamedTuple):
    """Where all of `path` is true, low <= value <= high; with no bounds the value is not 0.

    `text` is the value as it is written, `kind` what is asked of it: "value" in its type, "count"
    of a shift, "divisor", or "extent".
    """

    path: tuple[Condition, ...]
    value: Expr
    low: int | None
    high: int | None
    text: str
    type: Machine
    kind: str = "value"
    divisor: Expr | None = None  # of a quotient, which leaves its type only where this is -1

    @property
    def parts(self) -> tuple[Expr, ...]:
        """What has to be known to see that it holds."""
        return (self.value,) if self.divisor is None else (self.value, self.divisor)

    @property
    def question(self) -> tuple[Any, ...]:
        """What is asked where the path is true."""
        return self.value, self.low, self.high, self.kind, self.divisor


@dataclass
class Types:
    """The type of every part of the trees; `every` is that of all of them, where one is given.

    `names` has the types of sizes and coordinates that are not int.
    """

    names: Mapping[str, Machine] = field(default_factory=dict)
    every: Machine | None = None
    wraps: bool = False
    known: dict[Written, Machine] = field(default_factory=dict)
    lets: dict[str, Machine] = field(default_factory=dict)

    def of(self, tree: Written) -> Machine:
        """The type that C gives a tree."""
        for node in tree.steps():
            if node not in self.known:
                self.known[node] = self.every or self._own(node)
        return self.known[tree]

    def _own(self, node: Written) -> Machine:
        if node.op == "number":
            return literal(node.word)[1]
        if node.op == "name":
            return self.lets.get(node.word) or self.names.get(node.word, INT)
        if node.op == "cast":
            result = machine(node.word)
            if node.args[0].op == "name" and node.args[0].word not in self.lets:
                self.known[node.args[0]] = result  # a size or a coordinate is read in that type
            return result
        return self.common(node)

    def common(self, node: Written) -> Machine:
        """What the operands of an operation are converted to."""
        if self.every is not None:
            return self.every
        parts = node.args[1:] if node.op == "if" else node.args
        if node.op in ("<<", ">>", "**"):
            parts = parts[:1]
        return reduce(promotion, [self.known.get(a, INT) for a in parts])


@dataclass
class Values:
    """Walks through the trees of a map and writes down what is asked of each value.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> from symlayout.layouts.maps.written import written_map
    >>> f = read_map("map r < R, c < 8: int64(r)*8 + c")
    >>> [(d.text, str(d.type)) for d in Values(f, Types()).of(written_map(f))]
    [('r', 'int64'), ('int64(r)*8', 'int64'), ('c', 'int32'), ('int64(r)*8 + c', 'int64')]
    """

    function: IndexFunction
    types: Types
    env: dict[str, Expr] = field(default_factory=dict)
    duties: dict[Duty, None] = field(default_factory=dict)

    def of(self, text: WrittenMap) -> list[Duty]:
        """Everything that is asked, in the order of computing."""
        path: tuple[Condition, ...] = ()
        if text.guard is not None:
            self.types.of(text.guard)
            path = (self.condition(text.guard, path),)
        for name, tree in text.lets:
            kind = self.types.of(tree)
            self.env[name] = self.value(tree, path)
            self.types.lets[name] = kind
        for tree in text.results:
            self.types.of(tree)
            self.value(tree, path)
        return list(self.duties)

    # -- what is asked ----------------------------------------------------------------------------

    def ask(self, path: tuple[Condition, ...], e: Expr, text: str, kind: Machine) -> Expr:
        """The value in that type: as it is, or, where unsigned ones may wrap, modulo 2**bits."""
        if self.types.wraps and not kind.signed:
            return Mod(e, Integer(2**kind.bits))
        if not (e.is_Integer and kind.holds(int(e))):
            self.duties.setdefault(Duty(path, e, kind.low, kind.high, text, kind))
        return e

    def conversion(self, node: Written, path: tuple[Condition, ...], to: Machine) -> Expr:
        """An operand in the type of its operation."""
        e, own = self.value(node, path), self.types.known[node]
        return e if to.includes(own) else self.ask(path, e, node.text, to)

    # -- trees ------------------------------------------------------------------------------------

    def value(self, tree: Written, path: tuple[Condition, ...]) -> Expr:
        """What a tree comes to; long chains are walked without recursion."""
        spine = [tree]
        while spine[-1].op in CHAINED:
            spine.append(spine[-1].args[0])
        node = spine.pop()
        result = self.single(node, path)
        while spine:
            own, node = self.types.known[node], spine.pop()
            to = self.types.common(node)
            if not to.includes(own):
                result = self.ask(path, result, node.args[0].text, to)
            result = self.binary(node, result, to, path)
            growth(result)
        return result

    def single(self, node: Written, path: tuple[Condition, ...]) -> Expr:
        """A tree that is not a chain of operations of two operands."""
        kind = self.types.known[node]
        match node.op:
            case "number":
                number = literal(node.word)[0] if self.types.every is None else _number(node.word)
                return self.ask(path, Integer(number), node.text, kind)
            case "name":
                result = self.env.get(node.word)
                if result is not None:
                    return result
                return self.ask(path, symbol(node.word), node.text, kind)
            case "cast":
                return self.conversion(node.args[0], path, kind)
            case "neg" | "~" | "abs":
                e = self.value(node.args[0], path)
                result = Max(e, -e) if node.op == "abs" else -e - int(node.op == "~")
                return self.ask(path, result, node.text, kind)
            case "**":
                return self.ask(path, self.power(node, path), node.text, kind)
            case "if":
                c = self.condition(node.args[0], path)
                yes = self.conversion(node.args[1], (*path, c), kind)
                no = self.conversion(node.args[2], (*path, negation(c)), kind)
                return conditional(c, yes, no)
            case _:
                args = [self.conversion(a, path, kind) for a in node.args]
                if node.op in CLOSED:
                    return CLOSED[node.op](*args)
                return self.ask(path, OTHERS[node.op](*args), node.text, kind)

    def binary(self, node: Written, a: Expr, to: Machine, path: tuple[Condition, ...]) -> Expr:
        """One operation of two operands, of which the first is at hand."""
        if node.op in ("<<", ">>"):
            return self.shift(node, a, to, path)
        b = self.conversion(node.args[1], path, to)
        if node.op in CLOSED:
            return CLOSED[node.op](a, b)
        if node.op in DIVIDING:
            return self.divide(node, a, b, to, path)
        result = {"+": a + b, "-": a - b, "*": a * b}[node.op]
        return self.ask(path, result, node.text, to)

    def shift(self, node: Written, a: Expr, to: Machine, path: tuple[Condition, ...]) -> Expr:
        """`a << b` or `a >> b`, by less than the bits of the type."""
        count = self.value(node.args[1], path)
        if not (count.is_Integer and 0 <= count < to.bits):
            duty = Duty(path, count, 0, to.bits - 1, node.args[1].text, to, "count")
            self.duties.setdefault(duty)
        power = Exp2(count) if not count.is_Integer or 0 <= count < to.bits else Integer(1)
        return self.ask(path, a * power, node.text, to) if node.op == "<<" else FloorDiv(a, power)

    def power(self, node: Written, path: tuple[Condition, ...]) -> Expr:
        """A value to the power of a number, or 2, 4, 8, ... to that of a size."""
        e, power = (self.value(a, path) for a in node.args)
        if power.is_Integer:
            return e ** int(power)
        if not exponent_of(e):
            message = f"{node.text}: only 2, 4, 8, ... are raised to what is not a number"
            raise LayoutError("SL200", message)
        duty = Duty(path, power, 0, LONGEST, node.args[1].text, Machine(1024), "count")
        self.duties.setdefault(duty)
        return Exp2(exponent_of(e) * power)

    def divide(
        self, node: Written, a: Expr, b: Expr, to: Machine, path: tuple[Condition, ...]
    ) -> Expr:
        """A division or remainder: its divisor is not 0; of a ceiling also `a + b - 1` is computed."""
        if not b.is_Integer or b == 0:
            duty = Duty(path, b, None, None, node.args[1].text, to, "divisor")
            self.duties.setdefault(duty)
        if b == 0:
            raise LayoutError("SL202", f"division by zero in {node.text}")
        result = DIVIDING[node.op](a, b)
        if node.op == "ceildiv":
            self.ask(path, a + b - 1, f"{node.args[0].text} + {node.args[1].text} - 1", to)
        if not (b.is_Integer and b > 0) and to.signed:  # the least value by -1
            quotient = {"%": FloorDiv, "c%": TruncDiv}.get(node.op, DIVIDING[node.op])(a, b)
            duty = Duty(path, quotient, to.low, to.high, node.text, to, divisor=b)
            self.duties.setdefault(duty)
        return result

    def condition(self, tree: Written, path: tuple[Condition, ...]) -> Condition:
        """What a condition says of the values."""
        from symlayout.expr.conditions import Both, Either

        if tree.op in COMPARISONS:
            to = self.types.common(tree)
            return comparison(tree.op, *[self.conversion(a, path, to) for a in tree.args])
        if tree.op == "not":
            return negation(self.condition(tree.args[0], path))
        first = self.condition(tree.args[0], path)
        both = tree.op == "and"
        second = self.condition(tree.args[1], (*path, first if both else negation(first)))
        return Both(first, second) if both else Either(first, second)


def _number(word: str) -> int:
    digits = word.rstrip("uUlL")
    return int(digits, 0 if digits[:2] in ("0x", "0X") else 10)


def extent_duties(f: IndexFunction) -> Iterator[Duty]:
    """Every range, and every side of the box, is of a size >= 0."""
    wide = Machine(1024)
    for v in f.variables:
        yield Duty((), v._high - v._low, 0, None, f"the extent of {v.name}", wide, "extent")
    for d in f._box or ():
        yield Duty((), d, 0, None, f"the extent {d} of the box", wide, "extent")
