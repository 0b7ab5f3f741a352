"""Programs made shorter for given sizes, values in 32 bits and on grids: the same numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import symlayout as sl
from symlayout.errors import LayoutError
from symlayout.expr.arrays import Program, program
from symlayout.expr.evaluation import FEW, evaluate, numbered
from symlayout.expr.terms import (
    BitAnd,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    Where,
    symbol,
    value,
)
from symlayout.expr.tree import Expr, Integer

IX, J, M, T = symbol("i"), symbol("j"), symbol("M"), symbol("t")


def expression(rng: random.Random, depth: int) -> Expr:
    if depth == 0:
        return rng.choice([IX, J, M, T, Integer(rng.randint(-9, 9))])
    a, b = (expression(rng, depth - 1) for _ in range(2))
    d = rng.choice([Integer(rng.randint(1, 9)), T, M, 2 * T])
    kind = rng.randrange(11)
    if kind < 4:
        return [a + b, a - b, a * b, a * d][kind]
    if kind < 9:
        return [FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod][kind - 4](a, d)
    return rng.choice([Min(a, b), Max(a, b), BitAnd(a, b), Where(a, b, a + 1, b)])


def shorter(e: Expr, sizes: dict[str, int]) -> Program:
    return program(numbered(e, tuple(sizes.items())), masks=True)


def test_a_shorter_program_has_the_same_values() -> None:
    rng = random.Random(5)
    seen = 0
    for n in range(300):
        e = expression(rng, 1 + n % 4)
        sizes = {"M": rng.choice([1, 7, 16]), "t": rng.choice([1, 2, 8, 5])}
        places = [(rng.randint(-70, 70), rng.randint(-70, 70)) for _ in range(8)]
        ranges = {"i": (-70, 70), "j": (-70, 70)}
        for made in (shorter(e, sizes), program(e).put(sizes)):
            assert not {"M", "t"} & {x for s in made.steps for x in s[2:]}
            arrays = (np.array([p[k] for p in places]) for k in (0, 1))
            with np.errstate(divide="ignore"):
                found = np.broadcast_to(made.python(("i", "j"))(np, *arrays), (8,))
            assert found.tolist() == [value(e, {"i": x, "j": y, **sizes}) for x, y in places]
            for (x, y), got in zip(places, found.tolist()):
                step, whole = made.intervals({"i": (x, x), "j": (y, y)}), made.intervals(ranges)
                if made.result in whole:
                    low, high = whole[str(made.result)]
                    assert low <= got <= high
                    assert all(
                        whole[k][0] <= step[k][0] and step[k][1] <= whole[k][1] for k in step
                    )
                    seen += 1
    assert seen > 900


def test_divisions_by_powers_of_two_are_shifts_and_masks() -> None:
    made = shorter(FloorDiv(IX, T) * 3 + Mod(IX, T) + CeilDiv(M, T), {"M": 9, "t": 8})
    assert sorted(s.op for s in made.steps) == ["&", "*", "+", "+", ">>"]
    odd = shorter(FloorDiv(IX, T) + Mod(IX, T), {"t": 6})
    assert [s.op for s in odd.steps].count("//") == 1


LAYOUTS = [
    ("f32[M,N]", {"M": 40, "N": 77}),
    ("f32[M,N]{1,0:T(8,128)}", {"M": 45, "N": 300}),
    ("bf16[M,N]{1,0:T(8,128)(2,1)}", {"M": 45, "N": 300}),
    ("f32[M,N]{0,1:T(s,t)}", {"M": 45, "N": 70, "s": 5, "t": 16}),
    ("f32[A,M,N]{2,1,0:T(4,8)}", {"A": 3, "M": 21, "N": 50}),
    ("Swizzle(3,3,3) o 0 o (64,64):(64,1)", {}),
    ("strided f32[M,N] strides(S,1) offset 16", {"M": 40, "N": 77, "S": 2**33}),
    ("f32[1,N]", {"N": 2000}),
]


@pytest.mark.parametrize(("text", "sizes"), LAYOUTS)
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_grids_lists_and_types_give_one_answer(text: str, sizes: dict[str, int], kind: Any) -> None:
    m = sl.parse(text).index_map()
    shape, _ = m.concrete(sizes)
    kind = kind if max(shape) <= np.iinfo(kind).max else np.int16
    whole = np.indices(shape).reshape(len(shape), -1).astype(kind)
    assert whole.shape[1] > FEW
    expected = [
        value(m._raw, {**sizes, **{c.name: int(x) for c, x in zip(m.coords, p)}}) for p in whole.T
    ]
    made = m.evaluate(*whole, **sizes)
    assert made.dtype == np.int64
    assert made.tolist() == expected
    axes = np.ix_(*[np.arange(d, dtype=kind) for d in shape])
    grid = m.evaluate(*axes, **sizes)
    assert grid.dtype == np.int64
    assert grid.shape == shape
    assert grid.reshape(-1).tolist() == expected
    few = [a[:7] for a in whole]
    assert m.evaluate(*few, **sizes).tolist() == expected[:7]
    if "offset 16" not in text:
        placed = {o: n for n, o in reversed(list(enumerate(expected)))}
        assert {o: n for o, n in enumerate(m.buffer(**sizes).tolist()) if n >= 0} == placed


@pytest.mark.parametrize("shape", [(3000,), (3000, 1)])
@pytest.mark.parametrize("kind", [np.int64, np.int32])
@pytest.mark.parametrize("bad", [-1, 3000, -(2**31)])
def test_a_coordinate_out_of_range_is_seen_in_every_shape(
    shape: tuple[int, ...], kind: Any, bad: int
) -> None:
    m = sl.parse("f32[M,N]{1,0:T(8,128)}").index_map()
    i = np.arange(3000, dtype=kind).reshape(shape)
    j = np.zeros(3000, dtype=kind) if len(shape) == 1 else np.zeros((1, 5), dtype=kind)
    m.evaluate(i, j, M=3000, N=3000)
    i.reshape(-1)[2718] = bad
    with pytest.raises(LayoutError, match=f"coordinate {bad} of dimension 0 is not in"):
        m.evaluate(i, j, M=3000, N=3000)


def test_what_leaves_64_bits_is_refused_in_every_shape() -> None:
    m = sl.parse("strided f32[M,N] strides(S,1)").index_map()
    i, j = np.arange(2000), np.zeros(2000, dtype=np.int64)
    for one, other in ((i, j), (i[:, None], j[None, :3]), (i.astype(np.int32), j)):
        assert m.evaluate(one, other, M=2000, N=9, S=2**51).max() == 1999 * 2**51
        with pytest.raises(LayoutError, match="beyond 64-bit"):
            m.evaluate(one, other, M=2000, N=9, S=2**53)


def test_values_just_beyond_32_bits_are_not_cut() -> None:
    top = {"i": np.full(2000, 2**16 - 1, dtype=np.int32), "j": np.arange(2000, dtype=np.int32)}
    e = IX * M + FloorDiv(J, 8) * 8 + Mod(J, 8) + J
    for size in (2**15, 2**15 + 1, 2**16):
        got = evaluate(e, top, {"M": size}, {"i": 2**16, "j": 2000})
        assert got.tolist() == [(2**16 - 1) * size + 2 * k for k in range(2000)]


def test_constants_and_parts_of_one_axis() -> None:
    i, j = np.arange(50)[:, None], np.arange(60)[None, :]
    for e in (Integer(7), M + 0 * IX, IX + M, J * 2, IX * J, FloorDiv(IX + J, 8) + IX):
        got = evaluate(e, {"i": i, "j": j}, {"M": 9})
        assert got.shape == (50, 60)
        assert got.tolist() == [
            [value(e, {"i": x, "j": y, "M": 9}) for y in range(60)] for x in range(50)
        ]
        got[0, 0] = 5  # an array of its own


def test_factors_of_a_sum_of_axes_are_taken_into_it_where_the_parts_fit() -> None:
    i, j = np.arange(50)[:, None], np.arange(60)[None, :]
    inner = FloorDiv(J, 7) + M * FloorDiv(IX, 5)
    cases = [
        (M * (3 * inner - J) + IX, 9),
        (M * (M * (IX - J) + 1) * 5, -(2**27)),
        (M * (IX - J), 2**57),
        (M * (2**20 * (IX - J + 2**15) - 2**34), 2**18),
    ]
    for e, size in cases:
        got = evaluate(e, {"i": i, "j": j}, {"M": size})
        assert got.tolist() == [
            [value(e, {"i": x, "j": y, "M": size}) for y in range(60)] for x in range(50)
        ]
