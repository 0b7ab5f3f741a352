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
from typing import Any

from symlayout.certificate.cases import Case, bits_of_number, with_sums
from symlayout.certificate.definedness import (
    QUOTIENTS,
    Box,
    Demands,
    Evaluation,
    Path,
    defined,
    literal,
)
from symlayout.certificate.exact import LONGEST_COEFFICIENT, Work
from symlayout.certificate.functions import Function, of_map
from symlayout.errors import LayoutError
from symlayout.expr.machine import Machine
from symlayout.expr.relations import Relation
from symlayout.expr.terms import Exp2, FloorDiv, Mod, TruncDiv, put
from symlayout.expr.tree import Expr, Integer, Symbol
from symlayout.layouts.maps.written import written_map
from symlayout.layouts.notation import parse

TYPES = {f"int{bits}": Machine(bits, True) for bits in (32, 64)}
TYPES |= {f"uint{bits}": Machine(bits, False) for bits in (32, 64)}
TYPES["size_t"] = TYPES["uint64"]
ROUNDED = {"%": FloorDiv, "rem": TruncDiv}  # quotients of which remainders are what is left
DECLARED = re.compile(r"([A-Za-z_]\w*)=(\w+)")


def declarations(text: str | None) -> dict[str, Machine]:
    """The types of names, from `n=int64,m=size_t`; raises `LayoutError` for anything else."""
    table: dict[str, Machine] = {}
    for part in text.split(",") if text else ():
        match = DECLARED.fullmatch(part.strip())
        if match is None or match[2] not in TYPES:
            raise LayoutError("SL502", f"{part!r} declares no type")
        table[match[1]] = TYPES[match[2]]
    return table


def number(word: str) -> tuple[int, Machine]:
    """A literal's value, and the first type of C that holds it; raises `LayoutError` for none."""
    digits = word.lower().rstrip("ul")
    suffix, hexadecimal, value = word.lower()[len(digits) :], digits[:2] == "0x", literal(word)
    for bits in (64,) if "l" in suffix else (32, 64):
        signs = [False] if "u" in suffix else [True, False] if hexadecimal else [True]
        for signed in signs:
            kind = Machine(bits, signed)
            if value <= kind.high:
                return value, kind
    raise LayoutError("SL204", f"{word} is in no integer type of C")


@dataclass
class Reading(Evaluation):
    """What is computed in types of C; where all of it fits, it is what exact integers are."""

    bits: int | None = None
    wraps: bool = False
    types: Mapping[str, Machine] = field(default_factory=dict)
    kinds: dict[Any, Machine] = field(default_factory=dict)

    def kind(self, tree: Any) -> Machine:
        """The type of a tree, operands before what is made of them."""
        for node in tree.steps():
            if node not in self.kinds:
                self.kinds[node] = self.kind_of(node)
        return self.kinds[tree]

    def kind_of(self, node: Any) -> Machine:
        if self.bits is not None:
            return Machine(self.bits, True)
        match node.op:
            case "num":
                return number(node.word)[1]
            case "name":
                known = self.values.get(node.word)
                return known[1] if known else self.types.get(node.word, TYPES["int32"])
            case "cast":
                if node.word not in TYPES:
                    raise LayoutError("SL502", f"{node.word} is not an integer type")
                return TYPES[node.word]
        return self.common(node)

    def common(self, node: Any) -> Machine:
        """What the operands of a node are converted to; a count of bits to shift by is not."""
        if self.bits is not None:
            return Machine(self.bits, True)
        parts = node.args[1:] if node.op == "where" else node.args
        parts = parts[:1] if node.op in ("<<", ">>", "**") else parts
        kinds = [self.kinds.get(p, TYPES["int32"]) for p in parts]
        return max(kinds, key=lambda k: (k.bits, not k.signed))

    def fit(self, e: Expr, kind: Machine, path: Path) -> Expr:
        """The value, which lies in its type, or wraps where that is allowed."""
        low, high = kind.low, kind.high
        if self.wraps and not kind.signed:
            return Mod(e, Integer(2**kind.bits))
        if not (e.is_Integer and low <= e <= high):
            self.ask(path, (">=", (e - low, high - e)))
        return e

    def converted(self, e: Expr, own: Machine, to: Machine, path: Path) -> Expr:
        """A value of one type in another."""
        return e if to.includes(own) else self.fit(e, to, path)

    def power(self, e: Expr, exponent: Expr, path: Path) -> Expr:
        """A value to the power of a number, or 2 to that of any other value."""
        if exponent.is_Integer and exponent >= 0:
            return e ** int(exponent)
        if exponent.is_Integer or e != 2:
            raise LayoutError("SL200", f"the power {exponent} is not a number")
        self.ask(path, (">=", (exponent, LONGEST_COEFFICIENT - exponent)))
        return Exp2(exponent)

    def shift(self, a: Expr, count: Expr, to: Machine, path: Path) -> Expr:
        """A shift is by less than the bits of the type."""
        if count.is_Integer and not 0 <= count < to.bits:
            raise LayoutError("SL106", f"{a} shifted by {count} has no meaning")
        if not count.is_Integer:
            self.ask(path, (">=", (count, to.bits - 1 - count)))
        return Exp2(count)

    def division(self, op: str, a: Expr, b: Expr, to: Machine, path: Path) -> Expr:
        """A quotient of the type, unless nothing is negative."""
        result = super().division(op, a, b, to, path)
        if op == "cdiv":
            self.fit(a + b - 1, to, path)
        if b != 0 and to.signed and not (b.is_Integer and b > 0):
            q = ROUNDED.get(op, QUOTIENTS[op])(a, b)
            self.ask(path, (">=", (b,)), (">=", (q - to.low, to.high - q)))
        return result


