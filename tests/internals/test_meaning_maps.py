"""What claims about index functions mean to `recheck`: the same as in plain integers elsewhere."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from plain_judge import meant
from soundness import maps

from symlayout.certificate.codec import read_statement
from symlayout.certificate.functions import function, margin
from symlayout.certificate.proof import Texts
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Less
from symlayout.expr.terms import value


def claim_of(word, arguments):
    return Claim(read_statement({"word": word, "arguments": list(arguments), "options": {}}, []))


@pytest.mark.parametrize("word", ["injective", "bounded", "onto", "bijective", *maps.PAIRS])
def test_a_claim_about_maps_means_what_plain_integers_say(word):
    rng, seen = random.Random(f"maps/{word}"), Counter()
    while min(seen[True], seen[False]) < 60:
        made = list(maps.pair(rng)) if word in maps.PAIRS else [maps.drawn(rng)]
        if not maps.comparable(word, made):
            continue
        try:
            claim = claim_of(word, [m.text for m in made])
            names = claim.names
        except LayoutError:
            continue
        for at in product(range(4), repeat=len(names)):
            sizes = dict(zip(names, at))
            holds = meant(claim, sizes, Texts())
            if word in maps.PAIRS:
                truth = maps.pair_holds(word, tuple(made), sizes)
            else:
                truth = maps.Judge(made[0]).holds(word, sizes)
            if holds is not None:
                assert holds == truth, (word, [m.text for m in made], sizes)
                seen[holds] += 1


@pytest.mark.parametrize(
    ("text", "holding"),
    [
        ("linear a [[1],[2]] -> x 4", {"injective", "bounded", "onto", "bijective"}),
        ("linear a [[1],[1]] -> x 4", {"bounded"}),
        ("linear a [[1],[2],[3]] -> x 4", {"bounded", "onto"}),
        ("linear a [[1],[2]] -> x 8", {"bounded", "injective"}),
        ("tv (4,(2,2)):(4,(1,2)) on (4,4)", {"injective", "bounded", "onto", "bijective"}),
        ("tv (4,(2,2)):(4,(1,1)) on (4,4)", {"bounded"}),
        ("tv (4,(2,2)):(4,(1,2)) on (4,5)", {"bounded", "injective"}),
        ("tv (4,(2,2)):(4,(1,2)) on (4,3)", {"injective", "onto"}),
    ],
)
def test_linear_and_thread_value_layouts_mean_what_their_points_say(text, holding):
    for word in ("injective", "bounded", "onto", "bijective"):
        assert meant(claim_of(word, [text]), {}, Texts()) == (word in holding), word


@pytest.mark.parametrize(
    ("word", "texts", "defined"),
    [
        ("injective", ["map M//N <= i < M//N + 4: i"], lambda M, N: N != 0),
        ("injective", ["map i < M: i + N//M*0"], lambda M, N: True),  # no point divides by 0
        ("injective", ["map i < M: i + M//N*0"], lambda M, N: N != 0 or M == 0),
        (
            "injective",
            ["map i < M if i // N < 1: i // N"],
            lambda M, N: not M or 1 >= min(M, N) > 0,
        ),
        ("bounded", ["map i < M, j < i: j in M - 1"], lambda M, N: M >= 1),
        ("bounded", ["map i < N, j < N - i - 1: i + j in N"], lambda M, N: True),
        ("bounded", ["map i < N, j < 1 - i: 0 in M"], lambda M, N: N <= 2 and (M or not N)),
        ("injective", ["map j < M, 1//N <= i < 1//N + 4: i + 9*j"], lambda M, N: N != 0),
        ("injective", ["map j < M, k < 1, 1//N <= i < 1//N + 4: i + 9*j"], lambda M, N: N != 0),
        ("inverse", ["map i < N: i", "map i < N if i < M: i"], lambda M, N: N <= M),
        ("onto", ["map i < N: i"], lambda M, N: False),  # there is no box
        ("equal", ["(N-1):(1)", "map i < N - 1: i"], lambda M, N: N >= 1),
        ("equal", ["map i < N: i", "map i < N if i < 1 or i > M: i"], lambda M, N: N <= 1 or not M),
        ("inverse", ["map i < N: i", "map i < N if i < M or i > 2: i"], lambda M, N: N <= M),
        ("equal", ["map i < N: i % M", "map j < N: j"], lambda M, N: N <= M or not N),
        ("equal", ["map 1 <= i < N: i", "map 1 <= j < M: j"], lambda M, N: M == N >= 1),
    ],
)
def test_what_is_evaluated_is_defined(word, texts, defined):
    for M, N in product(range(4), repeat=2):
        claim = claim_of(word, texts)
        sizes = {k: v for k, v in {"M": M, "N": N}.items() if k in claim.names}
        assert meant(claim, sizes, Texts()) == bool(defined(M, N)), sizes


def test_quotient_and_remainder_are_in_the_box_where_the_whole_is():
    f = function("map i < 12, j < 3: (i - 2, (i + j)//N, (i + j)%N) in (M, M, N)")
    one, d = f.with_one(1)
    assert str(d) == "N"
    for M, N, i, j in product(range(4), range(1, 5), range(12), range(3)):
        p = {"M": M, "N": N, "i": i, "j": j}
        whole, parts = (
            all(0 <= value(r, p) < value(b, p) for r, b in zip(g.results, g.places))
            for g in (one, f)
        )
        assert whole == parts, p
    others = [
        function(f"map i < 4: {text}")
        for text in ("(i//N, i%M) in (4, N)", "(i//N, i%N) in (4, M)", "i in 4", "(i//N, i%N)")
    ]
    for other in others:
        with pytest.raises(LayoutError):
            other.with_one(0)


def test_the_margin_of_a_condition_is_above_0_exactly_where_it_is_true():
    guard = function("map i < N if (i < 2 or i > M) and (i != 3 or i < M - 1): i").guard
    for i, M, N in product(range(9), range(1, 6), range(1, 4)):
        env = {"i": i, "M": M, "N": N}
        assert all(value(margin(c), env) > 0 for c in guard) == all(value(c, env) for c in guard)
    assert any(not isinstance(c, Less) for c in guard)


def test_what_a_layout_demands_is_never_left_out():
    (demand,) = function("f32[N]{0:T(M//2)}").demands
    assert [demand.holds({"M": m}) for m in (0, 1, 2, 3)] == [False, False, True, True]
    claim = claim_of("equal", ["map i < M: i", "(4):(1):(M)"])
    assert [meant(claim, {"M": m}, Texts()) for m in (0, 3, 4, 5, 9)] == [True] * 3 + [False] * 2
    part = next(claim.parts("script", Texts()))
    assert (part.name, [str(r) for goal in part.goals for r in goal]) == ("defined", ["4 >= M"])


def test_linear_layouts_undo_each_other_point_by_point():
    for back, whole in (("[1],[3]", True), ("[1],[2]", False), ("[3],[2]", False)):
        texts = ["linear a [[1],[3]] -> x 4", f"linear x [{back}] -> a 4"]
        assert meant(claim_of("inverse", texts), {}, Texts()) == whole
        assert meant(claim_of("equal", [texts[0], texts[1]]), {}, Texts()) == whole
