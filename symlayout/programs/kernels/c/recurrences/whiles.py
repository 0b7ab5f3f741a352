"""`while` and `do` loops with a counter: how many turns they have, and what it is in each."""

from __future__ import annotations

from dataclasses import replace

from symlayout.expr.machine import INT, UINT32, UINT64, Machine, common
from symlayout.programs.kernels.access import Range
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.c.interpreter.notes import counter_behind, note_ends, note_place
from symlayout.programs.kernels.c.recurrences.conditions import Stops, note_stops, stops_at, turn_of
from symlayout.programs.kernels.c.recurrences.counters import (
    WHY,
    Compared,
    Count,
    acts,
    comparisons,
    moved,
    range_of,
    stays_false,
    step_of,
    turn_if,
)
from symlayout.programs.kernels.c.recurrences.ranges import (
    counts,
    is_comparison,
    stays,
    turns_of,
    unsigned_range,
)
from symlayout.programs.kernels.c.recurrences.turns import (
    LOOPS,
    Loop,
    follow_turns,
    skip_loop,
    somewhere,
)
from symlayout.programs.kernels.nodes import binary, cast, compare, either, name, num
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.program.reading import (
    assigned_names,
    conditions_of,
    leaves_early,
    names_in,
    negated,
)
from symlayout.programs.kernels.values import Block


def while_loop(it: Interpreter, node: code.While, env: Env) -> None:
    """The turns of a counter; a loop that other conditions end as well may end early."""
    count = _count(it, node, env) if it.nested < LOOPS else None
    if count is None:
        skip_loop(it, node, env, WHY)
        return
    stops = _stops_of(it, count, node, env)
    loop, body = _turns_of(it, count, node, stops, env), list(node.body)
    if stops.tests:
        body = [code.put(turn_if(list(stops.tests), body), node.place)]
    for test in reversed(() if stops.tests else count.rest):
        out = code.put(code.If(negated(test), [code.Break()]), test.place)
        body = [*body, out] if node.is_do else [out, *body]
    statement = code.While(node.test, body, node.is_do, place=node.place)
    follow_turns(it, statement, env, loop, {count.word: Block(loop.value)})
    if stops.tests:
        env[count.word] = somewhere(it, loop, count.word, node.line)
    elif not leaves_early(body):
        env[count.word] = Block(count.at(loop.turns))


def _stops_of(it: Interpreter, count: Count, node: code.While, env: Env) -> Stops:
    """The other conditions where each stays false once it is; else none, though some are asked."""
    changed = assigned_names(node.body)
    stops = Stops(node.line, count.word, count.rest, count.before, count.own, count.type)
    lasting = all(stays_false(t, count.word, changed) for t in count.rest)
    if not lasting or count.down or node.is_do:
        return replace(stops, tests=())
    low = num(0) if it.nonnegative(count.start) else num(-1)
    with it.silent():
        counter = it.unknown("", False, low, type=count.type).node
    return (
        stops
        if all(map(is_comparison, stops_at(it, stops, counter, env)))
        else replace(stops, tests=())
    )


def _turns_of(it: Interpreter, count: Count, node: code.While, stops: Stops, env: Env) -> Loop:
    """A loop over its turns; the first one of a `do` loop asks for nothing."""
    start, end = count.start, count.end
    low, high = (end, start) if count.down else (start, end)
    length = binary("-", high, low)
    if not (low.value == 0 and it.nonnegative(high)):
        length = binary("max", length, num(0))
    turns = turns_of(it, length, count.step, compare("<", low, high))
    word = it.unknowns.fresh(f"{count.word}_turn")
    turn = name(word, start.type or INT)
    within = compare(">" if count.down else "<", count.at(turn), end)
    if node.is_do:
        turns = binary("max", turns, num(1))
        within = either(compare("<", turn, num(1)), within)
    variable = Range(word, num(0), turns, within=within)
    note_ends(it, node.line, end)
    loop = Loop(variable, turn, count.at(turn), turns)
    behind = counter_behind(variable, start, count.step, count.type, "-" if count.down else "+")
    if stops.tests or stops.own is not None:
        first = None if node.is_do else start
        note_stops(it, stops, loop, (first, behind), env)
    down = not stays(it, end, count.step) or (node.is_do and not it.nonnegative(start))
    if count.type.bits < 64 and (down if count.down else stops.own is None):
        note_place(it, "counter", node.line, behind, turn_of(it, stops, loop, env), variable)
    return loop


def _count(it: Interpreter, node: code.While, env: Env) -> Count | None:
    """The counter that a condition asks for, where the order of the others is none."""
    tests = conditions_of(node.test)
    for k, test in enumerate(tests):
        rest = (*tests[:k], *tests[k + 1 :])
        if any(map(acts, rest if node.is_do else tests[:k])):
            return None
        for c in comparisons(test):
            count = _counter_of(it, node, env, c)
            if count is not None:
                return count._replace(rest=rest, before=k)
    return None


def _counter_of(it: Interpreter, node: code.While, env: Env, c: Compared) -> Count | None:
    """The counter of a comparison, where it goes to its end and nothing of it changes."""
    start, type, step = env.get(c.word), it.frame.types.get(c.word), step_of(node, c.word)
    if step is None or type is None or not isinstance(start, Block) or start.shape:
        return None
    by, down = step
    parts = (by, c.bound, *c.more)
    used = {n for e in parts for n in names_in(e)}
    plain = type.machine if type.machine == type.computed else None
    orders = (">", ">=") if down else ("<", "<=")
    unequal = c.op == "!="
    if used & assigned_names(node.body) or not plain or start.node.is_condition:
        return None
    if not (c.op in orders or (unequal and not c.more)) or (down and c.more):
        return None
    over = _range_of(node, c, by, down, plain)
    over.unequal = unequal
    if unequal and not (isinstance(by, code.Constant) and by.value == 1):
        return None
    over = unsigned_range(it, over, env)
    if not counts(it, over, env):
        return None
    values = [it.value(e, env) for e in (over.end, by, *c.more)]
    numbers = [v.node for v in values if isinstance(v, Block) and not v.shape]
    if len(numbers) < len(values) or any(n.is_condition for n in numbers):
        return None
    end, added, *_ = numbers
    if added.value == 0 or not it.nonnegative(added):
        return None
    if type.unsigned and down and (added.value != 1 or not it.nonnegative(end)):
        return None
    low, high = (end, start.node) if down else (start.node, end)
    unsigned = common([low.type, high.type, plain]) in (UINT32, UINT64)
    begins = low.value == 0 and it.least(high) > 0
    if node.is_do and not begins and (unequal or (down and unsigned)):
        return None  # behind the first turn it may be past its end
    if (plain, added.type) == (INT, UINT32):  # an int again behind each turn
        added = cast(INT, added)
    own = c.side if c.more else None
    return Count(c.word, start.node, end, added, down, plain, own)


def _range_of(
    node: code.While, c: Compared, by: code.Expression, down: bool, type: Machine
) -> code.Range:
    """The loop as a range, whose end its counter does not come to."""
    unsigned = not type.signed
    wide = unsigned and c.more

    def plain(e: code.Expression) -> code.Expression:  # of a difference of integers without a sign
        return code.Cast(e, "long") if wide else e

    bound = plain(c.bound)
    for e in c.more:
        bound = moved("-", bound, plain(e), unsigned)
    over = range_of(c.word, c.op in ("<=", ">="), bound, by, down, type)
    return code.put(over, node.test.place)
