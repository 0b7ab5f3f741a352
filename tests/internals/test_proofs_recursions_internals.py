"""Properties of internal modules; `tests/test_proofs_recursions.py` tests the public interface."""

from __future__ import annotations

from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st
from test_proofs_recursions import SIZES, Ints, box

import symlayout as sl
from symlayout.expr.evaluation import evaluate

TILES = st.integers(1, 3)


def linear_index(coords: Ints, sizes: Ints) -> int:
    """L of theorem 1."""
    index = 0
    for e, d in zip(coords, sizes, strict=True):
        index = index * d + e
    return index


def coordinates(x: int, sizes: Ints) -> Ints:
    """The splitting of theorem 2."""
    found: list[int] = []
    for d in reversed(sizes):
        found.append(x % d)
        x = x // d
    assert x == 0
    return tuple(reversed(found))


def level(coords: Ints, sizes: Ints, tile: Ints) -> tuple[Ints, Ints]:
    """Coordinates and sizes after one level of theorem 6."""
    free = len(sizes) - len(tile)
    head, ends = sizes[:free], sizes[free:]
    counts = tuple(-(-d // t) for d, t in zip(ends, tile, strict=True))
    quotients = tuple(e // t for e, t in zip(coords[free:], tile, strict=True))
    rests = tuple(e % t for e, t in zip(coords[free:], tile, strict=True))
    return (*coords[:free], *quotients, *rests), (*head, *counts, *tile)


def text(sizes: Ints, order: Ints, tiles: list[Ints]) -> str:
    """The layout in XLA's notation; `order` is physical, the most major first."""
    levels = "".join(f"({','.join(map(str, t))})" for t in tiles)
    minor = ",".join(map(str, reversed(order)))
    return f"f32[{','.join(map(str, sizes))}]{{{minor}{f':T{levels}' if tiles else ''}}}"


def offsets_of(layout: str) -> dict[Ints, int]:
    """Every coordinate's offset, from the expression that the prover works on."""
    made = sl.parse(layout).index_map()
    points = box(tuple(made.concrete({})[0]))
    columns = {c.name: [p[k] for p in points] for k, c in enumerate(made.coords)}
    values = evaluate(made._raw, columns, {}) if columns else [made.offset()]
    return dict(zip(points, map(int, values), strict=True))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_order_of_any_rank_is_a_bijection_with_its_inverse(data: st.DataObject) -> None:
    sizes = tuple(data.draw(st.lists(SIZES, max_size=5)))
    order = tuple(data.draw(st.permutations(range(len(sizes)))))
    layout = offsets_of(text(sizes, order, []))
    physical = tuple(sizes[k] for k in order)
    offsets = []
    for point in box(sizes):
        moved = tuple(point[k] for k in order)
        offset = linear_index(moved, physical)
        assert offset == layout[point]
        assert coordinates(offset, physical) == moved
        offsets.append(offset)
    assert sorted(offsets) == list(range(prod(sizes)))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_tiles_of_any_rank_and_any_number_of_levels(data: st.DataObject) -> None:
    sizes = tuple(data.draw(st.lists(SIZES, min_size=1, max_size=4)))
    order = tuple(data.draw(st.permutations(range(len(sizes)))))
    tiles: list[Ints] = []
    rank = len(sizes)
    for _ in range(data.draw(st.integers(0, 3))):
        tiles.append(tuple(data.draw(st.lists(TILES, min_size=1, max_size=min(rank, 3)))))
        rank += len(tiles[-1])
    layout = offsets_of(text(sizes, order, tiles))
    divides, found, space = True, set(), tuple(sizes[k] for k in order)
    for tile in tiles:
        ends = space[len(space) - len(tile) :]
        divides = divides and not any(d % t for d, t in zip(ends, tile, strict=True))
        _, space = level((0,) * len(space), space, tile)
    for point in box(sizes):
        coords, shape = tuple(point[k] for k in order), tuple(sizes[k] for k in order)
        for tile in tiles:
            coords, shape = level(coords, shape, tile)
        assert shape == space
        assert all(0 <= e < d for e, d in zip(coords, shape, strict=True))
        offset = linear_index(coords, shape)
        assert offset == layout[point]
        found.add(offset)
    assert len(found) == prod(sizes)
    assert (len(found) == prod(space)) == divides
    assert sl.parse(text(sizes, order, tiles)).index_map().size == prod(space)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_tile_is_its_number_and_the_place_in_it(data: st.DataObject) -> None:
    """O and W of theorem 4, all dimensions tiled."""
    pairs = data.draw(st.lists(st.tuples(SIZES, TILES), min_size=1, max_size=4))
    sizes, tile = (tuple(p[k] for p in pairs) for k in (0, 1))
    layout = offsets_of(text(sizes, tuple(range(len(sizes))), [tile]))
    for point in box(sizes):
        number = place = 0
        for e, (d, t) in zip(point, pairs, strict=True):
            number = number * -(-d // t) + e // t
            place = place * t + e % t
        assert layout[point] == number * prod(tile) + place
