"""Verdicts: proved, refuted with a counterexample, unknown with a reason, or vacuous."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, get_args

from symlayout.expr.outward import keywords, public
from symlayout.hooks import Shown, hook
from symlayout.layouts.claim import Claim, fact_words
from symlayout.prove import scope
from symlayout.text.escape import shell
from symlayout.text.once import cached_property

Status = Literal["proved", "refuted", "unknown", "vacuous"]
STATUSES: tuple[Status, ...] = get_args(Status)
SMALLER = "may fail as well)"  # a refutation that says so need not be the smallest


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


@keywords
@dataclass(frozen=True)
class Verdict(Shown):
    """The answer to a claim.

    `status` is "proved", "refuted", "unknown" or "vacuous"; `reason` is for people; `counterexample`
    goes with "refuted"; `details` holds what a claim reports beside its verdict (a result shape,
    which reshape a bitcast is); `certificate` can be checked again without the prover, and is made
    when it is first asked for.
    """

    status: Status
    _claim: str  # where no source spells it: that can take longer
    reason: str
    counterexample: Counterexample | None = None
    _details: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    # the claim as it was asked, or its certificate
    source: Claim | dict[str, Any] | None = field(default=None, compare=False, repr=False)
    least: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    details = public("_details", "What the claim reports beside its verdict.")

    def __post_init__(self) -> None:
        assert self.status in STATUSES, self.status
        assert (self.counterexample is not None) == (self.status == "refuted"), self

    def __repr__(self) -> str:
        names = ("status", "claim", "reason", "counterexample", "_details", "seconds")
        parts = [f"{n.removeprefix('_')}={getattr(self, n)!r}" for n in names]
        return f"{type(self).__qualname__}({', '.join(parts)})"

    @property
    def claim(self) -> str:
        """The claim's text, spelled from what was asked."""
        return self.source.quoted if isinstance(self.source, Claim) else self._claim

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
        parts = self._details.get("by") == "parts"
        return hook("certificate")(self.source, parts)  # type: ignore[no-any-return]

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is neither true nor false: ask verdict.proved or .refuted")

    @property
    def scope(self) -> str:
        """The sizes for which a proof holds: their names, each with the least value.

        >>> from symlayout import prove
        >>> prove.injective("(M,N):(S,1)", where="S >= N").scope
        ' for all M, N, S >= 1'
        """
        return scope.text(self.least) if self.proved else ""

    @property
    def command(self) -> str:
        """The command line that asks the same, facts included.

        >>> from symlayout import prove
        >>> print(prove.injective("(M,N):(N,1)", where="M > 1").command)
        symlayout prove injective '(M,N):(N,1)' --where 'M > 1'
        """
        question = self.source if isinstance(self.source, Claim) else self.claim
        return f"symlayout prove {question}"

    def __str__(self) -> str:
        facts = self.source.facts if isinstance(self.source, Claim) else ()
        text = "".join(f" {shell(fact_words(str(f)))}" for f in facts)
        return f"{self.status}{self.scope}: {self.claim}{text}\n  {self.reason}"


def left_open(claim: Claim, reason: str) -> Verdict:
    """The verdict on a claim whose text says less than what is asked."""
    return Verdict("unknown", claim.quoted, reason, source=claim)


def may_fail(sizes: Mapping[str, int]) -> str:
    """What a reason says of a counterexample that need not be the smallest."""
    return f" (smaller {'sizes' if sizes else 'places'} {SMALLER}"
