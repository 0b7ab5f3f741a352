import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError, parse, prove
from symlayout.layouts.doors.objects import from_array
from symlayout.layouts.strided import Strided, read_strided


@pytest.mark.parametrize(
    "text",
    [
        "strided f32[M,N] strides(N,1) offset 4",
        "strided bf16[3,4] strides(4,1)",
        "strided s8[] strides()",
        "strided f64[2,3] strides(-3,1) offset 3",
        "strided f16[M,ceildiv(N, 8)] strides(0,M)",
    ],
)
def test_a_text_prints_back_and_repr_evaluates(text):
    made = read_strided(text)
    assert str(made) == text
    assert parse(str(made)) == made
    assert eval(repr(made), {"read_strided": read_strided}) == made


def test_strides_default_to_row_major():
    assert str(read_strided("strided f32[2,3,4]")) == "strided f32[2,3,4] strides(12,4,1)"
    assert prove.equal("strided f32[M,N]", "f32[M,N]{1,0}").proved


def test_the_index_map_is_the_definition():
    m = read_strided("strided f32[M,N] strides(N,1) offset 4").index_map()
    assert str(m._raw) == "N*i + j + 4"
    assert m.bits == 32
    assert m.reference((2, 3), {"M": 5, "N": 7}) == 2 * 7 + 3 + 4
    assert str(m.size) == "M*N + 4"
    assert m.evaluate([0, 1], [2, 3], M=2, N=5).tolist() == [6, 12]


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("strided f33[2] strides(1)", "SL103", 8),
        ("strided [2] strides(1)", "SL101", 8),
        ("strided f32[2,3] strides(1)", "SL107", 17),
        ("strided f32[2,-3] strides(1,2)", "SL102", 18),
        ("strided f32[-2] strides(-1)", "SL102", 16),
        ("strided f32[2] stride(1)", "SL101", 15),
        ("strided f32[2] strides(1) offset", "SL200", 32),
        ("strided f32[2] strides(1) offset 3 4", "SL101", 35),
        ("strided f32[2", "SL101", 13),
    ],
)
def test_bad_texts_have_a_place(text, code, at):
    with pytest.raises(LayoutError) as e:
        read_strided(text)
    assert (e.value.code, e.value.at) == (code, at)


def test_negative_strides_may_have_a_start():
    backwards = Strided("f32", (4,), (-1,), 3)
    assert [backwards.index_map().offset(i) for i in range(4)] == [3, 2, 1, 0]
    assert backwards.size == 4
    lower = Strided("f32", (4,), (-1,), 2)  # an element before the first place: bounded says so
    assert [lower.index_map().offset(i) for i in range(4)] == [2, 1, 0, -1]
    assert lower.size == 4
    assert Strided("f32", (0,), (-1,), 0).size == 0


@pytest.mark.sample(27)
@pytest.mark.parametrize("start", range(-3, 12))
@pytest.mark.parametrize("stride", range(-4, 5))
def test_a_number_says_what_a_symbol_of_that_value_says(stride, start):
    """Claims about strides do not depend on whether these are written as numbers or as facts."""
    plain = f"strided f32[3] strides({stride}) offset {start}"
    named, where = "strided f32[3] strides(S) offset B", [f"S == {stride}", f"B == {start}"]
    size = 1 + max(start, start + 2 * stride) - min(0, start, start + 2 * stride)
    for word, *more in (("bounded",), ("injective",), ("onto",), ("valid",), ("bytes", 4 * size)):
        first = getattr(prove, word)(plain, *more)
        second = getattr(prove, word)(named, *more, where=where)
        assert first.status == second.status, (word, plain)
    assert first.proved
    inside = min(start, start + 2 * stride) >= 0
    assert prove.bounded(plain).status == ("proved" if inside else "refuted")


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.data(),
)
def test_a_numpy_view_lies_where_its_layout_says(shape, data):
    base = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    steps = [data.draw(st.sampled_from([1, -1, 2, -2])) for _ in shape]
    perm = data.draw(st.permutations(range(len(shape))))
    view = base[tuple(slice(None, None, s) for s in steps)].transpose(perm)
    layout = from_array(view)
    lowest = min(view.ravel())
    memory = base.ravel()[lowest:]
    grids = np.indices(view.shape)
    assert (memory[layout.index_map().evaluate(*grids)] == view).all()


@pytest.mark.parametrize(
    ("dtype", "name"),
    [("bool", "pred"), ("uint8", "u8"), ("float16", "f16"), ("complex64", "c64"), ("int64", "s64")],
)
def test_numpy_types(dtype, name):
    assert from_array(np.zeros(3, dtype)).dtype == name


def test_a_broadcast_array_has_stride_zero():
    assert str(from_array(np.broadcast_to(np.zeros((3, 1)), (3, 4)))) == (
        "strided f64[3,4] strides(1,0)"
    )


class FakeTensor:
    """What a PyTorch tensor offers."""

    shape = (3, 4)
    dtype = "torch.bfloat16"

    def stride(self):
        return (1, 3)

    def storage_offset(self):
        return 5


def test_a_tensor_counts_in_elements_and_has_an_offset():
    assert str(from_array(FakeTensor())) == "strided bf16[3,4] strides(1,3) offset 5"


def test_arrays_that_have_no_layout_are_refused():
    record = np.zeros(3, dtype=[("a", "i4"), ("b", "i1")])
    with pytest.raises(LayoutError, match="no multiples"):
        from_array(record["a"])
    with pytest.raises(LayoutError, match="not known"):
        from_array(np.zeros(2, "datetime64[s]"))
    with pytest.raises(LayoutError, match="no strides"):
        from_array(type("Bare", (), {"shape": (2,)})())
