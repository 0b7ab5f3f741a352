"""What a language leaves undefined otherwise: divisors, shifts, whole blocks; and hints."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.expr.term import DIVISIONS, Term
from symlayout.programs.kernels.access import NOT_ZERO, Access, Demand, Hint, Span
from symlayout.programs.kernels.nodes import TRUE, compare, conjuncts, least, num
from symlayout.programs.kernels.obligations.claims import (
    both_of,
    claim_about,
    status_of,
    zero_where,
)
from symlayout.programs.kernels.obligations.overflows import UNUSED
from symlayout.programs.kernels.obligations.reading import Obligation, Reading
from symlayout.programs.kernels.policy import COPIED

BELOW = "a divisor that may be below 0 is not followed"
UNMASKED = "it does no harm where a mask leaves out the lanes that divide by 0"
HINTS = {"assume": "assume", "multiple": "multiple_of", "equal": "blocks of one size"}


def may_be_bad(reading: Reading, divisor: Access) -> bool:
    """Whether a claim is needed that a divisor is not 0.

    Not of a parameter that is at least 1, nor where an access with the quotient claims it: that asks
    for the lanes of its mask alone.
    """
    y = divisor.offset
    if divisor.kind != NOT_ZERO:
        return True
    kernel, facts = reading.kernel, reading.facts
    alone = {n for r in facts.relations if len(r.names) == 1 for n in r.names}
    maybe = {n for n in facts.names if facts.domain(n).first < 1} | (kernel.flags - alone)
    positive = {*kernel.parameters, *kernel.symbols, *kernel.grids.values()} - maybe
    if least(y, positive.__contains__, lambda x: x.op == "lane" or x.word in positive) > 0:
        return False
    lanes = any(x.op == "lane" for x in y.leaves)
    return not (lanes and any(_divides_by(n, y) for a in kernel.accesses for n in a.nodes))


def _divides_by(node: Term, y: Term) -> bool:
    """Whether it has a quotient or a remainder by a divisor in it."""
    own = node.op in DIVISIONS and node.args[1] == y
    return own or any(_divides_by(a, y) for a in node.args)


def about_divisor(reading: Reading, place: Access) -> Obligation:
    """That a divisor is not 0, or at least 1 where a quotient is read as if it rounded down."""
    form = reading.form(place)
    text, line = form.text(form.offset), f"line {place.span.line}"
    title = f"no {place.kind or 'divisor'} below 1: {text[:60]} in {line}"
    needed, not_zero = (Term(op, (form.offset, num(n))) for op, n in ((">=", 1), ("!=", 0)))
    words = f"{text} >= 1"
    if place.kind == NOT_ZERO:
        title, needed = f"no division by 0: {text[:60]} in {line}", not_zero
        words = f"{text} != 0"
    claim = claim_about(reading, "bounded", zero_where(form, needed, form.guard, words))
    doubt = place.doubt or (UNMASKED if place.shape else "")
    if reading.kernel.language == "c" and not place.kind and not doubt:
        zero = claim_about(
            reading, "bounded", zero_where(form, not_zero, form.guard, f"{text} != 0")
        )
        doubt = "" if status_of(reading, zero, 0) == "refuted" else BELOW
    return Obligation(title, "divisor", place.span, claim, doubt=doubt, accesses=(place,))


def about_demand(reading: Reading, d: Demand) -> Obligation:
    """What the language leaves undefined otherwise."""
    place = Access(d.kind, "", d.value, (), d.span, d.guard, ranges=d.ranges)
    form, kind = reading.form(place), "divisor"
    text = form.text(form.offset)  # with the sizes of the grid
    end, line = text[:60], d.span.line
    if d.kind == "division":
        title = f"no division by 0: by {end} in line {line}"
        demand, words = Term("!=", (form.offset, num(0))), f"{text} != 0"
    elif d.kind == "shift":
        title = f"no shift out of range: by {end} in line {line}"
        low, high = (Term(op, (form.offset, num(n))) for op, n in ((">=", 0), ("<", d.bits)))
        demand, words = both_of(low, high), f"{text} >= 0 and {text} < {d.bits}"
    else:
        title, kind = f"whole blocks of {COPIED} bytes: {d.kind} in line {line}", "blocks"
        demand = Term("==", (Term("%", (form.offset, num(COPIED))), num(0)))
        words = f"({text})%{COPIED} == 0"
    if d.value.unknowns - d.guard.unknowns:  # nothing is asked of it
        return Obligation(title, kind, d.span, None, d.doubt)
    claim = claim_about(reading, "bounded", zero_where(form, demand, form.guard, words))
    return Obligation(title, kind, d.span, claim, doubt=d.doubt, accesses=(place,))


def about_shift(reading: Reading, count: Term, bits: int, span: Span) -> Obligation:
    """That a number is shifted by fewer bits than it has."""
    text = count.text({})
    claim = claim_about(reading, "holds", f"{text} >= 0{f' and {text} < {bits}' if bits else ''}")
    title = f"no shift out of range: by {text} in line {span.line}"
    return Obligation(title, "divisor", span, claim, doubt=UNUSED)


def about_hint(reading: Reading, hint: Hint) -> Obligation:
    """What the kernel tells the compiler is true."""
    node = hint.node
    if hint.kind == "multiple":
        remainder = Term("%", (node, num(hint.number)))
        node = compare("==", remainder, num(0))
    form = reading.form(Access("", "", node, (), hint.span, hint.guard, ranges=hint.ranges))
    own = {w for w, _, _ in form.variables}
    title = f"{HINTS[hint.kind]} in line {hint.span.line}"
    doubt = ""
    if hint.kind == "equal":
        title = f"{title}: {form.text(node)}"
        doubt = "blocks of these sizes meet: the contract may say that they are equal"
    if node == TRUE or node.unknowns:
        return Obligation(title, "hint", hint.span, None, "it speaks of what is not known here")
    parts = conjuncts(node)
    simple = not form.guard and all(c.op in ("<", "<=", ">", ">=", "==") for c in parts)
    if simple and own.isdisjoint(x.word for x in node.leaves):
        claim = claim_about(reading, "holds", " and ".join(form.text(c) for c in parts))
    else:
        claim = claim_about(reading, "bounded", zero_where(form, node, form.guard))
    return Obligation(title, "hint", hint.span, claim, doubt=doubt)


def divisors(reading: Reading) -> Iterator[Obligation]:
    """That nothing is divided by 0, and nothing rounds in another direction than it seems to."""
    places = (d for d in reading.kernel.divisors.values() if may_be_bad(reading, d))
    return (about_divisor(reading, d) for d in places)


def counts(reading: Reading) -> Iterator[Obligation]:
    """That no shift is out of range."""
    rows = reading.kernel.shifts.items()
    return (about_shift(reading, count, bits, span) for (count, bits), span in rows)


def others(reading: Reading) -> Iterator[Obligation]:
    """What else the language leaves undefined otherwise."""
    return (about_demand(reading, d) for d in reading.kernel.demands)


def hints(reading: Reading) -> Iterator[Obligation]:
    """That what the kernel tells the compiler is true."""
    return (about_hint(reading, one) for one in reading.kernel.hints)
