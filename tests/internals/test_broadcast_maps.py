"""Broadcasts as index maps: against NumPy, and the two steps of XLA against the one map."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symlayout as sl
from symlayout import broadcast
from symlayout.errors import LayoutError
from symlayout.expr.terms import symbol, value
from symlayout.programs.hlo.broadcast import broadcast_map, in_dim_maps, plan


def numpy_broadcast(operand, result, dims):
    """The row-major number of the operand's element at each coordinate of the result."""
    numbers = np.arange(int(np.prod(operand, dtype=int))).reshape(operand)
    order = np.argsort(dims, kind="stable") if len(dims) else []
    spread = [1] * len(result)
    for k in order:
        spread[dims[k]] = operand[k]
    return np.broadcast_to(numbers.transpose(order).reshape(spread), result)


def mapped(made, **sizes):
    """The same from a map of coordinates."""
    shape = [value(d, sizes) for d in made.shape]
    operand = [value(d, sizes) for d in made.sizes]
    out = np.empty(shape, dtype=int)
    for c in np.ndindex(*shape):
        env = {**{s.name: i for s, i in zip(made.coords, c)}, **sizes}
        place = tuple(value(e, env) for e in made.exprs)
        out[c] = np.ravel_multi_index(place, operand) if operand else 0
    return out


@given(st.data())
def test_a_map_reads_what_numpy_reads(data):
    result = data.draw(st.lists(st.integers(1, 4), min_size=0, max_size=4))
    rank = data.draw(st.integers(0, len(result)))
    dims = data.draw(st.permutations(range(len(result))))[:rank]
    operand = [data.draw(st.sampled_from([1, result[d]])) for d in dims]
    made = broadcast_map(tuple(operand), tuple(result), dims)
    assert (mapped(made) == numpy_broadcast(operand, result, dims)).all()


def test_a_size_that_may_be_1_or_the_results():
    made = broadcast_map(("K",), ("M", "N"), [1])
    for m, n in product((1, 2, 3), (1, 2, 4)):
        for k in {1, n}:
            expected = numpy_broadcast([k], [m, n], [1])
            assert (mapped(made, M=m, N=n, K=k) == expected).all()


def test_what_is_known_of_the_sizes_shortens_the_map():
    short = broadcast_map(("K",), ("M", "N"), [1], where="K == 1")
    assert short.exprs == (0,)
    same = broadcast_map(("K",), ("M", "N"), [1], where=["K >= 2*N", "K <= 2*N", "N == 2*K"])
    assert same.exprs == (0,)  # contradicting facts: anything is certain
    same = broadcast_map(("K",), ("M", "N"), [1], where=["K >= N", "K <= N"])
    assert same.exprs == (same.coords[1],)
    with pytest.raises(LayoutError) as caught:
        broadcast_map(("K",), ("M", "N"), [1], where="Q == 1")
    assert caught.value.code == "SL301"


def composed(first, then):
    """First `then` (result to stretched), then `first` (stretched to operand)."""
    return [dict(zip(first.coords, then.exprs)).get(e, e) for e in first.exprs]


@pytest.mark.parametrize(("small", "large"), list(combinations(range(4), 2)))
def test_in_dim_then_degenerate_is_the_one_map(small, large):
    compared = 0
    sizes = (1, 2, 3)
    for a, b in product(product(sizes, repeat=small), product(sizes, repeat=large)):
        for dims in combinations(range(large), small):
            if plan_fails(a, b, dims):
                continue
            result = tuple(e.bound for e in broadcast.broadcast(a, b, dims))
            stretch, expand = in_dim_maps(a, b, dims)
            whole = broadcast_map(a, result, dims)
            assert expand.shape == whole.shape
            assert composed(stretch, expand) == list(whole.exprs), (a, b, dims)
            compared += 1
    assert compared >= 3


def plan_fails(a, b, dims):
    from symlayout.programs.hlo.broadcast import extents

    return plan(extents(b), extents(a), dims).failure() is not None


def test_the_two_steps_with_symbols():
    stretch, expand = in_dim_maps(("T", 1), ("T", "N", "Q"), [0, 2])
    whole = broadcast_map(("T", 1), ("T", "N", "Q"), [0, 2])
    assert composed(stretch, expand) == list(whole.exprs)
    assert stretch.shape == (symbol("T"), symbol("N"), 1)


