"""Hostile checkouts: whatever is in them, nothing of theirs runs, nothing outside is read or changed.

Beside each checkout lie a file that must not change, a text that must not be printed, and the name of a
file that is written as soon as anything of the checkout runs.
"""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest

import symlayout
from symlayout.__main__ import main

NAME = "verdicts-2.sqlite3"  # the database of verdicts

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

SECONDS = 60  # of processor time, on a machine that does other work as well


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


def state(folder: Path) -> dict[bytes, tuple[int, int, bytes]]:
    """What is below a folder: kinds, times and contents."""
    table: dict[bytes, tuple[int, int, bytes]] = {}
    waiting = [os.fsencode(folder)]
    while waiting:  # os.walk calls itself, and what a checkout holds may be deep
        root = waiting.pop()
        for path in (os.path.join(root, name) for name in os.listdir(root)):
            if len(path) >= 4096:  # nobody can name it
                continue
            at = os.lstat(path)
            if os.path.isdir(path) and not os.path.islink(path):
                waiting.append(path)
            plain = os.path.isfile(path) and not os.path.islink(path) and at.st_size < 1_000_000
            text = open(path, "rb").read() if plain else b""  # noqa: SIM115
            table[path] = (at.st_mode, at.st_mtime_ns, text)
    return table


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


def index(version: int, names: list[bytes], count: int | None = None, shared: int = 0) -> bytes:
    head = b"DIRC" + version.to_bytes(4) + (len(names) if count is None else count).to_bytes(4)
    flags = (0xFFF).to_bytes(2) + bytes([shared] if version == 4 else [])
    return head + b"".join(bytes(60) + flags + name + b"\0" for name in names) + bytes(20)


def journal(folder: str, target: str) -> None:
    """A database with a journal of another one: SQLite deletes the file that it names."""
    os.makedirs(folder)
    for name in (NAME, "verdicts.sqlite3"):
        file = f"{folder}/{name}"
        database = sqlite3.connect(file)
        database.execute("CREATE TABLE verdicts (key TEXT PRIMARY KEY, data TEXT)")
        database.commit()
        database.close()
        path = os.path.abspath(target).encode()
        magic = bytes.fromhex("d9d505f920a163d7")
        header = magic + bytes(4) + b"\0\0\0\1" + (2).to_bytes(4) + (512).to_bytes(4)
        text = header + (4096).to_bytes(4) + bytes(484)
        checksum = sum(path).to_bytes(4)
        text += (2).to_bytes(4) + path + len(path).to_bytes(4) + checksum + magic
        write(f"{file}-journal", text)


def sock(name: str) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(name)


def deep(levels: int) -> None:
    """Folders in folders, more than a path may name at once."""
    here = os.open(".", os.O_RDONLY)
    try:
        for _ in range(levels):
            os.mkdir("z")
            os.chdir("z")
        write("x.layout.toml", GOOD)
    finally:
        os.fchdir(here)
        os.close(here)


def many(count: int, row: str) -> str:
    return "".join(row.format(n) for n in range(count))


@dataclass(frozen=True)
class Case:
    """What a checkout holds, the command, its exit code, and a part of what it says."""

    build: Callable[[], object]
    code: int
    said: str = ""
    argv: tuple[str, ...] = ("check", ".", "--no-cache")


def both(*steps: object) -> None:
    """Steps that are taken one after another, as arguments."""


def outside(*more: str) -> tuple[str, ...]:
    return ("check", ".", "--no-cache", *more)


OUT = "outside of the project's root"

SCAN = ("scan", ".")

LINKS = {
    f"a link {name}": Case(partial(link, name, target), code, said)
    for name, target, code, said in (
        ("a.layout.toml", "../beside/outer.layout.toml", 2, OUT),
        ("a.py", "../beside/outer.py", 2, OUT),
        ("a.cu", "../beside/outer.h", 2, OUT),
        ("a.hlo", "../beside/outer.json", 2, OUT),
        ("a.mlir", "../beside/outer.json", 2, OUT),
        ("a.txt", "../beside/outer.json", 2, "no claims found below .:"),
        ("a.toml", "../beside/outer.toml", 2, "no claims found below"),
        ("a.rs", "../beside/outer.rs", 2, "no claims found below"),
        ("a.ipynb", "../beside/outer.rs", 2, "no claims found below"),
        ("zero.py", "/dev/zero", 2, OUT),
        ("random.layout.toml", "/dev/urandom", 2, OUT),
        ("tty.cu", "/dev/tty", 2, OUT),
        ("env.layout.toml", "/proc/self/environ", 2, OUT),
        ("env.py", "/proc/self/environ", 2, OUT),
        ("mem.py", "/proc/self/mem", 2, OUT),
        ("self.py", "self.py", 2, "SL601"),
        ("all", "/", 2, "no claims found below"),
        ("up", "..", 2, "no claims found below"),
        ("sub/here", "..", 2, "no claims found below"),
        (".gitignore", "../beside/outer.rs", 2, "no claims found below"),
        ("pyproject.toml", "../beside/outer.toml", 2, OUT),
        ("nowhere.cu", "../beside/missing", 2, OUT),
    )
}

