"""What a tree of Python's says by itself: dotted names, parameters, operators, who gets values."""

from __future__ import annotations

import ast
from collections.abc import Iterable

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


def last_word(annotation: ast.expr | None) -> str:
    """The last word of an annotation: `constexpr` of `tl.constexpr`."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.split(".")[-1]
    return dotted_name(annotation).split(".")[-1] if annotation is not None else ""


def called(node: ast.Call) -> str:
    """What is called, for people.

    >>> [called(ast.Call(f, [])) for f in (ast.Name("tl"), ast.Subscript(ast.Name("f"), ast.Name("k")))]
    ['tl', 'a call']
    """
    return dotted_name(node.func) or "a call"


def spoken(node: ast.expr, most: int = 40) -> str:
    """The text of an expression for people.

    >>> spoken(ast.parse("range(k, n, CEIL(blocks, 4))", mode="eval").body, 20)
    'range(k, n, CEIL(...'
    """
    text = ast.unparse(node)
    return text if len(text) <= most else f"{text[: most - 3]}..."


def parameters_of(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters that are given by place or by name."""
    return [*positional(function), *function.args.kwonlyargs]


def positional(function: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    """The parameters that are given by their place."""
    return [*function.args.posonlyargs, *function.args.args]


def defaults_of(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The defaults of parameters by their names."""
    spec, names = function.args, [a.arg for a in positional(function)]
    defaults = dict(zip(reversed(names), reversed(spec.defaults)))
    pairs = zip(spec.kwonlyargs, spec.kw_defaults)
    return defaults | {a.arg: d for a, d in pairs if d is not None}


def name_given(x: ast.AST) -> str:
    """The name that a node by itself gives a value or takes it from; "" for none."""
    if isinstance(x, ast.Name) and not isinstance(x.ctx, ast.Load):
        return x.id
    if isinstance(x, ast.alias):
        return x.asname or x.name.split(".")[0]
    if isinstance(x, ast.MatchMapping):
        return x.rest or ""
    return x.name or "" if isinstance(x, NAMED) else ""


def every_node(tree: ast.AST) -> list[ast.AST]:
    """The node and all below it in the order of `ast.walk`, which takes several calls for each.

    >>> [type(x).__name__ for x in every_node(ast.parse("a + b", mode="eval"))][:3]
    ['Expression', 'BinOp', 'Name']
    """
    nodes = [tree]
    for node in nodes:  # it grows while it is read
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif isinstance(value, list):
                for part in value:
                    if isinstance(part, ast.AST):
                        nodes.append(part)
    return nodes


def assigned_names(body: Iterable[ast.AST]) -> set[str]:
    """The names that trees give a value or take it from, in any way that Python has.

    >>> sorted(assigned_names(ast.parse("import a.b\\nfor k, (n, *m) in f(x): del k").body))
    ['a', 'k', 'm', 'n']
    """
    return {name_given(x) for s in body for x in every_node(s)} - {""}


def leaves_early(body: Iterable[ast.stmt]) -> bool:
    """Whether a `break` or `return` may end a loop."""
    return any(isinstance(x, (ast.Break, ast.Return)) for s in body for x in every_node(s))


def returns_inside(body: Iterable[ast.stmt]) -> bool:
    """Whether a `return` stands there."""
    return any(isinstance(x, ast.Return) for s in body for x in every_node(s))
