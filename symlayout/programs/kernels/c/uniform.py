"""What all threads of a block do alike: a barrier orders them only where each of them comes to it."""

from __future__ import annotations

import ast

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel, Span
from symlayout.programs.kernels.c.definedness import Definedness
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import num
from symlayout.programs.kernels.syntax import returns_inside
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.state import Module
from symlayout.programs.kernels.values import Value


class Uniform(Definedness):
    """Tells which conditions are the same for all threads of a block."""

    def __init__(self, module: Module, kernel: Kernel, signed: frozenset[str]) -> None:
        super().__init__(module, kernel, signed)
        self.even: set[str] = set()  # unknowns that are the same for all threads
        self.torn: set[str] = set()  # loops that some threads leave before others
        self.at_one_place = False  # whether the last access is at one place for all threads
        self.left = False  # whether some threads may have returned from inside of a loop
        self.inside = 0  # functions that are followed, the kernel among them

    def is_uniform(self, node: Term) -> bool:
        """Whether a value is the same for all threads of a block."""
        threads = {w for k, w in self.kernel.programs.items() if k >= THREADS}
        return not any(
            x.word in threads
            or x.op == "lane"
            or (x.op == "unknown" and x.word not in self.fixed | self.even)
            for x in node.leaves
        )

    def is_met(self) -> bool:
        """Whether all threads of a block come to this statement, as often as each other."""
        loops = self.ranges.values()
        apart = self.left or any(r.word in self.torn for r in loops)
        ends = [n for r in loops for n in (r.low, r.high, r.within)]
        return not apart and all(map(self.is_uniform, (self.alive, *ends)))

    def note_wait(self, node: ast.expr) -> None:
        """Notes a barrier that some threads may not come to; it is in doubt in a loop that is left."""
        if self.recording:
            loops = self.ranges.values()
            torn = self.left or any(r.word in self.torn for r in loops)
            doubt = self.inexact or ("a loop that some threads leave" if torn else "")
            span = Span(node.lineno, node.col_offset, node.end_col_offset or 0)
            ranges = self.around(self.alive)
            wait = Access("barrier", "", num(0), (), span, self.alive, ranges, doubt)
            self.kernel.waits.append(wait)

    def statement(self, node: ast.stmt, env: Env) -> None:
        """A statement; where it leaves a loop, others may stay in it."""
        leaves = isinstance(node, (ast.Return, ast.Break)) and self.nested
        if leaves and not self.is_uniform(self.alive):
            self.torn |= {*self.ranges}
            self.left |= isinstance(node, ast.Return)
        if isinstance(node, ast.Return) and self.inside == 1 and self.recording:
            self.kernel.exits.append(self.alive)
        super().statement(node, env)

    def returned_value(self, function: ast.FunctionDef, bindings: Env) -> Value:
        """What a function returns; behind its call all threads go on."""
        left = self.left
        self.inside += 1
        try:
            return super().returned_value(function, bindings)
        finally:
            self.left = left
            self.inside -= 1

    def _skip_loop(self, node: ast.For | ast.While, names: set[str], env: Env) -> None:
        self.left |= returns_inside([node])
        super()._skip_loop(node, names, env)
