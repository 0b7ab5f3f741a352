"""A verdict beside brute force: what is enumerated, and what may not be."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from soundness import asking, spots
from soundness.arithmetic import comparisons, holds, integers, names_in
from soundness.truth import EXACT, MOST, Any_, Failure, TooMany, Truth

LIMIT = 24  # sizes with a product up to this are enumerated (0 counts as 1) ...
LARGEST = 64 * LIMIT  # ... or up to this, where facts exclude the smaller ones
ENOUGH = 40
ASSIGNMENTS = 400
ELEMENTS = 40_000
RAW = 40_000
DIGITS = re.compile(r"\d+")
LARGER = "(smaller sizes may fail as well)"
FORGIVEN = ("SL202",)  # a text that divides by zero is an error of its own
NUMBERS = ("SL102", "SL107", "SL400")  # numbers in a text that no assignment can make a layout of

Ask = Callable[["Claim"], Any]


@dataclass(frozen=True)
class Claim:
    """What is asked, and what it means."""

    word: str
    args: tuple[str, ...]
    facts: tuple[str, ...]
    truth: Truth
    notation: str = "expression"
    options: dict[str, str] = field(default_factory=dict)
    free: tuple[str, ...] = ()  # names of a corner, which may be 0 as well

    @property
    def line(self) -> str:
        """The claim as a command line has it."""
        options = "".join(f" --{k} {v.replace(' ', ',')}" for k, v in self.options.items())
        return " ".join([self.word, *[f'"{a}"' for a in self.args]]) + options

    def __str__(self) -> str:
        options = "".join(f", {k}={v!r}" for k, v in self.options.items())
        args = ", ".join(map(repr, self.args))
        return f"prove.{self.word}({args}{options}, where={list(self.facts)!r})"


@dataclass(frozen=True)
class Outcome:
    """The verdict's status, what is wrong with it (or nothing), and how far it was looked at."""

    status: str
    problem: str = ""
    seen: int = 0  # assignments that satisfy the facts
    certificate: str = ""  # "ok", "none", or nothing where none was asked for
    verdict: Any = None


def ask(claim: Claim) -> Any:
    """The prover's verdict."""
    return asking.verdict(claim.word, claim.args, claim.facts, claim.options)


def judge(claim: Claim, certificates: bool = False, ask: Ask = ask) -> Outcome:
    """The verdict, and whether the definitions bear it out."""
    try:
        verdict = ask(claim)
    except Exception as error:  # a crash is a finding, not the end of the campaign
        code, message = asking.refusal(error) or ("crash", f"{type(error).__name__}: {error}")
        forgiven = code in FORGIVEN or (code in NUMBERS and never_defined(claim))
        forgiven = forgiven or (claim.word == "bytes" and is_negative(claim.args[1]))
        return Outcome("error", "" if forgiven else f"{code}: {message}")
    problem, seen = judged(claim, verdict)
    certificate = ""
    if certificates and verdict.status == "proved" and not problem:
        certificate, problem = certificate_of(claim, verdict)
    return Outcome(verdict.status, problem, seen, certificate, verdict)


def is_negative(text: str) -> bool:
    """Whether it is a number below 0, which is no number of bytes."""
    return not names_in(text) and int(integers(text, {})) < 0


def never_defined(claim: Claim) -> bool:
    """Whether the claim is undefined wherever the facts hold, as far as that is looked at.

    Where they contradict each other a text is refused for its numbers alone: undefined at any sizes.
    """
    for facts in (claim.facts, ()):
        env, count, _, _ = enumerated(all_names(claim), facts, claim.truth)
        part = {n: c[:count] for n, c in env.items()}
        if count:
            return bool(np.all(claim.truth.undefined(part, count)))
    return False


def judged(claim: Claim, verdict: Any) -> tuple[str, int]:
    """What is wrong with a verdict, and how many assignments were looked at."""
    try:
        return enumerated_and_judged(claim, verdict, large(claim))
    except OverflowError:
        return enumerated_and_judged(claim, verdict, True)


