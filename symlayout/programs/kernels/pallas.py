"""What Pallas asks of a grid and its block specs, as claims; JAX itself is not needed.

for claim in symlayout.pallas.claims(grid=("cdiv(M, 8)",), in_specs=[..], in_shapes=[..]):
    assert claim.verdict.proved
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Either, all_of, comparison
from symlayout.expr.facts import Facts
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Max,
    Size,
    as_expr,
    divisors_of,
    free_names,
    put,
    symbol,
)
from symlayout.expr.ties import ties
from symlayout.expr.tree import Add, Expr, Integer, Mul
from symlayout.hooks import hook
from symlayout.layouts.claim import Claim, sizes_in, with_names
from symlayout.layouts.doors.attributes import only
from symlayout.layouts.maps.function import IndexFunction, Variable
from symlayout.layouts.maps.tracing import Run, Traced, index_map, run_of
from symlayout.layouts.spans import least_value
from symlayout.programs.kernels.aliases import alike
from symlayout.programs.kernels.block_specs import (
    SLICE,
    Block,
    Leaf,
    Whole,
    blocks_of,
    grid_sizes,
    is_revisited,
    leaves,
    size_of,
)
from symlayout.programs.kernels.jax_functions import in_our_words
from symlayout.programs.kernels.pallas_bodies import body_of
from symlayout.text.names import unused
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

__all__ = ["BlockClaim", "claims"]

NAME = regex(r"[A-Za-z_]\w*")
MOVED = ("any", "hbm")  # memory spaces whose arrays the kernel moves itself


@dataclass(frozen=True)
class BlockClaim:
    """A claim about one block spec, with its name; `verdict` is asked for when it is needed.

    `open` says why it is neither proved nor refuted, where the claim's text cannot say what is meant.
    Where programs may come in `runs`, `exact` says the same in other words: that two programs meet
    refutes it alone.  A refutation is none where there is a `doubt`.
    """

    name: str
    claim: Claim
    open: str = ""
    exact: Claim | None = None
    runs: bool = False
    doubt: str = ""

    @cached_property
    def verdict(self) -> Any:
        """The prover's verdict."""
        if self.open:
            return hook("open")(self.claim, self.open)
        verdict = hook("verdict")(self.claim)
        example = verdict.counterexample
        if self.doubt and example is not None:
            return hook("open")(self.claim, self.doubt)
        if not self.runs or example is None or example.other is None:
            return verdict
        try:
            if self.exact is not None:
                return hook("verdict")(self.exact)
        except LayoutError:  # the program before, said of an index map with many cases, is too long
            pass
        return hook("open")(self.claim, "whether the two programs are of one run is not decided")

    def __str__(self) -> str:
        return f"{self.name}: {self.claim}"


@dataclass
class Reads:
    """What index maps read of tables: below what each number is, and what is read, by its name."""

    below: dict[str, Size] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def name(self, word: str, at: str) -> str:
        """One name for each place that is read."""
        name = f"{word}_at_" + "".join(c if c.isalnum() else "_" for c in at)
        while self.texts.setdefault(name, f"{word}[{at}]") != f"{word}[{at}]":
            name += "_"
        return name


@dataclass(frozen=True)
class Prefetch:
    """What is known of a scalar prefetch argument: below what its numbers are, and its sizes."""

    below: Size | None
    shape: tuple[Any, ...] | None = None
    is_present: bool = True

    @classmethod
    def read(cls, entry: Any) -> Prefetch:
        """As it is given: below what its numbers are, or that and its sizes."""
        if entry == ():
            return cls(None, (), False)
        pair = isinstance(entry, (tuple, list)) and len(entry) == 2
        below, shape = entry if pair else (entry, None)
        sizes = None if shape is None else tuple(map(size_of, getattr(shape, "shape", shape)))
        return cls(None if below is None else size_of(below), sizes)


class Table:
    """A scalar prefetch argument: each number that is read of it is another unknown, below a size."""

    def __init__(self, word: str, prefetch: Prefetch, reads: Reads, run: Run | None) -> None:
        self.word, self.below, self.reads = word, prefetch.below, reads
        self.sizes, self.run = prefetch.shape, run

    @property
    def shape(self) -> tuple[Any, ...]:
        """Its sizes, numbers where they are such."""
        if self.sizes is None:
            message = f"the sizes of {self.word} are asked for: give (below, sizes) in `prefetch`"
            raise LayoutError("SL204", message)
        sizes = (int(n) if isinstance(n, Integer) else as_expr(n) for n in self.sizes)
        return tuple(n if isinstance(n, int) else Traced(n, self.run) for n in sizes)

    def __getitem__(self, index: Any) -> Traced:
        if self.below is None:
            message = f"what is read of {self.word} has no bound: give it in `prefetch`"
            raise LayoutError("SL204", message)
        at = index if isinstance(index, tuple) else (index,)
        place = ", ".join(str(x.expr if isinstance(x, Traced) else x) for x in at)
        word = self.reads.name(self.word, place)
        self.reads.below[word] = self.below
        return Traced(symbol(word), self.run)


