"""Every row of the table of operators against plain integers: values, bounds, laws, texts, arrays."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, floor, inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout.errors import LayoutError
from symlayout.expr.facts import COMPARE
from symlayout.expr.lawtexts import arguments, demands_of, laws_of
from symlayout.expr.operators import OPERATORS, Operator
from symlayout.expr.plain import function
from symlayout.expr.plain_numpy import stand_in
from symlayout.expr.reader import read_expression
from symlayout.expr.smt import term
from symlayout.expr.terms import KINDS, symbol, value
from symlayout.expr.tree import Integer

with pytest.MonkeyPatch.context() as patch:
    patch.setitem(sys.modules, "numpy", np)
    WITHOUT_NUMPY: Any = stand_in()
NUMBERS = st.integers(-70, 70) | st.integers(-(2**40), 2**40)


def truncated(a: int, b: int) -> int:
    return int(Fraction(a, b))


def bitwise(a: int, b: int, one: Any) -> int:
    """By the bits of two's complement, of which 60 are enough here."""
    bits = [one((a >> k) & 1, (b >> k) & 1) << k for k in range(60)]
    total = sum(bits)
    return total - (1 << 60) if bits[-1] else total


def euclid(a: int, b: int) -> int:
    """The greatest common divisor, by remainders."""
    while b:
        a, b = b, a % b
    return abs(a)


# what each operator is, by other means than the table has
MEANINGS: dict[str, Any] = {
    "FloorDiv": lambda a, b: floor(Fraction(a, b)),
    "Mod": lambda a, b: a - b * floor(Fraction(a, b)),
    "CeilDiv": lambda a, b: ceil(Fraction(a, b)),
    "TruncDiv": truncated,
    "TruncMod": lambda a, b: a - b * truncated(a, b),
    "Min": lambda a, b: sorted((a, b))[0],
    "Max": lambda a, b: sorted((a, b))[1],
    "Exp2": lambda k: int("1" + "0" * k, 2),
    "BitXor": lambda a, b: bitwise(a, b, lambda x, y: (x + y) % 2),
    "BitOr": lambda a, b: bitwise(a, b, max),
    "BitAnd": lambda a, b: bitwise(a, b, min),
    "Gcd": lambda a, b: (
        max((d for d in range(1, 200) if a % d == b % d == 0), default=0)
        if (a, b) != (0, 0) and min(x for x in (abs(a), abs(b)) if x) < 200
        else euclid(a, b)
    ),
    "Where": lambda p, q, a, b: [b, a][p < q],
}


def mistakes(row: Operator, args: list[int], reach: list[int]) -> list[str]:
    """What a row says wrongly of the operator at these arguments, each in a range of that length."""
    env = dict(zip(arguments(row), args))
    defined = all(COMPARE[r.op](value(r.left, env), value(r.right, env)) for r in demands_of(row))
    if defined != row.defined(*args):
        return ["the domain"]
    if not defined:
        with pytest.raises(LayoutError, match="SL202"):
            row.at(*args)
        return []
    result, wrong = MEANINGS[row.name](*args), []
    if row.at(*args) != result:
        wrong.append("the value")
    for law in laws_of(row):
        relations = [*law.premises, law.conclusion]
        here = {**env, "r": result}
        *before, after = [
            COMPARE[r.op](value(r.left, here), value(r.right, here)) for r in relations
        ]
        if all(before) and not after:
            wrong.append(str(law.conclusion))
    boxes = [[(a, a) for a in args], [(a - n, a + n) for a, n in zip(args, reach)]]
    boxes += [[(-inf, a) for a in args], [(a, inf) for a in args], [(-inf, inf)] * len(args)]
    for box in boxes:
        low, high = row.interval(*box)
        if not low <= result <= high:
            wrong.append(f"the bounds of {box}")
    return wrong


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: row.name)
@given(st.data())
def test_a_row_says_what_plain_integers_say(row: Operator, data: st.DataObject) -> None:
    count = len(arguments(row))
    numbers = st.integers(-5, 60) if row.form == "power" else NUMBERS
    args = data.draw(st.lists(numbers, min_size=count, max_size=count))
    reach = data.draw(st.lists(st.integers(0, 100), min_size=count, max_size=count))
    assert mistakes(row, args, reach) == []


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("BitAnd", {"laws": ("x >= 0 => r <= y",)}),
    ("BitXor", {"laws": ("x >= 0, y >= 0 => r >= x",)}),
    ("Exp2", {"laws": ("r >= x + 2",)}),
    ("Mod", {"laws": ("r >= 0",)}),
    ("FloorDiv", {"laws": ("r*y <= x",)}),
    ("CeilDiv", {"laws": ("y >= 1 => r*y <= x",)}),
    ("BitOr", {"interval": lambda a, b: (max(a[0], b[0]), max(a[1], b[1]))}),
    ("TruncDiv", {"interval": KINDS["FloorDiv"].row.interval}),
    ("Mod", {"interval": lambda a, b: (0, max(b[1] - 1, 0))}),
    ("Max", {"value": min}),
    ("TruncMod", {"value": KINDS["Mod"].row.value}),
    ("Mod", {"divisor": None}),
    ("Exp2", {"natural": ()}),
]


