"""The command `symlayout`: whatever happens, one line and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from symlayout.errors import LayoutError, internal
from symlayout.text.escape import visible
from symlayout.text.garbage import collect_no_more, collect_rarely
from symlayout.text.threads import start_none

INTERRUPTED = 130
BROKEN_PIPE = 141
ENDINGS = tuple(getattr(signal, n) for n in ("SIGTERM", "SIGHUP") if hasattr(signal, n))


GRACE = (
    2.0  # seconds from a signal to end until the process ends, whatever it is in the middle of ...
)
PATIENCE = 30.0  # ... and where it has other processes to end before
SAID = threading.Lock()  # taken by whoever tells of the end


class Terminated(BaseException):
    """The signal of that number arrived: what is under way is ended in order."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(argv: list[str] | None = None) -> int:
    """Runs one command; 0 as expected, 1 something refuted or unknown, 2 bad input.

    >>> main(["explain", "SL202"])  # doctest: +ELLIPSIS
    SL202: a divisor is zero
    ...
    0
    """
    own = argv is None  # the process is this command's
    try:
        with _termination():
            _open_streams()  # before anything else is opened under the number of a closed one
            if own:
                _watch()
                collect_rarely()
                start_none()
                os.environ["PYTHONSAFEPATH"] = "1"  # no process imports from the working directory
            from symlayout.checks.cli import main as cli

            code = cli.run(sys.argv[1:] if argv is None else argv)
            if not sys.stdout.closed:  # as the language server leaves it behind
                sys.stdout.flush()
            return code
    except LayoutError as error:
        _say(str(error))
    except KeyboardInterrupt:
        if not own or SAID.acquire(blocking=False):
            _say("interrupted")
        return INTERRUPTED
    except Terminated as end:
        if not own or SAID.acquire(blocking=False):
            _say("terminated")
        return 128 + end.number
    except BrokenPipeError:  # the reader of our output went away: `symlayout show ... | head`
        _drop(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:  # a full disk, most often
        _drop(sys.stdout)
        why = visible(error.strerror or str(error)).lower()
        if error.errno == errno.EBADF:
            why = "it is closed (>/dev/null throws it away)"
        _say(f"the output cannot be written: {why}")
    except (Exception, RecursionError) as error:
        _say(internal(error))
    finally:
        if own:
            collect_no_more()
    return 2


@contextmanager
def _termination() -> Iterator[None]:
    """A signal to end raises `Terminated` meanwhile, unless somebody else wants to have it."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [n for n in ENDINGS if signal.getsignal(n) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _watch() -> None:
    """Ends the process soon after a signal to end, if it has not ended: a solver hears of none."""
    if threading.current_thread() is not threading.main_thread():
        return
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def follow() -> None:
        number = 0
        while number not in (signal.SIGINT, *ENDINGS):
            number = os.read(reader, 1)[0]
        time.sleep(PATIENCE if "multiprocessing.forkserver" in sys.modules else GRACE)
        if SAID.acquire(blocking=False):
            _say("interrupted" if number == signal.SIGINT else "terminated")
        os._exit(128 + number)

    # the thread hears of no signal itself: those that the main thread blocks wait for that
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *ENDINGS})
    threading.Thread(target=follow, name="ends the process", daemon=True).start()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _open_streams() -> None:
    """A letter that the terminal lacks is spelled out; closed streams are opened.

    What is printed to a closed output cannot be written, as nobody would read it; messages are lost.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # in the locale C it is the bytes of names alone that go back as they came
        faulty = getattr(stream, "errors", None) in ("strict", "surrogateescape")
        if faulty and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _say(text: str) -> None:
    try:
        print(f"symlayout: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):  # nobody listens
        _drop(sys.stderr)


def _drop(stream: TextIO) -> None:
    """Whatever is still to be written there goes nowhere: Python would try again at its end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError, AttributeError):  # no file at all
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        if stream is sys.stderr:
            sys.stderr = nowhere
        else:
            sys.stdout = nowhere


if __name__ == "__main__":
    sys.exit(main())
