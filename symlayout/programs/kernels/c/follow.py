"""Follows a lowered function: what is Python's in it as Triton's reader does, the rest by C's rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from symlayout.expr.facts import COMPARE
from symlayout.expr.machine import INT
from symlayout.expr.term import Term
from symlayout.programs.kernels.c.counters import is_turn, stops
from symlayout.programs.kernels.c.phases import reached
from symlayout.programs.kernels.c.powers import Powers
from symlayout.programs.kernels.c.values import TURNS
from symlayout.programs.kernels.conditions import leaves
from symlayout.programs.kernels.nodes import FALSE, TRUE, both, cast, num, put
from symlayout.programs.kernels.syntax import leaves_early, returns_inside
from symlayout.programs.kernels.triton.carried import Carried
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.statements import Loop
from symlayout.programs.kernels.values import Block, Opaque, Value


class CStatements(Powers):
    """Follows the functions of a C file."""

    def loop(self, node: ast.For, env: Env) -> None:
        """A loop; one over the powers of a number turn by turn."""
        iterable = node.iter
        powers = isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name)
        if not powers or iterable.func.id != "@powers":  # type: ignore[attr-defined]
            super().loop(node, env)
            return
        assert isinstance(iterable, ast.Call)
        assert isinstance(node.target, ast.Name)
        self.seen.add(id(iterable))
        start, order, end, op, by = iterable.args
        numbers = [self.value(e, env) for e in (start, end, by)]
        known = [n.node.value if isinstance(n, Block) else None for n in numbers]
        values = list(_powers(known, str(self._text(order)), str(self._text(op))))
        if None in known or len(values) > TURNS:
            self.over_powers(node, iterable, env)
            return
        for v in values:
            env[node.target.id] = Block(num(v, INT))
            self.block_of(node.body, env)
        env[node.target.id] = Opaque(f"line {node.lineno}: {node.target.id} behind its loop")

    def branch(self, node: ast.If, env: Env) -> None:
        """A branch; a barrier in it may not have been there for what follows it."""
        if is_turn(node):
            self._turn(node, env)
            return
        before, count, depth = self.phase, self.barriers, len(self.branches)
        self.branches.append(before)
        try:
            super().branch(node, env)
        finally:
            ends = {*self.branches[depth + 1 :], self.phase}
            del self.branches[depth:]
            self._join(before, count, ends)

    def _turn(self, node: ast.If, env: Env) -> None:
        """A turn of a loop: nothing in the loop follows one that is none."""
        self.alive = both(self.alive, self.test(node.test, env).node)
        if self.alive == FALSE:
            self.pass_over(node.body)
        else:
            self.block_of(node.body, env)

    def stops(self, body: list[ast.stmt]) -> bool:
        return stops(body)

    def only(self, c: Block, node: ast.expr, env: Env) -> Value:
        """What is evaluated only where a condition is true; nor may a barrier in it have been there."""
        before, count = self.phase, self.barriers
        value = super().only(c, node, env)
        if c.node != TRUE:
            self._join(before, count, {before})
        return value

    def _join(self, before: int, count: int, ends: set[int]) -> None:
        """What follows may be executed with none of the barriers behind so many, unless each of the
        ways that end in these phases has one.
        """
        if ends & reached(self.passing, before):
            self.passing |= {(inside, before) for inside in self._phases(before, count)}
            self.phase = before
            return
        self.barriers += 1
        self.phase = self.barriers
        self.passing |= {(end, self.phase) for end in ends}

    def turn_back(self) -> None:
        """No barrier of the first way stands before the second one."""
        self.branches.append(self.phase)
        self.phase = self.branches[-2]

    def _carried_values(
        self, names: list[str], body: list[ast.stmt], env: Env, counter: Env, line: int
    ) -> dict[str, Carried]:
        first, count = self.phase, self.barriers
        for n in names:
            env[n] = self._of_its_type(n, env[n])
        try:
            carried = super()._carried_values(names, body, env, counter, line)
            if not self._goes_on(body, first, count):
                self.synced.append([*self.ranges][-1])
            return carried
        finally:
            self.phase = first

    def _goes_on(self, body: list[ast.stmt], first: int, count: int) -> bool:
        """Whether a turn may come to the next one without a barrier."""
        if leaves(body, ast.Continue):
            self.passing |= {(p, self.phase) for p in self._phases(first, count)}
        return self.phase in reached(self.passing, first)

    def _of_its_type(self, word: str, value: Value) -> Value:
        """A number in the type of its variable, which it has when it is added to."""
        type = self.types.get(word)
        if type is None or not isinstance(value, Block) or value.node.op != "num":
            return value
        return replace(value, node=num(value.node.number, value.node.type or type.computed))

    def loop_body(self, node: ast.For | ast.While, env: Env, loop: Loop, counter: Env) -> None:
        """A loop; one with a barrier has its turns one after the other."""
        first, count, joins, depth = self.phase, self.barriers, self.joins, len(self.synced)
        super().loop_body(node, env, loop, counter)
        if isinstance(node, ast.For):
            whole = not leaves_early(node.body) and not stops(node.body)
            for n in counter:
                env[n] = Block(_behind(loop)) if whole else self.somewhere(loop, n, node.lineno)
        if self.joins > joins and len(self.synced) == depth:
            self.kernel.loose.add(loop.variable.word)
        del self.synced[depth:]
        if self.barriers > count:
            self._note_turns(node.body, loop, first, self._phases(first, count))

    def _note_turns(self, body: list[ast.stmt], loop: Loop, first: int, inside: set[int]) -> None:
        """Notes which phases of a loop are the last of a turn, and which the first of the next one."""
        last, r = self.phase, loop.variable
        if leaves(body, ast.Continue):
            self.passing |= {(p, last) for p in inside}
        ends = {p for p in inside if last in reached(self.passing, p)}
        begins = reached(self.passing, first) & inside
        self.kernel.meet |= {(p, q) for p in ends for q in begins if p != q}
        if leaves(body, ast.Break):  # each may be the last one before what follows the loop
            self.passing |= {(p, last) for p in inside}
        if stops(body) or not (r.low.value == 0 and self.least(r.high) > 0):  # it may have no turn
            self.passing.add((first, last))

    def _phases(self, first: int, count: int) -> set[int]:
        """A phase and those that begin at the barriers behind so many."""
        return {first, *range(count + 1, self.barriers + 1)}

    def returned_value(self, function: ast.FunctionDef, bindings: Env) -> Value:
        """What a function returns; a thread that returns early comes to none of its other barriers.

        One that returns from the kernel comes to nothing else.
        """
        first, count, called = self.phase, self.barriers, hasattr(self, "returns")
        value = super().returned_value(function, bindings)
        *others, end = function.body
        early = returns_inside(others if isinstance(end, ast.Return) else function.body)
        if called and early and self.barriers > count:
            self.passing |= {(p, self.phase) for p in self._phases(first, count)}
        return value


def _behind(loop: Loop) -> Term:
    """What the counter of a loop is behind it, where no turn ends it."""
    r = loop.variable
    return put(loop.value, lambda x: cast(x.type, r.high) if x.word == r.word else None)


def _powers(known: list[int | None], order: str, op: str) -> Iterator[int]:
    """The values of a counter that is multiplied or divided each turn."""
    start, end, by = known
    if start is None or end is None or by is None or not 0 < by < TURNS:
        return
    factor = by if op in ("/=", "*=") else 1 << by
    if factor < 2 or abs(start) > 1 << 30:
        return
    value = start
    for _ in range(TURNS + 1):
        if not COMPARE[order](value, end):
            return
        yield value
        last = value
        value = value * factor if op in ("*=", "<<=") else value // factor
        value += value < 0 and op == "/=" and last % factor != 0  # division rounds towards 0
