"""The folders below one, however deep: a checkout may hold more levels than Python's stack."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress


def walk(
    top: str, onerror: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """What `os.walk` gives, without recursion: a folder, the folders and the files in it.

    Links to folders are listed and not entered; folders that are removed from the list are not either.
    """
    waiting = [top]
    while waiting:
        here = waiting.pop()
        folders: list[str] = []
        files: list[str] = []
        links: set[str] = set()
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    is_folder = False
                    with suppress(OSError):  # a link that leads nowhere
                        is_folder = entry.is_dir()
                    (folders if is_folder else files).append(entry.name)
                    if is_folder and entry.is_symlink():
                        links.add(entry.name)
        except OSError as error:
            if onerror is not None:
                onerror(error)
            continue
        yield here, folders, files
        waiting += [os.path.join(here, name) for name in reversed(folders) if name not in links]
