"""How processes for the work start: from one process that has imported the prover and has no threads.

None of them imports from the working directory, which may be a stranger's checkout.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import connection
from multiprocessing.context import BaseContext
from typing import IO, TYPE_CHECKING

from symlayout.checks.cache_folder import NAME
from symlayout.checks.walking import walk
from symlayout.errors import LayoutError
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

FORKS = "forkserver" in multiprocessing.get_all_start_methods()
MANY = 4096  # bytes of claims files, of fifty claims or more: they keep several processes busy
SEEN = 1000  # files and folders that are looked through for them
SAFE_PATH = "PYTHONSAFEPATH"
ALONE = "--jobs 1 works in one process"
WAITS, PAUSE = (
    100,
    0.05,
)  # times that are waited so many seconds for the end of what a worker prints
# the lines of a traceback before its last one, as Python and multiprocessing print them
UNFINISHED = regex(r"Process \S+:|Traceback \(.*|File .*")


def context() -> BaseContext:
    """How workers are started: where there is no fork each imports the prover for itself."""
    if not FORKS:
        return multiprocessing.get_context("spawn")
    forkserver = multiprocessing.get_context("forkserver")
    forkserver.set_forkserver_preload(["symlayout.checks.preload"])
    return forkserver


def executor(count: int) -> ProcessPoolExecutor:
    """A pool of workers; its first tasks are submitted inside `starting()`."""
    from concurrent.futures import ProcessPoolExecutor

    with starting():  # its locks are known to a process of their own
        return ProcessPoolExecutor(count, mp_context=context(), initializer=_begin)


def _begin() -> None:
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


@contextmanager
def safe_path() -> Iterator[None]:
    """Processes of Python that start meanwhile do not import from the working directory.

    Raises `LayoutError` (SL603) where Python was told to ignore its environment.
    """
    if sys.flags.ignore_environment and not sys.flags.safe_path:
        message = "under python -E, other processes would import from the working directory"
        raise LayoutError("SL603", message, help=f"python -P -E is safe, and {ALONE}")
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        del os.environ[SAFE_PATH]
        if before is not None:
            os.environ[SAFE_PATH] = before


@contextmanager
def starting() -> Iterator[None]:
    """Whatever starts workers runs in this; what they print is kept aside, as the reason of a failure.

    Raises `LayoutError` (SL603) for a process that cannot be started.
    """
    with safe_path():
        try:
            with _messages_aside():
                yield
        except (OSError, EOFError) as error:
            if isinstance(error, LayoutError):
                raise
            raise not_started(error) from None


def not_started(error: BaseException) -> LayoutError:
    """The error about a worker that did not start, with what it printed last."""
    own = f"{type(error).__name__}: {error}" if isinstance(error, ImportError) else ""
    reason = own or _last_words() or str(error) or type(error).__name__
    message = f"a process that shares the work cannot be started: {reason}"
    return LayoutError("SL603", message, help=ALONE)


@contextmanager
def _messages_aside() -> Iterator[None]:
    """What is written to the standard error meanwhile, and later by processes that start, is aside."""
    try:
        before = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    try:
        with suppress(OSError):  # there may be no place for a file
            os.dup2(_aside().fileno(), 2)
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


@cache
def _aside() -> IO[bytes]:
    """A file without a name."""
    return tempfile.TemporaryFile()


def _last_words() -> str:
    """The last line that a worker printed: of a traceback it is the error, which may be on its way."""
    for _ in range(WAITS):
        words = _last_line()
        if not UNFINISHED.fullmatch(words):
            break
        time.sleep(PAUSE)
    return words


def _last_line() -> str:
    with suppress(OSError, AttributeError):  # Windows has no `pread`
        size = os.fstat(_aside().fileno()).st_size
        end = os.pread(_aside().fileno(), 4096, max(0, size - 4096))
        lines = [x for x in end.decode("utf-8", "replace").splitlines() if x.strip()]
        return lines[-1].strip() if lines else ""
    return ""


def make_ready() -> None:
    """Begins to import the prover for workers that will be needed: reading goes on meanwhile."""
    if FORKS:
        from multiprocessing import forkserver, resource_tracker

        context()
        with without_interrupts(), starting():
            resource_tracker.ensure_running()
            forkserver.ensure_running()


def make_ready_for(paths: Sequence[str], folder: str | None) -> None:
    """Begins so, before this process imports what reads claims, where it will be worth it.

    That is where claims files are large, and no verdicts are there.
    """
    if (folder is None or not os.path.lexists(f"{folder}/{NAME}")) and _are_large(paths):
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
        for folder, folders, files in walk(path):
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
