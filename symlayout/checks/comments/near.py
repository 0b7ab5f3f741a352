"""Comments that look like claims and are none: the mark in capitals, or without its colon."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from symlayout.checks.comments.clauses import MARK, Comment
from symlayout.checks.result import Place, Problem
from symlayout.errors import did_you_mean
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.text.patterns import regex

WORDS = (*CLAIMS, "kernel", "expect")
# the first look at a whole file: most have nothing of the kind
LOOK = regex(rf"(?i)sym[-_ ]?lay|(?:#|/|\*|!|<)\s*s\w{{6,10}}\s*:\s*(?:{'|'.join(WORDS)})\b")
LINE = regex(
    r"(?i)(?P<name>sym[-_ ]?layouts?|s\w{6,10})(?P<sign>\s*[:;=.,>-]?)\s*(?P<word>\w*)(?P<rest>.*)"
)
CLAIMING = regex(r"[\"'\[({<>=]")  # some of it is in every layout, relation and contract
LEAD = "#/*!<; \t"


def near(
    file: str, text: str, spans: Iterable[tuple[int, str]], read: Iterable[Comment]
) -> list[Problem]:
    """The problems of comments (where each begins, and its text) that are not `read` as claims."""
    known = {c.at - len(MARK) for c in read}
    results = []
    for at, comment in spans:
        for begin, line in _lines(at, comment):
            if begin not in known and _looks(line):
                place = Place.of(file, text, begin, begin + len(line))
                message = f"this looks like a claim, but a claim's comment begins with '{MARK}'"
                results.append(Problem("SL507", message, place, _help(line)))
    return results


def _lines(at: int, comment: str) -> Iterator[tuple[int, str]]:
    for line in comment.split("\n"):
        body = line.lstrip(LEAD)
        yield at + len(line) - len(body), body.rstrip().removesuffix("*/").rstrip()
        at += len(line) + 1


def _looks(line: str) -> bool:
    match = LINE.match(line)
    if match is None:
        return False
    name, colon, word = match["name"].lower(), ":" in match["sign"], match["word"].lower()
    if name.startswith("sym") and re.fullmatch(r"sym[-_ ]?layouts?", name):
        if colon:
            return True
    elif not colon or did_you_mean(name, ["symlayout"]) is None:
        return False
    return word in WORDS and CLAIMING.search(match["rest"]) is not None


def _help(line: str) -> str:
    if line.startswith(MARK):
        return "it begins a comment of its own: a claim is read from the comment's first line"
    match = LINE.match(line)
    assert match is not None
    return f"write {MARK} {match['word']}"
