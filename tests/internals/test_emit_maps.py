"""Index functions as code: Python and C run, SymPy read back, against plain integers."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from symlayout.__main__ import main
from symlayout.digits import bounds
from symlayout.errors import LayoutError
from symlayout.expr.tree import Integer, Symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import read_map
from symlayout.render.emit import TARGETS, Target, emit

Env = dict[str, int]


def quotient(a: int, b: int) -> int:
    """C's."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def grouped(pid: int, M: int, N: int, G: int) -> Any:
    first = pid // (G * N) * G
    width = min(M - first, G)
    return first + pid % (G * N) % width, pid % (G * N) // width


def choice(i: int, j: int, s: int) -> int:
    return (i - j) // 3 if i < j and i != s else max(i, -j) % 5


def guarded(i: int, n: int) -> Any:
    return (i + 1, i & 5) if not -2 <= i < 0 and (i < n or i == 6) else None


def in_c(i: int, n: int) -> Any:
    return (quotient(i, 3), i - 3 * quotient(i, 3), i ^ 6, i | n) if i else None


MAPS: list[tuple[str, str | None, Callable[..., Any]]] = [
    (
        "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G);"
        " (first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)",
        None,
        grouped,
    ),
    (
        "map -4 <= i < n, -4 <= j < 3: (i - j)//3 if i < j and i != s else max(i, -j)%5",
        None,
        lambda i, j, n, s: choice(i, j, s),
    ),
    ("map -5 <= i < n if not -2 <= i < 0 and (i < n or i == 6): (i + 1, i & 5)", None, guarded),
    (
        "map -7 <= i < n if i != 0: q = int64(i)/3; (q, i%3, i ^ 6, i | n)",
        "c",
        in_c,
    ),
    ("map -3 <= int < n: (int*int,)", None, lambda i, n: (i * i,)),
    ("map -3 <= i < n: bool = i + 1; out = ~bool; out*2", None, lambda i, n: ~(i + 1) * 2),
    (
        "map -7 <= i < n: (i << s, (i >> s) + (1 << (s + 1)), i & ((1 << s) - 1))",
        None,
        lambda i, n, s: (i << s, (i >> s) + (1 << (s + 1)), i & ((1 << s) - 1)),
    ),
    ("map i < 4 if i != 2: i - 9", None, lambda i: None if i == 2 else i - 9),
]
VALUES = (-7, -3, -1, 0, 1, 2, 6)


def function(text: str, language: str | None) -> IndexFunction:
    return read_map(text, language)


def points(f: IndexFunction) -> list[list[int]]:
    """Values of variables and sizes; sizes are at least 1."""
    many, sizes = len(f.variables), len(f.names)
    plain = any(v.low == 0 for v in f.variables)
    firsts = (0, 1, 2, 3) if plain else VALUES
    return [
        [*p, *s]
        for p in itertools.product(firsts, repeat=many)
        for s in itertools.product((1, 2, 5), repeat=sizes)
        if not plain or sizes == 0 or p[0] < s[0] * s[min(1, sizes - 1)]
    ]


@pytest.mark.parametrize(("text", "language", "meant"), MAPS)
def test_python_code_computes_the_map(text: str, language: str | None, meant: Any) -> None:
    f, space = function(text, language), dict[str, Any]()
    exec(emit(f, "python"), space)
    for p in points(f):
        assert space["offset"](*p) == meant(*p), (text, p)


@pytest.mark.parametrize(("text", "language", "meant"), MAPS)
def test_sympy_code_has_the_values_of_the_map(text: str, language: str | None, meant: Any) -> None:
    f, space = function(text, language), dict[str, Any]()
    exec(emit(f, "sympy"), space)
    names = [*[v.name for v in f.variables], *f.names]
    for p in points(f)[::3]:
        env = {Symbol(n): Integer(x) for n, x in zip(names, p)}
        guard = space.get("offset_guard")
        wanted = meant(*p)
        assert (guard is None or bool(guard.xreplace(env))) == (wanted is not None)
        if wanted is None:
            continue
        made = space["offset"]
        row = made if isinstance(made, tuple) else (made,)
        values = tuple(int(e.xreplace(env)) for e in row)
        assert values == (wanted if isinstance(wanted, tuple) else (wanted,)), (text, p)


COMPILED: dict[Target, tuple[tuple[str, ...], str, str, list[str]]] = {
    "c": (("gcc", "cc", "clang"), "maps.c", "static inline", ["-std=c99"]),
    "cuda": (
        ("g++", "c++", "clang++"),
        "maps.cpp",
        "__host__ __device__ __forceinline__",
        ["-std=c++17", "-D__host__=", "-D__device__=", "-D__forceinline__=inline"],
    ),
}


