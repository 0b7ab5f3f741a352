"""The same claim by other names, and with its facts in another order: no verdict may notice."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from soundness import asking
from soundness.arithmetic import WORD
from soundness.judging import LARGER, Claim, all_names, ask
from soundness.truth import Fits

# names that sort before and after each other in every way, and letters that notations use as well
NAMES = (
    *("a", "b", "Z", "E", "S", "I", "N", "M", "O", "Q", "beta", "alpha", "lambda_", "x1", "x10"),
    *("x2", "_n", "n_", "K", "P", "T", "L", "R", "C", "A9", "zz", "aa", "size", "pi", "e", "h2"),
    *("i", "j", "i0", "j1", "k"),
)
SIZE = re.compile(rf"{WORD.pattern}(?!\w|\()")  # no function, no property such as T(8,128)
COORDINATES = re.compile(r"[ijk]\d*")


def renamed(claim: Claim, table: Mapping[str, str]) -> Claim:
    """The claim with other names, in its texts and in its meaning."""

    def words(text: str) -> str:
        return SIZE.sub(lambda m: table.get(m[0], m[0]), text)

    def through(x: Any) -> Any:
        if isinstance(x, str):
            return words(x)
        if isinstance(x, tuple):
            return tuple(map(through, x))
        if is_dataclass(x) and not isinstance(x, type):
            return replace(x, **{f.name: through(getattr(x, f.name)) for f in fields(x) if f.init})
        return x

    kept = {o: v for o, v in claim.options.items() if o in ("language", "dialect")}
    made = replace(
        claim,
        args=through(claim.args),
        facts=through(claim.facts),
        truth=through(claim.truth),
        options={o: words(v) for o, v in claim.options.items()} | kept,
        free=through(claim.free),
    )
    return emitted_again(made)


def emitted_again(claim: Claim) -> Claim:
    """The claim about the code that is emitted for its names and facts, where it is about code."""
    if not isinstance(claim.truth, Fits):
        return claim
    lines, coords = asking.emitted(claim.args[0], claim.facts)
    return replace(claim, truth=replace(claim.truth, lines=lines, coords=coords))


def other_names(rng: random.Random, claim: Claim) -> dict[str, str]:
    """New names for all of a claim's names."""
    old = all_names(claim)
    pool = list(NAMES)
    if claim.word in ("formula", "fits"):  # whose texts have coordinates by these names
        pool = [n for n in pool if not COORDINATES.fullmatch(n)]
    given = claim.options.get("coords", "").split()
    return dict(zip(old, rng.sample([n for n in pool if n not in given], len(old))))


def turned(rng: random.Random, claim: Claim) -> Claim:
    """The claim with its facts in another order."""
    return emitted_again(replace(claim, facts=tuple(rng.sample(claim.facts, len(claim.facts)))))


def by_other_names(rng: random.Random, claim: Claim, verdict: Any) -> str:
    """How the answer changes with the names and with the order of the facts; "" if it does not."""
    table = other_names(rng, claim)
    asked = renamed(turned(rng, claim), table)
    try:
        found = difference(verdict, ask(asked), table)
    except Exception as error:
        found = f"{type(error).__name__} by other names: {error}"
    return f"{found}: {asked}" if found else ""


def difference(one: Any, other: Any, table: Mapping[str, str]) -> str:
    """How two verdicts of one claim by two sets of names differ; "" if they do not."""
    if one.status != other.status:
        return f"{one.status} here and {other.status} by other names"
    if one.status != "refuted" or LARGER in one.reason or LARGER in other.reason:
        return ""  # or it does not say that it is the smallest
    first = {table.get(n, n): v for n, v in one.counterexample.sizes.items()}
    second = dict(other.counterexample.sizes)
    return "" if first == second else f"refuted at {first} here and {second} by other names"
