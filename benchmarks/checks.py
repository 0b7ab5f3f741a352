"""A folder of 1,000 claims checked: `python benchmarks/checks.py [--claims 1000] [--seed 0]`.

Claims of every word in all notations, no two alike, about half of them refuted, as claims files.
Each run is a new process: cold with one process and with two, then again from the cache; the least
of several interleaved runs counts.  Also held: the output has the same bytes whatever the number of
processes, and a cached run imports neither SymPy nor Z3.  Exits with 1 when a limit is passed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timing import milliseconds, table

TYPES = ("f32", "bf16", "f16", "s32", "s8", "u8", "f64", "u16")
NAMES = ("M N", "R C", "H W", "B S", "X Y", "P Q", "rows cols", "U V", "T D", "E F")
TILES = ((8, 128), (16, 128), (8, 64), (4, 32), (2, 64), (32, 8), (16, 64), (32, 128), (4, 256))
FILES = 20
LIMITS = {"cold, 2 processes": 10.0, "cached": 0.3}
LEAST_GAIN = 1.3  # what workers are forked from takes 0.4 s to start
MOST_MEMORY = 300
# processes find compiled modules, as they do where symlayout is installed
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


class Draw:
    """What the claims are made of: an element type, two sizes' names, a tile, a factor."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.t = rng.choice(TYPES)
        self.m, self.n = rng.choice(NAMES).split()
        self.p, self.q = rng.choice(TILES)
        self.k = rng.randrange(2, 50)

    def either(self, *made: Made) -> Made:
        return self.rng.choice(made)

    def plain(self, order: str = "1,0") -> str:
        return f'"{self.t}[{self.m},{self.n}]{{{order}}}"'

    def tiled(self, more: str = "", order: str = "1,0") -> str:
        return f'"{self.t}[{self.m},{self.n}]{{{order}:T({self.p},{self.q}){more}}}"'

    def whole(self) -> str:
        """The same with sizes that are multiples of the tile."""
        sizes = f"{self.p}*{self.m},{self.q}*{self.n}"
        return f'"{self.t}[{sizes}]{{1,0:T({self.p},{self.q})}}"'

    def nested(self, last: int = 1) -> str:
        """The whole tiles as shape and stride."""
        p, q = self.p, self.q
        return f'"(({p},{self.m}),({q},{self.n})):(({q},{p * q}*{self.n}),({last},{p * q}))"'

    def pitched(self, start: int = 0) -> str:
        return f'"strided {self.t}[{self.m},{self.n}] strides(S,1) offset {start}"'

    def multiples(self) -> tuple[str, ...]:
        return (f"{self.m} % {self.p} == 0", f"{self.n} % {self.q} == 0")

    def index(self, tiles: str) -> str:
        """The tile formula, with so many tiles in a row."""
        p, q = self.p, self.q
        return f'"((i//{p})*({tiles}) + j//{q})*{p * q} + (i%{p})*{q} + j%{q}"'


Made = tuple[str, tuple[str, ...]]


def equal(d: Draw) -> Made:
    q = d.q
    return d.either(
        (f"{d.whole()} {d.nested()}", ()),
        (f"{d.whole()} {d.nested(2)}", ()),
        (f"{d.tiled()} {d.plain()}", ()),
        (f"{d.tiled()} {d.plain()}", (f"{d.n} == {q}",)),
        (f"{d.pitched(d.k)} {d.plain()}", (f"S >= {d.n}",)),
        (f'{d.plain()} "({d.m},{d.n}):({d.n},1)"', ()),
        (f'{d.plain()} "({d.m},{d.n}):(1,{d.m})"', (f"{d.m} >= {d.k}",)),
        (f'"zN(f16,{d.m},{d.n})" "f16[{d.m},{d.n}]{{0,1:T(16,16)(16,1)}}"', (f"{d.m} > {d.k}",)),
    )


