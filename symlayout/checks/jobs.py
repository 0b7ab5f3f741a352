"""Processes that share the claims; each claim is independent, a lost worker's run again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import connection
from typing import Any, TypeVar

from symlayout.checks.checker import judge
from symlayout.checks.hints import each, hint
from symlayout.checks.processes import context, make_ready, without_interrupts
from symlayout.checks.result import Outcome, Problem, Task

LARGEST_CHUNK = 16
MOST_LOSSES = 2
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


def _start() -> None:
    # the parent answers an interrupt for all
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_follow, name="follows its parent", daemon=True).start()


def _follow() -> None:
    """Ends this process when the one that gives it claims is gone, however that came about."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _worker() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=context(), initializer=_start)


def _chunks(tasks: Sequence[Task], jobs: int) -> Iterator[Chunk]:
    """Numbered tasks in order, ever fewer at a time towards the end, so that none waits for long."""
    pairs = list(enumerate(tasks))
    while pairs:
        size = max(1, min(LARGEST_CHUNK, len(pairs) // (4 * jobs)))
        yield pairs[:size]
        pairs = pairs[size:]


@dataclass(frozen=True)
class _Job:
    """What one worker is asked in one go: numbered tasks, what is done with each, and without one."""

    work: Callable[[Chunk], list[tuple[int, Any]]]
    chunk: Chunk
    lost: Lost[Any]


class Workers:
    """Processes of this machine that share tasks: started as they are needed, ended when left.

    Each is a pool of its own with one chunk in flight, so that it is known whose claims are lost
    with it: they run again one by one, and a claim that ends its process twice is given up.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.every: list[ProcessPoolExecutor] = []
        self.idle: list[ProcessPoolExecutor] = []
        self.busy: dict[Future[Any], tuple[ProcessPoolExecutor, _Job]] = {}
        self.waiting: deque[_Job] = deque()
        self.hinted: list[Task] = []
        self.texts: dict[int, str] = {}  # by their place in `hinted`

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *error: object) -> None:
        # an interrupt may have come while a worker was neither idle nor busy
        others = [worker for worker in self.every if worker not in self.idle]
        for worker in self.idle:
            worker.shutdown()
        _stop(others)

    def worker(self) -> ProcessPoolExecutor:
        """Another worker."""
        self.every.append(_worker())
        return self.every[-1]

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
        losses: Counter[tuple[object, int]] = Counter()
        self.idle += [self.worker() for _ in range(self.jobs - len(self.idle))]
        while self.waiting or self.busy:
            while self.waiting and self.idle:
                worker, job = self.idle.pop(), self.waiting.popleft()
                # a worker that is started is known, so that it can be stopped
                with without_interrupts(signal.SIGTERM, *HANGUP):
                    self.busy[worker.submit(job.work, job.chunk)] = (worker, job)
            done, _ = wait(self.busy, return_when=FIRST_COMPLETED)
            for future in done:
                worker, job = self.busy.pop(future)
                try:
                    results = future.result()
                except BrokenProcessPool:
                    worker.shutdown(wait=False)
                    worker = self.worker()
                    results = self._again(job, losses)
                self.idle.append(worker)
                if job.work is hint_all:
                    self.texts.update(results)
                else:
                    yield from results

    def _again(self, job: _Job, losses: Counter[tuple[object, int]]) -> list[tuple[int, Any]]:
        """Queues the claims of a lost process, one by one; gives up those that ended it twice."""
        given_up = []
        for number, task in job.chunk:
            losses[job.work, number] += len(job.chunk) == 1
            if losses[job.work, number] < MOST_LOSSES:
                self.waiting.append(replace(job, chunk=[(number, task)]))
            else:
                given_up.append((number, job.lost(task)))
        return given_up


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
