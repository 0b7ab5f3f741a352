"""Properties of internal modules; `tests/test_tla_inverses.py` tests the public interface."""

import random

from symlayout.tla.lattice import Solutions


def test_integer_solutions_are_all_of_them():
    rng = random.Random(13)
    for _ in range(200):
        truth = [rng.randint(-4, 4) for _ in range(3)]
        rows = [[rng.randint(-3, 3) for _ in range(3)] for _ in range(rng.randint(1, 3))]
        known = Solutions(3)
        for row in rows:
            value = sum(a * b for a, b in zip(row, truth))
            assert known.add(row, value)
        for vector in (
            known.point,
            *[[p + b for p, b in zip(known.point, v)] for v in known.basis],
        ):
            for row in rows:
                assert sum(a * b for a, b in zip(row, vector)) == sum(
                    a * b for a, b in zip(row, truth)
                )
        box = [(x, y, z) for x in range(-2, 3) for y in range(-2, 3) for z in range(-2, 3)]
        odd = [2 * x for x in rows[0]]
        fits = known.copy().add(odd, 1)
        assert fits == any(sum(a * b for a, b in zip(odd, v)) == 1 for v in box)
