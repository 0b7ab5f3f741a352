"""Integer expressions read by Python's own parser and computed on arrays of plain integers.

Nothing of the package is used: this is the reference that its verdicts are held against.  A text is
in one language: with `/` it is C, where `/` and `%` round towards zero, otherwise Python, where `//`
and `%` round down.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

Env = Mapping[str, Any]
Watch = Callable[[Any], None]
FARTHEST = 62  # bits by which arrays of 64 bits are shifted: behind them there are signs alone
WORD = re.compile(r"[A-Za-z_]\w*")
FUNCTIONS = frozenset(
    [
        "min",
        "max",
        "ceildiv",
        "gcd",
        "truncdiv",
        "truncmod",
        "ceil_div",
        "floor_div",
        "floor_mod",
        "min_of",
        "max_of",
        "and",
        "or",
    ]
)  # those with an underscore are helpers of emitted C


def names_in(*texts: str) -> list[str]:
    """The names in the order in which they are written."""
    found = [w for t in texts for w in WORD.findall(t) if w not in FUNCTIONS]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=8192)
def tree(text: str) -> ast.expr:
    """The expression or relation as a tree."""
    return ast.parse(text.strip(), mode="eval").body


@lru_cache(maxsize=8192)
def in_c(text: str) -> bool:
    """Whether the text is C's: it has a single `/`."""
    return any(isinstance(x, ast.Div) for x in ast.walk(tree(text)))


def evaluate(
    text: str, env: Env, *, c: bool | None = None, watch: Watch | None = None
) -> tuple[Any, Any]:
    """The values, and where they are undefined (a division by zero, a shift by less than 0).

    All that is written counts, also where it is multiplied by 0; of a conditional only the branch that
    is taken, and what is behind `and` or `or` only where the left side does not decide.

    `c` reads `/` and `%` as C does; by default the text shows its language.  `watch` is told every
    value on the way, names and numbers included.
    """
    walk = _Walk(env, in_c(text) if c is None else c, watch)
    return walk.visit(tree(text)), walk.bad


def integers(text: str, env: Env) -> Any:
    """The values of an expression; any number where it is undefined."""
    return evaluate(text, env)[0]


def undefined(text: str, env: Env) -> Any:
    """Where an expression has no value."""
    return evaluate(text, env)[1]


def holds(text: str, env: Env, count: int, *, c: bool | None = None) -> Any:
    """Where a relation, or a chain of them, is true; what divides by zero is not."""
    made, bad = evaluate(text, env, c=c)
    return np.broadcast_to(np.asarray(made, dtype=bool) & ~np.asarray(bad, dtype=bool), (count,))


SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def comparisons(text: str) -> list[tuple[str, str, str]]:
    """(left, sign, right) for each comparison of a chain, and of several joined by `and`."""
    node = tree(text)
    found = []
    for part in node.values if isinstance(node, ast.BoolOp) else [node]:
        if isinstance(part, ast.Compare):
            sides = [ast.unparse(e) for e in (part.left, *part.comparators)]
            found += [(a, SIGNS[type(o)], b) for a, o, b in zip(sides, part.ops, sides[1:])]
    return found


