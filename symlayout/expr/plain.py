"""An expression that is asked for many values becomes a function of plain integers.

The function computes equal parts once, by the same Python operations that each part is defined by.
It has no errors of its own: where it has no value, whoever asks goes through the expression, which
says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

INLINE = frozenset(["quotient", "remainder", "bits"])  # whose Python needs nothing imported
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
            if self.run is None:
                return None
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


def function(*exprs: Expr) -> Callable[[Mapping[str, int]], Any] | None:
    """The expression as a compiled function; None where a part is not always computed.

    >>> from symlayout.expr.terms import FloorDiv
    >>> function(FloorDiv(Symbol("i"), 4) + 1)({"i": 7})
    2

    Of several expressions it returns a tuple.  It raises KeyError without a value, TypeError for one
    that is no int, and what a division raises.
    """
    body = Lines()
    results = [body.of(e) for e in exprs]
    if None in results:
        return None
    space: dict[str, Any] = dict(body.calls)
    code = "\n    ".join(["def run(env):", *body.lines, f"return {', '.join(map(str, results))}"])
    exec(compile(code, "<expression>", "exec"), space)
    return space["run"]  # type: ignore[no-any-return]


class Lines:
    """Assignments of one operation each; `within` has those of what depends on a variable.

    `names` has the text of the variable's value, which is an int, and of other values at hand.
    """

    def __init__(self, variable: str = "", text: str = "") -> None:
        self.names = {variable: text} if variable else {}
        self.varying = {variable}
        self.lines, self.within = list[str](), list[str]()
        self.calls: dict[str, Any] = {"TypeError": TypeError}
        self.known: dict[Expr, str | None] = {}

    def varies(self, e: Expr) -> bool:
        """Whether it depends on the variable."""
        return any(s.name in self.varying for s in e.free_symbols)

    def define(self, name: str, e: Expr) -> bool:
        """From now on the name has the value of an expression; False where it has none."""
        text = self.of(e)
        if text is None:
            return False
        self.names[name] = text
        self.varying |= {name} if self.varies(e) else set()
        return True

    def of(self, e: Expr) -> str | None:
        """The name of the expression's value."""
        if e not in self.known:
            text = self.text(e)
            if text is not None and not isinstance(e, Integer) and str(e) not in self.names:
                name = f"v{len(self.lines) + len(self.within)}"
                into = self.within if self.varies(e) else self.lines
                into.append(f"{name} = {text}")
                if isinstance(e, Symbol):
                    into.append(f"if type({name}) is not int: raise TypeError")
                text = name
            self.known[e] = text
        return self.known[e]

    def text(self, e: Expr) -> str | None:
        """The operation on its parts' names."""
        if isinstance(e, Integer):
            return f"({int(e)})"
        if isinstance(e, Symbol):
            return self.names.get(e.name) or f"env[{e.name!r}]"
        parts = [self.of(a) for a in e.args]
        if not parts or None in parts:
            return None
        if isinstance(e, (Add, Mul)):
            return (" + " if isinstance(e, Add) else " * ").join(map(str, parts))
        if isinstance(e, Pow):
            power = e.args[1]
            return f"{parts[0]} ** {parts[1]}" if power.is_Integer and power > 0 else None
        row = getattr(type(e), "row", None)
        if row is None or row.form == "choice":
            return None
        if row.form in INLINE:
            return str(row.code["Python"].format(*parts))
        name = f"f{len(self.calls)}"
        self.calls[name] = row.value
        into = self.within if self.varies(e) else self.lines
        into += [f"if {parts[k]} < 0: raise ZeroDivisionError" for k in row.natural]
        if row.arity is not None:
            return f"{name}({', '.join(map(str, parts))})"
        return reduce(lambda text, part: f"{name}({text}, {part})", map(str, parts))


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
