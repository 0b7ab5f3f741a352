"""Linear layouts of all sizes: their bits in blocks of equal length, and the ranks of the blocks.

A layout, or several one after the other, with runs of symbolic lengths is cut, input by input and
coordinate by coordinate, until every run goes from whole pieces to whole pieces of its own length.
Bit by bit it is then one small matrix over F2, the same at every place of a piece.  Where the order of
two cuts depends on the sizes, both orders are looked at.  Runs that never close in this way may still
be told apart by their highest bits, or by their lowest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from operator import xor
from typing import Any, NamedTuple

from symlayout.digits.assume import context_of
from symlayout.digits.context import Context, Undecided
from symlayout.digits.placement import Attempt
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts, Relation
from symlayout.expr.terms import symbol
from symlayout.expr.tree import ZERO, Integer
from symlayout.layouts.doors.bits import Span
from symlayout.layouts.doors.family import Chain, Family
from symlayout.layouts.doors.linear import BITS, Linear
from symlayout.layouts.doors.runs import Exponent, Run
from symlayout.prove.decide import Asks, Problem
from symlayout.prove.maps.failures import replay
from symlayout.prove.maps.ranks import difference, of_places, there_and_back
from symlayout.prove.maps.walk import searcher
from symlayout.prove.question import Question
from symlayout.prove.search import Found, Unsafe
from symlayout.prove.verdict import Counterexample

MOST = 512  # bits of a layout that is looked at
CUTS = 60  # of one input or coordinate
SPLITS = 6  # orders of cuts that are decided one behind the other
MODES = ("all", "top", "bottom")
Layout = Family | Chain
Piece = tuple[int, int]  # an axis, and which of its pieces
Columns = dict[Piece, frozenset[Piece]]


class Split(Exception):
    """Whether this exponent is at least 0 depends on the sizes."""

    def __init__(self, what: Exponent) -> None:
        self.what = what


class Loose(Exception):
    """The runs do not close to blocks."""


class Order:
    """Exponents by their order, as the facts have it."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.known: dict[Exponent, bool] = {}
        self.order: dict[tuple[Exponent, Exponent], int] = {}

    def least(self, e: Exponent) -> bool:
        """Whether it is proved to be at least 0."""
        if e not in self.known:
            self.known[e] = self._least(e)
        return self.known[e]

    def _least(self, e: Exponent) -> bool:
        if e.is_Integer:
            return bool(e >= 0)
        try:
            return self.ctx.nonneg(self.ctx.poly(e))
        except Undecided:
            return False

    def compare(self, a: Exponent, b: Exponent) -> int:
        """-1, 0 or 1; raises `Split` where it depends on the sizes."""
        if (a, b) in self.order:
            return self.order[a, b]
        apart = b - a
        if apart == 0:
            return 0
        up, down = self.least(apart), self.least(-apart)
        if not up and not down:
            raise Split(apart)
        self.order[a, b] = 0 if up and down else -1 if up else 1
        return self.order[a, b]


@dataclass
class Axis:
    """The bits of an input or a coordinate, cut in pieces; `ends` are lengths that it must have."""

    ends: list[Exponent] = field(default_factory=list)
    cuts: list[Exponent] = field(default_factory=lambda: [ZERO])

    def at(self, e: Exponent, order: Order) -> tuple[int, bool]:
        """Which cut it is, and whether it is a new one."""
        if e in self.cuts:  # as it is written
            return self.cuts.index(e), False
        for k, c in enumerate(self.cuts):
            hit = order.compare(e, c)
            if hit == 0:
                return k, False
            if hit < 0:
                self.cuts.insert(k, e)
                return k, True
        self.cuts.append(e)
        if len(self.cuts) > CUTS:
            raise Loose
        return len(self.cuts) - 1, True


class Link(NamedTuple):
    """The bits of an input from one on that go, one by one, to those of a coordinate from one on."""

    stage: int
    source: int  # the axes, by their numbers
    first: Exponent
    target: int
    to: Exponent
    many: Exponent
    bit: tuple[int, int] = (0, 0)  # of the vector: which coordinate, which of its bits


