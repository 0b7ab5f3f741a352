"""Loading a claims file: TOML to tasks, every mistake with its line and column.

Nothing heavy is imported: the layouts stay text until a claim is checked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from symlayout.checks import toml_spans
from symlayout.checks.result import EXPECTED, Origin, Outcome, Place, Problem, Result, Task
from symlayout.checks.words import ClaimLine, read_claim, resolve, split
from symlayout.errors import LayoutError, did_you_mean

SUFFIX = ".layout.toml"
LARGEST_FILE = 10_000_000

TOP_KEYS = ("facts", "layouts", "claim")
FACT_KEYS = ("where",)
CLAIM_KEYS = ("name", "prove", "where", "expect", "because", "tags")


@dataclass(frozen=True)
class Loaded:
    """What a file holds: its tasks in order, or for a claim that cannot be read its result."""

    file: str
    entries: tuple[Task | Result, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_text(file: str) -> str:
    """The text of a file; raises `LayoutError` (SL601) when it is none, or far too large."""
    path = FilePath(file)
    try:
        if path.is_dir():
            raise LayoutError("SL601", f"{file} is a folder, not a file")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            limit = f"at most {LARGEST_FILE:,} are read"
            raise LayoutError("SL601", f"{file} has {size:,} bytes: {limit}")
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LayoutError("SL601", f"{file} cannot be read: {reason}") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{file} is no text: byte {error.start} is not UTF-8"
        raise LayoutError("SL601", message) from None
    if "\0" in text:
        raise LayoutError("SL601", f"{file} is no text: it holds zero bytes")
    return text


@dataclass
class _File:
    """A claims file while it is read: its text, its document, its spans, what was found."""

    name: str
    text: str
    document: dict[str, Any]
    spans: dict[toml_spans.Path, toml_spans.Span]
    problems: list[Problem] = field(default_factory=list)

    def place(self, path: toml_spans.Path, key: bool = False) -> Place:
        """Where the value (or the key) of a path stands; the nearest parent's if it is nowhere."""
        while path and path not in self.spans:
            path, key = path[:-1], True
        if not path:
            return Place.of(self.name, self.text, 0)
        s = self.spans[path]
        at, end = (s.key, s.key_end) if key else (s.at, s.end)
        return Place.of(self.name, self.text, at, end)

    def origin(self, path: toml_spans.Path, value: str) -> Origin:
        """Where a string value comes from, exact when it stands there letter by letter."""
        span = self.spans.get(path)
        at = None if span is None else toml_spans.inner_text(self.text, span, value)
        if at is None:
            return Origin(value, self.place(path), False)
        return Origin(value, Place.of(self.name, self.text, at, at + len(value)), True)

    def problem(
        self,
        code: str,
        message: str,
        path: toml_spans.Path,
        key: bool = False,
        help: str | None = None,
    ) -> _Bad:
        """The problem at a path, to be raised."""
        return _Bad(Problem(code, message, self.place(path, key), help))


class _Bad(Exception):
    """Carries a problem out of the reading of one table."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def load(file: str) -> Loaded:
    """The tasks of a claims file; a mistake in one claim leaves the others."""
    try:
        return load_text(file, read_text(file))
    except LayoutError as error:
        return Loaded(file, (), (Problem.of(error, Place(file, 1)),))


def load_text(file: str, text: str) -> Loaded:
    """The tasks of a claims file that is already read."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Loaded(file, (), (_toml_problem(file, text, error),))
    # tomllib reads \r\n as \n inside strings only; the spans walk the text as it is
    f = _File(file, text, document, toml_spans.spans(text))
    try:
        unknown_keys(f, document, (), TOP_KEYS, "a claims file")
    except _Bad as bad:
        f.problems.append(bad.problem)
    layouts, origins = _layouts(f)
    facts = _facts(f)
    entries = tuple(
        _entry(f, number, table, layouts, origins, facts) for number, table in enumerate(_claims(f))
    )
    return Loaded(file, entries, tuple(f.problems))


def _toml_problem(file: str, text: str, error: tomllib.TOMLDecodeError) -> Problem:
    found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    message = re.sub(r"\s*\(at .*\)$", "", str(error))
    lines = text.split("\n")
    line, column = (int(g) for g in found.groups()) if found else (len(lines), len(lines[-1]) + 1)
    place = Place(file, line, column, 1, lines[line - 1].rstrip("\r"))
    return Problem("SL500", f"not TOML: {message[:1].lower()}{message[1:]}", place)


def unknown_keys(
    f: _File, table: Mapping[str, Any], path: toml_spans.Path, known: Sequence[str], what: str
) -> None:
    """Raises at the first key that is not known, with the one that was meant."""
    for key in table:
        if key not in known:
            hint = did_you_mean(key, list(known)) or f"its keys are {', '.join(known)}"
            raise f.problem("SL501", f"{what} has no key {key!r}", (*path, key), True, hint)


def _expect_type(
    f: _File, value: Any, kind: type[object], path: toml_spans.Path, what: str
) -> None:
    if not isinstance(value, kind):
        names: dict[type[object], str] = {str: "a text", list: "an array", dict: "a table"}
        given = names | {bool: "a truth value", int: "a number", float: "a number"}
        have = given.get(type(value), type(value).__name__)
        raise f.problem("SL503", f"{what} must be {names[kind]}, not {have}", path)


