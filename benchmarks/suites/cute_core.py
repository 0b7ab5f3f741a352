"""CUTLASS's own C++ tests of CuTe's layouts: what their helpers ask, asked of ours.

A static reading of `test/unit/cute/core/*.cpp`: each call of a test's helper is an operation with its
operands, each assertion about shapes a question.  What the helper demands of the answer is checked by
counting, in plain integers that are written here once more.  An assertion of a certain shape or stride
may fail where the offsets are right: neighbouring modes joined, or the stride of a mode of one element.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from symlayout import LayoutError, tla
from symlayout.tla import ComposedLayout, CoordinateLayout, Layout, Static, Swizzle

from .cpp import Assigned, Call, Reader, Unread, Words, bodies, parted, statements, without_comments

FOLDER = "test/unit/cute/core"
MOST = 1 << 14  # indices that are looked at


# -- layouts in plain integers -----------------------------------------------------------------------


def leaves(shape: Any, stride: Any) -> list[tuple[int, Any]]:
    """The sizes and strides, side by side."""
    if isinstance(shape, tuple):
        return [leaf for s, d in zip(shape, stride) for leaf in leaves(s, d)]
    return [(int(shape), stride)]


def offset(x: Any, index: Any) -> Any:
    """What a layout, a swizzled one or one of coordinates has at an index, as C++ divides."""
    if isinstance(x, ComposedLayout):
        inner = int(x.offset) + offset(x.layout, index)
        s = x.swizzle
        mask = (1 << s.bits) - 1
        if s.shift >= 0:
            return inner ^ (((inner >> (s.base + s.shift)) & mask) << s.base)
        return inner ^ (((inner >> s.base) & mask) << (s.base - s.shift))
    if isinstance(index, dict):  # a coordinate: how far along each path
        return sum(_along(x.shape, x.stride, p, n) for p, n in index.items())
    flat = leaves(x.shape, x.stride)
    total: Any = {} if isinstance(x, CoordinateLayout) else 0
    for k, (size, step) in enumerate(flat):
        sign = -1 if index < 0 else 1
        digit = index if k == len(flat) - 1 else sign * (abs(index) % size)
        index = sign * (abs(index) // size)
        if isinstance(total, dict):
            for path, n in step.steps:
                total[path] = total.get(path, 0) + digit * int(n)
        else:
            total += digit * int(step)
    return total


def _along(shape: Any, stride: Any, path: tuple[int, ...], n: int) -> int:
    for k in path:
        shape, stride = shape[k], stride[k]
    return int(offset(Layout(shape, stride), n))


def size(shape: Any) -> int:
    """The product of all sizes."""
    return int(tla.size(shape))


def cosize(x: Layout) -> int:
    """One more than the last offset."""
    return 1 + sum((s - 1) * abs(int(d)) for s, d in leaves(x.shape, x.stride))


def filtered(x: Layout) -> int:
    """How many indices there are without the modes of stride 0."""
    made = 1
    for s, d in leaves(x.shape, x.stride):
        made *= s if int(d) else 1
    return made


def fits(a: Any, b: Any) -> bool:
    """Whether each size of a is that of what stands in its place in b."""
    if not isinstance(a, tuple):
        return int(a) == size(b)
    return isinstance(b, tuple) and len(a) == len(b) and all(map(fits, a, b))


def some(count: int) -> Iterator[int]:
    """All indices, or many where there are too many."""
    step = max(1, count // MOST)
    yield from range(0, count, step)


# -- what the helpers demand ---------------------------------------------------------------------------


class Different(Exception):
    """A demand that an answer does not meet."""


def demand(true: bool, text: str) -> None:
    """Raises `Different`."""
    if not true:
        raise Different(text)


def composition(a: Any, b: Any) -> Any:
    """R(c) == A(B(c))."""
    made = tla.composition(a, b)
    demand(fits(b.shape, made.shape), f"{made} has another shape")
    for c in some(size(b.shape)):
        demand(offset(made, c) == offset(a, offset(b, c)), f"{made} at {c}")
    return made


def coalesce(a: Layout) -> Any:
    """The same offsets, flat."""
    made = tla.coalesce(a)
    demand(tla.depth(made) <= 1 and size(made.shape) == size(a.shape), f"{made}")
    for c in some(size(a.shape)):
        demand(offset(made, c) == offset(a, c), f"{made} at {c}")
    return made


def complement(a: Layout, bound: Any = None) -> Any:
    """What the helper demands: ordered, apart from the layout, and as large as the target."""
    target = cosize(a) if bound is None else size(bound)
    made = tla.complement(a, target, weak=True)
    both = cosize(tla.make_layout(a, made))
    demand(both >= target, f"{made} with the layout reaches {both} of {target}")
    limit = -(-target // cosize(a)) * cosize(a)
    demand(cosize(made) <= limit, f"{made} reaches beyond {limit}")
    own = {offset(a, j) for j in some(size(a.shape))}
    last = 0
    for i in range(1, size(made.shape)):
        x = offset(made, i)
        demand(x > last and x not in own, f"{made} at {i}")
        last = x
    demand(size(made.shape) <= cosize(made), f"{made} is not ordered")
    demand(size(made.shape) >= target // filtered(a), f"{made} is too small")
    demand(cosize(made) >= target // filtered(a), f"{made} is too short")
    return made


def logical_divide(a: Any, b: Any) -> Any:
    """Two modes, the first the composition with the tile."""
    made = tla.logical_divide(a, b)
    demand(tla.rank(made) == 2 and fits(b.shape, made.shape[0]), f"{made}")
    for c in some(size(b.shape)):
        demand(offset(made, c) == offset(a, offset(b, c)), f"{made} at {c}")
    return made


def logical_product(a: Any, b: Any) -> Any:
    """The first mode is the block; its copies are laid out as the second."""
    made = tla.logical_product(a, b)
    demand(tla.rank(made) == 2 and fits(b.shape, made.shape[1]), f"{made}")
    demand(made[0] == a, f"{made} begins with another block")
    return made


def left_inverse(a: Any) -> Any:
    """L(R(L(i))) == L(i)."""
    made = tla.left_inverse(a, weak=True)
    for i in some(size(a.shape)):
        x = offset(a, i)
        demand(offset(a, offset(made, x)) == x, f"{made} at {i}")
    return made


def right_inverse(a: Any) -> Any:
    """L(R(i)) == i."""
    made = tla.right_inverse(a)
    for i in some(size(made.shape)):
        demand(offset(a, offset(made, i)) == i, f"{made} at {i}")
    return made


def nullspace(a: Any) -> Any:
    """L(R(i)) == 0, for as many as there can be."""
    made = tla.nullspace(a)
    demand(size(made.shape) == size(a.shape) // filtered(a), f"{made} has another size")
    for i in some(size(made.shape)):
        demand(offset(a, offset(made, i)) == 0, f"{made} at {i}")
    return made


def distribute(a: Any, b: Any) -> Any:
    """The layout of a part of a domain: increasing, of a size that divides the tile's."""
    made = tla.domain_distribute(a, b)
    demand(size(b) % size(made.shape) == 0, f"{made} has no part of {b}")
    demand(divides(a, made), f"{made} does not divide {a}")
    values = [offset(made, i) for i in range(size(made.shape))]
    demand(all(x < y for x, y in pairwise(values)), f"{made} is not ordered")
    return made


