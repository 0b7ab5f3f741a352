"""A kernel that is followed: what is known of its values, and when its statements are executed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symlayout.expr.machine import INT, Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.access import NOT_ZERO, Kernel, Range
from symlayout.programs.kernels.contract import Element
from symlayout.programs.kernels.following import Env, Path, Returns, Unknowns
from symlayout.programs.kernels.nodes import (
    FALSE,
    WORDS,
    both,
    compare,
    conjuncts,
    lane,
    least,
    name,
    nonnegative,
    num,
    terms,
)
from symlayout.programs.kernels.triton.interpreter.addresses import Addresses
from symlayout.programs.kernels.triton.language import CORE
from symlayout.programs.kernels.triton.module import Module
from symlayout.programs.kernels.values import Block, Value


class Word(NamedTuple):
    """A function of Triton's language: `does` says what it does with addresses; it may be followed."""

    does: str  # "move", "compute", "value" (never an address), "apply" (a function), or "access"
    value: Callable[[Interpreter, ast.Call, Env], Value] | None = None


class Rules(NamedTuple):
    """What evaluates each kind of expression, what follows each kind of statement, what the functions
    of the language are, and how all of them are followed.
    """

    expressions: Mapping[type[ast.expr], Callable[[Interpreter, Any, Env], Value]]
    statements: Mapping[type[ast.stmt], Callable[[Interpreter, Any, Env], None]]
    words: Mapping[str, Word]
    value: Callable[[Interpreter, ast.expr, Env], Value]
    block: Callable[[Interpreter, Iterable[ast.stmt], Env], None]
    returned: Callable[[Interpreter, ast.FunctionDef, Env], Value]


@dataclass
class Contract:
    """What the contract says: `signed` are parameters that may be below 0, `maybe_zero` those that may
    be less than 1, `arrays` those that are certainly given, `below` what the numbers in an array are
    less than, `elements` of which type they are.
    """

    signed: frozenset[str] = frozenset()
    maybe_zero: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    below: Mapping[str, Term] = field(default_factory=dict)
    elements: Mapping[str, Element] = field(default_factory=dict)


@dataclass
class Frame:
    """The function that is followed, with the file that it is from.

    `own` are the names that it gives a value somewhere, which mean nothing else in it.
    """

    module: Module
    own: frozenset[str] = frozenset()
    returns: Returns = field(default_factory=Returns)
    depth: int = 0  # functions that it was called by


@dataclass
class Loops:
    """The loops around a statement; `unrolled` are how many of them the compiler unrolls."""

    ranges: dict[str, Range] = field(default_factory=dict)
    nested: int = 0
    unrolled: int = 0
    continued: list[Env] = field(default_factory=list)  # what is known at each `continue`


@dataclass
class Calls:
    """What is known of calls: those that are `seen` were evaluated, or are never reached."""

    seen: set[int] = field(default_factory=set)
    harmless: dict[int, str] = field(default_factory=dict)  # which functions touch no memory
    methods: dict[int, ast.Call] = field(default_factory=dict)  # as calls of functions
    placed: dict[tuple[int, int], ast.FunctionDef] = field(default_factory=dict)
    names: dict[int, frozenset[str]] = field(default_factory=dict)  # that functions give values
    powers: dict[Term, Term] = field(default_factory=dict)  # the next powers of two


