"""Index functions in CUDA's neighbours: Rust, NumPy, JAX, Triton and MLIR, against plain integers."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from maps_random import Text
from test_emit_languages import C, by_rusts_rules, run_mlir
from test_emit_maps import MAPS, function, points

from symlayout.errors import LayoutError
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import read_map
from symlayout.render.emit import Target, emit

Meant = Callable[..., Any]
every_map = pytest.mark.parametrize(("text", "language", "meant"), MAPS)


def row(wanted: Any) -> tuple[int, ...]:
    return wanted if isinstance(wanted, tuple) else (wanted,)


def names(f: IndexFunction) -> list[str]:
    return [*[v.name for v in f.variables], *f.names]


def module(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that the code imports, which compute as NumPy does or as C does."""
    language, package, jax = ModuleType("triton.language"), ModuleType("triton"), ModuleType("jax")
    language.__dict__.update(
        where=lambda c, a, b: C(a if c else b),
        minimum=lambda a, b: C(min(a, b)),
        maximum=lambda a, b: C(max(a, b)),
    )
    package.__dict__.update(jit=lambda f: f, language=language)
    known = {"triton": package, "triton.language": language, "jax": jax, "jax.numpy": np}
    for name, made in known.items():
        monkeypatch.setitem(sys.modules, name, made)


