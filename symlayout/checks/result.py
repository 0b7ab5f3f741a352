"""What goes between loaders, checker and reporters: plain data that can be pickled and cached."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.operators import CALLS
from symlayout.layouts.claim import Claim, names_in
from symlayout.prove.verdict import STATUSES, Counterexample, Verdict
from symlayout.text.lines import lines_of, starts_of

if TYPE_CHECKING:
    from symlayout.programs.kernels.written import Code

RESTS = "rests on"  # begins the reason of a claim that another one's refutation leaves unknown
EXPECTED = ("proved", "refuted")
SOLVERS = ("z3", "cvc5", "none")  # that confirm proofs
CONDITION = "it holds exactly when "  # begins a hint that is the whole condition
UNSAID = 'expect = "refuted" needs because = "...": the refutation may show a defect'
LINE_CHARACTERS = 500  # of a line, before and behind a place


class Place(NamedTuple):
    """A span of one line of a file: line and column count from 1, `source` is the line.

    Of a very long line it is the part around the span, `cut` characters behind its beginning.
    """

    file: str
    line: int
    column: int = 1
    width: int = 1
    source: str = ""
    cut: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    @staticmethod
    def of(file: str, text: str, at: int, end: int | None = None) -> Place:
        """The place of character `at` of a file's text.

        >>> Place.of("a.toml", "x = 1\\nyy = 2", 6, 8)
        Place(file='a.toml', line=2, column=1, width=2, source='yy = 2', cut=0)
        """
        line = bisect_right(_line_starts(text), at)
        start = _line_starts(text)[line - 1]
        stop = text.find("\n", at)
        stop = stop if stop >= 0 else len(text)
        cut = max(0, at - start - LINE_CHARACTERS)
        source = text[start + cut : min(stop, at + LINE_CHARACTERS)].rstrip("\r")
        length = stop - at - (text[stop - 1 : stop] == "\r")
        width = max(1, min((at + 1 if end is None else end) - at, length))
        return Place(file, line, at - start + 1, width, source, cut)

    @staticmethod
    def of_bytes(file: str, text: str, line: int, column: int, end: int) -> Place:
        """The place of bytes [column, end) of a line, counted as parsers of code do."""
        starts = _source_starts(text)
        start = starts[line - 1]
        data = text[start : starts[min(line, len(starts) - 1)]].encode()
        at, stop = (len(data[:n].decode(errors="ignore")) for n in (column, end))
        return Place.of(file, text, start + at, start + max(stop, at + 1))

    def shifted(self, at: int, end: int | None = None) -> Place:
        """The place of characters [at, end) of the text that begins here, on the same line."""
        column, width = self.column + at, max(1, (end or at + 1) - at)
        return Place(self.file, self.line, column, width, self.source, self.cut)


@lru_cache(maxsize=4)
def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


@lru_cache(maxsize=4)
def _source_starts(text: str) -> list[int]:
    return starts_of(lines_of(text))


@dataclass(frozen=True)
class Problem:
    """A mistake in what was read: the error's code and message, and where in which file."""

    code: str
    message: str
    place: Place | None = None
    help: str | None = None
    excerpt: tuple[str, ...] = ()

    @staticmethod
    def of(error: LayoutError, place: Place | None = None) -> Problem:
        """The problem that an error tells; `place` is where its text stands in a file."""
        excerpt: tuple[str, ...] = ()
        if error.text is not None and error.at is not None:
            from symlayout.errors import caret

            excerpt = tuple(line[2:] for line in caret(error.text, error.at, error.end))
        return Problem(error.code, error.message, place, error.help, excerpt)


class Origin(NamedTuple):
    """Where a text of a claim comes from; `exact`: it stands in the file letter by letter.

    One that was put together has `parts`: what begins at each of its characters, and comes from where.
    """

    text: str
    place: Place
    exact: bool
    parts: tuple[tuple[int, Origin], ...] = ()


