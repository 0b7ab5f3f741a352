"""Layouts printed where other systems read them: what is read again says the same."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout import LayoutError, parse
from symlayout.__main__ import main
from symlayout.layouts.doors.back import encoding_text, linear_text, memref_text
from symlayout.layouts.doors.linear import Linear
from symlayout.layouts.strided import Strided
from symlayout.render.emit import emit
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
        ("f32[4]", "map"),
        ("linear x [[1]]", "ttg"),
        ("einops a b -> b a", "memref"),
    ],
)
def test_what_the_other_side_cannot_say_is_an_error(layout, spelling, capsys) -> None:
    assert main(["formula", layout, "--spelling", spelling]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_index_without_a_stride_has_no_memref() -> None:
    with pytest.raises(LayoutError, match="stride for each dimension"):
        memref_text(parse("((2,2),4):((1,8),2)"))
