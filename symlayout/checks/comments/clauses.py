"""What a comment claims: a claim's line, then clauses that begin with a word of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from symlayout.checks.result import EXPECTED, UNSAID
from symlayout.errors import LayoutError, did_you_mean
from symlayout.layouts.claim import Word, error_at, split
from symlayout.text.brackets import split_commas

MARK = "symlayout:"
BECAUSE = 'because "..." tells the reader of the claim'
CLAUSES = ("coords", "of", "with", "where", "expect", "because", "name")


class Comment(NamedTuple):
    """A claim's comment: `text` begins behind the mark at character `at` of the file.

    `after` is the last line of the comment; the statement is looked for below it.
    """

    text: str
    at: int
    after: int


def is_contract(comment: Comment) -> bool:
    """Whether a comment is a contract, or says what is expected of one line of a kernel."""
    return comment.text.split(None, 1)[:1] in (["kernel"], ["expect"])


@dataclass(frozen=True)
class Clauses:
    """A comment that was read: the claim's words and its clauses.

    `meanings` says what a name (or any expression) of the code stands for; `of` is the array or
    pointer whose index is meant, when it is not what the statement stores.
    """

    words: tuple[Word, ...]
    coords: str | None = None
    of: str | None = None
    meanings: dict[str, str] = field(default_factory=dict)
    where: str | None = None
    expect: str = "proved"
    because: str = ""
    name: str | None = None


def read_clauses(text: str) -> Clauses:
    """The claim of a comment.

    >>> made = read_clauses('formula "f32[M,N]" coords r, c with p = 0 where N > 1 and M > 1')
    >>> made.words, made.coords, made.meanings, made.where
    (('formula', 'f32[M,N]'), 'r,c', {'p': '0'}, 'N > 1 and M > 1')

    Raises `LayoutError` (SL502) for a clause that is empty, given twice or cannot be read.
    """
    words = split(text)
    starts = [n for n, w in enumerate(words) if w in CLAUSES and not w.quoted]
    names: dict[str, Word] = {}
    for number, start in enumerate(starts):
        keyword = words[start]
        following = starts[number + 1] if number + 1 < len(starts) else len(words)
        if keyword in names:
            raise error_at(f"{str(keyword)!r} is given twice", text, keyword)
        if following == start + 1:
            raise error_at(f"nothing follows {str(keyword)!r}", text, keyword)
        at, end = words[start + 1].at, words[following - 1].end
        names[keyword] = Word(text[at:end], at, end)
    head = words[: starts[0]] if starts else words
    return _clauses(text, head, names)


def near_clause(text: str) -> str | None:
    """The clause that a word of a comment was meant to begin.

    >>> near_clause('formula "f32[M,N]" coord r, c')
    "did you mean 'coords'?"
    """
    words = [w for w in split(text)[2:] if not w.quoted and w not in CLAUSES]
    return next((h for w in words if (h := did_you_mean(w, list(CLAUSES)))), None)


def _clauses(text: str, head: tuple[Word, ...], names: dict[str, Word]) -> Clauses:
    def one(name: str) -> str | None:
        return _content(names[name]) if name in names else None

    expect = one("expect") or "proved"
    if expect not in EXPECTED:
        hint = did_you_mean(expect, list(EXPECTED))
        message = f"expect is 'proved' or 'refuted', not {expect!r}"
        raise error_at(message, text, names["expect"], hint)
    if expect == "refuted" and not one("because"):
        raise LayoutError("SL508", UNSAID, text=text, at=names["expect"].at, help=BECAUSE)
    return Clauses(
        words=head,
        coords=re.sub(r"\s*,\s*", ",", names["coords"]) if "coords" in names else None,
        of=one("of"),
        meanings=dict(_meanings(text, names["with"])) if "with" in names else {},
        where=one("where"),
        expect=expect,
        because=one("because") or "",
        name=one("name"),
    )


def _meanings(text: str, clause: Word) -> Iterator[tuple[str, str]]:
    for part in split_commas(clause):
        left, equals, right = part.partition("=")
        if not equals or not left.strip() or not right.strip():
            raise error_at(f"{part.strip()!r} is not of the form NAME = EXPRESSION", text, clause)
        yield left.strip(), right.strip()


def _content(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if quoted else text
