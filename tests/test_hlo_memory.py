"""Memory as compilers count it: needed bytes, the host's part, who is alive at the peak, columns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symlayout import hlo
from symlayout.__main__ import main

FOLDERS = Path(__file__).parent / "data" / "dumps" / "folders"

KEPT = """HloModule m, is_scheduled=true
ENTRY e {
  p = f32[1024]LAYOUT parameter(0)
  a = f32[1024]LAYOUT reverse(p), dimensions={0}
  b = f32[3072]LAYOUT custom-call(a), custom_call_target=g
  c = f32[1024]LAYOUT reverse(a), dimensions={0}
  ROOT d = f32[1024]LAYOUT LAST
}"""

# -- the report -----------------------------------------------------------------------------------


def report(tmp_path, capsys, text, *options):
    file = tmp_path / "m.hlo"
    file.write_text(text)
    main(["check", str(file), "--no-cache", *options])
    return capsys.readouterr().out


def test_the_list_of_the_peak_needs_no_padding_and_has_a_length(tmp_path, capsys):
    text = KEPT.replace("LAST", "custom-call(p, a, b, c), custom_call_target=g")
    text = text.replace("LAYOUT", "{0}")
    out = report(tmp_path, capsys, text, "--top", "2")
    assert "padding of" not in out
    lines = out.partition("m.hlo, at d:\n")[2].splitlines()
    assert lines[0] == "  12,288  12.0 KiB  temporary  b  f32[3072]{0}"
    assert lines[2] == "  and 3 more with 12,288 bytes (12.0 KiB)"
    assert "alive at" not in report(tmp_path, capsys, text, "--top", "0")
    assert "alive at" not in report(tmp_path, capsys, text.replace("is_scheduled=true", ""))


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("v5e.scan", ["S(0) HBM", "S(1) VMEM", "S(2) semaphores", "S(6) scalars"]),
        ("v5e.offload", ["S(0) HBM", "S(1) VMEM", "S(2) semaphores", "S(5) host"]),
        ("v3.scan", ["S(0) HBM", "S(6) scalars"]),
        ("cpu.scan", ["S(0)"]),
    ],
)
def test_memories_have_names(file, words, capsys):
    assert main(["check", str(FOLDERS / file), "--no-cache"]) == 0
    out = capsys.readouterr().out
    rows = [
        re.split("  +", line.strip())[0]
        for line in out.splitlines()
        if re.match(r"  S\(\d\)( \w+)?  ", line)
    ]
    assert rows == words


def test_offsets_and_gaps_of_the_assignment(capsys):
    assert main(["check", str(FOLDERS / "v5e.oom"), "--no-cache", "--top", "4"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"%copy\.13 +at 536,870,912  f32\[16384,8192\]", out)
    assert re.search(r"%copy\.15 +at 0 +f32\[16384,8192\]", out)
    lost = "temporaries take 1,207,976,448 bytes (1.1 GiB), of which 15,360 bytes (15.0 KiB) are"
    assert lost in out
    whole = "allocates 36,373,057,024 bytes (33.9 GiB) in S(0); 36,373,038,592 are needed (100.0 %)"
    assert whole in out
    assert main(["check", str(FOLDERS / "v5e.oom"), "--no-cache", "--json"]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    rows = {b["name"]: b.get("offset") for b in module["spaces"]["0"]["alive"]}
    assert (rows["copy.13"], rows["copy.15"], rows["custom-call"]) == (536_870_912, 0, None)
    assert module["compiler"]["temporaries"] == {"0": 1_207_976_448, "1": 32_768, "6": 512}


# -- what only changes a layout -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "operation", "moves"),
    [
        # reshapes that leave every byte where it is
        ("f32[8,128]{1,0}", "f32[1024]{0}", "reshape(x)", False),
        ("f32[16,128]{1,0:T(8,128)}", "f32[2,8,128]{2,1,0:T(8,128)}", "reshape(x)", False),
        ("f32[8,1,128]{2,1,0}", "f32[8,128]{1,0}", "reshape(x)", False),
        ("f32[4,6]{0,1}", "f32[2,2,6]{1,0,2}", "reshape(x)", False),
        ("f32[8,128]{0,1}", "f32[1024]{0}", "reshape(x)", True),
        ("f32[7,128]{1,0:T(8,128)}", "f32[896]{0:T(1024)}", "reshape(x)", False),
        ("f32[7,100]{1,0:T(8,128)}", "f32[700]{0:T(1024)}", "reshape(x)", True),
        ("f32[4,6]{0,1}", "f32[2,2,6]{0,1,2}", "reshape(x)", True),
        ("f32[16,64]{1,0:T(8,128)}", "f32[8,128]{1,0:T(8,128)}", "reshape(x)", True),
        # transposes
        ("f32[4,6]{1,0}", "f32[6,4]{0,1}", "transpose(x), dimensions={1,0}", False),
        ("f32[4,6]{1,0}", "f32[6,4]{1,0}", "transpose(x), dimensions={1,0}", True),
        ("f32[4,4]{1,0}", "f32[4,4]{1,0}", "transpose(x), dimensions={1,0}", True),
        ("f32[4,1,6]{2,1,0}", "f32[1,4,6]{2,1,0}", "transpose(x), dimensions={1,0,2}", False),
        ("f32[4,5,6]{2,1,0}", "f32[5,6,4]{1,0,2}", "transpose(x), dimensions={1,2,0}", False),
        ("f32[4,5,6]{2,1,0}", "f32[6,4,5]{1,0,2}", "transpose(x), dimensions={2,0,1}", True),
        # copies
        ("f32[4,6]{1,0}", "f32[4,6]{0,1}", "copy(x)", True),
        ("f32[1,6]{1,0}", "f32[1,6]{0,1}", "copy(x)", False),
        ("f32[4,6]{1,0}", "f32[4,6]{1,0:S(1)}", "copy(x)", False),
        # fusions of them
        ("f32[8,128]{1,0}", "f32[1024]{0}", "fusion(x), kind=kLoop, calls=still", False),
        ("f32[4,6]{1,0}", "f32[6,4]{1,0}", "fusion(x), kind=kLoop, calls=turned", True),
    ],
)
def test_only_what_moves_bytes_is_listed(source, target, operation, moves, tmp_path, capsys):
    text = (
        "HloModule m\n\nstill { p = f32[8,128]{1,0} parameter(0) "
        "ROOT q = f32[1024]{0} reshape(p) }\nturned { p = f32[4,6]{1,0} parameter(0) "
        "ROOT q = f32[6,4]{1,0} transpose(p), dimensions={1,0} }\n"
        f"ENTRY e {{\n  x = {source} parameter(0)\n  ROOT y = {target} {operation}\n}}\n"
    )
    out = report(tmp_path, capsys, text)
    assert ("only changes layouts" in out) is moves
    if operation == "reshape(x)":  # what `prove bitcast` says of it
        assert main(["prove", "instruction", f"{target} bitcast({source})"]) == 0 or moves


# -- differences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("top", "cut"), [("0", 20), ("5", 15), ("12", 8), ("20", 0), ("99", 0)])
def test_a_difference_says_what_it_cut(top, cut, tmp_path, capsys):
    lines = "".join(f"  x{k} = f32[{k + 8},128]{{1,0}} parameter({k})\n" for k in range(20))
    new = re.sub(r" (x\d+) = (\S+?)\{1,0\} parameter\((\d+)\)",
                 r" \1 = \2{0,1} parameter(\3)", lines)  # fmt: skip
    for name, body in (("a.hlo", lines), ("b.hlo", new)):
        copies = "".join(f"  c{k} = f32[{k + 8},128]{{1,0}} copy(x{k})\n" for k in range(20))
        (tmp_path / name).write_text(f"HloModule m\n\nENTRY e {{\n{body}{copies}}}\n")
    paths = str(tmp_path / "a.hlo"), str(tmp_path / "b.hlo")
    assert main(["diff", *paths, "--top", top]) == 0
    out = capsys.readouterr().out
    if cut:
        assert f"... and {cut} changes more: --top 20 shows all" in out
        assert f"... and {cut} copies that came more: --top 20 shows all" in out
    else:
        assert "--top" not in out
    assert out.count("copy came: ") == 20 - cut
    assert main(["diff", *paths, "--top", "many"]) == 2
    assert "--top" in capsys.readouterr().err
    if top == "12":
        assert main(["diff", *paths]) == 0
        assert capsys.readouterr().out == out


COUNTS = json.loads((FOLDERS / "memory.json").read_text())

STORED = sorted(FOLDERS.glob("*/*after_optimizations.txt"))

# bytes of an entry in the table of a result, and the unit in which the compiler allocates
TABLES = {"cpu": (8, 1), "v3": (4, 1024), "v5e": (4, 512)}

# what the compiler has on top in loops: tables of tuples, and memories together
MORE = {"v3.scan": 3072, "v5e.while": 512, "v5e.scanoff": 3_720_704, "v5e.chained": -5120}


def table(name: str, pointers: int) -> int:
    entry, unit = TABLES[name.split(".")[0]]
    return -(-pointers * entry // unit) * unit


# -- stored dumps, and what the compiler says of them ---------------------------------------------


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_bytes_are_those_of_memory_analysis(file):
    name = file.parent.name
    made, counts = hlo.footprint(hlo.read_module(file.read_text())), COUNTS[name]
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


def test_an_out_of_memory_program_needs_what_the_compiler_says():
    (file,) = (FOLDERS / "v5e.oom").glob("*after_optimizations.txt")
    space = hlo.footprint(hlo.read_module(file.read_text())).spaces[0]
    assert "(33.88G) exceeds available HBM (15.75G)" in COUNTS["v5e.oom"]["error"]
    assert f"{space.needed / 2**30:.2f}" == "33.88"
    assert (space.needed, space.temporaries) == (36_373_038_592, 1_207_961_088)
    largest = [(b.maker, b.size, b.kind) for b in space.alive[:2]]
    assert largest == [("custom-call", 32 << 30, "output"), ("copy.13", 1 << 29, "temporary")]


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_who_is_alive_makes_up_the_peak(file):
    for space in hlo.footprint(hlo.read_module(file.read_text())).spaces.values():
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
    made = hlo.footprint(hlo.read_module(text))
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
    made = hlo.footprint(hlo.read_module(text))
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
    module = hlo.read_module(text)
    assert module.problems == ()
    assert hlo.footprint(module).spaces[5].peak // 4000 == arrays


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
    made = hlo.footprint(hlo.read_module(text))
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
        space = hlo.footprint(hlo.read_module(text)).spaces[0]
        got = space.peak, space.temporaries, space.needed
        assert got == tuple(4096 * n for n in wanted), layout
