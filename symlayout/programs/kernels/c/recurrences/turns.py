"""A loop's body for every turn: what it carries in closed form, where a barrier parts its turns."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symlayout.expr.machine import INT, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Range
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.notes import doubt_counter, note_whole_turns
from symlayout.programs.kernels.c.interpreter.phases import reached
from symlayout.programs.kernels.c.interpreter.statements import pass_over
from symlayout.programs.kernels.c.recurrences.counters import stops
from symlayout.programs.kernels.nodes import binary, cast, num, put
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.reading import (
    assigned_names,
    leaves,
    leaves_early,
    returns_inside,
)
from symlayout.programs.kernels.recurrences import Carried, lost_value, with_marks
from symlayout.programs.kernels.values import Block, Opaque, Value

LOOPS = 6  # inside one another


@dataclass(frozen=True)
class Loop:
    """A loop's variable, the number of its turn, its counter's value, and how many turns there are."""

    variable: Range
    turn: Term
    value: Term
    turns: Term


def skip_loop(it: Interpreter, node: code.For | code.While, env: Env, why: str) -> None:
    """A loop that is not followed: nothing is known of what it changes, nor whether it returns."""
    it.skip(node.line, why)
    returns = returns_inside([node])
    it.path.some_left |= returns
    pass_over(it, [node])
    for n in assigned_names([node]):
        env[n] = Opaque(f"line {node.line}: a loop that is not followed")
    if returns:
        it.path.inexact = f"line {node.line}: a return inside of the loop"


def follow_turns(
    it: Interpreter, node: code.For | code.While, env: Env, loop: Loop, counter: Env
) -> None:
    """A loop; one with a barrier has its turns one after the other."""
    phases = it.phases
    first, count, joins, depth = phases.phase, phases.barriers, phases.joins, len(phases.apart)
    _follow_body(it, node, env, loop, counter)
    if isinstance(node, code.For):
        whole = not leaves_early(node.body) and not stops(node.body)
        for n in counter:
            env[n] = Block(_behind(loop)) if whole else somewhere(it, loop, n, node.line)
    if phases.joins > joins and len(phases.apart) == depth:
        it.kernel.loose.add(loop.variable.word)
    del phases.apart[depth:]
    if phases.barriers > count:
        _note_turns(it, node.body, loop, first, phases.since(first, count))


def _follow_body(
    it: Interpreter, node: code.For | code.While, env: Env, loop: Loop, counter: Env
) -> None:
    """First what the body carries from turn to turn, then its accesses."""
    line, path, body = node.line, it.path, node.body
    condition, inexact = path.condition, path.inexact
    own = assigned_names(body)
    names = [n for n in env if n in own and n not in counter]
    breaks, continued = leaves_early(body), it.continued
    it.loops[loop.variable.word] = loop.variable
    it.nested += 1
    try:
        carried = _carried(it, names, body, env, counter)
        inside = {**env, **counter}
        inside |= {n: _at(it, c, loop.turn, n, line) for n, c in carried.items()}
        if breaks:
            path.inexact = f"line {line}: the loop may end early"
        if leaves(body, code.Break) or returns_inside(body):
            doubt_counter(it, loop.variable)
        it.follow(body, inside)
        if breaks and isinstance(node, code.For) and not leaves(body, code.Continue):
            note_whole_turns(it, loop.variable)
    finally:
        it.nested -= 1
        it.continued = continued
        del it.loops[loop.variable.word]
        path.condition, path.inexact = condition, inexact
    if returns_inside(body):
        path.inexact = f"line {line}: a return inside of the loop"
    whole = not breaks and not stops(body)
    for n in own:
        form = carried.get(n) if whole else None
        env[n] = (
            lost_value(inside.get(n), n, line)
            if form is None
            else _at(it, form, loop.turns, n, line)
        )
    for n in counter:
        env[n] = Opaque(f"line {line}: {n} behind its loop")


def _carried(
    it: Interpreter, names: list[str], body: list[code.Statement], env: Env, counter: Env
) -> dict[str, Carried]:
    """How the names change from turn to turn, seen by following the body once."""
    phases, path, kernel, unknowns = it.phases, it.path, it.kernel, it.unknowns
    first, count = phases.phase, phases.barriers
    for n in names:
        env[n] = _of_its_type(it, n, env[n])
    marks = {n: unknowns.fresh(f"{n}_before") for n in names}
    known = {*it.loops, *unknowns.ranges} - {list(it.loops)[-1]}
    known |= {*kernel.parameters, *kernel.grids.values()}
    inside = {**env, **counter}
    for n, mark in marks.items():
        inside[n] = with_marks(env[n], mark)
        unknowns.marked[mark] = env[n]
    condition, inexact = path.condition, path.inexact
    it.continued = []
    try:
        with it.silent():
            it.follow(body, inside)
        ends = [inside, *it.continued]
        path.condition, path.inexact = condition, inexact
        known |= {*kernel.programs.values(), *kernel.symbols} | unknowns.uniform
        if not _goes_on(it, body, first, count):
            phases.apart.append([*it.loops][-1])
        return {
            n: Carried(env[n], mark, tuple(e.get(n) for e in ends), known)
            for n, mark in marks.items()
        }
    finally:
        phases.phase = first


def _at(it: Interpreter, c: Carried, turn: Term, word: str, line: int) -> Value:
    """The value at the beginning of a turn."""
    kind = common([c.before.node.type]) if isinstance(c.before, Block) else INT
    reason = f"line {line}: {word} changes in a loop"
    value = c.at(turn, lambda: it.unknown(reason, True, type=kind or INT).node)
    return lost_value(c.before, word, line) if value is None else value


def _goes_on(it: Interpreter, body: list[code.Statement], first: int, count: int) -> bool:
    """Whether a turn may come to the next one without a barrier."""
    if leaves(body, code.Continue):
        it.phases.passing |= {(p, it.phases.phase) for p in it.phases.since(first, count)}
    return it.phases.phase in reached(it.phases.passing, first)


def _of_its_type(it: Interpreter, word: str, value: Value) -> Value:
    """A number in the type of its variable, which it has when it is added to."""
    type = it.frame.types.get(word)
    if type is None or not isinstance(value, Block) or value.node.op != "num":
        return value
    return replace(value, node=num(value.node.number, value.node.type or type.computed))


def _note_turns(
    it: Interpreter, body: list[code.Statement], loop: Loop, first: int, inside: set[int]
) -> None:
    """Notes which phases of a loop are the last of a turn, and which the first of the next one."""
    last, r = it.phases.phase, loop.variable
    if leaves(body, code.Continue):
        it.phases.passing |= {(p, last) for p in inside}
    ends = {p for p in inside if last in reached(it.phases.passing, p)}
    begins = reached(it.phases.passing, first) & inside
    it.kernel.meet |= {(p, q) for p in ends for q in begins if p != q}
    if leaves(body, code.Break):  # each may be the last one before what follows the loop
        it.phases.passing |= {(p, last) for p in inside}
    if stops(body) or not (r.low.value == 0 and it.least(r.high) > 0):  # it may have no turn
        it.phases.passing.add((first, last))


def _behind(loop: Loop) -> Term:
    """What the counter of a loop is behind it, where no turn ends it."""
    r = loop.variable
    return put(loop.value, lambda x: cast(x.type, r.high) if x.word == r.word else None)


def somewhere(it: Interpreter, loop: Loop, word: str, line: int) -> Block:
    """The counter behind a loop that any turn may end: one of the values that it comes to."""
    r, why = loop.variable, f"line {line}: {word} behind its loop"
    high = binary("+", r.high, num(1))

    def last(x: Term) -> Term | None:
        own = x.op == "name" and x.word == r.word
        return it.unknown(why, True, r.low, high, type=x.type).node if own else None

    return Block(put(loop.value, last))
