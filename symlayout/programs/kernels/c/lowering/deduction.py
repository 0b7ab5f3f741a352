"""What type C++ deduces for `auto` and for the types of templates, of an expression."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.scopes import Scopes
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


class Deduction(Scopes):
    """Tells types of values; `PROMOTED` is the type of arithmetic, which is no narrower than `int`."""

    def value_type(self, tree: Tree) -> CType | None:
        """The type of an expression's value; None where it is not known."""
        kids = children(tree)
        kind = tree.type
        known = self.type_of(tree)
        if known is not None and known.is_address:
            return known if kind != "conditional_expression" else None
        if kind in TYPED:
            return None if known is None or known.word == "auto" else _value(known)
        if kind == "parenthesized_expression":
            return self.value_type(kids[0]) if len(kids) == 1 else None
        if kind in ("number_literal", "sizeof_expression"):
            whole = kind == "sizeof_expression" or not is_float_literal(text_of(tree))
            return PROMOTED if whole else CType("double")
        if kind in ("true", "false"):
            return CType("bool")
        if kind == "unary_expression":
            sign = text_of(tree.child_by_field_name("operator"))
            return CType("bool") if sign in ("!", "not") else self._sum([kids[-1]])
        if kind == "binary_expression":
            sign = text_of(tree.child_by_field_name("operator"))
            if sign in TRUTHS:
                return CType("bool")
            parts = [kids[0]] if sign in ("<<", ">>") else kids
            return self._sum(parts) if sign in BINARY else None
        if kind == "comma_expression":
            return self.value_type(tree.child_by_field_name("right"))
        if kind == "conditional_expression":
            sides = [tree.child_by_field_name(k) for k in ("consequence", "alternative")]
            return self._either(sides)
        return self._of_call(tree) if kind == "call_expression" else None

    def is_float(self, tree: Tree) -> bool:
        """Whether an expression is certainly a number that is no integer."""
        if tree.type == "parenthesized_expression" and len(children(tree)) == 1:
            return self.is_float(children(tree)[0])
        if tree.type == "unary_expression":
            return self.is_float(children(tree)[-1])
        if tree.type == "binary_expression":
            sides = [tree.child_by_field_name(k) for k in ("left", "right")]
            sign = text_of(tree.child_by_field_name("operator"))
            return sign not in TRUTHS and any(map(self.is_float, sides))
        type = self.value_type(tree) or self.type_of(tree)
        return type is not None and not type.is_address and type.is_float

    def _sum(self, trees: list[Tree]) -> CType | None:
        """The type of arithmetic, of integers the one that its value has."""
        return self._common([self.value_type(t) for t in trees])

    def _either(self, trees: list[Tree | None]) -> CType | None:
        types = [self.value_type(t) if t is not None else None for t in trees]
        return types[0] if len({*types}) == 1 else self._common(types)

    def _common(self, types: list[CType | None]) -> CType | None:
        """The type that numbers are converted to: a vector's, a float, else what the value has."""
        known = [t for t in types if t is not None]
        numbers = all(t.is_plain or t.word in self.of_types for t in known)
        if len(known) < len(types) or any(t.is_address for t in known) or not numbers:
            return None
        for t in known:
            if t.lane is not None:
                return t
        if all(map(_is_integer, known)):
            return PROMOTED
        floats = [t for t in known if t.is_float]
        return floats[0] if floats else CType(NUMBER)

    def _of_call(self, tree: Tree) -> CType | None:
        to = self._cast_to(tree)
        if to is not None:
            return _value(to)
        word = callee(tree).split("::")[-1]
        group = self._group(tree)
        if group:
            return CType(group)
        listed = tree.child_by_field_name("arguments")
        if word in ("min", "max") and listed is not None and word not in self.source.functions:
            return self._either(children(listed))
        types = set()
        for t in self.source.functions.get(word, ()):
            named, inner = t.child_by_field_name("type"), t.child_by_field_name("declarator")
            plain = named is not None and inner is not None and inner.type == "function_declarator"
            types.add(self.read(text_of(named)) if plain else None)
        (only,) = types if len(types) == 1 else (None,)
        if only is not None and not only.is_address:
            return only if only.is_plain or only.word in self.source.aggregates else None
        return CType(NUMBER) if not types and self.is_of_language(tree) else None

    def _group(self, tree: Tree) -> str:
        """The group of threads that a call makes; "" for what makes none."""
        text = "".join(text_of(tree.child_by_field_name("function")).split())
        match = MAKES.fullmatch(text)
        if match is None or match[1] in self.source.functions:
            return ""
        return f"thread_block_tile<{match[2]}>" if match[2] else GROUPS[match[1]]

    def is_of_language(self, tree: Tree) -> bool:
        """Whether what is called takes numbers by value, and does nothing else."""
        raise NotImplementedError


def _value(type: CType) -> CType:
    return CType(type.word, type.depth, type.array)


def _is_integer(type: CType) -> bool:
    return type == PROMOTED or type.machine is not None
