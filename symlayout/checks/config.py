"""`[tool.symlayout]` of pyproject.toml: what `symlayout check` does where nothing else is said.

The file comes with a checkout, which may be a stranger's: it says what is checked and how it is shown.
What is written, run, or read outside is for the command line.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from symlayout.checks.project import Project, project_of, real
from symlayout.checks.reading import within
from symlayout.checks.result import Origin, Place, Problem
from symlayout.checks.sharing import symbols
from symlayout.checks.toml_file import Bad, TomlFile, open_toml
from symlayout.errors import LayoutError
from symlayout.expr.ratio import read_ratio
from symlayout.programs.kernels.policy import WORDS
from symlayout.text.limits import BUDGET, CLAIMS_BYTES

KEYS_TEXT = "paths where symbols assume tags format budget max-padding exclude"
KEYS = tuple(KEYS_TEXT.split())
OPTIONS = {  # what a checkout does not decide, and what does instead
    "jobs": "the option --jobs N",
    "cache-dir": "the option --cache-dir DIR or the variable SYMLAYOUT_CACHE_DIR",
    "include-outside": "the option --include-outside",
}


@dataclass(frozen=True)
class Config:
    """The settings of a project: `paths` to check, facts for every claim, and the options."""

    paths: tuple[str, ...] = ()
    where: tuple[Origin, ...] = ()
    tags: tuple[str, ...] = ()
    format: str | None = None
    budget: int | None = None
    max_padding: str | None = None
    exclude: tuple[str, ...] = ()
    assume: bool = True  # of sizes that a kernel's contract does not bound
    places: Mapping[tuple[str, str], Place] = field(default_factory=dict)  # of paths and tags


def find(folder: Path) -> Path | None:
    """The pyproject.toml of the folder, or of the nearest one above that has any."""
    for place in (folder, *folder.parents):
        if (place / "pyproject.toml").is_file():
            return place / "pyproject.toml"
    return None


def read_config(folder: Path | None = None, outside: bool = False) -> Config:
    """The settings of the project that the folder (the current one) is in.

    Raises `ConfigError` for a key or a value that means nothing, and `LayoutError` (SL601) for a file
    that is `outside`, unless it may be.
    """
    file = find((folder or Path.cwd()).resolve())
    if file is None:
        return Config()
    name = str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)
    try:
        project = project_of(str(file), outside)
        text = within(project).text(str(file), CLAIMS_BYTES)
        if "symlayout" not in text:
            return Config()
        visible = project.holds(real(str(file)))
        return _read(open_toml(name, text, visible), project)
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


def _read(f: TomlFile, project: Project) -> Config:
    path = ("tool", "symlayout")
    tools = f.document.get("tool", {})
    f.expect(tools, dict, ("tool",), "tool")
    table = tools.get("symlayout", {})
    f.expect(table, dict, path, "tool.symlayout")
    for key, option in OPTIONS.items():
        if key in table:
            message = f"the settings of a project cannot have {key!r}"
            raise f.problem("SL501", message, (*path, key), True, f"use {option}")
    f.unknown_keys(table, path, KEYS, "tool.symlayout")
    for key, kind in (("format", str), ("budget", int)):
        if key in table:
            f.expect(table[key], kind, (*path, key), key)
    if table.get("assume", "default") not in WORDS:
        message = f"assume is 'default' or 'none', not {table['assume']!r}"
        raise f.problem("SL503", message, (*path, "assume"))
    ratio = table.get("max-padding")
    if isinstance(ratio, bool) or not isinstance(ratio, (int, str, float, type(None))):
        message = "max-padding must be a number or a text"
        raise f.problem("SL503", message, (*path, "max-padding"))
    if not 1 <= table.get("budget", 1) <= BUDGET:
        message = f"budget is a number from 1 to {BUDGET}, not {table['budget']}"
        raise f.problem("SL503", message, (*path, "budget"))
    texts = {"format": table.get("format"), "max-padding": None if ratio is None else str(ratio)}
    _check_texts(f, path, texts)

    def origins(key: str) -> tuple[Origin, ...]:
        return f.strings(table.get(key, []), (*path, key), key)

    paths = dict(_seen_from_here(f, project, o, n) for n, o in enumerate(origins("paths")))
    tags = {o.text: o.place for o in origins("tags")}
    places = {("paths", name): place for name, place in paths.items()}
    places |= {("tags", name): place for name, place in tags.items()}
    return Config(
        paths=tuple(paths),
        where=origins("where") + symbols(f, table, path),
        tags=tuple(tags),
        format=texts["format"],
        budget=table.get("budget"),
        max_padding=texts["max-padding"],
        exclude=tuple(o.text for o in origins("exclude")),
        assume=table.get("assume") != "none",
        places=places,
    )


def _seen_from_here(f: TomlFile, project: Project, path: Origin, number: int) -> tuple[str, Place]:
    """A path of the settings as it is called from the working directory, and its place.

    Raises `Bad` for one outside of the project.
    """
    name = str(project.root / path.text)
    try:
        project.admit(name)
    except LayoutError as error:
        message = f"{path.text} is outside of the project's root {project.root}"
        help = "name it on the command line: symlayout check PATH"
        at = ("tool", "symlayout", "paths", number)
        raise f.problem(error.code, message, at, help=help) from None
    return os.path.relpath(name), path.place


def _check_texts(f: TomlFile, path: tuple[str, ...], texts: Mapping[str, str | None]) -> None:
    """Raises `Bad` for settings that are texts, and none of those that mean something."""
    from symlayout.checks.report import FORMATS

    if texts["format"] not in (None, *FORMATS):
        message = f"format is one of {', '.join(FORMATS)}, not {texts['format']!r}"
        raise f.problem("SL503", message, (*path, "format"))
    if texts["max-padding"] is not None:
        try:
            read_ratio(texts["max-padding"])
        except LayoutError as e:
            raise f.problem(e.code, e.message, (*path, "max-padding"), help=e.help) from None
