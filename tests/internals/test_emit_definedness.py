"""Code of maps whose definitions cancel: it has a value where the map has one."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from definedness_random import drawn_claim
from definedness_texts import Plain, Undefined
from hypothesis import given, settings
from hypothesis import strategies as st

from symlayout import parse, prove
from symlayout.errors import LayoutError
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import read_map
from symlayout.render.emit import emit

SIZES = [{"K": k} for k in range(4)]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_emitted_python_has_a_value_where_the_map_has_one(data: st.DataObject) -> None:
    _, texts = drawn_claim(lambda options: data.draw(st.sampled_from(list(options))))
    f, m = parse(texts[0]), Plain.of(texts[0])
    where = data.draw(st.sampled_from([(), ("K >= 0", "K <= 3")])) if "K" in f.names else ()
    space: dict[str, Any] = {}
    exec(emit(f, "python", where=where), space)
    for sizes in SIZES:
        try:
            places = list(m.places(sizes))
        except Undefined:
            continue
        for place in places:
            arguments = [*place, *[sizes[n] for n in f.names]]
            try:
                expected = m.at(place, sizes)
            except Undefined:
                with pytest.raises((ZeroDivisionError, ValueError)):
                    space["offset"](*arguments)
                continue
            result = space["offset"](*arguments)
            assert (
                result if isinstance(result, tuple) or result is None else (result,)
            ) == expected


def test_a_shift_of_one_branch_is_not_computed_before_it() -> None:
    part = "(17*x + 1)*(1 << x) + x*x*x if x >= 0 else"
    text = f"map -2 <= x < 9: ({part} 0) + ({part} 5)"
    for target in ("python", "rust"):
        assert "t0" not in emit(parse(text), target)  # type: ignore[arg-type]
    space: dict[str, Any] = {}
    exec(emit(parse(text), "python"), space)
    assert [space["offset"](x) for x in (-2, -1, 0)] == [5, 5, 2]


@pytest.mark.parametrize("target", ["c", "cuda", "rust", "python", "numpy", "triton", "pallas"])
def test_definitions_without_a_use_are_code_as_well(target: Any) -> None:
    assert "x - 7" in emit(parse("map x < 3: t = 0; u = (5 // (x - 7)) * t; x in 3"), target)


def test_a_spelling_without_definitions_says_what_they_need() -> None:
    from symlayout.render.emit.affine import affine_text

    text = affine_text(read_map("map x < 4: t = 0; u = (5 // K) * t; x"))
    assert text == "affine_map<(d0)[K] -> (0 mod K + d0)>"
    assert prove.injective(text, where="K >= 0").counterexample.sizes["K"] == 0
    with pytest.raises(LayoutError, match="not an affine expression"):
        affine_text(read_map("map x < 4: t = 0; u = (5 // (x - 7)) * t; x"))


def runner(f: IndexFunction, name: str, code: str, points: list[tuple[list[int], Any]]) -> str:
    """A C function that compares what the code computes with what is expected."""
    kind = next(
        k
        for k in ("uint32_t", "int32_t", "int64_t")
        if f"{k} {name}(" in code or f"{k} out[" in code
    )
    lines = [code, f"int run_{name}(void) {{", "  int bad = 0;"]
    for arguments, expected in points:
        text = ", ".join(map(str, arguments))
        if f._guard is None and not f.tupled:
            lines.append(f"  bad |= {name}({text}) != ({kind}){expected[0]};")
            continue
        true = f"{name}({text}, out)" if f._guard is not None else f"({name}({text}, out), 1)"
        rows = [f"out[{k}] == ({kind}){x}" for k, x in enumerate(expected or ())]
        right = " && ".join(["r", *rows]) if expected is not None else "!r"
        lines.append(f"  {{ {kind} out[8]; int r = {true}; bad |= !({right}); }}")
    return "\n".join([*lines, "  return bad;", "}"])


@pytest.mark.explore
def test_compiled_code_does_not_trap_where_the_map_has_a_value(tmp_path: Path) -> None:
    compiler = next(filter(None, map(shutil.which, ("gcc", "cc", "clang"))), None)
    assert compiler is not None, "a C compiler is part of what the tests need"
    names, count = [], 0
    for seed in range(60):
        _, texts = drawn_claim(random.Random(f"definedness/{seed}").choice)
        f, m, name = parse(texts[0]), Plain.of(texts[0]), f"place{seed}"
        points = []
        for sizes in SIZES:
            try:
                places = list(m.places(sizes))
            except Undefined:
                continue
            for place in places:
                try:
                    points.append(([*place, *[sizes[n] for n in f.names]], m.at(place, sizes)))
                except Undefined:
                    continue
        where = ("K >= 0", "K <= 3") if "K" in f.names and seed % 2 else ()
        code = emit(f, "c", name=name, where=where)
        (tmp_path / f"{name}.c").write_text(runner(f, name, code, points))
        names.append(name)
        count += len(points)
    assert count > 300
    heads = [f"int run_{n}(void);" for n in names]
    calls = [f'  if (run_{n}()) puts("{n}");' for n in names]
    main = ["#include <stdio.h>", *heads, "int main(void) {", *calls, "  return 0;", "}"]
    (tmp_path / "main.c").write_text("\n".join(main))
    flags = ["-w", "-fsanitize=undefined", "-fno-sanitize-recover"]
    sources = sorted(map(str, tmp_path.glob("*.c")))
    binary = tmp_path / "all"
    subprocess.run([compiler, *flags, *sources, "-o", str(binary)], check=True, timeout=200)
    run = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
