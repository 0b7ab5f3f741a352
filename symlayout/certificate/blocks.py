"""Linear layouts of all sizes 2**k, for the checker: blocks of bits that a certificate cuts them in.

A certificate says where each input and each coordinate is cut, and from which piece to which piece the
bits of a run go.  That these cuts are in order, and that they lie where the runs begin and end, are
goals about the sizes.  Every bit of a piece then goes where the others go, so the layout is the same
small matrix over F2 at each place of a piece: its rank, or its product with another, says the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from symlayout.certificate.bits import independent, of_all_sizes
from symlayout.certificate.exact import Rejected, Work, polynomial
from symlayout.certificate.part import Goal, Part
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.relations import Relation
from symlayout.expr.terms import symbol
from symlayout.expr.tree import Expr, Integer
from symlayout.layouts.notation import notation_of, parse

WORDS = ("injective", "valid", "onto", "bijective", "bounded", "equal", "inverse")
ONCE = ("injective", "valid")  # that vectors lie within the sizes is demanded of every layout
MOST_LEAVES = 64
ZERO: Expr = Integer(0)
Bits = tuple[Expr, ...]  # of a coordinate: the exponents of the powers of two that it is made of
Rows = Sequence[Sequence[str]]


class Stretch(NamedTuple):
    """Bits of an input from `first` on: the vector of the first one, and how many they are."""

    first: Expr
    vector: tuple[Bits, ...]
    many: Expr


class Shape(NamedTuple):
    """A linear layout: the stretches of each input, the bits of each, the bits of coordinates."""

    inputs: tuple[tuple[Stretch, ...], ...]
    lengths: tuple[Expr, ...]
    sizes: tuple[Expr, ...]

    @property
    def exponents(self) -> Iterator[Expr]:
        """What stands above a 2."""
        for row in self.inputs:
            for s in row:
                yield s.many
                yield from (e for bits in s.vector for e in bits)
        yield from self.sizes

    def demands(self, work: Work) -> list[Relation]:
        """No exponent is below 0, and no bit of a vector lies behind its coordinate's bits."""
        relations = [Relation(">=", e, ZERO) for e in self.exponents]
        for row in self.inputs:
            for s in row:
                for bits, size in zip(s.vector, self.sizes):
                    relations += [Relation(">=", size, e + s.many) for e in bits]
        return list(dict.fromkeys(r for r in relations if not evident(r, work)))

    @property
    def names(self) -> set[str]:
        """The symbols."""
        return {str(x) for e in self.exponents for x in e.free_symbols}


class Course(NamedTuple):
    """Linear layouts one after the other; mostly it is one."""

    stages: tuple[Shape, ...]

    @property
    def names(self) -> set[str]:
        """The symbols."""
        return set().union(*(s.names for s in self.stages))

    def demands(self, work: Work) -> list[Relation]:
        """What each demands; and the coordinates of one are as large as the inputs of the next."""
        relations = [r for s in self.stages for r in s.demands(work)]
        for one, then in pairwise(self.stages):
            relations += [Relation("==", a, b) for a, b in zip(one.sizes, then.lengths)]
        return [r for r in relations if not evident(r, work)]


def evident(r: Relation, work: Work) -> bool:
    """Whether it is a relation of numbers that holds."""
    apart = polynomial(r.left - r.right, work)
    if apart.degree > 0:
        return False
    number = dict(apart.terms).get((), 0)
    return number == 0 if r.op == "==" else number >= 0


def shape(layout: Any) -> Shape:
    """A linear layout by what its text says; one of a single size has a vector for each bit."""
    inputs, lengths = list[tuple[Stretch, ...]](), list[Expr]()
    for _, rows in layout.ins:
        row, first = list[Stretch](), ZERO
        for r in rows:
            if isinstance(r, tuple):
                vector: tuple[tuple[Expr, ...], ...] = tuple(
                    tuple(Integer(b) for b in range(x.bit_length()) if x >> b & 1) for x in r
                )
                many: Expr = Integer(1)
            else:
                vector, many = r.vector, r.many
            row.append(Stretch(first, vector, many))
            first = first + many
        inputs.append(tuple(row))
        lengths.append(first)
    sizes = [d if isinstance(d, Expr) else Integer(d.bit_length() - 1) for _, d in layout.outs]
    return Shape(tuple(inputs), tuple(lengths), tuple(sizes))


def course(layout: Any) -> Course:
    """A layout that is read, or the stages of several; raises `LayoutError` where they do not fit."""
    stages = tuple(map(shape, getattr(layout, "stages", (layout,))))
    for one, then in pairwise(stages):
        if len(one.sizes) != len(then.inputs):
            raise LayoutError("SL403", "the coordinates of one are not the inputs of the next")
    return Course(stages)


