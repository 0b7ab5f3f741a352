"""Linear layouts of all sizes 2**k, one by one or one after the other, and their instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NoReturn

from symlayout.errors import LayoutError
from symlayout.expr.terms import value
from symlayout.expr.tree import ZERO, Integer
from symlayout.hooks import Shown
from symlayout.layouts.demands import Demand
from symlayout.layouts.doors.bits import ones
from symlayout.layouts.doors.linear import BITS, Linear, power
from symlayout.layouts.doors.runs import (
    Coordinate,
    Exponent,
    Run,
    is_plain,
    power_text,
    terms,
)
from symlayout.text.once import cached_property


@dataclass(frozen=True)
class Family(Shown):
    """The linear layouts of a text with symbols: the runs of each input, the coordinates' sizes.

    >>> from symlayout import parse
    >>> f = parse("linear row [[1,1]*2**k], col [[0,1]*2**k] -> x 2**k, y 2**k")
    >>> print(f)
    linear row [[1,1]*2**k], col [[0,1]*2**k] -> x 2**k, y 2**k
    >>> print(f.instance({"k": 2}))
    linear row [[1,1],[2,2]], col [[0,1],[0,2]] -> x 4, y 4
    """

    ins: tuple[tuple[str, tuple[Run, ...]], ...]
    outs: tuple[tuple[str, Exponent], ...]

    def __str__(self) -> str:
        ins = ", ".join(f"{n} [{','.join(map(str, runs))}]" for n, runs in self.ins)
        return f"linear {ins} -> {', '.join(f'{n} {power_text(e)}' for n, e in self.outs)}"

    @staticmethod
    def of(layout: Linear | Family) -> Family:
        """A linear layout of one size as a family."""
        if isinstance(layout, Family):
            return layout
        ins = [(n, tuple(Run(tuple(map(_bits_of, v))) for v in vs)) for n, vs in layout.ins]
        return Family(tuple(ins), tuple((n, Integer(power(d) or 0)) for n, d in layout.outs))

    @property
    def stages(self) -> tuple[Family, ...]:
        """Itself alone."""
        return (self,)

    def compose(self, inner: Linear | Family | Chain) -> Chain:
        """First `inner`, then this; raises `LayoutError` (SL403) where their numbers do not fit."""
        return chain_of(self, inner)

    @cached_property
    def exponents(self) -> list[Exponent]:
        """Every exponent, as they are written."""
        runs = [r for _, rs in self.ins for r in rs]
        own = [e for r in runs for e in (*[b for c in r.vector for b in c], r.many)]
        return [*own, *[e for _, e in self.outs]]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The symbols, in the order in which they first occur."""
        return tuple(dict.fromkeys(n for e in self.exponents for n, _ in terms(e) if n))

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """Exponents are at least 0, and each vector lies within the coordinates' sizes."""
        least = [e for e in dict.fromkeys(self.exponents) if not is_plain(e)]
        results = [Demand("the exponent", e) for e in least]
        for name, runs in self.ins:
            for r in runs:
                for (out, size), bits in zip(self.outs, r.vector):
                    message = f"{r} of {name} leaves {out}: the exponent of its size"
                    for e in bits:
                        if not is_plain(size - e - r.many):
                            results.append(Demand(message, size, e + r.many))
        return tuple(dict.fromkeys(results))

    def instance(self, sizes: Mapping[str, int], most: int = BITS) -> Linear:
        """The layout at these values of the symbols, of at most so many bits.

        Raises `LayoutError` (SL403) where an exponent is below 0 or a vector leaves the sizes.
        """
        if any(value(e, sizes) < 0 for e in self.exponents):
            raise LayoutError("SL403", f"{self} has an exponent below 0 at {dict(sizes)}")
        ins: dict[str, list[tuple[int, ...]]] = {}
        for name, runs in self.ins:
            results: list[tuple[int, ...]] = []
            ins[name] = results
            for r in runs:
                if value(r.many, sizes) + len(results) > most:
                    raise LayoutError("SL204", f"more than {most} bits of one input")
                results += r.vectors(sizes, most)
        widths = {n: value(e, sizes) for n, e in self.outs}
        if sum(widths.values()) > most:
            raise LayoutError("SL204", f"more than {most} bits of the coordinates")
        return Linear.of(ins, {n: 1 << w for n, w in widths.items()}, most=most)

    def index_map(self) -> NoReturn:
        """A family of layouts is not an index map: it is asked about by its bits."""
        help = (
            "asked of it are injective, onto, bijective, bounded, valid, equal, inverse and "
            "disjoint; show --size draws it"
        )
        message = f"{self} has sizes 2**k: it is taken bit by bit, and is not an index map"
        raise LayoutError("SL403", message, help=help)


