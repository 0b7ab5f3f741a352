"""MLIR: a function in the dialects func and arith, each value computed once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from symlayout.expr.facts import Facts
from symlayout.expr.intermediates import factors_in_order
from symlayout.expr.operations import BITS, Where
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
    exponent_of,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.render.emit.bounds import least
from symlayout.render.emit.clike import check_numbers, lows
from symlayout.render.emit.factoring import Group, groups
from symlayout.render.emit.lines import not_code, parameters
from symlayout.render.emit.quotients import nested_quotients
from symlayout.render.emit.width import Width, width

BIT_WORDS = {"^": "xori", "|": "ori", "&": "andi"}


def emit(layout: Any, formula: Expr, name: str, facts: Facts) -> str:
    """`func.func @name(coordinates, sizes) -> i64`."""
    check_numbers(formula)
    symbols = parameters(layout, formula)
    low = lows(layout, symbols, facts)
    formula = nested_quotients(
        formula, lambda d: (bound := least(d, low)) is not None and bound >= 1
    )
    kind = width(layout, formula, facts)
    given = {s: f"%{re.sub('[^A-Za-z0-9_]', '_', s.name)}" for s in symbols}
    given = {
        s: n if list(given.values()).count(n) == 1 else f"%a{k}"
        for k, (s, n) in enumerate(given.items())
    }
    made = _Values(given, low, kind)
    made.quotients = formula.atoms(FloorDiv)
    result = made.of(formula)
    arguments = ", ".join(f"{n}: {made.type}" for n in given.values())
    lines = [f"// {kind.comment}"] if kind.comment else []
    lines.append(f"func.func @{name}({arguments}) -> {made.type} {{")
    numbers = [f"  {n} = arith.constant {k} : {made.type}" for k, n in made.numbers.items()]
    return (
        "\n".join([*lines, *numbers, *made.lines, f"  return {result} : {made.type}", "}"]) + "\n"
    )


class _Values:
    """Operations in order; equal ones are one."""

    def __init__(self, given: Mapping[Symbol, str], low: Mapping[Symbol, int], kind: Width) -> None:
        self.given, self.low, self.kind = given, low, kind
        self.type = f"i{kind.machine.bits}"
        self.lines: list[str] = []
        self.numbers: dict[int, str] = {}
        self.known: dict[Expr, str] = {}
        self.done: dict[tuple[str, ...], str] = {}
        self.quotients: Collection[Expr] = ()  # whose remainders need no division of their own

    def number(self, value: int) -> str:
        """A constant."""
        sign = "m" if value < 0 else ""
        if value >= 2 ** (self.kind.machine.bits - 1):
            value -= 2**self.kind.machine.bits  # as MLIR writes it, without a sign bit of its own
        name = f"%c{sign}{abs(value)}"
        while name in self.given.values():
            name += "_"
        return self.numbers.setdefault(value, name)

    def op(self, word: str, *operands: str) -> str:
        """An operation of one result."""
        key = (word, *operands)
        if key not in self.done:
            self.done[key] = f"%{len(self.done)}"
            text = f"arith.{word} {', '.join(operands)} : {self.type}"
            self.lines.append(f"  {self.done[key]} = {text}")
        return self.done[key]

    def plain(self, a: Expr, b: Expr) -> bool:
        """Whether the dividend is not negative and the divisor positive."""
        if self.kind.unsigned:
            return True
        low, over = least(a, self.low), least(b, self.low)
        return low is not None and low >= 0 and over is not None and over >= 1

    def of(self, e: Expr) -> str:
        """The name of an expression's value."""
        if e not in self.known:
            self.known[e] = self.build(e)
        return self.known[e]

    def build(self, e: Expr) -> str:
        if isinstance(e, Symbol):
            return self.given[e]
        if isinstance(e, Integer):
            return self.number(int(e))
        if isinstance(e, Add):
            return self.total(e)
        if isinstance(e, Mul):
            return self.joined("muli", map(self.of, factors_in_order(e)))
        if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0:
            return self.joined("muli", [self.of(e.base)] * int(e.exp))
        if type(e) in BITS:
            return self.joined(BIT_WORDS[BITS[type(e)]], map(self.of, e.args))
        if isinstance(e, (Min, Max)):
            sign = "u" if self.kind.unsigned else "s"
            return self.joined(
                f"{'min' if isinstance(e, Min) else 'max'}{sign}i", map(self.of, e.args)
            )
        if isinstance(e, Where):
            return self.choice(e)
        if isinstance(e, Exp2):
            return self.op("shli", self.number(1), self.of(e.args[0]))
        if not isinstance(e, DIVISIONS):
            raise not_code(e, "MLIR")
        return self.division(e, *e.args)

    def joined(self, word: str, values: Iterable[str]) -> str:
        return reduce(lambda a, b: self.op(word, a, b), values)

    def total(self, e: Expr) -> str:
        return self.terms(groups(e))

    def terms(self, items: Sequence[Group | Expr]) -> str:
        text = ""
        for term in items:
            if isinstance(term, Group):
                part = self.op("muli", self.of(term.factor), self.terms(term.items))
                text = self.op("addi", text, part) if text else part
                continue
            minus = bool(text) and term.could_extract_minus_sign()
            part = self.of(-term if minus else term)
            text = self.op("subi" if minus else "addi", text, part) if text else part
        return text

    def choice(self, e: Expr) -> str:
        """`select`, which takes a value of either branch: both are computed, so both must have one."""
        for division in {d for branch in e.args[2:] for d in branch.atoms(*DIVISIONS)}:
            low = least(division.args[1], self.low)
            if low is None or low < 1:
                raise not_code(e, "MLIR without branches")
        p, q, a, b = map(self.of, e.args)
        word = "ult" if self.kind.unsigned else "slt"
        flag, chosen = f"%{len(self.done)}", f"%{len(self.done) + 1}"
        self.done |= {("flag", flag): flag, ("chosen", chosen): chosen}
        self.lines.append(f"  {flag} = arith.cmpi {word}, {p}, {q} : {self.type}")
        self.lines.append(f"  {chosen} = arith.select {flag}, {a}, {b} : {self.type}")
        return chosen

    def division(self, e: Expr, a: Expr, b: Expr) -> str:
        """Unsigned operations where nothing is negative; `divsi` and `remsi` round towards zero."""
        plain, bits = self.plain(a, b), exponent_of(b)
        if isinstance(e, CeilDiv):
            low = least(a, self.low)
            if plain and low is not None and low >= 1:
                return self.op("addi", self.of(FloorDiv(a - 1, b)), self.number(1))
            return self.op("ceildivui" if plain else "ceildivsi", self.of(a), self.of(b))
        left = self.of(a)
        if isinstance(e, (TruncDiv, TruncMod)) and not plain:
            return self.op("divsi" if isinstance(e, TruncDiv) else "remsi", left, self.of(b))
        if isinstance(e, (FloorDiv, TruncDiv)):
            if bits:
                return self.op("shrui" if plain else "shrsi", left, self.number(bits))
            return self.op("divui" if plain else "floordivsi", left, self.of(b))
        if bits:
            return self.op("andi", left, self.number(int(b) - 1))
        if plain and FloorDiv(a, b) not in self.quotients:
            return self.op("remui", left, self.of(b))
        assert isinstance(e, Mod)
        return self.op("subi", left, self.op("muli", self.of(FloorDiv(a, b)), self.of(b)))
