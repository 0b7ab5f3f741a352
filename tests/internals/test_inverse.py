"""Inverses: from every occupied offset back to its coordinates, for all sizes."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xla_random import shapes

from symlayout import IndexMap, LayoutError, parse
from symlayout.expr.terms import count_operations, symbol, value

LAW = settings(max_examples=60, deadline=None, derandomize=True)
M, N = symbol("M"), symbol("N")


def comes_back(m: IndexMap, env: dict[str, int], where=()) -> bool:
    """Whether inverse(offset(c)) == c at every coordinate (at most some hundred of them)."""
    back = m.inverse(where)
    (o,) = back.coords
    shape, _ = m.concrete(env)
    count = prod(shape)
    for number in range(0, count, max(1, count // 300)):
        at = tuple(int(c) for c in np.unravel_index(number, shape)) if shape else ()
        offset = value(m._raw, {**env, **{c.name: v for c, v in zip(m.coords, at)}})
        if tuple(value(e, {**env, o.name: offset}) for e in back.exprs) != at:
            return False
    return True


@given(st.lists(st.integers(1, 5), max_size=4), st.data())
@LAW
def test_permuted_and_pitched_arrays_come_back(shape, data):
    order = data.draw(st.permutations(range(len(shape))))
    strides, below = [0] * len(shape), 1
    for d in order:
        strides[d] = below
        below *= shape[d] + data.draw(st.integers(0, 2))
    m = IndexMap.strided(shape, strides, offset=data.draw(st.integers(0, 5)))
    assert comes_back(m, {})


@given(shapes(max_rank=3, max_levels=2, least=1))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_random_tiled_layouts_come_back_or_say_why_not(shape):
    m = shape.index_map()
    try:
        back = m.inverse()
    except LayoutError as e:
        caught = e
    else:
        assert comes_back(m, {})
        assert len(back.exprs) == m.rank
        assert back.shape == (m.size,)
        return
    assert caught.code in ("SL404", "SL202")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("f32[M,N]{1,0}", ()),
        ("f32[M,N]{0,1}", ()),
        ("f32[M,N,K]{1,2,0}", ()),
        ("f32[M,N]{1,0:T(8,128)}", ()),
        ("f32[M,N]{0,1:T(8,128)}", ()),
        ("f32[M,N]{1,0:T(s,t)}", ()),
        ("f32[M,N,K]{2,1,0:T(s,t)}", ()),
        ("bf16[M,N]{1,0:T(8,128)(2,1)}", ()),
        ("f32[M]{0:T(256)}", ()),
        ("strided f32[M,N] strides(S,1)", "S >= N"),
        ("strided f32[M,N] strides(1,S) offset 7", "S >= M"),
        ("strided f32[M,N] strides(0-N,1) offset N*(M-1)", ()),
        ("(M,(K,N)):(K*N,(1,K))", ()),
    ],
)
def test_symbolic_layouts_come_back(text, where):
    m = parse(text).index_map()
    for k, extra in ((1, 0), (3, 2), (5, 1)):
        env = dict(zip(m.symbols, range(k, k + 9)))
        if "S" in env:
            env["S"] = max(env.get("M", 1), env.get("N", 1)) + extra
        assert comes_back(m, env, where), (m.inverse(where), env)


@pytest.mark.parametrize(
    ("text", "exprs"),
    [
        ("(M,N):(N,1)", ("i//N", "i%N")),
        ("(M,N):(1,M)", ("i%M", "i//M")),
        ("(8):(1)", ("i",)),
        ("(8,1):(1,8)", ("i", "0")),
        ("strided f32[4,8] strides(-8,1) offset 24", ("3 - i//8", "i%8")),
    ],
)
def test_closed_forms(text, exprs):
    from symlayout.expr.reader import read_expression

    back = parse(text).index_map().inverse()
    wanted = [read_expression(e) for e in exprs]
    for made, short in zip(back.exprs, wanted):
        assert count_operations(made) <= count_operations(short)
        for o in range(32):
            env = {"i": o, "M": 4, "N": 8}
            assert value(made, env) == value(short, env)


def test_the_inverse_of_a_whole_tile_fills_the_buffer():
    where = ("M % 8 == 0", "N % 128 == 0")
    m = parse("f32[M,N]{1,0:T(8,128)}").index_map()
    back = m.inverse(where)
    (o,) = back.coords
    for env in ({"M": 8, "N": 128}, {"M": 16, "N": 256}):
        seen = {
            tuple(value(e, {**env, o.name: x}) for e in back.exprs)
            for x in range(value(m.size, env))
        }
        assert seen == {(a, b) for a in range(env["M"]) for b in range(env["N"])}


@pytest.mark.parametrize(
    "m",
    [
        IndexMap.strided((4, 4), (1, 1)),
        IndexMap.strided((4,), (0,)),
        IndexMap.strided((M, N), (symbol("S"), 1)),
        IndexMap.strided((M,), (0,)),
        IndexMap.strided((4, 3), (2, 1)),
        IndexMap((M,), (symbol("i"),), symbol("i") ** 2, M**2),
    ],
)
def test_a_map_without_a_proved_inverse(m):
    with pytest.raises(LayoutError, match="no inverse") as e:
        m.inverse()
    assert e.value.code == "SL404"


def test_a_stride_that_may_be_zero_has_an_inverse_under_a_fact():
    bad = parse("strided f32[M] strides(N//2)").index_map()
    with pytest.raises(LayoutError) as e:
        bad.inverse()
    assert e.value.code == "SL404"
    assert comes_back(bad, {"M": 5, "N": 4}, "N >= 2")
