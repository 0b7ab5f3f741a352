"""Properties of internal modules; `tests/test_certificate_sides.py` tests the public interface."""

from __future__ import annotations

import pytest

from symlayout.certificate.exact import Rejected, Work, as_poly
from symlayout.certificate.kernel import Checker
from symlayout.certificate.proof import Defined
from symlayout.certificate.reading import nothing
from symlayout.expr.facts import Facts


@pytest.mark.parametrize("least", range(-3, 3))
@pytest.mark.parametrize("op", ["==", "<=", "<", ">=", ">", "!="])
def test_a_size_is_0_where_no_other_number_satisfies_the_facts(op, least):
    rows = [f"2*M {op} {least}", f"{least} {op} M", f"M*M {op} {least}", "M >= -2", "M < 3 - 2*M"]
    for k in range(1, 32):
        facts = Facts.read([r for n, r in enumerate(rows) if k >> n & 1])
        if nothing(facts.relations, Work()) == {"M"}:
            assert [m for m in range(-40, 40) if facts.holds({"M": m})] in ([0], [])


# -- what facts divide by -------------------------------------------------------------------------


def test_a_fact_of_the_claim_has_a_value_and_what_a_proof_adds_may_have_none():
    facts = Facts.read(["K >= -3", "8//K >= 1"]).relations
    of_claim = Checker(facts, ["K"], {}, frozenset(facts))
    of_claim.apply(Defined(1))
    assert list(of_claim.nonzero) == [as_poly("K")]
    for own in ((), frozenset(facts[:1])):
        with pytest.raises(Rejected, match="no fact 1 of the claim"):
            Checker(facts, ["K"], {}, own).apply(Defined(1))
    with pytest.raises(Rejected):
        of_claim.apply(Defined(2))


def test_a_branch_that_may_not_be_taken_divides_by_anything():
    facts = Facts.read(["K >= 0", "(8//K if K > 0 else 3) >= 1"]).relations
    checker = Checker(facts, ["K"], {}, frozenset(facts))
    checker.apply(Defined(1))
    assert not checker.nonzero
