"""`IndexMap.evaluate` of many coordinates beside the same formula written by hand in NumPy.

By hand is one line of NumPy on int64 arrays, as one writes it: sizes are plain numbers, tile counts
are worked out beforehand, nothing checks ranges or overflow.  Coordinates are drawn at random, then
those of a whole array as open grids.  Where numba is installed, it has the emitted Python function,
compiled beforehand.  All results are compared.  They run in turns and the least time of each counts,
so that a busy machine disturbs all alike.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from timing import milliseconds, table

import symlayout as sl
from symlayout.render.emit import emit

LIMIT = 1.5  # times the hand-written formula


@dataclass(frozen=True)
class Case:
    """A layout, the sizes of its symbols, and its formula by hand from coordinates and sizes."""

    text: str
    sizes: dict[str, int]
    by_hand: Callable[..., Any]


def _row_major(i: Any, j: Any, M: int, N: int) -> Any:
    return i * N + j


def _tiled(i: Any, j: Any, M: int, N: int) -> Any:
    row = -(-N // 128) * 1024
    return i // 8 * row + j // 128 * 1024 + i % 8 * 128 + j % 128


def _tiled_twice(i: Any, j: Any, M: int, N: int) -> Any:
    row = -(-N // 128) * 1024
    return i // 8 * row + j // 128 * 1024 + i % 8 // 2 * 256 + j % 128 * 2 + i % 2


def _any_tile(i: Any, j: Any, M: int, N: int, s: int, t: int) -> Any:
    row = -(-N // t) * s * t
    return i // s * row + j // t * (s * t) + i % s * t + j % t


def _column_major(i: Any, j: Any, M: int, N: int) -> Any:
    row = -(-M // 128) * 1024
    return j // 8 * row + i // 128 * 1024 + j % 8 * 128 + i % 128


def _rank_four(a: Any, b: Any, i: Any, j: Any, A: int, B: int, M: int, N: int) -> Any:
    rows, columns = -(-M // 8), -(-N // 128)
    tile = ((a * B + b) * rows + i // 8) * columns + j // 128
    return tile * 1024 + i % 8 * 128 + j % 128


def _pitched(i: Any, j: Any, M: int, N: int, S: int) -> Any:
    return i * S + j + 16


def _fractal(i: Any, j: Any, R: int, C: int) -> Any:
    return i % 16 * 16 + i // 16 * 256 + j % 16 + j // 16 * (256 * R)


WIDE = {"M": 4001, "N": 3999}
CASES = (
    Case("f32[M,N]", WIDE, _row_major),
    Case("f32[M,N]{1,0:T(8,128)}", WIDE, _tiled),
    Case("bf16[M,N]{1,0:T(8,128)(2,1)}", WIDE, _tiled_twice),
    Case("f32[4001,3999]{1,0:T(8,128)}", {}, lambda i, j: _tiled(i, j, 4001, 3999)),
    Case("f32[M,N]{0,1:T(8,128)}", WIDE, _column_major),
    Case("f32[M,N]{1,0:T(s,t)}", {**WIDE, "s": 8, "t": 128}, _any_tile),
    Case("f32[M,N]{1,0:T(s,t)}", {**WIDE, "s": 5, "t": 100}, _any_tile),
    Case("f32[A,B,M,N]{3,2,1,0:T(8,128)}", {"A": 30, "B": 17, "M": 201, "N": 399}, _rank_four),
    Case("strided f32[M,N] strides(S,1) offset 16", {**WIDE, "S": 4096}, _pitched),
    Case("((16,R),(16,C)):((16,256),(1,256*R))", {"R": 250, "C": 250}, _fractal),
)


def compared(case: Case, count: int, rounds: int) -> list[float]:
    """The least milliseconds of evaluate, of the formula by hand, and of numba where it is there.

    A count of 0 is the whole array.
    """
    made = sl.parse(case.text).index_map()
    shape, _ = made.concrete(case.sizes)
    random = np.random.default_rng(0)
    grid = np.ogrid[tuple(slice(0, d) for d in shape)]
    coords = [random.integers(0, d, count) for d in shape] if count else list(grid)
    values = list(case.sizes.values())
    runs: list[Callable[[], Any]] = [
        lambda: made.evaluate(*coords, **case.sizes),
        lambda: case.by_hand(*coords, *values),
    ]
    if find_spec("numba"):
        space: dict[str, Any] = {}
        exec(emit(made, "python"), space)
        compiled = import_module("numba").vectorize(space["offset"])
        given = [case.sizes[n] for n in made.symbols]
        runs.append(lambda: compiled(*coords, *given))
    first, *others = (run() for run in runs)
    if not all(np.array_equal(first, other) for other in others):
        raise SystemExit(f"{case.text}: the results disagree")
    least = [float("inf")] * len(runs)
    for _ in range(rounds):
        for k, run in enumerate(runs):
            start = time.process_time()
            run()
            least[k] = min(least[k], (time.process_time() - start) * 1e3)
    return least


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000_000, help="coordinates (10 million)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each (5)")
    options = parser.parse_args()
    good = True
    for count, said in ((options.count, f"{options.count} coordinates"), (0, "whole arrays")):
        rows = []
        for case in CASES:
            ours, hand, *others = compared(case, count, options.rounds)
            within = ours <= LIMIT * hand
            good = good and within
            sizes = ", ".join(f"{n}={v}" for n, v in case.sizes.items())
            times = [milliseconds(ours), milliseconds(hand), *map(milliseconds, others)]
            ratio = f"{ours / hand:.2f}"
            rows.append([case.text, sizes, *times, ratio, "ok" if within else "OVER"])
        print(f"{said}, ms; at most {LIMIT:g} times the formula by hand")
        names = ("evaluate", "by hand", *["numba"] * bool(find_spec("numba")))
        print(table(("layout", "sizes", *names, "ratio", ""), rows, left=2))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
