"""The lemmas that steps of certificates are instances of, proved by Z3 for all integers."""

from __future__ import annotations

from functools import cache, partial
from itertools import product

from symlayout.certificate.confirm.solving import Asker, Budget
from symlayout.certificate.proof import Law, laws
from symlayout.expr.facts import Relation
from symlayout.expr.reader import read_expression
from symlayout.expr.smt import Terms
from symlayout.expr.whole import integer

# Z3 has no 2**k for an unknown k: these two laws say what it is (their proofs: proofs/lemmas/);
# the laws of an operator that is nothing but its row are its definition as well
DEFINITIONS = frozenset(["power", "powers"])


@cache
def confirmed_law(name: str) -> bool:
    """Whether Z3 confirms that the premises of a law imply its conclusions, for all integers."""
    law = laws()[name]
    return all(_confirmed_conclusion(law, r) for r in law.conclusions)


def _confirmed_conclusion(law: Law, conclusion: Relation) -> bool:
    """With names for quotients and remainders, or else with Z3's own divisions."""
    for budget, named in product((Budget.CLAIM, Budget.LAW), (True, False)):
        asker = Asker()
        context = asker.context
        variables = {v: integer(v, context) for v in [*law.variables, *law.new]}
        naming = partial(integer, context=context) if named else None  # any names will do
        terms = Terms(variables, context, naming)
        hypotheses = [terms.relation(r) for r in law.premises]
        hypotheses += [variables[v] == terms(read_expression(t)) for v, t in law.new.items()]
        goal = terms.relation(conclusion)
        if asker.holds([*hypotheses, *terms.axioms], goal, budget) == "confirmed":
            return True
    return False
