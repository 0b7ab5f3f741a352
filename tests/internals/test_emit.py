"""Emitted code computes the formula: executed in Python, compiled as C, read back, evaluated."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
import sympy

from symlayout import IndexMap, sizes
from symlayout.errors import LayoutError
from symlayout.expr.intermediates import intermediates
from symlayout.expr.reader import read_expression
from symlayout.expr.terms import CeilDiv, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod, symbol, value
from symlayout.expr.tree import Expr, Integer
from symlayout.render.emit import TARGETS, Target, emit
from symlayout.render.emit.c import RESERVED
from symlayout.render.emit.cuda import CUDA
from symlayout.render.emit.lines import share
from symlayout.render.emit.rust import RUST

M, N = sizes("M N")
MAP = IndexMap.row_major((M, N))
IX, J = MAP.coords
NAMES = ("i", "j", "M", "N")


def random_expression(rng: random.Random, depth: int) -> Expr:
    """Any expression whose divisors are positive; dividends may be negative."""
    if depth == 0:
        return rng.choice([IX, J, M, N, Integer(rng.randint(-9, 9))])
    a, b = (random_expression(rng, depth - 1) for _ in range(2))
    d = rng.choice([Integer(rng.randint(1, 7)), M, N + 1])
    kind = rng.randrange(9)
    if kind < 3:
        return [a + b, a - b, a * b][kind]
    if kind < 8:
        return [FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod][kind - 3](a, d)
    return rng.choice([Min, Max])(a, b) + (a + 1) ** 2


def expressions(count: int) -> list[Expr]:
    rng = random.Random(7)
    return [random_expression(rng, 1 + n % 4) for n in range(count)]


POINTS = [
    dict(zip(NAMES, p))
    for p in [(0, 0, 1, 1), (3, 5, 4, 9), (7, 2, 8, 3), (12, 30, 13, 31), (1, 0, 3, 1)]
]


def test_python_code_computes_the_formula() -> None:
    for e in expressions(100):
        code = emit(MAP, "python", formula=e)
        space: dict[str, Any] = {}
        exec(code, space)
        for p in POINTS:
            assert space["offset"](*(p[n] for n in NAMES)) == value(e, p), code


class Watched(int):
    """A number that notes what is computed from it."""

    values: ClassVar[set[int]] = set()


def _watched(name: str) -> Any:
    def method(*args: int) -> Watched:
        result = Watched(getattr(int, name)(*map(int, args)))
        Watched.values.add(int(result))
        return result

    return method


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Watched, f"__{_name}__", _watched(f"__{_name}__"))
    setattr(Watched, f"__r{_name}__", _watched(f"__r{_name}__"))
Watched.__neg__ = _watched("__neg__")  # type: ignore[method-assign]

SHARED_SUMS = [
    read_expression(text)
    for text in (
        "(M - N + (M - N)*(3//(M - N)))*(2//N) + M - N + (M - N)*(3//(M - N))",
        "1024*((N*i + j)//128)*(M//128) + ((N*i + j)//128)*(M//128)%7 + ((N*i + j)//128)*(M//128)//3",
        "M*N*i*(j//3) + (j//3 + i)%5 + N*(j//3)*8 + (N*(j//3))%7",
    )
]


TEXTS = map(str, expressions(120))
FLOORED = [read_expression(t) for t in TEXTS if not re.search("trunc|min|max", t)]


@pytest.mark.parametrize("e", [*SHARED_SUMS, *FLOORED], ids=str)
def test_python_code_has_the_values_that_fits_judges(e: Expr) -> None:
    """Names for what is computed once change no value on the way, and leave none out."""
    space: dict[str, Any] = {}
    exec(emit(MAP, "python", formula=e), space)
    steps = intermediates(e)
    for p in POINTS:
        try:
            known = {value(x, p) for x in steps}
        except LayoutError:
            continue  # a divisor is 0 here
        Watched.values = set()
        space["offset"](*(Watched(p[n]) for n in NAMES))
        ours = Watched.values | {-x for x in Watched.values} | {0, 1} | {*p.values()}
        assert {x for x in Watched.values if x not in known and -x not in known} == set()
        assert {value(x, p) for x in steps if not x.is_Integer} <= ours


def source(e: Expr) -> Expr:
    """What the emitted SymPy source makes."""
    space: dict[str, Any] = {}
    exec(emit(MAP, "sympy", formula=e), space)
    made: Expr = space["offset"]
    return made


def test_sympy_code_reads_back_as_the_formula() -> None:
    names = {n: symbol(n) for n in NAMES}
    for e in expressions(60):
        made = source(e)
        for p in POINTS:
            assert made.xreplace({names[n]: Integer(v) for n, v in p.items()}) == value(e, p)


def c_statements(code: str) -> tuple[list[tuple[str, str]], str]:
    parts = re.findall(r"const int64_t (\w+) = (.*);", code)
    (rest,) = re.findall(r"^  return (.*);$", code.split("int64_t offset(")[1], re.M)
    return parts, rest


WORDS = {
    "floor_div": "floordiv",
    "floor_mod": "mod",
    "ceil_div": "ceildiv",
    "min_of": "min",
    "max_of": "max",
}


def run_c_by_definition(code: str, env: Mapping[str, int]) -> int:
    """Evaluates the emitted statements by C's rules, as our own reader knows them."""
    known = dict(env)

    def number(text: str) -> int:
        for word, ours in WORDS.items():
            text = re.sub(rf"\b{word}\b", ours, text)
        return value(read_expression(text, language="c"), known)

    parts, rest = c_statements(code)
    for name, text in parts:
        known[name] = number(text)
    return number(rest)


