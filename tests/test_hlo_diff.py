"""`symlayout diff` and `check --html`: two dumps of one program, and the memory of one as a page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from xml.dom.minidom import parseString

import pytest

from symlayout.__main__ import main

DUMPS = Path(__file__).parent / "data" / "dumps"

BEFORE = """HloModule m, is_scheduled=true
ENTRY e {
  x = f32[8,128]{1,0:T(8,128)} parameter(0)
  ROOT y = f32[8,128]{1,0:T(8,128)} negate(x), metadata={op_name="f/neg"}
}
"""

AFTER = """HloModule m, is_scheduled=true
ENTRY e {
  x = f32[8,128]{1,0:T(8,128)} parameter(0)
  c = f32[8,128]{0,1:T(8,128)} copy(x)
  ROOT z.1 = f32[8,128]{0,1:T(8,128)} negate(c), metadata={op_name="f/neg"}
}
"""


@pytest.fixture
def files(tmp_path):
    for name, text in (("a.hlo", BEFORE), ("b.hlo", AFTER)):
        (tmp_path / name).write_text(text)
    return str(tmp_path / "a.hlo"), str(tmp_path / "b.hlo")


def test_what_changed_and_which_copies_came(files, capsys):
    a, b = files
    assert main(["diff", a, b]) == 1
    out = capsys.readouterr().out
    assert "+61,440 bytes  f32[8,128] of f/neg" in out
    assert "{1,0:T(8,128)} -> {0,1:T(8,128)}" in out
    assert "copy came: f32[8,128]{1,0:T(8,128)} to f32[8,128]{0,1:T(8,128)} (69,632 bytes)" in out
    assert "wasted: 0 -> 122,880 bytes, above the limit of 0 more" in out
    assert main(["diff", a, b, "--limit", "122880"]) == 0
    assert main(["diff", a, b, "--limit", "122879"]) == 1
    assert main(["diff", b, a]) == 0
    assert main(["diff", b, a, "--limit", "1%"]) == 0
    capsys.readouterr()
    assert main(["diff", a, b, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    (module,) = data["modules"]
    assert (data["within_limit"], module["wasted"]) == (False, {"before": 0, "after": 122_880})
    assert len(module["copies"]["came"]) == 1
    assert module["after"]["spaces"]["0"]["peak"] > module["before"]["spaces"]["0"]["peak"]


def test_a_dump_does_not_differ_from_itself(capsys):
    for file in sorted(DUMPS.glob("*.hlo")):
        assert main(["diff", str(file), str(file)]) == 0
        out = capsys.readouterr().out
        assert "->" not in out.rpartition("wasted:")[0]
        assert "copy" not in out


def test_folders_are_matched_by_module(tmp_path, capsys):
    for side, text in (("old", BEFORE), ("new", AFTER)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "module_0001.m.after_optimizations.txt").write_text(text)
        (tmp_path / side / "module_0002.n.after_optimizations.txt").write_text(
            BEFORE.replace("HloModule m", "HloModule n")
        )
    assert main(["diff", str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line.startswith("module")] == [
        "module m",
        "module n",
    ]


def folder(path, *texts):
    path.mkdir()
    for k, text in enumerate(texts, 1):
        (path / f"module_{k:04}.f.after_optimizations.txt").write_text(text)
    return str(path)


def named(text, name, size=8):
    return text.replace("HloModule m,", f"HloModule {name},").replace("[8,", f"[{size},")


def test_every_module_of_a_name_is_compared(tmp_path, capsys):
    """Programs of one name are usual: all but the first were left out."""
    old = folder(tmp_path / "old", BEFORE, BEFORE, named(BEFORE, "m", 16))
    new = folder(tmp_path / "new", named(BEFORE, "m", 16), BEFORE, AFTER)
    assert main(["diff", old, new]) == 1
    out = capsys.readouterr().out
    assert out.count("module m\n") == 3
    assert "wasted: 0 -> 122,880 bytes, above" in out
    assert "f32[16,128]" not in out  # which is the first on one side and the last on the other
    for side in (old, new):
        assert main(["diff", side, side]) == 0
    assert "only in" not in capsys.readouterr().out


def test_what_stands_on_one_side_alone_is_told(tmp_path, capsys):
    a, b, c = (named(BEFORE, name) for name in "abc")
    old, new = folder(tmp_path / "old", a, b), folder(tmp_path / "new", c, a)
    assert main(["diff", old, new]) == 0
    out = capsys.readouterr().out
    assert f"only in {old}: b\nonly in {new}: c\n" in out
    assert main(["diff", old, new, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["only"] == {"before": ["b"], "after": ["c"]}
    twice = folder(tmp_path / "twice", a, a, b)
    assert main(["diff", old, twice]) == 0
    assert f"only in {twice}: a\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["a.hlo", "none.hlo"], "SL601"),
        (["a.hlo", "b.hlo", "--limit", "much"], "SL600"),
        (["a.hlo", "x.mlir"], "SL602"),
        (["a.hlo", "broken.hlo"], "SL721"),
    ],
)
def test_what_cannot_be_compared(files, arguments, code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("x.mlir").write_text("module {}")
    Path("broken.hlo").write_text("HloModule m ENTRY e { x = f32[2 }")
    assert main(["diff", *arguments]) == 2
    said = capsys.readouterr().err
    assert code in said
    assert arguments[1] in said or "--limit" in said


def test_two_programs_are_named_both(files, tmp_path, capsys):
    other = tmp_path / "other.hlo"
    other.write_text(AFTER.replace("HloModule m", "HloModule other"))
    assert main(["diff", files[0], str(other)]) == 1
    assert capsys.readouterr().out.startswith("module m, compared with other\n")


@pytest.mark.explore
def test_a_page_that_stands_alone(tmp_path, capsys):
    page = tmp_path / "memory.html"
    file = str(DUMPS / "transformer.v5e.hlo")
    assert main(["check", file, "--no-cache", "--html", str(page)]) == 0
    text = page.read_text()
    pictures = re.findall(r"<svg.*?</svg>", text, re.S)
    assert len(pictures) >= 3
    for picture in pictures:
        parseString(picture)
    assert "http" not in text.replace("http-equiv", "")
    assert "jit(block)/sub programs.py:21" in text
    assert text.count("<table") == text.count("</table>") == 5
    assert "1 custom-call" in text
    assert '<meta name="viewport" content="width=device-width' in text
    assert "@media (prefers-color-scheme: dark)" in text
    assert "better: f32[3,6,100,100]{2,3,1,0:T(1,128)S(1)} with 921,600 bytes (900.0 KiB)" in text
    assert "<td class=n>485</td>" in text  # the line
    assert len(re.findall("S.[0-9]. [A-Za-z]+ over the schedule", text)) == 3
    # a label is the number of a row with its whole array, or the number alone
    arrays = re.findall(r"<code>(\w+\[[\d,]*\])", text.partition("Buffers, the most wasted")[2])
    labels = re.findall(r"<text [^>]*>(\d+)(?:: (\w+\[.*?\]).*?)?</text>", text)
    assert len([array for _, array in labels if array]) > 3
    assert all(array in ("", arrays[int(n) - 1]) for n, array in labels)


def test_no_script_but_the_page_s_own_may_run(tmp_path):
    page = tmp_path / "memory.html"
    main(["check", str(DUMPS / "whilecond.v5e.hlo"), "--no-cache", "--html", str(page)])
    (script,) = re.findall(r"<script>(.*?)</script>", page.read_text(), re.S)
    (policy,) = re.findall(r'Security-Policy" content="(.*?)">', page.read_text())
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none';")
    assert policy.endswith(f"script-src 'sha256-{digest}'")


@pytest.mark.parametrize("folder", ["v5e.oom", "v5e.scan", "v3.scan", "cpu.scan", "v5e.donated"])
def test_the_curve_of_the_page_ends_at_the_peak(folder, tmp_path, capsys):
    page = tmp_path / "memory.html"
    path = str(DUMPS / "folders" / folder)
    assert main(["check", path, "--no-cache", "--json", "--html", str(page)]) == 0
    (module,) = json.loads(capsys.readouterr().out)["modules"]
    for space in module["spaces"].values():
        assert max(space["curve"]) == space["peak"]
        text = page.read_text()
        name = module["sign"] + space["at"]
        assert f"{space['peak']:,} bytes at {name}</text>" in text
        assert f"alive at the peak, <code>{name}</code>" in text
        # the highest point of the picture is the peak's, where nothing more is needed
        (points,) = (
            [float(p.split(",")[1]) for p in hit.split()]
            for hit, label in re.findall(r'points="(.*?)"/>.*?>([^<]*) at [^<]*</text>', text, re.S)
            if label == f"{space['peak']:,} bytes"
        )
        top = 264 - 248 * space["peak"] / max(space["peak"], space["needed"])
        assert abs(min(points) - top) < 0.1


def test_names_cannot_write_into_the_page(tmp_path, capsys):
    (tmp_path / "m.hlo").write_text(
        "HloModule <b>m</b>\nENTRY e { x = f32[3,5]{1,0:T(8,128)} parameter(0), "
        'metadata={op_name="<script>alert(1)</script>"} }'
    )
    page = tmp_path / "p.html"
    assert main(["check", str(tmp_path / "m.hlo"), "--no-cache", "--html", str(page)]) == 0
    text = page.read_text()
    assert text.count("<script") == 1
    assert "<script>alert" not in text
    assert "<b>m" not in text
    (tmp_path / "c.layout.toml").write_text('[[claim]]\nprove = "holds \\"N >= 1\\""\n')
    assert main(["check", str(tmp_path / "c.layout.toml"), "--html", str(page)]) == 2
    assert "SL602" in capsys.readouterr().err
