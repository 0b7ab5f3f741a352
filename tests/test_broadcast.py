"""Broadcasting: the rules by name, and all small shapes against a plain reading of the rules."""

from __future__ import annotations

import pytest

from symlayout import broadcast
from symlayout.errors import CODES, LayoutError


def shape_of(a, b, dims=None, dialect="xla"):
    return tuple(str(e) for e in broadcast.broadcast(a, b, dims, dialect))


def code_of(a, b, dims=None, dialect="xla"):
    with pytest.raises(LayoutError) as caught:
        broadcast.broadcast(a, b, dims, dialect)
    return caught.value.code


# -- examples of the documents, by what they show --------------------------------------------------

LEGAL = {
    "a scalar into a matrix": ("f32[2,3]", "f32[]", None, ["2", "3"]),
    "a scalar with an empty list": ("f32[]", "f32[2,3]", [], ["2", "3"]),
    "two scalars": ("f32[]", "f32[]", None, []),
    "a vector as columns": ("f32[3]", "f32[2,3]", [1], ["2", "3"]),
    "a vector along rows of a square": ("f32[3]", "f32[3,3]", [1], ["3", "3"]),
    "a vector along columns of a square": ("f32[3]", "f32[3,3]", [0], ["3", "3"]),
    "a matrix into the last two dimensions": ("f32[3,4]", "f32[2,3,4]", [1, 2], ["2", "3", "4"]),
    "a vector into four dimensions, 2": ("f32[T]", "f32[M,N,T,Q]", [2], ["M", "N", "T", "Q"]),
    "a matrix into a pair of four": ("f32[T,V]", "f32[T,N,V,Q]", [0, 2], ["T", "N", "V", "Q"]),
    "a size of 1 is taken before the degenerate step": (
        "f32[2,1]",
        "f32[2,3,4]",
        [0, 2],
        ["2", "3", "4"],
    ),
    "same rank without dimensions": ("f32[2,3]", "f32[2,3]", None, ["2", "3"]),
    "same rank with the identity": ("f32[2,3]", "f32[2,3]", [0, 1], ["2", "3"]),
    "degenerate on the left": ("f32[2,1]", "f32[2,3]", None, ["2", "3"]),
    "degenerate in front": ("f32[1,2,5]", "f32[7,2,5]", None, ["7", "2", "5"]),
    "degenerate inside": ("f32[7,2,5]", "f32[7,1,5]", None, ["7", "2", "5"]),
    "outer": ("f32[2,1]", "f32[1,3]", None, ["2", "3"]),
    "composed, a vector stretches a 1": ("f32[4]", "f32[1,2]", [0], ["4", "2"]),
    "composed, both ways": ("f32[1,2]", "f32[4,3,1]", [1, 2], ["4", "3", "2"]),
    "0 with 1": ("f32[0]", "f32[1]", None, ["0"]),
    "? with a known size": ("f32[?]", "f32[7]", None, ["7"]),
    "? with 1": ("f32[?]", "f32[1]", None, ["?"]),
    "? with ?": ("f32[?]", "f32[?]", None, ["?"]),
    "equal bounds": ("f32[<=4]", "f32[<=4]", None, ["<=4"]),
    "a bound with 1": ("f32[<=4]", "f32[1]", None, ["<=4"]),
    "a bound with the same static size": ("f32[<=4]", "f32[4]", None, ["<=4"]),
    "symbols, outer": ("f32[M,1]", "f32[1,N]", None, ["M", "N"]),
}

