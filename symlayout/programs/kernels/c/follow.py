"""Follows a lowered function: what is Python's in it as Triton's reader does, the rest by C's rules."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from symlayout.expr.facts import COMPARE
from symlayout.programs.kernels.c.calls import Calls
from symlayout.programs.kernels.c.values import TURNS, UNSIGNED
from symlayout.programs.kernels.nodes import Node, cast, name, num
from symlayout.programs.kernels.syntax import assigned_names
from symlayout.programs.kernels.triton.carried import Carried
from symlayout.programs.kernels.triton.expressions import Env
from symlayout.programs.kernels.triton.statements import Loop, goes_up
from symlayout.programs.kernels.values import Block, Opaque, Value


class CStatements(Calls):
    """Follows the functions of a C file."""

    # -- loops ------------------------------------------------------------------------------------

    def _range(self, node: ast.For, env: Env) -> Loop | None:
        if isinstance(node.iter, ast.Call):
            node = self._unsigned_loop(node, node.iter, env)
            if not self._counts(node.iter, env):  # type: ignore[arg-type]
                return None
        made = super()._range(node, env)
        if made is None or not isinstance(node.iter, ast.Call):
            return made
        width = self.counter_width(node.iter, 32)
        if any(k.arg == "promoted" for k in node.iter.keywords):  # of the type that it begins with
            with self.silent():
                begin = self.block(self.value(node.iter.args[0], env), node.lineno).node
            width = begin.bits or 32

        def typed(n: Node) -> Node:
            own = n.op == "name" and n.word == made.variable.word
            return name(n.word, width) if own else cast(width, n)

        renamed = made.value.put(lambda n: typed(n) if n.op == "name" else None)
        return replace(made, value=typed(renamed))

    def _unsigned_loop(self, node: ast.For, loop: ast.Call, env: Env) -> ast.For:
        """The loop whose end is compared without a sign, as the counter is: `k < n` of an int `n`."""
        widths = [k.value for k in loop.keywords if k.arg == "width"]
        plain = len(loop.args) == 3 and all(k.arg == "width" for k in loop.keywords)
        if not plain or [getattr(w, "value", 0) for w in widths] != [UNSIGNED]:
            return node
        with self.silent():
            begin, end, step = (self.block(self.value(a, env), loop.lineno) for a in loop.args)
        below = end.node.bits in (0, 32) and not self.nonnegative(end.node)
        own = getattr(loop.args[1], "inclusive", False) or not self.nonnegative(begin.node)
        if not below or own or not self.nonnegative(step.node):
            return node
        word = ast.copy_location(ast.Constant("unsigned"), loop)
        name = ast.copy_location(ast.Name("@as", ast.Load()), loop)
        above = ast.copy_location(ast.Call(name, [loop.args[1], word], []), loop)
        args = [loop.args[0], above, loop.args[2]]
        made = ast.copy_location(ast.Call(loop.func, args, loop.keywords), loop)
        self.seen.add(id(loop))
        return ast.copy_location(ast.For(node.target, made, node.body, node.orelse), node)

    def _counts(self, loop: ast.Call, env: Env) -> bool:
        """Whether the counter goes to its end as integers do."""
        if len(loop.args) < 3:
            return True
        with self.silent():
            begin, end, step = (self.block(self.value(a, env), loop.lineno) for a in loop.args)
        low, high = begin.node, end.node
        promoted = any(k.arg == "promoted" for k in loop.keywords)
        if promoted and low.bits % 2 and not self.nonnegative(step.node):
            return False
        width = self.counter_width(loop, max(low.bits, high.bits))
        unsigned = max(low.bits, high.bits, width) % 2 == 1
        ends = [n for n in (low, high) if not _is_converted(n)]
        if unsigned and any(n.bits % 2 == 0 and not self.nonnegative(n) for n in ends):
            return False  # what is below 0 is a large number there
        if not any(k.arg == "unequal" for k in loop.keywords):
            return True
        if step.node.value is not None and step.node.value < 0:
            low, high = high, low
        return goes_up(low, high, self) or (low.value == 0 and self.nonnegative(high))

    def counter_width(self, loop: ast.Call, otherwise: int) -> int:
        for k in loop.keywords:
            if k.arg == "width" and isinstance(k.value, ast.Constant):
                return int(k.value.value)  # type: ignore[arg-type]
        return otherwise

    def loop(self, node: ast.For, env: Env) -> None:
        """A loop; one over the powers of a number turn by turn."""
        given = node.iter
        powers = isinstance(given, ast.Call) and isinstance(given.func, ast.Name)
        if not powers or given.func.id != "@powers":  # type: ignore[attr-defined]
            super().loop(node, env)
            return
        assert isinstance(given, ast.Call)
        assert isinstance(node.target, ast.Name)
        self.seen.add(id(given))
        start, order, end, op, by = given.args
        numbers = [self.value(e, env) for e in (start, end, by)]
        known = [n.node.value if isinstance(n, Block) else None for n in numbers]
        values = list(_powers(known, str(self._text(order)), str(self._text(op))))
        if None in known or len(values) > TURNS:
            self.skip(node.lineno, "a loop without a counter")
            why = f"line {node.lineno}: a loop that is not followed"
            self.forget(assigned_names([node]), env, why)
            return
        for v in values:
            env[node.target.id] = Block(num(v, 32))
            self.block_of(node.body, env)
        env[node.target.id] = Opaque(f"line {node.lineno}: {node.target.id} behind its loop")

    def branch(self, node: ast.If, env: Env) -> None:
        """A branch; a barrier in it may not have been there for what follows it."""
        before, count = self.phase, self.barriers
        super().branch(node, env)
        if self.recording:
            self.kernel.meet |= {(inside, before) for inside in range(count + 1, self.barriers + 1)}
        self.phase = before

    def _carried_values(
        self, names: list[str], body: list[ast.stmt], env: Env, counter: Env, line: int
    ) -> dict[str, Carried]:
        phase = self.phase
        for n in names:
            env[n] = self._of_its_type(n, env[n])
        try:
            return super()._carried_values(names, body, env, counter, line)
        finally:
            self.phase = phase

    def step_of(self, node: ast.While, word: str, start: Node, step: Node) -> Node:
        """A step without a sign is added to an `int` in the type of the one and is an `int` again."""
        type, width = self.types.get(word), start.bits
        continued = any(isinstance(x, ast.Continue) for s in node.body for x in ast.walk(s))
        if type is None or continued or (type.width, width, step.bits) != (32, 32, UNSIGNED):
            return step
        return cast(width, step)

    def _of_its_type(self, word: str, value: Value) -> Value:
        """A number in the type of its variable, which it has when it is added to."""
        type = self.types.get(word)
        if type is None or not isinstance(value, Block) or value.node.op != "num":
            return value
        return replace(value, node=num(value.node.number, value.node.bits or type.width))

    def loop_body(self, node: ast.For | ast.While, env: Env, loop: Loop, counter: Env) -> None:
        """A loop; one with a barrier has its turns one after the other."""
        synced = _has_barrier(node.body)
        first = self.phase
        if synced:
            self.synced.append(loop.variable.word)
        super().loop_body(node, env, loop, counter)
        if synced:
            self.synced.pop()
            if self.recording:  # the last part of a turn meets the first of the next
                self.kernel.meet.add((first, self.phase))
        if self.recording and any(isinstance(x, ast.Break) for s in node.body for x in ast.walk(s)):
            # each part of a turn may be the last one before what follows the loop
            self.kernel.meet |= {(p, self.phase) for p in range(first, self.phase)}


def _is_converted(node: Node) -> bool:
    """Whether it is a number in a type of 32 bits without a sign, below 0 or not."""
    return node.op == "where" and all(x.bits == UNSIGNED for x in node.args[1:])


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


def _has_barrier(body: Iterable[ast.stmt]) -> bool:
    """Whether every turn of a loop comes to a barrier."""
    found = False
    for s in body:
        match s:
            case ast.Expr(ast.Call(ast.Name("@barrier"))):
                found = True
        if any(isinstance(x, ast.Continue) for x in ast.walk(s)):
            return False
    return found
