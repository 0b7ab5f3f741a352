"""No silent green: whatever was to be checked and was not is said, with exit code 2."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from symlayout.__main__ import main

GOOD = "[[claim]]\nprove = 'onto \"(4):(1)\"'\ntags = ['fast']\n"

CODE = "x = i*N + j\n"

CLAIM = 'formula "f32[M,N]{1,0}" coords i, j'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, list[str], str]:
    """The exit code, the claims' verdicts, and all messages."""
    code = main(["check", *argv, "--json", "--no-cache", "--no-hints"])
    out = json.loads(capsys.readouterr().out)
    said = "\n".join(f"{e['code']} {e['message']} {e['help']}" for e in out["errors"])
    return code, [c["verdict"] for c in out["claims"]], said


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        (None, None, "no file there ends in"),
        ("notes.txt", "no module", "and no .txt begins as a compiler's module"),
        ("notes.rs", "// nothing", "no file there ends in"),
        ("a.py", "x = 1\n", "no claim is in 1 file"),
        ("a.layout.toml", "[layouts]\na = 'f32[4]'\n", "no claim is in 1 file"),
    ],
)
def test_nothing_below_a_folder_is_no_success(project, capsys, file, text, said):
    if file:
        Path(file).write_text(text)
    code, claims, message = checked(capsys)
    assert (code, claims) == (2, [])
    assert said in message
    assert checked(capsys, "--allow-empty")[0] == 0


def test_a_named_source_without_claims_is_no_success_unless_others_have_some(project, capsys):
    Path("a.py").write_text(CODE)
    Path("b.py").write_text(f"# symlayout: {CLAIM}\n{CODE}")
    assert checked(capsys, "a.py")[0] == 2
    assert checked(capsys, "a.py", "--allow-empty")[0] == 0
    assert checked(capsys, "a.py", "b.py")[:2] == (0, ["proved"])


def test_a_folder_whose_files_are_excluded(project, capsys):
    Path("a.layout.toml").write_text(GOOD)
    code, claims, said = checked(capsys, "--exclude", "*.toml")
    assert (code, claims) == (2, [])
    assert "what is excluded there is passed over (1)" in said


def test_a_tag_that_no_claim_has(project, capsys):
    Path("a.layout.toml").write_text(GOOD)
    assert checked(capsys, "--tag", "fast")[:2] == (0, ["proved"])
    code, claims, said = checked(capsys, "--tag", "fsat")
    assert (code, claims) == (2, [])
    assert "no claim has the tag 'fsat' did you mean 'fast'?" in said
    assert checked(capsys, "--tag", "fast", "--tag", "slow")[:2] == (2, ["proved"])
    assert checked(capsys, "--tag", "slow", "--allow-empty")[0] == 0
    Path("pyproject.toml").write_text('[tool.symlayout]\ntags = ["fast", "slow"]\n')
    assert checked(capsys)[0] == 0  # the project's tags need not all be in every file
    Path("pyproject.toml").write_text('[tool.symlayout]\ntags = ["slow"]\n')
    assert checked(capsys)[0] == 2


def test_a_file_of_a_kind_that_nothing_reads(project, capsys):
    Path("a.rs").write_text("fn main() {}\n")
    code, _, said = checked(capsys, "a.rs")
    assert code == 2
    assert "what is read: .layout.toml" in said


@pytest.mark.parametrize(
    "line",
    [
        "symlayout is a tool",
        "symlayout formula of the layout",
        "see symlayout: the tool",
        "layout: equal to the other",
        "import symlayout",
        "summary: equal (in size)",
        "symlayout: ignore",
    ],
)
def test_prose_is_no_claim(project, capsys, line):
    Path("a.py").write_text(f"# {line}\nfrom symlayout import prove\n{CODE}s = '# Symlayout: x'\n")
    Path("b.py").write_text(f"# symlayout: {CLAIM}\n{CODE}")
    assert checked(capsys) == (0, ["proved"], "")


