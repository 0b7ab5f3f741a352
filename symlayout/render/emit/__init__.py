"""Emitters: layouts and index functions as code, one module a target language."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

from symlayout.errors import LayoutError, did_you_mean

if TYPE_CHECKING:
    from symlayout.expr.tree import Expr
    from symlayout.layouts.indexmap import IndexMap

Target = Literal[
    "sympy",
    "python",
    "c",
    "latex",
    "cuda",
    "rust",
    "numpy",
    "pallas",
    "triton",
    "arith",
    "affine",
]
TARGETS: tuple[Target, ...] = get_args(Target)

ARITHMETIC = ("sympy", "latex", "affine")  # targets without words for bits


def emit(
    layout: Any,
    target: Target,
    *,
    formula: Expr | None = None,
    name: str = "offset",
    where: Any = (),
    loops: bool = False,
) -> str:
    """The offset of a layout or a map as code of the target language, ending in a line break.

    >>> from symlayout import IndexMap, sizes
    >>> print(emit(IndexMap.row_major((sizes("M"), sizes("N"))), "python"), end="")
    def offset(i, j, M, N):
        return N*i + j

    An index function is written with its guard, definitions and results.  Where the guard is false,
    Python and Rust return None, C and CUDA false; array languages and MLIR return the guard first.
    C and CUDA write several results to the last argument.
    `formula` takes the place of the map's own (one simplified under facts), `where` are those
    facts, `name` is the function's.  With `loops`, C gets two routines instead that copy a whole array
    into the layout and back, tile by tile.  Raises `LayoutError`: SL600 for a target that does not
    exist, SL203 for what the language has no words for, SL401 for a number beyond 64 bits.
    """
    if target not in TARGETS:
        hint = did_you_mean(str(target), list(TARGETS)) or f"the targets are {', '.join(TARGETS)}"
        raise LayoutError("SL600", f"there is no target {target!r}", help=hint)
    if not (name.isidentifier() and name.isascii()):
        raise LayoutError("SL600", f"{name!r} is not a name for a function")
    if loops and target != "c":
        message = f"loops are written in C, not in {target}"
        raise LayoutError("SL600", message, help="--emit c --loops")
    from symlayout.expr.facts import Facts
    from symlayout.expr.terms import as_expr
    from symlayout.layouts.indexmap import IndexMap
    from symlayout.layouts.maps.function import IndexFunction
    from symlayout.layouts.notation import parse
    from symlayout.render.emit.source import of_function, of_layout

    value = parse(layout) if isinstance(layout, str) else layout
    writer = import_module(f"symlayout.render.emit.{target}")
    if isinstance(value, IndexFunction) and not value.plain:
        if loops:
            what = "layouts, and for maps of one result in a box without a guard"
            raise LayoutError("SL600", f"loops are written for {what}")
        return str(writer.emit(of_function(value, name, Facts.read(where))))
    if not isinstance(value, IndexMap) and not hasattr(value, "index_map"):
        raise LayoutError("SL600", f"{value!r} is not a layout, so it has no offset")
    index_map: IndexMap = value if isinstance(value, IndexMap) else value.index_map()
    expr = index_map._shortest if formula is None else as_expr(formula)
    if target not in ARITHMETIC:
        expr = _in_bits(index_map, expr, where)
    if loops:
        from symlayout.render.emit.loops import loops as routines

        return routines(index_map, expr, name, Facts.read(where))
    return str(writer.emit(of_layout(index_map, expr, name, Facts.read(where))))


def _in_bits(index_map: IndexMap, expr: Expr, where: Any) -> Expr:
    """A swizzled map's own formula as an exclusive or; any other formula as it is."""
    bitwise = getattr(index_map.reference, "bitwise", None)
    if bitwise is None or expr not in (index_map._shortest, index_map._shortest_under(where)):
        return expr
    shorter: Expr = bitwise(index_map._coords)
    return shorter