@dataclass(frozen=True)
class Task:
    """One claim to check, where it comes from, and what is expected of it.

    `doubt` is why a counterexample to the claim need not be one to what the file says: then the
    answer is "unknown".  So it is for a claim `derived` from code that is no text to be judged, and
    where one of the claims that it `rests` on, each with its name, fails at the same sizes.
    `assumed` are the facts of the claim that nobody wrote: sizes and launches are taken to be so.
    `code` is the kernel that a derived claim is about.
    What is not proved without them is judged under those that `may_be_assumed` too, and under what is
    known of the sizes of `blocks`: that they are powers of two, or the values that are tuned.
    `types` pairs assumptions about sizes with what holds without them, and "" with limits of a launch.
    """

    name: str
    claim: Claim
    expect: str = "proved"
    because: str = ""
    tags: tuple[str, ...] = ()
    place: Place | None = None
    origins: tuple[Origin, ...] = field(default=(), repr=False)
    budget: int | None = None
    doubt: str = ""
    derived: bool = False
    rests: tuple[tuple[str, Claim], ...] = field(default=(), repr=False)
    solver: str = "none"  # which solver has to confirm a proof: "z3", "cvc5" or "none"
    assumed: tuple[str, ...] = ()
    code: Code | None = field(default=None, repr=False, compare=False)  # for reports alone
    may_be_assumed: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    blocks: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def further(self) -> list[tuple[str, ...]]:
        """The assumptions under which the task is judged where it is not proved, all in the last."""
        sizes, blocks = self.may_be_assumed, self.about_blocks(self.claim)
        return [f for f in dict.fromkeys([sizes, blocks, (*sizes, *blocks)]) if f]

    def about_blocks(self, claim: Claim) -> tuple[str, ...]:
        """What is known of the sizes of blocks that a claim has, and is not said by its facts."""
        if not self.blocks:
            return ()
        own, facts = names_in(*claim.texts), {*map(str, claim.facts)}
        return tuple(f for n, fs in self.blocks if n in own for f in fs if f not in facts)

    def under(self, facts: Sequence[str]) -> Task:
        """The task under further assumptions."""
        if not (facts or self.may_be_assumed):
            return self
        claim = replace(self.claim, facts=(*self.claim.facts, *facts))
        return replace(self, claim=claim, assumed=(*self.assumed, *facts), may_be_assumed=())

    def of_types(self) -> Task:
        """The task without the assumptions about sizes: as large as their types let them be."""
        known, limits = dict(self.types), [t for f, t in self.types if not f]

        def free(claim: Claim) -> Claim:
            own = {*names_in(*claim.texts), *CALLS}
            more = [t for t in limits if names_in(t) <= own]
            facts = dict.fromkeys([*[known.get(str(f), f) for f in claim.facts], *more])
            return replace(claim, facts=tuple(f for f in facts if f != ""))

        rests = tuple((name, free(claim)) for name, claim in self.rests)
        task = replace(self, claim=free(self.claim), rests=rests)
        return task.under(task.about_blocks(task.claim))

    @property
    def replay(self) -> str:
        """The command line that checks this claim alone; nothing where there is no claim."""
        if not self.claim.word:  # what was to be claimed is not understood
            return ""
        budget = () if self.budget is None else ("--budget", str(self.budget))
        return f"symlayout prove {self.claim.command(self.claim.facts, *budget)}"


@dataclass(frozen=True)
class Outcome:
    """The answer to a task: a verdict's status, or "error" with the problem that prevented one."""

    status: str
    reason: str
    counterexample: dict[str, Any] | None = None
    details: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    problem: Problem | None = None
    confirmed: dict[str, str] | None = None  # the solver's answer to a proved claim
    assumed: list[str] = field(default_factory=list)  # what was added to the task's facts for it
    beyond: dict[str, Any] | None = None  # a counterexample to a proved claim without assumptions

    @property
    def condition(self) -> str:
        """What code has to do for a proved claim to be of use: tiles may reach past the array.

        >>> Outcome("proved", "", details={"masked": ["i >= M"]}).condition
        ', if code masks i >= M'
        """
        masked = self.details.get("masked") if self.status == "proved" else None
        return f", if code masks {' or '.join(masked)}" if masked else ""

    @staticmethod
    def of(verdict: Verdict) -> Outcome:
        """The plain data of a verdict."""
        data = data_of(verdict.counterexample)
        details = {k: plain(v) for k, v in verdict._details.items()}
        return Outcome(verdict.status, verdict.reason, data, details, round(verdict.seconds, 6))

    @staticmethod
    def failed(problem: Problem, seconds: float = 0.0) -> Outcome:
        """No verdict: the input was bad."""
        return Outcome("error", problem.message, seconds=seconds, problem=problem)


def data_of(c: Counterexample | None) -> dict[str, Any] | None:
    """The plain data of a counterexample."""
    if c is None:
        return None
    data = {"sizes": dict(c.sizes), "coords": list(c.coords), "left": c.left, "right": c.right}
    if c.other is not None:
        data["other"] = list(c.other)
    if c.note:
        data["note"] = c.note
    return data


class Fix(NamedTuple):
    """A text to be put in at a place of a file, where `removed` characters go, and what that does.

    `last` is the line and the column behind these, where they end in another line.
    """

    title: str
    place: Place
    text: str
    removed: int = 0
    last: tuple[int, int] | None = None

    @property
    def end(self) -> tuple[int, int]:
        """The line and the column behind what is removed."""
        return self.last or (self.place.line, self.place.column + self.removed)


@dataclass(frozen=True)
class Result:
    """A task and its outcome; `cached` tells that no prover ran, `hint` what would mend it.

    `changes` are what would mend its file.
    """

    task: Task
    outcome: Outcome
    cached: bool = False
    hint: str = ""
    changes: tuple[Fix, ...] = ()

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one that the claim expects."""
        return self.outcome.status == self.task.expect

    @property
    def in_words_of_source(self) -> bool:
        """Whether reports tell it in the words of a kernel's source."""
        return self.task.code is not None and self.outcome.status in ("refuted", "unknown")


