"""Integer expressions: values against Python's operators, printing, conversions, counting."""

import pickle
from itertools import product as pairs_of

import pytest
import sympy
from core_random import A, B, N, pairs, points, trunc_div
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Integer, Symbol, latex

from symlayout import LayoutError, sizes
from symlayout.expr import edge
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import (
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Min,
    Mod,
    SizeSymbol,
    TruncDiv,
    TruncMod,
    as_size,
    ceildiv,
    count_operations,
    floordiv,
    free_names,
    from_sympy,
    is_concrete,
    mod,
    product,
    rebuild,
    substitute,
    symbol,
    symbols_in,
    to_sympy,
    value,
)

FEW = settings(max_examples=80, deadline=None, derandomize=True)
SMALL = range(-17, 18)
i, j = symbol("i"), symbol("j")
EVERY = (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "python"),
    [
        (FloorDiv, lambda a, b: a // b),
        (Mod, lambda a, b: a % b),
        (CeilDiv, lambda a, b: -((-a) // b)),
        (TruncDiv, trunc_div),
        (TruncMod, lambda a, b: a - b * trunc_div(a, b)),
        (Min, min),
        (Max, max),
    ],
)
def test_numbers_fold_to_what_python_says(word, python):
    symbolic = word(i, j)
    for a, b in pairs_of(SMALL, SMALL):
        if b == 0 and word in EVERY:
            continue
        expected = python(a, b)
        assert word(a, b) == expected
        assert value(symbolic, {"i": a, "j": b}) == expected


def test_truncating_division_is_c_division():
    table = {(7, 2): (3, 1), (-7, 2): (-3, -1), (7, -2): (-3, 1), (-7, -2): (3, -1)}
    for (a, b), (q, r) in table.items():
        assert (TruncDiv(a, b), TruncMod(a, b)) == (q, r)


def test_divisions_agree_where_nothing_is_negative():
    for a, b in pairs_of(range(30), range(1, 12)):
        assert TruncDiv(a, b) == FloorDiv(a, b)
        assert TruncMod(a, b) == Mod(a, b)
        assert CeilDiv(a, b) == FloorDiv(a + b - 1, b)
        assert b * FloorDiv(a, b) + Mod(a, b) == a


@pytest.mark.parametrize("word", EVERY)
def test_a_division_by_one_or_by_zero(word):
    by_one = word(i, 1)
    assert by_one == (0 if word in (Mod, TruncMod) else i)
    with pytest.raises(LayoutError, match="division by zero") as e:
        word(i, 0)
    assert e.value.code == "SL202"
    with pytest.raises(LayoutError) as e:
        value(word(i, j), {"i": 3, "j": 0})
    assert e.value.code == "SL202"


def test_extremes_fold_numbers_and_join_equal_arguments():
    assert Min(3, 7, -2) == -2
    assert Max(3, 7, -2) == 7
    assert Min(i, i) == i
    assert Min(Min(i, 4), j, 9) == Min(i, j, 4)
    assert Max(i, 2, Max(j, 5)) == Max(i, j, 5)
    assert Min(Max(i, 2), 5).func is Min
    assert Min(5) == 5


def test_nothing_is_rewritten_that_is_no_number():
    assert FloorDiv(4 * i, 2).args == (4 * i, Integer(2))
    assert Mod(i + 8, 8).args == (i + 8, Integer(8))
    assert FloorDiv(i, j) != FloorDiv(j, i)


@given(pairs(divisions=EVERY), points())
@FEW
def test_the_value_of_an_expression_is_python_s(pair, env):
    e, python = pair
    assert value(e, env) == python(env)


@given(pairs(), points())
@FEW
def test_substituting_numbers_gives_the_value(pair, env):
    e, python = pair
    assert substitute(e, env) == python(env)
    half = substitute(e, {"a": env["a"]})
    assert "a" not in free_names(half)
    assert value(half, env) == python(env)


def test_substitution_is_simultaneous():
    assert substitute(A + 2 * B, {"a": B, "b": A}) == B + 2 * A
    assert substitute(FloorDiv(A, B), {"b": N * 4}) == FloorDiv(A, 4 * N)
    assert substitute(5, {"a": 1}) == 5


def test_a_missing_value_is_named():
    with pytest.raises(LayoutError, match="no value is given for N") as e:
        value(A + N, {"a": 1})
    assert e.value.code == "SL402"


def test_rebuild_visits_shared_parts_once():
    seen = []
    deep = i
    for _ in range(60):
        deep = FloorDiv(deep + deep * j, 3)
    rebuild(deep, lambda s: seen.append(s.name) or s)
    assert sorted(seen) == ["i", "j"]
    assert rebuild(deep, lambda s: s) is deep


# -- printing -------------------------------------------------------------------------------------


@given(pairs(divisions=EVERY), points())
@FEW
def test_printing_reads_back_with_the_same_value(pair, env):
    e, python = pair
    again = read_expression(str(e), language="python")
    assert value(again, env) == python(env)
    assert str(read_expression(str(again), language="python")) == str(again)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (FloorDiv(i + j, 8), "(i + j)//8"),
        (FloorDiv(i, 8) * 128, "128*(i//8)"),
        (FloorDiv(i, 2 * j), "i//(2*j)"),
        (FloorDiv(FloorDiv(i, 2), 3), "(i//2)//3"),
        (FloorDiv(i, FloorDiv(j, 2)), "i//(j//2)"),
        (Mod(FloorDiv(i, 2), 3), "(i//2)%3"),
        (Mod(i * 3, 4), "3*i%4"),
        (3 * Mod(i, 4), "3*(i%4)"),
        (CeilDiv(i + 1, 8), "ceildiv(i + 1, 8)"),
        (TruncDiv(i, 8), "truncdiv(i, 8)"),
        (TruncMod(i, 8), "truncmod(i, 8)"),
        (Min(i, 3) + Max(j, 2), "max(j, 2) + min(i, 3)"),
        (-FloorDiv(i, 2), "-(i//2)"),
        (FloorDiv(-i, 2), "(-i)//2"),
        (FloorDiv(i, 2) ** 2, "(i//2)**2"),
    ],
)
def test_texts(e, text):
    assert str(e) == text
    for v in (23, -23):
        assert value(read_expression(text), {"i": v, "j": 9}) == value(e, {"i": v, "j": 9})


