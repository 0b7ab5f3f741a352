"""Hostile checkouts: whatever is in them, nothing of theirs runs, nothing outside is read or changed.

Beside each checkout lie a file that must not change, a text that must not be printed, and the name of a
file that is written as soon as anything of the checkout runs.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import symlayout
from symlayout.__main__ import main

PACKAGE = str(Path(symlayout.__file__).parents[1])

GOOD = "[[claim]]\nprove = 'injective \"(4,5):(5,1)\"'\n"

WORD = "s3cr3t"  # of a text outside

# claims, layouts, facts, kernels and JSON at once: whoever reads it has something to say of it
OUTSIDE = f"""[layouts]
{WORD} = 'f32[4' # symlayout: {WORD} injective "(4
def {WORD}(): pass # symlayout: formula '(4):(1)' of {WORD} {WORD}
"""

HEADER = f"__device__ void put(float* x, int n) {{ x[n + {WORD}] = 0; }}\n"

ESCAPE = "\x1b]0;{0}\x07\x1b[2J"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty checkout in which the command is given; what is beside it is not its own."""
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "victim").write_text("as it was")
    for name in (
        "outer.h",
        "outer.py",
        "outer.toml",
        "outer.layout.toml",
        "outer.rs",
        "outer.json",
    ):
        (beside / name).write_text(HEADER if name == "outer.h" else OUTSIDE)
    project = tmp_path / "checkout"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("CANARY", WORD)
    yield project
    while (project / "z").is_dir():  # what is too deep for Python to remove
        os.rename(project / "z", project / "y")
        for name in os.listdir(project / "y"):
            os.rename(project / "y" / name, project / name)
        os.rmdir(project / "y")


def lines(*claims: str) -> str:
    return "".join(f"[[claim]]\nprove = '{c}'\n" for c in claims)


def link(name: str, target: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    os.symlink(target, name)


def write(name: str | bytes, text: str | bytes) -> None:
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "wb") as stream:
        stream.write(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)


def settings(row: str) -> None:
    write("pyproject.toml", f"[tool.symlayout]\n{row}\n")
    write("a.layout.toml", GOOD)


OUT = "outside of the project's root"

KERNEL = (
    "// symlayout: kernel grid (1,) block (32,)\n//   x is f32[n]\n"
    "__global__ void k(float* x, int n) {{ {} }}\n"
)


def unseen(text: str) -> list[str]:
    """The characters of a report that a terminal obeys, and lines that GitHub does."""
    signs = [c for c in text if not c.isprintable() and c != "\n"]
    return signs + re.findall(r"^\s*::(?:error|warning|stop-commands)\b.*|##\w*\[", text, re.M)


