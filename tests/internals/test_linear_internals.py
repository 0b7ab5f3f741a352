"""Properties of internal modules; `tests/test_linear.py` tests the public interface."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import parse, prove, recheck
from symlayout.layouts.doors.linear import Linear


def places(f: Linear) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Every point and its place, the vectors of its bits added one by one."""
    found = {}
    for point in product(*[range(2 ** len(v)) for _, v in f.ins]):
        place = [0] * len(f.outs)
        for x, (_, vectors) in zip(point, f.ins):
            for k, v in enumerate(vectors):
                if x & (1 << k):
                    place = [a ^ b for a, b in zip(place, v)]
        found[point] = tuple(place)
    return found


@st.composite
def layouts(draw, ins=("lane", "warp"), outs=2, bits=3):
    sizes = [2 ** draw(st.integers(0, 2)) for _ in range(outs)]
    vector = st.tuples(*[st.integers(0, d - 1) for d in sizes])
    rows = {n: draw(st.lists(vector, max_size=bits)) for n in ins}
    return Linear.of(rows, {f"dim{k}": d for k, d in enumerate(sizes)})


@st.composite
def bijections(draw):
    """Layouts that are products of a triangle and a permutation of bits."""
    sizes = [2 ** draw(st.integers(0, 2)) for _ in range(2)]
    width = sum(d.bit_length() - 1 for d in sizes)
    rows = [(1 << k) | draw(st.integers(0, (1 << k) - 1)) for k in range(width)]
    rows = [rows[k] for k in draw(st.permutations(range(width)))]
    cut = draw(st.integers(0, width))
    vectors = [(r // sizes[1], r % sizes[1]) for r in rows]
    return Linear.of({"a": vectors[:cut], "b": vectors[cut:]}, {"x": sizes[0], "y": sizes[1]})


@given(layouts())
def test_the_map_and_the_vectors_say_the_same(f):
    read, formula = parse(str(f)), parse(f.map_text)
    assert read == f
    for point, place in places(f).items():
        assert f.at(point, {}) == place
        assert formula.at(point, {}) == place


@given(layouts(outs=1), layouts(("register",), outs=3))
def test_ranks_are_what_counting_says(one, other):
    for f in (one, other):
        reached = list(places(f).values())
        assert f.injective == (len(set(reached)) == len(reached))
        assert 1 << f.rank == len(set(reached))
        assert f.replication * len(set(reached)) == len(reached)
        assert f.onto == ({*product(*[range(d) for _, d in f.outs])} == set(reached))
        for name, mask in f.free.items():
            vectors = dict(f.ins)[name]
            assert [k for k in range(len(vectors)) if mask >> k & 1] == [
                k for k, v in enumerate(vectors) if not any(v)
            ]


@given(bijections())
def test_an_inverse_undoes(f):
    g = f.inverse()
    assert all(g.at(place, {}) == point for point, place in places(f).items())
    assert g.inverse().columns == f.columns
    assert prove.inverse(f, g).proved
    assert prove.bijective(str(f)).proved


@given(layouts(), st.data())
def test_composition_is_one_after_the_other(inner, data):
    vector = st.tuples(st.integers(0, 3), st.integers(0, 1))
    rows = [data.draw(st.lists(vector, min_size=n, max_size=n))
            for n in (d.bit_length() - 1 for _, d in inner.outs)]  # fmt: skip
    outer = Linear.of({"x": rows[0], "y": rows[1]}, {"p": 4, "q": 2})
    made = outer.compose(inner)
    assert places(made) == {p: outer.at(q, {}) for p, q in places(inner).items()}


@given(layouts(), layouts(("warp", "block")))
def test_a_product_is_taken_apart_again(a, b):
    made = a.product(b)
    found = made.divide(a)
    assert found is not None
    assert a.product(found) == made
    for point, place in places(made).items():
        at = dict(zip(dict(made.ins), point))
        low = tuple(at[n] & ((1 << len(v)) - 1) for n, v in a.ins)
        high = tuple(at[n] >> len(dict(a.ins).get(n, ())) for n, _ in b.ins)
        first, second = a.at(low, {}), b.at(high, {})
        assert place == tuple(x + y * d for x, y, (_, d) in zip(first, second, a.outs))


@settings(max_examples=40)
@given(layouts(outs=2))
def test_claims_are_decided_by_rank_and_certified(f):
    reached = list(places(f).values())
    once = len(set(reached)) == len(reached)
    covered = {*reached} == {*product(*[range(d) for _, d in f.outs])}
    for word, true in (("injective", once), ("onto", covered), ("bijective", once and covered)):
        verdict = getattr(prove, word)(str(f))
        assert verdict.proved == true
        assert verdict.refuted != true
        if true:
            assert verdict.certificate["by"] == "rank"
            assert recheck(verdict.certificate).ok
    verdict = prove.injective(f)
    if verdict.refuted:  # the first point that meets an earlier one
        points, seen = places(f), {}
        second = next(p for p, q in points.items() if seen.setdefault(q, p) != p)
        assert verdict.counterexample.other == second
        assert points[verdict.counterexample.coords] == points[second]
    verdict = prove.onto(f)
    if verdict.refuted:
        box = product(*[range(d) for _, d in f.outs])
        assert verdict.counterexample.left == str(next(p for p in box if p not in reached))


@pytest.mark.explore
@settings(max_examples=40)
@given(layouts(), layouts())
def test_equal_says_the_first_point_that_differs(a, b):
    if len(a.outs) != len(b.outs):
        return
    verdict = prove.equal(a, b)
    one, other = places(a), places(b)
    assert verdict.proved == (one == other)
    if verdict.refuted and one.keys() == other.keys():
        assert verdict.counterexample.coords == next(p for p in one if one[p] != other[p])


@pytest.mark.explore
@settings(max_examples=40)
@given(bijections(), st.data())
def test_inverse_says_the_first_point_that_does_not_come_back(f, data):
    """The inverse of a bijection, with another vector, or other sizes, or as it is."""
    rows = {n: list(v) for n, v in f.inverse().ins}
    sizes = dict(f.inverse().outs)
    axis = data.draw(st.sampled_from([*sizes]))
    sizes[axis] *= data.draw(st.sampled_from([1, 1, 2]))
    vector = tuple(data.draw(st.integers(0, d - 1)) for d in sizes.values())
    name = data.draw(st.sampled_from([*rows]))
    change = data.draw(st.sampled_from(["", "another", "one more", "one less"]))
    if change == "one more":
        rows[name].append(vector)
    elif change and rows[name]:
        place = data.draw(st.integers(0, len(rows[name]) - 1))
        rows[name][place : place + 1] = [vector] if change == "another" else []
    g = Linear.of(rows, sizes)
    there, back = places(f), places(g)
    lost = [(p, q) for p, q in there.items() if back.get(q) != p]
    lost += [(q, p) for q, p in back.items() if there.get(p) != q]
    verdict = prove.inverse(f, g)
    assert verdict.proved == (not lost)
    if lost:
        assert verdict.counterexample.coords == lost[0][0]
        assert verdict.counterexample.note.startswith("{} goes to {}".format(*lost[0]))
    else:
        assert recheck(verdict.certificate).ok
