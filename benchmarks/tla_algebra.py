"""How often layout algebras answer, and how often rightly, on random concrete layouts.

    python benchmarks/tla_algebra.py [--count N] [--seed S] [--pycute CHECKOUT]

Every answer is held against its law in plain integers; whether an answer exists is decided by an
exhaustive search (tests/tla_oracle.py).  Beside ours: the textbook rule (divide the stride through
the modes, one mode of B at a time) and the package tensor-layouts, when it is there.  With a checkout
of NVIDIA/cutlass also the times of its pycute on small layouts, and ours on layouts of 2**20 elements.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from tla_oracle import (
    Leaves,
    complement_exists,
    composes,
    has_left_inverse,
    offset,
    random_leaves,
    values,
)

from symlayout import LayoutError, tla
from symlayout.layouts.cute.layout import Layout

Case = tuple[Leaves, Leaves]
Modes = list[Leaves]  # the flat leaves of each top-level mode of the answer
STRIDES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 60)


def layout(leaves: Leaves) -> Layout:
    """Ours."""
    return Layout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))


def modes_of(shape: object, stride: object) -> Modes:
    """The flat leaves of each top-level mode, of any library's shape and strides."""
    made = tla.Layout(shape, stride)  # type: ignore[arg-type]
    return [[(int(s), int(d)) for s, d in made[k].leaves] for k in range(made.rank)]


# -- the tools: each maps a case to modes, or raises ValueError ----------------------------------------


def ours(name: str) -> Callable[[Case], Modes]:
    """Our operation of that name."""

    def run(case: Case) -> Modes:
        a, b = layout(case[0]), layout(case[1])
        if name == "composition":
            made = tla.composition(a, b)
        elif name == "complement":
            made = tla.complement(a, case[1][0][0])
        else:
            made = getattr(tla, name)(a)
        return modes_of(made.shape, made.stride)

    return run


