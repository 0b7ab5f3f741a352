"""Host code's statements as Python's, with what changes variables inside of expressions."""

from __future__ import annotations

import ast
import re

from symlayout.expr.machine import INT, INT64, UINT32
from symlayout.programs.kernels.c import named_parameters, parser
from symlayout.programs.kernels.c.lowering.trees import (
    Tree,
    callee,
    children,
    declarators,
    declared,
    exposed,
    head_of,
    scope,
    text_of,
    walk,
    words_in,
)
from symlayout.programs.kernels.c.types import CType, read_type
from symlayout.programs.kernels.launches.c.expressions import AUTO, Expressions
from symlayout.programs.kernels.launches.c.trees import BINARY, function_of, place
from symlayout.programs.kernels.launches.c.uses import launched
from symlayout.programs.kernels.syntax import assigned_names
from symlayout.text.patterns import regex

CHECKS = regex(
    r"assert|(?:TORCH_|AT_|GGML_|C10_|TORCH_INTERNAL_|FLASHINFER_|TVM_FFI_|PADDLE_ENFORCE_)?"
    r"(?:CHECK|ASSERT|ICHECK|ENFORCE|ASSERTM)(?:_(EQ|NE|LT|LE|GT|GE))?"
)
ORDERS: dict[str, type[ast.cmpop]] = {
    "EQ": ast.Eq,
    "NE": ast.NotEq,
    "LT": ast.Lt,
    "LE": ast.LtE,
    "GT": ast.Gt,
    "GE": ast.GtE,
}
HARMLESS = regex(
    r"dim3|min|max|ceil_?div|div_?up|cdiv|ceil|floor|abs|printf|cuda\w+|hip\w+|[A-Z_0-9]+|\w*_cast|"
    r"static_cast|size|numel|stride|data_ptr|getCurrentCUDAStream|\w*[cC]eil\w*|make_\w+"
)


