"""What the modules behind `tests/test_hlo_memory.py` promise each other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from test_hlo_memory import FOLDERS, KEPT, report

from symlayout.__main__ import main
from symlayout.programs.hlo.assignment import read_assignment
from symlayout.programs.hlo.memory import footprint
from symlayout.programs.hlo.reader import read_module
from symlayout.text.lines import columns, in_bytes, in_units

COUNTS = json.loads((FOLDERS / "memory.json").read_text())

STORED = sorted(FOLDERS.glob("*/*after_optimizations.txt"))

# bytes of an entry in the table of a result, and the unit in which the compiler allocates
TABLES = {"cpu": (8, 1), "v3": (4, 1024), "v5e": (4, 512)}

# what the compiler has on top in loops: tables of tuples, and memories together
MORE = {"v3.scan": 3072, "v5e.while": 512, "v5e.scanoff": 3_720_704, "v5e.chained": -5120}


def table(name: str, pointers: int) -> int:
    entry, unit = TABLES[name.split(".")[0]]
    return -(-pointers * entry // unit) * unit


def beside(file: Path) -> str:
    return Path(f"{str(file).removesuffix('.txt')}-buffer-assignment.txt").read_text()


# -- stored dumps, and what the compiler says of them ---------------------------------------------


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_bytes_are_those_of_memory_analysis(file):
    name = file.parent.name
    made, counts = footprint(read_module(file.read_text())), COUNTS[name]
    if "error" in counts:  # it was compiled for 15.75 GiB
        assert made.spaces[0].needed > 15.75 * 2**30
        return
    assert made.arguments == counts["argument_size_in_bytes"]
    assert made.outputs + table(name, made.pointers) == counts["output_size_in_bytes"]
    assert made.host_arguments == counts["host_argument_size_in_bytes"]
    assert made.host_outputs == counts["host_output_size_in_bytes"]
    host = made.spaces[5].temporaries if 5 in made.spaces else 0
    assert host == counts["host_temp_size_in_bytes"]
    if not name.startswith("cpu"):  # on a CPU its peak has no temporaries
        needed = sum(s.needed for n, s in made.spaces.items() if n in (0, 1))
        theirs = counts["peak_memory_in_bytes"] - table(name, made.pointers)
        assert theirs - needed == MORE.get(name, 0)


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_needed_bytes_lie_below_what_the_compiler_allocates(file):
    """Constants, tables and gaps are all that is between them."""
    made, theirs = footprint(read_module(file.read_text())), read_assignment(beside(file))
    assert made.arguments == theirs.arguments
    for number, size in ((n, size) for n, size in theirs.spaces if size):
        space = made.spaces[number]
        assert space.needed <= size
        # tables lie 16 KiB apart
        assert size - space.needed <= max(size // 100, 20 * 16_384), number
        assert space.temporaries <= dict(theirs.temporaries).get(number, 0)


def test_an_out_of_memory_program_needs_what_the_compiler_says():
    (file,) = (FOLDERS / "v5e.oom").glob("*after_optimizations.txt")
    space = footprint(read_module(file.read_text())).spaces[0]
    assert "(33.88G) exceeds available HBM (15.75G)" in COUNTS["v5e.oom"]["error"]
    assert f"{space.needed / 2**30:.2f}" == "33.88"
    assert (space.needed, space.temporaries) == (36_373_038_592, 1_207_961_088)
    largest = [(b.maker, b.size, b.kind) for b in space.alive[:2]]
    assert largest == [("custom-call", 32 << 30, "output"), ("copy.13", 1 << 29, "temporary")]


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_who_is_alive_makes_up_the_peak(file):
    for space in footprint(read_module(file.read_text())).spaces.values():
        assert sum(b.size for b in space.alive) == space.peak == max(space.curve)
        assert space.temporaries <= space.needed
        assert space.peak <= space.needed
        assert [b.size for b in space.alive] == sorted((b.size for b in space.alive), reverse=True)


# -- what the text says, in all its forms ---------------------------------------------------------

HOST = "f32[6,100]{1,0:T(8,128)S(5)}"

DEVICE = "f32[6,100]{1,0:T(8,128)}"

SIZE = 8 * 128 * 4


@pytest.mark.parametrize(
    ("parameters", "root", "sides"),
    [
        ([DEVICE], ("copy(p0)", DEVICE), (SIZE, SIZE, 0, 0)),
        ([HOST], ("copy(p0)", DEVICE), (0, SIZE, SIZE, 0)),
        ([DEVICE], ("copy(p0)", HOST), (SIZE, 0, 0, SIZE)),
        ([DEVICE, HOST, HOST], ("copy(p0)", HOST), (SIZE, 0, 2 * SIZE, SIZE)),
        ([f"({DEVICE}, ({HOST}, {HOST}))"], ("get-tuple-element(p0), index=0", DEVICE),
         (SIZE, SIZE, 2 * SIZE, 0)),
        ([DEVICE, HOST], ("tuple(p0, p1, p1)", f"({DEVICE}, {HOST}, {HOST})"),
         (SIZE, SIZE, SIZE, 2 * SIZE)),
    ],
)  # fmt: skip
def test_the_host_s_memory_is_counted_apart(parameters, root, sides, tmp_path, capsys):
    lines = [f"  p{k} = {shape} parameter({k})" for k, shape in enumerate(parameters)]
    lines.append(f"  ROOT r = {root[1]} {root[0]}")
    text = "HloModule m, is_scheduled=true\n\nENTRY e {\n" + "\n".join(lines) + "\n}\n"
    made = footprint(read_module(text))
    got = made.arguments, made.outputs, made.host_arguments, made.host_outputs
    assert got == sides
    file = tmp_path / "m.hlo"
    file.write_text(text)
    assert main(["check", str(file), "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert ("host memory, S(5): arguments" in out) is (sides[2:] != (0, 0))
    assert main(["check", str(file), "--no-cache", "--json"]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    assert (module["host_arguments"], module["host_outputs"]) == sides[2:]


SAID = """HloModule m, is_scheduled=true
mix { a = f32[1024]{0:T(1024)} parameter(0) b = f32[1024]{0:T(1024)} parameter(1)
  c = f32[1024]{0:T(1024)} reverse(a), dimensions={0} ROOT d = f32[1024]{0:T(1024)} add(c, b) }
