"""What `fits` says of a map, by definition: each value that its text computes lies in C's type of it.

The tree of the text is walked once more, with types of the checker's own: numbers, sizes and
coordinates are int unless they are cast or declared, an operation has the wider of its operands'
types (of one width the unsigned one), and operands are converted to it.  What has to hold where a
value is computed becomes a root of a script, with the conditions on the way for its guard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symlayout.certificate.cases import Case, bits_of_number, contrary, divisors, put_all
from symlayout.certificate.exact import LONGEST_COEFFICIENT
from symlayout.certificate.functions import Function, of_map, with_sums
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Either, Less
from symlayout.expr.facts import Relation
from symlayout.expr.operations import BitAnd, BitOr, BitXor, Where
from symlayout.expr.terms import (
    CeilDiv,
    Exp2,
    FloorDiv,
    Max,
    Min,
    Mod,
    TruncDiv,
    TruncMod,
    put,
    symbol,
)
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import parse

TYPES = {"int32": (32, True), "uint32": (32, False), "int64": (64, True), "uint64": (64, False)}
TYPES["size_t"] = TYPES["uint64"]
DIVISIONS = {"//": FloorDiv, "%": Mod, "c/": TruncDiv, "c%": TruncMod, "ceildiv": CeilDiv}
QUOTIENTS = {"//": FloorDiv, "%": FloorDiv, "c/": TruncDiv, "c%": TruncDiv, "ceildiv": CeilDiv}
CLOSED = {"&": BitAnd, "|": BitOr, "^": BitXor, "min": Min, "max": Max}
COMPARED = ("<", ">", "<=", ">=", "==", "!=")
CHAINS = frozenset(["+", "-", "*", "&", "|", "^", "<<", ">>", *DIVISIONS])
DECLARED = re.compile(r"([A-Za-z_]\w*)=(\w+)")


class Kind(NamedTuple):
    """An integer type."""

    bits: int
    signed: bool

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the greatest value."""
        half = 2 ** (self.bits - 1)
        return (-half, half - 1) if self.signed else (0, 2 * half - 1)

    def holds_all(self, other: Kind) -> bool:
        """Whether each value of the other is one of this."""
        (a, b), (c, d) = self.ends, other.ends
        return a <= c and d <= b


INT = Kind(32, True)
Demands = list[tuple[Case, ...]]  # of each: the ways in which it may be shown


def declarations(text: str | None) -> dict[str, Kind]:
    """The types of names, from `n=int64,m=size_t`; raises `LayoutError` for anything else."""
    table: dict[str, Kind] = {}
    for part in text.split(",") if text else ():
        match = DECLARED.fullmatch(part.strip())
        if match is None or match[2] not in TYPES:
            raise LayoutError("SL502", f"{part!r} declares no type")
        table[match[1]] = Kind(*TYPES[match[2]])
    return table


def number(word: str) -> tuple[int, Kind]:
    """A literal's value, and the first type of C that holds it; raises `LayoutError` for none."""
    digits = word.lower().rstrip("ul")
    suffix, hexadecimal = word.lower()[len(digits) :], digits.startswith("0x")
    value = int(digits, 16 if hexadecimal else 10)
    for bits in (64,) if "l" in suffix else (32, 64):
        signs = [False] if "u" in suffix else [True, False] if hexadecimal else [True]
        for signed in signs:
            kind = Kind(bits, signed)
            if value <= kind.ends[1]:
                return value, kind
    raise LayoutError("SL204", f"{word} is in no integer type of C")


