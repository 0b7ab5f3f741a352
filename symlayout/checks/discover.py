"""Which files a path means: a file is itself, a folder every claims file, module and source below."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from symlayout.checks.claims_file import SUFFIX
from symlayout.checks.comments.loader import SUFFIXES
from symlayout.checks.ignoring import Ignored
from symlayout.checks.module_file import SUFFIXES as MODULES
from symlayout.checks.module_file import TEXTS, language, may_be_module
from symlayout.checks.project import real, repository_of
from symlayout.checks.reading import Within, near
from symlayout.checks.tracked import tracked
from symlayout.checks.walking import walk as folders_below
from symlayout.errors import LayoutError
from symlayout.text.endings import ends_in

KINDS = (SUFFIX, *MODULES, TEXTS, *SUFFIXES)

HIDDEN = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})


def discover(
    paths: Iterable[str],
    within: Within,
    suffixes: tuple[str, ...] = KINDS,
    exclude: tuple[str, ...] = (),
    git: bool = True,
    unread: list[LayoutError] | None = None,
) -> list[str]:
    """The files to check, each once, folders in sorted order without what is to be ignored.

    Raises `LayoutError` (SL601) for a path that does not exist, and for a folder that cannot be
    read; with `unread` these are put there.
    """
    names: dict[str, None] = {}
    for path in paths:
        if not path:
            raise LayoutError("SL601", "a path is empty", help=". is the folder that you are in")
        if "\0" in path or not os.path.lexists(path):
            raise LayoutError("SL601", f"{path} does not exist", help=near(path))
        if not os.path.isdir(path):
            names.setdefault(path)
            continue
        ignored = Ignored.below(path, exclude, git)
        for file in walk(path, suffixes, ignored, within):
            names.setdefault(file)
        if unread is not None:
            unread += ignored.unread
        elif ignored.unread:
            raise ignored.unread[0]
    return list(names)


def walk(folder: str, suffixes: tuple[str, ...], ignored: Ignored, within: Within) -> list[str]:
    """The files below a folder with one of the endings; it counts what it ignores."""
    modules = not {*MODULES, TEXTS}.isdisjoint(suffixes)
    sources = tuple(s for s in suffixes if not s.endswith(".toml"))  # whatever their letters

    def matches(name: str) -> bool:
        known = name.endswith(suffixes) or ends_in(name, sources)
        return known or (modules and may_be_module(name))

    files = [*search(folder, matches, ignored, within)]
    if ignored.git and ignored.count:
        known = {real(f) for f in files}
        try:
            files += [*_tracked_files(folder, matches, ignored, known)]
        except LayoutError as error:
            ignored.unread.append(error)
    plain = (f for f in files if not ends_in(f, TEXTS) or language(f, within) in ("hlo", "mlir"))
    return sorted(plain)


def _tracked_files(
    folder: str, predicate: Callable[[str], bool], ignored: Ignored, known: set[Path]
) -> Iterator[str]:
    """The files below a folder that git keeps although they are ignored."""
    top, root = real(folder), repository_of(folder)
    names = (n for n in tracked(root) if predicate(n)) if (root / ".git").exists() else ()
    for name in names:
        file = root / name
        if not file.is_relative_to(top) or file in known or ".." in file.parts:
            continue
        below = file.relative_to(top)
        hidden = any(p.startswith(".") or p in HIDDEN for p in below.parts[:-1])
        if not hidden and not ignored.excludes(str(file)) and os.path.isfile(file):
            yield str(Path(folder) / below)


def search(
    folder: str, predicate: Callable[[str], bool], ignored: Ignored, within: Within
) -> Iterator[str]:
    """The files below a folder whose names are wanted."""
    project = within.boundary(folder)
    waiting, tops = [folder], Tops()
    tops.add(real(folder))
    while waiting:
        for file, is_link in _below(waiting.pop(), predicate, ignored):
            if not is_link:
                yield file
                continue
            target = real(file)
            if project.holds(target) and not tops.met(target):
                tops.add(target)
                waiting.append(file)


class Tops:
    """The folders that a search has begun at: none of them lies in another one."""

    def __init__(self) -> None:
        self.tops: set[Path] = set()
        self.above: set[Path] = set()

    def add(self, folder: Path) -> None:
        """Takes one more."""
        self.tops.add(folder)
        self.above.update(folder.parents)

    def met(self, folder: Path) -> bool:
        """Whether a folder is in one of them, or one of them in it."""
        own = (folder, *folder.parents)
        return folder in self.above or not self.tops.isdisjoint(own)


def _below(
    folder: str, predicate: Callable[[str], bool], ignored: Ignored
) -> Iterator[tuple[str, bool]]:
    """The files below a folder, and the links to folders, of which True is said."""
    for root, folders, names in folders_below(folder, ignored.fail):
        ignored.enter(root)
        ignored.hidden += [f"{root}/{d}" for d in folders if d.startswith(".")]
        folders[:] = sorted(
            d
            for d in folders
            if not d.startswith(".") and d not in HIDDEN and not ignored(f"{root}/{d}", True)
        )
        paths = (str(Path(root) / n) for n in names if predicate(n))
        yield from ((f, False) for f in paths if not ignored(f))
        links = (os.path.join(root, d) for d in folders)
        yield from ((link, True) for link in links if os.path.islink(link))
