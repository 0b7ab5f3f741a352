"""One thread after itself, which is no race: turns that say nothing of a place, threads that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from symlayout.expr.term import Term
from symlayout.layouts.maps.terms import MapText
from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.forms import RESERVED, Form
from symlayout.programs.kernels.nodes import (
    FALSE,
    TRUE,
    binary,
    chooses,
    compare,
    either,
    name,
    num,
    put,
    terms,
)
from symlayout.text.names import unused


def with_most_turns(access: Access) -> Access:
    """The access in as many turns as loops may have whose end is one number that is not known.

    A thread has one such number, and no other number of turns beside it.
    """
    unknown = {r.word: r for r in access.ranges if r.loaded}
    every = [x for r in access.ranges for e in (r.low, r.high) for x in e.unknowns]
    ranges = []
    for r in access.ranges:
        ends = [e for e in (r.high.args if r.high.op == "max" else (r.high,)) if e != r.low]
        end = ends[0] if len(ends) == 1 else r.high
        plain = end.op == "unknown" and every.count(end) == 1 and not r.loaded
        if plain and end not in access.unknowns | r.within.unknowns:
            most = binary("-", unknown[end.word].high, num(1))
            r = replace(r, high=binary("max", most, r.low))
        ranges.append(r)
    return replace(access, ranges=tuple(ranges))


def without_idle_turns(form: Form, access: Access) -> tuple[Form, tuple[str, ...]]:
    """The form at one turn of the loops whose counters its place and its mask do not have.

    The facts, or conditions, say that there is a turn: a loop that has none stores nothing.
    """
    counters = {r.word for r in access.ranges if not r.loaded}
    used = set[str]().union(*[form.names_in(n) for n in (form.offset, *form.guard)])
    words = {w for w, _, _ in form.variables}
    spoken = {w: (form.names_in(a) | form.names_in(b)) & words for w, a, b in form.variables}
    idle = {w for w in words & counters - used if not spoken[w]}
    idle -= set[str]().union(*[spoken[w] for w in words - idle])
    facts, guard = list[str](), list[Term]()
    for word, low, high in form.variables:
        if word in idle and compare("<", low, high) != TRUE:
            if chooses(low) or chooses(high) or compare("<", low, high) == FALSE:
                guard.append(compare("<", low, high))
            else:
                facts.append(f"{form.text(low)} < {form.text(high)}")
    variables = tuple(v for v in form.variables if v[0] not in idle)
    return replace(form, variables=variables, guard=(*form.guard, *guard)), tuple(facts)


def threads_of(form: Form) -> list[str]:
    """The variables that tell one thread from another; of the lanes of a block nothing is known."""
    leaves = {x for n in form.nodes for x in n.leaves}
    if form.lanes or any(x.op == "unknown" and x.args for x in leaves):
        return []
    return [w for w, _, _ in form.variables[: form.programs]]


def with_a_thread(form: Form) -> Form:
    """The form with the only thread that there is, where no variable tells threads apart."""
    if form.programs or {w for w, _, _ in form.variables} & {*form.lanes.values()}:
        return form
    one = (unused("thread", _words_in(form)), num(0), num(1))
    return replace(form, variables=(one, *form.variables), programs=1)


def is_of_one_thread(a: Form, b: Form, either: bool) -> bool:
    """Whether only one thread meets a place in both, if in the first (or `either`) only one does.

    They have one offset, and the one that is asked about alone has a mask that is part of the other's.
    """
    if len(a.variables) != len(b.variables) or threads_of(a) != threads_of(b):
        return False
    b = _renamed(b, {w: v[0] for (w, _, _), v in zip(b.variables, a.variables)})
    alike = a.variables == b.variables and a.text(a.offset) == b.text(b.offset)
    first, second = ({f.text(c) for c in f.guard} for f in (a, b))
    return alike and (first <= second or (either and second <= first))


def by_two_threads(a: Form, b: Form, numbers: Sequence[Term], in_parts: bool = False) -> MapText:
    """A map with a point wherever two threads meet at one place, and nowhere to go from there.

    It is bounded where no two do; one of the `numbers` differs between the threads.  `in_parts` adds
    that quotients and remainders of the places by the strides that are numbers are equal.
    """
    words = _others(a, b)
    pairs = [(n, _put_names(n, words)) for n in numbers]
    b = _renamed(b, words)
    here, there = a.offset, b.offset
    strides = sorted({*_strides(here), *_strides(there)}) if in_parts else ()
    ways = [(op, num(n)) for n in strides for op in ("%", "//")]
    parts = [compare("==", binary(op, here, n), binary(op, there, n)) for op, n in ways]
    differ = reduce(either, [compare("!=", x, y) for x, y in pairs])
    conditions = (*a.guard, *b.guard, *parts, differ, compare("==", here, there))
    form = replace(a, variables=(*a.variables, *b.variables))
    where = [c for c in conditions if c != TRUE]
    return form.map([form.part(here)], where, [form.part(num(0))])


def _renamed(form: Form, words: Mapping[str, str]) -> Form:
    """The form with other names for its variables."""
    variables = tuple(
        (words[w], _put_names(a, words), _put_names(b, words)) for w, a, b in form.variables
    )
    guard = tuple(_put_names(c, words) for c in form.guard)
    return replace(form, variables=variables, guard=guard, offset=_put_names(form.offset, words))


def _put_names(node: Term, words: Mapping[str, str]) -> Term:
    return put(node, lambda x: name(words[x.word], x.type) if x.word in words else None)


def _words_in(form: Form) -> set[str]:
    """The names that no other variable may have beside the form."""
    own = {x.word for n in form.nodes for x in n.leaves}
    return own | {*RESERVED, *[w for w, _, _ in form.variables]}


def _others(a: Form, b: Form) -> dict[str, str]:
    """The variables of the second by names that neither has."""
    used = _words_in(a) | _words_in(b)
    names = dict[str, str]()
    for w, _, _ in b.variables:
        names[w] = unused(f"{w}_2", used)
        used.add(names[w])
    return names


def _strides(offset: Term) -> list[int]:
    """The numbers that terms of the offset are multiplied with."""
    numbers = [n.value for t, _ in terms(offset) if t.op == "*" for n in t.args]
    return [n for n in numbers if n is not None and n > 1]