class _Walk:
    def __init__(self, env: Env, c: bool, watch: Watch | None) -> None:
        self.env, self.c, self.watch = env, c, watch
        self.bad: Any = False
        self.here: Any = True  # where the node that is visited is computed

    def visit(self, node: ast.expr) -> Any:
        made = self.made(node)
        if self.watch is not None:
            self.watch(made)
        return made

    def made(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.env[node.id]
        if isinstance(node, ast.UnaryOp):
            made = self.visit(node.operand)
            return made if isinstance(node.op, ast.UAdd) else -made
        if isinstance(node, ast.BinOp):
            return self.binary(node.op, self.visit(node.left), self.visit(node.right))
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            return self.call(node.func.id, [self.visit(a) for a in node.args])
        if isinstance(node, ast.Compare):
            return self.chain(node)
        if isinstance(node, ast.IfExp):
            test, before = self.visit(node.test), self.here
            self.here = np.logical_and(before, test)
            taken = self.visit(node.body)
            self.here = np.logical_and(before, np.logical_not(test))
            other = self.visit(node.orelse)
            self.here = before
            return np.where(test, taken, other)
        assert isinstance(node, ast.BoolOp)
        return self.joined(node)

    def chain(self, node: ast.Compare) -> Any:
        """Comparisons one after the other, up to the first that is false."""
        left, made, before = self.visit(node.left), True, self.here
        for op, e in zip(node.ops, node.comparators):
            right = self.visit(e)
            made = made & COMPARE[type(op)](left, right)
            self.here, left = np.logical_and(before, made), right
        self.here = before
        return made

    def joined(self, node: ast.BoolOp) -> Any:
        """Conditions one after the other, up to the first that decides."""
        either, before = isinstance(node.op, ast.Or), self.here
        made: Any = not either
        for e in node.values:
            made = np.logical_or(made, self.visit(e)) if either else made & self.visit(e)
            self.here = np.logical_and(before, np.logical_not(made) if either else made)
        self.here = before
        return made

    def binary(self, op: ast.operator, x: Any, y: Any) -> Any:
        if isinstance(op, ast.Add):
            return x + y
        if isinstance(op, ast.Sub):
            return x - y
        if isinstance(op, ast.Mult):
            return x * y
        if isinstance(op, ast.FloorDiv):
            return x // self.divisor(y)
        if isinstance(op, ast.Pow):
            return x ** self.count(y)
        if isinstance(op, ast.LShift):
            return x * 2 ** self.count(y)
        if isinstance(op, ast.RShift):
            return x // 2 ** self.count(y, FARTHEST)
        if isinstance(op, ast.BitAnd):
            return x & y
        if isinstance(op, ast.Div):
            return _truncated(x, self.divisor(y))
        assert isinstance(op, ast.Mod), op
        y = self.divisor(y)
        return x - _truncated(x, y) * y if self.c else x % y

    def divisor(self, y: Any) -> Any:
        zero = np.equal(y, 0)
        self.bad = self.bad | (self.here & zero)
        return np.where(zero, 1, y) if np.any(zero) else y

    def count(self, y: Any, most: int | None = None) -> Any:
        self.bad = self.bad | (self.here & np.less(y, 0))
        exact = most is None or np.asarray(y).dtype == object or isinstance(y, int)
        return largest(y, 0) if exact else largest(least(y, most), 0)

    def call(self, name: str, args: list[Any]) -> Any:
        if name in ("min", "min_of"):
            return _folded(least, args)
        if name in ("max", "max_of"):
            return _folded(largest, args)
        if name == "gcd":
            return _common(*args)
        x, y = args[0], self.divisor(args[1])
        if name == "floor_div":
            return x // y
        if name == "floor_mod":
            return x % y
        if name == "truncdiv":
            return _truncated(x, y)
        if name == "truncmod":
            return x - _truncated(x, y) * y
        assert name in ("ceildiv", "ceil_div"), name
        return -(-x // y)


def _common(x: Any, y: Any) -> Any:
    """The greatest common divisor, one number after the other, by remainders."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=object), np.asarray(y, dtype=object))
    made = np.empty(x.shape, dtype=object)
    for k, (a, b) in enumerate(zip(x.ravel(), y.ravel())):
        a, b = abs(int(a)), abs(int(b))
        while b:
            a, b = b, a % b
        made.ravel()[k] = a
    return made


COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}


def array_of(x: Any) -> Any:
    """An array; a plain integer that 64 bits do not hold stays one."""
    wide = isinstance(x, int) and not -(2**62) < x < 2**62
    return np.array(x, dtype=object) if wide else np.asarray(x)


def largest(x: Any, y: Any) -> Any:
    """The larger one; plain integers may have any size."""
    return max(x, y) if isinstance(x, int) and isinstance(y, int) else np.maximum(x, y)


def least(x: Any, y: Any) -> Any:
    """The smaller one."""
    return min(x, y) if isinstance(x, int) and isinstance(y, int) else np.minimum(x, y)


def _truncated(x: Any, y: Any) -> Any:
    """The quotient rounded towards zero."""
    whole = abs(x) // abs(y)
    return np.where(np.less(x, 0) == np.less(y, 0), whole, -whole)


def _folded(two: Callable[[Any, Any], Any], args: list[Any]) -> Any:
    made = args[0]
    for a in args[1:]:
        made = two(made, a)
    return made


def top_level(text: str) -> list[str]:
    """The parts between commas that are not inside parentheses."""
    parts, depth = [""], 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]
