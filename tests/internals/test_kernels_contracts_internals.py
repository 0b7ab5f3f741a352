"""Properties of internal modules; `tests/test_kernels_contracts.py` tests the public interface."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from test_kernels_contracts import CONTRACT, COPY, HEAD

from symlayout import check, parse
from symlayout.__main__ import main
from symlayout.checks.kernel_files import read_kernels
from symlayout.checks.reading import ANYWHERE
from symlayout.checks.report import FORMATS, render
from symlayout.errors import LayoutError
from symlayout.programs.kernels.contract import read_contract


@pytest.mark.parametrize("format", FORMATS)
def test_a_claim_that_is_none_is_not_shown_nor_replayed(tmp_path: Path, format: str) -> None:
    file = tmp_path / "k.py"
    body = COPY.replace("    tl.store(y_ptr + i", "    j = strange(i)\n    tl.store(y_ptr + j")
    file.write_text(HEAD + CONTRACT + body)
    report = check([str(file)])
    assert [r for r in report.wrong if not r.task.claim.word]
    text = render(report, format)
    assert "symlayout prove ''" not in text
    assert "prove &#x27;&#x27;" not in text
    assert not re.search(r"claim:? +''", text)


def test_accesses_are_maps_that_are_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.py"
    file.write_text(HEAD + COPY)
    assert main(["accesses", f"{file}::copy", "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert [a["kind"] for a in kernel["accesses"]] == ["load", "store"]
    assert str(parse(kernel["accesses"][0]["map"])).startswith("map pid < grid0, lane < B if ")
    assert main(["accesses", str(file)]) == 0
    assert "store  y_ptr[pid*B + lane]" in capsys.readouterr().out
    assert main(["accesses", f"{file}::other"]) == 2
    assert "no kernel called 'other'" in capsys.readouterr().err


def test_numbers_may_be_named_like_words_of_claims(tmp_path: Path) -> None:
    text = """// symlayout: kernel grid (cdiv(NNN, 256),) block (256,)
//   a is f32[NNN]
//   in is f32[min(LESS, NNN),MOD]{1,0} written at most once
//   where NNN <= 100000, LESS <= 1000, max(NNN, MOD) <= 100000, MOD <= 1000
__global__ void f(float* a, float* in, int NNN, int LESS, int MOD) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < NNN && i < LESS) {
    a[i] = 1;
    for (int max = 0; max < MOD; max++) in[i * MOD + max] = a[i];
  }
}
"""
    made = []
    for words in (("n", "m", "k"), ("max", "min", "mod"), ("map", "abs", "cdiv")):
        own = text
        for old, new in zip(("NNN", "LESS", "MOD"), words):
            own = own.replace(old, new)
        (tmp_path / "k.cu").write_text(own)
        made.append([(r.task.name, r.outcome.status) for r in check([str(tmp_path)]).results])
    assert made[0] == made[1] == made[2]
    assert {status for _, status in made[0]} == {"proved"}
    (tmp_path / "k.cu").write_text(
        "__global__ void f(float* a, int in) { if (in < 100) a[in] = 1; }\n"
        "void run(float* a, int n) { assert(n < 1000); f<<<1, 1>>>(a, n); }\n"
    )
    ((_, (launch,)),) = read_kernels(str(tmp_path / "k.cu"), ANYWHERE)
    assert [f.text for f in launch.facts] == ["in_ < 1000"]


@pytest.mark.parametrize(
    "lines",
    [
        ["x is f32[n], y is f32[n] written once"],
        ["x is (n):(1) ,y is f32[n]{0:T(8)(128)} written at most once, table is i32[B+1] below N"],
        ["t is i32[B, C] below max(A, B), x is strided f32[M, N] strides(N, 1)"],
    ],
)
def test_a_line_of_a_contract_has_several_arrays(lines: list[str]) -> None:
    from symlayout.programs.kernels.contract import read_contract

    whole = "kernel grid (n,)"
    (line,) = lines
    one = read_contract([(whole, 0), (line, 40)])
    rows = re.split(r"\s*,\s*(?=\w+ is )", line)
    each = read_contract([(whole, 0), *((t, 40 + line.index(t)) for t in rows)])
    assert one == each
    assert len(one.arrays) == line.count(" is ")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("wher n <= 5", "where"),
        ("whre n == 1", "where"),
        ("x is f32[n] writen once", "written once"),
        ("x is f32[n] written onc", "written once"),
        ("x is f32[n] accumulatd", "accumulated"),
        ("x is f32[n] stride(2)", "strides"),
        ("x is f32[n,m] stides(m, 1)", "strides"),
        ("grd (n,)", "grid"),
        ("symbl K", "symbol"),
        ("grid (n,) blok (4,)", "block"),
    ],
)
def test_a_word_of_a_contract_that_is_misspelt_gets_the_right_one(line, word):
    with pytest.raises(LayoutError) as caught:
        read_contract([("kernel", 0), (line, 9)])
    assert caught.value.code == "SL502"
    assert caught.value.help == f"did you mean '{word}'?"