@pytest.mark.parametrize("target", ["numpy", "pallas"])
@every_map
def test_array_code_computes_the_map_and_its_mask(
    text: str,
    language: str | None,
    meant: Meant,
    target: Target,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    f, space = function(text, language), dict[str, Any]()
    module(target, monkeypatch)
    exec(emit(f, target), space)
    rows = points(f)
    with np.errstate(divide="ignore"):
        made = space["offset"](*map(np.array, zip(*rows)))
    columns = [np.broadcast_to(c, (len(rows),)).tolist() for c in row(made)]
    for p, *found in zip(rows, *columns):
        wanted = meant(*p)
        if f._guard is not None:
            assert found.pop(0) == (wanted is not None), (text, p)
        assert wanted is None or tuple(found) == row(wanted), (text, p)


@every_map
def test_triton_code_computes_the_map_and_its_mask(
    text: str, language: str | None, meant: Meant, monkeypatch: pytest.MonkeyPatch
) -> None:
    f, space = function(text, language), dict[str, Any]()
    module("triton", monkeypatch)
    exec(emit(f, "triton"), space)
    for p in points(f):
        found, wanted = list(row(space["offset"](*map(C, p)))), meant(*p)
        if f._guard is not None:
            assert found.pop(0) == (wanted is not None), (text, p)
        assert wanted is None or tuple(found) == row(wanted), (text, p)


@every_map
def test_arith_operations_compute_the_map_and_its_mask(
    text: str, language: str | None, meant: Meant
) -> None:
    f = function(text, language)
    code = emit(f, "arith")
    for p in points(f):
        found, wanted = list(row(run_mlir(code, dict(zip(names(f), p))))), meant(*p)
        if f._guard is not None:
            assert found.pop(0) == (wanted is not None), (text, p)
        assert wanted is None or tuple(found) == row(wanted), (text, p)


@every_map
def test_rust_code_computes_the_map(text: str, language: str | None, meant: Meant) -> None:
    f = function(text, language)
    code = emit(f, "rust")
    kept = re.search(r"pub fn offset\((.*?)\)", code)
    assert kept is not None
    own = [w.split(":")[0] for w in kept[1].split(", ")]
    for p in points(f):
        found, wanted = by_rusts_rules(code, dict(zip(own, p))), meant(*p)
        assert found == wanted or row(found) == wanted, (text, p)


def test_rust_code_compiled_computes_the_maps(tmp_path: Path) -> None:
    parts, calls, expected = dict[str, None](), list[str](), list[str]()
    for k, (text, language, meant) in enumerate(MAPS):
        f = function(text, language)
        for part in re.split(r"(?m)^(?=#\[allow\(non_snake)", emit(f, "rust", name=f"place{k}")):
            parts[part] = None
        for p in points(f):
            calls.append(f'    println!("{{:?}}", place{k}({", ".join(map(str, p))}));')
            wanted = meant(*p)
            said = "None" if wanted is None else str(wanted)
            expected.append(f"Some({said})" if f._guard and wanted is not None else said)
    assert len(expected) > 500
    source, binary = tmp_path / "maps.rs", tmp_path / "maps"
    source.write_text("\n".join(["#![allow(dead_code)]", *parts, "fn main() {", *calls, "}"]))
    compiler = shutil.which("rustc")
    usable = [compiler or "false", "--version"]  # not there, or a stub without a toolchain
    if subprocess.run(usable, capture_output=True, check=False).returncode:
        return
    flags = ["--edition", "2021", "-D", "warnings", "-o", str(binary)]
    subprocess.run([str(compiler), *flags, str(source)], check=True, timeout=300)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split("\n")[:-1] == expected


def test_affine_maps_have_several_results_and_no_guard() -> None:
    code = emit(read_map("map 2 <= i < M*N: q = i//N; (q, i - q*N)"), "affine")
    assert code.split("\n")[1] == (
        "affine_map<(d0)[s0, s1] -> (d0 floordiv s1, d0 - s1*(d0 floordiv s1))>"
    )
    with pytest.raises(LayoutError, match="has no guard"):
        emit(read_map("map i < M if i < 5: i*2"), "affine")


def test_a_division_that_a_guard_allows_is_no_operation_without_branches() -> None:
    with pytest.raises(LayoutError, match="without branches"):
        emit(read_map("map i < M, j < N if j > 0: i//j"), "arith")
    for target in ("c", "python", "rust"):
        code = emit(read_map("map i < M, j < N: ((i//j)*(i//j) + i//j if j > 0 else 0)"), target)
        assert " t0" not in code  # nothing is divided before the branch


def run_of(f: IndexFunction, target: Target) -> Callable[[dict[str, int]], Any]:
    """The code as a function of values by name, as its language computes it."""
    code = emit(f, target)
    if target == "arith":
        return lambda env: run_mlir(code, {n: env[n] for n in names(f)})
    if target == "rust":
        return lambda env: by_rusts_rules(code, {n: env[n] for n in names(f)})
    space: dict[str, Any] = {}
    exec(code, space)
    kind = C if target == "triton" else int
    return lambda env: space["offset"](*[kind(env[n]) for n in names(f)])


def agree(made: Text, run: Callable[[dict[str, int]], Any], masked: bool) -> int:
    """Whether the code computes the map; the number of points with several results."""
    several = 0
    for p in made.points()[::3]:
        wanted = made.at(p)
        if wanted == "undefined" or (masked and wanted is None):
            continue
        with np.errstate(divide="ignore"):
            found = run(dict(zip("ijN", p)))
        if masked and made.guard:
            holds, *found = found
            assert holds, (made.text, p)
            found = tuple(found)
        assert found == wanted or row(found) == wanted, (made.text, p)
        several += isinstance(wanted, tuple) and len(wanted) > 1
    return several


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["python", "numpy", "triton", "rust", "arith"])
def test_random_maps_are_computed_in_every_language(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    module(target, monkeypatch)
    several = 0
    for seed in range(150):
        made = Text(random.Random(seed))
        with suppress(LayoutError):  # some always divide by 0, or do so in a branch
            run = run_of(read_map(made.text, "python"), target)
            several += agree(made, run, target in ("numpy", "triton", "arith"))
    assert several > 100


def test_a_division_is_the_languages_own_where_its_operands_are_proved_to_have_signs() -> None:
    grouped = "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G); "
    grouped += "(first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)"
    for target, helper in (("c", "floor_"), ("triton", "floor_"), ("arith", "floordiv")):
        code = emit(read_map(grouped), target)
        assert helper not in code
        assert ">= " in code
        assert "proved for all points of the map" in code
    open_ = read_map("map pid < M*N: width = min(M - pid, G); pid//width if pid < M else 0")
    assert "floor_div" in emit(open_, "c")  # behind M it is negative
    within = read_map("map pid < M*N if pid < M: width = M - pid; pid//width")
    assert "floor_div" not in emit(within, "c")


def test_what_holds_where_a_guard_is_true_is_not_used_in_the_guard() -> None:
    f = read_map("map -9 <= i < N if i // 9 >= i % -1: i // 9", "python")
    space: dict[str, Any] = {}
    exec(emit(f, "python"), space)
    run = by_rusts_rules
    for i in range(-9, 9):
        wanted = None if i < 0 else i // 9
        assert space["offset"](i, 9) == wanted
        assert run(emit(f, "rust"), {"i": i, "N": 9}) == wanted
        assert run_mlir(emit(f, "arith"), {"i": i, "N": 9})[0] == (i >= 0)


def test_short_types_of_maps_where_they_are_proved_to_hold_all() -> None:
    grouped = "map pid < M*N: first = pid//(G*N)*G; width = min(M - first, G); "
    f = read_map(grouped + "(first + pid%(G*N)%width, pid%(G*N)//width) in (M, N)")
    small = ["M <= 1000", "N <= 1000", "G <= 16"]
    words = {"c": "uint32_t", "cuda": "uint32_t", "rust": "u32", "arith": "i32"}
    wide = {"c": "int64_t", "cuda": "int64_t", "rust": "i64", "arith": "i64"}
    for target, word in words.items():
        code = emit(f, target, where=small)
        assert word in code
        assert wide[target] not in code
        assert "every value is in [0, 2**32), proved for all points of the map where M" in code
        assert wide[target] in emit(f, target, where=small[:2])  # of G nothing is known
    ragged = read_map("map b < ceildiv(n, B), t < B if b*B + t < n: b*B + t in n")
    assert "uint32_t b" in emit(ragged, "c", where=["n <= 2**20", "B <= 2**10"])
    assert "int64_t b" in emit(ragged, "c", where=["n <= 2**32 - 1", "B <= 2**10"])
    below = read_map("map -5 <= i < n if i > 0: i - 1")
    assert "int32_t i" in emit(below, "c", where="n <= 9")  # the guard is asked of -5


def test_facts_about_a_name_inside_of_a_map_prove_nothing_for_its_code() -> None:
    f = read_map("map i < N, j < N: i//(j - 3)")
    assert emit(f, "c", where="j >= 9") == emit(f, "c")


def call_in_c(f: IndexFunction, code: str, name: str, values: list[int]) -> str:
    """A statement that prints the results, or "none", on a line of their own."""
    given = ", ".join(f"{x}LL" for x in values)
    kind = re.search(r"(\w+) out\[", code)
    if kind is None:
        return f'printf("%lld\\n", (long long){name}({given}));'
    prints = "".join(f'printf("%lld ", (long long)out[{k}]); ' for k in range(len(f.results)))
    called = f"{name}({given}, out)"
    if f._guard is None:
        return f'{{ {kind[1]} out[8]; {called}; {prints}printf("\\n"); }}'
    return f'{{ {kind[1]} out[8]; if ({called}) {{ {prints}}} else printf("none"); puts(""); }}'


@pytest.mark.explore
@pytest.mark.parametrize("small", [False, True])
def test_random_maps_compiled_compute_what_they_say(tmp_path: Path, small: bool) -> None:
    compiler = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))), None)
    assert compiler is not None, "a C compiler is part of what the tests need"
    expected, short = list[tuple[str, str]](), 0
    lines = ["#include <stdint.h>", "#include <stdbool.h>", "#include <stdio.h>"]
    calls, helpers = list[str](), dict[str, None]()
    for seed in range(300, 500):
        made, name = Text(random.Random(seed)), f"place{seed}"
        try:
            f = read_map(made.text, "python")
            code = emit(f, "c", name=name, where="N <= 3" if small else ())
        except LayoutError:
            continue
        code = re.sub(r"#include <\w+\.h>\n", "", code)
        for helper in re.findall(r"static inline \w+ \w+\(\w+ a, .*?\n?\}\n", code, re.S):
            word, kind = re.search(r"(\w+)\(", helper)[1], helper.split()[2]  # type: ignore[index]
            code = re.sub(rf"\b{word}\(", f"{word}_{kind}(", code.replace(helper, ""))
            helpers[helper] = None
        short += "int64_t" not in code
        lines.append(code)
        for p in made.points()[::5]:
            wanted = made.at(p)
            if wanted != "undefined":
                calls.append(call_in_c(f, code, name, [dict(zip("ijN", p))[n] for n in names(f)]))
                said = "none" if wanted is None else " ".join(map(str, wanted))
                expected.append((f"{made.text} at {p}", said))
    named = [
        re.sub(r"(\w+)\((\w+) a,", lambda m: f"{m[1]}_{m[2]}({m[2]} a,", h, count=1)
        for h in helpers
    ]
    source, binary = tmp_path / "maps.c", tmp_path / "maps"
    text = "\n".join([*lines[:3], *named, *lines[3:], "int main(void) {", *calls, "return 0; }"])
    source.write_text(text)
    subprocess.run(
        [compiler, "-w", "-fsanitize=undefined", str(source), "-o", str(binary)], check=True
    )
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60)
    found = [line.strip() for line in done.stdout.splitlines()]
    assert done.stderr == ""
    assert len(found) == len(expected) > 1000
    for line, (said, wanted) in zip(found, expected):
        assert line == wanted, said
    assert short > 100 or not small