INCLUDES = {
    f"include {text}": Case(
        partial(write, "a.layout.toml", f"include = ['{text}']\n{GOOD}"), 2, said
    )
    for text, said in (
        ("../beside/outer.toml", OUT),
        ("sub/../../beside/outer.toml", OUT),
        ("/etc/passwd", OUT),
        ("/proc/self/environ", OUT),
        ("/dev/zero", OUT),
        ("//server/share/a.toml", OUT),
        ("~/.ssh/id_rsa", "SL601"),
        ("a.layout.toml", "includes this file again"),
        (".", "is a folder"),
        (".git/config", "SL601"),
    )
}

SETTINGS = {
    f"settings {row[:60]}": Case(partial(settings, row), 2, said)
    for row, said in (
        ("paths = ['../beside/outer.py']", OUT),
        ("paths = ['../beside']", OUT),
        ("paths = ['/']", OUT),
        ("paths = ['a.layout.toml', '/etc/passwd']", OUT),
        ("include-outside = true", "--include-outside"),
        ("cache-dir = '../beside'", "--cache-dir"),
        ("cache-dir = 'kept'", "SYMLAYOUT_CACHE_DIR"),
        ("jobs = 2", "--jobs"),
        ("jobs = 'auto'", "--jobs"),
        ("certificates = 'x'", "no key 'certificates'"),
        ("output-file = 'x'", "no key 'output-file'"),
        ("backend = 'dask'", "no key 'backend'"),
        ("html = 'x'", "no key 'html'"),
        ("paths = 1", "must be an array"),
        ("paths = [['a']]", "must be a text"),
        ("paths = [{a = 1}]", "must be a text"),
        ("where = ['\\u001b[2J']", "SL"),
        ("tags = 1979-05-27", "must be an array"),
        ("format = ['full']", "must be a text"),
        ("format = '::error::x'", "format is one of"),
        ("budget = inf", "must be a number"),
        ("budget = -1", "budget is a number"),
        ("budget = 0x7fffffffffffffffffffffff", "budget is a number"),
        ("max-padding = true", "max-padding must be"),
        ("max-padding = '1e999999999'", "SL"),
        ("exclude = 'a'", "must be an array"),
        ("exclude = " + json.dumps([f"*{n}?" for n in range(1001)]), "patterns with wildcards"),
        ("a." * 30 + "b = 1", "a key of more than 20 parts"),
        ("x = " + "[" * 60, "nested more than 50 deep"),
        ("x = " + "9" * 5000, "a word of more than 1,000 characters"),
    )
}

KERNEL = (
    "// symlayout: kernel grid (1,) block (32,)\n//   x is f32[n]\n"
    "__global__ void k(float* x, int n) {{ {} }}\n"
)

PYTHON = "# symlayout: formula '(4):(1)' coords i of x\nx[i]\n"

