"""The limits of a launch as facts about the sizes of its grid and its block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from symlayout.expr.term import Term
from symlayout.programs.kernels.forms import THREADS
from symlayout.programs.kernels.nodes import binary, num
from symlayout.programs.kernels.policy import LaunchLimits

AXES = ("grid.x", "grid.y", "grid.z", "block.x", "block.y", "block.z")


class Limit(NamedTuple):
    """What a launch keeps: `size` is at most `most`; of the axis, or of several."""

    what: str
    size: Term
    most: int

    @property
    def fact(self) -> str:
        """The limit as a fact."""
        return f"{self.size.text({})} <= {self.most}"


def limits_of_axes(axes: Mapping[int, Term], limits: LaunchLimits) -> Iterator[Limit]:
    for k, limit in enumerate((*limits.grid, *limits.block)):
        if limit is not None and k in axes:
            yield Limit(AXES[k], axes[k], limit)


def limits_of_blocks(axes: Mapping[int, Term], limits: LaunchLimits) -> Iterator[Limit]:
    """The limits of several axes together."""
    block = [n for k, n in axes.items() if k >= THREADS and n.value != 1]
    if limits.threads is not None and len(block) > 1:
        size = block[0]
        for n in block[1:]:
            size = binary("*", size, n)
        yield Limit("the threads of a block", size, limits.threads)
    for k in range(THREADS) if limits.along is not None else ():
        if k in axes and k + THREADS in axes:
            size = binary("*", axes[k], axes[k + THREADS])
            yield Limit(f"{AXES[k]} * {AXES[k + THREADS]}", size, limits.along or 0)


def wider(node: Term, least: Callable[[str], int]) -> Term:
    """What is at least as large: each divisor that is a name is the least that it can be.

    >>> from symlayout.programs.kernels.nodes import name
    >>> wider(binary("cdiv", name("n"), name("B")), lambda word: 16).text({})
    'ceildiv(n, 16)'
    """
    if not _never_falls(node) or any(least(n) < 0 for n in node.names):
        return node
    if node.op in ("cdiv", "//") and node.args[1].op == "name" and least(node.args[1].word) > 0:
        return binary(node.op, wider(node.args[0], least), num(least(node.args[1].word)))
    if node.op in ("+", "*", "min", "max"):
        return binary(node.op, *[wider(a, least) for a in node.args])
    return node


def _never_falls(node: Term) -> bool:
    """Whether nothing in it is below 0 where no name is: it grows with each dividend."""
    if node.op == "num":
        return node.number >= 0
    return node.op in ("name", "+", "*", "min", "max", "cdiv", "//") and all(
        map(_never_falls, node.args)
    )
