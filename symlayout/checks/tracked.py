"""Which files git keeps of a project, by its index: these are the project's, whatever is ignored.

A `.gitignore` is about files that git does not know yet.  No git is run.  The index of a worktree lies
outside of it, so these files are read wherever they are; what is in them is a list of names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from symlayout.checks.reading import ANYWHERE
from symlayout.errors import LayoutError
from symlayout.text.limits import INDEX_BYTES, INDEX_NAME

STATE = 40  # bytes of an entry before its hash
HASHES = (20, 32)  # bytes of a hash, by the repository's format
EXTENDED = 0x4000  # of the flags: two more bytes of them follow
LENGTH = 0xFFF  # of the flags: the length of a name, at most this
HELP = "--no-ignore also reads what .gitignore names"


def tracked(root: Path) -> Iterator[str]:
    """The files in the index of a repository, from its root; none where there is no index.

    Raises `LayoutError` (SL601) for an index that cannot be read whole.
    """
    try:
        folder = _folder(root)
        if (folder / "index").exists():
            yield from _files(folder, folder / "index")
    except (IndexError, ValueError) as error:
        why = error.message if isinstance(error, LayoutError) else f"{root}: {error}"
        message = f"which files git keeps is not known: {why}"
        raise LayoutError("SL601", message, help=HELP) from None


def _folder(root: Path) -> Path:
    """The folder of a repository, which a worktree names in a file."""
    place = root / ".git"
    if not place.is_file():
        return place
    text = ANYWHERE.bytes(str(place)).decode("utf-8", "surrogateescape")
    return root / text.removeprefix("gitdir:").strip()


def _files(folder: Path, index: Path) -> Iterator[str]:
    data = ANYWHERE.bytes(str(index), INDEX_BYTES)
    version = int.from_bytes(data[4:8])
    if data[:4] != b"DIRC" or version not in (2, 3, 4):
        raise ValueError(f"{index.name} is not an index of version 2, 3 or 4")
    size = _hash_bytes(data, version)
    at, name = 12, b""
    for _ in range(int.from_bytes(data[8:12])):
        name, at = _entry(data, at, size, name if version == 4 else None)
        if name:  # a split index leaves out the names that the shared one has
            yield name.decode("utf-8", "surrogateescape")
    while at + size < len(data):
        kind, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8])
        if kind == b"link" and index.name == "index" and any(data[at + 8 : at + 8 + size]):
            shared = data[at + 8 : at + 8 + size].hex()
            yield from _files(folder, folder / f"sharedindex.{shared}")
        at += 8 + length
    if at + size != len(data):
        raise ValueError(f"{index.name} is damaged")


def _hash_bytes(data: bytes, version: int) -> int:
    """How many bytes a hash has: with another number the first entry would not fit."""
    for size in HASHES if int.from_bytes(data[8:12]) else ():
        try:
            _entry(data, 12, size, b"" if version == 4 else None)
        except (IndexError, ValueError):
            continue
        return size
    return HASHES[0]


def _entry(data: bytes, start: int, size: int, before: bytes | None) -> tuple[bytes, int]:
    """The name of an entry, and where the next one begins; `before` is the last name, in version 4.

    Raises `ValueError` or `IndexError` for what is not an entry.
    """
    at = start + STATE + size
    flags = int.from_bytes(data[at : at + 2])
    at += 4 if flags & EXTENDED else 2
    prefix = b""
    if before is not None:  # what of the name before is left out, then the rest
        left, at = _number(data, at)
        prefix = before[: max(0, len(before) - left)]
    end = data.index(0, at, at + INDEX_NAME + 1)
    name = prefix + data[at:end]
    if len(name) > INDEX_NAME:
        raise ValueError(f"a name of more than {INDEX_NAME:,} bytes")
    if min(len(name), LENGTH) != flags & LENGTH:
        raise ValueError("an entry whose name is not as long as it says")
    return name, end + 1 if before is not None else start + (end - start) // 8 * 8 + 8


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, each above all shorter ones; and where it ends."""
    value = data[at] & 127
    while data[at] & 128 and value <= INDEX_NAME:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 127)
    return value, at + 1
