"""`symlayout check --watch`: again whenever a file changes, until it is interrupted."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable

from symlayout.checks.discover import KINDS, discover
from symlayout.checks.project import project_of
from symlayout.checks.reading import within
from symlayout.errors import LayoutError
from symlayout.text.lines import count

PAUSE = 0.3  # seconds between two looks
Seen = dict[str, tuple[int, int]]


def watch(once: Callable[[], int], paths: Iterable[str], exclude: tuple[str, ...]) -> int:
    """Runs `once` now and after each change below the paths; ends by an interrupt alone."""
    paths = list(paths)
    while True:
        seen = look(paths, exclude)
        try:
            once()
        except LayoutError as error:
            print(f"symlayout: {error}", file=sys.stderr)
        sys.stdout.flush()  # what was found stands above what follows
        print(f"watching {count(len(seen), 'file')}; Ctrl-C ends", file=sys.stderr, flush=True)
        while look(paths, exclude) == seen:
            time.sleep(PAUSE)
        if sys.stdout.isatty():
            print("\x1b[2J\x1b[H", end="")


def look(paths: Iterable[str], exclude: tuple[str, ...]) -> Seen:
    """When each file below the paths was written, and those beside a file that is named."""
    places = [p if os.path.isdir(p) else os.path.dirname(p) or "." for p in paths]
    table: Seen = {}
    for place in dict.fromkeys([*places, *paths]):
        try:
            files = discover([place], within(project_of(place)), (*KINDS, ".toml"), exclude)
            for file in files:
                state = os.stat(file)
                table[file] = (state.st_mtime_ns, state.st_size)
        except (OSError, LayoutError):  # it is being written, or is not there yet
            table[place] = (0, 0)
    return table
