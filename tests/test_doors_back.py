"""Layouts printed where other systems read them: what is read again says the same."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from soundness import doors

from symlayout import LayoutError, parse
from symlayout.__main__ import main
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


@pytest.mark.parametrize(
    ("layout", "spelling", "printed"),
    [
        ("strided f32[4,N] strides(N,1) offset 3", "memref",
         "memref<4x?xf32, strided<[?, 1], offset: 3>>"),
        ("f32[4,8]{0,1}", "memref", "memref<4x8xf32, strided<[1, 4]>>"),
        ("f32[4,8]{0,1}", "cute", "(4,8):(1,4)"),
        ("memref<4x?xf32, strided<[?, 1]>>", "cute", "(4,dim1):(stride0,1)"),
        ("(4,8):(8,1)", "memref", "memref<4x8xindex, strided<[8, 1]>>"),
        ("linear lane [[0,1],[1,0]]", "ttg",
         "#ttg.linear<{register = [], lane = [[0, 1], [1, 0]], warp = [], block = []}> on 2x2"),
        ("einops b (h d) -> b h d", "map",
         "map i < b, j < d*h: (i, j//d, j%d) in (b, h, d)"),
        ("f32[M,4]{1,0:T(8,2)}", "map",
         "map i < M, j < 4: 32*(i//8) + 16*(j//2) + 2*(i%8) + j%2 in 32*ceildiv(M, 8)"),
        ("(4,8):(8,1)", "map", "map i < 4, j < 8: 8*i + j in 32"),
    ],
)  # fmt: skip
def test_the_command_prints_other_notations(layout, spelling, printed, capsys) -> None:
    assert main(["formula", layout, "--spelling", spelling]) == 0
    assert capsys.readouterr().out.strip() == printed


@pytest.mark.parametrize(
    ("layout", "spelling"),
    [
        ("f32[M,N]{1,0:T(8,128)}", "memref"),
        ("strided f32[4] strides(1) offset 3", "cute"),
        ("f32[4]", "ttg"),
        ("f32[in]", "map"),
        ("linear x [[1]]", "ttg"),
        ("einops a b -> b a", "memref"),
        ("map 1 <= i < M: i in M", "affine"),
        # whose texts would not read back: there is no coordinate to ask about
        ("f32[]", "einops"),
        ("f32[]", "map"),
        ("():()", "affine"),
        ("memref<f32>", "indexing"),
    ],
)
def test_what_the_other_side_cannot_say_is_an_error(layout, spelling, capsys) -> None:
    assert main(["formula", layout, "--spelling", spelling]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("layout", "lost"),
    [
        ("f32[4]{0:T(128)}", ["memref"]),  # shape:stride:origin has the padding
        ("f32[4,5]{1,0:L(7)}", ["memref", "cute"]),
        ("f32[M,5]{1,0:L(7)}", ["memref", "cute"]),
        ("f32[2,3]{1,0:PAD(4,3)}", ["memref", "cute"]),
        ("f32[2,3]{1,0:PAD(2,4)}", ["memref"]),
        ("f32[M,N]{0,1}", []),
        ("strided f32[M,N] strides(S,1) offset 3", []),
        ("(4,5):(-5,1)", []),
        ("f32[0,3]{1,0:L(7)}", []),
        ("f32[]", []),
    ],
)
def test_padding_behind_the_last_element_is_said_to_be_lost(layout, lost, capsys) -> None:
    size = parse(layout).index_map().size
    for spelling in ("memref", "cute"):
        code = main(["formula", layout, "--spelling", spelling])
        out, err = capsys.readouterr()
        assert ("padding behind the last element" in err) == (spelling in lost)
        if code == 0 and isinstance(size, int):
            assert (parse(out.strip()).index_map().size < size) == (spelling in lost)


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
    ("text", "printed"),
    [
        ("(M,N):(1,M)", "einops M N -> (N M)"),
        ("f32[M,N]{0,1}", "einops M N -> (N M)"),
        (
            "((16,R),(16,C)):((16,256),(1,256*R))",
            "einops (R a0) (C a1) -> (C R a0 a1), a0=16, a1=16",
        ),
        ("map p < M*N: (p//N, p%N) in (M,N)", "einops (M N) -> M N"),
        ("(M,M):(1,M)", "einops M a0 -> (a0 M), a0=M"),
        ("map a0 < 4, a1 < 2: (a1, a0) in (2,4)", "einops a0 a1 -> a1 a0, a0=4, a1=2"),
    ],
)
def test_sizes_are_the_names_of_axes(capsys, text, printed):
    assert main(["formula", text, "--spelling", "einops"]) == 0
    assert capsys.readouterr().out.strip() == printed


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


def test_words_of_maps_are_no_dimensions():
    with pytest.raises(LayoutError) as error:
        parse("affine_map<(in)[s0] -> (in)>")
    assert (error.value.code, error.value.at) == ("SL201", 12)


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


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("memref<3x4xf32, 3 : i32>", "memref<3x4xf32>"),
        ("memref<3x4xf32, strided<[8, 1]>, 3 : i32>", "memref<3x4xf32, strided<[8, 1]>>"),
        ('memref<3x4xf32, {a = 1 : i64, b = "x"}>', "memref<3x4xf32>"),
        ("memref<3x?xf32, affine_map<(d0, d1) -> (d0, d1)>>", "memref<3x?xf32>"),
    ],
)
def test_what_stands_beside_a_memrefs_layout_says_nothing_of_places(text, other):
    assert parse(text) == parse(other)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("memref<4x8xf32, #map>", 16),
        ("memref<4x8xf32, #map, 3>", 16),
        ("memref<16x128xf32, #tpu.tiled<(8,128),[16,1]>, #tpu.memory_space<vmem>>", 19),
        ("memref<4x8xf32, #layout.of<1>>", 16),
        ("tensor<64x64xf16, #blocked>", 18),
        (
            "tensor<4x8xf32, #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>>",
            16,
        ),
        ('tensor<4x8xf32, "dense">', 16),
        ("memref<4x8xf32, strided<[1, 4]>, strided<[8, 1]>>", 33),
        ("memref<4x8xf32, 1, 2>", 19),
        ("memref<4x8xf32, 3, strided<[1, 4]>>", 19),
        ("vector<4x8xf32, 1>", 16),
    ],
)
def test_what_may_say_where_elements_lie_is_not_passed_over(text, at):
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.at == at


@pytest.mark.parametrize(
    "space",
    ["1", "3 : i32", '"vmem"', "{a = 1}", "#gpu.address_space<workgroup>", "#tpu.memory_space<vmem>",
     "#hal.descriptor_type<storage_buffer>", "#spirv.storage_class<Generic>"]
)  # fmt: skip
def test_a_memory_space_says_nothing_of_places(space):
    assert parse(f"memref<4x?xf32, {space}>") == parse("memref<4x?xf32>")
    text = "memref<4x?xf32, strided<[?, 2]>"
    assert parse(f"{text}, {space}>") == parse(f"{text}, #ws>") == parse(f"{text}>")


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


@pytest.mark.parametrize(
    ("text", "spelling", "printed"),
    [
        ("map i < 64: (i//8, i%8)", "affine", "affine_map<(d0) -> (d0 floordiv 8, d0 mod 8)>"),
        ("(2,3):(1@0,1@1)", "indexing", "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 2]"),
        ("(M,N):(N,1)", "affine", "affine_map<(d0, d1)[N] -> (N*d0 + d1)>"),
    ],
)
def test_layouts_are_printed_as_others_maps(capsys, text, spelling, printed):
    assert main(["formula", text, "--spelling", spelling]) == 0
    out, err = capsys.readouterr()
    assert out.strip() == printed
    assert ("an affine map has none" in err) is (spelling == "affine")


def test_what_an_affine_map_does_not_say_is_told(capsys):
    assert main(["formula", "f32[4,N]{1,0}", "--spelling", "affine"]) == 0
    said = "symlayout: the domain, d0 < 4, d1 < N, is not written: an affine map has none\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("text", ["(M,N):(N,1)", "map i < N: i in N", "map i < 4, j <= i: i"])
def test_an_indexing_map_has_numbers(capsys, text):
    assert main(["formula", text, "--spelling", "indexing"]) == 2
    assert capsys.readouterr().err.startswith("symlayout: SL")


def test_axes_of_einops_are_no_words_of_maps():
    text = einops_text(function_of(parse("f32[M,max]").index_map()))
    assert text == "einops M a0 -> (M a0), a0=max"
    assert parse(text) == parse("einops M k -> (M k), k=max")
