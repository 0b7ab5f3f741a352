"""Straight-line programs of integer expressions, for NumPy arrays and for intervals.

An expression becomes a straight line of operations in which equal parts appear once and a
remainder reuses its quotient.  The same line runs on arrays and on intervals; the interval run
tells beforehand whether any intermediate value could leave 64 bits.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr import ranges
from symlayout.expr.operators import BY_OP, CONDITIONS, Operator
from symlayout.expr.terms import Application, Exp2, Where, exponent_of
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.text.limits import VALUE_BITS

INT64 = (-(2**63), 2**63 - 1)

Operand = int | str
Interval = tuple[int, int]


class Step(NamedTuple):
    """`target = left op right` of a straight-line program.

    A division inside a conditional counts only where `where` is not 0.
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

    def put(self, sizes: Mapping[str, int]) -> Program:
        """The program with numbers for names."""

        def of(x: Operand) -> Operand:
            return sizes.get(x, x) if isinstance(x, str) else x

        steps = [Step(s.target, s.op, *map(of, s[2:])) for s in self.steps]
        return Program(tuple(steps), of(self.result))

    def intervals(self, ranges: Mapping[str, Interval]) -> dict[str, Interval]:
        """The interval of every value on the way, given those of the symbols.

        Numbers are among them, and what a ceiling or a quotient towards zero makes of its dividend:
        arrays of a type that does not hold these do not hold the result's way either.
        """
        known: dict[str, Interval] = dict(ranges)

        def of(x: Operand) -> Interval:
            return known.setdefault(f".{x}", (x, x)) if isinstance(x, int) else known[x]

        for s in self.steps:
            a, b = of(s.left), of(s.right)
            known[s.target] = _interval(s.op, a, b)
            if s.op in ("ceildiv", "c/"):
                known[f"-{s.target}"] = (-a[1], -a[0])
        return known

    def python(self, names: tuple[str, ...], guarded: bool = False) -> Callable[..., Any]:
        """The program as a function of NumPy and the named arrays or numbers.

        A guarded function returns `(value, bad)`, bad being true where a divisor was zero.
        """

        def run(np: Any, *arguments: Any) -> Any:
            known: dict[Operand, Any] = dict(zip(names, arguments))
            bad: Any = False
            for target, op, left, right, where in self.steps:
                a = left if isinstance(left, int) else known[left]
                b = right if isinstance(right, int) else known[right]
                if guarded and op in PARTIAL and not (isinstance(right, int) and right > 0):
                    mask = True if where == 1 else known.get(where, where) != 0
                    wrong = undefined(op, a, b)
                    bad = bad | (wrong & mask)
                    a = np.where(wrong, 1, a) if 0 in STEPS[op].natural else a
                    b = np.where(wrong, 1, b)
                known[target] = _on_arrays(STEPS[op], np, a, b)
            value = known.get(self.result, self.result)
            return (value, bad) if guarded else value

        return run

    def schedule(self, names: tuple[str, ...], kind: Any) -> Schedule:
        """The steps as calls on numbered arrays of one type, each taken again when nobody reads it."""
        import numpy as np

        last: dict[Operand, int] = {}
        for n, s in enumerate(self.steps):
            last |= dict.fromkeys((s.left, s.right), n)
        place: dict[Operand, int] = {x: n for n, x in enumerate(names)}
        plan = Schedule([], [None] * len(names), set(), kind)
        free: list[int] = []

        def of(x: Operand) -> int:
            if x not in place:
                place[x] = plan.slot(np.asarray(x, dtype=kind))
            return place[x]

        for n, (name, op, left, right, _) in enumerate(self.steps):
            a, b = of(left), of(right)
            for x in {left, right}:
                if place[x] in plan.own and last[x] == n:
                    free.append(place[x])  # the same place is read before it is written
            if not free or not STEPS[op].ufunc:
                free.append(plan.slot(None, own=True))
            place[name] = free.pop()
            plan.calls.append((_writer(np, op), a, b, place[name]))
        plan.result = of(self.result)
        return plan


