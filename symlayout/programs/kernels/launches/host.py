"""Follows host code up to the launches of kernels, with the conditions that hold there."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from typing import Any

from symlayout.expr.term import Term
from symlayout.programs.kernels.launches.values import (
    OPERATORS,
    Env,
    Given,
    Later,
    Values,
    plainly,
)
from symlayout.programs.kernels.nodes import conjuncts, negation
from symlayout.programs.kernels.syntax import assigned_names, dotted_name, name_given


class Host(Values):
    """The launches of one function of host code, or of a file's own statements."""

    def follow(self, body: list[ast.stmt], env: Env) -> bool:
        """Follows statements in their order; whether something lies behind them."""
        for s in body:
            self.line = s.lineno
            if not self._statement(s, env):
                return False
        return True

    def _statement(self, s: ast.stmt, env: Env) -> bool:
        match s:
            case ast.Assign():
                self._assign_all(s, env)
            case ast.AnnAssign():
                self._assign(s.target, self.value(s.value, env) if s.value else self.leaf(), env)
            case ast.AugAssign():
                op, new = OPERATORS.get(type(s.op)), self.number(s.value, env)
                value: Any = self.leaf()
                if op is not None and isinstance(s.target, ast.Name):
                    old = self._name(s.target.id, env)
                    value = plainly(op, old, new) if isinstance(old, Term) else value
                self._assign(s.target, value, env)
            case ast.Expr():
                self.value(s.value, env)
            case ast.Assert():
                self._hold(self.condition(s.test, env), s.lineno)
            case ast.If():
                return self._branch(s, env)
            case ast.Return() | ast.Raise():
                for x in ast.iter_child_nodes(s):
                    if isinstance(x, ast.expr):
                        self.value(x, env)
                return False
            case ast.Continue() | ast.Break():
                return False
            case ast.With():
                for item in s.items:
                    self.value(item.context_expr, env)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, self.leaf(), env)
                if all(map(_lets_pass, s.items)):
                    return self.follow(s.body, env)
                self._several(s, env)
            case ast.FunctionDef():
                self.forget(assigned_names([*s.decorator_list, s.args]), env)
                env[s.name] = self.leaf() if s.decorator_list else Later(s)
            case ast.Import() | ast.ImportFrom():
                self.forget(assigned_names([s]) & {*env}, env)
            case ast.Pass() | ast.Global() | ast.Nonlocal():
                pass
            case _:
                self._several(s, env)
        return True

    def _hold(self, c: Term, line: int) -> None:
        self.facts += tuple((part, line) for part in conjuncts(c))

    def _branch(self, s: ast.If, env: Env) -> bool:
        c = self.condition(s.test, env)
        before = self.facts
        self._hold(c, s.lineno)
        first, second = dict(env), dict(env)
        here = self.follow(s.body, first)
        after, self.facts = self.facts, before
        self._hold(negation(c), s.lineno)
        there = self.follow(s.orelse, second)
        if here != there:
            self.facts = after if here else self.facts
            env.clear()
            env.update(first if here else second)
            return True
        self.facts = before
        for n in dict.fromkeys([*first, *second]):
            same = n in first and n in second and first[n] == second[n]
            env[n] = first[n] if same else self.leaf()
        return here

    def _several(self, s: ast.stmt, env: Env) -> None:
        """A loop or another statement whose parts run any number of times."""
        self.forget(assigned_names([s]), env)
        before = self.facts
        self._forget_shapes_in(s)
        for name_of, part in ast.iter_fields(s):
            if isinstance(part, ast.expr) and name_of != "target":
                self.value(part, env)
            for x in part if isinstance(part, list) else ():
                body = x.body if isinstance(x, (ast.ExceptHandler, ast.match_case)) else None
                if isinstance(x, ast.stmt):
                    body = part if x is part[0] else None
                if body:
                    self.follow(body, dict(env))
                    self.facts = before
        self._forget_shapes_in(s)

    def _forget_shapes_in(self, s: ast.stmt) -> None:
        """Where a tensor is changed in place, no size is known to be what it was."""
        changes = (x for x in ast.walk(s) if isinstance(x, (ast.Attribute, ast.keyword)))
        for x in changes:
            word = x.attr if isinstance(x, ast.Attribute) else x.arg
            own = isinstance(x, ast.Attribute) and isinstance(x.ctx, ast.Store)
            if own or word == "out" or (word and word.endswith("_")):
                self.leaves = {k: v for k, v in self.leaves.items() if k[0] == "outside"}
                return


def _lets_pass(item: ast.withitem) -> bool:
    """Whether what is raised inside of it ends the function, as with all that PyTorch has."""
    call = item.context_expr
    return dotted_name(call.func if isinstance(call, ast.Call) else call).startswith("torch.")


def names_of(nodes: Iterable[ast.AST]) -> Given:
    """The names that the nodes of a tree give values, a parameter its own."""
    counts: Counter[str] = Counter()
    brought: set[str] = set()
    elsewhere: set[str] = set()
    for x in nodes:
        word = x.arg if isinstance(x, ast.arg) else name_given(x)
        counts.update([word] if word else [])
        if isinstance(x, ast.alias):
            brought.add(word)
        elif isinstance(x, (ast.Global, ast.Nonlocal)):
            elsewhere.update(x.names)
    once = {n for n, k in counts.items() if k == 1}
    return Given({*counts}, once - brought - elsewhere, elsewhere)