@dataclass
class Cut:
    """Layouts cut in blocks: axes, links, and for each layout its inputs and coordinates."""

    axes: list[Axis]
    links: list[Link]
    sides: list[tuple[range, range]]  # of each layout: its inputs, its coordinates
    stages: list[range] = field(default_factory=list)  # of each stage: its inputs
    paths: list[list[int]] = field(default_factory=list)  # of each layout: its stages
    mode: str = "all"

    def close(self, order: Order) -> None:
        """Cuts until every link goes from whole pieces to whole pieces."""
        for axis in self.axes:
            for e in axis.ends:
                axis.at(e, order)
        changed = True
        while changed:
            changed = False
            for link in self.links:
                a, b = self.axes[link.source], self.axes[link.target]
                if len(a.cuts) > CUTS or len(b.cuts) > CUTS:
                    raise Loose
                there = link.to - link.first
                for x, y, first, move in ((a, b, link.first, there), (b, a, link.to, -there)):
                    low, new = x.at(first, order)
                    high, more = x.at(first + link.many, order)
                    changed |= new or more
                    for c in x.cuts[low : high + 1]:
                        changed |= y.at(c + move, order)[1]

    def span(self, link: Link, order: Order) -> tuple[int, int, int]:
        """The first pieces of a link on both sides, and how many they are."""
        a, b = self.axes[link.source], self.axes[link.target]
        low, high = (a.at(e, order)[0] for e in (link.first, link.first + link.many))
        return low, b.at(link.to, order)[0], high - low

    def whole(self, order: Order) -> bool:
        """Whether each axis ends where it must."""
        return all(
            len({a.at(e, order)[0] for e in a.ends}) <= 1
            and (not a.ends or a.at(a.ends[0], order)[0] == len(a.cuts) - 1)
            for a in self.axes
        )

    def columns(self, order: Order) -> list[Columns]:
        """For each layout, the pieces of coordinates that each piece of an input goes to."""
        each: list[Columns] = []
        for ins in self.stages:
            pieces = [(i, k) for i in ins for k in range(len(self.axes[i].cuts) - 1)]
            each.append(dict.fromkeys(pieces, frozenset()))
        for link in self.links:
            low, to, many = self.span(link, order)
            for k in range(many):
                each[link.stage][link.source, low + k] ^= {(link.target, to + k)}
        return [reduce(_then, [each[n] for n in path]) for path in self.paths]


def _then(first: Columns, second: Columns) -> Columns:
    """One after the other: what meets an even number of times is gone."""
    return {piece: _image(there, second) for piece, there in first.items()}


def _image(pieces: frozenset[Piece], columns: Columns) -> frozenset[Piece]:
    return reduce(xor, [columns[p] for p in pieces], frozenset[Piece]())


def cut_of(word: str, layouts: Sequence[Layout], mode: str = "all") -> Cut | None:
    """The axes and links of one layout or two; None where the mode says nothing of them."""
    cut = Cut([], [], [], mode=mode)
    for k, f in enumerate(layouts):
        if k == 0:
            many, out = len(f.ins), len(f.outs)
            cut.axes += [Axis() for _ in range(many + out)]
            cut.sides.append((range(many), range(many, many + out)))
        else:
            ins, outs = cut.sides[0]
            cut.sides.append((outs, ins) if word == "inverse" else (ins, outs))
    for f, (ins, outs) in zip(layouts, cut.sides):
        path: list[int] = []
        for n, stage in enumerate(f.stages):
            last, between = n + 1 == len(f.stages), len(cut.axes)
            if not last:
                cut.axes += [Axis() for _ in stage.outs]
            target = outs if last else range(between, len(cut.axes))
            path.append(len(cut.stages))
            cut.stages.append(ins)
            for (_, runs), i in zip(stage.ins, ins):
                first: Exponent = ZERO
                for r in runs:
                    links = _links(path[-1], r, i, first, target, mode)
                    if links is None:
                        return None
                    cut.links += links
                    first = first + r.many
                cut.axes[i].ends.append(first)
            if not last or word not in ("equal", "inverse"):  # which speak of domains alone
                for (_, size), i in zip(stage.outs, target):
                    cut.axes[i].ends.append(size)
            ins = target
        cut.paths.append(path)
    return cut


def _links(
    stage: int, r: Run, source: int, first: Exponent, outs: range, mode: str
) -> list[Link] | None:
    """The links of a run: of all bits of its vector, or of its highest or lowest one."""
    bits = [(c, b) for c, row in enumerate(r.vector) for b in range(len(row))]
    if mode != "all":
        if not bits:
            return None
        c = bits[0][0] if mode == "top" else bits[-1][0]
        row = r.vector[c]
        ends = [b for b in range(len(row)) if all(_apart(row[b], x, mode) for x in row)]
        if not ends:
            return None
        bits = [(c, ends[0])]
    return [Link(stage, source, first, outs[c], r.vector[c][b], r.many, (c, b)) for c, b in bits]


def _apart(e: Exponent, other: Exponent, mode: str) -> bool:
    """Whether the bit is surely the highest, or the lowest, of the two."""
    d = e - other if mode == "top" else other - e
    return bool(d.is_Integer and d >= 0)


