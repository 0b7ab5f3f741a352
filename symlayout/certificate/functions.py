"""Claims about index functions, by definition: the roots that a script takes apart.

An index function is read again from its text: each variable counts from the beginning of its range,
definitions are written out in their order, and where it is defined is kept beside what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from symlayout.certificate.asking import Points
from symlayout.certificate.bits import bits, is_padded
from symlayout.certificate.cases import ONE, ZERO, Case, World, of_text, put_all, with_sums
from symlayout.certificate.definedness import Box, Evaluation, defined
from symlayout.certificate.definitions import leaves as sizes_of
from symlayout.certificate.definitions import mode_map, names_in, plain
from symlayout.certificate.exact import MOST_WORK, Work
from symlayout.certificate.layouts import layout_map
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Less, conjuncts
from symlayout.expr.relations import Relation
from symlayout.expr.terms import FloorDiv, Max, Min, Mod, as_expr, put, symbol
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import notation_of, parse

REMEMBERED = 64  # functions, by their texts: a claim is read for its proof and for each check of it
IMAGES = {
    "injective": frozenset({"injective"}),
    "onto": frozenset({"bounded", "injective", "onto"}),
    "bijective": frozenset({"bounded", "injective", "onto"}),
    "valid": frozenset({"bounded", "injective"}),
}
WORDS = (
    "injective",
    "valid",
    "bounded",
    "onto",
    "bijective",
    "inverse",
    "disjoint",
    "equal",
    "formula",
    "fits",
)


class Function(NamedTuple):
    """A domain, its guard, the definitions and the results, and the box; variables by coordinates.

    It is defined where the `demands` hold, which speak of sizes alone, and the `definitions`, each of
    which speaks of the points at which something is computed.
    """

    own: dict[Symbol, Expr]
    box: tuple[tuple[Symbol, Expr], ...]
    ends: tuple[Expr, ...]
    guard: tuple[Condition, ...]
    lets: tuple[Expr, ...]
    results: tuple[Expr, ...]
    places: tuple[Expr, ...] | None
    demands: tuple[Relation, ...] = ()
    definitions: tuple[tuple[Case, ...], ...] = ()

    @property
    def root(self) -> Case:
        """The whole domain, whose results are places."""
        return Case(self.box, self.results, self.guard)

    @property
    def extents(self) -> list[Case]:
        """No extent is below 0, those of sizes whether or not others are; nor is one of the box."""
        cases = []
        coords = {x for x, _ in self.box}
        for k, (_, d) in enumerate(self.box):
            before = self.box[:k] if coords & d.free_symbols else ()
            cases.append(Case(before, (d,), ops=(">=",)))
        cases.extend(Case((), (d,), ops=(">=",)) for d in self.places or ())
        return cases

    @property
    def inside(self) -> Case:
        """Each result lies in the box."""
        if self.places is None:
            raise LayoutError("SL403", "there is no box")
        texts = [e for r, d in zip(self.results, self.places) for e in (r, d - 1 - r)]
        return self.root.with_goals(texts)

    def in_box(self, size: Expr, work: Work) -> Function:
        """The same function of one result, in a box of that size."""
        definitions = (*self.definitions, *defined((), [size], work))
        return self._replace(places=(size,), definitions=definitions)

    def with_one(self, k: int) -> tuple[Function, Expr]:
        """The results e//d and e%d in t and d of the box as e in t*d, and d, which is to be >= 1.

        These are in the box exactly where 0 <= e < t*d, and e is d*(e//d) + e%d.
        """
        places, pair = self.places or (), self.results[k : k + 2]
        if len(pair) < 2 or len(places) != len(self.results):
            raise LayoutError("SL403", "there are no such results")
        a, b = pair
        if not isinstance(a, FloorDiv) or not isinstance(b, Mod) or a.args != b.args:
            raise LayoutError("SL403", f"{a} and {b} are no quotient and remainder")
        e, d = a.args
        if places[k + 1] != d:
            raise LayoutError("SL403", f"{d} is not a size of the box")
        results = (*self.results[:k], e, *self.results[k + 2 :])
        sizes = (*places[:k], places[k] * d, *places[k + 2 :])
        return self._replace(results=results, places=sizes), d

    @property
    def names(self) -> set[str]:
        """The sizes that occur."""
        ends = [*[d for _, d in self.box], *self.ends, *self.guard, *self.lets, *self.results]
        demands = [e for ways in self.definitions for case in ways for e in case.expressions]
        return names_in(*ends, *demands, *(self.places or ())) - {x.name for x, _ in self.box}


def function(text: Any, points: Points = (), work: Work | None = None) -> Function:
    """An index function, or a layout as one, by its text; raises `LayoutError` for anything else."""
    work, linear = work or Work(), bits(text)
    if linear is not None:
        return of_box(linear.box(), linear.results(), tuple(map(Integer, linear.sizes)), work)
    if isinstance(text, str) and notation_of(text).name == "thread-value":
        return of_tile(parse(text), work)
    if isinstance(text, str) and notation_of(text).functions:
        read: Any = parse(text)
        if is_padded(read):
            from symlayout.certificate.padded import padded_place

            row = padded_place(dict(read.encoding.fields if read.encoding else ()), read.shape)
            return of_box(row.box, (row.offset,), (Integer(row.size),), work)
        if notation_of(text).name == "directions":
            return of_directions(read, work)
        if not hasattr(read, "variables"):
            raise LayoutError("SL106", f"{text} has sizes 2**k: its bits decide it")
        return _remembered(str(text), work)
    m = layout_map(text, points)
    if m.laws:
        raise LayoutError("SL106", f"{text} rests on laws: it is compared in other ways")
    extents = [Relation(">=", d, ZERO) for d in m.shape]  # which are shown as such
    demands = tuple(r for r in m.demands if r not in extents)
    result = m.raw if m.swizzle is None else of_text(m.exclusive)
    return of_box(tuple(zip(m.coords, m.shape)), (result,), (m.size,), work, demands)


def _remembered(text: str, work: Work) -> Function:
    """The function of a map's text, whose work is counted whether it is remembered or not."""
    result, cost = _measured(text)
    work.spend(cost)
    return result


@lru_cache(maxsize=REMEMBERED)
def _measured(text: str) -> tuple[Function, int]:
    """The function of a map's text, and what it costs, whether it is remembered or not."""
    own = Work()
    result = of_map(parse(text), own)
    return result, int(MOST_WORK - own.left)


def of_box(
    box: Box,
    results: tuple[Expr, ...],
    places: tuple[Expr, ...],
    work: Work,
    demands: tuple[Relation, ...] = (),
) -> Function:
    """A function of coordinates that count from 0, by expressions of them that no text spells."""
    ends = tuple(e for _, d in box for e in (ZERO, d))
    definitions = [
        *defined((), [*[d for _, d in box], *places], work),
        *defined(box, results, work),
    ]
    own: dict[Symbol, Expr] = {x: x for x, _ in box}
    return Function(own, box, ends, (), (), results, places, demands, tuple(definitions))


def of_directions(read: Any, work: Work) -> Function:
    """A layout whose strides are directions: the plain layout along each of them."""
    maps = [mode_map(layout) for _, layout in read.parts]
    first = maps[0]
    results = tuple(m.at(first.coords) for m in maps)
    box = tuple(zip(first.coords, first.shape))
    return of_box(box, results, tuple(plain(m.size) for m in maps), work)


def of_tile(read: Any, work: Work) -> Function:
    """A layout of threads and values: an element's number, the first coordinate fastest."""
    m = mode_map(read.layout)
    sizes = [plain(d) for d in sizes_of(read.tile)]
    own = [symbol(v.name) for v in read.variables]
    number = m.at(own)
    place, below = list[Expr](), as_expr(1)
    for k, d in enumerate(sizes):
        digit = FloorDiv(number, below)
        place.append(digit if k == len(sizes) - 1 else Mod(digit, d))
        below = below * d
    return of_box(tuple(zip(own, m.shape)), tuple(place), tuple(sizes), work)


def of_map(read: Any, work: Work) -> Function:
    """What the reader has read, written out."""
    own: dict[Symbol, Expr] = {}
    box, ends = list[tuple[Symbol, Expr]](), list[Expr]()
    for v in read.variables:
        low, high = (of_text(put(e, own)) for e in (v._low, v._high))
        x = symbol(v.name)
        box.append((x, high - low))
        ends += [low, high]
        own[x] = x + low
    definitions = tuple(Evaluation(own, work=work).whole(written_map(read), tuple(box)))
    known = dict(own)
    lets = list[Expr]()
    for name, e in read._lets:
        lets.append(of_text(put(e, known)))
        known[symbol(name)] = lets[-1]
    results = tuple(of_text(put(e, known)) for e in read._results)
    guard = () if read._guard is None else (with_sums(put_all(read._guard, own)),)
    places = None if read._box is None else tuple(map(of_text, read._box))
    return Function(
        own, tuple(box), tuple(ends), guard, tuple(lets), results, places, (), definitions
    )


def margin(c: Condition) -> Expr:
    """What is above 0 exactly where a condition is true: the least of `and`, the greatest of `or`."""
    if isinstance(c, Less):
        return c.right - c.left
    both = margin(c.first), margin(c.second)
    return Min(*both) if isinstance(c, Both) else Max(*both)


def landing(place: Sequence[Expr], f: Function) -> tuple[list[Expr], list[Expr]]:
    """f at a place: its results, and what has to be >= 0 for the place to be in f's domain."""
    if len(place) != len(f.box):
        raise LayoutError("SL403", f"{len(place)} results for {len(f.box)} variables")
    table: dict[Symbol, Expr] = {}
    inside = list[Expr]()
    for (x, _), e, low, high in zip(f.box, place, f.ends[::2], f.ends[1::2]):
        first, last = (of_text(put(end, table)) for end in (low, high))
        table[x] = e - first  # a coordinate counts from the beginning of the range
        inside += [e - first, last - 1 - e]
    inside += [margin(with_sums(put_all(c, table))) - 1 for c in conjuncts(*f.guard)]
    return [of_text(put(e, table)) for e in f.results], inside


def back_again(f: Function, g: Function, landed: bool = True) -> Case:
    """f, and then g: where it began; (landed) what f comes to is in g's domain."""
    results, inside = landing(f.results, g)
    same = [e - x for e, x in zip(results, f.own.values())]
    if len(results) != len(f.box):
        raise LayoutError("SL403", f"{len(results)} results for {len(f.box)} variables")
    return f.root.with_goals([*same, *inside] if landed else same, len(same))


def round_trips(
    word: str, f: Function, marks: Sequence[Symbol], results: Sequence[Expr]
) -> list[Case]:
    """What shows a word of f by a function g of its places: g(f(x)) = x, or f(g(y)) = y in its domain.

    By the first no two points have one place, by the second each place of the box has a point.
    """
    if f.places is None and word != "injective":
        raise LayoutError("SL403", f"{word} speaks of a box")
    places = f.places or (ONE,) * len(marks)  # without a box nobody asks whether a place is in it
    box, ends = tuple(zip(marks, places)), [e for d in places for e in (ZERO, d)]
    texts = tuple(map(of_text, results))
    g = Function({x: x for x in marks}, box, tuple(ends), (), (), texts, None)
    forth, back = f.root.with_goals([ONE]), [back_again(g, f)]
    if word != "onto":
        forth = back_again(f, g, landed=word != "injective")
    return [*f.extents, forth, *(back if word in ("onto", "bijective") else ())]


def same_points(f: Function, g: Function, compare: bool) -> Case:
    """Each point of f is one of g; there the results are the same."""
    results, inside = landing(list(f.own.values()), g)
    if len(results) != len(f.results):
        raise LayoutError("SL403", f"{len(results)} results against {len(f.results)}")
    same = [a - b for a, b in zip(f.results, results)] if compare else []
    return f.root.with_goals([*same, *inside], len(same))


def world_of(
    word: str, functions: Sequence[Function], facts: Sequence[Relation], names: Any
) -> World:
    """What is claimed, as roots of one world."""
    extents = [e for f in functions for e in f.extents]
    f, g = (*functions, *functions)[:2]
    match word:
        case "bounded":
            roots = [f.inside]
        case "inverse":
            roots = [back_again(f, g), back_again(g, f)]
        case "disjoint":
            if len(f.results) != len(g.results):
                raise LayoutError("SL403", f"{len(f.results)} and {len(g.results)} results")
            roots = [f.root, g.root]
        case "equal" | "formula":
            roots = [same_points(f, g, True), same_points(g, f, False)]
        case _:
            if f.places is None and word != "injective":
                raise LayoutError("SL403", f"{word} speaks of a box")
            roots = [f.root]
    boxes = tuple(h.places or (ONE,) * len(h.results) for h in functions)
    return World(tuple(facts), tuple(names), (*extents, *roots), boxes)