def injective(d: Draw) -> Made:
    return d.either(
        (d.tiled(), ()),
        (d.tiled("(2,1)"), (f"{d.m} >= {d.k}",)),
        (d.pitched(d.k), (f"S >= {d.n}",)),
        (d.pitched(d.k), ()),
        (f'"({d.m},{d.n}):({d.n}+{d.k},1)"', ()),
        (f'"({d.m},{d.n}):({d.k},1)"', ()),
    )


def onto(d: Draw) -> Made:
    return d.either(
        (d.tiled(), d.multiples()),
        (d.tiled(), ()),
        (d.whole(), ()),
        (d.pitched(), (f"S == {d.n}", f"{d.m} >= {d.k}")),
        (f'"(({d.k},{d.m}),{d.n}):((1,{d.k}*{d.n}),{d.k})"', ()),
        (f'"({d.m},{d.n}):({d.n}+{d.k},1)"', ()),
    )


def bijective(d: Draw) -> Made:
    return d.either(
        (d.tiled("(2,1)"), d.multiples()),
        (d.tiled("", "0,1"), ()),
        (d.whole(), ()),
        (d.nested(), ()),
        (d.pitched(d.k), ()),
    )


def bounded(d: Draw) -> Made:
    return d.either(
        (d.tiled(), ()),
        (f'{d.tiled()} "{d.m}*{d.n}"', ()),
        (f'{d.plain()} "{d.m}*{d.n} - {d.k}"', ()),
        (f'{d.pitched(d.k)} "{d.m}*S + {d.k}"', (f"S >= {d.n}",)),
        (f'{d.nested()} "{d.p * d.q}*{d.m}*{d.n}"', ()),
    )


def formula(d: Draw) -> Made:
    rows = f'"row*{d.n} + col" --coords "row col"'
    shifted = d.index(f"({d.n} + {d.q - 1})/{d.q}").replace("//", "/")
    return d.either(
        (f"{d.tiled()} {d.index(f'{d.n}//{d.q}')}", d.multiples()),
        (f"{d.tiled()} {d.index(f'{d.n}//{d.q}')}", ()),
        (f"{d.tiled()} {d.index(f'ceildiv({d.n},{d.q})')}", ()),
        (f"{d.tiled()} {shifted} --language c", (f"{d.m} >= {d.k}",)),
        (f"{d.plain()} {rows}", ()),
        (f'{d.plain()} "i*{d.m} + j"', (f"{d.n} >= {d.k}",)),
        (f'{d.pitched(d.k)} "i*S + j + {d.k}"', ()),
        (f'{d.nested()} "(i%{d.p})*{d.q} + j%{d.q}"', ()),
    )


def bitcast(d: Draw) -> Made:
    flat = f'"{d.t}[{d.m}*{d.n}]{{0}}"'
    return d.either(
        (f"{d.plain()} {flat}", ()),
        (f"{d.plain('0,1')} {flat}", ()),
        (f'{d.plain()} "{d.t}[{d.n},{d.m}]{{0,1}}" --perm 1,0', ()),
        (f'{d.tiled()} "{d.t}[1,{d.m},{d.n}]{{2,1,0:T({d.p},{d.q})}}"', ()),
        (f"{d.tiled()} {flat}", ()),
        (f'{d.plain()} "{d.t}[{d.m},{d.n}+{d.k}]{{1,0}}"', ()),
    )


def reinterpret(d: Draw) -> Made:
    turned = f'"{d.t}[{d.n},{d.m}]{{0,1:T({d.p},{d.q})}}"'
    return d.either(
        (f"{d.tiled()} {turned}", ()),
        (f"{d.tiled()} {d.tiled('', '0,1')}", ()),
        (f'"f32[{d.m},{2 * d.k}*{d.n}]{{1,0}}" "f64[{d.m},{d.k}*{d.n}]{{1,0}}"', ()),
        (f'{d.plain()} "{d.t}[{d.m}*{d.n}]{{0}}"', (f"{d.m} >= {d.k}",)),
    )


