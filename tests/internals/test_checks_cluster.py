"""A real local Dask cluster: the same bytes as one process, and a lost worker loses nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from symlayout.__main__ import main
from symlayout.checks import cluster, jobs
from symlayout.checks.checker import judge
from symlayout.checks.result import Outcome, Task
from symlayout.layouts.claim import Claim

CLAIMS = "".join(
    f"[[claim]]\nname = 'claim {n}'\nprove = 'injective \"(4,5):({n},1)\"'\n" for n in range(12)
)


def run(folder: Path, *argv: str) -> tuple[int, str, str]:
    """What a check of the folder answers, prints and says."""
    done = subprocess.run(
        [sys.executable, "-m", "symlayout", "check", ".", "--no-cache", *argv],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=110,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.explore
def test_a_local_dask_cluster_prints_what_one_process_prints(tmp_path: Path) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    alone = run(tmp_path, "--jobs", "1")
    assert run(tmp_path, "--jobs", "2", "--backend", "dask") == alone
    assert alone[0] == 1
    assert "12 claims in 1 file (7 proved, 5 refuted)" in alone[1]


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


@pytest.mark.parametrize(("backend", "module"), [("ray", "ray"), ("dask", "joblib")])
def test_a_backend_that_is_not_there_is_one_error(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    backend: str,
    module: str,
) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["check", str(tmp_path), "--no-cache", "--backend", backend]) == 2
    err = capsys.readouterr().err
    assert f"SL600: the backend '{backend}' is not installed" in err
    assert f"pip install 'symlayout[{backend}]'" in err


def test_a_scheduler_that_is_not_there_is_one_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.layout.toml").write_text(CLAIMS)
    argv = ["--backend", "dask", "--scheduler", "no address at all"]
    assert main(["check", str(tmp_path), "--no-cache", *argv]) == 2
    assert "SL600: the cluster at no address at all cannot be reached" in capsys.readouterr().err