@dataclass(frozen=True)
class Leaf:
    """Sizes at which all cuts have one order: what is assumed of them, and the layouts in blocks."""

    cut: Cut
    order: Order


@dataclass(frozen=True)
class Fork:
    """Sizes at which an exponent is at least 0, and the others."""

    what: Exponent
    yes: Leaf | Fork | None  # None: no sizes
    no: Leaf | Fork | None


Tree = Leaf | Fork


def cut_up(
    word: str, layouts: Sequence[Layout], mode: str, facts: Facts, ctx: Context, left: int = SPLITS
) -> Tree:
    """The layouts in blocks, at all sizes; raises `Loose` where that does not end."""
    results, order = cut_of(word, layouts, mode), Order(ctx)
    if results is None:
        raise Loose
    try:
        results.close(order)
        return Leaf(results, order)
    except Split as split:
        what = split.what
    if not left:
        raise Loose
    branches: list[Tree | None] = []
    names = tuple(dict.fromkeys(n for f in layouts for n in f.names))
    least = [Relation(">=", symbol(n), Integer(facts.domain(n).first)) for n in names]
    for e in (what, -1 - what):
        more = Facts((*facts.relations, *least, Relation(">=", e, ZERO)))
        inner = context_of(more, names)
        one = None if inner.contradiction else cut_up(word, layouts, mode, more, inner, left - 1)
        branches.append(one)
    return Fork(what, branches[0], branches[1])


def leaves(tree: Tree | None) -> list[Leaf]:
    """The leaves of a tree, in order."""
    if tree is None:
        return []
    return [tree] if isinstance(tree, Leaf) else [*leaves(tree.yes), *leaves(tree.no)]


def holds(word: str, leaf: Leaf) -> bool:
    """Whether the claim is true wherever all pieces have a bit."""
    cut = leaf.cut
    if not cut.whole(leaf.order):
        return False
    columns = cut.columns(leaf.order)
    if word == "equal":
        return columns[0] == columns[1]
    if word == "inverse":
        pairs = (columns, columns[::-1])
        return all(there == {p} for x, y in pairs for p, there in _then(x, y).items())
    outs = [(i, k) for i in cut.sides[0][1] for k in range(len(cut.axes[i].cuts) - 1)]
    number = {piece: 1 << n for n, piece in enumerate(outs)}
    rank = Span(sum(number[p] for p in pieces) for pieces in columns[0].values()).rank
    once, covered = rank == len(columns[0]), rank == len(outs)
    return {"injective": once, "onto": covered}.get(word, once and covered)


def proof_of(word: str, layouts: Sequence[Layout], facts: Facts, ctx: Context) -> tuple[str, Tree]:
    """The way that shows the claim, and its blocks; raises `Undecided` where none does."""
    word = "injective" if word == "valid" else word  # vectors lie inside wherever it is defined
    reason = "its runs of bits do not close to blocks of equal length"
    modes = MODES if word in ("injective", "onto", "bijective") else MODES[:1]
    if len(layouts[0].stages) > 1:  # what its vectors are is not written
        modes = MODES[:1]
    elif any(len(c) > 1 for f in layouts for _, rs in f.ins for r in rs for c in r.vector):
        modes = (*modes[1:], modes[0])  # such a run seldom closes to blocks
    for mode in modes:
        goal = "bijective" if mode != "all" and word == "onto" else word
        try:
            tree = cut_up(goal, layouts, mode, facts, ctx)
        except Loose:
            continue
        if all(holds(goal, leaf) for leaf in leaves(tree)):
            return mode, tree
        if mode == "all":
            reason = "in blocks of bits it has not the rank"
            break
    raise Undecided(reason)


# -- claims -----------------------------------------------------------------------------------------


