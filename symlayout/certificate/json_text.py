"""The JSON text of a certificate, read without what JSON readers let pass."""

from __future__ import annotations

import json
import re
from typing import Any

from symlayout.certificate.codec import DEEPEST, excerpt
from symlayout.certificate.proof import Malformed

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.S)


def read_json(source: str) -> Any:
    """The value of a JSON text without repeated keys, NaN, Infinity, fractions or endless numbers.

    >>> read_json('{"N": 3, "N": 4}')
    Traceback (most recent call last):
    ...
    symlayout.certificate.proof.Malformed: the key 'N' is there twice

    Raises `Malformed`, or `json.JSONDecodeError` for what is not JSON.
    """
    depth = 0
    for match in TOKEN.finditer(source):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match.group(), 0)
        if depth > 2 * DEEPEST + 20:
            raise Malformed(f"nested too deeply; the limit is {2 * DEEPEST + 20} brackets")
    return json.loads(
        source,
        object_pairs_hook=_unique,
        parse_constant=_no_number,
        parse_int=_number,
        parse_float=_no_number,
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise Malformed(f"the key {excerpt(key)} is there twice")
        table[key] = value
    return table


def _no_number(word: str) -> Any:
    raise Malformed(f"{excerpt(word)} is not a whole number")


def _number(digits: str) -> int:
    if len(digits) > 32:
        raise Malformed(f"a number of {len(digits)} digits; the limit is 31")
    return int(digits)
