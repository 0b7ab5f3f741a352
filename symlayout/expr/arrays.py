"""Evaluating an integer expression on NumPy arrays, with every intermediate value in int64.

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
INT32 = (-(2**31), 2**31 - 1)
MANY = 4  # operations that pay for making 64 bits into 32
FEW = 1024  # elements from which on a program is made shorter for the sizes
BLOCK = 1 << 15  # elements at a time: the temporaries stay in the cache

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
        """The program as a compiled function of the named arrays or numbers.

        A guarded function returns `(value, bad)`, bad being true where a divisor was zero.
        """
        own = {name: f"v_{k}" for k, name in enumerate(names)}  # no name becomes code
        lines = [f"def run({', '.join(['np', *own.values()])}):", "    bad = False"]
        for n, s in enumerate(self.steps):
            a, b = _text(s.left, own), _text(s.right, own)
            if guarded and s.op in DIVIDING and not (isinstance(s.right, int) and s.right):
                there = "" if s.where == 1 else f" & ({_text(s.where, own)} != 0)"
                lines.append(f"    bad = bad | (({b} == 0){there})")
                lines.append(f"    d_{n} = np.where({b} == 0, 1, {b})")
                b = f"d_{n}"
            lines.append(f"    {_text(s.target, own)} = " + _TEMPLATES[s.op].format(a=a, b=b))
        lines.append(f"    return {_text(self.result, own)}" + (", bad" if guarded else ""))
        space: dict[str, Any] = {}
        exec(compile("\n".join(lines), "<index formula>", "exec"), space)
        return space["run"]  # type: ignore[no-any-return]


_TEMPLATES = {
    "+": "{a} + {b}",
    "-": "{a} - {b}",
    "*": "{a} * {b}",
    "//": "{a} // {b}",
    ">>": "{a} >> {b}",
    "ceil": "-(-{a} // {b})",
    "min": "np.minimum({a}, {b})",
    "max": "np.maximum({a}, {b})",
    "trunc": "np.sign({a}) * np.sign({b}) * (np.abs({a}) // np.abs({b}))",
    "<": "({a} < {b}) * 1",
    "&": "{a} & {b}",
    "|": "{a} | {b}",
    "^": "{a} ^ {b}",
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


def _text(x: Operand, own: Mapping[str, str]) -> str:
    if isinstance(x, int):
        return f"({x})"
    return own[x] if x in own else x.replace(".", "_")


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


def evaluate(
    e: Expr,
    arrays: Mapping[str, Any],
    sizes: Mapping[str, int],
    below: Mapping[str, int] | None = None,
) -> Any:
    """The values of `e` as an int64 array: `arrays` by symbol name are broadcast together.

    >>> from sympy import Symbol
    >>> evaluate(FloorDiv(Symbol("i"), 4) * Symbol("N"), {"i": [0, 5, 9]}, {"N": 10})
    array([ 0, 10, 20])

    `below` gives for each array a limit: its values must lie in [0, limit), which is seen to block
    by block.  Raises `LayoutError`: SL400 for a value that does not, SL401 when an intermediate value
    could leave 64 bits.
    """
    import numpy as np

    made = program(e)
    names = tuple(arrays)
    given = [integers(a) for a in arrays.values()]
    if not given:
        from symlayout.expr.terms import value

        number = value(e, sizes)
        check_range(e, program(e), {n: (v, v) for n, v in sizes.items()})
        if not INT64[0] <= number <= INT64[1]:
            raise LayoutError("SL401", f"{number} is beyond 64-bit integers")
        return np.int64(number)
    shape = np.broadcast_shapes(*[a.shape for a in given])
    if 0 in shape:
        return np.empty(shape, dtype=np.int64)
    known: dict[str, Interval] = {n: (v, v) for n, v in sizes.items()}
    try:
        if below is None:
            raise LayoutError("SL401", "the ranges of the arrays are not known")
        ranges = {n: (0, below[n] - 1) for n in names}
        check_range(e, made, {**ranges, **known})
    except LayoutError:
        ranges = {n: (int(a.min()), int(a.max())) for n, a in zip(names, given)}
        check_range(e, made, {**ranges, **known})
    limits = {} if below is None else {n: below[n] for n in names}
    return Values(dict(zip(names, given)), ranges, limits, dict(sizes)).of(e)


def integers(given: Any) -> Any:
    """An array of 32 or 64 bits, as it is given where it has one of these types."""
    import numpy as np

    array = np.asarray(given)
    return array if array.dtype == np.int32 else np.asarray(array, dtype=np.int64)


class Values(NamedTuple):
    """Arrays by name with the ranges of their values, and numbers: what expressions are made of.

    `limits` are the ranges that are still to be seen to, while the values are in the cache anyway.
    """

    arrays: dict[str, Any]
    ranges: dict[str, Interval]
    limits: dict[str, int]
    sizes: dict[str, int]

    def of(self, e: Expr) -> Any:
        """The values of an expression, of which all intermediate ones fit in 64 bits.

        Arrays that are broadcast together are not made whole: what depends on some of them alone is
        computed of these, and sums of it are added.
        """
        import numpy as np

        shape = np.broadcast_shapes(*[a.shape for a in self.arrays.values()])
        if len({a.shape for a in self.arrays.values()}) == 1:
            return self.at_once(e, shape)
        for name, limit in self.limits.items():
            _within(self.arrays[name], limit)
        groups: dict[frozenset[str], list[Expr]] = {}
        for term in Add.make_args(e):
            free = {s.name for s in term.free_symbols} & self.arrays.keys()
            groups.setdefault(frozenset(free), []).append(term)
        parts = [self.apart(Add(*terms), used) for used, terms in groups.items()]
        parts.sort(key=np.size)
        total = reduce(np.add, parts)  # modulo 2**64, in whatever order
        return total if total.shape == shape else np.broadcast_to(total, shape).copy()

    def apart(self, e: Expr, used: frozenset[str]) -> Any:
        """The values of what depends on these arrays alone, which have been looked at."""
        import numpy as np

        if not used:
            from symlayout.expr.terms import value

            number = value(e, self.sizes)
            return np.int64((number - INT64[0]) % 2**64 + INT64[0])
        arrays = np.broadcast_arrays(*[a for n, a in self.arrays.items() if n in used])
        names = [n for n in self.arrays if n in used]
        ranges = {n: self.ranges[n] for n in names}
        apart = Values(dict(zip(names, arrays)), ranges, {}, self.sizes)
        return apart.at_once(e, arrays[0].shape)

    def at_once(self, e: Expr, shape: tuple[int, ...]) -> Any:
        """The values block by block, in 32 bits where all of them fit."""
        import numpy as np

        from symlayout.expr.shortening import shortened

        out = np.empty(shape, dtype=np.int64)
        flat = [np.ravel(a) for a in self.arrays.values()]
        made, sizes = program(e), self.sizes
        if out.size > FEW:
            made, sizes = shortened(made, sizes), {}
        known = {n: (v, v) for n, v in sizes.items()}
        every = made.intervals({**self.ranges, **known}).values()
        short = all(INT32[0] <= low and high <= INT32[1] for low, high in every)
        short &= len(made.steps) >= MANY or all(a.dtype == np.int32 for a in flat)
        kind = np.int32 if short else np.int64
        tops = [
            (a.view(np.uint32 if a.dtype == np.int32 else np.uint64), self.limits[n])
            for n, a in zip(self.arrays, flat)
            if n in self.limits
        ]
        run = made.python((*self.arrays, *sizes))
        target = out.reshape(-1)
        for start in range(0, target.size, BLOCK):
            stop = start + BLOCK
            for unsigned, top in tops:
                _below(unsigned[start:stop], top)
            blocks = [a[start:stop].astype(kind, copy=False) for a in flat]
            target[start:stop] = run(np, *blocks, *sizes.values())
        return out


def _within(array: Any, limit: int) -> None:
    """Raises `LayoutError` (SL400) for a value that is not in [0, limit)."""
    if int(array.min()) < 0 or int(array.max()) >= limit:
        raise LayoutError("SL400", f"a coordinate is not in [0, {limit})")


def _below(unsigned: Any, limit: int) -> None:
    """The same: as an unsigned number a negative one is larger than any limit."""
    if unsigned.max() >= limit:
        raise LayoutError("SL400", f"a coordinate is not in [0, {limit})")
