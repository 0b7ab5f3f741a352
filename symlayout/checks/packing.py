"""What a file holds as JSON, and back: a cache keeps it by the file's text.

A row has the fields of a value in their order; a place has no file where that is the one read.
"""

from __future__ import annotations

import json
from typing import Any

from symlayout.checks.result import Loaded, Origin, Outcome, Place, Problem, Result, Task
from symlayout.layouts.claim import Claim

Row = list[Any]


def pack(loaded: Loaded) -> str:
    """What a file holds, as JSON."""
    home = loaded.file
    entries = [_entry_row(e, home) for e in loaded.entries]
    problems = [_problem_row(p, home) for p in loaded.problems]
    rest = [loaded.note, loaded.left, loaded.padding, loaded.modules, loaded.launches]
    return json.dumps([home, entries, problems, *rest])


def unpack(text: str) -> Loaded:
    """The inverse of `pack`."""
    home, entries, problems, note, left, *tables = json.loads(text)
    padding, modules, launches = map(tuple, tables)
    return Loaded(
        home,
        tuple([_entry(row, home) for row in entries]),
        tuple([_problem(row, home) for row in problems]),
        note,
        padding,
        modules,
        launches,
        left,
    )


def _entry_row(entry: Task | Result, home: str) -> Row:
    if isinstance(entry, Task):
        return [*_task_row(entry, home), None]
    assert entry.outcome.problem is not None  # what a loader cannot read
    return [*_task_row(entry.task, home), _problem_row(entry.outcome.problem, home)]


def _entry(row: Row, home: str) -> Task | Result:
    *fields, problem = row
    task = _task(fields, home)
    return task if problem is None else Result(task, Outcome.failed(_problem(problem, home)))


def _task_row(t: Task, home: str) -> Row:
    claim, rests = _claim_row(t.claim), [[name, _claim_row(c)] for name, c in t.rests]
    place = None if t.place is None else _place_row(t.place, home)
    origins = [_origin_row(o, home) for o in t.origins]
    assumed = [t.assumed, t.may_be_assumed, t.types, t.blocks]
    rest = [t.budget, t.doubt, t.derived, rests, *assumed]
    return [t.name, claim, t.expect, t.because, t.tags, place, origins, *rest]


def _task(row: Row, home: str) -> Task:
    name, claim, expect, because, tags, place, origins, *rest = row
    budget, doubt, derived, rests, assumed, may_be, types, blocks = rest
    return Task(
        name,
        _claim(claim),
        expect,
        because,
        tuple(tags),
        None if place is None else _place(place, home),
        tuple([_origin(o, home) for o in origins]),
        budget,
        doubt,
        derived,
        tuple([(title, _claim(c)) for title, c in rests]),
        assumed=tuple(assumed),
        may_be_assumed=tuple(may_be),
        types=tuple([tuple(row) for row in types]),
        blocks=tuple([(name, tuple(facts)) for name, facts in blocks]),
    )


def _claim_row(c: Claim) -> Row:
    return [c.word, c.texts, [(n, str(o)) for n, o in c.options], [str(f) for f in c.facts]]


def _claim(row: Row) -> Claim:
    word, arguments, options, facts = row
    return Claim(word, tuple(arguments), tuple([tuple(o) for o in options]), tuple(facts))


def _origin_row(o: Origin, home: str) -> Row:
    parts = [[start, _origin_row(part, home)] for start, part in o.parts]
    return [o.text, _place_row(o.place, home), o.exact, parts]


def _origin(row: Row, home: str) -> Origin:
    text, place, exact, parts = row
    inside = tuple([(start, _origin(part, home)) for start, part in parts])
    return Origin(text, _place(place, home), exact, inside)


def _place_row(p: Place, home: str) -> Row:
    return ["" if p.file == home else p.file, p.line, p.column, p.width, p.source, p.cut]


def _place(row: Row, home: str) -> Place:
    file, *rest = row
    return Place(file or home, *rest)


def _problem_row(p: Problem, home: str) -> Row:
    place = None if p.place is None else _place_row(p.place, home)
    return [p.code, p.message, place, p.help, p.excerpt]


def _problem(row: Row, home: str) -> Problem:
    code, message, place, help, excerpt = row
    at = None if place is None else _place(place, home)
    return Problem(code, message, at, help, tuple(excerpt))
