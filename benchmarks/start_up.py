"""How long the command line takes from a cold start: a new process, nothing in memory.

The limits are held against the median; the least time is that of the run which other processes
disturbed least.  `python -c pass` and the imports show what of it is not symlayout's own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from timing import Times, milliseconds, table

TILED = "bf16[M,N]{1,0:T(8,128)(2,1)}"
CLI = ("-m", "symlayout")
RUNS = (
    ("--help", (*CLI, "--help"), 150.0),
    ("prove --help", (*CLI, "prove", "--help"), 150.0),
    ("explain SL102", (*CLI, "explain", "SL102"), None),
    ("prove injective", (*CLI, "prove", "injective", TILED), 1000.0),
    ("prove bounded", (*CLI, "prove", "bounded", TILED), 1000.0),
    (
        "prove bijective --where",
        (*CLI, "prove", "bijective", TILED, "--where", "M % 8 == 0", "--where", "N % 128 == 0"),
        1000.0,
    ),
    (
        "prove equal, refuted",
        (*CLI, "prove", "equal", "f32[M,N]{1,0:T(p,q)}", "f32[M,N]{1,0:T(q,p)}"),
        1000.0,
    ),
    ("formula", (*CLI, "formula", TILED), None),
    ("show", (*CLI, "show", "f32[3,5]{1,0:T(2,2)}"), None),
    ("python -c pass", ("-c", "pass"), None),
    ("import numpy", ("-c", "import numpy"), None),
    ("import sympy", ("-c", "import sympy"), None),
    ("import z3", ("-c", "import z3"), None),
)

SHARE = 0.7


def cold(arguments: tuple[str, ...], times: int) -> Times:
    """The seconds of several new processes, after one that fills the disk cache."""
    command = [sys.executable, *arguments]
    taken = []
    for _ in range(times + 1):
        start = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        taken.append(time.perf_counter() - start)
        if done.returncode not in (0, 1) or done.stderr:
            raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return Times(tuple(taken[1:]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=9, help="processes for each command (9)")
    times = parser.parse_args().times
    rows = []
    least: dict[str, float] = {}
    good = True
    for name, arguments, limit in RUNS:
        taken = cold(arguments, times)
        within = limit is None or taken.median <= limit
        good = good and within
        held = ["", ""] if limit is None else [f"{limit:g}", "ok" if within else "OVER"]
        rows.append([name, milliseconds(taken.median), milliseconds(taken.least), *held])
        least[name] = taken.least
    print(table(("command", "median ms", "least ms", "limit ms", ""), rows))
    share = least["prove injective"] / least["import sympy"]
    print(f"a proof in digits takes {share:.2f} times what import sympy takes (at most {SHARE})")
    good = good and share <= SHARE
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