def test_two_ways_to_broadcast_are_proved_the_same_in_memory():
    tiled = sl.parse("f32[T,1]{1,0:T(8,128)}").index_map()
    stretch, expand = in_dim_maps(tiled.shape, ("T", "N", "Q"), [0, 2])
    one = tiled.compose(stretch).compose(expand)
    other = tiled.compose(broadcast_map(tiled.shape, ("T", "N", "Q"), [0, 2]))
    assert sl.prove.equal(one, other).status == "proved"
    # a transpose before the broadcast is a permutation of dims after it
    a = sl.parse("f32[M,N]{1,0:T(8,128)(2,1)}").index_map()
    first = a.transpose((1, 0)).compose(broadcast_map(("N", "M"), ("B", "M", "N"), [2, 1]))
    second = a.compose(broadcast_map(("M", "N"), ("B", "M", "N"), [1, 2]))
    assert sl.prove.equal(first, second).status == "proved"
    rows = a.compose(broadcast_map(("M", "N"), ("M", "B", "N"), [0, 2]))
    swapped = sl.prove.equal(second, rows.transpose((1, 0, 2)))
    assert swapped.status == "proved"


def test_two_ways_that_differ_are_refuted():
    square = sl.parse("f32[N]{0}").index_map()
    rows = square.compose(broadcast_map(("N",), ("N", "N"), [0]))
    columns = square.compose(broadcast_map(("N",), ("N", "N"), [1]))
    verdict = sl.prove.equal(rows, columns)
    assert verdict.status == "refuted"
    assert verdict.counterexample.sizes == {"N": 2}


def test_the_two_steps_agree_for_a_size_that_may_be_1_or_n():
    bias = sl.parse("f32[K]{0:T(128)}").index_map()
    stretch, expand = in_dim_maps(("K",), ("M", "N"), [1], where="M >= 1")
    for fact in ("K == 1", "K == N"):
        one = bias.compose(stretch).compose(expand)
        other = bias.compose(broadcast_map(("K",), expand.shape, [1]))
        assert sl.prove.equal(one, other, where=fact).status == "proved", fact


def test_a_broadcast_operand_has_stride_0_in_its_own_tiles():
    a = sl.parse("f32[1,N]{1,0:T(8,128)}").index_map()
    wide = a.compose(broadcast_map(a.shape, ("M", "N"), [0, 1]))
    narrow = sl.parse("f32[1,300]{1,0:T(8,128)}").index_map()
    for i, j in product((0, 3, 8), (0, 127, 128, 299)):
        assert value(wide._raw, {"i": i, "j": j, "N": 300}) == narrow.offset(0, j)


@given(st.permutations(range(3)), st.tuples(*[st.integers(1, 3)] * 3))
def test_broadcasting_a_transpose_is_transposing_the_dims(perm, shape):
    moved = tuple(shape[p] for p in perm)
    whole = (5, *shape)
    direct = broadcast_map(shape, whole, [1, 2, 3])
    through = broadcast_map(moved, whole, [1 + p for p in perm])
    assert [direct.exprs[p] for p in perm] == list(through.exprs)


@pytest.mark.parametrize(
    ("operand", "result", "dims", "code"),
    [
        ((3,), (4,), [0], "SL713"),
        ((3,), (4, 3), [2], "SL704"),
        ((3,), (4, 3), [-1], "SL703"),
        ((3, 3), (3, 3), [0, 0], "SL711"),
        ((3,), (4, 3), [], "SL702"),
        ((3, 3), (3,), None, "SL703"),
        (("?",), (3,), [0], "SL700"),
    ],
)
def test_what_no_map_can_do(operand, result, dims, code):
    with pytest.raises(LayoutError) as caught:
        broadcast_map(operand, result, dims)
    assert caught.value.code == code


def test_the_two_steps_refuse_what_the_rules_refuse():
    with pytest.raises(LayoutError) as caught:
        in_dim_maps((3,), (2, 4), [1])
    assert caught.value.code == "SL705"


def test_every_permutation_of_dims_is_a_map():
    for dims in permutations(range(3)):
        operand = tuple((2, 3, 4)[d] for d in dims)
        made = broadcast_map(operand, (2, 3, 4), dims)
        assert (mapped(made) == numpy_broadcast(operand, (2, 3, 4), dims)).all()
