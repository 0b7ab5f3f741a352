"""What a loop carries from turn to turn: what every turn adds, or sets to the same, in closed form."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from symlayout.expr.machine import INT64
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import binary, cast, compare, lane, num, where
from symlayout.programs.kernels.values import (
    ANY,
    Block,
    BlockPointer,
    Dtype,
    Function,
    Opaque,
    Value,
)


@dataclass(frozen=True)
class Carried:
    """A value before a loop, and what it is behind a turn, said with `mark` in its place before it.

    `after` has it at each end that another turn may follow: the last statement, and every `continue`.
    `known` are the names that are the same in every turn; `address` tells whether any of the values
    may be one.
    """

    before: Value
    mark: str
    after: tuple[Value | None, ...]
    known: Collection[str]
    address: int = ANY

    def at(self, turn: Term, unknown: Callable[[], Term]) -> Value | None:
        """The value at the beginning of a turn; None where it has no closed form.

        Where a condition that stays the same says whether it has one, it is `unknown` in the other
        case.
        """
        first = self.after[0]
        if any(x != first for x in self.after):
            all_steps = [self._steps(x) for x in self.after]
            if all_steps[0] is None or any(x != all_steps[0] for x in all_steps):
                return None
        if isinstance(self.before, Block) and isinstance(first, Block):
            if self.before.shape != first.shape:
                return None
            node = self._node_at(first.node, self.before.node, turn, unknown)
            return None if node is None else Block(node, self.before.shape)
        steps = self._steps(first)
        if steps is None:
            return None
        if isinstance(self.before, BlockPointer):
            pairs = zip(self.before.offsets, steps)
            offsets = tuple(replace(b, node=_added(b.node, turn, s)) for b, s in pairs)
            return replace(self.before, offsets=offsets)
        return self.before

    def _node_at(
        self, node: Term, before: Term, turn: Term, unknown: Callable[[], Term]
    ) -> Term | None:
        """The value of a block at the beginning of a turn, of what it is behind one."""
        assert isinstance(self.before, Block)
        term = mark_of(self.mark, self.before)
        step = _increment(node, term, self.known)
        if step is not None:
            return _added(before, turn, step)
        if term.type != node.type:
            return None
        if _stays(node, self.known):
            return where(compare(">", turn, num(0)), node, before)
        if node.op != "where" or not _stays(node.args[0], self.known):
            return None
        ways = [self._node_at(x, before, turn, unknown) for x in node.args[1:]]
        if ways == [None, None]:
            return None
        a, b = (unknown() if w is None else w for w in ways)
        return where(node.args[0], a, b)

    def _steps(self, after: Value | None) -> tuple[Term, ...] | None:
        """What a turn adds, the same each time; None where that is not so."""
        before = self.before
        if isinstance(before, Block) and isinstance(after, Block):
            pairs = [(mark_of(self.mark, before), after.node)] * (before.shape == after.shape)
        elif isinstance(before, BlockPointer) and isinstance(after, BlockPointer):
            marked = with_marks(before, self.mark)
            assert isinstance(marked, BlockPointer)
            same = replace(after, offsets=marked.offsets) == marked
            ends = zip(marked.offsets, after.offsets)
            pairs = [(a.node, b.node) for a, b in ends] if same else []
        elif isinstance(before, (Dtype, Function)) and before == after:
            return ()
        else:
            return None
        steps = [_increment(node, term, self.known) for term, node in pairs]
        return tuple(x for x in steps if x is not None) if pairs and None not in steps else None


def lost_value(value: Value | None, word: str, line: int) -> Opaque:
    """What is known of a value that changes in no way that has a closed form."""
    reason = f"line {line}: {word} changes in a loop"
    shape = value.shape if isinstance(value, (Block, Opaque)) else ()
    return Opaque(reason, shape, isinstance(value, Opaque) and value.data)


def mark_of(mark: str, b: Block) -> Term:
    """What stands for a block that may change."""
    lanes = tuple(lane(k) for k, d in enumerate(b.shape) if d.value != 1)
    return Term("unknown", lanes, mark, type=b.node.type)


def with_marks(value: Value, mark: str) -> Value:
    """The value with marks in the place of what may change."""
    if isinstance(value, Block) and not value.node.is_condition:
        return Block(mark_of(mark, value), value.shape)
    if isinstance(value, BlockPointer):
        offsets = [Block(mark_of(f"{mark}{k}", b), b.shape) for k, b in enumerate(value.offsets)]
        return replace(value, offsets=tuple(offsets))
    if isinstance(value, (Dtype, Function)):
        return value
    return lost_value(value, mark, 0) if isinstance(value, (Block, Opaque)) else Opaque(mark)


def _added(before: Term, turn: Term, step: Term) -> Term:
    """What is added to in every turn, at the beginning of one.

    What is taken away is no number below 0 that is added: a type without a sign has none.
    """
    turn = cast(INT64, turn) if before.type == INT64 else turn
    sign, by = "+", step
    if step.op == "num" and step.number < 0:
        sign, by = "-", num(-step.number, step.type)
    elif step.op == "-" and step.args[0].value == 0:
        sign, by = "-", step.args[1]
    elif step.op == "where" and any(_takes_away(x) for x in step.args[1:]):
        c, a, b = step.args
        return where(c, _added(before, turn, a), _added(before, turn, b))
    return binary(sign, before, binary("*", turn, by))


def _takes_away(step: Term) -> bool:
    """Whether a step is seen to be less than 0."""
    if step.op == "where":
        return any(map(_takes_away, step.args[1:]))
    less = step.op == "num" and step.number < 0
    return less or (step.op == "-" and step.args[0].value == 0)


def _increment(node: Term, term: Term, known: Collection[str]) -> Term | None:
    """What is added to the term in a sum; None where it is no such sum of what stays the same.

    Where a condition that stays the same chooses from two sums, it chooses what is added.
    """
    if node == term:
        return num(0)
    if node.op == "where" and _stays(node.args[0], known):
        ways = [_increment(x, term, known) for x in node.args[1:]]
        a, b = ways
        return None if a is None or b is None else where(node.args[0], a, b)
    if node.op not in ("+", "-"):
        return None
    a, b = node.args
    if node.op == "+" and not a.contains(term):
        a, b = b, a
    rest = _increment(a, term, known) if a.contains(term) and _stays(b, known) else None
    return None if rest is None else binary(node.op, rest, b)


def _stays(node: Term, known: Collection[str]) -> bool:
    """Whether it is the same in every turn."""
    return all(x.op == "lane" or x.word in known for x in node.leaves)