def enumerated_and_judged(claim: Claim, verdict: Any, exact: bool) -> tuple[str, int]:
    """The same with integers of 64 bits, or of any size."""
    names = all_names(claim)
    env, count, bound, some = enumerated(names, claim.facts, claim.truth, exact)
    first = {n: c[:1] for n, c in env.items()} if some else None
    if exact:
        env = exactly(env, count)
    failing = None
    while count:
        part = {n: c[:count] for n, c in env.items()}
        try:
            wrong = claim.truth.fails(part, count) & ~claim.truth.open(part, count)
        except TooMany:  # more elements than were expected: fewer assignments
            count, bound = count // 2, 0
            continue
        if wrong.any():
            failing = {n: int(part[n][int(np.argmax(wrong))]) for n in names}
        break
    if verdict.status == "proved" and failing is not None:
        return f"false at {failing}", count
    if verdict.status == "proved" and not count and first is not None:
        one = spots.alone(first)
        place = spots.sampled(claim.truth, one)
        if place is not None:
            return f"false at { ({n: int(one[n][0]) for n in names}) }, {place}", 1
    if verdict.status == "vacuous" and first is not None:
        return f"the facts hold at { ({n: int(first[n][0]) for n in names}) }", count
    if verdict.status == "refuted":
        return refutation(claim, verdict, names, failing, bound), count
    return "", count


def refutation(
    claim: Claim, verdict: Any, names: Sequence[str], failing: dict[str, int] | None, bound: int
) -> str:
    """What is wrong with a refutation."""
    example, facts = verdict.counterexample, claim.facts
    if not set(example.sizes) <= set(names):
        return f"the counterexample speaks of {list(example.sizes)}, the claim of {list(names)}"
    sizes = {n: int(v) for n, v in example.sizes.items()}
    for n in names:  # of which nothing depends on them: they cancel
        sizes.setdefault(n, max(1, lows([n], facts)[0]))
    one = spots.alone({n: [v] for n, v in sizes.items()})
    if not all(holds(f, one, 1)[0] for f in facts):
        return f"the facts do not hold at its counterexample {sizes}"
    least = dict(zip(names, lows(names, facts)))
    if any(v < least[n] - (n in claim.free) for n, v in sizes.items()):
        return f"the counterexample {sizes} has sizes below the least ones"
    if claim.truth.open(one, 1)[0]:
        return ""
    try:
        if not claim.truth.fails(one, 1)[0]:
            return f"holds at its counterexample {sizes}"
        if LARGER in verdict.reason and example.coords:  # nor the first place
            problem = spots.doubted(claim.truth, one, example)
        else:
            problem = shown(claim.truth.shown(one), example)
    except TooMany:
        problem = spots.doubted(claim.truth, one, example)
    if problem:
        return f"{problem} at {sizes}"
    if LARGER in verdict.reason or any(v < 0 for v in least.values()):
        return ""  # it does not say that it is the smallest
    if any(sizes[n] < least[n] for n in claim.free):
        return ""
    if failing is not None and failing != sizes:
        return f"not the smallest: {sizes} after {failing}"
    if failing is None and volume(sizes) <= bound:
        return f"the counterexample {sizes} fails alone and not among the others"
    return ""


def exactly(env: dict[str, Any], count: int) -> dict[str, Any]:
    """The assignments in integers of any size."""
    return {n: c.astype(object) for n, c in env.items()} | {EXACT: np.zeros(count, dtype=object)}


def large(claim: Claim) -> bool:
    """Whether numbers are written that 64 bits may not hold the products of."""
    return any(len(n) > 3 for text in (*claim.args, *claim.facts) for n in DIGITS.findall(text))


def volume(sizes: dict[str, int]) -> int:
    """The product of the sizes, 0 counting as 1."""
    return prod(max(abs(v), 1) for v in sizes.values())


def shown(first: Failure, example: Any) -> str:
    """What a counterexample shows that is not what there is."""
    if isinstance(first.coords, list):  # one of several ways to fail
        found = [shown(way, example) for way in first.coords]
        return "" if "" in found else "; ".join(found)
    for word in ("coords", "left", "right", "other"):
        wanted, given = getattr(first, word), getattr(example, word)
        if isinstance(wanted, Any_):
            continue
        if word in ("left", "right") and not isinstance(given, int):
            continue
        if wanted != given:
            return f"{word} should be {wanted}, not {given},"
    return ""


def certificate_of(claim: Claim, verdict: Any) -> tuple[str, str]:
    """Whether the certificate is there, and what is wrong with it."""
    try:
        made = verdict.certificate
        if made is None:
            return "none", ""
        own = made["claim"]["options"].get("formula") if made and claim.word == "fits" else None
        line = claim.line if own is None else f'{claim.line} --formula "{own}"'
        faults = asking.recheck(made, line, claim.facts)
    except Exception as crash:
        return "bad", f"the certificate crashes: {type(crash).__name__}: {crash}"
    if faults is not None:
        return "bad", f"the certificate is turned down: {'; '.join(faults)}"
    return "ok", ""


# -- sizes --------------------------------------------


