"""Claims in comments: kernels as people write them, and every way to say it wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check

KERNELS = Path(__file__).parent / "data" / "kernels"

SOUND = ["copy_pallas.py", "matmul_triton.py", "transpose.cu"]


@pytest.mark.parametrize("name", SOUND)
def test_the_kernels_claims_hold(name: str) -> None:
    report = check([str(KERNELS / name)])
    assert report.all_problems == ()
    assert {r.outcome.status for r in report.results} == {"proved"}
    marks = (KERNELS / name).read_text().count("symlayout: ")
    assert len(report.results) == marks


@pytest.mark.parametrize("name", SOUND)
def test_every_claim_of_the_broken_twin_is_refuted(name: str) -> None:
    stem, dot, suffix = name.partition(".")
    report = check([str(KERNELS / f"{stem}_broken{dot}{suffix}")])
    assert report.all_problems == ()
    assert {r.outcome.status for r in report.results} == {"refuted"}
    assert len(report.results) == len(check([str(KERNELS / name)]).results)
    for r in report.results:
        assert r.outcome.counterexample is not None


HEAD = 'symlayout: formula "f32[M,N]"'


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        (f"for i in range(3):  # {HEAD}\n    x = i * N + j\n", ".py"),
        (f"for (i = 0; i < 3; i++) {{  // {HEAD}\n  x = i * N + j;\n}}\n", ".cu"),
        (f"/* {HEAD} */ x = i * N + j;\n", ".cu"),
    ],
)
def test_a_comment_behind_the_head_of_a_block_speaks_of_what_is_inside(
    tmp_path: Path, text: str, suffix: str
) -> None:
    (tmp_path / f"k{suffix}").write_text(text)
    assert check([str(tmp_path)]).exit_code == 0


def test_source_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"# {HEAD}\nx = = 1\n")
    (tmp_path / "b.py").write_text(f"# {HEAD}\nx = (1\n")
    (tmp_path / "c.py").write_text("x = = 1\n")
    report = check([str(tmp_path)])
    assert [p.code for p in report.all_problems] == ["SL506", "SL506"]
    assert report.exit_code == 2


def test_mistakes_point_into_the_source(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text('é = 1; y = 2\n# symlayout: formula "f32[M,N"\nx = i * N + j\n')
    (found,) = check([str(file)]).all_problems
    assert found.place is not None
    assert (found.code, found.place.line, found.place.column) == ("SL101", 2, 30)
    file.write_text('# symlayout: formula "f32[M,N]"\né = i * q + j\n')
    (found,) = check([str(file)]).all_problems
    assert found.place is not None
    assert (found.code, found.place.line, found.place.column) == ("SL201", 2, 9)


def test_a_failure_on_one_file_loses_no_other(tmp_path: Path) -> None:
    deep = "(" * 5000 + "i" + ")" * 5000
    (tmp_path / "a.py").write_text(f"# {HEAD}\nx = {deep}\n")
    (tmp_path / "b.py").write_text(f"# {HEAD}\nx = i * N + j\n")
    report = check([str(tmp_path)])
    assert [r.outcome.status for r in report.results if r.task.place][-1] == "proved"
    assert report.exit_code == 2


STRINGS = {
    "a kernel's": ('def k(x):\n    """A kernel.\n\n    {}\n      x is f32[n]\n    """\n', 1),
    "a file's, in its first line": ('"""{}"""\n', 1),
    "of one line": ("def f():\n    '{}'\n", 1),
    "behind a statement": ("x = 1\nr'''\n{}\n'''\n", 1),
    "a text": ("s = '''\n{}\n'''\n", 0),
    "an argument": ('print("""\n{}\n""")\n', 0),
    "an example": ('def f():\n    """\n    # {}\n    """\n', 0),
    "behind other words": ('def f():\n    """Reads {}."""\n', 0),
}


@pytest.mark.parametrize("case", STRINGS)
def test_a_claim_in_a_docstring_is_told_of(case: str, tmp_path: Path) -> None:
    text, count = STRINGS[case]
    file = tmp_path / "k.py"
    file.write_text(text.format("symlayout: kernel grid (1,)"))
    problems = [p for p in check([str(file)]).all_problems if p.code == "SL507"]
    assert len(problems) == count
    assert all("in a string" in p.message for p in problems)


STORE = "@triton.jit\ndef f(x, n):\n    tl.store(x + tl.program_id(0), 1.0)\n"


@pytest.mark.parametrize(
    ("head", "seen"),
    [
        ("# symlayout kernel\n#   x is f32[n]\n", True),
        ("# Symlayout kernel\n#   grid (n,)\n#   x is f32[n]\n", True),
        ("# sym-layout kernel\n#  x is f32[n]\n", True),
        ("# symlayout; kernel\n#   x is f32[n] written once\n", True),
        ("# symlayout kernel\n#   where n <= 5\n", True),
        ("# simlayout: kernel\n#   x is f32[n]\n", True),
        ("# symlayout kernel\n# launches are read\n", False),
        ("# symlayout kernel\nx = 1\n", False),
        ("# a symlayout kernel\n#   x is f32[n]\n", False),
    ],
)
def test_a_contract_without_a_colon_is_told_also_in_a_folder(tmp_path, head, seen):
    text = f"import triton\nimport triton.language as tl\n\n{head}{STORE}"
    (tmp_path / "f.py").write_text(text, encoding="utf-8")
    (tmp_path / "good.py").write_text("# symlayout: prove injective '(4):(1)'\n", encoding="utf-8")
    for path in (tmp_path, tmp_path / "f.py"):
        problems = [p for p in check([str(path)]).all_problems if p.code == "SL507"]
        assert [p.help for p in problems] == ["write symlayout: kernel"] * seen
