"""Properties of internal modules; `tests/test_checks_jobs.py` tests the public interface."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from symlayout import Claim
from symlayout.__main__ import main
from symlayout.checks import hints, jobs, processes, runner
from symlayout.checks.cache_folder import NAME
from symlayout.checks.checker import judge
from symlayout.checks.result import Outcome, Task
from symlayout.checks.runner import Options, run


def tasks(count: int) -> list[Task]:
    return [Task(f"claim {n}", Claim("injective", (f"(4,5):({n},1)",))) for n in range(count)]


def timeless(outcome: Outcome) -> Outcome:
    return replace(outcome, seconds=0.0)


def test_two_processes_find_what_one_finds() -> None:
    made = [*tasks(9), Task("bad", Claim("injective", ("f32[4",))), tasks(1)[0]]
    alone = [timeless(r.outcome) for r in run(made)]
    seen: list[int] = []
    shared = run(made, Options(jobs=2), progress=lambda done, of, name: seen.append(done))
    assert [timeless(r.outcome) for r in shared] == alone
    assert [o.status for o in alone[:6]] == ["refuted"] * 5 + ["proved"]
    assert alone[9].status == "error"
    assert seen == list(range(10))


def outcomes(tasks: list[Task]) -> dict[int, Outcome]:
    with jobs.Workers(2) as workers:
        return dict(workers.outcomes(tasks))


def ends_its_process(chunk: jobs.Chunk) -> list[tuple[int, Outcome]]:
    if any(task.name == "deadly" for _, task in chunk):
        os._exit(1)
    return [(number, judge(task)) for number, task in chunk]


@pytest.mark.parametrize("count", [1, 6])
def test_a_lost_worker_loses_one_claim_only(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(jobs, "judge_all", ends_its_process)
    made = tasks(count)
    made.insert(count // 2, Task("deadly", Claim("injective", ("(4):(1)",))))
    found = outcomes(made)
    assert sorted(found) == list(range(count + 1))
    for number, task in enumerate(made):
        if task.name == "deadly":
            assert found[number].status == "error"
            assert found[number].problem is not None
            assert "ended twice" in found[number].reason
        else:
            assert timeless(found[number]) == timeless(judge(task))


@pytest.mark.parametrize("count", [0, 1, 7, 100, 1000])
@pytest.mark.parametrize("processes", [2, 4])
def test_chunks_are_all_claims_in_order_ever_fewer(count: int, processes: int) -> None:
    made = tasks(count)
    chunks = list(jobs._chunks(made, processes))
    assert [pair for chunk in chunks for pair in chunk] == list(enumerate(made))
    lengths = [len(chunk) for chunk in chunks]
    assert lengths == sorted(lengths, reverse=True)
    assert all(1 <= n <= jobs.LARGEST_CHUNK for n in lengths)
    assert lengths[-processes:] == [1] * min(count, processes)


def refuted_claims(count: int) -> list[Task]:
    return [Task(f"{n}", Claim("injective", (f"(M,N):(1,P+{n})",))) for n in range(1, count + 1)]


def test_two_processes_give_the_hints_of_one() -> None:
    claims = [*tasks(8), *refuted_claims(7)]
    alone = run(claims, Options(hints=True))
    shared = run(claims, Options(hints=True, jobs=2))
    assert [r.hint for r in shared] == [r.hint for r in alone]
    assert [bool(r.hint) for r in alone] == [False] * 8 + [True] * hints.MOST + [False] * 2


def begins_late(chunk: jobs.Chunk) -> list[tuple[int, Outcome]]:
    if chunk[0][0] == 0:
        time.sleep(1)
    return [(number, judge(task)) for number, task in chunk]


def test_outcomes_that_nobody_waits_for_are_no_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = refuted_claims(2)
    monkeypatch.setattr(jobs, "judge_all", begins_late)
    alone = [r.hint for r in run(claims, Options(hints=True))]
    with jobs.Workers(2) as workers:
        for _ in workers.outcomes(tasks(40)):
            break
        assert workers.busy
        assert workers.hints(claims) == alone


def ends_its_process_for_a_hint(chunk: jobs.Chunk) -> list[tuple[int, str]]:
    if any(task.name == "2" for _, task in chunk):
        os._exit(1)
    return [(number, hints.hint(task)) for number, task in chunk]


def test_a_worker_that_is_lost_at_a_hint_loses_that_hint_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = [r.hint for r in run(refuted_claims(3), Options(hints=True))]
    monkeypatch.setattr(jobs, "hint_all", ends_its_process_for_a_hint)
    results = run(refuted_claims(3), Options(hints=True, jobs=2))
    assert [r.hint for r in results] == [alone[0], "", alone[2]]


def says_what_is_imported(chunk: jobs.Chunk) -> list[tuple[int, Outcome]]:
    there = "symlayout.prove.tiling" in sys.modules
    return [(number, Outcome("proved", str(there))) for number, _ in chunk]


def test_workers_come_with_the_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "judge_all", says_what_is_imported)
    found = outcomes(tasks(4))
    assert {o.reason for o in found.values()} == {str(processes.FORKS)}


def test_workers_get_ready_while_claims_are_read_unless_they_are_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[int] = []
    monkeypatch.setattr(processes, "make_ready", lambda: started.append(1))
    monkeypatch.setattr(jobs, "_worker", lambda: pytest.fail("there is nothing to do"))
    claims = "".join(f"[[claim]]\nprove = 'injective \"({n}):(1)\"'\n" for n in range(1, 31))
    (tmp_path / "a.layout.toml").write_text(claims)
    argv = ["check", str(tmp_path), "--cache-dir", str(tmp_path / "cache")]
    assert main(argv) == 0
    assert main([*argv, "--jobs", "2"]) == 0
    assert started == []

    class Stop(Exception):
        pass

    def stop(*_: object, **__: object) -> None:
        raise Stop

    monkeypatch.setattr(runner, "run", stop)
    for files, expected in ((1, 0), (2, 1), (3, 1)):
        (tmp_path / f"{files}.layout.toml").write_text(claims)
        (tmp_path / "a.layout.toml").unlink(missing_ok=True)
        started.clear()
        with pytest.raises(Stop):
            runner.check([str(tmp_path)], Options(jobs=2))
        assert len(started) == expected
        with pytest.raises(Stop):
            runner.check([str(tmp_path)], Options(jobs=1))
        assert len(started) == expected


def test_workers_get_ready_before_anything_is_read_where_no_verdict_can_be_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[int] = []
    monkeypatch.setattr(processes, "make_ready", lambda: started.append(1))

    def ready(paths: list[Path], folder: Path | None) -> bool:
        started.clear()
        processes.make_ready_for([str(p) for p in paths], folder and str(folder))
        return bool(started)

    few, many, other = (tmp_path / name for name in ("few.toml", "many.toml", "many.py"))
    few.write_text("x" * (processes.MANY - 1))
    many.write_text("x" * processes.MANY)
    other.write_text("x" * processes.MANY)
    (tmp_path / "below" / "deeper").mkdir(parents=True)
    (tmp_path / "below" / NAME).touch()
    assert [ready([file], None) for file in (few, other, many)] == [False, False, True]
    assert ready([few, few], None)
    assert not ready([tmp_path / "below", tmp_path / "missing.toml"], None)
    many.rename(tmp_path / "below" / "deeper" / "many.toml")
    assert ready([tmp_path / "below"], None)
    assert ready([tmp_path], tmp_path / "verdicts")  # they are not there
    assert not ready([tmp_path], tmp_path / "below")


def test_the_command_gets_workers_ready_only_for_several_processes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[list[str], str | None]] = []
    monkeypatch.setattr(processes, "make_ready_for", lambda *given: asked.append(given))
    (tmp_path / "a.layout.toml").write_text("[[claim]]\nprove = 'onto \"f32[4]\"'\n")
    argv = ["check", str(tmp_path), "--cache-dir", str(tmp_path / "verdicts")]
    for more in ([], ["--jobs", "1"]):
        assert main([*argv, *more]) == 0
    assert asked == []
    assert main([*argv, "--jobs", "2"]) == main([*argv, "--jobs", "2", "--no-cache"]) == 0
    assert asked == [([str(tmp_path)], str(tmp_path / "verdicts")), ([str(tmp_path)], None)]


@pytest.mark.parametrize("nth", [1, 2, 3, 4])
def test_an_interrupt_between_two_chunks_leaves_no_worker(
    monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    made: list[ProcessPoolExecutor] = []
    plain, started = jobs.without_interrupts, jobs._worker
    entered = itertools.count(1)

    def worker() -> ProcessPoolExecutor:
        made.append(started())
        return made[-1]

    @contextmanager
    def interrupted(*more: signal.Signals) -> Iterator[None]:
        if next(entered) == nth:
            raise KeyboardInterrupt
        with plain(*more):
            yield

    monkeypatch.setattr(jobs, "without_interrupts", interrupted)
    monkeypatch.setattr(jobs, "_worker", worker)
    with pytest.raises(KeyboardInterrupt), jobs.Workers(2) as workers:
        deque(workers.outcomes(tasks(20)), maxlen=0)
    assert [w._executor_manager_thread for w in made] == [None, None]


def test_hints_are_texts_whatever_still_waits() -> None:
    claims = [Task("", Claim("injective", (f"(M,N):({k},1)",))) for k in (1, 2)]
    with jobs.Workers(2) as workers:
        workers.waiting.append(jobs._Job(jobs.judge_all, [(0, claims[0])], jobs._loss))
        assert workers.hints(claims) == hints.each(claims)
