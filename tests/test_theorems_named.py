"""Where a proof takes a theorem of `proofs/` as a shortcut, its reason says which one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symlayout import prove

PROOFS = Path(__file__).parent.parent / "proofs"


@pytest.mark.parametrize(
    ("word", "layout", "facts"),
    [
        ("injective", "bf16[M,N]{1,0:T(8,128)(2,1)}", ()),
        ("injective", "strided f32[M,N] strides(S,1)", ("S >= N",)),
        ("onto", "f32[M,N]{1,0}", ()),
        ("bijective", "f32[M,N]{1,0:T(8,128)}", ("M % 8 == 0", "N % 128 == 0")),
        ("valid", "zN(f16, R, C)", ()),
    ],
)
def test_mixed_radix_is_a_theorem_of_the_book(word, layout, facts):
    verdict = getattr(prove, word)(layout, where=list(facts))
    assert verdict.proved
    numbers = set(re.findall(r"theorem (\d+)", verdict.reason))
    assert numbers == {"12"}
    for number in numbers:
        (file,) = PROOFS.glob(f"{int(number):02}-*.layout.toml")
        assert "without carries" in file.read_text().lower() or "no carries" in file.read_text()
