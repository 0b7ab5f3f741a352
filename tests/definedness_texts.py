"""Maps as texts, read by Python's own parser: what they come to in plain integers, and where nowhere.

Shares nothing with the package: a text is split at its punctuation, `ast` reads its expressions, and a
walk through the tree computes them, one branch of a conditional at a time.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Env = dict[str, int]


class Undefined(Exception):
    """There is no value."""


def _divides(a: int, b: int) -> int:
    if b == 0:
        raise Undefined
    return b


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(_divides(a, b))
    return quotient if (a < 0) == (b < 0) else -quotient


def _count(k: int) -> int:
    if k < 0:
        raise Undefined
    return k


BINARY: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: lambda a, b: a // _divides(a, b),
    ast.Mod: lambda a, b: a % _divides(a, b),
    ast.LShift: lambda a, b: a << _count(b),
    ast.RShift: lambda a, b: a >> _count(b),
    ast.Pow: lambda a, b: a ** _count(b),
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY: dict[type, Callable[[int], int]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
COMPARE: dict[type, Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
CALLS: dict[str, Callable[..., int]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "ceildiv": lambda a, b: -(-a // _divides(a, b)),
    "cdiv": lambda a, b: -(-a // _divides(a, b)),
    "floordiv": lambda a, b: a // _divides(a, b),
    "mod": lambda a, b: a % _divides(a, b),
    "truncdiv": _truncated,
    "truncmod": lambda a, b: a - b * _truncated(a, b),
    **{cast: lambda a: a for cast in ("int32", "int64", "uint32", "size_t")},
}


C_SIGNS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "/",
    ast.Mod: "%",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.And: " && ",
    ast.Or: " || ",
}


def in_c(e: ast.expr) -> str:
    """The expression as C's, whose `/` and `%` round towards zero: it means something else there."""
    match e:
        case ast.BinOp(left=a, op=op, right=b):
            return f"({in_c(a)} {C_SIGNS[type(op)]} {in_c(b)})"
        case ast.UnaryOp(op=ast.Not(), operand=a):
            return f"!({in_c(a)})"
        case ast.UnaryOp(op=op, operand=a):
            return f"({C_SIGNS[type(op)]}{in_c(a)})"
        case ast.IfExp(test=c, body=a, orelse=b):
            return f"({in_c(c)} ? {in_c(a)} : {in_c(b)})"
        case ast.BoolOp(op=op, values=parts):
            return f"({C_SIGNS[type(op)].join(map(in_c, parts))})"
        case ast.Compare(left=a, ops=ops, comparators=others):
            sides = [in_c(x) for x in (a, *others)]
            pairs = zip(sides, ops, sides[1:])
            return f"({' && '.join(f'{x} {C_SIGNS[type(op)]} {y}' for x, op, y in pairs)})"
        case ast.Call(func=ast.Name(id=word), args=args):
            return f"{word}({', '.join(map(in_c, args))})"
    return ast.unparse(e)


class Truncating(ast.NodeTransformer):
    """Divisions as C's."""

    def visit_BinOp(self, e: ast.BinOp) -> ast.expr:
        self.generic_visit(e)
        words = {ast.FloorDiv: "truncdiv", ast.Mod: "truncmod"}
        word = words.get(type(e.op))
        return ast.Call(ast.Name(word), [e.left, e.right], []) if word else e


def parsed(text: str) -> ast.expr:
    """The tree of an expression or a condition."""
    return ast.parse(text.strip(), mode="eval").body


def value(e: ast.expr, env: Env) -> Any:
    """What it comes to; raises `Undefined`."""
    match e:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return env[name]
        case ast.BinOp(left=a, op=op, right=b):
            return BINARY[type(op)](value(a, env), value(b, env))
        case ast.UnaryOp(op=ast.Not(), operand=a):
            return not value(a, env)
        case ast.UnaryOp(op=op, operand=a):
            return UNARY[type(op)](value(a, env))
        case ast.IfExp(test=c, body=a, orelse=b):
            return value(a if value(c, env) else b, env)
        case ast.BoolOp(op=op, values=parts):
            stop = isinstance(op, ast.Or)
            return next((stop for p in parts if bool(value(p, env)) == stop), not stop)
        case ast.Compare(left=a, ops=ops, comparators=others):
            left = value(a, env)
            for op, other in zip(ops, others):
                right = value(other, env)
                if not COMPARE[type(op)](left, right):
                    return False
                left = right
            return True
        case ast.Call(func=ast.Name(id=word), args=args):
            return CALLS[word](*[value(a, env) for a in args])
    raise AssertionError(ast.dump(e))


def split(text: str, mark: str = ",") -> list[str]:
    """The parts between marks that stand in no parentheses."""
    parts, depth, k = [""], 0, 0
    while k < len(text):
        c = text[k]
        depth += (c in "([") - (c in ")]")
        if not depth and text.startswith(mark, k):
            parts.append("")
            k += len(mark)
        else:
            parts[-1] += c
            k += 1
    return parts


