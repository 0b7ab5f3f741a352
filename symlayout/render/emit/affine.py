"""MLIR: an affine map of the coordinates, with the sizes as symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.operations import BITS
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod, symbol
from symlayout.expr.tree import Expr, Mul, Pow, Symbol
from symlayout.layouts.maps.function import IndexFunction
from symlayout.render.emit.clike import check_numbers
from symlayout.render.emit.lines import ATOM, PRODUCT, Text, parameters, write

WORDS: dict[Any, str] = {FloorDiv: "floordiv", CeilDiv: "ceildiv", Mod: "mod"}


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`affine_map<(d0, d1)[s0] -> (offset)>`, and which coordinate or size each letter is.

    Raises `LayoutError` (SL203) for what is no affine expression: a product of coordinates, a
    divisor with a coordinate in it, a minimum, bits, a conditional.
    """
    symbols = parameters(layout, formula)
    coords = list(layout.coords)
    names = {s: f"d{k}" for k, s in enumerate(coords)}
    names |= {s: f"s{k}" for k, s in enumerate(symbols[len(coords) :])}
    code = _code(formula, names, set(coords))
    said = ", ".join(f"{n} = {s}" for s, n in names.items())
    row = ", ".join(names[s] for s in coords)
    more = ", ".join(names[s] for s in symbols[len(coords) :])
    head = f"// {said}\n" if said else ""
    return f"{head}affine_map<({row}){f'[{more}]' if more else ''} -> ({code})>\n"


def affine_text(f: IndexFunction) -> str:
    """An index function as MLIR's affine map: what it computes, without its domain.

    >>> from symlayout.layouts.notation import parse
    >>> affine_text(parse("map i < M*N: (i//N, i%N) in (M, N)"))
    'affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod s0)>'

    Raises `LayoutError` (SL203) for a guard, and for what is no affine expression.
    """
    if f.guard is not None:
        raise LayoutError("SL203", "an affine map has no guard", help="--spelling map has it")
    coords = [symbol(v.name) for v in f.variables]
    names = {s: f"d{k}" for k, s in enumerate(coords)}
    used = {s.name for e in f.outputs for s in e.free_symbols}
    sizes = [symbol(n) for n in f.names if n in used]
    names |= {s: f"s{k}" for k, s in enumerate(sizes)}
    results = ", ".join(_code(e, names, set(coords)) for e in f.outputs)
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
    ends = [f"d{k} in [{v.low}, {v.high - 1}]" for k, v in enumerate(f.variables)]
    inner = affine_text(f).removeprefix("affine_map<").removesuffix(">")
    return f"{inner}, domain: {', '.join(ends)}"


def _code(formula: Expr, names: dict[Symbol, str], inside: set[Symbol]) -> str:
    """An affine expression as MLIR writes it."""
    check_numbers(formula)

    def call(e: Expr, visit: Callable[[Expr], Text]) -> Text:
        if type(e) not in WORDS:
            raise _not_affine(e)
        a, b = e.args
        if b.free_symbols & inside:
            raise _not_affine(e)
        # all operators that are no sums bind alike, from the left
        return Text(f"{visit(a).at(ATOM)} {WORDS[type(e)]} {visit(b).at(ATOM)}", PRODUCT)

    for bits in formula.atoms(*BITS):
        raise _not_affine(bits)
    for product in formula.atoms(Mul, Pow):
        factors = Mul.make_args(product) if isinstance(product, Mul) else [product.base] * 2
        if sum(bool(f.free_symbols & inside) for f in factors) > 1:
            raise _not_affine(product)
    return str(write(formula, names, call).code)


def _not_affine(e: Expr) -> LayoutError:
    return LayoutError(
        "SL203", f"{e} is no affine expression", help="--emit arith writes it as operations"
    )
