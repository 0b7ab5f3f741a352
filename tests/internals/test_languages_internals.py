"""Properties of internal modules; `tests/test_languages.py` tests the public interface."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_languages import SOME, signed_relations

import symlayout as sl
from symlayout import LayoutError
from symlayout.expr.facts import Facts, read_relations
from symlayout.expr.reader import Scanner, expression_at, read_expression
from symlayout.expr.terms import FloorDiv, Mod, TruncDiv, TruncMod, symbol, value
from symlayout.layouts.strided import read_strided

x, y = symbol("x"), symbol("y")


@pytest.mark.parametrize(
    "text",
    [
        "x%4 - x/8 >= 0",
        "x/8 >= x%4",
        "x%4 <= 3 and x/8 <= 9",
        "x/8 <= 9 and x%4 <= 3",
        "0 <= x%4 < 4 + x/8",
        "min(x%4, 3) >= (x/8)",
        "x%4 /* % is C's */ == y/8",
        "x % 4 == y\n/ 8",
    ],
)
def test_a_slash_anywhere_in_a_fact_makes_it_c(text):
    read = read_relations(text)
    found = {type(e) for r in read for side in (r.left, r.right) for e in side.atoms(TruncMod, Mod)}
    assert found == {TruncMod}


@pytest.mark.parametrize(
    "text",
    [
        "x%4 - x//8 >= 0",
        "x//8 >= x%4",
        "x%4 >= 0",
        "x%4 == 1 /* a/b in a comment */",
        "ceildiv(x, 8) >= x%4",
        "x >> 2 == x%4",
    ],
)
def test_without_one_it_is_python(text):
    assert not any(
        side.has(TruncMod, TruncDiv) for r in read_relations(text) for side in (r.left, r.right)
    )


@pytest.mark.parametrize(
    "text",
    [
        "x//2 + x/2 >= 0",
        "x/2 + x//2 >= 0",
        "x//2 >= x/2",
        "x//2 >= 0 and x/2 >= 0",
        "x%2 == 0 and x//2 >= 0 and x/2 >= 0",
        "0 <= x/2 < x//2",
        "min(x//2, x/2) >= 0",
    ],
)
def test_both_in_one_text_is_an_error_at_the_slash(text):
    with pytest.raises(LayoutError, match="use one") as e:
        read_relations(text)
    assert e.value.code == "SL200"
    assert text[e.value.at] == "/"
    assert text[e.value.at - 1] != "/"
    assert text[e.value.at + 1] != "/"
    assert "truncdiv" in str(e.value.help)


def test_a_language_that_is_said_allows_both():
    made = read_expression("x//2 + x/2 + x%2", language="c")
    assert made == FloorDiv(x, 2) + TruncDiv(x, 2) + TruncMod(x, 2)
    with pytest.raises(LayoutError):
        read_expression("x//2 + x/2", language="python")


def test_each_fact_has_its_own_language():
    facts = Facts.read(["x/2 == 3", "y//2 == 3", "x%2 == 1"])
    assert [type(r.left) for r in facts.relations] == [TruncDiv, FloorDiv, Mod]


def test_a_layout_is_one_text_and_a_list_is_one():
    assert read_strided("strided f32[M%4, N] strides(N/2, 1)").dims[0] == TruncMod(symbol("M"), 4)
    with pytest.raises(LayoutError, match="use one"):
        read_strided("strided f32[M//4, N] strides(N/2, 1)")
    with pytest.raises(LayoutError, match="use one"):
        sl.parse("(M//4,N):(1,M/4)")
    with pytest.raises(LayoutError, match="use one"):
        sl.parse("Swizzle(1,0,1) o N/4 o (M//4,N):(1,M)")


def test_what_follows_an_expression_is_not_its_language_unless_it_is_an_expression():
    scanner = Scanner("x%2, 'a comment' // with 1/2")
    assert expression_at(scanner) == Mod(x, 2)


@given(signed_relations(), st.integers(-9, 9))
@SOME
def test_relations_mean_what_the_language_says(pair, n):
    text, true = pair
    assert all(r.holds({"x": n}) for r in read_relations(text)) == true(n)


@given(st.sampled_from(["x/{} + x%{}", "x//{}*3 - x%{}"]), st.integers(1, 6), st.integers(1, 6))
@SOME
def test_simplify_keeps_the_language(form, a, b):
    text = form.format(a, b)
    made = sl.simplify(text, where=["-20 <= x <= 20"])
    given_text = read_expression(text)
    for n in range(-20, 21):
        assert value(made, {"x": n}) == value(given_text, {"x": n})


@pytest.mark.parametrize("name", ["E", "S", "I", "N", "O", "Q", "beta", "pi", "Lambda", "zoo"])
def test_names_that_sympy_has_are_names_of_sizes(name):
    assert read_expression(f"{name}*2 + {name}//3").free_symbols == {symbol(name)}
    made = sl.parse(f"f32[{name},4]")
    assert made.index_map().offset(1, 2) == 6
    assert sl.prove.holds(f"{name}//2 <= {name}").proved
    assert sl.simplify(f"{name}//1", where=f"{name} >= 3") == symbol(name)
    assert sl.prove.formula(f"f32[4,{name}]", f"i*{name} + j").proved


@pytest.mark.parametrize("text", ["λ + 1", "aλ", "N + 3λ", "N\u00a0+ 1", "N + ٣", "\u039d"])
def test_what_is_not_ascii_is_named(text):
    with pytest.raises(LayoutError, match=r"U\+"):
        read_expression(text)
    with pytest.raises(LayoutError, match=r"U\+"):
        sl.prove.holds(f"{text} >= 0")
    assert str(text).isascii() is False
