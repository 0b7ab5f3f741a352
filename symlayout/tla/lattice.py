"""Integer solutions of linear equations, one equation at a time.

All solutions so far are `point + any integer sum of the basis vectors`.  An equation a.x = b keeps
those with a.point + sum c_k t_k = b, where c_k = a.basis_k: there are some exactly when gcd(c)
divides what is missing, and Euclid's algorithm on the basis finds them.
"""

from __future__ import annotations

from typing import Any


class Solutions:
    """All integer vectors that satisfy the equations given so far.

    >>> s = Solutions(2)
    >>> s.add([2, 3], 7), s.point
    (True, [-7, 7])
    >>> s.add([4, 6], 13)
    False
    """

    def __init__(self, unknowns: int) -> None:
        self.point = [0] * unknowns
        self.basis = [[int(i == j) for j in range(unknowns)] for i in range(unknowns)]

    def copy(self) -> Solutions:
        """An independent copy."""
        result = Solutions(0)
        result.point = list(self.point)
        result.basis = [list(v) for v in self.basis]
        return result

    def widen(self) -> None:
        """One more unknown, free so far."""
        self.point.append(0)
        for v in self.basis:
            v.append(0)
        self.basis.append([0] * (len(self.point) - 1) + [1])

    def add(self, row: list[int], value: int) -> bool:
        """Adds the equation row.x == value; False when no integers satisfy all of them."""
        missing = value - _dot(row, self.point)
        targets = [(c, v) for v in self.basis if (c := _dot(row, v))]
        still = [v for v in self.basis if not _dot(row, v)]
        if not targets:
            return missing == 0
        while len(targets) > 1:
            targets.sort(key=lambda pair: abs(pair[0]))
            c, v = targets[0]
            reduced = []
            for d, w in targets[1:]:
                q = d // c
                e, u = d - q * c, [x - q * y for x, y in zip(w, v)]
                if e:
                    reduced.append((e, u))
                else:
                    still.append(u)
            targets = [(c, v), *reduced]
        c, v = targets[0]
        if missing % c:
            return False
        self.point = [x + missing // c * y for x, y in zip(self.point, v)]
        self.basis = still
        return True

    def add_all(self, rows: Any, values: Any) -> bool:
        """Adds the equations of a matrix and a vector (NumPy); redundant ones cost nothing."""
        import numpy as np

        while len(rows):
            wrong = rows @ np.array(self.point, dtype=np.int64) != values
            if self.basis:
                wrong |= (rows @ np.array(self.basis, dtype=np.int64).T != 0).any(axis=1)
            places = np.flatnonzero(wrong)
            if not places.size:
                return True
            first = int(places[0])
            if not self.add([int(x) for x in rows[first]], int(values[first])):
                return False
            rows, values = rows[first + 1 :], values[first + 1 :]
        return True


def _dot(a: list[int], b: list[int]) -> int:
    return sum(x * y for x, y in zip(a, b))