@dataclass
class Reading:
    """What is computed, in its order; `duties` has the ways in which each demand may be shown."""

    f: Function
    bits: int | None
    wraps: bool
    types: Mapping[str, Kind]
    duties: list[tuple[Case, ...]] = field(default_factory=list)
    values: dict[str, tuple[Expr, Kind]] = field(default_factory=dict)  # of definitions
    kinds: dict[Any, Kind] = field(default_factory=dict)

    def whole(self, text: str) -> list[tuple[Case, ...]]:
        """Everything that is asked; raises `LayoutError` for what has no meaning."""
        result: Any = parse(text)
        tree = written_map(result)
        path: tuple[Condition, ...] = ()
        if tree.guard is not None:
            path = (self.condition(tree.guard, ()),)
        for name, e in tree.lets:
            self.values[name] = self.value(e, path), self.kind(e)
        for e in tree.results:
            self.value(e, path)
        return self.duties

    # -- types ------------------------------------------------------------------------------------

    def kind(self, tree: Any) -> Kind:
        """The type of a tree, operands before what is made of them."""
        for node in tree.steps():
            if node not in self.kinds:
                self.kinds[node] = self.kind_of(node)
        return self.kinds[tree]

    def kind_of(self, node: Any) -> Kind:
        if self.bits is not None:
            return Kind(self.bits, True)
        match node.op:
            case "number":
                return number(node.word)[1]
            case "name":
                known = self.values.get(node.word)
                return known[1] if known else self.types.get(node.word, INT)
            case "cast":
                if node.word not in TYPES:
                    raise LayoutError("SL502", f"{node.word} is no integer type")
                return Kind(*TYPES[node.word])
        return self.common(node)

    def common(self, node: Any) -> Kind:
        """What the operands of a node are converted to; a count of bits to shift by is not."""
        if self.bits is not None:
            return Kind(self.bits, True)
        parts = node.args[1:] if node.op == "if" else node.args
        parts = parts[:1] if node.op in ("<<", ">>", "**") else parts
        kinds = [self.kinds.get(p, INT) for p in parts]
        return max(kinds, key=lambda k: (k.bits, not k.signed))

    # -- demands ----------------------------------------------------------------------------------

    def ask(self, path: tuple[Condition, ...], *ways: tuple[str, tuple[Expr, ...]]) -> None:
        """A demand at each point where all of the path is true; one of the ways suffices."""
        own, cases = self.f.own, list[Case]()
        for op, texts in ways:
            results = tuple(bits_of_number(put(e, own)) for e in texts)
            guard = tuple(with_sums(put_all(c, own)) for c in path)
            marks = divisors(*results)
            cases.append(Case(self.f.box, results, marks, guard, ops=(op,) * len(results)))
        self.duties.append(tuple(cases))

    def fit(self, e: Expr, kind: Kind, path: tuple[Condition, ...]) -> Expr:
        """The value, which lies in its type, or wraps where that is allowed."""
        low, high = kind.ends
        if self.wraps and not kind.signed:
            return Mod(e, Integer(2**kind.bits))
        if not (e.is_Integer and low <= e <= high):
            self.ask(path, (">=", (e - low, high - e)))
        return e

    # -- values -----------------------------------------------------------------------------------

    def conversion(self, node: Any, path: tuple[Condition, ...], to: Kind) -> Expr:
        """An operand in the type of its operation."""
        e = self.value(node, path)
        return e if to.holds_all(self.kind(node)) else self.fit(e, to, path)

    def value(self, tree: Any, path: tuple[Condition, ...]) -> Expr:
        """What a tree comes to; the first operands of a chain one after the other."""
        self.kind(tree)
        chain = [tree]
        while chain[-1].op in CHAINS:
            chain.append(chain[-1].args[0])
        node = chain.pop()
        result, own = self.single(node, path), self.kind(node)
        for node in reversed(chain):
            to = self.common(node)
            result = result if to.holds_all(own) else self.fit(result, to, path)
            result, own = self.operation(node, result, to, path), self.kind(node)
        return result

    def single(self, node: Any, path: tuple[Condition, ...]) -> Expr:
        """What is no operation of a chain."""
        kind = self.kind(node)
        match node.op:
            case "number":
                return self.fit(Integer(number(node.word)[0]), kind, path)
            case "name":
                known = self.values.get(node.word)
                return known[0] if known else self.fit(symbol(node.word), kind, path)
            case "cast" if node.args[0].op == "name" and node.args[0].word not in self.values:
                return self.fit(symbol(node.args[0].word), kind, path)  # it is read in that type
            case "cast":
                return self.conversion(node.args[0], path, kind)
            case "neg":
                return self.fit(-self.value(node.args[0], path), kind, path)
            case "~":
                return self.fit(-self.value(node.args[0], path) - 1, kind, path)
            case "abs":
                e = self.value(node.args[0], path)
                return self.fit(Max(e, -e), kind, path)
            case "**":
                e, power = (self.value(a, path) for a in node.args)
                if power.is_Integer and power >= 0:
                    return self.fit(e ** int(power), kind, path)
                if power.is_Integer or e != 2:
                    raise LayoutError("SL200", f"the power {power} is no number")
                self.ask(path, (">=", (power, LONGEST_COEFFICIENT - power)))
                return self.fit(Exp2(power), kind, path)
            case "if":
                return self.choice(node, kind, path)
            case _ if node.op in CLOSED:
                return CLOSED[node.op](*[self.conversion(a, path, kind) for a in node.args])
        raise LayoutError("SL106", f"{node.op} has no meaning here yet")

    def choice(self, node: Any, kind: Kind, path: tuple[Condition, ...]) -> Expr:
        """The branch that is taken, and nothing of the other one."""
        c = self.condition(node.args[0], path)
        yes = self.conversion(node.args[1], (*path, c), kind)
        return either(c, yes, self.conversion(node.args[2], (*path, contrary(c)), kind))

    def operation(self, node: Any, a: Expr, to: Kind, path: tuple[Condition, ...]) -> Expr:
        """One operation, whose first operand is at hand."""
        if node.op in ("<<", ">>"):
            count = self.value(node.args[1], path)
            if count.is_Integer and not 0 <= count < to.bits:
                raise LayoutError("SL106", f"{a} shifted by {count} has no meaning")
            if not count.is_Integer:
                self.ask(path, (">=", (count, to.bits - 1 - count)))
            power = Exp2(count)
            return FloorDiv(a, power) if node.op == ">>" else self.fit(a * power, to, path)
        b = self.conversion(node.args[1], path, to)
        if node.op in CLOSED:
            return CLOSED[node.op](a, b)
        if node.op in DIVISIONS:
            return self.division(node.op, a, b, to, path)
        return self.fit({"+": a + b, "-": a - b, "*": a * b}[node.op], to, path)

    def division(self, op: str, a: Expr, b: Expr, to: Kind, path: tuple[Condition, ...]) -> Expr:
        """A quotient or remainder: by no 0, and a quotient of the type, unless nothing is negative."""
        if b == 0:
            raise LayoutError("SL202", "division by zero")
        if not b.is_Integer:
            self.ask(path, ("!=", (b,)))
        if op == "ceildiv":
            self.fit(a + b - 1, to, path)
        if to.signed and not (b.is_Integer and b > 0):
            q, (low, high) = QUOTIENTS[op](a, b), to.ends
            self.ask(path, (">=", (b,)), (">=", (q - low, high - q)))
        return DIVISIONS[op](a, b)

    def condition(self, tree: Any, path: tuple[Condition, ...]) -> Condition:
        """What a condition says; its second part is computed where the first does not decide it."""
        if tree.op in COMPARED:
            for a in tree.args:
                self.kind(a)
            to = self.common(tree)
            a, b = (self.conversion(x, path, to) for x in tree.args)
            return comparison(tree.op, a, b)
        if tree.op == "not":
            return contrary(self.condition(tree.args[0], path))
        first = self.condition(tree.args[0], path)
        if tree.op == "and":
            return Both(first, self.condition(tree.args[1], (*path, first)))
        if tree.op == "or":
            return Either(first, self.condition(tree.args[1], (*path, contrary(first))))
        raise LayoutError("SL106", f"{tree.op} is no condition")


