"""What every reader makes of a kernel: its accesses, each with domain, guard, offset and types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symlayout.expr.machine import Machine
from symlayout.expr.term import Term
from symlayout.programs.kernels.nodes import FALSE, TRUE, num, put

NOT_ZERO = "zero"  # the kind of a divisor that may be below 0


@dataclass(frozen=True)
class Span:
    """Where something stands: lines and columns count from 1 and from 0, as Python's parser does."""

    line: int
    column: int = 0
    end: int = 0


@dataclass(frozen=True)
class Range:
    """A variable of the domain, `low <= word < high`.

    `loaded` tells in words where a value came from that is no coordinate of the program; `within` is
    what a loop's condition says in each of its turns, which its bounds say by a quotient.
    """

    word: str
    low: Term
    high: Term
    loaded: str = ""
    within: Term = TRUE


def put_numbers(node: Term, numbers: Mapping[str, int]) -> Term:
    """The node with numbers in the place of names."""
    return put(
        node,
        lambda x: num(numbers[x.word], x.type) if x.op == "name" and x.word in numbers else None,
    )


@dataclass(frozen=True)
class Access:
    """A load, store or atomic of a block.

    `shape` has the block's sizes; lane k of `offset` and `guard` runs below `shape[k]`.  `ranges` are
    the loops around it and what it was loaded with; `doubt` says why its domain may be larger than
    what is executed, or its offset not what is computed.  `phase` counts the barriers before it,
    `joins` all before it that may have been one, and `turns` are the loops around it whose turns a
    barrier keeps apart; `last` is the last line of several accesses that were unrolled.
    """

    kind: str  # load, store, atomic
    array: str
    offset: Term
    shape: tuple[Term, ...]
    span: Span
    guard: Term = TRUE
    ranges: tuple[Range, ...] = ()
    doubt: str = ""
    expression: str = ""
    phase: int = 0
    joins: int = 0
    turns: tuple[str, ...] = ()
    last: int = 0

    @property
    def nodes(self) -> list[Term]:
        """All that it speaks of: the offset, the guard, the block's sizes and the ends of ranges."""
        ends = [e for r in self.ranges for e in (r.low, r.high)]
        return [self.offset, self.guard, *self.shape, *ends]

    @property
    def unknowns(self) -> frozenset[Term]:
        """What is not known in its offset and its guard."""
        return self.offset.unknowns | self.guard.unknowns

    @property
    def open_turns(self) -> frozenset[Term]:
        """What is not known of how many turns the loops around it have."""
        loops = [r for r in self.ranges if not r.loaded]
        return frozenset(x for r in loops for e in (r.low, r.high) for x in e.unknowns)


@dataclass(frozen=True)
class Hint:
    """What is to be shown: what the kernel tells the compiler (`assume`, or `multiple` of `number`),
    or that blocks that meet have `equal` sizes; `ranges` are the loops around it, `guard` is when.
    """

    kind: str
    node: Term
    span: Span
    number: int = 0
    ranges: tuple[Range, ...] = ()
    guard: Term = TRUE


@dataclass(frozen=True)
class Demand:
    """Without it the code is undefined: a divisor that is not 0, a shift by less than `bits`, or bytes
    that are whole blocks.

    It holds for what is written, whether the result is used or not; `guard` is when it is evaluated,
    `doubt` why it may not be.
    """

    kind: str  # division, shift; of a copy its address, length and local address
    value: Term
    span: Span
    bits: int = 0
    ranges: tuple[Range, ...] = ()
    guard: Term = TRUE
    doubt: str = ""


@dataclass
class Kernel:
    """A kernel that was read; `programs` are the names of the program ids, `grids` of their counts.

    `constants` are the parameters that the compiler knows, `wide` those of 64 bits, `flags` those
    that are asked whether they are 0; `ends` are the ends of loops, and what their counters come
    to; `elements` has the bits of arrays' elements, where the code says them, `images` those of
    pixels; `divisors` are taken not to be negative where a condition holds, and have to be shown
    so, as what `shifts` by less than so many bits (0: by any number) has to be; `demands` are what
    the language leaves undefined otherwise; `skipped` has the
    lines that were not understood, with the reason. In C, program ids 3 to 5 are those of threads;
    `unsigned` are parameters of 32 and 64 bits without a sign, `most` has what narrower ones can be
    at most, `symbols` names that are defined elsewhere, `shared` the sizes of arrays in shared
    memory (none where they are not known), `meet` pairs of phases that no barrier may part,
    `loose` the loops of which a barrier may part some turns and others not,
    `blocks` the numbers of threads that it is launched with, where they are known, `barriers` how
    many there are, `joined` when those that certainly are one are come to, by their number; `waits`
    are the barriers that some threads may not come to, `exits` when a thread has left the kernel.
    """

    name: str
    span: Span
    parameters: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    wide: tuple[str, ...] = ()
    programs: dict[int, str] = field(default_factory=dict)
    grids: dict[int, str] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    ends: list[Access] = field(default_factory=list)
    elements: dict[str, int] = field(default_factory=dict)
    images: frozenset[str] = frozenset()
    small: bool = False  # whether its arrays hardly have 2**32 elements: OpenCL's
    divisors: dict[tuple[Term, Term], Access] = field(default_factory=dict)
    shifts: dict[tuple[Term, int], Span] = field(default_factory=dict)
    demands: list[Demand] = field(default_factory=list)
    skipped: dict[int, str] = field(default_factory=dict)
    language: str = "triton"
    unsigned: tuple[str, ...] = ()
    most: dict[str, int] = field(default_factory=dict)
    symbols: tuple[str, ...] = ()
    shared: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    meet: set[tuple[int, int]] = field(default_factory=set)
    loose: set[str] = field(default_factory=set)
    blocks: tuple[tuple[int, ...], ...] = ()
    barriers: int = 0
    joined: dict[int, Term] = field(default_factory=dict)
    waits: list[Access] = field(default_factory=list)
    exits: list[Term] = field(default_factory=list)
    written: dict[Span, Term] = field(default_factory=dict)

    def most_of(self, word: str) -> int | None:
        """What a parameter is at most by its type."""
        if word in self.most:
            return self.most[word]
        kind = Machine(64 if word in self.wide else 32, word not in self.unsigned)
        return kind.high if word in self.parameters else None

    def put(self, numbers: Mapping[str, int]) -> Kernel:
        """The kernel where parameters have these values, less what is then never executed."""

        def node(n: Term) -> Term:
            return put_numbers(n, numbers)

        def around(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
            return tuple(
                replace(r, low=node(r.low), high=node(r.high), within=node(r.within))
                for r in ranges
            )

        def access(a: Access) -> Access:
            shape, ranges = tuple(map(node, a.shape)), around(a.ranges)
            return replace(
                a, offset=node(a.offset), guard=node(a.guard), shape=shape, ranges=ranges
            )

        def demand(d: Demand) -> Demand:
            ranges = around(d.ranges)
            return replace(d, value=node(d.value), guard=node(d.guard), ranges=ranges)

        return replace(
            self,
            accesses=[a for a in map(access, self.accesses) if a.guard != FALSE],
            hints=[replace(h, node=node(h.node), guard=node(h.guard)) for h in self.hints],
            divisors={(node(n), node(c)): a for (n, c), a in self.divisors.items()},
            shifts={(node(n), bits): at for (n, bits), at in self.shifts.items()},
            demands=[d for d in map(demand, self.demands) if d.guard != FALSE],
            shared={w: tuple(map(node, sizes)) for w, sizes in self.shared.items()},
            written={span: node(n) for span, n in self.written.items()},
        )
