"""An expression that is asked for many values becomes a function of plain integers.

The function computes equal parts once, by the same Python operations that each part is defined by.
It has no errors of its own: where it has no value, whoever asks goes through the expression, which
says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from math import prod
from types import CodeType
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

Power = Callable[[int], int]
# whose Python needs nothing imported
INLINE = frozenset(["quotient", "remainder", "bits", "comparison"])
MANY = 100  # terms
DEEPEST = 60  # conditionals in one another
OFTEN = 12  # values from which on it pays to compile


class Usage:
    """How often an expression has been asked for a value, and its function from `OFTEN` times on."""

    times: int

    __slots__ = ("run", "times")

    def __init__(self) -> None:
        self.times = 0
        self.run: Callable[[Mapping[str, int]], int] | None = None

    def value(self, e: Expr, env: Mapping[str, int]) -> int | None:
        """The value; None where the expression itself is to be asked."""
        if self.run is None:
            self.times += 1
            if self.times != OFTEN:
                return None
            self.run = function(e)
        try:
            return self.run(env)
        except (KeyError, TypeError, ZeroDivisionError, LayoutError):
            return None


def usage(e: Expr) -> Usage:
    """The count of an expression, kept with it."""
    if e.usage is None:
        e.usage = Usage()
    count: Usage = e.usage
    return count


def function(*exprs: Expr, power: Power | None = None) -> Callable[[Mapping[str, int]], Any]:
    """The expression as a compiled function, which computes no branch that is not taken.

    >>> from symlayout.expr.terms import FloorDiv
    >>> function(FloorDiv(Symbol("i"), 4) + 1)({"i": 7})
    2

    Of several expressions, or none, it returns a tuple.  It raises KeyError for a name without a value,
    TypeError for one that is not an int, and ZeroDivisionError where an operator has no value.
    """
    body = Lines(power=power)
    results = "".join([f"{body.of(e)}, " for e in exprs])
    body.lines.append(f"return {results[:-2] if len(exprs) == 1 else f'({results})'}")
    run: Callable[[Mapping[str, int]], Any] = defined("run(env)", body.lines, body.calls)
    return run


def defined(head: str, lines: Sequence[str], names: Mapping[str, Any]) -> Any:
    """The function with those lines, in which the names have these values."""
    space = dict(names)
    exec(_compiled("\n    ".join([f"def {head}:", *lines])), space)
    return space[head.partition("(")[0]]


@lru_cache(maxsize=1024)  # claims of one form have the same functions
def _compiled(code: str) -> CodeType:
    return compile(code, "<expression>", "exec")


class Lines:
    """Assignments of one operation each; `within` has those of what depends on a variable.

    `names` has the text of the variable's value, which is an int, and of other values at hand.
    `power` computes powers of two.
    """

    def __init__(self, variable: str = "", text: str = "", power: Power | None = None) -> None:
        self.names = {variable: text} if variable else {}
        self.varying = {variable}
        self.lines, self.within = list[str](), list[str]()
        self.block: list[str] | None = None  # of a branch
        self.depth = self.count = 0
        self.calls: dict[str, Any] = {"TypeError": TypeError}
        self.power = power
        self.known: dict[Expr, str] = {}

    def varies(self, e: Expr) -> bool:
        """Whether it depends on the variable."""
        return any(s.name in self.varying for s in e.free_symbols)

    def into(self, e: Expr) -> list[str]:
        """Where the lines for an expression are written."""
        if self.block is not None:
            return self.block
        return self.within if self.varies(e) else self.lines

    def define(self, name: str, e: Expr) -> None:
        """From now on the name has the value of an expression."""
        text, varies = self.of(e), self.varies(e)
        for x in [x for x in self.known if name in {s.name for s in x.free_symbols}]:
            del self.known[x]
        self.names[name] = text
        (self.varying.add if varies else self.varying.discard)(name)

    def of(self, e: Expr) -> str:
        """The name of the expression's value."""
        if e not in self.known:
            self.known[e] = self.value(e)
        return self.known[e]

    def value(self, e: Expr) -> str:
        """The name of a value that is not known yet."""
        if isinstance(e, Integer):
            return f"({int(e)})"
        if isinstance(e, Symbol):
            if e.name in self.names:
                return self.names[e.name]
            name = self.assigned(e, f"env[{e.name!r}]")
            self.into(e).append(f"if type({name}) is not int: raise TypeError")
            return name
        form = e.row.form if e.is_Function else ""
        if form == "choice":
            p, q, a, b = e.args
            name = self.assigned(e, f"{self.of(p)} < {self.of(q)}")
            self.branch(e, f"if {name}:", a, name)
            self.branch(e, "else:", b, name)
            return name
        if form == "joined":
            first, second = e.args
            name = self.assigned(e, self.of(first))
            self.branch(e, f"if {'not ' * (e.row.op == 'or')}{name}:", second, name)
            return name
        return self.assigned(e, self.text(e, [self.of(a) for a in e.args]))

    def assigned(self, e: Expr, text: str) -> str:
        """The name of a value with that text."""
        self.count += 1
        self.into(e).append(f"v{self.count} = {text}")
        return f"v{self.count}"

    def branch(self, e: Expr, head: str, x: Expr, name: str) -> None:
        """Below the head the name gets the value of another expression, which is a part of `e`."""
        into = self.into(e)
        text = self.of if self.depth < DEEPEST else self.apart
        into += [head, *self.nested(lambda: f"{name} = {text(x)}")]

    def apart(self, x: Expr) -> str:
        """The call of a function of its own: Python allows 100 levels of indentation."""
        names = "".join([f", {n!r}: {text}" for n, text in self.names.items()])
        return f"{self.called(function(x, power=self.power))}({{**env{names}}})"

    def called(self, f: Callable[..., int]) -> str:
        """A name for a function."""
        name = f"f{len(self.calls)}"
        self.calls[name] = f
        return name

    def nested(self, last: Callable[[], str]) -> list[str]:
        """The lines that end with such a one; what they compute is not known after them."""
        outer, mark = self.block, len(self.known)
        self.block, self.depth = [], self.depth + 1
        end = last()
        lines = [f"    {line}" for line in (*self.block, end)]
        self.block, self.depth = outer, self.depth - 1
        while len(self.known) > mark:
            self.known.popitem()
        return lines

    def text(self, e: Expr, parts: list[str]) -> str:
        """The operation on its parts' names."""
        if isinstance(e, Add) and len(parts) > MANY:  # Python's compiler recurs through a sum
            return f"sum(({', '.join(parts)}))"
        if isinstance(e, (Add, Mul)):
            return (" + " if isinstance(e, Add) else " * ").join(parts)
        if isinstance(e, Pow):
            return f"{parts[0]} ** {parts[1]}"
        row = e.row
        if row.form in INLINE:
            return str(row.code["Python"].format(*parts))
        name = self.called(self.power if row.form == "power" and self.power else row.value)
        into = self.into(e)
        into += [f"if {parts[k]} < 0: raise ZeroDivisionError" for k in row.natural]
        into += [
            f"if not {parts[k]}: raise ZeroDivisionError" for k in (row.divisor,) if k is not None
        ]
        if row.arity is not None:
            return f"{name}({', '.join(parts)})"
        return reduce(lambda text, part: f"{name}({text}, {part})", parts)


def places(sides: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The places of a box in row-major order; however long a side is, none is listed.

    >>> from itertools import islice
    >>> list(islice(places((2**40, 2)), 3))
    [(0, 0), (0, 1), (1, 0)]
    """
    for number in range(prod(sides)) if all(d > 0 for d in sides) else ():
        place = [0] * len(sides)
        for k in range(len(sides) - 1, -1, -1):
            number, place[k] = divmod(number, sides[k])
        yield tuple(place)
