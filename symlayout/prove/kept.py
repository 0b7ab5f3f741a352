"""The last verdicts: a kernel's contract, a claim, and the claims that rest on it ask the same."""

from __future__ import annotations

from symlayout.layouts.claim import Claim
from symlayout.prove import verdict_of
from symlayout.prove.verdict import Verdict

VERDICTS = 128  # that are kept
_verdicts: dict[tuple[str, int | None], Verdict] = {}


def kept_verdict(claim: Claim, budget: int | None = None) -> Verdict:
    """The verdict on a claim within a budget of the solver; one of the last ones is not proved again.

    Raises `LayoutError` for bad input.
    """
    content = claim.key, budget
    if content not in _verdicts:
        verdict = verdict_of(claim, **({} if budget is None else {"budget": budget}))
        if len(_verdicts) >= VERDICTS:
            del _verdicts[next(iter(_verdicts))]
        _verdicts[content] = verdict
    return _verdicts[content]