def about_families(word: str, layouts: Sequence[Layout], where: Any) -> Question:
    """What a claim word states of their bits."""
    facts = Facts.read(where)
    names = tuple(dict.fromkeys(n for f in layouts for n in f.names))
    own = {n for f in layouts for s in f.stages for n, _ in (*s.ins, *s.outs)}
    if own & facts.names:
        name = min(own & facts.names)
        raise LayoutError("SL301", f"the facts speak of {name!r}, a name inside of {layouts[0]}")
    _check(word, layouts)

    def prove(ctx: Context) -> Attempt:
        if word == "bounded":
            return Attempt(True, "each vector lies within the sizes", details={"by": "blocks"})
        if word == "disjoint":
            return Attempt(False, "linear layouts meet at 0")
        try:
            mode, tree = proof_of(word, layouts, facts, ctx)
        except Undecided as why:
            return Attempt(False, str(why))
        many = len(leaves(tree))
        message = "in blocks of bits, by rank over F2"
        if mode != "all":
            message = f"by the {'highest' if mode == 'top' else 'lowest'} bits of its vectors"
        if many > 1:
            message += f", in {many} cases"
        return Attempt(True, message, details={"by": "blocks"})

    def test(sizes: dict[str, int], left: list[int]) -> Found | None:
        try:
            results = [f.instance(sizes, MOST) for f in layouts]
        except LayoutError as error:
            if error.code == "SL204":
                raise Unsafe from None
            return None  # not defined there, which is told apart
        wide = max(max(f.in_bits, f.out_bits) for f in results)
        left[0] -= wide * wide if wide > BITS else 0  # long numbers take long
        return _failing(word, results, sizes, left)

    demands = tuple(dict.fromkeys(d for f in layouts for d in f.demands))
    again = _replayer(layouts)
    return Asks(
        lambda effort: Problem(names, facts, prove, searcher(test, effort), again, demands=demands)
    )


def _check(word: str, layouts: Sequence[Layout]) -> None:
    f, g = layouts[0], layouts[-1]
    pairs = {
        "equal": ((f.ins, g.ins), (f.outs, g.outs)),
        "inverse": ((f.ins, g.outs), (f.outs, g.ins)),
        "disjoint": ((f.outs, g.outs),),
    }
    for x, y in pairs.get(word, ()):
        if len(x) != len(y):
            numbers = f"{len(x)} inputs or coordinates of the one against {len(y)} of the other"
            raise LayoutError("SL403", numbers)


def _failing(
    word: str, results: Sequence[Linear], sizes: dict[str, int], left: list[int]
) -> Found | None:
    """The first failure of layouts of one size."""
    if len(results) == 1:
        return of_places(word, results[0])[0](sizes)
    a, b = results
    if word == "disjoint":
        return Found(sizes, (0,) * len(a.ins), (0,) * len(b.ins), "meeting")
    known = (difference if word == "equal" else there_and_back)(a, b)
    if known is not None:
        return known(sizes)
    ours, theirs = ([1 << len(v) for _, v in f.ins] for f in results)
    if word == "equal":  # the first point of one domain alone, or one where they differ
        axis = max(k for k, (x, y) in enumerate(zip(ours, theirs)) if x != y)
        alone = tuple(min(ours[axis], theirs[axis]) if k == axis else 0 for k in range(len(ours)))
        both = [min(x, y) for x, y in zip(ours, theirs)]
        for p in product(*[range(d) for d in both]):
            left[0] -= 1
            if p > alone:
                break
            if left[0] < 0:
                raise Unsafe
            if a.at(p, {}) != b.at(p, {}):
                return Found(sizes, p, kind="differ")
        return Found(sizes, alone, kind="differ")
    for f, g, kind in ((a, b, "F"), (b, a, "G")):
        room = [1 << len(v) for _, v in g.ins]
        for p in product(*[range(1 << len(v)) for _, v in f.ins]):
            left[0] -= 1
            if left[0] < 0:
                raise Unsafe
            q = f.at(p, {})
            if any(x >= d for x, d in zip(q, room)) or g.at(q, {}) != p:
                return Found(sizes, p, kind=kind)
    return None


def _replayer(layouts: Sequence[Layout]) -> Any:
    """A failure again, by the vectors of the bits at its sizes."""

    def again(hit: Found) -> Counterexample | None:
        try:
            results = [f.instance(hit.sizes, MOST) for f in layouts]
        except LayoutError:  # not defined there, or too large to be looked at
            return None
        return replay(results, hit)

    return again


# -- for the certificate ------------------------------------------------------------------------------


def witness(word: str, layouts: Sequence[Layout], facts: Facts) -> list[list[str]]:
    """The blocks of a proof, as the rows of texts that a certificate has; raises `Undecided`."""
    if word == "bounded":
        return []
    ctx = context_of(facts, [n for f in layouts for n in f.names])
    mode, tree = proof_of(word, layouts, facts, ctx)
    rows: list[list[str]] = []

    def down(node: Tree | None) -> None:
        if node is None:
            rows.append(["none"])
        elif isinstance(node, Fork):
            rows.append(["fork", str(node.what)])
            down(node.yes)
            down(node.no)
        else:
            rows.append(["leaf", mode])
            rows.extend(["axis", *map(str, a.cuts)] for a in node.cut.axes)
            for link in node.cut.links:
                span = (*link.bit, *node.cut.span(link, node.order))
                rows.append(["link", *map(str, span)])

    down(tree)
    return rows
