"""Every statement of the founding documents, in a table: an expression or a command, and its result."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symlayout as sl
from symlayout import LayoutError
from symlayout.__main__ import main

TABLE = Path(__file__).parent / "data" / "document_statements.toml"
DOCUMENTS = tomllib.loads(TABLE.read_text(encoding="utf-8"))["document"]
LEAST = 280


def at(text: str, *coords: int) -> Any:
    return sl.parse(text).index_map().offset(*coords)


def grid(text: str) -> list[list[Any]]:
    """The offsets of a matrix, row by row."""
    rows, columns = sl.parse(text).index_map().shape
    return [[at(text, r, c) for c in range(columns)] for r in range(rows)]


def memory(text: str, letters: str, padding: str = "0") -> str:
    """What memory holds of an array of letters."""
    places = sl.parse(text).index_map().buffer()
    return " ".join(letters[k] if k >= 0 else padding for k in places)


def f(text: str, names: str = "") -> str:
    """The formula, with other names of coordinates."""
    made = sl.parse(text).index_map()
    return str((made.named(names) if names else made).formula)


def status(word: str, *arguments: Any, **options: Any) -> str:
    return getattr(sl.prove, word)(*arguments, **options).status


def details(*arguments: Any, **options: Any) -> dict[str, Any]:
    return sl.prove.broadcast(*arguments, **options).details


def result(*arguments: Any, **options: Any) -> str:
    """The result's shape of a broadcast, or the code of the rule that is broken."""
    verdict = sl.prove.broadcast(*arguments, **options)
    return verdict.details["result"] if verdict.proved else verdict.details["code"]


def spread(text: str, values: Any, dims: tuple[int, ...], to: str) -> Any:
    """The array under a larger shape, by the broadcast's own map."""
    listed = ",".join(map(str, dims))
    made = sl.parse(f"broadcast_in_dim({text}, dims=({listed}), to={to})").index_map()
    flat = np.asarray(values).reshape(-1)
    places = [made.offset(*c) for c in np.ndindex(*made.shape)]
    return flat[places].reshape(made.shape)


SPACE: dict[str, Any] = {
    **{n: getattr(sl, n) for n in ("parse", "sizes", "prove", "tla", "xla", "broadcast", "emit")},
    **{"S": sl.xla.read_shape, "L": sl.tla.read_layout, "_": sl.tla._, "np": np},
    **{g.__name__: g for g in (at, grid, memory, f, status, details, result, spread)},
}


def answer(asked: str, capsys: pytest.CaptureFixture[str]) -> str:
    kind, body = asked[:2], asked[2:]
    if kind in ("$ ", "~ "):
        main(shlex.split(body))
        got = capsys.readouterr()
        return (got.out + got.err).strip()
    if kind == "! ":
        with pytest.raises(LayoutError) as caught:
            eval(body, dict(SPACE))
        return caught.value.code
    return str(eval(asked, dict(SPACE)))


ROWS = [
    pytest.param(*row[1:], id=f"{d['name']}: {row[0]}")
    for d in DOCUMENTS
    for row in [*d["rows"], *d.get("wrong", ())]
]


@pytest.mark.parametrize(("asked", "expected"), ROWS)
def test_a_statement_can_be_shown(asked: str, expected: str, capsys: Any) -> None:
    got = answer(asked, capsys)
    if asked.startswith("~ "):
        assert expected in got, got
    else:
        assert got == expected


def test_every_statement_is_there_once() -> None:
    texts = [f"{d['name']}: {row[0]}" for d in DOCUMENTS for row in d["rows"]]
    assert len(texts) >= LEAST
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    "word",
    [
        *("minor_to_major", "padded_dimensions", "true rank", "linear index"),
        *("pad-reshape-transpose", "InDim", "degenerate", "IntTuple", "MakeLayout", "crd2offset"),
    ],
)
def test_the_documents_words_are_found(word: str) -> None:
    root = Path(__file__).parents[1]
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    assert any(word in page.read_text(encoding="utf-8") for page in pages)
