"""`padding`, `divides` and `aligned`: what the words say, for all sizes."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from symlayout.digits import solver
from symlayout.digits.context import Context
from symlayout.digits.placement import Attempt
from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.ratio import read_ratio
from symlayout.expr.reader import any_name, read_expression
from symlayout.expr.terms import (
    CeilDiv,
    FloorDiv,
    Min,
    Size,
    as_expr,
    as_size,
    ceildiv,
    free_names,
    value,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Symbol
from symlayout.layouts.demands import Demand, at_least, definedness
from symlayout.layouts.indexmap import IndexMap
from symlayout.prove.bijection import read_size
from symlayout.prove.decide import all_names, as_map, claim_facts, claim_maps, map_names, offset_at
from symlayout.prove.question import Question
from symlayout.prove.run import Effort
from symlayout.prove.search import Numeric, Unsafe
from symlayout.prove.statement import MULTIPLE, Goal, Offset, Plain, Statement, let
from symlayout.prove.word import states

# -- padding --------------------------------------------


@states
def padding(a: Any, ratio: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """The buffer has at most `ratio` times as many elements as the shape."""
    facts, (m,) = claim_maps("padding", where, a)
    most = read_ratio(ratio)

    def prove(ctx: Context, effort: Effort) -> Attempt:
        attempt = statement.in_digits(ctx, effort)
        worst = None if attempt.proved else worst_ratio(ctx, m, facts)
        if worst is not None and worst <= most:
            return Attempt(True, f"the ratio is at most {worst}, factor by factor")
        return attempt

    least, size = m._elements * most.numerator, m._size * most.denominator
    slack = Goal(least, ">=", size, _times_as_many, display=(m._size, m._elements))
    statement = Statement(
        map_names(m), facts, [slack], demands=m.demanded, hollow=m._vanishing, strategy=prove
    )
    return statement


def _times_as_many(words: Plain) -> str:
    size, count = words["left"], words["right"]
    note = f"the buffer has {size} elements for {count}"
    return f"{note}, {float(Fraction(size, count)):g} times as many" if count else note


def worst_ratio(ctx: Context, m: IndexMap, facts: Facts) -> Fraction | None:
    """The largest ratio of size to elements, as a product over sizes that occur apart."""
    total = Fraction(1)
    rows = ratios(as_expr(m._size), as_expr(m._elements), facts)
    if rows is None:
        return None
    for grown, plain, worst in rows:
        if falls(grown, plain, worst, facts):
            total *= worst
            continue
        p = ctx.poly(plain) * worst.numerator - ctx.poly(grown) * worst.denominator
        if not (ctx.nonneg(p) or solver.always(ctx, p, ">=").status == "proved"):
            return None
        total *= worst
    return total


@lru_cache(maxsize=64)
def ratios(size: Expr, count: Expr, facts: Facts) -> tuple[tuple[Expr, Expr, Fraction], ...] | None:
    """(size, elements, worst ratio) for each symbol, where both are products over symbols.

    A size that is rounded up to a multiple of t is worst among the first 2*t allowed values, since
    the ratio falls from one multiple to the next; that it is nowhere worse is to be proved.
    """
    parts: dict[str, list[Expr]] = {}
    for k, whole in enumerate((size, count)):
        for factor in Mul.make_args(whole):
            names = [s.name for s in factor.free_symbols]
            if len(names) > 1:
                return None
            row = parts.setdefault((*names, "")[0], [Integer(1), Integer(1)])
            row[k] = row[k] * factor
    rows = []
    for name, (grown, plain) in parts.items():
        domain = facts.domain(name)
        last = domain.first + domain.modulus * 2048 - 1 if name else domain.first
        last = last if domain.last is None else min(last, domain.last)
        worst = largest(grown, plain, name, range(domain.first, last + 1, domain.modulus))
        if worst is None:
            return None
        rows.append((grown, plain, worst))
    return tuple(rows)


def largest(grown: Expr, plain: Expr, name: str, numbers: range) -> Fraction | None:
    """The largest ratio of the two at these values of a symbol; None where one has no elements.

    >>> from symlayout.expr.terms import symbol
    >>> largest(8 * ceildiv(symbol("M"), 8), symbol("M"), "M", range(2, 50))
    Fraction(4, 1)
    """
    try:
        pairs = _pairs(grown, plain, name, numbers)
    except (Unsafe, OverflowError):  # beyond 64 bits
        pairs = [(value(grown, {name: v}), value(plain, {name: v})) for v in numbers]
    worst = (0, 1)
    for above, below in pairs:
        if below < 1:
            return None
        if above * worst[1] > worst[0] * below:
            worst = (above, below)
    return Fraction(*worst)


def falls(grown: Expr, plain: Expr, worst: Fraction, facts: Facts) -> bool:
    """Whether no value beyond those that `ratios` looks at has a larger ratio than the worst of them.

    From there on a size m that is rounded up is at most `slope*m + rest`, and `slope + rest/m` falls.
    """
    names = [s.name for s in plain.free_symbols]
    domain = facts.domain(names[0]) if len(names) == 1 else None
    if domain is None or domain.first < 1 or domain.empty:
        return False
    if domain.last is not None and domain.last <= domain.first + domain.modulus * 2048 - 1:
        return True  # every value has been looked at
    if plain.has(CeilDiv, FloorDiv):
        return False
    steps, above = _line(plain), _line(grown)
    if steps is None or above is None or steps[1] != 0 or steps[0] < 1:
        return False
    return (above[0] + max(above[1], Fraction(0)) / (domain.modulus * 2048)) / steps[0] <= worst


def _line(e: Expr) -> tuple[Fraction, Fraction] | None:
    """A straight line that is nowhere below the expression, for values of its one symbol from 1 on.

    It is exact for `slope*m + rest` itself; None where no line is known.
    """
    if isinstance(e, Integer):
        return Fraction(0), Fraction(int(e))
    if isinstance(e, Symbol):
        return Fraction(1), Fraction(0)
    if isinstance(e, Add):
        slope, rest = Fraction(0), Fraction(0)
        for a in e.args:
            line = _line(a)
            if line is None:
                return None
            slope, rest = slope + line[0], rest + line[1]
        return slope, rest
    number, other = e.as_coeff_Mul()
    if number != 1:
        line = _line(other) if number.is_Integer and number > 0 else None
        return None if line is None else (line[0] * int(number), line[1] * int(number))
    if isinstance(e, (CeilDiv, FloorDiv)) and e.args[1].is_Integer and e.args[1] > 0:
        line, step = _line(e.args[0]), int(e.args[1])
        if line is None:
            return None
        return line[0] / step, (line[1] + (step - 1 if isinstance(e, CeilDiv) else 0)) / step
    return None


def _pairs(grown: Expr, plain: Expr, name: str, numbers: range) -> list[tuple[int, int]]:
    """The values of both, of which only the largest in double precision, or one below 1."""
    import numpy as np

    env = {name: np.arange(numbers.start, numbers.stop, numbers.step, dtype=np.int64)}
    sides = [Numeric(e, (name,))(env) for e in (grown, plain)]
    if any(np.any(bad) for _, bad in sides):
        raise Unsafe  # the value says what has none
    above, below = (np.broadcast_to(v, (len(numbers),)) for v, _ in sides)
    if not len(numbers) or below.min() < 1:
        return [(0, 0)] if len(numbers) else []
    ratio = above / below
    rest = ratio >= ratio.max() - abs(ratio.max()) * 1e-9  # a double's error is far less
    return list({(int(a), int(b)) for a, b in zip(above[rest].tolist(), below[rest].tolist())})


def read_bytes(size: Any, m: IndexMap, facts: Facts, layout: Any) -> Size:
    """A number of bytes, or an expression of the layout's sizes.

    Raises `LayoutError` (SL502) for a negative number.
    """
    result = read_size(size, set(m.symbols) | facts.names, layout)
    if isinstance(result, int) and result < 0:
        raise LayoutError("SL502", f"a number of bytes is at least 0, not {result}")
    return result


# -- bytes --------------------------------------------


@partial(states, name="bytes")
def occupies(a: Any, bytes_: Any, *, where: Any = (), budget: int | None = None) -> Question:
    """The buffer occupies that many bytes, padding included; bits are rounded up to whole bytes."""
    facts, (m,) = claim_maps("bytes", where, a)
    if m.bits is None:
        raise LayoutError("SL103", "bytes needs the element's bits, and the layout has no type")
    target = read_bytes(bytes_, m, facts, a)
    occupied = Goal(
        ceildiv(m._size * m.bits, 8),
        "==",
        target,
        "the buffer occupies {left} bytes, not {right}",
        proof="the buffer occupies {right} bytes",
        doubt="{rest} == 0 is not proved",
    )
    demands = (*m.demanded, *definedness("the number of bytes", [target]))
    names = tuple(dict.fromkeys([*map_names(m), *all_names(target)]))
    return Statement(names, facts, [occupied], demands=demands)


# -- divides --------------------------------------------


@states
def divides(a: Any, b: Any = None, *, where: Any = (), budget: int | None = None) -> Question:
    """Every tile of A divides the size it tiles; with two expressions, A divides B."""
    texts: dict[str, None] = {}  # names in the order of the text
    names: tuple[str, ...]
    demands: tuple[Demand, ...]
    if b is not None:
        facts, demands = Facts.read(where), ()
        pairs = [(_size(a, texts), _size(b, texts))]
        names = tuple(n for n in texts if n in free_names(*map(as_expr, pairs[0])))
    else:
        m = as_map(a, "divides", where)
        facts, demands = claim_facts(where, m), m.demanded
        pairs = tile_pairs(a) or [(1, 0)]  # which says nothing
        names = map_names(m)  # those that no tile meets must be sizes as well
    note = "{left} does not divide {right}"
    goals = [
        Goal(x, MULTIPLE, d, note, (d, x), doubt="{goal.left} % {goal.right} is {rest}")
        for d, x in pairs
    ]
    demands += definedness("the divisor", [d for d, _ in pairs])
    demands += definedness("the size", [x for _, x in pairs])
    return Statement(names, facts, goals, demands=demands)


def _size(size: Any, texts: dict[str, None]) -> Size:
    """A size of any names, which are added to those that are written."""

    def name(word: str) -> Expr | None:
        texts.setdefault(word)
        return any_name(word)

    result = as_size(read_expression(size, name) if isinstance(size, str) else size)
    texts.update(dict.fromkeys(free_names(result)))
    return result


def tile_pairs(argument: Any) -> list[tuple[Size, Size]]:
    """(tile size, what it tiles) for every tile of a layout, outermost level first."""
    from symlayout.layouts.notation import parse

    layout = parse(argument) if isinstance(argument, str) else argument
    if not hasattr(layout, "_tile_pairs"):
        message = "divides with one argument speaks of a tiled layout"
        raise LayoutError("SL502", message, help="give a second one")
    return list(layout._tile_pairs())


# -- aligned --------------------------------------------


@states
def aligned(
    a: Any, bytes_: Any, *, dim: Any = None, where: Any = (), budget: int | None = None
) -> Question:
    """Every row begins at a multiple of `bytes_`; a row runs along `dim`, by default the most minor."""
    facts, (m,) = claim_maps("aligned", where, a)
    m = m.apart_from(facts.names)
    step = read_bytes(bytes_, m, facts, a)
    if m.bits is None:
        raise LayoutError("SL103", "aligned needs the element's bits, and the layout has no type")
    along = row_dimension(m) if dim is None else read_dimension(dim, m.rank)
    starts = (m if along is None else row_starts(m, along)).apart_from(facts.names)
    bits = m.bits

    def note(words: Plain) -> str:
        row, over = words["row"], words["right"]
        byte = row.value
        if isinstance(byte, int):
            byte = byte * bits // 8 if byte * bits % 8 == 0 else byte * bits / 8
        return f"the row at {row.place} begins at byte {byte}, no multiple of {over}"

    def none(words: Plain) -> str:
        return f"rows are aligned to at least 1 byte, not to {words['left']}"

    texts, proof = (let("row"), step), f"the rows begin at {{row}}, times {bits} bits"
    return Statement(
        tuple(dict.fromkeys([*map_names(m), *all_names(as_expr(step))])),
        facts,
        [
            Goal(step, ">=", 1, none, (step, 1), proof=""),
            Goal(let("row") * bits, MULTIPLE, as_expr(step) * 8, note, texts, proof=proof),
        ],
        coords=starts._coords,
        shape=starts._shape,
        offsets={"row": Offset(m, starts._coords)},
        demands=(*m.demanded, *at_least("the number of bytes", [step], 0)),
    )


def row_starts(m: IndexMap, along: int) -> IndexMap:
    """The map at coordinate 0 of dimension `along`, which keeps its place with size 1 (or 0)."""
    shape = [Min(d, 1) if k == along else d for k, d in enumerate(m._shape)]
    return m.slice([0] * m.rank, shape)


def row_dimension(m: IndexMap) -> int | None:
    """The dimension with the least step: where coordinate 1 lies nearest to coordinate 0.

    Of equal steps one of size 1, which lies within the other, and else the last: so a row is the
    same whether its size is written as 1 or is a size that may be 1.
    """
    best: tuple[int, bool, int] | None = None
    sizes, zero = dict.fromkeys(m.symbols, 64), [0] * m.rank
    for k in range(m.rank):
        one = [int(j == k) for j in range(m.rank)]
        near = offset_at(m, tuple(one), sizes)
        start = offset_at(m, tuple(zero), sizes)
        if isinstance(near, int) and isinstance(start, int) and near != start:
            rank = (abs(near - start), m._shape[k] != 1, -k)
            best = rank if best is None else min(best, rank)
    return None if best is None else -best[2]


def read_dimension(dim: Any, rank: int) -> int:
    """A dimension number; negative ones count from the end."""
    try:
        number = int(dim)
    except (TypeError, ValueError):
        raise LayoutError("SL502", f"a dimension is a number, not {dim!r}") from None
    if not -rank <= number < rank:
        raise LayoutError("SL502", f"dimension {number} is not one of the {rank} dimensions")
    return number % rank
