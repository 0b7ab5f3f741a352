"""Random conditions against brute force: `python benchmarks/conditions.py [--claims 2000] [--seed 0]`.

`when` is asked for the condition of random claims; each is compared with what the claim means in plain
integers, in a box that is larger than the one it was learned from.  Half of the claims have bounds for
some sizes.  A condition with a relation without which the claim is proved as well is reported.  Wrong
is: exact, but another answer at some sizes; sufficient, but false at sizes at which the condition is
true; necessary, but true at sizes at which it is false; vacuous, though sizes satisfy the facts; a
crash; a refused certificate.
Claim n depends on the seed and n alone.  Exits with 1 when anything is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np
from soundness import asking
from soundness.arithmetic import holds
from soundness.claims import claim as drawn
from soundness.judging import Claim, all_names, assignments, exactly, large, lows
from soundness.truth import TooMany

LIMIT = 420  # sizes with a product up to this ...
SPREAD = 900  # ... and so many that are spread out
FAR = (63, 64, 65, 127, 128, 129, 255, 256, 257, 384)
BATCH = 40
ELEMENTS = 250_000
HUNG = 60.0
BOUNDED = 0.5  # of the claims, and of the sizes of one, have bounds
BOUNDS = (40, 1000, 100000, 2**31 - 1)


@dataclass(frozen=True)
class Answer:
    """What came of one claim: the condition's strength, what is wrong, and how far it was looked at."""

    strength: str
    problem: str = ""
    seen: int = 0
    seconds: float = 0.0
    text: str = ""
    weaker: str = ""  # a condition that this one implies, and that is proved as well


def answered(claim: Claim, rng: random.Random, certificates: bool = False) -> Answer:
    """The condition of a claim, beside brute force."""
    start = time.process_time()
    try:
        made = asking.condition(claim.word, claim.args, claim.facts, claim.options)
    except Exception as error:
        known = asking.refusal(error)
        text = f"{type(error).__name__}: {error}"
        return Answer("error", "" if known else text, text=text)
    spent = time.process_time() - start
    problem, seen = compared(claim, made.strength, made.relations, rng)
    if certificates and not problem:
        problem = refused(made)
    weaker = "" if problem else shorter(claim, made.strength, made.relations, rng)
    return Answer(made.strength, problem, seen, spent, made.text, weaker)


def shorter(claim: Claim, strength: str, relations: list[list[str]], rng: random.Random) -> str:
    """A term without one of its relations, under which the claim is proved as well; or "".

    Of an exact condition such a relation is idle; a sufficient one is stronger than it has to be.
    """
    if strength not in ("exact", "sufficient"):
        return ""
    for term in relations:
        for r in term if len(term) > 1 else ():
            rest = [x for x in term if x != r]
            divisor = r.removesuffix(" != 0").removesuffix(" >= 1")
            if divisor != r and any(f"% {divisor}" in x or f"({divisor})" in x for x in rest):
                continue  # it says that the others have a value
            if compared(claim, "sufficient", [rest], rng)[0]:
                continue
            with contextlib.suppress(Exception):  # what divides by 0 without the relation
                facts = [*claim.facts, *rest]
                if asking.verdict(claim.word, claim.args, facts, claim.options).proved:
                    return " and ".join(rest)
    return ""


def bounded(claim: Claim, rng: random.Random) -> Claim:
    """The claim, half of the time with upper bounds for some of its sizes."""
    names = [n for n in all_names(claim) if rng.random() < BOUNDED]
    facts = [f"{n} <= {rng.choice(BOUNDS)}" for n in names]
    return replace(claim, facts=(*claim.facts, *facts)) if rng.random() < BOUNDED else claim


def compared(
    claim: Claim, strength: str, relations: list[list[str]], rng: random.Random
) -> tuple[str, int]:
    """What is wrong with a condition, and at how many assignments it was compared."""
    names = all_names(claim)
    exact = large(claim)
    seen, elements = 0, 0.0
    for env, count in boxes(names, claim, rng, exact):
        if strength == "vacuous":
            return f"the facts hold at {one(env, names, 0)}", 1
        if elements > ELEMENTS:
            break
        good = np.nonzero(~claim.truth.undefined(env, count))[0]
        if len(good):
            volumes = claim.truth.volume({n: c[good] for n, c in env.items()}, len(good))
            elements += float(np.maximum(volumes, 1).sum())
        try:
            wrong, open_ = claim.truth.fails(env, count), claim.truth.open(env, count)
        except (TooMany, OverflowError):
            continue
        meant = truth_of(relations, env, count)
        if strength in ("exact", "sufficient"):
            bad = meant & wrong & ~open_
            if bad.any():
                return f"fails at {one(env, names, int(np.argmax(bad)))}", seen
        if strength in ("exact", "necessary"):
            bad = ~meant & ~wrong & ~open_
            if bad.any():
                return f"holds at {one(env, names, int(np.argmax(bad)))}", seen
        seen += count
    return "", seen


