"""What a call's own function is made of: `foo(x[1])(3)` and `tiles[q[2]].go()` come to memory there."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.trees import Tree, children, walk

__all__ = ["comes_to_memory", "computed_callee", "is_discarded"]

NAMED = frozenset(
    [
        *("identifier", "qualified_identifier", "template_function", "template_method", "this"),
        *("primitive_type", "type_identifier", "dependent_name", "field_identifier"),
    ]
)
COMING = frozenset(
    [
        *("subscript_expression", "pointer_expression", "assignment_expression"),
        *("update_expression", "lambda_expression"),
    ]
)


def computed_callee(tree: Tree) -> Tree | None:
    """What is computed before a call and says what is called; None for a name."""
    at = tree.child_by_field_name("function")
    while at is not None and at.type == "field_expression":
        at = at.child_by_field_name("argument")
    while at is not None and at.type == "parenthesized_expression" and len(children(at)) == 1:
        at = children(at)[0]
    return None if at is None or at.type in NAMED else at


def comes_to_memory(tree: Tree) -> bool:
    """Whether something in it may be an access, or change a variable."""
    return any(t.type in COMING for t in walk(tree))


def is_discarded(tree: Tree) -> bool:
    """Whether nobody looks at a call's result: it is called for what it does."""
    above = tree.parent
    while above is not None and above.type == "comma_expression":
        above = above.parent
    return above is not None and above.type == "expression_statement"
