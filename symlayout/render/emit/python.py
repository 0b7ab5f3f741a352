"""Python: a function of the coordinates and sizes, for plain integers and NumPy arrays alike."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable
from typing import Any

from symlayout.expr.terms import DIVISIONS, CeilDiv, Exp2, FloorDiv, Max, Min, Mod, TruncDiv, Where
from symlayout.expr.tree import Expr
from symlayout.render.emit.lines import (
    ATOM,
    PRODUCT,
    SIGN,
    Text,
    by_row,
    fresh,
    in_order,
    repeated,
    write,
)
from symlayout.render.emit.source import Source, condition

RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


def emit(s: Source) -> str:
    """`def name(variables, sizes)`: a number or a tuple, None where a guard is false."""
    own, names = s.names(RESERVED), dict[Any, str]()
    names.update(own)
    rows, results = s.lets, list(s.f._results)
    used = fresh({*own.values(), s.name})
    expressions = [*[e for _, e in rows], *results]
    parts = repeated(expressions, len("    t0 = \n")) if s.shared else []
    ours = {next(used): e for e in parts}

    def code(e: Expr) -> str:
        return write(e, names, call).code

    lines = [f"def {s.name}({', '.join(names[p] for p in s.parameters)}):"]
    if s.f._guard is not None:
        guard = condition(s.f._guard, code, "and", "or").code
        lines += [f"    if not ({guard}):", "        return None"]
    for symbol, part in in_order(rows, list(ours.items())):
        lines.append(f"    {names.get(symbol, symbol.name)} = {code(part)}")
        if symbol in ours:
            names[part] = symbol.name
    end = "," * (s.f.tupled and len(results) == 1)
    return "\n".join([*lines, f"    return {', '.join(map(code, results))}{end}"]) + "\n"


def call(e: Expr, visit: Callable[[Expr], Text]) -> Text:
    if isinstance(e, (Min, Max)):
        word = "min" if isinstance(e, Min) else "max"
        return Text(f"{word}({', '.join(visit(a).code for a in e.args)})")
    if isinstance(e, Where):
        p, q, yes, no = (visit(x).code for x in e.args)
        return Text(f"({yes} if {p} < {q} else {no})")
    if isinstance(e, Exp2):
        return Text(f"(1 << {visit(e.args[0]).at(SIGN)})")
    if not isinstance(e, DIVISIONS):
        return by_row(e, "Python", visit)
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