def textbook(case: Case) -> Modes:
    """The rule of the tutorials, mode by mode, refusing what it cannot divide."""
    made: Modes = []
    for count, step in case[1]:
        modes: Leaves = []
        for k, (size, stride) in enumerate(case[0]):
            if k == len(case[0]) - 1:
                modes.append((count, stride * step))
                break
            if step % size and size % step if step else False:
                raise ValueError("not divisible")
            room = size if step == 0 else max(1, -(-size // step))
            take = min(room, count)
            if count % take:
                raise ValueError("not divisible")
            if take > 1:
                modes.append((take, stride * step))
            count, step = count // take, -(-step // size)
        made.append(modes)
    return made


def packaged(name: str) -> Callable[[Case], Modes] | None:
    """The operation of tensor-layouts, when it is installed."""
    try:
        import tensor_layouts as other
    except ImportError:
        return None

    def build(leaves: Leaves) -> object:
        return other.Layout(tuple(s for s, _ in leaves), tuple(d for _, d in leaves))

    def run(case: Case) -> Modes:
        if name == "composition":
            made = other.compose(build(case[0]), build(case[1]))
        elif name == "complement":
            made = other.complement(build(case[0]), case[1][0][0])
        else:
            made = getattr(other, name)(build(case[0]))
        return modes_of(made.shape, made.stride)

    return run


# -- the laws ----------------------------------------


def composed(case: Case, made: Modes) -> bool:
    """R(c) == A(B(c)) at every coordinate."""
    a, b = case
    if len(made) != len(b):
        return False
    alone = [values(m or [(1, 0)]) for m in made]
    if [len(v) for v in alone] != [s for s, _ in b]:
        return False
    total, inner = [0], [0]
    for (count, step), v in zip(b, alone):
        total = [x + y for y in v for x in total]
        inner = [x + i * step for i in range(count) for x in inner]
    return total == [offset(a, x) for x in inner]


def flat(made: Modes) -> Leaves:
    """All leaves side by side."""
    return [leaf for m in made for leaf in m] or [(1, 0)]


def inverted(case: Case, made: Modes) -> bool:
    """R(L(i)) == i for every i."""
    leaves = flat(made)
    return all(offset(leaves, x) == i for i, x in enumerate(values(case[0])))


def inverted_right(case: Case, made: Modes) -> bool:
    """L(R(i)) == i for every i."""
    return all(offset(case[0], x) == i for i, x in enumerate(values(flat(made))))


def complemented(case: Case, made: Modes) -> bool:
    """Increasing, disjoint but for 0, and together they cover the interval where that can be."""
    image, fill = set(values(case[0])), values(flat(made))
    rising = all(x < y for x, y in pairwise(fill))
    covered = {x + y for x in image for y in fill}
    if not (rising and image & set(fill) == {0}):
        return False
    bound = case[1][0][0]
    return set(range(bound)) <= covered or not complement_exists(case[0], bound)


# -- the random cases ----------------------------------------


def compositions(rng: random.Random, modes: int) -> Case:
    """A with one to three modes, B with `modes`."""
    a = random_leaves(rng, rng.randint(1, 3), 10, STRIDES)
    return a, random_leaves(rng, modes, 10 if modes == 1 else 6, tuple(range(13)))


def injective(rng: random.Random) -> Case:
    """An injective layout of one to three modes."""
    while True:
        a = random_leaves(rng, rng.randint(1, 3), 5, tuple(range(1, 21)))
        offsets = values(a)
        if len(set(offsets)) == len(offsets) and max(offsets) <= 100:
            return a, [(1, 0)]


def holes(rng: random.Random) -> Case:
    """A layout and a bound."""
    a = random_leaves(rng, rng.randint(1, 3), 5, (0, 1, 2, 3, 4, 6, 8, 12, 24))
    return a, [(rng.randint(1, 60), 1)]


TABLES: list[tuple[str, str, Callable[..., Case], object, object]] = [
    ("A o s:d", "composition", lambda r: compositions(r, 1), composed, composes),
    (
        "A o B, 2-3 modes",
        "composition",
        lambda r: compositions(r, r.randint(2, 3)),
        composed,
        composes,
    ),
    ("left inverse", "left_inverse", injective, inverted, lambda a, b: has_left_inverse(a)),
    ("right inverse", "right_inverse", injective, inverted_right, lambda a, b: True),
    (
        "complement",
        "complement",
        holes,
        complemented,
        lambda a, b: complement_exists(a, b[0][0]),
    ),
]


def judge(
    cases: list[Case], run: Callable[[Case], Modes], law: Callable[..., bool], exists: list[bool]
) -> tuple[Counter[str], float]:
    """How many answers are right and wrong, how many refusals missed an answer; seconds."""
    found: Counter[str] = Counter()
    seconds = 0.0
    for case, there in zip(cases, exists):
        start = time.perf_counter()
        try:
            made: Modes | None = run(case)
        except (ValueError, ZeroDivisionError, TypeError):
            made = None
        seconds += time.perf_counter() - start
        if made is None:
            found["missed" if there else "none"] += 1
        else:
            found["right" if law(case, made) else "wrong"] += 1
    return found, seconds


REPEATS = 5
FORMATS = (
    "RowMajor(f16, R, C)",
    "ColumnMajor(f16, R, C)",
    "Vector(f16, n)",
    "zN(f16, R, C)",
    "nZ(s8, R, C)",
    "zZ(f32, R, C)",
    "nN(f16, R, C)",
    "L0C(f32, R, C)",
    "Weight4BitnZ(s4, R, C)",
    "MxScalezZ(R, C)",
    "MxScalenN(R, C)",
    "PaddingRowMajor(f16, R, C, br, bc)",
    "PaddingColumnMajor(f16, R, C, br, bc)",
    "NC1HWC0(f16, N, C1, H, W, 16)",
    "CI1KHKWCOCI0(f16, CI1, KH, KW, CO, 16)",
)


def formats() -> int:
    """Prints how long the proofs for every size of every format take; how many failed."""
    from symlayout import prove

    prove.injective(FORMATS[0])  # the first proof loads the prover
    print(f"{'format, all sizes symbolic':40} {'injective':>10} {'bounded':>8} {'bijective':>10}")
    failed = 0
    for text in FORMATS:
        made = tla.read_layout(text)
        padded = tuple(tla.product(sizes) for sizes, _ in made.groups)
        box = Layout(made.shape, made.stride, padded)
        cells = []
        for claim, x in ((prove.injective, made), (prove.bounded, made), (prove.bijective, box)):
            best = float("inf")
            for _ in range(REPEATS):
                start = time.perf_counter()
                verdict = claim(x)
                best = min(best, time.perf_counter() - start)
            cells.append(f"{best * 1e3:.1f} ms")
            failed += not verdict.proved
        print(f"{text:40} {cells[0]:>10} {cells[1]:>8} {cells[2]:>10}")
    print(f"bijective: onto the buffer, from the box of whole blocks; best of {REPEATS}")
    return failed


MOST_TIMES = 20  # of pycute's time
MOST_MS = 50  # for 2**20 elements
NAMES = (
    *("coalesce", "composition", "complement", "right_inverse", "left_inverse"),
    *("logical_divide", "zipped_divide", "logical_product"),
)


def _permuted(rng: random.Random) -> Leaves:
    """Two compact modes in any order."""
    m, n = rng.choice((2, 3, 4, 8)), rng.choice((2, 3, 4, 8))
    return rng.choice(([(m, 1), (n, m)], [(m, n), (n, 1)]))


def _asked(name: str, module: object, a: object, b: object) -> Callable[[], object]:
    """One call of an operation."""
    operation: Callable[..., object] = getattr(module, name)
    rest = {
        **{"composition": (b,), "logical_product": (b,), "complement": (256,)},
        **dict.fromkeys(("logical_divide", "zipped_divide"), ((2, 2),)),
    }
    arguments = rest.get(name, ())

    def call() -> object:
        try:
            return operation(a, *arguments)
        except (LayoutError, AssertionError, ValueError, TypeError, ZeroDivisionError):
            return None

    return call


def _least(call: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def speeds(checkout: Path, seed: int) -> int:
    """Prints our times beside pycute's on small layouts, and ours on large ones; how many are late."""
    sys.path.insert(0, str(checkout / "python"))
    import pycute

    rng = random.Random(seed)
    cases = [(_permuted(rng), _permuted(rng)) for _ in range(60)]
    late = 0
    print(f"\n{'operation':18} {'pycute us':>10} {'ours us':>10} {'times':>6}")
    for name in NAMES:
        times: list[list[float]] = [[], []]
        for case in cases:
            theirs = [pycute.Layout(*map(tuple, zip(*leaves))) for leaves in case]
            times[0].append(_least(_asked(name, pycute, *theirs)))
            times[1].append(_least(_asked(name, tla, *map(layout, case))))
        x, y = (sorted(t)[len(t) // 2] for t in times)
        late += y > MOST_TIMES * x
        print(f"{name:18} {x * 1e6:10.1f} {y * 1e6:10.1f} {y / x:6.1f}")
    large, inner = Layout((1024, 1024), (1024, 1)), Layout((512, 2048), (2048, 1))
    for name in NAMES:
        seconds = _least(_asked(name, tla, large, inner))
        late += seconds * 1e3 > MOST_MS
        print(f"{name:18} of 2**20 elements {seconds * 1e3:8.2f} ms")
    print(f"at most {MOST_TIMES} times pycute's, and {MOST_MS} ms")
    return late


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=3000, help="cases per table (default 3000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pycute", type=Path, help="a checkout of NVIDIA/cutlass")
    options = parser.parse_args()
    bad = formats()
    head = f"\n{'operation':18} {'tool':15} {'right':>6} {'wrong':>6} {'missed':>7} {'none':>6}"
    print(head, f"{'us each':>8}")
    for title, name, draw, law, oracle in TABLES:
        rng = random.Random(options.seed)
        count = options.count if name == "composition" else max(1, options.count * 2 // 3)
        cases = [draw(rng) for _ in range(count)]
        exists = [oracle(a, b) for a, b in cases]  # type: ignore[operator]
        tools = {"symlayout": ours(name), "tensor-layouts": packaged(name)}
        if name == "composition":
            tools["textbook"] = textbook
        for tool, run in tools.items():
            if run is None:
                print(f"{title:18} {tool:15} is not installed")
                continue
            found, seconds = judge(cases, run, law, exists)  # type: ignore[arg-type]
            if tool == "symlayout":
                bad += found["wrong"] + found["missed"]
            numbers = f"{found['right']:6} {found['wrong']:6} {found['missed']:7} {found['none']:6}"
            print(f"{title:18} {tool:15} {numbers} {seconds / len(cases) * 1e6:8.0f}")
    print("wrong: an answer that breaks its law; missed: refused although an answer exists")
    if options.pycute is not None:
        bad += speeds(options.pycute, options.seed)
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LayoutError as e:
        print(e, file=sys.stderr)
        sys.exit(2)
