"""Loops over ranges and with counters: each is followed once for all turns."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from symlayout.expr.machine import INT
from symlayout.expr.machine import common as common_type
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Range, Span
from symlayout.programs.kernels.conditions import leaves
from symlayout.programs.kernels.following import Env
from symlayout.programs.kernels.nodes import binary, both, compare, name, num
from symlayout.programs.kernels.syntax import (
    assigned_names,
    dotted_name,
    leaves_early,
    returns_inside,
    spoken,
)
from symlayout.programs.kernels.triton.imports import language_path
from symlayout.programs.kernels.triton.interpreter.blocks import arguments, block
from symlayout.programs.kernels.triton.interpreter.context import Interpreter
from symlayout.programs.kernels.triton.interpreter.notes import (
    doubt_counter,
    note_counter,
    note_ends,
    note_whole_turns,
)
from symlayout.programs.kernels.triton.interpreter.statements import forget, pass_over
from symlayout.programs.kernels.triton.interpreter.turns import carried_values, lost, value_at
from symlayout.programs.kernels.triton.language import CORE
from symlayout.programs.kernels.triton.whiles import Counter, counter_of, counter_of_all, with_tests
from symlayout.programs.kernels.values import ANY, NUMBER, Block, Opaque

LOOPS = 6  # inside one another
RANGES = frozenset(["range", "static_range"])


@dataclass(frozen=True)
class Loop:
    """A loop's variable, the number of its turn, its counter's value, and how many turns there are."""

    variable: Range
    turn: Term
    value: Term
    turns: Term


def for_loop(it: Interpreter, node: ast.For, env: Env) -> None:
    """`for x in range(...)`: once for all turns, what is carried in closed form."""
    names = assigned_names([node])
    loop = None if node.orelse else _range(it, node, env)
    if loop is None or it.loops.nested >= LOOPS:
        it.skip(node.lineno, f"a loop over {spoken(node.iter)}")
        _skip_loop(it, node, names, env)
        return
    assert isinstance(node.target, ast.Name)
    assert isinstance(node.iter, ast.Call)
    unrolled = dotted_name(node.iter.func).split(".")[-1] == "static_range"
    it.loops.unrolled += unrolled
    try:
        _loop_body(it, node, env, loop, {node.target.id: Block(loop.value)})
    finally:
        it.loops.unrolled -= unrolled


def _skip_loop(it: Interpreter, node: ast.For | ast.While, names: set[str], env: Env) -> None:
    """A loop that is not followed: nothing is known of what it changes, nor whether it returns."""
    pass_over(it, [node])
    forget(names, env, f"line {node.lineno}: a loop that is not followed")
    if returns_inside([node]):
        it.path.inexact = f"line {node.lineno}: a return inside of the loop"


def _range(it: Interpreter, node: ast.For, env: Env) -> Loop | None:
    """A loop over a range."""
    call = node.iter
    if not (isinstance(call, ast.Call) and isinstance(node.target, ast.Name)):
        return None
    called = dotted_name(call.func)
    module, _, last = language_path(it.frame.module, called).rpartition(".")
    if called.split(".")[0] in {*env, *it.frame.own, *it.frame.module.own} or not call.args:
        return None
    if called != "range" and not (module in CORE and last in RANGES):
        return None
    own = None if last == "static_range" else INT  # a turn is a number, or of run time
    words = ("arg1", "arg2", "step")
    args = arguments(call, words)
    it.calls.seen.add(id(call))
    ends = {w: block(it, it.value(args[w], env), node.lineno) for w in words if w in args}
    if len(call.args) > 3 or any(e.shape for e in ends.values()):
        return None
    low, high = num(0), ends["arg1"].node
    if "arg2" in ends:
        low, high = high, ends["arg2"].node
    step = ends["step"].node if "step" in ends else num(1)
    word = it.unknowns.fresh(node.target.id)
    kind = common_type([low.type, high.type, step.type, own])
    note_ends(it, node.lineno, low, high)
    if step.value == 1:
        plain = low.value == 0 and it.nonnegative(high)
        top = high if plain or _goes_up(it, low, high) else binary("max", low, high)
        variable = name(word, kind)
        turn = binary("-", variable, low)
        return Loop(Range(word, low, top), turn, variable, binary("-", top, low))
    return _stepped(it, node.lineno, name(word, kind), (low, high, step), own is not None)


def _stepped(
    it: Interpreter, line: int, turn: Term, ends: tuple[Term, Term, Term], at_run_time: bool
) -> Loop | None:
    """A loop from one number to another by a step, which may go down; None where that is not seen."""
    low, high, step = ends
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
    turns = _turn_count(it, length, down, compare("<", low, high))
    begin, sign = (high, "-") if less else (low, "+")
    value = binary(sign, begin, binary("*", turn, down))
    within = compare(">", value, low) if sign == "-" else compare("<", value, high)
    counter = Range(turn.word, num(0), turns, within=within)
    if at_run_time and (sign == "+" or not _stays(it, low, down)):
        note_counter(it, line, counter, begin, down, turn.type, sign)
    return Loop(counter, turn, value, turns)


def _turn_count(it: Interpreter, length: Term, step: Term, begins: Term) -> Term:
    """How many turns a loop has; one whose step is 0 has no end, unless it has no turn at all.

    Where that may be, it has to be shown that it is not, and no turn counts by a quotient by 0.
    """
    if it.least(step) > 0:
        return binary("cdiv", length, step)
    if step.unknowns:
        it.skip(it.line, "a loop whose step may be 0")
    elif it.recording:
        guard = it.path.certain() if begins.unknowns else both(it.path.certain(), begins)
        place = Access("step", "", step, (), Span(it.line), guard, it.around(step, guard))
        it.kernel.divisors.setdefault((step, guard), place)
    return binary("cdiv", length, binary("max", step, num(1)))


def _stays(it: Interpreter, end: Term, step: Term) -> bool:
    """Whether a counter that goes down to an end is in its type behind the last turn."""
    return step.value == 1 or (it.nonnegative(end) and step.bits <= 32)


def while_loop(it: Interpreter, node: ast.While, env: Env) -> None:
    """`while v < end: ... v += step` is a loop over a range; of others no one knows how often."""
    if node.orelse or it.loops.nested >= LOOPS:
        it.skip(node.lineno, "a while loop without a counter")
        _skip_loop(it, node, assigned_names([node]), env)
        return
    counter, rest = counter_of(node), list[ast.expr]()
    if counter is None:
        counter, rest = counter_of_all(node)
    ends = None if counter is None else _ends_of(it, counter, env)
    if counter is None or ends is None:
        _uncounted(it, node, env)
        return
    start, step, end = ends
    first, last = (start, end) if counter.sign == "-" else (end, start)
    length = binary("-", first, last)
    length = binary("max", binary("+", length, num(int("=" in counter.op))), num(0))
    turns = _turn_count(it, length, step, compare(counter.op, start, end))
    turn = it.unknowns.fresh(f"{counter.word}_turn")
    note_ends(it, node.lineno, end)
    value = binary(counter.sign, start, binary("*", name(turn), step))
    variable = Range(turn, num(0), turns, within=compare(counter.op, value, end))
    note_counter(it, node.lineno, variable, start, step, start.type or INT, counter.sign)
    loop = Loop(variable, name(turn), value, turns)
    _loop_body(it, with_tests(node, rest), env, loop, {})


def _ends_of(it: Interpreter, c: Counter, env: Env) -> tuple[Term, Term, Term] | None:
    """A counter's first value, its step and its end."""
    start = env.get(c.word)
    if not isinstance(start, Block) or start.shape:
        return None
    step, end = it.value(c.step, env), it.value(c.end, env)
    if not (isinstance(step, Block) and isinstance(end, Block)) or step.shape or end.shape:
        return None
    if step.node.value == 0 or not it.nonnegative(step.node):
        return None
    return start.node, step.node, end.node


