"""What claims mean to `recheck`: at all small sizes the same as in plain integers written elsewhere."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_judge import meant
from soundness import drawing
from soundness.claims import WORDS
from soundness.judging import all_names, enumerated
from soundness.truth import TooMany, order_of

from symlayout import parse
from symlayout.certificate.codec import read_statement
from symlayout.certificate.definitions import bits_of
from symlayout.certificate.elaborator import certificate
from symlayout.certificate.enumeration import Room, failing_case, holds_at, places_hold
from symlayout.certificate.layouts import layout_map
from symlayout.certificate.proof import Texts
from symlayout.certificate.semantics import Claim
from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.layouts.claim import Claim as Asked
from symlayout.layouts.xla.dtypes import BITS

POINTS = 12


def claim_of(word, arguments, options=None, facts=()):
    made = {"word": word, "arguments": list(arguments), "options": dict(options or {})}
    return Claim(read_statement(made, list(facts)))


@pytest.mark.sample(1)
@pytest.mark.parametrize("word", list(WORDS))
def test_a_claim_means_what_plain_integers_say(word):
    seen = Counter()
    for n in range(30):
        drawn = WORDS[word][1](random.Random(f"meaning/{word}/{n}"))
        names = all_names(drawn)
        env, count, *_ = enumerated(names, drawn.facts, drawn.truth)
        if not count:
            continue
        made = claim_of(word, drawn.args, drawn.options, drawn.facts)
        if word == "fits":
            made.options["formula"] = str(parse(drawn.args[0]).index_map().under(made.assumptions))
        try:
            fails = drawn.truth.fails(env, count)
        except TooMany:
            continue
        wrong, right = (
            [k for k in range(count) if fails[k]],
            [k for k in range(count) if not fails[k]],
        )
        for k in wrong[:POINTS] + right[:POINTS]:
            sizes = {name: int(env[name][k]) for name in names}
            if set(made.names) <= set(sizes) and made.allows(sizes):
                holds = meant(made, sizes, Texts())
                if holds is not None:
                    assert holds != bool(fails[k]), (str(drawn), sizes)
                    seen[holds] += 1
    assert seen[True] > 20
    assert seen[False] > 3


def test_layouts_are_what_their_notations_define():
    rng, seen = random.Random(5), Counter()
    for _ in range(150):
        a = drawing.layout(rng, drawing.shape(rng))
        m, other = layout_map(a.text), parse(a.text).index_map()
        sizes = {n: rng.randint(1, 5) for n in sorted({*m.names, *order_of(a)})}
        if np.any(a.undefined(sizes)):
            continue
        shape = [value(d, sizes) for d in m.shape]
        assert shape == [value(d, sizes) for d in other.shape]
        assert value(m.size, sizes) == int(a.size(sizes))
        assert 0 in shape or value(m.size, sizes) == value(other.size, sizes)
        assert m.bits == other.bits
        for _ in range(5 if min(shape, default=1) > 0 else 0):
            place = tuple(rng.randrange(d) for d in shape)
            env = {**sizes, **dict(zip((c.name for c in m.coords), place))}
            assert value(m.raw, env) == other.reference(place, sizes)
            seen[a.notation] += 1
    assert {"XLA", "strided", "shape:stride", "format"} <= set(seen)


@pytest.mark.parametrize(
    "text",
    ["strided f32[M,4] strides(8,1)", "(M,4):(4,1)", "(4,2):(1,4):(M)", "f32[M,4]{1,0:T(8,128)}"],
)
def test_an_empty_array_occupies_nothing(text):
    size = layout_map(text).size
    assert value(size, {"M": 0}) == 0
    assert value(size, {"M": 1}) > 0


@given(
    st.integers(0, 3),
    st.integers(0, 2),
    st.tuples(st.sampled_from([1, -1]), st.integers(0, 2)),
    st.integers(0, 9),
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 20)), min_size=1, max_size=2),
)
def test_a_swizzle_has_whole_blocks_of_what_lies_before_it(bits, base, further, start, modes):
    shift = further[0] * (bits + further[1])
    shape, steps = (",".join(map(str, column)) for column in zip(*modes))
    m = layout_map(f"Swizzle({bits},{base},{shift}) o {start} o ({shape}):({steps})")
    count = start + sum((n - 1) * d for n, d in modes) + 1
    block = 2 ** (base - min(shift, 0) + bits) if bits else 1
    assert value(m.size, {}) == -(-count // block) * block
    assert m.before is not None  # bits that are moved so far permute
    assert value(m.before.size, {}) == count
    for place in product(*[range(n) for n, _ in modes]):
        env = dict(zip((c.name for c in m.coords), place))
        x = start + sum(k * d for k, (_, d) in zip(place, modes))
        part = x >> (base + max(shift, 0)) & 2**bits - 1
        assert value(m.raw, env) == x ^ part << (base - min(shift, 0))


def test_a_size_that_is_the_number_0():
    for text in ("strided f32[0,4] strides(8,1)", "(0,4):(4,1)", "(4,(2,0)):(1,(4,8))"):
        assert value(layout_map(text).size, {}) == 0


def test_coordinates_keep_clear_of_sizes():
    assert list(map(str, layout_map("f32[2,3,4]").coords)) == ["i", "j", "k"]
    assert list(map(str, layout_map("f32[2,3,4,5]").coords)) == ["i0", "i1", "i2", "i3"]
    assert list(map(str, layout_map("f32[i,i0]").coords)) == ["i_0", "i_1"]
    made = claim_of("equal", ["f32[M,N]{1,0}", "f32[i,j]{1,0}"], facts=["M == i", "N == j"])
    for m in made.maps:
        assert not {c.name for c in m.coords} & set(made.names)
    part = list(made.parts("", Texts()))[-1]
    assert set(part.box) & set(made.names) == set()


def test_two_buffers_of_which_one_has_room_to_spare():
    made = claim_of("reinterpret", ["f32[M]{0}", "f32[M]{0}"])
    assert places_hold(made, [[0, 1], [1, 0]], [2, 2])
    assert not places_hold(made, [[0, 1], [1, 0]], [2, 3])
    assert not places_hold(made, [[0, 1], [2, 0]], [3, 3])


def test_names_and_demands():
    assert claim_of("injective", ["f32[N]{0}"], facts=["N == 4*n"]).names == ["N", "n"]
    made = claim_of("broadcast", ["f32[M]", "f32[N]"], {"dialect": "numpy"})
    natural, demand = [{"M >= 0"}, {"N >= 0"}], {"M == N", "M == 1", "N == 1"}
    assert [{str(r) for r in goal} for goal in made.goals] == [*natural, demand]
    later = claim_of("broadcast", ["f32[<=M]", "f32[1]"], {"dialect": "numpy"})
    assert [str(r) for r in later.facts[:2]] == ["i4 >= 0", "i4 <= M"]


def test_what_is_taken_for_granted_and_what_is_not():
    corner = claim_of("tiles", ["f32[M,N]{1,0}", "2,2"], {"at": "p,q"})
    assert {"p >= 0", "q >= 0"} <= set(map(str, corner.facts))
    wanted = {str(r) for goal in corner.definedness() for r in goal}
    assert {"p >= 0", "q >= 0", "M >= p + 1", "N >= q + 1"} <= wanted
    counted = list(claim_of("bijective", ["f32[M,N]{1,0}"]).parts("count", BACK))[-1]
    assert [str(r) for goal in counted.goals for r in goal] == ["M*N == M*N", "M >= 0", "N >= 0"]


BACK = Texts(lists={"back": ("offset//N", "offset%N")})


@pytest.mark.parametrize(
    ("word", "held", "size", "true"),
    [
        ("valid", [-1, 0], 2, False),
        ("valid", [0, 2], 2, False),
        ("valid", [1, 0], 2, True),
        ("valid", [1, 1], 2, False),
        ("bijective", [1, 0], 2, True),
        ("bijective", [2, 0], 3, False),
        ("onto", [0, 1, 1], 2, True),
        ("onto", [0, 1], 2, True),
        ("onto", [0, 1], 10**12, False),
        ("onto", [0, 2], 2, False),
        ("injective", [5, 7], 2, True),
        ("injective", [5, 5], 2, False),
    ],
)
def test_offsets_in_a_buffer(word, held, size, true):
    assert places_hold(claim_of(word, ["(N):(1)"]), [held], [size]) == true


def test_claims_about_finitely_many_points():
    good = claim_of("onto", ["(2,3):(1,2)"])
    assert failing_case(good, Texts()) is None
    assert failing_case(claim_of("onto", ["(2,3):(1,3)"]), Texts()) == {}
    some = claim_of("injective", ["(2,N):(1,2)"], facts=["N <= 4"])
    assert failing_case(some, Texts()) is None
    bad = claim_of("bounded", ["(N):(1)", "3"], facts=["N <= 5"])
    assert failing_case(bad, Texts()) == {"N": 4}
    last = claim_of("bounded", ["(N):(1)", "3"], facts=["N <= 4"])
    assert failing_case(last, Texts()) == {"N": 4}
    room = Room(3)
    room.take(3)
    with pytest.raises(LayoutError, match="too many points"):
        room.take(1)
    with pytest.raises(LayoutError, match="the size N has no bound"):
        failing_case(claim_of("injective", ["(N):(1)"]), Texts())
    with pytest.raises(LayoutError, match="too many points"):
        failing_case(claim_of("injective", ["(300,300):(300,1)"]), Texts())
    with pytest.raises(LayoutError, match="too many points"):
        failing_case(claim_of("bounded", ["(M,N):(1,1)"], facts=["M <= 400", "N <= 400"]), Texts())


@pytest.mark.parametrize(
    ("word", "arguments", "options", "message"),
    [
        ("bounded", ["f32[N]{0}", "P"], {}, "P"),
        (
            "formula",
            ["f32[M,N]{1,0}", "x*N + y"],
            {"coords": "x x"},
            "does not name the coordinates",
        ),
        (
            "formula",
            ["f32[M,N]{1,0}", "x*N + M"],
            {"coords": "x M"},
            "does not name the coordinates",
        ),
        ("equal", ["f32[M,N]{1,0}", "f32[M]{0}"], {}, "2 and 1 dimensions"),
        ("padding", ["f32[M,N]{1,0}", "1/0"], {}, "divides by zero"),
        ("aligned", ["f32[M,N]{1,0}", "4"], {"dim": "2"}, "no dimension 2"),
        ("formula", ["f32[M,N]{1,0}", "x*N + y"], {}, "x"),
        ("tiles", ["f32[4,4]{1,0}", "2,2"], {"at": "4,0"}, "begins at 4"),
        ("injective", ["(f32[2], f32[3])"], {}, "not a single buffer"),
    ],
)
def test_texts_that_mean_nothing(word, arguments, options, message):
    with pytest.raises(LayoutError, match=message):
        list(claim_of(word, arguments, options).parts("", Texts()))


@pytest.mark.parametrize(
    ("word", "arguments", "options", "message"),
    [
        ("aligned", ["(M,N):(N,1)", "16"], {}, "no element type"),
        ("divides", ["RowMajor(M,N)"], {}, "not an XLA layout"),
        ("bytes", ["(M,N):(N,1)", "M*N"], {}, "no element type"),
        ("bitcast", ["f32[M,N]{1,0}", "bf16[M,N]{1,0}"], {}, "elements of 32 and of 16 bits"),
        ("bitcast", ["f32[M,N]{1,0}", "f32[N,M]{1,0}"], {"perm": "0,0"}, "is not a permutation"),
    ],
)
def test_claims_that_cannot_be_stated(word, arguments, options, message):
    with pytest.raises(LayoutError, match=message):
        list(claim_of(word, arguments, options).parts("", Texts()))


UNDEFINED = [
    # (word, arguments, options, facts), sizes at which something is not defined
    ("onto", ["f32[N-4,N-4]{1,0}"], {}, (), {"N": 1}),
    ("onto", ["(N-4,N-4):(1,1)"], {}, (), {"N": 1}),
    ("bytes", ["strided f32[M-3] strides(1)", "4*M - 12"], {}, (), {"M": 1}),
    ("tiles", ["f32[N,N]{1,0}", "K,1"], {}, ("K >= 0",), {"K": 0, "N": 3}),
    ("tiles", ["f32[N,N]{1,0}", "0-N,N"], {}, (), {"N": 2}),
    ("tiles", ["f32[4,4]{1,0}", "2,2"], {"at": "p,0"}, (), {"p": 4}),
    ("injective", ["(M):(8//t)"], {}, ("t >= 0",), {"M": 1, "t": 0}),
    ("bytes", ["f32[M]{0:T(t)}", "0"], {}, ("t >= 0",), {"M": 1, "t": 0}),
    ("injective", ["f32[M]{0:T(t-2)}"], {}, (), {"M": 3, "t": 1}),
    ("bytes", ["f32[M]{0:PAD(P)}", "4*P"], {}, (), {"M": 2, "P": 1}),
    ("injective", ["(M,4):(4,1):(m,n)"], {}, (), {"M": 1, "m": 2, "n": 1}),
    ("injective", ["PaddingRowMajor(M, N, s, 2)"], {}, ("s >= 0",), {"M": 1, "N": 1, "s": 0}),
    ("injective", ["zN(f16, M-2, 3)"], {}, (), {"M": 1}),
    ("injective", ["Swizzle(1,0,1) o 0 o (M):(S-E)"], {}, (), {"M": 2, "S": 1, "E": 2}),
    ("holds", ["x//(y-1) == x//(y-1)"], {}, (), {"x": 1, "y": 1}),
    ("broadcast", ["f32[M-2]", "f32[M-2]"], {}, (), {"M": 1}),
    ("instruction", ["f32[M-2] negate(f32[M-2])"], {}, (), {"M": 1}),
    ("padding", ["f32[M-9]{0}", "2"], {}, (), {"M": 1}),
]


@pytest.mark.parametrize(("word", "args", "options", "facts", "sizes"), UNDEFINED)
def test_what_is_not_defined_is_no_claim_that_holds(word, args, options, facts, sizes):
    made = claim_of(word, args, options, facts)
    assert made.allows({**dict.fromkeys(made.names, 1), **sizes})
    assert not holds_at(made, sizes, Texts(), Room())


@pytest.mark.parametrize(
    ("text", "sizes", "size"),
    [
        ("strided f32[3] strides(S-E)", {"S": 5, "E": 1}, 9),
        ("strided f32[3] strides(N-M)", {"N": 5, "M": 1}, 9),
        ("strided f32[3] strides(S-E) offset 8", {"S": 1, "E": 5}, 9),
        ("strided f32[3] strides(S-E) offset 2", {"S": 1, "E": 5}, 9),
        ("strided f32[3,2] strides(S-E,1)", {"S": 1, "E": 5}, 10),
        ("strided f32[K] strides(S-E)", {"S": 5, "E": 1, "K": 0}, 0),
        ("(3):(S-E)", {"S": 5, "E": 1}, 9),
        ("(3):(S-E)", {"S": 1, "E": 5}, 9),
        ("(3,2):(S-E,1)", {"S": 1, "E": 5}, 10),
        ("Strided(3, S-E)", {"S": 5, "E": 1}, 9),
    ],
)
def test_a_size_does_not_depend_on_how_a_stride_is_written(text, sizes, size):
    assert value(layout_map(text).size, sizes) == size


def test_formats_are_what_their_texts_define():
    for text in (
        "zN(f16, 5, 33)",
        "nZ(f32, 20, 9)",
        "zZ(bf16, 17, 17)",
        "nN(s8, 40, 20)",
        "L0C(f32, 17, 3)",
        "Weight4BitnZ(s4, 33, 17)",
        "MxScalezZ(17, 3)",
        "MxScalenN(5, 17)",
        "PaddingRowMajor(5, 7, 2, 3)",
        "PaddingColumnMajor(f16, 5, 7, 2, 3)",
        "RowMajor(3, 4)",
        "RowMajor(f32, 3, 4, 9)",
        "ColumnMajor(3, 4, 5)",
        "Vector(f16, 7)",
        "NC1HWC0(f16, 2, 1, 2, 2, 3)",
        "CI1KHKWCOCI0(f16, 2, 1, 2, 2, 3)",
        "NDC1HWC0(f16, 2, 3, 1, 2, 2, 3)",
        "KDC1KHKWN1N0C0(f16, 6, 2, 4, 3)",
        "Strided(f32, 3, 2, 1, 5)",
        "(4,(2,3)):(2,(1,8))",
        "((4,2),(2,3)):((2,1),(8,16)):(7,5)",
        "(2,3):(1,2)",
        "Swizzle(2,0,2) o 4 o (4,4):(4,1)",
        "Swizzle(1,2,-1) o (4,4):(4,1)",
    ):
        m, other = layout_map(text), parse(text).index_map()
        assert value(m.size, {}) == other.size, text
        assert m.bits == other.bits, text
        for place in product(*map(range, other.shape)):
            env = dict(zip((c.name for c in m.coords), place))
            assert value(m.raw, env) == other.reference(place, {}), (text, place)


@pytest.mark.parametrize("word", sorted(BITS))
def test_bits_of_element_types(word):
    assert bits_of(word) == BITS[word]


@pytest.mark.parametrize(
    "text", ["f32[5,7]{1,0:T(2,3)}", "f32[4,6,8]{2,1,0:T(*,4,8)(2,1)}", "f32[7]{0:T(2,4)}"]
)
def test_tiles_and_what_they_tile(text):
    assert [(int(t), int(n)) for t, n in layout_map(text).pairs] == parse(text).tile_pairs()


@pytest.mark.explore
def test_a_false_claim_has_no_certificate():

    for word, args, options in (
        ("injective", ["(M,N):(1,1)"], {}),
        ("onto", ["(2,3):(1,3)"], {}),
        ("equal", ["f32[M,N]{1,0}", "f32[M,N]{0,1}"], {}),
        ("bounded", ["f32[M,N]{1,0}", "M*N - 1"], {}),
        ("bijective", ["f32[M,N]{1,0:T(2,2)}"], {}),
        ("reinterpret", ["f32[M,N]{1,0:T(2,2)}", "f32[M,N]{1,0}"], {}),
        ("padding", ["f32[M,N]{1,0:T(2,2)}", "2"], {}),
        ("broadcast", ["f32[M]", "f32[N]"], {"dialect": "numpy"}),
        ("broadcast", ["f32[2]", "f32[3,2]"], {"dialect": "numpy", "rank_promotion": "raise"}),
        ("broadcast", ["f32[?]", "f32[?]"], {"dialect": "numpy"}),
        ("tiles", ["f32[M,N]{1,0:T(2,2)}", "3,2"], {}),
        ("divides", ["2", "N"], {}),
        ("aligned", ["f32[M,N]{1,0}", "8"], {}),
        ("holds", ["x//2*2 == x"], {}),
        ("fits", ["f32[M,N]{1,0}", "32"], {}),
    ):
        assert certificate(Asked(word, tuple(args), tuple(options.items()))) is None, (word, args)
