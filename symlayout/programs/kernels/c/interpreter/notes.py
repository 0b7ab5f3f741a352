"""What is noted of a kernel: its accesses, and what has to hold where it is executed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from symlayout.expr.machine import INT64, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Demand, Range, Span
from symlayout.programs.kernels.c.interpreter.context import Interpreter
from symlayout.programs.kernels.nodes import (
    FALSE,
    binary,
    both,
    cast,
    conjuncts,
    name,
    num,
    put,
    under,
    wide,
)
from symlayout.programs.kernels.pointers import pointer_of, ways_of
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.values import Block, Value

DIVIDING = frozenset(["//", "%", "cdiv"])
SHIFTING = frozenset(["<<", ">>"])
NARROWEST = 32  # bits of the narrowest type that anything is shifted in
WAYS = 4  # addresses that one is chosen from
NOT_KNOWN = "another condition of the loop is not known"


def note_value(it: Interpreter, node: code.Expression, value: Value) -> None:
    """Notes the value of an expression that the file has in one line."""
    at = node.place
    if not (it.recording and isinstance(value, Block)) or at is None:
        return
    if at.line and at.end_column and at.end_line == at.line:
        it.kernel.written[Span(at.line, at.column, at.end_column)] = value.node


# -- accesses --------------------------------------------------------------------------------------


def record(it: Interpreter, kind: str, at: code.Place, address: Block) -> None:
    """Notes an access; of an address that is chosen from several arrays each has its own."""
    ways = ways_of(address.node)
    if len({w for _, w, _ in ways}) > 1 and len(ways) <= WAYS:
        for c, _, one in ways:
            with it.path.only_where(c):
                record(it, kind, at, replace(address, node=one))
        return
    pointer = pointer_of(address.node, it.arrays)
    if pointer is None:
        it.skip(at.line, "an address that begins at no parameter")
        return
    offset = put(address.node, lambda x: num(0, INT64) if x == pointer else None)
    again = [
        x.word
        for x in offset.leaves
        if x.op == "name" and x.word in it.kernel.parameters
        if x.word == pointer.word or (x.type == INT64 and x.word not in it.kernel.wide)
    ]
    if again:
        it.skip(at.line, f"an address in which {again[0]} occurs beside {pointer.word}")
        return
    _note_access(it, kind, at, pointer.word, offset, address.shape)


def _note_access(
    it: Interpreter,
    kind: str,
    at: code.Place,
    array: str,
    offset: Term,
    shape: tuple[Term, ...],
) -> None:
    """Notes an access to an array, and where it stands between barriers."""
    if not it.recording:
        return
    guard, phases = it.path.condition, it.phases
    offset = under(offset, frozenset(conjuncts(guard)))
    doubts = it.unknowns.doubts_of(it.unknown_in(offset, guard, *shape))
    end = at.end_column if at.end_line == at.line else at.column + 1
    access = Access(
        kind,
        array,
        cast(INT64, offset) if offset.type is None else offset,
        shape,
        Span(at.line, at.column, end),
        guard,
        it.around(offset, guard, *shape),
        doubts[0] if doubts else it.path.inexact,
        " ".join(it.module.source(at).split()),
        phases.phase,
        phases.joins,
        tuple(phases.apart),
    )
    it.kernel.accesses.append(access)


# -- what is undefined otherwise -------------------------------------------------------------------


def note_operation(it: Interpreter, op: str, by: Term, bits: int, doubt: str = "") -> None:
    """Notes what an operation is undefined for: before anything folds, also where nobody uses it."""
    bits = max(bits, NARROWEST)
    if op in DIVIDING and not by.value:
        note_demand(it, "division", by, doubt=doubt)
    elif op in SHIFTING and (by.value is None or not 0 <= by.value < bits):
        note_demand(it, "shift", by, bits, doubt)


def note_demand(
    it: Interpreter, kind: str, by: Term, bits: int = 0, doubt: str = "", span: Span | None = None
) -> None:
    """Notes what has to hold of a divisor, of what shifts, or of a copy's bytes."""
    guard = it.path.condition
    if not it.recording or guard == FALSE:
        return
    doubts = it.unknowns.doubts_of(it.unknown_in(by, guard))
    loaded = [f"it was {it.unknowns.ranges[x.word].loaded}" for x in by.unknowns]
    why = next(iter([doubt] * bool(doubt) + doubts + sorted(loaded)), it.path.inexact)
    demand = Demand(kind, by, span or Span(it.line), bits, it.around(by, guard), guard, why)
    if demand not in it.kernel.demands:
        it.kernel.demands.append(demand)


