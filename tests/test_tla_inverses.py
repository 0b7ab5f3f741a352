import random

import pytest
from tla_oracle import has_left_inverse, offset, random_leaves, values

from symlayout import LayoutError, tla
from symlayout.tla import Layout

L = tla.read_layout


@pytest.mark.parametrize(
    ("a", "r"),
    [
        ("(2,3):(3,1)", "(3,2):(2,1)"),
        ("(4,8):(1,4)", "32:1"),
        ("(4,8):(8,1)", "(8,4):(4,1)"),
        ("(4,2):(2,1)", "(2,4):(4,1)"),
        ("(8,2):(2,16)", "1:0"),
        ("(_4,_8):(_8,_1)", "(_8,_4):(_4,_1)"),
        ("(3,4):(0,1)", "4:3"),
        ("4:-1", "1:0"),
    ],
)
def test_right_inverse_examples(a, r):
    assert str(tla.right_inverse(L(a))) == r


@pytest.mark.parametrize(
    ("a", "r"),
    [
        ("4:2", "(2,4):(4,1)"),
        ("(2,2):(1,3)", "(3,2):(1,2)"),
        ("(4,8):(8,1)", "(8,4):(4,1)"),
        ("1:7", "1:0"),
        ("(2,2):(2,3)", "(2,3):(1,1)"),
    ],
)
def test_left_inverse_examples(a, r):
    assert str(tla.left_inverse(L(a))) == r


@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize(
    ("a", "r"),
    [
        ("(1,1):(1,-1)", "1:0"),  # it turned its signs without end
        ("(1,4):(-3,1)", "4:1"),  # it was said to have negative offsets
        ("(1,4):(3,-1)", "4:-1"),
        ("(N,1):(1,-1)", "N:1"),
    ],
)
def test_strides_of_modes_of_size_1_say_nothing(a, r, weak):
    assert str(tla.left_inverse(L(a), weak=weak)) == r


@pytest.mark.parametrize(
    ("a", "rule"),
    [
        ("(2,2):(1,1)", "1 and 2 are both at 1"),
        ("(4,2):(0,1)", "not injective"),
        ("(2,3,3):(19,16,17)", "no sizes and integer strides"),
        ("(2,2):(1,-2)", "negative"),
    ],
)
def test_layouts_without_a_left_inverse(a, rule):
    with pytest.raises(LayoutError, match=rule):
        tla.left_inverse(L(a))


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
