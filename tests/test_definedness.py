"""What cancels has no value where it is written without one: verdicts, conditions, points and code."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from definedness_random import LAYOUTS, Drawn, drawn_claim
from definedness_texts import Plain, Truncating, Undefined, parsed, true, value
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import prove

# word, texts, facts, and where it fails: sizes and coordinates; None for a claim that is proved
CASES: list[
    tuple[str, tuple[str, ...], tuple[str, ...], tuple[dict[str, int], tuple[int, ...]] | None]
]

CASES = [
    # times 0, modulo 1, minus itself, bits, extremes, an inner divisor, a power of 0
    ("bounded", ("map x < 2: t = 0; (5 // x) * t in 1",), (), ({}, (0,))),
    ("bounded", ("map 1 <= x < 3: t = 0; (5 // x) * t in 1",), (), None),
    ("bounded", ("map -1 <= x < 2: t = 1; (1 << x) % t in 1",), (), ({}, (-1,))),
    ("bounded", ("map 0 <= x < 2: t = 1; (1 << x) % t in 1",), (), None),
    ("bounded", ("map x < 2: t = x; (5//t) - (5//x) in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 1; u = (5 // x) % t; 0 in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 0; truncdiv(5, x - 1) * t in 1",), (), ({}, (1,))),
    ("bounded", ("map x < 2: t = 0; truncmod(5, x) * t in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 0; ceildiv(5, x) * t in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 0; (7 % x) & t in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = x; (5 // x) ^ (5 // t) in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: ((5 // x) | -1) + 1 in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = x; min(5//x, 5//t) - min(5//t, 5//x) in 1",), (), ({}, (0,))),
    ("bounded", ("map -1 <= x < 2: t = 0; 2**x * t in 1",), (), ({}, (-1,))),
    ("bounded", ("map -1 <= x < 2: t = 0; (5 >> x) * t in 1",), (), ({}, (-1,))),
    ("bounded", ("map x < 2: t = 0; 5 // ((3 // x) * t + 1) in 6",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 1; 5 // (x*t - x*t + x) in 6",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = (5 // x)**0; t in 2",), (), ({}, (0,))),
    # unused definitions, nested ones, several results
    ("bounded", ("map x < 2: u = (5 // x) * 0; 0 in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 0; u = (5 // x) * t; v = u * t; x in 2",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 0; (x, (5 // x) * t) in (2, 1)",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 0; 5 // t in 6",), (), ({}, (0,))),
    ("bijective", ("map i < 6: t = 0; (i//2 + (5//i)*t, i%2) in (3, 2)",), (), ({}, (0,))),
    ("bijective", ("map i < 6: t = 0; (i//2 + (5//(i+1))*t, i%2) in (3, 2)",), (), None),
    ("injective", ("map i < 6: (i//K, i%K) in (6, K)",), ("K >= 0",), ({"K": 0}, (0,))),
    ("bijective", ("map x < 8: u = 5//(x-3); x ^ (x//2) in 8",), (), ({}, (3,))),
    ("bijective", ("map x < 8: u = 5//(x-9); x ^ (x//2) in 8",), (), None),
    # a guard comes first; conditions and, or; the branch that is not taken
    ("bounded", ("map x < 2 if x > 0: t = 0; (5 // x) * t in 1",), (), None),
    ("bounded", ("map x < 2 if (5 // x) * 0 < 1: 0 in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2 if x > 0 and (5 // x) * 0 < 1: 0 in 1",), (), None),
    ("bounded", ("map x < 2 if (5 // x) * 0 < 1 and x > 0: 0 in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2 if x < 1 or (5 // x) * 0 < 1: 0 in 1",), (), None),
    ("bounded", ("map x < 2 if x > 0 or (5 // x) * 0 < 1: 0 in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: t = 0; (5 // x if x > 0 else 0) * t in 1",), (), None),
    ("bounded", ("map x < 2: t = 0; (5 // x if x >= 0 else 0) * t in 1",), (), ({}, (0,))),
    ("bounded", ("map x < 2: (5 // x if x > 0 else 1) * 0 in 1",), (), None),
    ("bounded", ("map x < 2: t = 0; (5 // t if x > 5 else 0) in 6",), (), None),
    ("bounded", ("map x < 2: t = 0; (5 // t if x > 0 else 0) in 6",), (), ({}, (1,))),
    ("bounded", ("map x < 2: t = 1; (7//x if t > 2 else 0) * 0 in 1",), (), None),
    ("bounded", ("map -1 <= x < 2: ((1<<x) if x < 5 else 0) - (1<<x) in 1",), (), ({}, (-1,))),
    ("bounded", ("map x < 2: t = 0; ((5//x) * t if x > 0 and 7//x > 0 else 0) in 1",), (), None),
    ("bounded", ("map x < 2: t = 0; ((5//x) * t if x > 0 or 7//x > 0 else 0) in 1",), (), ({}, (0,))),
    # a condition that makes an extreme of a conditional, and divides by what cancels
    ("bounded", ("map x < 2: (x if x + 5//x < 5//x + 4 else 3) in 4",), (), ({}, (0,))),
    ("bounded", ("map x < 2: (3 if x + 5//x > 5//x + 3 else x) in 4",), (), ({}, (0,))),
    ("bounded", ("map x < 2: (3 if 5//x + x >= 5//x + 3 else x) in 4",), (), ({}, (0,))),
    ("bounded", ("map x < 2 if (x if 5//x - x > 5//x - 1 else 0) < 1: 0 in 1",), (), ({}, (0,))),
    ("bounded", ("map -1 <= x < 2: (x if x + 2**x < 2**x + 4 else 3) + 1 in 5",), (), ({}, (-1,))),
    ("bounded", ("map x < 2: (x if x + 5//(x+1) < 5//(x+1) + 4 else 3) in 4",), (), None),
    ("bounded", ("map x < 2: t = 5//(x+1); (x if x + t < t + 4 else 3) in 4",), (), None),
    ("bounded", ("map x < N: (x if x + 6//K < 6//K + 4 else 3) in 4",), ("K >= 0",), ({"K": 0}, (0,))),
    ("injective", ("(x,2):((x if x + 6//K < 6//K + 5 else 4)*2,1)",), ("K >= 0",), ({"K": 0}, ())),
    ("holds", ("(x if x + 6//K < 6//K + 5 else 4) <= 4",), ("K >= 0",), ({"K": 0}, ())),
    ("holds", ("(x if x + 6//K < 6//K + 5 else 4) <= 4",), (), None),
    # the other words
    ("injective", ("map x < 1: t = 0; (5 // x) * t in 1",), (), ({}, (0,))),
    ("onto", ("map x < 1: t = 0; (5 // x) * t in 1",), (), ({}, (0,))),
    ("bijective", ("map x < 1: t = 0; (5 // x) * t in 1",), (), ({}, (0,))),
    ("valid", ("map x < 1: t = 0; (5 // x) * t in 1",), (), ({}, (0,))),
    ("equal", ("map x < 2: t = 0; (5 // x) * t", "map x < 2: 0"), (), ({}, (0,))),
    ("equal", ("map x < 2: 0", "map x < 2: t = 0; (5 // x) * t"), (), ({}, (0,))),
    ("disjoint", ("map x < 2: t = 0; (5 // x) * t", "map y < 2: 1"), (), ({}, (0,))),
    ("inverse", ("map x < 2: x", "map x < 2: t = 0; (5 // x) * t + x"), (), ({}, (0,))),
    ("inverse", ("map x < 2: (x, x)", "map a < 2, b < 2 if a == b: 5//a - 5//b + a"), (), ({}, (0, 0))),
    ("inverse", ("map x < 2: (x, x)", "map a < 2, b < 2 if a == b: 5//(a+1) - 5//(b+1) + a"), (), None),
    ("fits", ("map x < 2: t = 0; (5 // x) * t",), (), ({}, (0,))),
    ("fits", ("map x < 2, 5//x <= y < 5//x + 1: x",), (), ({}, (0,))),
    ("fits", ("map x < 2: x in 2 + (5//K)*0",), ("K >= 0",), ({"K": 0}, ())),
    ("formula", ("map x < 2: t = 0; (5 // x) * t", "0"), (), ({}, (0,))),
    ("formula", ("f32[M]{0}", "i + (5//i if i > 0 else 1) * 0"), (), None),
    ("formula", ("f32[M]{0}", "i + (5//i if i >= 0 else 1) * 0"), (), ({"M": 1}, (0,))),
    # sizes: ranges, boxes, layouts, facts, arguments
    ("bounded", ("map x < 2 + (5 // K) * 0: x in 2",), ("K >= 0",), ({"K": 0}, ())),
    ("bounded", ("map x < 2: x in 2 + (5 // K) * 0",), ("K >= 0",), ({"K": 0}, ())),
    ("bounded", ("map x < 2: t = 0; (5 // K) * t in 1",), ("K >= 0",), ({"K": 0}, (0,))),
    ("bounded", ("map x < 2, 5//x <= y < 5//x + 1: 0 in 1",), (), ({}, (0,))),
    ("injective", ("strided f32[4,1] strides(1,(5//K)*0)",), ("K >= 0",), ({"K": 0}, ())),
    ("bounded", ("f32[4]", "4 + (5//K)%1"), ("K >= 0",), ({"K": 0}, ())),
    ("bytes", ("f32[4]", "16 + 5//K - 5//K"), ("K >= 0",), ({"K": 0}, ())),
    ("holds", ("offset((4,4):(0,1), 5//K, 1) == 1",), ("K >= 0",), ({"K": 0}, ())),
    ("holds", ("size((4,5//K))*0 == 0",), ("K >= 0",), ({"K": 0}, ())),
    ("holds", ("((7 % K) | -1) + 1 == 0",), ("K >= 0",), ({"K": 0}, ())),
    ("injective", ("dice((1,5//K - 5//K),(4,2):(1,4))",), ("K >= 0",), ({"K": 0}, ())),
    ("injective", ("affine_map<(d0)[K] -> (d0 + (5 floordiv K)*0)>",), ("K >= 0",), ({"K": 0}, (0,))),
]  # fmt: skip


@pytest.mark.parametrize(("word", "texts", "where", "failure"), CASES)
def test_a_part_without_a_value_refutes_whatever_it_comes_to(
    word: str,
    texts: tuple[str, ...],
    where: tuple[str, ...],
    failure: tuple[dict[str, int], tuple[int, ...]] | None,
) -> None:
    verdict = getattr(prove, word)(*texts, where=where)
    if failure is None:
        assert verdict.proved, verdict
        return
    assert verdict.refuted, verdict
    example = verdict.counterexample
    assert {n: v for n, v in example.sizes.items() if n in failure[0]} == failure[0]
    assert example.coords == failure[1]
    text = f"{verdict.reason} {example.left} {example.right} {example.note}"
    assert "divi" in text or "shift" in text or "undefined" in text


def test_an_extent_below_0_at_one_coordinate_has_no_value_either() -> None:
    verdict = prove.fits("map i < N, j < i - 1: j", where="N <= 100")
    assert verdict.counterexample.sizes == {"N": 1}
    assert "the extent of j is -1" in verdict.reason
    assert prove.fits("map i < N, j < N - i: j", where="N <= 100").proved


def test_facts_without_a_value_exclude_an_assignment() -> None:
    where = ["K >= 0", "(5//K)*0 == 0"]
    assert prove.holds("K <= 2", where=where).counterexample.sizes == {"K": 3}
    assert not prove.holds("K >= 1", where=where).refuted


def judged(verdict: Any, word: str, maps: list[Plain], rows: list[dict[str, int]]) -> None:
    """The verdict is that of plain integers, and its counterexample fails by them."""
    failing = [sizes for sizes in rows if not true(word, maps, sizes)]
    assert verdict.status == ("refuted" if failing else "proved"), (verdict, failing)
    if verdict.refuted:
        sizes = verdict.counterexample.sizes
        assert any(all(row.get(n, v) == v for n, v in sizes.items()) for row in failing)
        if verdict.counterexample.left == "undefined" and verdict.counterexample.coords:
            values = {"K": 0, **sizes}
            undefined = 0
            for m in maps:
                if len(m.variables) == len(verdict.counterexample.coords):
                    try:
                        m.at(verdict.counterexample.coords, values)
                    except Undefined:
                        undefined += 1
            assert undefined


SIZES = [{"K": k} for k in range(4)]


@pytest.mark.explore
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_verdicts_on_maps_are_those_of_plain_integers(data: st.DataObject) -> None:
    word, texts = drawn_claim(lambda options: data.draw(st.sampled_from(list(options))))
    sized = any("K" in t for t in texts)
    where = ["0 <= K", "K <= 3"] if sized else []
    rows = SIZES if sized else SIZES[:1]
    judged(getattr(prove, word)(*texts, where=where), word, list(map(Plain.of, texts)), rows)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_verdicts_on_maps_in_c_are_those_of_plain_integers(data: st.DataObject) -> None:
    word, texts = drawn_claim(lambda options: data.draw(st.sampled_from(list(options))))
    plain = list(map(Plain.of, texts))
    written = [m.c_text() for m in plain]
    if not all("/" in t or "?" in t for t in written):
        return  # of no language
    sized = any("K" in t for t in texts)
    where = ["0 <= K", "K <= 3"] if sized else []
    maps = [m.changed(lambda e: Truncating().visit(copy.deepcopy(e))) for m in plain]
    verdict = getattr(prove, word)(*written, where=where)
    judged(verdict, word, maps, SIZES if sized else SIZES[:1])


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_proof_for_all_sizes_holds_at_small_ones(data: st.DataObject) -> None:
    word, texts = drawn_claim(lambda options: data.draw(st.sampled_from(list(options))))
    sized = any("K" in t for t in texts)
    verdict = getattr(prove, word)(*texts, where=["0 <= K"] if sized else [])
    maps = list(map(Plain.of, texts))
    if verdict.proved:
        assert all(true(word, maps, sizes) for sizes in SIZES)
    elif verdict.refuted:
        assert not true(word, maps, {"K": 0, **verdict.counterexample.sizes})


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_verdicts_on_layouts_and_expressions_are_those_of_plain_integers(
    data: st.DataObject,
) -> None:
    def pick(options: Any) -> Any:
        return data.draw(st.sampled_from(list(options)))

    drawn = Drawn(pick, operands=("K", "(K - 1)", "(2 - K)", "K*K", "-K"), coordinates=False)
    text = drawn.vanishing()
    word, layout, more = pick(LAYOUTS)
    arguments = [t.replace("?", text) for t in (layout, *more)]
    tree, failing = parsed(text), []
    for sizes in SIZES:
        try:
            assert value(tree, sizes) == 0
        except Undefined:
            failing.append(sizes["K"])
    verdict = getattr(prove, word)(*arguments, where=["0 <= K", "K <= 3"])
    assert verdict.status == ("refuted" if failing else "proved"), (verdict, failing)
    if verdict.refuted:
        assert verdict.counterexample.sizes["K"] in failing


def test_of_several_results_none_has_a_value_where_one_has_none() -> None:
    index = sl.index_map(lambda x: (0, 5 // x - 5 // x, x), {"x": 2}, box=(1, 1, 2))
    assert prove.bounded(index).counterexample.coords == (0,)


# -- conditions, points ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "texts", "where", "text"),
    [
        ("bounded", ("map x < 2: t = 0; (5 // x) * t in 1",), (), "never"),
        ("bounded", ("map x < N: t = 0; (5 // (x-3)) * t in 1",), (), "N <= 3"),
        ("bounded", ("map x < N: t = 0; (5 // K) * t in 1",), ("K >= 0",), "K >= 1"),
        ("bounded", ("map x < N: t = 1; (1 << (K-2)) % t in 1",), (), "K >= 2"),
        ("bounded", ("map x < N if x < M: t = 0; (5 // (x-3)) * t in 1",), (), "N <= 3 or M <= 3"),
        ("bounded", ("map x < N: t = 0; (5//(x-3) if x > M else 0) * t in 1",), (), "M >= 3 or N <= 3"),
        ("equal", ("map x < N: t = 0; (5 // (x-3)) * t + x", "map x < N: x"), (), "N <= 3"),
        ("disjoint", ("map x < N: t = 0; (5 // (x-3)) * t", "map x < N: 1"), (), "N <= 3"),
        ("injective", ("map x < N: t = 0; (5 // (x-M)) * t + x",), (), "N <= M"),
    ],
)  # fmt: skip
def test_the_condition_excludes_what_has_no_value(
    word: str, texts: tuple[str, ...], where: tuple[str, ...], text: str
) -> None:
    condition = getattr(sl.when, word)(*texts, where=where)
    assert (condition.text, condition.exact) == (text, True)
