"""Verdicts: proved, refuted with a counterexample, unknown with a reason, or vacuous."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NoReturn

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
    which reshape a bitcast is); `certificate` can be checked again without the prover.
    """

    status: str
    claim: str
    reason: str
    counterexample: Counterexample | None = None
    details: dict[str, Any] = field(default_factory=dict)
    certificate: dict[str, Any] | None = None
    seconds: float = 0.0

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

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is neither true nor false: ask verdict.proved or .refuted")

    def __str__(self) -> str:
        return f"{self.status}: {self.claim}\n  {self.reason}"
