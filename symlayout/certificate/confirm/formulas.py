"""Queries, the integers that they are about, and what their expressions need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from symlayout.expr.facts import Relation
from symlayout.expr.terms import Where, symbol
from symlayout.expr.tree import Expr, Mul
from symlayout.expr.whole import integer


class Query(NamedTuple):
    """The hypotheses imply the goal; Z3 looks for integers where it does not.

    `exact`: where it fails, the claim fails; else it is one way to show the claim.
    """

    name: str
    hypotheses: tuple[Any, ...]
    goal: Any
    exact: bool = True

    def as_hint(self) -> Query:
        """The same as one way among others."""
        return self._replace(exact=False)


Way = Sequence[Query]
Obligation = Sequence[Way]


class Variables(dict[str, Any]):
    """Z3's integers by name, in one context; each is made when it is first asked for."""

    def __init__(self, context: Any, suffix: str = "", shared: Mapping[str, Any] | None = None):
        super().__init__(shared or {})
        self.context, self.suffix = context, suffix

    def __missing__(self, name: str) -> Any:
        self[name] = integer(name + self.suffix, self.context)
        return self[name]


def named(context: Any, suffix: str = "") -> Callable[[str], Any]:
    """Integers for quotients and remainders, by names that no text of a claim has.

    The function refers to none that could refer to it: such a circle keeps a context alive.
    """
    numbers = dict[str, int]()

    def name(text: str) -> Any:
        number = numbers.setdefault(text, len(numbers))
        return integer(f"part!{number}{suffix}", context)

    return name


def least(r: Relation, name: str) -> int:
    """What a fact `name >= number` gives as the least value; 0 for any other fact."""
    alone = r.op == ">=" and r.left == symbol(name) and r.right.is_Integer
    return int(r.right) if alone else 0


def sides(relations: Sequence[Relation]) -> list[Expr]:
    return [e for r in relations for e in (r.left, r.right)]


def always(e: Expr) -> Iterator[Expr]:
    """The parts of an expression that are evaluated whatever its conditions are."""
    waiting = [e]
    while waiting:
        x = waiting.pop()
        yield x
        waiting += x.args[:2] if isinstance(x, Where) else x.args


def without_factor(e: Expr, factor: Expr) -> Expr | None:
    """The product without one of its factors; None for any other expression.

    >>> from symlayout.expr.reader import read_expression
    >>> print(without_factor(read_expression("2*M*N"), read_expression("N")))
    2*M
    """
    factors = list(e.args) if isinstance(e, Mul) else []
    if factor not in factors:
        return None
    factors.remove(factor)
    return Mul(*factors)


def fresh(name: str, reserved: set[str]) -> str:
    while name in reserved:
        name += "_"
    return name
