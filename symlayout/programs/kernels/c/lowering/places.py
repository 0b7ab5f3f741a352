"""Subscripts and pointers as places in memory, loaded from where a value is wanted."""

from __future__ import annotations

from symlayout.programs.kernels.c.lowering.context import Lowering
from symlayout.programs.kernels.c.lowering.expressions import in_registers, unfollowed
from symlayout.programs.kernels.c.lowering.trees import Tree, children, forget, place, text_of
from symlayout.programs.kernels.c.types import VECTOR, CType
from symlayout.programs.kernels.program.nodes import (
    Data,
    Effect,
    Element,
    Expression,
    Field,
    Load,
    Name,
    Registers,
    Unfollowed,
)


def address_of(low: Lowering, tree: Tree) -> tuple[Expression, CType] | None:
    """Where a subscript, `*p` or a parenthesis lies, and what lies there; None: not in memory."""
    if tree.type == "parenthesized_expression" and children(tree):
        return address_of(low, children(tree)[0])
    if tree.type == "pointer_expression" and text_of(tree).startswith("*"):
        inner = tree.child_by_field_name("argument")
        base = low.type_of(inner)
        address = low.expression(inner)
        return (address, base.element) if base is not None and base.is_address else None
    if tree.type == "identifier":
        variable = low.variable(text_of(tree))
        if variable is not None and variable.alias:
            return place(Name(variable.name), tree), variable.type
        if variable is not None and variable.shared and not variable.type.array:
            return place(Name(variable.name), tree), variable.type
        return None
    if tree.type != "subscript_expression":
        return None
    base_tree = tree.child_by_field_name("argument")
    base = low.type_of(base_tree)
    if base is None or not base.is_address:
        return None
    under = address_of(low, base_tree) if base_tree.type == "subscript_expression" else None
    start = under[0] if under is not None and base.array else low.expression(base_tree)
    kids = children(tree.child_by_field_name("indices"))
    index = low.expression(kids[0]) if len(kids) == 1 else Data()
    sizes = _sizes_of(low, base_tree)
    if base.array and sizes is None:
        return None  # a thread's own array
    rest = (sizes or ())[len(sizes or ()) - base.array + 1 :] if base.array else ()
    address = Element(start, index, base.element, rest)
    return place(address, tree), base.element


def _sizes_of(low: Lowering, tree: Tree) -> tuple[Expression, ...] | None:
    """The sizes of the shared array that subscripts begin with."""
    while tree.type in ("subscript_expression", "parenthesized_expression"):
        tree = tree.child_by_field_name("argument") or children(tree)[0]
    variable = low.identifier(tree)
    return variable.sizes if variable is not None and variable.shared else None


def subscript_expression(low: Lowering, tree: Tree) -> Expression:
    address = address_of(low, tree)
    base = tree.child_by_field_name("argument")
    number = text_of(tree.child_by_field_name("indices")).strip("[] ")
    vector = low.type_of(base) if address is None and number in ("0", "1", "2") else None
    if vector is not None and not vector.is_address and VECTOR.fullmatch(vector.word):
        return Field(low.expression(base), "xyz"[int(number)])
    if address is None and base.type == "field_expression" and number.isdigit():
        return _member_of(low, tree, base, number)
    if address is None:
        return unfollowed(low, tree)
    return address[0] if address[1].array else load_of(low, address, tree)


def load_of(low: Lowering, at: tuple[Expression, CType], tree: Tree) -> Expression:
    """What is loaded from a place; of a class that is not known its conversion may do anything."""
    if not low.is_certain(at[1]):
        note = Unfollowed(low.why_uncertain(at[1]))
        low.before.append(place(Effect(note), tree))
    return Load(at[0], at[1])


def _member_of(low: Lowering, tree: Tree, base: Tree, number: str) -> Expression:
    """A number of an array that is a field: of a parameter a field for each of them."""
    type = low.type_of(base)
    if type is None or type.array != 1 or not type.element.machine:
        return unfollowed(low, tree)
    field = low.expression(base)
    if not isinstance(field, Field):
        return unfollowed(low, tree)
    return Field(field.base, f"{field.word}_{number}", type.element)


def pointer_expression(low: Lowering, tree: Tree) -> Expression:
    inner = tree.child_by_field_name("argument")
    if text_of(tree).startswith("*"):
        address = address_of(low, tree)
        return load_of(low, address, tree) if address else unfollowed(low, tree)
    address = address_of(low, inner)
    if address is not None:
        return address[0]
    variable = low.identifier(inner)
    if variable is not None:
        low.after.append(forget(variable.name, tree))
    own = variable is not None and not variable.type.is_address
    if own or in_registers(low, inner):
        return Registers()
    return unfollowed(low, tree)
