"""Where the files of a project lie that a file of kernels takes from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from symlayout.checks.comments.places import C_SUFFIXES
from symlayout.checks.project import Project
from symlayout.checks.reading import Within
from symlayout.errors import LayoutError
from symlayout.text.limits import SOURCE_CHARACTERS

FOLDERS = 8  # from a file's own on that others are looked for in


def included_place(within: Within, file: str, name: str) -> Path | None:
    """Where a file is that another one includes by a quoted name: beside it, or in a folder above."""
    project = within.boundary(file)
    for folder in _folders(Path(file).resolve(), project):
        path = folder / name
        if path.suffix.lower() in C_SUFFIXES and _is_file(path, project):
            return path
    return None


def included(within: Within, file: str, name: str) -> tuple[str, str] | None:
    """A file that another one includes by a quoted name, with its text."""
    return _with_text(within, included_place(within, file, name))


def imported_place(within: Within, file: str, level: int, dotted: str) -> Path | None:
    """Where the module lies that a Python file imports, from so many folders up.

    Without folders up it may lie in any folder above the file, but in one of them alone: where
    Python looks first is not known.
    """
    parts = dotted.split(".") if dotted else []
    place, project = Path(os.path.abspath(file)), within.boundary(file)
    folders = _folders(place, project)
    if level:
        folders = iter([*place.parents][:FOLDERS][level - 1 : level])
    hits = [one for f in folders if (one := _module_file(f, parts, project)) is not None]
    return hits[0] if len(hits) == 1 else None


def imported(within: Within, file: str, level: int, dotted: str) -> tuple[str, str] | None:
    """The file of a module that a Python file imports, with its text."""
    return _with_text(within, imported_place(within, file, level, dotted))


def _folders(place: Path, project: Project) -> Iterator[Path]:
    """The folders above a file, up to the root of its project."""
    for folder in [*place.parents][:FOLDERS]:
        yield folder
        if folder in (project.root, project.alias):
            return


def _is_file(path: Path, project: Project) -> bool:
    """Whether a file is there, and of the project; the name may be of any length."""
    try:
        return os.path.isfile(project.admit(str(path)))
    except LayoutError:
        return False


def _module_file(folder: Path, parts: list[str], project: Project) -> Path | None:
    """The file of a package, or of a module, of that name below a folder."""
    files = [folder.joinpath(*parts, "__init__.py")]
    if parts:
        files.append(folder.joinpath(*parts[:-1], f"{parts[-1]}.py"))
    return next((f for f in files if _is_file(f, project)), None)


def _with_text(within: Within, path: Path | None) -> tuple[str, str] | None:
    if path is None or path.stat().st_size > SOURCE_CHARACTERS:
        return None
    try:
        return str(path), within.text(str(path))
    except LayoutError:
        return None
