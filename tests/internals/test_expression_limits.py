"""Limits while an expression is made: one clear error, soon, and nothing of a text is ever run."""

from __future__ import annotations

import time
from random import Random

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import symlayout as sl
from symlayout import LayoutError
from symlayout.expr.conditions import Conditionals
from symlayout.expr.facts import Facts
from symlayout.expr.growth import growth
from symlayout.expr.reader import LIGHT, Scanner, _Expressions, any_name, read_expression
from symlayout.expr.terms import FloorDiv, from_sympy, substitute, symbol, value
from symlayout.text.limits import BITS, DEGREE, DEPTH, DIGITS, NESTING, OPERATORS

N = symbol("N")

TOO_LARGE = {
    "a power of powers": "((a**64)**64)**64",
    "a sum of powers": "((a + b + 1)**64)**64",
    "a number of powers": "((((2**64)**64)**64)**64)**64",
    "a product of powers": "*".join(f"a{k}**64" for k in range(5)),
    "many products": "*".join(f"(a{k} + b{k} + 1)" for k in range(40)),
    "a product of numbers": "*".join(["9" * DIGITS] * 3),
    "a product of many numbers": "*".join(["9" * 100] * 1000),
    "shifts": "1" + " << 63" * 200,
    "plus signs": "+" * 100_000 + "N",
    "minus signs": "-" * 100_000 + "N",
    "a sum": "1" + "+1" * 100_000,
    "a long sum": "+".join(f"N*{k}" for k in range(90_000)),
    "a chain": "N" + "//2" * 5000,
    "a C chain": "N" + "/2" * 5000,
    "remainders": "N" + "%7*3" * 5000,
    "powers": "2" + "**1" * 5000,
    "a number": "9" * 100_000,
    "a hexadecimal number": "0x" + "f" * 100_000,
    "parentheses": "(" * 100_000 + "N" + ")" * 100_000,
    "open parentheses": "(" * 100_000,
    "calls": "min(1, " * 50_000 + "N" + ")" * 50_000,
    "open calls": "ceildiv(" * 50_000,
    "signs and parentheses": "-(" * 50_000,
    "divisions": " + ".join(f"x{k}//3" for k in range(1000)),
}


def soon(call) -> LayoutError:
    start = time.process_time()
    with pytest.raises(LayoutError) as e:
        call()
    assert time.process_time() - start < 5
    assert e.value.code in ("SL102", "SL200", "SL204")
    assert len(str(e.value)) < 500
    return e.value


@pytest.mark.parametrize("text", TOO_LARGE.values(), ids=TOO_LARGE)
def test_what_is_too_large_is_one_error(text):
    soon(lambda: read_expression(text))
    soon(lambda: sl.prove.holds(f"{text} >= 0"))
    soon(lambda: sl.parse(f"f32[{text}]"))
    soon(lambda: sl.parse(f"strided f32[4] strides(1) offset {text}"))
    soon(lambda: sl.simplify(text))


@pytest.mark.parametrize(
    "text",
    ["f32[" + "N," * 50_000 + "N]", "(" + "N," * 5_000 + "N):1", "strided f32[" + "N," * 999],
)
def test_layouts_of_too_many_dimensions(text):
    with pytest.raises(LayoutError, match="dimensions"):
        sl.parse(text)


