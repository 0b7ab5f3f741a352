"""The options of `symlayout check` that say how much is done, and where the report goes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from symlayout.__main__ import main

GOOD = "[[claim]]\nname = 'good'\nprove = 'onto \"(4):(1)\"'\n"

BAD = "[[claim]]\nname = 'bad'\nprove = 'injective \"(4):(0)\"'\n"

LAST = "[[claim]]\nname = 'last'\nprove = 'onto \"(5):(1)\"'\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    Path(tmp_path / "sub" / "a.layout.toml").write_text(GOOD + BAD + LAST)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(["check", *argv, "--no-cache"])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_quiet_prints_what_is_wrong_and_nothing_else(capsys):
    code, out, _ = ran(capsys, "-q")
    assert code == 1
    assert "refuted, expected proved: bad" in out
    assert "3 claims" not in out
    Path("sub/a.layout.toml").write_text(GOOD)
    assert ran(capsys, "-q") == (0, "", "")
    assert ran(capsys, "--quiet", "--format", "concise") == (0, "", "")


def test_verbose_has_a_line_for_every_claim(capsys):
    code, out, _ = ran(capsys, "-v")
    assert code == 1
    for name, word in (("good", "proved"), ("bad", "refuted"), ("last", "proved")):
        assert re.search(
            rf"^sub/a\.layout\.toml:\d+:\d+: {word}(, confirmed by Z3 [a-z0-9 ]+)?: {name} "
            r"\(\d\.\d\d s\)$",
            out,
            re.M,
        )


def test_statistics(capsys):
    _, out, _ = ran(capsys, "--statistics")
    table = out[out.index("claim word") :].splitlines()
    assert table[1].split()[:4] == ["injective", "1", "0", "1"]
    assert table[3].split()[:4] == ["all", "3", "2", "1"]
    assert "slowest" in out
    _, out, err = ran(capsys, "--statistics", "--json")
    assert len(json.loads(out)["claims"]) == 3  # the table does not stand in the way
    assert "slowest" in err


def test_exit_zero_is_for_verdicts_and_not_for_bad_input(capsys):
    assert ran(capsys, "--exit-zero")[0] == 0
    Path("sub/a.layout.toml").write_text("x = 1\n")
    assert ran(capsys, "--exit-zero")[0] == 2


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_it_stops_at_the_first_claim_that_is_not_as_expected(capsys, jobs):
    Path("sub/a.layout.toml").write_text(BAD + GOOD + LAST)
    code, out, _ = ran(capsys, "-x", "--jobs", jobs)
    assert code == 1
    assert "refuted, expected proved: bad" in out
    left = re.search(r"not as expected: (\d) not judged", out)
    assert (left is not None and left[1] == "2") or jobs == "2"
    Path("sub/a.layout.toml").write_text(GOOD + LAST)
    assert "\n2 claims" in ran(capsys, "--exitfirst")[1]


def test_what_is_known_to_be_wrong_stops_at_once(capsys):
    Path("sub/a.layout.toml").write_text(BAD)
    assert main(["check"]) == 1
    unknown_yet = GOOD.replace("(4)", "(23)")
    Path("sub/a.layout.toml").write_text(unknown_yet + BAD)
    assert main(["check", "-x"]) == 1
    assert "1 not judged" in capsys.readouterr().out


def test_programs_get_paths_from_the_root_and_people_from_where_they_stand(monkeypatch, capsys):
    monkeypatch.chdir("sub")
    assert "../sub/a.layout.toml:6:10: refuted" in ran(capsys, "--format", "concise")[1]
    assert "a.layout.toml:6:10: refuted" in ran(capsys, ".", "--format", "concise")[1]
    for format in ("json", "github", "sarif", "junit", "markdown"):
        out = ran(capsys, "a.layout.toml", "--format", format)[1]
        assert "sub/a.layout.toml" in out, format


def test_the_report_goes_to_files_by_their_endings(capsys):
    files = ["r.json", "r.sarif", "r.xml", "r.md", "r.txt"]
    argv = [x for f in files for x in ("--output-file", f)]
    code, out, _ = ran(capsys, *argv, "--format", "concise")
    assert code == 1
    assert out.startswith("3 claims in 1 file")  # the rest is in r.txt
    heads = [Path(f).read_text().splitlines()[0] for f in files]
    assert heads[:3] == ["{", "{", '<?xml version="1.0" encoding="UTF-8"?>']
    assert heads[3].startswith("### symlayout: 3 claims")
    assert heads[4].startswith("sub/a.layout.toml:6:10: refuted")
    _, out, _ = ran(capsys, "--output-file", "r.sarif", "--format", "github")
    assert out.startswith("::error file=sub/a.layout.toml")
    assert json.loads(Path("r.sarif").read_text())["version"] == "2.1.0"
    assert main(["check", "--output-file", "no/where.json"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_github_gets_a_page_for_the_run(capsys, monkeypatch):
    Path("page").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "page")
    ran(capsys, "--format", "github")
    page = Path("page").read_text()
    assert page.startswith("before\n### symlayout: 3 claims")
    assert "| `sub/a.layout.toml:6:10` | refuted |" in page


@pytest.mark.parametrize("option", ["--html", "--output-file"])
def test_a_report_takes_the_place_of_nothing_that_is_checked(capsys, option):
    """The module was lost."""
    text = "HloModule m\nENTRY e { ROOT x = f32[4]{0} parameter(0) }\n"
    Path("m.hlo").write_text(text)
    code, _, err = ran(capsys, "m.hlo", option, "m.hlo")
    assert (code, Path("m.hlo").read_text()) == (2, text)
    assert "SL601: m.hlo is not written over" in err
    assert main(["prove", "onto", "(4):(1)", "--certificate", "sub/a.layout.toml"]) == 2
    assert main(["show", "f32[2,3]", "--output", "sub/a.layout.toml"]) == 2
    assert Path("sub/a.layout.toml").read_text() == GOOD + BAD + LAST


def test_empty_names_are_mistakes(capsys):
    Path("m.hlo").write_text("HloModule m\nENTRY e { ROOT x = f32[4]{0} parameter(0) }\n")
    assert "a path is empty" in ran(capsys, "")[2]
    for option in ("--html", "--output-file"):
        code, _, err = ran(capsys, "m.hlo", option, "")
        assert (code, "the name of the file to write is empty" in err) == (2, True)


def test_a_cache_that_is_asked_for_and_keeps_nothing_is_told(capsys):
    Path("file").write_text("")
    assert main(["check", "sub", "--cache-dir", "file"]) == 1
    assert "the cache file cannot be written: no verdict is kept" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["m.hlo"], "m.hlo is a file: symlayout check m.hlo reads it"),
        (["why", "m.hlo"], "m.hlo is a file: symlayout check m.hlo reads it"),
        (["show", "m.hlo"], "m.hlo is a file: symlayout check m.hlo reads it"),
        (["prove", "injective", "m.hlo"], "m.hlo is a file: symlayout check m.hlo reads it"),
        (["when", "sub"], "sub is a folder: symlayout check sub reads it"),
        (["chek", "m.hlo"], "did you mean 'check'?"),
        (["show", "f32[3"], "add the missing ']'"),
    ],
)
def test_a_file_where_something_else_is_meant_is_told(capsys, argv, said):
    Path("m.hlo").write_text("HloModule m\nENTRY e { ROOT x = f32[4]{0} parameter(0) }\n")
    assert main(argv) == 2
    assert f"help: {said}" in capsys.readouterr().err
