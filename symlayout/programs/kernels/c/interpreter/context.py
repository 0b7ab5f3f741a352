"""A kernel of C that is followed: what is known of its values, and when its statements are executed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symlayout.expr.machine import INT, INT64, UINT32, UINT64, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels import following
from symlayout.programs.kernels.access import Kernel, Range
from symlayout.programs.kernels.c.interpreter.phases import Phases
from symlayout.programs.kernels.c.module import CModule
from symlayout.programs.kernels.c.types import CType
from symlayout.programs.kernels.following import Returns
from symlayout.programs.kernels.nodes import (
    FALSE,
    WORDS,
    compare,
    conjuncts,
    least,
    name,
    nonnegative,
    num,
)
from symlayout.programs.kernels.program import nodes as code
from symlayout.programs.kernels.values import Block, Opaque, Value

Env = dict[str, Value]


class Rules(NamedTuple):
    """What evaluates each kind of expression, what follows each kind of statement, and how all of them
    are followed.
    """

    expressions: Mapping[type[code.Expression], Callable[[Interpreter, Any, Env], Value]]
    statements: Mapping[type[code.Statement], Callable[[Interpreter, Any, Env], None]]
    value: Callable[[Interpreter, code.Expression, Env], Value]
    block: Callable[[Interpreter, Iterable[code.Statement], Env], None]
    returned: Callable[[Interpreter, code.Function, Env], Value]


@dataclass
class Contract:
    """What the contract says: `signed` are parameters that may be below 0, `maybe_zero` those that may
    be less than 1, `arrays` those that are certainly given, `below` what the numbers in an array are
    less than; where it speaks of any array it is `strict` about their elements.
    """

    signed: frozenset[str] = frozenset()
    maybe_zero: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    below: Mapping[str, Term] = field(default_factory=dict)

    @property
    def is_strict(self) -> bool:
        """Whether arrays have the elements that it says."""
        return bool(self.arrays)


@dataclass
class Path(following.Path):
    """When a statement is executed, where other threads of the block may have returned from a loop."""

    some_left: bool = False


@dataclass
class Frame:
    """The function that is followed: the types of its variables, and of its template's parameters."""

    types: Mapping[str, CType] = field(default_factory=dict)
    bound: dict[str, CType | None] = field(default_factory=dict)
    returns: Returns = field(default_factory=lambda: Returns(0))
    site: code.Node | None = None  # where a function of another file was called
    depth: int = 0  # functions that it was called by
    inside: int = 0  # functions that are followed, the kernel among them


class Unknowns(following.Unknowns):
    """What C's loops mark as well, and what is the same for all threads of a block."""

    def __init__(self, used: Iterable[str]) -> None:
        super().__init__(used)
        self.uniform_in_block: set[str] = set()
        self.marked: dict[str, Value] = {}  # what the marks of loops stand for


