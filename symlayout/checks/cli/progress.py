"""A bar on a terminal while many claims are judged, and nothing anywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TextIO

from symlayout.text.escape import terminal

WIDTH = 20


def progress(stream: TextIO) -> Callable[[int, int, str], None]:
    """What a run is to call: how many claims are done, of how many, and which is next."""
    if not stream.isatty():
        return lambda done, of, name: None
    last = [0.0]

    def show(done: int, of: int, name: str) -> None:
        now = time.monotonic()
        if now - last[0] > 0.1:
            last[0] = now
            stream.write(f"\r\x1b[K{bar(done, of)} {done}/{of} {terminal(name[:50])}")
            stream.flush()

    return show


def bar(done: int, of: int) -> str:
    """How much is done.

    >>> bar(1, 4)
    '[#####---------------]'
    """
    full = WIDTH * done // max(1, of)
    return f"[{'#' * full}{'-' * (WIDTH - full)}]"
