"""Provers that decide one thing wrongly: `python flips.py` prints what becomes of false claims.

Each function of the prover and of the engine that decides something is replaced by its contrary, one
at a time, in a process of its own. A decision is a `bool`, or says whether an attempt or a verdict is
a proof.
False claims are then judged as `check` judges them, with Z3's own check.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from types import ModuleType, SimpleNamespace
from typing import Any

import symlayout.digits
import symlayout.prove
from symlayout import Claim
from symlayout.certificate.confirm.queries import CONFIRMED
from symlayout.checks import checker
from symlayout.checks.result import Task
from symlayout.digits.placement import Attempt

WORDS = ("bool", "bool | None", "Attempt", "Attempt | None", "Verdict")
DRAWN, SEED = 160, 77  # random claims of which the false ones are judged
EACH = 3  # claims that are judged with one decision flipped
SECONDS = 2  # of processor time; a prover that loops says nothing


class Decision(SimpleNamespace):
    """A function that decides something: where it is, and its annotation of what it returns."""

    owner: Any
    name: str
    function: Callable[..., Any]
    word: str

    @property
    def text(self) -> str:
        return f"{self.function.__module__}.{self.function.__qualname__}"


def decisions() -> list[Decision]:
    """All functions and methods of the prover and the engine that return a decision."""
    results = []
    for package in (symlayout.prove, symlayout.digits):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(info.name)
            for owner in [module, *classes(module)]:
                for name, value in vars(owner).items():
                    f = value.fget if isinstance(value, property) else value
                    word = getattr(f, "__annotations__", {}).get("return")
                    if word in WORDS and callable(f) and f.__module__ == info.name:
                        results.append(Decision(owner=owner, name=name, function=f, word=word))
    return results


def classes(module: ModuleType) -> Iterator[type]:
    for value in vars(module).values():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            yield value


def contrary(answer: Any, word: str) -> Any:
    """The other answer; a verdict or an attempt that is missing is a proof."""
    if word.startswith("bool"):
        return not answer
    if word == "Verdict":
        return replace(answer, status="proved", counterexample=None)
    if answer is None:
        return Attempt(True, "flipped")
    return replace(answer, proved=not answer.proved, goals=None)


@contextmanager
def instead(d: Decision, function: Callable[..., Any]) -> Iterator[None]:
    """The function in the place of a decision, by all names that modules have for it."""
    owners = [d.owner] if inspect.isclass(d.owner) else ours()
    places = [(o, n) for o in owners for n, v in vars(o).items() if stands_for(v, d)]
    before = [vars(o)[n] for o, n in places]
    for (owner, name), value in zip(places, before):
        setattr(owner, name, property(function) if isinstance(value, property) else function)
    try:
        yield
    finally:
        for (owner, name), value in zip(places, before):
            setattr(owner, name, value)


def ours() -> list[ModuleType]:
    return [m for name, m in list(sys.modules.items()) if name.startswith("symlayout")]


def stands_for(value: Any, d: Decision) -> bool:
    return value is d.function or (isinstance(value, property) and value.fget is d.function)


def false_claims() -> list[Claim]:
    """The table of false claims, and random ones that plain integers refute."""
    from false_claims import FALSE
    from soundness.claims import claim
    from soundness.judging import judged

    results = [Claim(word, arguments, (), facts) for word, arguments, facts in FALSE]
    for n in range(DRAWN):
        drawn = claim(SEED, n)
        if drawn.word in CONFIRMED:
            verdict = judged(drawn, SimpleNamespace(status="proved"))[0]
            if verdict.startswith("false"):
                options = tuple(drawn.options.items())
                results.append(Claim(drawn.word, drawn.args, options, drawn.facts))
    return results


def is_confirmed(claim: Claim) -> tuple[bool, bool]:
    """Whether the claim is proved, and whether Z3 confirms it."""
    outcome = checker.judge(Task("flipped", claim, solver="z3"))
    proved = outcome.status == "proved" or "Z3 has a counterexample" in str(outcome.problem)
    return proved, (outcome.confirmed or {}).get("status") == "confirmed"


def callers(every: list[Decision], claims: list[Claim]) -> dict[str, list[int]]:
    """The claims whose judgement asks for a decision, those that are judged soonest first."""
    asked = dict[str, list[tuple[float, int]]]()
    for k, claim in enumerate(claims):
        now = time.process_time()
        hits = set[str]()
        with noted(every, hits):
            checker.judge(Task("as it is", claim))
        seconds = time.process_time() - now
        for text in hits:
            asked.setdefault(text, []).append((seconds, k))
    return {text: [k for _, k in sorted(rows)[:EACH]] for text, rows in asked.items()}


@contextmanager
def noted(every: list[Decision], hits: set[str]) -> Iterator[None]:
    """Notes which decisions are asked for."""

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and (text := codes.get(frame.f_code)):
            hits.add(text)

    codes = {getattr(inspect.unwrap(d.function), "__code__", None): d.text for d in every}
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def apart(task: Callable[[Callable[[Any], None]], None], seconds: int) -> list[Any]:
    """What a task says, in a process of its own: no answer of it is kept here."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.close(here)
        with os.fdopen(there, "w", buffering=1) as lines:
            task(lambda row: print(json.dumps(row), file=lines))
        os._exit(0)
    os.close(there)
    with os.fdopen(here) as lines:
        rows = [json.loads(line) for line in lines]
    os.waitpid(child, 0)
    return rows


def flipped(d: Decision, claims: list[Claim]) -> list[list[bool]]:
    """What becomes of the claims: whether each is proved, and whether Z3 confirms it."""
    original = d.function

    @wraps(original)
    def other(*args: Any, **options: Any) -> Any:
        return contrary(original(*args, **options), d.word)

    def judge(say: Callable[[Any], None]) -> None:
        with instead(d, other):
            for claim in claims:
                say(is_confirmed(claim))

    return apart(judge, SECONDS)


def main() -> None:
    """Prints a line for each decision: its name, and for each claim (proved, confirmed)."""
    every, claims = decisions(), false_claims()
    (known,) = apart(lambda say: say(callers(every, claims)), 10 * SECONDS)
    assert is_confirmed(Claim("bounded", ("f32[M,N]",))) == (True, True)  # Z3 is loaded for all
    for d in every:
        asked = [claims[k] for k in known.get(d.text, ())]
        rows = flipped(d, asked) if asked else []
        texts = [str(c) for c, (_, confirmed) in zip(asked, rows) if confirmed]
        print(json.dumps({"decision": d.text, "answers": rows, "confirmed": texts}), flush=True)


if __name__ == "__main__":
    main()