@pytest.mark.explore
def test_c_code_means_the_formula_by_cs_rules() -> None:
    for e in expressions(60):
        code = emit(MAP, "c", formula=e)
        for p in POINTS:
            assert run_c_by_definition(code, p) == value(e, p), code


@pytest.mark.explore
def test_c_code_compiled_computes_the_formula(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    made = expressions(120)
    expected = [value(e, p) for e in made for p in POINTS]
    if compiler is None:
        codes = [emit(MAP, "c", formula=e) for e in made]
        assert [run_c_by_definition(c, p) for c in codes for p in POINTS] == expected
        return
    body, calls = [], []
    helpers: dict[str, None] = {}
    for number, e in enumerate(made):
        code = emit(MAP, "c", formula=e, name=f"offset{number}").removeprefix("#include <stdint.h>")
        for helper in re.findall(r"static inline int64_t [a-z_]+\(int64_t a.*?\n?\}\n", code, re.S):
            helpers[helper] = None
            code = code.replace(helper, "")
        body.append(code)
        for p in POINTS:
            arguments = ", ".join(f"{p[n]}LL" for n in NAMES)
            calls.append(f'  printf("%lld\\n", (long long)offset{number}({arguments}));')
    source = tmp_path / "offsets.c"
    lines = ["#include <stdint.h>", "#include <stdio.h>", *helpers, *body]
    source.write_text("\n".join([*lines, "int main(void) {", *calls, "  return 0;", "}"]))
    binary = tmp_path / "offsets"
    flags = ["-std=c99", "-Wall", "-Wno-unused-function", "-Werror", "-fsanitize=undefined"]
    subprocess.run([compiler, *flags, str(source), "-o", str(binary)], check=True, timeout=100)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    assert list(map(int, done.stdout.split())) == expected


def test_plain_division_where_nothing_is_negative() -> None:
    tiled = 1024 * CeilDiv(N, 128) * FloorDiv(IX, 8) + Mod(J, 128)
    code = emit(MAP, "c", formula=tiled)
    assert "(i >> 3)" in code
    assert "floor_div" not in code
    assert "floor_div(i - j, 4)" in emit(MAP, "c", formula=FloorDiv(IX - J, 4))


def test_facts_that_allow_less_than_one_make_the_division_careful() -> None:
    e = FloorDiv(N - 1, 8) + IX
    assert "(N - 1) >> 3" in emit(MAP, "c", formula=e)
    assert "floor_div(N - 1, 8)" in emit(MAP, "c", formula=e, where="N >= 0")
    assert "(N - 9) >> 3" in emit(MAP, "c", formula=FloorDiv(N - 9, 8), where=["N > 5", "N >= 9"])
    assert "floor_div(N - 9, 8)" in emit(MAP, "c", formula=FloorDiv(N - 9, 8), where="N > 5")


def test_common_parts_are_shared_where_it_shortens() -> None:
    part = FloorDiv(IX * N + J, 128) * CeilDiv(N, 128)
    e = part * 1024 + Mod(part, 7) + FloorDiv(part, 3)
    code = emit(MAP, "python", formula=e)
    assert code.count("t1") == 3
    assert code.count("-N//128") == 1
    assert "t0" not in emit(MAP, "python", formula=FloorDiv(IX, 8) + Mod(FloorDiv(IX, 8), 2))


def test_sharing_keeps_the_value() -> None:
    for e in expressions(80):
        parts, (rest,) = share([], [e], set(NAMES), cost=0)
        for p in POINTS:
            env = dict(p)
            for name, part in parts:
                env[name.name] = value(part, env)
            assert value(rest, env) == value(e, p)


def test_sharing_among_definitions_keeps_the_values() -> None:
    some = expressions(80)
    for a, b, c in zip(some, some[1:], some[2:]):
        own = [(symbol("p"), a), (symbol("q"), b * symbol("p") + FloorDiv(a, 4))]
        results = [c + symbol("q"), b * symbol("p") - FloorDiv(c + symbol("q"), 4)]
        parts, rest = share(own, results, {*NAMES, "p", "q"}, cost=0)
        assert [s for s, _ in parts if s in dict(own)] == [s for s, _ in own]
        for p in POINTS:
            env, plain = dict(p), dict(p)
            for name, part in own:
                plain[name.name] = value(part, plain)
            for name, part in parts:
                assert name.name not in env
                env[name.name] = value(part, env)
            assert [value(e, env) for e in rest] == [value(e, plain) for e in results]


def test_names_that_the_language_keeps() -> None:
    made = IndexMap.row_major((symbol("int"), symbol("lambda")))
    assert "int64_t int_" in emit(made, "c")
    space: dict[str, Any] = {}
    exec(emit(made, "python"), space)
    assert space["offset"](1, 2, 3, 5) == 7
    own = IndexMap.row_major((symbol("t0"), symbol("offset")))
    exec(emit(own, "python"), space)
    assert space["offset"](1, 2, 3, 5) == 7


@pytest.mark.parametrize(
    "word", ["_Bool", "__func__", "INT32_MAX", "EOF", "not_eq", "Some", "None"]
)
@pytest.mark.parametrize("target", ["c", "cuda", "rust"])
def test_words_of_a_language_are_no_parameters_of_its_code(word: str, target: Target) -> None:
    kept = {"c": RESERVED, "cuda": CUDA.reserved, "rust": RUST.reserved}[target]
    code = emit(IndexMap.row_major((4, symbol(word))), target)
    assert (f" {word}_" in code) == (word in kept or word.startswith("__"))
    assert re.search(rf"\b{word}\b", code) is None or word not in kept


def test_what_stdint_defines_is_no_parameter(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    assert compiler is not None
    header = "#include <stdint.h>\n#include <stdbool.h>\n"
    asked = [compiler, "-E", "-dM", "-x", "c", "-"]
    found = subprocess.run(asked, input=header, capture_output=True, text=True, check=True).stdout
    macros = {re.split(r"\W", line.split()[1])[0] for line in found.splitlines()}
    assert len(macros) > 100
    assert [m for m in macros if not m.startswith("_") and m not in RESERVED] == []


@pytest.mark.parametrize(
    ("target", "name"),
    [("python", "lambda"), ("numpy", "class"), ("c", "floor_mod"), ("rust", "fn"), ("c", "int"),
     ("triton", "tl"), ("sympy", "Symbol"), ("c", "\u03bb")],
)  # fmt: skip
def test_a_word_of_the_code_is_no_name_for_its_function(target: Target, name: str) -> None:
    with pytest.raises(LayoutError, match="not a name for a function"):
        emit(MAP, target, name=name)


def test_latex_has_floor_brackets() -> None:
    code = emit(MAP, "latex", formula=8 * FloorDiv(IX, 8) + Mod(J, 8))
    assert r"8 \left\lfloor \frac{i}{8} \right\rfloor" in code
    assert r"j \bmod 8" in code
    assert code.startswith(r"\operatorname{offset}(i, j) = ")
    twice = Mod(Mod(IX, J + 1), 3) * 2 + Mod(FloorDiv(IX, 2), 3) * Mod(J, 3)
    assert r"2 \left(\left(i \bmod \left(j + 1\right)\right) \bmod 3\right)" in emit(
        MAP, "latex", formula=twice
    )
    for e in [twice, *expressions(40)]:
        code = emit(MAP, "latex", formula=e)
        for left, right in ("{}", "()"):
            assert code.count(left) == code.count(right)


def test_what_cannot_be_emitted_is_refused() -> None:
    with pytest.raises(LayoutError, match="no target 'latx'"):
        emit(MAP, "latx")
    with pytest.raises(LayoutError, match="not a name for a function"):
        emit(MAP, "c", name="a b")
    with pytest.raises(LayoutError, match="does not fit int64_t"):
        emit(MAP, "c", formula=IX * 2**63)
    for target in ("python", "c"):
        with pytest.raises(LayoutError, match="not an integer expression"):
            emit(MAP, target, formula=sympy.sqrt(IX))


def test_every_target_has_a_module_and_ends_its_line() -> None:
    for target, (shape, _) in itertools.product(TARGETS, [((), 0), ((M,), 1), ((4, M, 5), 3)]):
        code = emit(IndexMap.row_major(shape), target)
        assert code.endswith("\n")
        assert not code.endswith("\n\n")


def test_sympys_own_error_is_avoided() -> None:
    e = Mod(J * Mod(IX, 6), 5)
    made = source(e)
    assert [made.subs({IX: x, J: 3}) for x in range(12)] == [3 * (x % 6) % 5 for x in range(12)]
