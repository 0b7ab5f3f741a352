"""Code for CUDA, Rust, NumPy, JAX, Triton and MLIR computes the formula, negative values included.

What can be compiled or executed here is; the rest is evaluated by the rules of its language, written
down once more: Triton's division by a class of integers, MLIR's operations line by line.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from test_emit import IX, MAP, NAMES, POINTS, J, N, expressions

from symlayout import IndexMap, parse, sizes
from symlayout.errors import LayoutError
from symlayout.expr.intermediates import intermediates
from symlayout.expr.terms import BitXor, Exp2, FloorDiv, Mod, Where, as_expr, symbol, value
from symlayout.expr.tree import Expr, Integer
from symlayout.render.emit import Target, emit
from symlayout.render.emit.factoring import groups, steps
from symlayout.render.emit.quotients import named_quotients, nested_quotients

MORE = [
    Where(IX, J, FloorDiv(IX - J, 4), Mod(IX - J, 8)) + BitXor(IX, J),
    FloorDiv(IX - J, 8) + 3 * Mod(J - IX, 16),
    IX * Exp2(Mod(J, 8)) + FloorDiv(IX, Exp2(Mod(J, 4))) + Mod(IX, Exp2(Mod(J, 4))),
    8 * FloorDiv(IX, 5) + Mod(IX, 5) + N * FloorDiv(J, 5) + N * Mod(J, 5),
]
EXPRESSIONS = [*expressions(70), *MORE]
EXPECTED = [value(e, p) for e in EXPRESSIONS for p in POINTS]


# -- compiled -------------------------------------------------------------------------------------


def results(command: list[str], binary: Path) -> list[int]:
    subprocess.run(command, check=True, timeout=300)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return list(map(int, done.stdout.split()))


def compilable(target: Target, start: str) -> tuple[list[str], list[str]]:
    """Functions under names of their own with each helper once, and the numbers of their calls."""
    made: dict[str, None] = {}
    for n, e in enumerate(EXPRESSIONS):
        code = emit(MAP, target, formula=e, name=f"offset{n}")
        for part in re.split(rf"(?m)^(?={start})", code):
            made[part] = None
    return list(made), [", ".join(str(p[n]) for n in NAMES) for p in POINTS]


@pytest.mark.explore
def test_cuda_code_compiled_as_cpp_computes_the_formula(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++") or shutil.which("c++")
    assert compiler is not None
    parts, points = compilable("cuda", "__host__")
    calls = [
        f'  std::printf("%lld\\n", (long long)offset{n}({p}));'
        for n in range(len(EXPRESSIONS))
        for p in points
    ]
    head = ["#include <cstdio>", "#define __host__", "#define __device__"]
    lines = [*head, "#define __forceinline__ inline", *parts, "int main() {", *calls, "}"]
    source, binary = tmp_path / "offsets.cpp", tmp_path / "offsets"
    source.write_text("\n".join(lines))
    flags = ["-std=c++17", "-Wall", "-Wno-unused-function", "-Werror", "-fsanitize=undefined"]
    assert results([compiler, *flags, str(source), "-o", str(binary)], binary) == EXPECTED


def by_rusts_rules(code: str, env: dict[str, int]) -> Any:
    """Without a compiler: Rust's operators are C's, and a block is a conditional of C."""
    names = {n: C(v) for n, v in env.items()}
    words = {"std::cmp::min": "least", "std::cmp::max": "greatest", "Some": "", "&&": "and"}
    words |= {"||": "or", "i64": ""}
    space: dict[str, Any] = {
        "least": lambda a, b: C(min(int(a), int(b))),
        "greatest": lambda a, b: C(max(int(a), int(b))),
        "floor_div": lambda a, b: C(int(a) // int(b)),
        "floor_mod": lambda a, b: C(int(a) % int(b)),
        "ceil_div": lambda a, b: C(-(-int(a) // int(b))),
    }

    def evaluated(text: str) -> Any:
        for word, ours in words.items():
            text = text.replace(word, ours)
        inner = r"((?:(?!\(if )[^{}])*)"
        block = re.compile(rf"\(if {inner} \{{ {inner} \}} else \{{ {inner} \}}\)")
        while block.search(text):  # the innermost first
            text = block.sub(r"((\2) if \1 else (\3))", text)
        text = re.sub(r"(?<!/)/(?!/)", "//", text)
        text = re.sub(r"(?<![\w.])(\d+)", r"C(\1)", text)
        return eval(text, {**space, "C": C, **names})

    inside = code.split("pub fn offset(")[1].split("{\n", 1)[1].rsplit("\n}", 1)[0]
    *lines, result = inside.split("\n")
    if lines and (guard := re.fullmatch(r"    if !\((.*)\) \{", lines[0])):
        assert [x.strip() for x in lines[1:3]] == ["return None;", "}"]
        if not evaluated(guard[1]):
            return None
        lines = lines[3:]
    for line in lines:
        name, _, text = line.strip().removeprefix("let ").rstrip(";").partition(": i64 = ")
        names[name] = evaluated(text)
    return evaluated(result.strip())


@pytest.mark.explore
def test_rust_code_computes_the_formula(tmp_path: Path) -> None:
    few = slice(0, 40)  # the rules are checked with and without a compiler
    found = [
        by_rusts_rules(emit(MAP, "rust", formula=e), p) for e in EXPRESSIONS[few] for p in POINTS
    ]
    assert found == [value(e, p) for e in EXPRESSIONS[few] for p in POINTS]
    compiler = shutil.which("rustc")
    if compiler is None:
        return
    parts, points = compilable("rust", r"#\[allow\(non_snake")
    calls = [
        f'    println!("{{}}", offset{n}({p}));' for n in range(len(EXPRESSIONS)) for p in points
    ]
    source, binary = tmp_path / "offsets.rs", tmp_path / "offsets"
    source.write_text("\n".join(["#![allow(dead_code)]", *parts, "fn main() {", *calls, "}"]))
    flags = ["--edition", "2021", "-D", "warnings", "-o", str(binary)]
    try:
        made = results([compiler, *flags, str(source)], binary)
    except subprocess.CalledProcessError:
        version = subprocess.run([compiler, "--version"], capture_output=True, check=False)
        assert version.returncode != 0, "rustc refuses the code"  # a stub without a toolchain
        return
    assert made == EXPECTED


# -- executed -------------------------------------------------------------------------------------


class C(int):
    """An integer whose division rounds towards zero, as that of C, Rust and Triton's tensors."""

    def __floordiv__(self, other: Any) -> C:
        q = abs(int(self)) // abs(int(other))
        return C(q if (self < 0) == (other < 0) else -q)

    def __mod__(self, other: Any) -> C:
        return C(int(self) - int(other) * int(self.__floordiv__(other)))