class Interpreter:
    """A kernel that is followed, with what is noted of it."""

    def __init__(self, module: Module, kernel: Kernel, rules: Rules, contract: Contract) -> None:
        self.home = module  # the kernel's file
        self.kernel, self.rules, self.contract = kernel, rules, contract
        self.path, self.loops, self.calls, self.frame = Path(), Loops(), Calls(), Frame(module)
        self.unknowns, self.addresses = Unknowns(kernel.parameters), Addresses(kernel)
        self.versions: dict[str, str] = {}  # flags for what some compilers know, why
        self.recording = True
        self.line = 0  # of the statement that is followed
        self.statements = 0

    # -- what is followed -------------------------------------------------------------------------

    def value(self, node: ast.expr, env: Env) -> Value:
        """The value of an expression; what is not understood is opaque."""
        return self.rules.value(self, node, env)

    def follow(self, body: Iterable[ast.stmt], env: Env) -> None:
        """Follows statements in order."""
        self.rules.block(self, body, env)

    def returned(self, function: ast.FunctionDef, bindings: Env) -> Value:
        """What a function returns, its accesses noted on the way."""
        return self.rules.returned(self, function, bindings)

    def is_pure(self, path: str) -> bool:
        """Whether the function at that path touches no memory, for any arguments."""
        module, _, word = path.rpartition(".")
        row = self.rules.words.get(word) if module in CORE else None
        return row is not None and row.does in ("move", "compute", "value")

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Nothing is noted inside."""
        before, self.recording = self.recording, False
        try:
            yield
        finally:
            self.recording = before

    def skip(self, line: int, why: str) -> None:
        """Notes a line that is not understood."""
        if self.recording:
            self.kernel.skipped.setdefault(line, why)

    # -- names ------------------------------------------------------------------------------------

    def program(self, axis: int) -> Term:
        """The program id along an axis."""
        if axis not in self.kernel.programs:
            self.kernel.programs[axis] = self.unknowns.fresh(f"pid{axis}" if axis else "pid")
        return name(self.kernel.programs[axis])

    def grid(self, axis: int) -> Term:
        """How many programs there are along an axis."""
        self.program(axis)
        if axis not in self.kernel.grids:
            self.kernel.grids[axis] = self.unknowns.fresh(f"grid{axis}")
        return name(self.kernel.grids[axis])

    # -- unknowns ---------------------------------------------------------------------------------

    def unknown(
        self,
        shape: tuple[Term, ...],
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
        lanes = tuple(lane(k) for k, d in enumerate(shape) if d.value != 1)
        return Block(Term("unknown", lanes, key, type=type), shape)

    def flag(self, word: str, reason: str, doubt: bool = False) -> Term:
        """A condition that nothing is known of: the same for the same name."""
        own = self.unknowns
        if word not in own.ranges:
            own.used.add(word)
            own.uniform.add(word)
            self.unknown((), reason, doubt, num(0), num(2), word)
        return flag_of(word)

    def perhaps(self, known: Term, reason: str) -> Term:
        """That condition, or never: Triton's versions differ in whether their compiler knows it."""
        if known == FALSE:
            return FALSE
        word = self.unknowns.fresh("known")
        self.versions[word] = reason
        return both(known, flag_of(word))

    def note_doubts(self, c: Term) -> None:
        """Notes the flags of `perhaps` in a condition as what is not known."""
        for x in sorted(c.unknowns, key=lambda x: x.word):
            self.flag(x.word, self.versions[x.word], True)

    def around(self, *nodes: Term) -> tuple[Range, ...]:
        """The loops around the statement, and the unknowns in them and in nodes."""
        ranges = self.unknowns.ranges
        return (*self.loops.ranges.values(), *[ranges[w] for w in sorted(self.unknown_in(*nodes))])

    def unknown_in(self, *nodes: Term) -> set[str]:
        """The unknowns in nodes, and in the ranges of the loops around."""
        ends = [e for r in self.loops.ranges.values() for e in (r.low, r.high)]
        return self.unknowns.within(*nodes, *ends)

    # -- bounds -----------------------------------------------------------------------------------

    def nonnegative(self, node: Term) -> bool:
        """Whether a value is certainly not below 0."""
        return nonnegative(node, self._is_known)

    def above(self, node: Term) -> bool:
        """Whether a sum is certainly not below 0: `1 + n - 1`."""
        if self.nonnegative(node):
            return True
        parts = [(t, sign) for t, sign in terms(node) if t.op != "num"]
        number = sum(t.number * sign for t, sign in terms(node) if t.op == "num")
        return number >= 0 and all(sign > 0 and self.nonnegative(t) for t, sign in parts)

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
        variable = self.unknowns.ranges.get(leaf.word) or self.loops.ranges.get(leaf.word)
        if variable is not None:
            return nonnegative(variable.low, self._is_known)
        return leaf.op == "name" and leaf.word not in self.contract.signed

    def _divides(self, node: Term) -> bool:
        """Whether it is noted as a divisor where what is followed here is executed."""
        divisors = self.kernel.divisors.items()
        noted = [c for (n, c), place in divisors if n == node and place.kind != NOT_ZERO]
        here = {*conjuncts(self.path.condition)} if noted else set()
        return any({*conjuncts(c)} <= here for c in noted)


def flag_of(word: str) -> Term:
    """The condition that a flag is set."""
    return compare("!=", Term("unknown", (), word, type=INT), num(0))