@pytest.mark.parametrize("target", ["numpy", "pallas"])
@pytest.mark.parametrize(
    "text",
    [
        "map i < N, j < M: ceildiv(j, 128)",
        "map i < N, j < M: (ceildiv(i, N), ceildiv(j, M))",
        "map i < N, j < M if ceildiv(j, 8) < 5: i*M + j",
        "map i < N, j < M if j >= 1: ceildiv(j, 4)",
        "map i < N, j < M: t = ceildiv(i*M + j, 32); (t, ceildiv(t + 1, 3))",
        "map -3 <= i < N, j < M: ceildiv(i, 4)*M + j",
        "map i < N, j < M: (N - 1 - i)*M + (j ^ 5) + max(i - j, 0)",
    ],
)
def test_array_code_computes_the_map_in_the_type_that_its_comment_names(
    text: str, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    f, space = read_map(text), dict[str, Any]()
    module(target, monkeypatch)
    code = emit(f, target, where=["N <= 100", "M <= 1000"])
    exec(code, space)
    kind = np.uint32 if "in [0, 2**32)" in code else np.int32
    assert "every value is in" in code
    sizes = [{"N": n, "M": m} for n, m in ((1, 1), (3, 130), (5, 40))]
    for env in sizes:
        low = f.variables[0].low
        grid = range(int(low), env["N"]), range(env["M"])
        rows = [(i, j, env["N"], env["M"]) for i in grid[0] for j in grid[1]]
        made = space["offset"](*(np.array(c, dtype=kind) for c in zip(*rows)))
        columns = [np.broadcast_to(c, (len(rows),)).tolist() for c in row(made)]
        for point, *found in zip(rows, *columns):
            inside = f.has(point[:2], env)
            assert f._guard is None or found.pop(0) == inside
            assert not inside or tuple(found) == f.at(point[:2], env), (code, point)