def demand(box: Box, guard: Path, r: Relation) -> Case:
    """A relation that holds wherever the conditions do, as a result against 0."""
    left, right = bits_of_number(r.left), bits_of_number(r.right)
    texts = {"<": right - left - 1, "<=": right - left, ">": left - right - 1}
    op = r.op if r.op in ("==", "!=") else ">="
    conditions = tuple(with_sums(c) for c in guard)
    return Case(box, (texts.get(r.op, left - right),), conditions, ops=(op,))


def with_definedness(box: Box, guard: Path, goal: Sequence[Relation], work: Work) -> Demands:
    """That one of the relations holds, and that all their sides have values."""
    sides = [e for r in goal for e in (r.left, r.right)]
    return [tuple(demand(box, guard, r) for r in goal), *defined(box, sides, work, guard)]


def demands(
    f: Function, text: str, bits: str | None, options: Mapping[str, str], work: Work
) -> Demands:
    """What `fits` asks of a map."""
    if bits is not None and not 2 <= int(bits) <= 1024:
        raise LayoutError("SL502", f"{bits} is not a width")
    types = declarations(options.get("types"))
    read: Any = parse(text)
    written = of_map(read, work)
    if not types.keys() <= written.names | {x.name for x in written.own}:
        raise LayoutError("SL502", "a type for what is not a size or coordinate")
    width, tree = None if bits is None else int(bits), written_map(read)
    ends = Evaluation(written.own, work=work)
    ends.ends(tree, written.box)
    wraps = options.get("wraps") == "ok"
    reading = Reading(written.own, work=work, bits=width, wraps=wraps, types=types)
    reading.body(tree, written.box)
    extents = [(c,) for c in f.extents]
    return list(dict.fromkeys([*extents, *same(f, written), *ends.duties, *reading.duties]))


def same(f: Function, written: Function) -> Demands:
    """What is computed for a layout is what it means: its own definition at the same coordinates."""
    if f == written:
        return []
    names: dict[Symbol, Expr] = dict(zip(f.own, written.own))
    own = [put(d, names) for _, d in f.box], len(f.results), f.ends
    if own != ([d for _, d in written.box], len(written.results), written.ends) or f.guard:
        raise LayoutError("SL403", "what is computed has other points than the layout")
    rests = [put(a, names) - b for a, b in zip(f.results, written.results)]
    return [*f.definitions, *[(Case(written.box, (r,), ops=("==",)),) for r in rests if r != 0]]
