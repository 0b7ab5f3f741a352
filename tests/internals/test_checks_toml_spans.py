"""Every path of a TOML text has a span, and the text of the span is the value."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symlayout.checks.toml_spans import Path, inner_text, spans

TRICKY = '''# a comment with [brackets] and "quotes"
title = "a \\"b\\" # no comment"   # a comment
'quoted key' = 'C:\\path'
"tab\\tkey".under = 1
multi = """
first "quoted" line \\
   joined"""
multi2 = \'\'\'it''s\'\'\'
ends = """two quotes""""" # five in a row
[ facts ]
where = [ "a # b", # one
  'c', ["nested", [ ] ], { x = 1, y.z = "]" },
  1979-05-27 07:32:00, -1_000, 3.5e+2, true ]
[layouts.deep."x y"]
hbm = "f32[4]"
[[claim]]
prove = "injective hbm"
[claim.sub]
v = 1
[[claim]]
prove = "x"
[[claim.inner]]
w = [1]
[[claim.inner]]
w = [2,
3]
'''


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    for key, item in pairs:
        yield from leaves(item, (*path, key))
    if not isinstance(value, (dict, list)):
        yield path, value


def check(text: str) -> None:
    document = tomllib.loads(text)
    made = spans(text)
    for path, value in leaves(document):
        span = made[path]
        assert tomllib.loads(f"x = {text[span.at : span.end]}")["x"] == value
        if isinstance(path[-1], str):
            table = tomllib.loads(f"{text[span.key : span.key_end]} = 1")
            while isinstance(table, dict):
                ((name, table),) = table.items()
            assert name == path[-1]


def test_tricky_text() -> None:
    check(TRICKY)
    check(TRICKY.replace("\n", "\r\n"))


KEYS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=6)
SCALARS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x7f")),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def as_toml(value: Any, blank: str) -> str:
    if isinstance(value, str):
        if value and not set(value) & {"'", "\n"} and value.isprintable():
            return f"'{value}'"
        return quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{blank}" + f",{blank}".join(as_toml(v, blank) for v in value) + f"{blank}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(k)} = {as_toml(v, ' ')}" for k, v in value.items()) + "}"
    return str(value)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.sampled_from(["", " ", "\n  # note ]\n"]))
def test_random_documents(document: dict[str, Any], blank: str) -> None:
    text = "\n".join(f"{quoted(k)} = {as_toml(v, blank)} # =" for k, v in document.items())
    check(text)
    headers = "\n".join(f"[[{quoted(k)}]]\nx = {as_toml(v, blank)}" for k, v in document.items())
    check(headers + "\n" + headers)


@pytest.mark.parametrize(
    ("literal", "exact"),
    [('"plain"', True), ("'plain'", True), ('"""plain"""', True), ('"pl\\u0061in"', False)],
)
def test_inner_text_only_where_it_stands_letter_by_letter(literal: str, exact: bool) -> None:
    text = f"key = {literal}"
    at = inner_text(text, spans(text)[("key",)], "plain")
    assert (at is not None) == exact
    if at is not None:
        assert text[at : at + 5] == "plain"
