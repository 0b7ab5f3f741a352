"""A TOML file while it is read: its text, its document, and errors that point into it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symlayout.checks import toml_spans
from symlayout.checks.measure import too_much
from symlayout.checks.result import Origin, Place, Problem
from symlayout.errors import did_you_mean

KINDS: dict[type[object], str] = {
    str: "a text",
    list: "an array",
    dict: "a table",
    int: "a number",
    bool: "true or false",
}


class Bad(Exception):
    """Carries a problem out of the reading of one table."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass
class TomlFile:
    """A TOML file while it is read: its text, its document and its spans.

    Errors do not show its lines unless `visible`: it is not of the project that is checked.
    """

    name: str
    text: str
    document: dict[str, Any]
    spans: dict[toml_spans.Path, toml_spans.Span]
    visible: bool = True

    def place(self, path: toml_spans.Path, key: bool = False) -> Place:
        """Where the value (or the key) of a path stands; the nearest parent's if it is nowhere."""
        while path and path not in self.spans:
            path, key = path[:-1], True
        if not path:
            return self._place(0)
        s = self.spans[path]
        at, end = (s.key, s.key_end) if key else (s.at, s.end)
        return self._place(at, end)

    def _place(self, at: int, end: int | None = None) -> Place:
        place = Place.of(self.name, self.text, at, end)
        return place if self.visible else place._replace(source="")

    def origin(self, path: toml_spans.Path, value: str) -> Origin:
        """Where a string value comes from, exact when it stands there letter by letter."""
        span = self.spans.get(path)
        at = None if span is None else toml_spans.inner_text(self.text, span, value)
        if at is None:
            return Origin(value, self.place(path), False)
        return Origin(value, self._place(at, at + len(value)), True)

    def problem(
        self,
        code: str,
        message: str,
        path: toml_spans.Path,
        key: bool = False,
        help: str | None = None,
    ) -> Bad:
        """The problem at a path, to be raised."""
        return Bad(Problem(code, message, self.place(path, key), help))

    def unknown_keys(
        self, table: Mapping[str, Any], path: toml_spans.Path, known: Sequence[str], what: str
    ) -> None:
        """Raises at the first key that is not known, with the one that was meant."""
        for key in table:
            if key not in known:
                hint = did_you_mean(key, list(known)) or f"its keys are {', '.join(known)}"
                if key == "where":
                    hint = "facts of all claims stand below [facts], those of one below [[claim]]"
                raise self.problem("SL501", f"{what} has no key {key!r}", (*path, key), True, hint)

    def expect(self, value: Any, kind: type[object], path: toml_spans.Path, what: str) -> None:
        """Raises unless the value at the path is of that type."""
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            arguments = KINDS | {bool: "a truth value", float: "a number with a fraction"}
            have = arguments.get(type(value), type(value).__name__)
            message = f"{what} must be {KINDS[kind]}, not {have}"
            one = kind is list and isinstance(value, str)
            help = f'one text stands in brackets as well: {path[-1]} = ["..."]' if one else None
            raise self.problem("SL503", message, path, help=help)

    def strings(self, value: Any, path: toml_spans.Path, what: str) -> tuple[Origin, ...]:
        """The texts of an array, each with where it comes from."""
        self.expect(value, list, path, what)
        for number, item in enumerate(value):
            self.expect(item, str, (*path, number), f"each element of {what}")
        return tuple(self.origin((*path, number), item) for number, item in enumerate(value))


def open_toml(name: str, text: str, visible: bool = True) -> TomlFile:
    """The file of a text that is read already.

    Raises `Bad` for a text that is not TOML, or goes beyond the limits.
    """
    problem = None
    hits = too_much(text)
    if hits is not None:
        problem = Problem("SL500", hits[0], Place.of(name, text, hits[1]))
    else:
        try:
            return TomlFile(name, text, tomllib.loads(text), toml_spans.spans(text), visible)
        except tomllib.TOMLDecodeError as error:
            problem = toml_problem(name, text, error)
        except ValueError as error:  # a date or a number that Python cannot hold
            problem = Problem("SL500", f"not TOML: {error}", Place.of(name, text, 0))
    if not visible and problem.place is not None:
        problem = replace(problem, place=problem.place._replace(source=""))
    raise Bad(problem)


def toml_problem(file: str, text: str, error: tomllib.TOMLDecodeError) -> Problem:
    """What `tomllib` found, at its place."""
    match = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
    message = re.sub(r"\s*\(at .*\)$", "", str(error))
    lines = text.split("\n")
    line, column = (int(g) for g in match.groups()) if match else (len(lines), len(lines[-1]) + 1)
    at = sum(map(len, lines[: line - 1])) + line - 1 + column - 1
    if message == 'Expected "\'"':  # said of the text's end, which lies far behind the string
        at = text.rfind("'")
    place = Place.of(file, text, min(at, len(text)))
    help = "a text stands in quotes" if re.match(r"[A-Za-z(]", text[at : at + 1]) else None
    if message != "Invalid value":
        help = "each name once" if message == "Cannot overwrite a value" else None
        if message in (r"Illegal character '\n'", 'Expected "\'"'):  # elsewhere lines may end
            help = "a quote is missing: a string ends in its line"
    return Problem("SL500", f"not TOML: {message[:1].lower()}{message[1:]}", place, help)
