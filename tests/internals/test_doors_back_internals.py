"""Properties of internal modules; `tests/test_doors_back.py` tests the public interface."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soundness import doors

from symlayout import LayoutError, parse
from symlayout.layouts.doors.back import einops_text, encoding_text, linear_text, memref_text
from symlayout.layouts.doors.linear import Linear
from symlayout.layouts.maps.function import function_of
from symlayout.layouts.strided import Strided
from symlayout.render.emit import emit
from symlayout.render.emit.affine import affine_text, indexing_text
from symlayout.tla import as_layout

modes = st.lists(st.tuples(st.integers(1, 4), st.integers(-3, 40)), min_size=1, max_size=4)


def offsets(layout) -> list[int]:
    """At every coordinate."""
    m = layout.index_map()
    return [int(m.offset(*p)) for p in product(*[range(int(d)) for d in m.shape])]


@given(modes, st.integers(0, 99), st.sampled_from(["f32", "bf16", "s8", "u4", "pred", "c64"]))
def test_strides_come_back_from_a_memref(given_modes, start, dtype):
    dims, strides = zip(*given_modes)
    layout = Strided(dtype, dims, strides, start)
    again = parse(memref_text(layout))
    assert again == layout
    made = emit(layout, "affine").splitlines()[-1]
    point = tuple(d - 1 for d in dims)
    assert parse(made).at(point, {}) == (int(layout.index_map().offset(*point)),)


@given(modes)
def test_strides_come_back_from_shape_and_stride(given_modes):
    dims, strides = zip(*given_modes)
    layout = Strided("f32", dims, strides)
    assert offsets(parse(str(as_layout(layout)))) == offsets(layout)


@st.composite
def linear(draw, names):
    sizes = [2 ** draw(st.integers(0, 3)) for _ in range(draw(st.integers(1, 3)))]
    vector = st.tuples(*[st.integers(0, d - 1) for d in sizes])
    rows = {n: draw(st.lists(vector, max_size=3)) for n in names}
    return Linear.of(rows, {f"dim{k}": d for k, d in enumerate(sizes)})


@given(linear(("register", "lane", "warp", "block")))
def test_vectors_come_back_from_an_encoding(f):
    again = parse(encoding_text(f))
    # a register repeats what the vectors leave out of the shape
    assert {n: v[: len(dict(f.ins)[n])] for n, v in again.ins} == dict(f.ins)
    assert parse(linear_text(again)) == parse(str(Linear.of(dict(again.ins), dict(again.outs))))


@given(linear(("offset", "block")))
def test_vectors_come_back_from_a_shared_encoding(f):
    assert parse(encoding_text(f)).ins == f.ins


def test_an_index_without_a_stride_has_no_memref() -> None:
    with pytest.raises(LayoutError, match="stride for each dimension"):
        memref_text(parse("((2,2),4):((1,8),2)"))


@pytest.mark.parametrize("seed", range(60))
def test_a_rearrangement_comes_back_from_einops(seed):
    f = doors.einops(random.Random(seed))
    read = parse(f.text)
    sides = [set(s.replace("(", " ").replace(")", " ").split()) for s in f.text[7:].split("->")]
    if sides[0] != sides[1]:
        with pytest.raises(LayoutError) as error:
            einops_text(read)
        assert error.value.code == "SL203"
        return
    again = parse(einops_text(read))
    assert again.names == read.names or set(again.names) == set(read.names)
    for point in product(*f.domain):
        assert again.at(point, f.sizes) == read.at(point, f.sizes)


@given(st.data())
def test_a_compact_layout_comes_back_from_einops(data):
    dims = data.draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    steps, below = [0] * len(dims), 1
    for k in data.draw(st.permutations(range(len(dims)))):
        steps[k], below = below, below * dims[k]
    cut = data.draw(st.integers(1, len(dims)))
    shapes = [
        f"({','.join(map(str, part))})"
        for part in (dims[:cut], dims[cut:], steps[:cut], steps[cut:])
    ]
    text = (
        f"({shapes[0]},{shapes[1]}):({shapes[2]},{shapes[3]})"
        if cut < len(dims)
        else f"{shapes[0]}:{shapes[2]}"
    )
    m = parse(text).index_map()
    again = parse(einops_text(function_of(m)))
    for point in product(*[range(int(d)) for d in m.shape]):
        assert again.at(point, {}) == (int(m.offset(*point)),)


@pytest.mark.parametrize(
    "text", ["(M,N):(1,P)", "map i < 8 if i < 5: i in 8", "map i < 8: i//2", "map i < 8: i*i in 64",
             "map i < 8: (i%4, i//2) in (4,4)", "f32[M,N]{1,0:T(8,128)}", "map 1 <= i < 4: i in 4",
             "map i < 4, j < 4: i + j in 7", "map i < 8: (i ^ 1) in 8"]
)  # fmt: skip
def test_what_is_no_rearrangement_is_not_printed_as_one(text):
    f = parse(text)
    f = f if hasattr(f, "variables") else function_of(f.index_map())
    with pytest.raises(LayoutError) as error:
        einops_text(f)
    assert error.value.code == "SL203"


@pytest.mark.parametrize(
    ("text", "printed"),
    [  # symbols are not numbered anew: their order is part of what a text says
        ("affine_map<(d0)[s0, s1] -> (s1 * d0 + s0)>", "affine_map<(d0)[s0, s1] -> (d0*s1 + s0)>"),
        ("affine_map<(d0)[s0, s1] -> (d0 mod s1)>", "affine_map<(d0)[s1] -> (d0 mod s1)>"),
        ("affine_map<(i)[N, M] -> (i * M + N)>", "affine_map<(d0)[N, M] -> (M*d0 + N)>"),
        ("map i < M: i + d0", "affine_map<(d0)[s0] -> (s0 + d0)>"),
        ("f32[M,mod]", "affine_map<(d0, d1)[s0] -> (d0*s0 + d1)>"),
        ("f32[M,max]", "affine_map<(d0, d1)[s0] -> (d0*s0 + d1)>"),
        ("strided f32[4,not] strides(not,s0)", "affine_map<(d0, d1)[s1, s0] -> (d0*s1 + d1*s0)>"),
    ],
)
def test_the_symbols_of_an_affine_map_keep_their_names(text, printed):
    read = parse(text)
    found = affine_text(read if hasattr(read, "variables") else function_of(read.index_map()))
    assert found == printed
    parse(found)


@pytest.mark.parametrize(
    "text",
    [
        "memref<4x?x?xf32>",
        "memref<?x?xf8E4M3FN>",
        "memref<3xf4E2M1FN, strided<[2]>>",
        "memref<3x4xf8E5M2FNUZ, strided<[?, 1], offset: ?>>",
    ],
)
def test_memrefs_come_back_letter_by_letter(text):
    assert memref_text(parse(text)) == text


@pytest.mark.parametrize("seed", range(40))
def test_functions_come_back_from_affine_and_indexing_maps(seed):
    rng = random.Random(seed)
    f = doors.affine(rng)
    again = parse(affine_text(parse(f.text)))
    for point in product(*f.domain):
        assert again.at(point, f.sizes) == f.at(point)
    f = doors.indexing(rng)
    read = parse(f.text)
    if read.guard is not None:
        with pytest.raises(LayoutError, match="no guard"):
            indexing_text(read)
        return
    again = parse(indexing_text(read))
    points = list(product(*f.domain))
    assert list(again.points({})) == points
    assert [again.at(p, {}) for p in points] == [f.at(p) for p in points]


def test_axes_of_einops_are_no_words_of_maps():
    text = einops_text(function_of(parse("f32[M,max]").index_map()))
    assert text == "einops M a0 -> (M a0), a0=max"
    assert parse(text) == parse("einops M k -> (M k), k=max")