def row(text: str) -> list[ast.expr]:
    """One expression, or those of a tuple."""
    tree = parsed(text)
    return list(tree.elts) if isinstance(tree, ast.Tuple) else [tree]


class Plain(NamedTuple):
    """A map as it is written."""

    variables: list[tuple[str, ast.expr, ast.expr]]
    guard: ast.expr | None
    lets: list[tuple[str, ast.expr]]
    results: list[ast.expr]
    box: list[ast.expr] | None

    @staticmethod
    def of(text: str) -> Plain:
        """The map of a text."""
        head, _, body = text.strip().removeprefix("map ").partition(":")
        domain, *guard = split(head, " if ")
        variables = []
        for part in split(domain):
            sides = re.fullmatch(r"(?:(.*?)<=)?\s*(\w+)\s*<(?!=)(.*)", part.strip())
            assert sides is not None, part
            variables.append((sides[2], parsed(sides[1] or "0"), parsed(sides[3])))
        *lets, last = split(body, ";")
        result, *box = split(last, " in ")
        definitions = [(t.partition("=")[0].strip(), parsed(t.partition("=")[2])) for t in lets]
        return Plain(
            variables,
            parsed(guard[0]) if guard else None,
            definitions,
            row(result),
            row(box[0]) if box else None,
        )

    def changed(self, change: Callable[[ast.expr], Any]) -> Plain:
        """The map with every expression changed."""
        return Plain(
            [(name, change(low), change(high)) for name, low, high in self.variables],
            None if self.guard is None else change(self.guard),
            [(name, change(e)) for name, e in self.lets],
            list(map(change, self.results)),
            None if self.box is None else list(map(change, self.box)),
        )

    def c_text(self) -> str:
        """The same text in C."""
        domain = ", ".join(
            f"{in_c(low)} <= {name} < {in_c(high)}" for name, low, high in self.variables
        )
        guard = "" if self.guard is None else f" if {in_c(self.guard)}"
        lets = "".join(f"{name} = {in_c(e)}; " for name, e in self.lets)
        rows = [", ".join(map(in_c, row)) for row in (self.results, self.box or ())]
        result, box = (f"({row})" if "," in row else row for row in rows)
        return f"map {domain}{guard}: {lets}{result}" + (f" in {box}" if self.box else "")

    def extents(self, sizes: Env) -> list[int]:
        """The box; raises `Undefined` where it, or a range of sizes alone, is none."""
        own = {name for name, *_ in self.variables}
        for _, low, high in self.variables:
            names = {n.id for e in (low, high) for n in ast.walk(e) if isinstance(n, ast.Name)}
            if names.isdisjoint(own) and value(high, sizes) < value(low, sizes):
                raise Undefined
        box = [value(d, sizes) for d in self.box or ()]
        if any(d < 0 for d in box):
            raise Undefined
        return box

    def places(self, env: Env, k: int = 0) -> Iterator[tuple[int, ...]]:
        """The coordinates in order, whether or not the guard is true there."""
        if k == len(self.variables):
            yield ()
            return
        name, low, high = self.variables[k]
        first, end = value(low, env), value(high, env)
        if end < first:
            raise Undefined
        for x in range(first, end):
            for rest in self.places({**env, name: x}, k + 1):
                yield (x, *rest)

    def at(self, place: tuple[int, ...], sizes: Env) -> tuple[int, ...] | None:
        """The results; None where the guard is false."""
        env = {**sizes, **{name: x for (name, *_), x in zip(self.variables, place)}}
        if self.guard is not None and not value(self.guard, env):
            return None
        for name, e in self.lets:
            env[name] = value(e, env)
        return tuple(value(e, env) for e in self.results)

    def image(self, sizes: Env) -> tuple[list[int], dict[tuple[int, ...], tuple[int, ...]]]:
        """The box, and the results by point."""
        box = self.extents(sizes)
        points = {p: self.at(p, sizes) for p in self.places(sizes)}
        return box, {p: r for p, r in points.items() if r is not None}


def count(box: list[int]) -> int:
    """How many places a box has."""
    total = 1
    for d in box:
        total *= d
    return total


def true(word: str, maps: list[Plain], sizes: Env) -> bool:
    """Whether a claim is defined and true at sizes."""
    try:
        images = [m.image(sizes) for m in maps]
    except Undefined:
        return False
    (box, first), (_, second) = images[0], images[-1]
    results = list(first.values())
    inside = all(0 <= x < d for r in results for x, d in zip(r, box))
    apart = len(set(results)) == len(results)
    full = {r for r in results if all(0 <= x < d for x, d in zip(r, box))}
    match word:
        case "bounded":
            return inside
        case "injective":
            return apart
        case "onto":
            return len(full) == count(box)
        case "bijective":
            return inside and apart and len(full) == count(box)
        case "valid":
            return inside and apart
        case "equal":
            return first == second
        case "disjoint":
            return set(results).isdisjoint(second.values())
        case "inverse":
            there = all(second.get(r) == p for p, r in first.items())
            return there and all(first.get(r) == p for p, r in second.items())
    raise AssertionError(word)
