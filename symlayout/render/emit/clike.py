"""What languages with operators for integers share: divisions by what is known of their operands.

Where nothing is negative, a language's own division is the floor; by a power of two it is a shift and
a mask.  A mask is the remainder of negative numbers as well, in two's complement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sympy import Expr, Integer, Symbol

from symlayout.errors import LayoutError
from symlayout.expr.facts import Facts
from symlayout.expr.operations import Where
from symlayout.expr.terms import (
    DIVISIONS,
    CeilDiv,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
)
from symlayout.render.emit.bounds import least
from symlayout.render.emit.lines import (
    ATOM,
    PRODUCT,
    SIGN,
    SUM,
    Text,
    not_code,
    parameters,
    safe_names,
    share,
    write,
)
from symlayout.render.emit.width import WIDE, Width, width

INT64 = 2**63 - 1
SHARED = 22  # characters of a definition: what is shared has to pay for it


@dataclass(frozen=True)
class Language:
    """Words of a language.  `helpers` are definitions of functions, in which `{T}` is the type.

    `floors` says that `divide` rounds down whatever the signs, `shifts_down` that `>>` does.  With
    `remainders` false, a remainder comes from the quotient where both are wanted.
    """

    name: str
    reserved: Collection[str]
    helpers: Mapping[str, str] = field(default_factory=dict)
    divide: str = "/"
    floors: bool = False
    shifts_down: bool = True
    remainders: bool = True
    where: str = "({p} < {q} ? {a} : {b})"
    least: str = "min_of({a}, {b})"
    greatest: str = "max_of({a}, {b})"
    toward_zero: str = "{a} / {b}"


class Writer:
    """Writes expressions, and notes which helpers they need."""

    def __init__(
        self, language: Language, low: Mapping[Symbol, int], unsigned: bool = False
    ) -> None:
        self.language, self.low, self.unsigned = language, low, unsigned
        self.used: set[str] = set()

    def code(self, e: Expr, names: Mapping[Symbol, str]) -> str:
        """The expression's code."""
        return write(e, names, self.call, factored=True).code

    def at_least(self, e: Expr, bound: int) -> bool:
        """Whether the value is known to be at least 0, or 1."""
        low = least(e, self.low)
        return (low is not None and low >= bound) or (self.unsigned and bound == 0)

    def helper(self, name: str, *arguments: str) -> Text:
        """A call of a helper, which is then defined."""
        self.used.add(name)
        return Text(f"{name}({', '.join(arguments)})")

    def template(self, template: str, **words: str) -> Text:
        """Such a text; helpers in it are used."""
        self.used |= {h for h in self.language.helpers if f"{h}(" in template}
        return Text(template.format(**words))

    def call(self, e: Expr, visit: Callable[[Expr], Text]) -> Text:
        """Divisions, extremes and conditionals."""
        words = self.language
        if isinstance(e, (Min, Max)):
            template = words.least if isinstance(e, Min) else words.greatest
            first, *rest = (visit(a).code for a in e.args)
            text = Text(first)
            for other in rest:
                text = self.template(template, a=text.code, b=other)
            return text
        if isinstance(e, Where):
            p, q, a, b = (visit(x).code for x in e.args)
            return self.template(words.where, p=p, q=q, a=a, b=b)
        if not isinstance(e, DIVISIONS):
            raise not_code(e, words.name)
        a, b = e.args
        plain = self.at_least(a, 0) and (self.unsigned or self.at_least(b, 1))
        if isinstance(e, CeilDiv):
            return self.rounded_up(a, b, plain, visit)
        quotient = isinstance(e, (FloorDiv, TruncDiv))
        if isinstance(e, (TruncDiv, TruncMod)) and not plain:
            return self.toward_zero(a, b, quotient, visit)
        bits = power_of_two(b)
        if bits and quotient and (plain or words.shifts_down):
            return Text(f"({visit(a).at(SIGN)} >> {bits})")
        if bits and not quotient:
            return Text(f"({visit(a).at(SIGN)} & {int(b) - 1})")
        if plain or words.floors:
            left, right = visit(a).at(PRODUCT), visit(b).at(ATOM)
            return Text(f"{left} {words.divide if quotient else '%'} {right}", PRODUCT)
        return self.helper("floor_div" if quotient else "floor_mod", visit(a).code, visit(b).code)

    def rounded_up(self, a: Expr, b: Expr, plain: bool, visit: Callable[[Expr], Text]) -> Text:
        """From 1 on, ceil(a/b) is floor((a - 1)/b) + 1, which cannot overflow as a + b - 1 can."""
        if plain and self.at_least(a, 1):
            less = visit(FloorDiv(a - 1, b))
            return Text(f"{less.at(SUM)} + 1", SUM)
        if self.language.floors:
            # ceil(a/b) = -floor(-a/b)
            return Text(f"-({visit(FloorDiv(-a, b)).code})", SIGN)
        return self.helper("ceil_div", visit(a).code, visit(b).code)

    def toward_zero(self, a: Expr, b: Expr, quotient: bool, visit: Callable[[Expr], Text]) -> Text:
        """What C's own operators do; elsewhere by a template for the quotient."""
        left, right = visit(a), visit(b)
        if not self.language.floors:
            sign = self.language.divide if quotient else "%"
            return Text(f"{left.at(PRODUCT)} {sign} {right.at(ATOM)}", PRODUCT)
        made = self.template(self.language.toward_zero, a=left.at(ATOM), b=right.at(ATOM))
        if quotient:
            return made
        return Text(f"({left.at(SUM)} - {right.at(ATOM)}*{made.at(ATOM)})")


