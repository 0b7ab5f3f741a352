"""Where a text is defined: what it divides by is not 0, and no count to shift by is below 0.

The trees of a text are walked as they are written, before anything is substituted or folded: a
definition is computed even where nothing uses it, and `(5//x) * 0` divides by x.  Of a conditional one
branch is computed; the second side of `and` and `or` only where the first does not decide.  A guard
is computed before all definitions.

Where every such condition holds, a division by 0 may have any value: no proof can depend on it.  So the
rest of the checker computes with expressions as they come, whatever has cancelled in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symlayout.certificate.cases import (
    ONE,
    ZERO,
    Case,
    bits_of_number,
    contrary,
    put_all,
    with_sums,
)
from symlayout.certificate.exact import Work
from symlayout.errors import LayoutError
from symlayout.expr.conditions import Both, Condition, Either, Less, weight
from symlayout.expr.term import op_of
from symlayout.expr.terms import (
    BITS,
    DIVISIONS,
    EXTREMES,
    SIMPLE,
    Application,
    Exp2,
    FloorDiv,
    Max,
    Where,
    exponent_of,
    put,
    symbol,
)
from symlayout.expr.tree import Expr, Integer, Symbol

QUOTIENTS = {op_of(kind.row): kind for kind in DIVISIONS}
CLOSED: dict[str, type[Application]] = {op_of(kind.row): kind for kind in (*BITS, *EXTREMES)}
OTHERS = {op_of(kind.row): kind for kind in SIMPLE}
COMPARED = ("<", ">", "<=", ">=", "==", "!=")
CHAINS = frozenset(["+", "-", "*", "&", "|", "^", "<<", ">>", *QUOTIENTS])
Path = tuple[Condition, ...]
Box = tuple[tuple[Symbol, Expr], ...]
Demands = list[tuple[Case, ...]]  # of each: the ways in which it may be shown


def literal(word: str) -> int:
    """The value of a number as it is written."""
    digits = word.lower().rstrip("ul")
    return int(digits, 16 if digits.startswith("0x") else 10)


@dataclass
class Evaluation:
    """Computes trees, and keeps what must hold at each point for them to have a value.

    `own` has the variables as coordinates that count from 0; `box` is that of the coordinates at which
    trees are computed now.  Values here are exact integers; `kind`, `fit` and `converted` are for
    languages in which they have types.
    """

    own: Mapping[Symbol, Expr]
    box: Box = ()
    duties: Demands = field(default_factory=list)
    values: dict[str, tuple[Expr, Any]] = field(default_factory=dict)  # of definitions
    work: Work = field(default_factory=Work)

    def whole(self, tree: Any, box: Box) -> Demands:
        """What a whole map demands."""
        self.ends(tree, box)
        self.body(tree, box)
        return without_weaker(self.duties)

    def ends(self, tree: Any, box: Box) -> None:
        """Ranges are computed at the points of those before; what speaks of sizes alone, once."""
        coords = {x.name for x, _ in box}
        for k, (_, low, high) in enumerate(tree.ranges):
            words = {node.word for e in (low, high) for node in e.steps()}
            self.box = () if coords.isdisjoint(words) else box[:k]
            self.value(low, ())
            self.value(high, ())
        self.box = ()
        for e in tree.box:
            self.value(e, ())

    def body(self, tree: Any, box: Box) -> None:
        """The guard, then at its points every definition, and the results."""
        self.box = box
        path: Path = ()
        if tree.guard is not None:
            path = (self.condition(tree.guard, ()),)
        for name, e in tree.lets:
            self.values[name] = self.value(e, path), self.kind(e)
        for e in tree.results:
            self.value(e, path)

    # -- what is demanded -------------------------------------------------------------------------

    def ask(self, path: Path, *ways: tuple[str, tuple[Expr, ...]]) -> None:
        """A demand at each point where all of the path is true; one of the ways suffices."""
        cases = list[Case]()
        for op, texts in ways:
            results = tuple(bits_of_number(put(e, self.own)) for e in texts)
            guard = tuple(with_sums(put_all(c, self.own)) for c in path)
            cases.append(Case(self.box, results, guard, ops=(op,) * len(results)))
        self.duties.append(tuple(cases))

    def parts(self, e: Expr, path: Path) -> None:
        """What the parts of an expression demand; of a conditional the branch that is taken."""
        self.work.spend(1)
        if isinstance(e, Where):
            c = Less(e.args[0], e.args[1])
            for x, way in zip(e.args, (path, path, (*path, c), (*path, contrary(c)))):
                self.parts(x, way)
            return
        for x in e.args:
            self.parts(x, path)
        row = e.row if isinstance(e, Application) else None
        for x in [e.args[k] for k in row.natural] if row else ():
            if not (x.is_Integer and x >= 0):
                self.ask(path, (">=", (x,)))
        if row and row.divisor is not None:
            x = e.args[row.divisor]
            if not x.is_Integer or x == 0:
                self.ask(path, ("!=", (x,)))

    # -- types, of which exact integers have none --------------------------------------------------

    def kind(self, tree: Any) -> Any:
        """The type of a tree."""

    def common(self, node: Any) -> Any:
        """What the operands of an operation are converted to."""

    def fit(self, e: Expr, kind: Any, path: Path) -> Expr:
        """A value that has just been computed, in its type."""
        return e

    def converted(self, e: Expr, own: Any, to: Any, path: Path) -> Expr:
        """A value of one type in another."""
        return e

    def conversion(self, node: Any, path: Path, to: Any) -> Expr:
        """An operand in the type of its operation."""
        return self.converted(self.value(node, path), self.kind(node), to, path)

    # -- values -----------------------------------------------------------------------------------

    def value(self, tree: Any, path: Path) -> Expr:
        """What a tree comes to; the first operands of a chain one after the other."""
        self.kind(tree)
        chain = [tree]
        while chain[-1].op in CHAINS:
            chain.append(chain[-1].args[0])
        node = chain.pop()
        result, own = self.single(node, path), self.kind(node)
        for node in reversed(chain):
            to = self.common(node)
            result = self.operation(node, self.converted(result, own, to, path), to, path)
            self.work.spend(weight(result))  # definitions may double each time
            own = self.kind(node)
        return result

    def single(self, node: Any, path: Path) -> Expr:
        """What is not an operation of a chain."""
        kind = self.kind(node)
        match node.op:
            case "num":
                return self.fit(Integer(literal(node.word)), kind, path)
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
                e, exponent = (self.value(a, path) for a in node.args)
                return self.fit(self.power(e, exponent, path), kind, path)
            case "where":
                return self.choice(node, kind, path)
            case _ if node.op in CLOSED:
                return CLOSED[node.op](*[self.conversion(a, path, kind) for a in node.args])
            case _ if node.op in OTHERS:
                return self.application(node, kind, path)
        raise LayoutError("SL106", f"{node.op} has no meaning here yet")

    def application(self, node: Any, kind: Any, path: Path) -> Expr:
        """An operator that is nothing but its row, for arguments that it has a value for."""
        args, row = [self.conversion(a, path, kind) for a in node.args], OTHERS[node.op].row
        for k, e in enumerate(args):
            if k in row.natural and not (e.is_Integer and e >= 0):
                self.ask(path, (">=", (e,)))
            if k == row.divisor and not (e.is_Integer and e != 0):
                self.ask(path, ("!=", (e,)))
        if all(e.is_Integer for e in args) and not row.defined(*map(int, args)):
            return ZERO
        return self.fit(OTHERS[node.op](*args), kind, path)

    def choice(self, node: Any, kind: Any, path: Path) -> Expr:
        """The branch that is taken, and nothing of the other one."""
        c = self.condition(node.args[0], path)
        yes = self.conversion(node.args[1], (*path, c), kind)
        return either(c, yes, self.conversion(node.args[2], (*path, contrary(c)), kind))

    def operation(self, node: Any, a: Expr, to: Any, path: Path) -> Expr:
        """One operation, whose first operand is at hand."""
        if node.op in ("<<", ">>"):
            power = self.shift(a, self.value(node.args[1], path), to, path)
            return FloorDiv(a, power) if node.op == ">>" else self.fit(a * power, to, path)
        b = self.conversion(node.args[1], path, to)
        if node.op in CLOSED:
            return CLOSED[node.op](a, b)
        if node.op in QUOTIENTS:
            return self.division(node.op, a, b, to, path)
        return self.fit({"+": a + b, "-": a - b, "*": a * b}[node.op], to, path)

    def power(self, e: Expr, exponent: Expr, path: Path) -> Expr:
        """A value to the power of a number, or 2, 4, 8, ... to that of any other value."""
        if exponent.is_Integer and exponent >= 0:
            return e ** int(exponent)
        if not exponent_of(e):
            raise LayoutError("SL200", f"{e} to the power {exponent} has no meaning")
        return self.two_to(exponent, exponent_of(e), path)

    def shift(self, a: Expr, count: Expr, to: Any, path: Path) -> Expr:
        """What a shift by so many bits multiplies or divides by."""
        return self.two_to(count, 1, path)

    def two_to(self, exponent: Expr, times: int, path: Path) -> Expr:
        """`2**(times*exponent)`, for an exponent that is not below 0."""
        if not exponent.is_Integer or exponent < 0:
            self.ask(path, (">=", (exponent,)))
        return ONE if exponent.is_Integer and exponent < 0 else Exp2(exponent * times)

    def division(self, op: str, a: Expr, b: Expr, to: Any, path: Path) -> Expr:
        """A quotient or remainder; its value is 0 where the divisor is the number 0."""
        if not b.is_Integer or b == 0:
            self.ask(path, ("!=", (b,)))
        return ZERO if b == 0 else QUOTIENTS[op](a, b)

    def condition(self, tree: Any, path: Path) -> Condition:
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
        raise LayoutError("SL106", f"{tree.op} is not a condition")


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


def either(c: Condition, yes: Expr, no: Expr) -> Expr:
    """A conditional of comparisons alone."""
    if isinstance(c, Less):
        return Where(c.left, c.right, yes, no)
    if isinstance(c, Both):
        return either(c.first, either(c.second, yes, no), no)
    return either(c.first, yes, either(c.second, yes, no))


def without_weaker(duties: Sequence[tuple[Case, ...]]) -> Demands:
    """The demands without those that others say at more points: under fewer conditions."""
    results: Demands = []
    for ways in duties:
        if not any(same_or_stronger(other, ways) for other in results):
            results.append(ways)
    return results


def same_or_stronger(a: Sequence[Case], b: Sequence[Case]) -> bool:
    """Whether the one demand says as much as the other, wherever the other says something."""
    if [(w.results, w.ops) for w in a] != [(w.results, w.ops) for w in b]:
        return False
    x, y = a[0], b[0]
    return y.box[: len(x.box)] == x.box and y.guard[: len(x.guard)] == x.guard


def defined(box: Box, expressions: Iterable[Expr], work: Work, path: Path = ()) -> Demands:
    """What expressions that no text spells demand, at each point of a box where the path is true."""
    reader = Evaluation({}, box, work=work)
    for e in expressions:
        reader.parts(e, path)
    return without_weaker(reader.duties)