def test_latex_has_floors_ceilings_and_mod():
    assert latex(FloorDiv(i, 8)) == r"\left\lfloor \frac{i}{8} \right\rfloor"
    assert latex(CeilDiv(N, 8)) == r"\left\lceil \frac{N}{8} \right\rceil"
    assert latex(Mod(i + 1, 8)) == r"\left(\left(i + 1\right) \bmod 8\right)"
    assert latex(N + Mod(i, 8)) == r"N + \left(i \bmod 8\right)"
    assert latex(Min(i, j)) == r"\min\left(i, j\right)"
    assert latex(Max(i, 3)) == r"\max\left(i, 3\right)"


@given(pairs(divisions=EVERY))
@FEW
def test_pickling_and_repr(pair):
    e, _ = pair
    assert pickle.loads(pickle.dumps(e)) == e


def test_a_size_symbol_pickles_with_its_least_value():
    s = SizeSymbol("N", 3)
    again = pickle.loads(pickle.dumps(s))
    assert again == s
    assert again.least == 3
    assert pickle.loads(pickle.dumps(FloorDiv(s, 2))) == FloorDiv(s, 2)
    assert SizeSymbol("N", 3) != SizeSymbol("N", 4)


# -- to and from SymPy ------------------------------------------------------------------------------


@given(pairs(depth=2, divisions=EVERY), points())
@settings(max_examples=50, deadline=None, derandomize=True)
def test_sympy_s_own_functions_have_the_same_value(pair, env):
    e, python = pair
    theirs = to_sympy(e)
    assert not theirs.has(edge.Made)
    table = {symbol(n): v for n, v in env.items()}
    assert theirs.subs(table) == python(env)


