"""Comments that look like claims and are none: the mark in capitals, or without its colon.

So do claims behind other words of a comment, and clauses and lines of contracts that nothing reads
because they are not indented, or stand behind an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from symlayout.checks.comments.clauses import MARK, Comment
from symlayout.checks.comments.places import ABOVE, is_continuation
from symlayout.checks.result import Place, Problem
from symlayout.errors import did_you_mean
from symlayout.layouts.vocabulary import CLAIMS
from symlayout.text.patterns import regex

WORDS = (*CLAIMS, "kernel", "expect")
# the first look at a whole file: most have nothing of the kind
LOOK = regex(rf"(?i)sym[^\w\n]?lay|(?:#|/|\*|!|<)\s*s\w{{6,10}}\s*:\s*(?:{'|'.join(WORDS)})\b")
LINE = regex(
    r"(?i)(?P<name>sym[^\w\n]?layouts?|s\w{6,10})(?P<sign>\s*[:\uff1a;=.,>-]?)\s*"
    r"(?P<word>\w*)(?P<rest>.*)"
)
NAME = regex(r"sym[^\w\n]?layouts?")
CLAIMING = regex(r"[\"'\[({<>=]")  # some of it is in every layout, relation and contract
LEAD = "#/*!<; \t"
# behind other words, and not quoted
LATER = regex(rf"(?<![\"'`\w]){MARK}\s*(?P<word>{'|'.join(WORDS)})\b(?P<rest>.*)")
# what goes on with a claim, and with a contract
CLAUSE = regex(
    r"\s*(?:where\s.*[=<>%]|with\s+\S.*=|coords\s+\w+(?:\s*,\s*\w+)*\s*$|of\s+[\w.]+\s*$"
    r"|expect\s+(?:proved|refuted)\b|(?:because|name)\s+[\"'])"
)
OF_CONTRACT = regex(r"\s*(?!(?:grid|block)\b)\w+\s+(?:is\s+\S|written\s)|\s*where\s")
LINES = regex(r"\s*(?:grid\s*\(|block\s*\(|\w+\s+is\s+[\w\s]*\[|where\s.*[=<>%])")
GOES_ON = "what goes on with a claim is indented by two blanks, on the lines right below it"


def is_line_of_contract(text: str) -> bool:
    """Whether a comment behind the mark is what follows the first line of a contract.

    >>> is_line_of_contract(" x_ptr is f32[n]"), is_line_of_contract(' injective "f32[n]"')
    (True, False)
    """
    first = text.split(None, 1)[:1]
    return first not in [[w] for w in WORDS] and OF_CONTRACT.match(text) is not None


def near(
    file: str, text: str, spans: Iterable[tuple[int, str]], read: Iterable[Comment]
) -> list[Problem]:
    """The problems of comments (where each begins, and its text) that are not `read` as claims."""
    known = {c.at - len(MARK) for c in read}
    comments = list(spans)
    results = []
    rows = [row for at, comment in comments for row in _lines(at, comment)]
    for (begin, line), (_, below) in zip(rows, [*rows[1:], (0, "")]):
        if begin not in known and (_looks(line) or _heads(line, below)):
            place = Place.of(file, text, begin, begin + len(line))
            message = f"this looks like a claim, but a claim's comment begins with '{MARK}'"
            results.append(Problem("SL507", message, place, _help(line)))
        elif begin not in known and (match := LATER.search(line)) and _claims(match):
            place = Place.of(file, text, begin + match.start(), begin + len(line))
            message = "this looks like a claim, but it stands behind other words of a comment"
            results.append(Problem("SL507", message, place, ABOVE))
    return results + [_lost(file, text, *one) for one in _left(text, comments, read)]


def in_strings(file: str, text: str, spans: Iterable[tuple[int, str]]) -> list[Problem]:
    """The problems of docstrings (where each begins, and its text) in which claims stand."""
    results = []
    for at, string in spans:
        sign = len(string) - len(string.lstrip("rRuUbB\"'"))
        for begin, line in _lines(at + sign, string[sign:]):
            bare = begin == at + sign or not text[text.rfind("\n", 0, begin) + 1 : begin].strip()
            match = LATER.match(line) if bare else None
            if match is not None and _claims(match):
                place = Place.of(file, text, begin, begin + len(line))
                message = "this looks like a claim, but it stands in a string: claims are comments"
                results.append(Problem("SL507", message, place, f"write # {MARK} {match['word']}"))
    return results


def _lost(file: str, text: str, at: int, line: str) -> Problem:
    message = "this looks like a part of the claim above, but is not read"
    return Problem("SL507", message, Place.of(file, text, at, at + len(line)), GOES_ON)


def _left(
    text: str, comments: Sequence[tuple[int, str]], read: Iterable[Comment]
) -> Iterator[tuple[int, str]]:
    """Lines below a claim's comment, before any code, that say more of it and are not read."""
    after = {c.at: c for c in read}
    claim: Comment | None = None
    end, inside = 0, False
    for at, comment in comments:
        here = after.get(at + comment.find(MARK) + len(MARK))
        gap = text[end:at]
        lines = gap.count("\n")
        end = at + len(comment)
        if here is not None:
            claim, inside = here, True
            continue
        if claim is None or gap.strip() or comment.startswith("/*"):
            claim = None
            continue
        body = comment.lstrip("#/")
        contract = claim.text.split(None, 1)[:1] == ["kernel"]
        inside = (
            inside and lines == 1 and (body.startswith("  ") if contract else is_continuation(body))
        )
        if not inside and (LINES if contract else CLAUSE).match(body):
            yield at + len(comment) - len(body.lstrip()), body.strip()


def _lines(at: int, comment: str) -> Iterator[tuple[int, str]]:
    for line in comment.split("\n"):
        body = line.lstrip(LEAD)
        yield at + len(line) - len(body), body.rstrip().removesuffix("*/").rstrip()
        at += len(line) + 1


def _heads(line: str, below: str) -> bool:
    """Whether a line without a grid is the first one of a contract, whose next line is `below`."""
    match = LINE.match(line)
    if match is None or match["word"].lower() != "kernel" or match["rest"].strip():
        return False
    return _is_ours(match) and LINES.match(below) is not None


def _looks(line: str) -> bool:
    match = LINE.match(line)
    if match is None:
        return False
    colon = any(c in match["sign"] for c in ":\uff1a")
    if colon and NAME.fullmatch(match["name"].lower()):
        return True
    return _is_ours(match) and match["word"].lower() in WORDS and _claims(match)


def _is_ours(match: re.Match[str]) -> bool:
    """Whether the first word is the mark without its colon, or with one and a slip."""
    name = match["name"].lower()
    colon = any(c in match["sign"] for c in ":\uff1a")
    similar = colon and did_you_mean(name, ["symlayout"]) is not None
    return NAME.fullmatch(name) is not None or similar


def _claims(match: re.Match[str]) -> bool:
    return CLAIMING.search(match["rest"]) is not None


def _help(line: str) -> str:
    if line.startswith(MARK):
        return "it begins a comment of its own: a claim is read from the comment's first line"
    match = LINE.match(line)
    assert match is not None
    return f"write {MARK} {match['word']}"