def _tables(prefetch: Sequence[Prefetch], reads: Reads, run: Run | None) -> list[Table | None]:
    """The scalar prefetch arguments of one call."""
    return [
        Table(f"prefetch{k}", p, reads, run) if p.is_present else None
        for k, p in enumerate(prefetch)
    ]


def claims(
    *,
    grid: Any,
    in_specs: Any = (),
    out_specs: Any = (),
    in_shapes: Any = (),
    out_shapes: Any = (),
    where: Any = (),
    prefetch: Sequence[Any] = (),
    input_output_aliases: Mapping[int, int] = {},
    kernel: Callable[..., Any] | None = None,
    scratch_shapes: Sequence[Any] = (),
) -> list[BlockClaim]:
    """The claims: every block lies in its array, and the results are written, each block in one go.

    >>> class Spec:
    ...     block_shape, index_map = (8, 128), staticmethod(lambda i, j: (i, j))
    >>> block_claims = claims(grid=("cdiv(M, 8)", 4), out_specs=[Spec], out_shapes=[("M", 512)])
    >>> [(c.name, c.verdict.status) for c in block_claims]
    [('out_specs[0]: written, each block in one go', 'proved')]

    A grid and shapes have numbers, texts or SymPy expressions; a spec has `block_shape` (None in it is
    a squeezed dimension, an `Element` counts elements) and `index_map`.  Specs may be trees, of lists
    and dicts, with shapes in the same places.  A result's block may be visited again by the next
    program, not later.  `prefetch` says of each scalar prefetch argument below what its numbers are, or
    None, or that and its sizes, or () where nothing is passed.  Where a table says which block of a
    result is written, it is unknown whether all are.  An argument and a result of
    `input_output_aliases` have the same sizes and type.  Of a `kernel` every index is claimed to be in
    its block: it is traced with references in the places of blocks.

    Raises `LayoutError`: SL403 for other ranks, SL204 for an index map that cannot be traced, SL301.
    """
    sizes = tuple(map(size_of, grid_sizes(grid)))
    facts = tuple([where] if isinstance(where, str) else where)
    tables = tuple(map(Prefetch.read, prefetch))
    block_claims, names = list[BlockClaim](), set[str]()
    inputs = [*leaves("in_specs", in_specs, in_shapes)]
    outputs = [*leaves("out_specs", out_specs, out_shapes)]
    for side in (inputs, outputs):
        written = side is outputs
        for name, spec, shape, _ in side:
            whole = spec.block_shape is None or not shape
            if whole and _needs_no_claim(spec, written):
                continue  # the whole array, or one that the kernel moves itself
            spec, shape = (spec, shape) if shape else (Whole(), (1,))  # one element without an axis
            one = _Spec(name, spec, sizes, tuple(map(size_of, shape)), tables, facts, names)
            block_claims += one.claims(written)
    for name, text in alike(input_output_aliases, len(tables), inputs, outputs):
        claim = _Spec(name, None, sizes, (), tables, facts, names).claim("holds", text)
        block_claims.append(BlockClaim(name, claim))
    if kernel is not None:
        sides = (("in_specs", in_specs, inputs), ("out_specs", out_specs, outputs))
        blocks = [b for side in sides for b in _blocks_given(*side)]
        blocks += [(f"scratch_shapes[{k}]", x) for k, x in enumerate(map(_shape, scratch_shapes))]
        block_claims += _of_body(
            kernel, _Spec("kernel", None, sizes, (), tables, facts, names), blocks
        )
    _check_names(facts, names, sizes, [shape for _, _, shape, _ in (*inputs, *outputs)])
    return block_claims


def _check_names(facts: Any, names: set[str], grid: Sequence[Any], shapes: Sequence[Any]) -> None:
    """Raises `LayoutError` (SL301) for facts with names that neither claims nor arrays have."""
    sizes = [size_of(d) for shape in shapes for d in shape or ()]
    Facts.read(facts).check_names({*names, *free_names(*grid, *sizes)})


