"""Where a project ends: what its files include stays below its root, symbolic links resolved."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from symlayout.errors import LayoutError

FOLDER = ".symlayout_cache"  # of verdicts, below a project's root
HELP = "include-outside = true in [tool.symlayout] of pyproject.toml allows it"


@dataclass(frozen=True)
class Project:
    """The folder that holds a project; with `outside` its files may include others too."""

    root: Path
    outside: bool = False

    @property
    def verdicts(self) -> str:
        """The folder of the verdicts that are known, where no other is named."""
        return str(self.root / FOLDER)

    def holds(self, file: Path) -> bool:
        """Whether a file without symbolic links is the project's own."""
        return file.is_relative_to(self.root)

    def admit(self, file: str) -> Path:
        """The file without symbolic links.

        Raises `LayoutError` (SL601) for one outside that the settings do not allow.
        """
        target = real(file)
        if not self.outside and not self.holds(target):
            message = f"{file} is outside of the project's root {self.root}"
            raise LayoutError("SL601", message, help=HELP)
        return target


def project_of(file: str, check: str | None = None, outside: bool = False) -> Project:
    """The project of a file: the nearest folder above with `.git`, or else with `pyproject.toml`.

    Where there is neither, it is the folder that is checked, or else the file's own.
    """
    own = real(os.path.dirname(file) or ".")
    for mark in (".git", "pyproject.toml"):
        for folder in (own, *own.parents):
            if os.path.lexists(folder / mark):
                return Project(folder, outside)
    return Project(own if check is None else real(check), outside)


def real(file: str) -> Path:
    """The path without symbolic links; one that leads in a circle, or nowhere, as far as it goes."""
    return Path(file) if "\0" in file else Path(os.path.realpath(file))
