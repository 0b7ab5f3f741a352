"""What a call's own function is made of: `foo(x[1])(3)` and `tiles[q[2]].go()` come to memory there."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.trees import Tree, callee, children, text_of, walk

__all__ = [
    "comes_to_memory",
    "computed_callee",
    "is_discarded",
    "is_in_space",
    "own_spaces",
]

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


def is_in_space(tree: Tree, definitions: list[Tree]) -> bool:
    """Whether the namespace that a call names may be one of those that definitions stand in.

    A name that the file gives a namespace (`namespace cg = cooperative_groups`) may be of any.
    """
    space = callee(tree).rpartition("::")[0].split("::")[-1].strip()
    if not space or tree.child_by_field_name("function").type != "qualified_identifier":
        return True
    return any(space in _spaces(d) for d in definitions) or any(
        t.type in ("namespace_alias_definition", "alias_declaration")
        and text_of(t.child_by_field_name("name")) == space
        for t in walk(_root(tree))
    )


def _spaces(definition: Tree) -> set[str]:
    """The namespaces that a function stands in, those that its own name says among them."""
    spaces, above = {*own_spaces(definition)}, definition.parent
    while above is not None:
        if above.type in ("namespace_definition", "class_specifier", "struct_specifier"):
            named = above.child_by_field_name("name")
            spaces |= set(text_of(named).split("::")) if named is not None else set()
        above = above.parent
    return spaces


def own_spaces(definition: Tree) -> list[str]:
    """The namespaces in a function's own name: `a` and `b` of `void a::b::f()`."""
    at = definition.child_by_field_name("declarator")
    while at is not None and at.type != "qualified_identifier":
        at = at.child_by_field_name("declarator")
    return text_of(at).split("::")[:-1] if at is not None else []


def _root(tree: Tree) -> Tree:
    while tree.parent is not None:
        tree = tree.parent
    return tree


def is_discarded(tree: Tree) -> bool:
    """Whether nobody looks at a call's result: it is called for what it does."""
    above = tree.parent
    while above is not None and above.type == "comma_expression":
        above = above.parent
    return above is not None and above.type == "expression_statement"
