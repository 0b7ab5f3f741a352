"""The command `symlayout`: whatever happens, one line and an exit code, never a traceback."""

from __future__ import annotations

import os
import sys

from symlayout.errors import LayoutError
from symlayout.escape import visible

INTERRUPTED = 130
BROKEN_PIPE = 141


def main(argv: list[str] | None = None) -> int:
    """Runs one command; 0 as expected, 1 something refuted or unknown, 2 bad input.

    >>> main(["explain", "SL202"])  # doctest: +ELLIPSIS
    SL202: a divisor is zero
    ...
    0
    """
    try:
        from symlayout import cli

        code = cli.run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except LayoutError as error:
        print(f"symlayout: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("symlayout: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away: `symlayout show ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (Exception, RecursionError) as error:
        print(f"symlayout: {internal(error)}", file=sys.stderr)
    return 2


def internal(error: BaseException) -> str:
    """One line for a failure of ours, with the place in the code, for a report."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        name = os.path.basename(trace.tb_frame.f_code.co_filename)
        place = f" ({name}:{trace.tb_lineno})"
    text = visible(" ".join(str(error)[:2000].split())[:200])
    return f"SL900: internal error: {type(error).__name__}: {text}{place}"


if __name__ == "__main__":
    sys.exit(main())