def test_just_inside_the_limits():
    assert read_expression("+" * NESTING + "N") == N
    assert read_expression("-" * NESTING + "N") == N
    assert value(read_expression("1" + "+1" * OPERATORS), {}) == OPERATORS + 1
    assert read_expression("9" * DIGITS) == 10**DIGITS - 1
    deep = read_expression("N" + "//2" * DEPTH)
    assert value(deep, {"N": 2**DEPTH}) == 1
    assert read_expression(str(deep)) == deep
    assert sl.prove.holds("N" + "//2" * (DEPTH // 2) + " <= N").proved
    assert read_expression("*".join(["a**64"] * (DEGREE // 64))) == symbol("a") ** DEGREE
    univariate = read_expression("*".join(f"(N + {k})" for k in range(1, 30)))
    assert value(univariate, {"N": -3}) == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: from_sympy(N**1000),
        lambda: from_sympy(sympy.Integer(2) ** (BITS + 1)),
        lambda: from_sympy((N + 1) ** 1000),
        lambda: substitute(N**64, {"N": N**64}),
        lambda: sl.prove.formula("f32[N]", 10**5000),
        lambda: sl.prove.formula("f32[N]", symbol("i") + 10**5000),
        lambda: sl.IndexMap.row_major((10**5000, N)),
        lambda: value(N**200, {"N": 10**100}),
        lambda: sl.prove.holds(
            "a**64 >= 0", where=["a == (b+1)**64", "b == (c+1)**64", "symbol c"]
        ),
        lambda: sl.prove.holds("N**64 == 0", where="N == " + "9" * DIGITS),
    ],
)
def test_python_values_have_the_same_limits(make):
    soon(make)


def test_a_deep_expression_from_python_is_no_recursion():
    e = N
    for _ in range(5000):
        e = FloorDiv(e + 1, 2)
    soon(lambda: from_sympy(e))


# -- nothing is run ---------------------------------------------------------------------------------

CANARY = "__import__('builtins').CANARY.append(1)"


@pytest.fixture
def canary(monkeypatch):
    import builtins

    seen: list[int] = []
    monkeypatch.setattr(builtins, "CANARY", seen, raising=False)
    yield CANARY
    assert seen == []


M = sl.IndexMap.row_major((4, N))

DOORS = {
    "simplify": lambda t: sl.simplify(t),
    "simplify a list": lambda t: sl.simplify([t]),
    "simplify a tuple": lambda t: sl.simplify((t, (t,))),
    "simplify where": lambda t: sl.simplify("N", where=[t]),
    "where": lambda t: Facts.read([t]),
    "where nested": lambda t: Facts.read([[t]]),
    "where a tuple": lambda t: Facts.read(((t,),)),
    "where a mapping": lambda t: Facts.read({t: 1}),
    "from_sympy": lambda t: from_sympy(t),
    "from_sympy a tuple": lambda t: from_sympy((t,)),
    "substitute": lambda t: substitute(N, {"N": t}),
    "substitute a tuple": lambda t: substitute(N, {"N": (t,)}),
    "shape": lambda t: sl.IndexMap.row_major((t, 3)),
    "shape a list": lambda t: sl.IndexMap.row_major(([t], 3)),
    "strides": lambda t: sl.IndexMap.strided((3,), (t,)),
    "offset": lambda t: sl.IndexMap.strided((3,), (1,), t),
    "size": lambda t: sl.IndexMap.strided((3,), (1,), 0, t).resized(t),
    "coordinates": lambda t: M.offset(t, 0),
    "coordinates a tuple": lambda t: M.offset((t,), 0),
    "slice": lambda t: M.slice((t, 0), (1, 1)),
    "slice steps": lambda t: M.slice((0, 0), (1, 1), (t, 1)),
    "tile": lambda t: M.tile((t, 1)),
    "reshape": lambda t: M.reshape((t, 1)),
    "pad": lambda t: M.pad((t, 1)),
    "evaluate": lambda t: M.evaluate([0], [0], N=t),
    "evaluate names": lambda t: M.evaluate([0], [0], **{t: 3, "N": 5}),
    "holds": lambda t: sl.prove.holds(t),
    "holds a list": lambda t: sl.prove.holds([t]),
    "formula": lambda t: sl.prove.formula("f32[N]", t),
    "formula a list": lambda t: sl.prove.formula("f32[N]", [t]),
    "bounded": lambda t: sl.prove.bounded("f32[N]", t),
    "bytes": lambda t: sl.prove.bytes("f32[N]", (t,)),
    "divides": lambda t: sl.prove.divides((t,), [t]),
    "tiles": lambda t: sl.prove.tiles("f32[N]", (t,)),
    "strided": lambda t: sl.parse(f"strided f32[{t}]"),
    "parse": lambda t: sl.parse(t),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_text_is_read_and_never_run(door, canary):
    with pytest.raises(LayoutError):
        door(canary)


def test_names_of_symbols_never_become_code(canary):
    name = sympy.Symbol(f"N=({canary})", integer=True)
    for make in (lambda: sl.IndexMap.row_major((name, 3)), lambda: sl.simplify(name)):
        with pytest.raises(LayoutError):
            make()
    assert sl.IndexMap((4,), (name,), name + 1, 9).evaluate([2]) == [3]


def test_a_symbol_that_is_called_like_a_step_is_none():
    for word in ("t_0", "t_1", "np", "bad", "run", "v_0", "d_0"):
        made = sl.IndexMap.row_major((4, symbol(word)))
        assert made.evaluate([3], [1], **{word: 5}) == [16]
        assert sl.prove.formula(f"f32[4,{word}]", f"i*{word} + j").proved


WORST = (
    "*".join(["(a + b + c)"] * 8) + "*d",
    "*".join(["(a + b)"] * 12) + "*a",
    "*".join([f"({'9' * 9} + x{k})" for k in range(12)]),
    "*".join(["9" * 39] * 6),
    "*".join(["0x" + "f" * 37] * 6),
    "abs(" * 24 + "x" + ")" * 24,
    "(x - " * 24 + "y" + ")" * 24,
    "-(x//(" * 12 + "y" + "))" * 12,
    "min(x, " * 24 + "y" + ")" * 24,
    "x % (y + " * 12 + "z" + ")" * 12,
    "ceildiv(x, " * 24 + "y" + ")" * 24,
    "truncmod(x, truncdiv(y, " * 12 + "z" + "))" * 12,
    "~" * 24 + "x",
    "x & (y | (" * 12 + "z" + "))" * 12,
    "abs(x - " * 12 + "y" + ")" * 12,
)


@pytest.mark.parametrize("text", WORST)
def test_no_expression_that_is_too_short_to_be_measured_exceeds_a_limit(text: str) -> None:
    scanner = Scanner(text)
    scanner.more = Conditionals
    reader = _Expressions(scanner, any_name)
    e = reader.whole()
    assert scanner.done()
    assert reader.weight <= LIGHT
    assert growth(e)


@pytest.mark.explore
@given(st.randoms(use_true_random=False))
def test_what_is_measured_later_was_within_the_limits_before(rng: Random) -> None:
    leaves = ["x", "y", "3", "z", "17", "n"]
    ways = ["({} + {})", "({} - {})", "{}*{}", "({})*({})", "({})//({} + 1)", "min({}, {})",
            "abs({} - {})", "({})%({})", "({} ^ {})", "ceildiv({}, {} + 7)"]  # fmt: skip
    while len(leaves) < 30:
        leaves.append(rng.choice(ways).format(*rng.choices(leaves[-8:], k=2)))
        text = leaves[-1]
        try:
            scanner = Scanner(text)
            scanner.more = Conditionals
            reader = _Expressions(scanner, any_name)
            e = reader.whole()
        except LayoutError:
            break
        assert reader.weight > LIGHT or growth(e)
