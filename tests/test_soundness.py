"""No verdict may be wrong: random claims against brute force, and every mistake once made."""

from __future__ import annotations

import importlib.util
import random
from itertools import product
from pathlib import Path

import pytest

import symlayout as sl
from symlayout import prove
from symlayout.indexmap import CoordMap, IndexMap
from symlayout.reader import read_expression
from symlayout.simplification import simplify
from symlayout.terms import symbol, value

HERE = Path(__file__).parent
N, i = symbol("N"), symbol("i")


def _benchmark():
    path = HERE.parent / "benchmarks" / "soundness.py"
    spec = importlib.util.spec_from_file_location("soundness_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(1, 6))
def test_random_claims_are_judged_as_brute_force_judges_them(seed):
    soundness = _benchmark()
    rng = random.Random(1000 + seed)
    seen = []
    for _ in range(30):
        word, args, where = soundness.random_claim(rng)
        status, problem = soundness.judge(word, args, where)
        assert not problem, f"{word} {args} where {where}: {status}, {problem}"
        seen.append(status)
    assert {"proved", "refuted"} <= set(seen)


def test_the_judge_notices_wrong_verdicts(monkeypatch):
    soundness = _benchmark()
    right = prove.injective("(N):(1)")
    wrong = prove.injective("(N):(0)")
    assert (right.status, wrong.status) == ("proved", "refuted")
    monkeypatch.setattr(sl.prove, "injective", lambda *a, **k: right)
    assert soundness.judge("injective", ["strided f32[N] strides(0)"], []) == (
        "proved",
        "false at {'N': 2}",
    )
    monkeypatch.setattr(sl.prove, "injective", lambda *a, **k: wrong)
    status, problem = soundness.judge("injective", ["strided f32[N] strides(1)"], [])
    assert status == "refuted"
    assert "holds at its counterexample" in problem


# -- even powers of symbols that may be negative ------------------------------------------------------


def test_a_square_does_not_grow_where_its_symbol_may_be_negative():
    # at N = 0 the first offset is -4, although N*N - 4 is 5 at the least value N = -3
    m = IndexMap.strided((4,), (1,), offset=N**2 - 4, size=N**2 + 100)
    assert not prove.bounded(m, where="N >= -3").proved
    text = "strided f32[4] strides(1) offset N*N-4"
    assert not prove.bounded(text, "N*N+100", where="N >= -3").proved
    assert prove.bounded(text, "N*N+100", where="N >= 2").proved
    assert prove.bounded(text, "N*N+100", where="N >= 1").refuted


@pytest.mark.parametrize(
    "text",
    [
        "max(N*N - 4, 0)",
        "min(N**2, 4)//5",
        "max(N**4 - 2, 0)",
        "(N*N + 1)//(N*N + 2)",
        "max(N*N*N - N, 0)",
        "max(N*N*M - M, 0)",
        "min(M*M*N*N, M*N)",
    ],
)
@pytest.mark.parametrize("where", ["N >= -3", ("N >= -3", "N <= 2"), ("N >= -2", "M >= -2")])
def test_simplify_keeps_values_at_negative_symbols(text, where):
    made = simplify(text, where=where)
    given = read_expression(text)
    facts = [where] if isinstance(where, str) else where
    for n, m in product(range(-3, 4), range(-2, 4)):
        low = m >= (-2 if "M >= -2" in facts else 1)
        if low and n >= (-2 if "N >= -2" in facts else -3) and ("N <= 2" not in facts or n <= 2):
            env = {"N": n, "M": m}
            assert value(made, env) == value(given, env), env


# -- facts about one symbol that are neither a line nor a congruence ---------------------------------

BUMP = "i0 + max(0, 1-(i0-2)*(i0-2))"  # i0, but 3 at i0 = 2


@pytest.mark.parametrize(
    "where",
    [
        ["N % 4 <= 1", "N <= 5"],
        ["N % 4 <= 1"],
        ["N*N != 4", "N*N != 9", "N <= 5"],
        ["N*N >= 16", "N <= 5"],
        ["N*N >= 16"],
        ["N <= 5"],
        [],
    ],
)
def test_a_counterexample_is_found_under_facts_beyond_the_domain(where):
    v = prove.formula("(N):(1)", BUMP, where=where)
    assert v.refuted
    least = next(
        n
        for n in range(3, 20)
        if not (n % 4 > 1 and any("%" in w for w in where))
        and not (n * n < 16 and any(">=" in w for w in where))
        and not (n * n in (4, 9) and any("!=" in w for w in where))
    )
    assert v.counterexample.sizes == {"N": least}
    assert v.counterexample.coords == (2,)
    assert (v.counterexample.left, v.counterexample.right) == (2, 3)


def test_the_facts_hold_at_every_counterexample_beyond_the_domain():
    v = prove.formula("(N):(1)", BUMP, where=["N % 4 <= 1", "N <= 2"])
    assert v.proved  # N = 1 alone, where i0 = 2 does not occur
    v = prove.formula("(N):(1)", "0*i0", where=["N % 4 <= 1"])
    assert v.counterexample.sizes == {"N": 4}


# -- a coordinate that a size is called by -----------------------------------------------------------


def test_a_reshape_to_a_size_called_like_a_coordinate():
    m = CoordMap.identity((24,)).reshape((i, 24))
    (c,) = m.coords
    assert c != i
    for size, at in product((1, 2), range(24)):
        env = {"i": size, c.name: at}
        assert [value(e, env) for e in m.exprs] == [at // 24, at % 24]


def test_a_slice_that_starts_at_a_size_called_like_a_coordinate():
    m = IndexMap.row_major((8,)).slice((i,), (2,))
    (c,) = m.coords
    assert c != i
    assert value(m.raw, {"i": 3, c.name: 1}) == 4


def test_a_tile_of_a_size_called_like_a_coordinate():
    m = IndexMap.row_major((8,)).tile((i,))
    outer, within = m.coords
    assert i not in m.coords
    assert value(m.raw, {"i": 4, outer.name: 1, within.name: 3}) == 7
    assert m.buffer(i=4).tolist() == list(range(8))


def test_a_stride_called_like_a_coordinate():
    m = IndexMap.strided((4, 5), (i, 1))
    assert i not in m.coords
    turned = m.transpose((1, 0))
    assert i not in turned.coords
    for s, a, b in product((5, 7), range(4), range(5)):
        env = {"i": s, **dict(zip([c.name for c in turned.coords], (b, a)))}
        assert value(turned.raw, env) == s * a + b
    flat = m.reshape((20,))
    for s, n in product((5, 7), range(20)):
        assert value(flat.raw, {"i": s, flat.coords[0].name: n}) == s * (n // 5) + n % 5


def test_claims_about_a_stride_called_like_a_coordinate():
    one, other = "strided f32[4,5] strides(i,1)", "strided f32[5,4] strides(1,i)"
    assert prove.bitcast(one, other, perm="1,0").proved
    for name in ("i", "S"):
        v = prove.aligned(f"strided f32[2,5] strides({name}-1,1)", 64, where=f"{name} >= 7")
        assert v.refuted
        assert v.counterexample.sizes == {name: 7}
        assert v.counterexample.coords == (1, 0)


def test_an_inverse_with_a_size_called_like_a_coordinate():
    back = IndexMap.row_major((i, 4)).inverse()
    (c,) = back.coords
    assert c != i
    for at in range(12):
        assert [value(e, {"i": 3, c.name: at}) for e in back.exprs] == [at // 4, at % 4]


def test_padding_with_sizes_called_like_coordinates():
    m = CoordMap.identity((3,)).pad((i,)).index_map()
    assert i not in m.coords
    assert m.size == i
