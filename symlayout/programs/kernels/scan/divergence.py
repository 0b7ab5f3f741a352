"""Barriers that some threads of a block come to and others do not, though none has left the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS, form_of
from symlayout.programs.kernels.nodes import conjuncts
from symlayout.programs.kernels.scan.barriers import BLOCKS, WARP, Place
from symlayout.programs.kernels.scan.finding import Evidence, Finding
from symlayout.programs.kernels.scan.setting import Setting
from symlayout.programs.kernels.scan.witness import BLOCK, Env, Runs, run_of

SIZES = (1, 33, 100)
DRAWS = 27
NEAR = (0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 256)  # threads that are tried along an axis
TURNS = 64  # of all loops around a barrier
TOTAL = 4  # programs, where nothing says how many


def divergent(kernel: Kernel, settings: Sequence[Setting]) -> Iterator[Finding]:
    """A finding for each barrier that two threads of one block come to not equally often.

    A barrier in each of the two branches is quiet, as are threads that have returned.
    """
    waits = [w for w in kernel.waits if _is_plain(kernel, w)]
    if len(waits) < len(kernel.waits) or any(e.unknowns for e in kernel.exits):
        return
    for wait in waits:
        for setting in settings:
            finding = _finding(kernel, wait, waits, setting)
            if finding is not None:
                yield finding
                break


def _is_plain(kernel: Kernel, wait: Access) -> bool:
    """Whether only sizes, programs, threads and loops decide about it."""
    ends = [e for r in wait.ranges for e in (r.low, r.high, r.within)]
    return not wait.doubt and not any(n.unknowns for n in (wait.guard, *ends))


def _finding(kernel: Kernel, wait: Access, waits: list[Access], setting: Setting) -> Finding | None:
    shapes = _shapes(kernel, setting)
    hits = [(s, pair) for s in shapes if (pair := _pair(kernel, wait, waits, setting, s))]
    if not hits:
        return None
    first, second = hits[0][1]
    threads = {w: k for k, w in kernel.programs.items() if k >= THREADS}
    text = [", ".join(f"{w} = {e[w]}" for w in threads if w in e) for e in (first, second)]
    sure = len(hits) == len(shapes) and _is_sure(kernel, wait)
    return Finding(
        "barrier",
        wait.span,
        kernel.name,
        "__syncthreads()",
        f"the thread with {text[0]} waits at this barrier, and the one with {text[1]} does not, or not "
        "as often: the block may hang",
        "put the barrier where all threads of the block come to it",
        {n: v for n, v in first.items() if n not in threads},
        "high" if sure else "medium",
        Evidence(wait, first),
    )


def _shapes(kernel: Kernel, setting: Setting) -> list[Place]:
    """The block that the launch has, or blocks along the axes that the kernel asks for."""
    sizes = [setting.sizes.get(k) for k in range(THREADS, THREADS + 3)]
    values = [n.value for n in sizes if n is not None]
    whole = [v for v in values if v is not None]
    if len(whole) == 3:
        return [tuple(whole)] if 1 < prod(whole) <= BLOCK else []
    axes = {k - THREADS for k in (*kernel.programs, *kernel.grids) if k >= THREADS}
    blocks = [b for b in BLOCKS if {k for k, n in enumerate(b) if n > 1} <= axes]
    return [(*b, 1, 1)[:3] for b in blocks if prod(b) > WARP]


def _pair(
    kernel: Kernel, wait: Access, waits: list[Access], setting: Setting, shape: Place
) -> tuple[Env, Env] | None:
    """A thread that waits and one that does not, and comes to fewer barriers in all."""
    runs = {id(w): Runs(form_of(kernel, w)) for w in waits}
    exits = [run_of(e) for e in kernel.exits]
    words = {w: k - THREADS for k, w in kernel.programs.items() if k >= THREADS}
    for fixed in _assignments(kernel, waits, setting, shape):
        rows = []
        for thread in product(*map(_tried, shape)):
            env = fixed | {w: thread[k] for w, k in words.items()}
            if not setting.allows(env) or any(e(env) for e in exits):
                continue
            counts = [_turns(runs[id(w)], env) for w in waits]
            if None in counts:
                break
            own = counts[waits.index(wait)]
            rows.append((own, sum(c for c in counts if c is not None), env))
        most = max(rows, key=lambda row: row[1], default=None)
        for own, total, env in rows if most is not None else ():
            if most is not None and (own or 0) < (most[0] or 0) and total < most[1]:
                return most[2], env
    return None


def _tried(size: int) -> list[int]:
    """Some of the threads along an axis, the last ones among them."""
    return sorted({n for n in (*NEAR, size // 2, size - 2, size - 1) if 0 <= n < size})


def _assignments(
    kernel: Kernel, waits: list[Access], setting: Setting, shape: Place
) -> Iterator[Env]:
    """Small sizes, the first program, and how many programs and threads there are."""
    nodes = [n for w in waits for n in w.nodes] + kernel.exits
    used = setting.related({n for x in nodes for n in x.names}, kernel.programs)
    free = sorted(used & {*kernel.parameters})
    numbers = setting.numbers
    choices = [(numbers[n],) if n in numbers else SIZES for n in free]
    for values in islice(product(*choices), DRAWS):
        env = setting.settle(dict(zip(free, values)))
        env |= {w: 0 for k, w in kernel.programs.items() if k < THREADS}
        for k, w in kernel.grids.items():
            size = setting.size(k, env)
            env[w] = shape[k - THREADS] if k >= THREADS else TOTAL if size is None else size
        yield env


def _turns(runs: Runs, env: Env, k: int = 0) -> int | None:
    """How often a thread comes to a barrier; None where there are too many turns, or no value."""
    try:
        if k == len(runs.ranges):
            return int(all(c(env) for c in runs.guards))
        word, low, high = runs.ranges[k]
        first, last = low(env), high(env)
        if last - first > TURNS:
            return None
        counts = [_turns(runs, {**env, word: v}, k + 1) for v in range(first, last)]
    except (KeyError, ZeroDivisionError):
        return None
    return None if None in counts else sum(c for c in counts if c is not None)


def _is_sure(kernel: Kernel, wait: Access) -> bool:
    """Whether no size can be such that all threads wait: a guard for the last block says that."""
    threads = {w for k, w in kernel.programs.items() if k >= THREADS}
    programs = {w for k, w in kernel.programs.items() if k < THREADS}
    sizes = {*kernel.parameters}

    def is_tail(c: Term) -> bool:
        own = c.names & threads
        return not own or not c.names & sizes or bool(c.names & programs)

    loops = [e for r in wait.ranges for e in (r.low, r.high) if e.names & threads]
    return all(map(is_tail, conjuncts(wait.guard))) and not any(e.names & sizes for e in loops)
