import pytest

from symlayout import LayoutError, tla

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
