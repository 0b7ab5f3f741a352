"""Linear layouts of all sizes 2**k, such as `linear offset [[0,1],[1,0]*2**k] -> row 2**k, col 2`.

`V*2**k` stands for k bits whose vectors are V, 2*V, 4*V and so on: a digit of 2**k values.  Coordinates
and sizes are products of numbers and powers of two, `4*2**(k+m)`; a coordinate may be a sum of such,
which is taken bit by bit.  Exponents are sums of symbols.  A text without symbols is a `Linear`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import xor
from sys import maxsize
from typing import Any, NoReturn

from symlayout.errors import LayoutError
from symlayout.expr.reader import NAME, Scanner, operand_at
from symlayout.expr.terms import symbol, value
from symlayout.expr.tree import ONE, ZERO, Add, Expr, Integer
from symlayout.hooks import Shown
from symlayout.layouts.demands import Demand
from symlayout.layouts.doors.bits import ones
from symlayout.layouts.doors.linear import BITS, Linear, least_sizes, number_at, power
from symlayout.layouts.maps.reader import RESERVED
from symlayout.layouts.reading import items, part_from, shown_at
from symlayout.text.once import cached_property
from symlayout.text.patterns import regex

AFTER = regex(r"(?<=[\s\d\])])o\s+(?=linear\b)")
POWER = regex(r"\*\*")
Exponent = Expr  # a sum of symbols and a number
Coordinate = tuple[Exponent, ...]  # the bits that are 1
LARGEST = 1 << 16  # of a number in an exponent


def terms(e: Exponent) -> list[tuple[str, int]]:
    """The coefficients of symbols by name; that of "" is the number.

    >>> terms(2*symbol("m") + symbol("k") - 3)
    [('', -3), ('k', 1), ('m', 2)]
    """
    parts = (t.as_coeff_Mul() for t in Add.make_args(e) if t is not ZERO)
    return sorted((rest.name if rest.is_Symbol else "", n.p) for n, rest in parts)


def exponent_text(e: Exponent) -> str:
    """It as a text: what reads back as the same.

    >>> exponent_text(2*symbol("k") - 3)
    '2*k-3'
    """
    own, number = [(n, x) for n, x in terms(e) if n], dict(terms(e)).get("", 0)
    texts = [f"{'' if abs(x) == 1 else f'{abs(x)}*'}{n}" for n, x in own]
    signs = ["-" if x < 0 else "+" for _, x in own]
    if number or not texts:
        texts.append(str(abs(number)))
        signs.append("-" if number < 0 else "+")
    return "".join(s + t for s, t in zip(signs, texts)).removeprefix("+")


def power_text(e: Exponent) -> str:
    """2 to the power of it.

    >>> power_text(symbol("k")), power_text(symbol("k") + 1), power_text(Integer(3))
    ('2**k', '2**(k+1)', '8')
    """
    if e.is_Integer and 0 <= e < BITS:
        return str(1 << int(e))
    return f"2**{e}" if e.is_Symbol else f"2**({exponent_text(e)})"


@dataclass(frozen=True)
class Run:
    """So many bits: the vector of the first; that of each other is twice the one before."""

    vector: tuple[Coordinate, ...]
    many: Exponent = ONE

    def vectors(self, sizes: Mapping[str, int], most: int = maxsize) -> list[tuple[int, ...]]:
        """The vectors of its bits at these values of the symbols, bits from `most` on as one."""
        first = list[int]()
        for bits in self.vector:
            powers = (1 << min(value(e, sizes), most) for e in bits)
            first.append(reduce(xor, powers, 0))
        return [tuple(x << t for x in first) for t in range(value(self.many, sizes))]

    def __str__(self) -> str:
        results = f"[{','.join(map(_coordinate, self.vector))}]"
        return results if self.many == ONE else f"{results}*{power_text(self.many)}"


def _coordinate(bits: Coordinate) -> str:
    short = [b for b in bits if _plain(b) and b < BITS]
    number = sum(1 << int(b) for b in short)
    parts = [power_text(b) for b in bits if b not in short]
    return "+".join([*parts, *([str(number)] if number or not parts else [])])


def _plain(e: Exponent) -> bool:
    return bool(e.is_Integer and e >= 0)


@dataclass(frozen=True)
class Family(Shown):
    """The linear layouts of a text with symbols: the runs of each input, the coordinates' sizes.

    >>> f = read_linear("linear row [[1,1]*2**k], col [[0,1]*2**k] -> x 2**k, y 2**k")
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
        least = [e for e in dict.fromkeys(self.exponents) if not _plain(e)]
        results = [Demand("the exponent", e) for e in least]
        for name, runs in self.ins:
            for r in runs:
                for (out, size), bits in zip(self.outs, r.vector):
                    message = f"{r} of {name} leaves {out}: the exponent of its size"
                    for e in bits:
                        if not _plain(size - e - r.many):
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

    >>> f = read_linear("linear x [[1,1]*2**k], y [[0,1]*2**k] -> 2**k, 2**k o "
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


# -- reading ----------------------------------------------------------------------------------------


def read_linear(text: str) -> Linear | Family | Chain:
    """The linear layout that a text spells, those of all sizes where it has symbols, or several.

    >>> print(read_linear("linear register [[0,1],[0,2]] lane [[1,0]] block []"))
    linear register [[0,1],[0,2]], lane [[1,0]], block [] -> dim0 2, dim1 4
    >>> print(read_linear("linear i [[1]*8]"))
    linear i [[1],[2],[4]] -> dim0 8

    Behind `->` stand the sizes of the coordinates, with or without names; by default the least powers
    of two that hold all vectors.  `A o B` is A after B.  Raises `LayoutError` with the place of the
    mistake.
    """
    if AFTER.search(text) is not None:
        return _chain(text)
    return _one(text)


def _chain(text: str) -> Chain:
    """The layouts between which an `o` stands."""
    parts, start = list[Linear | Family](), 0
    ends = [(m.start(), m.end()) for m in AFTER.finditer(text)]
    for end, after in [*ends, (len(text), len(text))]:
        Scanner(text).check_rank(len(parts) + 1)
        with part_from(Scanner(text), start):
            parts.append(_one(text[start:end]))
        start = after
    whole = Chain((Family.of(parts[-1]),))
    for outer in reversed(parts[:-1]):
        whole = chain_of(outer, whole)
    return whole


def _one(text: str) -> Linear | Family:
    s = Scanner(text)
    s.expect("linear", "of a linear layout")
    ins: dict[str, tuple[Run, ...]] = {}
    while True:
        at = s.skip()
        name = s.name()
        if name is None:
            break
        if name in ins or RESERVED(name):
            message = "is given twice" if name in ins else "is a word of the language"
            raise s.error("SL201", f"the input {name!r} {message}", at, s.at)
        s.check_rank(len(ins) + 1)
        ins[name] = runs_at(s)
        s.take(",")
    at, outs = s.at, dict[str, Exponent | int]()
    if s.take("->"):
        outs = _sizes(s)
    s.end("the linear layout")
    with shown_at(s, at):
        return _layout_of(ins, outs)


def _layout_of(
    ins: Mapping[str, tuple[Run, ...]], outs: dict[str, Exponent | int]
) -> Linear | Family:
    runs = [r for rs in ins.values() for r in rs]
    used = [e for r in runs for e in (*[b for c in r.vector for b in c], r.many)]
    used += [e for e in outs.values() if isinstance(e, Expr)]
    if all(_plain(e) for e in used):
        rows = {n: [v for r in rs for v in r.vectors({})] for n, rs in ins.items()}
        sizes = {n: e if isinstance(e, int) else 1 << value(e, {}) for n, e in outs.items()}
        return Linear.of(rows, sizes or least_sizes([tuple(v) for v in rows.values()]))
    if not outs:
        help = "write them behind the inputs, such as -> row 2**k, col 8"
        raise LayoutError("SL403", "the coordinates have no sizes", help=help)
    names = {x.name for e in used for x in e.free_symbols}
    if names & {*ins, *outs}:
        message = f"{min(names & {*ins, *outs})!r} is an input or a coordinate, and no size"
        raise LayoutError("SL201", message)
    for name, size in outs.items():
        if isinstance(size, int):
            raise LayoutError("SL403", f"the size {size} of {name} is not a power of two")
    for n, rs in ins.items():
        for r in rs:
            if len(r.vector) != len(outs):
                message = f"the vector {r} of {n} has not {len(outs)} coordinates"
                raise LayoutError("SL403", message)
    if not ins:
        raise LayoutError("SL403", "a linear layout has inputs and coordinates")
    sizes_of = tuple((n, e) for n, e in outs.items() if not isinstance(e, int))
    return Family(tuple(ins.items()), sizes_of)


def runs_at(s: Scanner) -> tuple[Run, ...]:
    """`[[0,1],[1,0]*2**k]`, or `[1, 2]` where there is one coordinate."""
    s.expect("[", "before the vectors of an input's bits")
    return tuple(items(s, "]", "between the vectors", lambda: _run_at(s)))


def _run_at(s: Scanner) -> Run:
    if not s.take("["):
        return Run((_coordinate_at(s),))
    vector = tuple(items(s, "]", "between the coordinates", lambda: _coordinate_at(s)))
    if not s.take("*"):
        return Run(vector)
    at = s.skip()
    number, more = _product(s)
    exponent = power(number)
    if exponent is None:
        raise s.error("SL403", f"the number of values {number} is not a power of two", at, s.at)
    return Run(vector, more + exponent)


def _coordinate_at(s: Scanner) -> Coordinate:
    """A sum of products, bit by bit: what occurs twice is not there."""
    bits: dict[Exponent, None] = {}
    while True:
        at = s.skip()
        number, more = _product(s)
        for b in ones(number):
            e = more + b
            if e in bits:
                del bits[e]
            else:
                bits[e] = None
        if len(bits) > BITS:
            raise s.error("SL204", f"a coordinate of more than {BITS} bits", at)
        if not s.take("+"):
            return tuple(sorted(bits, key=terms))


def _product(s: Scanner) -> tuple[int, Exponent]:
    """Numbers times powers of two: the number, and the exponent."""
    number = 1
    more: Exponent = ZERO
    while True:
        at = s.skip()
        x = number_at(s)
        if s.peek("^"):
            exponent, end = operand_at(s.text, s.at + 1)
            message = f"{x}^{exponent} is not a power: linear layouts have {x}**{exponent}"
            raise s.error("SL200", message, at, end, f"write {x}**{exponent}")
        if s.match(POWER) is not None:
            if x != 2:
                raise s.error("SL403", f"a power of {x}: sizes are powers of 2", at)
            more = more + _exponent(s)
        else:
            number *= x
            if number >> BITS:
                raise s.error("SL204", f"a number of more than {BITS} bits", at, s.at)
        if not s.take("*"):
            return number, more


def _exponent(s: Scanner) -> Exponent:
    """A symbol, a number, or a sum of them in parentheses."""
    if not s.take("("):
        return _term(s, alone=True)
    results: Exponent = ZERO
    sign = -1 if s.take("-") else 1
    while True:
        results = results + sign * _term(s)
        if s.take(")"):
            break
        s.check_rank(len(terms(results)) + 1)
        if s.take("-"):
            sign = -1
        else:
            s.expect("+", "or - between the terms of an exponent")
            sign = 1
    return results


def _term(s: Scanner, alone: bool = False) -> Exponent:
    """`k`, `3` or, unless it stands alone, `3*k`."""
    at = s.skip()
    name, number = s.name(), 1
    if name is None:
        number = number_at(s)
        if number > LARGEST:
            raise s.error("SL204", f"a number in an exponent is at most {LARGEST}", at, s.at)
        if alone or not s.take("*"):
            return Integer(number)
        name = s.need(NAME, "a symbol")
    if RESERVED(name):
        raise s.error("SL201", f"{name!r} is a word of the language", at, s.at)
    return number * symbol(name)


def _sizes(s: Scanner) -> dict[str, Exponent | int]:
    """The coordinates' sizes as exponents; what is not a power of two stays a number."""
    outs: dict[str, Exponent | int] = {}
    while not s.done():
        if outs:
            s.expect(",", "between the sizes")
        at = s.skip()
        name = s.name() or f"dim{len(outs)}"
        if name in outs:
            raise s.error("SL201", f"the coordinate {name!r} is given twice", at, s.at)
        s.check_rank(len(outs) + 1)
        number, more = _product(s)
        exponent = power(number)
        outs[name] = number if exponent is None else more + exponent
    return outs


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
