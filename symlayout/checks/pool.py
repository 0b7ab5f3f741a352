"""Where claims are judged: in this process, in others beside it, or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from symlayout.checks.hints import each
from symlayout.checks.result import Outcome, Task

if TYPE_CHECKING:
    from symlayout.checks.jobs import Workers


class Pool:
    """Judges claims; what it starts for that ends when it is left."""

    def __init__(self, jobs: int = 1, backend: str = "local", scheduler: str | None = None) -> None:
        self.jobs, self.backend, self.scheduler = jobs, backend, scheduler
        self.workers: Workers | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        if self.workers is not None:
            self.workers.__exit__(*error)

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome]]:
        """The numbered outcomes, in the order in which they come."""
        jobs = min(self.jobs, len(tasks))
        if not tasks:
            return
        if self.backend != "local":
            from symlayout.checks.cluster import spread_over

            yield from spread_over(tasks, self.backend, jobs, self.scheduler)
        elif jobs > 1:
            from symlayout.checks.jobs import Workers

            self.workers = Workers(jobs)
            yield from self.workers.outcomes(tasks)
        else:
            from symlayout.checks.checker import judge

            yield from enumerate(map(judge, tasks))

    def begin_hint(self, task: Task) -> None:
        """Workers look for what would mend a refuted claim while others are judged."""
        if self.workers is not None:
            self.workers.begin_hint(task)

    def hints(self, tasks: Sequence[Task]) -> list[str]:
        """What would mend each of the refuted claims."""
        if self.workers is not None:
            return self.workers.hints(tasks)
        return each(tasks)
