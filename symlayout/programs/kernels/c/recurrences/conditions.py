"""Conditions of a loop beside that of its counter: what they ask stays in its type, in C's order.

Each is false for good once it is: `i + k < n` of what does not change but the counter, which goes up.
So a turn is one in which all are true, and what is asked behind it is asked of the next counter alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from symlayout.expr.machine import INT64, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Range
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import condition
from symlayout.programs.kernels.c.interpreter.expressions import test
from symlayout.programs.kernels.c.interpreter.notes import note_place
from symlayout.programs.kernels.c.recurrences.turns import Loop
from symlayout.programs.kernels.nodes import binary, compare, name, num, wide
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.nodes import every_part
from symlayout.programs.kernels.values import Block, Value


@dataclass(frozen=True)
class Stops:
    """The conditions beside that of a counter, so many of them asked before it; `own` is what the
    counter's own one asks for, where it is not the counter alone, whose type is `type`.
    """

    line: int
    word: str
    tests: tuple[code.Expression, ...] = ()
    before: int = 0
    own: code.Expression | None = None
    type: Machine = INT64

    @property
    def in_turn(self) -> Iterator[code.Expression | None]:
        """What is asked, in C's order: None for the counter's own condition."""
        yield from (*self.tests[: self.before], None, *self.tests[self.before :])


def stops_at(it: Interpreter, stops: Stops, counter: Term, env: Env) -> list[Term]:
    """The conditions at one value of the counter."""
    values = _values_at(it, stops, stops.tests, counter, env)
    with it.silent():
        return [condition(it, v, stops.line).node for v in values]


def _values_at(
    it: Interpreter, stops: Stops, exprs: Iterable[code.Expression], counter: Term, env: Env
) -> list[Value]:
    """Expressions at one value of the counter: that it is 0 there asks nothing of parameters."""
    flags = {*it.kernel.flags}
    with it.silent():
        inside = {**env, stops.word: Block(counter)}
        values = [it.value(e, inside) for e in exprs]
    it.kernel.flags &= flags
    return values


def turn_of(it: Interpreter, stops: Stops, loop: Loop, env: Env) -> list[Term]:
    """What the conditions say of a turn: in it all that they compute is in its type."""
    tests = stops_at(it, stops, loop.value, env)
    guards = [wide(c) for c in (loop.variable.within, *tests)]
    if loop.variable.high.bits < 64 or stops.type.bits >= 64:
        return guards
    return [compare("<=", wide(loop.value), num(stops.type.high)), *guards]


def note_stops(
    it: Interpreter, stops: Stops, loop: Loop, counters: tuple[Term | None, Term], env: Env
) -> None:
    """Notes what is asked of the first counter, if it is, and of that behind each turn."""
    r, (first, behind) = loop.variable, counters
    if first is not None:
        begins = compare("<", r.low, _end(r))
        for node, guards in _questions(it, stops, first, begins, env):
            note_place(it, "end", stops.line, node, guards)
    goes_on = compare("<", binary("+", name(r.word, INT64), num(1)), _end(r))
    for node, guards in _questions(it, stops, behind, goes_on, env):
        turn = turn_of(it, stops, loop, env)
        note_place(it, "counter", stops.line, node, [*turn, *guards], r)


def _questions(
    it: Interpreter, stops: Stops, counter: Term, own: Term, env: Env
) -> Iterator[tuple[Term, list[Term | None]]]:
    """What conditions compute at a value of the counter, each behind those before it."""
    tests = stops_at(it, stops, counter, env)
    guards: list[Term | None] = [None] * (stops.before > len(stops.tests))
    for e in stops.in_turn:
        node = own if e is None else tests.pop(0)
        if e is None and stops.own is not None:
            (value,) = _values_at(it, stops, [stops.own], counter, env)
            if isinstance(value, Block):
                yield value.node, guards
        elif e is not None and any(isinstance(x, code.Operation) for x in every_part(e)):
            yield node, guards
        guards = [*guards, wide(node)]


def _end(r: Range) -> Term:
    """The end of a range that is not empty: of one that may begin behind it the other number."""
    others = [e for e in r.high.args if e != r.low] if r.high.op == "max" else []
    return others[0] if len(others) == 1 else r.high


def turn(it: Interpreter, node: code.Turn, env: Env) -> Value:
    """Whether a turn is executed, as `turn_of` says it."""
    c = test(it, node.test, env)
    return replace(c, node=wide(c.node))
