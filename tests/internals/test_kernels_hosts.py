"""Host code is run, and what the reader says of its launches is held against what it passed."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import hosts_c_random
import pytest
from hosts_random import HEAD, HELPERS, KERNEL, Hosts, seen

from symlayout.checks.kernel_files import Reader
from symlayout.checks.reading import NOWHERE
from symlayout.programs.kernels import triton
from symlayout.programs.kernels.launches.launch import Launch, launch_of
from symlayout.programs.kernels.values import Block, Opaque

BEFORE = HEAD + KERNEL + HELPERS
MEANING = {"ceildiv": lambda a, b: -(-a // b), "min": min, "max": max}
PROGRAMS = 60


def launches(text: str) -> dict[int, Launch]:
    """The launches of the kernel by their lines."""
    calls = Reader("k.py", text, NOWHERE).calls
    names, pointers = ["x_ptr", "y_ptr", "n", "m", "B"], ["x_ptr", "y_ptr"]
    return {c.line: launch_of(c, names, pointers) for c in calls}


def disagreement(known: dict[int, Launch], host: str, random: Random) -> str:
    """What is said of a launch and is not so when it runs; "" for nothing."""
    for line, grid, given in seen(BEFORE, host, random):
        said = known[line]
        whole = all(type(v) in (int, bool) and v >= 0 for v in (*given.values(), *grid))
        if said.why or said.grid is None or not whole:
            continue
        sizes = [(n.text({}), v) for n, v in zip(said.grid, grid)]
        sizes = [(t, v) for t, v in sizes if not t.startswith("grid")]
        for text in [*[f.text for f in said.facts], *[f"{t} == {int(v)}" for t, v in sizes]]:
            if not eval(text, dict(MEANING), given):
                return f"line {line}: {text} with {given}"
    return ""


@pytest.mark.sample(1)
@pytest.mark.parametrize("part", range(5))
def test_what_is_said_of_launches_is_so_when_they_run(part: int) -> None:
    for seed in range(part * PROGRAMS, (part + 1) * PROGRAMS):
        host = Hosts(seed).function()
        try:
            compile(host, "host", "exec")
        except SyntaxError:
            continue
        known, random = launches(BEFORE + host), Random(seed)
        for _ in range(12):
            assert disagreement(known, host, random) == "", f"{seed}\n{host}"


LAST = "    copy[(a,)](x, y, b, a, 4)\n"
ANOTHER_VALUE = {
    "an import": "    a = 64\n    import five as a\n",
    "an import from": "    a = 64\n    from five import five as a\n",
    "an exception": "    a = 64\n    try:\n        pass\n    except E as a:\n        pass\n",
    "a class": "    a = 64\n    class a:\n        pass\n",
    "a coroutine": "    a = 64\n    async def a():\n        pass\n",
    "a pattern": "    a = 64\n    match b:\n        case a:\n            pass\n",
    "a rest": "    a = 64\n    match b:\n        case {**a}:\n            pass\n",
    "a deletion": "    a = 64\n    del a\n",
    "a function inside": "    a = 64\n    def f():\n        nonlocal a\n        a = b\n    f()\n",
    "one side": "    if b and (a := 64):\n        pass\n",
    "one way": "    k = (a := 64) if b else 3\n",
    "the end of a chain": "    k = 1 < b < (a := 64)\n",
    "a comprehension": "    a = 64\n    k = [(a := j) for j in b]\n",
    "what is caught": "    with suppress(E):\n        a = f(b)\n        a = 64\n",
    "an argument": "    a = 64\n    f(*[a := b])\n",
    "what chooses": "    a = b or 64\n",
}


@pytest.mark.parametrize("case", ANOTHER_VALUE)
def test_a_name_that_may_have_another_value_is_no_number(case: str) -> None:
    host = f"def run(x, y, a, b, c, d):\n{ANOTHER_VALUE[case]}{LAST}"
    (said,) = launches(BEFORE + host).values()
    assert said.grid is not None
    assert "64" not in str(said), said


def test_what_is_asserted_where_it_is_caught_is_no_fact() -> None:
    host = "def run(x, y, a, b, c, d):\n    with suppress(E):\n        assert a == 64\n"
    (said,) = launches(BEFORE + host + LAST).values()
    assert [f.text for f in said.facts] == ["B == 4"]
    (said,) = launches(BEFORE + host.replace("suppress(E)", "torch.no_grad()") + LAST).values()
    assert "m == 64" in [f.text for f in said.facts]


def test_functions_see_their_own_variables() -> None:
    grid = "def of(meta):\n    return (a,)\n"
    host = "def run(x, y, a, b, c, d):\n    copy[of](x, y, a, b, 4)\n"
    (said,) = launches(BEFORE + grid + host).values()
    assert str(said).split(": ")[1].startswith("grid (grid0)")
    host = host.replace("[of]", "[lambda meta: (a,)]")
    (said,) = launches(BEFORE + grid + host).values()
    assert str(said).split(": ")[1].startswith("grid (n)")


def test_a_helper_that_gives_names_values_is_followed() -> None:
    helper = "def up(p, q):\n    k = p + q\n    k = k - 1\n    return k // q\n"
    host = "def run(x, y, a, b, c, d):\n    copy[(up(a, 8),)](x, y, a, b, 4)\n"
    (said,) = launches(BEFORE + helper + host).values()
    assert str(said).split(": ")[1].startswith("grid (ceildiv(n, 8))")
    (said,) = launches(BEFORE + "@cached\n" + helper + host).values()
    assert str(said).split(": ")[1].startswith("grid (grid0)")


def test_what_autotune_chooses_has_no_default() -> None:
    tuned = '@triton.autotune([triton.Config({"B": 128})])\n' + KERNEL
    host = "def run(x, y, a, b, c, d):\n    copy[(a,)](x, y, a, b)\n"
    (said,) = launches(BEFORE + host).values()
    assert "B == 5" in [f.text for f in said.facts]
    (said,) = launches(HEAD + tuned + host).values()
    assert said.facts == ()


def test_methods_are_no_functions_of_the_language() -> None:
    host = "def run(x, y, a, b, c, d):\n    k = d.min(a, 4)\n    copy[(k,)](x, y, a, b, 4)\n"
    (said,) = launches(BEFORE + host).values()
    assert str(said).split(": ")[1].startswith("grid (grid0)")
    (said,) = launches(BEFORE + host.replace("d.min", "min")).values()
    assert str(said).split(": ")[1].startswith("grid (min(n, 4))")
    brought = "from torch import min\n" + host.replace("d.min", "min")
    (said,) = launches(BEFORE + brought).values()
    assert str(said).split(": ")[1].startswith("grid (grid0)")


CUDA = "__global__ void copy(float* x, {}) {{ int i = threadIdx.x; if (i < n) x[i] = 0; }}\n"
C_HOSTS = {  # what a host does, the kernel's parameter, what is passed, and what it is
    "a static variable": ("static int k = 6; k += m;", "int n", "k", None),
    "a static constant": ("static const int k = 6;", "int n", "k", 6),
    "a truth value": ("bool k = 10;", "int n", "k / 4 + 5", 5),
    "another truth value": ("bool k = m; k = 8;", "int n", "k * 3", 3),
    "a cast to a truth value": ("", "int n", "bool(10) + 4", 5),
    "a small parameter": ("", "short n", "70000", None),
    "a parameter that is true": ("", "bool n", "4", None),
    "a small number": ("", "uint8_t n", "200", 200),
    "below 0 without a sign": ("", "unsigned n", "-3", None),
    "below 0": ("", "int n", "-3", -3),
    "octal": ("", "int n", "010", 8),
    "binary": ("", "int n", "0b11", 3),
}


@pytest.mark.parametrize("case", C_HOSTS)
def test_numbers_of_c_are_those_that_the_kernel_gets(case: str) -> None:
    body, parameter, passed, number = C_HOSTS[case]
    host = f"void run(float* a, int m) {{ {body} copy<<<4, 64>>>(a, {passed}); }}\n"
    reader = Reader("k.cu", CUDA.format(parameter) + host, NOWHERE)
    (node,) = reader.kernels().values()
    (said,) = reader.launches(node, reader.read(node))
    assert [f.text for f in said.facts] == ([] if number is None else [f"n == {number}"])


TWICE = ("match f():\n    case K:\n        pass\n", "import f as K\n", "for K in f:\n    pass\n")


@pytest.mark.parametrize("again", TWICE)
def test_a_name_of_the_file_that_gets_two_values_is_no_number(again: str) -> None:
    assert isinstance(triton.read_module("K = 4\n").values["K"], Block)
    assert isinstance(triton.read_module(f"K = 4\n{again}").values["K"], Opaque)


def holds(text: str, meaning: dict[str, Any], given: dict[str, int]) -> bool:
    """Whether it is true, as far as it has a value."""
    try:
        return bool(eval(text, meaning, given))
    except ZeroDivisionError:
        return True  # the compiler may take what is not defined for anything


LINES = (hosts_c_random.KERNEL + hosts_c_random.HELPERS).count("\n")


@pytest.mark.explore
def test_what_is_said_of_launches_in_c_is_so_when_they_run(tmp_path: Path) -> None:
    functions = {seed: hosts_c_random.Hosts(seed).function("run") for seed in range(150)}
    known: dict[tuple[int, int], Launch] = {}
    for seed, host in functions.items():
        reader = Reader("k.cu", hosts_c_random.KERNEL + hosts_c_random.HELPERS + host, NOWHERE)
        for c in reader.calls:
            said = launch_of(c, ["x", "y", "n", "m", "k", "s", "f"], ["x", "y"], ["k"])
            known[seed, c.line - LINES] = said
    meaning = dict(MEANING) | {"truncdiv": lambda a, b: int(a / b)}
    meaning |= {"truncmod": lambda a, b: a - b * int(a / b)}
    for seed, (line, *row) in hosts_c_random.seen(functions, tmp_path):
        said, given = known[seed, line], dict(zip("nmksf", row[6:]))
        if said.why or any(not 0 <= v < 1 << 20 for v in row):
            continue
        texts = [f.text for f in said.facts]
        for word, sizes, found in (("grid", said.grid, row[:3]), ("block", said.block, row[3:6])):
            for k, v in enumerate(found):
                text = sizes[k].text({}) if sizes is not None and k < len(sizes) else "1"
                texts += [] if text.startswith(word) else [f"{text} == {v}"]
        for text in texts:
            why = f"{text} with {given}, line {line}\n{functions[seed]}"
            assert holds(text, meaning, given), why


def test_what_an_expression_reads_and_changes_has_no_order() -> None:
    kernel = CUDA.format("int n, int m")
    for second, wanted in (("(k = 5) ? k : k", []), ("m ? k : k", ["m == n"])):
        host = f"void run(float* a, int m) {{ int k = m * m; copy<<<4, 64>>>(a, k, {second}); }}\n"
        (call,) = Reader("k.cu", kernel + host, NOWHERE).calls
        assert [f.text for f in launch_of(call, ["x", "n", "m"], ["x"]).facts] == wanted