FILES = {
    "headers outside": Case(
        lambda: write(
            "sub/k.cu",
            '#include "../../beside/outer.h"\n#include "/etc/passwd"\n#include "../own.h"\n'
            + KERNEL.format("put(x, n);"),
        ),
        1,
        "put is not followed",
    ),
    "a header that is a link": Case(
        lambda: both(
            link("own.h", "../beside/outer.h"),
            write("k.cu", '#include "own.h"\n' + KERNEL.format("put(x, n);")),
        ),
        2,
        OUT,
    ),
    "a header in a folder that is a link": Case(
        lambda: both(
            link("inc", "../beside"),
            write("k.cu", '#include "inc/outer.h"\n' + KERNEL.format("put(x, n);")),
        ),
        1,
        "put is not followed",
    ),
    "modules outside": Case(
        lambda: write(
            "sub/k.py",
            "import triton\nfrom ...beside.outer import f\nfrom beside.outer import *\nimport outer\n"
            "@triton.jit\ndef k(x):\n    f(x)\n",
        ),
        2,
        "none of 1 access was understood",
        SCAN,
    ),
    "packages that are links": Case(
        lambda: both(
            link("pkg", "../beside"),
            write(
                "k.py", "import triton\nfrom pkg.outer import f\n@triton.jit\ndef k(x):\n    f(x)\n"
            ),
        ),
        2,
        "none of 1 access was understood",
        SCAN,
    ),
    "links for a scan": Case(
        lambda: both(link("k.py", "../beside/outer.py"), link("k.cu", "../beside/outer.h")),
        2,
        OUT,
        SCAN,
    ),
    "a certificate that is a link": Case(
        lambda: link("c/x.json", "../../beside/outer.json"), 2, OUT, ("recheck", "c")
    ),
    "dumps that are links": Case(
        lambda: both(link("a/m.hlo", "../../beside/outer.json"), write("b/m.hlo", "HloModule m\n")),
        2,
        OUT,
        ("diff", "a", "b"),
    ),
    "what lies beside a dump": Case(
        lambda: both(
            write(
                "module_0001.m.after_optimizations.txt",
                "HloModule m\nENTRY e { ROOT x = f32[4]{0} parameter(0) }\n",
            ),
            [
                link(f"module_0001.m.after_optimizations{end}", "../beside/outer.json")
                for end in ("-buffer-assignment.txt", "-memory-usage-report.txt")
            ],
        ),
        0,
    ),
    "a named file that is a link": Case(
        lambda: link("k.py", "../beside/outer.py"), 2, OUT, ("check", "k.py", "--no-cache")
    ),
    "a named folder that is a link": Case(
        lambda: link("src", "../beside"), 2, OUT, ("check", "src", "--no-cache")
    ),
    "a folder in a named link": Case(
        lambda: link("src", ".."), 2, OUT, ("check", "src/beside", "--no-cache")
    ),
    "accesses of a link": Case(
        lambda: link("k.cu", "../beside/outer.h"), 2, OUT, ("accesses", "k.cu")
    ),
    "a link named by a hook": Case(
        lambda: link("k.layout.toml", "../beside/outer.layout.toml"),
        2,
        OUT,
        ("check", "--dependents", "--allow-empty", "k.layout.toml", "--no-cache"),
    ),
    "a pipe": Case(lambda: os.mkfifo("k.py"), 2, "is a pipe"),
    "pipes for settings": Case(
        lambda: both(
            os.mkfifo("pyproject.toml"), os.mkfifo(".gitignore"), write("a.layout.toml", GOOD)
        ),
        0,
    ),
    "a pipe that is included": Case(
        lambda: both(os.mkfifo("p.toml"), write("a.layout.toml", f"include = ['p.toml']\n{GOOD}")),
        2,
        "is a pipe",
    ),
    "a socket": Case(lambda: sock("k.cu"), 2, "SL601"),
    "folders named like files": Case(
        lambda: [os.makedirs(n) for n in ("a.layout.toml", "k.py", "pyproject.toml", ".gitignore")],
        2,
        "no claims found below",
    ),
    "a sparse file": Case(
        lambda: both(write("k.py", ""), os.truncate("k.py", 10**13)), 2, "is too large"
    ),
    "a sparse module": Case(
        lambda: both(write("m.mlir", ""), os.truncate("m.mlir", 10**13)), 2, "is too large"
    ),
    "deep folders": Case(lambda: deep(1100), 0, "1 claim"),
    "folders deeper than a path": Case(lambda: deep(2100), 2, "SL601: ./z/z"),
    "links in a circle": Case(
        lambda: both(
            [link(f"{a}/{b}", f"../{b}") for a in "abcdefgh" for b in "abcdefgh" if a != b],
            write("a/x.layout.toml", GOOD),
        ),
        0,
        "1 claim",
    ),
    "names that a terminal obeys": Case(
        lambda: [
            write(f"{n}.layout.toml", lines("injective (4):(0)"))
            for n in ("a\n::error::b", ESCAPE, "\u202etxt", "\r", "##[error]x", "a\tb", "\u2028")
        ],
        1,
        "\\x1b",
    ),
    "names that are no text": Case(
        lambda: write(b"\xff\xfe\x80.layout.toml", lines("injective (4):(0)")), 1, "\\udcff"
    ),
    "names like options": Case(
        lambda: [write(f"./{n}.py", PYTHON) for n in ("--output-file=x", "-x", "--html", "@args")],
        0,
    ),
    "a name of 255 bytes": Case(lambda: write(f"{'n' * 252}.py", PYTHON), 0),
    "claims that a terminal obeys": Case(
        lambda: write(
            "a.layout.toml",
            "[[claim]]\nname = '\\u001b[2J'\n"
            'prove = "injective \'(4):(0)\'"\nbecause = "\\u001b]8;;http://x\\u0007\\n::error::x"\n',
        ),
        1,
    ),
    "text in other encodings": Case(
        lambda: both(
            write("a.py", b"# -*- coding: rot13 -*-\n# symlayout: \xff\n"),
            write("b.py", "# coding: nothing\n" + PYTHON),
            write("c.layout.toml", "a".encode("utf-16")),
            write("d.cu", b"// symlayout: kernel\0\n"),
        ),
        2,
        "is not UTF-8",
    ),
    "a .gitignore of very many patterns": Case(
        lambda: both(
            write(".gitignore", many(200_000, "d{0}/*x{0}?.t[a-z]\n")), write("a.layout.toml", GOOD)
        ),
        2,
        "is not obeyed",
    ),
    "a .gitignore of very many names": Case(
        lambda: both(write(".gitignore", many(300_000, "n{}\n")), write("a.layout.toml", GOOD)),
        2,
        "is not obeyed",
    ),
    "very many .gitignore files": Case(
        lambda: both(
            [write(f"d{n}/.gitignore", many(900, f"*a*{n}*b{{}}*{'c' * 80}\n")) for n in range(30)],
            write("a.layout.toml", GOOD),
        ),
        2,
        "is not obeyed",
    ),
    "patterns that take long": Case(
        lambda: both(
            write(".gitignore", "*a" * 400 + "b\n" + "**/a/" * 60 + "b\n" + "[a-z]*" * 400 + "!\n"),
            write("a/" * 60 + "a" * 200 + ".layout.toml", GOOD),
        ),
        0,
        "1 claim",
    ),
    "a .gitignore that is not text": Case(
        lambda: both(write(".gitignore", b"\xff\0*\n"), write("a.layout.toml", GOOD)), 0, "1 claim"
    ),
    "an index whose names grow": Case(
        lambda: both(
            write(".git/index", index(4, [b"a" * 20] * 36_000)),
            write(".gitignore", "*.py\n"),
            write("a.layout.toml", GOOD),
            write("b.py", ""),
        ),
        2,
        "which files git keeps is not known",
    ),
    "an index of 4 billion files": Case(
        lambda: both(
            write(".git/index", index(2, [], 2**32 - 1)),
            write(".gitignore", "*.py\n"),
            write("a.layout.toml", GOOD),
            write("b.py", ""),
        ),
        2,
        "which files git keeps is not known",
    ),
    "an index of files outside": Case(
        lambda: both(
            write(".git/index", index(2, [b"../beside/outer.py\0".ljust(66, b"\0")])),
            write(".gitignore", "*.py\n"),
            write("a.layout.toml", GOOD),
            write("b.py", ""),
        ),
        2,
    ),
    "a repository that is elsewhere": Case(
        lambda: both(
            os.rmdir(".git"),
            write(".git", "gitdir: /dev\n"),
            write(".gitignore", "*.py\n"),
            write("b.py", ""),
            write("a.layout.toml", GOOD),
        ),
        0,
    ),
    "a repository that is itself": Case(
        lambda: both(
            os.rmdir(".git"), write(".git", "gitdir: .git\n"), write("a.layout.toml", GOOD)
        ),
        0,
    ),
    "a journal in the old place": Case(
        lambda: both(journal(".symlayout_cache", "../beside/victim"), write("a.layout.toml", GOOD)),
        0,
        "1 claim",
        ("check", "."),
    ),
    "a journal in a place that is named": Case(
        lambda: both(journal("kept", "../beside/victim"), write("a.layout.toml", GOOD)),
        0,
        "is a journal of a database",
        ("check", ".", "--cache-dir", "kept"),
    ),
    "a cache that is a link": Case(
        lambda: both(link("kept", "../beside"), write("a.layout.toml", GOOD)),
        0,
        "is a symbolic link in a project",
        ("check", ".", "--cache-dir", "kept"),
    ),
    "a cache below a link": Case(
        lambda: both(link("build", "../beside"), write("a.layout.toml", GOOD)),
        0,
        "is a symbolic link in a project",
        ("check", ".", "--cache-dir", "build/deep/kept"),
    ),
    "a database that is a link": Case(
        lambda: both(link(f"kept/{NAME}", "../../beside/victim"), write("a.layout.toml", GOOD)),
        0,
        "is a symbolic link",
        ("check", ".", "--cache-dir", "kept"),
    ),
    "a database with another name": Case(
        lambda: both(
            os.mkdir("kept"),
            os.link("../beside/victim", f"kept/{NAME}"),
            write("a.layout.toml", GOOD),
        ),
        0,
        "hard link",
        ("check", ".", "--cache-dir", "kept"),
    ),
    "a log in a cache": Case(
        lambda: both(write("kept/x-wal", ""), write("a.layout.toml", GOOD)),
        0,
        "is a journal",
        ("check", ".", "--cache-dir", "kept"),
    ),
    "a report that is a link": Case(
        lambda: both(link("r.sarif", "../beside/victim"), write("a.layout.toml", GOOD)),
        2,
        "is a symbolic link in a project",
        outside("--output-file", "r.sarif"),
    ),
    "a report in a folder that is a link": Case(
        lambda: both(link("out", "../beside"), write("a.layout.toml", GOOD)),
        2,
        "is a symbolic link in a project",
        outside("--output-file", "out/victim"),
    ),
    "a report over a source, through a link": Case(
        lambda: both(write("k.py", ""), link("r.json", "k.py"), write("a.layout.toml", GOOD)),
        2,
        "is a symbolic link in a project",
        outside("--output-file", "r.json"),
    ),
    "a report that is a pipe": Case(
        lambda: both(os.mkfifo("r.json"), write("a.layout.toml", GOOD)),
        2,
        "is not a file",
        outside("--output-file", "r.json"),
    ),
    "certificates in a link": Case(
        lambda: both(link("certs", "../beside"), write("a.layout.toml", GOOD)),
        2,
        "is a symbolic link in a project",
        outside("--certificates", "certs"),
    ),
    "a certificate over a link": Case(
        lambda: both(
            link("certs/0001-injective-4-5-5-1.json", "../../beside/victim"),
            write("a.layout.toml", GOOD),
        ),
        2,
        "is a symbolic link in a project",
        outside("--certificates", "certs"),
    ),
    "a certificate that is a link, of one claim": Case(
        lambda: link("c.json", "../beside/victim"),
        2,
        "is a symbolic link in a project",
        ("prove", "--certificate", "c.json", "onto", "(4):(1)"),
    ),
    "a picture that is a link": Case(
        lambda: link("p.svg", "../beside/victim"),
        2,
        "is a symbolic link in a project",
        ("show", "(4):(1)", "--output", "p.svg"),
    ),
    "very many includes": Case(
        lambda: both(
            [
                write(
                    f"{n}.layout.toml",
                    f"include = ['{n + 1}.layout.toml', '{n + 2}.layout.toml']\n",
                )
                for n in range(30)
            ],
            write("a.layout.toml", f"include = ['0.layout.toml']\n{GOOD}"),
        ),
        2,
        "too many files",
    ),
    "a for of very many claims": Case(
        lambda: write(
            "a.layout.toml",
            "[[claim]]\nprove = 'onto \"({a}{b}{c}):(1)\"'\nfor = {a = ["
            + ",".join(map(str, range(300)))
            + "], b = ["
            + ",".join(map(str, range(300)))
            + "], c = [1,2,3]}\n",
        ),
        2,
        "10,000",
    ),
    "escapes without an end": Case(lambda: write("a.layout.toml", "a = '''" + "\\" * 600_000), 2),
    "certificates that are bombs": Case(
        lambda: both(
            write("c/a.json", "[" * 100_000),
            write("c/b.json", '{"a":' * 5000),
            write("c/d.json", "1e9"),
        ),
        2,
        "holds no certificate",
        ("recheck", "c"),
    ),
}

