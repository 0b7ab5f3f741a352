"""Z3's check of the move that numbers the places of rows, which lie one after the other.

Row i begins at P(i) and has B(i) places, for i from 0 to a count; the place (i, j) has the number
P(i) + j.  What Z3 confirms of one row, where it ends and the next one begins, gives two inductions
over the rows: P does not fall, and each number below P(i) is that of a place.  Z3 confirms the
beginning and the step of each; that a property of 0 which goes from each row to the next one holds of
all of them is the principle of induction itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symlayout.certificate.cases import Case, World, read
from symlayout.certificate.confirm.knowledge import NotConfirmed
from symlayout.certificate.confirm.maps import Branch
from symlayout.certificate.confirm.meanings import Meanings, Scope
from symlayout.certificate.confirm.places import Place, check_names, points
from symlayout.certificate.definitions import names_in
from symlayout.certificate.part import Part
from symlayout.expr.terms import put, symbol
from symlayout.expr.tree import Expr, Integer

# unknowns of queries: no text of a claim or a certificate has a "!"
ROW, PLACE, NUMBER = "row!", "place!", "number!"


def in_rows(
    m: Meanings,
    w: World,
    case: Case,
    texts: Sequence[str],
    parts: Sequence[Part],
    cases: Sequence[Case],
    counting: bool,
) -> int:
    """How many queries confirm the move; raises `NotConfirmed`."""
    if len(cases) != 1 or len(texts) < 5:
        raise NotConfirmed("a case is left out by rows")
    i, j, y, _, text = texts[:5]
    rows, (new,) = Rows(m, w, case, i, j, read(text), parts), cases
    branch = Branch({y: rows.number}, {i: Integer(0), j: Integer(0)})
    check_names(w, case, branch, new)
    if case.guard or case.premises or new.guard or new.premises:
        raise NotConfirmed("conditions where rows are numbered")
    others = [[(x, d) for x, d in c.box if x.name not in (i, j, y)] for c in (case, new)]
    if others[0] != others[1] or any({i, j} & names_in(d) for _, d in others[0]):
        raise NotConfirmed("rows whose other coordinates depend on them")
    rows.rise()
    rows.forth(new, y)
    rows.apart()
    if counting and not new.loose:
        rows.back(new.extent(symbol(y)))
    return rows.count


class Rows:
    """Rows of places, and where each of them begins."""

    def __init__(
        self, m: Meanings, w: World, case: Case, i: str, j: str, number: Expr, parts: Sequence[Part]
    ) -> None:
        self.m, self.w, self.case, self.i, self.j, self.number = m, w, case, i, j, number
        self.parts, self.count, self.first = parts, 0, put(number, {symbol(j): Integer(0)})
        self.most, self.length = case.extent(symbol(i)), case.extent(symbol(j))
        if i == j:
            raise NotConfirmed("rows of one coordinate")
        of_row = names_in(self.first, self.length) <= {*w.names, i}
        if not of_row or not names_in(self.most) <= {*w.names}:
            raise NotConfirmed("rows that depend on other coordinates")
        if m.term(number).key != m.normal(m.term(self.first) + m.unknown(j)).key:
            raise NotConfirmed("the number of a place is not where its row begins and how far in")

    def begin(self, row: Any) -> Any:
        """Where a row begins."""
        return self.m.term(self.first, Scope({self.i: row}))

    def place(self, *rows: Any) -> Place:
        """What is known of sizes and of some rows, which there are."""
        place, m = Place(self.m), self.m
        place.suppose(self.w.facts)
        for row in rows:
            place.know(m.inside([(self.i, self.most)], Scope({self.i: row})))
        return place

    def learn(self, place: Place, *rows: Any) -> None:
        """What the certificate shows of sizes and of some rows."""
        for part in self.parts:
            for row in rows:
                place.learn(part, Scope({self.i: row}))

    def not_before(self, place: Place, row: Any, other: Any) -> None:
        """A row does not begin before one with a smaller number, by induction (`rise`)."""
        m = self.m
        between = [row >= 0, row <= other, other <= m.term(self.most)]
        place.law(between, [self.begin(other) - self.begin(row) >= 0])

    def rise(self) -> None:
        """If a row begins no earlier than one before, then the next row does as well."""
        m = self.m
        row, other = m.unknown(ROW), m.unknown(self.i)
        place = self.place(other)
        self.learn(place, other)
        place.know([m.natural(row), m.natural(other - row)])
        place.know([m.natural(self.begin(other) - self.begin(row))])
        place.show([m.natural(self.begin(m.normal(other + 1)) - self.begin(row))])
        self.count += place.count

    def forth(self, new: Case, y: str) -> None:
        """Each place has a number in the new range, where the result is the same."""
        m, row = self.m, self.m.unknown(self.i)
        (place := self.place(row)).know(points(m, self.case))
        self.learn(place, row)
        self.not_before(place, m.number(0), row)
        self.not_before(place, m.normal(row + 1), m.term(self.most))
        target = m.scope({y: self.number})
        place.show(points(m, new, target))
        for a, b in zip(self.case.results, new.results, strict=True):
            place.equal(m.term(a), m.term(b, target))
        self.count += place.count

    def apart(self) -> None:
        """Places of different rows have different numbers; so have those of one, which is plain."""
        m = self.m
        row, other = m.unknown(self.i), m.unknown(ROW)
        j, k = m.unknown(self.j), m.unknown(PLACE)
        place = self.place(row, other)
        for r, p in ((row, j), (other, k)):
            place.know(m.inside([(self.j, self.length)], Scope({self.i: r, self.j: p})))
        self.learn(place, row, other)
        place.know([m.natural(other - row - 1)])
        self.not_before(place, m.normal(row + 1), other)
        place.show([m.natural(self.begin(other) + k - self.begin(row) - j - 1)])
        self.count += place.count

    def back(self, size: Expr) -> None:
        """Each number of the new range is that of a place, by induction over the rows."""
        m, ends = self.m, self.place()
        self.learn(ends, m.number(0))
        ends.show([m.natural(-self.begin(m.number(0))), m.natural(m.term(self.most))])
        ends.show([m.natural(self.begin(m.term(self.most)) - m.term(size))])
        row, number = m.unknown(self.i), m.unknown(NUMBER)
        place = self.place(row)
        self.learn(place, row)
        j = m.normal(number - self.begin(row))
        place.know([m.natural(j), m.natural(self.begin(m.normal(row + 1)) - 1 - number)])
        place.show(m.inside([(self.j, self.length)], Scope({self.i: row, self.j: j})))
        self.count += place.count + ends.count
