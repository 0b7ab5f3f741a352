"""What a scan finds, and within which limits sizes are realistic."""

from __future__ import annotations

from dataclasses import dataclass, field

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel, Span
from symlayout.programs.kernels.policy import ELEMENTS, SIZE, WIDE_SIZE

CODES = {
    "overflow": "a 32-bit product of run-time sizes can leave its type",
    "bounds": "an access without the mask that its neighbours have, or a swizzle that leaves its row",
    "race": "what another thread stores is read without a barrier, or stored by several programs",
    "barrier": "a barrier that some threads of a block come to, and others do not",
    "blocks": "a copy of AscendC's that is not of whole blocks of 32 bytes",
    "inverse": "an index function and its inverse that do not undo each other",
    "schedule": "programs that leave tiles out, or work on one twice",
}


@dataclass(frozen=True)
class Limits:
    """The largest size, of 64 bits too, and the largest array, in elements: those of the policy."""

    size: int = SIZE
    wide: int = WIDE_SIZE
    elements: int = ELEMENTS

    def of(self, kernel: Kernel, name: str) -> int:
        """What a size of a kernel is at most, also by its type."""
        most, size = kernel.most_of(name), self.wide if name in kernel.wide else self.size
        return size if most is None else min(size, most)


LARGEST = 1 << 62
UNBOUNDED = Limits(LARGEST, LARGEST, LARGEST)  # sizes are what their types let them be


@dataclass(frozen=True)
class Evidence:
    """What a finding is about: an access with the values of all names, another access, a condition."""

    access: Access
    values: dict[str, int] = field(default_factory=dict)
    other: Access | None = None
    node: Term | None = None


@dataclass(frozen=True)
class Finding:
    """A defect: where, what, and sizes at which it shows."""

    code: str
    span: Span
    function: str
    expression: str
    message: str
    mend: str
    sizes: dict[str, int] = field(default_factory=dict)
    confidence: str = "high"
    evidence: Evidence | None = None
