"""Processes: the same results in the same order, and a lost worker loses nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def test_what_workers_are_forked_from_has_no_threads() -> None:
    code = (
        "import os, sys, threading, symlayout.checks.preload; tasks = '/proc/self/task'; "
        "print(len(os.listdir(tasks)) if os.path.isdir(tasks) else threading.active_count(), "
        "'sympy' in sys.modules, 'numpy' in sys.modules, 'z3' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["1", "False", "True", "False"], done.stderr


def slow_claims(count: int) -> str:
    """Claims that take half a second each: true modulo 13, of which 13**4 remainders are too many."""
    claim = "prove = 'holds \"x**6 + y**6 + u**6 != z**6 + {}\"'\n"
    return "".join(f"[[claim]]\n{claim.format(6552 * n + 3529)}" for n in range(count))


INTERRUPTED = """
import os, subprocess, sys
from symlayout.__main__ import main
from symlayout.checks import processes

def ready(real=processes.make_ready):
    # another process interrupts this one and its workers, as a terminal does
    processes.make_ready = real
    line = f"sleep {after}; kill -INT -{os.getpgrp()}"
    subprocess.Popen(["sh", "-c", line], start_new_session=True)
    real()

processes.make_ready = ready
sys.argv[1:] = [sys.argv[1], "check", sys.argv[2], "--jobs", "2", "--no-cache"]
after = sys.argv.pop(1)
sys.exit(main())
"""


@pytest.mark.parametrize("after", [0.0, 0.1, 0.3, 0.6])
def test_an_interrupt_is_one_line_whatever_the_workers_do(tmp_path: Path, after: float) -> None:
    (tmp_path / "a.layout.toml").write_text(slow_claims(60))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(after), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=200,
        start_new_session=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "symlayout: interrupted\n")


DEAF = """
import hashlib, sys
from symlayout.__main__ import main
from symlayout.checks.cli import main as cli

def run(argv):
    print("running", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"as long", b"as a solver", 10**9)

cli.run = run
sys.exit(main())
"""


@pytest.mark.explore
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "symlayout: interrupted\n"),
        (signal.SIGTERM, 143, "symlayout: terminated\n"),
        (signal.SIGHUP, 129, "symlayout: terminated\n"),
    ],
)
def test_a_signal_ends_what_does_not_hear_of_it(
    number: signal.Signals, code: int, said: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DEAF], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (code, said)


def of_session(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, own = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:  # it ended meanwhile
                continue
            if int(own) == session and state != "Z":
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGKILL, -signal.SIGKILL, None),  # Python's own tracker tells of semaphores
        (signal.SIGTERM, 143, "symlayout: terminated\n"),
        (signal.SIGHUP, 129, "symlayout: terminated\n"),
    ],
)
def test_no_process_outlives_the_command(
    tmp_path: Path, number: signal.Signals, code: int, said: str | None
) -> None:
    (tmp_path / "a.layout.toml").write_text(slow_claims(200))
    command = [sys.executable, "-m", "symlayout", "check", str(tmp_path), "--jobs", "2"]
    with subprocess.Popen(
        [*command, "--cache-dir", str(tmp_path / "cache")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        until = time.monotonic() + 60
        # itself, what keeps track of resources, what workers are forked from, and two workers
        while len(of_session(process.pid)) < 5 and time.monotonic() < until:
            time.sleep(0.05)
        assert process.poll() is None
        process.send_signal(number)
        out, err = process.communicate(timeout=100)
        assert (process.returncode, out) == (code, "")
        assert "Traceback" not in err
        assert said in (None, err)
    until = time.monotonic() + 60
    while of_session(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert of_session(process.pid) == []
