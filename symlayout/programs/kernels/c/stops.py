"""Conditions of a loop beside that of its counter: what they ask stays in its type, in C's order.

Each is false for good once it is: `i + k < n` of what does not change but the counter, which goes up.
So a turn is one in which all are true, and what is asked behind it is asked of the next counter alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

from symlayout.expr.machine import INT64, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Range, Span
from symlayout.programs.kernels.c.calls import Calls
from symlayout.programs.kernels.nodes import binary, both, compare, name, num, wide
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.statements import Loop
from symlayout.programs.kernels.values import Block, Value

NOT_KNOWN = "another condition of the loop is not known"


@dataclass(frozen=True)
class Stops:
    """The conditions beside that of a counter, so many of them asked before it; `own` is what the
    counter's own one asks for, where it is not the counter alone, whose type is `type`.
    """

    line: int
    word: str
    tests: tuple[ast.expr, ...] = ()
    before: int = 0
    own: ast.expr | None = None
    type: Machine = INT64

    @property
    def in_turn(self) -> Iterator[ast.expr | None]:
        """What is asked, in C's order: None for the counter's own condition."""
        yield from (*self.tests[: self.before], None, *self.tests[self.before :])


class Stopping(Calls):
    """Notes what loops ask beside their counter."""

    def stops_at(self, stops: Stops, counter: Term, env: Env) -> list[Term]:
        """The conditions at one value of the counter."""
        values = self._values_at(stops, stops.tests, counter, env)
        with self.silent():
            return [self.condition(v, stops.line).node for v in values]

    def _values_at(
        self, stops: Stops, exprs: Iterable[ast.expr], counter: Term, env: Env
    ) -> list[Value]:
        """Expressions at one value of the counter: that it is 0 there asks nothing of parameters."""
        flags = {*self.kernel.flags}
        with self.silent():
            inside = {**env, stops.word: Block(counter)}
            values = [self.value(e, inside) for e in exprs]
        self.kernel.flags &= flags
        return values

    def turn_of(self, stops: Stops, loop: Loop, env: Env) -> list[Term]:
        """What the conditions say of a turn: in it all that they compute is in its type."""
        tests = self.stops_at(stops, loop.value, env)
        guards = [wide(c) for c in (loop.variable.within, *tests)]
        if loop.variable.high.bits < 64 or stops.type.bits >= 64:
            return guards
        return [compare("<=", wide(loop.value), num(stops.type.high)), *guards]

    def note_stops(
        self, stops: Stops, loop: Loop, counters: tuple[Term | None, Term], env: Env
    ) -> None:
        """Notes what is asked of the first counter, if it is, and of that behind each turn."""
        r, (first, behind) = loop.variable, counters
        if first is not None:
            begins = compare("<", r.low, _end(r))
            for node, guards in self._questions(stops, first, begins, env):
                self.note_place("end", stops.line, node, guards)
        goes_on = compare("<", binary("+", name(r.word, INT64), num(1)), _end(r))
        for node, guards in self._questions(stops, behind, goes_on, env):
            turn = self.turn_of(stops, loop, env)
            self.note_place("counter", stops.line, node, [*turn, *guards], r)

    def _questions(
        self, stops: Stops, counter: Term, own: Term, env: Env
    ) -> Iterator[tuple[Term, list[Term | None]]]:
        """What conditions compute at a value of the counter, each behind those before it."""
        tests = self.stops_at(stops, counter, env)
        guards: list[Term | None] = [None] * (stops.before > len(stops.tests))
        for e in stops.in_turn:
            node = own if e is None else tests.pop(0)
            if e is None and stops.own is not None:
                (value,) = self._values_at(stops, [stops.own], counter, env)
                if isinstance(value, Block):
                    yield value.node, guards
            elif e is not None and any(isinstance(x, ast.BinOp) for x in ast.walk(e)):
                yield node, guards
            guards = [*guards, wide(node)]

    def note_place(
        self,
        kind: str,
        line: int,
        node: Term,
        guards: Iterable[Term | None],
        turn: Range | None = None,
    ) -> None:
        """Notes what is computed where conditions hold; one that is not known makes it doubtful."""
        if not self.recording:
            return
        guards = list(guards)
        known = [c for c in guards if c is not None and not c.unknowns]
        doubt = self.inexact or (NOT_KNOWN if len(known) < len(guards) else "")
        if turn is not None:
            self.ranges[turn.word] = turn
        guard = reduce(both, known, self.alive)
        ranges = self.around(node, guard)
        if turn is not None:
            del self.ranges[turn.word]
        self.kernel.ends.append(Access(kind, "", node, (), Span(line), guard, ranges, doubt))

    def c_turn(self, node: ast.Call, env: Env) -> Value:
        """Whether a turn is executed, as `turn_of` says it."""
        c = self.test(node.args[0], env)
        return replace(c, node=wide(c.node))


def _end(r: Range) -> Term:
    """The end of a range that is not empty: of one that may begin behind it the other number."""
    others = [e for e in r.high.args if e != r.low] if r.high.op == "max" else []
    return others[0] if len(others) == 1 else r.high
