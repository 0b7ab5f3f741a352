"""Properties of internal modules; `tests/test_soundness.py` tests the public interface."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from math import prod

import numpy as np
import pytest
from soundness import drawing, maps
from soundness.claims import WORDS
from soundness.drawing import shape
from soundness.judging import Claim, judge
from soundness.layouts import Affine, Fractals, Nested, Tiled
from soundness.truth import Equal, Formula, Injective, Onto, Relations, elements, order_of
from test_soundness import drawn

import symlayout as sl
from symlayout import CoordMap, IndexMap, Verdict, prove, simplify
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import symbol, value
from symlayout.layouts.notation import notation_of
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.prove.verdict import Counterexample

N, i = symbol("N"), symbol("i")


def test_every_word_and_every_notation_is_drawn():
    drawings = [drawn(word, n) for word in WORDS for n in range(12)]
    assert {*WORDS, *maps.PAIRS} == set(CLAIMS)
    found = {part for c in drawings for part in c.notation.split("+")}
    assert {"XLA", "strided", "shape:stride", "format", "expression", "instruction"} <= found
    assert any("+" in c.notation for c in drawings)
    assert {o for c in drawings for o in c.options} == {
        *("perm", "coords", "language", "dims", "dialect", "dim", "at")
    }


# -- the reference --------------------------------------------


def test_the_layouts_written_down_once_more_are_those_of_the_package():
    rng = random.Random(5)
    seen = Counter()
    for _ in range(400):
        a = drawing.swizzled(rng) if rng.random() < 0.05 else drawing.layout(rng, shape(rng))
        m = sl.parse(a.text).index_map()
        sizes = {n: rng.randint(1, 4) for n in sorted({*m.symbols, *order_of(a)})}
        if np.any(a.undefined(sizes)):
            continue
        sides = [value(d, sizes) for d in m.shape]
        if prod(sides) > 5000:
            continue
        here = elements(a, {n: np.array([v]) for n, v in sizes.items()}, 1)
        assert [int(s) for s in a.sides(sizes)] == sides
        want = [m.reference(p, sizes) for p in product(*map(range, sides))]
        assert here.offsets(a).tolist() == want, a.text
        assert 0 in sides or int(a.size(sizes)) == value(m.size, sizes), a.text
        assert a.bits == m.bits
        seen[a.notation] += 1
    assert min(seen[n] for n in ("XLA", "strided", "shape:stride", "format")) >= 20


@pytest.mark.parametrize("name", drawing.NOTATIONS)
def test_a_notation_is_drawn_as_the_package_reads_it(name):
    rng, seen = random.Random(name), 0
    for _ in range(40):
        a = drawing.NOTATIONS[name](rng, shape(rng), rng.choice(drawing.DTYPES))
        assert a.notation == notation_of(a.text).name == name
        m = sl.parse(a.text).index_map()
        sizes = {n: rng.randint(1, 4) for n in dict.fromkeys([*m.symbols, *order_of(a)])}
        env = {n: np.array([v]) for n, v in sizes.items()}
        sides = [value(d, sizes) for d in m.shape]
        if a.undefined(env).any() or 0 in sides or prod(sides) > 10_000:
            continue
        want = [m.reference(p, sizes) for p in product(*map(range, sides))]
        assert [int(s) for s in a.sides(sizes)] == sides
        assert elements(a, env, 1).offsets(a).tolist() == want, a.text
        assert int(a.size(sizes)) == value(m.size, sizes), a.text
        assert a.bits == m.bits
        seen += 1
    assert seen >= 20


SIZES = {n: np.array([v]) for n, v in {"N": 1, "M": 2, "t": 0, "u": -1, "P": 1, "Z": 0}.items()}


@pytest.mark.parametrize(
    ("layout", "defined"),
    [
        (Tiled.of("f32", ["N-1"], [0]), True),
        (Tiled.of("f32", ["N-4"], [0]), False),
        (Tiled.of("f32", ["N-4", "N-4"], [1, 0]), False),  # their product is 9
        (Tiled.of("f32", ["Z", "N-4"], [1, 0]), False),  # an empty box excuses no extent
        (Tiled.of("f32", ["M"], [0], [["t"]]), False),
        (Tiled.of("f32", ["M"], [0], [["t+1"]]), True),
        (Tiled.of("f32", ["M", "M"], [1, 0], [["u", "u"]]), False),
        (Tiled.of("f32", ["Z"], [0], [["t"]]), False),
        (Tiled.of("f32", ["M"], [0], [["8//t"]]), False),
        (Tiled.of("f32", ["M"], [0], padded=["P"]), False),
        (Tiled.of("f32", ["N"], [0], padded=["P"]), True),
        (Affine.strided("f32", ["M"], ["u"]), True),
        (Affine.strided("f32", ["M"], ["8//t"]), False),
        (Affine.strided("f32", ["M"], ["1"], "8%t"), False),
        (Nested.of(["M"], ["8//t"]), False),
        (Nested.of([("M", "u")], [("1", "1")]), False),
        (Nested.of([("M", "2")], [("1", "2")], ["4"]), True),
        (Nested.of([("M", "2")], [("1", "2")], ["M+3"]), False),
        (Nested.of([("M", "2")], [("1", "2")], ["u"]), False),
        (Fractals.of("PaddingRowMajor", "", ["M", "M", "t", "2"], "zZ", "t", "2"), False),
        (Fractals.of("PaddingRowMajor", "", ["M", "u", "2", "2"], "zZ", "2", "2"), False),
    ],
)
def test_where_a_layout_means_something(layout, defined):
    assert bool(layout.undefined(SIZES)) is not defined


# -- the judge --------------------------------------------


def claim_of(word, truth, *layouts, facts=()):
    names = order_of(*layouts)
    return Claim(word, tuple(a.text for a in layouts), facts, truth(names, *layouts))


def planted(claim, status, sizes=None, **shown):
    """The judge's word on a verdict that no prover gave."""
    example = None
    if sizes is not None:
        given = {"coords": (), "left": None, "right": None, **shown}
        example = Counterexample(sizes, **given)
    verdict = Verdict(status, claim.line, "", example)
    return judge(claim, ask=lambda asked: verdict).problem


