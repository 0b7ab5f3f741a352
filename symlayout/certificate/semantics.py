"""What claims mean: each claim of a certificate, read again from its text, as relations.

A relation stands between integer expressions and holds for all sizes that the facts allow and all
coordinates in a box.  Nothing of the prover is used, and none of its formulas.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from itertools import takewhile
from math import gcd

from symlayout.certificate.calls import Meant
from symlayout.certificate.cases import World, whole_number
from symlayout.certificate.definedness import Demands, comparison
from symlayout.certificate.definitions import (
    ZERO,
    Law,
    Map,
    names_in,
    product,
)
from symlayout.certificate.exact import Rejected, polynomial
from symlayout.certificate.functions import IMAGES, world_of
from symlayout.certificate.machine import with_definedness
from symlayout.certificate.part import Goal, Part
from symlayout.certificate.proof import ENTIRE, LISTS, METHODS, Texts
from symlayout.certificate.reading import Reading, inside, pairs, relation
from symlayout.certificate.script import Script
from symlayout.errors import LayoutError
from symlayout.expr.reader import read_expression
from symlayout.expr.relations import Relation
from symlayout.expr.terms import REWRITTEN as REWRITTEN
from symlayout.expr.terms import (
    rebuild,
    symbol,
)
from symlayout.expr.tree import Expr

OF_GOALS = ("bounded", "equal", "formula", "holds", "divides", "aligned")  # relations, and no texts
MOST_SIDES = 6  # polynomials that are told apart by their signs, one after the other
PLAINLY = ("definition",)
# the words whose meaning is a function of another module, imported when a claim has that word
ELSEWHERE = {
    "bitcast": "transfers:bitcast",
    "reinterpret": "transfers:reinterpret",
    "padding": "storage:padding",
    "aligned": "storage:aligned",
    "bytes": "storage:bytes_of",
    "fits": "storage:fits",
    "tiles": "tiles:tiles",
}
# how the claim is shown for sizes of one side
SIDES = {w: tuple(by for by in many if by not in ENTIRE) for w, many in METHODS.items()}


class Claim(Reading):
    """The claim of a certificate, read again from its text.

    >>> from symlayout.certificate.proof import Statement
    >>> for part in Claim(Statement("bounded", ("f32[M,N]{1,0}",))).parts("", Texts()):
    ...     print(part.box, *[str(r) for goal in part.goals for r in goal], sep="; ")
    {}; M >= 0; N >= 0
    {'i': M, 'j': N}; N*i + j >= 0; N*i + j < M*N

    Raises `LayoutError` for a text that cannot be read.
    """

    # -- what has to hold -------------------------------------------------------------------------

    def definedness(self) -> list[Goal]:
        """What must hold of the sizes for the claim to be defined."""
        return [*[[r] for m in self.maps for r in m.demands], *self.demands]

    def laws(self) -> list[Law]:
        """What else the offsets rest on, each in a box of its own."""
        every = [*self.resting, *[law for m in self.maps for law in (*m.laws, *m.defined)]]
        return [law.apart_from(set(self.names)) for law in dict.fromkeys(every)]

    def parts(self, by: str, texts: Texts) -> Iterator[Part]:
        """The parts of a proof of that kind."""
        if self.shapes and by == "blocks":
            from symlayout.certificate.blocks import block_parts

            yield from block_parts(self.word, self.shapes, texts.script, self.work)
            return
        if self.shapes or by == "blocks":
            raise LayoutError("SL106", f"{by} is not a proof about these layouts")
        if by == "script":
            yield from self.script_parts(texts)
            return
        if by == "sizes":
            yield from self.each_side(texts)
            return
        if self.by_script:
            raise LayoutError("SL106", f"{self.text(0)} is taken apart by a script alone")
        if demands := self.definedness():
            yield Part("defined", {}, demands)
        for k, law in enumerate(self.laws()):
            box = {c.name: d for c, d in zip(law.coords, law.shape)}
            yield Part(f"law {k}", box, [[law.relation]])
        if self.word in ELSEWHERE:
            module, _, name = ELSEWHERE[self.word].partition(":")
            meaning = getattr(import_module(f"symlayout.certificate.{module}"), name)
            yield from meaning(self, by, texts)
        else:
            yield from getattr(self, f"_{self.word}")(by, texts)

    def each_side(self, texts: Texts) -> Iterator[Part]:
        """One proof where a polynomial of sizes is not negative, and another one where it is.

        For all sizes one of both is a fact; a proof may use that fact, and must be whole.
        """
        rows, number = list(reversed(texts.script)), 0
        facts: list[tuple[Relation, ...]] = [()]
        while facts:
            more, row = facts.pop(), rows.pop() if rows else ("",)
            if row[0] == "sizes" and len(row) == 2 and len(more) < MOST_SIDES:
                e = read_expression(row[1])
                if not polynomial(e, self.work).atoms <= {*self.names}:
                    raise Rejected(f"{e} speaks of what is not a size")
                facts += [(*more, Relation(op, e, ZERO)) for op in ("<", ">=")]
                continue
            if row[0] != "proof" or len(row) != 3 or row[1] not in SIDES.get(self.word, PLAINLY):
                raise Rejected(f"script: {row[0]!r} is not a proof for these sizes")
            lists = dict[str, tuple[str, ...]]()
            while rows and rows[-1][0] in set(LISTS) - set(lists):
                key, *lines = rows.pop()
                lists[key] = tuple(lines)
            for part in self.parts(row[1], Texts(row[2], lists)):
                relations = (*self.facts, *more)
                yield part._replace(name=f"{number} {part.name}", facts=relations, names=self.names)
            number += 1
        if rows:
            raise Rejected("script: rows are left over")

    @property
    def world(self) -> World:
        """What a claim about index functions says, at all sizes."""
        if not self.of_places:
            return World(tuple(self.facts), tuple(self.names), (), ())
        return world_of(self.word, self.functions, self.facts, self.names)

    def script(self, texts: Texts) -> tuple[Script, World]:
        """A proof by cases that is to be gone through, and where it begins."""
        if not self.functions:
            self.duties = self.duties or self.of_goals()
        names = IMAGES.get(self.word, frozenset[str]())
        apart = [(0, 1)] if self.word == "disjoint" else []
        world, divisors = self.world, list[Expr]()
        f = self.functions[0] if len(self.functions) == 1 and world.roots else None
        for move in takewhile(lambda move: move[0] == "join", texts.script):
            if f is None or len(move) != 2:
                raise LayoutError("SL106", "results of other claims are not joined")
            f, d = f.with_one(whole_number(move[1]))
            divisors.append(d)
            world = world_of(self.word, [f], self.facts, self.names)
        more = self.duties, tuple(divisors), self.word, f, self.work
        return Script(texts.script, names, apart, texts.offset, *more), world

    def of_goals(self) -> Demands:
        """Every goal as a demand of a script, each of its relations as a way to show it.

        That a side has a value is a demand as well: two sides may be equal because they cancel.
        """
        if self.word not in OF_GOALS:
            raise LayoutError("SL106", f"{self.word} of layouts is not taken apart by a script")
        results: Demands = []
        for part in self.parts("definition", Texts()):
            box = tuple((symbol(c), d) for c, d in part.box.items())
            guard = tuple(comparison(r.op, r.left, r.right) for r in part.premises)
            results += [
                d for goal in part.goals for d in with_definedness(box, guard, goal, self.work)
            ]
        return list(dict.fromkeys(results))

    def script_parts(self, texts: Texts) -> Iterator[Part]:
        """The parts of a proof by cases."""
        script, world = self.script(texts)
        yield from self.before_cases()
        yield from script.whole(world)

    def before_cases(self) -> list[Part]:
        """That the functions are defined, where they are layouts that demand something of sizes."""
        goals = [[r] for f in self.functions for r in f.demands]
        part = Part("defined", {}, goals, facts=tuple(self.facts), names=tuple(self.names))
        return [part] if goals else []

    def _divides(self, by: str, texts: Texts) -> Iterator[Part]:
        yield Part("sizes", {}, self.goals)

    _holds = _broadcast = _instruction = _divides

    def _equal(self, by: str, texts: Texts) -> Iterator[Part]:
        a, b = self.maps
        same = [relation("==", x, y) for x, y in pairs(a.shape, b.shape)]
        yield Part("sizes", {}, same)
        yield Part("offsets", a.box(), [relation("==", a.raw, b.at(a.coords))])

    def _formula(self, by: str, texts: Texts) -> Iterator[Part]:
        (m,) = self.maps
        calls = Meant(self.points)
        goal = relation("==", m.raw, self.formula(calls))
        yield Part("offsets", m.box(), [goal, *[[r] for r in calls.demands]])
        for k, law in enumerate(calls.laws):
            own = law.apart_from({*self.names, *m.box()})
            box = {c.name: d for c, d in zip(own.coords, own.shape)}
            yield Part(f"call {k}", box, [[own.relation]])

    @property
    def decisive(self) -> Map:
        """The map that decides which offsets are hit, and how often.

        A swizzle whose bit matrix has full rank permutes all integers, so no offset is hit more or
        less often for it.  It changes bits within blocks only: [0, size) is permuted where the
        offsets before it fill whole blocks, which is where both sizes are equal.
        """
        (m,) = self.maps
        return m.before or m

    def whole_blocks(self) -> Iterator[Part]:
        """For a permuted map: its size is the one before."""
        (m,) = self.maps
        if m.before is not None:
            yield Part("blocks", {}, [relation("==", m.size, m.before.size)])

    def _bounded(self, by: str, texts: Texts) -> Iterator[Part]:
        yield self.bounds(self.maps[0])

    def bounds(self, m: Map) -> Part:
        """0 <= offset < size; a swizzle's own size has whole blocks, none of which it leaves."""
        m = (m if self.sizes else m.before) or m
        return Part("bounds", m.box(), inside([m.raw], [(*self.sizes, m.size)[0]]))

    def _inverse(self, by: str, texts: Texts) -> Iterator[Part]:
        """Two functions that undo each other, or never meet, are taken apart by a script alone."""
        raise LayoutError("SL106", f"{self.word} is shown by a script alone")

    _disjoint = _inverse

    def _injective(self, by: str, texts: Texts) -> Iterator[Part]:
        """Expressions of the offset and of sizes give the coordinates back."""
        m, offset = self.decisive, self.fresh(texts)
        back = [read_expression(t) for t in texts.sequence("back")]
        put = [rebuild(e, lambda s: m.raw if s.name == offset else s) for e in back]
        goals = [relation("==", e, c) for e, c in pairs(put, m.coords)]
        yield Part("offsets", m.box(), goals, frozenset(names_in(*back) - {offset}))

    def fresh(self, texts: Texts) -> str:
        """What a certificate calls the offset (or the unit) that its expressions speak of."""
        name = texts.offset
        if name in self.names or any(name in m.box() for m in self.maps):
            raise LayoutError("SL401", f"{name} has a meaning already")
        return name

    def _onto(self, by: str, texts: Texts) -> Iterator[Part]:
        yield from self.whole_blocks()
        yield self.covering("inverse", self.decisive, texts)

    def covering(self, name: str, m: Map, texts: Texts) -> Part:
        """Expressions of an offset give coordinates that have it."""
        offset, place = self.fresh(texts), [read_expression(t) for t in texts.sequence(name)]
        same = relation("==", m.at(place), symbol(offset))
        return Part(name, {offset: m.size}, [*inside(place, m.shape), same])

    def _valid(self, by: str, texts: Texts) -> Iterator[Part]:
        yield from self._bounded(by, texts)
        yield from self._injective(by, texts)

    def _bijective(self, by: str, texts: Texts) -> Iterator[Part]:
        m = self.decisive
        yield self.bounds(m)
        yield from self._injective(by, texts)
        if by == "count":  # as many elements as offsets
            yield from self.whole_blocks()
            natural = [relation(">=", d, 0) for d in m.shape]
            yield Part("sizes", {}, [relation("==", product(m.shape), m.size), *natural])
        else:
            yield from self._onto(by, texts)

    def units(self) -> tuple[int, int]:
        """How many units an element of each has; a unit divides both."""
        x, y = (m.bits for m in self.maps)
        return (1, 1) if x is None or y is None else (x // gcd(x, y), y // gcd(x, y))

    def ratio(self) -> Fraction:
        """The ratio of `padding`; raises `LayoutError` for a division by zero."""
        try:
            return Fraction(self.text(1))
        except ZeroDivisionError:
            raise LayoutError("SL202", f"{self.arguments[1]} divides by zero") from None

    def bits(self, m: Map) -> int:
        """Bits of an element; raises `LayoutError` where the layout has no element type."""
        if m.bits is None:
            raise LayoutError("SL401", "the layout has no element type")
        return m.bits
