"""Changes of a file that make a refuted claim hold: the condition under which it does, added.

A condition that is an `or` gives a change for each of its sides.  A change is offered only if the
changed text was read and judged: the claim is proved, and no other claim is worse than before.
A claim whose text has changed since gets no change.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from symlayout.checks import claims_file, toml_spans
from symlayout.checks.cache import key
from symlayout.checks.comments.clauses import CLAUSES, MARK
from symlayout.checks.comments.loader import SUFFIXES
from symlayout.checks.kernel_fixes import Attempts, code_fixes
from symlayout.checks.measure import too_much
from symlayout.checks.module_file import may_be_module
from symlayout.checks.result import Fix, Loaded, Place, Result, Task
from symlayout.errors import LayoutError
from symlayout.layouts.claim import split
from symlayout.text.dumps import language_of
from symlayout.text.endings import ends_in
from symlayout.text.limits import CLAIMS_BYTES
from symlayout.text.patterns import regex

SENTENCE = regex(r"it holds (?:exactly when|if) (.*)", re.S)
MOST_OTHERS = 30  # claims that a change of a contract may touch
CONTRACT = regex(r"\s*kernel\b")
BEGINS = regex(r"\s*(?:#|//)")
GOES_ON = regex(r"\s*(?:#|//)\s{2,}\S.*")
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


def fixes(result: Result, text: str | None = None, attempts: Attempts | None = None) -> list[Fix]:
    """The changes with which a refuted claim is proved; `text` is the file's, if it is known.

    Those of a kernel's code come first; `attempts` are those of earlier claims.
    """
    place, facts = result.task.place, alternatives(result.hint)
    facts = [] if '"' in result.hint else facts
    if place is None or not (facts or result.task.code):
        return []
    attempts = attempts or Attempts()
    if text is None:
        try:
            text = attempts.within.text(place.file, CLAIMS_BYTES)
        except LayoutError:
            return []
    lines = text.split("\n")
    if place.line > len(lines) or place.source not in lines[place.line - 1]:
        return []
    if may_be_module(place.file) or language_of(text):
        return []  # what a compiler wrote is not mended by hand
    where = _in_comment if ends_in(place.file, SUFFIXES) else _in_toml
    results = code_fixes(result, text, attempts)
    for fact in facts:
        change = where(place, text, fact)
        if change is not None and _is_right(result, text, *change, attempts):
            results.append(Fix(f"require {fact}", *change))
    return results


def _is_right(result: Result, text: str, place: Place, more: str, attempts: Attempts) -> bool:
    """Whether a change is one to offer; what depends on the file's own text alone is remembered."""
    own, settings = result.task, attempts.settings

    def answer() -> str:
        return "right" if _holds(result, text, place, more, attempts) else "wrong"

    if not place.file.endswith(".toml") or claims_file.INCLUDING.search(text):
        return answer() == "right"
    where = [place.line, place.column, own.place and own.place.line, own.name]
    content = [more, where, key(own), own.claim.line, settings.sizes, settings.facts, text]
    return settings.remember(f"change {json.dumps(content)}", answer) == "right"


def _holds(result: Result, text: str, place: Place, more: str, attempts: Attempts) -> bool:
    """Whether the claim is proved in the changed text, and no other claim is worse than before."""
    from symlayout.checks.checker import judge

    lines = text.split("\n")
    at = sum(len(x) + 1 for x in lines[: place.line - 1]) + place.column - 1
    unchanged = attempts.loaded.get((place.file, text))
    if unchanged is None:
        unchanged = _loaded(place.file, text, attempts)
        attempts.loaded[place.file, text] = unchanged
    changed = _loaded(place.file, f"{text[:at]}{more}{text[at:]}", attempts)
    before, after = ([e for e in x.entries if isinstance(e, Task)] for x in (unchanged, changed))
    if len(before) != len(after) or _mistakes(changed) - _mistakes(unchanged):
        return False
    own = next((k for k, t in enumerate(before) if _is_of(t, result.task)), None)
    if own is None or after[own].claim == before[own].claim:
        return False
    others = [k for k, t in enumerate(before) if k != own and t.claim != after[k].claim]
    if len(others) > MOST_OTHERS:
        return False
    more_facts = [f for f in result.task.claim.facts if f not in before[own].claim.facts]

    def status(task: Task) -> str:
        facts = (*task.claim.facts, *more_facts)
        claim = replace(task.claim, facts=facts)
        return judge(replace(task, claim=claim, budget=result.task.budget)).status

    if status(after[own]) != "proved":
        return False
    better = ("proved", "refuted")  # facts make no proof wrong
    return all(status(after[k]) in better or status(before[k]) not in better for k in others)


def _is_of(task: Task, other: Task) -> bool:
    """Whether a task is another one, perhaps without the facts of the settings."""
    same = task.place == other.place and task.name == other.name
    return same and task.claim.line == other.claim.line


def _loaded(file: str, text: str, attempts: Attempts) -> Loaded:
    """What a file holds with that text."""
    from symlayout.checks.comments.loader import load_text

    if ends_in(file, SUFFIXES):
        return load_text(file, text, attempts.within, settings=attempts.settings)
    return claims_file.load_text(file, text)


def _mistakes(loaded: Loaded) -> Counter[str]:
    """The mistakes of a file, and how often each is made."""
    failed = [e.outcome.problem for e in loaded.entries if isinstance(e, Result)]
    problems = [*loaded.problems, *(p for p in failed if p is not None)]
    return Counter(f"{p.code} {p.message}" for p in problems)


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
        if CONTRACT.match(line, at + len(MARK)):
            return _in_contract(place, lines, number, fact)
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


def _in_contract(
    place: Place, lines: list[str], number: int, fact: str
) -> tuple[Place, str] | None:
    """A line with the fact below a contract that is written in comments of single lines."""
    start = BEGINS.match(lines[number - 1])
    if start is None:
        return None
    while number < len(lines) and GOES_ON.fullmatch(lines[number].rstrip("\r")):
        number += 1
    ends = "\r\n" if lines[number - 1].endswith("\r") else "\n"
    column = len(lines[number - 1].rstrip("\r")) + 1
    return Place(
        place.file, number, column, 1, lines[number - 1]
    ), f"{ends}{start[0]}   where {fact}"


def _at(place: Place, text: str, at: int) -> Place:
    return Place.of(place.file, text, at, at)
