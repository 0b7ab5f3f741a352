"""Loading a claims file: TOML to tasks, every mistake with its line and column.

Nothing heavy is imported: the layouts stay text until a claim is checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from symlayout.checks import toml_spans
from symlayout.checks.cache import Cache
from symlayout.checks.expand import Row, fill, fill_origin, rows, title
from symlayout.checks.project import Project, project_of
from symlayout.checks.reading import within
from symlayout.checks.relevance import SYMBOL, Draft, relevant, unknown_names
from symlayout.checks.result import (
    EXPECTED,
    UNSAID,
    Loaded,
    Origin,
    Outcome,
    Place,
    Problem,
    Result,
    Task,
)
from symlayout.checks.sharing import Filled, Reading, Shared, share, symbols
from symlayout.checks.toml_file import Bad, TomlFile, open_toml
from symlayout.checks.words import resolve, text_with_layouts
from symlayout.errors import LayoutError, did_you_mean
from symlayout.layouts.claim import Claim, Word, read_claim, split
from symlayout.text.limits import CLAIM_CHARACTERS, CLAIMS_BYTES, FILE_CLAIMS
from symlayout.text.patterns import regex

SUFFIX = ".layout.toml"
SAY = 'because = "..." tells the reader of the claim'

INCLUDING = regex(r"include|\\[uUx]")  # a key may be spelled by numbers of characters
CLAIM_KEYS = ("name", "prove", "where", "symbols", "expect", "because", "tags", "for")


def load(file: str, project: Project | None = None, cache: Cache | None = None) -> Loaded:
    """The tasks of a claims file; a mistake in one claim leaves the others.

    The cache keeps what was read by the text, unless that may include other files.
    """
    project = project or project_of(file)
    try:
        text = within(project).text(file, CLAIMS_BYTES)
    except LayoutError as error:
        return Loaded(file, (), (Problem.of(error, Place(file, 1)),))
    if cache is None or INCLUDING.search(text):
        return load_text(file, text, project)
    return cache.loaded(f"claims\0{file}\0{text}", lambda: load_text(file, text, project))


def load_text(file: str, text: str, project: Project | None = None) -> Loaded:
    """The tasks of a claims file that is already read."""
    try:
        f = open_toml(file, text)
    except Bad as bad:
        return Loaded(file, (), (bad.problem,))
    reading = Reading(project or project_of(file))
    shared = share(f, reading)
    entries: list[Draft | Result] = []
    characters = 0
    try:
        for number, table in enumerate(_claims(f)):
            for entry in _entries(f, number, table, shared):
                entries.append(entry)
                characters += _characters(entry)
                _check_count(f, number, len(entries), characters)
    except Bad as bad:
        reading.problems.append(bad.problem)
    drafts = [e for e in entries if isinstance(e, Draft)]
    errors: dict[Origin, LayoutError] = {}
    if len(drafts) == len(entries):  # else names may be those of claims that cannot be read
        reading.problems += _idle(f, shared, drafts)
        errors = unknown_names(drafts)
        reading.problems += (locate(e, (o,), o.place) for o, e in errors.items())
    results = tuple(e.finished(errors) if isinstance(e, Draft) else e for e in entries)
    return Loaded(file, results, tuple(reading.problems))


def _characters(entry: Draft | Result) -> int:
    """How long the texts of a claim are."""
    t = entry.task
    own = entry.spoken if isinstance(entry, Draft) else t.claim.texts
    shared = entry.shared if isinstance(entry, Draft) else ()
    return sum(map(len, (t.name, t.because, *own, *(o.text for o in shared))))


def _check_count(f: TomlFile, number: int, claims: int, characters: int) -> None:
    path = ("claim", number)
    if claims > FILE_CLAIMS:
        raise f.problem("SL500", f"more than {FILE_CLAIMS:,} claims in one file", path)
    if characters > CLAIM_CHARACTERS:
        message = f"the claims up to here have more than {CLAIM_CHARACTERS:,} characters"
        raise f.problem("SL500", message, path)


def _idle(f: TomlFile, shared: Shared, drafts: Sequence[Draft]) -> list[Problem]:
    """The file's own facts that fit no claim of it: a slip in a name, most often."""
    used = {o.place for d in drafts for o in d.shared}
    return [
        Problem("SL301", f"no claim of this file has the symbols of {o.text!r}", o.place)
        for o in (shared.facts or () if drafts else ())
        if o.place.file == f.name and o.place not in used and not o.text.startswith(SYMBOL)
    ]


def _claims(f: TomlFile) -> list[Any]:
    tables = f.document.get("claim", [])
    if isinstance(tables, dict):
        raise f.problem("SL503", "a claim begins with [[claim]], twice in brackets", ("claim",))
    f.expect(tables, list, ("claim",), "claim")
    return list(tables)


def _entries(f: TomlFile, number: int, table: Any, shared: Shared) -> Iterator[Draft | Result]:
    path: toml_spans.Path = ("claim", number)
    try:
        f.expect(table, dict, path, "a claim")
        f.unknown_keys(table, path, CLAIM_KEYS, "a claim")
        if shared.facts is None:
            raise f.problem("SL500", "not checked: the facts of this file cannot be read", path)
        _check_types(f, path, table)
        instances = rows(f, path, table)
        for name in dict.fromkeys(n for row in instances for n in row):
            _check_used(f, path, table, shared, name)
        yield from (_task(f, path, table, shared, row) for row in instances)
    except Bad as bad:
        blank = Task(_name(table, number), Claim(""), place=f.place(path))
        yield Result(blank, Outcome.failed(bad.problem))


