"""Running a check: files to entries, entries to results, in order whatever runs where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from symlayout.checks import claims_file
from symlayout.checks.cache import Cache, key
from symlayout.checks.discover import discover
from symlayout.checks.result import Outcome, Place, Problem, Report, Result, Task
from symlayout.errors import LayoutError

Progress = Callable[[int, int, str], None]


def silent(done: int, of: int, name: str) -> None:
    """No progress is shown."""


def check(
    paths: Iterable[str],
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> Report:
    """Checks every claim of the files and folders; bad input is reported and loses nothing else."""
    files: dict[str, None] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            files |= dict.fromkeys(discover([path]))
        except LayoutError as error:
            problems.append(Problem.of(error, Place(path, 1)))
    loaded = [claims_file.load(f) for f in files]
    entries = [entry for one in loaded for entry in one.entries]
    problems += [p for one in loaded for p in one.problems]
    results = run(entries, jobs=jobs, cache=cache, progress=progress)
    return Report(tuple(results), tuple(problems), tuple(files))


def run(
    entries: Sequence[Task | Result],
    *,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> list[Result]:
    """A result for every entry, in the same order; equal claims are judged once."""
    tasks = {key(e): e for e in reversed(entries) if isinstance(e, Task)}
    known = cache.get(tasks.values()) if cache else {}
    cached = frozenset(known)
    missing = [t for k, t in reversed(tasks.items()) if k not in known]
    for number, (task, outcome) in enumerate(_judge(missing, jobs)):
        progress(number, len(missing), task.name)
        known[key(task)] = outcome
        if cache:
            cache.put(task, outcome)
    return [
        e if isinstance(e, Result) else Result(e, known[key(e)], key(e) in cached) for e in entries
    ]


def _judge(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Outcome]]:
    if not tasks:
        return
    if jobs > 1 and len(tasks) > 1:
        from symlayout.checks.jobs import spread

        for number, outcome in spread(tasks, min(jobs, len(tasks))):
            yield tasks[number], outcome
        return
    from symlayout.checks.checker import judge

    for task in tasks:
        yield task, judge(task)