@pytest.mark.parametrize("lead", ["TODO", "type: ignore #", "-", "@", "(", "%%", "noqa: E1", ":"])
def test_a_claim_behind_other_words_of_a_comment(project, capsys, lead):
    for name, sign in (("a.py", "#"), ("a.cu", "//")):
        Path(name).write_text(f"{sign} {lead} symlayout: {CLAIM}\n{CODE.strip()};\n")
        code, claims, said = checked(capsys, name)
        assert (code, claims) == (2, [])
        assert "it stands behind other words" in said
        Path(name).write_text(f"{sign} {lead} `symlayout: {CLAIM}`\n{CODE.strip()};\n")
        assert checked(capsys, name, "--allow-empty") == (0, [], "")


@pytest.mark.parametrize("gap", [" where N > 1", "\n#   where N > 1", " of x", " expect refuted"])
def test_a_clause_that_does_not_go_on_with_the_claim(project, capsys, gap):
    for name, sign in (("a.py", "#"), ("a.cu", "//")):
        lines = gap.replace("#", sign)
        text = f"{sign} symlayout: {CLAIM}\n{sign}{lines}\n{CODE.strip()};\n"
        Path(name).write_text(text)
        code, claims, said = checked(capsys, name)
        assert (code, claims) == (2, ["proved"])
        assert "looks like a part of the claim above" in said
        assert "indented by two blanks" in said
        text = text.replace(f"{sign}{lines}", f"{sign} where it is explained\n{sign} of all ways")
        Path(name).write_text(text)
        assert checked(capsys, name) == (0, ["proved"], "")


@pytest.mark.parametrize("line", ["// where n < 2", "//\n//   x is f32[n-1]", "\n//   grid (1,)"])
def test_a_line_that_does_not_go_on_with_the_contract(project, capsys, line):
    Path("a.cu").write_text(
        "// symlayout: kernel grid (n,) block (1,)\n//   x is f32[n]\n"
        f"{line}\n__global__ void f(float* x, int n) {{ x[blockIdx.x] = 0; }}\n"
    )
    code, _, said = checked(capsys, "a.cu")
    assert code == 2
    assert "looks like a part of the claim above" in said


def test_what_begins_with_ignore_is_another_word(project, capsys):
    Path("a.py").write_text(f"# symlayout: ignored {CLAIM}\n{CODE}")
    code, claims, said = checked(capsys, "a.py")
    assert (code, claims) == (2, ["error"])
    assert "ignored" in said


def test_a_claim_in_the_middle_of_a_comment(project, capsys):
    Path("a.cu").write_text(f"/* Rows first.\n * symlayout: {CLAIM}\n */\n{CODE.strip()};\n")
    code, _, said = checked(capsys, "a.cu")
    assert code == 2
    assert "it begins a comment of its own" in said


def test_what_is_not_python_and_claims_nothing_is_passed_over(project, capsys):
    Path("a.py").write_text("# symlayout rocks\nprint 'x'\n\tx = (\n")
    Path("a.layout.toml").write_text(GOOD)
    assert checked(capsys)[:2] == (0, ["proved"])


def test_a_scan_of_nothing_is_no_success(project, capsys):
    assert main(["scan", "."]) == 2
    assert "it has no source file" in capsys.readouterr().err
    assert main(["scan", ".", "--allow-empty"]) == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("k.cu", "__global__ void f(float* x) { x[0] = 1; }  // caf\u00e9\n".encode("latin-1")),
        ("k.py", "import triton\n".encode("utf-16")),
        ("k.cl", b"__kernel void f(__global float* x) { x[0] = 1; }\0\n"),
        ("k.txt", b"__global__ void f(float* x) { x[0] = 1; }\n"),
        ("k.hip", b"//" + b"x" * 600_000),
    ],
)
@pytest.mark.parametrize("format", ["text", "json", "github", "sarif"])
def test_a_scan_of_a_file_that_cannot_be_read_is_no_success(project, capsys, name, text, format):
    Path("all").mkdir()
    Path("all", name).write_bytes(text)
    file = f"all/{name}"
    assert main(["scan", "--format", format, file]) == 2
    assert f"{file} was not scanned: " in capsys.readouterr().err
    assert main(["scan", "--format", format, file, "--allow-empty"]) == 0
    if name != "k.txt":
        assert main(["scan", "--format", format, "all"]) == 2
    Path("all", "a.py").write_text("x = 1\n")
    assert main(["scan", "--format", format, "all"]) == 0
    assert main(["scan", "--format", format, "all", file]) == 2