def padding(d: Draw) -> Made:
    return d.either(
        (f"{d.tiled()} {d.p * d.q}", ()),
        (f"{d.tiled()} {d.p * d.q - d.k}", ()),
        (f"{d.tiled()} 1", d.multiples()),
        (f"{d.tiled()} 4", (f"{d.m} >= {d.p}", f"{d.n} >= {d.q}")),
    )


def divides(d: Draw) -> Made:
    a, b = d.k, d.rng.randrange(2, 9)
    return d.either(
        (d.tiled(), d.multiples()),
        (d.tiled(), ()),
        (f'{a} "{a * b}*{d.m} + {a}*{d.n}"', ()),
        (f"{a} {d.m}", (f"{d.m} % {a * b} == 0",)),
        (f"{a * b} {d.m}", (f"{d.m} % {a} == 0",)),
    )


def aligned(d: Draw) -> Made:
    return d.either(
        (f"{d.tiled()} {d.q}", ()),
        (f"{d.plain()} {d.p}", (f"{d.n} % {d.p} == 0",)),
        (f"{d.plain()} {8 * d.p}", ()),
        (f"{d.pitched()} {16 * d.p}", (f"S % {16 * d.p} == 0",)),
    )


def bytes_(d: Draw) -> Made:
    tiles = f"ceildiv({d.m},{d.p})*ceildiv({d.n},{d.q})"
    return d.either(
        (f'"s8[{d.m},{d.n}]{{1,0:T({d.p},{d.q})}}" "{d.p * d.q}*{tiles}"', (f"{d.n} > {d.k}",)),
        (f'"f32[{d.m},{d.n}]{{1,0:T({d.p},{d.q})}}" "4*{d.m}*{d.n}"', (f"{d.m} > {d.k}",)),
        (f'"f32[{d.m},{d.n}]{{1,0:T({d.p},{d.q})}}" "4*{d.m}*{d.n}"', d.multiples()),
        (f'"f64[{d.m},{d.k}]{{1,0}}" "{8 * d.k}*{d.m}"', ()),
    )


def fits(d: Draw) -> Made:
    bits = d.rng.randrange(32, 63)
    return d.either(
        (f"{d.tiled()} 32", (f"{d.m} <= {64 * d.k}", f"{d.n} <= 4096")),
        (f"{d.plain()} {bits}", ()),
        (f"{d.plain()} {bits}", (f"{d.m}*{d.n} <= {d.k}000000",)),
    )


def holds(d: Draw) -> Made:
    return d.either(
        (f'"ceildiv({d.m},{d.k})*{d.k} >= {d.m}"', ()),
        (f'"{d.m}//{d.k}*{d.k} == {d.m}"', ()),
        (f'"{d.m}//{d.k} + {d.n}//{d.k} <= ({d.m} + {d.n})//{d.k}"', ()),
        (f'"0 <= i*{d.n} + j < {d.m}*{d.n}"', (f"0 <= i < {d.m}", f"0 <= j < {d.n}")),
        (f'"i*{d.n} + j != {d.m}*{d.n} + {d.k}"', (f"0 <= i < {d.m}", f"0 <= j < {d.n}")),
    )


def tiles(d: Draw) -> Made:
    a, b = 16 * d.rng.randrange(1, 9), 16 * d.rng.randrange(1, 9)
    zn = f'"zN(f16,{d.m},{d.n})"'
    return d.either(
        (f'{zn} "{a},{b}"', ()),
        (f'{zn} "{a},{b}" --at "16*a,{a}*b"', ()),
        (f'{zn} "{a},{b}" --at "a,b"', ()),
        (f'{d.tiled()} "{d.p * d.k},{d.q}"', ()),
        (f'{d.tiled()} "{d.p},{d.q // 2}"', ()),
        (f'{d.pitched()} "{a},{d.k}"', ()),
    )


