"""Other systems' notations and objects: what they mean, compared with plain integers and NumPy."""

from __future__ import annotations

import random
import sys
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from soundness import doors

from symlayout import LayoutError, parse, prove, recheck


@pytest.mark.parametrize("name", doors.FUNCTIONS)
@pytest.mark.parametrize("seed", range(40))
def test_a_function_computes_what_its_notation_says(name: str, seed: int) -> None:
    f = doors.FUNCTIONS[name](random.Random(seed))
    read = parse(f.text)
    points = [p for p in product(*f.domain) if f.keeps(p)]
    assert list(read.points(f.sizes)) == points, f.text
    assert [read.at(p, f.sizes) for p in points] == [f.at(p) for p in points], f.text


@pytest.mark.parametrize("name", doors.FUNCTIONS)
def test_claims_about_functions_agree_with_brute_force(name: str) -> None:
    rng, decided = random.Random(name), 0
    for _ in range(25):
        f = doors.FUNCTIONS[name](rng)
        read = parse(f.text)
        facts = [f"{n} == {x}" for n, x in f.sizes.items() if n in read.names]
        verdict = prove.injective(f.text, where=facts)
        values = [f.at(p) for p in product(*f.domain) if f.keeps(p)]
        once = len(set(values)) == len(values)
        assert verdict.status in ("proved" if once else "refuted", "unknown"), f.text
        decided += verdict.status != "unknown"
    assert decided >= 23


@given(
    arrays.arrays(np.float32, arrays.array_shapes(min_dims=1, max_dims=3, max_side=4)), st.data()
)
def test_an_array_lies_where_numpy_says(array, data):
    axes = data.draw(st.permutations(range(array.ndim)))
    steps = tuple(slice(None, None, data.draw(st.sampled_from([1, 2, -1]))) for _ in axes)
    view = array.transpose(axes)[steps]
    m = parse(view).index_map()
    other = parse(SimpleNamespace(__array_interface__=view.__array_interface__)).index_map()
    lowest = min(
        sum(i * s for i, s in zip(p, view.strides)) for p in product(*map(range, view.shape))
    )
    for p in product(*map(range, view.shape)):
        place = sum(i * s for i, s in zip(p, view.strides)) - lowest
        assert m.offset(*p) * 4 == place
        assert other.offset(*p) == m.offset(*p)


def test_empty_arrays_have_no_element() -> None:
    assert parse(np.zeros((3, 0, 4), np.int8)[::-1]).index_map().size == 0


@pytest.mark.parametrize("sizes", ["b=0, c=2", "b=2, c=0", "b=0, c=0", "c=0"])
def test_an_axis_of_no_size_is_in_a_group(sizes: str) -> None:
    text = f"einops a (b c) -> b a c, {sizes}"
    assert list(parse(text).points({"a": 3, "b": 2})) == []
    verdict = prove.bijective(text)
    assert verdict.proved
    assert recheck(verdict.certificate).ok


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("memref<4x8xf32>", "strided f32[4,8] strides(8,1)"),
        ("memref<f32>", "strided f32[] strides()"),
        ("memref<4x8xi1, 3>", "strided pred[4,8] strides(8,1)"),
        ("memref<4xf32, #gpu.address_space<workgroup>>", "strided f32[4] strides(1)"),
        (
            "memref<4x8xf32, strided<[-16, 1], offset: 48>>",
            "strided f32[4,8] strides(-16,1) offset 48",
        ),
        ("memref<?x?xui8, strided<[?, ?], offset: ?>, 1>",
         "strided u8[dim0,dim1] strides(stride0,stride1) offset start"),
        (
            "memref<4x8xf32, affine_map<(i, j)[n] -> (i * n + j + 3)>>",
            "strided f32[4,8] strides(n,1) offset 3",
        ),
        ("tensor<2x?xcomplex<f64>>", "strided c128[2,dim1] strides(dim1,1)"),
        ("vector<8xindex>", "strided s64[8] strides(1)"),
    ],
)  # fmt: skip
def test_a_memref_is_strided(text: str, means: str) -> None:
    assert str(parse(text)) == means


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("memref<4x8xf33>", "SL103"),
        ("memref<4x8>", "SL103"),
        ("memref<*xf32>", "SL107"),
        ("memref<4x8xf32, strided<[1]>>", "SL107"),
        ("memref<4x8xf32, strided<[1,N]>>", "SL101"),
        ("memref<4x8xf32, affine_map<(i, j) -> (i mod 2, j)>>", "SL107"),
        ("memref<4x8xf32, affine_map<(i, j) -> (i mod 2 + j)>>", "SL107"),
        ("memref<4xf32", "SL101"),
        ("memref<4xf32> x", "SL101"),
        ("affine_map<(d0) -> ()>", "SL403"),
        ("affine_map<() -> (3)>", "SL403"),
        ("affine_map<(d0) -> (d1)>", "SL201"),
        ("affine_map<(d0, d0) -> (d0)>", "SL201"),
        ("affine_map<(mod) -> (mod)>", "SL201"),
        ("affine_map<(d0) -> (d0 mod 0)>", "SL202"),
        ("(d0) -> (d0)", "SL101"),
        ("(d0) -> (d0), domain:", "SL101"),
        ("(d0) -> (d0), domain: d0 in [0, d0]", "SL201"),
        ("(d0) -> (d0), domain: d0 in [0, 1], d0 in [0, 2]", "SL201"),
        ("einops a b -> a b c", "SL403"),
        ("einops a a -> a", "SL201"),
        ("einops b map -> b", "SL201"),
        ("einops (b if) -> b if", "SL201"),
        ("einops (a (b)) -> a b", "SL101"),
        ("einops ... a -> a ...", "SL101"),
        ("einops a b -> b a, c=3", "SL201"),
        ("S<3,4> o (8,8):(8,1)", "SL101"),
        ("S<a,4,3> o (8,8):(8,1)", "SL101"),
    ],
)
def test_what_is_wrong_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code
    assert error.value.text is None or error.value.at is not None


