"""Modes put on, taken off and exchanged; shapes compared; partitions by thread; recast with facts."""

from __future__ import annotations

import time
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import LayoutError, prove, tla
from symlayout.tla import Layout, read_layout

sizes = st.sampled_from([1, 2, 3, 4])
flat = st.lists(st.tuples(sizes, st.integers(0, 20)), min_size=1, max_size=4).map(
    lambda m: Layout(tuple(n for n, _ in m), tuple(d for _, d in m))
)


@given(flat, flat)
def test_modes_are_joined_and_chosen(a, b):
    assert tla.append(a, b).modes == (*a.modes, b)
    assert tla.prepend(a, b).modes == (b, *a.modes)
    assert tla.select(a, *range(a.rank)) == a == tla.take(a, 0, a.rank)
    assert tla.replace(a, 0, b).modes == (b, *a.modes[1:])
    assert tla.unflatten(tla.flatten(a), a.shape) == a
    assert tla.append(a, rank=6).rank == 6


shapes = st.recursive(sizes, lambda s: st.lists(s, min_size=1, max_size=3).map(tuple), max_leaves=5)


def coordinates(shape):
    """Every coordinate of a nested shape."""
    if isinstance(shape, tuple):
        return list(product(*map(coordinates, shape)))
    return list(range(shape))


@given(shapes, shapes)
def test_compatible_says_that_coordinates_fit(a, b):
    def fits() -> bool:
        try:  # a coordinate of a is read by b's shape, with one number for each of its
            read = [tla.make_layout(b)(c) for c in coordinates(a)]
        except LayoutError:
            return False
        return sorted(map(int, read)) == list(range(int(tla.size(b))))

    assert tla.compatible(a, b) == fits()
    assert not tla.compatible(a, b) or tla.weakly_congruent(a, b)
    assert tla.congruent(a, b) == (tla.weakly_congruent(a, b) and tla.weakly_congruent(b, a))


@given(shapes, shapes, st.data())
def test_a_coordinate_keeps_its_number(a, b, data):
    if tla.size(a) == tla.size(b):
        number = data.draw(st.integers(0, int(tla.size(a)) - 1))
        there = tla.crd2crd(tla.idx2crd(number, a), a, b)
        assert tla.crd2offset(there, b) == number


@given(st.permutations(range(3)), st.lists(sizes, min_size=3, max_size=3))
def test_a_layout_like_another_is_compact_in_its_order(order, shape):
    made = tla.make_layout_like(Layout(tuple(shape), tuple(100**k for k in order)))
    places = sorted(int(made(k)) for k in range(int(made.size)))
    assert places == list(range(int(made.size)))
    ranked = sorted(range(3), key=lambda k: (order[k],))
    steps = [int(made.stride[k]) for k in ranked]
    assert steps == sorted(steps)


