"""Functions and classes that only compute: with what they are given, their own fields and variables.

Such a class may be held, copied and changed like a number; what any other does may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from symlayout.programs.kernels.c.lowering.language import changes_nothing
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    callee,
    children,
    head_of,
    parameters_of,
    root_of,
    text_of,
    walk,
)
from symlayout.programs.kernels.c.types import CType

__all__ = ["is_contained", "only_computes"]

REACHING_WORDS = """
lambda_expression new_expression delete_expression gnu_asm_expression goto_statement
throw_statement co_await_expression ERROR preproc_if preproc_ifdef
"""
REACHING = frozenset(REACHING_WORDS.split())
MEMBERS_WORDS = """
field_declaration type_definition alias_declaration access_specifier enum_specifier
function_definition declaration static_assert_declaration template_declaration
"""
MEMBERS = frozenset(MEMBERS_WORDS.split())
COPIES = frozenset(["memcpy", "memset", "std::memcpy", "std::memset"])
CASTS = frozenset(["static_cast", "bit_cast", "std::bit_cast", "__builtin_bit_cast"])


def only_computes(
    definition: Tree,
    is_plain: Callable[[str], bool],
    fields: Mapping[str, CType] = {},
    methods: Collection[str] = (),
) -> bool:
    """Whether a function reaches no memory beside its own variables and what it is given.

    `is_plain` tells of a type, by its text, whether its objects do nothing by themselves.
    """
    declarator = definition.child_by_field_name("declarator")
    body = definition.child_by_field_name("body")
    own = {w for p in parameters_of(definition) for w in _declared_in(p)}
    own |= {w for t in walk(body) if t.type == "declaration" for w in _declared_in(t)}
    arrays = {w for t in walk(body) if t.type == "array_declarator" for w in _declared_in(t)}
    arrays |= {n for n, t in fields.items() if t.array and not t.depth}
    known = _Known(own | {*fields}, arrays, {*methods}, is_plain)
    trees = [*walk(body), *walk(_initializers(definition))]
    return declarator is None or all(known.allows(t) for t in trees)


class _Known:
    """The names that a function may use as it likes."""

    def __init__(
        self, own: set[str], arrays: set[str], methods: set[str], is_plain: Callable[[str], bool]
    ) -> None:
        self.own, self.arrays, self.methods, self.is_plain = own, arrays, methods, is_plain

    def allows(self, t: Tree) -> bool:
        """Whether what a node does by itself stays within them."""
        match t.type:
            case "subscript_expression":
                at = t.child_by_field_name("argument")
                field = at.child_by_field_name("field") if at.type == "field_expression" else None
                last = text_of(field) if field is not None else text_of(at)
                return last in self.arrays and self._root(t) in self.own | self.arrays
            case "pointer_expression":
                inner = text_of(t.child_by_field_name("argument"))
                return inner == "this" if text_of(t).startswith("*") else _is_copied(t)
            case "assignment_expression":
                return self._is_own(t.child_by_field_name("left"))
            case "update_expression":
                return self._is_own(t.child_by_field_name("argument"))
            case "call_expression":
                return self._calls(t)
            case "declaration":
                words = {text_of(c) for c in t.children if c.type == "storage_class_specifier"}
                return not words & {"static", "extern"} and self.is_plain(head_of(t))
            case "cast_expression":
                return "*" not in text_of(t.child_by_field_name("type"))
        return t.type not in REACHING

    def _root(self, t: Tree) -> str:
        """The variable or the field that a place is a part of."""
        root = root_of(t)
        if root.type == "this":
            inner = t
            while root_of(inner) != inner and inner.type != "field_expression":
                inner = inner.child_by_field_name("argument") or children(inner)[0]
            field = inner.child_by_field_name("field")
            return text_of(field) if field is not None else ""
        return text_of(root)

    def _is_own(self, t: Tree) -> bool:
        return self._root(t) in self.own or text_of(t).replace(" ", "").strip("()") == "*this"

    def _calls(self, t: Tree) -> bool:
        word, function = callee(t), t.child_by_field_name("function")
        if function.type == "field_expression":
            inner = function.child_by_field_name("argument")
            plain = inner.type in ("identifier", "this") and self._root(inner) in self.own | {
                "this"
            }
            return plain and text_of(function.child_by_field_name("field")) in self.methods
        known = word in self.methods or word in COPIES or word in CASTS
        known = known or function.type == "primitive_type"
        return known or changes_nothing(word, False)


def _declared_in(tree: Tree) -> Iterator[str]:
    """The names that a declaration declares."""
    for t in walk(tree):
        above = t.parent if t.type == "identifier" else None
        if above is None:
            continue
        by_sign = above.type in ("reference_declarator", "pointer_declarator")
        if by_sign or above.child_by_field_name("declarator") == t:
            yield text_of(t)


def _initializers(definition: Tree) -> Tree | None:
    """What a constructor gives its fields."""
    rows = [c for c in children(definition) if c.type == "field_initializer_list"]
    return rows[0] if rows else None


def _is_copied(t: Tree) -> bool:
    """Whether `&x` is what bytes are copied to or from, with nothing else done to it."""
    above = t.parent.parent if t.parent is not None else None
    inner = t.child_by_field_name("argument")
    plain = inner is not None and inner.type == "identifier"
    return (
        plain and above is not None and above.type == "call_expression" and callee(above) in COPIES
    )


def is_contained(
    tree: Tree, word: str, fields: Mapping[str, CType], is_plain: Callable[[str], bool]
) -> bool:
    """Whether all that a class does is done to its own fields, which are no references."""
    body = tree.child_by_field_name("body")
    if tree.type == "union_specifier" or body is None:
        return False
    if any(c.type in ("base_class_clause", "virtual_specifier") for c in tree.children):
        return False
    definitions, methods = list[Tree](), {word}
    for m in children(body):
        inner = children(m)[-1] if m.type == "template_declaration" else m
        if inner.type not in MEMBERS or re.search(r"\bvirtual\b|\bfriend\b", text_of(m)):
            return False
        if inner.type == "function_definition":
            definitions.append(inner)
        elif _is_function(inner) or (inner.type == "field_declaration" and "&" in text_of(inner)):
            return False  # it is defined elsewhere
    methods |= {re.sub(r"\(.*", "", _name_of(d), flags=re.S).strip() for d in definitions}
    return all(_is_default(d) or only_computes(d, is_plain, fields, methods) for d in definitions)


def _is_function(tree: Tree) -> bool:
    if tree.type == "declaration":
        return True
    return any(t.type == "function_declarator" for t in children(tree))


def _is_default(definition: Tree) -> bool:
    body = definition.child_by_field_name("body")
    return (
        body is None and re.search(r"=\s*(default|delete)\s*;?$", text_of(definition)) is not None
    )


def _name_of(definition: Tree) -> str:
    declarator = definition.child_by_field_name("declarator")
    while declarator is not None and declarator.type not in (
        "function_declarator",
        "operator_cast",
    ):
        kids = children(declarator)
        declarator = declarator.child_by_field_name("declarator") or (kids[-1] if kids else None)
    named = declarator.child_by_field_name("declarator") if declarator is not None else None
    return text_of(named) if named is not None else ""
