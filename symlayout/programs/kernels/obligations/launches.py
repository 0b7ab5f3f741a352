"""Launch limits: no launch has more programs or threads than a device takes."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.programs.kernels.launch_limits import Limit, wider
from symlayout.programs.kernels.obligations.claims import claim_about, is_proved
from symlayout.programs.kernels.obligations.reading import Obligation, Reading


def about_launch(reading: Reading, limit: Limit) -> Obligation:
    """A launch keeps a limit; where that is not shown as it is, at the least divisors."""
    title = f"launch limit: {limit.what} is at most {limit.most:,}"
    sizes = [limit.size, wider(limit.size, lambda word: reading.facts.domain(word).first)]
    texts = dict.fromkeys(f"{n.text({})} <= {limit.most}" for n in sizes)
    claims = [claim_about(reading, "holds", text, sized=True) for text in texts]
    claim = claims[0]
    if len(claims) > 1 and not is_proved(reading, claim) and is_proved(reading, claims[1]):
        claim = claims[1]
    return Obligation(title, "launch", reading.launch, claim)


def every(reading: Reading) -> Iterator[Obligation]:
    """That each launch keeps the limits of its device."""
    return (about_launch(reading, limit) for limit in reading.assumed.demands)
