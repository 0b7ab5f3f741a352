"""A prover that decides one thing wrongly: Z3 does not confirm the false claims that it then proves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SUPPORT = Path(__file__).parent / "support"
REACHED, PROVED = 100, 40  # decisions that false claims ask for; flips by which one is proved


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """What becomes of false claims with each decision flipped."""
    done = subprocess.run(
        [sys.executable, str(SUPPORT / "flips.py")],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
        env={**os.environ, "PYTHONPATH": str(SUPPORT)},
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.explore
def test_no_flipped_decision_leads_to_a_confirmed_false_claim(rows: list[dict[str, Any]]) -> None:
    wrong = {row["decision"]: row["confirmed"] for row in rows if row["confirmed"]}
    assert wrong == {}
    reached = [row for row in rows if row["answers"]]
    proved = [row for row in reached if any(answer[0] for answer in row["answers"])]
    assert len(reached) >= REACHED
    assert len(proved) >= PROVED  # else flips change nothing, and the test shows nothing
