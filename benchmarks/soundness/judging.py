"""A verdict beside brute force: what is enumerated, and what may not be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from soundness.arithmetic import Env, holds, names_in
from soundness.truth import MOST, Any_, Failure, TooMany, Truth
from symlayout.errors import LayoutError

LIMIT = 24  # sizes with a product up to this are enumerated (0 counts as 1) ...
LARGEST = 64 * LIMIT  # ... or up to this, where facts exclude the smaller ones
ENOUGH = 40
ASSIGNMENTS = 400
ELEMENTS = 40_000
RAW = 40_000
LEAST = re.compile(r"\s*(\w+)\s*(>=|>|==)\s*(-?\d+)\s*")
FIRST = re.compile(r"\s*(-?\d+)\s*(<=|<)\s*(\w+)\b(?!\s*[-+*/%(])")
LARGER = "(smaller sizes may fail as well)"
FORGIVEN = ("SL202",)  # a claim that divides by zero is an error of its own

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


def ask(claim: Claim) -> Any:
    """The prover's verdict."""
    from symlayout import prove

    return getattr(prove, claim.word)(*claim.args, where=list(claim.facts), **claim.options)


def judge(claim: Claim, certificates: bool = False, ask: Ask = ask) -> Outcome:
    """The verdict, and whether the definitions bear it out."""
    try:
        verdict = ask(claim)
    except LayoutError as error:
        return Outcome("error", "" if error.code in FORGIVEN else f"{error.code}: {error.message}")
    except Exception as crash:  # a crash is a finding, not the end of the campaign
        return Outcome("error", f"crash: {type(crash).__name__}: {crash}")
    names, facts = all_names(claim), (*claim.facts, *claim.truth.implied)
    env, count, bound = enumerated(names, facts, claim.truth)
    failing = None
    while count:
        try:
            wrong = claim.truth.fails(env, count)
        except TooMany:  # more elements than were expected: fewer assignments
            count, bound = count // 2, 0
            env = {n: c[:count] for n, c in env.items()}
            continue
        if wrong.any():
            n = int(np.argmax(wrong))
            failing = {name: int(env[name][n]) for name in names}
        break
    status, problem = verdict.status, ""
    if status == "proved" and failing is not None:
        problem = f"false at {failing}"
    elif status == "vacuous" and count:
        problem = f"the facts hold at { ({n: int(env[n][0]) for n in names}) }"
    elif status == "refuted":
        problem = refutation(claim, verdict, names, facts, failing, bound)
    certificate = ""
    if certificates and status == "proved" and not problem:
        certificate, problem = certificate_of(claim, verdict)
    return Outcome(status, problem, count, certificate)


def refutation(
    claim: Claim,
    verdict: Any,
    names: Sequence[str],
    facts: Sequence[str],
    failing: dict[str, int] | None,
    bound: int,
) -> str:
    """What is wrong with a refutation."""
    example = verdict.counterexample
    if set(example.sizes) != set(names):
        return f"the counterexample speaks of {list(example.sizes)}, the claim of {list(names)}"
    sizes = {n: int(example.sizes[n]) for n in names}
    one: Env = {n: np.array([v], dtype=object) for n, v in sizes.items()}
    if not all(holds(f, one, 1)[0] for f in facts):
        return f"the facts do not hold at its counterexample {sizes}"
    if any(v < low for v, low in zip(sizes.values(), lows(names, facts))):
        return f"the counterexample {sizes} has sizes below the least ones"
    try:
        if not claim.truth.fails(one, 1)[0]:
            return f"holds at its counterexample {sizes}"
        problem = shown(claim.truth.first(one), example)
    except TooMany:
        problem = ""
    if problem:
        return f"{problem} at {sizes}"
    if LARGER in verdict.reason or any(low < 0 for low in lows(names, facts)):
        return ""  # it does not say that it is the smallest
    if failing is not None and failing != sizes:
        return f"not the smallest: {sizes} after {failing}"
    if failing is None and prod(max(abs(v), 1) for v in sizes.values()) <= bound:
        return f"the counterexample {sizes} fails alone and not among the others"
    return ""


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
    from symlayout.recheck import recheck

    try:
        made = verdict.certificate
        if made is None:
            return "none", ""
        answer = recheck(json.loads(json.dumps(made)), claim.line)
    except Exception as crash:
        return "bad", f"the certificate crashes: {type(crash).__name__}: {crash}"
    if not answer.ok:
        return "bad", f"the certificate is turned down: {'; '.join(answer.failures)}"
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
    """The least value of each: 1, unless a fact gives another constant lower bound."""
    found: dict[str, list[int]] = {}
    for f in facts:
        for relation in re.split(r"\band\b", f):
            m = LEAST.fullmatch(relation)
            if m:
                found.setdefault(m[1], []).append(int(m[3]) + (m[2] == ">"))
            m = FIRST.match(relation)
            if m:
                found.setdefault(m[3], []).append(int(m[1]) + (m[2] == "<"))
    return [max(found.get(n, [1])) for n in names]


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
    names: Sequence[str], facts: Sequence[str], truth: Truth
) -> tuple[dict[str, Any], int, int]:
    """The first assignments that satisfy the facts, their number, and the product that is covered."""
    low = tuple(lows(names, facts))
    limit, bound = LIMIT, 0
    chosen: dict[str, Any] = {n: np.zeros(0, dtype=np.int64) for n in names}
    while limit <= LARGEST:
        made = assignments(low, limit)
        if made is None:
            break
        rows, products = made
        env = {n: rows[:, k] for k, n in enumerate(names)}
        keep = np.ones(len(rows), dtype=bool)
        for f in facts:
            keep &= holds(f, env, len(rows))
        chosen, bound, products = {n: c[keep] for n, c in env.items()}, limit, products[keep]
        if keep.sum() >= ENOUGH or not names:
            break
        limit *= 2
    count = len(next(iter(chosen.values()))) if names else int(bound > 0 and keep.all())
    if not count:
        return chosen, 0, bound
    spent = np.cumsum(np.maximum(truth.volume(chosen, count), 1))
    most = min(ASSIGNMENTS, int(np.searchsorted(spent, ELEMENTS, side="right")))
    most = max(most, int(spent[0] <= MOST))
    if most < count:
        bound = int(products[most]) - 1
    return {n: c[:most] for n, c in chosen.items()}, min(count, most), bound
