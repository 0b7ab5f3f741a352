"""What a folder leaves out: the patterns of `.gitignore` files and those of `--exclude`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from symlayout.checks.gitignore import TOO_WILD, Patterns, read_patterns
from symlayout.checks.project import Project, real, repository_of
from symlayout.checks.reading import within
from symlayout.errors import LayoutError
from symlayout.text.limits import IGNORE_CHARACTERS, IGNORE_WILDCARDS

FILE = ".gitignore"
HELP = "--no-ignore also reads what it names, and --exclude leaves out"


@dataclass
class Ignored:
    """The patterns that hold below a folder; `git`: those of its `.gitignore` files too.

    `count` is of what they left out, `unread` has the folders and patterns that could not be read,
    `hidden` those folders that no search enters because their names begin with a dot.
    """

    repository: Project
    root: str  # of the repository, by the name under which it was reached
    excluded: Patterns = field(default_factory=lambda: Patterns(()))
    git: bool = True
    patterns: dict[str, Patterns] = field(default_factory=dict)  # by the folders of their files
    characters: int = 0
    count: int = 0
    unread: list[LayoutError] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)

    @staticmethod
    def below(folder: str, exclude: Iterable[str] = (), git: bool = True) -> Ignored:
        """What a search of the folder leaves out; `exclude` is relative to the repository's root.

        Raises `LayoutError` (SL601) for too many patterns.
        """
        top, root = Path(os.path.abspath(folder)), repository_of(folder)
        levels = len(real(folder).parts) - len(root.parts)
        base = top.parents[levels - 1] if 0 < levels <= len(top.parents) else top
        result = Ignored(Project(root, alias=base), str(base), Patterns(exclude), git)
        for place in reversed(top.parents[:levels]):
            result.enter(str(place))
        return result

    def enter(self, folder: str) -> None:
        """Takes the folder's own `.gitignore`; one that is not text says nothing."""
        file = os.path.join(folder, FILE)
        if not self.git or not os.path.isfile(file):
            return
        try:
            text = within(self.repository).text(file)  # it may lie above the project
        except LayoutError:
            return
        base = os.path.abspath(folder)
        try:
            patterns = read_patterns(text)
            self.characters += patterns.characters
            above = (self.patterns[str(p)] for p in Path(base).parents if str(p) in self.patterns)
            wildcards = sum(p.wildcards for p in above) + patterns.wildcards
            if wildcards > IGNORE_WILDCARDS or self.characters > 10 * IGNORE_CHARACTERS:
                raise LayoutError("SL601", f"with those of other folders there are {TOO_WILD}")
        except LayoutError as error:
            message = f"{file} is not obeyed: {error.message}"
            self.unread.append(LayoutError("SL601", message, help=HELP))
        else:
            self.patterns[base] = patterns

    def excludes(self, path: str) -> bool:
        """Whether one of the patterns that are not git's means a file or a folder that it is in."""
        full = os.path.abspath(path)
        places = [(full, False), *((str(p), True) for p in Path(full).parents)]
        return any(self._says(self.excluded, self.root, p, folder) is False for p, folder in places)

    def fail(self, error: OSError) -> None:
        """Notes a folder whose files are not known."""
        why = (error.strerror or str(error)).lower()
        self.unread.append(LayoutError("SL601", f"{error.filename} cannot be read: {why}"))

    def __call__(self, path: str, folder: bool = False) -> bool:
        """Whether the path is left out: the last pattern of the nearest folder decides."""
        full = os.path.abspath(path)
        keeps = self._says(self.excluded, self.root, full, folder)
        if keeps is None and self.patterns:
            place = full
            while keeps is None and (above := os.path.dirname(place)) != place:
                place = above
                if place in self.patterns:
                    keeps = self._says(self.patterns[place], place, full, folder)
        self.count += keeps is False
        return keeps is False

    @staticmethod
    def _says(patterns: Patterns, base: str, full: str, folder: bool) -> bool | None:
        head = base.rstrip(os.sep) + os.sep
        if not full.startswith(head):
            return None
        return patterns.keeps(full[len(head) :].replace(os.sep, "/"), folder)
