"""What a folder leaves out: the patterns of `.gitignore` files and those of `--exclude`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from symlayout.checks.project import project_of
from symlayout.checks.reading import read_text
from symlayout.errors import LayoutError

FILE = ".gitignore"
# a character class, a star over folders, other wildcards, anything else
PART = re.compile(r"\[!?\]?[^\]]*\]|/\*\*/|^\*\*/|/\*\*$|\*|\?|\\.|.", re.S)


@dataclass(frozen=True)
class Pattern:
    """A line of a `.gitignore`: which paths below its folder it means, and whether it keeps them."""

    base: str
    path: re.Pattern[str]
    folders: bool
    keeps: bool

    def fits(self, file: str, folder: bool) -> bool:
        """Whether the pattern means that path."""
        if self.folders and not folder:
            return False
        below = os.path.relpath(file, self.base).replace(os.sep, "/")
        return not below.startswith("../") and self.path.fullmatch(below) is not None


def pattern(line: str, base: str) -> Pattern | None:
    """The pattern of a line, none for a blank one or a comment.

    >>> made = pattern("build/*.toml", "/a")
    >>> made.fits("/a/build/x.toml", False), made.fits("/a/b/build/x.toml", False)
    (True, False)
    """
    text = re.sub(r"(?<!\\)\s+$", "", line)
    if not text or text.startswith("#"):
        return None
    keeps = text.startswith("!")
    text = text[keeps:]
    folders, text = text.endswith("/"), text.rstrip("/")
    if not text:
        return None
    anywhere = "/" not in text
    spelled = "".join(map(_spelled, PART.findall(text.lstrip("/"))))
    try:
        path = re.compile((r"(?:.*/)?" if anywhere else "") + spelled, re.S)
    except re.error:  # a range that ends before it begins means nothing
        return None
    return Pattern(base, path, folders, keeps)


def _spelled(part: str) -> str:
    wild = {"/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    if part in wild:
        return wild[part]
    if part.startswith("[") and len(part) > 2:
        inside = part[1:-1].removeprefix("!").replace("\\", "\\\\").replace("[", r"\[")
        return f"[{'^' if part[1] == '!' else ''}{inside}]"
    return re.escape(part[1:] if len(part) == 2 and part[0] == "\\" else part)


@dataclass
class Ignored:
    """The patterns that hold below a folder; `git`: those of its `.gitignore` files too."""

    patterns: list[Pattern] = field(default_factory=list)
    excluded: list[Pattern] = field(default_factory=list)
    git: bool = True
    count: int = 0

    @staticmethod
    def below(folder: str, exclude: Iterable[str] = (), git: bool = True) -> Ignored:
        """What a search of the folder leaves out; `exclude` is relative to the project's root."""
        top = os.path.abspath(folder)
        root = str(project_of(os.path.join(top, FILE), folder).root)
        made = Ignored(git=git)
        above = [str(p) for p in Path(top).parents if p.is_relative_to(root)]
        for place in reversed(above):
            made.enter(place)
        made.excluded += [p for p in (pattern(x, root) for x in exclude) if p is not None]
        return made

    def enter(self, folder: str) -> None:
        """Takes the folder's own `.gitignore`; one that cannot be read says nothing."""
        file = os.path.join(folder, FILE)
        if not self.git or not os.path.isfile(file):
            return
        try:
            lines = read_text(file).splitlines()
        except LayoutError:
            return
        base = os.path.abspath(folder)
        self.patterns += [p for p in (pattern(x, base) for x in lines) if p is not None]

    def __call__(self, path: str, folder: bool = False) -> bool:
        """Whether the path is left out: the last pattern that means it says so."""
        full = os.path.abspath(path)
        for p in (*self.excluded, *reversed(self.patterns)):
            if p.fits(full, folder):
                self.count += not p.keeps
                return not p.keeps
        return False
