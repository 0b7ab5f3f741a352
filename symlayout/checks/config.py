"""`[tool.symlayout]` of pyproject.toml: what `symlayout check` does where nothing else is said."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from symlayout.checks.project import real
from symlayout.checks.reading import read_text
from symlayout.checks.result import Origin, Place, Problem
from symlayout.checks.toml_file import Bad, TomlFile, open_toml
from symlayout.errors import LayoutError
from symlayout.expr.ratio import read_ratio
from symlayout.text.limits import BUDGET, CLAIMS_BYTES, JOBS

KEYS = (
    *("paths", "where", "tags", "format", "jobs", "cache-dir"),
    *("budget", "max-padding", "include-outside", "exclude"),
)


@dataclass(frozen=True)
class Config:
    """The settings of a project: `paths` to check, facts for every claim, and the options."""

    paths: tuple[str, ...] = ()
    where: tuple[Origin, ...] = ()
    tags: tuple[str, ...] = ()
    format: str | None = None
    jobs: str | None = None
    cache_dir: str | None = None
    budget: int | None = None
    max_padding: str | None = None
    include_outside: bool = False
    exclude: tuple[str, ...] = ()
    places: Mapping[tuple[str, str], Place] = field(default_factory=dict)  # of paths and tags


def find(folder: Path) -> Path | None:
    """The pyproject.toml of the folder, or of the nearest one above that has any."""
    for place in (folder, *folder.parents):
        if (place / "pyproject.toml").is_file():
            return place / "pyproject.toml"
    return None


def read_config(folder: Path | None = None) -> Config:
    """The settings of the project that the folder (the current one) is in.

    Raises `ConfigError` for a key or a value that means nothing.
    """
    file = find((folder or Path.cwd()).resolve())
    if file is None:
        return Config()
    name = str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)
    try:
        text = read_text(str(file), CLAIMS_BYTES)
        if "symlayout" not in text:
            return Config()
        visible = real(str(file)).is_relative_to(file.parent)
        return _read(open_toml(name, text, visible), file.parent)
    except Bad as bad:
        raise ConfigError(bad.problem) from None


class ConfigError(LayoutError):
    """A mistake in the settings, with the problem that a report shows."""

    def __init__(self, problem: Problem) -> None:
        place = problem.place
        super().__init__(
            problem.code,
            f"{place}: {problem.message}",
            text=place.source if place else None,
            at=place.column - 1 - place.cut if place else None,
            end=place.column - 1 - place.cut + place.width if place else None,
            help=problem.help,
        )


def _read(f: TomlFile, root: Path) -> Config:
    path = ("tool", "symlayout")
    tools = f.document.get("tool", {})
    f.expect(tools, dict, ("tool",), "tool")
    table = tools.get("symlayout", {})
    f.expect(table, dict, path, "tool.symlayout")
    f.unknown_keys(table, path, KEYS, "tool.symlayout")
    texts: dict[str, str | None] = {}
    for key in ("format", "cache-dir"):
        if key in table:
            f.expect(table[key], str, (*path, key), key)
        texts[key] = table.get(key)
    for key in ("jobs", "max-padding"):
        value = table.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, str, float, type(None))):
            raise f.problem("SL503", f"{key} must be a number or a text", (*path, key))
        texts[key] = None if value is None else str(value)
    jobs = texts["jobs"]
    if jobs not in (None, "auto") and not (jobs.isdecimal() and 1 <= int(jobs[:9]) <= JOBS):
        message = f"jobs is 'auto' or a number from 1 to {JOBS}, not {jobs!r}"
        raise f.problem("SL503", message, (*path, "jobs"))
    for name, kind in (("budget", int), ("include-outside", bool)):
        if name in table:
            f.expect(table[name], kind, (*path, name), name)
    if not 1 <= table.get("budget", 1) <= BUDGET:
        message = f"budget is a number from 1 to {BUDGET}, not {table['budget']}"
        raise f.problem("SL503", message, (*path, "budget"))
    _check_texts(f, path, texts)

    def origins(key: str) -> tuple[Origin, ...]:
        return f.strings(table.get(key, []), (*path, key), key)

    cache = texts["cache-dir"]
    # as seen from here
    paths = {os.path.relpath(root / o.text): o.place for o in origins("paths")}
    tags = {o.text: o.place for o in origins("tags")}
    places = {("paths", name): place for name, place in paths.items()}
    places |= {("tags", name): place for name, place in tags.items()}
    if cache is not None:
        places["cache-dir", str(root / cache)] = f.place((*path, "cache-dir"))
    return Config(
        paths=tuple(paths),
        where=origins("where"),
        tags=tuple(tags),
        format=texts["format"],
        jobs=texts["jobs"],
        cache_dir=None if cache is None else str(root / cache),
        budget=table.get("budget"),
        max_padding=texts["max-padding"],
        include_outside=table.get("include-outside", False),
        exclude=tuple(o.text for o in origins("exclude")),
        places=places,
    )


def _check_texts(f: TomlFile, path: tuple[str, ...], texts: Mapping[str, str | None]) -> None:
    """Raises `Bad` for settings that are texts, and none of those that mean something."""
    from symlayout.checks.report import FORMATS

    if texts["format"] not in (None, *FORMATS):
        message = f"format is one of {', '.join(FORMATS)}, not {texts['format']!r}"
        raise f.problem("SL503", message, (*path, "format"))
    if texts["cache-dir"] == "":
        raise f.problem("SL503", "cache-dir is the name of a folder, not ''", (*path, "cache-dir"))
    if texts["max-padding"] is not None:
        try:
            read_ratio(texts["max-padding"])
        except LayoutError as e:
            raise f.problem(e.code, e.message, (*path, "max-padding"), help=e.help) from None
