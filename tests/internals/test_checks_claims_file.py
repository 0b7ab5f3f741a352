"""Loading claims files: what they mean, and every mistake with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from symlayout import check
from symlayout.checks.claims_file import load, load_text
from symlayout.checks.discover import discover
from symlayout.checks.reading import ANYWHERE
from symlayout.checks.result import Problem, Result, Task
from symlayout.errors import LayoutError
from symlayout.text.limits import FILE_BYTES

GOOD = """
[facts]
where = ["N % 128 == 0"]

[layouts]
hbm  = "bf16[M,N]{1,0:T(8,128)(2,1)}"
tile = "(M,N):(N,1)"

[[claim]]
name = "no two elements share an address"
prove = "injective hbm"
where = ["M <= 65536"]

[[claim]]
prove = "equal hbm tile --"
expect = "refuted"
because = "one of them is tiled"
tags = ["demo"]
"""


def test_a_claims_file_becomes_tasks() -> None:
    loaded = load_text("a.layout.toml", GOOD)
    assert loaded.problems == ()
    one, two = loaded.entries
    assert isinstance(one, Task)
    assert isinstance(two, Task)
    assert one.name == "no two elements share an address"
    assert (one.claim.word, one.claim.texts) == ("injective", ("bf16[M,N]{1,0:T(8,128)(2,1)}",))
    assert one.claim.facts == ("N % 128 == 0", "M <= 65536")
    assert one.expect == "proved"
    assert one.place is not None
    assert str(one.place) == "a.layout.toml:11:10"
    assert (two.name, two.expect, two.tags) == ("equal hbm tile --", "refuted", ("demo",))
    assert two.because == "one of them is tiled"


def problems(text: str) -> list[Problem]:
    loaded = load_text("a.layout.toml", text)
    own = [e.outcome.problem for e in loaded.entries if isinstance(e, Result)]
    return [*loaded.problems, *(p for p in own if p is not None)]


@pytest.mark.parametrize(
    ("text", "code", "marked", "words"),
    [
        ("[fact]\n", "SL501", "[fact]", "did you mean 'facts'"),
        ("zzz = 1", "SL501", "zzz", "its keys are include"),
        ("[facts]\nwhree = []", "SL501", "whree", "did you mean 'where'"),
        ("[facts]\nwhere = 'N > 1'", "SL503", "'N > 1'", "must be an array, not a text"),
        ("[facts]\nwhere = ['N > 1', 3]", "SL503", "3", "each element of where must be a text"),
        ("facts = 3", "SL503", "3", "must be a table, not a number"),
        ("[layouts]\na = 3", "SL503", "3", "'a' must be a text"),
        ("layouts = []", "SL503", "[]", "layouts must be a table"),
        (
            "[layouts]\n'(4):(1)' = '(4):(0)'",
            "SL503",
            "'(4):(1)'",
            "is not a name that a claim can",
        ),
        ("[[claim]]\nprove = 'onto \"(b)\"'\nfor = { b = [8] }", "SL503", "b =", "is {b}"),
        ("[[claim]]\nprove = 'onto \"(4)\"'\nname = '{b}'\nfor = [{b=1}]", "SL503", "", "same for"),
        ("[claim]\nprove = 'x'", "SL503", "[claim]", "[[claim]]"),
        ("claim = [1]", "SL503", "1", "must be a table"),
        ("[[claim]]\nname = 'x'", "SL502", "[[claim]]", "needs a key 'prove'"),
        ("[[claim]]\nprove = 7", "SL503", "7", "must be a text"),
        ("[[claim]]\nprove = 'injektive a'", "SL502", "injektive", "did you mean 'injective'"),
        ("[[claim]]\nprove = 'injective a'", "SL504", "a", "the layouts here: none"),
        ("[[claim]]\nprove = 'equal \"f32[4]\"'", "SL502", '"f32[4]"', "not 1"),
        ("[[claim]]\nporve = 'x'", "SL501", "porve", "did you mean 'prove'"),
        ("[[claim]]\nprove = 'onto \"A\"'\nexpect = 'unknown'", "SL503", "'unknown'", "expect"),
        ("[[claim]]\nprove = 'onto \"A\"'\nexpect = 'prooved'", "SL503", "'prooved'", "'proved'"),
        ("[[claim]]\nprove = 'onto \"A\"'\nwhere = 'N'", "SL503", "'N'", "must be an array"),
        ("a = = 1", "SL500", "=", "not TOML"),
        ("[[claim]]\nprove = injective hbm", "SL500", "injective", "a text stands in quotes"),
        ("[layouts]\na = 'f32[4]'\na = 'f32[5]'", "SL500", "", "each name once"),
        ("where = ['N > 1']", "SL501", "where", "below [facts]"),
        ("[maps]\na = 'i < M: i'", "SL503", "'i < M", "[maps.a] and below it map ="),
        ("a = [1", "SL500", "", "not TOML"),
        ("[[claim]]\n[[claim", "SL500", "", "not TOML"),
    ],
)
def test_every_mistake_has_its_place(text: str, code: str, marked: str, words: str) -> None:
    (problem,) = problems(text)
    assert problem.code == code
    assert problem.place is not None
    line = text.split("\n")[problem.place.line - 1]
    assert problem.place.source == line
    assert line[problem.place.column - 1 :].startswith(marked)
    assert words in f"{problem.message} {problem.help}"


def test_one_bad_claim_leaves_the_others() -> None:
    text = GOOD + "[[claim]]\nprove = 'nonsense'\n" + "[[claim]]\nprove = 'onto tile'\n"
    loaded = load_text("a.layout.toml", text)
    assert [type(e) for e in loaded.entries] == [Task, Task, Result, Task]


def test_bad_facts_leave_no_claim_judged() -> None:
    loaded = load_text("a.layout.toml", GOOD.replace('where = ["N', 'were = ["N'))
    assert [p.code for p in loaded.problems] == ["SL501"]
    assert [e.outcome.status for e in loaded.entries if isinstance(e, Result)] == ["error"] * 2


def test_a_layouts_mistake_is_marked_in_its_own_line(tmp_path: Path) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text('[layouts]\nbad = "f32[4]{0:T(0)}"\n[[claim]]\nprove = "injective bad"\n')
    report = check([str(file)])
    (problem,) = report.all_problems
    assert problem.place is not None
    assert (problem.code, problem.place.line, problem.place.column) == ("SL102", 2, 19)
    assert report.exit_code == 2


def test_a_facts_mistake_is_marked_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.layout.toml"
    file.write_text('[[claim]]\nprove = "injective (N):(1)"\nwhere = ["N > 0", "N = 4"]\n')
    (problem,) = check([str(file)]).all_problems
    assert problem.place is not None
    assert (problem.code, problem.place.line, problem.place.column) == ("SL300", 3, 22)


def test_files_that_are_no_claims_files(tmp_path: Path) -> None:
    (tmp_path / "binary.layout.toml").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "zero.layout.toml").write_bytes(b"a = 1\0")
    (tmp_path / "large.layout.toml").write_bytes(b"#" * (FILE_BYTES + 1))
    (tmp_path / "good.layout.toml").write_text("[[claim]]\nprove = 'injective (4):(1)'\n")
    report = check([str(tmp_path)])
    assert [p.code for p in report.problems] == ["SL601"] * 3
    assert [r.outcome.status for r in report.results] == ["proved"]
    assert report.exit_code == 2
    assert [p.code for p in load(str(tmp_path)).problems] == ["SL601"]


def test_folders_are_walked_in_sorted_order(tmp_path: Path) -> None:
    inside = ("b.layout.toml", "a/z.layout.toml", "a/m.mlir", "a/h.hlo")
    for name in (*inside, ".git/c.layout.toml", "a/x.toml", "c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = [Path(f).relative_to(tmp_path).as_posix() for f in discover([str(tmp_path)], ANYWHERE)]
    assert found == sorted(inside)
    named = str(tmp_path / "c.txt")
    assert discover([named, str(tmp_path), named], ANYWHERE)[0] == named
    with pytest.raises(LayoutError, match="does not exist"):
        discover([str(tmp_path / "missing")], ANYWHERE)
