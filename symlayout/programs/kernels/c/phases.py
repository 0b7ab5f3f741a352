"""Parts of a kernel between barriers: which of them a thread may execute with no barrier between."""

from __future__ import annotations

from collections.abc import Iterable

Pair = tuple[int, int]


def reached(passing: Iterable[Pair], part: int) -> set[int]:
    """The parts that a thread may come to from one without a barrier, that one among them.

    >>> sorted(reached({(0, 1), (1, 2), (3, 0)}, 0))
    [0, 1, 2]
    """
    pairs, parts, waiting = [*passing], {part}, [part]
    while waiting:
        p = waiting.pop()
        more = {b for a, b in pairs if a == p} - parts
        parts |= more
        waiting += more
    return parts


def meeting(passing: Iterable[Pair], turns: Iterable[Pair]) -> set[Pair]:
    """The parts that no barrier may stand between, the one that comes first in the kernel first.

    Those of one turn and of the next may stand in the kernel either way.

    >>> sorted(meeting({(0, 1), (1, 2)}, {(4, 3)}))
    [(0, 1), (0, 2), (1, 2), (3, 4), (4, 3)]
    """
    pairs = {*passing}
    meetings = {(p, q) for p, _ in pairs for q in reached(pairs, p) if p != q}
    return meetings | {pair for p, q in turns for pair in ((p, q), (q, p))}