@dataclass
class Schedule:
    """Calls `f(a, b, out=c)` on the values of slots: inputs first, numbers, and arrays of its own."""

    calls: list[tuple[Callable[..., Any], int, int, int]]
    slots: list[Any]
    own: set[int]
    kind: Any
    result: int = 0

    def slot(self, value: Any, own: bool = False) -> int:
        """Another slot; returns its number."""
        self.slots.append(value)
        if own:
            self.own.add(len(self.slots) - 1)
        return len(self.slots) - 1

    def sized(self, np: Any, count: int) -> list[Any]:
        """The slots, with arrays of so many elements."""
        return [
            np.empty(count, self.kind) if n in self.own else x for n, x in enumerate(self.slots)
        ]

    def run(self, slots: list[Any], blocks: Sequence[Any], target: Any) -> None:
        """Writes the values of a block to the target, whose type may be a longer one."""
        slots[: len(blocks)] = blocks
        if self.calls and target.dtype == self.kind:
            last = self.calls[-1][-1]
            slots[last] = target  # what is on the way may stand there as well
        for f, a, b, out in self.calls:
            f(slots[a], slots[b], out=slots[out])
        if slots[self.result] is not target:
            target[...] = slots[self.result]


def _writer(np: Any, op: str) -> Callable[..., Any]:
    """An operation as `f(a, b, out=c)`."""
    row = STEPS[op]
    if row.ufunc:
        return getattr(np, row.ufunc)  # type: ignore[no-any-return]
    return lambda a, b, out: np.copyto(out, _on_arrays(row, np, a, b), casting="same_kind")


def _on_arrays(row: Operator, np: Any, *pair: Any) -> Any:
    return row.on_arrays(np, *pair[: row.arity])


def _shifted(np: Any, a: Any, b: Any) -> Any:
    """`a << b`; raises OverflowError for numbers that nobody computes with."""
    if np.size(b) and np.max(b) > VALUE_BITS:
        raise OverflowError(f"a shift by {np.max(b)}")
    return a << b


def _infix(op: str, value: Callable[[Any, Any], Any], **columns: Any) -> Operator:
    return Operator("", op, value, numpy=lambda np, a, b: value(a, b), **columns)


# what a step does: the operators of expressions, of which one of a single argument has 0 beside it,
# and those that sums, products and powers are made of
STEPS: dict[str, Operator] = {
    **BY_OP,
    "+": _infix("+", operator.add, ufunc="add", interval=ranges.add),
    "-": _infix("-", operator.sub, ufunc="subtract", interval=ranges.subtract),
    "*": _infix("*", operator.mul, ufunc="multiply", interval=ranges.multiply),
    ">>": _infix(
        ">>", operator.rshift, natural=(1,), ufunc="right_shift", interval=ranges.shift_right
    ),
    "<<": Operator(
        "", "<<", operator.lshift, natural=(1,), numpy=_shifted, interval=ranges.shift_left
    ),
    "<": CONDITIONS["<"],
}
PARTIAL = frozenset([op for op, row in STEPS.items() if row.natural or row.divisor is not None])


def undefined(op: str, a: Any, b: Any) -> Any:
    """Where an operation of `PARTIAL` has no value, of numbers or of arrays."""
    row, pair = STEPS[op], (a, b)
    if row.divisor is not None:
        return pair[row.divisor] == 0
    return reduce(operator.or_, [pair[k] < 0 for k in row.natural])


def _interval(op: str, a: Interval, b: Interval) -> Any:
    row = STEPS[op]
    if row.divisor is not None and b[0] <= 0 <= b[1]:
        raise LayoutError("SL202", "a divisor can be 0")
    for low in [(a, b)[k][0] for k in row.natural]:
        if low < 0:
            raise LayoutError("SL202", f"{op} can be of {low}: it must be of 0 or more")
    return row.interval(*(a, b)[: row.arity])