CASES = LINKS | INCLUDES | SETTINGS | FILES


def unseen(text: str) -> list[str]:
    """The characters of a report that a terminal obeys, and lines that GitHub does."""
    signs = [c for c in text if not c.isprintable() and c != "\n"]
    return signs + re.findall(r"^\s*::(?:error|warning|stop-commands)\b.*|##\w*\[", text, re.M)


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", CASES)
def test_a_hostile_checkout_is_harmless(
    name: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    case.build()
    before = state(checkout.parent)
    start = time.process_time()
    code = main(list(case.argv))
    assert time.process_time() - start < SECONDS
    text = "".join(capsys.readouterr())
    assert state(checkout.parent) == before
    assert WORD not in text
    assert "SL900" not in text
    assert "Traceback" not in text
    assert unseen(text) == []
    assert case.said in text
    assert code == case.code, text
    assert code == 0 or text.strip()


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


def test_the_journal_is_a_trap(checkout: Path) -> None:
    """So that the tests of caches can fail: opened as a database, it deletes the file beside."""
    journal("kept", "../beside/victim")
    database = sqlite3.connect(f"kept/{NAME}")
    with pytest.raises(sqlite3.DatabaseError):
        database.execute("SELECT sql FROM sqlite_master").fetchall()
    database.close()
    assert not (checkout.parent / "beside" / "victim").exists()


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


def test_a_key_that_came_with_a_checkout_is_not_believed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A CI may keep the home's caches in the project: a stranger's key and verdicts lie there too."""
    monkeypatch.delenv("SYMLAYOUT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout / ".cache"))
    write("a.layout.toml", lines("injective (4):(0)"))
    write(".cache/symlayout/key", b"k" * 32)
    assert main(["check", "."]) == 1
    assert "its key would lie in the project" in capsys.readouterr().err
    assert [f.name for f in (checkout / ".cache" / "symlayout").iterdir()] == ["key"]
    monkeypatch.setenv("SYMLAYOUT_CACHE_KEY", "a secret of the CI")
    assert main(["check", "."]) == 1
    assert (checkout / ".cache" / "symlayout" / NAME).exists()


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


SCRIPT = """import os, sys
def told(event, arguments):
    if event == "subprocess.Popen" and arguments[0] == "uname":  # Dask asks what machine this is
        return
    library = event == "ctypes.dlopen" and str(arguments[0] or "").startswith(os.getcwd())
    if library or event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"):
        with open(os.environ["RAN"], "a") as stream:
            stream.write(f"{event} {arguments}\\n")
sys.addaudithook(told)
from symlayout.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""

PROGRAMS = ("git", "sh", "bash", "gcc", "cc", "clang", "nvcc", "ld", "ldconfig", "objdump")

KERNELS = {
    "k.cu": KERNEL.format("if (threadIdx.x < n) x[threadIdx.x] = 0;"),
    "k.triton.py": (
        "import triton\nimport triton.language as tl\n@triton.jit\ndef k(x, n):\n"
        "    i = tl.arange(0, 16)\n    tl.store(x + i, 0, mask=i < n)\n"
    ),
    "m.hlo": "HloModule m\nENTRY e { ROOT x = f32[4]{0} parameter(0) }\n",
    "a.layout.toml": lines("injective (4,5):(5,1)", "injective (M,N):(1,P)", 'onto "(4):(1)"'),
}


@pytest.fixture
def trapped(
    checkout: Path, tmp_path: Path
) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Runs the command, as an installed script does, in a checkout full of traps."""
    ran = tmp_path / "ran"
    trap = f"open({str(ran)!r}, 'a').write(__name__ + '\\n')\n"
    names = {
        *sys.stdlib_module_names,
        *packages_distributions(),
        *(n.partition(".")[0] for n in sys.modules),
    }
    names |= {
        "sitecustomize",
        "usercustomize",
        "conftest",
        "setup",
        "symlayout",
        "_bootstrap",
        "pip",
    }
    for name in filter(str.isidentifier, names):
        write(f"{name}.py", trap)
    write("trap.pth", f"import sys; {trap}")
    write("pyvenv.cfg", "home = .\n")
    write("setup.cfg", "[options.entry_points]\npytest11 = x = conftest\n")
    write("pyproject.toml", '[build-system]\nbuild-backend = "setup"\nbackend-path = ["."]\n')
    for library in ("libz3.so", "libz3.so.5.4", "libz3.dylib", "libcvc5.so"):
        write(library, "no library")
    for version in (
        "libz3.so.4.13",
        "libz3.so.5.0",
        "libz3.so.5.1",
        "libz3.so.5.2",
        "libz3.so.5.3",
    ):
        write(version, "no library")
    write(".git/config", f"[core]\nfsmonitor = touch {ran}\nhooksPath = .\npager = touch {ran}\n")
    for program in PROGRAMS:
        write(f"bin/{program}", f"#!/bin/sh\necho {program} >> {ran}\n")
        os.chmod(f"bin/{program}", 0o755)
    for name, text in KERNELS.items():
        write(name, text)
    script = tmp_path / "scripts" / "symlayout"
    write(str(script), SCRIPT)
    before = state(checkout)
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    env |= {"PYTHONPATH": PACKAGE, "RAN": str(ran), "PATH": f"{checkout}/bin:{os.environ['PATH']}"}

    def run(*argv: str, input: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(script), *argv]
        done = subprocess.run(
            command, env=env, input=input, capture_output=True, text=True, timeout=100
        )
        assert not ran.exists(), ran.read_text()
        assert "Traceback" not in done.stderr
        return done

    yield run
    assert state(checkout) == before


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["check", ".", "--jobs", "2", "--no-cache"], 1, "7 claims"),
        (["check", ".", "--jobs", "2"], 1, "7 claims"),
        (["check", ".", "--jobs", "2", "--backend", "dask", "--no-cache"], 1, "7 claims"),
        (["scan", ".", "--jobs", "2"], 0, "2 kernels"),
        (["accesses", "k.cu"], 0, "x[threadIdx_x]"),
        (["prove", "holds", "x**6 + y**6 + u**6 != z**6 + 3529", "--no-hints"], 1, "unknown"),
        (["when", "injective", "(M,N):(1,P)"], 0, "exactly when"),
        (["show", "f32[4,8]{1,0:T(2,4)}"], 0, "31"),
    ],
    ids=lambda x: " ".join(x[:2]) if isinstance(x, list) else None,
)
def test_nothing_of_the_working_directory_runs(
    trapped: Callable[..., subprocess.CompletedProcess[str]], argv: list[str], code: int, said: str
) -> None:
    done = trapped(*argv)
    assert said in done.stdout, done.stdout + done.stderr
    assert done.returncode == code


def test_nothing_runs_for_certificates(
    trapped: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    file = str(tmp_path / "c.json")
    claim = ["injective", "bf16[M,N]{1,0:T(8,128)(2,1)}"]
    assert trapped("prove", *claim, "--certificate", file).returncode == 0
    assert trapped("recheck", file).returncode == 0


def test_nothing_runs_for_an_editor(
    trapped: Callable[..., subprocess.CompletedProcess[str]], checkout: Path
) -> None:
    uri = (checkout / "a.layout.toml").as_uri()
    document = {"uri": uri, "languageId": "toml", "version": 1, "text": KERNELS["a.layout.toml"]}
    messages = [
        ("initialize", 1, {"processId": None, "rootUri": checkout.as_uri(), "capabilities": {}}),
        ("initialized", None, {}),
        ("textDocument/didOpen", None, {"textDocument": document}),
        (
            "textDocument/hover",
            2,
            {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 12}},
        ),
        ("shutdown", 3, None),
        ("exit", None, None),
    ]
    text = ""
    for method, number, params in messages:
        body = {"jsonrpc": "2.0", "method": method}
        body |= {} if number is None else {"id": number}
        body |= {} if params is None else {"params": params}
        line = json.dumps(body)
        text += f"Content-Length: {len(line)}\r\n\r\n{line}"
    done = trapped("lsp", input=text)
    assert '"serverInfo"' in done.stdout, done.stderr


def test_a_solver_of_the_working_directory_is_not_loaded(
    trapped: Callable[..., subprocess.CompletedProcess[str]], checkout: Path, tmp_path: Path
) -> None:
    """Z3's module tries the working directory first; a library runs code when it is loaded."""
    code = (
        "import sys\nhits = []\n"
        "sys.addaudithook(lambda e, a: hits.append(str(a[0])) if e == 'ctypes.dlopen' else None)\n"
        "from symlayout.text.solver import z3\nz3.Solver()\n"
        "print([x for x in hits if x and x.startswith(sys.argv[1])])\n"
    )
    env = {**os.environ, "PYTHONPATH": PACKAGE}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(checkout)],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "[]\n", done.stderr


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


