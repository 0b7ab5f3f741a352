"""What is assumed of a kernel's sizes and of its launch where a contract gives no bound.

An assumption is a fact of each claim that it is used in.  The limits of a launch are claimed as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf

from symlayout.expr.facts import Facts
from symlayout.expr.intervals import allowed, interval
from symlayout.expr.term import Term
from symlayout.expr.terms import product
from symlayout.expr.tree import Symbol
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.coordinates import Array
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.launch_limits import AXES, Limit, limits_of_axes, limits_of_blocks
from symlayout.programs.kernels.nodes import most
from symlayout.programs.kernels.policy import (
    BLOCK,
    ELEMENTS,
    LAUNCH_LIMITS,
    LOG,
    SIZE,
    WIDE_SIZE,
    LaunchLimits,
)

TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
LARGEST = 2**63 - 1  # of a size that is not a parameter


@dataclass(frozen=True)
class Assumptions:
    """`sizes` are upper bounds of names, `limits` those of the launch, `arrays` of elements.

    `demands` are the limits that have to be shown: the sizes of the launch are not free.
    `types` has what holds without an assumption, by that: of sizes, what their types say.  `launch` are
    all limits of the launch, those as well that the assumptions make true.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    arrays: tuple[str, ...] = ()
    demands: tuple[Limit, ...] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    launch: tuple[str, ...] = ()

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
    grid: tuple[Term, ...] | None,
    dialect: str,
    assume: bool = True,
    launched: bool = False,
) -> Assumptions:
    """What is assumed of a kernel under facts, each of the `cases` with one of their alternatives.

    Without `assume` nothing is; what a launch has to keep is the same.  The sizes of a grid that is
    `launched` by host code are sizes as others are; those that a contract introduces are free, unless
    facts tie them to others.
    """
    arrays = list(arrays)
    extents = {d.name for a in arrays for d in a.sizes if isinstance(d, Symbol)}
    known = {*kernel.parameters, *extents}
    if launched:
        known |= {n for size in (grid or ())[:THREADS] for n in size.names}
    bounds = {n: WIDE_SIZE if n in kernel.wide else SIZE for n in known if n not in kernel.most}
    bounds |= dict.fromkeys(blocks_of(kernel), BLOCK)
    bounds = {n: m for n, m in bounds.items() if is_open(n, m, cases)}
    sizes = dict(bounds) if assume else {}
    axes = dict(enumerate(grid or ()))
    limits = LAUNCH_LIMITS.get(dialect, LaunchLimits())  # without a row none is known
    if grid is None:
        axes = {k: _name(kernel, k) for k in range(len(AXES))}
    each = list(limits_of_axes(axes, limits))
    tied = {n for f in cases for r in f.relations if len(r.names) > 1 for n in r.names}
    words = {x.size.word for x in each if x.size.op == "name"} - known - tied
    free = {n for n in words if is_open(n, 1, cases)}
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

    tight = [x for x in (*each, *limits_of_blocks(axes, limits)) if _exceeds(x, high)]
    demands = tuple(x for x in tight if not x.size.names <= free or not x.size.names)
    facts = tuple(x for x in tight if x.size.args or is_open(x.size.word, x.most, cases))
    elements = tuple(_elements(arrays, bounds)) if assume else ()
    types = dict.fromkeys(elements, "")
    for n in [n for n in sizes if n not in free | blocks_of(kernel)]:
        most_of_type = kernel.most_of(n) or LARGEST
        types[f"{n} <= {sizes[n]}"] = f"{n} <= {most_of_type}"
    every = tuple(x.fact for x in (*each, *limits_of_blocks(axes, limits)) if x.size.names)
    return Assumptions(sizes, facts if assume else (), elements, demands, types, every)


def is_open(name: str, most: int, cases: Sequence[Facts]) -> bool:
    """Whether the facts give a name no upper bound, also through others, and let it be `most`."""
    domains = [f.domain(name) for f in cases]
    if all(d.high is not None for d in domains) or any(d.first > most for d in domains):
        return False
    return any(name not in tied_ends(f) for f in cases)


@lru_cache(maxsize=64)
def tied_ends(facts: Facts) -> Mapping[str, int]:
    """The upper bounds of names, those as well that `n <= m` or `n == 2*m` gives one of another's.

    >>> dict(tied_ends(Facts.read(["n < m", "m == 2*k", "k <= 8", "p >= 5"])))
    {'k': 8, 'm': 16, 'n': 15}
    """
    names = sorted({n for r in facts.relations for n in r.names})
    ranges = allowed(facts, names)
    smaller = [
        (side, other, op)
        for r in facts.relations
        for side, other, op in ((r.left, r.right, r.op), (r.right, r.left, TURNED.get(r.op, r.op)))
        if isinstance(side, Symbol) and op in ("<", "<=", "==")
    ]
    for _ in names:
        before = dict(ranges)
        for side, other, op in smaller:
            low, high = ranges[side.name]
            end = interval(other, ranges)[1] - (op == "<")
            ranges[side.name] = low, min(high, end)
        if ranges == before:
            break
    return {n: int(high) for n, (_, high) in ranges.items() if high != inf}


def _name(kernel: Kernel, axis: int) -> Term:
    """The size of an axis where no contract gives it."""
    word = f"{'block' if axis >= THREADS else 'grid'}{axis % THREADS}"
    return Term("name", word=kernel.grids.get(axis) or word)


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
    names = {n for a in kernel.accesses for d in a.shape for n in _factors(d)}
    return names & {*kernel.constants}


def _factors(size: Term) -> frozenset[str]:
    """The names of a product: each is at most as large as that, and a power of two if that is one."""
    if size.op == "*":
        return _factors(size.args[0]) | _factors(size.args[1])
    return size.names if size.op == "name" else frozenset()


def powers(kernel: Kernel, cases: Sequence[Facts]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What Triton demands of a block's size, as facts: it is a power of two, at most 2**20."""
    known = {*kernel.parameters}.union(*(f.names for f in cases))
    for n in sorted(blocks_of(kernel)):
        domains, word = [f.domain(n) for f in cases], f"{LOG}{n}"
        low = max(1, min(d.first for d in domains))
        high = max(BLOCK if d.high is None else d.high for d in domains)
        least, most = (low - 1).bit_length(), min(high, BLOCK).bit_length() - 1
        if word not in known and least < most:
            ends = f"{word} >= {least}", f"{word} <= {most}"
            yield n, (f"symbol {word}", f"{n} == 2**{word}", *ends)
