"""Random XLA layouts, and what memory holds by literal padding, reshaping and transposing."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import strategies as st

from symlayout.expr.terms import symbol, value
from symlayout.layouts.xla import Shape

LARGEST = 6000


@st.composite
def tiles(draw, longest):
    """One tile; `*` anywhere but at its end."""
    n = draw(st.integers(1, longest))
    entry = st.one_of(st.integers(1, 4), st.integers(1, 4), st.just("*"))
    return (*(draw(entry) for _ in range(n - 1)), draw(st.integers(1, 4)))


@st.composite
def shapes(draw, max_rank=5, max_levels=3, least=0):
    """Concrete shapes: ragged, padded, repeated tiles that reach into counts, `*`, L."""
    rank = draw(st.integers(0, max_rank))
    top = {0: 1, 1: 40, 2: 12, 3: 7}.get(rank, 4)
    dims = tuple(draw(st.integers(least, top)) for _ in range(rank))
    order = tuple(draw(st.permutations(range(rank))))
    levels = [draw(tiles(rank + 1 + k)) for k in range(draw(st.integers(0, max_levels)))]
    padded = None
    if draw(st.integers(0, 4)) == 0:
        padded = tuple(d + draw(st.integers(0, 2)) for d in dims)
    tail = draw(st.sampled_from([1, 1, 1, 2, 5, 64]))
    shape = Shape("f32", dims, order, tuple(levels), padded, tail_alignment=tail, explicit=True)
    while shape.buffer_size > LARGEST:
        levels.pop()
        shape = Shape("f32", dims, order, tuple(levels), padded, tail_alignment=tail, explicit=True)
    return shape


def with_symbols(shape):
    """The shape with a symbol for every size and every tile size, and their values."""
    env = {}

    def name(prefix, n):
        made = f"{prefix}{len(env)}"
        env[made] = n
        return symbol(made)

    dims = tuple(name("d", d) for d in shape.dims)
    padded = None if shape.padded is None else tuple(name("p", w) for w in shape.padded)
    levels = tuple(tuple(t if t == "*" else name("t", t) for t in tile) for tile in shape.tiles)
    tail = 1 if shape.tail_alignment == 1 else name("n", shape.tail_alignment)
    made = Shape("f32", dims, shape.minor_to_major, levels, padded, tail_alignment=tail)
    return made, env


def memory(shape):
    """The buffer as NumPy arrays make it: row-major numbers of the elements, -1 in padding."""
    array = np.arange(prod(shape.dims), dtype=np.int64).reshape(shape.dims)
    if shape.padded is not None:
        array = grown(array, shape.padded)
    array = array.transpose(tuple(reversed(shape.minor_to_major)))
    for tile in shape.tiles:
        array = tiled(array, tile)
    flat = array.reshape(-1)
    whole = -(-flat.size // shape.tail_alignment) * shape.tail_alignment
    return grown(flat, (whole,))


def at_point(e, point, memo=None):
    """The value of an expression at a point, each shared part once (deep chains share much)."""
    memo = {} if memo is None else memo
    if e not in memo:
        if not e.args:
            memo[e] = value(e, point)
        else:
            names = [symbol(f"x{k}") for k in range(len(e.args))]
            inner = {n.name: at_point(a, point, memo) for n, a in zip(names, e.args)}
            memo[e] = value(e.func(*names), inner) if not e.is_Pow else inner["x0"] ** inner["x1"]
    return memo[e]


def grown(array, sizes):
    """Padding at the high end, with -1."""
    more = [(0, s - d) for s, d in zip(sizes, array.shape)]
    return np.pad(array, more, constant_values=-1) if more else array


def tiled(array, tile):
    """One tile: merge, pad to whole tiles, reshape, transpose."""
    array = array.reshape((1,) * (len(tile) - array.ndim) + array.shape)
    lead, kept = array.shape[: array.ndim - len(tile)], array.shape[array.ndim - len(tile) :]
    sizes, width, run = [], [], 1
    for d, t in zip(kept, tile):
        run *= d
        if t != "*":
            sizes.append(run)
            width.append(t)
            run = 1
    array = array.reshape(*lead, *sizes)
    counts = [-(-d // t) for d, t in zip(sizes, width)]
    array = grown(array, (*lead, *(c * t for c, t in zip(counts, width))))
    array = array.reshape(*lead, *(x for pair in zip(counts, width) for x in pair))
    n, m = len(lead), len(width)
    outside, within = range(n, n + 2 * m, 2), range(n + 1, n + 2 * m, 2)
    return array.transpose(*range(n), *outside, *within)
