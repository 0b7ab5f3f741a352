"""What Z3 knows at a point of a case, or of the sizes of a world, and questions about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.certificate.cases import Case, World
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.maps import Branch
from symlayout.certificate.confirm.meanings import Formula, Meanings, Scope
from symlayout.certificate.confirm.solving import Budget
from symlayout.certificate.definitions import names_in
from symlayout.certificate.part import Part
from symlayout.expr.conditions import Condition
from symlayout.expr.facts import Relation
from symlayout.expr.tree import Expr
from symlayout.expr.whole import both, implied


class Place:
    """What is known at a point, or of sizes."""

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings
        self.known: dict[Any, Any] = {True: None}
        self.far: dict[int, Any] = {}  # of these, the facts, which are seldom needed
        self.count = 0

    def suppose(self, facts: Sequence[Relation], scope: Scope | None = None) -> None:
        """The facts of the sizes."""
        rows = [f for r in facts for f in self.meanings.relation(r, scope)]
        self.far = {f.z3.key: f.z3 for f in rows}
        self.know(rows)

    def know(self, formulas: Sequence[Formula]) -> None:
        """From now on the formulas hold."""
        self.known.update(formulas)

    def learn(self, part: Part, scope: Scope | None = None) -> None:
        """What a part shows, which holds where the names are in its box and its premises hold."""
        m = self.meanings
        where = m.inside(list(part.box.items()), scope)
        where += [f for r in part.premises for f in m.relation(r, scope)]
        rows = [[m.relation(r, scope) for r in goal] for goal in part.goals]
        if all(f.key in self.known for f in where):
            for goal in rows:
                if len(goal) == 1:
                    self.know(goal[0])
            return
        left = both([f.z3 for f in where], m.context)
        for (right,) in (goal for goal in rows if len(goal) == 1):
            formula = implied(left, both([f.z3 for f in right], m.context))
            self.known[formula.key] = formula

    def law(self, premises: Sequence[Any], conclusions: Sequence[Any]) -> None:
        """An instance of a law that Z3 has confirmed."""
        context = self.meanings.context
        formula = implied(both(premises, context), both(conclusions, context))
        self.known[formula.key] = formula

    def show(self, formulas: Sequence[Formula]) -> None:
        """Z3 confirms the formulas, all at once if it can; raises `NotConfirmed`."""
        self.count += len(formulas)
        missing = [f for f in formulas if f.key not in self.known]
        together = both([f.z3 for f in missing], self.meanings.context)
        if len(missing) > 1 and self.holds(together, Budget.HINT):
            self.know(missing)
        for f in missing:
            if f.key not in self.known:
                self.ask(f.z3)
                self.known[f.key] = f.z3

    def ask(self, goal: Any) -> None:
        """Z3's solver confirms a formula."""
        if not self.holds(goal, Budget.HINT) and not self.holds(goal, Budget.STEP):
            raise NotConfirmed("Z3 does not confirm", goal)

    def impossible(self) -> bool:
        """Whether Z3 confirms that there is no such point."""
        goal = self.meanings.number(0) >= 1
        return self.holds(goal, Budget.HINT) or self.holds(goal, Budget.STEP)

    def holds(self, goal: Any, budget: Budget) -> bool:
        """Whether Z3 confirms a formula, without the facts if that is enough."""
        near = [f for f in self.known.values() if f is not None and f.key not in self.far]
        every = [*near, *self.far.values()]
        rows = (near, every) if budget is Budget.HINT else (every,)
        return any(self.meanings.holds(hypotheses, goal, budget) for hypotheses in rows)

    def conditions(self, conditions: Sequence[Condition], scope: Scope | None = None) -> None:
        """From now on the conditions are true."""
        self.know([f for c in conditions for f in self.meanings.condition(c, scope)])

    def equal(self, a: Any, b: Any) -> None:
        """Z3 confirms that two terms are equal."""
        self.count += 1
        if a.key != b.key:
            self.ask(a == b)


def guards(m: Meanings, case: Case, scope: Scope | None = None) -> list[Formula]:
    """The guard and the premises of a case."""
    return [f for c in (*case.guard, *case.premises) for f in m.condition(c, scope)]


def points(m: Meanings, case: Case, scope: Scope | None = None) -> list[Formula]:
    """What holds at a point of a case and nowhere else."""
    box: list[tuple[str, Expr]] = [(x.name, d) for x, d in case.box]
    return [*m.inside(box, scope), *guards(m, case, scope)]


def check_names(w: World, case: Case, branch: Branch, new: Case) -> None:
    """New coordinates are those that the maps have, and a new case has no other names than they.

    Raises `NotConfirmed`.
    """
    old, names = ([x.name for x in c.coords] for c in (case, new))
    coords = sorted([*(set(old) - branch.back.keys()), *branch.forth])
    if sorted(names) != coords or not set(w.names).isdisjoint([*names, *old]):
        raise NotConfirmed("other coordinates than", ", ".join(coords))
    if not names_in(*new.expressions) <= {*w.names, *names}:
        raise NotConfirmed("a name without a meaning in a case")
    if new.ops != case.ops or len(new.results) != len(case.results):
        raise NotConfirmed("other claims of the results")
    if case.loose and not new.loose:
        raise NotConfirmed("a case that has more points than the domain")
