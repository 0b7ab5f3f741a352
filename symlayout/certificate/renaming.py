"""Coordinates of a case in other words: a rotation, blocks in a row, an exclusive or of bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any

from symlayout.certificate.cases import (
    BITS,
    ZERO,
    Case,
    World,
    goal,
    holds,
    names_of,
    operands,
    power_of_two,
    read,
    read_condition,
    whole_number,
)
from symlayout.certificate.definedness import Box
from symlayout.certificate.definitions import names_in
from symlayout.certificate.exact import Rejected
from symlayout.certificate.part import Goal, Part
from symlayout.expr.conditions import Condition, Either, Less, sides
from symlayout.expr.terms import BitXor, FloorDiv, put, symbol
from symlayout.expr.tree import Expr, Symbol


def fitting(make: Any, *arguments: Any) -> None:
    """Raises `Rejected` for more or fewer texts than a move has."""
    try:
        signature(make).bind(*arguments)
    except TypeError:
        raise Rejected(f"script: {len(arguments) - 2} texts are no move") from None


def moved_down(e: Expr, c: Symbol) -> bool:
    """Whether it is `c // 2**j`, for a number j >= 1: each bit of c goes to a lower place."""
    number = isinstance(e, FloorDiv) and e.args[0] == c and e.args[1].is_Integer
    return bool(number and power_of_two(e.args[1]))


class Goals:
    """Names and goals of the parts of a proof, which are numbered as they come out."""

    offset: str  # a name that only a certificate's own expressions may have
    count: int = 0

    def name(self, word: str) -> str:
        """The name of the next part."""
        self.count += 1
        return f"{self.count} {word}"

    def part(self, w: World, word: str, box: Mapping[str, Expr], *goals: Goal, **more: Any) -> Part:
        """Goals in a world."""
        return Part(self.name(word), box, goals, facts=w.facts, names=w.names, **more)

    def of_sizes(self, w: World, e: Expr) -> Expr:
        """An expression of sizes; raises `Rejected` for any other name."""
        if not names_in(e) <= set(w.names):
            raise Rejected(f"{e} speaks of what is not a size")
        return e

    def fresh(self, scope: set[str], *names: str) -> list[Symbol]:
        """New names; raises `Rejected` for names that have a meaning, or stand twice."""
        if len(set(names)) != len(names) or not scope.isdisjoint(names):
            raise Rejected(f"{', '.join(names)}: names that have a meaning already")
        if not all(n.isidentifier() and n.isascii() for n in names) or self.offset in names:
            raise Rejected(f"{', '.join(names)}: no names")
        return [symbol(n) for n in names]

    def of_case(self, w: World, case: Case, e: Expr) -> Expr:
        """An expression of sizes and coordinates; raises `Rejected` for any other name."""
        if not names_in(e) <= {*w.names, *[x.name for x in case.coords]}:
            raise Rejected(f"{e} speaks of what is not known here")
        return e

    def here(self, w: World, case: Case, word: str, *goals: Goal) -> Part:
        """Goals at every point of a case."""
        own = {x.name: d for x, d in case.box}
        return self.part(w, word, own, *goals, premises=tuple(map(holds, case.premises)))

    def condition(self, w: World, case: Case, texts: Sequence[str]) -> Condition:
        """The condition of a text, or the next one of the guard: of an `or` its first half."""
        if len(texts) == 1:
            c = read_condition(texts[0])
            for e in sides(c):
                self.of_case(w, case, e)
            return c
        if texts or not case.guard:
            raise Rejected("script: no condition comes next")
        c = case.guard[0]
        return c.first if isinstance(c, Either) else c


def within(e: Expr, size: Expr) -> list[Goal]:
    """An expression lies in the range of a coordinate."""
    return [goal(">=", e, 0), goal("<", e, size)]


class Renaming(Goals):
    """Other coordinates, in which the results are written; every point has one, and only one."""

    def _reindex(self, w: World, case: Case, known: str, old: str, new: str, *texts: str) -> Any:
        """Other coordinates: `x = g(y)` for each old one, and `y = f(x)` for each new one.

        Both maps undo each other, so the points of both cases are the same.  The first conditions,
        as many as `known` says, are those that the new box implies.  Results may be given as well.
        """
        n, k = whole_number(known), 2 * whole_number(old)
        m = k + 3 * whole_number(new)
        if n > len(case.guard) or not all(isinstance(c, Less) for c in case.guard[:n]):
            raise Rejected("script: fewer comparisons come next")
        comparisons = tuple(c for c in case.guard[:n] if isinstance(c, Less))
        before = replace(case, guard=case.guard[n:], premises=(*case.premises, *comparisons))
        back = dict(zip(map(symbol, texts[:k:2]), map(read, texts[1:k:2])))
        if m > len(texts) or not back.keys() <= {*case.coords}:
            raise Rejected("script: other coordinates than there are")
        own = {x.name for x in back}
        names = self.fresh((w.vocabulary | names_of(case)) - own, *texts[k:m:3])
        box = tuple(zip(names, map(read, texts[k + 1 : m : 3])))
        forth = {y: self.of_case(w, case, read(t)) for y, t in zip(names, texts[k + 2 : m : 3])}
        open_case = replace(case, guard=case.guard[n:])
        after = self.renamed(w, open_case, list(back), box, back, texts[m:])
        if not names_in(*back.values()) <= {*w.names, *[x.name for x in after.coords]}:
            raise Rejected("script: an old coordinate by what is not known of the new ones")
        there = [g for y, d in box for g in within(forth[y], put(d, forth))]
        there += self.same([*back], [*back.values()], forth)
        there += self.same(case.results, after.results, forth) if texts[m:] else []
        here = [g for x, e in back.items() for g in within(e, put(case.extent(x), back))]
        here += [goal("<", put(c.left, back), put(c.right, back)) for c in comparisons]
        here += self.same([*forth], [*forth.values()], back)
        parts = self.here(w, before, "forth", *there), self.here(w, after, "back", *here)
        return list(parts), [after]

    def renamed(
        self,
        w: World,
        case: Case,
        old: Sequence[Symbol],
        box: Box,
        back: Mapping[Symbol, Expr],
        results: Sequence[str],
    ) -> Case:
        """The case with other coordinates, where the first of the old ones was, and results of texts.

        Raises `Rejected` where something has the name of an old one that no new ones say.
        """

        def change(e: Expr) -> Expr:
            result = put(e, back)
            # several as one: what is left of each cancels
            return result.expand() if len(box) < len(back) and result is not e else result

        at = min(map(case.coords.index, old), default=len(case.box))
        result = case.every(change)
        rest = [(x, d) for x, d in result.box[at:] if x not in old]
        result = replace(result, box=(*result.box[:at], *box, *rest))
        if results:
            result = replace(result, results=tuple(map(read, results)))
        known = set(w.names)
        for x, d in result.box:
            if not names_in(d) <= known:
                raise Rejected(f"{d} speaks of what is not known where {x} begins")
            known.add(x.name)
        if not names_in(*result.expressions) <= known:
            raise Rejected("something speaks of what is not known here")
        return result

    def same(
        self, left: Sequence[Expr], right: Sequence[Expr], meaning: Mapping[Symbol, Expr]
    ) -> list[Goal]:
        """That expressions are the same ones, where names mean others: written alike, they are."""
        if len(left) != len(right):
            raise Rejected(f"{len(right)} results for {len(left)}")
        pairs = zip(left, [put(e, meaning) for e in right])
        return [goal("==", a, b) for a, b in pairs if a != b]

    def _blocks(
        self, w: World, case: Case, i: str, j: str, y: str, size: str, text: str, *results: str
    ) -> Any:
        """y = P(i) + j, where j < P(i + 1) - P(i): the blocks lie one after the other from P(0) = 0."""
        m, c, (new,) = symbol(i), symbol(j), self.fresh(w.vocabulary | names_of(case), y)
        n, whole = self.of_sizes(w, read(size)), self.of_case(w, case, read(text))
        first, block, count = (whole - c).expand(), case.extent(c), case.extent(m)
        if not names_in(first) <= {*w.names, i} or case.coords.index(m) >= case.coords.index(c):
            raise Rejected(f"{whole} is not a beginning of a block and {j}")
        result = self.renamed(w, case, [m, c], ((new, n),), {}, results)
        if not names_in(block) <= {*w.names, i} or not names_in(count) <= set(w.names):
            raise Rejected(f"the extents of {i} and {j} speak of other coordinates")
        steps = [goal(">=", block, 0), goal("==", put(first, {m: m + 1}) - first, block)]
        ends = [goal("==", put(first, {m: ZERO}), 0), goal("==", put(first, {m: count}), n)]
        return [
            self.part(w, "blocks", {i: count}, *steps),
            self.part(w, "ends", {}, *ends, goal(">=", count, 0)),
            self.here(w, case, "same", *self.same(case.results, result.results, {new: whole})),
        ], [result]

    def _xor(self, w: World, case: Case, x: str, y: str, size: str, many: str, *texts: str) -> Any:
        """y = x ^ v: each value of [0, 2**k) once for every v below 2**k, as x has them all."""
        c, (new,) = symbol(x), self.fresh(w.vocabulary | names_of(case), y)
        n, k = self.of_sizes(w, read(size)), whole_number(many)
        pairs, results = texts[: 2 * k], texts[2 * k :]
        if not power_of_two(n) or case.extent(c) != n or len(pairs) != 2 * k or not k:
            raise Rejected(f"{x} does not have all values below a power of 2")
        table: dict[Expr, Expr] = {}
        goals: list[Goal] = []
        first: list[str] = []
        for row, (old, text) in enumerate(zip(pairs[::2], pairs[1::2])):
            node, same = read(old), self.of_case(w, case, read(text))
            a, b = operands(node), operands(same)
            if len(a) != len(b) or type(node) is not type(same) or not isinstance(node, BITS):
                raise Rejected(f"{node} and {same} are not the same operation")
            goals += [goal("==", p, q) for p, q in zip(a, b)]
            if row and isinstance(node, BitXor) and sorted(map(str, b)) == first:
                table[node] = new
            elif row == 0:
                first = sorted(map(str, b))
                others = [q for q in b if q != c]
                if len(others) != len(b) - 1 or not isinstance(node, BitXor):
                    raise Rejected(f"{same} is not an exclusive or of {c} and others")
                if any(c in q.free_symbols and not moved_down(q, c) for q in others):
                    raise Rejected(f"{c} stands on both sides of an exclusive or")
                goals += [g for q in others for g in (goal(">=", q, 0), goal("<", q, n))]
                table[node] = new
            elif c in same.free_symbols:
                raise Rejected(f"{c} stands in another operation on bits")
            else:
                table[node] = table[same] = symbol(f"bits{row}_{y}")
        opaque = [s for s in table.values() if s != new]
        if not (w.vocabulary | names_of(case)).isdisjoint(s.name for s in opaque):
            raise Rejected("a name of the checker's has a meaning already")
        result = self.renamed(w, case, [c], ((new, n),), {}, results)
        plain = case.every(lambda e: e.xreplace(table))
        orders = {(type(k), *sorted(map(str, operands(k)))): s for k, s in table.items()}
        mirrored = {k for e in result.results for k in e.atoms(*BITS)}
        table |= {
            k: orders[o]
            for k in mirrored
            if (o := (type(k), *sorted(map(str, operands(k))))) in orders
        }
        seen = [e.xreplace(table) for e in result.results]
        # the same expressions are the same: they are looked at in the case that is made
        equalities = self.same(plain.results, seen, {})
        free = self.here(w, case, "same", *equalities)
        free = free._replace(
            box={**free.box, new.name: n},
            names=(*w.names, *dict.fromkeys(s.name for s in opaque)),
        )
        return [self.here(w, case, "xor", *goals), free], [result]
