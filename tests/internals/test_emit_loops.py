"""Routines that copy whole arrays: compiled, they put every element where the layout has it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from symlayout import IndexMap, parse, sizes
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.terms import FloorDiv, Mod, symbol
from symlayout.expr.tree import Integer
from symlayout.render.emit import emit
from symlayout.render.emit.loops import cuts, digits

# a layout, facts, sizes, and whether the offset is linear in the digits
CASES: list[tuple[str, list[str], list[dict[str, int]], bool]] = [
    (
        "f32[M,N]{1,0:T(8,128)}",
        [],
        [{"M": 9, "N": 130}, {"M": 16, "N": 128}, {"M": 1, "N": 1}],
        True,
    ),
    ("f32[M,N]{1,0:T(8,128)}", ["M % 8 == 0", "N % 128 == 0"], [{"M": 16, "N": 256}], True),
    ("bf16[M,N]{1,0:T(8,128)(2,1)}", [], [{"M": 13, "N": 131}, {"M": 2, "N": 3}], True),
    ("f32[M,N]{0,1:T(8,128)}", ["M <= 4096"], [{"M": 130, "N": 9}], True),
    ("f32[M,N]{1,0:T(s,t)}", [], [{"M": 7, "N": 11, "s": 3, "t": 4}], True),
    ("f32[A,M,N]{2,1,0:T(2,3)}", [], [{"A": 3, "M": 5, "N": 7}], True),
    ("f32[A,M,N]{1,2,0:T(2,3)}", [], [{"A": 3, "M": 5, "N": 7}], True),
    ("f32[M,5]{1,0}", [], [{"M": 4}], True),
    ("f64[33,129]{1,0:T(8,128)}", [], [{}], True),
    ("s8[M]{0:T(256)}", [], [{"M": 300}], True),
    ("f32[]", [], [{}], True),
    ("((16,R),(16,C)):((16,256),(1,256*R))", [], [{"R": 2, "C": 3}], True),
    ("strided f32[M,N] strides(S,1) offset 16", ["S >= N"], [{"M": 3, "N": 4, "S": 9}], True),
    ("Swizzle(3,3,3) o 0 o (8,64):(64,1)", [], [{}], False),
    ("zN(f16,R,C)", [], [{"R": 33, "C": 20}], True),
]


def routines(n: int, text: str, facts: list[str]) -> str:
    m = parse(text).index_map()
    code = emit(m, "c", formula=m.under(facts), name=f"case{n}", where=facts, loops=True)
    code = code.replace("#include <stdint.h>\n", "").replace("#ifndef ELEMENT", "#undef ELEMENT")
    code = re.sub(r"#define ELEMENT \w+\n#endif", "#define ELEMENT int32_t", code)
    return re.sub(r"(floor_div|floor_mod|ceil_div|min_of|max_of)\b", rf"\1_{n}", code)


def test_every_element_lies_where_the_layout_has_it(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    assert compiler is not None
    parts, calls = ["#include <stdint.h>", "#include <stdio.h>", "#include <string.h>"], []
    expected: list[list[int]] = []
    parts += ["static int32_t a[100000], b[100000], c[100000];"]
    for n, (text, facts, every, linear) in enumerate(CASES):
        m = parse(text).index_map()
        assert (digits(m, m._shortest_under(facts), Facts.read(facts)) is not None) == linear, text
        parts.append(routines(n, text, facts))
        order = re.findall(r"int64_t (\w+)[,)]", parts[-1].split("_pack(")[1].split("{")[0])
        for env in every:
            shape, size = m.concrete(env)
            count = int(np.prod(shape))
            words = "".join(f", {env[name]}" for name in order)
            calls += [
                f"  for (int k = 0; k < {count}; ++k) a[k] = k;",
                f"  memset(b, 255, sizeof b); case{n}_pack(a, b{words});",
                f'  for (int k = 0; k < {size}; ++k) printf("%d ", (int)b[k]);',
                f"  memset(c, 255, sizeof c); case{n}_unpack(b, c{words});",
                f'  for (int k = 0; k < {count + 1}; ++k) printf("%d ", (int)c[k]);',
                '  puts("");',
            ]
            expected.append([*m.buffer(**env).tolist(), *range(count), -1])
    source, binary = tmp_path / "loops.c", tmp_path / "loops"
    source.write_text("\n".join([*parts, "int main(void) {", *calls, "  return 0;", "}"]))
    flags = ["-std=c99", "-Wall", "-Wno-unused-function", "-Werror", "-fsanitize=undefined,address"]
    subprocess.run([compiler, *flags, str(source), "-o", str(binary)], check=True, timeout=200)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    found = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    assert [len(x) for x in found] == [len(x) for x in expected]
    assert found == expected


def test_facts_take_the_ragged_tiles_away() -> None:
    text = "f32[M,N]{1,0:T(8,128)}"
    assert "?" in routines(0, text, [])
    assert "?" not in routines(0, text, ["M % 8 == 0", "N % 128 == 0"])
    assert routines(0, text, ["M % 8 == 0"]).count("?") == 2


def test_sizes_that_may_be_zero() -> None:
    m = parse("f32[M,N]{1,0:T(8,128)}").index_map()
    code = emit(m, "c", where="M >= 0", loops=True)
    assert "ceil_div(int64_t a" in code
    assert code.index("ceil_div(int64_t a") < code.index("offset_pack")


def test_names_of_sizes_are_no_names_of_loops() -> None:
    made = IndexMap.row_major((symbol("i0"), symbol("c0_"), symbol("from")))
    code = emit(made, "c", loops=True)
    names = re.findall(r"int64_t (\w+)", code.split("offset_unpack")[0])
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("e", "chain"),
    [
        (FloorDiv(symbol("i"), 8) + Mod(symbol("i"), 8), [1, 8]),
        (Mod(FloorDiv(symbol("i"), 2), 4) + FloorDiv(symbol("i"), 8), [1, 2, 8]),
        (FloorDiv(symbol("i"), symbol("s")), [1, symbol("s")]),
        (FloorDiv(symbol("i"), 6) + FloorDiv(symbol("i"), 4), None),
        (FloorDiv(symbol("i") + 1, 4), None),
        (FloorDiv(symbol("i"), symbol("s")) + FloorDiv(symbol("i"), 4), None),
        (Integer(5), [1]),
    ],
)
def test_where_a_coordinate_is_split(e: object, chain: list[object] | None) -> None:
    assert cuts(e, symbol("i")) == chain


def test_loops_are_for_c() -> None:
    made = IndexMap.row_major(sizes("M N"))
    with pytest.raises(LayoutError, match="loops are written for layouts, and for maps"):
        emit(parse("map i < N: (i, i)"), "c", loops=True)
    with pytest.raises(LayoutError, match="loops are written in C"):
        emit(made, "rust", loops=True)
    with pytest.raises(LayoutError, match="without a guard"):
        emit(parse("map i < M if i < 5: i*2"), "c", loops=True)
