"""What an editor is told of a file while it is written: verdicts, hovers and changes.

The text is the editor's, not the file's on disk; the settings and the cache are those of the project.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from symlayout.checks import claims_file, runner
from symlayout.checks.cache import Cache
from symlayout.checks.cache_folder import default_folder
from symlayout.checks.comments import loader as comments
from symlayout.checks.config import read_config
from symlayout.checks.hints import with_hints
from symlayout.checks.project import project_of
from symlayout.checks.reading import within
from symlayout.checks.result import (
    Fix,
    Origin,
    Place,
    Problem,
    Result,
    Task,
    counterexample_lines,
)
from symlayout.errors import LayoutError
from symlayout.programs.kernels.policy import Settings
from symlayout.text.endings import ends_in
from symlayout.text.escape import visible

SEVERITIES = {"proved": 4, "refuted": 1, "unknown": 2, "vacuous": 2, "error": 1}  # 4: a hint
FENCE = "~~~~"


class Outdated(Exception):
    """A newer text has come: nobody waits for this one's verdicts."""


@dataclass(frozen=True)
class Diagnostic:
    """A message at a place; severity 1 is an error, 2 a warning, 4 a hint."""

    place: Place
    severity: int
    code: str
    message: str


@dataclass
class Document:
    """A file's text in an editor, and what is known of its claims."""

    file: str
    text: str
    results: list[Result] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    def diagnostics(self) -> list[Diagnostic]:
        """Mistakes and verdicts, each at its place."""
        results = [_of_problem(p, self.file) for p in self.problems]
        return results + [_of_result(r, self.file) for r in self.results]

    def at(self, line: int, column: int) -> tuple[list[Result], str | None]:
        """The claims of a line (counted from 1), and the layout's text under the column."""
        hits = [r for r in self.results if r.task.place and r.task.place.line == line]
        for r in self.results:
            for o in _flat(r.task.origins):
                inside = o.place.column <= column < o.place.column + len(o.text)
                if o.exact and o.place.file == self.file and o.place.line == line and inside:
                    return hits, o.text
        return hits, hits[0].task.claim.texts[0] if hits and hits[0].task.claim.texts else None

    def hover(self, line: int, column: int) -> str:
        """In Markdown: the formula of the layout there, and the verdicts of the line's claims."""
        results, layout = self.at(line, column)
        parts = [_verdict(r) for r in results]
        if layout is not None and (texts := formula_of(layout)):
            parts.append(_block([visible(layout), *texts]))
        return "\n\n".join(parts)

    def changes(self, first: int, last: int) -> list[Fix]:
        """The changes with which the refuted claims of the lines from `first` to `last` are proved."""
        targets = [r for r in self.results if r.task.place and first <= r.task.place.line <= last]
        return list(dict.fromkeys(f for r in targets for f in r.changes))


def _flat(origins: tuple[Origin, ...]) -> list[Origin]:
    return [p for o in origins for p in ([part for _, part in o.parts] or [o])]


def _of_problem(p: Problem, file: str) -> Diagnostic:
    place = p.place if p.place is not None and p.place.file == file else Place(file, 1)
    where = "" if p.place is None or p.place.file == file else f"{p.place}: "
    help = f"\nhelp: {p.help}" if p.help else ""
    return Diagnostic(place, 1, p.code, f"{where}{p.message}{help}")


def _of_result(r: Result, file: str) -> Diagnostic:
    if r.outcome.problem is not None:
        return _of_problem(r.outcome.problem, file)
    place = r.task.place or Place(file, 1)
    status = r.outcome.status
    lines = [f"{status}: {r.outcome.reason}", *counterexample_lines(r)]
    lines += [f"help: {r.hint}"] if r.hint else []
    if r.as_expected:
        expected = "" if status == "proved" else ", as expected"
        return Diagnostic(place, 4, status, f"{status}{expected}: {r.outcome.reason}")
    return Diagnostic(place, SEVERITIES[status], status, "\n".join(lines))


def _verdict(r: Result) -> str:
    if r.outcome.problem is not None:
        return f"**error** {r.outcome.problem.code}\n\n{_block([r.outcome.problem.message])}"
    lines = [r.task.claim.line, *(f"where {f}" for f in r.task.claim.facts), r.outcome.reason]
    lines += counterexample_lines(r)
    lines += [f"help: {r.hint}"] if r.hint else []
    return f"**{r.outcome.status}**\n\n{_block(lines)}"


def _block(lines: list[str]) -> str:
    texts = [visible(line).replace(FENCE, "~~~ ~") for line in lines]
    return "\n".join([FENCE, *texts, FENCE])


def formula_of(layout: str) -> list[str]:
    """A layout's offset and size; nothing where the text is not a layout.

    >>> formula_of("f32[M,N]")
    ['offset  N*i + j', 'size    M*N']
    """
    from symlayout.layouts.notation import parse

    try:
        index_map = parse(layout).index_map()
        return [f"offset  {index_map._shortest}", f"size    {index_map._size}"]
    except (LayoutError, AttributeError, RecursionError):
        return []


def reads(file: str) -> bool:
    """Whether a file of that name may have claims that an editor shows."""
    return file.endswith(claims_file.SUFFIX) or ends_in(file, comments.SUFFIXES)


def document_of(
    file: str, text: str, outdated: Callable[[], bool], message: Callable[[Document], None]
) -> Document:
    """The document with all its verdicts; `told` gets it before that, with the mistakes alone.

    Raises `Outdated` as soon as `outdated` says so.
    """
    folder = Path(file).parent
    project, config = project_of(file), read_config(folder if folder.is_dir() else None)
    facts = [o.text for o in config.where]
    settings = Settings(config.assume, tuple(facts))
    if ends_in(file, comments.SUFFIXES):
        loaded = comments.load_text(file, text, within(project), settings=settings)
    else:
        loaded = claims_file.load_text(file, text, project)
    options = runner.Options(where=config.where, budget=config.budget)
    loaded = runner.under(loaded, options)
    entries = loaded.entries
    document = Document(file, text, problems=list(loaded.problems))
    document.results = [e for e in entries if isinstance(e, Result)]
    message(document)

    def progress(done: int, of: int, name: str) -> None:
        if outdated():
            raise Outdated

    if any(isinstance(e, Task) for e in entries):
        with Cache(default_folder(), [project.root]) as cache:
            results = runner.run(entries, options, cache=cache, progress=progress)
            progress(len(entries), len(entries), "")
            document.results = with_hints(
                results, cache, text=text, settings=settings, within=within(project)
            )
    return document
