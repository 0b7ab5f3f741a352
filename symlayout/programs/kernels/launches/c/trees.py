"""Python's nodes that host code becomes: operators, places, functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeVar

from symlayout.programs.kernels.c.lowering.trees import Tree
from symlayout.programs.kernels.syntax import COMPARED as OF_PYTHON
from symlayout.programs.kernels.syntax import OPERATORS

Placed = TypeVar("Placed", bound=ast.AST)
BINARY = {sign.replace("//", "/"): kind for kind, sign in OPERATORS.items()}
COMPARED = {sign: kind for kind, sign in OF_PYTHON.items()}


def place(node: Placed, tree: Tree) -> Placed:
    """The node, and what in it stands nowhere yet, standing where the tree stands."""
    at: Any = node
    if not hasattr(node, "lineno"):
        at.lineno, at.col_offset = tree.start_point[0] + 1, tree.start_point[1]
        at.end_lineno, at.end_col_offset = tree.end_point[0] + 1, tree.end_point[1]
        for x in ast.iter_child_nodes(node):
            place(x, tree)
    return node


def function_of(word: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """A function with these parameters."""
    named = ast.arguments([], [ast.arg(n) for n in parameters], None, [], [], None, [])
    return ast.FunctionDef(word, named, body, [])
