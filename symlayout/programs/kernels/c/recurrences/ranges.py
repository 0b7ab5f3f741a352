"""Loops over a range by C's rules: types of counters, ends that are asked for without a sign."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from symlayout.expr.machine import INT, UINT32, UINT64, Machine, common
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Range
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.conversions import block
from symlayout.programs.kernels.c.interpreter.notes import (
    counter_behind,
    note_counter,
    note_ends,
    note_place,
    note_step,
)
from symlayout.programs.kernels.c.recurrences.conditions import Stops, note_stops, stops_at, turn_of
from symlayout.programs.kernels.c.recurrences.turns import LOOPS, Loop, follow_turns, skip_loop
from symlayout.programs.kernels.nodes import binary, both, cast, compare, name, num, put
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.reading import spoken
from symlayout.programs.kernels.values import Block


def range_loop(it: Interpreter, node: code.For, over: code.Range, env: Env) -> None:
    """A loop over a range: once for all turns, what is carried in closed form."""
    loop = _loop_of(it, node, over, env)
    if loop is None or it.nested >= LOOPS:
        skip_loop(it, node, env, f"a loop over {spoken(over)}")
        return
    follow_turns(it, node, env, loop, {node.word: Block(loop.value)})


def _loop_of(it: Interpreter, node: code.For, over: code.Range, env: Env) -> Loop | None:
    """The loop, its counter in the type that it is declared with; None for one that is not followed."""
    over = unsigned_range(it, over, env)
    if not counts(it, over, env):
        return None
    count = len(it.kernel.ends)
    loop = _turns_of_range(it, node, over, env)
    if loop is None:
        return None
    kind = over.type
    if kind is None:  # of the type that it begins with
        kind = _ends_of(it, over, env)[0].type or INT
    counter = loop.variable

    def typed(n: Term) -> Term:
        own = n.op == "name" and n.word == counter.word
        return name(n.word, kind) if own else cast(kind, n)

    renamed = put(loop.value, lambda n: typed(n) if n.op == "name" else None)
    of_its_type = replace(loop, value=typed(renamed))
    stops = Stops(node.line, node.word, tuple(over.also), over.before, over.compared, kind)
    it.loops[counter.word] = counter
    try:
        tests = stops_at(it, stops, of_its_type.value, env)
        turn = turn_of(it, stops, loop, env)
    finally:
        del it.loops[counter.word]
    if not all(map(is_comparison, tests)):
        return None  # of a counter that may be below 0 and a number without a sign
    it.kernel.ends[count:] = [_in_turn(e, turn) for e in it.kernel.ends[count:]]
    _note_counters(it, over, stops, loop, kind, env)
    return of_its_type


def _turns_of_range(it: Interpreter, node: code.For, over: code.Range, env: Env) -> Loop | None:
    """The turns of a loop by its ends and its step: `start + step*turn` is the counter in each."""
    it.seen.add(id(over))
    ends = (over.start, over.end, over.step)
    low, high, step = [block(it, it.value(e, env), node.line).node for e in ends]
    word = it.unknowns.fresh(node.word)
    kind = common([low.type, high.type, step.type, INT])
    note_ends(it, node.line, low, high)
    if step.value == 1:
        plain = low.value == 0 and it.nonnegative(high)
        top = high if plain or goes_up(it, low, high) else binary("max", low, high)
        variable = name(word, kind)
        turn = binary("-", variable, low)
        return Loop(Range(word, low, top), turn, variable, binary("-", top, low))
    less = step.value is not None and step.value < 0
    if step.op == "-" and step.args[0].value == 0 and it.nonnegative(step.args[1]):
        less, low, high, down = True, high, low, step.args[1]
    elif step.value is not None and step.value < 0:
        low, high, down = high, low, num(-step.value)
    elif step.value != 0 and it.nonnegative(step):
        down = step
    else:
        return None
    length = binary("-", high, low)
    if not (low.value == 0 and it.nonnegative(high)):
        length = binary("max", length, num(0))
    turns = turns_of(it, length, down, compare("<", low, high))
    turn = name(word, kind)
    begin, sign = (high, "-") if less else (low, "+")
    value = binary(sign, begin, binary("*", turn, down))
    within = compare(">", value, low) if sign == "-" else compare("<", value, high)
    counter = Range(word, num(0), turns, within=within)
    if sign == "+" or not stays(it, low, down):
        own = over.type or kind
        note_counter(it, node.line, counter, counter_behind(counter, begin, down, own, sign), own)
    return Loop(counter, turn, value, turns)


def turns_of(it: Interpreter, length: Term, step: Term, begins: Term) -> Term:
    """How many turns a loop has; one whose step is 0 has no end, unless it has no turn at all.

    Where that may be, it has to be shown that it is not, and no turn counts by a quotient by 0.
    """
    if it.least(step) > 0:
        return binary("cdiv", length, step)
    if step.unknowns:
        it.skip(it.line, "a loop whose step may be 0")
    elif it.recording:
        note_step(it, step, begins)
    return binary("cdiv", length, binary("max", step, num(1)))


def stays(it: Interpreter, end: Term, step: Term) -> bool:
    """Whether a counter that goes down to an end is in its type behind the last turn."""
    return step.value == 1 or (it.nonnegative(end) and step.bits <= 32)


def goes_up(it: Interpreter, low: Term, high: Term) -> bool:
    """Whether a range certainly does not end before it begins: `low + something`."""
    if high.op == "+" and low in high.args:
        return it.nonnegative(high.args[1] if high.args[0] == low else high.args[0])
    return False


def _note_counters(
    it: Interpreter, over: code.Range, stops: Stops, loop: Loop, kind: Machine, env: Env
) -> None:
    """Notes what is asked at first and behind each turn, where that is a sum with the counter, or
    the end of a loop by 1 has a larger type.
    """
    begin, end, step = _ends_of(it, over, env)
    by_1, r = step.value == 1, loop.variable
    behind = counter_behind(r, num(0) if by_1 else begin, step, kind)
    if stops.tests or stops.own:
        note_stops(it, stops, loop, (begin, behind), env)
    if by_1 and stops.own is None and kind.bits < 64 and not _holds(it, kind, end):
        note_place(it, "counter", stops.line, behind, turn_of(it, stops, loop, env), r)


def _holds(it: Interpreter, kind: Machine, end: Term) -> bool:
    """Whether every number of the end's type is one of the counter's; no grid has 2**31 threads."""
    small = end.op == "name" and end.word in it.kernel.grids.values()
    return small or end.value is not None or end.type is None or end.type.high <= kind.high


def unsigned_range(it: Interpreter, loop: code.Range, env: Env) -> code.Range:
    """The range whose end is compared without a sign, as the counter is: `k < n` of an int `n`."""
    if loop.type != UINT32 or loop.down or loop.unequal:
        return loop
    begin, end, step = _ends_of(it, loop, env)
    below = end.type in (None, INT) and not it.nonnegative(end)
    own = loop.inclusive or not it.nonnegative(begin)
    if not below or own or not it.nonnegative(step):
        return loop
    it.seen.add(id(loop))
    return replace(loop, end=code.Cast(loop.end, "unsigned", place=loop.place))


def _ends_of(it: Interpreter, loop: code.Range, env: Env) -> tuple[Term, Term, Term]:
    """Where a range begins and ends, and its step; nothing is noted of them."""
    with it.silent():
        ends = (loop.start, loop.end, loop.step)
        begin, end, step = (block(it, it.value(e, env), loop.line).node for e in ends)
    return begin, end, step


def counts(it: Interpreter, loop: code.Range, env: Env) -> bool:
    """Whether the counter goes to its end as integers do."""
    low, high, step = _ends_of(it, loop, env)
    if _goes_down(step) != loop.down:
        return False  # it goes away from its end: `i < n; i += -1`
    if loop.type is None and low.unsigned and not it.nonnegative(step):
        return False
    kind = common([low.type, high.type])
    unsigned = common([kind, loop.type or kind]) in (UINT32, UINT64)
    ends = [n for n in (low, high) if not _is_converted(n)]
    if unsigned and any(not n.unsigned and not it.nonnegative(n) for n in ends):
        return False  # what is below 0 is a large number there
    if unsigned and not it.nonnegative(step) and not _stops(it, step, high):
        return False
    if not loop.unequal:
        return True
    if step.value is not None and step.value < 0:
        low, high = high, low
    return goes_up(it, low, high) or (low.value == 0 and it.nonnegative(high))


def _stops(it: Interpreter, step: Term, end: Term) -> bool:
    """Whether a counter that goes down is never below 0 where it is compared without a sign."""
    own = end.op == "-" and end.args[1].value == 1 and it.least(end.args[0]) > 0
    return step.value == -1 and (own or it.nonnegative(end))


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