def power_of_two(e: Expr) -> int:
    """The exponent of a number 2, 4, 8, ...; 0 for all else.

    >>> power_of_two(Integer(8)), power_of_two(Integer(1)), power_of_two(Symbol("N"))
    (3, 0, 0)
    """
    if not isinstance(e, Integer) or e < 2 or int(e) & (int(e) - 1):
        return 0
    return int(e).bit_length() - 1


class Body(NamedTuple):
    """A function's parts: its parameters, definitions, result and helpers, and its type."""

    parameters: list[str]
    parts: list[tuple[str, str]]
    result: str
    helpers: list[str]
    width: Width


def body(
    language: Language, layout: Any, formula: Expr, name: str, facts: Facts, typed: bool = True
) -> Body:
    """The parts of a function that returns the formula's value.

    `typed` asks for the shortest type that holds all values; without it they are of 64 bits.
    """
    check_numbers(formula)
    symbols = parameters(layout, formula)
    names = safe_names(symbols, language.reserved, (name, *language.helpers))
    used = {*names.values(), *language.reserved, *language.helpers, name}
    kind = width(layout, formula, facts) if typed else Width(WIDE, "")
    if not language.remainders:
        formula = by_quotients(formula)
    parts, rest = share(formula, used, SHARED if language.remainders else -SHARED)
    writer = Writer(language, lows(layout, symbols, facts), kind.unsigned)
    low = dict(writer.low)
    writer.low = low
    made = []
    for symbol, part in parts:
        names[symbol] = symbol.name
        made.append((symbol.name, writer.code(part, names)))
        bound = least(part, low)
        if bound is not None:
            low[symbol] = bound
    result = writer.code(rest, names)
    helpers = [text for word, text in language.helpers.items() if word in writer.used]
    return Body([names[s] for s in symbols], made, result, helpers, kind)


def lows(layout: Any, symbols: Collection[Symbol], facts: Facts) -> dict[Symbol, int]:
    """The least value of each parameter: 0 of a coordinate, what the facts say of a size."""
    coords = set(layout.coords)
    known = facts.with_least(*symbols)
    return {s: 0 if s in coords else known.domain(s.name).first for s in symbols}


def by_quotients(e: Expr) -> Expr:
    """The expression with `a % b` written as `a - b*(a//b)` where `a//b` occurs as well.

    >>> i = Symbol("i")
    >>> by_quotients(FloorDiv(i, 5) + Mod(i, 5)), by_quotients(FloorDiv(i, 8) + Mod(i, 8))
    (i - 4*(i//5), i//8 + i%8)
    """
    quotients, made = e.atoms(FloorDiv), dict[Expr, Expr]()

    def visit(x: Expr) -> Expr:
        if x.args and x not in made:
            made[x] = x.func(*map(visit, x.args))
            if isinstance(x, Mod) and FloorDiv(*x.args) in quotients:
                a, b = made[x].args if isinstance(made[x], Mod) else x.args
                if not power_of_two(b):
                    made[x] = a - b * FloorDiv(a, b)
        return made.get(x, x)

    return visit(e)


def check_numbers(e: Expr) -> None:
    """Raises `LayoutError` (SL401) for a number in the formula that int64_t does not hold."""
    for number in e.atoms(Integer):
        if abs(int(number)) > INT64:
            raise LayoutError("SL401", f"the number {number} of the formula does not fit int64_t")
