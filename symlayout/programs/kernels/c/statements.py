"""C's statements as Python's: declarations with their scopes, loops with a counter as ranges."""

from __future__ import annotations

import ast
import re

from symlayout.programs.kernels.c.lowering import (
    Expressions,
    Tree,
    Variable,
    call,
    children,
    place,
    said,
    text_of,
)
from symlayout.programs.kernels.c.types import CType

TEMPLATE = re.compile(r"([\w:]+\s*<[^;()]*>)\s*\w+")
TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "!=": "!="}


class Lowering(Expressions):
    """Lowers a function's statements."""

    def block(self, trees: list[Tree]) -> list[ast.stmt]:
        """Statements in a scope of their own."""
        self.scopes.append({})
        try:
            return [s for t in trees for s in self.statement(t)]
        finally:
            self.scopes.pop()

    def body(self, tree: Tree | None) -> list[ast.stmt]:
        """A statement, or those of a block; never empty."""
        if tree is None:
            return [ast.Pass(lineno=0, col_offset=0)]
        made = self.block(children(tree) if tree.type == "compound_statement" else [tree])
        return made or [place(ast.Pass(), tree)]

    def statement(self, tree: Tree) -> list[ast.stmt]:
        """One statement, with what its expressions do before and after it."""
        method = getattr(self, f"s_{tree.type}", None)
        outer, self.before, self.after = (self.before, self.after), [], []
        try:
            made = method(tree) if method else self.skipped(tree, f"a statement {tree.type}")
            return [*self.before, *made, *self.after]
        finally:
            self.before, self.after = outer

    def skipped(self, tree: Tree, why: str) -> list[ast.stmt]:
        """What is not understood: said, and nothing is known of what it may change."""
        made: list[ast.stmt] = [place(ast.Expr(call("@skip", said(why))), tree)]
        for word in sorted(self._touched(tree)):
            made.append(self.lost(ast.Name(word), tree))
        return made

    def _touched(self, tree: Tree) -> set[str]:
        """The variables that stand in it."""
        found: set[str] = set()
        waiting = [tree]
        while waiting:
            t = waiting.pop()
            if t.type == "identifier":
                variable = self.variable(text_of(t))
                if variable is not None and not variable.shared:
                    found.add(variable.name)
            waiting += t.named_children
        return found

    def s_compound_statement(self, tree: Tree) -> list[ast.stmt]:
        return self.block(children(tree))

    def s_expression_statement(self, tree: Tree) -> list[ast.stmt]:
        kids = children(tree)
        return self._done(kids[0]) if kids else []

    def _done(self, tree: Tree) -> list[ast.stmt]:
        """An expression for what it does."""
        if tree.type == "assignment_expression":
            left = tree.child_by_field_name("left")
            found = TEMPLATE.fullmatch(text_of(left)) if left.type == "binary_expression" else None
            if found is not None:  # the grammar takes `T<32> x = ...` for comparisons
                word = next(c for c in reversed(children(left)) if c.type == "identifier")
                return self._plain(word, self.read(found[1]), tree.child_by_field_name("right"))
            return self.assignment(tree)
        if tree.type == "update_expression":
            return self.update(tree)
        if tree.type == "comma_expression":
            both = (tree.child_by_field_name(k) for k in ("left", "right"))
            return [s for t in both for s in self._done(t)]
        return [place(ast.Expr(self.expression(tree)), tree)]

    def _nothing(self, tree: Tree) -> list[ast.stmt]:
        return []

    s_comment = s_preproc_call = s_type_definition = s_alias_declaration = _nothing
    s_namespace_alias_definition = s_static_assert_declaration = s_using_declaration = (
        s_empty_statement
    ) = _nothing

    def s_attributed_statement(self, tree: Tree) -> list[ast.stmt]:
        """`[[unroll]] for ..`."""
        return [
            s
            for c in children(tree)
            if c.type != "attribute_declaration"
            for s in self.statement(c)
        ]

    # -- declarations -----------------------------------------------------------------------------

    def s_declaration(self, tree: Tree) -> list[ast.stmt]:
        named = tree.child_by_field_name("type")
        head = tree.text[: named.end_byte - tree.start_byte] if named is not None else b""
        prefix = head.decode(errors="replace")
        shared = "__shared__" in prefix or "threadgroup" in prefix
        made: list[ast.stmt] = []
        for at, child in enumerate(tree.children):
            if tree.field_name_for_child(at) == "declarator":
                made += self._declared(child, prefix, shared)
        return made

    def _declared(self, tree: Tree, prefix: str, shared: bool) -> list[ast.stmt]:
        value_tree = None
        if tree.type == "init_declarator":
            value_tree = tree.child_by_field_name("value")
            tree = tree.child_by_field_name("declarator")
        stars, reference, sizes = 0, False, []
        inner = tree
        while inner.type in ("pointer_declarator", "reference_declarator", "array_declarator"):
            stars += inner.type == "pointer_declarator"
            reference |= inner.type == "reference_declarator"
            if inner.type == "array_declarator":
                sizes.append(inner.child_by_field_name("size"))
            below = inner.child_by_field_name("declarator") or children(inner)[-1]
            inner = below
        if inner.type == "parenthesized_declarator":
            return self.skipped(tree, "a declaration that is not followed")
        if inner.type == "structured_binding_declarator":
            return [s for c in children(inner) for s in self._plain(c, CType("auto"), None)]
        if inner.type == "function_declarator":  # `T x(n)` reads like one
            given = text_of(inner.child_by_field_name("parameters"))
            inner = inner.child_by_field_name("declarator")
            type = self.read(prefix)
            found = [self.variable(w) for w in re.findall(r"\w+", given)]
            made = self._plain(inner, type, None)
            if any(v is not None and (v.shared or v.type.is_address) for v in found):
                why = f"{type.word} is made of a pointer, and not followed"
                return [*self.skipped(tree, why), *made]
            return made
        type = self.read(prefix)
        type = CType(type.word, type.depth + stars, len(sizes), False, type.constant)
        if shared:
            return self._shared(inner, type, sizes[::-1])
        if reference and value_tree is not None:
            return self._reference(inner, type, value_tree, prefix)
        return self._plain(inner, type, value_tree)

    def _plain(self, tree: Tree, type: CType, value_tree: Tree | None) -> list[ast.stmt]:
        if value_tree is not None and value_tree.type in ("argument_list", "initializer_list"):
            kids = children(value_tree)
            if not type.is_address and any(self._is_address(k) for k in kids):
                why = f"{type.word} is made of a pointer, and not followed"
                return [*self.skipped(tree, why), *self._plain(tree, CType(type.word), None)]
            value_tree = kids[0] if len(kids) == 1 and not type.array else value_tree
        if type.word == "auto" and value_tree is not None:
            known = self.type_of(value_tree)
            type = known if known is not None else type
        value = self.expression(value_tree) if value_tree is not None else call("@data")
        made = self.declare(tree, type)
        target = ast.Name(made.name, ast.Store())
        return [place(ast.Assign([target], value), value_tree if value_tree is not None else tree)]

    def _is_address(self, tree: Tree) -> bool:
        found = self.type_of(tree)
        return found is not None and found.is_address

    def declare(self, tree: Tree, type: CType, shared: bool = False) -> Variable:
        """A name of its own for a variable."""
        word = text_of(tree)
        made, k = word, 1
        while made in self.types or made in self.source.functions:
            k += 1
            made = f"{word}_{k}"
        self.types[made] = type
        self.scopes[-1][word] = Variable(made, type, shared=shared)
        return self.scopes[-1][word]

    def _shared(self, tree: Tree, type: CType, sizes: list[Tree | None]) -> list[ast.stmt]:
        lowered = [self.expression(s) for s in sizes if s is not None]
        made = self.declare(tree, type, True)
        made.sizes = tuple(lowered) if len(lowered) == len(sizes) else (call("@data"),)
        element = CType(type.word, type.depth)
        known = lowered if len(lowered) == len(sizes) else []
        value = call("@shared", said(made.name), said(element), *known)
        return [place(ast.Assign([ast.Name(made.name, ast.Store())], value), tree)]

    def _reference(self, tree: Tree, type: CType, value: Tree, prefix: str) -> list[ast.stmt]:
        if value.type == "identifier" and self.variable(text_of(value)) is not None:
            found = self.variable(text_of(value))
            assert found is not None
            self.scopes[-1][text_of(tree)] = found  # another name for it
            return []
        if "const" in prefix.split():
            return self._plain(tree, type, value)
        made = self.skipped(tree, "a reference to a place in memory")
        return [*made, *self._plain(tree, CType("auto", reference=True), None)]

    # -- branches ---------------------------------------------------------------------------------

    def s_if_statement(self, tree: Tree) -> list[ast.stmt]:
        condition = tree.child_by_field_name("condition")
        self.scopes.append({})
        try:
            made: list[ast.stmt] = []
            first = condition.child_by_field_name("initializer")
            if first is not None:
                made += [s for c in children(first) for s in self.statement(c)]
            value = condition.child_by_field_name("value") or condition
            if value.type == "declaration":
                return self.skipped(tree, "a declaration in a condition")
            test = self.expression(value)
            self.before, kept = [], self.before
            self.after, late = [], self.after
            then = self.body(tree.child_by_field_name("consequence"))
            other = tree.child_by_field_name("alternative")
            orelse = self.block(children(other)) if other is not None else []
            self.before, self.after = [], []
            if late:
                return self.skipped(tree, "a condition that changes a variable")
            return [*made, *kept, place(ast.If(test, then, orelse), tree)]
        finally:
            self.scopes.pop()

    def s_else_clause(self, tree: Tree) -> list[ast.stmt]:
        return self.block(children(tree))

    def s_preproc_ifdef(self, tree: Tree) -> list[ast.stmt]:
        """What stands in `#if` is compiled or not: what is declared there is seen behind it."""
        other = tree.child_by_field_name("alternative")
        skip = {tree.child_by_field_name(k) for k in ("name", "condition", "alternative")}
        word = "".join(c if c.isalnum() else "_" for c in text_of(tree).splitlines()[0])
        test = call("@flag", said(f"macro{word[:60]}"))
        then = [s for c in children(tree) if c not in skip for s in self.statement(c)]
        orelse = self.statement(other) if other is not None else []
        if not then:
            then = [ast.Pass()]
        return [place(ast.If(test, then, orelse), tree)]

    s_preproc_if = s_preproc_elif = s_preproc_ifdef

    def s_preproc_else(self, tree: Tree) -> list[ast.stmt]:
        return [s for c in children(tree) for s in self.statement(c)]

    def s_switch_statement(self, tree: Tree) -> list[ast.stmt]:
        """Each case for itself: one that falls through may be reached in another way as well."""
        value = self.expression(tree.child_by_field_name("condition"))
        cases = children(tree.child_by_field_name("body"))
        made: list[ast.stmt] = []
        falls = False
        for case in cases:
            wanted = case.child_by_field_name("value")
            inside = [c for c in children(case) if c != wanted]
            if len(inside) == 1 and inside[0].type == "compound_statement":
                inside = children(inside[0])
            ends = bool(inside) and inside[-1].type in ("break_statement", "return_statement")
            inside = [c for c in inside if c.type != "break_statement"]
            plain, falls = ends and not falls and wanted is not None, not ends
            test: ast.expr = call("@flag", said(f"case_in_line_{case.start_point[0] + 1}"))
            if plain:
                test = ast.Compare(value, [ast.Eq()], [self.expression(wanted)])
            body = self.block(inside) or [ast.Pass()]
            made.append(place(ast.If(test, body, []), case))
        return made

    # -- loops ------------------------------------------------------------------------------------

    def s_for_statement(self, tree: Tree) -> list[ast.stmt]:
        self.scopes.append({})
        try:
            first = tree.child_by_field_name("initializer")
            made: list[ast.stmt] = []
            if first is not None:
                made = self.statement(first) if first.type == "declaration" else self._done(first)
            made = [*self.before, *made, *self.after]
            self.before, self.after = [], []
            return [*made, *self._counted(tree)]
        finally:
            self.scopes.pop()

    def _counted(self, tree: Tree) -> list[ast.stmt]:
        """`for (..; i < n; i += s)` as a range, where nothing of it changes otherwise."""
        test, step = (tree.child_by_field_name(k) for k in ("condition", "update"))
        found = self._bound(test, step) if test is not None and step is not None else None
        if found is None:
            return self.skipped(tree, "a loop without a counter")
        variable, op, bound, by, down = found
        body = self.body(tree.child_by_field_name("body"))
        names = {x.id for e in (bound, by) for x in ast.walk(e) if isinstance(x, ast.Name)}
        changed = {
            x.id
            for s in body
            for x in ast.walk(s)
            if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)
        }
        if variable.name in changed or names & changed or self.before or self.after:
            self.before, self.after = [], []
            return self.skipped(tree, "a loop whose counter or end changes in it")
        if op in ("<=", ">="):
            bound = ast.BinOp(bound, ast.Sub() if down else ast.Add(), said(1))
        step_value = ast.UnaryOp(ast.USub(), by) if down else by
        given = call("range", ast.Name(variable.name, ast.Load()), bound, step_value)
        given.keywords = [ast.keyword("width", said(variable.type.width or 32))]
        loop = ast.For(ast.Name(variable.name, ast.Store()), given, body, [])
        return [place(loop, tree)]

    def _bound(
        self, test: Tree, step: Tree
    ) -> tuple[Variable, str, ast.expr, ast.expr, bool] | None:
        if test.type != "binary_expression":
            return None
        left, right = (test.child_by_field_name(k) for k in ("left", "right"))
        op = text_of(test.child_by_field_name("operator"))
        changed = step.child_by_field_name("argument") or step.child_by_field_name("left")
        if op not in TURNED or changed is None or changed.type != "identifier":
            return None
        if text_of(right) == text_of(changed):
            left, right, op = right, left, TURNED[op]
        variable = self.variable(text_of(changed))
        if text_of(left) != text_of(changed) or variable is None or variable.type.is_address:
            return None
        by = self._step(step, text_of(changed))
        if by is None:
            return None
        value, down = by
        if op == "!=":
            op = ">" if down else "<"
            if not (isinstance(value, ast.Constant) and value.value == 1):
                return None
        return (
            None
            if (op in (">", ">=")) != down
            else (variable, op, self.expression(right), value, down)
        )

    def _step(self, tree: Tree, word: str) -> tuple[ast.expr, bool] | None:
        """What is added each turn, and whether it is taken away."""
        op = text_of(tree.child_by_field_name("operator"))
        if tree.type == "update_expression":
            return said(1), op == "--"
        if tree.type != "assignment_expression":
            return None
        right = tree.child_by_field_name("right")
        if op in ("+=", "-="):
            return self.expression(right), op == "-="
        if op == "=" and right.type == "binary_expression":
            sides = [right.child_by_field_name(k) for k in ("left", "right")]
            sign = text_of(right.child_by_field_name("operator"))
            if sign in ("+", "-") and text_of(sides[0]) == word:
                return self.expression(sides[1]), sign == "-"
        return None

    def s_while_statement(self, tree: Tree) -> list[ast.stmt]:
        test = self.expression(tree.child_by_field_name("condition"))
        if self.before or self.after:
            self.before, self.after = [], []
            return self.skipped(tree, "a loop whose condition changes a variable")
        return [place(ast.While(test, self.body(tree.child_by_field_name("body")), []), tree)]

    def s_do_statement(self, tree: Tree) -> list[ast.stmt]:
        if text_of(tree.child_by_field_name("condition")).strip("() ") in ("0", "false"):
            return self.body(tree.child_by_field_name("body"))
        return self.skipped(tree, "a do loop")

    def s_return_statement(self, tree: Tree) -> list[ast.stmt]:
        kids = children(tree)
        value = self.expression(kids[0]) if kids else None
        return [place(ast.Return(value), tree)]

    def s_break_statement(self, tree: Tree) -> list[ast.stmt]:
        return [place(ast.Break(), tree)]

    def s_continue_statement(self, tree: Tree) -> list[ast.stmt]:
        return [place(ast.Continue(), tree)]
