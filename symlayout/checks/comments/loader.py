"""Loading source code: every claim in a comment becomes a task about the expression below it."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from symlayout.checks.claims_file import locate
from symlayout.checks.comments import c, python
from symlayout.checks.comments.clauses import (
    MARK,
    Clauses,
    Comment,
    is_contract,
    near_clause,
    read_clauses,
)
from symlayout.checks.comments.decorated import is_decorated
from symlayout.checks.comments.near import LOOK, in_strings, is_line_of_contract, near
from symlayout.checks.comments.places import ABOVE, C_SUFFIXES, Found, NotFound
from symlayout.checks.reading import Within
from symlayout.checks.result import Loaded, Origin, Outcome, Place, Problem, Result, Task
from symlayout.checks.words import resolve
from symlayout.errors import LayoutError
from symlayout.layouts.claim import Claim, Word, names_in, read_claim
from symlayout.programs.kernels.policy import USUAL, Settings
from symlayout.text.endings import ends_in
from symlayout.text.limits import SOURCE_CHARACTERS
from symlayout.text.patterns import regex

SUFFIXES = (".py", *C_SUFFIXES)
IGNORED = regex(r"\s*ignore(?![\w-])")
AFTER = 1 << 60  # behind every place of a line


def load(
    file: str,
    within: Within,
    in_folder: bool = False,
    lenient: bool = False,
    only: Collection[str] | None = None,
    settings: Settings = USUAL,
) -> Loaded:
    """The tasks of a source file; most have none, and cost a search for the mark.

    One met in a folder (`in_folder`) is no mistake for an old encoding alone; where that is `lenient`,
    contracts whose language cannot be read here are none, but a note.
    """
    try:
        text = within.text(file)
    except LayoutError as error:
        if in_folder and _claims_nothing(file, within):
            return Loaded(file)
        return Loaded(file, (), (Problem.of(error, Place(file, 1)),))
    return load_text(file, text, within, lenient, only, settings)


def _claims_nothing(file: str, within: Within) -> bool:
    """Whether a file in an encoding that extends ASCII, as old sources are, has no claim."""
    try:
        text = within.bytes(file).decode("latin-1")
    except LayoutError:
        return False
    return "\0" not in text and LOOK.search(text) is None


def load_text(
    file: str,
    text: str,
    within: Within,
    lenient: bool = False,
    only: Collection[str] | None = None,
    settings: Settings = USUAL,
) -> Loaded:
    """The tasks of a source file that is already read: of the kernels of that name `only`."""
    decorated = ends_in(file, ".py") and is_decorated(text)
    claims = MARK in text or decorated
    if not claims and (LOOK.search(text) is None or len(text) > SOURCE_CHARACTERS):
        return Loaded(file)
    if len(text) > SOURCE_CHARACTERS:
        message = f"a source file with claims has at most {SOURCE_CHARACTERS:,} characters"
        return Loaded(file, (), (Problem("SL506", message, Place(file, 1)),))
    source = python.Source(text) if ends_in(file, ".py") else c.Source(text)
    try:
        comments = source.comments()
    except NotFound as missing:
        if not claims:
            return Loaded(file)
        place = Place.of(file, text, missing.at, missing.end)
        return Loaded(file, (), (Problem(missing.code, missing.message, place),))
    missed = near(file, text, source.spans(), comments)
    if isinstance(source, python.Source):
        missed += in_strings(file, text, source.docstrings())
    comments = [c for c in comments if not IGNORED.match(c.text)]  # for scans
    plain = [c for c in comments if not is_contract(c)]
    entries = [_entry(file, text, source, c) for c in plain if only is None]
    notes: list[str] = []
    launches: list[dict[str, Any]] = []
    if len(plain) < len(comments) or decorated:
        from symlayout.checks.comments.kernels import entries as owed

        try:
            contracts = [c for c in comments if c not in plain]
            items = list(owed(file, text, contracts, within, only, settings))
            launches = [e for e in items if isinstance(e, dict)]
            notes = [e for e in items if isinstance(e, str)]
            entries += [e for e in items if not isinstance(e, (dict, str))]
        except LayoutError as error:
            if not lenient:
                contract = next((c.at for c in comments if c not in plain), 0)
                problem = Problem.of(error, Place.of(file, text, contract))
                return Loaded(file, tuple(entries), (*missed, problem))
            left = f"contracts of kernels are left out: {error.help}"
            return Loaded(file, tuple(entries), tuple(missed), f"{file}: {left}", left=left)
    if launches:
        from symlayout.checks.kernel_files import launch_text

        notes = [*map(launch_text, launches), *notes]
    note = "\n".join(notes)
    return Loaded(file, tuple(entries), tuple(missed), note, launches=tuple(launches))


def _entry(
    file: str, text: str, source: python.Source | c.Source, comment: Comment
) -> Task | Result:
    at = comment.at + len(comment.text) - len(comment.text.lstrip())
    here = Place.of(file, text, at, comment.at + len(comment.text.split("\n")[0]))
    origin = Origin(comment.text, Place.of(file, text, comment.at), True)
    name = f"{comment.text.split()[0] if comment.text.split() else 'claim'} in line {here.line}"
    blank = Task(name, Claim(""), place=here)
    try:
        clauses = read_clauses(comment.text)
        hit = None
        if clauses.words and clauses.words[0] == "formula":
            if _behind_code(text, comment.at):
                message = "the comment stands behind code, and would speak of the statement below"
                raise NotFound(message, comment.at, comment.at, help=ABOVE)
            hit = source.find(comment, clauses.of, clauses.meanings, _names(clauses))
        return _task(file, text, comment, clauses, hit, here)
    except LayoutError as error:
        if (error.help or "").startswith("usage:"):
            error.help = near_clause(comment.text) or error.help
        if is_line_of_contract(comment.text):
            sign = "#" if isinstance(source, python.Source) else "//"
            message = "this is a line of a contract, which begins with `symlayout: kernel`"
            error = LayoutError("SL502", message, text=comment.text, at=error.at)
            line = comment.text.split("\n")[0].strip()
            error.help = f"below that line, without `{MARK}` and indented: `{sign}   {line}`"
        if error.at is not None and error.at >= AFTER:  # the expression's, not the comment's
            error.at = error.end = None
        return Result(blank, Outcome.failed(locate(error, (origin,), here)))
    except NotFound as missing:
        place = Place.of(file, text, missing.at, missing.end) if missing.at > comment.at else here
        problem = Problem(missing.code, missing.message, place, missing.help)
        return Result(blank, Outcome.failed(problem))


def _behind_code(text: str, at: int) -> bool:
    """Whether a statement ends on the line of a comment, before it.

    >>> _behind_code("x = 1  # symlayout:", 19), _behind_code("else:  # symlayout:", 19)
    (True, False)
    """
    before = text[text.rfind("\n", 0, at) + 1 : at].rstrip().removesuffix(MARK).rstrip(" \t#/*!")
    return bool(before.strip()) and before[-1] not in "{}:(,"


def _names(clauses: Clauses) -> frozenset[str]:
    """The names that a formula's comment speaks of: coordinates, sizes, and those in its facts.

    Without coordinates no definition is followed: any name might be one.
    """
    if not clauses.coords:
        return frozenset()
    texts = [*clauses.words[1:], clauses.coords, clauses.where or "", *clauses.meanings.values()]
    return frozenset(names_in(*texts))


def _task(
    file: str, text: str, comment: Comment, clauses: Clauses, hit: Found | None, here: Place
) -> Task:
    words = list(clauses.words)
    place, origins, options = here, [], []
    if hit is not None:
        place = Place.of(file, text, hit.at, hit.end)
        expression = re.sub(r"\s+", " ", hit.expression)
        # behind the layout, as if it had been written there
        words.insert(2, Word(expression, AFTER, AFTER, True))
        origins.append(Origin(expression, place, expression == text[hit.at : hit.end]))
        options.append(("language", python.LANGUAGE if ends_in(file, ".py") else c.LANGUAGE))
        if clauses.coords:
            options.append(("coords", clauses.coords))
    claim = read_claim(words, comment.text)
    texts = resolve(claim, {}, comment.text).texts
    for word in claim.arguments:
        shift = comment.text[word.at : word.end].find(word) if word.at != AFTER else -1
        if shift >= 0 and "\n" not in text[comment.at : comment.at + word.end]:
            start = comment.at + word.at + shift
            origins.append(Origin(word, Place.of(file, text, start), True))
    where = (clauses.where,) if clauses.where else ()
    origins += [Origin(fact, here, False) for fact in where]
    subject = clauses.of or Path(file).name
    return Task(
        name=clauses.name or f"{claim.word} of {subject} in line {place.line}",
        claim=Claim(claim.word, texts, (*options, *claim.options), where),
        expect=clauses.expect,
        because=clauses.because,
        place=place,
        origins=tuple(origins),
    )