def _check_used(
    f: TomlFile, path: toml_spans.Path, table: dict[str, Any], shared: Shared, name: str
) -> None:
    """Raises for a name of `for` whose values change nothing of the claim."""
    line, own = table["prove"], table.get("where", [])
    layouts = (o.text for n, o in shared.layouts.items() if n in line)
    texts = [line, *layouts, *(own if isinstance(own, list) else ())]
    texts += [o.text for o in shared.facts or ()]
    if not any(f"{{{name}}}" in t for t in texts if isinstance(t, str)):
        message = f"the claim is the same for every {name}: nothing in it is {{{name}}}"
        raise f.problem("SL503", message, (*path, "for", name), True)


def _name(table: Any, number: int) -> str:
    keys = ("name", "prove") if isinstance(table, dict) else ()
    hits = [table[k] for k in keys if isinstance(table.get(k), str)]
    return hits[0] if hits else f"claim {number + 1}"


def _check_types(f: TomlFile, path: toml_spans.Path, table: dict[str, Any]) -> None:
    if "prove" not in table:
        raise f.problem("SL502", "a claim needs a key 'prove'", path)
    for key in ("name", "prove", "expect", "because"):
        if key in table:
            f.expect(table[key], str, (*path, key), key)
    expect = table.get("expect", "proved")
    if expect not in EXPECTED:
        hint = "an answer that nobody has is not an expectation" if expect == "unknown" else None
        hint = hint or did_you_mean(expect, list(EXPECTED))
        message = f"expect is 'proved' or 'refuted', not {expect!r}"
        raise f.problem("SL503", message, (*path, "expect"), help=hint)
    if expect == "refuted" and not table.get("because", "").strip():
        raise f.problem("SL508", UNSAID, (*path, "expect"), help=SAY)


def _task(
    f: TomlFile, path: toml_spans.Path, table: dict[str, Any], shared: Shared, row: Row
) -> Draft:
    line = fill_origin(f.origin((*path, "prove"), table["prove"]), row)
    known = Filled(shared.layouts, row)
    read, claim = _read_line(line, known, shared.faults)
    own = f.strings(table.get("where", []), (*path, "where"), "where")
    own = tuple(_fact(fill_origin(o, row), known) for o in own) + symbols(f, table, path)
    facts = [_fact(fill_origin(o, row), known) for o in shared.facts or ()]
    tags = f.strings(table.get("tags", []), (*path, "tags"), "tags")
    texts = tuple(_within(line, w) for w in read.arguments)
    named = tuple(
        fill_origin(shared.layouts[w], row)
        for w in read.arguments
        if not w.quoted and w in shared.layouts
    )
    task = Task(
        name=title(table.get("name", table["prove"]), row),
        claim=claim,
        expect=table.get("expect", "proved"),
        because=fill(table.get("because", ""), row),
        tags=tuple(t.text for t in tags),
        place=line.place,
        origins=(*texts, *named),
    )
    return Draft(task, relevant(facts, (*claim.texts, *(o.text for o in own))), own)


def _fact(fact: Origin, layouts: Mapping[str, str]) -> Origin:
    """A fact with the layouts whose names its functions are given."""
    text = text_with_layouts(fact.text, layouts)
    return fact if text == fact.text else Origin(text, fact.place, False)


def _read_line(
    line: Origin, layouts: Mapping[str, str], faults: Collection[str]
) -> tuple[Claim, Claim]:
    """The claim as it is written, and with the layouts that its words name."""
    try:
        claim = read_claim(split(line.text), line.text)
        return claim, resolve(claim, layouts, line.text)
    except LayoutError as error:
        name = line.text[error.at : error.end] if error.code == "SL504" else ""
        if name in faults:
            error.code, error.help = "SL500", None
            error.message = f"not checked: the layout {name!r} cannot be read"
        raise Bad(locate(error, (line,), line.place)) from None


def _within(line: Origin, word: Word) -> Origin:
    """The origin of a word of a line: quotes around it are not part of its text."""
    shift = line.text[word.at : word.end].find(word)
    if not line.exact or shift < 0:
        return Origin(word, line.place, False)
    at = word.at + shift
    return Origin(word, line.place.shifted(at, at + len(word)), True)


def locate(error: LayoutError, origins: Sequence[Origin], otherwise: Place | None) -> Problem:
    """The problem of an error, at the place in the file where its text stands, if it does."""
    for origin in origins:
        if origin.exact and error.text == origin.text and error.at is not None:
            place = origin.place.shifted(error.at, error.end)
            return Problem(error.code, error.message, place, error.help)
    for origin in origins:
        if error.text == origin.text:
            part = _part(origin, error)
            if part is None:
                return Problem.of(error, origin.place)
            return Problem(error.code, error.message, part, error.help)
    return Problem.of(error, otherwise)


def _part(origin: Origin, error: LayoutError) -> Place | None:
    """Where a mistake stands in a text that was put together."""
    for start, part in reversed(origin.parts):
        if error.at is not None and error.at >= start:
            if not part.exact:
                return part.place
            at = min(error.at - start, len(part.text))
            end = None if error.end is None else min(error.end - start, len(part.text))
            return part.place.shifted(at, end)
    return None