def test_files_that_a_scan_leaves_out_are_in_every_report(project, capsys, monkeypatch):
    Path("sub/all").mkdir(parents=True)
    Path("sub/all/k.cu").write_bytes(
        "// caf\u00e9\n__global__ void f(float* x) {}".encode("latin-1")
    )
    Path("sub/all/a.py").write_text(
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        "def wide(x_ptr, y_ptr, stride, N, BLOCK: tl.constexpr):\n    row = tl.program_id(0)\n"
        "    column = tl.arange(0, BLOCK)\n"
        "    x = tl.load(x_ptr + row * stride + column, mask=column < N)\n"
        "    tl.store(y_ptr + row.to(tl.int64) * stride + column, x, mask=column < N)\n"
    )
    monkeypatch.chdir("sub")  # what reads the report knows paths from the root
    assert main(["scan", "all", "--format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::warning file=sub/all/a.py,line=9,")
    assert lines[1].startswith("::notice file=sub/all/k.cu,line=1,col=1,title=not scanned::")
    assert main(["scan", "all", "--format", "sarif"]) == 1
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    where = [r["locations"][0]["physicalLocation"]["artifactLocation"] for r in run["results"]]
    assert [r["level"] for r in run["results"]] == ["warning", "note"]
    assert where == [{"uri": "sub/all/a.py"}, {"uri": "sub/all/k.cu"}]


def test_claims_in_a_file_of_another_ending(project, capsys):
    Path("a.layout.toml").write_text(GOOD)
    Path("b.toml").write_text(GOOD)
    Path("c.toml").write_text("[tool]\nclaim = 1\n")
    code, claims, said = checked(capsys)
    assert (code, claims) == (2, ["proved"])
    assert "rename it to b.layout.toml" in said
    assert checked(capsys, ".", "b.toml")[:2] == (0, ["proved", "proved"])
    Path(".gitignore").write_text("b.toml\n")
    assert checked(capsys)[:2] == (0, ["proved"])


@pytest.mark.parametrize("name", ["b.layout.TOML", "b.Layout.toml", "b.toml"])
@pytest.mark.parametrize("head", ["[[claim]]\n", '[["claim"]]\n', "claim = [{"])
def test_claims_in_toml_of_another_ending_however_they_begin(project, capsys, name, head):
    Path("a.layout.toml").write_text(GOOD)
    Path(name).write_text(f"{head}prove = 'onto \"(4):(1)\"'{'}]' * ('{' in head)}\n")
    code, claims, said = checked(capsys)
    assert (code, claims) == (2, ["proved"])
    assert "rename it to b.layout.toml" in said or "rename it to b.Layout.layout.toml" in said


@pytest.mark.parametrize("name", ["k.rs", "k.pyi", "k.ipynb", "k.mlir", "k.hlsl"])
def test_a_claim_in_a_comment_that_nobody_reads(project, capsys, name):
    Path("a.layout.toml").write_text(GOOD)
    text = f"// symlayout: {CLAIM}\nlet x = i*N + j;\n"
    if name == "k.ipynb":
        text = json.dumps({"cells": [{"source": [f"# symlayout: {CLAIM}\n", CODE]}]})
    Path(name).write_text(text)
    code, claims, said = checked(capsys)
    assert (code, claims) == (2, ["proved"])
    assert f"{name} has a claim in a comment, but no comments of such files are read" in said
    assert checked(capsys, "--exclude", name)[:2] == (0, ["proved"])
    Path(name).write_text("// a file without claims, see symlayout: the tool\n")
    assert checked(capsys)[:2] == (0, ["proved"])


@pytest.mark.parametrize("ending", ["CU", "Cuh", "HIP", "C", "Py", "PY"])
def test_sources_are_read_whatever_the_letters_of_their_ending(project, capsys, ending):
    mark, code = ("#", "x = i*N + j") if ending.lower() == "py" else ("//", "int x = i*N + j;")
    Path("sub").mkdir()
    Path(f"sub/k.{ending}").write_text(f"{mark} symlayout: {CLAIM}\n{code}\n")
    for place in (".", f"sub/k.{ending}"):
        assert checked(capsys, place)[:2] == (0, ["proved"])


@pytest.mark.parametrize("ending", ["CU", "Cuh", "Py"])
def test_kernels_are_found_whatever_the_letters_of_their_ending(project, capsys, ending):
    if ending == "Py":
        head = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
        text = f"{head}def f(y, n):\n    tl.store(y + n, 0)\n"
    else:
        text = "__global__ void f(float* y, int n) { y[n] = 0; }\n"
    Path("sub").mkdir()
    Path(f"sub/k.{ending}").write_text(text)
    for place in (".", f"sub/k.{ending}"):
        assert main(["scan", place]) == 0
        assert "1 of 1 access understood" in capsys.readouterr().out
    assert main(["accesses", f"sub/k.{ending}"]) == 0
    assert "store  y[n]" in capsys.readouterr().out


def test_folders_are_searched_whatever_they_are_called_and_through_links(project, capsys):
    for folder in ("build", "dist", "shared/deep", "kernels"):
        Path(folder).mkdir(parents=True)
    Path("build/a.layout.toml").write_text(GOOD)
    Path("dist/k.py").write_text(f"# symlayout: {CLAIM}\n{CODE}")
    Path("shared/deep/b.layout.toml").write_text(GOOD)
    Path("shared/deep/up").symlink_to("../..")  # circles end
    Path("shared/self").symlink_to(".")
    Path("kernels/shared").symlink_to("../shared")
    Path("kernels/again").symlink_to("../shared/deep")
    assert checked(capsys, ".")[:2] == (0, ["proved"] * 3)  # each once
    assert checked(capsys, "kernels")[:2] == (0, ["proved"])
    assert checked(capsys, "build", "dist")[:2] == (0, ["proved"] * 2)


def test_a_folder_that_cannot_be_read_is_no_success(project, capsys, monkeypatch):
    Path("a.layout.toml").write_text(GOOD)
    Path("closed").mkdir()
    scandir = os.scandir

    def refuses(path):
        if os.path.basename(path) == "closed":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuses)
    code, claims, said = checked(capsys, ".")
    assert (code, claims) == (2, ["proved"])
    assert "closed cannot be read: permission denied" in said
    assert main(["scan", "."]) == 2
    assert "closed cannot be read" in capsys.readouterr().err


