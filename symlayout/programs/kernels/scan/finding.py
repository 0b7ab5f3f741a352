"""What a scan finds, and within which limits sizes are realistic."""

from __future__ import annotations

from dataclasses import dataclass, field

from symlayout.programs.kernels.access import Access, Span
from symlayout.programs.kernels.nodes import Node
from symlayout.programs.kernels.policy import ELEMENTS, SIZE

CODES = {
    "overflow": "a 32-bit product of run-time sizes can leave its type",
    "bounds": "an access without the mask that its neighbours have, or a swizzle that leaves its row",
    "race": "what another thread stores is read without a barrier, or stored by several programs",
    "inverse": "an index function and its inverse that do not undo each other",
    "schedule": "programs that leave tiles out, or work on one twice",
}


@dataclass(frozen=True)
class Limits:
    """The largest size and the largest array, in elements."""

    size: int = SIZE
    elements: int = ELEMENTS


@dataclass(frozen=True)
class Evidence:
    """What a finding is about: an access with the values of all names, another access, a condition."""

    access: Access
    values: dict[str, int] = field(default_factory=dict)
    other: Access | None = None
    node: Node | None = None


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
