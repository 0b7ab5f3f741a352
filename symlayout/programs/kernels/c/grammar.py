"""What the grammar has of a function: its name, its parameters, those of its template."""

from __future__ import annotations

import re
from typing import Any

from symlayout.errors import LayoutError
from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.table import new_lowering
from symlayout.programs.kernels.c.lowering.trees import (
    Source,
    Tree,
    Variable,
    children,
    declarator_of,
    head_of,
    parameters_of,
    text_of,
)
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.program.nodes import Expression


def parser() -> Any:
    """A parser of CUDA, whose grammar has C++ in it.

    Raises `LayoutError` (SL509) where the grammar is not installed.
    """
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ImportError:
        help = "install it: pip install 'symlayout[c]'"
        reason = "kernels in C, C++, CUDA, HIP and Metal are read by tree-sitter, which is not here"
        raise LayoutError("SL509", reason, help=help) from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


MACRO = b"auto /*macro*/"


def is_macro(tree: Tree) -> bool:
    """Whether a function is a macro's, which has a tree of its own."""
    return bool(tree.text.startswith(MACRO))


def function_name(tree: Tree, whole: bool = False) -> str:
    declarator = declarator_of(tree)
    named = declarator.child_by_field_name("declarator") if declarator is not None else None
    if named is None:
        return ""
    return text_of(named) if whole else text_of(named).split("::")[-1]


def named_parameters(tree: Tree) -> list[tuple[str, CType]]:
    """The parameters of a function with their types; one without a name has none of its own."""
    lowering = new_lowering(Source())
    pairs = [parameter(p, lowering) for p in parameters_of(tree)]
    return [(n or f"_{k}", t) for k, (n, t) in enumerate(pairs)]


def parameter(tree: Tree, lowering: Lowering) -> tuple[str, CType]:
    named = tree.child_by_field_name("declarator")
    type = lowering.read(head_of(tree))
    text = re.sub(r"\[\[.*?\]\]", "", text_of(named)) if named is not None else ""
    depth = type.depth + text.count("*") + text.count("[")
    while named is not None and named.type not in ("identifier",):
        inner = named.child_by_field_name("declarator")
        kinds = ("identifier", "declarator")
        below = (c for c in reversed(children(named)) if c.type.endswith(kinds))
        named = inner or next(below, None)
    word = text_of(named) if named is not None else ""
    return word, CType(type.word, depth, 0, "&" in text, type.constant)


def _template_parameters(tree: Tree) -> list[Tree]:
    """The parameters of the template that a function is; none where it is no template."""
    above = tree.parent
    if above is None or above.type != "template_declaration":
        return []
    return children(above.child_by_field_name("parameters"))


def template_type_names(tree: Tree) -> list[str]:
    """The types that a template has as parameters."""
    named = ("type_parameter_declaration", "optional_type_parameter_declaration")
    rows = [p for p in children(tree.child_by_field_name("parameters")) if p.type in named]
    rows = [[text_of(c) for c in children(p) if c.type == "type_identifier"] for p in rows]
    return [words[0] for words in rows if words]


def template_names(tree: Tree) -> tuple[str, ...]:
    """The parameters of a template in their order; types have the name ""."""
    lowering, names = new_lowering(Source()), []
    for p in _template_parameters(tree):
        number = p.type in ("parameter_declaration", "optional_parameter_declaration")
        names.append(parameter(p, lowering)[0] if number else "")
    return tuple(names)


def template_numbers(tree: Tree, lowering: Lowering) -> dict[str, CType]:
    """The numbers that a template has as parameters."""
    numbers: dict[str, CType] = {}
    for p in _template_parameters(tree):
        if p.type in ("parameter_declaration", "optional_parameter_declaration"):
            named, type = parameter(p, lowering)
            if named:
                numbers[named] = type
                lowering.scopes[0][named] = Variable(named, type)
    return numbers


def template_defaults(tree: Tree, lowering: Lowering) -> tuple[tuple[str, Expression | None], ...]:
    """The parameters of a template in their order, each with its default."""
    values = [t.child_by_field_name("default_value") for t in _template_parameters(tree)]
    plain = new_lowering(lowering.source)
    return tuple(
        (n, plain.expression(v) if n and v is not None else None)
        for n, v in zip(template_names(tree), values)
    )


def template_types(tree: Tree, lowering: Lowering) -> tuple[tuple[str, CType | None], ...]:
    """The parameters of a template in their order, types with their defaults; numbers are ""."""
    types: list[tuple[str, CType | None]] = []
    for p in _template_parameters(tree):
        words = [text_of(c) for c in children(p) if c.type == "type_identifier"]
        default = p.child_by_field_name("default_type")
        named = p.type in ("type_parameter_declaration", "optional_type_parameter_declaration")
        word = words[0] if named and words else ""
        types.append((word, lowering.read(text_of(default)) if default is not None else None))
    return tuple(types)


def error_lines(tree: Tree) -> set[int]:
    """The lines that the grammar does not know."""
    if tree.type == "ERROR" or tree.is_missing:
        return {tree.start_point[0] + 1}
    return {n for c in tree.children if c.has_error or c.is_missing for n in error_lines(c)}