def _blocks_given(word: str, specs: Any, entries: Sequence[Leaf]) -> Iterator[tuple[str, Any]]:
    """The sizes of the blocks that a kernel is given; None where an argument is."""
    leaf_of = {x.name: x for x in entries}
    for k in range(len(specs) if isinstance(specs, (tuple, list)) else 1):
        x = leaf_of.get(f"{word}[{k}]")
        if x is None:
            inner = [n for n in leaf_of if n.startswith(f"{word}[{k}][")]
            yield f"{word}[{k}]", False if inner else None
            continue
        sizes = [b.size for b in blocks_of(x.name, x.spec, x.shape) if b.size is not None]
        yield x.name, tuple(map(size_of, sizes))


def _shape(value: Any) -> Any:
    shape = getattr(value, "shape", value)
    return tuple(map(size_of, shape)) if isinstance(shape, (tuple, list)) else False


def _of_body(
    kernel: Callable[..., Any], spec: _Spec, blocks: Sequence[tuple[str, Any]]
) -> Iterator[BlockClaim]:
    """The claims about what a kernel does with its blocks."""
    reads = Reads()
    tables = _tables(spec.prefetch, reads, None)
    sizes = [e for _, shape in blocks for e in shape or ()]
    body = body_of(kernel, spec.grid, blocks, tables, {*spec.size_names, *free_names(*sizes)})
    known = tuple(Variable(w, Integer(0), as_expr(n)) for w, n in reads.below.items())
    claims_so_far: set[tuple[str, str, str]] = set()
    for name, f, doubt in body.accesses:
        first, rest = f.variables[: len(spec.grid) or 1], f.variables[len(spec.grid) or 1 :]
        text = str(replace(f, variables=(*first, *known, *rest)))
        if (name, text, doubt) in claims_so_far:
            continue
        claims_so_far.add((name, text, doubt))
        yield BlockClaim(
            f"kernel: {name} is in its block", spec.claim("bounded", text), doubt=doubt
        )
    for why in dict.fromkeys(body.open):
        yield BlockClaim(f"kernel: {why}", Claim("holds", ("0 >= 0",), ()), why)


def _needs_no_claim(spec: Any, written: bool) -> bool:
    """Whether a whole array is nothing to claim of: it is read, or the kernel moves it itself."""
    space = _field(spec, "memory_space")
    return not written or str(getattr(space, "name", space)).lower() in MOVED


