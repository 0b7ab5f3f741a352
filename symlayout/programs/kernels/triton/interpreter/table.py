"""What follows each kind of statement and expression: a kind that is new is a row and a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.triton.interpreter import expressions, functions, loops, statements
from symlayout.programs.kernels.triton.interpreter.context import Contract, Interpreter, Rules
from symlayout.programs.kernels.triton.module import Module
from symlayout.programs.kernels.triton.words.table import WORDS
from symlayout.programs.kernels.values import Value

EXPRESSIONS: Mapping[type[ast.expr], Callable[[Interpreter, Any, Env], Value]] = {
    ast.Attribute: expressions.attribute,
    ast.BinOp: expressions.binary_operation,
    ast.BoolOp: expressions.boolean,
    ast.Call: functions.call,
    ast.Compare: expressions.comparisons,
    ast.Constant: expressions.constant,
    ast.IfExp: expressions.choice_value,
    ast.List: expressions.several,
    ast.Name: expressions.name_value,
    ast.Subscript: expressions.subscript,
    ast.Tuple: expressions.several,
    ast.UnaryOp: expressions.unary_operation,
}
STATEMENTS: Mapping[type[ast.stmt], Callable[[Interpreter, Any, Env], None]] = {
    ast.AnnAssign: statements.annotated,
    ast.Assert: statements.no_effect,
    ast.Assign: statements.assignment,
    ast.AugAssign: statements.changed_by,
    ast.Break: statements.break_there,
    ast.Continue: statements.continue_there,
    ast.Expr: statements.effect,
    ast.For: loops.for_loop,
    ast.If: statements.branch,
    ast.Pass: statements.no_effect,
    ast.Raise: statements.failure,
    ast.Return: statements.return_there,
    ast.While: loops.while_loop,
    ast.With: statements.with_tasks,
}
RULES = Rules(
    EXPRESSIONS,
    STATEMENTS,
    WORDS,
    expressions.value,
    statements.follow_block,
    statements.returned_value,
)
NO_CONTRACT = Contract()


def interpreter(module: Module, kernel: Kernel, contract: Contract = NO_CONTRACT) -> Interpreter:
    """What follows a kernel, of which nothing is known yet."""
    return Interpreter(module, kernel, RULES, contract)