def broadcast(d: Draw) -> Made:
    return d.either(
        (f'"{d.t}[{d.m},1]" "{d.t}[1,{d.n}]" --dialect numpy', ()),
        (f'"{d.t}[{d.m},{d.k}]" "{d.t}[{d.n},{d.k}]" --dialect numpy', ()),
        (f'"{d.t}[{d.n}]" "{d.t}[{d.m},{d.n}]" --dims 1 --dialect stablehlo', ()),
        (f'"{d.t}[{d.k}*{d.m}]" "{d.t}[{d.n}]"', (f"{d.n} == {d.k}*{d.m}",)),
        (f'"{d.t}[{d.k}*{d.m}]" "{d.t}[{d.n}]"', ()),
    )


WORDS: dict[str, Callable[[Draw], Made]] = {
    f.__name__.rstrip("_"): f
    for f in (
        equal,
        injective,
        bounded,
        onto,
        bijective,
        formula,
        bitcast,
        reinterpret,
        padding,
        divides,
        aligned,
        bytes_,
        fits,
        holds,
        tiles,
        broadcast,
    )
}


def claims(count: int, seed: int) -> list[Made]:
    """So many claims, the words in turn, no two alike."""
    rng = random.Random(seed)
    words = list(WORDS)
    made: dict[Made, None] = {}
    while len(made) < count:
        word = words[len(made) % len(words)]
        text, where = WORDS[word](Draw(rng))
        made.setdefault((f"{word} {text}", where))
    return list(made)


def write(folder: Path, made: list[Made]) -> None:
    """The claims as files: each claim says its text and its facts."""
    each = -(-len(made) // FILES)
    for number in range(0, len(made), each):
        lines = []
        for text, where in made[number : number + each]:
            lines += ["[[claim]]", f"prove = '{text}'", f"where = {json.dumps(list(where))}", ""]
        (folder / f"{number:05}.layout.toml").write_text("\n".join(lines))


@dataclass(frozen=True)
class Run:
    """A process that ended: seconds of the clock and of processors, memory, and what it said."""

    wall: float
    processor: float
    memory: int  # MiB of the largest of its processes
    code: int
    out: bytes
    err: bytes


def run(folder: Path, *argv: str, python: tuple[str, ...] = ()) -> Run:
    """`symlayout check` in a new process, with the processes that it leaves behind."""
    command = [sys.executable, *python, "-m", "symlayout", "check", str(folder), *argv]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, env=ENVIRONMENT)
        wall, processor, memory = 0.0, 0.0, 0
        for pid, status, used in iter(wait_for_any, None):
            if pid == process.pid:
                wall = time.perf_counter() - start
                process.returncode = os.waitstatus_to_exitcode(status)
            processor += used.ru_utime + used.ru_stime
            memory = max(memory, used.ru_maxrss >> 10)
        out.seek(0)
        err.seek(0)
        return Run(wall, processor, memory, process.returncode, out.read(), err.read())


def adopt_orphans() -> None:
    """On Linux the process that workers are forked from is ours to wait for once its parent ended."""
    if sys.platform == "linux":
        become_subreaper = 36
        ctypes.CDLL(None).prctl(become_subreaper, 1, 0, 0, 0)


def wait_for_any() -> Any:
    """The next process that ends and what it used, None when there are no more."""
    try:
        return os.wait4(-1, 0)
    except ChildProcessError:
        return None


def compare(folder: Path, cache: Path, times: int) -> dict[str, list[Run]]:
    """Each way to run, so many times, in turn."""
    found: dict[str, list[Run]] = defaultdict(list)
    for _ in range(times):
        for jobs in (1, 2):
            shutil.rmtree(cache, ignore_errors=True)
            name = f"cold, {jobs} process{'es' * (jobs > 1)}"
            found[name].append(run(folder, "--jobs", str(jobs), "--cache-dir", str(cache)))
        found["cached"].append(run(folder, "--cache-dir", str(cache)))
    return found