def truth_of(relations: list[list[str]], env: dict[str, Any], count: int) -> Any:
    """Where the or of ands is true."""
    made = np.zeros(count, dtype=bool)
    for term in relations:
        here = np.ones(count, dtype=bool)
        for text in term:
            here &= holds(text, env, count)
        made |= here
    return made


def boxes(names: tuple[str, ...], claim: Claim, rng: random.Random, exact: bool) -> Any:
    """Assignments that satisfy the facts, a few at a time."""
    low = tuple(x - (n in claim.free and x == 1) for n, x in zip(names, lows(names, claim.facts)))
    limit = LIMIT
    while (made := assignments(low, limit)) is None and limit > 2:
        limit //= 2
    rows = np.zeros((1, 0), dtype=np.int64) if made is None else made[0]
    far = [
        [rng.choice(FAR) if rng.random() < 0.4 else x + rng.randrange(12) for x in low]
        for _ in range(SPREAD)
    ]
    if names:
        rows = np.concatenate([rows, np.array(far, dtype=np.int64).reshape(-1, len(names))])
    order = np.array(rng.sample(range(len(rows)), len(rows)))
    rows = rows[order]
    for start in range(0, len(rows), BATCH):
        part = rows[start : start + BATCH]
        env = {n: part[:, k] for k, n in enumerate(names)}
        if exact:
            env = exactly(env, len(part))
        keep = np.ones(len(part), dtype=bool)
        for f in claim.facts:
            keep &= holds(f, env, len(part))
        if keep.any():
            yield {n: c[keep] for n, c in env.items()}, int(keep.sum())


def one(env: dict[str, Any], names: tuple[str, ...], k: int) -> dict[str, int]:
    """One of the assignments."""
    return {n: int(env[n][k]) for n in names}


def refused(made: Any) -> str:
    """Why one of the certificates is turned down, "" where none is."""
    from soundness.asking import rechecked

    for verdict in (made.verdict_if, made.verdict_only_if):
        for case in [] if verdict is None else verdict.details.get("cases", [verdict]):
            faults = rechecked(case)
            if faults:
                return f"a certificate is turned down: {'; '.join(faults)}"
    return ""


def given_up(*_: object) -> None:
    """A claim that never ends is a finding too."""
    raise TimeoutError(f"no answer after {HUNG:.0f} s")


def main(arguments: list[str] | None = None) -> int:
    """Runs the comparison; 1 when anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--claims", type=int, default=2000, help="conditions to compare")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--certificates", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print every condition")
    o = parser.parse_args(arguments)
    signal.signal(signal.SIGPROF, given_up)
    counts: Counter[tuple[str, str]] = Counter()
    wrong, weaker, seconds, seen, n = 0, 0, [0.0], 0, o.first
    while sum(counts.values()) < o.claims:
        if n % 20 == 0:
            asking.forget()
        claim = bounded(drawn(o.seed, n), random.Random(f"bounds/{o.seed}/{n}"))
        signal.setitimer(signal.ITIMER_PROF, HUNG)
        answer = answered(claim, random.Random(f"box/{o.seed}/{n}"), o.certificates)
        signal.setitimer(signal.ITIMER_PROF, 0)
        counts[claim.word, answer.strength] += 1
        seconds.append(answer.seconds)
        seen += answer.seen
        weaker += bool(answer.weaker)
        if answer.weaker:
            print(f"WEAKER {n}: {claim}: {answer.text!r}, and {answer.weaker!r}", flush=True)
        if answer.problem:
            wrong += 1
            print(
                f"WRONG {n}: {claim}: {answer.strength} {answer.text!r}, {answer.problem}",
                flush=True,
            )
        elif o.verbose or answer.seconds > 5:
            print(
                f"{n} {answer.seconds:.2f} s: {claim}: {answer.strength} {answer.text}", flush=True
            )
        n += 1
    kinds = sorted({k for _, k in counts})
    print(f"{'word':12} " + " ".join(f"{k:>10}" for k in kinds))
    for word in sorted({w for w, _ in counts}):
        print(f"{word:12} " + " ".join(f"{counts[word, k]:10}" for k in kinds))
    print(
        f"{wrong} wrong of {o.claims}, {weaker} longer than proved; "
        f"compared at {seen} assignments, seed {o.seed}; "
        f"median {median(seconds):.2f} s, longest {max(seconds):.1f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