@dataclass(frozen=True)
class Chain(Shown):
    """Linear layouts one after the other, in this order; written from the last to the first.

    >>> from symlayout import parse
    >>> f = parse("linear x [[1,1]*2**k], y [[0,1]*2**k] -> 2**k, 2**k o "
    ...                 "linear i [[1,0]*2**k, [0,1]*2**m] -> x 2**k, y 2**m")
    >>> print(f.instance({"k": 1, "m": 1}))
    linear i [[1,1],[0,1]] -> dim0 2, dim1 2
    """

    stages: tuple[Family, ...]

    def __str__(self) -> str:
        return " o ".join(map(str, reversed(self.stages)))

    def compose(self, inner: Linear | Family | Chain) -> Chain:
        """First `inner`, then these; raises `LayoutError` (SL403) where their numbers do not fit."""
        return chain_of(self, inner)

    @property
    def ins(self) -> tuple[tuple[str, tuple[Run, ...]], ...]:
        """The inputs of the first."""
        return self.stages[0].ins

    @property
    def outs(self) -> tuple[tuple[str, Exponent], ...]:
        """The coordinates of the last."""
        return self.stages[-1].outs

    @property
    def names(self) -> tuple[str, ...]:
        """The symbols, in the order in which they first occur in the text."""
        return tuple(dict.fromkeys(n for f in reversed(self.stages) for n in f.names))

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """What each demands, and that the coordinates of one are the inputs of the next."""
        demands = [d for f in self.stages for d in f.demands]
        for one, then in pairwise(self.stages):
            for (out, size), (name, runs) in zip(one.outs, then.ins):
                length = sum((r.many for r in runs), ZERO)
                if length != size:
                    message = f"{out} goes into {name}: the exponent of its size"
                    demands += [Demand(message, size, length), Demand(message, length, size)]
        return tuple(dict.fromkeys(demands))

    def instance(self, sizes: Mapping[str, int], most: int = BITS) -> Linear:
        """The layout at these values of the symbols; raises `LayoutError` where they do not fit."""
        result = self.stages[0].instance(sizes, most)
        for f in self.stages[1:]:
            result = f.instance(sizes, most).compose(result, most)
        return result

    def index_map(self) -> NoReturn:
        """As of one family: it is not an index map."""
        self.stages[0].index_map()


def chain_of(outer: Linear | Family | Chain, inner: Linear | Family | Chain) -> Chain:
    """First `inner`, then `outer`: its coordinates are the other's inputs, one by one.

    Raises `LayoutError` (SL403) where their number differs.
    """
    first, then = (f.stages if isinstance(f, Chain) else (Family.of(f),) for f in (inner, outer))
    if len(first[-1].outs) != len(then[0].ins):
        message = f"{len(first[-1].outs)} coordinates go into {len(then[0].ins)} inputs"
        raise LayoutError("SL403", message)
    return Chain((*first, *then))


def _bits_of(number: int) -> Coordinate:
    return tuple(Integer(b) for b in ones(number))


def as_families(layouts: Sequence[Any]) -> tuple[Family | Chain, ...] | None:
    """The linear layouts that are given, if one at least has symbols; else None.

    Raises `LayoutError` (SL403) where another is not a linear layout.
    """
    if not any(isinstance(g, (Family, Chain)) for g in layouts):
        return None
    results = list[Family | Chain]()
    for g in layouts:
        if not isinstance(g, (Linear, Family, Chain)):
            raise LayoutError("SL403", f"{g} is not a linear layout, as the other one is")
        results.append(g if isinstance(g, Chain) else Family.of(g))
    return tuple(results)
