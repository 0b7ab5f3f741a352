"""What follows each kind of statement and expression: a kind that is new is a row and a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.values import Value

EXPRESSIONS: Mapping[type[code.Expression], Callable[[Interpreter, Any, Env], Value]] = {
    code.Again: functions.again,
    code.Atomic: memory.atomic,
    code.Barrier: barriers.barrier,
    code.Call: functions.call,
    code.Cast: words.cast_value,
    code.Changed: functions.changed,
    code.Choice: expressions.choice_value,
    code.Comparison: expressions.compared,
    code.Constant: expressions.constant,
    code.Coordinate: words.coordinate,
    code.Copy: memory.copy,
    code.Core: words.core,
    code.Count: words.as_64_bits,
    code.Data: words.data,
    code.Element: memory.place,
    code.Field: expressions.attribute,
    code.FieldBehind: functions.field,
    code.Flag: words.flag,
    code.Fold: arithmetic.fold,
    code.Junction: expressions.in_turn,
    code.Load: memory.load,
    code.MaybeBarrier: barriers.maybe,
    code.MethodCall: functions.method,
    code.Moved: words.end_moved,
    code.Name: expressions.name_value,
    code.Not: expressions.opposite,
    code.Object: words.struct,
    code.Operation: expressions.binary_operation,
    code.Part: functions.part,
    code.Reach: functions.reach,
    code.Registers: memory.registers,
    code.Shared: memory.shared,
    code.Sign: expressions.signed,
    code.SizeOf: words.sizeof,
    code.Store: memory.store,
    code.Thread: words.thread_number,
    code.Threads: words.threads,
    code.Turn: conditions.turn,
    code.Unfollowed: words.not_followed,
}
STATEMENTS: Mapping[type[code.Statement], Callable[[Interpreter, Any, Env], None]] = {
    code.Assign: statements.assignment,
    code.Break: statements.break_there,
    code.Change: statements.changed_by,
    code.Continue: statements.continue_there,
    code.Effect: statements.effect,
    code.For: loops.for_loop,
    code.If: statements.branch,
    code.Nothing: statements.no_effect,
    code.Return: statements.returned_there,
    code.Stop: statements.stop,
    code.While: whiles.while_loop,
}
RULES = Rules(
    EXPRESSIONS,
    STATEMENTS,
    expressions.value,
    statements.follow_block,
    statements.returned_value,
)
NO_CONTRACT = Contract()


def interpreter(module: CModule, kernel: Kernel, contract: Contract = NO_CONTRACT) -> Interpreter:
    """What follows a kernel, of which nothing is known yet."""
    return Interpreter(module, kernel, RULES, contract)
