"""Triton's unit tests of linear layouts, read as they stand, with our layouts for theirs.

`unittest/Tools/LinearLayoutTest.cpp` builds layouts from vectors and says what products, compositions,
inverses and parts of them are: its expressions are read one by one.  Products, compositions, inverses,
quotients and ranks are ours; that vectors are sorted by other names is done here.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from symlayout import LayoutError
from symlayout.layouts.doors.linear import Linear

from .cpp import Assigned, Call, bodies, parted, statements, without_comments

FILE = "unittest/Tools/LinearLayoutTest.cpp"
Vectors = tuple[tuple[int, ...], ...]


class Unread(Exception):
    """What this reader does not know."""


class Layout:
    """A linear layout by ordered names, with the operations of Triton's."""

    def __init__(self, ins: Any, outs: Any = (), onto: bool = True) -> None:
        self.ins: dict[str, Vectors] = {n: tuple(tuple(v) for v in vs) for n, vs in ins}
        sizes: dict[str, int] = {}
        for k, out in enumerate(outs):
            top = max((v[k] for vs in self.ins.values() for v in vs), default=0)
            name, size = out if isinstance(out, tuple) else (out, 1 << top.bit_length())
            sizes[name] = size
        self.outs = sizes

    @property
    def ours(self) -> Linear:
        """The same as one of ours."""
        return Linear.of(self.ins, self.outs)

    @staticmethod
    def of(linear: Linear) -> Layout:
        """One of ours as one of these."""
        return Layout(linear.ins, linear.outs)

    @staticmethod
    def identity1D(size: int, into: str, out: str) -> Layout:
        """The first places to themselves."""
        return Layout([(into, [(1 << k,) for k in range(max(size, 1).bit_length() - 1)])], [out])

    @staticmethod
    def zeros1D(size: int, into: str, out: str) -> Layout:
        """Everything to 0."""
        return Layout([(into, [(0,)] * (size.bit_length() - 1))], [out])

    @staticmethod
    def empty() -> Layout:
        """No input and no coordinate."""
        return Layout((), ())

    def __mul__(self, other: Layout) -> Layout:
        return Layout.of(self.ours.product(other.ours))

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Layout) and list(self.ins.items()) == list(other.ins.items())
        return same and list(self.outs.items()) == list(other.outs.items())  # type: ignore[union-attr]

    __hash__ = None  # type: ignore[assignment]

    def compose(self, outer: Layout) -> Layout:
        """First this, then `outer`, its inputs by their names."""
        inner = self.transposeOuts(list(outer.ins))
        inner.outs = {n: 1 << len(vs) for n, vs in outer.ins.items()}
        return Layout.of(outer.ours.compose(inner.ours))

    def invertAndCompose(self, outer: Layout) -> Layout:
        """Points of `outer` that lie where this one's do."""
        mine = self.transposeOuts(list(outer.outs))
        wide = {n: max(s, outer.outs[n]) for n, s in mine.outs.items()}
        mine.outs = wide
        target = Layout(outer.ins.items(), wide.items())
        return Layout.of(target.ours.right_inverse().compose(mine.ours))

    def apply(self, point: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
        """The place of a point."""
        table = dict(point)
        return tuple(zip(self.outs, self.ours.at([table[n] for n in self.ins], {})))

    def isSurjective(self) -> bool:
        """Whether every place is reached."""
        return bool(self.ours.onto)

    def isInvertible(self) -> bool:
        """Whether every place is reached once."""
        return bool(self.ours.invertible)

    def getFreeVariableMasks(self) -> tuple[tuple[str, int], ...]:
        """The bits of each input that the bits before them make up for: no rank is added."""
        rows: dict[str, list[tuple[int, ...]]] = {}
        masks, rank = [], 0
        for name, vectors in self.ins.items():
            mask = 0
            for k, v in enumerate(vectors):
                rows.setdefault(name, []).append(v)
                more = int(Linear.of(rows, self.outs).rank)
                mask |= (more == rank) << k
                rank = more
            masks.append((name, mask))
        return tuple(masks)

    def getNumConsecutiveInOut(self) -> int:
        """The largest identity that the layout is a product with."""
        into, out = next(iter(self.ins)), next(iter(self.outs))
        made = 1
        while self.ours.divide(Layout.identity1D(2 * made, into, out).ours) is not None:
            made *= 2
        return made

    # -- vectors sorted by other names --

    def transposeOuts(self, names: Iterable[str]) -> Layout:
        """The coordinates in another order."""
        order = [list(self.outs).index(n) for n in names]
        ins = [(n, [tuple(v[k] for k in order) for v in vs]) for n, vs in self.ins.items()]
        return Layout(ins, [(n, self.outs[n]) for n in names])

    def transposeIns(self, names: Iterable[str]) -> Layout:
        """The inputs in another order."""
        return Layout([(n, self.ins[n]) for n in names], self.outs.items())

    def sublayout(self, ins: Iterable[str], outs: Iterable[str]) -> Layout:
        """Some inputs and some coordinates, in the order that they have."""
        wanted, into = set(outs), set(ins)
        rest = self.transposeOuts([n for n in self.outs if n in wanted])
        return Layout([(n, vs) for n, vs in rest.ins.items() if n in into], rest.outs.items())

    def sublayoutIsZero(self, ins: Iterable[str], outs: Iterable[str]) -> bool:
        """Whether these inputs change none of these coordinates."""
        part = self.sublayout(ins, outs)
        return not part.ins or not part.outs or part.ours.rank == 0

    def squareSublayoutIsIdentity(self, names: Iterable[str]) -> bool:
        """Whether these inputs are these coordinates."""
        part = self.sublayout(list(names), list(names))
        if not part.ins:
            return True
        part = part.transposeIns(list(part.outs))
        same = Layout.empty()
        for n, vs in part.ins.items():
            one = Layout.identity1D(1 << len(vs), n, n)
            same = one if not same.ins else same * one
        return part == same

    def quotient(self, names: Iterable[str]) -> Layout | None:
        """What is left when these inputs go to these coordinates one to one, and nothing else does."""
        rest = self
        for n in names:
            if n not in rest.ins or n not in rest.outs:
                return None
            part = rest.ours.divide(Layout.identity1D(1 << len(rest.ins[n]), n, n).ours)
            if part is None:
                return None
            found = Layout.of(part)
            if found.outs[n] != 1:
                return None
            del found.ins[n]
            rest = found.transposeOuts([x for x in found.outs if x != n])
        return rest

    def resize(self, name: str, size: int) -> Layout:
        """An input of another size: bits that change nothing, or none of the last ones."""
        many, zero = size.bit_length() - 1, (0,) * len(self.outs)
        wanted = (self.ins[name] + (zero,) * many)[:many]
        return Layout((self.ins | {name: wanted}).items(), self.outs.items())

    def flattenIns(self) -> Layout:
        """All inputs as one."""
        if not self.ins:
            return self
        first = next(iter(self.ins))
        return Layout([(first, [v for vs in self.ins.values() for v in vs])], self.outs.items())

    def reshapeIns(self, dims: Iterable[tuple[str, Any]]) -> Layout:
        """The bits of all inputs under other names."""
        rest = [v for vs in self.ins.values() for v in vs]
        made = []
        for name, size in dims:
            many = _size(size).bit_length() - 1
            made.append((name, rest[:many]))
            rest = rest[many:]
        return Layout(made, self.outs.items())

    def flattenOuts(self) -> Layout:
        """All coordinates as one, the first one the fastest."""
        if not self.outs:
            return self
        ours = self.ours
        ins = [(n, [(_number(v, self.outs.values()),) for v in vs]) for n, vs in ours.ins]
        whole = 1
        for s in self.outs.values():
            whole *= s
        return Layout(ins, [(next(iter(self.outs)), whole)])

    def reshapeOuts(self, dims: Iterable[tuple[str, Any]]) -> Layout:
        """The bits of all coordinates under other names."""
        sizes = [(n, _size(s)) for n, s in dims]
        ins = []
        for name, vectors in self.flattenOuts().ins.items():
            rows = []
            for (x,) in vectors:
                row = []
                for _, s in sizes:
                    row.append(x % s)
                    x //= s
                rows.append(tuple(row))
            ins.append((name, rows))
        return Layout(ins, sizes)

    def equalIgnoringOutDimSizes(self, other: Layout) -> bool:
        """The same vectors and names."""
        return list(self.ins.items()) == list(other.ins.items()) and list(self.outs) == list(
            other.outs
        )

    def getInDimNames(self) -> tuple[str, ...]:
        """The inputs' names."""
        return tuple(self.ins)

    def getOutDimNames(self) -> tuple[str, ...]:
        """The coordinates' names."""
        return tuple(self.outs)

    def getBases(self) -> tuple[Any, ...]:
        """The vectors by input."""
        return tuple(self.ins.items())

    def getInDimSizeLog2(self, name: str) -> int:
        """How many bits an input has."""
        return len(self.ins[name])

    def getOutDimSizeLog2(self, name: str) -> int:
        """How many bits a coordinate has."""
        return self.outs[name].bit_length() - 1

    def getTotalOutDimSize(self) -> int:
        """How many places there are."""
        return 1 << int(self.ours.out_bits)


def _size(x: Any) -> int:
    return int(x[0]) if isinstance(x, tuple) else int(x)


def _number(v: tuple[int, ...], sizes: Iterable[int]) -> int:
    total, below = 0, 1
    for x, s in zip(v, sizes):
        total += x * below
        below *= s
    return total


# -- expressions -------------------------------------------------------------------------------------

NAMES: dict[str, Any] = {
    "LinearLayout": Layout,
    "ElementsAre": lambda *x: tuple(x),
    "IsEmpty": lambda: (),
    "Pair": lambda *x: tuple(x),
    "to_vector": lambda x: x,
    "BasesT": lambda *x: (),
    "BasesArray": lambda *x: (),
    "AR": lambda x: tuple(x),
}


def value(text: str, known: dict[str, Any]) -> Any:
    """An expression of C++, its braces as tuples and its names as ours."""
    text = re.sub(r'\bS\(("[^"]*")\)', r"\1", text)
    text = re.sub(r"\b(?:llvm|LinearLayout|testing)::(?=to_vector|BasesT)", "", text)
    text = text.replace("LinearLayout::", "LinearLayout.").replace("->", ".")
    text = re.sub(r"(BasesT|BasesArray)\{\}", r"\1()", text)
    text = re.sub(r"\{\s*\}", "()", text)
    text = re.sub(r"\{", "(", text)
    text = re.sub(r",?\s*\}", ",)", text)
    text = re.sub(r"!(?!=)", " not ", text)
    text = re.sub(r"^\s*\*(?=\w)", "", " ".join(text.split()))
    for old, new in (("true", "True"), ("false", "False"), ("&&", " and "), ("||", " or ")):
        text = text.replace(old, new)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as e:
        raise Unread(text) from e
    return _value(tree.body, NAMES | known)


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name() if node.id in names:
            return names[node.id]
        case ast.Tuple():
            return tuple(_value(x, names) for x in node.elts)
        case ast.Attribute():
            base = _value(node.value, names)
            if node.attr == "has_value":
                return lambda: base is not None
            if isinstance(base, (Layout, type)) and hasattr(base, node.attr):
                return getattr(base, node.attr)
            raise Unread(node.attr)
        case ast.Call():
            return _value(node.func, names)(*[_value(x, names) for x in node.args])
        case ast.BinOp(op=ast.Mult()):
            return _value(node.left, names) * _value(node.right, names)
        case ast.BinOp(op=ast.Add()):
            return _value(node.left, names) + _value(node.right, names)
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() as op]):
            same = _value(node.left, names) == _value(node.comparators[0], names)
            return same == isinstance(op, ast.Eq)
        case ast.UnaryOp(op=ast.Not()):
            return not _value(node.operand, names)
    raise Unread(ast.dump(node)[:60])


