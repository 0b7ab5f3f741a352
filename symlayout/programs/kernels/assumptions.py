"""What is assumed of a kernel's sizes and of its launch where a contract gives no bound.

An assumption is a fact of each claim that it is used in.  The limits of a launch are claimed as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symlayout.expr.facts import Facts
from symlayout.expr.terms import product
from symlayout.expr.tree import Symbol
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.coordinates import Array
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import Node, binary, most, num
from symlayout.programs.kernels.policy import (
    BLOCK,
    ELEMENTS,
    LAUNCH_LIMITS,
    SIZE,
    WIDE_SIZE,
    LaunchLimits,
)

AXES = ("grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z")


class Limit(NamedTuple):
    """What a launch keeps: `size` is at most `most`; of the axis, or of several."""

    what: str
    size: Node
    most: int

    @property
    def fact(self) -> str:
        """The limit as a fact."""
        return f"{self.size.text({})} <= {self.most}"


@dataclass(frozen=True)
class Assumptions:
    """`sizes` are upper bounds of names, `limits` those of the launch, `arrays` of elements.

    `demands` are the limits that have to be shown: the sizes of the launch are not free.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    arrays: tuple[str, ...] = ()
    demands: tuple[Limit, ...] = ()

    @property
    def texts(self) -> frozenset[str]:
        """All that is assumed, as facts."""
        own = (f"{n} <= {most}" for n, most in self.sizes.items())
        return frozenset((*own, *(x.fact for x in self.limits), *self.arrays))

    def of_launch(self, text: str, names: Collection[str]) -> Iterator[str]:
        """The limits of expressions that a claim's text has: of a program's or a thread's range."""
        for x in self.limits:
            own = x.size.text({})
            if x.size.names and x.size.names <= {*names} and f"< {own}" in text:
                yield x.fact


def assumptions(
    kernel: Kernel,
    arrays: Iterable[Array],
    cases: Sequence[Facts],
    grid: tuple[Node, ...] | None,
    dialect: str,
    assume: bool = True,
) -> Assumptions:
    """What is assumed of a kernel under facts, each of the `cases` with one of their alternatives.

    Without `assume` nothing is; what a launch has to keep is the same.
    """
    arrays = list(arrays)
    extents = {d.name for a in arrays for d in a.sizes if isinstance(d, Symbol)}
    known = {*kernel.parameters, *extents}
    bounds = {n: WIDE_SIZE if n in kernel.wide else SIZE for n in known if n not in kernel.most}
    bounds |= dict.fromkeys(blocks_of(kernel), BLOCK)
    bounds = {n: m for n, m in bounds.items() if is_open(n, m, cases)}
    sizes = dict(bounds) if assume else {}
    axes = dict(enumerate(grid or ()))
    limits = LAUNCH_LIMITS[dialect]
    if grid is None:
        axes = {k: _name(kernel, k) for k in range(len(AXES))}
    each = list(_of_axes(axes, limits))
    free = {
        x.size.word
        for x in each
        if x.size.op == "name" and x.size.word not in known and is_open(x.size.word, 1, cases)
    }
    for x in each if assume else ():
        if x.size.word in free:
            sizes[x.size.word] = min(x.most, sizes.get(x.size.word, x.most))

    def high(word: str) -> int | None:
        """What a name is at most; None of one that may be below 0."""
        if any(f.domain(word).first < 0 for f in cases):
            return None
        if word in sizes:
            return sizes[word]
        ends = [f.domain(word).high for f in cases]
        ends = [kernel.most_of(word) if e is None else e for e in ends]
        return None if None in ends else max(e for e in ends if e is not None)

    tight = [x for x in (*each, *_of_blocks(axes, limits)) if _exceeds(x, high)]
    demands = tuple(x for x in tight if not x.size.names <= free or not x.size.names)
    facts = tuple(x for x in tight if x.size.args or is_open(x.size.word, x.most, cases))
    elements = tuple(_elements(arrays, bounds)) if assume else ()
    return Assumptions(sizes, facts if assume else (), elements, demands)


def is_open(name: str, most: int, cases: Sequence[Facts]) -> bool:
    """Whether the facts give a name no upper bound, and let it be `most`."""
    domains = [f.domain(name) for f in cases]
    return any(d.high is None for d in domains) and all(d.first <= most for d in domains)


def _name(kernel: Kernel, axis: int) -> Node:
    """The size of an axis where no contract gives it."""
    word = f"{'block' if axis >= THREADS else 'grid'}{axis % THREADS}"
    return Node("name", word=kernel.grids.get(axis) or word)


def _of_axes(axes: Mapping[int, Node], limits: LaunchLimits) -> Iterator[Limit]:
    for k, limit in enumerate((*limits.grid, *limits.block)):
        if limit is not None and k in axes:
            yield Limit(AXES[k], axes[k], limit)


def _of_blocks(axes: Mapping[int, Node], limits: LaunchLimits) -> Iterator[Limit]:
    """The limits of several axes together."""
    block = [n for k, n in axes.items() if k >= THREADS and n.value != 1]
    if limits.threads is not None and len(block) > 1:
        size = block[0]
        for n in block[1:]:
            size = binary("*", size, n)
        yield Limit("the threads of a block", size, limits.threads)
    for k in range(THREADS) if limits.along is not None else ():
        if k in axes and k + THREADS in axes:
            size = binary("*", axes[k], axes[k + THREADS])
            yield Limit(f"{AXES[k]} * {AXES[k + THREADS]}", size, limits.along or 0)


def _exceeds(limit: Limit, high: Callable[[str], int | None]) -> bool:
    """Whether it is more than arithmetic of the names' bounds that a limit is kept."""
    largest = most(limit.size, high)
    return largest is None or largest > limit.most


def _elements(arrays: Iterable[Array], bounds: Collection[str]) -> Iterator[str]:
    """That arrays have no more elements, where a contract does not bound all of their sizes."""
    for a in arrays:
        count = product(a.sizes)
        if not isinstance(count, (int, Symbol)) and {s.name for s in count.free_symbols} & {
            *bounds
        }:
            yield f"{count} <= {ELEMENTS}"


def blocks_of(kernel: Kernel) -> set[str]:
    """The parameters that are the size of a block of Triton's."""
    sizes = (d for a in kernel.accesses for d in a.shape if d.op == "name")
    return {d.word for d in sizes} & {*kernel.constants}


def wider(node: Node, least: Callable[[str], int]) -> Node:
    """What is at least as large: each divisor that is a name is the least that it can be.

    >>> from symlayout.programs.kernels.nodes import name
    >>> wider(binary("cdiv", name("n"), name("B")), lambda word: 16).text({})
    'ceildiv(n, 16)'
    """
    if not _never_falls(node) or any(least(n) < 0 for n in node.names):
        return node
    if node.op in ("cdiv", "//") and node.args[1].op == "name" and least(node.args[1].word) > 0:
        return binary(node.op, wider(node.args[0], least), num(least(node.args[1].word)))
    if node.op in ("+", "*", "min", "max"):
        return binary(node.op, *[wider(a, least) for a in node.args])
    return node


def _never_falls(node: Node) -> bool:
    """Whether nothing in it is below 0 where no name is: it grows with each dividend."""
    if node.op == "num":
        return node.number >= 0
    return node.op in ("name", "+", "*", "min", "max", "cdiv", "//") and all(
        map(_never_falls, node.args)
    )
