"""What a thread reads of shared memory that another one stores, with no barrier between the two."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import THREADS, form_of
from symlayout.programs.kernels.scan.finding import Evidence, Finding
from symlayout.programs.kernels.scan.witness import Env, Runs

WARP = 32
BLOCKS = ((64,), (128,), (256,), (512,), (32, 4), (32, 8), (64, 4), (16, 16))
LARGE = 1 << 20  # what run-time sizes are, so that masks let threads in
TURNS = 4  # of each loop that are looked at
PAIRS = 24  # of accesses of one array
Place = tuple[int, ...]


def missing_barriers(kernel: Kernel) -> Iterator[Finding]:
    """A finding for each array, where blocks of every shape have two such threads, in different warps.

    A kernel without a barrier may be one of a single warp, unless it is launched with more.
    """
    if kernel.language != "c" or not (kernel.blocks or kernel.barriers):
        return
    shapes = _shapes(kernel)
    for array in kernel.shared:
        own = [a for a in kernel.accesses if a.array == array]
        pair = _pair(kernel, own, shapes)
        if pair is not None:
            yield _finding(kernel, *pair)


def needs_block(kernel: Kernel) -> bool:
    """Whether only the size of its block would tell that several warps share its arrays."""
    kinds = {(a.array, a.kind) for a in kernel.accesses}
    both = any({(s, "store"), (s, "load")} <= kinds for s in kernel.shared)
    return both and not (kernel.blocks or kernel.barriers)


def _shapes(kernel: Kernel) -> list[Place]:
    """Blocks with several warps, along the axes that the kernel asks for."""
    known = [b for b in kernel.blocks if prod(b) > WARP]
    if kernel.blocks:
        return known
    axes = {k - THREADS for k in (*kernel.programs, *kernel.grids) if k >= THREADS}
    return [b for b in BLOCKS if {k for k, n in enumerate(b) if n > 1} <= axes]


def _pair(
    kernel: Kernel, own: list[Access], shapes: list[Place]
) -> tuple[Access, Access, Env] | None:
    """A store, a load behind it that no barrier parts from it, and threads that meet there."""
    pairs = [
        (store, load)
        for k, store in enumerate(own)
        for load in own[k + 1 :]
        if (store.kind, load.kind) == ("store", "load") and store.joins == load.joins
        if store.offset != load.offset or store.guard != load.guard
    ]
    known: dict[tuple[int, Place], list[tuple[Place, int]]] = {}
    for store, load in pairs[:PAIRS]:
        if not (_is_plain(kernel, store) and _is_plain(kernel, load)):
            continue
        met = [m for b in shapes if (m := _conflict(kernel, store, load, b, known)) is not None]
        if met and {} not in met:
            return store, load, met[-1]
    return None


def _is_plain(kernel: Kernel, access: Access) -> bool:
    """Whether its place depends on threads and loops alone, and nothing else decides whether it is."""
    if access.doubt or any(d.value is None for d in access.shape):
        return False
    ends = [e for r in access.ranges for e in (r.low, r.high, r.within)]
    nodes = (access.offset, access.guard, *ends)
    if any(n.unknowns for n in nodes) or not access.offset.names.isdisjoint(kernel.parameters):
        return False
    return all(n.names.isdisjoint(kernel.constants) for n in nodes)


def _conflict(
    kernel: Kernel,
    store: Access,
    load: Access,
    block: Place,
    known: dict[tuple[int, Place], list[tuple[Place, int]]],
) -> Env | None:
    """A thread that reads a place which another warp's thread stores, and not it itself.

    None where some thread reads what none of them stores: the block has another shape then.
    """
    example: Env = {}
    writers: dict[int, set[Place]] = {}
    for access in (store, load):
        if (id(access), block) not in known:
            known[id(access), block] = list(_places(kernel, access, block))
    for thread, place in known[id(store), block]:
        writers.setdefault(place, set()).add(thread)
    for thread, place in known[id(load), block]:
        threads = writers.get(place)
        if threads is None:
            return None
        if example or thread in threads:
            continue
        if any(_warp(t, block) != _warp(thread, block) for t in threads):
            named = {k - THREADS: w for k, w in kernel.programs.items() if k >= THREADS}
            example = {w: thread[k] for k, w in named.items()}
    return example


def _warp(thread: Place, block: Place) -> int:
    x, y, z = thread
    wide = (*block, 1, 1, 1)
    return int((x + wide[0] * (y + wide[1] * z)) // WARP)


def _places(kernel: Kernel, access: Access, block: Place) -> Iterator[tuple[Place, int]]:
    """The places that the threads of the first block come to."""
    form = form_of(kernel, access)
    wide = (*block, 1, 1, 1)[:3]
    fixed: Env = dict.fromkeys(kernel.parameters, LARGE)
    fixed |= {w: 0 for k, w in kernel.programs.items() if k < THREADS}
    fixed |= {w: wide[k - THREADS] if k >= THREADS else 4 for k, w in kernel.grids.items()}
    runs = Runs(form)
    for thread in product(*map(range, wide)):
        env = fixed | {w: thread[k - THREADS] for k, w in kernel.programs.items() if k >= THREADS}
        for place in _first_places(runs, env):
            yield thread, place


def _first_places(runs: Runs, env: Env, k: int = 0) -> Iterator[int]:
    """The places at the first turns of an access's loops, and for all lanes."""
    try:
        if k < len(runs.ranges):
            word, low, high = runs.ranges[k]
            first = low(env)
            values = range(first, min(high(env), first + TURNS))
        elif all(c(env) for c in runs.guards):
            yield runs.value(runs.form.offset, env)
            return
        else:
            return
    except (KeyError, ZeroDivisionError):
        return
    for value in values:
        yield from _first_places(runs, {**env, word: value}, k + 1)


def _finding(kernel: Kernel, store: Access, load: Access, env: Env) -> Finding:
    form = form_of(kernel, load)
    text = f"{load.array}[{form.text(load.offset)}]"
    return Finding(
        "race",
        load.span,
        kernel.name,
        text,
        f"another thread stores {text} in line {store.span.line}, and no barrier separates the two",
        f"put a barrier between line {store.span.line} and line {load.span.line}, where all threads of "
        "the block come to it",
        env,
        evidence=Evidence(load, env, store),
    )
