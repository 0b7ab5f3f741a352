"""Index functions in claims files: the tables `[maps.NAME]`, whose names stand for them in claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symlayout.checks import toml_spans
from symlayout.checks.result import Origin
from symlayout.checks.toml_file import TomlFile

MAP_KEYS = ("map", "domain", "guard", "let", "result", "box")


def maps(f: TomlFile) -> Iterator[tuple[toml_spans.Path, str, Origin]]:
    """Every map of a file: its path, its name, and its text with where the parts come from.

    Raises `Bad` with the place of a key that is unknown, is missing or is not text.
    """
    table = f.document.get("maps", {})
    f.expect(table, dict, ("maps",), "maps")
    for name, value in table.items():
        path: toml_spans.Path = ("maps", name)
        if isinstance(value, str):
            message = f"the map {name!r} must be a table, not a text"
            raise f.problem("SL503", message, path, help=f'[maps.{name}] and below it map = "..."')
        f.expect(value, dict, path, f"the map {name!r}")
        f.unknown_keys(value, path, MAP_KEYS, f"the map {name!r}")
        whole = _whole(f, path, name, value) if "map" in value else _assembly(f, path, name, value)
        yield path, name, whole


def _whole(f: TomlFile, path: toml_spans.Path, name: str, table: dict[str, Any]) -> Origin:
    """The map of one text, with or without its first word."""
    f.expect(table["map"], str, (*path, "map"), f"the map {name!r}")
    other = next((key for key in table if key != "map"), None)
    if other is not None:
        message = f"the map {name!r} is one text: {other!r} is part of it"
        raise f.problem("SL503", message, (*path, other), True)
    text = f.origin((*path, "map"), table["map"])
    if text.text.split()[:1] == ["map"]:
        return text
    return Origin(f"map {text.text}", text.place, False, ((len("map "), text),))


def _assembly(f: TomlFile, path: toml_spans.Path, name: str, table: dict[str, Any]) -> Origin:
    """The map of its parts."""
    for key in ("domain", "result"):
        if key not in table:
            raise f.problem("SL503", f"the map {name!r} needs a key {key!r}, or one 'map'", path)
    result = _Text()
    result.row("map ", _texts(f, path, "domain", table), ", ")
    guard = _texts(f, path, "guard", table)
    if len(guard) == 1:
        result.row(" if ", guard, "")
    elif guard:
        result.row(" if (", guard, ") and (", ")")
    result.add(": ")
    for definition in _texts(f, path, "let", table):
        result.row("", [definition], "", "; ")
    for lead, key in (("", "result"), (" in ", "box")):
        parts = _texts(f, path, key, table)
        if len(parts) == 1:
            result.row(lead, parts, "")
        elif parts:
            result.row(f"{lead}(", parts, ", ", ")")
    return Origin(result.text, f.place(path), False, tuple(result.parts))


def _texts(f: TomlFile, path: toml_spans.Path, key: str, table: dict[str, Any]) -> list[Origin]:
    """The texts of a key: an array of them, or a single one."""
    value = table.get(key, [])
    if isinstance(value, str):
        return [f.origin((*path, key), value)]
    origins = list(f.strings(value, (*path, key), key))
    if not origins and key in ("domain", "result"):
        raise f.problem("SL503", f"{key} has no text in it", (*path, key))
    return origins


class _Text:
    """A text as it is put together, and where its parts come from."""

    def __init__(self) -> None:
        self.text = ""
        self.parts: list[tuple[int, Origin]] = []

    def add(self, text: str) -> None:
        """A text of nobody's."""
        self.text += text

    def row(self, lead: str, parts: list[Origin], between: str, close: str = "") -> None:
        """The parts, with what stands before, between and behind them."""
        for k, part in enumerate(parts):
            self.add(between if k else lead)
            self.parts.append((len(self.text), part))
            self.add(part.text)
        self.add(close)
