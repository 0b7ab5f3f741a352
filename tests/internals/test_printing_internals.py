"""Properties of internal modules; `tests/test_printing.py` tests the public interface."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from expressions_random import NAMES, POINTS, expressions, value_or_none
from hypothesis import given, settings
from hypothesis import strategies as st
from test_printing import FEW, made, sizes

from symlayout import IndexMap, parse
from symlayout.expr.facts import read_relations
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import FloorDiv, Mod, symbol, value
from symlayout.expr.tree import Integer
from symlayout.layouts.strided import Strided
from symlayout.render.emit import emit

MANY = settings(max_examples=100, deadline=None, derandomize=True)

M, N, i = symbol("M"), symbol("N"), symbol("i")


@given(expressions(), st.lists(POINTS, min_size=4, max_size=4))
@MANY
def test_a_printed_expression_reads_back_as_itself(e, points):
    back = read_expression(str(e))
    assert back == e
    assert [value_or_none(back, p) for p in points] == [value_or_none(e, p) for p in points]


@given(expressions(), expressions(), st.sampled_from(["==", "<", ">="]))
@MANY
def test_a_printed_relation_reads_back_as_itself(a, b, op):
    (back,) = read_relations(f"{a} {op} {b}")
    assert (back.left, back.op, back.right) == (a, op, b)
    assert read_relations(str(back)) == (back,)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (9 + FloorDiv(-FloorDiv(M, 4), 3) + i, "i + (-(M//4))//3 + 9"),
        (FloorDiv(-FloorDiv(M, 4), 3), "(-(M//4))//3"),
        (N - FloorDiv(-M * FloorDiv(N, 2), 3), "N - ((-M*(N//2))//3)"),
        (i - Mod(FloorDiv(M, 4), 3), "i - (M//4)%3"),
        (i - FloorDiv(M, 4) * 3, "i - 3*(M//4)"),
    ],
)
def test_signs_in_front_of_a_division(e, text):
    assert read_expression(str(e)) == e
    assert read_expression(text) == e


@given(st.lists(st.tuples(sizes(), sizes()), max_size=3), sizes())
@FEW
def test_a_strided_layout_reads_back(modes, start):
    x = made(Strided, "f32", tuple(d for d, _ in modes), tuple(s for _, s in modes), start)
    assert parse(str(x)) == x


# -- emitters -------------------------------------------------------------------------------------

# code is asked for values where it has them: divisors that are never 0 at the points below
DIVISORS = st.one_of(
    st.integers(-9, 9).filter(bool).map(Integer),
    st.sampled_from([2 * symbol(n) + 1 for n in NAMES]),
)

SYMBOLS = tuple(symbol(n) for n in NAMES)

CODED = expressions(divisors=DIVISORS)

NEGATIVE = [f"{n} >= -9" for n in NAMES]  # without them sizes are at least 1

PLACES = [
    dict(zip(NAMES, p))
    for p in [
        (-7, 5, -2, 3, -9),
        (3, -1, 4, -1, 5),
        (0, 0, 0, 0, 0),
        (-1, -2, -3, -4, -5),
        (6,) * 5,
    ]
]

SCALAR = IndexMap((), (), sum(SYMBOLS), 1)


def code_of(e: Any, target: str, name: str = "offset") -> str:
    return emit(SCALAR, target, formula=e, where=NEGATIVE, name=name)


@given(CODED)
@MANY
def test_python_code_computes_the_value(e):
    space: dict[str, Any] = {}
    exec(code_of(e, "python"), space)
    for p in PLACES:
        assert space["offset"](*(p[n] for n in SCALAR.symbols)) == value(e, p)


@given(CODED)
@MANY
def test_sympy_code_computes_the_value(e):
    space: dict[str, Any] = {}
    exec(code_of(e, "sympy"), space)
    for p in PLACES:
        numbers = {s: Integer(p[s.name]) for s in space["offset"].free_symbols}
        assert space["offset"].xreplace(numbers) == value(e, p)


def helpers_and_body(code: str) -> tuple[str, str]:
    """The helper functions of emitted C, and the function itself."""
    head, _, body = code.partition("static inline int64_t offset")
    return head, "static inline int64_t offset" + body


def compiled(made: list[Any], folder: Path) -> list[int]:
    """The values of all expressions at all places, computed by C with every overflow an error."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        pytest.fail("a C compiler is needed")
    helpers: dict[str, None] = {}
    bodies, calls = [], []
    for number, e in enumerate(made):
        head, body = helpers_and_body(code_of(e, "c", f"offset{number}"))
        helpers |= dict.fromkeys(f"static{h}" for h in head.split("static")[1:])
        bodies.append(body)
        for p in PLACES:
            arguments = ", ".join(f"{p[n]}LL" for n in SCALAR.symbols)
            calls.append(f'  printf("%lld\\n", (long long)offset{number}({arguments}));')
    source, binary = folder / "offsets.c", folder / "offsets"
    top = ["#include <stdint.h>", "#include <stdio.h>", *helpers, *bodies]
    source.write_text("\n".join([*top, "int main(void) {", *calls, "  return 0;", "}"]))
    flags = ["-std=c99", "-w", "-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run([compiler, *flags, str(source), "-o", str(binary)], check=True, timeout=100)
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return list(map(int, done.stdout.split()))


def fits(e: Any) -> bool:
    """Whether every value on the way stays far from the ends of 64 bits."""
    from symlayout.expr.intermediates import intermediates

    return all(abs(value(x, p)) < 2**62 for x in intermediates(e) for p in PLACES)


@pytest.mark.explore
def test_c_code_computes_the_value_without_undefined_behaviour(tmp_path):
    batch: list[Any] = []

    @given(CODED)
    @settings(max_examples=300, deadline=None, derandomize=True)
    def collect(e: Any) -> None:
        if e.args and fits(e):
            batch.append(e)

    collect()
    assert len(batch) > 100
    assert compiled(batch, tmp_path) == [value(e, p) for e in batch for p in PLACES]
