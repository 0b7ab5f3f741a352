"""Properties of internal modules; `tests/test_fixes.py` tests the public interface."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from test_fixes import changed, report_of

from symlayout.__main__ import main
from symlayout.checks.fixes import alternatives
from symlayout.checks.fixes import fixes as fixes_of
from symlayout.checks.kernel_fixes import Attempts
from symlayout.checks.reading import ANYWHERE
from symlayout.checks.report import render

WRONG = 'formula "f32[M,N]{1,0:T(8,128)}" "((i//8)*(N//128) + j//128)*1024 + (i%8)*128 + j%128"'

BELOW = "x = ((r//8)*(N//128) + c//128)*1024 + (r%8)*128 + c%128"

FILES = {
    "plain.layout.toml": f"[[claim]]\nprove = '{WRONG}'\n",
    "end.layout.toml": f"[[claim]]\nname = 'n'\nprove = '{WRONG}'",
    "comment.layout.toml": f"[[claim]]\nprove = '{WRONG}' # why\ntags = ['x']\n",
    "where.layout.toml": f"[[claim]]\nprove = '{WRONG}'\nwhere = ['M > 1']\n",
    "comma.layout.toml": f"[[claim]]\nprove = '{WRONG}'\nwhere = [\n  'M > 1',\n]\n",
    "empty.layout.toml": f"[[claim]]\nprove = '{WRONG}'\nwhere = []\n",
    "second.layout.toml": f"[[claim]]\nprove = 'onto \"(4):(1)\"'\n[[claim]]\nprove = '{WRONG}'\n",
    "crlf.layout.toml": f"[[claim]]\r\nprove = '{WRONG}'\r\n",
    "a.py": f'# symlayout: formula "f32[M,N]{{1,0:T(8,128)}}" coords r, c\n{BELOW}\n',
    "b.py": f'# symlayout: formula "f32[M,N]{{1,0:T(8,128)}}" coords r, c where M > 1\n{BELOW}\n',
    "c.cu": '/* symlayout: formula "f32[M,N]{1,0:T(8,128)}" coords r, c */\n'
    f"int {BELOW.replace('//', '/')};\n",
}


def fixes(result):
    return fixes_of(result, attempts=Attempts(within=ANYWHERE))


@pytest.mark.parametrize("name", FILES)
def test_each_change_makes_the_claim_hold(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(FILES[name].encode())
    made = report_of(file)
    wrong = [r for r in made.results if not r.as_expected]
    assert len(wrong) == 1
    offered = fixes(wrong[0])
    assert offered
    assert offered[0].title.startswith("require ")
    ends = {"\n"} if "\r\n" not in FILES[name] else {"\r\n"}
    assert {end for f in offered for end in re.findall("\r?\n", f.text)} <= ends
    text = file.read_bytes().decode()
    for fix in offered:
        lines = text.split("\n")
        line = lines[fix.place.line - 1]
        at = fix.place.column - 1
        lines[fix.place.line - 1] = line[:at] + fix.text + line[at:]
        file.write_bytes("\n".join(lines).encode())
        mended = report_of(file)
        assert mended.exit_code == 0, (fix, mended)


@pytest.mark.parametrize(
    "text",
    [
        f"[[claim]]\nprove = '{WRONG}'\nfor = {{ k = [1] }}\n",
        f"claim = [{{ prove = '{WRONG}' }}]\n",
        f"[[claim]]\nprove = '{WRONG}'\nwhere = ['M > 1' # why\n]\n",
    ],
)
def test_where_a_change_could_go_wrong_none_is_offered(tmp_path, text):
    file = tmp_path / "a.layout.toml"
    file.write_text(text)
    (wrong,) = [r for r in report_of(file).results if not r.as_expected]
    assert fixes(wrong) == []


def test_a_file_that_has_changed_since_is_left_alone(tmp_path):
    file = tmp_path / "a.layout.toml"
    file.write_text(FILES["plain.layout.toml"])
    (wrong,) = report_of(file).results
    file.write_text("# new\n" + FILES["plain.layout.toml"])
    assert fixes(wrong) == []
    file.unlink()
    assert fixes(wrong) == []


def test_the_sides_of_a_condition():
    assert alternatives("it holds exactly when N % 128 == 0 or M <= 8") == [
        "N % 128 == 0",
        "M <= 8",
    ]
    assert alternatives("it holds if max(M, N) <= 8 and (M + 1)*N > 2") == [
        "max(M, N) <= 8 and (M + 1)*N > 2"
    ]
    assert alternatives("it holds for no sizes") == []
    assert alternatives("it holds with --coords j,i") == []


def test_sarif_has_the_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.layout.toml").write_text(FILES["plain.layout.toml"])
    log = json.loads(render(report_of(Path("a.layout.toml")), "sarif"))
    (result,) = log["runs"][0]["results"]
    first = result["fixes"][0]
    assert first["description"]["text"] == "require N % 128 == 0"
    (change,) = first["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "a.layout.toml"
    (put,) = change["replacements"]
    assert put["insertedContent"]["text"] == '\nwhere = ["N % 128 == 0"]'
    region = put["deletedRegion"]
    assert region["startLine"] == 2
    assert region["startColumn"] == region["endColumn"]
    assert main(["check", "--format", "sarif"]) == 1


@pytest.mark.parametrize("name", ["a.hlo", "A.HLO", "a.txt", "a.other"])
def test_a_module_is_not_mended(tmp_path, name):
    file = tmp_path / name
    file.write_text("""HloModule m
ENTRY e {
  x = f32[M,N]{1,0} parameter(0)
  ROOT y = f32[N,M]{1,0} transpose(x), dimensions={0,1}
}
""")
    (wrong,) = [r for r in report_of(file).results if not r.as_expected]
    assert wrong.hint.startswith("it holds ")
    assert fixes(wrong) == []


@pytest.mark.parametrize("status", ["unknown", "vacuous", "error", "refuted"])
@pytest.mark.parametrize("name", ["plain.layout.toml", "a.py", "c.cu"])
def test_a_change_is_offered_only_if_its_claim_is_proved(tmp_path, monkeypatch, name, status):
    from symlayout.checks import checker
    from symlayout.checks.result import Outcome

    file = tmp_path / name
    file.write_bytes(FILES[name].encode())
    (wrong,) = [r for r in report_of(file).results if not r.as_expected]
    assert fixes(wrong)
    monkeypatch.setattr(checker, "judge", lambda task: Outcome(status, ""))
    assert fixes(wrong) == []


def test_an_editor_has_the_changes_of_its_own_text(tmp_path):
    from symlayout.checks.editor import document_of

    file = tmp_path / "a.layout.toml"
    file.write_text("# another text\n")
    text = FILES["plain.layout.toml"]
    document = document_of(str(file), text, lambda: False, lambda d: None)
    offered = document.changes(1, 10)
    assert offered
    for fix in offered:
        mended = document_of(str(file), changed(text, fix), lambda: False, lambda d: None)
        assert [r.outcome.status for r in mended.results] == ["proved"]
    assert document.changes(5, 10) == []
