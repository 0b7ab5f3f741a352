"""What an expression of a kernel is: a block of integers or conditions, or something else."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from symlayout.expr.machine import INT, INT64, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import FALSE, TRUE, both, lane, num, put, typed, where

NUMBER = 0  # certainly no address, nor a function
POINTER = 1  # an address of Triton's, which can be moved and added to, and nothing else
ADDRESS = 2  # or an address that was made a number
ANY = 3  # or an object that has an address in it


class NotUnderstood(Exception):
    """What the reader does not understand: the reason, for people."""


@dataclass(frozen=True)
class Block:
    """Integers, addresses or conditions: lane k of the node runs below `shape[k]`.

    `known` is where Triton's compiler knows what has a value of run time elsewhere: an argument that
    is 1, and what is computed of such arguments and of constants.
    """

    node: Term
    shape: tuple[Term, ...] = ()
    known: Term = FALSE

    @property
    def is_constexpr(self) -> bool:
        """Whether it is a number that the compiler knows, which has no methods."""
        return not (self.shape or self.node.type)


@dataclass(frozen=True)
class Opaque:
    """A value that is not followed: data, or what is not understood.

    `ways` are a condition and two values of which it chooses one, unlike in kind or in size;
    `address` tells whether it may be an address or a function, or have one in it; `address_type`: a
    cast to it may make an address.
    """

    why: str
    shape: tuple[Term, ...] = ()
    data: bool = False  # whether it was loaded or computed from what was loaded
    ways: tuple[Term, Value, Value] | None = None
    address: int = ANY
    address_type: bool = False


@dataclass(frozen=True)
class Several:
    """A tuple or a list."""

    parts: tuple[Value, ...]


@dataclass(frozen=True)
class Dtype:
    """An element type."""

    word: str

    @property
    def machine(self) -> Machine | None:
        """The integer type, where it is one that is followed: int32 or int64."""
        return {str(m): m for m in (INT, INT64)}.get(self.word)


@dataclass(frozen=True)
class Constant:
    """None, a text, or a number that is no integer."""

    value: object


@dataclass(frozen=True)
class Function:
    """A function, and the file whose names it sees."""

    node: ast.FunctionDef
    module: Any = field(compare=False)


@dataclass(frozen=True)
class BlockPointer:
    """A block of an array with sizes and strides of its own; `checked`: no lane leaves the array."""

    base: Block
    sizes: tuple[Block, ...]
    strides: tuple[Block, ...]
    offsets: tuple[Block, ...]
    block: tuple[Term, ...]
    checked: bool = False


Value: TypeAlias = (
    Block | Opaque | Several | Dtype | Constant | Function | BlockPointer
)  # fmt: skip


def with_axes(node: Term, places: dict[int, int]) -> Term:
    """The node with its lanes along other axes."""
    if all(k == v for k, v in places.items()):
        return node
    return put(node, lambda x: lane(places[x.number]) if x.op == "lane" else None)


def with_rank(b: Block, rank: int) -> Block:
    """The block with axes of size 1 in front."""
    more = rank - len(b.shape)
    if more <= 0:
        return b
    places = {k: k + more for k in range(len(b.shape))}
    return Block(with_axes(b.node, places), (num(1),) * more + b.shape)


def common_shape(*shapes: tuple[Term, ...]) -> tuple[Term, ...]:
    """The shape that blocks are broadcast to; sizes that are written otherwise are equal where it runs.

    Raises `NotUnderstood` for numbers that differ.
    """
    rank = max(map(len, shapes))
    shape: list[Term] = []
    for k in range(rank):
        sizes = [s[k - rank + len(s)] for s in shapes if k - rank + len(s) >= 0]
        large = [d for d in sizes if d.value != 1]
        numbers = {d.value for d in large if d.value is not None}
        if len(numbers) > 1:
            raise NotUnderstood(f"blocks of sizes {' and '.join(map(str, sorted(numbers)))}")
        shape.append(large[0] if large else num(1))
    return tuple(shape)


def with_new_axis(b: Block, axis: int) -> Block:
    """The block with an axis of size 1 more."""
    places = {k: k + (k >= axis) for k in range(len(b.shape))}
    return Block(with_axes(b.node, places), (*b.shape[:axis], num(1), *b.shape[axis:]))


def permutation(b: Block, order: tuple[int, ...]) -> Block:
    """The block whose axis k is axis `order[k]` of this one."""
    places = {old: new for new, old in enumerate(order)}
    return Block(with_axes(b.node, places), tuple(b.shape[k] for k in order))


def run_time(c: Term, *nodes: Term) -> tuple[Term, ...]:
    """The values that a condition chooses from: one of run time makes numbers that the compiler knows
    numbers of run time.

    >>> [n.bits for n in run_time(Term("<", (lane(0), num(1))), num(-3), lane(0))]
    [32, 32]
    """
    return tuple(map(typed, nodes)) if c.is_run_time else nodes


def known_where(b: Block) -> Term:
    """The condition under which Triton's compiler knows the value.

    >>> known_where(Block(num(3))).op, known_where(Block(lane(0), (num(8),))).op
    ('true', 'false')
    """
    return b.known if b.node.type else TRUE


def known_of_choice(c: Term, a: Block, b: Block) -> Term:
    """Where the compiler knows the one of two values that a condition chooses."""
    one, other = known_where(a), known_where(b)
    return one if one == other else where(c, one, other)


def named(value: Value) -> Value:
    """What a plain assignment names, or a function returns: scalars are numbers of run time."""
    if isinstance(value, Block) and not value.shape:
        return Block(typed(value.node))
    if isinstance(value, Several):
        return Several(tuple(map(named, value.parts)))
    return value


def choice(c: Term, a: Value, b: Value, known: Term = FALSE) -> Value:
    """`a` where the scalar condition is true, else `b`; `known`: where the compiler chooses."""
    if a == b or c in (TRUE, FALSE):
        return b if c == FALSE else a
    if isinstance(a, Block) and isinstance(b, Block):
        if a.shape and b.shape and a.shape != b.shape:
            return Opaque("it has other sizes on two ways", ways=(c, a, b))
        n = max(len(a.shape), len(b.shape))
        x, y = (with_rank(v, n).node for v in (a, b))
        node = where(c, x, y) if known == TRUE else where(c, *run_time(c, x, y))
        return Block(node, a.shape or b.shape, both(known, known_of_choice(c, a, b)))
    if isinstance(a, Several) and isinstance(b, Several) and len(a.parts) == len(b.parts):
        return Several(tuple(choice(c, x, y, known) for x, y in zip(a.parts, b.parts)))
    if isinstance(a, BlockPointer) and isinstance(b, BlockPointer):
        parts = (a.base, *a.sizes, *a.strides, *a.offsets)
        others = (b.base, *b.sizes, *b.strides, *b.offsets)
        if len(parts) == len(others) and (a.block, a.checked) == (b.block, b.checked):
            blocks = [Block(where(c, x.node, y.node)) for x, y in zip(parts, others)]
            n = len(a.block)
            cut = [tuple(blocks[1 + k * n : 1 + (k + 1) * n]) for k in range(3)]
            return BlockPointer(blocks[0], cut[0], cut[1], cut[2], a.block, a.checked)
    whys = [x for x in (a, b) if isinstance(x, Opaque)]
    one = whys[0] if whys else Opaque("it has other kinds of values on two ways")
    return replace(one, ways=(c, a, b))
