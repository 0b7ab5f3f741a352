"""Integer expressions as Z3 terms.

Z3's division is Euclidean: with a positive divisor it rounds down, as ours does.  A divisor that is
not a positive number gets its sign from a case split.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from typing import Any

from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Either, Less
from symlayout.expr.facts import Relation
from symlayout.expr.lawtexts import arguments, demands_of, laws_of
from symlayout.expr.operators import Operator
from symlayout.expr.terms import (
    BITS,
    Application,
    BitAnd,
    BitOr,
    CeilDiv,
    Exp2,
    FloorDiv,
    Mod,
    TruncDiv,
    TruncMod,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol

WIDEST = 10  # bits of operands that are told apart one by one


def term(e: Expr, variables: Mapping[str, Any]) -> Any:
    """The Z3 term of an integer expression; `variables` by symbol name.

    >>> import z3
    >>> from symlayout.expr.reader import read_expression
    >>> z3.simplify(term(read_expression("7 // N"), {"N": z3.IntVal(2)}))
    3

    Raises `LayoutError` (SL203) for anything that is not an integer expression.
    """
    return Terms(variables)(e)


class Terms:
    """Z3 terms of expressions and conditions over one table of variables, in one context of Z3.

    Each part of an expression is translated once.  `opaque` holds the terms of parts whose meaning
    Z3 does not know (bits of unknown width, `2**k`).  With `naming`, which makes an integer for a
    name, a quotient and a remainder are integers of their own, defined by `axioms`: Z3 reasons about
    products of unknowns better than about divisions by them.
    """

    def __init__(
        self,
        variables: Mapping[str, Any],
        context: Any = None,
        naming: Callable[[str], Any] | None = None,
        positive: Container[Expr] = (),
    ) -> None:
        self.variables, self.context = variables, context
        self.naming, self.positive = naming, positive
        # the quotient of a division without remainder, where it is known
        self.exact: Callable[[Expr, Expr], Expr | None] = lambda a, b: None
        self.widths: dict[str, int] = {}  # of symbols that are in [0, 2**width) where it matters
        self.known: dict[Expr, Any] = {}
        self.opaque: dict[Expr, Any] = {}
        self.quotients: dict[tuple[Expr, Expr], tuple[Any, Any]] = {}
        self.axioms: list[Any] = []
        self.products = False  # whether unknowns are multiplied

    def __call__(self, e: Any) -> Any:
        """The term of an integer expression."""
        if isinstance(e, int):
            return self.number(e)
        hit = self.known.get(e)
        if hit is None:
            hit = self.known[e] = self._term(e)
        return hit

    def number(self, n: int) -> Any:
        """The term of a number."""
        from symlayout.expr.whole import number

        return number(n, self.context)

    def relation(self, r: Relation) -> Any:
        """The formula of a relation."""
        a, b = self(r.left), self(r.right)
        match r.op:
            case "<":
                return a < b
            case "<=":
                return a <= b
            case ">":
                return a > b
            case ">=":
                return a >= b
        return a == b if r.op == "==" else a != b

    def _term(self, e: Expr) -> Any:
        from symlayout.expr.whole import both, choice, either, product, total

        if isinstance(e, Symbol):
            return self.variables[e.name]
        if isinstance(e, Integer):
            return self.number(int(e))
        if isinstance(e, Pow):
            self.products = True
            return product([self(e.base)] * int(e.exp))
        args = [self(a) for a in e.args]
        if isinstance(e, Add):
            return total(args)
        if isinstance(e, Mul):
            self.products |= sum(not a.is_Integer for a in e.args) > 1
            return product(args)
        if isinstance(e, (Both, Either)):
            return (both if isinstance(e, Both) else either)(args, self.context)
        if isinstance(e, (Application, Less)) and e.row.smt is not None:
            return e.row.joined(partial(e.row.smt, choice), args)
        if isinstance(e, (FloorDiv, Mod, CeilDiv)) and self.naming is not None:
            quotient, remainder = self._named(*e.args)
            if isinstance(e, CeilDiv):
                quotient = -self._named(-e.args[0], e.args[1])[0]
            return remainder if isinstance(e, Mod) else quotient
        if isinstance(e, (FloorDiv, Mod, CeilDiv, TruncDiv, TruncMod)):
            return _division(e, *args)
        if type(e) in BITS or isinstance(e, Exp2):
            return self._bits(e, *args)
        if isinstance(e, Application):
            return self._application(e, args)
        raise LayoutError("SL203", f"{e} is not an integer expression")

    def _application(self, e: Application, args: list[Any]) -> Any:
        """A function about which Z3 knows the laws of its row."""
        from symlayout.text.solver import z3

        whole = z3.IntSort(self.context)
        function = z3.Function(f"{e.row.name}!", *[whole] * (e.row.arity or 2), whole)

        def application(*args: Any) -> Any:
            result = function(*args)
            self.axioms += axioms(e.row, result, args, self.context)
            return result

        self.opaque[e] = result = e.row.joined(application, args)
        return result

    def _named(self, a: Expr, b: Expr) -> tuple[Any, Any]:
        """Names for quotient and remainder, the latter with the sign of the divisor."""
        from symlayout.expr.whole import both, implied

        if (a, b) not in self.quotients and (whole := self.exact(a, b)) is not None:
            self.quotients[a, b] = self(whole), self.number(0)
        if (a, b) not in self.quotients:
            assert self.naming is not None
            q, r = (self.naming(f"{a}{sign}{b}") for sign in ("//", "%"))
            self.quotients[a, b] = q, r
            self.products |= not b.is_Integer
            x, d = self(a), self(b)
            above = [x == d * q + r, r >= 0, r <= d - 1]
            if self.is_positive(b):
                self.axioms += above
            else:
                below = [x == d * q + r, r <= 0, r >= d + 1]
                self.axioms += [
                    implied(d >= 1, both(above, self.context)),
                    implied(d <= -1, both(below, self.context)),
                ]
        return self.quotients[a, b]

    def is_positive(self, e: Expr) -> bool:
        """Whether an expression is at least 1 by its form, where those in `positive` are."""
        if e.is_Integer or e in self.positive:
            return e in self.positive or int(e) > 0
        if isinstance(e, (Add, Mul)):
            return all(map(self.is_positive, e.args))
        return isinstance(e, CeilDiv) and all(map(self.is_positive, e.args))

    def _bits(self, e: Expr, *args: Any) -> Any:
        """Operands of a known width bit by bit; else a function about which nothing is known.

        A symbol has its width only where it is in its range, which the term asks for.
        """
        from symlayout.expr.whole import both, choice, total
        from symlayout.text.solver import z3

        width = max(map(self.width, e.args)) if type(e) in BITS else WIDEST + 1
        bits: Any = None
        if width <= WIDEST:
            bits = total([self._bit(e, k, *args) for k in range(int(width))] or [self.number(0)])
            if not e.free_symbols & {x for a in e.args for x in _bare(a)}:
                return bits
        whole = z3.IntSort(self.context)
        function = z3.Function(f"{type(e).__name__}!", *[whole] * len(args), whole)
        self.opaque[e] = application = function(*args)
        if bits is None:
            return application
        inside = [c for a in args for c in (a >= 0, a < 2 ** int(width))]
        return choice(both(inside, self.context), bits, application)

    def width(self, e: Expr) -> float:
        """How many bits an operand has at most: a number, a remainder, a symbol, bits of such."""
        if isinstance(e, Integer):
            return int(e).bit_length() if e >= 0 else float("inf")
        if isinstance(e, Symbol):
            return self.widths.get(e.name, float("inf"))
        if isinstance(e, Mod) and e.args[1].is_Integer and e.args[1] > 0:
            return (int(e.args[1]) - 1).bit_length()
        if isinstance(e, FloorDiv) and e.args[1].is_Integer and e.args[1] > 0:
            return max(self.width(e.args[0]) - int(e.args[1]).bit_length() + 1, 0)
        if type(e) in BITS:
            return max(map(self.width, e.args))
        return float("inf")

    def _bit(self, e: Expr, k: int, a: Any, b: Any) -> Any:
        """Bit k of the result, times its weight."""
        from symlayout.expr.whole import both, choice, either

        x, y = ((v / 2**k) % 2 for v in (a, b))
        one, none = self.number(2**k), self.number(0)
        if isinstance(e, BitAnd):
            return choice(both((x == 1, y == 1), self.context), one, none)
        some = either((x == 1, y == 1), self.context) if isinstance(e, BitOr) else x != y
        return choice(some, one, none)


def _bare(e: Expr) -> list[Expr]:
    """The symbols whose own width an operand's width rests on."""
    if isinstance(e, Symbol):
        return [e]
    inside = type(e) in BITS or isinstance(e, FloorDiv)
    return [x for a in e.args for x in _bare(a)] if inside else []


def axioms(row: Operator, result: Any, args: Sequence[Any], context: Any) -> list[Any]:
    """The laws of an operator for these terms, where it has a value."""
    from symlayout.expr.whole import both, implied

    terms, results = Terms({"r": result, **dict(zip(arguments(row), args))}, context), list[Any]()
    for law in laws_of(row):
        before = [terms.relation(r) for r in (*demands_of(row), *law.premises)]
        then = terms.relation(law.conclusion)
        results.append(implied(both(before, context), then) if before else then)
    return results


def _division(e: Expr, a: Any, b: Any) -> Any:
    from symlayout.expr.whole import choice

    positive = e.args[1].is_Integer and e.args[1] > 0
    if positive and isinstance(e, Mod):
        return a % b

    def floor(x: Any, y: Any) -> Any:
        return x / y if positive else choice(y > 0, x / y, (-x) / (-y))

    if isinstance(e, (FloorDiv, Mod)):
        quotient = floor(a, b)
    elif isinstance(e, CeilDiv):
        quotient = -floor(-a, b)
    else:
        quotient = choice((a >= 0) == (b > 0), floor(a, b), -floor(-a, b))
    return a - b * quotient if isinstance(e, (Mod, TruncMod)) else quotient
