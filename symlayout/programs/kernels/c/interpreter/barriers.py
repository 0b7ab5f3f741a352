"""Barriers, which order all threads of a block only where each of them comes to it."""

from __future__ import annotations

from functools import partial

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Span
from symlayout.programs.kernels.c.interpreter.context import Env, Interpreter
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import num
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.values import Constant, Value


def is_uniform(it: Interpreter, node: Term) -> bool:
    """Whether a value is the same for all threads of a block."""
    threads = {w for k, w in it.kernel.programs.items() if k >= THREADS}
    return not any(
        x.word in threads
        or x.op == "lane"
        or (x.op == "unknown" and x.word not in it.unknowns.uniform | it.unknowns.uniform_in_block)
        for x in node.leaves
    )


def is_met(it: Interpreter) -> bool:
    """Whether all threads of a block come to this statement, as often as each other."""
    loops = it.loops.values()
    apart = it.path.some_left or any(r.word in it.left_by_some for r in loops)
    ends = [n for r in loops for n in (r.low, r.high, r.within)]
    return not apart and all(map(partial(is_uniform, it), (it.path.condition, *ends)))


def note_wait(it: Interpreter, place: code.Place) -> None:
    """Notes a barrier that some threads may not come to; it is in doubt in a loop that is left."""
    if it.recording:
        loops = it.loops.values()
        torn = it.path.some_left or any(r.word in it.left_by_some for r in loops)
        doubt = it.path.inexact or ("a loop that some threads leave" if torn else "")
        span = Span(place.line, place.column, place.end_column)
        ranges = it.around(it.path.condition)
        wait = Access("barrier", "", num(0), (), span, it.path.condition, ranges, doubt)
        it.kernel.waits.append(wait)


def maybe(it: Interpreter, node: code.MaybeBarrier, env: Env) -> Value:
    """A function that is not followed, in which a barrier may stand."""
    it.phases.joins += 1
    return Constant(None)


def barrier(it: Interpreter, node: code.Barrier, env: Env) -> Value:
    """A barrier, if all threads of the block come to it; of any other nothing is known."""
    it.phases.joins += 1
    it.phases.waits += 1
    if not is_met(it):
        note_wait(it, it.place_of(node))
        return Constant(None)
    it.phases.begin()
    if it.recording:
        it.kernel.joined[it.phases.joins] = it.path.condition
    return Constant(None)