def _closed(word: str) -> Callable[..., C]:
    plain = getattr(int, word)
    return lambda self, other: C(plain(self, int(other)))


for _word in ("add", "radd", "sub", "rsub", "mul", "rmul", "and", "rand", "or", "xor", "rshift"):
    setattr(C, f"__{_word}__", _closed(f"__{_word}__"))
C.__rfloordiv__ = lambda self, other: C(other) // self  # type: ignore[method-assign]
C.__rmod__ = lambda self, other: C(other) % self  # type: ignore[method-assign]
C.__neg__ = lambda self: C(-int(self))  # type: ignore[method-assign]


def executed(code: str, modules: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    space: dict[str, Any] = {}
    exec(code, space)
    return space["offset"]


@pytest.mark.explore
def test_numpy_code_computes_the_formula_of_arrays() -> None:
    arrays = [np.array([p[n] for p in POINTS]) for n in NAMES]
    for e in EXPRESSIONS:
        code = emit(MAP, "numpy", formula=e)
        space: dict[str, Any] = {}
        exec(code, space)
        with np.errstate(divide="ignore"):
            made = np.broadcast_to(space["offset"](*arrays), (len(POINTS),))
        assert made.tolist() == [value(e, p) for p in POINTS], code


@pytest.mark.explore
def test_jax_code_computes_the_formula_by_numpys_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("jax")
    arrays = [np.array([p[n] for p in POINTS]) for n in NAMES]
    for e in EXPRESSIONS:
        code = emit(MAP, "pallas", formula=e)
        run = executed(code, {"jax": package, "jax.numpy": np}, monkeypatch)
        made = np.broadcast_to(run(*arrays), (len(POINTS),))
        assert made.tolist() == [value(e, p) for p in POINTS], code


@pytest.mark.explore
def test_triton_code_computes_the_formula_by_tritons_division(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    language = ModuleType("triton.language")
    language.__dict__.update(
        where=lambda c, a, b: C(a if c else b),
        minimum=lambda a, b: C(min(a, b)),
        maximum=lambda a, b: C(max(a, b)),
    )
    package = ModuleType("triton")
    package.__dict__.update(jit=lambda f: f, language=language)
    for e in EXPRESSIONS:
        code = emit(MAP, "triton", formula=e)
        run = executed(code, {"triton": package, "triton.language": language}, monkeypatch)
        for p in POINTS:
            assert run(*(C(p[n]) for n in NAMES)) == value(e, p), code


# -- MLIR -----------------------------------------------------------------------------------------


def wrapped(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (2 * half) - half


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": truncated,
    "remsi": lambda a, b: a - b * truncated(a, b),
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "shli": lambda a, b: a << b,
    "shrsi": lambda a, b: a >> b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "minsi": min,
    "maxsi": max,
}
UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "divui": lambda a, b: a // b,
    "remui": lambda a, b: a % b,
    "ceildivui": lambda a, b: -(-a // b),
    "shrui": lambda a, b: a >> b,
    "minui": min,
    "maxui": max,
}


def run_mlir(code: str, given: dict[str, int]) -> Any:
    """What the operations of the one function come to, each typed, defined before it is used."""
    first = next(x for x in code.split("\n") if "func" in x)
    head: Any = re.fullmatch(r"func.func @\w+\((.*)\) -> \(?(i1, )?(i32|i64)(.*) \{", first)
    assert head is not None
    kind, bits = head[3], int(head[3][1:])
    known: dict[str, int] = {}
    for word, v in zip(head[1].split(", ") if head[1] else [], given.values()):
        name, _, its = word.partition(": ")
        assert its == kind
        known[name] = wrapped(v, bits)
    flags: dict[str, bool] = {}
    for line in code[code.index("{\n") + 2 :].split("\n"):
        if number := re.fullmatch(rf"  (%\w+) = arith.constant (-?\d+) : {kind}", line):
            known[number[1]] = int(number[2])
        elif flag := re.fullmatch(
            rf"  (%\d+) = arith.cmpi (slt|ult), (%\w+), (%\w+) : {kind}", line
        ):
            flags[flag[1]] = known[flag[3]] < known[flag[4]]
        elif both := re.fullmatch(r"  (%\d+) = arith.(andi|ori) (%\d+), (%\d+) : i1", line):
            a, b = flags[both[3]], flags[both[4]]
            flags[both[1]] = a and b if both[2] == "andi" else a or b
        elif chosen := re.fullmatch(
            rf"  (%\d+) = arith.select (%\d+), (%\w+), (%\w+) : {kind}", line
        ):
            known[chosen[1]] = known[chosen[3]] if flags[chosen[2]] else known[chosen[4]]
        elif op := re.fullmatch(rf"  (%\d+) = arith.(\w+) (%\w+), (%\w+) : {kind}", line):
            x, y = known[op[3]], known[op[4]]
            if op[2] in UNSIGNED:
                made = UNSIGNED[op[2]](x % 2**bits, y % 2**bits)
            else:
                made = OPERATIONS[op[2]](x, y)
            assert op[1] not in known
            known[op[1]] = wrapped(made, bits)
        else:
            end = re.fullmatch(r"  return (.*) : (.*)", line)
            assert end is not None, line
            names, types = end[1].split(", "), end[2].split(", ")
            guarded = [flags[names.pop(0)]] if types[0] == "i1" else []
            assert types == ["i1"] * len(guarded) + [kind] * len(names)
            assert (head[2] is not None) == bool(guarded)
            row = (*guarded, *[known[n] for n in names])
            return row if len(row) > 1 else row[0]
    raise AssertionError("no return")


@pytest.mark.explore
def test_arith_operations_compute_the_formula() -> None:
    for e in EXPRESSIONS:
        code = emit(MAP, "arith", formula=e)
        for p in POINTS:
            assert run_mlir(code, {n: p[n] for n in NAMES}) == value(e, p), code


def test_a_branch_that_may_divide_by_zero_is_no_select() -> None:
    with pytest.raises(LayoutError, match="without branches"):
        emit(MAP, "arith", formula=Where(IX, J, FloorDiv(IX, J), 0))
    assert "arith.select" in emit(MAP, "arith", formula=Where(IX, J, FloorDiv(IX, N), 0))


class Affine(int):
    """Affine expressions in Python: `@` stands for ceildiv, which binds as `*` and `//` do."""

    def __matmul__(self, other: int) -> Affine:
        return Affine(-(-int(self) // int(other)))


for _word in ("add", "sub", "mul", "floordiv", "mod", "radd", "rsub", "rmul"):
    setattr(
        Affine,
        f"__{_word}__",
        (lambda plain: lambda self, other: Affine(plain(self, int(other))))(
            getattr(int, f"__{_word}__")
        ),
    )

LAYOUTS = [
    "f32[M,N]{1,0:T(8,128)}",
    "bf16[M,N]{1,0:T(8,128)(2,1)}",
    "f32[M,N]{0,1:T(s,t)}",
    "f32[A,M,N]{2,1,0:T(8,100)}",
    "f32[M,5]{1,0}",
    "((16,R),(16,C)):((16,256),(1,256*R))",
    "strided f32[M,N] strides(S,1) offset 16",
    "f32[2048,4096]{1,0:T(8,128)}",
    "f32[7]{0:T(256)}",
]


def places(m: IndexMap) -> list[dict[str, int]]:
    """Coordinates and sizes of an index map, a few."""
    found = []
    for base in (1, 3, 130, 517):
        env = {n: base + k for k, n in enumerate(m.symbols)}
        shape = [value(d, env) for d in m.shape]
        for part in (0, 2, 3):
            place = {c.name: min(d - 1, part * d // 3) for c, d in zip(m.coords, shape)}
            found.append({**place, **env})
    return found


@pytest.mark.parametrize("text", LAYOUTS)
def test_affine_maps_compute_the_offset(text: str) -> None:
    m = parse(text).index_map()
    lines = emit(m, "affine").split("\n")
    letters = dict(w.split(" = ") for w in lines[0].removeprefix("// ").split(", "))
    body = re.fullmatch(r"affine_map<\((.*?)\)(\[.*?\])? -> \((.*)\)>", lines[1])
    assert body is not None
    said = [*body[1].split(", "), *(body[2] or "[]")[1:-1].split(", ")]
    assert [w for w in said if w] == list(letters)
    code = body[3].replace(" floordiv ", "//").replace(" mod ", "%").replace(" ceildiv ", "@")
    for env in places(m):
        space = {letter: Affine(env[name]) for letter, name in letters.items()}
        assert eval(code, {}, space) == value(m._raw, env)


@pytest.mark.parametrize(
    "e", [IX * J, FloorDiv(8, IX + 1), IX**2, BitXor(IX, 3), Where(IX, 1, 2, 3)]
)
def test_what_is_not_affine_is_refused(e: Expr) -> None:
    with pytest.raises(LayoutError, match="not an affine expression") as caught:
        emit(MAP, "affine", formula=e)
    assert "--emit arith" in str(caught.value.help)


# -- types ----------------------------------------------------------------------------------------


@pytest.mark.sample(1)
@pytest.mark.parametrize("text", LAYOUTS)
def test_every_layout_in_every_language(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    m = parse(text).index_map()
    code = emit(m, "arith")
    names = re.findall(r"%(\w+): i", code)
    assert len(names) == len(set(names))
    for env in places(m):
        given = {**{c.name: env[c.name] for c in m.coords}, **{n: env[n] for n in m.symbols}}
        assert run_mlir(code, given) == value(m._raw, env)
        space: dict[str, Any] = {}
        exec(emit(m, "numpy"), space)
        assert space["offset"](*given.values()) == value(m._raw, env)


TYPES = {"c": "uint32_t", "cuda": "uint32_t", "rust": "u32", "arith": "i32"}
WIDE = {"c": "int64_t", "cuda": "int64_t", "rust": "i64", "arith": "i64"}


@pytest.mark.parametrize("target", TYPES)
def test_short_types_where_they_are_proved_to_hold_all(target: Target) -> None:
    m = parse("f32[M,N]{1,0:T(8,128)}").index_map()
    small = ["M <= 4096", "N <= 65536"]
    code = emit(m, target, where=small)
    assert f"{TYPES[target]} " in code.replace(":", " :") + " "
    assert WIDE[target] not in code.replace("uint32_t", "")
    assert "every value is in [0, 2**32), proved" in code
    assert "M <= 4096, N <= 65536" in code
    for more in (["M <= 65537", "N <= 65536"], ["M <= 4096"], ["M <= 4096", "N < M**3"]):
        code = emit(m, target, where=more)
        assert "proved" not in code
        assert WIDE[target] in code


def test_negative_values_are_in_no_unsigned_type() -> None:
    made = IndexMap.row_major((16, 16))
    i, j = made.coords
    assert "static inline uint32_t" in emit(made, "c")
    code = emit(made, "c", formula=i - j)
    assert "static inline int32_t" in code
    assert "[-2**31, 2**31)" in code
    assert "int64_t" in emit(made, "c", formula=2**31 * i)


def test_a_size_that_no_fact_bounds_is_of_64_bits() -> None:
    made = IndexMap.row_major((symbol("M"), 16))
    assert "int64_t offset" in emit(made, "c")
    assert "uint32_t offset" in emit(made, "c", where="M <= 1000")
    assert "int64_t offset" in emit(made, "c", where="M <= 1000", formula=made.coords[0] * 2**23)


def test_facts_about_a_name_like_a_coordinates_prove_nothing() -> None:
    assert "int64_t" in emit(IndexMap.row_major((symbol("M"), 16)), "c", where=["i <= 5", "M <= 9"])


# -- factors --------------------------------------------------------------------------------------


def test_steps_have_the_formula_as_their_last_value() -> None:
    for e in EXPRESSIONS:
        last = steps(e)[-1]
        assert all(value(last, p) == value(e, p) for p in POINTS)
        if isinstance(e, Integer):
            continue
        atoms = [x for x in intermediates(e) if x.is_Symbol]
        assert {*atoms} <= {*steps(e)}


def test_a_common_factor_is_multiplied_once() -> None:
    s, t = sizes("s t")
    e = s * t * FloorDiv(IX, s) * N + s * t * FloorDiv(J, t) + t * Mod(IX, s) + Mod(J, t)
    code = emit(MAP, "python", formula=e)
    assert code.count("*") == 6
    written = emit(MAP, "c", formula=e)
    assert (written.count("*"), written.count(" / ")) == (5, 2)  # a remainder is i - s*(i / s)
    assert groups(as_expr(e))[-1].factor == t


def test_names_are_told_apart_in_mlir() -> None:
    made = IndexMap.row_major((symbol("d0"), symbol("c8")))
    code = emit(made, "arith", formula=made.formula * 8)
    names = re.findall(r"(%\w+)(?:: i64[,)]| = )", code)
    assert len(names) == len(set(names))
    assert run_mlir(code, {"i": 1, "j": 2, "d0": 3, "c8": 5}) == 56


@pytest.mark.parametrize(
    "text",
    [
        "Swizzle(3,3,3) o 0 o (8,64):(64,1)",
        "Swizzle(2,4,-3) o 5 o (8,64):(64,1)",
        "Swizzle(1,0,1) o 3 o (4,(2,3)):(1,(8,16))",
        "Swizzle(0,2,0) o 0 o (8,4):(4,1)",
    ],
)
def test_a_swizzle_is_a_shift_a_mask_and_an_exclusive_or(text: str) -> None:
    m = parse(text).index_map()
    space: dict[str, Any] = {}
    exec(emit(m, "python"), space)
    named = m.named(["y", "x", "z"][: m.rank])
    code = emit(named, "arith", formula=named.under("y >= 0"), where="y >= 0")
    whole = np.indices(m.concrete({})[0]).reshape(m.rank, -1)
    for place in whole.T.tolist():
        expected = value(m._raw, dict(zip([c.name for c in m.coords], place)))
        assert space["offset"](*place) == expected
        assert run_mlir(code, dict(zip("yxz", place))) == expected
    targets: tuple[Target, ...] = ("c", "cuda", "rust", "python", "triton")
    for target in targets:
        assert emit(m, target).count("*") <= 6
        assert ("^" in emit(m, target)) == (not text.startswith("Swizzle(0"))
    other = emit(m, "c", formula=m.coords[0] + 1)  # what is asked for, whatever the map
    assert "^" not in other


GROUPED = "map p < 8*K*L: ((p // (4*K))*4 + p % 4)*K + p % (4*K) // 4 in 8*K*L"


@pytest.mark.parametrize("target", ["c", "cuda", "rust", "numpy", "pallas", "triton", "arith"])
def test_a_grouped_index_divides_once(target: Target) -> None:
    code = emit(parse(GROUPED), target).split("offset", 1)[1]
    word = {"arith": "divui", "numpy": " // ", "pallas": " // ", "triton": " // "}.get(
        target, " / "
    )
    assert code.count(word) == 1
    assert not re.search(r" % \w|rem", code)


def test_definitions_of_quotients_change_no_value() -> None:
    for e in EXPRESSIONS:
        made = named_quotients(
            [], [nested_quotients(e, lambda d: d.is_Integer and d > 0)], NAMES, lambda a, b: True
        )
        for p in POINTS:
            env = dict(p)
            for s, part in made.rows:
                env[s.name] = value(part, env)
            for (a, b), s in made.quotients.items():
                assert value(Mod(a, b), env) == value(a - b * s, env)
            assert [value(x, env) for x in made.results] == [value(e, p)]


def test_a_quotient_is_defined_before_the_remainder_that_is_made_of_it() -> None:
    r, q = Mod(IX, N + 5), FloorDiv(IX, N + 5)
    e = r * (r + J * (N + 7) ** 2) + q * (q + (N * N + J) * 3)
    for p in POINTS:
        assert run_mlir(emit(MAP, "arith", formula=e), p) == value(e, p)
        for target in ("python", "numpy"):
            space: dict[str, Any] = {}
            exec(emit(MAP, target, formula=e), space)
            assert space["offset"](*[p[n] for n in NAMES]) == value(e, p)


def test_a_division_of_one_branch_is_not_done_before_it() -> None:
    e = Where(1, N, 2 * FloorDiv(IX, N - 1) + Mod(IX, N - 1), 0)
    for target in ("c", "triton"):
        code = emit(MAP, target, formula=e).split("def offset" if target != "c" else "t offset")[1]
        assert "N - 1" not in code.split("return")[0]