@dataclass
class _Spec:
    """A block spec of an array on a grid."""

    name: str
    spec: Any
    grid: tuple[Any, ...]
    shape: tuple[Any, ...]
    prefetch: Sequence[Prefetch]
    facts: tuple[Any, ...]
    names: set[str] = field(default_factory=set)  # of all that is claimed of the kernel

    def claims(self, written: bool) -> list[BlockClaim]:
        """The claims about it."""
        reads = Reads()
        index, axes = self.trace(reads)
        f = self.block_map(index, axes, written, reads)
        inside = f"{self.name}: every block is in its array"
        own = self._sizes()
        if not written:
            return [*own, BlockClaim(inside, self.claim("bounded", str(f)))]
        title = f"{self.name}: written, each block in one go"
        if reads.below:
            why = f"which blocks are written depends on {', '.join(reads.texts.values())}"
            bounded, all_of_it = (self.claim(word, str(f)) for word in ("bounded", "bijective"))
            return [*own, BlockClaim(inside, bounded), BlockClaim(title, all_of_it, why)]
        if is_revisited(self.spec):
            every = BlockClaim(f"{self.name}: written", self.claim("onto", str(f)))
            return [*own, BlockClaim(inside, self.claim("bounded", str(f))), every]
        programs = len(index.variables)
        once = self.claim("bijective", str(_runs(f, programs)))
        first = _first_of_runs(f, programs)
        exact = None if first is None else self.claim("bijective", str(first))
        return [*own, BlockClaim(title, once, exact=exact, runs=True)]

    def _sizes(self) -> list[BlockClaim]:
        """That the array has sizes at all, where that is not plain."""
        sizes = dict.fromkeys(f"{e} >= 0" for e in self.shape if not self._is_natural(e))
        if not sizes:
            return []
        claim = self.claim("holds", " and ".join(sizes))
        return [BlockClaim(f"{self.name}: no size of its array is below 0", claim)]

    def _is_natural(self, e: Any) -> bool:
        """Whether the ranges of the symbols say at once that it is not below 0."""
        if isinstance(e, (FloorDiv, CeilDiv)):
            return self._is_natural(e.args[0]) and (least_value(e.args[1], self.known) or 0) >= 1
        if isinstance(e, (Add, Mul)) and all(map(self._is_natural, e.args)):
            return True
        least = least_value(e, self.known)
        return least is not None and least >= 0

    @cached_property
    def known(self) -> Facts:
        """The facts as relations."""
        return Facts.read(self.facts)

    def claim(self, word: str, text: str) -> Claim:
        """The claim under the facts about its names, and what others say of these."""
        own = sizes_in(text)
        self.names.update(own)
        if self.known.names <= own:
            return Claim(word, (text,), (), self.facts)
        links = ties(own, self.known)
        names = own | links.others | links.equal
        facts = [str(r) for r in self.known.relations if r.names <= names]
        texts = with_names(word, (text,), {n: n for n in sorted(links.others)})
        count = Facts.read(facts).occurrences
        facts += [f"symbol {n}" for n in sorted(links.equal) if count[n] < 2]
        return Claim(word, texts, (), (*facts, *links.consequences))

    def trace(self, reads: Reads) -> tuple[IndexFunction, dict[int, Any]]:
        """The index map over the grid, and the axes that it gives as slices."""
        function: Callable[..., Any] | None = _field(self.spec, "index_map")
        rank = len(self.shape)
        grid = self.grid or (Integer(1),)
        names = _names(function if self.grid else None, grid, self.size_names)
        axes: dict[int, Any] = {}
        counts = {rank}

        def called(*at: Any) -> Any:
            if function is None:
                return (0,) * rank
            own = at[: len(self.grid)]
            tables = _tables(self.prefetch, reads, run_of(*at))
            value = in_our_words(function, own, self.grid)(*own, *tables)
            row = tuple(value) if isinstance(value, (tuple, list)) else (value,)
            counts.add(len(row))
            indices: list[Any] = []
            for k, x in enumerate(row):
                sliced = hasattr(x, "start") and hasattr(x, "size")
                if sliced:
                    only(x, *SLICE)
                    axes[k] = x.size
                last = (getattr(x, "stride", None) or 1) * (x.size - 1) if sliced else 0
                indices += [x.start, x.start + last] if sliced else [x]
            return tuple(indices)

        result = index_map(called, dict(zip(names, grid)))
        counts.add(len(result._results) - len(axes))
        if counts != {rank}:
            (other, *_) = counts - {rank}
            message = f"{self.name}: {other} results of its index map for a block of rank {rank}"
            raise LayoutError("SL403", message)
        return result, axes

    def block_map(
        self, index: IndexFunction, axes: Mapping[int, Any], written: bool, reads: Reads
    ) -> IndexFunction:
        """The blocks of an array as the programs have them, in the box of how many there are.

        Of a result, a block whose index counts elements is all of them.
        """
        block = blocks_of(self.name, self.spec, self.shape)
        variables, results, box = list(index.variables), list(index._results), list[Any]()
        for k, (b, size) in enumerate(zip(block, self.shape)):
            width, more = self.width(b), b.padding
            if k in axes:  # of `pl.ds` the first element and the last
                if written:
                    raise LayoutError("SL204", f"{self.name}: a result in slices is not followed")
                self.fits(k, axes[k], width)
                box += [size, size]
            elif b.sliced:
                message = f"{self.name}: the index of axis {k} is no slice"
                raise LayoutError("SL403", message, help="a BoundedSlice has pl.ds(start, size)")
            elif not b.elements:
                box.append(size if width is None else CeilDiv(size, width))
            elif not written:
                room = size + more - width + 1
                box.append(room if self._is_natural(room) else Max(room, 0))
            else:
                word = unused(f"element{k}", {*self.size_names, *[v.name for v in variables]})
                variables.append(Variable(word, Integer(0), as_expr(width)))
                results[len(box)] = results[len(box)] + symbol(word)
                box.append(size + more)
        variables += [Variable(w, Integer(0), as_expr(b)) for w, b in reads.below.items()]
        return IndexFunction(tuple(variables), tuple(results), tuple(box), index._guard, (), True)

    def fits(self, axis: int, size: Any, width: Any) -> None:
        """Raises `LayoutError` for a slice that is not known to fit its block."""
        size = size.expr if isinstance(size, Traced) else size_of(size)
        if width is None or not self._is_natural(width - size):
            message = f"{self.name}: a slice of {size} in axis {axis} of a block of {width}"
            raise LayoutError("SL403", message)

    def width(self, block: Block) -> Any:
        """How many elements a block has along an axis; None for a squeezed one."""
        if block.size is None:
            return None
        size = size_of(block.size)
        if isinstance(size, Integer) and int(size) < 1:
            raise LayoutError("SL403", f"{self.name}: a block of {size} elements")
        return size

    @property
    def size_names(self) -> set[str]:
        """The names of sizes, which no variable has."""
        sizes = [n for p in self.prefetch for n in (p.below, *(p.shape or ())) if n is not None]
        names = {*free_names(*self.grid, *self.shape, *sizes)}
        return names | {n for f in self.facts for n in NAME.findall(str(f))}


