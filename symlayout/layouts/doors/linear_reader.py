"""Reading linear layouts, such as `linear offset [[0,1],[1,0]*2**k] -> row 2**k, col 2`.

`V*2**k` stands for k bits whose vectors are V, 2*V, 4*V and so on: a digit of 2**k values.  Coordinates
and sizes are products of numbers and powers of two, `4*2**(k+m)`; a coordinate may be a sum of such,
which is taken bit by bit.  Exponents are sums of symbols.  A text without symbols is a `Linear`, any
other one a `Family`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symlayout.errors import LayoutError
from symlayout.expr.reader import NAME, Scanner, operand_at
from symlayout.expr.terms import symbol, value
from symlayout.expr.tree import ZERO, Expr, Integer
from symlayout.layouts.doors.bits import ones
from symlayout.layouts.doors.linear import BITS, Linear, least_sizes, number_at, power
from symlayout.layouts.doors.runs import Coordinate, Exponent, Run, is_plain, terms
from symlayout.layouts.maps.reader import RESERVED
from symlayout.layouts.reading import items, part_from, shown_at
from symlayout.text.patterns import regex

if TYPE_CHECKING:
    from symlayout.layouts.doors.family import Chain, Family

AFTER = regex(r"(?<=[\s\d\])])o\s+(?=linear\b)")
POWER = regex(r"\*\*")
LARGEST = 1 << 16  # of a number in an exponent


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
    from symlayout.layouts.doors.family import Chain, Family, chain_of

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
    if all(is_plain(e) for e in used):
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
    from symlayout.layouts.doors.family import Family

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
