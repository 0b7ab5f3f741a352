"""Contracts above kernels: the examples hold, their twins fail at their lines, mistakes are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from soundness.machine import executed

from symlayout import check
from symlayout.__main__ import main

EXAMPLES = Path(__file__).parents[1] / "examples" / "kernels"

HEAD = "import triton\nimport triton.language as tl\n\n\n"

CONTRACT = (
    "# symlayout: kernel grid (tl.cdiv(n, B),)\n#   x_ptr is f32[n]\n"
    "#   y_ptr is f32[n] written once\n#   where n <= 1073741824, B <= 65536\n"
)

COPY = (
    "@triton.jit\ndef copy(x_ptr, y_ptr, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    x = tl.load(x_ptr + i, mask=i < n)\n    tl.store(y_ptr + i, x, mask=i < n)\n"
)

Checked = Callable[[str], list[tuple[str, str]]]


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    def run(text: str) -> list[tuple[str, str]]:
        file = tmp_path / "k.py"
        file.write_text(text)
        return [(r.task.name, r.outcome.status) for r in check([str(file)]).results]

    return run


@pytest.mark.explore
@pytest.mark.parametrize("file", ["elementwise.py", "moves.py"])
def test_the_examples_are_as_they_say(file: str) -> None:
    report = check([str(EXAMPLES / file)])
    assert report.problems == ()
    wrong = [(r.task.name, r.outcome) for r in report.results if not r.as_expected]
    assert wrong == []
    assert {r.outcome.status for r in report.results} - {"unknown"} == {"proved", "refuted"}


def test_a_contract_that_holds_is_proved_claim_by_claim(checked: Checked) -> None:
    made = checked(HEAD + CONTRACT + COPY)
    assert [status for _, status in made] == ["proved"] * 5
    assert made[0][0] == "copy: in bounds: load of x_ptr in line 12"


CHANGES = {
    "a store without its mask": (", x, mask=i < n", ", x", "store of y_ptr"),
    "a load one too far": ("x_ptr + i, mask", "x_ptr + i + 1, mask", "load of x_ptr"),
    "a block left out": ("cdiv(n, B)", "n // B", "written once: store"),
    "all programs write one block": ("tl.program_id(0) * B + ", "", "written once: store"),
    "a mask that lets one more in": ("x, mask=i < n", "x, mask=i <= n", "store of y_ptr"),
    "a product of sizes in 32 bits": ("n <= 1073741824", "n <= 4294967296", "no overflow"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("change", CHANGES)
def test_one_change_in_the_code_changes_the_verdict(checked: Checked, change: str) -> None:
    old, new, claim = CHANGES[change]
    text = CONTRACT + COPY
    assert old in text
    made = checked(HEAD + text.replace(old, new))
    assert any(status == "refuted" and claim in name for name, status in made), made


def test_what_is_proved_is_what_the_kernel_does() -> None:
    for n in (1, 2, 3, 4, 5, 7, 8, 9):
        for block in (1, 2, 4, 8):
            grid = (-(-n // block),)
            trace = executed(COPY, "copy", grid, ("x_ptr", "y_ptr"), {"n": n}, {"B": block})
            assert {k for k in trace if k[0] == "y_ptr"} == {
                ("y_ptr", "store", i) for i in range(n)
            }
            assert max(trace.values()) == 1


def test_a_store_through_a_table_is_not_guessed(checked: Checked) -> None:
    body = COPY.replace(
        "    tl.store(y_ptr + i", "    j = tl.load(x_ptr + i)\n    tl.store(y_ptr + j"
    )
    made = checked(HEAD + CONTRACT.replace("x_ptr is f32[n]", "x_ptr is i32[n]") + body)
    assert ("copy: written once: store of y_ptr in line 14", "unknown") in made


def test_numbers_of_a_table_are_what_the_contract_says(checked: Checked) -> None:
    body = COPY.replace("y_ptr + i", "y_ptr + x").replace("written once", "")
    contract = CONTRACT.replace(" written once", " accumulated")
    for below, status in (("", "unknown"), (" below n", "proved"), (" below n + 1", "refuted")):
        text = contract.replace("x_ptr is f32[n]", f"x_ptr is i32[n]{below}")
        made = dict(checked(HEAD + text + body))
        assert made["copy: in bounds: store of y_ptr in line 13"] == status


@pytest.mark.explore
def test_what_a_mask_leaves_out_of_a_table_is_anything(checked: Checked) -> None:
    contract = CONTRACT.replace(" written once", " accumulated")
    contract = contract.replace("x_ptr is f32[n]", "x_ptr is i32[n] below n")
    name = "copy: in bounds: store of y_ptr in line 13"
    for store, other, status in (
        ("y_ptr + x, x, mask=i < n", "", "proved"),
        ("y_ptr + x, x", "", "unknown"),
        ("y_ptr + x, x", ", other=0", "proved"),
        ("y_ptr + x, x", ", other=-1", "refuted"),
    ):
        body = COPY.replace("y_ptr + i, x, mask=i < n", store)
        body = body.replace("mask=i < n)\n    tl", f"mask=i < n{other})\n    tl")
        made = dict(checked(HEAD + contract + body))
        assert (made[name] == status) or (status == "unknown" and made[name] == "refuted"), store


def test_an_address_of_two_arrays_is_one_of_each(checked: Checked) -> None:
    body = COPY.replace("    tl.store(y_ptr", "    q = x_ptr if n > 4 else y_ptr\n    tl.store(q")
    made = dict(checked(HEAD + CONTRACT + body))
    assert not [name for name in made if "understood" in name]
    assert made["copy: written once: store of y_ptr in line 14"] == "refuted"
    assert made["copy: in bounds: store of x_ptr in line 14"] == "proved"


def test_what_is_not_understood_is_never_refuted(checked: Checked) -> None:
    body = COPY.replace("    tl.store(y_ptr + i", "    j = strange(i)\n    tl.store(y_ptr + j")
    made = dict(checked(HEAD + CONTRACT + body))
    assert made["copy: understood: line 14"] == "unknown"
    assert made["copy: written once: y_ptr"] == "unknown"


def test_hints_to_the_compiler_are_shown_not_believed(checked: Checked) -> None:
    body = COPY.replace("    x = tl", "    tl.assume(n > 2)\n    tl.multiple_of(n, 4)\n    x = tl")
    made = dict(checked(HEAD + CONTRACT + body))
    assert made["copy: assume in line 12"] == made["copy: multiple_of in line 13"] == "refuted"
    more = CONTRACT.replace("where ", "where n % 4 == 0, ")
    made = dict(checked(HEAD + more + body))
    assert made["copy: assume in line 12"] == made["copy: multiple_of in line 13"] == "proved"


MISTAKES = {
    "not a line of a contract": ("#   x_ptr is", "#   x_ptr has"),
    "x_ptr is given twice": ("#   y_ptr is", "#   x_ptr is"),
    "has no parameter 'z_ptr'": ("#   y_ptr is", "#   z_ptr is"),
    "the layout of x_ptr": ("x_ptr is f32[n]", "x_ptr is f32[n"),
    "is not understood as a number": ("(tl.cdiv(n, B),)", "(f(n),)"),
    "a fact compares two sides": ("where n <= 1073741824", "where n"),
    "not 'written onse'": ("written once", "written onse"),
    "not 'accumulatd'": ("written once", "accumulatd"),
    "did you mean 'block'?": ("(tl.cdiv(n, B),)", "(128,) blok (256,)"),
    "no kernel follows the contract": ("@triton.jit", "@jitted"),
}


@pytest.mark.parametrize("said", MISTAKES)
def test_a_mistake_in_a_contract_is_told_with_its_place(tmp_path: Path, said: str) -> None:
    old, new = MISTAKES[said]
    file = tmp_path / "k.py"
    file.write_text(HEAD + (CONTRACT + COPY).replace(old, new))
    (problem,) = check([str(file)]).all_problems
    assert said in f"{problem.message} {problem.help}"
    assert problem.place is not None
    assert 5 <= problem.place.line <= 8


def test_an_expectation_that_speaks_of_nothing_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        HEAD + CONTRACT + COPY + '    # symlayout: expect refuted "bounds" because "so"\n'
    )
    (problem,) = check([str(file)]).all_problems
    assert "no claim of a contract is about this line" in problem.message


ROWS = (
    "@triton.jit\ndef rows(x_ptr, y_ptr, stride, n, B: tl.constexpr):\n"
    "    r = tl.program_id(0)\n    c = tl.arange(0, B)\n"
    "    x = tl.load(x_ptr + r * stride + c, mask=c < n)\n"
    "    tl.store(y_ptr + r.to(tl.int64) * stride + c, x, mask=c < n)\n"
)


def test_a_scan_finds_a_product_in_32_bits_and_a_missing_mask(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.py"
    file.write_text(HEAD + ROWS.replace("+ c, x, mask=c < n", "+ c, x"))
    assert main(["scan", "--json", str(tmp_path)]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [(f["kind"], f["line"]) for f in found] == [("overflow", 9), ("bounds", 10)]
    sizes = found[0]["counterexample"]["sizes"]
    assert 2**31 <= sizes["pid"] * sizes["stride"] < 2**36
    assert max(sizes.values()) <= 2**30


def test_a_scan_is_quiet_on_right_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(HEAD + COPY)
    (tmp_path / "b.py").write_text(HEAD + ROWS.replace("r * stride", "r.to(tl.int64) * stride"))
    (tmp_path / "c.py").write_text("print('no kernels here')\n")
    assert main(["scan", "--json", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_a_finding_is_ignored_or_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, known = tmp_path / "k.py", tmp_path / "known.json"
    file.write_text(HEAD + ROWS)
    assert main(["scan", "--json", str(file)]) == 1
    known.write_text(capsys.readouterr().out)
    assert main(["scan", "--baseline", str(known), str(file)]) == 0
    said = "    # symlayout: ignore[overflow]\n    x = tl.load"
    file.write_text(HEAD + ROWS.replace("    x = tl.load", said))
    assert main(["scan", str(file)]) == 0
    file.write_text(HEAD + ROWS.replace("    x = tl.load", said.replace("overflow", "bounds")))
    assert main(["scan", str(file)]) == 1


@pytest.mark.parametrize("format", ["github", "sarif", "text"])
def test_findings_in_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    file = tmp_path / "k.py"
    file.write_text(HEAD + ROWS)
    assert main(["scan", "--format", format, str(file)]) == 1
    out = capsys.readouterr().out
    assert "`r * stride` overflows 32 bits" in out
    if format == "sarif":
        (result,) = json.loads(out)["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 9


HALVES = (
    "# symlayout: kernel grid (R,)\n#   x_ptr is f32[R,2*H]\n#   y_ptr is f32[R,2*H] written once\n"
    "#   where B >= H, H <= 65536\n"
    "@triton.jit\ndef halves(x_ptr, y_ptr, H, B: tl.constexpr):\n"
    "    r, c = tl.program_id(0).to(tl.int64), tl.arange(0, B)\n"
    "    tl.store(y_ptr + r * 2 * H + c, 1, mask=c < H)\n"
    "    tl.store(y_ptr + r * 2 * H + H + c, 2, mask=c < H)\n"
)

ALL = "halves: written once: all of y_ptr"


def test_several_stores_write_all_of_an_array_together(checked: Checked) -> None:
    assert dict(checked(HEAD + HALVES))[ALL] == "proved"
    for old, new in (
        ("H + c, 2, mask=c < H", "H + c, 2, mask=c < H - 1"),
        ("* 2 * H + H +", "* 2 * H +"),
    ):
        assert dict(checked(HEAD + HALVES.replace(old, new)))[ALL] == "refuted"
    alone = HALVES.replace(
        "    tl.store(y_ptr + r * 2 * H + H",
        "    if r == 0:\n        tl.store(y_ptr + r * 2 * H + H",
    )
    assert dict(checked(HEAD + alone))[ALL] == "refuted"


def test_the_number_of_programs_is_the_hosts_and_not_computed_again(checked: Checked) -> None:
    """`cdiv(n, A)` adds A - 1 to n: in 32 bits that may be too much, where the host does it."""
    text = (
        "# symlayout: kernel grid (tl.cdiv(n, A),)\n#   x is f32[n + 4]\n"
        "#   where n <= 2147483643\n@triton.jit\ndef f(x, n, A: tl.constexpr):\n"
        "    tl.load(x + tl.num_programs(0) + 3)\n    tl.load(x + tl.num_programs(0) + 4)\n"
    )
    made = dict(checked(HEAD + text))
    assert made["f: in bounds: load of x in line 10"] == "proved"
    assert made["f: in bounds: load of x in line 11"] == "refuted"
    assert made["f: no overflow: load of x in line 10"] == "proved"


def test_an_access_of_an_array_without_a_line_is_unknown(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        "import triton\nimport triton.language as tl\n\n"
        "# symlayout: kernel grid (n,)\n#   x is f32[n]\n@triton.jit\n"
        "def f(x, y, n):\n    i = tl.program_id(0)\n    tl.store(y + i + 1, tl.load(x + i))\n"
    )
    made = {r.task.name: r.outcome for r in check([str(file)]).results}
    assert made["f: in bounds: load of x in line 9"].status == "proved"
    unnamed = made["f: in bounds: store of y in line 9"]
    assert (unnamed.status, "says nothing of y: `y is LAYOUT`" in unnamed.reason) == (
        "unknown",
        True,
    )
    file.write_text(file.read_text().replace("@triton", "#   y is f32[n]\n@triton"))
    made = {r.task.name: r.outcome for r in check([str(file)]).results}
    assert made["f: in bounds: store of y in line 10"].status == "refuted"
