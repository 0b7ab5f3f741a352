"""What a context is made of: unknowns, symbols in digits, and the divisions of a proof."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from symlayout.digits.poly import Poly
from symlayout.text.patterns import regex


def in_brackets(name: str) -> str:
    """A name that can stand inside a product: in parentheses unless it is a word or a call."""
    plain = name.isidentifier() or name.isdigit() or _CALL.fullmatch(name)
    return name if plain else f"({name})"


_CALL = regex(r"\w+\([^()]*\)|\([^()]*\)|2\*\*(\w+|\([^()]*\))")


@dataclass
class Atom:
    """An integer unknown with its range `low <= x <= high` (None where there is no bound).

    `base` is the least of the values that a digit chain counts from (see `Root`).  `kind` is
    "size", "coord", "digit", "quotient", "extreme", "bits", "power", "operator" or "window".
    """

    name: str
    kind: str
    low: int | None
    high: Poly | None
    root: int | None = None
    definition: tuple[Any, ...] = ()
    looser: Poly | None = None  # another upper bound, for sums in which it cancels

    def copy(self) -> Atom:
        """The same atom once more, whose range may become another."""
        result = object.__new__(Atom)
        result.__dict__ |= self.__dict__
        return result


@dataclass
class Root:
    """A symbol x written in digits: `x == sum(weight * digit)`, lowest first.

    `exact` says that the digits range over a full box.
    """

    atom: int
    digits: list[int] = field(default_factory=list)
    weights: list[Poly] = field(default_factory=list)
    exact: bool = True


@dataclass
class Division:
    """One division step of a proof: `P = Q*D + R` and why `0 <= R < D`."""

    dividend: Poly
    divisor: Poly
    quotient: Poly
    remainder: Poly
    why: str
