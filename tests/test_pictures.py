"""What `show` draws: tiles that can be seen, swizzles by bank, threads, pages that stand alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import symlayout
from symlayout.__main__ import main


def test_the_ending_of_the_file_says_what_it_is(tmp_path: Path) -> None:
    starts = {"svg": "<svg", "html": "<!doctype html>", "txt": "shape (2, 3)"}
    for ending, start in starts.items():
        file = tmp_path / f"picture.{ending}"
        assert main(["show", "f32[2,3]", "--output", str(file)]) == 0
        assert file.read_text(encoding="utf-8").startswith(start)


# what the public functions return, and what a notebook shows of each
VALUES = (
    ("sl.parse('f32[M,N]{1,0:T(8,128)}')", "<svg"),
    ("sl.parse('f32[M,N]{1,0:T(8,128)}').index_map()", "<svg"),
    ("sl.parse('f32[M,N]').index_map().inverse()", "<td><code>i//N</code></td>"),
    ("sl.parse('map p < M*N: (p//N, p%N) in (M, N)')", "<svg"),
    ("sl.parse('tv ((4,8),(2,2)):((32,1),(16,8)) on (16,8)')", "thread 5, value 3"),
    ("sl.parse('Swizzle(2,0,2) o 0 o (4,4):(4,1)')", "after: Swizzle(2,0,2)"),
    ("sl.tla.Swizzle(2, 0, 2)", "after: Swizzle(2,0,2)"),
    ("sl.tla.make_identity_layout((3, 4))", "<pre>(3,4):(1@0,1@1)</pre>"),
    ("sl.tla.derive(sl.tla.read_layout('(8,4):(4,1)'))", "<pre>(8,4):(4,1)\ncrd2offset"),
    ("sl.xla.derive('f32[M,N]{1,0:T(8,128)}')", "<pre>f32[M,N]{1,0:T(8,128)}\nlinear index"),
    ("sl.prove.injective('f32[M,N]')", '<b style="color:#1a7f37">proved</b>'),
    ("sl.when.injective('(M,N):(1,P)')", "<b>exactly when P &gt;= M or N == 1</b>"),
)


@pytest.mark.parametrize(("made", "shown"), VALUES)
def test_a_notebook_shows_every_public_value(made: str, shown: str) -> None:
    assert shown in eval(made, {"sl": symlayout})._repr_html_()


def test_a_formula_shows_itself_as_latex() -> None:
    assert "lfloor" in symlayout.simplify("i//4 + 1")._repr_latex_()


@pytest.mark.parametrize(
    ("layout", "options", "bits", "said"),
    [
        ("f32[32,32]{1,0}", [], "32 bits", "column: 32 rounds, 1 would do, in each column"),
        ("strided f32[32,32] strides(33,1)", [], "32 bits", "column: 1 round\n"),
        ("f16[32,32]{1,0}", [], "16 bits", "column: 16 rounds, 1 would do, in each column"),
        ("zN(f32,32,8)", [], "32 bits", "each thread reads one element:"),
        ("memref<32x32xf64>", [], "64 bits", "row: 2 rounds"),
        ("f32[32,32]{1,0}", ["--bits", "16"], "16 bits", "column: 16 rounds"),
        ("(32,32):(33,1)", [], "16 bits (assumed; --bits 32 for float)", "in a row: 1 round"),
        ("(32,32):(33,1)", ["--bits", "32"], "32 bits", "column: 1 round\n"),
        ("(4,2):(16,64)", ["--bits", "64"], "64 bits", "row: 2 rounds, 1 would do, in each row"),
        ("(2,2,2):(1,3,32)", [], "", ""),
        ("Swizzle(3,3,3) o 0 o (8,64):(64,1)", [], "16 bits (assumed", "column: 1 round\n"),
        # the swizzle that CUTLASS prints is of bytes
        ("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", [], "16 bits", "column: 1 round\n"),
        ("Sw<3,4,3> o smem_ptr[32b](0x7f0) o (8,32):(32,1)", [], "32 bits", "column: 1 round\n"),
        ("Sw<3,4,3> o smem_ptr[8b](unset) o (8,128):(128,1)", [], "8 bits", "column: 1 round\n"),
        ("Sw<0,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", [], "16 bits", "column: 8 rounds"),
    ],
)
def test_banks_take_the_width_of_the_element_type(layout, options, bits, said, capsys):
    assert main(["show", layout, "--banks", *options]) == (0 if bits else 2)
    out = capsys.readouterr().out
    if bits:
        assert re.search(re.escape(f"for elements of {bits}") + ("" if "(" in bits else "\n"), out)
        assert said in out
