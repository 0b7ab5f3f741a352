"""Subscripts and pointers as places in memory, loaded from where a value is wanted."""

from __future__ import annotations

import ast

from symlayout.programs.kernels.c.lowering.expressions import Expressions
from symlayout.programs.kernels.c.lowering.trees import Tree, call, children, const, place, text_of
from symlayout.programs.kernels.c.types import VECTOR, CType


class Places(Expressions):
    """Lowers subscripts, `*p` and `&x`."""

    def address(self, tree: Tree) -> tuple[ast.expr, CType] | None:
        """Where a subscript, `*p` or a parenthesis lies, and what lies there; None: not in memory."""
        if tree.type == "parenthesized_expression" and children(tree):
            return self.address(children(tree)[0])
        if tree.type == "pointer_expression" and text_of(tree).startswith("*"):
            inner = tree.child_by_field_name("argument")
            base = self.type_of(inner)
            address = self.expression(inner)
            return (address, base.element) if base is not None and base.is_address else None
        if tree.type == "identifier":
            variable = self.variable(text_of(tree))
            if variable is not None and variable.alias:
                return place(ast.Name(variable.name, ast.Load()), tree), variable.type
            if variable is not None and variable.shared and not variable.type.array:
                return place(ast.Name(variable.name, ast.Load()), tree), variable.type
            return None
        if tree.type != "subscript_expression":
            return None
        base_tree = tree.child_by_field_name("argument")
        base = self.type_of(base_tree)
        if base is None or not base.is_address:
            return None
        under = self.address(base_tree) if base_tree.type == "subscript_expression" else None
        start = under[0] if under is not None and base.array else self.expression(base_tree)
        kids = children(tree.child_by_field_name("indices"))
        index = self.expression(kids[0]) if len(kids) == 1 else call("@data")
        sizes = self._sizes(base_tree)
        if base.array and sizes is None:
            return None  # a thread's own array
        rest = (sizes or ())[len(sizes or ()) - base.array + 1 :] if base.array else ()
        address = call("@place", start, index, const(base.element), *rest)
        return place(address, tree), base.element

    def _sizes(self, tree: Tree) -> tuple[ast.expr, ...] | None:
        """The sizes of the shared array that subscripts begin with."""
        while tree.type in ("subscript_expression", "parenthesized_expression"):
            tree = tree.child_by_field_name("argument") or children(tree)[0]
        variable = self.identifier(tree)
        return variable.sizes if variable is not None and variable.shared else None

    def _subscript_expression(self, tree: Tree) -> ast.expr:
        address = self.address(tree)
        base = tree.child_by_field_name("argument")
        number = text_of(tree.child_by_field_name("indices")).strip("[] ")
        vector = self.type_of(base) if address is None and number in ("0", "1", "2") else None
        if vector is not None and not vector.is_address and VECTOR.fullmatch(vector.word):
            return ast.Attribute(self.expression(base), "xyz"[int(number)], ast.Load())
        if address is None and base.type == "field_expression" and number.isdigit():
            return self._member(tree, base, number)
        if address is None:
            return self.data(tree)
        return address[0] if address[1].array else self.loaded(address, tree)

    def loaded(self, at: tuple[ast.expr, CType], tree: Tree) -> ast.expr:
        """What is loaded from a place; of a class that is not known its conversion may do anything."""
        if not self.is_certain(at[1]):
            note = call("@skip", const(self.why_uncertain(at[1])))
            self.before.append(place(ast.Expr(note), tree))
        return call("@load", at[0], const(at[1]))

    def _member(self, tree: Tree, base: Tree, number: str) -> ast.expr:
        """A number of an array that is a field: of a parameter a field for each of them."""
        type = self.type_of(base)
        if type is None or type.array != 1 or not type.element.machine:
            return self.data(tree)
        field = self.expression(base)
        if not isinstance(field, ast.Attribute):
            return self.data(tree)
        member = ast.Attribute(field.value, f"{field.attr}_{number}", ast.Load())
        member.ctype = type.element  # type: ignore[attr-defined]
        return member

    def _pointer_expression(self, tree: Tree) -> ast.expr:
        inner = tree.child_by_field_name("argument")
        if text_of(tree).startswith("*"):
            address = self.address(tree)
            return self.loaded(address, tree) if address else self.data(tree)
        address = self.address(inner)
        if address is not None:
            return address[0]
        variable = self.identifier(inner)
        if variable is not None:
            self.after.append(self.forget(variable.name, tree))
        own = variable is not None and not variable.type.is_address
        if own or self.in_registers(inner):
            return call("@registers")
        return self.data(tree)