@pytest.mark.parametrize("target", COMPILED)
def test_compiled_code_computes_the_maps(target: Target, tmp_path: Path) -> None:
    compilers, file, words, flags = COMPILED[target]
    compiler = next(filter(None, map(shutil.which, compilers)), None)
    assert compiler is not None, "a C compiler is part of what the tests need"
    helpers, bodies, calls, expected = dict[str, None](), list[str](), list[str](), list[str]()
    for k, (text, language, meant) in enumerate(MAPS):
        f = function(text, language)
        code = re.sub(r"#include <\w+(\.h)?>\n", "", emit(f, target, name=f"place{k}"))
        for helper in re.findall(rf"{words} int64_t [a-z_]+\(int64_t a, .*?\n?\}}\n", code, re.S):
            helpers[helper] = None
            code = code.replace(helper, "")
        kind = re.search(r"(\w+) out\[", code)
        out = f"{kind[1]} out[8];" if kind else ""
        bodies.append(code)
        single = f.guard is None and not f.tupled
        for p in points(f):
            given = ", ".join(f"{x}LL" for x in p)
            wanted = meant(*p)
            if single:
                calls.append(f'  printf("%lld\\n", (long long)place{k}({given}));')
                expected.append(str(wanted))
                continue
            called = f"place{k}({given}, out)"
            prints = "".join(
                f' printf("%lld ", (long long)out[{n}]);' for n in range(len(f.results))
            )
            if f.guard is None:
                calls.append(f'  {{ {out} {called};{prints} printf("\\n"); }}')
            else:
                calls.append(f'  {{ {out} if ({called}) {{{prints} }} else printf("none"); }}')
                calls.append('  printf("\\n");')
            row = wanted if isinstance(wanted, tuple) else (wanted,)
            expected.append("none" if wanted is None else " ".join(map(str, row)))
    lines = ["#include <stdint.h>", "#include <stdbool.h>", "#include <stdio.h>", *helpers, *bodies]
    lines += ["int main(void) {", *calls, "  return 0;", "}"]
    source, binary = tmp_path / file, tmp_path / "maps"
    source.write_text("\n".join(lines))
    flags = [*flags, "-Wall", "-Wno-unused-function", "-Werror", "-fsanitize=undefined"]
    subprocess.run([compiler, *flags, str(source), "-o", str(binary)], check=True, timeout=100)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    assert [line.strip() for line in done.stdout.splitlines()] == expected


def test_latex_has_guard_definitions_and_results() -> None:
    code = emit(read_map("map i < N if i != s: q = i//8; (q, i%8)"), "latex")
    for part in (r"\left(q, ", r"\text{where } q = ", r"\text{if } i < s \lor s < i"):
        assert part in code
    assert code.count("(") == code.count(")")


def test_a_plain_map_is_emitted_like_a_layout() -> None:
    f = read_map("map i < M, j < 8: i*8 + j in M*8")
    for target in TARGETS:
        assert emit(f, target) == emit(f.index_map(), target)


def test_the_command_line_shows_and_emits_maps(capsys: pytest.CaptureFixture[str]) -> None:
    text = "map i < N if i != 3: q = i//8; (q, i%8) in (N, 8)"
    assert main(["formula", text]) == 0
    assert "guard   (i < 3 or 3 < i)" in capsys.readouterr().out
    assert main(["formula", text, "--at", "11"]) == 0
    assert capsys.readouterr().out == "1, 3\n"
    assert main(["formula", text, "--json", "--emit", "c"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["box"] == ["N", 8]
    assert "static inline bool offset" in data["code"]
    for at, said in (
        ("3", "the guard is false"),
        ("-1", "outside of the domain"),
        ("1,2", "2 numb"),
    ):
        with pytest.raises(LayoutError, match=said) as error:
            read_map(text).placed([Integer(t) for t in at.split(",")])
        assert error.value.code == "SL108"


def test_what_no_int64_holds_is_refused_in_c() -> None:
    with pytest.raises(LayoutError, match="does not fit int64_t"):
        emit(read_map(f"map i < N if i < {2**64}: (i, 1)"), "c")


def test_what_is_asked_on_the_way_to_code_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "map -100 <= i < N, j < M: ceildiv((j - i) | ceildiv(1048576, 3), 8)"
    tries = itertools.count()
    plain = bounds._multipliers

    def counted(*arguments: Any) -> Any:
        assert next(tries) < 20_000
        return plain(*arguments)

    monkeypatch.setattr(bounds, "_multipliers", counted)
    assert "int32_t" in emit(text, "c", where=["N <= 2147483647", "M <= 7"])
