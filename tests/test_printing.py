"""What is printed says what was meant: every expression, layout and emitted code, read back."""

from __future__ import annotations

from typing import Any

from expressions_random import expressions
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from symlayout import parse, xla
from symlayout.errors import LayoutError
from symlayout.tla import Int as Static
from symlayout.tla import Layout

FEW = settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)

# -- layouts --------------------------------------------------------------------------------------


def sizes(least: int = 0):
    """A number or an expression of sizes."""
    return st.one_of(
        st.integers(least, 40),
        expressions(depth=2)
        .map(lambda e: int(e) if e.is_Integer else e)
        .filter(lambda e: not isinstance(e, int) or e >= least),
    )


def made(kind: Any, *arguments: Any, **more: Any) -> Any:
    """The layout; an example that is none is not looked at."""
    try:
        return kind(*arguments, **more)
    except LayoutError:
        assume(False)


def nested(leaves: Any) -> Any:
    """An IntTuple of leaves, one level of nesting at most."""
    return st.one_of(leaves, st.lists(leaves, min_size=1, max_size=3).map(tuple))


@given(st.data())
@FEW
def test_a_tla_layout_reads_back(data):
    leaves = st.one_of(sizes(), st.integers(0, 9).map(Static))
    shape = data.draw(nested(nested(leaves)))

    def strides(t: Any) -> Any:
        return tuple(map(strides, t)) if isinstance(t, tuple) else data.draw(leaves)

    x = made(Layout, shape, strides(shape))
    assert parse(str(x)) == x


@given(st.lists(sizes(), min_size=1, max_size=3), st.lists(sizes(1), max_size=2), st.data())
@FEW
def test_an_xla_layout_reads_back(dims, tile, data):
    order = tuple(data.draw(st.permutations(range(len(dims)))))
    tiles = (tuple(tile[: len(dims)]),) if tile else ()
    x = made(xla.Shape, "f32", tuple(dims), order, tiles=tiles)
    assert parse(str(x)) == x
