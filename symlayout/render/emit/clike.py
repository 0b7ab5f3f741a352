"""What languages with operators for integers share: divisions by what is known of their operands.

Where nothing is negative, a language's own division is the floor; by a power of two it is a shift and
a mask.  A mask is the remainder of negative numbers as well, in two's complement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symlayout.errors import LayoutError
from symlayout.expr.machine import Machine
from symlayout.expr.terms import (
    DIVISIONS,
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    Where,
    exponent_of,
)
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.render.emit.lines import ATOM, PRODUCT, SIGN, SUM, Text, by_row, share, write
from symlayout.render.emit.quotients import named_quotients, nested_quotients
from symlayout.render.emit.source import Bounds, Source, condition
from symlayout.render.emit.width import WIDE, width

INT64 = 2**63 - 1
SHARED = 22  # characters of a definition: what is shared has to pay for it


@dataclass(frozen=True)
class Language:
    """Words of a language.  `helpers` are definitions of functions, in which `{T}` is the type.

    `floors` says that `divide` rounds down whatever the signs, `shifts_down` that `>>` does.  What is
    shared pays for a definition of `shared` characters.
    """

    name: str
    reserved: Collection[str]
    helpers: Mapping[str, str] = field(default_factory=dict)
    divide: str = "/"
    floors: bool = False
    shifts_down: bool = True
    shared: int = SHARED
    where: str = "({p} < {q} ? {a} : {b})"
    least: str = "min_of({a}, {b})"
    greatest: str = "max_of({a}, {b})"
    toward_zero: str = "{a} / {b}"
    one: str = "1"  # in the type of the values, as what is shifted
    conditions: tuple[str, str, str] = ("&&", "||", "{} < {}")  # and, or, a comparison


class Writer:
    """Writes expressions, and notes which helpers they need."""

    def __init__(self, language: Language, bounds: Bounds, kind: Machine = WIDE) -> None:
        self.language, self.bounds, self.unsigned = language, bounds, not kind.signed
        self.one = language.one.format(
            bits=kind.bits, u="u" * self.unsigned, int="iu"[self.unsigned]
        )
        self.used: set[str] = set()
        self.quotients: Mapping[tuple[Expr, Expr], Symbol] = {}  # those that have names

    def code(self, e: Expr, names: Mapping[Symbol, str]) -> str:
        """The expression's code."""
        return write(e, names, self.call, factored=True).code

    def at_least(self, e: Expr, bound: int) -> bool:
        """Whether the value is known to be at least 0, or 1."""
        return (self.unsigned and bound == 0) or self.bounds.at_least(e, bound)

    def plain(self, a: Expr, b: Expr) -> bool:
        """Whether the language's own division rounds down: neither is negative."""
        return self.at_least(a, 0) and self.at_least(b, 0)

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
            p, q, yes, no = (visit(x).code for x in e.args)
            return self.template(words.where, p=p, q=q, a=yes, b=no)
        if isinstance(e, Exp2):
            return Text(f"({self.one} << {visit(e.args[0]).at(SIGN)})")
        if not isinstance(e, DIVISIONS):
            return by_row(e, words.name, visit)
        a, b = e.args
        plain = self.plain(a, b)
        if isinstance(e, Mod) and (a, b) in self.quotients:
            spent = visit(self.quotients[a, b] * b)
            return Text(f"{visit(a).at(SUM)} - {spent.at(PRODUCT)}", SUM)
        if isinstance(e, CeilDiv):
            return self.ceiling(a, b, plain, visit)
        quotient = isinstance(e, (FloorDiv, TruncDiv))
        if isinstance(e, (TruncDiv, TruncMod)) and not plain:
            return self.toward_zero(a, b, quotient, visit)
        bits = exponent_of(b)
        if isinstance(b, Exp2) and quotient and (plain or words.shifts_down):
            return Text(f"({visit(a).at(SIGN)} >> {visit(b.args[0]).at(SIGN)})")
        if isinstance(b, Exp2) and not quotient:
            return Text(f"({visit(a).at(SIGN)} & ({visit(b).code} - 1))")
        if bits and quotient and (plain or words.shifts_down):
            return Text(f"({visit(a).at(SIGN)} >> {bits})")
        if bits and not quotient:
            return Text(f"({visit(a).at(SIGN)} & {int(b) - 1})")
        if plain or words.floors:
            left, right = visit(a).at(PRODUCT), visit(b).at(ATOM)
            return Text(f"{left} {words.divide if quotient else '%'} {right}", PRODUCT)
        return self.helper("floor_div" if quotient else "floor_mod", visit(a).code, visit(b).code)

    def ceiling(self, a: Expr, b: Expr, plain: bool, visit: Callable[[Expr], Text]) -> Text:
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
        text = self.template(self.language.toward_zero, a=left.at(ATOM), b=right.at(ATOM))
        if quotient:
            return text
        return Text(f"({left.at(SUM)} - {right.at(ATOM)}*{text.at(ATOM)})")


