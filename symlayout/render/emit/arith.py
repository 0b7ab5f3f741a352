"""MLIR: a function in the dialects func and arith, each value computed once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from symlayout.expr.conditions import Both, Condition, Less
from symlayout.expr.intermediates import factors_in_order
from symlayout.expr.machine import Machine
from symlayout.expr.terms import (
    DIVISIONS,
    Application,
    CeilDiv,
    Exp2,
    FloorDiv,
    Mod,
    TruncDiv,
    TruncMod,
    Where,
    exponent_of,
)
from symlayout.expr.tree import Add, Expr, Integer, Mul, Pow, Symbol
from symlayout.render.emit.clike import check_numbers
from symlayout.render.emit.factoring import Group, groups
from symlayout.render.emit.lines import not_code
from symlayout.render.emit.quotients import nested_quotients
from symlayout.render.emit.source import Bounds, Source
from symlayout.render.emit.width import width
from symlayout.text.names import unused


def emit(s: Source) -> str:
    """`func.func @name(variables, sizes) -> i64`; before the results, an i1 where there is a guard."""
    check_numbers(s)
    whole = replace(s, f=replace(s.f, _lets=(), _results=s.f._outputs))
    bounds = whole.inside
    results = [nested_quotients(e, bounds.positive) for e in whole.f._results]
    kind, comment = width(whole, *results)
    names = {p: f"%{re.sub('[^A-Za-z0-9_]', '_', p.name)}" for p in s.parameters}
    names = {
        p: n if list(names.values()).count(n) == 1 else f"%a{k}"
        for k, (p, n) in enumerate(names.items())
    }
    writer = _Values(names, bounds, kind)
    writer.quotients = {q for e in results for q in e.atoms(FloorDiv)}
    values, types = list[str](), [writer.type] * len(results)
    if s.f._guard is not None:
        writer.bounds = whole.before
        writer.without_branches([*s.sides, *results])
        values.append(writer.flag(s.f._guard))
        writer.bounds = bounds
        types.insert(0, "i1")
    values += map(writer.of, results)
    arguments = ", ".join(f"{n}: {writer.type}" for n in names.values())
    returned = f"({', '.join(types)})" if len(types) > 1 else types[0]
    lines = [f"// {line}" for line in (comment, bounds.comment) if line]
    lines.append(f"func.func @{s.name}({arguments}) -> {returned} {{")
    lines += [f"  {n} = arith.constant {k} : {writer.type}" for k, n in writer.numbers.items()]
    end = f"  return {', '.join(values)} : {', '.join(types)}"
    return "\n".join([*lines, *writer.lines, end, "}"]) + "\n"


class _Values:
    """Operations in order; equal ones are one."""

    def __init__(self, names: Mapping[Symbol, str], bounds: Bounds, kind: Machine) -> None:
        self.parameters, self.bounds, self.kind = names, bounds, kind
        self.type = f"i{kind.bits}"
        self.lines: list[str] = []
        self.numbers: dict[int, str] = {}
        self.known: dict[Expr, str] = {}
        self.done: dict[tuple[str, ...], str] = {}
        self.quotients: Collection[Expr] = ()  # whose remainders need no division of their own

    def number(self, value: int) -> str:
        """A constant."""
        sign = "m" if value < 0 else ""
        if value >= 2 ** (self.kind.bits - 1):
            value -= 2**self.kind.bits  # as MLIR writes it, without a sign bit of its own
        name = unused(f"%c{sign}{abs(value)}", self.parameters.values())
        return self.numbers.setdefault(value, name)

    def op(self, word: str, *operands: str, kind: str = "") -> str:
        """An operation of one result."""
        key = (word, *operands)
        if key not in self.done:
            self.done[key] = f"%{len(self.done)}"
            dialect = "" if "." in word else "arith."
            text = f"{dialect}{word} {', '.join(operands)} : {kind or self.type}"
            self.lines.append(f"  {self.done[key]} = {text}")
        return self.done[key]

    def flag(self, g: Condition) -> str:
        """A condition as an i1, all of it computed."""
        if isinstance(g, Less):
            return self.op(f"cmpi {'us'[self.kind.signed]}lt,", self.of(g.left), self.of(g.right))
        word = "andi" if isinstance(g, Both) else "ori"
        return self.op(word, self.flag(g.first), self.flag(g.second), kind="i1")

    def without_branches(self, expressions: Iterable[Expr]) -> None:
        """Raises `LayoutError` (SL203) for a division that is not to be done everywhere."""
        for e in expressions:
            if not self.bounds.divides(e):  # a shift that nobody takes may have any value
                raise not_code(e, "MLIR without branches")

    def plain(self, a: Expr, b: Expr) -> bool:
        """Whether neither is negative."""
        if not self.kind.signed:
            return True
        return all(self.bounds.at_least(e, 0) for e in (a, b))

    def of(self, e: Expr) -> str:
        """The name of an expression's value."""
        if e not in self.known:
            self.known[e] = self.build(e)
        return self.known[e]

    def build(self, e: Expr) -> str:
        if isinstance(e, Symbol):
            return self.parameters[e]
        if isinstance(e, Integer):
            return self.number(int(e))
        if isinstance(e, Add):
            return self.total(e)
        if isinstance(e, Mul):
            return self.fold("muli", map(self.of, factors_in_order(e)))
        if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0:
            return self.fold("muli", [self.of(e.base)] * int(e.exp))
        if isinstance(e, Application) and (word := e.row.code.get("MLIR")):
            word, args = word.format(s="us"[self.kind.signed]), [*map(self.of, e.args)]
            return self.fold(word, args) if len(args) > 1 else self.op(word, *args)
        if isinstance(e, Where):
            return self.choice(e)
        if isinstance(e, Exp2):
            return self.op("shli", self.number(1), self.of(e.args[0]))
        if not isinstance(e, DIVISIONS):
            raise not_code(e, "MLIR")
        return self.division(e, *e.args)

    def fold(self, word: str, values: Iterable[str]) -> str:
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
        p, q, a, b = e.args
        self.without_branches([a, b])
        flag = self.flag(Less(p, q))
        return self.op("select", flag, self.of(a), self.of(b))

    def division(self, e: Expr, a: Expr, b: Expr) -> str:
        """Unsigned operations where nothing is negative; `divsi` and `remsi` round towards zero."""
        plain, bits = self.plain(a, b), exponent_of(b)
        if isinstance(e, CeilDiv):
            if plain and self.bounds.positive(a):
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
