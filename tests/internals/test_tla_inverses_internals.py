"""What the modules behind `tests/test_tla_inverses.py` promise each other."""

import random

from tla_oracle import has_left_inverse, offset, random_leaves, values

from symlayout import LayoutError, tla
from symlayout.layouts.cute.layout import Layout
from symlayout.tla.lattice import Solutions


def layout(leaves):
    return Layout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))


def largest_right_inverse(leaves):
    """The size of the largest right inverse, by trying all sizes and all strides."""
    from tla_oracle import factorizations

    offsets = values(leaves)

    def fits(sizes, at):
        """Whether strides exist for these sizes, one mode after the other."""
        if at == len(sizes):
            return True
        below = 1
        for s in sizes[:at]:
            below *= s
        for stride in [x for x, at_x in enumerate(offsets) if at_x == below]:
            chosen[at:] = [(sizes[at], stride)]
            if all(
                (x := offset(chosen, i)) < len(offsets) and offsets[x] == i
                for i in range(below * sizes[at])
            ) and fits(sizes, at + 1):
                return True
            del chosen[at:]
        return False

    best = 1
    for n in range(2, len(offsets) + 1):
        for sizes in factorizations(n):
            chosen = []
            if fits(sizes, 0):
                best = n
                break
    return best


def test_right_inverse_is_one_and_no_larger_one_exists():
    rng = random.Random(10)
    for _ in range(120):
        leaves = random_leaves(rng, rng.randint(1, 3), 3, (0, 1, 2, 3, 4, 6))
        made = tla.right_inverse(layout(leaves))
        back = values(list(made.leaves))
        assert [offset(leaves, x) for x in back] == list(range(len(back)))
        assert len(back) == largest_right_inverse(leaves), leaves


def test_left_inverse_is_one_of_every_injective_layout_that_has_one():
    rng = random.Random(11)
    seen = refused = 0
    while seen < 400:
        leaves = random_leaves(rng, rng.randint(1, 3), 5, tuple(range(1, 25)))
        offsets = values(leaves)
        if len(set(offsets)) < len(offsets):
            continue
        seen += 1
        try:
            made = tla.left_inverse(layout(leaves))
        except LayoutError:
            refused += 1
            continue
        assert [tla.crd2offset(x, made.shape, made.stride) for x in offsets] == list(
            range(len(offsets))
        )
    assert refused < seen // 3


def test_a_refused_left_inverse_does_not_exist():
    rng = random.Random(12)
    both = {True: 0, False: 0}
    while both[False] < 8:
        leaves = [(rng.randint(2, 4), rng.randint(1, 9)) for _ in range(rng.randint(2, 3))]
        offsets = values(leaves)
        if len(set(offsets)) < len(offsets) or max(offsets) > 40:
            continue
        try:
            tla.left_inverse(layout(leaves))
            both[True] += 1
        except LayoutError:
            both[False] += 1
            assert not has_left_inverse(leaves), leaves
    assert both[True] > 8


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
