"""The structures that say how much AscendC's `DataCopyPad` copies."""

from __future__ import annotations

import re

from symlayout.programs.kernels.c.lowering.trees import Tree, callee, children, text_of, walk
from symlayout.programs.kernels.c.types import CType
from symlayout.text.patterns import regex

COPIES = regex(r"DataCopy(Pad|Ext\w*)?")
# the first fields of the structures that say how much is copied: so many blocks, and bytes in each
PARAMETERS = {
    "DataCopyParams": {"blockCount": CType("uint16_t"), "blockLen": CType("uint16_t")},
    "DataCopyExtParams": {"blockCount": CType("uint16_t"), "blockLen": CType("uint32_t")},
}


def listed(tree: Tree | None) -> list[Tree]:
    """The values of `{1, length}`, `(1, length)` or `DataCopyExtParams{1, length}`."""
    if tree is None:
        return []
    if tree.type == "compound_literal_expression":
        if plain_class(CType(text_of(tree.child_by_field_name("type")))) not in PARAMETERS:
            return []
        tree = tree.child_by_field_name("value")
    return children(tree) if tree.type in ("initializer_list", "argument_list") else []


def is_plain(tree: Tree) -> bool:
    """Whether a function does no more with a structure than to give its fields values and to copy."""
    definition, word = tree, text_of(tree)
    while definition.parent is not None and definition.type != "function_definition":
        definition = definition.parent
    for t in walk(definition):
        if t.type != "identifier" or text_of(t) != word:
            continue
        above = t.parent
        name = above.type == "declaration" or above.child_by_field_name("declarator") == t
        outer = above.parent.type if above.type == "field_expression" else "pointer_expression"
        field = outer not in ("pointer_expression", "argument_list", "init_declarator")
        copied = above.type == "argument_list" and COPIES.fullmatch(
            callee(above.parent).split("::")[-1]
        )
        if name or field or copied:
            continue
        return False
    return True


def plain_class(type: CType) -> str:
    """A class's name without its namespace and arguments."""
    return re.sub(r"\s*<.*", "", type.spelling).split("::")[-1]