@pytest.mark.parametrize("threads", ["(4,8):(8,1)", "(4,8):(1,4)", "(2,(2,4)):(8,(4,1))"])
@pytest.mark.parametrize("values", ["(2,2):(2,1)", "(1,8):(8,1)", "(4,2):(1,4)"])
def test_thread_value_layouts_put_each_thread_s_values_together(threads, values):
    t, v = read_layout(threads), read_layout(values)
    tile, made = tla.make_layout_tv(t, v)
    high, wide = tla.product(v.shape[0]), tla.product(v.shape[1])
    for m, n in product(range(int(tile[0])), range(int(tile[1]))):
        thread, value = t(m // high, n // wide), v(m % high, n % wide)
        assert made(int(thread), int(value)) == m + n * tile[0]
    text = f"tv {made} on ({tile[0]},{tile[1]})"
    assert prove.bijective(text).proved


def test_a_partition_has_every_so_many_th_element():
    for thread in range(8):
        part, first = tla.local_partition("(8,6):(1,8)", "(4,2):(2,1)", thread)
        rows, columns = thread // 2, thread % 2
        assert first == rows + columns * 8
        assert [int(first + part(i, j)) for j in range(3) for i in range(2)] == [
            rows + 4 * i + 8 * (columns + 2 * j) for j in range(3) for i in range(2)
        ]


def test_shapes_are_divided():
    assert tla.shape_div((12, 3), 6) == (2, 3)
    assert str(tla.shape_div(("N", 4), 8, where="N % 8 == 0")) == "(N//8, 4)"
    with pytest.raises(LayoutError, match="divide"):
        tla.shape_div(6, 4)


@settings(max_examples=40)
@given(st.integers(0, 3), st.integers(0, 4), st.sampled_from([3, 4, -3, -4]),
       st.sampled_from([1, 2, 4, 8]), st.sampled_from([(16, 1), (1, 8), (32, 2)]))  # fmt: skip
def test_a_swizzled_layout_is_counted_in_other_elements(bits, base, shift, n, strides):
    a = tla.ComposedLayout(tla.Swizzle(bits, base, shift), 0, Layout((8, 16), strides))
    old = {int(a(k)) for k in range(128)}
    wide = tla.downcast(a, n) if n == 1 or strides != (32, 2) else None
    if wide is not None:
        assert {x * n + k for x in old for k in range(n)} == {int(wide(k)) for k in range(128 * n)}
    try:
        made = tla.upcast(a, n)
    except LayoutError:
        assert (bits and 2**base < n) or strides == (32, 2)
        return
    assert {x // n for x in old} == {int(made(k)) for k in range(int(made.layout.size))}


def test_what_facts_say_is_known():
    assert str(tla.upcast("(M,N):(N,1)", 2, where="N % 2 == 0")) == "(M,N//2):(N//2,1)"
    assert str(tla.recast("(M,N):(N,1)", 16, 32, where="N % 2 == 0")) == "(M,N//2):(N//2,1)"
    assert str(tla.coalesce("(m,n):(n,1)", where="m == 1")) == "n:1"
    with pytest.raises(LayoutError, match="not a multiple"):
        tla.upcast("(M,N):(N,1)", 2)
    assert prove.equal("coalesce((M,N):(N,1))", "N:1", where="M == 1").proved
    assert prove.equal("select((M,N):(N,1), 1, 0)", "(N,M):(1,N)").proved
    assert prove.injective("append((M,N):(N,1), K:S)", where="S >= M*N").proved


@given(st.lists(st.tuples(sizes, st.sampled_from([1, 1, 2, 3])), min_size=1, max_size=4), st.data())
def test_inverses_of_nested_strides_are_those_that_a_search_finds(modes, data):
    strides, below = [0] * len(modes), 1
    for k in data.draw(st.permutations(range(len(modes)))):
        strides[k] = below = below * modes[k][1]
        below *= modes[k][0]
    layout = Layout(tuple(n for n, _ in modes), tuple(strides))
    right, left = tla.right_inverse(layout), tla.left_inverse(layout)
    places = [int(layout(k)) for k in range(int(layout.size))]
    assert [int(left(x)) for x in places] == list(range(len(places)))
    run = next(k for k in range(len(places) + 1) if k not in places)
    assert int(right.size) == run
    assert [places[int(right(k))] for k in range(run)] == list(range(run))


def test_large_layouts_are_inverted_by_their_structure():
    start = time.perf_counter()
    for n in (1 << 10, 1 << 20):
        assert str(tla.right_inverse(Layout((n, n), (n, 1)))) == f"({n},{n}):({n},1)"
        assert str(tla.left_inverse(Layout((n, n), (2 * n, 1)))) == f"({2 * n},{n}):({n},1)"
    assert time.perf_counter() - start < 5


@given(st.lists(st.tuples(sizes, st.integers(1, 12)), min_size=2, max_size=2),
       st.tuples(sizes, sizes), st.booleans())  # fmt: skip
def test_copies_of_a_product_never_meet(modes, grid, swap):
    a = Layout(tuple(n for n, _ in modes), tuple(d for _, d in modes))
    b = Layout(grid, (grid[1], 1) if swap else (1, grid[0]))
    places = [int(a(k)) for k in range(int(a.size))]
    try:
        made = tla.logical_product(a, b)
    except LayoutError:
        return
    if len(set(places)) == len(places):
        every = [int(made(k)) for k in range(int(made.size))]
        assert len(set(every)) == len(every) == int(a.size) * int(b.size)
        assert every[: int(a.size)] == places


def test_padded_shared_memory_fills_a_shape():
    made = tla.tile_to_shape("(8,8):(9,1)", (16, 16))
    assert str(made) == "(16,(8,2)):(9,(1,144))"
    assert prove.injective("tile_to_shape((8,8):(9,1), (16,16))").proved
    swizzled = tla.tile_to_shape("Swizzle(3,3,3) o 0 o (8,64):(64,1)", (64, 128))
    assert str(swizzled) == "Swizzle(3,3,3) o 0 o (64,(64,2)):(64,(1,4096))"


SWIZZLED = "Swizzle(3,3,3) o 0 o (8,64):(64,1)"


TAKE_LAYOUTS = [
    *("append", "blocked_product", "bank_conflicts", "coalesce", "complement", "composition"),
    *("contiguity", "downcast", "filter", "filter_zeros", "flat_divide", "flat_product", "flatten"),
    *("get_tile_layout", "left_inverse", "local_partition", "local_tile", "logical_divide"),
    *("logical_product", "make_layout_like", "make_layout_tile", "make_layout_tv", "nullspace"),
    *("max_common_layout", "max_common_vector", "prepend", "raked_product", "recast", "replace"),
    *("right_inverse", "select", "tile_to_shape", "tile_view", "tiled_divide", "tiled_product"),
    *("unflatten", "upcast", "zipped_divide", "zipped_product"),
]


@pytest.mark.parametrize("name", TAKE_LAYOUTS)
def test_a_swizzled_operand_is_taken_or_refused_by_an_error_of_ours(name):
    operation = getattr(tla, name)
    s, other = read_layout(SWIZZLED), read_layout("(2,2):(1,2)")
    for arguments in (
        (s,),
        (s, 2),
        (s, (2, 2)),
        (s, other),
        (other, s),
        (s, s),
        (s, (2, 2), (0, 0)),
    ):
        try:
            operation(*arguments)
        except LayoutError:
            continue
        except TypeError as error:
            if "argument" not in str(error):
                raise


def test_a_tile_of_a_swizzled_layout_has_its_elements():
    s = read_layout(SWIZZLED)
    tile, first = tla.local_tile(s, (4, 8), (1, 3))
    assert first == 0
    assert all(tile(i, j) == s(4 + i, 24 + j) for i in range(4) for j in range(8))
