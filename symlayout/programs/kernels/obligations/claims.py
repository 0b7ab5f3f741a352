"""Claims about a kernel with what is known of their names, and how they are answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from symlayout.errors import LayoutError
from symlayout.expr.machine import INT64, UINT64
from symlayout.expr.term import Term
from symlayout.expr.ties import ties
from symlayout.hooks import hook
from symlayout.layouts.claim import Claim, definitions, names_in, with_names
from symlayout.layouts.maps.terms import MapText, Part
from symlayout.programs.kernels.assumptions import blocks_of
from symlayout.programs.kernels.forms import Form
from symlayout.programs.kernels.nodes import name, num
from symlayout.programs.kernels.obligations.reading import Reading
from symlayout.programs.kernels.policy import BLOCK
from symlayout.text.patterns import regex

NAME = regex(r"[A-Za-z_]\w*")
ALONE = " by one thread"


def claim_about(
    reading: Reading,
    word: str,
    *texts: str,
    typed: bool = False,
    sized: bool = False,
    more: tuple[str, ...] = (),
    as_map: str = "",
) -> Claim:
    """The claim with what is known of its names beside the contract's own facts.

    A name that facts tie to the claim's own is named in it, so that those facts count: of a layout
    in the map that it is.  What is `typed` or `sized` is claimed under the assumptions as well.
    """
    kernel, own, assumed = reading.kernel, reading.facts, reading.assumed
    blocks = blocks_of(kernel)
    names = {n for t in (*texts, *more) for n in NAME.findall(t)}
    zero = [n for n in kernel.flags if not any(r.names == {n} for r in own.relations)]

    def limit(n: str) -> int | None:
        """The most that a name can be, where no fact says so: `fits` asks alone."""
        high = own.domain(n).high
        if n in kernel.most:
            return kernel.most[n] if high is None or high > kernel.most[n] else None
        if not (typed or sized) or high is not None:
            return None
        ends = [assumed.sizes.get(n), kernel.most_of(n), BLOCK if n in blocks else None]
        return min((e for e in ends if e is not None), default=None)

    links = ties(names, own.at_least((n, 0) for n in zero), limit)
    names |= links.others | links.equal
    facts = [*more, *links.consequences]
    for n in dict.fromkeys((*kernel.parameters, *assumed.sizes)):
        if n not in names:
            continue
        if n in zero:
            facts.append(f"{n} >= 0")
        if (most := limit(n)) is not None:
            facts.append(f"{n} <= {most}")
    text_names = {n for t in texts for n in names_in(t)}
    others = sorted(links.others | {n for t in more for n in names_in(t)} - text_names)
    unseen = [n for n in others if typed and n not in kernel.parameters]
    open_names = [n for n in unseen if own.domain(n).high is None and limit(n) is None]
    facts += [f"{n} <= {2**63 - 1}" for n in open_names]
    if typed:
        facts += assumed.of_launch(texts[0], names)
    if sized:
        facts += [f for f in assumed.arrays if names_in(f) <= names]
    if others and as_map:
        texts = (as_map,)
    mentions = {n: name(n) for n in others}
    for n in [n for n in others if typed and (n in unseen or n in kernel.wide)]:
        mentions[n] = name(n, UINT64 if n in kernel.unsigned else INT64)
    return Claim(word, _with_mentions(word, texts, mentions), (), tuple(facts))


def _with_mentions(
    word: str, texts: tuple[str, ...], mentions: Mapping[str, Term]
) -> tuple[str, ...]:
    """The texts of a claim with these names mentioned in their types, in maps of terms as terms."""
    lets = definitions(texts, {n: t.text(typed=True) for n, t in mentions.items()})
    first, *rest = with_names(word, texts, {n: t for n, (_, t) in lets.items()})
    if mentions and isinstance(texts[0], MapText):
        own = [(lets[n][0], t.written(typed=True)) for n, t in mentions.items()]
        first = texts[0].with_lets(first, own)
    return (first, *rest)


def is_proved(reading: Reading, claim: Claim) -> bool:
    """Whether a claim is proved under the contract's facts."""
    return status_of(reading, claim, 0) == "proved"


def status_of(reading: Reading, claim: Claim, threads: int) -> str:
    """What the verdict is under the contract's facts; a cache keeps the answer.

    Of two coordinates that collide it tells whether they are `ALONE` of one thread: so many numbers.
    """
    own = {*NAME.findall(" ".join(claim.texts))}
    facts = (*[str(r) for r in reading.facts.relations if r.names <= own], *claim.facts)
    under = replace(claim, facts=tuple(dict.fromkeys(facts)))

    def answer() -> str:
        try:
            verdict = hook("verdict")(under)
        except LayoutError:
            return "error"
        c = verdict.counterexample
        alone = c is not None and c.other is not None and c.coords[:threads] == c.other[:threads]
        return f"{verdict.status}{ALONE if alone else ''}"

    return reading.remember(f"verdict\0{under} {threads}", answer)


def zero_where(form: Form, c: Term, guard: Iterable[Term], text: str = "") -> MapText:
    """A map in a box of one place: to 0 where the condition is true, else to 1; `text` is its text."""
    case = Term("where", (c.written(form.lanes), num(0).written(), num(1).written()))
    result = Part(f"(0 if {text or form.text(c)} else 1)", case)
    return form.map([result], guard, [form.part(num(1))])


def both_of(a: Term, b: Term) -> Term:
    """Both conditions, as they are written."""
    return Term("and", (a, b))
