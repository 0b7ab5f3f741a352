"""Names, numbers, operators and choices as expressions of Python's tree."""

from __future__ import annotations

import ast
import re

from symlayout.programs.kernels.c.lowering.scopes import Scopes
from symlayout.programs.kernels.c.lowering.trees import (
    BINARY,
    COMPARED,
    Tree,
    call,
    children,
    is_loose,
    is_whole,
    place,
    said,
    text_of,
)
from symlayout.programs.kernels.c.types import CType

MACROS = 16
NUMBER = re.compile(r"(0[xX][\da-fA-F]+|0[bB][01]+|\d+)([uUlLzZ]*)")


class Expressions(Scopes):
    """Lowers the expressions of one function; what has no rule is `@data`."""

    def expression(self, tree: Tree) -> ast.expr:
        """The expression, with its place."""
        method = getattr(self, f"_{tree.type}", None)
        made: ast.expr = method(tree) if method else self.data(tree)
        place(made, tree)
        return made

    def data(self, tree: Tree) -> ast.expr:
        """A value that is not followed; what stands in it is."""
        if tree.type in ("lambda_expression", "gnu_asm_expression", "ERROR"):
            word = {"lambda_expression": "a lambda", "gnu_asm_expression": "assembly"}.get(
                tree.type
            )
            self._capture(tree)
            return call("@skip", said(f"{word or 'what'} is not followed"))
        return call("@data", *[self.expression(c) for c in children(tree) if _is_value(c)])

    def _capture(self, tree: Tree) -> None:
        """Nothing is known any more of what code that is not followed gives a value."""
        waiting = [tree]
        while waiting:
            t = waiting.pop()
            left = t.child_by_field_name(
                "left" if t.type == "assignment_expression" else "argument"
            )
            if t.type in ("assignment_expression", "update_expression") and left is not None:
                found = self.variable(text_of(left))
                if found is not None and not found.shared:
                    self.captured[found.name] = found
            waiting += t.named_children
        self.after += [self.lost(ast.Name(n), tree) for n in self.captured]

    def _identifier(self, tree: Tree) -> ast.expr:
        word = text_of(tree)
        found = self.variable(word)
        if found is not None and found.alias:
            return call("@load", ast.Name(found.name, ast.Load()), said(found.type))
        if found is not None and word in self.exposed and not found.shared and not found.type.array:
            return call("@data", said(f"{word}, whose address is taken"))
        if found is not None and found.shared and not found.type.is_address:
            return call("@load", ast.Name(found.name, ast.Load()), said(found.type))
        if found is None and word in self.source.macros:
            value = self.source.macros[word]
            if value is None and word not in self.source.reaching:
                return call("@data", said(f"the macro {word} is not followed"))
            bare = value is not None and is_loose(value) and not is_whole(tree)
            if value is None or bare or self.nested > MACROS:
                return call("@skip", said(f"the macro {word} is not followed"))
            self.nested += 1
            try:
                return self.expression(value)
            finally:
                self.nested -= 1
        return ast.Name(found.name if found else word, ast.Load())

    _type_identifier = _identifier

    def _qualified_identifier(self, tree: Tree) -> ast.expr:
        return ast.Name("".join(text_of(tree).split()), ast.Load())

    def _parenthesized_expression(self, tree: Tree) -> ast.expr:
        kids = children(tree)
        return self.expression(kids[0]) if kids else call("@data")

    def _condition_clause(self, tree: Tree) -> ast.expr:
        return self.expression(tree.child_by_field_name("value"))

    def _number_literal(self, tree: Tree) -> ast.expr:
        found = NUMBER.fullmatch(text_of(tree).replace("'", ""))
        if found is None:
            return said(0.5)
        digits, suffix = found[1], found[2].lower()
        octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
        number = said(int(digits, 8 if octal else 0))
        if not suffix:
            return number
        word = ("unsigned " if "u" in suffix else "") + ("long" if "l" in suffix else "int")
        return call("@as", number, said(word))

    def _char_literal(self, tree: Tree) -> ast.expr:
        return said(text_of(tree))

    _string_literal = _char_literal

    def _true(self, tree: Tree) -> ast.expr:
        return said(tree.type == "true")

    _false = _true

    def _null(self, tree: Tree) -> ast.expr:
        return said(None)

    def _field_expression(self, tree: Tree) -> ast.expr:
        base, word = (tree.child_by_field_name(k) for k in ("argument", "field"))
        if text_of(base) in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
            return ast.Name(f"{text_of(base)}.{text_of(word)}", ast.Load())
        own = self.named(tree)
        if own is not None:
            return ast.Name(own.name, ast.Load())
        made = ast.Attribute(self.expression(base), text_of(word), ast.Load())
        made.ctype = self._field_type(tree)  # type: ignore[attr-defined]
        return made

    def _binary_expression(self, tree: Tree) -> ast.expr:
        left, right = (tree.child_by_field_name(k) for k in ("left", "right"))
        op = text_of(tree.child_by_field_name("operator"))
        if op in ("&&", "||", "and", "or"):
            a, b = self.expression(left), self._alone(right)
            return ast.BoolOp(ast.And() if op in ("&&", "and") else ast.Or(), [a, b])
        a, b = self.expression(left), self.expression(right)
        if op in COMPARED:
            return ast.Compare(a, [COMPARED[op]()], [b])
        return self.operation(op, a, b, self.type_of(left), self.type_of(right))

    def operation(
        self, op: str, a: ast.expr, b: ast.expr, left: CType | None, right: CType | None
    ) -> ast.expr:
        """An arithmetic operation; with a pointer it counts elements."""
        if op not in BINARY:
            return call("@data", a, b)
        if left is not None and left.is_address and op in ("+", "-"):
            if right is not None and right.is_address:
                return call("@data", a, b)
            by = b if op == "+" else ast.UnaryOp(ast.USub(), call("@signed", b))
            return call("@place", a, by, said(left.element))
        if right is not None and right.is_address and op == "+":
            return call("@place", b, a, said(right.element))
        return ast.BinOp(a, BINARY[op](), b)

    def _unary_expression(self, tree: Tree) -> ast.expr:
        op = text_of(tree.child_by_field_name("operator"))
        inner = self.expression(tree.child_by_field_name("argument"))
        signs: dict[str, ast.unaryop] = {
            "-": ast.USub(),
            "+": ast.UAdd(),
            "!": ast.Not(),
            "~": ast.Invert(),
        }
        return ast.UnaryOp(signs[op], inner) if op in signs else call("@data", inner)

    def _conditional_expression(self, tree: Tree) -> ast.expr:
        c = self.expression(tree.child_by_field_name("condition"))
        a, b = (self._alone(tree.child_by_field_name(k)) for k in ("consequence", "alternative"))
        return ast.IfExp(c, a, b)

    def _alone(self, tree: Tree) -> ast.expr:
        """An expression that is not always evaluated: what it changes is lost."""
        before, after, self.before, self.after = self.before, self.after, [], []
        made = self.expression(tree)
        lost = [
            s for s in (*self.before, *self.after) if isinstance(s, (ast.Assign, ast.AugAssign))
        ]
        self.before, self.after = before, after
        for s in lost:
            target = s.targets[0] if isinstance(s, ast.Assign) else s.target
            self.before.append(self.lost(target, tree))
            self.after.append(self.lost(target, tree))
        return made

    def lost(self, target: ast.expr, tree: Tree) -> ast.stmt:
        """Nothing is known of a variable any more."""
        assert isinstance(target, ast.Name)
        new = ast.Name(target.id, ast.Store())
        made: ast.stmt = place(ast.Assign([new], call("@data", said(target.id))), tree)
        return made


def _is_value(tree: Tree) -> bool:
    """Whether a node inside of an expression is one itself."""
    word = str(tree.type)
    return word.endswith(("expression", "literal", "list")) or word == "identifier"
