"""No overflow: every value of 32 bits is in its type, and none without a sign is below 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from itertools import chain

from symlayout.expr.term import SHIFTS, Term, unknown_name
from symlayout.layouts.maps.terms import Part
from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.forms import Form
from symlayout.programs.kernels.nodes import (
    both,
    compare,
    differences,
    narrow_parts,
    nonnegative,
    num,
    wide,
)
from symlayout.programs.kernels.obligations.claims import both_of, claim_about, zero_where
from symlayout.programs.kernels.obligations.places import title_of
from symlayout.programs.kernels.obligations.reading import Obligation, Reading

ENDS = 0  # the ends of loops: no identity of any access
UNUSED = "it does no harm where what is shifted is not used"


def about_values(reading: Reading, access: Access) -> Iterator[Obligation]:
    """No 32-bit expression overflows where it is used: of a mask behind what is asked before it.

    What a product of 64 bits could leave is no place in a memory.  A loop's counter is below its end.
    """
    turns = [wide(r.within) for r in access.ranges if not r.within.unknowns]
    form = reading.form(replace(access, guard=reduce(both, [*turns, access.guard])))
    masks = [
        ((*form.guard[:k], *tests), n, bool(tests))
        for k, c in enumerate(form.guard)
        for tests, n in narrow_parts(c)
    ]
    own = [(tests, n, bool(tests)) for tests, n in narrow_parts(form.offset)]
    done: set[str] = set()
    of_mask = f"mask of the {title_of(access)}"
    for subject, parts, guard in ((of_mask, masks, ()), (title_of(access), own, form.guard)):
        results = dict[str, Part]()
        for tests, n, conditional in parts:
            text = form.text(n, True)
            if text not in done:
                part = _condition_on(reading, form, tests, n)
                results.setdefault(part.text, part)
                done |= set() if conditional else {text}
        if results:
            where = _typed_guard(reading, form, guard)
            text = form.map([*results.values()], where, typed=True)
            claim = claim_about(reading, "fits", text, typed=True)
            title = f"no overflow: {subject}"
            nodes = [s for c in form.guard for s in _sides(c)] if parts is masks else [form.offset]
            harmless = any(_shifts(n, unused=parts is own) for n in nodes)
            doubt = access.doubt or (UNUSED if harmless else "")
            yield Obligation(title, "fits", access.span, claim, doubt=doubt, accesses=(access,))


def _typed_guard(reading: Reading, form: Form, guard: Iterable[Term]) -> list[Term]:
    """The conditions without those in which sizes of 64 bits may leave their types.

    What is claimed is about 32 bits, and `fits` judges every part of a condition.
    """
    return [c for c in guard if not _leaves_64(reading, form, c)]


def _leaves_64(reading: Reading, form: Form, node: Term) -> bool:
    """Whether it computes in 64 bits with what nothing bounds.

    The difference of two numbers that are not below 0 is in the type that both have.
    """
    ends = {w: (low, high) for w, low, high in form.variables}
    signed = {n for n in reading.facts.names if reading.facts.domain(n).first < 0}

    def is_open(x: Term) -> bool:
        """Whether it is a name or an unknown of 64 bits that no number bounds."""
        if x.bits < 64:
            return False
        if x.op == "unknown":
            low, high = ends.get(unknown_name(x, form.lanes), (x, x))
            return low.value is None or low.value < 0 or any(map(is_open, high.leaves))
        return x.word in reading.kernel.wide and reading.facts.domain(x.word).high is None

    def above(x: Term) -> bool:
        word = unknown_name(x, form.lanes) if x.op == "unknown" else x.word
        low = ends[word][0].value if word in ends else None
        return x.op == "lane" or (word not in signed if low is None else low >= 0)

    def leaves(n: Term) -> bool:
        own = n.op in ("+", "-", "*") and n.bits >= 64 and any(map(is_open, n.leaves))
        if own and not (n.op == "-" and all(nonnegative(a, above) for a in n.args)):
            return True
        return any(map(leaves, n.args))

    return leaves(node)


def _condition_on(reading: Reading, form: Form, tests: tuple[Term, ...], node: Term) -> Part:
    """A part that is computed where conditions hold."""
    part, guard = form.part(node, True), _typed_guard(reading, form, dict.fromkeys(tests))
    if not guard or not isinstance(part.says, Term):
        return part
    text = f"({part.text}{form.condition(guard, typed=True)} else 0)"
    c = reduce(both_of, [c.written(form.lanes, True) for c in guard])
    return Part(text, Term("where", (c, part.says, num(0).written())))


def about_end(reading: Reading, place: Access) -> Iterator[Obligation]:
    """What a loop runs to does not overflow, nor does its counter; of what was loaded no one knows."""
    if place.unknowns:
        return
    form = reading.form(place)
    line = place.span.line
    parts = [_condition_on(reading, form, tests, n) for tests, n in narrow_parts(form.offset)]
    title = f"{'the counter' if place.kind == 'counter' else 'an end'} of the loop in line {line}"
    if parts:
        where = _typed_guard(reading, form, form.guard)
        claim = claim_about(reading, "fits", form.map(parts, where, typed=True), typed=True)
        title = f"no overflow: {title}"
        yield Obligation(title, "fits", place.span, claim, doubt=place.doubt, accesses=(place,))
    yield from _above(reading, form, form.offset, form.guard, place, title)


def about_signs(reading: Reading, access: Access) -> Iterator[Obligation]:
    """No difference without a sign is below 0 where it is used; `about_values` tells of 32 bits."""
    form = reading.form(access)
    for k, c in enumerate(form.guard):
        title = f"mask of the {title_of(access)}"
        yield from _above(reading, form, c, form.guard[:k], access, title)
    yield from _above(reading, form, form.offset, form.guard, access, title_of(access))


def _above(
    reading: Reading, form: Form, node: Term, guard: tuple[Term, ...], place: Access, title: str
) -> Iterator[Obligation]:
    """The differences of 64 bits without a sign that a node has in it are not below 0."""
    for tests, n in dict.fromkeys(differences(node)):
        sides = n.args if n.op == "-" else (n, num(0))
        text = zero_where(form, compare(">=", *sides), (*guard, *tests))
        claim = claim_about(reading, "bounded", text)
        label = f"no wrap below 0: {form.text(n)[:60]} in the {title}"
        yield Obligation(label, "fits", place.span, claim, doubt=place.doubt, accesses=(place,))


def _sides(c: Term) -> list[Term]:
    if c.op in ("and", "or", "not"):
        return [s for a in c.args for s in _sides(a)]
    return list(c.args)


def _shifts(node: Term, unused: bool = False) -> bool:
    """Whether it shifts by a name; `unused`: only in what a choice may leave unused."""
    if node.op == "where" and unused:
        return any(_shifts(a) for a in node.args[1:]) or _shifts(node.args[0], True)
    return (node.op in SHIFTS and not unused) or any(_shifts(a, unused) for a in node.args)


def of_access(reading: Reading, access: Access) -> tuple[Obligation, ...]:
    """The claims that no value of an access leaves its type, made once."""
    known = reading.overflows
    if id(access) not in known:
        known[id(access)] = access, (*about_values(reading, access), *about_signs(reading, access))
    return known[id(access)][1]


def of_ends(reading: Reading) -> tuple[Obligation, ...]:
    """The claims that no end of a loop, and no counter, leaves its type, made once."""
    known = reading.overflows
    if ENDS not in known:
        known[ENDS] = None, tuple(o for p in reading.kernel.ends for o in about_end(reading, p))
    return known[ENDS][1]


def every(reading: Reading) -> Iterator[Obligation]:
    """That no value leaves its type, each claim once."""
    seen = set[str]()
    rows = [of_access(reading, a) for a in reading.kernel.accesses]
    for o in chain(*rows, of_ends(reading)):
        if o.claim is not None and o.claim.key not in seen:
            seen.add(o.claim.key)
            yield o
