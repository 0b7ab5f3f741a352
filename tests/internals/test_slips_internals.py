"""Properties of internal modules; `tests/test_slips.py` tests the public interface."""

from __future__ import annotations

import pytest

import symlayout as sl
from symlayout import Claim
from symlayout.checks.hints import correction
from symlayout.checks.result import Task
from symlayout.expr.slips import BEHIND, HERE, slip


def test_code_is_not_asked_whether_its_exclusive_or_is_a_power():
    claim = Claim("bounded", ("map i < N: i ^ 2 in N*N",))
    assert "** for ^" in correction(Task("", claim))
    assert correction(Task("", claim, derived=True)) == ""


def test_what_is_no_slip_stays():
    assert sl.sizes(["M", "N"]) == sl.sizes("M N")
    assert sl.prove.bitcast("f32[M,N]", "f32[N,M]{0,1}", perm="(1,0)").proved
    assert str(sl.parse("f32[Mx,xN,max]").dims) == "(Mx, xN, max)"
    assert slip("f32[M,N]", 4, "expected ']'") is None


@pytest.mark.parametrize("row", [*HERE, *BEHIND], ids=lambda row: row[0].pattern)
def test_every_hint_says_what_to_write(row):
    pattern, help = row
    said = help if isinstance(help, str) else help(pattern.match(_example(pattern)))
    assert said.isascii()
    assert len(said) < 100


def _example(pattern):
    return next(
        t for t in ("1e3", "16x16", "2i", "1_000", "multiple of 4", "KiB") if pattern.match(t)
    )


@pytest.mark.parametrize("text", ["9" * 5000 + "x" + "9" * 5000, "2" + "i" * 9000, "1e" + "9" * 99])
def test_hints_are_short_whatever_is_written(text):
    said = slip(text, 0, "expected a number")
    assert said is None or len(said) < 100