def settle_demands(it: Interpreter) -> None:
    """Leaves out divisors that are parameters of which nothing says that they may be 0."""
    it.path.condition = FALSE  # no condition asks of a parameter any more
    claimed = {(n, *conjuncts(c)) for n, c in it.kernel.divisors}
    it.kernel.demands = [
        d
        for d in it.kernel.demands
        if d.kind != "division"
        or (it.least(d.value) < 1 and (d.value, *conjuncts(d.guard)) not in claimed)
    ]


def note_divisor(it: Interpreter, by: Term) -> None:
    """Notes what is claimed not to be below 0, where it is evaluated."""
    if it.recording:
        guard = it.path.condition
        doubts = it.unknowns.doubts_of(it.unknown_in(by, guard))
        doubt = next(iter(doubts), it.path.inexact)
        place = Access("", "", by, (), Span(it.line), guard, it.around(by, guard), doubt)
        it.kernel.divisors.setdefault((by, guard), place)


# -- loops -----------------------------------------------------------------------------------------


def note_ends(it: Interpreter, line: int, *ends: Term) -> None:
    """Notes what a loop runs to: it is computed as everything is."""
    guard = it.path.condition
    for node in ends:
        if node.args and it.recording:
            ranges = it.around(node, guard)
            end = Access("end", "", node, (), Span(line), guard, ranges, it.path.inexact)
            it.kernel.ends.append(end)


def note_place(
    it: Interpreter,
    kind: str,
    line: int,
    node: Term,
    guards: Iterable[Term | None],
    turn: Range | None = None,
) -> None:
    """Notes what a loop computes where conditions hold; one that is not known makes it doubtful."""
    if not it.recording:
        return
    guards = list(guards)
    known = [c for c in guards if c is not None and not c.unknowns]
    doubt = it.path.inexact or (NOT_KNOWN if len(known) < len(guards) else "")
    if turn is not None:
        it.loops[turn.word] = turn
    guard = reduce(both, known, it.path.condition)
    ranges = it.around(node, guard)
    if turn is not None:
        del it.loops[turn.word]
    it.kernel.ends.append(Access(kind, "", node, (), Span(line), guard, ranges, doubt))


def note_counter(
    it: Interpreter, line: int, variable: Range, behind: Term, kind: Machine | None
) -> None:
    """Notes the value of a counter behind a turn, at which its loop may end."""
    if it.recording and (kind is None or kind.bits < 64):
        it.loops[variable.word] = variable
        guard = both(
            it.path.condition, wide(variable.within)
        )  # what it computes is claimed beside it
        ranges = it.around(behind, guard)
        del it.loops[variable.word]
        place = Access("counter", "", behind, (), Span(line), guard, ranges, it.path.inexact)
        it.kernel.ends.append(place)


def note_step(it: Interpreter, step: Term, begins: Term) -> None:
    """Notes a loop's step that may be 0: unless it has no turn at all, it has no end then."""
    certain = it.path.certain()
    guard = certain if begins.unknowns else both(certain, begins)
    place = Access("step", "", step, (), Span(it.line), guard, it.around(step, guard))
    it.kernel.divisors.setdefault((step, guard), place)


def doubt_counter(it: Interpreter, variable: Range) -> None:
    """Notes of a loop's counter that it may not come to its last turn."""
    ends = it.kernel.ends
    for k, e in enumerate(ends):
        if e.kind == "counter" and variable in e.ranges:
            ends[k] = replace(e, doubt=e.doubt or it.path.inexact)


def note_whole_turns(it: Interpreter, variable: Range) -> None:
    """Notes that a counter, in its type in a turn, steps behind one that nothing ends early."""
    as_64_bits = name(variable.word, INT64)
    ends = it.kernel.ends
    whole = put(it.path.certain(), lambda x: as_64_bits if x.word == as_64_bits.word else None)
    for k, e in enumerate(ends):
        if e.kind == "counter" and variable in e.ranges[-1:]:
            ends[k] = replace(e, guard=both(e.guard, whole))


def counter_behind(
    variable: Range, low: Term, step: Term, kind: Machine | None, sign: str = "+"
) -> Term:
    """The counter behind a turn, which is computed in its type."""
    turns = binary("*", name(variable.word, INT64), cast(INT64, step))
    return cast(kind, binary(sign, binary(sign, cast(INT64, low), turns), cast(INT64, step)))
