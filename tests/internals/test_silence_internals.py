"""Properties of internal modules; `tests/test_silence.py` tests the public interface."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from test_silence import CLAIM, CODE, GOOD, checked

from symlayout.checks.comments.near import LOOK
from symlayout.checks.gitignore import Patterns
from symlayout.checks.tracked import tracked


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        f"symlayout {CLAIM}",
        f"Symlayout: {CLAIM}",
        f"SYMLAYOUT: {CLAIM}",
        f"symlayout : {CLAIM}",
        f"symlayout; {CLAIM}",
        f"sym-layout: {CLAIM}",
        f"sym_layout: {CLAIM}",
        f"symlayouts: {CLAIM}",
        f"symlyout: {CLAIM}",
        f"simlayout: {CLAIM}",
        "Symlayout: kernel grid (M,) in (x[M])",
        "Symlayout: injectiv '(4):(1)'",
        f"symlayout\uff1a {CLAIM}",
        f"sym\u200blayout: {CLAIM}",
    ],
)
def test_a_comment_that_is_nearly_a_claim(project, capsys, line):
    for name, lead in (("a.py", "# "), ("a.cu", "// "), ("b.cu", "/* "), ("c.cu", "/*\n * ")):
        tail = " */" if "*" in lead else ""
        Path(name).write_text(f"{lead}{line}{tail}\n{CODE.strip()};\n")
        assert LOOK.search(Path(name).read_text())
        code, claims, said = checked(capsys, name)
        assert (code, claims) == (2, [])
        assert "SL507" in said
        assert "write symlayout: " in said


def index_of(names, version):
    """The index that git keeps of files, as its documentation says."""
    made, before = b"DIRC" + version.to_bytes(4) + len(names).to_bytes(4), b""
    for name in sorted(n.encode() for n in names):
        flags = min(len(name), 0xFFF) | (0x4000 if version == 3 else 0)
        head = bytes(60) + flags.to_bytes(2) + bytes(2 if version == 3 else 0)
        if version == 4:
            pairs = enumerate(zip(before, name))
            shared = next((k for k, (x, y) in pairs if x != y), min(len(before), len(name)))
            left = len(before) - shared
            number = [left & 127]
            while left := left >> 7:  # seven bits a byte, the last ones at the end
                left -= 1
                number.insert(0, 128 | (left & 127))
            made += head + bytes(number) + name[shared:] + b"\0"
        else:
            entry = head + name
            made += entry + bytes(8 - len(entry) % 8)
        before = name
    return made + bytes(20)


@pytest.mark.parametrize("version", [2, 3, 4])
def test_what_git_keeps_is_read_whatever_is_ignored(project, capsys, version):
    names = [
        "a.layout.toml",
        "kernels/deep/b.layout.toml",
        "kernels/k.py",
        f"{'x' * 300}/c.py",
        "z",
    ]
    Path(".git/index").write_bytes(index_of(names, version))
    assert sorted(tracked(project)) == sorted(names)
    Path("kernels/deep").mkdir(parents=True)
    Path("a.layout.toml").write_text(GOOD)
    Path("kernels/deep/b.layout.toml").write_text(GOOD)
    Path("kernels/deep/new.layout.toml").write_text(GOOD)  # git does not know it
    Path("kernels/k.py").write_text(f"# symlayout: {CLAIM}\nx = i*N + i\n")
    for line in ("kernels/", "*.py\n*.layout.toml"):
        Path(".gitignore").write_text(f"{line}\n")
        assert checked(capsys)[:2] == (1, ["proved", "proved", "refuted"])
        assert checked(capsys, "--exclude", "*.py")[:2] == (0, ["proved", "proved"])
        assert checked(capsys, "--exclude", "/kernels/")[:2] == (0, ["proved"])
    Path("kernels/.git").write_text("gitdir: ../.git\n")  # as in a worktree
    assert sorted(tracked(Path("kernels"))) == sorted(names)


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\2" + bytes(90), b"x" * 99])
def test_what_is_no_index_is_an_error_where_files_are_ignored(project, capsys, data):
    Path(".git/index").write_bytes(data)
    Path("a.layout.toml").write_text(GOOD)
    assert checked(capsys)[:2] == (0, ["proved"])
    Path(".gitignore").write_text("b.layout.toml\n")
    Path("b.layout.toml").write_text(GOOD)  # git may keep it
    code, _, said = checked(capsys)
    assert code == 2
    assert "which files git keeps is not known" in said
    assert checked(capsys, "--no-ignore")[:2] == (0, ["proved", "proved"])
    assert [*tracked(project / "nowhere")] == []


# which files git leaves out, as `git ls-files -o --exclude-standard` said
GIT = json.loads((Path(__file__).parents[1] / "data" / "gitignore.json").read_text())


@pytest.mark.parametrize("row", GIT["rows"], ids=lambda row: " ".join(row["lines"]))
def test_gitignore_is_read_as_git_reads_it(row):
    made = []
    for path in GIT["paths"]:
        parts = path.split("/")
        above = [("/".join(parts[:n]), n < len(parts)) for n in range(1, len(parts) + 1)]
        if any(_left_out(row["lines"], name, folder) for name, folder in above):
            made.append(path)
    assert made == row["left_out"]


def _left_out(lines, path, folder):
    return Patterns(lines).keeps(path, folder) is False


def test_a_pattern_takes_no_time_whatever_it_is():
    start = time.monotonic()
    for line in ("*a" * 30 + "b", "**/a/" * 30 + "b", "[a-z]*" * 40 + "!", "**" * 500):
        made = Patterns([line]).keeps("a/" * 60 + "a" * 250, False)
        assert made is None or "**" in line
    assert time.monotonic() - start < 5