BYTES = Path(__file__).parent / "data" / "dumps" / "bytes"

READER = """class HloModule:
    @classmethod
    def from_serialized_hlo_module_proto(cls, data):
        return cls()
    def to_string(self):
        import sys
        return "HloModule m\\nENTRY e { ROOT x = f32[4]{0} parameter(0) }\\n// " + repr(sys.path)
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("path", ["", ".", "{site}", "{site}:", ":{site}", "{site}:.:site"])
@pytest.mark.parametrize("start", [("{script}",), ("-P", "-m", "symlayout")], ids=["script", "-m"])
def test_no_jaxlib_of_the_checkout_is_imported(
    path: str, start: tuple[str, ...], checkout: Path, tmp_path: Path
) -> None:
    """Modules that are bytes are read by an installed jaxlib or not at all."""
    ran = tmp_path / "ran"
    trap = f"open({str(ran)!r}, 'a').write(__name__ + '\\n')\n"
    for folder in ("jaxlib", "site/jaxlib"):
        for name in ("__init__", "_hlo", "_jax", "xla_extension", "mlir"):
            write(f"{folder}/{name}.py", trap)
    for name in ("ml_dtypes", "site/ml_dtypes"):  # which the real one imports
        write(f"{name}.py", trap)
    write("m.hlo.pb", (BYTES / "module.hlo.pb").read_bytes())
    site = tmp_path / "elsewhere"
    write(str(site / "jaxlib" / "__init__.py"), "")
    write(str(site / "jaxlib" / "_hlo.py"), READER)
    script = tmp_path / "scripts" / "symlayout"
    write(str(script), "import sys\nfrom symlayout.__main__ import main\nsys.exit(main())\n")
    parts = [PACKAGE, *path.format(site=site).split(":")] if path else [PACKAGE]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(parts), "XLA_FLAGS": "--xla_dump_to=."}
    before = state(checkout)
    command = [sys.executable, *(s.format(script=script) for s in start)]
    done = subprocess.run(
        [*command, "check", "m.hlo.pb", "--no-cache"],
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert not ran.exists(), ran.read_text()
    assert state(checkout) == before
    assert "Traceback" not in done.stderr
    if "{site}" in path:
        assert done.returncode == 0, done.stderr
        if find_spec("jaxlib") is None:  # that of the site answers, with one claim
            assert "1 claim in 1 file (1 proved)" in done.stdout
        else:
            assert re.search(r"\d claims? in 1 file \(\d+ proved\)", done.stdout)
    elif done.returncode:  # else the tests run where jaxlib is installed
        assert done.returncode == 2
        assert "SL509" in done.stderr or "jaxlib does not read it" in done.stderr


HOSTILE_BYTES = {
    "cut": (BYTES / "module.hlo.pb").read_bytes()[:300],
    "cut bytecode": (BYTES / "bytecode.mlir").read_bytes()[:200],
    "cut artifact": (BYTES / "artifact.mlir").read_bytes()[:60],
    "cut export": (BYTES / "exported.bin").read_bytes()[:900],
    "wrong bits": bytes(b ^ (k % 7 == 0) for k, b in enumerate((BYTES / "proto.pb").read_bytes())),
    "a size without an end": b"\n\x01m\x12\x01e\x1a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    "fields without an end": b"\x08\x01" * 5_000_000 + b"\x80",
    "a name that is an escape": b"\n\x05\x1b[2Jm\x12\x01e\x1a\x02\n\x00",
    "bytecode that is text": b"ML\xefR\rStableHLO_v1.0.0\0" + ESCAPE.encode() * 100,
    "compressed": b"\x1f\x8b" + bytes(range(256)) * 10,
    "random": bytes((k * k * 7919 >> 5) & 255 for k in range(100_000)),
    "text and a zero": b"HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }\n\0",
}


@pytest.mark.parametrize("ending", ["hlo", "hlo.pb", "mlir"])
@pytest.mark.parametrize("name", HOSTILE_BYTES)
def test_hostile_bytes_are_one_error(
    name: str, ending: str, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where jaxlib is installed it is asked; where it is not, the error says so."""
    write(f"m.{ending}", HOSTILE_BYTES[name])
    before = state(checkout)
    start = time.process_time()
    assert main(["check", f"m.{ending}", "--no-cache"]) == 2
    assert time.process_time() - start < SECONDS
    text = "".join(capsys.readouterr())
    assert state(checkout) == before
    assert re.search(r"SL(?:601|509): ", text), text
    assert "Traceback" not in text
    assert unseen(text) == []
    assert len(text) < 3000