@pytest.mark.parametrize(
    "format", ["full", "concise", "json", "github", "sarif", "junit", "markdown"]
)
def test_names_are_harmless_in_every_format(
    format: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (
        "a\n::error::b",
        ESCAPE,
        "\u202etxt",
        "##[error]x",
        "##vso[task.x]y",
        "]]>&<b>",
        "a`b|c",
    ):
        write(f"{name}.layout.toml", lines("injective (4):(0)"))
    write(b"\xff.layout.toml", lines("injective (4):(0)"))
    assert main(["check", ".", "--no-cache", "--format", format]) == 1
    text = "".join(capsys.readouterr())
    if format == "github":  # its own commands alone: one for each claim
        own = re.findall(r"^::error file=[^\n]*$", text, re.M)
        assert len(own) == 8
        text = re.sub(r"^::error file=", "", text, flags=re.M)
    assert unseen(text) == []
    if format in ("json", "sarif"):
        json.loads(text)


def test_settings_have_no_summary_written(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings("format = 'github'")
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main(["check", ".", "--no-cache"]) == 0
    assert not summary.exists()
    assert main(["check", ".", "--no-cache", "--format", "github"]) == 0
    assert "1 claim" in summary.read_text()


@pytest.mark.parametrize("mode", [0o777, 0o707])
def test_a_cache_that_everybody_may_fill_is_refused(
    checkout: Path, mode: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write("a.layout.toml", GOOD)
    folder = checkout.parent / "shared"
    folder.mkdir()
    folder.chmod(mode)
    assert main(["check", ".", "--cache-dir", str(folder)]) == 0
    assert "everybody may write" in capsys.readouterr().err
    assert list(folder.iterdir()) == []


def test_a_cache_of_another_user_is_refused(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("a.layout.toml", GOOD)
    folder = checkout.parent / "theirs"
    folder.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    assert main(["check", ".", "--cache-dir", str(folder)]) == 0
    assert "belongs to another user" in capsys.readouterr().err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["claims", "headers", "paths", "links", "named"])
def test_an_option_opens_what_is_outside(
    kind: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = checkout.parent / "beside"
    (beside / "sizes.toml").write_text("[layouts]\na = '(4):(1)'\n")
    (beside / "b.layout.toml").write_text(GOOD)
    (beside / "put.h").write_text("__device__ void put(float* x) { x[threadIdx.x] = 0; }\n")
    argv = ["check", "."]
    if kind == "claims":
        write("a.layout.toml", f"include = ['../beside/sizes.toml']\n{lines('injective a')}")
    elif kind == "headers":
        write(
            "k.cu", '#include "../beside/put.h"\n' + KERNEL.format("if (threadIdx.x < n) put(x);")
        )
    elif kind == "paths":
        argv = ["check", "../beside/b.layout.toml"]
    else:
        link("b.layout.toml", "../beside/b.layout.toml")
        argv = ["check", "b.layout.toml"] if kind == "named" else argv
    inside = main([*argv, "--no-cache"])
    capsys.readouterr()
    assert main([*argv, "--no-cache", "--include-outside"]) == 0
    assert inside == {"paths": 0, "headers": 1}.get(kind, 2)
    assert "1 claim" in (text := capsys.readouterr().out) or (
        kind == "headers" and "3 claims" in text
    )


@pytest.mark.parametrize("mark", [".git", "pyproject.toml"])
def test_the_root_is_the_nearest_one_above_what_is_named(
    mark: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("own.toml", "[layouts]\na = '(4):(1)'\n")
    write("sub/deep/a.layout.toml", f"include = ['../../own.toml']\n{lines('injective a')}")
    for path in (".", "sub", "sub/deep", "sub/deep/a.layout.toml"):
        assert main(["check", path, "--no-cache"]) == 0
    write(f"sub/{mark}", "")
    assert main(["check", ".", "--no-cache"]) == 0  # what a file lies in is not asked
    for path in ("sub", "sub/deep", "sub/deep/a.layout.toml"):
        capsys.readouterr()
        assert main(["check", path, "--no-cache"]) == 2
        assert OUT in "".join(capsys.readouterr())


KERNELS = {
    "k.cu": KERNEL.format("if (threadIdx.x < n) x[threadIdx.x] = 0;"),
    "k.triton.py": (
        "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x, n):\n"
        "    i = tl.arange(0, 16)\n    tl.store(x + i, 0, mask=i < n)\n"
    ),
    "m.hlo": "HloModule m\nENTRY e { ROOT x = f32[4]{0} parameter(0) }\n",
    "a.layout.toml": lines("injective (4,5):(5,1)", "injective (M,N):(1,P)", 'onto "(4):(1)"'),
}


def test_z3_is_imported_in_one_place() -> None:
    package = Path(symlayout.__file__).parent
    own = re.compile(r"^\s*(?:import z3\b|from z3\b)", re.M)
    hits = [str(f.relative_to(package)) for f in package.rglob("*.py") if own.search(f.read_text())]
    assert hits == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("module", ["numpy", "multiprocessing.forkserver", "symlayout.prove"])
@pytest.mark.parametrize("command", ["check", "scan"])
def test_a_worker_that_cannot_start_is_one_error(tmp_path: Path, module: str, command: str) -> None:
    """An installation that is damaged, as the processes see it that share the work."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / "a.layout.toml").write_text(KERNELS["a.layout.toml"])
    for number in range(9):
        (checkout / f"k{number}.cu").write_text(KERNELS["k.cu"])
    damage = tmp_path / "damage"
    damage.mkdir()
    (damage / "sitecustomize.py").write_text(
        f"import sys\nif '-c' in sys.orig_argv: sys.modules[{module!r}] = None\n"
    )
    env = {**os.environ, "PYTHONPATH": f"{damage}{os.pathsep}{PACKAGE}"}
    argv = [command, ".", "--jobs", "2", *["--no-cache"] * (command == "check")]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "symlayout", *argv],
        cwd=checkout,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )
    if command == "scan" and module == "numpy":  # a scan does not need it
        assert done.returncode == 0
        return
    assert done.returncode == 2, done.stderr
    assert (
        "SL603: a process that shares the work cannot be started: ModuleNotFoundError"
        in done.stderr
    )
    assert module.rpartition(".")[0] in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert done.stdout == ""


def test_processes_are_not_started_where_they_could_not_be_safe(tmp_path: Path) -> None:
    (tmp_path / "a.layout.toml").write_text(KERNELS["a.layout.toml"])
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from symlayout.__main__ import main; "
    code += "sys.exit(main())"
    for flags, expected in (("-E", 2), ("-EP", 1), ("-I", 1)):
        done = subprocess.run(
            [
                sys.executable,
                flags,
                "-c",
                code,
                PACKAGE,
                "check",
                str(tmp_path),
                "--jobs",
                "2",
                "--no-cache",
            ],
            cwd=tmp_path.parent,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == expected, done.stderr
        assert ("SL603: under python -E" in done.stderr) == (expected == 2)
