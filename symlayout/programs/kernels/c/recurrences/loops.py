"""Loops by what says how their counter changes: a range, or powers of a number."""

from __future__ import annotations

from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.recurrences.powers import powers_loop
from symlayout.programs.kernels.c.recurrences.ranges import range_loop
from symlayout.programs.kernels.program import nodes as code


def for_loop(it: Interpreter, node: code.For, env: Env) -> None:
    """A loop over a range, or over the powers of a number."""
    if isinstance(node.over, code.Powers):
        powers_loop(it, node, node.over, env)
    else:
        range_loop(it, node, node.over, env)
