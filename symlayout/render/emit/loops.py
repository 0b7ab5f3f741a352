"""C: two routines that copy a whole array into its layout and back, as loops over tiles.

Every coordinate is split at the numbers it is divided by.  Where the offset is linear in those digits,
each loop adds a stride of its own, the largest outside; else the offset's function is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from symlayout.expr.facts import Facts
from symlayout.expr.terms import (
    DIVISIONS,
    FloorDiv,
    Mod,
    Size,
    as_expr,
    as_size,
    ceildiv,
    is_concrete,
    product,
    symbol,
    value,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Symbol, exact_quotient, expand
from symlayout.layouts.indexmap import CoordMap, IndexMap
from symlayout.render.emit.c import RESERVED, C
from symlayout.render.emit.c import emit as function
from symlayout.render.emit.clike import Writer
from symlayout.render.emit.source import Source, of_layout
from symlayout.text.names import unused

ELEMENTS = {8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t"}
# names of our own: constants, counts, places in either array, by depth
KEPT = {"from", "to", "ELEMENT", *(f"{letter}{k}_" for letter in "cnft" for k in range(100))}
SAMPLE = 1009  # every size, where strides are put in order


@dataclass
class Loop:
    """A digit of a dimension: how many values, what one of them is worth, and its two strides."""

    name: str
    dimension: int
    count: Size
    weight: Size
    ragged: bool = False
    to: Expr = field(default_factory=lambda: Integer(0))
    source: Expr = field(default_factory=lambda: Integer(0))


def loops(layout: IndexMap, formula: Expr, name: str, facts: Facts) -> str:
    """`name_pack` and `name_unpack`: from a row-major array into the layout, and back.

    >>> from symlayout import IndexMap, sizes
    >>> made = IndexMap.strided((sizes("M"), 4), (4, 1))
    >>> print(loops(made, made.formula, "rows", Facts()).split(chr(10))[7])
    void rows_pack(const ELEMENT *restrict from, ELEMENT *restrict to, int64_t M) {
    """
    nest = digits(layout, formula, facts)
    kind = ELEMENTS.get(layout.bits or 32, "uint8_t")
    head = ["#include <stdint.h>", "", "#ifndef ELEMENT", f"#define ELEMENT {kind}", "#endif", ""]
    one = of_layout(layout, formula, name, facts)
    if nest is None:
        head = [*function(one).split("\n")[:-1], *head[1:]]
    writer = _Nest(layout, one)
    lines: list[str] = []
    for word, copy in (("pack", "to[{t}] = from[{f}];"), ("unpack", "to[{f}] = from[{t}];")):
        arrays = "const ELEMENT *restrict from, ELEMENT *restrict to"
        sizes = "".join(f", int64_t {writer.names[s]}" for s in writer.symbols)
        lines.append("// places that no element has keep what they have" if word == "pack" else "")
        lines.append(f"void {name}_{word}({arrays}{sizes}) {{")
        lines += writer.body(nest, copy) if nest else writer.calls(copy, formula)
        lines.append("}")
    helpers = [C.helpers[h].format(T="int64_t") for h in sorted(writer.writer.used)]
    known = "\n".join(head)
    head += [h for h in helpers if h.split("(")[0] not in known]
    return "\n".join([*head, *lines]) + "\n"


def digits(layout: IndexMap, formula: Expr, facts: Facts) -> tuple[Expr, list[Loop]] | None:
    """The constant part of the offset and the loops, outermost first; None where it is not linear."""
    rows: list[list[Loop]] = []
    used = {*layout.symbols, *facts.names, *KEPT, *RESERVED}
    for k, (c, d) in enumerate(zip(layout._coords, layout._shape)):
        chain = cuts(formula, c)
        if chain is None:
            return None
        row, above = list[Loop](), None
        for n, weight in enumerate(reversed(chain)):
            count = ceildiv(d, weight) if above is None else _quotient(above, weight)
            name = unused(f"{c.name}{n}", used)
            used.add(name)
            ragged = above is not None and not _divides(above, d, facts)
            row.append(Loop(name, k, count, weight, ragged))
            above = weight
        rows.append(row)
    every = [loop for row in rows for loop in row]
    coords = tuple(symbol(loop.name) for loop in every)
    places = [as_expr(sum((symbol(x.name) * x.weight for x in row), Integer(0))) for row in rows]
    shape = tuple(as_size(loop.count) for loop in every)
    inner = CoordMap(shape, coords, tuple(places), layout._shape)
    offset = layout.compose(inner)._shortest_under(facts)
    base = _strides(offset, dict(zip(coords, every)))
    if base is None:
        return None
    for k, row in enumerate(rows):
        for loop in row:
            loop.source = as_expr(product(layout._shape[k + 1 :]) * loop.weight)
    return base, _nest_order(rows)


def cuts(formula: Expr, c: Symbol) -> list[Size] | None:
    """The numbers at which a coordinate is split, each a divisor of the next, 1 first.

    >>> i = Symbol("i")
    >>> cuts(FloorDiv(i, 8) + Mod(FloorDiv(i, 2), 4) + Mod(i, 2), i)
    [1, 2, 8]
    """
    divisors: dict[Size, None] = {}
    for e in formula.atoms(*DIVISIONS):
        if not e.args[0].has(c):
            continue
        ends = _chain(e, c)
        if ends is None:
            return None
        divisors |= dict.fromkeys(ends[1])
    numbers = sorted(d for d in divisors if isinstance(d, int))
    others = [d for d in divisors if not isinstance(d, int)]
    if (numbers and others) or len(others) > 1:
        return None
    chain: list[Size] = [1, *[d for d in numbers if d != 1], *others]
    pairs = pairwise(chain)
    return chain if all(not is_concrete(a, b) or b % a == 0 for a, b in pairs) else None


def _chain(e: Expr, c: Symbol) -> tuple[Size, list[Size]] | None:
    """How much of the coordinate one step of a nested quotient is, and where it is cut."""
    if e == c:
        return 1, []
    if not isinstance(e, (FloorDiv, Mod)):
        return None
    inside = _chain(e.args[0], c)
    if inside is None or e.args[1].has(c):
        return None
    end = as_size(as_expr(inside[0]) * e.args[1])
    return (end if isinstance(e, FloorDiv) else inside[0]), [*inside[1], end]


def _quotient(a: Size, b: Size) -> Size:
    if is_concrete(a, b):
        return a // b
    quotient = exact_quotient(as_expr(a), as_expr(b))
    return as_size(FloorDiv(a, b) if quotient is None else quotient)


def _divides(t: Size, d: Size, facts: Facts) -> bool:
    """Whether the facts let the digits see that t divides d."""
    from symlayout.digits.simplification import shortest

    return bool(shortest(Mod(as_expr(d), as_expr(t)), facts) == 0)


def _strides(offset: Expr, table: Mapping[Symbol, Loop]) -> Expr | None:
    """Writes each digit's coefficient down and returns the rest; None where it is not linear."""
    base: Expr = Integer(0)
    for term in Add.make_args(expand(offset)):
        inside = [s for s in term.free_symbols if s in table]
        if not inside:
            base = base + term
            continue
        factors = Mul.make_args(term)
        if len(inside) > 1 or inside[0] not in factors:
            return None
        rest = Mul(*[f for f in factors if f != inside[0]])
        if rest.has(inside[0]):
            return None
        table[inside[0]].to = table[inside[0]].to + rest
    return base


def _nest_order(rows: Sequence[Sequence[Loop]]) -> list[Loop]:
    """The largest stride outside, the digits of one dimension from the most significant on."""
    waiting = [list(row) for row in rows]
    order = []
    while any(waiting):
        heads = [row for row in waiting if row]
        best = max(heads, key=lambda row: abs(_sample(row[0].to)))
        order.append(best.pop(0))
    return order


def _sample(e: Expr) -> int:
    return value(e, {s.name: SAMPLE for s in e.free_symbols})


class _Nest:
    """Writes loops, the sizes' own parts before them."""

    def __init__(self, layout: IndexMap, one: Source) -> None:
        self.layout, self.parameters, self.name = layout, one.parameters, one.name
        self.symbols = one.sizes
        self.names = one.names(RESERVED | KEPT, *C.helpers)
        self.writer = Writer(C, one.before)
        self.hoisted: dict[Expr, str] = {}

    def code(self, e: Size) -> str:
        """A size, by the name of a constant where it takes an operation."""
        e = as_expr(e)
        if isinstance(e, Integer) or e in self.names:
            return self.writer.code(e, self.names)
        return self.hoisted.setdefault(e, f"c{len(self.hoisted)}_")

    def constants(self) -> list[str]:
        return [
            f"  const int64_t {n} = {self.writer.code(e, self.names)};"
            for e, n in self.hoisted.items()
        ]

    def body(self, nest: tuple[Expr, list[Loop]], copy: str) -> list[str]:
        """One loop for each digit; `f` and `t` are the places so far."""
        base, levels = nest
        self.hoisted = {}
        lines, f, t = [], "0", self.code(base)
        known: dict[int, list[Loop]] = {}
        for depth, loop in enumerate(levels):
            pad = "  " * (depth + 1)
            count = self.code(loop.count)
            if loop.ragged:
                count = f"n{depth}_"
                lines.append(f"{pad}int64_t {count} = {self.remaining(loop, known)};")
            more = f"f{depth}_ += {self.code(loop.source)}, t{depth}_ += {self.code(loop.to)}"
            start = f"int64_t {loop.name} = 0, f{depth}_ = {f}, t{depth}_ = {t}"
            lines.append(f"{pad}for ({start}; {loop.name} < {count}; ++{loop.name}, {more}) {{")
            known.setdefault(loop.dimension, []).append(loop)
            f, t = f"f{depth}_", f"t{depth}_"
        lines.append("  " * (len(levels) + 1) + copy.format(f=f, t=t))
        lines += ["  " * (depth + 1) + "}" for depth in reversed(range(len(levels)))]
        return [*self.constants(), *lines]

    def remaining(self, loop: Loop, known: Mapping[int, list[Loop]]) -> str:
        """How many values of the digit lie in the array, where the last tile is ragged."""
        outer = known[loop.dimension]
        spent = "".join(f" - {x.name}*{self.code(x.weight)}" for x in outer)
        size, full = self.code(self.layout._shape[loop.dimension]), self.code(loop.count)
        rest = f"{size}{spent}"
        if loop.weight != 1:
            weight = self.code(loop.weight)
            rest = f"({rest} + {weight} - 1) / {weight}"
        return f"{rest} < {full} ? {rest} : {full}"

    def calls(self, copy: str, formula: Expr) -> list[str]:
        """One loop for each coordinate, and a call."""
        self.hoisted = {}
        lines, f = [], "0"
        coords = self.layout._coords
        for k, (c, d) in enumerate(zip(coords, self.layout._shape)):
            pad, name = "  " * (k + 1), self.names[c]
            step = self.code(product(self.layout._shape[k + 1 :]))
            start = f"int64_t {name} = 0, f{k}_ = {f}"
            count = self.code(d)
            lines.append(f"{pad}for ({start}; {name} < {count}; ++{name}, f{k}_ += {step}) {{")
            f = f"f{k}_"
        arguments = ", ".join(self.names[s] for s in self.parameters)
        pad = "  " * (len(coords) + 1)
        lines.append(pad + copy.format(f=f, t=f"{self.name}({arguments})"))
        lines += ["  " * (k + 1) + "}" for k in reversed(range(len(coords)))]
        return [*self.constants(), *lines]