@dataclass(frozen=True)
class Loaded:
    """What a file holds: its tasks in order, or for a claim that cannot be read its result.

    `note` is shown to people, `padding` are the rows of a module's padding report,
    `modules` what is counted of each module, `launches` those that contracts of kernels rest on,
    `left` says what could have been checked, and is not.
    """

    file: str
    entries: tuple[Task | Result, ...] = ()
    problems: tuple[Problem, ...] = ()
    note: str = ""
    padding: tuple[dict[str, Any], ...] = ()
    modules: tuple[dict[str, Any], ...] = ()
    launches: tuple[dict[str, Any], ...] = ()
    left: str = ""


def plain(value: Any) -> Any:
    """The value as JSON can hold it; expressions become text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return int(value) if getattr(value, "is_Integer", False) else str(value)


@dataclass(frozen=True)
class Report:
    """Everything that a run found: results in order, problems that belong to no single claim.

    `notes` are for people; `left` has, with a file each, what was passed over, for every report.
    """

    results: tuple[Result, ...]
    problems: tuple[Problem, ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    padding: tuple[dict[str, Any], ...] = ()
    modules: tuple[dict[str, Any], ...] = ()
    launches: tuple[dict[str, Any], ...] = ()
    left: tuple[tuple[str, str], ...] = ()

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """The problems of files, then those of claims; what many claims share is there once."""
        own = (r.outcome.problem for r in self.results if r.outcome.problem is not None)
        return tuple(dict.fromkeys((*self.problems, *own)))

    @property
    def wrong(self) -> list[Result]:
        """The claims that were judged, and are not as expected."""
        return [r for r in self.results if not r.as_expected and r.outcome.problem is None]

    @property
    def exit_code(self) -> int:
        """2 when any input was bad, else 1 when any verdict is not the expected one, else 0."""
        if self.all_problems:
            return 2
        return 0 if all(r.as_expected for r in self.results) else 1

    def summary(self) -> dict[str, int]:
        """How many claims there are of each kind."""
        statuses = [r.outcome.status for r in self.results]
        counts: dict[str, int] = {s: statuses.count(s) for s in STATUSES}
        return {
            "files": len(self.files),
            "claims": len(self.results),
            "as_expected": sum(r.as_expected for r in self.results),
            **counts,
            **self.confirmations(),
            "errors": len(self.all_problems),
            "exit_code": self.exit_code,
        }

    def confirmations(self) -> dict[str, int]:
        """How many proofs the solver confirmed as they are and in steps, and how many it did not."""
        rows = [r.outcome.confirmed for r in self.results if r.outcome.confirmed is not None]
        counts = {
            "confirmed_as_it_is": sum(row["how"] == "as it is" for row in rows),
            "confirmed_in_steps": sum("steps" in row["how"] for row in rows),
            "not_confirmed": sum(row["status"] == "unknown" for row in rows),
        }
        return counts if rows else {}


SIDES = {
    "formula": ("the layout's", "yours")
}  # what the sides of a claim are, if not left and right


def counterexample_lines(r: Result) -> list[str]:
    """A counterexample for people: sizes, coordinates, both sides, and what the reason leaves out."""
    c, lines = r.outcome.counterexample, []
    if c is None:
        return []
    sizes = ", ".join(f"{n} = {v}" for n, v in c["sizes"].items())
    if sizes:
        lines.append(f"sizes        {sizes}")
    if c["coords"] or c.get("other"):
        places = [_tuple(c["coords"])] + ([_tuple(c["other"])] if c.get("other") else [])
        lines.append(f"coordinates  {' and '.join(places)}")
    for side, label in zip(("left", "right"), SIDES.get(r.task.claim.word, ("left", "right"))):
        if c[side] is not None and c[side] != "undefined":  # of which the reason tells
            lines.append(f"{label:<12} {c[side]}")
    if c.get("note") and not r.outcome.reason.startswith(c["note"]):
        lines.append(f"note         {c['note']}")
    return lines


def account(r: Result) -> list[str]:
    """For people: the facts, the reason and the counterexample of an outcome."""
    assumed = dict.fromkeys(r.task.assumed, " (assumed)")
    facts = [f"where        {f}{assumed.get(str(f), '')}" for f in r.task.claim.facts]
    reason = r.outcome.reason
    if r.hint.startswith(CONDITION):  # which says more than one fact that is not enough
        reason = reason.partition("; add ")[0]
    return [*facts, f"reason       {reason}", *counterexample_lines(r)]


def evidence(r: Result) -> list[str]:
    """The counterexample, how to replay it, and what would mend the claim, a line each."""
    lines = counterexample_lines(r)
    lines += [f"replay: {r.task.replay}"] if r.task.replay else []
    return [*lines, f"help: {r.hint}"] if r.hint else lines


def _tuple(coords: Sequence[int]) -> str:
    return f"({', '.join(map(str, coords))}{',' if len(coords) == 1 else ''})"