# -- the suite --------------------------------------------------------------------------------------


def run(checkout: Path) -> Counter[str]:
    """Every test of the file."""
    tally: Counter[str] = Counter()
    file = checkout / FILE
    if not file.is_file():
        return tally
    for name, body in bodies(without_comments(file.read_text(encoding="utf-8"))):
        known: dict[str, Any] = {}
        for s in statements(body):
            _statement(s, known, tally, name.rpartition(",")[2].strip())
    return tally


def _statement(s: Any, known: dict[str, Any], tally: Counter[str], where: str) -> None:
    declared = None if not isinstance(s, str) else re.match(r"LinearLayout\s+(\w+)\s*(?==|\()", s)
    times = None if not isinstance(s, str) else re.fullmatch(r"(\w+)\s*\*=\s*(.*)", s, re.DOTALL)
    again = None if not isinstance(s, str) else re.fullmatch(r"(\w+)\s*=\s*(.*)", s, re.DOTALL)
    try:
        if isinstance(s, Assigned):
            known[s.name] = value(s.value, known)
        elif declared is not None:
            rest = s[declared.end() :].lstrip("= ")
            known[declared[1]] = value(
                rest if "=" in s[: declared.end() + 2] else "LinearLayout" + rest, known
            )
        elif times is not None:
            known[times[1]] = known.pop(times[1]) * value(times[2], known)
        elif again is not None and again[1] in known:
            known[again[1]] = value(again[2], known)
        elif isinstance(s, Call) and s.name.startswith(("EXPECT", "ASSERT")):
            if _holds(s, known):
                tally["answered"] += 1
            elif where.startswith("InvertAndCompose") and s.name == "EXPECT_EQ":
                # where several points lie at a place; the next line of the test asks for the law
                tally["another point of the same place"] += 1
            else:
                tally["differ"] += 1
                _say(where, "differ", s.arguments)
    except Unread as what:
        if isinstance(s, Assigned):
            known.pop(s.name, None)
        if isinstance(s, Call):
            tally["of operations that we have not"] += 1
            _say(where, "unread", f"{s.arguments}: {what}")
    except LayoutError as error:
        tally["refused"] += 1
        _say(where, "refused", f"{s}: {error.message}")


def _holds(s: Call, known: dict[str, Any]) -> bool:
    given = [value(a, known) for a in parted(s.arguments)]
    if s.name.endswith(("_EQ", "_THAT")):
        left, right = (x() if callable(x) else x for x in given)
        return bool(left == right)
    return bool(given[0]) != s.name.endswith("FALSE")


def _say(where: str, what: str, text: str) -> None:
    print(f"  {where}: {what}: {' '.join(text.split())[:170]}", file=sys.stderr)
