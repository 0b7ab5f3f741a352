"""Layouts printed where other systems read them: what is read again says the same."""

from __future__ import annotations

import pytest

from symlayout import LayoutError, parse
from symlayout.__main__ import main


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


def test_words_of_maps_are_no_dimensions():
    with pytest.raises(LayoutError) as error:
        parse("affine_map<(in)[s0] -> (in)>")
    assert (error.value.code, error.value.at) == ("SL201", 12)


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