@pytest.mark.parametrize(("name", "change"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_row_is_found(name: str, change: dict[str, Any]) -> None:
    row = replace(KINDS[name].row, **change)
    cases = product(range(-4, 5), repeat=len(arguments(row)))

    def is_wrong(args: tuple[int, ...]) -> bool:
        try:
            return mistakes(row, list(args), [1] * len(args)) != []
        except (ArithmeticError, ValueError):
            return True

    assert any(map(is_wrong, cases))


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: row.name)
@given(st.data())
def test_every_evaluation_and_text_has_the_value_of_the_row(
    row: Operator, data: st.DataObject
) -> None:
    names = arguments(row)
    numbers = data.draw(st.lists(st.integers(-9, 40), min_size=len(names), max_size=len(names)))
    if not row.defined(*numbers):
        return
    env, wanted = dict(zip(names, numbers)), row.at(*numbers)
    e = KINDS[row.name](*map(symbol, names))
    assert value(e, env) == wanted
    assert value(read_expression(str(e)), env) == wanted
    assert KINDS[row.name](*map(Integer, numbers)) == wanted
    assert int(e.sympy.subs(env)) == wanted
    compiled = function(e)
    assert compiled is None or compiled(env) == wanted
    if row.form != "choice":
        for library in (np, WITHOUT_NUMPY):
            result = row.on_arrays(library, *[library.array([n, n]) for n in numbers])
            assert library.asarray(result).tolist() == [wanted, wanted]


def test_an_operator_without_a_function_of_arrays_is_computed_by_its_value() -> None:
    row = Operator("Ones", "ones", int.bit_count, 1)
    for library in (np, WITHOUT_NUMPY):
        assert row.on_arrays(library, library.array([0, 1, 255])).tolist() == [0, 1, 8]
    assert row.on_arrays(np, np.array([2**70], dtype=object)).tolist() == [1]


@pytest.mark.parametrize(
    "name", ["FloorDiv", "Mod", "CeilDiv", "TruncDiv", "TruncMod", "Min", "Max"]
)
def test_z3_has_the_value_of_the_row(name: str) -> None:
    z3 = pytest.importorskip("z3")
    row = KINDS[name].row
    formula = term(KINDS[name](symbol("x"), symbol("y")), {n: z3.Int(n) for n in "xy"})
    for a, b in product((-7, -2, 0, 3, 8), (-3, -1, 2, 5)):
        pairs = [(z3.Int("x"), z3.IntVal(a)), (z3.Int("y"), z3.IntVal(b))]
        assert z3.simplify(z3.substitute(formula, *pairs)).as_long() == row.at(a, b)


@given(st.lists(st.integers(-40, 40), min_size=3, max_size=3), st.integers(-40, 40), st.data())
def test_a_common_divisor_beside_a_number_folds_to_its_value(
    factors: list[int], number: int, data: st.DataObject
) -> None:
    a, b, c = factors
    x, y = data.draw(st.tuples(st.integers(-50, 50), st.integers(-50, 50)))
    for text in (f"gcd({a}*x + {b}*y + {c}, {number})", f"gcd({number}, {a}*x*y + {b}*y)"):
        inner = a * x + b * y + c if text.startswith("gcd(" + f"{a}*x +") else a * x * y + b * y
        assert value(read_expression(text), {"x": x, "y": y}) == euclid(inner, number)