@pytest.mark.parametrize(
    "text",
    ["S<3,4,3> o 0 o (8,64):(64,1)", "Sw<3,4,3> o (8,64):(64,1)", "Swizzle<3,4,3> o (8,64):(64,1)"],
)
def test_every_spelling_of_a_swizzle(text: str) -> None:
    assert parse(text) == parse("Swizzle(3,4,3) o 0 o (8,64):(64,1)")


def test_patterns_for_all_sizes() -> None:
    assert prove.bijective("einops b (h d) n -> b n (h d)").proved
    assert prove.bijective("einops (a b) (c d) -> (d b) (a c)").proved
    assert prove.injective("einops b c -> b").refuted
    assert prove.injective("affine_map<(d0, d1)[s0] -> (d0, d1 + s0)>").proved
    assert prove.injective("affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod s0)>").proved
    assert prove.injective("affine_map<(d0, d1)[s0] -> (d0 floordiv s0, d1)>").refuted
    both = "einops b (h d) -> b h d", "map i < b, j < h, k < d: (i, j*d + k) in (b, h*d)"
    assert prove.inverse(*both).proved


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("affine_map<(d0) -> (d0 mod -3)>", "SL202"),
        ("affine_map<(d0) -> (d0 mod ( - 3 ))>", "SL202"),
        ("(d0) -> (d0 mod -3), domain: d0 in [0, 7]", "SL202"),
        ("affine_map<(d0) -> (d0)> in (3, 4)", "SL101"),
        ("affine_map<(d0) -> (d0, d0)> in (3)", "SL403"),
        ("affine_map<(d0) -> (d0)> in d0", "SL201"),
        ("affine_map<(d0) -> (d0)> in", "SL200"),
        ("(d0) -> (d0), domain: d0 in [0, 7] in d0", "SL201"),
    ],
)
def test_what_a_map_of_others_has_not_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code


