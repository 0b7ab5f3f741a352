"""Verdicts: proved, refuted with a counterexample, unknown with a reason, or vacuous."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, NoReturn, ParamSpec

from symlayout.claims import CLAIMS

STATUSES = ("proved", "refuted", "unknown", "vacuous")


@dataclass(frozen=True)
class Counterexample:
    """Where a claim fails: the sizes by name, the coordinates, and the two values that disagree.

    `other` is the second coordinate where two elements collide; `left` and `right` are numbers, or
    a short text where a side has no value (a division by zero, an offset that nothing hits).
    """

    sizes: dict[str, int]
    coords: tuple[int, ...]
    left: int | str | None
    right: int | str | None
    other: tuple[int, ...] | None = None
    note: str = ""

    def __str__(self) -> str:
        sizes = ", ".join(f"{n} = {v}" for n, v in self.sizes.items())
        parts = [sizes] if sizes else []
        if self.note:
            parts.append(self.note)
        return "; ".join(parts)


@dataclass(frozen=True)
class Verdict:
    """The answer to a claim.

    `status` is "proved", "refuted", "unknown" or "vacuous"; `reason` is for people; `counterexample`
    goes with "refuted"; `details` holds what a claim reports beside its verdict (a result shape,
    which reshape a bitcast is); `certificate` can be checked again without the prover, and is made
    when it is first asked for.
    """

    status: str
    claim: str
    reason: str
    counterexample: Counterexample | None = None
    details: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    # the claim as it was asked (word, arguments, options and facts), or its certificate
    source: tuple[Any, ...] | dict[str, Any] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        assert self.status in STATUSES, self.status
        assert (self.counterexample is not None) == (self.status == "refuted"), self

    @property
    def proved(self) -> bool:
        """Whether the claim holds for all sizes that satisfy the facts, and some do."""
        return self.status == "proved"

    @property
    def refuted(self) -> bool:
        """Whether there is a counterexample."""
        return self.status == "refuted"

    @cached_property
    def certificate(self) -> dict[str, Any] | None:
        """The proof as JSON, for `recheck`; None for a verdict that is not "proved"."""
        if self.source is None or not self.proved:
            return None
        if isinstance(self.source, dict):
            return self.source
        from symlayout.certificate import certificate

        return certificate(*self.source)

    def _repr_html_(self) -> str:
        from symlayout.draw.notebook import verdict_html

        return verdict_html(self)

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is neither true nor false: ask verdict.proved or .refuted")

    def __str__(self) -> str:
        return f"{self.status}: {self.claim}\n  {self.reason}"


P = ParamSpec("P")
KEY = inspect.Parameter.KEYWORD_ONLY


def certified(claim: Callable[P, Verdict], word: str = "") -> Callable[P, Verdict]:
    """A claim whose verdict remembers what was asked, so that a certificate can be made of it."""
    signature = inspect.signature(claim)
    name = word or claim.__name__
    named = {*CLAIMS[name].options, *[n for n, p in signature.parameters.items() if p.kind == KEY]}

    @wraps(claim)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Verdict:
        from symlayout.facts import Facts

        given = signature.bind(*args, **kwargs)
        given.arguments["where"] = facts = Facts.read(given.arguments.get("where", ()))
        verdict = claim(*given.args, **given.kwargs)
        values = {n: v for n, v in given.arguments.items() if n not in ("where", "budget")}
        arguments = [v for n, v in values.items() if n not in named]
        options = {n: v for n, v in values.items() if n in named}
        object.__setattr__(verdict, "source", (name, arguments, options, facts))
        return verdict

    return asked
