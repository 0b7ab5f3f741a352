"""What Pallas asks of a grid and its block specs, as claims; JAX itself is not needed.

for claim in symlayout.pallas.claims(grid=("cdiv(M, 8)",), in_specs=[..], in_shapes=[..]):
    assert claim.verdict.proved
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import CeilDiv, Size, as_expr, free_names, symbol
from symlayout.hooks import hook
from symlayout.layouts.claim import Claim
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.layouts.maps.tracing import Traced, index_map

__all__ = ["BlockClaim", "claims"]

Sizes = Sequence[Any]


@dataclass(frozen=True)
class BlockClaim:
    """A claim about one block spec, with its name; `verdict` is asked for when it is needed."""

    name: str
    claim: Claim

    @cached_property
    def verdict(self) -> Any:
        """The prover's verdict."""
        return hook("verdict")(self.claim)

    def __str__(self) -> str:
        return f"{self.name}: {self.claim}"


class Table:
    """A scalar prefetch argument: each number that is read of it is another unknown, below a size."""

    def __init__(self, word: str, below: Size | None, read: dict[str, Size]) -> None:
        self.word, self.below, self.read = word, below, read

    def __getitem__(self, index: Any) -> Traced:
        if self.below is None:
            message = f"what is read of {self.word} has no bound: give it in `prefetch`"
            raise LayoutError("SL204", message)
        at = index if isinstance(index, tuple) else (index,)
        said = "_".join(str(x.expr if isinstance(x, Traced) else x) for x in at)
        word = f"{self.word}_at_" + "".join(c if c.isalnum() else "_" for c in said)
        self.read[word] = self.below
        return Traced(symbol(word))


def claims(
    *,
    grid: Any,
    in_specs: Sequence[Any] = (),
    out_specs: Any = (),
    in_shapes: Sequence[Sizes] = (),
    out_shapes: Any = (),
    where: Any = (),
    prefetch: Sequence[Any] = (),
) -> list[BlockClaim]:
    """The claims: every block lies in its array, and the results are written, each block in one go.

    >>> class Spec:
    ...     block_shape, index_map = (8, 128), staticmethod(lambda i, j: (i, j))
    >>> made = claims(grid=("cdiv(M, 8)", 4), out_specs=[Spec], out_shapes=[("M", 512)])
    >>> [(c.name, c.verdict.status) for c in made]
    [('out_specs[0]: written, each block in one go', 'proved')]

    A grid and shapes have numbers, texts or SymPy expressions; a spec has `block_shape` (None in it is
    a squeezed dimension, an `Element` counts elements) and `index_map`.  A result's block may be
    visited again by the next program, not later.  `prefetch` says of each scalar prefetch argument
    below what its numbers are, or None.

    Raises `LayoutError`: SL403 where ranks differ, SL204 for an index map that cannot be traced.
    """
    sizes = tuple(map(_size, grid if isinstance(grid, (tuple, list)) else (grid,)))
    made = []
    for word, specs, shapes in (
        ("in_specs", in_specs, in_shapes),
        ("out_specs", out_specs, out_shapes),
    ):
        if not isinstance(specs, (tuple, list)):
            specs, shapes = [specs], [shapes]
        if len(specs) != len(shapes):
            raise LayoutError("SL403", f"{len(shapes)} shapes for {len(specs)} {word}")
        for k, (spec, shape) in enumerate(zip(specs, shapes)):
            if spec is None or (_given(spec, "block_shape") is None and word == "in_specs"):
                continue  # the whole array, or one that the kernel moves itself
            f = _blocks(f"{word}[{k}]", spec, sizes, tuple(map(_size, shape)), prefetch)
            made.append(_claim(f"{word}[{k}]", f, word == "out_specs", where))
    return made


def _claim(name: str, f: IndexFunction, written: bool, where: Any) -> BlockClaim:
    facts = tuple([where] if isinstance(where, str) else where)
    if not written:
        return BlockClaim(
            f"{name}: every block is in its array", Claim("bounded", (str(f),), (), facts)
        )
    text = str(_without_reductions(f))
    title = f"{name}: written, each block in one go"
    return BlockClaim(title, Claim("bijective", (text,), (), facts))


def _without_reductions(f: IndexFunction) -> IndexFunction:
    """The map without the last axes that no result speaks of: their programs come one after another."""
    used = {s.name for e in f.results for s in e.free_symbols}
    kept = list(f.variables)
    while len(kept) > 1 and kept[-1].name not in used:
        kept.pop()
    return IndexFunction(tuple(kept), f.results, f.box, f.guard, f.lets, f.tupled)


def _blocks(
    name: str, spec: Any, grid: tuple[Any, ...], shape: tuple[Any, ...], prefetch: Sequence[Any]
) -> IndexFunction:
    """The blocks of an array as the programs have them, in the box of how many there are."""
    block = _given(spec, "block_shape")
    block = tuple(shape) if block is None else tuple(block)
    if len(block) != len(shape):
        raise LayoutError(
            "SL403", f"{name}: a block of rank {len(block)} of an array of {len(shape)}"
        )
    function: Callable[..., Any] | None = _given(spec, "index_map")
    zeros = (0,) * len(block)
    names = _names(function, grid)
    read: dict[str, Size] = {}
    tables = [
        Table(f"prefetch{k}", None if b is None else _size(b), read) for k, b in enumerate(prefetch)
    ]

    def called(*at: Any) -> Any:
        if function is None:
            return zeros
        found = function(*at, *tables)
        return found if isinstance(found, tuple) else (found,)

    made = index_map(called, dict(zip(names, grid)))
    if len(made.results) != len(block):
        said = (
            f"{name}: {len(made.results)} results of its index map for a block of rank {len(block)}"
        )
        raise LayoutError("SL403", said)
    box = tuple(_count(b, d) for b, d in zip(block, shape))
    variables = (*made.variables, *[Variable(w, as_expr(0), as_expr(b)) for w, b in read.items()])
    return IndexFunction(variables, made.results, box, made.guard, (), True)


def _count(block: Any, size: Any) -> Any:
    """How many places there are for a block along an axis: blocks, or elements."""
    kind = type(block).__name__
    if block is None or kind == "Squeezed":
        return size
    width = getattr(block, "block_size", block)
    if kind == "Element":
        return size - _size(width) + 1
    return CeilDiv(size, _size(width))


def _given(spec: Any, name: str) -> Any:
    return getattr(spec, name, None)


def _size(given: Any) -> Any:
    return read_expression(given) if isinstance(given, str) else as_expr(given)


def _names(function: Callable[..., Any] | None, grid: tuple[Any, ...]) -> list[str]:
    """The names of an index map's arguments, unless they are those of sizes."""
    plain = [f"i{k}" for k in range(len(grid))]
    try:
        found = [] if function is None else list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return plain
    found = found[: len(grid)]
    return found if len(found) == len(grid) and not {*found} & {*free_names(*grid)} else plain
