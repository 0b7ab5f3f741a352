"""What names mean by the definitions above them, where those are sure to be the last."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from copy import deepcopy

DEPTH = 12  # definitions that stand in one another
OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
PLAIN = (*OPERATIONS, ast.Name, ast.Constant, ast.expr_context)
# blocks from outside, the place in each, its owner
Path = list[tuple[list[ast.stmt], int, ast.AST]]


class Definitions:
    """The definitions of a Python file."""

    def __init__(self, tree: ast.AST) -> None:
        self.tree = tree

    def put_in(self, node: ast.expr, statement: ast.stmt, known: Collection[str]) -> ast.expr:
        """The expression with definitions in the place of the names that are not known."""
        path = _path(self.tree, statement)
        return self._expansion(node, path, frozenset(known), 0) if path else node

    def _expansion(self, node: ast.expr, path: Path, known: frozenset[str], depth: int) -> ast.expr:
        table: dict[str, ast.expr] = {}
        for x in ast.walk(node):
            if isinstance(x, ast.Name) and x.id not in known and x.id not in table:
                nodes = _definition(x.id, path)
                if nodes is not None and depth < DEPTH:
                    value, there = nodes
                    table[x.id] = self._expansion(value, there, known, depth + 1)
        result = _Put(table).visit(deepcopy(node))
        assert isinstance(result, ast.expr)
        return result


class _Put(ast.NodeTransformer):
    def __init__(self, table: dict[str, ast.expr]) -> None:
        self.table = table

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.table.get(node.id, node)


def _path(tree: ast.AST, statement: ast.stmt) -> Path:
    """The blocks around a statement."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(tree, name, None)
        if not isinstance(block, list):
            continue
        for k, s in enumerate(block):
            if s is statement:
                return [(block, k, tree)]
            inner = _path(s, statement)
            if inner:
                return [(block, k, tree), *inner]
    return []


def _definition(word: str, path: Path) -> tuple[ast.expr, Path] | None:
    """The value that a name has there, and where that is computed; None where it is not sure."""
    for level in range(len(path) - 1, -1, -1):
        block, at, owner = path[level]
        for k in range(at - 1, -1, -1):
            if word not in set(_targets(block[k])):
                continue
            value = _value(block[k], word)
            if value is None or not _stays(value, block[k + 1 : at], path[level + 1 :]):
                return None
            return value, [*path[:level], (block, k, owner)]
        if isinstance(owner, (ast.For, ast.While)) and word in set(_targets(owner)):
            return None
        if isinstance(owner, (ast.FunctionDef, ast.Module, ast.ClassDef)):
            return None
    return None


def _value(statement: ast.stmt, word: str) -> ast.expr | None:
    """The arithmetic that a plain assignment gives a name."""
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    if not isinstance(target, ast.Name) or target.id != word:
        return None
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.expr) or isinstance(value, ast.Constant):
        return value if isinstance(value, ast.Constant) and type(value.value) is int else None
    if not all(isinstance(x, PLAIN) for x in ast.walk(value)):
        return None
    return None if isinstance(value, ast.Name) and value.id == word else value


def _stays(value: ast.expr, between: list[ast.stmt], below: Path) -> bool:
    """Whether nothing that the value speaks of changes before it is used."""
    words = {x.id for x in ast.walk(value) if isinstance(x, ast.Name)}
    later = list(between)
    for block, at, owner in below:
        later += block[:at]
        if isinstance(owner, (ast.For, ast.While)):
            later.append(owner)
    return not any(words & set(_targets(s)) for s in later)


def _targets(node: ast.AST) -> Iterator[str]:
    """The names that get a value in it, or whose value is changed where it lies.

    >>> lines = ["q = 1", "q[:] = 1", "import p as q", "add(p, 1, out=q)", "q.fill(1)", "p = f(q)"]
    >>> ["q" in _targets(ast.parse(line)) for line in lines]
    [True, True, True, True, True, False]
    """
    for x in ast.walk(node):
        if isinstance(getattr(x, "ctx", None), (ast.Store, ast.Del)):
            yield from _bases(x)
        elif isinstance(x, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield x.name
        elif isinstance(x, ast.alias):
            yield (x.asname or x.name).partition(".")[0]
        elif isinstance(x, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and x.name:
            yield x.name
        elif isinstance(x, ast.MatchMapping) and x.rest:
            yield x.rest
        elif isinstance(x, ast.keyword) and x.arg == "out":
            yield from _bases(x.value)
        elif isinstance(x, ast.Expr):  # a method whose result nobody takes
            function = getattr(x.value, "func", None)
            yield from _bases(function) if isinstance(function, ast.Attribute) else ()


def _bases(node: ast.AST) -> Iterator[str]:
    """The names of what is assigned: of `a[i].b` the first."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Tuple, ast.List)):
        for x in node.elts:
            yield from _bases(x)