ROWS = Affine.strided("f32", ["M", "N"], ["N", "1"])

COLUMNS = Affine.strided("f32", ["M", "N"], ["1", "M"])

ZERO = Affine.strided("f32", ["N"], ["0"])


def test_the_judge_notices_what_is_not_true():
    wrong = claim_of("equal", Equal, ROWS, COLUMNS)
    assert planted(wrong, "proved") == "false at {'M': 2, 'N': 2}"
    assert planted(wrong, "vacuous") == "the facts hold at {'M': 1, 'N': 1}"
    assert planted(wrong, "unknown") == ""
    empty = claim_of("equal", Equal, ROWS, COLUMNS, facts=("M <= 2", "M >= 3"))
    assert planted(empty, "vacuous") == planted(empty, "proved") == ""
    right = claim_of("equal", Equal, ROWS, ROWS)
    assert planted(right, "proved") == ""
    assert planted(right, "refuted", {"M": 2, "N": 2}) == (
        "holds at its counterexample {'M': 2, 'N': 2}"
    )


def test_the_judge_notices_wrong_counterexamples():
    claim = claim_of("equal", Equal, ROWS, COLUMNS)
    least = {"M": 2, "N": 2}
    assert planted(claim, "refuted", least, coords=(0, 1), left=1, right=2) == ""
    late = planted(claim, "refuted", {"M": 2, "N": 3}, coords=(0, 1), left=1, right=2)
    assert late == "not the smallest: {'M': 2, 'N': 3} after {'M': 2, 'N': 2}"
    for shown, word in (
        ({"coords": (1, 0), "left": 2, "right": 1}, "coords"),
        ({"coords": (0, 1), "left": 2, "right": 2}, "left"),
        ({"coords": (0, 1), "left": 1, "right": 3}, "right"),
    ):
        assert planted(claim, "refuted", least, **shown).startswith(f"{word} should be")
    assert "speaks of" in planted(claim, "refuted", {"M": 2, "Q": 2})
    assert "holds at its counterexample" in planted(claim, "refuted", {"M": 2})
    assert "below the least" in planted(claim, "refuted", {"M": 0, "N": 2})
    some = claim_of("equal", Equal, ROWS, COLUMNS, facts=("M % 2 == 1",))
    assert "the facts do not hold" in planted(some, "refuted", least)


def test_the_judge_looks_at_the_second_coordinate_of_a_collision():
    claim = claim_of("injective", Injective, ZERO)
    right = {"coords": (0,), "other": (1,), "left": 0, "right": 0}
    assert planted(claim, "refuted", {"N": 2}, **right) == ""
    assert planted(claim, "refuted", {"N": 2}, **{**right, "other": (0,)}).startswith("other")
    assert planted(claim, "refuted", {"N": 3}, **right).startswith("not the smallest")
    assert planted(claim, "proved") == "false at {'N': 2}"


def test_a_crash_and_an_error_are_findings():
    claim = claim_of("injective", Injective, ZERO)

    def fails(asked):
        raise LayoutError("SL301", "of another name")

    def crashes(asked):
        raise ValueError("no")

    assert judge(claim, ask=fails).problem == "SL301: of another name"
    assert judge(claim, ask=crashes).problem == "crash: ValueError: no"


