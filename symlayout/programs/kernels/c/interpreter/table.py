"""What follows each kind of statement and expression: a kind that is new is a row and a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.c.interpreter import (
    arithmetic,
    barriers,
    expressions,
    functions,
    memory,
    statements,
    words,
)
from symlayout.programs.kernels.c.interpreter.context import (
    Contract,
    Env,
    Interpreter,
    Rules,
)
from symlayout.programs.kernels.c.module import CModule
from symlayout.programs.kernels.c.recurrences import conditions, loops, whiles
from symlayout.programs.kernels.values import Value

EXPRESSIONS: Mapping[type[ast.expr], Callable[[Interpreter, Any, Env], Value]] = {
    ast.Attribute: expressions.attribute,
    ast.BinOp: expressions.binary_operation,
    ast.BoolOp: expressions.in_turn,
    ast.Call: functions.call,
    ast.Compare: expressions.compared,
    ast.Constant: expressions.constant,
    ast.IfExp: expressions.choice_value,
    ast.Name: expressions.name_value,
    ast.UnaryOp: expressions.unary_operation,
}
STATEMENTS: Mapping[type[ast.stmt], Callable[[Interpreter, Any, Env], None]] = {
    ast.Assign: statements.assignment,
    ast.AugAssign: statements.changed_by,
    ast.Break: statements.break_there,
    ast.Continue: statements.continue_there,
    ast.Expr: statements.effect,
    ast.For: loops.for_loop,
    ast.If: statements.branch,
    ast.Pass: statements.no_effect,
    ast.Return: statements.returned_there,
    ast.While: whiles.while_loop,
}
WORDS: Mapping[str, Callable[[Interpreter, ast.Call, Env], Value]] = {
    **{w: partial(arithmetic.fold, op=w) for w in ("cdiv", "max", "min")},
    "@again": functions.again,
    "@as": words.cast_value,
    "@atomic": memory.atomic,
    "@barrier": barriers.barrier,
    "@changed": functions.changed,
    "@coordinate": words.coordinate,
    "@copy": memory.copy,
    "@core": words.core,
    "@data": words.data,
    "@field": functions.field,
    "@flag": words.flag,
    "@load": memory.load,
    "@maybe": barriers.maybe,
    "@method": functions.method,
    "@moved": words.end_moved,
    "@part": functions.part,
    "@place": memory.place,
    "@reach": functions.reach,
    "@registers": memory.registers,
    "@shared": memory.shared,
    "@signed": words.as_64_bits,
    "@sizeof": words.sizeof,
    "@skip": words.not_followed,
    "@store": memory.store,
    "@struct": words.struct,
    "@thread": words.thread_number,
    "@threads": words.threads,
    "@turn": conditions.turn,
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


def interpreter(module: CModule, kernel: Kernel, contract: Contract = NO_CONTRACT) -> Interpreter:
    """What follows a kernel, of which nothing is known yet."""
    return Interpreter(module, kernel, RULES, contract)
