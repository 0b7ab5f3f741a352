"""Turns of loops that say nothing of a place: one thread after itself, which is no race."""

from __future__ import annotations

from dataclasses import replace

from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.forms import Form


def without_idle_turns(form: Form, access: Access) -> tuple[Form, tuple[str, ...]]:
    """The form at one turn of the loops whose counters its place and its mask do not speak of.

    The facts say that there is a turn: a loop that has none stores nothing.
    """
    counters = {r.word for r in access.ranges if not r.loaded}
    used = set[str]().union(*[form.names_in(n) for n in (form.offset, *form.guard)])
    words = {w for w, _, _ in form.variables}
    spoken = {w: (form.names_in(a) | form.names_in(b)) & words for w, a, b in form.variables}
    idle = {w for w in words & counters - used if not spoken[w]}
    idle -= set[str]().union(*[spoken[w] for w in words - idle])
    facts = []
    for word, low, high in form.variables:
        if word in idle and not (low.value is not None and high.value is not None):
            facts.append(f"{form.text(low)} < {form.text(high)}")
    kept = tuple(v for v in form.variables if v[0] not in idle)
    return replace(form, variables=kept), tuple(facts)


def is_of_one_thread(a: Form, b: Form, either: bool) -> bool:
    """Whether only one thread meets a place in both, if in the first (or `either`) only one does.

    They have one offset, and the one that is asked about alone has a mask that is part of the other's.
    """
    alike = a.variables == b.variables and a.text(a.offset) == b.text(b.offset)
    first, second = ({f.text(c) for c in f.guard} for f in (a, b))
    return alike and (first <= second or (either and second <= first))
