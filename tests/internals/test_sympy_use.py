"""Formulas in SymPy as its users write it: substitution, printers, rewriting, code that is run."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Symbol, ccode, lambdify, latex, pycode, simplify, srepr

import symlayout as sl
from symlayout.expr import edge
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    to_sympy,
    value,
)
from symlayout.render.emit import emit

FORMULA = sl.parse("f32[M,N]{1,0:T(8,128)}").index_map().formula
i, j, N = sympy.symbols("i j N")
ODD = (
    "N",
    "E",
    "S",
    "I",
    "O",
    "Q",
    "beta",
    "lambda",
    "gamma",
    "zeta",
    "pi",
    "oo",
    "Symbol",
    "floor",
)


@st.composite
def expressions(draw, depth: int = 3):
    """Expressions with every division, also negated, multiplied and to a power."""
    if depth == 0:
        return draw(st.sampled_from([i, j, N, sympy.Integer(3), i - 5, -j]))
    a, b = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    divisor = draw(st.sampled_from([sympy.Integer(2), sympy.Integer(7), N]))
    kind = draw(st.sampled_from([FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod, Min, Max]))
    inner = kind(a, b) if kind in (Min, Max) else kind(a, divisor)
    return draw(st.sampled_from([inner, -inner, 3 * inner - b, inner * b, inner**2, inner + b]))


POINTS = [dict(zip("ijN", p)) for p in itertools.product((-9, -1, 0, 4), (-3, 5), (1, 6))]


@settings(max_examples=30, deadline=None)
@given(expressions())
def test_python_code_of_every_printer_has_the_value(e):
    for modules in ("math", "numpy", "sympy"):
        f = lambdify([i, j, N], e, modules=modules)
        for p in POINTS[::3]:
            assert f(p["i"], p["j"], p["N"]) == value(e, p), modules
    f, code = lambdify([i, j, N], e), pycode(e)
    for p in POINTS:
        assert eval(code, {}, dict(p)) == value(e, p)
    columns = [np.array([p[n] for p in POINTS]) for n in "ijN"]
    assert list(np.broadcast_to(f(*columns), len(POINTS))) == [value(e, p) for p in POINTS]


@pytest.mark.explore
@settings(max_examples=40, deadline=None)
@given(expressions())
def test_srepr_and_floors_give_it_back(e):
    assert eval(srepr(e), {**vars(sympy), **vars(edge)}) == e
    made = e.rewrite(sympy.floor)
    assert not made.has(edge.Made)
    for p in POINTS[::2]:
        assert made.subs(p) == value(e, p)


def test_c_code_has_the_value(tmp_path: Path):
    kinds = (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)
    made = [k(i - j, d) for k in kinds for d in (sympy.Integer(7), N)]
    made += [Min(i, j, 3) - Max(i, N), -FloorDiv(i, 4) * Mod(-j, 3), FloorDiv(Mod(i, 7) - 9, 2)]
    body = "".join(f'  printf("%ld\\n", (long)({ccode(e)}));\n' for e in made)
    calls = "".join(f"  f({p['i']}, {p['j']}, {p['N']});\n" for p in POINTS)
    head = "#include <stdio.h>\nvoid f(long i, long j, long N) {\n"
    source = f"{head}{body}}}\nint main(void) {{\n{calls}}}\n"
    (tmp_path / "a.c").write_text(source)
    subprocess.run(["cc", "-o", tmp_path / "a", tmp_path / "a.c"], check=True)
    out = subprocess.run([tmp_path / "a"], check=True, capture_output=True, text=True).stdout
    assert list(map(int, out.split())) == [value(e, p) for p in POINTS for e in made]


def test_sizes_are_the_symbols_that_users_write():
    for asked in ("N", Symbol("N"), sl.sizes("N")):
        assert FORMULA.subs(asked, 256).free_symbols == {i, j}
    assert FORMULA.subs({"i": 9, "j": 130, "N": 256}) == 3202
    assert FORMULA - Symbol("i") + Symbol("i") == FORMULA
    assert simplify(FORMULA) == FORMULA
    assert latex(FORMULA).count(r"\lfloor") == 2


@pytest.mark.parametrize("given", [{}, {"integer": True}, {"positive": True}])
def test_symbols_with_assumptions_are_taken_by_name(given):
    m = sl.parse("f32[M,N]").index_map()
    x, n = Symbol("i", **given), Symbol("N", **given)
    assert sl.prove.formula(m, x * n + Symbol("j", **given)).proved
    assert m.offset(x, 0) == m.offset(Symbol("i"), 0)
    assert sl.simplify(2 * n + Symbol("N")) == 3 * Symbol("N")


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("text", ["f32[M,{}]{{1,0:T(8,128)}}", "f32[{0},{0}]{{1,0:T(3,7)(2,1)}}"])
def test_emitted_source_evaluates_to_the_very_expression(name, text):
    m = sl.parse(text.format(name)).index_map()
    space: dict[str, object] = {}
    exec(emit(m, "sympy"), space)
    assert space["offset"] == to_sympy(m.formula)


@pytest.mark.explore
@settings(max_examples=60, deadline=None)
@given(expressions())
@example(read_expression("truncdiv(-min(i//2, -i + 3*(i//2)), 2)"))
def test_emitted_source_of_any_expression(e):
    m = sl.IndexMap.row_major((Symbol("N"), 5))
    space: dict[str, object] = {}
    exec(emit(m, "sympy", formula=e), space)
    assert space["offset"] == to_sympy(e)


def test_an_attribute_of_an_expression_is_found_without_a_hook():
    """Python looks up every attribute slowly where a class has `__getattr__`."""
    x = read_expression("x")
    for e in (x, x + 1, 2 * x, x**2, read_expression("x//3")):
        assert not hasattr(type(e), "__getattr__")
        assert e.is_positive is e.sympy.is_positive
        assert e.diff(Symbol("x")) == e.sympy.diff(Symbol("x"))
        assert not hasattr(e, "shape")