@given(pairs(depth=2), points())
@settings(max_examples=50, deadline=None, derandomize=True)
def test_to_sympy_and_back_keeps_the_value(pair, env):
    e, python = pair
    back = from_sympy(to_sympy(e))
    assert not back.has(sympy.floor, sympy.ceiling, sympy.Mod, sympy.Min, sympy.Max)
    assert value(back, env) == python(env)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (sympy.floor(i / 8), FloorDiv(i, 8)),
        (sympy.ceiling(i / 8), CeilDiv(i, 8)),
        (sympy.floor(i / j), FloorDiv(i, j)),
        (sympy.Mod(i, 8), Mod(i, 8)),
        (sympy.Min(i, 4), Min(i, 4)),
        (sympy.Max(i, j), Max(i, j)),
        (i**3, i**3),
        (2**i, Exp2(i)),
        (4**i, Exp2(2 * i)),
    ],
)
def test_from_sympy(theirs, ours):
    env = {"i": 29, "j": 5}
    assert value(from_sympy(theirs), env) == value(ours, env)
    assert type(from_sympy(theirs)) is type(ours)


@pytest.mark.parametrize(
    "bad",
    [i / 2, sympy.Rational(1, 2), sympy.Float(1.5), sympy.sqrt(i), sympy.pi, 3**i, sympy.sin(i)],
)
def test_what_is_no_integer_expression_is_an_error(bad):
    with pytest.raises(LayoutError) as e:
        from_sympy(bad)
    assert e.value.code == "SL203"
    with pytest.raises(LayoutError) as e:
        as_size(bad)
    assert e.value.code == "SL203"


# -- sizes ----------------------------------------------------------------------------------------


def test_sizes_makes_symbols():
    assert sizes("M") == symbol("M")
    assert sizes("M, N K") == (symbol("M"), symbol("N"), symbol("K"))
    assert sizes("M", min=0).least == 0
    assert isinstance(sizes("M", min=1), Symbol)
    assert not isinstance(sizes("M"), SizeSymbol)


@pytest.mark.parametrize(("text", "at"), [("", 0), ("M 2x", 2), ("M-N", 0), ("a b c!", 4)])
def test_a_bad_name_has_a_place(text, at):
    with pytest.raises(LayoutError) as e:
        sizes(text)
    assert (e.value.code, e.value.at) == ("SL200", at)


def test_as_size_gives_ints_for_numbers():
    import numpy as np

    for given_ in (7, Integer(7), np.int64(7)):
        made = as_size(given_)
        assert made == 7
        assert type(made) is int
    assert as_size(i + 1) == i + 1
    for bad in (True, 1.5, "7", None, [7]):
        with pytest.raises(LayoutError) as e:
            as_size(bad)
        assert e.value.code == "SL203"


def test_the_size_functions_are_concrete_where_they_can_be():
    assert (floordiv(7, 2), mod(7, 2), ceildiv(7, 2)) == (3, 1, 4)
    assert all(type(x) is int for x in (floordiv(7, 2), mod(7, 2), ceildiv(7, 2)))
    assert (floordiv(i, 2), mod(i, 2), ceildiv(i, 2)) == (FloorDiv(i, 2), Mod(i, 2), CeilDiv(i, 2))
    assert product([]) == 1
    assert type(product([2, 3])) is int
    assert product([2, i, 3]) == 6 * i
    assert is_concrete(1, 2)
    assert not is_concrete(1, i)


def test_symbols_in_order_of_appearance():
    assert free_names(j, i + j) == ["j", "i"]
    assert free_names(3, FloorDiv(N, A)) == ["N", "a"]
    assert [s.name for s in symbols_in(Mod(j, i))] == ["j", "i"]


# -- counting -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("e", "count"),
    [
        (5, (0, 0)),
        (i, (0, 0)),
        (i + j + 1, (0, 2)),
        (3 * i * j, (0, 2)),
        (i**3, (0, 2)),
        (FloorDiv(i, 8) * 8 + Mod(i, 8), (2, 4)),
        (CeilDiv(i, 8), (1, 1)),
        (FloorDiv(i, 8) + FloorDiv(i, 8) ** 2, (2, 4)),
        (Min(i, j, 3), (0, 2)),
        (TruncDiv(i, 8) + TruncMod(i, 8), (2, 3)),
    ],
)
def test_counting_operations(e, count):
    assert count_operations(e) == count


@given(st.lists(st.sampled_from([FloorDiv, Mod, CeilDiv]), min_size=1, max_size=6))
@FEW
def test_each_nested_division_counts_once(words):
    e = i
    for k, w in enumerate(words):
        e = w(e, k + 2)
    assert count_operations(e) == (len(words), len(words))
