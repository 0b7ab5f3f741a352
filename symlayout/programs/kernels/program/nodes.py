"""Expressions and statements of the language that kernels are lowered into.

What C has and arithmetic has not is an `Action`: a load, a cast, a call, what is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from symlayout.expr.machine import Machine


@dataclass(frozen=True)
class Place:
    """Where something stands: lines count from 1, columns from 0."""

    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0


NOWHERE = Place(0)


@dataclass(eq=False, kw_only=True)
class Node:
    """A part of a program; `place` is None until it is put somewhere."""

    place: Place | None = field(default=None, repr=False)

    @property
    def line(self) -> int:
        """The line that it begins in."""
        return (self.place or NOWHERE).line


@dataclass(eq=False)
class Expression(Node):
    """What has a value."""


@dataclass(eq=False)
class Statement(Node):
    """What is executed."""


AnyNode = TypeVar("AnyNode", bound=Node)


FIELDS: dict[str, tuple[str, ...]] = {}  # of each kind, but for its place


def _fields(node: Node) -> tuple[str, ...]:
    kind = type(node).__name__
    if kind not in FIELDS:
        FIELDS[kind] = tuple(f.name for f in fields(node) if f.name != "place")
    return FIELDS[kind]


def parts(node: Node) -> list[Node]:
    """The nodes that a node is made of."""
    inside: list[Node] = []
    for name in _fields(node):
        value = getattr(node, name)
        if isinstance(value, Node):
            inside.append(value)
        elif isinstance(value, (list, tuple)):
            inside += [x for x in value if isinstance(x, Node)]
    return inside


def every_part(node: Node) -> list[Node]:
    """The node and all that is inside of it, the outer ones first.

    >>> [type(x).__name__ for x in every_part(Not(Comparison("<", Name("i"), Name("n"))))]
    ['Not', 'Comparison', 'Name', 'Name']
    """
    nodes = [node]
    for x in nodes:  # it grows while it is read
        nodes += parts(x)
    return nodes


def put(node: AnyNode, place: Place | None) -> AnyNode:
    """The node, and what in it stands nowhere yet, standing there."""
    if node.place is None:
        node.place = place
        for x in parts(node):
            put(x, place)
    return node


# -- expressions -----------------------------------------------------------------------------------


@dataclass(eq=False)
class Name(Expression):
    """A variable."""

    word: str


@dataclass(eq=False)
class Constant(Expression):
    """A number, a truth value, a text, or None for a null pointer."""

    value: bool | int | float | str | None


@dataclass(eq=False)
class Operation(Expression):
    """Arithmetic: `//` and `%` round towards 0; `floating`: of numbers that are no integers."""

    op: str
    left: Expression
    right: Expression
    floating: bool = False


@dataclass(eq=False)
class Sign(Expression):
    """`-x`, `+x` or `~x`."""

    op: str
    operand: Expression


@dataclass(eq=False)
class Not(Expression):
    """Whether something is false."""

    operand: Expression


@dataclass(eq=False)
class Junction(Expression):
    """`and`, or `or`, of conditions of which each is asked only where those before it do not decide."""

    op: str
    values: Sequence[Expression]


@dataclass(eq=False)
class Comparison(Expression):
    """A comparison."""

    op: str
    left: Expression
    right: Expression


@dataclass(eq=False)
class Choice(Expression):
    """`test ? then : other`."""

    test: Expression
    then: Expression
    other: Expression


@dataclass(eq=False)
class Field(Expression):
    """A field of a structure, and its type where that is known."""

    base: Expression
    word: str
    type: Any = None


# -- actions ---------------------------------------------------------------------------------------


class Action:
    """Marks an expression that may do something when it is evaluated."""


@dataclass(eq=False)
class Fold(Expression, Action):
    """`min`, `max` or a division that rounds up (`cdiv`)."""

    op: str
    values: Sequence[Expression]


@dataclass(eq=False)
class Cast(Expression, Action):
    """A value in a type."""

    value: Expression
    type: str


@dataclass(eq=False)
class Moved(Expression, Action):
    """A sum or a difference that the code does not compute: an end with a part of the other side."""

    value: Operation


@dataclass(eq=False)
class Count(Expression, Action):
    """A number of elements, which may be taken from a pointer."""

    value: Expression


@dataclass(eq=False)
class Again(Expression, Action):
    """Another value of a variable whose type is that of its first."""

    old: Expression
    new: Expression
    type: Any


@dataclass(eq=False)
class Part(Expression, Action):
    """A variable of which a part has changed."""

    variable: Name


@dataclass(eq=False)
class Element(Expression, Action):
    """The address that is so many elements, each of some numbers (`sizes`), after another one."""

    base: Expression
    index: Expression
    type: Any
    sizes: Sequence[Expression] = ()


@dataclass(eq=False)
class Load(Expression, Action):
    """What lies at an address."""

    address: Expression
    type: Any


@dataclass(eq=False)
class Store(Expression, Action):
    """Values that are stored at an address."""

    address: Expression
    type: Any
    values: Sequence[Expression] = ()


@dataclass(eq=False)
class Atomic(Expression, Action):
    """What lies at an address, changed by all threads one after the other."""

    address: Expression
    type: Any
    values: Sequence[Expression] = ()


@dataclass(eq=False)
class Copy(Expression, Action):
    """So many elements, or bytes (`unit`) of each of some `blocks`, that are loaded or stored (`kind`);
    `local` is where they begin in a tensor of a core.
    """

    kind: str
    address: Expression
    type: Any
    count: Expression
    unit: str
    blocks: Expression
    local: Expression | None = None


@dataclass(eq=False)
class Shared(Expression, Action):
    """An array in memory that a group shares."""

    word: str
    type: Any
    sizes: Sequence[Expression] = ()


@dataclass(eq=False)
class Registers(Expression, Action):
    """A variable of the thread's own, which lies at no place in memory."""