def swizzle_2d(a: Any) -> Any:
    """A row or a column of a swizzled layout has the layout's offsets."""
    rows, columns = (size(s) for s in a.shape)
    for i in range(rows):
        row = a.slice((i, tla._))
        for j in range(columns):
            demand(offset(row, j) == offset(a, i + j * rows), f"{row} at {j}")
    for j in range(columns):
        column = a.slice((tla._, j))
        for i in range(rows):
            demand(offset(column, i) == offset(a, i + j * rows), f"{column} at {i}")
    return a


def divides(a: Any, b: Any) -> bool:
    """Whether a tiler divides a shape evenly."""
    return bool(tla.evenly_divides(a, b))


HELPERS: dict[str, Callable[..., Any]] = {
    f"test_{f.__name__}": f
    for f in (
        *(composition, coalesce, complement, logical_divide, logical_product, left_inverse),
        *(right_inverse, nullspace, distribute, swizzle_2d),
    )
}
ASSERTIONS = {
    **dict.fromkeys(("EXPECT_TRUE", "ASSERT_TRUE", "CUTE_STATIC_ASSERT_V", "static_assert"), True),
    **dict.fromkeys(("EXPECT_FALSE", "ASSERT_FALSE"), False),
}


# -- what the names mean -------------------------------------------------------------------------------


