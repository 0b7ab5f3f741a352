"""The recheck: sound arithmetic, no step that does not follow, nothing of the prover."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import certificates as campaign
import pytest

from symlayout import prove, recheck

ROOT = Path(__file__).parent.parent

CHECKER = ROOT / "symlayout" / "certificate"


def test_what_checks_steps_is_short():
    texts = [(CHECKER / f"{n}.py").read_text() for n in ("state", "kernel")]
    assert sum(len(t.splitlines()) for t in texts) <= 460


def test_c_division_by_negative_numbers():
    wrong = prove.formula("strided f32[N] strides(1)", "0 - (2*i+1)/(0-2) - 1")
    right = prove.formula("strided f32[N] strides(1)", "0 - (2*i+1)/(0-2)")
    assert wrong.refuted
    assert wrong.counterexample.left != wrong.counterexample.right
    assert right.proved
    assert recheck(right.certificate).ok


@pytest.mark.parametrize("given", [{}, {"format": 1}, {"claim": []}, {"facts": "N"}])
def test_what_is_no_certificate(given):
    assert not recheck(given).ok


@pytest.mark.explore
def test_mutants():
    originals = campaign.certificates()
    seen, wrong = campaign.campaign(1500, 7, originals)
    assert not wrong
    assert seen["rejected"] > 900
    assert seen["rejected"] == seen["rejected, with the step's name"]


def test_small_maps_by_brute_force():
    """Random strided maps: what a certificate says is injective or onto, is."""
    for strides in product((0, 1, 2, 3, 6), repeat=2):
        text = f"strided f32[3,2] strides({strides[0]},{strides[1]})"
        held = [strides[0] * a + strides[1] * b for a in range(3) for b in range(2)]
        for word, true in (
            ("injective", len(set(held)) == 6),
            ("onto", set(held) == set(range(max(held) + 1))),
        ):
            verdict = getattr(prove, word)(text)
            assert verdict.proved == true
            if true:
                assert recheck(verdict.certificate).ok
            else:
                assert verdict.certificate is None


def test_the_options_of_a_claim_are_compared_in_any_order():
    made = prove.broadcast("f32[M,N]", "f32[N]", dims="1", dialect="xla").certificate
    asked = 'broadcast "f32[M,N]" "f32[N]"'
    assert recheck(made, f"{asked} --dims 1 --dialect xla").ok
    assert recheck(made, f"{asked} --dialect xla --dims 1").ok
    for other in ("--dims 1", "--dims xla --dialect 1", "--dialect xla --dims 0"):
        assert not recheck(made, f"{asked} {other}").ok


LOADED = """
import json, sys
from symlayout import recheck
assert all(recheck(c).ok for c in json.load(sys.stdin))
print(sorted(n for n in sys.modules if n.startswith(tuple(sys.argv[1:]))))
"""


def test_a_recheck_does_not_load_the_prover():
    """Neither the digit engine, the prover, the algebra of CuTe, nor what writes certificates."""
    rooms = [f"symlayout.{n}" for n in ("digits", "prove", "tla", "render", "checks")]
    rooms += [
        f"symlayout.certificate.{n}"
        for n in ("author", "writer", "witness", "ledger", "elaborator")
    ]
    command = [sys.executable, "-c", LOADED, *rooms]
    text = json.dumps(campaign.certificates())
    answer = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