@dataclass(eq=False)
class Call(Expression, Action):
    """A function of the files; `types` are those of its arguments, `deduced` those of their values,
    `template` and `template_types` what its template is given, and `key` is its own.
    """

    word: str
    arguments: Sequence[Expression]
    types: Sequence[Any] = ()
    template: Sequence[Expression | None] = ()
    template_types: Sequence[Any] = ()
    deduced: Sequence[Any] = ()
    key: int = -1


@dataclass(eq=False)
class MethodCall(Expression, Action):
    """A method of an object, whose fields are variables that begin with `prefix`."""

    prefix: str
    cls: str
    word: str
    arguments: Sequence[Expression]
    template: Sequence[Expression | None] = ()
    key: int = -1


@dataclass(eq=False)
class Changed(Expression, Action):
    """An argument behind the call that changed it."""

    key: int
    at: int


@dataclass(eq=False)
class FieldBehind(Expression, Action):
    """A field of an object behind a method's call."""

    key: int
    word: str


@dataclass(eq=False)
class Object(Expression, Action):
    """A structure that is given from elsewhere."""

    word: str


@dataclass(eq=False)
class SizeOf(Expression, Action):
    """The bytes of a type."""

    type: str


@dataclass(eq=False)
class Flag(Expression, Action):
    """A condition of which nobody knows whether it is true."""

    word: str


@dataclass(eq=False)
class Coordinate(Expression, Action):
    """A coordinate by OpenCL's name for it."""

    word: str
    axis: int


@dataclass(eq=False)
class Core(Expression, Action):
    """The number of a core, or how many there are."""

    is_count: bool


@dataclass(eq=False)
class Thread(Expression, Action):
    """A thread's number in its block."""


@dataclass(eq=False)
class Threads(Expression, Action):
    """How many threads a block has."""


@dataclass(eq=False)
class Barrier(Expression, Action):
    """All threads of a block wait for each other."""


@dataclass(eq=False)
class MaybeBarrier(Expression, Action):
    """A function that is not followed, in which a barrier may stand."""


@dataclass(eq=False)
class Data(Expression, Action):
    """A value that is made of others and is not followed: of data it is data."""

    values: Sequence[Expression] = ()
    why: str = ""


@dataclass(eq=False)
class Unfollowed(Expression, Action):
    """What is not understood, and why."""

    why: str
    values: Sequence[Expression] = ()


@dataclass(eq=False)
class Reach(Expression, Action):
    """A function that is not followed gets addresses."""

    why: str
    values: Sequence[Expression]


@dataclass(eq=False)
class Turn(Expression, Action):
    """Whether the other conditions of a loop let it have another turn."""

    test: Expression


# -- loops -----------------------------------------------------------------------------------------


@dataclass(eq=False)
class Range(Expression, Action):
    """A counter from `start` up or `down` by a step, to an end that it does not come to.

    Its type is `type`, or that of its start where it is None.  `inclusive`: the code names the last
    number, not the end.  `unequal`: it asks whether the counter is not the end.  `compared` is what is
    compared, where it is not the counter alone; `also` are the loop's other conditions, each false for
    good once it is, so many of them asked `before` the counter's.
    """

    start: Expression
    end: Expression
    step: Expression
    type: Machine | None = None
    down: bool = False
    inclusive: bool = False
    unequal: bool = False
    compared: Expression | None = None
    also: Sequence[Expression] = ()
    before: int = 0


@dataclass(eq=False)
class Powers(Expression, Action):
    """A counter that is multiplied or divided each turn."""

    start: Expression
    order: str
    end: Expression
    op: str
    by: Expression


# -- statements ------------------------------------------------------------------------------------


@dataclass(eq=False)
class Assign(Statement):
    """A variable gets a value."""

    word: str
    value: Expression


@dataclass(eq=False)
class Change(Statement):
    """`x += e` and its like."""

    word: str
    op: str
    value: Expression


@dataclass(eq=False)
class Effect(Statement):
    """An expression for what it does."""

    value: Expression


@dataclass(eq=False)
class If(Statement):
    """A branch."""

    test: Expression
    body: list[Statement]
    other: list[Statement] = field(default_factory=list)


@dataclass(eq=False)
class For(Statement):
    """A loop over the values of a counter."""

    word: str
    over: Range | Powers
    body: list[Statement]


@dataclass(eq=False)
class While(Statement):
    """A loop that asks before each turn, or behind it (`is_do`)."""

    test: Expression
    body: list[Statement]
    is_do: bool = False


@dataclass(eq=False)
class Return(Statement):
    """A function ends."""

    value: Expression | None = None


@dataclass(eq=False)
class Break(Statement):
    """A loop ends."""


@dataclass(eq=False)
class Continue(Statement):
    """A turn ends."""


@dataclass(eq=False)
class Nothing(Statement):
    """A statement that does nothing."""


@dataclass(eq=False)
class Stop(Statement):
    """A jump: what follows is not known."""

    why: str


@dataclass(eq=False)
class Function:
    """A function; what readers of several languages ask of one it has by Python's names."""

    name: str
    parameters: Sequence[str]
    body: list[Statement]
    lineno: int = 0
    col_offset: int = 0
    end_lineno: int = 0
    decorator_list: tuple[ast.expr, ...] = ()

    @property
    def args(self) -> ast.arguments:
        """Its parameters as a function of Python has them."""
        return ast.arguments([], [ast.arg(n) for n in self.parameters], None, [], [], None, [])
