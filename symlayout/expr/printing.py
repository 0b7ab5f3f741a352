"""Expressions as text, their terms and factors in SymPy's order: highest powers first, by name.

The order is that of SymPy's printers, so that a formula reads the same on both sides of the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

# how tightly each kind binds, in SymPy's numbers
PRECEDENCE = {"Add": 40, "Mul": 50, "Pow": 60, "Func": 70, "Atom": 1000}
SUM, PRODUCT, POWER, ATOM = (PRECEDENCE[k] for k in ("Add", "Mul", "Pow", "Atom"))
NUMBER_CLASS = (1, 0, "Number")
ONE_KEY: Any = (NUMBER_CLASS, (0, ()), (), 1)

Key = tuple[Any, ...]


@lru_cache(maxsize=8192)  # a key has those of all parts in it
def sort_key(e: Any) -> Key:
    """The key that orders factors, and what stands in sums: numbers, symbols, powers, calls."""
    if e.is_Integer:
        return (NUMBER_CLASS, (0, ()), (), e.p)
    number, rest = (1, e) if not e.is_Mul else _split(e)
    exponent = ONE_KEY
    if rest.is_Pow:
        rest, power = rest.args
        exponent = (NUMBER_CLASS, (0, ()), (), power.p)
    if rest.is_Symbol:
        inside: tuple[Any, ...] = (rest.printed_name,)
    else:
        parts = rest.args
        if rest.is_Add:
            parts = ordered_terms(rest)
        elif rest.is_Mul:
            parts = ordered_factors(rest)
        inside = tuple(map(sort_key, parts))
    return (rest.class_key, (len(inside), inside), exponent, number)


def _split(e: Any) -> tuple[int, Any]:
    """A product's number and what it multiplies."""
    number, rest = e.as_coeff_Mul()
    return number.p, rest


def ordered_factors(e: Any) -> Sequence[Any]:
    """The factors of a product, a number first."""
    return sorted(e.args, key=sort_key) if e.is_Mul else (e,)


def ordered_terms(e: Any) -> Sequence[Any]:
    """The terms of a sum: by the powers of its factors, the first name's first.

    `1 - x` keeps its number in front, so that the text does not begin with a sign.
    """
    if not e.is_Add:
        return (e,)
    args = e.args
    if len(args) == 2 and args[0].is_Integer and args[0].p > 0 and args[1].is_Mul:
        factors = args[1].args
        if len(factors) == 2 and factors[0].is_Integer and factors[0].p < 0:
            return args  # type: ignore[no-any-return]
    powers = [_powers(term) for term in args]
    factors = sorted(set().union(*powers), key=sort_key)
    if not factors:
        return args  # type: ignore[no-any-return]
    keys = [tuple([-exponents.get(f, 0) for f in factors]) for exponents in powers]
    return [args[k] for k in sorted(range(len(args)), key=keys.__getitem__)]


def _powers(term: Any) -> dict[Any, int]:
    """The factors of a term with their exponents; a number is none."""
    exponents: dict[Any, int] = {}
    for f in term.args if term.is_Mul else (term,):
        if f.is_Pow:
            exponents[f.args[0]] = f.args[1].p
        elif not f.is_Integer:
            exponents[f] = 1
    return exponents


def precedence(e: Any) -> int:
    """How tightly the text of the expression binds."""
    if e.is_Symbol:
        return ATOM
    if e.is_Integer:
        return SUM if e.p < 0 else ATOM
    if e.is_Add:
        return SUM
    if e.is_Mul:
        if any(a.is_Function and a.precedence < PRODUCT for a in e.args):
            return PRODUCT
        return SUM if e.could_extract_minus_sign() else PRODUCT
    if e.is_Pow:
        return POWER
    return e.precedence  # type: ignore[no-any-return]


class Printer:
    """The text of expressions; a notation of its own overrides `_print` for some of them."""

    def doprint(self, e: Any) -> str:
        """The text of an expression or of a number."""
        return self._print(e)

    def parenthesize(self, e: Any, level: int, strict: bool = False) -> str:
        """The text, in parentheses where it binds less tightly than the level."""
        own = precedence(e)
        text = self._print(e)
        return f"({text})" if own < level or (own <= level and not strict) else text

    def _print(self, e: Any) -> str:
        if isinstance(e, int):
            return str(e)
        if e.is_Symbol:
            return e.text  # type: ignore[no-any-return]
        if e.is_Integer:
            return str(e.p)
        if e.is_Add:
            return self._sum(e)
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            base, power = e.args
            return f"{self.parenthesize(base, POWER)}**{self.parenthesize(power, POWER)}"
        return e._sympystr(self)  # type: ignore[no-any-return]

    def _sum(self, e: Any) -> str:
        whole = ""
        for term in ordered_terms(e):
            text = self._print(term)
            minus = text.startswith("-") and not term.is_Add
            text = text[1:] if minus else text
            text = f"({text})" if term.is_Add or precedence(term) < SUM else text
            if whole:
                whole += f" - {text}" if minus else f" + {text}"
            else:
                whole = f"-{text}" if minus else text
        return whole

    def _product(self, e: Any) -> str:
        level, sign = precedence(e), ""
        number, rest = e.as_coeff_Mul()
        if number.p < 0:
            sign = "-"
            e = rest if number.p == -1 else e.func.apart(-number.p, rest)
        return sign + "*".join([self.parenthesize(f, level) for f in ordered_factors(e)])


class _Plain(Printer):
    """The text that an expression has for people, kept with it."""

    def _print(self, e: Any) -> str:
        if isinstance(e, int):
            return str(e)
        if e.text is None:
            e.text = super()._print(e)
        return e.text  # type: ignore[no-any-return]


PLAIN = _Plain()