def test_floors_of_negative_divisors_are_floors() -> None:
    read = parse("affine_map<(d0) -> (d0 floordiv -3, d0 ceildiv -3)>")
    assert [read.at((x,), {"D0": 9}) for x in range(5)] == [(x // -3, -(x // 3)) for x in range(5)]


def test_a_tile_layout_goes_along_axes_by_digits_and_copies() -> None:
    def one(extent: int, stride: int, axis: str) -> SimpleNamespace:
        return SimpleNamespace(extent=extent, stride=stride, axis=SimpleNamespace(name=axis))

    tiles = SimpleNamespace(
        shard=[one(8, 4, "lane"), one(4, 1, "m")], replica=[one(2, 16, "lane")], offset={}
    )
    assert str(parse(tiles)) == "map i0 < 8, i1 < 4, r0 < 2: (4*i0 + 16*r0, i1)"


@pytest.mark.parametrize(
    ("word", "texts", "facts", "status"),
    [
        ("bijective", ["(2,3):(1@0,1@1)"], (), "proved"),
        ("bijective", ["(4,(2,N)):(1@1,(1@0,2@0))"], (), "proved"),
        ("injective", ["(_2,3):(E<0>,2*E<1>)"], (), "proved"),
        ("onto", ["(_2,3):(E<0>,2*E<1>)"], (), "refuted"),
        ("bijective", ["(M,N):(1@0,M@0)"], (), "proved"),
        ("bijective", ["(M,N):(1@0,N@0)"], (), "refuted"),
        ("bijective", ["(M,N):(1@0,N@0)"], "M == N", "proved"),
        ("injective", ["(4,8):(1@0,0)"], (), "refuted"),
        ("equal", ["(2,3):(1@0,1@1)", "map i < 2, j < 3: (i, j)"], (), "proved"),
        ("equal", ["(4,(2,3)):(1@0,(1@0@1,1@1@1))", "(4,(2,3)):(E<0>,(E<1,0>,E(1,1)))"], (), "proved"),
        ("inverse", ["(2,3):(1@1,1@0)", "map a < 3, b < 2: (b, a)"], (), "proved"),
    ],
)  # fmt: skip
def test_strides_may_be_directions(word: str, texts: list[str], facts: object, status: str) -> None:
    verdict = getattr(prove, word)(*texts, where=facts)
    assert verdict.status == status
    if status == "proved":
        assert recheck(verdict.certificate).ok
    for text in texts:
        assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(2,3):(1@0,1)", "SL101"),
        ("(2,3):(1@0,1@0@0)", "SL403"),
        ("(2,3):(1@,1@0)", "SL101"),
        ("(2,3):(1@0)", "SL107"),
        ("(2,3):(1@0,-1@1)", "SL101"),
        ("(2,3):(1@0,1@1):(1,1)", "SL101"),
        ("(2,3):(1@0,E<>)", "SL101"),
        ("(2,3):(1@0,1@1", "SL101"),
    ],
)
def test_what_is_no_direction_is_said(text: str, code: str) -> None:
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == code


@pytest.mark.parametrize(
    "text", ["(4,(2,N)):(E<0>,(E<1,>,E<1,1>))", "(4,2):(E<,>,1@1)", "4:1@99999"]
)
def test_a_direction_without_its_number_is_said(text):
    with pytest.raises(LayoutError) as error:
        parse(text)
    assert error.value.code == "SL101"


@pytest.mark.parametrize("text", ["(k^2,3):(_1,2)", "k^2:1", "((k^2)+1,3):(1,2)"])
def test_a_size_of_bits_prints_as_it_reads(text):
    assert parse(str(parse(text))) == parse(text)


def _tensor(shape: object, stride: object, offset: object = 0, dtype: object = "f32") -> object:
    return SimpleNamespace(
        shape=shape, stride=lambda: stride, storage_offset=lambda: offset, dtype=dtype
    )


@pytest.mark.parametrize(
    "x",
    [
        _tensor((2, 3), (3.5, 1)),
        _tensor((2.0, 3), (3, 1)),
        _tensor((2, 3), None),
        _tensor(None, (3, 1)),
        _tensor((2, 3), (3, 1), "x"),
        _tensor((2, 3), (3, 1), 1.5),
        _tensor((2, 3), (3, 1), dtype=None),
        SimpleNamespace(shape=(2, 3), stride=lambda: (3, 1), dtype="f32"),
        SimpleNamespace(shape=(2,), strides=(4.5,), itemsize=4, dtype="f32"),
        SimpleNamespace(__array_interface__={"shape": (2.5,), "typestr": "<f4"}),
        memoryview(b"abc"),
    ],
)
def test_an_object_whose_numbers_are_none_is_an_error_of_ours(x: object) -> None:
    with pytest.raises(LayoutError):
        parse(x)


# -- what objects do not say --------------------------------------------------------------------------


