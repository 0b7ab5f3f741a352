"""What several commands share: colour, and options that are numbers."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TextIO

from symlayout.errors import LayoutError
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
    shown = text if len(text) < 60 else text[:50] + "..."
    raise LayoutError("SL600", f"{what} is a number from {least} to {most}, not {shown!r}")


def budget(text: str | None) -> int | None:
    """The solver's resource units that an option gives."""
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


def colourful(stream: TextIO) -> bool:
    """Whether the stream is a terminal that wants colour; NO_COLOR and FORCE_COLOR are obeyed."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()