class Interpreter:
    """A kernel that is followed, with what is noted of it."""

    def __init__(self, module: CModule, kernel: Kernel, rules: Rules, contract: Contract) -> None:
        self.module, self.kernel, self.rules, self.contract = module, kernel, rules, contract
        self.path, self.phases, self.frame = Path(), Phases(), Frame()
        self.unknowns = Unknowns(kernel.parameters)
        self.elements: dict[str, CType] = {}  # of the names that are addresses
        self.loops: dict[str, Range] = {}  # those around the statement
        self.nested = 0
        self.left_by_some: set[str] = set()  # loops that some threads leave before others
        self.continued: list[Env] = []  # what is known at each `continue` of the loop
        self.at_one_place = False  # whether the last access is at one place for all threads
        self.changed: dict[tuple[int, int], Value] = {}  # parameters behind calls
        self.objects: dict[object, dict[str, Value]] = {}  # fields behind calls of methods
        self.seen: set[int] = set()  # calls that were evaluated, or are never reached
        self.recording = True
        self.statements = 0
        self._line = 0

    # -- what is followed -------------------------------------------------------------------------

    def value(self, node: code.Expression, env: Env) -> Value:
        """The value of an expression; what is not understood is opaque."""
        return self.rules.value(self, node, env)

    def follow(self, body: Iterable[code.Statement], env: Env) -> None:
        """Follows statements in order."""
        self.rules.block(self, body, env)

    def returned(self, function: code.Function, bindings: Env) -> Value:
        """What a function of the file returns, its accesses noted on the way."""
        return self.rules.returned(self, function, bindings)

    @property
    def line(self) -> int:
        """The line of this file that is followed."""
        return self.frame.site.line if self.frame.site is not None else self._line

    @line.setter
    def line(self, number: int) -> None:
        self._line = number

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Nothing is noted inside."""
        before, self.recording = self.recording, False
        try:
            yield
        finally:
            self.recording = before

    def skip(self, line: int, why: str) -> None:
        """Notes a line that is not understood; of another file the line that calls it."""
        self.phases.joins += 1  # there may be a barrier
        if self.recording:
            site = self.frame.site
            self.kernel.skipped.setdefault(site.line if site is not None else line, why)

    def place_of(self, node: code.Node) -> code.Place:
        """Where it stands in this file: of another file's function what calls that."""
        return (self.frame.site or node).place or code.NOWHERE

    # -- names ------------------------------------------------------------------------------------

    def program(self, axis: int) -> Term:
        """The number of the block or the thread along an axis."""
        return self._along(axis, self.kernel.programs, 0)

    def grid(self, axis: int) -> Term:
        """How many blocks or threads there are along an axis."""
        self.program(axis)
        return self._along(axis, self.kernel.grids, 1)

    def _along(self, axis: int, known: dict[int, str], kind: int) -> Term:
        if axis not in known:
            dialect = self.module.dialect
            own = (dialect.threads if axis > 2 else dialect.blocks)[kind]
            known[axis] = self.unknowns.fresh(f"{own}{dialect.axes[axis % 3]}")
        return name(known[axis], UINT32)

    def symbol(self, word: str, type: CType | None, constant: bool = False) -> Value:
        """A field of a parameter, or a constant that is defined elsewhere."""
        word = "".join(c if c.isalnum() else "_" for c in word)
        if type is not None and type.is_address:
            self.elements.setdefault(word, type.element.packed(self.module.dialect.padded))
            kind: Machine | None = INT64
        elif type is not None and type.bits and not type.machine:
            return Opaque(f"{word} is no integer", data=True)
        else:
            kind = None if constant else (type and type.computed) or INT64
        if word not in self.kernel.parameters:
            self.unknowns.used.add(word)
            self.kernel.parameters += (word,)
            self.kernel.constants += (word,) if constant else ()
            wide = kind in (INT64, UINT64) and not (type and type.is_address)
            self.kernel.wide += (word,) if wide else ()
            self.kernel.symbols += (word,) if constant else ()
        return Block(name(word, kind))

    @property
    def arrays(self) -> frozenset[str]:
        """The names that are addresses."""
        return frozenset(self.elements)

    # -- unknowns ---------------------------------------------------------------------------------

    def unknown(
        self,
        reason: str,
        doubt: bool,
        low: Term | None = None,
        high: Term | None = None,
        word: str = "",
        type: Machine | None = INT,
    ) -> Block:
        """A value that nothing is known of but its range; `doubt`: because it is not understood."""
        own = self.unknowns
        key = word or own.fresh(f"value{len(own.ranges) + 1}")
        edge = 1 << (WORDS if type == INT else 63)
        low = num(-edge) if low is None else low
        own.ranges[key] = Range(key, low, num(edge) if high is None else high, reason)
        if doubt:
            own.doubtful_because[key] = reason
        return Block(Term("unknown", (), key, type=type))

    def flag(self, word: str, reason: str, doubt: bool = False) -> Term:
        """A condition that nothing is known of: the same for the same name."""
        if word not in self.unknowns.ranges:
            self.unknowns.used.add(word)
            self.unknowns.uniform.add(word)
            self.unknown(reason, doubt, num(0), num(2), word)
        return compare("!=", Term("unknown", (), word, type=INT), num(0))

    def around(self, *nodes: Term) -> tuple[Range, ...]:
        """The loops around the statement, and the unknowns in them and in nodes."""
        ranges = self.unknowns.ranges
        return (*self.loops.values(), *[ranges[w] for w in sorted(self.unknown_in(*nodes))])

    def unknown_in(self, *nodes: Term) -> set[str]:
        """The unknowns in nodes, and in the ranges of the loops around."""
        ends = [e for r in self.loops.values() for e in (r.low, r.high)]
        return self.unknowns.within(*nodes, *ends)

    # -- bounds -----------------------------------------------------------------------------------

    def nonnegative(self, node: Term) -> bool:
        """Whether a value is certainly not below 0."""
        return nonnegative(node, self._is_known)

    def least(self, node: Term) -> int:
        """What a value is at least, at least 0; a parameter of which no condition around asks is 1."""
        kernel, contract = self.kernel, self.contract
        mentions = {*kernel.flags, *self.path.condition.names}
        mentions |= contract.signed | contract.maybe_zero
        plain = {*kernel.parameters, *kernel.symbols} - mentions | {*kernel.grids.values()}
        return least(node, plain.__contains__, self._is_known)

    def _is_known(self, leaf: Term) -> bool:
        """Whether a leaf, or a divisor that is noted, is certainly not below 0."""
        if leaf.op == "lane" or self._divides(leaf):
            return True
        variable = self.unknowns.ranges.get(leaf.word) or self.loops.get(leaf.word)
        if variable is not None:
            return nonnegative(variable.low, self._is_known)
        return leaf.op == "name" and leaf.word not in self.contract.signed

    def _divides(self, node: Term) -> bool:
        """Whether it is noted as a divisor where what is followed here is executed."""
        divisors = self.kernel.divisors
        here = {*conjuncts(self.path.condition)}
        return any(n == node and {*conjuncts(c)} <= here for n, c in divisors)

    def is_reached(self) -> bool:
        """Whether the statement may be executed at all."""
        return self.path.condition != FALSE
