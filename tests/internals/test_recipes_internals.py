"""Properties of internal modules; `tests/test_recipes.py` tests the public interface."""

from __future__ import annotations

from test_recipes import PROOF

from symlayout.certificate.solvers import answers


def test_the_rule_of_the_exercise_is_proved_by_both_solvers() -> None:
    assert set(answers(PROOF.text).values()) == {"unsat"}
