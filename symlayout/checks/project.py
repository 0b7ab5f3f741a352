"""Where a project ends: nothing outside is read for it, and nothing is written through its links."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symlayout.errors import LayoutError

MARKS = (".git", "pyproject.toml")
HELP = "--include-outside reads it"


@dataclass(frozen=True)
class Project:
    """The folder that holds a project; with `outside` its files may lead to others too.

    `alias` is the root by the name under which it was reached, which may have symbolic links.
    """

    root: Path
    outside: bool = False
    alias: Path | None = None

    def holds(self, file: Path) -> bool:
        """Whether a file without symbolic links is the project's own."""
        return file.is_relative_to(self.root)

    def admit(self, file: str) -> Path:
        """The file without symbolic links; what is outside by its name is not even looked at.

        Raises `LayoutError` (SL601) for one outside, unless the command line allows it.
        """
        full = Path(os.path.abspath(file)) if "\0" not in file else Path(file)
        inside = self.holds(full) or (self.alias is not None and full.is_relative_to(self.alias))
        if self.outside or (inside and self.holds(real(file))):
            return real(file)
        message = f"{file} is outside of the project's root {self.root}"
        raise LayoutError("SL601", message, help=HELP)


def project_of(path: str, outside: bool = False) -> Project:
    """The project of a path: the nearest folder above with `.git` or `pyproject.toml`, or its own."""
    name = path if os.path.isdir(path) else os.path.dirname(path)
    full = Path(os.path.abspath(name))
    own = real(name or ".")
    root = next((f for f in (own, *own.parents) if _is_marked(f)), own)
    above = len(own.parts) - len(root.parts)
    alias = (full, *full.parents)[min(above, len(full.parents))]
    return Project(root, outside, alias if real(str(alias)) == root else full)


def named(path: str, outside: bool = False) -> Project:
    """The project of a path that the command line names.

    Raises `LayoutError` (SL601) for a path in the project of the working directory that a symbolic
    link leads out of it: who names `src` does not mean what a checkout puts in its place.
    """
    here = project_of(".")
    full = Path(os.path.abspath(path)) if "\0" not in path else Path(path)
    if here.holds(full) and not outside:
        here.admit(path)
    return project_of(path, outside)


def repository_of(path: str) -> Path:
    """The nearest folder above with `.git`, or else the project's root: reports name files from it."""
    own = real(path if os.path.isdir(path) else os.path.dirname(path) or ".")
    tops = (f for f in (own, *own.parents) if os.path.lexists(f / ".git"))
    return next(tops, None) or project_of(path).root


def _is_marked(folder: Path) -> bool:
    return any(os.path.lexists(folder / mark) for mark in MARKS)


def real(file: str) -> Path:
    """The path without symbolic links; one that leads in a circle, or nowhere, as far as it goes."""
    return Path(file) if "\0" in file else Path(os.path.realpath(file))


def writable(file: str) -> str:
    """The whole path of a file or folder that is to be written.

    Raises `LayoutError` (SL601) where a project has a symbolic link on the way, or something else
    than a file or folder there: it would lead what is written elsewhere.
    """
    full = Path(os.path.abspath(file))
    for place in _below_marks(full):
        try:
            mode = os.lstat(place).st_mode
        except (OSError, ValueError):  # it is not there
            break
        if stat.S_ISLNK(mode):
            message = f"{file} is not written: {place} is a symbolic link in a project"
            raise LayoutError("SL601", message, help="name the place that it leads to")
        if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
            raise LayoutError("SL601", f"{file} is not written: {place} is not a file")
    return str(full)


def _below_marks(full: Path) -> Iterator[Path]:
    """The parts of a path, itself last, that are below a folder of a project."""
    here = project_of(".").root
    inside = False
    for place in (*reversed(full.parents), full):
        if inside:
            yield place
        inside = inside or place == here != here.parent or _is_marked(place)
