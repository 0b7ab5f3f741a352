"""Loops whose counter is divided or multiplied each turn, from or to what is no number."""

from __future__ import annotations

import ast

from symlayout.expr.machine import INT64, Machine
from symlayout.programs.kernels.access import Access, Range, Span
from symlayout.programs.kernels.c.whiles import Whiles
from symlayout.programs.kernels.nodes import binary, cast, name, num
from symlayout.programs.kernels.syntax import assigned_names
from symlayout.programs.kernels.triton.carried import lost_value
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.statements import LOOPS, Loop
from symlayout.programs.kernels.values import Block

DIVIDED, SHIFTED = ("/=", ">>="), (">>=", "<<=")
MOST = 64  # turns: the counter has no more bits


class Powers(Whiles):
    """Follows `for (int k = n / 2; k > 0; k /= 2)` and `for (int k = 1; k < n; k *= 2)`."""

    def over_powers(self, node: ast.For, iterable: ast.Call, env: Env) -> None:
        """The counter is one of the numbers between its ends: more than it is in any turn."""
        counter = self._between(node, iterable, env) if self.nested < LOOPS else None
        if counter is None:
            why = "a loop whose counter is divided or multiplied, between ends that are not known"
            self.skip(node.lineno, why)
            self._skip_loop(node, assigned_names([node]), env)
            return
        variable, kind, factor = counter
        assert isinstance(node.target, ast.Name)
        reason = f"line {node.lineno}: which numbers {node.target.id} is in the loop"
        turn = self.unknown((), reason, False, num(0), num(MOST)).node
        value = name(variable.word, kind)
        if factor > 1 and self.recording and kind.bits < 64:
            self.ranges[variable.word] = variable
            behind = cast(kind, binary("*", cast(INT64, value), num(factor)))
            ranges, span = self.around(behind, self.alive), Span(node.lineno)
            place = Access("counter", "", behind, (), span, self.alive, ranges)
            self.kernel.ends.append(place)
            del self.ranges[variable.word]
        inexact, self.inexact = (
            self.inexact,
            f"line {node.lineno}: {node.target.id} is not all of the numbers between its ends",
        )
        loop = Loop(variable, turn, value, num(MOST))
        self.loop_body(node, env, loop, {node.target.id: Block(value)})
        self.inexact = inexact
        for n in assigned_names([node]):
            env[n] = lost_value(env.get(n), n, node.lineno)

    def _between(
        self, node: ast.For, iterable: ast.Call, env: Env
    ) -> tuple[Range, Machine, int] | None:
        """The numbers that the counter is among, its type, and what a turn multiplies it with."""
        start, order, end, op, by = iterable.args
        type = self.types.get(node.target.id)  # type: ignore[attr-defined]
        with self.silent():  # they were looked at before
            numbers = [self.value(e, env) for e in (start, end, by)]
        nodes = [v.node for v in numbers if isinstance(v, Block) and not v.shape]
        names = {x.id for e in (end, by) for x in ast.walk(e) if isinstance(x, ast.Name)}
        kind = type.machine if type and type.machine == type.computed else None
        if len(nodes) < 3 or kind is None or names & assigned_names([node]):
            return None
        first, last, times = nodes
        factor = times.value or 0
        if str(self._text(op)) in SHIFTED:
            factor = 1 << min(max(factor, 0), MOST)
        if factor < 2 or not (self.nonnegative(first) and self.nonnegative(last)):
            return None
        relation, one = str(self._text(order)), num(1)
        down = str(self._text(op)) in DIVIDED
        if relation not in ((">", ">=", "!=") if down else ("<", "<=")):
            return None
        if relation == "!=" and last.value != 0:
            return None
        low, high = (last, binary("+", first, one)) if down else (first, last)
        if down and relation != ">=":
            low = binary("+", last, one)
        if down and low.value == 0:
            return None  # it stays 0
        if relation == "<=":
            high = binary("+", last, one)
        word = self.fresh(node.target.id)  # type: ignore[attr-defined]
        return Range(word, low, binary("max", low, high)), kind, 1 if down else factor
