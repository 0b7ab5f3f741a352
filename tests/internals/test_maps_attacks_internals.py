"""Properties of internal modules; `tests/test_maps_attacks.py` tests the public interface."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symlayout as sl
from symlayout import prove
from symlayout.certificate.cases import World
from symlayout.certificate.exact import Rejected
from symlayout.certificate.script import Script
from symlayout.digits import solver
from symlayout.digits.context import Context
from symlayout.digits.poly import Poly
from symlayout.expr.facts import Facts, read_relations
from symlayout.expr.plain import places
from symlayout.layouts.maps.function import IndexFunction


def test_places_come_in_row_major_order() -> None:
    assert list(places((2, 3))) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert list(places(())) == [()]
    assert list(places((2**70, 0))) == []
    assert list(islice(places((2**70, 2)), 3)) == [(0, 0), (0, 1), (1, 0)]


@pytest.mark.parametrize("name", ["E", "T", "L", "S", "Sw", "f32", "strided", "on", "map_", "o"])
def test_no_name_makes_a_map_something_else(name: str) -> None:
    text = (
        f"map {name} < N, k < 4*{name}: a = {name} if {name} < 2 or {name}<1 else k; a*{name} in N"
    )
    assert isinstance(sl.parse(text), IndexFunction)
    assert sl.parse(text.replace(f"k < 4*{name}", "k < 4")) is not None
    turned = f"map {name} < N: (N - 1 - {name} if {name} < 3 else N - 1 - {name}) in N"
    assert prove.bijective(turned).proved


terms = st.dictionaries(
    st.lists(st.integers(0, 3), max_size=3).map(lambda m: tuple(sorted(m, reverse=True))),
    st.integers(-3, 3).filter(bool),
    max_size=4,
)


@pytest.mark.explore
@given(
    st.lists(terms, min_size=1, max_size=4),
    st.lists(st.integers(-2, 2), min_size=4, max_size=4),
    st.permutations(range(4)),
    st.randoms(use_true_random=False),
)
def test_a_question_is_the_same_text_however_its_atoms_are_numbered(
    polys, lows, order, rng
) -> None:
    def question(number, rows):
        ctx = Context()
        for k in sorted(range(4), key=lambda a: number[a]):
            ctx.new_atom(f"n{k}", "size", lows[k], None)
        made = [
            Poly({tuple(sorted((number[a] for a in m), reverse=True)): c for m, c in row.items()})
            for row in rows
        ]
        goal, *rest = made
        ctx.constraints += rng.sample(rest, len(rest))
        return solver.always(ctx, goal, ">=", 1000).obligation

    one = question(dict(enumerate(range(4))), polys)
    assert question(dict(enumerate(order)), polys) == one


def _world_behind_a_power(facts: list[str], size: str = "N", name: str = "k0") -> World:
    """The world that the checker goes on in; raises `Rejected`."""
    relations = tuple(r for f in facts for r in read_relations(f))
    script = Script([("power", size, name), ("cases",)], frozenset(), (), "offset")
    behind = []
    go = script.cases
    script.cases = lambda w: behind.append(w) or go(w)
    list(script.world(World(relations, ("M", "N"), (), ())))
    return behind[0]


@pytest.mark.parametrize(
    "more",
    [[], ["N >= 1"], ["N >= 5"], ["N - 1 >= 0", "N*M <= 40"], ["M % N == 1"], ["N >= M", "M > 2"]],
)
def test_a_power_says_of_the_exponent_what_the_size_satisfies(more: list[str]) -> None:
    facts = ["N & (N - 1) == 0", *more]
    world = _world_behind_a_power(facts)
    assert world.names == ("M", "k0")
    before = Facts.read(facts)
    for m in range(1, 20):
        sizes = {n for n in range(1, 40) if before.holds({"M": m, "N": n})}
        behind = {k for k in range(-2, 9) if Facts(world.facts).holds({"M": m, "k0": k})}
        assert sizes == {2**k for k in behind if 2**k < 40}, m
        assert all(k >= 0 for k in behind)


@pytest.mark.parametrize(
    ("facts", "size", "name"),
    [
        (["N & (N - 2) == 0"], "N", "k0"),
        (["N & (N - 1) >= 0"], "N", "k0"),
        (["N & (N - 1) == 1"], "N", "k0"),
        (["M & (N - 1) == 0"], "N", "k0"),
        (["N & (N - 1) == 0"], "M", "k0"),
        (["N & (N - 1) == 0"], "N", "M"),
        (["N & (N - 1) == 0"], "K", "k0"),
    ],
)
def test_other_facts_make_no_power(facts: list[str], size: str, name: str) -> None:
    with pytest.raises(Rejected):
        _world_behind_a_power(facts, size, name)
