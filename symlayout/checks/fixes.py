"""What would mend a refuted claim as a change of its file: the condition under which it holds, added.

A condition that is an `or` gives a change for each of its sides. No file is read again for a claim
whose text has changed since: then there is no change to offer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from symlayout.checks import toml_spans
from symlayout.checks.comments.clauses import CLAUSES, MARK
from symlayout.checks.comments.loader import SUFFIXES
from symlayout.checks.measure import too_much
from symlayout.checks.module_file import may_be_module
from symlayout.checks.reading import read_text
from symlayout.checks.result import Fix, Place, Result
from symlayout.errors import LayoutError
from symlayout.layouts.claim import split
from symlayout.text.dumps import language_of
from symlayout.text.endings import ends_in
from symlayout.text.limits import CLAIMS_BYTES
from symlayout.text.patterns import regex

SENTENCE = regex(r"it holds (?:exactly when|if) (.*)", re.S)
ABOVE = 12  # lines that a claim's comment begins above its expression, at most


def alternatives(hint: str) -> list[str]:
    """The facts of a hint, one of which is enough.

    >>> alternatives("it holds exactly when N % 128 == 0 or (M == 1 and N <= 128)")
    ['N % 128 == 0', 'M == 1 and N <= 128']
    """
    match = SENTENCE.fullmatch(hint)
    if match is None:
        return []
    parts, depth, start, text = [], 0, 0, match[1]
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and text.startswith(" or ", at):
            parts.append(text[start:at])
            start = at + 4
    parts.append(text[start:])
    return [p[1:-1] if p.startswith("(") and " and " in p and p.endswith(")") else p for p in parts]


def fixes(result: Result, text: str | None = None) -> list[Fix]:
    """The changes that would mend a refuted claim; `text` is the file's, if it need not be read."""
    place, facts = result.task.place, alternatives(result.hint)
    if place is None or not facts or '"' in result.hint:
        return []
    if text is None:
        try:
            text = read_text(place.file, CLAIMS_BYTES)
        except LayoutError:
            return []
    lines = text.split("\n")
    if place.line > len(lines) or place.source not in lines[place.line - 1]:
        return []
    if may_be_module(place.file) or language_of(text):
        return []  # what a compiler wrote is not mended by hand
    where = _in_comment if ends_in(place.file, SUFFIXES) else _in_toml
    results = []
    for fact in facts:
        change = where(place, text, fact)
        if change is not None:
            results.append(Fix(f"require {fact}", *change))
    return results


@lru_cache(maxsize=4)
def _spans(text: str) -> Mapping[toml_spans.Path, toml_spans.Span]:
    """Where the parts of a file stand, of which several claims may be refuted; none of a vast one."""
    return {} if too_much(text) is not None else toml_spans.spans(text)


def _in_toml(place: Place, text: str, fact: str) -> tuple[Place, str] | None:
    spans = _spans(text)
    for path, span in spans.items():
        if len(path) != 3 or path[0] != "claim" or path[2] != "prove":
            continue
        here = Place.of(place.file, text, span.at)
        if here.line != place.line or (*path[:2], "for") in spans:
            continue
        argument = spans.get((*path[:2], "where"))
        if argument is None:
            if text.rfind("\n", 0, span.key) + 1 != span.key:  # of an inline table
                return None
            line_break = "\r\n" if text.startswith("\r\n", span.end) else "\n"
            return _at(place, text, span.end), f'{line_break}where = ["{fact}"]'
        inside = text[argument.at + 1 : argument.end - 1].rstrip()
        if "#" in inside:  # a comment may swallow what is added
            return None
        comma = "" if not inside or inside.endswith(",") else ", "
        return _at(place, text, argument.at + 1 + len(inside)), f'{comma}"{fact}"'
    return None


def _in_comment(place: Place, text: str, fact: str) -> tuple[Place, str] | None:
    lines = text.split("\n")
    for number in range(place.line, max(0, place.line - ABOVE), -1):
        line = lines[number - 1]
        at = line.find(MARK)
        if at < 0:
            continue
        end = len(line.rstrip().removesuffix("*/").rstrip())
        try:
            words = split(line[at + len(MARK) : end])
        except LayoutError:
            return None
        clauses = [w for w in words if w in CLAUSES and not w.quoted]
        following = lines[number].strip().lstrip("#/* ") if number < len(lines) else ""
        if following.split(" ")[0] in CLAUSES:  # the claim goes on there
            return None
        if "where" in clauses and clauses[-1] != "where":
            return None
        word = " and" if "where" in clauses else " where"
        start = sum(len(x) + 1 for x in lines[: number - 1])
        return _at(place, text, start + end), f"{word} {fact}"
    return None


def _at(place: Place, text: str, at: int) -> Place:
    return Place.of(place.file, text, at, at)