ENTRY e { p = f32[1024]{0:T(1024)} parameter(0)
  x = f32[1024]{0:T(1024)SPACE} reverse(p), dimensions={0}
  y = f32[1024]{0:T(1024)SPACE} reverse(p), dimensions={0}
  z = f32[1024]{0:T(1024)SPACE} OPERATION
  ROOT w = f32[1024]{0:T(1024)} reverse(z), dimensions={0}
}"""

MIX = "fusion(x, y), kind=kLoop, calls=mix"

CONFIG = ', backend_config={"a":1,"aliasing_operands":{"lists":[%s]},"b":[]}'


@pytest.mark.parametrize(
    ("space", "operation", "arrays"),
    [
        # by its instructions: over y in the main memory, over nothing in the others
        ("", MIX, 2),
        ("S(1)", MIX, 3),
        ("S(1)", "add(x, y)", 3),
        # as the compiler says
        ("S(1)", MIX + CONFIG % '{"indices":["1","2"]}', 2),
        ("S(1)", MIX + CONFIG % '{"indices":["0","1","2"]}', 2),
        ("S(1)", MIX + CONFIG % "", 3),
        ("", "fusion(x, y), kind=kOutput, calls=mix", 3),
        ("", "fusion(x, y), kind=kOutput, calls=mix" + CONFIG % '{"indices":["0","2"]}', 2),
        # numbers that are of no operand, or of no result
        ("S(1)", MIX + CONFIG % '{"indices":["7","9"]}', 3),
        ("S(1)", MIX + CONFIG % '{"indices":["0","1"]}', 3),
    ],
)
def test_results_lie_over_operands_where_the_compiler_says_so(space, operation, arrays):
    text = SAID.replace("SPACE", space).replace("OPERATION", operation)
    made = footprint(read_module(text))
    number = 1 if space else 0
    assert made.spaces[number].temporaries == arrays * 4096


STARTED = """HloModule m, is_scheduled=true
update { a = f32[1000]{0} parameter(0) b = f32[10]{0} parameter(1) c = s32[] parameter(2)
  ROOT d = f32[1000]{0} dynamic-update-slice(a, b, c) }
twice { a = f32[1000]{0} parameter(0) b = f32[10]{0} parameter(1) c = s32[] parameter(2)
  ROOT d = f32[1000]{0} fusion(a, b, c), kind=kLoop, calls=update }
