"""Processes: the same results in the same order, and a lost worker loses nothing."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from symlayout.checks import jobs
from symlayout.checks.checker import judge
from symlayout.checks.jobs import spread
from symlayout.checks.result import Outcome, Task
from symlayout.checks.runner import Options, run


def tasks(count: int) -> list[Task]:
    return [Task(f"claim {n}", "injective", (f"(4,5):({n},1)",)) for n in range(count)]


def timeless(outcome: Outcome) -> Outcome:
    return replace(outcome, seconds=0.0)


def test_two_processes_find_what_one_finds() -> None:
    made = [*tasks(9), Task("bad", "injective", ("f32[4",)), tasks(1)[0]]
    alone = [timeless(r.outcome) for r in run(made)]
    seen: list[int] = []
    shared = run(made, Options(jobs=2), progress=lambda done, of, name: seen.append(done))
    assert [timeless(r.outcome) for r in shared] == alone
    assert [o.status for o in alone[:6]] == ["refuted"] * 5 + ["proved"]
    assert alone[9].status == "error"
    assert seen == list(range(10))


def ends_its_process(chunk: jobs.Chunk) -> list[tuple[int, Outcome]]:
    if any(task.name == "deadly" for _, task in chunk):
        os._exit(1)
    return [(number, judge(task)) for number, task in chunk]


@pytest.mark.parametrize("count", [1, 6])
def test_a_lost_worker_loses_one_claim_only(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(jobs, "judge_all", ends_its_process)
    made = tasks(count)
    made.insert(count // 2, Task("deadly", "injective", ("(4):(1)",)))
    found = dict(spread(made, 2))
    assert sorted(found) == list(range(count + 1))
    for number, task in enumerate(made):
        if task.name == "deadly":
            assert found[number].status == "error"
            assert found[number].problem is not None
            assert "ended twice" in found[number].reason
        else:
            assert timeless(found[number]) == timeless(judge(task))
