"""`fits`: no value that the emitted formula computes on its way leaves integers of some width."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.intermediates import intermediates
from symlayout.prove.decide import as_map, claim_facts, map_names
from symlayout.prove.statement import Goal, Statement
from symlayout.prove.verdict import Verdict, certified

WIDEST = 1024


@certified
def fits(a: Any, bits: Any, *, where: Any = (), budget: int | None = None) -> Verdict:
    """Every intermediate value of the formula lies in `[-2**(bits-1), 2**(bits-1))`.

    The sizes and coordinates that the formula reads count as values.  A refutation shows the first
    value, in the order of computing, that leaves the range at the last coordinate.
    """
    m = as_map(a, "fits")
    width = read_bits(bits)
    facts = claim_facts(where, m)
    m = m.apart_from(facts.names)
    limit = 2 ** (width - 1)
    steps = intermediates(m.under(facts))
    note = f"at {{place}} the value of {{goal.left}} is {{left}}, beyond {width} bits"
    proof = f"all {len(steps)} values stay in [-2**{width - 1}, 2**{width - 1})"
    doubt = f"{{goal.left}} is not proved to fit {width} bits"
    goals = [
        Goal(step, op, end, note, (step, limit - 1), proof, doubt)
        for step in steps
        for op, end in ((">=", -limit), ("<=", limit - 1))
    ]
    return Statement(
        map_names(m), facts, goals, coords=m.coords, shape=m.shape, demands=m.demanded, ends=True
    ).decided(budget)


def read_bits(given: Any) -> int:
    """A number of bits, at least 2."""
    try:
        made = int(str(given))
    except ValueError:
        raise LayoutError(
            "SL502", f"a width is a number of bits such as 32, not {given!r}"
        ) from None
    if not 2 <= made <= WIDEST:
        raise LayoutError("SL502", f"a width is from 2 to {WIDEST} bits, not {made}")
    return made
