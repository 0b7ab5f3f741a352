"""CANN's names of fractal formats are those that its documents mean, and never the transposed ones."""

from __future__ import annotations

import pytest

from symlayout import parse, prove, recheck

# the name, whether a fractal is row-major inside, and whether fractals are in row-major order
NAMES = {
    "FRACTAL_NZ": (True, False),
    "FRACTAL_ZN": (False, True),
    "FRACTAL_ZZ": (True, True),
    "Nz": (True, False),
    "Zn": (False, True),
    "Zz": (True, True),
    "Nn": (False, False),
    "zN": (True, False),
    "nZ": (False, True),
    "zZ": (True, True),
    "nN": (False, False),
}

TAGGED = ["zN", "nZ", "zZ"]


def offset(i: int, j: int, rows: int, cols: int, inside: bool, outside: bool) -> int:
    """The place of an element of f16 in fractals of 16 by 16, in plain integers."""
    down, across = -(-rows // 16), -(-cols // 16)
    fractal = i // 16 * across + j // 16 if outside else j // 16 * down + i // 16
    within = i % 16 * 16 + j % 16 if inside else j % 16 * 16 + i % 16
    return fractal * 256 + within


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sizes", [(16, 16), (33, 40), (48, 20)])
def test_elements_lie_where_the_name_says(name: str, sizes: tuple[int, int]) -> None:
    layout = parse(f"{name}(f16,{sizes[0]},{sizes[1]})").index_map()
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            assert layout.offset(i, j) == offset(i, j, *sizes, *NAMES[name])


@pytest.mark.parametrize("tag", TAGGED)
@pytest.mark.parametrize(
    ("element", "dtype"),
    [("half", "f16"), ("float", "f32"), ("int8_t", "s8"), ("bfloat16_t", "bf16"),
     ("AscendC::int4b_t", "s4")],
)  # fmt: skip
def test_a_layout_of_a_tag_is_the_format(tag: str, element: str, dtype: str) -> None:
    text = f"auto l = tla::MakeLayout<{element}, Catlass::layout::{tag}>(R, C);"
    verdict = prove.equal(text, f"{tag}({dtype},R,C)")
    assert verdict.proved
    assert recheck(verdict.certificate).ok
    other = "zN" if tag != "zN" else "nZ"
    assert prove.equal(text, f"{other}({dtype},R,C)").refuted


@pytest.mark.parametrize(
    ("word", "dtype"),
    [
        ("half", "f16"),
        ("float", "f32"),
        ("int8_t", "s8"),
        ("uint8_t", "u8"),
        ("float16_t", "f16"),
        ("bfloat16_t", "bf16"),
        ("int4b_t", "s4"),
    ],
)
@pytest.mark.parametrize("name", ["zN", "nZ", "zZ", "RowMajor"])
def test_an_element_type_of_cpp_is_that_of_hlo(word: str, dtype: str, name: str) -> None:
    text = f"{name}({word},M,N)"
    assert str(parse(text)) == str(parse(f"{name}({dtype},M,N)"))
    verdict = prove.equal(text, f"{name}({dtype},M,N)")
    assert verdict.proved
    assert recheck(verdict.certificate).ok
    assert not prove.equal("zN(half,M,N)", "zN(s8,M,N)").proved


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("layout::zN::MakeLayout<half>(M,N)", "zN(f16,M,N)"),
        ("zN::MakeLayout<half>(M,N)", "zN(f16,M,N)"),
        ("Catlass::layout::nZ::MakeLayout<int8_t>(M, N)", "nZ(s8,M,N)"),
        ("RowMajor::MakeLayout(M,N)", "RowMajor(M,N)"),
        ("layout::zN::MakeLayout<half>(Int<32>{}, N)", "zN(f16,32,N)"),
    ],
)
def test_a_layout_that_a_tag_makes_is_the_format(text: str, same: str) -> None:
    verdict = prove.equal(text, same)
    assert verdict.proved
    assert recheck(verdict.certificate).ok
    assert str(parse(text).index_map().formula) == str(parse(same).index_map().formula)
