"""Straight-line programs of integer expressions, for NumPy arrays and for intervals.

An expression becomes a straight line of operations in which equal parts appear once and a
remainder reuses its quotient.  The same line runs on arrays and on intervals; the interval run
tells beforehand whether any intermediate value could leave 64 bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from sympy import Add, Expr, Integer, Mul, Pow, Symbol

from symlayout.errors import LayoutError
from symlayout.expr.operations import BITS, Where
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod

INT64 = (-(2**63), 2**63 - 1)

Operand = int | str
Interval = tuple[int, int]


class Step(NamedTuple):
    """`target = left op right` of a straight-line program.

    A division inside of a conditional counts only where `where` is not 0.
    """

    target: str
    op: str
    left: Operand
    right: Operand
    where: Operand = 1


class Program(NamedTuple):
    """Straight-line code for one expression: its steps, and where the result is."""

    steps: tuple[Step, ...]
    result: Operand

    def intervals(self, ranges: Mapping[str, Interval]) -> dict[str, Interval]:
        """The interval of every intermediate value, given those of the symbols."""
        known: dict[str, Interval] = dict(ranges)

        def of(x: Operand) -> Interval:
            return (x, x) if isinstance(x, int) else known[x]

        for s in self.steps:
            known[s.target] = _interval(s.op, of(s.left), of(s.right))
        return known

    def python(self, names: tuple[str, ...], guarded: bool = False) -> Callable[..., Any]:
        """The program as a function of NumPy and the named arrays or numbers.

        A guarded function returns `(value, bad)`, bad being true where a divisor was zero.
        """

        def run(np: Any, *given: Any) -> Any:
            known: dict[Operand, Any] = dict(zip(names, given))
            bad: Any = False
            for target, op, left, right, where in self.steps:
                a = left if isinstance(left, int) else known[left]
                b = right if isinstance(right, int) else known[right]
                if guarded and op in DIVIDING and not (isinstance(right, int) and right):
                    taken = True if where == 1 else known.get(where, where) != 0
                    bad = bad | ((b == 0) & taken)
                    b = np.where(b == 0, 1, b)
                known[target] = _ON_ARRAYS[op](np, a, b)
            value = known.get(self.result, self.result)
            return (value, bad) if guarded else value

        return run


_ON_ARRAYS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "+": lambda np, a, b: a + b,
    "-": lambda np, a, b: a - b,
    "*": lambda np, a, b: a * b,
    "//": lambda np, a, b: a // b,
    ">>": lambda np, a, b: a >> b,
    "ceil": lambda np, a, b: -(-a // b),
    "min": lambda np, a, b: np.minimum(a, b),
    "max": lambda np, a, b: np.maximum(a, b),
    "trunc": lambda np, a, b: np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b)),
    "<": lambda np, a, b: (a < b) * 1,
    "&": lambda np, a, b: a & b,
    "|": lambda np, a, b: a | b,
    "^": lambda np, a, b: a ^ b,
}
DIVIDING = ("//", "ceil", "trunc")


def value_of_step(op: str, a: int, b: int) -> int:
    """What an operation makes of two numbers.

    >>> value_of_step("ceil", 9, 8), value_of_step("trunc", -9, 8), value_of_step("<", 1, 2)
    (2, -1, 1)
    """
    return int(PLAIN[op](a, b))


PLAIN: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    ">>": operator.rshift,
    "ceil": CeilDiv.python,
    "min": min,
    "max": max,
    "trunc": TruncDiv.python,
    "<": operator.lt,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def _interval(op: str, a: Interval, b: Interval) -> Interval:
    if op == "+":
        return (a[0] + b[0], a[1] + b[1])
    if op == "-":
        return (a[0] - b[1], a[1] - b[0])
    if op == "*":
        ends = [x * y for x in a for y in b]
        return (min(ends), max(ends))
    if op == "min":
        return (min(a[0], b[0]), min(a[1], b[1]))
    if op == "max":
        return (max(a[0], b[0]), max(a[1], b[1]))
    if op == "<":
        return (0, 1)
    if op == ">>" and b[0] == b[1]:
        return (a[0] >> b[0], a[1] >> b[0])
    if op == "&" and (a[0] >= 0 or b[0] >= 0):
        return (0, min(x[1] for x in (a, b) if x[0] >= 0))
    if op in ("&", "|", "^"):
        return _pattern(a, b)
    if b[0] <= 0:
        raise LayoutError("SL202", f"a divisor can be {b[0]}: it must be positive")
    ends = [f(x, y) for x in a for y in b for f in (_floor, _ceil)]
    return (min(ends), max(ends))


def _pattern(a: Interval, b: Interval) -> Interval:
    """Of as many bits as the longer, and a sign where one has it."""
    top = 2 ** max(max(x, ~x).bit_length() for x in (*a, *b)) - 1
    return (0 if min(*a, *b) >= 0 else -top - 1, top)


def _floor(x: int, y: int) -> int:
    return x // y


def _ceil(x: int, y: int) -> int:
    return -(-x // y)


@lru_cache(maxsize=1024)
def program(e: Expr) -> Program:
    """The straight-line program of an expression."""
    compiler = _Compiler()
    result = compiler.visit(e)
    return Program(tuple(compiler.steps), result)


class _Compiler:
    """The steps of expressions, each value computed once."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.done: dict[tuple[str, Operand, Operand, Operand], str] = {}
        self.memo: dict[tuple[Expr, Operand], Operand] = {}
        self.where: Operand = 1  # what is not 0 where the present branch of conditionals is taken

    def emit(self, op: str, a: Operand, b: Operand) -> Operand:
        """The name of a step's value."""
        key = (op, a, b, self.where if op in DIVIDING else 1)
        if key not in self.done:
            self.done[key] = f"t.{len(self.steps)}"  # no symbol has such a name
            self.steps.append(Step(self.done[key], *key))
        return self.done[key]

    def visit(self, x: Expr) -> Operand:
        """Where the value of an expression stands; raises `LayoutError` (SL203)."""
        key = (x, self.where)
        if key not in self.memo:
            self.memo[key] = self.build(x)
        return self.memo[key]

    def build(self, x: Expr) -> Operand:
        """The steps of an expression that is new."""
        if isinstance(x, Integer):
            return int(x)
        if isinstance(x, Symbol):
            return str(x.name)
        if isinstance(x, Add):
            return self.total(x)
        if isinstance(x, Mul):
            return self.fold("*", [self.visit(a) for a in x.args])
        if isinstance(x, Pow):
            return self.fold("*", [self.visit(x.base)] * int(x.exp))
        if isinstance(x, (Min, Max)):
            return self.fold("min" if isinstance(x, Min) else "max", map(self.visit, x.args))
        if isinstance(x, Where):
            return self.choice(x)
        if type(x) in BITS:
            return self.fold(BITS[type(x)], map(self.visit, x.args))
        if not isinstance(x, (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)):
            raise LayoutError("SL203", f"{x} is no integer expression")
        a, b = (self.visit(y) for y in x.args)
        if isinstance(x, CeilDiv):
            return self.emit("ceil", a, b)
        quotient = self.emit("trunc" if isinstance(x, (TruncDiv, TruncMod)) else "//", a, b)
        if isinstance(x, (FloorDiv, TruncDiv)):
            return quotient
        return self.emit("-", a, self.emit("*", quotient, b))

    def choice(self, x: Expr) -> Operand:
        """`a` where p < q, else `b`: b + (p < q)*(a - b), with divisions that count on their branch."""
        p, q, a, b = x.args
        first, outer = self.emit("<", self.visit(p), self.visit(q)), self.where
        made = []
        for e, taken in ((a, first), (b, self.emit("-", 1, first))):
            self.where = taken if outer == 1 else self.emit("*", outer, taken)
            made.append(self.visit(e))
        self.where = outer
        return self.emit("+", made[1], self.emit("*", first, self.emit("-", *made)))

    def fold(self, op: str, parts: Iterable[Operand]) -> Operand:
        """The parts joined from the left."""
        return reduce(lambda a, b: self.emit(op, a, b), parts)

    def total(self, x: Expr) -> Operand:
        """A sum: what is added first, then what is taken away."""
        signs = [(t.could_extract_minus_sign(), t) for t in x.args]
        plus = [self.visit(t) for minus, t in signs if not minus]
        taken = [self.visit(-t) for minus, t in signs if minus]
        return self.fold("-", [self.fold("+", plus) if plus else 0, *taken])


def check_range(e: Expr, made: Program, ranges: Mapping[str, Interval]) -> None:
    """Raises `LayoutError` (SL401) when an intermediate value could leave 64 bits."""
    for name, (low, high) in made.intervals(ranges).items():
        if low < INT64[0] or high > INT64[1]:
            what = "an intermediate value" if "." in name else f"the value of {name}"
            worst = high if high > INT64[1] else low
            raise LayoutError("SL401", f"{what} of {e} can reach {worst}, beyond 64-bit integers")
