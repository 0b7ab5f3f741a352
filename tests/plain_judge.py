"""Claims at small sizes: which the facts allow, smallest first, and whether a claim holds there."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.certificate.enumeration import Room, holds_at
from symlayout.certificate.proof import Texts
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts

LIMIT = 24  # sizes with a product up to this are enumerated


def assignments(names: list[str], facts: Facts) -> Iterator[dict[str, int]]:
    """All allowed sizes with a product up to LIMIT (0 counts as 1), smallest first."""
    found: list[tuple[int, tuple[int, ...]]] = []

    def extend(values: tuple[int, ...], bound: int) -> None:
        if len(values) == len(names):
            if facts.holds(dict(zip(names, values))):
                found.append((bound, values))
            return
        low = facts.domain(names[len(values)]).low
        for v in range(max(low, 0), LIMIT // bound + 1):
            extend((*values, v), bound * max(v, 1))

    extend((), 1)
    for _, values in sorted(found):
        yield dict(zip(names, values))


def meant(claim: Claim, sizes: dict[str, int], texts: Texts) -> bool | None:
    """Whether the claim holds there, in plain integers; None where it has too many points."""
    try:
        return holds_at(claim, sizes, texts, Room())
    except LayoutError as error:
        if error.code in ("SL202", "SL403"):  # a division by zero; elements of different widths
            return False
        if error.code == "SL800":
            return None
        raise
