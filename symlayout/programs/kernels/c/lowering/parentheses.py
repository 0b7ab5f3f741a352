"""Declarations that the grammar takes for calls: `int (x) = 3, (y);` declares x and y."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.trees import Tree, callee, children

__all__ = ["declared_alike", "named_by"]

Part = tuple[Tree, Tree | None]  # what is declared, and the value that it is given


def declared_alike(tree: Tree) -> tuple[Tree, list[Part]] | None:
    """The call that a statement begins with, where it may be a type before names in parentheses.

    With it what is declared then, its own argument first.
    """
    parts = _parts(tree)
    first, value = parts[0]
    if first.type == "call_expression":
        inner = first.child_by_field_name("function")
        if inner.type == "call_expression":  # `T (x)(3)`
            first, value = inner, first.child_by_field_name("arguments")
    if first.type != "call_expression" or callee(first).endswith("_cast"):
        return None
    kids = children(first.child_by_field_name("arguments"))
    function = first.child_by_field_name("function")
    if len(kids) != 1 or function.type in ("parenthesized_expression", "field_expression"):
        return None
    return first, [(kids[0], value), *parts[1:]]


def named_by(tree: Tree) -> Tree | None:
    """The name that is declared, in parentheses or not; None for what is more than a name."""
    while tree.type.startswith("parenthesized_") and len(children(tree)) == 1:
        tree = children(tree)[0]
    return tree if tree.type == "identifier" else None


def _parts(tree: Tree) -> list[Part]:
    """What commas part, each with the value that it is given."""
    if tree.type == "comma_expression":
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        return [*_parts(left), *_parts(right)]
    if tree.type == "assignment_expression":
        plain = tree.child_by_field_name("operator").text == b"="
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        return [(left, right)] if plain else [(tree, None)]
    return [(tree, None)]
