"""Grid and facts that a contract takes from launches in the same file: by argument, never by name."""

from __future__ import annotations

from pathlib import Path

from symlayout import check

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"

KERNEL = (
    "# symlayout: kernel\n#   x_ptr is f32[n]\n#   y_ptr is f32[n] written once\n"
    "#   where n <= 1073741824\n@triton.jit\ndef copy(x_ptr, y_ptr, n, B: tl.constexpr):\n"
    "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
    "    x = tl.load(x_ptr + i, mask=i < n)\n    tl.store(y_ptr + i, x, mask=i < n)\n\n\n"
)


def host(body: str, grid: str = "(triton.cdiv(c, 64),)", last: str = "64") -> str:
    return f"def run(x, y, c, n):\n{body}    copy[{grid}](x, y, c, {last})\n"


def test_each_of_two_launches_owes_its_own(tmp_path: Path) -> None:
    two = host("").replace("run", "one") + "\n\n" + host("", "(c // 64,)")
    file = tmp_path / "k.py"
    file.write_text(HEAD + KERNEL + two)
    results = check([str(file)]).results
    named = {r.task.name.split(": ")[0] for r in results}
    assert len(named) == 2
    assert all("launch in line" in n for n in named)
    (wrong,) = [r for r in results if not r.as_expected]
    assert wrong.outcome.status == "refuted"
    assert "written once: store" in wrong.task.name


def test_a_use_that_is_no_launch_is_an_unknown_claim(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(HEAD + KERNEL + host("") + "\n\nALL = [copy]\n")
    unknown = [r for r in check([str(file)]).results if r.outcome.status == "unknown"]
    assert [r.task.name.split(": ")[-1] for r in unknown] == ["launch in line 21"]


def test_a_contract_with_a_grid_asks_no_launch(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    given = KERNEL.replace("kernel\n", "kernel grid (cdiv(n, B),)\n", 1)
    file.write_text(HEAD + given + host("", "(c // 64,)"))
    assert check([str(file)]).exit_code == 0
    assert check([str(file)]).launches == ()
