"""Vectors over F2 as integers: their span, how a vector is made of them, and what makes 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class Span:
    """The span of vectors in echelon form, each row with the sum of vectors that makes it.

    >>> span = Span([0b01, 0b11, 0b10])
    >>> span.rank, [bin(k) for k in span.kernel], bin(span.combination(0b10))
    (2, ['0b111'], '0b11')
    """

    count: int

    def __init__(self, vectors: Iterable[int] = ()) -> None:
        self.rows: dict[int, tuple[int, int]] = {}  # by its highest bit: the row, what makes it
        self.kernel: list[int] = []  # sums that are 0, each with a highest vector of its own
        self.count = 0
        for v in vectors:
            self.add(v)

    @property
    def rank(self) -> int:
        """The dimension of the span."""
        return len(self.rows)

    def add(self, vector: int) -> None:
        """One more vector."""
        rest, combination = self._remainder(vector, 1 << self.count)
        self.count += 1
        if rest:
            self.rows[rest.bit_length()] = rest, combination
        else:
            self.kernel.append(combination)

    def combination(self, vector: int) -> int | None:
        """The vectors whose sum is this one, as bits; None where it is not in the span."""
        rest, combination = self._remainder(vector, 0)
        return None if rest else combination

    def _remainder(self, vector: int, combination: int) -> tuple[int, int]:
        while vector and (row := self.rows.get(vector.bit_length())) is not None:
            vector, combination = vector ^ row[0], combination ^ row[1]
        return vector, combination


def ones(number: int) -> Iterator[int]:
    """The places of the bits that are 1, from the lowest on.

    >>> list(ones(0b1010))
    [1, 3]
    """
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
