"""Rocq for tests and benchmarks: `proofs/coq` built in a folder of its own, and files checked by it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "proofs" / "coq"
ABSENT = "Rocq was not asked: no coqc is installed (apt-get install coq)"
CLOSED = "Closed under the global context"


def present() -> bool:
    """Whether Rocq is installed."""
    return shutil.which("coqc") is not None


def modules(top: str = "") -> list[str]:
    """The files of the library, in the order in which they are built: those that `top` requires."""
    lines = (SOURCE / "_CoqProject").read_text().splitlines()
    files = [line for line in lines if line.endswith(".v")]
    if not top:
        return files
    needed, waiting = set[str](), [top]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += re.findall(r"Symlayout\.(\w+)", (SOURCE / f"{name}.v").read_text())
    return [file for file in files if file.removesuffix(".v") in needed]


def library(folder: Path) -> Path:
    """What printed theorems require, built in a folder; the sources' own stays as it is."""
    for name in modules("Words"):
        shutil.copy(SOURCE / name, folder / name)
        run(folder, folder / name)
    return folder


def run(folder: Path, file: Path, timeout: int = 120) -> subprocess.CompletedProcess[str]:
    """What `coqc` says of a file; raises where it refuses it."""
    command = ["coqc", "-q", "-R", str(folder), "Symlayout", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=timeout)


def accepts(folder: Path, text: str, title: str = "theorems") -> bool:
    """Whether Rocq accepts a file, all of whose theorems rest on nothing."""
    file = folder / f"{title}.v"
    file.write_text(text)
    try:
        output = run(folder, file).stdout
    except subprocess.CalledProcessError:
        return False
    return output.count(CLOSED) == len(re.findall(r"^Print Assumptions ", text, re.M)) > 0
