"""C's statements as Python's: blocks with scopes of their own, branches, what ends early."""

from __future__ import annotations

import ast
from functools import partial

from symlayout.programs.kernels.c.lowering.declarations import Declarations
from symlayout.programs.kernels.c.lowering.leaving import is_broken
from symlayout.programs.kernels.c.lowering.parentheses import declared_alike, named_by
from symlayout.programs.kernels.c.lowering.trees import (
    NO_TYPE,
    Tree,
    aliases_of,
    assign,
    base_of,
    call,
    callee,
    children,
    const,
    place,
    text_of,
)
from symlayout.programs.kernels.conditions import leaves
from symlayout.text.patterns import regex

TEMPLATE = regex(r"([\w:]+\s*<[^;()]*>)\s*\w+")
ACTING_WORDS = """
assignment_expression update_expression comma_expression call_expression conditional_expression
gnu_asm_expression lambda_expression new_expression delete_expression number_literal null true false
string_literal
"""
ACTING = frozenset(ACTING_WORDS.split())  # each is followed, or tells of itself
ENDS = ("break_statement", "return_statement", "continue_statement")


class Statements(Declarations):
    """Lowers statements that are no loops."""

    def block(self, trees: list[Tree]) -> list[ast.stmt]:
        """Statements in a scope of their own."""
        with self.nested():
            return [s for t in trees for s in self.statement(t)]

    def body(self, tree: Tree | None) -> list[ast.stmt]:
        """A statement, or those of a block; never empty."""
        if tree is None:
            return [ast.Pass(lineno=0, col_offset=0)]
        statements = self.block(children(tree) if tree.type == "compound_statement" else [tree])
        return statements or [place(ast.Pass(), tree)]

    def statement(self, tree: Tree) -> list[ast.stmt]:
        """One statement, with what its expressions do before and after it."""
        method = getattr(self, f"s_{tree.type}", None)
        skipped = partial(self.skip, tree, f"a statement {tree.type}")
        if tree.has_error and is_broken(tree):
            return self.skip(tree, "this is no C++ that is understood")
        return self.whole(partial(method, tree) if method else skipped)

    def s_compound_statement(self, tree: Tree) -> list[ast.stmt]:
        return self.block(children(tree))

    def s_expression_statement(self, tree: Tree) -> list[ast.stmt]:
        kids = children(tree)
        return self._effect(kids[0]) if kids else []

    def _effect(self, tree: Tree) -> list[ast.stmt]:
        """An expression for what it does."""
        alike = declared_alike(tree)
        if alike is not None and (declared := self._in_parentheses(tree, *alike)) is not None:
            return declared
        if tree.type == "assignment_expression":
            left = tree.child_by_field_name("left")
            match = TEMPLATE.fullmatch(text_of(left)) if left.type == "binary_expression" else None
            if match is not None:  # the grammar takes `T<32> x = ...` for comparisons
                word = next(c for c in reversed(children(left)) if c.type == "identifier")
                return self._plain(word, self.read(match[1]), tree.child_by_field_name("right"))
            return self.assignment(tree)
        last = tree.child_by_field_name("right") if tree.type == "binary_expression" else None
        if last is not None and last.type == "assignment_expression":
            match = TEMPLATE.fullmatch(text_of(tree).split("=")[0].strip())
            if match is not None:
                word, value = (last.child_by_field_name(k) for k in ("left", "right"))
                return self._plain(word, self.read(match[1]), value)
        if tree.type == "update_expression":
            return self.update(tree)
        if tree.type == "comma_expression":
            both = (tree.child_by_field_name(k) for k in ("left", "right"))
            return [s for t in both for s in self.whole(partial(self._effect, t))]
        if not self._is_followed(tree):
            return self.skip(tree, f"{text_of(tree)[:40]} is not followed")
        return [place(ast.Expr(self.expression(tree)), tree)]

    def _is_followed(self, tree: Tree) -> bool:
        """Whether what an expression does alone is known: a name may be a macro, `a << b` a store."""
        if tree.type in ACTING:
            return True
        if tree.type in ("identifier", "qualified_identifier"):
            known = self.source.macros.get(text_of(tree)) is not None
            return known or self.variable(text_of(tree)) is not None
        if tree.type == "parenthesized_expression" and len(children(tree)) == 1:
            return self._is_followed(children(tree)[0])
        if tree.type == "cast_expression":
            return self._is_followed(tree.child_by_field_name("value"))
        return self.value_type(tree) is not None

    def _in_parentheses(
        self, tree: Tree, first: Tree, parts: list[tuple[Tree, Tree | None]]
    ) -> list[ast.stmt] | None:
        """`int (x) = 3, (y);`, whose names are new ones; None for a call."""
        to, names = self._cast_to(first), [named_by(t) for t, _ in parts]
        if to is None:
            known = callee(first).split("::")[-1] in self.source.functions
            value = parts[0][1]
            is_list = value is not None and value.type == "argument_list"
            either = (
                (is_list or tree.type == "comma_expression") and not known and names[0] is not None
            )
            return self.skip(tree, "a call, or a declaration") if either else None
        if None in names:
            return self.skip(tree, "a declaration that is not followed")
        rows = [(n, v) for n, (_, v) in zip(names, parts) if n is not None]
        return [s for n, v in rows for s in self.whole(partial(self._plain, n, to, v))]

    def _nothing(self, tree: Tree) -> list[ast.stmt]:
        return []

    s_comment = s_preproc_call = s_preproc_def = s_preproc_function_def = _nothing
    s_namespace_alias_definition = s_static_assert_declaration = s_empty_statement = _nothing

    def s_type_definition(self, tree: Tree) -> list[ast.stmt]:
        """Names of types, which are those of the block."""
        type = tree.child_by_field_name("type")
        has_body = type is not None and type.child_by_field_name("body") is not None
        statements = self.statement(type) if has_body else []
        for word, meaning in aliases_of(tree):
            self.named_types[-1][word] = meaning or NO_TYPE
        return statements

    s_alias_declaration = s_type_definition

    def s_using_declaration(self, tree: Tree) -> list[ast.stmt]:
        """`using a::b;`: what the names of a namespace hide is not followed."""
        text = " ".join(text_of(tree).removeprefix("using").strip("; \n").split())
        if text.startswith("namespace "):
            space, names = text.split("::")[-1].split()[-1], self.source.names
            hides = space not in names.spaces and names.stand_in(space)
            return self.skip(tree, f"using {text} inside of a function") if hides else []
        self.named_types[-1][text.split("::")[-1]] = text
        return []

    def s_struct_specifier(self, tree: Tree) -> list[ast.stmt]:
        """A class of a function's own, which hides others of its name."""
        named = tree.child_by_field_name("name")
        if named is not None:
            self.named_types[-1][text_of(named)] = NO_TYPE
        return self.skip(tree, "a class inside of a function")

    s_class_specifier = s_union_specifier = s_struct_specifier

    def s_enum_specifier(self, tree: Tree) -> list[ast.stmt]:
        """The numbers of an enumeration inside of a function, each one more than the one before it."""
        body, named = tree.child_by_field_name("body"), tree.child_by_field_name("name")
        if body is None or any(c.type in ("class", "struct") for c in tree.children):
            return self.skip(tree, "an enumeration with a scope of its own")
        type = self.read(base_of(tree))
        if named is not None:
            self.named_types[-1][text_of(named)] = base_of(tree)
        statements: list[ast.stmt] = []
        last: ast.expr = const(-1)
        for c in children(body):
            if c.type != "enumerator":
                return [*statements, *self.skip(tree, "an enumeration that is not followed")]
            value = c.child_by_field_name("value")
            more = ast.BinOp(last, ast.Add(), const(1))
            number = self.expression(value) if value is not None else more
            variable = self.declare(c.child_by_field_name("name"), type)
            statements.append(assign(variable.name, number, c))
            last = ast.Name(variable.name, ast.Load())
        return statements

    def s_goto_statement(self, tree: Tree) -> list[ast.stmt]:
        return [place(ast.Expr(call("@stop", const("a statement goto_statement"))), tree)]

    s_labeled_statement = s_goto_statement

    def s_attributed_statement(self, tree: Tree) -> list[ast.stmt]:
        """`[[unroll]] for ..`."""
        inner = [c for c in children(tree) if c.type != "attribute_declaration"]
        return [s for c in inner for s in self.statement(c)]

    def s_if_statement(self, tree: Tree) -> list[ast.stmt]:
        condition = tree.child_by_field_name("condition")
        with self.nested():
            first = children(condition.child_by_field_name("initializer"))
            statements = [s for c in first for s in self.statement(c)]
            value = condition.child_by_field_name("value") or condition
            if value.type == "declaration":
                return self.skip(tree, "a declaration in a condition")
            test = self._first(value)
            self.before, before = [], self.before
            then = self.body(tree.child_by_field_name("consequence"))
            orelse = self.block(children(tree.child_by_field_name("alternative")))
            self.before, self.after = [], []
            return [*statements, *before, place(ast.If(test, then, orelse), tree)]

    def s_else_clause(self, tree: Tree) -> list[ast.stmt]:
        return self.block(children(tree))

    def s_preproc_ifdef(self, tree: Tree) -> list[ast.stmt]:
        """What stands in `#if` is compiled or not: what is declared there is seen behind it."""
        other = tree.child_by_field_name("alternative")
        condition = tree.child_by_field_name("condition")
        if tree.type == "preproc_if" and text_of(condition).strip("() ") in ("0", "false"):
            return self.statement(other) if other is not None else []
        skip = {tree.child_by_field_name(k) for k in ("name", "condition", "alternative")}
        word = "".join(c if c.isalnum() else "_" for c in text_of(tree).splitlines()[0])
        test = call("@flag", const(f"macro{word[:60]}"))
        then = [s for c in children(tree) if c not in skip for s in self.statement(c)]
        orelse = self.statement(other) if other is not None else []
        return [place(ast.If(test, then or [ast.Pass()], orelse), tree)]

    s_preproc_if = s_preproc_elif = s_preproc_ifdef

    def s_preproc_else(self, tree: Tree) -> list[ast.stmt]:
        return [s for c in children(tree) for s in self.statement(c)]

    def s_switch_statement(self, tree: Tree) -> list[ast.stmt]:
        """Each case by its number, and by those of the cases above that fall into it."""
        value = self._first(tree.child_by_field_name("condition"))
        cases = children(tree.child_by_field_name("body"))
        if any(c.type != "case_statement" for c in cases):
            return self.skip(tree, "a switch with statements before its cases")
        word = f"switch_{tree.start_point[0]}_{tree.start_point[1]}"
        statements = [assign(word, value, tree)]
        numbers = [case.child_by_field_name("value") for case in cases]
        reached: list[Tree | None] = []
        for case, number in zip(cases, numbers):
            reached.append(number)
            inside = [c for c in children(case) if c != number]
            if len(inside) == 1 and inside[0].type == "compound_statement":
                inside = children(inside[0])
            leaving = [k for k, c in enumerate(inside) if c.type in ENDS]
            ends, inside = bool(leaving), inside[: leaving[0] + 1] if leaving else inside
            body = self.block([c for c in inside if c.type != "break_statement"]) or [ast.Pass()]
            if leaves(body, ast.Break):
                return self.skip(tree, "a switch with a break inside of a case")
            test = self._choice(word, [n for n in reached if n is not None])
            if None in reached:
                other = self._choice(word, [n for n in numbers if n is not None])
                test = ast.BoolOp(ast.Or(), [test, ast.UnaryOp(ast.Not(), other)])
            statements.append(place(ast.If(test, body, []), case))
            reached = [] if ends else reached
        return statements

    def _choice(self, word: str, numbers: list[Tree]) -> ast.expr:
        """Whether a switch's value is one of the numbers."""
        never = ast.Compare(const(0), [ast.Eq()], [const(1)])
        tests: list[ast.expr] = [
            ast.Compare(ast.Name(word, ast.Load()), [ast.Eq()], [self.expression(n)])
            for n in numbers
        ]
        return ast.BoolOp(ast.Or(), [never, *tests])

    def s_return_statement(self, tree: Tree) -> list[ast.stmt]:
        kids = children(tree)
        value = self.expression(kids[0]) if kids else None
        if value is not None and self.result is not None:
            value = call("@as", value, const(self.result.word))
        return [place(ast.Return(value), tree)]

    def s_break_statement(self, tree: Tree) -> list[ast.stmt]:
        return [place(ast.Break(), tree)]

    def s_continue_statement(self, tree: Tree) -> list[ast.stmt]:
        return [place(ast.Continue(), tree)]
