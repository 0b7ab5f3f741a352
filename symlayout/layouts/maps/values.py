"""The values that code computes on its way through a map, each with the type it is computed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Condition, comparison, conditional, negation
from symlayout.expr.growth import growth
from symlayout.expr.machine import Machine, literal, promotion
from symlayout.expr.reader import masked
from symlayout.expr.term import COMPARISONS, Term, op_of
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
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.written import WrittenMap
from symlayout.text.limits import BITS as LONGEST

DIVIDING = {op_of(kind.row): kind for kind in DIVISIONS}
# no new values
CLOSED: dict[str, Callable[..., Expr]] = {
    **{op_of(kind.row): kind for kind in (*BITS, *EXTREMES)},
    "&": masked,
}
OTHERS = {op_of(kind.row): kind for kind in SIMPLE}
CHAINED = frozenset(["+", "-", "*", *DIVIDING, *BITS.values(), "<<", ">>"])


class Duty(NamedTuple):
    """Where all of `path` is true, low <= value <= high; with no bounds the value is not 0.

    `text` is the value as it is written, `kind` what is asked of it: "value" in its type, "count"
    of a shift, "divisor", "argument" of an operator, or "extent".
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
class Values:
    """Walks through the trees of a map and writes down what is asked of each value.

    >>> from symlayout.layouts.maps.reader import read_map
    >>> from symlayout.layouts.maps.written import written_map
    >>> f = read_map("map r < R, c < 8: int64(r)*8 + c")
    >>> [(d.text, str(d.type)) for d in Values(f, written_map(f).typed({})).all()]
    [('r', 'int64'), ('int64(r)*8', 'int64'), ('c', 'int32'), ('int64(r)*8 + c', 'int64')]
    """

    function: IndexFunction
    written: WrittenMap  # with the types of names
    every: Machine | None = None  # the type of every part, where one is given
    wraps: bool = False
    env: dict[str, Expr] = field(default_factory=dict)
    duties: dict[Duty, None] = field(default_factory=dict)

    def all(self) -> list[Duty]:
        """Everything that is asked, in the order of computing."""
        path: tuple[Condition, ...] = ()
        if self.written.guard is not None:
            path = (self.condition(self.written.guard, path),)
        for name, tree in self.written.lets:
            self.env[name] = self.value(tree, path)
        for tree in self.written.results:
            self.value(tree, path)
        return list(self.duties)

    def type(self, node: Term) -> Machine:
        """The type of a value; raises `LayoutError` (SL204) for a number that no type holds."""
        return self.every or node.type or literal(node.word)[1]

    def common(self, node: Term) -> Machine:
        """What the operands of an operation are converted to."""
        return self.every or reduce(promotion, map(self.type, node.operands))

    # -- what is asked ----------------------------------------------------------------------------

    def ask(self, path: tuple[Condition, ...], e: Expr, text: str, kind: Machine) -> Expr:
        """The value in that type: as it is, or, where unsigned ones may wrap, modulo 2**bits."""
        if self.wraps and not kind.signed:
            return Mod(e, Integer(2**kind.bits))
        if not (e.is_Integer and kind.holds(int(e))):
            self.duties.setdefault(Duty(path, e, kind.low, kind.high, text, kind))
        return e

    def conversion(self, node: Term, path: tuple[Condition, ...], to: Machine) -> Expr:
        """An operand in the type of its operation."""
        e, own = self.value(node, path), self.type(node)
        return e if to.includes(own) else self.ask(path, e, self.written.text(node), to)

    # -- trees ------------------------------------------------------------------------------------

    def value(self, tree: Term, path: tuple[Condition, ...]) -> Expr:
        """What a tree comes to; long chains are walked without recursion."""
        spine = [tree]
        while spine[-1].op in CHAINED:
            spine.append(spine[-1].args[0])
        node = spine.pop()
        result = self.single(node, path)
        while spine:
            own, node = self.type(node), spine.pop()
            to = self.common(node)
            if not to.includes(own):
                result = self.ask(path, result, self.written.text(node.args[0]), to)
            result = self.binary(node, result, to, path)
            growth(result)
        return result

    def single(self, node: Term, path: tuple[Condition, ...]) -> Expr:
        """A term that is not a chain of operations of two operands."""
        kind, text = self.type(node), self.written.text(node)
        match node.op:
            case "num":
                return self.ask(path, Integer(node.number), text, kind)
            case "name":
                result = self.env.get(node.word)
                if result is not None:
                    return result
                return self.ask(path, symbol(node.word), text, kind)
            case "cast":
                return self.conversion(node.args[0], path, kind)
            case "neg" | "~" | "abs":
                e = self.value(node.args[0], path)
                result = Max(e, -e) if node.op == "abs" else -e - int(node.op == "~")
                return self.ask(path, result, text, kind)
            case "**":
                return self.ask(path, self.power(node, path), text, kind)
            case "where":
                c = self.condition(node.args[0], path)
                yes = self.conversion(node.args[1], (*path, c), kind)
                no = self.conversion(node.args[2], (*path, negation(c)), kind)
                return conditional(c, yes, no)
            case _:
                args = [self.conversion(a, path, kind) for a in node.args]
                if node.op in CLOSED:
                    return CLOSED[node.op](*args)
                return self.application(node, args, kind, path)

    def application(
        self, node: Term, args: list[Expr], kind: Machine, path: tuple[Condition, ...]
    ) -> Expr:
        """An operator that is nothing but its row, for arguments that it has a value for."""
        row, texts = OTHERS[node.op].row, [self.written.text(a) for a in node.args]
        for k, e in enumerate(args):
            if k in row.natural and not (e.is_Integer and e >= 0):
                self.duties.setdefault(Duty(path, e, 0, kind.high, texts[k], kind, "argument"))
            if k == row.divisor and not (e.is_Integer and e != 0):
                self.duties.setdefault(Duty(path, e, None, None, texts[k], kind, "divisor"))
        return self.ask(path, OTHERS[node.op](*args), self.written.text(node), kind)

    def binary(self, node: Term, a: Expr, to: Machine, path: tuple[Condition, ...]) -> Expr:
        """One operation of two operands, of which the first is at hand."""
        if node.op in ("<<", ">>"):
            return self.shift(node, a, to, path)
        b = self.conversion(node.args[1], path, to)
        if node.op in CLOSED:
            return CLOSED[node.op](a, b)
        if node.op in DIVIDING:
            return self.divide(node, a, b, to, path)
        result = {"+": a + b, "-": a - b, "*": a * b}[node.op]
        return self.ask(path, result, self.written.text(node), to)

    def shift(self, node: Term, a: Expr, to: Machine, path: tuple[Condition, ...]) -> Expr:
        """`a << b` or `a >> b`, by less than the bits of the type."""
        count, text = self.value(node.args[1], path), self.written.text
        if not (count.is_Integer and 0 <= count < to.bits):
            duty = Duty(path, count, 0, to.bits - 1, text(node.args[1]), to, "count")
            self.duties.setdefault(duty)
        power = Exp2(count) if not count.is_Integer or 0 <= count < to.bits else Integer(1)
        return self.ask(path, a * power, text(node), to) if node.op == "<<" else FloorDiv(a, power)

    def power(self, node: Term, path: tuple[Condition, ...]) -> Expr:
        """A value to the power of a number, or 2, 4, 8, ... to that of a size."""
        e, power = (self.value(a, path) for a in node.args)
        if power.is_Integer:
            return e ** int(power)
        if not exponent_of(e):
            message = (
                f"{self.written.text(node)}: only 2, 4, 8, ... are raised to what is not a number"
            )
            raise LayoutError("SL200", message)
        duty = Duty(
            path, power, 0, LONGEST, self.written.text(node.args[1]), Machine(1024), "count"
        )
        self.duties.setdefault(duty)
        return Exp2(exponent_of(e) * power)

    def divide(
        self, node: Term, a: Expr, b: Expr, to: Machine, path: tuple[Condition, ...]
    ) -> Expr:
        """A division or remainder: its divisor is not 0; of a ceiling also `a + b - 1` is computed."""
        text, (first, second) = self.written.text(node), map(self.written.text, node.args)
        if not b.is_Integer or b == 0:
            duty = Duty(path, b, None, None, second, to, "divisor")
            self.duties.setdefault(duty)
        if b == 0:
            raise LayoutError("SL202", f"division by zero in {text}")
        result = DIVIDING[node.op](a, b)
        if node.op == "cdiv":
            self.ask(path, a + b - 1, f"{first} + {second} - 1", to)
        if not (b.is_Integer and b > 0) and to.signed:  # the least value by -1
            quotient = {"%": FloorDiv, "rem": TruncDiv}.get(node.op, DIVIDING[node.op])(a, b)
            duty = Duty(path, quotient, to.low, to.high, text, to, divisor=b)
            self.duties.setdefault(duty)
        return result

    def condition(self, tree: Term, path: tuple[Condition, ...]) -> Condition:
        """What a condition says of the values."""
        from symlayout.expr.conditions import Both, Either

        if tree.op in COMPARISONS:
            to = self.common(tree)
            return comparison(tree.op, *[self.conversion(a, path, to) for a in tree.args])
        if tree.op == "not":
            return negation(self.condition(tree.args[0], path))
        first = self.condition(tree.args[0], path)
        both = tree.op == "and"
        second = self.condition(tree.args[1], (*path, first if both else negation(first)))
        return Both(first, second) if both else Either(first, second)


def extent_duties(f: IndexFunction) -> Iterator[Duty]:
    """Every range, and every side of the box, is of a size >= 0."""
    wide = Machine(1024)
    for v in f.variables:
        yield Duty((), v._high - v._low, 0, None, f"the extent of {v.name}", wide, "extent")
    for d in f._box or ():
        yield Duty((), d, 0, None, f"the extent {d} of the box", wide, "extent")
