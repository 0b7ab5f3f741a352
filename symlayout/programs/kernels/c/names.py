"""What the names of types mean: aliases and classes by the scope that they are declared in.

A name is resolved where exactly one declaration can be meant; of several that differ, and of one that
stands in one way of an `#if` alone, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from symlayout.programs.kernels.c.types import (
    NUMBER,
    UNKNOWN,
    UNSETTLED,
    CType,
    Find,
    is_builtin,
    read_type,
)
from symlayout.text.brackets import split_commas

TEMPLATE = "<class>"  # for a class that is a template
ALIASES = 8  # of one another
Path = tuple[str, ...]


class Declaration(NamedTuple):
    """A declaration of a name: the type that it stands for, or a class of its own (`text` is "").

    It stands in one of so many `ways` of an `#if`.
    """

    path: Path
    text: str
    ways: int = 1


@dataclass
class Names:
    """The names of types of a file and of what it includes."""

    declarations: dict[str, list[Declaration]] = field(default_factory=dict)
    spaces: set[str] = field(default_factory=set)  # whose names are used without them

    def add(self, word: str, path: Path, text: str, ways: int = 1) -> None:
        """Adds a declaration."""
        row = Declaration(path, text, ways)
        rows = self.declarations.setdefault(word, [])
        if row not in rows or ways > 1:
            rows.append(row)

    def join(self, other: Names) -> None:
        """Adds what another file declares."""
        for word, rows in other.declarations.items():
            for row in rows:
                self.add(word, *row)
        self.spaces |= other.spaces

    def stand_in(self, space: str) -> bool:
        """Whether a type of the files stands in a namespace."""
        return any(space in r.path for rows in self.declarations.values() for r in rows)

    def read(
        self,
        text: str,
        path: Path = (),
        own: Iterable[Mapping[str, str]] = (),
        templates: Iterable[str] = (),
    ) -> CType:
        """The type that a text spells in a scope; `own` are the names of blocks, the nearest first."""
        return self._read(text, path, [*own], {*templates}, 0)

    def _read(
        self, text: str, path: Path, own: list[Mapping[str, str]], templates: set[str], depth: int
    ) -> CType:
        def find(word: str) -> CType | None:
            for k, names in enumerate(own):
                if word in names:
                    inner = names[word]
                    if not inner or depth > ALIASES:
                        return CType(UNKNOWN + word)
                    outer = own[k + 1 :] if inner.split("::")[-1] == word else own[k:]
                    return self._read(inner, path, outer, templates, depth + 1)
            if word in templates:
                return CType(word)
            return self._declared(word, path, depth, inner_type)

        def inner_type(text: str) -> CType:
            type = self._read(text, path, own, templates, depth + 1)
            return CType(NUMBER) if type.word in templates else type

        return read_type(text, find)

    def _declared(self, word: str, path: Path, depth: int, read: Find) -> CType | None:
        """The type of a name; None for one that the files do not declare."""
        word, _, listed = word.partition("<") if word.endswith(">") else (word, "", "")
        *spaces, last = word.split("::")
        if word.startswith("std::") or last not in self.declarations:
            return None
        if depth > ALIASES:
            return CType(UNKNOWN + word)
        rows = self._visible(last, [s for s in spaces if s], path)
        if not rows and not spaces and is_builtin(last):
            return None
        certain = len(rows) >= max((r.ways for r in rows), default=1)
        if listed:
            return self._instance(last, rows if certain else [], listed[:-1], read)
        types = {self._meaning(last, r, depth) for r in rows}
        if certain and len(types) > 1 and all(t.is_float and not t.depth for t in types):
            return CType(UNSETTLED + word)
        (only,) = types if len(types) == 1 and certain else (None,)
        return only if only is not None else CType(UNKNOWN + word)

    def _instance(self, word: str, rows: list[Declaration], listed: str, read: Find) -> CType:
        """A template's class with numbers and types of numbers for its parameters."""
        texts = [t.strip() for t in split_commas(listed)]
        known = all(t.isdigit() or ((type := read(t)) is not None and type.is_plain) for t in texts)
        if [r.text for r in rows] == [TEMPLATE] and known and len(self.declarations[word]) == 1:
            return CType(f"{word}<{listed}>")
        return CType(f"{UNKNOWN}{word}<{listed}>")

    def _visible(self, word: str, spaces: list[str], path: Path) -> list[Declaration]:
        """The declarations that a name may mean."""
        rows = self.declarations[word]
        if spaces:
            return [r for r in rows if [*r.path[-len(spaces) :]] == spaces]
        for k in range(len(path), -1, -1):
            inner = [r for r in rows if r.path == path[:k]]
            if inner and k:
                return inner
        return inner + [r for r in rows if r.path and r.path[-1] in self.spaces]

    def _meaning(self, word: str, row: Declaration, depth: int) -> CType:
        if row.text in ("", TEMPLATE):  # a template inside of itself
            classes = [r for r in self.declarations[word] if r.text in ("", TEMPLATE)]
            return CType(word) if len(classes) == 1 else CType(UNKNOWN + word)
        meaning = self._read(row.text, row.path, [], set(), depth + 1)
        return replace(meaning, constant=False)
