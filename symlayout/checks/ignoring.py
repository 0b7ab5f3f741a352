"""What a folder leaves out: the patterns of `.gitignore` files and those of `--exclude`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from symlayout.checks.project import repository_of
from symlayout.checks.reading import read_text
from symlayout.errors import LayoutError
from symlayout.text.patterns import regex

FILE = ".gitignore"
# a character class, a wildcard, or anything else, of one name in a path
PART = regex(r"\[!?\]?[^\]]*\]|\*+|\\.|.", re.S)
NAMES = 64  # of a pattern; no path of a project is deeper


class Pattern(NamedTuple):
    """A line of a `.gitignore`: which paths below its folder it means, and whether it keeps them.

    `names` has an expression for each name of the path, None for any number of names.
    """

    base: str
    names: tuple[re.Pattern[str] | None, ...]
    folders: bool
    keeps: bool

    def fits(self, file: str, folder: bool) -> bool:
        """Whether the pattern means that path."""
        if self.folders and not folder:
            return False
        below = os.path.relpath(file, self.base).split(os.sep)
        return below[0] != ".." and _match(self.names, below)


def _match(names: Sequence[re.Pattern[str] | None], path: Sequence[str]) -> bool:
    """Whether the names are those of the path: only the last None is ever tried again."""
    at = of = 0
    back, resume = -1, 0
    while of < len(path):
        expected = names[at] if at < len(names) else ...
        if expected is None:
            back, resume = at, of
            at += 1
        elif isinstance(expected, re.Pattern) and expected.fullmatch(path[of]):
            at, of = at + 1, of + 1
        elif back >= 0:
            resume += 1
            at, of = back + 1, resume
        else:
            return False
    return at == len(names)


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
    parts = text.lstrip("/").split("/")
    if not text or len(parts) > NAMES:
        return None
    try:
        names = [None if part == "**" else re.compile(_name(part), re.S) for part in parts]
    except re.error:  # a range that ends before it begins means nothing
        return None
    if "/" not in text:
        names.insert(0, None)
    elif names[-1] is None:
        names.append(re.compile(".*", re.S))  # what is inside, not the folder itself
    return Pattern(base, tuple(names), folders, keeps)


def _name(part: str) -> str:
    """The expression of one name: a star takes as little as the letters behind it allow."""
    text, chunk, star = "", "", False
    for piece in PART.findall(part):
        if piece.startswith("*"):
            text += f"(?>.*?{chunk})" if star else chunk
            chunk, star = "", True
        else:
            chunk += _expression(piece)
    return text + (f".*{chunk}" if star else chunk)


def _expression(piece: str) -> str:
    if piece == "?":
        return "."
    if piece.startswith("[") and len(piece) > 2:
        inside = piece[1:-1].removeprefix("!").replace("\\", "\\\\").replace("[", r"\[")
        return f"[{'^' if piece[1] == '!' else ''}{inside}]"
    return re.escape(piece[1:] if len(piece) == 2 and piece[0] == "\\" else piece)


@dataclass
class Ignored:
    """The patterns that hold below a folder; `git`: those of its `.gitignore` files too.

    `count` is of what they left out, `unread` has the folders that could not be read, `hidden` those
    that no search enters because their names begin with a dot.
    """

    patterns: list[Pattern] = field(default_factory=list)
    excluded: list[Pattern] = field(default_factory=list)
    git: bool = True
    count: int = 0
    unread: list[LayoutError] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)

    @staticmethod
    def below(folder: str, exclude: Iterable[str] = (), git: bool = True) -> Ignored:
        """What a search of the folder leaves out; `exclude` is relative to the project's root."""
        top = os.path.abspath(folder)
        root = str(repository_of(folder))
        result = Ignored(git=git)
        above = [str(p) for p in Path(top).parents if p.is_relative_to(root)]
        for place in reversed(above):
            result.enter(place)
        result.excluded += [p for p in (pattern(x, root) for x in exclude) if p is not None]
        return result

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

    def excludes(self, path: str) -> bool:
        """Whether one of the patterns that are not git's means a file or a folder that it is in."""
        places = [(path, False), *((str(p), True) for p in Path(path).parents)]
        hits = (p for place, folder in places for p in self.excluded if p.fits(place, folder))
        return any(not p.keeps for p in hits)

    def fail(self, error: OSError) -> None:
        """Notes a folder whose files are not known."""
        why = (error.strerror or str(error)).lower()
        self.unread.append(LayoutError("SL601", f"{error.filename} cannot be read: {why}"))

    def __call__(self, path: str, folder: bool = False) -> bool:
        """Whether the path is left out: the last pattern that means it says so."""
        full = os.path.abspath(path)
        for p in (*self.excluded, *reversed(self.patterns)):
            if p.fits(full, folder):
                self.count += not p.keeps
                return not p.keeps
        return False