def _strings(f: _File, value: Any, path: toml_spans.Path, what: str) -> tuple[Origin, ...]:
    _expect_type(f, value, list, path, what)
    for number, item in enumerate(value):
        _expect_type(f, item, str, (*path, number), f"each element of {what}")
    return tuple(f.origin((*path, number), item) for number, item in enumerate(value))


def _layouts(f: _File) -> tuple[dict[str, str], tuple[Origin, ...]]:
    layouts: dict[str, str] = {}
    origins: list[Origin] = []
    try:
        table = f.document.get("layouts", {})
        _expect_type(f, table, dict, ("layouts",), "layouts")
        for name, value in table.items():
            _expect_type(f, value, str, ("layouts", name), f"the layout {name!r}")
            layouts[name] = value
            origins.append(f.origin(("layouts", name), value))
    except _Bad as bad:
        f.problems.append(bad.problem)
    return layouts, tuple(origins)


def _facts(f: _File) -> tuple[Origin, ...] | None:
    """The file's facts, or None when they cannot be read: then no claim of it can be judged."""
    try:
        table = f.document.get("facts", {})
        _expect_type(f, table, dict, ("facts",), "facts")
        unknown_keys(f, table, ("facts",), FACT_KEYS, "the table of facts")
        return _strings(f, table.get("where", []), ("facts", "where"), "where")
    except _Bad as bad:
        f.problems.append(bad.problem)
        return None


def _claims(f: _File) -> list[Any]:
    tables = f.document.get("claim", [])
    try:
        if isinstance(tables, dict):
            raise f.problem("SL503", "a claim begins with [[claim]], twice in brackets", ("claim",))
        _expect_type(f, tables, list, ("claim",), "claim")
    except _Bad as bad:
        f.problems.append(bad.problem)
        return []
    return list(tables)


def _entry(
    f: _File,
    number: int,
    table: Any,
    layouts: dict[str, str],
    origins: tuple[Origin, ...],
    facts: tuple[Origin, ...] | None,
) -> Task | Result:
    path: toml_spans.Path = ("claim", number)
    blank = Task(_name(table, number), "", (), place=f.place(path))
    try:
        _expect_type(f, table, dict, path, "a claim")
        unknown_keys(f, table, path, CLAIM_KEYS, "a claim")
        if facts is None:
            raise f.problem("SL500", "not checked: the facts of this file cannot be read", path)
        return _task(f, path, table, layouts, origins, facts)
    except _Bad as bad:
        return Result(blank, Outcome.failed(bad.problem))


def _name(table: Any, number: int) -> str:
    keys = ("name", "prove") if isinstance(table, dict) else ()
    found = [table[k] for k in keys if isinstance(table.get(k), str)]
    return found[0] if found else f"claim {number + 1}"


def _task(
    f: _File,
    path: toml_spans.Path,
    table: dict[str, Any],
    layouts: dict[str, str],
    origins: tuple[Origin, ...],
    facts: tuple[Origin, ...],
) -> Task:
    if "prove" not in table:
        raise f.problem("SL502", "a claim needs a key 'prove'", path)
    for key in ("name", "prove", "expect", "because"):
        if key in table:
            _expect_type(f, table[key], str, (*path, key), key)
    line = f.origin((*path, "prove"), table["prove"])
    claim, arguments = _read_line(line, layouts)
    where = facts + _strings(f, table.get("where", []), (*path, "where"), "where")
    tags = _strings(f, table.get("tags", []), (*path, "tags"), "tags")
    expect = table.get("expect", "proved")
    if expect not in EXPECTED:
        hint = "an answer that nobody has is no expectation" if expect == "unknown" else None
        hint = hint or did_you_mean(expect, list(EXPECTED))
        message = f"expect is 'proved' or 'refuted', not {expect!r}"
        raise f.problem("SL503", message, (*path, "expect"), help=hint)
    texts = tuple(_within(line, w.at, w.end, w.text) for w in claim.arguments)
    options = tuple((n, w.text) for n, w in claim.options)
    return Task(
        name=table.get("name", table["prove"]),
        word=claim.word,
        arguments=arguments,
        options=options,
        where=tuple(o.text for o in where),
        expect=expect,
        because=table.get("because", ""),
        tags=tuple(t.text for t in tags),
        place=line.place,
        origins=(*texts, *origins, *where),
    )


def _read_line(line: Origin, layouts: Mapping[str, str]) -> tuple[ClaimLine, tuple[str, ...]]:
    try:
        claim = read_claim(split(line.text), line.text)
        return claim, resolve(claim, layouts, line.text)
    except LayoutError as error:
        raise _Bad(locate(error, (line,), line.place)) from None


def _within(line: Origin, at: int, end: int, text: str) -> Origin:
    """The origin of a word of a line: quotes around it are not part of its text."""
    inside = line.text[at:end]
    shift = inside.find(text)
    if not line.exact or shift < 0:
        return Origin(text, line.place, False)
    return Origin(text, line.place.shifted(at + shift, at + shift + len(text)), True)


def locate(error: LayoutError, origins: Sequence[Origin], otherwise: Place | None) -> Problem:
    """The problem of an error, at the place in the file where its text stands, if it does."""
    for origin in origins:
        if origin.exact and error.text == origin.text and error.at is not None:
            place = origin.place.shifted(error.at, error.end)
            return Problem(error.code, error.message, place, error.help)
    for origin in origins:
        if error.text == origin.text:
            return Problem.of(error, origin.place)
    return Problem.of(error, otherwise)
