"""Whether a claim holds at given sizes: all coordinates looked at, many assignments at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from symlayout.expr.terms import as_expr, value
from symlayout.layouts.demands import Demand
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.decide import Problem
from symlayout.prove.definedness import Open
from symlayout.prove.search import (
    Arrays,
    Numeric,
    Points,
    Unsafe,
    as_arrays,
    corners,
    environment,
    length,
    points,
    sides_of,
)
from symlayout.prove.statement import Statement
from symlayout.prove.subject import Places, Rules

LARGEST = 1 << 15  # coordinates of one assignment
POINTS = 1_000_000  # coordinates of all

LITTLE = 1 << 12
WALKED = 600  # assignments that are looked at one after the other

Sizes = Mapping[str, int]


class Judge:
    """Labels: true, false, or None where an assignment has too many coordinates."""

    def __init__(self, parts: Sequence[Any], names: tuple[str, ...]) -> None:
        self.names = names
        self.parts = [_Part(p, names) for p in parts]
        self.left = POINTS
        self.walked = WALKED

    def labels(
        self, rows: Sequence[Sizes], most: int = LARGEST, spare: bool = False
    ) -> list[bool | None]:
        """A label for each assignment; None for those that do not fit into what is left.

        `spare` is for a few that are looked at whatever is left.
        """
        if spare:
            self.left += sum(most for _ in rows)
        results: list[bool | None] = [True] * len(rows)
        for part in self.parts:
            waiting = [k for k, label in enumerate(results) if label is not False]
            for k, label in zip(waiting, self._labels(part, [rows[k] for k in waiting], most)):
                results[k] = label if label is False or results[k] is not None else None
        return results

    def _labels(self, part: _Part, rows: Sequence[Sizes], most: int) -> Iterator[bool | None]:
        """Those of one part, a batch of rows at a time where it has arrays."""
        if not part.batched:
            yield from (self._one(part, r) for r in rows)
            return
        start = 0
        while start < len(rows):
            volumes = [part.volume(r) for r in rows[start : start + 512]]
            small = [k for k, v in enumerate(volumes) if v is not None and v <= most]
            rest: list[int] = []
            for k in small:
                self.left -= int(volumes[k] or 0) + 1
                if self.left < 0:
                    break
                rest.append(k)
            window = rows[start : start + 512]
            labels = dict(zip(rest, part.flags([window[k] for k in rest])))
            yield from (labels.get(k) for k in range(len(window)))
            start += 512

    def _one(self, part: _Part, row: Sizes) -> bool | None:
        self.walked -= 1
        if self.walked < 0:
            return None
        try:
            return part.single({n: row[n] for n in self.names})
        except (Unsafe, OverflowError):
            return None


def _some(arrays: Arrays, numbers: Any) -> Arrays:
    return {n: c[numbers] for n, c in arrays.items()}


class _Part:
    """One problem of the claim."""

    def __init__(self, subject: Any, names: tuple[str, ...]) -> None:
        self.subject, self.names = subject, names
        self.open = Open(tuple(subject.demands), names)
        self.statement: Statement | None = None
        about = subject.about if isinstance(subject, Problem) else None
        if isinstance(about, Statement):
            self.statement = replace(about, starts=None)
        image = isinstance(about, Places) and isinstance(about.map, IndexMap)
        self.image = about if image else None
        ends = self.statement is not None and self.statement.ends
        self.batched = image or (self.statement is not None and not ends)

    # -- one assignment ---------------------------------------

    def single(self, sizes: dict[str, int]) -> bool | None:
        """Whether the claim is defined and true at these sizes."""
        if isinstance(self.subject, Rules):
            if any(not d.holds(sizes) for d in self.subject.demands):
                return False
            return all(c.holds(sizes) for c in self.subject.checks)
        assignment = as_arrays(sizes)
        if self.open.demands and self.open.first(assignment) is not None:
            return False
        if self.statement is not None:
            return self.statement.at_ends(assignment) is None
        volume = float(sides_of(assignment, self.names, self.subject.shape)[2][0])
        return None if volume > LARGEST else self.subject.search(assignment, None) is None

    # -- many -------------------------------------------------

    @property
    def shape(self) -> Sequence[Any]:
        """The extents of the coordinates."""
        return self.subject.shape  # type: ignore[no-any-return]

    def volume(self, row: Sizes) -> int | None:
        """How many coordinates there are; None where that has no value."""
        total = 1
        for d in self.shape:
            try:
                total *= max(0, value(d, row))
            except ValueError:
                return 0  # undefined: it is for the demands
        return total

    def flags(self, rows: Sequence[Sizes]) -> list[bool | None]:
        """Whether the claim holds, for rows with few coordinates."""
        import numpy as np

        if not rows:
            return []
        try:
            assignment = {n: np.array([r[n] for r in rows], dtype=np.int64) for n in self.names}
            if not assignment:
                return [self.failed(assignment)[0] == 0]
            bad = self.undefined(assignment)
            good = np.nonzero(~bad)[0]
            if len(good):
                bad[good] = self.failed(_some(assignment, good))
            return [not b for b in bad.tolist()]
        except (Unsafe, OverflowError):
            return [None] * len(rows)

    def undefined(self, arrays: Arrays) -> Any:
        """Where a demand is broken."""
        import numpy as np

        count = length(arrays)
        bad: Any = np.zeros(count, dtype=bool)
        for d in self.open.demands:
            if not d.coords:
                bad = bad | self.broken(d, arrays)
                continue
            alone = Open((d,), self.names)
            for k in np.nonzero(~bad)[0]:
                bad[k] = alone.first({n: c[k : k + 1] for n, c in arrays.items()}) is not None
        return bad

    def broken(self, d: Demand, arrays: Arrays) -> Any:
        """Where a demand without coordinates is broken."""
        import numpy as np

        values = [Numeric(as_expr(e), self.names)(arrays) for e in d.sides]
        bad: Any = np.asarray(values[0][1])
        if len(values) == 2:
            bad = bad | values[1][1] | (np.asarray(values[0][0]) < values[1][0])
        for e in d.box:
            here, undefined = Numeric(as_expr(e), self.names)(arrays)
            bad = bad & (np.asarray(here) >= 1) & ~np.asarray(undefined)
        return np.broadcast_to(bad, (length(arrays),))

    def failed(self, arrays: Arrays) -> Any:
        """Where the claim is false, each assignment being defined."""
        return self.of_image(arrays) if self.image else self.of_statement(arrays)

    def of_statement(self, arrays: Arrays) -> Any:
        import numpy as np

        s, count = self.statement, length(arrays)
        assert s is not None
        early = np.broadcast_to(s.wrong(s.early, arrays), (count,)).copy()
        if s.coords and s.goals:
            early[self.places_that_fail(corners(arrays, s.known, s.shape))] = True
            left = np.nonzero(~early)[0]  # most of what fails does so at a corner
            done, rest = 0, points(_some(arrays, left), s.known, s.shape, whole=True)
            for window, batch in rest if len(left) else ():
                early[left[done + self.places_that_fail(batch)]] = True
                done += length(window)
        for d in s.hollow:
            early &= np.asarray(Numeric(as_expr(d), s.known)(arrays)[0]) != 0
        return early

    def places_that_fail(self, batch: Points) -> Any:
        """The numbers of the assignments of points at which a goal fails."""
        import numpy as np

        assert self.statement is not None
        many = len(batch.owner)
        if not many:
            return batch.owner
        return batch.owner[np.broadcast_to(self.statement.failing(batch, None), (many,))]

    def of_image(self, arrays: Arrays) -> Any:
        import numpy as np

        assert self.image is not None
        m, word, count = self.image.map, self.image.word, length(arrays)
        offset = Numeric(as_expr(m._raw), (*self.names, *[c.name for c in m._coords]))
        sizes = np.broadcast_to(Numeric(as_expr(m._size), self.names)(arrays)[0], (count,))
        elements = np.zeros(count, dtype=np.int64)
        distinct = np.zeros(count, dtype=np.int64)
        inside = np.zeros(count, dtype=np.int64)
        done = 0
        for window, batch in points(arrays, self.names, m._shape, whole=True):
            many = len(batch.owner)
            if many:
                env = environment(batch, m._coords)
                at = np.broadcast_to(offset(env)[0], (many,))
                owner = batch.owner + done
                order = np.lexsort((at, owner))
                at, owner = at[order], owner[order]
                new = np.ones(many, dtype=bool)
                new[1:] = (np.diff(at) != 0) | (np.diff(owner) != 0)
                elements += np.bincount(owner, minlength=count)
                owner, at = owner[new], at[new]
                distinct += np.bincount(owner, minlength=count)
                rest = owner[(at >= 0) & (at < sizes[owner])]
                inside += np.bincount(rest, minlength=count)
            done += length(window)
        failed = np.zeros(count, dtype=bool)
        if word != "onto":
            failed |= distinct != elements
        if word in ("onto", "bijective"):
            failed |= inside != sizes
        if word in ("valid", "bijective"):
            failed |= inside != distinct
        return failed
