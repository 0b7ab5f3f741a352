"""Running a check: files to entries, entries to results, in order whatever runs where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from symlayout.checks import claims_file
from symlayout.checks.checker import judge
from symlayout.checks.claims_file import Loaded
from symlayout.checks.discover import discover
from symlayout.checks.result import Outcome, Place, Problem, Report, Result, Task
from symlayout.errors import LayoutError

Progress = Callable[[int, int, str], None]


def check(
    paths: Iterable[str], *, jobs: int = 1, progress: Progress = lambda done, of, name: None
) -> Report:
    """Checks every claim of the files and folders; bad input is reported and loses nothing else."""
    files: list[str] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            found = discover([path])
        except LayoutError as error:
            problems.append(Problem.of(error, Place(path, 1)))
            continue
        files += [f for f in found if f not in files]
    loaded = [claims_file.load(f) for f in files]
    entries = [entry for one in loaded for entry in one.entries]
    problems += [p for one in loaded for p in one.problems]
    results = run(entries, jobs=jobs, progress=progress)
    return Report(tuple(results), tuple(problems), tuple(files))


def run(entries: Sequence[Task | Result], *, jobs: int = 1, progress: Progress) -> list[Result]:
    """A result for every entry, in the same order; `jobs` processes share the tasks."""
    results: list[Result | None] = [e if isinstance(e, Result) else None for e in entries]
    tasks = [(n, e) for n, e in enumerate(entries) if isinstance(e, Task)]
    outcomes = _here([t for _, t in tasks], progress)
    for (number, task), outcome in zip(tasks, outcomes):
        results[number] = Result(task, outcome)
    return [r for r in results if r is not None]


def _here(tasks: Sequence[Task], progress: Progress) -> Iterable[Outcome]:
    for number, task in enumerate(tasks):
        progress(number, len(tasks), task.name)
        yield judge(task)


__all__ = ["Loaded", "check", "run"]
