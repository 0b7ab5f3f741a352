"""What a tree of Python's says by itself: dotted names, parameters, operators, who gets values."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
COMPARED: dict[type[ast.cmpop], str] = {
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Eq: "==", ast.NotEq: "!="},
}
NAMED = (
    *(ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef),
    *(ast.MatchAs, ast.MatchStar, ast.ExceptHandler),
)
CEILINGS = frozenset(["cdiv", "ceildiv", "divup", "divceil", "ceildivide"])


def is_ceiling(word: str) -> bool:
    """Whether a function of that name divides and rounds up.

    >>> is_ceiling("ceil_div"), is_ceiling("floordiv")
    (True, False)
    """
    return word.replace("_", "").lower() in CEILINGS


def dotted_name(node: ast.expr) -> str:
    """`tl.math.exp` of that expression; "" for what is no name with dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def parameters_of(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters that are given by place or by name."""
    return [*positional(function), *function.args.kwonlyargs]


def positional(function: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    """The parameters that are given by their place."""
    return [*function.args.posonlyargs, *function.args.args]


def defaults_of(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The defaults of parameters by their names."""
    spec, names = function.args, [a.arg for a in positional(function)]
    made = dict(zip(reversed(names), reversed(spec.defaults)))
    pairs = zip(spec.kwonlyargs, spec.kw_defaults)
    return made | {a.arg: d for a, d in pairs if d is not None}


def names_given(body: Iterable[ast.AST]) -> Iterator[str]:
    """The names that trees give a value or take it from, in any way that Python has, each as often.

    >>> sorted(names_given(ast.parse("import a.b\\nfor k, (n, *m) in f(x): del k").body))
    ['a', 'k', 'k', 'm', 'n']
    """
    for x in (x for s in body for x in ast.walk(s)):
        word = name_given(x)
        if word:
            yield word


def name_given(x: ast.AST) -> str:
    """The name that a node by itself gives a value or takes it from; "" for none."""
    if isinstance(x, ast.Name) and not isinstance(x.ctx, ast.Load):
        return x.id
    if isinstance(x, ast.alias):
        return x.asname or x.name.split(".")[0]
    if isinstance(x, ast.MatchMapping):
        return x.rest or ""
    return x.name or "" if isinstance(x, NAMED) else ""


def assigned_names(body: Iterable[ast.AST]) -> set[str]:
    """The names that statements give a value, in any way that Python has."""
    return {*names_given(body)}


def leaves_early(body: Iterable[ast.stmt]) -> bool:
    """Whether a `break` or `return` may end a loop."""
    return any(isinstance(x, (ast.Break, ast.Return)) for s in body for x in ast.walk(s))


def returns_inside(body: Iterable[ast.stmt]) -> bool:
    """Whether a `return` stands there."""
    return any(isinstance(x, ast.Return) for s in body for x in ast.walk(s))
