"""Where verdicts are kept, the key that signs them, and the folders that nothing is kept in.

A folder of verdicts is opened by SQLite, which deletes and writes files that others beside the database
name: journals.  A folder that somebody else may have filled is therefore refused.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from symlayout.checks.project import real, writable
from symlayout.errors import LayoutError

NAME = "verdicts-2.sqlite3"  # another number for other tables
DIRECTORY = "SYMLAYOUT_CACHE_DIR"
SECRET = "SYMLAYOUT_CACHE_KEY"  # where a CI keeps the cache, but not the home of who runs it
SECRET_BYTES = 32
JOURNALS = ("-journal", "-wal", "-shm")  # ours are in memory
MOST_FILES = 1000  # in a folder of verdicts
OTHERS = stat.S_IWOTH  # a folder that everybody writes into


def users_folder() -> str | None:
    """The user's folder for what this program keeps; None where there is no home."""
    from platformdirs import user_cache_dir

    folder = user_cache_dir("symlayout", appauthor=False)
    return folder if os.path.isabs(folder) else None


def default_folder() -> str | None:
    """Where verdicts are kept, unless an option says otherwise."""
    return os.environ.get(DIRECTORY) or users_folder()


class Refused(Exception):
    """Nothing is kept in a folder, for the reason that the message says."""


def secret(projects: Iterable[Path] = ()) -> bytes:
    """The key of who runs this, made when it is first needed.

    Raises `Refused` where no key can be trusted: one that lies in a project that is checked came with
    it, most likely.  Raises `OSError` where none can be kept.
    """
    text = os.environ.get(SECRET)
    if text:
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
    folder = users_folder()
    if folder is None:
        raise Refused(f"there is no home for its key; {SECRET} may have one")
    if any(real(folder).is_relative_to(p) for p in projects):
        raise Refused(f"its key would lie in the project, in {folder}; {SECRET} may have one")
    check_folder(folder)
    _make(folder)
    file = Path(folder) / "key"
    with suppress(FileExistsError):
        hit = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(hit, "wb") as stream:
            stream.write(os.urandom(SECRET_BYTES))
    for pause in (0.0, 0.05, 0.5):  # another process may be about to write it
        time.sleep(pause)
        key = file.read_bytes()
        if len(key) == SECRET_BYTES:
            return key
    raise Refused(f"{file} holds no key")


def _make(folder: str) -> None:
    """The folder, readable by its owner alone if it is not there yet."""
    Path(folder).parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)


def prepare(folder: str) -> None:
    """Makes a folder for verdicts; git ignores what is in it, unless others have files there.

    Raises `OSError` where it cannot be made.
    """
    _make(folder)
    with os.scandir(folder) as entries:
        if next(entries, None) is not None:
            return
    with suppress(FileExistsError), open(Path(folder) / ".gitignore", "x") as ignore:
        ignore.write("*\n")


def check_folder(folder: str) -> None:
    """Raises `Refused` for a folder that somebody else may have filled."""
    try:
        writable(folder)
        own = os.lstat(folder)
    except LayoutError as error:
        raise Refused(error.message) from None
    except FileNotFoundError:
        return
    if stat.S_ISLNK(own.st_mode):
        raise Refused(f"{folder} is a symbolic link")
    if stat.S_ISDIR(own.st_mode) and own.st_mode & OTHERS:
        raise Refused(f"everybody may write into {folder}")
    if not _is_ours(own):
        raise Refused(f"{folder} belongs to another user")
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= MOST_FILES:
                raise Refused(f"{folder} holds more than {MOST_FILES:,} files")
            if why := _of_entry(entry):
                raise Refused(f"{entry.path} {why}")


def _of_entry(entry: os.DirEntry[str]) -> str:
    """What is wrong with a file in a folder of verdicts."""
    own = os.lstat(entry.path)  # on Windows an entry does not know its links
    if stat.S_ISLNK(own.st_mode):
        return "is a symbolic link"
    if entry.name.endswith(JOURNALS):
        return "is a journal of a database"
    if not _is_ours(own):
        return "belongs to another user"
    if stat.S_ISREG(own.st_mode) and own.st_nlink > 1:
        return "has another name elsewhere (a hard link)"
    if entry.name == NAME and not stat.S_ISREG(own.st_mode):
        return "is not a file"
    return ""


def _is_ours(state: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or state.st_uid == os.getuid()
