"""No race: two accesses have no place in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.contract import Promise
from symlayout.programs.kernels.forms import Form
from symlayout.programs.kernels.nodes import TRUE, binary, name, negation, num
from symlayout.programs.kernels.obligations.claims import ALONE, claim_about, status_of
from symlayout.programs.kernels.obligations.places import (
    kind_of,
    lines_of,
    title_of,
    without_unknowns,
)
from symlayout.programs.kernels.obligations.reading import COUNTED, LEFT_OUT, Obligation, Reading
from symlayout.programs.kernels.rolling import pair_classes
from symlayout.programs.kernels.turns import (
    by_two_threads,
    is_of_one_thread,
    threads_of,
    with_a_thread,
)

PAIRS = 300  # of stores to one array, each with a claim
IN_STEP = "threads of one warp may run in step, and no others are known to meet"
WARP = 32
APART = "one thread may store to a place twice, two may not"
READ = "a thread reads what another one stores, and no barrier is between the two"


def about_reads(reading: Reading, p: Promise, own: list[Access]) -> Iterator[Obligation]:
    """No thread reads of shared memory what another one writes, with no barrier between the two."""
    writes, loads = ([a for a in own if (a.kind == "load") == is_load] for is_load in (False, True))
    yield from about_pairs(reading, [(w, r) for w in writes for r in loads], "no race: ", p)


def about_pairs(
    reading: Reading, pairs: list[tuple[Access, Access]], title: str, p: Promise
) -> Iterator[Obligation]:
    """Every two stores, of many pairs that are alike the first one."""
    shared = p.name in reading.kernel.shared
    close = [
        (a, b)
        for a, b in pairs
        if not (shared and a.phase != b.phase) or reading.no_barrier_between(a, b)
    ]  # no barrier stands between them
    classes = [[pair] for pair in close] if len(close) <= PAIRS else pair_classes(close)
    if len(classes) > PAIRS:
        why = f"{len(classes):,} pairs of stores may meet, which are more than {PAIRS:,}"
        yield Obligation(f"{title}stores of {p.name}", kind_of(p), close[0][0].span, None, why)
        return
    for (a, b), *others in classes:
        more = f" ({len(others) + 1:,} such pairs)" if others else ""
        yield from _apart(reading, a, b, title, p, more)


def _apart(
    reading: Reading, a: Access, b: Access, title: str, p: Promise, more: str = ""
) -> Iterator[Obligation]:
    """Two stores never write one place; of one thread they may where stores do not count."""
    kind, reads = kind_of(p), b.kind == "load"
    a, b = map(without_unknowns, (a, b))
    forms = [reading.at_once(access, p)[0] for access in (a, b)]
    other = title_of(b) if reads else f"in {lines_of(b)}"
    title += f"{title_of(a)} and {other}{more}"
    if a.unknowns or b.unknowns:
        why = "a place depends on what is not known here"
        yield Obligation(title, kind, b.span, None, why)
        return
    if a.array in reading.kernel.shared and reading.no_barrier_between(a, b):
        why = (
            "a barrier may not stand between them: two turns of a loop, or a branch, lead around it"
        )
        yield Obligation(title, kind, b.span, None, why)
    elif p.written in COUNTED or not is_of_one_thread(forms[0], forms[1], either=b.kind == "store"):
        yield with_masks(reading, lambda r: _met(r, a, b, title, p))


def _met(reading: Reading, a: Access, b: Access, title: str, p: Promise) -> Obligation:
    """The claim that two accesses, one of them perhaps a load, have no place in common."""
    (x, own), (y, others) = (reading.at_once(access, p) for access in (a, b))
    facts, forms = tuple(dict.fromkeys((*own, *others))), [x, y]
    claim = claim_about(
        reading, "disjoint", *(f.map([f.part(f.offset)], f.guard) for f in forms), more=facts
    )
    doubt = reading.doubt(a) or reading.doubt(b)
    doubt = doubt or _parted(reading, (a, b), forms, facts)
    obligation = Obligation(title, kind_of(p), b.span, claim, doubt=doubt, accesses=(a, b))
    if p.written not in COUNTED:
        obligation = of_two_threads(reading, obligation, x, y, facts)
    return _of_two_warps(reading, obligation, forms, facts) if b.kind == "load" else obligation


def with_masks(reading: Reading, claimed: Callable[[Reading], Obligation]) -> Obligation:
    """The claim about threads of a block without masks that ask for the block, else with these."""
    o = claimed(reading)
    if o.claim is None or o.doubt != LEFT_OUT:
        return o
    if not status_of(reading, o.claim, 0).startswith("refuted"):
        return o
    return claimed(replace(reading, masked=True))


def _parted(
    reading: Reading, pair: tuple[Access, Access], forms: list[Form], facts: tuple[str, ...]
) -> str:
    """Why two stores that meet may be none: threads may come to a barrier between them.

    None does where they meet also if the conditions of those barriers, of parameters alone, are false.
    """
    kernel = reading.kernel
    first, last = sorted(a.joins for a in pair)
    if pair[0].array not in kernel.shared or first == last:
        return ""
    joined = [kernel.joined.get(k, TRUE) for k in range(first + 1, last + 1)]
    if TRUE not in joined and {x.word for c in joined for x in c.leaves} <= {
        *kernel.parameters,
        "",
    }:
        without = [negation(c) for c in joined]
        maps = [f.map([f.part(f.offset)], (*f.guard, *without)) for f in forms]
        claim = claim_about(reading, "disjoint", *maps, more=facts)
        if status_of(reading, claim, len(threads_of(forms[0]))) == "refuted":
            return ""
    return "a barrier may stand between them"


def of_two_threads(
    reading: Reading, obligation: Obligation, a: Form, b: Form, facts: tuple[str, ...]
) -> Obligation:
    """The claim about two threads instead, where one alone reaches a place of it twice."""
    count = len(threads_of(a))
    alone = a is b and count == len(a.variables)
    if reading.grid is not None:
        a, b = map(with_a_thread, (a, b))
    threads = threads_of(a)
    if obligation.claim is None or alone or not threads or threads != threads_of(b):
        return obligation
    if not status_of(reading, obligation.claim, count).endswith(ALONE):
        return obligation
    numbers = [name(w) for w in threads]
    texts = [by_two_threads(a, b, numbers, in_parts) for in_parts in (False, True)]
    claims = [claim_about(reading, "bounded", t, more=facts) for t in dict.fromkeys(texts)]
    claim = next((c for c in claims if status_of(reading, c, 0) != "unknown"), claims[0])
    loads = any(a.kind == "load" for a in obligation.accesses)
    return replace(obligation, claim=claim, because=READ if loads else APART)


def _of_two_warps(
    reading: Reading, obligation: Obligation, forms: list[Form], facts: tuple[str, ...]
) -> Obligation:
    """The claim; its refutation is doubtful where only threads of one warp meet."""
    assert obligation.claim is not None
    if not status_of(reading, obligation.claim, 0).startswith("refuted"):
        return obligation
    a, b = forms
    thread, stride = num(0), num(1)
    for word, _, size in a.variables[: a.programs]:
        thread = binary("+", thread, binary("*", name(word), stride))
        stride = binary("*", stride, size)
    if threads_of(a) == threads_of(b) and threads_of(a):
        text = by_two_threads(a, b, [binary("//", thread, num(WARP))])
        if status_of(reading, claim_about(reading, "bounded", text, more=facts), 0) == "refuted":
            return obligation
    return replace(obligation, doubt=obligation.doubt or IN_STEP)