def _runs(f: IndexFunction, programs: int) -> IndexFunction:
    """The map over runs of programs that come one after another and have the same block.

    The last axes that no result speaks of are left out, but for that they have programs at all; of
    the next one, where it occurs as `i // 4` alone, every four are a run.
    """
    axes, rest, results = list(f.variables[:programs]), f.variables[programs:], f._results
    tests: list[Condition] = [] if f._guard is None else [f._guard]
    for v in axes:
        results = _without(v, results)
    while axes:
        if not any(symbol(axes[-1].name) in e.free_symbols for e in results):
            last = axes.pop()
            if not (isinstance(last._high, Integer) and int(last._high) >= 1):
                tests.append(comparison(">=", last._high, Integer(1)))
            continue
        axes[-1], results = _run_variable(axes[-1], results)
        results = _without(axes[-1], results)
        if symbol(axes[-1].name) in {s for e in results for s in e.free_symbols}:
            break
    axes = axes or [Variable(f.variables[0].name, Integer(0), Integer(1))]
    return IndexFunction((*axes, *rest), results, f._box, all_of(tests), f._lets, f.tupled)


def _first_of_runs(f: IndexFunction, programs: int) -> IndexFunction | None:
    """The map of the programs that have another block than the one before them.

    None where it may be undefined at that one's place.
    """
    axes = f.variables[:programs]
    own = {symbol(v.name) for v in axes}
    if any(own & d.free_symbols for e in f._results for d in divisors_of(e)):
        return None
    zero = Integer(0)
    first: Condition = reduce(Both, [comparison("==", symbol(v.name), zero) for v in axes])
    for k, v in enumerate(axes):
        later = axes[k + 1 :]
        before = {symbol(v.name): symbol(v.name) - 1}
        before |= {symbol(w.name): w._high - 1 for w in later}
        changed = [comparison("!=", a, b) for a in f._results if (b := put(a, before)) != a]
        if not changed:
            continue
        other = reduce(Either, changed)
        starts = [comparison("==", symbol(w.name), zero) for w in later]
        there = [*starts, comparison(">", symbol(v.name), zero), other]
        first = Either(first, reduce(Both, there))
    guard = first if f._guard is None else Both(f._guard, first)
    return IndexFunction(f.variables, f._results, f._box, guard, f._lets, f.tupled)


def _without(v: Variable, results: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The results without a variable that has one value."""
    if v._low != 0 or v._high != 1:
        return results
    return tuple(e.xreplace({symbol(v.name): Integer(0)}) for e in results)


def _run_variable(v: Variable, results: tuple[Expr, ...]) -> tuple[Variable, tuple[Expr, ...]]:
    """The variable counted by the number that all results divide it by, if there is one."""
    own = symbol(v.name)
    parts = {x for e in results for x in e.atoms(FloorDiv) if x.args[0] == own}
    divisors = {x.args[1] for x in parts}
    if len(divisors) != 1 or not all(isinstance(d, Integer) and int(d) > 1 for d in divisors):
        return v, results
    (by,) = divisors
    other = symbol(f"{v.name}_run")
    exprs = tuple(e.xreplace(dict.fromkeys(parts, other)) for e in results)
    if any(own in e.free_symbols for e in exprs):
        return v, results
    back = tuple(e.xreplace({other: own}) for e in exprs)
    return Variable(v.name, v._low, as_expr(CeilDiv(v._high, by))), back


def _field(spec: Any, name: str) -> Any:
    return getattr(spec, name, None)


def _names(
    function: Callable[..., Any] | None, grid: tuple[Any, ...], size_names: set[str]
) -> list[str]:
    """The names of an index map's arguments, unless they are those of sizes."""
    plain = [unused(f"i{k}", size_names) for k in range(len(grid))]
    try:
        words = [] if function is None else list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return plain
    words = words[: len(grid)]
    return words if len(words) == len(grid) and not {*words} & size_names else plain
