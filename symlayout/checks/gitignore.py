"""The patterns of one `.gitignore` as one matcher: a table of names, and one expression of wildcards.

A checkout brings the file, so its cost has a limit: a file beyond it is an error, and is not obeyed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache

from symlayout.errors import LayoutError
from symlayout.text.limits import IGNORE_CHARACTERS, IGNORE_PATTERNS, IGNORE_WILDCARDS
from symlayout.text.patterns import regex

# a character class, a wildcard, or anything else, of one name in a path
PIECE = regex(r"\[!?\]?[^\]]*\]|\*+|\\.|.", re.S)
BLANKS = regex(r"(?<!\\)\s+$")
WILD = regex(r"[*?\[]")
NAMES = 64  # of a pattern; no path of a project is deeper
FOLDERS = "(?:[^/]++/)*"
TOO_WILD = (
    f"more than {IGNORE_WILDCARDS:,} patterns with wildcards, or {IGNORE_CHARACTERS:,} characters"
)
Row = tuple[int, bool]  # the number of a pattern, and whether it keeps what it means


class Patterns:
    """Patterns in the order of their file: the last one that means a path decides.

    >>> p = Patterns(["build/*.toml", "*.o", "!keep.o"])
    >>> p.keeps("build/x.toml", False), p.keeps("a/keep.o", False), p.keeps("a/x.c", False)
    (False, True, None)

    Raises `LayoutError` (SL601) for too many of them.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.plain: dict[tuple[str, bool], Row] = {}  # by name or `/path`, and if it is for folders
        self.names: list[tuple[str, bool, Row]] = []  # expressions of a name
        self.paths: list[tuple[str, bool, Row]] = []  # and of a whole path
        self.compiled: dict[tuple[int, bool], tuple[re.Pattern[str], list[Row]]] = {}
        self.wildcards = self.characters = 0
        for number, line in enumerate(lines):
            if number >= IGNORE_PATTERNS:
                raise LayoutError("SL601", f"more than {IGNORE_PATTERNS:,} patterns")
            self._add(number, line)

    def _add(self, number: int, line: str) -> None:
        text = BLANKS.sub("", line) if line[-1:].isspace() else line
        if not text or text.startswith("#"):
            return
        keeps = text.startswith("!")
        text = text[keeps:]
        folders, text = text.endswith("/"), text.removesuffix("/")
        row = (number, keeps)
        parts = text.removeprefix("/").split("/")
        if "" in parts:  # two slashes mean nothing
            return
        if not WILD.search(text):
            key = "/".join(["", *parts]) if "/" in text else text
            self.plain[re.sub(r"\\(.)", r"\1", key, flags=re.S), folders] = row
            return
        self.wildcards += 1
        self.characters += len(text)
        if self.wildcards > IGNORE_WILDCARDS or self.characters > IGNORE_CHARACTERS:
            raise LayoutError("SL601", TOO_WILD)
        if len(parts) > NAMES:
            return
        try:
            if "/" not in text:
                self.names.append((_name(parts[0]), folders, row))
            else:
                self.paths.append((_path(parts), folders, row))
        except re.error:  # a range that ends before it begins means nothing
            return

    def keeps(self, path: str, folder: bool) -> bool | None:
        """Whether the last pattern that means a path keeps it; None where no pattern means it."""
        name = path.rpartition("/")[2]
        kinds = (False, True) if folder else (False,)
        hits = [self.plain.get((key, kind)) for key in (name, f"/{path}") for kind in kinds]
        hits += [self._wild(0, name, folder), self._wild(1, path, folder)]
        return max((hit for hit in hits if hit is not None), default=(0, None))[1]

    def _wild(self, which: int, text: str, folder: bool) -> Row | None:
        """The last pattern with wildcards that means a name (0) or a path (1)."""
        patterns = self.paths if which else self.names
        if not patterns:
            return None
        if (which, folder) not in self.compiled:
            rows = [(e, row) for e, folders, row in reversed(patterns) if folder or not folders]
            expression = "|".join(f"({e})" for e, _ in rows) or "(?!)"
            self.compiled[which, folder] = _compiled(expression), [row for _, row in rows]
        matcher, numbers = self.compiled[which, folder]
        match = matcher.fullmatch(text)
        return None if match is None else numbers[(match.lastindex or 1) - 1]


@lru_cache(maxsize=256)
def read_patterns(text: str) -> Patterns:
    """The patterns of a file's text, which is often met again.

    Raises `LayoutError` (SL601) for too many of them.
    """
    return Patterns(text.split("\n"))


def _compiled(expression: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of signs in a class that may mean something else one day
        return re.compile(expression, re.S)


def _path(parts: Sequence[str]) -> str:
    """The expression of a path: two stars are as few folders as what follows allows."""
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(_name(part))
    if parts[-1] == "**":  # what is inside, not the folder itself
        groups[-1].append(r"[^/]+")
    *first, last = groups
    text = "".join(f"{x}/" for x in first[0]) if first else ""
    text += "".join(f"(?>{FOLDERS}?{''.join(f'{x}/' for x in g)})" for g in first[1:] if g)
    return text + (FOLDERS if first else "") + "/".join(last)


def _name(part: str) -> str:
    """The expression of one name: a star takes as little as the letters behind it allow."""
    text, chunk, star = "", "", False
    for piece in PIECE.findall(part):
        if piece.startswith("*"):
            text += f"(?>[^/]*?{chunk})" if star else chunk
            chunk, star = "", True
        else:
            chunk += _expression(piece)
    return text + (f"[^/]*{chunk}" if star else chunk)


def _expression(piece: str) -> str:
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 2:
        inside = piece[1:-1].removeprefix("!").replace("\\", "\\\\").replace("[", r"\[")
        text = f"[{'^' if piece[1] == '!' else ''}{inside}]"
        _compiled(text)
        return f"(?!/){text}"
    return re.escape(piece[1:] if len(piece) == 2 and piece[0] == "\\" else piece)