def by_word(folder: Path) -> list[list[str]]:
    """For each word: how many claims, their verdicts, their time in all and of the slowest."""
    report = json.loads(run(folder, "--no-cache", "--json").out)
    rows = []
    for word in WORDS:
        mine = [c for c in report["claims"] if c["claim"] == word]
        verdicts = [c["verdict"] for c in mine]
        seconds = [c["seconds"] for c in mine]
        counts = [str(verdicts.count(v)) for v in ("proved", "refuted", "unknown", "error")]
        slowest = max(mine, key=lambda c: c["seconds"])
        flags = [f"--{name} {text}" for name, text in slowest["options"].items()]
        spelled = " ".join([*slowest["arguments"], *flags, *slowest["where"]])
        took = [milliseconds(1e3 * sum(seconds)), milliseconds(1e3 * max(seconds))]
        rows.append([word, spelled[:60], str(len(mine)), *counts, *took])
    return rows


def imported(folder: Path, cache: Path) -> list[str]:
    """Which of SymPy, Z3 and NumPy a run from the cache imports."""
    done = run(folder, "--cache-dir", str(cache), python=("-X", "importtime"))
    names = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in done.err.decode().split("\n")
    }
    return sorted(names & {"sympy", "z3", "numpy"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--claims", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--times", type=int, default=3, help="runs of each kind (3)")
    args = parser.parse_args()
    adopt_orphans()
    with tempfile.TemporaryDirectory() as scratch:
        folder, cache = Path(scratch) / "claims", Path(scratch) / "cache"
        folder.mkdir()
        write(folder, claims(args.claims, args.seed))
        ENVIRONMENT["PYTHONPYCACHEPREFIX"] = str(Path(scratch) / "bytecode")
        head = (
            "word",
            "the slowest",
            "claims",
            "proved",
            "refuted",
            "unknown",
            "error",
            "ms",
            "max",
        )
        print(table(head, by_word(folder), left=2), end="\n\n")
        found = compare(folder, cache, args.times)
        wrong = judge(found)
        heavy = imported(folder, cache)
        outputs = {(r.code, r.out, r.err) for runs in found.values() for r in runs}
        four = run(folder, "--no-cache", "--jobs", "4")
        outputs.add((four.code, four.out, four.err))
    if heavy:
        wrong.append(f"a cached run imports {', '.join(heavy)}")
    if len(outputs) != 1:
        wrong.append(f"{len(outputs)} different outputs with 1, 2 and 4 processes and the cache")
    print("\n".join(wrong) or "same bytes with 1, 2 and 4 processes and from the cache; all within")
    return 1 if wrong else 0


def judge(found: dict[str, list[Run]]) -> list[str]:
    """Prints the least times; says which limits they pass."""
    rows, wrong = [], []
    least = {name: min(r.wall for r in runs) for name, runs in found.items()}
    for name, runs in found.items():
        processor, memory = min(r.processor for r in runs), max(r.memory for r in runs)
        limit = LIMITS.get(name)
        rows.append([name, f"{least[name]:.2f}", f"{processor:.2f}", str(memory), f"{limit or ''}"])
        if limit and least[name] > limit:
            wrong.append(f"{name}: {least[name]:.2f} s, more than {limit} s")
        if memory > MOST_MEMORY:
            wrong.append(f"{name}: {memory} MiB, more than {MOST_MEMORY}")
    print(table(("run", "wall s", "processor s", "MiB", "limit s"), rows), end="\n\n")
    gain = least["cold, 1 process"] / least["cold, 2 processes"]
    print(f"two processes are {gain:.2f} times as fast as one (limit {LEAST_GAIN})")
    if gain < LEAST_GAIN:
        wrong.append(f"two processes gain {gain:.2f} only")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