def test_old_encodings_are_a_mistake_where_they_may_hold_a_claim(project, capsys):
    Path("a.layout.toml").write_text(GOOD)
    Path("old.c").write_bytes("// caf\u00e9\nint x;\n".encode("latin-1"))
    assert checked(capsys, ".") == (0, ["proved"], "")
    for encoding, line in (("latin-1", f"symlayout: {CLAIM}"), ("utf-16", "nothing")):
        Path("old.c").write_bytes(f"// caf\u00e9\n// {line}\nint x;\n".encode(encoding))
        code, _, said = checked(capsys, ".")
        assert (code, "SL601" in said) == (2, True)


@pytest.mark.parametrize("because", ["", "because = ''", "because = ' '"])
def test_an_expected_refutation_says_why(project, capsys, because):
    claim = "[[claim]]\nprove = 'injective \"(4):(0)\"'\nexpect = 'refuted'\n"
    Path("a.layout.toml").write_text(f"{claim}{because}\n")
    code, claims, said = checked(capsys)
    assert (code, claims) == (2, ["error"])
    assert "SL508" in said
    Path("a.layout.toml").write_text(f"{claim}because = 'one place'\n")
    assert checked(capsys)[:2] == (0, ["refuted"])


def test_the_hooks_check_what_includes_a_changed_file(project, capsys):
    Path("sub").mkdir()
    Path("shared.layout.toml").write_text("[layouts]\na = '(4):(0)'\n")
    Path("middle.layout.toml").write_text("include = ['shared.layout.toml']\n")
    Path("sub/b.layout.toml").write_text(
        "include = ['../middle.layout.toml']\n[[claim]]\nprove = 'injective a'\n"
    )
    Path("c.layout.toml").write_text(GOOD)
    argv = ("shared.layout.toml", "--dependents", "--allow-empty")
    assert checked(capsys, *argv)[:2] == (1, ["refuted"])
    Path("circle.layout.toml").write_text("include = ['circle.layout.toml', 3]\n")
    assert checked(capsys, *argv)[:2] == (1, ["refuted"])