def test_processes_of_a_scan_read_what_one_process_reads(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (checkout.parent / "beside" / "put.h").write_text(
        "__device__ void put(float* x, int n) { x[threadIdx.x + n] = 0; }\n"
    )
    for number in range(9):
        text = KERNEL.format("put(x, n);").replace("__global__", "__global__ ", number)
        write(f"k{number}.cu", f'#include "../beside/put.h"\n{text}')
    texts: list[str] = []
    for argv in (["--jobs", "1"], ["--jobs", "2"]):
        for more in ([], ["--include-outside"]):
            main(["scan", ".", "--allow-empty", "--all", "-v", *argv, *more])
            texts.append("".join(capsys.readouterr()))
    assert texts[:2] == texts[2:]
    assert texts[0] != texts[1]


# modules that open files by themselves: our own data, the cache, and what a command writes
OPENERS = {
    "cache.py",
    "cache_folder.py",
    "cli/contract.py",
    "cli/options.py",
    "cli/schema.py",
    "explain.py",
    "reading.py",
}


def test_one_module_opens_the_files_of_a_checkout() -> None:
    """What `reading` opens is of a project that whoever reads has been given."""
    folder = Path(symlayout.__file__).parent
    opened: dict[str, set[str]] = {}
    for room in ("checks", "programs"):
        for file in sorted((folder / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                f = node.func if isinstance(node, ast.Call) else None
                word = getattr(f, "id", None) or getattr(f, "attr", None)
                owner = getattr(getattr(f, "value", None), "id", "")
                if word in ("open", "fdopen", "read_text", "read_bytes") and owner != "webbrowser":
                    opened.setdefault(room, set()).add(file.relative_to(folder / room).as_posix())
    assert opened == {"checks": OPENERS, "programs": {"hlo/opcodes.py"}}
