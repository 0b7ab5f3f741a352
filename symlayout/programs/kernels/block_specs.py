"""Block specs as they are given: trees of them beside their shapes, and what each says of an axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import as_expr
from symlayout.layouts.doors.attributes import only

__all__ = [
    "SLICE",
    "Block",
    "Leaf",
    "Whole",
    "blocks_of",
    "grid_sizes",
    "is_revisited",
    "leaves",
    "size_of",
]

SPEC = ("block_shape", "index_map", "memory_space", "pipeline_mode", "indexing_mode")
BUFFERED = ("buffer_count", "use_lookahead", "revisit")
SLICE = ("start", "size", "stride", "is_dynamic_start", "is_dynamic_size")


@dataclass(frozen=True)
class Whole:
    """The spec of an array whose block it is itself."""

    block_shape: None = None
    index_map: None = None


@dataclass(frozen=True)
class Block:
    """What a spec says of an axis: the block's size, and what its indices count.

    Without a size it is squeezed.  Where indices count elements, `padding` stands around the array.
    A `sliced` one has a slice for an index.
    """

    size: Any
    elements: bool = False
    padding: int = 0
    sliced: bool = False


class Leaf(NamedTuple):
    """A spec with its place, its array's sizes, and the type of the elements where that is given."""

    name: str
    spec: Any
    shape: tuple[Any, ...]
    dtype: Any = None


def size_of(size: Any) -> Any:
    """A size as an expression: a number, a text, SymPy's, or a dimension of `jax.export`.

    Of the last its text is read, in which `^` is a power.
    """
    if type(size).__name__ == "_DimExpr":
        size = str(size).replace("^", "**")
    return read_expression(size) if isinstance(size, str) else as_expr(size)


def leaves(word: str, specs: Any, shapes: Any) -> Iterator[Leaf]:
    """The specs of a tree; an argument that is None is no array, and has no spec."""
    if specs is None and shapes is None:
        return
    if not isinstance(specs, (tuple, list, Mapping)):
        yield _leaf(f"{word}[0]", specs, shapes)
        return
    left = [(word, specs, shapes)]
    while left:
        name, spec, shape = left.pop()
        if spec is None and shape is None:
            continue
        if isinstance(spec, Mapping):
            if not isinstance(shape, Mapping) or shape.keys() != spec.keys():
                raise LayoutError("SL403", f"the shapes of {name} have other keys than its specs")
            left += [(f"{name}[{k!r}]", spec[k], shape[k]) for k in reversed([*spec])]
        elif isinstance(spec, (tuple, list)):
            count = len(shape) if isinstance(shape, (tuple, list)) else "no list of"
            if count != len(spec):
                raise LayoutError("SL403", f"{count} shapes for {len(spec)} {name}")
            left += [(f"{name}[{k}]", spec[k], shape[k]) for k in reversed(range(len(spec)))]
        else:
            yield _leaf(name, spec, shape)


def _leaf(name: str, spec: Any, shape: Any) -> Leaf:
    shape, dtype = getattr(shape, "shape", shape), getattr(shape, "dtype", None)
    if not isinstance(shape, (tuple, list)):
        raise LayoutError("SL403", f"{name}: {shape!r:.40} is no list of an array's sizes")
    if spec is None or type(spec).__name__ == "NoBlockSpec":
        return Leaf(name, Whole(), tuple(shape), dtype)
    if not hasattr(spec, "block_shape"):
        raise LayoutError("SL403", f"{name}: {spec!r:.40} is no block spec: it has no block_shape")
    only(spec, *SPEC)
    only(getattr(spec, "pipeline_mode", None), *BUFFERED)
    return Leaf(name, spec, tuple(shape), dtype)


def grid_sizes(grid: Any) -> tuple[Any, ...]:
    """The sizes of a grid: a number, several, or each with the name of its axis before it."""
    row = tuple(grid) if isinstance(grid, (tuple, list)) else (grid,)
    return tuple(x[1] if isinstance(x, tuple) and len(x) == 2 else x for x in row)


def blocks_of(name: str, spec: Any, shape: tuple[Any, ...]) -> list[Block]:
    """What a spec says of each axis of its array."""
    block = spec.block_shape
    block = shape if block is None else tuple(block)
    if len(block) != len(shape):
        message = f"{name}: a block of rank {len(block)} of an array of {len(shape)}"
        raise LayoutError("SL403", message)
    mode = getattr(spec, "indexing_mode", None)
    kind = type(mode).__name__
    if mode is not None and kind not in ("Unblocked", "Blocked"):
        raise LayoutError("SL204", f"{name}: the indexing mode {kind} is not followed")
    if kind == "Unblocked":
        only(mode, "padding")
        pads = getattr(mode, "padding", None) or [(0, 0)] * len(block)
        return [Block(b, b is not None, sum(p)) for b, p in zip(block, pads)]
    return [_block(name, b) for b in block]


def _block(name: str, b: Any) -> Block:
    kind = type(b).__name__
    if kind == "Indirect":
        raise LayoutError("SL204", f"{name}: an axis whose indices are an array is not followed")
    if b is None or kind == "Squeezed":
        only(b)
        return Block(None)
    if not hasattr(b, "block_size"):
        return Block(b)
    if kind not in ("Element", "Blocked", "BoundedSlice"):
        raise LayoutError("SL204", f"{name}: an axis that is {kind} is not followed")
    only(b, "block_size", *(["padding"] if kind == "Element" else []))
    padding = sum(getattr(b, "padding", None) or (0, 0))
    return Block(b.block_size, kind == "Element", padding, kind == "BoundedSlice")


def is_revisited(spec: Any) -> bool:
    """Whether a result's blocks may be visited again at any time."""
    mode = getattr(getattr(spec, "pipeline_mode", None), "revisit", None)
    return str(getattr(mode, "name", "")) == "ANY"
