"""Maps of every operation, on negative values too: what is read, printed and emitted is one map."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from contextlib import suppress
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from maps_random import Text
from soundness import doors, drawing

from symlayout import LayoutError, parse
from symlayout.expr.terms import value
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import read_map
from symlayout.render.emit import emit

SEEDS = st.integers(0, 2**32)
FAR = 2**60  # what is computed on the way stays in 64 bits


def drawn(seed: int) -> tuple[Text, IndexFunction] | None:
    """A map and its reading; None for one that is refused, as one that always divides by 0."""
    made = Text(random.Random(seed))
    try:
        return made, read_map(made.text, "python")
    except LayoutError as error:
        if error.code not in ("SL200", "SL202", "SL204"):
            raise
        return None


def computed(f: IndexFunction, point: tuple[int, int, int]) -> tuple[int, ...] | str | None:
    i, j, n = point
    try:
        return f.at((i, j), {"N": n}) if f.has((i, j), {"N": n}) else None
    except LayoutError as error:
        if error.code != "SL202":
            raise
        return "undefined"


@given(SEEDS)
@settings(max_examples=80, deadline=None)
def test_a_map_is_what_python_computes_and_reads_back_from_its_print(seed):
    both = drawn(seed)
    if both is None:
        return
    made, f = both
    back = read_map(str(f), "python")
    assert str(back) == str(f), made.text
    for p in made.points():
        wanted = made.at(p)
        assert computed(f, p) == wanted, (made.text, p)
        assert computed(back, p) == wanted, (str(f), p)


@given(SEEDS)
@settings(max_examples=80, deadline=None)
def test_python_code_computes_a_map(seed):
    both = drawn(seed)
    if both is None:
        return
    made, f = both
    space: dict[str, Any] = {}
    with suppress(LayoutError):  # it divides by 0 everywhere
        exec(emit(f, "python"), space)
    for p in made.points() if space else ():
        wanted = made.at(p)
        if wanted != "undefined":
            given_back = space["offset"](*p)
            single = wanted is not None and not f.tupled
            assert ((given_back,) if single else given_back) == wanted, (made.text, p)


def called(f: IndexFunction, name: str, code: str, point: tuple[int, int, int]) -> str:
    """C that prints the results at a point."""
    head = re.search(rf"{name}\((.*?)\)", code)
    assert head is not None
    words = [p.split()[-1].strip("*") for p in head[1].split(",")]
    numbers = [f"{dict(zip('ijN', point))[w]}LL" for w in words if w in "ijN"]
    if f.guard is None and not f.tupled:
        return f'  printf("%lld\\n", (long long){name}({", ".join(numbers)}));'
    call = f"{name}({', '.join([*numbers, 'out'])})"
    prints = "".join(f'printf("%lld ", (long long)out[{n}]); ' for n in range(len(f.results)))
    if f.guard is None:
        return f'  {call}; {prints}printf("\\n");'
    return f'  if ({call}) {{ {prints}}} else printf("none"); printf("\\n");'


@pytest.mark.explore
def test_c_code_computes_maps_without_undefined_behaviour(tmp_path: Path) -> None:
    helpers, bodies = dict[str, None](), list[str]()
    calls, wanted = list[list[str]](), list[str]()
    for k in range(110):
        both = drawn(k)
        if both is None:
            continue
        made, f = both
        try:
            code = emit(f, "c", name=f"place{k}")
        except LayoutError as error:
            if error.code not in ("SL202", "SL401", "SL600"):
                raise
            continue
        code = re.sub(r"#include <\w+\.h>\n", "", code)
        for helper in re.findall(r"static inline int64_t [a-z_]+\(int64_t a.*?\n?\}\n", code, re.S):
            helpers[helper] = None
            code = code.replace(helper, "")
        bodies.append(code)
        calls.append([])
        for p in made.points():
            row = made.at(p)
            if row == "undefined" or (row and max(map(abs, row)) > FAR):
                continue
            calls[-1].append(called(f, f"place{k}", code, p))
            wanted.append("none" if row is None else " ".join(map(str, row)))
    assert len(bodies) > 70
    parts = [
        "\n".join([f"void part{k}(void) {{", "  int64_t out[2]; (void)out;", *c, "}"])
        for k, c in enumerate(calls)
    ]
    main = ["int main(void) {", *[f"  part{k}();" for k in range(len(parts))], "  return 0;", "}"]
    heads = [f"#include <{h}.h>" for h in ("stdint", "stdbool", "stdio")]
    source, binary = tmp_path / "maps.c", tmp_path / "maps"
    source.write_text("\n".join([*heads, *helpers, *bodies, *parts, *main]))
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    assert compiler is not None, "a C compiler is part of what the tests need"
    flags = ["-std=c99", "-w", "-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run([compiler, *flags, str(source), "-o", str(binary)], check=True, timeout=200)
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.strip() for line in done.stdout.splitlines()] == wanted


@pytest.mark.parametrize("name", drawing.NOTATIONS)
def test_a_layout_of_every_notation_reads_back_from_its_print(name):
    rng, seen = random.Random(f"print/{name}"), 0
    for _ in range(30):
        text = drawing.NOTATIONS[name](rng, drawing.shape(rng), rng.choice(drawing.DTYPES)).text
        first = parse(text)
        back = parse(str(first))
        assert str(back) == str(first), text
        m, n = first.index_map(), back.index_map()
        sizes = {s: rng.randint(1, 5) for s in dict.fromkeys([*m.symbols, *n.symbols])}
        with suppress(LayoutError):  # something divides by 0
            sides = [value(d, sizes) for d in m.shape]
            assert [value(d, sizes) for d in n.shape] == sides, text
            if not all(d >= 0 for d in sides) or prod(sides) > 500:
                continue
            offsets = [m.reference(p, sizes) for p in product(*map(range, sides))]
            assert [n.reference(p, sizes) for p in product(*map(range, sides))] == offsets, text
            assert value(n.size, sizes) == value(m.size, sizes), text
            seen += 1
    assert seen >= 10


@pytest.mark.parametrize("name", doors.FUNCTIONS)
def test_a_function_of_every_notation_reads_back_from_its_print(name):
    for seed in range(60):
        f = doors.FUNCTIONS[name](random.Random(f"print/{seed}"))
        back = parse(str(parse(f.text)))
        assert str(back) == str(parse(f.text))
        points = [p for p in product(*f.domain) if f.keeps(p)]
        assert list(back.points(f.sizes)) == points, f.text
        assert [back.at(p, f.sizes) for p in points] == [f.at(p) for p in points], f.text
