"""Z3 does not confirm a claim of which something has no value, though no result depends on it."""

from __future__ import annotations

import pytest

from symlayout import Claim, LayoutError, prove
from symlayout.certificate.confirm.claims import confirm

PART = "(1//(N%2))"  # has no value for even N
CLAIMS = [
    ("bounded", "(N):(1)", PART),
    ("bounded", "(N):(1)", f"N + 0*{PART}"),
    ("bounded", "(N):(1)", f"N + {PART} - {PART}"),
    ("bounded", "Vector(N)", f"max({PART}, {PART}) - {PART} + N"),
    ("bounded", f"map i < N, j < {PART}: i in N + {PART}"),
    ("bounded", f"strided f32[N] strides(1) offset 0*{PART}", "N"),
    ("injective", f"map i < N: i + 0*{PART}"),
    ("injective", f"strided f32[N,2] strides({PART},1)"),
    ("injective", f"strided f32[N,2] strides({PART},1) offset 0*{PART}"),
    ("onto", f"map i < {PART}: i in {PART}"),
    ("bijective", f"map i < {PART}: i in {PART}"),
    ("valid", f"f32[N,{PART}]"),
    ("valid", f"strided f32[N,2] strides({PART},1)"),
    ("broadcast", f"f32[N,{PART}]", f"f32[N,{PART}]"),
    ("tiles", "(N):(1)", PART),
    ("tiles", "f32[N]", f"2*{PART} + 1"),
    ("inverse", f"map i < N: i in N + 0*{PART}", "map i < N: i in N"),
    ("disjoint", f"map i < N: i + 0*{PART}", "map i < N: i + N"),
    ("fits", f"map i < N: i + 0*{PART}", "32"),
    ("instruction", f"f32[N,{PART}] add(f32[N,{PART}], f32[N,{PART}])"),
]


@pytest.mark.parametrize("facts", [("N == 0",), ("N == 2",), ("N >= 0", "N % 2 == 0", "N <= 4")])
@pytest.mark.parametrize("row", CLAIMS, ids=" ".join)
def test_what_has_no_value_is_not_confirmed(row: tuple[str, ...], facts: tuple[str, ...]) -> None:
    word, *arguments = row
    try:
        status = getattr(prove, word)(*arguments, where=list(facts)).status
        answer = confirm(Claim(word, tuple(arguments), (), facts))
    except LayoutError:
        return  # a text that can have no value at all is refused
    assert answer is not None
    assert status == "proved" or answer.status != "confirmed"


@pytest.mark.parametrize("row", CLAIMS, ids=" ".join)
def test_where_it_has_a_value_the_claim_is_judged(row: tuple[str, ...]) -> None:
    word, *arguments = row
    facts = ("N % 2 == 1",)
    status = getattr(prove, word)(*arguments, where=list(facts)).status
    answer = confirm(Claim(word, tuple(arguments), (), facts))
    assert answer is not None
    assert (status, answer.status) != ("proved", "disagrees")
    assert (status, answer.status) != ("refuted", "confirmed")