def all_names(claim: Claim) -> tuple[str, ...]:
    """The claim's sizes in order, those that facts tie to a relation's, then the facts' others."""
    known = dict.fromkeys(claim.truth.names)
    parts = [names_in(f) for f in claim.facts]
    while claim.word == "holds":
        before = len(known)
        for part in parts:
            if set(part) & set(known):
                known.update(dict.fromkeys(sorted(part)))
        if len(known) == before:
            break
    return tuple(dict.fromkeys([*known, *sorted(n for part in parts for n in part)]))


def lows(names: Sequence[str], facts: Sequence[str]) -> list[int]:
    """The least value of each: 1, unless a fact about it alone gives another lower bound."""
    found: dict[str, list[int]] = {}
    for f in facts:
        for name, least in least_said(f):
            found.setdefault(name, []).append(least)
    return [max(found.get(n, [1])) for n in names]


@lru_cache(maxsize=8192)
def least_said(fact: str) -> tuple[tuple[str, int], ...]:
    """The lower bounds that a fact's comparisons give: those of sums of one name and numbers."""
    found = []
    for left, op, right in comparisons(fact):
        both = f"({left}) - ({right})"
        known = names_in(both)
        if len(known) != 1 or any(c in both for c in ("/", "%", ",", "<", "**")):
            continue
        values = [int(integers(both, {known[0]: x})) for x in range(-3, 4)]
        slope = values[1] - values[0]
        if slope == 0 or any(y - x != slope for x, y in pairwise(values)):
            continue
        base = values[3]  # slope * x + base, compared with 0
        if op in ("<", "<="):
            slope, base = -slope, -base
        if op == "!=" or (slope < 0 and op != "=="):
            continue
        if op == "==" and base % slope:
            found.append((known[0], LARGEST))  # no number at all
        else:
            found.append((known[0], -((base - (op in "<>")) // slope)))
    return tuple(found)


@lru_cache(maxsize=64)
def assignments(low: tuple[int, ...], limit: int) -> Any:
    """All tuples of at least those values with a product up to the limit, smallest first."""
    rows = np.zeros((1, 0), dtype=np.int64)
    bound = np.ones(1, dtype=np.int64)
    for first in low:
        values = np.arange(min(first, limit + 1), limit + 1)
        values = values[np.maximum(np.abs(values), 1) <= limit]
        sizes = np.maximum(np.abs(values), 1)
        order = np.argsort(sizes, kind="stable")
        allowed = np.searchsorted(sizes[order], limit // bound, side="right")
        if int(allowed.sum()) > RAW:
            return None
        here = np.repeat(np.arange(len(rows)), allowed)
        place = np.arange(len(here)) - np.repeat(np.cumsum(allowed) - allowed, allowed)
        rows = np.column_stack([rows[here], values[order][place]])
        bound = bound[here] * sizes[order][place]
    order = np.lexsort((*rows.T[::-1], bound))
    return rows[order], bound[order]


def enumerated(
    names: Sequence[str], facts: Sequence[str], truth: Truth, exact: bool = False
) -> tuple[dict[str, Any], int, int, bool]:
    """The first assignments that satisfy the facts, how many are looked at, and up to what product.

    Where one alone has too many elements none is looked at: whether there is one comes last.
    """
    low = tuple(lows(names, facts))
    limit, bound = LIMIT, 0
    chosen: dict[str, Any] = {n: np.zeros(0, dtype=np.int64) for n in names}
    while limit <= LARGEST:
        made = assignments(low, limit)
        if made is None:
            break
        rows, products = made
        env = {n: rows[:, k] for k, n in enumerate(names)}
        env = exactly(env, len(rows)) if exact else env
        keep = np.ones(len(rows), dtype=bool)
        for f in facts:
            keep &= holds(f, env, len(rows))
        chosen, bound, products = {n: c[keep] for n, c in env.items()}, limit, products[keep]
        chosen.pop(EXACT, None)
        if keep.sum() >= ENOUGH or not names:
            break
        limit *= 2
    count = len(next(iter(chosen.values()))) if names else int(bound > 0 and keep.all())
    if not count:
        return chosen, 0, bound, False
    volumes = np.ones(count)
    held = exactly(chosen, count) if exact else chosen
    good = np.nonzero(~truth.undefined(held, count))[0]
    if len(good):
        volumes[good] = truth.volume({n: c[good] for n, c in held.items()}, len(good))
    spent = np.cumsum(np.maximum(volumes, 1))
    most = min(ASSIGNMENTS, int(np.searchsorted(spent, ELEMENTS, side="right")))
    most = max(most, int(spent[0] <= MOST))
    if most < count:
        bound = int(products[most]) - 1
    return {n: c[: max(most, 1)] for n, c in chosen.items()}, min(count, most), bound, True
