"""Exclusive or over rows whose length is no power of two: it leaves the row."""

from __future__ import annotations

from collections.abc import Iterator

from symlayout.expr.term import Term
from symlayout.programs.kernels.access import Access, Kernel
from symlayout.programs.kernels.forms import form_of
from symlayout.programs.kernels.scan.finding import Evidence, Finding

LARGEST = 1 << 12


def outside(kernel: Kernel) -> Iterator[Finding]:
    """A finding for each place in a row that `^` makes larger than the row."""
    done: set[Term] = set()
    for access in kernel.accesses:
        for node in _nodes(access.offset):
            if node in done or access.doubt or node in set(_nodes(access.guard)):
                continue
            for a, b in (node.args, node.args[::-1]):
                length, other = _length(a), _most(b)
                example = _leaving(length, other) if length and other else None
                if example is not None:
                    done.add(node)
                    yield _finding(kernel, access, node, length, *example)
                    break


def _nodes(node: Term) -> Iterator[Term]:
    if node.op == "^":
        yield node
    for a in node.args:
        yield from _nodes(a)


def _length(node: Term) -> int:
    """The number that a value is a remainder of, where that is no power of two."""
    if node.op == "cast":
        return _length(node.args[0])
    n = (node.args[1].value or 0) if node.op in ("%", "rem") else 0
    return n if 2 < n <= LARGEST and n & (n - 1) else 0


def _most(node: Term) -> int:
    """The largest value of the other side; 0 where that is not known."""
    if node.op == "cast":
        return _most(node.args[0])
    if node.op in ("%", "rem"):
        return min((node.args[1].value or 1) - 1, LARGEST)
    if node.op == "&":
        masks = [a.value for a in node.args if a.value is not None]
        return min(masks[0], LARGEST) if masks and masks[0] > 0 else 0
    return 0


def _leaving(length: int, most: int) -> tuple[int, int] | None:
    """A place in the row and a value of the other side that lead out of it."""
    return next(((a, b) for b in range(most + 1) for a in range(length) if a ^ b >= length), None)


def _finding(kernel: Kernel, access: Access, node: Term, length: int, a: int, b: int) -> Finding:
    text = form_of(kernel, access).text(node)
    return Finding(
        "bounds",
        access.span,
        kernel.name,
        text,
        f"{a} ^ {b} is {a ^ b}, outside of a row of {length}: an exclusive or stays in rows of a "
        "power of two only",
        "make the row a power of two long, or rotate it: (place + row) % length",
        {},
        evidence=Evidence(access, node=node),
    )