def shapes(word: str, arguments: Sequence[Any]) -> list[Course]:
    """The linear layouts of a claim where one at least has symbols; none for other claims."""
    many = 2 if word in ("equal", "inverse") else 1
    plain = len(arguments) == many and all(isinstance(a, str) for a in arguments)
    if word not in WORDS or not plain:
        return []
    if not all(notation_of(a).name in ("linear", "Triton") for a in arguments):
        return []
    if not any(map(of_all_sizes, arguments)):
        return []
    layouts = [course(parse(a)) for a in arguments]
    if len(layouts) == 2:
        a, b = ((len(c.stages[0].inputs), len(c.stages[-1].sizes)) for c in layouts)
        if a != (b[::-1] if word == "inverse" else b):
            raise LayoutError("SL403", "the layouts have other numbers of inputs or coordinates")
    return layouts


class Cuts(NamedTuple):
    """Where each axis is cut: the first layout's inputs, its coordinates, then what stands between."""

    axes: tuple[tuple[Expr, ...], ...]

    def pieces(self, axes: Sequence[int]) -> list[tuple[int, int]]:
        """The pieces of these axes."""
        return [(a, k) for a in axes for k in range(len(self.axes[a]) - 1)]


class Reader:
    """The rows of a certificate, taken one after the other; goals come out as parts."""

    def __init__(self, word: str, layouts: Sequence[Course], rows: Rows, work: Work) -> None:
        self.work = work
        self.word, self.layouts, self.rows, self.at = word, layouts, rows, 0
        self.ends = 0
        first = layouts[0].stages
        ins = list(range(len(first[0].inputs)))
        outs = [len(ins) + k for k in range(len(first[-1].sizes))]
        self.count = len(ins) + len(outs)
        other = (outs, ins) if word == "inverse" else (ins, outs)
        self.sides = [(ins, outs), other][: len(layouts)]
        self.between: list[list[list[int]]] = []  # of each layout: the axes behind each stage
        for layout, (_, last) in zip(layouts, self.sides):
            behind: list[list[int]] = []
            for stage in layout.stages[:-1]:
                behind.append([self.count + k for k in range(len(stage.sizes))])
                self.count += len(stage.sizes)
            self.between.append([*behind, last])
        self.names: set[str] = set().union(*(s.names for s in layouts))

    def next(self, *words: str) -> Sequence[str]:
        """The next row; raises `Rejected` for another one, or none."""
        if self.at == len(self.rows) or self.rows[self.at][0] not in words:
            raise Rejected(f"blocks: {' or '.join(words)} is wanted at row {self.at}")
        self.at += 1
        return self.rows[self.at - 1][1:]

    def read(self, text: str) -> Expr:
        """An expression of the layouts' symbols."""
        return read_expression(text, {n: symbol(n) for n in self.names}.get)

    def parts(self, facts: tuple[Relation, ...] = ()) -> Iterator[Part]:
        """What has to be shown of the sizes at which all that is given holds."""
        row = self.next("fork", "leaf", "none")
        word = self.rows[self.at - 1][0]
        if word == "fork":
            if len(facts) >= MOST_LEAVES:
                raise Rejected("blocks: too many forks inside one another")
            what = self.read(row[0])
            yield from self.parts((*facts, Relation(">=", what, ZERO)))
            yield from self.parts((*facts, Relation(">=", -what, Integer(1))))
            return
        self.ends += 1
        if self.ends > MOST_LEAVES:
            raise Rejected(f"blocks: more than {MOST_LEAVES} leaves")
        name = f"sizes {self.ends}"
        if word == "none":
            yield Part(name, {}, [[Relation(">=", Integer(-1), ZERO)]], premises=facts)
            return
        if len(row) != 1 or row[0] not in ("all", "top", "bottom"):
            raise Rejected("blocks: a leaf is of all bits, of the top ones or the bottom ones")
        goals = [[r] for r in self.leaf(row[0]) if not evident(r, self.work)]
        yield Part(name, {}, goals, premises=facts)

    def leaf(self, mode: str) -> list[Relation]:
        """The goals of one leaf; raises `Rejected` where the matrix does not show the claim."""
        cuts = Cuts(tuple(tuple(map(self.read, self.next("axis"))) for _ in range(self.count)))
        goals: list[Relation] = []
        for axis in cuts.axes:
            if not axis:
                raise Rejected("blocks: an axis without cuts")
            goals.append(Relation("==", axis[0], ZERO))
            goals += [Relation(">=", b, a) for a, b in pairwise(axis)]
        images = []
        for layout, (ins, _), behind in zip(self.layouts, self.sides, self.between):
            if mode != "all" and len(layout.stages) > 1:
                raise Rejected("blocks: the highest bits of several layouts are not looked at")
            whole: dict[Any, set[Any]] | None = None
            for n, (stage, outs) in enumerate(zip(layout.stages, behind)):
                goals += [Relation("==", cuts.axes[a][-1], x) for a, x in zip(ins, stage.lengths)]
                if n + 1 < len(layout.stages) or self.word not in ("equal", "inverse"):
                    ends = zip(outs, stage.sizes)
                    goals += [Relation("==", cuts.axes[a][-1], x) for a, x in ends]
                image = self.image(stage, ins, outs, cuts, mode, goals)
                whole = image if whole is None else after(whole, image)
                ins = outs
            images.append(whole or {})
        if not self.shows(images, cuts, mode):
            raise Rejected("blocks: the matrix over F2 does not show the claim")
        return goals

    def image(
        self,
        layout: Shape,
        ins: Sequence[int],
        outs: Sequence[int],
        cuts: Cuts,
        mode: str,
        goals: list[Relation],
    ) -> dict[tuple[int, int], set[tuple[int, int]]]:
        """The pieces of coordinates that each piece of an input goes to; adds what this rests on."""
        image: dict[tuple[int, int], set[tuple[int, int]]] = {p: set() for p in cuts.pieces(ins)}
        for axis, row in zip(ins, layout.inputs):
            for stretch in row:
                for c, b in self.bits(stretch, mode):
                    texts = self.next("link")
                    if list(texts[:2]) != [str(c), str(b)]:
                        c, b = self.choice(texts, stretch, mode, goals)
                    elif mode != "all":
                        goals += self.extreme(stretch, c, b, mode)
                    low, to, many = (int(t) if t.isdigit() else -1 for t in texts[2:5])
                    source, target = cuts.axes[axis], cuts.axes[outs[c]]
                    if min(low, to, many) < 0 or low + many >= len(source):
                        raise Rejected("blocks: there is no such piece")
                    if to + many >= len(target):
                        raise Rejected("blocks: there is no such piece")
                    end = stretch.first + stretch.many
                    goals.append(Relation("==", source[low], stretch.first))
                    goals.append(Relation("==", source[low + many], end))
                    goals.append(Relation("==", target[to], stretch.vector[c][b]))
                    for k in range(1, many + 1):
                        sides = source[low + k] - source[low], target[to + k] - target[to]
                        goals.append(Relation("==", *sides))
                    for k in range(many):
                        image[axis, low + k] ^= {(outs[c], to + k)}
        return image

    def bits(self, stretch: Stretch, mode: str) -> list[tuple[int, int]]:
        """The bits of a vector that have links: all of them, or one."""
        every = [(c, b) for c, bits in enumerate(stretch.vector) for b in range(len(bits))]
        if mode == "all":
            return every
        if not every:
            raise Rejected("blocks: a vector of zeros has no highest bit")
        return every[:1]

    def choice(
        self, texts: Sequence[str], stretch: Stretch, mode: str, goals: list[Relation]
    ) -> tuple[int, int]:
        """The one bit that a row names."""
        if mode == "all" or not all(t.isdigit() for t in texts[:2]):
            raise Rejected("blocks: the links are not those of the layout")
        c, b = int(texts[0]), int(texts[1])
        if c >= len(stretch.vector) or b >= len(stretch.vector[c]):
            raise Rejected("blocks: there is no such bit")
        goals += self.extreme(stretch, c, b, mode)
        return c, b

    def extreme(self, stretch: Stretch, c: int, b: int, mode: str) -> list[Relation]:
        """That this bit is the highest of its vector, or the lowest, coordinate by coordinate."""
        others = stretch.vector[:c] if mode == "top" else stretch.vector[c + 1 :]
        if any(others):
            raise Rejected("blocks: another coordinate has the highest bit, or the lowest")
        own = stretch.vector[c][b]
        rest = [e for k, e in enumerate(stretch.vector[c]) if k != b]
        if mode == "top":
            return [Relation(">=", own, e + 1) for e in rest]
        return [Relation(">=", e, own + 1) for e in rest]

    def shows(self, images: Sequence[Mapping[Any, set[Any]]], cuts: Cuts, mode: str) -> bool:
        """Whether the matrix says what is claimed, at each place of each piece."""
        if self.word == "equal":
            return mode == "all" and images[0] == images[1]
        if self.word == "inverse":
            pairs = (tuple(images), tuple(images[::-1]))
            return mode == "all" and all(
                there == {p} for x, y in pairs for p, there in after(x, y).items()
            )
        rows = {p: 1 << k for k, p in enumerate(cuts.pieces(self.sides[0][1]))}
        rank = independent([sum(rows[p] for p in there) for there in images[0].values()])
        once, covered = rank == len(images[0]), rank == len(rows)
        if mode != "all":  # it has at least this rank, and as many vectors
            return once and (covered or self.word in ONCE)
        return once if self.word in ONCE else covered and (once or self.word == "onto")


def after(first: Mapping[Any, set[Any]], then: Mapping[Any, set[Any]]) -> dict[Any, set[Any]]:
    """One after the other: what is met an even number of times is not there."""
    images: dict[Any, set[Any]] = {}
    for piece, there in first.items():
        images[piece] = set()
        for p in there:
            images[piece] ^= then[p]
    return images


def block_parts(word: str, layouts: Sequence[Course], rows: Rows, work: Work) -> Iterator[Part]:
    """The parts of a proof by blocks; raises `Rejected` where it shows something else."""
    demands: list[Goal] = [[r] for s in layouts for r in s.demands(work)]
    if demands:
        yield Part("defined", {}, demands)
    reader = Reader(word, layouts, rows, work)
    if word != "bounded":  # which is what the layouts demand
        yield from reader.parts()
    if reader.at != len(rows):
        raise Rejected("blocks: rows are left over")