class Body(NamedTuple):
    """A function's parts: what is said of it, then what it consists of, and its type."""

    comments: list[str]

    parameters: list[str]
    guard: str | None
    parts: list[tuple[str, str]]
    results: list[str]
    helpers: list[str]
    machine: Machine


def body(language: Language, s: Source, wide: str = "") -> Body:
    """The parts of the function, in the shortest type that is proved to hold a layout's values.

    `wide` is said where that has 64 bits.
    """
    check_numbers(s)
    names = s.names(language.reserved, *language.helpers)
    used = {*names.values(), *language.reserved, *language.helpers, s.name}
    bounds, rows, results = s.inside, list[tuple[Symbol, Expr]](), list(s.f._results)
    own = [symbol for symbol, _ in s.lets]
    for symbol, part in s.lets:
        rows.append((symbol, nested_quotients(part, bounds.positive)))
        bounds.define(symbol, part)
    results = [nested_quotients(e, bounds.positive) for e in results]
    formulas = [*[e for _, e in rows], *results]
    turned = [*_turned(formulas, bounds), *_turned(s.sides, s.before)] if language.floors else []
    kind, comment = width(s, *formulas, *turned)
    if s.shared:
        rows, results = share(rows, results, used, language.shared)
    writer = Writer(language, bounds, kind)
    for symbol, part in rows:
        bounds.define(symbol, part)
    branches = any(e.has(Where) for e in s.expressions)

    def is_shared(a: Expr, b: Expr) -> bool:
        safe = not branches or bounds.everywhere(FloorDiv(a, b))  # not before the branch it is of
        return safe and (language.floors or writer.plain(a, b))

    def code(e: Expr) -> str:
        return writer.code(e, names)

    guard = None
    if s.f._guard is not None:
        writer.bounds = s.before
        guard = condition(s.f._guard, code, *language.conditions).code
        writer.bounds = bounds
    rows, results, writer.quotients = named_quotients(rows, results, used, is_shared, own)
    parts = []
    for symbol, part in rows:
        names.setdefault(symbol, symbol.name)
        parts.append((names[symbol], code(part)))
        bounds.define(symbol, part)
    written = [code(e) for e in results]
    helpers = [text for word, text in language.helpers.items() if word in writer.used]
    comments = [line for line in (comment or wide, bounds.comment) if line]
    parameters = [names[p] for p in s.parameters]
    return Body(comments, parameters, guard, parts, written, helpers, kind)


def _turned(formulas: Sequence[Expr], bounds: Bounds) -> list[Expr]:
    """The dividends that are negated on the way to a ceiling: see `Writer.ceiling`."""
    ceilings = [d.args for e in formulas for d in e.atoms(CeilDiv)]
    return [-a for a, b in ceilings if not (bounds.knows(a, 1) and bounds.knows(b, 0))]


def check_numbers(s: Source) -> None:
    """Raises `LayoutError` (SL401) for a number in the source that int64_t does not hold."""
    for e in s.expressions:
        check_number(e)


def check_number(e: Expr) -> None:
    """Raises `LayoutError` (SL401) for a number in the expression that int64_t does not hold."""
    for number in e.atoms(Integer):
        if abs(int(number)) > INT64:
            raise LayoutError("SL401", f"the number {number} of the formula does not fit int64_t")