def comparison(op: str, a: Expr, b: Expr) -> Condition:
    """A comparison of two integers by `<`."""
    at_most, at_least = Less(a, b + 1), Less(b, a + 1)
    match op:
        case "<" | ">":
            return Less(a, b) if op == "<" else Less(b, a)
        case "<=" | ">=":
            return at_most if op == "<=" else at_least
        case "==":
            return Both(at_most, at_least)
    return Either(Less(a, b), Less(b, a))


def demand(box: Sequence[tuple[Symbol, Expr]], guard: Sequence[Condition], r: Relation) -> Case:
    """A relation that holds wherever the conditions do, as a result against 0."""
    left, right = bits_of_number(r.left), bits_of_number(r.right)
    texts = {"<": right - left - 1, "<=": right - left, ">": left - right - 1}
    op = r.op if r.op in ("==", "!=") else ">="
    conditions = tuple(with_sums(c) for c in guard)
    steps = (*divisors(left, right), left, right)
    return Case(tuple(box), (texts.get(r.op, left - right),), steps, conditions, ops=(op,))


def either(c: Condition, yes: Expr, no: Expr) -> Expr:
    """A conditional of comparisons alone."""
    if isinstance(c, Less):
        return Where(c.left, c.right, yes, no)
    if isinstance(c, Both):
        return either(c.first, either(c.second, yes, no), no)
    return either(c.first, yes, either(c.second, yes, no))


def demands(f: Function, text: str, bits: str | None, options: Mapping[str, str]) -> Demands:
    """What `fits` asks of a map."""
    if bits is not None and not 2 <= int(bits) <= 1024:
        raise LayoutError("SL502", f"{bits} is no width")
    types = declarations(options.get("types"))
    written = of_map(parse(text))
    if not types.keys() <= written.names | {x.name for x in written.own}:
        raise LayoutError("SL502", "a type for what is no size or coordinate")
    width = None if bits is None else int(bits)
    reading = Reading(written, width, options.get("wraps") == "ok", types)
    extents = [(c,) for c in f.extents]
    return list(dict.fromkeys([*extents, *same(f, written), *reading.whole(text)]))


def same(f: Function, written: Function) -> Demands:
    """What is computed for a layout is what it means: its own definition at the same coordinates."""
    if f == written:
        return []
    names: dict[Symbol, Expr] = dict(zip(f.own, written.own))
    own = [put(d, names) for _, d in f.box], len(f.results), f.ends
    if own != ([d for _, d in written.box], len(written.results), written.ends) or f.guard:
        raise LayoutError("SL403", "what is computed has other points than the layout")
    results = [put(r, names) for r in f.results]
    marks = divisors(*results, *written.results)
    rests = [a - b for a, b in zip(results, written.results)]
    return [(Case(written.box, (r,), marks, ops=("==",)),) for r in rests if r != 0]
