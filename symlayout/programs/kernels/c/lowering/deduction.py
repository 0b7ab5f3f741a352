"""What type C++ deduces for `auto` and for the types of templates, of an expression."""

from __future__ import annotations

from functools import partial

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.library import is_of_language
from symlayout.programs.kernels.c.lowering.trees import (
    BINARY,
    COMPARED,
    Tree,
    callee,
    children,
    is_float_literal,
    text_of,
)
from symlayout.programs.kernels.c.types import NUMBER, PROMOTED, CType
from symlayout.text.patterns import regex

GROUPS = {
    "this_thread_block": "thread_block",
    "this_grid": "grid_group",
    "coalesced_threads": "coalesced_group",
    "tiled_partition": "thread_group",
    "labeled_partition": "coalesced_group",
    "binary_partition": "coalesced_group",
}
MAKES = regex(rf"(?:\w+::)*({'|'.join(GROUPS)})(?:<(\w+)(?:,\w+)?>)?")
TRUTHS = frozenset([*COMPARED, "&&", "||", "and", "or"])
TYPED_WORDS = """
identifier subscript_expression field_expression cast_expression pointer_expression
update_expression assignment_expression
"""
TYPED = frozenset(TYPED_WORDS.split())


def value_type(low: Lowering, tree: Tree) -> CType | None:
    """The type of an expression's value; None where it is not known."""
    kids = children(tree)
    kind = tree.type
    known = low.type_of(tree)
    if known is not None and known.is_address:
        return known if kind != "conditional_expression" else None
    if kind in TYPED:
        return None if known is None or known.word == "auto" else _value(known)
    if kind == "parenthesized_expression":
        return value_type(low, kids[0]) if len(kids) == 1 else None
    if kind in ("number_literal", "sizeof_expression"):
        whole = kind == "sizeof_expression" or not is_float_literal(text_of(tree))
        return PROMOTED if whole else CType("double")
    if kind in ("true", "false"):
        return CType("bool")
    if kind == "unary_expression":
        sign = text_of(tree.child_by_field_name("operator"))
        return CType("bool") if sign in ("!", "not") else _sum_type(low, [kids[-1]])
    if kind == "binary_expression":
        sign = text_of(tree.child_by_field_name("operator"))
        if sign in TRUTHS:
            return CType("bool")
        parts = [kids[0]] if sign in ("<<", ">>") else kids
        return _sum_type(low, parts) if sign in BINARY else None
    if kind == "comma_expression":
        return value_type(low, tree.child_by_field_name("right"))
    if kind == "conditional_expression":
        sides = [tree.child_by_field_name(k) for k in ("consequence", "alternative")]
        return _choice_type(low, sides)
    return _type_of_call(low, tree) if kind == "call_expression" else None


def is_float(low: Lowering, tree: Tree) -> bool:
    """Whether an expression is certainly a number that is no integer."""
    if tree.type == "parenthesized_expression" and len(children(tree)) == 1:
        return is_float(low, children(tree)[0])
    if tree.type == "unary_expression":
        return is_float(low, children(tree)[-1])
    if tree.type == "binary_expression":
        sides = [tree.child_by_field_name(k) for k in ("left", "right")]
        sign = text_of(tree.child_by_field_name("operator"))
        return sign not in TRUTHS and any(map(partial(is_float, low), sides))
    type = value_type(low, tree) or low.type_of(tree)
    return type is not None and not type.is_address and type.is_float


def _sum_type(low: Lowering, trees: list[Tree]) -> CType | None:
    """The type of arithmetic, of integers the one that its value has."""
    return _common_type(low, [value_type(low, t) for t in trees])


def _choice_type(low: Lowering, trees: list[Tree | None]) -> CType | None:
    types = [value_type(low, t) if t is not None else None for t in trees]
    return types[0] if len({*types}) == 1 else _common_type(low, types)


def _common_type(low: Lowering, types: list[CType | None]) -> CType | None:
    """The type that numbers are converted to: a vector's, a float, else what the value has."""
    known = [t for t in types if t is not None]
    numbers = all(t.is_plain or t.word in low.of_types for t in known)
    if len(known) < len(types) or any(t.is_address for t in known) or not numbers:
        return None
    for t in known:
        if t.lane is not None:
            return t
    if all(map(_is_integer, known)):
        return PROMOTED
    floats = [t for t in known if t.is_float]
    return floats[0] if floats else CType(NUMBER)


def _type_of_call(low: Lowering, tree: Tree) -> CType | None:
    to = low.target_of_cast(tree)
    if to is not None:
        return _value(to)
    word = callee(tree).split("::")[-1]
    group = _group_of_threads(low, tree)
    if group:
        return CType(group)
    listed = tree.child_by_field_name("arguments")
    if word in ("min", "max") and listed is not None and word not in low.source.functions:
        return _choice_type(low, children(listed))
    types = set()
    for t in low.source.functions.get(word, ()):
        named, inner = t.child_by_field_name("type"), t.child_by_field_name("declarator")
        plain = named is not None and inner is not None and inner.type == "function_declarator"
        types.add(low.read(text_of(named)) if plain else None)
    (only,) = types if len(types) == 1 else (None,)
    if only is not None and not only.is_address:
        return only if only.is_plain or only.word in low.source.aggregates else None
    return CType(NUMBER) if not types and is_of_language(low, tree) else None


def _group_of_threads(low: Lowering, tree: Tree) -> str:
    """The group of threads that a call makes; "" for what makes none."""
    text = "".join(text_of(tree.child_by_field_name("function")).split())
    match = MAKES.fullmatch(text)
    if match is None or match[1] in low.source.functions:
        return ""
    return f"thread_block_tile<{match[2]}>" if match[2] else GROUPS[match[1]]


def _value(type: CType) -> CType:
    return CType(type.word, type.depth, type.array)


def _is_integer(type: CType) -> bool:
    return type == PROMOTED or type.machine is not None
