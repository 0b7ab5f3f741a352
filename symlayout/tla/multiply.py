"""Products: a layout repeated, `(A, composition(complement(A, size(A) * cosize(B)), B))`."""

from __future__ import annotations

from typing import Any

from symlayout.errors import LayoutError
from symlayout.layouts.cute import inttuple as it
from symlayout.layouts.cute.inttuple import prefix_product
from symlayout.layouts.cute.layout import Keep, Layout, join
from symlayout.tla.arguments import behind_swizzle, layout_of, tiler_of
from symlayout.tla.coalesce import coalesce
from symlayout.tla.complement import complement
from symlayout.tla.composition import as_tile, composition
from symlayout.tla.divide import modes_of, unzip
from symlayout.tla.known import facts_for


@behind_swizzle
def logical_product(a: Layout, b: Any, where: Any = ()) -> Layout:
    """`a` as mode 0, and as mode 1 how its copies are laid out, in the order of `b`.

    >>> print(logical_product(Layout((2, 2), (4, 1)), Layout(6, 1)))
    ((2,2),(2,3)):((4,1),(2,8))

    A tuple multiplies mode by mode.  Copies of a padded block, which has no complement, lie behind
    each other.  Raises `LayoutError` (SL800) where copies of `a` meet, or the composition is no layout.
    """
    a, b = layout_of(a), tiler_of(b)
    where = facts_for(where, a, b)
    if isinstance(b, (tuple, list)):
        if not isinstance(a._shape, tuple) or len(b) > a.rank:
            raise LayoutError("SL107", f"a product with {len(b)} modes for {a}, which has {a.rank}")
        done = [logical_product(m, t, where) for m, t in zip(a.modes, b)]
        return join(*done, *a.modes[len(b) :])
    if isinstance(b, Keep):
        return a
    order = as_tile(b)
    free = _free(a, order, where)
    return join(a, composition(free, order, where))


def _free(a: Layout, order: Layout, where: Any) -> Layout:
    """Where copies of a layout may lie: in its holes, or, where these do not nest, behind it."""
    copies = order._cosize
    if isinstance(copies, int) and it.is_static((order._shape, order._stride)):
        copies = it.Static(copies)
    try:
        return complement(a, it.product(a._shape) * copies, where)
    except LayoutError as error:
        if error.code != "SL800" or not a.concrete or not isinstance(copies, int):
            raise
    reach = max(int(s) * int(d) for s, d in a._leaves)
    return complement(a, reach * copies, where, weak=True)


@behind_swizzle
def zipped_product(a: Layout, b: Any, where: Any = ()) -> Layout:
    """The modes of `a` together as mode 0, the copies together as mode 1."""
    b = tiler_of(b)
    return unzip(logical_product(a, b, where), b)


@behind_swizzle
def tiled_product(a: Layout, b: Any, where: Any = ()) -> Layout:
    """As `zipped_product`, the second mode opened."""
    block, copies = zipped_product(a, b, where).modes
    return join(block, *modes_of(copies))


@behind_swizzle
def flat_product(a: Layout, b: Any, where: Any = ()) -> Layout:
    """As `zipped_product`, both modes opened."""
    block, copies = zipped_product(a, b, where).modes
    return join(*modes_of(block), *modes_of(copies))


@behind_swizzle
def blocked_product(block: Layout, tiler: Layout, where: Any = ()) -> Layout:
    """Copies of `block` in a grid ordered as `tiler`, one mode per dimension: (place, which copy).

    >>> print(blocked_product(Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))))
    ((2,3),(5,4)):((5,10),(1,30))
    """
    inside, copies = _padded_product(block, tiler, where)
    return join(*[join(m, c) for m, c in zip(inside.modes, copies.modes)])


@behind_swizzle
def raked_product(block: Layout, tiler: Layout, where: Any = ()) -> Layout:
    """As `blocked_product`, the copies interleaved: (which copy, place).

    >>> print(raked_product(Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))))
    ((3,2),(4,5)):((10,5),(30,1))
    """
    inside, copies = _padded_product(block, tiler, where)
    return join(*[join(c, m) for m, c in zip(inside.modes, copies.modes)])


def _padded_product(block: Layout, tiler: Layout, where: Any) -> tuple[Layout, Layout]:
    block, tiler = layout_of(block), layout_of(tiler)
    rank = max(block.rank, tiler.rank)
    layout = logical_product(to_rank(block, rank), to_rank(tiler, rank), where)
    return layout.modes[0], layout.modes[1]


def to_rank(layout: Layout, rank: int) -> Layout:
    """The layout with modes 1:0 appended up to the rank."""
    unit = Layout(it.Static(1), it.Static(0))
    modes = modes_of(layout)
    return join(*modes, *[unit] * (rank - len(modes)))


def make_ordered_layout(shape: Any, order: Any) -> Layout:
    """The compact layout whose modes follow each other in memory as `order` says, smallest first.

    >>> print(make_ordered_layout((2, 3, 4), (2, 0, 1)))
    (2,3,4):(12,1,3)
    """
    sizes = it.as_tuple(shape)
    places = it.as_tuple(order)
    if not it.congruent(sizes, places):
        raise LayoutError("SL107", f"the order {order} does not nest as the shape {shape} does")
    flat_sizes = it.flatten(sizes)
    flat_order = [it.check_index(k, "an order") for k in it.flatten(places)]
    ranked = sorted(range(len(flat_sizes)), key=lambda k: (flat_order[k], k))
    compact = prefix_product(tuple(flat_sizes[k] for k in ranked))
    strides = [compact[ranked.index(k)] for k in range(len(flat_sizes))]
    return Layout(sizes, it.unflatten(strides, sizes))


@behind_swizzle
def tile_to_shape(block: Layout, shape: Any, order: Any = None, where: Any = ()) -> Layout:
    """`block` repeated to fill `shape`, coalesced by mode; the copies follow in `order`.

    >>> print(tile_to_shape(Layout((2, 4), (4, 1)), (4, 8)))
    (4,(4,2)):(4,(1,16))

    Raises `LayoutError`: SL107 for a shape of fewer dimensions than the block, SL800 where a size of
    the shape is no multiple of the block's.
    """
    block, shape = layout_of(block), tiler_of(shape)
    where = facts_for(where, block, shape)
    sizes = it.product_each(it.as_tuple(shape))
    if block.rank > len(sizes):
        message = f"{block} of {block.rank} modes does not fill {it.text_of(it.as_tuple(shape))}"
        raise LayoutError("SL107", message, help="the shape has a size for each mode of the block")
    whole = to_rank(block, len(sizes))
    counts = [_times(have, want, where) for have, want in zip(it.product_each(whole._shape), sizes)]
    steps = tuple(range(len(sizes))) if order is None else order
    layout = blocked_product(whole, make_ordered_layout(tuple(counts), steps), where)
    return coalesce(layout, (None,) * layout.rank, where)


def _times(have: Any, want: Any, where: Any) -> Any:
    if isinstance(have, int) and isinstance(want, int):
        if have == 0 or want % have:
            raise LayoutError("SL800", f"the block's size {int(have)} does not divide {int(want)}")
        return want // have
    from symlayout.tla.symbolic import exact_quotient

    return exact_quotient(want, have, where)
