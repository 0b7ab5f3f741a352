"""What every reader makes of a kernel: its accesses, each with domain, guard, offset and types."""

from __future__ import annotations

from dataclasses import dataclass, field

from symlayout.programs.kernels.nodes import TRUE, Node


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
    low: Node
    high: Node
    loaded: str = ""
    within: Node = TRUE


@dataclass(frozen=True)
class Access:
    """A load, store or atomic of a block.

    `shape` has the block's sizes; lane k of `offset` and `guard` runs below `shape[k]`.  `ranges` are
    the loops around it and what it was loaded with; `doubt` says why its domain may be larger than
    what is executed, or its offset not what is computed.  `phase` counts the barriers before it, and
    `turns` are the loops around it whose turns a barrier keeps apart.
    """

    kind: str  # load, store, atomic
    array: str
    offset: Node
    shape: tuple[Node, ...]
    span: Span
    guard: Node = TRUE
    ranges: tuple[Range, ...] = ()
    doubt: str = ""
    expression: str = ""
    phase: int = 0
    turns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hint:
    """What the kernel tells the compiler: `assume`, or `multiple` of `number`; to be shown."""

    kind: str
    node: Node
    span: Span
    number: int = 0


@dataclass
class Kernel:
    """A kernel that was read; `programs` are the names of the program ids, `grids` of their counts.

    `constants` are the parameters that the compiler knows, `wide` those of 64 bits, `flags` those
    that are asked whether they are 0; `divisors` are taken not to be negative, and have to be shown
    so (with the line); `skipped` has the lines that were not understood, with the reason.  In C,
    program ids 3 to 5 are those of threads; `unsigned` are parameters of 32 bits without a sign,
    `symbols` names that are defined elsewhere, `shared` the sizes of arrays in shared memory (none
    where they are not known), and `meet` pairs of phases that a loop brings together.
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
    divisors: dict[Node, int] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)
    language: str = "triton"
    unsigned: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    shared: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    meet: set[tuple[int, int]] = field(default_factory=set)
