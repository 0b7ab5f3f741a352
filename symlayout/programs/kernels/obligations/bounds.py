"""In bounds: the place of every access is in its array."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from symlayout.errors import LayoutError
from symlayout.programs.kernels.access import Access
from symlayout.programs.kernels.coordinates import Array
from symlayout.programs.kernels.nodes import both
from symlayout.programs.kernels.obligations.beneath import beneath
from symlayout.programs.kernels.obligations.claims import claim_about
from symlayout.programs.kernels.obligations.places import map_of, title_of
from symlayout.programs.kernels.obligations.reading import Obligation, Reading


def about_place(reading: Reading, access: Access, array: Array) -> Obligation:
    """That an access is in its array, in every turn of its loops."""
    title = f"in bounds: {title_of(access)}"
    bare = {x.word for x in access.offset.unknowns - access.guard.leaves}
    doubt = access.doubt
    for r in access.ranges:
        if r.word in bare and r.high.op == "num" and r.low.op == "num":
            why = f"the place depends on what was {r.loaded}: the contract may say `below SIZE`"
            doubt = doubt or f"{why} of it"
    try:
        text, _ = map_of(reading, reading.form(_with_turns(access)), array)
    except LayoutError as error:
        return Obligation(title, "bounds", access.span, None, error.message)
    claim = claim_about(reading, "bounded", text)
    return Obligation(title, "bounds", access.span, claim, doubt=doubt, accesses=(access,))


def _with_turns(access: Access) -> Access:
    """The access with what the conditions of its loops say: true in every turn."""
    return replace(access, guard=reduce(both, [r.within for r in access.ranges], access.guard))


def every(reading: Reading) -> Iterator[Obligation]:
    """That each access is in its array."""
    for access in reading.kernel.accesses:
        if access.array in reading.arrays:
            one = about_place(reading, access, reading.arrays[access.array])
            yield replace(one, rests=beneath(reading, access))
        else:
            title = f"in bounds: {title_of(access)}"
            why = f"the contract says nothing of {access.array}: `{access.array} is LAYOUT`"
            yield Obligation(title, "bounds", access.span, None, why)