class SymInt:
    """A size of PyTorch's without a number: it prints an expression, and has the value of a trace."""

    def __init__(self, text: str, hint: int) -> None:
        self.text, self.hint = text, hint

    def __str__(self) -> str:
        return self.text

    def __index__(self) -> int:
        return self.hint


class _DimExpr:
    """A size of JAX's without a number, which is none."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class Tensor:
    """What a tensor of PyTorch offers."""

    def __init__(self, shape, strides, offset=0, dtype="torch.float32", layout="torch.strided"):
        self.shape, self.steps, self.offset, self.dtype = shape, strides, offset, dtype
        self.layout = layout

    def stride(self):
        return self.steps

    def storage_offset(self):
        return self.offset


def test_sizes_without_a_number_are_what_they_print() -> None:
    m, n = SymInt("s0", 7), SymInt("s1", 12)
    view = Tensor((SymInt("s0 - 2", 5), n), (n, 1), SymInt("2*s1", 24))
    assert parse(view) == parse("strided f32[s0 - 2,s1] strides(s1,1) offset 2*s1")
    assert parse(Tensor((n, m), (1, SymInt("s1", 12)))) == parse("strided f32[s1,s0] strides(1,s1)")

    class Specification:
        shape, dtype = (_DimExpr("b"), _DimExpr("mod(b, 3) + 1"), 4), "float32"

    read = parse(Specification())
    assert read == parse("strided f32[b,b%3 + 1,4] strides(4*(b%3 + 1),4,1)")
    assert prove.bijective(read).proved
    with pytest.raises(LayoutError):
        parse(Tensor((SymInt("Where(s0)", 7),), (1,)))


def test_tensors_that_are_not_strided_are_none() -> None:
    with pytest.raises(LayoutError, match=r"torch\.sparse_coo has no strides"):
        parse(Tensor((2, 3), (0, 0), layout="torch.sparse_coo"))

    class Nested:
        @property
        def shape(self):
            raise RuntimeError("it has no sizes\nmore")

    with pytest.raises(
        LayoutError, match="Nested does not say where its elements lie: it has no s"
    ):
        parse(Nested())
    with pytest.raises(LayoutError, match="says no element type"):
        parse(memoryview(b"abc"))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("torch.float8_e4m3fn", "f8e4m3fn"),
        ("torch.float8_e8m0fnu", "f8e8m0fnu"),
        ("float8_e4m3b11fnuz", "f8e4m3b11fnuz"),
        ("float4_e2m1fn", "f4e2m1fn"),
        ("torch.bfloat16", "bf16"),
        ("int4", "s4"),
        ("uint2", "u2"),
        ("float4_e2m1fn_x2", None),  # two of them in a byte
        ("int3", None),
        ("uint6", None),
        ("str128", None),
        ("qint8", None),
        ("float80", None),
    ],
)
def test_an_element_type_is_not_taken_for_one_with_a_name_like_it(name, meant) -> None:
    tensor = Tensor((2, 3), (3, 1), dtype=name)
    if meant is not None:
        assert parse(tensor).dtype == meant
        return
    with pytest.raises(LayoutError) as error:
        parse(tensor)
    assert error.value.code == "SL103"


class Interface:
    """An object with NumPy's array interface."""

    def __init__(self, **parts):
        self.__array_interface__ = {"shape": (2, 3), "version": 3, **parts}


def test_bytes_in_the_other_order_are_no_element_type_of_here():
    other = ">" if sys.byteorder == "little" else "<"
    for array in (np.zeros((2, 3), f"{other}f4"), Interface(typestr=f"{other}i2")):
        with pytest.raises(LayoutError, match="order") as error:
            parse(array)
        assert error.value.code == "SL103"
    assert str(parse(Interface(typestr=f"{other}u1"))) == "strided u8[2,3] strides(3,1)"
    assert str(parse(np.zeros((2, 3), "=f4"))) == "strided f32[2,3] strides(3,1)"


@pytest.mark.parametrize(
    "parts", [{}, {"typestr": None}, {"typestr": "f"}, {"typestr": "<V4"}, {"typestr": "<fx"},
              {"typestr": "<f4", "shape": None}, {"typestr": "<f4", "strides": (3,)}]
)  # fmt: skip
def test_an_array_interface_that_says_too_little_is_an_error(parts):
    with pytest.raises(LayoutError):
        parse(Interface(**parts))
