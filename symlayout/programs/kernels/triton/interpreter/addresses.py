"""Which values of a kernel may be addresses."""

from __future__ import annotations

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Kernel
from symlayout.programs.kernels.values import (
    ADDRESS,
    ANY,
    NUMBER,
    POINTER,
    Block,
    BlockPointer,
    Function,
    Opaque,
    Several,
    Value,
)

MOVES = frozenset(["+", "-", "where", "cast"])  # what an address is still one after


class Addresses:
    """The parameters and unknowns of a kernel that may be addresses."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.pointers: frozenset[str] = frozenset()  # parameters that are addresses
        self.numbers: frozenset[str] = frozenset()  # parameters that certainly are none
        self.unknowns: set[str] = set()  # that may be addresses
        self.descriptors: dict[str, BlockPointer] = {}  # that are parameters

    @property
    def constants(self) -> frozenset[str]:
        """The parameters that the compiler knows."""
        return frozenset(self.kernel.constants)

    @property
    def arrays(self) -> frozenset[str]:
        """The names that may be addresses."""
        return frozenset(self.kernel.parameters) - self.constants

    @property
    def maybe_arrays(self) -> frozenset[str]:
        """The parameters that may be addresses."""
        return self.arrays - self.numbers

    def reached(self, value: Value) -> bool:
        """Whether whoever gets a value may come to memory by it."""
        return self.level(value) != NUMBER

    def level(self, value: Value) -> int:
        """Whether a value may be an address, or contain one: a parameter not known as a number may."""
        match value:
            case Several(parts):
                return max(map(self.level, parts), default=NUMBER)
            case Block(node):
                return self._of_term(node)
            case Opaque(ways=(_, one, other)):
                return max(self.level(one), self.level(other))
            case Opaque():
                return value.address
        return ANY if isinstance(value, (BlockPointer, Function)) else NUMBER

    def _of_term(self, node: Term) -> int:
        if node.op in ("name", "unknown"):
            if node.word in self.unknowns:
                return ADDRESS
            return POINTER if node.op == "name" and node.word in self.maybe_arrays else NUMBER
        if node.is_condition:
            return NUMBER
        parts = node.args[1:] if node.op == "where" else node.args
        of_parts = max(map(self._of_term, parts), default=NUMBER)
        return of_parts if node.op in MOVES else _as_number(of_parts)

    def computed(self, op: str, *values: Value) -> int:
        """Whether an operation on values may make an address: one of Triton's is added to alone."""
        of_values = max(map(self.level, values), default=NUMBER)
        return min(of_values, ADDRESS) if op in MOVES else _as_number(of_values)


def _as_number(address: int) -> int:
    """What is left of an address in arithmetic: Triton has none of its own addresses."""
    return ADDRESS if address > POINTER else NUMBER
