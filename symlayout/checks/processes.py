"""What workers are forked from: one process that has imported the prover and has no threads."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.context import BaseContext

FORKS = "forkserver" in multiprocessing.get_all_start_methods()
MANY = 4096  # bytes of claims files, of fifty claims or more: they keep several processes busy
SEEN = 1000  # files and folders that are looked through for them


def context() -> BaseContext:
    """How workers are started: where there is no fork each imports the prover for itself."""
    if not FORKS:
        return multiprocessing.get_context("spawn")
    forkserver = multiprocessing.get_context("forkserver")
    forkserver.set_forkserver_preload(["symlayout.checks.preload"])
    return forkserver


def make_ready() -> None:
    """Begins to import the prover for workers that will be needed: reading goes on meanwhile."""
    if FORKS:
        from multiprocessing import forkserver, resource_tracker

        context()
        resource_tracker.ensure_running()
        with without_interrupts():
            forkserver.ensure_running()


def make_ready_for(paths: Sequence[str], folder: str | None) -> None:
    """Begins so, before this process imports what reads claims, where it will be worth it.

    That is where claims files are large, and no folder of verdicts is there.
    """
    if (folder is None or not os.path.lexists(folder)) and _are_large(paths):
        make_ready()


def _are_large(paths: Sequence[str]) -> bool:
    size = 0
    for seen, file in enumerate(_files(paths)):
        if file.endswith(".toml") and os.path.isfile(file):
            with suppress(OSError):  # it is gone again
                size += os.path.getsize(file)
        if size >= MANY or seen >= SEEN:
            break
    return size >= MANY


def _files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if not os.path.isdir(path):
            yield path
        for folder, folders, files in os.walk(path):
            yield from (os.path.join(folder, name) for name in [*files, *folders])


@contextmanager
def without_interrupts(*more: signal.Signals) -> Iterator[None]:
    """An interrupt waits for the end of the body, and what the body starts never sees one."""
    if not FORKS:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *more})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
