"""Linear layouts over F2, for the checker: where the points with one bit go, and what ranks say.

A linear map is known by where it sends these points.  It is one to one where their places are
independent, onto where they span all places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from symlayout.certificate.definitions import ZERO
from symlayout.certificate.encodings import elements
from symlayout.certificate.exact import Rejected
from symlayout.errors import LayoutError
from symlayout.expr.terms import FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.notation import notation_of, parse


class Bits(NamedTuple):
    """How many bits each input has, the sizes of the places, and the place of each bit alone.

    The bits of the first input come first, each input's lowest bit first.
    """

    inputs: tuple[tuple[str, int], ...]
    sizes: tuple[int, ...]
    places: tuple[tuple[int, ...], ...]

    def results(self) -> tuple[Expr, ...]:
        """The coordinates: a bit of one is 1 where an odd number of bits that reach it is."""
        places = [(symbol(name), k) for name, bits in self.inputs for k in range(bits)]
        digits = [Mod(FloorDiv(x, 2**k), 2) for x, k in places]
        results = []
        for axis, size in enumerate(self.sizes):
            total: Expr = ZERO
            for b in range(size.bit_length() - 1):
                met = [d for d, p in zip(digits, self.places) if p[axis] >> b & 1]
                total += 2**b * (met[0] if len(met) == 1 else Mod(sum(met, ZERO), 2))
            results.append(total)
        return tuple(results)

    def box(self) -> tuple[tuple[Symbol, Expr], ...]:
        """The inputs and their sizes."""
        return tuple((symbol(n), Integer(2**k)) for n, k in self.inputs)

    def numbers(self) -> list[int]:
        """The places as numbers, each coordinate in bits of its own."""
        results = []
        for place in self.places:
            number = 0
            for x, size in zip(place, self.sizes):
                number = number * size + x
            results.append(number)
        return results

    def at(self, point: Sequence[int]) -> tuple[int, ...]:
        """The place of a point: those of its bits, without carries."""
        place, first = [0] * len(self.sizes), 0
        for x, (_, bits) in zip(point, self.inputs):
            for k in range(bits):
                if x >> k & 1:
                    place = [a ^ b for a, b in zip(place, self.places[first + k])]
            first += bits
        return tuple(place)

    def alone(self) -> list[tuple[int, ...]]:
        """The points with one bit."""
        results = []
        for n, (_, bits) in enumerate(self.inputs):
            for k in range(bits):
                results.append(tuple(2**k if n == m else 0 for m in range(len(self.inputs))))
        return results


def independent(vectors: Sequence[int]) -> int:
    """How many of the vectors are independent: elimination from the lowest bit on.

    >>> independent([1, 3, 2])
    2
    """
    rows, rank = [v for v in vectors if v], 0
    while rows:
        first = rows.pop()
        low = first & -first
        rows = [r for r in (v ^ first if v & low else v for v in rows) if r]
        rank += 1
    return rank


def vectors_of_text(layout: Any) -> Bits:
    """A layout whose text has the vectors themselves."""
    inputs = tuple((name, len(vectors)) for name, vectors in layout.ins)
    sizes = tuple(size for _, size in layout.outs)
    return power_sizes(Bits(inputs, sizes, tuple(tuple(v) for _, vs in layout.ins for v in vs)))


def power_sizes(bits: Bits) -> Bits:
    """The same; raises `LayoutError` where a size is no power of two, or a place leaves the sizes."""
    for size in bits.sizes:
        if size < 1 or size & (size - 1):
            raise LayoutError("SL403", f"{size} is not a power of two")
    for place in bits.places:
        if len(place) != len(bits.sizes) or not all(0 <= x < d for x, d in zip(place, bits.sizes)):
            raise LayoutError("SL403", f"{place} leaves the sizes {bits.sizes}")
    return bits


def encoding_bits(layout: Any) -> Bits:
    """An encoding of Triton's on a shape, by its arithmetic at the points with one bit."""
    hits = elements(layout.encoding, layout.shape)
    inputs = tuple((name, count.bit_length() - 1) for name, count in hits.counts.items())
    results = Bits(inputs, tuple(layout.shape), ())
    return power_sizes(results._replace(places=tuple(tuple(hits.at(p)) for p in results.alone())))


LINEAR: dict[str, Callable[[Any], Bits]] = {"linear": vectors_of_text, "Triton": encoding_bits}


def of_all_sizes(argument: Any) -> bool:
    """Whether it is the text of linear layouts whose sizes are powers of two with symbols."""
    linear = isinstance(argument, str) and notation_of(argument).name == "linear"
    return linear and hasattr(parse(argument), "stages")


def is_padded(layout: Any) -> bool:
    """Whether it is shared memory with padding, which is not linear."""
    encoding = getattr(layout, "encoding", None)
    return encoding is not None and encoding.kind == "padded_shared"


def bits(argument: Any) -> Bits | None:
    """The linear layout that a text spells; None for any other, and for those of all sizes."""
    if not isinstance(argument, str):
        return None
    reader = LINEAR.get(notation_of(argument).name)
    if reader is None or of_all_sizes(argument) or is_padded(layout := parse(argument)):
        return None
    return reader(layout)


def ranks_show(word: str, arguments: Sequence[Any]) -> bool:
    """Whether a claim about linear layouts is true by their ranks; False where that says nothing."""
    lines = [b for a in arguments if (b := bits(a)) is not None]
    if not lines or len(lines) != len(arguments):
        return False
    f = lines[0]
    vectors = f.numbers()
    rank, every = independent(vectors), sum(d.bit_length() - 1 for d in f.sizes)
    if len(lines) == 1:
        once, covered = rank == len(vectors), rank == every
        names = {"injective": once, "valid": once, "onto": covered, "bounded": True}
        return names.get(word, once and covered and word == "bijective")
    if len(lines) > 2:
        return False
    g = lines[1]
    if word == "equal":
        same = [k for _, k in f.inputs] == [k for _, k in g.inputs]
        return same and f.places == g.places
    fits = all([2**k for _, k in x.inputs] == [*y.sizes] for x, y in ((f, g), (g, f)))
    back = fits and all(y.at(x.at(p)) == p for x, y in ((f, g), (g, f)) for p in x.alone())
    return back and word == "inverse"


def by_ranks(word: str, arguments: Sequence[Any]) -> set[str]:
    """What a proof by ranks relies on; raises `Rejected` where they do not show the claim."""
    if not ranks_show(word, arguments):
        raise Rejected("rank: the ranks over F2 do not show the claim")
    return {"ranks over F2"}
