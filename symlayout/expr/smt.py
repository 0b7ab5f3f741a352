"""Integer expressions as Z3 terms.

Z3's division is Euclidean: with a positive divisor it rounds down, as ours does.  A divisor that is
not a positive number gets its sign from a case split.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.operations import BITS, Where
from symlayout.expr.terms import CeilDiv, Exp2, FloorDiv, Max, Min, Mod, TruncDiv, TruncMod
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol


def term(e: Expr, variables: Mapping[str, Any]) -> Any:
    """The Z3 term of an integer expression; `variables` by symbol name.

    >>> import z3
    >>> from symlayout.expr.reader import read_expression
    >>> z3.simplify(term(read_expression("7 // N"), {"N": z3.IntVal(2)}))
    3

    Raises `LayoutError` (SL203) for anything that is no integer expression.
    """
    import z3

    if isinstance(e, Symbol):
        return variables[e.name]
    if isinstance(e, (int, Integer)):
        return z3.IntVal(int(e))
    if isinstance(e, Where):
        p, q, a, b = (term(x, variables) for x in e.args)
        return z3.If(p < q, a, b)
    args = [term(a, variables) for a in e.args] if not isinstance(e, Pow) else []
    if isinstance(e, Add):
        return z3.Sum(args)
    if isinstance(e, Mul):
        return z3.Product(args)
    if isinstance(e, Pow):
        return z3.Product([term(e.base, variables)] * int(e.exp))
    if isinstance(e, Min):
        return reduce(lambda x, y: z3.If(x <= y, x, y), args)
    if isinstance(e, Max):
        return reduce(lambda x, y: z3.If(x >= y, x, y), args)
    if isinstance(e, (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)):
        return _division(e, *args)
    if type(e) in BITS or isinstance(e, Exp2):
        return _bits(e, *args)
    raise LayoutError("SL203", f"{e} is no integer expression")


def _bits(e: Expr, *args: Any) -> Any:
    """A function of which nothing is known: what is shown of it holds of bits and of powers of two."""
    import z3

    whole = z3.IntSort()
    application = z3.Function(BITS.get(type(e), "2**"), *[whole] * len(args), whole)(*args)
    return application


def _division(e: Expr, a: Any, b: Any) -> Any:
    import z3

    positive = e.args[1].is_Integer and e.args[1] > 0

    def floor(x: Any, y: Any) -> Any:
        return x / y if positive else z3.If(y > 0, x / y, (-x) / (-y))

    if isinstance(e, (FloorDiv, Mod)):
        quotient = floor(a, b)
    elif isinstance(e, CeilDiv):
        quotient = -floor(-a, b)
    else:
        quotient = z3.If((a >= 0) == (b > 0), floor(a, b), -floor(-a, b))
    return a - b * quotient if isinstance(e, (Mod, TruncMod)) else quotient