def test_what_includes_a_changed_header_is_checked(project, capsys):
    for folder in ("src/deep", "include"):
        Path(folder).mkdir(parents=True)
    Path("include/sizes.h").write_text("#define THREADS 256\n")
    Path("src/middle.h").write_text('  # include "include/sizes.h"\n')
    kernel = (
        '#include "../middle.h"\n#include "nowhere.h"\n'
        "// symlayout: kernel grid (cdiv(n, 256),) block (256,)\n"
        "//   x is f32[n] written once\n//   where n <= 1048576\n"
        "__global__ void f(float* x, int n) {\n"
        "  int i = blockIdx.x * THREADS + threadIdx.x;\n  if (i < n) x[i] = 0;\n}\n"
    )
    Path("src/deep/k.cu").write_text(kernel)
    Path("src/deep/other.cu").write_text(kernel.replace("../middle.h", "other.h"))
    Path("src/plain.c").write_text('#include "middle.h"\nint x;\n')
    argv = ("include/sizes.h", "--dependents", "--allow-empty")
    code, verdicts, _ = checked(capsys, *argv)
    assert (code, {*verdicts}) == (0, {"proved"})
    Path("include/sizes.h").write_text("#define THREADS 128\n")
    code, verdicts, _ = checked(capsys, *argv)
    assert code == 1
    assert "refuted" in verdicts
    assert checked(capsys, "src/plain.c", "--dependents", "--allow-empty") == (0, [], "")


@pytest.mark.parametrize(
    "line",
    [
        "from sizes import WIDTH",
        "from pack.sizes import (\n    # why\n    WIDTH,\n)",
        "from .sizes import WIDTH",
        "from . import sizes\nWIDTH = sizes.WIDTH",
    ],
)
def test_what_imports_a_changed_module_is_checked(project, capsys, line):
    Path("pack").mkdir()
    Path("pack/__init__.py").write_text("")
    Path("pack/sizes.py").write_text("WIDTH = 4\n")
    Path("pack/k.py").write_text(f"{line}\n# symlayout: {CLAIM}\n{CODE}")
    Path("pack/other.py").write_text(f"import os, sys\n# symlayout: {CLAIM}\n{CODE}")
    Path("pack/none.py").write_text(f"{line}\n")
    argv = ("pack/sizes.py", "--dependents", "--allow-empty")
    assert checked(capsys, *argv) == (0, ["proved"], "")