def each_once(values: Any) -> Any:
    """The numbers of an array, each once, in order; NumPy's own imports its masked arrays."""
    import numpy as np

    values = np.sort(values)
    new = np.ones(len(values), dtype=bool)
    new[1:] = values[1:] != values[:-1]
    return values[new]


@lru_cache(maxsize=1024)
def program(e: Expr, masks: bool = False) -> Program:
    """The straight-line program of an expression, powers of two divided by with shifts and `masks`."""
    compiler = _Compiler(masks)
    result = compiler.visit(e)
    return Program(tuple(compiler.steps), result)


_QUOTIENT = {"%": "//", "c%": "c/"}


class _Compiler:
    """The steps of expressions, each value computed once."""

    def __init__(self, masks: bool) -> None:
        self.masks = masks
        self.steps: list[Step] = []
        self.done: dict[tuple[str, Operand, Operand, Operand], str] = {}
        self.memo: dict[tuple[Expr, Operand], Operand] = {}
        self.where: Operand = 1  # what is not 0 where the present branch of conditionals is taken

    def emit(self, op: str, a: Operand, b: Operand) -> Operand:
        """The name of a step's value."""
        key = (op, a, b, self.where if op in PARTIAL else 1)
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
        if isinstance(x, Where):
            return self.choice(x)
        if isinstance(x, Exp2):
            return self.emit("<<", 1, self.visit(x.args[0]))
        if not isinstance(x, Application):
            raise LayoutError("SL203", f"{x} is not an integer expression")
        row, parts = x.row, [self.visit(a) for a in x.args]
        if self.masks and row.op in ("//", "%") and (bits := exponent_of(x.args[1])):
            short = (">>", bits) if row.op == "//" else ("&", (1 << bits) - 1)
            return self.emit(short[0], parts[0], short[1])
        if row.form == "remainder":  # what is left without the quotient
            product = self.emit("*", self.emit(_QUOTIENT[row.op], *parts), parts[1])
            return self.emit("-", parts[0], product)
        return self.emit(row.op, parts[0], 0) if row.arity == 1 else self.fold(row.op, parts)

    def choice(self, x: Expr) -> Operand:
        """`a` where p < q, else `b`: b + (p < q)*(a - b), with divisions that count on their branch."""
        p, q, a, b = x.args
        first, outer = self.emit("<", self.visit(p), self.visit(q)), self.where
        branches = []
        for e, condition in ((a, first), (b, self.emit("-", 1, first))):
            self.where = condition if outer == 1 else self.emit("*", outer, condition)
            branches.append(self.visit(e))
        self.where = outer
        return self.emit("+", branches[1], self.emit("*", first, self.emit("-", *branches)))

    def fold(self, op: str, parts: Iterable[Operand]) -> Operand:
        """The parts joined from the left."""
        return reduce(lambda a, b: self.emit(op, a, b), parts)

    def total(self, x: Expr) -> Operand:
        """A sum: what is added first, then what is taken away."""
        signs = [(t.could_extract_minus_sign(), t) for t in x.args]
        plus = [self.visit(t) for minus, t in signs if not minus]
        subtrahends = [self.visit(-t) for minus, t in signs if minus]
        return self.fold("-", [self.fold("+", plus) if plus else 0, *subtrahends])


def check_range(e: Expr, code: Program, ranges: Mapping[str, Interval]) -> None:
    """Raises `LayoutError` (SL401) when an intermediate value could leave 64 bits."""
    for name, (low, high) in code.intervals(ranges).items():
        if low < INT64[0] or high > INT64[1]:
            what = "an intermediate value" if "." in name else f"the value of {name}"
            worst = high if high > INT64[1] else low
            raise LayoutError("SL401", f"{what} of {e} can reach {worst}, beyond 64-bit integers")
