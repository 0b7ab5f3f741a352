"""What several commands share: options that are numbers, files that are written, and colour."""

from __future__ import annotations

import json
import os
import re
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from symlayout.checks.config import Config
from symlayout.checks.project import writable
from symlayout.errors import LayoutError
from symlayout.text.endings import ends_in
from symlayout.text.limits import BUDGET, JOBS


def whole(text: str, what: str, least: int, most: int) -> int:
    """The number that an option gives.

    >>> whole("12", "--jobs", 1, 1024)
    12

    Raises `LayoutError` (SL600) for what is none, too small or too large.
    """
    digits = text.strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 20 and least <= int(digits) <= most:
        return int(digits)
    excerpt = text if len(text) < 60 else text[:50] + "..."
    message = f"{what} is a number from {least} to {most}, not {excerpt!r}"
    raise LayoutError("SL600", message, help="write 2**20 for a power" if "^" in text else None)


def assumes(args: Namespace, config: Config) -> bool:
    """Whether sizes and launches without bounds are assumed to have some: `--assume` says so first."""
    return config.assume if args.assume is None else args.assume != "none"


def symbol(name: str) -> str:
    """The fact that introduces a name, which an option gives.

    >>> symbol("BLOCK")
    'symbol BLOCK'

    Raises `LayoutError` (SL600) for what is not a name.
    """
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is None:
        raise LayoutError("SL600", f"--symbol takes the name of a size, not {name[:60]!r}")
    return f"symbol {name}"


def budget(text: str | None) -> int | None:
    """The solver's rlimit that an option gives."""
    return None if text is None else whole(text, "--budget", 1, BUDGET)


def format_of(args: Namespace, default: str) -> str:
    """The format of what is printed; raises `LayoutError` (SL600) where two are asked for."""
    if args.json and args.format not in (None, "json"):
        raise LayoutError("SL600", f"--json and --format {args.format} contradict each other")
    return "json" if args.json else args.format or default


def processes(text: str | None) -> int:
    """How many processes share the work."""
    if text == "auto":
        return os.cpu_count() or 1
    return 1 if text is None else whole(text, "--jobs", 1, JOBS)


def write(file: str, text: str, mode: str = "w") -> None:
    """Writes a text; raises `LayoutError` (SL601) where it cannot, or over what is checked."""
    from symlayout.checks.discover import KINDS

    kinds = tuple(k for k in KINDS if k != ".txt")  # which may be a report
    if ends_in(file, kinds):
        over = " over" if os.path.exists(file) else ""
        message = f"{file} is not written{over}: files that end so are checked"
        raise LayoutError("SL601", message, help="give it another ending")
    if not file:
        raise LayoutError("SL601", "the name of the file to write is empty")
    if file == "-":
        help = "/dev/stdout is the standard output, ./- a file of that name"
        raise LayoutError("SL601", "- is not a name of a file to write", help=help)
    place = writable(file)
    try:
        with open(place, mode, encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        raise LayoutError("SL601", f"{file} cannot be written: {why}") from None


def write_json(folder: str, files: Iterable[tuple[str, Any]]) -> int:
    """Writes objects by their names into a folder, and tells how many.

    Raises `LayoutError` (SL601) where it cannot.
    """
    count = 0
    if not folder:
        raise LayoutError("SL601", "the name of the folder to write is empty")
    place = Path(writable(folder))
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, data in files:
            text = json.dumps(data, indent=1) + "\n"
            Path(writable(str(place / f"{name}.json"))).write_text(text, encoding="utf-8")
            count += 1
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise LayoutError("SL601", f"{folder} cannot be written: {why}") from None
    return count


def colourful(stream: TextIO) -> bool:
    """Whether the stream is a terminal that wants colour; NO_COLOR and FORCE_COLOR are obeyed."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()
