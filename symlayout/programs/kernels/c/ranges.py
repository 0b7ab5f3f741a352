"""Loops over a range by C's rules: types of counters, ends that are asked for without a sign."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce

from symlayout.expr.machine import INT, UINT32, UINT64, Machine, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.c.counters import other_tests
from symlayout.programs.kernels.c.stops import Stopping, Stops
from symlayout.programs.kernels.nodes import binary, both, cast, name, num, put
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.statements import Loop, goes_up
from symlayout.programs.kernels.values import Block


class Ranges(Stopping):
    """Follows loops over a range."""

    def _range(self, node: ast.For, env: Env) -> Loop | None:
        if isinstance(node.iter, ast.Call):
            node = self.unsigned_loop(node, node.iter, env)
            if not self.counts(node.iter, env):  # type: ignore[arg-type]
                return None
        count = len(self.kernel.ends)
        loop = super()._range(node, env)
        if loop is None or not isinstance(node.iter, ast.Call):
            return loop
        kind = self.counter_type(node.iter, INT) or INT
        if any(k.arg == "promoted" for k in node.iter.keywords):  # of the type that it begins with
            with self.silent():
                begin = self.block(self.value(node.iter.args[0], env), node.lineno).node
            kind = begin.type or INT

        def typed(n: Term) -> Term:
            own = n.op == "name" and n.word == loop.variable.word
            return name(n.word, kind) if own else cast(kind, n)

        counter = loop.variable
        renamed = put(loop.value, lambda n: typed(n) if n.op == "name" else None)
        of_its_type = replace(loop, value=typed(renamed))
        stops = _stops_of(node, kind)
        self.ranges[counter.word] = counter
        try:
            tests = self.stops_at(stops, of_its_type.value, env)
            turn = self.turn_of(stops, loop, env)
        finally:
            del self.ranges[counter.word]
        if not all(map(is_comparison, tests)):
            return None  # of a counter that may be below 0 and a number without a sign
        self.kernel.ends[count:] = [_in_turn(e, turn) for e in self.kernel.ends[count:]]
        self._note_counters(node.iter, stops, loop, kind, env)
        return of_its_type

    def _note_counters(
        self, call: ast.Call, stops: Stops, loop: Loop, kind: Machine, env: Env
    ) -> None:
        """Notes what is asked at first and behind each turn, where that is a sum with the counter, or
        the end of a loop by 1 has a larger type.
        """
        if len(call.args) < 3:  # it counts up to a number
            return
        with self.silent():
            begin, end, step = (self.block(self.value(a, env), stops.line).node for a in call.args)
        by_1, r = step.value == 1, loop.variable
        behind = self.behind(r, num(0) if by_1 else begin, step, kind)
        if stops.tests or stops.own:
            self.note_stops(stops, loop, (begin, behind), env)
        if by_1 and stops.own is None and kind.bits < 64 and not self._holds(kind, end):
            self.note_place("counter", stops.line, behind, self.turn_of(stops, loop, env), r)

    def _holds(self, kind: Machine, end: Term) -> bool:
        """Whether every number of the end's type is one of the counter's; no grid has 2**31 threads."""
        small = end.op == "name" and end.word in self.kernel.grids.values()
        return small or end.value is not None or end.type is None or end.type.high <= kind.high

    def somewhere(self, loop: Loop, word: str, line: int) -> Block:
        """The counter behind a loop that any turn may end: one of the values that it comes to."""
        r, why = loop.variable, f"line {line}: {word} behind its loop"
        high = binary("+", r.high, num(1))

        def last(x: Term) -> Term | None:
            own = x.op == "name" and x.word == r.word
            return self.unknown((), why, True, r.low, high, type=x.type).node if own else None

        return Block(put(loop.value, last))

    def unsigned_loop(self, node: ast.For, loop: ast.Call, env: Env) -> ast.For:
        """The loop whose end is compared without a sign, as the counter is: `k < n` of an int `n`."""
        plain = len(loop.args) == 3 and all(
            k.arg in ("type", "asked", "also", "before") for k in loop.keywords
        )
        if not plain or self.counter_type(loop, None) != UINT32:
            return node
        with self.silent():
            begin, end, step = (self.block(self.value(a, env), loop.lineno) for a in loop.args)
        below = end.node.type in (None, INT) and not self.nonnegative(end.node)
        own = getattr(loop.args[1], "inclusive", False) or not self.nonnegative(begin.node)
        if not below or own or not self.nonnegative(step.node):
            return node
        word = ast.copy_location(ast.Constant("unsigned"), loop)
        name = ast.copy_location(ast.Name("@as", ast.Load()), loop)
        above = ast.copy_location(ast.Call(name, [loop.args[1], word], []), loop)
        args = [loop.args[0], above, loop.args[2]]
        call = ast.copy_location(ast.Call(loop.func, args, loop.keywords), loop)
        self.seen.add(id(loop))
        return ast.copy_location(ast.For(node.target, call, node.body, node.orelse), node)

    def counts(self, loop: ast.Call, env: Env) -> bool:
        """Whether the counter goes to its end as integers do."""
        if len(loop.args) < 3:
            return True
        with self.silent():
            begin, end, step = (self.block(self.value(a, env), loop.lineno) for a in loop.args)
        low, high = begin.node, end.node
        down = any(k.arg == "down" for k in loop.keywords)
        if _goes_down(step.node) != down:
            return False  # it goes away from its end: `i < n; i += -1`
        promoted = any(k.arg == "promoted" for k in loop.keywords)
        if promoted and low.unsigned and not self.nonnegative(step.node):
            return False
        kind = common([low.type, high.type])
        unsigned = common([kind, self.counter_type(loop, kind)]) in (UINT32, UINT64)
        ends = [n for n in (low, high) if not _is_converted(n)]
        if unsigned and any(not n.unsigned and not self.nonnegative(n) for n in ends):
            return False  # what is below 0 is a large number there
        if unsigned and not self.nonnegative(step.node) and not self._stops(step.node, high):
            return False
        if not any(k.arg == "unequal" for k in loop.keywords):
            return True
        if step.node.value is not None and step.node.value < 0:
            low, high = high, low
        return goes_up(low, high, self) or (low.value == 0 and self.nonnegative(high))

    def _stops(self, step: Term, end: Term) -> bool:
        """Whether a counter that goes down is never below 0 where it is compared without a sign."""
        own = end.op == "-" and end.args[1].value == 1 and self.least(end.args[0]) > 0
        return step.value == -1 and (own or self.nonnegative(end))

    def counter_type(self, loop: ast.Call, otherwise: Machine | None) -> Machine | None:
        for k in loop.keywords:
            if k.arg == "type" and isinstance(k.value, ast.Constant):
                known: object = k.value.value
                return known if isinstance(known, Machine) else otherwise
        return otherwise


def _stops_of(node: ast.For, kind: Machine) -> Stops:
    """The conditions beside that of a loop over a range."""
    assert isinstance(node.iter, ast.Call)
    assert isinstance(node.target, ast.Name)
    words = {k.arg: k.value for k in node.iter.keywords}
    before = words.get("before")
    count = int(before.value) if isinstance(before, ast.Constant) else 0  # type: ignore[arg-type]
    tests, own = tuple(other_tests(node)), words.get("asked")
    return Stops(node.lineno, node.target.id, tests, count, own, kind)


def _in_turn(place: Access, turn: list[Term]) -> Access:
    """What is noted of a counter, in turns in which the other conditions are true as well."""
    if place.kind != "counter":
        return place
    return replace(place, guard=reduce(both, [c for c in turn if not c.unknowns], place.guard))


def is_comparison(c: Term) -> bool:
    """Whether it is one of integers; of a number below 0 without a sign it is two."""
    return c.op not in ("and", "or", "where") and not any(map(_is_converted, c.args))


def _goes_down(step: Term) -> bool:
    """Whether a step is one that is taken away."""
    return (step.value or 0) < 0 or (step.op == "-" and step.args[0].value == 0)


def _is_converted(node: Term) -> bool:
    """Whether it is a number in a type of 32 bits without a sign, below 0 or not."""
    return node.op == "where" and all(x.type == UINT32 for x in node.args[1:])
