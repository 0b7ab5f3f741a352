"""Which files of a project include others: these hold their layouts, maps, facts and constants too."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from symlayout.checks.claims_file import SUFFIX
from symlayout.checks.comments.clauses import MARK
from symlayout.checks.comments.places import C_SUFFIXES
from symlayout.checks.discover import walk
from symlayout.checks.ignoring import Ignored
from symlayout.checks.kernel_places import imported_place, included_place
from symlayout.checks.measure import too_much
from symlayout.checks.project import Project, real, repository_of
from symlayout.checks.reading import Within, within
from symlayout.checks.silence import CLAIM
from symlayout.errors import LayoutError
from symlayout.programs.kernels.c.sources import INCLUDE
from symlayout.text.endings import ends_in
from symlayout.text.limits import CLAIMS_BYTES
from symlayout.text.patterns import regex

IMPORTED = regex(
    r"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#(]*)"
    r"|import[ \t]+([\w., \t]+))",
    re.M,
)


def with_dependents(paths: Iterable[str]) -> list[str]:
    """The paths, and the files with claims that include one of them, directly or through others.

    TOML of another ending that has no claims is not a path of its own: others may include it.
    """
    names = dict.fromkeys(paths)
    return _with_dependents(names, within(*[Project(repository_of(p)) for p in names]))


def _with_dependents(names: dict[str, None], within: Within) -> list[str]:
    known = {real(path) for path in names}
    rest: dict[str, set[Path]] = {}
    readers = ((".toml",), _toml_includes), (C_SUFFIXES, _c_includes), ((".py",), _py_includes)
    for endings, read in readers:
        for root in dict.fromkeys(repository_of(p) for p in names if ends_in(p, endings)):
            rest |= read(root, within)
    while new := [f for f, theirs in rest.items() if theirs & known]:
        for file in new:
            del rest[file]
            known.add(real(file))
            if not any(real(path) == real(file) for path in names) and _claims(file, within):
                names[file] = None
    return [name for name in names if not _is_other(name, within)]


def _claims(file: str, within: Within) -> bool:
    """Whether a file may have claims; a claims file has some by its ending."""
    with suppress(LayoutError):
        return file.endswith(SUFFIX) or MARK in within.text(file)
    return False


def _is_other(file: str, within: Within) -> bool:
    """Whether a file is TOML without claims, that is not a claims file by its ending."""
    if not file.endswith(".toml") or file.endswith(SUFFIX):
        return False
    try:
        return CLAIM.search(within.text(file, CLAIMS_BYTES)) is None
    except LayoutError:  # the check says so
        return False


def _toml_includes(root: Path, within: Within) -> dict[str, set[Path]]:
    """What each claims file of a project includes."""
    return {f: _includes(f, within) for f in _files(root, (SUFFIX,), within)}


def _c_includes(root: Path, within: Within) -> dict[str, set[Path]]:
    """What each source in C of a project includes by a quoted name."""
    files = _files(root, C_SUFFIXES, within)
    own = {os.path.basename(f) for f in files}
    table: dict[str, set[Path]] = {}
    for file in files:
        with suppress(LayoutError):
            hits = [n for n in INCLUDE.findall(within.text(file)) if os.path.basename(n) in own]
            places = (included_place(within, file, n) for n in dict.fromkeys(hits))
            table[file] = {real(str(f)) for f in places if f is not None}
    return table


def _py_includes(root: Path, within: Within) -> dict[str, set[Path]]:
    """What each Python file of a project imports of it."""
    files = _files(root, (".py",), within)
    own = {Path(f).stem for f in files} | {Path(f).resolve().parent.name for f in files}
    table: dict[str, set[Path]] = {}
    for file in files:
        with suppress(LayoutError):
            hits = dict.fromkeys(_modules(within.text(file)))
            known = ((n, w) for n, w in hits if not w or w.rpartition(".")[2] in own)
            places = (imported_place(within, file, n, w) for n, w in known)
            table[file] = {real(str(f)) for f in places if f is not None}
    return table


def _modules(text: str) -> Iterator[tuple[int, str]]:
    """The modules that a Python file may import: from how many folders up, and the name.

    >>> list(_modules("from ..a import (b,\\n  c as d)\\nimport e.f as g"))
    [(2, 'a'), (2, 'a.b'), (2, 'a.c'), (0, 'e.f')]
    """
    for match in IMPORTED.finditer(text):
        dots, module, names, plain = match.groups()
        if plain is not None:
            yield from ((0, part.split()[0]) for part in plain.split(",") if part.strip())
            continue
        yield len(dots), module
        words = (part.split()[0] for part in names.strip("()").split(",") if part.strip())
        yield from ((len(dots), f"{module}.{w}".strip(".")) for w in words)


def _files(root: Path, endings: tuple[str, ...], within: Within) -> list[str]:
    top = os.path.relpath(root)
    return walk(top, endings, Ignored.below(top), within)


def _includes(file: str, within: Within) -> set[Path]:
    """The files that a claims file includes; one that cannot be read has none."""
    try:
        text = within.text(file, CLAIMS_BYTES)
        names = tomllib.loads(text).get("include", []) if too_much(text) is None else []
    except (LayoutError, ValueError):
        return set()
    texts = names if isinstance(names, list) else []
    return {real(str(Path(file).parent / n)) for n in texts if isinstance(n, str)}
