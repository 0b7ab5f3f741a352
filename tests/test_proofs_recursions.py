"""The recursions that the proofs speak of are the library's layouts, at random ranks and sizes."""

from __future__ import annotations

import itertools
from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import tla

SIZES = st.integers(1, 4)

Ints = tuple[int, ...]


def box(sizes: Ints) -> list[Ints]:
    return list(itertools.product(*map(range, sizes)))


Profile = int | tuple["Profile", ...]


def leaves(shape: Profile) -> Ints:
    if isinstance(shape, int):
        return (shape,)
    return tuple(leaf for mode in shape for leaf in leaves(mode))


def like(shape: Profile, values: list[int]) -> Profile:
    """The values, taken from the front, in the shape's brackets."""
    if isinstance(shape, int):
        return values.pop(0)
    return tuple(like(mode, values) for mode in shape)


@given(
    st.recursive(SIZES, lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple)),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_nested_and_flat_coordinates_lead_to_one_offset(
    shape: Profile, data: st.DataObject
) -> None:
    flat = leaves(shape)
    stride = tuple(data.draw(st.lists(SIZES, min_size=len(flat), max_size=len(flat))))
    nested = like(shape, list(stride))
    for x in range(min(prod(flat), 40)):
        rest, split = x, []
        for s in flat[:-1]:
            split.append(rest % s)
            rest = rest // s
        split.append(rest)
        offset = sum(c * p for c, p in zip(split, stride, strict=True))
        assert tla.crd2offset(x, shape, nested) == offset
        assert tla.crd2offset(tuple(split), flat, stride) == offset
        assert tla.crd2offset(like(shape, list(split)), shape, nested) == offset


@given(st.lists(st.tuples(st.integers(0, 12), SIZES), max_size=4))
def test_digits_without_carries_and_without_gaps(digits: list[tuple[int, int]]) -> None:
    reach, apart, dense = 1, True, True
    for w, n in digits:
        apart, dense = apart and w >= reach, dense and w <= reach
        reach += w * (n - 1)
    values = [
        sum(w * c for (w, _), c in zip(digits, point, strict=True))
        for point in box(tuple(n for _, n in digits))
    ]
    assert max(values) == reach - 1
    if apart:
        assert len(set(values)) == len(values)
    if dense:
        assert set(values) == set(range(reach))


@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 20), st.integers(0, 12))
def test_a_tile_agrees_at_its_corner_or_fails_where_the_next_block_begins(
    block: int, inside: int, between: int, corner: int
) -> None:
    def place(i: int) -> int:
        return i // block * between + i % block * inside

    rest = corner % block
    wrong = [k for k in range(2 * block) if place(corner) + place(k) != place(corner + k)]
    if rest == 0 or between == block * inside:
        assert not wrong
    else:
        assert block - rest in wrong
        k = block - rest
        assert place(corner + k) - place(corner) - place(k) == between - block * inside