def test_numbers_that_make_no_layout_are_refused_whatever_the_facts_say():
    layout = Nested.of([("0", "N"), "N"], [("1", "N"), "0"], ["2", "N"])
    for facts in ((), ("N >= 3",), ("N * N % 2 == 0", "N == 1")):
        assert judge(claim_of("injective", Injective, layout, facts=facts)).problem == ""
    held = claim_of("injective", Injective, ZERO, facts=("N == 1", "N == 2"))

    def fails(asked):
        raise LayoutError("SL107", "of numbers that are well")

    assert judge(held, ask=fails).problem == "SL107: of numbers that are well"


def test_a_certificate_for_another_claim_is_turned_down():
    proved = prove.injective("strided f32[N] strides(1)")
    claim = claim_of("injective", Injective, Affine.strided("f32", ["N"], ["2"]))
    assert "is turned down" in judge(claim, certificates=True, ask=lambda asked: proved).problem


def test_a_proof_is_held_against_sizes_that_facts_push_up():
    claim = claim_of("equal", Equal, ROWS, COLUMNS, facts=("M >= 20", "N % 11 == 0"))
    assert planted(claim, "proved") == "false at {'M': 20, 'N': 11}"


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
    assert value(m._raw, {"i": 3, c.name: 1}) == 4


def test_a_tile_of_a_size_called_like_a_coordinate():
    m = IndexMap.row_major((8,)).tile((i,))
    outer, within = m.coords
    assert i not in m.coords
    assert value(m._raw, {"i": 4, outer.name: 1, within.name: 3}) == 7
    assert m.buffer(i=4).tolist() == list(range(8))


def test_a_stride_called_like_a_coordinate():
    m = IndexMap.strided((4, 5), (i, 1))
    assert i not in m.coords
    turned = m.transpose((1, 0))
    assert i not in turned.coords
    for s, a, b in product((5, 7), range(4), range(5)):
        env = {"i": s, **dict(zip([c.name for c in turned.coords], (b, a)))}
        assert value(turned._raw, env) == s * a + b
    flat = m.reshape((20,))
    for s, n in product((5, 7), range(20)):
        assert value(flat._raw, {"i": s, flat.coords[0].name: n}) == s * (n // 5) + n % 5


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


# -- sizes that are too large to look at every element ----------------------------------------------

WIDE = [Tiled.of("f32", ["8192", "8192"], order) for order in ([1, 0], [0, 1])]

STEEP = Nested.of(["1000", "1000"], ["999", "1"])

MODULO = "(i*N + j)%2147483648"


def test_large_sizes_are_looked_at_in_some_places():
    claim = claim_of("equal", Equal, *WIDE)
    assert planted(claim, "proved").startswith("false at {}")
    assert planted(claim, "vacuous") == "the facts hold at {}"
    assert planted(claim, "refuted", {}, coords=(0, 1), left=1, right=8192) == ""
    for place in ((1, 1), (0, 8192), (-1, 0)):
        assert planted(claim, "refuted", {}, coords=place, left=1, right=8192)
    assert planted(claim_of("equal", Equal, WIDE[0], WIDE[0]), "proved") == ""


def test_large_sizes_are_looked_at_in_blocks_where_elements_meet():
    steep = claim_of("injective", Injective, STEEP)
    assert planted(steep, "proved").startswith("false at {}")
    found = {"coords": (0, 999), "left": 999, "right": 999}
    assert planted(steep, "refuted", {}, other=(1, 0), **found) == ""
    assert planted(steep, "refuted", {}, other=(2, 0), **found)
    assert planted(steep, "refuted", {}, other=(0, 999), **found)
    assert (
        planted(claim_of("injective", Injective, Tiled.of("f32", ["999999"], [0])), "proved") == ""
    )
    ragged = Tiled.of("f32", ["1000", "1000"], [1, 0], [["8", "128"]])
    assert planted(claim_of("onto", Onto, ragged), "proved").startswith("false at {}")


def test_a_counterexample_beyond_64_bits_of_elements_is_replayed():
    rows = Tiled.of("f32", ["M", "N"], [1, 0])
    truth = Formula(("M", "N"), rows, MODULO, (("i",), ("j",)), False)
    claim = Claim("formula", (rows.text, MODULO), (), truth)
    sizes = {"M": 1, "N": 2**31 + 1}
    assert planted(claim, "refuted", sizes, coords=(0, 2**31), left=2**31, right=0) == ""
    wrong = planted(claim, "refuted", sizes, coords=(0, 2**31 - 1), left=2**31 - 1, right=0)
    assert "is right" in wrong
    claim = Claim("holds", ("N*N != 10**40",), (), Relations(("N",), ("N*N != 10**40",)))
    assert planted(claim, "refuted", {"N": 10**20}) == ""
    assert planted(claim, "refuted", {"N": 10**19}).startswith("holds at")
