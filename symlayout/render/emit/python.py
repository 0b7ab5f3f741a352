"""Python: a function of the coordinates and sizes, for plain integers and NumPy arrays alike."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable
from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.operations import Where
from symlayout.expr.terms import CeilDiv, Exp2, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod
from symlayout.expr.tree import Expr
from symlayout.render.emit.lines import (
    ATOM,
    PRODUCT,
    SIGN,
    Text,
    not_code,
    parameters,
    safe_names,
    share,
    write,
)

RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`def name(coordinates, sizes): return offset`."""
    symbols = parameters(layout, formula)
    names = safe_names(symbols, RESERVED, (name,))
    parts, rest = share(formula, set(names.values()) | {name}, cost=len("    t0 = \n"))
    lines = [f"def {name}({', '.join(names[s] for s in symbols)}):"]
    for symbol, part in parts:
        names[symbol] = symbol.name
        lines.append(f"    {symbol.name} = {write(part, names, call).code}")
    lines.append(f"    return {write(rest, names, call).code}")
    return "\n".join(lines) + "\n"


def call(e: Expr, visit: Callable[[Expr], Text]) -> Text:
    if isinstance(e, (Min, Max)):
        word = "min" if isinstance(e, Min) else "max"
        return Text(f"{word}({', '.join(visit(a).code for a in e.args)})")
    if isinstance(e, Where):
        p, q, yes, no = (visit(x).code for x in e.args)
        return Text(f"({yes} if {p} < {q} else {no})")
    if isinstance(e, Exp2):
        return Text(f"(1 << {visit(e.args[0]).at(SIGN)})")
    if not isinstance(e, (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)):
        raise not_code(e, "Python")
    a, b = e.args
    left, right = visit(a).at(PRODUCT), visit(b).at(ATOM)
    if isinstance(e, FloorDiv):
        return Text(f"{left}//{right}", PRODUCT)
    if isinstance(e, Mod):
        return Text(f"{left}%{right}", PRODUCT)
    if isinstance(e, CeilDiv):
        # ceil(a/b) = -floor(-a/b)
        return Text(f"-({visit(-a).at(PRODUCT)}//{right})", SIGN)
    # towards zero: |a| // |b| with the quotient's sign; the remainder has the sign of a
    size = f"abs({visit(a).code})//abs({visit(b).code})"
    quotient = f"({size} if ({visit(a).code} < 0) == ({visit(b).code} < 0) else -({size}))"
    if isinstance(e, TruncDiv):
        return Text(quotient)
    return Text(f"({visit(a).code} - {right}*{quotient})")
