"""Processes that share the claims; each claim is independent, a lost worker's run again."""

from __future__ import annotations

import multiprocessing
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, TypeVar

from symlayout.checks.checker import judge
from symlayout.checks.hints import each, hint
from symlayout.checks.processes import (
    executor,
    make_ready,
    not_started,
    starting,
    without_interrupts,
)
from symlayout.checks.result import Outcome, Problem, Task

LARGEST_CHUNK = 32
IN_HAND = 2  # chunks that a worker has
HANGUP = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []

T = TypeVar("T")
Lost = Callable[[Task], T]
Chunk = list[tuple[int, Task]]
Outcomes = list[tuple[int, Outcome]]


def judge_all(chunk: Chunk) -> Outcomes:
    """The outcomes of a chunk of numbered tasks."""
    return [(number, judge(task)) for number, task in chunk]


def hint_all(chunk: Chunk) -> list[tuple[int, str]]:
    """What would mend the refuted claims of a chunk of numbered tasks."""
    return [(number, hint(task)) for number, task in chunk]


def _first() -> None:
    """The first task of a worker: it can import what judges claims."""
    import_module("symlayout.checks.preload")


def _worker() -> ProcessPoolExecutor:
    return executor(1)


def _chunks(tasks: Sequence[Task], jobs: int) -> Iterator[Chunk]:
    """Numbered tasks in order, ever fewer at a time towards the end, so that none waits for long."""
    pairs = list(enumerate(tasks))
    while pairs:
        size = max(1, min(LARGEST_CHUNK, len(pairs) // (4 * jobs)))
        yield pairs[:size]
        pairs = pairs[size:]


@dataclass(frozen=True)
class _Job:
    """What one worker is asked in one go: numbered tasks, what is done with each, and without one.

    `alone`: it is one task, and the process that had it has ended.
    """

    work: Callable[[Chunk], list[tuple[int, Any]]]
    chunk: Chunk
    lost: Lost[Any]
    alone: bool = False


class Workers:
    """Processes of this machine that share tasks: started as they are needed, ended when left.

    Each is a pool of its own with one chunk in hand and one behind it, so that none waits to be told
    what is next.  What is lost with a process runs again, one claim at a time and with no other; a
    claim that ends its process then too is given up.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.every: list[ProcessPoolExecutor] = []
        self.first: dict[ProcessPoolExecutor, Future[None]] = {}  # their first tasks
        self.busy: dict[Future[Any], tuple[ProcessPoolExecutor, _Job]] = {}
        self.waiting: deque[_Job] = deque()
        self.again: deque[_Job] = deque()
        self.hinted: list[Task] = []
        self.texts: dict[int, str] = {}  # by their place in `hinted`

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        busy = [worker for worker, _ in self.busy.values()]
        for worker in self.every:
            if worker not in busy:
                worker.shutdown()
        # an interrupt may have come while a worker was given its chunk
        _stop(busy)

    def outcomes(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Outcome]]:
        """The numbered outcomes, in the order in which they come."""
        self.waiting.extend(_Job(judge_all, chunk, _loss) for chunk in _chunks(tasks, self.jobs))
        yield from self._work()

    def begin_hint(self, task: Task) -> None:
        """What would mend a refuted claim is looked for next, beside claims that wait."""
        number = len(self.hinted)
        self.hinted.append(task)
        self.waiting.appendleft(_Job(hint_all, [(number, task)], lambda task: ""))

    def hints(self, tasks: Sequence[Task]) -> list[str]:
        """What would mend each of the refuted claims."""
        if self.busy:  # outcomes that nobody waits for: the run stopped at its first failure
            return each(tasks)
        for task in tasks:
            if task not in self.hinted:
                self.begin_hint(task)
        self.waiting = deque(job for job in self.waiting if job.work is hint_all)
        deque(self._work(), maxlen=0)
        return [self.texts[self.hinted.index(task)] for task in tasks]

    def _work(self) -> Iterator[tuple[int, Outcome]]:
        """All that waits is done; hints are kept, and outcomes given."""
        make_ready()
        while self.waiting or self.again or self.busy:
            self._give()
            done, _ = wait(self.busy, return_when=FIRST_COMPLETED)
            for future in done:
                worker, job = self.busy.pop(future)
                self._check_start(worker)
                try:
                    results = future.result()
                except BrokenProcessPool:
                    results = self._lost(worker, job)
                if job.work is hint_all:
                    self.texts.update(results)
                else:
                    yield from results

    def _give(self) -> None:
        """Gives the workers what waits, and alone what was lost."""
        while self.waiting and (worker := self._free()) is not None:
            self._submit(worker, self.waiting)
        if self.again and not self.busy and (worker := self._free()) is not None:
            self._submit(worker, self.again)

    def _free(self) -> ProcessPoolExecutor | None:
        """The worker that has least to do, if it may have more."""
        self.every += [_worker() for _ in range(self.jobs - len(self.every))]
        load = Counter(worker for worker, _ in self.busy.values())
        least = min(self.every, key=load.__getitem__)
        return least if load[least] < IN_HAND else None

    def _submit(self, worker: ProcessPoolExecutor, queue: deque[_Job]) -> None:
        # a worker that is started is known, so that it can be stopped
        with without_interrupts(signal.SIGTERM, *HANGUP):
            try:
                if worker not in self.first:
                    with starting():
                        self.first[worker] = worker.submit(_first)
                future = worker.submit(queue[0].work, queue[0].chunk)
            except BrokenProcessPool:
                self._check_start(worker)
                self._drop(worker)
            else:
                self.busy[future] = (worker, queue.popleft())

    def _check_start(self, worker: ProcessPoolExecutor) -> None:
        """Raises `LayoutError` (SL603) for a worker that has not come to its first claim."""
        error = self.first[worker].exception()
        if error is not None:
            raise not_started(error)

    def _drop(self, worker: ProcessPoolExecutor) -> None:
        if worker in self.every:
            worker.shutdown(wait=False)
            self.every.remove(worker)

    def _lost(self, worker: ProcessPoolExecutor, job: _Job) -> list[tuple[int, Any]]:
        """Queues the claims of a lost process one by one; gives up one that was alone."""
        self._drop(worker)
        if job.alone:
            return [(number, job.lost(task)) for number, task in job.chunk]
        self.again += [replace(job, chunk=[pair], alone=True) for pair in job.chunk]
        return []


def _loss(task: Task) -> Outcome:
    message = "the process that checked this claim ended twice (out of memory?)"
    return Outcome.failed(Problem("SL900", message, task.place, f"replay: {task.replay}"))


def _stop(workers: Sequence[ProcessPoolExecutor]) -> None:
    """Ends workers in the middle of their claims: the run was interrupted.

    What looks after a worker here ends first: Python, at its own end, may write to what that closes.
    """
    if workers:
        for process in multiprocessing.active_children():
            process.terminate()
    for worker in workers:
        worker.shutdown(cancel_futures=True)
