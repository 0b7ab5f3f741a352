"""MLIR: an affine map of the coordinates, with the sizes as symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, Mul, Pow

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.operations import BITS
from symlayout.expr.terms import CeilDiv, FloorDiv, Mod
from symlayout.render.emit.clike import check_numbers
from symlayout.render.emit.lines import ATOM, PRODUCT, Text, parameters, write

WORDS: dict[Any, str] = {FloorDiv: "floordiv", CeilDiv: "ceildiv", Mod: "mod"}


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`affine_map<(d0, d1)[s0] -> (offset)>`, and which coordinate or size each letter is.

    Raises `LayoutError` (SL203) for what is no affine expression: a product of coordinates, a
    divisor with a coordinate in it, a minimum, bits, a conditional.
    """
    check_numbers(formula)
    symbols = parameters(layout, formula)
    coords = list(layout.coords)
    names = {s: f"d{k}" for k, s in enumerate(coords)}
    names |= {s: f"s{k}" for k, s in enumerate(symbols[len(coords) :])}
    inside = set(coords)

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
    code = write(formula, names, call).code
    said = ", ".join(f"{n} = {s}" for s, n in names.items())
    row = ", ".join(names[s] for s in coords)
    more = ", ".join(names[s] for s in symbols[len(coords) :])
    head = f"// {said}\n" if said else ""
    return f"{head}affine_map<({row}){f'[{more}]' if more else ''} -> ({code})>\n"


def _not_affine(e: Expr) -> LayoutError:
    return LayoutError(
        "SL203", f"{e} is no affine expression", help="--emit arith writes it as operations"
    )
