"""One text has one language: with `/` it is C, with `//` it is Python, and never both."""

from __future__ import annotations

import pytest
from core_random import trunc_div
from hypothesis import given, settings
from hypothesis import strategies as st

import symlayout as sl
from symlayout import LayoutError

SOME = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x/2*2 + x%2 == x", "proved"),
        ("x//2*2 + x%2 == x", "proved"),
        ("x%2 >= 0", "proved"),
        ("x//2 <= x/2", "refuted"),
        ("x/2 <= 0 and x%2 <= 0", "proved"),
        ("x%2 >= 0 and x/2 <= 0", "refuted"),
        ("x%2 - x/8 >= 0", "refuted"),
        ("x//8 == -1 and x%8 == x + 8", "proved"),
        ("x/8 == 0 and x%8 == x", "proved"),
        ("x >> 3 == -1", "proved"),
        ("x & 7 == x + 8", "proved"),
        ("truncdiv(x, 2) >= x//2", "proved"),
        ("ceildiv(x, 2) == truncdiv(x, 2)", "proved"),
        ("mod(x, 2) >= 0 and x/2 <= 0", "proved"),
    ],
)
def test_verdicts_on_negative_values(text, wanted):
    if "//" in text and "/2" in text.replace("//", ""):
        with pytest.raises(LayoutError):
            sl.prove.holds(text, where="-5 <= x <= -1")
        return
    assert sl.prove.holds(text, where="-5 <= x <= -1").status == wanted


@st.composite
def signed_relations(draw):
    """(text, function): a relation of one language on x, and whether it is true of a number."""
    c = draw(st.booleans())
    slash = "/" if c else "//"
    div = trunc_div if c else lambda a, b: a // b
    a, b, k = draw(st.integers(1, 7)), draw(st.integers(1, 7)), draw(st.integers(-3, 3))
    u, v = draw(st.sampled_from([(1, 1), (1, -1), (-1, 1), (2, 1), (0, 1)]))
    op = draw(st.sampled_from(["<=", ">=", "==", "!="]))
    text = f"{u}*(x{slash}{a}) + {v}*(x%{b}) {op} x*{draw(st.just(1))} + {k}"
    compare = {
        "<=": lambda s, t: s <= t,
        ">=": lambda s, t: s >= t,
        "==": lambda s, t: s == t,
        "!=": lambda s, t: s != t,
    }[op]
    # a text with neither division is Python's: the quotient is written always
    return text, lambda n: compare(u * div(n, a) + v * (n - b * div(n, b)), n + k)


@given(signed_relations(), st.integers(-12, 3), st.integers(0, 10))
@SOME
def test_holds_says_what_the_language_says(pair, low, width):
    text, true = pair
    high = low + width
    verdict = sl.prove.holds(text, where=f"{low} <= x <= {high}")
    truth = all(true(n) for n in range(low, high + 1))
    assert verdict.status in (("proved", "unknown") if truth else ("refuted", "unknown")), text


def test_names_from_python_are_ascii_identifiers():
    import sympy

    for name in ("λ", "a b", "x): import os #", "", "3a"):
        with pytest.raises(LayoutError, match="not a name for a size"):
            sl.simplify(sympy.Symbol(name, integer=True) + 1)
    with pytest.raises(LayoutError):
        sl.sizes("λ")
