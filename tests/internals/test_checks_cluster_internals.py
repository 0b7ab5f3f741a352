"""Properties of internal modules; `tests/test_checks_cluster.py` tests the public interface."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from symlayout import Claim
from symlayout.checks import cluster, jobs
from symlayout.checks.checker import judge
from symlayout.checks.result import Outcome, Task

FLAG = "SYMLAYOUT_TEST_LOST_WORKER"


def ends_its_process_once(chunk: jobs.Chunk) -> jobs.Outcomes:
    """Judges claims; the first process that comes to the deadly one ends in the midst of it."""
    if any(task.name == "deadly" for _, task in chunk):
        try:
            os.close(os.open(os.environ[FLAG], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            pass
        else:
            os._exit(1)
    return [(number, judge(task)) for number, task in chunk]


def timeless(outcome: Outcome) -> Outcome:
    return replace(outcome, seconds=0.0)


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Task]:
    """Claims, one of which ends the process that judges it, once."""
    monkeypatch.setenv(FLAG, str(tmp_path / "lost"))
    monkeypatch.setattr(cluster, "judge_all", ends_its_process_once)
    tasks = [Task(f"claim {n}", Claim("injective", (f"(4,5):({n},1)",))) for n in range(12)]
    tasks[7] = replace(tasks[7], name="deadly")
    return tasks


@pytest.mark.explore
def test_the_claims_of_a_lost_worker_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, deadly: list[Task]
) -> None:
    # what the cluster does not answer would be judged here: it must not come to that
    monkeypatch.delattr(cluster, "Workers")
    found = list(cluster.spread_over(deadly, "dask", 2))
    assert (tmp_path / "lost").exists()
    assert [number for number, _ in found] == list(range(12))
    assert [timeless(o) for _, o in found] == [timeless(judge(task)) for task in deadly]
    assert [o.status for _, o in found] == ["refuted"] * 5 + ["proved"] * 7


def test_what_a_cluster_gives_up_is_judged_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, deadly: list[Task]
) -> None:
    # a stand-in for Ray that gives up when a worker is lost; as with Ray's, its claims would all
    # run in this process (and end it) if no number of processes were asked for
    from joblib.parallel import BACKENDS, register_parallel_backend

    assert BACKENDS["loky"].default_n_jobs == 1
    ray = {
        "ray": SimpleNamespace(init=lambda **options: None, shutdown=lambda: None),
        "ray.util": SimpleNamespace(),
        "ray.util.joblib": SimpleNamespace(
            register_ray=lambda: register_parallel_backend("ray", BACKENDS["loky"])
        ),
    }
    for name, module in ray.items():
        monkeypatch.setitem(sys.modules, name, module)
    found = dict(cluster.spread_over(deadly, "ray", 2))
    assert (tmp_path / "lost").exists()
    assert [timeless(found[n]) for n in range(12)] == [timeless(judge(task)) for task in deadly]
