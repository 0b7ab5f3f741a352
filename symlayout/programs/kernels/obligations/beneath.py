"""On which claims those about an access rest: that nothing it is computed of wraps."""

from __future__ import annotations

from collections.abc import Iterable

from symlayout.programs.kernels.access import NOT_ZERO, Access
from symlayout.programs.kernels.obligations.demands import about_divisor
from symlayout.programs.kernels.obligations.overflows import of_access, of_ends
from symlayout.programs.kernels.obligations.reading import Beneath, Obligation, Reading

COMMON = 0  # all accesses: no identity of any


def beneath(reading: Reading, access: Access) -> Beneath:
    """The claims, each with its name; of each access they are made once."""
    if COMMON not in reading.beneath:
        places = [d for d in reading.kernel.divisors.values() if d.kind != NOT_ZERO]
        common = [about_divisor(reading, d) for d in places]
        reading.beneath[COMMON] = None, _claims([*common, *of_ends(reading)])
    if id(access) not in reading.beneath:
        own = _claims(of_access(reading, access))
        reading.beneath[id(access)] = access, (*own, *reading.beneath[COMMON][1])
    return reading.beneath[id(access)][1]


def _claims(every: Iterable[Obligation]) -> Beneath:
    return tuple((o.name, o.claim) for o in every if o.claim is not None)
