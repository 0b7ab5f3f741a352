"""Which files git keeps of a project, by its index: these are the project's, whatever is ignored.

A `.gitignore` speaks of files that git does not know yet.  No git is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from symlayout.checks.reading import read_bytes
from symlayout.errors import LayoutError
from symlayout.text.limits import MODULE_BYTES

ENTRY = 62  # bytes of an entry before its name; the last two are flags
EXTENDED = 0x40  # of the first byte of the flags: two more bytes of them follow


def tracked(root: Path) -> list[str]:
    """The files in the index of a repository, from its root; none where it cannot be read."""
    try:
        data = read_bytes(str(_folder(root) / "index"), MODULE_BYTES)
        return list(_names(data))
    except (LayoutError, IndexError, ValueError):
        return []


def _folder(root: Path) -> Path:
    """The folder of a repository, which a worktree names in a file."""
    place = root / ".git"
    if place.is_dir():
        return place
    text = read_bytes(str(place)).decode("utf-8", "surrogateescape")
    return root / text.removeprefix("gitdir:").strip()


def _names(data: bytes) -> Iterator[str]:
    """The names of an index of version 2, 3 or 4.

    Raises `ValueError` or `IndexError` for other bytes.
    """
    version, count = int.from_bytes(data[4:8]), int.from_bytes(data[8:12])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("no index")
    at, name = 12, b""
    for _ in range(count):
        start = at
        at += ENTRY + (2 if data[at + ENTRY - 2] & EXTENDED else 0)
        prefix = b""
        if version == 4:  # what of the name before is left out, then the rest
            shared, at = _number(data, at)
            prefix = name[: len(name) - shared]
        end = data.index(0, at)
        name = prefix + data[at:end]
        at = end + 1 if version == 4 else start + (end - start) // 8 * 8 + 8
        yield name.decode("utf-8", "surrogateescape")


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, each above all shorter ones; and where it ends."""
    value = data[at] & 127
    while data[at] & 128:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 127)
    return value, at + 1
