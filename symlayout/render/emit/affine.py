"""MLIR: an affine map of the coordinates, with the sizes as symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.terms import BITS, CeilDiv, FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Mul, Pow, Symbol
from symlayout.layouts.doors.affine import OPERATORS
from symlayout.layouts.maps.function import IndexFunction
from symlayout.layouts.maps.reader import RESERVED
from symlayout.render.emit.clike import check_number
from symlayout.render.emit.lines import ATOM, PRODUCT, Text, write
from symlayout.render.emit.source import Source

WORDS: dict[Any, str] = {FloorDiv: "floordiv", CeilDiv: "ceildiv", Mod: "mod"}


def emit(s: Source) -> str:
    """`affine_map<(d0, d1)[s0] -> (results)>`, and which variable or size each letter is.

    Raises `LayoutError` (SL203) for a guard, and for what is not an affine expression: a product of
    variables, a divisor with a variable in it, a minimum, bits, a conditional.
    """
    names = _letters(s.coords, s.sizes)
    comment = ", ".join(f"{n} = {p}" for p, n in names.items())
    head = f"// {comment}\n" if comment else ""
    return f"{head}{_affine_map(s.f, s.f._outputs, names, s.coords, s.sizes)}\n"


def affine_text(f: IndexFunction) -> str:
    """An index function as MLIR's affine map: what it computes, without its domain.

    >>> from symlayout.layouts.notation import parse
    >>> affine_text(parse("map i < M*N: (i//N, i%N) in (M, N)"))
    'affine_map<(d0)[N] -> (d0 floordiv N, d0 mod N)>'

    Sizes keep their names, so that the text reads back as the same map; a word of the language is none.

    Raises `LayoutError` (SL203) for a guard, for a range that does not begin at 0, and for what is no
    affine expression.
    """
    for v in f.variables:
        if v._low != 0:
            message = f"an affine map does not say that {v.name} begins at {v._low}"
            raise LayoutError("SL203", message, help="--spelling indexing or map says it")
    return _text(f)


def _text(f: IndexFunction) -> str:
    results = f.inlined._results  # the text has no definitions: what these need is in the results
    used = {s.name for e in results for s in e.free_symbols}
    coords = [symbol(v.name) for v in f.variables]
    sizes = [symbol(n) for n in f.names if n in used]
    names = _letters(coords, ())
    closed = {*names.values(), *OPERATORS}
    clashes = {s.name for s in sizes if s.name in closed or RESERVED(s.name)}
    fresh = (f"s{k}" for k in count() if f"s{k}" not in closed | used)
    names |= {s: next(fresh) if s.name in clashes else s.name for s in sizes}
    return _affine_map(f, results, names, coords, sizes)


def _letters(coords: Sequence[Symbol], sizes: Sequence[Symbol]) -> dict[Symbol, str]:
    return {s: f"{x}{k}" for x, row in (("d", coords), ("s", sizes)) for k, s in enumerate(row)}


def _affine_map(
    f: IndexFunction,
    values: Sequence[Expr],
    names: dict[Symbol, str],
    coords: Sequence[Symbol],
    sizes: Sequence[Symbol],
) -> str:
    if f._guard is not None:
        raise LayoutError("SL203", "an affine map has no guard", help="--spelling map has it")
    results = ", ".join(_code(e, names, {*coords}) for e in values)
    more = f"[{', '.join(names[s] for s in sizes)}]" if sizes else ""
    return f"affine_map<({', '.join(names[s] for s in coords)}){more} -> ({results})>"


def indexing_text(f: IndexFunction) -> str:
    """An index function of numbers as XLA's indexing map, with its domain.

    >>> from symlayout.layouts.notation import parse
    >>> indexing_text(parse("map i < 64: (i//8, i%8) in (8, 8)"))
    '(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 63]'

    Raises `LayoutError` (SL203) for a guard, a size without a number, and what is no affine expression.
    """
    if f.names or not f.rectangular:
        raise LayoutError("SL203", f"the domain of {f} has sizes that are no numbers")
    ends = [f"d{k} in [{v._low}, {v._high - 1}]" for k, v in enumerate(f.variables)]
    inner = _text(f).removeprefix("affine_map<").removesuffix(">")
    return f"{inner}, domain: {', '.join(ends)}"


def _code(formula: Expr, names: dict[Symbol, str], inside: set[Symbol]) -> str:
    """An affine expression as MLIR writes it."""
    check_number(formula)

    def call(e: Expr, visit: Callable[[Expr], Text]) -> Text:
        if type(e) not in WORDS:
            raise _not_affine(e)
        a, b = e.args
        if b.free_symbols & inside:
            raise _not_affine(e)
        # all operators that are no sums bind alike, from the left
        return Text(f"{visit(a).at(ATOM)} {WORDS[type(e)]} {visit(b).at(ATOM)}", PRODUCT)

    for bits in sorted(formula.atoms(*BITS), key=str):
        raise _not_affine(bits)
    for product in sorted(formula.atoms(Mul, Pow), key=str):
        factors = Mul.make_args(product) if isinstance(product, Mul) else [product.base] * 2
        if sum(bool(f.free_symbols & inside) for f in factors) > 1:
            raise _not_affine(product)
    return str(write(formula, names, call).code)


def _not_affine(e: Expr) -> LayoutError:
    help = "--emit arith writes it as operations"
    return LayoutError("SL203", f"{e} is not an affine expression", help=help)
