"""What changes a variable or a place in memory inside of an expression."""

from __future__ import annotations

import ast

from symlayout.programs.kernels.c.lowering.containment import only_computes
from symlayout.programs.kernels.c.lowering.places import Places
from symlayout.programs.kernels.c.lowering.trees import (
    BINARY,
    Tree,
    Variable,
    call,
    children,
    const,
    place,
    root_of,
    text_of,
    words_in,
)
from symlayout.programs.kernels.c.types import FLOATS, PROMOTED, VECTOR, CType


class Changes(Places):
    """Lowers assignments, `x++` and the comma."""

    def _assignment_expression(self, tree: Tree) -> ast.expr:
        left = tree.child_by_field_name("left")
        self._alone_there(tree, left)
        self.before += self.assignment(tree)
        return self.expression(left) if left.type == "identifier" else call("@data")

    def _update_expression(self, tree: Tree) -> ast.expr:
        inner = tree.child_by_field_name("argument")
        self._alone_there(tree, inner)
        changed = self.update(tree)
        if text_of(tree).startswith(("++", "--")):
            self.before += changed
        else:
            self.after += changed
        return self.expression(inner) if inner.type == "identifier" else call("@data")

    def _comma_expression(self, tree: Tree) -> ast.expr:
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        self.before.append(place(ast.Expr(self._first(left)), left))
        return self.expression(right)

    def _alone_there(self, tree: Tree, changed: Tree) -> None:
        """Tells of a variable that is changed and read in one expression, in no order that is known."""
        whole = tree
        while whole.parent is not None and not _is_turn(whole):
            whole = whole.parent
        word = text_of(changed)
        if changed.type == "identifier" and _count(whole, word) > _count(tree, word):
            note = call("@skip", const(f"{word} is changed and read in one expression"))
            self.before.append(place(ast.Expr(note), tree))
            variable = self.variable(word)
            if variable is not None and not variable.shared:
                self.before.append(self.forget(variable.name, tree))

    def update(self, tree: Tree) -> list[ast.stmt]:
        """`++x` and `x--`."""
        op = text_of(tree.child_by_field_name("operator"))[0]
        return self.change(tree, tree.child_by_field_name("argument"), op, const(1), None)

    def assignment(self, tree: Tree) -> list[ast.stmt]:
        """`x = e`, `x += e`, `a[i] = e`."""
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        op = text_of(tree.child_by_field_name("operator")).removesuffix("=")
        return self.change(tree, left, op, self.expression(right), self.type_of(right))

    def change(
        self, tree: Tree, left: Tree, op: str, value: ast.expr, right: CType | None
    ) -> list[ast.stmt]:
        """A variable or a place in memory that gets another value."""
        while left.type == "parenthesized_expression":
            left = children(left)[0]
        if left.type in ("identifier", "field_expression"):
            variable = self.variable_of(left)
            if variable is not None and not variable.shared and not variable.alias:
                if not self.is_certain(variable.type):
                    return [place(ast.Expr(value), tree), *self.uncertain(tree, variable.type)]
                notes = self.overloaded(f"{op}=", tree, [left]) if op else []
                return [*notes, place(self._assignment(variable, op, value, right), tree)]
        at = self.address(left)
        if at is not None:
            statements: list[ast.stmt] = self.overloaded(f"{op}=", tree, [left]) if op else []
            if not self.is_certain(at[1]):
                statements += self.uncertain(tree, at[1])
            if op:
                statements.append(ast.Expr(place(call("@load", at[0], const(at[1])), left)))
            statements.append(ast.Expr(place(call("@store", at[0], const(at[1]), value), left)))
            return [place(s, tree) for s in statements]
        made_of = call("@data", value)
        known = self.type_of(left)
        if left.type == "identifier" or (known is not None and known.reference):
            made_of = call("@skip", const("a value is given to what is not declared here"))
        elif left.type not in ("subscript_expression", "field_expression"):
            made_of = call("@skip", const(f"a value is given to {text_of(left)[:40]}"))
        elif not self.in_registers(left):
            made_of = call("@skip", const(f"a value is stored to {text_of(left)[:40]}"))
        lost: list[ast.stmt] = []
        if left.type == "call_expression":  # `T (x) = ..` may declare x
            lost = [self.forget(word, tree) for word in sorted(self._variables_in(left))]
        notes = [*self.of_object(left), *lost]
        return [place(s, tree) for s in (*notes, ast.Expr(made_of), *self.part(left))]

    def uncertain(self, tree: Tree, type: CType) -> list[ast.stmt]:
        """An object whose class says what is done: that may be anything."""
        sides = [tree.child_by_field_name(k) for k in ("left", "right", "argument")]
        roots = [root_of(t) for t in sides if t is not None]
        variables = [v for v in map(self.identifier, roots) if v is not None and not v.shared]
        lost = [self.forget(name, tree) for name in sorted({v.name for v in variables})]
        return [place(ast.Expr(call("@skip", const(self.why_uncertain(type)))), tree), *lost]

    def overloaded(self, op: str, tree: Tree, operands: list[Tree]) -> list[ast.stmt]:
        """Tells of an operator that no language has for its operands, unless the file has one that
        does no more than compute.
        """
        types = [t for t in map(self.value_type, operands) if t is not None]
        own = [t for t in types if not self._has_operators(t)]
        trees = self.source.functions.get(f"operator{op}", [])
        classes = [self.source.classes.get(t.word.partition("<")[0]) for t in own]
        member = any(c is not None and f"operator{op}" in c.methods for c in classes)
        if not own or (member and not trees):
            return []
        if trees and all(only_computes(t, self.is_plain_text) for t in trees):
            return []
        why = f"the operator {op} of {own[0].spelling} is not followed"
        return [place(ast.Expr(call("@skip", const(why))), tree)]

    def _has_operators(self, type: CType) -> bool:
        """Whether a language has operators for a type: of vectors OpenCL's and Metal's has."""
        if type.is_address or self.source.padded or type.word in self.of_types:
            return True
        vector = VECTOR.fullmatch(type.word) is not None and type.word not in FLOATS
        return not vector and (type.is_plain or not self.is_certain(type))

    def _variables_in(self, tree: Tree) -> set[str]:
        """The variables that stand in it."""
        variables = map(self.variable, words_in(tree))
        return {v.name for v in variables if v is not None and not v.shared}

    def part(self, left: Tree) -> list[ast.stmt]:
        """Nothing is known any more of a variable of which a part gets another value."""
        root = root_of(left)
        variable = self.identifier(root)
        if variable is None or root == left or variable.shared or variable.type.is_address:
            return []
        old = call("@part", ast.Name(variable.name, ast.Load()))
        return [ast.Assign([ast.Name(variable.name, ast.Store())], old)]

    def _assignment(
        self, variable: Variable, op: str, value: ast.expr, right: CType | None
    ) -> ast.stmt:
        name, old = ast.Name(variable.name, ast.Store()), ast.Name(variable.name, ast.Load())
        deduced = variable.type.word in ("auto", PROMOTED.word)
        if op and (deduced or variable.type.is_address or op not in BINARY):
            value = self.operation(op, old, value, variable.type, right)
        if deduced and not variable.type.is_address:
            return ast.Assign([name], call("@again", old, value, const(variable.type)))
        if not op or variable.type.is_address or op not in BINARY:
            return ast.Assign([name], value)
        return ast.AugAssign(name, BINARY[op](), value)


def _is_turn(tree: Tree) -> bool:
    """Whether an expression is evaluated whole before or after what stands beside it."""
    above = tree.parent
    if above.type == "binary_expression":
        return text_of(above.child_by_field_name("operator")) in ("&&", "||", "and", "or")
    if above.type.endswith(("_statement", "_clause")) or above.type == "declaration":
        return True
    return above.type in ("comma_expression", "conditional_expression", "init_declarator")


def _count(tree: Tree, word: str) -> int:
    """How often a name stands there."""
    if tree.type == "identifier":
        return int(text_of(tree) == word)
    return sum(_count(c, word) for c in tree.named_children)
