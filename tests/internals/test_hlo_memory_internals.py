"""Properties of internal modules; `tests/test_hlo_memory.py` tests the public interface."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_hlo_memory import STORED, report

from symlayout import hlo
from symlayout.programs.hlo.assignment import read_assignment
from symlayout.text.lines import columns, in_bytes, in_units


def beside(file: Path) -> str:
    return Path(f"{str(file).removesuffix('.txt')}-buffer-assignment.txt").read_text()


@pytest.mark.parametrize("file", STORED, ids=lambda f: f.parent.name)
def test_needed_bytes_lie_below_what_the_compiler_allocates(file):
    """Constants, tables and gaps are all that is between them."""
    made, theirs = hlo.footprint(hlo.read_module(file.read_text())), read_assignment(beside(file))
    assert made.arguments == theirs.arguments
    for number, size in ((n, size) for n, size in theirs.spaces if size):
        space = made.spaces[number]
        assert space.needed <= size
        # tables lie 16 KiB apart
        assert size - space.needed <= max(size // 100, 20 * 16_384), number
        assert space.temporaries <= dict(theirs.temporaries).get(number, 0)


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