class Lowering(Expressions):
    """Lowers one function of host code."""

    def function(self, tree: Tree) -> ast.FunctionDef:
        """The function with parameters whose names are its own."""
        self.exposed = exposed(tree)
        named = [self.declare(word, type) for word, type in named_parameters(tree)]
        body = self.block(children(tree.child_by_field_name("body")))
        return place(function_of("host", named, body or [place(ast.Pass(), tree)]), tree)

    def block(self, trees: list[Tree]) -> list[ast.stmt]:
        """Statements in a scope of their own."""
        with scope(self.scopes):
            return [s for t in trees for s in self.statement(t)]

    def body(self, tree: Tree | None) -> list[ast.stmt]:
        """A statement or a block; never empty."""
        if tree is None:
            return []
        statements = self.block(children(tree) if tree.type == "compound_statement" else [tree])
        return statements or [place(ast.Pass(), tree)]

    def statement(self, tree: Tree) -> list[ast.stmt]:
        """One statement, and what lambdas in it do, any number of times."""
        self.unsettled = set()
        return [place(s, tree) for s in self._statement(tree)]

    def _statement(self, t: Tree) -> list[ast.stmt]:
        match t.type:
            case "compound_statement":
                return self.block(children(t))
            case "declaration":
                return self._declaration(t)
            case "expression_statement":
                return [s for c in children(t) for s in self._expression(c)]
            case "return_statement" | "throw_statement":
                before = [s for c in children(t) for s in self._changes(c)]
                value = self.expression(children(t)[0]) if children(t) else None
                return [*before, ast.Return(value)]
            case "if_statement":
                return self._if(t)
            case "break_statement":
                return [ast.Break()]
            case "continue_statement":
                return [ast.Continue()]
            case "comment" | "using_declaration" | "preproc_call" | "alias_declaration":
                return []
            case "type_definition" | "static_assert_declaration" | "empty_statement":
                return []
            case "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif":
                skip = {t.child_by_field_name(k) for k in ("name", "condition", "alternative")}
                # what is declared there is seen behind it
                inside = [s for c in children(t) if c not in skip for s in self.statement(c)]
                other = t.child_by_field_name("alternative")
                rest = self.statement(other) if other is not None else []
                return [ast.If(self.opaque(), inside or [ast.Pass()], rest)]
        return self._loop(t)

    def _loop(self, t: Tree) -> list[ast.stmt]:
        """Loops, `switch`, `try`: their parts any number of times."""
        with scope(self.scopes):
            inside = [s for c in children(t) for s in self._part(c)]
        return [ast.While(self.opaque(), inside or [ast.Pass()], [])]

    def _part(self, t: Tree) -> list[ast.stmt]:
        if t.type.endswith(("statement", "declaration", "clause")) and t.type != "condition_clause":
            known = t.type in ("case_statement", "catch_clause")
            return self._loop(t) if known else self.statement(t)
        return [place(s, t) for s in self._expression(t)]

    def _if(self, t: Tree) -> list[ast.stmt]:
        with scope(self.scopes):
            clause = t.child_by_field_name("condition")
            value = clause.child_by_field_name("value") or clause
            first = clause.child_by_field_name("initializer")
            statements = self.statement(first) if first is not None else []
            statements += [] if value.type == "declaration" else self._changes(value)
            plain = value.type != "declaration"
            test = self.expression(value) if plain else self.opaque()
            then = self.body(t.child_by_field_name("consequence"))
            rest = self.block(children(t.child_by_field_name("alternative")))
            return [*statements, ast.If(test, then or [ast.Pass()], rest)]

    def _declaration(self, t: Tree) -> list[ast.stmt]:
        words = head_of(t).split()
        type = read_type(head_of(t))
        statements = [s for d in declarators(t) for s in self._declarator(d, type)]
        if "static" in words and not {"const", "constexpr"} & {*words}:  # of every call so far
            statements += [self._forgotten(w) for w in sorted(assigned_names(statements))]
        return statements

    def _declarator(self, d: Tree, type: CType) -> list[ast.stmt]:
        named, value = declared(d)
        if value is not None and value.type == "lambda_expression":
            return [self._lambda(value, at_once=False)]
        before = self._changes(value) if value is not None else []
        arguments = children(value) if value is not None and value.type.endswith("_list") else None
        if named.type == "function_declarator":  # `dim3 grid(a, b)` reads like one
            arguments = [_alone(p) for p in children(named.child_by_field_name("parameters"))]
            named = named.child_by_field_name("declarator")
        if named.type != "identifier":
            words = words_in(named)[: 1 if "declarator" in named.type else 9]
            reference = named.type == "reference_declarator"
            names = [self.declare(w, AUTO) for w in words]
            own = self.expression(value) if reference and value is not None else self.opaque()
            return [*before, *[ast.Assign([_store(n)], own) for n in names]]
        if arguments is not None and type.word == "dim3":
            whole = all(g is not None for g in arguments)
            expr = self._of("@dim3", [self.expression(g) for g in arguments if g is not None])
            expr = expr if whole else self.opaque()
        elif arguments is not None:
            one = arguments[0] if len(arguments) == 1 else None
            expr = self.expression(one) if one is not None and type.machine else self.opaque()
        else:
            expr = self.expression(value) if value is not None else self.opaque()
            if type.word == "dim3":
                expr = self._of("@dims", [expr])
        if value is not None and type.computed in (INT, UINT32) and self.is_wide(value):
            expr = self.opaque()  # what does not fit is another number
        if type.computed not in (INT, INT64) and not (type.word == "auto" and value is None):
            expr = expr if type.word == "dim3" else self._of("@loose", [expr])
        expr = self._typed(expr, type)
        return [*before, ast.Assign([_store(self.declare(text_of(named), type))], expr)]

    def _typed(self, value: ast.expr, type: CType) -> ast.expr:
        """The value in a variable of that type."""
        if type.word == "bool":
            value = self._of("@bool", [value])
        return self._of("@int", [value]) if type.machine and type.word != "dim3" else value

    def _expression(self, t: Tree) -> list[ast.stmt]:
        """An expression for what it does."""
        if t.type == "call_expression":
            check = self._check(t)
            if check is not None:
                return [ast.Assert(check)]
            return [*self._changes(t), ast.Expr(self.expression(t))]
        return [*self._changes(t), *self._assignment(t)]

    def _assignment(self, t: Tree) -> list[ast.stmt]:
        if t.type == "assignment_expression":
            left, right = (t.child_by_field_name(k) for k in ("left", "right"))
            op = text_of(t.child_by_field_name("operator")).removesuffix("=")
            if left.type == "identifier":
                new: ast.expr = self.expression(right)
                target = self.name_of(text_of(left))
                own = self.types.get(target, AUTO)
                if own.computed in (INT, UINT32) and own.word != "dim3" and self.is_wide(right):
                    new = self.opaque()
                if op:
                    known = op in ("+", "-", "*")
                    old = ast.Name(target, ast.Load())
                    new = ast.BinOp(old, BINARY[op](), new) if known else self.opaque()
                if own.word != "dim3":
                    both = self.is_unsigned(left) or (bool(op) and self.is_unsigned(right))
                    new = self.in_type(new, both)
                elif not op:
                    new = self._of("@dims", [new])
                if own.word == "bool":
                    new = self._of("@bool", [new])
                return [ast.Assign([_store(target)], new)]
            word = text_of(left.child_by_field_name("argument")) if left.type[:5] == "field" else ""
            value = [ast.Expr(self.expression(right))]
            lost = [self._forgotten(self.name_of(word))] if word.isidentifier() else []
            return [*value, *lost]
        return [ast.Expr(self.expression(t))]

    def _changes(self, t: Tree) -> list[ast.stmt]:
        """What inside of an expression changes variables: lambdas, `x++`, `f(&x)`, `f(x)`."""
        changes: list[ast.stmt] = []
        waiting = [t]
        while waiting:
            x = waiting.pop()
            if x.type == "lambda_expression":
                changes.append(self._lambda(x, at_once=True))
                continue
            inner = x.child_by_field_name("argument")
            address = x.type == "pointer_expression" and text_of(x).startswith("&")
            changed = x.type == "update_expression" or address
            if x != t and x.type == "assignment_expression":
                inner, changed = x.child_by_field_name("left"), True
            if changed and inner is not None:
                changes += [self._forgotten(self.name_of(w)) for w in words_in(inner)]
            if x.type == "call_expression":
                changes += self._references(x)
            waiting += x.named_children
        self.unsettled |= assigned_names(s for s in changes if isinstance(s, ast.Assign))
        return [place(s, t) for s in changes]

    def _forgotten(self, word: str) -> ast.stmt:
        """Nothing is known of a variable from here on but its type."""
        value = self._typed(self.opaque(), self.types.get(word, AUTO))
        return ast.Assign([_store(word)], value)

    def _lambda(self, t: Tree, at_once: bool) -> ast.stmt:
        """What a lambda does; called later, nothing is known of what it sees outside of it."""
        with scope(self.scopes):
            body, head = (t.child_by_field_name(k) for k in ("body", "declarator"))
            statements: list[ast.stmt] = []
            words = words_in(head)
            if not at_once and body is not None:
                words += [w for w in sorted({*words_in(body)}) if self.name_of(w) != w]
                self.lost |= {self.name_of(w) for w in _targets(body)}
            for word in words:
                own = self.declare(word, AUTO)
                statements.append(ast.Assign([_store(own)], self.opaque()))
            statements += self.body(body)
            return place(ast.While(self.opaque(), statements, []), t)

    def _references(self, t: Tree) -> list[ast.stmt]:
        """Variables that a function of the file takes by reference."""
        word = callee(t)
        listed = t.child_by_field_name("arguments")
        if listed is None or launched(t, self.kernels) is not None:
            return []
        last = re.split(r"::|\.|->", word)[-1]
        known = self.functions.get(last)
        if known is not None and not any(b"&" in f.text.split(b"{")[0] for f in known):
            return []
        if known is None and (HARMLESS.fullmatch(last) or "." in word or "->" in word):
            return []
        names = [text_of(c) for c in children(listed) if c.type == "identifier"]
        own = [self.name_of(n) for n in names if self.name_of(n) != n]
        return [self._forgotten(n) for n in own]

    def _check(self, t: Tree) -> ast.expr | None:
        """What `TORCH_CHECK(c, ..)` and its like demand."""
        word = text_of(t.child_by_field_name("function"))
        match = CHECKS.fullmatch(word)
        arguments = children(t.child_by_field_name("arguments"))
        if match is None or word in self.functions or not arguments or word in self.own:
            return None
        if match[1] is None:
            return self.expression(arguments[0])
        if len(arguments) < 2:
            return None
        a, b = (self.expression(g) for g in arguments[:2])
        return place(ast.Compare(a, [ORDERS[match[1]]()], [b]), t)


def _store(word: str) -> ast.Name:
    return ast.Name(word, ast.Store())


def _targets(tree: Tree) -> set[str]:
    """The variables that assignments in it change."""
    changes = [t for t in walk(tree) if t.type in ("assignment_expression", "update_expression")]
    sides = [t.child_by_field_name("left") or t.child_by_field_name("argument") for t in changes]
    return {w for side in sides for w in words_in(side)}


def _alone(parameter: Tree) -> Tree | None:
    """`a` of what the grammar takes for an unnamed parameter of type `a`."""
    text = text_of(parameter)
    tree = parser().parse(f"int x = {text};".encode()).root_node
    if tree.has_error or not children(tree):
        return None
    return children(children(tree)[0])[-1].child_by_field_name("value")
