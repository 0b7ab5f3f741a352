"""Parametrised claims: one table of a claims file to several, by its key `for`.

`for = { bm = [64, 128], dtype = ["f16", "f32"] }` gives every combination; an array of tables
gives exactly its rows.  `{bm}` in the claim's texts, and in the layouts that it names, becomes the
value.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from typing import Any

from symlayout.checks import toml_spans
from symlayout.checks.result import Origin
from symlayout.checks.toml_file import TomlFile
from symlayout.checks.words import NAME
from symlayout.text.limits import FOR_ROWS

Row = dict[str, str]


def rows(f: TomlFile, path: toml_spans.Path, table: Mapping[str, Any]) -> list[Row]:
    """The values of each instance of a claim; one empty row without `for`."""
    if "for" not in table:
        return [{}]
    argument, at = table["for"], (*path, "for")
    if isinstance(argument, list):
        lines = [_row(f, (*at, n), row) for n, row in enumerate(argument)]
    else:
        f.expect(argument, dict, at, "for")
        columns = []
        for name, values in argument.items():
            _check_name(f, (*at, name), name)
            f.expect(values, list, (*at, name), f"the values of {name!r}")
            columns.append([_value(f, (*at, name, n), v) for n, v in enumerate(values)])
        _check_count(f, at, math.prod(map(len, columns)))
        lines = [dict(zip(argument, row)) for row in itertools.product(*columns)]
    _check_count(f, at, len(lines))
    return lines


def _check_count(f: TomlFile, path: toml_spans.Path, count: int) -> None:
    if not count:
        raise f.problem("SL503", "for gives no values, so the claim would never be checked", path)
    if count > FOR_ROWS:
        raise f.problem("SL503", f"for gives {count:,} claims: at most {FOR_ROWS:,} are made", path)


def _row(f: TomlFile, path: toml_spans.Path, row: Any) -> Row:
    f.expect(row, dict, path, "each element of for")
    for name in row:
        _check_name(f, (*path, name), name)
    return {name: _value(f, (*path, name), value) for name, value in row.items()}


def _check_name(f: TomlFile, path: toml_spans.Path, name: str) -> None:
    if not NAME.fullmatch(name):
        raise f.problem("SL503", f"{name!r} is not a name for a value", path, True)


def _value(f: TomlFile, path: toml_spans.Path, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise f.problem("SL503", "a value of for is a number or a text", path)
    return str(value)


def fill(text: str, row: Row) -> str:
    """The text with `{name}` replaced by the row's value; other braces stay.

    >>> fill("{dtype}[M,N]{1,0:T({bm},128)}", {"dtype": "f16", "bm": "64"})
    'f16[M,N]{1,0:T(64,128)}'
    """
    if not row:
        return text
    return re.sub(r"\{([A-Za-z_][\w.-]*)\}", lambda m: row.get(m.group(1), m.group()), text)


def fill_origin(origin: Origin, row: Row) -> Origin:
    """The origin of a filled text: no longer letter by letter where anything was replaced."""
    text = fill(origin.text, row)
    return origin if text == origin.text else Origin(text, origin.place, False)


def title(name: str, row: Row) -> str:
    """The name of one instance: filled where it has places for that, else with the values added."""
    filled = fill(name, row)
    if not row or filled != name:
        return filled
    return f"{name} [{', '.join(f'{k}={v}' for k, v in row.items())}]"
