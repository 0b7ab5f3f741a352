"""Parts of tensors that blocks hold, and digits of numbers, for the checker's encodings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

Place = list[int]
At = Callable[[Sequence[int]], Place]


class Held(NamedTuple):
    """How many values each input has, and the element at each point."""

    counts: dict[str, int]
    at: At


def digits(number: int, sizes: Sequence[int], order: Sequence[int]) -> Place:
    """The number's digits, one for each dimension, the first of the order the fastest.

    >>> digits(7, [2, 4], [1, 0])
    [1, 3]
    """
    results = [0] * len(sizes)
    for d in order:
        results[d], number = number % sizes[d], number // sizes[d]
    return results


class Parts(NamedTuple):
    """What of a tensor a block holds, and which part it is."""

    own: Place
    vectors: list[tuple[int, ...]]
    parts: Place

    def at(self, block: int, place: Place) -> Place:
        """An element of the block's part in the whole tensor."""
        part = [0] * len(place)
        for k, v in enumerate(self.vectors):
            if block >> k & 1:
                part = [a ^ b for a, b in zip(part, v)]
        return [x % o + o * (p % n) for x, o, p, n in zip(place, self.own, part, self.parts)]


def parts_of(fields: Mapping[str, Any], shape: Sequence[int], without: int | None = None) -> Parts:
    """The parts of a tensor that blocks hold; along `without` there is one."""
    rank = len(shape)
    vectors = list(fields.get("CGALayout", ()))
    if "CGALayout" not in fields:
        many, split = (fields.get(k, (1,) * rank) for k in ("CTAsPerCGA", "CTASplitNum"))
        for d in fields.get("CTAOrder", range(rank)[::-1]):
            for k in range(many[d].bit_length() - 1):
                vectors.append(tuple(2**k % split[d] if e == d else 0 for e in range(rank)))
    vectors = [tuple(0 if d == without else x for d, x in enumerate(v)) for v in vectors]
    parts = [1] * rank
    for v in vectors:
        for d, x in enumerate(v):
            while parts[d] <= x:
                parts[d] *= 2
    parts = [min(p, n) for p, n in zip(parts, shape)]
    return Parts([n // p for n, p in zip(shape, parts)], vectors, parts)


def repeats(own: Sequence[int], tile: Sequence[int]) -> Place:
    """How often a tile is repeated along each dimension."""
    return [max(1, n // t) for n, t in zip(own, tile)]


def inputs(registers: int, lanes: int, warps: int, share: Parts, at: At) -> Held:
    """The four inputs."""
    counts = {"register": registers, "lane": lanes, "warp": warps, "block": 2 ** len(share.vectors)}
    return Held(counts, at)
