"""What the claims of a file share: its layouts and facts, and those of the files that it includes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from symlayout.checks import toml_spans
from symlayout.checks.expand import Row, fill
from symlayout.checks.map_tables import maps
from symlayout.checks.project import Project, real
from symlayout.checks.reading import within
from symlayout.checks.result import Origin, Problem
from symlayout.checks.toml_file import Bad, TomlFile, open_toml
from symlayout.checks.words import NAME
from symlayout.errors import LayoutError
from symlayout.text.limits import CLAIMS_BYTES, INCLUDE_DEPTH, INCLUDES
from symlayout.text.patterns import regex

TOP_KEYS = ("include", "facts", "layouts", "maps", "claim")
FACT_KEYS = ("where", "symbols")
SIZE = regex(r"[A-Za-z_]\w*", re.A)


@dataclass
class Shared:
    """What all claims of a file share: layouts by name, and facts (None: they cannot be read).

    `faults` are the names of layouts and maps that cannot be read.
    """

    layouts: dict[str, Origin] = field(default_factory=dict)
    facts: list[Origin] | None = field(default_factory=list)
    faults: set[str] = field(default_factory=set)


@dataclass
class Reading:
    """What is under way while a file is read: its project, mistakes, and the files it includes."""

    project: Project
    problems: list[Problem] = field(default_factory=list)
    includes: int = 0


class Filled(Mapping[str, str]):
    """The texts of layouts, filled with a row's values when they are asked for."""

    layouts: Mapping[str, Origin]
    row: Row

    def __init__(self, layouts: Mapping[str, Origin], row: Row) -> None:
        self.layouts, self.row = layouts, row

    def __getitem__(self, name: str) -> str:
        return fill(self.layouts[name].text, self.row)

    def __iter__(self) -> Iterator[str]:
        return iter(self.layouts)

    def __len__(self) -> int:
        return len(self.layouts)


def share(f: TomlFile, reading: Reading, chain: tuple[FilePath, ...] = ()) -> Shared:
    """The layouts and facts of a file and of those that it includes; `chain` includes the file."""
    result = Shared()
    chain = (*chain, real(f.name))
    try:
        f.unknown_keys(f.document, (), TOP_KEYS, "a claims file")
    except Bad as bad:
        reading.problems.append(bad.problem)
    for part in (_include, _layouts, _maps, _facts):
        try:
            part(f, result, reading, chain)
        except Bad as bad:
            reading.problems.append(bad.problem)
            if part not in (_layouts, _maps):
                result.facts = None
            table = f.document.get("maps") if part is _maps else None
            if isinstance(table, dict):  # those behind the mistake are not read either
                result.faults |= set(table) - set(result.layouts)
    return result


def _include(f: TomlFile, pool: Shared, reading: Reading, chain: tuple[FilePath, ...]) -> None:
    origins = f.strings(f.document.get("include", []), ("include",), "include")
    for number, origin in enumerate(origins):
        path: toml_spans.Path = ("include", number)
        name = str(FilePath(f.name).parent / origin.text)
        if real(name) in chain:
            raise f.problem("SL500", f"{origin.text} includes this file again", path)
        reading.includes += 1
        if reading.includes > INCLUDES or len(chain) > INCLUDE_DEPTH:
            limit = f"at most {INCLUDES} files are included, {INCLUDE_DEPTH} within one another"
            raise f.problem("SL500", f"too many files: {limit}", path)
        try:
            target = reading.project.admit(name)
            text = within(reading.project).text(str(target), CLAIMS_BYTES)
        except LayoutError as error:
            raise f.problem(error.code, error.message, path, help=error.help) from None
        other = open_toml(name, text, visible=reading.project.holds(target))
        theirs = share(other, reading, chain)
        for key, layout in theirs.layouts.items():
            _add_layout(f, pool, key, layout, path)
        pool.faults |= theirs.faults
        if pool.facts is not None:
            pool.facts = None if theirs.facts is None else pool.facts + theirs.facts


def _add_layout(
    f: TomlFile, pool: Shared, name: str, origin: Origin, path: toml_spans.Path
) -> None:
    known = pool.layouts.get(name)
    if known is not None and known.text != origin.text:
        message = f"{name!r} is another one at {known.place.file}:{known.place.line}"
        raise f.problem("SL503", message, path, True)
    pool.layouts[name] = origin


def _layouts(f: TomlFile, pool: Shared, reading: Reading, chain: tuple[FilePath, ...]) -> None:
    table = f.document.get("layouts", {})
    f.expect(table, dict, ("layouts",), "layouts")
    for name, value in table.items():
        path = ("layouts", name)
        try:
            if not NAME.fullmatch(name):
                raise f.problem("SL503", f"{name!r} is not a name that a claim can say", path, True)
            f.expect(value, str, path, f"the layout {name!r}")
            _add_layout(f, pool, name, f.origin(path, value), path)
        except Bad as bad:  # it costs the claims about this layout, and no others
            reading.problems.append(bad.problem)
            pool.faults.add(name)


def _maps(f: TomlFile, pool: Shared, reading: Reading, chain: tuple[FilePath, ...]) -> None:
    for path, name, origin in maps(f):
        _add_layout(f, pool, name, origin, path)


def _facts(f: TomlFile, pool: Shared, reading: Reading, chain: tuple[FilePath, ...]) -> None:
    table = f.document.get("facts", {})
    f.expect(table, dict, ("facts",), "facts")
    f.unknown_keys(table, ("facts",), FACT_KEYS, "the table of facts")
    own = f.strings(table.get("where", []), ("facts", "where"), "where")
    own += symbols(f, table, ("facts",))
    if pool.facts is not None:
        pool.facts += own


def symbols(f: TomlFile, table: Mapping[str, Any], path: toml_spans.Path) -> tuple[Origin, ...]:
    """The facts that introduce the names of a table's key `symbols`."""
    origins = f.strings(table.get("symbols", []), (*path, "symbols"), "symbols")
    for number, o in enumerate(origins):
        if not SIZE.fullmatch(o.text):
            message = f"{o.text!r} is not a name of a size"
            raise f.problem("SL503", message, (*path, "symbols", number), help='such as "BLOCK"')
    return tuple(Origin(f"symbol {o.text}", o.place, False) for o in origins)