def test_what_is_ignored_is_not_searched_and_what_is_named_is(project, capsys):
    Path("out").mkdir()
    Path("out/a.layout.toml").write_text(GOOD)
    Path(".gitignore").write_text("out/\n")
    code, _, said = checked(capsys)
    assert code == 2
    assert "--no-ignore reads it" in said
    assert checked(capsys, "--no-ignore")[:2] == (0, ["proved"])
    assert checked(capsys, "out")[:2] == (0, ["proved"])
    assert checked(capsys, "out/a.layout.toml")[:2] == (0, ["proved"])
    Path("b.layout.toml").write_text(GOOD * 2)
    assert checked(capsys, "--no-ignore", "--exclude", "b*")[:2] == (0, ["proved"])
    Path("pyproject.toml").write_text('[tool.symlayout]\nexclude = ["/out/"]\n')
    assert checked(capsys, "--no-ignore")[:2] == (0, ["proved"] * 2)


def test_claims_in_folders_that_are_not_searched_are_told(project, capsys):
    Path("a.layout.toml").write_text(GOOD)
    for folder in (".ci/deep", ".git/x", ".ci/.venv", ".venv", ".env"):
        Path(folder).mkdir(parents=True)
        Path(folder, "b.layout.toml").write_text(GOOD)
    Path(".env/pyvenv.cfg").write_text("")
    said = (
        "passed over: 1 claims file in a folder whose name begins with a dot; name it as a path: "
    )
    assert main(["check", ".", "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert f"{said}./.ci/deep/b.layout.toml\n" in out
    assert "1 claim in 1 file" in out
    Path(".ci/c.layout.toml").write_text(GOOD)
    assert main(["check", ".", "--no-cache"]) == 0
    assert "2 claims files in folders" in capsys.readouterr().out
    for more in ([".ci"], [".ci/c.layout.toml", ".ci/deep"]):
        assert main(["check", ".", *more, "--no-cache"]) == 0
        out = capsys.readouterr().out
        assert "3 claims in 3 files" in out
        assert "passed over" not in out
    assert main(["check", ".", "--exclude", ".ci", "--no-cache"]) == 0
    assert "passed over" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["M.HLO", "m.Hlo", "M.MLIR", "M.TXT"])
def test_modules_are_found_whatever_the_letters_of_their_endings(project, capsys, name):
    text = "func.func @f(%a: tensor<3xf32>) { %0 = stablehlo.negate %a : tensor<3xf32>\n return }"
    if not name.endswith("MLIR"):
        text = "HloModule m ENTRY e { x = f32[2]{0} parameter(0) }"
    Path("dump").mkdir()
    Path("dump", name).write_text(text)
    for path in ("dump", f"dump/{name}"):
        code, claims, _ = checked(capsys, path)
        assert (code, set(claims)) == (0, {"proved"})


@pytest.mark.parametrize(
    "format", ["full", "concise", "json", "github", "sarif", "junit", "markdown"]
)
def test_what_was_passed_over_is_in_every_report(project, capsys, monkeypatch, format):
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    Path("k.cu").write_text(
        "// symlayout: kernel p in f32[N]\n__global__ void f(float* p) { p[threadIdx.x] = 1; }\n"
    )
    Path("other.mlir").write_text("func.func @f(%a: memref<3xf32>) { return }\n")
    Path(".ci").mkdir()
    Path(".ci/b.layout.toml").write_text(GOOD)
    Path("a.layout.toml").write_text(GOOD)
    assert main(["check", ".", "--allow-empty", "--no-cache", "--format", format]) == 0
    out = capsys.readouterr().out
    plain = out.replace("\\", "")  # of Markdown
    for said in ("contracts of kernels are left out", "holds no StableHLO", "begins with a dot"):
        assert said in plain
    if format == "json":
        left = json.loads(out)["left_out"]
        assert [row["file"] for row in left] == ["k.cu", "other.mlir", ".ci/b.layout.toml"]
