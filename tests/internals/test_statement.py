"""A claim is a statement: a box, what is given, and goals; the rest is done for all of them alike."""

import pytest

from symlayout import parse
from symlayout.digits.bounds import Meter
from symlayout.expr.facts import Facts
from symlayout.expr.terms import Where
from symlayout.expr.tree import Integer, Symbol
from symlayout.prove.decide import _Decision
from symlayout.prove.measures import divides
from symlayout.prove.run import USUAL, Run
from symlayout.prove.search import as_arrays
from symlayout.prove.statement import MULTIPLE, Goal, Offset, Statement, let

M, N, i, j = map(Symbol, ("M", "N", "i", "j"))


def about(text: str, goal: Goal, facts: str = "", given: tuple[Goal, ...] = ()) -> Statement:
    m = parse(text).index_map()
    return Statement(
        m.symbols,
        Facts.read(facts or ()),
        [goal],
        coords=(i, j),
        shape=m._shape,
        offsets={"at": Offset(m, (i, j))},
        premises=given,
        demands=m.demanded,
    )


def test_a_new_word_is_a_goal():
    goal = Goal(let("at"), ">=", j, "{at} at {at.place} is less than {right}")
    assert about("f32[M,N]{1,0}", goal).decided().proved
    made = about("(M,N):(3,0)", goal).decided()
    assert made.counterexample.sizes == {"M": 1, "N": 2}
    assert made.reason == "0 at (0, 1) is less than 1"


def test_goals_are_asked_only_where_what_is_given_holds():
    goal = Goal(let("at"), ">=", 4 * j, "{at} at {place}")
    given = (Goal(i, ">=", 4 * j),)
    assert about("(M,N):(1,0)", goal, given=given).decided().proved
    assert about("(M,N):(1,0)", goal).decided().reason == "0 at (0, 1)"


def test_what_is_asked_holds_in_each_case_of_a_conditional():
    """The lesser of both coordinates, where both are at least 3, is so; an equality has no premise."""
    lesser, both = Where(i, j, i, j), (Goal(i, ">=", 3), Goal(j, ">", 2))
    for op, right, premises, proved in (
        (">=", 3, both, True),
        (">", 2, both, True),
        (">=", 4, both, False),
        (">=", 3, both[:1], False),
        ("==", Where(j, i, j, i), (), True),
        ("!=", Integer(-1), (), False),
    ):
        goal = Goal(lesser, op, right, "{left} is not {goal}")
        asked = Statement(("M", "N"), Facts(), [goal], (), (i, j), (M, N), premises=premises)
        assert asked.decided().proved == proved, goal
    assert asked.in_cases(USUAL, Meter()).reason == f"{goal}: a conditional stands in it"
    assert str(goal) == "(i if i < j else j) != -1"


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">=", MULTIPLE])
@pytest.mark.parametrize("right", [-2, 0, 1, 3])
def test_search_and_replay_say_the_same_of_every_operator(op, right):
    goal = Goal(i * 3 - j, op, right, "{left} against {right}")
    small = Statement(("M", "N"), Facts(), [goal], coords=(i, j), shape=(M, N))
    found = small.search(as_arrays({"M": 3, "N": 4}))
    fails = [(x, y) for x in range(3) for y in range(4) if not true(3 * x - y, op, right)]
    assert (None if found is None else found.coords) == next(iter(fails), None)
    assert found is None or small.replay(found).coords == fails[0]


def true(left: int, op: str, right: int) -> bool:
    if op == MULTIPLE:
        return right != 0 and left % right == 0
    return bool(eval(f"left {op} right"))


def test_the_solver_proves_every_goal_and_not_the_first_alone():
    facts = ["3*M == 8*K", "symbol K", "N % 128 <= N // 1000000000"]
    made = divides("f32[M,N]{1,0:T(8,128)}", where=facts)
    assert made.reason.startswith("128 does not divide 1000000001")


@pytest.mark.parametrize("corner", [(0, 0), (0, 4999), (1, 1), (4999, 0), (4999, 4999)])
def test_of_sizes_with_many_places_the_corners_are_looked_at(corner):
    x, y = corner
    goal = Goal((i - x) * (i - x) + (j - y) * (j - y), ">=", 1, "it is {place}")
    asked = Statement(("M", "N"), Facts(), [goal], coords=(i, j), shape=(M, N))
    hit = _Decision(asked.problem(), ("M", "N"), Run()).at({"M": 5000, "N": 5000})
    assert hit is not None
    assert hit.coords == corner
