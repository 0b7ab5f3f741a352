"""Assignments that conditions are learned from, and whether the claim holds at each.

What is learned is only a guess: a wrong label costs a round, never a wrong answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from math import prod
from operator import and_

from symlayout.digits.sizes import choices_in_order
from symlayout.expr.facts import COMPARE, Facts, Relation
from symlayout.prove.search import Arrays, Numeric, Space, Unsafe, length, products

SMALL = 160  # assignments of the smallest product
MOST = 480  # assignments in all
OWN = 3  # marks of a symbol for the first assignments
LISTED = 40_000
DIGITS = bytes.maketrans(b"\0\1", b"01")
VALUES = 12  # of one symbol, beside the smallest


@dataclass
class Samples:
    """Assignments by symbol name, and whether the claim holds there; bit k of a mask is number k."""

    names: tuple[str, ...]
    rows: list[tuple[int, ...]] = field(default_factory=list)
    truth: list[bool] = field(default_factory=list)
    seen: set[tuple[int, ...]] = field(default_factory=set)
    masks: dict[Relation, tuple[int, int]] = field(default_factory=dict)  # with how many rows

    def add(self, sizes: Mapping[str, int], truth: bool) -> bool:
        """One more assignment; False where it is known."""
        return self.add_row(tuple([sizes[n] for n in self.names]), truth)

    def add_row(self, row: tuple[int, ...], truth: bool) -> bool:
        """The same, of its sizes in the order of the names."""
        if row in self.seen:
            return False
        self.seen.add(row)
        self.rows.append(row)
        self.truth.append(truth)
        return True

    def known(self, sizes: Mapping[str, int]) -> bool:
        """Whether the assignment is one of these."""
        return tuple([sizes[n] for n in self.names]) in self.seen

    def sizes(self, number: int) -> dict[str, int]:
        """The assignment of that number."""
        return dict(zip(self.names, self.rows[number]))

    @property
    def true(self) -> int:
        """The mask of the assignments at which the claim holds."""
        return mask_of(self.truth)

    @property
    def all(self) -> int:
        """The mask of all assignments."""
        return (1 << len(self.rows)) - 1

    def arrays(self, start: int = 0, choices: Sequence[int] | None = None) -> Arrays:
        """The assignments from that number on, or the chosen ones, as arrays."""
        import numpy as np

        rows = self.rows[start:] if choices is None else [self.rows[k] for k in choices]
        columns = zip(*rows) if rows else [()] * len(self.names)
        with suppress(OverflowError):
            return {n: np.array(c, dtype=np.int64) for n, c in zip(self.names, columns)}
        raise Unsafe

    def mask(self, r: Relation) -> int:
        """Where the relation is true."""
        result, count = self.masks.get(r, (0, 0))
        if count < len(self.rows):
            result |= mask_of(self._truths(r, count)) << count
            self.masks[r] = result, len(self.rows)
        return result

    def holding(self, relations: Iterable[Relation]) -> int:
        """The mask of the assignments at which all of the relations are true."""
        return reduce(and_, map(self.mask, relations), self.all)

    def _truths(self, r: Relation, start: int) -> Iterable[bool]:
        import numpy as np

        try:
            env = self.arrays(start)
            (left, bad), (right, worse) = (Numeric(e, self.names)(env) for e in (r.left, r.right))
            good = COMPARE[r.op](left, right) & ~np.asarray(bad) & ~np.asarray(worse)
            return np.broadcast_to(good, (len(self.rows) - start,)).tolist()  # type: ignore
        except (Unsafe, OverflowError):
            return [r.holds(self.sizes(k)) for k in range(start, len(self.rows))]


def edges(samples: Samples) -> Iterator[tuple[str, str, int]]:
    """(symbol, `<=` or `>=`, number) beyond which the claim holds nowhere, or everywhere it is seen."""
    for k, name in enumerate(samples.names):
        every = {row[k] for row in samples.rows}
        for target in (True, False):
            here = {row[k] for row, label in zip(samples.rows, samples.truth) if label is target}
            if here and len(here) < len(every):
                low, high = min(here), max(here)
                if high + 1 in every:
                    yield (name, "<=", high) if target else (name, ">=", high + 1)
                if low - 1 in every:
                    yield (name, ">=", low) if target else (name, "<=", low - 1)


def mask_of(flags: Iterable[bool]) -> int:
    """Bit k for flag k."""
    return int(bytes(flags)[::-1].translate(DIGITS) or b"0", 2)


def numbers(mask: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [k for k, c in enumerate(reversed(f"{mask:b}")) if c == "1"]


# -- which assignments ----------------------------------------------------------------------------


def assignments(
    names: Sequence[str], facts: Facts, marks: Mapping[str, Sequence[int]]
) -> Iterator[dict[str, int]]:
    """The smallest assignments, then those at the marks of each symbol, of small product first."""
    space = Space(tuple(names), facts)
    count = 0
    with suppress(Unsafe):
        base = prod(facts.domain(n).magnitude for n in names)
        for after, limit in products(base, base * 256):
            for assignment in space.assignments(limit, after):
                for k in range(min(length(assignment), SMALL - count)):
                    yield {n: int(c[k]) for n, c in assignment.items()}
                count += length(assignment)
            if count >= SMALL or space.complete:
                break
    most = {1: 40, 2: VALUES, 3: 8}.get(len(names), 4 if len(names) == 4 else 2)
    for small, near, many in ((2, OWN, MOST // 3), (4 if len(names) < 4 else 3, most, MOST)):
        grid = [_values(facts, n, marks.get(n, ()), small, near) for n in names]
        rows = list(choices_in_order(facts, names, grid, LISTED))
        yield from rows[:: max(1, len(rows) // many)] if small == 2 else rows


def _values(facts: Facts, name: str, marks: Sequence[int], least: int, most: int) -> list[int]:
    """Allowed values of a symbol: the smallest, and those at its marks."""
    domain = facts.domain(name)
    small = list(islice(domain.outward(), least))
    near = [domain.low + (m - domain.low) // domain.modulus * domain.modulus for m in marks]
    if domain.modulus > 1:
        near = [x + (domain.residue - x) % domain.modulus for x in near]
    rest = [x for x in near if x in domain]
    return list(dict.fromkeys([*small, *rest[:most]]))
