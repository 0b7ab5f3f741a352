"""What has to hold where a kernel is executed: divisors, shifts, hints, ends of loops."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from symlayout.expr.machine import INT64, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import NOT_ZERO, Access, Hint, Range, Span
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    binary,
    both,
    cast,
    conjuncts,
    name,
    put,
    wide,
)
from symlayout.programs.kernels.triton.interpreter.context import Interpreter


def note_positive_divisor(it: Interpreter, y: Term) -> None:
    """Notes what divides and has to be above 0, and when it does."""
    guard = it.path.certain()
    place = Access("", "", y, (), Span(it.line), guard, it.around(y, guard), _vague(it))
    if (noted := it.kernel.divisors.get((y, guard))) is None or noted.kind == NOT_ZERO:
        it.kernel.divisors[y, guard] = place


def note_divisor(it: Interpreter, y: Term, shape: tuple[Term, ...]) -> None:
    """Notes what must not be 0, and when: a quotient is computed also where it is not used."""
    every = both(it.path.condition, it.path.reached)
    if not it.recording or y.value not in (None, 0) or y.unknowns or every == FALSE:
        return
    guard = reduce(both, [c for c in conjuncts(every) if not c.unknowns], TRUE)
    span, ranges = Span(it.line), it.around(y, guard)
    place = Access(NOT_ZERO, "", y, shape, span, guard, ranges, _vague(it))
    it.kernel.divisors.setdefault((y, guard), place)


def _vague(it: Interpreter) -> str:
    """Why what is computed here may not be: the conditions that are left out of `certain`."""
    vague = any(c.unknowns for c in conjuncts(both(it.path.condition, it.path.reached)))
    return it.path.inexact or ("what is not known decides whether it is computed" if vague else "")


def note_shift(it: Interpreter, count: Term, bits: int) -> None:
    """Notes a shift by a parameter, which has to be less than `bits`."""
    it.kernel.shifts.setdefault((count, bits), Span(it.line))


def hint(
    it: Interpreter, kind: str, node: Term, line: int, column: int = 0, number: int = 0
) -> None:
    """Notes what has to be true there."""
    if it.recording:
        place = Span(line, column)
        guard = it.path.certain()
        one = Hint(kind, node, place, number, it.around(node, guard), guard)
        if all((h.kind, h.node, h.span.line) != (kind, node, line) for h in it.kernel.hints):
            it.kernel.hints.append(one)


def note_ends(it: Interpreter, line: int, *ends: Term) -> None:
    """Notes what a loop runs to: it is computed as everything is."""
    for node in ends:
        if node.args and it.recording:
            span, ranges = Span(line), it.around(node, it.path.condition)
            end = Access("end", "", node, (), span, it.path.condition, ranges, it.path.inexact)
            it.kernel.ends.append(end)


def note_counter(
    it: Interpreter,
    line: int,
    variable: Range,
    low: Term,
    step: Term,
    kind: Machine | None,
    sign: str = "+",
) -> None:
    """Notes the value of a counter behind a turn, at which its loop may end."""
    if it.recording and (kind is None or kind.bits < 64):
        it.loops.ranges[variable.word] = variable
        node = _behind(variable, low, step, kind, sign)
        guard = both(
            it.path.condition, wide(variable.within)
        )  # what it computes is claimed beside it
        ranges = it.around(node, guard)
        del it.loops.ranges[variable.word]
        place = Access("counter", "", node, (), Span(line), guard, ranges, it.path.inexact)
        it.kernel.ends.append(place)


def _behind(variable: Range, low: Term, step: Term, kind: Machine | None, sign: str = "+") -> Term:
    """The counter behind a turn, which is computed in its type."""
    turns = binary("*", name(variable.word, INT64), cast(INT64, step))
    return cast(kind, binary(sign, binary(sign, cast(INT64, low), turns), cast(INT64, step)))


def doubt_counter(it: Interpreter, variable: Range) -> None:
    """Notes of a loop's counter that it may not come to its last turn."""
    ends = it.kernel.ends
    for k, e in enumerate(ends):
        if e.kind == "counter" and variable in e.ranges:
            ends[k] = replace(e, doubt=e.doubt or it.path.inexact)


def note_whole_turns(it: Interpreter, variable: Range) -> None:
    """Notes that a counter, in its type in a turn, steps behind one that nothing ends early."""
    in_64_bits = name(variable.word, INT64)
    ends = it.kernel.ends
    whole = put(it.path.certain(), lambda x: in_64_bits if x.word == in_64_bits.word else None)
    for k, e in enumerate(ends):
        if e.kind == "counter" and variable in e.ranges[-1:]:
            ends[k] = replace(e, guard=both(e.guard, whole))