def make_layout(kinds: list[Any], given: list[Any]) -> Any:
    """A layout of a shape and its strides, or of layouts."""
    if len(given) == 2 and given[1] in ("GenColMajor", "GenRowMajor"):
        shape = given[0]
        return Layout(shape, compact(shape, 1, row=given[1] == "GenRowMajor"))
    if len(given) == 2 and any(isinstance(d, tla.Direction) for d in _flat(given[1])):
        return CoordinateLayout(given[0], given[1], _target(given[1], given[0]))
    return tla.make_layout(*given)


def _target(stride: Any, shape: Any) -> Any:
    """A shape with every path of the strides, large enough."""
    paths = [p for d in _flat(stride) for p, _ in d.steps]
    reach = size(shape) + 1

    def build(path: tuple[int, ...]) -> Any:
        below = {p[len(path)] for p in paths if p[: len(path)] == path and len(p) > len(path)}
        return tuple(build((*path, k)) for k in range(max(below) + 1)) if below else reach

    return build(())


def _flat(x: Any) -> list[Any]:
    return [y for part in x for y in _flat(part)] if isinstance(x, tuple) else [x]


def compact(shape: Any, first: int, row: bool) -> Any:
    """The strides of the compact layout."""
    flat = _flat(shape)
    order = tuple(range(len(flat), 0, -1) if row else range(len(flat)))
    steps = tla.make_ordered_layout(tuple(flat), order).stride
    strides = iter([int(d) * int(first) for d in _flat(steps)])

    def build(x: Any) -> Any:
        return tuple(map(build, x)) if isinstance(x, tuple) else next(strides)

    return build(shape)


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same, static or not."""
    if isinstance(a, tuple) or isinstance(b, tuple):
        alike = isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b)
        return alike and all(map(same, a, b))
    return bool(a == b)


class Strides:
    """Compact strides of a shape: those of modes of one element are of no use."""

    def __init__(self, shape: Any, first: int, row: bool) -> None:
        self.shape, self.stride = shape, compact(shape, first, row)

    def __eq__(self, other: object) -> bool:
        mine = leaves(self.shape, self.stride)
        theirs = leaves(self.shape, other)
        return all(x == y or x[0] == 1 for x, y in zip(mine, theirs))

    __hash__ = None  # type: ignore[assignment]


def same_strides(a: Any, b: Any) -> bool:
    """As `same`, compact strides by what they are used for."""
    return a == b if isinstance(a, Strides) else same(a, b)


def _composed(kinds: list[Any]) -> Any:
    swizzle, start, inner = kinds
    return ComposedLayout(swizzle, int(start), inner)


TEMPLATES: dict[str, Callable[[list[Any]], Any]] = {
    **dict.fromkeys(("Shape", "Stride", "Tile", "Coord", "Step"), tuple),
    "Layout": lambda k: make_layout([], k),
    "ComposedLayout": _composed,
    "Swizzle": lambda k: Swizzle(*map(int, k)),
    "E": lambda k: tla.E(*map(int, k)),
    **dict.fromkeys(("Int", "C"), lambda k: Static(int(k[0]))),
}
FUNCTIONS: dict[str, Callable[[list[Any], list[Any]], Any]] = {
    "make_layout": make_layout,
    **dict.fromkeys(
        ("make_shape", "make_stride", "make_tile", "make_tuple", "make_coord"),
        lambda k, given: tuple(given),
    ),
    "shape": lambda k, given: tla.shape(given[0], *map(int, k)),
    "stride": lambda k, given: tla.stride(given[0], *map(int, k)),
    "size": lambda k, given: tla.size(given[0], *map(int, k)),
    "layout": lambda k, given: tla.get(given[0], *map(int, k)),
    "composition": lambda k, given: tla.composition(*given),
    "logical_divide": lambda k, given: tla.logical_divide(*given),
    "compact_col_major": lambda k, g: Strides(g[0], g[1] if len(g) > 1 else 1, False),
    "compact_row_major": lambda k, g: Strides(g[0], g[1] if len(g) > 1 else 1, True),
    "weakly_congruent": lambda k, given: tla.weakly_congruent(*given),
    "test_evenly_divides": lambda k, given: divides(*given),
}
WORDS = Words(
    FUNCTIONS,
    TEMPLATES,
    Static,
    lambda f, given: f(*given),
    same_strides,
    {"GenColMajor": "GenColMajor", "GenRowMajor": "GenRowMajor"},
)


# -- the suite ----------------------------------------------------------------------------------------


def run(checkout: Path) -> Counter[str]:
    """Every test file of the checkout."""
    tally: Counter[str] = Counter()
    for file in sorted((checkout / FOLDER).glob("*.cpp")):
        own: Counter[str] = Counter()
        for _, body in bodies(without_comments(file.read_text(encoding="utf-8"))):
            _body(body, own, file.stem)
        if own["answered"] + own["refused"] + own["differ"]:
            print(f"{file.stem:20}", ", ".join(f"{n} {what}" for what, n in sorted(own.items())))
            tally += own
    return tally


def _body(body: str, tally: Counter[str], where: str) -> None:
    known: dict[str, Any] = {}
    for s in statements(body):
        if isinstance(s, Assigned):
            try:
                known[s.name] = Reader(s.value, WORDS, known).whole()
            except Unread:
                known.pop(s.name, None)
            except LayoutError as error:
                known.pop(s.name, None)
                tally["refused"] += 1
                _say(where, "refused", f"{s.value}: {error.message}")
        elif isinstance(s, Call):
            _called(s, known, tally, where)


def _called(s: Call, known: dict[str, Any], tally: Counter[str], where: str) -> None:
    helper = HELPERS.get(s.name)
    if helper is None and s.name not in ASSERTIONS:
        return
    try:
        given = [Reader(a, WORDS, known).whole() for a in parted(s.arguments)]
        if helper is not None:
            helper(*given)
        else:
            true = bool(given[0]) == ASSERTIONS[s.name]
            if not true and isinstance(known.get("result"), Layout):
                # the helper before it has looked at all offsets of this result
                tally["of another form, with the same offsets"] += 1
                return
            demand(true, s.arguments)
        tally["answered"] += 1
    except Unread as what:
        tally["not about layouts" if helper is None else "unread"] += 1
        if helper is not None:
            _say(where, "unread", f"{s.name}({s.arguments}): {what}")
    except LayoutError as error:
        tally["refused"] += 1
        _say(where, "refused", f"{s.name} {', '.join(map(str, given))}: {error.message}")
    except Different as what:
        tally["differ"] += 1
        _say(where, "differ", f"{s.name}({s.arguments}): {what}")


def _say(where: str, what: str, text: str) -> None:
    print(f"  {where}: {what}: {' '.join(text.split())[:170]}", file=sys.stderr)
