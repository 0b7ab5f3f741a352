"""An answer about sizes does not depend on what was asked before."""

from __future__ import annotations

from symlayout import prove
from symlayout.digits.sizes import SizeReasoner
from symlayout.expr.facts import Facts


def test_each_reasoner_has_its_own_context_of_z3() -> None:
    one, two = (SizeReasoner(Facts.read(["M >= -9"]), ("M",)) for _ in range(2))
    assert one._solver.ctx is not two._solver.ctx


def test_a_hard_question_has_one_answer_whatever_came_before() -> None:
    facts = ["M >= -9", "N >= -9"]
    answers = []
    for k in range(6):
        for n in range(k):
            prove.broadcast(f"f32[A{n},1,3]", f"f32[1,B{n},3]", where=f"A{n} + B{n} >= {k}")
        answers.append(prove.holds("M*M*N*N >= 0", where=facts).status)
    assert len(set(answers)) == 1