ILLEGAL = {
    "a vector without dimensions": ("f32[3]", "f32[2,3]", None, "SL701"),
    "a vector with an empty list": ("f32[3]", "f32[2,3]", [], "SL701"),
    "too few entries": ("f32[3,4]", "f32[2,3,4]", [1], "SL702"),
    "too many entries": ("f32[3]", "f32[2,3]", [0, 1], "SL702"),
    "a scalar with an entry": ("f32[]", "f32[2,3]", [0], "SL702"),
    "a negative entry": ("f32[3]", "f32[2,3]", [-1], "SL703"),
    "an entry too large": ("f32[3]", "f32[2,3]", [2], "SL704"),
    "a vector at the wrong dimension": ("f32[3]", "f32[4,3]", [0], "SL705"),
    "a matrix at the wrong dimensions": ("f32[2,1]", "f32[2,3,4]", [1, 2], "SL705"),
    "static with a bound": ("f32[3]", "f32[2,<=3]", [1], "SL706"),
    "static with a bound of 1": ("f32[3]", "f32[2,<=1]", [1], "SL706"),
    "decreasing entries": ("f32[4,3]", "f32[2,3,4]", [2, 1], "SL707"),
    "an entry twice": ("f32[3,3]", "f32[2,3,4]", [1, 1], "SL707"),
    "same rank, other dimensions": ("f32[3,3]", "f32[3,3]", [1, 0], "SL708"),
    "different sizes": ("f32[7,2,5]", "f32[7,2,6]", None, "SL709"),
    "0 with 2": ("f32[0]", "f32[2]", None, "SL709"),
    "a bound with another static size": ("f32[<=2]", "f32[3]", None, "SL709"),
    "a bound with ?": ("f32[<=2]", "f32[?]", None, "SL710"),
}


@pytest.mark.parametrize("name", LEGAL)
def test_legal_examples(name):
    a, b, dims, result = LEGAL[name]
    assert list(shape_of(a, b, dims)) == result
    assert list(shape_of(b, a, dims)) == result


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_examples(name):
    a, b, dims, code = ILLEGAL[name]
    assert code_of(a, b, dims) == code
    assert code_of(b, a, dims) == code
    assert code in CODES


def test_the_hlo_instruction_expands_no_1():
    assert code_of("f32[1,3]", "f32[2,3]", [0, 1], "hlo") == "SL715"
    assert shape_of("f32[3]", "f32[2,3]", [1], "hlo") == ("2", "3")
    assert shape_of("f32[3,2]", "f32[2,3]", [1, 0], "hlo") == ("2", "3")
    assert code_of("f32[3,3]", "f32[3,3]", [0, 0], "hlo") == "SL711"


# -- messages --------------------------------------------------------------------------------------


def message_of(*args):
    with pytest.raises(LayoutError) as caught:
        broadcast.broadcast(*args)
    return caught.value.message


def test_messages_name_the_dimension_and_both_sizes():
    text = message_of("f32[4,3]", "f32[7]", [0])
    assert "dimension 0 of the smaller" in text
    assert "7 and 4" in text
    assert "dimension 2 has sizes" in message_of("f32[7,2,5]", "f32[7,2,6]")
    assert "5 and 6" in message_of("f32[7,2,5]", "f32[7,2,6]")
    assert "1 comes after 2" in message_of("f32[2,3,4]", "f32[4,3]", [2, 1])


def test_the_first_rule_in_xlas_order_is_the_one_reported():
    # entry by entry: the size of entry 0 before the sign of entry 1, the sign before the order
    assert code_of("f32[5,3]", "f32[2,3,4]", [0, -1]) == "SL705"
    assert code_of("f32[2,3]", "f32[2,3,4]", [1, -1]) == "SL705"
    assert code_of("f32[3,3]", "f32[2,3,4]", [1, -1]) == "SL703"
    assert code_of("f32[4,9]", "f32[2,3,4]", [2, 1]) == "SL705"
    assert code_of("f32[4,3]", "f32[2,3,4]", [2, 3]) == "SL704"


@pytest.mark.parametrize(
    ("a", "b", "dims", "dialect", "code"),
    [
        ("f32[3]", "f32[3]", None, "tensorflow", "SL700"),
        ("f32[3]", "f32[2,3]", [1.5], "xla", "SL700"),
        ("f32[3]", "f32[2,3]", [True], "xla", "SL700"),
        ("f32[3]", "f32[2,3]", [1], "numpy", "SL700"),
        (3, "f32[3]", None, "xla", "SL700"),
        ((-1,), (2,), None, "xla", "SL102"),
        (("<=", 3), (2,), None, "xla", "SL200"),
    ],
)
def test_questions_that_mean_nothing(a, b, dims, dialect, code):
    assert code_of(a, b, dims, dialect) == code
