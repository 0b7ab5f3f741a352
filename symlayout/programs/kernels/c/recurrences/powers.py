"""Loops whose counter is divided or multiplied each turn, turn by turn or between its ends."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.expr.facts import COMPARE
from symlayout.expr.machine import INT, INT64, Machine
from symlayout.programs.kernels.access import Range
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.notes import note_place
from symlayout.programs.kernels.c.recurrences.turns import LOOPS, Loop, follow_turns, skip_loop
from symlayout.programs.kernels.nodes import binary, cast, name, num
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.reading import assigned_names, names_in
from symlayout.programs.kernels.recurrences import lost_value
from symlayout.programs.kernels.values import Block, Opaque

DIVIDED, SHIFTED = ("/=", ">>="), (">>=", "<<=")
MOST = 64  # turns: the counter has no more bits
TURNS = 32  # of a loop that is followed turn by turn


def powers_loop(it: Interpreter, node: code.For, over: code.Powers, env: Env) -> None:
    """A loop over the powers of a number turn by turn, where its ends are numbers."""
    it.seen.add(id(over))
    numbers = [it.value(e, env) for e in (over.start, over.end, over.by)]
    known = [n.node.value if isinstance(n, Block) else None for n in numbers]
    values = list(_powers(known, over.order, over.op))
    if None in known or len(values) > TURNS:
        _between_its_ends(it, node, over, env)
        return
    for v in values:
        env[node.word] = Block(num(v, INT))
        it.follow(node.body, env)
    env[node.word] = Opaque(f"line {node.line}: {node.word} behind its loop")


def _between_its_ends(it: Interpreter, node: code.For, over: code.Powers, env: Env) -> None:
    """The counter is one of the numbers between its ends: more than it is in any turn."""
    counter = _between(it, node, over, env) if it.nested < LOOPS else None
    if counter is None:
        why = "a loop whose counter is divided or multiplied, between ends that are not known"
        skip_loop(it, node, env, why)
        return
    variable, kind, factor = counter
    reason = f"line {node.line}: which numbers {node.word} is in the loop"
    turn = it.unknown(reason, False, num(0), num(MOST)).node
    value = name(variable.word, kind)
    if factor > 1 and it.recording and kind.bits < 64:
        behind = cast(kind, binary("*", cast(INT64, value), num(factor)))
        note_place(it, "counter", node.line, behind, [], variable)
    inexact = it.path.inexact
    it.path.inexact = f"line {node.line}: {node.word} is not all of the numbers between its ends"
    loop = Loop(variable, turn, value, num(MOST))
    follow_turns(it, node, env, loop, {node.word: Block(value)})
    it.path.inexact = inexact
    for n in assigned_names([node]):
        env[n] = lost_value(env.get(n), n, node.line)


def _between(
    it: Interpreter, node: code.For, over: code.Powers, env: Env
) -> tuple[Range, Machine, int] | None:
    """The numbers that the counter is among, its type, and what a turn multiplies it with."""
    type = it.frame.types.get(node.word)
    with it.silent():  # they were looked at before
        numbers = [it.value(e, env) for e in (over.start, over.end, over.by)]
    nodes = [v.node for v in numbers if isinstance(v, Block) and not v.shape]
    names = names_in(over.end) | names_in(over.by)
    kind = type.machine if type and type.machine == type.computed else None
    if len(nodes) < 3 or kind is None or names & assigned_names([node]):
        return None
    first, last, times = nodes
    factor = times.value or 0
    if over.op in SHIFTED:
        factor = 1 << min(max(factor, 0), MOST)
    if factor < 2 or not (it.nonnegative(first) and it.nonnegative(last)):
        return None
    relation, one = over.order, num(1)
    down = over.op in DIVIDED
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
    word = it.unknowns.fresh(node.word)
    return Range(word, low, binary("max", low, high)), kind, 1 if down else factor


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
