"""`symlayout contract`: a contract to start from, printed or put above the kernel."""

from __future__ import annotations

import ast
import os
import stat
from argparse import Namespace

from symlayout.checks.kernel_files import Reader, text_of
from symlayout.checks.kernel_start import comment, contract_of
from symlayout.checks.project import named
from symlayout.checks.reading import within
from symlayout.errors import LayoutError
from symlayout.text.escape import terminal
from symlayout.text.lines import lines_of


def run(args: Namespace) -> int:
    """`symlayout contract FILE[::KERNEL] [--write]`.

    Raises `LayoutError`: SL504 for a kernel that is not there, SL602 where all have a contract,
    SL601 for a file that is not written.
    """
    file, _, name = args.file.partition("::")
    own = within(named(file, args.include_outside))
    reader = Reader(file, text_of(file, own), own)
    kernels = [f for f in reader.launched() if name in ("", f.name)]
    if not kernels:
        kernels = [reader.function(name)] if name else []
    if not kernels:
        help = "a kernel is a @triton.jit function, or a __global__ function"
        raise LayoutError("SL602", f"no kernels found in {file}", help=help)
    rows = [(f, contract_of(reader, f)) for f in kernels if not _has_contract(reader, f)]
    if not rows:
        help = f"`symlayout check {args.file}` checks it"
        raise LayoutError("SL602", f"{args.file} has a contract already", help=help)
    sign = "#" if file.endswith(".py") else "//"
    if args.write:
        _write(file, reader.text, rows, sign)
        print(terminal(f"wrote {len(rows)} to {file}; `symlayout check {args.file}` checks it"))
    else:
        print("\n".join(terminal(x) for _, c in rows for x in comment(c, sign).splitlines()))
    return 0


def _has_contract(reader: Reader, function: ast.FunctionDef) -> bool:
    from symlayout.checks.comments.loader import load_text

    loaded = load_text(reader.file, reader.text, reader.within, only=(function.name,))
    return bool(loaded.entries or loaded.problems)


def _write(file: str, text: str, rows: list[tuple[ast.FunctionDef, list[str]]], sign: str) -> None:
    """Puts each contract above its kernel; the rest of the file stays as it is, byte by byte."""
    lines = list(lines_of(text))
    for function, contract in sorted(rows, key=lambda row: -row[0].lineno):
        first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
        while sign == "//" and first > 1 and lines[first - 2].lstrip().startswith("template"):
            first -= 1
        line = lines[first - 1]
        end = "\r\n" if line.endswith("\r\n") else "\n"
        indent = line[: len(line) - len(line.lstrip())]
        lines.insert(first - 1, comment(contract, sign, indent).replace("\n", end))
    _replace(file, "".join(lines).encode())


def _replace(file: str, data: bytes) -> None:
    """Writes over a regular file, through no symbolic link.

    Raises `LayoutError` (SL601) where it is none, or cannot be written.
    """
    if os.path.realpath(file) != os.path.abspath(file):
        message = f"{file} is not written: it is, or lies below, a symbolic link"
        raise LayoutError("SL601", message, help="name the file itself")
    try:
        number = os.open(
            file, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        )
        with os.fdopen(number, "wb") as stream:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise LayoutError("SL601", f"{file} is not written: it is not a regular file")
            stream.write(data)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise LayoutError("SL601", f"{file} cannot be written: {why}") from None