other { a = f32[1000]{0} parameter(0) b = f32[10]{0} parameter(1) c = s32[] parameter(2)
  d = f32[1000]{0} dynamic-update-slice(a, b, c) ROOT e = f32[1000]{0} reverse(d), dimensions={0} }
mine { a = f32[1000]{0} parameter(0) b = f32[10]{0} parameter(1) c = s32[] parameter(2)
  ROOT d = f32[1000]{0} custom-call(a, b, c), custom_call_target="mine" }
ENTRY e { x = f32[1000]{0:S(5)} custom-call(), custom_call_target="AllocateBuffer"
  y = f32[10]{0} parameter(0) z = s32[] parameter(1)
  S = ((f32[1000]{0:S(5)}, f32[10]{0}, s32[]), f32[1000]{0:S(5)}, u32[]) START
  BETWEEN
  D = f32[1000]{0:S(5)} DONE
  w = f32[10]{0:S(5)} custom-call(D, READ), custom_call_target="mine"
  ROOT v = f32[10]{0} copy(w)
}"""

PLAIN = ("dynamic-update-slice-start(x, y, z)", "dynamic-update-slice-done(s)")

ASYNC = ("async-start(x, y, z), calls=%s", "async-done(s), calls=%s")


@pytest.mark.parametrize(
    ("start", "done", "between", "read", "arrays"),
    [
        (*PLAIN, "", "y", 1),
        (ASYNC[0] % "update", ASYNC[1] % "update", "", "y", 1),
        (ASYNC[0] % "twice", ASYNC[1] % "twice", "", "y", 1),
        # what is written over is read once more: beside what it becomes, or later
        (*PLAIN, "q = f32[10]{0} custom-call(x), custom_call_target=g", "y", 2),
        (*PLAIN, "", "x", 2),
        # the result is the operand in another order
        (ASYNC[0] % "other", ASYNC[1] % "other", "", "y", 2),
        # an operation that writes nothing in place
        ("async-start(x, y, z), calls=mine", "async-done(s), calls=mine", "", "y", 2),
    ],
)
def test_an_update_that_runs_apart_is_made_in_place(start, done, between, read, arrays):
    text = STARTED.replace("START", start).replace("DONE", done).replace("BETWEEN", between)
    text = text.replace("READ", read).replace("S = ", "s = ").replace("D = ", "d = ")
    text = text.replace("(D, ", "(d, ")
    module = read_module(text)
    assert module.problems == ()
    assert footprint(module).spaces[5].peak // 4000 == arrays


@pytest.mark.parametrize(
    ("shape", "size", "wasted"),
    [
        ("s4[256,100]{1,0:T(8,128)(4,1)}", 256 * 128, 256 * 28),
        ("u4[256,100]{1,0:T(8,128)(4,1)}", 256 * 128, 256 * 28),
        ("s4[256,100]{1,0:T(8,128)(8,1)E(4)}", 256 * 64, 256 * 14),
        ("s2[256,100]{1,0:T(16,128)(16,1)E(2)}", 256 * 32, 256 * 7),
        ("s4[256,100]{1,0:E(4)}", 256 * 50, 0),
        ("pred[256,100]{1,0:T(8,128)(4,1)}", 256 * 128, 256 * 28),
    ],
)
def test_small_elements_take_a_byte_where_nothing_packs_them(shape, size, wasted, tmp_path, capsys):
    text = f"HloModule m\n\nENTRY e {{\n  ROOT p = {shape} parameter(0)\n}}\n"
    made = footprint(read_module(text))
    assert (made.arguments, made.spaces[0].wasted) == (size, wasted)
    out = report(tmp_path, capsys, text)
    assert (f"{size:,}     1     4  {shape}" in out) is (wasted > 0)
    assert "E(8)" not in out


@pytest.mark.parametrize(
    ("last", "plain", "tiled"),
    [
        # the peak, the most of temporaries, what is needed with them, each in arrays of 1,024: the
        # place of a result is used before where no tiles are
        ("reverse(c), dimensions={0}", (5, 3, 5), (5, 4, 6)),
        ("custom-call(b, c), custom_call_target=g", (6, 4, 6), (6, 5, 7)),
        ("custom-call(b), custom_call_target=g", (6, 4, 6), (6, 5, 7)),
        ("custom-call(a, c), custom_call_target=g", (5, 4, 6), (5, 4, 6)),
        ("custom-call(a, b, c), custom_call_target=g", (7, 5, 7), (7, 5, 7)),
    ],
)
def test_needed_is_fixed_bytes_and_the_most_of_temporaries(last, plain, tiled):
    for layout, wanted in (("{0}", plain), ("{0:T(1024)}", tiled)):
        text = KEPT.replace("LAST", last).replace("LAYOUT", layout)
        space = footprint(read_module(text)).spaces[0]
        got = space.peak, space.temporaries, space.needed
        assert got == tuple(4096 * n for n in wanted), layout


@pytest.mark.parametrize("size", [10, 10_000, 10_000_000, 10_000_000_000, 10_000_000_000_000])
@pytest.mark.parametrize("sign", ["", "%"])
def test_columns_never_run_together(size, sign, tmp_path, capsys):
    shape = f"f32[{size},3]{{1,0:T(8,128)}}"
    text = (
        f"HloModule m, is_scheduled=true\n\nENTRY e {{\n  {sign}x = {shape} parameter(0)\n"
        f"  ROOT {sign}y = {shape} negate({sign}x)\n}}\n"
    )
    out = report(tmp_path, capsys, text)
    rows = -(-size // 8) * 8 * 128 * 4
    (head,) = (line for line in out.splitlines() if line.startswith("  space"))
    (row,) = (line for line in out.splitlines() if line.startswith("  S(0) HBM"))
    cells = re.split(r"  +", row.strip())
    waste = 2 * (rows - size * 12)
    factor = f"{rows / (size * 12):.2f}"
    numbers = [f"{2 * rows:,}", f"{waste:,}", factor, "2", f"{2 * rows:,}", f"{2 * rows:,}"]
    assert cells == ["S(0) HBM", *numbers, f"{sign}y"]
    assert head.index("needed") + len("needed") == row.index(f"  {sign}y")
    (row,) = (line for line in out.splitlines() if re.match(rf"  +{waste:,} ", line))
    assert re.split(r"  +", row.strip()) == [f"{waste:,}", factor, f"{rows:,}", "2", "4", shape]
    assert f"made by parameter {sign}x, read by negate {sign}y" in out
    assert f"peak of S(0) in {tmp_path / 'm.hlo'}, at {sign}y:" in out
    unit = in_units(rows)
    assert re.search(rf"^  {rows:,}  {unit}  argument  {sign}x  ", out, re.M)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1,023 bytes"),
        (1024, "1,024 bytes (1.0 KiB)"),
        (1_048_575, "1,048,575 bytes (1,024.0 KiB)"),
        (1_048_576, "1,048,576 bytes (1.0 MiB)"),
        (36_373_038_592, "36,373,038,592 bytes (33.9 GiB)"),
        (5 << 40, "5,497,558,138,880 bytes (5.0 TiB)"),
        (5 << 60, "5,764,607,523,034,234,880 bytes (5,120.0 PiB)"),
    ],
)
def test_bytes_have_units(number, words):
    assert in_bytes(number) == words


def test_columns_are_as_wide_as_their_cells():
    lines = columns([("a", "b", "c"), ("long", "1", "x"), ("", "1,000", "")], frozenset({0, 2}))
    assert lines == ["a         b  c", "long      1  x", "      1,000"]


@pytest.mark.parametrize(
    ("line", "key", "offset"),
    [
        ("value: <48 fusion @1> (size=4,offset=64): f32[1]{0}", ("fusion", ()), 64),
        ("value: <4 w.1{2} (phi) @0> (size=4,offset=8): f32[1]{0}", ("w.1", (2,)), 8),
        ("value: <4 a{} @0> (size=4,offset=0): (f32[1]{0})", ("a", ()), 0),
        ("value: <4 a{1,0} @0> (size=4,offset=512): f32[1]{0}", ("a", (1, 0)), 512),
        ("value: <4 a-b_c @6> (size=4,offset=5): f32[1]{0}", ("a-b_c", ()), 5),
        ("value: of something else", None, None),
    ],
)
def test_values_of_an_assignment(line, key, offset):
    text = "BufferAssignment:\nallocation 0: size 90, color 1, page 0, preallocated-temp:\n "
    made = read_assignment(text + line + "\n")
    assert made.offsets == ({} if key is None else {key: offset})
    assert made.temporaries == ((1, 90),)
    assert read_assignment(text.replace("preallocated-temp", "constant") + line).offsets == {}
