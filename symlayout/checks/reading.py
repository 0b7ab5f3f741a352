"""The one way in which a file is opened: regular files only, as many bytes as are allowed.

What is read is decided on the open descriptor, and counted while it is read: a name can change its
meaning in between, and the size that a file system tells need not be true.  Only a `Within` opens
files, those of its projects alone, whoever named them; it is handed down to all that read.
"""

from __future__ import annotations

import codecs
import os
import shlex
import stat
from dataclasses import dataclass

from symlayout.checks.project import Project, project_of, real
from symlayout.errors import LayoutError
from symlayout.text.limits import FILE_BYTES

PART = 1 << 20
LONGEST = 1000  # characters of a text that may be a layout
SEEN = 10_000  # names in a folder that are compared with another one
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}
# a pipe without a writer is opened at once, no terminal becomes ours
FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
FLAGS |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
TEXT_ONLY = "symlayout reads text: dump modules with --xla_dump_to and --xla_dump_hlo_as_text"


@dataclass(frozen=True)
class Within:
    """The projects whose files may be read: without any, none are; `everywhere` admits all files."""

    projects: tuple[Project, ...]
    everywhere: bool = False

    def boundary(self, file: str) -> Project:
        """The project that a file is read in: one of these, or else the file's own."""
        target = real(file)
        hits = (p for p in self.projects if p.outside or p.holds(target))
        return next(hits, None) or project_of(file)

    def _admit(self, file: str) -> None:
        """Raises `LayoutError` (SL601) for a file of none of the projects."""
        if self.everywhere:
            return
        for project in self.projects:
            try:
                project.admit(file)
            except LayoutError:
                if project is self.projects[-1]:
                    raise
            else:
                return
        raise LayoutError("SL601", f"{file} is in no project that is read")

    def bytes(self, file: str, most: int = FILE_BYTES, cut: bool = False) -> bytes:
        """The bytes of a regular file, at most `most`; the first of a larger one when it may be `cut`.

        >>> ANYWHERE.bytes("/dev/zero")
        Traceback (most recent call last):
        symlayout.errors.LayoutError: SL601: /dev/zero is a device, not a file

        Raises `LayoutError` (SL601) for anything else.
        """
        if not file:
            raise LayoutError("SL601", "the name of a file is empty")
        self._admit(file)
        try:
            hit = _open(file)
            try:
                kind = stat.S_IFMT(os.fstat(hit).st_mode)
                if kind != stat.S_IFREG:
                    raise LayoutError(
                        "SL601", f"{file} is {KINDS.get(kind, 'special')}, not a file"
                    )
                return _take(hit, file, most, cut)
            finally:
                os.close(hit)
        except (OSError, ValueError) as error:
            if isinstance(error, LayoutError):
                raise
            # a name with a zero byte is a ValueError
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            help = near(file) if isinstance(error, FileNotFoundError) else None
            raise LayoutError("SL601", f"{file} cannot be read: {reason}", help=help) from None

    def text(self, file: str, most: int = FILE_BYTES) -> str:
        """The text of a regular file in UTF-8, without a byte order mark.

        Raises `LayoutError` (SL601) when it is none, or larger than `most` bytes.
        """
        data = self.bytes(file, most)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            message = f"{file} is not text: byte {error.start} is not UTF-8"
            wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            help = "it seems to be UTF-16: write it again as UTF-8" if wide else TEXT_ONLY
            raise LayoutError("SL601", message, help=help) from None
        if "\0" in text:
            raise LayoutError("SL601", f"{file} is not text: it holds zero bytes")
        return text


ANYWHERE = Within((), everywhere=True)  # for what the user names, and no checkout does
NOWHERE = Within(())


def within(*projects: Project) -> Within:
    """What reads the files of these projects."""
    return Within(projects)


def _open(file: str) -> int:
    try:
        return os.open(file, FLAGS)
    except PermissionError:
        if os.path.isdir(file):  # where a folder cannot be opened at all
            raise LayoutError("SL601", f"{file} is a folder, not a file") from None
        raise


def _take(hit: int, file: str, most: int, cut: bool) -> bytes:
    parts: list[bytes] = []
    count = 0
    while part := os.read(hit, min(PART, most + 1 - count)):
        parts.append(part)
        count += len(part)
        if count > most and cut:
            return b"".join(parts)[:most]
        if count > most:
            raise LayoutError("SL601", f"{file} is too large: at most {most:,} bytes are read")
    return b"".join(parts)


def near(path: str) -> str | None:
    """A file of nearly that name beside a path that does not exist."""
    if path == "-":
        return "the standard input is not read: give the name of a file"
    if "\0" in path:
        return None
    file, _, kernel = path.partition("::")
    if kernel and os.path.isfile(file):
        return f"check the whole file: symlayout check {file}"
    if _is_layout(path):
        return f"that is a layout: symlayout show {shlex.quote(path)}"
    folder, name = os.path.split(path)
    from difflib import get_close_matches

    try:
        names = os.listdir(folder or ".")
    except OSError:
        return f"there is no folder {folder}" if folder else None
    if len(names) > SEEN:
        return None
    stems = {n.partition(".")[0]: n for n in sorted(names)}  # an ending makes no names alike
    hits = get_close_matches(name.partition(".")[0], stems, 1)
    return f"did you mean {stems[hits[0]]!r}?" if hits else None


def _is_layout(text: str) -> bool:
    """Whether a text that is not a path is a layout."""
    if len(text) > LONGEST or not any(c in text for c in "[(<"):
        return False
    from symlayout.layouts.notation import parse

    try:
        parse(text)
    except (LayoutError, RecursionError):
        return False
    return True