def _uncounted(it: Interpreter, node: ast.While, env: Env) -> None:
    """A loop with any number of turns: in each of them the test is made first."""
    word = it.unknowns.fresh("turn")
    loop = Loop(Range(word, num(0), num(1 << 63)), name(word), name(word), num(1 << 63))
    _loop_body(it, with_tests(node, [node.test]), env, loop, {})


def _loop_body(
    it: Interpreter, node: ast.For | ast.While, env: Env, loop: Loop, counter: Env
) -> None:
    """A loop's body for every turn: first what it carries, then its accesses."""
    line, alive, inexact = node.lineno, it.path.condition, it.path.inexact
    body, turns = node.body, loop.turns
    own = assigned_names(body)
    names = [n for n in env if n in own and n not in counter]
    breaks, continued = leaves_early(body), it.loops.continued
    it.loops.ranges[loop.variable.word] = loop.variable
    it.loops.nested += 1
    try:
        carried = carried_values(it, names, body, env, counter, line)
        inside = {**env, **counter}
        inside |= {n: value_at(it, c, loop.turn, n, line) for n, c in carried.items()}
        if breaks:
            it.path.inexact = f"line {line}: the loop may end early"
        if leaves(body, ast.Break) or returns_inside(body):
            doubt_counter(it, loop.variable)
        it.follow(body, inside)
        if breaks and isinstance(node, ast.For) and not leaves(body, ast.Continue):
            note_whole_turns(it, loop.variable)
    finally:
        it.loops.nested -= 1
        it.loops.continued = continued
        del it.loops.ranges[loop.variable.word]
        it.path.condition, it.path.inexact = alive, inexact
    if returns_inside(body):
        it.path.inexact = f"line {line}: a return inside of the loop"
    for n in own:
        c = carried.get(n)
        if c is not None and not (breaks):
            env[n] = value_at(it, c, turns, n, line)
        else:
            last = inside.get(n)
            address = (
                c.address if c is not None else ANY if last is None else it.addresses.level(last)
            )
            env[n] = lost(last, n, line, address)
    for n in counter:
        env[n] = Opaque(f"line {line}: {n} behind its loop", address=NUMBER)


def _goes_up(it: Interpreter, low: Term, high: Term) -> bool:
    """Whether a range certainly does not end before it begins: `low + something`."""
    if high.op == "+" and low in high.args:
        other = high.args[1] if high.args[0] == low else high.args[0]
        return it.nonnegative(other)
    return False
