"""Loops by what says how their counter changes: a range, or powers of a number."""

from __future__ import annotations

import ast

from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.recurrences.powers import powers_loop
from symlayout.programs.kernels.c.recurrences.ranges import range_loop


def for_loop(it: Interpreter, node: ast.For, env: Env) -> None:
    """A loop over a range, or over the powers of a number."""
    over = node.iter.func if isinstance(node.iter, ast.Call) else None
    powers = isinstance(over, ast.Name) and over.id == "@powers"
    (powers_loop if powers else range_loop)(it, node, env)
